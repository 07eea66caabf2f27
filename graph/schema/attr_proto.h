// AttrValue <-> Attr, OpDef -> OpSchema: attributes and signatures as files have them.
#ifndef FLOWLATCH_GRAPH_SCHEMA_ATTR_PROTO_H_
#define FLOWLATCH_GRAPH_SCHEMA_ATTR_PROTO_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/schema/attr.h"
#include "graph/schema/op_schema.h"

namespace flowlatch {

class AttrValue;     // proto/attr_value.proto
class NameAttrList;  // proto/attr_value.proto
class OpDef;         // proto/op_def.proto

// `kind` ("list(float)", as in AttrSpec) says what an empty list is a list of; "" if no schema knows the attr, which then
// may also be of dtype kInvalid. A value without a kind is std::monostate.
// Errors: InvalidArgument for a bad tensor or shape, a number that is no dtype or names a reference dtype, or a list of
// several kinds; ResourceExhausted without memory for a tensor.
absl::StatusOr<Attr> AttrFromProto(const AttrValue& proto, std::string_view kind);
// Errors: those of TensorToProto.
absl::Status AttrToProto(const Attr& attr, AttrValue* proto);

// Any container of (name, AttrValue) pairs without equal names, such as the map of a NodeDef. `schema` may be null.
// Errors: those of AttrFromProto, with the name.
template <typename Map>
absl::StatusOr<AttrMap> AttrsFromProto(const Map& protos, const OpSchema* schema);
// Errors: those of AttrToProto, with the name.
template <typename Map>
absl::Status AttrsToProto(const AttrMap& attrs, Map* protos);

// Errors: InvalidArgument for a repeated name, an argument without a name or whose type nothing tells, or a malformed default.
absl::StatusOr<OpSchema> SchemaFromProto(const OpDef& proto);

// ---- Details.

absl::Status AnnotateAttrError(const absl::Status& status, std::string_view name);

template <typename Map>
absl::StatusOr<AttrMap> AttrsFromProto(const Map& protos, const OpSchema* schema) {
  std::map<std::string, Attr> attrs;
  for (const auto& [name, value] : protos) {
    const AttrSpec* spec = schema != nullptr ? schema->FindAttr(name) : nullptr;
    absl::StatusOr<Attr> attr = AttrFromProto(value, spec != nullptr ? std::string_view(spec->kind) : "");
    if (!attr.ok()) return AnnotateAttrError(attr.status(), name);
    attrs.emplace(name, *std::move(attr));
  }
  return AttrMap(std::move(attrs));
}

template <typename Map>
absl::Status AttrsToProto(const AttrMap& attrs, Map* protos) {
  for (const auto& [name, attr] : attrs.entries()) {
    if (absl::Status status = AttrToProto(attr, &(*protos)[name]); !status.ok()) return AnnotateAttrError(status, name);
  }
  return absl::OkStatus();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_SCHEMA_ATTR_PROTO_H_
