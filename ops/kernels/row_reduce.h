// The two vector loops of reductions: along a row, and over rows column by column. For sums, maxima and minima of float,
// double, int32 and int64; compiled for each instruction set.
#ifndef FLOWLATCH_OPS_KERNELS_ROW_REDUCE_H_
#define FLOWLATCH_OPS_KERNELS_ROW_REDUCE_H_

#include <cstdint>

#include "ops/kernels/combine.h"

namespace flowlatch {

template <typename T>
struct RowKernels {
  // All n contiguous elements combined, in T; the identity if there are none.
  T (*row)(const T* x, int64_t n);
  // Combines x[r * stride + j] into acc[j] for r < rows and j < width. Sums add four rows to each other first.
  void (*columns)(const T* x, int64_t rows, int64_t stride, int64_t width, T* acc);
};

// Op: combine::Sum, Max or Min. T: float, double, int32_t or int64_t.
template <typename Op, typename T>
const RowKernels<T>& VectorRowKernels();

template <typename Op, typename T>
inline constexpr bool kHasVectorRowKernels =
    (std::is_same_v<Op, combine::Sum> || std::is_same_v<Op, combine::Max> || std::is_same_v<Op, combine::Min>) &&
    (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ROW_REDUCE_H_
