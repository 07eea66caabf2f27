#include "ops/string_join_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class StringJoinOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterStringJoinOps(library_).ok()); }
  OpTester Reduce(bool keep_dims = false, const char* separator = "") {
    return OpTester(library_, "ReduceJoin", {{"keep_dims", keep_dims}, {"separator", separator}});
  }

  OpLibrary library_;
  const Tensor strings_ = Strings({2, 3}, {"a", "b", "c", "d", "e", "f"});
};

TEST_F(StringJoinOpsTest, Reduce) {
  const struct {
    Tensor axes;
    bool keep_dims;
    const char* separator;
    Tensor want;
  } cases[] = {
      {Ints({1}, {0}), false, "", Strings({3}, {"ad", "be", "cf"})},
      {Tensor::Scalar(-1), false, ".", Strings({2}, {"a.b.c", "d.e.f"})},
      {Tensor::Scalar(1), true, "", Strings({2, 1}, {"abc", "def"})},
      {Ints({2}, {0, 1}), false, "-", Tensor::Scalar("a-d-b-e-c-f")},
      {Ints({2}, {1, 0}), true, "", Strings({1, 1}, {"abcdef"})},
      {Ints({0}, {}), false, "-", strings_},
      {Ints({1, 1}, {0}), false, "", Strings({3}, {"ad", "be", "cf"})},
  };
  for (const auto& [axes, keep_dims, separator, want] : cases) {
    SCOPED_TRACE(axes.DebugString());
    OpTester op = Reduce(keep_dims, separator);
    ExpectOutput(op, {strings_, axes}, want);
  }
  OpTester op = Reduce();
  ExpectOutput(op, {Strings({2, 0}, {}), Tensor::Scalar(1)}, Strings({2}, {"", ""}));
  ExpectOutput(op, {Strings({2, 0}, {}), Tensor::Scalar(0)}, Strings({0}, {}));
  ExpectOutput(op, {Tensor::Scalar("a"), Ints({0}, {})}, Tensor::Scalar("a"));
  ExpectOutput(op, {Strings({2, 2, 2}, {"0", "1", "2", "3", "4", "5", "6", "7"}), Ints({2}, {2, 0})}, Strings({2}, {"0145", "2367"}));
}

TEST_F(StringJoinOpsTest, ReduceErrorsAndShapes) {
  OpTester op = Reduce();
  ExpectInvalid(op, {strings_, Ints({2}, {1, -1})}, "reduction_indices: expected each dimension once, got -1 again");
  for (const int32_t axis : {2, -3}) {
    const absl::Status status = op.Run({strings_, Tensor::Scalar(axis)}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr("reduction_indices: expected values in [-2,2)"));
  }
  const Tensor one = Tensor::Scalar(1), far = Tensor::Scalar(5);
  const auto infer = [&](bool keep_dims, PartialShape input, const Tensor* axes) {
    const auto shapes = InferShapes(library_, "ReduceJoin", {{"keep_dims", keep_dims}}, {input, PartialShape()}, {nullptr, axes});
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  };
  EXPECT_EQ(infer(false, PartialShape::Of({-1, 3}), &one), "[?]");
  EXPECT_EQ(infer(true, PartialShape::Of({4, 3}), &one), "[4,1]");
  EXPECT_EQ(infer(true, PartialShape::Of({4, 3}), nullptr), "[?,?]");
  EXPECT_EQ(infer(false, PartialShape::Of({4, 3}), nullptr), "?");
  EXPECT_EQ(infer(false, PartialShape(), &one), "?");
  EXPECT_EQ(infer(false, PartialShape::Of({4, 3}), &far), "INVALID_ARGUMENT");
}

TEST_F(StringJoinOpsTest, Segments) {
  for (const DType ids : {DType::kInt32, DType::kInt64}) {
    OpTester op(library_, "UnsortedSegmentJoin", {{"Tindices", ids}, {"separator", ":"}});
    const auto numbers = [&](std::initializer_list<int64_t> dims, std::initializer_list<int32_t> values) {
      return ids == DType::kInt32 ? Ints(dims, values) : Of<int64_t, int32_t>(dims, values);
    };
    ExpectOutput(op, {Strings({4}, {"a", "b", "c", "d"}), numbers({4}, {1, 0, 1, 1}), Tensor::Scalar(3)}, Strings({3}, {"b", "a:c:d", ""}));
    ExpectOutput(op, {strings_, numbers({2}, {1, 1}), Tensor::Scalar(2)}, Strings({2, 3}, {"", "", "", "a:d", "b:e", "c:f"}));
    ExpectOutput(op, {strings_, numbers({2, 3}, {0, 1, 0, 1, 1, 1}), Tensor::Scalar(2)}, Strings({2}, {"a:c", "b:d:e:f"}));
    ExpectOutput(op, {Strings({0}, {}), numbers({0}, {}), Tensor::Scalar(1)}, Strings({1}, {""}));
    ExpectOutput(op, {Strings({0}, {}), numbers({0}, {}), Tensor::Scalar(0)}, Strings({0}, {}));
    ExpectInvalid(op, {Strings({1}, {"a"}), numbers({1}, {3}), Tensor::Scalar(3)}, "segment_ids[0]: expected a value in [0,3), got 3");
    ExpectInvalid(op, {Strings({1}, {"a"}), numbers({1}, {-1}), Tensor::Scalar(3)}, "segment_ids[0]: expected a value in [0,3), got -1");
    ExpectInvalid(op, {strings_, numbers({3}, {0, 0, 0}), Tensor::Scalar(3)}, "inputs' shape [2,3] begins with, got [3]");
    ExpectInvalid(op, {Tensor::Scalar("a"), numbers({}, {0}), Tensor::Scalar(3)}, "begins with, got []");
    ExpectInvalid(op, {Strings({1}, {"a"}), numbers({1}, {0}), Tensor::Scalar(-1)}, "num_segments: expected no negative value, got -1");
    ExpectInvalid(op, {Strings({1}, {"a"}), numbers({1}, {0}), Ints({1}, {1})}, "num_segments");
  }
  const Tensor three = Tensor::Scalar(3);
  const auto infer = [&](PartialShape input, PartialShape ids, const Tensor* segments) {
    return (*InferShapes(library_, "UnsortedSegmentJoin", {{"Tindices", DType::kInt32}}, {input, ids, PartialShape()}, {nullptr, nullptr, segments}))[0];
  };
  EXPECT_EQ(infer(PartialShape::Of({2, -1}), PartialShape::Of({2}), &three), PartialShape::Of({3, -1}));
  EXPECT_EQ(infer(PartialShape::Of({2, 4}), PartialShape::Of({2, -1}), nullptr), PartialShape::Of({-1}));
  EXPECT_EQ(infer(PartialShape::Of({2, 4}), PartialShape(), &three), PartialShape());
}

}  // namespace
}  // namespace flowlatch
