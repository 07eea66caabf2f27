// Elementwise ops of one operand; see ops/kernels/unary_functors.h for what each computes.
//   x: T -> y: T, or bool for the predicates, or the real type of a complex T. Scalars are computed without memory of
//   their own, tensors in place if their memory is free.
// Integers wrap around. Small floats compute in float32 and round once. Accuracy: Exp, Expm1, Log, Log1p, Tanh, Sigmoid
// and Erf of float32 within 7 ULP (ops/kernels/fast_math.h), Digamma within 1e-13 of the value, the others as libm or
// exact. The gradients SqrtGrad, RsqrtGrad, ReciprocalGrad, SigmoidGrad and TanhGrad take the forward result y and dy,
// of one shape.
#include "ops/unary_math_ops.h"

#include <numbers>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/binary_kernel.h"
#include "ops/kernels/unary_kernel.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kComplexAndFloatTypes = kFloatTypes | kComplexTypes;
constexpr DTypeSet kSignedIntTypes{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};

// ---- Gradients. Of complex numbers they are conjugated: dx = dy conj(f'(x)).

using Expression = Output (*)(GradContext&);

// The gradient function of an op of one operand whose gradient is one expression.
template <Expression kExpression>
absl::Status Gradient(GradContext& c) {
  c.Set(0, kExpression(c));
  return absl::OkStatus();
}

Output X(GradContext& c) { return ConjIfComplex(c, c.input(0)); }
Output Y(GradContext& c) { return ConjIfComplex(c, c.output(0)); }

Output NegGrad(GradContext& c) { return -c.grad(); }
Output AbsGrad(GradContext& c) { return c.grad() * c.Op("Sign", {c.input(0)}); }
Output SignGrad(GradContext& c) { return c.Op("ZerosLike", {c.grad()}); }
Output SquareGrad(GradContext& c) { return c.grad() * (X(c) * 2); }
Output SqrtGrad(GradContext& c) { return c.Op("SqrtGrad", {c.output(0), c.grad()}); }
Output RsqrtGrad(GradContext& c) { return c.Op("RsqrtGrad", {c.output(0), c.grad()}); }
Output ReciprocalGrad(GradContext& c) { return c.Op("ReciprocalGrad", {c.output(0), c.grad()}); }

Output ExpGrad(GradContext& c) { return c.grad() * Y(c); }
Output Expm1Grad(GradContext& c) { return c.grad() * c.Op("Exp", {X(c)}); }
Output LogGrad(GradContext& c) { return c.grad() * c.Op("Reciprocal", {X(c)}); }
Output Log1pGrad(GradContext& c) { return c.grad() * c.Op("Reciprocal", {1 + X(c)}); }
Output TanhGrad(GradContext& c) { return c.Op("TanhGrad", {Y(c), c.grad()}); }
Output SigmoidGrad(GradContext& c) { return c.Op("SigmoidGrad", {Y(c), c.grad()}); }
Output SinGrad(GradContext& c) { return c.grad() * c.Op("Cos", {X(c)}); }
Output CosGrad(GradContext& c) { return -c.grad() * c.Op("Sin", {X(c)}); }
Output TanGrad(GradContext& c) { return c.Op("Square", {c.Op("Reciprocal", {c.Op("Cos", {X(c)})})}) * c.grad(); }
Output AsinGrad(GradContext& c) { return c.grad() * c.Op("Reciprocal", {c.Op("Sqrt", {1 - c.Op("Square", {X(c)})})}); }
Output AcosGrad(GradContext& c) { return -AsinGrad(c); }
Output AtanGrad(GradContext& c) { return c.grad() * c.Op("Reciprocal", {1 + c.Op("Square", {X(c)})}); }
Output SinhGrad(GradContext& c) { return c.grad() * c.Op("Cosh", {X(c)}); }
Output CoshGrad(GradContext& c) { return c.grad() * c.Op("Sinh", {X(c)}); }
Output AsinhGrad(GradContext& c) { return c.grad() / c.Op("Cosh", {Y(c)}); }
Output AcoshGrad(GradContext& c) { return c.grad() / c.Op("Sinh", {Y(c)}); }
Output AtanhGrad(GradContext& c) { return c.grad() * c.Op("Reciprocal", {1 - c.Op("Square", {X(c)})}); }
Output ErfGrad(GradContext& c) {
  constexpr double kFactor = 2 * std::numbers::inv_sqrtpi;
  return c.grad() * kFactor * c.Op("Exp", {-c.Op("Square", {c.input(0)})});
}
Output ErfcGrad(GradContext& c) { return -ErfGrad(c); }
Output LgammaGrad(GradContext& c) { return c.grad() * c.Op("Digamma", {c.input(0)}); }
Output DigammaGrad(GradContext& c) {
  const Output x = c.input(0);
  return c.grad() * c.Op("Polygamma", {c.ScalarLike(1, x), x});
}

// The complex number of the parts, of T as the op's input.
Output ComplexLikeInput(GradContext& c, const Input& real, const Input& imag) {
  return c.Op("Complex", {real, imag}, {{"Tout", c.input_dtype(0)}});
}

Output RealGrad(GradContext& c) { return ComplexLikeInput(c, c.grad(), c.ScalarLike(0, c.grad())); }
Output ImagGrad(GradContext& c) { return ComplexLikeInput(c, c.ScalarLike(0, c.grad()), c.grad()); }
Output ConjGrad(GradContext& c) { return c.Op("Conj", {c.grad()}); }
Output ComplexAbsGrad(GradContext& c) {
  const Output y = ComplexLikeInput(c, c.output(0), c.ScalarLike(0, c.grad()));
  return c.Op("DivNoNan", {RealGrad(c) * c.input(0), y});
}
Output AngleGrad(GradContext& c) {
  const Output x = c.input(0);
  const AttrMap::Entry part{"Tout", c.output_dtype(0)};
  const Output turned = ComplexLikeInput(c, c.Op("Imag", {x}, {part}), c.Op("Real", {x}, {part}));
  return -RealGrad(c) * c.Op("Reciprocal", {turned});
}

absl::Status ComplexGrad(GradContext& c) {
  const AttrMap::Entry part{"Tout", c.input_dtype(0)};
  if (c.needs(0)) c.Set(0, SumToShapeOf(c, c.Op("Real", {c.grad()}, {part}), 0, 1));
  if (c.needs(1)) c.Set(1, SumToShapeOf(c, c.Op("Imag", {c.grad()}, {part}), 1, 0));
  return absl::OkStatus();
}

// Second derivatives. The operands are y, the result of the forward op, and dy; the ops are linear in dy.
Output DY(GradContext& c) { return ConjIfComplex(c, c.input(1)); }

absl::Status SqrtGradGrad(GradContext& c) {
  const Output g = c.grad() / c.input(0);
  if (c.needs(0)) c.Set(0, -ConjIfComplex(c, g) * c.output(0));
  if (c.needs(1)) c.Set(1, g * 0.5);
  return absl::OkStatus();
}
absl::Status RsqrtGradGrad(GradContext& c) {
  const Output y = X(c);
  if (c.needs(0)) c.Set(0, ConjIfComplex(c, c.grad()) * -1.5 * c.input(1) * c.Op("Square", {y}));
  if (c.needs(1)) c.Set(1, c.Op("RsqrtGrad", {y, c.grad()}));
  return absl::OkStatus();
}
absl::Status ReciprocalGradGrad(GradContext& c) {
  const Output y = X(c);
  if (c.needs(0)) c.Set(0, ConjIfComplex(c, c.grad()) * -2 * c.input(1) * y);
  if (c.needs(1)) c.Set(1, c.Op("ReciprocalGrad", {y, c.grad()}));
  return absl::OkStatus();
}
absl::Status SigmoidGradGrad(GradContext& c) {
  const Output y = X(c);
  if (c.needs(0)) {
    const Output g = c.grad() * DY(c);
    c.Set(0, g - g * 2 * y);
  }
  if (c.needs(1)) c.Set(1, c.Op("SigmoidGrad", {y, c.grad()}));
  return absl::OkStatus();
}
absl::Status TanhGradGrad(GradContext& c) {
  const Output y = X(c);
  if (c.needs(0)) c.Set(0, c.grad() * -2 * DY(c) * y);
  if (c.needs(1)) c.Set(1, c.Op("TanhGrad", {y, c.grad()}));
  return absl::OkStatus();
}

// ---- Registration

// One line of the tables below: a functor with its documentation and the dtypes that it serves.
template <typename Op, DTypeSet kTypes>
absl::Status AddUnaryOp(OpLibrary& library, std::string_view name, std::string_view doc, double cost,
                        GradFunction gradient) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::SameAsInput,
                      .kernel = [cost](const NodeInfo& node) { return MakeUnaryKernel<Op, kTypes>(node, cost); },
                      .dtypes = kTypes,
                      .gradient = gradient});
}

absl::Status RegisterArithmetic(OpLibrary& library) {
  using namespace unary;
  constexpr DTypeSet kSigned = kComplexAndFloatTypes | kSignedIntTypes;
  RETURN_IF_ERROR((AddUnaryOp<Neg, kSigned>(library, "Neg", "-x", 0.3, Gradient<NegGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Abs, kFloatTypes | kSignedIntTypes>(library, "Abs", "The magnitude of x", 0.3, Gradient<AbsGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Sign, kSigned>(library, "Sign", "-1, 0 or 1, as x; x / |x| for complex numbers", 0.3,
                                             Gradient<SignGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Square, kNumberTypes>(library, "Square", "x * x", 0.3, Gradient<SquareGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Sqrt, kComplexAndFloatTypes>(library, "Sqrt", "The square root of x", 0.6, Gradient<SqrtGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Rsqrt, kComplexAndFloatTypes>(library, "Rsqrt", "1 / sqrt(x)", 0.8, Gradient<RsqrtGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Reciprocal, kComplexAndFloatTypes>(library, "Reciprocal", "1 / x", 0.5, Gradient<ReciprocalGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Reciprocal, kComplexAndFloatTypes>(library, "Inv", "1 / x", 0.5, Gradient<ReciprocalGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Floor, kFloatTypes>(library, "Floor", "The largest integer not above x", 0.3, gradients::None)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Ceil, kFloatTypes>(library, "Ceil", "The smallest integer not below x", 0.3, gradients::None)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Round, kSigned>(library, "Round", "The nearest integer, halves to even ones", 0.3, gradients::None)));
  return AddUnaryOp<Round, kFloatTypes>(library, "Rint", "The nearest integer, halves to even ones", 0.3,
                                        gradients::None);
}

absl::Status RegisterTranscendental(OpLibrary& library) {
  using namespace unary;
  constexpr DTypeSet kTypes = kComplexAndFloatTypes;
  RETURN_IF_ERROR((AddUnaryOp<Exp, kTypes>(library, "Exp", "e to the power of x", 1.5, Gradient<ExpGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Expm1, kTypes>(library, "Expm1", "e to the power of x, minus 1", 2, Gradient<Expm1Grad>)));
  RETURN_IF_ERROR((AddUnaryOp<Log, kTypes>(library, "Log", "The natural logarithm of x", 1.5, Gradient<LogGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Log1p, kTypes>(library, "Log1p", "The natural logarithm of 1 + x", 2, Gradient<Log1pGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Tanh, kTypes>(library, "Tanh", "The hyperbolic tangent of x", 1, Gradient<TanhGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Sigmoid, kTypes>(library, "Sigmoid", "1 / (1 + exp(-x))", 2, Gradient<SigmoidGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Sin, kTypes>(library, "Sin", "The sine of x", 8, Gradient<SinGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Cos, kTypes>(library, "Cos", "The cosine of x", 8, Gradient<CosGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Tan, kTypes>(library, "Tan", "The tangent of x", 15, Gradient<TanGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Asin, kTypes>(library, "Asin", "The angle in [-pi/2, pi/2] with sine x", 10, Gradient<AsinGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Acos, kTypes>(library, "Acos", "The angle in [0, pi] with cosine x", 10, Gradient<AcosGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Atan, kTypes>(library, "Atan", "The angle in [-pi/2, pi/2] with tangent x", 10, Gradient<AtanGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Sinh, kTypes>(library, "Sinh", "The hyperbolic sine of x", 15, Gradient<SinhGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Cosh, kTypes>(library, "Cosh", "The hyperbolic cosine of x", 15, Gradient<CoshGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Asinh, kTypes>(library, "Asinh", "The inverse of Sinh", 20, Gradient<AsinhGrad>)));
  RETURN_IF_ERROR(
      (AddUnaryOp<Acosh, kTypes>(library, "Acosh", "The inverse of Cosh, NaN below 1", 20, Gradient<AcoshGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Atanh, kTypes>(library, "Atanh", "The inverse of Tanh, NaN outside [-1, 1]", 20,
                                             Gradient<AtanhGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Erf, kFloatTypes>(library, "Erf", "The error function of x", 1, Gradient<ErfGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Erfc, kFloatTypes>(library, "Erfc", "1 - erf(x)", 10, Gradient<ErfcGrad>)));
  RETURN_IF_ERROR((AddUnaryOp<Lgamma, kFloatTypes>(library, "Lgamma", "log |gamma(x)|", 30, Gradient<LgammaGrad>)));
  return AddUnaryOp<Digamma, kFloatTypes>(library, "Digamma", "The derivative of Lgamma, NaN at its poles", 40,
                                          Gradient<DigammaGrad>);
}

absl::Status RegisterPredicatesAndBits(OpLibrary& library) {
  using namespace unary;
  RETURN_IF_ERROR(
      (AddUnaryOp<IsNan, kFloatTypes>(library, "IsNan", "Whether x is not a number", 0.3, gradients::None)));
  RETURN_IF_ERROR(
      (AddUnaryOp<IsInf, kFloatTypes>(library, "IsInf", "Whether x is infinity or -infinity", 0.3, gradients::None)));
  RETURN_IF_ERROR((AddUnaryOp<IsFinite, kFloatTypes>(library, "IsFinite", "Whether x is neither infinite nor NaN", 0.3,
                                                     gradients::None)));
  RETURN_IF_ERROR((AddUnaryOp<Invert, kIntTypes>(library, "Invert", "Each bit of x flipped", 0.3, gradients::None)));
  RETURN_IF_ERROR((AddUnaryOp<PopulationCount, kIntTypes>(library, "PopulationCount", "How many bits of x are set", 1,
                                                          gradients::None)));
  // The operand is always bool: there is no type attr to check.
  return library.Add(
      {.signature = TensorFlowSignature("LogicalNot"),
       .doc = "Whether x is false",
       .shape = shapes::SameAsInput,
       .kernel = [](const NodeInfo& node) { return MakeUnaryKernel<LogicalNot, DTypeSet{DType::kBool}>(node, 0.2); },
       .gradient = gradients::None});
}

// ---- Complex numbers. Tout must be the real type of T.

template <typename Op>
absl::StatusOr<Kernel> ComplexPartKernel(const NodeInfo& node) {
  const DType want = node.input_dtype(0) == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
  if (node.output_dtype(0) != want) {
    return absl::InvalidArgumentError(absl::StrCat("attr 'Tout' of ", node.schema().name(), ": expected ",
                                                   std::string(DTypeName(want)), ", got ",
                                                   std::string(DTypeName(node.output_dtype(0)))));
  }
  return MakeUnaryKernel<Op, kComplexTypes>(node, 2);
}

template <typename Op>
absl::Status AddComplexPart(OpLibrary& library, std::string_view name, std::string_view doc, GradFunction gradient) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::SameAsInput,
                      .kernel = ComplexPartKernel<Op>,
                      .dtypes = kComplexTypes,
                      .gradient = gradient});
}

// Pairs real and imaginary parts, which broadcast.
struct MakeComplex {
  template <typename T>
  static std::complex<T> Apply(T real, T imag) {
    return {real, imag};
  }
};

absl::StatusOr<Kernel> ComplexKernel(const NodeInfo& node) {
  const DType want = node.input_dtype(0) == DType::kFloat32 ? DType::kComplex64 : DType::kComplex128;
  if (node.output_dtype(0) != want) {
    return absl::InvalidArgumentError(absl::StrCat("attr 'Tout' of Complex: expected ", std::string(DTypeName(want)),
                                                   ", got ", std::string(DTypeName(node.output_dtype(0)))));
  }
  return MakeBinaryKernel<MakeComplex, DTypeSet{DType::kFloat32, DType::kFloat64}>(node, node.input_dtype(0),
                                                                                   {.cost = 0.5});
}

absl::Status RegisterComplex(OpLibrary& library) {
  using namespace unary;
  RETURN_IF_ERROR(
      (AddUnaryOp<Conj, kComplexTypes>(library, "Conj", "The complex conjugate of x", 0.5, Gradient<ConjGrad>)));
  RETURN_IF_ERROR(AddComplexPart<Real>(library, "Real", "The real part", Gradient<RealGrad>));
  RETURN_IF_ERROR(AddComplexPart<Imag>(library, "Imag", "The imaginary part", Gradient<ImagGrad>));
  RETURN_IF_ERROR(AddComplexPart<ComplexAbs>(library, "ComplexAbs", "The magnitude of x", Gradient<ComplexAbsGrad>));
  RETURN_IF_ERROR(
      AddComplexPart<Angle>(library, "Angle", "The angle from the positive real axis", Gradient<AngleGrad>));
  return library.Add({.signature = TensorFlowSignature("Complex"),
                      .doc = "The complex number of a real and an imaginary part",
                      .shape = shapes::Broadcast,
                      .kernel = ComplexKernel,
                      .dtypes = {DType::kFloat32, DType::kFloat64},
                      .gradient = ComplexGrad});
}

// ---- Gradient ops: operands of one shape

template <typename Op>
absl::Status AddGradient(OpLibrary& library, std::string_view name, std::string_view doc, GradFunction gradient) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::MergeOfInputs,
                      .kernel =
                          [](const NodeInfo& node) {
                            return MakeBinaryKernel<Op, kComplexAndFloatTypes>(node, node.input_dtype(0),
                                                                               {.cost = 0.5, .same_shape = true});
                          },
                      .dtypes = kComplexAndFloatTypes,
                      .gradient = gradient});
}

absl::Status RegisterGradients(OpLibrary& library) {
  RETURN_IF_ERROR(AddGradient<binary::SqrtGrad>(library, "SqrtGrad", "dy / (2 y), where y = sqrt(x)", SqrtGradGrad));
  RETURN_IF_ERROR(
      AddGradient<binary::RsqrtGrad>(library, "RsqrtGrad", "-dy y^3 / 2, where y = 1 / sqrt(x)", RsqrtGradGrad));
  RETURN_IF_ERROR(
      AddGradient<binary::ReciprocalGrad>(library, "ReciprocalGrad", "-dy y^2, where y = 1 / x", ReciprocalGradGrad));
  RETURN_IF_ERROR(
      AddGradient<binary::ReciprocalGrad>(library, "InvGrad", "-dy y^2, where y = 1 / x", ReciprocalGradGrad));
  RETURN_IF_ERROR(
      AddGradient<binary::SigmoidGrad>(library, "SigmoidGrad", "dy y (1 - y), where y = sigmoid(x)", SigmoidGradGrad));
  return AddGradient<binary::TanhGrad>(library, "TanhGrad", "dy (1 - y^2), where y = tanh(x)", TanhGradGrad);
}

}  // namespace

absl::Status RegisterUnaryMathOps(OpLibrary& library) {
  RETURN_IF_ERROR(RegisterArithmetic(library));
  RETURN_IF_ERROR(RegisterTranscendental(library));
  RETURN_IF_ERROR(RegisterPredicatesAndBits(library));
  RETURN_IF_ERROR(RegisterComplex(library));
  return RegisterGradients(library);
}

}  // namespace flowlatch
