#include "tests/mutation/run_call.h"

#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/io/graph_def.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/tensor_proto.h"
#include "runtime/session/session.h"

namespace flowlatch {
namespace {

// Turns constants into placeholders of unknown shape. Errors: those of constants that are malformed.
absl::Status FeedConstants(GraphDef& graph, Feeds& feeds) {
  for (NodeDef& node : *graph.mutable_node()) {
    if (node.op() != "Const" || node.attr().count("value") == 0) continue;
    ASSIGN_OR_RETURN(Tensor value, TensorFromProto(node.attr().at("value").tensor()));
    node.set_op("Placeholder");
    node.mutable_attr()->erase("value");
    (*node.mutable_attr())["dtype"].set_type(static_cast<DataType>(value.dtype()));
    feeds.emplace_back(node.name(), std::move(value));
  }
  return absl::OkStatus();
}

// What the shape function says of the target, whose inputs are all constants; empty if they are not.
std::vector<PartialShape> InferOutputs(const Graph& graph, NodeId target) {
  const Node& node = graph.node(target);
  std::vector<Tensor> values;
  std::vector<PartialShape> shapes;
  for (const Port& input : graph.inputs(target)) {
    const Node& source = graph.node(input.node);
    const Attr* value = source.op() == "Const" ? source.attrs.Find("value") : nullptr;
    if (value == nullptr || value->Get<Tensor>() == nullptr) return {};
    values.push_back(*value->Get<Tensor>());
    shapes.emplace_back(values.back().shape());
  }
  if (node.schema->shape_function() == nullptr) return {};
  std::vector<const Tensor*> constants;
  for (const Tensor& value : values) constants.push_back(&value);
  ShapeContext context(*node.schema, node.attrs, std::move(shapes), std::move(constants), node.num_outputs());
  if (!node.schema->shape_function()(context).ok()) return {};
  return context.outputs();
}

std::string Judge(const Graph& graph, NodeId target, const std::vector<Tensor>& results) {
  const Node& node = graph.node(target);
  const std::vector<PartialShape> inferred = InferOutputs(graph, target);
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].has_value()) return absl::StrCat("output ", i, " has no value");
    const DType want = node.types->outputs[i].dtype;
    if (want != DType::kInvalid && results[i].dtype() != want) {
      return absl::StrCat("output ", i, " has another dtype: ", results[i].DebugString(4));
    }
    if (!inferred.empty() && !inferred[i].CompatibleWith(results[i].shape())) {
      return absl::StrCat("output ", i, " has shape ", results[i].ShapeString(), ", the shape function says ", inferred[i].ToString());
    }
  }
  return "";
}

}  // namespace

CallEnd RunCall(const OpLibrary& library, const Call& call, bool feed_constants) {
  CallEnd end;
  Feeds feeds;
  absl::StatusOr<std::vector<Tensor>> results = [&]() -> absl::StatusOr<std::vector<Tensor>> {
    GraphDef fed = call.graph;
    if (feed_constants) RETURN_IF_ERROR(FeedConstants(fed, feeds));
    ASSIGN_OR_RETURN(Graph graph, GraphFromProto(fed, library.registry()));
    const std::string name = call.target().name();
    const std::optional<NodeId> target = graph.FindNode(name);
    if (!target.has_value()) return absl::NotFoundError("the target is gone");
    std::vector<std::string> fetches, targets = {name};
    for (int i = 0; i < graph.node(*target).num_outputs(); ++i) fetches.push_back(absl::StrCat(name, ":", i));
    SessionOptions options;
    options.threads = 1;
    options.allow_files = true;
    options.timeout = std::chrono::milliseconds(200);  // for what waits and nobody wakes
    options.log = [](std::string_view) {};
    ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Create(graph.Clone(), library, std::move(options)));
    ASSIGN_OR_RETURN(std::vector<Tensor> outputs, session->Run(feeds, fetches, targets));
    end.finding = Judge(graph, *target, outputs);
    return outputs;
  }();
  end.status = results.status();
  return end;
}

}  // namespace flowlatch
