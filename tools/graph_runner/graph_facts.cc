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

// Values that nobody takes but that are no results either.
bool IsNoOutput(std::string_view op) {
  return IsPlaceholder(op) || IsVariable(op) ||
         IsOneOf(op, {"Const", "Switch", "Merge", "Enter", "Exit", "NextIteration", "LoopCond", "RefSwitch", "RefEnter",
                      "Assign", "AssignAdd", "AssignSub", "VarIsInitializedOp", "IsVariableInitialized"});
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
    // Nodes that others only wait for, such as the pivots of conds, are no results either.
    for (const Port& input : graph.control_inputs(id)) taken.insert(input.node);
  }
  const absl::StatusOr<ShapeTable> shapes = InferShapes(graph);
  std::vector<PortReport> outputs;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    if (taken.contains(id) || IsNoOutput(node.op())) continue;
    for (int i = 0; i < node.num_outputs(); ++i) {
      outputs.push_back(Describe(graph, id, i));
      if (shapes.ok()) outputs.back().shape = (*shapes)[static_cast<size_t>(id)][static_cast<size_t>(i)];
    }
  }
  return outputs;
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
