// Special functions, elementwise: Bessel functions, the integrals of Dawson and Fresnel, Expint and Spence, the
// inverses of Erf and of the normal distribution, and of two operands, which broadcast, Zeta, Polygamma, RandomGammaGrad and the
// incomplete gamma functions.
//   x: T -> y: T; all floating types, those of two operands but Igamma and Igammac float32 and float64 only.
// Computed in double and rounded once; see ops/kernels/special_functions.h. NaN outside of a function's domain, but
// Bessel functions of the second kind are infinite up to 0.
#include "ops/special_math_ops.h"

#include <cmath>
#include <numbers>

#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/binary_kernel.h"
#include "ops/kernels/gamma_sample.h"
#include "ops/kernels/special_functions.h"
#include "ops/kernels/unary_kernel.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kWideTypes{DType::kFloat32, DType::kFloat64};

using element::Wide;

// ---- Kernels: a function of doubles as a functor

template <double (*kFunction)(double)>
struct UnaryFunction {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    return static_cast<Wide<T>>(kFunction(static_cast<double>(x)));
  }
};

template <double (*kFunction)(double, double)>
struct BinaryFunction {
  template <typename T>
  static Wide<T> Apply(Wide<T> x, Wide<T> y) {
    return static_cast<Wide<T>>(kFunction(static_cast<double>(x), static_cast<double>(y)));
  }
};

template <int kOrder>
double BesselIe(double x) {
  return special::BesselIe(kOrder, x);
}
// Infinite from where exp(|x|) is, as TensorFlow has it, and not only from where the function itself does not fit T.
template <int kOrder>
struct BesselI {
  template <typename T>
  static Wide<T> Apply(Wide<T> x) {
    const Wide<T> exp = std::exp(std::abs(x));
    if (std::isinf(exp)) return kOrder == 1 ? std::copysign(exp, x) : exp;
    return static_cast<Wide<T>>(special::BesselIe(kOrder, x)) * exp;
  }
};
template <int kOrder>
double BesselKe(double x) {
  return special::BesselKe(kOrder, x);
}
template <int kOrder>
double BesselK(double x) {
  return special::BesselKe(kOrder, x) * std::exp(-x);
}
double BesselJ0(double x) { return ::j0(x); }
double BesselJ1(double x) { return ::j1(x); }
// Those of the second kind are infinite up to 0.
double BesselY0(double x) { return x <= 0 ? -HUGE_VAL : ::y0(x); }
double BesselY1(double x) { return x <= 0 ? -HUGE_VAL : ::y1(x); }

// ---- Gradients

using Expression = Output (*)(GradContext&);

// dy times the derivative.
template <Expression kDerivative>
absl::Status Gradient(GradContext& c) {
  c.Set(0, c.grad() * kDerivative(c));
  return absl::OkStatus();
}

Output Of(GradContext& c, std::string_view op) { return c.Op(op, {c.input(0)}); }
Output YOverX(GradContext& c) { return c.output(0) / c.input(0); }

// `derivative`, but at 0, where it divides by 0, this value.
Output WithLimit(GradContext& c, double at_zero, const Output& derivative) {
  const Output x = c.input(0);
  return c.Op("SelectV2", {c.Op("Equal", {x, c.ScalarLike(0, x)}), c.ScalarLike(at_zero, x), derivative});
}

Output BesselI0Grad(GradContext& c) { return Of(c, "BesselI1"); }
Output BesselI0eGrad(GradContext& c) { return Of(c, "BesselI1e") - Of(c, "Sign") * c.output(0); }
Output BesselI1Grad(GradContext& c) { return WithLimit(c, 0.5, Of(c, "BesselI0") - YOverX(c)); }
Output BesselI1eGrad(GradContext& c) {
  return WithLimit(c, 0.5, Of(c, "BesselI0e") - c.output(0) * (Of(c, "Sign") + Of(c, "Reciprocal")));
}
Output BesselK0Grad(GradContext& c) { return -Of(c, "BesselK1"); }
Output BesselK0eGrad(GradContext& c) { return c.output(0) - Of(c, "BesselK1e"); }
Output BesselK1Grad(GradContext& c) { return -Of(c, "BesselK0") - YOverX(c); }
Output BesselK1eGrad(GradContext& c) { return c.output(0) * (1 - Of(c, "Reciprocal")) - Of(c, "BesselK0e"); }
Output BesselJ0Grad(GradContext& c) { return -Of(c, "BesselJ1"); }
Output BesselJ1Grad(GradContext& c) { return WithLimit(c, 0.5, Of(c, "BesselJ0") - YOverX(c)); }
Output BesselY0Grad(GradContext& c) { return -Of(c, "BesselY1"); }
Output BesselY1Grad(GradContext& c) { return Of(c, "BesselY0") - YOverX(c); }
Output DawsnGrad(GradContext& c) { return 1 - c.input(0) * 2 * c.output(0); }
Output ErfinvGrad(GradContext& c) {
  return c.Op("Exp", {c.Op("Square", {c.output(0)})}) * (std::sqrt(std::numbers::pi) / 2);
}
Output NdtriGrad(GradContext& c) {
  return c.Op("Exp", {c.Op("Square", {c.output(0)}) * 0.5}) * std::sqrt(2 * std::numbers::pi);
}
Output ExpintGrad(GradContext& c) { return Of(c, "Exp") / c.input(0); }
Output FresnelCosGrad(GradContext& c) { return c.Op("Cos", {Of(c, "Square") * (std::numbers::pi / 2)}); }
Output FresnelSinGrad(GradContext& c) { return c.Op("Sin", {Of(c, "Square") * (std::numbers::pi / 2)}); }
Output SpenceGrad(GradContext& c) {
  const Output x = c.input(0), one = c.ScalarLike(1, x);
  return c.Op("SelectV2", {c.Op("Equal", {x, one}), -one, Of(c, "Log") / (1 - x)});
}

// The first operand, the order, has no gradient.
absl::Status ZetaGrad(GradContext& c) {
  if (!c.needs(1)) return absl::OkStatus();
  const Output x = c.input(0);
  c.Set(1, SumToShapeOf(c, c.grad() * (-x * c.Op("Zeta", {x + 1, c.input(1)})), 1, 0));
  return absl::OkStatus();
}
absl::Status PolygammaGrad(GradContext& c) {
  if (c.needs(1)) c.Set(1, SumToShapeOf(c, c.grad() * c.Op("Polygamma", {c.input(0) + 1, c.input(1)}), 1, 0));
  return absl::OkStatus();
}

// Igamma, and Igammac, which is 1 minus it.
absl::Status IgammaGrad(GradContext& c) {
  const Output a = c.input(0), x = c.input(1);
  const Output grad = c.op() == "Igammac" ? -c.grad() : c.grad();
  if (c.needs(0)) c.Set(0, SumToShapeOf(c, grad * c.Op("IgammaGradA", {a, x}), 0, 1));
  if (c.needs(1)) {
    const Output log = (a - 1) * c.Op("Log", {x}) - x - c.Op("Lgamma", {a});
    c.Set(1, SumToShapeOf(c, grad * c.Op("Exp", {log}), 1, 0));
  }
  return absl::OkStatus();
}

// How a sample x of the gamma distribution moves with a, its place in the distribution being kept. In T's own precision,
// whose errors are TensorFlow's.
struct GammaSampleGradA {
  template <typename T>
  static T Apply(T a, T x) {
    return special::GammaSampleGradA(a, x);
  }
};

// ---- Registration

template <typename Op>
absl::Status AddUnaryOp(OpLibrary& library, std::string_view name, std::string_view doc, GradFunction gradient) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::SameAsInput,
                      .kernel = [](const NodeInfo& node) { return MakeUnaryKernel<Op, kFloatTypes>(node, 100); },
                      .dtypes = kFloatTypes,
                      .gradient = gradient});
}

template <double (*kFunction)(double)>
absl::Status AddUnary(OpLibrary& library, std::string_view name, std::string_view doc, GradFunction gradient) {
  return AddUnaryOp<UnaryFunction<kFunction>>(library, name, doc, gradient);
}

template <typename Op, DTypeSet kTypes>
absl::Status AddBinaryOp(OpLibrary& library, std::string_view name, std::string_view doc, GradFunction gradient) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::Broadcast,
                      .kernel =
                          [](const NodeInfo& node) {
                            return MakeBinaryKernel<Op, kTypes>(node, node.input_dtype(0), {.cost = 300});
                          },
                      .dtypes = kTypes,
                      .gradient = gradient});
}

template <double (*kFunction)(double, double), DTypeSet kTypes>
absl::Status AddBinary(OpLibrary& library, std::string_view name, std::string_view doc, GradFunction gradient = nullptr) {
  return AddBinaryOp<BinaryFunction<kFunction>, kTypes>(library, name, doc, gradient);
}

absl::Status RegisterBessel(OpLibrary& library) {
  RETURN_IF_ERROR(AddUnaryOp<BesselI<0>>(library, "BesselI0", "Modified Bessel function of the first kind, order 0",
                                         Gradient<BesselI0Grad>));
  RETURN_IF_ERROR(AddUnaryOp<BesselI<1>>(library, "BesselI1", "Modified Bessel function of the first kind, order 1",
                                         Gradient<BesselI1Grad>));
  RETURN_IF_ERROR(AddUnary<BesselIe<0>>(library, "BesselI0e", "exp(-|x|) BesselI0(x)", Gradient<BesselI0eGrad>));
  RETURN_IF_ERROR(AddUnary<BesselIe<1>>(library, "BesselI1e", "exp(-|x|) BesselI1(x)", Gradient<BesselI1eGrad>));
  RETURN_IF_ERROR(AddUnary<BesselK<0>>(library, "BesselK0", "Modified Bessel function of the second kind, order 0",
                                       Gradient<BesselK0Grad>));
  RETURN_IF_ERROR(AddUnary<BesselK<1>>(library, "BesselK1", "Modified Bessel function of the second kind, order 1",
                                       Gradient<BesselK1Grad>));
  RETURN_IF_ERROR(AddUnary<BesselKe<0>>(library, "BesselK0e", "exp(x) BesselK0(x)", Gradient<BesselK0eGrad>));
  RETURN_IF_ERROR(AddUnary<BesselKe<1>>(library, "BesselK1e", "exp(x) BesselK1(x)", Gradient<BesselK1eGrad>));
  RETURN_IF_ERROR(
      AddUnary<BesselJ0>(library, "BesselJ0", "Bessel function of the first kind, order 0", Gradient<BesselJ0Grad>));
  RETURN_IF_ERROR(
      AddUnary<BesselJ1>(library, "BesselJ1", "Bessel function of the first kind, order 1", Gradient<BesselJ1Grad>));
  RETURN_IF_ERROR(
      AddUnary<BesselY0>(library, "BesselY0", "Bessel function of the second kind, order 0", Gradient<BesselY0Grad>));
  return AddUnary<BesselY1>(library, "BesselY1", "Bessel function of the second kind, order 1", Gradient<BesselY1Grad>);
}

}  // namespace

absl::Status RegisterSpecialMathOps(OpLibrary& library) {
  RETURN_IF_ERROR(RegisterBessel(library));
  RETURN_IF_ERROR(AddUnary<special::Dawson>(library, "Dawsn", "exp(-x^2) times the integral of exp(t^2) from 0 to x",
                                            Gradient<DawsnGrad>));
  RETURN_IF_ERROR(AddUnary<special::ErfInverse>(library, "Erfinv", "The inverse of Erf", Gradient<ErfinvGrad>));
  RETURN_IF_ERROR(AddUnary<special::NormalInverse>(library, "Ndtri", "The quantile of the normal distribution",
                                                   Gradient<NdtriGrad>));
  RETURN_IF_ERROR(
      AddUnary<special::ExpIntegral>(library, "Expint", "The exponential integral Ei", Gradient<ExpintGrad>));
  RETURN_IF_ERROR(AddUnary<special::FresnelCosine>(library, "FresnelCos", "The integral of cos(pi t^2 / 2) from 0 to x",
                                                   Gradient<FresnelCosGrad>));
  RETURN_IF_ERROR(AddUnary<special::FresnelSine>(library, "FresnelSin", "The integral of sin(pi t^2 / 2) from 0 to x",
                                                 Gradient<FresnelSinGrad>));
  RETURN_IF_ERROR(AddUnary<special::Spence>(library, "Spence", "The dilogarithm of 1 - x", Gradient<SpenceGrad>));
  RETURN_IF_ERROR(
      (AddBinary<special::HurwitzZeta, kWideTypes>(library, "Zeta", "The sum of (k + q)^-x over k >= 0", ZetaGrad)));
  RETURN_IF_ERROR(
      (AddBinary<special::Polygamma, kWideTypes>(library, "Polygamma", "Derivative a of Digamma at x", PolygammaGrad)));
  RETURN_IF_ERROR((AddBinary<special::GammaP, kFloatTypes>(
      library, "Igamma", "The lower regularised incomplete gamma function", IgammaGrad)));
  RETURN_IF_ERROR((AddBinary<special::GammaQ, kFloatTypes>(
      library, "Igammac", "1 - Igamma(a, x), without rounding to 0 first", IgammaGrad)));
  RETURN_IF_ERROR(
      (AddBinary<special::GammaPGradA, kWideTypes>(library, "IgammaGradA", "The derivative of Igamma(a, x) by a")));
  return AddBinaryOp<GammaSampleGradA, kWideTypes>(library, "RandomGammaGrad",
                                                   "The derivative of a sample of RandomGamma by alpha", nullptr);
}

}  // namespace flowlatch
