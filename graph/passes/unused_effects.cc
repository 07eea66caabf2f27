#include "graph/passes/unused_effects.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include "graph/passes/inline_functions.h"
#include "graph/passes/lower_control_flow.h"

namespace flowlatch {
namespace {

constexpr std::string_view kQuietOps[] = {
    "Abs",       "Cast",   "Ceil",         "Const",   "Cos",         "Exp",       "Floor", "Identity",
    "IdentityN", "Log",    "LogicalNot",   "Neg",     "NoOp",        "OnesLike",  "Rank",  "Relu",
    "Round",     "Rsqrt",  "Shape",        "Sigmoid", "Sign",        "Sin",       "Size",  "Softplus",
    "Sqrt",      "Square", "StopGradient", "Tanh",    "VarHandleOp", "ZerosLike", "_Arg"};
// Ops that cannot fail when one operand is a scalar.
constexpr std::string_view kQuietBinaryOps[] = {"Add",     "AddV2",   "Sub",  "Mul",    "RealDiv",
                                                "Maximum", "Minimum", "Less", "Greater"};

bool IsScalarConst(const Node& node) {
  if (node.op() != "Const") return false;
  const Attr* value = node.attrs.Find("value");
  return value != nullptr && value->Get<Tensor>() != nullptr && value->Get<Tensor>()->is_scalar();
}

// The nodes of a body that some of its results, or effects, need.
class Reached {
 public:
  explicit Reached(const FunctionBody& body) : body_(body), seen_(body.graph->num_nodes()), arg_of_(seen_.size(), -1) {
    for (size_t i = 0; i < body.args.size(); ++i) arg_of_[body.args[i]] = static_cast<int>(i);
  }

  void AddResult(int i) { Add(body_.returns[i].node); }
  void AddEffects(BodyEffects effects) {
    for (const NodeId node : EffectNodes(body_, effects)) Add(node);
  }
  bool Contains(NodeId node) const { return seen_[node]; }
  const std::vector<int>& args() const { return args_; }  // in the order in which they were reached

 private:
  void Add(NodeId node) {
    std::vector<NodeId> stack;
    const auto push = [&](NodeId id) {
      if (seen_[id]) return;
      seen_[id] = true;
      if (arg_of_[id] >= 0) args_.push_back(arg_of_[id]);
      stack.push_back(id);
    };
    push(node);
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      for (const Port port : body_.graph->inputs(id)) push(port.node);
      for (const Port port : body_.graph->control_inputs(id)) push(port.node);
    }
  }

  const FunctionBody& body_;
  std::vector<bool> seen_;
  std::vector<int> arg_of_;  // by node, -1: none
  std::vector<int> args_;
};

// Whether a call runs what is not `reached` and matters.
bool AnyMatters(const FunctionBody& body, const Reached& reached) {
  Reached called(body);
  for (size_t i = 0; i < body.returns.size(); ++i) called.AddResult(static_cast<int>(i));
  called.AddEffects(BodyEffects::kControlReturns);
  for (NodeId id = 0; id < body.graph->num_nodes(); ++id) {
    if (called.Contains(id) && !reached.Contains(id) && !IsUnnoticed(*body.graph, id)) return true;
  }
  return false;
}

std::vector<std::shared_ptr<const FunctionBody>> Bodies(const Graph& graph, const Node& node) {
  std::vector<std::shared_ptr<const FunctionBody>> bodies;
  for (const FunctionRef& function : FunctionsOf(node)) {
    auto body = FunctionLibrary::Instantiate(graph.shared_library(), function.name, function.attrs);
    if (!body.ok()) return {};
    bodies.push_back(*std::move(body));
  }
  return bodies;
}

void UnusedInBranches(const std::vector<std::shared_ptr<const FunctionBody>>& bodies, const OpUse& use,
                      UnusedParts* parts) {
  for (const auto& body : bodies) {
    Reached reached(*body);
    for (size_t i = 0; i < use.outputs.size(); ++i) {
      if (use.outputs[i]) reached.AddResult(static_cast<int>(i));
    }
    if (use.is_awaited) reached.AddEffects(BodyEffects::kControlReturns);
    parts->matters = parts->matters || AnyMatters(*body, reached);
    for (const int arg : reached.args()) parts->inputs_needed[arg + 1] = true;
  }
  parts->inputs_needed[0] = true;
}

// A variable is needed if it is used behind the loop, by the condition, or by the next value of one that is. The first
// that changes always is: the others wait for it.
void UnusedInLoop(const Node& node, const FunctionBody& condition, const FunctionBody& body, const OpUse& use,
                  UnusedParts* parts) {
  const size_t n = node.types->inputs.size();
  const auto is_resource = [&](size_t i) { return node.types->inputs[i].dtype == DType::kResource; };
  Reached in_condition(condition), in_body(body);
  std::vector<size_t> todo;
  const auto need = [&](size_t i) {
    if (parts->inputs_needed[i]) return;
    parts->inputs_needed[i] = true;
    todo.push_back(i);
  };
  bool runs = use.is_awaited;  // for the sake of its resources alone it does not
  for (size_t i = 0; i < n; ++i) {
    if (!use.outputs[i] && !use.is_awaited) continue;
    runs = runs || !is_resource(i);
    need(i);
  }
  if (runs) {
    for (size_t i = 0; i < n; ++i) {
      if (is_resource(i)) continue;
      need(i);
      break;
    }
    in_condition.AddResult(0);
    in_body.AddEffects(BodyEffects::kControlReturns);
    for (const int arg : in_condition.args()) need(arg);
    for (size_t known_args = 0; known_args < in_body.args().size() || !todo.empty();) {
      while (!todo.empty()) {
        const size_t i = todo.back();
        todo.pop_back();
        in_body.AddResult(static_cast<int>(i));
      }
      while (known_args < in_body.args().size()) need(in_body.args()[known_args++]);
    }
  }
  parts->matters = AnyMatters(condition, in_condition) || AnyMatters(body, in_body);
}

}  // namespace

bool IsUnnoticed(const Graph& graph, NodeId id) {
  const std::string& op = graph.node(id).op();
  if (std::find(std::begin(kQuietOps), std::end(kQuietOps), op) != std::end(kQuietOps)) return true;
  if (std::find(std::begin(kQuietBinaryOps), std::end(kQuietBinaryOps), op) == std::end(kQuietBinaryOps)) return false;
  const absl::Span<const Port> inputs = graph.inputs(id);
  return std::any_of(inputs.begin(), inputs.end(), [&](Port port) { return IsScalarConst(graph.node(port.node)); });
}

UnusedParts FindUnusedParts(const Graph& graph, NodeId id, const OpUse& use) {
  const Node& node = graph.node(id);
  const FunctionalKind kind = FunctionalKindOf(*node.schema);
  const bool is_loop = kind == FunctionalKind::kWhile;
  OpUse all = use;
  if (use.as_a_whole) {
    all.outputs.assign(all.outputs.size(), true);
    all.is_awaited = true;
  }
  UnusedParts parts;
  parts.inputs_needed.assign(node.num_inputs, true);
  const auto bodies = Bodies(graph, node);
  if (bodies.empty()) return parts;
  const absl::Span<const PortType> args = absl::MakeSpan(node.types->inputs).subspan(is_loop ? 0 : 1);
  const PortType any{DType::kInvalid};
  for (size_t i = 0; i < bodies.size(); ++i) {
    const bool is_condition = is_loop && i == 0;
    const absl::Span<const PortType> results =
        is_condition ? absl::MakeSpan(&any, 1) : absl::MakeSpan(node.types->outputs);
    if (!CheckBodyTypes("", *bodies[i], args, results).ok()) return parts;
  }
  parts.inputs_needed.assign(node.num_inputs, false);
  if (is_loop) {
    UnusedInLoop(node, *bodies[0], *bodies[1], all, &parts);
  } else {
    UnusedInBranches(bodies, all, &parts);
  }
  return parts;
}

}  // namespace flowlatch
