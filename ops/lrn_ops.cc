// Local response normalisation, along the last of four dimensions.
//   LRN: x -> x * norm^-beta, where norm = bias + alpha * (the sum of the squares of x from depth_radius before to
//   depth_radius after) LRNGrad: gradients, x, LRN(x) -> gradients of x
// half and bfloat16 are computed in float.
#include "ops/lrn_ops.h"

#include <algorithm>
#include <cmath>
#include <memory>
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

constexpr DTypeSet kLrnTypes{DType::kFloat16, DType::kBFloat16, DType::kFloat32};

class LrnState final : public KernelState {
 public:
  int64_t radius = 5;
  float bias = 1, alpha = 1, beta = 0.5f;
};

absl::Status CheckRank(const Tensor& x) {
  if (x.rank() == 4) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("input: expected 4 dimensions, got shape ", x.ShapeString()));
}

// norm[i] of a row.
template <typename T>
void Norms(const LrnState& state, const T* row, int64_t depth, float* norm) {
  for (int64_t i = 0; i < depth; ++i) {
    const int64_t begin = i > state.radius ? i - state.radius : 0;
    const int64_t end = depth - i > state.radius ? i + state.radius + 1 : depth;
    float sum = 0;
    for (int64_t k = begin; k < end; ++k) sum += static_cast<float>(row[k]) * static_cast<float>(row[k]);
    norm[i] = state.bias + state.alpha * sum;
  }
}

double RowCost(const LrnState& state, int64_t depth) {
  return static_cast<double>(depth) * (20 + 2 * static_cast<double>(std::min(state.radius, depth)));
}

template <typename T>
absl::Status Lrn(KernelCall& c) {
  const LrnState& state = c.state<LrnState>();
  const Tensor& input = c.input(0);
  RETURN_IF_ERROR(CheckRank(input));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), input.dims()));
  if (input.num_elements() == 0) return absl::OkStatus();
  const int64_t depth = input.dim(3);
  const T* x = input.data<T>();
  T* y = output->mutable_data<T>();
  RunLoop(c, input.num_elements() / depth, RowCost(state, depth), [&](int64_t begin, int64_t end) {
    std::vector<float> norm(depth);
    for (int64_t row = begin; row < end; ++row) {
      Norms(state, x + row * depth, depth, norm.data());
      for (int64_t i = 0; i < depth; ++i) {
        const int64_t at = row * depth + i;
        y[at] = static_cast<T>(static_cast<float>(x[at]) * std::pow(norm[i], -state.beta));
      }
    }
  });
  return absl::OkStatus();
}

// x[k] is in the norms of its neighbours: dx[k] = dy[k] * norm[k]^-beta - 2 alpha beta x[k] * (sum over i near k of
// dy[i] y[i] / norm[i]).
template <typename T>
absl::Status LrnGradient(KernelCall& c) {
  const LrnState& state = c.state<LrnState>();
  const Tensor& grads = c.input(0);
  const Tensor& input = c.input(1);
  const Tensor& normalised = c.input(2);
  RETURN_IF_ERROR(CheckRank(input));
  if (grads.dims() != input.dims() || normalised.dims() != input.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("input_grads and output_image: expected the shape of input_image, ",
                                                   input.ShapeString(), ", got ", grads.ShapeString(), " and ",
                                                   normalised.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), input.dims()));
  if (input.num_elements() == 0) return absl::OkStatus();
  const int64_t depth = input.dim(3);
  RunLoop(c, input.num_elements() / depth, 2 * RowCost(state, depth), [&](int64_t begin, int64_t end) {
    std::vector<float> norm(depth), part(depth);
    for (int64_t row = begin; row < end; ++row) {
      const T* x = input.data<T>() + row * depth;
      const T* y = normalised.data<T>() + row * depth;
      const T* dy = grads.data<T>() + row * depth;
      T* dx = output->mutable_data<T>() + row * depth;
      Norms(state, x, depth, norm.data());
      for (int64_t i = 0; i < depth; ++i) part[i] = static_cast<float>(dy[i]) * static_cast<float>(y[i]) / norm[i];
      for (int64_t k = 0; k < depth; ++k) {
        const int64_t first = k > state.radius ? k - state.radius : 0;
        const int64_t last = depth - k > state.radius ? k + state.radius + 1 : depth;
        float sum = 0;
        for (int64_t i = first; i < last; ++i) sum += part[i];
        dx[k] = static_cast<T>(static_cast<float>(dy[k]) * std::pow(norm[k], -state.beta) -
                               2 * state.alpha * state.beta * static_cast<float>(x[k]) * sum);
      }
    }
  });
  return absl::OkStatus();
}

template <typename Choose>
absl::StatusOr<Kernel> LrnKernel(const NodeInfo& node, Choose choose) {
  auto state = std::make_shared<LrnState>();
  ASSIGN_OR_RETURN(state->radius, node.Int("depth_radius"));
  ASSIGN_OR_RETURN(state->bias, node.Float("bias"));
  ASSIGN_OR_RETURN(state->alpha, node.Float("alpha"));
  ASSIGN_OR_RETURN(state->beta, node.Float("beta"));
  if (state->radius < 0) {
    return absl::InvalidArgumentError(absl::StrCat("depth_radius: expected a value >= 0, got ", state->radius));
  }
  const KernelFn fn = DispatchDType<kLrnTypes>(node.input_dtype(0), KernelFn{}, choose);
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

// All inputs and the output have one shape, of four dimensions.
absl::Status LrnShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.WithRank(0, 4));
  for (int i = 1; i < c.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(shape, shape.MergeWith(c.input(i)));
  }
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status LrnGrad(GradContext& c) {
  c.Set(0,
        c.Op("LRNGrad", {c.grad(), c.input(0), c.output(0)}, c.CopyAttrs({"depth_radius", "bias", "alpha", "beta"})));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterLrnOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("LRN"),
      .doc = "The input, divided by a power of the squares around in the last dimension",
      .shape = LrnShape,
      .kernel =
          [](const NodeInfo& node) {
            return LrnKernel(node, []<typename T>() -> KernelFn { return &RunKernel<Lrn<T>>; });
          },
      .dtypes = kLrnTypes,
      .gradient = LrnGrad,
  }));
  return library.Add({
      .signature = TensorFlowSignature("LRNGrad"),
      .doc = "The gradient of LRN's input",
      .shape = LrnShape,
      .kernel =
          [](const NodeInfo& node) {
            return LrnKernel(node, []<typename T>() -> KernelFn { return &RunKernel<LrnGradient<T>>; });
          },
      .dtypes = kLrnTypes,
  });
}

}  // namespace flowlatch
