// The kernel contract: what a kernel is, and what it sees of the node that it computes.
#ifndef FLOWLATCH_RUNTIME_KERNEL_KERNEL_H_
#define FLOWLATCH_RUNTIME_KERNEL_KERNEL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/schema/attr.h"
#include "graph/schema/op_schema.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

class ResourceManager;  // runtime/resource/resource_manager.h
class CalleeResolver;   // runtime/kernel/callee.h
class StepContext;      // runtime/kernel/step_context.h
class KernelCall;

// What the executor does next. The status of a failure is kept by the step.
enum class [[nodiscard]] KernelStatus : int { kOk = 0, kError = 1 };

using KernelFn = KernelStatus (*)(KernelCall&);
// Called once, from any thread, when an asynchronous kernel has set its outputs or failed.
using Done = std::function<void(absl::Status)>;
// Starts the work and returns; must not block. The call (inputs and outputs included) stays valid until `done` is called.
using AsyncKernelFn = void (*)(KernelCall&, Done done);

// Decoded attributes and tables of one node, made once at plan time and shared by all its runs: immutable, or safe to use
// from several threads.
class KernelState {
 public:
  virtual ~KernelState() = default;
};

// A run of elements for an elementwise kernel: z[i] = op(x[i * x_step], y[i * y_step]). Steps are 1, or 0 for an operand of one
// element that is repeated. z may be x or y where their step is 1 and the elements have one size.
struct Tile {
  const void* x = nullptr;
  const void* y = nullptr;  // null: the op has one operand
  void* z = nullptr;
  int64_t n = 0;
  int64_t x_step = 1, y_step = 1;
};
using TileFn = void (*)(const KernelState* state, const Tile& tile);

// A chosen kernel of one node.
struct Kernel {
  KernelFn fn = nullptr;
  AsyncKernelFn async_fn = nullptr;  // exactly one of the two is set
  std::shared_ptr<const KernelState> state;
  // Set by elementwise kernels of one or two operands (of equal shape, or one of them a single element) that cannot fail: the
  // same computation on a piece of the data. Plans run several such nodes piece by piece, while the piece is in the cache.
  TileFn tile = nullptr;
};

// A node as seen when its kernel is chosen.
class NodeInfo {
 public:
  NodeInfo(std::string_view name, const OpSchema& schema, const AttrMap& attrs, absl::Span<const PortType> inputs,
           absl::Span<const PortType> outputs, CalleeResolver* functions = nullptr)
      : name_(name), schema_(schema), attrs_(attrs), inputs_(inputs), outputs_(outputs), functions_(functions) {}
  std::string_view name() const { return name_; }
  const OpSchema& schema() const { return schema_; }
  const AttrMap& attrs() const { return attrs_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  DType input_dtype(int i) const { return inputs_[i].dtype; }
  DType output_dtype(int i) const { return outputs_[i].dtype; }
  // Finds the functions that the node calls; null where there is no library.
  CalleeResolver* functions() const { return functions_; }

  // The attr or its default as T. Errors: InvalidArgument when absent or of another kind.
  template <typename T>
  absl::StatusOr<T> AttrAs(std::string_view attr_name) const {
    const Attr* attr = schema_.AttrOrDefault(attrs_, attr_name);
    const T* value = attr != nullptr ? attr->Get<T>() : nullptr;
    if (value == nullptr) return MissingAttr(attr_name);
    return *value;
  }
  absl::StatusOr<int64_t> Int(std::string_view n) const { return AttrAs<int64_t>(n); }
  absl::StatusOr<float> Float(std::string_view n) const { return AttrAs<float>(n); }
  absl::StatusOr<bool> Bool(std::string_view n) const { return AttrAs<bool>(n); }
  absl::StatusOr<std::string> Str(std::string_view n) const { return AttrAs<std::string>(n); }
  absl::StatusOr<DType> Type(std::string_view n) const { return AttrAs<DType>(n); }
  absl::StatusOr<std::vector<int64_t>> Ints(std::string_view n) const { return AttrAs<std::vector<int64_t>>(n); }

 private:
  absl::Status MissingAttr(std::string_view name) const;

  std::string_view name_;
  const OpSchema& schema_;
  const AttrMap& attrs_;
  absl::Span<const PortType> inputs_, outputs_;
  CalleeResolver* functions_;
};

// Chooses the kernel of a node. Errors: Unimplemented for a dtype without a kernel, InvalidArgument for bad attributes.
using KernelFactory = std::function<absl::StatusOr<Kernel>(const NodeInfo&)>;

// A view of one execution of a node: where its inputs and outputs are, and the step it belongs to. Lives on the stack of
// the executor; asynchronous calls are kept alive by it.
class KernelCall {
 public:
  KernelCall(StepContext* step, Tensor* slots, const uint32_t* input_slots, Tensor* outputs, const KernelState* state,
             uint32_t num_inputs, uint32_t num_outputs, uint64_t forwardable, uint32_t node)
      : slots_(slots), input_slots_(input_slots), outputs_(outputs), state_(state), step_(step),
        forwardable_(forwardable), num_inputs_(num_inputs), num_outputs_(num_outputs), node_(node) {}

  int num_inputs() const { return static_cast<int>(num_inputs_); }
  int num_outputs() const { return static_cast<int>(num_outputs_); }
  const Tensor& input(int i) const { return slots_[input_slots_[i]]; }
  // Takes input i out of its slot, or copies it when somebody else needs it.
  Tensor TakeInput(int i) {
    Tensor& slot = slots_[input_slots_[i]];
    return i < 64 && ((forwardable_ >> i) & 1) != 0 ? std::move(slot) : slot;
  }
  // The slot of output i; assign to it, or use SetScalar. Every output must be set.
  Tensor& output(int i) { return outputs_[i]; }
  void SetOutput(int i, Tensor value) { outputs_[i] = std::move(value); }

  // Makes output i an uninitialised tensor. Errors as Tensor::Make.
  absl::StatusOr<Tensor*> AllocateOutput(int i, DType dtype, absl::Span<const int64_t> dims);
  absl::StatusOr<Tensor*> AllocateOutput(int i, DType dtype, const Shape& shape);
  // Whether nobody will read input i after this node, so that its memory may become the output's.
  bool CanForward(int i) const {
    return i < 64 && ((forwardable_ >> i) & 1) != 0 && input(i).is_sole_owner();
  }
  // Output i with the dtype and shape of input `in`, in the input's own memory if that is free to use: then input and
  // output are the same elements. Errors as Tensor::Make.
  absl::StatusOr<Tensor*> ForwardOrAllocate(int i, int in, DType dtype, const Shape& shape);

  // State made at plan time. Requires: the kernel's factory set a state of class T.
  template <typename T>
  const T& state() const {
    return *static_cast<const T*>(state_);
  }
  StepContext& step() const { return *step_; }
  // Identifies the node inside the plan; the executor uses it for messages.
  uint32_t node() const { return node_; }

  // Splits [0, n) into chunks of at least `grain` and runs body(begin, end) on them, from several threads if the step has
  // them and the work pays. `cost_per_item`: rough nanoseconds of one item.
  void ParallelFor(int64_t n, double cost_per_item, const std::function<void(int64_t, int64_t)>& body) const;

  // Records why the node failed; returns kError for the kernel to return.
  KernelStatus Fail(absl::Status status);

 private:
  Tensor* slots_;
  const uint32_t* input_slots_;
  Tensor* outputs_;
  const KernelState* state_;
  StepContext* step_;
  uint64_t forwardable_;
  uint32_t num_inputs_, num_outputs_, node_;
};

// Turns `absl::Status Compute(KernelCall&)`, the form in which families write kernels, into a KernelFn.
template <absl::Status (*kCompute)(KernelCall&)>
KernelStatus RunKernel(KernelCall& call) {
  absl::Status status = kCompute(call);
  if (ABSL_PREDICT_TRUE(status.ok())) return KernelStatus::kOk;
  return call.Fail(std::move(status));
}

// A kernel without state that serves every dtype of its op.
template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> PlainKernel(const NodeInfo&) {
  return Kernel{.fn = &RunKernel<kCompute>};
}

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_KERNEL_KERNEL_H_
