// Sum, Mean, Prod, Max, Min, EuclideanNorm, All, Any.
#ifndef FLOWLATCH_OPS_REDUCE_OPS_H_
#define FLOWLATCH_OPS_REDUCE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterReduceOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_REDUCE_OPS_H_
