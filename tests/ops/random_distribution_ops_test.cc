#include "ops/random_distribution_ops.h"

#include <cmath>
#include <limits>
#include <string>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class RandomDistributionOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRandomDistributionOps(library_).ok()); }
  Tensor Run(const std::string& op, AttrMap attrs, const std::vector<Tensor>& inputs) {
    OpTester t(library_, op, std::move(attrs));
    const auto out = t.Run(inputs);
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
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

template <typename... V>
Tensor OfType(DType dtype, V... values) {
  const int64_t n = sizeof...(values);
  switch (dtype) {
    case DType::kFloat16: return Of<Half, float>({n}, {static_cast<float>(values)...});
    case DType::kBFloat16: return Of<BFloat16, float>({n}, {static_cast<float>(values)...});
    case DType::kFloat64: return Of<double>({n}, {static_cast<double>(values)...});
    case DType::kInt32: return Ints({n}, {static_cast<int32_t>(values)...});
    case DType::kInt64: return Longs({n}, {static_cast<int64_t>(values)...});
    default: return Floats({n}, {static_cast<float>(values)...});
  }
}

// The hashes here are of what TensorFlow 2.21 gives for seeds 7 and 8.
constexpr DType kF16 = DType::kFloat16, kF32 = DType::kFloat32, kF64 = DType::kFloat64, kI32 = DType::kInt32, kI64 = DType::kInt64;

AttrMap With(const AttrMap& attrs, bool stateless) {
  return stateless ? attrs.With("Tseed", kI32) : attrs.With("seed", int64_t{7}).With("seed2", int64_t{8});
}

TEST_F(RandomDistributionOpsTest, GammaAsTensorFlow) {
  const struct {
    DType dtype;
    uint64_t node, seed;
  } cases[] = {{kF32, 0x1ac20493756a3d19, 0xe2b00f280bc61b8e},
               {kF64, 0x2520484e9e64acbb, 0xe9cb55edbb1eeba5},
               {kF16, 0x0e250d4ed71e4241, 0xd98fbdd1f24afda1}};
  for (const auto& [dtype, node, seed] : cases) {
    SCOPED_TRACE(DTypeName(dtype));
    const Tensor alpha = OfType(dtype, 0.25, 1, 3.5);
    OpTester once(library_, "RandomGamma", With({{"S", kI32}, {"T", dtype}}, false));
    const auto out = once.Once().Run({Ints({1}, {101}), alpha});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Hash((*out)[0]), node);
    EXPECT_EQ(Hash(Run("StatelessRandomGammaV2", With({{"T", kI32}, {"dtype", dtype}}, true),
                       {Ints({2}, {101, 3}), Ints({2}, {7, 8}), alpha})), seed);
  }
}

TEST_F(RandomDistributionOpsTest, PoissonAsTensorFlow) {
  for (const DType rate : {kF32, kF64, kF16, kI32, kI64}) {
    for (const auto& [dtype, want] : {std::pair{kI64, 0x4cdad9eb02c535b9}, {kF32, static_cast<int64_t>(0xed0966a4cf36540d)}}) {
      SCOPED_TRACE(testing::Message() << DTypeName(rate) << " " << DTypeName(dtype));
      OpTester once(library_, "RandomPoissonV2", With({{"S", kI32}, {"R", rate}, {"dtype", dtype}}, false));
      const auto out = once.Once().Run({Ints({1}, {101}), OfType(rate, 0, 4, 30)});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ(Hash((*out)[0]), static_cast<uint64_t>(want));
    }
  }
  const std::pair<DType, uint64_t> cases[] = {{kF32, 0x21c46dad71d3a943}, {kF64, 0x0920bb99a747f925}, {kF16, 0x80dc45b2935e5d2a},
                                              {kI32, 0xcf3436b3a6861788}, {kI64, 0xa1dc65ac61196fd8}};
  for (const auto& [dtype, want] : cases) {
    for (const DType rate : {kF16, kF32, kF64}) {
      EXPECT_EQ(Hash(Run("StatelessRandomPoisson", With({{"T", kI32}, {"Rtype", rate}, {"dtype", dtype}}, true),
                         {Ints({2}, {101, 3}), Ints({2}, {7, 8}), OfType(rate, 0.5, 4, 30)})), want);
    }
  }
}

TEST_F(RandomDistributionOpsTest, BinomialAsTensorFlow) {
  const struct {
    DType t, dtype;
    uint64_t want;
  } cases[] = {{kF32, kF32, 0xbd86059fc0c7ec1e}, {kF32, kF64, 0xa4c5bdccbcbf8e91}, {kF32, kF16, 0xf2906dfcf8e3a6d8},
               {kF32, kI32, 0x3acfaacd947b1fc4}, {kF32, kI64, 0x7b898d940a046a64}, {kF64, kF32, 0xfba686564462ca0e},
               {kF64, kI64, 0xd6fed12d76c8beaa}, {kF16, kF32, 0xa324e9b05382a3b5}, {kF16, kI64, 0xeccc282a269643d5}};
  for (const auto& [t, dtype, want] : cases) {
    SCOPED_TRACE(testing::Message() << DTypeName(t) << " " << DTypeName(dtype));
    EXPECT_EQ(Hash(Run("StatelessRandomBinomial", With({{"S", kI32}, {"T", t}, {"dtype", dtype}}, true),
                       {Ints({2}, {101, 5}), Ints({2}, {7, 8}), OfType(t, 10, 100, 1000, 20, 7), OfType(t, 0.25, 0.9, 0.4, 1.5, 0)})),
              want);
  }
}

TEST_F(RandomDistributionOpsTest, MultinomialAsTensorFlow) {
  const std::pair<DType, std::pair<uint64_t, uint64_t>> outputs[] = {{kI32, {0x5947a17bf5ff45d7, 0x5b619e4deca5b8c5}},
                                                                     {kI64, {0xae7716d1a10af387, 0x90d1ab32e7722865}}};
  for (const DType t : {kF16, DType::kBFloat16, kF32, kF64}) {
    Tensor logits = OfType(t, 0.5, 1, -2, 3, 0, 0, -kInf, 0, 1, kNaN, 2, 0.25);
    logits = *logits.Reshaped(Shape::Of({3, 4}));
    for (const auto& [dtype, want] : outputs) {
      SCOPED_TRACE(testing::Message() << DTypeName(t) << " " << DTypeName(dtype));
      OpTester once(library_, "Multinomial", With({{"T", t}, {"output_dtype", dtype}}, false));
      const auto out = once.Once().Run({logits, Tensor::Scalar(7)});
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ(Hash((*out)[0]), want.first);
      EXPECT_EQ(Hash(Run("StatelessMultinomial", With({{"T", t}, {"output_dtype", dtype}}, true),
                         {logits, Tensor::Scalar(7), Ints({2}, {7, 8})})), want.second);
    }
  }
}

TEST_F(RandomDistributionOpsTest, V3StartsWhereAKeyAndACounterSay) {
  const AttrMap attrs{{"shape_dtype", kI32}, {"dtype", kF32}};
  const Tensor key = Of<uint64_t>({1}, {5}), shape = Ints({1}, {3}), alpha = Tensor::Scalar(2.0f), alg = Tensor::Scalar(1);
  const Tensor all = Run("StatelessRandomGammaV3", attrs, {shape, key, Of<uint64_t>({2}, {0, 0}), alg, alpha});
  const Tensor later = Run("StatelessRandomGammaV3", attrs, {shape, key, Of<uint64_t>({2}, {256, 0}), alg, alpha});
  EXPECT_EQ(all.values<float>()[1], later.values<float>()[0]);
  EXPECT_EQ(all.values<float>()[2], later.values<float>()[1]);
}

TEST_F(RandomDistributionOpsTest, ParametersWithoutDistributions) {
  const Tensor gamma = Run("StatelessRandomGammaV2", With({{"T", kI32}, {"dtype", kF32}}, true),
                           {Ints({1}, {4}), Ints({2}, {7, 8}), Floats({4}, {-1, kNaN, 0, kInf})});
  EXPECT_EQ(Difference(gamma, Floats({4}, {kNaN, kNaN, 0, kInf})), "");
  const Tensor rates = Floats({4}, {-1, 0, kInf, kNaN});
  EXPECT_EQ(Difference(Run("StatelessRandomPoisson", With({{"T", kI32}, {"Rtype", kF32}, {"dtype", kF32}}, true),
                           {Ints({1}, {4}), Ints({2}, {7, 8}), rates}), Floats({4}, {0, 0, kInf, kNaN})), "");
  EXPECT_EQ(Difference(Run("StatelessRandomPoisson", With({{"T", kI32}, {"Rtype", kF32}, {"dtype", kI32}}, true),
                           {Ints({1}, {4}), Ints({2}, {7, 8}), rates}), Ints({4}, {0, 0, 0, 0})), "");
  const Tensor large = Run("StatelessRandomPoisson", With({{"T", kI32}, {"Rtype", kF32}, {"dtype", kI32}}, true),
                           {Ints({1}, {1}), Ints({2}, {7, 8}), Floats({1}, {1e30f})});
  EXPECT_EQ(large.values<int32_t>()[0], std::numeric_limits<int32_t>::max());
  EXPECT_EQ(Difference(Run("StatelessRandomBinomial", With({{"S", kI32}, {"T", kF32}, {"dtype", kF32}}, true),
                           {Ints({1}, {5}), Ints({2}, {7, 8}), Floats({5}, {-3, kNaN, 4, 9, kInf}), Floats({5}, {0.5, 0.5, kNaN, 2, 0.5})}),
                       Floats({5}, {0, kNaN, kNaN, 9, kNaN})), "");
}

TEST_F(RandomDistributionOpsTest, Empty) {
  OpTester gamma(library_, "RandomGamma", With({{"S", kI32}, {"T", kF32}}, false));
  ExpectOutput(gamma, {Ints({1}, {2}), Floats({0}, {})}, Floats({2, 0}, {}));
  OpTester classes(library_, "Multinomial", With({{"T", kF32}, {"output_dtype", kI32}}, false));
  ExpectOutput(classes, {Floats({0, 3}, {}), Tensor::Scalar(1)}, Ints({0, 1}, {}));
  ExpectOutput(classes, {Floats({1, 1}, {0}), Tensor::Scalar(0)}, Ints({1, 0}, {}));
  ExpectOutput(classes, {Floats({1, 2}, {-kInf, -kInf}), Tensor::Scalar(2)}, Ints({1, 2}, {2, 2}));
}

TEST_F(RandomDistributionOpsTest, Rejects) {
  OpTester gamma(library_, "RandomGamma", With({{"S", kI32}, {"T", kF32}}, false));
  ExpectInvalid(gamma, {Tensor::Scalar(2), Floats({1}, {1})}, "shape: expected a vector, got shape []");
  OpTester seeded(library_, "StatelessRandomGammaV2", With({{"T", kI32}, {"dtype", kF32}}, true));
  ExpectInvalid(seeded, {Ints({1}, {2}), Ints({2}, {7, 8}), Floats({3}, {1, 2, 3})}, "shape: expected one that ends with [3]");
  ExpectInvalid(seeded, {Ints({1}, {1}), Ints({1}, {7}), Floats({1}, {1})}, "seed: expected shape [2], got [1]");
  OpTester binomial(library_, "StatelessRandomBinomial", With({{"S", kI32}, {"T", kF32}, {"dtype", kI32}}, true));
  ExpectInvalid(binomial, {Ints({1}, {3}), Ints({2}, {7, 8}), Floats({3}, {1, 2, 3}), Floats({2}, {0, 1})}, "[3]");
  OpTester classes(library_, "Multinomial", With({{"T", kF32}, {"output_dtype", kI32}}, false));
  ExpectInvalid(classes, {Floats({2}, {0, 0}), Tensor::Scalar(1)}, "logits: expected");
  ExpectInvalid(classes, {Floats({2, 0}, {}), Tensor::Scalar(1)}, "logits: expected shape [?,1 or more], got [2,0]");
  ExpectInvalid(classes, {Floats({1, 1}, {0}), Tensor::Scalar(-1)}, "num_samples: expected 0 or more, got -1");
}

TEST_F(RandomDistributionOpsTest, Shape) {
  const Tensor shape = Ints({2}, {3, 4}), samples = Tensor::Scalar(5);
  EXPECT_EQ((*InferShapes(library_, "RandomGamma", {{"S", kI32}, {"T", kF32}}, {PartialShape::Of({2}), PartialShape::Of({-1})},
                          {&shape, nullptr}))[0], PartialShape::Of({3, 4, -1}));
  EXPECT_EQ((*InferShapes(library_, "RandomGamma", {{"S", kI32}, {"T", kF32}}, {PartialShape(), PartialShape()}))[0], PartialShape());
  EXPECT_EQ((*InferShapes(library_, "Multinomial", {{"T", kF32}}, {PartialShape::Of({-1, 2}), PartialShape::Of({})},
                          {nullptr, &samples}))[0], PartialShape::Of({-1, 5}));
  EXPECT_EQ((*InferShapes(library_, "Multinomial", {{"T", kF32}}, {PartialShape(), PartialShape()}))[0], PartialShape::Of({-1, -1}));
}

}  // namespace
}  // namespace flowlatch
