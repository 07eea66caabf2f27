// Arithmetic on the values of sparse tensors (indices [n, r], values [n], dense_shape [r]):
//   SparseAdd(a, b, thresh): entries of either; those whose magnitude is below thresh, or NaN, are left out.
//     SparseAddGrad: the gradient of the sum's values, 0 where an entry was left out.
//   SparseSparseMaximum, SparseSparseMinimum: entries of either; what is not there is 0.
//   SparseTensorDenseAdd(a, b): b with the values added at their places; the same place may come more than once.
//   SparseDenseCwise{Add,Mul,Div}: each value with the element of dense, stretched to dense_shape, at its place.
//   SparseReduce{Sum,Max}: over axes, to a dense tensor with 0 where there are no entries; SparseReduce{Sum,Max}Sparse: to
//     a sparse one. Entries need not be in order.
//   SparseSoftmax: over the entries of each row of the last dimension; values come in ascending order of their indices.
// Indices of SparseAdd and its kin ascend: two lists are merged as they are. Integers wrap; 16-bit floats round once.
#include "ops/sparse_math_ops.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

template <typename T>
using Wide = combine::Wide<T>;

// A kernel for each dtype of attr T in kTypes.
template <DTypeSet kTypes, typename Choose>
KernelFactory TypedKernel(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
    const KernelFn fn = DispatchDType<kTypes>(dtype, KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, dtype);
    return Kernel{.fn = fn};
  };
}

// ---- Merges of two sparse tensors

// An entry of a union: where it is in either list, -1 if it is not.
struct Pair {
  int64_t a = -1, b = -1;
};

std::vector<Pair> Merge(const IndexRows& a, int64_t a_size, const IndexRows& b, int64_t b_size) {
  std::vector<Pair> pairs;
  int64_t i = 0, k = 0;
  while (i < a_size || k < b_size) {
    const int order = i == a_size ? 1 : k == b_size ? -1 : CompareIndices(a.row(i), b.row(k));
    pairs.push_back({order <= 0 ? i++ : -1, order >= 0 ? k++ : -1});
  }
  return pairs;
}

struct Operands {
  SparseInput a, b;
  std::vector<Pair> pairs;
};

absl::StatusOr<Operands> ReadOperands(KernelCall& c) {
  Operands operands;
  ASSIGN_OR_RETURN(operands.a, ReadSparse(c.input(0), c.input(1), c.input(2), "a_"));
  ASSIGN_OR_RETURN(operands.b, ReadSparse(c.input(3), c.input(4), c.input(5), "b_"));
  RETURN_IF_ERROR(ExpectEqualDims(operands.a, operands.b));
  operands.pairs = Merge(operands.a.indices, operands.a.n, operands.b.indices, operands.b.n);
  return operands;
}

// Outputs 0 and 1: the pairs' indices, and combine(a, b) of their values.
template <typename T, typename Combine>
absl::Status SetUnion(KernelCall& c, const Operands& operands, const std::vector<Pair>& pairs, const Combine& combine) {
  const int64_t n = static_cast<int64_t>(pairs.size());
  IndexRows rows{.rank = operands.a.rank(), .numbers = {}};
  for (const Pair& pair : pairs) rows.Append(pair.a >= 0 ? operands.a.indices.row(pair.a) : operands.b.indices.row(pair.b));
  RETURN_IF_ERROR(SetIndexRows(c, 0, rows, n));
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, kDTypeOf<T>, {n}));
  for (int64_t i = 0; i < n; ++i) values->mutable_data<T>()[i] = combine(pairs[i]);
  return absl::OkStatus();
}

template <typename T>
absl::Status SparseAdd(KernelCall& c) {
  using Real = std::conditional_t<std::is_integral_v<T>, T, decltype(std::abs(T()))>;
  const Tensor& thresh = c.input(6);
  if (!thresh.is_scalar() || thresh.dtype() != kDTypeOf<Real>) {
    return absl::InvalidArgumentError(absl::StrCat("thresh: expected a scalar ", std::string(DTypeName(kDTypeOf<Real>)),
                                                   ", got ", std::string(DTypeName(thresh.dtype())), " ",
                                                   thresh.ShapeString()));
  }
  ASSIGN_OR_RETURN(Operands operands, ReadOperands(c));
  const T* a = operands.a.data<T>();
  const T* b = operands.b.data<T>();
  const auto sum = [=](const Pair& pair) {
    return pair.a < 0 ? b[pair.b] : pair.b < 0 ? a[pair.a] : combine::Sum::Apply<T>(a[pair.a], b[pair.b]);
  };
  std::vector<Pair> kept;
  for (const Pair& pair : operands.pairs) {
    const T x = sum(pair);
    bool large;
    if constexpr (std::is_integral_v<T>) large = (x < 0 ? WrapSub<T>(0, x) : x) >= thresh.scalar<Real>();
    else large = std::abs(x) >= thresh.scalar<Real>();
    if (large) kept.push_back(pair);
  }
  RETURN_IF_ERROR(SetUnion<T>(c, operands, kept, sum));
  c.SetOutput(2, c.input(2));
  return absl::OkStatus();
}

absl::Status SparseAddShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t a, ExpectSparse(c, 0));
  ASSIGN_OR_RETURN(const int64_t b, ExpectSparse(c, 3));
  RETURN_IF_ERROR(c.ExpectScalar(6));
  SetSparseOutput(c, 0, -1, a >= 0 ? a : b);
  return absl::OkStatus();
}

// Gradients of the operand with these indices: both lists ascend.
template <typename T>
absl::Status SetOperandGrad(KernelCall& c, int output, const IndexRows& sum, int64_t sum_size) {
  ASSIGN_OR_RETURN(const IndexRows rows, ReadIndexRows(c.input(1 + output), output == 0 ? "a_" : "b_"));
  if (rows.rank != sum.rank) {
    return absl::InvalidArgumentError(absl::StrCat("indices: expected rows of ", sum.rank, ", got ", rows.rank));
  }
  const int64_t n = c.input(1 + output).dim(0);
  ASSIGN_OR_RETURN(Tensor * grad, c.AllocateOutput(output, kDTypeOf<T>, {n}));
  int64_t k = 0;
  for (int64_t i = 0; i < n; ++i) {
    while (k < sum_size && CompareIndices(sum.row(k), rows.row(i)) < 0) ++k;
    const bool there = k < sum_size && CompareIndices(sum.row(k), rows.row(i)) == 0;
    grad->mutable_data<T>()[i] = there ? c.input(0).data<T>()[k] : T(0);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status SparseAddGrad(KernelCall& c) {
  ASSIGN_OR_RETURN(const IndexRows sum, ReadIndexRows(c.input(3), "sum_"));
  const int64_t sum_size = c.input(3).dim(0);
  if (!c.input(0).is_vector() || c.input(0).dim(0) != sum_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("backprop_val_grad: expected shape [", sum_size, "], got shape ", c.input(0).ShapeString()));
  }
  RETURN_IF_ERROR(SetOperandGrad<T>(c, 0, sum, sum_size));
  return SetOperandGrad<T>(c, 1, sum, sum_size);
}

absl::Status SparseAddGradShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  for (int i = 0; i < 2; ++i) {
    ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1 + i, 2));
    c.SetOutput(i, PartialShape::Of({indices.has_rank() ? indices.dim(0) : -1}));
  }
  return c.WithRank(3, 2).status();
}

absl::Status AddGradient(GradContext& c) {
  const Operation grads = c.MultiOp("SparseAddGrad", {c.grad(1), c.input(0), c.input(3), c.output(0)});
  c.Set(1, grads.output(0));
  c.Set(4, grads.output(1));
  return absl::OkStatus();
}

template <typename How, typename T>
absl::Status Extreme(KernelCall& c) {
  ASSIGN_OR_RETURN(const Operands operands, ReadOperands(c));
  return SetUnion<T>(c, operands, operands.pairs, [&](const Pair& pair) {
    const T a = pair.a < 0 ? T(0) : operands.a.data<T>()[pair.a];
    const T b = pair.b < 0 ? T(0) : operands.b.data<T>()[pair.b];
    return T(How::template Apply<Wide<T>>(a, b));
  });
}

absl::Status ExtremeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t a, ExpectSparse(c, 0));
  ASSIGN_OR_RETURN(const int64_t b, ExpectSparse(c, 3));
  c.SetOutput(0, PartialShape::Of({-1, a >= 0 ? a : b}));
  c.SetOutput(1, PartialShape::Of({-1}));
  return absl::OkStatus();
}

// ---- With dense tensors

template <typename T>
absl::Status SparseTensorDenseAdd(KernelCall& c) {
  ASSIGN_OR_RETURN(const SparseInput a, ReadSparse(c.input(0), c.input(1), c.input(2), "a_"));
  const Tensor& b = c.input(3);
  if (a.rank() == 0) return absl::InvalidArgumentError("a_shape: expected at least 1 dimension, got none");
  if (b.dims() != absl::MakeConstSpan(a.dims)) {
    return absl::InvalidArgumentError(
        absl::StrCat("b: expected shape ", DimsToString(a.dims), " as a has, got ", b.ShapeString()));
  }
  RETURN_IF_ERROR(CheckPlaces(a, "a_"));
  ASSIGN_OR_RETURN(Tensor * sum, c.ForwardOrAllocate(0, 3, b.dtype(), b.shape()));
  T* to = sum->mutable_data<T>();
  if (sum->raw_data() != b.raw_data()) CopyElements(b.dtype(), b.raw_data(), to, b.num_elements());
  for (int64_t i = 0; i < a.n; ++i) {
    T& x = to[FlatPlace(a.indices.row(i), a.dims)];
    x = T(combine::Sum::Apply<Wide<T>>(x, a.data<T>()[i]));
  }
  return absl::OkStatus();
}

absl::Status SparseTensorDenseAddShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectSparse(c, 0).status());
  ASSIGN_OR_RETURN(const PartialShape a, c.InputAsShape(2));
  ASSIGN_OR_RETURN(PartialShape sum, a.MergeWith(c.input(3)));
  c.SetOutput(0, std::move(sum));
  return absl::OkStatus();
}

absl::Status DenseAddGradient(GradContext& c) {
  c.Set(1, c.Op("GatherNd", {c.grad(), c.input(0)}));
  c.Set(3, c.grad());
  return absl::OkStatus();
}

// For elements in the wide type.
struct Plus {
  template <typename W>
  static W Apply(W x, W y) { return combine::Sum::Apply<W>(x, y); }
};
struct Times {
  template <typename W>
  static W Apply(W x, W y) { return combine::Prod::Apply<W>(x, y); }
};
struct Over {
  // Requires: y is not 0 where W is integral.
  template <typename W>
  static W Apply(W x, W y) {
    if constexpr (std::is_signed_v<W> && std::is_integral_v<W>) {
      if (y == W(-1)) return WrapSub(W(0), x);  // the smallest number stays itself
    }
    return x / y;
  }
};

template <typename How, typename T>
absl::Status SparseDenseCwise(KernelCall& c) {
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(0), c.input(1), c.input(2), "sp_"));
  const Tensor& dense = c.input(3);
  const int skipped = sparse.rank() - dense.rank();
  for (int d = 0; d < dense.rank(); ++d) {
    if (skipped >= 0 && (dense.dim(d) == 1 || dense.dim(d) == sparse.dims[skipped + d])) continue;
    return absl::InvalidArgumentError(absl::StrCat("dense: expected a shape that stretches to ", DimsToString(sparse.dims),
                                                   ", got ", dense.ShapeString()));
  }
  RETURN_IF_ERROR(CheckPlaces(sparse, "sp_"));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, {sparse.n}));
  for (int64_t i = 0; i < sparse.n; ++i) {
    int64_t place = 0;
    for (int d = 0; d < dense.rank(); ++d) {
      place = place * dense.dim(d) + (dense.dim(d) == 1 ? 0 : sparse.indices[i][skipped + d]);
    }
    const T y = dense.data<T>()[place];
    if constexpr (std::is_same_v<How, Over> && std::is_integral_v<T>) {
      if (y == 0) return absl::InvalidArgumentError("dense: expected no 0 to divide an integer by, got one");
    }
    output->mutable_data<T>()[i] = T(How::template Apply<Wide<T>>(sparse.data<T>()[i], y));
  }
  return absl::OkStatus();
}

absl::Status CwiseShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectSparse(c, 0).status());
  c.SetOutput(0, PartialShape::Of({c.input(0).has_rank() ? c.input(0).dim(0) : c.input(1).has_rank() ? c.input(1).dim(0) : -1}));
  return absl::OkStatus();
}

// Each entry's place in y: dimensions of y that were stretched count as one place.
absl::Status CwiseGradient(GradContext& c) {
  const Output y = c.input(3), shape = c.ShapeOfInput(3, DType::kInt64);
  const Output places = c.input(0) / (c.input(2) / shape);
  const Output at = c.Op("GatherNd", {y, places});
  const bool product = c.op() == "SparseDenseCwiseMul";
  const Output x_grad = product ? c.grad() * ConjIfComplex(c, at) : c.grad() / ConjIfComplex(c, at);
  c.Set(1, x_grad);
  if (!c.needs(3)) return absl::OkStatus();
  const Output values = c.input(1);
  const Output y_grad = product ? c.grad() * ConjIfComplex(c, values)
                                : c.grad() * ConjIfComplex(c, -(values / (at * at)));
  c.Set(3, c.Op("SparseTensorDenseAdd", {places, y_grad, shape, c.Op("ZerosLike", {y})}));
  return absl::OkStatus();
}

// ---- Reductions

class ReduceState : public KernelState {
 public:
  explicit ReduceState(bool keep_dims) : keep_dims(keep_dims) {}
  const bool keep_dims;
};

// Entries in the order of the dimensions that are kept, and what comes out for each group of them.
struct Reduction {
  SparseInput sparse;
  std::vector<int64_t> order;       // entries by kept index
  std::vector<EntryGroup> groups;   // of `order`
  IndexRows kept;                   // output index of each group
  Dims dims;                        // of the output
};

absl::StatusOr<Reduction> Reduce(KernelCall& c) {
  Reduction r;
  ASSIGN_OR_RETURN(r.sparse, ReadSparse(c.input(0), c.input(1), c.input(2), "input_"));
  RETURN_IF_ERROR(CheckPlaces(r.sparse, "input_"));
  ASSIGN_OR_RETURN(const Dims axes, ReadIntVectorOrScalar(c.input(3), "reduction_axes"));
  const int rank = r.sparse.rank();
  const bool keep_dims = c.state<ReduceState>().keep_dims;
  std::vector<bool> reduced(rank);
  for (const int64_t axis : axes) {
    ASSIGN_OR_RETURN(const int d, NormalizeAxis(axis, rank, "reduction_axes"));
    reduced[d] = true;
  }
  for (int d = 0; d < rank; ++d) {
    if (!reduced[d] || keep_dims) r.dims.push_back(reduced[d] ? 1 : r.sparse.dims[d]);
  }
  IndexRows all{.rank = static_cast<int>(r.dims.size()), .numbers = {}};
  for (int64_t i = 0; i < r.sparse.n; ++i) {
    for (int d = 0; d < rank; ++d) {
      if (!reduced[d] || keep_dims) all.numbers.push_back(reduced[d] ? 0 : r.sparse.indices[i][d]);
    }
  }
  r.kept.rank = all.rank;
  if (all.rank == 0) {  // everything is one group
    for (int64_t i = 0; i < r.sparse.n; ++i) r.order.push_back(i);
    if (r.sparse.n > 0) r.groups.push_back({0, r.sparse.n});
    return r;
  }
  r.order = AscendingOrder(all);
  IndexRows sorted{.rank = all.rank, .numbers = {}};
  for (const int64_t i : r.order) sorted.Append(all.row(i));
  r.groups = GroupsOf(sorted, all.rank);
  for (const EntryGroup& group : r.groups) r.kept.Append(sorted.row(group.begin));
  return r;
}

template <typename How, typename T>
T ReduceGroup(const Reduction& r, const EntryGroup& group) {
  const T* values = r.sparse.data<T>();
  Wide<T> result = values[r.order[group.begin]];
  for (int64_t i = group.begin + 1; i < group.end; ++i) result = How::template Apply<Wide<T>>(result, values[r.order[i]]);
  return T(result);
}

template <typename How, typename T>
absl::Status ReduceToDense(KernelCall& c) {
  ASSIGN_OR_RETURN(const Reduction r, Reduce(c));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(r.dims));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, shape));
  T* to = output->mutable_data<T>();
  std::fill_n(to, output->num_elements(), T(0));
  for (size_t g = 0; g < r.groups.size(); ++g) {
    to[FlatPlace(r.kept.row(static_cast<int64_t>(g)), r.dims)] = ReduceGroup<How, T>(r, r.groups[g]);
  }
  return absl::OkStatus();
}

template <typename How, typename T>
absl::Status ReduceToSparse(KernelCall& c) {
  ASSIGN_OR_RETURN(const Reduction r, Reduce(c));
  const int64_t n = static_cast<int64_t>(r.groups.size());
  RETURN_IF_ERROR(SetIndexRows(c, 0, r.kept, n));
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, kDTypeOf<T>, {n}));
  for (int64_t g = 0; g < n; ++g) values->mutable_data<T>()[g] = ReduceGroup<How, T>(r, r.groups[g]);
  return SetInts(c, 2, r.dims);
}

template <DTypeSet kTypes, typename Choose>
KernelFactory ReduceKernel(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    ASSIGN_OR_RETURN(Kernel kernel, TypedKernel<kTypes>(choose)(node));
    ASSIGN_OR_RETURN(const bool keep_dims, node.Bool("keep_dims"));
    kernel.state = std::make_shared<ReduceState>(keep_dims);
    return kernel;
  };
}

absl::StatusOr<PartialShape> ReducedShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t rank, ExpectSparse(c, 0));
  ASSIGN_OR_RETURN(const PartialShape dense, c.InputAsShape(2));
  ASSIGN_OR_RETURN(const bool keep_dims, c.Bool("keep_dims"));
  if (rank < 0) return PartialShape();
  const Tensor* axes_input = c.constant(3);
  if (axes_input == nullptr) return keep_dims ? PartialShape::UnknownOfRank(static_cast<int>(rank)) : PartialShape();
  ASSIGN_OR_RETURN(const Dims axes, ReadIntVectorOrScalar(*axes_input, "reduction_axes"));
  std::vector<bool> reduced(rank);
  for (const int64_t axis : axes) {
    ASSIGN_OR_RETURN(const int d, NormalizeAxis(axis, static_cast<int>(rank), "reduction_axes"));
    reduced[d] = true;
  }
  Dims dims;
  for (int d = 0; d < rank; ++d) {
    if (reduced[d] && keep_dims) dims.push_back(1);
    if (!reduced[d]) dims.push_back(dense.has_rank() ? dense.dim(d) : -1);
  }
  return PartialShape::Make(dims);
}

absl::Status ReduceToDenseShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, ReducedShape(c));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status ReduceToSparseShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape shape, ReducedShape(c));
  SetSparseOutput(c, 0, -1, shape.rank());
  return absl::OkStatus();
}

// Every entry gets the gradient of the element that it went into.
absl::Status ReduceSumGradient(GradContext& c) {
  const Output shape = c.input(2);
  const Output rank = c.Op("Size", {shape});
  const Output axes = (c.Op("Reshape", {c.input(3), {-1}}) + rank) % rank;
  const Output reduced = c.Op("UnsortedSegmentMax", {c.Op("OnesLike", {axes}), axes, rank});
  const Output mask = c.Op("Cast", {c.Op("Maximum", {reduced, 0})}, {{"DstT", DType::kInt64}});  // 1 where it is reduced
  const Output grad = c.Op("Reshape", {c.grad(), shape * (1 - mask) + mask});
  c.Set(1, c.Op("GatherNd", {grad, c.input(0) * (1 - mask)}));
  return absl::OkStatus();
}

// ---- SparseSoftmax

template <typename T>
absl::Status SparseSoftmax(KernelCall& c) {
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(0), c.input(1), c.input(2), "sp_"));
  if (sparse.rank() < 2) {
    return absl::InvalidArgumentError(absl::StrCat("sp_shape: expected at least 2 dimensions, got ", sparse.rank()));
  }
  const std::vector<int64_t> order = AscendingOrder(sparse.indices);
  IndexRows sorted{.rank = sparse.rank(), .numbers = {}};
  for (const int64_t i : order) sorted.Append(sparse.indices.row(i));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, {sparse.n}));
  T* to = output->mutable_data<T>();
  for (const auto& [begin, end] : GroupsOf(sorted, sparse.rank() - 1)) {
    const auto value = [&](int64_t i) { return static_cast<Wide<T>>(sparse.data<T>()[order[i]]); };
    Wide<T> largest = value(begin);
    for (int64_t i = begin; i < end; ++i) largest = combine::Max::Apply(largest, value(i));
    Wide<T> sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += std::exp(value(i) - largest);
    for (int64_t i = begin; i < end; ++i) to[i] = T(std::exp(value(i) - largest) / sum);
  }
  return absl::OkStatus();
}

absl::Status SparseSoftmaxShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectSparse(c, 0).status());
  c.SetOutput(0, c.input(1));
  return absl::OkStatus();
}

// y * (grad - sum over each row of y * grad)
absl::Status SoftmaxGradient(GradContext& c) {
  const Output indices = c.input(0), shape = c.input(2), y = c.output(0), grad = c.grad();
  const Output sums = c.Op("SparseReduceSum", {indices, y * grad, shape, {-1}}, {{"keep_dims", true}});
  c.Set(1, c.Op("SparseDenseCwiseAdd", {indices, grad, shape, -sums}) * y);
  return absl::OkStatus();
}

constexpr DTypeSet kSumTypes = kComplexTypes | DTypeSet{DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32,
                                                        DType::kInt16, DType::kInt8};
constexpr DTypeSet kSoftmaxTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

template <typename How, DTypeSet kTypes>
absl::Status AddReductions(OpLibrary& library, const std::string& how, GradFunction gradient) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseReduce" + how),
                               .doc = "A reduction of a sparse tensor to a dense one",
                               .shape = ReduceToDenseShape,
                               .kernel = ReduceKernel<kTypes>([]<typename T>() { return &RunKernel<ReduceToDense<How, T>>; }),
                               .dtypes = kTypes,
                               .gradient = gradient}));
  return library.Add({.signature = TensorFlowSignature("SparseReduce" + how + "Sparse"),
                      .doc = "A reduction of a sparse tensor to a sparse one",
                      .shape = ReduceToSparseShape,
                      .kernel = ReduceKernel<kTypes>([]<typename T>() { return &RunKernel<ReduceToSparse<How, T>>; }),
                      .dtypes = kTypes});
}

template <typename How>
absl::Status AddCwise(OpLibrary& library, const char* op, GradFunction gradient) {
  return library.Add({.signature = TensorFlowSignature(op),
                      .doc = "Values of a sparse tensor with the dense elements at their places",
                      .shape = CwiseShape,
                      .kernel = TypedKernel<kNumberTypes>([]<typename T>() { return &RunKernel<SparseDenseCwise<How, T>>; }),
                      .dtypes = kNumberTypes,
                      .gradient = gradient});
}

template <typename How>
absl::Status AddExtreme(OpLibrary& library, const char* op) {
  return library.Add({.signature = TensorFlowSignature(op),
                      .doc = "The larger or smaller of two sparse tensors' values, 0 where there is none",
                      .shape = ExtremeShape,
                      .kernel = TypedKernel<kRealTypes>([]<typename T>() { return &RunKernel<Extreme<How, T>>; }),
                      .dtypes = kRealTypes,
                      .gradient = gradients::None});
}

}  // namespace

absl::Status RegisterSparseMathOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseAdd"),
                               .doc = "The sum of two sparse tensors, without entries below a threshold",
                               .shape = SparseAddShape,
                               .kernel = TypedKernel<kSumTypes>([]<typename T>() { return &RunKernel<SparseAdd<T>>; }),
                               .dtypes = kSumTypes,
                               .gradient = AddGradient}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseAddGrad"),
                               .doc = "The gradients of SparseAdd's values",
                               .shape = SparseAddGradShape,
                               .kernel = TypedKernel<kNumberTypes>([]<typename T>() { return &RunKernel<SparseAddGrad<T>>; }),
                               .dtypes = kNumberTypes}));
  RETURN_IF_ERROR(AddExtreme<combine::Max>(library, "SparseSparseMaximum"));
  RETURN_IF_ERROR(AddExtreme<combine::Min>(library, "SparseSparseMinimum"));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SparseTensorDenseAdd"),
                               .doc = "A dense tensor with a sparse one added",
                               .shape = SparseTensorDenseAddShape,
                               .kernel = TypedKernel<kNumberTypes>([]<typename T>() { return &RunKernel<SparseTensorDenseAdd<T>>; }),
                               .dtypes = kNumberTypes,
                               .gradient = DenseAddGradient}));
  RETURN_IF_ERROR(AddCwise<Plus>(library, "SparseDenseCwiseAdd", nullptr));
  RETURN_IF_ERROR(AddCwise<Times>(library, "SparseDenseCwiseMul", CwiseGradient));
  RETURN_IF_ERROR(AddCwise<Over>(library, "SparseDenseCwiseDiv", CwiseGradient));
  RETURN_IF_ERROR((AddReductions<combine::Sum, kNumberTypes>(library, "Sum", ReduceSumGradient)));
  RETURN_IF_ERROR((AddReductions<combine::Max, kRealTypes>(library, "Max", nullptr)));
  return library.Add({.signature = TensorFlowSignature("SparseSoftmax"),
                      .doc = "Softmax over the entries of each row",
                      .shape = SparseSoftmaxShape,
                      .kernel = TypedKernel<kSoftmaxTypes>([]<typename T>() { return &RunKernel<SparseSoftmax<T>>; }),
                      .dtypes = kSoftmaxTypes,
                      .gradient = SoftmaxGradient});
}

}  // namespace flowlatch
