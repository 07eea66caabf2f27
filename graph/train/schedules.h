// Learning rates that change as training goes on: scalars of the graph, functions of the number of steps so far.
//
//   GraphVariable step = MakeGlobalStep(b);
//   Output rate = ExponentialDecay(b, 0.1f, step, {.decay_steps = 1000, .decay_rate = 0.9, .staircase = true});
//   GradientDescentOptimizer({.learning_rate = rate}).Minimize(b, loss, {.global_step = step});
//
// A rate written as a number is float32. Errors (of the builder): InvalidArgument for steps that are not above 0, and what each says.
#ifndef FLOWLATCH_GRAPH_TRAIN_SCHEDULES_H_
#define FLOWLATCH_GRAPH_TRAIN_SCHEDULES_H_

#include <source_location>
#include <string_view>
#include <vector>

#include "graph/build/graph_builder.h"
#include "graph/build/variable.h"

namespace flowlatch {

// An int64 variable that begins at 0, in the collection global_step.
GraphVariable MakeGlobalStep(GraphBuilder& b, std::string_view name = "global_step", std::source_location at = std::source_location::current());

// Below, p is step / decay_steps, rounded down if it is a staircase.
struct DecayOptions {
  double decay_steps = 1;
  double decay_rate = 1;
  bool staircase = false;
};
// rate decay_rate^p
Output ExponentialDecay(GraphBuilder& b, const Input& rate, const Input& step, const DecayOptions& options,
                        std::source_location at = std::source_location::current());
// rate exp(-decay_rate p)
Output NaturalExpDecay(GraphBuilder& b, const Input& rate, const Input& step, const DecayOptions& options,
                       std::source_location at = std::source_location::current());
// rate / (1 + decay_rate p)
Output InverseTimeDecay(GraphBuilder& b, const Input& rate, const Input& step, const DecayOptions& options,
                        std::source_location at = std::source_location::current());

// values[i] up to boundaries[i], inclusive, and the last one beyond. Errors: InvalidArgument unless boundaries rise and there is one
// value more.
Output PiecewiseConstant(GraphBuilder& b, const Input& step, const std::vector<int64_t>& boundaries, const std::vector<double>& values,
                         DType dtype = DType::kFloat32, std::source_location at = std::source_location::current());

// (rate - end_rate) (1 - p)^power + end_rate, until decay_steps. With cycle it starts again there, twice, three times, ... as long.
struct PolynomialDecayOptions {
  double decay_steps = 1;
  double end_rate = 0.0001;
  double power = 1;
  bool cycle = false;
};
Output PolynomialDecay(GraphBuilder& b, const Input& rate, const Input& step, const PolynomialDecayOptions& options,
                       std::source_location at = std::source_location::current());

// rate ((1 - alpha) (1 + cos(pi p)) / 2 + alpha), until decay_steps.
struct CosineDecayOptions {
  double decay_steps = 1;
  double alpha = 0;
};
Output CosineDecay(GraphBuilder& b, const Input& rate, const Input& step, const CosineDecayOptions& options,
                   std::source_location at = std::source_location::current());

// Cosine decays one after another: each length_factor times as long as the one before, from height_factor times as high.
struct CosineRestartsOptions {
  double first_decay_steps = 1;
  double length_factor = 2;  // 1 or more
  double height_factor = 1;
  double alpha = 0;
};
Output CosineDecayRestarts(GraphBuilder& b, const Input& rate, const Input& step, const CosineRestartsOptions& options,
                           std::source_location at = std::source_location::current());

// rate ((alpha + 1 - p) (1 + cos(2 pi num_periods p)) / 2 + beta), until decay_steps.
struct LinearCosineOptions {
  double decay_steps = 1;
  double num_periods = 0.5;
  double alpha = 0;
  double beta = 0.001;
};
Output LinearCosineDecay(GraphBuilder& b, const Input& rate, const Input& step, const LinearCosineOptions& options,
                         std::source_location at = std::source_location::current());

// From start_rate straight to `rate` (which may be another schedule) in warmup_steps, then `rate`.
struct WarmUpOptions {
  double warmup_steps = 1;
  double start_rate = 0;
};
Output WarmUp(GraphBuilder& b, const Input& rate, const Input& step, const WarmUpOptions& options,
              std::source_location at = std::source_location::current());

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TRAIN_SCHEDULES_H_
