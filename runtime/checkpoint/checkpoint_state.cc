#include "runtime/checkpoint/checkpoint_state.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include "absl/strings/match.h"
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
  return state;
}

absl::Status WriteCheckpointState(const std::string& directory, const CheckpointState& state, FileSystem& files) {
  RETURN_IF_ERROR(CheckCheckpointPath(directory));
  proto::CheckpointState proto;
  proto.set_model_checkpoint_path(Relative(directory, state.latest));
  for (const std::string& each : state.all) proto.add_all_model_checkpoint_paths(Relative(directory, each));
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

}  // namespace flowlatch
