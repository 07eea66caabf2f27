// Staging areas: what one step puts down, a later one picks up. They live as long as the session, under their
// shared_name or the node's name.
//   Stage: a tuple of tensors to the end of a queue    Unstage: takes the first    StagePeek: a copy of that at `index`
//   MapStage: tensors of the tuple of `key`, those at `indices` (increasing); the tuple can be had once it is complete
//   MapPeek: copies of those at `indices`              MapUnstage: takes them; the tuple is gone with its last tensor
//   MapUnstageNoKey: as MapUnstage, of the complete tuple with the lowest key; the Ordered forms are the same
// Who wants what is not there yet waits; so does who puts something down while there are `capacity` tuples, or tensors
// of more than `memory_limit` bytes (0: no limit). Waiting holds no thread, and ends when the step is cancelled.
#include "ops/stage_ops.h"

#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/resource_names.h"
#include "ops/kernels/variable_update.h"
#include "ops/kernels/wait_list.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

using Tuple = std::vector<Tensor>;

int64_t BytesOf(const Tuple& tuple) {
  int64_t bytes = 0;
  for (const Tensor& t : tuple) bytes += t.size_bytes();
  return bytes;
}

struct Limits {
  int64_t capacity = 0;  // tuples; 0: any
  int64_t memory = 0;    // bytes; 0: any
};

// What staging areas of both kinds have.
class StagingArea : public WaitableResource {
 public:
  explicit StagingArea(const Limits& limits) : limits_(limits) {}
  // Errors: ResourceExhausted for tensors that will never fit.
  absl::Status CheckFits(int64_t bytes) const {
    if (limits_.memory == 0 || bytes <= limits_.memory) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        absl::StrCat("tensors to stage: expected at most ", limits_.memory, " bytes (memory_limit), got ", bytes));
  }

 protected:
  bool HasRoom(int64_t tuples, int64_t bytes) const {
    return (limits_.capacity == 0 || tuples < limits_.capacity) &&
           (limits_.memory == 0 || bytes_ <= limits_.memory - bytes);
  }
  int64_t bytes_ = 0;  // of all tensors; guarded by mu()

 private:
  const Limits limits_;
};

class StateOfNode : public KernelState {
 public:
  ResourceName name;
  Limits limits;
  std::vector<DType> dtypes;  // of the tensors of a tuple; of ops that give some, of those
};

absl::StatusOr<std::shared_ptr<StateOfNode>> MakeState(const NodeInfo& node) {
  auto state = std::make_shared<StateOfNode>();
  ASSIGN_OR_RETURN(state->name, ResourceNameOf(node, true));
  ASSIGN_OR_RETURN(state->limits.capacity, node.Int("capacity"));
  ASSIGN_OR_RETURN(state->limits.memory, node.Int("memory_limit"));
  if (state->limits.capacity < 0 || state->limits.memory < 0) {
    return absl::InvalidArgumentError(absl::StrCat("capacity and memory_limit: expected none below 0, got ",
                                                   state->limits.capacity, " and ", state->limits.memory));
  }
  ASSIGN_OR_RETURN(state->dtypes, node.AttrAs<std::vector<DType>>("dtypes"));
  return state;
}

template <typename Area>
absl::StatusOr<RefPtr<Area>> AreaOf(const KernelCall& c) {
  const StateOfNode& state = c.state<StateOfNode>();
  return c.step().resources().LookupOrCreate<Area>(
      state.name.container, state.name.name,
      [&]() -> absl::StatusOr<RefPtr<Area>> { return MakeRef<Area>(state.limits); });
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> NowKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(auto state, MakeState(node));
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

// Of `absl::Status Start(KernelCall&, const Done&)`, whose errors are the call's.
template <absl::Status (*kStart)(KernelCall&, const Done&)>
absl::StatusOr<Kernel> WaitingKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(auto state, MakeState(node));
  return Kernel{.async_fn =
                    [](KernelCall& c, Done done) {
                      if (absl::Status status = kStart(c, done); !status.ok()) done(std::move(status));
                    },
                .state = std::move(state)};
}

absl::StatusOr<Tuple> ValuesFrom(const KernelCall& c, int first) {
  Tuple values;
  for (int i = first; i < c.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(Tensor value, TakeInput(c, i));
    values.push_back(std::move(value));
  }
  return values;
}

// Whether outputs from `first` on may be these tensors.
absl::Status CheckOutputs(const KernelCall& c, const std::vector<const Tensor*>& tensors) {
  const std::vector<DType>& dtypes = c.state<StateOfNode>().dtypes;
  if (tensors.size() != dtypes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("staged tensors: expected ", dtypes.size(), " (dtypes), got ", tensors.size()));
  }
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (tensors[i]->dtype() == dtypes[i]) continue;
    return absl::InvalidArgumentError(absl::StrCat("staged tensor ", i, ": expected ",
                                                   std::string(DTypeName(dtypes[i])), ", got ",
                                                   std::string(DTypeName(tensors[i]->dtype()))));
  }
  return absl::OkStatus();
}

absl::Status SetSize(KernelCall& c, size_t size) {
  if (size > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("size: expected a number that fits int32, got ", size));
  }
  c.output(0).SetScalar(static_cast<int32_t>(size));
  return absl::OkStatus();
}

// ---- Queues of tuples

class StageQueue final : public StagingArea {
 public:
  using StagingArea::StagingArea;
  std::string TypeName() const override { return "StagingArea"; }

  // These are attempts: they want mu() held.
  std::optional<absl::Status> Put(Tuple& tuple, int64_t bytes) {
    if (!HasRoom(static_cast<int64_t>(tuples_.size()), bytes)) return std::nullopt;
    bytes_ += bytes;
    tuples_.push_back(std::move(tuple));
    return absl::OkStatus();
  }
  std::optional<absl::Status> Get(KernelCall& c, int64_t index, bool take) {
    if (index >= static_cast<int64_t>(tuples_.size())) return std::nullopt;
    Tuple& tuple = tuples_[index];
    std::vector<const Tensor*> tensors;
    for (const Tensor& t : tuple) tensors.push_back(&t);
    RETURN_IF_ERROR(CheckOutputs(c, tensors));
    if (take) bytes_ -= BytesOf(tuple);
    for (size_t i = 0; i < tuple.size(); ++i) c.SetOutput(static_cast<int>(i), take ? std::move(tuple[i]) : tuple[i]);
    if (take) tuples_.erase(tuples_.begin() + index);
    return absl::OkStatus();
  }
  absl::Status SizeTo(KernelCall& c) { return SetSize(c, tuples_.size()); }
  absl::Status Clear() {
    tuples_.clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

 private:
  std::deque<Tuple> tuples_;
};

absl::Status Stage(KernelCall& c, const Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<StageQueue> area, AreaOf<StageQueue>(c));
  ASSIGN_OR_RETURN(Tuple values, ValuesFrom(c, 0));
  const int64_t bytes = BytesOf(values);
  RETURN_IF_ERROR(area->CheckFits(bytes));
  area->Run(
      *c.step().services().cancellation,
      [area = area.get(), values = std::move(values), bytes]() mutable { return area->Put(values, bytes); }, done);
  return absl::OkStatus();
}

template <bool kTake>
absl::Status Unstage(KernelCall& c, const Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<StageQueue> area, AreaOf<StageQueue>(c));
  int64_t index = 0;
  if (!kTake) {
    ASSIGN_OR_RETURN(index, ReadIntScalar(c.input(0), "index"));
    if (index < 0) return absl::InvalidArgumentError(absl::StrCat("index: expected a value >= 0, got ", index));
  }
  area->Run(
      *c.step().services().cancellation, [area = area.get(), &c, index] { return area->Get(c, index, kTake); }, done);
  return absl::OkStatus();
}

template <typename Area, absl::Status (Area::*kSize)(KernelCall&)>
absl::Status SizeOf(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Area> area, AreaOf<Area>(c));
  return area->RunNow([&] { return (area.get()->*kSize)(c); });
}

template <typename Area>
absl::Status ClearAll(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Area> area, AreaOf<Area>(c));
  return area->RunNow([&] { return area->Clear(); });
}

// ---- Maps of tuples

class StageMap final : public StagingArea {
 public:
  using StagingArea::StagingArea;
  std::string TypeName() const override { return "StagingMap"; }

  // These are attempts: they want mu() held.
  std::optional<absl::Status> Put(int64_t key, const Dims& indices, Tuple& values, int64_t bytes, size_t tuple_size) {
    if (!HasRoom(static_cast<int64_t>(complete_.size()), bytes)) return std::nullopt;
    const auto at = incomplete_.find(key);
    Tuple whole = at != incomplete_.end() ? at->second : Tuple(tuple_size);
    for (size_t i = 0; i < values.size(); ++i) {
      if (static_cast<size_t>(indices[i]) >= whole.size() || whole[indices[i]].has_value()) {
        return absl::InvalidArgumentError(
            absl::StrCat("indices of key ", key, ": expected those of tensors that are missing, got ", indices[i]));
      }
      whole[indices[i]] = std::move(values[i]);
    }
    size_t have = 0;
    for (const Tensor& t : whole) have += t.has_value();
    if (have < whole.size()) {
      incomplete_[key] = std::move(whole);
      bytes_ += bytes;
      return absl::OkStatus();
    }
    if (at != incomplete_.end()) {
      bytes_ -= BytesOf(at->second);
      incomplete_.erase(at);
    }
    // Of a tuple that is there, the tensors stay.
    const auto [added, inserted] = complete_.try_emplace(key, std::move(whole));
    if (inserted) bytes_ += BytesOf(added->second);
    return absl::OkStatus();
  }
  std::optional<absl::Status> Get(KernelCall& c, int64_t key, const Dims& indices, bool take) {
    const auto at = complete_.find(key);
    if (at == complete_.end()) return std::nullopt;
    return GetFrom(c, at, indices, take, 0);
  }
  std::optional<absl::Status> TakeFirst(KernelCall& c, const Dims& indices) {
    if (complete_.empty()) return std::nullopt;
    const auto at = complete_.begin();
    const int64_t key = at->first;
    RETURN_IF_ERROR(GetFrom(c, at, indices, true, 1));
    c.output(0).SetScalar<int64_t>(key);
    return absl::OkStatus();
  }
  absl::Status SizeTo(KernelCall& c) { return SetSize(c, complete_.size()); }
  absl::Status IncompleteSizeTo(KernelCall& c) { return SetSize(c, incomplete_.size()); }
  absl::Status Clear() {
    complete_.clear();
    incomplete_.clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

 private:
  // A tensor without a value is one that is not there yet, or any more.
  using Tuples = std::map<int64_t, Tuple>;

  absl::Status GetFrom(KernelCall& c, Tuples::iterator at, const Dims& indices, bool take, int first_output) {
    Tuple& tuple = at->second;
    std::vector<const Tensor*> tensors;
    for (const int64_t i : indices) {
      if (i < 0 || i >= static_cast<int64_t>(tuple.size()) || !tuple[i].has_value()) {
        return absl::InvalidArgumentError(
            absl::StrCat("indices of key ", at->first, ": expected those of tensors that are there, got ", i));
      }
      tensors.push_back(&tuple[i]);
    }
    RETURN_IF_ERROR(CheckOutputs(c, tensors));
    for (size_t k = 0; k < tensors.size(); ++k) c.SetOutput(first_output + static_cast<int>(k), *tensors[k]);
    if (!take) return absl::OkStatus();
    for (const int64_t i : indices) {
      bytes_ -= tuple[i].size_bytes();
      tuple[i] = Tensor();
    }
    for (const Tensor& t : tuple) {
      if (t.has_value()) return absl::OkStatus();
    }
    complete_.erase(at);
    return absl::OkStatus();
  }

  Tuples complete_, incomplete_;
};

// Input i, a vector of indices that increase.
absl::StatusOr<Dims> ReadIndices(const KernelCall& c, int i) {
  ASSIGN_OR_RETURN(Dims indices, ReadIntVector(c.input(i), "indices"));
  if (indices.empty()) return absl::InvalidArgumentError("indices: expected some, got none");
  for (size_t k = 0; k < indices.size(); ++k) {
    if (indices[k] > (k == 0 ? -1 : indices[k - 1])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("indices: expected increasing values >= 0, got ", indices[k], " at ", k));
  }
  return indices;
}

absl::Status StageInMap(KernelCall& c, const Done& done) {
  const std::vector<DType>& dtypes = c.state<StateOfNode>().dtypes;
  ASSIGN_OR_RETURN(const RefPtr<StageMap> area, AreaOf<StageMap>(c));
  ASSIGN_OR_RETURN(const int64_t key, ReadIntScalar(c.input(0), "key"));
  ASSIGN_OR_RETURN(Dims indices, ReadIndices(c, 1));
  ASSIGN_OR_RETURN(Tuple values, ValuesFrom(c, 2));
  if (indices.size() != values.size()) {
    return absl::InvalidArgumentError(absl::StrCat("indices: expected ", values.size(), ", got ", indices.size()));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (indices[i] >= static_cast<int64_t>(dtypes.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("indices: expected values in [0,", dtypes.size(), "), got ", indices[i]));
    }
    const DType want = dtypes[indices[i]];
    if (values[i].dtype() == want) continue;
    return absl::InvalidArgumentError(absl::StrCat("value for index ", indices[i], ": expected ",
                                                   std::string(DTypeName(want)), ", got ",
                                                   std::string(DTypeName(values[i].dtype()))));
  }
  const int64_t bytes = BytesOf(values);
  RETURN_IF_ERROR(area->CheckFits(bytes));
  area->Run(
      *c.step().services().cancellation,
      [area = area.get(), key, indices = std::move(indices), values = std::move(values), bytes,
       size = dtypes.size()]() mutable { return area->Put(key, indices, values, bytes, size); },
      done);
  return absl::OkStatus();
}

template <bool kTake>
absl::Status UnstageFromMap(KernelCall& c, const Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<StageMap> area, AreaOf<StageMap>(c));
  ASSIGN_OR_RETURN(const int64_t key, ReadIntScalar(c.input(0), "key"));
  ASSIGN_OR_RETURN(Dims indices, ReadIndices(c, 1));
  area->Run(
      *c.step().services().cancellation,
      [area = area.get(), &c, key, indices = std::move(indices)] { return area->Get(c, key, indices, kTake); }, done);
  return absl::OkStatus();
}

absl::Status UnstageFirstFromMap(KernelCall& c, const Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<StageMap> area, AreaOf<StageMap>(c));
  ASSIGN_OR_RETURN(Dims indices, ReadIndices(c, 0));
  area->Run(
      *c.step().services().cancellation,
      [area = area.get(), &c, indices = std::move(indices)] { return area->TakeFirst(c, indices); }, done);
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterStageOps(OpLibrary& library) {
  const auto add = [&](const std::string& name, std::string_view doc, KernelFactory kernel, bool waits = false,
                       ShapeFunction shape = shapes::Unknown) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .may_wait = waits,
                        .gradient = gradients::None});
  };
  RETURN_IF_ERROR(add("Stage", "Puts tensors down", WaitingKernel<Stage>, true, shapes::NoOutputs));
  RETURN_IF_ERROR(add("Unstage", "Takes the tensors that were put down first", WaitingKernel<Unstage<true>>, true));
  RETURN_IF_ERROR(add("StagePeek", "The tensors at an index", WaitingKernel<Unstage<false>>, true));
  RETURN_IF_ERROR(add("StageSize", "How many tuples there are", NowKernel<SizeOf<StageQueue, &StageQueue::SizeTo>>,
                      false, shapes::Scalar));
  RETURN_IF_ERROR(add("StageClear", "Drops all tuples", NowKernel<ClearAll<StageQueue>>, false, shapes::NoOutputs));
  for (const std::string map : {"Map", "OrderedMap"}) {
    RETURN_IF_ERROR(
        add(map + "Stage", "Puts tensors of a key down", WaitingKernel<StageInMap>, true, shapes::NoOutputs));
    RETURN_IF_ERROR(add(map + "Peek", "Tensors of a key", WaitingKernel<UnstageFromMap<false>>, true));
    RETURN_IF_ERROR(add(map + "Unstage", "Takes tensors of a key", WaitingKernel<UnstageFromMap<true>>, true));
    RETURN_IF_ERROR(
        add(map + "UnstageNoKey", "Takes tensors of the lowest key", WaitingKernel<UnstageFirstFromMap>, true));
    RETURN_IF_ERROR(add(map + "Size", "How many complete tuples there are",
                        NowKernel<SizeOf<StageMap, &StageMap::SizeTo>>, false, shapes::Scalar));
    RETURN_IF_ERROR(add(map + "IncompleteSize", "How many tuples miss tensors",
                        NowKernel<SizeOf<StageMap, &StageMap::IncompleteSizeTo>>, false, shapes::Scalar));
    RETURN_IF_ERROR(add(map + "Clear", "Drops all tuples", NowKernel<ClearAll<StageMap>>, false, shapes::NoOutputs));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
