// Quantisation that is undone at once: FakeQuantWithMinMax*, QuantizeAndDequantize*.
#ifndef FLOWLATCH_OPS_FAKE_QUANT_OPS_H_
#define FLOWLATCH_OPS_FAKE_QUANT_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterFakeQuantOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_FAKE_QUANT_OPS_H_
