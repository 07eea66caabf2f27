// Values and gradients that are kept from becoming too large.
#ifndef FLOWLATCH_GRAPH_TRAIN_CLIP_H_
#define FLOWLATCH_GRAPH_TRAIN_CLIP_H_

#include <source_location>
#include <vector>

#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "graph/train/optimizer.h"

namespace flowlatch {

// Each element within [min, max].
Output ClipByValue(GraphBuilder& b, const Output& x, const Input& min, const Input& max, std::source_location at = std::source_location::current());
// x, scaled down where its L2 norm over `axes` (none: over all of it) is larger than clip_norm.
Output ClipByNorm(GraphBuilder& b, const Output& x, const Input& clip_norm, const std::vector<int32_t>& axes = {},
                  std::source_location at = std::source_location::current());
// As ClipByNorm, by the norm divided by the number of elements.
Output ClipByAverageNorm(GraphBuilder& b, const Output& x, const Input& clip_norm, std::source_location at = std::source_location::current());

// Gradients: those that do not exist stay so; of slices the values count, each row as often as it is there.

// The L2 norm of all of them together. Errors (of the builder): InvalidArgument if none exists.
Output GlobalNorm(GraphBuilder& b, const std::vector<Grad>& grads, std::source_location at = std::source_location::current());
struct ClippedGradients {
  std::vector<Grad> grads;
  Output norm;  // before
};
// All scaled alike, so that their global norm is at most clip_norm. If it is no finite number, all become NaN. `norm`: what
// GlobalNorm gave, if it is there already.
ClippedGradients ClipByGlobalNorm(GraphBuilder& b, const std::vector<Grad>& grads, const Input& clip_norm, const Output& norm = {},
                                  std::source_location at = std::source_location::current());
// Between ComputeGradients and ApplyGradients.
std::vector<VariableGradient> ClipByGlobalNorm(GraphBuilder& b, std::vector<VariableGradient> gradients, const Input& clip_norm,
                                               std::source_location at = std::source_location::current());

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TRAIN_CLIP_H_
