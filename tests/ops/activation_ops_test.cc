#include "ops/activation_ops.h"

#include <cmath>
#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

const OpLibrary& Library() {
  static const OpLibrary* library = [] {
    auto* l = new OpLibrary;
    EXPECT_TRUE(RegisterActivationOps(*l).ok());
    return l;
  }();
  return *library;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Function {
  std::string op;
  double (*f)(double);
  // The derivative from what the gradient op is given: features, or outputs for Elu and Selu.
  double (*derivative)(double);
};

const Function kFunctions[] = {
    {"Relu", [](double x) { return x < 0 ? 0 : x; }, [](double x) { return x > 0 ? 1.0 : 0.0; }},
    {"Relu6", [](double x) { return x < 0 ? 0 : x > 6 ? 6 : x; }, [](double x) { return x > 0 && x < 6 ? 1.0 : 0.0; }},
    {"Elu", [](double x) { return x < 0 ? std::expm1(x) : x; }, [](double y) { return y < 0 ? y + 1 : 1; }},
    {"Selu", [](double x) { return x < 0 ? 1.7580993408473766 * std::expm1(x) : 1.0507009873554805 * x; },
     [](double y) { return y < 0 ? y + 1.7580993408473766 : 1.0507009873554805; }},
    {"LeakyRelu", [](double x) { return x > 0 ? x : 0.2f * x; }, [](double x) { return x > 0 ? 1.0 : 0.2f; }},
    {"Softplus", [](double x) { return x > 50 ? x : std::log1p(std::exp(x)); },
     [](double x) { return 1 / (std::exp(-x) + 1); }},
    {"Softsign", [](double x) { return x / (std::abs(x) + 1); },
     [](double x) { return 1 / ((std::abs(x) + 1) * (std::abs(x) + 1)); }},
};

// More than a vector of the widest target, with a rest; the special values stand in both.
const std::vector<double> kValues = {0,    -0.0, 1,   -1,  kNan, 6,    6.5, -200, 3,    -3,   100,  -1e-3, 0.5,
                                     -0.5, 12,   -12, 16,  -16,  1e-3, 5,   -20,  20,   -100, kNan, 40,    -40,
                                     2,    -2,   7,   -7,  8,    -8,   9,   kNan, -0.25};

template <typename T>
Tensor Values(const std::function<double(double)>& f, bool grad_of_nan = false) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, {static_cast<int64_t>(kValues.size())});
  for (size_t i = 0; i < kValues.size(); ++i) {
    const double x = static_cast<double>(T(static_cast<T>(kValues[i])));
    t.mutable_data<T>()[i] = T(static_cast<T>(std::isnan(x) && !grad_of_nan ? kNan : f(x)));
  }
  return t;
}

template <typename T>
void CheckAll(double tolerance) {
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(function.op);
    const Tensor x = Values<T>([](double v) { return v; });
    OpTester forward(Library(), function.op, {{"T", kDTypeOf<T>}});
    ExpectOutput(forward, {x}, Values<T>(function.f), tolerance);
    OpTester backward(Library(), function.op + "Grad", {{"T", kDTypeOf<T>}});
    const Tensor threes = Values<T>([](double) { return 3; }, true);
    const Tensor want = Values<T>([&](double v) { return 3 * function.derivative(v); }, true);
    ExpectOutput(backward, {threes, x}, want, tolerance);
  }
}

TEST(ActivationTest, Float) { CheckAll<float>(2e-6); }
TEST(ActivationTest, Double) { CheckAll<double>(1e-14); }
TEST(ActivationTest, Half) { CheckAll<Half>(2e-3); }
TEST(ActivationTest, BFloat16) { CheckAll<BFloat16>(1e-2); }

template <typename T>
void CheckInteger(std::initializer_list<int> x, std::initializer_list<int> relu, std::initializer_list<int> relu6,
                  std::initializer_list<int> relu_grad, std::initializer_list<int> relu6_grad) {
  const auto make = [](std::initializer_list<int> v) { return Of<T, int>({static_cast<int64_t>(v.size())}, v); };
  const AttrMap attrs({{"T", kDTypeOf<T>}});
  OpTester relu_op(Library(), "Relu", attrs), relu6_op(Library(), "Relu6", attrs);
  ExpectOutput(relu_op, {make(x)}, make(relu));
  ExpectOutput(relu6_op, {make(x)}, make(relu6));
  const Tensor dy = Of<T, int>({4}, {1, 2, 3, 4});
  OpTester relu_grad_op(Library(), "ReluGrad", attrs), relu6_grad_op(Library(), "Relu6Grad", attrs);
  ExpectOutput(relu_grad_op, {dy, make(x)}, make(relu_grad));
  ExpectOutput(relu6_grad_op, {dy, make(x)}, make(relu6_grad));
}

TEST(ActivationTest, Integers) {
  CheckInteger<int8_t>({-3, 0, 5, 100}, {0, 0, 5, 100}, {0, 0, 5, 6}, {0, 0, 3, 4}, {0, 0, 3, 0});
  CheckInteger<int64_t>({-3, 0, 5, 100}, {0, 0, 5, 100}, {0, 0, 5, 6}, {0, 0, 3, 4}, {0, 0, 3, 0});
  CheckInteger<uint8_t>({0, 1, 6, 200}, {0, 1, 6, 200}, {0, 1, 6, 6}, {0, 2, 3, 4}, {0, 2, 0, 0});
}

TEST(ActivationTest, ScalarsAndEmpty) {
  for (const Function& function : kFunctions) {
    OpTester forward(Library(), function.op, {{"T", DType::kFloat32}});
    ExpectOutput(forward, {Tensor::Scalar(2.0f)}, Tensor::Scalar(static_cast<float>(function.f(2))), 1e-6);
    ExpectOutput(forward, {Floats({0, 3}, {})}, Floats({0, 3}, {}));
  }
}

TEST(ActivationTest, LargeInputsInThreads) {
  Tensor x = *Tensor::Make(DType::kFloat32, {300001});
  for (int64_t i = 0; i < x.num_elements(); ++i) x.mutable_data<float>()[i] = static_cast<float>(i % 7) - 3;
  Tensor want = *x.Clone();
  for (float& v : want.mutable_values<float>()) v = std::max(v, 0.0f);
  OpTester relu(Library(), "Relu", {{"T", DType::kFloat32}});
  ExpectOutput(relu, {x}, want);
}

TEST(ActivationTest, LeakyReluUsesItsSlope) {
  OpTester forward(Library(), "LeakyRelu", {{"alpha", 2.0f}});
  ExpectOutput(forward, {Floats({2}, {-1, 2})}, Floats({2}, {-2, 2}));
  OpTester backward(Library(), "LeakyReluGrad", {{"alpha", 0.5f}});
  ExpectOutput(backward, {Floats({2}, {3, 3}), Floats({2}, {0, 1})}, Floats({2}, {1.5, 3}));
}

TEST(ActivationTest, GradientsThatAreNotFiniteShow) {
  OpTester relu(Library(), "ReluGrad", {{"T", DType::kFloat32}});
  const float inf = static_cast<float>(kInf), nan = static_cast<float>(kNan);
  ExpectOutput(relu, {Floats({3}, {inf, nan, inf}), Floats({3}, {-1, -1, 1})}, Floats({3}, {nan, nan, inf}));
}

TEST(ActivationTest, InfinitiesOfSoftplusAndSoftsign) {
  const float inf = static_cast<float>(kInf), nan = static_cast<float>(kNan);
  OpTester softplus(Library(), "Softplus", {{"T", DType::kFloat32}});
  ExpectOutput(softplus, {Floats({2}, {inf, -inf})}, Floats({2}, {inf, 0}));
  OpTester softsign(Library(), "Softsign", {{"T", DType::kFloat32}});
  ExpectOutput(softsign, {Floats({1}, {-inf})}, Floats({1}, {nan}));
}

TEST(ActivationTest, Errors) {
  for (const Function& function : kFunctions) {
    OpTester grad(Library(), function.op + "Grad", {{"T", DType::kFloat32}});
    ExpectInvalid(grad, {Floats({2}, {1, 2}), Floats({1}, {1})}, "");
  }
  OpTester grad(Library(), "ReluGrad", {{"T", DType::kFloat32}});
  const auto got = InferShapes(Library(), "ReluGrad", {{"T", DType::kFloat32}}, {PartialShape::Of({2}), PartialShape::Of({3})});
  EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ActivationTest, Shapes) {
  const auto shape = [](const std::string& op, const std::vector<PartialShape>& inputs) {
    const auto got = InferShapes(Library(), op, {{"T", DType::kFloat32}}, inputs);
    return got.ok() ? (*got)[0].ToString() : got.status().ToString();
  };
  for (const Function& function : kFunctions) {
    EXPECT_EQ(shape(function.op, {PartialShape::Of({2, -1})}), "[2,?]");
    EXPECT_EQ(shape(function.op, {PartialShape()}), "?");
    EXPECT_EQ(shape(function.op + "Grad", {PartialShape::Of({2, -1}), PartialShape::Of({-1, 3})}), "[2,3]");
    EXPECT_EQ(shape(function.op + "Grad", {PartialShape(), PartialShape::Of({-1, 3})}), "[?,3]");
  }
}

}  // namespace
}  // namespace flowlatch
