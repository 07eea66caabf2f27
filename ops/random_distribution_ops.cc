// Samples of distributions with parameters, the same bits as TensorFlow's for the same seeds.
//   Multinomial(logits [rows, classes], num_samples): classes of each row, as likely as exp(logit).
//   RandomGamma(shape, alpha), RandomPoisson, RandomPoissonV2(shape, rate) -> shape + the parameter's shape.
//   StatelessRandomGammaV2, ..V3, ..Poisson, ..Binomial(shape, ..): shape ends with the parameters' (broadcast) shape.
// Names with Stateless take the sequence from a seed [2], V3 from key, counter and algorithm; the others have attrs seed and
// seed2, as in random_ops.cc.
//
// Sample s of parameter p of n is output element s n + p, and has 256 draws of the sequence for itself, those from
// 256 (p samples + s) on; so threads may fill any part.
#include "ops/random_distribution_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/random_distributions.h"
#include "ops/kernels/random_keys.h"
#include "ops/kernels/random_state.h"
#include "ops/kernels/random_words.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

constexpr uint64_t kDrawsPerSample = 256;
constexpr double kSampleCost = 200;  // nanoseconds
constexpr int kMaxRounds = 1000;     // of drawing again; more than half of all rounds succeed
constexpr DTypeSet kParameterTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};
constexpr DTypeSet kSampleTypes = kParameterTypes | kIndexTypes;

// ---- Distributions

// The two numbers of a draw, the second one first.
template <typename Distribution>
class Pairs {
 public:
  double Next(Philox& generator) {
    if (left_ == 0) {
      Distribution::Fill(generator, values_);
      left_ = 2;
    }
    return values_[--left_];
  }

 private:
  double values_[2] = {};
  int left_ = 0;
};

// Marsaglia and Tsang: the cube of a shifted normal number, drawn again where it is too likely.
double SampleGamma(Philox generator, double alpha) {
  Pairs<random::Normal> normal;
  Pairs<random::Uniform> uniform;
  if (alpha == 1) return -std::log1p(-uniform.Next(generator));
  const double d = alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3), c = 1.0 / 3 / std::sqrt(d);
  if (!(d > 0)) return std::numeric_limits<double>::quiet_NaN();
  for (;;) {
    const double x = normal.Next(generator), root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root, u = uniform.Next(generator);
    if (u < 1 - 0.0331 * (x * x) * (x * x) || std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      return alpha < 1 ? d * v * std::pow(uniform.Next(generator), 1 / alpha) : d * v;
    }
  }
}

// Small rates by Knuth's product of uniform numbers, large ones by Hoermann's transformed rejection. Below `limit`.
double SamplePoisson(Philox generator, double rate, double limit) {
  Pairs<random::Uniform> uniform;
  if (!(rate < std::numeric_limits<double>::infinity())) return rate;
  if (rate < 10) {
    const double least = std::exp(-rate);
    double events = 0;
    for (double product = uniform.Next(generator); product > least; product *= uniform.Next(generator)) ++events;
    return events;
  }
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  for (int round = 0; round < kMaxRounds; ++round) {
    const double u = uniform.Next(generator) - 0.5, v = uniform.Next(generator);
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > limit) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    int sign;
    if (std::log(v * inverse_alpha / (a / (shifted * shifted) + b)) <= -rate + k * log_rate - ::lgamma_r(k + 1, &sign)) return k;
  }
  return std::min(std::floor(rate), limit);
}

// What Stirling's formula leaves of log k!.
double StirlingRest(double k) {
  constexpr double kRests[] = {0.0810614667953272,  0.0413406959554092,  0.0276779256849983,  0.02079067210376509,
                               0.0166446911898211,  0.0138761288230707,  0.0118967099458917,  0.0104112652619720,
                               0.00925546218271273, 0.00833056343336287};
  if (k >= 0 && k <= 9) return kRests[static_cast<int>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// Hoermann's transformed rejection, for count * p >= 10, p <= 0.5.
double SampleLargeBinomial(Philox generator, double count, double p) {
  Pairs<random::Uniform> uniform;
  const double deviation = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p, c = count * p + 0.5;
  const double tight = 0.92 - 4.2 / b, odds = p / (1 - p);
  const double alpha = (2.83 + 5.1 / b) * deviation, m = std::floor((count + 1) * p);
  for (int round = 0; round < kMaxRounds; ++round) {
    const double u = uniform.Next(generator) - 0.5, v = uniform.Next(generator);
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + c);
    if (shifted >= 0.07 && v <= tight) return k;
    if (k < 0 || k > count) continue;
    const double bound = (m + 0.5) * std::log((m + 1) / (odds * (count - m + 1))) +
                         (count + 1) * std::log((count - m + 1) / (count - k + 1)) +
                         (k + 0.5) * std::log(odds * (count - k + 1) / (k + 1)) + StirlingRest(m) + StirlingRest(count - m) -
                         StirlingRest(k) - StirlingRest(count - k);
    if (std::log(v * alpha / (a / (shifted * shifted) + b)) <= bound) return k;
  }
  return std::floor(c);
}

// How many waiting times of a geometric distribution fit into count, for count * p < 10.
double SampleSmallBinomial(Philox generator, double count, double p) {
  Pairs<random::Uniform> uniform;
  double waited = 0, events = 0;
  for (;;) {
    waited += std::ceil(std::log(uniform.Next(generator)) / std::log1p(-p));
    if (!(waited <= count)) return events;
    ++events;
  }
}

// Sample `index` of all, for which the shorter method has 42 draws only.
template <typename T>
double SampleBinomial(Philox generator, uint64_t index, T count, T p) {
  const double n = static_cast<double>(count);
  if (n <= 0 || p <= T(0)) return 0;
  if (p >= T(1)) return n;
  if (!std::isfinite(n) || p != p) return std::numeric_limits<double>::quiet_NaN();
  const T smaller = p <= T(0.5) ? p : T(T(1) - p);
  double sample;
  if (T(count * smaller) >= T(10)) {
    generator.Skip(kDrawsPerSample * index);
    sample = SampleLargeBinomial(generator, n, static_cast<double>(smaller));
  } else {
    generator.Skip(42 * index);
    sample = SampleSmallBinomial(generator, n, static_cast<double>(smaller));
  }
  return p <= T(0.5) ? sample : n - sample;
}

// As U; integers stop at their limits, and are 0 for infinity and NaN.
template <typename U>
U FromDouble(double value) {
  if constexpr (std::is_integral_v<U>) {
    constexpr U kLeast = std::numeric_limits<U>::lowest(), kMost = std::numeric_limits<U>::max();
    if (!std::isfinite(value)) return 0;
    if (value <= static_cast<double>(kLeast)) return kLeast;
    return value >= static_cast<double>(kMost) ? kMost : static_cast<U>(value);
  } else if constexpr (std::is_same_v<U, Half>) {
    return Half(static_cast<float>(value));
  } else {
    return static_cast<U>(value);
  }
}

template <typename U>
constexpr double kLargest = static_cast<double>(std::numeric_limits<U>::max());
template <>
constexpr double kLargest<Half> = 65504;

// ---- Kernels

// Sets every sample of `out` to draw(parameter, index), the index counting all samples, those of parameter 0 first.
template <typename U, typename Draw>
void FillSamples(KernelCall& c, int64_t parameters, Tensor* out, const Draw& draw) {
  const int64_t samples = out->num_elements() / parameters;
  U* to = out->mutable_data<U>();
  RunLoop(c, out->num_elements(), kSampleCost, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t parameter = i / samples;
      to[i % samples * parameters + parameter] = FromDouble<U>(draw(parameter, static_cast<uint64_t>(i)));
    }
  });
}

struct Gamma {
  template <typename T, typename U>
  static void Fill(KernelCall& c, const Philox& start, const Tensor& alpha, Tensor* out) {
    const T* alphas = alpha.data<T>();
    FillSamples<U>(c, alpha.num_elements(), out, [&](int64_t parameter, uint64_t index) {
      Philox generator = start;
      generator.Skip(kDrawsPerSample * index);
      return SampleGamma(generator, static_cast<double>(alphas[parameter]));
    });
  }
};

struct Poisson {
  template <typename T, typename U>
  static void Fill(KernelCall& c, const Philox& start, const Tensor& rate, Tensor* out) {
    const T* rates = rate.data<T>();
    FillSamples<U>(c, rate.num_elements(), out, [&](int64_t parameter, uint64_t index) {
      Philox generator = start;
      generator.Skip(kDrawsPerSample * index);
      return SamplePoisson(generator, static_cast<double>(rates[parameter]), kLargest<U>);
    });
  }
};

// The shape input, followed by the parameter's shape.
template <typename Distribution, typename T, typename U>
absl::Status SamplesOfEach(KernelCall& c) {
  const Tensor& parameter = c.input(1);
  ASSIGN_OR_RETURN(Dims dims, ReadIntVector(c.input(0), "shape"));
  dims.insert(dims.end(), parameter.dims().begin(), parameter.dims().end());
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<U>, dims));
  const int64_t n = out->num_elements();
  if (n == 0) return absl::OkStatus();
  Distribution::template Fill<T, U>(c, c.state<RandomState>().Take(static_cast<uint64_t>(n) * kDrawsPerSample), parameter, out);
  return absl::OkStatus();
}

// `dims` must end with `tail`.
absl::Status ExpectEnd(absl::Span<const int64_t> dims, absl::Span<const int64_t> tail) {
  if (tail.size() <= dims.size() && std::equal(tail.begin(), tail.end(), dims.end() - tail.size())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("shape: expected one that ends with ", PartialShape::FromValid(tail).ToString(),
                                                 " of the parameters, got ", PartialShape::FromValid(dims).ToString()));
}

// shape, then seed or key, counter and algorithm, then the parameter.
template <typename Distribution, typename T, typename U>
absl::Status StatelessSamples(KernelCall& c) {
  Philox start(0, 0);
  if (c.num_inputs() == 5) {
    ASSIGN_OR_RETURN(start, ReadKeyAndCounter(c.input(1), c.input(2), c.input(3)));
  } else {
    ASSIGN_OR_RETURN(const RandomKey key, ReadSeed(c.input(1)));
    start = key.generator();
  }
  const Tensor& parameter = c.input(c.num_inputs() - 1);
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<U>, dims));
  if (out->num_elements() == 0) return absl::OkStatus();
  RETURN_IF_ERROR(ExpectEnd(dims, parameter.dims()));
  Distribution::template Fill<T, U>(c, start, parameter, out);
  return absl::OkStatus();
}

// The element of an operand that belongs to each element of the shape that it is broadcast to.
std::vector<int64_t> BroadcastIndices(const Tensor& operand, const Shape& to) {
  std::vector<int64_t> indices(to.num_elements());
  for (int64_t i = 0; i < to.num_elements(); ++i) {
    int64_t rest = i, stride = 1;
    for (int axis = to.rank() - 1, own = operand.rank() - 1; own >= 0; --axis, --own) {
      if (operand.dim(own) != 1) indices[i] += rest % to.dim(axis) * stride;
      rest /= to.dim(axis);
      stride *= operand.dim(own);
    }
  }
  return indices;
}

template <typename T, typename U>
absl::Status Binomial(KernelCall& c) {
  const Tensor &counts = c.input(2), &probs = c.input(3);
  ASSIGN_OR_RETURN(const RandomKey key, ReadSeed(c.input(1)));
  ASSIGN_OR_RETURN(const Shape parameters, BroadcastShapes(counts.dims(), probs.dims()));
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  RETURN_IF_ERROR(ExpectEnd(dims, parameters.dims()));
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<U>, dims));
  if (out->num_elements() == 0) return absl::OkStatus();
  const std::vector<int64_t> count_of = BroadcastIndices(counts, parameters), prob_of = BroadcastIndices(probs, parameters);
  const T *count = counts.data<T>(), *prob = probs.data<T>();
  FillSamples<U>(c, parameters.num_elements(), out, [&](int64_t parameter, uint64_t index) {
    return SampleBinomial<T>(key.generator(), index, count[count_of[parameter]], prob[prob_of[parameter]]);
  });
  return absl::OkStatus();
}

// Samples of one row of logits; those that are infinite or NaN count as impossible.
template <typename T, typename U>
void SampleClasses(const T* logits, int64_t classes, RandomWords words, absl::Span<U> out) {
  double most = std::numeric_limits<double>::lowest();
  for (int64_t i = 0; i < classes; ++i) {
    const double logit = static_cast<double>(logits[i]);
    if (std::isfinite(logit)) most = std::max(most, logit);
  }
  std::vector<double> cumulated(classes);
  double total = 0;
  for (int64_t i = 0; i < classes; ++i) {
    const double logit = static_cast<double>(logits[i]);
    if (std::isfinite(logit)) total += std::exp(logit - most);
    cumulated[i] = total;
  }
  for (U& sample : out) {
    const double sought = words.Double() * total;
    sample = static_cast<U>(std::upper_bound(cumulated.begin(), cumulated.end(), sought) - cumulated.begin());
  }
}

// logits, num_samples, and a seed if the node has no generator.
template <typename T, typename U, bool kStateless>
absl::Status Multinomial(KernelCall& c) {
  const Tensor& logits = c.input(0);
  if (logits.rank() != 2 || logits.dim(1) == 0) {
    return absl::InvalidArgumentError(absl::StrCat("logits: expected shape [?,1 or more], got ", logits.ShapeString()));
  }
  ASSIGN_OR_RETURN(const int64_t samples, ReadIntScalar(c.input(1), "num_samples"));
  if (samples < 0) return absl::InvalidArgumentError(absl::StrCat("num_samples: expected 0 or more, got ", samples));
  Philox start(0, 0);
  if constexpr (kStateless) {
    ASSIGN_OR_RETURN(const RandomKey key, ReadSeed(c.input(2)));
    start = key.generator();
  }
  const int64_t rows = logits.dim(0), classes = logits.dim(1);
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<U>, {rows, samples}));
  if (out->num_elements() == 0) return absl::OkStatus();
  if constexpr (!kStateless) {
    const uint64_t reserved = static_cast<uint64_t>(rows) * ((static_cast<uint64_t>(samples) + 3) / 4 * 8);
    start = c.state<RandomState>().Take(reserved * kDrawsPerSample);
  }
  const T* from = logits.data<T>();
  U* to = out->mutable_data<U>();
  RunLoop(c, rows, 10.0 * static_cast<double>(classes) + 20.0 * static_cast<double>(samples), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const RandomWords words(start, 2 * static_cast<uint64_t>(row) * static_cast<uint64_t>(samples));
      SampleClasses<T, U>(from + row * classes, classes, words, absl::MakeSpan(to + row * samples, samples));
    }
  });
  return absl::OkStatus();
}

// ---- Choosing kernels

template <DTypeSet kFrom, DTypeSet kTo, typename Visit>
KernelFn DispatchPair(DType from, DType to, Visit visit) {
  return DispatchDType<kFrom>(from, KernelFn{}, [&]<typename T>() {
    return DispatchDType<kTo>(to, KernelFn{}, [&]<typename U>() { return visit.template operator()<T, U>(); });
  });
}

absl::StatusOr<Kernel> Finish(const NodeInfo& node, KernelFn fn, DType dtype, bool stateful) {
  if (fn == nullptr) return NoKernelFor(node, dtype);
  Kernel kernel{.fn = fn};
  if (stateful) {
    ASSIGN_OR_RETURN(kernel.state, MakeRandomState(node));
  }
  return kernel;
}

absl::StatusOr<Kernel> RandomGammaKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kParameterTypes>(node.output_dtype(0), KernelFn{}, []<typename T>() {
    return &RunKernel<SamplesOfEach<Gamma, T, T>>;
  });
  return Finish(node, fn, node.output_dtype(0), true);
}

absl::StatusOr<Kernel> RandomPoissonKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchPair<kSampleTypes, kSampleTypes>(
      node.input_dtype(1), node.output_dtype(0),
      []<typename T, typename U>() -> KernelFn { return &RunKernel<SamplesOfEach<Poisson, T, U>>; });
  return Finish(node, fn, node.output_dtype(0), true);
}

absl::StatusOr<Kernel> StatelessGammaKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kParameterTypes>(node.output_dtype(0), KernelFn{}, []<typename T>() {
    return &RunKernel<StatelessSamples<Gamma, T, T>>;
  });
  return Finish(node, fn, node.output_dtype(0), false);
}

absl::StatusOr<Kernel> StatelessPoissonKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchPair<kSampleTypes, kSampleTypes>(
      node.input_dtype(2), node.output_dtype(0),
      []<typename T, typename U>() -> KernelFn { return &RunKernel<StatelessSamples<Poisson, T, U>>; });
  return Finish(node, fn, node.output_dtype(0), false);
}

absl::StatusOr<Kernel> BinomialKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchPair<kParameterTypes, kSampleTypes>(
      node.input_dtype(2), node.output_dtype(0),
      []<typename T, typename U>() -> KernelFn { return &RunKernel<Binomial<T, U>>; });
  return Finish(node, fn, node.input_dtype(2), false);
}

template <bool kStateless>
absl::StatusOr<Kernel> MultinomialKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchPair<kFloatTypes, kIndexTypes>(
      node.input_dtype(0), node.output_dtype(0),
      []<typename T, typename U>() -> KernelFn { return &RunKernel<Multinomial<T, U, kStateless>>; });
  return Finish(node, fn, node.input_dtype(0), !kStateless);
}

// ---- Shapes

absl::Status SamplesOfEachShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  ASSIGN_OR_RETURN(const PartialShape samples, c.InputAsShape(0));
  ASSIGN_OR_RETURN(PartialShape shape, samples.Concatenate(c.input(1)));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status StatelessShape(ShapeContext& c) {
  for (const int i : {0, 1}) RETURN_IF_ERROR(c.ExpectVector(i));
  ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(0));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status MultinomialShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape logits, c.WithRank(0, 2));
  RETURN_IF_ERROR(c.ExpectScalar(1));
  if (c.num_inputs() == 3) RETURN_IF_ERROR(c.ExpectVector(2));
  ASSIGN_OR_RETURN(const std::optional<int64_t> samples, c.ConstantInt(1));
  if (samples.has_value() && *samples < 0) {
    return absl::InvalidArgumentError(absl::StrCat("num_samples: expected 0 or more, got ", *samples));
  }
  c.SetOutput(0, PartialShape::Of({logits.has_rank() ? logits.dim(0) : -1, samples.value_or(-1)}));
  return absl::OkStatus();
}

// ---- Gradients

// Of samples by the gamma distribution's alpha, whose axes are the samples' last ones.
absl::Status GammaGrad(GradContext& c) {
  const int alpha = static_cast<int>(c.num_inputs()) - 1;
  if (!c.needs(alpha)) return absl::OkStatus();
  const Output by_alpha = c.Op("RandomGammaGrad", {c.input(alpha), c.output(0)});
  c.Set(alpha, SumToShapeOf(c, c.grad() * by_alpha, alpha));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterRandomDistributionOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("Multinomial"),
                               .doc = "classes of each row, as likely as exp(logit)",
                               .shape = MultinomialShape,
                               .kernel = MultinomialKernel<false>,
                               .dtypes = kFloatTypes,
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("StatelessMultinomial"),
                               .doc = "classes of each row, as likely as exp(logit), from the sequence of a seed",
                               .shape = MultinomialShape,
                               .kernel = MultinomialKernel<true>,
                               .dtypes = kFloatTypes,
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("RandomGamma"),
                               .doc = "samples of gamma distributions",
                               .shape = SamplesOfEachShape,
                               .kernel = RandomGammaKernel,
                               .dtypes = kParameterTypes,
                               .gradient = GammaGrad}));
  for (const char* op : {"RandomPoisson", "RandomPoissonV2"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                 .doc = "samples of Poisson distributions",
                                 .shape = SamplesOfEachShape,
                                 .kernel = RandomPoissonKernel,
                                 .gradient = gradients::None}));
  }
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("StatelessRandomGammaV2"),
                               .doc = "samples of gamma distributions from the sequence of a seed",
                               .shape = StatelessShape,
                               .kernel = StatelessGammaKernel,
                               .dtypes = kParameterTypes,
                               .type_attr = "dtype",
                               .gradient = GammaGrad}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("StatelessRandomGammaV3"),
                               .doc = "samples of gamma distributions from a place in a sequence",
                               .shape = StatelessShape,
                               .kernel = StatelessGammaKernel,
                               .dtypes = kParameterTypes,
                               .type_attr = "dtype",
                               .gradient = GammaGrad}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("StatelessRandomPoisson"),
                               .doc = "samples of Poisson distributions from the sequence of a seed",
                               .shape = StatelessShape,
                               .kernel = StatelessPoissonKernel,
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("StatelessRandomBinomial"),
                      .doc = "samples of binomial distributions from the sequence of a seed",
                      .shape = StatelessShape,
                      .kernel = BinomialKernel,
                      .dtypes = kParameterTypes,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
