#include "runtime/events/event_writer.h"

#include <unistd.h>

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "flowlatch/proto/config.pb.h"
#include "flowlatch/proto/event.pb.h"
#include "graph/base/status_macros.h"
#include "runtime/data/record_file.h"

namespace flowlatch {
namespace {

double WallTime() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The folder and, where they are missing, those above it.
absl::Status CreateDirectories(FileSystem& files, const std::string& path) {
  const absl::Status status = files.CreateDirectory(path);
  const std::string parent = DirectoryOf(path);
  if (!absl::IsNotFound(status) || parent.size() >= path.size()) return status;
  RETURN_IF_ERROR(CreateDirectories(files, parent));
  return files.CreateDirectory(path);
}

// A name that no other file of the folder has: time, machine, process and a number.
std::string FileName(const std::string& suffix) {
  static std::atomic<int> number{0};
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return absl::StrFormat("events.out.tfevents.%010d.%s.%d.%d%s", static_cast<int64_t>(WallTime()), host, getpid(), number++, suffix);
}

}  // namespace

EventWriter::EventWriter(std::string path, EventWriterOptions options, std::unique_ptr<RecordWriter> records)
    : path_(std::move(path)), options_(std::move(options)), records_(std::move(records)) {}

EventWriter::~EventWriter() { Close().IgnoreError(); }

absl::StatusOr<std::unique_ptr<EventWriter>> EventWriter::Create(FileSystem& files, const std::string& folder, EventWriterOptions options) {
  if (folder.empty()) return absl::InvalidArgumentError("folder of events: expected a name, got none");
  RETURN_IF_ERROR(CreateDirectories(files, folder));
  const std::string path = JoinPath(folder, FileName(options.suffix));
  ASSIGN_OR_RETURN(std::unique_ptr<RecordWriter> records, RecordWriter::Create(files, path));
  std::unique_ptr<EventWriter> writer(new EventWriter(path, std::move(options), std::move(records)));
  proto::Event first;
  first.set_file_version("brain.Event:2");
  RETURN_IF_ERROR(writer->Write(std::move(first)));
  RETURN_IF_ERROR(writer->Flush());
  return writer;
}

absl::Status EventWriter::Write(proto::Event event) {
  if (event.wall_time() == 0) event.set_wall_time(WallTime());
  const std::string record = event.SerializeAsString();
  const std::lock_guard<std::mutex> lock(mu_);
  if (records_ == nullptr) return absl::FailedPreconditionError(absl::StrCat("event file '", path_, "': expected it to be open"));
  RETURN_IF_ERROR(records_->Append(record));
  const bool late = Clock::now() - last_flush_ >= options_.flush_every;
  return ++waiting_ > options_.max_queue || late ? FlushLocked() : absl::OkStatus();
}

absl::Status EventWriter::WriteSummary(int64_t step, proto::Summary summary) {
  proto::Event event;
  event.set_step(step);
  *event.mutable_summary() = std::move(summary);
  return Write(std::move(event));
}

absl::Status EventWriter::WriteScalar(int64_t step, const std::string& tag, float value) {
  proto::Summary summary;
  summary.add_value()->set_tag(tag);
  summary.mutable_value(0)->set_simple_value(value);
  return WriteSummary(step, std::move(summary));
}

absl::Status EventWriter::WriteGraph(int64_t step, std::string graph_def) {
  proto::Event event;
  event.set_step(step);
  event.set_graph_def(std::move(graph_def));
  return Write(std::move(event));
}

absl::Status EventWriter::WriteRunMetadata(int64_t step, const std::string& tag, const proto::RunMetadata& metadata) {
  proto::Event event;
  event.set_step(step);
  event.mutable_tagged_run_metadata()->set_tag(tag);
  event.mutable_tagged_run_metadata()->set_run_metadata(metadata.SerializeAsString());
  return Write(std::move(event));
}

absl::Status EventWriter::FlushLocked() {
  waiting_ = 0;
  last_flush_ = Clock::now();
  return records_->Flush();
}

absl::Status EventWriter::Flush() {
  const std::lock_guard<std::mutex> lock(mu_);
  return records_ == nullptr ? absl::OkStatus() : FlushLocked();
}

absl::Status EventWriter::Close() {
  const std::lock_guard<std::mutex> lock(mu_);
  if (records_ == nullptr) return absl::OkStatus();
  const std::unique_ptr<RecordWriter> records = std::move(records_);
  return records->Close();
}

}  // namespace flowlatch
