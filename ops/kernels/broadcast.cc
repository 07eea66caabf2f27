#include "ops/kernels/broadcast.h"

namespace flowlatch {
namespace {

// Whether `outer`, followed by `inner`, is one longer axis for every operand.
bool CanMerge(const BroadcastPlan::Axis& outer, const BroadcastPlan::Axis& inner, int num_operands) {
  for (int i = 0; i < num_operands; ++i) {
    if (outer.stride[i] != inner.stride[i] * inner.size) return false;
  }
  return true;
}

}  // namespace

BroadcastPlan PlanBroadcast(absl::Span<const absl::Span<const int64_t>> operands, absl::Span<const int64_t> out) {
  const int num_operands = static_cast<int>(operands.size());
  BroadcastPlan plan;
  BroadcastPlan::Offsets inner_size;  // elements of each operand inside the current axis
  inner_size.fill(1);
  for (size_t from_end = 1; from_end <= out.size(); ++from_end) {
    BroadcastPlan::Axis axis{out[out.size() - from_end], {}};
    if (axis.size == 1) continue;
    for (int i = 0; i < num_operands; ++i) {
      if (from_end > operands[i].size()) continue;
      const int64_t size = operands[i][operands[i].size() - from_end];
      if (size != 1) axis.stride[i] = inner_size[i];
      inner_size[i] *= size;
    }
    if (!plan.axes.empty() && CanMerge(axis, plan.axes.back(), num_operands)) {
      plan.axes.back().size *= axis.size;
    } else {
      plan.axes.push_back(axis);
    }
  }
  if (plan.axes.empty()) plan.axes.push_back({1, {1, 1, 1}});
  std::reverse(plan.axes.begin(), plan.axes.end());
  return plan;
}

}  // namespace flowlatch
