// Functions, calls of them, and control flow over them.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/function.pb.h"
#include "graph/build/builder_graph.h"
#include "graph/build/graph_builder.h"
#include "graph/build/loop_builder.h"
#include "graph/schema/attr_proto.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

// "node:output:2" as inputs in a FunctionDef are written.
std::string InputText(const Graph& graph, Port port, const absl::flat_hash_map<NodeId, std::string>& args) {
  const auto arg = args.find(port.node);
  if (arg != args.end()) return arg->second;
  const Node& node = graph.node(port.node);
  for (const ArgSpec& spec : node.schema->outputs()) {
    const auto range = node.schema->OutputRange(spec.name, node.attrs);
    if (range.ok() && port.index >= range->first && port.index < range->second) {
      return absl::StrCat(Absl(node.name), ":", spec.name, ":", port.index - range->first);
    }
  }
  return absl::StrCat(Absl(node.name), ":?:", port.index);
}

std::string BranchName(std::string_view name, std::string_view what) { return absl::StrCat(Absl(name), "_", Absl(what)); }

}  // namespace

// A function's body before it is written: its arguments may still be put in order.
struct GraphBuilder::Body {
  int graph = -1;
  std::vector<NodeId> params;  // the first arguments
  Outputs results;             // of the body's graph
  explicit operator bool() const { return graph >= 0; }
};

GraphBuilder::Body GraphBuilder::BuildBody(const std::vector<ArgType>& args, const std::function<Outputs(const Outputs&)>& body, std::source_location at) {
  Body result;
  if (!Ready()) return result;
  if (!body) {
    Fail(absl::InvalidArgumentError("function: expected a body, got none"), at);
    return result;
  }
  const int index = static_cast<int>(graphs_.size());
  graphs_.push_back(std::make_unique<BuilderGraph>(registry_));
  BuilderGraph& g = *graphs_.back();
  g.graph.set_library(graphs_[0]->graph.shared_library());
  g.parent = state_->graph;
  g.outer_context = state_->context;
  BuilderScope scope(this);
  state_->graph = index;
  state_->context = kRootContext;
  state_->controller = -1;
  state_->name_scope.clear();
  state_->colocation.clear();
  state_->colocated_device.clear();
  Outputs values;
  for (const ArgType& arg : args) {
    const Operation made = AddResolved("_Arg", {}, AttrMap{{"T", arg.dtype}, {"index", static_cast<int64_t>(g.args.size())}}, absl::StrCat("arg", g.args.size()), {}, at);
    if (!made) return result;
    g.args.push_back(made.node());
    g.shape({made.node(), 0}) = arg.shape;
    values.push_back(made.output());
  }
  result.params = g.args;
  result.results = body(values);
  for (size_t i = 0; i < result.results.size(); ++i) {
    if (!ok()) return result;
    Output& value = result.results[i];
    if (!value || value.builder() != this) {
      Fail(absl::InvalidArgumentError(absl::StrCat("function: result ", i, ": expected an output of this builder, got an empty one")), at);
      return result;
    }
    value = Resolve(value, at);
  }
  if (ok()) result.graph = index;
  return result;
}

// Writes the function with the body's own arguments first and one for each of `captures` after them; with `pass_captures` it also
// gives those back after its results.
FunctionValue GraphBuilder::WriteFunction(std::string_view name, const Body& body, const Outputs& captures, bool pass_captures, const FunctionOptions& options,
                                          std::source_location at) {
  FunctionValue value;
  if (!Ready() || !body) return value;
  BuilderGraph& g = *graphs_[body.graph];
  FunctionLibrary& library = g.graph.library();
  std::string unique(name.empty() ? "function" : name);
  std::replace(unique.begin(), unique.end(), '/', '_');
  for (int number = 1; library.FindSchema(unique) != nullptr || registry_.Find(unique) != nullptr; ++number) unique = absl::StrCat(Absl(name.empty() ? "function" : name), "_", number);
  std::replace(unique.begin(), unique.end(), '/', '_');

  FunctionDef def;
  def.mutable_signature()->set_name(unique);
  absl::flat_hash_map<NodeId, std::string> args;
  const auto add_arg = [&](NodeId node, DType dtype, const PartialShape& shape) {
    const int index = def.signature().input_arg_size();
    auto* arg = def.mutable_signature()->add_input_arg();
    arg->set_name(absl::StrCat("arg", index));
    arg->set_type(static_cast<DataType>(dtype));
    if (node >= 0) args.emplace(node, arg->name());
    value.arg_types.push_back(dtype);
    if (!shape.has_rank()) return arg->name();
    AttrValue& known = (*(*def.mutable_arg_attr())[static_cast<uint32_t>(index)].mutable_attr())["_output_shapes"];
    if (const absl::Status status = AttrToProto(Attr(std::vector<PartialShape>{shape}), &known); !status.ok()) Fail(status, at);
    return arg->name();
  };
  for (const NodeId param : body.params) {
    const Port port{param, 0};
    add_arg(param, g.graph.node(param).types->outputs[0].dtype, g.shape(port));
  }
  std::vector<std::string> capture_args;
  for (const Output& capture : captures) {
    const auto here = g.captured.find(capture);
    const bool used = here != g.captured.end() && g.graph.node(here->second.node).op() == "_Arg";
    capture_args.push_back(add_arg(used ? here->second.node : -1, capture.dtype(), capture.shape()));
  }
  const auto add_result = [&](const std::string& text, DType dtype, const PartialShape& shape) {
    auto* result = def.mutable_signature()->add_output_arg();
    result->set_name(absl::StrCat("result", value.output_types.size()));
    result->set_type(static_cast<DataType>(dtype));
    (*def.mutable_ret())[result->name()] = text;
    value.output_types.push_back(dtype);
    value.output_shapes.push_back(shape);
  };
  for (const Output& result : body.results) add_result(InputText(g.graph, result.port(), args), result.dtype(), result.shape());
  if (pass_captures) {
    for (size_t i = 0; i < captures.size(); ++i) add_result(capture_args[i], captures[i].dtype(), captures[i].shape());
  }
  bool stateful = options.stateful;
  for (NodeId id = 0; id < g.graph.num_nodes(); ++id) {
    const Node& node = g.graph.node(id);
    if (node.op() == "_Arg") continue;
    NodeDef* out = def.add_node_def();
    out->set_name(std::string(node.name));
    out->set_op(node.op());
    out->set_device(g.graph.device_name(node));
    for (const Port p : g.graph.inputs(id)) out->add_input(InputText(g.graph, p, args));
    for (const Port p : g.graph.control_inputs(id)) {
      const auto arg = args.find(p.node);
      out->add_input(absl::StrCat("^", arg != args.end() ? absl::string_view(arg->second) : Absl(g.graph.node(p.node).name)));
    }
    if (const absl::Status status = AttrsToProto(node.attrs, out->mutable_attr()); !status.ok()) Fail(status, at);
    const bool has_effects = node.schema->is_stateful();
    stateful |= has_effects;
    if (has_effects) {
      // What has effects runs, whoever needs its results.
      def.mutable_signature()->add_control_output(std::string(node.name));
      (*def.mutable_control_ret())[std::string(node.name)] = std::string(node.name);
    }
  }
  def.mutable_signature()->set_is_stateful(stateful);
  for (const AttrMap::Entry& attr : options.attrs) {
    if (const absl::Status status = AttrToProto(attr.second, &(*def.mutable_attr())[attr.first]); !status.ok()) Fail(status, at);
  }
  if (const absl::Status status = library.Add(std::move(def)); !status.ok()) Fail(status, at);
  if (!ok()) return {};
  value.name = unique;
  value.captures = captures;
  value.is_stateful = stateful;
  return value;
}

FunctionValue GraphBuilder::Function(std::string_view name, const std::vector<ArgType>& args, const std::function<Outputs(const Outputs&)>& body,
                                     const FunctionOptions& options, std::source_location at) {
  const Body built = BuildBody(args, body, at);
  return built ? WriteFunction(name, built, graphs_[built.graph]->capture_order, false, options, at) : FunctionValue();
}

Outputs GraphBuilder::Call(const FunctionValue& function, absl::Span<const Input> args, std::string_view name, std::source_location at) {
  if (!Ready()) return {};
  if (!function) return Fail(absl::InvalidArgumentError("Call: expected a function, got an empty one"), at), Outputs();
  if (graphs_[0]->graph.library().FindSchema(function.name) == nullptr) {
    return Fail(absl::NotFoundError(absl::StrCat("Call: function '", function.name, "': not one of this builder")), at), Outputs();
  }
  std::vector<Input> inputs(args.begin(), args.end());
  inputs.insert(inputs.end(), function.captures.begin(), function.captures.end());
  if (inputs.size() != function.arg_types.size()) {
    Fail(absl::InvalidArgumentError(absl::StrCat("Call: function '", function.name, "': expected ", function.arg_types.size() - function.captures.size(), " arguments, got ",
                                                 args.size())),
         at);
    return {};
  }
  // Arguments written in place take the dtype that the function wants.
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_literal()) inputs[i] = Constant(inputs[i], function.arg_types[i], "arg", at);
  }
  const Operation call = Op(function.is_stateful ? "StatefulPartitionedCall" : "PartitionedCall", inputs,
                            {{"Tin", function.arg_types}, {"Tout", function.output_types}, {"f", function.ref()}}, name.empty() ? std::string_view(function.name) : name, at);
  return WithShapes(call, function.output_shapes);
}

// The outputs of a functional op, with what is known of their shapes.
Outputs GraphBuilder::WithShapes(const Operation& op, const std::vector<PartialShape>& shapes) {
  if (!op) return {};
  Outputs outputs = op.outputs();
  for (size_t i = 0; i < outputs.size() && i < shapes.size(); ++i) current().shape(outputs[i].port()) = shapes[i];
  return outputs;
}

namespace {

// All values that some of the bodies capture, each once.
Outputs Union(const std::vector<const Outputs*>& lists) {
  Outputs all;
  for (const Outputs* list : lists) {
    for (const Output& value : *list) {
      if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
    }
  }
  return all;
}

}  // namespace

Outputs GraphBuilder::BranchesOf(std::string_view op, const Output& selector, const std::vector<std::function<Outputs()>>& branches, std::string_view name,
                                 std::source_location at) {
  if (!Ready()) return {};
  std::vector<Body> bodies;
  std::vector<const Outputs*> captures;
  for (const auto& branch : branches) {
    if (!branch) return Fail(absl::InvalidArgumentError(absl::StrCat(Absl(op), ": expected a function for each branch, got none")), at), Outputs();
    bodies.push_back(BuildBody({}, [&](const Outputs&) { return branch(); }, at));
    if (!bodies.back()) return {};
  }
  for (const Body& body : bodies) captures.push_back(&graphs_[body.graph]->capture_order);
  const Outputs all = Union(captures);
  std::vector<FunctionValue> functions;
  for (size_t i = 0; i < bodies.size(); ++i) {
    const std::string branch_name = op == "If" ? BranchName(name, i == 0 ? "true" : "false") : BranchName(name, absl::StrCat("branch", i).c_str());
    functions.push_back(WriteFunction(branch_name, bodies[i], all, false, {}, at));
    if (!functions.back()) return {};
    if (functions[i].output_types != functions[0].output_types) {
      Fail(absl::InvalidArgumentError(absl::StrCat(Absl(op), ": expected outputs of the same dtypes from all branches; branches 0 and ", i, " differ")), at);
      return {};
    }
  }
  std::vector<PartialShape> shapes = functions[0].output_shapes;
  std::vector<FunctionRef> refs;
  bool stateful = false;
  for (const FunctionValue& f : functions) {
    for (size_t i = 0; i < shapes.size(); ++i) shapes[i] = shapes[i].JoinWith(f.output_shapes[i]);
    refs.push_back(f.ref());
    stateful |= f.is_stateful;
  }
  std::vector<Input> inputs{selector};
  inputs.insert(inputs.end(), all.begin(), all.end());
  // A predicate that is no bool scalar has its meaning in the op; TensorFlow's lowering hands it to Switch, which refuses it.
  const PartialShape& shape = selector.shape();
  const bool lower = op != "If" || (selector.dtype() == DType::kBool && (!shape.has_rank() || shape.rank() == 0));
  std::vector<AttrMap::Entry> attrs{{"Tin", std::vector<DType>(functions[0].arg_types)}, {"Tout", functions[0].output_types}, {"output_shapes", shapes},
                                    {"_lower_using_switch_merge", lower}};
  if (op == "If") {
    attrs.push_back({"then_branch", refs[0]});
    attrs.push_back({"else_branch", refs[1]});
  } else {
    attrs.push_back({"branches", refs});
  }
  return WithShapes(Op(absl::StrCat(stateful ? "" : "Stateless", Absl(op)).c_str(), inputs, attrs, name, at), shapes);
}

Outputs GraphBuilder::If(const Output& pred, const std::function<Outputs()>& then_branch, const std::function<Outputs()>& else_branch, std::string_view name,
                         std::source_location at) {
  return BranchesOf("If", pred, {then_branch, else_branch}, name, at);
}

Outputs GraphBuilder::CaseOf(const Output& index, const std::vector<std::function<Outputs()>>& branches, std::string_view name, std::source_location at) {
  if (Ready() && branches.empty()) Fail(absl::InvalidArgumentError("Case: expected at least one branch, got none"), at);
  if (Ready() && index.shape().has_rank() && index.shape().rank() != 0) {
    Fail(absl::InvalidArgumentError(absl::StrCat("Case: expected an int32 scalar, got ", std::string(DTypeName(index.dtype())), index.shape().ToString())), at);
  }
  return BranchesOf("Case", index, branches, name, at);
}

Outputs GraphBuilder::WhileOf(absl::Span<const Input> initial, const std::function<Output(const Outputs&)>& cond,
                              const std::function<Outputs(const Outputs&)>& body, const WhileOptions& options, std::source_location at) {
  if (!Ready()) return {};
  const auto fail = [&](const std::string& what) {
    Fail(absl::InvalidArgumentError(absl::StrCat("While: ", what)), at);
    return Outputs();
  };
  if (!cond || !body) return fail("expected a predicate and a body, got none");
  if (const std::string problem = LoopProblem(initial.size(), options); !problem.empty()) return fail(problem);
  Outputs values;
  std::vector<ArgType> args;
  const int first = options.maximum_iterations.has_value() ? 2 : 0;  // counter and limit come before the user's variables
  if (first > 0) {
    values.push_back(Constant(Input(0), "iteration_counter", at));
    values.push_back(Constant(*options.maximum_iterations, DType::kInt32, "maximum_iterations", at));
    if (!ok()) return {};
    if (values[1].shape().has_rank() && values[1].shape().rank() != 0) return fail(absl::StrCat("maximum_iterations: expected a scalar, got shape ", values[1].shape().ToString()));
    args.assign(2, ArgType{DType::kInt32, Shape()});
  }
  for (size_t i = 0; i < initial.size(); ++i) {
    values.push_back(Constant(initial[i], "initial", at));
    if (!ok()) return {};
    const PartialShape shape = options.shape_invariants.empty() ? values.back().shape() : options.shape_invariants[i];
    if (!values.back().shape().IsAtLeastAsSpecificAs(shape)) {
      return fail(absl::StrCat("variable ", i, ": expected an initial shape that fits its invariant ", shape.ToString(), ", got ", values.back().shape().ToString()));
    }
    args.push_back({values.back().dtype(), shape});
  }
  const auto user_values = [&](const Outputs& v) { return Outputs(v.begin() + first, v.end()); };
  const Body cond_body = BuildBody(
      args,
      [&](const Outputs& v) {
        Output predicate = cond(user_values(v));
        if (first > 0 && predicate) predicate = Op("LogicalAnd", {Op("Less", {v[0], v[1]}, {}, "", at), predicate}, {}, "", at).output();
        return Outputs{predicate};
      },
      at);
  const Body loop_body = BuildBody(
      args,
      [&](const Outputs& v) {
        Outputs next = body(user_values(v));
        if (first > 0) {
          next.insert(next.begin(), v[1]);
          next.insert(next.begin(), Op("AddV2", {v[0], 1}, {}, "", at).output());
        }
        return next;
      },
      at);
  if (!cond_body || !loop_body) return {};
  if (loop_body.results.size() != values.size()) {
    return fail(absl::StrCat("body: expected ", initial.size(), " values, one for each variable, got ", loop_body.results.size() - static_cast<size_t>(first)));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const Output& next = loop_body.results[i];
    if (next.dtype() != args[i].dtype) {
      return fail(absl::StrCat("body: variable ", i - static_cast<size_t>(first), ": expected ", std::string(DTypeName(args[i].dtype)), " as its initial value, got ",
                               std::string(DTypeName(next.dtype()))));
    }
    if (!next.shape().IsAtLeastAsSpecificAs(args[i].shape)) {
      return fail(absl::StrCat("body: variable ", i - static_cast<size_t>(first), " enters the loop with shape ", args[i].shape.ToString(), " but has shape ",
                               next.shape().ToString(), " after one iteration; shape_invariants can allow that"));
    }
  }
  const Outputs captures = Union({&graphs_[cond_body.graph]->capture_order, &graphs_[loop_body.graph]->capture_order});
  const FunctionValue cond_function = WriteFunction(BranchName(options.name, "cond"), cond_body, captures, false, {}, at);
  const FunctionValue body_function = WriteFunction(BranchName(options.name, "body"), loop_body, captures, true, {}, at);
  if (!ok()) return {};
  std::vector<PartialShape> shapes;
  for (const ArgType& arg : args) shapes.push_back(arg.shape);
  for (const Output& capture : captures) shapes.push_back(capture.shape());
  std::vector<Input> inputs(values.begin(), values.end());
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  const bool stateful = cond_function.is_stateful || body_function.is_stateful;
  Outputs outputs = WithShapes(Op(stateful ? "While" : "StatelessWhile", inputs,
                                  {{"T", body_function.arg_types}, {"cond", cond_function.ref()}, {"body", body_function.ref()}, {"output_shapes", shapes},
                                   {"parallel_iterations", options.parallel_iterations}, {"_lower_using_switch_merge", true}},
                                  options.name, at),
                               shapes);
  if (!ok()) return {};
  return Outputs(outputs.begin() + first, outputs.begin() + first + static_cast<std::ptrdiff_t>(initial.size()));
}

}  // namespace flowlatch
