// Tensors as text, in the two layouts that ops print: that of Print and Assert, and that of StringFormat.
#ifndef FLOWLATCH_OPS_KERNELS_TENSOR_TEXT_H_
#define FLOWLATCH_OPS_KERNELS_TENSOR_TEXT_H_

#include <cstdint>
#include <string>

#include "graph/tensor/tensor.h"

namespace flowlatch {

// The first `limit` elements (all if negative) in row-major order, rows in brackets: "[0 1 2...]..." for a matrix, "0 1 2..."
// for a vector. "..." marks what is left out. Strings are escaped.
std::string LeadingElementsText(const Tensor& t, int64_t limit);

// Every dimension in brackets, with `edge` items from each of its ends (all if negative), rows on lines of their own:
// "[[0 1 ... 9]\n [10 11 ... 19]]". Strings are escaped and quoted.
std::string EdgeElementsText(const Tensor& t, int64_t edge);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_TENSOR_TEXT_H_
