#include "graph/passes/graph_rewrite.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

}  // namespace

absl::Status AnnotateNode(const absl::Status& status, const Node& node) {
  return absl::Status(status.code(),
                      absl::StrCat("node '", Absl(node.name), "' (", node.op(), "): ", status.message()));
}

std::vector<GraphRewrite::Source> GraphRewrite::Old(absl::Span<const Port> ports) {
  std::vector<Source> sources;
  for (const Port port : ports) sources.push_back(Old(port));
  return sources;
}

GraphRewrite::GraphRewrite(const Graph& from) : from_(from), to_{Graph(from.registry()), {}, {}} {
  to_.graph.set_library(from.shared_library());
  to_.graph.producer = from.producer;
  to_.graph.min_consumer = from.min_consumer;
  to_.graph.bad_consumers = from.bad_consumers;
  to_.graph.Reserve(from.num_nodes(), from.num_nodes() * 2);
  to_.node_of.assign(from.num_nodes(), -1);
  replacement_of_.assign(from.num_nodes(), -1);
}

absl::Status GraphRewrite::Copy() {
  const Node& node = from_.node(visited_);
  ASSIGN_OR_RETURN(const NodeId id, to_.graph.AddNode(node.name, node.schema, node.attrs, from_.device_name(node)));
  to_.stem.push_back(visited_);
  to_.node_of[visited_] = id;
  SetInputs(id, Old(from_.inputs(visited_)), Old(from_.control_inputs(visited_)));
  return absl::OkStatus();
}

absl::StatusOr<NodeId> GraphRewrite::Add(std::string_view name, const OpSchema* schema, AttrMap attrs) {
  std::string free_name(name);
  while (from_.FindNode(free_name).has_value() || to_.graph.FindNode(free_name).has_value())
    free_name = absl::StrCat(Absl(name), "_", ++last_number_[std::string(name)]);
  ASSIGN_OR_RETURN(const NodeId id,
                   to_.graph.AddNode(free_name, schema, std::move(attrs), from_.device_name(from_.node(visited_))));
  to_.stem.push_back(visited_);
  return id;
}

absl::StatusOr<NodeId> GraphRewrite::Add(std::string_view name, std::string_view op, AttrMap attrs,
                                         const std::vector<Source>& data, const std::vector<Source>& controls) {
  const OpSchema* schema = from_.registry().Find(op);
  if (schema == nullptr) return absl::InternalError(absl::StrCat("no signature of ", Absl(op)));
  ASSIGN_OR_RETURN(const NodeId id, Add(name, schema, std::move(attrs)));
  SetInputs(id, data, controls);
  return id;
}

void GraphRewrite::SetInputs(NodeId node, const std::vector<Source>& data, const std::vector<Source>& controls) {
  wirings_.push_back({node, static_cast<uint32_t>(sources_.size()), static_cast<uint32_t>(data.size()),
                      static_cast<uint32_t>(controls.size())});
  sources_.insert(sources_.end(), data.begin(), data.end());
  sources_.insert(sources_.end(), controls.begin(), controls.end());
}

absl::Status GraphRewrite::Replace(std::vector<Source> outputs, NodeId control) {
  const Node& node = from_.node(visited_);
  std::vector<DType> dtypes;
  for (const PortType& type : node.types->outputs) dtypes.push_back(type.dtype);
  const OpSchema* schema = from_.registry().Find(outputs.empty() ? "NoOp" : "IdentityN");
  if (schema == nullptr) return absl::InternalError("no signature of NoOp or IdentityN");
  AttrMap attrs;
  if (!outputs.empty()) attrs = AttrMap{{"T", std::move(dtypes)}};
  ASSIGN_OR_RETURN(const NodeId named, to_.graph.AddNode(node.name, schema, std::move(attrs), from_.device_name(node)));
  to_.stem.push_back(visited_);
  to_.node_of[visited_] = named;
  SetInputs(named, outputs, {New(control, -1)});
  replacement_of_[visited_] = static_cast<int32_t>(replacements_.size());
  replacements_.push_back({std::move(outputs), control});
  return absl::OkStatus();
}

Port GraphRewrite::Resolve(const Source& source) const {
  if (!source.is_old) return source.port;
  const int32_t replaced = replacement_of_[source.port.node];
  if (replaced < 0) return {to_.node_of[source.port.node], source.port.index};
  const Replacement& replacement = replacements_[replaced];
  return source.port.index < 0 ? Port{replacement.control, -1} : replacement.outputs[source.port.index].port;
}

RewrittenGraph GraphRewrite::Finish() && {
  std::vector<Port> data;
  std::vector<NodeId> controls;
  std::vector<NodeId> waiter(to_.graph.num_nodes(), -1);  // by node: the last one that was found to wait for it
  for (const Wiring& wiring : wirings_) {
    data.clear();
    controls.clear();
    uint32_t next = wiring.first;
    for (uint32_t i = 0; i < wiring.num_data; ++i) data.push_back(Resolve(sources_[next++]));
    for (uint32_t i = 0; i < wiring.num_controls; ++i) {
      const NodeId control = Resolve(sources_[next++]).node;
      if (std::exchange(waiter[control], wiring.node) != wiring.node) controls.push_back(control);
    }
    to_.graph.SetInputs(wiring.node, data, controls);
  }
  return std::move(to_);
}

}  // namespace flowlatch
