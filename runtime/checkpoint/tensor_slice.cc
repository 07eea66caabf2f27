#include "runtime/checkpoint/tensor_slice.h"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

absl::Status BadSlice(std::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "slice '", std::string(text), "': expected '-' or 'start,length' for each dimension, joined by ':'"));
}

// ---- Numbers and strings whose encodings sort as they do

void AppendOrderedNumber(uint64_t value, std::string& out) {
  const int bytes = (std::bit_width(value) + 7) / 8;
  out.push_back(static_cast<char>(bytes));
  for (int i = bytes - 1; i >= 0; --i) out.push_back(static_cast<char>(value >> (8 * i)));
}

void AppendOrderedString(std::string_view s, std::string& out) {
  for (const char c : s) {
    out.push_back(c);
    if (c == '\0') out.push_back('\xff');
    if (c == '\xff') out.push_back('\0');
  }
  out.append("\0\1", 2);
}

// Big-endian in as few bytes as hold the value and a header: as many ones as there are bytes, then a zero; a negative
// value has all bits of its header flipped.
void AppendOrderedSigned(int64_t value, std::string& out) {
  const uint64_t magnitude = value < 0 ? ~static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const int length = std::bit_width(magnitude) / 7 + 1;  // n bytes have 7 n - 1 bits for the magnitude
  char bytes[10];
  const char fill = value < 0 ? '\xff' : '\0';
  std::fill(bytes, bytes + 2, fill);
  for (int i = 0; i < 8; ++i) bytes[2 + i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * (7 - i)));
  char* const begin = bytes + sizeof bytes - length;
  const uint16_t header = static_cast<uint16_t>(0xffff << (16 - length));
  begin[0] ^= static_cast<char>(header >> 8);
  if (length > 1) begin[1] ^= static_cast<char>(header & 0xff);
  out.append(begin, length);
}

// Elements between neighbours in each dimension.
std::vector<int64_t> Strides(const TensorSlice& slice) {
  std::vector<int64_t> strides(slice.ranges.size());
  int64_t stride = 1;
  for (size_t d = slice.ranges.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= slice.ranges[d].length;
  }
  return strides;
}

void CopyRun(const Tensor& from, int64_t from_offset, Tensor& to, int64_t to_offset, int64_t n) {
  if (from.dtype() == DType::kString) {
    std::copy_n(from.data<String>() + from_offset, n, to.mutable_data<String>() + to_offset);
    return;
  }
  if (from.dtype() == DType::kVariant) {
    std::copy_n(from.data<Variant>() + from_offset, n, to.mutable_data<Variant>() + to_offset);
    return;
  }
  const int64_t size = static_cast<int64_t>(DTypeSize(from.dtype()));
  std::memcpy(static_cast<char*>(to.raw_mutable_data()) + to_offset * size,
              static_cast<const char*>(from.raw_data()) + from_offset * size, static_cast<size_t>(n * size));
}

}  // namespace

TensorSlice TensorSlice::Whole(int rank) {
  TensorSlice slice;
  slice.ranges.resize(rank);
  return slice;
}

absl::StatusOr<TensorSlice> TensorSlice::Parse(std::string_view text) {
  TensorSlice slice;
  const std::vector<std::string> parts = absl::StrSplit(std::string(text), ':', absl::SkipEmpty());
  if (parts.size() > kMaxRank) return BadSlice(text);
  for (const std::string& part : parts) {
    Range range;
    if (part != "-") {
      const std::vector<std::string> numbers = absl::StrSplit(part, ',');
      if (numbers.size() != 2 || !absl::SimpleAtoi(numbers[0], &range.start) ||
          !absl::SimpleAtoi(numbers[1], &range.length) || range.start < 0 || range.length < 0) {
        return BadSlice(text);
      }
    }
    slice.ranges.push_back(range);
  }
  return slice;
}

absl::StatusOr<TensorSlice> TensorSlice::FromProto(const proto::TensorSliceProto& proto) {
  TensorSlice slice;
  if (proto.extent_size() > kMaxRank)
    return absl::InvalidArgumentError("slice: expected at most 254 dimensions, got more");
  for (const proto::TensorSliceProto::Extent& extent : proto.extent()) {
    Range range{extent.start(), -1};
    if (extent.has_length_hack_case() == proto::TensorSliceProto::Extent::kLength) range.length = extent.length();
    const bool whole = range.length == -1;
    if (range.start < 0 || range.length < -1 || (whole && range.start != 0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("slice: expected start and length >= 0, got ", range.start, " and ", range.length));
    }
    slice.ranges.push_back(range);
  }
  return slice;
}

void TensorSlice::ToProto(proto::TensorSliceProto* proto) const {
  proto->Clear();
  for (const Range& range : ranges) {
    proto::TensorSliceProto::Extent* extent = proto->add_extent();
    if (range.length < 0) continue;
    extent->set_start(range.start);
    extent->set_length(range.length);
  }
}

std::string TensorSlice::ToString() const {
  return absl::StrJoin(ranges, ":", [](std::string* out, const Range& range) {
    if (range.length < 0) {
      absl::StrAppend(out, "-");
    } else {
      absl::StrAppend(out, range.start, ",", range.length);
    }
  });
}

absl::StatusOr<TensorSlice> TensorSlice::Within(const Shape& shape) const {
  TensorSlice slice = *this;
  bool fits = ranges.size() == static_cast<size_t>(shape.rank());
  for (size_t d = 0; fits && d < ranges.size(); ++d) {
    Range& range = slice.ranges[d];
    const int64_t dim = shape.dim(static_cast<int>(d));
    if (range.length < 0) range = {0, dim};
    fits = range.start <= dim && range.length <= dim - range.start;
  }
  if (fits) return slice;
  return absl::InvalidArgumentError(
      absl::StrCat("slice '", ToString(), "': expected a part of shape ", shape.ToString(), ", got another"));
}

absl::StatusOr<std::optional<ShapeAndSlice>> ParseShapeAndSlice(std::string_view text) {
  if (text.empty()) return std::optional<ShapeAndSlice>();
  std::vector<std::string> parts = absl::StrSplit(std::string(text), ' ');
  const std::string slice_text = parts.back();
  parts.pop_back();
  Dims dims;
  for (const std::string& part : parts) {
    int64_t dim = 0;
    if (!absl::SimpleAtoi(part, &dim)) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape_and_slice '", std::string(text), "': expected dimensions and a slice, joined by spaces"));
    }
    dims.push_back(dim);
  }
  ShapeAndSlice result;
  ASSIGN_OR_RETURN(result.shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(const TensorSlice slice, TensorSlice::Parse(slice_text));
  ASSIGN_OR_RETURN(result.slice, slice.Within(result.shape));
  return std::optional<ShapeAndSlice>(std::move(result));
}

Shape ShapeOfSlice(const TensorSlice& slice) {
  Dims dims;
  for (const TensorSlice::Range& range : slice.ranges) dims.push_back(range.length);
  return Shape::FromValid(dims);
}

std::string SliceKey(std::string_view name, const TensorSlice& slice) {
  std::string key;
  AppendOrderedNumber(0, key);
  AppendOrderedString(name, key);
  AppendOrderedNumber(slice.ranges.size(), key);
  for (const TensorSlice::Range& range : slice.ranges) {
    AppendOrderedSigned(range.start, key);
    AppendOrderedSigned(range.length, key);
  }
  return key;
}

int64_t NumCommonElements(const TensorSlice& a, const TensorSlice& b) {
  int64_t n = 1;
  for (size_t d = 0; d < a.ranges.size(); ++d) {
    const TensorSlice::Range &x = a.ranges[d], &y = b.ranges[d];
    const int64_t common = std::min(x.start + x.length, y.start + y.length) - std::max(x.start, y.start);
    if (common <= 0) return 0;
    n *= common;
  }
  return n;
}

int64_t CopyCommonElements(const TensorSlice& from_slice, const Tensor& from, const TensorSlice& to_slice, Tensor& to) {
  if (NumCommonElements(from_slice, to_slice) == 0) return 0;
  const size_t rank = from_slice.ranges.size();
  if (rank == 0) {
    CopyRun(from, 0, to, 0, 1);
    return 1;
  }
  const std::vector<int64_t> from_strides = Strides(from_slice), to_strides = Strides(to_slice);
  std::vector<int64_t> length(rank);
  int64_t from_offset = 0, to_offset = 0, total = 1;
  for (size_t d = 0; d < rank; ++d) {
    const TensorSlice::Range &a = from_slice.ranges[d], &b = to_slice.ranges[d];
    const int64_t start = std::max(a.start, b.start);
    length[d] = std::min(a.start + a.length, b.start + b.length) - start;
    from_offset += (start - a.start) * from_strides[d];
    to_offset += (start - b.start) * to_strides[d];
    total *= length[d];
  }
  // Runs along the last dimension; `at` counts through the others.
  std::vector<int64_t> at(rank, 0);
  for (int64_t left = total; left > 0; left -= length[rank - 1]) {
    CopyRun(from, from_offset, to, to_offset, length[rank - 1]);
    for (size_t d = rank - 1; d-- > 0;) {
      from_offset += from_strides[d];
      to_offset += to_strides[d];
      if (++at[d] < length[d]) break;
      from_offset -= length[d] * from_strides[d];
      to_offset -= length[d] * to_strides[d];
      at[d] = 0;
    }
  }
  return total;
}

}  // namespace flowlatch
