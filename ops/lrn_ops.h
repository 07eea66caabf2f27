// Local response normalisation: LRN, LRNGrad.
#ifndef FLOWLATCH_OPS_LRN_OPS_H_
#define FLOWLATCH_OPS_LRN_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterLrnOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_LRN_OPS_H_
