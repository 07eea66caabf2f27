#include "runtime/checkpoint/tensor_slice.h"

#include <limits>
#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(TensorSliceTest, ParsesAndPrints) {
  for (const char* text : {"-", "0,5", "-:0,5:3,0", ""}) {
    const absl::StatusOr<TensorSlice> slice = TensorSlice::Parse(text);
    ASSERT_TRUE(slice.ok()) << slice.status();
    EXPECT_EQ(slice->ToString(), text);
  }
  for (const char* text : {"x", "1", "1,", "1,2,3", "-1,2", "1,-2", "1,2:z", "99999999999999999999,1"}) {
    EXPECT_EQ(TensorSlice::Parse(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(TensorSliceTest, ProtoRoundTripsAndIsChecked) {
  const TensorSlice slice = *TensorSlice::Parse("-:2,5");
  proto::TensorSliceProto proto;
  slice.ToProto(&proto);
  EXPECT_EQ(*TensorSlice::FromProto(proto), slice);
  proto.mutable_extent(1)->set_start(-1);
  EXPECT_FALSE(TensorSlice::FromProto(proto).ok());
  proto.mutable_extent(1)->set_start(1);
  proto.mutable_extent(1)->set_length(-5);
  EXPECT_FALSE(TensorSlice::FromProto(proto).ok());
}

TEST(TensorSliceTest, WithinFillsInLengthsAndChecks) {
  const Shape shape = Shape::Of({4, 10});
  EXPECT_EQ(TensorSlice::Parse("-:2,8")->Within(shape)->ToString(), "0,4:2,8");
  EXPECT_EQ(TensorSlice::Parse("4,0:-")->Within(shape)->ToString(), "4,0:0,10");
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  TensorSlice overflow;
  overflow.ranges = {{1, kMax}, {0, 1}};
  EXPECT_FALSE(overflow.Within(shape).ok());
  for (const char* text : {"-", "-:-:-", "-:2,9", "5,0:-"}) {
    EXPECT_EQ(TensorSlice::Parse(text)->Within(shape).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

TEST(TensorSliceTest, ShapeAndSlice) {
  EXPECT_FALSE(ParseShapeAndSlice("")->has_value());
  const ShapeAndSlice parsed = **ParseShapeAndSlice("4 10 -:2,3");
  EXPECT_EQ(parsed.shape, Shape::Of({4, 10}));
  EXPECT_EQ(ShapeOfSlice(parsed.slice), Shape::Of({4, 3}));
  for (const char* text :
       {"4 10", "4 x -:-", "-4 10 -:-", "4 10 -:8,3", "4  10 -:-", "3000000000 3000000000 3000000000 -:-:-"}) {
    EXPECT_EQ(ParseShapeAndSlice(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

// As TensorFlow encodes them.
TEST(TensorSliceTest, Keys) {
  using S = std::string;
  EXPECT_EQ(SliceKey("a", *TensorSlice::Parse("-:-")), S("\x00"
                                                         "a\x00\x01\x01\x02\x80\x7f\x80\x7f",
                                                         10));
  EXPECT_EQ(SliceKey("", {}), S("\x00\x00\x01\x00", 4));
  EXPECT_EQ(SliceKey("col", *TensorSlice::Parse("-:150,150")), S("\x00"
                                                                 "col\x00\x01\x01\x02\x80\x7f\xc0\x96\xc0\x96",
                                                                 14));
  EXPECT_EQ(SliceKey(S("\x00\xff", 2), *TensorSlice::Parse("63,64")),
            S("\x00\x00\xff\xff\x00\x00\x01\x01\x01\xbf\xc0\x40", 12));
  TensorSlice large;
  large.ranges = {{int64_t{1} << 40, std::numeric_limits<int64_t>::max()}};
  EXPECT_EQ(SliceKey("x", large),
            S("\x00x\x00\x01\x01\x01\xfd\x00\x00\x00\x00\x00\xff\xc0\x7f\xff\xff\xff\xff\xff\xff\xff", 22));
}

Tensor Iota(const Shape& shape) {
  Tensor t = *Tensor::Make(DType::kInt32, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) t.mutable_data<int32_t>()[i] = static_cast<int32_t>(i);
  return t;
}

TEST(TensorSliceTest, CopiesWhatSlicesHaveInCommon) {
  const Shape shape = Shape::Of({4, 5, 3});
  const Tensor whole = Iota(shape);
  const TensorSlice all = *TensorSlice::Whole(3).Within(shape);
  for (const char* text : {"0,4:0,5:0,3", "1,2:2,2:1,1", "3,1:0,5:0,3", "0,4:4,1:2,1", "2,0:0,5:0,3"}) {
    const TensorSlice slice = *TensorSlice::Parse(text)->Within(shape);
    Tensor part = *Tensor::Zeros(DType::kInt32, ShapeOfSlice(slice));
    EXPECT_EQ(CopyCommonElements(all, whole, slice, part), part.num_elements()) << text;
    const auto& r = slice.ranges;
    int64_t at = 0;
    for (int64_t i = r[0].start; i < r[0].start + r[0].length; ++i) {
      for (int64_t j = r[1].start; j < r[1].start + r[1].length; ++j) {
        for (int64_t k = r[2].start; k < r[2].start + r[2].length; ++k) {
          EXPECT_EQ(part.data<int32_t>()[at++], (i * 5 + j) * 3 + k) << text;
        }
      }
    }
    // And back into a tensor of zeros.
    Tensor back = *Tensor::Zeros(DType::kInt32, shape);
    EXPECT_EQ(CopyCommonElements(slice, part, all, back), part.num_elements());
    for (int64_t i = 0; i < back.num_elements(); ++i) {
      EXPECT_TRUE(back.data<int32_t>()[i] == 0 || back.data<int32_t>()[i] == i) << text;
    }
  }
}

TEST(TensorSliceTest, ScalarsAndStrings) {
  Tensor to = Tensor::Scalar(0);
  EXPECT_EQ(CopyCommonElements({}, Tensor::Scalar(7), {}, to), 1);
  EXPECT_EQ(to.scalar<int32_t>(), 7);
  const Tensor words = Tensor::Vector<String>({String("a"), String("b"), String("c")});
  Tensor last = *Tensor::Make(DType::kString, Shape::Of({2}));
  EXPECT_EQ(CopyCommonElements(*TensorSlice::Parse("0,3"), words, *TensorSlice::Parse("1,2"), last), 2);
  EXPECT_EQ(last.data<String>()[1].view(), "c");
}

}  // namespace
}  // namespace flowlatch
