// Sound, from files to the features that speech models take.
//   DecodeWav: the bytes of a WAV file of 16-bit samples -> audio [samples, channels] in [-1, 1), sample rate. Missing samples
//     are silent, missing channels repeat the last one
//   EncodeWav: the opposite; samples beyond [-1, 1) are clamped
//   AudioSpectrogram: audio [samples, channels] -> [channels, windows, bins], the size (or its square) of the Fourier
//     transform of each window, weighted by a Hann window and padded to a power of two
//   Mfcc: spectrogram of squares [channels, windows, bins], sample rate -> [channels, windows, coefficients], the cosine
//     transform of the logarithms of what a bank of mel filters lets through
// Computed in double.
#include "ops/audio_ops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/fft.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr int kBytesPerSample = 2;
constexpr float kSampleScale = 32768;

absl::Status ExpectRank(const Tensor& t, int rank, const char* what) {
  if (t.rank() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected ", rank, " dimensions, got shape ", t.ShapeString()));
}

// ---- WAV files

// Little-endian numbers and tags, one after the other.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  bool at_end() const { return at_ == bytes_.size(); }

  absl::StatusOr<std::string_view> Bytes(uint64_t count) {
    if (count > bytes_.size() - at_) {
      return absl::InvalidArgumentError(absl::StrCat("WAV file: expected ", count, " more bytes at position ", at_,
                                                     ", got ", bytes_.size() - at_));
    }
    const std::string_view part = bytes_.substr(at_, count);
    at_ += count;
    return part;
  }
  template <typename T>
  absl::StatusOr<T> Number() {
    ASSIGN_OR_RETURN(const std::string_view bytes, Bytes(sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  absl::Status Tag(std::string_view want) {
    ASSIGN_OR_RETURN(const std::string_view got, Bytes(want.size()));
    if (got == want) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("WAV file: expected '", absl::string_view(want.data(), want.size()), "' at position ",
                                                   at_ - want.size(), ", got '",
                                                   absl::CHexEscape(absl::string_view(got.data(), got.size())), "'"));
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

template <typename T>
absl::Status ExpectNumber(const char* what, T got, T want) {
  if (got == want) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("WAV file, ", what, ": expected ", want, ", got ", got));
}

struct WavFile {
  int64_t channels = 0, samples = 0;
  uint32_t rate = 0;
  std::string_view data;  // samples, their channels side by side
};

absl::StatusOr<WavFile> ParseWav(std::string_view bytes) {
  ByteReader in(bytes);
  WavFile wav;
  RETURN_IF_ERROR(in.Tag("RIFF"));
  RETURN_IF_ERROR(in.Number<uint32_t>().status());  // the size of the rest, often wrong
  RETURN_IF_ERROR(in.Tag("WAVE"));
  RETURN_IF_ERROR(in.Tag("fmt "));
  ASSIGN_OR_RETURN(const uint32_t format_size, in.Number<uint32_t>());
  if (format_size != 16 && format_size != 18) {
    return absl::InvalidArgumentError(absl::StrCat("WAV file, size of the format: expected 16 or 18, got ", format_size));
  }
  ASSIGN_OR_RETURN(const uint16_t format, in.Number<uint16_t>());
  ASSIGN_OR_RETURN(const uint16_t channels, in.Number<uint16_t>());
  ASSIGN_OR_RETURN(wav.rate, in.Number<uint32_t>());
  ASSIGN_OR_RETURN(const uint32_t bytes_per_second, in.Number<uint32_t>());
  ASSIGN_OR_RETURN(const uint16_t bytes_per_sample, in.Number<uint16_t>());
  ASSIGN_OR_RETURN(const uint16_t bits, in.Number<uint16_t>());
  RETURN_IF_ERROR(ExpectNumber<int>("format", format, 1));
  if (channels == 0) return absl::InvalidArgumentError("WAV file: expected at least one channel, got 0");
  RETURN_IF_ERROR(ExpectNumber<int>("bits of a sample", bits, 8 * kBytesPerSample));
  RETURN_IF_ERROR(ExpectNumber<uint32_t>("bytes of a sample", bytes_per_sample, uint32_t{channels} * kBytesPerSample));
  RETURN_IF_ERROR(ExpectNumber<uint64_t>("bytes per second", bytes_per_second, uint64_t{bytes_per_sample} * wav.rate));
  if (format_size == 18) RETURN_IF_ERROR(in.Number<uint16_t>().status());
  wav.channels = channels;
  bool found = false;
  while (!in.at_end()) {
    ASSIGN_OR_RETURN(const std::string_view tag, in.Bytes(4));
    ASSIGN_OR_RETURN(const uint32_t size, in.Number<uint32_t>());
    if (tag != "data") {
      RETURN_IF_ERROR(in.Bytes(size).status());
      continue;
    }
    if (found) return absl::InvalidArgumentError("WAV file: expected one chunk of data, got several");
    found = true;
    wav.samples = size / bytes_per_sample;
    ASSIGN_OR_RETURN(wav.data, in.Bytes(static_cast<uint64_t>(wav.samples) * bytes_per_sample));
  }
  if (!found) return absl::InvalidArgumentError("WAV file: expected a chunk of data, got none");
  return wav;
}

struct DecodeWavState final : KernelState {
  int64_t channels = -1, samples = -1;
};

absl::Status DecodeWav(KernelCall& c) {
  const DecodeWavState& state = c.state<DecodeWavState>();
  RETURN_IF_ERROR(ExpectRank(c.input(0), 0, "contents"));
  const String contents = c.input(0).scalar<String>();
  ASSIGN_OR_RETURN(const WavFile wav, ParseWav(contents.view()));
  if (wav.rate > static_cast<uint32_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("WAV file, sample rate: expected at most 2^31 - 1, got ", wav.rate));
  }
  const int64_t channels = state.channels >= 0 ? state.channels : wav.channels;
  const int64_t samples = state.samples >= 0 ? state.samples : wav.samples;
  ASSIGN_OR_RETURN(Tensor* audio, c.AllocateOutput(0, DType::kFloat32, {samples, channels}));
  c.output(1).SetScalar(static_cast<int32_t>(wav.rate));
  float* to = audio->mutable_data<float>();
  for (int64_t i = 0; i < samples; ++i) {
    for (int64_t channel = 0; channel < channels; ++channel) {
      float value = 0;
      if (i < wav.samples) {
        int16_t sample;
        const int64_t at = i * wav.channels + std::min(channel, wav.channels - 1);
        std::memcpy(&sample, wav.data.data() + at * kBytesPerSample, sizeof sample);
        value = static_cast<float>(sample) / kSampleScale;
      }
      to[i * channels + channel] = value;
    }
  }
  return absl::OkStatus();
}

int16_t ToSample(float value) {
  if (std::isnan(value)) return 0;
  return static_cast<int16_t>(std::clamp(std::round(value * kSampleScale), -kSampleScale, kSampleScale - 1));
}

template <typename T>
void Append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

absl::Status EncodeWav(KernelCall& c) {
  const Tensor& audio = c.input(0);
  RETURN_IF_ERROR(ExpectRank(audio, 2, "audio"));
  RETURN_IF_ERROR(ExpectRank(c.input(1), 0, "sample_rate"));
  const int64_t samples = audio.dim(0), channels = audio.dim(1);
  const int32_t rate = c.input(1).scalar<int32_t>();
  if (rate <= 0) return absl::InvalidArgumentError(absl::StrCat("sample_rate: expected a value > 0, got ", rate));
  if (channels < 1 || channels * kBytesPerSample > std::numeric_limits<uint16_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("audio: expected 1 to 32767 channels, got shape ", audio.ShapeString()));
  }
  constexpr int64_t kHeader = 36;
  const int64_t data_size = audio.num_elements() * kBytesPerSample;
  const int64_t bytes_per_second = int64_t{rate} * channels * kBytesPerSample;
  if (std::max(data_size + kHeader, bytes_per_second) > int64_t{std::numeric_limits<uint32_t>::max()}) {
    return absl::InvalidArgumentError(
        absl::StrCat("audio: expected less than 4 GiB, got shape ", audio.ShapeString(), " at sample rate ", rate));
  }
  std::string bytes = "RIFF";
  bytes.reserve(data_size + kHeader + 8);
  Append(bytes, static_cast<uint32_t>(data_size + kHeader));
  bytes += "WAVEfmt ";
  Append(bytes, uint32_t{16});
  Append(bytes, uint16_t{1});
  Append(bytes, static_cast<uint16_t>(channels));
  Append(bytes, static_cast<uint32_t>(rate));
  Append(bytes, static_cast<uint32_t>(bytes_per_second));
  Append(bytes, static_cast<uint16_t>(channels * kBytesPerSample));
  Append(bytes, static_cast<uint16_t>(8 * kBytesPerSample));
  bytes += "data";
  Append(bytes, static_cast<uint32_t>(data_size));
  const float* from = audio.data<float>();
  for (int64_t i = 0; i < samples * channels; ++i) Append(bytes, ToSample(from[i]));
  c.SetOutput(0, Tensor::Scalar(std::string_view(bytes)));
  return absl::OkStatus();
}

absl::Status DecodeWavShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  ASSIGN_OR_RETURN(const int64_t channels, c.Int("desired_channels"));
  ASSIGN_OR_RETURN(const int64_t samples, c.Int("desired_samples"));
  c.SetOutput(0, PartialShape::Of({std::max<int64_t>(samples, -1), std::max<int64_t>(channels, -1)}));
  c.SetOutput(1, PartialShape::Of({}));
  return absl::OkStatus();
}

absl::Status EncodeWavShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRank(0, 2).status());
  RETURN_IF_ERROR(c.ExpectScalar(1));
  c.SetOutput(0, PartialShape::Of({}));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> DecodeWavKernel(const NodeInfo& node) {
  auto state = std::make_shared<DecodeWavState>();
  ASSIGN_OR_RETURN(state->channels, node.Int("desired_channels"));
  ASSIGN_OR_RETURN(state->samples, node.Int("desired_samples"));
  return Kernel{.fn = &RunKernel<DecodeWav>, .state = std::move(state)};
}

// ---- Spectrogram

struct SpectrogramState final : KernelState {
  int64_t window = 0, stride = 0;
  bool squares = false;

  int64_t Windows(int64_t samples) const { return samples < window ? 0 : 1 + (samples - window) / stride; }
  int64_t TransformLength() const { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window))); }
  int64_t Bins() const { return TransformLength() / 2 + 1; }
};

// Node: NodeInfo or ShapeContext.
template <typename Node>
absl::StatusOr<SpectrogramState> DecodeSpectrogram(const Node& node) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  SpectrogramState state;
  ASSIGN_OR_RETURN(state.window, node.Int("window_size"));
  ASSIGN_OR_RETURN(state.stride, node.Int("stride"));
  if (state.window < 2 || state.window > kMax || state.stride < 1 || state.stride > kMax) {
    return absl::InvalidArgumentError(absl::StrCat("window_size and stride: expected values from 2 and 1 on, got ",
                                                   state.window, " and ", state.stride));
  }
  return state;
}

absl::Status Spectrogram(KernelCall& c) {
  const SpectrogramState& state = c.state<SpectrogramState>();
  const Tensor& audio = c.input(0);
  RETURN_IF_ERROR(ExpectRank(audio, 2, "input"));
  const int64_t channels = audio.dim(1), windows = state.Windows(audio.dim(0)), bins = state.Bins();
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, DType::kFloat32, {channels, windows, bins}));
  if (output->num_elements() == 0) return absl::OkStatus();
  const int64_t length = state.TransformLength();
  std::vector<double> hann(state.window);
  for (int64_t i = 0; i < state.window; ++i) {
    hann[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(state.window));
  }
  const Fft plan(length, false);
  const float* from = audio.data<float>();
  float* to = output->mutable_data<float>();
  c.ParallelFor(channels * windows, 30 * static_cast<double>(length), [&](int64_t begin, int64_t end) {
    Fft fft = plan;
    std::vector<Fft::Complex> x(length), y(length);
    for (int64_t w = begin; w < end; ++w) {
      const int64_t channel = w / windows, first = w % windows * state.stride;
      for (int64_t i = 0; i < state.window; ++i) x[i] = hann[i] * from[(first + i) * channels + channel];
      fft.Run(x.data(), y.data());
      for (int64_t k = 0; k < bins; ++k) {
        const double square = std::norm(y[k]);
        to[w * bins + k] = static_cast<float>(state.squares ? square : std::sqrt(square));
      }
    }
  });
  return absl::OkStatus();
}

absl::Status SpectrogramShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 2));
  ASSIGN_OR_RETURN(const SpectrogramState state, DecodeSpectrogram(c));
  c.SetOutput(0, PartialShape::Of({input.dim(1), input.has_dim(0) ? state.Windows(input.dim(0)) : -1, state.Bins()}));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> SpectrogramKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(SpectrogramState state, DecodeSpectrogram(node));
  ASSIGN_OR_RETURN(state.squares, node.Bool("magnitude_squared"));
  return Kernel{.fn = &RunKernel<Spectrogram>, .state = std::make_shared<SpectrogramState>(state)};
}

// ---- Mel-frequency cepstral coefficients

double ToMel(double hertz) { return 1127 * std::log1p(hertz / 700); }

// Overlapping triangles, evenly spaced on the mel scale: each bin counts for the filter whose centre is below it and for
// the one above.
class MelFilters {
 public:
  MelFilters(int64_t bins, double rate, int64_t filters, double lower, double upper) : filters_(filters) {
    const double low = ToMel(lower), spacing = (ToMel(upper) - low) / static_cast<double>(filters + 1);
    const double hertz_per_bin = 0.5 * rate / static_cast<double>(bins - 1);
    const auto centre = [&](int64_t i) { return low + spacing * static_cast<double>(i + 1); };
    // Numbers of bins; compared as doubles, which may be beyond all integers.
    const double first = std::floor(1.5 + lower / hertz_per_bin), last = std::floor(upper / hertz_per_bin);
    reaches_beyond_ = last >= static_cast<double>(bins);
    if (reaches_beyond_ || first > last) return;
    first_ = static_cast<int64_t>(first);
    last_ = static_cast<int64_t>(last);
    int64_t above = 0;
    for (int64_t bin = first_; bin <= last_; ++bin) {
      const double mel = ToMel(static_cast<double>(bin) * hertz_per_bin);
      while (above < filters && centre(above) < mel) ++above;
      below_.push_back(above - 1);
      weights_.push_back((centre(above) - mel) / spacing);
    }
  }

  // out: the energy of each filter. False if the filters want bins that are not there.
  bool Apply(const float* squares, std::vector<double>& out) const {
    out.assign(filters_, 0);
    if (reaches_beyond_) return false;
    for (int64_t bin = first_; bin <= last_; ++bin) {
      const double value = std::sqrt(static_cast<double>(squares[bin])), lower = value * weights_[bin - first_];
      const int64_t below = below_[bin - first_];
      if (below >= 0) out[below] += lower;
      if (below + 1 < filters_) out[below + 1] += value - lower;
    }
    return true;
  }

 private:
  int64_t filters_, first_ = 0, last_ = -1;  // bins
  bool reaches_beyond_ = false;
  std::vector<int64_t> below_;   // the filter below each bin; -1: none
  std::vector<double> weights_;  // how much of the bin is for that one
};

struct MfccState final : KernelState {
  float upper = 0, lower = 0;
  int64_t filters = 0, coefficients = 0;
};

absl::Status Mfcc(KernelCall& c) {
  constexpr double kFloor = 1e-12;
  constexpr int64_t kMaxFilters = 1 << 20;
  const MfccState& state = c.state<MfccState>();
  const Tensor& spectrogram = c.input(0);
  RETURN_IF_ERROR(ExpectRank(spectrogram, 3, "spectrogram"));
  RETURN_IF_ERROR(ExpectRank(c.input(1), 0, "sample_rate"));
  const int64_t bins = spectrogram.dim(2);
  const int32_t rate = c.input(1).scalar<int32_t>();
  if (bins < 2 || rate < 1 || state.filters < 1 || state.filters > kMaxFilters || state.coefficients < 1 ||
      state.coefficients > state.filters || !(state.lower >= 0) || !(state.upper > state.lower)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Mfcc: expected at least two bins, a sample rate > 0, no more coefficients than filters and a range of "
        "frequencies, got ", bins, " bins, rate ", rate, ", ", state.coefficients, " coefficients, ", state.filters,
        " filters and frequencies ", state.lower, " to ", state.upper));
  }
  const int64_t rows = spectrogram.dim(0) * spectrogram.dim(1);
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, DType::kFloat32, {spectrogram.dim(0), spectrogram.dim(1), state.coefficients}));
  if (rows == 0) return absl::OkStatus();
  const MelFilters bank(bins, rate, state.filters, state.lower, state.upper);
  const double scale = std::sqrt(2.0 / static_cast<double>(state.filters));
  const float* from = spectrogram.data<float>();
  float* to = output->mutable_data<float>();
  const double cost = 5.0 * static_cast<double>(bins) + 20.0 * static_cast<double>(state.filters * state.coefficients);
  c.ParallelFor(rows, cost, [&](int64_t begin, int64_t end) {
    std::vector<double> energy;
    for (int64_t row = begin; row < end; ++row) {
      const bool complete = bank.Apply(from + row * bins, energy);
      for (double& e : energy) e = complete ? std::log(e < kFloor ? kFloor : e) : 0;
      for (int64_t k = 0; k < state.coefficients; ++k) {
        double sum = 0;
        for (int64_t i = 0; i < state.filters; ++i) {
          const double angle = std::numbers::pi / static_cast<double>(state.filters) * static_cast<double>(k) *
                               (static_cast<double>(i) + 0.5);
          sum += energy[i] * std::cos(angle);
        }
        to[row * state.coefficients + k] = static_cast<float>(scale * sum);
      }
    }
  });
  return absl::OkStatus();
}

absl::Status MfccShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 3));
  RETURN_IF_ERROR(c.ExpectScalar(1));
  ASSIGN_OR_RETURN(const int64_t coefficients, c.Int("dct_coefficient_count"));
  if (coefficients < 0) {
    return absl::InvalidArgumentError(absl::StrCat("dct_coefficient_count: expected a value >= 0, got ", coefficients));
  }
  c.SetOutput(0, PartialShape::Of({input.dim(0), input.dim(1), coefficients}));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> MfccKernel(const NodeInfo& node) {
  auto state = std::make_shared<MfccState>();
  ASSIGN_OR_RETURN(state->upper, node.Float("upper_frequency_limit"));
  ASSIGN_OR_RETURN(state->lower, node.Float("lower_frequency_limit"));
  ASSIGN_OR_RETURN(state->filters, node.Int("filterbank_channel_count"));
  ASSIGN_OR_RETURN(state->coefficients, node.Int("dct_coefficient_count"));
  return Kernel{.fn = &RunKernel<Mfcc>, .state = std::move(state)};
}

}  // namespace

absl::Status RegisterAudioOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("DecodeWav"),
                               .doc = "The samples of a WAV file",
                               .shape = DecodeWavShape,
                               .kernel = DecodeWavKernel}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("EncodeWav"),
                               .doc = "A WAV file of samples",
                               .shape = EncodeWavShape,
                               .kernel = PlainKernel<EncodeWav>}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("AudioSpectrogram"),
                               .doc = "The strength of frequencies over time",
                               .shape = SpectrogramShape,
                               .kernel = SpectrogramKernel}));
  return library.Add({.signature = TensorFlowSignature("Mfcc"),
                      .doc = "Mel-frequency cepstral coefficients of a spectrogram",
                      .shape = MfccShape,
                      .kernel = MfccKernel});
}

}  // namespace flowlatch
