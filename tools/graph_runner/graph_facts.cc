#include "tools/graph_runner/graph_facts.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "flowlatch/proto/function.pb.h"
#include "graph/ir/function_library.h"
#include "graph/passes/infer_shapes.h"

namespace flowlatch {
namespace {

bool IsOneOf(std::string_view op, std::initializer_list<std::string_view> ops) {
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

bool IsPlaceholder(std::string_view op) {
  return IsOneOf(op, {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"});
}

bool IsVariable(std::string_view op) {
  return IsOneOf(op, {"Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"});
}

// What the executor itself does, without kernels.
bool IsExecutorOp(std::string_view op) {
  return IsOneOf(op, {"Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit",
                      "NextIteration", "RefNextIteration"});
}

// Values that nobody takes but that are no results either.
bool IsNoOutput(std::string_view op) {
  return IsPlaceholder(op) || IsVariable(op) ||
         IsOneOf(op, {"Const", "Switch", "RefSwitch", "Assign", "AssignAdd", "AssignSub", "VarIsInitializedOp",
                      "IsVariableInitialized"});
}

PartialShape DeclaredShape(const Node& node) {
  const Attr* attr = node.schema->AttrOrDefault(node.attrs, "shape");
  const PartialShape* shape = attr != nullptr ? attr->Get<PartialShape>() : nullptr;
  return shape != nullptr ? *shape : PartialShape();
}

PortReport Describe(const Graph& graph, NodeId id, int output) {
  const Node& node = graph.node(id);
  PortReport port;
  port.name = output == 0 ? std::string(node.name) : graph.PortName({id, output});
  port.dtype = node.types->outputs[static_cast<size_t>(output)].dtype;
  if (IsPlaceholder(node.op()) || IsVariable(node.op())) port.shape = DeclaredShape(node);
  if (port.dtype == DType::kResource) {
    if (const Attr* attr = node.schema->AttrOrDefault(node.attrs, "dtype");
        attr != nullptr && attr->Get<DType>() != nullptr) {
      port.dtype = *attr->Get<DType>();
    }
  }
  return port;
}

// Whether a node runs once in each iteration of a loop, by id. Nothing is known of a graph with other cycles.
std::vector<bool> InLoops(const Graph& graph) {
  std::vector<int> depth(static_cast<size_t>(graph.num_nodes()));
  const absl::StatusOr<std::vector<NodeId>> order = TopologicalOrder(graph);
  if (order.ok()) {
    for (const NodeId id : *order) {
      int& own = depth[static_cast<size_t>(id)];
      const auto consider = [&](const Port& input) {
        const std::string& op = graph.node(input.node).op();
        const int exits = IsOneOf(op, {"Exit", "RefExit"}) ? 1 : 0;
        own = std::max(own, depth[static_cast<size_t>(input.node)] - exits);
      };
      for (const Port& input : graph.inputs(id)) consider(input);
      for (const Port& input : graph.control_inputs(id)) consider(input);
      if (IsOneOf(graph.node(id).op(), {"Enter", "RefEnter"})) ++own;
    }
  }
  return std::vector<bool>(depth.begin(), depth.end());
}

// The Identity that TensorFlow puts behind a Switch for others to wait for.
bool IsPivot(const Graph& graph, NodeId id) {
  if (graph.node(id).op() != "Identity" || graph.inputs(id).empty()) return false;
  return IsOneOf(graph.node(graph.inputs(id)[0].node).op(), {"Switch", "RefSwitch"});
}

// Gathers what is missing by op and reason.
class UnsupportedFinder {
 public:
  explicit UnsupportedFinder(const OpLibrary& library) : library_(library) {}

  void Visit(const Graph& graph, const std::string& prefix) {
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      const Node& node = graph.node(id);
      if (graph.library().FindSchema(node.op()) == node.schema) continue;  // a call of a function
      const absl::Status status = Check(node);
      if (absl::IsUnimplemented(status))
        Add(node.op(), std::string(status.message()), absl::StrCat(prefix, std::string(node.name)));
    }
  }

  // A body that cannot be built without the attributes of a call is judged by the names of its ops.
  void VisitFunction(const Graph& graph, const std::string& name) {
    const auto body = FunctionLibrary::Instantiate(graph.shared_library(), name, {});
    if (body.ok()) {
      Visit(*(*body)->graph, name + "/");
      return;
    }
    for (const NodeDef& node : graph.library().FindDefinition(name)->node_def()) {
      if (graph.library().FindSchema(node.op()) != nullptr || library_.registry().FindRegistered(node.op()) != nullptr)
        continue;
      Add(node.op(), "no kernel", absl::StrCat(name, "/", node.name()));
    }
  }

  std::vector<UnsupportedReport> Result() {
    std::vector<UnsupportedReport> list;
    for (auto& [key, report] : found_) list.push_back(std::move(report));
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
    return list;
  }

 private:
  absl::Status Check(const Node& node) const {
    if (library_.registry().FindRegistered(node.op()) != node.schema) return absl::UnimplementedError("no kernel");
    if (IsExecutorOp(node.op())) return absl::OkStatus();
    // Kernels that call functions need a session to be made in; they serve every dtype.
    for (const AttrSpec& attr : node.schema->attrs()) {
      if (attr.kind == "func" || attr.kind == "list(func)") return absl::OkStatus();
    }
    return library_.MakeKernel(NodeInfo(node.name, *node.schema, node.attrs, node.types->inputs, node.types->outputs))
        .status();
  }
  void Add(const std::string& op, const std::string& reason, const std::string& node) {
    UnsupportedReport& report = found_[{op, reason}];
    if (report.nodes++ > 0) return;
    report.op = op;
    report.reason = reason;
    report.first_node = node;
  }

  const OpLibrary& library_;
  std::map<std::pair<std::string, std::string>, UnsupportedReport> found_;
};

}  // namespace

std::vector<PortReport> GraphInputs(const Graph& graph) {
  std::vector<PortReport> inputs;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (IsPlaceholder(graph.node(id).op())) inputs.push_back(Describe(graph, id, 0));
  }
  return inputs;
}

std::vector<PortReport> GraphOutputs(const Graph& graph) {
  absl::flat_hash_set<NodeId> taken;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    for (const Port& input : graph.inputs(id)) taken.insert(input.node);
  }
  const std::vector<bool> in_loops = InLoops(graph);
  const absl::StatusOr<ShapeTable> shapes = InferShapes(graph);
  std::vector<PortReport> outputs, exits;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (taken.contains(id) || in_loops[static_cast<size_t>(id)] || IsNoOutput(node.op()) || IsPivot(graph, id))
      continue;
    // Most loops carry variables whose last values nobody wants.
    std::vector<PortReport>& list = IsOneOf(node.op(), {"Exit", "RefExit"}) ? exits : outputs;
    for (int i = 0; i < node.num_outputs(); ++i) {
      list.push_back(Describe(graph, id, i));
      if (shapes.ok()) list.back().shape = (*shapes)[static_cast<size_t>(id)][static_cast<size_t>(i)];
    }
  }
  return outputs.empty() ? exits : outputs;
}

std::vector<PortReport> GraphVariables(const Graph& graph) {
  std::vector<PortReport> variables;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    if (IsVariable(graph.node(id).op())) variables.push_back(Describe(graph, id, 0));
  }
  return variables;
}

PortHint HintForPort(const Graph& graph, const std::string& name) {
  const absl::StatusOr<Port> port = graph.ParsePort(name);
  if (!port.ok()) return {};
  const Node& node = graph.node(port->node);
  PortHint hint;
  hint.dtype = node.types->outputs[static_cast<size_t>(port->index)].dtype;
  if (hint.dtype == DType::kInvalid) hint.dtype.reset();  // of an op that nobody knows
  if (IsPlaceholder(node.op())) hint.shape = DeclaredShape(node);
  return hint;
}

std::vector<UnsupportedReport> FindUnsupported(const Graph& graph, const OpLibrary& library) {
  UnsupportedFinder finder(library);
  finder.Visit(graph, "");
  for (const std::string& name : graph.library().Names()) finder.VisitFunction(graph, name);
  return finder.Result();
}

std::string SpecType(const PortReport& port) {
  std::vector<int64_t> dims;
  if (port.shape.has_rank()) {
    for (const int64_t dim : port.shape.dims()) dims.push_back(std::max<int64_t>(dim, dim < 0 ? 1 : 0));
  }
  return absl::StrCat(std::string(DTypeName(port.dtype)), "[", absl::StrJoin(dims, ","), "]");
}

}  // namespace flowlatch
