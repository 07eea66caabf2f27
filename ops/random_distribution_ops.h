#ifndef FLOWLATCH_OPS_RANDOM_DISTRIBUTION_OPS_H_
#define FLOWLATCH_OPS_RANDOM_DISTRIBUTION_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterRandomDistributionOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_RANDOM_DISTRIBUTION_OPS_H_
