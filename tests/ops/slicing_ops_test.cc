#include "ops/slicing_ops.h"

#include <limits>
#include <numeric>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

// 0, 1, 2, .. in the given shape.
Tensor Count(std::initializer_list<int64_t> dims) {
  const Shape shape = Shape::Of(dims);
  std::vector<float> values(shape.num_elements());
  std::iota(values.begin(), values.end(), 0.0f);
  return *Tensor::FromValues<float>(shape, values);
}

struct Masks {
  int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink = 0;
};

AttrMap SliceAttrs(DType dtype, DType index, const Masks& m) {
  return {{"T", dtype},
          {"Index", index},
          {"begin_mask", m.begin},
          {"end_mask", m.end},
          {"ellipsis_mask", m.ellipsis},
          {"new_axis_mask", m.new_axis},
          {"shrink_axis_mask", m.shrink}};
}

class SlicingOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSlicingOps(library_).ok()); }
  OpTester Slice(DType dtype = DType::kFloat32, DType index = DType::kInt32) {
    return OpTester(library_, "Slice", {{"T", dtype}, {"Index", index}});
  }
  OpTester Strided(const Masks& masks = {}, DType dtype = DType::kFloat32, DType index = DType::kInt32) {
    return OpTester(library_, "StridedSlice", SliceAttrs(dtype, index, masks));
  }
  absl::StatusOr<std::vector<PartialShape>> Infer(const std::string& op, const AttrMap& attrs,
                                                  const std::vector<PartialShape>& inputs,
                                                  const std::vector<const Tensor*>& constants = {}) {
    return InferShapes(library_, op, attrs, inputs, constants);
  }

  OpLibrary library_;
};

TEST_F(SlicingOpsTest, Slice) {
  OpTester slice = Slice();
  const Tensor x = Count({2, 3});
  ExpectOutput(slice, {x, Ints({2}, {0, 1}), Ints({2}, {2, 2})}, Floats({2, 2}, {1, 2, 4, 5}));
  ExpectOutput(slice, {x, Ints({2}, {1, 0}), Ints({2}, {-1, -1})}, Floats({1, 3}, {3, 4, 5}));
  ExpectOutput(slice, {x, Ints({2}, {0, 3}), Ints({2}, {1, -1})}, Floats({1, 0}, {}));
  ExpectOutput(slice, {x, Ints({2}, {2, 0}), Ints({2}, {0, 3})}, Floats({0, 3}, {}));
  ExpectOutput(slice, {Tensor::Scalar(7.0f), Ints({0}, {}), Ints({0}, {})}, Tensor::Scalar(7.0f));
  ExpectOutput(slice, {Count({2, 2, 3}), Ints({3}, {1, 0, 1}), Ints({3}, {1, 2, 2})},
               Floats({1, 2, 2}, {7, 8, 10, 11}));
  OpTester strings = Slice(DType::kString, DType::kInt64);
  ExpectOutput(strings,
               {Strings({2, 2}, {"a", "a string that is not small", "c", "d"}), Longs({2}, {0, 1}), Longs({2}, {2, 1})},
               Strings({2, 1}, {"a string that is not small", "d"}));
}

TEST_F(SlicingOpsTest, SliceErrors) {
  OpTester slice = Slice();
  const Tensor x = Count({2, 3});
  ExpectInvalid(slice, {x, Ints({1}, {0}), Ints({1}, {1})}, "begin and size: expected 2 values each, got 1 and 1");
  ExpectInvalid(slice, {x, Ints({2}, {0, 0}), Ints({1}, {1})}, "got 2 and 1");
  ExpectInvalid(slice, {x, Ints({2, 1}, {0, 0}), Ints({2}, {1, 1})}, "begin: expected a vector, got shape [2,1]");
  ExpectInvalid(slice, {x, Ints({2}, {0, -1}), Ints({2}, {1, 1})}, "begin[1]: expected a value in [0,3], got -1");
  ExpectInvalid(slice, {x, Ints({2}, {3, 0}), Ints({2}, {0, 0})}, "begin[0]");
  ExpectInvalid(slice, {x, Ints({2}, {1, 0}), Ints({2}, {2, 1})}, "size[0]: expected -1 or a value in [0,1], got 2");
  ExpectInvalid(slice, {x, Ints({2}, {0, 0}), Ints({2}, {1, -2})}, "size[1]");
  OpTester longs = Slice(DType::kFloat32, DType::kInt64);
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ExpectInvalid(longs, {x, Longs({2}, {0, 1}), Longs({2}, {1, kMax})}, "size[1]");
  ExpectInvalid(longs, {x, Longs({2}, {kMax, 0}), Longs({2}, {1, 1})}, "begin[0]");
}

TEST_F(SlicingOpsTest, SliceShapes) {
  const AttrMap attrs = {{"T", DType::kFloat32}, {"Index", DType::kInt32}};
  const Tensor begin = Ints({2}, {1, 0});
  const Tensor size = Ints({2}, {2, -1});
  const PartialShape vector = PartialShape::Of({2});
  const PartialShape unknown;
  EXPECT_EQ(Infer("Slice", attrs, {PartialShape::Of({5, -1}), vector, vector}, {nullptr, &begin, &size}).value()[0],
            PartialShape::Of({2, -1}));
  EXPECT_EQ(Infer("Slice", attrs, {PartialShape::Of({5, 3}), vector, vector}, {nullptr, &begin, &size}).value()[0],
            PartialShape::Of({2, 3}));
  EXPECT_EQ(Infer("Slice", attrs, {PartialShape::Of({5, 3}), vector, vector}, {nullptr, nullptr, &size}).value()[0],
            PartialShape::Of({2, -1}));
  EXPECT_EQ(Infer("Slice", attrs, {unknown, vector, unknown}).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Slice", attrs, {unknown, unknown, unknown}).value()[0], unknown);
  ExpectInvalid(Infer("Slice", attrs, {PartialShape::Of({5}), vector, vector}).status(), "expected to agree");
  ExpectInvalid(Infer("Slice", attrs, {PartialShape::Of({2, 2}), vector, vector}, {nullptr, &begin, &size}).status(),
                "size[0]");
}

struct StridedCase {
  const char* name;
  Tensor input;
  std::vector<int32_t> begin, end, strides;
  Masks masks;
  Tensor want;
};

TEST_F(SlicingOpsTest, StridedSlice) {
  constexpr int32_t kLow = std::numeric_limits<int32_t>::min();
  constexpr int32_t kHigh = std::numeric_limits<int32_t>::max();
  const std::vector<StridedCase> cases = {
      {"x[1:4:2]", Count({5}), {1}, {4}, {2}, {}, Floats({2}, {1, 3})},
      {"x[1:4]", Count({5}), {1}, {4}, {1}, {}, Floats({3}, {1, 2, 3})},
      {"x[4:0:-2]", Count({5}), {4}, {0}, {-2}, {}, Floats({2}, {4, 2})},
      {"x[-9:9]", Count({3}), {-9}, {9}, {1}, {}, Floats({3}, {0, 1, 2})},
      {"x[9:-9:-1]", Count({3}), {9}, {-9}, {-1}, {}, Floats({3}, {2, 1, 0})},
      {"x[-2:]", Count({3}), {-2}, {0}, {1}, {.end = 1}, Floats({2}, {1, 2})},
      {"x[::-1]", Count({3}), {0}, {0}, {-1}, {.begin = 1, .end = 1}, Floats({3}, {2, 1, 0})},
      {"x[2:1]", Count({3}), {2}, {1}, {1}, {}, Floats({0}, {})},
      {"extreme positions", Count({3}), {kLow}, {kHigh}, {kHigh}, {}, Floats({1}, {0})},
      {"extreme stride", Count({3}), {kHigh}, {kLow}, {kLow}, {}, Floats({1}, {2})},
      {"x[3]", Count({5}), {3}, {4}, {1}, {.shrink = 1}, Tensor::Scalar(3.0f)},
      {"x[-1], masks of ranges do not matter",
       Count({5}),
       {-1},
       {0},
       {2},
       {.begin = 1, .end = 1, .shrink = 1},
       Tensor::Scalar(4.0f)},
      {"x[..., 1]",
       Count({2, 2, 2}),
       {0, 1},
       {0, 2},
       {1, 1},
       {.ellipsis = 1, .shrink = 2},
       Floats({2, 2}, {1, 3, 5, 7})},
      {"x[..., newaxis, 1:2]",
       Count({2, 3}),
       {0, 0, 1},
       {0, 0, 2},
       {1, 0, 1},
       {.ellipsis = 1, .new_axis = 2},
       Floats({2, 1, 1}, {1, 4})},
      {"an ellipsis that stands for nothing",
       Count({2}),
       {0, 0},
       {0, 1},
       {1, 1},
       {.ellipsis = 1, .new_axis = 1},
       Floats({1}, {0})},
      {"newaxis before shrink",
       Count({3}),
       {1, 0},
       {2, 2},
       {1, 1},
       {.new_axis = 1, .shrink = 1},
       Floats({1, 2}, {0, 1})},
      {"bits beyond the entries",
       Count({2, 2}),
       {1},
       {2},
       {1},
       {.begin = 8, .end = 4, .ellipsis = 2, .new_axis = 2, .shrink = 16},
       Floats({1, 2}, {2, 3})},
      {"nothing of a scalar", Count({}), {}, {}, {}, {}, Tensor::Scalar(0.0f)},
      {"newaxis of a scalar", Count({}), {0}, {0}, {1}, {.new_axis = 1}, Floats({1}, {0})},
      {"an empty dimension", Count({0, 2}), {0}, {1}, {-1}, {}, Floats({0, 2}, {})},
      {"rows, then columns backwards", Count({3, 3}), {1, 2}, {3, 0}, {1, -1}, {}, Floats({2, 2}, {5, 4, 8, 7})},
      {"every other row", Count({4, 2}), {0}, {4}, {2}, {}, Floats({2, 2}, {0, 1, 4, 5})},
      {"a plane", Count({2, 2, 2}), {1}, {2}, {1}, {.shrink = 1}, Floats({2, 2}, {4, 5, 6, 7})},
  };
  for (const StridedCase& c : cases) {
    SCOPED_TRACE(c.name);
    OpTester strided = Strided(c.masks);
    const auto vector = [](const std::vector<int32_t>& values) { return Tensor::Vector<int32_t>(values); };
    ExpectOutput(strided, {c.input, vector(c.begin), vector(c.end), vector(c.strides)}, c.want);
  }
}

TEST_F(SlicingOpsTest, StridedSliceOfOtherDTypes) {
  OpTester strings = Strided({}, DType::kString, DType::kInt64);
  ExpectOutput(
      strings,
      {Strings({3}, {"a", "b", "a string that is not small"}), Longs({1}, {2}), Longs({1}, {0}), Longs({1}, {-1})},
      Strings({2}, {"a string that is not small", "b"}));
  OpTester bytes = Strided({}, DType::kUInt8, DType::kInt16);
  ExpectOutput(bytes,
               {Of<uint8_t>({3}, {1, 2, 3}), Of<int16_t>({1}, {0}), Of<int16_t>({1}, {3}), Of<int16_t>({1}, {2})},
               Of<uint8_t>({2}, {1, 3}));
  using C = std::complex<double>;
  OpTester complex = Strided({.shrink = 1}, DType::kComplex128);
  ExpectOutput(complex, {Of<C>({2}, {C(1, 2), C(3, 4)}), Ints({1}, {1}), Ints({1}, {2}), Ints({1}, {1})},
               Tensor::Scalar(C(3, 4)));
  const Variant variant;
  OpTester variants = Strided({}, DType::kVariant);
  ExpectOutput(variants, {Of<Variant>({2}, {variant, variant}), Ints({1}, {0}), Ints({1}, {2}), Ints({1}, {2})},
               Of<Variant>({1}, {variant}));
}

TEST_F(SlicingOpsTest, WholeRowsShareMemory) {
  const Tensor x = Count({4, 2});
  OpTester strided = Strided();
  const Tensor rows = strided.Run({x, Ints({1}, {1}), Ints({1}, {3}), Ints({1}, {1})}).value()[0];
  EXPECT_TRUE(rows.SharesBufferWith(x));
  OpTester slice = Slice();
  EXPECT_TRUE(slice.Run({x, Ints({2}, {1, 0}), Ints({2}, {2, 2})}).value()[0].SharesBufferWith(x));
  EXPECT_FALSE(slice.Run({x, Ints({2}, {1, 0}), Ints({2}, {2, 1})}).value()[0].SharesBufferWith(x));
}

TEST_F(SlicingOpsTest, LargeSlicesAreWholeWithManyThreads) {
  const Tensor x = Count({300, 7, 101});
  OpTester strided = Strided();
  const Tensor y = strided.Run({x, Ints({3}, {299, 1, 100}), Ints({3}, {0, 6, 2}), Ints({3}, {-2, 2, -3})}).value()[0];
  ASSERT_EQ(y.ShapeString(), "[150,3,33]");
  const float* at = y.data<float>();
  for (int i = 299; i > 0; i -= 2) {
    for (int j = 1; j < 6; j += 2) {
      for (int k = 100; k > 2; k -= 3) ASSERT_EQ(*at++, static_cast<float>((i * 7 + j) * 101 + k));
    }
  }
}

TEST_F(SlicingOpsTest, StridedSliceErrors) {
  const Tensor x = Count({5});
  const Tensor zero = Ints({1}, {0}), one = Ints({1}, {1}), two = Ints({1}, {2});
  OpTester plain = Strided();
  ExpectInvalid(plain, {x, zero, one, zero}, "strides[0]: expected a value other than 0");
  ExpectInvalid(plain, {x, Ints({2}, {0, 0}), Ints({2}, {1, 1}), Ints({2}, {1, 1})},
                "expected at most 1 ranges and indices, got 2");
  ExpectInvalid(plain, {x, zero, Ints({2}, {1, 1}), one},
                "expected vectors of one length, got shapes [1], [2] and [1]");
  ExpectInvalid(plain, {x, Ints({}, {0}), Ints({}, {1}), Ints({}, {1})}, "expected vectors of one length");
  OpTester index = Strided({.shrink = 1});
  ExpectInvalid(index, {x, Ints({1}, {5}), one, one}, "slice index of dimension 0: expected a value in [-5,5), got 5");
  ExpectInvalid(index, {x, Ints({1}, {-6}), one, one}, "got -6");
  ExpectInvalid(index, {x, two, one, Ints({1}, {-1})}, "stride of the index of dimension 0: expected 1, got -1");
  ExpectInvalid(index, {Count({0, 2}), zero, one, one}, "slice index of dimension 0");
  OpTester ellipses = Strided({.ellipsis = 3});
  ExpectInvalid(ellipses, {x, Ints({2}, {0, 0}), Ints({2}, {1, 1}), Ints({2}, {1, 1})}, "ellipses of a slice");
}

TEST_F(SlicingOpsTest, StridedSliceShapes) {
  const Tensor begin = Ints({2}, {1, 0}), end = Ints({2}, {3, 2}), strides = Ints({2}, {1, 1});
  const PartialShape vector = PartialShape::Of({2});
  const PartialShape unknown;
  const auto infer = [&](const Masks& masks, const PartialShape& input, const std::vector<const Tensor*>& constants) {
    return Infer("StridedSlice", SliceAttrs(DType::kFloat32, DType::kInt32, masks), {input, vector, vector, vector},
                 constants);
  };
  const std::vector<const Tensor*> all = {nullptr, &begin, &end, &strides};
  EXPECT_EQ(infer({}, PartialShape::Of({5, 5, 5}), all).value()[0], PartialShape::Of({2, 2, 5}));
  EXPECT_EQ(infer({}, PartialShape::Of({-1, 5, -1}), all).value()[0], PartialShape::Of({-1, 2, -1}));
  EXPECT_EQ(infer({.new_axis = 1, .shrink = 2}, PartialShape::Of({-1, 5}), all).value()[0], PartialShape::Of({1, 5}));
  EXPECT_EQ(infer({}, unknown, all).value()[0], unknown);
  EXPECT_EQ(infer({.shrink = 1}, PartialShape::Of({5, 6, 7}), {}).value()[0], PartialShape::Of({-1, 7}));
  EXPECT_EQ(infer({.begin = 2, .end = 2}, PartialShape::Of({5, 6}), {nullptr, nullptr, nullptr, &strides}).value()[0],
            PartialShape::Of({-1, 6}));
  ExpectInvalid(infer({}, PartialShape::Of({5}), {}).status(), "expected at most 1 ranges");
  ExpectInvalid(infer({.shrink = 1}, PartialShape::Of({1, 5}), all).status(), "slice index of dimension 0");
}

TEST_F(SlicingOpsTest, StridedSliceGrad) {
  const auto grad = [&](const Masks& masks, DType dtype = DType::kFloat32) {
    return OpTester(library_, "StridedSliceGrad", SliceAttrs(dtype, DType::kInt32, masks));
  };
  OpTester plain = grad({});
  ExpectOutput(plain, {Ints({1}, {5}), Ints({1}, {1}), Ints({1}, {4}), Ints({1}, {2}), Floats({2}, {7, 8})},
               Floats({5}, {0, 7, 0, 8, 0}));
  ExpectOutput(plain,
               {Ints({2}, {2, 2}), Ints({2}, {1, 1}), Ints({2}, {-9, 2}), Ints({2}, {-1, 1}), Floats({2, 1}, {7, 8})},
               Floats({2, 2}, {0, 8, 0, 7}));
  ExpectOutput(plain, {Ints({1}, {2}), Ints({1}, {2}), Ints({1}, {2}), Ints({1}, {1}), Floats({0}, {})},
               Floats({2}, {0, 0}));
  OpTester index = grad({.shrink = 1});
  ExpectOutput(index, {Ints({1}, {3}), Ints({1}, {1}), Ints({1}, {2}), Ints({1}, {1}), Tensor::Scalar(7.0f)},
               Floats({3}, {0, 7, 0}));
  OpTester strings = grad({}, DType::kString);
  ExpectOutput(strings, {Ints({1}, {3}), Ints({1}, {1}), Ints({1}, {2}), Ints({1}, {1}), Strings({1}, {"a"})},
               Strings({3}, {"", "a", ""}));
  ExpectInvalid(plain, {Ints({1}, {5}), Ints({1}, {1}), Ints({1}, {4}), Ints({1}, {2}), Floats({3}, {7, 8, 9})},
                "dy: expected shape [2], got [3]");
  ExpectInvalid(plain, {Ints({1}, {-5}), Ints({1}, {1}), Ints({1}, {4}), Ints({1}, {2}), Floats({2}, {7, 8})},
                "got -5");
  const Tensor shape = Ints({2}, {4, 5});
  const PartialShape vector = PartialShape::Of({2});
  EXPECT_EQ(Infer("StridedSliceGrad", SliceAttrs(DType::kFloat32, DType::kInt32, {}),
                  {vector, vector, vector, vector, PartialShape()}, {&shape})
                .value()[0],
            PartialShape::Of({4, 5}));
}

TEST_F(SlicingOpsTest, TensorStridedSliceUpdate) {
  const auto update = [&](const Masks& masks) {
    return OpTester(library_, "TensorStridedSliceUpdate", SliceAttrs(DType::kFloat32, DType::kInt32, masks));
  };
  OpTester plain = update({});
  const Tensor x = Count({5}), begin = Ints({1}, {1}), end = Ints({1}, {4}), stride = Ints({1}, {2});
  ExpectOutput(plain, {x, begin, end, stride, Floats({2}, {7, 8})}, Floats({5}, {0, 7, 2, 8, 4}));
  ExpectOutput(plain, {x, begin, end, stride, Tensor::Scalar(9.0f)}, Floats({5}, {0, 9, 2, 9, 4}));
  ExpectOutput(plain, {x, begin, end, stride, Floats({1, 2}, {7, 8})}, Floats({5}, {0, 7, 2, 8, 4}));
  OpTester row = update({.shrink = 1});
  ExpectOutput(row, {Count({2, 2}), begin, end, Ints({1}, {1}), Floats({2}, {7, 8})}, Floats({2, 2}, {0, 1, 7, 8}));
  EXPECT_EQ(Difference(x, Count({5})), "");  // the input itself is not written to
  ExpectInvalid(plain, {x, begin, end, stride, Floats({3}, {7, 8, 9})},
                "value: expected a shape that broadcasts to [2], got [3]");
  ExpectInvalid(plain, {x, begin, end, stride, Floats({2, 2}, {7, 8, 9, 9})}, "value: expected a shape");
}

TEST_F(SlicingOpsTest, ReverseV2) {
  OpTester reverse(library_, "ReverseV2", {{"T", DType::kFloat32}, {"Tidx", DType::kInt32}});
  const Tensor x = Count({2, 3});
  ExpectOutput(reverse, {x, Ints({1}, {1})}, Floats({2, 3}, {2, 1, 0, 5, 4, 3}));
  ExpectOutput(reverse, {x, Ints({1}, {-2})}, Floats({2, 3}, {3, 4, 5, 0, 1, 2}));
  ExpectOutput(reverse, {x, Ints({2}, {0, -1})}, Floats({2, 3}, {5, 4, 3, 2, 1, 0}));
  ExpectOutput(reverse, {x, Ints({0}, {})}, x);
  ExpectOutput(reverse, {Count({2, 0}), Ints({1}, {0})}, Count({2, 0}));
  ExpectOutput(reverse, {Tensor::Scalar(1.0f), Ints({1}, {0})}, Tensor::Scalar(1.0f));
  ExpectOutput(reverse, {Count({1, 1, 1, 1, 1, 1, 1, 1, 1, 2}), Ints({1}, {9})},
               Floats({1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, {1, 0}));
  OpTester strings(library_, "ReverseV2", {{"T", DType::kString}, {"Tidx", DType::kInt64}});
  ExpectOutput(strings, {Strings({2}, {"a", "b"}), Longs({1}, {0})}, Strings({2}, {"b", "a"}));
  ExpectInvalid(reverse, {x, Ints({2}, {1, -1})}, "axis: expected distinct values, got 1 twice");
  ExpectInvalid(reverse, {x, Ints({1}, {2})}, "axis: expected a value in [-2,2), got 2");
  ExpectInvalid(reverse, {x, Ints({}, {0})}, "axis: expected a vector");
  const Tensor axis = Ints({1}, {2});
  const AttrMap attrs = {{"T", DType::kFloat32}, {"Tidx", DType::kInt32}};
  EXPECT_EQ(Infer("ReverseV2", attrs, {PartialShape::Of({2, -1}), PartialShape()}).value()[0],
            PartialShape::Of({2, -1}));
  EXPECT_EQ(Infer("ReverseV2", attrs, {PartialShape(), PartialShape()}).value()[0], PartialShape());
  ExpectInvalid(Infer("ReverseV2", attrs, {PartialShape::Of({2, 2}), PartialShape::Of({1})}, {nullptr, &axis}).status(),
                "axis");
}

TEST_F(SlicingOpsTest, Reverse) {
  OpTester reverse(library_, "Reverse", {{"T", DType::kInt32}});
  const Tensor x = Ints({2, 2}, {1, 2, 3, 4});
  ExpectOutput(reverse, {x, Bools({2}, {true, false})}, Ints({2, 2}, {3, 4, 1, 2}));
  ExpectOutput(reverse, {x, Bools({2}, {true, true})}, Ints({2, 2}, {4, 3, 2, 1}));
  ExpectOutput(reverse, {Tensor::Scalar(5), Bools({0}, {})}, Tensor::Scalar(5));
  ExpectInvalid(reverse, {x, Bools({1}, {true})}, "dims: expected 2 values, got 1");
  ExpectInvalid(reverse, {x, Bools({1, 2}, {true, true})}, "dims: expected a vector");
  EXPECT_EQ(Infer("Reverse", {{"T", DType::kInt32}}, {PartialShape::Of({-1, 2}), PartialShape()}).value()[0],
            PartialShape::Of({-1, 2}));
}

TEST_F(SlicingOpsTest, ReverseSequence) {
  const auto op = [&](int64_t seq_dim, int64_t batch_dim, DType dtype = DType::kFloat32) {
    return OpTester(library_, "ReverseSequence", {{"T", dtype}, {"Tlen", DType::kInt32}, {"seq_dim", seq_dim}, {"batch_dim", batch_dim}});
  };
  const Tensor x = Count({2, 3, 2});
  OpTester rows = op(1, 0), columns = op(0, 1), strings = op(1, 0, DType::kString);
  ExpectOutput(rows, {x, Ints({2}, {2, 3})}, Floats({2, 3, 2}, {2, 3, 0, 1, 4, 5, 10, 11, 8, 9, 6, 7}));
  ExpectOutput(columns, {x, Ints({3}, {0, 1, 2})}, Floats({2, 3, 2}, {0, 1, 2, 3, 10, 11, 6, 7, 8, 9, 4, 5}));
  ExpectOutput(strings, {Strings({1, 3}, {"a", "b", "c"}), Ints({1}, {2})}, Strings({1, 3}, {"b", "a", "c"}));
  ExpectOutput(rows, {Floats({2, 0, 2}, {}), Ints({2}, {0, 0})}, Floats({2, 0, 2}, {}));

  ExpectInvalid(rows, {x, Ints({3}, {1, 1, 1})}, "seq_lengths: expected 2 values, the size of dimension 0 of the input, got 3");
  ExpectInvalid(rows, {x, Ints({2}, {1, 4})}, "seq_lengths[1]: expected a value in [0,3], got 4");
  ExpectInvalid(rows, {x, Ints({2}, {-1, 1})}, "seq_lengths[0]: expected a value in [0,3], got -1");
  OpTester far = op(3, 0), same = op(1, 1);
  ExpectInvalid(far, {x, Ints({2}, {1, 1})}, "seq_dim: expected a value in [0,3), got 3");
  ExpectInvalid(same, {x, Ints({3}, {1, 1, 1})}, "seq_dim: expected another value than batch_dim, got 1");

  const AttrMap attrs{{"T", DType::kFloat32}, {"Tlen", DType::kInt32}, {"seq_dim", 1}, {"batch_dim", 0}};
  EXPECT_EQ((*InferShapes(library_, "ReverseSequence", attrs, {PartialShape::Of({-1, 3}), PartialShape()}))[0], PartialShape::Of({-1, 3}));
  EXPECT_FALSE((*InferShapes(library_, "ReverseSequence", attrs, {PartialShape(), PartialShape::Of({2})}))[0].has_rank());
  EXPECT_FALSE(InferShapes(library_, "ReverseSequence", attrs, {PartialShape::Of({2, 3}), PartialShape::Of({3})}).ok());
}

}  // namespace
}  // namespace flowlatch
