#include "ops/kernels/gemv.h"

#include <algorithm>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/gemv.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {
using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Products of kRows rows with x; every row is a stream of its own for the prefetcher.
template <int kRows>
void DotRows(const float* matrix, int64_t cols, int64_t stride, const float* x, float* y, bool accumulate) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V sum[kRows][2];
  for (int r = 0; r < kRows; ++r) sum[r][0] = sum[r][1] = hn::Zero(d);
  int64_t j = 0;
  for (; j + 2 * lanes <= cols; j += 2 * lanes) {
    const V x0 = hn::LoadU(d, x + j);
    const V x1 = hn::LoadU(d, x + j + lanes);
    for (int r = 0; r < kRows; ++r) {
      sum[r][0] = hn::MulAdd(hn::LoadU(d, matrix + r * stride + j), x0, sum[r][0]);
      sum[r][1] = hn::MulAdd(hn::LoadU(d, matrix + r * stride + j + lanes), x1, sum[r][1]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    float total = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum[r][0], sum[r][1])));
    for (int64_t t = j; t < cols; t += lanes) {
      const int64_t count = std::min(lanes, cols - t);
      // Rounded products, added in order: what short rows give everywhere.
      HWY_ALIGN float products[hn::MaxLanes(d)];
      hn::Store(hn::Mul(LoadFirst(d, matrix + r * stride + t, count, 0.0f), LoadFirst(d, x + t, count, 0.0f)), d, products);
      for (int64_t i = 0; i < count; ++i) total += products[i];
    }
    y[r] = accumulate ? y[r] + total : total;
  }
}

void GemvRowsImpl(const float* matrix, int64_t rows, int64_t cols, int64_t stride, const float* x, float* y,
                  bool accumulate) {
  int64_t i = 0;
  for (; i + 4 <= rows; i += 4) DotRows<4>(matrix + i * stride, cols, stride, x, y + i, accumulate);
  for (; i < rows; ++i) DotRows<1>(matrix + i * stride, cols, stride, x, y + i, accumulate);
}

// Adds kRows rows, each times its x, to y.
template <int kRows>
void AddRows(const float* matrix, int64_t cols, int64_t stride, const float* x, float* y, bool accumulate) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V factor[kRows];
  for (int r = 0; r < kRows; ++r) factor[r] = hn::Set(d, x[r]);
  int64_t j = 0;
  for (; j + lanes <= cols; j += lanes) {
    V sum = accumulate ? hn::LoadU(d, y + j) : hn::Zero(d);
    for (int r = 0; r < kRows; ++r) sum = hn::MulAdd(hn::LoadU(d, matrix + r * stride + j), factor[r], sum);
    hn::StoreU(sum, d, y + j);
  }
  for (; j < cols; ++j) {
    float sum = accumulate ? y[j] : 0.0f;
    for (int r = 0; r < kRows; ++r) sum += matrix[r * stride + j] * x[r];
    y[j] = sum;
  }
}

void GemvColumnsImpl(const float* matrix, int64_t rows, int64_t cols, int64_t stride, const float* x, float* y,
                     bool accumulate) {
  if (rows == 0 && !accumulate) std::fill(y, y + cols, 0.0f);
  int64_t i = 0;
  for (; i + 8 <= rows; i += 8) AddRows<8>(matrix + i * stride, cols, stride, x + i, y, accumulate || i > 0);
  for (; i < rows; ++i) AddRows<1>(matrix + i * stride, cols, stride, x + i, y, accumulate || i > 0);
}

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

HWY_EXPORT(GemvRowsImpl);
HWY_EXPORT(GemvColumnsImpl);

void GemvRows(const float* matrix, int64_t rows, int64_t cols, int64_t stride, const float* x, float* y,
              bool accumulate) {
  HWY_DYNAMIC_DISPATCH(GemvRowsImpl)(matrix, rows, cols, stride, x, y, accumulate);
}

void GemvColumns(const float* matrix, int64_t rows, int64_t cols, int64_t stride, const float* x, float* y,
                 bool accumulate) {
  HWY_DYNAMIC_DISPATCH(GemvColumnsImpl)(matrix, rows, cols, stride, x, y, accumulate);
}

}  // namespace flowlatch
#endif  // HWY_ONCE
