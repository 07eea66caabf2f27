// Betainc: a, b, x -> the regularised incomplete beta function, the integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x
// divided by that from 0 to 1. Operands have one shape or are scalars. NaN unless a > 0, b > 0 and 0 <= x <= 1. float32
// and float64, computed in double by a continued fraction.
#include "ops/beta_ops.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kBetaTypes{DType::kFloat32, DType::kFloat64};

// The logarithm of x^a (1 - x)^b / B(a, b), without the signs that lgamma leaves in a global variable.
double LogWeight(double a, double b, double x) {
  int sign;
  return a * std::log(x) + b * std::log1p(-x) + lgamma_r(a + b, &sign) - lgamma_r(a, &sign) - lgamma_r(b, &sign);
}

// The fraction 1 / (1 + d1 / (1 + d2 / (1 + ...))) by Lentz's method; it converges fast for x below (a + 1) / (a + b +
// 2).
double BetaFraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  constexpr int kMaxTerms = 100000;  // about sqrt(max(a, b)) are needed
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < kMaxTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const double term : {even, odd}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      factor = c * d;
      value *= factor;
    }
    if (!(std::abs(factor - 1) > std::numeric_limits<double>::epsilon())) break;
  }
  return value;
}

double IncompleteBeta(double a, double b, double x) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1) || std::isinf(a) || std::isinf(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (x == 0 || x == 1) return x;
  const double weight = std::exp(LogWeight(a, b, x));
  if (x < (a + 1) / (a + b + 2)) return weight * BetaFraction(a, b, x) / a;
  return 1 - weight * BetaFraction(b, a, 1 - x) / b;
}

// The shape of all operands that are no scalars. Dimensions may be unknown.
absl::StatusOr<PartialShape> CommonShape(const PartialShape& a, const PartialShape& b, const PartialShape& x) {
  PartialShape common = PartialShape::Of({});
  bool unknown = false;
  for (const PartialShape* shape : {&a, &b, &x}) {
    if (!shape->has_rank()) {
      unknown = true;
    } else if (shape->rank() > 0) {
      if (common.rank() == 0) common = *shape;
      const absl::StatusOr<PartialShape> merged = common.MergeWith(*shape);
      if (!merged.ok()) {
        return absl::InvalidArgumentError(absl::StrCat("a, b and x: expected one shape or scalars, got ", a.ToString(),
                                                       ", ", b.ToString(), " and ", x.ToString()));
      }
      common = *merged;
    }
  }
  return unknown && common.rank() == 0 ? PartialShape() : common;
}

template <typename T>
absl::Status Betainc(KernelCall& c) {
  const Tensor &a = c.input(0), &b = c.input(1), &x = c.input(2);
  ASSIGN_OR_RETURN(const PartialShape common, CommonShape(a.shape(), b.shape(), x.shape()));
  ASSIGN_OR_RETURN(Tensor * z, c.AllocateOutput(0, a.dtype(), common.dims()));
  T* to = z->mutable_data<T>();
  const auto at = [](const Tensor& t, int64_t i) { return static_cast<double>(t.data<T>()[t.is_scalar() ? 0 : i]); };
  RunLoop(c, z->num_elements(), 500, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(IncompleteBeta(at(a, i), at(b, i), at(x, i)));
  });
  return absl::OkStatus();
}

// By x alone, as in TensorFlow: x^(a - 1) (1 - x)^(b - 1) / B(a, b).
absl::Status BetaincGrad(GradContext& c) {
  if (!c.needs(2)) return absl::OkStatus();
  const Output a = c.input(0), b = c.input(1), x = c.input(2);
  const Output beta = c.Op("Lgamma", {a}) + c.Op("Lgamma", {b}) - c.Op("Lgamma", {a + b});
  const Output log = c.Op("Xlog1py", {b - 1, -x}) + c.Op("Xlogy", {a - 1, x}) - beta;
  c.Set(2, SumToShapeOf(c, c.grad() * c.Op("Exp", {log}), 2));
  return absl::OkStatus();
}

absl::Status BetaincShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, CommonShape(c.input(0), c.input(1), c.input(2)));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> BetaincKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kBetaTypes>(node.input_dtype(0), KernelFn{},
                                                []<typename T>() -> KernelFn { return &RunKernel<Betainc<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

}  // namespace

absl::Status RegisterBetaOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("Betainc"),
                      .doc = "The regularised incomplete beta function",
                      .shape = BetaincShape,
                      .kernel = BetaincKernel,
                      .dtypes = kBetaTypes,
                      .gradient = BetaincGrad});
}

}  // namespace flowlatch
