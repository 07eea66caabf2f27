#include "ops/kernels/vocabulary.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"
#include "runtime/checkpoint/file_system.h"

namespace flowlatch {
namespace {

constexpr int64_t kMaxFileBytes = int64_t{1} << 32;

// The next line of `rest`, which loses it. Requires: rest is not empty.
absl::string_view TakeLine(absl::string_view& rest) {
  const size_t end = rest.find('\n');
  absl::string_view line = rest.substr(0, end);
  rest = end == rest.npos ? absl::string_view() : rest.substr(end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

absl::Status CheckIndex(const char* what, int64_t index, DType dtype) {
  if (index < kWholeLine)
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected a value >= -2, got ", index));
  if (index == kLineNumber && dtype != DType::kInt64) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected int64 for line numbers, got ", std::string(DTypeName(dtype))));
  }
  if (index == kWholeLine && !IsInteger(dtype) && dtype != DType::kString) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected integers or strings for whole lines, got ", std::string(DTypeName(dtype))));
  }
  return absl::OkStatus();
}

// One side of the entries.
class Column {
 public:
  Column(int64_t index, Tensor& values) : index_(index), values_(values) {}

  absl::Status Read(int64_t i, int64_t line_number, absl::string_view line,
                    const std::vector<absl::string_view>& fields) {
    if (index_ == kLineNumber) {
      values_.mutable_data<int64_t>()[i] = line_number;
      return absl::OkStatus();
    }
    if (index_ == kWholeLine) return Parse(i, line);
    if (index_ < static_cast<int64_t>(fields.size())) return Parse(i, fields[index_]);
    return absl::InvalidArgumentError(
        absl::StrCat("line ", i, ": expected a column ", index_, ", got ", fields.size(), " columns"));
  }

 private:
  absl::Status Parse(int64_t i, absl::string_view field) {
    bool ok = false;
    switch (values_.dtype()) {
      case DType::kString:
        values_.mutable_data<String>()[i] = std::string_view(field.data(), field.size());
        return absl::OkStatus();
      case DType::kInt32:
        ok = absl::SimpleAtoi(field, &values_.mutable_data<int32_t>()[i]);
        break;
      case DType::kInt64:
        ok = absl::SimpleAtoi(field, &values_.mutable_data<int64_t>()[i]);
        break;
      case DType::kFloat32:
        ok = absl::SimpleAtof(field, &values_.mutable_data<float>()[i]);
        break;
      case DType::kFloat64:
        ok = absl::SimpleAtod(field, &values_.mutable_data<double>()[i]);
        break;
      default:
        break;
    }
    if (ok) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("line ", i, ": expected ", std::string(DTypeName(values_.dtype())), ", got '", field, "'"));
  }

  const int64_t index_;
  Tensor& values_;
};

absl::StatusOr<TableEntries> ReadLines(absl::string_view text, const VocabularyFormat& format, const TableType& type) {
  int64_t n = std::count(text.begin(), text.end(), '\n') + (!text.empty() && text.back() != '\n');
  if (format.size >= 0 && format.size > n) {
    return absl::InvalidArgumentError(
        absl::StrCat("vocab_size: expected at most its ", n, " lines, got ", format.size));
  }
  if (format.size >= 0) n = format.size;
  if (n == 0) return absl::OutOfRangeError("expected lines to read, got none");
  TableEntries entries;
  ASSIGN_OR_RETURN(entries.keys, Tensor::Make(type.key_dtype, {n}));
  ASSIGN_OR_RETURN(entries.values, Tensor::Make(type.value_dtype, {n}));
  Column keys(format.key_index, entries.keys), values(format.value_index, entries.values);
  const bool has_columns = format.key_index >= 0 || format.value_index >= 0;
  std::vector<absl::string_view> fields;
  for (int64_t i = 0; i < n; ++i) {
    const absl::string_view line = TakeLine(text);
    if (line.empty()) return absl::InvalidArgumentError(absl::StrCat("line ", i, ": expected text, got an empty line"));
    if (has_columns) fields = absl::StrSplit(line, format.delimiter);
    // Wraps, as TensorFlow's sum does.
    const int64_t line_number = static_cast<int64_t>(static_cast<uint64_t>(i) + static_cast<uint64_t>(format.offset));
    RETURN_IF_ERROR(keys.Read(i, line_number, line, fields));
    RETURN_IF_ERROR(values.Read(i, line_number, line, fields));
  }
  return entries;
}

}  // namespace

absl::StatusOr<TableEntries> ReadVocabulary(const std::string& path, const VocabularyFormat& format,
                                            const TableType& type) {
  RETURN_IF_ERROR(CheckIndex("key_index", format.key_index, type.key_dtype));
  RETURN_IF_ERROR(CheckIndex("value_index", format.value_index, type.value_dtype));
  ASSIGN_OR_RETURN(const std::string text, ReadFile(FileSystem::Default(), path, kMaxFileBytes));
  absl::StatusOr<TableEntries> entries = ReadLines(text, format, type);
  if (entries.ok()) return entries;
  return absl::Status(entries.status().code(), absl::StrCat("vocabulary '", path, "': ", entries.status().message()));
}

}  // namespace flowlatch
