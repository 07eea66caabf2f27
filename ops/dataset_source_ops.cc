// Datasets that begin a pipeline (ops/kernels/graph_dataset.h).
//   RangeDataset: start, start + step, .. before stop, as numbers of the one dtype in output_types; wraps if that is narrow.
//   TensorDataset: one element, its inputs.   TensorSliceDataset: element i is row i of each input.
//   SparseTensorSliceDataset: element i is row i of a sparse tensor, as indices, values and dense_shape; indices must be in
//     the order of the rows, and those beyond the last row count for nothing.
#include "ops/dataset_source_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/items.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// ---- RangeDataset

class RangeDataset final : public GraphDataset {
 public:
  RangeDataset(ElementSpec spec, int64_t first, int64_t stop, int64_t step)
      : GraphDataset(std::move(spec)), start(first), step(step), size(Size(first, stop, step)) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>&) const override {
    return IteratorPtr(std::make_unique<Iterator>(this));
  }
  int64_t Cardinality() const override {
    return static_cast<int64_t>(std::min<uint64_t>(size, std::numeric_limits<int64_t>::max()));
  }

  const int64_t start, step;
  const uint64_t size;

 private:
  class Iterator final : public IteratorOf<RangeDataset> {
   public:
    using IteratorOf::IteratorOf;

   protected:
    absl::StatusOr<bool> Get(StepContext&, Element* element) override {
      const RangeDataset& range = dataset();
      if (at_ == range.size) return false;
      const int64_t value =
          static_cast<int64_t>(static_cast<uint64_t>(range.start) + at_ * static_cast<uint64_t>(range.step));
      ++at_;
      element->resize(1);
      DispatchDType<kRealTypes>(range.spec().dtypes[0], 0, [&]<typename T>() {
        (*element)[0].SetScalar(static_cast<T>(value));
        return 0;
      });
      return true;
    }

   private:
    uint64_t at_ = 0;
  };

  static uint64_t Size(int64_t start, int64_t stop, int64_t step) {
    const bool up = step > 0;
    if (up ? start >= stop : start <= stop) return 0;
    const uint64_t distance = up ? static_cast<uint64_t>(stop) - static_cast<uint64_t>(start)
                                 : static_cast<uint64_t>(start) - static_cast<uint64_t>(stop);
    const uint64_t stride = up ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
    return (distance - 1) / stride + 1;
  }
};

absl::Status MakeRange(KernelCall& c) {
  ASSIGN_OR_RETURN(const int64_t start, ReadIntScalar(c.input(0), "start"));
  ASSIGN_OR_RETURN(const int64_t stop, ReadIntScalar(c.input(1), "stop"));
  ASSIGN_OR_RETURN(const int64_t step, ReadIntScalar(c.input(2), "step"));
  if (step == 0) return absl::InvalidArgumentError("step: expected a number that is not zero, got 0");
  return OutputNew<RangeDataset>(c, start, stop, step);
}

absl::StatusOr<Kernel> RangeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(Kernel kernel, DatasetKernel<MakeRange>(node));
  const ElementSpec& spec = static_cast<const DatasetState&>(*kernel.state).spec;
  if (spec.dtypes.size() != 1 || !kRealTypes.contains(spec.dtypes[0])) {
    return absl::InvalidArgumentError(
        absl::StrCat("attr 'output_types': expected one dtype of real numbers, got ", spec.dtypes.size(), " from ",
                     std::string(DTypeName(spec.dtypes[0]))));
  }
  return kernel;
}

// ---- TensorDataset

class TensorDataset final : public GraphDataset {
 public:
  TensorDataset(ElementSpec spec, Element components) : GraphDataset(std::move(spec)), components_(std::move(components)) {
    Holds(components_);
  }
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>&) const override {
    return IteratorPtr(std::make_unique<Iterator>(this));
  }
  int64_t Cardinality() const override { return 1; }

 private:
  class Iterator final : public IteratorOf<TensorDataset> {
   public:
    using IteratorOf::IteratorOf;

   protected:
    absl::StatusOr<bool> Get(StepContext&, Element* element) override {
      if (std::exchange(ended_, true)) return false;
      *element = dataset().components_;
      return true;
    }

   private:
    bool ended_ = false;
  };

  const Element components_;
};

absl::Status MakeTensors(KernelCall& c) {
  ASSIGN_OR_RETURN(Element components, KeepInputs(c, 0, c.num_inputs()));
  RETURN_IF_ERROR(c.state<DatasetState>().spec.CheckFits(components));
  return OutputNew<TensorDataset>(c, std::move(components));
}

// ---- TensorSliceDataset

class SliceDataset final : public GraphDataset {
 public:
  SliceDataset(ElementSpec spec, Element components) : GraphDataset(std::move(spec)), components_(std::move(components)) {
    Holds(components_);
  }
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>&) const override {
    return IteratorPtr(std::make_unique<Iterator>(this));
  }
  int64_t Cardinality() const override { return components_[0].dim(0); }

 private:
  class Iterator final : public IteratorOf<SliceDataset> {
   public:
    using IteratorOf::IteratorOf;

   protected:
    absl::StatusOr<bool> Get(StepContext&, Element* element) override {
      if (at_ == dataset().Cardinality()) return false;
      const Element& components = dataset().components_;
      element->resize(components.size());
      for (size_t i = 0; i < components.size(); ++i) (*element)[i] = RowAsItem(components[i], at_);
      ++at_;
      return true;
    }

   private:
    int64_t at_ = 0;
  };

  const Element components_;
};

absl::Status MakeSlices(KernelCall& c) {
  ASSIGN_OR_RETURN(Element components, KeepInputs(c, 0, c.num_inputs()));
  const ElementSpec& spec = c.state<DatasetState>().spec;
  for (size_t i = 0; i < components.size(); ++i) {
    const Tensor& t = components[i];
    if (t.rank() == 0) {
      return absl::InvalidArgumentError(absl::StrCat("component ", i, ": expected rows, got a scalar"));
    }
    if (t.dim(0) != components[0].dim(0)) {
      return absl::InvalidArgumentError(
          absl::StrCat("component ", i, ": expected ", components[0].dim(0), " rows, got shape ", t.ShapeString()));
    }
    const Shape row = Shape::FromValid(t.dims().subspan(1));
    if (!spec.shapes[i].CompatibleWith(row)) {
      return absl::InvalidArgumentError(absl::StrCat("component ", i, ": expected rows of shape ",
                                                     spec.shapes[i].ToString(), ", got shape ", t.ShapeString()));
    }
  }
  return OutputNew<SliceDataset>(c, std::move(components));
}

// ---- SparseTensorSliceDataset

class SparseSliceDataset final : public GraphDataset {
 public:
  SparseSliceDataset(ElementSpec spec, Tensor all_indices, Tensor all_values, Tensor shape)
      : GraphDataset(std::move(spec)), indices(std::move(all_indices)), values(std::move(all_values)), dense_shape(std::move(shape)) {
    Holds({&values, 1});
  }
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>&) const override {
    return IteratorPtr(std::make_unique<Iterator>(this));
  }
  int64_t Cardinality() const override { return dense_shape.data<int64_t>()[0]; }

  const Tensor indices, values, dense_shape;

 private:
  class Iterator final : public IteratorOf<SparseSliceDataset> {
   public:
    using IteratorOf::IteratorOf;

   protected:
    absl::StatusOr<bool> Get(StepContext&, Element* element) override {
      const SparseSliceDataset& all = dataset();
      if (row_ == all.Cardinality()) return false;
      const int64_t rank = all.indices.dim(1), end = all.indices.dim(0);
      const int64_t* const index = all.indices.data<int64_t>();
      int64_t next = at_;
      while (next < end && index[next * rank] == row_) ++next;
      ASSIGN_OR_RETURN(Tensor indices, Tensor::Make(DType::kInt64, {next - at_, rank - 1}));
      for (int64_t i = at_; i < next; ++i) {
        std::copy_n(index + i * rank + 1, rank - 1, indices.mutable_data<int64_t>() + (i - at_) * (rank - 1));
      }
      ASSIGN_OR_RETURN(Tensor values, RowsAsItem(all.values, at_, next - at_));
      *element = Element{std::move(indices), std::move(values),
                         Tensor::Vector(all.dense_shape.values<int64_t>().subspan(1))};
      at_ = next;
      ++row_;
      return true;
    }

   private:
    int64_t row_ = 0, at_ = 0;  // the next row, and the first of its values
  };
};

absl::Status MakeSparseSlices(KernelCall& c) {
  ASSIGN_OR_RETURN(const Element inputs, KeepInputs(c, 0, 3));
  const Tensor &indices = inputs[0], &values = inputs[1], &dense_shape = inputs[2];
  if (indices.rank() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("indices: expected a matrix, got shape ", indices.ShapeString()));
  }
  if (!values.is_vector() || values.dim(0) != indices.dim(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("values: expected a vector of ", indices.dim(0), ", got shape ", values.ShapeString()));
  }
  if (!dense_shape.is_vector() || dense_shape.dim(0) != indices.dim(1) || dense_shape.dim(0) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("dense_shape: expected a vector of ", std::max<int64_t>(indices.dim(1), 1),
                                                   ", got shape ", dense_shape.ShapeString()));
  }
  const int64_t rank = indices.dim(1);
  const int64_t* const dims = dense_shape.data<int64_t>();
  for (int64_t d = 0; d < rank; ++d) {
    if (dims[d] < 0) {
      return absl::InvalidArgumentError(absl::StrCat("dense_shape: expected numbers >= 0, got ", dims[d]));
    }
  }
  const int64_t* const index = indices.data<int64_t>();
  for (int64_t i = 0, row = 0; i < indices.num_elements(); row = index[i], i += rank) {
    if (index[i] < 0) return IndexOutOfRange("indices", i, indices.dims(), dims[0], index[i]);
    if (index[i] < row) {
      return absl::UnimplementedError(
          absl::StrCat("indices: expected them in the order of the rows, got row ", index[i], " after ", row));
    }
  }
  ElementSpec spec{{DType::kInt64, values.dtype(), DType::kInt64},
                   {PartialShape::Of({-1, rank - 1}), PartialShape::Of({-1}), PartialShape::Of({rank - 1})}};
  return OutputDataset(c, MakeRef<SparseSliceDataset>(std::move(spec), indices, values, dense_shape));
}

absl::Status RangeShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  return shapes::Scalar(c);
}

}  // namespace

absl::Status RegisterDatasetSourceOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, const KernelFactory& kernel) {
    return library.Add({.signature = TensorFlowSignature(name), .doc = doc, .shape = shape, .kernel = kernel});
  };
  RETURN_IF_ERROR(add("RangeDataset", "The numbers start, start + step, .. before stop", RangeShape, RangeKernel));
  RETURN_IF_ERROR(add("TensorDataset", "One element with these components", shapes::Scalar, DatasetKernel<MakeTensors>));
  RETURN_IF_ERROR(add("TensorSliceDataset", "Elements whose components are rows of these", shapes::Scalar, DatasetKernel<MakeSlices>));
  return add("SparseTensorSliceDataset", "The rows of a sparse tensor, each as a sparse tensor", shapes::Scalar,
             PlainKernel<MakeSparseSlices>);
}

}  // namespace flowlatch
