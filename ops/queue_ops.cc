// Queues (semantics.md, 9B), at which steps wait without holding a thread.
//   FIFOQueue, PaddingFIFOQueue, PriorityQueue, RandomShuffleQueue(V2): the handle of a queue of elements that have a tensor
//     for each of component_types. The first component of a priority queue, not among component_types, is an int64 scalar;
//     the least leaves first, the oldest of several. A random shuffle queue keeps min_after_dequeue back until it is closed.
//   QueueEnqueue(components): waits for room.   QueueEnqueueMany: an element from each row; waits for room for each.
//   QueueDequeue: waits for an element.   QueueDequeueMany(n): waits for n and joins them; a padding queue fills them up
//     with zeros to the longest.   QueueDequeueUpTo: the same, or what is left of a closed queue.
//   QueueClose: nothing more is put in, after those who already wait for it (or they are Cancelled). What takes goes on
//     until the queue is empty, then it is OutOfRange.   QueueSize, QueueIsClosed
// Who waits is served in the order of arrival (runtime/resource/queue.h). Every dtype; timeout_ms must be -1.
#include "ops/queue_ops.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/async_kernel.h"
#include "ops/kernels/entropy.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/philox.h"
#include "ops/kernels/queue_elements.h"
#include "ops/kernels/session_handles.h"

namespace flowlatch {
namespace {

// ---- Handles

class QueueState final : public SessionHandleState<Queue> {
 public:
  QueueSpec spec;
};

// The words that choose elements at random, as in TensorFlow. Without seeds nobody has had them before.
std::function<uint32_t()> RandomWords(const QueueSpec& spec) {
  const bool is_seeded = spec.seed != 0 || spec.seed2 != 0;
  const std::pair<uint64_t, uint64_t> seeds = is_seeded ? std::pair<uint64_t, uint64_t>(spec.seed, spec.seed2) : FreshSeeds();
  return [philox = Philox(seeds.first, seeds.second), words = Philox::Words(), used = size_t{4}]() mutable {
    if (used == words.size()) {
      words = philox.Next();
      used = 0;
    }
    return words[used++];
  };
}

absl::Status OpenQueue(KernelCall& c) {
  const QueueState& state = c.state<QueueState>();
  const auto make = [&]() -> absl::StatusOr<RefPtr<Queue>> {
    return Queue::Make(state.spec, state.name(), RandomWords(state.spec));
  };
  ASSIGN_OR_RETURN(c.output(0), state.Handle(c.step().resources(), make,
                                             [&](const Queue& queue) { return queue.CheckSpec(state.spec); }));
  return absl::OkStatus();
}

template <QueueSpec::Kind kKind>
absl::StatusOr<Kernel> QueueKernel(const NodeInfo& node) {
  auto state = std::make_shared<QueueState>();
  RETURN_IF_ERROR(state->Read(node));
  QueueSpec& spec = state->spec;
  spec.kind = kKind;
  ASSIGN_OR_RETURN(spec.dtypes, node.AttrAs<std::vector<DType>>("component_types"));
  ASSIGN_OR_RETURN(spec.shapes, node.AttrAs<std::vector<PartialShape>>("shapes"));
  ASSIGN_OR_RETURN(spec.capacity, node.Int("capacity"));
  if (kKind == QueueSpec::Kind::kPriority) {
    if (spec.shapes.size() == spec.dtypes.size()) spec.shapes.insert(spec.shapes.begin(), PartialShape(Shape()));
    spec.dtypes.insert(spec.dtypes.begin(), DType::kInt64);
  }
  if (kKind == QueueSpec::Kind::kRandomShuffle) {
    ASSIGN_OR_RETURN(spec.min_after_dequeue, node.Int("min_after_dequeue"));
    ASSIGN_OR_RETURN(spec.seed, node.Int("seed"));
    ASSIGN_OR_RETURN(spec.seed2, node.Int("seed2"));
  }
  RETURN_IF_ERROR(Queue::Validate(spec));
  return Kernel{.fn = &RunKernel<OpenQueue>, .state = std::move(state)};
}

// ---- Elements in and out

class AccessState final : public KernelState {
 public:
  std::vector<DType> dtypes;  // of the components
};

// The state of an op that takes or gives components.
absl::StatusOr<std::shared_ptr<AccessState>> MakeAccessState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t timeout_ms, node.Int("timeout_ms"));
  if (timeout_ms != -1) {
    return absl::InvalidArgumentError(absl::StrCat("timeout_ms: expected -1 (steps have timeouts, ops have none), got ", timeout_ms));
  }
  auto state = std::make_shared<AccessState>();
  const bool puts_in = node.num_outputs() == 0;
  for (int i = 1; puts_in && i < node.num_inputs(); ++i) state->dtypes.push_back(node.input_dtype(i));
  for (int i = 0; i < node.num_outputs(); ++i) state->dtypes.push_back(node.output_dtype(i));
  return state;
}

template <absl::Status (*kStart)(KernelCall&, Done&)>
absl::StatusOr<Kernel> AccessKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::shared_ptr<AccessState> state, MakeAccessState(node));
  return Kernel{.async_fn = &RunAsyncKernel<kStart>, .state = std::move(state)};
}

absl::StatusOr<RefPtr<Queue>> QueueInput(const KernelCall& c) {
  ASSIGN_OR_RETURN(RefPtr<Queue> queue, FindResource<Queue>(c, 0));
  RETURN_IF_ERROR(queue->CheckDTypes(c.state<AccessState>().dtypes));
  return queue;
}

CancellationManager& Cancellation(const KernelCall& c) { return *c.step().services().cancellation; }

absl::Status Enqueue(KernelCall& c, Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<Queue> queue, QueueInput(c));
  ASSIGN_OR_RETURN(QueueElement element, TakeComponents(c, 1));
  RETURN_IF_ERROR(queue->CheckElement(element));
  queue->Enqueue(std::move(element), Cancellation(c), std::move(done));
  return absl::OkStatus();
}

absl::Status EnqueueMany(KernelCall& c, Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<Queue> queue, QueueInput(c));
  ASSIGN_OR_RETURN(QueueElement rows, TakeComponents(c, 1));
  ASSIGN_OR_RETURN(const int64_t n, queue->CheckElements(rows));
  queue->EnqueueMany(n, [rows = std::move(rows)](int64_t i) { return ElementOfRows(rows, i); }, Cancellation(c),
                     std::move(done));
  return absl::OkStatus();
}

absl::Status Dequeue(KernelCall& c, Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<Queue> queue, QueueInput(c));
  queue->Dequeue(Outputs(c), Cancellation(c), std::move(done));
  return absl::OkStatus();
}

template <bool kMayBeShort>
absl::Status DequeueBatch(KernelCall& c, Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<Queue> queue, QueueInput(c));
  ASSIGN_OR_RETURN(const int64_t n, ReadIntScalar(c.input(1), "n"));
  if (n < 0) return absl::InvalidArgumentError(absl::StrCat("n: expected a number >= 0, got ", n));
  RETURN_IF_ERROR(queue->CheckBatches());
  queue->DequeueMany(n, kMayBeShort, Cancellation(c),
                     [&c, queue, done = std::move(done)](absl::StatusOr<std::vector<QueueElement>> elements) {
                       done(elements.ok() ? OutputBatch(c, queue->spec(), *elements) : elements.status());
                     });
  return absl::OkStatus();
}

// ---- Close, size

class CloseState final : public KernelState {
 public:
  explicit CloseState(bool cancel) : cancel_pending_enqueues(cancel) {}
  const bool cancel_pending_enqueues;
};

absl::Status Close(KernelCall& c, Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<Queue> queue, FindResource<Queue>(c, 0));
  queue->Close(c.state<CloseState>().cancel_pending_enqueues, Cancellation(c), std::move(done));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> CloseKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool cancel, node.Bool("cancel_pending_enqueues"));
  return Kernel{.async_fn = &RunAsyncKernel<Close>, .state = std::make_shared<CloseState>(cancel)};
}

absl::Status Size(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Queue> queue, FindResource<Queue>(c, 0));
  c.output(0).SetScalar(static_cast<int32_t>(std::min<int64_t>(queue->size(), std::numeric_limits<int32_t>::max())));
  return absl::OkStatus();
}

absl::Status IsClosed(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Queue> queue, FindResource<Queue>(c, 0));
  c.output(0).SetScalar(queue->is_closed());
  return absl::OkStatus();
}

// ---- Shapes. A handle that is a resource knows the shape of a queue's only component.

template <bool kMayHaveOne>
absl::Status HandleShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const std::vector<PortType> outputs, c.schema().OutputTypes(c.attrs()));
  if (outputs[0].dtype != DType::kResource) {
    c.SetOutput(0, Shape::Of({2}));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const auto dtypes, c.AttrAs<std::vector<DType>>("component_types"));
  ASSIGN_OR_RETURN(const auto shapes, c.AttrAs<std::vector<PartialShape>>("shapes"));
  if (kMayHaveOne && dtypes.size() == 1 && shapes.size() == 1) c.SetOutputHandle(0, {dtypes[0], shapes[0]});
  return shapes::Scalar(c);
}

// The elements of a handle with one component, of which there is one output; unknown otherwise.
PartialShape ElementShape(const ShapeContext& c) {
  const HandleData* held = c.input_handle(0);
  return held != nullptr && c.num_outputs() == 1 ? held->shape : PartialShape();
}

absl::Status DequeueShape(ShapeContext& c) {
  if (c.num_outputs() == 1) c.SetOutput(0, ElementShape(c));
  return absl::OkStatus();
}

template <bool kMayBeShort>
absl::Status DequeueBatchShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  ASSIGN_OR_RETURN(const std::optional<int64_t> n, c.ConstantInt(1));
  if (n.has_value() && *n < 0) return absl::InvalidArgumentError(absl::StrCat("n: expected a number >= 0, got ", *n));
  const PartialShape element = ElementShape(c);
  if (!element.has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(PartialShape batch, PartialShape::Of({kMayBeShort ? -1 : n.value_or(-1)}).Concatenate(element));
  c.SetOutput(0, std::move(batch));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterQueueOps(OpLibrary& library) {
  using Kind = QueueSpec::Kind;
  const auto add = [&](const std::string& name, std::string_view doc, ShapeFunction shape, const KernelFactory& kernel,
                       bool may_wait) -> absl::Status {
    for (const char* generation : {"", "V2"}) {
      RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(name + generation),
                                   .doc = doc,
                                   .shape = shape,
                                   .kernel = kernel,
                                   .may_wait = may_wait,
                                   .gradient = gradients::None}));
    }
    return absl::OkStatus();
  };
  const auto add_queue = [&](const char* name, std::string_view doc, ShapeFunction shape, const KernelFactory& kernel) {
    return add(name, doc, shape, kernel, /*may_wait=*/false);
  };
  const auto add_access = [&](const char* name, std::string_view doc, ShapeFunction shape, const KernelFactory& kernel) {
    return add(name, doc, shape, kernel, /*may_wait=*/true);
  };
  RETURN_IF_ERROR(add_queue("FIFOQueue", "A queue, first in, first out", HandleShape<true>, QueueKernel<Kind::kFifo>));
  RETURN_IF_ERROR(add_queue("PaddingFIFOQueue", "A FIFO queue whose batches are filled up with zeros", HandleShape<true>,
                            QueueKernel<Kind::kPaddingFifo>));
  RETURN_IF_ERROR(add_queue("PriorityQueue", "A queue whose elements leave in the order of their first component",
                            HandleShape<false>, QueueKernel<Kind::kPriority>));
  RETURN_IF_ERROR(add_queue("RandomShuffleQueue", "A queue whose elements leave in random order", HandleShape<true>,
                            QueueKernel<Kind::kRandomShuffle>));
  RETURN_IF_ERROR(add_queue("QueueSize", "The number of elements in a queue", shapes::Scalar, PlainKernel<Size>));
  RETURN_IF_ERROR(add_queue("QueueIsClosed", "Whether a queue was closed", shapes::Scalar, PlainKernel<IsClosed>));
  RETURN_IF_ERROR(
      add_access("QueueEnqueue", "Puts in an element once there is room", shapes::NoOutputs, AccessKernel<Enqueue>));
  RETURN_IF_ERROR(add_access("QueueEnqueueMany", "Puts in the rows of the components, each once there is room",
                             shapes::NoOutputs, AccessKernel<EnqueueMany>));
  RETURN_IF_ERROR(add_access("QueueDequeue", "Takes an element once there is one", DequeueShape, AccessKernel<Dequeue>));
  RETURN_IF_ERROR(add_access("QueueDequeueMany", "Takes n elements once there are as many, joined along a new dimension",
                             DequeueBatchShape<false>, AccessKernel<DequeueBatch<false>>));
  RETURN_IF_ERROR(add_access("QueueDequeueUpTo", "Takes n elements, or those that are left in a closed queue",
                             DequeueBatchShape<true>, AccessKernel<DequeueBatch<true>>));
  return add_access("QueueClose", "Lets nothing more into a queue", shapes::NoOutputs, CloseKernel);
}

}  // namespace flowlatch
