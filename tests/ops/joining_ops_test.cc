#include "ops/joining_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr const char* kLong = "a string that is not small";

class JoiningOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterJoiningOps(library_).ok()); }
  OpTester ConcatV2(int64_t n, DType dtype = DType::kInt32, DType index = DType::kInt32) {
    return OpTester(library_, "ConcatV2", {{"N", n}, {"T", dtype}, {"Tidx", index}});
  }
  OpTester Pack(int64_t n, int64_t axis, DType dtype = DType::kInt32) {
    return OpTester(library_, "Pack", {{"N", n}, {"T", dtype}, {"axis", axis}});
  }
  OpTester Unpack(int64_t num, int64_t axis, DType dtype = DType::kInt32) {
    return OpTester(library_, "Unpack", {{"num", num}, {"T", dtype}, {"axis", axis}});
  }
  OpTester Split(int64_t n, DType dtype = DType::kInt32) {
    return OpTester(library_, "Split", {{"num_split", n}, {"T", dtype}});
  }
  OpTester SplitV(int64_t n, DType index = DType::kInt32, DType dtype = DType::kInt32) {
    return OpTester(library_, "SplitV", {{"num_split", n}, {"T", dtype}, {"Tlen", index}});
  }
  absl::StatusOr<std::vector<PartialShape>> Infer(const std::string& op, const AttrMap& attrs,
                                                  const std::vector<PartialShape>& inputs,
                                                  const std::vector<const Tensor*>& constants = {}) {
    return InferShapes(library_, op, attrs, inputs, constants);
  }

  OpLibrary library_;
};

TEST_F(JoiningOpsTest, Concat) {
  const Tensor x = Ints({2, 1}, {1, 2}), y = Ints({2, 2}, {3, 4, 5, 6});
  OpTester two = ConcatV2(2);
  ExpectOutput(two, {x, y, Tensor::Scalar(1)}, Ints({2, 3}, {1, 3, 4, 2, 5, 6}));
  ExpectOutput(two, {x, y, Tensor::Scalar(-1)}, Ints({2, 3}, {1, 3, 4, 2, 5, 6}));
  ExpectOutput(two, {y, y, Ints({1}, {0})}, Ints({4, 2}, {3, 4, 5, 6, 3, 4, 5, 6}));
  ExpectOutput(two, {Ints({2, 0}, {}), y, Tensor::Scalar(1)}, y);
  ExpectOutput(two, {Ints({0, 2}, {}), Ints({0, 2}, {}), Tensor::Scalar(1)}, Ints({0, 4}, {}));
  OpTester three = ConcatV2(3, DType::kInt32, DType::kInt64);
  ExpectOutput(three, {x, Ints({2, 0}, {}), y, Tensor::Scalar(int64_t{1})}, Ints({2, 3}, {1, 3, 4, 2, 5, 6}));
  OpTester strings = ConcatV2(2, DType::kString);
  ExpectOutput(strings, {Strings({1, 1}, {"a"}), Strings({1, 2}, {kLong, "c"}), Tensor::Scalar(1)},
               Strings({1, 3}, {"a", kLong, "c"}));
  OpTester bytes = ConcatV2(2, DType::kInt8);
  ExpectOutput(bytes, {Of<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6}), Of<int8_t>({2, 1}, {7, 8}), Tensor::Scalar(1)},
               Of<int8_t>({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8}));
  OpTester old(library_, "Concat", {{"N", 2}, {"T", DType::kInt32}});
  ExpectOutput(old, {Tensor::Scalar(1), x, y}, Ints({2, 3}, {1, 3, 4, 2, 5, 6}));
}

// Chunks of every length that is copied in its own way, and more elements than one thread takes.
TEST_F(JoiningOpsTest, ConcatAndSplitOfManyLengths) {
  for (const int64_t inner : {1, 2, 3, 4, 5, 7, 40}) {
    SCOPED_TRACE(inner);
    const int64_t rows = 60000 / inner;
    absl::StatusOr<Tensor> x = Tensor::Make(DType::kUInt8, {rows, inner});
    absl::StatusOr<Tensor> y = Tensor::Make(DType::kUInt8, {rows, 2 * inner});
    ASSERT_TRUE(x.ok() && y.ok());
    for (int64_t i = 0; i < x->num_elements(); ++i) x->mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i * 7);
    for (int64_t i = 0; i < y->num_elements(); ++i) y->mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i * 11 + 1);
    OpTester concat = ConcatV2(2, DType::kUInt8);
    const Tensor joined = concat.Run({*x, *y, Tensor::Scalar(1)}).value()[0];
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < 3 * inner; ++k) {
        const uint8_t want =
            k < inner ? x->data<uint8_t>()[r * inner + k] : y->data<uint8_t>()[r * 2 * inner + k - inner];
        ASSERT_EQ(joined.data<uint8_t>()[r * 3 * inner + k], want);
      }
    }
    OpTester split = SplitV(2, DType::kInt64, DType::kUInt8);
    ExpectOutputs(split, {joined, Longs({2}, {inner, -1}), Tensor::Scalar(1)}, {*x, *y});
  }
}

TEST_F(JoiningOpsTest, ConcatErrors) {
  const Tensor x = Ints({2, 1}, {1, 2});
  OpTester two = ConcatV2(2);
  ExpectInvalid(two, {x, x, Tensor::Scalar(2)}, "axis: expected a value in [-2,2), got 2");
  ExpectInvalid(two, {x, Ints({3, 1}, {1, 2, 3}), Tensor::Scalar(1)},
                "shape of values[1]: expected [2,1] but for dimension 1, got [3,1]");
  ExpectInvalid(two, {x, Ints({2}, {1, 2}), Tensor::Scalar(0)}, "shape of values[1]");
  ExpectInvalid(two, {Ints({0}, {}), x, Tensor::Scalar(0)}, "shape of values[1]");
  ExpectInvalid(two, {Tensor::Scalar(1), Tensor::Scalar(1), Tensor::Scalar(0)}, "got a scalar");
  ExpectInvalid(two, {x, x, Ints({2}, {0, 0})}, "axis: expected one value, got shape [2]");
}

TEST_F(JoiningOpsTest, ConcatShapes) {
  const AttrMap attrs = {{"N", 2}, {"T", DType::kInt32}, {"Tidx", DType::kInt32}};
  const Tensor one = Tensor::Scalar(1), three = Tensor::Scalar(3);
  const PartialShape scalar = PartialShape::Of({}), unknown;
  const auto infer = [&](const PartialShape& x, const PartialShape& y, const Tensor* axis) {
    return Infer("ConcatV2", attrs, {x, y, scalar}, {nullptr, nullptr, axis});
  };
  EXPECT_EQ(infer(PartialShape::Of({2, 3}), PartialShape::Of({-1, 4}), &one).value()[0], PartialShape::Of({2, 7}));
  EXPECT_EQ(infer(PartialShape::Of({2, -1}), PartialShape::Of({-1, 4}), &one).value()[0], PartialShape::Of({2, -1}));
  EXPECT_EQ(infer(PartialShape::Of({2, 3}), unknown, &one).value()[0], PartialShape::Of({2, -1}));
  EXPECT_EQ(infer(unknown, PartialShape::Of({2, 3}), nullptr).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(infer(unknown, unknown, &one).value()[0], unknown);
  ExpectInvalid(infer(PartialShape::Of({2, 3}), PartialShape::Of({3, 3}), &one).status(), "expected to agree");
  ExpectInvalid(infer(PartialShape::Of({2, 3}), PartialShape::Of({3}), nullptr).status(), "expected rank 2");
  ExpectInvalid(infer(scalar, scalar, &one).status(), "expected rank >= 1");
  ExpectInvalid(infer(PartialShape::Of({2, 3}), unknown, &three).status(), "axis");
}

TEST_F(JoiningOpsTest, ParallelConcat) {
  const auto attrs = [](int64_t n, const PartialShape& shape) {
    return AttrMap{{"N", n}, {"T", DType::kInt32}, {"shape", shape}};
  };
  const auto concat = [&](int64_t n, const PartialShape& shape) {
    return OpTester(library_, "ParallelConcat", attrs(n, shape));
  };
  const Tensor x = Ints({1, 2}, {1, 2}), y = Ints({1, 2}, {3, 4});
  OpTester two = concat(2, PartialShape::Of({2, 2})), one = concat(1, PartialShape::Of({1, 2}));
  ExpectOutput(two, {x, y}, Ints({2, 2}, {1, 2, 3, 4}));
  ExpectOutput(one, {x}, x);
  OpTester empty = concat(2, PartialShape::Of({2, 0}));
  ExpectOutput(empty, {Ints({1, 0}, {}), Ints({1, 0}, {})}, Ints({2, 0}, {}));
  ExpectInvalid(two, {x, Ints({2, 2}, {1, 2, 3, 4})}, "values[1]: expected shape [1,2], got [2,2]");
  for (const PartialShape& bad :
       {PartialShape(), PartialShape::Of({}), PartialShape::Of({-1, 2}), PartialShape::Of({3, 2})}) {
    OpTester tester = concat(2, bad);
    ExpectInvalid(tester, {x, y}, "expected a complete shape that begins with 2, got " + bad.ToString());
  }
  const PartialShape unknown;
  EXPECT_EQ(
      Infer("ParallelConcat", attrs(2, PartialShape::Of({2, 5})), {unknown, PartialShape::Of({1, -1})}).value()[0],
      PartialShape::Of({2, 5}));
  ExpectInvalid(
      Infer("ParallelConcat", attrs(2, PartialShape::Of({2, 5})), {unknown, PartialShape::Of({2, 5})}).status(),
      "expected to agree");
}

TEST_F(JoiningOpsTest, Pack) {
  const Tensor x = Ints({2}, {1, 2}), y = Ints({2}, {3, 4});
  OpTester front = Pack(2, 0), back = Pack(2, -1), one = Pack(1, 1), three = Pack(3, 0);
  ExpectOutput(front, {x, y}, Ints({2, 2}, {1, 2, 3, 4}));
  ExpectOutput(back, {x, y}, Ints({2, 2}, {1, 3, 2, 4}));
  ExpectOutput(one, {x}, Ints({2, 1}, {1, 2}));
  ExpectOutput(three, {Tensor::Scalar(5), Tensor::Scalar(6), Tensor::Scalar(7)}, Ints({3}, {5, 6, 7}));
  ExpectOutput(back, {Ints({0}, {}), Ints({0}, {})}, Ints({0, 2}, {}));
  OpTester strings = Pack(2, 0, DType::kString), one_string = Pack(1, 0, DType::kString);
  ExpectOutput(strings, {Tensor::Scalar("a"), Tensor::Scalar(kLong)}, Strings({2}, {"a", kLong}));
  ExpectOutput(one_string, {Tensor::Scalar(kLong)}, Strings({1}, {kLong}));
  ExpectInvalid(front, {x, Ints({3}, {1, 2, 3})}, "values[1]: expected the shape of values[0], [2], got [3]");
  OpTester beyond = Pack(2, 2);
  ExpectInvalid(beyond, {x, y}, "axis: expected a value in [-2,2), got 2");
  const AttrMap attrs = {{"N", 2}, {"T", DType::kInt32}, {"axis", -1}};
  EXPECT_EQ(Infer("Pack", attrs, {PartialShape::Of({2, -1}), PartialShape::Of({-1, 3})}).value()[0],
            PartialShape::Of({2, 3, 2}));
  EXPECT_EQ(Infer("Pack", attrs, {PartialShape(), PartialShape()}).value()[0], PartialShape());
  ExpectInvalid(Infer("Pack", attrs, {PartialShape::Of({2}), PartialShape::Of({3})}).status(), "expected to agree");
}

TEST_F(JoiningOpsTest, Unpack) {
  const Tensor x = Ints({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTester front = Unpack(2, 0), back = Unpack(3, -1), beyond = Unpack(2, 2), none = Unpack(0, 0);
  ExpectOutputs(front, {x}, {Ints({3}, {1, 2, 3}), Ints({3}, {4, 5, 6})});
  EXPECT_TRUE(front.Run({x}).value()[1].SharesBufferWith(x));
  ExpectOutputs(back, {x}, {Ints({2}, {1, 4}), Ints({2}, {2, 5}), Ints({2}, {3, 6})});
  ExpectOutputs(front, {Ints({2}, {8, 9})}, {Tensor::Scalar(8), Tensor::Scalar(9)});
  ExpectOutputs(front, {Ints({2, 0}, {})}, {Ints({0}, {}), Ints({0}, {})});
  ExpectOutputs(none, {Ints({0, 3}, {})}, {});
  OpTester strings = Unpack(2, 0, DType::kString);
  ExpectOutputs(strings, {Strings({2}, {kLong, "b"})}, {Tensor::Scalar(kLong), Tensor::Scalar("b")});
  ExpectInvalid(front, {Ints({3}, {1, 2, 3})}, "dimension 0 of value of shape [3]: expected 2, got 3");
  ExpectInvalid(beyond, {x}, "axis: expected a value in [-2,2), got 2");
  ExpectInvalid(front, {Tensor::Scalar(1)}, "axis: expected a value in [0,0), got 0");
  const AttrMap attrs = {{"num", 2}, {"T", DType::kInt32}, {"axis", 0}};
  EXPECT_EQ(Infer("Unpack", attrs, {PartialShape::Of({-1, 3})}).value()[1], PartialShape::Of({3}));
  EXPECT_EQ(Infer("Unpack", attrs, {PartialShape()}).value()[1], PartialShape());
  ExpectInvalid(Infer("Unpack", attrs, {PartialShape::Of({3, 3})}).status(), "expected 2, got 3");
}

TEST_F(JoiningOpsTest, Split) {
  const Tensor x = Ints({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  OpTester one = Split(1), two = Split(2), three = Split(3);
  ExpectOutputs(two, {Tensor::Scalar(1), x}, {Ints({2, 2}, {1, 2, 5, 6}), Ints({2, 2}, {3, 4, 7, 8})});
  ExpectOutputs(two, {Tensor::Scalar(-2), x}, {Ints({1, 4}, {1, 2, 3, 4}), Ints({1, 4}, {5, 6, 7, 8})});
  EXPECT_TRUE(two.Run({Tensor::Scalar(0), x}).value()[1].SharesBufferWith(x));
  ExpectOutputs(one, {Tensor::Scalar(1), x}, {x});
  ExpectOutputs(two, {Tensor::Scalar(0), Ints({0, 4}, {})}, {Ints({0, 4}, {}), Ints({0, 4}, {})});
  ExpectOutputs(two, {Tensor::Scalar(1), Ints({0, 4}, {})}, {Ints({0, 2}, {}), Ints({0, 2}, {})});
  ExpectInvalid(three, {Tensor::Scalar(1), x}, "expected a multiple of num_split 3, got 4");
  ExpectInvalid(two, {Tensor::Scalar(2), x}, "split_dim: expected a value in [-2,2), got 2");
  ExpectInvalid(two, {Ints({1}, {0}), x}, "split_dim: expected a scalar, got shape [1]");
  ExpectInvalid(one, {Tensor::Scalar(0), Tensor::Scalar(1)}, "split_dim");
  const AttrMap attrs = {{"num_split", 2}, {"T", DType::kInt32}};
  const Tensor axis = Tensor::Scalar(1);
  const PartialShape scalar = PartialShape::Of({});
  EXPECT_EQ(Infer("Split", attrs, {scalar, PartialShape::Of({-1, 4})}, {&axis}).value()[1], PartialShape::Of({-1, 2}));
  EXPECT_EQ(Infer("Split", attrs, {scalar, PartialShape::Of({4, -1})}, {&axis}).value()[1], PartialShape::Of({4, -1}));
  EXPECT_EQ(Infer("Split", attrs, {scalar, PartialShape::Of({4, 4})}).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Split", attrs, {scalar, PartialShape()}, {&axis}).value()[0], PartialShape());
  ExpectInvalid(Infer("Split", attrs, {scalar, PartialShape::Of({4, 3})}, {&axis}).status(), "expected a multiple");
}

TEST_F(JoiningOpsTest, SplitV) {
  const Tensor x = Ints({4}, {1, 2, 3, 4});
  const Tensor axis = Tensor::Scalar(0);
  OpTester two = SplitV(2), three = SplitV(3), one = SplitV(1);
  ExpectOutputs(two, {x, Ints({2}, {1, 3}), axis}, {Ints({1}, {1}), Ints({3}, {2, 3, 4})});
  ExpectOutputs(two, {x, Ints({2}, {-1, 1}), axis}, {Ints({3}, {1, 2, 3}), Ints({1}, {4})});
  ExpectOutputs(two, {x, Ints({2}, {4, -1}), axis}, {x, Ints({0}, {})});
  ExpectOutputs(one, {x, Ints({1}, {4}), axis}, {x});
  ExpectOutputs(three, {Ints({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), Ints({3}, {1, 0, 3}), Tensor::Scalar(-1)},
                {Ints({2, 1}, {1, 5}), Ints({2, 0}, {}), Ints({2, 3}, {2, 3, 4, 6, 7, 8})});
  OpTester bytes = SplitV(2, DType::kInt8), longs = SplitV(2, DType::kInt64);
  ExpectOutputs(bytes, {x, Of<int8_t>({2}, {2, 2}), axis}, {Ints({2}, {1, 2}), Ints({2}, {3, 4})});
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ExpectInvalid(longs, {x, Longs({2}, {kMax, kMax}), axis}, "size_splits: expected sizes and at most one -1");
  ExpectInvalid(two, {x, Ints({2}, {-1, -1}), axis}, "at most one -1");
  ExpectInvalid(two, {x, Ints({2}, {6, -2}), axis}, "got -2");
  ExpectInvalid(two, {x, Ints({2}, {1, 2}), axis}, "sum of size_splits: expected 4, got 3");
  ExpectInvalid(two, {x, Ints({2}, {5, -1}), axis}, "expected at most 4, got 5");
  ExpectInvalid(two, {x, Ints({3}, {1, 1, 2}), axis}, "size_splits: expected 2 values, got 3");
  ExpectInvalid(two, {x, Ints({1, 2}, {1, 3}), axis}, "size_splits: expected a vector");
  ExpectInvalid(two, {x, Ints({2}, {1, 3}), Tensor::Scalar(1)}, "split_dim");
  const AttrMap attrs = {{"num_split", 2}, {"T", DType::kInt32}, {"Tlen", DType::kInt32}};
  const Tensor sizes = Ints({2}, {-1, 1});
  const PartialShape scalar = PartialShape::Of({}), vector = PartialShape::Of({2});
  EXPECT_EQ(Infer("SplitV", attrs, {PartialShape::Of({4, -1}), vector, scalar}, {nullptr, &sizes, &axis}).value()[0],
            PartialShape::Of({3, -1}));
  EXPECT_EQ(Infer("SplitV", attrs, {PartialShape::Of({-1}), vector, scalar}, {nullptr, &sizes, &axis}).value(),
            (std::vector<PartialShape>{PartialShape::Of({-1}), PartialShape::Of({1})}));
  EXPECT_EQ(Infer("SplitV", attrs, {PartialShape::Of({4, 5}), vector, scalar}, {nullptr, nullptr, &axis}).value()[0],
            PartialShape::Of({-1, 5}));
  ExpectInvalid(Infer("SplitV", attrs, {PartialShape(), PartialShape::Of({3}), scalar}).status(), "expected 2 values");
}

TEST_F(JoiningOpsTest, ConcatOffset) {
  OpTester offset(library_, "ConcatOffset", {{"N", 3}, {"shape_type", DType::kInt32}});
  ExpectOutputs(offset, {Tensor::Scalar(1), Ints({2}, {2, 1}), Ints({2}, {2, 3}), Ints({2}, {2, 5})},
                {Ints({2}, {0, 0}), Ints({2}, {0, 1}), Ints({2}, {0, 4})});
  ExpectOutputs(offset, {Tensor::Scalar(-1), Ints({1}, {2}), Ints({1}, {3}), Ints({1}, {0})},
                {Ints({1}, {0}), Ints({1}, {2}), Ints({1}, {5})});
  OpTester longs(library_, "ConcatOffset", {{"N", 2}, {"shape_type", DType::kInt64}});
  ExpectOutputs(longs, {Tensor::Scalar(0), Longs({1}, {int64_t{1} << 40}), Longs({1}, {3})},
                {Longs({1}, {0}), Longs({1}, {int64_t{1} << 40})});
  const Tensor a = Ints({2}, {2, 1}), b = Ints({2}, {2, 3});
  ExpectInvalid(offset, {Tensor::Scalar(0), a, b, b}, "shape[1]: expected [2,1] but for dimension 0, got [2,3]");
  ExpectInvalid(offset, {Tensor::Scalar(2), a, b, b}, "concat_dim: expected a value in [-2,2), got 2");
  ExpectInvalid(offset, {Tensor::Scalar(0), Ints({1}, {2}), b, b}, "shape[1]");
  ExpectInvalid(offset, {Tensor::Scalar(0), Tensor::Scalar(2), b, b}, "shape[0]: expected a vector");
  ExpectInvalid(offset, {Tensor::Scalar(0), Ints({0}, {}), Ints({0}, {}), Ints({0}, {})}, "concat_dim");
  const int32_t max = std::numeric_limits<int32_t>::max();
  ExpectInvalid(offset, {Tensor::Scalar(0), Ints({1}, {max}), Ints({1}, {max}), Ints({1}, {max})}, "fits int32");
  EXPECT_EQ(Infer("ConcatOffset", {{"N", 2}, {"shape_type", DType::kInt32}},
                  {PartialShape(), PartialShape(), PartialShape::Of({3})})
                .value()[0],
            PartialShape::Of({3}));
}

}  // namespace
}  // namespace flowlatch
