#include "runtime/events/summaries.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/summary.pb.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/tensor_proto.h"
#include "runtime/events/png.h"

namespace flowlatch {
namespace {

absl::Status Wrong(const std::string& tag, const std::string& expected, const std::string& got) {
  return absl::InvalidArgumentError(absl::StrCat("summary '", tag, "': expected ", expected, ", got ", got));
}

std::string TypeText(const Tensor& t) { return absl::StrCat(std::string(DTypeName(t.dtype())), t.ShapeString()); }

// Calls visit(double) with each element; false if they are no real numbers.
template <typename Visit>
bool ForEachNumber(const Tensor& t, const Visit& visit) {
  const auto all = [&]<typename T>(T) {
    for (const T& value : t.values<T>()) visit(static_cast<double>(value));
    return true;
  };
  switch (t.dtype()) {
    case DType::kFloat32:
      return all(float{});
    case DType::kFloat64:
      return all(double{});
    case DType::kFloat16:
      return all(Half{});
    case DType::kBFloat16:
      return all(BFloat16{});
    case DType::kInt8:
      return all(int8_t{});
    case DType::kInt16:
      return all(int16_t{});
    case DType::kInt32:
      return all(int32_t{});
    case DType::kInt64:
      return all(int64_t{});
    case DType::kUInt8:
      return all(uint8_t{});
    case DType::kUInt16:
      return all(uint16_t{});
    case DType::kUInt32:
      return all(uint32_t{});
    case DType::kUInt64:
      return all(uint64_t{});
    case DType::kBool:
      return all(bool{});
    default:
      return false;
  }
}

// The upper ends of the buckets, ascending.
const std::vector<double>& BucketLimits() {
  static const std::vector<double>* const limits = [] {
    std::vector<double> positive;
    for (double limit = 1e-12; limit < 1e20; limit *= 1.1) positive.push_back(limit);
    positive.push_back(DBL_MAX);
    auto* all = new std::vector<double>;
    for (size_t i = positive.size(); i-- > 0;) all->push_back(-positive[i]);
    all->push_back(0);
    all->insert(all->end(), positive.begin(), positive.end());
    return all;
  }();
  return *limits;
}

// Runs of empty buckets become one.
void AddBuckets(const std::vector<double>& counts, proto::HistogramProto* histogram) {
  const std::vector<double>& limits = BucketLimits();
  for (size_t i = 0; i < counts.size(); ++i) {
    const size_t first = i;
    while (counts[first] == 0 && i + 1 < counts.size() && counts[i + 1] == 0) ++i;
    histogram->add_bucket_limit(limits[i]);
    histogram->add_bucket(counts[first]);
  }
}

std::string Numbered(const std::string& tag, const char* kind, int64_t i, int64_t most) {
  return most == 1 ? absl::StrCat(tag, "/", kind) : absl::StrCat(tag, "/", kind, "/", i);
}

// ---- Images

// The pixels of one image as bytes. T's own arithmetic decides between neighbours.
template <typename T>
std::vector<uint8_t> ScaledPixels(const T* pixels, int64_t count, int64_t channels, const uint8_t* bad_color) {
  const auto finite = [&](const T* pixel) {
    return std::all_of(pixel, pixel + channels, [](T value) { return std::isfinite(static_cast<double>(value)); });
  };
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (int64_t i = 0; i < count; ++i) {
    const T* const pixel = pixels + i * channels;
    if (!finite(pixel)) continue;
    for (int64_t c = 0; c < channels; ++c) {
      low = std::min(low, static_cast<float>(pixel[c]));
      high = std::max(high, static_cast<float>(pixel[c]));
    }
  }
  constexpr float kZero = 1e-6f;  // images as dark as this stay dark
  const bool is_signed = low < 0;
  const float largest = is_signed ? std::max(-low, std::abs(high)) : high;
  const T scale = static_cast<T>(largest < kZero ? 0 : (is_signed ? 127.0f : 255.0f) / largest);
  const T offset = static_cast<T>(is_signed ? 128.0f : 0.0f);
  std::vector<uint8_t> bytes;
  bytes.reserve(static_cast<size_t>(count * channels));
  for (int64_t i = 0; i < count; ++i) {
    const T* const pixel = pixels + i * channels;
    for (int64_t c = 0; c < channels; ++c) {
      const T value = static_cast<T>(static_cast<T>(pixel[c] * scale) + offset);
      bytes.push_back(finite(pixel) ? static_cast<uint8_t>(std::clamp(static_cast<double>(value), 0.0, 255.0)) : bad_color[c]);
    }
  }
  return bytes;
}

// Image i of a batch as bytes; none for dtypes that are no images.
std::vector<uint8_t> PixelsOf(const Tensor& images, int64_t i, const uint8_t* bad_color) {
  const int64_t count = images.dim(1) * images.dim(2), channels = images.dim(3), first = i * count * channels;
  switch (images.dtype()) {
    case DType::kUInt8: {
      const uint8_t* const pixels = images.data<uint8_t>() + first;
      return {pixels, pixels + count * channels};
    }
    case DType::kFloat32:
      return ScaledPixels(images.data<float>() + first, count, channels, bad_color);
    case DType::kFloat64:
      return ScaledPixels(images.data<double>() + first, count, channels, bad_color);
    case DType::kFloat16:
      return ScaledPixels(images.data<Half>() + first, count, channels, bad_color);
    default:
      return {};
  }
}

bool IsImageDType(DType dtype) {
  return dtype == DType::kUInt8 || dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16;
}

// ---- Sounds

template <typename T>
void AppendLittleEndian(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A WAV file of 16-bit samples.
std::string EncodeWav(const float* samples, int64_t frames, int64_t channels, uint32_t rate) {
  constexpr uint16_t kPcm = 1, kBits = 16;
  constexpr uint32_t kFormatBytes = 16, kHeaderBytes = 36;  // of what follows the size in the first eight bytes
  const auto frame_bytes = static_cast<uint16_t>(channels * kBits / 8);
  const auto data_bytes = static_cast<uint32_t>(frames * frame_bytes);
  std::string wav = "RIFF";
  AppendLittleEndian<uint32_t>(kHeaderBytes + data_bytes, &wav);
  wav += "WAVEfmt ";
  AppendLittleEndian(kFormatBytes, &wav);
  AppendLittleEndian(kPcm, &wav);
  AppendLittleEndian(static_cast<uint16_t>(channels), &wav);
  AppendLittleEndian(rate, &wav);
  AppendLittleEndian(rate * frame_bytes, &wav);
  AppendLittleEndian(frame_bytes, &wav);
  AppendLittleEndian(kBits, &wav);
  wav += "data";
  AppendLittleEndian(data_bytes, &wav);
  for (int64_t i = 0; i < frames * channels; ++i) {
    const float scaled = std::isnan(samples[i]) ? 0.0f : std::clamp(std::round(samples[i] * 32768.0f), -32768.0f, 32767.0f);
    AppendLittleEndian(static_cast<int16_t>(scaled), &wav);
  }
  return wav;
}

}  // namespace

absl::Status AddScalar(const std::string& tag, const Tensor& value, proto::Summary* summary) {
  double number = 0;
  if (value.num_elements() != 1 || !ForEachNumber(value, [&](double element) { number = element; })) {
    return Wrong(tag, "one number", TypeText(value));
  }
  proto::Summary::Value* const added = summary->add_value();
  added->set_tag(tag);
  added->set_simple_value(static_cast<float>(number));
  return absl::OkStatus();
}

absl::Status AddHistogram(const std::string& tag, const Tensor& values, proto::Summary* summary) {
  const std::vector<double>& limits = BucketLimits();
  std::vector<double> counts(limits.size());
  proto::HistogramProto histogram;
  double low = DBL_MAX, high = -DBL_MAX, sum = 0, squares = 0;
  const char* bad = nullptr;
  const bool numbers = ForEachNumber(values, [&](double value) {
    if (!std::isfinite(value)) {
      bad = std::isnan(value) ? "NaN" : "infinity";
      return;
    }
    const size_t bucket = static_cast<size_t>(std::upper_bound(limits.begin(), limits.end(), value) - limits.begin());
    ++counts[std::min(bucket, limits.size() - 1)];
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    squares += value * value;
  });
  if (!numbers) return Wrong(tag, "numbers", TypeText(values));
  if (bad != nullptr) return Wrong(tag, "finite values", bad);
  histogram.set_min(low);
  histogram.set_max(high);
  histogram.set_num(static_cast<double>(values.num_elements()));
  histogram.set_sum(sum);
  histogram.set_sum_squares(squares);
  AddBuckets(counts, &histogram);
  proto::Summary::Value* const added = summary->add_value();
  added->set_tag(tag);
  *added->mutable_histo() = std::move(histogram);
  return absl::OkStatus();
}

absl::Status AddImages(const std::string& tag, const Tensor& images, int64_t max_images, const Tensor& bad_color,
                       proto::Summary* summary) {
  const bool is_batch = images.rank() == 4 && (images.dim(3) == 1 || images.dim(3) == 3 || images.dim(3) == 4);
  if (!IsImageDType(images.dtype()) || !is_batch) return Wrong(tag, "images [n,height,width,1, 3 or 4]", TypeText(images));
  if (bad_color.dtype() != DType::kUInt8 || !bad_color.is_vector() || bad_color.dim(0) < images.dim(3)) {
    return Wrong(tag, absl::StrCat("a bad colour uint8[", images.dim(3), "] or longer"), TypeText(bad_color));
  }
  proto::Summary added;
  for (int64_t i = 0; i < std::min(max_images, images.dim(0)); ++i) {
    const std::vector<uint8_t> pixels = PixelsOf(images, i, bad_color.data<uint8_t>());
    ASSIGN_OR_RETURN(std::string png, EncodePng(images.dim(1), images.dim(2), images.dim(3), pixels));
    proto::Summary::Value* const value = added.add_value();
    value->set_tag(Numbered(tag, "image", i, max_images));
    value->mutable_image()->set_height(static_cast<int32_t>(images.dim(1)));
    value->mutable_image()->set_width(static_cast<int32_t>(images.dim(2)));
    value->mutable_image()->set_colorspace(static_cast<int32_t>(images.dim(3)));
    value->mutable_image()->set_encoded_image_string(std::move(png));
  }
  summary->MergeFrom(added);
  return absl::OkStatus();
}

absl::Status AddAudio(const std::string& tag, const Tensor& sounds, float sample_rate, int64_t max_outputs,
                      proto::Summary* summary) {
  if (sounds.dtype() != DType::kFloat32 || (sounds.rank() != 2 && sounds.rank() != 3)) {
    return Wrong(tag, "sounds float32[n,frames] or [n,frames,channels]", TypeText(sounds));
  }
  constexpr float kMaxRate = 1e9f;
  if (!(sample_rate >= 1 && sample_rate <= kMaxRate)) return Wrong(tag, "a sample_rate of 1 to 1e9", absl::StrCat(sample_rate));
  const int64_t frames = sounds.dim(1), channels = sounds.rank() == 3 ? sounds.dim(2) : 1;
  constexpr int64_t kMaxChannels = 1024, kMaxSamples = int64_t{1} << 30;  // the format has 32 bits for sizes
  if (channels < 1 || channels > kMaxChannels || frames * channels > kMaxSamples) {
    return Wrong(tag, "1 to 1024 channels and at most 2^30 samples", TypeText(sounds));
  }
  for (int64_t i = 0; i < std::min(max_outputs, sounds.dim(0)); ++i) {
    proto::Summary::Value* const value = summary->add_value();
    value->set_tag(Numbered(tag, "audio", i, max_outputs));
    proto::Summary::Audio* const audio = value->mutable_audio();
    audio->set_sample_rate(sample_rate);
    audio->set_num_channels(channels);
    audio->set_length_frames(frames);
    audio->set_encoded_audio_string(EncodeWav(sounds.data<float>() + i * frames * channels, frames, channels,
                                              static_cast<uint32_t>(std::nearbyint(sample_rate))));
    audio->set_content_type("audio/wav");
  }
  return absl::OkStatus();
}

absl::Status AddTensor(const std::string& tag, const Tensor& tensor, const std::string& metadata, proto::Summary* summary) {
  proto::Summary::Value value;
  if (!value.mutable_metadata()->ParseFromString(metadata)) {
    return Wrong(tag, "serialized SummaryMetadata", absl::StrCat(metadata.size(), " other bytes"));
  }
  RETURN_IF_ERROR(TensorToProto(tensor, value.mutable_tensor()));
  value.set_tag(tag);
  *summary->add_value() = std::move(value);
  return absl::OkStatus();
}

}  // namespace flowlatch
