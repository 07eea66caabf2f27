#ifndef FLOWLATCH_OPS_CTC_OPS_H_
#define FLOWLATCH_OPS_CTC_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

// Connectionist temporal classification: losses and decoders.
absl::Status RegisterCtcOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_CTC_OPS_H_
