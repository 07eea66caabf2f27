#include "ops/conv_ops.h"

#include <random>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

const OpLibrary& Library() {
  static const OpLibrary* library = [] {
    auto* l = new OpLibrary;
    EXPECT_TRUE(RegisterConvOps(*l).ok());
    return l;
  }();
  return *library;
}

struct Case {
  std::string name;
  int64_t batch, height, width, channels;
  int64_t filter_height, filter_width, filter_channels, last;  // last: outputs, or the multiplier if depthwise
  std::string padding = "SAME";
  std::vector<int64_t> strides{1, 1}, dilations{1, 1};
  std::vector<int64_t> pads{0, 0, 0, 0};  // top, bottom, left, right, for EXPLICIT
  bool depthwise = false;

  int64_t outputs() const { return depthwise ? channels * last : last; }
};

const Case kCases[] = {
    {"one pixel", 1, 1, 1, 1, 1, 1, 1, 1},
    {"pointwise", 2, 5, 6, 7, 1, 1, 7, 9},
    {"pointwise with strides", 2, 5, 6, 3, 1, 1, 3, 4, "VALID", {2, 3}},
    {"same", 2, 6, 5, 3, 3, 3, 3, 4},
    {"same with an even window", 1, 5, 7, 2, 2, 4, 2, 3},
    {"valid", 2, 7, 6, 4, 3, 2, 4, 5, "VALID"},
    {"strides leave a rest", 1, 10, 11, 3, 3, 3, 3, 8, "VALID", {4, 3}},
    {"same with strides", 1, 10, 11, 3, 3, 5, 3, 8, "SAME", {2, 3}},
    {"strides larger than the window", 1, 9, 9, 2, 2, 2, 2, 3, "SAME", {3, 4}},
    {"dilations", 2, 9, 10, 3, 3, 2, 3, 4, "VALID", {1, 1}, {2, 3}},
    {"dilations and strides", 1, 9, 10, 3, 3, 3, 3, 4, "SAME", {2, 1}, {2, 2}},
    {"explicit", 1, 5, 6, 3, 3, 3, 3, 4, "EXPLICIT", {1, 1}, {1, 1}, {1, 2, 0, 3}},
    {"explicit beyond the window", 1, 3, 3, 2, 2, 2, 2, 3, "EXPLICIT", {2, 1}, {1, 1}, {4, 5, 3, 0}},
    {"groups", 2, 5, 6, 6, 3, 3, 2, 9},
    {"groups of one channel", 1, 5, 6, 3, 3, 3, 1, 6},
    {"wide", 2, 16, 16, 16, 3, 3, 16, 32},
    {"wide and uneven", 2, 9, 12, 24, 3, 2, 24, 40, "EXPLICIT", {1, 1}, {2, 1}, {1, 3, 0, 1}},
    {"wide and valid", 1, 12, 11, 32, 5, 3, 32, 16, "VALID"},
    {"first layer", 2, 24, 24, 3, 7, 7, 3, 16, "SAME", {2, 2}},
    {"many rows", 1, 64, 33, 8, 3, 3, 8, 16},
    {"in bands of rows", 1, 40, 41, 16, 3, 3, 16, 32},
    {"in bands with strides", 1, 81, 61, 16, 3, 3, 16, 32, "SAME", {2, 2}},
    {"few pixels", 1, 4, 4, 64, 3, 3, 64, 80},
    {"depthwise", 2, 6, 7, 5, 3, 3, 5, 1, "SAME", {1, 1}, {1, 1}, {0, 0, 0, 0}, true},
    {"depthwise wide", 2, 20, 21, 32, 3, 3, 32, 1, "SAME", {2, 2}, {1, 1}, {0, 0, 0, 0}, true},
    {"depthwise with a multiplier", 2, 6, 7, 3, 2, 3, 3, 4, "VALID", {2, 2}, {1, 1}, {0, 0, 0, 0}, true},
    {"depthwise of one channel", 1, 6, 7, 1, 3, 3, 1, 3, "SAME", {1, 1}, {1, 1}, {0, 0, 0, 0}, true},
    {"depthwise with dilations", 1, 9, 9, 4, 3, 3, 4, 1, "VALID", {1, 1}, {2, 2}, {0, 0, 0, 0}, true},
    {"depthwise explicit", 1, 5, 5, 4, 3, 3, 4, 2, "EXPLICIT", {1, 2}, {1, 1}, {2, 1, 0, 1}, true},
};

// What the attributes mean along one dimension.
struct Line {
  int64_t out, before;
};
Line LineOf(const Case& c, int64_t in, int64_t window, int i) {
  const int64_t covered = (window - 1) * c.dilations[i] + 1, stride = c.strides[i];
  if (c.padding == "VALID") return {(in - covered) / stride + 1, 0};
  if (c.padding == "EXPLICIT") return {(in + c.pads[2 * i] + c.pads[2 * i + 1] - covered) / stride + 1, c.pads[2 * i]};
  const int64_t out = (in + stride - 1) / stride;
  return {out, std::max<int64_t>(0, (out - 1) * stride + covered - in) / 2};
}

// Calls visit(input, filter, output) with flat indices (channels last) of every product that a convolution adds up.
void ForEachProduct(const Case& c, const std::function<void(int64_t, int64_t, int64_t)>& visit) {
  const Line h = LineOf(c, c.height, c.filter_height, 0), w = LineOf(c, c.width, c.filter_width, 1);
  const int64_t group_outputs = c.depthwise ? c.last : c.last / (c.channels / c.filter_channels);
  const int64_t taps = c.depthwise ? 1 : c.filter_channels;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t y = 0; y < h.out; ++y)
      for (int64_t x = 0; x < w.out; ++x)
        for (int64_t o = 0; o < c.outputs(); ++o)
          for (int64_t kh = 0; kh < c.filter_height; ++kh)
            for (int64_t kw = 0; kw < c.filter_width; ++kw)
              for (int64_t k = 0; k < taps; ++k) {
                const int64_t row = y * c.strides[0] - h.before + kh * c.dilations[0];
                const int64_t column = x * c.strides[1] - w.before + kw * c.dilations[1];
                if (row < 0 || row >= c.height || column < 0 || column >= c.width) continue;
                const int64_t channel = o / group_outputs * taps + k;
                visit(((b * c.height + row) * c.width + column) * c.channels + channel,
                      ((kh * c.filter_width + kw) * taps + k) * c.outputs() + o,
                      ((b * h.out + y) * w.out + x) * c.outputs() + o);
              }
}

// Small whole numbers, so that sums are exact in every dtype and order.
template <typename T>
Tensor Random(std::vector<int64_t> dims, std::mt19937& random) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, *Shape::Make(dims));
  for (int64_t i = 0; i < t.num_elements(); ++i) t.mutable_data<T>()[i] = static_cast<T>(static_cast<int>(random() % 3) - 1);
  return t;
}

template <typename T>
Tensor Turned(const Tensor& t, bool to_channels_first) {
  if (!to_channels_first) return t;
  Tensor out = *Tensor::Make(t.dtype(), {t.dim(0), t.dim(3), t.dim(1), t.dim(2)});
  const int64_t pixels = t.dim(1) * t.dim(2), channels = t.dim(3);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const int64_t b = i / (pixels * channels), p = i / channels % pixels, c = i % channels;
    out.mutable_data<T>()[(b * channels + c) * pixels + p] = t.data<T>()[i];
  }
  return out;
}

AttrMap Attrs(const Case& c, DType dtype, bool channels_first) {
  const auto list = [&](const std::vector<int64_t>& v) {
    return channels_first ? std::vector<int64_t>{1, 1, v[0], v[1]} : std::vector<int64_t>{1, v[0], v[1], 1};
  };
  AttrMap attrs({{"T", dtype}, {"strides", list(c.strides)}, {"dilations", list(c.dilations)}, {"padding", c.padding},
                 {"data_format", channels_first ? "NCHW" : "NHWC"}});
  if (c.padding != "EXPLICIT") return attrs;
  std::vector<int64_t> pads(8, 0);
  std::copy(c.pads.begin(), c.pads.end(), pads.begin() + (channels_first ? 4 : 2));
  return attrs.With("explicit_paddings", pads);
}

template <typename T>
void CheckCase(const Case& c, bool channels_first) {
  SCOPED_TRACE(c.name + (channels_first ? " NCHW " : " NHWC ") + std::string(DTypeName(kDTypeOf<T>)));
  std::mt19937 random(11);
  const int64_t out_height = LineOf(c, c.height, c.filter_height, 0).out, out_width = LineOf(c, c.width, c.filter_width, 1).out;
  const Tensor input = Random<T>({c.batch, c.height, c.width, c.channels}, random);
  const Tensor filter = Random<T>({c.filter_height, c.filter_width, c.filter_channels, c.last}, random);
  const Tensor grad = Random<T>({c.batch, out_height, out_width, c.outputs()}, random);
  std::vector<double> out(grad.num_elements()), input_grad(input.num_elements()), filter_grad(filter.num_elements());
  ForEachProduct(c, [&](int64_t i, int64_t f, int64_t o) {
    const auto at = [](const Tensor& t, int64_t k) { return static_cast<double>(t.data<T>()[k]); };
    out[o] += at(input, i) * at(filter, f);
    input_grad[i] += at(grad, o) * at(filter, f);
    filter_grad[f] += at(input, i) * at(grad, o);
  });
  const auto want = [](const Tensor& like, const std::vector<double>& values) {
    Tensor t = *Tensor::Make(like.dtype(), like.dims());
    for (size_t i = 0; i < values.size(); ++i) t.mutable_data<T>()[i] = static_cast<T>(values[i]);
    return t;
  };
  const auto sizes = [](const Tensor& t) {
    std::vector<int32_t> v(t.dims().begin(), t.dims().end());
    return Tensor::Vector<int32_t>(v);
  };
  const std::string op = c.depthwise ? "DepthwiseConv2dNative" : "Conv2D";
  const std::string grad_op = op + "Backprop";
  const AttrMap attrs = Attrs(c, kDTypeOf<T>, channels_first);
  const Tensor x = Turned<T>(input, channels_first), dy = Turned<T>(grad, channels_first);
  OpTester forward(Library(), op, attrs), input_op(Library(), grad_op + "Input", attrs);
  ExpectOutput(forward, {x, filter}, Turned<T>(want(grad, out), channels_first));
  ExpectOutput(input_op, {sizes(x), filter, dy}, Turned<T>(want(input, input_grad), channels_first));
  if (kDTypeOf<T> == DType::kInt32) return;
  OpTester filter_op(Library(), grad_op + "Filter", attrs);
  ExpectOutput(filter_op, {x, sizes(filter), dy}, want(filter, filter_grad));
}

TEST(ConvTest, Float) {
  for (const Case& c : kCases) {
    CheckCase<float>(c, false);
    CheckCase<float>(c, true);
  }
}
TEST(ConvTest, Double) {
  for (const Case& c : kCases) {
    CheckCase<double>(c, false);
    CheckCase<double>(c, true);
  }
}
TEST(ConvTest, Int32) {
  for (const Case& c : kCases) {
    if (!c.depthwise) CheckCase<int32_t>(c, false);
  }
}
TEST(ConvTest, Half) {
  for (const Case& c : kCases) {
    if (c.batch * c.height * c.width < 500) CheckCase<Half>(c, c.batch == 2);
  }
}
TEST(ConvTest, BFloat16) {
  for (const Case& c : kCases) {
    if (c.batch * c.height * c.width < 80) CheckCase<BFloat16>(c, c.batch == 2);
  }
}

AttrMap Plain(std::vector<int64_t> strides = {1, 1, 1, 1}, const std::string& padding = "VALID") {
  return AttrMap({{"T", DType::kFloat32}, {"strides", strides}, {"padding", padding}});
}

Tensor Zeros(std::vector<int64_t> dims) { return *Tensor::Zeros(DType::kFloat32, *Shape::Make(dims)); }

TEST(ConvTest, Empty) {
  OpTester valid(Library(), "Conv2D", Plain()), same(Library(), "Conv2D", Plain({1, 1, 1, 1}, "SAME"));
  ExpectOutput(valid, {Zeros({0, 3, 3, 2}), Zeros({2, 2, 2, 4})}, Zeros({0, 2, 2, 4}));
  ExpectOutput(same, {Zeros({1, 0, 3, 2}), Zeros({2, 2, 2, 4})}, Zeros({1, 0, 3, 4}));
  ExpectOutput(valid, {Zeros({1, 1, 3, 2}), Zeros({2, 2, 2, 4})}, Zeros({1, 0, 2, 4}));
  ExpectOutput(valid, {Zeros({1, 2, 3, 2}), Zeros({2, 2, 2, 0})}, Zeros({1, 1, 2, 0}));
  OpTester padded(Library(), "Conv2D", Plain({1, 1, 1, 1}, "EXPLICIT").With("explicit_paddings", std::vector<int64_t>{0, 0, 2, 1, 0, 0, 0, 0}));
  ExpectOutput(padded, {Zeros({1, 0, 3, 2}), Zeros({2, 2, 2, 4})}, Zeros({1, 2, 2, 4}));
  OpTester input_grad(Library(), "Conv2DBackpropInput", Plain()), filter_grad(Library(), "Conv2DBackpropFilter", Plain());
  ExpectOutput(input_grad, {Ints({4}, {0, 3, 3, 1}), Zeros({2, 2, 1, 1}), Zeros({0, 2, 2, 1})}, Zeros({0, 3, 3, 1}));
  ExpectOutput(input_grad, {Ints({4}, {1, 3, 3, 1}), Zeros({2, 2, 1, 0}), Zeros({1, 2, 2, 0})}, Zeros({1, 3, 3, 1}));
  ExpectOutput(filter_grad, {Zeros({0, 3, 3, 1}), Ints({4}, {2, 2, 1, 1}), Zeros({0, 2, 2, 1})}, Zeros({2, 2, 1, 1}));
}

TEST(ConvTest, InputSizesMayBeHeightAndWidthAlone) {
  OpTester op(Library(), "Conv2DBackpropInput", Plain());
  const Tensor ones = Floats({2, 2, 1, 1}, {1, 1, 1, 1}), grad = Floats({1, 2, 2, 1}, {1, 1, 1, 1});
  ExpectOutput(op, {Ints({2}, {3, 3}), ones, grad}, Floats({1, 3, 3, 1}, {1, 2, 1, 2, 4, 2, 1, 2, 1}));
}

TEST(ConvTest, ShapeErrors) {
  struct Bad {
    std::vector<int64_t> input, filter;
    std::string text;
  };
  OpTester op(Library(), "Conv2D", Plain());
  for (const Bad& bad : {Bad{{1, 2, 3}, {2, 2, 3, 1}, "input: expected 4 dimensions, got shape [1,2,3]"},
                         Bad{{1, 2, 3, 3}, {2, 3, 1}, "filter: expected 4 dimensions"},
                         Bad{{1, 2, 3, 3}, {2, 2, 2, 3}, "a multiple of the filter's 2, got 3"},
                         Bad{{1, 2, 3, 4}, {2, 2, 2, 3}, "a multiple of 2 groups, got 3"},
                         Bad{{1, 2, 3, 2}, {2, 2, 0, 3}, "at least one input channel"},
                         Bad{{1, 2, 3, 0}, {2, 2, 2, 3}, "multiple"},
                         Bad{{1, 2, 3, 2}, {0, 2, 2, 3}, "window of at least one element"},
                         Bad{{1, 1, 3, 2}, {4, 2, 2, 4}, "expected at most 1 elements (with padding), got 4"}}) {
    ExpectInvalid(op, {Zeros(bad.input), Zeros(bad.filter)}, bad.text);
  }
  OpTester depthwise(Library(), "DepthwiseConv2dNative", Plain());
  ExpectInvalid(depthwise, {Zeros({1, 3, 3, 1}), Zeros({2, 2, 2, 1})}, "expected the input's 1 channels, got 2");
  OpTester input_grad(Library(), "Conv2DBackpropInput", Plain()), filter_grad(Library(), "Conv2DBackpropFilter", Plain());
  const Tensor filter = Zeros({2, 2, 1, 1}), grad = Zeros({1, 2, 2, 1});
  ExpectInvalid(input_grad, {Ints({4}, {1, 4, 3, 1}), filter, grad}, "out_backprop: expected shape [1,3,2,1], got [1,2,2,1]");
  ExpectInvalid(input_grad, {Ints({4}, {2, 3, 3, 1}), filter, grad}, "out_backprop");
  ExpectInvalid(input_grad, {Ints({3}, {1, 3, 3}), filter, grad}, "4");
  ExpectInvalid(input_grad, {Ints({4}, {1, -3, 3, 1}), filter, grad}, "");
  ExpectInvalid(input_grad, {Ints({1, 4}, {1, 3, 3, 1}), filter, grad}, "input_sizes");
  ExpectInvalid(filter_grad, {Zeros({1, 3, 3, 1}), Ints({4}, {2, 3, 1, 1}), grad}, "out_backprop");
  ExpectInvalid(filter_grad, {Zeros({1, 3, 3, 1}), Ints({3}, {2, 2, 1}), grad}, "4");
}

TEST(ConvTest, AttributeErrors) {
  struct Bad {
    AttrMap attrs;
    absl::StatusCode code;
    std::string text;
  };
  using Values = std::vector<int64_t>;
  const AttrMap explicit_padding = Plain({1, 1, 1, 1}, "EXPLICIT");
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument, kMissing = absl::StatusCode::kUnimplemented;
  const Bad cases[] = {
      {Plain({2, 1, 1, 1}), kMissing, "strides: expected 1 for batch and channels"},
      {Plain({1, 1, 1, 2}), kMissing, "strides"},
      {Plain({1, 0, 1, 1}), kInvalid, "strides: expected values in [1,"},
      {Plain({1, 1, 1}), kInvalid, "strides: expected 4 values, got 3"},
      {Plain().With("dilations", Values{1, 0, 1, 1}), kInvalid, "dilations"},
      {Plain().With("dilations", Values{2, 1, 1, 1}), kMissing, "dilations"},
      {Plain().With("explicit_paddings", Values{0, 0, 1, 1, 1, 1, 0, 0}), kInvalid, "expected none"},
      {explicit_padding, kInvalid, "expected 8 values, got 0"},
      {explicit_padding.With("explicit_paddings", Values{1, 0, 0, 0, 0, 0, 0, 0}), kInvalid, "0 for batch"},
      {explicit_padding.With("explicit_paddings", Values{0, 0, -1, 0, 0, 0, 0, 0}), kInvalid, "got -1"},
  };
  for (const Bad& bad : cases) {
    OpTester op(Library(), "Conv2D", bad.attrs);
    const absl::Status status = op.Run({Zeros({1, 3, 3, 1}), Zeros({2, 2, 1, 1})}).status();
    EXPECT_EQ(status.code(), bad.code) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(bad.text));
  }
}

TEST(ConvTest, KernelLabels) {
  OpTester unknown(Library(), "Conv2D", Plain().With("_kernel", "other"));
  ExpectInvalid(unknown, {Zeros({1, 3, 3, 1}), Zeros({2, 2, 1, 1})}, "label");
  OpTester known(Library(), "Conv2DBackpropFilter", Plain().With("_kernel", "custom"));
  ExpectOutput(known, {Zeros({1, 3, 3, 1}), Ints({4}, {2, 2, 1, 1}), Zeros({1, 2, 2, 1})}, Zeros({2, 2, 1, 1}));
}

TEST(ConvTest, Shapes) {
  const auto shape = [](const std::string& op, const std::vector<PartialShape>& inputs,
                        const std::vector<const Tensor*>& constants = {}) {
    const auto got = InferShapes(Library(), op, Plain({1, 2, 2, 1}, "SAME"), inputs, constants);
    return got.ok() ? (*got)[0].ToString() : std::string(got.status().message());
  };
  const PartialShape unknown, filter = PartialShape::Of({3, 3, 2, 5});
  EXPECT_EQ(shape("Conv2D", {PartialShape::Of({-1, 7, -1, 2}), filter}), "[?,4,?,5]");
  EXPECT_EQ(shape("Conv2D", {unknown, filter}), "[?,?,?,5]");
  EXPECT_EQ(shape("Conv2D", {PartialShape::Of({1, 7, 7, 2}), unknown}), "[1,4,4,?]");
  EXPECT_THAT(shape("Conv2D", {PartialShape::Of({1, 7, 7, 3}), filter}), testing::HasSubstr("multiple"));
  EXPECT_EQ(shape("DepthwiseConv2dNative", {PartialShape::Of({-1, 7, 6, -1}), filter}), "[?,4,3,10]");
  const Tensor sizes = Ints({4}, {1, 7, 7, 2});
  EXPECT_EQ(shape("Conv2DBackpropInput", {PartialShape::Of({4}), filter, unknown}, {&sizes}), "[1,7,7,2]");
  EXPECT_EQ(shape("Conv2DBackpropInput", {PartialShape::Of({2}), filter, unknown}), "[?,?,?,?]");
  EXPECT_EQ(shape("Conv2DBackpropFilter", {unknown, unknown, unknown}), "[?,?,?,?]");
  EXPECT_THAT(shape("Conv2DBackpropFilter", {unknown, PartialShape::Of({3}), unknown}), testing::HasSubstr("4 values"));
}

}  // namespace
}  // namespace flowlatch
