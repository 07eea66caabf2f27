#include "runtime/checkpoint/saver.h"

#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/checkpoint/tensor_bundle.h"

namespace flowlatch {
namespace {

constexpr double kSecondsOfHour = 3600;

double SystemTime() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// "a" and "./a" are the same.
bool IsSame(const std::string& a, const std::string& b) {
  return DirectoryOf(a) == DirectoryOf(b) && BaseName(a) == BaseName(b);
}

// Whether `path` is "<prefix>" or "<prefix>-<step>".
bool IsOfPrefix(const std::string& path, const std::string& prefix) {
  const size_t dash = path.rfind('-');
  const bool has_step = dash != std::string::npos && dash + 1 < path.size() &&
                        path.find_first_not_of("0123456789", dash + 1) == std::string::npos;
  return IsSame(path, prefix) || (has_step && IsSame(path.substr(0, dash), prefix));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Saver>> Saver::Create(Session& session, SaverOptions options) {
  if (options.max_to_keep < 0 || !(options.keep_every_n_hours >= 0)) {
    return absl::InvalidArgumentError(absl::StrCat("saver: expected max_to_keep and keep_every_n_hours >= 0, got ",
                                                   options.max_to_keep, " and ", options.keep_every_n_hours));
  }
  if (options.variables.empty()) {
    ASSIGN_OR_RETURN(options.variables, SavedVariables(session.graph()));
  }
  if (options.variables.empty()) {
    return absl::InvalidArgumentError("saver: expected a graph with variables, got one without");
  }
  if (options.files == nullptr) options.files = &FileSystem::Default();
  if (options.now == nullptr) options.now = SystemTime;
  return std::unique_ptr<Saver>(new Saver(session, std::move(options)));
}

absl::StatusOr<std::string> Saver::Save(const std::string& prefix, std::optional<int64_t> step) {
  const std::string path = step.has_value() ? absl::StrCat(prefix, "-", *step) : prefix;
  RETURN_IF_ERROR(WriteVariables(path));
  RETURN_IF_ERROR(UpdateDirectory(prefix, path));
  return path;
}

absl::Status Saver::WriteVariables(const std::string& path) const {
  ASSIGN_OR_RETURN(const std::unique_ptr<BundleWriter> writer,
                   BundleWriter::Create(path, *options_.files, options_.num_shards));
  RETURN_IF_ERROR(AddVariables(options_.variables, session_.resources(), *writer));
  return writer->Finish();
}

absl::Status Saver::UpdateDirectory(const std::string& prefix, const std::string& path) const {
  FileSystem& files = *options_.files;
  const std::string directory = DirectoryOf(path);
  const std::unique_ptr<DirectoryLock> lock = files.LockDirectory(directory);
  absl::StatusOr<CheckpointState> state = ReadCheckpointState(directory, files);
  if (absl::IsNotFound(state.status()) || absl::IsDataLoss(state.status())) state = CheckpointState();
  RETURN_IF_ERROR(state.status());
  std::vector<std::string> unwanted;
  RETURN_IF_ERROR(WriteCheckpointState(directory, NextState(*state, prefix, path, &unwanted), files));

  for (const std::string& old : unwanted) RemoveCheckpoint(old, files).IgnoreError();
  // Data files without an index: somebody died before it was there, or after it was removed.
  const absl::StatusOr<std::vector<std::string>> names = files.List(directory);
  if (!names.ok()) return absl::OkStatus();
  for (const std::string& name : *names) {
    const std::string other = JoinPath(directory, CheckpointPrefix(name));
    const bool is_data = CheckpointPrefix(name) != name && IndexPath(CheckpointPrefix(name)) != name;
    if (!is_data || !IsOfPrefix(other, prefix)) continue;
    if (absl::IsNotFound(files.Open(IndexPath(other)).status())) files.Remove(JoinPath(directory, name)).IgnoreError();
  }
  return absl::OkStatus();
}

CheckpointState Saver::NextState(const CheckpointState& state, const std::string& prefix, const std::string& path,
                                 std::vector<std::string>* unwanted) const {
  std::vector<double> times = state.times;
  times.resize(state.all.size(), options_.now());
  CheckpointState next;
  next.latest = path;
  next.last_preserved = state.last_preserved;
  const auto is_own = [&](const std::string& other) { return !IsSame(other, path) && IsOfPrefix(other, prefix); };
  int64_t too_many = options_.max_to_keep == 0
                         ? 0
                         : std::count_if(state.all.begin(), state.all.end(), is_own) + 1 - options_.max_to_keep;
  for (size_t i = 0; i < state.all.size(); ++i) {
    const std::string& old = state.all[i];
    if (IsSame(old, path)) continue;
    if (too_many <= 0 || !is_own(old)) {
      next.all.push_back(old);
      next.times.push_back(times[i]);
      continue;
    }
    --too_many;
    const double hours = (times[i] - next.last_preserved) / kSecondsOfHour;
    if (options_.keep_every_n_hours > 0 && hours >= options_.keep_every_n_hours) {
      next.last_preserved = times[i];
    } else {
      unwanted->push_back(old);
    }
  }
  next.all.push_back(path);
  next.times.push_back(options_.now());
  // The hours begin with the first checkpoint.
  if (next.last_preserved == 0) next.last_preserved = next.times.front();
  return next;
}

absl::StatusOr<std::vector<std::string>> Saver::Restore(const std::string& path, const RestoreOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> reader, CheckpointReader::Open(path, *options_.files));
  return RestoreVariables(options_.variables, *reader, session_.resources(), options);
}

}  // namespace flowlatch
