// RemoteCall(target, args): calls function f where target, the name of a device, says. There is one device, this
// process's CPU, and any way to name it will do: "/job:localhost/replica:0/task:0/device:CPU:0" or less of that.
#include "ops/remote_call_ops.h"

#include <memory>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"
#include "graph/ir/function_library.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "runtime/kernel/callee.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

using Values = absl::InlinedVector<Tensor, 8>;

class RemoteCallState final : public KernelState {
 public:
  explicit RemoteCallState(Callee* c) : callee(c) {}
  Callee* const callee;
};

bool IsLocalCpu(std::string_view name) {
  for (const absl::string_view part : absl::StrSplit(absl::string_view(name.data(), name.size()), '/')) {
    const std::string lower = absl::AsciiStrToLower(part);
    if (lower.empty() || lower == "job:localhost" || lower == "replica:0" || lower == "task:0") continue;
    if (lower == "cpu:0" || lower == "device:cpu:0" || lower == "device:cpu:*") continue;
    return false;
  }
  return true;
}

// Looks at the target and takes the arguments.
absl::StatusOr<Values> TakeArguments(KernelCall& c) {
  const Tensor& target = c.input(0);
  if (!target.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("target: expected a scalar, got shape ", target.ShapeString()));
  }
  const std::string name(target.scalar<String>().view());
  if (!IsLocalCpu(name)) {
    return absl::InvalidArgumentError(absl::StrCat("target: expected this process's CPU, got '", name, "'"));
  }
  Values values(c.num_inputs() - 1);
  for (int i = 1; i < c.num_inputs(); ++i) values[i - 1] = c.TakeInput(i);
  return values;
}

absl::Span<Tensor> ClearOutputs(KernelCall& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.output(i).Clear();
  return absl::MakeSpan(&c.output(0), c.num_outputs());  // there is at least one
}

absl::Status Call(KernelCall& c) {
  ASSIGN_OR_RETURN(Values values, TakeArguments(c));
  return c.state<RemoteCallState>().callee->Run(c.step(), absl::MakeSpan(values), ClearOutputs(c));
}

void CallAsync(KernelCall& c, Done done) {
  absl::StatusOr<Values> taken = TakeArguments(c);
  if (!taken.ok()) return done(taken.status());
  auto values = std::make_shared<Values>(*std::move(taken));
  c.state<RemoteCallState>().callee->Start(
      c.step(), absl::MakeSpan(*values), ClearOutputs(c),
      [values, done = std::move(done)](absl::Status status) { done(std::move(status)); });
}

absl::StatusOr<Kernel> RemoteCallKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const FunctionRef function, node.AttrAs<FunctionRef>("f"));
  if (node.functions() == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("function '", function.name, "': expected a graph with a library, got none"));
  }
  ASSIGN_OR_RETURN(Callee * callee, node.functions()->Resolve(function, BodyEffects::kAll));
  absl::InlinedVector<DType, 8> args, results;
  for (int i = 1; i < node.num_inputs(); ++i) args.push_back(node.input_dtype(i));
  for (int i = 0; i < node.num_outputs(); ++i) results.push_back(node.output_dtype(i));
  RETURN_IF_ERROR(callee->CheckTypes(args, results));
  auto state = std::make_shared<RemoteCallState>(callee);
  if (callee->is_async()) return Kernel{.async_fn = &CallAsync, .state = std::move(state)};
  return Kernel{.fn = &RunKernel<Call>, .state = std::move(state)};
}

absl::Status RemoteCallShape(ShapeContext& c) { return c.ExpectScalar(0); }

}  // namespace

absl::Status RegisterRemoteCallOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("RemoteCall"),
                      .doc = "Calls a function on the device that target names, which must be this one",
                      .shape = RemoteCallShape,
                      .kernel = RemoteCallKernel});
}

}  // namespace flowlatch
