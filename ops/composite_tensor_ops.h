// CompositeTensorVariantFromComponents, CompositeTensorVariantToComponents.
#ifndef FLOWLATCH_OPS_COMPOSITE_TENSOR_OPS_H_
#define FLOWLATCH_OPS_COMPOSITE_TENSOR_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterCompositeTensorOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_COMPOSITE_TENSOR_OPS_H_
