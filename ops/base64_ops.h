#ifndef FLOWLATCH_OPS_BASE64_OPS_H_
#define FLOWLATCH_OPS_BASE64_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// EncodeBase64, DecodeBase64.
absl::Status RegisterBase64Ops(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BASE64_OPS_H_
