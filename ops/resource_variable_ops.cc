// Resource variables, which ops reach through a handle.
//   VarHandleOp: the handle of (container, shared_name), taken as they are: two handles without a name are one
//   variable.
//     A special name stands for a new variable each time, which lives as long as its handles.
//   ReadVariableOp: the value, without copying. A value once read never changes: updates copy what a reader still has.
//     In copy-on-read mode, which sparse optimizer steps without a lock begin and DisableCopyOnRead ends, reads copy.
//   _VarHandlesOp, _ReadVariablesOp: the same of several variables, as TensorFlow's optimised graphs have them.
//   AssignVariableOp: makes the variable if there is none; the shape may change unless validate_shape. In copy-on-read
//     mode the value is copied.
//   AssignAdd/SubVariableOp: value has the variable's shape. Always atomic, as are the scatters.
//   ResourceGather(Nd): as GatherV2 and GatherNd along the leading dimensions, without taking the whole value.
//   ResourceScatter*: as Scatter* in variable_ops.cc.
// A variable that is missing or has no value: FailedPrecondition where it is read whole, NotFound in the other ops. A
// handle of none: the same where it is read whole, not initialised for VarIsInitializedOp, InvalidArgument in the
// others.
#include "ops/resource_variable_ops.h"

#include <algorithm>
#include <limits>
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
#include "runtime/resource/variable.h"

namespace flowlatch {
namespace {

using ExclusiveLock = std::unique_lock<std::shared_mutex>;
using SharedLock = std::shared_lock<std::shared_mutex>;

absl::StatusOr<const ResourceHandle*> HandleInput(const KernelCall& c, int i = 0) {
  const Tensor& handle = c.input(i);
  if (handle.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("resource: expected one handle, got shape ", handle.ShapeString()));
  }
  return handle.data<ResourceHandle>();
}

absl::StatusOr<RefPtr<Variable>> VariableInput(const KernelCall& c) {
  ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(c));
  return LookupVariable(c.step().resources(), *handle);
}

absl::Status CheckDType(const Variable& variable, DType dtype) {
  if (variable.dtype() == dtype) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("variable '", variable.name(), "': expected dtype ",
                                                 std::string(DTypeName(variable.dtype())), ", got ",
                                                 std::string(DTypeName(dtype))));
}

absl::Status NoValue(const Variable& variable) {
  return absl::NotFoundError(absl::StrCat("variable '", variable.name(), "': expected a value, got none"));
}

// Requires: the variable's lock.
absl::Status CheckValue(const Variable& variable, DType dtype) {
  return variable.value.has_value() ? CheckDType(variable, dtype) : NoValue(variable);
}

// ---- Shapes. As in TensorFlow, a variable is believed to have the shape that its handle says.

absl::Status VarHandleShape(ShapeContext& c) {
  HandleData value;
  ASSIGN_OR_RETURN(value.dtype, c.AttrAs<DType>("dtype"));
  ASSIGN_OR_RETURN(value.shape, c.AttrAs<PartialShape>("shape"));
  c.SetOutputHandle(0, std::move(value));
  return shapes::Scalar(c);
}

absl::Status VarHandlesShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const std::vector<DType> dtypes, c.AttrAs<std::vector<DType>>("dtypes"));
  ASSIGN_OR_RETURN(const std::vector<PartialShape> shapes, c.AttrAs<std::vector<PartialShape>>("shapes"));
  const size_t n = static_cast<size_t>(c.num_outputs());
  if (dtypes.size() != n || shapes.size() != n) {
    return absl::InvalidArgumentError(
        absl::StrCat("dtypes and shapes: expected ", n, " values each, got ", dtypes.size(), " and ", shapes.size()));
  }
  for (size_t i = 0; i < n; ++i) {
    c.SetOutputHandle(static_cast<int>(i), HandleData{.dtype = dtypes[i], .shape = shapes[i]});
    c.SetOutput(static_cast<int>(i), PartialShape(Shape()));
  }
  return absl::OkStatus();
}

absl::Status ReadVariablesShape(ShapeContext& c) {
  for (int i = 0; i < std::min(c.num_inputs(), c.num_outputs()); ++i) {
    if (const HandleData* value = c.input_handle(i)) c.SetOutput(i, value->shape);
  }
  return absl::OkStatus();
}

absl::Status CheckHandle(const ShapeContext& c, std::string_view type_attr) {
  ASSIGN_OR_RETURN(const DType dtype, c.AttrAs<DType>(type_attr));
  const HandleData* value = c.input_handle(0);
  if (value == nullptr || value->dtype == DType::kInvalid || value->dtype == dtype) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("variable: expected dtype ", std::string(DTypeName(value->dtype)),
                                                 " of its handle, got ", std::string(DTypeName(dtype))));
}

// Of an op whose dtype is that of the variable behind input 0.
template <absl::Status (*kShape)(ShapeContext&)>
absl::Status OfVariable(ShapeContext& c) {
  RETURN_IF_ERROR(CheckHandle(c, "dtype"));
  return kShape(c);
}

absl::Status ReadShape(ShapeContext& c) {
  if (const HandleData* value = c.input_handle(0)) c.SetOutput(0, value->shape);
  return absl::OkStatus();
}

absl::Status CountUpToShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckHandle(c, "T"));
  return shapes::Scalar(c);
}

// ---- VarHandleOp, VarIsInitializedOp, DestroyResourceOp, DisableCopyOnRead

// The name by which TensorFlow asks for a variable without a name.
constexpr char kAnonymousName[] = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";

struct HandleSpec {
  DType dtype = DType::kInvalid;
  PartialShape shape;
  Tensor handle;  // none for a variable without a name
};

class HandleState : public KernelState {
 public:
  std::vector<HandleSpec> handles;  // by output
};

Tensor AnonymousHandle(const HandleSpec& spec) {
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->name = "anonymous";
  RefPtr<Variable> variable = MakeRef<Variable>(spec.dtype, key->name, spec.shape);
  key->type_name = variable->TypeName();
  key->resource = RefPtr<const RefCounted>(std::move(variable));
  return Tensor::Scalar(ResourceHandle(std::move(key)));
}

absl::Status MakeHandles(KernelCall& c) {
  const std::vector<HandleSpec>& handles = c.state<HandleState>().handles;
  for (size_t i = 0; i < handles.size(); ++i) {
    c.SetOutput(static_cast<int>(i), handles[i].handle.has_value() ? handles[i].handle : AnonymousHandle(handles[i]));
  }
  return absl::OkStatus();
}

HandleSpec MakeHandleSpec(DType dtype, const PartialShape& shape, const std::string& container,
                          const std::string& shared_name) {
  HandleSpec spec{.dtype = dtype, .shape = shape, .handle = Tensor()};
  if (shared_name == kAnonymousName) return spec;
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->container = container;
  key->name = shared_name;
  key->type_name = "Var";
  spec.handle = Tensor::Scalar(ResourceHandle(std::move(key)));
  return spec;
}

absl::StatusOr<Kernel> VarHandleKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(const PartialShape shape, node.AttrAs<PartialShape>("shape"));
  ASSIGN_OR_RETURN(const std::string container, node.Str("container"));
  ASSIGN_OR_RETURN(const std::string name, node.Str("shared_name"));
  auto state = std::make_shared<HandleState>();
  state->handles.push_back(MakeHandleSpec(dtype, shape, container, name));
  return Kernel{.fn = &RunKernel<MakeHandles>, .state = std::move(state)};
}

absl::StatusOr<Kernel> VarHandlesKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::vector<DType> dtypes, node.AttrAs<std::vector<DType>>("dtypes"));
  ASSIGN_OR_RETURN(const std::vector<PartialShape> shapes, node.AttrAs<std::vector<PartialShape>>("shapes"));
  ASSIGN_OR_RETURN(const std::vector<std::string> containers, node.AttrAs<std::vector<std::string>>("containers"));
  ASSIGN_OR_RETURN(const std::vector<std::string> names, node.AttrAs<std::vector<std::string>>("shared_names"));
  const size_t n = static_cast<size_t>(node.num_outputs());
  if (dtypes.size() != n || shapes.size() != n || containers.size() != n || names.size() != n) {
    return absl::InvalidArgumentError(absl::StrCat("containers, shared_names, dtypes and shapes: expected ", n,
                                                   " values each, got ", containers.size(), ", ", names.size(), ", ",
                                                   dtypes.size(), " and ", shapes.size()));
  }
  auto state = std::make_shared<HandleState>();
  for (size_t i = 0; i < n; ++i) {
    state->handles.push_back(MakeHandleSpec(dtypes[i], shapes[i], containers[i], names[i]));
  }
  return Kernel{.fn = &RunKernel<MakeHandles>, .state = std::move(state)};
}

absl::Status IsInitialized(KernelCall& c) {
  ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(c));
  const absl::StatusOr<RefPtr<Variable>> variable = LookupVariable(c.step().resources(), *handle);
  c.output(0).SetScalar(variable.ok() && (*variable)->Read().has_value());
  return absl::OkStatus();
}

class DestroyState : public KernelState {
 public:
  explicit DestroyState(bool ignore_missing) : ignore_missing(ignore_missing) {}
  const bool ignore_missing;
};

absl::Status Destroy(KernelCall& c) {
  ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(c));
  const absl::Status status = c.step().resources().Delete(*handle);
  return absl::IsNotFound(status) && c.state<DestroyState>().ignore_missing ? absl::OkStatus() : status;
}

absl::StatusOr<Kernel> DestroyKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool ignore_missing, node.Bool("ignore_lookup_error"));
  return Kernel{.fn = &RunKernel<Destroy>, .state = std::make_shared<DestroyState>(ignore_missing)};
}

absl::Status DisableCopyOnRead(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Variable> variable, VariableInput(c));
  ExclusiveLock lock(variable->mu);
  variable->copy_on_read = false;
  return absl::OkStatus();
}

// ---- ReadVariableOp, VariableShape

class ReadState : public KernelState {
 public:
  std::vector<DType> dtypes;  // by output
};

absl::Status ReadOne(KernelCall& c, int i, DType dtype) {
  ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(c, i));
  const absl::StatusOr<RefPtr<Variable>> variable = LookupVariable(c.step().resources(), *handle);
  if (ABSL_PREDICT_TRUE(variable.ok())) {
    RETURN_IF_ERROR(CheckDType(**variable, dtype));
    RETURN_IF_ERROR((*variable)->Snapshot(c.step().services().allocator, &c.output(i)));
    if (c.output(i).has_value()) return absl::OkStatus();
  } else if (!absl::IsNotFound(variable.status())) {  // no handle of a variable
    return absl::FailedPreconditionError(variable.status().message());
  }
  return absl::FailedPreconditionError(
      absl::StrCat("variable '", handle->get()->name, "': expected a value, got none (not initialised, or destroyed)"));
}

absl::Status Read(KernelCall& c) {
  const std::vector<DType>& dtypes = c.state<ReadState>().dtypes;
  for (size_t i = 0; i < dtypes.size(); ++i) RETURN_IF_ERROR(ReadOne(c, static_cast<int>(i), dtypes[i]));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ReadKernel(const NodeInfo& node) {
  if (node.num_inputs() != node.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("dtypes: expected ", node.num_inputs(), " values, got ", node.num_outputs()));
  }
  auto state = std::make_shared<ReadState>();
  for (int i = 0; i < node.num_outputs(); ++i) state->dtypes.push_back(node.output_dtype(i));
  return Kernel{.fn = &RunKernel<Read>, .state = std::move(state)};
}

template <typename T>
absl::Status ShapeOf(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Variable> variable, VariableInput(c));
  const Tensor value = variable->Read();
  if (!value.has_value()) return NoValue(*variable);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, {value.rank()}));
  for (int i = 0; i < value.rank(); ++i) {
    if (value.dim(i) > std::numeric_limits<T>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("dimension ", i, " of variable '", variable->name(),
                                                     "': expected one that fits out_type int32, got ", value.dim(i)));
    }
    output->mutable_data<T>()[i] = static_cast<T>(value.dim(i));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> VariableShapeKernel(const NodeInfo& node) {
  return Kernel{.fn = node.output_dtype(0) == DType::kInt64 ? &RunKernel<ShapeOf<int64_t>>
                                                            : &RunKernel<ShapeOf<int32_t>>};
}

absl::Status SomeVector(ShapeContext& c) {
  c.SetOutput(0, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

// ---- AssignVariableOp, AssignAddVariableOp, AssignSubVariableOp, ResourceScatter*

class UpdateState : public KernelState {
 public:
  Update update = Update::kAssign;
  DType dtype = DType::kInvalid;
  UpdateLoops loops;  // several only of siblings
  bool validate_shape = false;
};

absl::Status Assign(KernelCall& c) {
  const UpdateState& state = c.state<UpdateState>();
  ASSIGN_OR_RETURN(const ResourceHandle* handle, HandleInput(c));
  RefPtr<Variable> variable;
  if (*handle && !(*handle)->resource) {
    ASSIGN_OR_RETURN(variable, LookupOrCreateVariable(c.step().resources(), *handle->get(), state.dtype));
  } else {
    ASSIGN_OR_RETURN(variable, LookupVariable(c.step().resources(), *handle));
    RETURN_IF_ERROR(CheckDType(*variable, state.dtype));
  }
  Tensor value = c.TakeInput(1);
  if (value.is_borrowed()) {
    ASSIGN_OR_RETURN(value, value.Clone(c.step().services().allocator));
  }
  ExclusiveLock lock(variable->mu);
  if (variable->copy_on_read && !value.is_sole_owner()) {
    ASSIGN_OR_RETURN(value, value.Clone(c.step().services().allocator));
  }
  if (state.validate_shape && variable->value.has_value()) {
    RETURN_IF_ERROR(ExpectSameShape("value", variable->value.dims(), value.dims()));
  }
  std::swap(variable->value, value);  // the old value goes without the lock
  lock.unlock();
  return absl::OkStatus();
}

absl::Status UpdateAll(KernelCall& c) {
  const UpdateState& state = c.state<UpdateState>();
  ASSIGN_OR_RETURN(const RefPtr<Variable> variable, VariableInput(c));
  ExclusiveLock lock(variable->mu);
  RETURN_IF_ERROR(CheckValue(*variable, state.dtype));
  RETURN_IF_ERROR(CheckUpdateShapes(c, variable->value));
  RETURN_IF_ERROR(variable->Unshare(c.step().services().allocator));
  UpdateByInputs(c, state.loops, variable->value);
  return absl::OkStatus();
}

absl::Status Scatter(KernelCall& c) {
  const UpdateState& state = c.state<UpdateState>();
  ASSIGN_OR_RETURN(const RefPtr<Variable> variable, VariableInput(c));
  ExclusiveLock lock(variable->mu);
  RETURN_IF_ERROR(CheckValue(*variable, state.dtype));
  ASSIGN_OR_RETURN(const ScatterPlan plan, PlanScatter(state.update, variable->value, c.input(1), c.input(2)));
  if (plan.rows.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(variable->Unshare(c.step().services().allocator));
  RunScatter(plan, state.loops[0], variable->value, c.input(2));
  return absl::OkStatus();
}

template <absl::Status (*kCompute)(KernelCall&), Update kUpdate>
absl::StatusOr<Kernel> UpdateKernel(const NodeInfo& node) {
  auto state = std::make_shared<UpdateState>();
  state->update = kUpdate;
  ASSIGN_OR_RETURN(state->dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(state->loops, FindUpdateLoops(node, kUpdate, state->dtype));
  if (node.schema().FindAttr("validate_shape") != nullptr) {
    ASSIGN_OR_RETURN(state->validate_shape, node.Bool("validate_shape"));
  }
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::Status ScatterShapes(ShapeContext& c) { return CheckScatterShapes(PartialShape(), c.input(1), c.input(2)); }

// ---- ResourceGather, ResourceGatherNd: the kernels of GatherV2 and GatherNd on the variable's value

class GatherState : public KernelState {
 public:
  DType dtype = DType::kInvalid;
  Kernel gather;
  Tensor axis;
};

KernelStatus Gather(KernelCall& c) {
  const GatherState& state = c.state<GatherState>();
  const absl::StatusOr<RefPtr<Variable>> variable = VariableInput(c);
  if (!variable.ok()) return c.Fail(variable.status());
  // Held to the end, so that an update waits instead of copying all that is about to be let go.
  SharedLock lock((*variable)->mu);
  if (absl::Status status = CheckValue(**variable, state.dtype); !status.ok()) return c.Fail(std::move(status));
  Tensor inputs[] = {(*variable)->value, c.input(1), state.axis};
  constexpr uint32_t kSlots[] = {0, 1, 2};
  KernelCall gather(&c.step(), inputs, kSlots, &c.output(0), state.gather.state.get(), state.axis.has_value() ? 3 : 2,
                    1, 0, c.node());
  return state.gather.fn(gather);
}

absl::StatusOr<Kernel> MakeGather(const OpLibrary& library, const NodeInfo& node, const char* op, const AttrMap& attrs,
                                  Tensor axis) {
  const OpSchema* schema = library.registry().FindRegistered(op);
  if (schema == nullptr) return absl::UnimplementedError(absl::StrCat("op ", op, ": expected it to be registered"));
  ASSIGN_OR_RETURN(const std::vector<PortType> inputs, schema->InputTypes(attrs));
  ASSIGN_OR_RETURN(const std::vector<PortType> outputs, schema->OutputTypes(attrs));
  auto state = std::make_shared<GatherState>();
  state->dtype = node.output_dtype(0);
  state->axis = std::move(axis);
  ASSIGN_OR_RETURN(state->gather, library.MakeKernel(NodeInfo(node.name(), *schema, attrs, inputs, outputs)));
  return Kernel{.fn = &Gather, .state = std::move(state)};
}

absl::StatusOr<Kernel> GatherKernel(const OpLibrary& library, const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t batch_dims, node.Int("batch_dims"));
  if (batch_dims < 0) {
    return absl::InvalidArgumentError(absl::StrCat("batch_dims: expected a value >= 0, got ", batch_dims));
  }
  const AttrMap attrs{{"Tparams", node.output_dtype(0)},
                      {"Tindices", node.input_dtype(1)},
                      {"Taxis", DType::kInt64},
                      {"batch_dims", batch_dims}};
  return MakeGather(library, node, "GatherV2", attrs, Tensor::Scalar<int64_t>(batch_dims));
}

absl::StatusOr<Kernel> GatherNdKernel(const OpLibrary& library, const NodeInfo& node) {
  const AttrMap attrs{{"Tparams", node.output_dtype(0)}, {"Tindices", node.input_dtype(1)}};
  return MakeGather(library, node, "GatherNd", attrs, Tensor());
}

// ---- ResourceCountUpTo

class CountState : public KernelState {
 public:
  explicit CountState(int64_t limit) : limit(limit) {}
  const int64_t limit;
};

template <typename T>
absl::Status CountUpTo(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Variable> variable, VariableInput(c));
  const int64_t limit = c.state<CountState>().limit;
  ExclusiveLock lock(variable->mu);
  RETURN_IF_ERROR(CheckValue(*variable, kDTypeOf<T>));
  RETURN_IF_ERROR(ExpectSameShape("variable", {}, variable->value.dims()));
  const T count = variable->value.scalar<T>();
  if (count >= limit) {
    return absl::OutOfRangeError(absl::StrCat("variable '", variable->name(), "': reached limit of ", limit));
  }
  variable->value = Tensor::Scalar<T>(count + 1);
  c.output(0).SetScalar<T>(count);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> CountUpToKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t limit, node.Int("limit"));
  const KernelFn fn = DispatchDType<kIndexTypes>(node.output_dtype(0), KernelFn{},
                                                 []<typename T>() -> KernelFn { return &RunKernel<CountUpTo<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<CountState>(limit)};
}

// ---- Gradients: they go to the handle, in the dtype and shape of the variable

absl::Status ResourceGatherGrad(GradContext& c) {
  c.Set(0, GatheredRows(c, c.Op("VariableShape", {c.input(0)})));
  return absl::OkStatus();
}

absl::Status ResourceGatherNdGrad(GradContext& c) {
  const Output indices = c.input(1);
  const Output shape = c.Op("VariableShape", {c.input(0)}, {{"out_type", indices.dtype()}});
  const PartialShape& index_shape = c.input_shape(1);
  if (index_shape.rank() == 2 && index_shape.dim(1) == 1) {
    c.Set(0, IndexedSlices{c.grad(), c.Op("Squeeze", {indices}, {{"squeeze_dims", std::vector<int64_t>{-1}}}), shape});
  } else {
    c.Set(0, c.Op("ScatterNd", {indices, c.grad(), shape}));
  }
  return absl::OkStatus();
}

// ---- Registration

absl::Status AddHandles(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "VarHandleOp() -> (resource: resource); container: string = \"\"; shared_name: string = \"\"; "
                   "debug_name: string = \"\"; dtype: type; shape: shape; allowed_devices: list(string) = []; stateful",
      .doc = "The handle of a variable, whether or not it exists yet",
      .shape = VarHandleShape,
      .kernel = VarHandleKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "_VarHandlesOp() -> (resources: N * resource); containers: list(string); "
                   "shared_names: list(string); N: int >= 0; dtypes: list(type); shapes: list(shape); stateful",
      .doc = "The handles of several variables",
      .shape = VarHandlesShape,
      .kernel = VarHandlesKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "VarIsInitializedOp(resource: resource) -> (is_initialized: bool); stateful",
      .doc = "Whether a variable exists and has a value",
      .shape = shapes::Scalar,
      .kernel = PlainKernel<IsInitialized>,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "DestroyResourceOp(resource: resource) -> (); ignore_lookup_error: bool = true; stateful",
      .doc = "Deletes the resource that a handle points to; steps that use it keep it until they end",
      .shape = shapes::NoOutputs,
      .kernel = DestroyKernel,
  }));
  return library.Add({
      .signature = "DisableCopyOnRead(resource: resource) -> (); stateful",
      .doc = "Ends copy-on-read mode, which sparse steps without a lock begin: reads share the value again",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<DisableCopyOnRead>,
  });
}

absl::Status AddReads(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "ReadVariableOp(resource: resource) -> (value: dtype); dtype: type; stateful",
      .doc = "The value of a variable, which later updates do not change",
      .shape = OfVariable<ReadShape>,
      .kernel = ReadKernel,
      .gradient = gradients::Identity,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "_ReadVariablesOp(resources: N * resource) -> (values: dtypes); N: int >= 0; "
                   "dtypes: list(type) >= 1; stateful",
      .doc = "The values of several variables, each as by ReadVariableOp",
      .shape = ReadVariablesShape,
      .kernel = ReadKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "VariableShape(input: resource) -> (output: out_type); out_type: {int32, int64} = int32; stateful",
      .doc = "The shape of a variable's value",
      .shape = SomeVector,
      .kernel = VariableShapeKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ResourceCountUpTo(resource: resource) -> (output: T); limit: int; T: {int32, int64}; stateful",
      .doc = "Adds one to a scalar variable and returns what it was; OutOfRange once it has reached limit",
      .shape = CountUpToShape,
      .kernel = CountUpToKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ResourceGather(resource: resource, indices: Tindices) -> (output: dtype); batch_dims: int = 0; "
                   "validate_indices: bool = true; dtype: type; Tindices: {int32, int64}; stateful",
      .doc = "The rows of a variable that indices name",
      .shape = OfVariable<shapes::Unknown>,
      .kernel = [&library](const NodeInfo& node) { return GatherKernel(library, node); },
      .gradient = ResourceGatherGrad,
  }));
  return library.Add({
      .signature = "ResourceGatherNd(resource: resource, indices: Tindices) -> (output: dtype); dtype: type; "
                   "Tindices: {int32, int64}; stateful",
      .doc = "The slices of a variable at the coordinates in the last dimension of indices",
      .shape = OfVariable<shapes::Unknown>,
      .kernel = [&library](const NodeInfo& node) { return GatherNdKernel(library, node); },
      .gradient = ResourceGatherNdGrad,
  });
}

absl::Status AddAssignments(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature =
          "AssignVariableOp(resource: resource, value: dtype) -> (); dtype: type; validate_shape: bool = false; "
          "stateful",
      .doc = "Gives a variable a value, and makes it if it does not exist",
      .shape = OfVariable<shapes::NoOutputs>,
      .kernel = UpdateKernel<Assign, Update::kAssign>,
      .type_attr = "dtype",
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "AssignAddVariableOp(resource: resource, value: dtype) -> (); dtype: type; stateful",
      .doc = "Adds value to a variable of the same shape",
      .shape = OfVariable<shapes::NoOutputs>,
      .kernel = UpdateKernel<UpdateAll, Update::kAdd>,
      .dtypes = kNumberTypes,
      .type_attr = "dtype",
  }));
  return library.Add({
      .signature = "AssignSubVariableOp(resource: resource, value: dtype) -> (); dtype: type; stateful",
      .doc = "Subtracts value from a variable of the same shape",
      .shape = OfVariable<shapes::NoOutputs>,
      .kernel = UpdateKernel<UpdateAll, Update::kSub>,
      .dtypes = kNumberTypes,
      .type_attr = "dtype",
  });
}

absl::Status AddScatters(OpLibrary& library) {
#define FLOWLATCH_SCATTER(name, dtypes)                                                                  \
  "ResourceScatter" name "(resource: resource, indices: Tindices, updates: dtype) -> (); dtype: " dtypes \
  "; "                                                                                                   \
  "Tindices: {int32, int64}; stateful"
#define FLOWLATCH_NUMBERS                                                                                              \
  "{float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, " \
  "uint16, complex128, float16, uint32, uint64}"
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Update", "type"),
      .doc = "Assigns updates to the rows of a variable that indices name",
      .shape = OfVariable<ScatterShapes>,
      .kernel = UpdateKernel<Scatter, Update::kAssign>,
      .type_attr = "dtype",
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Add", FLOWLATCH_NUMBERS),
      .doc = "Adds updates to the rows of a variable that indices name",
      .shape = OfVariable<ScatterShapes>,
      .kernel = UpdateKernel<Scatter, Update::kAdd>,
      .dtypes = kNumberTypes,
      .type_attr = "dtype",
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Sub", FLOWLATCH_NUMBERS),
      .doc = "Subtracts updates from the rows of a variable that indices name",
      .shape = OfVariable<ScatterShapes>,
      .kernel = UpdateKernel<Scatter, Update::kSub>,
      .dtypes = kNumberTypes,
      .type_attr = "dtype",
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Mul", FLOWLATCH_NUMBERS),
      .doc = "Multiplies the rows of a variable that indices name by updates",
      .shape = OfVariable<ScatterShapes>,
      .kernel = UpdateKernel<Scatter, Update::kMul>,
      .dtypes = kNumberTypes,
      .type_attr = "dtype",
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Div", FLOWLATCH_NUMBERS),
      .doc = "Divides the rows of a variable that indices name by updates, integers towards zero",
      .shape = OfVariable<ScatterShapes>,
      .kernel = UpdateKernel<Scatter, Update::kDiv>,
      .dtypes = kNumberTypes,
      .type_attr = "dtype",
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = FLOWLATCH_SCATTER("Min", FLOWLATCH_NUMBERS),
      .doc = "Lowers the rows of a variable that indices name to updates where those are less",
      .shape = OfVariable<ScatterShapes>,
      .kernel = UpdateKernel<Scatter, Update::kMin>,
      .dtypes = kRealTypes,
      .type_attr = "dtype",
  }));
  return library.Add({
      .signature = FLOWLATCH_SCATTER("Max", FLOWLATCH_NUMBERS),
      .doc = "Raises the rows of a variable that indices name to updates where those are greater",
      .shape = OfVariable<ScatterShapes>,
      .kernel = UpdateKernel<Scatter, Update::kMax>,
      .dtypes = kRealTypes,
      .type_attr = "dtype",
  });
#undef FLOWLATCH_NUMBERS
#undef FLOWLATCH_SCATTER
}

}  // namespace

absl::Status RegisterResourceVariableOps(OpLibrary& library) {
  RETURN_IF_ERROR(AddHandles(library));
  RETURN_IF_ERROR(AddReads(library));
  RETURN_IF_ERROR(AddAssignments(library));
  return AddScatters(library);
}

}  // namespace flowlatch
