// Reports as text for people.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_TEXT_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_TEXT_H_

#include <cstdint>
#include <string>

#include "graph/tensor/tensor.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

std::string ShowText(const ShowReport& report, const ShowOptions& options, const GlobalOptions& global);
std::string RunText(const RunReport& report, const GlobalOptions& global);
std::string BenchText(const BenchReport& report, const GlobalOptions& global);
std::string OpsText(const OpsReport& report, const OpsOptions& options, const GlobalOptions& global);
std::string CompareText(const CompareReport& report, const GlobalOptions& global);
std::string CkptText(const CkptReport& report, const GlobalOptions& global);
std::string GradText(const GradReport& report, const GlobalOptions& global);
std::string DoctorText(const DoctorReport& report, const GlobalOptions& global);

// The op types of a step by time, and the frames that it went through.
std::string StatsText(const StepStats& stats, const GlobalOptions& global);

// "float32[2,3]" and its values, rows below one another, with dots for what is too much to show.
std::string TensorText(const Tensor& tensor);
// "1.25 ms".
std::string DurationText(double ns);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_TEXT_H_
