#include "ops/kernels/scatter_nd.h"

#include <string>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

template <typename Index>
absl::Status FindOffsets(const Shape& target, const Tensor& indices, bool skip_bad, Places& places) {
  const int64_t depth = indices.dims().back();
  const absl::Span<const int64_t> limits = target.dims().first(depth);
  const Index* index = indices.data<Index>();
  int64_t* const offsets = places.offsets.mutable_data<int64_t>();
  for (int64_t i = 0; i < places.offsets.num_elements(); ++i, index += depth) {
    offsets[i] = PlaceOf(index, limits, places.slice);
    if (offsets[i] < 0 && !skip_bad) {
      return OutOfPlace("indices", i, indices.dims().first(indices.rank() - 1), Dims(index, index + depth),
                        target.dims());
    }
  }
  return absl::OkStatus();
}

// Adds, but to what is there of strings and bools.
template <typename T>
void Join(void* target, const void* source, int64_t n, int64_t source_step) {
  T* to = static_cast<T*>(target);
  const T* from = static_cast<const T*>(source);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, bool>) {
      to[i] = to[i] || from[i * source_step];
    } else {
      to[i] = std::string_view(std::string(to[i].view()).append(from[i * source_step].view()));
    }
  }
}

// true - true is false, and so is false - false.
void SubtractBools(void* target, const void* source, int64_t n, int64_t source_step) {
  bool* to = static_cast<bool*>(target);
  const bool* from = static_cast<const bool*>(source);
  for (int64_t i = 0; i < n; ++i) to[i] = to[i] != from[i * source_step];
}

}  // namespace

absl::Status OutOfPlace(const char* what, int64_t i, absl::Span<const int64_t> places, absl::Span<const int64_t> got,
                        absl::Span<const int64_t> target) {
  return absl::InvalidArgumentError(absl::StrCat(what, ElementName(i, places), ": expected a place in shape ",
                                                 DimsToString(target), ", got [", absl::StrJoin(got, ","), "]"));
}

absl::Status CheckScatterNdShapes(const PartialShape& target, const PartialShape& indices,
                                  const PartialShape& updates) {
  if (!indices.has_rank() || !updates.has_rank()) return absl::OkStatus();
  if (indices.rank() == 0 || updates.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(indices.rank() == 0 ? "indices" : "updates", ": expected at least one dimension, got shape []"));
  }
  const int64_t depth = indices.dims().back();
  if (!target.has_rank() || depth < 0) return absl::OkStatus();
  if (depth > target.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("last dimension of indices: expected at most ", target.rank(),
                                                   ", the rank of the result, got ", depth));
  }
  Dims want(indices.dims().begin(), indices.dims().end() - 1);
  want.insert(want.end(), target.dims().begin() + depth, target.dims().end());
  if (PartialShape::FromValid(want).CompatibleWith(updates)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("updates: expected shape ", DimsToString(want), ", got ", updates.ToString()));
}

absl::StatusOr<Places> FindPlaces(const Shape& target, const Tensor& indices, const Tensor& updates, bool skip_bad) {
  RETURN_IF_ERROR(CheckScatterNdShapes(target, indices.shape(), updates.shape()));
  const bool none = indices.num_elements() == 0 && updates.num_elements() == 0;
  if (!none && (target.num_elements() == 0 || indices.num_elements() == 0 || updates.num_elements() == 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices and updates: expected elements in both, and in the result, or in neither, got shapes ",
                     indices.ShapeString(), ", ", updates.ShapeString(), " and ", target.ToString()));
  }
  constexpr DTypeSet kIndices{DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt16};
  if (!kIndices.contains(indices.dtype())) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices: expected int16, int32, int64 or uint16, got ", std::string(DTypeName(indices.dtype()))));
  }
  Places places;
  const int64_t n = none ? 0 : indices.num_elements() / indices.dims().back();
  ASSIGN_OR_RETURN(places.offsets, Tensor::Make(DType::kInt64, {n}));
  if (n == 0) return places;
  places.slice = updates.num_elements() / n;
  RETURN_IF_ERROR(DispatchDType<kIndices>(indices.dtype(), absl::OkStatus(), [&]<typename Index>() {
    return FindOffsets<Index>(target, indices, skip_bad, places);
  }));
  return places;
}

UpdateLoop FindPlaceLoop(Update update, DType dtype) {
  if (update == Update::kAdd && dtype == DType::kBool) return &Join<bool>;
  if (update == Update::kAdd && dtype == DType::kString) return &Join<String>;
  if (update == Update::kSub && dtype == DType::kBool) return &SubtractBools;
  return FindUpdateLoop(update, dtype);
}

void UpdatePlaces(UpdateLoop loop, const Places& places, const Tensor& updates, Tensor& target) {
  const int64_t size = static_cast<int64_t>(DTypeSize(target.dtype()));
  char* to = static_cast<char*>(target.raw_mutable_data());
  const char* from = static_cast<const char*>(updates.raw_data());
  for (const int64_t offset : places.offsets.values<int64_t>()) {
    if (offset >= 0) loop(to + offset * size, from, places.slice, 1);
    from += places.slice * size;
  }
}

absl::StatusOr<bool> SkipsBadIndices(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string policy, node.Str("bad_indices_policy"));
  if (policy == "IGNORE") return true;
  if (policy == "" || policy == "DEFAULT" || policy == "ERROR") return false;
  return absl::InvalidArgumentError(
      absl::StrCat("bad_indices_policy: expected DEFAULT, ERROR or IGNORE, got '", policy, "'"));
}

}  // namespace flowlatch
