// Pieces of reports as text: paint, sizes, tables.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_TABLE_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_TABLE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/graph_runner/options.h"

namespace flowlatch {

inline std::string Paint(const char* code, const std::string& text, const GlobalOptions& global) {
  return global.color ? absl::StrCat("\x1b[", code, "m", text, "\x1b[0m") : text;
}
inline std::string Bold(const std::string& text, const GlobalOptions& global) { return Paint("1", text, global); }
inline std::string Dim(const std::string& text, const GlobalOptions& global) { return Paint("2", text, global); }

inline std::string BytesText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? absl::StrCat(bytes, " B") : absl::StrFormat("%.3g %s", value, kUnits[unit]);
}

// Rows with columns as wide as their widest cell; numbers to the right.
class Table {
 public:
  explicit Table(std::vector<bool> right) : right_(std::move(right)) {}
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string Text(const char* indent = "  ") const {
    std::vector<size_t> widths(right_.size());
    for (const auto& row : rows_) {
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
      std::string line = indent;
      for (size_t i = 0; i < row.size(); ++i) {
        const std::string padding(widths[i] - row[i].size(), ' ');
        absl::StrAppend(&line, i > 0 ? "  " : "", right_[i] ? padding : "", row[i], right_[i] ? "" : padding);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      absl::StrAppend(&text, line, "\n");
    }
    return text;
  }

 private:
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_TABLE_H_
