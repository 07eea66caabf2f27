// Softmax, LogSoftmax and the cross entropies with softmax; InTopK.
#ifndef FLOWLATCH_OPS_SOFTMAX_OPS_H_
#define FLOWLATCH_OPS_SOFTMAX_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterSoftmaxOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SOFTMAX_OPS_H_
