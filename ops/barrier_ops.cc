// Barriers: elements that wait until all their components are there.
//   Barrier: the handle of a barrier whose elements have a key and a tensor for each of component_types.
//   BarrierInsertMany(keys [n], values [n, ..]): sets component component_index of the elements of these keys. An element
//     with all components is complete, and its key is new again. Keys are dealt with in order; those before a bad one are in.
//   BarrierTakeMany(num_elements): waits, without holding a thread, for as many complete elements, those first whose keys
//     came first. indices: -2^63 and upwards, the same for all keys that came new in one insert. With allow_small_batch a
//     closed barrier gives what it has.
//   BarrierClose: no new keys; elements can still be completed, and taken until none is left (then OutOfRange). With
//     cancel_pending_enqueues, those that are not complete are dropped.   BarrierReadySize, BarrierIncompleteSize
// Every dtype. A shape that is not given is that of a scalar; timeout_ms must be -1, and so must capacity.
#include "ops/barrier_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/async_kernel.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/items.h"
#include "ops/kernels/queue_elements.h"
#include "ops/kernels/session_handles.h"

namespace flowlatch {
namespace {

// Thread-safe. Complete elements stand in a priority queue, as index, key and components.
class Barrier final : public Resource {
 public:
  static constexpr char kTypeName[] = "Barrier";
  static absl::StatusOr<RefPtr<Barrier>> Make(const QueueSpec& ready, const std::string& name) {
    ASSIGN_OR_RETURN(RefPtr<Queue> queue, Queue::Make(ready, name));
    return RefPtr<Barrier>::Adopt(new Barrier(std::move(queue)));
  }
  std::string TypeName() const override { return kTypeName; }
  const Queue& ready() const { return *ready_; }

  // `values` are the rows for `keys`. Errors: InvalidArgument for what does not fit the component, or a key that has it;
  // Cancelled for new keys of a closed barrier.
  absl::Status Insert(absl::Span<const String> keys, int64_t component, const Tensor& values);
  void Take(int64_t n, bool may_be_short, CancellationManager& cancellation, Queue::DoneMany done);
  // Errors: Cancelled when it was closed before, at least as firmly.
  absl::Status Close(bool drop_incomplete);
  int64_t incomplete_size() const {
    std::lock_guard<std::mutex> lock(mu_);
    return static_cast<int64_t>(incomplete_.size());
  }

 private:
  static constexpr int kFirstComponent = 2;  // of an element of the queue

  explicit Barrier(RefPtr<Queue> ready) : ready_(std::move(ready)) {}
  absl::Status Fail(absl::StatusCode code, absl::string_view text) const {
    return absl::Status(code, absl::StrCat("barrier '", ready_->name(), "': ", text));
  }
  absl::Status CheckValues(absl::Span<const String> keys, int64_t component, const Tensor& values) const;
  // Both require mu_.
  absl::Status InsertOne(const String& key, int64_t component, Tensor value, bool* is_new);
  void CloseWhenDone();

  const RefPtr<Queue> ready_;
  CancellationManager never_;  // what this puts into the queue is never cancelled
  mutable std::mutex mu_;
  absl::flat_hash_map<std::string, QueueElement> incomplete_;  // guarded by mu_, as what follows
  int64_t next_index_ = std::numeric_limits<int64_t>::min();
  bool closed_ = false, dropped_ = false;
};

absl::Status Barrier::CheckValues(absl::Span<const String> keys, int64_t component, const Tensor& values) const {
  const auto invalid = [&](absl::string_view text) { return Fail(absl::StatusCode::kInvalidArgument, text); };
  const QueueSpec& spec = ready_->spec();
  const int64_t num_components = static_cast<int64_t>(spec.dtypes.size()) - kFirstComponent;
  if (component < 0 || component >= num_components) {
    return invalid(absl::StrCat("component_index: expected a value in [0,", num_components, "), got ", component));
  }
  const DType dtype = spec.dtypes[kFirstComponent + component];
  if (values.dtype() != dtype) {
    return invalid(absl::StrCat("component ", component, ": expected ", std::string(DTypeName(dtype)), ", got ",
                                std::string(DTypeName(values.dtype()))));
  }
  const PartialShape& shape = spec.shapes[kFirstComponent + component];
  if (values.rank() == 0 || values.dim(0) != static_cast<int64_t>(keys.size()) ||
      values.dims().subspan(1) != shape.dims()) {
    return invalid(absl::StrCat("component ", component, ": expected ", keys.size(), " values of shape ",
                                shape.ToString(), ", got shape ", values.ShapeString()));
  }
  if (!keys.empty() && values.num_elements() == 0) {
    return invalid(absl::StrCat("component ", component, ": expected values with elements, got shape ", values.ShapeString()));
  }
  return absl::OkStatus();
}

absl::Status Barrier::Insert(absl::Span<const String> keys, int64_t component, const Tensor& values) {
  RETURN_IF_ERROR(CheckValues(keys, component, values));
  std::lock_guard<std::mutex> lock(mu_);
  if (dropped_) return Fail(absl::StatusCode::kCancelled, "expected an open one, got one that was closed");
  bool is_new = false;
  absl::Status status;
  for (size_t i = 0; i < keys.size() && status.ok(); ++i) {
    status = InsertOne(keys[i], component, RowAsItem(values, static_cast<int64_t>(i)), &is_new);
  }
  if (is_new) ++next_index_;
  CloseWhenDone();
  return status;
}

absl::Status Barrier::InsertOne(const String& key, int64_t component, Tensor value, bool* is_new) {
  auto at = incomplete_.find(std::string(key.view()));
  if (at == incomplete_.end()) {
    if (closed_) {
      return Fail(absl::StatusCode::kCancelled,
                  absl::StrCat("expected keys that it knows, as it was closed, got '", absl::CHexEscape(std::string(key.view())), "'"));
    }
    QueueElement element(ready_->spec().dtypes.size());
    element[0] = Tensor::Scalar(next_index_);
    element[1] = Tensor::Scalar(key);
    at = incomplete_.emplace(std::string(key.view()), std::move(element)).first;
    *is_new = true;
  }
  QueueElement& element = at->second;
  Tensor& place = element[kFirstComponent + component];
  if (place.has_value()) {
    return Fail(absl::StatusCode::kInvalidArgument,
                absl::StrCat("component ", component, ": expected keys without it, got '", absl::CHexEscape(std::string(key.view())), "' again"));
  }
  place = std::move(value);
  if (!std::all_of(element.begin(), element.end(), [](const Tensor& t) { return t.has_value(); })) return absl::OkStatus();
  ready_->Enqueue(std::move(element), never_, [](const absl::Status&) {});  // there is always room
  incomplete_.erase(at);
  return absl::OkStatus();
}

void Barrier::Take(int64_t n, bool may_be_short, CancellationManager& cancellation, Queue::DoneMany done) {
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (closed_) {
      const int64_t ready = ready_->size();
      const int64_t total = may_be_short ? ready : ready + static_cast<int64_t>(incomplete_.size());
      const int64_t wanted = may_be_short ? std::min(n, ready) : n;
      if (total < std::max<int64_t>(wanted, 1)) {
        absl::Status status = Fail(absl::StatusCode::kOutOfRange,
                                   absl::StrCat("expected ", n, " elements, got ", total, ", and it is closed"));
        return done(std::move(status));
      }
      n = wanted;
    }
  }
  ready_->DequeueMany(n, may_be_short, cancellation, std::move(done));
}

absl::Status Barrier::Close(bool drop_incomplete) {
  std::lock_guard<std::mutex> lock(mu_);
  if (closed_ && (dropped_ || !drop_incomplete)) {
    return Fail(absl::StatusCode::kCancelled, "expected an open one, got one that was closed");
  }
  closed_ = true;
  dropped_ = drop_incomplete;
  if (drop_incomplete) incomplete_.clear();
  CloseWhenDone();
  return absl::OkStatus();
}

void Barrier::CloseWhenDone() {
  if (closed_ && incomplete_.empty()) ready_->Close(true, never_, [](const absl::Status&) {});
}

// ---- Kernels

class BarrierState final : public SessionHandleState<Barrier> {
 public:
  QueueSpec ready;
};

absl::Status OpenBarrier(KernelCall& c) {
  const BarrierState& state = c.state<BarrierState>();
  ASSIGN_OR_RETURN(Tensor handle,
                   state.Handle(
                       c.step().resources(), [&] { return Barrier::Make(state.ready, state.name()); },
                       [&](const Barrier& barrier) { return barrier.ready().CheckSpec(state.ready); }));
  c.SetOutput(0, std::move(handle));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> BarrierKernel(const NodeInfo& node) {
  auto state = std::make_shared<BarrierState>();
  RETURN_IF_ERROR(state->Read(node));
  ASSIGN_OR_RETURN(const auto dtypes, node.AttrAs<std::vector<DType>>("component_types"));
  ASSIGN_OR_RETURN(auto shapes, node.AttrAs<std::vector<PartialShape>>("shapes"));
  ASSIGN_OR_RETURN(const int64_t capacity, node.Int("capacity"));
  if (capacity != -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("capacity: expected -1 (a queue before the barrier may have one), got ", capacity));
  }
  if (shapes.empty()) shapes.resize(dtypes.size());
  for (PartialShape& shape : shapes) {
    if (!shape.has_rank()) shape = Shape();
  }
  QueueSpec& ready = state->ready;
  ready.kind = QueueSpec::Kind::kPriority;
  ready.dtypes = {DType::kInt64, DType::kString};
  ready.dtypes.insert(ready.dtypes.end(), dtypes.begin(), dtypes.end());
  ready.shapes = {Shape(), Shape()};
  ready.shapes.insert(ready.shapes.end(), shapes.begin(), shapes.end());
  RETURN_IF_ERROR(Queue::Validate(ready));
  return Kernel{.fn = &RunKernel<OpenBarrier>, .state = std::move(state)};
}

class InsertState final : public KernelState {
 public:
  explicit InsertState(int64_t index) : component_index(index) {}
  const int64_t component_index;
};

absl::Status InsertMany(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Barrier> barrier, FindResource<Barrier>(c, 0));
  const Tensor& keys = c.input(1);
  if (!keys.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("keys: expected a vector, got shape ", keys.ShapeString()));
  }
  ASSIGN_OR_RETURN(const QueueElement values, TakeComponents(c, 2));
  return barrier->Insert(keys.values<String>(), c.state<InsertState>().component_index, values[0]);
}

absl::StatusOr<Kernel> InsertKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t index, node.Int("component_index"));
  return Kernel{.fn = &RunKernel<InsertMany>, .state = std::make_shared<InsertState>(index)};
}

class TakeState final : public KernelState {
 public:
  std::vector<DType> dtypes;  // of all outputs
  bool may_be_short = false;
};

absl::Status TakeMany(KernelCall& c, Done& done) {
  const TakeState& state = c.state<TakeState>();
  ASSIGN_OR_RETURN(const RefPtr<Barrier> barrier, FindResource<Barrier>(c, 0));
  RETURN_IF_ERROR(barrier->ready().CheckDTypes(state.dtypes));
  ASSIGN_OR_RETURN(const int64_t n, ReadIntScalar(c.input(1), "num_elements"));
  if (n < 0) return absl::InvalidArgumentError(absl::StrCat("num_elements: expected a number >= 0, got ", n));
  barrier->Take(n, state.may_be_short, *c.step().services().cancellation,
                [&c, barrier, done = std::move(done)](const absl::StatusOr<std::vector<QueueElement>>& elements) {
                  done(elements.ok() ? OutputBatch(c, barrier->ready().spec(), *elements) : elements.status());
                });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> TakeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t timeout_ms, node.Int("timeout_ms"));
  if (timeout_ms != -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("timeout_ms: expected -1 (steps have timeouts, ops have none), got ", timeout_ms));
  }
  auto state = std::make_shared<TakeState>();
  ASSIGN_OR_RETURN(state->may_be_short, node.Bool("allow_small_batch"));
  for (int i = 0; i < node.num_outputs(); ++i) state->dtypes.push_back(node.output_dtype(i));
  return Kernel{.async_fn = &RunAsyncKernel<TakeMany>, .state = std::move(state)};
}

class CloseState final : public KernelState {
 public:
  explicit CloseState(bool cancel) : cancel_pending_enqueues(cancel) {}
  const bool cancel_pending_enqueues;
};

absl::Status CloseBarrier(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Barrier> barrier, FindResource<Barrier>(c, 0));
  return barrier->Close(c.state<CloseState>().cancel_pending_enqueues);
}

absl::StatusOr<Kernel> CloseKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool cancel, node.Bool("cancel_pending_enqueues"));
  return Kernel{.fn = &RunKernel<CloseBarrier>, .state = std::make_shared<CloseState>(cancel)};
}

template <bool kReady>
absl::Status Size(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Barrier> barrier, FindResource<Barrier>(c, 0));
  const int64_t size = kReady ? barrier->ready().size() : barrier->incomplete_size();
  c.output(0).SetScalar(static_cast<int32_t>(std::min<int64_t>(size, std::numeric_limits<int32_t>::max())));
  return absl::OkStatus();
}

// ---- Shapes

absl::Status HandleShape(ShapeContext& c) {
  c.SetOutput(0, Shape::Of({2}));
  return absl::OkStatus();
}

absl::Status InsertShape(ShapeContext& c) { return c.ExpectVector(1); }

absl::Status TakeShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  c.SetOutput(0, PartialShape::Of({-1}));
  c.SetOutput(1, PartialShape::Of({-1}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterBarrierOps(OpLibrary& library) {
  const auto add = [&](const char* name, std::string_view doc, ShapeFunction shape, const KernelFactory& kernel,
                       bool may_wait = false) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = kernel,
                        .may_wait = may_wait,
                        .gradient = gradients::None});
  };
  RETURN_IF_ERROR(add("Barrier", "Elements with keys that wait until all their components are there", HandleShape, BarrierKernel));
  RETURN_IF_ERROR(add("BarrierInsertMany", "Sets one component of the elements with these keys", InsertShape, InsertKernel));
  RETURN_IF_ERROR(add("BarrierTakeMany", "Takes complete elements once there are enough", TakeShape, TakeKernel,
                      /*may_wait=*/true));
  RETURN_IF_ERROR(add("BarrierReadySize", "The number of complete elements", shapes::Scalar, PlainKernel<Size<true>>));
  RETURN_IF_ERROR(
      add("BarrierIncompleteSize", "The number of elements that lack components", shapes::Scalar, PlainKernel<Size<false>>));
  return add("BarrierClose", "Lets no new keys into a barrier", shapes::NoOutputs, CloseKernel);
}

}  // namespace flowlatch
