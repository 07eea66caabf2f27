#include "ops/detection_ops.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class DetectionOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterDetectionOps(library_).ok()); }
  OpTester Op(const std::string& name, AttrMap attrs) { return OpTester(library_, name, std::move(attrs)); }
  OpTester V3() { return Op("NonMaxSuppressionV3", {{"T", DType::kFloat32}, {"T_threshold", DType::kFloat32}}); }
  std::vector<Tensor> V3Inputs(const Tensor& boxes, const Tensor& scores, int32_t size, float iou, float score) {
    return {boxes, scores, Tensor::Scalar(size), Tensor::Scalar(iou), Tensor::Scalar(score)};
  }

  OpLibrary library_;
  // The answers are TensorFlow's.
  const Tensor boxes_ = Floats({6, 4}, {0, 0,  1, 1,  0, .1,   1, 1.1,  0, -.1, 1, .9,
                                        0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101});
  const Tensor scores_ = Floats({6}, {.9, .75, .6, .95, .5, .3});
};

TEST_F(DetectionOpsTest, TheFirstVersions) {
  OpTester v1 = Op("NonMaxSuppression", {{"iou_threshold", .5f}});
  ExpectOutput(v1, {boxes_, scores_, Tensor::Scalar(3)}, Ints({3}, {3, 0, 5}));
  OpTester v2 = Op("NonMaxSuppressionV2", {{"T", DType::kFloat32}, {"T_threshold", DType::kFloat16}});
  ExpectOutput(v2, {boxes_, scores_, Tensor::Scalar(2), Tensor::Scalar(Half(.5f))}, Ints({2}, {3, 0}));
  OpTester wrong = Op("NonMaxSuppression", {{"iou_threshold", 1.5f}});
  ExpectInvalid(wrong, {boxes_, scores_, Tensor::Scalar(3)}, "iou_threshold: expected a value in [0,1], got 1.5");
}

TEST_F(DetectionOpsTest, Thresholds) {
  struct Case {
    Tensor boxes, scores;
    int32_t size;
    float iou, score;
    std::vector<int32_t> want;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor flipped = Floats({2, 4}, {1, 1, 0, 0, .9, 1, 0, .1}), twice = Floats({2, 4}, {0, 0, 1, 1, 0, 0, 1, 1});
  const Tensor two = Floats({2}, {.5, .6});
  const Case cases[] = {
      {boxes_, scores_, 6, .5, .4, {3, 0}},
      {boxes_, scores_, 0, .5, 0, {}},
      {boxes_, scores_, 6, 0, 0, {3, 0, 5}},
      {boxes_, Floats({6}, {.5, .5, .5, .5, .5, .5}), 6, .5, 0, {0, 3, 5}},  // of equal ones the first
      {boxes_, Floats({6}, {.9, nan, .6, .95, .5, .3}), 6, .5, 0, {3, 0, 5}},
      {flipped, two, 6, .5, 0, {1}},
      {twice, two, 6, 1, 0, {1, 0}},
      {Floats({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}), two, 6, 0, 0, {1, 0}},  // no area, no overlap
      {Floats({2, 4}, {nan, nan, nan, nan, 0, 0, 1, 1}), two, 6, 0, 0, {1, 0}},
      {Floats({0, 4}, {}), Floats({0}, {}), 3, .5, 0, {}},
  };
  OpTester op = V3();
  for (const Case& c : cases) {
    ExpectOutput(op, V3Inputs(c.boxes, c.scores, c.size, c.iou, c.score), Tensor::Vector<int32_t>(c.want));
  }
}

TEST_F(DetectionOpsTest, Pads) {
  const auto op = [&](bool pad) {
    return Op("NonMaxSuppressionV4",
              {{"T", DType::kFloat32}, {"T_threshold", DType::kFloat32}, {"pad_to_max_output_size", pad}});
  };
  OpTester padded = op(true), plain = op(false);
  ExpectOutputs(padded, V3Inputs(boxes_, scores_, 5, .5, .4), {Ints({5}, {3, 0, 0, 0, 0}), Tensor::Scalar(2)});
  ExpectOutputs(plain, V3Inputs(boxes_, scores_, 5, .5, .4), {Ints({2}, {3, 0}), Tensor::Scalar(2)});
  ExpectOutputs(padded, V3Inputs(Floats({0, 4}, {}), Floats({0}, {}), 2, .5, .4), {Ints({2}, {0, 0}), Tensor::Scalar(0)});
}

TEST_F(DetectionOpsTest, LowersScores) {
  const auto run = [&](bool pad, int32_t size, float iou, float score, float sigma, const std::vector<Tensor>& want) {
    OpTester op = Op("NonMaxSuppressionV5", {{"T", DType::kFloat32}, {"pad_to_max_output_size", pad}});
    std::vector<Tensor> inputs = V3Inputs(boxes_, scores_, size, iou, score);
    inputs.push_back(Tensor::Scalar(sigma));
    ExpectOutputs(op, inputs, want, 1e-6);
  };
  run(false, 6, .5, 0, .5,
      {Ints({6}, {3, 0, 1, 5, 4, 2}), Floats({6}, {.95, .9, .38400355, .3, .2560026, .19697244}), Tensor::Scalar(6)});
  run(false, 6, 1, .2, .3, {Ints({4}, {3, 0, 5, 1}), Floats({4}, {.95, .9, .3, .24576381}), Tensor::Scalar(4)});
  run(true, 5, .5, .2, 0, {Ints({5}, {3, 0, 5, 0, 0}), Floats({5}, {.95, .9, .3, 0, 0}), Tensor::Scalar(3)});
  OpTester half = Op("NonMaxSuppressionV5", {{"T", DType::kFloat16}});
  const auto scalar = [](float v) { return Tensor::Scalar(Half(v)); };
  const Tensor boxes = Of<Half, float>({2, 4}, {0, 0, 1, 1, 0, 0, 1, 1});
  ExpectOutputs(half, {boxes, Of<Half, float>({2}, {.5, 1}), Tensor::Scalar(2), scalar(.5), scalar(0), scalar(.5)},
                {Ints({2}, {1, 0}), Of<Half, float>({2}, {1, .18396}), Tensor::Scalar(2)}, 1e-3);
  OpTester wrong = Op("NonMaxSuppressionV5", {{"T", DType::kFloat32}});
  std::vector<Tensor> inputs = V3Inputs(boxes_, scores_, 3, .5, 0);
  inputs.push_back(Tensor::Scalar(-1.0f));
  ExpectInvalid(wrong, inputs, "soft_nms_sigma: expected a value >= 0, got -1");
}

TEST_F(DetectionOpsTest, SuppressionErrors) {
  OpTester op = V3();
  ExpectInvalid(op, V3Inputs(boxes_, Floats({3}, {1, 2, 3}), 3, .5, 0), "scores: expected shape [6], got [3]");
  ExpectInvalid(op, V3Inputs(Floats({2, 3}, {1, 2, 3, 4, 5, 6}), scores_, 3, .5, 0), "boxes: expected shape [?,4], got [2,3]");
  ExpectInvalid(op, V3Inputs(Floats({0}, {}), scores_, 3, .5, 0), "boxes: expected shape [?,4], got [0]");
  ExpectInvalid(op, V3Inputs(boxes_, scores_, -1, .5, 0), "max_output_size: expected a value >= 0, got -1");
  ExpectInvalid(op, V3Inputs(boxes_, scores_, 3, 1.5, 0), "iou_threshold: expected a value in [0,1], got 1.5");
  ExpectInvalid(op, V3Inputs(boxes_, scores_, 3, std::nanf(""), 0), "iou_threshold: expected a value in [0,1], got nan");
  std::vector<Tensor> inputs = V3Inputs(boxes_, scores_, 3, .5, 0);
  inputs[4] = Floats({1}, {0});
  ExpectInvalid(op, inputs, "score_threshold: expected shape [], got [1]");
  inputs[2] = Ints({1}, {3});
  ExpectInvalid(op, inputs, "max_output_size");
}

TEST_F(DetectionOpsTest, Overlaps) {
  OpTester op = Op("NonMaxSuppressionWithOverlaps", {});
  const Tensor overlaps = Floats({4, 4}, {1.1, .8, .1, .1, .8, 1.1, .1, .1, .1, .1, 1.1, .6, .1, .1, .3, 1.1});
  const Tensor scores = Floats({4}, {.9, .75, .6, .95});
  const auto inputs = [&](const Tensor& matrix, const Tensor& s, float overlap, float score) -> std::vector<Tensor> {
    return {matrix, s, Tensor::Scalar(4), Tensor::Scalar(overlap), Tensor::Scalar(score)};
  };
  ExpectOutput(op, inputs(overlaps, scores, .5, 0), Ints({2}, {3, 0}));
  ExpectOutput(op, inputs(overlaps, scores, 5, .7), Ints({3}, {3, 0, 1}));
  ExpectInvalid(op, inputs(Floats({1, 2}, {1, 2}), scores, .5, 0), "overlaps: expected shape [1,1], got [1,2]");
  ExpectInvalid(op, inputs(overlaps, Floats({1}, {1}), .5, 0), "scores: expected shape [4], got [1]");
}

class CombinedTest : public DetectionOpsTest {
 protected:
  std::vector<Tensor> Inputs(const Tensor& boxes, const Tensor& scores, int32_t per_class, int32_t total, float iou = .5f,
                             float score = 0) {
    return {boxes, scores, Tensor::Scalar(per_class), Tensor::Scalar(total), Tensor::Scalar(iou), Tensor::Scalar(score)};
  }
  OpTester Combined(bool pad, bool clip) {
    return Op("CombinedNonMaxSuppression", {{"pad_per_class", pad}, {"clip_boxes", clip}});
  }
  const Tensor candidates_ = Floats({1, 6, 1, 4}, {0, 0,  1, 1,  0, .1,   1, 1.1,  0, -.1, 1, .9,
                                                   0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101});
  const Tensor scores_of_two_ = Floats({1, 6, 2}, {.9, .3, .75, .5, .6, .95, .95, .6, .5, .75, .3, .9});
};

TEST_F(CombinedTest, ClipsOrNot) {
  OpTester clipped = Combined(false, true), plain = Combined(false, false);
  const Tensor scores = Floats({1, 4}, {.95, .95, .9, .9}), classes = Floats({1, 4}, {0, 1, 0, 1}), valid = Ints({1}, {4});
  ExpectOutputs(clipped, Inputs(candidates_, scores_of_two_, 2, 4),
                {Floats({1, 4, 4}, {0, 1, 1, 1, 0, 0, 1, .9, 0, 0, 1, 1, 0, 1, 1, 1}), scores, classes, valid});
  ExpectOutputs(plain, Inputs(candidates_, scores_of_two_, 2, 4),
                {Floats({1, 4, 4}, {0, 10, 1, 11, 0, -.1, 1, .9, 0, 0, 1, 1, 0, 100, 1, 101}), scores, classes, valid});
}

TEST_F(CombinedTest, Pads) {
  OpTester plain = Combined(false, false), per_class = Combined(true, false);
  ExpectOutputs(plain, Inputs(candidates_, scores_of_two_, 3, 7, .5, .55),
                {Floats({1, 7, 4}, {0,   10, 1,   11,   0, -.1,  1, .9, 0, 0, 1, 1, 0, 100,
                                    1, 101, 0, 10.1, 1, 11.1, 0, 0,  0, 0, 0, 0, 0, 0}),
                 Floats({1, 7}, {.95, .95, .9, .9, .75, 0, 0}), Floats({1, 7}, {0, 1, 0, 1, 1, 0, 0}), Ints({1}, {5})});
  ExpectOutputs(per_class, Inputs(candidates_, scores_of_two_, 1, 5),
                {Floats({1, 2, 4}, {0, 10, 1, 11, 0, -.1, 1, .9}), Floats({1, 2}, {.95, .95}), Floats({1, 2}, {0, 1}),
                 Ints({1}, {2})});
  // No candidates, no classes, no images.
  const Tensor none = Floats({1, 2}, {0, 0});
  ExpectOutputs(plain, Inputs(Floats({1, 0, 1, 4}, {}), Floats({1, 0, 2}, {}), 2, 2),
                {Floats({1, 2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}), none, none, Ints({1}, {0})});
  ExpectOutputs(plain, Inputs(candidates_, Floats({1, 6, 0}, {}), 2, 2),
                {Floats({1, 2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}), none, none, Ints({1}, {0})});
  ExpectOutputs(plain, Inputs(Floats({0, 6, 1, 4}, {}), Floats({0, 6, 2}, {}), 2, 4), {Floats({0, 4, 4}, {})});
}

TEST_F(CombinedTest, BoxesOfEachClass) {
  OpTester op = Combined(false, false);
  ExpectOutputs(op, Inputs(Floats({1, 1, 2, 4}, {0, 0, 1, 1, 2, 2, 3, 3}), Floats({1, 1, 2}, {.25, .5}), 1, 2),
                {Floats({1, 2, 4}, {2, 2, 3, 3, 0, 0, 1, 1}), Floats({1, 2}, {.5, .25}), Floats({1, 2}, {1, 0}), Ints({1}, {2})});
}

TEST_F(CombinedTest, Errors) {
  OpTester op = Combined(false, true);
  const Tensor three = Floats({1, 6, 3, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                             0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                             0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  ExpectInvalid(op, Inputs(three, scores_of_two_, 2, 4), "boxes: expected 1 or 2 for each candidate");
  ExpectInvalid(op, Inputs(boxes_, scores_of_two_, 2, 4), "boxes: expected shape [?,?,?,4], got [6,4]");
  ExpectInvalid(op, Inputs(candidates_, scores_, 2, 4), "scores: expected shape [1,6,?], got [6]");
  ExpectInvalid(op, Inputs(candidates_, scores_of_two_, 0, 4), "max_output_size_per_class: expected a value >= 1, got 0");
  ExpectInvalid(op, Inputs(candidates_, scores_of_two_, 2, -1), "max_total_size: expected a value >= 1, got -1");
  ExpectInvalid(op, Inputs(candidates_, scores_of_two_, 2, 4, -.5), "iou_threshold: expected a value in [0,1], got -0.5");
}

TEST_F(DetectionOpsTest, Draws) {
  std::vector<float> zeros(42);
  const Tensor image = *Tensor::FromValues<float>(Shape::Of({1, 6, 7, 1}), zeros);
  // One inside, one that is cut on both sides, one outside.
  const Tensor boxes = Floats({1, 3, 4}, {.2, .2, .8, .9, -.5, .3, .5, 1.5, 1.2, 0, 1.5, 1});
  const auto drawn = [](float v) {
    return Floats({1, 6, 7, 1}, {0, v, 0, 0, 0, 0, 0, 0, v, v, v, v, v, 0, 0, v, v, v, v, v, v,
                                 0, v, 0, 0, 0, v, 0, 0, v, v, v, v, v, 0, 0, 0, 0, 0, 0, 0, 0});
  };
  OpTester white = Op("DrawBoundingBoxes", {{"T", DType::kFloat32}}), colored = Op("DrawBoundingBoxesV2", {{"T", DType::kFloat32}});
  ExpectOutput(white, {image, boxes}, drawn(1));
  ExpectOutput(colored, {image, boxes, Floats({1, 3}, {.5, .6, .7})}, drawn(.5));
  ExpectOutput(colored, {image, boxes, Floats({0, 4}, {})}, drawn(1));
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  ExpectOutput(white, {image, Floats({1, 3, 4}, {nan, 0, nan, 1, inf, 0, inf, 1, 0, 1, 1, 0})}, image);
  const Tensor pixel = Floats({1, 1, 1, 1}, {0});  // endless times nothing is no number
  ExpectOutput(white, {pixel, Floats({1, 2, 4}, {inf, 0, inf, 1, 0, -inf, 1, inf})}, pixel);
  // Boxes take the colours in turn.
  ExpectOutput(colored,
               {Floats({1, 3, 1, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0}), Floats({1, 3, 4}, {0, 0, 0, 0, .5, 0, .5, 0, 1, 0, 1, 0}),
                Floats({2, 3}, {1, 2, 3, 4, 5, 6})},
               Floats({1, 3, 1, 3}, {1, 2, 3, 4, 5, 6, 1, 2, 3}));
  OpTester half = Op("DrawBoundingBoxes", {{"T", DType::kFloat16}});
  ExpectOutput(half, {Of<Half, float>({1, 1, 1, 4}, {0, 0, 0, 0}), Floats({1, 2, 4}, {0, 0, 1, 1, 0, 0, 1, 1})},
               Of<Half, float>({1, 1, 1, 4}, {0, 0, 1, 1}));
  ExpectOutput(white, {Floats({1, 0, 7, 3}, {}), boxes}, Floats({1, 0, 7, 3}, {}));
}

TEST_F(DetectionOpsTest, DrawingErrors) {
  OpTester op = Op("DrawBoundingBoxesV2", {{"T", DType::kFloat32}});
  const Tensor image = Floats({1, 1, 1, 3}, {1, 2, 3}), boxes = Floats({1, 1, 4}, {0, 0, 1, 1});
  const Tensor colors = Floats({1, 3}, {1, 1, 1});
  ExpectInvalid(op, {Floats({1, 1, 3}, {1, 2, 3}), boxes, colors}, "images: expected shape [?,?,?,?], got [1,1,3]");
  ExpectInvalid(op, {Floats({1, 1, 1, 2}, {1, 2}), boxes, colors}, "images: expected 1, 3 or 4 channels");
  ExpectInvalid(op, {image, Floats({2, 1, 4}, {0, 0, 1, 1, 0, 0, 1, 1}), colors}, "boxes: expected shape [1,?,4], got [2,1,4]");
  ExpectInvalid(op, {image, Floats({1, 1, 3}, {0, 0, 1}), colors}, "boxes: expected shape [1,?,4], got [1,1,3]");
  ExpectInvalid(op, {image, boxes, Floats({1, 2}, {0, 0})}, "colors: expected at least 3 channels, got shape [1,2]");
  ExpectInvalid(op, {image, boxes, Floats({3}, {0, 0, 0})}, "colors: expected shape [?,?], got [3]");
}

TEST_F(DetectionOpsTest, Shapes) {
  const PartialShape any, scalar = PartialShape::Of({});
  const Tensor three = Tensor::Scalar(3);
  const AttrMap padded{{"T", DType::kFloat32}, {"pad_to_max_output_size", true}};
  const auto v5 = [&](const PartialShape& boxes, const PartialShape& scores, const Tensor* size) {
    return InferShapes(library_, "NonMaxSuppressionV5", padded, {boxes, scores, scalar, scalar, any, any},
                       {nullptr, nullptr, size, nullptr, nullptr, nullptr});
  };
  EXPECT_EQ((*v5(any, any, &three))[1], PartialShape::Of({3}));
  EXPECT_EQ((*v5(PartialShape::Of({-1, 4}), any, nullptr))[0], PartialShape::Of({-1}));
  EXPECT_EQ((*v5(any, any, nullptr))[2], scalar);
  EXPECT_FALSE(v5(PartialShape::Of({5, 3}), any, nullptr).ok());
  EXPECT_FALSE(v5(PartialShape::Of({5, 4}), PartialShape::Of({6}), nullptr).ok());
  const auto combined = [&](bool pad, const PartialShape& scores, const Tensor* total) {
    return InferShapes(library_, "CombinedNonMaxSuppression", {{"pad_per_class", pad}}, {any, scores, any, any, any, any},
                       {nullptr, nullptr, &three, total, nullptr, nullptr});
  };
  const Tensor ten = Tensor::Scalar(10);
  EXPECT_EQ((*combined(true, PartialShape::Of({2, -1, 2}), &ten))[0], PartialShape::Of({2, 6, 4}));
  EXPECT_EQ((*combined(false, PartialShape::Of({2, -1, 2}), &ten))[1], PartialShape::Of({2, 10}));
  EXPECT_EQ((*combined(true, any, &ten))[0], PartialShape::Of({-1, -1, 4}));
  EXPECT_FALSE(combined(false, PartialShape::Of({2}), &ten).ok());
  const auto draw = [&](const PartialShape& images, const PartialShape& boxes) {
    return InferShapes(library_, "DrawBoundingBoxes", {{"T", DType::kFloat32}}, {images, boxes});
  };
  EXPECT_EQ((*draw(PartialShape::Of({2, -1, 5, 3}), any))[0], PartialShape::Of({2, -1, 5, 3}));
  EXPECT_FALSE(draw(PartialShape::Of({2, 4, 5, 3}), PartialShape::Of({3, 1, 4})).ok());
  EXPECT_FALSE(draw(PartialShape::Of({2, 4}), any).ok());
}

}  // namespace
}  // namespace flowlatch
