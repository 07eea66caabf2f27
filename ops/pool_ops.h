// Pooling of images: MaxPool and AvgPool with their gradients, MaxPoolWithArgmax.
#ifndef FLOWLATCH_OPS_POOL_OPS_H_
#define FLOWLATCH_OPS_POOL_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterPoolOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_POOL_OPS_H_
