#include "graph/io/graph_def.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/graph.pb.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "graph/io/proto_io.h"
#include "graph/ir/node_def.h"
#include "graph/ir/wire_reader.h"
#include "graph/schema/attr_proto.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

// Up to this version a Placeholder whose shape is a scalar's has an unknown shape.
constexpr int kLastVersionWithLoosePlaceholders = 21;

// Reads one GraphDef. The bytes are walked in place; see graph/ir/node_def.h.
class GraphReader {
 public:
  GraphReader(const OpRegistry& registry, const ReadOptions& options)
      : options_(options), graph_(registry), adder_(&graph_, [this](const OpSchema& schema, AttrMap attrs) {
          return RewriteAttrs(schema, std::move(attrs));
        }) {}
  GraphReader(const GraphReader&) = delete;

  absl::StatusOr<Graph> Read(std::string_view bytes) {
    absl::Status status = ReadAll(bytes);
    if (status.ok()) return std::move(graph_);
    // Whatever else is wrong may come from an op that nobody knows.
    if (!first_unknown_.has_value() || options_.strict) return status;
    return absl::Status(absl::StatusCode::kNotFound,
                        absl::StrCat(UnknownOpError().message(), "; also: ", status.message()));
  }

 private:
  absl::Status ReadAll(std::string_view bytes) {
    RETURN_IF_ERROR(Split(bytes));
    RETURN_IF_ERROR(ReadVersions());
    RETURN_IF_ERROR(ReadLibrary());
    FindUnknownOps();
    if (options_.strict && first_unknown_.has_value()) return UnknownOpError();
    RETURN_IF_ERROR(AddNodes());
    RETURN_IF_ERROR(SetInputs());
    RETURN_IF_ERROR(CheckAttrs());
    RETURN_IF_ERROR(Verify(graph_));
    return CheckFunctions();
  }
  absl::Status Split(std::string_view bytes);
  absl::Status ReadVersions();
  absl::Status ReadLibrary();
  absl::Status AddNodes();
  absl::Status SetInputs();
  absl::Status CheckAttrs();
  absl::Status CheckFunctions();

  absl::StatusOr<std::shared_ptr<const FunctionBody>> CalledFunction(const OpSchema& schema, const AttrMap& attrs);
  absl::StatusOr<AttrMap> RewriteAttrs(const OpSchema& schema, AttrMap attrs);
  void FindUnknownOps();
  absl::Status UnknownOpError() const;
  const OpSchema* OpaqueSchema(const NodeView& node);
  absl::StatusOr<NodeId> FindInput(std::string_view name) const;
  absl::Status SetInputs(NodeId id);
  absl::Status CheckColocation(const NodeAdder::Distinct& distinct) const;
  void Warn(std::string text) {
    if (options_.warnings != nullptr) options_.warnings->push_back(absl::StrCat(options_.source, ": ", text));
  }

  const ReadOptions& options_;
  Graph graph_;
  NodeAdder adder_;
  NodeDefs defs_;
  std::string versions_, library_;  // encoded VersionDef and FunctionDefLibrary
  int old_version_ = 0;
  absl::flat_hash_map<std::string_view, int32_t>
      outputs_of_unknown_;               // number of outputs in use, by node of an unknown op
  std::optional<size_t> first_unknown_;  // index of the first such node
  std::vector<Port> data_;               // scratch of SetInputs
  std::vector<NodeId> controls_;
};

absl::Status GraphReader::Split(std::string_view bytes) {
  WireReader in(bytes);
  while (in.NextField()) {
    if (in.IsBytes(1)) {
      absl::Status status = defs_.Add(in.bytes());
      if (status.ok()) status = CheckNodeName(defs_.nodes().back().name, options_.strict || !options_.internal_names);
      if (status.ok() && defs_.nodes().back().op.empty())
        status = absl::InvalidArgumentError("expected an op, got none");
      if (!status.ok()) return AnnotateNode(status, defs_.nodes().size() - 1, defs_.nodes().back());
    } else if (in.IsBytes(2)) {
      library_.append(in.bytes());  // messages that come in parts are their concatenation
    } else if (in.IsBytes(4)) {
      versions_.append(in.bytes());
    } else if (in.IsVarint(3)) {
      old_version_ = static_cast<int>(in.varint());
    }
  }
  return in.ok() ? absl::OkStatus() : absl::InvalidArgumentError("expected an encoded GraphDef");
}

absl::Status GraphReader::ReadVersions() {
  VersionDef versions;
  if (!versions.ParseFromString(versions_))
    return absl::InvalidArgumentError("versions: expected an encoded VersionDef");
  graph_.producer = versions_.empty() ? old_version_ : versions.producer();
  graph_.min_consumer = versions.min_consumer();
  graph_.bad_consumers.assign(versions.bad_consumers().begin(), versions.bad_consumers().end());
  if (graph_.producer < 0) {
    return absl::InvalidArgumentError(absl::StrCat("versions.producer: expected at least 0, got ", graph_.producer));
  }
  if (graph_.min_consumer > kGraphVersion) {
    return absl::InvalidArgumentError(absl::StrCat("versions.min_consumer: expected at most our version ",
                                                   kGraphVersion, ", got ", graph_.min_consumer));
  }
  const std::vector<int>& bad = graph_.bad_consumers;
  if (std::find(bad.begin(), bad.end(), kGraphVersion) != bad.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("versions.bad_consumers: our version ", kGraphVersion, " is one of them"));
  }
  return absl::OkStatus();
}

absl::Status GraphReader::ReadLibrary() {
  if (library_.empty()) return absl::OkStatus();
  FunctionDefLibrary library;
  if (!library.ParseFromString(library_))
    return absl::InvalidArgumentError("library: expected an encoded FunctionDefLibrary");
  for (FunctionDef& function : *library.mutable_function()) RETURN_IF_ERROR(graph_.library().Add(std::move(function)));
  for (const GradientDef& g : library.gradient()) {
    RETURN_IF_ERROR(graph_.library().AddGradient(g.function_name(), g.gradient_func()));
  }
  return absl::OkStatus();
}

absl::StatusOr<AttrMap> GraphReader::RewriteAttrs(const OpSchema& schema, AttrMap attrs) {
  if (schema.name() == "Placeholder" && graph_.producer <= kLastVersionWithLoosePlaceholders) {
    const Attr* shape = attrs.Find("shape");
    const PartialShape* value = shape != nullptr ? shape->Get<PartialShape>() : nullptr;
    if (value != nullptr && value->rank() == 0) return attrs.With("shape", PartialShape());
  }
  return attrs;
}

// Finds the nodes whose op nobody knows, and for each the largest output that some input names.
void GraphReader::FindUnknownOps() {
  const std::vector<NodeView>& nodes = defs_.nodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (adder_.FindSchema(nodes[i].op) != nullptr) continue;
    outputs_of_unknown_.emplace(nodes[i].name, 0);
    if (!first_unknown_.has_value()) first_unknown_ = i;
  }
  if (outputs_of_unknown_.empty()) return;
  for (const NodeView& node : nodes) {
    for (std::string_view text : defs_.inputs(node)) {
      const InputName input = ParseInputName(text);
      const auto at = outputs_of_unknown_.find(input.node);
      if (at != outputs_of_unknown_.end()) at->second = std::max(at->second, input.index + 1);
    }
  }
}

absl::Status GraphReader::UnknownOpError() const {
  const NodeView& node = defs_.nodes()[*first_unknown_];
  NearNames near(node.op);
  for (std::string_view signature : TensorFlowSignatures()) near.Consider(signature.substr(0, signature.find('(')));
  for (const OpSchema* schema : graph_.registry().Registered()) near.Consider(schema->name());
  for (const std::string& function : graph_.library().Names()) near.Consider(function);
  return AnnotateNode(absl::NotFoundError(absl::StrCat("op: expected one that is known", near.Hint())), *first_unknown_,
                      node);
}

const OpSchema* GraphReader::OpaqueSchema(const NodeView& node) {
  const absl::Span<const std::string_view> inputs = defs_.inputs(node);
  const auto num_data =
      std::count_if(inputs.begin(), inputs.end(), [](std::string_view s) { return ParseInputName(s).index >= 0; });
  return graph_.library().OpaqueSchema(node.op, static_cast<int>(num_data), outputs_of_unknown_.at(node.name));
}

absl::Status GraphReader::AddNodes() {
  const std::vector<NodeView>& nodes = defs_.nodes();
  graph_.Reserve(static_cast<int>(nodes.size()), defs_.num_inputs());
  const auto add = [&](const NodeView& node) -> absl::Status {
    const OpSchema* schema = adder_.FindSchema(node.op);
    if (schema == nullptr) schema = OpaqueSchema(node);
    return adder_.Add(node, schema).status();
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (absl::Status status = add(nodes[i]); !status.ok()) return AnnotateNode(status, i, nodes[i]);
  }
  return absl::OkStatus();
}

absl::StatusOr<NodeId> GraphReader::FindInput(std::string_view name) const {
  if (const std::optional<NodeId> id = graph_.FindNode(name)) return *id;
  NearNames near(name);
  for (const NodeView& node : defs_.nodes()) near.Consider(node.name);
  return absl::InvalidArgumentError(absl::StrCat("input '", Absl(name), "': expected the name of a node", near.Hint()));
}

absl::Status GraphReader::SetInputs(NodeId id) {
  data_.clear();
  controls_.clear();
  for (std::string_view text : defs_.inputs(defs_.nodes()[id])) {
    const InputName input = ParseInputName(text);
    ASSIGN_OR_RETURN(const NodeId from, FindInput(input.node));
    if (input.index < 0) {
      // Repeated control inputs say nothing new.
      if (std::find(controls_.begin(), controls_.end(), from) == controls_.end()) controls_.push_back(from);
    } else if (!controls_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("input '", Absl(text), "': expected control inputs after all others"));
    } else {
      data_.push_back({from, input.index});
    }
  }
  graph_.SetInputs(id, data_, controls_);
  return absl::OkStatus();
}

absl::Status GraphReader::SetInputs() {
  for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
    if (absl::Status status = SetInputs(id); !status.ok()) return AnnotateNode(status, id, defs_.nodes()[id]);
  }
  return absl::OkStatus();
}

absl::Status GraphReader::CheckColocation(const NodeAdder::Distinct& distinct) const {
  const Attr* attr = distinct.attrs.Find("_class");
  const auto* classes = attr != nullptr ? attr->Get<std::vector<std::string>>() : nullptr;
  if (classes == nullptr) return absl::OkStatus();
  constexpr std::string_view kPrefix = "loc:@";
  for (const std::string& c : *classes) {
    if (c.compare(0, kPrefix.size(), kPrefix) != 0) continue;
    absl::Status status = FindInput(std::string_view(c).substr(kPrefix.size())).status();
    if (!status.ok()) return AnnotateAttrError(status, "_class");
  }
  return absl::OkStatus();
}

absl::Status GraphReader::CheckAttrs() {
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, bool> warned;  // by op and attr
  for (const NodeAdder::Distinct& distinct : adder_.distinct()) {
    const OpSchema& schema = *distinct.schema;
    const auto annotate = [&](const absl::Status& status) {
      return AnnotateNode(status, distinct.node, defs_.nodes()[distinct.node]);
    };
    if (schema.deprecated_since() > 0) {
      const std::string text = absl::StrCat("op: expected a graph version below ", schema.deprecated_since(), ", got ",
                                            graph_.producer, ": ", schema.deprecation_text());
      if (graph_.producer >= schema.deprecated_since()) return annotate(absl::UnimplementedError(text));
      if (warned.try_emplace({schema.name(), ""}).second)
        Warn(absl::StrCat("op ", schema.name(), " is deprecated: ", schema.deprecation_text()));
    }
    if (absl::Status status = CheckColocation(distinct); !status.ok()) return annotate(status);
    if (adder_.FindSchema(schema.name()) == nullptr) continue;  // nobody knows its attrs
    for (const auto& [name, attr] : distinct.attrs.entries()) {
      if (name[0] == '_' || schema.FindAttr(name) != nullptr) continue;
      if (options_.strict)
        return annotate(
            absl::InvalidArgumentError(absl::StrCat("attr '", name, "': op ", schema.name(), " has no such attr")));
      if (warned.try_emplace({schema.name(), name}).second)
        Warn(absl::StrCat("op ", schema.name(), " has no attr '", name, "': ignored"));
    }
  }
  return absl::OkStatus();
}

// The function that a node calls as it loads in TensorFlow, if it is in the library; null otherwise.
absl::StatusOr<std::shared_ptr<const FunctionBody>> GraphReader::CalledFunction(const OpSchema& schema,
                                                                                const AttrMap& attrs) {
  const std::shared_ptr<FunctionLibrary> library = graph_.shared_library();
  if (&schema == library->FindSchema(schema.name())) return FunctionLibrary::Instantiate(library, schema.name(), attrs);
  if (schema.name() != "PartitionedCall" && schema.name() != "StatefulPartitionedCall") return nullptr;
  const Attr* attr = attrs.Find("f");
  const FunctionRef* function = attr != nullptr ? attr->Get<FunctionRef>() : nullptr;
  if (function == nullptr || library->FindSchema(function->name) == nullptr) return nullptr;
  return FunctionLibrary::Instantiate(library, function->name, function->attrs);
}

// A malformed function is an error here if some node calls it, directly or through functions.
absl::Status GraphReader::CheckFunctions() {
  if (library_.empty()) return absl::OkStatus();
  std::vector<std::shared_ptr<const FunctionBody>> bodies;
  absl::flat_hash_set<const FunctionBody*> seen;
  const auto visit = [&](const OpSchema& schema, const AttrMap& attrs) -> absl::Status {
    ASSIGN_OR_RETURN(std::shared_ptr<const FunctionBody> body, CalledFunction(schema, attrs));
    if (body != nullptr && seen.insert(body.get()).second) bodies.push_back(std::move(body));
    return absl::OkStatus();
  };
  for (const NodeAdder::Distinct& distinct : adder_.distinct()) {
    absl::Status status = visit(*distinct.schema, distinct.attrs);
    if (!status.ok()) return AnnotateNode(status, distinct.node, defs_.nodes()[distinct.node]);
  }
  for (size_t i = 0; i < bodies.size(); ++i) {
    const Graph& graph = *bodies[i]->graph;
    for (NodeId id = 0; id < graph.num_nodes(); ++id)
      RETURN_IF_ERROR(visit(*graph.node(id).schema, graph.node(id).attrs));
  }
  return absl::OkStatus();
}

absl::Status FromSource(const absl::Status& status, const ReadOptions& options) {
  return absl::Status(status.code(), absl::StrCat(options.source, ": ", status.message()));
}

absl::Status NodeToProto(const Graph& graph, NodeId id, NodeDef* proto) {
  const Node& node = graph.node(id);
  proto->set_name(node.name.data(), node.name.size());
  proto->set_op(node.op());
  proto->set_device(graph.device_name(node));
  for (const Port& port : graph.inputs(id)) {
    const std::string_view name = graph.node(port.node).name;
    if (port.index == 0) {
      proto->add_input(name.data(), name.size());
    } else {
      proto->add_input(absl::StrCat(Absl(name), ":", port.index));
    }
  }
  for (const Port& port : graph.control_inputs(id))
    proto->add_input(absl::StrCat("^", Absl(graph.node(port.node).name)));
  absl::Status status = AttrsToProto(node.attrs, proto->mutable_attr());
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat("node '", Absl(node.name), "' (", node.op(), "): ", status.message()));
}

}  // namespace

absl::StatusOr<Graph> ReadGraphDef(std::string_view bytes, const OpRegistry& registry, const ReadOptions& options) {
  if (bytes.size() > std::numeric_limits<int32_t>::max()) {
    return FromSource(absl::InvalidArgumentError(absl::StrCat("expected at most 2 GiB, got ", bytes.size(), " bytes")),
                      options);
  }
  absl::StatusOr<Graph> graph = GraphReader(registry, options).Read(bytes);
  if (!graph.ok()) return FromSource(graph.status(), options);
  return graph;
}

absl::StatusOr<Graph> ReadGraphDefText(std::string_view text, const OpRegistry& registry, const ReadOptions& options) {
  GraphDef proto;
  if (absl::Status status = ParseText(text, &proto); !status.ok()) return FromSource(status, options);
  return GraphFromProto(proto, registry, options);
}

absl::StatusOr<Graph> GraphFromProto(const GraphDef& proto, const OpRegistry& registry, const ReadOptions& options) {
  const absl::StatusOr<std::string> bytes = EncodeMessage(proto);
  if (!bytes.ok()) return FromSource(bytes.status(), options);
  return ReadGraphDef(*bytes, registry, options);
}

absl::StatusOr<GraphDef> GraphToProto(const Graph& graph) {
  GraphDef proto;
  proto.mutable_node()->Reserve(graph.num_nodes());
  for (NodeId id = 0; id < graph.num_nodes(); ++id) RETURN_IF_ERROR(NodeToProto(graph, id, proto.add_node()));
  VersionDef* versions = proto.mutable_versions();
  versions->set_producer(graph.producer);
  versions->set_min_consumer(graph.min_consumer);
  versions->mutable_bad_consumers()->Add(graph.bad_consumers.begin(), graph.bad_consumers.end());
  const FunctionLibrary& library = graph.library();
  for (const std::string& name : library.Names())
    *proto.mutable_library()->add_function() = *library.FindDefinition(name);
  for (const auto& [function, gradient] : std::map(library.gradients().begin(), library.gradients().end())) {
    GradientDef* out = proto.mutable_library()->add_gradient();
    out->set_function_name(function);
    out->set_gradient_func(gradient);
  }
  return proto;
}

absl::StatusOr<std::string> WriteGraphDef(const Graph& graph) {
  ASSIGN_OR_RETURN(const GraphDef proto, GraphToProto(graph));
  return EncodeMessage(proto);
}

absl::StatusOr<std::string> WriteGraphDefText(const Graph& graph) {
  ASSIGN_OR_RETURN(const GraphDef proto, GraphToProto(graph));
  return MessageToText(proto);
}

}  // namespace flowlatch
