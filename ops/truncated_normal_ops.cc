// Samples of normal distributions between two bounds, the same bits as TensorFlow's on one thread for the same seeds.
//   ParameterizedTruncatedNormal(shape, means, stdevs, minvals, maxvals): parameters have one element, or one for each row of
//     the output.
//   StatelessParameterizedTruncatedNormal(shape, seed, ..): shape ends with the parameters' (broadcast) shape.
// Numbers are proposed and kept as likely as makes their distribution right (Robert, "Simulation of truncated normal
// variables"): normal ones where the bounds are wide, uniform ones where they are close, exponential ones in tails. Samples of
// one parameter follow each other in the sequence; so there are no threads.
#include "ops/truncated_normal_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/random_distributions.h"
#include "ops/kernels/random_keys.h"
#include "ops/kernels/random_state.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};
constexpr int kMaxRounds = 1000;     // of proposals for one sample
constexpr int64_t kBatchSize = 100;  // samples that begin anew in the sequence when all have the same parameters

template <typename T>
struct Parameters {
  T mean, deviation, low, high;
};

// Every operation rounds to T.
template <typename T>
class Sampler {
  using W = combine::Wide<T>;

 public:
  // Errors: InvalidArgument for parameters between which there is nothing.
  static absl::StatusOr<Sampler> Of(const Parameters<T>& p) {
    Sampler s;
    W low = W(p.low), high = W(p.high);
    s.mean_ = W(p.mean);
    s.deviation_ = W(p.deviation);
    if (!(s.deviation_ > 0) || !(low < high) || (!std::isfinite(low) && !std::isfinite(high))) {
      return absl::InvalidArgumentError(absl::StrCat("parameters: expected stdevs > 0 and minvals < maxvals, one of them finite, got ",
                                                     s.deviation_, ", ", low, " and ", high));
    }
    if ((std::isinf(low) && low < 0) || high < s.mean_) {  // mirrored
      std::swap(low, high);
      s.deviation_ = -s.deviation_;
    }
    s.low_ = R(R(low - s.mean_) / s.deviation_);
    s.high_ = R(R(high - s.mean_) / s.deviation_);
    return s;
  }

  // Sets out[0], out[step], .. to n samples. Errors: InvalidArgument when all proposals are outside, as for NaN.
  absl::Status Fill(Philox& random, int64_t n, int64_t step, T* out) const {
    const W wide = W(T(1.3f));
    const W root = R(std::sqrt(R(R(low_ * low_) + 4)));
    const W exponent = R(W(0.5) + R(R(low_ * R(low_ - root)) / 4));
    const W cutoff = R(R(2 * R(std::exp(exponent))) / R(low_ + root));
    const W width = R(high_ - low_);
    if ((low_ < -wide && high_ >= 0) || (high_ > wide && low_ <= 0)) return FillFromNormal(random, n, step, out);
    if (width < cutoff) return FillFromUniform(random, width, n, step, out);
    return FillFromExponential(random, R(R(low_ + root) / 2), n, step, out);
  }

 private:
  static W R(W x) { return W(T(x)); }
  T Scaled(W z) const { return T(R(z * deviation_) + mean_); }

  // Keeps what is accepted until there are n samples.
  class Output {
   public:
    Output(const Sampler& sampler, int64_t n, int64_t step, T* out) : sampler_(sampler), left_(n), step_(step), out_(out) {}
    bool done() const { return left_ == 0 || rounds_ > kMaxRounds; }
    void Propose(W z, bool accepted) {
      if (done()) return;
      if (!accepted) {
        ++rounds_;
        return;
      }
      *out_ = sampler_.Scaled(z);
      if (--left_ > 0) out_ += step_;
      rounds_ = 0;
    }
    absl::Status End() const {
      if (left_ == 0) return absl::OkStatus();
      return absl::InvalidArgumentError(absl::StrCat("parameters: expected bounds that some samples fit, got none in ", kMaxRounds));
    }

   private:
    const Sampler& sampler_;
    int64_t left_, step_;
    T* out_;
    int rounds_ = 0;
  };

  absl::Status FillFromNormal(Philox& random, int64_t n, int64_t step, T* to) const {
    Output out(*this, n, step, to);
    while (!out.done()) {
      T z[random::kGroup<T>];
      random::Normal::Fill(random, z);
      for (const T x : z) out.Propose(W(x), W(x) >= low_ && W(x) <= high_);
    }
    return out.End();
  }

  absl::Status FillFromUniform(Philox& random, W width, int64_t n, int64_t step, T* to) const {
    Output out(*this, n, step, to);
    const W best = low_ < 0 ? 0 : R(low_ * low_);
    while (!out.done()) {
      T proposed[random::kGroup<T>], chance[random::kGroup<T>];
      random::Uniform::Fill(random, proposed);
      random::Uniform::Fill(random, chance);
      for (int64_t i = 0; i < random::kGroup<T>; ++i) {
        const W z = R(R(W(proposed[i]) * width) + low_);
        out.Propose(z, W(chance[i]) <= R(std::exp(R(R(best - R(z * z)) / 2))));
      }
    }
    return out.End();
  }

  absl::Status FillFromExponential(Philox& random, W alpha, int64_t n, int64_t step, T* to) const {
    Output out(*this, n, step, to);
    while (!out.done()) {
      T u[random::kGroup<T>];
      random::Uniform::Fill(random, u);
      for (int64_t i = 0; i < random::kGroup<T>; i += 2) {
        const W z = R(R(-R(std::log(W(u[i]))) / alpha) + low_);
        const W x = low_ < alpha ? R(alpha - z) : R(low_ - alpha);
        out.Propose(z, W(u[i + 1]) <= R(std::exp(R(R(-x * x) / 2))) && z < high_);
      }
    }
    return out.End();
  }

  W mean_ = 0, deviation_ = 0, low_ = 0, high_ = 0;  // bounds in deviations from the mean
};

// ---- Kernels

// Rows of the output and the elements of each.
struct Rows {
  int64_t count = 0, size = 0;
};

template <typename T>
absl::Status Seeded(KernelCall& c) {
  constexpr const char* kNames[] = {"means", "stdevs", "minvals", "maxvals"};
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  if (dims.empty()) return absl::InvalidArgumentError("shape: expected at least 1 dimension, got none");
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<T>, dims));
  bool same = true;
  for (int i = 0; i < 4; ++i) {
    const Tensor& parameter = c.input(1 + i);
    const bool single = parameter.rank() <= 1 && parameter.num_elements() == 1;
    same = same && single;
    if (single || (parameter.rank() == 1 && parameter.dim(0) == dims[0])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(kNames[i], ": expected one element or shape [", dims[0], "], got shape ", parameter.ShapeString()));
  }
  const int64_t total = out->num_elements();
  if (total == 0) return absl::OkStatus();
  const Rows rows = same ? Rows{(total - 1) / kBatchSize + 1, kBatchSize} : Rows{dims[0], total / dims[0]};
  Philox random = c.state<RandomState>().Take(static_cast<uint64_t>(rows.count) * 2 * kMaxRounds * (static_cast<uint64_t>(rows.size) + 3) / 4);
  for (int64_t row = 0; row < rows.count; ++row) {
    const auto at = [&](int i) { return c.input(i).data<T>()[c.input(i).num_elements() == 1 ? 0 : row]; };
    ASSIGN_OR_RETURN(const Sampler<T> sampler, Sampler<T>::Of({at(1), at(2), at(3), at(4)}));
    const int64_t first = row * rows.size;
    RETURN_IF_ERROR(sampler.Fill(random, std::min(rows.size, total - first), 1, out->mutable_data<T>() + first));
  }
  return absl::OkStatus();
}

// The element of an operand that is broadcast to element i of a tensor with these dimensions.
int64_t BroadcastElement(const Tensor& operand, absl::Span<const int64_t> dims, int64_t i) {
  int64_t element = 0, stride = 1;
  int axis = static_cast<int>(dims.size()) - 1;
  for (int own = operand.rank() - 1; own >= 0; --own, --axis) {
    if (operand.dim(own) != 1) element += i % dims[axis] * stride;
    i /= dims[axis];
    stride *= operand.dim(own);
  }
  return element;
}

template <typename T>
absl::Status Stateless(KernelCall& c) {
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  ASSIGN_OR_RETURN(const RandomKey key, ReadSeed(c.input(1)));
  Shape parameters;
  for (int i = 2; i < 6; ++i) {
    ASSIGN_OR_RETURN(parameters, BroadcastShapes(parameters.dims(), c.input(i).dims()));
  }
  const absl::Span<const int64_t> tail = parameters.dims();
  if (tail.size() > dims.size() || !std::equal(tail.begin(), tail.end(), dims.end() - tail.size())) {
    return absl::InvalidArgumentError(absl::StrCat("shape: expected one that ends with ", parameters.ToString(),
                                                   " of the parameters, got ", DimsToString(dims)));
  }
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<T>, dims));
  if (out->num_elements() == 0) return absl::OkStatus();
  const int64_t n = parameters.num_elements();
  Philox random = key.generator();
  for (int64_t k = 0; k < n; ++k) {
    const auto at = [&](int i) { return c.input(i).data<T>()[BroadcastElement(c.input(i), tail, k)]; };
    ASSIGN_OR_RETURN(const Sampler<T> sampler, Sampler<T>::Of({at(2), at(3), at(4), at(5)}));
    RETURN_IF_ERROR(sampler.Fill(random, out->num_elements() / n, n, out->mutable_data<T>() + k));
  }
  return absl::OkStatus();
}

template <bool kStateless>
absl::StatusOr<Kernel> TruncatedKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kTypes>(node.output_dtype(0), KernelFn{}, []<typename T>() -> KernelFn {
    return kStateless ? &RunKernel<Stateless<T>> : &RunKernel<Seeded<T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  Kernel kernel{.fn = fn};
  if (!kStateless) {
    ASSIGN_OR_RETURN(kernel.state, MakeRandomState(node));
  }
  return kernel;
}

absl::Status SeededShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  for (int i = 1; i < 5; ++i) {
    if (c.input(i).has_rank() && c.input(i).rank() > 1) return c.WithRank(i, 1).status();
  }
  ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(0));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status StatelessShape(ShapeContext& c) {
  for (const int i : {0, 1}) RETURN_IF_ERROR(c.ExpectVector(i));
  PartialShape parameters{Shape()};
  for (int i = 2; i < 6; ++i) {
    ASSIGN_OR_RETURN(parameters, BroadcastPartialShapes(parameters, c.input(i)));
  }
  ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(0));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

// The share of standard normal numbers below x.
Output ShareBelow(GradContext& c, const Output& x) {
  return c.Op("Erfc", {x * -std::sqrt(0.5)}) * 0.5;
}

// As TensorFlow has it: the sample moves with the mean and, by its distance in deviations, with the deviation; bounds move it
// so that the share of samples below it stays (Figurnov, Mohamed, Mnih: "Implicit reparameterization gradients").
absl::Status StatelessGrad(GradContext& c) {
  const Output mean = c.input(2), deviation = c.input(3);
  const auto normalized = [&](const Output& x) { return (x - mean) / deviation; };
  const Output z = normalized(c.output(0)), low = normalized(c.input(4)), high = normalized(c.input(5));
  const bool wide = c.output_dtype(0) == DType::kFloat64, narrow = c.output_dtype(0) == DType::kFloat16;
  const double least = wide ? std::numeric_limits<double>::min() : narrow ? 0x1p-14 : std::numeric_limits<float>::min();
  const double epsilon = wide ? 0x1p-52 : narrow ? 0x1p-10 : 0x1p-23;
  const Output whole = ShareBelow(c, high) - ShareBelow(c, low);
  Output share = (ShareBelow(c, z) - ShareBelow(c, low)) / whole;
  share = c.Op("Maximum", {c.Op("Minimum", {share, c.ScalarLike(1 - epsilon, share)}), c.ScalarLike(least, share)});
  const auto moved = [&](const Output& bound, const Output& log) { return c.Op("Exp", {(z * z - bound * bound) * 0.5 + log}); };
  const auto set = [&](int i, const Output& slope) { c.Set(i, SumToShapeOf(c, c.grad() * slope, i)); };
  if (c.needs(2)) c.Set(2, SumToShapeOf(c, c.grad(), 2));
  if (c.needs(3)) set(3, z);
  if (c.needs(4)) set(4, moved(low, c.Op("Log1p", {c.Op("Neg", {share})})));
  if (c.needs(5)) set(5, moved(high, c.Op("Log", {share})));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterTruncatedNormalOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("ParameterizedTruncatedNormal"),
                               .doc = "samples of normal distributions between bounds",
                               .shape = SeededShape,
                               .kernel = TruncatedKernel<false>,
                               .dtypes = kTypes,
                               .type_attr = "dtype",
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("StatelessParameterizedTruncatedNormal"),
                      .doc = "samples of normal distributions between bounds, from the sequence of a seed",
                      .shape = StatelessShape,
                      .kernel = TruncatedKernel<true>,
                      .dtypes = kTypes,
                      .type_attr = "dtype",
                      .gradient = StatelessGrad});
}

}  // namespace flowlatch
