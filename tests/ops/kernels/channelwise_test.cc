#include "ops/kernels/channelwise.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

std::vector<float> Random(int64_t n, uint32_t seed) {
  std::minstd_rand random(seed);
  std::vector<float> x(static_cast<size_t>(n));
  for (float& v : x) v = static_cast<float>(random() % 2001) / 1000 - 1;
  return x;
}

// Shapes with few and many channels, last and first, and units in their middle.
class ChannelwiseTest : public testing::Test {
 protected:
  template <typename Check>
  void ForEachShape(const Check& check) {
    for (const int64_t channels : {1, 2, 3, 4, 7, 8, 15, 16, 17, 40}) {
      for (const int64_t outer : {1, 5, 31, 32, 33, 200}) {
        for (const int64_t inner : {1, 6}) {
          const ChannelShape shape{.outer = outer, .channels = channels, .inner = inner};
          const int64_t n = shape.num_units();
          for (const Units units : {Units{0, n}, Units{n / 3, n}, Units{n / 3, n - n / 5}}) {
            SCOPED_TRACE("channels " + std::to_string(channels) + ", outer " + std::to_string(outer) + ", inner " +
                         std::to_string(inner) + ", units from " + std::to_string(units.begin) + " to " +
                         std::to_string(units.end));
            check(shape, units);
          }
        }
      }
    }
  }
  static int64_t Size(const ChannelShape& shape) { return shape.outer * shape.channels * shape.inner; }
  static size_t ChannelOf(const ChannelShape& shape, int64_t i) {
    return static_cast<size_t>(i / shape.inner % shape.channels);
  }
};

TEST_F(ChannelwiseTest, MapsEachElementOfTheUnits) {
  ForEachShape([](const ChannelShape& shape, Units units) {
    const std::vector<float> x = Random(Size(shape), 1), z = Random(Size(shape), 2), mean = Random(shape.channels, 3),
                             a = Random(shape.channels, 4), b = Random(shape.channels, 5), shift = Random(shape.channels, 6);
    std::vector<float> biased(x.size(), 9), normal(x.size(), 9), scaled(x.size(), 9), both(x.size(), 9);
    AddBias(shape, units, x.data(), shift.data(), biased.data());
    Normalize(shape, units, x.data(), mean.data(), a.data(), shift.data(), normal.data());
    Normalize(shape, units, x.data(), nullptr, a.data(), nullptr, scaled.data());
    NormalizeAndAdd(shape, units, x.data(), a.data(), z.data(), mean.data(), b.data(), shift.data(), both.data());
    const int64_t begin = units.begin * shape.unit_size(), end = units.end * shape.unit_size();
    for (int64_t i = 0; i < Size(shape); ++i) {
      const size_t k = static_cast<size_t>(i), c = ChannelOf(shape, i);
      const bool in = i >= begin && i < end;
      ASSERT_EQ(biased[k], in ? x[k] + shift[c] : 9) << i;
      ASSERT_NEAR(normal[k], in ? (x[k] - mean[c]) * a[c] + shift[c] : 9, 1e-5) << i;
      ASSERT_EQ(scaled[k], in ? x[k] * a[c] : 9) << i;
      ASSERT_NEAR(both[k], in ? x[k] * a[c] + (z[k] - mean[c]) * b[c] + shift[c] : 9, 1e-5) << i;
    }
  });
}

TEST_F(ChannelwiseTest, AddsToTheSumsOfEachChannel) {
  ForEachShape([](const ChannelShape& shape, Units units) {
    const std::vector<float> x = Random(Size(shape), 1), z = Random(Size(shape), 2), mean = Random(shape.channels, 3);
    const size_t channels = static_cast<size_t>(shape.channels);
    std::vector<double> sums(channels, 5), squares(channels, 5), products(channels, 5);
    AddSums(shape, units, x.data(), sums.data());
    AddSquaredDifferences(shape, units, x.data(), mean.data(), squares.data());
    AddProducts(shape, units, z.data(), x.data(), mean.data(), products.data());
    std::vector<double> want_sums(channels, 5), want_squares(channels, 5), want_products(channels, 5);
    for (int64_t i = units.begin * shape.unit_size(); i < units.end * shape.unit_size(); ++i) {
      const size_t k = static_cast<size_t>(i), c = ChannelOf(shape, i);
      const double difference = static_cast<double>(x[k]) - static_cast<double>(mean[c]);
      want_sums[c] += static_cast<double>(x[k]);
      want_squares[c] += difference * difference;
      want_products[c] += static_cast<double>(z[k]) * difference;
    }
    for (size_t c = 0; c < channels; ++c) {
      ASSERT_NEAR(sums[c], want_sums[c], 1e-4) << c;
      ASSERT_NEAR(squares[c], want_squares[c], 1e-3) << c;
      ASSERT_NEAR(products[c], want_products[c], 1e-3) << c;
    }
  });
}

}  // namespace
}  // namespace flowlatch
