// Exit codes, and how an error tells which one it means.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_ERRORS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_ERRORS_H_

#include <string>

#include "absl/status/status.h"

namespace flowlatch {

enum class ExitCode : int {
  kOk = 0,
  kRunError = 1,     // the runtime answered with an error
  kUsage = 2,        // the command line
  kBadModel = 3,     // malformed, or needs what does not exist here
  kDifferent = 4,    // a comparison found differences
  kInterrupted = 5,  // timeout or cancelled
  kFiles = 6,        // something could not be read or written
};

// The same error, meant to exit with `code`. An error keeps the first code that it gets.
absl::Status WithExit(ExitCode code, const absl::Status& status);
// The code that was given, else what the status itself says: kInterrupted for DeadlineExceeded and Cancelled, kBadModel
// for Unimplemented, else kRunError.
ExitCode ExitCodeOf(const absl::Status& status);

// What to try, or "".
std::string HintFor(const absl::Status& status);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_ERRORS_H_
