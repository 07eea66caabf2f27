// Random tensors that depend on inputs alone, the same bits as TensorFlow's for the same seeds.
//   StatelessRandomUniform, ..Normal, TruncatedNormal, ..UniformInt, ..UniformFullInt(shape, seed [2]): as the ops of
//   random_ops.cc, from the sequence of a seed; FullInt: any value of the type.
//   The same with V2(shape, key [1], counter [2], alg): from a place in a sequence. alg is 1, Philox, or 3, any.
//   StatelessRandomGetKeyCounter(seed) gives the place where a seed's sequence begins, ..GetAlg the algorithm, ..Alg both.
#include "ops/stateless_random_ops.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/random_distributions.h"
#include "ops/kernels/random_keys.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kWordTypes{DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64};

// How the sequence is named: by a seed in input 1, or by key, counter and algorithm in inputs 1 to 3.
enum class Start { kSeed, kCounter };

template <Start kStart>
absl::StatusOr<Philox> Generator(const KernelCall& c) {
  if constexpr (kStart == Start::kCounter) {
    return ReadKeyAndCounter(c.input(1), c.input(2), c.input(3));
  } else {
    ASSIGN_OR_RETURN(const RandomKey key, ReadSeed(c.input(1)));
    return key.generator();
  }
}

template <Start kStart, typename Distribution, typename T>
absl::Status Sample(KernelCall& c) {
  ASSIGN_OR_RETURN(const Philox start, Generator<kStart>(c));
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<T>, dims));
  FillRandom(c, start, Distribution(), out->num_elements(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <Start kStart, typename T>
absl::Status SampleBounded(KernelCall& c) {
  const Tensor& low = c.input(c.num_inputs() - 2);
  const Tensor& high = c.input(c.num_inputs() - 1);
  if (!low.is_scalar()) return absl::InvalidArgumentError(absl::StrCat("minval: expected a scalar, got shape ", low.ShapeString()));
  if (!high.is_scalar()) return absl::InvalidArgumentError(absl::StrCat("maxval: expected a scalar, got shape ", high.ShapeString()));
  ASSIGN_OR_RETURN(const Philox start, Generator<kStart>(c));
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<T>, dims));
  if (out->num_elements() == 0) return absl::OkStatus();
  const T min = low.scalar<T>(), max = high.scalar<T>();
  if (min >= max) {
    return absl::InvalidArgumentError(absl::StrCat("maxval: expected a value above minval ", min, ", got ", max));
  }
  FillRandom(c, start, random::UniformInt<T>(min, max), out->num_elements(), out->mutable_data<T>());
  return absl::OkStatus();
}

template <Start kStart, typename Distribution>
absl::StatusOr<Kernel> FloatsKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kFloatTypes>(node.output_dtype(0), KernelFn{}, []<typename T>() {
    return &RunKernel<Sample<kStart, Distribution, T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn};
}

template <Start kStart>
absl::StatusOr<Kernel> AnyIntsKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kWordTypes>(node.output_dtype(0), KernelFn{}, []<typename T>() {
    return &RunKernel<Sample<kStart, random::AnyInt<T>, T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn};
}

template <Start kStart>
absl::StatusOr<Kernel> BoundedKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kIndexTypes>(node.output_dtype(0), KernelFn{}, []<typename T>() {
    return &RunKernel<SampleBounded<kStart, T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn};
}

absl::Status KeyCounter(KernelCall& c) {
  ASSIGN_OR_RETURN(const RandomKey key, ReadSeed(c.input(0)));
  ASSIGN_OR_RETURN(Tensor * keys, c.AllocateOutput(0, DType::kUInt64, {1}));
  ASSIGN_OR_RETURN(Tensor * counter, c.AllocateOutput(1, DType::kUInt64, {2}));
  keys->mutable_data<uint64_t>()[0] = key.key;
  counter->mutable_data<uint64_t>()[0] = 0;
  counter->mutable_data<uint64_t>()[1] = key.counter_high;
  if (c.num_outputs() == 3) c.output(2).SetScalar(kPhiloxAlgorithm);
  return absl::OkStatus();
}

absl::Status Algorithm(KernelCall& c) {
  c.output(0).SetScalar(kPhiloxAlgorithm);
  return absl::OkStatus();
}

// ---- Shapes

absl::Status ExpectSeed(const ShapeContext& c, int i) {
  ASSIGN_OR_RETURN(const PartialShape seed, c.WithRank(i, 1));
  if (!seed.has_rank() || seed.dim(0) < 0 || seed.dim(0) == 2) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("seed: expected shape [2], got ", seed.ToString()));
}

template <Start kStart>
absl::Status SampleShape(ShapeContext& c) {
  if constexpr (kStart == Start::kSeed) {
    RETURN_IF_ERROR(ExpectSeed(c, 1));
  } else {
    RETURN_IF_ERROR(c.ExpectVector(1));
    RETURN_IF_ERROR(c.ExpectVector(2));
    RETURN_IF_ERROR(c.ExpectScalar(3));
  }
  for (int i = kStart == Start::kSeed ? 2 : 4; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  RETURN_IF_ERROR(c.ExpectVector(0));
  ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(0));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status KeyCounterShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectSeed(c, 0));
  c.SetOutput(0, PartialShape::Of({1}));
  c.SetOutput(1, PartialShape::Of({2}));
  if (c.num_outputs() == 3) c.SetOutput(2, PartialShape::Of({}));
  return absl::OkStatus();
}

// The op with a seed, and with V2 the one with key and counter.
template <typename Distribution>
absl::Status AddFloats(OpLibrary& library, const std::string& name, const std::string& doc) {
  const std::string dtypes = "dtype: {float16, bfloat16, float32, float64} = float32; ";
  RETURN_IF_ERROR(library.Add({
      .signature = absl::StrCat(name, "(shape: T, seed: Tseed) -> (output: dtype); ", dtypes,
                                "T: {int32, int64} = int32; Tseed: {int32, int64} = int64"),
      .doc = absl::StrCat(doc, " from the sequence of a seed"),
      .shape = SampleShape<Start::kSeed>,
      .kernel = FloatsKernel<Start::kSeed, Distribution>,
      .dtypes = kFloatTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = absl::StrCat(name, "V2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype); ", dtypes,
                                "Tshape: {int32, int64} = int32"),
      .doc = absl::StrCat(doc, " from a place in a sequence"),
      .shape = SampleShape<Start::kCounter>,
      .kernel = FloatsKernel<Start::kCounter, Distribution>,
      .dtypes = kFloatTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  });
}

absl::Status AddInts(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "StatelessRandomUniformInt(shape: T, seed: Tseed, minval: dtype, maxval: dtype) -> (output: dtype); "
                   "dtype: {int32, int64}; T: {int32, int64}; Tseed: {int32, int64} = int64",
      .doc = "uniform random integers in [minval, maxval) from the sequence of a seed",
      .shape = SampleShape<Start::kSeed>,
      .kernel = BoundedKernel<Start::kSeed>,
      .dtypes = kIndexTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, "
                   "maxval: dtype) -> (output: dtype); dtype: {int32, int64, uint32, uint64}; Tshape: {int32, int64} = int32",
      .doc = "uniform random integers in [minval, maxval) from a place in a sequence",
      .shape = SampleShape<Start::kCounter>,
      .kernel = BoundedKernel<Start::kCounter>,
      .dtypes = kIndexTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StatelessRandomUniformFullInt(shape: T, seed: Tseed) -> (output: dtype); dtype: {int32, int64, uint32, "
                   "uint64} = uint64; T: {int32, int64} = int32; Tseed: {int32, int64, uint32, uint64} = int64",
      .doc = "uniform random integers of any value from the sequence of a seed",
      .shape = SampleShape<Start::kSeed>,
      .kernel = AnyIntsKernel<Start::kSeed>,
      .dtypes = kWordTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "StatelessRandomUniformFullIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype); "
                   "dtype: {int32, int64, uint32, uint64} = uint64; Tshape: {int32, int64} = int32",
      .doc = "uniform random integers of any value from a place in a sequence",
      .shape = SampleShape<Start::kCounter>,
      .kernel = AnyIntsKernel<Start::kCounter>,
      .dtypes = kWordTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  });
}

}  // namespace

absl::Status RegisterStatelessRandomOps(OpLibrary& library) {
  RETURN_IF_ERROR(AddFloats<random::Uniform>(library, "StatelessRandomUniform", "uniform random numbers in [0, 1)"));
  RETURN_IF_ERROR(AddFloats<random::Normal>(library, "StatelessRandomNormal", "normal random numbers of mean 0 and deviation 1"));
  RETURN_IF_ERROR(AddFloats<random::Truncated>(library, "StatelessTruncatedNormal",
                                               "normal random numbers less than two deviations from 0"));
  RETURN_IF_ERROR(AddInts(library));
  RETURN_IF_ERROR(library.Add({
      .signature = "StatelessRandomGetKeyCounter(seed: Tseed) -> (key: uint64, counter: uint64); Tseed: {int32, int64} = int64",
      .doc = "where the random sequence of a seed begins",
      .shape = KeyCounterShape,
      .kernel = PlainKernel<KeyCounter>,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StatelessRandomGetKeyCounterAlg(seed: Tseed) -> (key: uint64, counter: uint64, alg: int32); "
                   "Tseed: {int32, int64} = int64",
      .doc = "where the random sequence of a seed begins, and its algorithm, Philox",
      .shape = KeyCounterShape,
      .kernel = PlainKernel<KeyCounter>,
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "StatelessRandomGetAlg() -> (alg: int32); stateful",
      .doc = "the algorithm of random sequences, Philox",
      .shape = shapes::Scalar,
      .kernel = PlainKernel<Algorithm>,
      .gradient = gradients::None,
  });
}

}  // namespace flowlatch
