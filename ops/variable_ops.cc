// Reference variables. The output of VariableV2 is a reference; ops that update the variable pass the reference on.
//   Assign(ref, value), AssignAdd, AssignSub: value has the variable's shape; no broadcasting. Assign with
//     validate_shape=false may change the shape.
//   Scatter*(ref [n, slice..], indices [ids..], updates [ids.., slice..] or []): row by row, in order. All indices are
//     checked before anything is written.
//   CountUpTo: the scalar before it is increased; OutOfRange at the limit.
//   TemporaryVariable: zeros that live until DestroyTemporaryVariable, at most until the end of the step.
// A variable's name is its shared_name, else its node's name. It exists from the first execution of its node, without a
// value; the executor refuses reads of such a variable, and Assign and IsVariableInitialized take it.
//
// Values change in place, so whoever read a variable without copying sees later updates (semantics.md 7.3-7.5).
// use_locking: updates exclude each other. Without it they exclude only what would change shape or memory, and element
// updates of several threads mix (racy_access.h). Strings and 16-byte elements are always locked, and copied when
// shared.
#include "ops/variable_ops.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/racy_access.h"
#include "runtime/resource/variable.h"

namespace flowlatch {
namespace {

absl::StatusOr<Variable*> VariableInput(const KernelCall& c) {
  Variable* variable = ReferencedVariable(c.input(0));
  if (variable == nullptr)
    return absl::InvalidArgumentError("input 0: expected a reference to a variable, got another");
  return variable;
}

absl::Status Uninitialized(const Variable& variable) {
  return absl::FailedPreconditionError(
      absl::StrCat("variable '", variable.name(), "': expected a value, got an uninitialised variable"));
}

// Runs body() under the variable's lock.
template <typename Body>
absl::Status WithLock(Variable& variable, bool exclusive, Body&& body) {
  if (exclusive) {
    std::unique_lock<std::shared_mutex> lock(variable.mu);
    return body();
  }
  std::shared_lock<std::shared_mutex> lock(variable.mu);
  return body();
}

// Elements that may not race are written only in memory that no reader shares. Requires: the lock, exclusive for those.
absl::Status PrepareWrite(const KernelCall& c, Variable& variable) {
  return MayRace(variable.dtype()) ? absl::OkStatus() : variable.Unshare(c.step().services().allocator);
}

// ---- VariableV2, Variable, IsVariableInitialized

class VariableState : public KernelState {
 public:
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

absl::Status MakeVariable(KernelCall& c) {
  const VariableState& state = c.state<VariableState>();
  ASSIGN_OR_RETURN(RefPtr<Variable> variable,
                   LookupOrCreateVariable(c.step().resources(), *state.key, state.dtype, state.shape));
  c.SetOutput(0, Tensor::MakeRef(std::move(variable), state.dtype));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> VariableKernel(const NodeInfo& node) {
  auto state = std::make_shared<VariableState>();
  ASSIGN_OR_RETURN(state->dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(state->shape, node.AttrAs<PartialShape>("shape"));
  ASSIGN_OR_RETURN(state->key->container, node.Str("container"));
  ASSIGN_OR_RETURN(state->key->name, node.Str("shared_name"));
  if (state->key->name.empty()) state->key->name = std::string(node.name());
  state->key->type_name = "Var";
  return Kernel{.fn = &RunKernel<MakeVariable>, .state = std::move(state)};
}

absl::Status ShapeFromAttr(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.AttrAs<PartialShape>("shape"));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

// In graphs that still use Variable, the shape [] also stands for an unknown one.
absl::Status OldVariableShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.AttrAs<PartialShape>("shape"));
  if (shape.rank() > 0) c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status IsInitialized(KernelCall& c) {
  ASSIGN_OR_RETURN(Variable * variable, VariableInput(c));
  std::shared_lock<std::shared_mutex> lock(variable->mu);
  c.output(0).SetScalar(variable->value.has_value());
  return absl::OkStatus();
}

// ---- Assign, AssignAdd, AssignSub

class UpdateState : public KernelState {
 public:
  Update update = Update::kAssign;
  UpdateLoops loops;  // several only of siblings
  bool exclusive = true;
  bool validate_shape = false;
};

absl::Status CheckAssignedShape(const Variable& variable, const Tensor& value) {
  const PartialShape want = variable.value.has_value() ? variable.value.shape() : variable.declared_shape();
  if (want.CompatibleWith(value.shape())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("value for variable '", variable.name(), "': expected shape ",
                                                 want.ToString(), ", got ", value.ShapeString()));
}

void AssignElements(const KernelCall& c, Variable& variable) {
  UpdateByInputs(c, c.state<UpdateState>().loops, variable.value);
}

// The value in memory that reads share. Scalars of their own live inside the tensor, where each read would copy them;
// but whoever reads a reference variable sees later updates, whatever its shape.
absl::StatusOr<Tensor> TakeShared(const KernelCall& c) {
  ASSIGN_OR_RETURN(Tensor value, TakeInput(c, 1));
  const bool is_inline = !value.SharesBufferWith(value);
  if (!value.is_scalar() || !is_inline || !MayRace(value.dtype())) return value;
  ASSIGN_OR_RETURN(Tensor shared, Tensor::Make(value.dtype(), {1}, c.step().services().allocator));
  std::memcpy(shared.raw_mutable_data(), value.raw_data(), DTypeSize(value.dtype()));
  return shared.Reshaped(Shape());
}

// Requires: the exclusive lock. A buffer of the right size is kept, as references to it expect.
absl::Status Replace(const KernelCall& c, Variable& variable, const Tensor& value) {
  if (c.state<UpdateState>().validate_shape) RETURN_IF_ERROR(CheckAssignedShape(variable, value));
  Tensor& old = variable.value;
  const bool keep = old.has_value() && old.num_elements() == value.num_elements() &&
                    (MayRace(variable.dtype()) || old.is_sole_owner());
  if (!keep) {
    ASSIGN_OR_RETURN(old, TakeShared(c));
    return absl::OkStatus();
  }
  if (old.dims() != value.dims()) {
    ASSIGN_OR_RETURN(old, old.Reshaped(value.shape()));
  }
  AssignElements(c, variable);
  return absl::OkStatus();
}

// Without a lock the usual case, a value of the same shape, is copied next to readers and other updates.
bool AssignUnlocked(const KernelCall& c, Variable& variable, const Tensor& value) {
  std::shared_lock<std::shared_mutex> lock(variable.mu);
  if (!variable.value.has_value() || variable.value.dims() != value.dims()) return false;
  AssignElements(c, variable);
  return true;
}

absl::Status Assign(KernelCall& c) {
  ASSIGN_OR_RETURN(Variable * variable, VariableInput(c));
  const Tensor& value = c.input(1);
  if (c.state<UpdateState>().exclusive || !AssignUnlocked(c, *variable, value)) {
    std::unique_lock<std::shared_mutex> lock(variable->mu);
    RETURN_IF_ERROR(Replace(c, *variable, value));
  }
  c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

// Of one node, or of siblings, which give no output.
absl::Status UpdateAll(KernelCall& c) {
  ASSIGN_OR_RETURN(Variable * variable, VariableInput(c));
  const UpdateState& state = c.state<UpdateState>();
  RETURN_IF_ERROR(WithLock(*variable, state.exclusive, [&]() -> absl::Status {
    if (!variable->value.has_value()) return Uninitialized(*variable);
    RETURN_IF_ERROR(CheckUpdateShapes(c, variable->value));
    RETURN_IF_ERROR(PrepareWrite(c, *variable));
    UpdateByInputs(c, state.loops, variable->value);
    return absl::OkStatus();
  }));
  if (c.num_outputs() > 0) c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<UpdateState>> MakeUpdateState(const NodeInfo& node, Update update) {
  auto state = std::make_shared<UpdateState>();
  state->update = update;
  const DType dtype = node.input_dtype(0);
  ASSIGN_OR_RETURN(state->loops, FindUpdateLoops(node, update, dtype));
  ASSIGN_OR_RETURN(const bool use_locking, node.Bool("use_locking"));
  state->exclusive = use_locking || !MayRace(dtype);
  return state;
}

template <absl::Status (*kCompute)(KernelCall&), Update kUpdate>
absl::StatusOr<Kernel> UpdateKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::shared_ptr<UpdateState> state, MakeUpdateState(node, kUpdate));
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::StatusOr<Kernel> AssignKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::shared_ptr<UpdateState> state, MakeUpdateState(node, Update::kAssign));
  ASSIGN_OR_RETURN(state->validate_shape, node.Bool("validate_shape"));
  return Kernel{.fn = &RunKernel<Assign>, .state = std::move(state)};
}

absl::Status AssignShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const bool validate_shape, c.Bool("validate_shape"));
  if (validate_shape) return shapes::MergeOfInputs(c);
  c.SetOutput(0, c.input(1));
  return absl::OkStatus();
}

// ---- Scatter*

absl::Status Scatter(KernelCall& c) {
  ASSIGN_OR_RETURN(Variable * variable, VariableInput(c));
  const UpdateState& state = c.state<UpdateState>();
  RETURN_IF_ERROR(WithLock(*variable, state.exclusive, [&]() -> absl::Status {
    if (!variable->value.has_value()) return Uninitialized(*variable);
    ASSIGN_OR_RETURN(const ScatterPlan plan, PlanScatter(state.update, variable->value, c.input(1), c.input(2)));
    ASSIGN_OR_RETURN(const Tensor updates, ApartFrom(*variable, c.input(2)));
    RETURN_IF_ERROR(PrepareWrite(c, *variable));
    RunScatter(plan, state.loops[0], variable->value, updates);
    return absl::OkStatus();
  }));
  c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

absl::Status ScatterShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckScatterShapes(c.input(0), c.input(1), c.input(2)));
  c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

// ---- CountUpTo

class CountState : public KernelState {
 public:
  explicit CountState(int64_t limit) : limit(limit) {}
  const int64_t limit;
};

template <typename T>
absl::Status CountUpTo(KernelCall& c) {
  ASSIGN_OR_RETURN(Variable * variable, VariableInput(c));
  const int64_t limit = c.state<CountState>().limit;
  std::unique_lock<std::shared_mutex> lock(variable->mu);
  Tensor& value = variable->value;
  if (!value.has_value()) return Uninitialized(*variable);
  RETURN_IF_ERROR(ExpectSameShape("ref", {}, value.dims()));
  T* count = value.mutable_data<T>();
  const T before = *count;
  if (before >= limit) {
    return absl::OutOfRangeError(absl::StrCat("variable '", variable->name(), "': reached limit of ", limit));
  }
  const T one = 1;
  RacyUpdate(count, &one, 1, 0, [](T a, T b) { return static_cast<T>(a + b); });
  c.output(0).SetScalar<T>(before);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> CountUpToKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t limit, node.Int("limit"));
  const KernelFn fn = DispatchDType<kIndexTypes>(node.input_dtype(0), KernelFn{},
                                                 []<typename T>() -> KernelFn { return &RunKernel<CountUpTo<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<CountState>(limit)};
}

absl::Status CountUpToShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  return shapes::Scalar(c);
}

// ---- TemporaryVariable, DestroyTemporaryVariable

constexpr char kTemporaries[] = "temporary variables";  // their container among the step's resources

class TemporaryState : public KernelState {
 public:
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
};

// Iterations of a loop have their own temporaries.
std::string TemporaryName(const KernelCall& c) { return c.state<TemporaryState>().name + c.step().FrameTag(); }

absl::Status MakeTemporary(KernelCall& c) {
  const TemporaryState& state = c.state<TemporaryState>();
  const std::string name = TemporaryName(c);
  bool created = false;
  ASSIGN_OR_RETURN(RefPtr<Variable> variable, c.step().services().step_resources->LookupOrCreate<Variable>(
                                                  kTemporaries, name, [&]() -> absl::StatusOr<RefPtr<Variable>> {
                                                    created = true;
                                                    RefPtr<Variable> made = MakeRef<Variable>(state.dtype, name);
                                                    ASSIGN_OR_RETURN(made->value,
                                                                     Tensor::Zeros(state.dtype, state.shape));
                                                    return made;
                                                  }));
  if (!created) {
    return absl::AlreadyExistsError(
        absl::StrCat("temporary variable '", name, "': expected a name not in use in this step"));
  }
  c.SetOutput(0, Tensor::MakeRef(std::move(variable), state.dtype));
  return absl::OkStatus();
}

absl::Status DestroyTemporary(KernelCall& c) {
  ASSIGN_OR_RETURN(Variable * variable, VariableInput(c));
  RETURN_IF_ERROR(c.step().services().step_resources->Delete<Variable>(kTemporaries, TemporaryName(c)));
  c.SetOutput(0, variable->Read());
  return absl::OkStatus();
}

absl::StatusOr<Kernel> TemporaryKernel(const NodeInfo& node) {
  auto state = std::make_shared<TemporaryState>();
  ASSIGN_OR_RETURN(state->name, node.Str("var_name"));
  if (state->name.empty()) state->name = std::string(node.name());
  ASSIGN_OR_RETURN(state->dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(const PartialShape shape, node.AttrAs<PartialShape>("shape"));
  const std::optional<Shape> complete = shape.ToShape();
  if (!complete.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("shape: expected a complete shape, got ", shape.ToString()));
  }
  state->shape = *complete;
  return Kernel{.fn = &RunKernel<MakeTemporary>, .state = std::move(state)};
}

absl::StatusOr<Kernel> DestroyTemporaryKernel(const NodeInfo& node) {
  auto state = std::make_shared<TemporaryState>();
  ASSIGN_OR_RETURN(state->name, node.Str("var_name"));
  return Kernel{.fn = &RunKernel<DestroyTemporary>, .state = std::move(state)};
}

absl::Status AddScatters(OpLibrary& library) {
#define FLOWLATCH_SCATTER_NUMBERS                                                                                \
  "T: {float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, " \
  "quint16, "                                                                                                    \
  "uint16, complex128, float16, uint32, uint64}; Tindices: {int32, int64}; use_locking: bool = false"
#define FLOWLATCH_SCATTER_ORDERED \
  "T: {float16, bfloat16, float32, float64, int32, int64}; Tindices: {int32, int64}; use_locking: bool = false"
#define FLOWLATCH_SCATTER(name, attrs) \
  "Scatter" name "(ref: Ref(T), indices: Tindices, updates: T) -> (output_ref: Ref(T)); " attrs
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Update", "T: type; Tindices: {int32, int64}; use_locking: bool = true"),
      .doc = "Assigns updates to the rows of ref that indices name",
      .shape = ScatterShape,
      .kernel = UpdateKernel<Scatter, Update::kAssign>,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Add", FLOWLATCH_SCATTER_NUMBERS),
      .doc = "Adds updates to the rows of ref that indices name",
      .shape = ScatterShape,
      .kernel = UpdateKernel<Scatter, Update::kAdd>,
      .dtypes = kNumberTypes,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Sub", FLOWLATCH_SCATTER_NUMBERS),
      .doc = "Subtracts updates from the rows of ref that indices name",
      .shape = ScatterShape,
      .kernel = UpdateKernel<Scatter, Update::kSub>,
      .dtypes = kNumberTypes,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Mul", FLOWLATCH_SCATTER_NUMBERS),
      .doc = "Multiplies the rows of ref that indices name by updates",
      .shape = ScatterShape,
      .kernel = UpdateKernel<Scatter, Update::kMul>,
      .dtypes = kNumberTypes,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Div", FLOWLATCH_SCATTER_NUMBERS),
      .doc = "Divides the rows of ref that indices name by updates, integers towards zero",
      .shape = ScatterShape,
      .kernel = UpdateKernel<Scatter, Update::kDiv>,
      .dtypes = kNumberTypes,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Min", FLOWLATCH_SCATTER_ORDERED),
      .doc = "Lowers the rows of ref that indices name to updates where those are less",
      .shape = ScatterShape,
      .kernel = UpdateKernel<Scatter, Update::kMin>,
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = FLOWLATCH_SCATTER("Max", FLOWLATCH_SCATTER_ORDERED),
      .doc = "Raises the rows of ref that indices name to updates where those are greater",
      .shape = ScatterShape,
      .kernel = UpdateKernel<Scatter, Update::kMax>,
      .gradient = gradients::None,
  });
#undef FLOWLATCH_SCATTER
#undef FLOWLATCH_SCATTER_ORDERED
#undef FLOWLATCH_SCATTER_NUMBERS
}

absl::Status AddAssignments(OpLibrary& library) {
#define FLOWLATCH_NUMBERS                                                                                        \
  "T: {float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, " \
  "quint16, "                                                                                                    \
  "uint16, complex128, float16, uint32, uint64}"
  RETURN_IF_ERROR(library.Add({
      .signature = "Assign(ref: Ref(T), value: T) -> (output_ref: Ref(T)); T: type; validate_shape: bool = true; "
                   "use_locking: bool = true; uninitialized_ok",
      .doc = "Gives a variable a value",
      .shape = AssignShape,
      .kernel = AssignKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "AssignAdd(ref: Ref(T), value: T) -> (output_ref: Ref(T)); " FLOWLATCH_NUMBERS "; use_locking: bool = false",
      .doc = "Adds value to a variable of the same shape",
      .shape = shapes::MergeOfInputs,
      .kernel = UpdateKernel<UpdateAll, Update::kAdd>,
      .dtypes = kNumberTypes,
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature =
          "AssignSub(ref: Ref(T), value: T) -> (output_ref: Ref(T)); " FLOWLATCH_NUMBERS "; use_locking: bool = false",
      .doc = "Subtracts value from a variable of the same shape",
      .shape = shapes::MergeOfInputs,
      .kernel = UpdateKernel<UpdateAll, Update::kSub>,
      .dtypes = kNumberTypes,
      .gradient = gradients::None,
  });
#undef FLOWLATCH_NUMBERS
}

}  // namespace

absl::Status RegisterVariableOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "VariableV2() -> (ref: Ref(dtype)); shape: shape; dtype: type; container: string = \"\"; "
                   "shared_name: string = \"\"; stateful",
      .doc = "A reference to the session's variable of this name, which has no value until it is assigned",
      .shape = ShapeFromAttr,
      .kernel = VariableKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Variable() -> (ref: Ref(dtype)); shape: shape; dtype: type; container: string = \"\"; "
                   "shared_name: string = \"\"; stateful",
      .doc = "As VariableV2; a shape of [] also stands for an unknown one",
      .shape = OldVariableShape,
      .kernel = VariableKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "IsVariableInitialized(ref: Ref(dtype)) -> (is_initialized: bool); dtype: type; uninitialized_ok",
      .doc = "Whether a variable has a value",
      .shape = shapes::Scalar,
      .kernel = PlainKernel<IsInitialized>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "CountUpTo(ref: Ref(T)) -> (output: T); limit: int; T: {int32, int64}",
      .doc = "Adds one to a scalar variable and returns what it was; OutOfRange once it has reached limit",
      .shape = CountUpToShape,
      .kernel = CountUpToKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "TemporaryVariable() -> (ref: Ref(dtype)); shape: shape; dtype: type; var_name: string = \"\"; stateful",
      .doc = "A reference to a new variable full of zeros that lives until DestroyTemporaryVariable",
      .shape = ShapeFromAttr,
      .kernel = TemporaryKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "DestroyTemporaryVariable(ref: Ref(T)) -> (value: T); T: type; var_name: string",
      .doc = "The last value of a temporary variable, which ends here",
      .shape = shapes::SameAsInput,
      .kernel = DestroyTemporaryKernel,
  }));
  RETURN_IF_ERROR(AddAssignments(library));
  return AddScatters(library);
}

}  // namespace flowlatch
