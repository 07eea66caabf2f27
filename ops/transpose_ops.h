// Transpose, ConjugateTranspose, SpaceToDepth, DepthToSpace, SpaceToBatchND, BatchToSpaceND, SpaceToBatch, BatchToSpace.
#ifndef FLOWLATCH_OPS_TRANSPOSE_OPS_H_
#define FLOWLATCH_OPS_TRANSPOSE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterTransposeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_TRANSPOSE_OPS_H_
