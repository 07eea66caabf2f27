#include "ops/transpose_ops.h"

#include <algorithm>
#include <numeric>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class TransposeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterTransposeOps(library_).ok()); }
  OpTester Op(const std::string& op, AttrMap attrs) { return OpTester(library_, op, std::move(attrs)); }
  OpTester Transpose(DType t) { return Op("Transpose", {{"T", t}, {"Tperm", DType::kInt32}}); }
  PartialShape Infer(const std::string& op, const AttrMap& attrs, const std::vector<PartialShape>& inputs,
                     const std::vector<const Tensor*>& constants = {}) {
    const absl::StatusOr<std::vector<PartialShape>> shapes = InferShapes(library_, op, attrs, inputs, constants);
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    return shapes.ok() ? (*shapes)[0] : PartialShape();
  }

  OpLibrary library_;
};

// 0, 1, 2, ... in the given shape.
Tensor Counting(std::vector<int64_t> dims) {
  const Shape shape = Shape::FromValid(dims);
  std::vector<int32_t> values(shape.num_elements());
  std::iota(values.begin(), values.end(), 0);
  return *Tensor::FromValues<int32_t>(shape, values);
}

TEST_F(TransposeOpsTest, SmallOnes) {
  OpTester transpose = Transpose(DType::kInt32);
  const Tensor x = Ints({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectOutput(transpose, {x, Ints({2}, {1, 0})}, Ints({3, 2}, {1, 4, 2, 5, 3, 6}));
  ExpectOutput(transpose, {x, Ints({2}, {-1, 0})}, Ints({3, 2}, {1, 4, 2, 5, 3, 6}));
  ExpectOutput(transpose, {x, Ints({2}, {0, 1})}, x);
  ExpectOutput(transpose, {Ints({1, 3, 1}, {1, 2, 3}), Ints({3}, {2, 1, 0})}, Ints({1, 3, 1}, {1, 2, 3}));
  ExpectOutput(transpose, {Tensor::Scalar(1), Ints({0}, {})}, Tensor::Scalar(1));
  ExpectOutput(transpose, {Ints({0, 3}, {}), Ints({2}, {1, 0})}, Ints({3, 0}, {}));
  OpTester longs = Op("Transpose", {{"T", DType::kInt32}, {"Tperm", DType::kInt64}});
  ExpectOutput(longs, {x, Longs({2}, {1, 0})}, Ints({3, 2}, {1, 4, 2, 5, 3, 6}));
  OpTester strings = Transpose(DType::kString);
  ExpectOutput(strings, {Strings({2, 2}, {"a", "b", "a string too long to be small", "d"}), Ints({2}, {1, 0})},
               Strings({2, 2}, {"a", "a string too long to be small", "b", "d"}));
  ExpectOutput(strings, {Strings({2, 2, 2}, {"a", "b", "c", "d", "e", "f", "g", "h"}), Ints({3}, {1, 0, 2})},
               Strings({2, 2, 2}, {"a", "b", "e", "f", "c", "d", "g", "h"}));
}

// Every permutation of shapes around the sizes of registers, tiles and panels.
TEST_F(TransposeOpsTest, AgreesWithPlainLoops) {
  const std::vector<std::vector<int64_t>> shapes = {{7, 5},        {16, 16},   {33, 70},   {100, 3},      {3, 100},
                                                    {2, 260, 300}, {5, 1, 67}, {8, 9, 10}, {3, 4, 5, 6},  {2, 3, 20, 2},
                                                    {17, 2, 19, 4}, {2, 2, 3, 2, 5}};
  for (const auto& dims : shapes) {
    const Tensor x = Counting(dims);
    const int rank = static_cast<int>(dims.size());
    std::vector<int32_t> perm(rank);
    std::iota(perm.begin(), perm.end(), 0);
    do {
      SCOPED_TRACE(x.ShapeString() + " " + Tensor::Vector<int32_t>(perm).DebugString());
      std::vector<int64_t> out_dims(rank), strides(rank);
      for (int i = rank - 1, stride = 1; i >= 0; stride *= static_cast<int>(dims[i--])) strides[i] = stride;
      for (int i = 0; i < rank; ++i) out_dims[i] = dims[perm[i]];
      const Shape out_shape = Shape::FromValid(out_dims);
      std::vector<int32_t> want(out_shape.num_elements());
      for (int64_t i = 0; i < out_shape.num_elements(); ++i) {
        int64_t rest = i, from = 0;
        for (int d = rank - 1; d >= 0; rest /= out_dims[d--]) from += rest % out_dims[d] * strides[perm[d]];
        want[i] = static_cast<int32_t>(from);
      }
      const auto check = [&]<typename T>(T) {
        const std::vector<T> in(x.values<int32_t>().begin(), x.values<int32_t>().end());
        OpTester tester = Transpose(kDTypeOf<T>);
        ExpectOutput(tester, {*Tensor::FromValues<T>(x.shape(), in), Tensor::Vector<int32_t>(perm)},
                     *Tensor::FromValues<T>(out_shape, std::vector<T>(want.begin(), want.end())));
      };
      check(int32_t());
      check(uint8_t());
      check(uint16_t());
      check(double());
      check(std::complex<double>());
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
}

TEST_F(TransposeOpsTest, Conjugates) {
  using C = std::complex<float>;
  OpTester transpose = Op("ConjugateTranspose", {{"T", DType::kComplex64}, {"Tperm", DType::kInt32}});
  ExpectOutput(transpose, {Of<C>({2, 2}, {C(1, 2), C(3, 0), C(0, -1), C(4, 5)}), Ints({2}, {1, 0})},
               Of<C>({2, 2}, {C(1, -2), C(0, 1), C(3, 0), C(4, -5)}));
  ExpectOutput(transpose, {Of<C>({1, 2}, {C(1, 2), C(3, 0)}), Ints({2}, {1, 0})}, Of<C>({2, 1}, {C(1, -2), C(3, 0)}));
  OpTester ints = Op("ConjugateTranspose", {{"T", DType::kInt32}, {"Tperm", DType::kInt32}});
  ExpectOutput(ints, {Ints({1, 2}, {1, 2}), Ints({2}, {1, 0})}, Ints({2, 1}, {1, 2}));
}

TEST_F(TransposeOpsTest, RejectsWhatIsNoPermutation) {
  OpTester transpose = Transpose(DType::kInt32);
  const Tensor x = Ints({2, 3}, {1, 2, 3, 4, 5, 6});
  ExpectInvalid(transpose, {x, Ints({2}, {0, 0})}, "perm: expected each dimension once, got 0 twice");
  ExpectInvalid(transpose, {x, Ints({2}, {0, 2})}, "perm: expected a value in [-2,2), got 2");
  ExpectInvalid(transpose, {x, Ints({1}, {0})}, "perm: expected 2 dimensions, got 1");
  ExpectInvalid(transpose, {x, Ints({1, 2}, {0, 1})}, "perm: expected a vector, got shape [1,2]");
}

TEST_F(TransposeOpsTest, TransposeShape) {
  const AttrMap attrs{{"T", DType::kInt32}};
  const Tensor perm = Ints({2}, {1, 0});
  const PartialShape pair = PartialShape::Of({2});
  EXPECT_EQ(Infer("Transpose", attrs, {PartialShape::Of({2, -1}), pair}, {nullptr, &perm}), PartialShape::Of({-1, 2}));
  EXPECT_EQ(Infer("Transpose", attrs, {PartialShape::Of({2, 3}), pair}), PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Transpose", attrs, {PartialShape(), pair}, {nullptr, &perm}), PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Transpose", attrs, {PartialShape(), PartialShape()}), PartialShape());
  ExpectInvalid(InferShapes(library_, "Transpose", attrs, {PartialShape::Of({2}), pair}, {nullptr, &perm}).status(), "perm");
}

TEST_F(TransposeOpsTest, SpaceAndDepth) {
  const AttrMap nhwc{{"T", DType::kInt32}, {"block_size", 2}}, nchw = nhwc.With("data_format", "NCHW");
  OpTester to_depth = Op("SpaceToDepth", nhwc), to_space = Op("DepthToSpace", nhwc);
  const Tensor image = Counting({1, 4, 4, 1});
  const Tensor depth = Ints({1, 2, 2, 4}, {0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15});
  ExpectOutput(to_depth, {image}, depth);
  ExpectOutput(to_space, {depth}, image);
  ExpectOutput(to_space, {Counting({1, 1, 2, 8})}, Ints({1, 2, 4, 2}, {0, 1, 2, 3, 8, 9, 10, 11, 4, 5, 6, 7, 12, 13, 14, 15}));
  OpTester to_depth_first = Op("SpaceToDepth", nchw), to_space_first = Op("DepthToSpace", nchw);
  const Tensor channels = Counting({1, 2, 2, 2});
  const Tensor deep = Ints({1, 8, 1, 1}, {0, 4, 1, 5, 2, 6, 3, 7});
  ExpectOutput(to_depth_first, {channels}, deep);
  ExpectOutput(to_space_first, {deep}, channels);
  ExpectOutput(to_depth, {Ints({0, 2, 2, 1}, {})}, Ints({0, 1, 1, 4}, {}));
  ExpectInvalid(to_depth, {Counting({1, 3, 4, 1})}, "height and width of input: expected multiples of block_size 2");
  ExpectInvalid(to_space, {Counting({1, 2, 2, 2})}, "depth of input: expected multiples of the square of block_size 2");
  ExpectInvalid(to_depth, {Counting({2, 2, 1})}, "expected 4 dimensions, got shape [2,2,1]");
  OpTester packed = Op("SpaceToDepth", nhwc.With("data_format", "NCHW_VECT_C"));
  EXPECT_EQ(packed.Run({image}).status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(Infer("SpaceToDepth", nhwc, {PartialShape::Of({-1, 4, -1, 3})}), PartialShape::Of({-1, 2, -1, 12}));
  EXPECT_EQ(Infer("DepthToSpace", nhwc, {PartialShape()}), PartialShape::UnknownOfRank(4));
}

TEST_F(TransposeOpsTest, SpaceAndBatch) {
  const AttrMap attrs{{"T", DType::kInt32}};
  OpTester to_batch = Op("SpaceToBatchND", attrs), to_space = Op("BatchToSpaceND", attrs);
  const Tensor image = Counting({1, 4, 4, 1}), pair = Ints({2}, {2, 2}), none = Ints({2, 2}, {0, 0, 0, 0});
  const Tensor batch = Ints({4, 2, 2, 1}, {0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15});
  ExpectOutput(to_batch, {image, pair, none}, batch);
  ExpectOutput(to_space, {batch, pair, none}, image);
  const Tensor margins = Ints({2, 2}, {0, 0, 2, 0});
  const Tensor padded = Ints({4, 2, 3, 1}, {0, 0, 2, 0, 8, 10, 0, 1, 3, 0, 9, 11, 0, 4, 6, 0, 12, 14, 0, 5, 7, 0, 13, 15});
  ExpectOutput(to_batch, {image, pair, margins}, padded);
  ExpectOutput(to_space, {padded, pair, margins}, image);
  ExpectOutput(to_space, {Counting({4, 2, 2, 1}), pair, Ints({2, 2}, {0, 0, 1, 0})},
               Ints({1, 4, 3, 1}, {4, 1, 5, 12, 9, 13, 6, 3, 7, 14, 11, 15}));
  // Two entries, one spatial dimension, wide cells.
  ExpectOutput(to_batch, {Counting({2, 2, 3}), Ints({1}, {2}), Ints({1, 2}, {0, 0})},
               Ints({4, 1, 3}, {0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}));
  ExpectOutput(to_batch, {image, Ints({0}, {}), Ints({0, 2}, {})}, image);
  ExpectOutput(to_batch, {Ints({1, 0, 2}, {}), Ints({1}, {2}), Ints({1, 2}, {1, 1})}, Ints({2, 1, 2}, {0, 0, 0, 0}));
  ExpectOutput(to_space, {batch, pair, Ints({2, 2}, {2, 2, 0, 0})}, Ints({1, 0, 4, 1}, {}));
  OpTester images = Op("SpaceToBatch", attrs.With("block_size", 2)), back = Op("BatchToSpace", attrs.With("block_size", 2));
  ExpectOutput(images, {image, none}, batch);
  ExpectOutput(back, {batch, none}, image);
  OpTester strings = Op("SpaceToBatchND", {{"T", DType::kString}});
  ExpectOutput(strings, {Strings({1, 2}, {"a", "b"}), Ints({1}, {2}), Ints({1, 2}, {2, 0})},
               Strings({2, 2}, {"", "a", "", "b"}));
}

TEST_F(TransposeOpsTest, SpaceAndBatchReject) {
  const AttrMap attrs{{"T", DType::kInt32}};
  OpTester to_batch = Op("SpaceToBatchND", attrs), to_space = Op("BatchToSpaceND", attrs);
  const Tensor image = Counting({1, 4, 4, 1}), batch = Counting({4, 2, 2, 1}), pair = Ints({2}, {2, 2});
  const Tensor none = Ints({2, 2}, {0, 0, 0, 0});
  ExpectInvalid(to_batch, {image, Ints({2}, {3, 2}), none}, "spatial dimension 0: expected a multiple of the block size");
  ExpectInvalid(to_batch, {image, Ints({2}, {0, 2}), none}, "block_shape: expected values >= 1, got 0");
  ExpectInvalid(to_batch, {image, pair, Ints({2, 2}, {-1, 1, 0, 0})}, "paddings: expected values >= 0, got -1");
  ExpectInvalid(to_batch, {image, pair, Ints({3, 2}, {0, 0, 0, 0, 0, 0})}, "paddings: expected shape [2,2], got [3,2]");
  ExpectInvalid(to_batch, {image, Ints({4}, {1, 1, 1, 1}), Ints({4, 2}, {0, 0, 0, 0, 0, 0, 0, 0})}, "expected at least 5 dimensions");
  ExpectInvalid(to_space, {batch, Ints({2}, {3, 2}), none}, "batch of input: expected a multiple of 6");
  ExpectInvalid(to_space, {batch, pair, Ints({2, 2}, {3, 3, 0, 0})}, "spatial dimension 0: expected no more crops");
  OpTester huge = Op("SpaceToBatchND", attrs.With("Tblock_shape", DType::kInt64));
  const int64_t large = int64_t{1} << 40;
  ExpectInvalid(huge, {image, Longs({2}, {large, large}), none}, "block_shape: expected a product that fits int64");
  OpTester images = Op("SpaceToBatch", attrs.With("block_size", 2));
  ExpectInvalid(images, {Counting({4, 4, 1}), none}, "input: expected 4 dimensions");
}

TEST_F(TransposeOpsTest, SpaceAndBatchShapes) {
  const AttrMap attrs{{"T", DType::kInt32}};
  const Tensor block = Ints({1}, {2}), margins = Ints({1, 2}, {1, 1});
  const std::vector<PartialShape> inputs{PartialShape::Of({-1, 4, 3}), PartialShape::Of({1}), PartialShape::Of({1, 2})};
  EXPECT_EQ(Infer("SpaceToBatchND", attrs, inputs, {nullptr, &block, &margins}), PartialShape::Of({-1, 3, 3}));
  EXPECT_EQ(Infer("BatchToSpaceND", attrs, inputs, {nullptr, &block, &margins}), PartialShape::Of({-1, 6, 3}));
  EXPECT_EQ(Infer("SpaceToBatchND", attrs, inputs), PartialShape::UnknownOfRank(3));
  EXPECT_EQ(Infer("SpaceToBatchND", attrs, {PartialShape(), PartialShape::Of({1}), PartialShape()}), PartialShape());
}

}  // namespace
}  // namespace flowlatch
