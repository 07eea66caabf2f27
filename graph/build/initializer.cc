#include "graph/build/initializer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

// The standard deviation of a normal distribution that was cut at two standard deviations, if it was 1 before.
constexpr double kTruncatedDeviation = 0.87962566103423978;

// `dims` as the int32 or int64 vector that ops take as a shape. Empty after Fail.
Output ShapeInput(GraphBuilder& b, const std::vector<int64_t>& dims, std::source_location at) {
  if (const absl::StatusOr<Shape> shape = Shape::Make(dims); !shape.ok()) {
    b.Fail(absl::Status(shape.status().code(), absl::StrCat("initial value: ", shape.status().message())), at);
    return {};
  }
  return b.Constant(dims, DType::kInt64, "shape", at);
}

// A random op's numbers, times `factor`, plus `offset`.
Initializer Scaled(std::string_view op, std::vector<int64_t> dims, double factor, double offset, const RandomOptions& options) {
  return Initializer(options.dtype, std::move(dims), [op, factor, offset, options](GraphBuilder& b, const std::vector<int64_t>& size, std::source_location at) {
    const Output shape = ShapeInput(b, size, at);
    if (!shape) return Output();
    const Output numbers = b.Op(op, {shape}, {{"dtype", options.dtype}, {"seed", options.seed}, {"seed2", options.seed2}}, "", at).output();
    const Output scaled = b.Op("Mul", {numbers, factor}, {}, "mul", at).output();
    return b.Op("AddV2", {scaled, offset}, {}, "", at).output();
  });
}

// How many inputs and outputs a layer with weights of these dimensions has, the window counted in.
std::pair<double, double> Fans(const std::vector<int64_t>& dims) {
  if (dims.empty()) return {1, 1};
  if (dims.size() == 1) return {static_cast<double>(dims[0]), static_cast<double>(dims[0])};
  double window = 1;
  for (size_t i = 0; i + 2 < dims.size(); ++i) window *= static_cast<double>(dims[i]);
  return {window * static_cast<double>(dims[dims.size() - 2]), window * static_cast<double>(dims.back())};
}

}  // namespace

Output Initializer::Make(GraphBuilder& b, std::source_location at) const {
  if (value_.has_value()) return b.Constant(*value_, "value", at);
  return make_ != nullptr ? make_(b, *dims_, at) : whole_();
}

Output Initializer::Make(GraphBuilder& b, const Part& part, const Output& whole, std::source_location at) const {
  if (make_ != nullptr) return make_(b, part.size, at);
  return b.Op("Slice", {whole, b.Constant(part.begin, "begin", at), b.Constant(part.size, "size", at)}, {}, "", at).output();
}

Initializer Constant(const Input& value, std::vector<int64_t> dims, DType dtype) {
  return Initializer(dtype, std::move(dims), [value, dtype](GraphBuilder& b, const std::vector<int64_t>& size, std::source_location at) {
    const Output shape = ShapeInput(b, size, at);
    return shape ? b.Op("Fill", {shape, b.Constant(value, dtype, "value", at)}, {}, "", at).output() : Output();
  });
}

Initializer Zeros(std::vector<int64_t> dims, DType dtype) {
  if (dtype == DType::kBool) return Constant(false, std::move(dims), dtype);
  return dtype == DType::kString ? Constant("", std::move(dims), dtype) : Constant(0, std::move(dims), dtype);
}

Initializer Ones(std::vector<int64_t> dims, DType dtype) {
  return dtype == DType::kBool ? Constant(true, std::move(dims), dtype) : Constant(1, std::move(dims), dtype);
}

Initializer RandomUniform(std::vector<int64_t> dims, double min, double max, const RandomOptions& options) {
  return Scaled("RandomUniform", std::move(dims), max - min, min, options);
}

Initializer RandomNormal(std::vector<int64_t> dims, double mean, double stddev, const RandomOptions& options) {
  return Scaled("RandomStandardNormal", std::move(dims), stddev, mean, options);
}

Initializer TruncatedNormal(std::vector<int64_t> dims, double mean, double stddev, const RandomOptions& options) {
  return Scaled("TruncatedNormal", std::move(dims), stddev, mean, options);
}

Initializer VarianceScaling(std::vector<int64_t> dims, const VarianceScalingOptions& options) {
  using Fan = VarianceScalingOptions::Fan;
  using Distribution = VarianceScalingOptions::Distribution;
  const auto [in, out] = Fans(dims);
  const double fan = options.fan == Fan::kIn ? in : options.fan == Fan::kOut ? out : (in + out) / 2;
  const double variance = options.scale / std::max(1.0, fan);
  switch (options.distribution) {
    case Distribution::kUniform: {
      const double limit = std::sqrt(3 * variance);
      return RandomUniform(std::move(dims), -limit, limit, options.random);
    }
    case Distribution::kNormal:
      return RandomNormal(std::move(dims), 0, std::sqrt(variance), options.random);
    case Distribution::kTruncatedNormal:
      break;
  }
  return TruncatedNormal(std::move(dims), 0, std::sqrt(variance) / kTruncatedDeviation, options.random);
}

Initializer GlorotUniform(std::vector<int64_t> dims, const RandomOptions& options) {
  return VarianceScaling(std::move(dims), {.fan = VarianceScalingOptions::Fan::kAverage,
                                           .distribution = VarianceScalingOptions::Distribution::kUniform,
                                           .random = options});
}

Initializer GlorotNormal(std::vector<int64_t> dims, const RandomOptions& options) {
  return VarianceScaling(std::move(dims), {.fan = VarianceScalingOptions::Fan::kAverage, .random = options});
}

Initializer HeUniform(std::vector<int64_t> dims, const RandomOptions& options) {
  return VarianceScaling(std::move(dims),
                         {.scale = 2, .distribution = VarianceScalingOptions::Distribution::kUniform, .random = options});
}

Initializer HeNormal(std::vector<int64_t> dims, const RandomOptions& options) {
  return VarianceScaling(std::move(dims), {.scale = 2, .random = options});
}

}  // namespace flowlatch
