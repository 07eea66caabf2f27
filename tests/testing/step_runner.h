// StepRunner: runs ops one after another in one step of one session, for ops that work on what others left behind.
#ifndef FLOWLATCH_TESTS_TESTING_STEP_RUNNER_H_
#define FLOWLATCH_TESTS_TESTING_STEP_RUNNER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/base/status_macros.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {

// Kernels are made anew for each call and run in the caller's thread. Several runners may share a session's resources.
//
//   ResourceManager resources;
//   StepRunner step(library, &resources);
//   absl::StatusOr<std::vector<Tensor>> out = step.Run("ReadVariableOp", {{"dtype", DType::kFloat32}}, {handle});
class StepRunner final : public StepContext {
 public:
  StepRunner(const OpLibrary& library, ResourceManager* resources) : StepContext(services_), library_(library) {
    services_.resources = resources;
    services_.step_resources = &step_resources_;
    services_.cancellation = &cancellation_;
  }
  StepServices& services() { return services_; }
  void Fail(uint32_t, absl::Status status) override { failure_ = std::move(status); }
  void set_frame_tag(std::string tag) { frame_tag_ = std::move(tag); }
  std::string FrameTag() const override { return frame_tag_; }
  // Whether kernels may take their inputs, as the last to need them. Inputs that the test holds as well are still shared.
  void set_forwards_inputs(bool forwards) { forwards_inputs_ = forwards; }

  absl::StatusOr<std::vector<Tensor>> Run(const std::string& op, const AttrMap& attrs, std::vector<Tensor> inputs,
                                          const std::string& node_name = "node") {
    const OpSchema* schema = library_.registry().FindRegistered(op);
    if (schema == nullptr) return absl::NotFoundError("op " + op + " is not registered");
    RETURN_IF_ERROR(schema->ValidateAttrs(attrs));
    ASSIGN_OR_RETURN(const std::vector<PortType> input_types, schema->InputTypes(attrs));
    ASSIGN_OR_RETURN(const std::vector<PortType> output_types, schema->OutputTypes(attrs));
    if (inputs.size() != input_types.size()) return absl::InternalError("test of " + op + ": wrong number of inputs");
    ASSIGN_OR_RETURN(const Kernel kernel,
                     library_.MakeKernel(NodeInfo(node_name, *schema, attrs, input_types, output_types)));
    std::vector<uint32_t> slots(inputs.size());
    for (size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<uint32_t>(i);
    std::vector<Tensor> outputs(output_types.size());
    KernelCall call(this, inputs.data(), slots.data(), outputs.data(), kernel.state.get(),
                    static_cast<uint32_t>(inputs.size()), static_cast<uint32_t>(outputs.size()),
                    forwards_inputs_ ? ~uint64_t{0} : 0, 0);
    if (kernel.fn(call) != KernelStatus::kOk) return failure_;
    return outputs;
  }

 private:
  const OpLibrary& library_;
  ResourceManager step_resources_;
  CancellationManager cancellation_;
  StepServices services_;
  absl::Status failure_;
  std::string frame_tag_;
  bool forwards_inputs_ = false;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_TESTING_STEP_RUNNER_H_
