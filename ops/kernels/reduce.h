// Reduction of a tensor over a set of dimensions, for any associative operation. The order in which elements combine
// depends on the shape alone, never on the number of threads, so that results are always the same bits.
#ifndef FLOWLATCH_OPS_KERNELS_REDUCE_H_
#define FLOWLATCH_OPS_KERNELS_REDUCE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "graph/tensor/shape.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/row_reduce.h"

namespace flowlatch {

// How a reduction walks through memory. Neighbouring dimensions that are treated alike have become one, and dimensions of
// 1 are gone. Either the innermost dimension is reduced (`row` elements in a row), or it is kept (`columns`).
struct ReducePlan {
  struct Dim {
    int64_t size, stride;
  };
  using DimList = absl::InlinedVector<Dim, 4>;

  DimList kept;         // but for the innermost dimension
  DimList reduced;      // but for the innermost dimension
  int64_t columns = 1;  // > 1 only if row == 1
  int64_t row = 1;
  int64_t outputs = 1;  // product of `kept`
  int64_t rows = 1;     // product of `reduced`

  int64_t elements_per_output() const { return rows * row; }
};

// is_reduced(i) tells about dimension i. Requires: no dimension is 0.
template <typename IsReduced>
ReducePlan MakeReducePlan(absl::Span<const int64_t> dims, const IsReduced& is_reduced) {
  ReducePlan plan;
  int64_t stride = 1;
  bool innermost = true;
  for (int i = static_cast<int>(dims.size()) - 1; i >= 0;) {
    if (dims[i] == 1) {
      --i;
      continue;
    }
    const bool reduced = is_reduced(i);
    int64_t size = 1;
    for (; i >= 0 && (dims[i] == 1 || is_reduced(i) == reduced); --i) size *= dims[i];
    if (innermost) {
      (reduced ? plan.row : plan.columns) = size;
    } else {
      (reduced ? plan.reduced : plan.kept).push_back({size, stride});
      (reduced ? plan.rows : plan.outputs) *= size;
    }
    innermost = false;
    stride *= size;
  }
  std::reverse(plan.kept.begin(), plan.kept.end());
  std::reverse(plan.reduced.begin(), plan.reduced.end());
  return plan;
}

namespace reduce_internal {

// Elements that one thread combines at a time, when there is no other way to share the work.
inline constexpr int64_t kChunkElements = 65536;
inline constexpr int64_t kMaxStrip = 1024;
inline constexpr int64_t kNarrow = 32;
// Elements that are combined in the narrow type before the result goes into the wide one; few enough for the narrowest vectors,
// in which each lane adds up the most.
inline constexpr int64_t kRowBlock = 1024;
inline constexpr int64_t kColumnBlock = 64;

// Where the element lies that has number `index` among those of `dims`.
inline int64_t OffsetOf(const ReducePlan::DimList& dims, int64_t index) {
  int64_t offset = 0;
  for (size_t i = dims.size(); i-- > 1;) {
    offset += index % dims[i].size * dims[i].stride;
    index /= dims[i].size;
  }
  return dims.empty() ? offset : offset + index * dims[0].stride;
}

inline int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Rows [begin, end) of output `base`, with the innermost dimension reduced. A single row is cut into elements instead.
template <typename R, typename T>
typename R::Total RowRange(const ReducePlan& plan, const T* base, int64_t begin, int64_t end) {
  auto total = R::Start();
  const auto add_row = [&](const T* x, int64_t n) {
    for (int64_t i = 0; i < n; i += kRowBlock) total = R::Merge(total, R::Row(x + i, std::min(kRowBlock, n - i)));
  };
  if (plan.rows == 1) {
    add_row(base + begin, end - begin);
  } else {
    for (int64_t r = begin; r < end; ++r) add_row(base + OffsetOf(plan.reduced, r), plan.row);
  }
  return total;
}

template <typename R, typename T>
void ReduceRows(const KernelCall& c, const ReducePlan& plan, const T* x, T* y) {
  const int64_t units = plan.rows == 1 ? plan.row : plan.rows;
  const int64_t unit_elements = plan.rows == 1 ? 1 : plan.row;
  const int64_t units_per_chunk = std::max<int64_t>(1, kChunkElements / unit_elements);
  const int64_t chunks = CeilDiv(units, units_per_chunk);
  const int64_t count = plan.elements_per_output();
  if (chunks == 1) {
    RunLoop(c, plan.outputs, 2 + R::kCost * static_cast<double>(count), [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) {
        y[o] = R::Finish(RowRange<R>(plan, x + OffsetOf(plan.kept, o), 0, units), count);
      }
    });
    return;
  }
  std::vector<typename R::Total> partial(plan.outputs * chunks);
  RunLoop(c, plan.outputs * chunks, R::kCost * kChunkElements, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % chunks * units_per_chunk;
      partial[task] = RowRange<R>(plan, x + OffsetOf(plan.kept, task / chunks), first,
                                  std::min(units, first + units_per_chunk));
    }
  });
  for (int64_t o = 0; o < plan.outputs; ++o) {
    auto total = R::Start();
    for (int64_t k = 0; k < chunks; ++k) total = R::Merge(total, partial[o * chunks + k]);
    y[o] = R::Finish(total, count);
  }
}

// As ColumnRange for a few columns in rows that follow each other: several rows are taken as one wide row, so that vectors
// are filled, and folded in the end.
template <typename R, typename T>
void NarrowColumnRange(const T* base, int64_t begin, int64_t end, int64_t width, typename R::Total* total) {
  constexpr int64_t kWide = 128;
  const int64_t fold = kWide / width, wide = fold * width;
  typename R::Acc acc[kWide];
  typename R::Total wide_total[kWide];
  std::fill_n(wide_total, wide, R::Start());
  for (int64_t r = begin; r < end;) {
    const int64_t wide_rows = std::min((end - r) / fold, kColumnBlock);
    std::fill_n(acc, wide, R::template Identity<typename R::Acc>());
    if (wide_rows > 0) {
      R::Columns(base + r * width, wide_rows, wide, wide, acc);
      r += wide_rows * fold;
    } else {
      R::Columns(base + r * width, end - r, width, width, acc);
      r = end;
    }
    for (int64_t j = 0; j < wide; ++j) wide_total[j] = R::Merge(wide_total[j], acc[j]);
  }
  std::copy_n(wide_total, width, total);
  for (int64_t j = width; j < wide; ++j) total[j % width] = R::Merge(total[j % width], wide_total[j]);
}

// Rows [begin, end) of the columns [0, width) from `base` on, with the innermost dimension kept, into `total`.
template <typename R, typename T>
void ColumnRange(const ReducePlan& plan, const T* base, int64_t begin, int64_t end, int64_t width,
                 typename R::Total* total) {
  if (plan.columns <= kNarrow && plan.reduced.size() == 1 && plan.reduced[0].stride == plan.columns) {
    return NarrowColumnRange<R>(base, begin, end, width, total);
  }
  typename R::Acc acc[kMaxStrip];
  int64_t in_acc = 0;
  const auto flush = [&] {
    for (int64_t j = 0; j < width; ++j) total[j] = R::Merge(total[j], acc[j]);
    std::fill_n(acc, width, R::template Identity<typename R::Acc>());
    in_acc = 0;
  };
  std::fill_n(total, width, R::Start());
  std::fill_n(acc, width, R::template Identity<typename R::Acc>());
  const int64_t run_length = plan.reduced.empty() ? 1 : plan.reduced.back().size;
  const int64_t stride = plan.reduced.empty() ? 0 : plan.reduced.back().stride;
  for (int64_t r = begin; r < end;) {
    const int64_t run = std::min({end - r, run_length - r % run_length, kColumnBlock - in_acc});
    R::Columns(base + OffsetOf(plan.reduced, r), run, stride, width, acc);
    r += run;
    in_acc += run;
    if (in_acc == kColumnBlock) flush();
  }
  if (in_acc > 0) flush();
}

template <typename R, typename T>
void ReduceColumns(const KernelCall& c, const ReducePlan& plan, const T* x, T* y) {
  using Total = typename R::Total;
  const int64_t strips = CeilDiv(plan.columns, kMaxStrip);
  // Rows are cut too when there are few columns to share.
  const int64_t rows_per_chunk = plan.outputs * plan.columns >= kChunkElements / 4
                                     ? plan.rows
                                     : std::max<int64_t>(kColumnBlock, kChunkElements / plan.columns);
  const int64_t chunks = CeilDiv(plan.rows, rows_per_chunk);
  const int64_t count = plan.elements_per_output();
  std::vector<Total> partial(chunks == 1 ? 0 : plan.outputs * chunks * plan.columns);
  const double cost = R::kCost * static_cast<double>(std::min(plan.rows, rows_per_chunk)) *
                      static_cast<double>(std::min(plan.columns, kMaxStrip));
  RunLoop(c, plan.outputs * chunks * strips, cost, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t column = task % strips * kMaxStrip;
      const int64_t chunk = task / strips % chunks, output = task / strips / chunks;
      const int64_t width = std::min(kMaxStrip, plan.columns - column), first = chunk * rows_per_chunk;
      Total total[kMaxStrip];
      ColumnRange<R>(plan, x + OffsetOf(plan.kept, output) + column, first,
                     std::min(plan.rows, first + rows_per_chunk), width, total);
      if (chunks == 1) {
        T* to = y + output * plan.columns + column;
        for (int64_t j = 0; j < width; ++j) to[j] = R::Finish(total[j], count);
      } else {
        std::copy_n(total, width, partial.begin() + (output * chunks + chunk) * plan.columns + column);
      }
    }
  });
  if (chunks == 1) return;
  for (int64_t i = 0; i < plan.outputs * plan.columns; ++i) {
    const int64_t output = i / plan.columns, column = i % plan.columns;
    auto total = R::Start();
    for (int64_t k = 0; k < chunks; ++k) {
      total = R::Merge(total, partial[(output * chunks + k) * plan.columns + column]);
    }
    y[i] = R::Finish(total, count);
  }
}

}  // namespace reduce_internal

// Reduces x into y by reduction R (see reductions below). Requires: x has elements.
template <typename R, typename T>
void Reduce(const KernelCall& c, const ReducePlan& plan, const T* x, T* y) {
  if (plan.columns == 1) {
    reduce_internal::ReduceRows<R>(c, plan, x, y);
  } else {
    reduce_internal::ReduceColumns<R>(c, plan, x, y);
  }
}

// ---- Reductions. Elements T are loaded and combined as Acc in blocks of bounded length; block results combine as Total.

// The wide type of a sum: rounding errors of long sums stay those of one block.
template <typename T>
struct WideSum { using Type = T; };
template <>
struct WideSum<float> { using Type = double; };
template <>
struct WideSum<std::complex<float>> { using Type = std::complex<double>; };

// An operation on elements as they are.
template <typename Op, typename T, typename AccT = combine::Wide<T>,
          typename TotalT = std::conditional_t<std::is_same_v<Op, combine::Sum>, typename WideSum<AccT>::Type, AccT>>
struct Reduction {
  using Acc = AccT;
  using Total = TotalT;
  static constexpr double kCost = 0.3;  // nanoseconds of one element, roughly

  template <typename U>
  static U Identity() { return Op::template Identity<U>(); }
  static Total Start() { return Identity<Total>(); }
  static Acc Load(T x) { return static_cast<Acc>(x); }
  static Total Merge(Total a, Total b) { return Op::Apply(a, b); }
  static Total Merge(Total a, Acc b) requires(!std::is_same_v<Acc, Total>) { return Op::Apply(a, static_cast<Total>(b)); }
  static T Finish(Total total, int64_t) { return static_cast<T>(total); }

  static Acc Row(const T* x, int64_t n) {
    constexpr int64_t kShortRow = 12;  // a call costs more
    if (n < kShortRow) {
      Acc total = Identity<Acc>();
      for (int64_t i = 0; i < n; ++i) total = Op::Apply(total, Load(x[i]));
      return total;
    }
    if constexpr (kUsesVectorKernels) {
      return VectorRowKernels<Op, T>().row(x, n);
    } else {
      return RowOf<Op>(x, n, Load);
    }
  }
  static void Columns(const T* x, int64_t rows, int64_t stride, int64_t width, Acc* acc) {
    if constexpr (kUsesVectorKernels) {
      VectorRowKernels<Op, T>().columns(x, rows, stride, width, acc);
    } else {
      ColumnsOf<Op>(x, rows, stride, width, acc, Load);
    }
  }

 protected:
  static constexpr bool kUsesVectorKernels = kHasVectorRowKernels<Op, T> && std::is_same_v<Acc, T>;

  // Eight partial results: short chains of dependent operations, and smaller rounding errors.
  template <typename Combine, typename Load>
  static Acc RowOf(const T* x, int64_t n, const Load& load) {
    constexpr int64_t kLanes = 8;
    Acc lanes[kLanes];
    std::fill_n(lanes, kLanes, Identity<Acc>());
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t lane = 0; lane < kLanes; ++lane) lanes[lane] = Combine::Apply(lanes[lane], load(x[i + lane]));
    }
    for (int64_t lane = 0; i < n; ++i, ++lane) lanes[lane] = Combine::Apply(lanes[lane], load(x[i]));
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t lane = 0; lane < half; ++lane) lanes[lane] = Combine::Apply(lanes[lane], lanes[lane + half]);
    }
    return lanes[0];
  }
  template <typename Combine, typename Load>
  static void ColumnsOf(const T* x, int64_t rows, int64_t stride, int64_t width, Acc* acc, const Load& load) {
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t j = 0; j < width; ++j) acc[j] = Combine::Apply(acc[j], load(x[r * stride + j]));
    }
  }
};

// Integers narrower than 64 bits add up in 64 bits, and the quotient is cut towards zero. The mean of no elements is NaN,
// and 0 for integers.
template <typename T>
using MeanAcc = std::conditional_t<std::is_integral_v<T> && sizeof(T) < 8, int64_t, combine::Wide<T>>;

template <typename T>
struct MeanReduction : Reduction<combine::Sum, T, MeanAcc<T>> {
  using Total = typename Reduction<combine::Sum, T, MeanAcc<T>>::Total;
  static T Finish(Total total, int64_t count) {
    if constexpr (std::is_integral_v<T>) {
      return count == 0 ? T{0} : static_cast<T>(total / static_cast<Total>(count));
    } else {
      return static_cast<T>(total / static_cast<Total>(count));
    }
  }
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_REDUCE_H_
