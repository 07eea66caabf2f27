// Biases of layers, and the penalty on weights.
//   BiasAdd: value [d0, .., dn, channels] (NHWC) or [d0, channels, ..] (NCHW), bias [channels] -> value's shape. At least
//     two dimensions. BiasAddV1: channels last only.
//   BiasAddGrad: out_backprop -> [channels], the sum over all else.
//   L2Loss: the sum of squares / 2, a scalar; floating types.
// All number types. Float sums add in double, 16-bit ones in float.
#include "ops/bias_ops.h"

#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/channelwise.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

struct BiasState final : KernelState {
  bool channels_first = false;
};

template <typename T>
T Plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) return WrapAdd<T>(a, b);
  else return T(a + b);
}

// Errors: InvalidArgument below two dimensions.
absl::StatusOr<int> ChannelDim(const PartialShape& value, bool channels_first, absl::string_view what) {
  if (value.rank() < 2) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected at least 2 dimensions, got shape ", value.ToString()));
  }
  return channels_first ? 1 : value.rank() - 1;
}

ChannelShape ChannelsOf(absl::Span<const int64_t> dims, int channel_dim) {
  ChannelShape shape{.outer = 1, .channels = dims[channel_dim], .inner = 1};
  for (int i = 0; i < channel_dim; ++i) shape.outer *= dims[i];
  for (int i = channel_dim + 1; i < static_cast<int>(dims.size()); ++i) shape.inner *= dims[i];
  return shape;
}

template <typename T>
void AddBiasTo(const ChannelShape& shape, Units units, const T* x, const T* bias, T* y) {
  if constexpr (std::is_same_v<T, float>) {
    AddBias(shape, units, x, bias, y);
  } else {
    const int64_t size = shape.unit_size();
    for (int64_t u = units.begin; u < units.end; ++u) {
      const T *from = x + u * size, *b = shape.inner == 1 ? bias : bias + u % shape.channels;
      const int64_t step = shape.inner == 1 ? 1 : 0;
      T* to = y + u * size;
      for (int64_t i = 0; i < size; ++i) to[i] = Plus(from[i], b[i * step]);
    }
  }
}

template <typename T>
absl::Status BiasAdd(KernelCall& c) {
  const Tensor &value = c.input(0), &bias = c.input(1);
  ASSIGN_OR_RETURN(const int dim, ChannelDim(value.shape(), c.state<BiasState>().channels_first, "value"));
  if (bias.rank() != 1 || bias.dim(0) != value.dim(dim)) {
    return absl::InvalidArgumentError(
        absl::StrCat("bias: expected shape [", value.dim(dim), "], got ", bias.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor* out, c.ForwardOrAllocate(0, 0, kDTypeOf<T>, value.shape()));
  if (out->num_elements() == 0) return absl::OkStatus();
  const ChannelShape shape = ChannelsOf(value.dims(), dim);
  const T *x = value.data<T>(), *b = bias.data<T>();
  T* y = out->mutable_data<T>();
  RunLoop(c, shape.num_units(), 2 + 0.2 * static_cast<double>(shape.unit_size()), [&](int64_t begin, int64_t end) {
    AddBiasTo(shape, Units{begin, end}, x, b, y);
  });
  return absl::OkStatus();
}

// The type in which a channel of T is summed up.
template <typename T>
using Sum = std::conditional_t<kIsSmallFloat<T>, float, T>;

template <typename T>
absl::Status BiasAddGrad(KernelCall& c) {
  const Tensor& dy = c.input(0);
  ASSIGN_OR_RETURN(const int dim, ChannelDim(dy.shape(), c.state<BiasState>().channels_first, "out_backprop"));
  const ChannelShape shape = ChannelsOf(dy.dims(), dim);
  ASSIGN_OR_RETURN(Tensor* out, c.AllocateOutput(0, kDTypeOf<T>, {shape.channels}));
  T* sums = out->mutable_data<T>();
  const T* x = dy.data<T>();
  if constexpr (std::is_same_v<T, float>) {
    if (dy.num_elements() == 0) {
      std::fill(sums, sums + shape.channels, 0.0f);
      return absl::OkStatus();
    }
    std::vector<double> total(shape.channels);
    SumPerChannel(c, shape, total, [&](Units units, double* s) { AddSums(shape, units, x, s); });
    for (int64_t i = 0; i < shape.channels; ++i) sums[i] = static_cast<float>(total[i]);
  } else {
    std::vector<Sum<T>> total(shape.channels);
    for (int64_t o = 0; o < shape.outer; ++o) {
      for (int64_t i = 0; i < shape.channels; ++i) {
        const T* from = x + (o * shape.channels + i) * shape.inner;
        for (int64_t k = 0; k < shape.inner; ++k) total[i] = Plus(total[i], static_cast<Sum<T>>(from[k]));
      }
    }
    for (int64_t i = 0; i < shape.channels; ++i) sums[i] = T(total[i]);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status L2Loss(KernelCall& c) {
  const Tensor& t = c.input(0);
  constexpr int64_t kRun = 4096;  // added by itself, so that the result does not depend on the number of threads
  const int64_t n = t.num_elements(), runs = (n + kRun - 1) / kRun;
  const T* x = t.data<T>();
  std::vector<double> sums(runs);
  RunLoop(c, runs, 0.5 * kRun, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      double lanes[8] = {};  // several at once, for the compiler to vectorise
      int64_t i = r * kRun;
      const int64_t last = std::min(n, i + kRun);
      for (; i + 8 <= last; i += 8) {
        for (int l = 0; l < 8; ++l) lanes[l] += static_cast<double>(x[i + l]) * static_cast<double>(x[i + l]);
      }
      for (; i < last; ++i) lanes[0] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
      for (const double l : lanes) sums[r] += l;
    }
  });
  double sum = 0;
  for (const double s : sums) sum += s;
  // Squares that overflow T make infinity, although half of them might fit.
  c.output(0).SetScalar(T(static_cast<Sum<T>>(T(static_cast<Sum<T>>(sum))) * Sum<T>(0.5)));
  return absl::OkStatus();
}

template <template <typename> class Op>
absl::StatusOr<Kernel> KernelOf(const NodeInfo& node) {
  auto state = std::make_shared<BiasState>();
  if (node.schema().FindAttr("data_format") != nullptr) {
    ASSIGN_OR_RETURN(const std::string format, node.Str("data_format"));
    state->channels_first = format == "NCHW";
  }
  const KernelFn fn = DispatchDType<Op<float>::kTypes>(
      node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<Op<T>::Compute>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

template <typename T>
struct BiasAddOp {
  static constexpr DTypeSet kTypes = kNumberTypes;
  static absl::Status Compute(KernelCall& c) { return BiasAdd<T>(c); }
};
template <typename T>
struct BiasAddGradOp {
  static constexpr DTypeSet kTypes = kNumberTypes;
  static absl::Status Compute(KernelCall& c) { return BiasAddGrad<T>(c); }
};
template <typename T>
struct L2LossOp {
  static constexpr DTypeSet kTypes = kFloatTypes;
  static absl::Status Compute(KernelCall& c) { return L2Loss<T>(c); }
};

absl::StatusOr<bool> ChannelsFirst(const ShapeContext& c) {
  if (c.schema().FindAttr("data_format") == nullptr) return false;
  ASSIGN_OR_RETURN(const std::string format, c.Str("data_format"));
  return format == "NCHW";
}

absl::Status BiasAddShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const bool channels_first, ChannelsFirst(c));
  ASSIGN_OR_RETURN(const PartialShape bias, c.WithRank(1, 1));
  const PartialShape& value = c.input(0);
  if (!value.has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int dim, ChannelDim(value, channels_first, "value"));
  if (value.has_dim(dim) && bias.has_dim(0) && value.dim(dim) != bias.dim(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("bias: expected shape [", value.dim(dim), "], got ", bias.ToString()));
  }
  Dims dims(value.dims().begin(), value.dims().end());
  dims[dim] = std::max(value.dim(dim), bias.dim(0));
  c.SetOutput(0, PartialShape::FromValid(dims));
  return absl::OkStatus();
}

absl::Status BiasAddGradShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const bool channels_first, ChannelsFirst(c));
  const PartialShape& dy = c.input(0);
  if (!dy.has_rank()) {
    c.SetOutput(0, PartialShape::UnknownOfRank(1));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const int dim, ChannelDim(dy, channels_first, "out_backprop"));
  c.SetOutput(0, PartialShape::Of({dy.dim(dim)}));
  return absl::OkStatus();
}

// ---- Gradients

absl::Status BiasAddGradient(GradContext& c) {
  c.Set(0, c.grad());
  if (c.needs(1)) c.Set(1, c.Op("BiasAddGrad", {c.grad()}, c.CopyAttrs({"data_format"})));
  return absl::OkStatus();
}

// Every element of a channel gets the channel's.
absl::Status BiasAddGradGrad(GradContext& c) {
  const Output shape = c.ShapeOfInput(0);
  Output grad = c.grad();
  if (c.Str("data_format") == "NCHW") {
    const Output inner = c.Op("StridedSlice", {shape, {2}, {0}, {1}}, {{"end_mask", 1}});
    grad = c.Op("Reshape", {grad, c.Op("ConcatV2", {{-1}, c.Op("OnesLike", {inner}), 0})});
  }
  c.Set(0, c.Op("BroadcastTo", {grad, shape}));
  return absl::OkStatus();
}

absl::Status L2LossGrad(GradContext& c) {
  c.Set(0, c.input(0) * c.grad());
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterBiasOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "BiasAdd(value: T, bias: T) -> (output: T); T: {float32, float64, int32, uint8, int16, int8, "
                   "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, "
                   "uint32, uint64}; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"",
      .doc = "Adds a number of its own to each channel",
      .shape = BiasAddShape,
      .kernel = KernelOf<BiasAddOp>,
      .dtypes = kNumberTypes,
      .gradient = BiasAddGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "BiasAddV1(value: T, bias: T) -> (output: T); T: {float32, float64, int32, uint8, int16, int8, "
                   "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, "
                   "uint32, uint64}",
      .doc = "Adds a number of its own to each channel, the last dimension",
      .shape = BiasAddShape,
      .kernel = KernelOf<BiasAddOp>,
      .dtypes = kNumberTypes,
      .gradient = BiasAddGradient,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "BiasAddGrad(out_backprop: T) -> (output: T); T: {float32, float64, int32, uint8, int16, int8, "
                   "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, "
                   "uint32, uint64}; data_format: {\"NHWC\", \"NCHW\"} = \"NHWC\"",
      .doc = "Sums of the gradients of each channel",
      .shape = BiasAddGradShape,
      .kernel = KernelOf<BiasAddGradOp>,
      .dtypes = kNumberTypes,
      .gradient = BiasAddGradGrad,
  }));
  return library.Add({
      .signature = "L2Loss(t: T) -> (output: T); T: {float16, bfloat16, float32, float64}",
      .doc = "Half the sum of the squares of all elements",
      .shape = shapes::Scalar,
      .kernel = KernelOf<L2LossOp>,
      .dtypes = kFloatTypes,
      .gradient = L2LossGrad,
  });
}

}  // namespace flowlatch
