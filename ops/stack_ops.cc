// Stacks of tensors (semantics.md, 9C), in which loops of older graphs keep what their gradients need.
//   Stack(V2): a new stack, whatever its name, each time it runs; it lives until the step ends
//   StackPush(V2): its input, which is now on top   StackPop(V2): what was on top   StackClose(V2): drops all
// V2 handles are resources, others references to strings (step_handles.h). Tensors stay where they are: swap_memory has
// no meaning without devices. Every dtype.
#include "ops/stack_ops.h"

#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/item_array.h"
#include "ops/kernels/step_handles.h"

namespace flowlatch {
namespace {

constexpr char kContainer[] = "stacks";  // among the step's resources, for those that are found by name

// Thread-safe.
class TensorStack final : public Resource {
 public:
  static constexpr char kTypeName[] = "Stack";
  TensorStack(std::string name, DType dtype, int64_t max_size)
      : name_(std::move(name)), dtype_(dtype), max_size_(max_size) {}
  std::string TypeName() const override { return kTypeName; }
  const std::string& name() const { return name_; }

  // Errors: InvalidArgument for a closed or full stack, or another dtype; ResourceExhausted.
  absl::Status Push(Tensor value) {
    std::lock_guard<std::mutex> lock(mu_);
    RETURN_IF_ERROR(CheckOpen());
    RETURN_IF_ERROR(CheckDType(value.dtype()));
    if (max_size_ >= 0 && values_.size() >= max_size_) return Fail("expected room for a value, got a full one");
    return values_.Append(std::move(value));
  }
  // Errors: InvalidArgument for a closed or empty stack, or one of another dtype.
  absl::StatusOr<Tensor> Pop(DType dtype) {
    std::lock_guard<std::mutex> lock(mu_);
    RETURN_IF_ERROR(CheckOpen());
    RETURN_IF_ERROR(CheckDType(dtype));
    if (values_.empty()) return Fail("expected a value, got an empty one");
    Tensor top = std::move(values_.At(values_.size() - 1));
    RETURN_IF_ERROR(values_.Resize(values_.size() - 1));
    return top;
  }
  void Close() {
    std::lock_guard<std::mutex> lock(mu_);
    closed_ = true;
    values_ = ItemArray<Tensor>();
  }

 private:
  absl::Status Fail(const std::string& text) const {
    return absl::InvalidArgumentError(absl::StrCat("stack '", name_, "': ", text));
  }
  absl::Status CheckOpen() const { return closed_ ? Fail("expected an open one, got a closed one") : absl::OkStatus(); }
  absl::Status CheckDType(DType dtype) const {
    if (dtype == dtype_) return absl::OkStatus();
    return Fail(absl::StrCat("expected ", std::string(DTypeName(dtype_)), ", got ", std::string(DTypeName(dtype))));
  }

  const std::string name_;
  const DType dtype_;
  const int64_t max_size_;  // -1: any
  std::mutex mu_;
  bool closed_ = false;  // guarded by mu_, as what follows
  ItemArray<Tensor> values_;
};

// ---- Kernels

class NewStackState : public KernelState {
 public:
  std::string name;
  DType dtype = DType::kInvalid;
  HandleKind handle = HandleKind::kResource;
};

class PopState : public KernelState {
 public:
  explicit PopState(DType d) : dtype(d) {}
  const DType dtype;
};

absl::Status NewStack(KernelCall& c) {
  const NewStackState& state = c.state<NewStackState>();
  int64_t max_size = -1;
  if (c.num_inputs() > 0) {
    ASSIGN_OR_RETURN(max_size, ReadIntScalar(c.input(0), "max_size"));
  }
  return SetHandleOutput(c, state.handle, kContainer,
                         MakeRef<TensorStack>(UniqueName(state.name), state.dtype, max_size));
}

absl::StatusOr<Kernel> NewStackKernel(const NodeInfo& node) {
  auto state = std::make_shared<NewStackState>();
  ASSIGN_OR_RETURN(state->name, node.Str("stack_name"));
  if (state->name.empty()) state->name = std::string(node.name());
  ASSIGN_OR_RETURN(state->dtype, node.Type("elem_type"));
  ASSIGN_OR_RETURN(state->handle, OutputHandleKind(node));
  return Kernel{.fn = &RunKernel<NewStack>, .state = std::move(state)};
}

absl::Status Push(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorStack> stack, FindStepResource<TensorStack>(c, kContainer));
  RETURN_IF_ERROR(stack->Push(c.input(1)));
  c.SetOutput(0, c.TakeInput(1));
  return absl::OkStatus();
}

absl::Status Pop(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorStack> stack, FindStepResource<TensorStack>(c, kContainer));
  ASSIGN_OR_RETURN(c.output(0), stack->Pop(c.state<PopState>().dtype));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> PopKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("elem_type"));
  return Kernel{.fn = &RunKernel<Pop>, .state = std::make_shared<PopState>(dtype)};
}

absl::Status Close(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorStack> stack, FindStepResource<TensorStack>(c, kContainer));
  stack->Close();
  return absl::OkStatus();
}

// ---- Shapes. Graphs declare handles as vectors of two strings even where they are resources, so nothing is said of
// them.

absl::Status NewStackShape(ShapeContext& c) { return c.num_inputs() > 0 ? c.ExpectScalar(0) : absl::OkStatus(); }

absl::Status PushShape(ShapeContext& c) {
  c.SetOutput(0, c.input(1));
  if (const HandleData* held = c.input_handle(1)) c.SetOutputHandle(0, *held);
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterStackOps(OpLibrary& library) {
  const auto add_both = [&](const std::string& name, std::string_view doc, ShapeFunction shape,
                            const KernelFactory& kernel) -> absl::Status {
    for (const char* generation : {"", "V2"}) {
      RETURN_IF_ERROR(library.Add(
          {.signature = TensorFlowSignature(name + generation), .doc = doc, .shape = shape, .kernel = kernel}));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(add_both("Stack", "A new stack", NewStackShape, NewStackKernel));
  RETURN_IF_ERROR(add_both("StackPush", "Puts a tensor on top and passes it on", PushShape, PlainKernel<Push>));
  RETURN_IF_ERROR(add_both("StackPop", "Takes the tensor from the top", shapes::Unknown, PopKernel));
  return add_both("StackClose", "Drops all tensors; the stack is of no use any more", shapes::NoOutputs,
                  PlainKernel<Close>);
}

}  // namespace flowlatch
