// GetSessionHandle, GetSessionHandleV2, GetSessionTensor, DeleteSessionTensor.
#ifndef FLOWLATCH_OPS_SESSION_TENSOR_OPS_H_
#define FLOWLATCH_OPS_SESSION_TENSOR_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterSessionTensorOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SESSION_TENSOR_OPS_H_
