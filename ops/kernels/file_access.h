// Whether a step may touch the file system.
#ifndef FLOWLATCH_OPS_KERNELS_FILE_ACCESS_H_
#define FLOWLATCH_OPS_KERNELS_FILE_ACCESS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {

// Errors: FailedPrecondition when the session allows no files.
inline absl::Status CheckFilesAllowed(const KernelCall& c) {
  if (c.step().services().allow_files) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "access to files: expected it to be allowed (SessionOptions::allow_files, --allow-files), got a session without it");
}

// Errors: NotFound for what names no file: nothing, or a text that the system would cut at a NUL.
inline absl::Status CheckPath(std::string_view path, std::string_view what) {
  if (!path.empty() && path.find('\0') == std::string_view::npos) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat(std::string(what), ": expected a path, got ", path.empty() ? "an empty one" : "one with a NUL"));
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_FILE_ACCESS_H_
