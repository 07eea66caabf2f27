// Holds gradients against finite differences.
#ifndef FLOWLATCH_TOOLS_GRADIENTS_CHECK_GRADIENTS_H_
#define FLOWLATCH_TOOLS_GRADIENTS_CHECK_GRADIENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/build/gradients.h"
#include "runtime/session/session.h"

namespace flowlatch {

// Names of nodes that AddCheckedGradients added to a graph.
struct CheckedGradients {
  std::string y;
  std::string grad_y;              // placeholder of what arrives at y
  std::vector<std::string> xs;
  std::vector<std::string> grads;  // "" where there is none
  std::vector<std::string> reasons;
};

// Builds d(sum of y * grad_y)/dx for each x. Errors: those of Gradients.
absl::StatusOr<CheckedGradients> AddCheckedGradients(GraphBuilder& b, const Output& y, const Outputs& xs, const GradientOptions& options = {});

struct GradientCheckOptions {
  double step = 0;               // of x; 0: what suits its dtype
  int64_t max_elements = 200;    // of each x: more are sampled evenly
  uint64_t seed = 1;             // of the random direction in which y is looked at
};

// What came out for one x.
struct GradientCheck {
  std::string x;
  std::string reason;        // why there is no gradient, "" if there is one
  int64_t elements = 0;      // that were compared
  double max_error = 0;      // largest |gradient - difference|
  double max_magnitude = 0;  // largest |difference|
  int64_t worst = -1;        // element of the largest error
  double gradient = 0, difference = 0;  // there
  bool Agrees(double tolerance) const { return max_error <= tolerance * (1 + max_magnitude); }
};

// Runs the step again with each element of each x moved a little to both sides. For complex x both parts are moved; the gradient is
// then d/d(real) + i d/d(imaginary) of the real part of sum(conj(grad_y) * y), as TensorFlow has it.
// Errors: InvalidArgument for an x that is no tensor of floats; those of the session.
absl::StatusOr<std::vector<GradientCheck>> CheckGradients(Session& session, const CheckedGradients& gradients, const Feeds& feeds,
                                                          const GradientCheckOptions& options = {});

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRADIENTS_CHECK_GRADIENTS_H_
