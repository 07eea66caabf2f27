// Tensors made larger: Pad, MirrorPad, Tile, BroadcastTo.
#ifndef FLOWLATCH_OPS_PADDING_OPS_H_
#define FLOWLATCH_OPS_PADDING_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterPaddingOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_PADDING_OPS_H_
