// Cumsum, Cumprod.
#ifndef FLOWLATCH_OPS_SCAN_OPS_H_
#define FLOWLATCH_OPS_SCAN_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterScanOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SCAN_OPS_H_
