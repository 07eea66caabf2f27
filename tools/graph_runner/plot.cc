#include "tools/graph_runner/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace flowlatch {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

// The mean of what falls into each column; kNothing where nothing does, which happens to few values in many columns only if
// they are not finite.
std::vector<double> Columns(const std::vector<double>& values, int width) {
  std::vector<double> columns(static_cast<size_t>(width), kNothing);
  for (int column = 0; column < width; ++column) {
    const size_t n = values.size(), begin = static_cast<size_t>(column) * n / static_cast<size_t>(width);
    const size_t end = std::max(begin + 1, static_cast<size_t>(column + 1) * n / static_cast<size_t>(width));
    double sum = 0;
    int count = 0;
    for (size_t i = begin; i < std::min(end, n); ++i) {
      if (!std::isfinite(values[i])) continue;
      sum += values[i];
      ++count;
    }
    if (count > 0) columns[static_cast<size_t>(column)] = sum / count;
  }
  return columns;
}

std::string Marker(size_t curve, bool color) {
  if (!color) return std::string(1, static_cast<char>('a' + curve % 26));
  static constexpr int kColors[] = {34, 33, 32, 31, 35, 36};
  return absl::StrFormat("\x1b[%dm●\x1b[0m", kColors[curve % std::size(kColors)]);
}

}  // namespace

std::string PlotText(const std::vector<Curve>& curves, const PlotOptions& options) {
  std::vector<std::vector<double>> columns;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& curve : curves) {
    columns.push_back(Columns(curve.values, options.width));
    for (const double value : columns.back()) {
      if (std::isnan(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  if (low > high) return "";
  const bool logarithmic = options.logarithmic && low > 0;
  const auto scaled = [&](double value) { return logarithmic ? std::log(value) : value; };
  const double bottom = scaled(low), range = std::max(scaled(high) - bottom, 1e-12);
  const int rows = options.height - 1;
  std::vector<std::vector<std::string>> cells(static_cast<size_t>(options.height),
                                              std::vector<std::string>(static_cast<size_t>(options.width), " "));
  for (size_t curve = 0; curve < columns.size(); ++curve) {
    for (size_t x = 0; x < columns[curve].size(); ++x) {
      if (std::isnan(columns[curve][x])) continue;
      const auto above = static_cast<size_t>(std::lround((scaled(columns[curve][x]) - bottom) / range * rows));
      cells[static_cast<size_t>(rows) - above][x] = Marker(curve, options.color);
    }
  }
  std::string text;
  for (int row = 0; row < options.height; ++row) {
    const double at = bottom + range * (rows - row) / std::max(1, rows);
    const bool labelled = row == 0 || row == rows || row == rows / 2;
    absl::StrAppend(&text, labelled ? absl::StrFormat("%8.3g ┤", logarithmic ? std::exp(at) : at) : "         │");
    std::string line;
    for (const std::string& cell : cells[static_cast<size_t>(row)]) line += cell;
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  absl::StrAppend(&text, "         └");
  for (int i = 0; i < options.width; ++i) text += "─";
  text += "\n          ";
  for (size_t curve = 0; curve < curves.size(); ++curve) {
    absl::StrAppend(&text, curve > 0 ? "   " : "", Marker(curve, options.color), " ", curves[curve].name);
  }
  return text + "\n";
}

}  // namespace flowlatch
