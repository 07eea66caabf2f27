#ifndef FLOWLATCH_OPS_UNICODE_OPS_H_
#define FLOWLATCH_OPS_UNICODE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// UnicodeTranscode, UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeScript.
absl::Status RegisterUnicodeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_UNICODE_OPS_H_
