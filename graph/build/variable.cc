#include "graph/build/variable.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/build/builder_graph.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

std::string Key(const std::string& container, const std::string& shared_name) { return absl::StrCat(container, "/", shared_name); }

// Why `value` cannot be what a variable begins with; "" if it can.
std::string Unusable(GraphBuilder& b, const Output& value) {
  if (!value || value.builder() != &b) return "";  // an error of its own, when it is used
  if (value.graph() != 0) return "a function";
  BuilderGraph& g = b.graph_at(0);
  const ContextId context = g.ContextOf(value.port());
  if (context == kRootContext) return "";
  return g.LoopOf(context) >= 0 ? "a while loop" : "a cond";
}

}  // namespace

// --- Making one ----------------------------------------------------------------------------------------------------------------

GraphVariable GraphBuilder::Variable(std::string_view name, const Initializer& initial, std::source_location at) {
  return Variable(name, initial, VariableOptions(), at);
}

GraphVariable GraphBuilder::Variable(std::string_view name, const Initializer& initial, const VariableOptions& options, std::source_location at) {
  if (!Ready()) return {};
  const auto fail = [&](absl::StatusCode code, const std::string& what) {
    Fail(absl::Status(code, absl::StrCat("variable '", Absl(name.substr(0, name.find_last_not_of('/') + 1)), "': ", what)), at);
    return GraphVariable();
  };
  if (initial.output() != nullptr) {
    if (const std::string inside = Unusable(*this, *initial.output()); !inside.empty()) {
      return fail(absl::StatusCode::kInvalidArgument,
                  absl::StrCat("initial value: expected one from outside of conds, loops and functions, got '", initial.output()->name(), "' from inside of ", inside,
                               "; give a function that makes it"));
    }
  }
  BuilderScope lifted = InitScope();
  BuilderGraph& g = *graphs_[0];
  const std::string full = UniqueName(name);
  BuilderScope own = NameScope(full + "/", at);
  auto info = std::make_shared<GraphVariable::Info>();
  info->name = full;
  {
    BuilderScope scope = NameScope("Initializer", at);
    info->initial_value = initial.Make(*this, at);
  }
  if (!ok()) return {};
  // What a function gave may be from anywhere.
  if (const std::string inside = Unusable(*this, info->initial_value); !inside.empty() || !info->initial_value) {
    return fail(absl::StatusCode::kInvalidArgument, absl::StrCat("initial value: expected one that is made in init_scope, got ",
                                                                 info->initial_value ? absl::StrCat("one from inside of ", inside) : "an empty one"));
  }
  info->dtype = info->initial_value.dtype();
  if (info->dtype == DType::kResource || info->dtype == DType::kVariant) {
    return fail(absl::StatusCode::kInvalidArgument, absl::StrCat("initial value: expected a dtype that variables have, got ", std::string(DTypeName(info->dtype))));
  }
  info->shape = options.shape.value_or(info->initial_value.shape());
  if (!info->shape.CompatibleWith(info->initial_value.shape())) {
    return fail(absl::StatusCode::kInvalidArgument,
                absl::StrCat("initial value: expected shape ", info->shape.ToString(), ", got ", info->initial_value.shape().ToString()));
  }
  info->may_change_shape = !info->shape.fully_defined();
  info->trainable = options.trainable;
  info->is_ref = options.use_ref;
  info->collections = options.collections;
  info->part = options.part;
  if (options.trainable) info->collections.push_back("trainable_variables");

  // No two variables are one, whatever made the other.
  absl::flat_hash_set<std::string>& keys = g.VariableKeys();
  std::string shared_name = options.shared_name.empty() ? full : options.shared_name;
  for (int number = 1; !keys.insert(Key(options.container, shared_name)).second; ++number) {
    if (!options.shared_name.empty()) return fail(absl::StatusCode::kAlreadyExists, absl::StrCat("shared name '", shared_name, "': expected one that no other variable has"));
    shared_name = absl::StrCat(full, "_", number);
  }

  // TensorFlow runs no VariableV2 whose shape is known in part.
  const PartialShape declared = options.use_ref && info->may_change_shape ? PartialShape() : info->shape;
  info->handle = Op(options.use_ref ? "VariableV2" : "VarHandleOp", {},
                    {{"dtype", info->dtype}, {"shape", declared}, {"shared_name", shared_name}, {"container", options.container}}, full + "/", at)
                     .output();
  if (!info->handle) return {};
  if (options.use_ref) SetShape(info->handle, info->shape, at);
  BuilderScope place = ColocateWith(info->handle, at);
  if (options.use_ref) {
    info->initializer = Op("Assign", {info->handle, info->initial_value}, {{"validate_shape", !info->may_change_shape}, {"use_locking", true}}, "Assign", at);
    info->snapshot = Op("Identity", {info->handle}, {}, "read", at).output();
  } else {
    info->initializer = Op("AssignVariableOp", {info->handle, info->initial_value}, {}, "Assign", at);
    info->snapshot = Op("ReadVariableOp", {info->handle}, {{"dtype", info->dtype}}, "Read/ReadVariableOp", at).output();
  }
  if (!ok()) return {};
  GraphVariable variable;
  variable.info_ = std::move(info);
  g.variables.push_back(variable);
  return variable;
}

const std::vector<GraphVariable>& GraphBuilder::variables() const { return graphs_[0]->variables; }

GraphVariable GraphVariable::Of(const Output& handle, bool trainable, std::source_location at) {
  GraphBuilder* b = handle.builder();
  if (b == nullptr || !b->Ready()) return {};
  auto info = std::make_shared<Info>();
  info->name = Operation(handle).name();
  info->handle = handle;
  info->trainable = trainable;
  info->is_ref = handle.is_ref();
  if (info->is_ref) {
    info->dtype = handle.dtype();
    info->shape = handle.shape();
    info->snapshot = handle;
  } else {
    const auto& handles = b->graph_at(handle.graph()).handles;
    const auto known = handles.find(handle.port());
    if (handle.dtype() != DType::kResource || known == handles.end() || known->second.dtype == DType::kInvalid) {
      b->Fail(absl::InvalidArgumentError(absl::StrCat("'", handle.name(), "': expected a reference or the resource handle of a variable of known dtype")), at);
      return {};
    }
    info->dtype = known->second.dtype;
    info->shape = known->second.shape;
  }
  info->may_change_shape = !info->shape.fully_defined();
  GraphVariable variable;
  variable.info_ = std::move(info);
  return variable;
}

// --- Reading -------------------------------------------------------------------------------------------------------------------

const GraphVariable::Info& GraphVariable::info() const {
  static const Info none;
  return info_ != nullptr ? *info_ : none;
}

Output GraphVariable::value(std::source_location at) const { return is_ref() ? info_->snapshot : value_now(at); }

Output GraphVariable::value_now(std::source_location at) const {
  if (info_ == nullptr) return {};
  if (is_ref()) return builder()->Op("Identity", {handle()}, {}, "read", at).output();
  return builder()->Op("ReadVariableOp", {handle()}, {{"dtype", dtype()}}, "", at).output();
}

Output GraphVariable::Gather(const Input& indices, std::source_location at) const {
  if (info_ == nullptr) return {};
  GraphBuilder& b = *builder();
  if (is_ref()) return b.Op("GatherV2", {value(at), indices, 0}, {}, "Gather", at).output();
  const Output ids = b.Constant(indices, "indices", at);
  const Output rows = b.Op("ResourceGather", {handle(), ids}, {{"dtype", dtype()}}, "Gather", at).output();
  if (rows && shape().rank() >= 1) {
    const absl::StatusOr<PartialShape> known = ids.shape().Concatenate(PartialShape::FromValid(shape().dims().subspan(1)));
    if (known.ok()) b.SetShape(rows, *known, at);
  }
  return rows;
}

Output GraphVariable::IsInitialized(std::source_location at) const {
  if (info_ == nullptr) return {};
  return builder()->Op(is_ref() ? "IsVariableInitialized" : "VarIsInitializedOp", {handle()}, {}, "", at).output();
}

Output GraphVariable::InitializedValue(std::source_location at) const {
  if (info_ == nullptr) return {};
  return builder()->Cond(IsInitialized(at), [&] { return value_now(at); }, [&] { return initial_value(); }, "cond", at);
}

// --- Updating ------------------------------------------------------------------------------------------------------------------

Operation GraphVariable::Update(std::string_view ref_op, std::string_view resource_op, const Input& value, bool use_locking, std::source_location at) const {
  if (info_ == nullptr) return {};
  GraphBuilder& b = *builder();
  const Output given = b.Constant(value, dtype(), "value", at);
  if (!given) return {};
  if (!given.shape().CompatibleWith(shape())) {
    b.Fail(absl::InvalidArgumentError(absl::StrCat("value for variable '", name(), "': expected shape ", shape().ToString(), ", got ", given.shape().ToString())), at);
    return {};
  }
  if (!is_ref()) return b.Op(resource_op, {handle(), given}, {}, "", at);
  if (ref_op != "Assign") return b.Op(ref_op, {handle(), given}, {{"use_locking", use_locking}}, "", at);
  return b.Op(ref_op, {handle(), given}, {{"use_locking", use_locking}, {"validate_shape", !info_->may_change_shape}}, "", at);
}

Operation GraphVariable::Assign(const Input& value, bool use_locking, std::source_location at) const {
  return Update("Assign", "AssignVariableOp", value, use_locking, at);
}

Operation GraphVariable::AssignAdd(const Input& delta, bool use_locking, std::source_location at) const {
  return Update("AssignAdd", "AssignAddVariableOp", delta, use_locking, at);
}

Operation GraphVariable::AssignSub(const Input& delta, bool use_locking, std::source_location at) const {
  return Update("AssignSub", "AssignSubVariableOp", delta, use_locking, at);
}

Operation GraphVariable::Scatter(std::string_view op, const Input& indices, const Input& rows, bool use_locking, std::source_location at) const {
  if (info_ == nullptr) return {};
  GraphBuilder& b = *builder();
  const Output given = b.Constant(rows, dtype(), "rows", at);
  if (!given) return {};
  const std::string name = absl::StrCat(is_ref() ? "Scatter" : "ResourceScatter", Absl(op));
  if (!is_ref()) return b.Op(name, {handle(), indices, given}, {{"dtype", dtype()}}, "", at);
  return b.Op(name, {handle(), indices, given}, {{"use_locking", use_locking}}, "", at);
}

// --- Several -------------------------------------------------------------------------------------------------------------------

std::vector<GraphVariable> TrainableVariables(const GraphBuilder& b) {
  std::vector<GraphVariable> trainable;
  for (const GraphVariable& v : b.variables()) {
    if (v.trainable()) trainable.push_back(v);
  }
  return trainable;
}

Operation VariablesInitializer(GraphBuilder& b, const std::vector<GraphVariable>& variables, std::string_view name, std::source_location at) {
  BuilderScope lifted = b.InitScope();
  std::vector<Operation> initializers;
  for (const GraphVariable& v : variables) {
    if (v && !v.initializer()) {
      b.Fail(absl::InvalidArgumentError(absl::StrCat("variable '", v.name(), "': expected one with an initializer")), at);
      return {};
    }
    initializers.push_back(v.initializer());
  }
  return b.Group(initializers, name, at);
}

std::vector<Grad> Gradients(GraphBuilder& b, const Outputs& ys, const std::vector<GraphVariable>& xs, const GradientOptions& options, std::source_location at) {
  // The read that was made with a reference variable is outside of the branch or loop around us: what comes in from there is another
  // value than the reference that comes in.
  Outputs all;
  std::vector<size_t> read_outside(xs.size(), 0);  // where in `all`; 0: not there
  for (const GraphVariable& x : xs) all.push_back(x.handle());
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!xs[i].is_ref() || xs[i].snapshot() == xs[i].handle() || b.Resolve(xs[i].handle(), at) == xs[i].handle()) continue;
    read_outside[i] = all.size();
    all.push_back(xs[i].snapshot());
  }
  std::vector<Grad> grads = Gradients(b, ys, all, options, at);
  for (size_t i = 0; i < xs.size(); ++i) {
    if (read_outside[i] == 0) continue;
    const Grad& other = grads[read_outside[i]];
    if (!grads[i].exists()) {
      grads[i] = other;
    } else if (other.exists()) {
      grads[i] = Grad(b.Op("AddN", {grads[i].dense(), other.dense()}, {}, "", at).output());
    }
  }
  grads.resize(xs.size());
  return grads;
}

PartitionedVariable PartitionedVariable::Make(GraphBuilder& b, std::string_view name, const Initializer& initial, int num_parts, int axis,
                                              const VariableOptions& options, std::source_location at) {
  PartitionedVariable result;
  if (!b.Ready()) return result;
  const auto fail = [&](const std::string& what) {
    b.Fail(absl::InvalidArgumentError(absl::StrCat("variable '", Absl(name), "': ", what)), at);
    return PartitionedVariable();
  };
  BuilderScope lifted = b.InitScope();
  result.name_ = b.UniqueName(name);
  result.axis_ = axis;
  BuilderScope own = b.NameScope(result.name_ + "/", at);
  Output whole;
  std::vector<int64_t> dims;
  if (initial.MakesParts()) {
    dims = *initial.dims();
  } else {
    BuilderScope scope = b.NameScope("Initializer", at);
    whole = initial.Make(b, at);
    if (!b.ok()) return {};
    if (!whole.shape().fully_defined()) return fail(absl::StrCat("initial value: expected a known shape to part, got ", whole.shape().ToString()));
    dims.assign(whole.shape().dims().begin(), whole.shape().dims().end());
  }
  if (axis < 0 || axis >= static_cast<int>(dims.size())) return fail(absl::StrCat("axis of parts: expected one below ", dims.size(), ", got ", axis));
  if (num_parts < 1 || num_parts > dims[axis]) return fail(absl::StrCat("number of parts: expected 1 to ", dims[axis], ", got ", num_parts));

  VariablePart part{result.name_, dims, std::vector<int64_t>(dims.size(), 0), dims};
  for (int i = 0; i < num_parts; ++i) {
    part.size[axis] = dims[axis] / num_parts + (i < dims[axis] % num_parts ? 1 : 0);
    VariableOptions of_part = options;
    of_part.part = part;
    if (!options.shared_name.empty()) of_part.shared_name = absl::StrCat(options.shared_name, "/part_", i);
    const auto make = [&] { return initial.Make(b, {part.begin, part.size}, whole, at); };
    result.parts_.push_back(b.Variable(absl::StrCat("part_", i), Initializer(make), of_part, at));
    if (!b.ok()) return {};
    part.begin[axis] += part.size[axis];
  }
  return result;
}

Output PartitionedVariable::value(std::source_location at) const {
  if (parts_.empty()) return {};
  std::vector<Input> inputs;
  for (const GraphVariable& part : parts_) inputs.push_back(part.value(at));
  if (inputs.size() == 1) return *inputs[0].output();
  inputs.push_back(axis_);
  return parts_[0].builder()->Op("ConcatV2", inputs, {}, "concat", at).output();
}

Operation PartitionedVariable::Assign(const Input& value, bool use_locking, std::source_location at) const {
  if (parts_.empty()) return {};
  GraphBuilder& b = *parts_[0].builder();
  const Output given = b.Constant(value, parts_[0].dtype(), "value", at);
  std::vector<Operation> updates;
  for (const GraphVariable& part : parts_) {
    const Output rows = b.Op("Slice", {given, b.Constant(part.part()->begin, "begin", at), b.Constant(part.part()->size, "size", at)}, {}, "", at).output();
    updates.push_back(part.Assign(rows, use_locking, at));
  }
  return b.Group(updates, "Assign", at);
}

}  // namespace flowlatch
