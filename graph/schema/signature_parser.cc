#include "graph/schema/signature_parser.h"

#include <cctype>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

}  // namespace

void SignatureParser::SkipSpace() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
}

bool SignatureParser::Consume(std::string_view token) {
  SkipSpace();
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}

absl::Status SignatureParser::Error(std::string_view expected) const {
  return absl::InvalidArgumentError(absl::StrCat("signature at character ", at_, ": expected ", Absl(expected), ", got '",
                                                 Absl(text_.substr(at_, 20)), "' in ", Absl(text_.substr(0, 60))));
}

absl::Status SignatureParser::Expect(std::string_view token) {
  return Consume(token) ? absl::OkStatus() : Error(absl::StrCat("'", Absl(token), "'"));
}

std::string_view SignatureParser::Word() {
  SkipSpace();
  const size_t begin = at_;
  while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
  return text_.substr(begin, at_ - begin);
}

absl::StatusOr<std::string> SignatureParser::QuotedString() {
  RETURN_IF_ERROR(Expect("\""));
  const size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
  if (at_ >= text_.size()) {
    at_ = text_.size();  // an escape may have led beyond
    return Error("a closing quote");
  }
  std::string value;
  if (!absl::CUnescape(Absl(text_.substr(begin, at_ - begin)), &value)) return Error("a valid escape");
  ++at_;
  return value;
}

std::string_view SignatureParser::NumberText() {
  SkipSpace();
  const size_t begin = at_;
  while (at_ < text_.size() && (IsWord(text_[at_]) || text_[at_] == '-' || text_[at_] == '+')) ++at_;
  return text_.substr(begin, at_ - begin);
}

absl::StatusOr<OpSchema> SignatureParser::Parse() {
  OpSchema schema;
  schema.name_ = std::string(Word());
  // Names of functions and of ops in a namespace ("Vendor>Op") use more characters.
  while (at_ < text_.size() && text_[at_] != '(') schema.name_ += text_[at_++];
  if (schema.name_.empty()) return Error("an op name");
  ASSIGN_OR_RETURN(const std::vector<PortText> inputs, ParsePorts());
  RETURN_IF_ERROR(Expect("->"));
  ASSIGN_OR_RETURN(const std::vector<PortText> outputs, ParsePorts());
  while (Consume(";")) RETURN_IF_ERROR(ParseAttrOrFlag(schema));
  SkipSpace();
  if (at_ != text_.size()) return Error("';' or the end");
  RETURN_IF_ERROR(ResolvePorts(schema, inputs, schema.inputs_));
  RETURN_IF_ERROR(ResolvePorts(schema, outputs, schema.outputs_));
  return schema;
}

absl::StatusOr<std::vector<SignatureParser::PortText>> SignatureParser::ParsePorts() {
  std::vector<PortText> ports;
  RETURN_IF_ERROR(Expect("("));
  if (Consume(")")) return ports;
  do {
    PortText port;
    port.name = std::string(Word());
    RETURN_IF_ERROR(Expect(":"));
    std::string word(Word());
    if (Consume("*")) {
      port.count = std::move(word);
      word = std::string(Word());
    }
    if (word == "Ref" && Consume("(")) {
      port.is_ref = true;
      word = std::string(Word());
      RETURN_IF_ERROR(Expect(")"));
    }
    port.type = std::move(word);
    if (port.name.empty() || port.type.empty()) return Error("a port 'name: type'");
    ports.push_back(std::move(port));
  } while (Consume(","));
  RETURN_IF_ERROR(Expect(")"));
  return ports;
}

absl::Status SignatureParser::ResolvePorts(const OpSchema& schema, const std::vector<PortText>& ports,
                                           std::vector<ArgSpec>& out) const {
  for (const PortText& port : ports) {
    ArgSpec arg;
    arg.name = port.name;
    arg.is_ref = port.is_ref;
    if (const AttrSpec* attr = schema.FindAttr(port.type)) {
      (attr->kind == "list(type)" ? arg.type_list_attr : arg.type_attr) = port.type;
    } else if (const std::optional<DType> dtype = ParseDType(port.type)) {
      arg.dtype = *dtype;
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("signature of ", schema.name_, ": expected a dtype or attr, got '", port.type, "'"));
    }
    if (!port.count.empty()) {
      const AttrSpec* attr = schema.FindAttr(port.count);
      if (attr == nullptr || attr->kind != "int") {
        return absl::InvalidArgumentError(
            absl::StrCat("signature of ", schema.name_, ": expected an int attr '", port.count, "'"));
      }
      arg.number_attr = port.count;
    }
    out.push_back(std::move(arg));
  }
  return absl::OkStatus();
}

absl::Status SignatureParser::ParseAttrOrFlag(OpSchema& schema) {
  std::string name(Word());
  if (Consume(":")) return ParseAttr(schema, std::move(name));
  if (name == "stateful") {
    schema.stateful_ = true;
  } else if (name == "commutative") {
    schema.commutative_ = true;
  } else if (name == "aggregate") {
    schema.aggregate_ = true;
  } else if (name == "uninitialized_ok") {
    schema.uninitialized_ok_ = true;
  } else if (name == "deprecated") {
    if (!absl::SimpleAtoi(Absl(NumberText()), &schema.deprecated_since_)) return Error("a version");
    ASSIGN_OR_RETURN(schema.deprecation_text_, QuotedString());
  } else {
    return Error("an attr 'name: kind' or a flag");
  }
  return absl::OkStatus();
}

absl::Status SignatureParser::ParseAttr(OpSchema& schema, std::string name) {
  ASSIGN_OR_RETURN(AttrSpec spec, ParseKind(std::move(name)));
  if (Consume(">=")) {
    int64_t minimum = 0;
    if (!absl::SimpleAtoi(Absl(NumberText()), &minimum)) return Error("an integer");
    spec.minimum = minimum;
  }
  if (Consume("=")) {
    ASSIGN_OR_RETURN(spec.default_value, ParseValue(spec.kind));
  }
  schema.attrs_.push_back(std::move(spec));
  return absl::OkStatus();
}

absl::StatusOr<AttrSpec> SignatureParser::ParseKind(std::string name) {
  AttrSpec spec;
  spec.name = std::move(name);
  const size_t begin = at_;
  const bool is_list = Word() == "list" && Consume("(");
  if (!is_list) at_ = begin;
  std::string element;
  if (Consume("{")) {
    RETURN_IF_ERROR(ParseAllowed(spec, element));
  } else {
    element = std::string(Word());
  }
  static constexpr std::string_view kKinds[] = {"int", "float", "bool", "string", "type", "shape", "tensor", "func"};
  if (std::find(std::begin(kKinds), std::end(kKinds), std::string_view(element)) == std::end(kKinds)) {
    return Error("an attr kind");
  }
  if (is_list) RETURN_IF_ERROR(Expect(")"));
  spec.kind = is_list ? absl::StrCat("list(", element, ")") : element;
  return spec;
}

absl::Status SignatureParser::ParseAllowed(AttrSpec& spec, std::string& element_kind) {
  do {
    SkipSpace();
    if (at_ < text_.size() && text_[at_] == '"') {
      element_kind = "string";
      ASSIGN_OR_RETURN(std::string allowed, QuotedString());
      spec.allowed_strings.push_back(std::move(allowed));
    } else {
      element_kind = "type";
      const std::optional<DType> dtype = ParseDType(Word());
      if (!dtype.has_value()) return Error("a dtype");
      spec.allowed_types.insert(*dtype);
    }
  } while (Consume(","));
  return Expect("}");
}

template <typename T>
absl::StatusOr<Attr> SignatureParser::ParseList(const std::string& element_kind) {
  std::vector<T> list;
  RETURN_IF_ERROR(Expect("["));
  if (Consume("]")) return Attr(std::move(list));
  do {
    ASSIGN_OR_RETURN(const Attr element, ParseValue(element_kind));
    list.push_back(*element.Get<T>());
  } while (Consume(","));
  RETURN_IF_ERROR(Expect("]"));
  return Attr(std::move(list));
}

absl::StatusOr<Attr> SignatureParser::ParseValue(const std::string& kind) {
  if (kind == "int") {
    int64_t value = 0;
    if (!absl::SimpleAtoi(Absl(NumberText()), &value)) return Error("an integer");
    return Attr(value);
  }
  if (kind == "float") {
    float value = 0;
    if (!absl::SimpleAtof(Absl(NumberText()), &value)) return Error("a number");
    return Attr(value);
  }
  if (kind == "bool") {
    const std::string_view word = Word();
    if (word != "true" && word != "false") return Error("true or false");
    return Attr(word == "true");
  }
  if (kind == "string") {
    ASSIGN_OR_RETURN(std::string value, QuotedString());
    return Attr(std::move(value));
  }
  if (kind == "type") {
    const std::optional<DType> dtype = ParseDType(Word());
    if (!dtype.has_value()) return Error("a dtype");
    return Attr(*dtype);
  }
  if (kind == "shape") {
    if (Consume("?")) return Attr(PartialShape());
    RETURN_IF_ERROR(Expect("["));
    Dims dims;
    if (!Consume("]")) {
      do {
        if (Consume("?")) {
          dims.push_back(-1);
          continue;
        }
        int64_t dim = 0;
        if (!absl::SimpleAtoi(Absl(NumberText()), &dim)) return Error("a dimension");
        dims.push_back(dim);
      } while (Consume(","));
      RETURN_IF_ERROR(Expect("]"));
    }
    ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Make(dims));
    return Attr(std::move(shape));
  }
  if (kind == "tensor") return ParseTensor();
  if (kind == "func") return Attr(FunctionRef{std::string(Word()), {}});
  if (kind == "list(int)") return ParseList<int64_t>("int");
  if (kind == "list(float)") return ParseList<float>("float");
  if (kind == "list(bool)") return ParseList<bool>("bool");
  if (kind == "list(string)") return ParseList<std::string>("string");
  if (kind == "list(type)") return ParseList<DType>("type");
  if (kind == "list(shape)") return ParseList<PartialShape>("shape");
  if (kind == "list(tensor)") return ParseList<Tensor>("tensor");
  if (kind == "list(func)") return ParseList<FunctionRef>("func");
  return Error("a default of a kind that has a text form");
}

absl::StatusOr<Attr> SignatureParser::ParseTensor() {
  RETURN_IF_ERROR(Expect("tensor("));
  const std::optional<DType> dtype = ParseDType(Word());
  if (!dtype.has_value() || !IsInteger(*dtype)) return Error("an integer dtype");
  RETURN_IF_ERROR(Expect(","));
  ASSIGN_OR_RETURN(const Attr dims, ParseList<int64_t>("int"));
  RETURN_IF_ERROR(Expect(","));
  ASSIGN_OR_RETURN(const Attr elements, ParseList<int64_t>("int"));
  RETURN_IF_ERROR(Expect(")"));
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(*dtype, *dims.Get<std::vector<int64_t>>()));
  const std::vector<int64_t>& values = *elements.Get<std::vector<int64_t>>();
  if (static_cast<int64_t>(values.size()) != tensor.num_elements()) return Error("an element for each place");
  char* to = static_cast<char*>(tensor.raw_mutable_data());
  const size_t size = DTypeSize(*dtype);
  for (size_t i = 0; i < values.size(); ++i) std::memcpy(to + i * size, &values[i], size);  // the low bytes
  return Attr(std::move(tensor));
}

}  // namespace flowlatch
