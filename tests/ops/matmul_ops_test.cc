#include "ops/matmul_ops.h"

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/op_tester.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

const OpLibrary& Library() {
  static const OpLibrary* library = [] {
    auto* l = new OpLibrary;
    EXPECT_TRUE(RegisterMatMulOps(*l).ok());
    return l;
  }();
  return *library;
}

// Any number type from doubles.
Tensor Numbers(DType dtype, std::initializer_list<int64_t> dims, const std::vector<double>& values) {
  Tensor t = *Tensor::Make(dtype, Shape::Of(dims));
  EXPECT_EQ(t.num_elements(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) {
    switch (dtype) {
#define FLOWLATCH_CASE(d, T) case DType::d: t.mutable_data<T>()[i] = T(static_cast<float>(values[i])); break
      FLOWLATCH_CASE(kFloat32, float);
      FLOWLATCH_CASE(kFloat64, double);
      FLOWLATCH_CASE(kFloat16, Half);
      FLOWLATCH_CASE(kBFloat16, BFloat16);
      FLOWLATCH_CASE(kInt8, int8_t);
      FLOWLATCH_CASE(kInt16, int16_t);
      FLOWLATCH_CASE(kInt32, int32_t);
      FLOWLATCH_CASE(kInt64, int64_t);
      FLOWLATCH_CASE(kUInt8, uint8_t);
      FLOWLATCH_CASE(kUInt16, uint16_t);
      FLOWLATCH_CASE(kUInt32, uint32_t);
      FLOWLATCH_CASE(kUInt64, uint64_t);
      FLOWLATCH_CASE(kComplex64, std::complex<float>);
      FLOWLATCH_CASE(kComplex128, std::complex<double>);
#undef FLOWLATCH_CASE
      default: ADD_FAILURE() << "no number type";
    }
  }
  return t;
}

AttrMap Attrs(const std::string& op, DType dtype, bool x, bool y) {
  const bool single = op == "MatMul";
  AttrMap attrs({{single ? "transpose_a" : "adj_x", x}, {single ? "transpose_b" : "adj_y", y}});
  if (op != "BatchMatMulV3") return attrs.With("T", dtype);
  return attrs.With("Ta", dtype).With("Tb", dtype).With("Tout", dtype);
}

absl::StatusOr<Tensor> Product(const std::string& op, const Tensor& x, const Tensor& y, bool turn_x = false,
                               bool turn_y = false) {
  OpTester tester(Library(), op, Attrs(op, x.dtype(), turn_x, turn_y));
  absl::StatusOr<std::vector<Tensor>> out = tester.Run({x, y});
  if (!out.ok()) return out.status();
  return (*out)[0];
}

constexpr DType kDTypes[] = {DType::kFloat32,  DType::kFloat64,    DType::kFloat16, DType::kBFloat16, DType::kInt16,
                             DType::kInt32,    DType::kInt64,      DType::kUInt8,   DType::kUInt16,   DType::kUInt32,
                             DType::kUInt64,   DType::kComplex64,  DType::kComplex128};

TEST(MatMulTest, EveryDTypeAndTranspose) {
  for (const DType d : kDTypes) {
    const Tensor want = Numbers(d, {2, 2}, {58, 64, 139, 154});
    for (const bool turn_a : {false, true}) {
      for (const bool turn_b : {false, true}) {
        const Tensor a = turn_a ? Numbers(d, {3, 2}, {1, 4, 2, 5, 3, 6}) : Numbers(d, {2, 3}, {1, 2, 3, 4, 5, 6});
        const Tensor b = turn_b ? Numbers(d, {2, 3}, {7, 9, 11, 8, 10, 12}) : Numbers(d, {3, 2}, {7, 8, 9, 10, 11, 12});
        for (const std::string op : {"MatMul", "BatchMatMulV2"}) {
          if (op == "MatMul" && d == DType::kInt16) continue;  // not in its signature
          const absl::StatusOr<Tensor> got = Product(op, a, b, turn_a, turn_b);
          ASSERT_TRUE(got.ok()) << got.status();
          EXPECT_EQ(Difference(*got, want), "") << op << " " << std::string(DTypeName(d)) << turn_a << turn_b;
        }
      }
    }
  }
}

TEST(MatMulTest, BFloat16RoundsTowardsZero) {
  constexpr double kLess = 1.0 / 512;  // half a last place of 1
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = Numbers(DType::kBFloat16, {4, 3}, {1, kLess, kLess, -1, -kLess, -kLess, 3, 0, 0, infinity, -infinity, 0});
  const Tensor ones = Numbers(DType::kBFloat16, {3, 1}, {1, 1, 0.9});
  const Tensor want = Numbers(DType::kBFloat16, {4, 1}, {1, -1, 3, std::nan("")});
  for (const std::string op : {"MatMul", "BatchMatMulV2"}) EXPECT_EQ(Difference(*Product(op, x, ones), want), "") << op;
  const auto half = [](double last) { return Numbers(DType::kFloat16, {1, 2}, {1, last}); };
  const Tensor half_ones = Numbers(DType::kFloat16, {2, 1}, {1, 1});
  EXPECT_EQ(Difference(*Product("MatMul", half(0.75 / 1024), half_ones), Numbers(DType::kFloat16, {1, 1}, {1 + 1.0 / 1024})), "")
      << "to the nearest";
}

TEST(MatMulTest, OnlyTheAdjointConjugates) {
  const std::complex<float> i(0, 1);
  const Tensor x = *Tensor::FromValues<std::complex<float>>(Shape::Of({1, 1}), {i});
  const absl::StatusOr<Tensor> transposed = Product("MatMul", x, x, true, false);
  ASSERT_TRUE(transposed.ok()) << transposed.status();
  EXPECT_EQ(transposed->scalar<std::complex<float>>(), -1.0f);
  const absl::StatusOr<Tensor> adjoint = Product("BatchMatMulV2", x, x, true, false);
  ASSERT_TRUE(adjoint.ok()) << adjoint.status();
  EXPECT_EQ(adjoint->scalar<std::complex<float>>(), 1.0f);
}

struct EmptyCase {
  std::string op;
  std::vector<int64_t> x, y;
  std::vector<int64_t> out;
};

TEST(MatMulTest, Empty) {
  const EmptyCase cases[] = {
      {"MatMul", {0, 3}, {3, 2}, {0, 2}},
      {"MatMul", {2, 0}, {0, 3}, {2, 3}},  // a sum of nothing
      {"BatchMatMul", {0, 2, 3}, {0, 3, 2}, {0, 2, 2}},
      {"BatchMatMulV2", {5, 2, 0}, {0, 2}, {5, 2, 2}},
      {"BatchMatMulV2", {1, 2, 3}, {0, 3, 2}, {0, 2, 2}},
      {"BatchMatMulV3", {2, 1, 3, 0}, {1, 4, 0, 2}, {2, 4, 3, 2}},
  };
  for (const DType d : {DType::kFloat32, DType::kFloat16, DType::kInt32, DType::kComplex128}) {
    for (const EmptyCase& c : cases) {
      const absl::StatusOr<Tensor> got =
          Product(c.op, *Tensor::Make(d, *Shape::Make(c.x)), *Tensor::Make(d, *Shape::Make(c.y)));
      ASSERT_TRUE(got.ok()) << got.status();
      EXPECT_EQ(Difference(*got, *Tensor::Zeros(d, *Shape::Make(c.out))), "") << c.op;
    }
  }
}

TEST(BatchMatMulTest, BroadcastsEachOperand) {
  // x[i] = [[i + 1]], y[j] = [[j + 1, 10]]
  const Tensor x = Numbers(DType::kInt32, {2, 1, 1, 1}, {1, 2});
  const Tensor y = Numbers(DType::kInt32, {3, 1, 2}, {1, 10, 2, 10, 3, 10});
  const Tensor want = Numbers(DType::kInt32, {2, 3, 1, 2}, {1, 10, 2, 10, 3, 10, 2, 20, 4, 20, 6, 20});
  for (const std::string op : {"BatchMatMulV2", "BatchMatMulV3"}) {
    const absl::StatusOr<Tensor> got = Product(op, x, y);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(Difference(*got, want), "") << op;
  }
}

TEST(BatchMatMulTest, ManyMatricesInThreads) {
  const int64_t batch = 40, n = 24;
  Tensor x = *Tensor::Make(DType::kFloat32, Shape::Of({batch, n, n})), want = *x.Clone();
  for (int64_t i = 0; i < x.num_elements(); ++i) x.mutable_data<float>()[i] = static_cast<float>(i % 9) - 4;
  Tensor twice = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, n, n}));
  for (int64_t i = 0; i < n; ++i) twice.mutable_data<float>()[i * n + i] = 2;
  for (int64_t i = 0; i < x.num_elements(); ++i) want.mutable_data<float>()[i] = 2 * x.data<float>()[i];
  for (const bool left : {false, true}) {
    const absl::StatusOr<Tensor> got = left ? Product("BatchMatMulV2", twice, x) : Product("BatchMatMulV2", x, twice);
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(Difference(*got, want), "") << left;
  }
}

TEST(BatchMatMulTest, MixedDTypes) {
  struct Case {
    DType x, y, out;
  };
  for (const Case& c : {Case{DType::kInt8, DType::kInt8, DType::kInt32}, Case{DType::kUInt8, DType::kInt8, DType::kInt32},
                        Case{DType::kInt8, DType::kBFloat16, DType::kBFloat16},
                        Case{DType::kBFloat16, DType::kUInt8, DType::kBFloat16}}) {
    OpTester tester(Library(), "BatchMatMulV3", {{"Ta", c.x}, {"Tb", c.y}, {"Tout", c.out}});
    const auto got = tester.Run({Numbers(c.x, {1, 2}, {100, 3}), Numbers(c.y, {2, 1}, {120, 2})});
    ASSERT_TRUE(got.ok()) << got.status();
    const Tensor want = Numbers(c.out, {1, 1}, {12006});
    EXPECT_EQ(Difference((*got)[0], want), "") << std::string(DTypeName(c.x));
  }
  OpTester tester(Library(), "BatchMatMulV3", {{"Ta", DType::kFloat32}, {"Tb", DType::kInt8}, {"Tout", DType::kFloat32}});
  const auto got = tester.Run({Numbers(DType::kFloat32, {1, 1}, {1}), Numbers(DType::kInt8, {1, 1}, {1})});
  EXPECT_EQ(got.status().code(), absl::StatusCode::kUnimplemented);
}

TEST(MatMulTest, Errors) {
  struct Case {
    std::string op;
    std::vector<int64_t> x, y;
    std::string text;
  };
  const Case cases[] = {
      {"MatMul", {2, 3}, {2, 3}, "expected equal inner dimensions, got [2,3] and [2,3]"},
      {"MatMul", {3}, {3, 1}, "at least 2 dimensions"},
      {"BatchMatMul", {2, 1, 1}, {3, 1, 1}, "batch dimensions"},
      {"BatchMatMul", {1, 1, 1}, {2, 1, 1}, "batch dimensions"},
      {"BatchMatMul", {2, 1, 1}, {1, 1}, "batch dimensions"},
      {"BatchMatMulV2", {2, 1, 1}, {3, 1, 1}, "batch dimensions"},
      {"BatchMatMulV3", {}, {1, 1}, "at least 2 dimensions"},
  };
  for (const Case& c : cases) {
    const absl::StatusOr<Tensor> got = Product(c.op, *Tensor::Zeros(DType::kFloat32, *Shape::Make(c.x)),
                                               *Tensor::Zeros(DType::kFloat32, *Shape::Make(c.y)));
    EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument) << c.op;
    EXPECT_THAT(std::string(got.status().message()), HasSubstr(c.text)) << c.op;
  }
}

TEST(MatMulTest, Shapes) {
  struct Case {
    std::string op;
    PartialShape x, y;
    std::string out;  // "" for an error
  };
  const PartialShape unknown;
  const Case cases[] = {
      {"MatMul", PartialShape::Of({2, 3}), PartialShape::Of({3, 4}), "[2,4]"},
      {"MatMul", PartialShape::Of({-1, 3}), PartialShape::Of({-1, 4}), "[?,4]"},
      {"MatMul", unknown, PartialShape::Of({3, 4}), "[?,4]"},
      {"MatMul", unknown, unknown, "[?,?]"},
      {"MatMul", PartialShape::Of({2, 3}), PartialShape::Of({4, 4}), ""},
      {"MatMul", PartialShape::Of({1, 2, 3}), unknown, ""},
      {"BatchMatMul", PartialShape::Of({5, 2, 3}), unknown, "[5,2,?]"},
      {"BatchMatMul", PartialShape::Of({5, 2, 3}), PartialShape::Of({6, 3, 3}), ""},
      {"BatchMatMulV2", PartialShape::Of({5, 2, 3}), unknown, "?"},
      {"BatchMatMulV2", PartialShape::Of({5, 2, 3}), PartialShape::Of({7, 1, -1, 3}), "[7,5,2,3]"},
      {"BatchMatMulV3", PartialShape::Of({2}), unknown, ""},
  };
  for (const Case& c : cases) {
    const auto got = InferShapes(Library(), c.op, Attrs(c.op, DType::kFloat32, false, false), {c.x, c.y});
    EXPECT_EQ(got.ok() ? (*got)[0].ToString() : "", c.out) << c.op << " " << c.x.ToString() << " " << got.status();
  }
}

}  // namespace
}  // namespace flowlatch
