#ifndef FLOWLATCH_OPS_SEQUENCE_EXAMPLE_OPS_H_
#define FLOWLATCH_OPS_SEQUENCE_EXAMPLE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample.
absl::Status RegisterSequenceExampleOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SEQUENCE_EXAMPLE_OPS_H_
