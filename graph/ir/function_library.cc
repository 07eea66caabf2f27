#include "graph/ir/function_library.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/function.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "graph/ir/graph.h"
#include "graph/ir/node_def.h"
#include "graph/ir/wire_reader.h"
#include "graph/schema/attr_proto.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

// Equal messages give equal bytes.
template <typename Message>
std::string Encode(const Message& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// Bodies may call functions with ever larger attributes, which wrap or repeat their own. These limits end it.
constexpr int kMaxFunctionsInAttrs = 1000;
constexpr size_t kMaxBodies = 256;

// Takes the functions that attributes name, at any depth, off `budget`. False when it does not suffice.
bool SpendFunctions(const AttrMap& attrs, int* budget) {
  const auto spend = [&](const FunctionRef& f) { return --*budget >= 0 && SpendFunctions(f.attrs, budget); };
  return std::all_of(attrs.entries().begin(), attrs.entries().end(), [&](const AttrMap::Entry& entry) {
    if (const auto* function = entry.second.Get<FunctionRef>()) return spend(*function);
    const auto* list = entry.second.Get<std::vector<FunctionRef>>();
    return list == nullptr || std::all_of(list->begin(), list->end(), spend);
  });
}

// Puts the function's attributes in the place of placeholders, also in functions that are called.
class Substitution {
 public:
  explicit Substitution(const AttrMap& attrs) : attrs_(attrs) {}

  absl::StatusOr<AttrMap> Apply(AttrMap attrs) const {
    const AttrMap original = attrs;  // keeps the entries alive while `attrs` changes
    for (const auto& [name, attr] : original.entries()) {
      ASSIGN_OR_RETURN(std::optional<Attr> value, Replacement(attr));
      if (value.has_value()) attrs = attrs.With(name, *std::move(value));
    }
    return attrs;
  }

 private:
  // nullopt if the attr stays.
  absl::StatusOr<std::optional<Attr>> Replacement(const Attr& attr) const {
    if (const auto* placeholder = attr.Get<AttrPlaceholder>()) {
      const Attr* value = attrs_.Find(placeholder->name);
      if (value != nullptr) return *value;
      return absl::InvalidArgumentError(
          absl::StrCat("placeholder '", placeholder->name, "': the function has no such attr"));
    }
    if (const auto* function = attr.Get<FunctionRef>()) {
      ASSIGN_OR_RETURN(AttrMap attrs, Apply(function->attrs));
      return Attr(FunctionRef{function->name, std::move(attrs)});
    }
    if (const auto* functions = attr.Get<std::vector<FunctionRef>>()) {
      std::vector<FunctionRef> list = *functions;
      for (FunctionRef& f : list) {
        ASSIGN_OR_RETURN(f.attrs, Apply(f.attrs));
      }
      return Attr(std::move(list));
    }
    return std::nullopt;
  }

  const AttrMap& attrs_;
};

// Builds the graph of one function. Inputs in bodies are `arg`, `arg:index`, `node:output`, `node:output:index` or
// `^node`; without an index they stand for all ports of the argument or output.
class BodyBuilder {
 public:
  BodyBuilder(const FunctionDef& definition, const OpSchema& schema, const AttrMap& attrs, Graph* graph)
      : definition_(definition),
        schema_(schema),
        attrs_(attrs),
        graph_(*graph),
        substitution_(attrs_),
        adder_(graph, [this](const OpSchema&, AttrMap a) { return substitution_.Apply(std::move(a)); }) {}

  absl::Status Build(FunctionBody* body) {
    const std::string bytes = Encode(definition_);
    RETURN_IF_ERROR(AddArgs(body));
    RETURN_IF_ERROR(AddNodes(bytes));
    for (size_t i = 0; i < defs_.nodes().size(); ++i) {
      absl::Status status = SetInputs(defs_.nodes()[i], nodes_[i]);
      if (!status.ok()) return AnnotateNode(status, i, defs_.nodes()[i]);
    }
    RETURN_IF_ERROR(SetReturns(body));
    return Verify(graph_);
  }

 private:
  absl::Status AddArgs(FunctionBody* body);
  absl::StatusOr<AttrMap> ArgAttrs(int arg, int index, DType dtype) const;
  absl::Status AddNodes(std::string_view bytes);
  absl::Status SetInputs(const NodeView& node, NodeId id);
  absl::Status SetReturns(FunctionBody* body);
  absl::Status AppendPorts(std::string_view text, std::vector<Port>* ports) const;
  absl::StatusOr<NodeId> FindNode(std::string_view name) const {
    if (const std::optional<NodeId> id = graph_.FindNode(name)) return *id;
    return absl::InvalidArgumentError(absl::StrCat("'", Absl(name), "': expected the name of a node or argument"));
  }

  const FunctionDef& definition_;
  const OpSchema& schema_;
  const AttrMap& attrs_;
  Graph& graph_;
  Substitution substitution_;
  NodeAdder adder_;
  NodeDefs defs_;
  std::vector<NodeId> nodes_;                                             // of defs_
  absl::flat_hash_map<std::string_view, std::pair<int, int>> arg_nodes_;  // ids [first, second) of each argument
};

absl::StatusOr<AttrMap> BodyBuilder::ArgAttrs(int arg, int index, DType dtype) const {
  AttrMap attrs{{"T", dtype}, {"index", index}};
  const auto at = definition_.arg_attr().find(arg);
  if (at == definition_.arg_attr().end()) return attrs;
  for (const auto& [name, value] : at->second.attr()) {
    if (name.empty() || name[0] != '_') continue;
    absl::StatusOr<Attr> attr = AttrFromProto(value, "");
    if (!attr.ok()) return AnnotateAttrError(attr.status(), name);
    attrs = attrs.With(name, *std::move(attr));
  }
  return attrs;
}

absl::Status BodyBuilder::AddArgs(FunctionBody* body) {
  const OpSchema* arg_schema = graph_.registry().Find("_Arg");
  if (arg_schema == nullptr) return absl::InternalError("no signature of _Arg");
  ASSIGN_OR_RETURN(const std::vector<PortType> types, schema_.InputTypes(attrs_));
  for (size_t i = 0; i < schema_.inputs().size(); ++i) {
    const ArgSpec& arg = schema_.inputs()[i];
    ASSIGN_OR_RETURN(const auto range, schema_.InputRange(arg.name, attrs_));
    const bool is_list = !arg.number_attr.empty() || !arg.type_list_attr.empty();
    for (int index = range.first; index < range.second; ++index) {
      const std::string name = is_list ? absl::StrCat(arg.name, "_", index - range.first) : arg.name;
      ASSIGN_OR_RETURN(AttrMap attrs, ArgAttrs(static_cast<int>(i), index, types[index].dtype));
      absl::StatusOr<NodeId> id = graph_.AddNode(name, arg_schema, std::move(attrs));
      if (!id.ok())
        return absl::InvalidArgumentError(absl::StrCat("argument '", arg.name, "': ", id.status().message()));
      body->args.push_back(*id);
    }
    arg_nodes_.emplace(arg.name, range);  // arguments are the first nodes
  }
  return absl::OkStatus();
}

absl::Status BodyBuilder::AddNodes(std::string_view bytes) {
  WireReader in(bytes);
  while (in.NextField()) {
    if (in.IsBytes(3)) RETURN_IF_ERROR(defs_.Add(in.bytes()));
  }
  const auto add = [&](const NodeView& node) -> absl::Status {
    const OpSchema* schema = adder_.FindSchema(node.op);
    if (schema == nullptr) return absl::NotFoundError("op: expected one that is known");
    if (arg_nodes_.contains(node.name))
      return absl::InvalidArgumentError("name: expected a new one, got that of an argument");
    ASSIGN_OR_RETURN(const NodeId id, adder_.Add(node, schema));
    nodes_.push_back(id);
    return absl::OkStatus();
  };
  for (size_t i = 0; i < defs_.nodes().size(); ++i) {
    if (absl::Status status = add(defs_.nodes()[i]); !status.ok()) return AnnotateNode(status, i, defs_.nodes()[i]);
  }
  return absl::OkStatus();
}

absl::Status BodyBuilder::AppendPorts(std::string_view text, std::vector<Port>* ports) const {
  const auto not_found = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("'", Absl(text), "': expected arg, arg:index, node:output or node:output:index, which exist"));
  };
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  std::string_view rest = colon == text.size() ? "" : text.substr(colon + 1);
  const auto arg = arg_nodes_.find(name);
  const bool is_arg = arg != arg_nodes_.end();
  NodeId node = -1;
  std::pair<int, int> range;  // of nodes for an argument, of outputs otherwise
  if (is_arg) {
    range = arg->second;
  } else {
    const std::optional<NodeId> id = graph_.FindNode(name);
    if (!id.has_value() || rest.empty()) return not_found();
    node = *id;
    const size_t second = std::min(rest.find(':'), rest.size());
    const Node& n = graph_.node(node);
    const auto outputs = n.schema->OutputRange(rest.substr(0, second), n.attrs);
    if (!outputs.ok()) return not_found();
    range = *outputs;
    rest = second == rest.size() ? "" : rest.substr(second + 1);
  }
  if (!rest.empty()) {
    int index;
    if (!absl::SimpleAtoi(Absl(rest), &index) || index < 0 || index >= range.second - range.first) return not_found();
    range = {range.first + index, range.first + index + 1};
  }
  for (int i = range.first; i < range.second; ++i) ports->push_back(is_arg ? Port{i, 0} : Port{node, i});
  return absl::OkStatus();
}

absl::Status BodyBuilder::SetInputs(const NodeView& node, NodeId id) {
  std::vector<Port> data;
  std::vector<NodeId> controls;
  for (std::string_view text : defs_.inputs(node)) {
    if (!text.empty() && text[0] == '^') {
      ASSIGN_OR_RETURN(const NodeId from, FindNode(text.substr(1)));
      if (std::find(controls.begin(), controls.end(), from) == controls.end()) controls.push_back(from);
    } else if (!controls.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("input '", Absl(text), "': expected control inputs after all others"));
    } else {
      RETURN_IF_ERROR(AppendPorts(text, &data));
    }
  }
  graph_.SetInputs(id, data, controls);
  return absl::OkStatus();
}

absl::Status BodyBuilder::SetReturns(FunctionBody* body) {
  ASSIGN_OR_RETURN(const std::vector<PortType> types, schema_.OutputTypes(attrs_));
  for (const ArgSpec& arg : schema_.outputs()) {
    const auto error = [&](const absl::Status& status) {
      return absl::Status(status.code(), absl::StrCat("result '", arg.name, "': ", status.message()));
    };
    const auto ret = definition_.ret().find(arg.name);
    if (ret == definition_.ret().end()) return error(absl::InvalidArgumentError("expected an entry in ret, got none"));
    const size_t first = body->returns.size();
    if (absl::Status status = AppendPorts(ret->second, &body->returns); !status.ok()) return error(status);
    ASSIGN_OR_RETURN(const auto range, schema_.OutputRange(arg.name, attrs_));
    if (body->returns.size() - first != static_cast<size_t>(range.second - range.first)) {
      return error(absl::InvalidArgumentError(
          absl::StrCat("expected ", range.second - range.first, " tensors, got ", body->returns.size() - first)));
    }
    for (size_t i = first; i < body->returns.size(); ++i) {
      const Port port = body->returns[i];
      const DType got = graph_.node(port.node).types->outputs[port.index].dtype;
      if (got == types[i].dtype) continue;
      return error(
          absl::InvalidArgumentError(absl::StrCat("expected ", std::string(DTypeName(types[i].dtype)), ", got ",
                                                  std::string(DTypeName(got)), " from '", graph_.PortName(port), "'")));
    }
  }
  for (const std::string& name : definition_.signature().control_output()) {
    const auto ret = definition_.control_ret().find(name);
    if (ret == definition_.control_ret().end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("control output '", name, "': expected an entry in control_ret, got none"));
    }
    ASSIGN_OR_RETURN(const NodeId id, FindNode(ret->second));
    body->control_returns.push_back(id);
  }
  return absl::OkStatus();
}

}  // namespace

struct FunctionLibrary::Entry {
  FunctionDef definition;
  OpSchema schema;
  absl::flat_hash_map<std::string, std::unique_ptr<FunctionBody>> bodies;  // by encoded attributes
};

FunctionLibrary::FunctionLibrary(const OpRegistry& registry) : registry_(registry) {}
FunctionLibrary::~FunctionLibrary() = default;

// Requires: mu_ is held. The entry stays where it is.
FunctionLibrary::Entry* FunctionLibrary::Find(std::string_view name) const {
  const auto at = entries_.find(Absl(name));
  return at != entries_.end() ? at->second.get() : nullptr;
}

absl::Status FunctionLibrary::Add(FunctionDef definition) {
  const std::string name = definition.signature().name();
  if (registry_.Find(name) != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("function '", name, "': expected a new name, got that of an op"));
  }
  ASSIGN_OR_RETURN(OpSchema schema, SchemaFromProto(definition.signature()));
  std::lock_guard<std::mutex> lock(mu_);
  if (const Entry* old = Find(name)) {
    if (Encode(old->definition) == Encode(definition)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("function '", name, "': expected a new name, got that of another function"));
  }
  entries_.emplace(name, std::make_unique<Entry>(Entry{std::move(definition), std::move(schema), {}}));
  return absl::OkStatus();
}

absl::Status FunctionLibrary::AddGradient(std::string function, std::string gradient) {
  const auto [at, inserted] = gradients_.try_emplace(std::move(function), gradient);
  if (inserted || at->second == gradient) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("gradient of function '", at->first, "': expected '", at->second,
                                                 "' as before, got '", gradient, "'"));
}

const OpSchema* FunctionLibrary::FindSchema(std::string_view name) const {
  std::lock_guard<std::mutex> lock(mu_);
  const Entry* entry = Find(name);
  return entry != nullptr ? &entry->schema : nullptr;
}

const FunctionDef* FunctionLibrary::FindDefinition(std::string_view name) const {
  std::lock_guard<std::mutex> lock(mu_);
  const Entry* entry = Find(name);
  return entry != nullptr ? &entry->definition : nullptr;
}

std::vector<std::string> FunctionLibrary::Names() const {
  std::lock_guard<std::mutex> lock(mu_);
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

bool FunctionLibrary::empty() const {
  std::lock_guard<std::mutex> lock(mu_);
  return entries_.empty();
}

const OpSchema* FunctionLibrary::OpaqueSchema(std::string_view op, int num_inputs, int num_outputs) {
  std::lock_guard<std::mutex> lock(mu_);
  std::unique_ptr<OpSchema>& schema = opaque_[absl::StrCat(num_inputs, ",", num_outputs, ",", Absl(op))];
  if (schema == nullptr) {
    OpSchema::Parts parts;
    parts.name = std::string(op);
    const auto args = [](const char* prefix, int count) {
      std::vector<ArgSpec> specs(count);
      for (int i = 0; i < count; ++i) specs[i].name = absl::StrCat(prefix, i);
      return specs;
    };
    parts.inputs = args("input", num_inputs);
    parts.outputs = args("output", num_outputs);
    schema = std::make_unique<OpSchema>(std::move(parts));
    schema->set_opaque(true);
  }
  return schema.get();
}

absl::StatusOr<std::shared_ptr<const FunctionBody>> FunctionLibrary::Instantiate(
    const std::shared_ptr<FunctionLibrary>& self, std::string_view name, const AttrMap& attrs) {
  // `self` may point without owning, as the graphs of bodies do.
  std::shared_ptr<FunctionLibrary> owner = self->weak_from_this().lock();
  if (owner == nullptr) owner = self;
  const auto shared = [&](const FunctionBody* body) { return std::shared_ptr<const FunctionBody>(owner, body); };
  const auto error = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat("function '", Absl(name), "': ", status.message()));
  };

  Entry* entry;
  {
    std::lock_guard<std::mutex> lock(owner->mu_);
    entry = owner->Find(name);
  }
  if (entry == nullptr) {
    NearNames near(name);
    for (const std::string& other : owner->Names()) near.Consider(other);
    return error(absl::NotFoundError(absl::StrCat("not in the graph's library", near.Hint())));
  }

  const auto on_device = entry->definition.attr().find("experimental_ints_on_device");
  if (on_device != entry->definition.attr().end() && on_device->second.b()) {
    return error(absl::UnimplementedError("attribute experimental_ints_on_device: expected false, got true"));
  }

  // Only the function's own attributes count, its defaults included.
  if (absl::Status status = entry->schema.ValidateAttrs(attrs); !status.ok()) return error(status);
  std::map<std::string, Attr> own;
  for (const AttrSpec& spec : entry->schema.attrs())
    own.emplace(spec.name, *entry->schema.AttrOrDefault(attrs, spec.name));
  const AttrMap own_attrs(std::move(own));
  int budget = kMaxFunctionsInAttrs;
  if (!SpendFunctions(own_attrs, &budget)) {
    return error(absl::InvalidArgumentError(
        absl::StrCat("attributes: expected at most ", kMaxFunctionsInAttrs, " functions in them, got more")));
  }
  NameAttrList key_proto;
  if (absl::Status status = AttrsToProto(own_attrs, key_proto.mutable_attr()); !status.ok()) return error(status);
  const std::string key = Encode(key_proto);
  {
    std::lock_guard<std::mutex> lock(owner->mu_);
    const auto at = entry->bodies.find(key);
    if (at != entry->bodies.end()) return shared(at->second.get());
    if (entry->bodies.size() >= kMaxBodies) {
      return error(absl::InvalidArgumentError(
          absl::StrCat("attributes: expected at most ", kMaxBodies, " different sets of them, got more")));
    }
  }

  auto body = std::make_unique<FunctionBody>();
  body->graph = std::make_unique<Graph>(owner->registry_);
  // Not an owner: the library owns the body.
  body->graph->set_library(std::shared_ptr<FunctionLibrary>(std::shared_ptr<FunctionLibrary>(), owner.get()));
  absl::Status status = BodyBuilder(entry->definition, entry->schema, own_attrs, body->graph.get()).Build(body.get());
  if (!status.ok()) return error(status);
  std::lock_guard<std::mutex> lock(owner->mu_);
  // Another thread may have been faster; then its body is the one.
  return shared(entry->bodies.try_emplace(key, std::move(body)).first->second.get());
}

}  // namespace flowlatch
