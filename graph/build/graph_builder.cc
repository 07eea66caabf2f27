#include "graph/build/graph_builder.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "graph/build/builder_graph.h"
#include "graph/build/literal.h"
#include "graph/schema/shape_context.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

// "model.cc:12: "
std::string At(const std::source_location& at) {
  const std::string_view path = at.file_name();
  const size_t slash = path.rfind('/');
  return absl::StrCat(Absl(slash == std::string_view::npos ? path : path.substr(slash + 1)), ":", at.line(), ": ");
}

absl::Status ValidName(std::string_view name) {
  const auto ok = [](char c, bool first) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || (!first && (c == '-' || c == '/' || c == '>' || c == '\\'));
  };
  for (size_t i = 0; i < name.size(); ++i) {
    if (!ok(name[i], i == 0)) {
      return absl::InvalidArgumentError(absl::StrCat("name '", Absl(name), "': expected letters, digits and ._-/>, got '",
                                                     absl::string_view(&name[i], 1), "'"));
    }
  }
  return absl::OkStatus();
}

// The device of a node that is made now.
const std::string& DeviceNow(const BuilderState& state) {
  return state.colocated_device.empty() ? state.device : state.colocated_device;
}

}  // namespace

// --- BuilderScope --------------------------------------------------------------------------------------------------------------

// Nothing changes once the builder has an error, or for another thread.
BuilderScope::BuilderScope(GraphBuilder* builder)
    : builder_(builder), saved_(builder->Ready() ? std::make_unique<BuilderState>(builder->state()) : nullptr) {}
BuilderScope::BuilderScope(BuilderScope&& o) noexcept : builder_(o.builder_), saved_(std::move(o.saved_)) {}
BuilderScope::~BuilderScope() {
  if (saved_ != nullptr) builder_->state() = std::move(*saved_);
}

// --- GraphBuilder: life and errors -----------------------------------------------------------------------------------------------

GraphBuilder::GraphBuilder(const OpRegistry& registry)
    : registry_(registry), owner_(std::this_thread::get_id()), state_(std::make_unique<BuilderState>()) {
  graphs_.push_back(std::make_unique<BuilderGraph>(registry));
}
GraphBuilder::~GraphBuilder() = default;

void GraphBuilder::Fail(const absl::Status& status, std::source_location at) {
  if (std::this_thread::get_id() != owner_) return foreign_call_.store(true, std::memory_order_relaxed);
  if (status.ok() || !status_.ok()) return;
  status_ = absl::Status(status.code(), absl::StrCat(At(at), status.message()));
}

bool GraphBuilder::Ready() {
  if (std::this_thread::get_id() != owner_) {
    foreign_call_.store(true, std::memory_order_relaxed);
    return false;
  }
  if (built_) Fail(absl::FailedPreconditionError("builder: its graph was taken by Build"));
  return status_.ok();
}

absl::Status GraphBuilder::CheckBuilt() {
  const bool ready = Ready();
  if (foreign_call_.load(std::memory_order_relaxed)) {
    return absl::FailedPreconditionError("builder: expected calls from the thread that made it, got one from another thread");
  }
  if (!ready) return status_;
  if (state_->graph != 0 || state_->context != kRootContext) {
    return absl::FailedPreconditionError("Build: expected to be called outside of branches, loops and functions");
  }
  return Verify(graphs_[0]->graph);
}

absl::StatusOr<Graph> GraphBuilder::Build() {
  RETURN_IF_ERROR(CheckBuilt());
  built_ = true;
  return std::move(graphs_[0]->graph);
}

absl::StatusOr<Graph> GraphBuilder::Snapshot() {
  RETURN_IF_ERROR(CheckBuilt());
  return graphs_[0]->graph.Clone();
}

BuilderGraph& GraphBuilder::current() { return *graphs_[state_->graph]; }
const Graph& GraphBuilder::graph() const { return graphs_[state_->graph]->graph; }

namespace {

// The graph that holds `value`, an Output or Operation; null for empty ones, those of another builder, and after Build.
template <typename Graphs, typename Value>
BuilderGraph* Holder(const GraphBuilder* builder, const Graphs& graphs, const Value& value) {
  if (!value || value.builder() != builder) return nullptr;
  BuilderGraph* graph = graphs[value.graph()].get();
  return Operation(value).node() < graph->graph.num_nodes() ? graph : nullptr;
}

}  // namespace

const Node& GraphBuilder::node(const Operation& op) const {
  static const NodeTypes no_types;
  static const OpSchema no_schema(OpSchema::Parts{});
  static const Node none{.schema = &no_schema, .types = &no_types};
  const BuilderGraph* g = Holder(this, graphs_, op);
  return g != nullptr ? g->graph.node(op.node()) : none;
}

DType GraphBuilder::dtype(const Output& o) const {
  const BuilderGraph* g = Holder(this, graphs_, o);
  return g != nullptr ? g->graph.node(o.port().node).types->outputs[o.port().index].dtype : DType::kInvalid;
}

const PartialShape& GraphBuilder::shape(const Output& o) const {
  static const PartialShape unknown;
  const BuilderGraph* g = Holder(this, graphs_, o);
  return g != nullptr ? g->shape(o.port()) : unknown;
}

bool GraphBuilder::IsInLoop(const Operation& op) const {
  const BuilderGraph* g = Holder(this, graphs_, op);
  return g != nullptr && g->LoopOf(g->context[op.node()]) >= 0;
}

void GraphBuilder::SetShape(const Output& output, const PartialShape& shape, std::source_location at) {
  if (!Ready()) return;
  if (output.builder() != this) return Fail(absl::InvalidArgumentError("SetShape: expected an output of this builder"), at);
  PartialShape& known = graphs_[output.graph()]->shape(output.port());
  absl::StatusOr<PartialShape> merged = known.MergeWith(shape);
  if (!merged.ok()) {
    return Fail(absl::InvalidArgumentError(absl::StrCat("shape of '", output.name(), "': expected ", known.ToString(), ", got ", shape.ToString())), at);
  }
  known = *std::move(merged);
}

const Tensor* GraphBuilder::ConstantValue(const Output& output) const {
  const BuilderGraph* g = Holder(this, graphs_, output);
  return g != nullptr ? g->ConstantValue(output.port()) : nullptr;
}

Output GraphBuilder::Find(std::string_view name, std::source_location at) {
  if (!Ready()) return {};
  absl::StatusOr<Port> port = graphs_[0]->graph.ParsePort(name);
  if (port.ok()) return Output(this, 0, *port);
  Fail(port.status(), at);
  return {};
}

// --- Names -------------------------------------------------------------------------------------------------------------------------

// "a/b/" is a name that a scope has already.
std::string GraphBuilder::UniqueName(std::string_view name) {
  if (name.size() > 1 && name.back() == '/') {
    name.remove_suffix(1);
    current().names.try_emplace(NameHash(name), 1);
    return std::string(name);
  }
  std::string full = absl::StrCat(state_->name_scope, Absl(name));
  auto& names = current().names;
  const uint64_t hash = NameHash(full);
  const auto [at, is_new] = names.try_emplace(hash, 1);
  if (is_new) return full;
  for (int32_t number = at->second;; ++number) {
    std::string candidate = absl::StrCat(full, "_", number);
    if (names.try_emplace(NameHash(candidate), 1).second) {
      names[hash] = number + 1;
      return candidate;
    }
  }
}

// --- Scopes ------------------------------------------------------------------------------------------------------------------------

const std::string& GraphBuilder::name_scope() const { return state_->name_scope; }

BuilderScope GraphBuilder::NameScope(std::string_view name, std::source_location at) {
  BuilderScope scope(this);
  if (!Ready()) return scope;
  if (absl::Status status = ValidName(name); !status.ok()) {
    Fail(status, at);
    return scope;
  }
  if (name.empty()) {
    state_->name_scope.clear();
  } else if (name.back() == '/') {
    state_->name_scope = std::string(name);
  } else {
    state_->name_scope = UniqueName(name) + "/";
  }
  return scope;
}

BuilderScope GraphBuilder::ControlDependencies(absl::Span<const Operation> ops, std::source_location at) {
  BuilderScope scope(this);
  if (!Ready()) return scope;
  BuilderGraph& g = current();
  BuilderGraph::Controller controller;
  controller.parent = state_->controller;
  controller.depth = controller.parent < 0 ? 0 : g.controllers[controller.parent].depth + 1;
  for (const Operation& op : ops) {
    if (!op) {
      Fail(absl::InvalidArgumentError("control dependency: expected an operation, got an empty one"), at);
      return scope;
    }
    NodeId node = op.node();
    if (op.graph() != state_->graph && op.builder() == this && op.num_outputs() > 0) {
      // From the graph around this function: its value becomes a captured argument, which comes after it.
      const std::optional<Port> port = ToPort(op.output(), "control dependency", at);
      if (!port.has_value()) return scope;
      node = port->node;
    } else if (op.graph() != state_->graph || op.builder() != this) {
      Fail(absl::InvalidArgumentError(absl::StrCat("control dependency on '", op.builder() == this ? op.name() : "?",
                                                   "': expected an operation of this graph, got one of another function or builder; "
                                                   "make the call of the function wait for it instead")),
           at);
      return scope;
    }
    if (g.graph.node(node).op() == "_Arg") {
      // An argument is no step of its own: an Identity is.
      auto anchor = g.anchors.find(node);
      if (anchor == g.anchors.end()) {
        BuilderScope outside = NoControlDependencies();
        const Operation made = AddResolved("Identity", {Port{node, 0}}, AttrMap{{"T", g.graph.node(node).types->outputs[0].dtype}}, "arrived", {}, at);
        if (!made) return scope;
        anchor = g.anchors.emplace(node, Port{made.node(), 0}).first;
      }
      node = anchor->second.node;
    }
    // What is made in here is in the current context or deeper. A node of another loop would draw it into that loop.
    if (const ContextId loop = g.LoopOf(g.context[node]); loop >= 0 && !g.Encloses(loop, state_->context)) {
      Fail(absl::InvalidArgumentError(absl::StrCat("control dependency on '", op.name(), "': it is inside of a while loop; wait for one of the "
                                                   "loop's results, or use it in the loop")),
           at);
      return scope;
    }
    bool known = std::find(controller.ops.begin(), controller.ops.end(), node) != controller.ops.end();
    for (int32_t c = controller.parent; c >= 0 && !known; c = g.controllers[c].parent) {
      const auto& outer = g.controllers[c].ops;
      known = std::find(outer.begin(), outer.end(), node) != outer.end();
    }
    if (!known) controller.ops.push_back(node);
  }
  state_->controller = static_cast<int32_t>(g.controllers.size());
  g.controllers.push_back(std::move(controller));
  return scope;
}

BuilderScope GraphBuilder::NoControlDependencies() {
  BuilderScope scope(this);
  if (!Ready()) return scope;
  state_->controller = -1;
  state_->context = kRootContext;
  return scope;
}

BuilderScope GraphBuilder::Device(std::string_view device) {
  BuilderScope scope(this);
  if (!Ready()) return scope;
  state_->device = std::string(device);
  return scope;
}

BuilderScope GraphBuilder::ColocateWith(Operation op, std::source_location at) {
  BuilderScope scope(this);
  if (!Ready()) return scope;
  if (!op || op.builder() != this || op.graph() != state_->graph) {
    Fail(absl::InvalidArgumentError("ColocateWith: expected an operation of this graph"), at);
    return scope;
  }
  // With what it is with, or else with it.
  const Node& target = graph().node(op.node());
  const Attr* attr = target.attrs.Find("_class");
  const auto* listed = attr != nullptr ? attr->Get<std::vector<std::string>>() : nullptr;
  auto& groups = state_->colocation;
  if (listed != nullptr && !listed->empty()) {
    groups.insert(groups.end(), listed->begin(), listed->end());
  } else {
    groups.push_back(absl::StrCat("loc:@", op.name()));
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  state_->device.clear();
  if (const std::string& device = graph().device_name(target); !device.empty()) state_->colocated_device = device;
  return scope;
}

BuilderScope GraphBuilder::InitScope() {
  BuilderScope scope(this);
  if (!Ready()) return scope;
  if (state_->graph != 0) {
    // Nodes of a function are none of the graph outside.
    state_->colocation.clear();
    state_->colocated_device.clear();
  }
  state_->graph = 0;
  state_->context = kRootContext;
  state_->controller = -1;
  return scope;
}

BuilderScope GraphBuilder::Inside(Operation op, std::source_location at) {
  BuilderScope scope(this);
  if (!Ready()) return scope;
  if (!op || op.builder() != this || op.graph() != state_->graph) {
    Fail(absl::InvalidArgumentError("Inside: expected an operation of this graph"), at);
    return scope;
  }
  state_->context = current().context[op.node()];
  state_->controller = -1;
  return scope;
}

BuilderScope GraphBuilder::EnterContext(ContextId context) {
  BuilderScope scope(this);
  if (!Ready()) return scope;
  state_->context = context;
  state_->controller = -1;
  return scope;
}

// --- Ops ---------------------------------------------------------------------------------------------------------------------------

// What the inputs of a node tell about its attributes.
struct GraphBuilder::Deduced {
  AttrMap attrs;
  absl::InlinedVector<DType, 4> input_types;
  absl::InlinedVector<const ArgSpec*, 4> input_args;
};

const OpSchema* GraphBuilder::FindSchema(std::string_view op, std::source_location at) {
  if (const OpSchema* schema = registry_.Find(op)) return schema;
  if (const OpSchema* schema = current().graph.library().FindSchema(op)) return schema;
  NearNames near(op);
  for (const OpSchema* schema : registry_.Registered()) near.Consider(schema->name());
  Fail(absl::NotFoundError(absl::StrCat("op '", Absl(op), "': neither an op nor a function of the graph", near.Hint())), at);
  return nullptr;
}

namespace {

// How many ports the list arguments of `schema` have, when `total` inputs are given and attributes do not say. Lists that share
// one attribute are equally long; with lists of different attributes nothing can be told.
std::optional<int> ListLength(const OpSchema& schema, int total) {
  int lists = 0;
  const std::string* attr = nullptr;
  for (const ArgSpec& arg : schema.inputs()) {
    const std::string& by = !arg.number_attr.empty() ? arg.number_attr : arg.type_list_attr;
    if (by.empty()) {
      --total;
      continue;
    }
    if (attr != nullptr && *attr != by) return std::nullopt;
    attr = &by;
    ++lists;
  }
  if (lists == 0 || total < 0 || total % lists != 0) return std::nullopt;
  return total / lists;
}

const Attr* Given(Attrs attrs, std::string_view name) {
  for (const AttrMap::Entry& entry : attrs) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

std::string DescribeInput(const Input& input, std::string_view arg) {
  const std::string what = absl::StrCat("input '", Absl(arg), "'");
  if (const Output* output = input.output()) {
    return absl::StrCat(what, " from '", output->name(), "' (", std::string(DTypeName(output->dtype())), ")");
  }
  return absl::StrCat(what, " (a constant of ", std::string(DTypeName(input.constant()->dtype())), ")");
}

}  // namespace

bool GraphBuilder::DeduceAttrs(const OpSchema& schema, absl::Span<const Input> inputs, Attrs given, Deduced* deduced, std::source_location at) {
  const auto fail = [&](const std::string& what) {
    Fail(absl::InvalidArgumentError(absl::StrCat(schema.name(), ": ", what)), at);
    return false;
  };
  const auto dtype_of = [](const Input& input) {
    return input.output() != nullptr ? input.output()->dtype() : input.constant()->dtype();
  };
  // The ports of each argument.
  const int total = static_cast<int>(inputs.size());
  struct Range {
    int first, count;
  };
  absl::InlinedVector<Range, 4> ranges;
  int at_port = 0;
  const std::optional<int> list_length = ListLength(schema, total);
  for (const ArgSpec& arg : schema.inputs()) {
    int count = 1;
    const std::string& by = !arg.number_attr.empty() ? arg.number_attr : arg.type_list_attr;
    if (!by.empty()) {
      const Attr* attr = Given(given, by);
      if (attr != nullptr && attr->Get<int64_t>() != nullptr) {
        count = static_cast<int>(std::clamp<int64_t>(*attr->Get<int64_t>(), 0, total + 1));
      } else if (attr != nullptr && attr->Get<std::vector<DType>>() != nullptr) {
        count = static_cast<int>(attr->Get<std::vector<DType>>()->size());
      } else if (attr != nullptr && attr->Get<std::vector<int64_t>>() != nullptr && attr->Get<std::vector<int64_t>>()->empty()) {
        count = 0;  // an empty list has no kind
      } else if (list_length.has_value()) {
        count = *list_length;
      } else {
        return fail(absl::StrCat("attribute '", by, "': expected it to be given, since the inputs do not tell it"));
      }
    }
    ranges.push_back({at_port, count});
    at_port += count;
  }
  if (at_port != total) {
    std::string names;
    for (const ArgSpec& arg : schema.inputs()) absl::StrAppend(&names, names.empty() ? "" : ", ", arg.name);
    return fail(absl::StrCat("expected ", at_port, " inputs (", names, "), got ", total));
  }

  // Dtypes: outputs tell them first, then constants that are no literals, then literals.
  std::map<std::string, Attr> attrs;
  std::map<std::string_view, int> told_by;
  for (const AttrMap::Entry& entry : given) attrs.insert_or_assign(entry.first, entry.second);
  deduced->input_types.assign(total, DType::kInvalid);
  deduced->input_args.assign(total, nullptr);
  for (size_t a = 0; a < ranges.size(); ++a) {
    const ArgSpec& arg = schema.inputs()[a];
    for (int i = 0; i < ranges[a].count; ++i) deduced->input_args[ranges[a].first + i] = &arg;
    if (!arg.number_attr.empty()) attrs.try_emplace(arg.number_attr, ranges[a].count);
  }
  for (const int round : {0, 1, 2}) {
    for (size_t a = 0; a < ranges.size(); ++a) {
      const ArgSpec& arg = schema.inputs()[a];
      if (arg.type_attr.empty()) continue;
      for (int i = ranges[a].first; i < ranges[a].first + ranges[a].count; ++i) {
        const int kind = inputs[i].output() != nullptr ? 0 : inputs[i].is_literal() ? 2 : 1;
        if (kind != round) continue;
        const DType dtype = dtype_of(inputs[i]);
        const auto [place, is_new] = attrs.try_emplace(arg.type_attr, dtype);
        if (is_new) {
          told_by.emplace(arg.type_attr, i);
          continue;
        }
        const DType* known = place->second.Get<DType>();
        if (kind == 2 || known == nullptr || *known == dtype || dtype == DType::kInvalid) continue;
        const auto teller = told_by.find(arg.type_attr);
        const std::string other = teller != told_by.end() ? DescribeInput(inputs[teller->second], deduced->input_args[teller->second]->name)
                                                          : absl::StrCat("attribute '", arg.type_attr, "'");
        return fail(absl::StrCat(DescribeInput(inputs[i], arg.name), ": expected ", std::string(DTypeName(*known)), " as ", other,
                                 " says; a Cast to ", std::string(DTypeName(*known)), " makes them fit"));
      }
    }
  }
  for (size_t a = 0; a < ranges.size(); ++a) {
    const ArgSpec& arg = schema.inputs()[a];
    if (!arg.type_list_attr.empty()) {
      std::vector<DType> list;
      for (int i = 0; i < ranges[a].count; ++i) list.push_back(dtype_of(inputs[ranges[a].first + i]));
      const auto [place, is_new] = attrs.try_emplace(arg.type_list_attr, list);
      const auto* known = place->second.Get<std::vector<DType>>();
      for (int i = 0; i < ranges[a].count; ++i) {
        deduced->input_types[ranges[a].first + i] = known != nullptr ? (*known)[i] : list[i];
      }
    } else {
      DType dtype = arg.dtype;
      if (!arg.type_attr.empty()) {
        const auto known = attrs.find(arg.type_attr);
        if (known == attrs.end()) {
          const AttrSpec* spec = schema.FindAttr(arg.type_attr);
          if (spec != nullptr && spec->default_value.has_value() && spec->default_value->Get<DType>() != nullptr) dtype = *spec->default_value->Get<DType>();
        } else if (known->second.Get<DType>() != nullptr) {
          dtype = *known->second.Get<DType>();
        }
      }
      for (int i = 0; i < ranges[a].count; ++i) deduced->input_types[ranges[a].first + i] = dtype;
    }
  }
  for (int i = 0; i < total; ++i) {
    const DType want = deduced->input_types[i], got = dtype_of(inputs[i]);
    if (want == DType::kInvalid || got == DType::kInvalid || want == got || inputs[i].is_literal()) continue;
    return fail(absl::StrCat(DescribeInput(inputs[i], deduced->input_args[i]->name), ": expected ", std::string(DTypeName(want)),
                             "; a Cast to ", std::string(DTypeName(want)), " makes it fit"));
  }
  deduced->attrs = attrs.empty() ? AttrMap() : AttrMap(std::move(attrs));
  return true;
}

Operation GraphBuilder::Op(std::string_view op, absl::Span<const Input> inputs, Attrs attrs, std::string_view name, std::source_location at) {
  if (!Ready()) return {};
  if (absl::Status status = ValidName(name); !status.ok()) return Fail(status, at), Operation();
  const OpSchema* schema = FindSchema(op, at);
  if (schema == nullptr) return {};
  for (const Input& input : inputs) {
    if (input.output() != nullptr && (!*input.output() || input.output()->builder() != this)) {
      Fail(absl::InvalidArgumentError(absl::StrCat(schema->name(), ": expected outputs of this builder as inputs, got ",
                                                   *input.output() ? "one of another builder" : "an empty one")),
           at);
      return {};
    }
    if (!input.error().empty()) return Fail(absl::InvalidArgumentError(Absl(input.error())), at), Operation();
  }

  // Most nodes have nothing but dtypes that their inputs tell: those share their attributes.
  Deduced deduced;
  bool all_outputs = attrs.empty() && state_->colocation.empty();
  std::string key(reinterpret_cast<const char*>(&schema), sizeof schema);
  for (const Input& input : inputs) {
    if (input.output() == nullptr) {
      all_outputs = false;
      break;
    }
    key.push_back(static_cast<char>(input.output()->dtype()));
  }
  if (all_outputs) {
    auto& known = current().deduced_attrs;
    const auto place = known.find(key);
    if (place != known.end()) {
      deduced.attrs = place->second;
    } else {
      if (!DeduceAttrs(*schema, inputs, attrs, &deduced, at)) return {};
      known.emplace(std::move(key), deduced.attrs);
    }
  } else if (!DeduceAttrs(*schema, inputs, attrs, &deduced, at)) {
    return {};
  }
  if (!state_->colocation.empty()) deduced.attrs = deduced.attrs.With("_class", state_->colocation);

  const std::string unique = UniqueName(name.empty() ? std::string_view(schema->name()) : name);
  absl::InlinedVector<Port, 4> ports;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Output value;
    if (const Output* output = inputs[i].output()) {
      value = *output;
    } else {
      BuilderScope scope = NameScope(unique + "/");
      const DType want = inputs[i].is_literal() ? deduced.input_types[i] : inputs[i].constant()->dtype();
      value = Constant(inputs[i], want == DType::kInvalid ? inputs[i].constant()->dtype() : want, deduced.input_args[i]->name, at);
    }
    if (!status_.ok()) return {};
    const std::optional<Port> port = ToPort(value, unique, at);
    if (!port.has_value()) return {};
    ports.push_back(*port);
  }

  // Control dependencies in force, from outer to inner: each unless an input waited for it already. Those around the branch or loop
  // were waited for by what everything inside comes after: the predicate, the first variable's Enter.
  BuilderGraph& g = current();
  absl::InlinedVector<NodeId, 4> controls;
  if (state_->controller >= 0) {
    const int32_t stop = g.contexts[state_->context].outer_controller;
    absl::InlinedVector<int32_t, 4> active;
    for (int32_t c = state_->controller; c >= 0 && c != stop; c = g.controllers[c].parent) active.push_back(c);
    for (auto c = active.rbegin(); c != active.rend(); ++c) {
      const auto waited = [&](Port p) {
        int32_t of = g.controller[p.node];
        while (of >= 0 && g.controllers[of].depth > g.controllers[*c].depth) of = g.controllers[of].parent;
        return of == *c;
      };
      if (std::any_of(ports.begin(), ports.end(), waited)) continue;
      for (const NodeId node : g.controllers[*c].ops) {
        const bool is_input = std::any_of(ports.begin(), ports.end(), [&](Port p) { return p.node == node; });
        if (!is_input && std::find(controls.begin(), controls.end(), node) == controls.end()) controls.push_back(node);
      }
    }
  }
  return Finish(schema, std::move(deduced.attrs), ports, controls, unique, at);
}

Operation GraphBuilder::AddResolved(std::string_view op, absl::Span<const Port> inputs, AttrMap attrs, std::string_view name,
                                    absl::Span<const NodeId> controls, std::source_location at) {
  if (!Ready()) return {};
  const OpSchema* schema = FindSchema(op, at);
  if (schema == nullptr) return {};
  BuilderGraph& g = current();
  const std::string unique = UniqueName(name);
  absl::StatusOr<NodeId> id = g.graph.AddNode(unique, schema, std::move(attrs), DeviceNow(*state_));
  if (!id.ok()) return Fail(id.status(), at), Operation();
  g.graph.SetInputs(*id, inputs, controls);
  g.AddRecord(state_->context, state_->controller);
  if (absl::Status status = g.InferShapes(*id); !status.ok()) return Fail(status, at), Operation();
  return Operation(this, state_->graph, *id);
}

Operation GraphBuilder::Finish(const OpSchema* schema, AttrMap attrs, absl::Span<const Port> inputs, absl::Span<const NodeId> controls,
                               std::string_view unique, std::source_location at) {
  BuilderGraph& g = current();
  absl::InlinedVector<NodeId, 4> in_context(controls.begin(), controls.end());
  if (state_->context != kRootContext && !FitControls(schema->name(), inputs, &in_context, at)) return {};
  absl::StatusOr<NodeId> id = g.graph.AddNode(unique, schema, std::move(attrs), DeviceNow(*state_));
  if (!id.ok()) {
    Fail(absl::Status(id.status().code(), absl::StrCat("node '", Absl(unique), "' (", schema->name(), "): ", id.status().message())), at);
    return {};
  }
  g.graph.SetInputs(*id, inputs, in_context);
  g.AddRecord(state_->context, state_->controller);
  const std::vector<PortType>& types = g.graph.node(*id).types->inputs;
  for (size_t i = 0; i < std::min(types.size(), inputs.size()); ++i) {
    if (!types[i].is_ref || g.graph.node(inputs[i].node).types->outputs[inputs[i].index].is_ref) continue;
    Fail(absl::InvalidArgumentError(absl::StrCat(schema->name(), ": input ", i, " from '", g.graph.PortName(inputs[i]),
                                                 "': expected a reference to a variable, got a value")),
         at);
    return {};
  }
  if (absl::Status status = g.InferShapes(*id); !status.ok()) return Fail(status, at), Operation();
  return Operation(this, state_->graph, *id);
}

Output GraphBuilder::Constant(const Input& value, std::string_view name, std::source_location at) {
  return Constant(value, value.constant() != nullptr ? value.constant()->dtype() : DType::kInvalid, name, at);
}

Output GraphBuilder::Constant(const Input& value, DType dtype, std::string_view name, std::source_location at) {
  if (!Ready()) return {};
  if (const Output* output = value.output()) {
    if (!*output || output->builder() != this) {
      return Fail(absl::InvalidArgumentError(absl::StrCat(Absl(name), ": expected an output of this builder, got ", *output ? "one of another builder" : "an empty one")), at),
             Output();
    }
    if (dtype != DType::kInvalid && output->dtype() != dtype) {
      return Fail(absl::InvalidArgumentError(absl::StrCat(Absl(name), ": expected ", std::string(DTypeName(dtype)), ", got ", std::string(DTypeName(output->dtype())),
                                                          " from '", output->name(), "'; a Cast to ", std::string(DTypeName(dtype)), " makes it fit")),
                  at),
             Output();
    }
    return *output;
  }
  if (!value.error().empty()) return Fail(absl::InvalidArgumentError(Absl(value.error())), at), Output();
  if (dtype == DType::kInvalid) return Fail(absl::InvalidArgumentError(absl::StrCat(Absl(name), ": expected a tensor, got an empty one")), at), Output();
  absl::StatusOr<Tensor> tensor = CastLiteral(*value.constant(), dtype);
  if (!tensor.ok()) return Fail(tensor.status(), at), Output();
  return Op("Const", {}, {{"value", *std::move(tensor)}, {"dtype", dtype}}, name, at).output();
}

Output GraphBuilder::Placeholder(DType dtype, PartialShape shape, std::string_view name, std::source_location at) {
  return Op("Placeholder", {}, {{"dtype", dtype}, {"shape", std::move(shape)}}, name, at).output();
}

Operation GraphBuilder::Group(absl::Span<const Operation> ops, std::string_view name, std::source_location at) {
  BuilderScope deps = ControlDependencies(ops, at);
  return Op("NoOp", {}, {}, name, at);
}

Outputs GraphBuilder::Tuple(absl::Span<const Output> values, absl::Span<const Operation> controls, std::string_view name, std::source_location at) {
  Outputs result(values.size());
  if (!Ready()) return result;
  BuilderScope scope = NameScope(name);
  std::vector<Operation> all(controls.begin(), controls.end());
  for (const Output& value : values) {
    if (value) all.push_back(value);
  }
  if (all.size() == controls.size()) {
    Fail(absl::InvalidArgumentError("Tuple: expected at least one value"), at);
    return result;
  }
  const Operation gate = Group(all, "group_deps", at);
  BuilderScope deps = ControlDependencies({gate}, at);
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]) result[i] = Op("Identity", {values[i]}, {}, "control_dependency", at).output();
  }
  return result;
}

Output GraphBuilder::WithDependencies(absl::Span<const Operation> deps, const Output& value, std::source_location at) {
  BuilderScope scope = ControlDependencies(deps, at);
  // Arguments, and values of graphs around this one, are on no device.
  const bool is_node = value && value.builder() == this && value.graph() == state_->graph && node(value).op() != "_Arg";
  if (!is_node) return Op("Identity", {value}, {}, "control_dependency", at).output();
  BuilderScope place = ColocateWith(value, at);
  return Op("Identity", {value}, {}, "control_dependency", at).output();
}

}  // namespace flowlatch
