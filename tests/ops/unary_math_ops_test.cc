#include "ops/unary_math_ops.h"

#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>

#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.14159265358979323846;
constexpr DTypeSet kComplexAndFloatTypes = kFloatTypes | kComplexTypes;
constexpr DTypeSet kFullFloats{DType::kFloat32, DType::kFloat64};

AttrMap WithT(DType dtype) { return {{"T", dtype}}; }

class UnaryMathOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterUnaryMathOps(library_).ok()); }
  OpTester Op(const char* op, DType dtype) { return OpTester(library_, op, WithT(dtype)); }
  void RunCases(const std::vector<ElementwiseCase>& cases, DType out = DType::kInvalid) {
    for (const ElementwiseCase& c : cases) RunElementwiseCase(library_, c, out, WithT);
  }
  std::string Infer(const char* op, const AttrMap& attrs, const std::vector<PartialShape>& inputs) {
    const auto shapes = InferShapes(library_, op, attrs, inputs);
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  }

  OpLibrary library_;
};

TEST_F(UnaryMathOpsTest, Arithmetic) {
  RunCases({
      {"Neg", kComplexAndFloatTypes | kSignedIntTypes, {{1, -2, 0}}, {-1, 2, 0}},
      {"Neg", {DType::kInt8}, {{-128}}, {-128}},
      {"Neg", {DType::kInt64}, {{-9223372036854775808.0}}, {-9223372036854775808.0}},
      {"Abs", kFloatTypes | kSignedIntTypes, {{1, -2, 0}}, {1, 2, 0}},
      {"Abs", kFloatTypes, {{-kInf, kNan, -0.0}}, {kInf, kNan, 0}},
      {"Abs", {DType::kInt32}, {{-2147483648.0}}, {-2147483648.0}},
      {"Sign", kComplexAndFloatTypes | kSignedIntTypes, {{5, -3, 0}}, {1, -1, 0}},
      {"Sign", kFloatTypes, {{kNan, -kInf, -0.0}}, {kNan, -1, 0}},
      {"Square", kNumberTypes, {{3, 10, 0}}, {9, 100, 0}},
      {"Square", {DType::kInt32}, {{65536}}, {0}},
      {"Square", {DType::kUInt8}, {{255}}, {1}},
      {"Sqrt", kComplexAndFloatTypes, {{4, 0, 2.25}}, {2, 0, 1.5}},
      {"Sqrt", kFloatTypes, {{-1, kInf, kNan}}, {kNan, kInf, kNan}},
      {"Rsqrt", kComplexAndFloatTypes, {{4, 0.25}}, {0.5, 2}},
      {"Rsqrt", kFloatTypes, {{0, -0.0, -1, kInf}}, {kInf, -kInf, kNan, 0}},
      {"Reciprocal", kComplexAndFloatTypes, {{4, -0.5}}, {0.25, -2}},
      {"Inv", kFloatTypes, {{0, -0.0, kInf, kNan}}, {kInf, -kInf, 0, kNan}},
  });
}

TEST_F(UnaryMathOpsTest, Rounding) {
  RunCases({
      {"Floor", kFloatTypes, {{1.5, -1.5, -0.25, kInf, kNan}}, {1, -2, -1, kInf, kNan}},
      {"Ceil", kFloatTypes, {{1.5, -1.5, -0.25, kInf, kNan}}, {2, -1, 0, kInf, kNan}},
      {"Round", kFloatTypes, {{0.5, 1.5, 2.5, -2.5, -0.75, kInf, kNan}}, {0, 2, 2, -2, -1, kInf, kNan}},
      {"Rint", kFloatTypes, {{0.5, 1.5, 2.5, -2.5, -0.75, kInf, kNan}}, {0, 2, 2, -2, -1, kInf, kNan}},
      {"Round", kSignedIntTypes, {{5, -7}}, {5, -7}},
      {"Round", {DType::kFloat64}, {{4503599627370497.0, 1e300}}, {4503599627370497.0, 1e300}},
  });
}

TEST_F(UnaryMathOpsTest, SpecialValues) {
  RunCases({
      {"Exp", kFloatTypes, {{0, -kInf, kInf, kNan, 1000, -1000}}, {1, 0, kInf, kNan, kInf, 0}},
      {"Log", kFloatTypes, {{1, 0, -0.0, kInf, -1, -kInf, kNan}}, {0, -kInf, -kInf, kInf, kNan, kNan, kNan}},
      {"Tanh", kFloatTypes, {{0, kInf, -kInf, 100, -100, kNan}}, {0, 1, -1, 1, -1, kNan}},
      {"Sigmoid", kFloatTypes, {{0, kInf, -kInf, 100, -1000, kNan}}, {0.5, 1, 0, 1, 0, kNan}},
      {"Expm1", kFloatTypes, {{0, -kInf, kInf, kNan}}, {0, -1, kInf, kNan}},
      {"Log1p", kFloatTypes, {{0, -1, kInf, -2, kNan}}, {0, -kInf, kInf, kNan, kNan}},
      {"Sin", kFloatTypes, {{0, kInf, kNan}}, {0, kNan, kNan}},
      {"Cos", kFloatTypes, {{0, -kInf, kNan}}, {1, kNan, kNan}},
      {"Tan", kFloatTypes, {{0, kInf}}, {0, kNan}},
      {"Asin", kFloatTypes, {{0, 2, kNan}}, {0, kNan, kNan}},
      {"Acos", kFloatTypes, {{1, 2, kNan}}, {0, kNan, kNan}},
      {"Acosh", kFloatTypes, {{1, 0.5, kInf}}, {0, kNan, kInf}},
      {"Atanh", kFloatTypes, {{0, 1, -1, 2}}, {0, kInf, -kInf, kNan}},
      {"Erf", kFloatTypes, {{0, kInf, -kInf, kNan}}, {0, 1, -1, kNan}},
      {"Erfc", kFloatTypes, {{0, kInf, -kInf}}, {1, 0, 2}},
      {"Lgamma", kFloatTypes, {{1, 2, 0, -1, -kInf, kInf}}, {0, 0, kInf, kInf, kInf, kInf}},
      {"Digamma", kFloatTypes, {{kInf, 0, -1, kNan}}, {kInf, kNan, kNan, kNan}},
      {"Digamma",
       kFullFloats,
       {{1, 0.5, -0.5, 1e-8, 100}},
       {-0.5772156649015329, -1.9635100260214235, 0.03648997397857652, -1.0000000057721564e8, 4.600161852738087},
       1e-6},
  });
}

struct Reference {
  const char* op;
  std::function<double(double)> of;
  double low, high;
};

// Over a range, against libm in double precision.
TEST_F(UnaryMathOpsTest, Accuracy) {
  const std::vector<Reference> references = {
      {"Exp", [](double x) { return std::exp(x); }, -85, 85},
      {"Log", [](double x) { return std::log(x); }, 1e-3, 1e6},
      {"Tanh", [](double x) { return std::tanh(x); }, -8, 8},
      {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }, -80, 80},
      {"Expm1", [](double x) { return std::expm1(x); }, -3, 3},
      {"Log1p", [](double x) { return std::log1p(x); }, -0.99, 50},
      {"Sqrt", [](double x) { return std::sqrt(x); }, 0, 1e5},
      {"Rsqrt", [](double x) { return 1 / std::sqrt(x); }, 1e-3, 1e5},
      {"Sin", [](double x) { return std::sin(x); }, -100, 100},
      {"Cos", [](double x) { return std::cos(x); }, -100, 100},
      {"Tan", [](double x) { return std::tan(x); }, -1.5, 1.5},
      {"Asin", [](double x) { return std::asin(x); }, -1, 1},
      {"Acos", [](double x) { return std::acos(x); }, -1, 1},
      {"Atan", [](double x) { return std::atan(x); }, -50, 50},
      {"Sinh", [](double x) { return std::sinh(x); }, -20, 20},
      {"Cosh", [](double x) { return std::cosh(x); }, -20, 20},
      {"Asinh", [](double x) { return std::asinh(x); }, -100, 100},
      {"Acosh", [](double x) { return std::acosh(x); }, 1, 100},
      {"Atanh", [](double x) { return std::atanh(x); }, -0.999, 0.999},
      {"Erf", [](double x) { return std::erf(x); }, -4, 4},
      {"Erfc", [](double x) { return std::erfc(x); }, -4, 4},
      {"Lgamma", [](double x) { return std::lgamma(x); }, 0.1, 60},
  };
  std::minstd_rand random(17);
  for (const Reference& r : references) {
    std::uniform_real_distribution<double> uniform(r.low, r.high);
    for (const DType dtype : DTypesIn(kFloatTypes)) {
      SCOPED_TRACE(std::string(r.op) + " of " + std::string(DTypeName(dtype)));
      std::vector<double> x(500), want;
      for (double& v : x) v = uniform(random);
      const Tensor input = Numbers(dtype, {500}, x);
      for (int i = 0; i < 500; ++i) {
        const double exact =
            DispatchDType<kFloatTypes>(dtype, 0.0, [&]<typename T>() -> double { return input.data<T>()[i]; });
        want.push_back(r.of(exact));
      }
      const double tolerance = dtype == DType::kFloat64   ? 1e-14
                               : dtype == DType::kFloat32 ? 5e-7
                               : dtype == DType::kFloat16 ? 1e-3
                                                          : 8e-3;
      OpTester tester = Op(r.op, dtype);
      ExpectOutput(tester, {input}, Numbers(dtype, {500}, want), tolerance);
    }
  }
}

TEST_F(UnaryMathOpsTest, SmallResultsStayAccurate) {
  RunCases({
      {"Tanh", {DType::kFloat32}, {{1e-30, -1e-10}}, {1e-30f, -1e-10f}},
      {"Expm1", {DType::kFloat32}, {{1e-30}}, {1e-30f}},
      {"Log1p", {DType::kFloat32}, {{1e-30}}, {1e-30f}},
  });
}

// Steps run with denormals taken for zero.
TEST_F(UnaryMathOpsTest, DenormalsAreZero) {
  RunCases({
      {"Exp", {DType::kFloat32}, {{-100, -87}}, {0, std::exp(-87.0)}, 1e-44},
      {"Log", {DType::kFloat32}, {{1e-40}}, {-kInf}},
  });
}

// A value does not depend on where in a tensor it stands.
TEST_F(UnaryMathOpsTest, ScalarsEqualElements) {
  for (const char* op : {"Exp", "Log", "Tanh", "Sigmoid", "Sqrt", "Rsqrt", "Sin"}) {
    OpTester tester = Op(op, DType::kFloat32);
    std::vector<double> x;
    for (int i = 0; i < 37; ++i) x.push_back(0.37 * i - 2.5);
    const absl::StatusOr<std::vector<Tensor>> all = tester.Run({Numbers(DType::kFloat32, {37}, x)});
    ASSERT_TRUE(all.ok()) << all.status();
    for (int i = 0; i < 37; ++i) {
      ExpectOutput(tester, {Numbers(DType::kFloat32, {}, {x[i]})}, Floats({}, {(*all)[0].data<float>()[i]}));
    }
  }
}

TEST_F(UnaryMathOpsTest, Predicates) {
  RunCases(
      {
          {"IsNan", kFloatTypes, {{kNan, kInf, -kInf, 0, 1}}, {1, 0, 0, 0, 0}},
          {"IsInf", kFloatTypes, {{kNan, kInf, -kInf, 0, 1}}, {0, 1, 1, 0, 0}},
          {"IsFinite", kFloatTypes, {{kNan, kInf, -kInf, 0, 1}}, {0, 0, 0, 1, 1}},
      },
      DType::kBool);
  OpTester logical_not(library_, "LogicalNot", {});
  ExpectOutput(logical_not, {Bools({2}, {true, false})}, Bools({2}, {false, true}));
  ExpectOutput(logical_not, {Tensor::Scalar(true)}, Tensor::Scalar(false));
}

TEST_F(UnaryMathOpsTest, Bits) {
  RunCases({
      {"Invert", kSignedIntTypes, {{0, 5, -128}}, {-1, -6, 127}},
      {"Invert", {DType::kUInt8}, {{0, 255}}, {255, 0}},
      {"Invert", {DType::kUInt32}, {{0}}, {4294967295}},
  });
  RunCases({{"PopulationCount", kIntTypes, {{0, 7, 64}}, {0, 3, 1}},
            {"PopulationCount", {DType::kInt8}, {{-1}}, {8}},
            {"PopulationCount", {DType::kInt64}, {{-1}}, {64}}},
           DType::kUInt8);
}

// ---- Complex numbers

template <typename C>
void ExpectComplex(const OpLibrary& library, const char* op, const std::function<C(C)>& want) {
  SCOPED_TRACE(op);
  std::vector<C> x = {{1, 2}, {-3, -1}, {0.5, 0}, {-0.25, 0.75}}, y;
  for (const C& v : x) y.push_back(want(v));
  OpTester tester(library, op, WithT(kDTypeOf<C>));
  const Shape shape = Shape::Of({4});
  ExpectOutput(tester, {Tensor::FromValues<C>(shape, x).value()}, Tensor::FromValues<C>(shape, y).value(), 1e-5);
  ExpectOutput(tester, {Tensor::Scalar(x[0])}, Tensor::Scalar(y[0]), 1e-5);
}

template <typename C>
void ExpectComplexFunctions(const OpLibrary& library) {
  ExpectComplex<C>(library, "Neg", [](C x) { return -x; });
  ExpectComplex<C>(library, "Sign", [](C x) { return x / std::abs(x); });
  ExpectComplex<C>(library, "Square", [](C x) { return x * x; });
  ExpectComplex<C>(library, "Sqrt", [](C x) { return std::sqrt(x); });
  ExpectComplex<C>(library, "Rsqrt", [](C x) { return C(1) / std::sqrt(x); });
  ExpectComplex<C>(library, "Reciprocal", [](C x) { return C(1) / x; });
  ExpectComplex<C>(library, "Exp", [](C x) { return std::exp(x); });
  ExpectComplex<C>(library, "Expm1", [](C x) { return std::exp(x) - C(1); });
  ExpectComplex<C>(library, "Log", [](C x) { return std::log(x); });
  ExpectComplex<C>(library, "Log1p", [](C x) { return std::log(C(1) + x); });
  ExpectComplex<C>(library, "Sigmoid", [](C x) { return C(1) / (C(1) + std::exp(-x)); });
  ExpectComplex<C>(library, "Tanh", [](C x) { return std::tanh(x); });
  ExpectComplex<C>(library, "Sin", [](C x) { return std::sin(x); });
  ExpectComplex<C>(library, "Acos", [](C x) { return std::acos(x); });
  ExpectComplex<C>(library, "Round", [](C x) { return C(std::nearbyint(x.real()), std::nearbyint(x.imag())); });
  ExpectComplex<C>(library, "Conj", [](C x) { return std::conj(x); });
}

TEST_F(UnaryMathOpsTest, ComplexFunctions) {
  ExpectComplexFunctions<std::complex<float>>(library_);
  ExpectComplexFunctions<std::complex<double>>(library_);
}

TEST_F(UnaryMathOpsTest, PartsOfComplexNumbers) {
  using C = std::complex<float>;
  const Tensor x = Of<C>({3}, {C(3, 4), C(-1, 0), C(0, -2)});
  const AttrMap attrs = {{"T", DType::kComplex64}, {"Tout", DType::kFloat32}};
  const std::vector<std::pair<const char*, Tensor>> cases = {
      {"Real", Floats({3}, {3, -1, 0})},
      {"Imag", Floats({3}, {4, 0, -2})},
      {"ComplexAbs", Floats({3}, {5, 1, 2})},
      {"Angle", Floats({3}, {0.92729521f, static_cast<float>(kPi), static_cast<float>(-kPi / 2)})},
  };
  for (const auto& [op, want] : cases) {
    SCOPED_TRACE(op);
    OpTester tester(library_, op, attrs);
    ExpectOutput(tester, {x}, want, 1e-6);
    OpTester wrong(library_, op, {{"T", DType::kComplex64}, {"Tout", DType::kFloat64}});
    ExpectInvalid(wrong, {x}, "attr 'Tout' of " + std::string(op) + ": expected float32");
  }
  OpTester real(library_, "Real", {{"T", DType::kComplex128}, {"Tout", DType::kFloat64}});
  ExpectOutput(real, {Tensor::Scalar(std::complex<double>(3, 4))}, Tensor::Scalar(3.0));
}

TEST_F(UnaryMathOpsTest, ComplexFromParts) {
  using C = std::complex<float>;
  OpTester tester(library_, "Complex", {{"T", DType::kFloat32}, {"Tout", DType::kComplex64}});
  ExpectOutput(tester, {Floats({2}, {1, 2}), Floats({2, 1}, {3, 4})},
               Of<C>({2, 2}, {C(1, 3), C(2, 3), C(1, 4), C(2, 4)}));
  ExpectOutput(tester, {Floats({}, {1}), Floats({}, {3})}, Of<C>({}, {C(1, 3)}));
  OpTester wrong(library_, "Complex", {{"T", DType::kFloat32}, {"Tout", DType::kComplex128}});
  ExpectInvalid(wrong, {Floats({}, {1}), Floats({}, {3})}, "attr 'Tout' of Complex");
}

// ---- Gradients

TEST_F(UnaryMathOpsTest, Gradients) {
  RunCases({
      {"SqrtGrad", kComplexAndFloatTypes, {{2, 4}, {1, -2}}, {0.25, -0.25}},
      {"RsqrtGrad", kComplexAndFloatTypes, {{2, 4}, {1, -1}}, {-4, 32}},
      {"ReciprocalGrad", kComplexAndFloatTypes, {{2, 3}, {1, -2}}, {-4, 18}},
      {"InvGrad", kFloatTypes, {{2, 3}, {1, -2}}, {-4, 18}},
      {"SigmoidGrad", kComplexAndFloatTypes, {{0.5, 0.25}, {1, 4}}, {0.25, 0.75}},
      {"TanhGrad", kComplexAndFloatTypes, {{0.5, 0}, {1, 4}}, {0.75, 4}},
  });
  using C = std::complex<float>;
  // Of y = 2 + i: the first three conjugate it, the last two leave that to their caller.
  const std::vector<std::pair<const char*, C>> complex_cases = {{"SqrtGrad", C(0.2f, 0.1f)},
                                                                {"RsqrtGrad", C(-1, 5.5f)},
                                                                {"ReciprocalGrad", C(-3, 4)},
                                                                {"SigmoidGrad", C(-1, -3)},
                                                                {"TanhGrad", C(-2, -4)}};
  for (const auto& [op, z] : complex_cases) {
    OpTester tester = Op(op, DType::kComplex64);
    ExpectOutput(tester, {Of<C>({1}, {C(2, 1)}), Of<C>({1}, {C(1, 0)})}, Of<C>({1}, {z}), 1e-6);
  }
}

TEST_F(UnaryMathOpsTest, GradientsDoNotBroadcast) {
  for (const char* op : {"SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "SigmoidGrad", "TanhGrad"}) {
    OpTester tester = Op(op, DType::kFloat32);
    ExpectInvalid(tester, {Floats({2}, {1, 2}), Floats({}, {1})}, "shape of input 1: expected that of input 0");
    ExpectOutput(tester, {Floats({0, 2}, {}), Floats({0, 2}, {})}, Floats({0, 2}, {}));
  }
}

// ---- Shapes, sizes, dtypes

TEST_F(UnaryMathOpsTest, ShapesAndSizes) {
  OpTester square = Op("Square", DType::kInt32);
  ExpectOutput(square, {Ints({0, 3}, {})}, Ints({0, 3}, {}));
  ExpectOutput(square, {Ints({2, 1, 2}, {1, 2, 3, 4})}, Ints({2, 1, 2}, {1, 4, 9, 16}));
  std::vector<double> x(70'001), want;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  for (const double v : x) want.push_back(std::sqrt(v));
  OpTester sqrt = Op("Sqrt", DType::kFloat64);
  ExpectOutput(sqrt, {Numbers(DType::kFloat64, {70'001}, x)}, Numbers(DType::kFloat64, {70'001}, want));
  EXPECT_EQ(Infer("Exp", WithT(DType::kFloat32), {PartialShape::Of({2, -1})}), "[2,?]");
  EXPECT_EQ(Infer("Exp", WithT(DType::kFloat32), {PartialShape()}), "?");
  EXPECT_EQ(Infer("TanhGrad", WithT(DType::kFloat32), {PartialShape::Of({2, -1}), PartialShape::Of({-1, 3})}), "[2,3]");
  EXPECT_EQ(Infer("TanhGrad", WithT(DType::kFloat32), {PartialShape::Of({2}), PartialShape::Of({3})}),
            "INVALID_ARGUMENT");
}

TEST_F(UnaryMathOpsTest, UnsupportedTypes) {
  OpTester reciprocal = Op("Reciprocal", DType::kInt32);
  EXPECT_EQ(reciprocal.Run({Ints({}, {1})}).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace flowlatch
