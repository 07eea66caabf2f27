// ArgMax, ArgMin.
#ifndef FLOWLATCH_OPS_ARG_OPS_H_
#define FLOWLATCH_OPS_ARG_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterArgOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_ARG_OPS_H_
