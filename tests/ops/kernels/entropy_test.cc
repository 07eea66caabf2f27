#include "ops/kernels/entropy.h"

#include <gtest/gtest.h>

namespace flowlatch {
namespace {

TEST(Entropy, IsFreshUnlessFixed) {
  EXPECT_NE(FreshSeeds(), FreshSeeds());
  FixEntropy(7);
  const auto first = FreshSeeds(), second = FreshSeeds();
  EXPECT_NE(first, second);
  FixEntropy(7);
  EXPECT_EQ(FreshSeeds(), first);
  EXPECT_EQ(FreshSeeds(), second);
  FixEntropy(8);
  EXPECT_NE(FreshSeeds(), first);
}

}  // namespace
}  // namespace flowlatch
