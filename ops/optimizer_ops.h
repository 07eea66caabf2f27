// Apply* and ResourceApply*: the steps of optimizers, on whole variables.
#ifndef FLOWLATCH_OPS_OPTIMIZER_OPS_H_
#define FLOWLATCH_OPS_OPTIMIZER_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterOptimizerOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_OPTIMIZER_OPS_H_
