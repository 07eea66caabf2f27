// Ops that describe values for TensorBoard.
#ifndef FLOWLATCH_OPS_SUMMARY_OPS_H_
#define FLOWLATCH_OPS_SUMMARY_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterSummaryOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SUMMARY_OPS_H_
