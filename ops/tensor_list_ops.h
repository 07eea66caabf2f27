#ifndef FLOWLATCH_OPS_TENSOR_LIST_OPS_H_
#define FLOWLATCH_OPS_TENSOR_LIST_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterTensorListOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_TENSOR_LIST_OPS_H_
