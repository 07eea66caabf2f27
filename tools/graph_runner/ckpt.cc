#include "tools/graph_runner/ckpt.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "re2/re2.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "runtime/checkpoint/checkpoint_state.h"
#include "runtime/checkpoint/object_graph.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "runtime/kernel/dispatch.h"
#include "tools/arrays/difference.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npz.h"
#include "tools/graph_runner/errors.h"

namespace flowlatch {
namespace {

using TensorInfo = CheckpointReader::TensorInfo;

absl::Status WithReadingExit(const absl::Status& status) {
  return WithExit(absl::IsNotFound(status) || absl::IsPermissionDenied(status) ? ExitCode::kFiles : ExitCode::kBadModel,
                  status);
}

class Filter {
 public:
  static absl::StatusOr<std::unique_ptr<Filter>> Make(const std::string& pattern) {
    std::unique_ptr<Filter> filter(new Filter(pattern));
    if (filter->pattern_.ok()) return filter;
    return WithExit(ExitCode::kUsage, absl::InvalidArgumentError("--filter: " + filter->pattern_.error()));
  }
  bool Matches(const std::string& name) const { return re2::RE2::PartialMatch(name, pattern_); }

 private:
  explicit Filter(const std::string& pattern) : pattern_(pattern, re2::RE2::Quiet) {}
  const re2::RE2 pattern_;
};

absl::StatusOr<std::unique_ptr<CheckpointReader>> Open(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string prefix, ResolveCheckpoint(path));
  absl::StatusOr<std::unique_ptr<CheckpointReader>> reader = CheckpointReader::Open(prefix);
  if (!reader.ok()) return WithReadingExit(reader.status());
  return reader;
}

// As Open, for what needs all of it.
absl::StatusOr<std::unique_ptr<CheckpointReader>> OpenWhole(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<CheckpointReader> reader, Open(path));
  if (!reader->damage().ok()) return WithReadingExit(reader->damage());
  return reader;
}

CkptRow::Stats StatsOf(const Tensor& tensor) {
  CkptRow::Stats none;
  return DispatchDType<kRealTypes>(tensor.dtype(), none, [&]<typename T>() {
    CkptRow::Stats stats;
    double sum = 0;
    for (const T& element : tensor.values<T>()) {
      const double value = static_cast<double>(element);
      if (std::isnan(value)) {
        ++stats.num_nan;
        continue;
      }
      stats.min = stats.count == 0 ? value : std::min(stats.min, value);
      stats.max = stats.count == 0 ? value : std::max(stats.max, value);
      sum += value;
      ++stats.count;
    }
    stats.mean = stats.count > 0 ? sum / static_cast<double>(stats.count) : 0;
    return stats;
  });
}

// A slice at a time, so that slices of other checkpoints may join them.
absl::Status CopyTensor(const CheckpointReader& reader, const TensorInfo& info, BundleWriter& writer) {
  const bool is_whole =
      info.slices.empty() || (info.slices.size() == 1 && info.slices[0] == TensorSlice::Whole(info.shape.rank()));
  if (is_whole) {
    ASSIGN_OR_RETURN(const Tensor tensor, reader.Read(info.name));
    return writer.Add(info.name, tensor);
  }
  for (const TensorSlice& slice : info.slices) {
    ASSIGN_OR_RETURN(const Tensor tensor, reader.ReadSlice(info.name, slice));
    RETURN_IF_ERROR(writer.AddSlice(info.name, info.shape, slice, tensor));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ResolveCheckpoint(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return path;
  const absl::StatusOr<std::string> latest = LatestCheckpoint(path);
  if (latest.ok()) return latest;
  return WithReadingExit(latest.status());
}

absl::StatusOr<CkptReport> InspectCheckpoint(const CkptOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Filter> filter, Filter::Make(options.filter));
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> reader, Open(options.paths[0]));
  const absl::StatusOr<CheckpointNames> names = CheckpointNames::Make(*reader);
  std::set<std::string> wanted(options.names.begin(), options.names.end());
  CkptReport report;
  report.path = reader->path();
  report.verified = options.action == CkptAction::kVerify;
  report.damage = std::string(reader->damage().message());
  const bool reads = options.action != CkptAction::kLs || options.stats;
  for (const TensorInfo& info : reader->tensors()) {
    if (!filter->Matches(info.name) || (!options.names.empty() && wanted.erase(info.name) == 0)) continue;
    CkptRow row;
    row.name = info.name;
    row.dtype = info.dtype;
    row.shape = info.shape;
    row.num_slices = static_cast<int64_t>(info.slices.size());
    if (names.ok()) row.variable = std::string(names->VariableName(info.name));
    row.problem = std::string(info.error.message());
    if (reads && info.error.ok()) {
      const absl::StatusOr<Tensor> tensor = reader->Read(info.name);
      if (!tensor.ok()) {
        row.problem = std::string(tensor.status().message());
      } else {
        row.bytes = tensor->size_bytes();
        if (options.stats) row.stats = StatsOf(*tensor);
        if (options.action == CkptAction::kCat) row.value = *tensor;
      }
    }
    report.num_elements += info.shape.num_elements();
    report.num_bad += !row.problem.empty();
    report.rows.push_back(std::move(row));
  }
  if (!wanted.empty()) {
    return WithExit(ExitCode::kUsage, reader->Read(*wanted.begin()).status());  // says which names are near
  }
  if (report.num_bad == 0 && !report.damage.empty()) report.num_bad = 1;
  return report;
}

absl::StatusOr<CompareReport> DiffCheckpoints(const CkptOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Filter> filter, Filter::Make(options.filter));
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> a, OpenWhole(options.paths[0]));
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> b, OpenWhole(options.paths[1]));
  std::set<std::string> names;
  for (const CheckpointReader* reader : {a.get(), b.get()}) {
    for (const TensorInfo& info : reader->tensors()) {
      if (filter->Matches(info.name)) names.insert(info.name);
    }
  }
  CompareReport report;
  for (const std::string& name : names) {
    const TensorInfo *in_a = a->Find(name), *in_b = b->Find(name);
    CompareRow row{name, "", 0, (in_b != nullptr ? in_b : in_a)->shape.num_elements()};
    if (in_a == nullptr || in_b == nullptr) {
      row.reason = absl::StrCat("only in ", in_a != nullptr ? a->path() : b->path());
    } else {
      const absl::StatusOr<Tensor> x = a->Read(name), y = b->Read(name);
      if (!x.ok()) return WithReadingExit(x.status());
      if (!y.ok()) return WithReadingExit(y.status());
      const Difference difference = Compare(*x, *y, {options.rtol, options.atol});
      row.reason = difference.reason;
      row.max_error = difference.max_error;
    }
    report.differing += !row.reason.empty();
    report.rows.push_back(std::move(row));
  }
  return report;
}

absl::Status MergeCheckpoints(const CkptOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Filter> filter, Filter::Make(options.filter));
  std::vector<std::unique_ptr<CheckpointReader>> readers;
  for (const std::string& path : options.paths) {
    ASSIGN_OR_RETURN(readers.emplace_back(), OpenWhole(path));
  }
  absl::StatusOr<std::unique_ptr<BundleWriter>> writer =
      BundleWriter::Create(options.to, FileSystem::Default(), options.shards);
  if (!writer.ok()) return WithExit(ExitCode::kFiles, writer.status());
  for (const std::unique_ptr<CheckpointReader>& reader : readers) {
    for (const TensorInfo& info : reader->tensors()) {
      if (filter->Matches(info.name)) RETURN_IF_ERROR(CopyTensor(*reader, info, **writer));
    }
  }
  return WithExit(ExitCode::kFiles, (*writer)->Finish());
}

absl::Status CheckpointToNpz(const CkptOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Filter> filter, Filter::Make(options.filter));
  ASSIGN_OR_RETURN(const std::unique_ptr<CheckpointReader> reader, OpenWhole(options.paths[0]));
  NpzWriter npz;
  for (const TensorInfo& info : reader->tensors()) {
    if (!filter->Matches(info.name)) continue;
    const absl::StatusOr<Tensor> tensor = reader->Read(info.name);
    if (!tensor.ok()) return WithReadingExit(tensor.status());
    RETURN_IF_ERROR(npz.Add(info.name, *tensor));
  }
  return WithExit(ExitCode::kFiles, WriteBytes(options.to, npz.Finish()));
}

}  // namespace flowlatch
