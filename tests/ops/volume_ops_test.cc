#include "ops/volume_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

using Ints64 = std::vector<int64_t>;

class VolumeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterVolumeOps(library_).ok()); }
  static AttrMap Attrs(const std::string& padding, const Ints64& strides = {1, 1, 1, 1, 1},
                       DType dtype = DType::kFloat32) {
    return {{"T", dtype}, {"padding", padding}, {"strides", strides}};
  }
  OpTester Conv(const std::string& op, const AttrMap& attrs) { return OpTester(library_, op, attrs); }
  OpTester Pool(const std::string& op, const AttrMap& attrs) {
    return OpTester(library_, op, attrs.With("ksize", Ints64{1, 2, 2, 2, 1}));
  }

  OpLibrary library_;
  // The answers below are TensorFlow's for these.
  const Tensor x_ = Floats({1, 2, 3, 2, 1}, {3, -1, 4, 1, -5, 9, 2, 6, -5, 3, 5, -8});
  const Tensor filter_ = Floats({2, 2, 1, 1, 2}, {1, 2, -1, 0, 0.5, 3, 1, -2});
  const Tensor y_ = Floats({1, 2, 3, 2, 2}, {-5, 22, 4, 10, 11.5, -17, -14.5, 27, -2.5, 5,  5,  -6,
                                             7,  4,  3, 12, -10,  -10, 11,    6,  5,    10, -8, -16});
  const Tensor x_sizes_ = Ints({5}, {1, 2, 3, 2, 1}), filter_sizes_ = Ints({5}, {2, 2, 1, 1, 2});
  const Tensor grads_ = Floats({1, 2, 3, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Tensor conv_grads_ =
      Floats({1, 2, 3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24});
};

TEST_F(VolumeOpsTest, Convolves) {
  OpTester same = Conv("Conv3D", Attrs("SAME")), valid = Conv("Conv3D", Attrs("VALID"));
  ExpectOutput(same, {x_, filter_}, y_);
  ExpectOutput(valid, {x_, filter_}, Floats({1, 1, 2, 2, 2}, {-5, 22, 4, 10, 11.5, -17, -14.5, 27}));
  OpTester strides = Conv("Conv3D", Attrs("SAME", {1, 2, 2, 1, 1}));
  ExpectOutput(strides, {x_, filter_}, Floats({1, 1, 2, 2, 2}, {-5, 22, 4, 10, -2.5, 5, 5, -6}));
  OpTester channels_first = Conv("Conv3D", Attrs("VALID").With("data_format", "NCDHW"));
  ExpectOutput(channels_first, {*x_.Reshaped(Shape::Of({1, 1, 2, 3, 2})), filter_},
               Floats({1, 2, 1, 2, 2}, {-5, 4, 11.5, -14.5, 22, 10, -17, 27}));
  ExpectOutput(same, {Floats({0, 2, 3, 2, 1}, {}), filter_}, Floats({0, 2, 3, 2, 2}, {}));
}

TEST_F(VolumeOpsTest, GroupsAndDilations) {
  // Each channel has a filter of its own, which looks at every second column.
  OpTester op = Conv("Conv3D", Attrs("VALID").With("dilations", Ints64{1, 1, 1, 2, 1}));
  ExpectOutput(op, {Floats({1, 1, 1, 3, 2}, {1, 10, 2, 20, 3, 30}), Floats({1, 1, 2, 1, 2}, {1, 2, 3, 4})},
               Floats({1, 1, 1, 1, 2}, {1 + 3 * 3, 2 * 10 + 4 * 30}));
}

TEST_F(VolumeOpsTest, GradientsOfConvolution) {
  OpTester input = Conv("Conv3DBackpropInputV2", Attrs("SAME").With("Tshape", DType::kInt32)),
           filter = Conv("Conv3DBackpropFilterV2", Attrs("SAME"));
  ExpectOutput(input, {x_sizes_, filter_, conv_grads_},
               Floats({1, 2, 3, 2, 1}, {5, 11, 16, 20, 24, 28, 47.5, 60.5, 57.5, 66.5, 75.5, 84.5}));
  ExpectOutput(filter, {x_, filter_sizes_, conv_grads_},
               Floats({2, 2, 1, 1, 2}, {90, 104, -42, -38, -27, -24, -27, -32}));
  ExpectInvalid(input, {x_sizes_, filter_, grads_}, "out_backprop: expected shape [1,2,3,2,2], got [1,2,3,2,1]");
  ExpectInvalid(filter, {x_, Ints({4}, {2, 2, 1, 2}), conv_grads_},
                "filter: expected 5 dimensions, got shape [2,2,1,2]");
}

TEST_F(VolumeOpsTest, Averages) {
  OpTester same = Pool("AvgPool3D", Attrs("SAME")), valid = Pool("AvgPool3D", Attrs("VALID", {1, 1, 2, 1, 1}));
  ExpectOutput(same, {x_},
               Floats({1, 2, 3, 2, 1}, {1.625, 2.25, 0.5, 1.25, 0.25, 0.5, 1.5, 4.5, -1.25, -2.5, -1.5, -8}));
  ExpectOutput(valid, {x_}, Floats({1, 1, 1, 1, 1}, {1.625}));
  OpTester grad = Pool("AvgPool3DGrad", Attrs("SAME"));
  ExpectOutput(grad, {x_sizes_, grads_},
               Floats({1, 2, 3, 2, 1}, {0.125, 0.625, 0.5, 2, 1.625, 5.625, 1.875, 6.375, 4.5, 15, 9.375, 30.375}));
}

TEST_F(VolumeOpsTest, Maxima) {
  const Tensor y = Floats({1, 2, 3, 2, 1}, {6, 6, 9, 9, 9, 9, 6, 6, 5, 3, 5, -8});
  OpTester op = Pool("MaxPool3D", Attrs("SAME")),
           grad = Pool("MaxPool3DGrad", Attrs("SAME").With("TInput", DType::kFloat32));
  OpTester grad_grad = Pool("MaxPool3DGradGrad", Attrs("SAME"));
  ExpectOutput(op, {x_}, y);
  ExpectOutput(grad, {x_, y, grads_}, Floats({1, 2, 3, 2, 1}, {0, 0, 0, 0, 0, 18, 0, 18, 0, 10, 20, 12}));
  ExpectOutput(grad_grad, {x_, y, grads_}, Floats({1, 2, 3, 2, 1}, {8, 8, 6, 6, 6, 6, 8, 8, 11, 10, 11, 12}));
  ExpectInvalid(grad, {x_, Floats({1, 1, 1, 1, 1}, {0}), grads_},
                "orig_output: expected shape [1,2,3,2,1], got [1,1,1,1,1]");
}

TEST_F(VolumeOpsTest, HugeWindows) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  OpTester same = OpTester(library_, "MaxPool3D", Attrs("SAME").With("ksize", Ints64{1, kMost, kMost, kMost, 1}));
  ExpectOutput(same, {x_}, Floats({1, 2, 3, 2, 1}, {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9}));
  OpTester valid = OpTester(library_, "MaxPool3D", Attrs("VALID").With("ksize", Ints64{1, kMost, kMost, kMost, 1}));
  ExpectInvalid(valid, {x_}, "window over dimension of size 2");
}

TEST_F(VolumeOpsTest, Errors) {
  OpTester conv = Conv("Conv3D", Attrs("SAME"));
  ExpectInvalid(conv, {Floats({2, 3}, {1, 2, 3, 4, 5, 6}), filter_}, "input: expected 5 dimensions, got shape [2,3]");
  ExpectInvalid(conv, {x_, Floats({0, 1, 1, 1, 1}, {})}, "filter: expected a window of at least one element");
  ExpectInvalid(conv, {x_, Floats({1, 1, 1, 2, 1}, {1, 2})}, "filter: expected channels that divide the input's 1");
  OpTester strides = Conv("Conv3D", Attrs("SAME", {1, 0, 1, 1, 1}));
  ExpectInvalid(strides, {x_, filter_}, "strides: expected values in [1,2147483647], got [1,0,1,1,1]");
}

TEST_F(VolumeOpsTest, Shapes) {
  const AttrMap pool = Attrs("VALID").With("ksize", Ints64{1, 2, 2, 2, 1});
  const auto infer = [&](const std::string& op, const AttrMap& attrs, const std::vector<PartialShape>& inputs,
                         const std::vector<const Tensor*>& constants = {}) {
    return InferShapes(library_, op, attrs, inputs, constants);
  };
  EXPECT_EQ((*infer("AvgPool3D", pool, {PartialShape::Of({-1, 4, -1, 2, 3})}))[0], PartialShape::Of({-1, 3, -1, 1, 3}));
  EXPECT_EQ((*infer("Conv3D", Attrs("SAME"), {PartialShape(), PartialShape::Of({1, 1, 1, 2, 8})}))[0],
            PartialShape::Of({-1, -1, -1, -1, 8}));
  EXPECT_FALSE(
      infer("Conv3D", Attrs("VALID"), {PartialShape::Of({1, 1, 1, 1, 2}), PartialShape::Of({3, 1, 1, 2, 8})}).ok());
  EXPECT_EQ((*infer("AvgPool3DGrad", pool, {PartialShape::Of({5}), PartialShape()}, {&x_sizes_}))[0],
            PartialShape::Of({1, 2, 3, 2, 1}));
}

}  // namespace
}  // namespace flowlatch
