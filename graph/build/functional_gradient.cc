#include "graph/build/functional_gradient.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/build/builder_graph.h"
#include "graph/build/gradient_function.h"

namespace flowlatch {
namespace {

// Inlines functions where a node stands.
class Inliner {
 public:
  Inliner(GraphBuilder* b, NodeId id, std::source_location at) : b_(*b), id_(id), node_(b->current().graph.node(id)), name_(node_.name), at_(at) {}

  void Run() {
    BuilderGraph& g = b_.current();
    BuilderScope context = b_.EnterContext(g.context[id_]);
    BuilderScope name_scope = b_.NameScope(name_);
    for (const Port p : g.graph.inputs(id_)) inputs_.push_back(Output(&b_, b_.state().graph, p));
    std::vector<Operation> controls;
    for (const Port p : g.graph.control_inputs(id_)) controls.push_back(Operation(&b_, b_.state().graph, p.node));
    std::vector<PartialShape> shapes;
    for (int i = 0; i < node_.num_outputs(); ++i) shapes.push_back(g.shape({id_, i}));
    Outputs results;
    {
      BuilderScope deps = b_.ControlDependencies(controls, at_);
      if (!controls.empty()) {
        for (Output& input : inputs_) input = b_.Op("Identity", {input}, {}, "input", at_).output();
      }
      controls_ = controls;
      results = Expand();
    }
    if (!b_.ok()) return;
    // The node stays as a name for the results.
    std::vector<Port> ports;
    std::vector<NodeId> after;
    const int count = node_.num_outputs();
    for (size_t i = 0; i < results.size(); ++i) {
      const Output seen = b_.Resolve(results[i], at_);
      if (!b_.ok()) return;
      if (static_cast<int>(i) < count) {
        ports.push_back(seen.port());
      } else {
        after.push_back(seen.port().node);
      }
    }
    std::vector<DType> types;
    for (const PortType& type : node_.types->outputs) types.push_back(type.dtype);
    const OpSchema* schema = b_.registry().Find(count > 0 ? "IdentityN" : "NoOp");
    const absl::Status status = schema == nullptr ? absl::NotFoundError("op IdentityN is not registered")
                                                  : g.graph.ReplaceOp(id_, schema, count > 0 ? AttrMap{{"T", types}} : AttrMap());
    if (!status.ok()) return b_.Fail(status, at_);
    g.graph.SetInputs(id_, ports, after);
    for (int i = 0; i < count; ++i) {
      const absl::StatusOr<PartialShape> merged = shapes[i].MergeWith(g.shape(ports[i]));
      if (merged.ok()) g.shape({id_, i}) = *merged;
      const auto handle = g.handles.find(ports[i]);
      if (handle != g.handles.end()) g.handles[Port{id_, i}] = HandleData(handle->second);
    }
  }

 private:
  // What takes the node's place: its outputs, and after them, if there are none, something to wait for.
  Outputs Expand() {
    const std::string& op = node_.op();
    const auto selected = [&](std::vector<std::function<Outputs()>>* branches, const std::vector<FunctionRef>& functions) {
      const Outputs args(inputs_.begin() + 1, inputs_.end());
      for (const FunctionRef& f : functions) branches->push_back([this, f, args] { return Body(f, args, true); });
    };
    if (op == "If" || op == "StatelessIf") {
      std::vector<std::function<Outputs()>> branches;
      selected(&branches, {Function("then_branch"), Function("else_branch")});
      return b_.Cond(ToBool(inputs_[0]), branches[0], branches[1], "cond", at_);
    }
    if (op == "Case" || op == "StatelessCase") {
      const Attr* list = node_.attrs.Find("branches");
      const auto* functions = list != nullptr ? list->Get<std::vector<FunctionRef>>() : nullptr;
      std::vector<std::function<Outputs()>> branches;
      selected(&branches, functions != nullptr ? *functions : std::vector<FunctionRef>());
      return b_.Case(inputs_[0], branches, "case", at_);
    }
    if (op == "While" || op == "StatelessWhile") return ExpandWhile();
    if (op == "SymbolicGradient") {
      const absl::StatusOr<FunctionRef> gradient = GradientFunction(b_.current().graph.shared_library(), b_.registry(), Function("f"));
      if (!gradient.ok()) return b_.Fail(gradient.status(), at_), Outputs();
      return Body(*gradient, inputs_, false);
    }
    if (op == "PartitionedCall" || op == "StatefulPartitionedCall") return Body(Function("f"), inputs_, node_.num_outputs() == 0);
    return Body(FunctionRef{op, node_.attrs}, inputs_, node_.num_outputs() == 0);
  }

  Outputs ExpandWhile() {
    BuilderGraph& g = b_.current();
    WhileOptions options;
    options.name = "while";
    const Attr* parallel = node_.schema->AttrOrDefault(node_.attrs, "parallel_iterations");
    if (parallel != nullptr && parallel->Get<int64_t>() != nullptr) options.parallel_iterations = std::max<int64_t>(1, *parallel->Get<int64_t>());
    const FunctionRef cond = Function("cond"), body = Function("body");
    // What the body gives back as it got it is no variable but a value from outside.
    std::vector<bool> is_variable = ChangedBy(body);
    if (!b_.ok()) return {};
    std::vector<Input> initial;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!is_variable[i]) continue;
      initial.push_back(inputs_[i]);
      // A variable's shape holds in every iteration where the op says so.
      const PartialShape& declared = g.shape({id_, static_cast<int32_t>(i)});
      options.shape_invariants.push_back(inputs_[i].shape().IsAtLeastAsSpecificAs(declared) ? declared : PartialShape());
    }
    const auto with_invariants = [&](const Outputs& variables) {
      Outputs all;
      size_t next = 0;
      for (size_t i = 0; i < inputs_.size(); ++i) all.push_back(is_variable[i] ? variables[next++] : inputs_[i]);
      return all;
    };
    const Outputs results = b_.While(
        initial,
        [&](const Outputs& v) {
          const Outputs predicate = Body(cond, with_invariants(v), false);
          return predicate.empty() ? Output() : ToBool(predicate[0]);
        },
        [&](const Outputs& v) {
          const Outputs all = Body(body, with_invariants(v), false);
          Outputs next;
          for (size_t i = 0; i < all.size() && i < is_variable.size() && b_.ok(); ++i) {
            if (!is_variable[i]) continue;
            const PartialShape& invariant = options.shape_invariants[next.size()];
            Output value = all[i];
            if (!value.shape().IsAtLeastAsSpecificAs(invariant)) {
              // What is known of the body's result is less than the op says.
              value = b_.Op("Identity", {value}, {}, "next", at_).output();
              if (value) b_.current().shape(value.port()) = invariant;
            }
            next.push_back(value);
          }
          return next;
        },
        options, at_);
    return with_invariants(results);
  }

  // For each argument of a loop's body, whether the result that replaces it is another value. One is taken to be in any case, since a
  // loop has a variable.
  std::vector<bool> ChangedBy(const FunctionRef& function) {
    std::vector<bool> changed(inputs_.size(), true);
    const auto body = FunctionLibrary::Instantiate(b_.current().graph.shared_library(), function.name, function.attrs);
    if (!body.ok() || (*body)->args.size() != inputs_.size() || (*body)->returns.size() != inputs_.size()) return changed;  // Body says why
    const Graph& graph = *(*body)->graph;
    for (size_t i = 0; i < changed.size(); ++i) {
      Port p = (*body)->returns[i];
      while (graph.node(p.node).op() == "Identity" && graph.control_inputs(p.node).empty()) p = graph.inputs(p.node)[0];
      changed[i] = p != Port{(*body)->args[i], 0};
    }
    if (std::find(changed.begin(), changed.end(), true) == changed.end() && !changed.empty()) changed[0] = true;
    return changed;
  }

  FunctionRef Function(std::string_view attr) const {
    const Attr* value = node_.attrs.Find(attr);
    const FunctionRef* function = value != nullptr ? value->Get<FunctionRef>() : nullptr;
    return function != nullptr ? *function : FunctionRef();
  }

  // The function's results for these arguments, after its effects. `never_empty`: a constant that waits for the effects stands for
  // the results of a function that has none.
  Outputs Body(const FunctionRef& function, const Outputs& args, bool never_empty) {
    BuilderGraph& g = b_.current();
    if (!b_.ok()) return {};
    absl::StatusOr<std::shared_ptr<const FunctionBody>> body = FunctionLibrary::Instantiate(g.graph.shared_library(), function.name, function.attrs);
    if (!body.ok()) {
      b_.Fail(absl::Status(body.status().code(), absl::StrCat("node '", name_, "' (", node_.op(), "): ", body.status().message())), at_);
      return {};
    }
    const Graph& graph = *(*body)->graph;
    if ((*body)->args.size() != args.size()) {
      b_.Fail(absl::InvalidArgumentError(absl::StrCat("node '", name_, "' (", node_.op(), "): function '", function.name, "': expected ", (*body)->args.size(),
                                                      " arguments, got ", args.size())),
              at_);
      return {};
    }
    ImportOptions options;
    options.prefix = function.name;
    std::replace_if(
        options.prefix.begin(), options.prefix.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.'; }, '_');
    if (!options.prefix.empty() && options.prefix[0] == '_') options.prefix.insert(0, "f");
    for (size_t i = 0; i < args.size(); ++i) options.input_map.push_back({graph.PortName({(*body)->args[i], 0}), args[i]});
    for (const Port p : (*body)->returns) options.return_outputs.push_back(graph.PortName(p));
    if (b_.state().context == g.context[id_]) options.control_dependencies = controls_;
    std::vector<NodeId> effects((*body)->control_returns.begin(), (*body)->control_returns.end());
    std::vector<Operation> effect_ops;
    Outputs results = b_.ImportBody(graph, options, effects, &effect_ops, at_);
    if (!b_.ok()) return {};
    if (effect_ops.empty() && !(results.empty() && never_empty)) return results;
    BuilderScope deps = b_.ControlDependencies(effect_ops, at_);
    for (Output& result : results) result = b_.Op("Identity", {result}, {}, "result", at_).output();
    if (results.empty() && never_empty) results.push_back(b_.Constant(Input(true), "done", at_));
    return results;
  }

  // A predicate as functional control flow reads it: numbers that are not zero, strings and other tensors that are not empty.
  Output ToBool(const Output& value) {
    if (!b_.ok() || !value) return value;
    const bool scalar = value.shape().has_rank() && value.shape().rank() == 0;
    if (!scalar && value.shape().has_rank()) return b_.Op("Greater", {b_.Op("Size", {value}, {}, "", at_), 0}, {}, "", at_).output();
    if (value.dtype() == DType::kBool) return value;
    if (value.dtype() == DType::kString) return b_.Op("NotEqual", {value, b_.Constant(Input(""))}, {}, "", at_).output();
    return b_.Op("NotEqual", {value, b_.Constant(Input(0), value.dtype(), "zero", at_)}, {}, "", at_).output();
  }

  GraphBuilder& b_;
  const NodeId id_;
  const Node node_;  // a copy: nodes move while others are made
  const std::string name_;
  const std::source_location at_;
  Outputs inputs_;
  std::vector<Operation> controls_;
};

}  // namespace

std::string FunctionGradientOf(const Graph& graph, NodeId id) {
  if (graph.library().gradients().empty()) return "";
  const Node& node = graph.node(id);
  std::string name = node.op();
  if (name == "PartitionedCall" || name == "StatefulPartitionedCall") {
    const Attr* f = node.attrs.Find("f");
    name = f != nullptr && f->Get<FunctionRef>() != nullptr ? f->Get<FunctionRef>()->name : "";
  }
  const auto& gradients = graph.library().gradients();
  const auto at = gradients.find(name);
  return at != gradients.end() ? at->second : "";
}

bool IsFunctional(const Graph& graph, NodeId id) {
  const std::string& op = graph.node(id).op();
  const bool call = op == "PartitionedCall" || op == "StatefulPartitionedCall" || graph.registry().Find(op) == nullptr;
  if (call) return FunctionGradientOf(graph, id).empty() && !(graph.node(id).schema->is_opaque());
  return op == "If" || op == "StatelessIf" || op == "Case" || op == "StatelessCase" || op == "While" || op == "StatelessWhile" ||
         op == "SymbolicGradient";
}

void InlineFunctional(GraphBuilder& b, NodeId id, std::source_location at) {
  if (b.Ready()) Inliner(&b, id, at).Run();
}

}  // namespace flowlatch
