// StepRunner: runs ops one after another in one step of one session, for ops that work on what others left behind.
#ifndef FLOWLATCH_TESTS_TESTING_STEP_RUNNER_H_
#define FLOWLATCH_TESTS_TESTING_STEP_RUNNER_H_

#include <memory>
#include <optional>
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
  CancellationManager& cancellation() { return cancellation_; }
  void Fail(uint32_t, absl::Status status) override { failure_ = std::move(status); }
  void set_frame_tag(std::string tag) { frame_tag_ = std::move(tag); }
  std::string FrameTag() const override { return frame_tag_; }
  // Whether kernels may take their inputs, as the last to need them. Inputs that the test holds as well are still shared.
  void set_forwards_inputs(bool forwards) { forwards_inputs_ = forwards; }

  // A call that may still be waiting for something.
  class Started {
   public:
    bool ended() const { return end_.has_value(); }
    // Requires: ended().
    absl::StatusOr<std::vector<Tensor>> outputs() const {
      if (!end_->ok()) return *end_;
      return outputs_;
    }

   private:
    friend class StepRunner;
    Kernel kernel_;
    std::vector<Tensor> inputs_, outputs_;
    std::vector<uint32_t> slots_;
    std::optional<KernelCall> call_;
    std::optional<absl::Status> end_;
  };

  // Errors of the call itself are its outputs' status.
  absl::StatusOr<std::shared_ptr<Started>> Start(const std::string& op, const AttrMap& attrs, std::vector<Tensor> inputs,
                                                 const std::string& node_name = "node") {
    const OpSchema* schema = library_.registry().FindRegistered(op);
    if (schema == nullptr) return absl::NotFoundError("op " + op + " is not registered");
    RETURN_IF_ERROR(schema->ValidateAttrs(attrs));
    ASSIGN_OR_RETURN(const std::vector<PortType> input_types, schema->InputTypes(attrs));
    ASSIGN_OR_RETURN(const std::vector<PortType> output_types, schema->OutputTypes(attrs));
    if (inputs.size() != input_types.size()) return absl::InternalError("test of " + op + ": wrong number of inputs");
    auto started = std::make_shared<Started>();
    ASSIGN_OR_RETURN(started->kernel_,
                     library_.MakeKernel(NodeInfo(node_name, *schema, attrs, input_types, output_types)));
    started->inputs_ = std::move(inputs);
    for (size_t i = 0; i < started->inputs_.size(); ++i) started->slots_.push_back(static_cast<uint32_t>(i));
    started->outputs_.resize(output_types.size());
    started->call_.emplace(this, started->inputs_.data(), started->slots_.data(), started->outputs_.data(),
                           started->kernel_.state.get(), static_cast<uint32_t>(started->inputs_.size()),
                           static_cast<uint32_t>(started->outputs_.size()), forwards_inputs_ ? ~uint64_t{0} : 0, 0);
    if (started->kernel_.async_fn != nullptr) {
      started->kernel_.async_fn(*started->call_, [started](absl::Status end) { started->end_ = std::move(end); });
    } else {
      started->end_ = started->kernel_.fn(*started->call_) == KernelStatus::kOk ? absl::OkStatus() : failure_;
    }
    return started;
  }

  // A call that ends at once.
  absl::StatusOr<std::vector<Tensor>> Run(const std::string& op, const AttrMap& attrs, std::vector<Tensor> inputs,
                                          const std::string& node_name = "node") {
    ASSIGN_OR_RETURN(const std::shared_ptr<Started> started, Start(op, attrs, std::move(inputs), node_name));
    if (!started->ended()) return absl::InternalError("test of " + op + ": expected an end at once, got a call that waits");
    return started->outputs();
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
