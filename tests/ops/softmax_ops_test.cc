#include "ops/softmax_ops.h"

#include <cmath>
#include <limits>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

const OpLibrary& Library() {
  static const OpLibrary* library = [] {
    auto* l = new OpLibrary;
    EXPECT_TRUE(RegisterSoftmaxOps(*l).ok());
    return l;
  }();
  return *library;
}

OpTester Tester(const std::string& op, DType dtype = DType::kFloat32) { return OpTester(Library(), op, {{"T", dtype}}); }

// [rows, cols] of numbers between -4 and 4.
template <typename T>
Tensor Logits(int64_t rows, int64_t cols) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, {rows, cols});
  for (int64_t i = 0; i < rows * cols; ++i) t.mutable_data<T>()[i] = static_cast<T>(static_cast<float>(i * 37 % 65) / 8 - 4);
  return t;
}

// softmax of a row, by the definition.
template <typename T>
std::vector<double> Probabilities(const T* row, int64_t n) {
  std::vector<double> p(n);
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += p[i] = std::exp(static_cast<double>(row[i]));
  for (double& v : p) v /= sum;
  return p;
}

template <typename T>
void CheckValues(double tolerance) {
  for (const int64_t cols : {1, 2, 7, 16, 33, 100}) {
    SCOPED_TRACE(cols);
    const int64_t rows = 5;
    const Tensor x = Logits<T>(rows, cols);
    Tensor softmax = *x.Clone(), log_softmax = *x.Clone(), labels = *x.Clone(), backprop = *x.Clone();
    Tensor sparse_backprop = *x.Clone();
    Tensor loss = *Tensor::Make(kDTypeOf<T>, {rows}), sparse_loss = *loss.Clone();
    std::vector<int32_t> classes(rows);
    for (int64_t i = 0; i < rows; ++i) {
      const std::vector<double> p = Probabilities(x.data<T>() + i * cols, cols);
      double total = 0;
      classes[i] = static_cast<int32_t>(i * 3 % cols);
      for (int64_t j = 0; j < cols; ++j) {
        const int64_t at = i * cols + j;
        const T label = static_cast<T>(static_cast<float>((i + j) % 3) * 0.25f);
        softmax.mutable_data<T>()[at] = static_cast<T>(p[j]);
        log_softmax.mutable_data<T>()[at] = static_cast<T>(std::log(p[j]));
        labels.mutable_data<T>()[at] = label;
        total -= static_cast<double>(label) * std::log(p[j]);
        backprop.mutable_data<T>()[at] = static_cast<T>(p[j] - static_cast<double>(label));
        sparse_backprop.mutable_data<T>()[at] = static_cast<T>(p[j] - (j == classes[i] ? 1 : 0));
      }
      loss.mutable_data<T>()[i] = static_cast<T>(total);
      sparse_loss.mutable_data<T>()[i] = static_cast<T>(-std::log(p[classes[i]]));
    }
    OpTester softmax_op = Tester("Softmax", kDTypeOf<T>), log_op = Tester("LogSoftmax", kDTypeOf<T>);
    ExpectOutput(softmax_op, {x}, softmax, tolerance);
    ExpectOutput(log_op, {x}, log_softmax, tolerance);
    OpTester dense = Tester("SoftmaxCrossEntropyWithLogits", kDTypeOf<T>);
    ExpectOutputs(dense, {x, labels}, {loss, backprop}, tolerance);
    OpTester sparse(Library(), "SparseSoftmaxCrossEntropyWithLogits", {{"T", kDTypeOf<T>}, {"Tlabels", DType::kInt32}});
    ExpectOutputs(sparse, {x, Tensor::Vector<int32_t>(classes)}, {sparse_loss, sparse_backprop}, tolerance);
  }
}

TEST(SoftmaxTest, Float) { CheckValues<float>(3e-6); }
TEST(SoftmaxTest, Double) { CheckValues<double>(1e-13); }
TEST(SoftmaxTest, Half) { CheckValues<Half>(3e-3); }
TEST(SoftmaxTest, BFloat16) { CheckValues<BFloat16>(2e-2); }

TEST(SoftmaxTest, HigherRanksAndEmpty) {
  OpTester softmax = Tester("Softmax");
  ExpectOutput(softmax, {Floats({2, 1, 2}, {0, 0, 5, 5})}, Floats({2, 1, 2}, {0.5, 0.5, 0.5, 0.5}));
  ExpectOutput(softmax, {Floats({2}, {7, 7})}, Floats({2}, {0.5, 0.5}));
  ExpectOutput(softmax, {Floats({0, 3}, {})}, Floats({0, 3}, {}));
  ExpectOutput(softmax, {Floats({3, 0}, {})}, Floats({3, 0}, {}));
}

TEST(SoftmaxTest, LargeAndInfiniteLogits) {
  OpTester softmax = Tester("Softmax"), log_softmax = Tester("LogSoftmax");
  ExpectOutput(softmax, {Floats({1, 2}, {1e30f, 1e30f})}, Floats({1, 2}, {0.5, 0.5}));
  const Tensor x = Floats({4, 2}, {kInf, 1, -kInf, -kInf, kNan, 1, -kInf, 0});
  ExpectOutput(softmax, {x}, Floats({4, 2}, {kNan, kNan, kNan, kNan, kNan, kNan, 0, 1}));
  ExpectOutput(log_softmax, {x}, Floats({4, 2}, {kNan, kNan, kNan, kNan, kNan, kNan, -kInf, 0}));
}

TEST(SoftmaxTest, ManyRowsInThreads) {
  const int64_t rows = 3000, cols = 50;
  Tensor x = *Tensor::Zeros(DType::kFloat32, Shape::Of({rows, cols})), want = *x.Clone();
  for (float& v : want.mutable_values<float>()) v = 0.02f;
  OpTester softmax = Tester("Softmax");
  ExpectOutput(softmax, {x}, want, 1e-7);
}

TEST(CrossEntropyTest, Broadcasts) {
  OpTester op = Tester("SoftmaxCrossEntropyWithLogits");
  const float third = 1.0f / 3;
  const Tensor want_loss = Floats({2}, {std::log(3.0f), std::log(3.0f)});
  const Tensor want = Floats({2, 3}, {third - 1, third, third, third - 1, third, third});
  ExpectOutputs(op, {Floats({2, 1}, {1, 2}), Floats({1, 3}, {1, 0, 0})}, {want_loss, want}, 1e-6);
  ExpectOutputs(op, {Floats({2, 1}, {1, 2}), Floats({3}, {1, 0, 0})}, {want_loss, want}, 1e-6);
}

TEST(CrossEntropyTest, NoRowsOrNoClasses) {
  OpTester op = Tester("SoftmaxCrossEntropyWithLogits");
  ExpectOutputs(op, {Floats({0, 3}, {}), Floats({0, 3}, {})}, {Floats({0}, {}), Floats({0, 3}, {})});
  ExpectOutputs(op, {Floats({2, 0}, {}), Floats({2, 0}, {})}, {Floats({2}, {0, 0}), Floats({2, 0}, {})});
  OpTester sparse(Library(), "SparseSoftmaxCrossEntropyWithLogits", {{"T", DType::kFloat32}});
  ExpectOutputs(sparse, {Floats({0, 3}, {}), Longs({0}, {})}, {Floats({0}, {}), Floats({0, 3}, {})});
}

TEST(CrossEntropyTest, ImpossibleClasses) {
  OpTester op = Tester("SoftmaxCrossEntropyWithLogits");  // 0 * infinity is NaN
  ExpectOutputs(op, {Floats({1, 2}, {-kInf, 1}), Floats({1, 2}, {0, 1})}, {Floats({1}, {kNan}), Floats({1, 2}, {0, 0})});
  OpTester sparse(Library(), "SparseSoftmaxCrossEntropyWithLogits", {{"T", DType::kFloat32}});
  ExpectOutputs(sparse, {Floats({1, 2}, {-kInf, 1}), Longs({1}, {1})}, {Floats({1}, {0}), Floats({1, 2}, {0, 0})});
}

TEST(CrossEntropyTest, Errors) {
  OpTester dense = Tester("SoftmaxCrossEntropyWithLogits");
  ExpectInvalid(dense, {Floats({1, 1, 1}, {1}), Floats({1, 1, 1}, {1})}, "broadcast to a matrix, got [1,1,1] and [1,1,1]");
  ExpectInvalid(dense, {Floats({1, 2}, {1, 2}), Floats({1, 3}, {1, 2, 3})}, "got [1,2] and [1,3]");
  ExpectInvalid(dense, {Tensor::Scalar(1.0f), Floats({1}, {1})}, "matrix");
  OpTester sparse(Library(), "SparseSoftmaxCrossEntropyWithLogits", {{"T", DType::kFloat32}});
  const Tensor x = Floats({2, 2}, {1, 2, 3, 4});
  ExpectInvalid(sparse, {x, Longs({2}, {0, 2})}, "labels[1]: expected a value in [0,2), got 2");
  ExpectInvalid(sparse, {x, Longs({2}, {-1, 0})}, "got -1");
  ExpectInvalid(sparse, {x, Longs({1}, {0})}, "one for each row");
  ExpectInvalid(sparse, {x, Longs({2, 1}, {0, 0})}, "expected a vector");
  ExpectInvalid(sparse, {Floats({2}, {1, 2}), Longs({2}, {0, 0})}, "expected a matrix");
  ExpectInvalid(sparse, {Floats({2, 0}, {}), Longs({2}, {0, 0})}, "at least one class");
  OpTester softmax = Tester("Softmax");
  ExpectInvalid(softmax, {Tensor::Scalar(1.0f)}, "at least 1 dimension");
}

TEST(InTopKTest, Values) {
  const Tensor predictions = Floats({6, 3}, {1, 2, 2, kNan, 1, 2, 1, 2, kInf, 1, 1, 1, 3, 2, 1, 3, 2, 1});
  const Tensor want = Bools({6}, {true, false, false, true, false, false});
  OpTester v2(Library(), "InTopKV2", {{"T", DType::kInt32}});
  ExpectOutput(v2, {predictions, Ints({6}, {1, 1, 2, 2, 3, -1}), Tensor::Scalar<int32_t>(1)}, want);
  OpTester v1(Library(), "InTopK", {{"T", DType::kInt64}, {"k", 1}});
  ExpectOutput(v1, {predictions, Longs({6}, {1, 1, 2, 2, 3, -1})}, want);
  OpTester two(Library(), "InTopK", {{"T", DType::kInt64}, {"k", 2}});
  ExpectOutput(two, {Floats({3, 3}, {3, 2, 1, 3, 2, 1, 3, 2, 1}), Longs({3}, {0, 1, 2})}, Bools({3}, {true, true, false}));
  ExpectInvalid(v2, {predictions, Ints({5}, {1, 1, 1, 1, 1}), Tensor::Scalar<int32_t>(1)}, "targets");
  ExpectInvalid(v2, {predictions, Ints({6}, {0, 0, 0, 0, 0, 0}), Ints({1}, {1})}, "k");
}

TEST(SoftmaxTest, Shapes) {
  const auto shapes = [](const std::string& op, const std::vector<PartialShape>& inputs) {
    const auto got = InferShapes(Library(), op, op == "InTopK" ? AttrMap({{"k", 1}}) : AttrMap({{"T", DType::kFloat32}}), inputs);
    if (!got.ok()) return std::string(got.status().message());
    std::string text;
    for (const PartialShape& s : *got) text += s.ToString();
    return text;
  };
  const PartialShape unknown;
  EXPECT_EQ(shapes("Softmax", {PartialShape::Of({-1, 3})}), "[?,3]");
  EXPECT_EQ(shapes("LogSoftmax", {unknown}), "?");
  EXPECT_EQ(shapes("SoftmaxCrossEntropyWithLogits", {PartialShape::Of({-1, 3}), PartialShape::Of({2, -1})}), "[2][2,3]");
  EXPECT_EQ(shapes("SoftmaxCrossEntropyWithLogits", {unknown, PartialShape::Of({2, 3})}), "[?][?,?]");
  EXPECT_EQ(shapes("SparseSoftmaxCrossEntropyWithLogits", {PartialShape::Of({-1, 3}), PartialShape::Of({2})}), "[2][2,3]");
  EXPECT_EQ(shapes("SparseSoftmaxCrossEntropyWithLogits", {unknown, unknown}), "[?][?,?]");
  EXPECT_EQ(shapes("InTopK", {PartialShape::Of({5, 3}), unknown}), "[5]");
}

}  // namespace
}  // namespace flowlatch
