// Curves drawn with characters, for terminals.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_PLOT_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_PLOT_H_

#include <string>
#include <vector>

namespace flowlatch {

struct Curve {
  std::string name;
  std::vector<double> values;  // at equal distances; those that are not finite are left out
};

struct PlotOptions {
  int width = 64, height = 12;  // of the area inside the axes
  bool color = false;           // else each curve has a letter
  bool logarithmic = false;     // the vertical axis, if all values are above zero
};

// All curves over one another, stretched to the whole width, with a legend below. "" without a finite value.
std::string PlotText(const std::vector<Curve>& curves, const PlotOptions& options);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_PLOT_H_
