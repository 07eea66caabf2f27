// Datasets whose elements are made of several elements, or are parts of them.
//   BatchDataset, V2, ParallelBatchDataset: batch_size elements of one shape, stacked; the last batch may be smaller.
//   PaddedBatchDataset, V2: filled up with padding_values to padded_shapes, where -1 is the largest of the batch.
//   UnbatchDataset: the rows of the components.
//   WindowDataset: for each component a dataset of `size` elements that are `stride` apart; the next window begins `shift`
//     elements later.
#include "ops/dataset_batch_ops.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/batch_dataset.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/items.h"
#include "ops/kernels/slice_copy.h"

namespace flowlatch {
namespace {

// ---- Batch

template <int kDropRemainder>  // the input that says whether; -1: no
absl::Status MakeBatch(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  Batching batching;
  ASSIGN_OR_RETURN(batching.size, ReadBatchSize(c, 1));
  if (kDropRemainder >= 0) {
    ASSIGN_OR_RETURN(batching.drop_remainder, ReadBoolScalar(c.input(std::max(kDropRemainder, 0)), "drop_remainder"));
  }
  return OutputDataset(c, BatchesOf(c.state<DatasetState>().spec, std::move(input), batching));
}

// ---- PaddedBatch

struct Padding {
  std::vector<Dims> shapes;  // of each component; -1: the largest of the batch
  Element values;            // scalars
};

// Copies the elements of `from` to the beginning of each row of a larger box whose elements have these strides.
template <typename T>
void CopyToCorner(const Tensor& from, int d, const T*& source, T* to, const std::vector<int64_t>& strides) {
  if (d == from.rank()) {
    *to = *source++;
    return;
  }
  if (d + 1 == from.rank()) {
    std::copy_n(source, from.dim(d), to);
    source += from.dim(d);
    return;
  }
  for (int64_t i = 0; i < from.dim(d); ++i) CopyToCorner(from, d + 1, source, to + i * strides[static_cast<size_t>(d)], strides);
}

// Component i of a batch.
absl::StatusOr<Tensor> StackPadded(const std::vector<Element>& elements, size_t i, const Dims& padded, const Tensor& value) {
  Dims dims = padded;
  for (const Element& element : elements) {
    const Tensor& t = element[i];
    if (t.dtype() != value.dtype()) {
      return absl::InvalidArgumentError(absl::StrCat("component ", i, ": expected ", std::string(DTypeName(value.dtype())),
                                                     ", got ", std::string(DTypeName(t.dtype()))));
    }
    if (t.rank() != static_cast<int>(padded.size())) {
      return absl::InvalidArgumentError(absl::StrCat("component ", i, " of a padded batch: expected elements of rank ",
                                                     padded.size(), ", got shape ", t.ShapeString()));
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      const int64_t size = t.dim(static_cast<int>(d));
      if (padded[d] >= 0 && size > padded[d]) {
        return absl::DataLossError(absl::StrCat("component ", i, " of a padded batch: expected at most ", padded[d],
                                                " in dimension ", d, ", got shape ", t.ShapeString()));
      }
      dims[d] = std::max(dims[d], size);
    }
  }
  ASSIGN_OR_RETURN(const Shape item, Shape::Make(dims));
  ASSIGN_OR_RETURN(const Shape shape, WithFirst(static_cast<int64_t>(elements.size()), dims));
  ASSIGN_OR_RETURN(Tensor batch, Tensor::Make(value.dtype(), shape));
  if (batch.num_elements() == 0) return batch;
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  WithStorageType(batch.dtype(), [&]<typename T>() {
    T* to = static_cast<T*>(batch.raw_mutable_data());
    std::fill_n(to, batch.num_elements(), *static_cast<const T*>(value.raw_data()));
    for (const Element& element : elements) {
      const T* source = static_cast<const T*>(element[i].raw_data());
      if (element[i].num_elements() > 0) CopyToCorner(element[i], 0, source, to, strides);
      to += item.num_elements();
    }
  });
  return batch;
}

class PaddedBatchDataset final : public DatasetOfInput {
 public:
  PaddedBatchDataset(ElementSpec spec, DatasetPtr input, const Batching& how, Padding with)
      : DatasetOfInput(std::move(spec), std::move(input)), batching(how), padding(std::move(with)) {
    Holds(padding.values);
  }
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfInput<Iterator>(this, scope);
  }
  int64_t Cardinality() const override {
    return NumBatches(input().Cardinality(), batching.size, batching.drop_remainder);
  }

  const Batching batching;
  const Padding padding;

 private:
  class Iterator final : public IteratorOfInput<PaddedBatchDataset> {
   public:
    using IteratorOfInput::IteratorOfInput;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      const Padding& padding = dataset().padding;
      ASSIGN_OR_RETURN(const std::vector<Element> elements, GetBatch(input(), step, dataset().batching));
      if (elements.empty()) return false;
      for (const Element& e : elements) {
        if (e.size() == padding.values.size()) continue;
        return absl::InvalidArgumentError(
            absl::StrCat("elements of a batch: expected ", padding.values.size(), " components, got ", e.size()));
      }
      element->clear();
      for (size_t i = 0; i < padding.values.size(); ++i) {
        ASSIGN_OR_RETURN(Tensor stacked, StackPadded(elements, i, padding.shapes[i], padding.values[i]));
        element->push_back(std::move(stacked));
      }
      return true;
    }
  };
};

template <bool kDropsRemainder>
absl::Status MakePaddedBatch(KernelCall& c) {
  const ElementSpec& spec = c.state<DatasetState>().spec;
  const int n = static_cast<int>(spec.dtypes.size());
  if (c.num_inputs() != 2 + 2 * n + (kDropsRemainder ? 1 : 0)) {
    return absl::InvalidArgumentError(absl::StrCat("padded_shapes: expected ", n, " of them, got another number"));
  }
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  Batching batching;
  ASSIGN_OR_RETURN(batching.size, ReadBatchSize(c, 1));
  if (kDropsRemainder) {
    ASSIGN_OR_RETURN(batching.drop_remainder, ReadBoolScalar(c.input(2 + 2 * n), "drop_remainder"));
  }
  const ElementSpec& unpadded = input->spec();
  if (static_cast<int>(unpadded.dtypes.size()) != n) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_dataset: expected ", n, " components, got ", unpadded.dtypes.size()));
  }
  Padding padding;
  for (int i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(Dims shape, ReadIntVector(c.input(2 + i), "padded_shapes"));
    for (const int64_t dim : shape) {
      if (dim < -1) return absl::InvalidArgumentError(absl::StrCat("padded_shapes: expected numbers >= -1, got ", dim));
    }
    padding.shapes.push_back(std::move(shape));
  }
  ASSIGN_OR_RETURN(padding.values, KeepInputs(c, 2 + n, 2 + 2 * n));
  for (int i = 0; i < n; ++i) {
    const Tensor& value = padding.values[static_cast<size_t>(i)];
    if (!value.is_scalar()) {
      return absl::InvalidArgumentError(absl::StrCat("padding_values: expected scalars, got shape ", value.ShapeString()));
    }
    if (value.dtype() != unpadded.dtypes[static_cast<size_t>(i)]) {
      return absl::InvalidArgumentError(absl::StrCat(
          "padding_values: expected ", std::string(DTypeName(unpadded.dtypes[static_cast<size_t>(i)])), " for component ", i,
          ", got ", std::string(DTypeName(value.dtype()))));
    }
  }
  return OutputNew<PaddedBatchDataset>(c, std::move(input), batching, std::move(padding));
}

// ---- Unbatch

class UnbatchDataset final : public DatasetOfInput {
 public:
  UnbatchDataset(ElementSpec spec, DatasetPtr input) : DatasetOfInput(std::move(spec), std::move(input)) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfInput<Iterator>(this, scope);
  }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n <= 0) return n;
    for (const PartialShape& shape : input().spec().shapes) {
      if (!shape.has_rank() || shape.dims().empty() || shape.dims()[0] < 0) continue;
      return CheckedMul(n, shape.dims()[0]).value_or(kUnknownCardinality);
    }
    return kUnknownCardinality;
  }

 private:
  class Iterator final : public IteratorOfInput<UnbatchDataset> {
   public:
    using IteratorOfInput::IteratorOfInput;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      while (at_ == rows_) {
        at_ = rows_ = 0;
        ASSIGN_OR_RETURN(const bool more, input().Next(step, &batch_));
        if (!more) return false;
        for (const Tensor& t : batch_) {
          if (t.rank() > 0 && t.dim(0) == batch_[0].dim(0)) continue;
          return absl::InvalidArgumentError(absl::StrCat("element to unbatch: expected components with the same rows, got shapes ",
                                                         batch_[0].ShapeString(), " and ", t.ShapeString()));
        }
        rows_ = batch_.empty() ? 0 : batch_[0].dim(0);
      }
      element->clear();
      for (const Tensor& t : batch_) element->push_back(RowAsItem(t, at_));
      ++at_;
      return true;
    }

   private:
    Element batch_;
    int64_t at_ = 0, rows_ = 0;  // of batch_
  };
};

absl::Status MakeUnbatch(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  return OutputNew<UnbatchDataset>(c, std::move(input));
}

// ---- Window

// Elements that are at hand, of one component.
class ListDataset final : public GraphDataset {
 public:
  ListDataset(ElementSpec spec, std::vector<Tensor> tensors) : GraphDataset(std::move(spec)), tensors_(std::move(tensors)) {
    Holds(tensors_);
  }
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>&) const override {
    return IteratorPtr(std::make_unique<Iterator>(this));
  }
  int64_t Cardinality() const override { return static_cast<int64_t>(tensors_.size()); }

 private:
  class Iterator final : public IteratorOf<ListDataset> {
   public:
    using IteratorOf::IteratorOf;

   protected:
    absl::StatusOr<bool> Get(StepContext&, Element* element) override {
      if (at_ == dataset().tensors_.size()) return false;
      *element = Element{dataset().tensors_[at_++]};
      return true;
    }

   private:
    size_t at_ = 0;
  };

  const std::vector<Tensor> tensors_;
};

struct Windows {
  int64_t size = 1, shift = 1, stride = 1;
  bool drop_remainder = false;
};

class WindowDataset final : public DatasetOfInput {
 public:
  WindowDataset(ElementSpec spec, DatasetPtr input, const Windows& how)
      : DatasetOfInput(std::move(spec), std::move(input)), windows(how) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfInput<Iterator>(this, scope);
  }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n < 0) return n;
    if (!windows.drop_remainder) return NumBatches(n, windows.shift, false);
    return n < span() ? 0 : (n - span()) / windows.shift + 1;
  }
  // Elements from the first of a window to its last.
  int64_t span() const {
    const auto distance = CheckedMul(windows.size - 1, windows.stride);
    return distance.has_value() ? CheckedAdd(*distance, 1).value_or(kMax) : kMax;
  }

  const Windows windows;

 private:
  static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

  class Iterator final : public IteratorOfInput<WindowDataset> {
   public:
    using IteratorOfInput::IteratorOfInput;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      const Windows& windows = dataset().windows;
      const int64_t span = dataset().span();
      for (Element next; !ended_ && static_cast<int64_t>(ahead_.size()) < span;) {
        ASSIGN_OR_RETURN(const bool more, input().Next(step, &next));
        ended_ = !more;
        if (more) ahead_.push_back(std::move(next));
      }
      const int64_t there = static_cast<int64_t>(ahead_.size());
      if (there == 0 || (there < span && windows.drop_remainder)) return false;
      RETURN_IF_ERROR(MakeWindow(element));
      ahead_.erase(ahead_.begin(), ahead_.begin() + std::min(windows.shift, there));
      Element passed;
      for (int64_t i = there; !ended_ && i < windows.shift; ++i) {
        ASSIGN_OR_RETURN(const bool more, input().Next(step, &passed));
        ended_ = !more;
      }
      return true;
    }

   private:
    absl::Status MakeWindow(Element* element) const {
      const ElementSpec& spec = dataset().input().spec();
      const Windows& windows = dataset().windows;
      std::vector<std::vector<Tensor>> components(spec.dtypes.size());
      int64_t taken = 0;
      for (size_t at = 0; at < ahead_.size() && taken < windows.size; ++taken) {
        if (ahead_[at].size() != components.size()) {
          return absl::InvalidArgumentError(absl::StrCat("elements of a window: expected ", components.size(),
                                                         " components, got ", ahead_[at].size()));
        }
        for (size_t i = 0; i < components.size(); ++i) components[i].push_back(ahead_[at][i]);
        if (static_cast<uint64_t>(windows.stride) >= ahead_.size() - at) break;
        at += static_cast<size_t>(windows.stride);
      }
      element->clear();
      for (size_t i = 0; i < components.size(); ++i) {
        auto list = MakeRef<ListDataset>(ElementSpec{{spec.dtypes[i]}, {spec.shapes[i]}}, std::move(components[i]));
        RETURN_IF_ERROR(list->CheckDepth());
        element->push_back(Tensor::Scalar(Variant(RefPtr<VariantObject>(std::move(list)))));
      }
      return absl::OkStatus();
    }

    std::deque<Element> ahead_;  // from the next window's first element on
    bool ended_ = false;
  };
};

absl::Status MakeWindows(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  Windows windows;
  int64_t* const numbers[] = {&windows.size, &windows.shift, &windows.stride};
  constexpr const char* kNames[] = {"size", "shift", "stride"};
  for (int i = 0; i < 3; ++i) {
    ASSIGN_OR_RETURN(*numbers[i], ReadIntScalar(c.input(1 + i), kNames[i]));
    if (*numbers[i] <= 0) {
      return absl::InvalidArgumentError(absl::StrCat(kNames[i], ": expected a number > 0, got ", *numbers[i]));
    }
  }
  ASSIGN_OR_RETURN(windows.drop_remainder, ReadBoolScalar(c.input(4), "drop_remainder"));
  return OutputNew<WindowDataset>(c, std::move(input), windows);
}

}  // namespace

absl::Status RegisterDatasetBatchOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, const KernelFactory& kernel) {
    return library.Add({.signature = TensorFlowSignature(name), .doc = doc, .shape = shape, .kernel = kernel});
  };
  constexpr std::string_view kBatchDoc = "Elements stacked in batches";
  RETURN_IF_ERROR(add("BatchDataset", kBatchDoc, ScalarInputs<2>, DatasetKernel<MakeBatch<-1>>));
  RETURN_IF_ERROR(add("BatchDatasetV2", kBatchDoc, ScalarInputs<3>, DatasetKernel<MakeBatch<2>>));
  RETURN_IF_ERROR(add("ParallelBatchDataset", kBatchDoc, ScalarInputs<4>, DatasetKernel<MakeBatch<3>>));
  constexpr std::string_view kPaddedDoc = "Elements filled up to one shape and stacked in batches";
  RETURN_IF_ERROR(add("PaddedBatchDataset", kPaddedDoc, ScalarInputs<2>, DatasetKernel<MakePaddedBatch<false>>));
  RETURN_IF_ERROR(add("PaddedBatchDatasetV2", kPaddedDoc, ScalarInputs<2>, DatasetKernel<MakePaddedBatch<true>>));
  RETURN_IF_ERROR(add("UnbatchDataset", "The rows of elements", ScalarInputs<1>, DatasetKernel<MakeUnbatch>));
  return add("WindowDataset", "Datasets of elements that follow each other", ScalarInputs<5>, DatasetKernel<MakeWindows>);
}

}  // namespace flowlatch
