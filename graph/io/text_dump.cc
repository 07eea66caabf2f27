#include "graph/io/text_dump.h"

#include <map>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "flowlatch/proto/function.pb.h"
#include "graph/schema/attr_proto.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

std::string TypesText(const std::vector<PortType>& types, absl::Span<const PartialShape> shapes) {
  std::vector<std::string> names;
  for (size_t i = 0; i < types.size(); ++i) {
    names.push_back(absl::StrCat(types[i].is_ref ? "ref " : "", std::string(DTypeName(types[i].dtype)),
                                 i < shapes.size() && shapes[i].has_rank() ? shapes[i].ToString() : ""));
  }
  return names.size() == 1 ? names[0] : absl::StrCat("(", absl::StrJoin(names, ", "), ")");
}

void AppendAttrs(const AttrMap& attrs, std::string* line) {
  if (attrs.empty()) return;
  absl::StrAppend(line, " {",
                  absl::StrJoin(attrs.entries(), ", ",
                                [](std::string* out, const AttrMap::Entry& entry) {
                                  absl::StrAppend(out, entry.first, "=", entry.second.ToString());
                                }),
                  "}");
}

void AppendDevice(const std::string& device, std::string* line) {
  if (!device.empty()) absl::StrAppend(line, " @", device);
}

std::string NodeText(const NodeDef& node, bool with_attrs) {
  std::string line = absl::StrCat(node.name(), " = ", node.op(), "(", absl::StrJoin(node.input(), ", "), ")");
  if (with_attrs) {
    const absl::StatusOr<AttrMap> attrs = AttrsFromProto(node.attr(), nullptr);
    if (attrs.ok()) {
      AppendAttrs(*attrs, &line);
    } else {
      absl::StrAppend(&line, " {", std::string(attrs.status().message()), "}");
    }
  }
  AppendDevice(node.device(), &line);
  return line;
}

// As in the definition: what a body looks like depends on the call.
void AppendFunction(const FunctionDef& function, const OpSchema& schema, const DumpOptions& options,
                    std::string* text) {
  absl::StrAppend(text, "function ", schema.ToString(), "\n");
  for (const NodeDef& node : function.node_def()) absl::StrAppend(text, "  ", NodeText(node, options.attrs), "\n");
  for (const OpDef::ArgDef& result : function.signature().output_arg()) {
    const auto ret = function.ret().find(result.name());
    absl::StrAppend(text, "  return ", result.name(), " = ", ret != function.ret().end() ? ret->second : "?", "\n");
  }
  for (const std::string& control : function.signature().control_output()) {
    const auto ret = function.control_ret().find(control);
    absl::StrAppend(text, "  return ^", control, " = ", ret != function.control_ret().end() ? ret->second : "?", "\n");
  }
}

}  // namespace

std::string NodeText(const Graph& graph, NodeId id, bool attrs, absl::Span<const PartialShape> shapes) {
  const Node& node = graph.node(id);
  std::vector<std::string> inputs;
  for (const Port& port : graph.inputs(id)) {
    const absl::string_view name = Absl(graph.node(port.node).name);
    inputs.push_back(port.index == 0 ? std::string(name) : absl::StrCat(name, ":", port.index));
  }
  for (const Port& port : graph.control_inputs(id))
    inputs.push_back(absl::StrCat("^", Absl(graph.node(port.node).name)));
  std::string line = absl::StrCat(Absl(node.name), " = ", node.op(), "(", absl::StrJoin(inputs, ", "), ")");
  if (node.num_outputs() > 0) absl::StrAppend(&line, " -> ", TypesText(node.types->outputs, shapes));
  if (attrs) AppendAttrs(node.attrs, &line);
  AppendDevice(graph.device_name(node), &line);
  return line;
}

std::string TextDump(const Graph& graph, const DumpOptions& options) {
  std::string text;
  for (NodeId id = 0; id < graph.num_nodes(); ++id) absl::StrAppend(&text, NodeText(graph, id, options.attrs), "\n");
  if (!options.functions) return text;
  const FunctionLibrary& library = graph.library();
  for (const std::string& name : library.Names()) {
    AppendFunction(*library.FindDefinition(name), *library.FindSchema(name), options, &text);
  }
  for (const auto& [function, gradient] : std::map(library.gradients().begin(), library.gradients().end())) {
    absl::StrAppend(&text, "gradient of ", function, " is ", gradient, "\n");
  }
  return text;
}

}  // namespace flowlatch
