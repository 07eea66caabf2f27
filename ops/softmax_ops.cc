// Classification: probabilities, losses and hits.
//   Softmax, LogSoftmax: logits [d.., classes] -> the same shape; every row of `classes` by itself.
//   SoftmaxCrossEntropyWithLogits: features, labels [batch, classes] (they broadcast) -> loss [batch], backprop
//     [batch, classes], which is softmax - labels.
//   SparseSoftmaxCrossEntropyWithLogits: features [batch, classes], labels int32 or int64 [batch] in [0, classes).
//   InTopK(V2): predictions float [batch, classes], targets [batch] -> bool [batch]: whether fewer than k classes have a
//     larger prediction. False where a target is no class or a prediction that matters is not finite.
// Floating dtypes; 16-bit ones are computed in float. Rows are shifted by their largest value, so nothing overflows. A loss
// over no classes is 0.
#include "ops/softmax_ops.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/small_floats.h"
#include "ops/kernels/softmax.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// The type that rows of T are computed in.
template <typename T>
using Wide = std::conditional_t<kIsSmallFloat<T>, float, T>;

constexpr double kCostPerClass = 1.0;  // rough nanoseconds
constexpr double kCostPerRow = 30.0;

// Rows of T as rows of Wide<T>: the tensor's own memory, or copies. A row of one element stands for `cols` equal ones.
template <typename T>
class RowReader {
 public:
  RowReader(const T* data, int64_t stored_rows, int64_t stored_cols, int64_t cols)
      : data_(data), row_stride_(stored_rows == 1 ? 0 : stored_cols), stored_cols_(stored_cols) {
    if (!std::is_same_v<T, Wide<T>> || stored_cols != cols) copy_.resize(cols);
  }
  const Wide<T>* Row(int64_t i) {
    const T* row = data_ + i * row_stride_;
    if constexpr (std::is_same_v<T, Wide<T>>) {
      if (copy_.empty()) return row;
    }
    if (stored_cols_ == 1) {
      std::fill(copy_.begin(), copy_.end(), static_cast<Wide<T>>(*row));
    } else if constexpr (kIs16BitFloat<T>) {
      WidenFloats(row, copy_.data(), stored_cols_);
    } else {
      std::copy(row, row + stored_cols_, copy_.begin());
    }
    return copy_.data();
  }

 private:
  const T* const data_;
  const int64_t row_stride_, stored_cols_;
  std::vector<Wide<T>> copy_;
};

// Where a row of Wide<T> is computed on its way to a row of T.
template <typename T>
class RowWriter {
 public:
  RowWriter(T* data, int64_t cols) : data_(data), cols_(cols) {
    if (!std::is_same_v<T, Wide<T>>) row_.resize(cols);
  }
  Wide<T>* Row(int64_t i) {
    if constexpr (std::is_same_v<T, Wide<T>>) return data_ + i * cols_;
    else return row_.data();
  }
  void Finish(int64_t i) {
    if constexpr (!std::is_same_v<T, Wide<T>>) {
      NarrowFloats(row_.data(), data_ + i * cols_, cols_);
    }
  }

 private:
  T* const data_;
  const int64_t cols_;
  std::vector<Wide<T>> row_;
};

template <typename T, bool kLog>
absl::Status Softmax(KernelCall& c) {
  const Tensor& x = c.input(0);
  if (x.rank() == 0) return absl::InvalidArgumentError("logits: expected at least 1 dimension, got shape []");
  ASSIGN_OR_RETURN(Tensor* y, c.ForwardOrAllocate(0, 0, kDTypeOf<T>, x.shape()));
  if (x.num_elements() == 0) return absl::OkStatus();
  const int64_t cols = x.dim(x.rank() - 1), rows = x.num_elements() / cols;
  const T* from = x.data<T>();
  T* to = y->mutable_data<T>();
  RunLoop(c, rows, kCostPerRow + kCostPerClass * static_cast<double>(cols), [=](int64_t begin, int64_t end) {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      SoftmaxRows(from + begin * cols, to + begin * cols, end - begin, cols, kLog);
    } else {
      const int64_t rows_at_a_time = std::max<int64_t>(1, kFloatPiece / cols);
      std::vector<float> wide(rows_at_a_time * cols);
      for (int64_t i = begin; i < end; i += rows_at_a_time) {
        const int64_t some = std::min(rows_at_a_time, end - i);
        WidenFloats(from + i * cols, wide.data(), some * cols);
        SoftmaxRows(wide.data(), wide.data(), some, cols, kLog);
        NarrowFloats(wide.data(), to + i * cols, some * cols);
      }
    }
  });
  return absl::OkStatus();
}

// [rows, cols] of two operands that broadcast to a matrix. Dimensions may be -1.
absl::StatusOr<PartialShape> MatrixOf(const PartialShape& features, const PartialShape& labels) {
  absl::StatusOr<PartialShape> both = BroadcastPartialShapes(features, labels);
  if (!both.ok() || (both->has_rank() && both->rank() != 2)) {
    return absl::InvalidArgumentError(absl::StrCat("features and labels: expected shapes that broadcast to a matrix, got ",
                                                   features.ToString(), " and ", labels.ToString()));
  }
  return both;
}

template <typename T>
RowReader<T> BroadcastReader(const Tensor& t, int64_t cols) {
  const int64_t stored_cols = t.rank() == 0 ? 1 : t.dim(t.rank() - 1), stored_rows = t.rank() == 2 ? t.dim(0) : 1;
  return RowReader<T>(t.data<T>(), stored_rows, stored_cols, cols);
}

template <typename T>
absl::Status SoftmaxCrossEntropy(KernelCall& c) {
  const Tensor &features = c.input(0), &labels = c.input(1);
  ASSIGN_OR_RETURN(const PartialShape matrix, MatrixOf(features.shape(), labels.shape()));
  const int64_t rows = matrix.dim(0), cols = matrix.dim(1);
  ASSIGN_OR_RETURN(Tensor* loss, c.AllocateOutput(0, kDTypeOf<T>, {rows}));
  ASSIGN_OR_RETURN(Tensor* backprop, c.ForwardOrAllocate(1, 0, kDTypeOf<T>, Shape::FromValid(matrix.dims())));
  T* losses = loss->mutable_data<T>();
  if (cols == 0) std::fill(losses, losses + rows, T(0.0f));
  if (backprop->num_elements() == 0) return absl::OkStatus();
  T* to = backprop->mutable_data<T>();
  RunLoop(c, rows, kCostPerRow + 2 * kCostPerClass * static_cast<double>(cols), [&](int64_t begin, int64_t end) {
    RowReader<T> x = BroadcastReader<T>(features, cols), target = BroadcastReader<T>(labels, cols);
    RowWriter<T> writer(to, cols);
    for (int64_t i = begin; i < end; ++i) {
      losses[i] = T(CrossEntropyRow(x.Row(i), target.Row(i), writer.Row(i), cols));
      writer.Finish(i);
    }
  });
  return absl::OkStatus();
}

// Errors: InvalidArgument unless features: [batch, classes], labels: [batch].
absl::Status CheckSparseShapes(const PartialShape& features, const PartialShape& labels, absl::string_view features_name,
                               absl::string_view labels_name) {
  if (features.has_rank() && features.rank() != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat(features_name, ": expected a matrix, got shape ", features.ToString()));
  }
  if (labels.has_rank() && labels.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat(labels_name, ": expected a vector, got shape ", labels.ToString()));
  }
  if (features.has_rank() && labels.has_rank() && features.has_dim(0) && labels.has_dim(0) &&
      features.dim(0) != labels.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat(labels_name, ": expected one for each row of ", features_name, " ",
                                                   features.ToString(), ", got ", labels.ToString()));
  }
  return absl::OkStatus();
}

template <typename T, typename Label>
absl::Status SparseSoftmaxCrossEntropy(KernelCall& c) {
  const Tensor &features = c.input(0), &labels = c.input(1);
  RETURN_IF_ERROR(CheckSparseShapes(features.shape(), labels.shape(), "features", "labels"));
  const int64_t rows = features.dim(0), cols = features.dim(1);
  if (cols == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("features: expected at least one class, got shape ", features.ShapeString()));
  }
  // The copy keeps what was checked from changing under the loop.
  const std::vector<Label> label(labels.data<Label>(), labels.data<Label>() + rows);
  for (int64_t i = 0; i < rows; ++i) {
    if (label[i] < 0 || label[i] >= cols) return IndexOutOfRange("labels", i, labels.dims(), cols, label[i]);
  }
  ASSIGN_OR_RETURN(Tensor* loss, c.AllocateOutput(0, kDTypeOf<T>, {rows}));
  ASSIGN_OR_RETURN(Tensor* backprop, c.ForwardOrAllocate(1, 0, kDTypeOf<T>, features.shape()));
  const T* from = features.data<T>();
  T *losses = loss->mutable_data<T>(), *to = backprop->mutable_data<T>();
  RunLoop(c, rows, kCostPerRow + kCostPerClass * static_cast<double>(cols), [&](int64_t begin, int64_t end) {
    RowReader<T> x(from, rows, cols, cols);
    RowWriter<T> writer(to, cols);
    for (int64_t i = begin; i < end; ++i) {
      losses[i] = T(SparseCrossEntropyRow(x.Row(i), label[i], writer.Row(i), cols));
      writer.Finish(i);
    }
  });
  return absl::OkStatus();
}

// Whether fewer than k classes beat the target.
bool IsInTopK(const float* predictions, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(predictions[target])) return false;
  int64_t better = 0;
  for (int64_t j = 0; j < classes && better <= k; ++j) {
    if (!std::isfinite(predictions[j])) return false;
    if (predictions[j] > predictions[target]) ++better;
  }
  return better < k;
}

struct TopKState final : KernelState {
  int64_t k = 0;
};

template <typename T>
absl::Status InTopK(KernelCall& c) {
  const Tensor &predictions = c.input(0), &targets = c.input(1);
  RETURN_IF_ERROR(CheckSparseShapes(predictions.shape(), targets.shape(), "predictions", "targets"));
  int64_t k;
  if (c.num_inputs() == 3) {
    ASSIGN_OR_RETURN(k, ReadIntScalar(c.input(2), "k"));
  } else {
    k = c.state<TopKState>().k;
  }
  const int64_t rows = predictions.dim(0), cols = predictions.dim(1);
  ASSIGN_OR_RETURN(Tensor* out, c.AllocateOutput(0, DType::kBool, {rows}));
  const float* prediction = predictions.data<float>();
  const T* target = targets.data<T>();
  bool* hits = out->mutable_data<bool>();
  RunLoop(c, rows, kCostPerRow + kCostPerClass * static_cast<double>(cols), [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) hits[i] = IsInTopK(prediction + i * cols, cols, target[i], k);
  });
  return absl::OkStatus();
}

template <bool kLog>
absl::StatusOr<Kernel> SoftmaxKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kFloatTypes>(node.input_dtype(0), KernelFn{},
                                                 []<typename T>() -> KernelFn { return &RunKernel<Softmax<T, kLog>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::StatusOr<Kernel> CrossEntropyKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kFloatTypes>(
      node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<SoftmaxCrossEntropy<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::StatusOr<Kernel> SparseCrossEntropyKernel(const NodeInfo& node) {
  const bool wide = node.input_dtype(1) == DType::kInt64;
  const KernelFn fn = DispatchDType<kFloatTypes>(node.input_dtype(0), KernelFn{}, [wide]<typename T>() -> KernelFn {
    return wide ? &RunKernel<SparseSoftmaxCrossEntropy<T, int64_t>> : &RunKernel<SparseSoftmaxCrossEntropy<T, int32_t>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::StatusOr<Kernel> InTopKKernel(const NodeInfo& node) {
  auto state = std::make_shared<TopKState>();
  if (node.num_inputs() == 2) {
    ASSIGN_OR_RETURN(state->k, node.Int("k"));
  }
  const bool wide = node.input_dtype(1) == DType::kInt64;
  return Kernel{.fn = wide ? &RunKernel<InTopK<int64_t>> : &RunKernel<InTopK<int32_t>>, .state = std::move(state)};
}

absl::Status SoftmaxShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape x, c.WithRankAtLeast(0, 1));
  c.SetOutput(0, std::move(x));
  return absl::OkStatus();
}

absl::Status CrossEntropyShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape matrix, MatrixOf(c.input(0), c.input(1)));
  if (!matrix.has_rank()) matrix = PartialShape::UnknownOfRank(2);
  c.SetOutput(0, PartialShape::Of({matrix.dim(0)}));
  c.SetOutput(1, std::move(matrix));
  return absl::OkStatus();
}

absl::Status SparseCrossEntropyShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckSparseShapes(c.input(0), c.input(1), "features", "labels"));
  ASSIGN_OR_RETURN(const PartialShape features, c.WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape labels, c.WithRank(1, 1));
  const int64_t rows = std::max(features.dim(0), labels.dim(0));
  c.SetOutput(0, PartialShape::Of({rows}));
  c.SetOutput(1, PartialShape::Of({rows, features.dim(1)}));
  return absl::OkStatus();
}

absl::Status InTopKShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckSparseShapes(c.input(0), c.input(1), "predictions", "targets"));
  if (c.num_inputs() == 3) RETURN_IF_ERROR(c.ExpectScalar(2));
  ASSIGN_OR_RETURN(const PartialShape predictions, c.WithRank(0, 2));
  ASSIGN_OR_RETURN(const PartialShape targets, c.WithRank(1, 1));
  c.SetOutput(0, PartialShape::Of({std::max(predictions.dim(0), targets.dim(0))}));
  return absl::OkStatus();
}

// ---- Gradients

Output SumOfRows(GradContext& c, const Output& x) { return c.Op("Sum", {x, -1}, {{"keep_dims", true}}); }

// The gradient of the logits where `grad` arrives at their softmax.
Output ThroughSoftmax(GradContext& c, const Output& grad, const Output& softmax) {
  return (grad - SumOfRows(c, grad * softmax)) * softmax;
}

absl::Status SoftmaxGrad(GradContext& c) {
  c.Set(0, ThroughSoftmax(c, c.grad(), c.output(0)));
  return absl::OkStatus();
}

absl::Status LogSoftmaxGrad(GradContext& c) {
  c.Set(0, c.grad() - SumOfRows(c, c.grad()) * c.Op("Exp", {c.output(0)}));
  return absl::OkStatus();
}

// The loss's gradient is output 1 already; output 1 has one of its own, the softmax's.
Output CrossEntropyLogitsGrad(GradContext& c) {
  Output grad = c.Op("ExpandDims", {c.grad(0), -1}) * c.output(1);
  if (c.has_grad(1)) grad = grad + ThroughSoftmax(c, c.grad(1), c.Op("Softmax", {c.input(0)}));
  return grad;
}

absl::Status CrossEntropyGrad(GradContext& c) {
  if (c.needs(0)) c.Set(0, SumToShapeOf(c, CrossEntropyLogitsGrad(c), 0, 1));
  if (c.needs(1)) {
    const Output labels = c.Op("ExpandDims", {c.grad(0), -1}) * -c.Op("LogSoftmax", {c.input(0)});
    c.Set(1, SumToShapeOf(c, labels, 1, 0));
  }
  return absl::OkStatus();
}

absl::Status SparseCrossEntropyGrad(GradContext& c) {
  c.Set(0, CrossEntropyLogitsGrad(c));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterSoftmaxOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Softmax(logits: T) -> (softmax: T); T: {float16, bfloat16, float32, float64}",
      .doc = "Probabilities along the last dimension: exp(logits) divided by their sum",
      .shape = SoftmaxShape,
      .kernel = SoftmaxKernel<false>,
      .dtypes = kFloatTypes,
      .gradient = SoftmaxGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "LogSoftmax(logits: T) -> (logsoftmax: T); T: {float16, bfloat16, float32, float64}",
      .doc = "The logarithm of Softmax, computed without rounding to 0 first",
      .shape = SoftmaxShape,
      .kernel = SoftmaxKernel<true>,
      .dtypes = kFloatTypes,
      .gradient = LogSoftmaxGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> (loss: T, backprop: T); T: {float16, "
                   "bfloat16, float32, float64}",
      .doc = "The cross entropy of labels with the softmax of features, and its gradient",
      .shape = CrossEntropyShape,
      .kernel = CrossEntropyKernel,
      .dtypes = kFloatTypes,
      .gradient = CrossEntropyGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> (loss: T, backprop: T); T: "
                   "{float16, bfloat16, float32, float64}; Tlabels: {int32, int64} = int64",
      .doc = "The cross entropy of class numbers with the softmax of features, and its gradient",
      .shape = SparseCrossEntropyShape,
      .kernel = SparseCrossEntropyKernel,
      .dtypes = kFloatTypes,
      .gradient = SparseCrossEntropyGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "InTopK(predictions: float32, targets: T) -> (precision: bool); k: int; T: {int32, int64} = int32",
      .doc = "Whether the target is among the k largest predictions",
      .shape = InTopKShape,
      .kernel = InTopKKernel,
      .dtypes = kIndexTypes,
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "InTopKV2(predictions: float32, targets: T, k: T) -> (precision: bool); T: {int32, int64} = int32",
      .doc = "Whether the target is among the k largest predictions",
      .shape = InTopKShape,
      .kernel = InTopKKernel,
      .dtypes = kIndexTypes,
      .gradient = gradients::None,
  });
}

}  // namespace flowlatch
