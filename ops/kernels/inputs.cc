#include "ops/kernels/inputs.h"

#include <type_traits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace flowlatch {
namespace {

absl::Status NotIntegers(const Tensor& t, const char* what) {
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected integers, got ", std::string(DTypeName(t.dtype()))));
}

}  // namespace

absl::StatusOr<int64_t> ReadIntScalar(const Tensor& t, const char* what) {
  if (!t.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar, got shape ", t.ShapeString()));
  }
  switch (t.dtype()) {
    case DType::kInt8: return t.scalar<int8_t>();
    case DType::kInt16: return t.scalar<int16_t>();
    case DType::kInt32: return t.scalar<int32_t>();
    case DType::kInt64: return t.scalar<int64_t>();
    case DType::kUInt8: return t.scalar<uint8_t>();
    case DType::kUInt16: return t.scalar<uint16_t>();
    case DType::kUInt32: return t.scalar<uint32_t>();
    default: return NotIntegers(t, what);
  }
}

absl::StatusOr<Dims> ReadIntVector(const Tensor& t, const char* what) {
  if (!t.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected a vector, got shape ", t.ShapeString()));
  }
  const auto copy = [](auto values) { return Dims(values.begin(), values.end()); };
  switch (t.dtype()) {
    case DType::kInt8: return copy(t.values<int8_t>());
    case DType::kInt16: return copy(t.values<int16_t>());
    case DType::kInt32: return copy(t.values<int32_t>());
    case DType::kInt64: return copy(t.values<int64_t>());
    default: return NotIntegers(t, what);
  }
}

absl::StatusOr<Dims> ReadIntVectorOrScalar(const Tensor& t, const char* what) {
  if (!t.is_scalar()) return ReadIntVector(t, what);
  absl::StatusOr<int64_t> value = ReadIntScalar(t, what);
  if (!value.ok()) return value.status();
  return Dims(1, *value);
}

absl::StatusOr<int> NormalizeAxis(int64_t axis, int rank, const char* what) {
  if (axis < -rank || axis >= rank) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected a value in [", -rank, ",", rank, "), got ", axis));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

std::string ElementName(int64_t flat, absl::Span<const int64_t> dims) {
  if (dims.empty()) return "";
  Dims coordinates(dims.size(), 0);
  for (size_t i = dims.size(); i-- > 0 && dims[i] > 0;) {
    coordinates[i] = flat % dims[i];
    flat /= dims[i];
  }
  return absl::StrCat("[", absl::StrJoin(coordinates, ","), "]");
}

absl::Status IndexOutOfRange(const char* what, int64_t flat, absl::Span<const int64_t> dims, int64_t limit,
                             int64_t got) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, ElementName(flat, dims), ": expected a value in [0,", limit, "), got ", got));
}

absl::StatusOr<Indices> ReadSegmentIds(const Tensor& t, int64_t limit, const char* what) {
  Indices ids(t.num_elements());
  const auto read = [&]<typename T>(const T* values) -> absl::StatusOr<Indices> {
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = values[i];
      if (ids[i] >= limit) return IndexOutOfRange(what, static_cast<int64_t>(i), t.dims(), limit, ids[i]);
    }
    return std::move(ids);
  };
  switch (t.dtype()) {
    case DType::kInt16: return read(t.data<int16_t>());
    case DType::kInt32: return read(t.data<int32_t>());
    case DType::kInt64: return read(t.data<int64_t>());
    default: return NotIntegers(t, what);
  }
}

}  // namespace flowlatch
