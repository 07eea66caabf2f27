#include "graph/schema/op_schema.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/status_macros.h"
#include "graph/schema/signature_parser.h"

namespace flowlatch {
namespace {

constexpr int64_t kMaxPorts = 1 << 20;

absl::Status AttrError(const OpSchema& schema, std::string_view attr, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("attr '", absl::string_view(attr.data(), attr.size()), "' of op ", schema.name(), ": ", what));
}

// Length of a list attr, or nullopt for other kinds.
std::optional<int64_t> ListLength(const Attr& attr) {
  return std::visit(
      [](const auto& v) -> std::optional<int64_t> {
        if constexpr (requires {
                        v.size();
                        v.begin();
                      } &&
                      !std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
          return static_cast<int64_t>(v.size());
        } else {
          return std::nullopt;
        }
      },
      attr.value());
}

// An empty list that was read without a schema fits every list kind.
bool KindFits(const Attr& attr, const std::string& kind) {
  if (attr.KindName() == kind) return true;
  return kind.rfind("list(", 0) == 0 && ListLength(attr) == 0;
}

absl::Status CheckAllowed(const OpSchema& schema, const AttrSpec& spec, DType dtype) {
  if (spec.allowed_types.empty() || spec.allowed_types.contains(dtype)) return absl::OkStatus();
  return AttrError(
      schema, spec.name,
      absl::StrCat("expected one of ", DTypeSetNames(spec.allowed_types), ", got ", std::string(DTypeName(dtype))));
}

absl::Status CheckAllowed(const OpSchema& schema, const AttrSpec& spec, const std::string& s) {
  if (spec.allowed_strings.empty()) return absl::OkStatus();
  if (std::find(spec.allowed_strings.begin(), spec.allowed_strings.end(), s) != spec.allowed_strings.end()) {
    return absl::OkStatus();
  }
  return AttrError(schema, spec.name,
                   absl::StrCat("expected one of '", absl::StrJoin(spec.allowed_strings, "', '"), "', got '",
                                absl::CHexEscape(s), "'"));
}

absl::Status CheckValue(const OpSchema& schema, const AttrSpec& spec, const Attr& attr) {
  if (attr.Get<AttrPlaceholder>() != nullptr) return absl::OkStatus();  // known when the function is called
  if (!KindFits(attr, spec.kind)) {
    return AttrError(schema, spec.name, absl::StrCat("expected ", spec.kind, ", got ", std::string(attr.KindName())));
  }
  if (spec.minimum.has_value()) {
    const int64_t* number = attr.Get<int64_t>();
    const int64_t value = number != nullptr ? *number : ListLength(attr).value_or(*spec.minimum);
    if (value < *spec.minimum) {
      return AttrError(schema, spec.name,
                       absl::StrCat("expected ", number != nullptr ? "a value" : "a length", " >= ", *spec.minimum,
                                    ", got ", value));
    }
  }
  if (const DType* dtype = attr.Get<DType>()) return CheckAllowed(schema, spec, *dtype);
  if (const std::string* s = attr.Get<std::string>()) return CheckAllowed(schema, spec, *s);
  if (const auto* list = attr.Get<std::vector<DType>>()) {
    for (DType dtype : *list) RETURN_IF_ERROR(CheckAllowed(schema, spec, dtype));
  }
  if (const auto* list = attr.Get<std::vector<std::string>>()) {
    for (const std::string& s : *list) RETURN_IF_ERROR(CheckAllowed(schema, spec, s));
  }
  return absl::OkStatus();
}

std::string ArgText(const ArgSpec& arg) {
  std::string type = arg.dtype != DType::kInvalid ? std::string(DTypeName(arg.dtype))
                     : !arg.type_attr.empty()     ? arg.type_attr
                                                  : arg.type_list_attr;
  if (arg.is_ref) type = absl::StrCat("Ref(", type, ")");
  if (!arg.number_attr.empty()) type = absl::StrCat(arg.number_attr, " * ", type);
  return absl::StrCat(arg.name, ": ", type);
}

std::string ArgsText(const std::vector<ArgSpec>& args) {
  return absl::StrJoin(args, ", ", [](std::string* out, const ArgSpec& arg) { out->append(ArgText(arg)); });
}

// "tensor(uint8, [2], [255, 0])": the form that is read back. Other than integers have none.
std::string TensorText(const Tensor& t) {
  if (!IsInteger(t.dtype())) return t.DebugString();
  const size_t size = DTypeSize(t.dtype());
  const bool is_unsigned = DTypeName(t.dtype()).front() == 'u';
  std::vector<int64_t> values(t.num_elements(), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    std::memcpy(&values[i], static_cast<const char*>(t.raw_data()) + i * size, size);  // the low bytes
    const int unused_bits = is_unsigned ? 0 : static_cast<int>(8 * (sizeof(int64_t) - size));
    values[i] = static_cast<int64_t>(static_cast<uint64_t>(values[i]) << unused_bits) >> unused_bits;
  }
  return absl::StrCat("tensor(", std::string(DTypeName(t.dtype())), ", [", absl::StrJoin(t.dims(), ", "), "], [",
                      absl::StrJoin(values, ", "), "])");
}

std::string DefaultText(const Attr& value) {
  if (const Tensor* t = value.Get<Tensor>()) return TensorText(*t);
  if (const auto* list = value.Get<std::vector<Tensor>>()) {
    return absl::StrCat(
        "[", absl::StrJoin(*list, ", ", [](std::string* out, const Tensor& t) { out->append(TensorText(t)); }), "]");
  }
  return value.ToString();
}

std::string AttrText(const AttrSpec& spec) {
  std::string element = spec.kind;
  const bool is_list = element.rfind("list(", 0) == 0;
  if (is_list) element = element.substr(5, element.size() - 6);
  if (!spec.allowed_types.empty()) element = absl::StrCat("{", DTypeSetNames(spec.allowed_types), "}");
  if (!spec.allowed_strings.empty())
    element = absl::StrCat("{\"", absl::StrJoin(spec.allowed_strings, "\", \""), "\"}");
  std::string text = absl::StrCat(spec.name, ": ", is_list ? absl::StrCat("list(", element, ")") : element);
  if (spec.minimum.has_value()) absl::StrAppend(&text, " >= ", *spec.minimum);
  if (spec.default_value.has_value()) absl::StrAppend(&text, " = ", DefaultText(*spec.default_value));
  return text;
}

}  // namespace

absl::StatusOr<OpSchema> OpSchema::Parse(std::string_view signature) { return SignatureParser(signature).Parse(); }

const AttrSpec* OpSchema::FindAttr(std::string_view name) const {
  for (const AttrSpec& spec : attrs_) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

const Attr* OpSchema::AttrOrDefault(const AttrMap& attrs, std::string_view name) const {
  if (const Attr* attr = attrs.Find(name)) return attr;
  const AttrSpec* spec = FindAttr(name);
  return spec != nullptr && spec->default_value.has_value() ? &*spec->default_value : nullptr;
}

std::string OpSchema::ToString() const {
  std::string text = absl::StrCat(name_, "(", ArgsText(inputs_), ") -> (", ArgsText(outputs_), ")");
  for (const AttrSpec& spec : attrs_) absl::StrAppend(&text, "; ", AttrText(spec));
  if (stateful_) text += "; stateful";
  if (commutative_) text += "; commutative";
  if (aggregate_) text += "; aggregate";
  if (uninitialized_ok_) text += "; uninitialized_ok";
  if (deprecated_since_ > 0) {
    absl::StrAppend(&text, "; deprecated ", deprecated_since_, " \"", absl::CEscape(deprecation_text_), "\"");
  }
  return text;
}

absl::Status OpSchema::ValidateAttrs(const AttrMap& attrs) const {
  for (const AttrSpec& spec : attrs_) {
    const Attr* attr = attrs.Find(spec.name);
    if (attr != nullptr) {
      RETURN_IF_ERROR(CheckValue(*this, spec, *attr));
    } else if (!spec.default_value.has_value()) {
      return AttrError(*this, spec.name, absl::StrCat("expected a value of kind ", spec.kind, ", got none"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> OpSchema::PortCount(const ArgSpec& arg, const AttrMap& attrs) const {
  if (!arg.number_attr.empty()) {
    const Attr* attr = AttrOrDefault(attrs, arg.number_attr);
    const int64_t* count = attr != nullptr ? attr->Get<int64_t>() : nullptr;
    if (count == nullptr) return AttrError(*this, arg.number_attr, "expected an int, got none");
    if (*count < 0 || *count > kMaxPorts) {
      return AttrError(*this, arg.number_attr,
                       absl::StrCat("expected a count of ports from 0 to ", kMaxPorts, ", got ", *count));
    }
    return *count;
  }
  if (!arg.type_list_attr.empty()) {
    const Attr* attr = AttrOrDefault(attrs, arg.type_list_attr);
    const std::optional<int64_t> length = attr != nullptr ? ListLength(*attr) : std::nullopt;
    if (!length.has_value()) return AttrError(*this, arg.type_list_attr, "expected list(type), got none");
    return *length;
  }
  return 1;
}

absl::StatusOr<std::vector<PortType>> OpSchema::PortTypes(const std::vector<ArgSpec>& args,
                                                          const AttrMap& attrs) const {
  std::vector<PortType> types;
  for (const ArgSpec& arg : args) {
    ASSIGN_OR_RETURN(const int64_t count, PortCount(arg, attrs));
    if (!arg.type_list_attr.empty()) {
      const auto* list = AttrOrDefault(attrs, arg.type_list_attr)->Get<std::vector<DType>>();
      for (int64_t i = 0; i < count; ++i) {
        if (list == nullptr) return AttrError(*this, arg.type_list_attr, "expected list(type)");
        types.push_back({(*list)[i], arg.is_ref});
      }
      continue;
    }
    DType dtype = arg.dtype;
    if (!arg.type_attr.empty()) {
      const Attr* attr = AttrOrDefault(attrs, arg.type_attr);
      const DType* value = attr != nullptr ? attr->Get<DType>() : nullptr;
      if (value == nullptr) return AttrError(*this, arg.type_attr, "expected a type, got none");
      dtype = *value;
    }
    types.insert(types.end(), count, PortType{dtype, arg.is_ref});
  }
  return types;
}

absl::StatusOr<std::vector<PortType>> OpSchema::InputTypes(const AttrMap& attrs) const {
  return PortTypes(inputs_, attrs);
}
absl::StatusOr<std::vector<PortType>> OpSchema::OutputTypes(const AttrMap& attrs) const {
  return PortTypes(outputs_, attrs);
}

absl::StatusOr<std::pair<int, int>> OpSchema::InputRange(std::string_view arg, const AttrMap& attrs) const {
  return PortRange(inputs_, arg, attrs);
}
absl::StatusOr<std::pair<int, int>> OpSchema::OutputRange(std::string_view arg, const AttrMap& attrs) const {
  return PortRange(outputs_, arg, attrs);
}

absl::StatusOr<std::pair<int, int>> OpSchema::PortRange(const std::vector<ArgSpec>& args, std::string_view name,
                                                        const AttrMap& attrs) const {
  int first = 0;
  for (const ArgSpec& arg : args) {
    ASSIGN_OR_RETURN(const int64_t count, PortCount(arg, attrs));
    if (arg.name == name) return std::make_pair(first, first + static_cast<int>(count));
    first += static_cast<int>(count);
  }
  return absl::NotFoundError(absl::StrCat("argument '", absl::string_view(name.data(), name.size()), "' of op ", name_,
                                          ": expected one of ", ArgsText(args)));
}

}  // namespace flowlatch
