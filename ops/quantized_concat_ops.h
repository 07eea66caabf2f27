// QuantizedConcat and QuantizedConcatV2: joining integers that stand for different ranges.
#ifndef FLOWLATCH_OPS_QUANTIZED_CONCAT_OPS_H_
#define FLOWLATCH_OPS_QUANTIZED_CONCAT_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterQuantizedConcatOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_QUANTIZED_CONCAT_OPS_H_
