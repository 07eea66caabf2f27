// Stage, Unstage, StagePeek, StageSize, StageClear; MapStage, MapPeek, MapUnstage, MapUnstageNoKey, MapSize,
// MapIncompleteSize, MapClear, and their OrderedMap forms.
#ifndef FLOWLATCH_OPS_STAGE_OPS_H_
#define FLOWLATCH_OPS_STAGE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterStageOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_STAGE_OPS_H_
