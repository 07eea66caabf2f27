#include "graph/passes/inline_functions.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "flowlatch/proto/function.pb.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

using Source = GraphRewrite::Source;

constexpr std::string_view kColocated = "loc:@";

// The attributes of a body's node in the graph that it is put into.
class AttrPrefixer {
 public:
  AttrPrefixer(const Graph& body, std::string prefix) : body_(body), prefix_(std::move(prefix)) {}

  AttrMap Apply(const Node& node) {
    const Attr* frame = node.attrs.Find("frame_name");
    const Attr* colocated = node.attrs.Find("_class");
    if (frame == nullptr && colocated == nullptr) return node.attrs;
    // Equal sets stay shared.
    AttrMap& attrs = changed_[&node.attrs.entries()];
    if (!attrs.empty()) return attrs;
    attrs = node.attrs;
    if (frame != nullptr && frame->Get<std::string>() != nullptr) {
      attrs = attrs.With("frame_name", absl::StrCat(prefix_, *frame->Get<std::string>()));
    }
    if (colocated != nullptr && colocated->Get<std::vector<std::string>>() != nullptr) {
      std::vector<std::string> classes = *colocated->Get<std::vector<std::string>>();
      for (std::string& name : classes) {
        if (name.starts_with(kColocated) && body_.FindNode(std::string_view(name).substr(kColocated.size())))
          name.insert(kColocated.size(), prefix_);
      }
      attrs = attrs.With("_class", std::move(classes));
    }
    return attrs;
  }

 private:
  const Graph& body_;
  const std::string prefix_;
  absl::flat_hash_map<const void*, AttrMap> changed_;  // by the identity of the old set
};

// Puts one call's body in its place.
class CallInliner {
 public:
  CallInliner(const Graph& graph, NodeId call, const FunctionBody& body, bool is_branch, GraphRewrite* rewrite)
      : graph_(graph),
        call_(call),
        body_(body),
        is_branch_(is_branch),
        rewrite_(*rewrite),
        prefix_(absl::StrCat(std::string(graph.node(call).name), "/")),
        node_of_(body.graph->num_nodes(), -1) {}

  // Adds to `effects` what `kept` says.
  absl::Status Run(BodyEffects kept, std::vector<NodeId>* effects) {
    if (is_branch_) RETURN_IF_ERROR(AddInputControl());
    RETURN_IF_ERROR(AddArgs());
    if (!is_branch_) RETURN_IF_ERROR(AddInputControl());
    RETURN_IF_ERROR(AddBody());
    for (const NodeId effect : EffectNodes(body_, kept)) effect_nodes_.push_back(node_of_[effect]);
    if (!is_branch_) effects->insert(effects->end(), effect_nodes_.begin(), effect_nodes_.end());
    return AddOutputs(kept);
  }

 private:
  std::vector<Source> Controls() const { return GraphRewrite::Old(graph_.control_inputs(call_)); }

  // A branch waits for its control inputs alone; a call waits for its arguments as well, and is dead when one is.
  absl::Status AddInputControl() {
    std::vector<Source> controls = Controls();
    if (!is_branch_) {
      for (const NodeId arg : body_.args) controls.push_back(GraphRewrite::New(node_of_[arg], -1));
    }
    if (controls.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(input_control_,
                     rewrite_.Add(absl::StrCat(prefix_, "input_control_node"), "NoOp", {}, {}, controls));
    return absl::OkStatus();
  }

  absl::Status AddArgs() {
    const std::vector<Source> controls = is_branch_ ? InputControl() : Controls();
    for (size_t i = 0; i < body_.args.size(); ++i) {
      const Node& arg = body_.graph->node(body_.args[i]);
      ASSIGN_OR_RETURN(node_of_[body_.args[i]], rewrite_.Add(absl::StrCat(prefix_, std::string(arg.name)), "Identity",
                                                             {{"T", arg.types->outputs[0].dtype}},
                                                             {GraphRewrite::Old(graph_.inputs(call_)[i])}, controls));
    }
    return absl::OkStatus();
  }

  absl::Status AddBody() {
    const Graph& body = *body_.graph;
    AttrPrefixer prefixer(body, prefix_);
    for (NodeId id = 0; id < body.num_nodes(); ++id) {
      if (node_of_[id] >= 0) continue;
      const Node& node = body.node(id);
      ASSIGN_OR_RETURN(node_of_[id],
                       rewrite_.Add(absl::StrCat(prefix_, std::string(node.name)), node.schema, prefixer.Apply(node)));
    }
    std::vector<Source> data, controls;
    for (NodeId id = 0; id < body.num_nodes(); ++id) {
      const Node& node = body.node(id);
      if (node.op() == "_Arg") continue;
      data.clear();
      controls.clear();
      for (const Port port : body.inputs(id)) data.push_back(GraphRewrite::New(node_of_[port.node], port.index));
      for (const Port port : body.control_inputs(id)) controls.push_back(GraphRewrite::New(node_of_[port.node], -1));
      if (data.empty() && controls.empty()) controls = InputControl();
      rewrite_.SetInputs(node_of_[id], data, controls);
    }
    return absl::OkStatus();
  }

  absl::Status AddOutputs(BodyEffects kept) {
    std::vector<Source> outputs, controls = InputControl();
    for (size_t i = 0; i < body_.returns.size(); ++i) {
      const Port port = body_.returns[i];
      const PortType type = body_.graph->node(port.node).types->outputs[port.index];
      Source output = GraphRewrite::New(node_of_[port.node], port.index);
      if (type.is_ref) {  // a call gives what the variable holds when it ends
        ASSIGN_OR_RETURN(const NodeId value, rewrite_.Add(absl::StrCat(prefix_, "result_", i), "Identity",
                                                          {{"T", type.dtype}}, {output}, {}));
        output = GraphRewrite::New(value);
      }
      if (kept == BodyEffects::kAll) controls.push_back(GraphRewrite::New(output.port.node, -1));
      outputs.push_back(output);
    }
    for (const NodeId effect : effect_nodes_) controls.push_back(GraphRewrite::New(effect, -1));
    ASSIGN_OR_RETURN(const NodeId output_control,
                     rewrite_.Add(absl::StrCat(prefix_, "output_control_node"), "NoOp", {}, {}, controls));
    return rewrite_.Replace(std::move(outputs), output_control);
  }

  std::vector<Source> InputControl() const {
    if (input_control_ < 0) return {};
    return {GraphRewrite::New(input_control_, -1)};
  }

  const Graph& graph_;
  const NodeId call_;
  const FunctionBody& body_;
  const bool is_branch_;
  GraphRewrite& rewrite_;
  const std::string prefix_;
  std::vector<NodeId> node_of_;  // by node of the body
  std::vector<NodeId> effect_nodes_;
  NodeId input_control_ = -1;
};

absl::Status CheckTypes(const char* what, absl::Span<const PortType> want, const std::vector<PortType>& got) {
  if (want.size() != got.size())
    return absl::InvalidArgumentError(absl::StrCat("expected ", got.size(), " ", what, "s, got ", want.size()));
  for (size_t i = 0; i < got.size(); ++i) {
    if (want[i].dtype == got[i].dtype || want[i].dtype == DType::kInvalid || got[i].dtype == DType::kInvalid) continue;
    return absl::InvalidArgumentError(absl::StrCat("expected ", what, " ", i, " to be ",
                                                   std::string(DTypeName(got[i].dtype)), ", got ",
                                                   std::string(DTypeName(want[i].dtype))));
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<FunctionCall> AsFunctionCall(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op() == "PartitionedCall" || node.op() == "StatefulPartitionedCall") {
    const Attr* f = node.attrs.Find("f");
    if (f == nullptr || f->Get<FunctionRef>() == nullptr) return std::nullopt;
    return FunctionCall{*f->Get<FunctionRef>(), BodyEffects::kControlReturns};
  }
  if (node.schema->is_opaque() || graph.library().FindSchema(node.op()) != node.schema) return std::nullopt;
  return FunctionCall{{node.op(), node.attrs}, BodyEffects::kAll};
}

bool IsNoInline(const Graph& graph, const FunctionRef& function) {
  const FunctionDef* definition = graph.library().FindDefinition(function.name);
  if (definition == nullptr) return false;
  const auto at = definition->attr().find("_noinline");
  return at != definition->attr().end() && at->second.b();
}

std::vector<NodeId> EffectNodes(const FunctionBody& body, BodyEffects effects) {
  std::vector<NodeId> nodes(body.control_returns.begin(), body.control_returns.end());
  if (effects == BodyEffects::kControlReturns) return nodes;
  for (NodeId id = 0; id < body.graph->num_nodes(); ++id) {
    const Node& node = body.graph->node(id);
    if (node.schema->is_stateful() && node.op() != "_Arg") nodes.push_back(id);
  }
  return nodes;
}

absl::Status CheckBodyTypes(const std::string& function, const FunctionBody& body, absl::Span<const PortType> args,
                            absl::Span<const PortType> results) {
  std::vector<PortType> takes, gives;
  for (const NodeId arg : body.args) takes.push_back(body.graph->node(arg).types->outputs[0]);
  for (const Port port : body.returns) gives.push_back(body.graph->node(port.node).types->outputs[port.index]);
  absl::Status status = CheckTypes("argument", args, takes);
  if (status.ok()) status = CheckTypes("result", results, gives);
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("function '", function, "': ", status.message()));
}

absl::StatusOr<InlinedFunctions> InlineFunctions(const Graph& graph, absl::Span<const Inlining> what) {
  GraphRewrite rewrite(graph);
  std::vector<NodeId> effects;
  const auto inline_call = [&](NodeId id) -> absl::Status {
    const std::optional<FunctionCall> call = AsFunctionCall(graph, id);
    if (!call.has_value()) return absl::InternalError("expected a call of a function");
    const NodeTypes& types = *graph.node(id).types;
    ASSIGN_OR_RETURN(const std::shared_ptr<const FunctionBody> body,
                     FunctionLibrary::Instantiate(graph.shared_library(), call->function.name, call->function.attrs));
    RETURN_IF_ERROR(CheckBodyTypes(call->function.name, *body, types.inputs, types.outputs));
    return CallInliner(graph, id, *body, what[id] == Inlining::kInlineBranch, &rewrite).Run(call->effects, &effects);
  };
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (what[id] == Inlining::kLeaveOut) continue;
    rewrite.Visit(id);
    if (what[id] == Inlining::kCopy) {
      RETURN_IF_ERROR(rewrite.Copy());
    } else if (absl::Status status = inline_call(id); !status.ok()) {
      return AnnotateNode(status, graph.node(id));
    }
  }
  return InlinedFunctions{std::move(rewrite).Finish(), std::move(effects)};
}

}  // namespace flowlatch
