#include "ops/kernels/entropy.h"

#include <mutex>
#include <optional>
#include <random>

namespace flowlatch {
namespace {

std::mutex mu;
std::optional<std::mt19937_64> fixed;  // guarded by mu

}  // namespace

std::pair<uint64_t, uint64_t> FreshSeeds() {
  std::lock_guard<std::mutex> lock(mu);
  if (fixed.has_value()) {
    const uint64_t first = (*fixed)();
    return {first, (*fixed)()};
  }
  std::random_device entropy;
  const auto word = [&] { return uint64_t{entropy()} << 32 | entropy(); };
  const uint64_t first = word();
  return {first, word()};
}

void FixEntropy(uint64_t seed) {
  std::lock_guard<std::mutex> lock(mu);
  fixed.emplace(seed);
}

}  // namespace flowlatch
