#include "ops/batch_norm_ops.h"

#include <cmath>
#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const OpLibrary& Library() {
  static const OpLibrary* library = [] {
    auto* l = new OpLibrary;
    EXPECT_TRUE(RegisterBatchNormOps(*l).ok());
    return l;
  }();
  return *library;
}

struct Case {
  std::vector<int64_t> dims;
  std::string format;
};
const Case kCases[] = {
    {{2, 2, 2, 2}, "NHWC"},   {{2, 3, 2, 2}, "NCHW"},      {{3, 5, 7, 19}, "NHWC"},      {{4, 33, 3, 9}, "NCHW"},
    {{2, 50, 40, 24}, "NHWC"}, {{2, 3, 2, 2, 5}, "NDHWC"}, {{2, 3, 2, 2, 5}, "NCDHW"}, {{1, 1, 1, 4}, "NHWC"},
};

AttrMap Attrs(const std::string& op, const std::string& format, bool training, DType dtype = DType::kFloat32) {
  const AttrMap attrs({{"T", dtype}, {"epsilon", 1e-3f}, {"data_format", format}, {"is_training", training}});
  return op.back() == '2' || op.back() == '3' ? attrs.With("U", DType::kFloat32) : attrs;
}

Tensor Wave(std::vector<int64_t> dims, double step, double amplitude, double base) {
  Tensor t = *Tensor::Make(DType::kFloat32, *Shape::Make(dims));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    t.mutable_data<float>()[i] = static_cast<float>(base + amplitude * std::sin(step * static_cast<double>(i) + 1));
  }
  return t;
}

struct Reference {
  int64_t channels = 0;
  std::vector<int64_t> channel;  // of each element
  explicit Reference(const Case& c) {
    const bool first = c.format[1] == 'C';
    const size_t dim = first ? 1 : c.dims.size() - 1;
    channels = c.dims[dim];
    int64_t inner = 1, total = 1;
    for (size_t i = 0; i < c.dims.size(); ++i) {
      total *= c.dims[i];
      if (i > dim) inner *= c.dims[i];
    }
    for (int64_t i = 0; i < total; ++i) channel.push_back(i / inner % channels);
  }
  int64_t per_channel() const { return static_cast<int64_t>(channel.size()) / channels; }

  // sum over a channel's elements of f(i)
  std::vector<double> Sums(const std::function<double(size_t)>& f) const {
    std::vector<double> sums(channels);
    for (size_t i = 0; i < channel.size(); ++i) sums[channel[i]] += f(i);
    return sums;
  }
};

Tensor Channels(const std::vector<double>& v) {
  return Tensor::Vector<float>(std::vector<float>(v.begin(), v.end()));
}

void CheckForward(const Case& c, bool training, float factor) {
  SCOPED_TRACE(DimsToString(c.dims) + c.format + (training ? " training " : " inference ") + std::to_string(factor));
  const Reference r(c);
  const Tensor x = Wave(c.dims, 0.7, 3, 5), scale = Wave({r.channels}, 1.1, 1, 1), offset = Wave({r.channels}, 2, 1, 0);
  const Tensor old_mean = Wave({r.channels}, 0.3, 1, 2), old_variance = Wave({r.channels}, 0.5, 1, 3);
  std::vector<double> mean(r.channels), variance(r.channels), batch_mean(r.channels), batch_variance(r.channels);
  const double n = static_cast<double>(r.per_channel());
  if (training) {
    mean = r.Sums([&](size_t i) { return static_cast<double>(x.data<float>()[i]) / n; });
    variance = r.Sums([&](size_t i) { return std::pow(static_cast<double>(x.data<float>()[i]) - mean[r.channel[i]], 2) / n; });
  } else {
    mean.assign(old_mean.data<float>(), old_mean.data<float>() + r.channels);
    variance.assign(old_variance.data<float>(), old_variance.data<float>() + r.channels);
  }
  for (int64_t k = 0; k < r.channels; ++k) {
    const double f = training ? static_cast<double>(factor) : 0;
    const double corrected = variance[k] * n / std::max(n - 1, 1.0);
    batch_mean[k] = f == 1 ? mean[k] : (1 - f) * static_cast<double>(old_mean.data<float>()[k]) + f * mean[k];
    batch_variance[k] = f == 1 ? corrected : (1 - f) * static_cast<double>(old_variance.data<float>()[k]) + f * corrected;
  }
  Tensor y = *x.Clone();
  for (size_t i = 0; i < r.channel.size(); ++i) {
    const int64_t k = r.channel[i];
    y.mutable_data<float>()[i] = static_cast<float>(
        (static_cast<double>(x.data<float>()[i]) - mean[k]) / std::sqrt(variance[k] + 1e-3) *
            static_cast<double>(scale.data<float>()[k]) + static_cast<double>(offset.data<float>()[k]));
  }
  for (const std::string op : {"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"}) {
    if (op != "FusedBatchNormV3" && c.dims.size() == 5) continue;
    OpTester tester(Library(), op, Attrs(op, c.format, training).With("exponential_avg_factor", factor));
    ExpectOutputs(tester, {x, scale, offset, old_mean, old_variance},
                  {y, Channels(batch_mean), Channels(batch_variance), Channels(mean), Channels(variance)}, 1e-5);
  }
}

TEST(BatchNormTest, Forward) {
  for (const Case& c : kCases) {
    CheckForward(c, true, 1);
    CheckForward(c, true, 0.25f);
    CheckForward(c, false, 1);
  }
}

TEST(BatchNormTest, TrainingWithFactorOneNeedsNoMoments) {
  OpTester tester(Library(), "FusedBatchNormV3", Attrs("FusedBatchNormV3", "NHWC", true));
  ExpectOutputs(tester, {Floats({1, 1, 1, 1}, {7}), Floats({1}, {2}), Floats({1}, {3}), Floats({0}, {}), Floats({0}, {})},
                {Floats({1, 1, 1, 1}, {3}), Floats({1}, {7}), Floats({1}, {0}), Floats({1}, {7}), Floats({1}, {0}),
                 Tensor::Scalar(0.0f)});
}

void CheckGrad(const Case& c, bool training) {
  SCOPED_TRACE(DimsToString(c.dims) + c.format + (training ? " training" : " inference"));
  const Reference r(c);
  const Tensor x = Wave(c.dims, 0.7, 3, 5), dy = Wave(c.dims, 0.37, 1, 0.2), scale = Wave({r.channels}, 1.1, 1, 1);
  const Tensor mean = Wave({r.channels}, 0.3, 1, 4), variance = Wave({r.channels}, 0.5, 1, 3);
  const auto at = [](const Tensor& t, size_t i) { return static_cast<double>(t.data<float>()[i]); };
  const double n = static_cast<double>(r.per_channel());
  const auto deviation = [&](int64_t k) { return std::sqrt(at(variance, k) + 1e-3); };
  const auto normal = [&](size_t i) { return (at(x, i) - at(mean, r.channel[i])) / deviation(r.channel[i]); };
  const std::vector<double> offset_grad = r.Sums([&](size_t i) { return at(dy, i); });
  const std::vector<double> scale_grad = r.Sums([&](size_t i) { return at(dy, i) * normal(i); });
  Tensor dx = *x.Clone();
  for (size_t i = 0; i < r.channel.size(); ++i) {
    const int64_t k = r.channel[i];
    const double through_moments = training ? offset_grad[k] / n + normal(i) * scale_grad[k] / n : 0;
    dx.mutable_data<float>()[i] = static_cast<float>(at(scale, k) / deviation(k) * (at(dy, i) - through_moments));
  }
  for (const std::string op : {"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"}) {
    if (op != "FusedBatchNormGradV3" && c.dims.size() == 5) continue;
    OpTester tester(Library(), op, Attrs(op, c.format, training));
    std::vector<Tensor> inputs{dy, x, scale, mean, variance};
    if (op == "FusedBatchNormGradV3") inputs.push_back(Tensor::Scalar(0.0f));
    ExpectOutputs(tester, inputs, {dx, Channels(scale_grad), Channels(offset_grad), Floats({0}, {}), Floats({0}, {})}, 2e-5);
  }
}

TEST(BatchNormTest, Gradient) {
  for (const Case& c : kCases) {
    CheckGrad(c, true);
    CheckGrad(c, false);
  }
}

TEST(BatchNormTest, SixteenBits) {
  const Tensor scale = Floats({1}, {1}), offset = Floats({1}, {0}), none = Floats({0}, {});
  for (const DType d : {DType::kFloat16, DType::kBFloat16}) {
    const bool half = d == DType::kFloat16;
    const auto make = [half](std::initializer_list<float> v) {
      return half ? Of<Half, float>({1, 2, 1, 1}, v) : Of<BFloat16, float>({1, 2, 1, 1}, v);
    };
    OpTester tester(Library(), "FusedBatchNormV3", Attrs("FusedBatchNormV3", "NHWC", true, d));
    ExpectOutputs(tester, {make({1, 3}), scale, offset, none, none},
                  {make({-1, 1}), Floats({1}, {2}), Floats({1}, {2}), Floats({1}, {2}), Floats({1}, {1})}, 1e-2);
    OpTester grad(Library(), "FusedBatchNormGradV3", Attrs("FusedBatchNormGradV3", "NHWC", false, d));
    ExpectOutputs(grad, {make({1, 2}), make({1, 3}), scale, Floats({1}, {2}), Floats({1}, {1}), Tensor::Scalar(0.0f)},
                  {make({1, 2}), Floats({1}, {1}), Floats({1}, {3})}, 1e-2);
  }
}

TEST(BatchNormTest, Empty) {
  const Tensor x = Floats({0, 2, 2, 1}, {}), one = Floats({1}, {1});
  for (const bool training : {false, true}) {
    OpTester forward(Library(), "FusedBatchNorm", Attrs("FusedBatchNorm", "NHWC", training));
    ExpectOutputs(forward, {x, one, one, one, one}, {x, Floats({1}, {kNan}), Floats({1}, {kNan})});
    OpTester grad(Library(), "FusedBatchNormGrad", Attrs("FusedBatchNormGrad", "NHWC", training));
    ExpectOutputs(grad, {x, x, one, one, one}, {x, Floats({1}, {0}), Floats({1}, {0})});
  }
}

TEST(BatchNormTest, Errors) {
  const Tensor x = Floats({1, 1, 1, 2}, {1, 2}), two = Floats({2}, {1, 1}), one = Floats({1}, {1});
  OpTester inference(Library(), "FusedBatchNorm", Attrs("FusedBatchNorm", "NHWC", false));
  ExpectInvalid(inference, {Floats({1, 2}, {1, 2}), two, two, two, two}, "x: expected 4 dimensions, got shape [1,2]");
  ExpectInvalid(inference, {x, one, two, two, two}, "scale: expected shape [2], got [1]");
  ExpectInvalid(inference, {x, two, one, two, two}, "offset");
  ExpectInvalid(inference, {x, two, two, one, two}, "mean");
  ExpectInvalid(inference, {x, two, two, two, Floats({1, 2}, {1, 1})}, "variance");
  OpTester v3(Library(), "FusedBatchNormV3", Attrs("FusedBatchNormV3", "NHWC", true));
  ExpectInvalid(v3, {Floats({1, 2, 1}, {1, 2}), one, one, one, one}, "expected 4 or 5 dimensions");
  OpTester grad(Library(), "FusedBatchNormGrad", Attrs("FusedBatchNormGrad", "NHWC", true));
  ExpectInvalid(grad, {Floats({1, 1, 2, 1}, {1, 2}), x, two, two, two}, "y_backprop");
  ExpectInvalid(grad, {x, x, one, two, two}, "scale");
  ExpectInvalid(grad, {x, x, two, one, two}, "reserve_space_1");
  ExpectInvalid(grad, {x, x, two, two, one}, "reserve_space_2");
}

TEST(BatchNormTest, Shapes) {
  const auto shapes = [](const std::string& op, const char* format, const std::vector<PartialShape>& inputs) {
    const auto got = InferShapes(Library(), op, Attrs(op, format, true), inputs);
    if (!got.ok()) return std::string("error");
    std::string text;
    for (const PartialShape& s : *got) text += s.ToString();
    return text;
  };
  const PartialShape u, three = PartialShape::Of({3});
  EXPECT_EQ(shapes("FusedBatchNormV3", "NHWC", {PartialShape::Of({2, -1, 4, -1}), three, u, u, u}), "[2,?,4,3][3][3][3][3][]");
  EXPECT_EQ(shapes("FusedBatchNorm", "NCHW", {PartialShape::Of({2, -1, 4, 5}), u, u, u, u}), "[2,?,4,5][?][?][?][?]");
  EXPECT_EQ(shapes("FusedBatchNorm", "NHWC", {u, u, u, u, u}), "?[?][?][?][?]");
  EXPECT_EQ(shapes("FusedBatchNorm", "NHWC", {PartialShape::Of({1, 2}), u, u, u, u}), "error");
  EXPECT_EQ(shapes("FusedBatchNorm", "NHWC", {PartialShape::Of({1, 1, 1, 2}), three, u, u, u}), "error");
  EXPECT_EQ(shapes("FusedBatchNormGradV3", "NHWC", {PartialShape::Of({2, 1, -1, -1}), PartialShape::Of({-1, 1, 4, 3}), u, u, u, u}),
            "[2,1,4,3][3][3][0][0]");
}

}  // namespace
}  // namespace flowlatch
