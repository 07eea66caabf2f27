// QuantizedConv2D, QuantizedMaxPool, QuantizedAvgPool and QuantizedResizeBilinear: images of integers that stand for ranges.
#ifndef FLOWLATCH_OPS_QUANTIZED_IMAGE_OPS_H_
#define FLOWLATCH_OPS_QUANTIZED_IMAGE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterQuantizedImageOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_QUANTIZED_IMAGE_OPS_H_
