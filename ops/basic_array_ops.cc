// Where tensors come from and how they pass through.
//   Const, HostConst: the tensor in attr value; every run shares it, so nobody ever writes to it.
//   Placeholder(V2): a value that must be fed; the kernel only says so. PlaceholderWithDefault passes its input on.
//   Identity and its kin: share their input. They differ in what gradients and passes make of them. DeepCopy copies.
//   CheckNumerics(V2): its input, or an error if an element is NaN or infinite.
//   Fill, ZerosLike, OnesLike, Empty: tensors of one value. Empty gives zeros whether or not `init` asks for it.
//   Range: start, start + delta, .. up to but without limit. Element i is start + i * delta, rounded as the dtype does.
//   InvertPermutation: y with y[x[i]] = i.
// All dtypes where elements are only moved; ZerosLike of a variant is whatever the value in it says
// (numeric_variant.h).
#include "ops/basic_array_ops.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/numeric_variant.h"
#include "ops/kernels/strided_copy.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// ---- Const, HostConst

struct ConstState : KernelState {
  explicit ConstState(Tensor v) : value(std::move(v)) {}
  const Tensor value;
};

absl::Status ComputeConst(KernelCall& c) {
  c.output(0) = c.state<ConstState>().value;
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ConstKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(Tensor value, node.AttrAs<Tensor>("value"));
  if (!value.has_value() || value.dtype() != dtype) {
    return absl::InvalidArgumentError(absl::StrCat("attr 'value': expected a tensor of ", std::string(DTypeName(dtype)),
                                                   ", got one of ", std::string(DTypeName(value.dtype()))));
  }
  return Kernel{.fn = &RunKernel<ComputeConst>, .state = std::make_shared<const ConstState>(std::move(value))};
}

absl::Status ConstShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const Tensor value, c.AttrAs<Tensor>("value"));
  c.SetOutput(0, value.shape());
  return absl::OkStatus();
}

// ---- Placeholders

struct PlaceholderState : KernelState {
  explicit PlaceholderState(std::string m) : message(std::move(m)) {}
  const std::string message;
};

absl::Status ComputePlaceholder(KernelCall& c) {
  return absl::InvalidArgumentError(c.state<PlaceholderState>().message);
}

absl::StatusOr<Kernel> PlaceholderKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(const PartialShape shape, node.AttrAs<PartialShape>("shape"));
  std::string message = absl::StrCat("placeholder '", std::string(node.name()),
                                     "': expected to be fed a value of dtype ", std::string(DTypeName(dtype)));
  if (shape.has_rank()) absl::StrAppend(&message, " and shape ", shape.ToString());
  absl::StrAppend(&message, ", got none");
  return Kernel{.fn = &RunKernel<ComputePlaceholder>,
                .state = std::make_shared<const PlaceholderState>(std::move(message))};
}

absl::Status PlaceholderShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.AttrAs<PartialShape>("shape"));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

// A fed value may differ from the default in everything that attr shape leaves open.
absl::Status PlaceholderWithDefaultShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape shape, c.AttrAs<PartialShape>("shape"));
  RETURN_IF_ERROR(c.input(0).MergeWith(shape).status());
  c.SetOutput(0, shape);
  return absl::OkStatus();
}

// ---- Identities

absl::Status ComputeIdentity(KernelCall& c) {
  c.output(0) = c.input(0);
  return absl::OkStatus();
}

absl::Status ComputeIdentityN(KernelCall& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.output(i) = c.input(i);
  return absl::OkStatus();
}

absl::Status IdentityNShape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    c.SetOutput(i, c.input(i));
    if (const HandleData* held = c.input_handle(i)) c.SetOutputHandle(i, *held);
  }
  return absl::OkStatus();
}

absl::Status ComputeDeepCopy(KernelCall& c) {
  ASSIGN_OR_RETURN(c.output(0), c.input(0).Clone());
  return absl::OkStatus();
}

// ---- CheckNumerics, CheckNumericsV2

struct CheckNumericsState : KernelState {
  explicit CheckNumericsState(std::string m) : message(std::move(m)) {}
  const std::string message;
};

// Exponent bits of a float format, all of which NaN and the infinities have set.
template <typename T>
inline constexpr auto kExponentBits = uint32_t{0x7f800000};
template <>
inline constexpr auto kExponentBits<double> = uint64_t{0x7ff0000000000000};
template <>
inline constexpr auto kExponentBits<Half> = uint16_t{0x7c00};
template <>
inline constexpr auto kExponentBits<BFloat16> = uint16_t{0x7f80};

template <typename T>
bool AllFinite(const T* values, int64_t n) {
  using Bits = std::remove_const_t<decltype(kExponentBits<T>)>;
  Bits special = 0;  // without a branch, for the vectoriser
  for (int64_t i = 0; i < n; ++i) {
    special |= (std::bit_cast<Bits>(values[i]) & kExponentBits<T>) == kExponentBits<T> ? 1 : 0;
  }
  return special == 0;
}

template <typename T>
absl::Status DescribeSpecials(absl::Span<const T> values, const std::string& message) {
  bool nan = false, positive = false, negative = false;
  for (const T& value : values) {
    const double v = static_cast<double>(value);
    nan |= std::isnan(v);
    positive |= v == std::numeric_limits<double>::infinity();
    negative |= v == -std::numeric_limits<double>::infinity();
  }
  std::string found;
  const auto add = [&](bool seen, const char* name) {
    if (seen) absl::StrAppend(&found, found.empty() ? "" : ", ", name);
  };
  add(negative, "-inf");
  add(positive, "inf");
  add(nan, "nan");
  return absl::InvalidArgumentError(absl::StrCat(message, ": expected finite numbers, got ", found));
}

template <typename T>
absl::Status ComputeCheckNumerics(KernelCall& c) {
  const Tensor& tensor = c.input(0);
  const T* values = tensor.data<T>();
  std::atomic<bool> finite{true};
  RunLoop(c, tensor.num_elements(), 0.1 * sizeof(T), [&](int64_t begin, int64_t end) {
    if (!AllFinite(values + begin, end - begin)) finite.store(false, std::memory_order_relaxed);
  });
  if (!finite) return DescribeSpecials(tensor.values<T>(), c.state<CheckNumericsState>().message);
  c.output(0) = tensor;
  return absl::OkStatus();
}

absl::StatusOr<Kernel> CheckNumericsKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
  ASSIGN_OR_RETURN(std::string message, node.Str("message"));
  const KernelFn fn = DispatchDType<kFloatTypes>(
      dtype, KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<ComputeCheckNumerics<T>>; });
  if (fn == nullptr) return NoKernelFor(node, dtype);
  return Kernel{.fn = fn, .state = std::make_shared<const CheckNumericsState>(std::move(message))};
}

// ---- Fill, ZerosLike, OnesLike, Empty

template <typename E>
void FillTensor(const KernelCall& c, const E& value, Tensor& t) {
  E* to = MutableElements<E>(t);
  ParallelMove<E>(c, t.num_elements(), [&](int64_t begin, int64_t end) { FillRun(value, to + begin, end - begin); });
}

template <typename E>
absl::Status ComputeFill(KernelCall& c) {
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVectorOrScalar(c.input(0), "dims"));
  const Tensor& value = c.input(1);
  if (!value.is_scalar() && !(value.is_vector() && value.dim(0) == 1)) {
    return absl::InvalidArgumentError(absl::StrCat("value: expected a scalar, got shape ", value.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, value.dtype(), dims));
  FillTensor(c, *Elements<E>(value), *output);
  return absl::OkStatus();
}

absl::Status FillShape(ShapeContext& c) {
  if (c.input(1).rank() > 1) RETURN_IF_ERROR(c.ExpectScalar(1));
  PartialShape output;
  if (c.input(0).rank() == 0) {
    ASSIGN_OR_RETURN(const std::optional<int64_t> size, c.ConstantInt(0));
    ASSIGN_OR_RETURN(output, PartialShape::Make({size.value_or(-1)}));
  } else {
    ASSIGN_OR_RETURN(output, c.InputAsShape(0));
  }
  if (c.constant(0) != nullptr) RETURN_IF_ERROR(Shape::Make(output.dims()).status());  // here -1 stands for nothing
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// Output 0 like input 0, every element T(kValue).
template <typename T, int kValue>
absl::Status ComputeOneValueLike(KernelCall& c) {
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, kDTypeOf<T>, c.input(0).shape()));
  if constexpr (std::is_same_v<T, String>) {
    FillTensor(c, String(), *output);
  } else {
    FillTensor(c, static_cast<T>(kValue), *output);
  }
  return absl::OkStatus();
}

absl::Status ComputeZeroVariantsLike(KernelCall& c) {
  ASSIGN_OR_RETURN(c.output(0), ZerosLikeTensor(c.input(0)));
  return absl::OkStatus();
}

constexpr DTypeSet kZeroTypes =
    kNumberTypes | DTypeSet{DType::kBool,           DType::kString,         DType::kFloat8E5M2,
                            DType::kFloat8E4M3FN,   DType::kFloat8E4M3FNUZ, DType::kFloat8E4M3B11FNUZ,
                            DType::kFloat8E5M2FNUZ, DType::kInt4,           DType::kUInt4,
                            DType::kInt2,           DType::kUInt2,          DType::kFloat4E2M1FN};
constexpr DTypeSet kOneTypes = kNumberTypes | DTypeSet{DType::kBool};

template <DTypeSet kTypes, int kValue>
absl::StatusOr<Kernel> OneValueLikeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
  const KernelFn fn = DispatchDType<kTypes>(
      dtype, KernelFn{}, []<typename T>() -> KernelFn { return &RunKernel<ComputeOneValueLike<T, kValue>>; });
  if (fn == nullptr) return NoKernelFor(node, dtype);
  return Kernel{.fn = fn};
}

absl::StatusOr<Kernel> ZerosLikeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
  if (dtype == DType::kVariant) return Kernel{.fn = &RunKernel<ComputeZeroVariantsLike>};
  return OneValueLikeKernel<kZeroTypes, 0>(node);
}

struct EmptyState : KernelState {
  explicit EmptyState(DType d) : dtype(d) {}
  const DType dtype;
};

absl::Status ComputeEmpty(KernelCall& c) {
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(0), "shape"));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, c.state<EmptyState>().dtype, dims));
  if (!IsObjectDType(output->dtype())) {
    char* bytes = static_cast<char*>(output->raw_mutable_data());
    ParallelMove<char>(c, output->size_bytes(),
                       [&](int64_t begin, int64_t end) { std::fill(bytes + begin, bytes + end, 0); });
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> EmptyKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("dtype"));
  return Kernel{.fn = &RunKernel<ComputeEmpty>, .state = std::make_shared<const EmptyState>(dtype)};
}

absl::Status EmptyShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape output, c.InputAsShape(0));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// ---- Range

constexpr DTypeSet kRangeTypes = kRealTypes - DTypeSet{DType::kUInt8};

// Elements of a range. Errors: InvalidArgument when delta is 0 or leads away from limit, or there would be too many.
template <typename T>
absl::StatusOr<int64_t> RangeSize(T start, T limit, T delta) {
  const auto fail = [&](const char* expected) {
    const auto text = [](T v) {
      if constexpr (std::is_integral_v<T>) {
        return absl::StrCat(v);
      } else {
        return absl::StrCat(static_cast<double>(v));
      }
    };
    return absl::InvalidArgumentError(absl::StrCat("range: expected ", expected, ", got start ", text(start),
                                                   ", limit ", text(limit), ", delta ", text(delta)));
  };
  if (delta == T(0)) return fail("a delta other than 0");
  if (delta > T(0) ? !(start <= limit) : !(start >= limit)) return fail("a delta that leads from start to limit");
  if constexpr (std::is_integral_v<T>) {
    const auto distance = [](T from, T to) { return static_cast<uint64_t>(to) - static_cast<uint64_t>(from); };
    const uint64_t length = delta > 0 ? distance(start, limit) : distance(limit, start);
    const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
    const uint64_t size = length / step + (length % step != 0 ? 1 : 0);
    if (size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return fail("a size that fits int64");
    return static_cast<int64_t>(size);
  } else {
    const T steps = static_cast<T>(static_cast<T>(limit - start) / delta);
    const double size = std::ceil(std::abs(static_cast<double>(steps)));
    if (!(size < 0x1p63)) return fail("a size that fits int64");
    return static_cast<int64_t>(size);
  }
}

template <typename T>
T RangeElement(T start, T delta, int64_t i) {
  if constexpr (std::is_integral_v<T>) {
    return WrapAdd(start, WrapMul(static_cast<T>(i), delta));
  } else {
    return static_cast<T>(start + static_cast<T>(static_cast<T>(i) * delta));
  }
}

absl::Status CheckRangeInput(const Tensor& t, const char* what) {
  if (t.is_scalar() || (t.is_vector() && t.dim(0) == 1)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar, got shape ", t.ShapeString()));
}

template <typename T>
absl::Status ComputeRange(KernelCall& c) {
  RETURN_IF_ERROR(CheckRangeInput(c.input(0), "start"));
  RETURN_IF_ERROR(CheckRangeInput(c.input(1), "limit"));
  RETURN_IF_ERROR(CheckRangeInput(c.input(2), "delta"));
  const T start = c.input(0).scalar<T>();
  const T delta = c.input(2).scalar<T>();
  ASSIGN_OR_RETURN(const int64_t size, RangeSize(start, c.input(1).scalar<T>(), delta));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, {size}));
  T* to = output->mutable_data<T>();
  RunLoop(c, size, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = RangeElement(start, delta, i);
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> RangeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("Tidx"));
  const KernelFn fn = DispatchDType<kRangeTypes>(dtype, KernelFn{},
                                                 []<typename T>() -> KernelFn { return &RunKernel<ComputeRange<T>>; });
  if (fn == nullptr) return NoKernelFor(node, dtype);
  return Kernel{.fn = fn};
}

absl::Status RangeShape(ShapeContext& c) {
  c.SetOutput(0, PartialShape::UnknownOfRank(1));
  bool known = true;
  for (int i = 0; i < 3; ++i) {
    if (c.input(i).rank() > 1) RETURN_IF_ERROR(c.ExpectScalar(i));
    known = known && c.constant(i) != nullptr && c.constant(i)->num_elements() == 1;
  }
  if (!known) return absl::OkStatus();
  ASSIGN_OR_RETURN(const DType dtype, c.AttrAs<DType>("Tidx"));
  ASSIGN_OR_RETURN(
      const int64_t size, DispatchDType<kRangeTypes>(dtype, absl::StatusOr<int64_t>(-1), [&]<typename T>() {
        return RangeSize(c.constant(0)->scalar<T>(), c.constant(1)->scalar<T>(), c.constant(2)->scalar<T>());
      }));
  c.SetOutput(0, PartialShape::Of({size}));
  return absl::OkStatus();
}

// ---- InvertPermutation

template <typename T>
absl::Status ComputeInvertPermutation(KernelCall& c) {
  const Tensor& x = c.input(0);
  if (!x.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("x: expected a vector, got shape ", x.ShapeString()));
  }
  const int64_t n = x.num_elements();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, x.dims()));
  T* y = output->mutable_data<T>();
  std::fill_n(y, n, T{-1});
  for (int64_t i = 0; i < n; ++i) {
    const T value = x.data<T>()[i];
    if (value < 0 || value >= n) return IndexOutOfRange("x", i, x.dims(), n, value);
    if (y[value] != -1) {
      return absl::InvalidArgumentError(absl::StrCat("x: expected each value once, got ", value, " twice"));
    }
    y[value] = static_cast<T>(i);
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> InvertPermutationKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
  return Kernel{.fn = dtype == DType::kInt32 ? &RunKernel<ComputeInvertPermutation<int32_t>>
                                             : &RunKernel<ComputeInvertPermutation<int64_t>>};
}

absl::Status InvertPermutationShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 1));
  c.SetOutput(0, std::move(x));
  return absl::OkStatus();
}

// ---- Gradients

absl::Status IdentityNGrad(GradContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.needs(i)) continue;
    if (const IndexedSlices* slices = c.sparse_grad(i)) {
      c.Set(i, *slices);
    } else {
      c.Set(i, c.grad(i));
    }
  }
  return absl::OkStatus();
}

absl::Status PreventGradientGrad(GradContext& c) {
  return absl::InvalidArgumentError(absl::StrCat("expected no gradient through here: ", c.Str("message")));
}

absl::Status CheckNumericsGrad(GradContext& c) {
  c.Set(0, c.Op(c.op(), {c.grad()}, {{"message", absl::StrCat("gradient: ", c.Str("message"))}}));
  return absl::OkStatus();
}

absl::Status FillGrad(GradContext& c) {
  const Output flat = c.Op("Reshape", {c.grad(), {-1}});
  c.Set(1, c.Op("Sum", {flat, {0}}));
  return absl::OkStatus();
}

// ---- Registration

absl::Status RegisterSources(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Const() -> (output: dtype); value: tensor; dtype: type",
      .doc = "The tensor in attr value",
      .shape = ConstShape,
      .kernel = ConstKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "HostConst() -> (output: dtype); value: tensor; dtype: type",
      .doc = "The tensor in attr value, for consumers that read it on the host",
      .shape = ConstShape,
      .kernel = ConstKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Placeholder() -> (output: dtype); dtype: type; shape: shape = ?",
      .doc = "A value that each run feeds",
      .shape = PlaceholderShape,
      .kernel = PlaceholderKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "PlaceholderV2() -> (output: dtype); dtype: type; shape: shape; deprecated 23 "
                   "\"Placeholder now behaves the same as PlaceholderV2.\"",
      .doc = "A value that each run feeds",
      .shape = PlaceholderShape,
      .kernel = PlaceholderKernel,
  }));
  return library.Add({
      .signature = "PlaceholderWithDefault(input: dtype) -> (output: dtype); dtype: type; shape: shape",
      .doc = "A value that a run may feed; the input if it does not",
      .shape = PlaceholderWithDefaultShape,
      .kernel = PlainKernel<ComputeIdentity>,
      .gradient = gradients::Identity,
  });
}

absl::Status RegisterIdentities(OpLibrary& library) {
  const auto add = [&](std::string_view signature, std::string_view doc, GradFunction gradient) {
    return library.Add({.signature = signature,
                        .doc = doc,
                        .shape = shapes::SameAsInput,
                        .kernel = PlainKernel<ComputeIdentity>,
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("Identity(input: T) -> (output: T); T: type", "The input", gradients::Identity));
  RETURN_IF_ERROR(add("Snapshot(input: T) -> (output: T); T: type", "The input, as it is now", gradients::Identity));
  RETURN_IF_ERROR(add("StopGradient(input: T) -> (output: T); T: type", "The input, through which no gradient flows",
                      gradients::None));
  RETURN_IF_ERROR(add("PreventGradient(input: T) -> (output: T); T: type; message: string = \"\"",
                      "The input; to ask for a gradient through it is an error", PreventGradientGrad));
  RETURN_IF_ERROR(add("GuaranteeConst(input: T) -> (output: T); T: type; stateful",
                      "The input, of which the graph's author promises that it never changes", gradients::None));
  RETURN_IF_ERROR(add("DebugGradientIdentity(input: T) -> (output: T); T: type; uninitialized_ok",
                      "The input; marks a tensor whose gradient is watched", gradients::Identity));
  RETURN_IF_ERROR(library.Add({
      .signature = "IdentityN(input: T) -> (output: T); T: list(type) >= 1",
      .doc = "The inputs",
      .shape = IdentityNShape,
      .kernel = PlainKernel<ComputeIdentityN>,
      .gradient = IdentityNGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "DeepCopy(x: T) -> (y: T); T: type; stateful",
      .doc = "A copy of x in memory of its own",
      .shape = shapes::SameAsInput,
      .kernel = PlainKernel<ComputeDeepCopy>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "CheckNumerics(tensor: T) -> (output: T); T: {bfloat16, float16, float32, float64}; message: "
                   "string; stateful",
      .doc = "The tensor, if all its elements are finite; else an error that begins with message",
      .shape = shapes::SameAsInput,
      .kernel = CheckNumericsKernel,
      .dtypes = kFloatTypes,
      .gradient = CheckNumericsGrad,
  }));
  return library.Add({
      .signature = "CheckNumericsV2(tensor: T) -> (output: T); T: {bfloat16, float16, float32, float64}; message: "
                   "string; stateful",
      .doc = "The tensor, if all its elements are finite; else an error that begins with message",
      .shape = shapes::SameAsInput,
      .kernel = CheckNumericsKernel,
      .dtypes = kFloatTypes,
      .gradient = CheckNumericsGrad,
  });
}

absl::Status RegisterFills(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Fill(dims: index_type, value: T) -> (output: T); T: type; index_type: {int32, int64} = int32",
      .doc = "A tensor of shape dims whose elements all are value",
      .shape = FillShape,
      .kernel = MovingKernel([]<typename E>() { return &RunKernel<ComputeFill<E>>; }),
      .gradient = FillGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ZerosLike(x: T) -> (y: T); T: type",
      .doc = "Zeros (false, empty strings) in the shape of x",
      .shape = shapes::SameAsInput,
      .kernel = ZerosLikeKernel,
      .dtypes = kZeroTypes | DTypeSet{DType::kVariant},
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature =
          "OnesLike(x: T) -> (y: T); T: {bfloat16, float16, float32, float64, int8, uint8, int16, uint16, int32, "
          "uint32, int64, uint64, complex64, complex128, bool}",
      .doc = "Ones (true) in the shape of x",
      .shape = shapes::SameAsInput,
      .kernel = OneValueLikeKernel<kOneTypes, 1>,
      .dtypes = kOneTypes,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Empty(shape: int32) -> (output: dtype); dtype: type; init: bool = false; stateful",
      .doc = "A tensor of the given shape for whose values nobody asks; they are zeros",
      .shape = EmptyShape,
      .kernel = EmptyKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Range(start: Tidx, limit: Tidx, delta: Tidx) -> (output: Tidx); Tidx: {bfloat16, float16, float32, "
                   "float64, int8, int16, int32, int64, uint16, uint32, uint64} = int32",
      .doc = "The numbers start, start + delta, .. before limit",
      .shape = RangeShape,
      .kernel = RangeKernel,
      .dtypes = kRangeTypes,
      .type_attr = "Tidx",
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "InvertPermutation(x: T) -> (y: T); T: {int32, int64} = int32",
      .doc = "The permutation that undoes x: y[x[i]] = i",
      .shape = InvertPermutationShape,
      .kernel = InvertPermutationKernel,
      .gradient = gradients::None,
  });
}

}  // namespace

absl::Status RegisterBasicArrayOps(OpLibrary& library) {
  RETURN_IF_ERROR(RegisterSources(library));
  RETURN_IF_ERROR(RegisterIdentities(library));
  return RegisterFills(library);
}

}  // namespace flowlatch
