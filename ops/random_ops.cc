// Random tensors, the same bits as TensorFlow's for the same seeds.
//   shape: a vector of integers -> output of that shape.
//   RandomUniform: [0, 1). RandomStandardNormal: mean 0, deviation 1. TruncatedNormal: the same, drawn again where it is
//   2 or more from 0. RandomUniformInt: [minval, maxval), by remainder, hence slightly uneven for large ranges.
// The attrs seed and seed2 name a sequence; if both are 0, ops/kernels/entropy.h does. Every node has its own generator,
// which goes on from run to run of a session, and through the iterations of a loop.
//
// An execution with n elements takes 256 n draws of four words; ops/kernels/random_distributions.h says which draws are whose.
#include "ops/random_ops.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/random_distributions.h"
#include "ops/kernels/random_state.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

constexpr uint64_t kDrawsPerElement = 256;  // what an execution takes

absl::StatusOr<Tensor*> AllocateRandom(KernelCall& c, DType dtype) {
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  return c.AllocateOutput(0, dtype, dims);
}

template <typename T, typename Distribution>
void Fill(KernelCall& c, Tensor* out, const Distribution& distribution) {
  const int64_t n = out->num_elements();
  if (n > 0) FillRandom(c, c.state<RandomState>().Take(static_cast<uint64_t>(n) * kDrawsPerElement), distribution, n, out->mutable_data<T>());
}

template <typename Distribution, typename T>
absl::Status RandomFloats(KernelCall& c) {
  ASSIGN_OR_RETURN(Tensor * out, AllocateRandom(c, kDTypeOf<T>));
  Fill<T>(c, out, Distribution());
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
  Fill<T>(c, out, random::UniformInt<T>(low, high));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> WithGenerator(const NodeInfo& node, KernelFn fn) {
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  ASSIGN_OR_RETURN(std::shared_ptr<RandomState> state, MakeRandomState(node));
  return Kernel{.fn = fn, .state = std::move(state)};
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
      .kernel = FloatsKernel<random::Uniform>,
      .dtypes = kFloatTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "RandomStandardNormal(shape: T) -> (output: dtype); seed: int = 0; seed2: int = 0; dtype: {float16, "
                   "bfloat16, float32, float64}; T: {int32, int64}; stateful",
      .doc = "normal random numbers of mean 0 and deviation 1",
      .shape = RandomShape,
      .kernel = FloatsKernel<random::Normal>,
      .dtypes = kFloatTypes,
      .type_attr = "dtype",
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "TruncatedNormal(shape: T) -> (output: dtype); seed: int = 0; seed2: int = 0; dtype: {float16, "
                   "bfloat16, float32, float64}; T: {int32, int64}; stateful",
      .doc = "normal random numbers less than two deviations from 0",
      .shape = RandomShape,
      .kernel = FloatsKernel<random::Truncated>,
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
