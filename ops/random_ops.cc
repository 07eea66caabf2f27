// Random tensors, the same bits as TensorFlow's for the same seeds.
//   shape: a vector of integers -> output of that shape.
//   RandomUniform: [0, 1). RandomStandardNormal: mean 0, deviation 1. TruncatedNormal: the same, drawn again where it is
//   2 or more from 0. RandomUniformInt: [minval, maxval), by remainder, hence slightly uneven for large ranges.
// The attrs seed and seed2 name a sequence; if both are 0, ops/kernels/entropy.h does. Every node has its own generator,
// which goes on from run to run of a session, and through the iterations of a loop.
//
// How much of the sequence elements consume depends on their place alone: an execution with n elements takes 256 n draws
// of four words, and group g of the elements (2 for double and int64, 4 otherwise) begins at draw g, in TruncatedNormal at
// 64 draws per element. So threads may fill any part.
#include "ops/random_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <random>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/entropy.h"
#include "ops/kernels/philox.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

constexpr double kTwoPi = 2 * 3.14159265358979323846;
constexpr uint64_t kDrawsPerElement = 256;          // what an execution takes
constexpr uint64_t kTruncatedDrawsPerElement = 64;  // what an element of TruncatedNormal has for itself

template <typename T>
constexpr int64_t kGroup = sizeof(T) == 8 ? 2 : 4;

// ---- Distributions. Each fills a group of elements from the words at its place in the sequence.

// [0, 1): random mantissa bits below the exponent of 1.
float UniformFloat(uint32_t x) { return std::bit_cast<float>(127u << 23 | (x & 0x7fffff)) - 1.0f; }

double UniformDouble(uint32_t high, uint32_t low) {
  return std::bit_cast<double>(uint64_t{1023} << 52 | uint64_t{high & 0xfffff} << 32 | low) - 1.0;
}

// Two normal numbers from two uniform ones, by the transform of Box and Muller. The angle is rounded to float only after
// the product, and the functions are those of the C library: results depend on it to the last bit.
void BoxMuller(uint32_t a, uint32_t b, float* f0, float* f1) {
  const float u1 = std::max(UniformFloat(a), 1e-7f);
  const float angle = static_cast<float>(kTwoPi * static_cast<double>(UniformFloat(b)));
  const float radius = std::sqrt(-2.0f * std::log(u1));
  *f0 = std::sin(angle) * radius;
  *f1 = std::cos(angle) * radius;
}

void BoxMuller(const Philox::Words& x, double* f0, double* f1) {
  const double u1 = std::max(UniformDouble(x[0], x[1]), 1e-7);
  const double angle = kTwoPi * UniformDouble(x[2], x[3]);
  const double radius = std::sqrt(-2.0 * std::log(u1));
  *f0 = std::sin(angle) * radius;
  *f1 = std::cos(angle) * radius;
}

struct Uniform {
  static constexpr double kCost = 3;  // nanoseconds of one element, roughly
  template <typename T>
  static void Fill(Philox& random, T* out) {
    const Philox::Words x = random.Next();
    if constexpr (std::is_same_v<T, double>) {
      out[0] = UniformDouble(x[0], x[1]);
      out[1] = UniformDouble(x[2], x[3]);
    } else {
      for (int i = 0; i < 4; ++i) {
        if constexpr (std::is_same_v<T, Half>) out[i] = T(Half::FromBits(15 << 10 | (x[i] & 0x3ff)) - 1.0f);
        else if constexpr (std::is_same_v<T, BFloat16>) out[i] = T(BFloat16::FromBits(127 << 7 | (x[i] & 0x7f)) - 1.0f);
        else out[i] = UniformFloat(x[i]);
      }
    }
  }
};

struct Normal {
  static constexpr double kCost = 15;
  template <typename T>
  static void Fill(Philox& random, T* out) {
    const Philox::Words x = random.Next();
    if constexpr (std::is_same_v<T, double>) {
      BoxMuller(x, &out[0], &out[1]);
    } else {
      float f[4];
      BoxMuller(x[0], x[1], &f[0], &f[1]);
      BoxMuller(x[2], x[3], &f[2], &f[3]);
      std::transform(f, f + 4, out, [](float value) { return T(value); });
    }
  }
};

struct Truncated {
  static constexpr double kCost = 20;
  template <typename T>
  static void Fill(Philox& random, T* out) {
    int64_t filled = 0;
    const auto keep = [&](auto value) {
      if (filled < kGroup<T> && std::abs(value) < 2) out[filled++] = T(value);
    };
    while (filled < kGroup<T>) {
      const Philox::Words x = random.Next();
      if constexpr (std::is_same_v<T, double>) {
        double f0, f1;
        BoxMuller(x, &f0, &f1);
        keep(f0);
        keep(f1);
      } else {
        for (int i = 0; i < 4; i += 2) {
          float f0, f1;
          BoxMuller(x[i], x[i + 1], &f0, &f1);
          keep(f0);
          keep(f1);
        }
      }
    }
  }
};

template <typename T>
struct UniformInt {
  using Unsigned = std::make_unsigned_t<T>;
  static constexpr double kCost = 4;
  T low;
  Unsigned range;

  void Fill(Philox& random, T* out) const {
    const Philox::Words x = random.Next();
    for (int64_t i = 0; i < kGroup<T>; ++i) {
      Unsigned bits = x[i];
      if constexpr (sizeof(T) == 8) bits = x[2 * i] | Unsigned{x[2 * i + 1]} << 32;
      out[i] = static_cast<T>(static_cast<Unsigned>(low) + bits % range);
    }
  }
};

// ---- Kernels

// The generator of one node.
class RandomState : public KernelState {
 public:
  RandomState(uint64_t seed, uint64_t seed2) : random_(seed, seed2) {}
  // The generator as it stands, which then goes on by an execution with `n` elements.
  Philox Take(int64_t n) const {
    const std::lock_guard<std::mutex> lock(mu_);
    const Philox taken = random_;
    random_.Skip(static_cast<uint64_t>(n) * kDrawsPerElement);
    return taken;
  }

 private:
  mutable std::mutex mu_;
  mutable Philox random_;  // guarded by mu_
};

absl::StatusOr<Tensor*> AllocateRandom(KernelCall& c, DType dtype) {
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  return c.AllocateOutput(0, dtype, dims);
}

// Fills `out` group by group; the last one may be cut.
template <typename T, typename Distribution>
void FillGroups(KernelCall& c, Tensor* out, uint64_t draws_per_group, const Distribution& distribution) {
  const int64_t n = out->num_elements();
  if (n == 0) return;
  const Philox start = c.state<RandomState>().Take(n);
  T* to = out->mutable_data<T>();
  RunLoop(c, (n + kGroup<T> - 1) / kGroup<T>, Distribution::kCost * kGroup<T>, [&](int64_t begin, int64_t end) {
    for (int64_t group = begin; group < end; ++group) {
      Philox random = start;
      random.Skip(static_cast<uint64_t>(group) * draws_per_group);
      const int64_t first = group * kGroup<T>;
      if (first + kGroup<T> <= n) {
        distribution.Fill(random, to + first);
      } else {
        T last[kGroup<T>];
        distribution.Fill(random, last);
        std::copy_n(last, n - first, to + first);
      }
    }
  });
}

template <typename Distribution, typename T>
absl::Status RandomFloats(KernelCall& c) {
  ASSIGN_OR_RETURN(Tensor * out, AllocateRandom(c, kDTypeOf<T>));
  const bool truncated = std::is_same_v<Distribution, Truncated>;
  FillGroups<T>(c, out, truncated ? kGroup<T> * kTruncatedDrawsPerElement : 1, Distribution());
  return absl::OkStatus();
}

template <typename T>
absl::Status RandomInts(KernelCall& c) {
  for (int i = 1; i < 3; ++i) {
    if (c.input(i).is_scalar()) continue;
    return absl::InvalidArgumentError(absl::StrCat(i == 1 ? "minval" : "maxval", ": expected a scalar, got shape ",
                                                   c.input(i).ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * out, AllocateRandom(c, kDTypeOf<T>));
  if (out->num_elements() == 0) return absl::OkStatus();
  const T low = c.input(1).scalar<T>(), high = c.input(2).scalar<T>();
  if (low >= high) {
    return absl::InvalidArgumentError(absl::StrCat("maxval: expected a value above minval ", low, ", got ", high));
  }
  using Unsigned = std::make_unsigned_t<T>;
  const Unsigned range = static_cast<Unsigned>(high) - static_cast<Unsigned>(low);
  FillGroups<T>(c, out, 1, UniformInt<T>{low, range});
  return absl::OkStatus();
}

absl::StatusOr<Kernel> WithGenerator(const NodeInfo& node, KernelFn fn) {
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  ASSIGN_OR_RETURN(const int64_t seed, node.Int("seed"));
  ASSIGN_OR_RETURN(const int64_t seed2, node.Int("seed2"));
  if (seed != 0 || seed2 != 0) {
    return Kernel{.fn = fn, .state = std::make_shared<RandomState>(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2))};
  }
  const auto [any, any2] = FreshSeeds();
  return Kernel{.fn = fn, .state = std::make_shared<RandomState>(any, any2)};
}

template <typename Distribution>
absl::StatusOr<Kernel> FloatsKernel(const NodeInfo& node) {
  return WithGenerator(node, DispatchDType<kFloatTypes>(node.output_dtype(0), KernelFn{}, []<typename T>() {
                         return &RunKernel<RandomFloats<Distribution, T>>;
                       }));
}

absl::StatusOr<Kernel> IntsKernel(const NodeInfo& node) {
  return WithGenerator(node, DispatchDType<kIndexTypes>(node.output_dtype(0), KernelFn{},
                                                        []<typename T>() { return &RunKernel<RandomInts<T>>; }));
}

absl::Status RandomShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  for (int i = 1; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(0));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterRandomOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "RandomUniform(shape: T) -> (output: dtype); seed: int = 0; seed2: int = 0; dtype: {float16, bfloat16, "
                   "float32, float64}; T: {int32, int64}; stateful",
      .doc = "uniform random numbers in [0, 1)",
      .shape = RandomShape,
      .kernel = FloatsKernel<Uniform>,
      .dtypes = kFloatTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "RandomStandardNormal(shape: T) -> (output: dtype); seed: int = 0; seed2: int = 0; dtype: {float16, "
                   "bfloat16, float32, float64}; T: {int32, int64}; stateful",
      .doc = "normal random numbers of mean 0 and deviation 1",
      .shape = RandomShape,
      .kernel = FloatsKernel<Normal>,
      .dtypes = kFloatTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "TruncatedNormal(shape: T) -> (output: dtype); seed: int = 0; seed2: int = 0; dtype: {float16, "
                   "bfloat16, float32, float64}; T: {int32, int64}; stateful",
      .doc = "normal random numbers less than two deviations from 0",
      .shape = RandomShape,
      .kernel = FloatsKernel<Truncated>,
      .dtypes = kFloatTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> (output: Tout); seed: int = 0; "
                   "seed2: int = 0; Tout: {int32, int64}; T: {int32, int64}; stateful",
      .doc = "uniform random integers in [minval, maxval)",
      .shape = RandomShape,
      .kernel = IntsKernel,
      .dtypes = kIndexTypes,
      .type_attr = "Tout",
  });
}

}  // namespace flowlatch
