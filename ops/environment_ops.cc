// What a graph may ask about where it runs.
//   DeviceIndex: which of the kinds of devices in device_names runs the node; their number if none does
//   KernelLabel: which kernel attr _kernel chose: "" (the default one), "overload_1" or "overload_2"
#include "ops/environment_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

struct AnswerState final : KernelState {
  explicit AnswerState(Tensor a) : answer(std::move(a)) {}
  Tensor answer;
};

absl::Status Answer(KernelCall& c) {
  c.SetOutput(0, c.state<AnswerState>().answer);
  return absl::OkStatus();
}

Kernel AnswerKernel(Tensor answer) {
  return Kernel{.fn = &RunKernel<Answer>, .state = std::make_shared<AnswerState>(std::move(answer))};
}

absl::StatusOr<Kernel> DeviceIndexKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const auto names, node.AttrAs<std::vector<std::string>>("device_names"));
  const auto found = std::find(names.begin(), names.end(), "CPU");
  return AnswerKernel(Tensor::Scalar(static_cast<int32_t>(found - names.begin())));
}

absl::StatusOr<Kernel> KernelLabelKernel(const NodeInfo& node) {
  const Attr* attr = node.attrs().Find("_kernel");
  const std::string* label = attr != nullptr ? attr->Get<std::string>() : nullptr;
  if (label == nullptr || label->empty()) return AnswerKernel(Tensor::Scalar("My label is: default"));
  if (*label != "overload_1" && *label != "overload_2") {
    return absl::InvalidArgumentError(
        absl::StrCat("label of a kernel of KernelLabel: expected a known one, got '", *label, "'"));
  }
  const std::string answer = absl::StrCat("My label is: ", *label);
  return AnswerKernel(Tensor::Scalar(std::string_view(answer)));
}

}  // namespace

absl::Status RegisterEnvironmentOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("DeviceIndex"),
                               .doc = "Which of the named kinds of devices runs the node",
                               .shape = shapes::Scalar,
                               .kernel = DeviceIndexKernel}));
  return library.Add({.signature = TensorFlowSignature("KernelLabel"),
                      .doc = "Which kernel attr _kernel chose",
                      .shape = shapes::Scalar,
                      .kernel = KernelLabelKernel});
}

}  // namespace flowlatch
