#include "ops/stateless_random_ops.h"

#include <string>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class StatelessRandomOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterStatelessRandomOps(library_).ok()); }

  // The start of a seed's sequence, as inputs of the V2 ops.
  std::vector<Tensor> KeyCounterAlg(const Tensor& seed) {
    OpTester t(library_, "StatelessRandomGetKeyCounterAlg", {{"Tseed", seed.dtype()}});
    const auto out = t.Run({seed});
    EXPECT_TRUE(out.ok()) << out.status();
    return *out;
  }
  OpLibrary library_;
};

// FNV-1a of a tensor's bytes.
uint64_t Hash(const Tensor& t) {
  uint64_t hash = 0xcbf29ce484222325;
  const unsigned char* bytes = static_cast<const unsigned char*>(t.raw_data());
  for (int64_t i = 0; i < t.size_bytes(); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

uint64_t Bits(const Tensor& t, int64_t i) {
  uint64_t bits = 0;
  const size_t size = DTypeSize(t.dtype());
  std::memcpy(&bits, static_cast<const char*>(t.raw_data()) + i * size, size);
  return bits;
}

// Recorded from TensorFlow 2.21. UniformInt draws from [-5, 1000000007).
struct Recorded {
  const char* op;
  DType dtype;
  uint64_t first[3];  // bits of the first elements of shape [7], seed [123, -456] of int32
  uint64_t small;     // hash of it
  uint64_t large;     // hash of shape [3,501], seed [0, 2^40 + 9] of int64
};
constexpr Recorded kRecorded[] = {
    {"StatelessRandomUniform", DType::kFloat32, {0x3edb980c, 0x3ec3ce50, 0x3f104b9a}, 0xcbd9086db8c8d489ull, 0x2c1fb63f673eacc9ull},
    {"StatelessRandomUniform", DType::kFloat64, {0x3fdb980d9ac3ce50ull, 0x3fe04b9b180f5454ull, 0x3fe5b3e6559631dcull}, 0xbf0aa511a770c27eull, 0x921bf6041f44e147ull},
    {"StatelessRandomUniform", DType::kFloat16, {0x3806, 0x3b28, 0x3734}, 0x5725407071993c99ull, 0x529ca142346fa9b9ull},
    {"StatelessRandomUniform", DType::kBFloat16, {0x3cc0, 0x3e20, 0x3f1a}, 0x71e1cd12efed21b9ull, 0x7b2e091e9b8490e1ull},
    {"StatelessRandomNormal", DType::kFloat32, {0x3f604947, 0xbf7647c0, 0x3ec97164}, 0x7f8af6946b3ebff7ull, 0xd71119e73eb9dd25ull},
    {"StatelessRandomNormal", DType::kFloat64, {0xbfb33ed792900c31ull, 0xbff4b827c09c6c22ull, 0x3feb518772ac1d20ull}, 0xfd05b312e8f95a39ull, 0x1e75bbe772698bc3ull},
    {"StatelessRandomNormal", DType::kFloat16, {0x3b02, 0xbbb2, 0x364c}, 0x53e6313448ff0f9ull, 0x20273c575c8f8679ull},
    {"StatelessRandomNormal", DType::kBFloat16, {0x3f60, 0xbf76, 0x3ec9}, 0xf4e4e68fa6c1dd26ull, 0x58909b47247000bdull},
    {"StatelessTruncatedNormal", DType::kFloat32, {0x3f604947, 0xbf7647c0, 0x3ec97164}, 0x677f10e90eefbd2eull, 0xaa85edb25151780bull},
    {"StatelessTruncatedNormal", DType::kFloat64, {0xbfb33ed792900c31ull, 0xbff4b827c09c6c22ull, 0x3fc50429106d6ad8ull}, 0xb1e5946778e6f251ull, 0xcf4d9f491e7038cfull},
    {"StatelessTruncatedNormal", DType::kFloat16, {0x3b02, 0xbbb2, 0x364c}, 0x177a27749ec69f12ull, 0xe76495f98354f489ull},
    {"StatelessTruncatedNormal", DType::kBFloat16, {0x3f60, 0xbf76, 0x3ec9}, 0x68a7e1df04fdd9adull, 0x6fae415aa883b48cull},
    {"StatelessRandomUniformInt", DType::kInt32, {0x389c1bf2, 0x2b162983, 0x239291b0}, 0xffc5447a651d38c7ull, 0xe921f32684643ae6ull},
    {"StatelessRandomUniformInt", DType::kInt64, {0x35e20a22ull, 0x192c74cull, 0x359502eull}, 0x745a7c7f7a9627cull, 0xac3d6ad4de06fbc1ull},
    {"StatelessRandomUniformFullInt", DType::kInt32, {0x7436e603, 0x66b0f394, 0x9ac825cd}, 0x160037490ff61194ull, 0xdd86be4cc0ecb434ull},
    {"StatelessRandomUniformFullInt", DType::kInt64, {0x66b0f3947436e603ull, 0x8c07aa2a9ac825cdull, 0x2acb18ee2a7ad9f3ull}, 0xa251954e933e8211ull, 0x1e1a63d8a91b6096ull},
    {"StatelessRandomUniformFullInt", DType::kUInt32, {0x7436e603, 0x66b0f394, 0x9ac825cd}, 0x160037490ff61194ull, 0xdd86be4cc0ecb434ull},
    {"StatelessRandomUniformFullInt", DType::kUInt64, {0x66b0f3947436e603ull, 0x8c07aa2a9ac825cdull, 0x2acb18ee2a7ad9f3ull}, 0xa251954e933e8211ull, 0x1e1a63d8a91b6096ull},
};

std::vector<Tensor> IntBounds(const Recorded& r) {
  if (r.op != std::string("StatelessRandomUniformInt")) return {};
  if (r.dtype == DType::kInt32) return {Tensor::Scalar(-5), Tensor::Scalar(1000000007)};
  return {Tensor::Scalar(int64_t{-5}), Tensor::Scalar(int64_t{1000000007})};
}

TEST_F(StatelessRandomOpsTest, SameBitsAsTensorFlow) {
  for (const Recorded& r : kRecorded) {
    SCOPED_TRACE(testing::Message() << r.op << " " << DTypeName(r.dtype));
    for (const bool small : {true, false}) {
      const Tensor seed = small ? Ints({2}, {123, -456}) : Longs({2}, {0, (int64_t{1} << 40) + 9});
      const Tensor shape = small ? Ints({1}, {7}) : Ints({2}, {3, 501});
      std::vector<Tensor> inputs{shape, seed}, placed{shape};
      for (const Tensor& t : KeyCounterAlg(seed)) placed.push_back(t);
      for (const Tensor& bound : IntBounds(r)) {
        inputs.push_back(bound);
        placed.push_back(bound);
      }
      OpTester seeded(library_, r.op, {{"dtype", r.dtype}, {"T", DType::kInt32}, {"Tseed", seed.dtype()}});
      OpTester at_counter(library_, std::string(r.op) + "V2", {{"dtype", r.dtype}, {"Tshape", DType::kInt32}});
      const auto out = seeded.Run(inputs), out2 = at_counter.Run(placed);
      ASSERT_TRUE(out.ok() && out2.ok()) << out.status() << out2.status();
      EXPECT_EQ(Difference((*out)[0], (*out2)[0]), "");
      EXPECT_EQ(Hash((*out)[0]), small ? r.small : r.large);
      for (int i = 0; small && i < 3; ++i) EXPECT_EQ(Bits((*out)[0], i), r.first[i]) << i;
    }
  }
}

TEST_F(StatelessRandomOpsTest, KeysAndCounters) {
  const Tensor key = Of<uint64_t>({1}, {0x80d8166e50002ce2}), counter = Of<uint64_t>({2}, {0, 0x847e089c0f2ff3f0});
  OpTester both(library_, "StatelessRandomGetKeyCounter", {{"Tseed", DType::kInt32}});
  ExpectOutputs(both, {Ints({2}, {123, -456})}, {key, counter});
  OpTester all(library_, "StatelessRandomGetKeyCounterAlg", {{"Tseed", DType::kInt64}});
  ExpectOutputs(all, {Longs({2}, {123, -456})}, {key, counter, Tensor::Scalar(1)});
  OpTester alg(library_, "StatelessRandomGetAlg", {});
  ExpectOutput(alg, {}, Tensor::Scalar(1));
  ExpectInvalid(both, {Ints({3}, {1, 2, 3})}, "seed: expected shape [2], got [3]");
  ExpectInvalid(both, {Tensor::Scalar(1)}, "seed: expected a vector");
  EXPECT_EQ((*InferShapes(library_, "StatelessRandomGetKeyCounterAlg", {}, {PartialShape()})),
            (std::vector<PartialShape>{PartialShape::Of({1}), PartialShape::Of({2}), PartialShape::Of({})}));
}

TEST_F(StatelessRandomOpsTest, CountersCarryAndAlgorithmsAreChosen) {
  const Tensor key = Of<uint64_t>({1}, {5}), shape = Ints({1}, {8}), rest = Ints({1}, {4});
  OpTester t(library_, "StatelessRandomUniformFullIntV2", {{"dtype", DType::kInt32}, {"Tshape", DType::kInt32}});
  const auto whole = t.Run({shape, key, Of<uint64_t>({2}, {~uint64_t{0}, 6}), Tensor::Scalar(3)});
  const auto second = t.Run({rest, key, Of<uint64_t>({3}, {0, 7, 9}), Tensor::Scalar(1)});
  ASSERT_TRUE(whole.ok() && second.ok()) << whole.status() << second.status();
  for (int i = 0; i < 4; ++i) EXPECT_EQ((*whole)[0].values<int32_t>()[4 + i], (*second)[0].values<int32_t>()[i]);
}

TEST_F(StatelessRandomOpsTest, Empty) {
  OpTester t(library_, "StatelessRandomUniform", {{"dtype", DType::kFloat32}, {"T", DType::kInt32}, {"Tseed", DType::kInt32}});
  ExpectOutput(t, {Ints({2}, {3, 0}), Ints({2}, {1, 2})}, Floats({3, 0}, {}));
  OpTester ints(library_, "StatelessRandomUniformInt",
                {{"dtype", DType::kInt32}, {"T", DType::kInt32}, {"Tseed", DType::kInt32}});
  ExpectOutput(ints, {Ints({1}, {0}), Ints({2}, {1, 2}), Tensor::Scalar(3), Tensor::Scalar(3)}, Ints({0}, {}));
  const auto scalar = t.Run({Ints({0}, {}), Ints({2}, {1, 2})});
  ASSERT_TRUE(scalar.ok()) << scalar.status();
  EXPECT_TRUE((*scalar)[0].is_scalar());
}

TEST_F(StatelessRandomOpsTest, Rejects) {
  const Tensor shape = Ints({1}, {2}), seed = Ints({2}, {1, 2});
  OpTester t(library_, "StatelessRandomUniform", {{"dtype", DType::kFloat32}, {"T", DType::kInt32}, {"Tseed", DType::kInt32}});
  ExpectInvalid(t, {Tensor::Scalar(2), seed}, "shape: expected a vector, got shape []");
  ExpectInvalid(t, {Ints({1}, {-1}), seed}, "expected");
  ExpectInvalid(t, {shape, Ints({1}, {1})}, "seed: expected shape [2], got [1]");
  OpTester any(library_, "StatelessRandomUniformFullInt",
               {{"dtype", DType::kInt32}, {"T", DType::kInt32}, {"Tseed", DType::kUInt32}});
  ExpectInvalid(any, {shape, Of<uint32_t>({2}, {1, 2})}, "seed");
  OpTester ints(library_, "StatelessRandomUniformInt",
                {{"dtype", DType::kInt32}, {"T", DType::kInt32}, {"Tseed", DType::kInt32}});
  ExpectInvalid(ints, {shape, seed, Tensor::Scalar(3), Tensor::Scalar(3)}, "maxval: expected a value above minval 3, got 3");
  ExpectInvalid(ints, {shape, seed, Ints({1}, {3}), Tensor::Scalar(4)}, "minval: expected a scalar, got shape [1]");
  ExpectInvalid(ints, {shape, seed, Tensor::Scalar(3), Ints({1}, {4})}, "maxval: expected a scalar, got shape [1]");
  const Tensor key = Of<uint64_t>({1}, {5}), counter = Of<uint64_t>({2}, {0, 0}), alg = Tensor::Scalar(1);
  OpTester v2(library_, "StatelessRandomUniformV2", {{"dtype", DType::kFloat32}, {"Tshape", DType::kInt32}});
  ExpectInvalid(v2, {shape, counter, counter, alg}, "key: expected a uint64 of shape [1], got shape [2]");
  ExpectInvalid(v2, {shape, key, key, alg}, "counter: expected a uint64 vector of 2 or more, got shape [1]");
  ExpectInvalid(v2, {shape, key, counter, Ints({1}, {1})}, "alg: expected a scalar");
  ExpectInvalid(v2, {shape, key, counter, Tensor::Scalar(2)}, "alg: expected 1 (Philox) or 3 (any), got 2");
}

TEST_F(StatelessRandomOpsTest, Shape) {
  const AttrMap attrs{{"dtype", DType::kFloat32}, {"T", DType::kInt32}, {"Tseed", DType::kInt32}};
  const Tensor shape = Ints({2}, {3, 4});
  const auto infer = [&](PartialShape input, const Tensor* constant) {
    return (*InferShapes(library_, "StatelessRandomNormal", attrs, {input, PartialShape()}, {constant, nullptr}))[0];
  };
  EXPECT_EQ(infer(PartialShape::Of({2}), &shape), PartialShape::Of({3, 4}));
  EXPECT_EQ(infer(PartialShape::Of({2}), nullptr), PartialShape::UnknownOfRank(2));
  EXPECT_EQ(infer(PartialShape(), nullptr), PartialShape());
  ExpectInvalid(InferShapes(library_, "StatelessRandomNormal", attrs, {PartialShape::Of({2}), PartialShape::Of({3})}).status(),
                "seed: expected shape [2], got [3]");
}

}  // namespace
}  // namespace flowlatch
