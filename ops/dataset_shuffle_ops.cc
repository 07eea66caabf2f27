// Datasets in an order that seeds name, the same as TensorFlow's.
//   ShuffleDataset, V2, V3: each element is drawn from a buffer of buffer_size (-2: of all), into which the next one goes.
//   ShuffleAndRepeatDataset, V2: the same for `count` rounds (-1: for ever), filling the buffer with the next round's
//     elements while there are some of this round.
// A generator names two seeds for each iterator (and round), or with reshuffle_each_iteration false always its own two. V1 and
// what has no generator to share get one from seed and seed2, or from any seeds if both are 0.
//   AnonymousSeedGenerator, AnonymousRandomSeedGenerator: a generator that several datasets share, whose state goes on from one
//     to the other. DummySeedGenerator: a handle that stands for none.
#include "ops/dataset_shuffle_ops.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/entropy.h"
#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/random_words.h"
#include "ops/kernels/resource_names.h"

namespace flowlatch {
namespace {

struct Seeds {
  uint64_t first = 0, second = 0;
};

// Seeds that are both 0 stand for any.
Seeds SeedsOrAny(int64_t first, int64_t second) {
  if (first != 0 || second != 0) return {static_cast<uint64_t>(first), static_cast<uint64_t>(second)};
  const auto [any, any2] = FreshSeeds();
  return {any, any2};
}

// Thread-safe.
class SeedGenerator final : public Resource {
 public:
  static constexpr char kTypeName[] = "SeedGenerator";
  SeedGenerator(Seeds seeds, bool reshuffles)
      : seeds_(seeds), reshuffles_(reshuffles), words_(Philox(seeds.first, seeds.second)) {}
  std::string TypeName() const override { return kTypeName; }
  Seeds Next() {
    if (!reshuffles_) return seeds_;
    std::lock_guard<std::mutex> lock(mu_);
    const uint64_t first = words_.Next();
    return {first, words_.Next()};
  }

 private:
  const Seeds seeds_;
  const bool reshuffles_;
  std::mutex mu_;
  RandomWords words_;  // guarded by mu_
};

class ShuffleDataset final : public DatasetOfInput {
 public:
  // buffer_size < 0: no limit; count < 0: for ever.
  ShuffleDataset(ElementSpec spec, DatasetPtr input, int64_t size, int64_t times, RefPtr<SeedGenerator> generator)
      : DatasetOfInput(std::move(spec), std::move(input)), buffer_size(size), count(times), seeds(std::move(generator)) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override;
  int64_t Cardinality() const override {
    const int64_t n = input().Cardinality();
    if (n == 0 || count == 1) return n;
    if (count < 0) return kInfiniteCardinality;
    return n < 0 ? n : CheckedMul(n, count).value_or(kUnknownCardinality);
  }

  const int64_t buffer_size, count;
  const RefPtr<SeedGenerator> seeds;

 private:
  class Iterator;
};

class ShuffleDataset::Iterator final : public IteratorOf<ShuffleDataset> {
 public:
  Iterator(const ShuffleDataset* dataset, std::shared_ptr<IteratorScope> scope)
      : IteratorOf(dataset), scope_(std::move(scope)), random_(FreshRandom()) {}

 protected:
  absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
    RETURN_IF_ERROR(Fill(step));
    if (buffer_.empty()) return false;
    for (; rounds_in_buffer_.front() == 0; rounds_in_buffer_.pop_front()) random_ = FreshRandom();
    const auto drawn = buffer_.begin() + random_.Next() % rounds_in_buffer_.front();
    *element = std::move(*drawn);
    *drawn = std::move(buffer_.front());
    buffer_.pop_front();
    --rounds_in_buffer_.front();
    return true;
  }

 private:
  static constexpr size_t kMaxRoundsInBuffer = 3;

  RandomWords FreshRandom() const {
    const Seeds seeds = dataset().seeds->Next();
    return RandomWords(Philox(seeds.first, seeds.second));
  }
  bool HasRoom() const {
    if (rounds_in_buffer_.size() > kMaxRoundsInBuffer && !buffer_.empty()) return false;
    return dataset().buffer_size < 0 || static_cast<int64_t>(buffer_.size()) < dataset().buffer_size;
  }
  absl::Status Fill(StepContext& step) {
    Element next;
    while (HasRoom()) {
      if (input_ == nullptr) {
        if (ended_ || rounds_ == dataset().count) return absl::OkStatus();
        ASSIGN_OR_RETURN(input_, dataset().input().MakeIterator(scope_));
        ++rounds_;
        rounds_in_buffer_.push_back(0);
      }
      ASSIGN_OR_RETURN(const bool more, input_->Next(step, &next));
      if (more) {
        buffer_.push_back(std::move(next));
        ++rounds_in_buffer_.back();
        has_elements_ = true;
      } else {
        input_ = nullptr;
        ended_ = dataset().count < 0 && !has_elements_;  // without elements there is nothing to repeat
      }
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<IteratorScope> scope_;
  RandomWords random_;
  IteratorPtr input_;  // null between rounds
  int64_t rounds_ = 0;
  bool has_elements_ = false, ended_ = false;
  std::deque<Element> buffer_;
  std::deque<uint64_t> rounds_in_buffer_;  // elements of each round in buffer_, which stand in the order of the rounds
};

absl::StatusOr<IteratorPtr> ShuffleDataset::MakeIterator(const std::shared_ptr<IteratorScope>& scope) const {
  return IteratorPtr(std::make_unique<Iterator>(this, scope));
}

// ---- Kernels

class ShuffleState final : public DatasetState {
 public:
  bool reshuffles = true;
};

// Inputs of the ops, by position; -1: there is none.
struct ShuffleInputs {
  int seed = -1;  // seed2 follows
  int count = -1;
  int generator = -1;
};
constexpr ShuffleInputs kShuffle{.seed = 2}, kShuffleV2{.generator = 2}, kShuffleV3{.seed = 2, .generator = 4},
    kRepeat{.seed = 2, .count = 4}, kRepeatV2{.seed = 2, .count = 4, .generator = 5};

absl::StatusOr<RefPtr<SeedGenerator>> GeneratorOf(KernelCall& c, const ShuffleInputs& inputs) {
  if (inputs.generator >= 0) {
    absl::StatusOr<RefPtr<SeedGenerator>> shared = FindResource<SeedGenerator>(c, inputs.generator);
    if (!absl::IsNotFound(shared.status())) return shared;
  }
  int64_t seed = 0, seed2 = 0;
  if (inputs.seed >= 0) {
    ASSIGN_OR_RETURN(seed, ReadIntScalar(c.input(inputs.seed), "seed"));
    ASSIGN_OR_RETURN(seed2, ReadIntScalar(c.input(inputs.seed + 1), "seed2"));
  }
  return MakeRef<SeedGenerator>(SeedsOrAny(seed, seed2), c.state<ShuffleState>().reshuffles);
}

template <const ShuffleInputs& kInputs>
absl::Status MakeShuffle(KernelCall& c) {
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(const int64_t size, ReadIntScalar(c.input(1), "buffer_size"));
  if (size <= 0 && size != kUnknownCardinality) {
    return absl::InvalidArgumentError(absl::StrCat("buffer_size: expected a number > 0, or -2 for all, got ", size));
  }
  int64_t count = 1;
  if (kInputs.count >= 0) {
    ASSIGN_OR_RETURN(count, ReadIntScalar(c.input(kInputs.count), "count"));
    if (count <= 0 && count != -1) {
      return absl::InvalidArgumentError(absl::StrCat("count: expected a number > 0, or -1, got ", count));
    }
  }
  ASSIGN_OR_RETURN(RefPtr<SeedGenerator> generator, GeneratorOf(c, kInputs));
  return OutputNew<ShuffleDataset>(c, std::move(input), size, count, std::move(generator));
}

template <const ShuffleInputs& kInputs>
absl::StatusOr<Kernel> ShuffleKernel(const NodeInfo& node) {
  auto state = std::make_shared<ShuffleState>();
  ASSIGN_OR_RETURN(state->spec, ElementSpec::Of(node));
  if (node.schema().FindAttr("reshuffle_each_iteration") != nullptr) {
    ASSIGN_OR_RETURN(state->reshuffles, node.Bool("reshuffle_each_iteration"));
  }
  return Kernel{.fn = &RunKernel<MakeShuffle<kInputs>>, .state = std::move(state)};
}

template <bool kHasReshuffle>
absl::Status MakeGenerator(KernelCall& c) {
  ASSIGN_OR_RETURN(const int64_t seed, ReadIntScalar(c.input(0), "seed"));
  ASSIGN_OR_RETURN(const int64_t seed2, ReadIntScalar(c.input(1), "seed2"));
  bool reshuffles = true;
  if (kHasReshuffle) {
    ASSIGN_OR_RETURN(reshuffles, ReadBoolScalar(c.input(2), "reshuffle"));
  }
  RefPtr<SeedGenerator> generator = MakeRef<SeedGenerator>(SeedsOrAny(seed, seed2), reshuffles);
  c.SetOutput(0, OwningHandle(RefPtr<const RefCounted>(std::move(generator)), SeedGenerator::kTypeName, UniqueName("_seeds")));
  c.SetOutput(1, Tensor::Scalar(Variant()));  // the generator goes with its last handle
  return absl::OkStatus();
}

absl::Status MakeDummyGenerator(KernelCall& c) {
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->container = kDefaultContainer;
  key->name = "_no_seed_generator";
  key->type_name = SeedGenerator::kTypeName;
  c.SetOutput(0, Tensor::Scalar(ResourceHandle(RefPtr<const ResourceKey>(std::move(key)))));
  return absl::OkStatus();
}

absl::Status DeleteGenerator(KernelCall& c) { return FindResource<SeedGenerator>(c, 0).status(); }

absl::Status AllScalars(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  return shapes::Scalar(c);
}

}  // namespace

absl::Status RegisterDatasetShuffleOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, const KernelFactory& kernel) {
    return library.Add({.signature = TensorFlowSignature(name), .doc = doc, .shape = AllScalars, .kernel = kernel});
  };
  constexpr std::string_view kShuffleDoc = "The elements of a dataset in an order that seeds name";
  RETURN_IF_ERROR(add("ShuffleDataset", kShuffleDoc, ShuffleKernel<kShuffle>));
  RETURN_IF_ERROR(add("ShuffleDatasetV2", kShuffleDoc, ShuffleKernel<kShuffleV2>));
  RETURN_IF_ERROR(add("ShuffleDatasetV3", kShuffleDoc, ShuffleKernel<kShuffleV3>));
  constexpr std::string_view kRepeatDoc = "Rounds of the elements of a dataset, each in an order that seeds name";
  RETURN_IF_ERROR(add("ShuffleAndRepeatDataset", kRepeatDoc, ShuffleKernel<kRepeat>));
  RETURN_IF_ERROR(add("ShuffleAndRepeatDatasetV2", kRepeatDoc, ShuffleKernel<kRepeatV2>));
  RETURN_IF_ERROR(add("AnonymousSeedGenerator", "Seeds for the orders of datasets", PlainKernel<MakeGenerator<true>>));
  RETURN_IF_ERROR(add("AnonymousRandomSeedGenerator", "Seeds for the orders of datasets", PlainKernel<MakeGenerator<false>>));
  RETURN_IF_ERROR(add("DummySeedGenerator", "The handle of no generator: the dataset has its own", PlainKernel<MakeDummyGenerator>));
  RETURN_IF_ERROR(add("DeleteSeedGenerator", "Gives up a generator of seeds", PlainKernel<DeleteGenerator>));
  return add("DeleteRandomSeedGenerator", "Gives up a generator of seeds", PlainKernel<DeleteGenerator>);
}

}  // namespace flowlatch
