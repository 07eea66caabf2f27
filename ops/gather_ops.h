// Gather, GatherV2, GatherNd, OneHot, Where, MatrixBandPart.
#ifndef FLOWLATCH_OPS_GATHER_OPS_H_
#define FLOWLATCH_OPS_GATHER_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterGatherOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_GATHER_OPS_H_
