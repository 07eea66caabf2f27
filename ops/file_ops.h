#ifndef FLOWLATCH_OPS_FILE_OPS_H_
#define FLOWLATCH_OPS_FILE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// ReadFile, WriteFile, MatchingFiles.
absl::Status RegisterFileOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_FILE_OPS_H_
