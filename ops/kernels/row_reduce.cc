#include "ops/kernels/row_reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/row_reduce.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

#ifndef FLOWLATCH_OPS_KERNELS_ROW_REDUCE_TABLE_
#define FLOWLATCH_OPS_KERNELS_ROW_REDUCE_TABLE_
namespace flowlatch {

template <typename Op>
struct KernelsOfOp {
  RowKernels<float> f32;
  RowKernels<double> f64;
  RowKernels<int32_t> i32;
  RowKernels<int64_t> i64;
};

struct KernelTable {
  KernelsOfOp<combine::Sum> sum;
  KernelsOfOp<combine::Max> max;
  KernelsOfOp<combine::Min> min;
};

}  // namespace flowlatch
#endif  // FLOWLATCH_OPS_KERNELS_ROW_REDUCE_TABLE_

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Op::Apply on vectors.
template <class Op, class D, class V>
HWY_INLINE V Combine(D d, V a, V b) {
  if constexpr (std::is_same_v<Op, combine::Sum>) {
    return hn::Add(a, b);
  } else if constexpr (!hwy::IsFloat<hn::TFromD<D>>()) {
    if constexpr (std::is_same_v<Op, combine::Max>) return hn::Max(a, b);
    else return hn::Min(a, b);
  } else {  // a NaN on either side wins
    const auto better = std::is_same_v<Op, combine::Max> ? hn::Gt(a, b) : hn::Lt(a, b);
    return hn::IfThenElse(hn::Or(better, hn::IsNaN(a)), a, b);
  }
}

template <class Op, typename T>
T ReduceRow(const T* HWY_RESTRICT x, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a0 = hn::Set(d, Op::template Identity<T>());
  auto a1 = a0, a2 = a0, a3 = a0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a0 = Combine<Op>(d, a0, hn::LoadU(d, x + i));
    a1 = Combine<Op>(d, a1, hn::LoadU(d, x + i + lanes));
    a2 = Combine<Op>(d, a2, hn::LoadU(d, x + i + 2 * lanes));
    a3 = Combine<Op>(d, a3, hn::LoadU(d, x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) a0 = Combine<Op>(d, a0, hn::LoadU(d, x + i));
  T total = Op::template Identity<T>();
  if (i > 0) {
    HWY_ALIGN T last[HWY_MAX_BYTES / sizeof(T)];
    hn::Store(Combine<Op>(d, Combine<Op>(d, a0, a1), Combine<Op>(d, a2, a3)), d, last);
    for (int64_t lane = 0; lane < lanes; ++lane) total = Op::Apply(total, last[lane]);
  }
  for (; i < n; ++i) total = Op::Apply(total, x[i]);
  return total;
}

template <class Op, typename T>
void ReduceColumns(const T* HWY_RESTRICT x, int64_t rows, int64_t stride, int64_t width, T* HWY_RESTRICT acc) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    const T* x0 = x + r * stride;
    const T* x1 = x0 + stride;
    const T* x2 = x1 + stride;
    const T* x3 = x2 + stride;
    int64_t j = 0;
    for (; j + lanes <= width; j += lanes) {
      const auto low = Combine<Op>(d, hn::LoadU(d, x0 + j), hn::LoadU(d, x1 + j));
      const auto high = Combine<Op>(d, hn::LoadU(d, x2 + j), hn::LoadU(d, x3 + j));
      hn::StoreU(Combine<Op>(d, hn::LoadU(d, acc + j), Combine<Op>(d, low, high)), d, acc + j);
    }
    for (; j < width; ++j) {
      acc[j] = Op::Apply(acc[j], Op::Apply(Op::Apply(x0[j], x1[j]), Op::Apply(x2[j], x3[j])));
    }
  }
  for (; r < rows; ++r) {
    const T* row = x + r * stride;
    int64_t j = 0;
    for (; j + lanes <= width; j += lanes) {
      hn::StoreU(Combine<Op>(d, hn::LoadU(d, acc + j), hn::LoadU(d, row + j)), d, acc + j);
    }
    for (; j < width; ++j) acc[j] = Op::Apply(acc[j], row[j]);
  }
}

template <class Op>
void FillOp(KernelsOfOp<Op>& kernels) {
  kernels.f32 = {&ReduceRow<Op, float>, &ReduceColumns<Op, float>};
  kernels.f64 = {&ReduceRow<Op, double>, &ReduceColumns<Op, double>};
  kernels.i32 = {&ReduceRow<Op, int32_t>, &ReduceColumns<Op, int32_t>};
  kernels.i64 = {&ReduceRow<Op, int64_t>, &ReduceColumns<Op, int64_t>};
}

void FillTable(KernelTable& table) {
  FillOp(table.sum);
  FillOp(table.max);
  FillOp(table.min);
}

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

HWY_EXPORT(FillTable);

namespace {

// The kernels for this processor, chosen on first use.
const KernelTable& Table() {
  static const KernelTable table = [] {
    KernelTable t;
    HWY_DYNAMIC_DISPATCH(FillTable)(t);
    return t;
  }();
  return table;
}

template <typename Op>
const KernelsOfOp<Op>& TableOf() {
  if constexpr (std::is_same_v<Op, combine::Sum>) return Table().sum;
  else if constexpr (std::is_same_v<Op, combine::Max>) return Table().max;
  else return Table().min;
}

}  // namespace

#define FLOWLATCH_ROW_KERNELS(Op)                                                                          \
  template <> const RowKernels<float>& VectorRowKernels<Op, float>() { return TableOf<Op>().f32; }         \
  template <> const RowKernels<double>& VectorRowKernels<Op, double>() { return TableOf<Op>().f64; }       \
  template <> const RowKernels<int32_t>& VectorRowKernels<Op, int32_t>() { return TableOf<Op>().i32; }     \
  template <> const RowKernels<int64_t>& VectorRowKernels<Op, int64_t>() { return TableOf<Op>().i64; }
FLOWLATCH_ROW_KERNELS(combine::Sum)
FLOWLATCH_ROW_KERNELS(combine::Max)
FLOWLATCH_ROW_KERNELS(combine::Min)
#undef FLOWLATCH_ROW_KERNELS

}  // namespace flowlatch
#endif  // HWY_ONCE
