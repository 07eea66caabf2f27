#include "tools/graph_runner/ops.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/near_names.h"
#include "ops/default_ops.h"
#include "re2/re2.h"
#include "tools/graph_runner/errors.h"

namespace flowlatch {

absl::StatusOr<OpsReport> ListOps(const OpsOptions& options) {
  const re2::RE2 pattern(options.pattern, re2::RE2::Quiet);
  if (!pattern.ok()) return WithExit(ExitCode::kUsage, absl::InvalidArgumentError("pattern: " + pattern.error()));
  OpsReport report;
  NearNames near(options.pattern);
  for (const OpSchema* schema : DefaultOps().registry().Registered()) {
    near.Consider(schema->name());
    if (!re2::RE2::PartialMatch(schema->name(), pattern)) continue;
    OpReport op{schema->name(), schema->ToString(), schema->doc(), {}, schema->gradient() != nullptr};
    const DTypeSet dtypes = DefaultOps().KernelTypes(schema->name());
    for (int i = 1; i < kNumDTypes; ++i) {
      if (dtypes.contains(static_cast<DType>(i))) op.dtypes.push_back(static_cast<DType>(i));
    }
    report.ops.push_back(std::move(op));
  }
  if (!report.ops.empty()) return report;
  const bool elsewhere = !TensorFlowSignature(options.pattern).empty();
  return WithExit(
      ExitCode::kBadModel,
      absl::NotFoundError(absl::StrCat(
          "op '", options.pattern,
          "': ", elsewhere ? "TensorFlow has it, but it cannot run here" : "there is none of this name", near.Hint())));
}

}  // namespace flowlatch
