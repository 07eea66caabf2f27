// Arithmetic on quantised tensors: each comes with the ends of its range, and so do the results.
//   QuantizedMatMul: quint8 [m, k], [k, n] -> qint32 [m, n]
//   QuantizedMul, QuantizedAdd: quint8, broadcast as elementwise ops do (TensorFlow only repeats a scalar or vector) -> qint32
//   QuantizedBiasAdd: quint8 or qint8 [.., channels], [channels] -> qint32
//   QuantizedRelu, QuantizedRelu6: quint8 -> quint8, qint32 -> qint32; the range stays
//   QuantizedBatchNormWithGlobalNormalization: quint8 images, mean, variance, beta and gamma -> qint32
//   QuantizedInstanceNorm: quint8 images, each channel of each brought to mean 0 and variance 1
#include "ops/quantized_math_ops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/broadcast.h"
#include "ops/kernels/gemm.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/quantized.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

int32_t AddLow32(int32_t a, int32_t b) { return static_cast<int32_t>(static_cast<uint32_t>(a) + static_cast<uint32_t>(b)); }
int32_t MultiplyLow32(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
}

// ---- Products

struct MatMulState final : KernelState {
  bool transpose_a = false, transpose_b = false;
};

// Dimensions may be -1 (unknown), so that shape function and kernel judge alike.
absl::StatusOr<Dims> MatMulOutput(const MatMulState& state, absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  if (a.size() != 2 || b.size() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("operands: expected matrices, got shapes ", DimsToString(a), " and ", DimsToString(b)));
  }
  const int64_t k = a[state.transpose_a ? 0 : 1], other_k = b[state.transpose_b ? 1 : 0];
  if (k >= 0 && other_k >= 0 && k != other_k) {
    return absl::InvalidArgumentError(absl::StrCat("matrices: expected equal inner sizes, got ", k, " and ", other_k));
  }
  return Dims{a[state.transpose_a ? 1 : 0], b[state.transpose_b ? 0 : 1]};
}

absl::Status MatMul(KernelCall& c) {
  const MatMulState& state = c.state<MatMulState>();
  const Tensor &a = c.input(0), &b = c.input(1);
  ASSIGN_OR_RETURN(const Dims dims, MatMulOutput(state, a.dims(), b.dims()));
  ASSIGN_OR_RETURN(const QuantizedRange a_range, ReadRange(c, 2, "a"));
  ASSIGN_OR_RETURN(const QuantizedRange b_range, ReadRange(c, 4, "b"));
  RETURN_IF_ERROR(ExpectWiderThanZero(a_range, "a"));
  RETURN_IF_ERROR(ExpectWiderThanZero(b_range, "b"));
  ASSIGN_OR_RETURN(const Tensor wide_a, ZeroBased<QUInt8>(a, ZeroOf<QUInt8>(a_range)));
  ASSIGN_OR_RETURN(const Tensor wide_b, ZeroBased<QUInt8>(b, ZeroOf<QUInt8>(b_range)));
  ASSIGN_OR_RETURN(Tensor product, Tensor::Make(DType::kInt32, dims));
  SetRange(c, 1, ProductRange<QUInt8, QUInt8>(a_range, b_range));
  if (product.num_elements() > 0) {
    RETURN_IF_ERROR(Gemm<int32_t>(
        c, GemmArgs<int32_t>::Dense(wide_a.data<int32_t>(), state.transpose_a ? Op::kTranspose : Op::kNone,
                                    wide_b.data<int32_t>(), state.transpose_b ? Op::kTranspose : Op::kNone,
                                    product.mutable_data<int32_t>(), dims[0], dims[1], a.dim(state.transpose_a ? 0 : 1))));
  }
  c.SetOutput(0, product.BitcastTo(DType::kQInt32, product.shape()));
  return absl::OkStatus();
}

// ---- Elementwise

// Output 0: combine(x, y) of what `read_x` and `read_y` make of the elements.
template <typename ReadX, typename ReadY, typename Combine>
absl::Status Elementwise(KernelCall& c, const ReadX& read_x, const ReadY& read_y, const Combine& combine) {
  const Tensor &x = c.input(0), &y = c.input(1);
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(x.dims(), y.dims()));
  ASSIGN_OR_RETURN(Tensor * z, c.AllocateOutput(0, DType::kQInt32, shape));
  if (shape.num_elements() == 0) return absl::OkStatus();
  const BroadcastPlan plan = PlanBroadcast({x.dims(), y.dims()}, shape.dims());
  const QUInt8 *from_x = x.data<QUInt8>(), *from_y = y.data<QUInt8>();
  QInt32* to = z->mutable_data<QInt32>();
  RunLoop(c, shape.num_elements(), 4, [&](int64_t begin, int64_t end) {
    ForEachBlock(plan, begin, end, [&](const BroadcastBlock& b) {
      for (int64_t row = 0; row < b.rows; ++row) {
        const QUInt8* a = from_x + b.offset[0] + row * b.row_stride[0];
        const QUInt8* d = from_y + b.offset[1] + row * b.row_stride[1];
        QInt32* result = to + b.out_offset + row * b.columns;
        for (int64_t i = 0; i < b.columns; ++i) {
          result[i].value = combine(read_x(a[i * b.column_step[0]]), read_y(d[i * b.column_step[1]]));
        }
      }
    });
  });
  return absl::OkStatus();
}

absl::Status Mul(KernelCall& c) {
  ASSIGN_OR_RETURN(const QuantizedRange x_range, ReadRange(c, 2, "x"));
  ASSIGN_OR_RETURN(const QuantizedRange y_range, ReadRange(c, 4, "y"));
  RETURN_IF_ERROR(ExpectWiderThanZero(x_range, "x"));
  RETURN_IF_ERROR(ExpectWiderThanZero(y_range, "y"));
  const auto zero_based = [](int64_t zero) {
    return [zero](QUInt8 q) { return static_cast<int32_t>(static_cast<uint32_t>(q.value) - static_cast<uint32_t>(zero)); };
  };
  SetRange(c, 1, ProductRange<QUInt8, QUInt8>(x_range, y_range));
  return Elementwise(c, zero_based(ZeroOf<QUInt8>(x_range)), zero_based(ZeroOf<QUInt8>(y_range)), MultiplyLow32);
}

// A range around zero that has room for the sum of 2^headroom_bits such numbers.
QuantizedRange SumRange(const QuantizedRange& x, const QuantizedRange& y, int headroom_bits) {
  const float end = std::max({x.max, -x.min, y.max, -y.min}) * static_cast<float>(1 << headroom_bits);
  return {-end, end};
}

// What each byte of a range is in a wider one.
class WidenedBytes {
 public:
  // is_single: of one value, which is brought there by itself. Many lie on the line through the first two.
  WidenedBytes(const QuantizedRange& from, const QuantizedRange& to, bool is_single) {
    const int64_t first = QuantizeUnclamped<QInt32>(DequantizeOne(QUInt8{0}, from), to);
    const int64_t second = QuantizeUnclamped<QInt32>(DequantizeOne(QUInt8{1}, from), to);
    const int32_t step = static_cast<int32_t>(static_cast<uint64_t>(second) - static_cast<uint64_t>(first));
    for (int q = 0; q < 256; ++q) {
      const int64_t on_line = std::clamp(AddWrapping(first, int64_t{q} * step), kLowestOf<QInt32>, kHighestOf<QInt32>);
      table_[q] = is_single ? QuantizeOne<QInt32>(DequantizeOne(QUInt8{static_cast<uint8_t>(q)}, from), to)
                            : static_cast<int32_t>(on_line);
    }
  }
  int32_t operator()(QUInt8 q) const { return table_[q.value]; }

 private:
  std::array<int32_t, 256> table_;
};

absl::Status Add(KernelCall& c) {
  ASSIGN_OR_RETURN(const QuantizedRange x_range, ReadRange(c, 2, "x"));
  ASSIGN_OR_RETURN(const QuantizedRange y_range, ReadRange(c, 4, "y"));
  RETURN_IF_ERROR(ExpectWiderThanZero(x_range, "x"));
  RETURN_IF_ERROR(ExpectWiderThanZero(y_range, "y"));
  const QuantizedRange sum = SumRange(x_range, y_range, 14);
  SetRange(c, 1, sum);
  const bool one_x = c.input(0).num_elements() == 1, one_y = !one_x && c.input(1).num_elements() == 1;
  const WidenedBytes x(x_range, sum, one_x), y(y_range, sum, one_y);
  return Elementwise(c, x, y, AddLow32);
}

template <typename Q>
absl::Status BiasAdd(KernelCall& c) {
  const Tensor &x = c.input(0), &bias = c.input(1);
  ASSIGN_OR_RETURN(const QuantizedRange x_range, ReadRange(c, 2, "input"));
  ASSIGN_OR_RETURN(const QuantizedRange bias_range, ReadRange(c, 4, "bias"));
  if (x.rank() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected a matrix or more dimensions, got shape ", x.ShapeString()));
  }
  const int64_t channels = x.dim(x.rank() - 1);
  if (bias.rank() != 1 || bias.dim(0) != channels) {
    return absl::InvalidArgumentError(absl::StrCat("bias: expected shape [", channels, "], got ", bias.ShapeString()));
  }
  if (channels == 0) return absl::InvalidArgumentError("bias: expected elements, got none");
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, DType::kQInt32, x.shape()));
  const QuantizedRange sum = SumRange(x_range, bias_range, 17);
  SetRange(c, 1, sum);
  const ArrayQuantizer<QInt32> quantize(sum);
  const ArrayDequantizer<Q> dequantize(x_range), dequantize_bias(bias_range);
  const int32_t zero = QuantizeOne<QInt32>(0, sum);
  std::vector<int32_t> addends(channels);
  for (int64_t k = 0; k < channels; ++k) addends[k] = AddLow32(quantize(dequantize_bias(bias.data<Q>()[k])), zero);
  const Q* from = x.data<Q>();
  QInt32* to = y->mutable_data<QInt32>();
  RunLoop(c, x.num_elements() / channels, 4.0 * static_cast<double>(channels), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin * channels; row < end * channels; row += channels) {
      for (int64_t k = 0; k < channels; ++k) to[row + k].value = AddLow32(quantize(dequantize(from[row + k])), addends[k]);
    }
  });
  return absl::OkStatus();
}

template <typename Q, bool kSix>
absl::Status Relu(KernelCall& c) {
  ASSIGN_OR_RETURN(const QuantizedRange range, ReadRange(c, 1, "features"));
  const StoredAs<Q> low = QuantizeOne<Q>(0, range);
  const StoredAs<Q> high = kSix ? QuantizeOne<Q>(6, range) : std::numeric_limits<StoredAs<Q>>::max();
  ASSIGN_OR_RETURN(Tensor * y, c.ForwardOrAllocate(0, 0, kDTypeOf<Q>, c.input(0).shape()));
  const Q* from = c.input(0).data<Q>();
  Q* to = y->mutable_data<Q>();
  RunLoop(c, y->num_elements(), 0.3, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i].value = std::min(std::max(from[i].value, low), high);
  });
  SetRange(c, 1, range);
  return absl::OkStatus();
}

// ---- Normalisation

struct BatchNormState final : KernelState {
  float epsilon = 0;
  bool scales = false;
};

// Fixed point with 11 fractional bits, of which products keep the low 32 bits.
absl::Status BatchNorm(KernelCall& c) {
  const BatchNormState& state = c.state<BatchNormState>();
  const Tensor& x = c.input(0);
  if (x.rank() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected 4 dimensions, got shape ", x.ShapeString()));
  }
  const int64_t channels = x.dim(3);
  static constexpr const char* kNames[] = {"input", "mean", "variance", "beta", "gamma"};
  QuantizedRange ranges[5];
  for (int i = 0; i < 5; ++i) {
    ASSIGN_OR_RETURN(ranges[i], ReadRange(c, 3 * i + 1, kNames[i]));
    const Tensor& t = c.input(3 * i);
    if (i > 0 && (t.rank() != 1 || t.dim(0) != channels)) {
      return absl::InvalidArgumentError(
          absl::StrCat(kNames[i], ": expected shape [", channels, "], got ", t.ShapeString()));
    }
  }
  if (channels == 0) return absl::InvalidArgumentError("mean: expected elements, got none");
  constexpr QuantizedRange kOutput{-(1 << 20), 1 << 20};
  const int32_t one = QuantizeOne<QInt32>(1, kOutput);
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, DType::kQInt32, x.shape()));
  SetRange(c, 1, kOutput);
  for (int64_t k = 0; k < channels; ++k) {
    const auto value = [&](int i) { return DequantizeOne(c.input(3 * i).data<QUInt8>()[k], ranges[i]); };
    const float deviation = std::sqrt(value(2) + state.epsilon);
    const float scale = (state.scales ? value(4) : 1.f) / deviation;
    const float offset = -value(1) * scale + value(3);
    const int32_t quantized_scale = QuantizeOne<QInt32>(scale, kOutput);
    const int32_t quantized_offset = QuantizeOne<QInt32>(offset, kOutput);
    for (int64_t i = k; i < x.num_elements(); i += channels) {
      const int32_t input = QuantizeOne<QInt32>(DequantizeOne(x.data<QUInt8>()[i], ranges[0]), kOutput);
      y->mutable_data<QInt32>()[i].value = AddLow32(MultiplyLow32(input, quantized_scale) / one, quantized_offset);
    }
  }
  return absl::OkStatus();
}

struct InstanceNormState final : KernelState {
  bool has_range = false;
  QuantizedRange range;
  float epsilon = 0, min_separation = 0;
};

absl::Status InstanceNorm(KernelCall& c) {
  const InstanceNormState& state = c.state<InstanceNormState>();
  const Tensor& x = c.input(0);
  ASSIGN_OR_RETURN(const QuantizedRange range, ReadRange(c, 1, "x"));
  if (x.rank() != 4) return absl::InvalidArgumentError(absl::StrCat("x: expected 4 dimensions, got shape ", x.ShapeString()));
  RETURN_IF_ERROR(ExpectWiderThanZero(range, "x"));
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, DType::kQUInt8, x.shape()));
  ASSIGN_OR_RETURN(Tensor normed, Tensor::Make(DType::kFloat32, x.shape()));
  const int64_t channels = x.dim(3), pixels = channels == 0 ? 0 : x.dim(1) * x.dim(2);
  const ArrayDequantizer<QUInt8> dequantize(range);
  float* to = normed.mutable_data<float>();
  for (int64_t i = 0; i < x.num_elements(); ++i) to[i] = dequantize(x.data<QUInt8>()[i]);
  for (int64_t image = 0; image < x.dim(0); ++image, to += pixels * channels) {
    for (int64_t k = 0; k < channels; ++k) {
      double sum = 0, squares = 0;
      for (int64_t p = 0; p < pixels; ++p) sum += to[p * channels + k];
      const float mean = static_cast<float>(sum / static_cast<double>(pixels));
      for (int64_t p = 0; p < pixels; ++p) {
        float& value = to[p * channels + k];
        value -= mean;
        squares += static_cast<double>(value) * value;
      }
      const float variance = static_cast<float>(squares / static_cast<double>(pixels));
      const float factor = 1.f / std::sqrt(variance + state.epsilon);
      for (int64_t p = 0; p < pixels; ++p) to[p * channels + k] *= factor;
    }
  }
  QuantizedRange filled = state.range;
  if (!state.has_range) {
    filled = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
    for (const float value : normed.values<float>()) filled = {std::min(filled.min, value), std::max(filled.max, value)};
    if (filled.max - filled.min < state.min_separation) filled.max = filled.min + state.min_separation;
  }
  const ArrayQuantizer<QUInt8> quantize(filled);
  for (int64_t i = 0; i < x.num_elements(); ++i) y->mutable_data<QUInt8>()[i].value = quantize(normed.data<float>()[i]);
  SetRange(c, 1, filled);
  return absl::OkStatus();
}

// ---- Choice of kernels

// A kernel of quint8 that makes qint32.
template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> WideningKernel(const NodeInfo& node, std::shared_ptr<const KernelState> state = nullptr) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    const DType dtype = node.input_dtype(i);
    if (dtype != DType::kQUInt8 && dtype != DType::kFloat32) return NoKernelFor(node, dtype);
  }
  if (node.output_dtype(0) != DType::kQInt32) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::StatusOr<Kernel> MatMulKernel(const NodeInfo& node) {
  auto state = std::make_shared<MatMulState>();
  ASSIGN_OR_RETURN(state->transpose_a, node.Bool("transpose_a"));
  ASSIGN_OR_RETURN(state->transpose_b, node.Bool("transpose_b"));
  return WideningKernel<MatMul>(node, std::move(state));
}

absl::StatusOr<Kernel> BatchNormKernel(const NodeInfo& node) {
  auto state = std::make_shared<BatchNormState>();
  ASSIGN_OR_RETURN(state->epsilon, node.Float("variance_epsilon"));
  ASSIGN_OR_RETURN(state->scales, node.Bool("scale_after_normalization"));
  return WideningKernel<BatchNorm>(node, std::move(state));
}

absl::StatusOr<Kernel> InstanceNormKernel(const NodeInfo& node) {
  if (node.input_dtype(0) != DType::kQUInt8) return NoKernelFor(node, node.input_dtype(0));
  auto state = std::make_shared<InstanceNormState>();
  ASSIGN_OR_RETURN(state->has_range, node.Bool("output_range_given"));
  ASSIGN_OR_RETURN(state->range.min, node.Float("given_y_min"));
  ASSIGN_OR_RETURN(state->range.max, node.Float("given_y_max"));
  ASSIGN_OR_RETURN(state->epsilon, node.Float("variance_epsilon"));
  ASSIGN_OR_RETURN(state->min_separation, node.Float("min_separation"));
  if (state->has_range) RETURN_IF_ERROR(ExpectWiderThanZero(state->range, "y"));
  return Kernel{.fn = &RunKernel<InstanceNorm>, .state = std::move(state)};
}

absl::StatusOr<Kernel> BiasAddKernel(const NodeInfo& node) {
  const DType dtype = node.input_dtype(0);
  if (node.input_dtype(1) != dtype) return NoKernelFor(node, node.input_dtype(1));
  if (node.output_dtype(0) != DType::kQInt32) return NoKernelFor(node, node.output_dtype(0));
  if (dtype == DType::kQUInt8) return Kernel{.fn = &RunKernel<BiasAdd<QUInt8>>};
  if (dtype == DType::kQInt8) return Kernel{.fn = &RunKernel<BiasAdd<QInt8>>};
  return NoKernelFor(node, dtype);
}

template <bool kSix>
absl::StatusOr<Kernel> ReluKernel(const NodeInfo& node) {
  const DType dtype = node.input_dtype(0);
  if (node.output_dtype(0) != dtype) return NoKernelFor(node, node.output_dtype(0));
  if (dtype == DType::kQUInt8) return Kernel{.fn = &RunKernel<Relu<QUInt8, kSix>>};
  if (dtype == DType::kQInt32) return Kernel{.fn = &RunKernel<Relu<QInt32, kSix>>};
  return NoKernelFor(node, dtype);
}

// ---- Schemas

absl::Status MatMulShape(ShapeContext& c) {
  MatMulState state;
  ASSIGN_OR_RETURN(state.transpose_a, c.Bool("transpose_a"));
  ASSIGN_OR_RETURN(state.transpose_b, c.Bool("transpose_b"));
  ASSIGN_OR_RETURN(const PartialShape a, c.WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape b, c.WithRank(1, 2));
  RETURN_IF_ERROR(ExpectRanges(c, 2));
  ASSIGN_OR_RETURN(const Dims dims, MatMulOutput(state, a.dims(), b.dims()));
  c.SetOutput(0, PartialShape::FromValid(dims));
  return SetRangeShapes(c);
}

absl::Status ElementwiseShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectRanges(c, 2));
  RETURN_IF_ERROR(shapes::Broadcast(c));
  return SetRangeShapes(c);
}

absl::Status BiasAddShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(1));
  RETURN_IF_ERROR(ExpectRanges(c, 2));
  c.SetOutput(0, c.input(0));
  return SetRangeShapes(c);
}

absl::Status ReluShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectRanges(c, 1));
  c.SetOutput(0, c.input(0));
  return SetRangeShapes(c);
}

absl::Status BatchNormShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape images, c.WithRank(0, 4));
  Dims dims(images.dims().begin(), images.dims().end());
  for (int i = 0; i < 5; ++i) {
    RETURN_IF_ERROR(c.ExpectScalar(3 * i + 1));
    RETURN_IF_ERROR(c.ExpectScalar(3 * i + 2));
    if (i == 0) continue;
    ASSIGN_OR_RETURN(const PartialShape merged, PartialShape::Of({dims[3]}).MergeWith(c.input(3 * i)));
    dims[3] = merged.dim(0);
  }
  c.SetOutput(0, PartialShape::FromValid(dims));
  return SetRangeShapes(c);
}

absl::Status InstanceNormShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape images, c.WithRank(0, 4));
  RETURN_IF_ERROR(ExpectRanges(c, 1));
  c.SetOutput(0, std::move(images));
  return SetRangeShapes(c);
}

}  // namespace

absl::Status RegisterQuantizedMathOps(OpLibrary& library) {
  struct Op {
    const char* name;
    const char* doc;
    absl::Status (*shape)(ShapeContext&);
    absl::StatusOr<Kernel> (*kernel)(const NodeInfo&);
  };
  constexpr Op kOps[] = {
      {"QuantizedMatMul", "The product of matrices of integers that stand for ranges", MatMulShape, MatMulKernel},
      {"QuantizedMul", "x * y of integers that stand for ranges", ElementwiseShape,
       [](const NodeInfo& node) { return WideningKernel<Mul>(node); }},
      {"QuantizedAdd", "x + y of integers that stand for ranges", ElementwiseShape,
       [](const NodeInfo& node) { return WideningKernel<Add>(node); }},
      {"QuantizedBiasAdd", "A vector added to every row, both of integers that stand for ranges", BiasAddShape, BiasAddKernel},
      {"QuantizedRelu", "max(features, 0) of integers that stand for a range", ReluShape, ReluKernel<false>},
      {"QuantizedRelu6", "min(max(features, 0), 6) of integers that stand for a range", ReluShape, ReluKernel<true>},
      {"QuantizedBatchNormWithGlobalNormalization", "Batch normalisation of integers that stand for a range", BatchNormShape,
       BatchNormKernel},
      {"QuantizedInstanceNorm", "Each channel of each image brought to mean 0 and variance 1, as integers that stand for a range",
       InstanceNormShape, InstanceNormKernel},
  };
  for (const Op& op : kOps) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op.name), .doc = op.doc, .shape = op.shape, .kernel = op.kernel}));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
