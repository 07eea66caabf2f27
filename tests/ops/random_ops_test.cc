#include "ops/random_ops.h"

#include <algorithm>
#include <cmath>

#include "runtime/kernel/step_context.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

// One node's kernel, to be run several times.
class Node {
 public:
  Node(const OpLibrary& library, const std::string& op, const AttrMap& attrs, int threads) : pool_(threads), step_(services_) {
    services_.pool = &pool_;
    const OpSchema* schema = library.registry().FindRegistered(op);
    const std::vector<PortType> inputs = *schema->InputTypes(attrs), outputs = *schema->OutputTypes(attrs);
    absl::StatusOr<Kernel> kernel = library.MakeKernel(NodeInfo("n", *schema, attrs, inputs, outputs));
    EXPECT_TRUE(kernel.ok()) << kernel.status();
    kernel_ = *std::move(kernel);
  }
  Tensor Run(std::vector<Tensor> inputs) {
    std::vector<uint32_t> slots(inputs.size());
    for (size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<uint32_t>(i);
    Tensor output;
    KernelCall call(&step_, inputs.data(), slots.data(), &output, kernel_.state.get(), static_cast<uint32_t>(slots.size()), 1, 0, 0);
    EXPECT_EQ(kernel_.fn(call), KernelStatus::kOk);
    return output;
  }

 private:
  class Step final : public StepContext {
   public:
    using StepContext::StepContext;
    void Fail(uint32_t, absl::Status status) override { ADD_FAILURE() << status; }
  };
  ThreadPool pool_;
  StepServices services_;
  Step step_;
  Kernel kernel_;
};

class RandomOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRandomOps(library_).ok()); }
  OpLibrary library_;
};

AttrMap Attrs(const std::string& op, DType dtype, int64_t seed, int64_t seed2) {
  return {{op == "RandomUniformInt" ? "Tout" : "dtype", dtype}, {"T", DType::kInt32}, {"seed", seed}, {"seed2", seed2}};
}

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

// Recorded from TensorFlow 2.21. RandomUniformInt draws from [-5, 1000000007), then from the type's whole range.
struct Recorded {
  const char* op;
  DType dtype;
  uint64_t first[3];      // bits of the first elements of shape [7], seeds 123 and -456
  uint64_t run, next_run;  // hashes of it, and of the next run
  uint64_t large;         // hash of shape [3,501], seeds 0 and 9
};
constexpr Recorded kRecorded[] = {
    {"RandomUniform", DType::kFloat32, {0x3d61ae20, 0x3f4498ba, 0x3f3528bc}, 0x566270deb254816full, 0x9b6824720dae9afaull, 0x8a429f97eaba52f6ull},
    {"RandomUniform", DType::kFloat64, {0x3fdc35c531893174ull, 0x3fe528bd0fd2c56cull, 0x3fef2f5df6ff28d6ull}, 0xe7d6a0537deb47e1ull, 0xafec289dc66618ceull, 0x19f30ccd80c6c2d4ull},
    {"RandomUniform", DType::kFloat16, {0x35c4, 0x2dd0, 0x2de0}, 0x12ffc223e71a3eaeull, 0xf4e887ff1c25c8efull, 0x9022dc7f1b87522eull},
    {"RandomUniform", DType::kBFloat16, {0x3f62, 0x3f3a, 0x3f3c}, 0x4dd0b31e1bd48c84ull, 0x18193f715942db0cull, 0xb2fe40e618744933ull},
    {"RandomStandardNormal", DType::kFloat32, {0xc0191dea, 0x3e8ac87c, 0xbf3eb2ec}, 0xe9e2617df57374e8ull, 0x27c6ef76c98feeb5ull, 0x9ef6f95a5664dd66ull},
    {"RandomStandardNormal", DType::kFloat64, {0xbff1602e086f1e76ull, 0xbfe5ae5f69607185ull, 0xbfcc8b5e3e14f9a5ull}, 0x77b3f9ba8decf7baull, 0xd1fd54b09145d552ull, 0xa7ac7a4f15072e3aull},
    {"RandomStandardNormal", DType::kFloat16, {0xc0c9, 0x3456, 0xb9f6}, 0xf5988a157cd0a050ull, 0x9972c1cb7726ba7dull, 0x494f62f4571efd70ull},
    {"RandomStandardNormal", DType::kBFloat16, {0xc019, 0x3e8b, 0xbf3f}, 0x79f5897bcca545a9ull, 0xbc8d604d08363db4ull, 0xacadbe804f2d6c5bull},
    {"TruncatedNormal", DType::kFloat32, {0x3e8ac87c, 0xbf3eb2ec, 0x3ebd4d64}, 0x71eccf51c08b27e9ull, 0x746e76ad0b184ee4ull, 0xe4833feb570392d9ull},
    {"TruncatedNormal", DType::kFloat64, {0xbff1602e086f1e76ull, 0xbfe5ae5f69607185ull, 0x3fa5b49ac28d33eeull}, 0x1a5a17165f6799a6ull, 0xe294cb7f71cb1ddeull, 0x6ec56c52a25cababull},
    {"TruncatedNormal", DType::kFloat16, {0x3456, 0xb9f6, 0x35ea}, 0x12a5ea0c7f3e5b37ull, 0x5044da0ac7c5c8dcull, 0x515c0af2b22e5febull},
    {"TruncatedNormal", DType::kBFloat16, {0x3e8b, 0xbf3f, 0x3ebd}, 0x9ef03d940df5b319ull, 0x960982c90aefed32ull, 0xcdfe2f1930403038ull},
    {"RandomUniformInt", DType::kInt32, {0x21b6af48, 0x10c7824c, 0x0e5a9459}, 0x0a5328ec344dc60bull, 0xa5a785c10a6cf765ull, 0xe8e8665b67ecf141ull},
    {"RandomUniformInt", DType::kInt64, {0x0000000019cdb034ull, 0x000000000e1abf8dull, 0x000000000ef07cb5ull}, 0xf481f95849cbcf38ull, 0xc5170108286f8a41ull, 0x0440f5546e275033ull},
};

std::vector<Tensor> IntBounds(const Recorded& r, bool whole) {
  if (r.op != std::string("RandomUniformInt")) return {};
  using Int = std::numeric_limits<int32_t>;
  using Long = std::numeric_limits<int64_t>;
  if (r.dtype == DType::kInt32) {
    return {Tensor::Scalar(whole ? Int::min() : -5), Tensor::Scalar(whole ? Int::max() : 1000000007)};
  }
  return {Tensor::Scalar(whole ? Long::min() : int64_t{-5}), Tensor::Scalar(whole ? Long::max() : int64_t{1000000007})};
}

TEST_F(RandomOpsTest, SameBitsAsTensorFlow) {
  for (const Recorded& r : kRecorded) {
    for (const int threads : {1, 4}) {
      SCOPED_TRACE(testing::Message() << r.op << " " << DTypeName(r.dtype) << " threads " << threads);
      std::vector<Tensor> small{Ints({1}, {7})}, large{Ints({2}, {3, 501})};
      for (const Tensor& bound : IntBounds(r, false)) small.push_back(bound);
      for (const Tensor& bound : IntBounds(r, true)) large.push_back(bound);
      Node node(library_, r.op, Attrs(r.op, r.dtype, 123, -456), threads);
      const Tensor run = node.Run(small);
      for (int i = 0; i < 3; ++i) EXPECT_EQ(Bits(run, i), r.first[i]) << i;
      EXPECT_EQ(Hash(run), r.run);
      EXPECT_EQ(Hash(node.Run(small)), r.next_run);
      Node other(library_, r.op, Attrs(r.op, r.dtype, 0, 9), threads);
      EXPECT_EQ(Hash(other.Run(large)), r.large);
    }
  }
}

TEST_F(RandomOpsTest, AnEmptyRunTakesNothing) {
  const AttrMap attrs = Attrs("RandomUniform", DType::kFloat32, 1, 2);
  Node node(library_, "RandomUniform", attrs, 1), fresh(library_, "RandomUniform", attrs, 1);
  EXPECT_EQ(node.Run({Ints({2}, {3, 0})}).ShapeString(), "[3,0]");
  EXPECT_EQ(Difference(node.Run({Ints({1}, {5})}), fresh.Run({Ints({1}, {5})})), "");
}

TEST_F(RandomOpsTest, NoSeedsMeanAnySequence) {
  const AttrMap attrs = Attrs("RandomUniform", DType::kFloat64, 0, 0);
  Node a(library_, "RandomUniform", attrs, 1), b(library_, "RandomUniform", attrs, 1);
  EXPECT_NE(Difference(a.Run({Ints({1}, {5})}), b.Run({Ints({1}, {5})})), "");
}

TEST_F(RandomOpsTest, Distributions) {
  const Tensor shape = Ints({1}, {100000});
  const struct {
    const char* op;
    double mean, deviation, largest;
  } cases[] = {{"RandomUniform", 0.5, 0.2887, 1}, {"RandomStandardNormal", 0, 1, 6}, {"TruncatedNormal", 0, 0.8796, 2}};
  for (const auto& [op, mean, deviation, largest] : cases) {
    SCOPED_TRACE(op);
    Node node(library_, op, Attrs(op, DType::kFloat32, 3, 4), 4);
    const Tensor t = node.Run({shape});
    double sum = 0, squares = 0;
    for (const float x : t.values<float>()) {
      EXPECT_LT(std::abs(x), largest);
      sum += x;
      squares += (x - mean) * (x - mean);
    }
    EXPECT_NEAR(sum / 1e5, mean, 0.02);
    EXPECT_NEAR(std::sqrt(squares / 1e5), deviation, 0.02);
  }
}

TEST_F(RandomOpsTest, Rejects) {
  OpTester uniform(library_, "RandomUniform", Attrs("RandomUniform", DType::kFloat32, 1, 2));
  ExpectOutput(uniform, {Ints({1}, {0})}, Floats({0}, {}));
  ExpectInvalid(uniform, {Tensor::Scalar(3)}, "shape: expected a vector, got shape []");
  ExpectInvalid(uniform, {Ints({1}, {-1})}, "expected");
  OpTester ints(library_, "RandomUniformInt", Attrs("RandomUniformInt", DType::kInt32, 1, 2));
  ExpectInvalid(ints, {Ints({1}, {3}), Tensor::Scalar(3), Tensor::Scalar(3)}, "maxval: expected a value above minval 3, got 3");
  ExpectInvalid(ints, {Ints({1}, {3}), Ints({1}, {3}), Tensor::Scalar(4)}, "minval: expected a scalar, got shape [1]");
  ExpectInvalid(ints, {Ints({1}, {3}), Tensor::Scalar(3), Ints({1}, {4})}, "maxval: expected a scalar, got shape [1]");
  ExpectOutput(ints, {Ints({1}, {0}), Tensor::Scalar(3), Tensor::Scalar(3)}, Ints({0}, {}));
}

TEST_F(RandomOpsTest, Shape) {
  const AttrMap attrs = Attrs("RandomUniform", DType::kFloat32, 1, 2);
  const Tensor shape = Ints({2}, {3, 4});
  const auto infer = [&](PartialShape input, const Tensor* constant) {
    return (*InferShapes(library_, "RandomUniform", attrs, {input}, {constant}))[0];
  };
  EXPECT_EQ(infer(PartialShape::Of({2}), &shape), PartialShape::Of({3, 4}));
  EXPECT_EQ(infer(PartialShape::Of({2}), nullptr), PartialShape::UnknownOfRank(2));
  EXPECT_EQ(infer(PartialShape(), nullptr), PartialShape());
}

}  // namespace
}  // namespace flowlatch
