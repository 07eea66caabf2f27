#ifndef FLOWLATCH_OPS_RECURRENT_OPS_H_
#define FLOWLATCH_OPS_RECURRENT_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

// LSTM and GRU cells, and LSTM layers over time.
absl::Status RegisterRecurrentOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_RECURRENT_OPS_H_
