// Initializer: what a variable has first, written as a function that is called in init_scope.
//
//   b.Variable("w", GlorotUniform({64, 10}));
//   b.Variable("step", int64_t{0});                              // a constant
//   b.Variable("scale", [&] { return ops::Sqrt(b, 2.0f); });     // nodes of one's own
//
// Dimensions are lists, {} for a scalar. A wrong one is an error of the builder when the variable is made.
#ifndef FLOWLATCH_GRAPH_BUILD_INITIALIZER_H_
#define FLOWLATCH_GRAPH_BUILD_INITIALIZER_H_

#include <concepts>
#include <functional>
#include <optional>
#include <source_location>
#include <type_traits>
#include <vector>

#include "graph/build/graph_builder.h"

namespace flowlatch {

class Initializer {
 public:
  // Rows begin, begin + 1, ..., begin + size - 1 along each dimension of the whole.
  struct Part {
    std::vector<int64_t> begin, size;
  };
  using MakePart = std::function<Output(GraphBuilder& b, const std::vector<int64_t>& size, std::source_location at)>;

  // One that makes any part of the whole alike, given how large it is.
  Initializer(DType dtype, std::vector<int64_t> dims, MakePart make) : dtype_(dtype), dims_(std::move(dims)), make_(std::move(make)) {}
  // A constant, or a value that was computed outside of conds, loops and functions.
  template <typename T>
    requires std::convertible_to<T, Input>
  Initializer(T&& value) : value_(AsInput(std::forward<T>(value))) {}  // NOLINT
  // What a function makes, in init_scope.
  template <typename F>
    requires std::convertible_to<std::invoke_result_t<F>, Output>
  Initializer(F make) : whole_(std::move(make)) {}  // NOLINT

  // The value is known to be of these; nullopt if that is seen only once it is made.
  const std::optional<std::vector<int64_t>>& dims() const { return dims_; }
  // The output that was given as value, or null.
  const Output* output() const { return value_.has_value() ? value_->output() : nullptr; }

  // The nodes of the whole value, in the scopes in force.
  Output Make(GraphBuilder& b, std::source_location at) const;
  // Of a part of it: as large as the part where make can, else cut out of `whole`, which Make made.
  bool MakesParts() const { return make_ != nullptr; }
  Output Make(GraphBuilder& b, const Part& part, const Output& whole, std::source_location at) const;

 private:
  static Input AsInput(Input value) { return value; }

  DType dtype_ = DType::kInvalid;
  std::optional<std::vector<int64_t>> dims_;
  MakePart make_;
  std::optional<Input> value_;
  std::function<Output()> whole_;
};

Initializer Zeros(std::vector<int64_t> dims, DType dtype = DType::kFloat32);
Initializer Ones(std::vector<int64_t> dims, DType dtype = DType::kFloat32);
// `value`, a scalar, everywhere.
Initializer Constant(const Input& value, std::vector<int64_t> dims, DType dtype = DType::kFloat32);

// Both seeds 0: other numbers in each session.
struct RandomOptions {
  int64_t seed = 0, seed2 = 0;
  DType dtype = DType::kFloat32;
};
Initializer RandomUniform(std::vector<int64_t> dims, double min, double max, const RandomOptions& options = {});
Initializer RandomNormal(std::vector<int64_t> dims, double mean = 0, double stddev = 1, const RandomOptions& options = {});
// As RandomNormal, with values beyond two standard deviations drawn again.
Initializer TruncatedNormal(std::vector<int64_t> dims, double mean = 0, double stddev = 1, const RandomOptions& options = {});

// Random numbers whose variance is scale / fan: fan counts the inputs of each output of a layer with these weights, or its outputs,
// or is the mean of both. The last two dimensions are inputs and outputs; those before are a window.
struct VarianceScalingOptions {
  double scale = 1;
  enum class Fan { kIn, kOut, kAverage } fan = Fan::kIn;
  enum class Distribution { kTruncatedNormal, kNormal, kUniform } distribution = Distribution::kTruncatedNormal;
  RandomOptions random = {};
};
Initializer VarianceScaling(std::vector<int64_t> dims, const VarianceScalingOptions& options = {});
Initializer GlorotUniform(std::vector<int64_t> dims, const RandomOptions& options = {});
Initializer GlorotNormal(std::vector<int64_t> dims, const RandomOptions& options = {});
Initializer HeUniform(std::vector<int64_t> dims, const RandomOptions& options = {});
Initializer HeNormal(std::vector<int64_t> dims, const RandomOptions& options = {});

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_INITIALIZER_H_
