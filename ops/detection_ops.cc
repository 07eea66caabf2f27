// Boxes found in images. A box is [y1, x1, y2, x2], any two corners that lie opposite each other.
//   NonMaxSuppression(V2 .. V5): boxes [n, 4], scores [n], max_output_size, thresholds -> the indices of the best boxes, best
//     first, without those that overlap a better one by more than iou_threshold (a part of what both cover together) or
//     whose score does not exceed score_threshold. V4 and V5 can pad with zeros up to max_output_size. V5 with
//     soft_nms_sigma > 0 lowers the scores of boxes that overlap a better one instead of dropping them.
//   NonMaxSuppressionWithOverlaps: the same, with a matrix of overlaps in place of boxes
//   CombinedNonMaxSuppression: boxes [batch, n, 1 or classes, 4], scores [batch, n, classes] -> the best of all classes,
//     suppressed class by class, padded with zeros to one size
//   DrawBoundingBoxes(V2): images [batch, height, width, 1 or 3 or 4], boxes [batch, n, 4] in parts of the image -> images
//     with the boxes' outlines
#include "ops/detection_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kBoxTypes{DType::kFloat16, DType::kFloat32};

// ---- Suppression

struct Thresholds {
  float overlap = 0;
  float score = std::numeric_limits<float>::lowest();
  float sigma = 0;  // 0: boxes are dropped, not made less likely
};

struct Selected {
  int32_t index;
  float score;
};

// Repeats: take the best candidate, lower its score by what was selected since it was looked at last; select it if that
// changed nothing. score(i): of candidate i. overlap(i, j): of candidate i with the selected j. Scores are rounded to T.
template <typename T, typename Score, typename Overlap>
std::vector<Selected> Suppress(int64_t n, int64_t max_selected, const Thresholds& thresholds, const Score& score,
                               const Overlap& overlap) {
  struct Candidate {
    int32_t index;
    float score;
    size_t seen;  // selected boxes that it was compared with
    bool operator<(const Candidate& o) const { return score < o.score || (score == o.score && index > o.index); }
  };
  std::vector<Candidate> candidates;
  for (int64_t i = 0; i < n; ++i) {
    const float s = score(i);
    if (s > thresholds.score) candidates.push_back({static_cast<int32_t>(i), s, 0});
  }
  std::priority_queue<Candidate> queue(std::less<Candidate>(), std::move(candidates));
  std::vector<Selected> selected;
  while (!queue.empty() && static_cast<int64_t>(selected.size()) < max_selected) {
    Candidate next = queue.top();
    queue.pop();
    const float before = next.score;
    bool dropped = false;
    for (size_t j = selected.size(); j > next.seen && !dropped; --j) {
      const float common = overlap(next.index, selected[j - 1].index);
      if (thresholds.sigma > 0) {
        next.score = static_cast<float>(
            static_cast<T>(next.score * std::exp(-0.5f / thresholds.sigma * common * common)));
        dropped = !(next.score > thresholds.score);
      } else {
        dropped = common > thresholds.overlap;
      }
    }
    if (dropped) continue;
    if (next.score == before) {
      selected.push_back({next.index, next.score});
    } else {
      next.seen = selected.size();
      queue.push(next);
    }
  }
  return selected;
}

// What two boxes cover both, as a part of what they cover together; 0 for boxes without area.
template <typename T>
float IntersectionOverUnion(const T* a, const T* b) {
  struct Box {
    explicit Box(const T* corners)
        : y1(std::min<float>(corners[0], corners[2])),
          x1(std::min<float>(corners[1], corners[3])),
          y2(std::max<float>(corners[0], corners[2])),
          x2(std::max<float>(corners[1], corners[3])) {}
    float area() const { return (y2 - y1) * (x2 - x1); }
    float y1, x1, y2, x2;
  };
  const Box p(a), q(b);
  if (p.area() <= 0 || q.area() <= 0) return 0;
  const float common = std::max(std::min(p.y2, q.y2) - std::max(p.y1, q.y1), 0.0f) *
                       std::max(std::min(p.x2, q.x2) - std::max(p.x1, q.x1), 0.0f);
  return common / (p.area() + q.area() - common);
}

// ---- Inputs

absl::Status ExpectShape(const PartialShape& shape, const PartialShape& want, const char* what) {
  if (shape.CompatibleWith(want)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected shape ", want.ToString(), ", got ", shape.ToString()));
}

absl::StatusOr<float> ReadFloat(const Tensor& t, const char* what) {
  RETURN_IF_ERROR(ExpectShape(t.shape(), Shape(), what));
  return t.dtype() == DType::kFloat16 ? static_cast<float>(*t.data<Half>()) : *t.data<float>();
}

absl::StatusOr<float> ReadIouThreshold(const Tensor& t) {
  ASSIGN_OR_RETURN(const float value, ReadFloat(t, "iou_threshold"));
  if (value >= 0 && value <= 1) return value;
  return absl::InvalidArgumentError(absl::StrCat("iou_threshold: expected a value in [0,1], got ", value));
}

absl::StatusOr<int64_t> ReadCount(const Tensor& t, int64_t at_least, const char* what) {
  ASSIGN_OR_RETURN(const int64_t value, ReadIntScalar(t, what));
  if (value >= at_least) return value;
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a value >= ", at_least, ", got ", value));
}

absl::Status CheckCandidates(int64_t n) {
  if (n <= std::numeric_limits<int32_t>::max()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("scores: expected at most 2147483647, got ", n));
}

// ---- Kernels of NonMaxSuppression

struct SuppressionState final : KernelState {
  float iou_threshold = 0.5f;  // of the first version, which has it as an attribute
  bool pad = false;
};

// Outputs: indices, scores if there are three outputs, and the number of valid ones if there is more than one.
template <typename T>
absl::Status SetSelected(KernelCall& c, const std::vector<Selected>& selected, int64_t size) {
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(0, DType::kInt32, {size}));
  int32_t* index = indices->mutable_data<int32_t>();
  std::fill_n(index, size, 0);
  for (size_t i = 0; i < selected.size(); ++i) index[i] = selected[i].index;
  if (c.num_outputs() == 3) {
    ASSIGN_OR_RETURN(Tensor * scores, c.AllocateOutput(1, kDTypeOf<T>, {size}));
    T* score = scores->mutable_data<T>();
    std::fill_n(score, size, static_cast<T>(0.0f));
    for (size_t i = 0; i < selected.size(); ++i) score[i] = static_cast<T>(selected[i].score);
  }
  if (c.num_outputs() > 1) c.SetOutput(c.num_outputs() - 1, Tensor::Scalar(static_cast<int32_t>(selected.size())));
  return absl::OkStatus();
}

template <typename T>
absl::Status NonMaxSuppression(KernelCall& c) {
  const SuppressionState& state = c.state<SuppressionState>();
  const Tensor &boxes = c.input(0), &scores = c.input(1);
  RETURN_IF_ERROR(ExpectShape(boxes.shape(), PartialShape::Of({-1, 4}), "boxes"));
  RETURN_IF_ERROR(ExpectShape(scores.shape(), PartialShape::Of({boxes.dim(0)}), "scores"));
  RETURN_IF_ERROR(CheckCandidates(boxes.dim(0)));
  ASSIGN_OR_RETURN(const int64_t max_selected, ReadCount(c.input(2), 0, "max_output_size"));
  Thresholds thresholds{.overlap = state.iou_threshold};
  if (c.num_inputs() > 3) {
    ASSIGN_OR_RETURN(thresholds.overlap, ReadIouThreshold(c.input(3)));
  }
  if (c.num_inputs() > 4) {
    ASSIGN_OR_RETURN(thresholds.score, ReadFloat(c.input(4), "score_threshold"));
  }
  if (c.num_inputs() > 5) {
    ASSIGN_OR_RETURN(thresholds.sigma, ReadFloat(c.input(5), "soft_nms_sigma"));
    if (!(thresholds.sigma >= 0)) {
      return absl::InvalidArgumentError(absl::StrCat("soft_nms_sigma: expected a value >= 0, got ", thresholds.sigma));
    }
  }
  const T *box = boxes.data<T>(), *score = scores.data<T>();
  const std::vector<Selected> selected = Suppress<T>(
      boxes.dim(0), max_selected, thresholds, [=](int64_t i) { return static_cast<float>(score[i]); },
      [=](int64_t i, int64_t j) { return IntersectionOverUnion(box + 4 * i, box + 4 * j); });
  return SetSelected<T>(c, selected, state.pad ? max_selected : static_cast<int64_t>(selected.size()));
}

absl::Status NonMaxSuppressionWithOverlaps(KernelCall& c) {
  const Tensor &overlaps = c.input(0), &scores = c.input(1);
  RETURN_IF_ERROR(ExpectShape(overlaps.shape(), PartialShape::UnknownOfRank(2), "overlaps"));
  const int64_t n = overlaps.dim(0);
  RETURN_IF_ERROR(ExpectShape(overlaps.shape(), PartialShape::Of({n, n}), "overlaps"));
  RETURN_IF_ERROR(ExpectShape(scores.shape(), PartialShape::Of({n}), "scores"));
  RETURN_IF_ERROR(CheckCandidates(n));
  ASSIGN_OR_RETURN(const int64_t max_selected, ReadCount(c.input(2), 0, "max_output_size"));
  Thresholds thresholds;
  ASSIGN_OR_RETURN(thresholds.overlap, ReadFloat(c.input(3), "overlap_threshold"));
  ASSIGN_OR_RETURN(thresholds.score, ReadFloat(c.input(4), "score_threshold"));
  const float *overlap = overlaps.data<float>(), *score = scores.data<float>();
  const std::vector<Selected> selected = Suppress<float>(
      n, max_selected, thresholds, [=](int64_t i) { return score[i]; },
      [=](int64_t i, int64_t j) { return overlap[i * n + j]; });
  return SetSelected<float>(c, selected, static_cast<int64_t>(selected.size()));
}

absl::StatusOr<Kernel> SuppressionKernel(const NodeInfo& node) {
  auto state = std::make_shared<SuppressionState>();
  if (node.num_inputs() == 3) {
    ASSIGN_OR_RETURN(state->iou_threshold, node.Float("iou_threshold"));
    if (!(state->iou_threshold >= 0 && state->iou_threshold <= 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("iou_threshold: expected a value in [0,1], got ", state->iou_threshold));
    }
  }
  if (node.num_outputs() > 1) {
    ASSIGN_OR_RETURN(state->pad, node.Bool("pad_to_max_output_size"));
  }
  const KernelFn fn = DispatchDType<kBoxTypes>(
      node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<NonMaxSuppression<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

// ---- CombinedNonMaxSuppression

struct CombinedState final : KernelState {
  bool pad_per_class = false, clip_boxes = true;
};

// How many boxes an image gets.
int64_t CombinedSize(bool pad_per_class, int64_t per_class, int64_t classes, int64_t total) {
  return pad_per_class ? std::min(CheckedMul(per_class, classes).value_or(total), total) : total;
}

absl::Status CombinedNonMaxSuppression(KernelCall& c) {
  const CombinedState& state = c.state<CombinedState>();
  const Tensor &boxes = c.input(0), &scores = c.input(1);
  RETURN_IF_ERROR(ExpectShape(boxes.shape(), PartialShape::Of({-1, -1, -1, 4}), "boxes"));
  const int64_t batch = boxes.dim(0), n = boxes.dim(1), box_classes = boxes.dim(2);
  RETURN_IF_ERROR(ExpectShape(scores.shape(), PartialShape::Of({batch, n, -1}), "scores"));
  RETURN_IF_ERROR(CheckCandidates(n));
  const int64_t classes = scores.dim(2);
  if (box_classes != 1 && box_classes != classes) {
    return absl::InvalidArgumentError(
        absl::StrCat("boxes: expected 1 or ", classes, " for each candidate, got shape ", boxes.ShapeString()));
  }
  ASSIGN_OR_RETURN(const int64_t per_class, ReadCount(c.input(2), 1, "max_output_size_per_class"));
  ASSIGN_OR_RETURN(const int64_t total, ReadCount(c.input(3), 1, "max_total_size"));
  Thresholds thresholds;
  ASSIGN_OR_RETURN(thresholds.overlap, ReadIouThreshold(c.input(4)));
  ASSIGN_OR_RETURN(thresholds.score, ReadFloat(c.input(5), "score_threshold"));
  const int64_t size = CombinedSize(state.pad_per_class, per_class, classes, total);
  ASSIGN_OR_RETURN(Tensor * out_boxes, c.AllocateOutput(0, DType::kFloat32, {batch, size, 4}));
  ASSIGN_OR_RETURN(Tensor * out_scores, c.AllocateOutput(1, DType::kFloat32, {batch, size}));
  ASSIGN_OR_RETURN(Tensor * out_classes, c.AllocateOutput(2, DType::kFloat32, {batch, size}));
  ASSIGN_OR_RETURN(Tensor * out_valid, c.AllocateOutput(3, DType::kInt32, {batch}));
  float *to_boxes = out_boxes->mutable_data<float>(), *to_scores = out_scores->mutable_data<float>(),
        *to_classes = out_classes->mutable_data<float>();
  int32_t* valid = out_valid->mutable_data<int32_t>();
  std::fill_n(to_boxes, batch * size * 4, 0.0f);
  std::fill_n(to_scores, batch * size, 0.0f);
  std::fill_n(to_classes, batch * size, 0.0f);
  const double cost = 50.0 * static_cast<double>(n) * static_cast<double>(classes);
  RunLoop(c, batch, cost, [&](int64_t begin, int64_t end) {
    struct Found {
      Selected box;
      int64_t class_id;
    };
    for (int64_t b = begin; b < end; ++b) {
      const float* score = scores.data<float>() + b * n * classes;
      const float* box = boxes.data<float>() + b * n * box_classes * 4;
      const auto corners = [&](int64_t i, int64_t k) { return box + (i * box_classes + (box_classes == 1 ? 0 : k)) * 4; };
      std::vector<Found> found;
      for (int64_t k = 0; k < classes && n > 0; ++k) {
        const std::vector<Selected> selected = Suppress<float>(
            n, per_class, thresholds, [&](int64_t i) { return score[i * classes + k]; },
            [&](int64_t i, int64_t j) { return IntersectionOverUnion(corners(i, k), corners(j, k)); });
        for (const Selected& s : selected) found.push_back({s, k});
      }
      std::stable_sort(found.begin(), found.end(),
                       [](const Found& x, const Found& y) { return x.box.score > y.box.score; });
      const int64_t count = std::min<int64_t>(size, static_cast<int64_t>(found.size()));
      valid[b] = static_cast<int32_t>(count);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = b * size + i;
        const float* from = corners(found[i].box.index, found[i].class_id);
        for (int d = 0; d < 4; ++d) to_boxes[at * 4 + d] = state.clip_boxes ? std::clamp(from[d], 0.0f, 1.0f) : from[d];
        to_scores[at] = found[i].box.score;
        to_classes[at] = static_cast<float>(found[i].class_id);
      }
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> CombinedKernel(const NodeInfo& node) {
  auto state = std::make_shared<CombinedState>();
  ASSIGN_OR_RETURN(state->pad_per_class, node.Bool("pad_per_class"));
  ASSIGN_OR_RETURN(state->clip_boxes, node.Bool("clip_boxes"));
  return Kernel{.fn = &RunKernel<CombinedNonMaxSuppression>, .state = std::move(state)};
}

// ---- DrawBoundingBoxes

using Color = std::array<float, 4>;
constexpr std::array<Color, 10> kDefaultColors{{{1, 1, 0, 1},
                                                {0, 0, 1, 1},
                                                {1, 0, 0, 1},
                                                {0, 1, 0, 1},
                                                {0.5f, 0, 0.5f, 1},
                                                {0.5f, 0.5f, 0, 1},
                                                {0.5f, 0, 0, 1},
                                                {0, 0, 0.5f, 1},
                                                {0, 1, 1, 1},
                                                {1, 0, 1, 1}}};

// The colours that boxes have in turn.
absl::StatusOr<std::vector<Color>> ReadColors(const KernelCall& c, int64_t depth) {
  std::vector<Color> colors;
  if (c.num_inputs() == 3) {
    const Tensor& table = c.input(2);
    RETURN_IF_ERROR(ExpectShape(table.shape(), PartialShape::UnknownOfRank(2), "colors"));
    const int64_t count = table.dim(0), channels = table.dim(1);
    if (count > 0 && channels < depth) {
      return absl::InvalidArgumentError(
          absl::StrCat("colors: expected at least ", depth, " channels, got shape ", table.ShapeString()));
    }
    for (int64_t i = 0; i < count; ++i) {
      Color& color = colors.emplace_back();
      std::copy_n(table.data<float>() + i * channels, depth, color.begin());
    }
  }
  if (colors.empty()) {
    colors.assign(kDefaultColors.begin(), kDefaultColors.end());
    if (depth == 1) colors.assign(1, Color{1});
  }
  return colors;
}

// Pixels of one axis that a box spans; first or last may lie outside.
struct Span {
  // No pixel for bounds that are no numbers, or endless ones in one pixel.
  static std::optional<Span> Make(float from, float to, int64_t size) {
    const float last_pixel = static_cast<float>(size - 1);
    const auto pixel = [last_pixel](float at) {
      return static_cast<int64_t>(std::trunc(std::clamp(at, -1.0f, last_pixel + 1)));
    };
    from *= last_pixel;
    to *= last_pixel;
    if (std::isnan(from) || std::isnan(to)) return std::nullopt;
    const Span span{pixel(from), pixel(to), size};
    if (span.first > span.last || span.first >= size || span.last < 0) return std::nullopt;
    return span;
  }
  int64_t begin() const { return std::max<int64_t>(first, 0); }
  int64_t end() const { return std::min(last + 1, size); }
  int64_t first, last, size;
};

// Calls paint(row, column) for the outline of the box, where it is in the image.
template <typename Paint>
void DrawOutline(const Span& rows, const Span& columns, const Paint& paint) {
  for (const int64_t row : {rows.first, rows.last}) {
    if (row < 0 || row >= rows.size) continue;
    for (int64_t column = columns.begin(); column < columns.end(); ++column) paint(row, column);
  }
  for (const int64_t column : {columns.first, columns.last}) {
    if (column < 0 || column >= columns.size) continue;
    for (int64_t row = rows.begin(); row < rows.end(); ++row) paint(row, column);
  }
}

template <typename T>
absl::Status DrawBoundingBoxes(KernelCall& c) {
  const Tensor &images = c.input(0), &boxes = c.input(1);
  RETURN_IF_ERROR(ExpectShape(images.shape(), PartialShape::UnknownOfRank(4), "images"));
  RETURN_IF_ERROR(ExpectShape(boxes.shape(), PartialShape::Of({images.dim(0), -1, 4}), "boxes"));
  const int64_t height = images.dim(1), width = images.dim(2), depth = images.dim(3), count = boxes.dim(1);
  if (depth != 1 && depth != 3 && depth != 4) {
    return absl::InvalidArgumentError(
        absl::StrCat("images: expected 1, 3 or 4 channels, got shape ", images.ShapeString()));
  }
  ASSIGN_OR_RETURN(const std::vector<Color> colors, ReadColors(c, depth));
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, images.dtype(), images.shape()));
  if (images.num_elements() == 0) return absl::OkStatus();
  const int64_t elements = height * width * depth;
  T* to = output->mutable_data<T>();
  if (to != images.data<T>()) std::copy_n(images.data<T>(), images.num_elements(), to);
  const float* box = boxes.data<float>();
  const double cost = static_cast<double>(count) * 4.0 * static_cast<double>(height + width);
  RunLoop(c, images.dim(0), cost, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      for (int64_t i = 0; i < count; ++i) {
        const float* corners = box + (b * count + i) * 4;
        const std::optional<Span> rows = Span::Make(corners[0], corners[2], height);
        const std::optional<Span> columns = Span::Make(corners[1], corners[3], width);
        if (!rows.has_value() || !columns.has_value()) continue;
        const Color& color = colors[i % colors.size()];
        DrawOutline(*rows, *columns, [&](int64_t row, int64_t column) {
          T* pixel = to + b * elements + (row * width + column) * depth;
          for (int64_t k = 0; k < depth; ++k) pixel[k] = static_cast<T>(color[k]);
        });
      }
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> DrawKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kBoxTypes>(
      node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<DrawBoundingBoxes<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

// ---- Shape functions

// Input 0: boxes [n, 4] or overlaps [n, n]; input 1: scores [n]; the others are scalars.
template <bool kOverlaps>
absl::Status SuppressionShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 1));
  RETURN_IF_ERROR(ExpectShape(c.input(0), PartialShape::Of({scores.dim(0), kOverlaps ? scores.dim(0) : 4}),
                              kOverlaps ? "overlaps" : "boxes"));
  for (int i = 2; i < c.num_inputs(); ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  int64_t size = -1;
  if (c.num_outputs() > 1) {
    ASSIGN_OR_RETURN(const bool pad, c.Bool("pad_to_max_output_size"));
    ASSIGN_OR_RETURN(const std::optional<int64_t> max_selected, c.ConstantInt(2));
    if (pad && max_selected.has_value()) size = *max_selected;
    if (size < -1) {
      return absl::InvalidArgumentError(absl::StrCat("max_output_size: expected a value >= 0, got ", size));
    }
    c.SetOutput(c.num_outputs() - 1, PartialShape::Of({}));
  }
  c.SetOutput(0, PartialShape::Of({size}));
  if (c.num_outputs() == 3) c.SetOutput(1, PartialShape::Of({size}));
  return absl::OkStatus();
}

absl::Status CombinedShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape scores, c.WithRank(1, 3));
  RETURN_IF_ERROR(ExpectShape(c.input(0), PartialShape::Of({scores.dim(0), scores.dim(1), -1, 4}), "boxes"));
  for (int i = 2; i < 6; ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  const int64_t batch = c.input(0).has_rank() ? std::max(c.input(0).dim(0), scores.dim(0)) : scores.dim(0);
  ASSIGN_OR_RETURN(const bool pad_per_class, c.Bool("pad_per_class"));
  ASSIGN_OR_RETURN(const std::optional<int64_t> per_class, c.ConstantInt(2));
  ASSIGN_OR_RETURN(const std::optional<int64_t> total, c.ConstantInt(3));
  if (total.has_value() && *total < 1) {
    return absl::InvalidArgumentError(absl::StrCat("max_total_size: expected a value >= 1, got ", *total));
  }
  int64_t size = -1;
  if (total.has_value() && (!pad_per_class || (per_class.value_or(0) > 0 && scores.has_dim(2)))) {
    size = CombinedSize(pad_per_class, per_class.value_or(0), scores.dim(2), *total);
  }
  c.SetOutput(0, PartialShape::Of({batch, size, 4}));
  c.SetOutput(1, PartialShape::Of({batch, size}));
  c.SetOutput(2, PartialShape::Of({batch, size}));
  c.SetOutput(3, PartialShape::Of({batch}));
  return absl::OkStatus();
}

absl::Status DrawShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape images, c.WithRank(0, 4));
  RETURN_IF_ERROR(ExpectShape(c.input(1), PartialShape::Of({images.dim(0), -1, 4}), "boxes"));
  if (c.num_inputs() == 3) RETURN_IF_ERROR(c.WithRank(2, 2).status());
  c.SetOutput(0, std::move(images));
  return absl::OkStatus();
}

absl::Status AddSuppression(OpLibrary& library, const char* name, DTypeSet dtypes) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = "The best boxes, without those that overlap a better one",
                      .shape = SuppressionShape<false>,
                      .kernel = SuppressionKernel,
                      .dtypes = dtypes,
                      .gradient = gradients::None});
}

absl::Status AddDrawing(OpLibrary& library, const char* name) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = "Images with the outlines of boxes",
                      .shape = DrawShape,
                      .kernel = DrawKernel,
                      .dtypes = kBoxTypes,
                      .gradient = gradients::None});
}

}  // namespace

absl::Status RegisterDetectionOps(OpLibrary& library) {
  RETURN_IF_ERROR(AddSuppression(library, "NonMaxSuppression", {}));
  for (const char* name : {"NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5"}) {
    RETURN_IF_ERROR(AddSuppression(library, name, kBoxTypes));
  }
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("NonMaxSuppressionWithOverlaps"),
      .doc = "The best candidates, without those that overlap a better one",
      .shape = SuppressionShape<true>,
      .kernel = PlainKernel<NonMaxSuppressionWithOverlaps>,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("CombinedNonMaxSuppression"),
      .doc = "The best boxes of each image, suppressed class by class",
      .shape = CombinedShape,
      .kernel = CombinedKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(AddDrawing(library, "DrawBoundingBoxes"));
  return AddDrawing(library, "DrawBoundingBoxesV2");
}

}  // namespace flowlatch
