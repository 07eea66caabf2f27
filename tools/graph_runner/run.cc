#include "tools/graph_runner/run.h"

#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/default_ops.h"
#include "runtime/checkpoint/saver.h"
#include "tools/arrays/files.h"
#include "tools/arrays/json_array.h"
#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"
#include "tools/corpus/replay.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/opened_model.h"

namespace flowlatch {
namespace {

using Clock = std::chrono::steady_clock;

template <typename T>
bool AllFinite(const Tensor& tensor) {
  for (const T& value : tensor.values<T>()) {
    if (!std::isfinite(static_cast<double>(value))) return false;
  }
  return true;
}

bool IsFinite(const Tensor& tensor) {
  if (!tensor.has_value()) return true;
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return AllFinite<float>(tensor);
    case DType::kFloat64:
      return AllFinite<double>(tensor);
    case DType::kFloat16:
      return AllFinite<Half>(tensor);
    case DType::kBFloat16:
      return AllFinite<BFloat16>(tensor);
    default:
      return true;
  }
}

// Remembers the first node that gave NaN or infinity.
class NumericsCheck {
 public:
  void Attach(RunOptions* options) {
    options->observer = [this](std::string_view node, absl::Span<const Tensor> outputs) {
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (IsFinite(outputs[i])) continue;
        const std::lock_guard<std::mutex> lock(mu_);
        if (first_.empty()) first_ = absl::StrCat(std::string(node), ":", i, ", ", outputs[i].DebugString());
      }
    };
  }
  absl::Status status() const {
    if (first_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError("check of numerics: expected finite values, got " + first_);
  }

 private:
  std::mutex mu_;
  std::string first_;  // guarded by mu_
};

absl::Status WriteNpz(const std::vector<OutputReport>& outputs, const std::string& path) {
  NpzWriter npz;
  for (const OutputReport& output : outputs) RETURN_IF_ERROR(npz.Add(output.name, output.value));
  return WriteBytes(path, npz.Finish());
}

// Each output that has a file; those that share an npz file go into it together.
absl::Status WriteOutputs(const std::vector<OutputReport>& outputs) {
  std::map<std::string, std::vector<OutputReport>> archives;
  for (const OutputReport& output : outputs) {
    const std::string& path = output.file;
    if (path.empty()) continue;
    if (absl::EndsWith(path, ".npz")) {
      archives[path].push_back(output);
    } else if (absl::EndsWith(path, ".npy")) {
      ASSIGN_OR_RETURN(const std::string npy, FormatNpy(output.value));
      RETURN_IF_ERROR(WriteBytes(path, npy));
    } else if (absl::EndsWith(path, ".json")) {
      RETURN_IF_ERROR(WriteBytes(path, TensorToJson(output.value).dump() + "\n"));
    } else {
      return WithExit(ExitCode::kUsage, absl::InvalidArgumentError(absl::StrCat(
                                            "output file '", path, "': expected it to end in .npy, .npz or .json")));
    }
  }
  for (const auto& [path, members] : archives) RETURN_IF_ERROR(WriteNpz(members, path));
  return absl::OkStatus();
}

absl::Status Save(const OpenedModel& opened, const RunVerbOptions& options) {
  SaverOptions saver_options{.max_to_keep = 0, .num_shards = options.shards};
  ASSIGN_OR_RETURN(saver_options.variables, SavedVariables(opened.session->graph(), opened.model.collections));
  ASSIGN_OR_RETURN(const std::unique_ptr<Saver> saver, Saver::Create(*opened.session, std::move(saver_options)));
  const absl::Status status = saver->Save(options.save).status();
  return absl::IsFailedPrecondition(status) ? status : WithExit(ExitCode::kFiles, status);
}

absl::StatusOr<RunReport> RunSteps(const RunVerbOptions& options, const GlobalOptions& global) {
  ASSIGN_OR_RETURN(const OpenedModel opened, OpenForRun(options.model, !global.quiet));
  ASSIGN_OR_RETURN(const StepRequest step, ResolveStep(opened, options.model, false));
  ASSIGN_OR_RETURN(const Callable callable, opened.session->Prepare(step.feeds, step.fetches, step.targets));
  RunReport report;
  RunOptions run_options;
  run_options.trace = options.stats;
  NumericsCheck numerics;
  if (options.check_numerics) numerics.Attach(&run_options);
  std::vector<Tensor> values;
  RunMetadata metadata;
  for (; report.steps < options.steps; ++report.steps) {
    const Clock::time_point start = Clock::now();
    RETURN_IF_ERROR(callable.Run(step.inputs, &values, run_options, &metadata));
    report.wall_ns = std::chrono::nanoseconds(Clock::now() - start).count();
    RETURN_IF_ERROR(numerics.status());
  }
  if (!options.save.empty()) RETURN_IF_ERROR(Save(opened, options));
  if (options.stats) report.stats = std::move(metadata.stats);
  for (size_t i = 0; i < values.size(); ++i) report.outputs.push_back({step.labels[i], values[i], step.files[i]});
  return report;
}

absl::StatusOr<RunReport> RunCase(const RunVerbOptions& options) {
  ASSIGN_OR_RETURN(Case c, LoadCase(options.model.case_folder));
  ASSIGN_OR_RETURN(Replay replay, Replay::Open(std::move(c)));
  RETURN_IF_ERROR(WithExit(ExitCode::kBadModel, replay.Load(DefaultOps(), SessionOptionsFor(options.model))));
  RunReport report;
  for (const CaseStep& step : replay.spec().steps) {
    const Clock::time_point start = Clock::now();
    absl::StatusOr<std::vector<Tensor>> values = replay.Run(step);
    report.wall_ns = std::chrono::nanoseconds(Clock::now() - start).count();
    ++report.steps;
    report.outputs.clear();
    if (!values.ok()) {
      if (step.error.has_value()) continue;  // as recorded
      return values.status();
    }
    for (size_t i = 0; i < values->size(); ++i) report.outputs.push_back({step.fetches[i].name, (*values)[i], ""});
  }
  return report;
}

}  // namespace

absl::StatusOr<RunReport> RunModel(const RunVerbOptions& options, const GlobalOptions& global) {
  ASSIGN_OR_RETURN(RunReport report, options.model.case_folder.empty() ? RunSteps(options, global) : RunCase(options));
  RETURN_IF_ERROR(WithExit(ExitCode::kFiles, WriteOutputs(report.outputs)));
  if (!options.outputs_file.empty()) {
    RETURN_IF_ERROR(WithExit(ExitCode::kFiles, WriteNpz(report.outputs, options.outputs_file)));
  }
  return report;
}

}  // namespace flowlatch
