// graph-runner rec: record files, listed, printed, checked and written.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_RECORDS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_RECORDS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/graph_runner/options.h"

namespace flowlatch {

struct RecordReport {
  int64_t offset = 0, bytes = 0;
  std::string text;  // what is in it, on one line
  std::string json;  // the same; "" where only the text is wanted
};

struct RecordFileReport {
  std::string path;
  std::string compression;  // "none", "gzip", "zlib"
  int64_t records = 0, bytes = 0;
  std::vector<RecordReport> listed;
  std::vector<std::string> damage;
};

struct RecordsReport {
  std::string action;
  std::vector<RecordFileReport> files;
};

// {"key": [1, 2], "name": ["text", {"b64": "..."}]}: an Example as JSON, and back. A list with a number that is not written as
// an integer is of floats. Errors: InvalidArgument for anything else.
absl::StatusOr<std::string> ExampleFromJson(std::string_view line);

// Damage is no error but for `cat`: `ls` and `verify` report it (kFiles is the exit code then). `write` writes one file.
absl::StatusOr<RecordsReport> Records(const RecOptions& options);

std::string RecordsText(const RecordsReport& report, const GlobalOptions& global);
std::string RecordsJson(const RecordsReport& report);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_RECORDS_H_
