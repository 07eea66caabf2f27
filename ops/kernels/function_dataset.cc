#include "ops/kernels/function_dataset.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {

absl::Status FunctionDatasetState::Read(const NodeInfo& node, const char* attr) {
  if (node.schema().FindAttr("output_shapes") != nullptr) {
    ASSIGN_OR_RETURN(spec, ElementSpec::Of(node));
  }
  ASSIGN_OR_RETURN(function, DatasetFunction::Of(node, attr));
  return absl::OkStatus();
}

absl::StatusOr<Closure> FunctionDatasetState::Close(KernelCall& c, int first, int end, std::vector<DType> args,
                                                    absl::Span<const DType> results) const {
  Closure closure{function, {}};
  ASSIGN_OR_RETURN(closure.captured, KeepInputs(c, first, end));
  for (const Tensor& t : closure.captured) args.push_back(t.dtype());
  RETURN_IF_ERROR(function->CheckTypes(args, results));
  return closure;
}

absl::StatusOr<bool> CallPredicate(const BoundFunction& predicate, StepContext& step, const Element& element) {
  Element results;
  RETURN_IF_ERROR(predicate.Call(step, element, 1, &results));
  return ReadBoolScalar(results[0], "result of the predicate");
}

absl::Status AsErrorOfElement(absl::Status status) {
  if (!absl::IsOutOfRange(status)) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("function of a dataset: expected a result for each element, got the end: ", status.message()));
}

}  // namespace flowlatch
