// Whole files, read and written at once.
#ifndef FLOWLATCH_TOOLS_ARRAYS_FILES_H_
#define FLOWLATCH_TOOLS_ARRAYS_FILES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flowlatch {

// Errors: NotFound, PermissionDenied, FailedPrecondition (a folder), ResourceExhausted (memory), Unavailable (the
// disk).
absl::StatusOr<std::string> ReadBytes(const std::string& path);
absl::Status WriteBytes(const std::string& path, std::string_view bytes);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_ARRAYS_FILES_H_
