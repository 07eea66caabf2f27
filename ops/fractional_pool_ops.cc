// Pooling of images [batch, height, width, channels] over regions of varying size, which add up to the image
// (arXiv:1412.6071).
//   FractionalMaxPool, FractionalAvgPool: value -> output, row_pooling_sequence, col_pooling_sequence. Output has
//     floor(height / ratio) rows; row i is made of rows [sequence[i], sequence[i + 1]), and one more if overlapping
//   FractionalMaxPoolGrad: input, output, gradients, sequences -> gradients of the input; the first largest element
//     gets all
//   FractionalAvgPoolGrad: the input's shape, gradients, sequences -> gradients of the input
// Sequences are random: with deterministic the ones that TensorFlow makes of the seeds, the same each time. int32,
// int64, float32, float64; means of integers round towards zero.
#include "ops/fractional_pool_ops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/entropy.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/philox.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kPoolTypes = kIndexTypes | DTypeSet{DType::kFloat32, DType::kFloat64};

struct FractionalState final : KernelState {
  std::array<float, 2> ratios{1, 1};  // of height and width
  bool pseudo_random = false, overlapping = false, deterministic = false;
  uint64_t seed = 0, seed2 = 0;
};

// How many regions of about `ratio` elements there are in `inputs`. Requires: ratio >= 1.
int64_t NumRegions(int64_t inputs, float ratio) {
  const float regions = std::floor(static_cast<float>(inputs) / ratio);
  return regions >= static_cast<float>(inputs) ? inputs : static_cast<int64_t>(regions);
}

// ---- Sequences

// Sizes of `outputs` regions that add up to `inputs`. Takes what it needs from the generator.
std::vector<int64_t> ShuffledSizes(int64_t inputs, int64_t outputs, Philox& generator) {
  std::vector<int64_t> sizes(outputs, inputs / outputs);
  for (int64_t i = 0; i < inputs % outputs; ++i) ++sizes[i];
  Philox own = generator;
  generator.Skip(static_cast<uint64_t>((outputs + 3) / 4));  // a word for each
  Philox::Words words{};
  for (int64_t i = 0; i + 1 < outputs; ++i) {
    if (i % 4 == 0) words = own.Next();
    std::swap(sizes[i], sizes[i + words[i % 4] % static_cast<uint64_t>(outputs - i)]);
  }
  return sizes;
}

// Region i ends at ceil(alpha (i + u)), with one random u for all that keeps the first and the last as large as the
// others.
std::vector<int64_t> RegularSizes(int64_t inputs, int64_t outputs, Philox& generator) {
  const double alpha = static_cast<double>(inputs) / static_cast<double>(outputs);
  const double k = static_cast<double>(inputs / outputs);
  const double limit =
      std::min((k + 2) / alpha - 1, (static_cast<double>(inputs) + 1 - k) / alpha - (static_cast<double>(outputs) - 1));
  const Philox::Words words = generator.Next();
  const uint64_t bits = uint64_t{1023} << 52 | static_cast<uint64_t>(words[0] & 0xfffff) << 32 | words[1];
  const double u = (std::bit_cast<double>(bits) - 1) * limit;
  std::vector<int64_t> sizes;
  int64_t begin = 1;
  for (int64_t i = 1; i <= outputs; ++i) {
    const int64_t latest = inputs + 1 - (outputs - i);  // that leaves an element for each of the others
    const int64_t wanted = static_cast<int64_t>(std::ceil(alpha * (static_cast<double>(i) + u)));
    const int64_t end = i == outputs ? latest : std::clamp(wanted, begin + 1, latest);
    sizes.push_back(end - begin);
    begin = end;
  }
  return sizes;
}

// Where regions begin, and where the last one ends.
std::vector<int64_t> MakeSequence(const FractionalState& state, int64_t inputs, int64_t outputs, Philox& generator) {
  // Regions of one size take from the generator too, as TensorFlow's do.
  const std::vector<int64_t> sizes =
      state.pseudo_random ? RegularSizes(inputs, outputs, generator) : ShuffledSizes(inputs, outputs, generator);
  std::vector<int64_t> sequence{0};
  for (const int64_t size : sizes) sequence.push_back(sequence.back() + size);
  return sequence;
}

// ---- Regions

struct Regions {
  absl::Span<const int64_t> rows, cols;  // where regions begin; one more than there are
  int64_t height, width, channels;
  int64_t extra;  // 1 if regions overlap

  int64_t RowEnd(int64_t i) const { return std::min(rows[i + 1] + extra, height); }
  int64_t ColEnd(int64_t j) const { return std::min(cols[j + 1] + extra, width); }
  int64_t out_rows() const { return static_cast<int64_t>(rows.size()) - 1; }
  int64_t out_cols() const { return static_cast<int64_t>(cols.size()) - 1; }
  int64_t out_size() const { return out_rows() * out_cols() * channels; }
  int64_t in_size() const { return height * width * channels; }
};

// Calls visit(image, output element of channel 0, first row, end row, first column, end column) for all regions of a
// batch.
template <typename Visit>
void ForEachRegion(KernelCall& c, const Regions& r, int64_t batch, const Visit& visit) {
  c.ParallelFor(batch, 2.0 * static_cast<double>(r.in_size()), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      for (int64_t i = 0; i < r.out_rows(); ++i) {
        for (int64_t j = 0; j < r.out_cols(); ++j) {
          visit(b, (i * r.out_cols() + j) * r.channels, r.rows[i], r.RowEnd(i), r.cols[j], r.ColEnd(j));
        }
      }
    }
  });
}

template <typename T, bool kMax>
void Pool(KernelCall& c, const Regions& r, int64_t batch, const T* x, T* y) {
  ForEachRegion(c, r, batch, [&](int64_t b, int64_t at, int64_t top, int64_t bottom, int64_t left, int64_t right) {
    const T* image = x + b * r.in_size();
    T* out = y + b * r.out_size() + at;
    for (int64_t channel = 0; channel < r.channels; ++channel) {
      T value = kMax ? std::numeric_limits<T>::lowest() : T(0);
      for (int64_t row = top; row < bottom; ++row) {
        for (int64_t col = left; col < right; ++col) {
          const T element = image[(row * r.width + col) * r.channels + channel];
          value = kMax ? std::max(value, element) : combine::Sum::Apply(value, element);
        }
      }
      if (!kMax) value /= static_cast<T>((bottom - top) * (right - left));
      out[channel] = value;
    }
  });
}

template <typename T, bool kMax>
absl::Status FractionalPool(KernelCall& c) {
  const FractionalState& state = c.state<FractionalState>();
  const Tensor& x = c.input(0);
  if (x.rank() != 4)
    return absl::InvalidArgumentError(absl::StrCat("value: expected 4 dimensions, got shape ", x.ShapeString()));
  std::array<int64_t, 2> outputs;
  for (int i = 0; i < 2; ++i) {
    outputs[i] = NumRegions(x.dim(i + 1), state.ratios[i]);
    if (outputs[i] < 1) {
      return absl::InvalidArgumentError(absl::StrCat("value: expected at least pooling_ratio ", state.ratios[i],
                                                     " elements in dimension ", i + 1, ", got shape ",
                                                     x.ShapeString()));
    }
  }
  const auto [seed, seed2] = state.deterministic ? std::pair(state.seed, state.seed2) : FreshSeeds();
  Philox generator(seed, seed2);
  const std::vector<int64_t> rows = MakeSequence(state, x.dim(1), outputs[0], generator);
  const std::vector<int64_t> cols = MakeSequence(state, x.dim(2), outputs[1], generator);
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, x.dtype(), {x.dim(0), outputs[0], outputs[1], x.dim(3)}));
  for (int i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(c.output(i + 1), Tensor::FromValues<int64_t>(Shape::Of({outputs[i] + 1}), i == 0 ? rows : cols));
  }
  const Regions regions{rows, cols, x.dim(1), x.dim(2), x.dim(3), state.overlapping};
  if (y->num_elements() > 0) Pool<T, kMax>(c, regions, x.dim(0), x.data<T>(), y->mutable_data<T>());
  return absl::OkStatus();
}

// ---- Gradients

// A sequence for `outputs` regions of `inputs` elements. Errors: InvalidArgument for another length or no ascending
// order.
absl::StatusOr<absl::Span<const int64_t>> ReadSequence(const Tensor& t, const char* what, int64_t inputs,
                                                       int64_t outputs) {
  if (!t.is_vector() || t.dim(0) != outputs + 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(what, ": expected ", outputs + 1, " values, got shape ", t.ShapeString()));
  }
  const absl::Span<const int64_t> values = t.values<int64_t>();
  for (int64_t i = 0; i <= outputs; ++i) {
    if (values[i] < (i == 0 ? 0 : values[i - 1] + 1) || values[i] > inputs) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, "[", i, "]: expected ascending values in [0,", inputs, "], got ", values[i]));
    }
  }
  return values;
}

// Checks what both gradients take: gradients and two sequences as inputs `first` and following.
absl::StatusOr<Regions> ReadRegions(KernelCall& c, absl::Span<const int64_t> input, int first) {
  const Tensor& grads = c.input(first);
  if (input.size() != 4 || grads.rank() != 4 || grads.dim(0) != input[0] || grads.dim(3) != input[3]) {
    return absl::InvalidArgumentError(absl::StrCat("out_backprop: expected batch and channels of the input ",
                                                   DimsToString(input), ", got shape ", grads.ShapeString()));
  }
  Regions r{{}, {}, input[1], input[2], input[3], c.state<FractionalState>().overlapping};
  ASSIGN_OR_RETURN(r.rows, ReadSequence(c.input(first + 1), "row_pooling_sequence", r.height, grads.dim(1)));
  ASSIGN_OR_RETURN(r.cols, ReadSequence(c.input(first + 2), "col_pooling_sequence", r.width, grads.dim(2)));
  return r;
}

// v as T; integers are cut off and stay in their range.
template <typename T>
T Narrow(double v) {
  if constexpr (std::is_integral_v<T>) {
    if (v >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
    if (!(v > static_cast<double>(std::numeric_limits<T>::min()))) return std::numeric_limits<T>::min();
  }
  return static_cast<T>(v);
}

template <typename T>
absl::Status AvgPoolGrad(KernelCall& c) {
  const Tensor& shape_input = c.input(0);
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(shape_input, "orig_input_tensor_shape"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(const Regions r, ReadRegions(c, dims, 1));
  const Tensor& grads = c.input(1);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, grads.dtype(), shape));
  const T* dy = grads.data<T>();
  T* dx = output->mutable_data<T>();
  std::vector<double> sums(shape.num_elements());  // regions may overlap, and integers must not be rounded too soon
  if (grads.num_elements() > 0) {
    ForEachRegion(c, r, dims[0], [&](int64_t b, int64_t at, int64_t top, int64_t bottom, int64_t left, int64_t right) {
      const double count = static_cast<double>((bottom - top) * (right - left));
      for (int64_t row = top; row < bottom; ++row) {
        for (int64_t col = left; col < right; ++col) {
          for (int64_t channel = 0; channel < r.channels; ++channel) {
            sums[b * r.in_size() + (row * r.width + col) * r.channels + channel] +=
                static_cast<double>(dy[b * r.out_size() + at + channel]) / count;
          }
        }
      }
    });
  }
  std::transform(sums.begin(), sums.end(), dx, [](double v) { return Narrow<T>(v); });
  return absl::OkStatus();
}

template <typename T>
absl::Status MaxPoolGrad(KernelCall& c) {
  const Tensor& input = c.input(0);
  const Tensor& output = c.input(1);
  const Tensor& grads = c.input(2);
  ASSIGN_OR_RETURN(const Regions r, ReadRegions(c, input.dims(), 2));
  if (output.dims() != grads.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("orig_output: expected the shape of out_backprop, ",
                                                   grads.ShapeString(), ", got ", output.ShapeString()));
  }
  ASSIGN_OR_RETURN(c.output(0), Tensor::Zeros(input.dtype(), input.shape()));
  if (grads.num_elements() == 0) return absl::OkStatus();
  const T* x = input.data<T>();
  const T* dy = grads.data<T>();
  T* dx = c.output(0).mutable_data<T>();
  ForEachRegion(c, r, input.dim(0),
                [&](int64_t b, int64_t at, int64_t top, int64_t bottom, int64_t left, int64_t right) {
                  const T* image = x + b * r.in_size();
                  for (int64_t channel = 0; channel < r.channels; ++channel) {
                    int64_t best = (top * r.width + left) * r.channels + channel;
                    for (int64_t row = top; row < bottom; ++row) {
                      for (int64_t col = left; col < right; ++col) {
                        const int64_t place = (row * r.width + col) * r.channels + channel;
                        if (image[place] > image[best]) best = place;
                      }
                    }
                    T& sum = dx[b * r.in_size() + best];
                    sum = combine::Sum::Apply(sum, dy[b * r.out_size() + at + channel]);
                  }
                });
  return absl::OkStatus();
}

absl::Status FractionalPoolGrad(GradContext& c) {
  const bool max = c.op() == "FractionalMaxPool";
  const std::vector<AttrMap::Entry> attrs = c.CopyAttrs({"overlapping"});
  c.Set(0, max ? c.Op("FractionalMaxPoolGrad", {c.input(0), c.output(0), c.grad(), c.output(1), c.output(2)}, attrs)
               : c.Op("FractionalAvgPoolGrad", {c.ShapeOfInput(0, DType::kInt64), c.grad(), c.output(1), c.output(2)},
                      attrs));
  return absl::OkStatus();
}

// ---- Registration

// The ratios of height and width. Node: NodeInfo or ShapeContext.
template <typename Node>
absl::StatusOr<std::array<float, 2>> DecodeRatios(const Node& node) {
  ASSIGN_OR_RETURN(const auto list, node.template AttrAs<std::vector<float>>("pooling_ratio"));
  if (list.size() != 4)
    return absl::InvalidArgumentError(absl::StrCat("pooling_ratio: expected 4 values, got ", list.size()));
  for (const float ratio : list) {
    if (!(ratio >= 1))
      return absl::InvalidArgumentError(absl::StrCat("pooling_ratio: expected values >= 1, got ", ratio));
  }
  if (list[0] != 1 || list[3] != 1) {
    return absl::UnimplementedError(
        absl::StrCat("pooling_ratio: expected 1 for batch and channels, got ", list[0], " and ", list[3]));
  }
  return std::array<float, 2>{list[1], list[2]};
}

absl::Status FractionalPoolShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  ASSIGN_OR_RETURN(const auto ratios, DecodeRatios(c));
  std::array<int64_t, 2> outputs{-1, -1};
  for (int i = 0; i < 2; ++i) {
    if (!input.has_dim(i + 1)) continue;
    outputs[i] = NumRegions(input.dim(i + 1), ratios[i]);
  }
  c.SetOutput(0, PartialShape::Of({input.dim(0), outputs[0], outputs[1], input.dim(3)}));
  for (int i = 0; i < 2; ++i) c.SetOutput(i + 1, PartialShape::Of({outputs[i] < 0 ? -1 : outputs[i] + 1}));
  return absl::OkStatus();
}

absl::Status AvgPoolGradShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(0));
  if (shape.has_rank() && shape.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("orig_input_tensor_shape: expected 4 values, got ", shape.rank()));
  }
  c.SetOutput(0, shape.has_rank() ? std::move(shape) : PartialShape::UnknownOfRank(4));
  return absl::OkStatus();
}

absl::Status MaxPoolGradShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(0, 4));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

template <typename Choose>
absl::StatusOr<Kernel> MakeKernel(const NodeInfo& node, std::shared_ptr<FractionalState> state, Choose choose) {
  ASSIGN_OR_RETURN(state->overlapping, node.Bool("overlapping"));
  const DType dtype = node.output_dtype(0);
  const KernelFn fn = DispatchDType<kPoolTypes>(dtype, KernelFn{}, choose);
  if (fn == nullptr) return NoKernelFor(node, dtype);
  return Kernel{.fn = fn, .state = std::move(state)};
}

template <bool kMax>
absl::StatusOr<Kernel> PoolKernel(const NodeInfo& node) {
  auto state = std::make_shared<FractionalState>();
  ASSIGN_OR_RETURN(state->ratios, DecodeRatios(node));
  ASSIGN_OR_RETURN(state->pseudo_random, node.Bool("pseudo_random"));
  ASSIGN_OR_RETURN(state->deterministic, node.Bool("deterministic"));
  ASSIGN_OR_RETURN(const int64_t seed, node.Int("seed"));
  ASSIGN_OR_RETURN(const int64_t seed2, node.Int("seed2"));
  const bool seeded = seed != 0 || seed2 != 0;
  if (seeded && !state->deterministic) {
    return absl::InvalidArgumentError("seed and seed2: expected 0 unless deterministic is true, got others");
  }
  std::tie(state->seed, state->seed2) =
      seeded ? std::pair(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)) : FreshSeeds();
  return MakeKernel(node, std::move(state),
                    []<typename T>() -> KernelFn { return &RunKernel<FractionalPool<T, kMax>>; });
}

}  // namespace

absl::Status RegisterFractionalPoolOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = kPoolTypes,
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("FractionalMaxPool", "The largest elements of random regions", FractionalPoolShape,
                      PoolKernel<true>, FractionalPoolGrad));
  RETURN_IF_ERROR(add("FractionalAvgPool", "The means of random regions", FractionalPoolShape, PoolKernel<false>,
                      FractionalPoolGrad));
  RETURN_IF_ERROR(add(
      "FractionalMaxPoolGrad", "The gradient of FractionalMaxPool's value", MaxPoolGradShape,
      [](const NodeInfo& node) {
        return MakeKernel(node, std::make_shared<FractionalState>(),
                          []<typename T>() -> KernelFn { return &RunKernel<MaxPoolGrad<T>>; });
      },
      nullptr));
  return add(
      "FractionalAvgPoolGrad", "The gradient of FractionalAvgPool's value", AvgPoolGradShape,
      [](const NodeInfo& node) {
        return MakeKernel(node, std::make_shared<FractionalState>(),
                          []<typename T>() -> KernelFn { return &RunKernel<AvgPoolGrad<T>>; });
      },
      nullptr);
}

}  // namespace flowlatch
