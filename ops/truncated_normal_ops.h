#ifndef FLOWLATCH_OPS_TRUNCATED_NORMAL_OPS_H_
#define FLOWLATCH_OPS_TRUNCATED_NORMAL_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// ParameterizedTruncatedNormal, StatelessParameterizedTruncatedNormal.
absl::Status RegisterTruncatedNormalOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_TRUNCATED_NORMAL_OPS_H_
