#include "ops/kernels/filter_cache.h"

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

// A step with this filter; whether its packed forms were known.
bool Step(FilterCache& cache, const Tensor& filter) {
  std::vector<FilterCache::Form> forms = cache.Start(filter);
  const bool known = !forms.empty();
  if (!known) forms.emplace_back(dnnl_memory_desc_t(), Tensor::Scalar(1.0f));
  cache.Offer(filter, forms);
  return known;
}

Tensor Filter() { return *Tensor::Make(DType::kFloat32, {3, 3, 4, 8}); }

TEST(FilterCacheTest, HoldsAFilterThatStays) {
  FilterCache cache;
  const Tensor filter = Filter();
  EXPECT_FALSE(Step(cache, filter));
  EXPECT_FALSE(Step(cache, filter));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Step(cache, filter)) << i;
}

TEST(FilterCacheTest, ForgetsAFilterThatChangesAndWaitsLongerForTheNext) {
  FilterCache cache;
  const Tensor first = Filter(), second = Filter();
  for (int i = 0; i < 3; ++i) Step(cache, first);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Step(cache, second)) << i;
  EXPECT_TRUE(Step(cache, second));
  EXPECT_FALSE(Step(cache, first)) << "what was of another filter";
}

TEST(FilterCacheTest, HoldsNoneOfManyAndNoneWithoutForms) {
  FilterCache cache;
  const Tensor a = Filter(), b = Filter(), c = Filter();
  for (int i = 0; i < 20; ++i) {
    for (const Tensor& filter : {a, b}) EXPECT_FALSE(Step(cache, filter));
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(cache.Start(c).empty());
    cache.Offer(c, {});
  }
}

}  // namespace
}  // namespace flowlatch
