// Whether a step may touch the file system.
#ifndef FLOWLATCH_OPS_KERNELS_FILE_ACCESS_H_
#define FLOWLATCH_OPS_KERNELS_FILE_ACCESS_H_

#include "absl/status/status.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {

// Errors: FailedPrecondition when the session allows no files.
inline absl::Status CheckFilesAllowed(const KernelCall& c) {
  if (c.step().services().allow_files) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "access to files: expected it to be allowed (SessionOptions::allow_files, --allow-files), got a session without it");
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_FILE_ACCESS_H_
