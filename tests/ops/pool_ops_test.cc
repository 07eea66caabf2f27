#include "ops/pool_ops.h"

#include <limits>
#include <random>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kLowest = std::numeric_limits<float>::lowest();

const OpLibrary& Library() {
  static const OpLibrary* library = [] {
    auto* l = new OpLibrary;
    EXPECT_TRUE(RegisterPoolOps(*l).ok());
    return l;
  }();
  return *library;
}

using Values = std::vector<int64_t>;

AttrMap Attrs(DType dtype, Values ksize, Values strides, const std::string& padding, const std::string& format = "NHWC") {
  return AttrMap({{"T", dtype}, {"ksize", ksize}, {"strides", strides}, {"padding", padding}, {"data_format", format}});
}
AttrMap Plain(Values ksize = {1, 2, 2, 1}, Values strides = {1, 1, 1, 1}, const std::string& padding = "VALID") {
  return Attrs(DType::kFloat32, ksize, strides, padding);
}

struct Case {
  int64_t batch, height, width, channels, window_height, window_width, stride_height, stride_width;
  bool same;
};
const Case kCases[] = {
    {2, 4, 6, 3, 2, 2, 2, 2, false}, {1, 5, 7, 1, 3, 2, 1, 2, true},     {2, 5, 5, 17, 3, 3, 2, 2, true},
    {1, 6, 5, 20, 2, 3, 3, 1, false}, {3, 7, 7, 33, 7, 7, 1, 1, false},  {1, 3, 3, 2, 5, 5, 1, 1, true},
    {1, 30, 31, 40, 3, 3, 1, 1, true}, {2, 9, 9, 4, 1, 2, 3, 4, true},    {2, 5, 7, 37, 2, 3, 2, 3, true},
    {1, 5, 7, 16, 2, 3, 2, 3, false},
};

struct Line {
  int64_t out, before;
};
Line LineOf(int64_t in, int64_t window, int64_t stride, bool same) {
  if (!same) return {(in - window) / stride + 1, 0};
  const int64_t out = (in + stride - 1) / stride;
  return {out, std::max<int64_t>(0, (out - 1) * stride + window - in) / 2};
}

// What pooling means, channels last: flat indices of the inputs of each output.
std::vector<std::vector<int64_t>> Windows(const Case& c) {
  const Line h = LineOf(c.height, c.window_height, c.stride_height, c.same);
  const Line w = LineOf(c.width, c.window_width, c.stride_width, c.same);
  std::vector<std::vector<int64_t>> windows;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t y = 0; y < h.out; ++y)
      for (int64_t x = 0; x < w.out; ++x)
        for (int64_t k = 0; k < c.channels; ++k) {
          windows.emplace_back();
          for (int64_t i = 0; i < c.window_height; ++i)
            for (int64_t j = 0; j < c.window_width; ++j) {
              const int64_t row = y * c.stride_height - h.before + i, column = x * c.stride_width - w.before + j;
              if (row < 0 || row >= c.height || column < 0 || column >= c.width) continue;
              windows.back().push_back(((b * c.height + row) * c.width + column) * c.channels + k);
            }
        }
  return windows;
}

template <typename T>
Tensor Make(Values dims, const std::function<double(int64_t)>& value) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, *Shape::Make(dims));
  for (int64_t i = 0; i < t.num_elements(); ++i) t.mutable_data<T>()[i] = static_cast<T>(value(i));
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

template <typename T>
void CheckCase(const Case& c, bool channels_first, double tolerance) {
  std::mt19937 random(5);
  const Values input_dims{c.batch, c.height, c.width, c.channels};
  const Values output_dims{c.batch, LineOf(c.height, c.window_height, c.stride_height, c.same).out,
                           LineOf(c.width, c.window_width, c.stride_width, c.same).out, c.channels};
  const Tensor x = Make<T>(input_dims, [&](int64_t) { return static_cast<double>(random() % 8); });  // with ties
  const Tensor dy = Make<T>(output_dims, [&](int64_t) { return static_cast<double>(random() % 3); });
  const Tensor ddx = Make<T>(input_dims, [&](int64_t) { return static_cast<double>(random() % 5); });
  const auto windows = Windows(c);
  std::vector<double> max_grad(x.num_elements()), avg_grad(x.num_elements());
  std::vector<int64_t> argmax(windows.size());
  std::vector<double> mean(windows.size());
  for (size_t o = 0; o < windows.size(); ++o) {
    argmax[o] = windows[o][0];
    for (const int64_t i : windows[o]) {
      if (x.data<T>()[i] > x.data<T>()[argmax[o]]) argmax[o] = i;
      mean[o] += static_cast<double>(x.data<T>()[i]) / static_cast<double>(windows[o].size());
      avg_grad[i] += static_cast<double>(dy.data<T>()[o]) / static_cast<double>(windows[o].size());
    }
    max_grad[argmax[o]] += static_cast<double>(dy.data<T>()[o]);
  }
  const auto at = [](const Tensor& t, int64_t i) { return static_cast<double>(t.data<T>()[i]); };
  const Tensor want = Make<T>(output_dims, [&](int64_t o) { return at(x, argmax[o]); });
  const auto list = [&](int64_t h, int64_t w) { return channels_first ? Values{1, 1, h, w} : Values{1, h, w, 1}; };
  const Values ksize = list(c.window_height, c.window_width), strides = list(c.stride_height, c.stride_width);
  const AttrMap attrs = Attrs(kDTypeOf<T>, ksize, strides, c.same ? "SAME" : "VALID", channels_first ? "NCHW" : "NHWC");
  const auto turn = [&](const Tensor& t) { return Turned<T>(t, channels_first); };
  const auto vector = [](const Values& v) { return Tensor::Vector<int32_t>(std::vector<int32_t>(v.begin(), v.end())); };
  const auto run = [&](const std::string& op, const std::vector<Tensor>& inputs, const Tensor& expected) {
    SCOPED_TRACE(op);
    OpTester tester(Library(), op, attrs);
    ExpectOutput(tester, inputs, turn(expected), tolerance);
  };
  run("MaxPool", {turn(x)}, want);
  run("MaxPoolV2", {turn(x), vector(ksize), vector(strides)}, want);
  const Tensor want_grad = Make<T>(input_dims, [&](int64_t i) { return max_grad[i]; });
  run("MaxPoolGrad", {turn(x), turn(want), turn(dy)}, want_grad);
  run("MaxPoolGradV2", {turn(x), turn(want), turn(dy), vector(ksize), vector(strides)}, want_grad);
  const Tensor picked = Make<T>(output_dims, [&](int64_t o) { return at(ddx, argmax[o]); });
  run("MaxPoolGradGrad", {turn(x), turn(want), turn(ddx)}, picked);
  run("MaxPoolGradGradV2", {turn(x), turn(want), turn(ddx), vector(ksize), vector(strides)}, picked);
  if constexpr (kFloatTypes.contains(kDTypeOf<T>)) {
    run("AvgPool", {turn(x)}, Make<T>(output_dims, [&](int64_t o) { return mean[o]; }));
    const Tensor turned = turn(x);
    const Tensor sizes = vector(Values(turned.dims().begin(), turned.dims().end()));
    run("AvgPoolGrad", {sizes, turn(dy)}, Make<T>(input_dims, [&](int64_t i) { return avg_grad[i]; }));
  }
}

template <typename T>
void CheckAll(double tolerance = 0) {
  for (const Case& c : kCases) {
    for (const bool channels_first : {false, true}) {
      SCOPED_TRACE(std::to_string(&c - kCases) + (channels_first ? " NCHW" : " NHWC"));
      CheckCase<T>(c, channels_first, tolerance);
    }
  }
}

TEST(PoolTest, Float) { CheckAll<float>(1e-6); }
TEST(PoolTest, Double) { CheckAll<double>(1e-14); }
TEST(PoolTest, Half) { CheckAll<Half>(4e-3); }
TEST(PoolTest, BFloat16) { CheckAll<BFloat16>(3e-2); }
TEST(PoolTest, Integers) {
  CheckAll<int8_t>();
  CheckAll<int32_t>();
  CheckAll<int64_t>();
  CheckAll<uint8_t>();
  CheckAll<uint16_t>();
}

TEST(MaxPoolTest, NanAndInfinity) {
  OpTester pool(Library(), "MaxPool", Plain());
  ExpectOutput(pool, {Floats({1, 2, 3, 1}, {kNan, 1, 2, 3, 4, 5})}, Floats({1, 1, 2, 1}, {4, 5}));
  ExpectOutput(pool, {Floats({1, 2, 2, 1}, {kNan, kNan, kNan, kNan})}, Floats({1, 1, 1, 1}, {kLowest}));
  ExpectOutput(pool, {Floats({1, 2, 2, 1}, {-kInf, -kInf, -kInf, -kInf})}, Floats({1, 1, 1, 1}, {kLowest}));
  // Where the largest was, the first element stands until a larger one comes.
  OpTester argmax(Library(), "MaxPoolWithArgmax", Plain());
  const Tensor x = Floats({1, 2, 3, 1}, {1, kNan, 5, 5, kNan, kNan});
  ExpectOutputs(argmax, {x}, {Floats({1, 1, 2, 1}, {5, kNan}), Longs({1, 1, 2, 1}, {3, 1})});
  OpTester grad(Library(), "MaxPoolGrad", Plain());
  ExpectOutput(grad, {x, Floats({1, 1, 2, 1}, {5, 5}), Floats({1, 1, 2, 1}, {1, 2})}, Floats({1, 2, 3, 1}, {0, 2, 0, 1, 0, 0}));
}

TEST(MaxPoolTest, ExplicitPadding) {
  const AttrMap attrs = Plain({1, 2, 2, 1}, {1, 1, 1, 1}, "EXPLICIT").With("explicit_paddings", Values{0, 0, 1, 1, 0, 1, 0, 0});
  OpTester pool(Library(), "MaxPool", attrs);
  ExpectOutput(pool, {Floats({1, 2, 2, 1}, {-1, -2, -3, -4})}, Floats({1, 3, 2, 1}, {-1, -2, -1, -2, -3, -4}));
}

TEST(MaxPoolTest, WindowOverChannels) {
  OpTester pool(Library(), "MaxPool", Plain({1, 1, 1, 2}, {1, 1, 1, 2}));
  ExpectOutput(pool, {Floats({1, 1, 2, 4}, {0, 1, 2, 3, 7, 6, 5, 4})}, Floats({1, 1, 2, 2}, {1, 3, 7, 5}));
}

TEST(MaxPoolWithArgmaxTest, CountsImagesOnDemand) {
  const Tensor x = Floats({2, 2, 2, 1}, {1, 2, 3, 4, 8, 7, 6, 5});
  OpTester within(Library(), "MaxPoolWithArgmax", Plain({1, 2, 2, 1}, {1, 2, 2, 1}));
  ExpectOutputs(within, {x}, {Floats({2, 1, 1, 1}, {4, 8}), Longs({2, 1, 1, 1}, {3, 0})});
  OpTester across(Library(), "MaxPoolWithArgmax",
                  Plain({1, 2, 2, 1}, {1, 2, 2, 1}).With("include_batch_in_index", true).With("Targmax", DType::kInt32));
  ExpectOutputs(across, {x}, {Floats({2, 1, 1, 1}, {4, 8}), Ints({2, 1, 1, 1}, {3, 4})});
}

TEST(MaxPoolWithArgmaxTest, Gradients) {
  const Tensor x = Floats({2, 2, 2, 1}, {1, 2, 3, 4, 8, 7, 6, 5}), dy = Floats({2, 1, 1, 1}, {10, 20});
  const Tensor dx = Floats({2, 2, 2, 1}, {0, 0, 0, 10, 20, 0, 0, 0});
  const AttrMap attrs = Plain({1, 2, 2, 1}, {1, 2, 2, 1});
  const struct {
    AttrMap attrs;
    Tensor argmax;
  } cases[] = {{attrs.With("Targmax", DType::kInt64), Longs({2, 1, 1, 1}, {3, 0})},
               {attrs.With("Targmax", DType::kInt32), Ints({2, 1, 1, 1}, {3, 0})},
               {attrs.With("Targmax", DType::kInt64).With("include_batch_in_index", true),
                Longs({2, 1, 1, 1}, {3, 4})}};
  for (const auto& [with, argmax] : cases) {
    OpTester back(Library(), "MaxPoolGradWithArgmax", with), forth(Library(), "MaxPoolGradGradWithArgmax", with);
    ExpectOutput(back, {x, dy, argmax}, dx);
    ExpectOutput(forth, {x, x, argmax}, Floats({2, 1, 1, 1}, {4, 8}));
  }
  // Windows may share an element; sums of integers wrap.
  OpTester bytes(Library(), "MaxPoolGradWithArgmax",
                 Plain({1, 1, 2, 1}).With("T", DType::kUInt8).With("Targmax", DType::kInt64));
  ExpectOutput(bytes, {Of<uint8_t>({1, 1, 3, 1}, {0, 1, 0}), Of<uint8_t>({1, 1, 2, 1}, {200, 100}), Longs({1, 1, 2, 1}, {1, 1})},
               Of<uint8_t>({1, 1, 3, 1}, {0, 44, 0}));
  OpTester back(Library(), "MaxPoolGradWithArgmax", cases[0].attrs), across(Library(), "MaxPoolGradWithArgmax", cases[2].attrs);
  ExpectInvalid(back, {x, dy, Longs({2, 1, 1, 1}, {3, 4})}, "argmax[1,0,0,0]: expected a value in [0,4), got 4");
  ExpectInvalid(back, {x, dy, Longs({2, 1, 1, 1}, {-1, 0})}, "argmax[0,0,0,0]: expected a value in [0,4), got -1");
  ExpectInvalid(across, {x, dy, Longs({2, 1, 1, 1}, {3, 3})}, "argmax[1,0,0,0]: expected a value in [4,8), got 3");
  ExpectInvalid(back, {x, x, Longs({2, 1, 1, 1}, {3, 0})}, "grad: expected shape [2,1,1,1], got [2,2,2,1]");
  ExpectInvalid(back, {x, dy, Longs({1, 1, 1, 1}, {3})}, "argmax: expected shape [2,1,1,1], got [1,1,1,1]");
}

Tensor Zeros(Values dims) { return *Tensor::Zeros(DType::kFloat32, *Shape::Make(dims)); }

TEST(PoolTest, Empty) {
  OpTester max(Library(), "MaxPool", Plain()), avg(Library(), "AvgPool", Plain({1, 2, 2, 1}, {1, 1, 1, 1}, "SAME"));
  ExpectOutput(max, {Zeros({0, 2, 2, 1})}, Zeros({0, 1, 1, 1}));
  ExpectOutput(max, {Zeros({1, 1, 2, 1})}, Zeros({1, 0, 1, 1}));
  ExpectOutput(avg, {Zeros({1, 0, 2, 1})}, Zeros({1, 0, 2, 1}));
  OpTester grad(Library(), "MaxPoolGrad", Plain());
  ExpectOutput(grad, {Zeros({0, 2, 3, 1}), Zeros({0, 1, 2, 1}), Zeros({0, 1, 2, 1})}, Zeros({0, 2, 3, 1}));
  OpTester avg_grad(Library(), "AvgPoolGrad", Plain());
  ExpectOutput(avg_grad, {Ints({4}, {0, 2, 2, 1}), Zeros({0, 1, 1, 1})}, Zeros({0, 2, 2, 1}));
}

TEST(PoolTest, Errors) {
  struct Bad {
    std::string op;
    AttrMap attrs;
    Values input;
    absl::StatusCode code;
    std::string text;
  };
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument, kMissing = absl::StatusCode::kUnimplemented;
  const Values ones{1, 1, 1, 1};
  const Bad cases[] = {
      {"MaxPool", Plain({2, 1, 1, 1}), {2, 2, 2, 1}, kMissing, "expected 1 for batch, got 2"},
      {"MaxPool", Plain({1, 1, 1, 2}), {1, 1, 2, 4}, kMissing, "stride over channels"},
      {"MaxPool", Plain({1, 1, 1, 3}, {1, 1, 1, 3}), {1, 1, 2, 4}, kMissing, "a multiple of the window's 3, got 4"},
      {"MaxPool", Plain({1, 2, 1, 2}, {1, 1, 1, 2}), {1, 2, 1, 4}, kMissing, "over channels or over space"},
      {"AvgPool", Plain({1, 1, 1, 2}, {1, 1, 1, 2}), {1, 2, 1, 4}, kMissing, "expected 1 for channels"},
      {"MaxPool", Plain({1, 0, 1, 1}), {1, 2, 2, 1}, kInvalid, "ksize: expected values above 0"},
      {"MaxPool", Plain({1, 1, 1, 1, 1}), {1, 2, 2, 1}, kInvalid, "ksize: expected 4 values, got 5"},
      {"MaxPool", Plain({1, 4, 1, 1}), {1, 2, 2, 1}, kInvalid, "window over dimension of size 2"},
      {"MaxPool", Plain(ones, {1, 0, 1, 1}), {1, 2, 2, 1}, kInvalid, "strides"},
      {"MaxPool", Plain(), {1, 2, 2}, kInvalid, "input: expected 4 dimensions"},
      {"AvgPool", Plain(), {1, 2, 2, 1, 1}, kInvalid, "expected 4 dimensions"},
      {"MaxPool", Plain({1, 2, 2, 1}, ones, "EXPLICIT").With("explicit_paddings", Values{0, 0, 2, 1, 0, 1, 0, 0}),
       {1, 2, 2, 1}, kInvalid, "expected less than the window's 2, got 2"},
      {"MaxPool", Plain().With("data_format", "NCHW_VECT_C"), {1, 2, 2, 1}, kMissing, "data_format"},
  };
  for (const Bad& bad : cases) {
    OpTester op(Library(), bad.op, bad.attrs);
    const absl::Status status = op.Run({Zeros(bad.input)}).status();
    EXPECT_EQ(status.code(), bad.code) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(bad.text));
  }
}

TEST(PoolTest, GradientErrors) {
  OpTester grad(Library(), "MaxPoolGrad", Plain());
  const Tensor x = Zeros({1, 2, 3, 1}), y = Zeros({1, 1, 2, 1});
  ExpectInvalid(grad, {x, Zeros({1, 1, 1, 1}), y}, "orig_output: expected shape [1,1,2,1], got [1,1,1,1]");
  ExpectInvalid(grad, {x, y, Zeros({1, 1, 3, 1})}, "grad: expected shape [1,1,2,1], got [1,1,3,1]");
  OpTester grad_grad(Library(), "MaxPoolGradGrad", Plain());
  ExpectInvalid(grad_grad, {x, y, y}, "grad: expected shape [1,2,3,1]");
  OpTester avg(Library(), "AvgPoolGrad", Plain());
  ExpectInvalid(avg, {Ints({3}, {1, 2, 3}), y}, "4");
  ExpectInvalid(avg, {Ints({4}, {1, -2, 3, 1}), y}, "");
  ExpectInvalid(avg, {Ints({4}, {1, 2, 4, 1}), y}, "grad: expected shape [1,1,3,1]");
  OpTester v2(Library(), "MaxPoolV2", {{"padding", "VALID"}});
  ExpectInvalid(v2, {x, Ints({3}, {1, 2, 2}), Ints({4}, {1, 1, 1, 1})}, "ksize: expected 4 values");
  ExpectInvalid(v2, {x, Ints({4}, {1, 2, 2, 1}), Tensor::Scalar<int32_t>(1)}, "strides");
}

TEST(PoolTest, Shapes) {
  const auto shape = [](const std::string& op, const std::vector<PartialShape>& inputs,
                        const std::vector<const Tensor*>& constants = {}) {
    const auto got = InferShapes(Library(), op, Plain({1, 3, 3, 1}, {1, 2, 2, 1}, "SAME"), inputs, constants);
    return got.ok() ? (*got)[0].ToString() : std::string(got.status().message());
  };
  const PartialShape unknown, vector = PartialShape::Of({4});
  EXPECT_EQ(shape("MaxPool", {PartialShape::Of({-1, 7, -1, 3})}), "[?,4,?,3]");
  EXPECT_EQ(shape("AvgPool", {unknown}), "[?,?,?,?]");
  EXPECT_EQ(shape("MaxPoolV2", {PartialShape::Of({1, 7, 7, 3}), vector, vector}), "[?,?,?,?]");
  const Tensor ksize = Ints({4}, {1, 2, 2, 1});
  EXPECT_EQ(shape("MaxPoolV2", {PartialShape::Of({1, 7, 7, 3}), vector, vector}, {nullptr, &ksize, &ksize}), "[1,4,4,3]");
  EXPECT_EQ(shape("MaxPoolGrad", {PartialShape::Of({1, 7, 7, 3}), unknown, unknown}), "[1,7,7,3]");
  EXPECT_EQ(shape("MaxPoolGradGrad", {PartialShape::Of({1, 7, 7, 3}), unknown, unknown}), "[1,4,4,3]");
  EXPECT_EQ(shape("AvgPoolGrad", {vector, unknown}), "[?,?,?,?]");
  const Tensor sizes = Ints({4}, {1, 7, 7, 2});
  EXPECT_EQ(shape("AvgPoolGrad", {vector, unknown}, {&sizes}), "[1,7,7,2]");
}

}  // namespace
}  // namespace flowlatch
