#ifndef FLOWLATCH_OPS_DATASET_FILE_OPS_H_
#define FLOWLATCH_OPS_DATASET_FILE_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterDatasetFileOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_DATASET_FILE_OPS_H_
