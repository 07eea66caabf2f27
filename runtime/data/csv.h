// Tables from comma-separated values (RFC 4180): a line of names, then rows.
#ifndef FLOWLATCH_RUNTIME_DATA_CSV_H_
#define FLOWLATCH_RUNTIME_DATA_CSV_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// The columns in their order, each a vector: int64 if all its fields are integers, else float32 if all are numbers, else string.
// Fields may be quoted ("" is a quote then) and hold line breaks; lines end with LF or CR LF; the first line may begin with a
// byte-order mark. `path`: of errors.
// Errors, which name the line: InvalidArgument for rows of another number of fields, a quote that is not closed or in the
// middle of a field, empty or double names, and no rows.
absl::StatusOr<std::vector<std::pair<std::string, Tensor>>> ParseCsv(std::string_view text, const std::string& path);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_DATA_CSV_H_
