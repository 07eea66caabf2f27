// Choosing between values element by element.
//   Select:   condition: bool, t, e: T, of one shape -> that shape. condition is of that shape too, or a scalar, or a
//             vector that chooses whole rows.
//   SelectV2: condition, t and e broadcast. All dtypes, both ops.
//   ClipByValue: t, clip_value_min, clip_value_max: T -> max(min(t, clip_value_max), clip_value_min) of t's shape; each
//             bound is of that shape or a scalar. NaN in t stays, a NaN bound is none.
#include "ops/select_ops.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/broadcast.h"
#include "ops/kernels/element_math.h"
#include "ops/kernels/loop_macros.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// ---- Select, SelectV2

// The elements that a selection walks: addresses of the first, and steps of 0 or 1.
template <typename T>
struct SelectRow {
  const uint8_t* condition;  // bools: 0 is false
  const T* t;
  const T* e;
  T* out;
  int64_t condition_step, t_step, e_step;
};

template <typename T>
void SelectElements(const SelectRow<T>& r, int64_t n) {
  if (r.condition_step == 0) {
    const bool first = *r.condition != 0;
    const T* chosen = first ? r.t : r.e;
    const int64_t step = first ? r.t_step : r.e_step;
    for (int64_t i = 0; i < n; ++i) r.out[i] = chosen[i * step];
  } else if (r.t_step == 1 && r.e_step == 1) {
    FLOWLATCH_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) r.out[i] = r.condition[i] != 0 ? r.t[i] : r.e[i];
  } else {
    for (int64_t i = 0; i < n; ++i)
      r.out[i] = r.condition[i * r.condition_step] != 0 ? r.t[i * r.t_step] : r.e[i * r.e_step];
  }
}

// Output 0 with these dimensions, in the memory of t or e if that is free. Objects get memory of their own: they are
// counted, and assigning them to themselves gains nothing.
template <typename T>
absl::StatusOr<Tensor*> MakeSelection(KernelCall& c, absl::Span<const int64_t> dims) {
  if constexpr (std::is_trivially_copyable_v<T>) {
    for (const int i : {1, 2}) {
      if (!c.CanForward(i) || c.input(i).dims() != dims) continue;
      c.output(0) = c.input(i);
      return &c.output(0);
    }
  }
  return c.AllocateOutput(0, c.input(1).dtype(), dims);
}

// Walks condition (as if of shape `condition_dims`), t and e over an output of `dims`.
template <typename T>
absl::Status SelectOver(KernelCall& c, absl::Span<const int64_t> condition_dims, absl::Span<const int64_t> dims) {
  const Tensor& t = c.input(1);
  const Tensor& e = c.input(2);
  const SelectRow<T> all{static_cast<const uint8_t*>(c.input(0).raw_data()),
                         static_cast<const T*>(t.raw_data()),
                         static_cast<const T*>(e.raw_data()),
                         nullptr,
                         1,
                         1,
                         1};
  ASSIGN_OR_RETURN(Tensor * out, MakeSelection<T>(c, dims));
  const int64_t n = out->num_elements();
  if (n == 0) return absl::OkStatus();
  T* z = static_cast<T*>(out->raw_mutable_data());
  const double cost = 0.5 + static_cast<double>(sizeof(T)) / 16;
  if (condition_dims == dims && t.dims() == dims && e.dims() == dims) {
    RunLoop(c, n, cost, [&](int64_t begin, int64_t end) {
      SelectElements<T>({all.condition + begin, all.t + begin, all.e + begin, z + begin, 1, 1, 1}, end - begin);
    });
    return absl::OkStatus();
  }
  const BroadcastPlan plan = PlanBroadcast({condition_dims, t.dims(), e.dims()}, dims);
  RunLoop(c, n, cost, [&](int64_t begin, int64_t end) {
    ForEachBlock(plan, begin, end, [&](const BroadcastBlock& b) {
      for (int64_t row = 0; row < b.rows; ++row) {
        SelectElements<T>({all.condition + b.offset[0] + row * b.row_stride[0],
                           all.t + b.offset[1] + row * b.row_stride[1], all.e + b.offset[2] + row * b.row_stride[2],
                           z + b.out_offset + row * b.columns, b.column_step[0], b.column_step[1], b.column_step[2]},
                          b.columns);
      }
    });
  });
  return absl::OkStatus();
}

template <typename T>
absl::Status SelectV2(KernelCall& c) {
  const Tensor& condition = c.input(0);
  const Tensor& t = c.input(1);
  const Tensor& e = c.input(2);
  if (condition.is_scalar()) {
    const Tensor& chosen = condition.scalar<bool>() ? t : e;
    if (t.dims() == e.dims()) return c.SetOutput(0, chosen), absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Shape values, BroadcastShapes(t.dims(), e.dims()));
  ASSIGN_OR_RETURN(const Shape out, BroadcastShapes(condition.dims(), values.dims()));
  return SelectOver<T>(c, condition.dims(), out.dims());
}

template <typename T>
absl::Status Select(KernelCall& c) {
  const Tensor& condition = c.input(0);
  const Tensor& t = c.input(1);
  const Tensor& e = c.input(2);
  if (t.dims() != e.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape of e: expected that of t, ", t.ShapeString(), ", got ", e.ShapeString()));
  }
  if (condition.is_scalar()) return c.SetOutput(0, condition.scalar<bool>() ? t : e), absl::OkStatus();
  if (condition.dims() == t.dims()) return SelectOver<T>(c, t.dims(), t.dims());
  if (condition.rank() != 1 || t.rank() == 0 || t.dim(0) != condition.dim(0)) {
    return absl::InvalidArgumentError(absl::StrCat("shape of condition: expected a scalar, a vector of t's rows, or ",
                                                   t.ShapeString(), ", got ", condition.ShapeString()));
  }
  Dims rows(static_cast<size_t>(t.rank()), 1);
  rows[0] = condition.dim(0);
  return SelectOver<T>(c, rows, t.dims());
}

// Calls visit.operator()<T>() with a type that stands for elements of `dtype`: an integer of their size, or the object.
template <typename Visit>
KernelFn DispatchElements(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kString:
      return visit.template operator()<String>();
    case DType::kResource:
      return visit.template operator()<ResourceHandle>();
    case DType::kVariant:
      return visit.template operator()<Variant>();
    default:
      break;
  }
  switch (DTypeSize(dtype)) {
    case 1:
      return visit.template operator()<uint8_t>();
    case 2:
      return visit.template operator()<uint16_t>();
    case 4:
      return visit.template operator()<uint32_t>();
    case 8:
      return visit.template operator()<uint64_t>();
    case 16:
      return visit.template operator()<std::array<uint64_t, 2>>();
    default:
      return nullptr;
  }
}

absl::StatusOr<Kernel> SelectKernel(const NodeInfo& node) {
  const DType dtype = node.output_dtype(0);
  const bool broadcasts = node.schema().name() == "SelectV2";
  const KernelFn fn = DispatchElements(dtype, [broadcasts]<typename T>() -> KernelFn {
    return broadcasts ? &RunKernel<SelectV2<T>> : &RunKernel<Select<T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, dtype);
  return Kernel{.fn = fn};
}

absl::Status SelectShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape out, c.input(1).MergeWith(c.input(2)));
  const PartialShape& condition = c.input(0);
  if (condition.rank() == 1 && out.has_rank()) {  // a vector chooses rows
    if (out.rank() == 0) {
      return absl::InvalidArgumentError("shape of t: expected rows for a condition that is a vector, got []");
    }
    Dims dims(out.dims().begin(), out.dims().end());
    ASSIGN_OR_RETURN(const PartialShape rows, condition.MergeWith(PartialShape::Of({dims[0]})));
    dims[0] = rows.dim(0);
    out = PartialShape::FromValid(dims);
  } else if (condition.rank() > 1) {
    ASSIGN_OR_RETURN(out, out.MergeWith(condition));
  }
  c.SetOutput(0, std::move(out));
  return absl::OkStatus();
}

absl::Status SelectV2Shape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape values, BroadcastPartialShapes(c.input(1), c.input(2)));
  ASSIGN_OR_RETURN(PartialShape out, BroadcastPartialShapes(c.input(0), values));
  c.SetOutput(0, std::move(out));
  return absl::OkStatus();
}

// ---- ClipByValue

template <typename T>
T Clip(const T& x, const T& low, const T& high) {
  using element::Wide;
  const Wide<T> capped = static_cast<Wide<T>>(high) < static_cast<Wide<T>>(x) ? high : x;
  return capped < static_cast<Wide<T>>(low) ? low : T(capped);
}

template <typename T>
absl::Status ClipTensor(KernelCall& c) {
  const Tensor& x = c.input(0);
  for (int i = 1; i < 3; ++i) {
    if (!c.input(i).is_scalar() && c.input(i).dims() != x.dims()) {
      return absl::InvalidArgumentError(absl::StrCat("shape of bound ", i, ": expected a scalar or ", x.ShapeString(),
                                                     ", got ", c.input(i).ShapeString()));
    }
  }
  const T* in = x.data<T>();
  const T* low = c.input(1).data<T>();
  const T* high = c.input(2).data<T>();
  const int64_t low_step = c.input(1).is_scalar() ? 0 : 1, high_step = c.input(2).is_scalar() ? 0 : 1;
  ASSIGN_OR_RETURN(Tensor * out, c.ForwardOrAllocate(0, 0, kDTypeOf<T>, x.shape()));
  T* z = out->mutable_data<T>();
  RunLoop(c, x.num_elements(), 0.5, [=](int64_t begin, int64_t end) {
    if (low_step == 0 && high_step == 0) {
      const T low_value = *low, high_value = *high;
      FLOWLATCH_INDEPENDENT_ITERATIONS
      for (int64_t i = begin; i < end; ++i) z[i] = Clip(in[i], low_value, high_value);
    } else {
      for (int64_t i = begin; i < end; ++i) z[i] = Clip(in[i], low[i * low_step], high[i * high_step]);
    }
  });
  return absl::OkStatus();
}

template <typename T>
KernelStatus ClipByValue(KernelCall& c) {
  const Tensor& x = c.input(0);
  const Tensor& low = c.input(1);
  const Tensor& high = c.input(2);
  if (x.is_scalar() && low.is_scalar() && high.is_scalar()) {
    c.output(0).SetScalar(Clip(x.scalar<T>(), low.scalar<T>(), high.scalar<T>()));
    return KernelStatus::kOk;
  }
  return RunKernel<ClipTensor<T>>(c);
}

absl::StatusOr<Kernel> ClipKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kRealTypes>(node.output_dtype(0), KernelFn{},
                                                []<typename T>() -> KernelFn { return &ClipByValue<T>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn};
}

absl::Status ClipShape(ShapeContext& c) {
  PartialShape out = c.input(0);
  for (int i = 1; i < 3; ++i) {
    if (c.input(i).has_rank() && c.input(i).rank() > 0) {
      ASSIGN_OR_RETURN(out, out.MergeWith(c.input(i)));
    }
  }
  c.SetOutput(0, std::move(out));
  return absl::OkStatus();
}

// ---- Gradients

absl::Status SelectGrad(GradContext& c) {
  const Output condition = c.input(0), grad = c.grad();
  const Output zeros = c.Op("ZerosLike", {grad});
  if (c.needs(1)) c.Set(1, c.Op("Select", {condition, grad, zeros}));
  if (c.needs(2)) c.Set(2, c.Op("Select", {condition, zeros, grad}));
  return absl::OkStatus();
}

absl::Status SelectV2Grad(GradContext& c) {
  const Output condition = c.input(0), grad = c.grad(), zero = c.ScalarLike(0, grad);
  if (c.needs(1)) c.Set(1, SumToShapeOf(c, c.Op("SelectV2", {condition, grad, zero}), 1));
  if (c.needs(2)) c.Set(2, SumToShapeOf(c, c.Op("SelectV2", {condition, zero, grad}), 2));
  return absl::OkStatus();
}

// A bound gets the gradients of the elements that it replaced.
absl::Status ClipByValueGrad(GradContext& c) {
  const Output x = c.input(0), grad = c.grad(), zero = c.ScalarLike(0, grad);
  const Output too_low = c.Op("Less", {x, c.input(1)}), too_high = c.Op("Greater", {x, c.input(2)});
  if (c.needs(0)) c.Set(0, c.Op("SelectV2", {c.Op("LogicalOr", {too_low, too_high}), zero, grad}));
  if (c.needs(1)) c.Set(1, SumToShapeOf(c, c.Op("SelectV2", {too_low, grad, zero}), 1, 0));
  if (c.needs(2)) c.Set(2, SumToShapeOf(c, c.Op("SelectV2", {too_high, grad, zero}), 2, 0));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterSelectOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = "Select(condition: bool, t: T, e: T) -> (output: T); T: type",
                               .doc = "t where condition is true, else e; a vector chooses whole rows",
                               .shape = SelectShape,
                               .kernel = SelectKernel,
                               .gradient = SelectGrad}));
  RETURN_IF_ERROR(library.Add({.signature = "SelectV2(condition: bool, t: T, e: T) -> (output: T); T: type",
                               .doc = "t where condition is true, else e, all broadcast",
                               .shape = SelectV2Shape,
                               .kernel = SelectKernel,
                               .gradient = SelectV2Grad}));
  return library.Add({.signature = TensorFlowSignature("ClipByValue"),
                      .doc = "t, but not less than clip_value_min and not more than clip_value_max",
                      .shape = ClipShape,
                      .kernel = ClipKernel,
                      .dtypes = kRealTypes,
                      .gradient = ClipByValueGrad});
}

}  // namespace flowlatch
