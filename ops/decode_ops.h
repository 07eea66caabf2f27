#ifndef FLOWLATCH_OPS_DECODE_OPS_H_
#define FLOWLATCH_OPS_DECODE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// DecodeRaw, DecodePaddedRaw, DecodeCompressed.
absl::Status RegisterDecodeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_DECODE_OPS_H_
