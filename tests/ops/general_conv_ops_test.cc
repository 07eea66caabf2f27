#include "ops/general_conv_ops.h"

#include <string>
#include <vector>

#include "ops/conv_ops.h"
#include "ops/volume_ops.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

using Numbers64 = std::vector<int64_t>;

// Small integers, so that sums are exact in every dtype.
Tensor Counting(DType dtype, const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (const int64_t dim : dims) n *= dim;
  std::vector<double> values;
  for (int64_t i = 0; i < n; ++i) values.push_back(static_cast<double>(i * 7 % 5) - 2);
  return Numbers(dtype, dims, values);
}

class GeneralConvOpsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterConvOps(library_).ok() && RegisterVolumeOps(library_).ok() && RegisterGeneralConvOps(library_).ok());
  }
  static AttrMap Attrs(const Numbers64& strides, const std::string& padding, DType dtype = DType::kFloat32) {
    return {{"T", dtype}, {"strides", strides}, {"padding", padding}};
  }
  OpTester Conv(const AttrMap& attrs) { return OpTester(library_, "Conv", attrs); }
  // What the op of two or three dimensions gives.
  Tensor Want(const std::string& op, const AttrMap& attrs, const Tensor& input, const Tensor& filter) {
    OpTester tester(library_, op, attrs);
    const auto out = tester.Run({input, filter});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  static Tensor Reshaped(const Tensor& t, const std::vector<int64_t>& dims) { return *t.Reshaped(*Shape::Make(dims)); }

  OpLibrary library_;
};

TEST_F(GeneralConvOpsTest, Images) {
  OpTester by_hand = Conv(Attrs({1, 1, 1, 1}, "VALID"));
  ExpectOutput(by_hand, {Floats({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}), Floats({1, 2, 1, 1}, {1, 10})}, Floats({1, 2, 2, 1}, {21, 32, 54, 65}));
  for (const DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64, DType::kInt32}) {
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    const Tensor input = Counting(dtype, {2, 5, 4, 3}), filter = Counting(dtype, {3, 2, 3, 4});
    for (const AttrMap& attrs : {Attrs({1, 1, 1, 1}, "SAME", dtype), Attrs({1, 2, 1, 1}, "VALID", dtype),
                                 Attrs({1, 1, 1, 1}, "VALID", dtype).With("dilations", Numbers64{1, 2, 1, 1}),
                                 Attrs({1, 1, 1, 1}, "EXPLICIT", dtype).With("explicit_paddings", Numbers64{0, 0, 1, 1, 2, 0, 0, 0})}) {
      OpTester op = Conv(attrs);
      ExpectOutput(op, {input, filter}, Want("Conv2D", attrs, input, filter));
    }
  }
}

TEST_F(GeneralConvOpsTest, ChannelsFirstAndGroups) {
  const Tensor input = Counting(DType::kFloat32, {2, 6, 5, 4}), filter = Counting(DType::kFloat32, {3, 2, 3, 4});
  const AttrMap attrs = Attrs({1, 1, 1, 2}, "EXPLICIT").With("explicit_paddings", Numbers64{0, 0, 0, 0, 1, 1, 2, 0});
  OpTester op = Conv(attrs.With("data_format", "CHANNELS_FIRST").With("groups", int64_t{2}));
  ExpectOutput(op, {input, filter}, Want("Conv2D", attrs.With("data_format", "NCHW"), input, filter));
  const Tensor volume = Counting(DType::kFloat32, {1, 2, 3, 4, 5}), cube = Counting(DType::kFloat32, {2, 2, 2, 2, 3});
  OpTester volumes = Conv(Attrs({1, 1, 1, 2, 1}, "SAME").With("data_format", "CHANNELS_FIRST"));
  ExpectOutput(volumes, {volume, cube}, Want("Conv3D", Attrs({1, 1, 1, 2, 1}, "SAME").With("data_format", "NCDHW"), volume, cube));
}

TEST_F(GeneralConvOpsTest, Volumes) {
  const Tensor input = Counting(DType::kFloat32, {2, 4, 5, 3, 3}), filter = Counting(DType::kFloat32, {2, 3, 2, 3, 4});
  for (const AttrMap& attrs : {Attrs({1, 1, 1, 1, 1}, "SAME"), Attrs({1, 2, 1, 1, 1}, "VALID"),
                               Attrs({1, 1, 1, 1, 1}, "VALID").With("dilations", Numbers64{1, 2, 1, 1, 1})}) {
    OpTester op = Conv(attrs);
    ExpectOutput(op, {input, filter}, Want("Conv3D", attrs, input, filter));
  }
}

TEST_F(GeneralConvOpsTest, BatchDimensions) {
  const AttrMap attrs = Attrs({1, 1, 1, 1}, "SAME");
  const Tensor input = Counting(DType::kFloat32, {6, 5, 4, 3}), filter = Counting(DType::kFloat32, {3, 2, 3, 4});
  const Tensor want = Want("Conv2D", attrs, input, filter);
  OpTester two = Conv(attrs.With("batch_dims", int64_t{2})), none = Conv(attrs.With("batch_dims", int64_t{0}));
  ExpectOutput(two, {Reshaped(input, {2, 3, 5, 4, 3}), filter}, Reshaped(want, {2, 3, 5, 4, 4}));
  ExpectOutput(two, {Floats({2, 0, 5, 4, 3}, {}), filter}, Floats({2, 0, 5, 4, 4}, {}));
  const Tensor one = Counting(DType::kFloat32, {1, 5, 4, 3});
  ExpectOutput(none, {Reshaped(one, {5, 4, 3}), filter}, Reshaped(Want("Conv2D", attrs, one, filter), {5, 4, 4}));
}

TEST_F(GeneralConvOpsTest, Errors) {
  const Tensor input = Counting(DType::kFloat32, {1, 5, 4, 3}), filter = Counting(DType::kFloat32, {3, 2, 3, 4});
  const struct {
    const char* attr;
    Attr value;
    const char* text;
  } cases[] = {
      {"strides", Numbers64{1, 1}, "strides: expected 4 or 5 values, got 2"},
      {"strides", Numbers64{2, 1, 1, 1}, "strides[0] of batch or channels: expected 1, got 2"},
      {"strides", Numbers64{1, 0, 1, 1}, "strides and dilations: expected values >= 1, got 0 and 1"},
      {"dilations", Numbers64{1, 1}, "dilations: expected 4 values, got 2"},
      {"dilations", Numbers64{1, 1, -1, 1}, "strides and dilations: expected values >= 1, got 1 and -1"},
      {"explicit_paddings", Numbers64{0, 0, 1, 1, 1, 1, 0, 0}, "explicit_paddings: expected none with padding VALID, got 8"},
      {"batch_dims", int64_t{-1}, "batch_dims: expected a value in [0,254], got -1"},
      {"batch_dims", int64_t{3}, ""},
      {"groups", int64_t{0}, "groups: expected a value >= 1, got 0"},
      {"groups", int64_t{3}, "filter: expected the 3 channels of the input in 3 groups, got 3 in each"},
      {"padding", "EXPLICIT", "explicit_paddings: expected 8 values, got 0"},
  };
  for (const auto& [attr, value, text] : cases) {
    SCOPED_TRACE(attr);
    OpTester op = Conv(Attrs({1, 1, 1, 1}, "VALID").With(attr, value));
    ExpectInvalid(op, {input, filter}, text);
  }
  OpTester op = Conv(Attrs({1, 1, 1, 1}, "VALID"));
  ExpectInvalid(op, {Counting(DType::kFloat32, {5, 4, 3}), filter}, "");
  ExpectInvalid(op, {input, Counting(DType::kFloat32, {3, 2, 3})}, "");
  ExpectInvalid(op, {input, Counting(DType::kFloat32, {0, 2, 3, 4})}, "filter");
  ExpectInvalid(op, {input, Counting(DType::kFloat32, {1, 1, 2, 4})}, "filter: expected the 3 channels of the input in 1 groups, got 2 in each");
  OpTester negative = Conv(Attrs({1, 1, 1, 1}, "EXPLICIT").With("explicit_paddings", Numbers64{0, 0, -1, 1, 2, 0, 0, 0}));
  ExpectInvalid(negative, {input, filter}, "explicit_paddings: expected values >= 0, got -1");
  OpTester volumes = Conv(Attrs({1, 1, 1, 1, 1}, "EXPLICIT").With("explicit_paddings", Numbers64(10, 0)));
  EXPECT_EQ(volumes.Run({Counting(DType::kFloat32, {1, 2, 2, 2, 1}), Counting(DType::kFloat32, {1, 1, 1, 1, 1})}).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(GeneralConvOpsTest, Shapes) {
  const PartialShape unknown;
  const AttrMap attrs = Attrs({1, 1, 1, 1}, "VALID");
  EXPECT_EQ((*InferShapes(library_, "Conv", attrs, {PartialShape::Of({-1, 5, -1, 3}), PartialShape::Of({3, 2, 3, 4})}))[0], PartialShape::Of({-1, 3, -1, 4}));
  EXPECT_EQ((*InferShapes(library_, "Conv", attrs.With("batch_dims", int64_t{2}), {PartialShape::Of({7, -1, 5, 4, 3}), PartialShape::Of({3, 2, 3, 4})}))[0],
            PartialShape::Of({7, -1, 3, 3, 4}));
  EXPECT_EQ((*InferShapes(library_, "Conv", attrs, {unknown, unknown}))[0], PartialShape::UnknownOfRank(4));
  EXPECT_FALSE(InferShapes(library_, "Conv", attrs, {PartialShape::Of({1, 5, 4, 3}), PartialShape::Of({3, 2, 2, 4})}).ok());
}

}  // namespace
}  // namespace flowlatch
