// SaveV2, RestoreV2, MergeV2Checkpoints, Restore, RestoreSlice, ShardedFilename, ShardedFilespec.
#ifndef FLOWLATCH_OPS_SAVE_RESTORE_OPS_H_
#define FLOWLATCH_OPS_SAVE_RESTORE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterSaveRestoreOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SAVE_RESTORE_OPS_H_
