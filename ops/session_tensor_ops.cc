// Tensors that stay in the session between steps, so that clients need not fetch and feed them.
//   GetSessionHandle(value):     keeps the value and gives its name, "node;number;device"; V2 a handle of that name
//   GetSessionTensor(handle):    the value of a name
//   DeleteSessionTensor(handle): drops it
#include "ops/session_tensor_ops.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/resource_names.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

constexpr char kContainer[] = "session tensors";
constexpr char kDevice[] = "/job:localhost/replica:0/task:0/device:CPU:0";

// Thread-safe.
class SessionTensors final : public Resource {
 public:
  std::string TypeName() const override { return "SessionTensors"; }

  std::string Add(const std::string& node, Tensor value) {
    std::lock_guard<std::mutex> lock(mu_);
    std::string name = absl::StrCat(node, ";", next_++, ";", kDevice);
    tensors_.emplace(name, std::move(value));
    return name;
  }
  // No value: there is none.
  Tensor Find(std::string_view name) const {
    std::lock_guard<std::mutex> lock(mu_);
    const auto at = tensors_.find(name);
    return at == tensors_.end() ? Tensor() : at->second;
  }
  bool Delete(std::string_view name) {
    Tensor dropped;  // after the lock
    std::lock_guard<std::mutex> lock(mu_);
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) return false;
    dropped = std::move(at->second);
    tensors_.erase(at);
    return true;
  }

 private:
  mutable std::mutex mu_;
  int64_t next_ = 0;                                    // guarded by mu_
  std::map<std::string, Tensor, std::less<>> tensors_;  // guarded by mu_
};

absl::StatusOr<RefPtr<SessionTensors>> TensorsOf(const KernelCall& c) {
  return c.step().resources().LookupOrCreate<SessionTensors>(
      kContainer, "", []() -> absl::StatusOr<RefPtr<SessionTensors>> { return MakeRef<SessionTensors>(); });
}

class HandleState : public KernelState {
 public:
  std::string node;
  bool is_resource = false;
};

absl::Status GetHandle(KernelCall& c) {
  const HandleState& state = c.state<HandleState>();
  ASSIGN_OR_RETURN(const RefPtr<SessionTensors> tensors, TensorsOf(c));
  ASSIGN_OR_RETURN(Tensor value, TakeInput(c, 0));
  const std::string name = tensors->Add(state.node, std::move(value));
  if (!state.is_resource) {
    c.SetOutput(0, Tensor::Scalar(std::string_view(name)));
    return absl::OkStatus();
  }
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->container = kDefaultContainer;
  key->name = name;
  key->type_name = "TensorHandle";
  c.SetOutput(0, Tensor::Scalar(ResourceHandle(RefPtr<const ResourceKey>(std::move(key)))));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> GetHandleKernel(const NodeInfo& node) {
  auto state = std::make_shared<HandleState>();
  state->node = std::string(node.name());
  state->is_resource = node.output_dtype(0) == DType::kResource;
  return Kernel{.fn = &RunKernel<GetHandle>, .state = std::move(state)};
}

absl::StatusOr<std::string> ReadHandle(const KernelCall& c) {
  const Tensor& handle = c.input(0);
  if (handle.is_scalar()) return std::string(handle.scalar<String>().view());
  return absl::InvalidArgumentError(absl::StrCat("handle: expected a scalar, got shape ", handle.ShapeString()));
}

absl::Status NoSuchTensor(const std::string& name) {
  return absl::InvalidArgumentError(absl::StrCat("handle: expected one of a tensor of this session, got '", name, "'"));
}

class GetState : public KernelState {
 public:
  explicit GetState(DType dtype) : dtype(dtype) {}
  const DType dtype;
};

absl::Status GetTensor(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string name, ReadHandle(c));
  ASSIGN_OR_RETURN(const RefPtr<SessionTensors> tensors, TensorsOf(c));
  Tensor value = tensors->Find(name);
  if (!value.has_value()) return NoSuchTensor(name);
  const DType dtype = c.state<GetState>().dtype;
  if (value.dtype() != dtype) {
    return absl::InvalidArgumentError(absl::StrCat("tensor '", name, "': expected ", std::string(DTypeName(dtype)),
                                                   ", got ", std::string(DTypeName(value.dtype()))));
  }
  c.SetOutput(0, std::move(value));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> GetTensorKernel(const NodeInfo& node) {
  return Kernel{.fn = &RunKernel<GetTensor>, .state = std::make_shared<GetState>(node.output_dtype(0))};
}

absl::Status DeleteTensor(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string name, ReadHandle(c));
  ASSIGN_OR_RETURN(const RefPtr<SessionTensors> tensors, TensorsOf(c));
  return tensors->Delete(name) ? absl::OkStatus() : NoSuchTensor(name);
}

absl::Status OfHandle(ShapeContext& c) { return c.ExpectScalar(0); }

}  // namespace

absl::Status RegisterSessionTensorOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradients::None});
  };
  RETURN_IF_ERROR(
      add("GetSessionHandle", "Keeps a tensor in the session and gives its name", shapes::Scalar, GetHandleKernel));
  RETURN_IF_ERROR(add("GetSessionHandleV2", "Keeps a tensor in the session and gives a handle of its name",
                      shapes::Scalar, GetHandleKernel));
  RETURN_IF_ERROR(add("GetSessionTensor", "A tensor that the session keeps", OfHandle, GetTensorKernel));
  return add("DeleteSessionTensor", "Drops a tensor that the session keeps", OfHandle, PlainKernel<DeleteTensor>);
}

}  // namespace flowlatch
