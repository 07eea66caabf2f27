#include "ops/audio_ops.h"

#include <cmath>
#include <string>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

template <typename T>
std::string Bytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

// A WAV file with the fields that tests want wrong.
struct Wav {
  std::string riff = "RIFF", extra, before_data;
  uint32_t format_size = 16;
  uint16_t format = 1, channels = 1;
  uint32_t rate = 8000, bytes_per_second = 0;  // 0: what is right
  uint16_t bytes_per_sample = 0, bits = 16;
  std::string data = Bytes<int16_t>(0) + Bytes<int16_t>(32767) + Bytes<int16_t>(-32768) + Bytes<int16_t>(1);
  uint32_t data_size = 0;
  std::string after;

  Tensor Make() const {
    const uint16_t block = bytes_per_sample != 0 ? bytes_per_sample : static_cast<uint16_t>(channels * 2);
    const std::string rest = "WAVEfmt " + Bytes(format_size) + Bytes(format) + Bytes(channels) + Bytes(rate) +
                             Bytes<uint32_t>(bytes_per_second != 0 ? bytes_per_second : rate * block) + Bytes(block) + Bytes(bits) +
                             extra + before_data + "data" + Bytes<uint32_t>(data_size != 0 ? data_size : data.size()) + data + after;
    return Tensor::Scalar(std::string_view(riff + Bytes<uint32_t>(rest.size()) + rest));
  }
};

class AudioOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterAudioOps(library_).ok()); }
  OpTester Decode(int64_t channels = -1, int64_t samples = -1) {
    return OpTester(library_, "DecodeWav", {{"desired_channels", channels}, {"desired_samples", samples}});
  }
  OpTester Mfcc(int64_t filters, int64_t coefficients, float upper = 4000, float lower = 20) {
    return OpTester(library_, "Mfcc", {{"filterbank_channel_count", filters}, {"dct_coefficient_count", coefficients},
                                       {"upper_frequency_limit", upper}, {"lower_frequency_limit", lower}});
  }
  OpLibrary library_;
};

TEST_F(AudioOpsTest, DecodeWav) {
  OpTester all = Decode(), one = Decode(1), three = Decode(3), two_samples = Decode(-1, 2), six_samples = Decode(-1, 6), none = Decode(0, 0);
  const float top = 32767.0f / 32768, tiny = 1.0f / 32768;
  const Tensor rate = Tensor::Scalar(8000), mono = Wav().Make(), stereo = Wav{.channels = 2}.Make();
  ExpectOutputs(all, {mono}, {Floats({4, 1}, {0, top, -1, tiny}), rate});
  ExpectOutputs(all, {stereo}, {Floats({2, 2}, {0, top, -1, tiny}), rate});
  ExpectOutputs(one, {stereo}, {Floats({2, 1}, {0, -1}), rate});
  ExpectOutputs(three, {stereo}, {Floats({2, 3}, {0, top, top, -1, tiny, tiny}), rate});
  ExpectOutputs(two_samples, {mono}, {Floats({2, 1}, {0, top}), rate});
  ExpectOutputs(six_samples, {mono}, {Floats({6, 1}, {0, top, -1, tiny, 0, 0}), rate});
  ExpectOutputs(none, {mono}, {Floats({0, 0}, {}), rate});
  ExpectOutputs(all, {Wav{.extra = std::string(2, '\0'), .format_size = 18, .data = ""}.Make()}, {Floats({0, 1}, {}), rate});
  ExpectOutputs(all, {Wav{.data = "", .after = "LIST" + Bytes<uint32_t>(3) + "abc"}.Make()}, {Floats({0, 1}, {}), rate});
}

TEST_F(AudioOpsTest, BrokenWavFiles) {
  OpTester decode = Decode();
  ExpectInvalid(decode, {Wav{.riff = "RIFX"}.Make()}, "expected 'RIFF' at position 0, got 'RIFX'");
  ExpectInvalid(decode, {Wav{.format_size = 15}.Make()}, "size of the format: expected 16 or 18, got 15");
  ExpectInvalid(decode, {Wav{.format = 3}.Make()}, "format: expected 1, got 3");
  ExpectInvalid(decode, {Wav{.channels = 0}.Make()}, "at least one channel");
  ExpectInvalid(decode, {Wav{.bits = 8}.Make()}, "bits of a sample: expected 16, got 8");
  ExpectInvalid(decode, {Wav{.bytes_per_second = 5}.Make()}, "bytes per second: expected 16000, got 5");
  ExpectInvalid(decode, {Wav{.bytes_per_sample = 5}.Make()}, "bytes of a sample: expected 2, got 5");
  ExpectInvalid(decode, {Wav{.data_size = 100}.Make()}, "expected 100 more bytes at position 44, got 8");
  ExpectInvalid(decode, {Wav{.data_size = 0xffffffff}.Make()}, "more bytes at position 44");
  ExpectInvalid(decode, {Wav{.data = std::string(3, '\0')}.Make()}, "more bytes");
  ExpectInvalid(decode, {Wav{.after = "data" + Bytes<uint32_t>(0)}.Make()}, "one chunk of data, got several");
  ExpectInvalid(decode, {Tensor::Scalar(Wav().Make().scalar<String>().view().substr(0, 36))}, "a chunk of data, got none");
  ExpectInvalid(decode, {Tensor::Scalar("")}, "expected 4 more bytes at position 0, got 0");
  ExpectInvalid(decode, {Strings({1}, {""})}, "contents: expected 0 dimensions, got shape [1]");
}

TEST_F(AudioOpsTest, EncodeWav) {
  OpTester encode(library_, "EncodeWav", {}), decode = Decode();
  const Tensor rate = Tensor::Scalar(8000);
  const Tensor file = encode.Run({Floats({7, 1}, {0, 0.5, -1, 2, -2, 0.00002, NAN}), rate}).value()[0];
  EXPECT_EQ(file.scalar<String>().view().size(), 44u + 14u);
  ExpectOutputs(decode, {file}, {Floats({7, 1}, {0, 0.5, -1, 32767.0f / 32768, -1, 1.0f / 32768, 0}), rate});
  ExpectOutputs(decode, {encode.Run({Floats({1, 2}, {0.5, -0.5}), rate}).value()[0]}, {Floats({1, 2}, {0.5, -0.5}), rate});
  ExpectOutputs(decode, {encode.Run({Floats({0, 2}, {}), rate}).value()[0]}, {Floats({0, 2}, {}), rate});
  ExpectInvalid(encode, {Floats({1}, {0}), rate}, "audio: expected 2 dimensions, got shape [1]");
  ExpectInvalid(encode, {Floats({3, 0}, {}), rate}, "audio: expected 1 to 32767 channels");
  ExpectInvalid(encode, {Floats({1, 1}, {0}), Tensor::Scalar(0)}, "sample_rate: expected a value > 0, got 0");
  ExpectInvalid(encode, {Floats({1, 1}, {0}), Ints({1}, {1})}, "sample_rate: expected 0 dimensions");
}

Tensor Signal(int64_t samples) {
  Tensor t = *Tensor::Make(DType::kFloat32, Shape::Of({samples, 1}));
  for (int64_t i = 0; i < samples; ++i) {
    const double d = static_cast<double>(i);
    t.mutable_data<float>()[i] = static_cast<float>(std::sin(d * 0.7) * std::cos(d * d * 0.3));
  }
  return t;
}

// The answers are TensorFlow's.
TEST_F(AudioOpsTest, AudioSpectrogram) {
  OpTester sizes(library_, "AudioSpectrogram", {{"window_size", 4}, {"stride", 3}});
  OpTester squares(library_, "AudioSpectrogram", {{"window_size", 5}, {"stride", 3}, {"magnitude_squared", true}});
  const Tensor want = Floats({1, 3, 3}, {0.2746059, 0.7839694, 0.4395648, 0.02225167, 0.14031898, 0.22093603, 0.32513118, 0.64598554, 0.8606658});
  ExpectOutput(sizes, {Signal(10)}, want, 1e-6);
  ExpectOutput(squares, {Signal(10)}, Floats({1, 2, 5}, {0.02564394, 0.40944618, 0.94154668, 0.88636136, 0.68287784, 0.05497038, 0.07971331, 0.10520711, 0.05722894, 0.00849991}), 1e-6);
  ExpectOutput(sizes, {Signal(3)}, Floats({1, 0, 3}, {}));
  ExpectOutput(sizes, {Floats({10, 0}, {})}, Floats({0, 3, 3}, {}));
  Tensor stereo = *Tensor::Make(DType::kFloat32, Shape::Of({10, 2}));
  for (int i = 0; i < 20; ++i) stereo.mutable_data<float>()[i] = i % 2 == 0 ? Signal(10).data<float>()[i / 2] : 0;
  const Tensor both = sizes.Run({stereo}).value()[0];
  EXPECT_EQ(Difference(both.Rows(0, 1), want, 1e-6), "");
  ExpectInvalid(sizes, {Floats({1}, {0})}, "input: expected 2 dimensions");
  OpTester small(library_, "AudioSpectrogram", {{"window_size", 1}, {"stride", 3}});
  ExpectInvalid(small, {Signal(10)}, "window_size and stride: expected values from 2 and 1 on, got 1 and 3");
}

TEST_F(AudioOpsTest, Mfcc) {
  Tensor x = *Tensor::Make(DType::kFloat32, Shape::Of({1, 2, 33}));
  for (int i = 0; i < 66; ++i) x.mutable_data<float>()[i] = static_cast<float>(std::abs(std::sin(i % 33 * 0.7 + i / 33)));
  const Tensor rate = Tensor::Scalar(8000);
  OpTester op = Mfcc(5, 4), many = Mfcc(40, 3), beyond = Mfcc(5, 4, 5000);
  ExpectOutput(op, {x, rate}, Floats({1, 2, 4}, {4.0308647, -0.9079386, 0.09946663, -0.03807663, 3.8933206, -1.0325564, -0.08790977, -0.15626977}), 1e-5);
  ExpectOutput(many, {x, rate}, Floats({1, 2, 3}, {-30.474764, -24.909109, -15.496593, -30.785446, -25.100182, -16.056887}), 1e-5);
  ExpectOutput(beyond, {x, rate}, Floats({1, 2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}));
  ExpectOutput(op, {*Tensor::Zeros(DType::kFloat32, Shape::Of({1, 1, 33})), rate}, Floats({1, 1, 4}, {-87.376961, 0, 0, 0}), 1e-6);
  ExpectOutput(op, {Floats({2, 0, 33}, {}), rate}, Floats({2, 0, 4}, {}));
}

TEST_F(AudioOpsTest, MfccErrors) {
  const Tensor x = *Tensor::Zeros(DType::kFloat32, Shape::Of({1, 1, 33})), rate = Tensor::Scalar(8000);
  OpTester op = Mfcc(5, 4);
  ExpectInvalid(op, {x, Tensor::Scalar(0)}, "rate 0");
  ExpectInvalid(op, {Floats({1, 1, 1}, {0}), rate}, "got 1 bins");
  ExpectInvalid(op, {Floats({1, 0}, {}), rate}, "spectrogram: expected 3 dimensions");
  ExpectInvalid(op, {x, Ints({1}, {8000})}, "sample_rate: expected 0 dimensions");
  OpTester more = Mfcc(5, 6), none = Mfcc(0, 0), reversed = Mfcc(5, 4, 10), huge = Mfcc(int64_t{1} << 31, 4), far = Mfcc(5, 4, 3e38f);
  ExpectInvalid(more, {x, rate}, "6 coefficients, 5 filters");
  ExpectInvalid(none, {x, rate}, "0 coefficients");
  ExpectInvalid(reversed, {x, rate}, "frequencies 20 to 10");
  ExpectInvalid(huge, {x, rate}, "filters");
  ExpectOutput(far, {x, rate}, Floats({1, 1, 4}, {0, 0, 0, 0}));
}

TEST_F(AudioOpsTest, Shapes) {
  const auto decode = InferShapes(library_, "DecodeWav", {{"desired_channels", 2}}, {PartialShape()});
  EXPECT_EQ((*decode)[0], PartialShape::Of({-1, 2}));
  EXPECT_EQ((*decode)[1], PartialShape::Of({}));
  EXPECT_FALSE(InferShapes(library_, "DecodeWav", {}, {PartialShape::Of({1})}).ok());
  const AttrMap attrs{{"window_size", 5}, {"stride", 2}};
  EXPECT_EQ((*InferShapes(library_, "AudioSpectrogram", attrs, {PartialShape::Of({9, -1})}))[0], PartialShape::Of({-1, 3, 5}));
  EXPECT_EQ((*InferShapes(library_, "AudioSpectrogram", attrs, {PartialShape()}))[0], PartialShape::Of({-1, -1, 5}));
  EXPECT_EQ((*InferShapes(library_, "Mfcc", {{"dct_coefficient_count", 7}}, {PartialShape::Of({2, -1, 9}), PartialShape()}))[0], PartialShape::Of({2, -1, 7}));
}

}  // namespace
}  // namespace flowlatch
