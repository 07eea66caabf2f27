// Values for people to look at, as messages that TensorBoard shows: numbers, histograms, images, sounds, tensors.
#ifndef FLOWLATCH_RUNTIME_EVENTS_SUMMARIES_H_
#define FLOWLATCH_RUNTIME_EVENTS_SUMMARIES_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

namespace proto {
class Summary;          // flowlatch/proto/summary.pb.h
class SummaryMetadata;
}  // namespace proto

// Each adds to `summary`, or nothing and an error. A summary of one image or sound is called "tag/image", those of several
// "tag/image/0", ...

// values: one element, of any dtype of real numbers or bool.
// Errors of this and the next: InvalidArgument for other dtypes, for another count here, for NaN and infinities there.
absl::Status AddScalar(const std::string& tag, const Tensor& value, proto::Summary* summary);
// values: any shape. Buckets grow by a tenth from 1e-12 to 1e20, on both sides of zero.
absl::Status AddHistogram(const std::string& tag, const Tensor& values, proto::Summary* summary);

// images: [n, height, width, channels] of uint8, float32, float64 or float16, of which up to max_images become PNG files.
// Floating values are scaled: to 0..255, or if any is below zero so that zero is 128 and the largest magnitude 127 away; pixels
// that are not finite become `bad_color`, a uint8 vector of at least `channels` elements.
// Errors: InvalidArgument for another dtype or shape, or a bad colour that is none.
absl::Status AddImages(const std::string& tag, const Tensor& images, int64_t max_images, const Tensor& bad_color,
                       proto::Summary* summary);

// sounds: float32 [n, frames] or [n, frames, channels] with values from -1 to 1, of which up to max_outputs become WAV files.
// Errors: InvalidArgument for another shape, or a rate that is not positive.
absl::Status AddAudio(const std::string& tag, const Tensor& sounds, float sample_rate, int64_t max_outputs,
                      proto::Summary* summary);

// metadata: serialized. Errors: InvalidArgument for metadata that are none, those of TensorToProto.
absl::Status AddTensor(const std::string& tag, const Tensor& tensor, const std::string& metadata, proto::Summary* summary);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EVENTS_SUMMARIES_H_
