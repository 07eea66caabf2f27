// Cumsum, Cumprod, CumulativeLogsumexp: running sums, products and logarithms of sums of exponentials along one dimension.
//   x: T[outer.., n, inner..], axis: integer scalar, negative from the end -> out, of x's shape.
// exclusive: each result leaves out its own element, so the first is 0, 1 or -infinity. reverse: from the end to the beginning.
// Values run in the element type: integers wrap, small formats round at each step.
#include "ops/scan_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

absl::Status ScanShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  if (c.input(0).has_rank() && c.constant(1) != nullptr) {
    ASSIGN_OR_RETURN(const int64_t axis, ReadIntScalar(*c.constant(1), "axis"));
    RETURN_IF_ERROR(NormalizeAxis(axis, c.input(0).rank()).status());
  }
  return shapes::SameAsInput(c);
}

class ScanState : public KernelState {
 public:
  ScanState(bool exclusive, bool reverse) : exclusive(exclusive), reverse(reverse) {}
  const bool exclusive, reverse;
};

constexpr int64_t kMaxColumns = 64;

// Runs down `n` rows, `step` apart (negative to go backwards), in each of `columns` <= kMaxColumns columns.
template <typename Op, typename T>
void ScanColumns(const T* x, T* y, int64_t n, int64_t step, int64_t columns, bool exclusive) {
  using W = combine::Wide<T>;
  T running[kMaxColumns];
  std::fill_n(running, columns, T(Op::template Identity<W>()));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t at = i * step + j;
      const T next = T(Op::template Apply<W>(running[j], x[at]));  // read before y, which may be x, is written
      y[at] = exclusive ? running[j] : next;
      running[j] = next;
    }
  }
}

template <typename Op, typename T>
absl::Status Scan(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const int64_t given, ReadIntScalar(c.input(1), "axis"));
  ASSIGN_OR_RETURN(const int axis, NormalizeAxis(given, input.rank()));
  const int64_t n = input.dim(axis);
  int64_t inner = 1;
  for (int i = axis + 1; i < input.rank(); ++i) inner *= input.dim(i);
  const int64_t total = input.num_elements();
  const T* x = input.data<T>();
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, input.dtype(), input.shape()));
  if (total == 0) return absl::OkStatus();
  T* y = output->mutable_data<T>();
  const bool exclusive = c.state<ScanState>().exclusive, reverse = c.state<ScanState>().reverse;
  const int64_t blocks = (inner + kMaxColumns - 1) / kMaxColumns;
  const double cost = static_cast<double>(n) * static_cast<double>(std::min(inner, kMaxColumns));
  RunLoop(c, total / (n * inner) * blocks, cost, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t column = task % blocks * kMaxColumns;
      const int64_t first = task / blocks * n * inner + column + (reverse ? (n - 1) * inner : 0);
      ScanColumns<Op>(x + first, y + first, n, reverse ? -inner : inner, std::min(kMaxColumns, inner - column), exclusive);
    }
  });
  return absl::OkStatus();
}

// log(exp(a) + exp(b)), which overflows only where the result does.
struct LogSumExp {
  template <typename W>
  static W Identity() {
    return -std::numeric_limits<W>::infinity();
  }
  template <typename W>
  static W Apply(W a, W b) {
    const W larger = a > b ? a : b, smaller = a > b ? b : a;
    if (std::isinf(larger) && !std::isnan(smaller)) return larger;
    return larger + std::log1p(std::exp(smaller - larger));
  }
};

template <typename Op, DTypeSet kTypes>
absl::StatusOr<Kernel> ScanKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool exclusive, node.Bool("exclusive"));
  ASSIGN_OR_RETURN(const bool reverse, node.Bool("reverse"));
  const KernelFn fn =
      DispatchDType<kTypes>(node.input_dtype(0), KernelFn{}, []<typename T>() { return &RunKernel<Scan<Op, T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<ScanState>(exclusive, reverse)};
}

// ---- Gradients

// A running sum in the other direction.
Output ReversedCumsum(GradContext& c, const Output& x) {
  return c.Op("Cumsum", {x, c.input(1)}, {{"exclusive", c.Bool("exclusive")}, {"reverse", !c.Bool("reverse")}});
}

absl::Status CumsumGrad(GradContext& c) {
  c.Set(0, ReversedCumsum(c, c.grad()));
  return absl::OkStatus();
}

absl::Status CumprodGrad(GradContext& c) {
  c.Set(0, c.Op("DivNoNan", {ReversedCumsum(c, c.output(0) * c.grad()), c.input(0)}));
  return absl::OkStatus();
}

// The part of the gradient that comes from positive elements of `grad`, which have logarithms.
Output PositiveLogsumexpGrad(GradContext& c, const Output& grad) {
  const Output zero = c.ScalarLike(0, grad), nothing = c.ScalarLike(-std::numeric_limits<double>::infinity(), grad);
  const Output log = c.Op("SelectV2", {c.Op("Greater", {grad, zero}), c.Op("Log", {grad}), nothing});
  const Output sums = c.Op("CumulativeLogsumexp", {log - c.output(0), c.input(1)},
                           {{"exclusive", c.Bool("exclusive")}, {"reverse", !c.Bool("reverse")}});
  return c.Op("Exp", {sums + c.input(0)});
}

absl::Status CumulativeLogsumexpGrad(GradContext& c) {
  c.Set(0, PositiveLogsumexpGrad(c, c.grad()) - PositiveLogsumexpGrad(c, -c.grad()));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterScanOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Cumsum(x: T, axis: Tidx) -> (out: T); exclusive: bool = false; reverse: bool = false; T: {float32, "
                   "float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
                   "quint16, uint16, complex128, float16, uint32, uint64}; Tidx: {int32, int64} = int32",
      .doc = "running sums along a dimension",
      .shape = ScanShape,
      .kernel = ScanKernel<combine::Sum, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = CumsumGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "Cumprod(x: T, axis: Tidx) -> (out: T); exclusive: bool = false; reverse: bool = false; T: {float32, "
          "float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
          "quint16, uint16, complex128, float16, uint32, uint64}; Tidx: {int32, int64} = int32",
      .doc = "running products along a dimension",
      .shape = ScanShape,
      .kernel = ScanKernel<combine::Prod, kNumberTypes>,
      .dtypes = kNumberTypes,
      .gradient = CumprodGrad,
  }));
  return library.Add({
      .signature = TensorFlowSignature("CumulativeLogsumexp"),
      .doc = "running logarithms of sums of exponentials along a dimension",
      .shape = ScanShape,
      .kernel = ScanKernel<LogSumExp, kFloatTypes>,
      .dtypes = kFloatTypes,
      .gradient = CumulativeLogsumexpGrad,
  });
}

}  // namespace flowlatch
