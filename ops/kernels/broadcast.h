// Broadcasting: how elementwise kernels walk operands of different shapes. Adjacent axes that every operand walks alike
// are merged, so that the innermost loop is as long as it can be.
#ifndef FLOWLATCH_OPS_KERNELS_BROADCAST_H_
#define FLOWLATCH_OPS_KERNELS_BROADCAST_H_

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"

namespace flowlatch {

// The walk over an output and its operands, all contiguous. Immutable once made.
struct BroadcastPlan {
  static constexpr int kMaxOperands = 3;
  using Offsets = std::array<int64_t, kMaxOperands>;
  struct Axis {
    int64_t size;
    Offsets stride;  // in elements, 0 where the operand repeats; 0 or 1 in the last axis
  };
  absl::InlinedVector<Axis, 4> axes;  // outermost first, at least one
};

// Requires: `out` is what the operands broadcast to and has at least one element; at most kMaxOperands operands.
BroadcastPlan PlanBroadcast(absl::Span<const absl::Span<const int64_t>> operands, absl::Span<const int64_t> out);

// A piece of the walk: rows x columns of consecutive output elements.
struct BroadcastBlock {
  int64_t out_offset;                  // of the first output element
  BroadcastPlan::Offsets offset;       // of each operand's first element
  BroadcastPlan::Offsets row_stride;   // from one row to the next
  BroadcastPlan::Offsets column_step;  // from one column to the next: 0 or 1
  int64_t rows;
  int64_t columns;
};

// Calls block(BroadcastBlock) for pieces that cover the output elements [begin, end) in order.
template <typename Block>
void ForEachBlock(const BroadcastPlan& plan, int64_t begin, int64_t end, Block&& block) {
  const int num_axes = static_cast<int>(plan.axes.size());
  const BroadcastPlan::Axis& inner = plan.axes.back();
  const BroadcastPlan::Axis outer = num_axes > 1 ? plan.axes[num_axes - 2] : BroadcastPlan::Axis{1, {}};
  BroadcastBlock b;
  b.row_stride = outer.stride;
  b.column_step = inner.stride;
  while (begin < end) {
    int64_t rest = begin / inner.size;  // the row, then what is left of its index axis by axis
    const int64_t column = begin % inner.size;
    const int64_t rows_left = outer.size - rest % outer.size;
    for (int i = 0; i < BroadcastPlan::kMaxOperands; ++i) b.offset[i] = column * inner.stride[i];
    for (int a = num_axes - 2; a >= 0; --a) {
      const int64_t at = rest % plan.axes[a].size;
      rest /= plan.axes[a].size;
      for (int i = 0; i < BroadcastPlan::kMaxOperands; ++i) b.offset[i] += at * plan.axes[a].stride[i];
    }
    const bool whole_rows = column == 0 && end - begin >= inner.size;
    b.rows = whole_rows ? std::min(rows_left, (end - begin) / inner.size) : 1;
    b.columns = whole_rows ? inner.size : std::min(inner.size - column, end - begin);
    b.out_offset = begin;
    block(b);
    begin += b.rows * b.columns;
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_BROADCAST_H_
