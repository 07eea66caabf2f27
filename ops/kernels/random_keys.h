// The inputs that say where a stateless random op's sequence begins.
#ifndef FLOWLATCH_OPS_KERNELS_RANDOM_KEYS_H_
#define FLOWLATCH_OPS_KERNELS_RANDOM_KEYS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/philox.h"

namespace flowlatch {

inline constexpr int32_t kPhiloxAlgorithm = 1, kAnyAlgorithm = 3;  // TensorFlow's numbers; here any means Philox

// Where the sequence of a seed begins: the lower half of the counter is 0.
struct RandomKey {
  uint64_t key, counter_high;
  Philox generator() const { return Philox(key, 0, counter_high); }
};

// `seed`: two integers, which are mixed. Errors: InvalidArgument for another shape, or unsigned ones.
absl::StatusOr<RandomKey> ReadSeed(const Tensor& seed);

// `key` [1], `counter` [2] or longer, of uint64, and the scalar `alg`. Errors: InvalidArgument for another shape or algorithm.
absl::StatusOr<Philox> ReadKeyAndCounter(const Tensor& key, const Tensor& counter, const Tensor& alg);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_RANDOM_KEYS_H_
