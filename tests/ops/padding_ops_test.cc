#include "ops/padding_ops.h"

#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class PaddingOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterPaddingOps(library_).ok()); }
  OpTester Pad(const char* op, DType dtype = DType::kInt32, DType index = DType::kInt32) {
    return OpTester(library_, op, {{"T", dtype}, {"Tpaddings", index}});
  }
  OpTester Mirror(const char* op, const char* mode, DType dtype = DType::kInt32) {
    return OpTester(library_, op, MirrorAttrs(mode, dtype));
  }
  static AttrMap MirrorAttrs(const char* mode, DType dtype = DType::kInt32) {
    return {{"T", dtype}, {"Tpaddings", DType::kInt32}, {"mode", mode}};
  }
  OpTester Tile(DType dtype = DType::kInt32, DType index = DType::kInt32) {
    return OpTester(library_, "Tile", {{"T", dtype}, {"Tmultiples", index}});
  }
  OpTester BroadcastTo(DType dtype = DType::kInt32, DType index = DType::kInt32) {
    return OpTester(library_, "BroadcastTo", {{"T", dtype}, {"Tidx", index}});
  }
  absl::StatusOr<std::vector<PartialShape>> Infer(const std::string& op, const AttrMap& attrs,
                                                  const std::vector<PartialShape>& inputs,
                                                  const std::vector<const Tensor*>& constants = {}) {
    return InferShapes(library_, op, attrs, inputs, constants);
  }

  OpLibrary library_;
};

TEST_F(PaddingOpsTest, Pad) {
  OpTester pad = Pad("Pad");
  ExpectOutput(pad, {Ints({2}, {5, 6}), Ints({1, 2}, {1, 2})}, Ints({5}, {0, 5, 6, 0, 0}));
  ExpectOutput(pad, {Ints({2, 2}, {1, 2, 3, 4}), Ints({2, 2}, {0, 1, 1, 0})},
               Ints({3, 3}, {0, 1, 2, 0, 3, 4, 0, 0, 0}));
  ExpectOutput(pad, {Ints({2, 1, 2}, {1, 2, 3, 4}), Ints({3, 2}, {0, 0, 1, 0, 0, 0})},
               Ints({2, 2, 2}, {0, 0, 1, 2, 0, 0, 3, 4}));
  ExpectOutput(pad, {Ints({0}, {}), Ints({1, 2}, {1, 1})}, Ints({2}, {0, 0}));
  ExpectOutput(pad, {Ints({0, 2}, {}), Ints({2, 2}, {0, 0, 1, 1})}, Ints({0, 4}, {}));
  ExpectOutput(pad, {Tensor::Scalar(5), Ints({0, 2}, {})}, Tensor::Scalar(5));
  const Tensor x = Ints({2}, {5, 6});
  EXPECT_TRUE(pad.Run({x, Ints({1, 2}, {0, 0})}).value()[0].SharesBufferWith(x));
  OpTester strings = Pad("Pad", DType::kString, DType::kInt64);
  ExpectOutput(strings, {Strings({1}, {"a"}), Longs({1, 2}, {1, 1})}, Strings({3}, {"", "a", ""}));
  OpTester bools = Pad("Pad", DType::kBool);
  ExpectOutput(bools, {Bools({1}, {true}), Ints({1, 2}, {1, 0})}, Bools({2}, {false, true}));
}

TEST_F(PaddingOpsTest, PadV2) {
  OpTester pad = Pad("PadV2");
  ExpectOutput(pad, {Ints({1, 1}, {5}), Ints({2, 2}, {1, 1, 1, 1}), Tensor::Scalar(9)},
               Ints({3, 3}, {9, 9, 9, 9, 5, 9, 9, 9, 9}));
  OpTester strings = Pad("PadV2", DType::kString);
  ExpectOutput(strings, {Strings({1}, {"a"}), Ints({1, 2}, {0, 1}), Tensor::Scalar("a string that is not small")},
               Strings({2}, {"a", "a string that is not small"}));
  ExpectInvalid(pad, {Ints({1}, {5}), Ints({1, 2}, {1, 1}), Ints({1}, {9})},
                "constant_values: expected a scalar, got shape [1]");
}

// Every element has one place, whichever dimensions are padded and however long rows are.
TEST_F(PaddingOpsTest, LargePad) {
  absl::StatusOr<Tensor> x = Tensor::Make(DType::kInt32, {60, 50, 70});
  ASSERT_TRUE(x.ok());
  for (int64_t i = 0; i < x->num_elements(); ++i) x->mutable_data<int32_t>()[i] = static_cast<int32_t>(i + 1);
  OpTester pad = Pad("PadV2");
  const Tensor y = pad.Run({*x, Ints({3, 2}, {2, 1, 0, 3, 1, 80}), Tensor::Scalar(-5)}).value()[0];
  ASSERT_EQ(y.ShapeString(), "[63,53,151]");
  const int32_t* at = y.data<int32_t>();
  for (int i = -2; i < 61; ++i) {
    for (int j = 0; j < 53; ++j) {
      for (int k = -1; k < 150; ++k) {
        const bool inside = i >= 0 && i < 60 && j < 50 && k >= 0 && k < 70;
        ASSERT_EQ(*at++, inside ? (i * 50 + j) * 70 + k + 1 : -5);
      }
    }
  }
}

TEST_F(PaddingOpsTest, PadErrors) {
  OpTester pad = Pad("Pad"), longs = Pad("Pad", DType::kInt32, DType::kInt64);
  const Tensor x = Ints({2}, {5, 6});
  ExpectInvalid(pad, {x, Ints({1, 2}, {1, -1})}, "paddings[0]: expected values >= 0, got 1 and -1");
  ExpectInvalid(pad, {x, Ints({2, 2}, {1, 1, 1, 1})}, "paddings: expected shape [1,2], got [2,2]");
  ExpectInvalid(pad, {x, Ints({2}, {1, 1})}, "paddings: expected shape [1,2], got [2]");
  ExpectInvalid(pad, {x, Ints({1, 3}, {1, 1, 1})}, "paddings: expected shape [1,2], got [1,3]");
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  ExpectInvalid(longs, {x, Longs({1, 2}, {kMax, kMax})}, "expected a padded size that fits int64");
  EXPECT_EQ(longs.Run({x, Longs({1, 2}, {int64_t{1} << 50, 0})}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(PaddingOpsTest, PadShapes) {
  const AttrMap attrs = {{"T", DType::kInt32}, {"Tpaddings", DType::kInt32}};
  const Tensor paddings = Ints({2, 2}, {1, 2, 3, 4});
  const PartialShape table = PartialShape::Of({2, 2}), unknown;
  EXPECT_EQ(Infer("Pad", attrs, {PartialShape::Of({5, -1}), table}, {nullptr, &paddings}).value()[0],
            PartialShape::Of({8, -1}));
  EXPECT_EQ(Infer("Pad", attrs, {unknown, table}).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Pad", attrs, {PartialShape::Of({5, 5}), unknown}).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Pad", attrs, {unknown, unknown}).value()[0], unknown);
  ExpectInvalid(Infer("Pad", attrs, {PartialShape::Of({5}), table}).status(), "expected to agree");
  ExpectInvalid(Infer("PadV2", attrs, {PartialShape::Of({5, 5}), table, PartialShape::Of({1})}).status(),
                "expected rank 0");
  ExpectInvalid(
      Infer("MirrorPad", MirrorAttrs("REFLECT"), {PartialShape::Of({1, 5}), table}, {nullptr, &paddings}).status(),
      "paddings[0]: expected values < 1");
  EXPECT_EQ(Infer("MirrorPadGrad", MirrorAttrs("SYMMETRIC"), {PartialShape::Of({5, -1}), table}, {nullptr, &paddings})
                .value()[0],
            PartialShape::Of({2, -1}));
}

TEST_F(PaddingOpsTest, MirrorPad) {
  OpTester reflect = Mirror("MirrorPad", "REFLECT"), symmetric = Mirror("MirrorPad", "SYMMETRIC");
  const Tensor x = Ints({3}, {1, 2, 3});
  ExpectOutput(reflect, {x, Ints({1, 2}, {2, 1})}, Ints({6}, {3, 2, 1, 2, 3, 2}));
  ExpectOutput(symmetric, {x, Ints({1, 2}, {3, 1})}, Ints({7}, {3, 2, 1, 1, 2, 3, 3}));
  ExpectOutput(symmetric, {Ints({2, 2}, {1, 2, 3, 4}), Ints({2, 2}, {0, 1, 1, 0})},
               Ints({3, 3}, {1, 1, 2, 3, 3, 4, 3, 3, 4}));
  ExpectOutput(reflect, {Ints({2, 2}, {1, 2, 3, 4}), Ints({2, 2}, {1, 0, 0, 1})},
               Ints({3, 3}, {3, 4, 3, 1, 2, 1, 3, 4, 3}));
  ExpectOutput(symmetric, {Tensor::Scalar(5), Ints({0, 2}, {})}, Tensor::Scalar(5));
  ExpectOutput(symmetric, {Ints({0, 2}, {}), Ints({2, 2}, {0, 0, 1, 1})}, Ints({0, 4}, {}));
  OpTester strings = Mirror("MirrorPad", "SYMMETRIC", DType::kString);
  ExpectOutput(strings, {Strings({1}, {"a"}), Ints({1, 2}, {1, 1})}, Strings({3}, {"a", "a", "a"}));
  ExpectInvalid(reflect, {x, Ints({1, 2}, {3, 0})}, "paddings[0]: expected values < 3, got 3 and 0");
  ExpectInvalid(symmetric, {x, Ints({1, 2}, {0, 4})}, "paddings[0]: expected values <= 3, got 0 and 4");
  ExpectInvalid(symmetric, {x, Ints({1, 2}, {-1, 0})}, "expected values >= 0");
  ExpectInvalid(reflect, {Ints({0}, {}), Ints({1, 2}, {0, 0})}, "expected values < 0");
}

TEST_F(PaddingOpsTest, MirrorPadGrad) {
  OpTester reflect = Mirror("MirrorPadGrad", "REFLECT", DType::kFloat32);
  OpTester symmetric = Mirror("MirrorPadGrad", "SYMMETRIC", DType::kFloat32);
  ExpectOutput(reflect, {Floats({7}, {0, 1, 2, 3, 4, 5, 6}), Ints({1, 2}, {2, 2})}, Floats({3}, {8, 9, 4}));
  ExpectOutput(symmetric, {Floats({9}, {0, 1, 2, 3, 4, 5, 6, 7, 8}), Ints({1, 2}, {3, 3})}, Floats({3}, {13, 12, 11}));
  ExpectOutput(symmetric, {Floats({4, 1}, {1, 2, 3, 4}), Ints({2, 2}, {1, 1, 0, 0})}, Floats({2, 1}, {3, 7}));
  ExpectOutput(symmetric, {Floats({0}, {}), Ints({1, 2}, {0, 0})}, Floats({0}, {}));
  OpTester bytes = Mirror("MirrorPadGrad", "SYMMETRIC", DType::kUInt8);
  ExpectOutput(bytes, {Of<uint8_t>({2}, {200, 100}), Ints({1, 2}, {1, 0})}, Of<uint8_t>({1}, {44}));
  OpTester halves = Mirror("MirrorPadGrad", "SYMMETRIC", DType::kFloat16);
  ExpectOutput(halves, {Of<Half, float>({2}, {1, 2.5}), Ints({1, 2}, {1, 0})}, Of<Half, float>({1}, {3.5}));
  ExpectInvalid(reflect, {Floats({5}, {0, 1, 2, 3, 4}), Ints({1, 2}, {2, 2})}, "paddings[0]: expected values < 1");
  ExpectInvalid(symmetric, {Floats({1}, {0}), Ints({1, 2}, {1, 1})}, "paddings[0]: expected a sum of at most 1");
  OpTester strings = Mirror("MirrorPadGrad", "SYMMETRIC", DType::kString);
  EXPECT_EQ(strings.Run({Strings({1}, {"a"}), Ints({1, 2}, {0, 0})}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(PaddingOpsTest, Tile) {
  OpTester tile = Tile();
  ExpectOutput(tile, {Ints({2}, {1, 2}), Ints({1}, {3})}, Ints({6}, {1, 2, 1, 2, 1, 2}));
  ExpectOutput(tile, {Ints({2, 2}, {1, 2, 3, 4}), Ints({2}, {2, 2})},
               Ints({4, 4}, {1, 2, 1, 2, 3, 4, 3, 4, 1, 2, 1, 2, 3, 4, 3, 4}));
  ExpectOutput(tile, {Ints({2, 1}, {1, 2}), Ints({2}, {1, 3})}, Ints({2, 3}, {1, 1, 1, 2, 2, 2}));
  ExpectOutput(tile, {Ints({2}, {1, 2}), Ints({1}, {0})}, Ints({0}, {}));
  ExpectOutput(tile, {Ints({0, 2}, {}), Ints({2}, {3, 2})}, Ints({0, 4}, {}));
  ExpectOutput(tile, {Tensor::Scalar(5), Ints({0}, {})}, Tensor::Scalar(5));
  OpTester strings = Tile(DType::kString, DType::kInt64);
  ExpectOutput(strings, {Strings({2}, {"a", "b"}), Longs({1}, {2})}, Strings({4}, {"a", "b", "a", "b"}));
  OpTester longs = Tile(DType::kInt32, DType::kInt64);
  ExpectInvalid(tile, {Ints({2}, {1, 2}), Ints({1}, {-1})},
                "multiples[0]: expected a value >= 0 and a size that fits int64, got -1");
  ExpectInvalid(tile, {Ints({2}, {1, 2}), Ints({2}, {1, 1})}, "multiples: expected 1 values, got 2");
  ExpectInvalid(tile, {Ints({2}, {1, 2}), Ints({1, 1}, {1})}, "multiples: expected a vector");
  ExpectInvalid(longs, {Ints({2}, {1, 2}), Longs({1}, {int64_t{1} << 62})}, "multiples[0]");
  const AttrMap attrs = {{"T", DType::kInt32}, {"Tmultiples", DType::kInt32}};
  const Tensor multiples = Ints({2}, {2, 3});
  const PartialShape vector = PartialShape::Of({2}), unknown;
  EXPECT_EQ(Infer("Tile", attrs, {PartialShape::Of({5, -1}), vector}, {nullptr, &multiples}).value()[0],
            PartialShape::Of({10, -1}));
  EXPECT_EQ(Infer("Tile", attrs, {unknown, vector}).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Tile", attrs, {PartialShape::Of({5}), unknown}).value()[0], PartialShape::UnknownOfRank(1));
  EXPECT_EQ(Infer("Tile", attrs, {unknown, unknown}).value()[0], unknown);
  ExpectInvalid(Infer("Tile", attrs, {PartialShape::Of({5}), vector}).status(), "expected to agree");
}

TEST_F(PaddingOpsTest, BroadcastTo) {
  OpTester broadcast = BroadcastTo();
  ExpectOutput(broadcast, {Ints({2, 1}, {1, 2}), Ints({2}, {2, 3})}, Ints({2, 3}, {1, 1, 1, 2, 2, 2}));
  ExpectOutput(broadcast, {Ints({2}, {1, 2}), Ints({2}, {2, 2})}, Ints({2, 2}, {1, 2, 1, 2}));
  ExpectOutput(broadcast, {Ints({2, 1, 2}, {1, 2, 3, 4}), Ints({3}, {2, 2, 2})},
               Ints({2, 2, 2}, {1, 2, 1, 2, 3, 4, 3, 4}));
  ExpectOutput(broadcast, {Tensor::Scalar(5), Ints({1}, {2})}, Ints({2}, {5, 5}));
  ExpectOutput(broadcast, {Tensor::Scalar(5), Ints({0}, {})}, Tensor::Scalar(5));
  ExpectOutput(broadcast, {Ints({1}, {5}), Ints({1}, {0})}, Ints({0}, {}));
  OpTester strings = BroadcastTo(DType::kString, DType::kInt64);
  ExpectOutput(strings, {Strings({1}, {"a"}), Longs({1}, {3})}, Strings({3}, {"a", "a", "a"}));
  OpTester bytes = BroadcastTo(DType::kInt8);  // longer than the blocks in which a value is repeated
  const Tensor many = bytes.Run({Of<int8_t>({2, 1}, {3, 4}), Ints({2}, {2, 9999})}).value()[0];
  for (int64_t i = 0; i < many.num_elements(); ++i) ASSERT_EQ(many.data<int8_t>()[i], i < 9999 ? 3 : 4) << i;
  ExpectInvalid(broadcast, {Ints({1, 2}, {1, 2}), Ints({1}, {2})}, "input of shape [1,2] broadcasts to, got [2]");
  ExpectInvalid(broadcast, {Ints({2}, {1, 2}), Ints({1}, {3})}, "got [3]");
  ExpectInvalid(broadcast, {Ints({0}, {}), Ints({1}, {3})}, "got [3]");
  ExpectInvalid(broadcast, {Ints({2}, {1, 2}), Ints({1}, {-1})}, "expected dimensions >= 0, got -1");
  ExpectInvalid(broadcast, {Ints({1}, {1}), Tensor::Scalar(2)}, "shape: expected a vector");
  const AttrMap attrs = {{"T", DType::kInt32}, {"Tidx", DType::kInt32}};
  const Tensor shape = Ints({2}, {2, 3});
  const PartialShape vector = PartialShape::Of({2}), unknown;
  EXPECT_EQ(Infer("BroadcastTo", attrs, {unknown, vector}, {nullptr, &shape}).value()[0], PartialShape::Of({2, 3}));
  EXPECT_EQ(Infer("BroadcastTo", attrs, {unknown, vector}).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("BroadcastTo", attrs, {unknown, unknown}).value()[0], unknown);
  ExpectInvalid(Infer("BroadcastTo", attrs, {PartialShape::Of({4}), vector}, {nullptr, &shape}).status(),
                "expected to broadcast");
  ExpectInvalid(Infer("BroadcastTo", attrs, {PartialShape::Of({1, 1, 1}), vector}).status(),
                "expected at least 3 dimensions");
}

}  // namespace
}  // namespace flowlatch
