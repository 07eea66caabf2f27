// Datasets that give the elements of others, as they are, but not all or not once.
//   RepeatDataset: `count` times, for ever if that is negative, unless there are no elements.
//   TakeDataset, SkipDataset: the first `count`, and those after them; all of them if it is negative.
//   ShardDataset: each num_shards-th, from number `index` on. With require_non_empty, a shard that has one must not be alone
//     in that.
//   ZipDataset: tuples of elements, up to the end of the shortest.   ConcatenateDataset: one dataset, then the other.
//   CacheDataset, V2: keeps what it gives; when it has given all, iterators get it from there. Only in memory. V2's cache is
//     a resource that datasets may share.
//   PrefetchDataset: gets up to buffer_size elements before they are asked for (-1: as many as seem good).
//   OptionsDataset, ModelDataset, OptimizeDataset, V2: the input; nothing here needs their hints.
#include "ops/dataset_order_ops.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/read_ahead.h"
#include "ops/kernels/resource_names.h"

namespace flowlatch {
namespace {

constexpr int64_t kDefaultAhead = 8;
constexpr int64_t kMaxAhead = 1 << 20;

// Passes over `count` elements. False: there were fewer.
absl::StatusOr<bool> PassOver(ElementIterator& input, StepContext& step, int64_t count) {
  Element passed;
  for (int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const bool more, input.Next(step, &passed));
    if (!more) return false;
  }
  return true;
}

// ---- RepeatDataset

class RepeatDataset final : public DatasetOfInput {
 public:
  RepeatDataset(ElementSpec spec, DatasetPtr input, int64_t times)
      : DatasetOfInput(std::move(spec), std::move(input)), count(times) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return IteratorPtr(std::make_unique<Iterator>(this, scope));
  }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (count == 0 || n == 0) return 0;
    if (count < 0) return kInfiniteCardinality;
    if (n < 0) return n;
    return CheckedMul(n, count).value_or(kUnknownCardinality);
  }

  const int64_t count;

 private:
  class Iterator final : public IteratorOf<RepeatDataset> {
   public:
    Iterator(const RepeatDataset* dataset, std::shared_ptr<IteratorScope> scope)
        : IteratorOf(dataset), scope_(std::move(scope)) {}

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      while (rounds_ != dataset().count) {
        if (input_ == nullptr) {
          ASSIGN_OR_RETURN(input_, dataset().input().MakeIterator(scope_));
          is_first_ = true;
        }
        ASSIGN_OR_RETURN(const bool more, input_->Next(step, element));
        if (more) {
          is_first_ = false;
          return true;
        }
        input_ = nullptr;
        if (dataset().count >= 0) {
          ++rounds_;
        } else if (is_first_) {
          rounds_ = dataset().count;  // without elements there is nothing to repeat
        }
      }
      return false;
    }

   private:
    const std::shared_ptr<IteratorScope> scope_;
    IteratorPtr input_;  // null between rounds
    bool is_first_ = true;
    int64_t rounds_ = 0;
  };
};

absl::Status MakeRepeat(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(const int64_t count, ReadIntScalar(c.input(1), "count"));
  return OutputNew<RepeatDataset>(c, std::move(input), count);
}

// ---- TakeDataset and SkipDataset

class TakeDataset final : public DatasetOfInput {
 public:
  TakeDataset(ElementSpec spec, DatasetPtr input, int64_t number)
      : DatasetOfInput(std::move(spec), std::move(input)), count(number) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    if (count < 0) return input().MakeIterator(scope);
    return MakeIteratorOfInput<Iterator>(this, scope);
  }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (count < 0 || n == kUnknownCardinality) return n;
    return n == kInfiniteCardinality ? count : std::min(n, count);
  }

  const int64_t count;

 private:
  class Iterator final : public IteratorOfInput<TakeDataset> {
   public:
    using IteratorOfInput::IteratorOfInput;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      if (taken_ == dataset().count) return false;
      ASSIGN_OR_RETURN(const bool more, input().Next(step, element));
      if (more) ++taken_;
      return more;
    }

   private:
    int64_t taken_ = 0;
  };
};

class SkipDataset final : public DatasetOfInput {
 public:
  SkipDataset(ElementSpec spec, DatasetPtr input, int64_t number)
      : DatasetOfInput(std::move(spec), std::move(input)), count(number) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfInput<Iterator>(this, scope);
  }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (count < 0) return 0;
    return n < 0 ? n : n - std::min(n, count);
  }

  const int64_t count;

 private:
  class Iterator final : public IteratorOfInput<SkipDataset> {
   public:
    using IteratorOfInput::IteratorOfInput;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      if (dataset().count < 0) return false;
      if (!skipped_) {
        ASSIGN_OR_RETURN(const bool more, PassOver(input(), step, dataset().count));
        if (!more) return false;
        skipped_ = true;
      }
      return input().Next(step, element);
    }

   private:
    bool skipped_ = false;
  };
};

template <typename D>
absl::Status MakeCounted(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(const int64_t count, ReadIntScalar(c.input(1), "count"));
  return OutputNew<D>(c, std::move(input), count);
}

// ---- ShardDataset

class ShardDataset final : public DatasetOfInput {
 public:
  ShardDataset(ElementSpec spec, DatasetPtr input, int64_t shards, int64_t shard, bool none_empty)
      : DatasetOfInput(std::move(spec), std::move(input)), num_shards(shards), index(shard), require_non_empty(none_empty) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfInput<Iterator>(this, scope);
  }
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    return n < 0 ? n : n / num_shards + (index < n % num_shards ? 1 : 0);
  }

  const int64_t num_shards, index;
  const bool require_non_empty;

 private:
  class Iterator final : public IteratorOfInput<ShardDataset> {
   public:
    using IteratorOfInput::IteratorOfInput;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      const ShardDataset& shard = dataset();
      ASSIGN_OR_RETURN(bool more, PassOver(input(), step, before_.value_or(shard.index)));
      if (!more) return false;
      const bool is_first = !before_.has_value();
      before_ = 0;
      ASSIGN_OR_RETURN(more, input().Next(step, element));
      if (!more) return false;
      before_ = shard.num_shards - 1;
      if (is_first && shard.require_non_empty) {
        const int64_t rest = shard.num_shards - 1 - shard.index;  // of the first round, which must be whole
        ASSIGN_OR_RETURN(more, PassOver(input(), step, rest));
        if (!more) {
          return absl::InvalidArgumentError(
              absl::StrCat("dataset to shard: expected at least ", shard.num_shards, " elements, got fewer"));
        }
        before_ = shard.index;
      }
      return true;
    }

   private:
    std::optional<int64_t> before_;  // elements of others before the next one; nullopt: nothing was given yet
  };
};

// ---- ZipDataset

class ZipDataset final : public GraphDataset {
 public:
  ZipDataset(ElementSpec spec, std::vector<DatasetPtr> inputs) : GraphDataset(std::move(spec)), inputs_(std::move(inputs)) {
    for (const DatasetPtr& input : inputs_) Holds(*input);
  }
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    std::vector<IteratorPtr> iterators;
    for (const DatasetPtr& input : inputs_) {
      ASSIGN_OR_RETURN(IteratorPtr iterator, input->MakeIterator(scope));
      iterators.push_back(std::move(iterator));
    }
    return IteratorPtr(std::make_unique<Iterator>(this, std::move(iterators)));
  }
  int64_t Cardinality() const override {
    int64_t least = kInfiniteCardinality;
    for (const DatasetPtr& input : inputs_) {
      const int64_t n = input->Cardinality();
      if (n == kUnknownCardinality) return n;
      if (n >= 0 && (least < 0 || n < least)) least = n;
    }
    return least;
  }

 private:
  class Iterator final : public IteratorOf<ZipDataset> {
   public:
    Iterator(const ZipDataset* dataset, std::vector<IteratorPtr> inputs) : IteratorOf(dataset), inputs_(std::move(inputs)) {}

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      if (inputs_.empty()) return false;
      element->clear();
      absl::Status failure;
      bool all = true;
      for (const IteratorPtr& input : inputs_) {  // also after a failure, so that they stay side by side
        Element part;
        const absl::StatusOr<bool> more = input->Next(step, &part);
        if (!more.ok()) {
          if (failure.ok()) failure = more.status();
          continue;
        }
        all = all && *more;
        std::move(part.begin(), part.end(), std::back_inserter(*element));
      }
      RETURN_IF_ERROR(failure);
      if (!all) inputs_.clear();
      return all;
    }

   private:
    std::vector<IteratorPtr> inputs_;  // empty at the end
  };

  const std::vector<DatasetPtr> inputs_;
};

absl::Status MakeZip(KernelCall& c) {
  std::vector<DatasetPtr> inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(i), "input_datasets"));
    inputs.push_back(std::move(input));
  }
  return OutputNew<ZipDataset>(c, std::move(inputs));
}

// ---- ConcatenateDataset

class ConcatenateDataset final : public GraphDataset {
 public:
  ConcatenateDataset(ElementSpec spec, DatasetPtr first, DatasetPtr second)
      : GraphDataset(std::move(spec)), inputs_{std::move(first), std::move(second)} {
    for (const DatasetPtr& input : inputs_) Holds(*input);
  }
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return IteratorPtr(std::make_unique<Iterator>(this, scope));
  }
  int64_t Cardinality() const override {
    const int64_t x = inputs_[0]->Cardinality(), y = inputs_[1]->Cardinality();
    if (x == kInfiniteCardinality || y == kInfiniteCardinality) return kInfiniteCardinality;
    if (x < 0 || y < 0) return kUnknownCardinality;
    return CheckedAdd(x, y).value_or(kUnknownCardinality);
  }

 private:
  class Iterator final : public IteratorOf<ConcatenateDataset> {
   public:
    Iterator(const ConcatenateDataset* dataset, std::shared_ptr<IteratorScope> scope)
        : IteratorOf(dataset), scope_(std::move(scope)) {}

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      for (; at_ < 2; ++at_, input_ = nullptr) {
        if (input_ == nullptr) {
          ASSIGN_OR_RETURN(input_, dataset().inputs_[at_]->MakeIterator(scope_));
        }
        ASSIGN_OR_RETURN(const bool more, input_->Next(step, element));
        if (more) return true;
      }
      return false;
    }

   private:
    const std::shared_ptr<IteratorScope> scope_;
    int at_ = 0;
    IteratorPtr input_;  // over input at_; null before its first element
  };

  const DatasetPtr inputs_[2];
};

absl::Status MakeConcatenation(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr first, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(DatasetPtr second, DatasetIn(c.input(1), "another_dataset"));
  if (first->spec().dtypes != second->spec().dtypes) {
    return absl::InvalidArgumentError("another_dataset: expected the dtypes of input_dataset, got others");
  }
  return OutputNew<ConcatenateDataset>(c, std::move(first), std::move(second));
}

// ---- CacheDataset

// Elements that iterators share once somebody has come to the end. Thread-safe.
class MemoryCache final : public Resource {
 public:
  static constexpr char kTypeName[] = "MemoryCache";
  using Elements = std::shared_ptr<const std::vector<Element>>;

  std::string TypeName() const override { return kTypeName; }
  // Null as long as they are not all there.
  Elements Get() const {
    std::lock_guard<std::mutex> lock(mu_);
    return elements_;
  }
  // The first call counts.
  void Complete(std::vector<Element> elements) {
    std::lock_guard<std::mutex> lock(mu_);
    if (elements_ == nullptr) elements_ = std::make_shared<const std::vector<Element>>(std::move(elements));
  }

 private:
  mutable std::mutex mu_;
  Elements elements_;  // guarded by mu_
};

class CacheDataset final : public DatasetOfInput {
 public:
  CacheDataset(ElementSpec spec, DatasetPtr input, RefPtr<MemoryCache> cache)
      : DatasetOfInput(std::move(spec), std::move(input)), cache_(std::move(cache)) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return IteratorPtr(std::make_unique<Iterator>(this, scope));
  }
  int64_t Cardinality() const override { return input().Cardinality(); }

 private:
  class Iterator final : public IteratorOf<CacheDataset> {
   public:
    Iterator(const CacheDataset* dataset, std::shared_ptr<IteratorScope> scope)
        : IteratorOf(dataset), scope_(std::move(scope)) {}

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      if (!started_) {
        cached_ = dataset().cache_->Get();
        if (cached_ == nullptr) {
          ASSIGN_OR_RETURN(input_, dataset().input().MakeIterator(scope_));
        }
        started_ = true;
      }
      if (cached_ != nullptr) {
        if (at_ == cached_->size()) return false;
        *element = (*cached_)[at_++];
        return true;
      }
      if (input_ == nullptr) return false;
      ASSIGN_OR_RETURN(const bool more, input_->Next(step, element));
      if (more) {
        given_.push_back(*element);
      } else {
        dataset().cache_->Complete(std::move(given_));
        input_ = nullptr;
      }
      return more;
    }

   private:
    const std::shared_ptr<IteratorScope> scope_;
    bool started_ = false;
    MemoryCache::Elements cached_;
    size_t at_ = 0;                // in cached_
    IteratorPtr input_;            // without cached_; null at the end
    std::vector<Element> given_;   // by input_
  };

  const RefPtr<MemoryCache> cache_;
};

absl::Status CheckInMemory(const Tensor& filename) {
  if (!filename.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("filename: expected a scalar, got shape ", filename.ShapeString()));
  }
  if (filename.scalar<String>().size() == 0) return absl::OkStatus();
  return absl::UnimplementedError("filename: expected an empty one (caches are in memory), got another");
}

absl::Status MakeCache(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  RETURN_IF_ERROR(CheckInMemory(c.input(1)));
  return OutputNew<CacheDataset>(c, std::move(input), MakeRef<MemoryCache>());
}

absl::Status MakeCacheV2(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  RETURN_IF_ERROR(CheckInMemory(c.input(1)));
  absl::StatusOr<RefPtr<MemoryCache>> cache = FindResource<MemoryCache>(c, 2);
  if (absl::IsNotFound(cache.status())) cache = MakeRef<MemoryCache>();  // a dummy's
  RETURN_IF_ERROR(cache.status());
  return OutputNew<CacheDataset>(c, std::move(input), *std::move(cache));
}

template <bool kHasDeleter>
absl::Status MakeMemoryCache(KernelCall& c) {
  c.SetOutput(0, OwningHandle(RefPtr<const RefCounted>(MakeRef<MemoryCache>()), MemoryCache::kTypeName, UniqueName("_cache")));
  if (kHasDeleter) c.SetOutput(1, Tensor::Scalar(Variant()));  // the cache goes with its last handle
  return absl::OkStatus();
}

absl::Status MakeDummyCache(KernelCall& c) {
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->container = kDefaultContainer;
  key->name = "_no_memory_cache";
  key->type_name = MemoryCache::kTypeName;
  c.SetOutput(0, Tensor::Scalar(ResourceHandle(RefPtr<const ResourceKey>(std::move(key)))));
  return absl::OkStatus();
}

absl::Status DeleteMemoryCache(KernelCall& c) { return FindResource<MemoryCache>(c, 0).status(); }

// ---- PrefetchDataset

class PrefetchDataset final : public DatasetOfInput {
 public:
  PrefetchDataset(ElementSpec spec, DatasetPtr input, int64_t ahead)
      : DatasetOfInput(std::move(spec), std::move(input)), ahead_(ahead) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    ASSIGN_OR_RETURN(IteratorPtr iterator, input().MakeIterator(scope));
    return ReadAhead(std::move(iterator), ahead_, scope);
  }
  int64_t Cardinality() const override { return input().Cardinality(); }

 private:
  const int64_t ahead_;
};

absl::Status MakePrefetch(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(const int64_t size, ReadIntScalar(c.input(1), "buffer_size"));
  if (size < -1) return absl::InvalidArgumentError(absl::StrCat("buffer_size: expected a number >= -1, got ", size));
  return OutputNew<PrefetchDataset>(c, std::move(input), size < 0 ? kDefaultAhead : std::min(size, kMaxAhead));
}

// ---- Kernels of what is left

class ShardState final : public DatasetState {
 public:
  bool require_non_empty = false;
};

absl::Status MakeShard(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(const int64_t num_shards, ReadIntScalar(c.input(1), "num_shards"));
  ASSIGN_OR_RETURN(const int64_t index, ReadIntScalar(c.input(2), "index"));
  if (num_shards <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("num_shards: expected a number > 0, got ", num_shards));
  }
  if (index < 0 || index >= num_shards) {
    return absl::InvalidArgumentError(absl::StrCat("index: expected a value in [0,", num_shards, "), got ", index));
  }
  return OutputNew<ShardDataset>(c, std::move(input), num_shards, index, c.state<ShardState>().require_non_empty);
}

absl::StatusOr<Kernel> ShardKernel(const NodeInfo& node) {
  auto state = std::make_shared<ShardState>();
  ASSIGN_OR_RETURN(state->spec, ElementSpec::Of(node));
  ASSIGN_OR_RETURN(state->require_non_empty, node.Bool("require_non_empty"));
  return Kernel{.fn = &RunKernel<MakeShard>, .state = std::move(state)};
}

absl::Status PassOn(KernelCall& c) {
  RETURN_IF_ERROR(DatasetIn(c.input(0)).status());
  c.SetOutput(0, c.TakeInput(0));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterDatasetOrderOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, const KernelFactory& kernel) {
    return library.Add({.signature = TensorFlowSignature(name), .doc = doc, .shape = shape, .kernel = kernel});
  };
  RETURN_IF_ERROR(add("RepeatDataset", "The elements of a dataset, over and over", ScalarInputs<2>, DatasetKernel<MakeRepeat>));
  RETURN_IF_ERROR(add("TakeDataset", "The first elements of a dataset", ScalarInputs<2>, DatasetKernel<MakeCounted<TakeDataset>>));
  RETURN_IF_ERROR(
      add("SkipDataset", "The elements of a dataset but the first", ScalarInputs<2>, DatasetKernel<MakeCounted<SkipDataset>>));
  RETURN_IF_ERROR(add("ShardDataset", "Every num_shards-th element of a dataset", ScalarInputs<3>, ShardKernel));
  RETURN_IF_ERROR(add("ZipDataset", "Tuples of the elements of several datasets", shapes::Scalar, DatasetKernel<MakeZip>));
  RETURN_IF_ERROR(add("ConcatenateDataset", "The elements of one dataset, then of another", ScalarInputs<2>,
                      DatasetKernel<MakeConcatenation>));
  RETURN_IF_ERROR(add("CacheDataset", "Keeps the elements of a dataset in memory", ScalarInputs<2>, DatasetKernel<MakeCache>));
  RETURN_IF_ERROR(add("CacheDatasetV2", "Keeps the elements of a dataset in a cache that may be shared", ScalarInputs<3>,
                      DatasetKernel<MakeCacheV2>));
  RETURN_IF_ERROR(add("AnonymousMemoryCache", "A cache for datasets", shapes::Scalar, PlainKernel<MakeMemoryCache<true>>));
  RETURN_IF_ERROR(add("DummyMemoryCache", "The handle of no cache: the dataset has its own", shapes::Scalar, PlainKernel<MakeDummyCache>));
  RETURN_IF_ERROR(add("DeleteMemoryCache", "Gives up a cache", ScalarInputs<1>, PlainKernel<DeleteMemoryCache>));
  RETURN_IF_ERROR(
      add("PrefetchDataset", "Gets elements before they are asked for", ScalarInputs<2>, DatasetKernel<MakePrefetch>));
  for (const char* name : {"OptionsDataset", "ModelDataset", "OptimizeDataset", "OptimizeDatasetV2"}) {
    RETURN_IF_ERROR(add(name, "The dataset as it is; nothing here needs such hints", shapes::Scalar, PlainKernel<PassOn>));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
