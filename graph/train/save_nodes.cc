#include "graph/train/save_nodes.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

// What a checkpoint calls it.
const std::string& SavedName(const GraphVariable& v) { return v.part().has_value() ? v.part()->whole : v.name(); }

// Which part of that it is: "4 3 0,2:0,3" for the first two rows of [4,3]; "" for all.
std::string SavedSlice(const GraphVariable& v) {
  if (!v.part().has_value()) return "";
  std::string whole, slice;
  for (size_t i = 0; i < v.part()->begin.size(); ++i) {
    absl::StrAppend(&whole, v.part()->whole_dims[i], " ");
    absl::StrAppend(&slice, i > 0 ? ":" : "", v.part()->begin[i], ",", v.part()->size[i]);
  }
  return whole + slice;
}

Output Strings(GraphBuilder& b, const std::vector<std::string>& texts, std::string_view name, std::source_location at) {
  return b.Constant(Tensor::Vector<String>(std::vector<String>(texts.begin(), texts.end())), name, at);
}

}  // namespace

SaveNodes SaveNodes::Make(GraphBuilder& b, const std::vector<GraphVariable>& variables, std::string_view name, std::source_location at) {
  SaveNodes nodes;
  if (!b.ok()) return nodes;
  const auto fail = [&](const std::string& what) { return b.Fail(absl::InvalidArgumentError(absl::StrCat("save nodes: ", what)), at), SaveNodes(); };
  if (variables.empty()) return fail("expected variables, got none");
  std::vector<GraphVariable> sorted = variables;
  const auto key = [](const GraphVariable& v) { return std::pair(SavedName(v), SavedSlice(v)); };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const GraphVariable& x, const GraphVariable& y) { return key(x) < key(y); });
  std::vector<std::string> names, slices;
  std::vector<DType> dtypes;
  for (const GraphVariable& v : sorted) {
    if (!v) return fail("expected variables, got an empty one");
    if (!names.empty() && names.back() == SavedName(v) && slices.back() == SavedSlice(v)) return fail(absl::StrCat("expected each variable once, got '", v.name(), "' twice"));
    names.push_back(SavedName(v));
    slices.push_back(SavedSlice(v));
    dtypes.push_back(v.dtype());
  }

  BuilderScope init = b.InitScope();
  BuilderScope scope = b.NameScope(name, at);
  const Output model = b.Op("PlaceholderWithDefault", {"model"}, {{"shape", PartialShape(Shape())}}, "filename", at).output();
  nodes.filename = b.Op("PlaceholderWithDefault", {model}, {{"shape", PartialShape(Shape())}}, "Const", at).output();

  std::vector<Input> saved{nodes.filename, Strings(b, names, "SaveV2/tensor_names", at), Strings(b, slices, "SaveV2/shape_and_slices", at)};
  for (const GraphVariable& v : sorted) saved.push_back(v.is_ref() ? v.handle() : v.value_now(at));
  const Operation save = b.Op("SaveV2", saved, {{"dtypes", dtypes}}, "SaveV2", at);
  if (!b.ok()) return {};
  {
    BuilderScope after = b.ControlDependencies({save}, at);
    nodes.save = b.Op("Identity", {nodes.filename}, {}, "control_dependency", at).output();
  }

  const Operation restored = b.Op("RestoreV2", {nodes.filename, Strings(b, names, "RestoreV2/tensor_names", at), Strings(b, slices, "RestoreV2/shape_and_slices", at)},
                                  {{"dtypes", dtypes}}, "RestoreV2", at);
  std::vector<Operation> assigned;
  for (size_t i = 0; i < sorted.size() && b.ok(); ++i) {
    const GraphVariable& v = sorted[i];
    BuilderScope place = b.ColocateWith(v.handle(), at);
    Output value = restored.output(static_cast<int>(i));
    // A checkpoint of another model is an error here, not in the next step.
    if (v.shape().has_rank() && !v.is_ref()) value = b.Op("EnsureShape", {value}, {{"shape", v.shape()}}, "", at).output();
    if (value) assigned.push_back(v.Assign(value, true, at));
  }
  if (b.ok()) nodes.restore = b.Group(assigned, "restore_all", at);
  return nodes;
}

}  // namespace flowlatch
