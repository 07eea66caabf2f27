#include "ops/kernels/winograd.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hwy/highway.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

class TestStep final : public StepContext {
 public:
  using StepContext::StepContext;
  void Fail(uint32_t, absl::Status) override {}
};

// Calls f with a step of so many threads.
void WithThreads(int threads, const std::function<void(const KernelCall&)>& f) {
  ThreadPool pool(threads);
  StepServices services;
  services.pool = &pool;
  TestStep step(services);
  f(KernelCall(&step, nullptr, nullptr, nullptr, nullptr, 0, 0, 0, 0));
}

ConvShape Shape2D(int64_t batch, int64_t height, int64_t width, int64_t size, int64_t channels, int64_t outputs,
                  int64_t pad_before, int64_t pad_after) {
  const auto window = [&](int64_t input) {
    return Window{.input = input, .output = input + pad_before + pad_after - size + 1, .size = size,
                  .pad_before = pad_before};
  };
  return {.batch = batch, .channels = channels, .outputs = outputs, .height = window(height), .width = window(width)};
}

const ConvShape kShapes[] = {
    Shape2D(1, 4, 4, 3, 16, 16, 1, 1),    Shape2D(2, 8, 8, 3, 32, 16, 1, 1),   Shape2D(3, 7, 9, 3, 16, 48, 1, 1),
    Shape2D(1, 3, 3, 3, 16, 16, 0, 0),    Shape2D(2, 11, 6, 3, 48, 32, 0, 0),  Shape2D(1, 1, 1, 3, 16, 16, 1, 1),
    Shape2D(2, 5, 30, 3, 16, 32, 2, 0),   Shape2D(1, 2, 2, 3, 16, 16, 5, 7),   Shape2D(5, 16, 16, 3, 64, 64, 1, 1),
    Shape2D(1, 14, 14, 5, 16, 16, 2, 2),  Shape2D(4, 14, 14, 5, 32, 64, 2, 2), Shape2D(2, 9, 6, 5, 16, 48, 0, 0),
    Shape2D(1, 1, 2, 5, 16, 16, 2, 3),    Shape2D(1, 5, 4, 5, 32, 16, 4, 0),   Shape2D(1, 3, 400, 3, 16, 16, 1, 1),
    Shape2D(40, 2, 2, 3, 16, 16, 1, 1),
};

std::vector<float> Numbers(int64_t n, int seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0.3f);
  std::vector<float> v(n);
  for (float& x : v) x = normal(random);
  return v;
}

// Calls visit(input, filter, output) with the indices of every product that a convolution adds up.
void ForEachProduct(const ConvShape& s, const std::function<void(int64_t, int64_t, int64_t)>& visit) {
  const Window &h = s.height, &w = s.width;
  for (int64_t p = 0; p < s.batch * h.output * w.output; ++p) {
    const int64_t b = p / (h.output * w.output), y = p / w.output % h.output, x = p % w.output;
    for (int64_t tap = 0; tap < h.size * w.size; ++tap) {
      const int64_t row = y - h.pad_before + tap / w.size, column = x - w.pad_before + tap % w.size;
      if (row < 0 || row >= h.input || column < 0 || column >= w.input) continue;
      const int64_t pixel = ((b * h.input + row) * w.input + column) * s.channels;
      for (int64_t c = 0; c < s.channels; ++c) {
        const int64_t weight = (tap * s.channels + c) * s.outputs;
        for (int64_t o = 0; o < s.outputs; ++o) visit(pixel + c, weight + o, p * s.outputs + o);
      }
    }
  }
}

void ExpectNear(const std::vector<float>& got, const std::vector<double>& want, const std::string& what) {
  double squares = 0, worst = 0;
  for (size_t i = 0; i < want.size(); ++i) {
    squares += want[i] * want[i];
    worst = std::max(worst, std::abs(static_cast<double>(got[i]) - want[i]));
  }
  EXPECT_LE(worst, 1e-5 * std::sqrt(squares / static_cast<double>(want.size()))) << what;
}

struct Results {
  std::vector<float> output, input_grad, filter_grad;
  bool operator==(const Results&) const = default;
};

Results Compute(const ConvShape& s, const std::vector<float>& input, const std::vector<float>& filter,
                const std::vector<float>& grad, int threads) {
  Results r{std::vector<float>(grad.size(), 7), std::vector<float>(input.size(), 7), std::vector<float>(filter.size(), 7)};
  WithThreads(threads, [&](const KernelCall& call) {
    EXPECT_TRUE(WinogradForward(call, s, input.data(), filter.data(), r.output.data()).ok());
    EXPECT_TRUE(WinogradBackpropInput(call, s, filter.data(), grad.data(), r.input_grad.data()).ok());
    EXPECT_TRUE(WinogradBackpropFilter(call, s, input.data(), grad.data(), r.filter_grad.data()).ok());
  });
  return r;
}

// With the instructions of every processor that this one can stand for.
TEST(WinogradTest, IsWhatProductsAddUpTo) {
  for (const ConvShape& s : kShapes) {
    ASSERT_TRUE(IsWinograd(s));
    const std::vector<float> input = Numbers(s.batch * s.input_image(), 1), filter = Numbers(s.filter_size(), 2);
    const std::vector<float> grad = Numbers(s.batch * s.output_image(), 3);
    std::vector<double> output(grad.size()), input_grad(input.size()), filter_grad(filter.size());
    ForEachProduct(s, [&](int64_t i, int64_t f, int64_t o) {
      output[o] += static_cast<double>(input[i]) * static_cast<double>(filter[f]);
      input_grad[i] += static_cast<double>(grad[o]) * static_cast<double>(filter[f]);
      filter_grad[f] += static_cast<double>(input[i]) * static_cast<double>(grad[o]);
    });
    int targets = 0;
    for (int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0; left &= left - 1, ++targets) {
      hwy::SetSupportedTargetsForTest(left & -left);
      const std::string what = std::to_string(&s - kShapes) + " on " + hwy::TargetName(left & -left);
      const Results r = Compute(s, input, filter, grad, 1);
      ExpectNear(r.output, output, what + " forward");
      ExpectNear(r.input_grad, input_grad, what + " input");
      ExpectNear(r.filter_grad, filter_grad, what + " filter");
      for (const int threads : {2, 3}) EXPECT_TRUE(Compute(s, input, filter, grad, threads) == r) << what;
    }
    hwy::SetSupportedTargetsForTest(0);
    EXPECT_GE(targets, 1);
  }
}

TEST(WinogradTest, FinishesEveryPixelOnce) {
  for (const ConvShape& s : kShapes) {
    const std::vector<float> input = Numbers(s.batch * s.input_image(), 1), filter = Numbers(s.filter_size(), 2);
    WithThreads(2, [&](const KernelCall& call) {
      std::vector<float> plain(s.batch * s.output_image()), finished(plain.size());
      ASSERT_TRUE(WinogradForward(call, s, input.data(), filter.data(), plain.data()).ok());
      ConvExtras extras;
      extras.finish = [&](float* pixels, int64_t n) {
        for (int64_t i = 0; i < n * s.outputs; ++i) pixels[i] += 1000;
      };
      ASSERT_TRUE(WinogradForward(call, s, input.data(), filter.data(), finished.data(), extras).ok());
      for (float& x : plain) x += 1000;
      EXPECT_EQ(plain, finished);
    });
  }
}

TEST(WinogradTest, OtherShapes) {
  const ConvShape good = Shape2D(8, 32, 32, 3, 32, 32, 1, 1);
  EXPECT_TRUE(IsWinograd(good));
  std::vector<ConvShape> others(8, good);
  others[0].height.stride = 2;
  others[1].width.dilation = 2;
  others[2].groups = 2;
  others[3].channels = 24;
  others[4].outputs = 8;
  others[5].height.size = 1;
  others[6].height.size = others[6].width.size = 7;
  others[7].height.size = 5;
  for (const ConvShape& s : others) {
    EXPECT_FALSE(IsWinograd(s) || PrefersWinograd(s) || PrefersWinogradForFilter(s)) << &s - others.data();
  }
}

TEST(WinogradTest, IsPreferredWhereItWasFaster) {
  struct Case {
    ConvShape shape;
    bool forward, filter;
  };
  const auto same = [](int64_t batch, int64_t side, int64_t size, int64_t channels, int64_t outputs) {
    return Shape2D(batch, side, side, size, channels, outputs, size / 2, size / 2);
  };
  const Case cases[] = {
      {same(16, 32, 3, 32, 32), true, true},     {same(64, 14, 5, 32, 64), true, true},
      {same(1, 56, 3, 64, 64), true, true},      {same(16, 28, 3, 128, 128), true, true},
      {same(64, 14, 5, 16, 16), false, false},   {same(1, 8, 3, 32, 32), false, false},
      {same(16, 14, 3, 256, 256), true, false},  {same(1, 14, 3, 256, 256), false, false},
      {same(16, 7, 3, 512, 512), false, false},  {same(1, 28, 3, 128, 128), false, false},
      {same(64, 56, 3, 256, 256), true, false},  {same(64, 56, 3, 512, 512), false, false},
      {Shape2D(1, 64, 1024, 3, 32, 32, 1, 1), true, true},
      {Shape2D(1, 64, 1025, 3, 32, 32, 1, 1), false, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(PrefersWinograd(c.shape), c.forward) << &c - cases;
    EXPECT_EQ(PrefersWinogradForFilter(c.shape), c.filter) << &c - cases;
  }
}

}  // namespace
}  // namespace flowlatch
