#include "runtime/exec/fused_elementwise.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"

namespace flowlatch {
namespace {

constexpr int64_t kTileElements = 1024;
constexpr int64_t kMinElements = 2 * kTileElements;  // below, the nodes' own kernels are as fast
constexpr size_t kMaxElementBytes = 8;
constexpr double kNsPerElement = 0.3;  // of one member

// The memory of a group's values while it runs.
class FusedRun {
 public:
  FusedRun(const FusedGroup& group, Tensor* slots) : group_(group), slots_(slots) {}

  // Whether all operands have one shape, or one element, and every member has an operand of that shape.
  bool FindShape() {
    for (const uint32_t slot : group_.external_slots) {
      if (shape_ == nullptr || slots_[slot].num_elements() > shape_->num_elements()) shape_ = &slots_[slot];
    }
    if (shape_ == nullptr || shape_->num_elements() < kMinElements) return false;
    is_whole_.resize(group_.external_slots.size());
    for (size_t i = 0; i < is_whole_.size(); ++i) {
      const Tensor& t = slots_[group_.external_slots[i]];
      is_whole_[i] = t.dims() == shape_->dims();
      if (!is_whole_[i] && (t.num_elements() != 1 || t.rank() > shape_->rank())) return false;
      if (DTypeSize(group_.external_dtypes[i]) > kMaxElementBytes) return false;
    }
    return std::all_of(group_.members.begin(), group_.members.end(), [this](const FusedGroup::Member& member) {
      return DTypeSize(member.dtype) <= kMaxElementBytes && (IsWhole(member.x) || (member.has_y && IsWhole(member.y)));
    });
  }

  // Makes the outputs; the last one takes over the memory of an operand that dies, since it is written last.
  bool AllocateOutputs(Allocator* allocator) {
    outputs_.resize(group_.members.size());
    for (size_t i = 0; i < group_.members.size(); ++i) {
      const FusedGroup::Member& member = group_.members[i];
      if (member.scratch >= 0) continue;
      if (i + 1 == group_.members.size() && TakeOver(member.dtype, &outputs_[i])) continue;
      absl::StatusOr<Tensor> output = Tensor::Make(member.dtype, shape_->shape(), allocator);
      if (!output.ok()) return false;
      outputs_[i] = *std::move(output);
    }
    return true;
  }

  void Compute(const StepServices& services) {
    const int64_t n = shape_->num_elements();
    const auto body = [this](int64_t begin, int64_t end) {
      alignas(64) char scratch[kMaxFusedScratch][kTileElements * kMaxElementBytes];
      for (int64_t at = begin; at < end; at += kTileElements) ComputeTile(at, std::min(kTileElements, end - at), scratch);
    };
    if (services.pool == nullptr) {
      body(0, n);
    } else {
      services.pool->ParallelFor(n, kNsPerElement * static_cast<double>(group_.members.size()), body);
    }
  }

  void Commit() {
    for (const uint32_t slot : group_.release) slots_[slot].Clear();
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (group_.members[i].scratch < 0) slots_[group_.members[i].slot] = std::move(outputs_[i]);
    }
  }

 private:
  using Scratch = char[kTileElements * kMaxElementBytes];

  bool IsWhole(const FusedGroup::Operand& operand) const { return operand.member >= 0 || is_whole_[operand.external]; }

  bool TakeOver(DType dtype, Tensor* output) {
    for (size_t i = 0; i < group_.external_slots.size(); ++i) {
      const uint32_t slot = group_.external_slots[i];
      if (!is_whole_[i] || group_.external_dtypes[i] != dtype || !slots_[slot].is_sole_owner()) continue;
      if (std::find(group_.release.begin(), group_.release.end(), slot) == group_.release.end()) continue;
      *output = slots_[slot];
      return true;
    }
    return false;
  }

  void ComputeTile(int64_t at, int64_t n, Scratch* scratch) const {
    for (size_t i = 0; i < group_.members.size(); ++i) {
      const FusedGroup::Member& member = group_.members[i];
      Tile tile;
      tile.n = n;
      Read(member.x, at, scratch, &tile.x, &tile.x_step);
      if (member.has_y) Read(member.y, at, scratch, &tile.y, &tile.y_step);
      tile.z = const_cast<void*>(ResultAt(i, at, scratch));
      member.tile(member.state, tile);
    }
  }
  void Read(const FusedGroup::Operand& operand, int64_t at, Scratch* scratch, const void** data, int64_t* step) const {
    *step = 1;
    if (operand.member >= 0) {
      *data = ResultAt(operand.member, at, scratch);
      return;
    }
    const Tensor& t = slots_[group_.external_slots[operand.external]];
    if (!is_whole_[operand.external]) {
      *data = t.raw_data();
      *step = 0;
      return;
    }
    *data = static_cast<const char*>(t.raw_data()) + at * static_cast<int64_t>(DTypeSize(t.dtype()));
  }
  const void* ResultAt(size_t i, int64_t at, Scratch* scratch) const {
    const FusedGroup::Member& member = group_.members[i];
    if (member.scratch >= 0) return scratch[member.scratch];
    return static_cast<const char*>(outputs_[i].raw_data()) + at * static_cast<int64_t>(DTypeSize(member.dtype));
  }

  const FusedGroup& group_;
  Tensor* const slots_;
  const Tensor* shape_ = nullptr;                // an operand of the common shape
  absl::InlinedVector<bool, 16> is_whole_;       // by external: has that shape
  absl::InlinedVector<Tensor, 8> outputs_;       // by member; no value for those in scratch memory
};

}  // namespace

bool RunFused(const FusedGroup& group, const StepServices& services, Tensor* slots) {
  FusedRun run(group, slots);
  if (!run.FindShape() || !run.AllocateOutputs(services.allocator)) return false;
  run.Compute(services);
  run.Commit();
  return true;
}

}  // namespace flowlatch
