#include "tools/corpus/replay.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/io/model.h"
#include "graph/passes/infer_shapes.h"
#include "runtime/checkpoint/saved_model.h"

namespace flowlatch {
namespace {

namespace fs = std::filesystem;

absl::Status Unreadable(absl::string_view what) { return absl::DataLossError(absl::StrCat("case: ", what)); }

bool IsBelow(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_normal().lexically_relative(folder.lexically_normal());
  return !relative.empty() && *relative.begin() != ".." && relative != "." && relative != "";
}

// A case may name any folder, and a mistake here would empty it: only folders for temporary files are touched.
absl::Status EmptyFolder(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::path(folder).lexically_normal();
  const fs::path temporary = fs::temp_directory_path(error);
  if (error || !(IsBelow(path, temporary) || IsBelow(path, P_tmpdir))) {
    return Unreadable(
        absl::StrCat("expected folders to empty to be below '", temporary.string(), "', got '", folder, "'"));
  }
  fs::remove_all(path, error);
  fs::create_directories(path, error);
  return error ? Unreadable(absl::StrCat("empty '", folder, "': ", error.message())) : absl::OkStatus();
}

ModelKind KindOf(const Case& c) {
  switch (c.graph_kind) {
    case GraphKind::kGraphDefText:
      return ModelKind::kGraphDefText;
    case GraphKind::kMetaGraph:
      return c.graph.ends_with("txt") ? ModelKind::kMetaGraphText : ModelKind::kMetaGraph;
    case GraphKind::kSavedModel:
      return ModelKind::kSavedModel;
    case GraphKind::kCheckpoint:
      return ModelKind::kCheckpoint;
    case GraphKind::kGraphDef:
      break;
  }
  return ModelKind::kGraphDef;
}

// "x:0" of "x".
std::string PortName(const std::string& name) { return name.find(':') == std::string::npos ? name + ":0" : name; }

}  // namespace

absl::StatusOr<Replay> Replay::Open(Case c) {
  Replay replay;
  std::error_code error;
  c.folder = fs::absolute(c.folder, error).string();
  const std::string arrays = c.folder + "/data.npz";
  if (fs::exists(arrays, error)) {
    absl::StatusOr<NpzReader> reader = NpzReader::Open(arrays);
    if (!reader.ok()) return Unreadable(reader.status().message());
    replay.arrays_ = *std::move(reader);
  }
  for (const std::string& folder : c.empty_folders) RETURN_IF_ERROR(EmptyFolder(folder));
  if (c.run_in_folder && chdir(c.folder.c_str()) != 0) return Unreadable(absl::StrCat("cannot enter '", c.folder, "'"));
  replay.case_ = std::move(c);
  return replay;
}

absl::Status Replay::Load(const OpLibrary& library, SessionOptions options, bool as_tensorflow, const Change& change) {
  LoadOptions load;
  load.kind = KindOf(case_);
  load.tags = case_.tags;
  load.internal_names = !as_tensorflow;
  ASSIGN_OR_RETURN(Model model, LoadModel(case_.folder + "/" + case_.graph, library.registry(), load));
  if (as_tensorflow) RETURN_IF_ERROR(InferShapes(model.graph).status());
  if (change != nullptr) {
    ASSIGN_OR_RETURN(model.graph, change(std::move(model.graph)));
  }
  options.allow_files = true;
  ASSIGN_OR_RETURN(session_, OpenSession(model, library, std::move(options)));
  if (!case_.restore.has_value()) return absl::OkStatus();
  if (!case_.restore->op.empty()) model.saver = SaverNames{case_.restore->filename_tensor, "", case_.restore->op};
  return RestoreCheckpoint(*session_, model, case_.folder + "/" + case_.restore->prefix);
}

absl::StatusOr<Tensor> Replay::Recorded(const RecordedTensor& tensor) const {
  absl::StatusOr<Tensor> value =
      tensor.dtype.has_value() ? arrays_.ReadAs(*tensor.key, *tensor.dtype) : arrays_.Read(*tensor.key);
  if (!value.ok()) return Unreadable(value.status().message());
  return value;
}

absl::StatusOr<std::vector<Tensor>> Replay::Inputs(const CaseStep& step) const {
  std::vector<Tensor> inputs;
  for (const RecordedTensor& feed : step.feeds) {
    ASSIGN_OR_RETURN(Tensor value, Recorded(feed));
    inputs.push_back(std::move(value));
  }
  return inputs;
}

absl::StatusOr<std::vector<Tensor>> Replay::Run(const CaseStep& step) const {
  ASSIGN_OR_RETURN(std::vector<Tensor> inputs, Inputs(step));
  std::map<std::string, Tensor> fed;
  Feeds feeds;
  for (size_t i = 0; i < inputs.size(); ++i) {
    fed[PortName(step.feeds[i].name)] = inputs[i];
    feeds.emplace_back(step.feeds[i].name, std::move(inputs[i]));
  }
  std::vector<std::string> fetches;
  for (const RecordedTensor& fetch : step.fetches) {
    if (!fed.contains(PortName(fetch.name))) fetches.push_back(fetch.name);
  }
  std::vector<Tensor> fetched;
  if (!fetches.empty() || !step.targets.empty()) {
    ASSIGN_OR_RETURN(fetched, session_->Run(feeds, fetches, step.targets));
  }
  std::vector<Tensor> results;
  size_t next = 0;
  for (const RecordedTensor& fetch : step.fetches) {
    const auto at = fed.find(PortName(fetch.name));
    results.push_back(at != fed.end() ? at->second : fetched[next++]);
  }
  return results;
}

absl::StatusOr<Callable> Replay::Prepare(const CaseStep& step) const {
  std::vector<std::string> feeds, fetches;
  for (const RecordedTensor& feed : step.feeds) feeds.push_back(feed.name);
  for (const RecordedTensor& fetch : step.fetches) fetches.push_back(fetch.name);
  return session_->Prepare(feeds, fetches, step.targets);
}

}  // namespace flowlatch
