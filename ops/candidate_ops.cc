// Candidate samplers: classes to compare the true ones with, drawn as TensorFlow draws them for the same seeds.
//   ..CandidateSampler(true_classes [batch, num_true]) -> sampled [num_sampled], and how often each true class and each
//     sampled one is expected among the samples. Classes are those of [0, range_max), a class more than once only if
//     not unique.
//   Uniform: evenly. LogUniform: class k by log((k + 2) / (k + 1)).
//   FixedUnigram: by the weights of `unigrams` or of a file, raised to `distortion`, after num_reserved_ids classes of
//     weight 0.
//   LearnedUnigram, ThreadUnsafeUnigram: by how often a class has been true, plus 1.
//   All: 0, 1, ..., each expected once.
//   ComputeAccidentalHits(true_classes, sampled): for each true class that was sampled its row, the place in the
//   sample,
//     and the weight -FLT_MAX.
#include "ops/candidate_ops.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/file_access.h"
#include "ops/kernels/random_state.h"
#include "ops/kernels/random_words.h"
#include "runtime/checkpoint/file_system.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

constexpr uint64_t kDrawsPerSample = 512;
constexpr int64_t kMaxTries = int64_t{1} << 26;
constexpr int64_t kMaxTableSize = int64_t{1} << 26;  // classes of the samplers that keep one weight for each
constexpr int64_t kMaxFileBytes = int64_t{1} << 31;

// ---- Samplers: numbers of [0, range) with known probabilities. One run at a time.

class Sampler {
 public:
  explicit Sampler(int64_t range) : range_(range) {}
  virtual ~Sampler() = default;
  int64_t range() const { return range_; }
  // How many classes can come up at all.
  virtual int64_t drawable() const { return range_; }
  virtual int64_t Sample(RandomWords& words) const = 0;
  virtual float Probability(int64_t value) const = 0;
  // Learns from a run's true classes.
  virtual void Update(absl::Span<const int64_t>) {}

 private:
  const int64_t range_;
};

class UniformSampler final : public Sampler {
 public:
  using Sampler::Sampler;
  int64_t Sample(RandomWords& words) const override {
    return static_cast<int64_t>(words.Below(static_cast<uint64_t>(range())));
  }
  float Probability(int64_t) const override { return static_cast<float>(1.0 / static_cast<double>(range())); }
};

class LogUniformSampler final : public Sampler {
 public:
  explicit LogUniformSampler(int64_t range) : Sampler(range), log_range_(std::log1p(static_cast<double>(range))) {}
  int64_t Sample(RandomWords& words) const override {
    const double sample = std::exp(words.Double() * log_range_);
    return sample < 0x1p62 ? (static_cast<int64_t>(sample) - 1) % range() : 0;
  }
  float Probability(int64_t value) const override {
    const double v = static_cast<double>(value);
    return static_cast<float>(std::log((v + 2.0) / (v + 1.0)) / log_range_);
  }

 private:
  const double log_range_;
};

// By weights that grow: each level of a binary tree has the sums of the pairs below it.
class LearnedSampler final : public Sampler {
 public:
  explicit LearnedSampler(int64_t range) : Sampler(range) {
    for (leaves_ = 1; leaves_ < range;) leaves_ *= 2;
    sums_.resize(2 * leaves_);
    for (int64_t i = 0; i < range; ++i) sums_[leaves_ + i] = 1;
    for (int64_t i = leaves_ - 1; i > 0; --i) sums_[i] = sums_[2 * i] + sums_[2 * i + 1];
  }
  int64_t Sample(RandomWords& words) const override {
    int64_t rest = words.Below(static_cast<uint32_t>(sums_[1])), at = 1;
    while (at < leaves_) {
      at *= 2;
      if (rest >= sums_[at]) rest -= sums_[at++];
    }
    return at - leaves_;
  }
  float Probability(int64_t value) const override {
    return static_cast<float>(sums_[leaves_ + value]) / static_cast<float>(sums_[1]);
  }
  void Update(absl::Span<const int64_t> values) override {
    for (const int64_t value : values) {
      if (sums_[1] == std::numeric_limits<int32_t>::max()) return;
      for (int64_t at = leaves_ + value; at > 0; at /= 2) ++sums_[at];
    }
  }

 private:
  int64_t leaves_;
  std::vector<int32_t> sums_;  // of node i: its children are 2 i and 2 i + 1, the root is 1
};

// By fixed weights, with Walker's aliases: a place is taken evenly, and left for its alias with some probability.
class FixedSampler final : public Sampler {
 public:
  FixedSampler(std::vector<float> weights, float total)
      : Sampler(static_cast<int64_t>(weights.size())), weights_(std::move(weights)), total_(total) {
    const int64_t n = range();
    double sum = 0;
    for (const float w : weights_) sum += w;
    std::vector<double> share(n);
    std::vector<int64_t> low, high;
    for (int64_t i = 0; i < n; ++i) {
      share[i] = static_cast<double>(weights_[i] * static_cast<float>(n)) / sum;
      (share[i] < 1 ? low : high).push_back(i);
    }
    alias_.resize(n);
    while (!low.empty() && !high.empty()) {
      const int64_t l = low.back(), h = high.back();
      low.pop_back();
      high.pop_back();
      alias_[l] = h;
      share[h] -= 1 - share[l];
      (share[h] < 1 ? low : high).push_back(h);
    }
    stay_.assign(share.begin(), share.end());
    for (const std::vector<int64_t>* rest : {&low, &high}) {
      for (const int64_t i : *rest) {
        stay_[i] = 1;
        alias_[i] = i;
      }
    }
  }
  int64_t Sample(RandomWords& words) const override {
    const float chance = words.Float();
    const uint32_t place = words.Below(static_cast<uint32_t>(range()));
    return chance < stay_[place] ? place : alias_[place];
  }
  float Probability(int64_t value) const override { return weights_[value] / total_; }
  int64_t drawable() const override { return range() - std::count(weights_.begin(), weights_.end(), 0.0f); }

 private:
  const std::vector<float> weights_;
  const float total_;
  std::vector<float> stay_;
  std::vector<int64_t> alias_;
};

// Attributes of FixedUnigramCandidateSampler.
struct FixedWeights {
  std::string file;  // whose lines end in ",weight"; "": weights are `unigrams`
  std::vector<float> unigrams;
  int64_t range = 0, reserved = 0, shards = 1, shard = 0;
  float distortion = 1;
};

absl::StatusOr<FixedWeights> DecodeFixedWeights(const NodeInfo& node) {
  FixedWeights spec;
  ASSIGN_OR_RETURN(spec.file, node.Str("vocab_file"));
  ASSIGN_OR_RETURN(spec.unigrams, node.AttrAs<std::vector<float>>("unigrams"));
  ASSIGN_OR_RETURN(spec.range, node.Int("range_max"));
  ASSIGN_OR_RETURN(spec.distortion, node.Float("distortion"));
  ASSIGN_OR_RETURN(spec.reserved, node.Int("num_reserved_ids"));
  ASSIGN_OR_RETURN(spec.shards, node.Int("num_shards"));
  ASSIGN_OR_RETURN(spec.shard, node.Int("shard"));
  if (spec.file.empty() == spec.unigrams.empty()) {
    return absl::InvalidArgumentError("unigrams: expected either them or vocab_file");
  }
  if (spec.reserved < 0 || spec.reserved > kMaxTableSize) {
    return absl::InvalidArgumentError(
        absl::StrCat("num_reserved_ids: expected 0 to ", kMaxTableSize, ", got ", spec.reserved));
  }
  if (spec.shards < 1 || spec.shard < 0 || spec.shard >= spec.shards) {
    return absl::InvalidArgumentError(
        absl::StrCat("shard: expected a value in [0,num_shards = ", spec.shards, "), got ", spec.shard));
  }
  return spec;
}

absl::StatusOr<std::unique_ptr<Sampler>> MakeFixedSampler(const FixedWeights& spec, absl::Span<const float> unigrams) {
  std::vector<float> weights;
  float total = 0;
  for (int64_t id = 0; id < spec.reserved; ++id) {
    if (id % spec.shards == spec.shard) weights.push_back(0);
  }
  int64_t id = static_cast<int64_t>(weights.size());
  for (const float unigram : unigrams) {
    if (id++ % spec.shards != spec.shard) continue;
    weights.push_back(std::pow(unigram, spec.distortion));
    total += weights.back();
    if (!(weights.back() >= 0 && std::isfinite(total))) {
      return absl::InvalidArgumentError(absl::StrCat("unigrams: expected weights of 0 or more, got ", unigram));
    }
  }
  if (static_cast<int64_t>(weights.size()) != spec.range) {
    return absl::InvalidArgumentError(
        absl::StrCat("unigrams: expected ", spec.range, " classes, got ", weights.size()));
  }
  if (total <= 0) return absl::InvalidArgumentError("unigrams: expected a weight above 0, got none");
  return std::make_unique<FixedSampler>(std::move(weights), total);
}

// The last field of each line of a file that is not empty.
absl::StatusOr<std::vector<float>> ReadWeights(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(FileSystem::Default(), path, kMaxFileBytes));
  std::vector<float> weights;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    const absl::string_view field = line.substr(line.rfind(',') + 1);
    float weight;
    if (field.size() == line.size() || !absl::SimpleAtof(field, &weight)) {
      return absl::InvalidArgumentError(
          absl::StrCat("vocab_file: expected lines that end in a comma and a number, got '",
                       absl::CHexEscape(line.substr(0, 100)), "'"));
    }
    weights.push_back(weight);
  }
  return weights;
}

// ---- Kernels

struct SamplerState : KernelState {
  int64_t num_true = 0, num_sampled = 0;
  bool unique = false, all_classes = false;
  FixedWeights weights;
  std::shared_ptr<RandomState> random;
  mutable std::mutex mu;
  mutable std::unique_ptr<Sampler> sampler;  // guarded by mu; null: all classes, or the first run reads a file
};

// How often a class of this probability is among `samples` that took `tries`.
float ExpectedCount(float probability, int64_t samples, int64_t tries) {
  if (tries == samples) return probability * static_cast<float>(samples);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-probability));
}

absl::Status CheckTrueClasses(const Tensor& classes, int64_t num_true, int64_t range) {
  if (classes.rank() != 2 || classes.dim(1) != num_true) {
    return absl::InvalidArgumentError(
        absl::StrCat("true_classes: expected shape [?,", num_true, "], got ", classes.ShapeString()));
  }
  for (const int64_t id : classes.values<int64_t>()) {
    if (id >= 0 && id < range) continue;
    return absl::InvalidArgumentError(absl::StrCat("true_classes: expected values in [0,", range, "), got ", id));
  }
  return absl::OkStatus();
}

// Draws the samples. Returns how many tries it took.
absl::StatusOr<int64_t> Draw(const SamplerState& state, absl::Span<int64_t> samples) {
  RandomWords words(state.random->Take(kDrawsPerSample * static_cast<uint64_t>(state.num_sampled)));
  absl::flat_hash_set<int64_t> used;
  int64_t tries = 0;
  for (size_t picked = 0; picked < samples.size(); ++tries) {
    if (tries == kMaxTries)
      return absl::InvalidArgumentError("num_sampled: expected classes that can be drawn, got too few");
    const int64_t sample = state.sampler->Sample(words);
    if (!state.unique || used.insert(sample).second) samples[picked++] = sample;
  }
  return tries;
}

absl::Status SampleCandidates(KernelCall& c) {
  const SamplerState& state = c.state<SamplerState>();
  const std::lock_guard<std::mutex> lock(state.mu);
  if (state.sampler == nullptr && !state.all_classes) {
    RETURN_IF_ERROR(CheckFilesAllowed(c));
    ASSIGN_OR_RETURN(const std::vector<float> unigrams, ReadWeights(state.weights.file));
    ASSIGN_OR_RETURN(state.sampler, MakeFixedSampler(state.weights, unigrams));
  }
  const Tensor& classes = c.input(0);
  const int64_t n = state.num_sampled;
  const int64_t range = state.all_classes ? n : state.sampler->range();
  RETURN_IF_ERROR(CheckTrueClasses(classes, state.num_true, range));
  if (const int64_t most = state.all_classes ? n : state.sampler->drawable(); state.unique && n > most) {
    return absl::InvalidArgumentError(absl::StrCat("num_sampled: expected at most ", most, " unique classes, got ", n));
  }
  ASSIGN_OR_RETURN(Tensor * sampled, c.AllocateOutput(0, DType::kInt64, {n}));
  ASSIGN_OR_RETURN(Tensor * true_counts, c.AllocateOutput(1, DType::kFloat32, classes.shape()));
  ASSIGN_OR_RETURN(Tensor * counts, c.AllocateOutput(2, DType::kFloat32, {n}));
  const absl::Span<int64_t> samples(sampled->mutable_data<int64_t>(), n);
  const absl::Span<const int64_t> ids = classes.values<int64_t>();
  float *of_true = true_counts->mutable_data<float>(), *of_sampled = counts->mutable_data<float>();
  if (state.all_classes) {
    for (int64_t i = 0; i < n; ++i) samples[i] = i;
    std::fill_n(of_sampled, n, 1.0f);
    std::fill_n(of_true, ids.size(), 1.0f);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int64_t tries, Draw(state, samples));
  const auto expected = [&](int64_t id) { return ExpectedCount(state.sampler->Probability(id), n, tries); };
  std::transform(samples.begin(), samples.end(), of_sampled, expected);
  std::transform(ids.begin(), ids.end(), of_true, expected);
  state.sampler->Update(ids);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Sampler>> MakeSampler(const NodeInfo& node) {
  const std::string_view op = node.schema().name();
  ASSIGN_OR_RETURN(const int64_t range, node.Int("range_max"));
  if (range < 1) return absl::InvalidArgumentError(absl::StrCat("range_max: expected 1 or more, got ", range));
  if (op == "UniformCandidateSampler") return std::make_unique<UniformSampler>(range);
  if (op == "LogUniformCandidateSampler") return std::make_unique<LogUniformSampler>(range);
  if (range > kMaxTableSize) {
    return absl::InvalidArgumentError(absl::StrCat("range_max: expected at most ", kMaxTableSize, ", got ", range));
  }
  return std::make_unique<LearnedSampler>(range);
}

absl::StatusOr<Kernel> SamplerKernel(const NodeInfo& node) {
  auto state = std::make_shared<SamplerState>();
  ASSIGN_OR_RETURN(state->num_true, node.Int("num_true"));
  ASSIGN_OR_RETURN(state->num_sampled, node.Int("num_sampled"));
  ASSIGN_OR_RETURN(state->unique, node.Bool("unique"));
  ASSIGN_OR_RETURN(state->random, MakeRandomState(node));
  const std::string_view op = node.schema().name();
  if (op == "AllCandidateSampler") {
    state->all_classes = true;
  } else if (op == "FixedUnigramCandidateSampler") {
    ASSIGN_OR_RETURN(state->weights, DecodeFixedWeights(node));
    if (state->weights.file.empty()) {
      ASSIGN_OR_RETURN(state->sampler, MakeFixedSampler(state->weights, state->weights.unigrams));
    }
  } else {
    ASSIGN_OR_RETURN(state->sampler, MakeSampler(node));
  }
  return Kernel{.fn = &RunKernel<SampleCandidates>, .state = std::move(state)};
}

struct NumTrue : KernelState {
  int64_t value = 0;
};

absl::Status AccidentalHits(KernelCall& c) {
  const Tensor &classes = c.input(0), &sampled = c.input(1);
  const int64_t num_true = c.state<NumTrue>().value;
  if (classes.rank() != 2 || classes.dim(1) != num_true) {
    return absl::InvalidArgumentError(
        absl::StrCat("true_classes: expected shape [?,", num_true, "], got ", classes.ShapeString()));
  }
  if (sampled.rank() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("sampled_candidates: expected a vector, got shape ", sampled.ShapeString()));
  }
  absl::flat_hash_map<int64_t, int64_t> place;  // the last one of each class
  for (int64_t i = 0; i < sampled.dim(0); ++i) place[sampled.values<int64_t>()[i]] = i;
  std::vector<int32_t> rows;
  std::vector<int64_t> places;
  const absl::Span<const int64_t> ids = classes.values<int64_t>();
  for (size_t i = 0; i < ids.size(); ++i) {
    const auto found = place.find(ids[i]);
    if (found == place.end()) continue;
    rows.push_back(static_cast<int32_t>(static_cast<int64_t>(i) / num_true));
    places.push_back(found->second);
  }
  const int64_t hits = static_cast<int64_t>(rows.size());
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(0, DType::kInt32, {hits}));
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(1, DType::kInt64, {hits}));
  ASSIGN_OR_RETURN(Tensor * weights, c.AllocateOutput(2, DType::kFloat32, {hits}));
  std::copy(rows.begin(), rows.end(), indices->mutable_data<int32_t>());
  std::copy(places.begin(), places.end(), out->mutable_data<int64_t>());
  std::fill_n(weights->mutable_data<float>(), hits, -FLT_MAX);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> AccidentalHitsKernel(const NodeInfo& node) {
  auto state = std::make_shared<NumTrue>();
  ASSIGN_OR_RETURN(state->value, node.Int("num_true"));
  return Kernel{.fn = &RunKernel<AccidentalHits>, .state = std::move(state)};
}

// ---- Shapes

absl::Status SamplerShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape classes, c.WithRank(0, 2));
  ASSIGN_OR_RETURN(const int64_t num_true, c.Int("num_true"));
  ASSIGN_OR_RETURN(const int64_t num_sampled, c.Int("num_sampled"));
  c.SetOutput(0, PartialShape::Of({num_sampled}));
  c.SetOutput(1, PartialShape::Of({classes.has_rank() ? classes.dim(0) : -1, num_true}));
  c.SetOutput(2, PartialShape::Of({num_sampled}));
  return absl::OkStatus();
}

absl::Status AccidentalHitsShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRank(0, 2).status());
  RETURN_IF_ERROR(c.ExpectVector(1));
  for (int i = 0; i < 3; ++i) c.SetOutput(i, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterCandidateOps(OpLibrary& library) {
  constexpr std::pair<const char*, const char*> kSamplers[] = {
      {"UniformCandidateSampler", "classes, evenly"},
      {"LogUniformCandidateSampler", "classes, the lower the likelier"},
      {"LearnedUnigramCandidateSampler", "classes, by how often they have been true"},
      {"ThreadUnsafeUnigramCandidateSampler", "classes, by how often they have been true"},
      {"FixedUnigramCandidateSampler", "classes, by given weights"},
      {"AllCandidateSampler", "all classes"},
  };
  for (const auto& [name, doc] : kSamplers) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(name),
                                 .doc = doc,
                                 .shape = SamplerShape,
                                 .kernel = SamplerKernel,
                                 .gradient = gradients::None}));
  }
  return library.Add({.signature = TensorFlowSignature("ComputeAccidentalHits"),
                      .doc = "true classes that are among the sampled ones",
                      .shape = AccidentalHitsShape,
                      .kernel = AccidentalHitsKernel,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
