#include "ops/fractional_pool_ops.h"

#include "tests/ops/matrix_checks.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

class FractionalPoolOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterFractionalPoolOps(library_).ok()); }
  OpTester Pool(const char* name, const std::vector<float>& ratios, bool pseudo_random = false,
                bool overlapping = false, DType dtype = DType::kFloat32) {
    return OpTester(library_, name,
                    {{"T", dtype},
                     {"pooling_ratio", ratios},
                     {"pseudo_random", pseudo_random},
                     {"overlapping", overlapping},
                     {"deterministic", true},
                     {"seed", int64_t{3}},
                     {"seed2", int64_t{5}}});
  }
  OpTester Grad(const char* name, bool overlapping = false, DType dtype = DType::kFloat32) {
    return OpTester(library_, name, {{"T", dtype}, {"overlapping", overlapping}});
  }
  OpLibrary library_;
};

// The sequences are TensorFlow's.
TEST_F(FractionalPoolOpsTest, Sequences) {
  const Tensor x = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 17, 23, 1}));
  for (const char* name : {"FractionalMaxPool", "FractionalAvgPool"}) {
    OpTester shuffled = Pool(name, {1, 1.7, 2.4, 1}), regular = Pool(name, {1, 1.7, 2.4, 1}, true);
    const Tensor y = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 10, 9, 1}));
    ExpectOutputs(
        shuffled, {x},
        {y, Longs({11}, {0, 2, 4, 6, 8, 10, 12, 13, 15, 16, 17}), Longs({10}, {0, 2, 4, 7, 10, 13, 16, 19, 21, 23})});
    ExpectOutputs(
        regular, {x},
        {y, Longs({11}, {0, 1, 3, 5, 7, 8, 10, 12, 13, 15, 17}), Longs({10}, {0, 3, 5, 8, 10, 13, 15, 18, 21, 23})});
  }
}

// Rows of one size, which could do without random numbers, take them before the columns do.
TEST_F(FractionalPoolOpsTest, SequencesOfOneSize) {
  OpTester shuffled = Pool("FractionalMaxPool", {1, 2, 1.7, 1}), regular = Pool("FractionalMaxPool", {1, 2, 1.7, 1}, true);
  const Tensor x = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 10, 17, 1})), y = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 5, 10, 1}));
  const Tensor rows = Longs({6}, {0, 2, 4, 6, 8, 10});
  ExpectOutputs(shuffled, {x}, {y, rows, Longs({11}, {0, 2, 3, 4, 6, 8, 9, 11, 13, 15, 17})});
  ExpectOutputs(regular, {x}, {y, rows, Longs({11}, {0, 2, 3, 5, 7, 9, 10, 12, 14, 15, 17})});
}

TEST_F(FractionalPoolOpsTest, Regions) {
  for (const DType dtype : {DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64}) {
    OpTester max = Pool("FractionalMaxPool", {1, 2, 1, 1}, false, false, dtype),
             avg = Pool("FractionalAvgPool", {1, 2, 1, 1}, false, false, dtype);
    OpTester wide_max = Pool("FractionalMaxPool", {1, 2, 1, 1}, false, true, dtype);
    const Tensor x = Numbers(dtype, {1, 4, 2, 1}, {1, 8, 3, -2, 5, 6, 9, 4});
    const Tensor rows = Longs({3}, {0, 2, 4}), cols = Longs({3}, {0, 1, 2});
    ExpectOutputs(max, {x}, {Numbers(dtype, {1, 2, 2, 1}, {3, 8, 9, 6}), rows, cols});
    ExpectOutputs(avg, {x}, {Numbers(dtype, {1, 2, 2, 1}, {2, 3, 7, 5}), rows, cols});
    ExpectOutputs(wide_max, {x}, {Numbers(dtype, {1, 2, 2, 1}, {8, 8, 9, 6}), rows, cols});
    ExpectOutputs(max, {Numbers(dtype, {0, 4, 2, 1}, {})}, {Numbers(dtype, {0, 2, 2, 1}, {}), rows, cols});
  }
}

// Regions of random sizes cover the image, whatever the ratio.
TEST_F(FractionalPoolOpsTest, SequencesCover) {
  for (const float ratio : {1.0f, 1.01f, 1.3f, 1.99f, 2.5f, 7.9f}) {
    for (const bool pseudo : {false, true}) {
      OpTester op(library_, "FractionalMaxPool",
                  {{"T", DType::kFloat32},
                   {"pooling_ratio", std::vector<float>{1, ratio, ratio, 1}},
                   {"pseudo_random", pseudo}});
      const auto out = op.Once().Run({*Tensor::Zeros(DType::kFloat32, Shape::Of({1, 8, 101, 1}))});
      ASSERT_TRUE(out.ok()) << out.status();
      for (const int i : {1, 2}) {
        const auto sequence = (*out)[i].values<int64_t>();
        EXPECT_EQ(sequence.front(), 0);
        EXPECT_EQ(sequence.back(), i == 1 ? 8 : 101);
        for (size_t k = 1; k < sequence.size(); ++k) EXPECT_GT(sequence[k], sequence[k - 1]);
      }
    }
  }
}

TEST_F(FractionalPoolOpsTest, Gradients) {
  const Tensor x = Floats({1, 3, 2, 1}, {1, 5, 5, 2, 3, 3}), rows = Longs({3}, {0, 2, 3}), cols = Longs({2}, {0, 2});
  const Tensor dy = Floats({1, 2, 1, 1}, {8, 6});
  OpTester max = Grad("FractionalMaxPoolGrad"), wide = Grad("FractionalMaxPoolGrad", true),
           avg = Grad("FractionalAvgPoolGrad"), wide_avg = Grad("FractionalAvgPoolGrad", true);
  ExpectOutput(max, {x, Floats({1, 2, 1, 1}, {5, 3}), dy, rows, cols},
               Floats({1, 3, 2, 1}, {0, 8, 0, 0, 6, 0}));  // the first of equal ones
  ExpectOutput(wide, {x, Floats({1, 2, 1, 1}, {5, 3}), dy, rows, cols}, Floats({1, 3, 2, 1}, {0, 8, 0, 0, 6, 0}));
  const Tensor shape = Longs({4}, {1, 3, 2, 1});
  ExpectOutput(avg, {shape, dy, rows, cols}, Floats({1, 3, 2, 1}, {2, 2, 2, 2, 3, 3}));
  ExpectOutput(wide_avg, {shape, Floats({1, 2, 1, 1}, {12, 6}), rows, cols}, Floats({1, 3, 2, 1}, {2, 2, 2, 2, 5, 5}));
  OpTester integers = Grad("FractionalAvgPoolGrad", false, DType::kInt32);
  ExpectOutput(integers, {shape, Ints({1, 2, 1, 1}, {9, 6}), rows, cols}, Ints({1, 3, 2, 1}, {2, 2, 2, 2, 3, 3}));
  ExpectOutput(avg, {Longs({4}, {0, 3, 2, 1}), Floats({0, 2, 1, 1}, {}), rows, cols}, Floats({0, 3, 2, 1}, {}));
}

TEST_F(FractionalPoolOpsTest, Errors) {
  const Tensor x = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 4, 4, 1}));
  OpTester batch = Pool("FractionalMaxPool", {2, 1, 1, 1}), small = Pool("FractionalAvgPool", {1, 0.5, 1, 1}),
           few = Pool("FractionalMaxPool", {1, 1, 1});
  OpTester large = Pool("FractionalMaxPool", {1, 5, 1, 1}), op = Pool("FractionalMaxPool", {1, 2, 2, 1}),
           infinite = Pool("FractionalMaxPool", {1, INFINITY, 1, 1});
  EXPECT_EQ(batch.Run({x}).status().code(), absl::StatusCode::kUnimplemented);
  ExpectInvalid(small, {x}, "pooling_ratio: expected values >= 1, got 0.5");
  EXPECT_FALSE(few.Run({x}).ok());
  ExpectInvalid(large, {x}, "value: expected at least pooling_ratio 5 elements");
  ExpectInvalid(infinite, {x}, "value: expected at least pooling_ratio");
  ExpectInvalid(op, {*Tensor::Zeros(DType::kFloat32, Shape::Of({4, 4, 1}))}, "value: expected 4 dimensions");
  OpTester seeded(library_, "FractionalMaxPool",
                  {{"T", DType::kFloat32}, {"pooling_ratio", std::vector<float>{1, 2, 2, 1}}, {"seed", int64_t{3}}});
  ExpectInvalid(seeded, {x}, "seed and seed2: expected 0 unless deterministic is true");

  OpTester max = Grad("FractionalMaxPoolGrad"), avg = Grad("FractionalAvgPoolGrad");
  const Tensor y = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 2, 2, 1})), good = Longs({3}, {0, 2, 4}),
               shape = Longs({4}, {1, 4, 4, 1});
  ExpectInvalid(max, {x, y, y, Longs({0}, {}), good}, "row_pooling_sequence: expected 3 values, got shape [0]");
  ExpectInvalid(max, {x, y, y, good, Longs({3}, {0, 2, 5})},
                "col_pooling_sequence[2]: expected ascending values in [0,4], got 5");
  ExpectInvalid(avg, {shape, y, Longs({3}, {-1, 2, 4}), good},
                "row_pooling_sequence[0]: expected ascending values in [0,4], got -1");
  ExpectInvalid(avg, {shape, y, good, Longs({3}, {0, 3, 2})}, "col_pooling_sequence[2]");
  ExpectInvalid(avg, {Longs({2}, {4, 4}), y, good, good}, "out_backprop");
  ExpectInvalid(avg, {Longs({4}, {1, -4, 4, 1}), y, good, good}, "");
  ExpectInvalid(max, {x, *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 2, 1, 1})), y, good, good},
                "orig_output: expected the shape of out_backprop");
  ExpectInvalid(max, {x, y, *Tensor::Zeros(DType::kFloat32, Shape::Of({2, 2, 2, 1})), good, good}, "out_backprop");
}

TEST_F(FractionalPoolOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}, {"pooling_ratio", std::vector<float>{1, 1.7, 2.4, 1}}};
  const auto out = InferShapes(library_, "FractionalMaxPool", attrs, {PartialShape::Of({-1, 17, 23, -1})});
  EXPECT_EQ((*out)[0], PartialShape::Of({-1, 10, 9, -1}));
  EXPECT_EQ((*out)[1], PartialShape::Of({11}));
  EXPECT_EQ((*InferShapes(library_, "FractionalAvgPool", attrs, {PartialShape()}))[0], PartialShape::UnknownOfRank(4));
  const Tensor shape = Longs({4}, {1, 3, 2, 1});
  EXPECT_EQ((*InferShapes(library_, "FractionalAvgPoolGrad", {{"T", DType::kFloat32}},
                          {PartialShape::Of({4}), PartialShape(), PartialShape(), PartialShape()},
                          {&shape, nullptr, nullptr, nullptr}))[0],
            PartialShape::Of({1, 3, 2, 1}));
}

TEST(FractionalPoolGradients, AgreeWithDifferences) {
  for (const char* op : {"FractionalMaxPool", "FractionalAvgPool"}) {
    for (const bool overlapping : {false, true}) {
      ExpectGradients({MadeUp<double>({2, 7, 5, 2})}, [&](GraphBuilder& g, const Outputs& x) {
        return g
            .Op(op, {x[0]},
                {{"pooling_ratio", std::vector<float>{1, 1.7, 1.4, 1}},
                 {"overlapping", overlapping},
                 {"deterministic", true},
                 {"seed", int64_t{3}}})
            .output();
      });
    }
  }
}

}  // namespace
}  // namespace flowlatch
