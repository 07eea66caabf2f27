#ifndef FLOWLATCH_OPS_GENERAL_CONV_OPS_H_
#define FLOWLATCH_OPS_GENERAL_CONV_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// Conv. Requires: `library` lives as long as its kernels, and has or gets Conv2D and Conv3D, which compute it.
absl::Status RegisterGeneralConvOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_GENERAL_CONV_OPS_H_
