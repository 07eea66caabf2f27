// The generator of a node whose attrs seed and seed2 name its sequence.
#ifndef FLOWLATCH_OPS_KERNELS_RANDOM_STATE_H_
#define FLOWLATCH_OPS_KERNELS_RANDOM_STATE_H_

#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/entropy.h"
#include "ops/kernels/philox.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

class RandomState : public KernelState {
 public:
  RandomState(uint64_t seed, uint64_t seed2) : random_(seed, seed2) {}
  // The generator as it stands, which then goes on by `draws`.
  Philox Take(uint64_t draws) const {
    const std::lock_guard<std::mutex> lock(mu_);
    const Philox taken = random_;
    random_.Skip(draws);
    return taken;
  }

 private:
  mutable std::mutex mu_;
  mutable Philox random_;  // guarded by mu_
};

// From the node's seeds, or any if both are 0.
inline absl::StatusOr<std::shared_ptr<RandomState>> MakeRandomState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t seed, node.Int("seed"));
  ASSIGN_OR_RETURN(const int64_t seed2, node.Int("seed2"));
  if (seed != 0 || seed2 != 0) {
    return std::make_shared<RandomState>(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
  }
  const auto [any, any2] = FreshSeeds();
  return std::make_shared<RandomState>(any, any2);
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_RANDOM_STATE_H_
