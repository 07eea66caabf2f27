#include "ops/fft_ops.h"

#include <numbers>

#include "tests/ops/matrix_checks.h"

namespace flowlatch {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

class FftOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterFftOps(library_).ok()); }
  OpTester Complex(const std::string& name, DType dtype) { return OpTester(library_, name, {{"Tcomplex", dtype}}); }
  OpTester Real(const std::string& name, DType real, DType complex) {
    return OpTester(library_, name, {{"Treal", real}, {"Tcomplex", complex}});
  }
  OpLibrary library_;
};

// By the definition, over the last dimension.
Tensor Slow(const Tensor& x, bool inverse) {
  const int64_t n = x.dim(x.rank() - 1);
  Tensor y = *Tensor::Make(DType::kComplex128, x.dims());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const int64_t row = i / n * n, k = i % n;
    C128 sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
      sum += x.data<C128>()[row + j] * std::polar(1.0, inverse ? angle : -angle);
    }
    y.mutable_data<C128>()[i] = inverse ? sum / static_cast<double>(n) : sum;
  }
  return y;
}

// Small factors, large primes, and a prime squared.
TEST_F(FftOpsTest, AnyLength) {
  OpTester fft = Complex("FFT", DType::kComplex128), ifft = Complex("IFFT", DType::kComplex128);
  for (const int64_t n : {1, 2, 3, 4, 5, 7, 8, 12, 30, 31, 37, 64, 97, 105, 128, 211, 1369}) {
    SCOPED_TRACE(n);
    const Tensor x = MadeUp<C128>({3, n});
    ExpectOutput(fft, {x}, Slow(x, false), 1e-10);
    ExpectOutput(ifft, {x}, Slow(x, true), 1e-12);
  }
}

TEST_F(FftOpsTest, KnownValues) {
  OpTester fft = Complex("FFT", DType::kComplex64);
  ExpectOutput(fft, {Of<C64>({3}, {C64(1), C64(2), C64(0, 3)})},
               Of<C64>({3}, {C64(3, 3), C64(-2.598076, -3.2320509), C64(2.598076, 0.23205077)}), 1e-6);
  ExpectOutput(fft, {Of<C64>({2, 0}, {})}, Of<C64>({2, 0}, {}));
  OpTester rfft = Real("RFFT", DType::kFloat32, DType::kComplex64);
  const Tensor five = Floats({5}, {1, 2, 3, 4, 5});
  ExpectOutput(rfft, {five, Ints({1}, {5})}, Of<C64>({3}, {C64(15), C64(-2.5, 3.4409549), C64(-2.5, 0.81229919)}), 1e-6);
  ExpectOutput(rfft, {five, Ints({1}, {4})}, Of<C64>({3}, {C64(10), C64(-2, 2), C64(-2)}), 1e-6);
  ExpectOutput(rfft, {Floats({2, 0}, {}), Ints({1}, {3})}, Of<C64>({2, 2}, {C64(0), C64(0), C64(0), C64(0)}));
  OpTester irfft = Real("IRFFT", DType::kFloat32, DType::kComplex64), irfft2 = Real("IRFFT2D", DType::kFloat32, DType::kComplex64);
  const Tensor spectrum = Of<C64>({3}, {C64(1, 1), C64(2), C64(0, 3)});
  ExpectOutput(irfft, {spectrum, Ints({1}, {4})}, Floats({4}, {1.25, 0.25, -0.75, 0.25}), 1e-6);
  ExpectOutput(irfft, {spectrum, Ints({1}, {5})}, Floats({5}, {1, -0.2581287, 0.69405431, -1.5884815, 1.1525558}), 1e-6);
  ExpectOutput(irfft2, {Of<C64>({2, 3}, {C64(1, 1), C64(2), C64(0, 3), C64(1), C64(2), C64(4)}), Ints({2}, {2, 4})},
               Floats({2, 4}, {1.75, -0.25, -0.25, -0.25, -0.5, 0.5, -0.5, 0.5}), 1e-6);
}

// Real transforms are parts of the complex ones, and their inverses give back what went in.
TEST_F(FftOpsTest, RealTransforms) {
  for (const int axes : {1, 2, 3}) {
    for (const int64_t n : {4, 5}) {
      SCOPED_TRACE(testing::Message() << axes << " axes of " << n);
      const std::string suffix = axes == 1 ? "" : std::to_string(axes) + "D";
      const Tensor x = MadeUp<double>({2, 3, 4, n});
      Tensor wide = *Tensor::Make(DType::kComplex128, x.dims());
      std::copy(x.data<double>(), x.data<double>() + x.num_elements(), wide.mutable_data<C128>());
      std::vector<int32_t> length{3, 4, static_cast<int32_t>(n)};
      length.erase(length.begin(), length.end() - axes);
      const Tensor lengths = Tensor::Vector<int32_t>(length);
      OpTester fft = Complex("FFT" + suffix, DType::kComplex128), ifft = Complex("IFFT" + suffix, DType::kComplex128);
      OpTester rfft = Real("RFFT" + suffix, DType::kFloat64, DType::kComplex128);
      OpTester irfft = Real("IRFFT" + suffix, DType::kFloat64, DType::kComplex128);
      const Tensor whole = fft.Run({wide}).value()[0], half = rfft.Run({x, lengths}).value()[0];
      ASSERT_EQ(half.dim(3), n / 2 + 1);
      for (int64_t i = 0; i < half.num_elements(); ++i) {
        const int64_t m = n / 2 + 1;
        EXPECT_LT(std::abs(half.data<C128>()[i] - whole.data<C128>()[i / m * n + i % m]), 1e-12);
      }
      ExpectOutput(ifft, {whole}, wide, 1e-12);
      ExpectOutput(irfft, {half, lengths}, x, 1e-12);
    }
  }
}

TEST_F(FftOpsTest, Errors) {
  OpTester fft2 = Complex("FFT2D", DType::kComplex64), rfft = Real("RFFT", DType::kFloat32, DType::kComplex64);
  OpTester irfft = Real("IRFFT", DType::kFloat32, DType::kComplex64);
  ExpectInvalid(fft2, {Of<C64>({1}, {C64(1)})}, "input: expected at least 2 dimensions, got shape [1]");
  ExpectInvalid(rfft, {Floats({3}, {1, 2, 3}), Ints({1}, {5})}, "input: expected at least 5 elements in dimension 0");
  ExpectInvalid(rfft, {Floats({3}, {1, 2, 3}), Ints({1}, {-1})}, "fft_length[0]: expected a value > 0, got -1");
  ExpectInvalid(rfft, {Floats({3}, {1, 2, 3}), Ints({1}, {0})}, "fft_length[0]: expected a value > 0, got 0");
  ExpectInvalid(irfft, {Of<C64>({1}, {C64(1)}), Ints({1}, {0})}, "fft_length[0]: expected a value > 0, got 0");
  ExpectInvalid(rfft, {Floats({3}, {1, 2, 3}), Ints({2}, {1, 2})}, "fft_length: expected 1 values, got 2");
  ExpectInvalid(rfft, {Floats({3}, {1, 2, 3}), Tensor::Scalar(3)}, "fft_length");
  ExpectInvalid(irfft, {Of<C64>({3}, {C64(1), C64(2), C64(3)}), Ints({1}, {8})}, "input: expected at least 5 elements");
  OpTester mixed = Real("RFFT", DType::kFloat64, DType::kComplex64);
  ExpectInvalid(mixed, {Of<double>({1}, {1}), Ints({1}, {1})}, "one precision");
}

TEST_F(FftOpsTest, Shapes) {
  const AttrMap attrs{{"Treal", DType::kFloat32}, {"Tcomplex", DType::kComplex64}};
  const Tensor length = Ints({2}, {4, 6});
  const auto infer = [&](const char* op, const PartialShape& x, const Tensor* n) {
    return InferShapes(library_, op, attrs, {x, PartialShape::Of({2})}, {nullptr, n});
  };
  EXPECT_EQ((*infer("RFFT2D", PartialShape::Of({3, 5, 7}), &length))[0], PartialShape::Of({3, 4, 4}));
  EXPECT_EQ((*infer("IRFFT2D", PartialShape::Of({3, 5, 7}), &length))[0], PartialShape::Of({3, 4, 6}));
  EXPECT_EQ((*infer("RFFT2D", PartialShape::Of({3, 5, 7}), nullptr))[0], PartialShape::Of({3, -1, -1}));
  EXPECT_EQ((*infer("RFFT2D", PartialShape(), &length))[0], PartialShape());
  EXPECT_FALSE(infer("RFFT2D", PartialShape::Of({3}), &length).ok());
  EXPECT_FALSE(infer("RFFT3D", PartialShape::Of({3, 4, 5}), &length).ok());
  EXPECT_EQ((*InferShapes(library_, "FFT", {{"Tcomplex", DType::kComplex64}}, {PartialShape::Of({-1, 3})}))[0], PartialShape::Of({-1, 3}));
}

TEST(FftGradients, AgreeWithDifferences) {
  for (const char* op : {"FFT", "IFFT", "FFT2D", "IFFT2D", "FFT3D", "IFFT3D"}) {
    SCOPED_TRACE(op);
    ExpectGradients({MadeUp<C128>({2, 3, 4})}, [op](GraphBuilder& g, const Outputs& x) { return g.Op(op, {x[0]}).output(); });
  }
  for (const int32_t n : {1, 2, 4, 5}) {  // of five elements, some of which may not be used
    SCOPED_TRACE(n);
    const auto rfft = [n](GraphBuilder& g, const Outputs& x) { return g.Op("RFFT", {x[0], Tensor::Vector<int32_t>({n})}, {{"Tcomplex", DType::kComplex128}}).output(); };
    const auto rfft2 = [n](GraphBuilder& g, const Outputs& x) { return g.Op("RFFT2D", {x[0], Tensor::Vector<int32_t>({2, n})}, {{"Tcomplex", DType::kComplex128}}).output(); };
    const auto irfft = [n](GraphBuilder& g, const Outputs& x) { return g.Op("IRFFT", {x[0], Tensor::Vector<int32_t>({n})}, {{"Treal", DType::kFloat64}}).output(); };
    const auto irfft3 = [n](GraphBuilder& g, const Outputs& x) { return g.Op("IRFFT3D", {x[0], Tensor::Vector<int32_t>({2, 3, n})}, {{"Treal", DType::kFloat64}}).output(); };
    ExpectGradients({MadeUp<double>({2, 5})}, rfft);
    ExpectGradients({MadeUp<double>({3, 5})}, rfft2);
    ExpectGradients({MadeUp<C128>({2, 3})}, irfft);
    ExpectGradients({MadeUp<C128>({2, 3, 4})}, irfft3);
  }
}

}  // namespace
}  // namespace flowlatch
