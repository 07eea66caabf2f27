// Calls of functions: PartitionedCall, If, While and Case, each stateful or stateless.
#ifndef FLOWLATCH_OPS_FUNCTION_OPS_H_
#define FLOWLATCH_OPS_FUNCTION_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterFunctionOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_FUNCTION_OPS_H_
