#include "tools/graph_runner/errors.h"

#include <string_view>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"

namespace flowlatch {
namespace {

constexpr char kExitPayload[] = "flowlatch.graph_runner.exit_code";

}  // namespace

absl::Status WithExit(ExitCode code, const absl::Status& status) {
  if (status.ok() || status.GetPayload(kExitPayload).has_value()) return status;
  absl::Status result = status;
  result.SetPayload(kExitPayload, absl::Cord(absl::StrCat(static_cast<int>(code))));
  return result;
}

ExitCode ExitCodeOf(const absl::Status& status) {
  int code;
  if (const absl::optional<absl::Cord> payload = status.GetPayload(kExitPayload);
      payload.has_value() && absl::SimpleAtoi(std::string(*payload), &code)) {
    return static_cast<ExitCode>(code);
  }
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kOk;
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kDeadlineExceeded:
      return ExitCode::kInterrupted;
    case absl::StatusCode::kUnimplemented:
      return ExitCode::kBadModel;
    default:
      return ExitCode::kRunError;
  }
}

std::string HintFor(const absl::Status& status) {
  const auto says = [&](absl::string_view text) { return absl::StrContains(status.message(), text); };
  switch (status.code()) {
    case absl::StatusCode::kUnimplemented:
      return "`graph-runner show --unsupported MODEL` lists everything in a graph that cannot run here";
    case absl::StatusCode::kDeadlineExceeded:
      return "give the step more time with --timeout";
    case absl::StatusCode::kFailedPrecondition:
      if (says("initiali")) return "restore variables with --restore PREFIX, or run the op that sets them: --init OP";
      return "";
    default:
      return "";
  }
}

}  // namespace flowlatch
