// RaggedTensorToVariant and RaggedTensorFromVariant: ragged tensors in variants, whole or row by row.
#ifndef FLOWLATCH_OPS_RAGGED_VARIANT_OPS_H_
#define FLOWLATCH_OPS_RAGGED_VARIANT_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterRaggedVariantOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_RAGGED_VARIANT_OPS_H_
