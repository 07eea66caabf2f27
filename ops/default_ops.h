// DefaultOps: every op of this folder, ready to use.
#ifndef FLOWLATCH_OPS_DEFAULT_OPS_H_
#define FLOWLATCH_OPS_DEFAULT_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

// All families. Errors: as OpLibrary::Add, which only a library that already has such an op can meet.
absl::Status RegisterAllOps(OpLibrary& library);

// A library that is filled on first use and lives as long as the process.
const OpLibrary& DefaultOps();

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_DEFAULT_OPS_H_
