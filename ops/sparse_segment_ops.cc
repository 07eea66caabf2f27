// Sums, means and sums divided by the root of their count (SqrtN), of rows that a list chooses, in segments:
//   SparseSegment<How>: data [n, d..], indices [m], segment_ids [m], which do not decrease -> [last id + 1, d..]: row s
//   reduces the
//     rows data[indices[i]] with segment_ids[i] = s; zeros if there are none.
//   SparseSegment<How>WithNumSegments: the same with as many rows as a scalar says.
//   SparseSegment<How>Grad: grad [s, d..], indices [m], segment_ids [m], n -> [n, d..], the gradient of data.
//   SparseSegment<How>GradV2: only the rows of it that indices name, and those indices, in order, each once.
// Floating types; the plain sums all real ones. Indices and ids out of range are errors. Sums of 16-bit floats are
// rounded once.
#include "ops/sparse_segment_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

enum class How { kSum, kMean, kSqrtN };

// What the sum of `count` rows is divided by.
template <How kHow>
double Divisor(int64_t count) {
  if (kHow == How::kSum || count == 0) return 1;
  return kHow == How::kMean ? static_cast<double>(count) : std::sqrt(static_cast<double>(count));
}

// ---- Inputs

// Dimensions may be -1 (unknown).
absl::Status CheckLists(absl::Span<const int64_t> indices, absl::Span<const int64_t> ids) {
  if (indices.size() == 1 && ids.size() == 1 && (indices[0] == ids[0] || indices[0] < 0 || ids[0] < 0))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("indices and segment_ids: expected vectors of one length, got shapes ",
                                                 DimsToString(indices), " and ", DimsToString(ids)));
}

absl::Status ExpectRows(const char* what, absl::Span<const int64_t> dims) {
  if (!dims.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected at least 1 dimension, got shape []"));
}

// All in [0, limit).
absl::StatusOr<Indices> ReadIndices(const Tensor& t, int64_t limit, const char* what) {
  ASSIGN_OR_RETURN(Indices indices, ReadSegmentIds(t, limit, what));
  for (size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0) return IndexOutOfRange(what, static_cast<int64_t>(i), t.dims(), limit, indices[i]);
  }
  return indices;
}

absl::Status ExpectSorted(const Indices& ids) {
  const auto at = std::is_sorted_until(ids.begin(), ids.end());
  if (at == ids.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("segment_ids[", at - ids.begin(), "]: expected a value >= ", *(at - 1), ", got ", *at));
}

absl::StatusOr<int64_t> ReadSize(const Tensor& t, const char* what) {
  ASSIGN_OR_RETURN(const int64_t size, ReadIntScalar(t, what));
  if (size < 0) return absl::InvalidArgumentError(absl::StrCat(what, ": expected a value >= 0, got ", size));
  return size;
}

Dims WithRows(absl::Span<const int64_t> dims, int64_t rows) {
  Dims with(dims.begin(), dims.end());
  with[0] = rows;
  return with;
}

// ---- Shapes

// Output 0 has the dimensions of input 0, with as many rows as scalar input `rows` says; -1: nobody says.
absl::Status RowsShape(ShapeContext& c, const char* what, int rows) {
  const PartialShape &data = c.input(0), &indices = c.input(1), &ids = c.input(2);
  if (indices.has_rank() && ids.has_rank()) RETURN_IF_ERROR(CheckLists(indices.dims(), ids.dims()));
  int64_t count = -1;
  if (rows >= 0) {
    RETURN_IF_ERROR(c.ExpectScalar(rows));
    if (c.constant(rows) != nullptr) {
      ASSIGN_OR_RETURN(count, ReadSize(*c.constant(rows), "number of rows"));
    }
  }
  if (!data.has_rank()) return absl::OkStatus();
  RETURN_IF_ERROR(ExpectRows(what, data.dims()));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(WithRows(data.dims(), count)));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

absl::Status ForwardShape(ShapeContext& c) { return RowsShape(c, "data", c.num_inputs() == 4 ? 3 : -1); }

absl::Status GradShape(ShapeContext& c) { return RowsShape(c, "grad", 3); }

absl::Status GradV2Shape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(3));
  RETURN_IF_ERROR(RowsShape(c, "grad", -1));
  c.SetOutput(1, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

// ---- Kernels

template <How kHow, typename T>
absl::Status Forward(KernelCall& c) {
  using W = combine::Wide<T>;
  const Tensor& data = c.input(0);
  RETURN_IF_ERROR(ExpectRows("data", data.dims()));
  RETURN_IF_ERROR(CheckLists(c.input(1).dims(), c.input(2).dims()));
  int64_t limit = std::numeric_limits<int64_t>::max();
  if (c.num_inputs() == 4) {
    ASSIGN_OR_RETURN(limit, ReadSize(c.input(3), "num_segments"));
  }
  ASSIGN_OR_RETURN(const Indices indices, ReadIndices(c.input(1), data.dim(0), "indices"));
  ASSIGN_OR_RETURN(const Indices ids, ReadIndices(c.input(2), limit, "segment_ids"));
  RETURN_IF_ERROR(ExpectSorted(ids));
  const int64_t segments = c.num_inputs() == 4 ? limit : ids.empty() ? 0 : ids.back() + 1;
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, data.dtype(), WithRows(data.dims(), segments)));
  if (output->num_elements() == 0) return absl::OkStatus();
  const int64_t columns = output->num_elements() / segments, n = static_cast<int64_t>(ids.size());
  const T* from = data.data<T>();
  T* to = output->mutable_data<T>();
  constexpr int64_t kBlock = 64;  // columns that are summed at once
  const int64_t blocks = (columns + kBlock - 1) / kBlock;
  RunLoop(c, blocks, static_cast<double>((n + segments) * std::min(columns, kBlock)), [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      const int64_t column = block * kBlock, width = std::min(kBlock, columns - column);
      int64_t i = 0;
      for (int64_t s = 0; s < segments; ++s) {
        W sums[kBlock] = {};
        const int64_t first = i;
        for (; i < n && ids[i] == s; ++i) {
          const T* row = from + indices[i] * columns + column;
          for (int64_t k = 0; k < width; ++k) sums[k] = combine::Sum::Apply<W>(sums[k], row[k]);
        }
        const W divisor = static_cast<W>(Divisor<kHow>(i - first));
        for (int64_t k = 0; k < width; ++k)
          to[s * columns + column + k] = T(kHow == How::kSum ? sums[k] : sums[k] / divisor);
      }
    }
  });
  return absl::OkStatus();
}

// Adds the rows of grad, divided as their segments were, to the rows of `output` at `places`.
template <How kHow, typename T>
void AddRows(KernelCall& c, const Indices& places, const Indices& ids, Tensor* output) {
  using W = combine::Wide<T>;
  std::fill_n(output->mutable_data<T>(), output->num_elements(), T(W(0)));
  if (output->num_elements() == 0) return;
  const Tensor& grad = c.input(0);
  std::vector<int64_t> counts(grad.dim(0));
  for (const int64_t id : ids) ++counts[id];
  const int64_t columns = output->num_elements() / output->dim(0);
  const T* from = grad.data<T>();
  T* to = output->mutable_data<T>();
  RunLoop(c, columns, static_cast<double>(ids.size()), [&](int64_t begin, int64_t end) {
    for (size_t i = 0; i < ids.size(); ++i) {
      const T* row = from + ids[i] * columns;
      T* sum = to + places[i] * columns;
      const W divisor = static_cast<W>(Divisor<kHow>(counts[ids[i]]));
      for (int64_t k = begin; k < end; ++k) sum[k] = T(sum[k] + row[k] / divisor);
    }
  });
}

template <How kHow, typename T>
absl::Status Grad(KernelCall& c) {
  const Tensor& grad = c.input(0);
  RETURN_IF_ERROR(ExpectRows("grad", grad.dims()));
  RETURN_IF_ERROR(CheckLists(c.input(1).dims(), c.input(2).dims()));
  ASSIGN_OR_RETURN(const int64_t rows, ReadSize(c.input(3), "output_dim0"));
  ASSIGN_OR_RETURN(const Indices indices, ReadIndices(c.input(1), rows, "indices"));
  ASSIGN_OR_RETURN(const Indices ids, ReadIndices(c.input(2), grad.dim(0), "segment_ids"));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, grad.dtype(), WithRows(grad.dims(), rows)));
  AddRows<kHow, T>(c, indices, ids, output);
  return absl::OkStatus();
}

template <How kHow, typename T>
absl::Status GradV2(KernelCall& c) {
  const Tensor& grad = c.input(0);
  RETURN_IF_ERROR(ExpectRows("grad", grad.dims()));
  RETURN_IF_ERROR(CheckLists(c.input(1).dims(), c.input(2).dims()));
  ASSIGN_OR_RETURN(const int64_t rows, ReadSize(c.input(3), "dense_output_dim0"));
  ASSIGN_OR_RETURN(Indices places, ReadIndices(c.input(1), rows, "indices"));
  ASSIGN_OR_RETURN(const Indices ids, ReadIndices(c.input(2), grad.dim(0), "segment_ids"));
  Indices unique = places;
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  for (int64_t& place : places) place = std::lower_bound(unique.begin(), unique.end(), place) - unique.begin();
  const int64_t count = static_cast<int64_t>(unique.size());
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, grad.dtype(), WithRows(grad.dims(), count)));
  AddRows<kHow, T>(c, places, ids, output);
  ASSIGN_OR_RETURN(Tensor * sorted, c.AllocateOutput(1, c.input(1).dtype(), {count}));
  if (sorted->dtype() == DType::kInt32) {
    std::transform(unique.begin(), unique.end(), sorted->mutable_data<int32_t>(),
                   [](int64_t i) { return static_cast<int32_t>(i); });
  } else {
    std::copy(unique.begin(), unique.end(), sorted->mutable_data<int64_t>());
  }
  return absl::OkStatus();
}

enum class Form { kForward, kGrad, kGradV2 };

template <How kHow, Form kForm, DTypeSet kTypes>
absl::StatusOr<Kernel> SparseSegmentKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kTypes>(node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn {
    if constexpr (kForm == Form::kForward)
      return &RunKernel<Forward<kHow, T>>;
    else if constexpr (kForm == Form::kGrad)
      return &RunKernel<Grad<kHow, T>>;
    else
      return &RunKernel<GradV2<kHow, T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

// ---- Gradient

absl::Status SparseSegmentGrad(GradContext& c) {
  const std::string base(absl::StrContains(c.op(), "Mean")   ? "SparseSegmentMeanGrad"
                         : absl::StrContains(c.op(), "Sqrt") ? "SparseSegmentSqrtNGrad"
                                                             : "SparseSegmentSumGrad");
  const Output shape = c.ShapeOfInput(0);
  const Output rows = c.Op("StridedSlice", {shape, {0}, {1}, {1}}, {{"shrink_axis_mask", int64_t{1}}});
  const std::vector<Input> inputs{c.grad(), c.input(1), c.input(2), rows};
  if (c.Bool("sparse_gradient")) {
    const Operation grad = c.MultiOp(base + "V2", inputs);
    c.Set(0, IndexedSlices{grad.output(0), grad.output(1), shape});
  } else {
    c.Set(0, c.Op(base, inputs));
  }
  return absl::OkStatus();
}

template <How kHow, DTypeSet kTypes>
absl::Status AddFamily(OpLibrary& library, const std::string& how, const std::string& what) {
  const std::string op = "SparseSegment" + how;
  for (const char* form : {"", "WithNumSegments"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op + form),
                                 .doc = what + " of the rows at indices, for each segment",
                                 .shape = ForwardShape,
                                 .kernel = SparseSegmentKernel<kHow, Form::kForward, kTypes>,
                                 .dtypes = kTypes,
                                 .gradient = SparseSegmentGrad}));
  }
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op + "Grad"),
                               .doc = "The gradient of " + op,
                               .shape = GradShape,
                               .kernel = SparseSegmentKernel<kHow, Form::kGrad, kFloatTypes>,
                               .dtypes = kFloatTypes}));
  return library.Add({.signature = TensorFlowSignature(op + "GradV2"),
                      .doc = "The rows of the gradient of " + op + " that are not zero, and where they are",
                      .shape = GradV2Shape,
                      .kernel = SparseSegmentKernel<kHow, Form::kGradV2, kFloatTypes>,
                      .dtypes = kFloatTypes});
}

}  // namespace

absl::Status RegisterSparseSegmentOps(OpLibrary& library) {
  RETURN_IF_ERROR((AddFamily<How::kSum, kRealTypes>(library, "Sum", "Sums")));
  RETURN_IF_ERROR((AddFamily<How::kMean, kFloatTypes>(library, "Mean", "Means")));
  return AddFamily<How::kSqrtN, kFloatTypes>(library, "SqrtN", "Sums divided by the root of their count");
}

}  // namespace flowlatch
