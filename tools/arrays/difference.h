// Compares tensors within a tolerance.
#ifndef FLOWLATCH_TOOLS_ARRAYS_DIFFERENCE_H_
#define FLOWLATCH_TOOLS_ARRAYS_DIFFERENCE_H_

#include <cstdint>
#include <string>

#include "graph/tensor/tensor.h"

namespace flowlatch {

struct Tolerance {
  double rtol = 0, atol = 0;
};

// Where `got` is not `want`.
struct Difference {
  std::string reason;    // "" when they agree, else one line
  int64_t count = 0;     // elements that differ
  int64_t first = -1;    // the first of them, in row-major order
  double max_error = 0;  // largest |got - want| of numbers, differing or not; NaN where only one is NaN
};

// Floating and complex elements agree when |got - want| <= atol + rtol * |want|, infinities when they are the same, and
// NaN with NaN. All others agree when they are equal. Resources and variants are not looked at.
Difference Compare(const Tensor& got, const Tensor& want, Tolerance tolerance);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_ARRAYS_DIFFERENCE_H_
