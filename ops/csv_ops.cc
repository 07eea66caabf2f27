// DecodeCSV(records, record_defaults..) -> the fields of each record, one output in the shape of records for each column.
//   Fields are parted by field_delim. With use_quote_delim a field that begins with '"' ends with the next one; '""' inside
//   stands for one. Quotes elsewhere, and line breaks in fields without quotes, are errors.
//   An empty field, or one that is na_value, takes its column's default, which has one value, or none: then it is required.
//   select_cols names the columns that count; else there must be one for each output.
#include "ops/csv_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/number_text.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kFieldTypes{DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64, DType::kString};

class CsvState : public KernelState {
 public:
  char delimiter = ',';
  bool quotes = true;
  std::string na_value;
  std::vector<int64_t> columns;  // ascending; empty: all
};

absl::Status BadRecord(absl::string_view expected, int64_t record) {
  return absl::InvalidArgumentError(absl::StrCat("record ", record, ": expected ", expected));
}

// Takes the field in quotes that `rest` begins with, and the delimiter after it. more: whether there was one.
absl::Status TakeQuoted(const CsvState& state, int64_t record, std::string_view& rest, std::string& field, bool& more) {
  size_t i = 1;
  for (; i < rest.size(); ++i) {
    if (rest[i] != '"') {
      field += rest[i];
    } else if (i + 1 < rest.size() && rest[i + 1] == '"') {
      field += rest[++i];
    } else {
      break;
    }
  }
  if (i == rest.size()) return BadRecord("a quote at the end of a field that begins with one, got none", record);
  more = i + 1 < rest.size();
  if (more && rest[i + 1] != state.delimiter) {
    return BadRecord("each quote in a field with quotes doubled, got one that is not", record);
  }
  rest.remove_prefix(std::min(i + 2, rest.size()));
  return absl::OkStatus();
}

absl::Status TakePlain(const CsvState& state, int64_t record, std::string_view& rest, std::string& field, bool& more) {
  const size_t end = rest.find(state.delimiter);
  more = end != std::string_view::npos;
  const std::string_view text = rest.substr(0, end);
  if (text.find_first_of("\r\n") != std::string_view::npos || (state.quotes && text.find('"') != std::string_view::npos)) {
    return BadRecord("no quotes and line breaks in a field without quotes, got one", record);
  }
  field = std::string(text);
  rest.remove_prefix(more ? end + 1 : rest.size());
  return absl::OkStatus();
}

// The fields that are asked for. An empty record has none.
absl::StatusOr<std::vector<std::string>> Fields(const CsvState& state, std::string_view rest, int64_t record) {
  std::vector<std::string> fields;
  size_t next = 0;  // of state.columns
  bool more = !rest.empty();
  for (int64_t column = 0; more; ++column) {
    std::string field;
    const bool quoted = state.quotes && !rest.empty() && rest[0] == '"';
    RETURN_IF_ERROR((quoted ? TakeQuoted : TakePlain)(state, record, rest, field, more));
    if (state.columns.empty()) {
      fields.push_back(std::move(field));
    } else if (next < state.columns.size() && state.columns[next] == column) {
      fields.push_back(std::move(field));
      ++next;
    }
  }
  return fields;
}

// Writes a field, or its default, to element `record` of the column.
template <typename T>
absl::Status Place(const CsvState& state, const std::string& field, const Tensor& fallback, int column, int64_t record, Tensor* output) {
  T& to = output->mutable_data<T>()[record];
  if (field.empty() || field == state.na_value) {
    if (fallback.num_elements() == 0) return BadRecord(absl::StrCat("field ", column, ", which is required, got none"), record);
    to = fallback.data<T>()[0];
    return absl::OkStatus();
  }
  if constexpr (std::is_same_v<T, String>) {
    to = std::string_view(field);
  } else if (!ParseNumber(field, to)) {
    return BadRecord(absl::StrCat("a ", std::string(DTypeName(kDTypeOf<T>)), " in field ", column, ", got '",
                                  absl::CHexEscape(field.substr(0, 100)), "'"), record);
  }
  return absl::OkStatus();
}

absl::Status ExpectDefault(absl::Span<const int64_t> dims, int column) {
  const bool fits = dims.empty() || (dims.size() == 1 && dims[0] <= 1);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("record_defaults ", column, ": expected at most one value, got shape ", DimsToString(dims)));
}

absl::Status DecodeCsv(KernelCall& c) {
  const CsvState& state = c.state<CsvState>();
  const Tensor& records = c.input(0);
  const int columns = c.num_outputs();
  std::vector<Tensor*> outputs;
  for (int k = 0; k < columns; ++k) {
    const Tensor& fallback = c.input(1 + k);
    RETURN_IF_ERROR(ExpectDefault(fallback.dims(), k));
    ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(k, fallback.dtype(), records.dims()));
    outputs.push_back(output);
  }
  for (int64_t i = 0; i < records.num_elements(); ++i) {
    ASSIGN_OR_RETURN(const std::vector<std::string> fields, Fields(state, records.data<String>()[i], i));
    if (static_cast<int>(fields.size()) != columns) {
      return BadRecord(absl::StrCat(columns, " fields, got ", fields.size()), i);
    }
    for (int k = 0; k < columns; ++k) {
      RETURN_IF_ERROR(DispatchDType<kFieldTypes>(outputs[k]->dtype(), absl::OkStatus(), [&]<typename T>() {
        return Place<T>(state, fields[k], c.input(1 + k), k, i, outputs[k]);
      }));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> DecodeCsvKernel(const NodeInfo& node) {
  auto state = std::make_shared<CsvState>();
  ASSIGN_OR_RETURN(const std::string delimiter, node.Str("field_delim"));
  ASSIGN_OR_RETURN(state->quotes, node.Bool("use_quote_delim"));
  ASSIGN_OR_RETURN(state->na_value, node.Str("na_value"));
  ASSIGN_OR_RETURN(state->columns, node.Ints("select_cols"));
  if (delimiter.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("field_delim: expected one byte, got '", delimiter, "'"));
  }
  state->delimiter = delimiter[0];
  if (!state->columns.empty() && static_cast<int>(state->columns.size()) != node.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("select_cols: expected ", node.num_outputs(), " values, got ", state->columns.size()));
  }
  for (size_t k = 0; k < state->columns.size(); ++k) {
    if (state->columns[k] > (k > 0 ? state->columns[k - 1] : -1)) continue;
    return absl::InvalidArgumentError(absl::StrCat("select_cols: expected values >= 0 that increase, got ", state->columns[k]));
  }
  return Kernel{.fn = &RunKernel<DecodeCsv>, .state = std::move(state)};
}

absl::Status DecodeCsvShape(ShapeContext& c) {
  for (int k = 0; k < c.num_outputs(); ++k) {
    const PartialShape& fallback = c.input(1 + k);
    if (fallback.has_rank()) RETURN_IF_ERROR(ExpectDefault(fallback.dims(), k));
    c.SetOutput(k, c.input(0));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterCsvOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("DecodeCSV"),
                      .doc = "The fields of records of comma-separated values",
                      .shape = DecodeCsvShape,
                      .kernel = DecodeCsvKernel,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
