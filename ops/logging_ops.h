// Print, PrintV2, Assert, Abort, NoOp.
#ifndef FLOWLATCH_OPS_LOGGING_OPS_H_
#define FLOWLATCH_OPS_LOGGING_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterLoggingOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_LOGGING_OPS_H_
