// Datasets that graphs make: values in variants that say where elements, tuples of tensors, come from; and the iterators
// that get them.
#ifndef FLOWLATCH_OPS_KERNELS_GRAPH_DATASET_H_
#define FLOWLATCH_OPS_KERNELS_GRAPH_DATASET_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/numeric_variant.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {

class IteratorScope;  // ops/kernels/iterator_scope.h

using Element = absl::InlinedVector<Tensor, 1>;

// What is known of elements before there are any.
struct ElementSpec {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;

  // From attrs (output_types or Toutput_types) and output_shapes. Errors: InvalidArgument when they do not match.
  static absl::StatusOr<ElementSpec> Of(const NodeInfo& node);
  // Errors: InvalidArgument when elements of `other` could not be such elements. `what` names it.
  absl::Status CheckFits(const ElementSpec& other, const char* what) const;
  absl::Status CheckFits(const Element& element) const;
};

// Gives the elements of a dataset, one after another. Used by one thread at a time.
class ElementIterator {
 public:
  virtual ~ElementIterator() = default;
  // The next element; false at the end. Functions on the way run in the name of `step`. After an error one may go on.
  // Errors: those of what gives elements, interruptions of the step, ResourceExhausted when iterators are too deep in one
  // another or memory runs out.
  absl::StatusOr<bool> Next(StepContext& step, Element* element);

 protected:
  virtual absl::StatusOr<bool> Get(StepContext& step, Element* element) = 0;
};

using IteratorPtr = std::unique_ptr<ElementIterator>;

// Numbers of elements that are none.
inline constexpr int64_t kInfiniteCardinality = -1;
inline constexpr int64_t kUnknownCardinality = -2;

// Immutable.
class GraphDataset : public NumericVariant {
 public:
  const ElementSpec& spec() const { return spec_; }
  // Iterators may outlive everything but the session.
  virtual absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const = 0;
  // The number of elements, or one of the constants above.
  virtual int64_t Cardinality() const { return kUnknownCardinality; }
  // Errors: InvalidArgument when datasets and values are too deep in one another.
  absl::Status CheckDepth() const;

  std::string TypeName() const override { return "Dataset"; }
  absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const override;
  absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject& other) const override;
  int depth() const override { return depth_; }

 protected:
  explicit GraphDataset(ElementSpec spec) : spec_(std::move(spec)) {}
  // Says, in constructors, what the dataset holds.
  void Holds(const GraphDataset& input);
  void Holds(absl::Span<const Tensor> tensors);

 private:
  const ElementSpec spec_;
  int depth_ = 1;   // of values in values
  int length_ = 1;  // of the longest chain of datasets
  absl::Status too_deep_;
};

using DatasetPtr = RefPtr<const GraphDataset>;

// A dataset that changes what another one gives.
class DatasetOfInput : public GraphDataset {
 public:
  const GraphDataset& input() const { return *input_; }

 protected:
  DatasetOfInput(ElementSpec spec, DatasetPtr input) : GraphDataset(std::move(spec)), input_(std::move(input)) {
    Holds(*input_);
  }

 private:
  const DatasetPtr input_;
};

// An iterator over a D, which it keeps alive.
template <typename D>
class IteratorOf : public ElementIterator {
 public:
  explicit IteratorOf(const D* dataset) : dataset_(RefPtr<const D>::Share(dataset)) {}
  const D& dataset() const { return *dataset_; }

 private:
  const RefPtr<const D> dataset_;
};

// An iterator over a D whose elements come from an iterator over its input.
template <typename D>
class IteratorOfInput : public IteratorOf<D> {
 public:
  IteratorOfInput(const D* dataset, IteratorPtr input) : IteratorOf<D>(dataset), input_(std::move(input)) {}

 protected:
  ElementIterator& input() { return *input_; }

 private:
  const IteratorPtr input_;
};

// MakeIterator for those: an Iterator(dataset, iterator over the input).
template <typename Iterator, typename D>
absl::StatusOr<IteratorPtr> MakeIteratorOfInput(const D* dataset, const std::shared_ptr<IteratorScope>& scope) {
  absl::StatusOr<IteratorPtr> input = dataset->input().MakeIterator(scope);
  if (!input.ok()) return input.status();
  return IteratorPtr(std::make_unique<Iterator>(dataset, *std::move(input)));
}

// ---- For kernels

// The state of nodes that make datasets.
class DatasetState : public KernelState {
 public:
  ElementSpec spec;
};

// A kernel whose state is a DatasetState of the node's attrs.
template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> DatasetKernel(const NodeInfo& node) {
  auto state = std::make_shared<DatasetState>();
  absl::StatusOr<ElementSpec> spec = ElementSpec::Of(node);
  if (!spec.ok()) return spec.status();
  state->spec = *std::move(spec);
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

// The dataset in a variant. Errors: InvalidArgument for anything else; `what` names it.
absl::StatusOr<DatasetPtr> DatasetIn(const Tensor& t, const char* what = "input_dataset");

// Makes output 0 this dataset. Errors: InvalidArgument when it is too deep.
absl::Status OutputDataset(KernelCall& c, RefPtr<GraphDataset> dataset);

template <typename D, typename... Args>
absl::Status OutputNew(KernelCall& c, Args&&... args) {
  return OutputDataset(c, MakeRef<D>(c.state<DatasetState>().spec, std::forward<Args>(args)...));
}

// Inputs [first, end), which may be kept. Errors: ResourceExhausted where lent memory has to be copied.
absl::StatusOr<Element> KeepInputs(KernelCall& c, int first, int end);

// The value of a bool scalar. Errors: InvalidArgument.
absl::StatusOr<bool> ReadBoolScalar(const Tensor& t, const char* what);

// ---- Shape functions

// A scalar from inputs of which the first are scalars.
template <int kScalars>
absl::Status ScalarInputs(ShapeContext& c) {
  for (int i = 0; i < kScalars; ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  return shapes::Scalar(c);
}

// What output_shapes says, from a first input that is a scalar. Errors: InvalidArgument when it says too little or too much.
absl::Status DeclaredShapes(ShapeContext& c);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_GRAPH_DATASET_H_
