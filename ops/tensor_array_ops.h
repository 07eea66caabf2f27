#ifndef FLOWLATCH_OPS_TENSOR_ARRAY_OPS_H_
#define FLOWLATCH_OPS_TENSOR_ARRAY_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterTensorArrayOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_TENSOR_ARRAY_OPS_H_
