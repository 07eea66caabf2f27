// Requantize and its relations: quantised tensors brought to another range and dtype.
#ifndef FLOWLATCH_OPS_REQUANTIZE_OPS_H_
#define FLOWLATCH_OPS_REQUANTIZE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterRequantizeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_REQUANTIZE_OPS_H_
