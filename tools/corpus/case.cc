#include "tools/corpus/case.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "tools/arrays/files.h"

namespace flowlatch {
namespace {

using nlohmann::json;

absl::Status Unexpected(std::string_view key, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("case.json, ", std::string(key), ": expected ", std::string(expected)));
}

// The member of an object, or null for none and for JSON's null.
const json* Find(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() || at->is_null() ? nullptr : &*at;
}

absl::Status Read(const json& object, const char* key, std::string* value) {
  const json* found = Find(object, key);
  if (found == nullptr) return absl::OkStatus();
  if (!found->is_string()) return Unexpected(key, "a string");
  *value = found->get<std::string>();
  return absl::OkStatus();
}

absl::Status Read(const json& object, const char* key, bool* value) {
  const json* found = Find(object, key);
  if (found == nullptr) return absl::OkStatus();
  if (!found->is_boolean()) return Unexpected(key, "true or false");
  *value = found->get<bool>();
  return absl::OkStatus();
}

absl::Status Read(const json& object, const char* key, double* value) {
  const json* found = Find(object, key);
  if (found == nullptr) return absl::OkStatus();
  if (!found->is_number()) return Unexpected(key, "a number");
  *value = found->get<double>();
  return absl::OkStatus();
}

absl::Status Read(const json& object, const char* key, std::vector<std::string>* values) {
  const json* found = Find(object, key);
  if (found == nullptr) return absl::OkStatus();
  if (!found->is_array()) return Unexpected(key, "a list of strings");
  for (const json& element : *found) {
    if (!element.is_string()) return Unexpected(key, "a list of strings");
    values->push_back(element.get<std::string>());
  }
  return absl::OkStatus();
}

// The list at `key`; an empty one if there is none.
absl::StatusOr<std::vector<const json*>> ReadList(const json& object, const char* key) {
  std::vector<const json*> list;
  const json* found = Find(object, key);
  if (found == nullptr) return list;
  if (!found->is_array()) return Unexpected(key, "a list");
  for (const json& element : *found) list.push_back(&element);
  return list;
}

absl::StatusOr<std::optional<DType>> ParseOptionalDType(const std::string& name) {
  if (name.empty()) return std::nullopt;
  const std::optional<DType> dtype = ParseDType(name);
  if (!dtype.has_value()) return Unexpected("dtype", absl::StrCat("the name of a dtype, got '", name, "'"));
  return dtype;
}

absl::StatusOr<RecordedTensor> ReadTensor(const json& object, const char* key_of_value) {
  RecordedTensor tensor;
  std::string dtype, key;
  RETURN_IF_ERROR(Read(object, "name", &tensor.name));
  RETURN_IF_ERROR(Read(object, "dtype", &dtype));
  RETURN_IF_ERROR(Read(object, key_of_value, &key));
  ASSIGN_OR_RETURN(tensor.dtype, ParseOptionalDType(dtype));
  if (!key.empty()) tensor.key = key;
  return tensor;
}

absl::Status ReadTensors(const json& object, const char* key, std::vector<RecordedTensor>* tensors) {
  ASSIGN_OR_RETURN(const std::vector<const json*> list, ReadList(object, key));
  for (const json* element : list) {
    ASSIGN_OR_RETURN(RecordedTensor tensor, ReadTensor(*element, "value"));
    if (tensor.name.empty()) return Unexpected(key, "a name for each tensor");
    tensors->push_back(std::move(tensor));
  }
  return absl::OkStatus();
}

// An error has its code under "code", in the older place "load" under "error".
absl::Status ReadError(const json& object, const char* key, const char* key_of_code,
                       std::optional<ExpectedError>* error) {
  const json* found = Find(object, key);
  if (found == nullptr || (found->is_string() && *found == "ok")) return absl::OkStatus();
  ExpectedError expected;
  RETURN_IF_ERROR(Read(*found, key_of_code, &expected.code));
  RETURN_IF_ERROR(Read(*found, "optional", &expected.optional));
  if (expected.code.empty()) return Unexpected(key, "an error code");
  *error = expected;
  return absl::OkStatus();
}

absl::StatusOr<CaseStep> ReadStep(const json& object) {
  CaseStep step;
  if (!object.is_object()) return Unexpected("steps", "objects");
  if (const json* feeds = Find(object, "feeds")) {
    if (!feeds->is_object()) return Unexpected("feeds", "an object");
    for (const auto& [name, value] : feeds->items()) {
      ASSIGN_OR_RETURN(RecordedTensor feed, ReadTensor(value, "array"));
      feed.name = name;
      if (!feed.key.has_value() || !feed.dtype.has_value()) return Unexpected("feeds", "an array and a dtype for each");
      step.feeds.push_back(std::move(feed));
    }
  }
  RETURN_IF_ERROR(Read(object, "targets", &step.targets));
  RETURN_IF_ERROR(ReadTensors(object, "fetches", &step.fetches));
  RETURN_IF_ERROR(ReadError(object, "error", "code", &step.error));
  bool optional = false;
  RETURN_IF_ERROR(Read(object, "error_optional", &optional));
  if (step.error.has_value()) step.error->optional |= optional;
  RETURN_IF_ERROR(Read(object, "repeat", &step.repeat));
  return step;
}

absl::Status ReadRestore(const json& object, std::optional<CaseRestore>* restore) {
  const json* found = Find(object, "restore");
  if (found == nullptr) return absl::OkStatus();
  CaseRestore value;
  if (found->is_string()) {
    value.prefix = found->get<std::string>();
  } else {
    RETURN_IF_ERROR(Read(*found, "prefix", &value.prefix));
    RETURN_IF_ERROR(Read(*found, "op", &value.op));
    RETURN_IF_ERROR(Read(*found, "filename_tensor", &value.filename_tensor));
  }
  *restore = value;
  return absl::OkStatus();
}

absl::StatusOr<GraphKind> ParseGraphKind(const std::string& name) {
  static constexpr std::pair<std::string_view, GraphKind> kKinds[] = {
      {"graphdef", GraphKind::kGraphDef},     {"graphdef_text", GraphKind::kGraphDefText},
      {"metagraph", GraphKind::kMetaGraph},   {"saved_model", GraphKind::kSavedModel},
      {"checkpoint", GraphKind::kCheckpoint},
  };
  for (const auto& [known, kind] : kKinds) {
    if (known == name) return kind;
  }
  return Unexpected("graph_kind", absl::StrCat("a kind of file, got '", name, "'"));
}

absl::StatusOr<CompareMode> ParseCompareMode(const std::string& name) {
  static constexpr std::pair<std::string_view, CompareMode> kModes[] = {{"values", CompareMode::kValues},
                                                                        {"shapes", CompareMode::kShapes},
                                                                        {"shape", CompareMode::kShapes},
                                                                        {"error", CompareMode::kError},
                                                                        {"none", CompareMode::kNone}};
  for (const auto& [known, mode] : kModes) {
    if (known == name) return mode;
  }
  return Unexpected("compare", absl::StrCat("values, shapes, error or none, got '", name, "'"));
}

// What is asked of a checkpoint: "probe" is a list of [name, dtype].
absl::Status ReadProbes(const json& object, std::vector<RecordedTensor>* probes) {
  ASSIGN_OR_RETURN(const std::vector<const json*> list, ReadList(object, "probe"));
  for (const json* pair : list) {
    if (!pair->is_array() || pair->size() != 2 || !(*pair)[0].is_string() || !(*pair)[1].is_string()) {
      return Unexpected("probe", "pairs of a name and a dtype");
    }
    RecordedTensor probe;
    probe.name = (*pair)[0].get<std::string>();
    ASSIGN_OR_RETURN(probe.dtype, ParseOptionalDType((*pair)[1].get<std::string>()));
    probes->push_back(std::move(probe));
  }
  return absl::OkStatus();
}

// Names, some of which may be null.
absl::StatusOr<std::vector<std::string>> ReadNames(const json& object, const char* key) {
  std::vector<std::string> names;
  ASSIGN_OR_RETURN(const std::vector<const json*> list, ReadList(object, key));
  for (const json* name : list) {
    if (!name->is_string() && !name->is_null()) return absl::InvalidArgumentError(absl::StrCat(key, ": expected strings"));
    names.push_back(name->is_null() ? "" : name->get<std::string>());
  }
  return names;
}

// What step `step` recorded of tensor `name`.
RecordedTensor Fetched(const std::vector<CaseStep>& steps, int step, const std::string& name) {
  if (step >= 0 && step < static_cast<int>(steps.size())) {
    for (const RecordedTensor& fetch : steps[step].fetches) {
      if (fetch.name == name) return fetch;
    }
  }
  return {name, std::nullopt, std::nullopt};
}

absl::StatusOr<CaseGradients> ReadGradients(const json& object, const std::vector<CaseStep>& steps) {
  CaseGradients g;
  ASSIGN_OR_RETURN(g.ys, ReadNames(object, "ys"));
  ASSIGN_OR_RETURN(g.xs, ReadNames(object, "xs"));
  ASSIGN_OR_RETURN(g.grad_ys, ReadNames(object, "grad_ys"));
  ASSIGN_OR_RETURN(g.stop_gradients, ReadNames(object, "stop_gradients"));
  std::string unconnected;
  RETURN_IF_ERROR(Read(object, "unconnected_gradients", &unconnected));
  g.zero_if_unconnected = unconnected == "zero" || unconnected == "ZERO";
  const json* step = Find(object, "step");
  if (step != nullptr && step->is_number_integer()) g.step = step->get<int>();
  ASSIGN_OR_RETURN(const std::vector<const json*> results, ReadList(object, "results"));
  ASSIGN_OR_RETURN(const std::vector<const json*> values, ReadList(object, "values"));
  if (!values.empty()) g.step = 0;  // of forward graphs alone: keys of arrays
  for (size_t i = 0; i < g.xs.size(); ++i) {
    RecordedGradient result;
    const json* value = i < values.size() ? values[i] : i < results.size() ? results[i] : nullptr;
    if (value != nullptr && value->is_string()) {
      result.exists = true;
      const std::string name = value->get<std::string>();
      result.dense = values.empty() ? Fetched(steps, g.step, name) : RecordedTensor{name, std::nullopt, name};
    } else if (value != nullptr && value->is_object()) {
      result.exists = true;
      for (const char* part : {"values", "indices", "dense_shape"}) {
        std::string name;
        RETURN_IF_ERROR(Read(*value, part, &name));
        result.slices.push_back(values.empty() ? Fetched(steps, g.step, name) : RecordedTensor{name, std::nullopt, name});
      }
    }
    g.results.push_back(std::move(result));
  }
  return g;
}

absl::StatusOr<Case> ParseCase(const json& object) {
  Case c;
  if (!object.is_object()) return Unexpected("the document", "an object");
  std::string kind, mode = "values", cwd;
  RETURN_IF_ERROR(Read(object, "graph", &c.graph));
  RETURN_IF_ERROR(Read(object, "graph_kind", &kind));
  ASSIGN_OR_RETURN(c.graph_kind, ParseGraphKind(kind));
  RETURN_IF_ERROR(Read(object, "tags", &c.tags));
  RETURN_IF_ERROR(ReadRestore(object, &c.restore));
  RETURN_IF_ERROR(Read(object, "dirs", &c.empty_folders));
  RETURN_IF_ERROR(Read(object, "cwd", &cwd));
  c.run_in_folder = cwd == "case";
  RETURN_IF_ERROR(ReadError(object, "load", "error", &c.load_error));
  RETURN_IF_ERROR(ReadError(object, "load_error", "code", &c.load_error));
  bool optional = false;
  RETURN_IF_ERROR(Read(object, "load_error_optional", &optional));
  if (c.load_error.has_value()) c.load_error->optional |= optional;
  RETURN_IF_ERROR(Read(object, "load_or_run", &c.load_error_may_come_later));
  c.is_hostile = object.contains("load_error");
  RETURN_IF_ERROR(ReadProbes(object, &c.probes));
  RETURN_IF_ERROR(ReadTensors(object, "tensors", &c.tensors));
  ASSIGN_OR_RETURN(const std::vector<const json*> steps, ReadList(object, "steps"));
  for (const json* step : steps) {
    ASSIGN_OR_RETURN(CaseStep read, ReadStep(*step));
    c.steps.push_back(std::move(read));
  }
  ASSIGN_OR_RETURN(const std::vector<const json*> gradients, ReadList(object, "gradients"));
  for (const json* gradient : gradients) {
    ASSIGN_OR_RETURN(CaseGradients read, ReadGradients(*gradient, c.steps));
    c.gradients.push_back(std::move(read));
  }
  RETURN_IF_ERROR(Read(object, "compare", &mode));
  ASSIGN_OR_RETURN(c.compare, ParseCompareMode(mode));
  RETURN_IF_ERROR(Read(object, "rtol", &c.rtol));
  RETURN_IF_ERROR(Read(object, "atol", &c.atol));
  RETURN_IF_ERROR(Read(object, "ops", &c.ops));
  if (const json* bench = Find(object, "bench")) {
    std::string measure;
    RETURN_IF_ERROR(Read(*bench, "measure", &measure));
    c.measures_load = measure == "load";
  }
  return c;
}

}  // namespace

absl::StatusOr<Case> LoadCase(const std::string& folder) {
  const std::string path = folder + "/case.json";
  ASSIGN_OR_RETURN(const std::string text, ReadBytes(path));
  const json object = json::parse(text, nullptr, false);
  if (object.is_discarded()) return absl::InvalidArgumentError(absl::StrCat("'", path, "': expected JSON"));
  absl::StatusOr<Case> c = ParseCase(object);
  if (!c.ok()) return absl::Status(c.status().code(), absl::StrCat("'", folder, "': ", c.status().message()));
  c->folder = folder;
  return c;
}

absl::StatusOr<std::vector<std::string>> FindCases(const std::string& root) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(root, error))
    return absl::NotFoundError(absl::StrCat("corpus '", root, "': expected a folder"));
  std::vector<std::string> folders;
  for (fs::recursive_directory_iterator at(root, fs::directory_options::skip_permission_denied, error), end;
       at != end && !error; at.increment(error)) {
    if (at->path().filename() == "case.json") folders.push_back(at->path().parent_path().string());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace flowlatch
