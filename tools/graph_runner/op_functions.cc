#include "tools/graph_runner/op_functions.h"

#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace flowlatch {
namespace {

constexpr char kHeader[] = R"(// One function for each op: `ops::MatMul(b, x, y, {.transpose_b = true})`. Written by graph-runner ops --cpp; do not edit.
//
// Each takes the builder, the op's inputs, the attributes that neither inputs nor defaults tell, and a struct of the others. Inputs may
// be constants written in place. Dtypes and counts that inputs tell are no parameters. Errors are the builder's, with the place of the
// call. An op with one output gives an Output (a list: Outputs), one with several a struct, one with none an Operation.
#ifndef FLOWLATCH_OPS_OP_FUNCTIONS_H_
#define FLOWLATCH_OPS_OP_FUNCTIONS_H_

#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "graph/build/graph_builder.h"

namespace flowlatch::ops {

using InputList = absl::Span<const Input>;
using AttrList = absl::InlinedVector<AttrMap::Entry, 4>;

inline std::vector<Input> Inputs(std::initializer_list<InputList> groups) {
  std::vector<Input> all;
  for (const InputList& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

inline std::vector<DType> DTypesOf(InputList inputs) {
  std::vector<DType> dtypes;
  for (const Input& input : inputs) dtypes.push_back(input.output() != nullptr ? input.output()->dtype() : input.constant()->dtype());
  return dtypes;
}

inline Outputs OutputsOf(const Operation& op, const absl::StatusOr<std::pair<int, int>>& range) {
  Outputs some;
  for (int i = range.ok() ? range->first : 0; range.ok() && i < range->second; ++i) some.push_back(op.output(i));
  return some;
}

)";

constexpr char kFooter[] = R"(}  // namespace flowlatch::ops

#endif  // FLOWLATCH_OPS_OP_FUNCTIONS_H_
)";

// Names that C++ or the functions themselves have.
std::string Identifier(const std::string& name) {
  static const std::set<std::string> taken = {
      "and",   "auto",  "b",     "at",      "bool",     "break", "case", "char",   "class",   "const", "default", "delete",  "do",      "double",   "else",  "enum",
      "false", "float", "for",   "goto",    "if",       "int",   "long", "name",   "new",     "not",   "operator", "or",     "private", "public",   "short", "signed",
      "static", "struct", "switch", "template", "this", "true", "try",   "typename", "union", "using", "void",   "while",   "attrs",   "operation", "register", "export"};
  std::string identifier = name;
  for (char& c : identifier) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
  }
  return taken.contains(identifier) ? identifier + "_" : identifier;
}

std::string CppType(const std::string& kind) {
  static const std::pair<const char*, const char*> kTypes[] = {{"int", "int64_t"},         {"float", "float"},           {"bool", "bool"},
                                                              {"string", "std::string"},  {"type", "DType"},            {"shape", "PartialShape"},
                                                              {"tensor", "::flowlatch::Tensor"}, {"func", "FunctionRef"}};
  const bool list = kind.rfind("list(", 0) == 0;
  const std::string element = list ? kind.substr(5, kind.size() - 6) : kind;
  for (const auto& [from, to] : kTypes) {
    if (element == from) return list ? absl::StrCat("std::vector<", to, ">") : to;
  }
  return "Attr";
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

std::string DTypeText(DType dtype) {
  switch (dtype) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    return "DType::" #enumerator;
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    default:
      return "DType::kInvalid";
  }
}

std::string FloatText(float value) {
  if (std::isinf(value)) return value > 0 ? "std::numeric_limits<float>::infinity()" : "-std::numeric_limits<float>::infinity()";
  std::string text = absl::StrCat(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

std::string ShapeText(const PartialShape& shape) {
  return shape.has_rank() ? absl::StrCat("PartialShape::Of({", absl::StrJoin(shape.dims(), ", "), "})") : "PartialShape()";
}

// The default of an attribute in C++, or nullopt for one that cannot be written.
std::optional<std::string> DefaultText(const Attr& value) {
  if (const auto* v = value.Get<int64_t>()) return absl::StrCat(*v);
  if (const auto* v = value.Get<float>()) return FloatText(*v);
  if (const auto* v = value.Get<bool>()) return *v ? "true" : "false";
  if (const auto* v = value.Get<std::string>()) return Quoted(*v);
  if (const auto* v = value.Get<DType>()) return DTypeText(*v);
  if (const auto* v = value.Get<PartialShape>()) return ShapeText(*v);
  if (const auto* v = value.Get<std::vector<int64_t>>()) return absl::StrCat("{", absl::StrJoin(*v, ", "), "}");
  const auto list = [](const auto& values, auto&& text) {
    std::vector<std::string> texts;
    for (const auto& v : values) texts.push_back(text(v));
    return absl::StrCat("{", absl::StrJoin(texts, ", "), "}");
  };
  if (const auto* v = value.Get<std::vector<float>>()) return list(*v, FloatText);
  if (const auto* v = value.Get<std::vector<bool>>()) return list(*v, [](bool x) { return std::string(x ? "true" : "false"); });
  if (const auto* v = value.Get<std::vector<std::string>>()) return list(*v, Quoted);
  if (const auto* v = value.Get<std::vector<DType>>()) return list(*v, DTypeText);
  if (const auto* v = value.Get<std::vector<PartialShape>>()) return list(*v, ShapeText);
  return std::nullopt;
}

bool IsList(const ArgSpec& arg) { return !arg.number_attr.empty() || !arg.type_list_attr.empty(); }

// Writes the function of one op.
class Writer {
 public:
  Writer(const OpSchema& schema, DTypeSet kernels, std::string* out) : schema_(schema), kernels_(kernels), out_(*out) {
    int lists_of_different_lengths = 0;
    std::set<std::string> lengths;
    for (const ArgSpec& arg : schema.inputs()) {
      if (!arg.type_attr.empty()) told_.insert(arg.type_attr);
      const std::string& by = !arg.number_attr.empty() ? arg.number_attr : arg.type_list_attr;
      if (by.empty()) continue;
      told_.insert(by);
      if (lengths.insert(by).second) ++lists_of_different_lengths;
    }
    for (const AttrSpec& attr : schema.attrs()) {
      if (told_.contains(attr.name)) continue;
      (attr.default_value.has_value() ? optional_ : required_).push_back(&attr);
    }
    // Where lists of several lengths stand one after another, their parameters tell each.
    lengths_matter_ = lists_of_different_lengths > 1;
  }

  void Write() {
    const std::string& op = schema_.name();
    if (!optional_.empty()) WriteAttrs();
    if (schema_.outputs().size() > 1) WriteOutputs();
    WriteDoc();
    absl::StrAppend(&out_, "inline ", ResultType(), " ", op, "(GraphBuilder& b");
    for (const ArgSpec& arg : schema_.inputs()) absl::StrAppend(&out_, ", ", IsList(arg) ? "InputList " : "const Input& ", Identifier(arg.name));
    for (const AttrSpec* attr : required_) absl::StrAppend(&out_, ", const ", CppType(attr->kind), "& ", Identifier(attr->name));
    if (optional_.empty()) {
      absl::StrAppend(&out_, ", std::string_view name = \"\"");
    } else {
      absl::StrAppend(&out_, ", const ", op, "Attrs& attrs = {}");
    }
    absl::StrAppend(&out_, ",\n    std::source_location at = std::source_location::current()) {\n");
    WriteBody();
    absl::StrAppend(&out_, "}\n\n");
  }

 private:
  void WriteAttrs() {
    absl::StrAppend(&out_, "struct ", schema_.name(), "Attrs {\n");
    for (const AttrSpec* attr : optional_) {
      const std::optional<std::string> text = DefaultText(*attr->default_value);
      absl::StrAppend(&out_, "  ", CppType(attr->kind), " ", Identifier(attr->name), " = ", text.value_or("{}"), ";\n");
    }
    absl::StrAppend(&out_, "  std::string_view name = \"\";\n};\n\n");
  }

  void WriteOutputs() {
    absl::StrAppend(&out_, "struct ", schema_.name(), "Outputs {\n");
    for (const ArgSpec& arg : schema_.outputs()) absl::StrAppend(&out_, "  ", IsList(arg) ? "Outputs" : "Output", " ", Identifier(arg.name), ";\n");
    absl::StrAppend(&out_, "  Operation operation;\n};\n\n");
  }

  std::string ResultType() const {
    if (schema_.outputs().empty()) return "Operation";
    if (schema_.outputs().size() > 1) return schema_.name() + "Outputs";
    return IsList(schema_.outputs()[0]) ? "Outputs" : "Output";
  }

  std::string TypeText(const ArgSpec& arg) const {
    std::string type = !arg.type_attr.empty() ? arg.type_attr : !arg.type_list_attr.empty() ? arg.type_list_attr : std::string(DTypeName(arg.dtype));
    if (!arg.number_attr.empty()) type = absl::StrCat("list of ", type);
    if (arg.is_ref) type = absl::StrCat("reference to ", type);
    return type;
  }

  void WriteDoc() {
    absl::StrAppend(&out_, "// ", schema_.doc(), ".\n");
    for (const ArgSpec& arg : schema_.inputs()) absl::StrAppend(&out_, "//   ", arg.name, ": ", TypeText(arg), "\n");
    for (const ArgSpec& arg : schema_.outputs()) absl::StrAppend(&out_, "//   -> ", arg.name, ": ", TypeText(arg), "\n");
    for (const AttrSpec& attr : schema_.attrs()) {
      if (attr.kind != "type") continue;
      DTypeSet types = attr.allowed_types;
      const bool kernels_fit = types.empty() || (kernels_ - types).empty();  // else they are about another attribute
      if (!kernels_.empty() && kernels_fit && attr.name == "T") types = kernels_;
      if (!types.empty()) absl::StrAppend(&out_, "//   ", attr.name, ": ", DTypeSetNames(types), "\n");
    }
    for (const AttrSpec* attr : required_) absl::StrAppend(&out_, "//   attr ", attr->name, ": ", attr->kind, Allowed(*attr), "\n");
    for (const AttrSpec* attr : optional_) {
      absl::StrAppend(&out_, "//   attr ", attr->name, ": ", attr->kind, " = ", attr->default_value->ToString(), Allowed(*attr), "\n");
    }
  }

  static std::string Allowed(const AttrSpec& attr) {
    std::string text;
    if (!attr.allowed_strings.empty()) absl::StrAppend(&text, " (", absl::StrJoin(attr.allowed_strings, ", "), ")");
    if (attr.minimum.has_value()) absl::StrAppend(&text, " (at least ", *attr.minimum, ")");
    return text;
  }

  void WriteBody() {
    absl::StrAppend(&out_, "  AttrList given;\n");
    for (const AttrSpec* attr : required_) absl::StrAppend(&out_, "  given.push_back({\"", attr->name, "\", ", Identifier(attr->name), "});\n");
    for (const AttrSpec* attr : optional_) {
      const std::string field = absl::StrCat("attrs.", Identifier(attr->name));
      const std::optional<std::string> text = DefaultText(*attr->default_value);
      const std::string set = absl::StrCat("given.push_back({\"", attr->name, "\", ", field, "});\n");
      if (!text.has_value()) {
        absl::StrAppend(&out_, "  if (Attr(", field, ") != Attr(", CppType(attr->kind), "{})) ", set);
      } else {
        absl::StrAppend(&out_, "  if (", field, " != ", CppType(attr->kind), text->front() == '{' ? *text : absl::StrCat("(", *text, ")"), ") ", set);
      }
    }
    if (lengths_matter_) {
      std::set<std::string> done;
      for (const ArgSpec& arg : schema_.inputs()) {
        if (!arg.number_attr.empty() && done.insert(arg.number_attr).second) {
          absl::StrAppend(&out_, "  given.push_back({\"", arg.number_attr, "\", static_cast<int64_t>(", Identifier(arg.name), ".size())});\n");
        } else if (!arg.type_list_attr.empty() && done.insert(arg.type_list_attr).second) {
          absl::StrAppend(&out_, "  given.push_back({\"", arg.type_list_attr, "\", DTypesOf(", Identifier(arg.name), ")});\n");
        }
      }
    }
    std::string inputs;
    bool any_list = false;
    for (const ArgSpec& arg : schema_.inputs()) any_list |= IsList(arg);
    std::vector<std::string> names;
    for (const ArgSpec& arg : schema_.inputs()) {
      const std::string name = Identifier(arg.name);
      names.push_back(any_list && !IsList(arg) ? absl::StrCat("InputList(&", name, ", 1)") : name);
    }
    inputs = absl::StrCat(any_list ? "Inputs({" : "{", absl::StrJoin(names, ", "), any_list ? "})" : "}");
    const std::string call = absl::StrCat("b.Op(\"", schema_.name(), "\", ", inputs, ", given, ", optional_.empty() ? "name" : "attrs.name", ", at)");
    const std::vector<ArgSpec>& outputs = schema_.outputs();
    if (outputs.empty()) {
      absl::StrAppend(&out_, "  return ", call, ";\n");
    } else if (outputs.size() == 1) {
      absl::StrAppend(&out_, "  return ", call, IsList(outputs[0]) ? ".outputs();\n" : ".output();\n");
    } else {
      absl::StrAppend(&out_, "  const Operation op = ", call, ";\n  ", schema_.name(), "Outputs result;\n  result.operation = op;\n");
      int list_args = 0;
      for (const ArgSpec& arg : outputs) list_args += IsList(arg);
      if (list_args == 0) {
        for (size_t i = 0; i < outputs.size(); ++i) absl::StrAppend(&out_, "  result.", Identifier(outputs[i].name), " = op.output(", i, ");\n");
      } else {
        absl::StrAppend(&out_, "  if (!op) return result;\n  const Node& node = b.node(op);\n");
        for (const ArgSpec& arg : outputs) {
          const std::string range = absl::StrCat("node.schema->OutputRange(\"", arg.name, "\", node.attrs)");
          if (IsList(arg)) {
            absl::StrAppend(&out_, "  result.", Identifier(arg.name), " = OutputsOf(op, ", range, ");\n");
          } else {
            absl::StrAppend(&out_, "  result.", Identifier(arg.name), " = OutputsOf(op, ", range, ")[0];\n");
          }
        }
      }
      absl::StrAppend(&out_, "  return result;\n");
    }
  }

  const OpSchema& schema_;
  const DTypeSet kernels_;
  std::string& out_;
  std::set<std::string> told_;  // attributes that inputs tell
  std::vector<const AttrSpec*> required_, optional_;
  bool lengths_matter_ = false;
};

}  // namespace

std::string OpFunctionsHeader(const OpLibrary& library) {
  std::string header = kHeader;
  for (const OpSchema* schema : library.registry().Registered()) {
    // What only functions and executors make is not for users.
    if (schema->name()[0] == '_') continue;
    Writer(*schema, library.KernelTypes(schema->name()), &header).Write();
  }
  return header + kFooter;
}

}  // namespace flowlatch
