#include "ops/reduce_ops.h"

#include <cmath>
#include <limits>
#include <random>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

class ReduceOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterReduceOps(library_).ok()); }
  OpTester Op(const std::string& op, DType t, bool keep_dims = false, DType axes = DType::kInt32) {
    AttrMap attrs{{"keep_dims", keep_dims}, {"Tidx", axes}};
    return OpTester(library_, op, op == "All" || op == "Any" ? attrs : attrs.With("T", t));
  }

  OpLibrary library_;
};

TEST_F(ReduceOpsTest, EachOpOverRowsColumnsAndAll) {
  const Tensor x = Floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const struct {
    const char* op;
    Tensor rows, columns, all;
  } cases[] = {
      {"Sum", Floats({2}, {6, 15}), Floats({3}, {5, 7, 9}), Floats({}, {21})},
      {"Mean", Floats({2}, {2, 5}), Floats({3}, {2.5, 3.5, 4.5}), Floats({}, {3.5})},
      {"Prod", Floats({2}, {6, 120}), Floats({3}, {4, 10, 18}), Floats({}, {720})},
      {"Max", Floats({2}, {3, 6}), Floats({3}, {4, 5, 6}), Floats({}, {6})},
      {"Min", Floats({2}, {1, 4}), Floats({3}, {1, 2, 3}), Floats({}, {1})},
      {"EuclideanNorm", Floats({2}, {std::sqrt(14.0f), std::sqrt(77.0f)}),
       Floats({3}, {std::sqrt(17.0f), std::sqrt(29.0f), std::sqrt(45.0f)}), Floats({}, {std::sqrt(91.0f)})},
  };
  for (const auto& [op, rows, columns, all] : cases) {
    SCOPED_TRACE(op);
    OpTester tester = Op(op, DType::kFloat32);
    ExpectOutput(tester, {x, Ints({1}, {1})}, rows);
    ExpectOutput(tester, {x, Tensor::Scalar(-1)}, rows);
    ExpectOutput(tester, {x, Ints({1}, {0})}, columns);
    ExpectOutput(tester, {x, Ints({2}, {1, 0})}, all);
    ExpectOutput(tester, {x, Ints({1, 2}, {0, 1})}, all);
    ExpectOutput(tester, {x, Ints({0}, {})}, x);
    ExpectOutput(tester, {Tensor::Scalar(5.0f), Ints({0}, {})}, Tensor::Scalar(5.0f));
  }
}

TEST_F(ReduceOpsTest, KeepsDimensions) {
  OpTester sum = Op("Sum", DType::kInt32, true, DType::kInt64);
  const Tensor x = Ints({1, 2, 2}, {1, 2, 3, 4});
  ExpectOutput(sum, {x, Longs({1}, {2})}, Ints({1, 2, 1}, {3, 7}));
  ExpectOutput(sum, {x, Longs({2}, {0, 2})}, Ints({1, 2, 1}, {3, 7}));
  ExpectOutput(sum, {x, Longs({3}, {0, 1, 2})}, Ints({1, 1, 1}, {10}));
}

TEST_F(ReduceOpsTest, NothingToReduce) {
  const Tensor axis = Ints({1}, {1});
  const struct {
    const char* op;
    float want;
  } floats[] = {{"Sum", 0}, {"Mean", kNan}, {"Prod", 1}, {"Max", -kInf}, {"Min", kInf}, {"EuclideanNorm", 0}};
  for (const auto& [op, want] : floats) {
    SCOPED_TRACE(op);
    OpTester tester = Op(op, DType::kFloat32);
    ExpectOutput(tester, {Floats({2, 0}, {}), axis}, Floats({2}, {want, want}));
    ExpectOutput(tester, {Floats({0, 2}, {}), axis}, Floats({0}, {}));
  }
  const struct {
    const char* op;
    int8_t want;
  } bytes[] = {{"Sum", 0}, {"Mean", 0}, {"Prod", 1}, {"Max", -128}, {"Min", 127}, {"EuclideanNorm", 0}};
  for (const auto& [op, want] : bytes) {
    SCOPED_TRACE(op);
    OpTester tester = Op(op, DType::kInt8);
    ExpectOutput(tester, {Of<int8_t>({2, 0}, {}), axis}, Of<int8_t>({2}, {want, want}));
  }
  OpTester all = Op("All", DType::kBool), any = Op("Any", DType::kBool);
  ExpectOutput(all, {Bools({1, 0}, {}), axis}, Bools({1}, {true}));
  ExpectOutput(any, {Bools({1, 0}, {}), axis}, Bools({1}, {false}));
}

TEST_F(ReduceOpsTest, Bools) {
  const Tensor x = Bools({3, 2}, {true, true, true, false, false, false});
  OpTester all = Op("All", DType::kBool), any = Op("Any", DType::kBool);
  ExpectOutput(all, {x, Ints({1}, {1})}, Bools({3}, {true, false, false}));
  ExpectOutput(any, {x, Ints({1}, {1})}, Bools({3}, {true, true, false}));
  ExpectOutput(all, {x, Ints({1}, {0})}, Bools({2}, {false, false}));
  ExpectOutput(any, {x, Ints({1}, {0})}, Bools({2}, {true, true}));
}

TEST_F(ReduceOpsTest, NanWins) {
  const Tensor x = Floats({3, 2}, {kNan, 1, 2, kNan, 3, 4});
  for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"}) {
    SCOPED_TRACE(op);
    OpTester tester = Op(op, DType::kFloat32);
    ExpectOutput(tester, {x, Ints({1}, {0})}, Floats({2}, {kNan, kNan}));
    ExpectOutput(tester, {Floats({3}, {kNan, 1, 2}), Ints({1}, {0})}, Tensor::Scalar(kNan));
    ExpectOutput(tester, {Floats({3}, {1, 2, kNan}), Ints({1}, {0})}, Tensor::Scalar(kNan));
    // Somewhere in a row that fills vectors, and in columns that do.
    for (const int64_t at : {0, 7, 63, 64, 99}) {
      std::vector<float> values(100, 1);
      values[at] = kNan;
      ExpectOutput(tester, {Tensor::Vector<float>(values), Ints({1}, {0})}, Tensor::Scalar(kNan));
      const auto columns = tester.Run({*Tensor::FromValues<float>(Shape::Of({2, 50}), values), Ints({1}, {0})});
      ASSERT_TRUE(columns.ok()) << columns.status();
      for (int64_t j = 0; j < 50; ++j) EXPECT_EQ(std::isnan((*columns)[0].data<float>()[j]), j == at % 50) << at;
    }
  }
}

TEST_F(ReduceOpsTest, IntegersWrapButTheirMeansDoNot) {
  const Tensor axis = Ints({1}, {0});
  OpTester sum = Op("Sum", DType::kInt8);
  ExpectOutput(sum, {Of<int8_t>({3}, {100, 100, 100}), axis}, Tensor::Scalar(int8_t{44}));
  OpTester sum32 = Op("Sum", DType::kInt32);
  ExpectOutput(sum32, {Ints({2}, {2147483647, 1}), axis}, Tensor::Scalar(std::numeric_limits<int32_t>::min()));
  OpTester mean = Op("Mean", DType::kInt8);
  ExpectOutput(mean, {Of<int8_t>({3}, {100, 100, 100}), axis}, Tensor::Scalar(int8_t{100}));
  OpTester mean32 = Op("Mean", DType::kInt32);
  ExpectOutput(mean32, {Ints({2}, {2147483647, 2147483647}), axis}, Tensor::Scalar(2147483647));
  ExpectOutput(mean32, {Ints({3}, {-1, -2, -2}), axis}, Tensor::Scalar(-1));
  OpTester mean64 = Op("Mean", DType::kInt64);
  ExpectOutput(mean64, {Longs({2}, {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max()}), axis},
               Tensor::Scalar(int64_t{-1}));
  OpTester norm = Op("EuclideanNorm", DType::kInt32);
  ExpectOutput(norm, {Ints({2}, {-7, 2}), axis}, Tensor::Scalar(7));
  OpTester norm8 = Op("EuclideanNorm", DType::kInt8);
  ExpectOutput(norm8, {Of<int8_t>({2}, {100, 100}), axis}, Tensor::Scalar(int8_t{5}));  // of 20000, which is 32 in 8 bits
}

TEST_F(ReduceOpsTest, OtherTypes) {
  const Tensor axis = Ints({1}, {0});
  for (const char* op : {"Sum", "Max"}) {
    SCOPED_TRACE(op);
    const double want = op == std::string("Sum") ? 7 : 4;
    const auto check = [&]<typename T>(T) {
      OpTester tester = Op(op, kDTypeOf<T>);
      ExpectOutput(tester, {Of<T, float>({2}, {3, 4}), axis}, Of<T, double>({}, {want}));
      ExpectOutput(tester, {Of<T, float>({2, 2}, {3, 1, 4, 1}), Ints({1}, {1})}, Of<T, double>({2}, {want == 7 ? 4.0 : 3.0, want == 7 ? 5.0 : 4.0}));
    };
    check(Half());
    check(BFloat16());
    check(double());
    check(int64_t());
    check(uint8_t());
    check(uint16_t());
    check(uint32_t());
    check(uint64_t());
    check(int16_t());
  }
  using C = std::complex<float>;
  OpTester mean = Op("Mean", DType::kComplex64);
  ExpectOutput(mean, {Of<C>({2}, {C(3, 1), C(4, 0)}), axis}, Of<C>({}, {C(3.5, 0.5)}));
  OpTester norm = Op("EuclideanNorm", DType::kComplex64);
  ExpectOutput(norm, {Of<C>({2}, {C(3, 0), C(0, 4)}), axis}, Of<C>({}, {C(5, 0)}));
}

TEST_F(ReduceOpsTest, LongSumsAreExactEnough) {
  const std::vector<float> ones(3000000, 1.1f);
  OpTester sum = Op("Sum", DType::kFloat32);
  ExpectOutput(sum, {Tensor::Vector<float>(ones), Ints({1}, {0})}, Tensor::Scalar(static_cast<float>(3e6 * 1.1f)), 1e-6);
  ExpectOutput(sum, {*Tensor::FromValues<float>(Shape::Of({1500000, 2}), ones), Ints({1}, {0})},
               Floats({2}, {static_cast<float>(1.5e6 * 1.1f), static_cast<float>(1.5e6 * 1.1f)}), 1e-6);
  OpTester halves = Op("Sum", DType::kFloat16), mean = Op("Mean", DType::kBFloat16);
  ExpectOutput(halves, {Tensor::Vector<Half>(std::vector<Half>(3000, Half(1.0f))), Ints({1}, {0})}, Tensor::Scalar(Half(3000.0f)));
  ExpectOutput(mean, {Tensor::Vector<BFloat16>(std::vector<BFloat16>(5000, BFloat16(1.0f))), Ints({1}, {0})},
               Tensor::Scalar(BFloat16(1.0f)));
}

// Every set of axes of shapes that exercise merged dimensions, strips, narrow columns and work in chunks.
TEST_F(ReduceOpsTest, AgreesWithPlainLoops) {
  std::mt19937 random(7);
  const std::vector<std::vector<int64_t>> shapes = {
      {5}, {3, 4}, {4, 1, 5}, {2, 3, 4, 5}, {70, 3}, {300000, 3}, {7, 1100}, {200, 130, 9}, {3, 70000}, {130, 5, 2, 40}, {1, 1}, {9, 2, 90000}};
  for (const auto& dims : shapes) {
    const Shape shape = Shape::FromValid(dims);
    std::vector<int32_t> values(shape.num_elements());
    for (int32_t& v : values) v = static_cast<int32_t>(random() % 2001) - 1000;
    const Tensor ints = *Tensor::FromValues<int32_t>(shape, values);
    std::vector<double> doubles(values.begin(), values.end());
    const Tensor reals = *Tensor::FromValues<double>(shape, doubles);
    for (unsigned mask = 0; mask < 1u << dims.size(); ++mask) {
      SCOPED_TRACE(shape.ToString() + " axes " + std::to_string(mask));
      std::vector<int32_t> axes;
      std::vector<int64_t> out_dims;
      for (size_t i = 0; i < dims.size(); ++i) {
        if (mask >> i & 1) axes.push_back(static_cast<int32_t>(i));
        else out_dims.push_back(dims[i]);
      }
      const Shape out_shape = Shape::FromValid(out_dims);
      std::vector<int32_t> sums(out_shape.num_elements(), 0), maxima(out_shape.num_elements(), -2000);
      for (int64_t i = 0; i < shape.num_elements(); ++i) {
        int64_t rest = i, out = 0, stride = 1;
        for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) {
          if (mask >> d & 1) continue;
          out += rest % dims[d] * stride;
          stride *= dims[d];
        }
        sums[out] += values[i];
        maxima[out] = std::max(maxima[out], values[i]);
      }
      const Tensor axis_tensor = Tensor::Vector<int32_t>(axes);
      OpTester int_sum = Op("Sum", DType::kInt32), int_max = Op("Max", DType::kInt32), real_sum = Op("Sum", DType::kFloat64);
      ExpectOutput(int_sum, {ints, axis_tensor}, *Tensor::FromValues<int32_t>(out_shape, sums));
      ExpectOutput(int_max, {ints, axis_tensor}, *Tensor::FromValues<int32_t>(out_shape, maxima));
      const std::vector<double> real_sums(sums.begin(), sums.end());
      ExpectOutput(real_sum, {reals, axis_tensor}, *Tensor::FromValues<double>(out_shape, real_sums));
    }
  }
}

TEST_F(ReduceOpsTest, Rejects) {
  OpTester sum = Op("Sum", DType::kFloat32);
  const Tensor x = Floats({1, 2}, {1, 2});
  ExpectInvalid(sum, {x, Ints({2}, {0, 0})}, "reduction_indices: expected each dimension once, got 0 twice");
  ExpectInvalid(sum, {x, Ints({2}, {1, -1})}, "got 1 twice");
  ExpectInvalid(sum, {x, Ints({1}, {2})}, "reduction_indices: expected a value in [-2,2), got 2");
  ExpectInvalid(sum, {Tensor::Scalar(1.0f), Ints({1}, {0})}, "expected a value in [0,0), got 0");
}

TEST_F(ReduceOpsTest, Shape) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  const Tensor axes = Ints({2}, {0, -1});
  const auto infer = [&](PartialShape input, PartialShape axes_shape, const Tensor* constant, bool keep) {
    const auto shapes = InferShapes(library_, "Sum", attrs.With("keep_dims", keep), {input, axes_shape}, {nullptr, constant});
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    return (*shapes)[0];
  };
  const PartialShape input = PartialShape::Of({2, -1, 4}), pair = PartialShape::Of({2});
  EXPECT_EQ(infer(input, pair, &axes, false), PartialShape::Of({-1}));
  EXPECT_EQ(infer(input, pair, &axes, true), PartialShape::Of({1, -1, 1}));
  EXPECT_EQ(infer(input, pair, nullptr, false), PartialShape::UnknownOfRank(1));
  EXPECT_EQ(infer(input, PartialShape::Of({-1}), nullptr, false), PartialShape());
  EXPECT_EQ(infer(input, PartialShape::Of({-1}), nullptr, true), PartialShape::UnknownOfRank(3));
  EXPECT_EQ(infer(PartialShape(), pair, &axes, true), PartialShape());
}

}  // namespace
}  // namespace flowlatch
