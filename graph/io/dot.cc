#include "graph/io/dot.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

// Where a node is drawn: the labels of the boxes around it, from the outermost.
using BoxPath = std::vector<std::string_view>;

std::string Quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::vector<BoxPath> ScopePaths(const Graph& graph) {
  std::vector<BoxPath> paths(graph.num_nodes());
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    std::string_view rest = graph.node(id).name;
    for (size_t slash; (slash = rest.find('/')) != std::string_view::npos; rest.remove_prefix(slash + 1)) {
      paths[id].push_back(rest.substr(0, slash));
    }
  }
  return paths;
}

bool IsOneOf(const Node& node, std::string_view op, std::string_view ref_op) {
  return node.op() == op || node.op() == ref_op;
}

// A node is in the innermost frame that an input comes from; Enter's output is one further in, Exit's one further out.
std::vector<BoxPath> FramePaths(const Graph& graph) {
  struct Frame {
    int parent;
    std::string_view name;
    int depth;
  };
  std::vector<Frame> frames = {{0, "", 0}};
  std::map<std::pair<int, std::string_view>, int> numbers;  // by parent and name
  std::vector<int> frame(graph.num_nodes(), 0), output_frame(graph.num_nodes(), 0);
  const absl::StatusOr<std::vector<NodeId>> order = TopologicalOrder(graph);
  if (!order.ok()) return std::vector<BoxPath>(graph.num_nodes());
  for (NodeId id : *order) {
    const Node& node = graph.node(id);
    const auto visit = [&](const Port& from) {
      if (frames[output_frame[from.node]].depth > frames[frame[id]].depth) frame[id] = output_frame[from.node];
    };
    for (const Port& port : graph.inputs(id)) visit(port);
    for (const Port& port : graph.control_inputs(id)) visit(port);
    output_frame[id] = frame[id];
    if (IsOneOf(node, "Enter", "RefEnter")) {
      const Attr* attr = node.attrs.Find("frame_name");
      const std::string* name = attr != nullptr ? attr->Get<std::string>() : nullptr;
      const std::pair<int, std::string_view> key(frame[id], name != nullptr ? std::string_view(*name) : "");
      const auto [at, inserted] = numbers.try_emplace(key, static_cast<int>(frames.size()));
      if (inserted) frames.push_back({frame[id], key.second, frames[frame[id]].depth + 1});
      output_frame[id] = at->second;
      frame[id] = at->second;  // drawn inside
    } else if (IsOneOf(node, "Exit", "RefExit")) {
      output_frame[id] = frames[frame[id]].parent;
    }
  }
  std::vector<BoxPath> paths(graph.num_nodes());
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    for (int f = frame[id]; f != 0; f = frames[f].parent) paths[id].push_back(frames[f].name);
    std::reverse(paths[id].begin(), paths[id].end());
  }
  return paths;
}

std::vector<BoxPath> Paths(const Graph& graph, DotOptions::Clusters clusters) {
  switch (clusters) {
    case DotOptions::Clusters::kScopes:
      return ScopePaths(graph);
    case DotOptions::Clusters::kFrames:
      return FramePaths(graph);
    case DotOptions::Clusters::kNone:
      break;
  }
  return std::vector<BoxPath>(graph.num_nodes());
}

// Nodes in the order of their boxes; boxes open and close where neighbours differ.
void AppendNodes(const Graph& graph, const std::vector<BoxPath>& paths, std::string* out) {
  std::vector<NodeId> order(graph.num_nodes());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return paths[a] < paths[b]; });
  const BoxPath outside;
  const BoxPath* open = &outside;
  int num_boxes = 0;
  const auto move_to = [&](const BoxPath& path) {
    const size_t common = std::mismatch(open->begin(), open->end(), path.begin(), path.end()).first - open->begin();
    for (size_t i = open->size(); i > common; --i) *out += "  }\n";
    for (size_t i = common; i < path.size(); ++i) {
      absl::StrAppend(out, "  subgraph cluster_", num_boxes++, " {\n  label=", Quoted(path[i]), ";\n");
    }
    open = &path;
  };
  for (NodeId id : order) {
    move_to(paths[id]);
    const Node& node = graph.node(id);
    const std::string_view name = node.name;
    const std::string_view last = name.substr(name.rfind('/') + 1);  // rfind gives -1 if there is none
    absl::StrAppend(out, "  n", id,
                    " [label=", Quoted(absl::StrCat(node.op(), "\n", absl::string_view(last.data(), last.size()))),
                    ", tooltip=", Quoted(name), "];\n");
  }
  move_to(outside);
}

void AppendEdges(const Graph& graph, std::string* out) {
  for (NodeId id = 0; id < graph.num_nodes(); ++id) {
    const bool is_merge = IsOneOf(graph.node(id), "Merge", "RefMerge");
    for (const Port& port : graph.inputs(id)) {
      const bool is_back = is_merge && IsOneOf(graph.node(port.node), "NextIteration", "RefNextIteration");
      absl::StrAppend(out, "  n", port.node, " -> n", id);
      if (port.index != 0 || is_back) {
        absl::StrAppend(out, " [", port.index != 0 ? absl::StrCat("taillabel=\"", port.index, "\"") : "",
                        port.index != 0 && is_back ? ", " : "", is_back ? "constraint=false" : "", "]");
      }
      *out += ";\n";
    }
    for (const Port& port : graph.control_inputs(id))
      absl::StrAppend(out, "  n", port.node, " -> n", id, " [style=dashed];\n");
  }
}

}  // namespace

std::string GraphToDot(const Graph& graph, const DotOptions& options) {
  std::string out = "digraph {\n  node [shape=box];\n";
  const std::vector<BoxPath> paths = Paths(graph, options.clusters);
  AppendNodes(graph, paths, &out);
  AppendEdges(graph, &out);
  return out + "}\n";
}

}  // namespace flowlatch
