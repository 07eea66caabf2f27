// Batch normalisation with given moments, as graphs older than FusedBatchNorm have it.
//   BatchNormWithGlobalNormalization: t [batch, height, width, channels]; m, v (mean and variance), beta, gamma
//   [channels]
//     -> (t - m) / sqrt(v + variance_epsilon) * gamma + beta; without gamma unless scale_after_normalization
//   BatchNormWithGlobalNormalizationGrad: t, m, v, gamma, backprop -> gradients of t, m, v, beta, gamma (0 without it)
// float16 (computed in float), float32, float64. Sums add in double.
#include "ops/global_norm_ops.h"

#include <array>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kNormTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

struct NormState final : KernelState {
  float epsilon = 0;
  bool scale = false;  // whether gamma is used
};

absl::Status CheckImages(const Tensor& t, const char* what) {
  if (t.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected 4 dimensions, got shape ", t.ShapeString()));
}

// The values of input i, one for each channel.
template <typename T>
absl::StatusOr<std::vector<double>> PerChannel(const KernelCall& c, int i, const char* what) {
  const Tensor& t = c.input(i);
  const int64_t channels = c.input(0).dim(3);
  if (!t.is_vector() || t.dim(0) != channels) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected shape [", channels, "], got ", t.ShapeString()));
  }
  std::vector<double> values(channels);
  for (int64_t k = 0; k < channels; ++k) values[k] = static_cast<double>(t.data<T>()[k]);
  return values;
}

// 1 / sqrt(v + epsilon).
std::vector<double> Reciprocals(const NormState& state, const std::vector<double>& v) {
  std::vector<double> r(v.size());
  for (size_t k = 0; k < v.size(); ++k) r[k] = 1 / std::sqrt(v[k] + static_cast<double>(state.epsilon));
  return r;
}

template <typename T>
absl::Status Normalize(KernelCall& c) {
  using W = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const auto& state = c.state<NormState>();
  const Tensor& t = c.input(0);
  RETURN_IF_ERROR(CheckImages(t, "t"));
  ASSIGN_OR_RETURN(const std::vector<double> m, PerChannel<T>(c, 1, "m"));
  ASSIGN_OR_RETURN(const std::vector<double> v, PerChannel<T>(c, 2, "v"));
  ASSIGN_OR_RETURN(const std::vector<double> beta, PerChannel<T>(c, 3, "beta"));
  ASSIGN_OR_RETURN(const std::vector<double> gamma, PerChannel<T>(c, 4, "gamma"));
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, t.dtype(), t.shape()));
  const int64_t channels = t.dim(3);
  if (t.num_elements() == 0) return absl::OkStatus();
  std::vector<double> factor = Reciprocals(state, v);
  for (int64_t k = 0; state.scale && k < channels; ++k) factor[k] *= gamma[k];
  const T* x = t.data<T>();
  T* y = output->mutable_data<T>();
  RunLoop(c, t.num_elements() / channels, 2 * static_cast<double>(channels), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin * channels; row < end * channels; row += channels) {
      for (int64_t k = 0; k < channels; ++k) {
        y[row + k] = static_cast<T>((static_cast<W>(x[row + k]) - static_cast<W>(m[k])) * static_cast<W>(factor[k]) +
                                    static_cast<W>(beta[k]));
      }
    }
  });
  return absl::OkStatus();
}

template <typename T>
absl::Status NormalizeGrad(KernelCall& c) {
  const auto& state = c.state<NormState>();
  const Tensor &t = c.input(0), &backprop = c.input(4);
  RETURN_IF_ERROR(CheckImages(t, "t"));
  if (backprop.dims() != t.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("backprop: expected shape ", t.ShapeString(), ", got ", backprop.ShapeString()));
  }
  ASSIGN_OR_RETURN(const std::vector<double> m, PerChannel<T>(c, 1, "m"));
  ASSIGN_OR_RETURN(const std::vector<double> v, PerChannel<T>(c, 2, "v"));
  ASSIGN_OR_RETURN(const std::vector<double> gamma, PerChannel<T>(c, 3, "gamma"));
  const int64_t channels = t.dim(3), rows = channels == 0 ? 0 : t.num_elements() / channels;
  ASSIGN_OR_RETURN(Tensor * dx_output, c.AllocateOutput(0, t.dtype(), t.shape()));
  std::array<T*, 4> sums;  // gradients of m, v, beta, gamma
  for (int i = 0; i < 4; ++i) {
    ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i + 1, t.dtype(), {channels}));
    sums[i] = output->mutable_data<T>();
  }
  const std::vector<double> r = Reciprocals(state, v);
  const T *x = t.data<T>(), *dy = backprop.data<T>();
  T* dx = dx_output->mutable_data<T>();
  RunLoop(c, channels, 5 * static_cast<double>(rows) + 10, [&](int64_t begin, int64_t end) {
    std::vector<double> plain(end - begin), centred(end - begin);  // sums of dy, and of dy (t - m)
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t at = row * channels + k;
        const double d = static_cast<double>(dy[at]);
        plain[k - begin] += d;
        centred[k - begin] += d * (static_cast<double>(x[at]) - m[k]);
        dx[at] = static_cast<T>(d * r[k] * (state.scale ? gamma[k] : 1));
      }
    }
    for (int64_t k = begin; k < end; ++k) {
      const double factor = state.scale ? gamma[k] : 1;
      sums[0][k] = static_cast<T>(-plain[k - begin] * r[k] * factor);
      sums[1][k] = static_cast<T>(centred[k - begin] * -0.5 * r[k] * r[k] * r[k] * factor);
      sums[2][k] = static_cast<T>(plain[k - begin]);
      sums[3][k] = static_cast<T>(state.scale ? centred[k - begin] * r[k] : 0);
    }
  });
  return absl::OkStatus();
}

// Input 0 and all other inputs but backprop, which is like it, share the number of channels.
absl::StatusOr<PartialShape> ImagesShape(ShapeContext& c, int vectors) {
  ASSIGN_OR_RETURN(PartialShape images, c.WithRank(0, 4));
  PartialShape channels = images.has_rank() ? PartialShape::Of({images.dim(3)}) : PartialShape::UnknownOfRank(1);
  for (int i = 1; i <= vectors; ++i) {
    ASSIGN_OR_RETURN(channels, channels.MergeWith(c.input(i)));
  }
  if (!images.has_rank()) images = PartialShape::UnknownOfRank(4);
  return images.MergeWith(PartialShape::Of({-1, -1, -1, channels.dim(0)}));
}

absl::Status NormShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape images, ImagesShape(c, 4));
  c.SetOutput(0, std::move(images));
  return absl::OkStatus();
}

absl::Status NormGradShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape images, ImagesShape(c, 3));
  ASSIGN_OR_RETURN(images, images.MergeWith(c.input(4)));
  for (int i = 1; i < 5; ++i) c.SetOutput(i, PartialShape::Of({images.dim(3)}));
  c.SetOutput(0, std::move(images));
  return absl::OkStatus();
}

absl::Status NormGradient(GradContext& c) {
  const Operation grad =
      c.MultiOp("BatchNormWithGlobalNormalizationGrad", {c.input(0), c.input(1), c.input(2), c.input(4), c.grad()},
                c.CopyAttrs({"variance_epsilon", "scale_after_normalization"}));
  for (int i = 0; i < 5; ++i) c.Set(i, grad.output(i));
  return absl::OkStatus();
}

template <typename Choose>
absl::StatusOr<Kernel> NormKernel(const NodeInfo& node, Choose choose) {
  auto state = std::make_shared<NormState>();
  ASSIGN_OR_RETURN(state->epsilon, node.Float("variance_epsilon"));
  ASSIGN_OR_RETURN(state->scale, node.Bool("scale_after_normalization"));
  const KernelFn fn = DispatchDType<kNormTypes>(node.input_dtype(0), KernelFn{}, choose);
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

}  // namespace

absl::Status RegisterGlobalNormOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("BatchNormWithGlobalNormalization"),
      .doc = "Batch normalisation with given moments",
      .shape = NormShape,
      .kernel =
          [](const NodeInfo& node) {
            return NormKernel(node, []<typename T>() -> KernelFn { return &RunKernel<Normalize<T>>; });
          },
      .dtypes = kNormTypes,
      .gradient = NormGradient,
  }));
  return library.Add({
      .signature = TensorFlowSignature("BatchNormWithGlobalNormalizationGrad"),
      .doc = "The gradients of BatchNormWithGlobalNormalization",
      .shape = NormGradShape,
      .kernel =
          [](const NodeInfo& node) {
            return NormKernel(node, []<typename T>() -> KernelFn { return &RunKernel<NormalizeGrad<T>>; });
          },
      .dtypes = kNormTypes,
  });
}

}  // namespace flowlatch
