// One step of an optimizer on a whole variable and its slots; ops/kernels/optimizer_rules.h has the formulas.
//   var, slots.., grad: one shape; hyperparameters: scalars. float16, bfloat16, float32 and float64; the small ones are
//   rounded after every operation.
// Apply* takes references and returns that of var; use_locking=true locks var and slots together, false lets updates
// mix (racy_access.h). ResourceApply* always locks, and copies values that readers still have. Variables are locked in
// the order of their addresses, so that two steps cannot wait for each other.
#include "ops/optimizer_ops.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/optimizer_rules.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/racy_access.h"
#include "runtime/resource/variable.h"

namespace flowlatch {
namespace {

using optimizer::Hyper;
using optimizer::kMaxHyperparameters;

constexpr int kMaxTargets = 4;
// Elements below which a step is not worth waking a thread for.
constexpr int64_t kParallelElements = 1 << 15;

// What the inputs of the op are, and the loop for its dtype.
class StepState : public KernelState {
 public:
  using Loop = void (*)(const KernelCall& c, const StepState& state, Tensor* const* targets, const Tensor& grad);

  int num_targets = 0;  // inputs 0, 1, ..
  int grad = 0;
  absl::InlinedVector<int, kMaxHyperparameters> hyper;  // inputs with hyperparameters, in order
  bool flag = false;
  bool exclusive = true;
  DType dtype = DType::kInvalid;
  Loop loop = nullptr;
};

// All are of the variable's dtype, but for the global_step of AdagradDA.
template <typename T, typename W>
W ReadHyper(const Tensor& t) {
  return t.dtype() == DType::kInt64 ? W(static_cast<float>(t.scalar<int64_t>())) : W(t.scalar<T>());
}

template <template <typename> class Rule, typename T>
void RunLoop(const KernelCall& c, const StepState& state, Tensor* const* targets, const Tensor& grad) {
  using W = std::conditional_t<sizeof(T) == 2, optimizer::Rounded<T>, T>;
  constexpr int kTargets = Rule<W>::kTargets;
  Hyper<W> hyper{};
  for (size_t i = 0; i < state.hyper.size(); ++i) hyper[i] = ReadHyper<T, W>(c.input(state.hyper[i]));
  const Rule<W> rule(hyper, state.flag);
  T* elements[kTargets];
  for (int t = 0; t < kTargets; ++t) elements[t] = targets[t]->template mutable_data<T>();
  const auto part = [&](int64_t begin, int64_t end) {
    RacyUpdateTogether<W>(elements, grad.data<T>(), begin, end, rule);
  };
  const int64_t n = grad.num_elements();
  if (n < kParallelElements) return part(0, n);
  c.ParallelFor(n, kTargets, part);
}

using Variables = absl::InlinedVector<RefPtr<Variable>, kMaxTargets>;

// Holds the locks of several variables, each once.
class LockAll {
 public:
  LockAll(const Variables& variables, bool exclusive) : exclusive_(exclusive) {
    for (const RefPtr<Variable>& v : variables) locked_.push_back(v.get());
    std::sort(locked_.begin(), locked_.end(), std::less<>());
    locked_.erase(std::unique(locked_.begin(), locked_.end()), locked_.end());
    for (Variable* v : locked_) exclusive_ ? v->mu.lock() : v->mu.lock_shared();
  }
  ~LockAll() {
    for (Variable* v : locked_) exclusive_ ? v->mu.unlock() : v->mu.unlock_shared();
  }
  LockAll(const LockAll&) = delete;
  LockAll& operator=(const LockAll&) = delete;

 private:
  absl::InlinedVector<Variable*, kMaxTargets> locked_;
  const bool exclusive_;
};

absl::StatusOr<RefPtr<Variable>> VariableInput(const KernelCall& c, int i) {
  const Tensor& input = c.input(i);
  if (Variable* referenced = ReferencedVariable(input); referenced != nullptr)
    return RefPtr<Variable>::Share(referenced);
  if (input.dtype() != DType::kResource || !input.has_value() || input.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("input ", i, ": expected a variable, got another"));
  }
  absl::StatusOr<RefPtr<Variable>> variable = LookupVariable(c.step().resources(), input.scalar<ResourceHandle>());
  if (absl::IsNotFound(variable.status())) return absl::FailedPreconditionError(variable.status().message());
  return variable;
}

// Requires: the locks.
absl::Status CheckVariable(const Variable& variable, DType dtype, const Tensor& grad) {
  if (!variable.value.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("variable '", variable.name(), "': expected a value, got an uninitialised variable"));
  }
  if (variable.dtype() != dtype) {
    return absl::InvalidArgumentError(absl::StrCat("variable '", variable.name(), "': expected dtype ",
                                                   std::string(DTypeName(dtype)), ", got ",
                                                   std::string(DTypeName(variable.dtype()))));
  }
  if (variable.value.dims() == grad.dims()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("variable '", variable.name(), "': expected shape ",
                                                 grad.ShapeString(), " of the gradient, got ",
                                                 variable.value.ShapeString()));
}

template <bool kResource>
absl::Status Apply(KernelCall& c) {
  const StepState& state = c.state<StepState>();
  const Tensor& grad = c.input(state.grad);
  for (const int i : state.hyper) {
    if (!c.input(i).is_scalar()) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", i, ": expected a scalar, got shape ", c.input(i).ShapeString()));
    }
  }
  Variables variables;
  for (int i = 0; i < state.num_targets; ++i) {
    ASSIGN_OR_RETURN(RefPtr<Variable> variable, VariableInput(c, i));
    variables.push_back(std::move(variable));
  }
  {
    const LockAll lock(variables, state.exclusive);
    Tensor* targets[kMaxTargets];
    for (int i = 0; i < state.num_targets; ++i) RETURN_IF_ERROR(CheckVariable(*variables[i], state.dtype, grad));
    for (int i = 0; i < state.num_targets; ++i) {
      if constexpr (kResource) RETURN_IF_ERROR(variables[i]->Unshare(c.step().services().allocator));
      targets[i] = &variables[i]->value;
    }
    if (grad.num_elements() > 0) state.loop(c, state, targets, grad);
  }
  if constexpr (!kResource) c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

// The one option that an op may have besides use_locking.
absl::StatusOr<bool> ReadFlag(const NodeInfo& node) {
  for (const char* name : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
    if (node.schema().FindAttr(name) != nullptr) return node.Bool(name);
  }
  return false;
}

template <template <typename> class Rule, bool kResource>
absl::StatusOr<Kernel> ApplyKernel(const NodeInfo& node) {
  auto state = std::make_shared<StepState>();
  state->num_targets = Rule<float>::kTargets;
  const std::vector<ArgSpec>& inputs = node.schema().inputs();
  for (int i = state->num_targets; i < static_cast<int>(inputs.size()); ++i) {
    const bool is_grad = inputs[i].name == "grad" || inputs[i].name == "delta";
    if (is_grad)
      state->grad = i;
    else
      state->hyper.push_back(i);
  }
  ASSIGN_OR_RETURN(const bool use_locking, node.Bool("use_locking"));
  ASSIGN_OR_RETURN(state->flag, ReadFlag(node));
  state->exclusive = kResource || use_locking;
  state->dtype = node.input_dtype(state->grad);
  state->loop = DispatchDType<kFloatTypes>(state->dtype, StepState::Loop{},
                                           []<typename T>() -> StepState::Loop { return &RunLoop<Rule, T>; });
  if (state->loop == nullptr) return NoKernelFor(node, state->dtype);
  return Kernel{.fn = &RunKernel<Apply<kResource>>, .state = std::move(state)};
}

// var, slots and grad have one shape, hyperparameters are scalars.
absl::Status ApplyShape(ShapeContext& c) {
  PartialShape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const ArgSpec& input = c.schema().inputs()[i];
    if (input.dtype == DType::kResource) {
      RETURN_IF_ERROR(c.ExpectScalar(i));
    } else if (input.is_ref || input.name == "grad" || input.name == "delta") {
      ASSIGN_OR_RETURN(shape, shape.MergeWith(c.input(i)));
    } else {
      RETURN_IF_ERROR(c.ExpectScalar(i));
    }
  }
  if (c.num_outputs() == 1) c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status Add(OpLibrary& library, const std::string& op, const char* doc, KernelFactory kernel) {
  return library.Add({
      .signature = TensorFlowSignature(op),
      .doc = doc,
      .shape = ApplyShape,
      .kernel = std::move(kernel),
      .dtypes = kFloatTypes,
      .gradient = gradients::None,
  });
}

template <template <typename> class Rule>
absl::Status AddResource(OpLibrary& library, const std::string& name, const char* doc) {
  return Add(library, "ResourceApply" + name, doc, ApplyKernel<Rule, true>);
}

template <template <typename> class Rule>
absl::Status AddBoth(OpLibrary& library, const std::string& name, const char* doc) {
  RETURN_IF_ERROR(Add(library, "Apply" + name, doc, ApplyKernel<Rule, false>));
  return AddResource<Rule>(library, name, doc);
}

}  // namespace

absl::Status RegisterOptimizerOps(OpLibrary& library) {
  using namespace optimizer;  // NOLINT: the rules only
  RETURN_IF_ERROR(AddBoth<GradientDescent>(library, "GradientDescent", "var -= alpha delta"));
  RETURN_IF_ERROR(AddBoth<ProximalGradientDescent>(
      library, "ProximalGradientDescent", "As GradientDescent, then var moves towards 0 by l1 and shrinks by l2"));
  RETURN_IF_ERROR(AddBoth<Momentum>(library, "Momentum", "accum = momentum accum + grad; var -= lr accum"));
  RETURN_IF_ERROR(
      AddResource<KerasMomentum>(library, "KerasMomentum", "accum = momentum accum - lr grad; var += accum"));
  RETURN_IF_ERROR(AddBoth<Adagrad>(library, "Adagrad", "accum += grad^2; var -= lr grad / sqrt(accum)"));
  RETURN_IF_ERROR(
      AddBoth<AdagradV2>(library, "AdagradV2", "accum += grad^2; var -= lr grad / (sqrt(accum) + epsilon)"));
  RETURN_IF_ERROR(AddBoth<ProximalAdagrad>(library, "ProximalAdagrad",
                                           "As Adagrad, then var moves towards 0 by l1 and shrinks by l2"));
  RETURN_IF_ERROR(AddBoth<AdagradDA>(library, "AdagradDA",
                                     "Dual averaging: var follows from the sums of gradients and their squares"));
  RETURN_IF_ERROR(AddBoth<Adadelta>(library, "Adadelta",
                                    "var -= lr times grad scaled by running averages of updates and gradients"));
  RETURN_IF_ERROR(AddBoth<RmsProp>(
      library, "RMSProp", "mom = momentum mom + lr grad / sqrt(ms + epsilon); var -= mom, ms averages grad^2"));
  RETURN_IF_ERROR(AddBoth<CenteredRmsProp>(library, "CenteredRMSProp",
                                           "As RMSProp with the variance of the gradient in place of ms"));
  RETURN_IF_ERROR(
      AddBoth<Adam>(library, "Adam", "var -= lr m / (sqrt(v) + epsilon), where m and v average grad and grad^2"));
  RETURN_IF_ERROR(AddResource<AdamWithAmsgrad>(library, "AdamWithAmsgrad", "As Adam with the largest v so far"));
  RETURN_IF_ERROR(AddBoth<AdaMax>(library, "AdaMax", "As Adam with v a decaying maximum of |grad|"));
  RETURN_IF_ERROR(AddBoth<AddSign>(library, "AddSign",
                                   "var -= lr (alpha + sign_decay sign(grad) sign(m)) grad, where m averages grad"));
  RETURN_IF_ERROR(AddBoth<PowerSign>(
      library, "PowerSign", "var -= lr exp(logbase sign_decay sign(grad) sign(m)) grad, where m averages grad"));
  RETURN_IF_ERROR(AddBoth<Ftrl>(library, "Ftrl", "Follow the regularised leader, with l1 and l2 penalties"));
  return AddBoth<FtrlV2>(library, "FtrlV2", "As Ftrl, with a shrinkage of var in the gradient");
}

}  // namespace flowlatch
