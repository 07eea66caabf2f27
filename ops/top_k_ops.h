// TopK, TopKV2.
#ifndef FLOWLATCH_OPS_TOP_K_OPS_H_
#define FLOWLATCH_OPS_TOP_K_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterTopKOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_TOP_K_OPS_H_
