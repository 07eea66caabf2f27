// Matrix products.
//   MatMul: a [m, k], b [k, n] -> [m, n]; transpose_a and transpose_b read a as [k, m], b as [n, k].
//   BatchMatMul: x [d.., m, k], y [d.., k, n] -> [d.., m, n]; adj_x and adj_y transpose and conjugate the last two.
//   BatchMatMulV2, V3: the same, and the d.. of x and y broadcast. V3 also multiplies 8-bit integers into int32 and
//   8-bit integers with bfloat16.
// All number types. Integers wrap; 16-bit floats are multiplied and added in float and rounded once, products of bfloat16
// alone towards zero as TensorFlow has it. A product over no elements (k = 0) is zero.
#include "ops/matmul_ops.h"

#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/gemm.h"
#include "ops/kernels/matrices.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

struct MatMulState final : KernelState {
  Op op_x = Op::kNone, op_y = Op::kNone;
  bool broadcast = false;  // whether batch dimensions may differ
};

struct Product {
  int64_t m, n, k;
  Dims output;
};

bool Agree(int64_t a, int64_t b) { return a == b || a < 0 || b < 0; }

// Dimensions may be -1 (unknown), so that shape functions and kernels judge alike.
absl::StatusOr<Product> PlanProduct(absl::Span<const int64_t> x, absl::Span<const int64_t> y, const MatMulState& state) {
  if (x.size() < 2 || y.size() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("operands of a matrix product: expected at least 2 dimensions, got ",
                                                   DimsToString(x), " and ", DimsToString(y)));
  }
  const auto mismatch = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("operands of a matrix product: expected equal ", what, ", got ",
                                                   DimsToString(x), state.op_x == Op::kNone ? "" : " (transposed)",
                                                   " and ", DimsToString(y),
                                                   state.op_y == Op::kNone ? "" : " (transposed)"));
  };
  int64_t m = x[x.size() - 2], x_inner = x[x.size() - 1], y_inner = y[y.size() - 2], n = y[y.size() - 1];
  if (state.op_x != Op::kNone) std::swap(m, x_inner);
  if (state.op_y != Op::kNone) std::swap(n, y_inner);
  if (!Agree(x_inner, y_inner)) return mismatch("inner dimensions");
  Product p{.m = m, .n = n, .k = std::max(x_inner, y_inner), .output = {}};
  const auto x_batch = x.first(x.size() - 2), y_batch = y.first(y.size() - 2);
  if (state.broadcast) {
    absl::StatusOr<PartialShape> batch =
        BroadcastPartialShapes(PartialShape::FromValid(x_batch), PartialShape::FromValid(y_batch));
    if (!batch.ok()) return mismatch("or stretchable batch dimensions");
    p.output.assign(batch->dims().begin(), batch->dims().end());
  } else {
    if (x_batch.size() != y_batch.size()) return mismatch("batch dimensions");
    for (size_t i = 0; i < x_batch.size(); ++i) {
      if (!Agree(x_batch[i], y_batch[i])) return mismatch("batch dimensions");
      p.output.push_back(std::max(x_batch[i], y_batch[i]));
    }
  }
  p.output.push_back(m);
  p.output.push_back(n);
  return p;
}

// toward_zero: see GemmArgs.
template <typename T>
absl::Status Multiply(KernelCall& c, const Tensor& x, const Tensor& y, bool toward_zero) {
  const MatMulState& state = c.state<MatMulState>();
  ASSIGN_OR_RETURN(const Product p, PlanProduct(x.dims(), y.dims(), state));
  ASSIGN_OR_RETURN(Tensor* out, c.AllocateOutput(0, kDTypeOf<T>, p.output));
  if (out->num_elements() == 0) return absl::OkStatus();
  auto product = GemmArgs<T>::Dense(x.data<T>(), state.op_x, y.data<T>(), state.op_y, out->mutable_data<T>(), p.m, p.n,
                                    p.k);
  product.toward_zero = toward_zero;
  if (p.output.size() == 2) return Gemm(c, product);

  const BatchIndex x_index(x.dims(), p.output), y_index(y.dims(), p.output);
  const int64_t batch = out->num_elements() / (p.m * p.n);
  if (y_index.count() == 1 && x_index.count() == batch && state.op_x == Op::kNone) {  // one tall product
    GemmArgs<T> tall = product;
    tall.m *= batch;
    return Gemm(c, tall);
  }
  const auto matrix = [&](int64_t i) {
    GemmArgs<T> args = product;
    args.a += x_index.At(i) * p.m * p.k;
    args.b += y_index.At(i) * p.k * p.n;
    args.c += i * p.m * p.n;
    return args;
  };
  constexpr int64_t kManyMatrices = 8;
  if (batch < kManyMatrices) {
    for (int64_t i = 0; i < batch; ++i) RETURN_IF_ERROR(Gemm(c, matrix(i)));
    return absl::OkStatus();
  }
  std::vector<absl::Status> statuses(batch);
  c.ParallelFor(batch, GemmCost<T>(p.m, p.n, p.k) + 50, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) statuses[i] = SerialGemm(matrix(i));
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

template <typename T>
absl::Status MatMul(KernelCall& c) {
  return Multiply<T>(c, c.input(0), c.input(1), /*toward_zero=*/true);
}

// A copy of x with elements of type T. Requires: x is of type T, int8 or uint8.
template <typename T>
absl::StatusOr<Tensor> ConvertTo(const Tensor& x) {
  if (x.dtype() == kDTypeOf<T>) return x;
  ASSIGN_OR_RETURN(Tensor y, Tensor::Make(kDTypeOf<T>, x.dims()));
  T* to = y.mutable_data<T>();
  const auto convert = [&](const auto* from) { std::transform(from, from + x.num_elements(), to, [](auto v) { return T(v); }); };
  x.dtype() == DType::kInt8 ? convert(x.data<int8_t>()) : convert(x.data<uint8_t>());
  return y;
}

template <typename T>
absl::Status ConvertAndMatMul(KernelCall& c) {
  ASSIGN_OR_RETURN(const Tensor x, ConvertTo<T>(c.input(0)));
  ASSIGN_OR_RETURN(const Tensor y, ConvertTo<T>(c.input(1)));
  return Multiply<T>(c, x, y, /*toward_zero=*/false);
}

absl::StatusOr<MatMulState> DecodeAttrs(const auto& node, std::string_view op) {
  MatMulState state;
  state.broadcast = op == "BatchMatMulV2" || op == "BatchMatMulV3";
  const bool batched = op != "MatMul";
  ASSIGN_OR_RETURN(const bool x, node.Bool(batched ? "adj_x" : "transpose_a"));
  ASSIGN_OR_RETURN(const bool y, node.Bool(batched ? "adj_y" : "transpose_b"));
  const Op turned = batched ? Op::kAdjoint : Op::kTranspose;
  state.op_x = x ? turned : Op::kNone;
  state.op_y = y ? turned : Op::kNone;
  return state;
}

// One dtype for operands and result.
absl::StatusOr<Kernel> MatMulKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(MatMulState state, DecodeAttrs(node, node.schema().name()));
  const KernelFn fn = DispatchDType<kNumberTypes>(node.output_dtype(0), KernelFn{},
                                                  []<typename T>() -> KernelFn { return &RunKernel<MatMul<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<MatMulState>(state)};
}

absl::StatusOr<Kernel> MixedMatMulKernel(const NodeInfo& node) {
  const DType x = node.input_dtype(0), y = node.input_dtype(1), out = node.output_dtype(0);
  if (x == out && y == out) return MatMulKernel(node);
  constexpr DTypeSet kBytes{DType::kInt8, DType::kUInt8};
  ASSIGN_OR_RETURN(MatMulState state, DecodeAttrs(node, node.schema().name()));
  KernelFn fn = nullptr;
  if (out == DType::kInt32 && kBytes.contains(x) && kBytes.contains(y)) fn = &RunKernel<ConvertAndMatMul<int32_t>>;
  constexpr DTypeSet kBytesOrBFloat16 = kBytes | DTypeSet{DType::kBFloat16};
  if (out == DType::kBFloat16 && kBytesOrBFloat16.contains(x) && kBytesOrBFloat16.contains(y)) {
    fn = &RunKernel<ConvertAndMatMul<BFloat16>>;
  }
  if (fn == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        "kernel of ", node.schema().name(), ": expected operands and result of one dtype, 8-bit operands with int32, or ",
        "8-bit and bfloat16 operands with bfloat16, got ", std::string(DTypeName(x)), " and ",
        std::string(DTypeName(y)), " with ", std::string(DTypeName(out))));
  }
  return Kernel{.fn = fn, .state = std::make_shared<MatMulState>(state)};
}

absl::Status ProductShape(ShapeContext& c) {
  const bool batched = c.schema().name() != "MatMul";
  ASSIGN_OR_RETURN(const MatMulState state, DecodeAttrs(c, c.schema().name()));
  ASSIGN_OR_RETURN(PartialShape x, batched ? c.WithRankAtLeast(0, 2) : c.WithRank(0, 2));
  ASSIGN_OR_RETURN(PartialShape y, batched ? c.WithRankAtLeast(1, 2) : c.WithRank(1, 2));
  if (!state.broadcast) {  // then one rank tells the other
    if (!x.has_rank() && y.has_rank()) x = PartialShape::UnknownOfRank(y.rank());
    if (!y.has_rank() && x.has_rank()) y = PartialShape::UnknownOfRank(x.rank());
  }
  if (!x.has_rank() || !y.has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Product p, PlanProduct(x.dims(), y.dims(), state));
  ASSIGN_OR_RETURN(PartialShape out, PartialShape::Make(p.output));
  c.SetOutput(0, std::move(out));
  return absl::OkStatus();
}

// ---- Gradients
//
// For op(x) op(y), where op transposes (and conjugates): dx = dz op(y)', dy = op(x)' dz, and the transpose of that
// where the operand itself was transposed.

// An operand of a gradient's product.
struct Factor {
  Output matrix;
  bool transpose;
};

template <typename Multiply>
void SetProductGrads(GradContext& c, bool transpose_x, bool transpose_y, bool conjugate, Multiply&& multiply) {
  const Output grad = c.grad();
  const auto operand = [&](int i) { return conjugate ? ConjIfComplex(c, c.input(i)) : c.input(i); };
  if (c.needs(0)) {
    const Output y = operand(1);
    multiply(0, transpose_x ? Factor{y, transpose_y} : Factor{grad, false},
             transpose_x ? Factor{grad, true} : Factor{y, !transpose_y});
  }
  if (c.needs(1)) {
    const Output x = operand(0);
    multiply(1, transpose_y ? Factor{grad, true} : Factor{x, !transpose_x},
             transpose_y ? Factor{x, transpose_x} : Factor{grad, false});
  }
}

// Transposing does not conjugate here, so that is done first.
absl::Status MatMulGrad(GradContext& c) {
  const auto multiply = [&](int i, const Factor& left, const Factor& right) {
    c.Set(i, c.Op("MatMul", {left.matrix, right.matrix},
                  {{"transpose_a", left.transpose}, {"transpose_b", right.transpose}}));
  };
  SetProductGrads(c, c.Bool("transpose_a"), c.Bool("transpose_b"), true, multiply);
  return absl::OkStatus();
}

// What the product gives where batch dimensions were stretched is summed over those.
absl::Status BatchMatMulGrad(GradContext& c) {
  const auto multiply = [&](int i, const Factor& left, const Factor& right) {
    const bool mixed = c.op() == "BatchMatMulV3";
    std::vector<AttrMap::Entry> attrs{{"adj_x", left.transpose}, {"adj_y", right.transpose}};
    if (mixed) attrs.push_back({"Tout", c.input_dtype(i)});
    const Output product = c.Op(mixed ? "BatchMatMulV3" : "BatchMatMulV2", {left.matrix, right.matrix}, attrs);
    c.Set(i, SumToShapeOf(c, product, i));
  };
  SetProductGrads(c, c.Bool("adj_x"), c.Bool("adj_y"), false, multiply);
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterMatMulOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "MatMul(a: T, b: T) -> (product: T); transpose_a: bool = false; transpose_b: bool = false; T: "
                   "{bfloat16, float16, float32, float64, int32, int64, uint8, uint16, uint32, uint64, complex64, "
                   "complex128}; grad_a: bool = false; grad_b: bool = false",
      .doc = "The product of two matrices, each transposed on demand",
      .shape = ProductShape,
      .kernel = MatMulKernel,
      .dtypes = kNumberTypes,
      .gradient = MatMulGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "BatchMatMul(x: T, y: T) -> (output: T); T: {bfloat16, float16, float32, float64, int32, int64, "
                   "complex64, complex128}; adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: "
                   "bool = false",
      .doc = "Products of corresponding matrices; batch dimensions must be equal",
      .shape = ProductShape,
      .kernel = MatMulKernel,
      .dtypes = kNumberTypes,
      .gradient = BatchMatMulGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "BatchMatMulV2(x: T, y: T) -> (output: T); T: {bfloat16, float16, float32, float64, int16, int32, "
                   "int64, uint8, uint16, uint32, uint64, complex64, complex128}; adj_x: bool = false; adj_y: bool = "
                   "false; grad_x: bool = false; grad_y: bool = false",
      .doc = "Products of corresponding matrices; batch dimensions broadcast",
      .shape = ProductShape,
      .kernel = MatMulKernel,
      .dtypes = kNumberTypes,
      .gradient = BatchMatMulGrad,
  }));
  return library.Add({
      .signature = "BatchMatMulV3(x: Ta, y: Tb) -> (output: Tout); Ta: {bfloat16, float16, float32, float64, uint8, "
                   "int8, int16, int32, int64, complex64, complex128}; Tb: {bfloat16, float16, float32, float64, "
                   "uint8, int8, int16, int32, int64, complex64, complex128}; Tout: {bfloat16, float16, float32, "
                   "float64, int16, int32, int64, complex64, complex128}; adj_x: bool = false; adj_y: bool = false; "
                   "grad_x: bool = false; grad_y: bool = false",
      .doc = "Products of corresponding matrices; batch dimensions broadcast; dtypes may be mixed",
      .shape = ProductShape,
      .kernel = MixedMatMulKernel,
      .dtypes = kNumberTypes,
      .type_attr = "Tout",
      .gradient = BatchMatMulGrad,
  });
}

}  // namespace flowlatch
