// Rows from record files of tf.Example and tf.SequenceExample messages.
#ifndef FLOWLATCH_RUNTIME_DATA_EXAMPLE_DATASET_H_
#define FLOWLATCH_RUNTIME_DATA_EXAMPLE_DATASET_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "runtime/data/dataset.h"
#include "runtime/data/record_file.h"

namespace flowlatch {

// A feature to read, and the tensor that it becomes: int64 and float lists become any numbers, bytes become strings or, as one
// string of little-endian elements, any numbers.
struct FeatureSpec {
  std::string key;
  DType dtype = DType::kInvalid;
  PartialShape shape;  // one dimension may be unknown. Of unknown rank: a scalar for one value, else a vector
};

// Whether a message is an Example or, having feature lists, a SequenceExample.
enum class ExampleKind { kExample, kSequence };

// The features of one serialized message, in the order of `features`. A feature list has a first dimension more than its
// FeatureSpec says: the steps of the sequence, which must be of one shape.
// Errors: InvalidArgument for bytes that are no such message, features that are not there (with the nearest), and values of
// another kind or number.
absl::StatusOr<std::vector<Tensor>> ParseExample(std::string_view bytes, ExampleKind kind, const std::vector<FeatureSpec>& features);

// All records of `paths`, one file after another. Errors of Next: those of RecordReader and of ParseExample, with the file and
// the offset of the record. `files` must outlive it. Requires: at least one path.
std::unique_ptr<Dataset> ExampleDataset(FileSystem& files, std::vector<std::string> paths, ExampleKind kind,
                                        std::vector<FeatureSpec> features);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_DATA_EXAMPLE_DATASET_H_
