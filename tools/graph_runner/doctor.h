// graph-runner doctor: what this machine and this build can do.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_DOCTOR_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_DOCTOR_H_

#include "tools/graph_runner/reports.h"

namespace flowlatch {

DoctorReport Doctor();

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_DOCTOR_H_
