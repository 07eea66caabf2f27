// Random crops of images that show enough of the objects in them, the same as TensorFlow's for the same seeds.
//   SampleDistortedBoundingBox, ..V2, StatelessSampleDistortedBoundingBox: image_size [3] (height, width, channels),
//     bounding_boxes [batch, n, 4] (min y, min x, max y, max x in parts of the image) -> begin and size for Slice, and the crop
//     as a box [1, 1, 4]. A crop has an aspect ratio (width / height) and an area (part of the image) of the ranges, and shows
//     at least min_object_covered of one box. After max_attempts without one it is the whole image.
// Names with Stateless take the sequence from a seed [2]; the others have attrs seed and seed2, as in random_ops.cc.
#include "ops/box_sample_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/random_keys.h"
#include "ops/kernels/random_state.h"
#include "ops/kernels/random_words.h"
#include "runtime/exec/background_work.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kSizeTypes{DType::kUInt8, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};

// Pixels [min, max) of both dimensions.
struct Box {
  int64_t min_y = 0, min_x = 0, max_y = 0, max_x = 0;

  int64_t height() const { return max_y - min_y; }
  int64_t width() const { return max_x - min_x; }
  float area() const { return height() > 0 && width() > 0 ? static_cast<float>(height() * width()) : 0; }
  Box Intersect(const Box& o) const {
    return {std::max(min_y, o.min_y), std::max(min_x, o.min_x), std::min(max_y, o.max_y), std::min(max_x, o.max_x)};
  }
};

struct Range {
  float low = 0, high = 0;
};

struct SampleState : KernelState {
  std::shared_ptr<RandomState> random;  // null: stateless
  std::optional<float> covered;         // an input if none
  Range aspect, area;
  int64_t max_attempts = 0;
  bool may_use_image = false;
};

// ---- Sampling

// The nearest integer; large numbers stop at int32's limit.
int64_t Rounded(float x) {
  constexpr float kMost = 0x1p31f;
  return x < kMost ? std::lrint(x) : static_cast<int64_t>(kMost);
}

// A crop of that aspect ratio and an area of the range, if there is one. Which numbers are drawn depends on the rounding.
std::optional<Box> DrawCrop(const Box& image, const Range& area, float aspect, RandomWords& words) {
  const int64_t image_height = image.height(), image_width = image.width();
  if (!(aspect > 0) || image_width <= 0 || image_height <= 0 || area.low > area.high) return std::nullopt;
  const auto width_of = [aspect](int64_t height) { return Rounded(static_cast<float>(height) * aspect); };
  const float whole_width = static_cast<float>(image_width), whole_height = static_cast<float>(image_height);
  const float least = area.low * whole_width * whole_height, most = area.high * whole_width * whole_height;
  int64_t height = Rounded(std::sqrt(least / aspect)), highest = Rounded(std::sqrt(most / aspect));
  if (width_of(highest) > image_width) {
    highest = static_cast<int64_t>((static_cast<double>(image_width) + 0.5 - static_cast<double>(0.0000001f)) / static_cast<double>(aspect));
    if (width_of(highest) > image_width) --highest;
  }
  highest = std::min(highest, image_height);
  if (height < highest) height += words.Below(static_cast<uint32_t>(highest - height + 1));
  else height = highest;
  int64_t width = width_of(height);
  const auto covers = [&] { return static_cast<float>(width * height); };
  if (covers() < least) width = width_of(++height);  // rounding alone shall not put it outside the range
  if (covers() > most) width = width_of(--height);
  if (covers() < least || covers() > most || width > image_width || height > image_height || width <= 0 || height <= 0) {
    return std::nullopt;
  }
  Box crop;
  if (height < image_height) crop.min_y = words.Below(static_cast<uint32_t>(image_height - height));
  if (width < image_width) crop.min_x = words.Below(static_cast<uint32_t>(image_width - width));
  crop.max_y = crop.min_y + height;
  crop.max_x = crop.min_x + width;
  return crop;
}

// Whether the crop shows that part of one of the boxes, those without pixels aside.
bool ShowsEnough(const Box& crop, float covered, const std::vector<Box>& boxes) {
  return crop.area() >= 1 && std::any_of(boxes.begin(), boxes.end(), [&](const Box& box) {
           return box.area() >= 1 && crop.Intersect(box).area() / box.area() >= covered;
         });
}

absl::StatusOr<Box> DrawUntilOneFits(KernelCall& c, const SampleState& state, const Box& image, float covered,
                                     const std::vector<Box>& boxes, RandomWords words) {
  constexpr int64_t kAttemptsPerCheck = 1024;
  for (int64_t attempt = 0; attempt < state.max_attempts; ++attempt) {
    if (attempt % kAttemptsPerCheck == kAttemptsPerCheck - 1) RETURN_IF_ERROR(CheckInterrupted(c.step()));
    const float aspect = words.Float() * (state.aspect.high - state.aspect.low) + state.aspect.low;
    const std::optional<Box> crop = DrawCrop(image, state.area, aspect, words);
    if (crop.has_value() && ShowsEnough(*crop, covered, boxes)) return *crop;
  }
  return image;
}

// ---- Inputs

// image_size as the box of all pixels.
absl::StatusOr<Box> ReadImage(const Tensor& t) {
  if (!t.is_vector() || t.dim(0) != 3) {
    return absl::InvalidArgumentError(absl::StrCat("image_size: expected shape [3], got ", t.ShapeString()));
  }
  Box image;
  int64_t* const sizes[] = {&image.max_y, &image.max_x};
  for (int i = 0; i < 2; ++i) {
    *sizes[i] = DispatchDType<kSizeTypes>(t.dtype(), int64_t{-1}, [&]<typename T>() { return static_cast<int64_t>(t.data<T>()[i]); });
    if (*sizes[i] < 0 || *sizes[i] >= std::numeric_limits<int32_t>::max()) {
      return absl::InvalidArgumentError(absl::StrCat("image_size[", i, "]: expected a value in [0,2147483647), got ", *sizes[i]));
    }
  }
  return image;
}

absl::StatusOr<std::vector<Box>> ReadBoxes(const Tensor& t, const Box& image, bool may_use_image) {
  if (t.rank() != 3 || (t.num_elements() > 0 && t.dim(2) != 4)) {
    return absl::InvalidArgumentError(absl::StrCat("bounding_boxes: expected shape [?,?,4], got ", t.ShapeString()));
  }
  const float* place = t.data<float>();
  std::vector<Box> boxes;
  for (int64_t i = 0; i < t.num_elements(); i += 4, place += 4) {
    for (int k = 0; k < 4; ++k) {
      if (place[k] >= 0 && place[k] <= 1) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("bounding_boxes", ElementName(i + k, t.dims()), ": expected a value in [0,1], got ", place[k]));
    }
    const auto pixel = [](float part, int64_t size) { return static_cast<int64_t>(part * static_cast<float>(size)); };
    boxes.push_back({pixel(place[0], image.max_y), pixel(place[1], image.max_x), pixel(place[2], image.max_y), pixel(place[3], image.max_x)});
  }
  if (boxes.empty() && !may_use_image) {
    return absl::InvalidArgumentError("bounding_boxes: expected some, or use_image_if_no_bounding_boxes, got none");
  }
  if (boxes.empty()) boxes.push_back(image);
  return boxes;
}

absl::Status CheckCovered(float covered) {
  if (covered >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("min_object_covered: expected a value >= 0, got ", covered));
}

absl::StatusOr<float> ReadCovered(const Tensor& t) {
  if (!t.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("min_object_covered: expected a scalar, got shape ", t.ShapeString()));
  }
  RETURN_IF_ERROR(CheckCovered(t.scalar<float>()));
  return t.scalar<float>();
}

// ---- The ops

template <typename T>
void SetTriple(KernelCall& c, int output, std::array<int64_t, 3> values) {
  T converted[3];
  std::transform(values.begin(), values.end(), converted, [](int64_t value) { return static_cast<T>(value); });
  c.SetOutput(output, Tensor::Vector<T>(absl::MakeConstSpan(converted)));
}

template <typename T>
absl::Status SampleBox(KernelCall& c) {
  const SampleState& state = c.state<SampleState>();
  float covered = state.covered.value_or(0);
  if (!state.covered.has_value()) {
    ASSIGN_OR_RETURN(covered, ReadCovered(c.input(2)));
  }
  ASSIGN_OR_RETURN(const Box image, ReadImage(c.input(0)));
  ASSIGN_OR_RETURN(const std::vector<Box> boxes, ReadBoxes(c.input(1), image, state.may_use_image));
  Philox start(0, 0);
  if (state.random != nullptr) {
    constexpr uint64_t kDrawsPerAttempt = 4 * 256;
    start = state.random->Take(static_cast<uint64_t>(state.max_attempts) * kDrawsPerAttempt);
  } else {
    ASSIGN_OR_RETURN(const RandomKey key, ReadSeed(c.input(3)));
    start = key.generator();
  }
  ASSIGN_OR_RETURN(const Box crop, DrawUntilOneFits(c, state, image, covered, boxes, RandomWords(start)));
  SetTriple<T>(c, 0, {crop.min_y, crop.min_x, 0});
  SetTriple<T>(c, 1, {crop.height(), crop.width(), -1});
  ASSIGN_OR_RETURN(Tensor * box, c.AllocateOutput(2, DType::kFloat32, {1, 1, 4}));
  const auto part = [](int64_t pixel, int64_t size) { return static_cast<float>(pixel) / static_cast<float>(size); };
  float* to = box->mutable_data<float>();
  to[0] = part(crop.min_y, image.max_y);
  to[1] = part(crop.min_x, image.max_x);
  to[2] = part(crop.max_y, image.max_y);
  to[3] = part(crop.max_x, image.max_x);
  return absl::OkStatus();
}

// Two numbers above 0, and below `most`.
absl::StatusOr<Range> ReadRange(const NodeInfo& node, const char* name, float most) {
  ASSIGN_OR_RETURN(const auto values, node.AttrAs<std::vector<float>>(name));
  const bool fits = values.size() == 2 && values[0] > 0 && values[1] > 0 && values[0] <= most && values[1] <= most;
  if (fits) return Range{values[0], values[1]};
  std::string got;
  for (const float value : values) absl::StrAppend(&got, got.empty() ? "" : ",", value);
  return absl::InvalidArgumentError(
      absl::StrCat(name, ": expected 2 values above 0", most == 1 ? " and up to 1" : "", ", got [", got, "]"));
}

absl::StatusOr<Kernel> SampleKernel(const NodeInfo& node) {
  auto state = std::make_shared<SampleState>();
  ASSIGN_OR_RETURN(state->aspect, ReadRange(node, "aspect_ratio_range", std::numeric_limits<float>::max()));
  ASSIGN_OR_RETURN(state->area, ReadRange(node, "area_range", 1));
  ASSIGN_OR_RETURN(state->max_attempts, node.Int("max_attempts"));
  ASSIGN_OR_RETURN(state->may_use_image, node.Bool("use_image_if_no_bounding_boxes"));
  if (state->max_attempts <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("max_attempts: expected a value > 0, got ", state->max_attempts));
  }
  if (node.num_inputs() == 2) {
    ASSIGN_OR_RETURN(const float covered, node.Float("min_object_covered"));
    RETURN_IF_ERROR(CheckCovered(covered));
    state->covered = covered;
  }
  if (node.num_inputs() < 4) {
    ASSIGN_OR_RETURN(state->random, MakeRandomState(node));
  }
  const KernelFn fn = DispatchDType<kSizeTypes>(node.input_dtype(0), KernelFn{},
                                                []<typename T>() -> KernelFn { return &RunKernel<SampleBox<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::Status SampleShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  RETURN_IF_ERROR(c.WithRank(1, 3).status());
  if (c.num_inputs() > 2) RETURN_IF_ERROR(c.ExpectScalar(2));
  if (c.num_inputs() > 3) RETURN_IF_ERROR(c.ExpectVector(3));
  for (const int i : {0, 1}) c.SetOutput(i, PartialShape::Of({3}));
  c.SetOutput(2, PartialShape::Of({1, 1, 4}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterBoxSampleOps(OpLibrary& library) {
  for (const char* op : {"SampleDistortedBoundingBox", "SampleDistortedBoundingBoxV2"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                 .doc = "A random crop of an image that shows enough of a box",
                                 .shape = SampleShape,
                                 .kernel = SampleKernel,
                                 .dtypes = kSizeTypes,
                                 .gradient = gradients::None}));
  }
  return library.Add({.signature = TensorFlowSignature("StatelessSampleDistortedBoundingBox"),
                      .doc = "A random crop of an image that shows enough of a box, from the sequence of a seed",
                      .shape = SampleShape,
                      .kernel = SampleKernel,
                      .dtypes = kSizeTypes});
}

}  // namespace flowlatch
