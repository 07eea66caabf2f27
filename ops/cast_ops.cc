// Numbers of other dtypes, and evenly spaced numbers.
//   Cast: x: SrcT -> y: DstT, between all dtypes but strings, handles and variants, which are only cast to themselves.
//   The
//         rules are those of ops/kernels/cast.h; the attr Truncate asks for rounding towards 0.
//   LinSpace: start, stop: T, num: Tidx, scalars -> [num]. The first element is start, the last is stop, element i
//         between them start + i * ((stop - start) / (num - 1)), each operation rounded to T.
#include "ops/cast_ops.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/cast.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kCastTypes = kNumberTypes | kQuantizedTypes | DTypeSet{DType::kBool,
                                                                          DType::kFloat8E5M2,
                                                                          DType::kFloat8E4M3FN,
                                                                          DType::kFloat8E4M3FNUZ,
                                                                          DType::kFloat8E4M3B11FNUZ,
                                                                          DType::kFloat8E5M2FNUZ,
                                                                          DType::kFloat4E2M1FN,
                                                                          DType::kInt4,
                                                                          DType::kUInt4,
                                                                          DType::kInt2,
                                                                          DType::kUInt2};

// ---- Cast

struct CastState final : KernelState {
  explicit CastState(CastPath p) : path(std::move(p)) {}
  const CastPath path;
};

template <typename To>
KernelStatus Cast(KernelCall& c) {
  const Tensor& x = c.input(0);
  const CastPath& path = c.state<CastState>().path;
  if (x.rank() == 0) {
    To value;
    path.Run(x.raw_data(), &value, 1);
    c.output(0).SetScalar(value);
    return KernelStatus::kOk;
  }
  absl::StatusOr<Tensor*> out = c.AllocateOutput(0, kDTypeOf<To>, x.dims());
  if (!out.ok()) return c.Fail(out.status());
  const char* from = static_cast<const char*>(x.raw_data());
  To* to = static_cast<To*>((*out)->raw_mutable_data());
  const int64_t from_size = static_cast<int64_t>(DTypeSize(x.dtype()));
  RunLoop(c, x.num_elements(), 0.5,
          [&](int64_t begin, int64_t end) { path.Run(from + begin * from_size, to + begin, end - begin); });
  return KernelStatus::kOk;
}

absl::Status CastToItself(KernelCall& c) {
  c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> CastKernel(const NodeInfo& node) {
  const DType from = node.input_dtype(0), to = node.output_dtype(0);
  ASSIGN_OR_RETURN(const bool truncate, node.Bool("Truncate"));
  if (from == to) return Kernel{.fn = &RunKernel<CastToItself>};
  CastPath path = FindCast(from, to, truncate);
  if (!path.exists()) {
    return absl::UnimplementedError(absl::StrCat("Cast: expected dtypes of numbers, got ", std::string(DTypeName(from)),
                                                 " to ", std::string(DTypeName(to))));
  }
  const KernelFn fn = DispatchDType<kCastTypes>(to, KernelFn{}, []<typename To>() -> KernelFn { return &Cast<To>; });
  return Kernel{.fn = fn, .state = std::make_shared<CastState>(std::move(path))};
}

// Numbers that are rounded to integers have no gradient.
absl::Status CastGrad(GradContext& c) {
  constexpr DTypeSet kContinuous = kFloatTypes | kComplexTypes;
  if (!kContinuous.contains(c.input_dtype(0)) || !kContinuous.contains(c.output_dtype(0))) return absl::OkStatus();
  c.Set(0, c.Op("Cast", {c.grad()}, {{"DstT", c.input_dtype(0)}}));
  return absl::OkStatus();
}

// ---- LinSpace

absl::Status CheckNum(int64_t num) {
  if (num > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("num: expected a positive number, got ", num));
}

absl::Status LinSpaceShape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  ASSIGN_OR_RETURN(const std::optional<int64_t> num, c.ConstantInt(2));
  if (num.has_value()) RETURN_IF_ERROR(CheckNum(*num));
  c.SetOutput(0, PartialShape::Of({num.value_or(-1)}));
  return absl::OkStatus();
}

absl::Status ExpectScalar(const Tensor& t, const char* what) {
  if (t.is_scalar()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar, got shape ", t.ShapeString()));
}

template <typename T>
absl::Status LinSpace(KernelCall& c) {
  RETURN_IF_ERROR(ExpectScalar(c.input(0), "start"));
  RETURN_IF_ERROR(ExpectScalar(c.input(1), "stop"));
  ASSIGN_OR_RETURN(const int64_t num, ReadIntScalar(c.input(2), "num"));
  RETURN_IF_ERROR(CheckNum(num));
  const T start = c.input(0).scalar<T>(), stop = c.input(1).scalar<T>();
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<T>, {num}));
  T* y = out->mutable_data<T>();
  const T step = T(T(stop - start) / T(static_cast<double>(std::max<int64_t>(num - 1, 1))));
  RunLoop(c, num, 0.5, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = T(start + T(step * T(static_cast<double>(i))));
  });
  y[num - 1] = stop;
  y[0] = start;
  return absl::OkStatus();
}

absl::StatusOr<Kernel> LinSpaceKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kFloatTypes>(node.input_dtype(0), KernelFn{},
                                                 []<typename T>() -> KernelFn { return &RunKernel<LinSpace<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

}  // namespace

absl::Status RegisterCastOps(OpLibrary& library) {
  RETURN_IF_ERROR(
      library.Add({.signature = "Cast(x: SrcT) -> (y: DstT); SrcT: type; DstT: type; Truncate: bool = false",
                   .doc = "x as numbers of dtype DstT",
                   .shape = shapes::SameAsInput,
                   .kernel = CastKernel,
                   .gradient = CastGrad}));
  return library.Add({.signature =
                          "LinSpace(start: T, stop: T, num: Tidx) -> (output: T); T: {bfloat16, float16, float32, "
                          "float64}; Tidx: {int32, int64} = int32",
                      .doc = "num evenly spaced numbers from start to stop",
                      .shape = LinSpaceShape,
                      .kernel = LinSpaceKernel,
                      .dtypes = kFloatTypes,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
