#ifndef FLOWLATCH_OPS_EXAMPLE_OPS_H_
#define FLOWLATCH_OPS_EXAMPLE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// ParseExample, ParseExampleV2, ParseSingleExample, DecodeJSONExample.
absl::Status RegisterExampleOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_EXAMPLE_OPS_H_
