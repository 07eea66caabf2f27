#include "runtime/data/csv.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& path) : rest_(text.data(), text.size()), path_(path) {
    absl::ConsumePrefix(&rest_, "\xef\xbb\xbf");
  }
  bool AtEnd() const { return rest_.empty(); }
  int64_t line() const { return line_; }

  absl::Status Error(const std::string& what) const {
    return absl::InvalidArgumentError(absl::StrCat("file '", path_, "', line ", line_, ": ", what));
  }
  // The fields of the next row, and the line where it began. Requires: !AtEnd().
  absl::Status ReadRow(std::vector<std::string>* fields) {
    fields->clear();
    line_ = next_line_;
    do {
      fields->emplace_back();
      RETURN_IF_ERROR(ReadField(&fields->back()));
    } while (absl::ConsumePrefix(&rest_, ","));
    if (!absl::ConsumePrefix(&rest_, "\r\n")) absl::ConsumePrefix(&rest_, "\n");
    ++next_line_;
    return absl::OkStatus();
  }

 private:
  absl::Status ReadField(std::string* field) {
    if (!absl::ConsumePrefix(&rest_, "\"")) {
      const size_t end = std::min(rest_.find_first_of(",\n"), rest_.size());
      absl::string_view bare = rest_.substr(0, end);
      rest_.remove_prefix(end);
      if (absl::StartsWith(rest_, "\n")) absl::ConsumeSuffix(&bare, "\r");
      if (bare.find('"') != absl::string_view::npos) return Error("expected quotes around a whole field, got one inside");
      field->assign(bare.data(), bare.size());
      return absl::OkStatus();
    }
    while (true) {
      const size_t quote = rest_.find('"');
      if (quote == absl::string_view::npos) return Error("expected a quote that closes a field, got the end of the file");
      const absl::string_view piece = rest_.substr(0, quote);
      next_line_ += std::count(piece.begin(), piece.end(), '\n');
      absl::StrAppend(field, piece);
      rest_.remove_prefix(quote + 1);
      if (!absl::ConsumePrefix(&rest_, "\"")) break;
      field->push_back('"');
    }
    if (!rest_.empty() && rest_[0] != ',' && rest_[0] != '\n' && !absl::StartsWith(rest_, "\r\n")) {
      return Error("expected a comma or the end of the line behind a quoted field");
    }
    return absl::OkStatus();
  }

  absl::string_view rest_;
  const std::string& path_;
  int64_t line_ = 1, next_line_ = 1;
};

absl::string_view Trimmed(const std::string& field) { return absl::StripAsciiWhitespace(field); }

// All fields as T by `parse`; nullopt if one of them is none.
template <typename T, typename Parse>
std::optional<Tensor> AllAs(const std::vector<std::string>& fields, const Parse& parse) {
  std::vector<T> values(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!parse(Trimmed(fields[i]), &values[i])) return std::nullopt;
  }
  return Tensor::Vector<T>(absl::Span<const T>(values));
}

Tensor ColumnOf(const std::vector<std::string>& fields) {
  const auto integer = [](absl::string_view field, int64_t* value) { return absl::SimpleAtoi(field, value); };
  const auto number = [](absl::string_view field, float* value) { return absl::SimpleAtof(field, value); };
  if (const auto integers = AllAs<int64_t>(fields, integer)) return *integers;
  if (const auto numbers = AllAs<float>(fields, number)) return *numbers;
  const std::vector<String> strings(fields.begin(), fields.end());
  return Tensor::Vector<String>(absl::Span<const String>(strings));
}

}  // namespace

absl::StatusOr<std::vector<std::pair<std::string, Tensor>>> ParseCsv(std::string_view text, const std::string& path) {
  CsvParser parser(text, path);
  std::vector<std::string> names, row;
  if (parser.AtEnd()) return parser.Error("expected a line of names, got the end of the file");
  RETURN_IF_ERROR(parser.ReadRow(&names));
  std::set<std::string> seen;
  for (std::string& name : names) {
    name = std::string(Trimmed(name));
    if (name.empty() || !seen.insert(name).second) return parser.Error(absl::StrCat("expected names that differ, got '", name, "'"));
  }
  std::vector<std::vector<std::string>> columns(names.size());
  while (!parser.AtEnd()) {
    RETURN_IF_ERROR(parser.ReadRow(&row));
    if (row.size() == 1 && row[0].empty() && names.size() > 1) continue;  // an empty line
    if (row.size() != names.size()) return parser.Error(absl::StrCat("expected ", names.size(), " fields, got ", row.size()));
    for (size_t i = 0; i < row.size(); ++i) columns[i].push_back(std::move(row[i]));
  }
  if (columns[0].empty()) return parser.Error("expected rows below the names, got none");
  std::vector<std::pair<std::string, Tensor>> table;
  for (size_t i = 0; i < names.size(); ++i) table.emplace_back(names[i], ColumnOf(columns[i]));
  return table;
}

}  // namespace flowlatch
