// Reports as JSON for programs: one document, on one line.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_JSON_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_JSON_H_

#include <string>

#include "absl/status/status.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

std::string ShowJson(const ShowReport& report);
std::string RunJson(const RunReport& report);
std::string BenchJson(const BenchReport& report);
std::string OpsJson(const OpsReport& report);
std::string CompareJson(const CompareReport& report);
std::string CkptJson(const CkptReport& report);
std::string GradJson(const GradReport& report);
std::string DoctorJson(const DoctorReport& report);
// {"error": {"code": ..., "message": ..., "hint": ...}}
std::string ErrorJson(const absl::Status& status, const std::string& hint);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_JSON_H_
