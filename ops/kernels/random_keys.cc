#include "ops/kernels/random_keys.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/inputs.h"

namespace flowlatch {

absl::StatusOr<RandomKey> ReadSeed(const Tensor& seed) {
  ASSIGN_OR_RETURN(const Dims seeds, ReadIntVector(seed, "seed"));
  if (seeds.size() != 2) return absl::InvalidArgumentError(absl::StrCat("seed: expected shape [2], got ", seed.ShapeString()));
  constexpr uint64_t kMixingKey = 0x02461e293ec8f720;
  const Philox::Words mixed = Philox(kMixingKey, static_cast<uint64_t>(seeds[0]), static_cast<uint64_t>(seeds[1])).Next();
  return RandomKey{.key = mixed[0] | uint64_t{mixed[1]} << 32, .counter_high = mixed[2] | uint64_t{mixed[3]} << 32};
}

absl::StatusOr<Philox> ReadKeyAndCounter(const Tensor& key, const Tensor& counter, const Tensor& alg) {
  if (key.dtype() != DType::kUInt64 || key.rank() != 1 || key.dim(0) != 1) {
    return absl::InvalidArgumentError(absl::StrCat("key: expected a uint64 of shape [1], got shape ", key.ShapeString()));
  }
  if (counter.dtype() != DType::kUInt64 || counter.rank() != 1 || counter.dim(0) < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("counter: expected a uint64 vector of 2 or more, got shape ", counter.ShapeString()));
  }
  ASSIGN_OR_RETURN(const int64_t algorithm, ReadIntScalar(alg, "alg"));
  if (algorithm != kPhiloxAlgorithm && algorithm != kAnyAlgorithm) {
    return absl::InvalidArgumentError(absl::StrCat("alg: expected 1 (Philox) or 3 (any), got ", algorithm));
  }
  return Philox(key.values<uint64_t>()[0], counter.values<uint64_t>()[0], counter.values<uint64_t>()[1]);
}

}  // namespace flowlatch
