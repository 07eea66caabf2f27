// Features of tf.train.Example as tensors: columns of a batch of rows, in which features may be missing.
#ifndef FLOWLATCH_OPS_KERNELS_FEATURES_H_
#define FLOWLATCH_OPS_KERNELS_FEATURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "flowlatch/proto/feature.pb.h"
#include "graph/tensor/tensor.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

inline constexpr DTypeSet kFeatureTypes{DType::kFloat32, DType::kInt64, DType::kString};

// kInvalid for a feature that has no list of values.
DType FeatureType(const proto::Feature& feature);
int64_t FeatureSize(const proto::Feature& feature);
// Writes the feature's values to elements of `to` from `at` on. Requires: its dtype, and that they fit.
void CopyFeature(const proto::Feature& feature, Tensor& to, int64_t at);

// The feature of that key, null when it is missing or has no list. `where` begins the error.
// Errors: InvalidArgument for values of another dtype.
absl::StatusOr<const proto::Feature*> FindFeature(const proto::Features& features, const std::string& key, DType dtype,
                                                  const std::string& where);
// The same for a feature that is there. Null if it has no list.
absl::StatusOr<const proto::Feature*> TypedFeature(const proto::Feature& feature, DType dtype, const std::string& where);

using FeatureRows = std::vector<const proto::Feature*>;

// A dense column. Its first dimension may be unknown; then rows are as long as the longest.
struct DenseColumn {
  PartialShape shape;
  bool variable = false;
  int64_t stride = 0;  // elements of a row, or of one step of it if its first dimension is unknown

  // Errors: InvalidArgument for a shape of unknown rank or with other unknown dimensions.
  static absl::StatusOr<DenseColumn> Of(const PartialShape& shape);
  // Errors: InvalidArgument for a default value that does not fit: of the column's shape or empty, or for variable ones a
  // single element.
  absl::Status CheckDefault(const Tensor& value, const std::string& key) const;
};

// The functions below make outputs of one feature for each row. batched: rows make a dimension; else there is one row and
// the outputs are that row.

// Outputs first, first + step and first + 2 * step: the values of a sparse tensor in which each row's values stand in order.
absl::Status SetSparseColumn(KernelCall& c, int first, int step, DType dtype, const FeatureRows& rows, bool batched);
// All values, and where each row's end; without a batch there are no splits.
absl::Status SetRaggedColumn(KernelCall& c, int values, int splits, DType dtype, DType split_type, const FeatureRows& rows,
                             bool batched);
// Errors also: InvalidArgument for a feature that is missing and has no default, or has another number of values.
// where(i) names row i.
absl::Status SetDenseColumn(KernelCall& c, int output, const DenseColumn& column, const std::string& key,
                            const Tensor& default_value, const FeatureRows& rows, bool batched,
                            const std::vector<std::string>& where);

// Output i: these values, which do not decrease, as int32 or int64. Errors: InvalidArgument when the last does not fit.
absl::Status SetSplits(KernelCall& c, int i, DType dtype, absl::Span<const int64_t> splits);

// Output i: the values of all features, one after the other.
absl::Status SetAllValues(KernelCall& c, int i, DType dtype, const FeatureRows& rows);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_FEATURES_H_
