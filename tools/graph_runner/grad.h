// graph-runner grad: gradients of a model, built here.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_GRAD_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_GRAD_H_

#include "absl/status/statusor.h"
#include "tools/graph_runner/options.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// Builds the gradients, runs them on the inputs (zeros where none are given), and holds them against finite differences if asked to.
// Errors: kUsage without --of or --wrt; NotFound for unknown names; those of gradients and of the session.
absl::StatusOr<GradReport> GradOfModel(const GradOptions& options, const GlobalOptions& global);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_GRAD_H_
