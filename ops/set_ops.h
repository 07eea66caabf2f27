#ifndef FLOWLATCH_OPS_SET_OPS_H_
#define FLOWLATCH_OPS_SET_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// DenseToDenseSetOperation, DenseToSparseSetOperation, SparseToSparseSetOperation, SetSize.
absl::Status RegisterSetOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SET_OPS_H_
