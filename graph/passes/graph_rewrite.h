// GraphRewrite: what passes that put other nodes in the place of some use to make their new graph.
#ifndef FLOWLATCH_GRAPH_PASSES_GRAPH_REWRITE_H_
#define FLOWLATCH_GRAPH_PASSES_GRAPH_REWRITE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/ir/graph.h"

namespace flowlatch {

// A graph made from another.
struct RewrittenGraph {
  Graph graph;
  std::vector<NodeId> node_of;  // by old id: the new node of that name, -1 if it was left out
  std::vector<NodeId> stem;     // by new id: the old node that it was made of or for
};

// An old node is copied, replaced, or left out, which is for those that no other needs. What is added stands beside the
// old node that it is for, so that the order in which a graph was written down is kept.
class GraphRewrite {
 public:
  // A value; with index -1 a node that is waited for. Of the old graph, where it may be replaced, or of the new one.
  struct Source {
    Port port;
    bool is_old = false;
  };
  static Source Old(Port port) { return {port, true}; }
  static Source New(NodeId node, int index = 0) { return {{node, index}, false}; }
  static std::vector<Source> Old(absl::Span<const Port> ports);

  explicit GraphRewrite(const Graph& from);

  // The old node that is looked at; what is added is for it, and on its device.
  void Visit(NodeId old) { visited_ = old; }
  // Adds the visited node as it is.
  absl::Status Copy();
  // Adds a node, with a number behind its name if that is taken. Errors: as Graph::AddNode.
  absl::StatusOr<NodeId> Add(std::string_view name, const OpSchema* schema, AttrMap attrs);
  absl::StatusOr<NodeId> Add(std::string_view name, std::string_view op, AttrMap attrs, const std::vector<Source>& data,
                             const std::vector<Source>& controls);
  void SetInputs(NodeId node, const std::vector<Source>& data, const std::vector<Source>& controls);
  // Who used the visited node's outputs uses `outputs`, all of the new graph; who waited for it waits for `control`.
  // A node of its name gives the same outputs to those who fetch it.
  absl::Status Replace(std::vector<Source> outputs, NodeId control);

  RewrittenGraph Finish() &&;

 private:
  struct Replacement {
    std::vector<Source> outputs;
    NodeId control = -1;
  };
  struct Wiring {
    NodeId node;
    uint32_t first, num_data, num_controls;  // in sources_
  };
  Port Resolve(const Source& source) const;

  const Graph& from_;
  RewrittenGraph to_;
  NodeId visited_ = -1;
  std::vector<int32_t> replacement_of_;  // by old id, -1: copied
  std::vector<Replacement> replacements_;
  std::vector<Wiring> wirings_;
  std::vector<Source> sources_;
  absl::flat_hash_map<std::string, int> last_number_;  // by name
};

// "node 'a/b' (While): " in front of the message.
absl::Status AnnotateNode(const absl::Status& status, const Node& node);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_PASSES_GRAPH_REWRITE_H_
