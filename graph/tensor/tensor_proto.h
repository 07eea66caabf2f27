// TensorProto <-> Tensor, TensorShapeProto <-> Shape. What is read comes from files and is never trusted.
#ifndef FLOWLATCH_GRAPH_TENSOR_TENSOR_PROTO_H_
#define FLOWLATCH_GRAPH_TENSOR_TENSOR_PROTO_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/object.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

class TensorProto;       // proto/tensor.proto
class TensorShapeProto;  // proto/tensor_shape.proto

// Errors: InvalidArgument for dimensions below 0 (below -1 for partial shapes), too many of them, an element count
// beyond int64, or dimensions beside unknown_rank.
absl::StatusOr<Shape> ShapeFromProto(const TensorShapeProto& proto);
absl::StatusOr<PartialShape> PartialShapeFromProto(const TensorShapeProto& proto);
void ShapeToProto(absl::Span<const int64_t> dims, TensorShapeProto* proto);
void ShapeToProto(const PartialShape& shape, TensorShapeProto* proto);

// A variant of a kind that nobody here knows: what a file said of it.
class OpaqueVariant final : public VariantObject {
 public:
  OpaqueVariant(std::string type_name, std::string encoded)
      : type_name_(std::move(type_name)), encoded_(std::move(encoded)) {}
  std::string TypeName() const override { return type_name_; }
  const std::string& encoded() const { return encoded_; }  // a VariantTensorDataProto

 private:
  std::string type_name_;
  std::string encoded_;
};

// Values come from tensor_content, or from the field of the dtype: fewer than the shape has elements repeat the last one,
// none are zeros. Resource handles become keys, variants become OpaqueVariants.
// Errors: InvalidArgument for an unknown or reference dtype, a bad shape, or content of another size or in a field of
// another dtype; ResourceExhausted without memory.
absl::StatusOr<Tensor> TensorFromProto(const TensorProto& proto, Allocator* allocator = nullptr);

// Deterministic and compact: one value if all are the same bits, else raw content. `proto` is overwritten.
// Errors: InvalidArgument for a tensor without a value, Unimplemented for variants that files cannot hold.
absl::Status TensorToProto(const Tensor& tensor, TensorProto* proto);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TENSOR_TENSOR_PROTO_H_
