// Matrix products: MatMul, BatchMatMul, BatchMatMulV2, BatchMatMulV3.
#ifndef FLOWLATCH_OPS_MATMUL_OPS_H_
#define FLOWLATCH_OPS_MATMUL_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterMatMulOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_MATMUL_OPS_H_
