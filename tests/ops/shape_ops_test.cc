#include "ops/shape_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr int64_t kLarge = int64_t{1} << 31;

// A tensor without elements, and without memory, whatever the other dimensions are.
Tensor Nothing(std::initializer_list<int64_t> dims) { return *Tensor::Make(DType::kFloat32, Shape::Of(dims)); }

class ShapeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterShapeOps(library_).ok()); }
  OpTester Reshape(DType dtype = DType::kFloat32, DType index = DType::kInt32) {
    return OpTester(library_, "Reshape", {{"T", dtype}, {"Tshape", index}});
  }
  OpTester Bitcast(DType from, DType to) { return OpTester(library_, "Bitcast", {{"T", from}, {"type", to}}); }
  absl::StatusOr<std::vector<PartialShape>> Infer(const std::string& op, const AttrMap& attrs,
                                                  const std::vector<PartialShape>& inputs,
                                                  const std::vector<const Tensor*>& constants = {}) {
    return InferShapes(library_, op, attrs, inputs, constants);
  }

  OpLibrary library_;
};

TEST_F(ShapeOpsTest, ShapeSizeRank) {
  const Tensor x = Nothing({2, 0, 3});
  for (const DType out : {DType::kInt32, DType::kInt64}) {
    const bool wide = out == DType::kInt64;
    OpTester shape(library_, "Shape", {{"T", DType::kFloat32}, {"out_type", out}});
    ExpectOutput(shape, {x}, wide ? Longs({3}, {2, 0, 3}) : Ints({3}, {2, 0, 3}));
    ExpectOutput(shape, {Tensor::Scalar(1.0f)}, wide ? Longs({0}, {}) : Ints({0}, {}));
    OpTester size(library_, "Size", {{"T", DType::kFloat32}, {"out_type", out}});
    ExpectOutput(size, {Floats({2, 2}, {1, 2, 3, 4})}, wide ? Tensor::Scalar(int64_t{4}) : Tensor::Scalar(4));
    ExpectOutput(size, {x}, wide ? Tensor::Scalar(int64_t{0}) : Tensor::Scalar(0));
  }
  OpTester shapes(library_, "ShapeN", {{"N", 2}, {"T", DType::kString}, {"out_type", DType::kInt32}});
  ExpectOutputs(shapes, {Strings({1}, {"a"}), Tensor::Scalar("b")}, {Ints({1}, {1}), Ints({0}, {})});
  OpTester rank(library_, "Rank", {{"T", DType::kFloat32}});
  ExpectOutput(rank, {x}, Tensor::Scalar(3));
  ExpectOutput(rank, {Tensor::Scalar(1.0f)}, Tensor::Scalar(0));
}

TEST_F(ShapeOpsTest, QuantizedReshape) {
  const AttrMap attrs{{"T", DType::kQUInt8}, {"Tshape", DType::kInt32}};
  OpTester op(library_, "QuantizedReshape", attrs);
  const Tensor x = *Tensor::FromValues<QUInt8>(Shape::Of({4}), std::vector<QUInt8>{{0}, {1}, {2}, {3}});
  const Tensor low = Tensor::Scalar(-1.0f), high = Tensor::Scalar(1.0f);
  ExpectOutputs(op, {x, Ints({2}, {2, -1}), low, high}, {*x.Reshaped(Shape::Of({2, 2})), low, high});
  ExpectInvalid(op, {x, Ints({1}, {3}), low, high}, "");
  ExpectInvalid(op, {x, Ints({1}, {4}), Floats({0}, {}), high}, "range of tensor: expected one element at each end");
  const PartialShape scalar = Shape(), four = PartialShape::Of({4});
  const auto shapes = Infer("QuantizedReshape", attrs, {four, PartialShape::Of({3}), scalar, scalar});
  EXPECT_THAT(*shapes, testing::ElementsAre(PartialShape::UnknownOfRank(3), scalar, scalar));
  ExpectInvalid(Infer("QuantizedReshape", attrs, {four, PartialShape::Of({3}), four, scalar}).status(), "rank");
}

TEST_F(ShapeOpsTest, SizesBeyondInt32) {
  OpTester narrow(library_, "Shape", {{"T", DType::kFloat32}, {"out_type", DType::kInt32}});
  OpTester wide(library_, "Shape", {{"T", DType::kFloat32}, {"out_type", DType::kInt64}});
  ExpectInvalid(narrow, {Nothing({0, kLarge})}, "dimension: expected a value that fits int32, got 2147483648");
  ExpectOutput(wide, {Nothing({0, kLarge})}, Longs({2}, {0, kLarge}));
}

TEST_F(ShapeOpsTest, ShapesOfShapes) {
  const AttrMap attrs = {{"T", DType::kFloat32}, {"out_type", DType::kInt32}};
  EXPECT_EQ(Infer("Shape", attrs, {PartialShape::Of({-1, 2})}).value()[0], PartialShape::Of({2}));
  EXPECT_EQ(Infer("Shape", attrs, {PartialShape()}).value()[0], PartialShape::Of({-1}));
  EXPECT_EQ(Infer("Size", attrs, {PartialShape()}).value()[0], PartialShape::Of({}));
  EXPECT_EQ(Infer("Rank", attrs, {PartialShape()}).value()[0], PartialShape::Of({}));
}

TEST_F(ShapeOpsTest, Reshape) {
  struct Case {
    Tensor x;
    std::vector<int32_t> shape;
    std::vector<int64_t> want;
  };
  const Tensor six = Floats({6}, {1, 2, 3, 4, 5, 6});
  const Case cases[] = {
      {six, {2, 3}, {2, 3}},
      {six, {-1}, {6}},
      {six, {3, -1, 1}, {3, 2, 1}},
      {Tensor::Scalar(1.0f), {}, {}},
      {Tensor::Scalar(1.0f), {-1}, {1}},
      {Tensor::Scalar(1.0f), {1, 1}, {1, 1}},
      {Floats({1}, {1}), {}, {}},
      {Nothing({0}), {0, -1}, {0, 1}},
      {Nothing({0}), {5, -1}, {5, 0}},
      {Nothing({0}), {0, 0, -1}, {0, 0, 1}},
      {Nothing({0, 3}), {0, -1}, {0, 3}},
      {Nothing({3, 0}), {-1, 0}, {3, 0}},
      {Nothing({2, 0}), {-1, 7}, {0, 7}},
  };
  OpTester reshape = Reshape();
  for (const Case& c : cases) {
    const Tensor shape = Tensor::Vector<int32_t>(c.shape);
    SCOPED_TRACE(c.x.ShapeString() + " to " + shape.DebugString());
    ExpectOutput(reshape, {c.x, shape}, *c.x.Reshaped(*Shape::Make(c.want)));
  }
  ExpectOutput(reshape, {Floats({1}, {1}), Tensor::Scalar(1)}, Floats({1}, {1}));
  OpTester strings = Reshape(DType::kString, DType::kInt64);
  ExpectOutput(strings, {Strings({2}, {"a", "b"}), Longs({2}, {2, 1})}, Strings({2, 1}, {"a", "b"}));
  EXPECT_TRUE(reshape.Run({six, Ints({2}, {2, 3})}).value()[0].SharesBufferWith(six));
}

TEST_F(ShapeOpsTest, ReshapeErrors) {
  OpTester reshape = Reshape(), longs = Reshape(DType::kFloat32, DType::kInt64);
  const Tensor six = Floats({6}, {1, 2, 3, 4, 5, 6});
  ExpectInvalid(reshape, {six, Ints({2}, {-1, -1})}, "at most one -1");
  ExpectInvalid(reshape, {six, Ints({1}, {-2})}, "got -2");
  ExpectInvalid(reshape, {six, Ints({1}, {4})}, "expected 6 elements, got shape [4]");
  ExpectInvalid(reshape, {six, Ints({2}, {4, -1})}, "expected a multiple of 4 elements, got 6");
  ExpectInvalid(reshape, {six, Ints({2}, {0, -1})}, "expected 6 elements");
  ExpectInvalid(reshape, {six, Ints({1, 1}, {6})}, "shape: expected a vector");
  ExpectInvalid(longs, {Nothing({0}), Longs({3}, {kLarge, kLarge, kLarge})}, "shape");
  ExpectInvalid(longs, {Nothing({0}), Longs({4}, {0, kLarge, kLarge, kLarge})}, "shape");
}

TEST_F(ShapeOpsTest, ReshapeShapes) {
  const AttrMap attrs = {{"T", DType::kFloat32}, {"Tshape", DType::kInt32}};
  const Tensor shape = Ints({2}, {2, -1}), wrong = Ints({1}, {5}), one = Tensor::Scalar(-1);
  const PartialShape vector = PartialShape::Of({2}), unknown;
  EXPECT_EQ(Infer("Reshape", attrs, {PartialShape::Of({3, 4}), vector}, {nullptr, &shape}).value()[0],
            PartialShape::Of({2, 6}));
  EXPECT_EQ(Infer("Reshape", attrs, {PartialShape::Of({-1}), vector}, {nullptr, &shape}).value()[0],
            PartialShape::Of({2, -1}));
  EXPECT_EQ(Infer("Reshape", attrs, {unknown, vector}).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Reshape", attrs, {unknown, unknown}).value()[0], unknown);
  EXPECT_EQ(Infer("Reshape", attrs, {PartialShape::Of({3, 4}), PartialShape::Of({})}, {nullptr, &one}).value()[0],
            PartialShape::Of({12}));
  // A 0 beside the -1: the run tells, if it comes to it.
  const Tensor open = Ints({3}, {0, 2, -1});
  EXPECT_EQ(Infer("Reshape", attrs, {PartialShape::Of({0, 1}), PartialShape::Of({3})}, {nullptr, &open}).value()[0],
            PartialShape::Of({0, 2, -1}));
  ExpectInvalid(Infer("Reshape", attrs, {PartialShape::Of({3}), PartialShape::Of({1})}, {nullptr, &wrong}).status(),
                "expected 3 elements");
}

TEST_F(ShapeOpsTest, ExpandDims) {
  OpTester expand(library_, "ExpandDims", {{"T", DType::kInt32}, {"Tdim", DType::kInt32}});
  const Tensor x = Ints({2}, {1, 2});
  ExpectOutput(expand, {x, Tensor::Scalar(0)}, Ints({1, 2}, {1, 2}));
  ExpectOutput(expand, {x, Tensor::Scalar(-1)}, Ints({2, 1}, {1, 2}));
  ExpectOutput(expand, {x, Ints({1}, {-2})}, Ints({1, 2}, {1, 2}));
  ExpectOutput(expand, {Tensor::Scalar(7), Tensor::Scalar(0)}, Ints({1}, {7}));
  ExpectOutput(expand, {Ints({0}, {}), Tensor::Scalar(1)}, Ints({0, 1}, {}));
  OpTester strings(library_, "ExpandDims", {{"T", DType::kString}, {"Tdim", DType::kInt64}});
  ExpectOutput(strings, {Tensor::Scalar("a string that is not small"), Tensor::Scalar(int64_t{0})},
               Strings({1}, {"a string that is not small"}));
  ExpectInvalid(expand, {x, Tensor::Scalar(2)}, "dim: expected a value in [-2,2), got 2");
  ExpectInvalid(expand, {x, Ints({2}, {0, 0})}, "dim: expected one value, got shape [2]");
  const AttrMap attrs = {{"T", DType::kInt32}, {"Tdim", DType::kInt32}};
  const Tensor dim = Tensor::Scalar(1);
  EXPECT_EQ(Infer("ExpandDims", attrs, {PartialShape::Of({3, -1}), PartialShape()}, {nullptr, &dim}).value()[0],
            PartialShape::Of({3, 1, -1}));
  EXPECT_EQ(Infer("ExpandDims", attrs, {PartialShape::Of({3, -1}), PartialShape()}).value()[0],
            PartialShape::UnknownOfRank(3));
  EXPECT_EQ(Infer("ExpandDims", attrs, {PartialShape(), PartialShape()}, {nullptr, &dim}).value()[0], PartialShape());
}

TEST_F(ShapeOpsTest, Squeeze) {
  const auto squeeze = [&](std::vector<int64_t> axes) {
    return OpTester(library_, "Squeeze", {{"T", DType::kInt32}, {"squeeze_dims", axes}});
  };
  const Tensor x = Ints({1, 2, 1}, {1, 2});
  OpTester all = squeeze({}), first = squeeze({0}), last = squeeze({-1, 2}), middle = squeeze({1}),
           beyond = squeeze({3});
  ExpectOutput(all, {x}, Ints({2}, {1, 2}));
  ExpectOutput(first, {x}, Ints({2, 1}, {1, 2}));
  ExpectOutput(last, {x}, Ints({1, 2}, {1, 2}));
  ExpectOutput(all, {Ints({1, 1}, {7})}, Tensor::Scalar(7));
  ExpectOutput(all, {Tensor::Scalar(7)}, Tensor::Scalar(7));
  ExpectOutput(first, {Ints({1, 0}, {})}, Ints({0}, {}));
  ExpectInvalid(middle, {x}, "dimension 1 to squeeze: expected 1, got 2 in [1,2,1]");
  ExpectInvalid(beyond, {x}, "squeeze_dims: expected a value in [-3,3), got 3");
  const auto infer = [&](std::vector<int64_t> axes, const PartialShape& shape) {
    return Infer("Squeeze", {{"T", DType::kInt32}, {"squeeze_dims", axes}}, {shape});
  };
  EXPECT_EQ(infer({0}, PartialShape::Of({-1, 3, 1})).value()[0], PartialShape::Of({3, 1}));
  EXPECT_EQ(infer({}, PartialShape::Of({1, 3, 1})).value()[0], PartialShape::Of({3}));
  EXPECT_EQ(infer({}, PartialShape::Of({-1, 3, 1})).value()[0], PartialShape());
  EXPECT_EQ(infer({0}, PartialShape()).value()[0], PartialShape());
  ExpectInvalid(infer({1}, PartialShape::Of({1, 3})).status(), "dimension 1 to squeeze");
}

TEST_F(ShapeOpsTest, EnsureShape) {
  const auto attrs = [](const PartialShape& shape) { return AttrMap{{"T", DType::kInt32}, {"shape", shape}}; };
  const Tensor x = Ints({2}, {1, 2});
  OpTester any(library_, "EnsureShape", attrs(PartialShape()));
  OpTester vector(library_, "EnsureShape", attrs(PartialShape::Of({-1})));
  OpTester three(library_, "EnsureShape", attrs(PartialShape::Of({3})));
  OpTester matrix(library_, "EnsureShape", attrs(PartialShape::Of({-1, 2})));
  ExpectOutput(any, {x}, x);
  ExpectOutput(vector, {x}, x);
  ExpectInvalid(three, {x}, "shape of input: expected [3], got [2]");
  ExpectInvalid(matrix, {x}, "expected [?,2], got [2]");
  EXPECT_EQ(Infer("EnsureShape", attrs(PartialShape::Of({-1, 2})), {PartialShape::Of({3, -1})}).value()[0],
            PartialShape::Of({3, 2}));
  EXPECT_EQ(Infer("EnsureShape", attrs(PartialShape::Of({-1, 2})), {PartialShape()}).value()[0],
            PartialShape::Of({-1, 2}));
  ExpectInvalid(Infer("EnsureShape", attrs(PartialShape::Of({3})), {PartialShape::Of({2})}).status(),
                "expected to agree");
}

TEST_F(ShapeOpsTest, Bitcast) {
  OpTester same = Bitcast(DType::kFloat32, DType::kInt32);
  ExpectOutput(same, {Tensor::Scalar(1.0f)}, Tensor::Scalar(0x3f800000));
  ExpectOutput(same, {Floats({2}, {1, 0})}, Ints({2}, {0x3f800000, 0}));
  OpTester down = Bitcast(DType::kFloat32, DType::kUInt8);
  ExpectOutput(down, {Tensor::Scalar(1.0f)}, Of<uint8_t>({4}, {0, 0, 0x80, 0x3f}));
  ExpectOutput(down, {Floats({0}, {})}, Of<uint8_t>({0, 4}, {}));
  OpTester up = Bitcast(DType::kUInt8, DType::kFloat32);
  ExpectOutput(up, {Of<uint8_t>({4}, {0, 0, 0x80, 0x3f})}, Tensor::Scalar(1.0f));
  ExpectOutput(up, {Of<uint8_t>({0, 4}, {})}, Floats({0}, {}));
  // Rows of bytes begin anywhere.
  const Tensor rows = Of<uint8_t>({5, 1}, {9, 0, 0, 0x80, 0x3f}).Rows(1, 4).Reshaped(Shape::Of({1, 4})).value();
  ExpectOutput(up, {rows}, Floats({1}, {1}));
  ExpectInvalid(up, {Of<uint8_t>({3}, {0, 0, 0})},
                "last dimension for a bitcast from uint8 to float32: expected 4, got shape [3]");
  ExpectInvalid(up, {Tensor::Scalar(uint8_t{3})}, "got shape []");
  const AttrMap attrs = {{"T", DType::kUInt8}, {"type", DType::kFloat32}};
  EXPECT_EQ(Infer("Bitcast", attrs, {PartialShape::Of({-1, -1})}).value()[0], PartialShape::Of({-1}));
  EXPECT_EQ(Infer("Bitcast", attrs, {PartialShape()}).value()[0], PartialShape());
  ExpectInvalid(Infer("Bitcast", attrs, {PartialShape::Of({-1, 3})}).status(), "last dimension");
}

TEST_F(ShapeOpsTest, BroadcastArgsAndTheirGradient) {
  struct Case {
    std::vector<int32_t> x, y, common, x_axes, y_axes;
  };
  const Case cases[] = {
      {{}, {}, {}, {}, {}},
      {{2, 3}, {2, 3}, {2, 3}, {}, {}},
      {{1, 3}, {1, 3}, {1, 3}, {}, {}},
      {{2, 3}, {3}, {2, 3}, {}, {0}},
      {{2, 1}, {1, 3}, {2, 3}, {1}, {0}},
      {{1, 1}, {1}, {1, 1}, {0, 1}, {0, 1}},
      {{5, 1, 1}, {1}, {5, 1, 1}, {1, 2}, {0, 1, 2}},
      {{1}, {}, {1}, {0}, {0}},
      {{0}, {1}, {0}, {}, {0}},
      {{1, 0, 1}, {2, 0, 3}, {2, 0, 3}, {0, 2}, {}},
      {{3, 1, 2}, {1, 2}, {3, 1, 2}, {1}, {0, 1}},
  };
  OpTester args(library_, "BroadcastArgs", {{"T", DType::kInt32}});
  OpTester gradient(library_, "BroadcastGradientArgs", {{"T", DType::kInt32}});
  const auto vector = [](const std::vector<int32_t>& values) { return Tensor::Vector<int32_t>(values); };
  for (const Case& c : cases) {
    SCOPED_TRACE(vector(c.x).DebugString() + " and " + vector(c.y).DebugString());
    ExpectOutput(args, {vector(c.x), vector(c.y)}, vector(c.common));
    ExpectOutputs(gradient, {vector(c.x), vector(c.y)}, {vector(c.x_axes), vector(c.y_axes)});
    ExpectOutputs(gradient, {vector(c.y), vector(c.x)}, {vector(c.y_axes), vector(c.x_axes)});
  }
  OpTester longs(library_, "BroadcastArgs", {{"T", DType::kInt64}});
  ExpectOutput(longs, {Longs({1}, {1}), Longs({1}, {kLarge})}, Longs({1}, {kLarge}));
  ExpectInvalid(args, {vector({2}), vector({3})}, "incompatible [2] and [3]");
  ExpectInvalid(gradient, {vector({0}), vector({3})}, "incompatible [0] and [3]");
  ExpectInvalid(gradient, {Tensor::Scalar(1), vector({3})}, "s0: expected a vector");
  const AttrMap attrs = {{"T", DType::kInt32}};
  EXPECT_EQ(Infer("BroadcastArgs", attrs, {PartialShape::Of({2}), PartialShape::Of({3})}).value()[0],
            PartialShape::Of({3}));
  EXPECT_EQ(Infer("BroadcastArgs", attrs, {PartialShape::Of({2}), PartialShape()}).value()[0], PartialShape::Of({-1}));
  EXPECT_EQ(Infer("BroadcastGradientArgs", attrs, {PartialShape(), PartialShape()}).value()[1], PartialShape::Of({-1}));
  ExpectInvalid(Infer("BroadcastGradientArgs", attrs, {PartialShape::Of({}), PartialShape()}).status(),
                "expected rank 1");
}

}  // namespace
}  // namespace flowlatch
