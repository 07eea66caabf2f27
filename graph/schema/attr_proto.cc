#include "graph/schema/attr_proto.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/attr_value.pb.h"
#include "flowlatch/proto/op_def.pb.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/tensor_proto.h"

namespace flowlatch {
namespace {

// `known`: the schema has the attr, so its dtype has a meaning.
absl::StatusOr<DType> DTypeFromProto(int number, bool known) {
  if (number == 0 && !known) return DType::kInvalid;
  const std::optional<DType> dtype = DTypeFromNumber(number);
  if (dtype.has_value()) return *dtype;
  return absl::InvalidArgumentError(absl::StrCat("expected the number of a dtype",
                                                 number > 100 ? ", not of a reference to one" : "", ", got ", number));
}

absl::StatusOr<FunctionRef> FunctionFromProto(const NameAttrList& proto) {
  ASSIGN_OR_RETURN(AttrMap attrs, AttrsFromProto(proto.attr(), nullptr));
  return FunctionRef{proto.name(), std::move(attrs)};
}

absl::Status FunctionToProto(const FunctionRef& function, NameAttrList* proto) {
  proto->set_name(function.name);
  return AttrsToProto(function.attrs, proto->mutable_attr());
}

// Converts each element by `convert`, which gives a StatusOr.
template <typename T, typename Repeated, typename Convert>
absl::StatusOr<Attr> ListFromProto(const Repeated& protos, Convert convert) {
  std::vector<T> list;
  list.reserve(protos.size());
  for (const auto& proto : protos) {
    ASSIGN_OR_RETURN(T value, convert(proto));
    list.push_back(std::move(value));
  }
  return Attr(std::move(list));
}

absl::StatusOr<Attr> EmptyList(std::string_view kind) {
  if (kind == "list(float)") return Attr(std::vector<float>());
  if (kind == "list(bool)") return Attr(std::vector<bool>());
  if (kind == "list(string)") return Attr(std::vector<std::string>());
  if (kind == "list(type)") return Attr(std::vector<DType>());
  if (kind == "list(shape)") return Attr(std::vector<PartialShape>());
  if (kind == "list(tensor)") return Attr(std::vector<Tensor>());
  if (kind == "list(func)") return Attr(std::vector<FunctionRef>());
  return Attr(std::vector<int64_t>());
}

absl::StatusOr<Attr> ListAttrFromProto(const AttrValue::ListValue& list, std::string_view kind) {
  const int kinds = !list.s().empty() + !list.i().empty() + !list.f().empty() + !list.b().empty() +
                    !list.type().empty() + !list.shape().empty() + !list.tensor().empty() + !list.func().empty();
  if (kinds > 1) return absl::InvalidArgumentError(absl::StrCat("expected a list of one kind, got ", kinds, " kinds"));
  if (kinds == 0) return EmptyList(kind);
  if (!list.i().empty()) return Attr(std::vector<int64_t>(list.i().begin(), list.i().end()));
  if (!list.f().empty()) return Attr(std::vector<float>(list.f().begin(), list.f().end()));
  if (!list.b().empty()) return Attr(std::vector<bool>(list.b().begin(), list.b().end()));
  if (!list.s().empty()) return Attr(std::vector<std::string>(list.s().begin(), list.s().end()));
  if (!list.type().empty()) {
    return ListFromProto<DType>(list.type(), [&](int number) { return DTypeFromProto(number, !kind.empty()); });
  }
  if (!list.shape().empty()) return ListFromProto<PartialShape>(list.shape(), PartialShapeFromProto);
  if (!list.tensor().empty()) {
    return ListFromProto<Tensor>(list.tensor(), [](const TensorProto& proto) { return TensorFromProto(proto); });
  }
  return ListFromProto<FunctionRef>(list.func(), FunctionFromProto);
}

struct ToProto {
  AttrValue* proto;

  absl::Status operator()(std::monostate) const { return absl::OkStatus(); }
  absl::Status operator()(int64_t v) const { return proto->set_i(v), absl::OkStatus(); }
  absl::Status operator()(float v) const { return proto->set_f(v), absl::OkStatus(); }
  absl::Status operator()(bool v) const { return proto->set_b(v), absl::OkStatus(); }
  absl::Status operator()(const std::string& v) const { return proto->set_s(v), absl::OkStatus(); }
  absl::Status operator()(DType v) const { return proto->set_type(static_cast<DataType>(v)), absl::OkStatus(); }
  absl::Status operator()(const PartialShape& v) const {
    ShapeToProto(v, proto->mutable_shape());
    return absl::OkStatus();
  }
  absl::Status operator()(const Tensor& v) const { return TensorToProto(v, proto->mutable_tensor()); }
  absl::Status operator()(const FunctionRef& v) const { return FunctionToProto(v, proto->mutable_func()); }
  absl::Status operator()(const AttrPlaceholder& v) const { return proto->set_placeholder(v.name), absl::OkStatus(); }
  template <typename T>
  absl::Status operator()(const std::vector<T>& list) const {
    AttrValue::ListValue* out = proto->mutable_list();
    for (const T& v : list) RETURN_IF_ERROR(Append(v, out));
    return absl::OkStatus();
  }

  static absl::Status Append(int64_t v, AttrValue::ListValue* out) { return out->add_i(v), absl::OkStatus(); }
  static absl::Status Append(float v, AttrValue::ListValue* out) { return out->add_f(v), absl::OkStatus(); }
  static absl::Status Append(bool v, AttrValue::ListValue* out) { return out->add_b(v), absl::OkStatus(); }
  static absl::Status Append(const std::string& v, AttrValue::ListValue* out) {
    return out->add_s(v), absl::OkStatus();
  }
  static absl::Status Append(DType v, AttrValue::ListValue* out) {
    return out->add_type(static_cast<DataType>(v)), absl::OkStatus();
  }
  static absl::Status Append(const PartialShape& v, AttrValue::ListValue* out) {
    ShapeToProto(v, out->add_shape());
    return absl::OkStatus();
  }
  static absl::Status Append(const Tensor& v, AttrValue::ListValue* out) { return TensorToProto(v, out->add_tensor()); }
  static absl::Status Append(const FunctionRef& v, AttrValue::ListValue* out) {
    return FunctionToProto(v, out->add_func());
  }
};

absl::Status OpDefError(const OpDef& op, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("signature of '", op.name(), "': ", what));
}

constexpr std::string_view kElementKinds[] = {"int", "float", "bool", "string", "type", "shape", "tensor", "func"};

bool IsKind(std::string_view kind) {
  if (kind.substr(0, 5) == "list(" && kind.back() == ')') kind = kind.substr(5, kind.size() - 6);
  return std::find(std::begin(kElementKinds), std::end(kElementKinds), kind) != std::end(kElementKinds);
}

absl::StatusOr<AttrSpec> AttrSpecFromProto(const OpDef& op, const OpDef::AttrDef& proto) {
  if (!IsKind(proto.type())) {
    return OpDefError(op,
                      absl::StrCat("attr '", proto.name(), "': expected the name of a kind, got '", proto.type(), "'"));
  }
  AttrSpec spec;
  spec.name = proto.name();
  spec.kind = proto.type();
  if (proto.has_minimum()) spec.minimum = proto.minimum();
  for (int number : proto.allowed_values().list().type()) {
    ASSIGN_OR_RETURN(const DType dtype, DTypeFromProto(number, true));
    spec.allowed_types.insert(dtype);
  }
  spec.allowed_strings = {proto.allowed_values().list().s().begin(), proto.allowed_values().list().s().end()};
  if (proto.has_default_value()) {
    absl::StatusOr<Attr> value = AttrFromProto(proto.default_value(), spec.kind);
    if (!value.ok()) return AnnotateAttrError(value.status(), spec.name);
    spec.default_value = *std::move(value);
  }
  return spec;
}

// `kinds`: of the attrs, by name.
absl::StatusOr<ArgSpec> ArgSpecFromProto(const OpDef& op, const OpDef::ArgDef& proto,
                                         const std::vector<AttrSpec>& attrs) {
  const auto has_kind = [&](const std::string& name, std::string_view kind) {
    return std::any_of(attrs.begin(), attrs.end(), [&](const AttrSpec& a) { return a.name == name && a.kind == kind; });
  };
  const auto error = [&](const std::string& what) {
    return OpDefError(op, absl::StrCat("argument '", proto.name(), "': ", what));
  };
  ArgSpec arg;
  arg.name = proto.name();
  arg.type_attr = proto.type_attr();
  arg.type_list_attr = proto.type_list_attr();
  arg.number_attr = proto.number_attr();
  arg.is_ref = proto.is_ref();
  if ((proto.type() != 0) + !arg.type_attr.empty() + !arg.type_list_attr.empty() != 1) {
    return error("expected one of type, type_attr and type_list_attr");
  }
  if (proto.type() != 0) {
    const bool is_ref = proto.type() > 100;
    const std::optional<DType> dtype = DTypeFromNumber(is_ref ? proto.type() - 100 : proto.type());
    if (!dtype.has_value()) return error(absl::StrCat("expected the number of a dtype, got ", proto.type()));
    arg.dtype = *dtype;
    arg.is_ref |= is_ref;
  } else if (!arg.type_attr.empty() && !has_kind(arg.type_attr, "type")) {
    return error(absl::StrCat("expected an attr '", arg.type_attr, "' of kind type"));
  } else if (!arg.type_list_attr.empty() && !has_kind(arg.type_list_attr, "list(type)")) {
    return error(absl::StrCat("expected an attr '", arg.type_list_attr, "' of kind list(type)"));
  }
  if (!arg.number_attr.empty() && (!arg.type_list_attr.empty() || !has_kind(arg.number_attr, "int"))) {
    return error(absl::StrCat("expected an attr '", arg.number_attr, "' of kind int beside one dtype"));
  }
  return arg;
}

}  // namespace

absl::Status AnnotateAttrError(const absl::Status& status, std::string_view name) {
  return absl::Status(status.code(),
                      absl::StrCat("attr '", absl::string_view(name.data(), name.size()), "': ", status.message()));
}

absl::StatusOr<Attr> AttrFromProto(const AttrValue& proto, std::string_view kind) {
  switch (proto.value_case()) {
    case AttrValue::kS:
      return Attr(proto.s());
    case AttrValue::kI:
      return Attr(int64_t{proto.i()});
    case AttrValue::kF:
      return Attr(proto.f());
    case AttrValue::kB:
      return Attr(proto.b());
    case AttrValue::kType: {
      ASSIGN_OR_RETURN(const DType dtype, DTypeFromProto(proto.type(), !kind.empty()));
      return Attr(dtype);
    }
    case AttrValue::kShape: {
      ASSIGN_OR_RETURN(PartialShape shape, PartialShapeFromProto(proto.shape()));
      return Attr(std::move(shape));
    }
    case AttrValue::kTensor: {
      ASSIGN_OR_RETURN(Tensor tensor, TensorFromProto(proto.tensor()));
      return Attr(std::move(tensor));
    }
    case AttrValue::kList:
      return ListAttrFromProto(proto.list(), kind);
    case AttrValue::kFunc: {
      ASSIGN_OR_RETURN(FunctionRef function, FunctionFromProto(proto.func()));
      return Attr(std::move(function));
    }
    case AttrValue::kPlaceholder:
      return Attr(AttrPlaceholder{proto.placeholder()});
    case AttrValue::VALUE_NOT_SET:
      break;
  }
  return Attr();
}

absl::Status AttrToProto(const Attr& attr, AttrValue* proto) {
  proto->Clear();
  return std::visit(ToProto{proto}, attr.value());
}

absl::StatusOr<OpSchema> SchemaFromProto(const OpDef& proto) {
  absl::flat_hash_set<std::string> names;
  OpSchema::Parts parts;
  parts.name = proto.name();
  for (const OpDef::AttrDef& attr : proto.attr()) {
    if (!names.insert(attr.name()).second)
      return OpDefError(proto, absl::StrCat("attr '", attr.name(), "' is there twice"));
    ASSIGN_OR_RETURN(AttrSpec spec, AttrSpecFromProto(proto, attr));
    parts.attrs.push_back(std::move(spec));
  }
  const auto read_args = [&](const auto& args, std::vector<ArgSpec>* out) -> absl::Status {
    names.clear();
    for (const OpDef::ArgDef& arg : args) {
      if (arg.name().empty()) return OpDefError(proto, "argument: expected a name, got none");
      if (!names.insert(arg.name()).second)
        return OpDefError(proto, absl::StrCat("argument '", arg.name(), "' is there twice"));
      ASSIGN_OR_RETURN(ArgSpec spec, ArgSpecFromProto(proto, arg, parts.attrs));
      out->push_back(std::move(spec));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(read_args(proto.input_arg(), &parts.inputs));
  RETURN_IF_ERROR(read_args(proto.output_arg(), &parts.outputs));
  parts.stateful = proto.is_stateful();
  OpSchema schema(std::move(parts));
  schema.set_doc(proto.summary());
  return schema;
}

}  // namespace flowlatch
