#include "graph/train/clip.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

// 0, 1, ..., rank - 1, as far as the rank is known here, else when the graph runs.
Output AllAxes(GraphBuilder& b, const Output& x, std::source_location at) {
  if (!x) return {};
  const Output rank = x.shape().has_rank() ? b.Constant(x.shape().rank(), "rank", at) : b.Op("Rank", {x}, {}, "", at).output();
  return b.Op("Range", {0, rank, 1}, {}, "", at).output();
}

// The root of the sum of squares, with a gradient of 0 where it is 0.
Output Norm(GraphBuilder& b, const Output& x, const Output& axes, std::source_location at) {
  const Output squares = b.Op("Sum", {x * x, axes}, {{"keep_dims", true}}, "", at).output();
  if (!squares) return {};
  const Output is_positive = squares > 0;
  const Output safe = b.Op("SelectV2", {is_positive, squares, b.Op("OnesLike", {squares}, {}, "", at)}, {}, "", at).output();
  return b.Op("SelectV2", {is_positive, b.Op("Sqrt", {safe}, {}, "", at), squares}, {}, "", at).output();
}

// What a gradient is made of: all of it, or its rows.
Output Values(const Grad& grad) { return !grad.exists() ? Output() : grad.slices() != nullptr ? grad.slices()->values : grad.dense(); }

Grad WithValues(const Grad& grad, const Output& values) {
  return grad.slices() != nullptr ? Grad(IndexedSlices{values, grad.slices()->indices, grad.slices()->dense_shape}) : Grad(values);
}

}  // namespace

Output ClipByValue(GraphBuilder& b, const Output& x, const Input& min, const Input& max, std::source_location at) {
  BuilderScope scope = b.NameScope("clip_by_value", at);
  return b.Op("Maximum", {b.Op("Minimum", {x, max}, {}, "", at), min}, {}, "", at).output();
}

Output ClipByNorm(GraphBuilder& b, const Output& x, const Input& clip_norm, const std::vector<int32_t>& axes, std::source_location at) {
  BuilderScope scope = b.NameScope("clip_by_norm", at);
  const Output norm = Norm(b, x, axes.empty() ? AllAxes(b, x, at) : b.Constant(axes, "axes", at), at);
  if (!norm) return {};
  const Output limit = b.Constant(clip_norm, x.dtype(), "clip_norm", at);
  return x * limit / b.Op("Maximum", {norm, limit}, {}, "", at);
}

Output ClipByAverageNorm(GraphBuilder& b, const Output& x, const Input& clip_norm, std::source_location at) {
  BuilderScope scope = b.NameScope("clip_by_average_norm", at);
  const Output norm = Norm(b, x, AllAxes(b, x, at), at);
  if (!norm) return {};
  const Output limit = b.Constant(clip_norm, x.dtype(), "clip_norm", at);
  const Output count = b.Op("Cast", {b.Op("Size", {x}, {}, "", at)}, {{"DstT", x.dtype()}}, "", at).output();
  return x * limit * b.Op("Minimum", {count / norm, 1 / limit}, {}, "", at);
}

Output GlobalNorm(GraphBuilder& b, const std::vector<Grad>& grads, std::source_location at) {
  if (!b.ok()) return {};
  BuilderScope scope = b.NameScope("global_norm", at);
  std::vector<Input> halves;
  for (const Grad& grad : grads) {
    if (grad.exists()) halves.push_back(b.Op("L2Loss", {Values(grad)}, {}, "", at));
  }
  if (halves.empty()) {
    b.Fail(absl::InvalidArgumentError("GlobalNorm: expected at least one gradient that exists, got none"), at);
    return {};
  }
  const Output half = b.Op("Sum", {b.Op("Pack", halves, {}, "", at), {0}}, {}, "", at).output();
  return b.ok() ? b.Op("Sqrt", {half * 2}, {}, "global_norm", at).output() : Output();
}

ClippedGradients ClipByGlobalNorm(GraphBuilder& b, const std::vector<Grad>& grads, const Input& clip_norm, const Output& norm, std::source_location at) {
  ClippedGradients result{grads, norm ? norm : GlobalNorm(b, grads, at)};
  if (!b.ok()) return result;
  BuilderScope scope = b.NameScope("clip_by_global_norm", at);
  const Output limit = b.Constant(clip_norm, result.norm.dtype(), "clip_norm", at);
  const Output finite = limit * b.Op("Minimum", {1 / result.norm, 1 / limit}, {}, "", at);
  const Output nan = b.Constant(std::numeric_limits<double>::quiet_NaN(), result.norm.dtype(), "nan", at);
  const Output scale = b.Op("SelectV2", {b.Op("IsFinite", {result.norm}, {}, "", at), finite, nan}, {}, "scale", at).output();
  for (Grad& grad : result.grads) {
    if (grad.exists() && b.ok()) grad = WithValues(grad, Values(grad) * scale);
  }
  return result;
}

std::vector<VariableGradient> ClipByGlobalNorm(GraphBuilder& b, std::vector<VariableGradient> gradients, const Input& clip_norm, std::source_location at) {
  std::vector<Grad> grads;
  for (const VariableGradient& g : gradients) grads.push_back(g.gradient);
  ClippedGradients clipped = ClipByGlobalNorm(b, grads, clip_norm, {}, at);
  for (size_t i = 0; i < gradients.size(); ++i) gradients[i].gradient = std::move(clipped.grads[i]);
  return gradients;
}

}  // namespace flowlatch
