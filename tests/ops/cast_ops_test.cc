#include "ops/cast_ops.h"

#include <cmath>
#include <complex>
#include <limits>

#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

class CastOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterCastOps(library_).ok()); }
  OpTester Cast(DType from, DType to, bool truncate = false) {
    return OpTester(library_, "Cast", {{"SrcT", from}, {"DstT", to}, {"Truncate", truncate}});
  }
  OpTester LinSpace(DType t, DType index = DType::kInt32) {
    return OpTester(library_, "LinSpace", {{"T", t}, {"Tidx", index}});
  }
  // Casts `x` as a vector and, element by element, as scalars.
  void ExpectCast(DType from, DType to, const std::vector<double>& x, const std::vector<double>& want,
                  bool truncate = false) {
    SCOPED_TRACE(std::string(DTypeName(from)) + " to " + std::string(DTypeName(to)));
    const int64_t n = static_cast<int64_t>(x.size());
    OpTester cast = Cast(from, to, truncate);
    ExpectOutput(cast, {Numbers(from, {n}, x)}, Numbers(to, {n}, want));
    for (int64_t i = 0; i < n; ++i) ExpectOutput(cast, {Numbers(from, {}, {x[i]})}, Numbers(to, {}, {want[i]}));
  }

  OpLibrary library_;
};

TEST_F(CastOpsTest, SmallNumbersSurviveAnyPair) {
  for (const DType from : DTypesIn(kNumberTypes)) {
    for (const DType to : DTypesIn(kNumberTypes)) ExpectCast(from, to, {0, 1, 2, 100}, {0, 1, 2, 100});
    ExpectCast(from, DType::kBool, {0, 1, 2}, {0, 1, 1});
    ExpectCast(DType::kBool, from, {0, 1}, {0, 1});
  }
}

// What x86 does, on every processor and in every position.
TEST_F(CastOpsTest, FloatsToIntegers) {
  const std::vector<double> x = {-1.5, -0.5, 2.5, 300, -129, 70000, 3e9, kNan, kInf, -kInf};
  const double low32 = -2147483648.0, low64 = -9223372036854775808.0, high64 = 9223372036854775808.0;
  for (const DType from : {DType::kFloat32, DType::kFloat64}) {
    ExpectCast(from, DType::kInt8, x, {-1, 0, 2, 44, 127, 112, 0, 0, 0, 0});
    ExpectCast(from, DType::kUInt8, x, {255, 0, 2, 44, 127, 112, 0, 0, 0, 0});
    ExpectCast(from, DType::kInt16, x, {-1, 0, 2, 300, -129, 4464, 0, 0, 0, 0});
    ExpectCast(from, DType::kUInt16, x, {65535, 0, 2, 300, 65407, 4464, 0, 0, 0, 0});
    ExpectCast(from, DType::kInt32, x, {-1, 0, 2, 300, -129, 70000, low32, low32, low32, low32});
    ExpectCast(from, DType::kUInt32, x, {4294967295, 0, 2, 300, 4294967167, 70000, 3e9, 0, 0, 0});
    ExpectCast(from, DType::kInt64, x, {-1, 0, 2, 300, -129, 70000, 3e9, low64, low64, low64});
    ExpectCast(from, DType::kUInt64, {2.5, 3e9, high64, 1.5 * high64, 1e30, kNan, -kInf},
               {2, 3e9, high64, 1.5 * high64, high64, high64, high64});
    ExpectCast(from, DType::kInt32, {2147483648.0, -2147483648.0}, {low32, low32});
    ExpectCast(from, DType::kInt64, {high64, low64, -1e30}, {low64, low64, low64});
    ExpectCast(from, DType::kBool, {kNan, -0.0, 1e-30, -kInf}, {1, 0, 1, 1});
    OpTester wraps = Cast(from, DType::kUInt64);
    ExpectOutput(wraps, {Numbers(from, {1}, {-1.5})}, Of<uint64_t>({1}, {~uint64_t{0}}));
  }
  for (const DType from : {DType::kFloat16, DType::kBFloat16}) {
    ExpectCast(from, DType::kInt32, {-1.5, 2.5, kNan, kInf}, {-1, 2, low32, low32});
    ExpectCast(from, DType::kInt8, {-1.5, 300, kNan}, {-1, 44, 0});
    ExpectCast(from, DType::kBool, {kNan, -0.0, 0.5}, {1, 0, 1});
  }
}

TEST_F(CastOpsTest, IntegersKeepTheirLowBits) {
  ExpectCast(DType::kInt64, DType::kInt8, {300, -129, 4294967296}, {44, 127, 0});
  ExpectCast(DType::kInt32, DType::kUInt64, {5}, {5});
  ExpectCast(DType::kInt32, DType::kUInt16, {-1}, {65535});
  ExpectCast(DType::kUInt8, DType::kInt8, {255}, {-1});
}

TEST_F(CastOpsTest, ToFloatsRoundsToNearest) {
  ExpectCast(DType::kInt64, DType::kFloat32, {16777217, 9007199254740993.0}, {16777216, 9007199254740992.0});
  ExpectCast(DType::kInt64, DType::kFloat16, {2049, 2051, 70000}, {2048, 2052, kInf});
  ExpectCast(DType::kInt32, DType::kBFloat16, {16777217, 33619969}, {16777216, 33554432});
  ExpectCast(DType::kFloat64, DType::kFloat32, {1e300, -1e300, kNan}, {kInf, -kInf, kNan});
  ExpectCast(DType::kFloat32, DType::kFloat16, {65519, 65520, 6e-8, 1e-8}, {65504, kInf, 5.9604645e-8, 0});
}

TEST_F(CastOpsTest, TruncateRoundsTowardsZero) {
  ExpectCast(DType::kFloat32, DType::kBFloat16, {1.0117187, -1.9999999, 65519, kNan, kInf},
             {1.0078125, -1.9921875, 65280, kNan, kInf}, true);
  ExpectCast(DType::kFloat32, DType::kFloat16, {-1.9999999, 65520, 70000}, {-1.9990234375, 65504, kInf}, true);
  ExpectCast(DType::kFloat64, DType::kFloat16, {1.0117187}, {1.0107421875}, true);
  ExpectCast(DType::kFloat64, DType::kFloat32, {1.1234567890123}, {1.1234567165374756}, true);
  ExpectCast(DType::kFloat32, DType::kFloat64, {1.5}, {1.5}, true);
}

TEST_F(CastOpsTest, ComplexNumbers) {
  using C = std::complex<float>;
  const Tensor x = Of<C>({4}, {C(1, 2), C(0, 1), C(0, 0), C(-3.75, -2)});
  OpTester to_float = Cast(DType::kComplex64, DType::kFloat32);
  ExpectOutput(to_float, {x}, Floats({4}, {1, 0, 0, -3.75}));
  OpTester to_int = Cast(DType::kComplex64, DType::kInt32);
  ExpectOutput(to_int, {x}, Ints({4}, {1, 0, 0, -3}));
  OpTester to_bool = Cast(DType::kComplex64, DType::kBool);
  ExpectOutput(to_bool, {x}, Bools({4}, {true, false, false, true}));
  using Z = std::complex<double>;
  OpTester widen = Cast(DType::kComplex64, DType::kComplex128);
  ExpectOutput(widen, {x}, Of<Z>({4}, {Z(1, 2), Z(0, 1), Z(0, 0), Z(-3.75, -2)}));
}

TEST_F(CastOpsTest, QuantizedNumbersAreTheirStorage) {
  Tensor q = Tensor::Make(DType::kQInt8, Shape::Of({3})).value();
  for (int i = 0; i < 3; ++i) q.mutable_data<QInt8>()[i].value = static_cast<int8_t>(i - 1);
  OpTester to_float = Cast(DType::kQInt8, DType::kFloat32);
  ExpectOutput(to_float, {q}, Floats({3}, {-1, 0, 1}));
  OpTester from_float = Cast(DType::kFloat32, DType::kQInt8);
  ExpectOutput(from_float, {Floats({3}, {-1.5, 0.5, 257})}, q);
  OpTester to_int8 = Cast(DType::kQInt8, DType::kInt8);
  ExpectOutput(to_int8, {q}, Of<int8_t>({3}, {-1, 0, 1}));
}

TEST_F(CastOpsTest, RareFormatsThroughCommonOnes) {
  const std::vector<float> x = {-9, -1, 0, 3.6f, 15, 448, 60000, 1e6f};
  const Tensor floats = Tensor::FromValues<float>(Shape::Of({8}), x).value();
  OpTester to_e5m2 = Cast(DType::kFloat32, DType::kFloat8E5M2);
  const Tensor e5m2 = Of<Float8E5M2, float>({8}, {-8, -1, 0, 3.5, 16, 448, 57344, static_cast<float>(kInf)});
  ExpectOutput(to_e5m2, {floats}, e5m2);
  OpTester to_half = Cast(DType::kFloat8E5M2, DType::kFloat16);
  ExpectOutput(to_half, {e5m2}, Of<Half, float>({8}, {-8, -1, 0, 3.5, 16, 448, 57344, static_cast<float>(kInf)}));
  OpTester to_e4m3 = Cast(DType::kFloat8E5M2, DType::kFloat8E4M3FN);
  const float nan = static_cast<float>(kNan);
  ExpectOutput(to_e4m3, {e5m2}, Of<Float8E4M3FN, float>({8}, {-8, -1, 0, 3.5, 16, 448, nan, nan}));
  OpTester to_int4 = Cast(DType::kInt64, DType::kInt4);
  const Tensor int4 = Of<Int4, int>({4}, {-8, 7, -1, 0});
  ExpectOutput(to_int4, {Longs({4}, {8, 7, -1, int64_t{1} << 40})}, int4);
  OpTester int4_to_e5m2 = Cast(DType::kInt4, DType::kFloat8E5M2);
  ExpectOutput(int4_to_e5m2, {int4}, Of<Float8E5M2, float>({4}, {-8, 7, -1, 0}));
  OpTester scalar = Cast(DType::kInt4, DType::kUInt4);
  ExpectOutput(scalar, {Of<Int4, int>({}, {-1})}, Of<UInt4, int>({}, {15}));
}

TEST_F(CastOpsTest, ManyElements) {
  constexpr int64_t kSize = 50'001;
  Tensor x = Tensor::Make(DType::kInt32, Shape::Of({kSize})).value();
  Tensor want = Tensor::Make(DType::kFloat64, Shape::Of({kSize})).value();
  Tensor rare = Tensor::Make(DType::kInt4, Shape::Of({kSize})).value();
  for (int64_t i = 0; i < kSize; ++i) {
    x.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
    want.mutable_data<double>()[i] = static_cast<double>(i);
    rare.mutable_data<Int4>()[i] = Int4(i);
  }
  OpTester cast = Cast(DType::kInt32, DType::kFloat64);
  ExpectOutput(cast, {x}, want);
  OpTester to_int4 = Cast(DType::kFloat64, DType::kInt4);
  ExpectOutput(to_int4, {want}, rare);
}

TEST_F(CastOpsTest, EverythingCastsToItself) {
  OpTester strings = Cast(DType::kString, DType::kString);
  ExpectOutput(strings, {Strings({2}, {"a", "b"})}, Strings({2}, {"a", "b"}));
  OpTester floats = Cast(DType::kFloat32, DType::kFloat32);
  ExpectOutput(floats, {Floats({0, 2}, {})}, Floats({0, 2}, {}));
  OpTester empty = Cast(DType::kFloat32, DType::kInt32);
  ExpectOutput(empty, {Floats({0, 2}, {})}, Ints({0, 2}, {}));
  OpTester to_string = Cast(DType::kInt32, DType::kString);
  EXPECT_EQ(to_string.Run({Ints({}, {1})}).status().code(), absl::StatusCode::kUnimplemented);
}

// ---- LinSpace

TEST_F(CastOpsTest, LinSpace) {
  OpTester floats = LinSpace(DType::kFloat32);
  ExpectOutput(floats, {Floats({}, {0}), Floats({}, {1}), Ints({}, {5})}, Floats({5}, {0, 0.25, 0.5, 0.75, 1}));
  ExpectOutput(floats, {Floats({}, {1}), Floats({}, {2}), Ints({}, {1})}, Floats({1}, {1}));
  ExpectOutput(floats, {Floats({}, {0.1f}), Floats({}, {0.7f}), Ints({}, {4})},
               Floats({4}, {0.1f, 0.29999998f, 0.49999997f, 0.7f}));
  const float inf = static_cast<float>(kInf);
  ExpectOutput(floats, {Floats({}, {0}), Floats({}, {inf}), Ints({}, {3})}, Floats({3}, {0, inf, inf}));
  OpTester doubles = LinSpace(DType::kFloat64, DType::kInt64);
  ExpectOutput(doubles, {Tensor::Scalar(0.1), Tensor::Scalar(2.7), Longs({}, {6})},
               Of<double>({6}, {0.1, 0.62, 1.14, 1.66, 2.18, 2.7}), 1e-15);
}

TEST_F(CastOpsTest, LinSpaceErrors) {
  OpTester tester = LinSpace(DType::kFloat32);
  ExpectInvalid(tester, {Floats({}, {0}), Floats({}, {1}), Ints({}, {0})}, "num: expected a positive number, got 0");
  ExpectInvalid(tester, {Floats({}, {0}), Floats({}, {1}), Ints({}, {-2147483647})}, "num: expected a positive number");
  ExpectInvalid(tester, {Floats({1}, {0}), Floats({}, {1}), Ints({}, {2})}, "start: expected a scalar, got shape [1]");
  ExpectInvalid(tester, {Floats({}, {0}), Floats({0}, {}), Ints({}, {2})}, "stop: expected a scalar, got shape [0]");
  ExpectInvalid(tester, {Floats({}, {0}), Floats({}, {1}), Ints({1}, {2})}, "num");
  OpTester huge = LinSpace(DType::kFloat64, DType::kInt64);
  EXPECT_FALSE(huge.Run({Tensor::Scalar(0.0), Tensor::Scalar(1.0), Longs({}, {int64_t{1} << 60})}).ok());
}

TEST_F(CastOpsTest, ShapeFunctions) {
  const auto infer = [&](const char* op, const AttrMap& attrs, const std::vector<PartialShape>& inputs,
                         const std::vector<const Tensor*>& constants = {}) {
    const auto shapes = InferShapes(library_, op, attrs, inputs, constants);
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  };
  const AttrMap cast = {{"SrcT", DType::kFloat32}, {"DstT", DType::kInt32}};
  EXPECT_EQ(infer("Cast", cast, {PartialShape::Of({2, -1})}), "[2,?]");
  EXPECT_EQ(infer("Cast", cast, {PartialShape()}), "?");
  const AttrMap space = {{"T", DType::kFloat32}, {"Tidx", DType::kInt32}};
  const PartialShape scalar = PartialShape::Of({});
  const Tensor seven = Ints({}, {7}), minus = Ints({}, {-1});
  EXPECT_EQ(infer("LinSpace", space, {scalar, scalar, scalar}, {nullptr, nullptr, &seven}), "[7]");
  EXPECT_EQ(infer("LinSpace", space, {scalar, PartialShape(), scalar}), "[?]");
  EXPECT_EQ(infer("LinSpace", space, {scalar, scalar, scalar}, {nullptr, nullptr, &minus}), "INVALID_ARGUMENT");
  EXPECT_EQ(infer("LinSpace", space, {PartialShape::Of({1}), scalar, scalar}), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace flowlatch
