// EmptyTensorMap, TensorMapInsert, TensorMapLookup, TensorMapHasKey, TensorMapErase, TensorMapSize, TensorMapStackKeys.
#ifndef FLOWLATCH_OPS_TENSOR_MAP_OPS_H_
#define FLOWLATCH_OPS_TENSOR_MAP_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterTensorMapOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_TENSOR_MAP_OPS_H_
