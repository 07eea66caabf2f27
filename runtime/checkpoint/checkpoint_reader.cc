#include "runtime/checkpoint/checkpoint_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "runtime/checkpoint/table_checkpoint.h"
#include "runtime/checkpoint/tensor_bundle.h"

namespace flowlatch {

absl::Status CheckCheckpointPath(std::string_view path) {
  if (!path.empty() && path.find('\0') == std::string_view::npos) return absl::OkStatus();
  return absl::InvalidArgumentError("path of a checkpoint: expected a name without NUL bytes, got another");
}

absl::Status CheckFormatVersion(std::string_view path, const VersionDef& versions, int version) {
  const auto& bad = versions.bad_consumers();
  const bool readable = versions.producer() >= 0 && versions.min_consumer() <= version &&
                        std::find(bad.begin(), bad.end(), version) == bad.end();
  if (readable) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("checkpoint '", std::string(path), "': expected one for readers of format ", version,
                   ", got producer ", versions.producer(), " that needs readers of ", versions.min_consumer()));
}

absl::StatusOr<std::unique_ptr<CheckpointReader>> CheckpointReader::Open(std::string_view path, FileSystem& files) {
  absl::StatusOr<std::unique_ptr<BundleReader>> bundle = BundleReader::Open(path, files);
  if (bundle.ok() || !absl::IsNotFound(bundle.status())) return bundle;
  absl::StatusOr<std::unique_ptr<TableCheckpointReader>> table = TableCheckpointReader::Open(path, files);
  if (absl::IsNotFound(table.status())) return bundle.status();
  return table;
}

absl::Status CheckpointReader::Corrupt(absl::string_view what) const {
  return absl::DataLossError(absl::StrCat("checkpoint '", path_, "': ", what));
}

absl::Status CheckpointReader::Corrupt(const TensorInfo& info, absl::string_view what) const {
  return Corrupt(absl::StrCat("tensor '", info.name, "': ", what));
}

absl::Status CheckpointReader::SetTensors(std::vector<TensorInfo> tensors) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[i].name == tensors[i - 1].name) return Corrupt(tensors[i], "expected it once, got it twice");
  }
  tensors_ = std::move(tensors);
  return absl::OkStatus();
}

const CheckpointReader::TensorInfo* CheckpointReader::Find(std::string_view name) const {
  const auto it = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                   [](const TensorInfo& info, std::string_view wanted) { return info.name < wanted; });
  return it != tensors_.end() && it->name == name ? &*it : nullptr;
}

absl::Status CheckpointReader::NotFound(std::string_view name) const {
  NearNames near(name);
  for (const TensorInfo& other : tensors_) near.Consider(other.name);
  return absl::NotFoundError(absl::StrCat("tensor '", std::string(name), "': expected it in checkpoint '", path_,
                                          "', got none of this name", near.Hint()));
}

absl::StatusOr<Tensor> CheckpointReader::Read(std::string_view name, Allocator* allocator) const {
  const TensorInfo* info = Find(name);
  if (info == nullptr) return NotFound(name);
  if (!CanBeSaved(info->dtype)) {
    return absl::InvalidArgumentError(absl::StrCat("tensor '", info->name, "' in checkpoint '", path_,
                                                   "': expected a dtype that files can hold, got another"));
  }
  if (info->slices.empty()) return ReadStored(*info, info->name, info->shape, allocator);
  ASSIGN_OR_RETURN(const TensorSlice whole, TensorSlice::Whole(info->shape.rank()).Within(info->shape));
  return Assemble(*info, whole, allocator);
}

absl::StatusOr<Tensor> CheckpointReader::ReadSlice(std::string_view name, const TensorSlice& slice,
                                                   Allocator* allocator) const {
  const TensorInfo* info = Find(name);
  if (info == nullptr) return NotFound(name);
  ASSIGN_OR_RETURN(const TensorSlice wanted, slice.Within(info->shape));
  if (!info->slices.empty() && CanBeSaved(info->dtype)) return Assemble(*info, wanted, allocator);
  ASSIGN_OR_RETURN(Tensor whole, Read(name, allocator));
  if (ShapeOfSlice(wanted) == info->shape) return whole;
  ASSIGN_OR_RETURN(const TensorSlice all, TensorSlice::Whole(info->shape.rank()).Within(info->shape));
  ASSIGN_OR_RETURN(Tensor part, Tensor::Make(info->dtype, ShapeOfSlice(wanted), allocator));
  CopyCommonElements(all, whole, wanted, part);
  return part;
}

absl::StatusOr<Tensor> CheckpointReader::Assemble(const TensorInfo& info, const TensorSlice& wanted,
                                                  Allocator* allocator) const {
  Tensor result;
  int64_t found = 0;
  for (const TensorSlice& slice : info.slices) {
    const absl::StatusOr<TensorSlice> range = slice.Within(info.shape);
    if (!range.ok()) return Corrupt(info, range.status().message());
    if (!Overlap(*range, wanted)) continue;
    ASSIGN_OR_RETURN(Tensor part, ReadStored(info, SliceKey(info.name, slice), ShapeOfSlice(*range), allocator));
    if (*range == wanted) return part;
    // Not before a part was read, so that a file must hold something before memory is asked for. Zeros, so that slices
    // that overlap and leave holes cannot show what was in memory.
    if (!result.has_value()) {
      ASSIGN_OR_RETURN(result, Tensor::Zeros(info.dtype, ShapeOfSlice(wanted), allocator));
    }
    found += CopyCommonElements(*range, part, wanted, result);
  }
  const int64_t n = ShapeOfSlice(wanted).num_elements();
  if (n == 0) return Tensor::Zeros(info.dtype, ShapeOfSlice(wanted), allocator);
  if (found == n) return result;
  return Corrupt(info, absl::StrCat("expected slices with ", n, " elements, got ", found));
}

}  // namespace flowlatch
