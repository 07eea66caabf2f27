// EventWriter: the files that TensorBoard watches. A folder of them is a run; subfolders are runs to compare.
//
//   ASSIGN_OR_RETURN(std::unique_ptr<EventWriter> events, EventWriter::Create(FileSystem::Default(), "logs/run1", {}));
//   RETURN_IF_ERROR(events->WriteScalar(step, "loss", loss));
#ifndef FLOWLATCH_RUNTIME_EVENTS_EVENT_WRITER_H_
#define FLOWLATCH_RUNTIME_EVENTS_EVENT_WRITER_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/checkpoint/file_system.h"

namespace flowlatch {

namespace proto {
class Event;        // flowlatch/proto/event.pb.h
class RunMetadata;  // flowlatch/proto/config.pb.h
class Summary;      // flowlatch/proto/summary.pb.h
}  // namespace proto

class RecordWriter;  // runtime/data/record_file.h

struct EventWriterOptions {
  std::string suffix;                             // of the file's name
  int max_queue = 10;                             // events that may wait in memory
  std::chrono::milliseconds flush_every{120'000};  // and for how long, once another one comes
};

// Thread-safe. Destroying it closes the file.
class EventWriter {
 public:
  // Makes `folder` and those above it where they are not, and a new file in it. Errors: those of the file system.
  static absl::StatusOr<std::unique_ptr<EventWriter>> Create(FileSystem& files, const std::string& folder, EventWriterOptions options);
  ~EventWriter();
  const std::string& path() const { return path_; }

  // Errors of all: those of the file system; FailedPrecondition after Close. An event without a time gets the present one.
  absl::Status Write(proto::Event event);
  absl::Status WriteSummary(int64_t step, proto::Summary summary);
  absl::Status WriteScalar(int64_t step, const std::string& tag, float value);
  // graph_def: serialized.
  absl::Status WriteGraph(int64_t step, std::string graph_def);
  // What a step executed, under a tag of its own such as "step 100".
  absl::Status WriteRunMetadata(int64_t step, const std::string& tag, const proto::RunMetadata& metadata);
  // What was written is in the file then.
  absl::Status Flush();
  absl::Status Close();

 private:
  using Clock = std::chrono::steady_clock;
  EventWriter(std::string path, EventWriterOptions options, std::unique_ptr<RecordWriter> records);
  absl::Status FlushLocked();  // requires mu_

  const std::string path_;
  const EventWriterOptions options_;
  std::mutex mu_;
  // Guarded by mu_.
  std::unique_ptr<RecordWriter> records_;  // null once closed
  int waiting_ = 0;                        // events since the last flush
  Clock::time_point last_flush_ = Clock::now();
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EVENTS_EVENT_WRITER_H_
