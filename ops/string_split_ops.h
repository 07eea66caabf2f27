#ifndef FLOWLATCH_OPS_STRING_SPLIT_OPS_H_
#define FLOWLATCH_OPS_STRING_SPLIT_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// StringStrip, StringSplit, StringSplitV2, StringNGrams.
absl::Status RegisterStringSplitOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_STRING_SPLIT_OPS_H_
