#include "ops/box_sample_ops.h"

#include <limits>
#include <string>
#include <vector>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class BoxSampleOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterBoxSampleOps(library_).ok()); }
  static AttrMap Attrs(int64_t seed, int64_t seed2) { return {{"T", DType::kInt32}, {"seed", seed}, {"seed2", seed2}}; }
  OpTester V2(const AttrMap& attrs) { return OpTester(library_, "SampleDistortedBoundingBoxV2", attrs); }

  OpLibrary library_;
  const Tensor size_ = Ints({3}, {37, 91, 3}), box_ = Floats({1, 1, 4}, {0.2f, 0.2f, 0.6f, 0.6f}), covered_ = Tensor::Scalar(0.3f);
};

// The crops here are what TensorFlow 2.21 gives.
TEST_F(BoxSampleOpsTest, AsTensorFlow) {
  const struct {
    int32_t y, x, height, width;
  } crops[] = {{10, 24, 21, 25}, {2, 26, 34, 43}, {3, 25, 25, 25}, {5, 14, 18, 19}, {0, 31, 37, 34}, {8, 17, 18, 19}, {1, 8, 31, 32}, {5, 40, 29, 30}};
  for (int64_t i = 0; i < 8; ++i) {
    SCOPED_TRACE(i);
    const auto& [y, x, height, width] = crops[i];
    const auto part = [](int32_t pixel, float size) { return static_cast<float>(pixel) / size; };
    const std::vector<Tensor> want{Ints({3}, {y, x, 0}), Ints({3}, {height, width, -1}),
                                   Floats({1, 1, 4}, {part(y, 37), part(x, 91), part(y + height, 37), part(x + width, 91)})};
    OpTester v2 = V2(Attrs(i + 1, 7 * (i + 1)));
    ExpectOutputs(v2, {size_, box_, covered_}, want);
    OpTester v1(library_, "SampleDistortedBoundingBox", Attrs(i + 1, 7 * (i + 1)).With("min_object_covered", 0.3f));
    ExpectOutputs(v1, {size_, box_}, want);
  }
}

TEST_F(BoxSampleOpsTest, StatelessAsTensorFlow) {
  OpTester op(library_, "StatelessSampleDistortedBoundingBox",
              {{"T", DType::kInt64}, {"Tseed", DType::kInt32}, {"aspect_ratio_range", std::vector<float>{0.25f, 4}}, {"area_range", std::vector<float>{0.08f, 1}}});
  const struct {
    int64_t y, x, height, width;
  } crops[] = {{1, 90, 637, 350}, {24, 24, 600, 346}, {40, 0, 572, 429}, {51, 90, 524, 175}};
  const Tensor boxes = Floats({1, 2, 4}, {0.1f, 0.3f, 0.9f, 0.5f, 0, 0, 1, 1});
  for (int32_t i = 0; i < 4; ++i) {
    const auto& [y, x, height, width] = crops[i];
    ExpectOutputs(op, {Longs({3}, {640, 480, 3}), boxes, Tensor::Scalar(0.9f), Ints({2}, {i + 1, -i - 1})},
                  {Longs({3}, {y, x, 0}), Longs({3}, {height, width, -1})});
  }
  ExpectInvalid(op, {Longs({3}, {640, 480, 3}), boxes, Tensor::Scalar(0.9f), Ints({3}, {1, 2, 3})}, "seed: expected shape [2], got [3]");
}

TEST_F(BoxSampleOpsTest, DTypesOfSizes) {
  const AttrMap attrs = Attrs(3, 4);
  const Tensor sizes[] = {Of<uint8_t>({3}, {100, 120, 3}), Of<int8_t>({3}, {100, 120, 3}), Of<int16_t>({3}, {100, 120, 3}), Ints({3}, {100, 120, 3}),
                          Longs({3}, {100, 120, 3})};
  const Tensor begins[] = {Of<uint8_t>({3}, {1, 51, 0}), Of<int8_t>({3}, {1, 51, 0}), Of<int16_t>({3}, {1, 51, 0}), Ints({3}, {1, 51, 0}),
                           Longs({3}, {1, 51, 0})};
  for (int i = 0; i < 5; ++i) {
    OpTester op = V2(attrs.With("T", sizes[i].dtype()));
    ExpectOutputs(op, {sizes[i], box_, Tensor::Scalar(0.1f)}, {begins[i]});
  }
  OpTester bytes = V2(attrs.With("T", DType::kUInt8));
  ExpectOutputs(bytes, {sizes[0], box_, Tensor::Scalar(0.1f)}, {begins[0], Of<uint8_t>({3}, {32, 34, 255})});
}

// Without a crop that fits, and without boxes if that is allowed.
TEST_F(BoxSampleOpsTest, WholeImage) {
  const std::vector<Tensor> whole{Ints({3}, {0, 0, 0}), Ints({3}, {37, 91, -1}), Floats({1, 1, 4}, {0, 0, 1, 1})};
  OpTester op = V2(Attrs(3, 4)), small = V2(Attrs(3, 4).With("area_range", std::vector<float>{0.01f, 0.02f}).With("max_attempts", int64_t{3}));
  ExpectOutputs(op, {size_, box_, Tensor::Scalar(2.0f)}, whole);
  ExpectOutputs(small, {size_, box_, Tensor::Scalar(1.0f)}, whole);
  ExpectOutputs(op, {size_, Floats({1, 1, 4}, {0.6f, 0.2f, 0.2f, 0.6f}), covered_}, whole);
  OpTester image = V2(Attrs(3, 4).With("use_image_if_no_bounding_boxes", true));
  ExpectOutputs(image, {Ints({3}, {100, 120, 3}), Floats({0, 0, 4}, {}), Tensor::Scalar(0.1f)}, {Ints({3}, {5, 75, 0}), Ints({3}, {46, 38, -1})});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  ExpectOutputs(op, {Ints({3}, {0, 91, 3}), box_, covered_}, {Ints({3}, {0, 0, 0}), Ints({3}, {0, 91, -1}), Floats({1, 1, 4}, {nan, 0, nan, 1})});
}

TEST_F(BoxSampleOpsTest, ExtremeRanges) {
  const float most = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min();
  for (const std::vector<float>& aspect : {std::vector<float>{least, least}, {most, most}, {least, most}, {1, 0.5f}}) {
    for (const std::vector<float>& area : {std::vector<float>{least, least}, {1, 1}, {1, 0.5f}, {least, 1}}) {
      OpTester op = V2(Attrs(3, 4).With("aspect_ratio_range", aspect).With("area_range", area));
      for (const Tensor& size : {size_, Ints({3}, {2147483646, 2147483646, 1}), Ints({3}, {1, 1, 1}), Ints({3}, {1, 2147483646, 1})}) {
        EXPECT_TRUE(op.Run({size, box_, covered_}).ok());
      }
    }
  }
}

TEST_F(BoxSampleOpsTest, Errors) {
  OpTester op = V2(Attrs(3, 4));
  ExpectInvalid(op, {Ints({2}, {37, 91}), box_, covered_}, "image_size: expected shape [3], got [2]");
  ExpectInvalid(op, {Ints({3}, {-5, 91, 3}), box_, covered_}, "image_size[0]: expected a value in [0,2147483647), got -5");
  ExpectInvalid(op, {Ints({3}, {37, 2147483647, 3}), box_, covered_}, "image_size[1]: expected a value in [0,2147483647), got 2147483647");
  ExpectInvalid(op, {size_, Floats({0, 0, 4}, {}), covered_}, "bounding_boxes: expected some, or use_image_if_no_bounding_boxes, got none");
  ExpectInvalid(op, {size_, Floats({1, 4}, {0, 0, 1, 1}), covered_}, "");
  ExpectInvalid(op, {size_, Floats({1, 1, 5}, {0, 0, 1, 1, 1}), covered_}, "bounding_boxes: expected shape [?,?,4], got [1,1,5]");
  ExpectInvalid(op, {size_, Floats({1, 1, 4}, {0.2f, 0.2f, 1.5f, 0.6f}), covered_}, "bounding_boxes[0,0,2]: expected a value in [0,1], got 1.5");
  ExpectInvalid(op, {size_, Floats({1, 1, 4}, {0.2f, std::numeric_limits<float>::quiet_NaN(), 0.5f, 0.6f}), covered_}, "bounding_boxes[0,0,1]");
  ExpectInvalid(op, {size_, box_, Tensor::Scalar(-0.5f)}, "min_object_covered: expected a value >= 0, got -0.5");
  ExpectInvalid(op, {size_, box_, Floats({1}, {0.5f})}, "");
  const struct {
    const char* attr;
    Attr value;
    const char* text;
  } cases[] = {{"aspect_ratio_range", std::vector<float>{0, 1}, "aspect_ratio_range: expected 2 values above 0, got [0,1]"},
               {"aspect_ratio_range", std::vector<float>{1, 0.5f, 3}, "got [1,0.5,3]"},
               {"area_range", std::vector<float>{0.5f, 2}, "area_range: expected 2 values above 0 and up to 1, got [0.5,2]"},
               {"area_range", std::vector<float>{0, 0.5f}, "area_range"},
               {"max_attempts", int64_t{0}, "max_attempts: expected a value > 0, got 0"}};
  for (const auto& [attr, value, text] : cases) {
    OpTester bad = V2(Attrs(3, 4).With(attr, value));
    ExpectInvalid(bad, {size_, box_, covered_}, text);
  }
  OpTester v1(library_, "SampleDistortedBoundingBox", Attrs(3, 4).With("min_object_covered", -1.0f));
  ExpectInvalid(v1, {size_, box_}, "min_object_covered: expected a value >= 0, got -1");
}

TEST_F(BoxSampleOpsTest, Shapes) {
  const PartialShape unknown, scalar = PartialShape::Of({});
  const std::vector<PartialShape> want{PartialShape::Of({3}), PartialShape::Of({3}), PartialShape::Of({1, 1, 4})};
  EXPECT_EQ(*InferShapes(library_, "SampleDistortedBoundingBoxV2", Attrs(1, 2), {unknown, unknown, unknown}), want);
  EXPECT_EQ(*InferShapes(library_, "SampleDistortedBoundingBoxV2", Attrs(1, 2), {PartialShape::Of({-1}), PartialShape::UnknownOfRank(3), scalar}), want);
  EXPECT_FALSE(InferShapes(library_, "SampleDistortedBoundingBoxV2", Attrs(1, 2), {scalar, unknown, unknown}).ok());
  EXPECT_FALSE(InferShapes(library_, "SampleDistortedBoundingBoxV2", Attrs(1, 2), {unknown, PartialShape::Of({1, 4}), unknown}).ok());
}

}  // namespace
}  // namespace flowlatch
