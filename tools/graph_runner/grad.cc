#include "tools/graph_runner/grad.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/gradients.h"
#include "ops/default_ops.h"
#include "tools/gradients/check_gradients.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/opened_model.h"

namespace flowlatch {
namespace {

// The model's graph with the gradients in it.
absl::StatusOr<Graph> AddGradients(const GradOptions& options, const Graph& graph, CheckedGradients* added) {
  GraphBuilder b(DefaultOps().registry());
  b.Import(graph);
  Output y = b.Find(options.of);
  Outputs xs;
  GradientOptions gradient;
  for (const std::string& name : options.wrt) xs.push_back(b.Find(name));
  for (const std::string& name : options.stop) gradient.stop_gradients.push_back(b.Find(name));
  RETURN_IF_ERROR(b.status());
  if (options.second) {
    // d/dx of the sum of all elements of dy/dx.
    const std::vector<Grad> first = Gradients(b, {y}, xs, gradient);
    Output sum;
    for (const Grad& grad : first) {
      if (!grad.exists()) continue;
      const Output flat = b.Op("Reshape", {grad, {-1}}).output();
      const Output part = b.Op("Sum", {flat, {0}}).output();
      sum = sum ? sum + part : part;
    }
    RETURN_IF_ERROR(b.status());
    if (!sum) return absl::InvalidArgumentError(absl::StrCat("second gradient of '", options.of, "': expected a first one, got none: ", first[0].reason()));
    y = sum;
  }
  ASSIGN_OR_RETURN(*added, AddCheckedGradients(b, y, xs, gradient));
  return b.Build();
}

// What arrives at y: ones, as gradients have it.
absl::StatusOr<Tensor> Ones(const Tensor& like) {
  ASSIGN_OR_RETURN(Tensor ones, Tensor::Zeros(like.dtype(), like.shape()));
  for (int64_t i = 0; i < ones.num_elements(); ++i) {
    switch (ones.dtype()) {
      case DType::kFloat32: ones.mutable_data<float>()[i] = 1; break;
      case DType::kFloat64: ones.mutable_data<double>()[i] = 1; break;
      case DType::kFloat16: ones.mutable_data<Half>()[i] = Half(1.0f); break;
      case DType::kBFloat16: ones.mutable_data<BFloat16>()[i] = BFloat16(1.0f); break;
      default:
        return absl::InvalidArgumentError(absl::StrCat("gradient: expected an output of real floats, got ", std::string(DTypeName(ones.dtype()))));
    }
  }
  return ones;
}

}  // namespace

absl::StatusOr<GradReport> GradOfModel(const GradOptions& options, const GlobalOptions& global) {
  CheckedGradients added;
  ASSIGN_OR_RETURN(const OpenedModel opened, OpenForRun(options.model, !global.quiet, [&](const Graph& graph) { return AddGradients(options, graph, &added); }));
  ModelOptions step_options = options.model;
  step_options.outputs = {added.y};
  ASSIGN_OR_RETURN(StepRequest step, ResolveStep(opened, step_options, true));
  Feeds feeds;
  for (size_t i = 0; i < step.feeds.size(); ++i) {
    if (step.feeds[i] + ":0" != added.grad_y && step.feeds[i] != added.grad_y) feeds.emplace_back(step.feeds[i], step.inputs[i]);
  }
  ASSIGN_OR_RETURN(const std::vector<Tensor> y, opened.session->Run(feeds, {added.y}, {}));
  GradReport report;
  report.of = added.y;
  report.y = y[0];
  Feeds with_ones = feeds;
  ASSIGN_OR_RETURN(Tensor ones, Ones(y[0]));
  with_ones.emplace_back(added.grad_y, std::move(ones));
  for (size_t i = 0; i < added.xs.size(); ++i) {
    GradRow row;
    row.name = added.xs[i];
    row.reason = added.reasons[i];
    if (!added.grads[i].empty()) {
      ASSIGN_OR_RETURN(const std::vector<Tensor> value, opened.session->Run(with_ones, {added.grads[i]}, {}));
      row.value = value[0];
    }
    report.rows.push_back(std::move(row));
  }
  if (!options.check) return report;
  ASSIGN_OR_RETURN(const std::vector<GradientCheck> checks, CheckGradients(*opened.session, added, feeds));
  report.checked = true;
  for (size_t i = 0; i < checks.size(); ++i) {
    GradRow& row = report.rows[i];
    row.elements = checks[i].elements;
    row.max_error = checks[i].max_error;
    row.agrees = !checks[i].reason.empty() || checks[i].Agrees(options.tolerance);
    report.differing += !row.agrees;
  }
  return report;
}

}  // namespace flowlatch
