#include "tests/testing/test_graph.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {

TestGraph& TestGraph::Add(std::string name, std::string op, std::vector<std::string> inputs, AttrMap attrs) {
  nodes_.push_back({std::move(name), std::move(op), std::move(inputs), std::move(attrs)});
  return *this;
}

TestGraph& TestGraph::CountingLoop(const std::string& frame, const std::string& start, const std::string& limit,
                                   int parallel_iterations, const std::string& next_input) {
  const auto in = [&](const char* node) { return absl::StrCat(frame, "/", node); };
  const AttrMap enter{{"frame_name", frame}, {"parallel_iterations", parallel_iterations}};
  Add(in("enter"), "Enter", {start}, enter);
  Add(in("bound"), "Enter", {limit}, enter.With("is_constant", true));
  Add(in("merge"), "Merge", {in("enter"), in("next")});
  Add(in("less"), "FakeLess", {in("merge"), in("bound")});
  Add(in("cond"), "LoopCond", {in("less")});
  Add(in("switch"), "Switch", {in("merge"), in("cond")});
  Add(in("body"), "FakeIdentity", {in("switch:1")});
  Const<int32_t>(in("one"), 1, {"^" + in("body")});
  Add(in("add"), "FakeAdd", {in("body"), in("one")});
  Add(in("next"), "NextIteration", {next_input.empty() ? in("add") : next_input});
  return Add(in("exit"), "Exit", {in("switch")});
}

absl::StatusOr<Graph> TestGraph::Build() const {
  Graph graph(registry_);
  if (library_ != nullptr) graph.set_library(library_);
  for (const NodeText& node : nodes_) {
    const OpSchema* schema = registry_.Find(node.op);
    if (schema == nullptr) schema = graph.library().FindSchema(node.op);
    if (schema == nullptr) return absl::NotFoundError(absl::StrCat("op '", node.op, "' of node '", node.name, "'"));
    const int64_t num_data =
        std::count_if(node.inputs.begin(), node.inputs.end(), [](const std::string& input) { return input[0] != '^'; });
    AttrMap attrs = node.attrs;
    if (schema->FindAttr("T") != nullptr && !attrs.contains("T")) attrs = attrs.With("T", DType::kInt32);
    if (schema->FindAttr("N") != nullptr && !attrs.contains("N")) attrs = attrs.With("N", num_data);
    RETURN_IF_ERROR(graph.AddNode(node.name, schema, std::move(attrs)).status());
  }
  for (const NodeText& node : nodes_) {
    std::vector<Port> data;
    std::vector<NodeId> controls;
    for (const std::string& input : node.inputs) {
      if (input[0] == '^') {
        const std::optional<NodeId> from = graph.FindNode(std::string_view(input).substr(1));
        if (!from.has_value())
          return absl::NotFoundError(absl::StrCat("input '", input, "' of node '", node.name, "'"));
        controls.push_back(*from);
      } else {
        ASSIGN_OR_RETURN(const Port port, graph.ParsePort(input));
        data.push_back(port);
      }
    }
    graph.SetInputs(*graph.FindNode(node.name), data, controls);
  }
  RETURN_IF_ERROR(Verify(graph));
  return graph;
}

}  // namespace flowlatch
