// Constants that are written in C++: numbers take the dtype that an op wants of them.
#ifndef FLOWLATCH_GRAPH_BUILD_LITERAL_H_
#define FLOWLATCH_GRAPH_BUILD_LITERAL_H_

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// `literal` as `dtype`. Integers become floats, rounded to the nearest; floats become integers only if they are whole.
// Errors: InvalidArgument for a value that `dtype` cannot hold, and for what is no number.
absl::StatusOr<Tensor> CastLiteral(const Tensor& literal, DType dtype);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_LITERAL_H_
