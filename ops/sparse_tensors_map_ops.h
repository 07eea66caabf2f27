// AddSparseToTensorsMap, AddManySparseToTensorsMap, TakeManySparseFromTensorsMap.
#ifndef FLOWLATCH_OPS_SPARSE_TENSORS_MAP_OPS_H_
#define FLOWLATCH_OPS_SPARSE_TENSORS_MAP_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterSparseTensorsMapOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SPARSE_TENSORS_MAP_OPS_H_
