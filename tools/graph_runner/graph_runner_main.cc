// graph-runner: shows, runs, trains, times, converts and compares TensorFlow graphs. docs/cli.md describes it.

#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "ops/default_ops.h"
#include "tools/graph_runner/bench.h"
#include "tools/graph_runner/ckpt.h"
#include "tools/graph_runner/compare.h"
#include "tools/graph_runner/convert.h"
#include "tools/graph_runner/doctor.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/grad.h"
#include "tools/graph_runner/json.h"
#include "tools/graph_runner/op_functions.h"
#include "tools/graph_runner/ops.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/profile.h"
#include "tools/graph_runner/records.h"
#include "tools/graph_runner/run.h"
#include "tools/graph_runner/show.h"
#include "tools/graph_runner/text.h"
#include "tools/graph_runner/train.h"

namespace flowlatch {
namespace {

int Fail(const absl::Status& status, const GlobalOptions& global) {
  const std::string hint = HintFor(status);
  if (global.json) std::fputs(ErrorJson(status, hint).c_str(), stdout);
  std::fprintf(stderr, "error[%s]: %s\n", absl::StatusCodeToString(status.code()).c_str(),
               std::string(status.message()).c_str());
  if (!hint.empty()) std::fprintf(stderr, "hint: %s\n", hint.c_str());
  return static_cast<int>(ExitCodeOf(status));
}

// Prints a report, or why there is none.
template <typename Report, typename Text, typename Json>
int Print(const absl::StatusOr<Report>& report, const GlobalOptions& global, const Text& text, const Json& json) {
  if (!report.ok()) return Fail(report.status(), global);
  const std::string output = global.json ? json(*report) : text(*report);
  std::fwrite(output.data(), 1, output.size(), stdout);
  if (std::fflush(stdout) != 0) return static_cast<int>(ExitCode::kFiles);
  return 0;
}

int RunShow(const CommandLine& command) {
  const ShowOptions& options = command.show;
  GlobalOptions global = command.global;
  if (options.format == "dot" || options.format == "pbtxt") {
    const auto as_is = [](const std::string& text) { return text; };
    global.json = false;
    return Print(ShowAs(options), global, as_is, as_is);
  }
  global.json |= options.format == "json";
  const absl::StatusOr<ShowReport> report = Show(options);
  const int code = Print(
      report, global, [&](const ShowReport& r) { return ShowText(r, options, global); }, ShowJson);
  const bool lacks = report.ok() && report->unsupported.has_value() && !report->unsupported->empty();
  return code == 0 && lacks ? static_cast<int>(ExitCode::kBadModel) : code;
}

int RunCompare(const CommandLine& command) {
  const absl::StatusOr<CompareReport> report = CompareFiles(command.compare, command.global);
  const int code = Print(
      report, command.global, [&](const CompareReport& r) { return CompareText(r, command.global); }, CompareJson);
  return code == 0 && report->differing > 0 ? static_cast<int>(ExitCode::kDifferent) : code;
}

int RunCkpt(const CommandLine& command) {
  const CkptOptions& options = command.ckpt;
  const GlobalOptions& global = command.global;
  if (options.action == CkptAction::kMerge || options.action == CkptAction::kToNpz) {
    const absl::Status status =
        options.action == CkptAction::kMerge ? MergeCheckpoints(options) : CheckpointToNpz(options);
    return status.ok() ? 0 : Fail(status, global);
  }
  if (options.action == CkptAction::kDiff) {
    const absl::StatusOr<CompareReport> report = DiffCheckpoints(options);
    const int code = Print(
        report, global, [&](const CompareReport& r) { return CompareText(r, global); }, CompareJson);
    return code == 0 && report->differing > 0 ? static_cast<int>(ExitCode::kDifferent) : code;
  }
  const absl::StatusOr<CkptReport> report = InspectCheckpoint(options);
  const int code = Print(report, global, [&](const CkptReport& r) { return CkptText(r, global); }, CkptJson);
  return code == 0 && report->num_bad > 0 ? static_cast<int>(ExitCode::kBadModel) : code;
}

int RunGrad(const CommandLine& command) {
  const absl::StatusOr<GradReport> report = GradOfModel(command.grad, command.global);
  const int code = Print(
      report, command.global, [&](const GradReport& r) { return GradText(r, command.global); }, GradJson);
  return code == 0 && report->differing > 0 ? static_cast<int>(ExitCode::kDifferent) : code;
}

int RunRec(const CommandLine& command) {
  const absl::StatusOr<RecordsReport> report = Records(command.rec);
  const int code = Print(
      report, command.global, [&](const RecordsReport& r) { return RecordsText(r, command.global); }, RecordsJson);
  if (code != 0) return code;
  for (const RecordFileReport& file : report->files) {
    if (!file.damage.empty()) return static_cast<int>(ExitCode::kFiles);
  }
  return code;
}

int RunDoctor(const CommandLine& command) {
  const absl::StatusOr<DoctorReport> report = Doctor();
  const int code = Print(
      report, command.global, [&](const DoctorReport& r) { return DoctorText(r, command.global); }, DoctorJson);
  for (const DoctorRow& row : report->rows) {
    if (!row.ok) return static_cast<int>(ExitCode::kRunError);
  }
  return code;
}

int Main(int argc, char** argv) {
  CommandLine command;
  int exit_code = 0;
  if (!ParseCommandLine(argc, argv, &command, &exit_code)) return exit_code;
  const GlobalOptions& global = command.global;
  switch (command.verb) {
    case Verb::kShow:
      return RunShow(command);
    case Verb::kRun:
      return Print(
          RunModel(command.run, global), global, [&](const RunReport& r) { return RunText(r, global); }, RunJson);
    case Verb::kBench:
      return Print(
          Bench(command.bench, global), global, [&](const BenchReport& r) { return BenchText(r, global); }, BenchJson);
    case Verb::kOps:
      if (command.ops.cpp) {
        const std::string header = OpFunctionsHeader(DefaultOps());
        std::fwrite(header.data(), 1, header.size(), stdout);
        return std::fflush(stdout) == 0 ? 0 : static_cast<int>(ExitCode::kFiles);
      }
      return Print(
          ListOps(command.ops), global, [&](const OpsReport& r) { return OpsText(r, command.ops, global); }, OpsJson);
    case Verb::kConvert: {
      const absl::Status status = Convert(command.convert, global);
      return status.ok() ? 0 : Fail(status, global);
    }
    case Verb::kCkpt:
      return RunCkpt(command);
    case Verb::kCompare:
      return RunCompare(command);
    case Verb::kGrad:
      return RunGrad(command);
    case Verb::kTrain:
      return Print(
          Train(command.train, global), global, [&](const TrainReport& r) { return TrainText(r, global); }, TrainJson);
    case Verb::kProfile:
      return Print(
          Profile(command.profile, global), global, [&](const ProfileReport& r) { return ProfileText(r, command.profile, global); },
          ProfileJson);
    case Verb::kRec:
      return RunRec(command);
    case Verb::kDoctor:
      return RunDoctor(command);
    case Verb::kNone:
      break;
  }
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace
}  // namespace flowlatch

int main(int argc, char** argv) { return flowlatch::Main(argc, argv); }
