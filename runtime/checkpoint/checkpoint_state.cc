#include "runtime/checkpoint/checkpoint_state.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/checkpoint_state.pb.h"
#include "graph/base/status_macros.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "runtime/checkpoint/tensor_bundle.h"

namespace flowlatch {
namespace {

constexpr char kFileName[] = "checkpoint";
constexpr int64_t kMaxBytes = int64_t{16} << 20;

// What is wrong with the text is in the status; nothing goes to standard error.
class Silence final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (first_.empty()) first_ = absl::StrCat("line ", line + 1, ": ", message);
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

std::string Complete(const std::string& directory, const std::string& path) {
  return absl::StartsWith(path, "/") ? path : JoinPath(directory, path);
}

std::string Relative(const std::string& directory, const std::string& path) {
  const std::string start = JoinPath(directory, "");
  return absl::StartsWith(path, start) && path.size() > start.size() ? path.substr(start.size()) : path;
}

// N of "model-N", -1 without one.
int64_t StepOf(const std::string& prefix) {
  int64_t step = -1;
  const size_t dash = prefix.rfind('-');
  return dash != std::string::npos && absl::SimpleAtoi(prefix.substr(dash + 1), &step) && step >= 0 ? step : -1;
}

bool Exists(FileSystem& files, const std::string& prefix) {
  return files.Open(IndexPath(prefix)).ok() || files.Open(prefix).ok();
}

}  // namespace

absl::StatusOr<CheckpointState> ReadCheckpointState(const std::string& directory, FileSystem& files) {
  RETURN_IF_ERROR(CheckCheckpointPath(directory));
  const std::string path = JoinPath(directory, kFileName);
  ASSIGN_OR_RETURN(const std::string text, ReadFile(files, path, kMaxBytes));
  proto::CheckpointState proto;
  Silence errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  if (!parser.ParseFromString(text, &proto) || proto.model_checkpoint_path().empty()) {
    return absl::DataLossError(absl::StrCat("file '", path, "': expected the state of checkpoints, got other text (",
                                            errors.first().empty() ? "no model_checkpoint_path" : errors.first(), ")"));
  }
  CheckpointState state;
  state.latest = Complete(directory, proto.model_checkpoint_path());
  for (const std::string& each : proto.all_model_checkpoint_paths()) state.all.push_back(Complete(directory, each));
  if (proto.all_model_checkpoint_timestamps_size() == proto.all_model_checkpoint_paths_size()) {
    const auto& times = proto.all_model_checkpoint_timestamps();
    state.times.assign(times.begin(), times.end());
  }
  state.last_preserved = proto.last_preserved_timestamp();
  return state;
}

absl::Status WriteCheckpointState(const std::string& directory, const CheckpointState& state, FileSystem& files) {
  RETURN_IF_ERROR(CheckCheckpointPath(directory));
  proto::CheckpointState proto;
  proto.set_model_checkpoint_path(Relative(directory, state.latest));
  for (const std::string& each : state.all) proto.add_all_model_checkpoint_paths(Relative(directory, each));
  proto.mutable_all_model_checkpoint_timestamps()->Add(state.times.begin(), state.times.end());
  proto.set_last_preserved_timestamp(state.last_preserved);
  std::string text;
  if (!google::protobuf::TextFormat::PrintToString(proto, &text)) {
    return absl::InternalError("cannot print the state of checkpoints");
  }
  return WriteFileAtomically(files, JoinPath(directory, kFileName), text);
}

absl::StatusOr<std::string> LatestCheckpoint(const std::string& directory, FileSystem& files) {
  ASSIGN_OR_RETURN(const CheckpointState state, ReadCheckpointState(directory, files));
  if (Exists(files, state.latest)) return state.latest;
  return absl::NotFoundError(
      absl::StrCat("latest checkpoint '", state.latest, "' of '", directory, "': expected its files, got none"));
}

absl::Status VerifyCheckpoint(std::string_view path, FileSystem& files) {
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> reader, CheckpointReader::Open(path, files));
  RETURN_IF_ERROR(reader->damage());
  for (const CheckpointReader::TensorInfo& tensor : reader->tensors()) {
    RETURN_IF_ERROR(reader->Read(tensor.name).status());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> LatestValidCheckpoint(const std::string& directory, FileSystem& files) {
  std::vector<std::string> candidates;
  const absl::StatusOr<CheckpointState> state = ReadCheckpointState(directory, files);
  if (state.ok()) {
    candidates.assign(state->all.rbegin(), state->all.rend());
    candidates.insert(candidates.begin(), state->latest);
  }
  const size_t named = candidates.size();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files.List(directory));
  for (const std::string& name : names) {
    if (absl::EndsWith(name, ".index")) candidates.push_back(JoinPath(directory, CheckpointPrefix(name)));
  }
  std::stable_sort(candidates.begin() + static_cast<std::ptrdiff_t>(named), candidates.end(),
                   [](const std::string& a, const std::string& b) { return StepOf(a) > StepOf(b); });

  absl::Status first = absl::NotFoundError("there is none");
  std::set<std::string> tried;
  for (const std::string& candidate : candidates) {
    if (!tried.insert(candidate).second) continue;
    const absl::Status status = VerifyCheckpoint(candidate, files);
    if (status.ok()) return candidate;
    if (tried.size() == 1) first = status;
  }
  return absl::NotFoundError(absl::StrCat("latest checkpoint of '", directory, "': expected one that is whole, got ",
                                          tried.size(), " that are not; the first: ", first.message()));
}

absl::Status RemoveCheckpoint(const std::string& prefix, FileSystem& files) {
  const absl::Status status = files.Remove(IndexPath(prefix));
  if (!status.ok() && !absl::IsNotFound(status)) return status;
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files.List(DirectoryOf(prefix)));
  for (const std::string& name : names) {
    const bool is_data = absl::StartsWith(name, BaseName(prefix) + ".data-");
    if (!is_data || CheckpointPrefix(name) != BaseName(prefix)) continue;
    RETURN_IF_ERROR(files.Remove(JoinPath(DirectoryOf(prefix), name)));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
