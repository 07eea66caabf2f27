// ShapeContext: what a shape function sees of a node, and where it puts its answer.
#ifndef FLOWLATCH_GRAPH_SCHEMA_SHAPE_CONTEXT_H_
#define FLOWLATCH_GRAPH_SCHEMA_SHAPE_CONTEXT_H_

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/schema/attr.h"
#include "graph/schema/op_schema.h"

namespace flowlatch {

// What is known of the tensors behind a handle or in a variant: a variable's value, the items of a list.
struct HandleData {
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

// Inputs may be unknown wholly or in part; an answer may be too. Outputs that are not set stay unknown.
class ShapeContext {
 public:
  ShapeContext(const OpSchema& schema, const AttrMap& attrs, std::vector<PartialShape> inputs,
               std::vector<const Tensor*> constants, int num_outputs)
      : schema_(schema), attrs_(attrs), inputs_(std::move(inputs)), constants_(std::move(constants)),
        outputs_(num_outputs) {}

  // handles: null where nothing is known; may be empty.
  void SetInputHandles(std::vector<const HandleData*> handles) { input_handles_ = std::move(handles); }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  const PartialShape& input(int i) const { return inputs_[i]; }
  // The value of input i if it is known before the run, else null.
  const Tensor* constant(int i) const { return constants_[i]; }
  // What is known of what input i holds; null if nothing, and for inputs that hold nothing.
  const HandleData* input_handle(int i) const {
    return i < static_cast<int>(input_handles_.size()) ? input_handles_[i] : nullptr;
  }

  // Input i must have this rank (or unknown). Errors: InvalidArgument otherwise.
  absl::StatusOr<PartialShape> WithRank(int i, int rank) const;
  absl::StatusOr<PartialShape> WithRankAtLeast(int i, int rank) const;
  absl::Status ExpectScalar(int i) const { return WithRank(i, 0).status(); }
  absl::Status ExpectVector(int i) const { return WithRank(i, 1).status(); }
  // Input i, an int32 or int64 vector, read as a shape (-1: unknown). Of unknown rank if nothing is known, and of known
  // rank if only the vector's length is.
  absl::StatusOr<PartialShape> InputAsShape(int i) const;
  // Input i as integers if constant, else nullopt. Errors: InvalidArgument when it is no int32 or int64.
  absl::StatusOr<std::optional<Dims>> ConstantInts(int i) const;
  // Input i as one integer if constant, else nullopt.
  absl::StatusOr<std::optional<int64_t>> ConstantInt(int i) const;

  // The attr or its default as T. Errors: InvalidArgument when absent or of another kind.
  template <typename T>
  absl::StatusOr<T> AttrAs(std::string_view name) const {
    const Attr* attr = schema_.AttrOrDefault(attrs_, name);
    const T* value = attr != nullptr ? attr->Get<T>() : nullptr;
    if (value == nullptr) return MissingAttr(name);
    return *value;
  }
  absl::StatusOr<int64_t> Int(std::string_view name) const { return AttrAs<int64_t>(name); }
  absl::StatusOr<bool> Bool(std::string_view name) const { return AttrAs<bool>(name); }
  absl::StatusOr<std::string> Str(std::string_view name) const { return AttrAs<std::string>(name); }
  absl::StatusOr<std::vector<int64_t>> Ints(std::string_view name) const { return AttrAs<std::vector<int64_t>>(name); }
  const AttrMap& attrs() const { return attrs_; }
  const OpSchema& schema() const { return schema_; }

  void SetOutput(int i, PartialShape shape) { outputs_[i] = std::move(shape); }
  const std::vector<PartialShape>& outputs() const { return outputs_; }
  void SetOutputHandle(int i, HandleData data) {
    output_handles_.resize(outputs_.size());
    output_handles_[i] = std::move(data);
  }
  // Empty if no output has any.
  std::vector<std::optional<HandleData>>& output_handles() { return output_handles_; }

 private:
  absl::Status MissingAttr(std::string_view name) const;

  const OpSchema& schema_;
  const AttrMap& attrs_;
  std::vector<PartialShape> inputs_;
  std::vector<const Tensor*> constants_;
  std::vector<PartialShape> outputs_;
  std::vector<const HandleData*> input_handles_;
  std::vector<std::optional<HandleData>> output_handles_;
};

// Shape functions that many ops share.
namespace shapes {
absl::Status Unknown(ShapeContext& c);             // says nothing, on purpose
absl::Status Scalar(ShapeContext& c);              // every output is a scalar
absl::Status SameAsInput(ShapeContext& c);         // every output is like input 0, what it holds included
absl::Status MergeOfInputs(ShapeContext& c);       // output 0: all inputs have one shape
absl::Status Broadcast(ShapeContext& c);           // output 0: inputs 0 and 1 broadcast
absl::Status NoOutputs(ShapeContext& c);           // ops without outputs
}  // namespace shapes

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_SCHEMA_SHAPE_CONTEXT_H_
