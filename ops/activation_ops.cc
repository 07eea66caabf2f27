// Activation functions, elementwise, of any shape.
//   Relu, Relu6: all real number types. Elu, Selu, LeakyRelu, Softplus, Softsign: floating types.
//   <Op>Grad: gradients and features (outputs for Elu and Selu) of one shape -> gradients of the features.
// NaN stays NaN; a gradient of NaN or infinity comes through even where the derivative is 0 (NaN then). 16-bit floats are
// computed in float. Accuracy of those with exp: a few ULP.
#include "ops/activation_ops.h"

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/activations.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/small_floats.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

struct ActivationState final : KernelState {
  float alpha = 0;
};

// Rough nanoseconds of one element, for cost estimates.
constexpr double CostOf(Activation f, bool vectors) {
  const bool cheap = f == Activation::kRelu || f == Activation::kRelu6 || f == Activation::kLeakyRelu;
  return (cheap ? 0.3 : 1.0) + (vectors ? 0 : 2);
}

template <typename T, Activation f>
void Forward(const T* x, T* y, int64_t n, float alpha) {
  if constexpr (std::is_floating_point_v<T>) {
    Activate<T>(f, x, y, n, alpha);
  } else if constexpr (kIsSmallFloat<T>) {
    ForEachFloatPiece(n, [=](int64_t begin, int64_t count) {
      float piece[kFloatPiece];
      WidenFloats(x + begin, piece, count);
      Activate<float>(f, piece, piece, count, alpha);
      NarrowFloats(piece, y + begin, count);
    });
  } else {
    constexpr T kLargest = f == Activation::kRelu6 ? T(6) : std::numeric_limits<T>::max();
    for (int64_t i = 0; i < n; ++i) y[i] = std::clamp(x[i], T(0), kLargest);
  }
}

template <typename T, Activation f>
void Backward(const T* dy, const T* x, T* dx, int64_t n, float alpha) {
  if constexpr (std::is_floating_point_v<T>) {
    ActivateGrad<T>(f, dy, x, dx, n, alpha);
  } else if constexpr (kIsSmallFloat<T>) {
    ForEachFloatPiece(n, [=](int64_t begin, int64_t count) {
      float dy_piece[kFloatPiece], x_piece[kFloatPiece];
      WidenFloats(dy + begin, dy_piece, count);
      WidenFloats(x + begin, x_piece, count);
      ActivateGrad<float>(f, dy_piece, x_piece, x_piece, count, alpha);
      NarrowFloats(x_piece, dx + begin, count);
    });
  } else {
    for (int64_t i = 0; i < n; ++i) dx[i] = x[i] > T(0) && (f == Activation::kRelu || x[i] < T(6)) ? dy[i] : T(0);
  }
}

template <typename T, Activation f>
absl::Status ComputeForward(KernelCall& c) {
  const Tensor& x = c.input(0);
  ASSIGN_OR_RETURN(Tensor* y, c.ForwardOrAllocate(0, 0, kDTypeOf<T>, x.shape()));
  const float alpha = c.state<ActivationState>().alpha;
  const T* from = x.data<T>();
  T* to = y->mutable_data<T>();
  RunLoop(c, x.num_elements(), CostOf(f, std::is_floating_point_v<T>), [=](int64_t begin, int64_t end) {
    Forward<T, f>(from + begin, to + begin, end - begin, alpha);
  });
  return absl::OkStatus();
}

template <typename T, Activation f>
absl::Status ComputeBackward(KernelCall& c) {
  const Tensor &dy = c.input(0), &x = c.input(1);
  if (dy.dims() != x.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("gradients: expected the shape of features ", x.ShapeString(), ", got ", dy.ShapeString()));
  }
  const int reuse = c.CanForward(0) ? 0 : 1;
  ASSIGN_OR_RETURN(Tensor* dx, c.ForwardOrAllocate(0, reuse, kDTypeOf<T>, x.shape()));
  const float alpha = c.state<ActivationState>().alpha;
  const T *gradients = dy.data<T>(), *features = x.data<T>();
  T* to = dx->mutable_data<T>();
  RunLoop(c, x.num_elements(), CostOf(f, std::is_floating_point_v<T>), [=](int64_t begin, int64_t end) {
    Backward<T, f>(gradients + begin, features + begin, to + begin, end - begin, alpha);
  });
  return absl::OkStatus();
}

// The forward computation on a piece (runtime/kernel/kernel.h).
template <typename T, Activation f>
void ForwardTile(const KernelState* state, const Tile& tile) {
  const T* x = static_cast<const T*>(tile.x);
  T* z = static_cast<T*>(tile.z);
  const float alpha = static_cast<const ActivationState*>(state)->alpha;
  Forward<T, f>(x, z, tile.x_step == 1 ? tile.n : 1, alpha);
  if (tile.x_step == 0) std::fill(z, z + tile.n, T(*z));
}

template <Activation f, DTypeSet kTypes, bool kGrad>
absl::StatusOr<Kernel> ActivationKernel(const NodeInfo& node) {
  auto state = std::make_shared<ActivationState>();
  if (f == Activation::kLeakyRelu) {
    ASSIGN_OR_RETURN(state->alpha, node.Float("alpha"));
  }
  const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn {
    if constexpr (kGrad) return &RunKernel<ComputeBackward<T, f>>;
    else return &RunKernel<ComputeForward<T, f>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  TileFn tile = nullptr;
  if constexpr (!kGrad) {
    tile = DispatchDType<kTypes>(node.input_dtype(0), TileFn{}, []<typename T>() -> TileFn { return &ForwardTile<T, f>; });
  }
  return Kernel{.fn = fn, .state = std::move(state), .tile = tile};
}

// ---- Gradients

// From the outputs where those tell the slope (Relu, Relu6, Elu, Selu), else from the features.
absl::Status GradFromOutput(GradContext& c) {
  c.Set(0, c.Op(absl::StrCat(c.op(), "Grad"), {c.grad(), c.output(0)}));
  return absl::OkStatus();
}
absl::Status LeakyReluGrad(GradContext& c) {
  c.Set(0, c.Op("LeakyReluGrad", {c.grad(), c.input(0)}, c.CopyAttrs({"alpha"})));
  return absl::OkStatus();
}
absl::Status SoftplusGrad(GradContext& c) {
  c.Set(0, c.grad() * c.Op("Sigmoid", {c.input(0)}));
  return absl::OkStatus();
}
absl::Status SoftsignGrad(GradContext& c) {
  c.Set(0, c.Op("SoftsignGrad", {c.grad(), c.input(0)}));
  return absl::OkStatus();
}

// Second derivatives. Where the slope is constant, no gradient comes to the features.
absl::Status ConstantSlopeGradGrad(GradContext& c) {
  if (c.needs(0)) c.Set(0, c.Op(c.op(), {c.grad(), c.input(1)}, c.CopyAttrs({"alpha"})));
  if (c.needs(1)) c.Set(1, c.Op("ZerosLike", {c.grad()}));
  return absl::OkStatus();
}
// EluGrad and SeluGrad: below 0 the slope grows as the output does.
absl::Status ExponentialGradGrad(GradContext& c) {
  const Output y = c.input(1);
  if (c.needs(0)) c.Set(0, c.Op(c.op(), {c.grad(), y}));
  if (c.needs(1)) {
    c.Set(1, c.Op("SelectV2", {y < 0, c.grad() * c.input(0), c.ScalarLike(0, y)}));
  }
  return absl::OkStatus();
}
absl::Status SoftplusGradGrad(GradContext& c) {
  const Output x = c.input(1);
  if (c.needs(0)) c.Set(0, c.Op("SoftplusGrad", {c.grad(), x}));
  if (c.needs(1)) c.Set(1, c.grad() * c.input(0) / (c.Op("Exp", {-x}) + 2 + c.Op("Exp", {x})));
  return absl::OkStatus();
}
// With s = |x| + 1, dx = dy / s^2, which falls as 2 / s^3 away from 0.
absl::Status SoftsignGradGrad(GradContext& c) {
  const Output x = c.input(1);
  if (c.needs(0)) c.Set(0, c.Op("SoftsignGrad", {c.grad(), x}));
  if (c.needs(1)) {
    const Output slope = c.Op("SoftsignGrad", {c.grad() * c.input(0), x});
    c.Set(1, slope * -2 * c.Op("Sign", {x}) / (c.Op("Abs", {x}) + 1));
  }
  return absl::OkStatus();
}

// ---- Registration

// Registers an activation and its gradient.
template <Activation f, DTypeSet kTypes>
absl::Status AddPair(OpLibrary& library, std::string_view signature, std::string_view doc,
                     GradFunction gradient, std::string_view grad_signature, std::string_view grad_doc,
                     GradFunction grad_gradient) {
  RETURN_IF_ERROR(library.Add({.signature = signature,
                               .doc = doc,
                               .shape = shapes::SameAsInput,
                               .kernel = ActivationKernel<f, kTypes, false>,
                               .dtypes = kTypes,
                               .gradient = gradient}));
  return library.Add({.signature = grad_signature,
                      .doc = grad_doc,
                      .shape = shapes::MergeOfInputs,
                      .kernel = ActivationKernel<f, kTypes, true>,
                      .dtypes = kTypes,
                      .gradient = grad_gradient});
}

}  // namespace

absl::Status RegisterActivationOps(OpLibrary& library) {
  RETURN_IF_ERROR((AddPair<Activation::kRelu, kRealTypes>(
      library,
      "Relu(features: T) -> (activations: T); T: {float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, "
      "float16, uint32, uint64, qint8}",
      "max(features, 0)", GradFromOutput,
      "ReluGrad(gradients: T, features: T) -> (backprops: T); T: {float32, float64, int32, uint8, int16, int8, int64, "
      "bfloat16, uint16, float16, uint32, uint64}",
      "Gradients where features > 0, else 0", ConstantSlopeGradGrad)));
  RETURN_IF_ERROR((AddPair<Activation::kRelu6, kRealTypes>(
      library,
      "Relu6(features: T) -> (activations: T); T: {float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, "
      "float16, uint32, uint64}",
      "min(max(features, 0), 6)", GradFromOutput,
      "Relu6Grad(gradients: T, features: T) -> (backprops: T); T: {float32, float64, int32, uint8, int16, int8, int64, "
      "bfloat16, uint16, float16, uint32, uint64}",
      "Gradients where 0 < features < 6, else 0", ConstantSlopeGradGrad)));
  RETURN_IF_ERROR((AddPair<Activation::kElu, kFloatTypes>(
      library, "Elu(features: T) -> (activations: T); T: {float16, bfloat16, float32, float64}",
      "exp(features) - 1 below 0, else features", GradFromOutput,
      "EluGrad(gradients: T, outputs: T) -> (backprops: T); T: {float16, bfloat16, float32, float64}",
      "The gradient of Elu from its outputs", ExponentialGradGrad)));
  RETURN_IF_ERROR((AddPair<Activation::kSelu, kFloatTypes>(
      library, "Selu(features: T) -> (activations: T); T: {float16, bfloat16, float32, float64}",
      "Elu scaled so that networks normalise themselves", GradFromOutput,
      "SeluGrad(gradients: T, outputs: T) -> (backprops: T); T: {float16, bfloat16, float32, float64}",
      "The gradient of Selu from its outputs", ExponentialGradGrad)));
  RETURN_IF_ERROR((AddPair<Activation::kLeakyRelu, kFloatTypes>(
      library,
      "LeakyRelu(features: T) -> (activations: T); alpha: float = 0.2; T: {float16, bfloat16, float32, float64} = float32",
      "Features above 0, else alpha * features", LeakyReluGrad,
      "LeakyReluGrad(gradients: T, features: T) -> (backprops: T); alpha: float = 0.2; T: {float16, bfloat16, float32, "
      "float64} = float32",
      "Gradients where features > 0, else alpha * gradients", ConstantSlopeGradGrad)));
  RETURN_IF_ERROR((AddPair<Activation::kSoftplus, kFloatTypes>(
      library, "Softplus(features: T) -> (activations: T); T: {float16, bfloat16, float32, float64}",
      "log(exp(features) + 1), without overflow", SoftplusGrad,
      "SoftplusGrad(gradients: T, features: T) -> (backprops: T); T: {float16, bfloat16, float32, float64}",
      "Gradients / (exp(-features) + 1)", SoftplusGradGrad)));
  return AddPair<Activation::kSoftsign, kFloatTypes>(
      library, "Softsign(features: T) -> (activations: T); T: {float16, bfloat16, float32, float64}",
      "features / (abs(features) + 1)", SoftsignGrad,
      "SoftsignGrad(gradients: T, features: T) -> (backprops: T); T: {float16, bfloat16, float32, float64}",
      "Gradients / (abs(features) + 1)^2", SoftsignGradGrad);
}

}  // namespace flowlatch
