// One step of an optimizer; ops/kernels/optimizer_rules.h has the formulas.
//   Apply*(var, slots.., hyperparameters.., grad): on a whole variable and its slots, all of the gradient's shape.
//   SparseApply*(.., grad [n, slice..], indices [n]): on rows of var and slots [rows, slice..], in the order of the
//     indices: a row that is named twice makes two steps. All indices are checked before anything is written.
// Hyperparameters are scalars. float16, bfloat16, float32 and float64; small ones are rounded after every operation.
// Ops on references return that of var; use_locking=true locks var and slots together, false lets updates mix
// (racy_access.h). Resource ops on whole variables always lock, and copy values that readers still have. Those on rows
// do so with use_locking=true; false lets updates mix and puts the variables in copy-on-read mode (variable.h).
// Variables are locked in the order of their addresses, so that two steps cannot wait for each other.
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
constexpr double kNsPerElement = 0.1;  // of one variable, in the cache

// A scalar input, and what it must be if the op's rule says so.
struct HyperInput {
  enum class Range { kAny, kPositive, kNotNegative, kNotPositive };

  int input;
  Range range;
};

// What a step works on.
struct StepTensors {
  Tensor* targets[kMaxTargets];
  const Tensor* grad;
  Indices rows;  // of sparse steps
};

// What the inputs of the op are, and the loop for its dtype.
class StepState : public KernelState {
 public:
  using Loop = absl::Status (*)(const KernelCall& c, const StepState& state, const StepTensors& tensors);

  int num_targets = 0;  // inputs 0, 1, ..
  int grad = 0;
  int indices = -1;                                            // -1: a step on whole variables
  absl::InlinedVector<HyperInput, kMaxHyperparameters> hyper;  // in order
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

absl::Status CheckRange(const HyperInput& hyper, double value) {
  using Range = HyperInput::Range;
  const auto expected = [&](const char* range) {
    return absl::InvalidArgumentError(absl::StrCat("input ", hyper.input, ": expected ", range, ", got ", value));
  };
  switch (hyper.range) {
    case Range::kAny:
      return absl::OkStatus();
    case Range::kPositive:
      return value > 0 ? absl::OkStatus() : expected("a value > 0");
    case Range::kNotNegative:
      return value >= 0 ? absl::OkStatus() : expected("a value >= 0");
    case Range::kNotPositive:
      return value <= 0 ? absl::OkStatus() : expected("a value <= 0");
  }
  return absl::OkStatus();
}

// W: what elements are calculated in.
template <typename T>
using WorkType = std::conditional_t<sizeof(T) == 2, optimizer::Rounded<T>, T>;

template <typename T, typename W>
absl::StatusOr<Hyper<W>> ReadHypers(const KernelCall& c, const StepState& state) {
  Hyper<W> hyper{};
  for (size_t i = 0; i < state.hyper.size(); ++i) {
    hyper[i] = ReadHyper<T, W>(c.input(state.hyper[i].input));
    RETURN_IF_ERROR(CheckRange(state.hyper[i], static_cast<double>(static_cast<float>(hyper[i]))));
  }
  return hyper;
}

template <template <typename> class Rule, typename T>
absl::Status RunDense(const KernelCall& c, const StepState& state, const StepTensors& tensors) {
  using W = WorkType<T>;
  constexpr int kTargets = Rule<W>::kTargets;
  ASSIGN_OR_RETURN(const Hyper<W> hyper, (ReadHypers<T, W>(c, state)));
  const Rule<W> rule(hyper, state.flag);
  T* elements[kTargets];
  for (int t = 0; t < kTargets; ++t) elements[t] = tensors.targets[t]->template mutable_data<T>();
  const auto part = [&](int64_t begin, int64_t end) {
    RacyUpdateTogether<W>(elements, tensors.grad->data<T>(), begin, end, rule);
  };
  const int64_t n = tensors.grad->num_elements();
  if (n < kParallelElements) {
    part(0, n);
  } else {
    c.ParallelFor(n, kNsPerElement * kTargets, part);
  }
  return absl::OkStatus();
}

template <template <typename> class Rule, typename T>
absl::Status RunSparse(const KernelCall& c, const StepState& state, const StepTensors& tensors) {
  using W = WorkType<T>;
  constexpr int kTargets = Rule<W>::kTargets;
  ASSIGN_OR_RETURN(const Hyper<W> hyper, (ReadHypers<T, W>(c, state)));
  const Rule<W> rule(hyper, state.flag);
  const int64_t n = tensors.rows.empty() ? 0 : tensors.grad->num_elements() / tensors.grad->dim(0);
  const T* grad = tensors.grad->data<T>();
  for (const int64_t row : tensors.rows) {
    T* elements[kTargets];
    for (int t = 0; t < kTargets; ++t) elements[t] = tensors.targets[t]->template mutable_data<T>() + row * n;
    RacyUpdateTogether<W>(elements, grad, 0, n, rule);
    grad += n;
  }
  return absl::OkStatus();
}

using Variables = absl::InlinedVector<RefPtr<Variable>, kMaxTargets>;

// Holds the locks of several variables, each once.
class LockAll {
 public:
  LockAll(const Variables& variables, bool exclusive) : exclusive_(exclusive) {
    for (const RefPtr<Variable>& v : variables) locked_.push_back(v.get());
    std::sort(locked_.begin(), locked_.end(), std::less<>());
    locked_.erase(std::unique(locked_.begin(), locked_.end()), locked_.end());
    Lock();
  }
  ~LockAll() { Unlock(); }
  LockAll(const LockAll&) = delete;
  LockAll& operator=(const LockAll&) = delete;

  bool exclusive() const { return exclusive_; }
  // Lets others in between.
  void MakeExclusive() {
    Unlock();
    exclusive_ = true;
    Lock();
  }

 private:
  void Lock() {
    for (Variable* v : locked_) exclusive_ ? v->mu.lock() : v->mu.lock_shared();
  }
  void Unlock() {
    for (Variable* v : locked_) exclusive_ ? v->mu.unlock() : v->mu.unlock_shared();
  }

  absl::InlinedVector<Variable*, kMaxTargets> locked_;
  bool exclusive_;
};

absl::StatusOr<RefPtr<Variable>> VariableInput(const KernelCall& c, int i) {
  absl::StatusOr<RefPtr<Variable>> variable = VariableOfInput(c, i);
  if (absl::IsNotFound(variable.status())) return absl::FailedPreconditionError(variable.status().message());
  return variable;
}

// Requires: the lock.
absl::Status CheckVariable(const Variable& variable, DType dtype) {
  if (!variable.value.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("variable '", variable.name(), "': expected a value, got an uninitialised variable"));
  }
  if (variable.dtype() == dtype) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("variable '", variable.name(), "': expected dtype ",
                                                 std::string(DTypeName(dtype)), ", got ",
                                                 std::string(DTypeName(variable.dtype()))));
}

// Requires: the locks, and that all variables have values.
absl::Status CheckShapes(const KernelCall& c, const StepState& state, const Variables& variables) {
  const absl::Span<const int64_t> shape = variables[0]->value.dims();
  for (const RefPtr<Variable>& slot : variables) {
    if (slot->value.dims() == shape) continue;
    return absl::InvalidArgumentError(absl::StrCat("variable '", slot->name(), "': expected shape ",
                                                   DimsToString(shape), " of variable '", variables[0]->name(),
                                                   "', got ", slot->value.ShapeString()));
  }
  Dims want(shape.begin(), shape.end());
  if (state.indices >= 0) {
    const Tensor& indices = c.input(state.indices);
    if (shape.empty() || !indices.is_vector()) {
      return absl::InvalidArgumentError(
          absl::StrCat("variable and indices: expected at least one dimension and a vector, got shapes ",
                       DimsToString(shape), " and ", indices.ShapeString()));
    }
    want[0] = indices.dim(0);
  }
  return ExpectSameShape("gradient", want, c.input(state.grad).dims());
}

// Sparse steps that may mix need memory that no reader shares; else they lock like others.
absl::Status LockForStep(const KernelCall& c, const Variables& variables, LockAll& lock) {
  if (!lock.exclusive()) {
    const bool own_memory = std::all_of(variables.begin(), variables.end(),
                                        [](const RefPtr<Variable>& variable) { return variable->copy_on_read; });
    if (own_memory) return absl::OkStatus();
    lock.MakeExclusive();
  }
  for (const RefPtr<Variable>& variable : variables) {
    if (variable->value.has_value()) RETURN_IF_ERROR(variable->Unshare(c.step().services().allocator));
  }
  return absl::OkStatus();
}

template <bool kResource>
absl::Status Apply(KernelCall& c) {
  const StepState& state = c.state<StepState>();
  for (const HyperInput& hyper : state.hyper) {
    if (!c.input(hyper.input).is_scalar()) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", hyper.input, ": expected a scalar, got shape ", c.input(hyper.input).ShapeString()));
    }
  }
  Variables variables;
  for (int i = 0; i < state.num_targets; ++i) {
    ASSIGN_OR_RETURN(RefPtr<Variable> variable, VariableInput(c, i));
    if (kResource && !state.exclusive) RETURN_IF_ERROR(variable->StartCopyOnRead(c.step().services().allocator));
    variables.push_back(std::move(variable));
  }
  {
    LockAll lock(variables, state.exclusive);
    if constexpr (kResource) RETURN_IF_ERROR(LockForStep(c, variables, lock));
    StepTensors tensors{.targets = {}, .grad = &c.input(state.grad), .rows = {}};
    for (int i = 0; i < state.num_targets; ++i) {
      RETURN_IF_ERROR(CheckVariable(*variables[i], state.dtype));
      tensors.targets[i] = &variables[i]->value;
    }
    RETURN_IF_ERROR(CheckShapes(c, state, variables));
    Tensor grad;
    if (state.indices >= 0) {
      ASSIGN_OR_RETURN(tensors.rows, ReadRows(c.input(state.indices), variables[0]->value.dim(0)));
      grad = *tensors.grad;
      for (const RefPtr<Variable>& variable : variables) {
        ASSIGN_OR_RETURN(grad, ApartFrom(*variable, grad));
      }
      tensors.grad = &grad;
    }
    RETURN_IF_ERROR(state.loop(c, state, tensors));
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

HyperInput::Range RangeOf(std::string_view name) {
  if (name == "lr") return HyperInput::Range::kPositive;
  if (name == "l1" || name == "l2" || name == "l2_shrinkage") return HyperInput::Range::kNotNegative;
  if (name == "lr_power") return HyperInput::Range::kNotPositive;
  return HyperInput::Range::kAny;
}

template <template <typename> class Rule>
constexpr bool ChecksRanges() {
  if constexpr (requires { Rule<float>::kCheckRanges; }) return Rule<float>::kCheckRanges;
  return false;
}

bool IsGradient(const ArgSpec& input) { return input.name == "grad" || input.name == "delta"; }

template <template <typename> class Rule, bool kResource, bool kSparse>
absl::StatusOr<Kernel> StepKernel(const NodeInfo& node) {
  auto state = std::make_shared<StepState>();
  const std::vector<ArgSpec>& inputs = node.schema().inputs();
  for (int i = 0; i < static_cast<int>(inputs.size()); ++i) {
    if (inputs[i].is_ref || inputs[i].dtype == DType::kResource) {
      ++state->num_targets;
    } else if (IsGradient(inputs[i])) {
      state->grad = i;
    } else if (inputs[i].name == "indices") {
      state->indices = i;
    } else {
      state->hyper.push_back({i, ChecksRanges<Rule>() ? RangeOf(inputs[i].name) : HyperInput::Range::kAny});
    }
  }
  ASSIGN_OR_RETURN(const bool use_locking, node.Bool("use_locking"));
  ASSIGN_OR_RETURN(state->flag, ReadFlag(node));
  state->exclusive = use_locking || (kResource && !kSparse);
  state->dtype = node.input_dtype(state->grad);
  state->loop = DispatchDType<kFloatTypes>(state->dtype, StepState::Loop{}, []<typename T>() -> StepState::Loop {
    if constexpr (kSparse) return &RunSparse<Rule, T>;
    return &RunDense<Rule, T>;
  });
  if (state->loop == nullptr) return NoKernelFor(node, state->dtype);
  return Kernel{.fn = &RunKernel<Apply<kResource>>, .state = std::move(state)};
}

// Of a variable, as far as its reference or handle tells.
PartialShape VariableShape(const ShapeContext& c, int i) {
  if (c.schema().inputs()[i].is_ref) return c.input(i);
  const HandleData* value = c.input_handle(i);
  return value != nullptr ? value->shape : PartialShape();
}

// var and slots have one shape, and so has the gradient but for the number of rows; hyperparameters are scalars.
absl::Status StepShape(ShapeContext& c) {
  PartialShape shape;
  int grad = 0, indices = -1;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const ArgSpec& input = c.schema().inputs()[i];
    if (input.is_ref || input.dtype == DType::kResource) {
      if (!input.is_ref) RETURN_IF_ERROR(c.ExpectScalar(i));
      ASSIGN_OR_RETURN(shape, shape.MergeWith(VariableShape(c, i)));
    } else if (IsGradient(input)) {
      grad = i;
    } else if (input.name == "indices") {
      RETURN_IF_ERROR(c.ExpectVector(i));
      indices = i;
    } else {
      RETURN_IF_ERROR(c.ExpectScalar(i));
    }
  }
  if (indices < 0) {
    ASSIGN_OR_RETURN(shape, shape.MergeWith(c.input(grad)));
  } else {
    RETURN_IF_ERROR(CheckScatterShapes(shape, c.input(indices), c.input(grad)));
    if (c.input(grad).has_rank()) RETURN_IF_ERROR(c.WithRankAtLeast(grad, 1).status());
  }
  if (c.num_outputs() == 1) c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status Add(OpLibrary& library, const std::string& op, const std::string& doc, KernelFactory kernel) {
  return library.Add({
      .signature = TensorFlowSignature(op),
      .doc = doc,
      .shape = StepShape,
      .kernel = std::move(kernel),
      .dtypes = kFloatTypes,
      .gradient = gradients::None,
  });
}

template <template <typename> class Rule>
absl::Status AddResource(OpLibrary& library, const std::string& name, const char* doc) {
  return Add(library, "ResourceApply" + name, doc, StepKernel<Rule, true, false>);
}

template <template <typename> class Rule>
absl::Status AddBoth(OpLibrary& library, const std::string& name, const char* doc) {
  RETURN_IF_ERROR(Add(library, "Apply" + name, doc, StepKernel<Rule, false, false>));
  return AddResource<Rule>(library, name, doc);
}

template <template <typename> class Rule>
absl::Status AddSparseResource(OpLibrary& library, const std::string& name) {
  return Add(library, "ResourceSparseApply" + name,
             absl::StrCat("ResourceApply", name, " on the rows that indices name"), StepKernel<Rule, true, true>);
}

template <template <typename> class Rule>
absl::Status AddBothSparse(OpLibrary& library, const std::string& name) {
  RETURN_IF_ERROR(Add(library, "SparseApply" + name, absl::StrCat("Apply", name, " on the rows that indices name"),
                      StepKernel<Rule, false, true>));
  return AddSparseResource<Rule>(library, name);
}

absl::Status AddSparseOps(OpLibrary& library) {
  using namespace optimizer;  // NOLINT: the rules only
  RETURN_IF_ERROR(AddBothSparse<ProximalGradientDescent>(library, "ProximalGradientDescent"));
  RETURN_IF_ERROR(AddBothSparse<SparseMomentum>(library, "Momentum"));
  RETURN_IF_ERROR(AddSparseResource<KerasMomentum>(library, "KerasMomentum"));
  RETURN_IF_ERROR(AddBothSparse<Adagrad>(library, "Adagrad"));
  RETURN_IF_ERROR(AddBothSparse<AdagradV2>(library, "AdagradV2"));
  RETURN_IF_ERROR(AddBothSparse<ProximalAdagrad>(library, "ProximalAdagrad"));
  RETURN_IF_ERROR(AddBothSparse<AdagradDA>(library, "AdagradDA"));
  RETURN_IF_ERROR(AddBothSparse<Adadelta>(library, "Adadelta"));
  RETURN_IF_ERROR(AddBothSparse<SparseRmsProp>(library, "RMSProp"));
  RETURN_IF_ERROR(AddBothSparse<SparseCenteredRmsProp>(library, "CenteredRMSProp"));
  RETURN_IF_ERROR(AddBothSparse<SparseFtrl>(library, "Ftrl"));
  return AddBothSparse<SparseFtrlV2>(library, "FtrlV2");
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
  RETURN_IF_ERROR(AddBoth<FtrlV2>(library, "FtrlV2", "As Ftrl, with a shrinkage of var in the gradient"));
  return AddSparseOps(library);
}

}  // namespace flowlatch
