#include "graph/passes/lower_control_flow.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/passes/inline_functions.h"

namespace flowlatch {
namespace {

using Source = GraphRewrite::Source;
using Sources = std::vector<Source>;

std::vector<DType> DTypesOf(absl::Span<const PortType> types) {
  std::vector<DType> dtypes;
  for (const PortType& type : types) dtypes.push_back(type.dtype);
  return dtypes;
}

// Lowers one op.
class OpLowering {
 public:
  OpLowering(const Graph& graph, NodeId id, bool with_effects, GraphRewrite* rewrite, std::vector<NodeId>* calls)
      : graph_(graph),
        node_(graph.node(id)),
        inputs_(GraphRewrite::Old(graph.inputs(id))),
        controls_(GraphRewrite::Old(graph.control_inputs(id))),
        functions_(FunctionsOf(node_)),
        with_effects_(with_effects),
        rewrite_(*rewrite),
        calls_(*calls) {}

  absl::Status Run() {
    const FunctionalKind kind = FunctionalKindOf(*node_.schema);
    if (functions_.empty()) return absl::InvalidArgumentError("expected functions to call, got none");
    return kind == FunctionalKind::kWhile ? LowerWhile() : LowerBranches(kind == FunctionalKind::kIf);
  }

 private:
  absl::StatusOr<Source> Add(absl::string_view name, std::string_view op, AttrMap attrs, const Sources& data,
                             const Sources& controls = {}) {
    ASSIGN_OR_RETURN(const NodeId id, rewrite_.Add(absl::StrCat(std::string(node_.name), "/", name), op,
                                                   std::move(attrs), data, controls));
    return GraphRewrite::New(id);
  }
  static Source Output(Source node, int index) { return GraphRewrite::New(node.port.node, index); }
  static Source Control(Source node) { return Output(node, -1); }

  absl::StatusOr<std::shared_ptr<const FunctionBody>> CheckedBody(const FunctionRef& function,
                                                                  absl::Span<const PortType> args,
                                                                  absl::Span<const PortType> results) const {
    ASSIGN_OR_RETURN(std::shared_ptr<const FunctionBody> body,
                     FunctionLibrary::Instantiate(graph_.shared_library(), function.name, function.attrs));
    RETURN_IF_ERROR(CheckBodyTypes(function.name, *body, args, results));
    return body;
  }

  // A call of a function; its results are the outputs.
  absl::StatusOr<Source> AddCall(absl::string_view name, const FunctionRef& function, absl::Span<const PortType> args,
                                 absl::Span<const PortType> results, const Sources& data, const Sources& controls) {
    const std::string full_name = absl::StrCat(std::string(node_.name), "/", name);
    NodeId id;
    if (with_effects_) {  // a function's name as op keeps them
      ASSIGN_OR_RETURN(id, rewrite_.Add(full_name, graph_.library().FindSchema(function.name), function.attrs));
      rewrite_.SetInputs(id, data, controls);
    } else {
      ASSIGN_OR_RETURN(
          id, rewrite_.Add(full_name, node_.schema->is_stateful() ? "StatefulPartitionedCall" : "PartitionedCall",
                           {{"Tin", DTypesOf(args)}, {"Tout", DTypesOf(results)}, {"f", function}}, data, controls));
    }
    calls_.push_back(id);
    return GraphRewrite::New(id);
  }

  absl::Status LowerBranches(bool is_if);
  absl::Status LowerWhile();
  absl::Status AddLoop(const FunctionBody& condition, const FunctionBody& body);

  const Graph& graph_;
  const Node& node_;
  const Sources inputs_, controls_;
  const std::vector<FunctionRef> functions_;
  const bool with_effects_;
  GraphRewrite& rewrite_;
  std::vector<NodeId>& calls_;
};

absl::Status OpLowering::LowerBranches(bool is_if) {
  const absl::Span<const PortType> args = absl::MakeSpan(node_.types->inputs).subspan(1);
  const std::vector<PortType>& results = node_.types->outputs;
  const int num_branches = static_cast<int>(functions_.size());
  for (const FunctionRef& function : functions_) RETURN_IF_ERROR(CheckedBody(function, args, results).status());

  // Everything waits for the selector, and it for the op's control inputs.
  const DType selector_dtype = node_.types->inputs[0].dtype;
  ASSIGN_OR_RETURN(const Source selector,
                   Add("selector", is_if ? "ToBool" : "Identity", {{"T", selector_dtype}}, {inputs_[0]}, controls_));
  // Output k of the switch is what branch k gets; an If's first branch, `then`, is a Switch's output 1.
  const auto branch_output = [&](int k) { return is_if ? 1 - k : k; };
  const auto add_switch = [&](absl::string_view name, DType dtype, Source data) {
    return is_if ? Add(name, "Switch", {{"T", dtype}}, {data, selector})
                 : Add(name, "_SwitchN", {{"T", dtype}, {"num_outs", num_branches}}, {data, selector});
  };
  const DType pivot_dtype = is_if ? DType::kBool : selector_dtype;
  ASSIGN_OR_RETURN(const Source pivot_switch, add_switch("switch_pred", pivot_dtype, selector));
  std::vector<Source> switches;
  for (size_t i = 0; i < args.size(); ++i) {
    ASSIGN_OR_RETURN(const Source made, add_switch(absl::StrCat("switch_", i), args[i].dtype, inputs_[i + 1]));
    switches.push_back(made);
  }
  std::vector<Source> pivots, calls, call_controls;
  for (int k = 0; k < num_branches; ++k) {
    const std::string name = is_if ? (k == 0 ? "then" : "else") : absl::StrCat("branch", k);
    ASSIGN_OR_RETURN(const Source pivot, Add(absl::StrCat("pivot_", name), "Identity", {{"T", pivot_dtype}},
                                             {Output(pivot_switch, branch_output(k))}));
    Sources data;
    for (const Source& s : switches) data.push_back(Output(s, branch_output(k)));
    ASSIGN_OR_RETURN(const Source call, AddCall(name, functions_[k], args, results, data, {Control(pivot)}));
    pivots.push_back(pivot);
    calls.push_back(call);
    call_controls.push_back(Control(call));
  }
  Sources outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    Sources data;
    for (const Source& call : calls) data.push_back(Output(call, static_cast<int>(i)));
    ASSIGN_OR_RETURN(const Source merge,
                     Add(absl::StrCat("merge_", i), "Merge", {{"T", results[i].dtype}, {"N", num_branches}}, data));
    outputs.push_back(merge);
  }
  // Alive when the branch has ended: dead control inputs do not kill a Merge (1.30).
  ASSIGN_OR_RETURN(const Source executed,
                   Add("branch_executed", "Merge", {{"T", pivot_dtype}, {"N", num_branches}}, pivots, call_controls));
  return rewrite_.Replace(std::move(outputs), executed.port.node);
}

absl::Status OpLowering::LowerWhile() {
  const std::vector<PortType>& types = node_.types->inputs;
  // Any dtype may tell whether to go on.
  const PortType any{DType::kInvalid};
  ASSIGN_OR_RETURN(const auto condition, CheckedBody(functions_[0], types, {&any, 1}));
  ASSIGN_OR_RETURN(const auto body, CheckedBody(functions_[1], types, types));
  return AddLoop(*condition, *body);
}

absl::Status OpLowering::AddLoop(const FunctionBody& condition, const FunctionBody& body) {
  const std::vector<PortType>& types = node_.types->inputs;
  const int n = static_cast<int>(types.size());
  const auto indexed = [](absl::string_view name, int i) { return absl::StrCat(name, "_", i); };
  // Resources that the body hands on are the same in each iteration.
  const auto is_constant = [&](int i) {
    return types[i].dtype == DType::kResource && body.returns[i] == Port{body.args[i], 0};
  };
  const Attr* parallel = node_.schema->AttrOrDefault(node_.attrs, "parallel_iterations");
  const int64_t* iterations = parallel != nullptr ? parallel->Get<int64_t>() : nullptr;
  const auto enter_attrs = [&](DType dtype, bool constant) {
    return AttrMap{{"T", dtype},
                   {"frame_name", std::string(node_.name)},
                   {"is_constant", constant},
                   {"parallel_iterations", iterations != nullptr ? *iterations : int64_t{10}}};
  };

  Sources controls;
  if (!controls_.empty()) {
    ASSIGN_OR_RETURN(const Source all, Add("LoopControlInputs", "NoOp", {}, {}, controls_));
    controls = {Control(all)};
  }
  // One variable more where there is none that changes: something must say that an iteration begins.
  Sources values;  // the Enters
  std::vector<DType> dtypes;
  std::vector<NodeId> merges;  // of the variables that change, -1 for constants
  int pivot = -1;
  const auto add_variable = [&](DType dtype, Source initial, bool constant) -> absl::Status {
    const int i = static_cast<int>(values.size());
    ASSIGN_OR_RETURN(Source value,
                     Add(indexed("enter", i), "Enter", enter_attrs(dtype, constant), {initial}, controls));
    NodeId merge = -1;
    if (!constant) {
      if (pivot < 0) pivot = i;
      // Its inputs follow with the NextIteration.
      ASSIGN_OR_RETURN(merge, rewrite_.Add(absl::StrCat(std::string(node_.name), "/", indexed("merge", i)),
                                           graph_.registry().Find("Merge"), {{"T", dtype}, {"N", 2}}));
    }
    values.push_back(value);
    merges.push_back(merge);
    dtypes.push_back(dtype);
    return absl::OkStatus();
  };
  for (int i = 0; i < n; ++i) RETURN_IF_ERROR(add_variable(types[i].dtype, inputs_[i], is_constant(i)));
  if (pivot < 0) {
    ASSIGN_OR_RETURN(const Source begin,
                     Add("begin", "Const", {{"dtype", DType::kBool}, {"value", Tensor::Scalar(true)}}, {}, controls));
    RETURN_IF_ERROR(add_variable(DType::kBool, begin, false));
  }
  const int num_variables = static_cast<int>(values.size());
  const auto current = [&](int i) { return merges[i] < 0 ? values[i] : GraphRewrite::New(merges[i]); };

  Sources data;
  for (int i = 0; i < n; ++i) data.push_back(current(i));
  const PortType condition_type =
      condition.graph->node(condition.returns[0].node).types->outputs[condition.returns[0].index];
  ASSIGN_OR_RETURN(const Source goes_on,
                   AddCall("cond", functions_[0], types, {&condition_type, 1}, data, {Control(current(pivot))}));
  ASSIGN_OR_RETURN(const Source predicate, Add("predicate", "ToBool", {{"T", condition_type.dtype}}, {goes_on}));
  ASSIGN_OR_RETURN(const Source loop_cond, Add("LoopCond", "LoopCond", {}, {predicate}));

  Sources switches(num_variables);
  for (int i = 0; i < num_variables; ++i) {
    if (merges[i] < 0) continue;
    ASSIGN_OR_RETURN(switches[i], Add(indexed("switch", i), "Switch", {{"T", dtypes[i]}}, {current(i), loop_cond}));
  }
  ASSIGN_OR_RETURN(const Source body_control,
                   Add("loop_body_control", "Identity", {{"T", dtypes[pivot]}}, {Output(switches[pivot], 1)}));
  data.clear();
  for (int i = 0; i < n; ++i) data.push_back(merges[i] < 0 ? values[i] : Output(switches[i], 1));
  ASSIGN_OR_RETURN(const Source next, AddCall("body", functions_[1], types, types, data, {Control(body_control)}));

  Sources exits(num_variables), exit_controls;
  for (int i = 0; i < num_variables; ++i) {
    if (merges[i] < 0) continue;
    const Source value = i < n ? Output(next, i) : Output(switches[i], 1);
    ASSIGN_OR_RETURN(const Source next_iteration,
                     Add(indexed("next", i), "NextIteration", {{"T", dtypes[i]}}, {value}, {Control(next)}));
    rewrite_.SetInputs(merges[i], {values[i], next_iteration}, {});
    ASSIGN_OR_RETURN(exits[i], Add(indexed("exit", i), "Exit", {{"T", dtypes[i]}}, {Output(switches[i], 0)}));
    exit_controls.push_back(Control(exits[i]));
  }
  ASSIGN_OR_RETURN(const Source executed, Add("LoopExecuted", "NoOp", {}, {}, exit_controls));
  Sources outputs;
  for (int i = 0; i < n; ++i) {
    if (merges[i] >= 0) {
      outputs.push_back(exits[i]);
      continue;
    }
    // Who uses a resource behind the loop does not wait for it, unless the loop is to act as a call does.
    ASSIGN_OR_RETURN(const Source same, Add(indexed("constant", i), "Identity", {{"T", dtypes[i]}}, {inputs_[i]},
                                            with_effects_ ? Sources{Control(executed)} : controls_));
    outputs.push_back(same);
  }
  return rewrite_.Replace(std::move(outputs), executed.port.node);
}

}  // namespace

FunctionalKind FunctionalKindOf(const OpSchema& schema) {
  const std::string& op = schema.name();
  if (op == "If" || op == "StatelessIf") return FunctionalKind::kIf;
  if (op == "Case" || op == "StatelessCase") return FunctionalKind::kCase;
  if (op == "While" || op == "StatelessWhile") return FunctionalKind::kWhile;
  return FunctionalKind::kNone;
}

std::vector<FunctionRef> FunctionsOf(const Node& node) {
  const auto two = [&](std::string_view first, std::string_view second) -> std::vector<FunctionRef> {
    const Attr *a = node.attrs.Find(first), *b = node.attrs.Find(second);
    if (a == nullptr || b == nullptr) return {};
    const FunctionRef *f = a->Get<FunctionRef>(), *g = b->Get<FunctionRef>();
    if (f == nullptr || g == nullptr) return {};
    return {*f, *g};
  };
  switch (FunctionalKindOf(*node.schema)) {
    case FunctionalKind::kIf:
      return two("then_branch", "else_branch");
    case FunctionalKind::kWhile:
      return two("cond", "body");
    case FunctionalKind::kCase: {
      const Attr* branches = node.attrs.Find("branches");
      const auto* list = branches != nullptr ? branches->Get<std::vector<FunctionRef>>() : nullptr;
      return list != nullptr ? *list : std::vector<FunctionRef>();
    }
    case FunctionalKind::kNone:
      return {};
  }
  return {};
}

bool IsMarkedForLowering(const Node& node) {
  const Attr* marked = node.attrs.Find("_lower_using_switch_merge");
  return marked != nullptr && marked->Get<bool>() != nullptr && *marked->Get<bool>();
}

absl::StatusOr<LoweredControlFlow> LowerControlFlow(const Graph& graph, absl::Span<const Lowering> what) {
  GraphRewrite rewrite(graph);
  std::vector<NodeId> branches, branches_with_effects;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (what[id] == Lowering::kLeaveOut) continue;
    rewrite.Visit(id);
    if (what[id] == Lowering::kCopy) {
      RETURN_IF_ERROR(rewrite.Copy());
      continue;
    }
    const bool with_effects = what[id] == Lowering::kLowerWithEffects;
    absl::Status status =
        OpLowering(graph, id, with_effects, &rewrite, with_effects ? &branches_with_effects : &branches).Run();
    if (!status.ok()) return AnnotateNode(status, graph.node(id));
  }
  return LoweredControlFlow{std::move(rewrite).Finish(), std::move(branches), std::move(branches_with_effects)};
}

}  // namespace flowlatch
