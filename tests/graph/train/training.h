// Small problems to train on, and what tests of training share.
#ifndef FLOWLATCH_TESTS_GRAPH_TRAIN_TRAINING_H_
#define FLOWLATCH_TESTS_GRAPH_TRAIN_TRAINING_H_

#include <functional>
#include <vector>

#include "graph/build/variable.h"
#include "runtime/session/session.h"

namespace flowlatch {

struct Problem {
  Output loss;
  std::function<Feeds(int step)> feeds;
};

// Two lines through three points: sum((x w + b - y)^2).
Problem LineProblem(GraphBuilder& b, DType dtype, bool use_ref);
// Rows of a table: sum((t[ids] - y)^2), ids step mod 4, 1 and 1.
Problem TableProblem(GraphBuilder& b, DType dtype, bool use_ref);

// The elements of a tensor of any float or integer dtype.
std::vector<double> Numbers(const Tensor& tensor);

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_GRAPH_TRAIN_TRAINING_H_
