#include "ops/bias_ops.h"

#include <complex>
#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

const OpLibrary& Library() {
  static const OpLibrary* library = [] {
    auto* l = new OpLibrary;
    EXPECT_TRUE(RegisterBiasOps(*l).ok());
    return l;
  }();
  return *library;
}

OpTester Tester(const std::string& op, DType dtype, const char* format = "NHWC") {
  AttrMap attrs({{"T", dtype}});
  return OpTester(Library(), op, op == "BiasAdd" || op == "BiasAddGrad" ? attrs.With("data_format", format) : attrs);
}

template <typename T>
void CheckValues() {
  const DType d = kDTypeOf<T>;
  const Tensor value = Of<T, int>({2, 2, 1, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  OpTester last = Tester("BiasAdd", d), v1 = Tester("BiasAddV1", d), first = Tester("BiasAdd", d, "NCHW");
  const Tensor want = Of<T, int>({2, 2, 1, 3}, {11, 22, 33, 14, 25, 36, 17, 28, 39, 20, 31, 42});
  ExpectOutput(last, {value, Of<T, int>({3}, {10, 20, 30})}, want);
  ExpectOutput(v1, {value, Of<T, int>({3}, {10, 20, 30})}, want);
  ExpectOutput(first, {value, Of<T, int>({2}, {10, 20})},
               Of<T, int>({2, 2, 1, 3}, {11, 12, 13, 24, 25, 26, 17, 18, 19, 30, 31, 32}));
  OpTester grad = Tester("BiasAddGrad", d), grad_first = Tester("BiasAddGrad", d, "NCHW");
  ExpectOutput(grad, {value}, Of<T, int>({3}, {22, 26, 30}));
  ExpectOutput(grad_first, {value}, Of<T, int>({2}, {30, 48}));
}

TEST(BiasAddTest, EveryDType) {
  CheckValues<float>();
  CheckValues<double>();
  CheckValues<Half>();
  CheckValues<BFloat16>();
  CheckValues<int8_t>();
  CheckValues<int32_t>();
  CheckValues<int64_t>();
  CheckValues<uint8_t>();
  CheckValues<uint16_t>();
  CheckValues<uint32_t>();
  CheckValues<uint64_t>();
  CheckValues<std::complex<float>>();
  CheckValues<std::complex<double>>();
}

TEST(BiasAddTest, TwoAndFiveDimensions) {
  OpTester last = Tester("BiasAdd", DType::kFloat32), first = Tester("BiasAdd", DType::kFloat32, "NCHW");
  ExpectOutput(last, {Floats({1, 2}, {1, 2}), Floats({2}, {1, 2})}, Floats({1, 2}, {2, 4}));
  ExpectOutput(first, {Floats({1, 2}, {1, 2}), Floats({2}, {1, 2})}, Floats({1, 2}, {2, 4}));
  ExpectOutput(first, {Floats({1, 2, 1, 1, 2}, {0, 0, 0, 0}), Floats({2}, {1, 2})}, Floats({1, 2, 1, 1, 2}, {1, 1, 2, 2}));
}

TEST(BiasAddTest, Empty) {
  OpTester add = Tester("BiasAdd", DType::kFloat32), grad = Tester("BiasAddGrad", DType::kFloat32);
  ExpectOutput(add, {Floats({0, 2}, {}), Floats({2}, {1, 2})}, Floats({0, 2}, {}));
  ExpectOutput(add, {Floats({2, 0}, {}), Floats({0}, {})}, Floats({2, 0}, {}));
  ExpectOutput(grad, {Floats({0, 2}, {})}, Floats({2}, {0, 0}));
  ExpectOutput(grad, {Floats({2, 0}, {})}, Floats({0}, {}));
}

// Every width around those of vectors, and enough rows or elements that threads share them.
TEST(BiasAddTest, ManySizes) {
  for (const int64_t channels : {1, 3, 15, 16, 17, 40, 100}) {
    const int64_t outer = 700, inner = 5;
    for (const bool channels_first : {false, true}) {
      SCOPED_TRACE(channels * 10 + channels_first);
      Tensor x = channels_first ? *Tensor::Make(DType::kFloat32, {outer, channels, inner})
                                : *Tensor::Make(DType::kFloat32, {outer, inner, channels});
      Tensor bias = *Tensor::Make(DType::kFloat32, {channels}), want = *x.Clone();
      std::vector<double> sums(channels);
      for (int64_t c = 0; c < channels; ++c) bias.mutable_data<float>()[c] = static_cast<float>(c);
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t c = channels_first ? i / inner % channels : i % channels;
        x.mutable_data<float>()[i] = static_cast<float>(i % 11) - 5;
        want.mutable_data<float>()[i] = x.data<float>()[i] + static_cast<float>(c);
        sums[c] += static_cast<double>(x.data<float>()[i]);
      }
      OpTester add = Tester("BiasAdd", DType::kFloat32, channels_first ? "NCHW" : "NHWC");
      ExpectOutput(add, {x, bias}, want);
      OpTester grad = Tester("BiasAddGrad", DType::kFloat32, channels_first ? "NCHW" : "NHWC");
      Tensor want_sums = *bias.Clone();
      for (int64_t c = 0; c < channels; ++c) want_sums.mutable_data<float>()[c] = static_cast<float>(sums[c]);
      ExpectOutput(grad, {x}, want_sums);
    }
  }
}

TEST(BiasAddTest, SixteenBitSumsAddInFloat) {
  OpTester grad = Tester("BiasAddGrad", DType::kBFloat16);
  Tensor x = *Tensor::Make(DType::kBFloat16, {4096, 1});
  for (BFloat16& v : x.mutable_values<BFloat16>()) v = BFloat16(1.0f);
  ExpectOutput(grad, {x}, Of<BFloat16>({1}, {BFloat16(4096.0f)}));
}

TEST(BiasAddTest, IntegersWrap) {
  OpTester add = Tester("BiasAdd", DType::kInt32);
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  ExpectOutput(add, {Ints({1, 1}, {kMax}), Ints({1}, {1})}, Ints({1, 1}, {std::numeric_limits<int32_t>::min()}));
}

TEST(BiasAddTest, Errors) {
  OpTester add = Tester("BiasAdd", DType::kFloat32), first = Tester("BiasAdd", DType::kFloat32, "NCHW");
  ExpectInvalid(add, {Floats({2}, {1, 2}), Floats({2}, {1, 2})}, "value: expected at least 2 dimensions, got shape [2]");
  ExpectInvalid(add, {Floats({1, 2}, {1, 2}), Floats({1}, {1})}, "bias: expected shape [2], got [1]");
  ExpectInvalid(first, {Floats({1, 2, 1}, {1, 2}), Floats({1}, {1})}, "bias: expected shape [2], got [1]");
  ExpectInvalid(add, {Floats({1, 2}, {1, 2}), Floats({1, 2}, {1, 1})}, "bias: expected shape [2], got [1,2]");
  OpTester grad = Tester("BiasAddGrad", DType::kFloat32);
  ExpectInvalid(grad, {Floats({2}, {1, 2})}, "at least 2 dimensions");
}

TEST(L2LossTest, Values) {
  OpTester loss = Tester("L2Loss", DType::kFloat32);
  ExpectOutput(loss, {Floats({2, 2}, {1, 2, 3, 4})}, Tensor::Scalar(15.0f));
  ExpectOutput(loss, {Floats({0}, {})}, Tensor::Scalar(0.0f));
  ExpectOutput(loss, {Tensor::Scalar(-3.0f)}, Tensor::Scalar(4.5f));
  Tensor ones = *Tensor::Make(DType::kFloat32, {50001});
  for (float& v : ones.mutable_values<float>()) v = 1;
  ExpectOutput(loss, {ones}, Tensor::Scalar(25000.5f));
  OpTester wide = Tester("L2Loss", DType::kFloat64), half = Tester("L2Loss", DType::kFloat16);
  ExpectOutput(wide, {Of<double>({2}, {3, 4})}, Tensor::Scalar(12.5));
  ExpectOutput(half, {Of<Half, float>({2}, {3, 4})}, Tensor::Scalar(Half(12.5f)));
  ExpectOutput(half, {Of<Half, float>({2}, {1, 300})}, Tensor::Scalar(Half(std::numeric_limits<float>::infinity())));
}

TEST(BiasAddTest, Shapes) {
  const auto shape = [](const std::string& op, const char* format, const std::vector<PartialShape>& inputs) {
    const auto got = InferShapes(Library(), op, {{"T", DType::kFloat32}, {"data_format", format}}, inputs);
    return got.ok() ? (*got)[0].ToString() : "error";
  };
  const PartialShape unknown;
  EXPECT_EQ(shape("BiasAdd", "NHWC", {PartialShape::Of({2, -1}), PartialShape::Of({3})}), "[2,3]");
  EXPECT_EQ(shape("BiasAdd", "NCHW", {PartialShape::Of({2, -1, 4}), PartialShape::Of({3})}), "[2,3,4]");
  EXPECT_EQ(shape("BiasAdd", "NHWC", {unknown, PartialShape::Of({3})}), "?");
  EXPECT_EQ(shape("BiasAdd", "NHWC", {PartialShape::Of({2, 4}), PartialShape::Of({3})}), "error");
  EXPECT_EQ(shape("BiasAdd", "NHWC", {PartialShape::Of({2}), unknown}), "error");
  EXPECT_EQ(shape("BiasAddGrad", "NHWC", {PartialShape::Of({-1, 4})}), "[4]");
  EXPECT_EQ(shape("BiasAddGrad", "NCHW", {PartialShape::Of({5, -1, 4})}), "[?]");
  EXPECT_EQ(shape("BiasAddGrad", "NHWC", {unknown}), "[?]");
  EXPECT_EQ(shape("L2Loss", "NHWC", {unknown}), "[]");
}

}  // namespace
}  // namespace flowlatch
