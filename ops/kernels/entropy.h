// Where random ops without seeds begin.
#ifndef FLOWLATCH_OPS_KERNELS_ENTROPY_H_
#define FLOWLATCH_OPS_KERNELS_ENTROPY_H_

#include <cstdint>
#include <utility>

namespace flowlatch {

// Two seeds that nobody has had before: from the system, or from FixEntropy's sequence. Thread-safe.
std::pair<uint64_t, uint64_t> FreshSeeds();

// From now on, ops without seeds of this process take theirs from a sequence that `seed` names, in the order in which their plans are
// made. For programs that want to repeat a run.
void FixEntropy(uint64_t seed);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ENTROPY_H_
