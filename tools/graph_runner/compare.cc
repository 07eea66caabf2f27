#include "tools/graph_runner/compare.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/io/model_kind.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "tools/arrays/difference.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/opened_model.h"

namespace flowlatch {
namespace {

using Arrays = std::map<std::string, Tensor>;

absl::StatusOr<Arrays> ReadCheckpoint(const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> reader, CheckpointReader::Open(path));
  RETURN_IF_ERROR(reader->damage());
  Arrays arrays;
  for (const CheckpointReader::TensorInfo& info : reader->tensors()) {
    ASSIGN_OR_RETURN(arrays[info.name], reader->Read(info.name));
  }
  return arrays;
}

absl::StatusOr<Arrays> RunForOutputs(const std::string& path, ModelOptions model, bool warn) {
  model.path = path;
  ASSIGN_OR_RETURN(const OpenedModel opened, OpenForRun(model, warn));
  ASSIGN_OR_RETURN(const StepRequest step, ResolveStep(opened, model, true));
  Feeds feeds;
  for (size_t i = 0; i < step.feeds.size(); ++i) feeds.emplace_back(step.feeds[i], step.inputs[i]);
  ASSIGN_OR_RETURN(const std::vector<Tensor> values, opened.session->Run(feeds, step.fetches, step.targets));
  Arrays arrays;
  for (size_t i = 0; i < values.size(); ++i) arrays[step.labels[i]] = values[i];
  return arrays;
}

absl::StatusOr<Arrays> ReadArrays(const std::string& path, const CompareOptions& options, bool warn) {
  Arrays arrays;
  if (absl::EndsWith(path, ".npz")) {
    ASSIGN_OR_RETURN(const NpzReader npz, NpzReader::Open(path));
    for (const std::string& name : npz.Names()) {
      ASSIGN_OR_RETURN(arrays[name], npz.Read(name));
    }
    return arrays;
  }
  if (absl::EndsWith(path, ".npy")) {
    ASSIGN_OR_RETURN(const std::string bytes, ReadBytes(path));
    ASSIGN_OR_RETURN(arrays["array"], ParseNpy(bytes));
    return arrays;
  }
  const absl::StatusOr<ModelFile> file = OpenModelFile(path);
  if (file.ok() && file->kind == ModelKind::kCheckpoint) return ReadCheckpoint(path);
  return RunForOutputs(path, options.model, warn);
}

}  // namespace

absl::StatusOr<CompareReport> CompareFiles(const CompareOptions& options, const GlobalOptions& global) {
  absl::StatusOr<Arrays> a = ReadArrays(options.a, options, !global.quiet);
  if (!a.ok()) return absl::IsNotFound(a.status()) ? WithExit(ExitCode::kFiles, a.status()) : a.status();
  absl::StatusOr<Arrays> b = ReadArrays(options.b, options, !global.quiet);
  if (!b.ok()) return absl::IsNotFound(b.status()) ? WithExit(ExitCode::kFiles, b.status()) : b.status();
  CompareReport report;
  for (const auto& [name, want] : *b) {
    CompareRow row{name, "", 0, want.num_elements()};
    if (const auto got = a->find(name); got == a->end()) {
      row.reason = absl::StrCat("only in ", options.b);
    } else {
      const Difference difference = Compare(got->second, want, {options.rtol, options.atol});
      row.reason = difference.reason;
      row.max_error = difference.max_error;
    }
    report.rows.push_back(std::move(row));
  }
  for (const auto& [name, value] : *a) {
    if (!b->contains(name)) report.rows.push_back({name, absl::StrCat("only in ", options.a), 0, value.num_elements()});
  }
  for (const CompareRow& row : report.rows) report.differing += !row.reason.empty();
  return report;
}

}  // namespace flowlatch
