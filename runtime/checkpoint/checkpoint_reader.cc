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

absl::Status CheckpointReader::Error(absl::StatusCode code, const TensorInfo& info, absl::string_view what) const {
  return absl::Status(code, absl::StrCat("checkpoint '", path_, "': tensor '", info.name, "': ", what));
}

absl::Status CheckpointReader::Corrupt(const TensorInfo& info, absl::string_view what) const {
  return Error(absl::StatusCode::kDataLoss, info, what);
}

absl::Status CheckpointReader::SetTensors(std::vector<TensorInfo> tensors, absl::Status damage) {
  std::sort(tensors.begin(), tensors.end(), [](const TensorInfo& a, const TensorInfo& b) { return a.name < b.name; });
  for (size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[i].name == tensors[i - 1].name) return Corrupt(tensors[i], "expected it once, got it twice");
  }
  tensors_ = std::move(tensors);
  damage_ = std::move(damage);
  for (const TensorInfo& info : tensors_) damage_.Update(info.error);
  return absl::OkStatus();
}

const CheckpointReader::TensorInfo* CheckpointReader::Find(std::string_view name) const {
  const auto it = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                   [](const TensorInfo& info, std::string_view wanted) { return info.name < wanted; });
  return it != tensors_.end() && it->name == name ? &*it : nullptr;
}

absl::Status CheckpointReader::NotFound(std::string_view name) const {
  // There is an entry of this name, the header, and no tensor in it.
  if (name.empty()) return Corrupt("expected the name of a tensor, got ''");
  NearNames near(name);
  for (const TensorInfo& other : tensors_) near.Consider(other.name);
  return absl::NotFoundError(absl::StrCat("tensor '", std::string(name), "': expected it in checkpoint '", path_,
                                          "', got none of this name", near.Hint(),
                                          damage_.ok() ? "" : "; its index is broken: ", damage_.message()));
}

absl::StatusOr<const CheckpointReader::TensorInfo*> CheckpointReader::Expect(std::string_view name, DType dtype) const {
  const TensorInfo* info = Find(name);
  if (info == nullptr) return NotFound(name);
  RETURN_IF_ERROR(info->error);
  if (info->dtype == dtype) return info;
  return Error(
      absl::StatusCode::kInvalidArgument, *info,
      absl::StrCat("expected dtype ", std::string(DTypeName(dtype)), ", got ", std::string(DTypeName(info->dtype))));
}

absl::StatusOr<Tensor> CheckpointReader::Read(std::string_view name, Allocator* allocator) const {
  const TensorInfo* info = Find(name);
  if (info == nullptr) return NotFound(name);
  RETURN_IF_ERROR(info->error);
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
  RETURN_IF_ERROR(info->error);
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
  const int64_t n = ShapeOfSlice(wanted).num_elements();
  if (n == 0) return Tensor::Zeros(info.dtype, ShapeOfSlice(wanted), allocator);
  std::vector<std::pair<const TensorSlice*, TensorSlice>> parts;  // as it is stored, and with all lengths
  int64_t found = 0;
  for (const TensorSlice& slice : info.slices) {
    absl::StatusOr<TensorSlice> range = slice.Within(info.shape);
    if (!range.ok()) return Corrupt(info, range.status().message());
    if (*range == wanted) return ReadStored(info, SliceKey(info.name, slice), ShapeOfSlice(wanted), allocator);
    const int64_t common = NumCommonElements(*range, wanted);
    if (common == 0) continue;
    if (common > n - found) return Corrupt(info, "expected slices that do not overlap");
    found += common;
    parts.emplace_back(&slice, *std::move(range));
  }
  if (found != n) {
    return Error(absl::StatusCode::kInvalidArgument, info,
                 absl::StrCat("expected slices with ", n, " elements, got ", found));
  }
  Tensor result;
  for (const auto& [slice, range] : parts) {
    ASSIGN_OR_RETURN(Tensor part, ReadStored(info, SliceKey(info.name, *slice), ShapeOfSlice(range), allocator));
    // Not before a part was read, so that a file must hold something before memory is asked for. Zeros, so that slices
    // that overlap and leave holes cannot show what was in memory.
    if (!result.has_value()) {
      ASSIGN_OR_RETURN(result, Tensor::Zeros(info.dtype, ShapeOfSlice(wanted), allocator));
    }
    CopyCommonElements(range, part, wanted, result);
  }
  return result;
}

}  // namespace flowlatch
