// Elementwise ops of two operands, which broadcast; see ops/kernels/binary_functors.h for what each computes.
//   x, y: T -> z: T, or bool for comparisons. Scalars are computed without memory of their own.
// Integers wrap around; dividing them by zero and raising them to a negative power are errors. Small floats compute in
// float32 and round after each step. Maximum and Minimum give NaN if either operand is NaN. Accuracy: exact up to the
// last bit for arithmetic, as libm for Pow, Atan2, Xlogy and Xlog1py.
// ApproximateEqual, AddN, AccumulateNV2 and Cross do not broadcast: all their operands have one shape.
#include "ops/binary_math_ops.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/binary_kernel.h"
#include "ops/kernels/numeric_variant.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kComplexAndFloatTypes = kFloatTypes | kComplexTypes;

constexpr char kDivisionByZero[] = "divisor: expected integers other than 0, got 0";
constexpr char kNegativeExponent[] = "exponent of integers: expected no negative values, got some";

// ---- Gradients. Each operand's has the broadcast shape first and is summed to the operand's own; complex operands are
// conjugated.

Output X(GradContext& c) { return ConjIfComplex(c, c.input(0)); }
Output Y(GradContext& c) { return ConjIfComplex(c, c.input(1)); }

void SetX(GradContext& c, const Output& grad) { c.Set(0, SumToShapeOf(c, grad, 0, 1)); }
void SetY(GradContext& c, const Output& grad) { c.Set(1, SumToShapeOf(c, grad, 1, 0)); }

absl::Status AddGrad(GradContext& c) {
  if (c.needs(0)) SetX(c, c.grad());
  if (c.needs(1)) SetY(c, c.grad());
  return absl::OkStatus();
}

absl::Status SubGrad(GradContext& c) {
  if (c.needs(0)) SetX(c, c.grad());
  if (c.needs(1)) SetY(c, -c.grad());
  return absl::OkStatus();
}

absl::Status MulGrad(GradContext& c) {
  if (c.needs(0)) SetX(c, c.grad() * Y(c));
  if (c.needs(1)) SetY(c, X(c) * c.grad());
  return absl::OkStatus();
}

absl::Status MulNoNanGrad(GradContext& c) {
  if (c.needs(0)) SetX(c, c.Op("MulNoNan", {c.grad(), c.input(1)}));
  if (c.needs(1)) SetY(c, c.Op("MulNoNan", {c.input(0), c.grad()}));
  return absl::OkStatus();
}

// Div, RealDiv and DivNoNan: the derivatives divide by the op's own rule.
absl::Status DivGrad(GradContext& c) {
  const Output y = Y(c);
  if (c.needs(0)) SetX(c, c.Op(c.op(), {c.grad(), y}));
  if (c.needs(1)) SetY(c, c.grad() * c.Op(c.op(), {c.Op(c.op(), {-X(c), y}), y}));
  return absl::OkStatus();
}

absl::Status ModGrad(GradContext& c) {
  if (c.needs(0)) SetX(c, c.grad());
  const bool floor = c.op() == "FloorMod";
  if (c.needs(1)) SetY(c, c.grad() * -c.Op(floor ? "FloorDiv" : "TruncateDiv", {c.input(0), c.input(1)}));
  return absl::OkStatus();
}

absl::Status SquaredDifferenceGrad(GradContext& c) {
  const Output x = c.grad() * 2 * (c.input(0) - c.input(1));
  if (c.needs(0)) SetX(c, x);
  if (c.needs(1)) SetY(c, -x);
  return absl::OkStatus();
}

// The operand that was chosen gets all, x where they are equal.
absl::Status ChoiceGrad(GradContext& c, std::string_view chooses_x) {
  const Output x_chosen = c.Op(chooses_x, {c.input(0), c.input(1)}), grad = c.grad();
  if (c.needs(0)) SetX(c, c.Op("SelectV2", {x_chosen, grad, c.ScalarLike(0, grad)}));
  if (c.needs(1)) SetY(c, c.Op("SelectV2", {x_chosen, c.ScalarLike(0, grad), grad}));
  return absl::OkStatus();
}
absl::Status MaximumGrad(GradContext& c) { return ChoiceGrad(c, "GreaterEqual"); }
absl::Status MinimumGrad(GradContext& c) { return ChoiceGrad(c, "LessEqual"); }

// d/dy is x^y log(x): 0 where x is 0, and where it is negative, which has no real logarithm.
absl::Status PowGrad(GradContext& c) {
  const Output x = X(c);
  if (c.needs(0)) {
    const Output y = Y(c);
    SetX(c, c.grad() * y * c.Op("Pow", {x, y - 1}));
  }
  if (c.needs(1)) {
    const Output zero = c.ScalarLike(0, x);
    const Output has_log = c.Op(IsComplex(x.dtype()) ? "NotEqual" : "Greater", {x, zero});
    const Output log = c.Op("Log", {c.Op("SelectV2", {has_log, x, c.ScalarLike(1, x)})});
    SetY(c, c.grad() * ConjIfComplex(c, c.output(0)) * c.Op("SelectV2", {has_log, log, zero}));
  }
  return absl::OkStatus();
}

// 1 where x is not 0, else 0.
Output XIsNotZero(GradContext& c) {
  const Output x = c.input(0);
  return c.Op("Cast", {c.Op("NotEqual", {x, c.ScalarLike(0, x)})}, {{"DstT", x.dtype()}});
}

absl::Status XdivyGrad(GradContext& c) {
  const Output y = c.input(1);
  if (c.needs(0)) SetX(c, c.Op("Xdivy", {XIsNotZero(c), y}) * c.grad());
  if (c.needs(1)) SetY(c, c.Op("Xdivy", {-c.input(0), c.Op("Square", {y})}) * c.grad());
  return absl::OkStatus();
}

absl::Status XlogyGrad(GradContext& c) {
  if (c.needs(0)) SetX(c, c.Op("Xlogy", {XIsNotZero(c), c.input(1)}) * c.grad());
  if (c.needs(1)) SetY(c, c.Op("Xdivy", {c.input(0), c.input(1)}) * c.grad());
  return absl::OkStatus();
}

absl::Status Xlog1pyGrad(GradContext& c) {
  if (c.needs(0)) SetX(c, c.Op("Xlog1py", {XIsNotZero(c), c.input(1)}) * c.grad());
  if (c.needs(1)) SetY(c, c.Op("Xdivy", {c.input(0), c.input(1) + 1}) * c.grad());
  return absl::OkStatus();
}

// The operands are y and x, in this order.
absl::Status Atan2Grad(GradContext& c) {
  const Output y = c.input(0), x = c.input(1);
  const Output scaled = c.grad() / (c.Op("Square", {y}) + c.Op("Square", {x}));
  if (c.needs(0)) SetX(c, x * scaled);
  if (c.needs(1)) SetY(c, -y * scaled);
  return absl::OkStatus();
}

absl::Status NextAfterGrad(GradContext& c) {
  if (c.needs(0)) SetX(c, c.grad());
  if (c.needs(1)) SetY(c, c.Op("ZerosLike", {c.grad()}));
  return absl::OkStatus();
}

// Every addend's is the sum's.
absl::Status AddNGrad(GradContext& c) {
  const IndexedSlices* slices = c.sparse_grad();
  const Output grad = slices == nullptr ? c.grad() : Output();
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.needs(i)) continue;
    if (slices != nullptr) {
      c.Set(i, *slices);
    } else {
      c.Set(i, grad);
    }
  }
  return absl::OkStatus();
}

// ---- Broadcasting ops

// One line of the table of ops: a functor with its documentation and the dtypes that it serves.
template <typename Op, DTypeSet kTypes>
absl::Status AddBinaryOp(OpLibrary& library, std::string_view name, std::string_view doc, double cost,
                         GradFunction gradient, const char* failure = nullptr) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::Broadcast,
                      .kernel =
                          [=](const NodeInfo& node) {
                            return MakeBinaryKernel<Op, kTypes>(node, node.input_dtype(0),
                                                                {.cost = cost, .failure = failure});
                          },
                      .dtypes = kTypes,
                      .gradient = gradient});
}

// The operands are always bool: there is no type attr to check.
template <typename Op>
absl::Status AddLogicalOp(OpLibrary& library, std::string_view name, std::string_view doc) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = shapes::Broadcast,
                      .kernel =
                          [](const NodeInfo& node) {
                            return MakeBinaryKernel<Op, DTypeSet{DType::kBool}>(node, DType::kBool, {.cost = 0.2});
                          },
                      .gradient = gradients::None});
}

absl::Status RegisterArithmetic(OpLibrary& library) {
  using namespace binary;
  constexpr DTypeSet kAddTypes =
      (kNumberTypes | DTypeSet{DType::kString}) - DTypeSet{DType::kUInt16, DType::kUInt32, DType::kUInt64};
  RETURN_IF_ERROR((AddBinaryOp<Add, kAddTypes>(library, "Add", "x + y; strings are concatenated", 0.3, AddGrad)));
  RETURN_IF_ERROR((AddBinaryOp<Add, kNumberTypes>(library, "AddV2", "x + y", 0.3, AddGrad)));
  RETURN_IF_ERROR((AddBinaryOp<Sub, kNumberTypes>(library, "Sub", "x - y", 0.3, SubGrad)));
  RETURN_IF_ERROR((AddBinaryOp<Mul, kNumberTypes>(library, "Mul", "x * y", 0.3, MulGrad)));
  RETURN_IF_ERROR((AddBinaryOp<RealDiv, kComplexAndFloatTypes>(library, "RealDiv", "x / y", 0.5, DivGrad)));
  RETURN_IF_ERROR((
      AddBinaryOp<Div, kNumberTypes>(library, "Div", "x / y, towards zero for integers", 2, DivGrad, kDivisionByZero)));
  RETURN_IF_ERROR((AddBinaryOp<FloorDiv, kRealTypes>(library, "FloorDiv", "x / y, rounded down", 3, gradients::None,
                                                     kDivisionByZero)));
  RETURN_IF_ERROR((AddBinaryOp<TruncateDiv, kRealTypes>(library, "TruncateDiv", "x / y, rounded towards zero", 3,
                                                        gradients::None, kDivisionByZero)));
  RETURN_IF_ERROR((AddBinaryOp<FloorMod, kRealTypes>(library, "FloorMod", "The remainder of x / y, with the sign of y",
                                                     5, ModGrad, kDivisionByZero)));
  RETURN_IF_ERROR((AddBinaryOp<TruncateMod, kFloatTypes | kIndexTypes>(
      library, "Mod", "The remainder of x / y, with the sign of x", 5, ModGrad, kDivisionByZero)));
  RETURN_IF_ERROR((AddBinaryOp<TruncateMod, kFloatTypes | kIndexTypes>(
      library, "TruncateMod", "The remainder of x / y, with the sign of x", 5, ModGrad, kDivisionByZero)));
  RETURN_IF_ERROR((AddBinaryOp<SquaredDifference, kComplexAndFloatTypes | kIndexTypes>(
      library, "SquaredDifference", "(x - y)^2", 0.3, SquaredDifferenceGrad)));
  RETURN_IF_ERROR(
      (AddBinaryOp<DivNoNan, kComplexAndFloatTypes>(library, "DivNoNan", "x / y, and 0 where y is 0", 0.5, DivGrad)));
  RETURN_IF_ERROR((AddBinaryOp<MulNoNan, kComplexAndFloatTypes>(library, "MulNoNan", "x * y, and 0 where y is 0", 0.5,
                                                                MulNoNanGrad)));
  RETURN_IF_ERROR(
      (AddBinaryOp<Maximum, kRealTypes>(library, "Maximum", "The larger of x and y; NaN if one is", 0.3, MaximumGrad)));
  return AddBinaryOp<Minimum, kRealTypes>(library, "Minimum", "The smaller of x and y; NaN if one is", 0.3,
                                          MinimumGrad);
}

absl::Status RegisterTranscendental(OpLibrary& library) {
  using namespace binary;
  constexpr DTypeSet kPowTypes =
      kComplexAndFloatTypes | DTypeSet{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
  RETURN_IF_ERROR((AddBinaryOp<Pow, kPowTypes>(library, "Pow", "x to the power of y", 20, PowGrad, kNegativeExponent)));
  RETURN_IF_ERROR(
      (AddBinaryOp<Xdivy, kComplexAndFloatTypes>(library, "Xdivy", "x / y, and 0 where x is 0", 1, XdivyGrad)));
  RETURN_IF_ERROR(
      (AddBinaryOp<Xlogy, kComplexAndFloatTypes>(library, "Xlogy", "x log(y), and 0 where x is 0", 8, XlogyGrad)));
  RETURN_IF_ERROR((AddBinaryOp<Xlog1py, kComplexAndFloatTypes>(library, "Xlog1py", "x log(1 + y), and 0 where x is 0",
                                                               10, Xlog1pyGrad)));
  RETURN_IF_ERROR((AddBinaryOp<NextAfter, DTypeSet{DType::kFloat32, DType::kFloat64}>(
      library, "NextAfter", "The number next to x1 in the direction of x2", 5, NextAfterGrad)));
  return AddBinaryOp<Atan2, kFloatTypes>(library, "Atan2", "The angle of the point (x, y) from the x axis", 20,
                                         Atan2Grad);
}

absl::Status RegisterBitsAndLogic(OpLibrary& library) {
  using namespace binary;
  RETURN_IF_ERROR(
      (AddBinaryOp<BitwiseAnd, kIntTypes>(library, "BitwiseAnd", "The bits that both have", 0.5, gradients::None)));
  RETURN_IF_ERROR(
      (AddBinaryOp<BitwiseOr, kIntTypes>(library, "BitwiseOr", "The bits that either has", 0.5, gradients::None)));
  RETURN_IF_ERROR((AddBinaryOp<BitwiseXor, kIntTypes>(library, "BitwiseXor", "The bits in which both differ", 0.5,
                                                      gradients::None)));
  RETURN_IF_ERROR((AddBinaryOp<LeftShift, kIntTypes>(
      library, "LeftShift", "x shifted left by y, from 0 to the width - 1", 1, gradients::None)));
  RETURN_IF_ERROR((AddBinaryOp<RightShift, kIntTypes>(
      library, "RightShift", "x shifted right by y, from 0 to the width - 1; the sign of x stays", 1,
      gradients::None)));
  RETURN_IF_ERROR(AddLogicalOp<LogicalAnd>(library, "LogicalAnd", "Whether both are true"));
  return AddLogicalOp<LogicalOr>(library, "LogicalOr", "Whether one is true");
}

absl::Status RegisterComparisons(OpLibrary& library) {
  using namespace binary;
  RETURN_IF_ERROR((AddBinaryOp<Less, kRealTypes>(library, "Less", "x < y", 0.3, gradients::None)));
  RETURN_IF_ERROR((AddBinaryOp<LessEqual, kRealTypes>(library, "LessEqual", "x <= y", 0.3, gradients::None)));
  RETURN_IF_ERROR((AddBinaryOp<Greater, kRealTypes>(library, "Greater", "x > y", 0.3, gradients::None)));
  return AddBinaryOp<GreaterEqual, kRealTypes>(library, "GreaterEqual", "x >= y", 0.3, gradients::None);
}

// ---- Equal, NotEqual: with incompatible_shape_error = false, shapes that do not match are an answer of their own

absl::Status EqualShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const bool mismatch_is_error, c.Bool("incompatible_shape_error"));
  if (mismatch_is_error) return shapes::Broadcast(c);
  // A mismatch gives a scalar, and may show at run time only: the result is known if both shapes are, and match.
  if (c.input(0).fully_defined() && c.input(1).fully_defined()) shapes::Broadcast(c).IgnoreError();
  return absl::OkStatus();
}

// Dtypes whose elements compare as another dtype does.
constexpr DType ComparableDType(DType dtype) {
  switch (dtype) {
    case DType::kQInt8:
      return DType::kInt8;
    case DType::kQUInt8:
      return DType::kUInt8;
    case DType::kQInt16:
      return DType::kInt16;
    case DType::kQUInt16:
      return DType::kUInt16;
    case DType::kQInt32:
      return DType::kInt32;
    default:
      return dtype;
  }
}

template <typename Op, bool kMismatchValue>
absl::StatusOr<Kernel> EqualKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool mismatch_is_error, node.Bool("incompatible_shape_error"));
  BinaryKernelInfo info{.cost = 0.3};
  if (!mismatch_is_error) info.mismatch_value = kMismatchValue;
  return MakeBinaryKernel<Op, kNumberTypes | DTypeSet{DType::kBool, DType::kString}>(
      node, ComparableDType(node.input_dtype(0)), info);
}

absl::Status RegisterEquality(OpLibrary& library) {
  constexpr DTypeSet kEqualTypes = kNumberTypes | kQuantizedTypes | DTypeSet{DType::kBool, DType::kString};
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("Equal"),
                               .doc = "x == y",
                               .shape = EqualShape,
                               .kernel = EqualKernel<binary::Equal, false>,
                               .dtypes = kEqualTypes,
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("NotEqual"),
                      .doc = "x != y",
                      .shape = EqualShape,
                      .kernel = EqualKernel<binary::NotEqual, true>,
                      .dtypes = kEqualTypes,
                      .gradient = gradients::None});
}

// ---- ApproximateEqual: |x - y| < tolerance, for operands of one shape

absl::Status ExpectSameShapes(const KernelCall& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.input(i).dims() != c.input(0).dims()) {
      return absl::InvalidArgumentError(absl::StrCat("shape of input ", i, ": expected that of input 0, ",
                                                     c.input(0).ShapeString(), ", got ", c.input(i).ShapeString()));
    }
  }
  return absl::OkStatus();
}

struct ApproximateEqualState final : KernelState {
  explicit ApproximateEqualState(float t) : tolerance(t) {}
  const float tolerance;
};

template <typename T>
absl::Status ApproximateEqual(KernelCall& c) {
  RETURN_IF_ERROR(ExpectSameShapes(c));
  const T tolerance = static_cast<T>(c.state<ApproximateEqualState>().tolerance);
  const T* x = c.input(0).data<T>();
  const T* y = c.input(1).data<T>();
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, DType::kBool, c.input(0).dims()));
  bool* z = out->mutable_data<bool>();
  c.ParallelFor(out->num_elements(), 0.5, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) z[i] = std::abs(x[i] - y[i]) < tolerance;
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ApproximateEqualKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const float tolerance, node.Float("tolerance"));
  const KernelFn fn = node.input_dtype(0) == DType::kFloat32 ? &RunKernel<ApproximateEqual<float>>
                                                             : &RunKernel<ApproximateEqual<double>>;
  return Kernel{.fn = fn, .state = std::make_shared<ApproximateEqualState>(tolerance)};
}

// ---- Cross: the products of vectors with three elements, the last dimension

absl::Status ExpectVectors(absl::Span<const int64_t> dims) {
  if (!dims.empty() && (dims.back() == 3 || dims.back() < 0)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("operands of Cross: expected 3 elements in the last dimension, got shape ", DimsToString(dims)));
}

absl::Status CrossShape(ShapeContext& c) {
  RETURN_IF_ERROR(shapes::MergeOfInputs(c));
  for (int i = 0; i < 2; ++i) {
    if (c.input(i).has_rank()) RETURN_IF_ERROR(ExpectVectors(c.input(i).dims()));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Cross(KernelCall& c) {
  using namespace binary;
  RETURN_IF_ERROR(ExpectSameShapes(c));
  if (const absl::Status status = ExpectVectors(c.input(0).dims()); !status.ok()) {
    return absl::FailedPreconditionError(status.message());
  }
  const T* x = c.input(0).data<T>();
  const T* y = c.input(1).data<T>();
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<T>, c.input(0).dims()));
  T* z = out->mutable_data<T>();
  const auto times = [](T a, T b) { return T(Mul::Apply<T>(a, b)); };
  c.ParallelFor(out->num_elements() / 3, 3, [=](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      const T *a = x + 3 * v, *b = y + 3 * v;
      for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        z[3 * v + i] = T(Sub::Apply<T>(times(a[j], b[k]), times(a[k], b[j])));
      }
    }
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> CrossKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kRealTypes>(node.input_dtype(0), KernelFn{},
                                                []<typename T>() { return KernelFn{&RunKernel<Cross<T>>}; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::Status CrossGrad(GradContext& c) {
  if (c.needs(0)) c.Set(0, c.Op("Cross", {c.input(1), c.grad()}));
  if (c.needs(1)) c.Set(1, c.Op("Cross", {c.grad(), c.input(0)}));
  return absl::OkStatus();
}

// ---- AddN, AccumulateNV2: the sum of tensors of one shape, from left to right

// The attr says the shape of every input.
absl::Status AccumulateShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.AttrAs<PartialShape>("shape"));
  for (int i = 0; i < c.num_inputs(); ++i) {
    ASSIGN_OR_RETURN(shape, shape.MergeWith(c.input(i)));
  }
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

struct AddNState final : KernelState {
  explicit AddNState(BinaryLoop loop) : add(loop) {}
  const BinaryLoop add;
};

// The first or second input's memory may become the sum's, unless a later addend lives there too.
bool CanAddInPlace(const KernelCall& c, int input) {
  if (!c.CanForward(input)) return false;
  for (int i = 2; i < c.num_inputs(); ++i) {
    if (c.input(i).SharesBufferWith(c.input(input))) return false;
  }
  return true;
}

absl::StatusOr<Tensor*> MakeSum(KernelCall& c) {
  for (int i = 0; i < 2; ++i) {
    if (!CanAddInPlace(c, i)) continue;
    c.output(0) = c.input(i);
    return &c.output(0);
  }
  return c.AllocateOutput(0, c.input(0).dtype(), c.input(0).dims());
}

template <typename T>
void AddScalars(KernelCall& c) {
  binary::Wide<T> sum = c.input(0).scalar<T>();
  for (int i = 1; i < c.num_inputs(); ++i) {
    sum = binary::Rounded<T>(binary::Add::Apply<T>(sum, c.input(i).scalar<T>()));
  }
  c.output(0).SetScalar(T(sum));
}

template <typename T>
absl::Status AddN(KernelCall& c) {
  RETURN_IF_ERROR(ExpectSameShapes(c));
  if (c.input(0).rank() == 0) return AddScalars<T>(c), absl::OkStatus();
  if (c.num_inputs() == 1) return c.SetOutput(0, c.input(0)), absl::OkStatus();
  ASSIGN_OR_RETURN(Tensor * out, MakeSum(c));
  T* sum = out->mutable_data<T>();
  const BinaryLoop add = c.state<AddNState>().add;
  const auto add_range = [&c, sum, add](int64_t begin, int64_t end) {
    const T* left = c.input(0).data<T>();
    for (int i = 1; i < c.num_inputs(); ++i, left = sum) {
      add({.x = left + begin,
           .y = c.input(i).data<T>() + begin,
           .z = sum + begin,
           .rows = 1,
           .columns = end - begin,
           .x_row_stride = 0,
           .y_row_stride = 0,
           .x_step = 1,
           .y_step = 1});
    }
  };
  c.ParallelFor(out->num_elements(), 0.3 * c.num_inputs(), [&add_range](int64_t begin, int64_t end) {
    constexpr int64_t kPiece = 4096;  // the sum of a piece stays in the nearest cache
    for (; begin < end; begin += kPiece) add_range(begin, std::min(end, begin + kPiece));
  });
  return absl::OkStatus();
}

// Lists, optionals and the like add up part by part.
absl::Status AddVariants(KernelCall& c) {
  Tensor sum = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) RETURN_IF_ERROR(AddInto(sum, c.input(i)));
  c.SetOutput(0, std::move(sum));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> AddNKernel(const NodeInfo& node) {
  const DType dtype = node.input_dtype(0);
  if (dtype == DType::kVariant) return Kernel{.fn = &RunKernel<AddVariants>};
  Kernel kernel = DispatchDType<kNumberTypes>(dtype, Kernel{}, []<typename T>() {
    return Kernel{.fn = &RunKernel<AddN<T>>, .state = std::make_shared<AddNState>(LoopFor<binary::Add, T>())};
  });
  if (kernel.fn == nullptr) return NoKernelFor(node, dtype);
  return kernel;
}

}  // namespace

absl::Status RegisterBinaryMathOps(OpLibrary& library) {
  RETURN_IF_ERROR(RegisterArithmetic(library));
  RETURN_IF_ERROR(RegisterTranscendental(library));
  RETURN_IF_ERROR(RegisterBitsAndLogic(library));
  RETURN_IF_ERROR(RegisterComparisons(library));
  RETURN_IF_ERROR(RegisterEquality(library));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("ApproximateEqual"),
                               .doc = "Whether x and y are less than tolerance apart",
                               .shape = shapes::MergeOfInputs,
                               .kernel = ApproximateEqualKernel,
                               .dtypes = {DType::kFloat32, DType::kFloat64},
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("Cross"),
                               .doc = "The cross products of vectors along the last dimension",
                               .shape = CrossShape,
                               .kernel = CrossKernel,
                               .dtypes = kRealTypes,
                               .gradient = CrossGrad}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("AddN"),
                               .doc = "The sum of all inputs",
                               .shape = shapes::MergeOfInputs,
                               .kernel = AddNKernel,
                               .dtypes = kNumberTypes | DTypeSet{DType::kVariant},
                               .gradient = AddNGrad}));
  return library.Add({.signature = TensorFlowSignature("AccumulateNV2"),
                      .doc = "The sum of all inputs, which have the shape of the attr",
                      .shape = AccumulateShape,
                      .kernel = AddNKernel,
                      .dtypes = kNumberTypes,
                      .gradient = AddNGrad});
}

}  // namespace flowlatch
