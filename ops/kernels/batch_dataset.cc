#include "ops/kernels/batch_dataset.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/items.h"
#include "ops/kernels/slice_copy.h"
#include "runtime/exec/background_work.h"

namespace flowlatch {
namespace {

class BatchDataset final : public DatasetOfInput {
 public:
  BatchDataset(ElementSpec spec, DatasetPtr input, const Batching& how)
      : DatasetOfInput(std::move(spec), std::move(input)), batching(how) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfInput<Iterator>(this, scope);
  }
  int64_t Cardinality() const override {
    return NumBatches(input().Cardinality(), batching.size, batching.drop_remainder);
  }

  const Batching batching;

 private:
  class Iterator final : public IteratorOfInput<BatchDataset> {
   public:
    using IteratorOfInput::IteratorOfInput;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      ASSIGN_OR_RETURN(std::vector<Element> elements, GetBatch(input(), step, dataset().batching));
      if (elements.empty()) return false;
      const size_t num_components = elements[0].size();
      element->clear();
      for (size_t i = 0; i < num_components; ++i) {
        ASSIGN_OR_RETURN(Tensor stacked, StackComponents(elements, i));
        element->push_back(std::move(stacked));
      }
      return true;
    }

   private:
    static absl::StatusOr<Tensor> StackComponents(const std::vector<Element>& elements, size_t i) {
      const Tensor& first = elements[0][i];
      for (const Element& element : elements) {
        if (element.size() == elements[0].size() && element[i].dtype() == first.dtype() && element[i].dims() == first.dims()) {
          continue;
        }
        return absl::InvalidArgumentError(absl::StrCat(
            "component ", i, " of a batch: expected ", first.DebugString(0), " as in its first element, got ",
            element.size() == elements[0].size() ? element[i].DebugString(0) : "another number of components"));
      }
      ASSIGN_OR_RETURN(const Shape shape, WithFirst(static_cast<int64_t>(elements.size()), first.dims()));
      ASSIGN_OR_RETURN(Tensor stacked, Tensor::Make(first.dtype(), shape));
      char* to = static_cast<char*>(stacked.raw_mutable_data());
      for (const Element& element : elements) {
        CopyElements(first.dtype(), element[i].raw_data(), to, first.num_elements());
        to += first.size_bytes();
      }
      return stacked;
    }
  };
};

}  // namespace

absl::StatusOr<int64_t> ReadBatchSize(const KernelCall& c, int i) {
  ASSIGN_OR_RETURN(const int64_t size, ReadIntScalar(c.input(i), "batch_size"));
  if (size > 0) return size;
  return absl::InvalidArgumentError(absl::StrCat("batch_size: expected a number > 0, got ", size));
}

RefPtr<GraphDataset> BatchesOf(ElementSpec spec, DatasetPtr input, const Batching& batching) {
  return MakeRef<BatchDataset>(std::move(spec), std::move(input), batching);
}

int64_t NumBatches(int64_t n, int64_t size, bool drop_remainder) {
  return n < 0 ? n : n / size + (drop_remainder || n % size == 0 ? 0 : 1);
}

absl::StatusOr<std::vector<Element>> GetBatch(ElementIterator& input, StepContext& step, const Batching& batching) {
  std::vector<Element> elements;
  absl::Status failure;
  int64_t taken = 0;
  for (; taken < batching.size; ++taken) {
    Element element;
    const absl::StatusOr<bool> more = input.Next(step, &element);
    if (more.ok() && !*more) break;
    if (more.ok()) {
      elements.push_back(std::move(element));
    } else {
      if (failure.ok()) failure = more.status();
      if (!batching.passes_over_error || !CheckInterrupted(step).ok()) break;
    }
  }
  RETURN_IF_ERROR(failure);
  if (taken < batching.size && batching.drop_remainder) elements.clear();
  return elements;
}

}  // namespace flowlatch
