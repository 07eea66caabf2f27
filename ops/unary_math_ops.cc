// Elementwise ops of one operand; see ops/kernels/unary_functors.h for what each computes.
//   x: T -> y: T, or bool for the predicates, or the real type of a complex T. Scalars are computed without memory of
//   their own, tensors in place if their memory is free.
// Integers wrap around. Small floats compute in float32 and round once. Accuracy: Exp, Expm1, Log, Log1p, Tanh, Sigmoid
// and Erf of float32 within 7 ULP (ops/kernels/fast_math.h), Digamma within 1e-13 of the value, the others as libm or
// exact. The gradients SqrtGrad, RsqrtGrad, ReciprocalGrad, SigmoidGrad and TanhGrad take the forward result y and dy,
// of one shape.
#include "ops/unary_math_ops.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/binary_kernel.h"
#include "ops/kernels/unary_kernel.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kComplexAndFloatTypes = kFloatTypes | kComplexTypes;
constexpr DTypeSet kSignedIntTypes{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};

// One line of the tables below: a functor with its documentation and the dtypes that it serves.
template <typename Op, DTypeSet kTypes>
absl::Status AddUnaryOp(OpLibrary& library, std::string_view name, std::string_view doc, double cost) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::SameAsInput,
                      .kernel = [cost](const NodeInfo& node) { return MakeUnaryKernel<Op, kTypes>(node, cost); },
                      .dtypes = kTypes});
}

absl::Status RegisterArithmetic(OpLibrary& library) {
  using namespace unary;
  constexpr DTypeSet kSigned = kComplexAndFloatTypes | kSignedIntTypes;
  RETURN_IF_ERROR((AddUnaryOp<Neg, kSigned>(library, "Neg", "-x", 0.3)));
  RETURN_IF_ERROR((AddUnaryOp<Abs, kFloatTypes | kSignedIntTypes>(library, "Abs", "The magnitude of x", 0.3)));
  RETURN_IF_ERROR((AddUnaryOp<Sign, kSigned>(library, "Sign", "-1, 0 or 1, as x; x / |x| for complex numbers", 0.3)));
  RETURN_IF_ERROR((AddUnaryOp<Square, kNumberTypes>(library, "Square", "x * x", 0.3)));
  RETURN_IF_ERROR((AddUnaryOp<Sqrt, kComplexAndFloatTypes>(library, "Sqrt", "The square root of x", 0.6)));
  RETURN_IF_ERROR((AddUnaryOp<Rsqrt, kComplexAndFloatTypes>(library, "Rsqrt", "1 / sqrt(x)", 0.8)));
  RETURN_IF_ERROR((AddUnaryOp<Reciprocal, kComplexAndFloatTypes>(library, "Reciprocal", "1 / x", 0.5)));
  RETURN_IF_ERROR((AddUnaryOp<Reciprocal, kComplexAndFloatTypes>(library, "Inv", "1 / x", 0.5)));
  RETURN_IF_ERROR((AddUnaryOp<Floor, kFloatTypes>(library, "Floor", "The largest integer not above x", 0.3)));
  RETURN_IF_ERROR((AddUnaryOp<Ceil, kFloatTypes>(library, "Ceil", "The smallest integer not below x", 0.3)));
  RETURN_IF_ERROR((AddUnaryOp<Round, kSigned>(library, "Round", "The nearest integer, halves to even ones", 0.3)));
  return AddUnaryOp<Round, kFloatTypes>(library, "Rint", "The nearest integer, halves to even ones", 0.3);
}

absl::Status RegisterTranscendental(OpLibrary& library) {
  using namespace unary;
  constexpr DTypeSet kTypes = kComplexAndFloatTypes;
  RETURN_IF_ERROR((AddUnaryOp<Exp, kTypes>(library, "Exp", "e to the power of x", 1.5)));
  RETURN_IF_ERROR((AddUnaryOp<Expm1, kTypes>(library, "Expm1", "e to the power of x, minus 1", 2)));
  RETURN_IF_ERROR((AddUnaryOp<Log, kTypes>(library, "Log", "The natural logarithm of x", 1.5)));
  RETURN_IF_ERROR((AddUnaryOp<Log1p, kTypes>(library, "Log1p", "The natural logarithm of 1 + x", 2)));
  RETURN_IF_ERROR((AddUnaryOp<Tanh, kTypes>(library, "Tanh", "The hyperbolic tangent of x", 1)));
  RETURN_IF_ERROR((AddUnaryOp<Sigmoid, kTypes>(library, "Sigmoid", "1 / (1 + exp(-x))", 2)));
  RETURN_IF_ERROR((AddUnaryOp<Sin, kTypes>(library, "Sin", "The sine of x", 8)));
  RETURN_IF_ERROR((AddUnaryOp<Cos, kTypes>(library, "Cos", "The cosine of x", 8)));
  RETURN_IF_ERROR((AddUnaryOp<Tan, kTypes>(library, "Tan", "The tangent of x", 15)));
  RETURN_IF_ERROR((AddUnaryOp<Asin, kTypes>(library, "Asin", "The angle in [-pi/2, pi/2] with sine x", 10)));
  RETURN_IF_ERROR((AddUnaryOp<Acos, kTypes>(library, "Acos", "The angle in [0, pi] with cosine x", 10)));
  RETURN_IF_ERROR((AddUnaryOp<Atan, kTypes>(library, "Atan", "The angle in [-pi/2, pi/2] with tangent x", 10)));
  RETURN_IF_ERROR((AddUnaryOp<Sinh, kTypes>(library, "Sinh", "The hyperbolic sine of x", 15)));
  RETURN_IF_ERROR((AddUnaryOp<Cosh, kTypes>(library, "Cosh", "The hyperbolic cosine of x", 15)));
  RETURN_IF_ERROR((AddUnaryOp<Asinh, kTypes>(library, "Asinh", "The inverse of Sinh", 20)));
  RETURN_IF_ERROR((AddUnaryOp<Acosh, kTypes>(library, "Acosh", "The inverse of Cosh, NaN below 1", 20)));
  RETURN_IF_ERROR((AddUnaryOp<Atanh, kTypes>(library, "Atanh", "The inverse of Tanh, NaN outside [-1, 1]", 20)));
  RETURN_IF_ERROR((AddUnaryOp<Erf, kFloatTypes>(library, "Erf", "The error function of x", 1)));
  RETURN_IF_ERROR((AddUnaryOp<Erfc, kFloatTypes>(library, "Erfc", "1 - erf(x)", 10)));
  RETURN_IF_ERROR((AddUnaryOp<Lgamma, kFloatTypes>(library, "Lgamma", "log |gamma(x)|", 30)));
  return AddUnaryOp<Digamma, kFloatTypes>(library, "Digamma", "The derivative of Lgamma, NaN at its poles", 40);
}

absl::Status RegisterPredicatesAndBits(OpLibrary& library) {
  using namespace unary;
  RETURN_IF_ERROR((AddUnaryOp<IsNan, kFloatTypes>(library, "IsNan", "Whether x is not a number", 0.3)));
  RETURN_IF_ERROR((AddUnaryOp<IsInf, kFloatTypes>(library, "IsInf", "Whether x is infinity or -infinity", 0.3)));
  RETURN_IF_ERROR(
      (AddUnaryOp<IsFinite, kFloatTypes>(library, "IsFinite", "Whether x is neither infinite nor NaN", 0.3)));
  RETURN_IF_ERROR((AddUnaryOp<Invert, kIntTypes>(library, "Invert", "Each bit of x flipped", 0.3)));
  RETURN_IF_ERROR(
      (AddUnaryOp<PopulationCount, kIntTypes>(library, "PopulationCount", "How many bits of x are set", 1)));
  // The operand is always bool: there is no type attr to check.
  return library.Add(
      {.signature = TensorFlowSignature("LogicalNot"),
       .doc = "Whether x is false",
       .shape = shapes::SameAsInput,
       .kernel = [](const NodeInfo& node) { return MakeUnaryKernel<LogicalNot, DTypeSet{DType::kBool}>(node, 0.2); }});
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
absl::Status AddComplexPart(OpLibrary& library, std::string_view name, std::string_view doc) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::SameAsInput,
                      .kernel = ComplexPartKernel<Op>,
                      .dtypes = kComplexTypes});
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
  RETURN_IF_ERROR((AddUnaryOp<Conj, kComplexTypes>(library, "Conj", "The complex conjugate of x", 0.5)));
  RETURN_IF_ERROR(AddComplexPart<Real>(library, "Real", "The real part"));
  RETURN_IF_ERROR(AddComplexPart<Imag>(library, "Imag", "The imaginary part"));
  RETURN_IF_ERROR(AddComplexPart<ComplexAbs>(library, "ComplexAbs", "The magnitude of x"));
  RETURN_IF_ERROR(AddComplexPart<Angle>(library, "Angle", "The angle from the positive real axis"));
  return library.Add({.signature = TensorFlowSignature("Complex"),
                      .doc = "The complex number of a real and an imaginary part",
                      .shape = shapes::Broadcast,
                      .kernel = ComplexKernel,
                      .dtypes = {DType::kFloat32, DType::kFloat64}});
}

// ---- Gradients: operands of one shape

template <typename Op>
absl::Status AddGradient(OpLibrary& library, std::string_view name, std::string_view doc) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::MergeOfInputs,
                      .kernel =
                          [](const NodeInfo& node) {
                            return MakeBinaryKernel<Op, kComplexAndFloatTypes>(node, node.input_dtype(0),
                                                                               {.cost = 0.5, .same_shape = true});
                          },
                      .dtypes = kComplexAndFloatTypes});
}

absl::Status RegisterGradients(OpLibrary& library) {
  using namespace binary;
  RETURN_IF_ERROR(AddGradient<SqrtGrad>(library, "SqrtGrad", "dy / (2 y), where y = sqrt(x)"));
  RETURN_IF_ERROR(AddGradient<RsqrtGrad>(library, "RsqrtGrad", "-dy y^3 / 2, where y = 1 / sqrt(x)"));
  RETURN_IF_ERROR(AddGradient<ReciprocalGrad>(library, "ReciprocalGrad", "-dy y^2, where y = 1 / x"));
  RETURN_IF_ERROR(AddGradient<ReciprocalGrad>(library, "InvGrad", "-dy y^2, where y = 1 / x"));
  RETURN_IF_ERROR(AddGradient<SigmoidGrad>(library, "SigmoidGrad", "dy y (1 - y), where y = sigmoid(x)"));
  return AddGradient<TanhGrad>(library, "TanhGrad", "dy (1 - y^2), where y = tanh(x)");
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
