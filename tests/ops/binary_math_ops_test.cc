#include "ops/binary_math_ops.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr DTypeSet kComplexAndFloatTypes = kFloatTypes | kComplexTypes;

AttrMap WithT(DType dtype) { return {{"T", dtype}}; }

class BinaryMathOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterBinaryMathOps(library_).ok()); }
  OpTester Op(const char* op, DType dtype) { return OpTester(library_, op, WithT(dtype)); }
  // Runs each case in each of its dtypes; results are bool if `is_bool`.
  void RunCases(const std::vector<ElementwiseCase>& cases, bool is_bool = false) {
    for (const ElementwiseCase& c : cases)
      RunElementwiseCase(library_, c, is_bool ? DType::kBool : DType::kInvalid, WithT);
  }

  OpLibrary library_;
};

TEST_F(BinaryMathOpsTest, Arithmetic) {
  RunCases({
      {"Add", kComplexAndFloatTypes | kSignedIntTypes, {{1, 2, 100}, {3, 4, 20}}, {4, 6, 120}},
      {"AddV2", kNumberTypes, {{1, 2, 100}, {3, 4, 20}}, {4, 6, 120}},
      {"Sub", kNumberTypes, {{7, 9, 100}, {3, 9, 1}}, {4, 0, 99}},
      {"Mul", kNumberTypes, {{1, 5, 0}, {3, 25, 9}}, {3, 125, 0}},
      {"Div", kNumberTypes, {{8, 6, 0}, {2, 3, 5}}, {4, 2, 0}},
      {"Div", kSignedIntTypes, {{7, -7, 7, -7}, {2, 2, -2, -2}}, {3, -3, -3, 3}},
      {"RealDiv", kComplexAndFloatTypes, {{7, -6, 0}, {2, 3, 5}}, {3.5, -2, 0}},
      {"RealDiv", kFloatTypes, {{1, -1, 0, kNan}, {0, 0, 0, 1}}, {kInf, -kInf, kNan, kNan}},
      {"SquaredDifference", kComplexAndFloatTypes | kIndexTypes, {{1, 5, -2}, {4, 3, -2}}, {9, 4, 0}},
      {"DivNoNan", kComplexAndFloatTypes, {{7, 0, 3}, {2, 0, 0}}, {3.5, 0, 0}},
      {"DivNoNan", kFloatTypes, {{kNan, kInf}, {0, 0}}, {0, 0}},
      {"MulNoNan", kComplexAndFloatTypes, {{7, 3}, {2, 0}}, {14, 0}},
      {"MulNoNan", kFloatTypes, {{kNan, kInf, 0}, {0, 0, kNan}}, {0, 0, kNan}},
      {"Xdivy", kComplexAndFloatTypes, {{0, 6}, {0, 3}}, {0, 2}},
      {"Xdivy", kFloatTypes, {{0, 2}, {kNan, 0}}, {0, kInf}},
  });
}

TEST_F(BinaryMathOpsTest, IntegersWrapAround) {
  RunCases({
      {"Add", {DType::kInt8}, {{127, -128}, {1, -1}}, {-128, 127}},
      {"AddV2", {DType::kUInt8}, {{255}, {2}}, {1}},
      {"Add", {DType::kInt32}, {{2147483647}, {1}}, {-2147483648.0}},
      {"Sub", {DType::kUInt32}, {{0}, {1}}, {4294967295}},
      {"Mul", {DType::kInt16}, {{256}, {128}}, {-32768}},
      {"Mul", {DType::kInt64}, {{4294967296}, {4294967296}}, {0}},
      {"FloorDiv", {DType::kInt8}, {{-128}, {-1}}, {-128}},
      {"FloorDiv", {DType::kInt32}, {{-2147483648.0}, {-1}}, {-2147483648.0}},
      {"TruncateDiv", {DType::kInt64}, {{-9223372036854775808.0}, {-1}}, {-9223372036854775808.0}},
      {"Div", {DType::kInt16}, {{-32768}, {-1}}, {-32768}},
      {"FloorMod", {DType::kInt32}, {{-2147483648.0}, {-1}}, {0}},
      {"TruncateMod", {DType::kInt64}, {{-9223372036854775808.0}, {-1}}, {0}},
      {"Pow", {DType::kInt8}, {{7}, {60}}, {-95}},
      {"Pow", {DType::kInt32}, {{7}, {60}}, {-422604639}},
      {"SquaredDifference", {DType::kInt32}, {{65536}, {0}}, {0}},
  });
}

TEST_F(BinaryMathOpsTest, DivisionAndRemainder) {
  RunCases({
      {"FloorDiv", kSignedIntTypes, {{7, -7, 7, -7, 6, -6}, {3, 3, -3, -3, -3, -3}}, {2, -3, -3, 2, -2, 2}},
      {"FloorDiv", kRealTypes, {{7, 8}, {3, 4}}, {2, 2}},
      {"FloorDiv", kFloatTypes, {{-7, 7, -5, 5, 1, 0}, {3, kInf, kInf, -2, 0, 0}}, {-3, 0, -0.0, -3, kInf, kNan}},
      {"FloorDiv", {DType::kBFloat16}, {{-0.3}, {0.1}}, {-3}},  // the quotient rounds to -3 before floor
      {"FloorDiv", {DType::kFloat16}, {{-0.3}, {0.1}}, {-4}},
      {"TruncateDiv", kSignedIntTypes, {{7, -7, 7, -7}, {3, 3, -3, -3}}, {2, -2, -2, 2}},
      {"TruncateDiv", kFloatTypes, {{7, -7}, {3, 3}}, {2, -2}},
      {"FloorMod", kSignedIntTypes, {{7, -7, 7, -7, 6}, {3, 3, -3, -3, -3}}, {1, 2, -2, -1, 0}},
      {"FloorMod", kRealTypes, {{7, 8}, {3, 4}}, {1, 0}},
      {"FloorMod", kFloatTypes, {{-7, 7, 5, -5, 1, kInf}, {3, -3, kInf, kInf, 0, 3}}, {2, -2, 5, kInf, kNan, kNan}},
      {"Mod", kFloatTypes | kIndexTypes, {{7, -7, 7, -7}, {3, 3, -3, -3}}, {1, -1, 1, -1}},
      {"TruncateMod", kFloatTypes | kIndexTypes, {{7, -7, 7, -7}, {3, 3, -3, -3}}, {1, -1, 1, -1}},
  });
}

TEST_F(BinaryMathOpsTest, IntegersDoNotDivideByZero) {
  for (const char* op : {"Div", "FloorDiv", "TruncateDiv", "FloorMod"}) {
    for (const DType dtype : DTypesIn(kIntTypes)) {
      SCOPED_TRACE(op + std::string(DTypeName(dtype)));
      OpTester tester = Op(op, dtype);
      ExpectInvalid(tester, {Numbers(dtype, {2}, {1, 2}), Numbers(dtype, {2}, {0, 1})}, "divisor: expected");
      ExpectInvalid(tester, {Numbers(dtype, {}, {1}), Numbers(dtype, {}, {0})}, "divisor: expected");
      ExpectOutput(tester, {Numbers(dtype, {0}, {}), Numbers(dtype, {}, {0})}, Numbers(dtype, {0}, {}));
    }
  }
  for (const char* op : {"Mod", "TruncateMod"}) {
    OpTester tester = Op(op, DType::kInt32);
    ExpectInvalid(tester, {Ints({2, 1}, {1, 2}), Ints({2}, {1, 0})}, "divisor: expected");
  }
}

TEST_F(BinaryMathOpsTest, Powers) {
  RunCases({
      {"Pow", kSignedIntTypes, {{2, 3, -2, 0, 0, 1}, {3, 2, 3, 0, 5, 100}}, {8, 9, -8, 1, 0, 1}},
      {"Pow", kComplexAndFloatTypes, {{2, 3, 4}, {3, 2, 0.5}}, {8, 9, 2}, 1e-6},
      {"Pow", kFloatTypes, {{0, -8, 2, kNan, 0}, {0, 0.5, -1, 0, -1}}, {1, kNan, 0.5, 1, kInf}},
  });
  for (const DType dtype : DTypesIn(kSignedIntTypes)) {
    OpTester pow = Op("Pow", dtype);
    ExpectInvalid(pow, {Numbers(dtype, {2}, {2, 3}), Numbers(dtype, {2}, {2, -1})}, "exponent of integers");
    ExpectInvalid(pow, {Numbers(dtype, {}, {1}), Numbers(dtype, {}, {-1})}, "exponent of integers");
  }
}

TEST_F(BinaryMathOpsTest, Transcendental) {
  RunCases({
      {"Xlogy", kComplexAndFloatTypes, {{0, 2, 1}, {0, 1, 1}}, {0, 0, 0}},
      {"Xlogy",
       {DType::kFloat32, DType::kFloat64},
       {{2, 0, 3, 0}, {3, kNan, 0, -1}},
       {2 * std::log(3.0), 0, -kInf, 0},
       1e-6},
      {"Xlog1py", kComplexAndFloatTypes, {{0, 2}, {-1, 0}}, {0, 0}},
      {"Xlog1py", {DType::kFloat32, DType::kFloat64}, {{2, 3}, {1e-10, 2}}, {2e-10, 3 * std::log(3.0)}, 1e-6},
      {"Atan2",
       {DType::kFloat32, DType::kFloat64},
       {{1, -1, 0, kNan}, {0, -1, -1, 1}},
       {M_PI / 2, -3 * M_PI / 4, M_PI, kNan},
       1e-6},
      {"Atan2", {DType::kFloat16, DType::kBFloat16}, {{1}, {1}}, {M_PI / 4}, 1e-2},
  });
}

TEST_F(BinaryMathOpsTest, LargerAndSmallerKeepNan) {
  RunCases({
      {"Maximum", kRealTypes, {{1, 5, 3}, {2, 4, 3}}, {2, 5, 3}},
      {"Minimum", kRealTypes, {{1, 5, 3}, {2, 4, 3}}, {1, 4, 3}},
      {"Maximum", kSignedIntTypes, {{-1, -5}, {-2, 4}}, {-1, 4}},
      {"Maximum", kFloatTypes, {{kNan, 1, kNan, kInf, kInf}, {1, kNan, kNan, kNan, 1}}, {kNan, kNan, kNan, kNan, kInf}},
      {"Minimum", kFloatTypes, {{kNan, 1, kNan, kInf, kInf}, {1, kNan, kNan, kNan, 1}}, {kNan, kNan, kNan, kNan, 1}},
  });
}

TEST_F(BinaryMathOpsTest, BitsAndShifts) {
  RunCases({
      {"BitwiseAnd", kIntTypes, {{12, 5}, {10, 2}}, {8, 0}},
      {"BitwiseOr", kIntTypes, {{12, 5}, {10, 2}}, {14, 7}},
      {"BitwiseXor", kIntTypes, {{12, 5}, {10, 5}}, {6, 0}},
      {"LeftShift", kIntTypes, {{5, 7}, {3, 0}}, {40, 7}},
      {"RightShift", kIntTypes, {{40, 7}, {3, 0}}, {5, 7}},
      {"LeftShift", {DType::kInt8, DType::kUInt8}, {{1}, {40}}, {128}},
      {"LeftShift", {DType::kInt32}, {{1, -8, -8}, {40, 1, -1}}, {-2147483648.0, -16, -8}},
      {"LeftShift", {DType::kInt64}, {{1}, {40}}, {1099511627776}},
      {"RightShift", {DType::kInt32}, {{-8, -8, -8, -1}, {1, -1, 40, 31}}, {-4, -8, -1, -1}},
      {"RightShift", {DType::kUInt32}, {{4294967295}, {31}}, {1}},
  });
}

TEST_F(BinaryMathOpsTest, Comparisons) {
  RunCases(
      {
          {"Less", kRealTypes, {{1, 2, 3}, {2, 2, 2}}, {1, 0, 0}},
          {"LessEqual", kRealTypes, {{1, 2, 3}, {2, 2, 2}}, {1, 1, 0}},
          {"Greater", kRealTypes, {{1, 2, 3}, {2, 2, 2}}, {0, 0, 1}},
          {"GreaterEqual", kRealTypes, {{1, 2, 3}, {2, 2, 2}}, {0, 1, 1}},
          {"Less", kFloatTypes, {{kNan, 1, -kInf, -0.0}, {1, kNan, kInf, 0}}, {0, 0, 1, 0}},
          {"GreaterEqual", kFloatTypes, {{kNan, kNan, -0.0}, {1, kNan, 0}}, {0, 0, 1}},
          {"Equal", kNumberTypes, {{1, 2, 0}, {1, 3, 0}}, {1, 0, 1}},
          {"Equal", kBoolType, {{1, 0, 0}, {1, 1, 0}}, {1, 0, 1}},
          {"Equal", kFloatTypes, {{kNan, -0.0}, {kNan, 0}}, {0, 1}},
          {"NotEqual", kNumberTypes | kBoolType, {{1, 1}, {1, 0}}, {0, 1}},
          {"NotEqual", kFloatTypes, {{kNan, -0.0}, {kNan, 0}}, {1, 0}},
      },
      /*is_bool=*/true);
  OpTester greater = Op("Greater", DType::kUInt64);
  ExpectOutput(greater, {Of<uint64_t>({1}, {~uint64_t{0}}), Of<uint64_t>({1}, {uint64_t{1}})}, Bools({1}, {true}));
}

TEST_F(BinaryMathOpsTest, Logic) {
  for (const auto& [op, want] :
       std::vector<std::pair<const char*, Tensor>>{{"LogicalAnd", Bools({4}, {false, false, false, true})},
                                                   {"LogicalOr", Bools({4}, {false, true, true, true})}}) {
    OpTester tester(library_, op, {});
    ExpectOutput(tester, {Bools({4}, {false, false, true, true}), Bools({4}, {false, true, false, true})}, want);
    ExpectOutput(tester, {Tensor::Scalar(true), Tensor::Scalar(true)}, Tensor::Scalar(true));
  }
}

TEST_F(BinaryMathOpsTest, ComplexNumbers) {
  using C = std::complex<float>;
  const Tensor x = Of<C>({2}, {C(1, 2), C(3, -1)}), y = Of<C>({2}, {C(0, 1), C(2, 0)});
  const std::vector<std::pair<const char*, Tensor>> cases = {
      {"AddV2", Of<C>({2}, {C(1, 3), C(5, -1)})},    {"Sub", Of<C>({2}, {C(1, 1), C(1, -1)})},
      {"Mul", Of<C>({2}, {C(-2, 1), C(6, -2)})},     {"RealDiv", Of<C>({2}, {C(2, -1), C(1.5, -0.5)})},
      {"Div", Of<C>({2}, {C(2, -1), C(1.5, -0.5)})}, {"SquaredDifference", Of<C>({2}, {C(2, 0), C(2, 0)})},
  };
  for (const auto& [op, want] : cases) {
    SCOPED_TRACE(op);
    OpTester tester = Op(op, DType::kComplex64);
    ExpectOutput(tester, {x, y}, want, 1e-6);
  }
  OpTester divide = Op("RealDiv", DType::kComplex64);
  ExpectOutput(divide, {Of<C>({1}, {C(1, 2)}), Of<C>({1}, {C(0, 0)})}, Of<C>({1}, {C(kNan, kNan)}));
  ExpectOutput(divide, {Of<C>({1}, {C(1e30, 0)}), Of<C>({1}, {C(1e30, 1e30)})}, Of<C>({1}, {C(0.5, -0.5)}), 1e-6);
}

TEST_F(BinaryMathOpsTest, Strings) {
  OpTester add = Op("Add", DType::kString);
  ExpectOutput(add, {Strings({2}, {"a", "a string that is not small"}), Strings({}, {"bc"})},
               Strings({2}, {"abc", "a string that is not smallbc"}));
  ExpectOutput(add, {Strings({}, {"a"}), Strings({}, {""})}, Strings({}, {"a"}));
  OpTester equal = Op("Equal", DType::kString);
  ExpectOutput(equal, {Strings({2}, {"a", "b"}), Strings({2, 1}, {"a", "b"})},
               Bools({2, 2}, {true, false, false, true}));
  OpTester differ = Op("NotEqual", DType::kString);
  ExpectOutput(differ, {Strings({}, {"a"}), Strings({}, {"b"})}, Tensor::Scalar(true));
}

TEST_F(BinaryMathOpsTest, QuantizedNumbersCompareByTheirStorage) {
  OpTester equal = Op("Equal", DType::kQInt8);
  Tensor x = Tensor::Make(DType::kQInt8, Shape::Of({2})).value(),
         y = Tensor::Make(DType::kQInt8, Shape::Of({2})).value();
  x.mutable_data<QInt8>()[0].value = y.mutable_data<QInt8>()[0].value = -3;
  x.mutable_data<QInt8>()[1].value = 1;
  y.mutable_data<QInt8>()[1].value = 2;
  ExpectOutput(equal, {x, y}, Bools({2}, {true, false}));
}

// ---- Shapes

// Sub of numbers that tell where they come from, against the definition of broadcasting.
void ExpectBroadcast(const OpLibrary& library, const std::vector<int64_t>& x_dims, const std::vector<int64_t>& y_dims) {
  const absl::StatusOr<Shape> out = BroadcastShapes(x_dims, y_dims);
  ASSERT_TRUE(out.ok()) << out.status();
  SCOPED_TRACE(DimsToString(x_dims) + " and " + DimsToString(y_dims));
  Tensor x = Tensor::Make(DType::kInt32, x_dims).value(), y = Tensor::Make(DType::kInt32, y_dims).value();
  std::iota(x.mutable_values<int32_t>().begin(), x.mutable_values<int32_t>().end(), 0);
  for (int64_t i = 0; i < y.num_elements(); ++i) y.mutable_data<int32_t>()[i] = static_cast<int32_t>(1000 * i);
  const auto offset = [&](const std::vector<int64_t>& dims, int64_t index) {
    int64_t at = 0, stride = 1;
    for (int d = out->rank() - 1, i = static_cast<int>(dims.size()) - 1; i >= 0; --d, --i) {
      if (dims[i] != 1) at += index % out->dim(d) * stride;
      stride *= dims[i];
      index /= out->dim(d);
    }
    return at;
  };
  Tensor want = Tensor::Make(DType::kInt32, *out).value();
  for (int64_t i = 0; i < want.num_elements(); ++i) {
    want.mutable_data<int32_t>()[i] = x.data<int32_t>()[offset(x_dims, i)] - y.data<int32_t>()[offset(y_dims, i)];
  }
  OpTester sub(library, "Sub", WithT(DType::kInt32));
  ExpectOutput(sub, {x, y}, want);
}

TEST_F(BinaryMathOpsTest, Broadcasting) {
  const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>> shapes = {
      {{}, {3}},
      {{3}, {}},
      {{3}, {1}},
      {{1}, {3}},
      {{1, 1}, {3}},
      {{2, 3}, {3}},
      {{3}, {2, 3}},
      {{2, 3}, {2, 1}},
      {{2, 1}, {2, 3}},
      {{2, 1}, {1, 3}},
      {{1, 3}, {2, 1}},
      {{2, 3, 4}, {3, 1}},
      {{2, 1, 4}, {3, 1}},
      {{2, 3, 4}, {2, 1, 4}},
      {{2, 3, 4, 5}, {1, 3, 1, 5}},
      {{2, 1, 4, 1, 3}, {1, 5, 1, 2, 1}},
      {{1, 1, 1}, {1, 1}},
      {{0}, {1}},
      {{2, 0}, {2, 1}},
      {{0, 3}, {3}},
      {{2, 1, 2, 1, 2, 1, 2}, {1, 2, 1, 2, 1, 2, 1}},
      {{300, 1}, {1, 200}},
      {{40000}, {1}},
      {{7, 9001}, {9001}},
      {{3, 1, 5000}, {4, 1}}};
  for (const auto& [x, y] : shapes) ExpectBroadcast(library_, x, y);
}

TEST_F(BinaryMathOpsTest, ManyDimensions) {
  std::vector<int64_t> x(254, 1), y(254, 1);
  for (const int i : {0, 100, 253}) x[i] = 2;
  for (const int i : {1, 100, 252}) y[i] = 3;
  y[100] = 2;
  ExpectBroadcast(library_, x, y);
}

TEST_F(BinaryMathOpsTest, ShapesThatDoNotMatch) {
  OpTester add = Op("AddV2", DType::kFloat32);
  ExpectInvalid(add, {Floats({2}, {1, 2}), Floats({3}, {1, 2, 3})}, "[2]");
  ExpectInvalid(add, {Floats({0}, {}), Floats({2}, {1, 2})}, "[0]");
}

TEST_F(BinaryMathOpsTest, EqualMayAcceptShapesThatDoNotMatch) {
  for (const bool want : {false, true}) {
    const char* op = want ? "NotEqual" : "Equal";
    OpTester tolerant(library_, op, {{"T", DType::kInt32}, {"incompatible_shape_error", false}});
    ExpectOutput(tolerant, {Ints({2}, {1, 2}), Ints({3}, {1, 2, 3})}, Tensor::Scalar(want));
    ExpectOutput(tolerant, {Ints({2}, {1, 2}), Ints({1}, {1})}, Bools({2}, {!want, want}));
    OpTester strict = Op(op, DType::kInt32);
    ExpectInvalid(strict, {Ints({2}, {1, 2}), Ints({3}, {1, 2, 3})}, "[3]");
  }
}

TEST_F(BinaryMathOpsTest, ShapeFunctions) {
  const auto infer = [&](const char* op, const AttrMap& attrs, const std::vector<PartialShape>& inputs) {
    const auto shapes = InferShapes(library_, op, attrs, inputs);
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  };
  const AttrMap t = WithT(DType::kFloat32);
  EXPECT_EQ(infer("Mul", t, {PartialShape::Of({2, 1}), PartialShape::Of({3})}), "[2,3]");
  EXPECT_EQ(infer("Mul", t, {PartialShape::Of({-1, 4}), PartialShape::Of({1, 4})}), "[?,4]");
  EXPECT_EQ(infer("Mul", t, {PartialShape(), PartialShape::Of({3})}), "?");
  EXPECT_EQ(infer("Mul", t, {PartialShape::Of({2}), PartialShape::Of({3})}), "INVALID_ARGUMENT");
  AttrMap tolerant = t.With("incompatible_shape_error", false);
  EXPECT_EQ(infer("Equal", tolerant, {PartialShape::Of({2}), PartialShape::Of({3})}), "?");
  EXPECT_EQ(infer("Equal", tolerant, {PartialShape::Of({2}), PartialShape::Of({-1})}), "?");
  EXPECT_EQ(infer("Equal", tolerant, {PartialShape::Of({2}), PartialShape::Of({4, 1})}), "[4,2]");
  EXPECT_EQ(infer("Equal", t, {PartialShape::Of({2}), PartialShape::Of({-1})}), "[2]");
  const AttrMap two = {{"T", DType::kFloat32}, {"N", 2}};
  EXPECT_EQ(infer("AddN", two, {PartialShape::Of({2, -1}), PartialShape::Of({-1, 3})}), "[2,3]");
  EXPECT_EQ(infer("AddN", two, {PartialShape::Of({2}), PartialShape::Of({3})}), "INVALID_ARGUMENT");
}

TEST_F(BinaryMathOpsTest, LargeTensorsAreSharedByThreads) {
  constexpr int64_t kSize = 100'003;
  Tensor x = Tensor::Make(DType::kFloat32, Shape::Of({kSize})).value();
  Tensor want = Tensor::Make(DType::kFloat32, Shape::Of({kSize})).value();
  for (int64_t i = 0; i < kSize; ++i) {
    x.mutable_data<float>()[i] = static_cast<float>(i);
    want.mutable_data<float>()[i] = static_cast<float>(2 * i);
  }
  OpTester add = Op("AddV2", DType::kFloat32);
  ExpectOutput(add, {x, x}, want);
  OpTester divide = Op("FloorDiv", DType::kInt32);
  Tensor numbers = Tensor::Zeros(DType::kInt32, Shape::Of({kSize})).value();
  ExpectInvalid(divide, {numbers, numbers}, "divisor");
}

// ---- ApproximateEqual, AddN

TEST_F(BinaryMathOpsTest, ApproximateEqual) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
    OpTester tester(library_, "ApproximateEqual", {{"T", dtype}, {"tolerance", 0.25f}});
    ExpectOutput(tester,
                 {Numbers(dtype, {5}, {1, 2, 3, kNan, kInf}), Numbers(dtype, {5}, {1.125, 2.25, 2.875, kNan, kInf})},
                 Bools({5}, {true, false, true, false, false}));
    ExpectOutput(tester, {Numbers(dtype, {0, 2}, {}), Numbers(dtype, {0, 2}, {})}, Bools({0, 2}, {}));
    ExpectInvalid(tester, {Numbers(dtype, {2}, {1, 2}), Numbers(dtype, {}, {1})}, "shape of input 1: expected");
  }
}

TEST_F(BinaryMathOpsTest, AddN) {
  for (const DType dtype : DTypesIn(kNumberTypes)) {
    SCOPED_TRACE(DTypeName(dtype));
    OpTester three(library_, "AddN", {{"T", dtype}, {"N", 3}});
    ExpectOutput(three,
                 {Numbers(dtype, {2, 2}, {1, 2, 3, 4}), Numbers(dtype, {2, 2}, {10, 20, 30, 40}),
                  Numbers(dtype, {2, 2}, {5, 5, 5, 5})},
                 Numbers(dtype, {2, 2}, {16, 27, 38, 49}));
    ExpectOutput(three, {Numbers(dtype, {}, {1}), Numbers(dtype, {}, {2}), Numbers(dtype, {}, {3})},
                 Numbers(dtype, {}, {6}));
    ExpectOutput(three, {Numbers(dtype, {0}, {}), Numbers(dtype, {0}, {}), Numbers(dtype, {0}, {})},
                 Numbers(dtype, {0}, {}));
    ExpectInvalid(three, {Numbers(dtype, {1}, {1}), Numbers(dtype, {1}, {1}), Numbers(dtype, {}, {1})},
                  "shape of input 2: expected");
    OpTester one(library_, "AddN", {{"T", dtype}, {"N", 1}});
    ExpectOutput(one, {Numbers(dtype, {2}, {1, 2})}, Numbers(dtype, {2}, {1, 2}));
  }
}

TEST_F(BinaryMathOpsTest, AccumulateNV2) {
  const AttrMap attrs = {{"T", DType::kInt32}, {"N", 2}, {"shape", PartialShape::Of({2})}};
  OpTester sum(library_, "AccumulateNV2", attrs);
  ExpectOutput(sum, {Ints({2}, {1, 2}), Ints({2}, {3, 4})}, Ints({2}, {4, 6}));
  ExpectInvalid(sum, {Ints({2}, {1, 2}), Ints({1}, {3})}, "shape of input 1: expected");
  const PartialShape unknown;
  EXPECT_EQ((*InferShapes(library_, "AccumulateNV2", attrs, {unknown, unknown}))[0].ToString(), "[2]");
  ExpectInvalid(InferShapes(library_, "AccumulateNV2", attrs, {PartialShape::Of({3}), unknown}).status(), "[3]");
}

TEST_F(BinaryMathOpsTest, Cross) {
  for (const DType dtype : DTypesIn(kFloatTypes | kSignedIntTypes)) {
    OpTester cross(library_, "Cross", {{"T", dtype}});
    ExpectOutput(cross, {Numbers(dtype, {2, 3}, {1, 0, 0, 1, 2, 3}), Numbers(dtype, {2, 3}, {0, 1, 0, 3, 5, 7})},
                 Numbers(dtype, {2, 3}, {0, 0, 1, -1, 2, -1}));
  }
  OpTester cross(library_, "Cross", {{"T", DType::kFloat32}});
  ExpectOutput(cross, {Floats({0, 3}, {}), Floats({0, 3}, {})}, Floats({0, 3}, {}));
  EXPECT_EQ(cross.Run({Floats({2}, {1, 2}), Floats({2}, {1, 2})}).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(cross.Run({Floats({}, {1}), Floats({}, {1})}).status().code(), absl::StatusCode::kFailedPrecondition);
  ExpectInvalid(cross, {Floats({3}, {1, 2, 3}), Floats({1, 3}, {1, 2, 3})}, "shape of input 1");
  ExpectInvalid(
      InferShapes(library_, "Cross", {{"T", DType::kFloat32}}, {PartialShape::Of({-1, 2}), PartialShape()}).status(),
      "expected 3 elements");
}

TEST_F(BinaryMathOpsTest, NextAfter) {
  OpTester next = Op("NextAfter", DType::kFloat64);
  ExpectOutput(next, {Of<double>({3}, {1, 1, 2}), Of<double>({3}, {2, 0, 2})},
               Of<double>({3}, {1 + 0x1p-52, 1 - 0x1p-53, 2}));
  OpTester floats = Op("NextAfter", DType::kFloat32);
  ExpectOutput(floats, {Floats({}, {1}), Floats({}, {2})}, Floats({}, {1 + 0x1p-23f}));
}

TEST_F(BinaryMathOpsTest, AddNRoundsFromLeftToRight) {
  OpTester three(library_, "AddN", {{"T", DType::kFloat32}, {"N", 3}});
  const Tensor big = Floats({1}, {1e8f}), minus_big = Floats({1}, {-1e8f}), one = Floats({1}, {1});
  ExpectOutput(three, {big, one, minus_big}, Floats({1}, {0}));
  ExpectOutput(three, {big, minus_big, one}, Floats({1}, {1}));
}

TEST_F(BinaryMathOpsTest, UnsupportedTypes) {
  for (const auto& [op, dtype] : std::vector<std::pair<const char*, DType>>{
           {"RealDiv", DType::kInt32}, {"ApproximateEqual", DType::kInt32}}) {
    OpTester tester(library_, op, AttrMap({{"T", dtype}, {"N", 2}}));
    const Tensor x = Tensor::Make(dtype, Shape::Of({1})).value();
    EXPECT_EQ(tester.Run({x, x}).status().code(), absl::StatusCode::kUnimplemented) << op;
  }
}

}  // namespace
}  // namespace flowlatch
