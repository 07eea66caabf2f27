#include "tests/graph/train/training.h"

namespace flowlatch {
namespace {

template <typename T>
std::vector<double> AsDoubles(const Tensor& tensor) {
  return {tensor.values<T>().begin(), tensor.values<T>().end()};
}

}  // namespace

Problem LineProblem(GraphBuilder& b, DType dtype, bool use_ref) {
  const auto constant = [&](const Input& value) { return b.Constant(value, dtype); };
  const VariableOptions options{.use_ref = use_ref};
  const GraphVariable w = b.Variable("w", constant({{0.5, -1.0}, {2.0, 0.25}}), options);
  const GraphVariable bias = b.Variable("b", constant({0.125, -0.5}), options);
  const Output x = constant({{1.0, 0.5}, {-0.5, 2.0}, {0.25, -1.0}}), y = constant({{1.0, -1.0}, {0.5, 0.0}, {-2.0, 1.5}});
  const Output error = b.Op("MatMul", {x, w}).output() + bias - y;
  return {b.Op("Sum", {error * error, {0, 1}}).output(), [](int) { return Feeds(); }};
}

Problem TableProblem(GraphBuilder& b, DType dtype, bool use_ref) {
  const GraphVariable t = b.Variable("t", b.Constant({{-1.0, -0.75}, {-0.5, -0.25}, {0.0, 0.25}, {0.5, 0.75}}, dtype), {.use_ref = use_ref});
  const Output ids = b.Placeholder(DType::kInt32, Shape::Of({3}), "ids");
  const Output error = t.Gather(ids) - b.Constant({{0.5, 1.0}, {-0.25, 0.0}, {2.0, -1.0}}, dtype);
  return {b.Op("Sum", {error * error, {0, 1}}).output(), [](int step) { return Feeds{{"ids", Tensor::Vector<int32_t>({step % 4, 1, 1})}}; }};
}

std::vector<double> Numbers(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kFloat64:
      return AsDoubles<double>(tensor);
    case DType::kInt64:
      return AsDoubles<int64_t>(tensor);
    case DType::kInt32:
      return AsDoubles<int32_t>(tensor);
    default:
      return AsDoubles<float>(tensor);
  }
}

}  // namespace flowlatch
