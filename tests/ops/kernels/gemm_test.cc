#include "ops/kernels/gemm.h"

#include <complex>
#include <filesystem>
#include <random>
#include <vector>

#include "graph/base/checked_math.h"
#include "gtest/gtest.h"
#include "ops/kernels/gemv.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

struct Size {
  int64_t m, n, k;
};

// Vectors, tiny, odd, wide, tall, and large enough for oneDNN and for tiles.
constexpr Size kSizes[] = {{1, 1, 1},   {1, 37, 19},  {37, 1, 19},   {1, 1, 100}, {3, 5, 7},      {16, 16, 16},
                           {2, 300, 9}, {31, 33, 65}, {64, 48, 100}, {70, 2, 90}, {129, 257, 67}, {200, 210, 220}};
constexpr Op kOps[] = {Op::kNone, Op::kTranspose, Op::kAdjoint};

template <typename T>
class GemmTest : public testing::Test {
 public:
  // Small whole numbers, so that every order of additions gives the same sum.
  std::vector<T> Numbers(int64_t n) {
    std::vector<T> v(n);
    for (T& x : v) {
      const auto number = [this] { return static_cast<int>(random_() % 7) - 3; };
      if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
        x = T(number(), number());
      } else {
        x = T(number());
      }
    }
    return v;
  }

 private:
  std::mt19937 random_{7};
};

template <typename T>
T ConjugateIf(bool conjugate, T x) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return conjugate ? std::conj(x) : x;
  }
  return x;
}

template <typename T>
std::vector<T> Expected(const GemmArgs<T>& g, std::vector<T> c) {
  for (int64_t i = 0; i < g.m; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      T sum = g.accumulate ? c[i * g.ldc + j] : T(0);
      for (int64_t p = 0; p < g.k; ++p) {
        const T a = ConjugateIf(g.op_a == Op::kAdjoint, g.op_a == Op::kNone ? g.a[i * g.lda + p] : g.a[p * g.lda + i]);
        const T b = ConjugateIf(g.op_b == Op::kAdjoint, g.op_b == Op::kNone ? g.b[p * g.ldb + j] : g.b[j * g.ldb + p]);
        if constexpr (std::is_integral_v<T>) {
          sum = WrapAdd(sum, WrapMul(a, b));
        } else {
          sum = T(sum + T(a * b));
        }
      }
      c[i * g.ldc + j] = sum;
    }
  }
  return c;
}

class TestStep final : public StepContext {
 public:
  using StepContext::StepContext;
  void Fail(uint32_t, absl::Status) override {}
};

using Types = testing::Types<float, double, std::complex<float>, std::complex<double>, Half, BFloat16, int8_t, int32_t,
                             uint16_t, int64_t>;
TYPED_TEST_SUITE(GemmTest, Types);

TYPED_TEST(GemmTest, AgreesWithTheDefinition) {
  for (const Size& s : kSizes) {
    if (kIsSmallFloat<TypeParam> && s.k > 20) continue;  // sums must stay exact
    const std::vector<TypeParam> a = this->Numbers(s.m * s.k), b = this->Numbers(s.k * s.n);
    const std::vector<TypeParam> before = this->Numbers(s.m * s.n);
    for (const Op op_a : kOps) {
      for (const Op op_b : kOps) {
        for (const bool accumulate : {false, true}) {
          std::vector<TypeParam> c = before;
          auto args = GemmArgs<TypeParam>::Dense(a.data(), op_a, b.data(), op_b, c.data(), s.m, s.n, s.k);
          args.accumulate = accumulate;
          const std::vector<TypeParam> expected = Expected(args, before);
          ASSERT_TRUE(SerialGemm(args).ok());
          EXPECT_TRUE(c == expected) << s.m << "x" << s.n << "x" << s.k << " ops " << static_cast<int>(op_a)
                                     << static_cast<int>(op_b) << " accumulate " << accumulate;
        }
      }
    }
  }
}

TYPED_TEST(GemmTest, WritesOnlyInsideTheRowsOfC) {
  const int64_t m = 5, n = 6, k = 4, ldc = 9;
  const std::vector<TypeParam> a = this->Numbers(m * k), b = this->Numbers(k * n);
  std::vector<TypeParam> c(m * ldc, TypeParam(99));
  GemmArgs<TypeParam> args = GemmArgs<TypeParam>::Dense(a.data(), Op::kNone, b.data(), Op::kNone, c.data(), m, n, k);
  args.ldc = ldc;
  const std::vector<TypeParam> expected = Expected(args, c);
  ASSERT_TRUE(SerialGemm(args).ok());
  EXPECT_TRUE(c == expected);
}

TYPED_TEST(GemmTest, EmptySumIsZeroOrWhatWasThere) {
  std::vector<TypeParam> c(6, TypeParam(5));
  auto args = GemmArgs<TypeParam>::Dense(nullptr, Op::kNone, nullptr, Op::kNone, c.data(), 2, 3, 0);
  args.accumulate = true;
  ASSERT_TRUE(SerialGemm(args).ok());
  EXPECT_TRUE(c == std::vector<TypeParam>(6, TypeParam(5)));
  args.accumulate = false;
  ASSERT_TRUE(SerialGemm(args).ok());
  EXPECT_TRUE(c == std::vector<TypeParam>(6, TypeParam(0)));
}

int ThreadsOfProcess() {
  int n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++n;
  return n;
}

TYPED_TEST(GemmTest, TilesGiveTheSameAndOneThreadMakesNone) {
  const int64_t m = 401, n = 300, k = kIsSmallFloat<TypeParam> ? 20 : 130;
  const std::vector<TypeParam> a = this->Numbers(m * k), b = this->Numbers(k * n);
  for (const int threads : {1, 4}) {
    const int threads_before = ThreadsOfProcess();
    ThreadPool pool(threads);
    StepServices services;
    services.pool = &pool;
    TestStep step(services);
    const KernelCall call(&step, nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0);
    for (const Op op_a : {Op::kNone, Op::kAdjoint}) {
      for (const Op op_b : {Op::kNone, Op::kAdjoint}) {
        std::vector<TypeParam> c(m * n);
        const auto args = GemmArgs<TypeParam>::Dense(a.data(), op_a, b.data(), op_b, c.data(), m, n, k);
        ASSERT_TRUE(Gemm(call, args).ok());
        EXPECT_TRUE(c == Expected(args, c)) << threads;
      }
    }
    if (threads == 1) {
      EXPECT_EQ(ThreadsOfProcess(), threads_before);
    }
  }
}

TEST(IntegerGemmTest, Wraps) {
  const int32_t a = 1 << 30, b = 4;
  int32_t c = 1;
  ASSERT_TRUE(SerialGemm(GemmArgs<int32_t>::Dense(&a, Op::kNone, &b, Op::kNone, &c, 1, 1, 1)).ok());
  EXPECT_EQ(c, 0);
}

TEST(GemvTest, EveryLengthOfRowsAndColumns) {
  for (int64_t rows = 0; rows < 20; ++rows) {
    for (int64_t cols = 1; cols < 70; cols += 3) {
      const int64_t stride = cols + 2;
      std::vector<float> matrix(rows * stride + 1), x(cols), z(rows), y(rows, 3.0f), w(cols, 3.0f);
      for (size_t i = 0; i < matrix.size(); ++i) matrix[i] = static_cast<float>(i % 5) - 2;
      for (int64_t j = 0; j < cols; ++j) x[j] = static_cast<float>(j % 3) - 1;
      for (int64_t i = 0; i < rows; ++i) z[i] = static_cast<float>(i % 4) - 1;
      std::vector<float> expected_y = y, expected_w = w;
      for (int64_t i = 0; i < rows; ++i) {
        for (int64_t j = 0; j < cols; ++j) {
          expected_y[i] += matrix[i * stride + j] * x[j];
          expected_w[j] += matrix[i * stride + j] * z[i];
        }
      }
      GemvRows(matrix.data(), rows, cols, stride, x.data(), y.data(), true);
      GemvColumns(matrix.data(), rows, cols, stride, z.data(), w.data(), true);
      EXPECT_EQ(y, expected_y) << rows << "x" << cols;
      EXPECT_EQ(w, expected_w) << rows << "x" << cols;
    }
  }
}

// A fused product would keep the low bits of the second one and leave -2^-46.
TEST(GemvTest, ShortRowsAddRoundedProducts) {
  const float tiny = 0x1p-23f, matrix[] = {1 + 2 * tiny, 1 + tiny, 0}, x[] = {1, -(1 + tiny), 0};
  float y = 1;
  GemvRows(matrix, 1, 3, 3, x, &y, false);
  EXPECT_EQ(y, 0);
}

}  // namespace
}  // namespace flowlatch
