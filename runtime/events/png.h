// PNG files of pixels in memory.
#ifndef FLOWLATCH_RUNTIME_EVENTS_PNG_H_
#define FLOWLATCH_RUNTIME_EVENTS_PNG_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace flowlatch {

// pixels: rows from the top, `channels` bytes each: 1 grey, 3 colour, 4 with opacity.
// Errors: InvalidArgument for other channels, sides outside [1, 1000000] and a count of pixels that does not fit them.
absl::StatusOr<std::string> EncodePng(int64_t height, int64_t width, int64_t channels, absl::Span<const uint8_t> pixels);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EVENTS_PNG_H_
