// ExponentialMovingAverage: for each of some values a variable that follows it slowly.
//
//   ExponentialMovingAverage averages({.decay = 0.999f, .num_updates = step});
//   Operation update = averages.Apply(b, TrainableVariables(b));  // after each step: under control dependencies on it
//   Output smooth = averages.average(w);                          // a variable, "w/ExponentialMovingAverage"
#ifndef FLOWLATCH_GRAPH_TRAIN_MOVING_AVERAGE_H_
#define FLOWLATCH_GRAPH_TRAIN_MOVING_AVERAGE_H_

#include <map>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "graph/build/graph_builder.h"
#include "graph/build/variable.h"

namespace flowlatch {

// Each update: average -= (1 - decay) (average - value).
struct MovingAverageOptions {
  Input decay = 0.999f;
  // How often values changed so far, a scalar: the first averages then follow faster, by a decay of
  // min(decay, (1 + num_updates) / (10 + num_updates)).
  std::optional<Input> num_updates = {};
  // Averages of values that are no variables begin at 0. With zero_debias they are divided by 1 - decay^updates, which makes up for it.
  bool zero_debias = false;
  std::string name = "ExponentialMovingAverage";
};

class ExponentialMovingAverage {
 public:
  explicit ExponentialMovingAverage(const MovingAverageOptions& options = {}) : options_(options) {}

  // Updates the averages of the current values. The first call for a variable makes its average, of its initial value; that of
  // another value is made of zeros. Errors (of the builder): InvalidArgument for values that are no floats, or of unknown shape.
  Operation Apply(GraphBuilder& b, const std::vector<GraphVariable>& variables, const Outputs& values = {},
                  std::source_location at = std::source_location::current());
  // Empty for what was never applied.
  GraphVariable average(const GraphVariable& variable) const { return Find(variable.name()); }
  GraphVariable average(const Output& value) const { return Find(value.name()); }

 private:
  struct Average {
    GraphVariable value;
    GraphVariable biased, updates;  // with zero_debias
  };
  GraphVariable Find(const std::string& name) const;
  Average MakeFor(GraphBuilder& b, const Output& value, std::source_location at) const;
  Operation Update(GraphBuilder& b, const Average& average, const Output& value, const Output& decay, std::source_location at) const;

  MovingAverageOptions options_;
  std::map<std::string, Average> averages_;  // by the name of the variable or value
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TRAIN_MOVING_AVERAGE_H_
