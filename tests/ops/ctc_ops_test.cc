#include "ops/ctc_ops.h"

#include <cmath>
#include <limits>

#include "tests/ops/matrix_checks.h"

namespace flowlatch {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// All expected values are TensorFlow's, unless said otherwise. Five steps, two examples, four classes.
const Tensor kX = Floats({5, 2, 4}, {-0.6, -0.1, -3.2, 2.5, -2.7, -1.3, 0.8,  -1.9, -1.6, -1.4, 0.8,  3.4,  0.1, -1.7,
                                     0.8,  -0.9, -0,   1.8, -1.1, 0,    -1.3, -0.2, 0.4,  -1.5, -0.5, -0.4, -1,  -1.8,
                                     -2.1, -0.2, -0.4, 3.3, -3.7, 0.2,  0.6,  2,    0.8,  -1.3, 0,    0.8});
const Tensor kIndices = Longs({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}), kLengths = Ints({2}, {5, 4});
const Tensor kLabels = Ints({4}, {0, 2, 1, 1});

class CtcOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterCtcOps(library_).ok()); }
  OpTester Loss(const AttrMap& attrs = {}) { return OpTester(library_, "CTCLoss", attrs.With("T", DType::kFloat32)); }
  OpTester Greedy(bool merge, int64_t blank = -1) {
    return OpTester(library_, "CTCGreedyDecoder",
                    {{"T", DType::kFloat32}, {"merge_repeated", merge}, {"blank_index", blank}});
  }
  OpTester Beam(int64_t width, int64_t paths, bool merge = false) {
    return OpTester(library_, "CTCBeamSearchDecoder",
                    {{"T", DType::kFloat32}, {"beam_width", width}, {"top_paths", paths}, {"merge_repeated", merge}});
  }
  OpLibrary library_;
};

TEST_F(CtcOpsTest, Loss) {
  const struct {
    bool collapse, merge;
    Tensor loss, gradient;
  } cases[] = {
      {false, false, Floats({2}, {3.807936, 5.520865}),
       Floats({5, 2, 4},
              {0.003335983,  0.06615806,  0.002980368, -0.07247454, 0.02475481, -0.7096282, 0.8197666,  -0.1348935,
               0.0008250955, 0.007555485, 0.0672393,   -0.07561994, 0.2819339,  -0.2192373, 0.5677451,  -0.6304417,
               -0.5819036,   0.721698,    0.03482062,  -0.1746153,  0.09711715, -0.6131678, 0.5316141,  -0.01556352,
               0.07844555,   0.3703366,   -0.4607003,  0.01191807,  0.00426319, 0.00928111, 0.02333646, -0.03688085,
               0.002364236,  0.116799,    -0.1559726,  0.03680921,  0,          0,          0,          0})},
      {false, true, Floats({2}, {3.440974, 5.811186}),
       Floats({5, 2, 4},
              {0.000287123,  0.06615806,  0.002980368, -0.06942552, 0.02475481, -0.8976707,  0.8197666,  0.05314922,
               -0.005165303, 0.007555485, 0.06670471,  -0.06909484, 0.2819339,  0.04111826,  0.5677451,  -0.8907971,
               -0.657619,    0.721698,    0.02602293,  -0.09010186, 0.09711715, -0.6948773,  0.5316141,  0.06614596,
               -0.02178898,  0.3703366,   -0.3842616,  0.03571399,  0.00426319, -0.01378403, 0.02333646, -0.0138154,
               0.002364236,  0.116799,    -0.3501841,  0.2310207,   0,          0,           0,          0})},
      {true, false, Floats({2}, {3.807936, 5.967489}),
       Floats({5, 2, 4},
              {0.003335983,  0.06615806,  0.002980368, -0.07247454, 0.02475481, -0.2047785,  0.8197666,  -0.6397429,
               0.0008250955, 0.007555485, 0.0672393,   -0.07561994, 0.2819339,  -0.02864923, 0.5677451,  -0.8210292,
               -0.5819036,   0.721698,    0.03482062,  -0.1746153,  0.09711715, -0.3227694,  0.5316141,  -0.3059614,
               0.07844555,   0.3703366,   -0.4607003,  0.01191807,  0.00426319, 0.02344583,  0.02333646, -0.051045,
               0.002364236,  0.116799,    -0.1559726,  0.03680921,  0,          0,           0,          0})},
      {true, true, Floats({2}, {3.440974, 5.295329}),
       Floats({5, 2, 4},
              {0.000287123,  0.06615806,  0.002980368, -0.06942552, 0.02475481, -0.390105,   0.8197666,  -0.4544164,
               -0.005165303, 0.007555485, 0.06670471,  -0.06909484, 0.2819339,  -0.4717413,  0.5677451,  -0.3779377,
               -0.657619,    0.721698,    0.02602293,  -0.09010186, 0.09711715, -0.4414057,  0.5316141,  -0.1873257,
               -0.02178898,  0.3703366,   -0.3842616,  0.03571399,  0.00426319, 0.004430294, 0.02333646, -0.03203005,
               0.002364236,  0.116799,    -0.3501841,  0.2310207,   0,          0,           0,          0})},
  };
  for (const auto& [collapse, merge, loss, gradient] : cases) {
    SCOPED_TRACE(testing::Message() << collapse << merge);
    OpTester op = Loss({{"preprocess_collapse_repeated", collapse}, {"ctc_merge_repeated", merge}});
    ExpectOutputs(op, {kX, kIndices, kLabels, kLengths}, {loss, gradient}, 2e-6);
  }
}

Tensor Doubles(const Tensor& t) {
  Tensor wide = *Tensor::Make(DType::kFloat64, t.dims());
  std::copy_n(t.data<float>(), t.num_elements(), wide.mutable_data<double>());
  return wide;
}

TEST_F(CtcOpsTest, LossOfDoubles) {
  OpTester op(library_, "CTCLoss", {{"T", DType::kFloat64}});
  ExpectOutput(op, {Doubles(kX), kIndices, kLabels, kLengths}, Of<double>({2}, {3.44097366, 5.81118629}), 1e-7);
}

// With the classes in the order that each op wants them, both losses are the same.
TEST_F(CtcOpsTest, BlankFirst) {
  Tensor turned = *kX.Clone();
  for (int64_t i = 0; i < kX.num_elements(); ++i) {
    turned.mutable_data<float>()[i] = kX.data<float>()[i / 4 * 4 + (i % 4 + 3) % 4];
  }
  OpTester last = Loss(), first(library_, "CTCLossV2", {});
  const Tensor want = last.Run({kX, kIndices, kLabels, kLengths}).value()[0];
  ExpectOutput(first, {turned, kIndices, Ints({4}, {1, 3, 2, 2}), kLengths}, want, 1e-6);
  ExpectInvalid(first, {turned, kIndices, Ints({4}, {1, 4, 2, 2}), kLengths}, "expected classes of inputs, got 4");
}

TEST_F(CtcOpsTest, LabelsThatDoNotFit) {
  OpTester op = Loss(), lenient = Loss({{"ignore_longer_outputs_than_inputs", true}});
  const Tensor two = Ints({2}, {5, 2}), one = Ints({2}, {5, 1}), none = Ints({2}, {5, 0});
  ExpectOutput(op, {kX, kIndices, kLabels, two}, Floats({2}, {3.440974, kInf}), 1e-6);  // 1, blank, 1 takes three steps
  ExpectInvalid(op, {kX, kIndices, kLabels, one}, "labels of example 1: expected at most sequence_length = 1, got 2");
  for (const Tensor& lengths : {one, none}) {
    ExpectOutput(lenient, {kX, kIndices, kLabels, lengths}, Floats({2}, {3.440974, 0}), 1e-6);
  }
  // Labels from blank on end the sequence.
  ExpectOutput(op, {kX, kIndices, Ints({4}, {0, 3, 1, 9}), kLengths}, Floats({2}, {2.933632, 5.295329}), 1e-6);
  // -log of the product of the probabilities of blank: TensorFlow reads beyond its memory here.
  ExpectOutput(op, {kX, kIndices, Ints({4}, {0, 2, 3, 3}), kLengths}, Floats({2}, {3.440974, 7.754394}), 1e-6);
  ExpectInvalid(op, {kX, kIndices, Ints({4}, {3, 2, 1, 1}), kLengths},
                "labels of example 0: expected nothing after a blank, got 2");
  ExpectInvalid(op, {kX, kIndices, Ints({4}, {0, 2, -1, 1}), kLengths},
                "labels of example 1: expected values >= 0, got -1");
}

TEST_F(CtcOpsTest, LossOfOddNumbers) {
  OpTester op = Loss();
  Tensor impossible = *kX.Clone(), nan = *kX.Clone();
  for (int t = 0; t < 5; ++t) impossible.mutable_data<float>()[t * 8] = -200;
  nan.mutable_data<float>()[0] = NAN;
  const auto out = op.Run({impossible, kIndices, kLabels, kLengths});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Difference((*out)[0], Floats({2}, {kInf, 5.811186}), 1e-6), "");
  EXPECT_NEAR((*out)[1].data<float>()[1], 0.06892376, 1e-6);  // the gradient is the probabilities then
  ExpectOutput(op, {nan, kIndices, kLabels, kLengths}, Floats({2}, {NAN, 5.811186}), 1e-6);
}

TEST_F(CtcOpsTest, LossErrors) {
  OpTester op = Loss();
  const auto expect = [&](size_t i, const Tensor& t, const char* text) {
    std::vector<Tensor> inputs = {kX, kIndices, kLabels, kLengths};
    inputs[i] = t;
    ExpectInvalid(op, inputs, text);
  };
  expect(0, Floats({2, 2}, {1, 2, 3, 4}), "inputs: expected 3 dimensions, got shape [2,2]");
  expect(0, Floats({5, 0, 4}, {}), "inputs: expected elements, got shape [5,0,4]");
  expect(0, Floats({5, 2, 0}, {}), "inputs: expected elements");
  expect(1, Longs({4}, {0, 0, 0, 1}), "labels_indices");
  expect(1, Longs({4, 1}, {0, 1, 1, 1}), "expected shapes [n,2] and [n]");
  expect(1, Longs({4, 2}, {0, 1, 0, 0, 1, 0, 1, 1}), "labels_indices[1]: expected ascending indices, got [0,0]");
  expect(1, Longs({4, 2}, {0, 1, 0, 1, 1, 0, 1, 1}), "labels_indices[1]: expected ascending indices");
  expect(1, Longs({4, 2}, {0, 0, 0, 1, 1, 0, 2, 1}), "labels_indices[3]: expected a place in [2,?], got [2,1]");
  expect(1, Longs({4, 2}, {-1, 0, 0, 1, 1, 0, 1, 1}), "labels_indices[0]: expected a place in [2,?], got [-1,0]");
  expect(1, Longs({4, 2}, {0, -1, 0, 1, 1, 0, 1, 1}), "labels_indices[0]: expected a place");
  expect(1, Longs({4, 2}, {0, 0, 0, 1, 0, 2, 0, 3}), "labels: expected some for example 1, got none");
  expect(2, Ints({3}, {0, 2, 1}), "labels_indices and labels_values");
  expect(3, Ints({}, {3}), "sequence_length: expected a vector");
  expect(3, Ints({1}, {3}), "sequence_length: expected 2 values, got 1");
  expect(3, Ints({2}, {6, 3}), "sequence_length[0]: expected at most 5, got 6");
  expect(3, Ints({2}, {5, -1}), "sequence_length[1]: expected a value >= 0, got -1");
}

TEST_F(CtcOpsTest, GreedyDecoder) {
  const Tensor scores = Floats({2, 1}, {-9.3, -5.3}), shape = Longs({2}, {2, 3});
  OpTester plain = Greedy(false), merged = Greedy(true), other = Greedy(true, -2), wrong = Greedy(false, 4);
  ExpectOutputs(plain, {kX, kLengths},
                {Longs({5, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 1, 2}), Longs({5}, {1, 1, 2, 2, 2}), shape, scores}, 1e-6);
  ExpectOutputs(merged, {kX, kLengths}, {Longs({2, 2}, {0, 0, 1, 0}), Longs({2}, {1, 2}), Longs({2}, {2, 1}), scores},
                1e-6);
  ExpectOutputs(other, {kX, kLengths},
                {Longs({4, 2}, {0, 0, 0, 1, 0, 2, 1, 0}), Longs({4}, {3, 1, 3, 3}), shape, scores}, 1e-6);
  ExpectOutputs(plain, {kX, Ints({2}, {-1, 0})},
                {Longs({0, 2}, {}), Longs({0}, {}), Longs({2}, {2, 0}), Floats({2, 1}, {0, 0})});
  ExpectInvalid(wrong, {kX, kLengths}, "blank_index: expected a value in [-4,4), got 4");
}

TEST_F(CtcOpsTest, BeamSearchDecoder) {
  OpTester narrow = Beam(1, 1), wide = Beam(4, 3), all = Beam(100, 4);
  ExpectOutputs(
      narrow, {kX, kLengths},
      {Longs({2, 2}, {0, 0, 1, 0}), Longs({2}, {1, 2}), Longs({2}, {2, 1}), Floats({2, 1}, {-1.523049, -1.270727})},
      1e-6);
  ExpectOutputs(wide, {kX, kLengths},
                {Longs({2, 2}, {0, 0, 1, 0}), Longs({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}),
                 Longs({5, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 1, 2}), Longs({2}, {1, 2}), Longs({4}, {1, 2, 2, 1}),
                 Longs({5}, {1, 0, 2, 0, 2}), Longs({2}, {2, 1}), Longs({2}, {2, 2}), Longs({2}, {2, 3}),
                 Floats({2, 3}, {-1.3853155, -1.8179381, -1.9371855, -1.2071158, -1.6735122, -2.1110413})},
                1e-6);
  // Every path that one step can give.
  const auto out = all.Run({kX, Ints({2}, {1, 1})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Difference((*out)[12],
                       Floats({2, 4}, {-0.11570859, -2.7157085, -3.2157087, -5.8157086, -0.19873559, -2.2987356,
                                       -2.8987355, -3.698736}),
                       1e-6),
            "");
}

TEST_F(CtcOpsTest, BeamSearchOfALongerSequence) {
  OpTester op = Beam(7, 3);
  ExpectOutputs(
      op,
      {Floats(
           {12, 3, 5},
           {-0.63, 1.54,  -3.74, 3.46,  2.94,  -0.67, 1.22,  0.1,   -1.66, 0.18,  2,     -0.76, -0.75, -0.15, 0.87,
            2.56,  -1.27, 1.02,  0.43,  -3.72, -0.84, -0.26, -0.08, 0.65,  -4.08, 0.09,  -1.36, -2.88, 1.05,  1.47,
            -1.31, 1.68,  -0.76, 0.13,  -2.2,  3.17,  -5.32, -0.18, 1.39,  -4.07, -0.38, -0.15, 1.65,  2.5,   -0.81,
            -2.77, 2.73,  2.44,  -0.92, 0.7,   0.76,  1.13,  0.41,  2.81,  -3.48, 2.08,  0.76,  -0.43, 2.35,  -4.69,
            2.32,  0.77,  -2.27, 0.87,  -0.61, 5.17,  3.67,  0.88,  -1.44, -1.17, -0.65, -1.12, -1.8,  -1.18, -0.55,
            -1.03, -1.4,  -1.86, 5.1,   -2.95, -2.04, 0.86,  -0.65, 0.85,  1.6,   2.53,  1.5,   -1.99, 2.22,  -3.53,
            -0.23, -1,    -2.12, 1.18,  -0.37, 2.04,  -2.96, 1.69,  1,     0.25,  -2.84, -0.5,  -3.09, -4.17, 6.56,
            1.94,  3.59,  -0.86, 1.39,  1.39,  1.2,   0.01,  -0.46, -4.14, 1.22,  0.85,  2.24,  -0.55, 3.48,  -0.9,
            -2.51, 1.88,  -0.94, -2.51, 0.25,  1.51,  0.48,  0.99,  8.22,  1.64,  3.06,  -3.97, 0.73,  1.55,  -0.73,
            -1.75, 0.79,  -0.63, -1.19, 2.3,   2.67,  0.61,  -0.91, 1.03,  1.66,  1.26,  -2.91, -0.68, 0.72,  1.24,
            1.92,  1.52,  -2.27, -1.41, -2.44, 3.61,  0.36,  1.11,  2.07,  -0.66, -2.3,  -0.85, -0.3,  3,     1.74,
            -2.17, 1.33,  1.47,  -2.12, -0.22, -3.7,  0.66,  -0.63, -2.7,  -1.4,  0.48,  -1.11, 0.6,   1.11,  -1.68}),
       Ints({3}, {12, 9, 7})},
      {Longs({18, 2}, {0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 1, 0,
                       1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 2, 0, 2, 1, 2, 2}),
       Longs({18, 2}, {0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 1, 0,
                       1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 2, 0, 2, 1, 2, 2, 2, 3}),
       Longs({18, 2}, {0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 0, 1, 1,
                       1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 2, 0, 2, 1, 2, 2, 2, 3}),
       Longs({18}, {3, 0, 1, 0, 3, 1, 0, 2, 1, 3, 0, 3, 0, 0, 3, 0, 3, 0}),
       Longs({18}, {3, 0, 1, 0, 3, 1, 0, 1, 1, 0, 3, 0, 0, 3, 0, 3, 0, 3}),
       Longs({18}, {3, 0, 1, 0, 3, 1, 1, 1, 2, 0, 3, 0, 0, 3, 0, 3, 0, 1}), Longs({2}, {3, 8}), Longs({2}, {3, 8}),
       Longs({2}, {3, 7}),
       Floats({3, 3}, {-4.072349, -4.212348, -4.593786, -3.88923, -4.13877, -4.61923, -2.40656, -2.996032, -3.542823})},
      2e-6);
}

// Paths 1, blank, 1 and 1 give different labels unless repeated ones are merged afterwards.
TEST_F(CtcOpsTest, BeamSearchMergesRepeatedLabels) {
  const Tensor x = Floats({3, 1, 2}, {9, 0, 0, 9, 9, 0}), length = Ints({1}, {3});
  OpTester apart = Beam(4, 1), merged = Beam(4, 1, true);
  ExpectOutputs(apart, {x, length}, {Longs({2, 2}, {0, 0, 0, 1}), Longs({2}, {0, 0}), Longs({2}, {1, 2})});
  ExpectOutputs(merged, {x, length}, {Longs({1, 2}, {0, 0}), Longs({1}, {0}), Longs({2}, {1, 1})});
}

TEST_F(CtcOpsTest, DecoderErrors) {
  OpTester greedy = Greedy(false), beam = Beam(4, 1), many = Beam(2, 3), few = Beam(100, 5), none = Beam(100, 2);
  for (OpTester* op : {&greedy, &beam}) {
    ExpectInvalid(*op, {Floats({2, 2}, {1, 2, 3, 4}), kLengths}, "inputs: expected 3 dimensions");
    ExpectInvalid(*op, {Floats({0, 2, 4}, {}), kLengths}, "inputs: expected elements, got shape [0,2,4]");
    ExpectInvalid(*op, {kX, Ints({}, {3})}, "sequence_length: expected a vector, got shape []");
    EXPECT_EQ(op->Run({kX, Ints({1}, {3})}).status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(op->Run({kX, Ints({2}, {6, 3})}).status().code(), absl::StatusCode::kFailedPrecondition);
  }
  ExpectInvalid(many, {kX, kLengths}, "top_paths: expected at most beam_width = 2, got 3");
  ExpectInvalid(few, {kX, Ints({2}, {1, 1})}, "top_paths: expected at most the 4 paths of example 0, got 5");
  ExpectInvalid(none, {kX, Ints({2}, {0, 1})}, "top_paths: expected at most the 1 paths of example 0, got 2");
  Tensor nan = *kX.Clone();
  nan.mutable_data<float>()[0] = NAN;
  for (OpTester* op : {&greedy, &beam}) EXPECT_TRUE(op->Run({nan, kLengths}).ok());
}

TEST_F(CtcOpsTest, Shapes) {
  const auto loss = *InferShapes(library_, "CTCLoss", {{"T", DType::kFloat32}},
                                 {PartialShape::Of({5, -1, 4}), PartialShape(), PartialShape(), PartialShape::Of({2})});
  EXPECT_EQ(loss, (std::vector<PartialShape>{PartialShape::Of({2}), PartialShape::Of({5, 2, 4})}));
  const AttrMap attrs{{"T", DType::kFloat32}, {"beam_width", int64_t{4}}, {"top_paths", int64_t{2}}};
  const auto beam =
      *InferShapes(library_, "CTCBeamSearchDecoder", attrs, {PartialShape::Of({5, 3, 4}), PartialShape()});
  EXPECT_EQ(beam[1], PartialShape::Of({-1, 2}));
  EXPECT_EQ(beam[6], PartialShape::Of({3, 2}));
  EXPECT_EQ((*InferShapes(library_, "CTCGreedyDecoder", {{"T", DType::kFloat32}}, {PartialShape(), PartialShape()}))[3],
            PartialShape::Of({-1, 1}));
  EXPECT_FALSE(
      InferShapes(library_, "CTCGreedyDecoder", {{"T", DType::kFloat32}}, {PartialShape::Of({5, 3}), PartialShape()})
          .ok());
}

TEST(CtcGradients, AgreeWithDifferences) {
  for (const bool merge : {false, true}) {
    ExpectGradients({Doubles(kX)}, [&](GraphBuilder& g, const Outputs& x) {
      return g.Op("CTCLoss", {x[0], kIndices, kLabels, kLengths}, {{"ctc_merge_repeated", merge}}).output();
    });
  }
}

}  // namespace
}  // namespace flowlatch
