// PNG and JPEG files as tensors. What is read comes from files and is never trusted.
#ifndef FLOWLATCH_TOOLS_ARRAYS_IMAGE_H_
#define FLOWLATCH_TOOLS_ARRAYS_IMAGE_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// uint8 [height, width, channels]; 1 channel for grey images, 3 for colour; transparency is dropped.
// Errors: InvalidArgument for other formats, damaged files and more than 2^28 pixels.
absl::StatusOr<Tensor> ParseImage(std::string_view bytes);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_ARRAYS_IMAGE_H_
