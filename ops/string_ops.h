// StringFormat, StringJoin, StringLength, StringLower, StringUpper, Substr, AsString, StringToNumber.
#ifndef FLOWLATCH_OPS_STRING_OPS_H_
#define FLOWLATCH_OPS_STRING_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterStringOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_STRING_OPS_H_
