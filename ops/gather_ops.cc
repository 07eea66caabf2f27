// Picking elements by index, and the ops that make or use index patterns.
//   Gather(V2): params [batch.., outer.., limit, slice..], indices [batch.., ids..]
//               -> [batch.., outer.., ids.., slice..]; axis is where `limit` stands.
//   GatherNd:   params [p0.., pK-1, slice..], indices [ids.., K] -> [ids.., slice..].
//   OneHot:     indices [d..] -> [d.., depth, d..]; an index outside [0, depth) gives off_value throughout.
//   Where:      input [d..], of rank >= 1 -> coordinates of the elements that are not zero, [count, rank], in row-major
//               order; NaN counts, -0 does not.
//   MatrixBandPart: [.., rows, columns], everything outside the band becomes zero.
// All dtypes, strings and handles included, except Where and MatrixBandPart. Indices are checked as they are used, also
// when another thread writes to them meanwhile; an output without elements looks at no index.
#include "ops/gather_ops.h"

#include <atomic>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/slice_copy.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kGatherIndexTypes{DType::kInt16, DType::kInt32, DType::kInt64};

int64_t Product(absl::Span<const int64_t> dims) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

// The smallest of the positions that several threads found fault with.
class FirstBad {
 public:
  void Report(int64_t position) {
    int64_t known = position_.load(std::memory_order_relaxed);
    while (position < known && !position_.compare_exchange_weak(known, position, std::memory_order_relaxed)) {
    }
  }
  bool found() const { return position() != kNone; }
  int64_t position() const { return position_.load(std::memory_order_relaxed); }

 private:
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  std::atomic<int64_t> position_{kNone};
};

// ---- Gather, GatherV2

struct GatherPlan {
  int axis = 0;
  int batch_dims = 0;
  Dims output;
};

// Dimensions may be -1 (unknown), so that shape function and kernel judge alike.
absl::StatusOr<GatherPlan> PlanGather(absl::Span<const int64_t> params, absl::Span<const int64_t> indices, int64_t axis,
                                      int64_t batch_dims) {
  const int params_rank = static_cast<int>(params.size()), indices_rank = static_cast<int>(indices.size());
  if (params_rank == 0) {
    return absl::InvalidArgumentError("params: expected at least one dimension, got shape []");
  }
  GatherPlan plan;
  ASSIGN_OR_RETURN(plan.axis, NormalizeAxis(axis, params_rank));
  if (batch_dims < -indices_rank || batch_dims > indices_rank) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dims: expected a value in [", -indices_rank, ",", indices_rank, "], got ", batch_dims));
  }
  plan.batch_dims = static_cast<int>(batch_dims < 0 ? batch_dims + indices_rank : batch_dims);
  if (plan.batch_dims > plan.axis) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch_dims: expected at most axis ", plan.axis, ", got ", plan.batch_dims));
  }
  for (int i = 0; i < plan.axis; ++i) {
    if (i >= plan.batch_dims) {
      plan.output.push_back(params[i]);
      continue;
    }
    if (params[i] >= 0 && indices[i] >= 0 && params[i] != indices[i]) {
      return absl::InvalidArgumentError(absl::StrCat("indices: expected batch dimension ", i, " to be ", params[i],
                                                     " as in params, got ", indices[i]));
    }
    plan.output.push_back(params[i] >= 0 ? params[i] : indices[i]);
  }
  plan.output.insert(plan.output.end(), indices.begin() + plan.batch_dims, indices.end());
  plan.output.insert(plan.output.end(), params.begin() + plan.axis + 1, params.end());
  return plan;
}

absl::Status GatherShape(ShapeContext& c) {
  int64_t batch_dims = 0;
  std::optional<int64_t> axis = 0;
  if (c.num_inputs() == 3) {
    RETURN_IF_ERROR(c.ExpectScalar(2));
    ASSIGN_OR_RETURN(axis, c.ConstantInt(2));
    ASSIGN_OR_RETURN(batch_dims, c.Int("batch_dims"));
  }
  ASSIGN_OR_RETURN(const PartialShape params, c.WithRankAtLeast(0, 1));
  const PartialShape& indices = c.input(1);
  if (!params.has_rank() || !indices.has_rank()) return absl::OkStatus();
  if (axis.has_value()) {
    ASSIGN_OR_RETURN(GatherPlan plan, PlanGather(params.dims(), indices.dims(), *axis, batch_dims));
    ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(plan.output));
    c.SetOutput(0, std::move(output));
    return absl::OkStatus();
  }
  const int64_t batch = batch_dims < 0 ? batch_dims + indices.rank() : batch_dims;
  const int64_t rank = params.rank() - 1 + indices.rank() - batch;
  if (batch >= 0 && rank >= 0 && rank <= kMaxRank) c.SetOutput(0, PartialShape::UnknownOfRank(static_cast<int>(rank)));
  return absl::OkStatus();
}

class GatherState : public KernelState {
 public:
  explicit GatherState(int64_t batch_dims) : batch_dims(batch_dims) {}
  const int64_t batch_dims;
};

// Copies for each of `rows` (batch and outer together) the `n` slices that its indices name.
template <typename Index>
absl::Status GatherSlices(KernelCall& c, const GatherPlan& plan, Tensor* output) {
  const Tensor& params = c.input(0);
  const Tensor& indices = c.input(1);
  const int64_t limit = params.dim(plan.axis);
  const int64_t outer = Product(params.dims().subspan(plan.batch_dims, plan.axis - plan.batch_dims));
  const int64_t slice_elements = Product(params.dims().subspan(plan.axis + 1));
  const int64_t n = Product(indices.dims().subspan(plan.batch_dims));
  const int64_t rows = Product(params.dims().first(plan.axis));
  const Index* index_data = indices.data<Index>();
  const char* from = static_cast<const char*>(params.raw_data());
  char* to = static_cast<char*>(output->raw_mutable_data());
  FirstBad bad;
  WithSlice(params.dtype(), slice_elements, [&](auto slice) {
    RunLoop(c, rows * n, 2 + static_cast<double>(slice.bytes) / 8, [&](int64_t begin, int64_t end) {
      int64_t row = begin / n, i = begin % n;
      for (int64_t item = begin; item < end; ++row, i = 0) {
        const int64_t first = row / outer * n;
        const char* base = from + row * limit * slice.bytes;
        for (; i < n && item < end; ++i, ++item) {
          const int64_t index = index_data[first + i];
          if (ABSL_PREDICT_FALSE(static_cast<uint64_t>(index) >= static_cast<uint64_t>(limit))) {
            return bad.Report(first + i);
          }
          slice(base + index * slice.bytes, to + item * slice.bytes);
        }
      }
    });
  });
  if (!bad.found()) return absl::OkStatus();
  return IndexOutOfRange("indices", bad.position(), indices.dims(), limit, index_data[bad.position()]);
}

template <typename Index>
absl::Status Gather(KernelCall& c) {
  int64_t axis = 0;
  if (c.num_inputs() == 3) {
    ASSIGN_OR_RETURN(axis, ReadIntScalar(c.input(2), "axis"));
  }
  const Tensor& params = c.input(0);
  ASSIGN_OR_RETURN(const GatherPlan plan,
                   PlanGather(params.dims(), c.input(1).dims(), axis, c.state<GatherState>().batch_dims));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, params.dtype(), plan.output));
  if (output->num_elements() == 0) return absl::OkStatus();
  return GatherSlices<Index>(c, plan, output);
}

absl::StatusOr<Kernel> GatherKernel(const NodeInfo& node) {
  int64_t batch_dims = 0;
  if (node.num_inputs() == 3) {
    ASSIGN_OR_RETURN(batch_dims, node.Int("batch_dims"));
  }
  const KernelFn fn = DispatchDType<kGatherIndexTypes>(node.input_dtype(1), KernelFn{},
                                                       []<typename Index>() { return &RunKernel<Gather<Index>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(1));
  return Kernel{.fn = fn, .state = std::make_shared<GatherState>(batch_dims)};
}

// ---- GatherNd

absl::StatusOr<Dims> GatherNdDims(absl::Span<const int64_t> params, absl::Span<const int64_t> indices) {
  if (params.empty() || indices.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(params.empty() ? "params" : "indices",
                                                   ": expected at least one dimension, got shape []"));
  }
  const int64_t depth = indices.back();
  if (depth > static_cast<int64_t>(params.size())) {
    return absl::InvalidArgumentError(absl::StrCat("last dimension of indices: expected at most ", params.size(),
                                                   ", the rank of params, got ", depth));
  }
  Dims output(indices.begin(), indices.end() - 1);
  output.insert(output.end(), params.begin() + depth, params.end());
  return output;
}

absl::Status GatherNdShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape params, c.WithRankAtLeast(0, 1));
  ASSIGN_OR_RETURN(const PartialShape indices, c.WithRankAtLeast(1, 1));
  if (!params.has_rank() || !indices.has_rank() || !indices.has_dim(indices.rank() - 1)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Dims dims, GatherNdDims(params.dims(), indices.dims()));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

class GatherNdState : public KernelState {
 public:
  explicit GatherNdState(bool skip_bad) : skip_bad(skip_bad) {}
  const bool skip_bad;  // a bad index gives zeros instead of an error
};

template <typename Index>
absl::Status GatherNd(KernelCall& c) {
  const Tensor& params = c.input(0);
  const Tensor& indices = c.input(1);
  ASSIGN_OR_RETURN(const Dims dims, GatherNdDims(params.dims(), indices.dims()));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, params.dtype(), dims));
  const absl::Span<const int64_t> index_dims = indices.dims().first(indices.rank() - 1);
  const int64_t depth = indices.dims().back();
  const int64_t n = Product(index_dims);
  if (n == 0) return absl::OkStatus();
  if (params.num_elements() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("params: expected elements to gather ", n, " slices from, got shape ", params.ShapeString()));
  }
  const bool skip_bad = c.state<GatherNdState>().skip_bad;
  const absl::Span<const int64_t> limits = params.dims().first(depth);
  const Index* index_data = indices.data<Index>();
  const char* from = static_cast<const char*>(params.raw_data());
  char* to = static_cast<char*>(output->raw_mutable_data());
  FirstBad bad;
  WithSlice(params.dtype(), Product(params.dims().subspan(depth)), [&](auto slice) {
    RunLoop(c, n, 2 + depth + static_cast<double>(slice.bytes) / 8, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        int64_t position = 0;
        bool good = true;
        for (int64_t d = 0; d < depth; ++d) {
          const int64_t index = index_data[i * depth + d];
          good &= static_cast<uint64_t>(index) < static_cast<uint64_t>(limits[d]);
          position = good ? position * limits[d] + index : 0;
        }
        if (ABSL_PREDICT_TRUE(good)) {
          slice(from + position * slice.bytes, to + i * slice.bytes);
        } else if (!skip_bad) {
          return bad.Report(i);
        } else if (!IsObjectDType(params.dtype())) {
          std::memset(to + i * slice.bytes, 0, static_cast<size_t>(slice.bytes));
        }
      }
    });
  });
  if (!bad.found()) return absl::OkStatus();
  const Dims got(index_data + bad.position() * depth, index_data + (bad.position() + 1) * depth);
  return absl::InvalidArgumentError(absl::StrCat("indices", ElementName(bad.position(), index_dims),
                                                 ": expected a place in params of shape ", params.ShapeString(),
                                                 ", got [", absl::StrJoin(got, ","), "]"));
}

absl::StatusOr<Kernel> GatherNdKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string policy, node.Str("bad_indices_policy"));
  if (policy != "" && policy != "DEFAULT" && policy != "ERROR" && policy != "IGNORE") {
    return absl::InvalidArgumentError(
        absl::StrCat("bad_indices_policy: expected DEFAULT, ERROR or IGNORE, got '", policy, "'"));
  }
  const KernelFn fn = DispatchDType<kGatherIndexTypes>(node.input_dtype(1), KernelFn{},
                                                       []<typename Index>() { return &RunKernel<GatherNd<Index>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(1));
  return Kernel{.fn = fn, .state = std::make_shared<GatherNdState>(policy == "IGNORE")};
}

// ---- OneHot

// `depth` -1: unknown. The position of the new dimension is returned in `axis`, where -1 means last.
absl::StatusOr<Dims> OneHotDims(absl::Span<const int64_t> indices, int64_t depth, int64_t* axis) {
  const int64_t rank = static_cast<int64_t>(indices.size());
  if (*axis < -1 || *axis > rank) {
    return absl::InvalidArgumentError(absl::StrCat("axis: expected a value in [-1,", rank, "], got ", *axis));
  }
  if (*axis == -1) *axis = rank;
  Dims dims(indices.begin(), indices.end());
  dims.insert(dims.begin() + *axis, depth);
  return dims;
}

absl::Status NegativeDepth(int64_t depth) {
  return absl::InvalidArgumentError(absl::StrCat("depth: expected a value >= 0, got ", depth));
}

absl::Status OneHotShape(ShapeContext& c) {
  for (int i = 1; i < 4; ++i) RETURN_IF_ERROR(c.ExpectScalar(i));
  ASSIGN_OR_RETURN(const std::optional<int64_t> depth, c.ConstantInt(1));
  if (depth.has_value() && *depth < 0) return NegativeDepth(*depth);
  ASSIGN_OR_RETURN(int64_t axis, c.Int("axis"));
  if (axis < -1) return absl::InvalidArgumentError(absl::StrCat("axis: expected a value >= -1, got ", axis));
  if (!c.input(0).has_rank()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Dims dims, OneHotDims(c.input(0).dims(), depth.value_or(-1), &axis));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

class OneHotState : public KernelState {
 public:
  explicit OneHotState(int64_t axis) : axis(axis) {}
  const int64_t axis;
};

template <typename Index>
absl::Status OneHot(KernelCall& c) {
  const Tensor& indices = c.input(0);
  ASSIGN_OR_RETURN(const int64_t depth, ReadIntScalar(c.input(1), "depth"));
  if (depth < 0) return NegativeDepth(depth);
  for (int i = 2; i < 4; ++i) {
    if (!c.input(i).is_scalar()) {
      return absl::InvalidArgumentError(absl::StrCat(i == 2 ? "on_value" : "off_value",
                                                     ": expected a scalar, got shape ", c.input(i).ShapeString()));
    }
  }
  int64_t axis = c.state<OneHotState>().axis;
  ASSIGN_OR_RETURN(const Dims dims, OneHotDims(indices.dims(), depth, &axis));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, c.input(2).dtype(), dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  const int64_t prefix = Product(indices.dims().first(axis)), suffix = Product(indices.dims().subspan(axis));
  const Index* index_data = indices.data<Index>();
  WithStorageType(output->dtype(), [&]<typename T>() {
    const T& on = *static_cast<const T*>(c.input(2).raw_data());
    const T& off = *static_cast<const T*>(c.input(3).raw_data());
    T* to = static_cast<T*>(output->raw_mutable_data());
    const double cost = static_cast<double>(suffix) * (2 + static_cast<double>(depth * sizeof(T)) / 16);
    RunLoop(c, prefix, cost, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        T* block = to + p * depth * suffix;
        std::fill_n(block, depth * suffix, off);
        for (int64_t s = 0; s < suffix; ++s) {
          const int64_t index = index_data[p * suffix + s];
          if (static_cast<uint64_t>(index) < static_cast<uint64_t>(depth)) block[index * suffix + s] = on;
        }
      }
    });
  });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> OneHotKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t axis, node.Int("axis"));
  const KernelFn fn =
      DispatchDType<DTypeSet{DType::kUInt8, DType::kInt8, DType::kInt32, DType::kInt64}>(
          node.input_dtype(0), KernelFn{}, []<typename Index>() { return &RunKernel<OneHot<Index>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<OneHotState>(axis)};
}

// ---- Where

absl::Status WhereShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, 1));
  c.SetOutput(0, PartialShape::Of({-1, input.rank()}));  // an unknown rank is -1, as an unknown dimension
  return absl::OkStatus();
}

template <typename T>
bool IsNonzero(const T& x) {
  if constexpr (std::is_class_v<T> && requires { x.value; }) {
    return x.value != 0;  // quantised
  } else if constexpr (kIsSmallFloat<T>) {
    return static_cast<float>(x) != 0;
  } else {
    return x != T(0);
  }
}

template <typename T>
absl::Status Where(KernelCall& c) {
  const Tensor& input = c.input(0);
  const int rank = input.rank();
  if (rank == 0) return absl::InvalidArgumentError("input: expected at least one dimension, got shape []");
  const absl::Span<const T> values = input.values<T>();
  int64_t count = 0;
  for (const T& x : values) count += IsNonzero(x);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kInt64, {count, rank}));
  int64_t* to = output->mutable_data<int64_t>();
  if (count == 0) return absl::OkStatus();
  // `outer` are the coordinates of the row that `i` is in; `column` runs over its elements.
  const int64_t columns = input.dim(rank - 1);
  Dims outer(rank - 1, 0);
  const int64_t* const to_end = to + count * rank;
  for (int64_t i = 0; i < input.num_elements(); i += columns) {
    for (int64_t column = 0; column < columns; ++column) {
      // Never more than were counted, should the input change meanwhile.
      if (!IsNonzero(values[i + column]) || to == to_end) continue;
      to = std::copy(outer.begin(), outer.end(), to);
      *to++ = column;
    }
    for (int d = rank - 2; d >= 0 && ++outer[d] == input.dim(d); --d) outer[d] = 0;
  }
  std::fill(to, output->mutable_data<int64_t>() + count * rank, 0);
  return absl::OkStatus();
}

constexpr DTypeSet kWhereTypes = kNumberTypes | kQuantizedTypes | DTypeSet{DType::kBool};

absl::StatusOr<Kernel> WhereKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kWhereTypes>(node.input_dtype(0), KernelFn{},
                                                 []<typename T>() { return &RunKernel<Where<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

// ---- MatrixBandPart

absl::Status CheckBand(const char* what, int64_t width, int64_t limit) {
  if (width <= limit || limit < 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected at most ", limit, ", got ", width));
}

absl::Status MatrixBandPartShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape input, c.WithRankAtLeast(0, 2));
  for (int i = 1; i < 3; ++i) {
    RETURN_IF_ERROR(c.ExpectScalar(i));
    ASSIGN_OR_RETURN(const std::optional<int64_t> width, c.ConstantInt(i));
    if (width.has_value() && input.has_rank()) {
      RETURN_IF_ERROR(CheckBand(i == 1 ? "num_lower" : "num_upper", *width, input.dim(input.rank() - 3 + i)));
    }
  }
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

absl::Status MatrixBandPart(KernelCall& c) {
  if (c.input(0).rank() < 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("input: expected at least two dimensions, got shape ", c.input(0).ShapeString()));
  }
  const int rank = c.input(0).rank();
  const int64_t rows = c.input(0).dim(rank - 2), columns = c.input(0).dim(rank - 1);
  ASSIGN_OR_RETURN(int64_t lower, ReadIntScalar(c.input(1), "num_lower"));
  ASSIGN_OR_RETURN(int64_t upper, ReadIntScalar(c.input(2), "num_upper"));
  RETURN_IF_ERROR(CheckBand("num_lower", lower, rows));
  RETURN_IF_ERROR(CheckBand("num_upper", upper, columns));
  if (lower < 0) lower = rows;
  if (upper < 0) upper = columns;
  const char* from = static_cast<const char*>(c.input(0).raw_data());
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, c.input(0).dtype(), c.input(0).shape()));
  if (output->num_elements() == 0) return absl::OkStatus();
  char* to = static_cast<char*>(output->raw_mutable_data());
  const int64_t size = static_cast<int64_t>(DTypeSize(output->dtype())), row_bytes = columns * size;
  RunLoop(c, output->num_elements() / columns, 4 + static_cast<double>(row_bytes) / 8,
                [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const int64_t row = r % rows;
      const int64_t left = std::clamp<int64_t>(row - lower, 0, columns) * size;
      const int64_t right = std::clamp<int64_t>(row + upper + 1, 0, columns) * size;
      char* to_row = to + r * row_bytes;
      std::memset(to_row, 0, static_cast<size_t>(left));
      if (from != to && right > left) std::memcpy(to_row + left, from + r * row_bytes + left, right - left);
      std::memset(to_row + right, 0, static_cast<size_t>(row_bytes - right));
    }
  });
  return absl::OkStatus();
}

// ---- Gradients

absl::Status GatherGrad(GradContext& c) {
  c.Set(0, GatheredRows(c, c.ShapeOfInput(0)));
  return absl::OkStatus();
}

Output First(GradContext& c, const Output& x, const Output& n) { return c.Op("StridedSlice", {x, {0}, n, {1}}); }
Output From(GradContext& c, const Output& x, const Output& n) {
  return c.Op("StridedSlice", {x, n, {0}, {1}}, {{"end_mask", 1}});
}
Output Product(GradContext& c, const Output& x) { return c.Op("Prod", {x, {0}}, {{"keep_dims", true}}); }

// The gradient where rows are not taken along the first dimension. The dimension `axis` comes to the place after the
// batch dimensions, and rows of all batches are added up at once: index i of batch k stands for row k * rows + i.
absl::Status GatherAlongAxisGrad(GradContext& c, int64_t batch_dims) {
  const Output shape = c.ShapeOfInput(0);
  const Output rank = c.Op("Size", {shape});
  Output axis = c.input(2);
  if (axis.dtype() != DType::kInt32) axis = c.Op("Cast", {axis}, {{"DstT", DType::kInt32}});
  axis = c.Op("Reshape", {axis % rank, {1}});
  const Output batch = c.builder().Constant(Input({static_cast<int32_t>(batch_dims)}));
  const Output before = First(c, shape, axis), after = From(c, shape, axis + 1);
  const Output rows = c.Op("Slice", {shape, axis, {1}});
  const Output index_shape = c.ShapeOfInput(1);
  const Output batches = Product(c, First(c, shape, batch));
  const Output per_batch = Product(c, From(c, index_shape, batch));

  const Output dims = c.Op("Range", {0, rank, 1});
  const Output order = c.Op("ConcatV2", {First(c, dims, batch), axis, c.Op("Slice", {dims, batch, axis - batch}),
                                         From(c, dims, axis + 1), 0});
  Output values = c.Op("Reshape", {c.grad(), c.Op("ConcatV2", {before, per_batch, after, 0})});
  values = c.Op("Transpose", {values, order});
  const Output row_shape = From(c, c.Op("Shape", {values}), batch + 1);
  values = c.Op("Reshape", {values, c.Op("ConcatV2", {batches * per_batch, row_shape, 0})});

  Output indices = c.input(1);
  if (indices.dtype() == DType::kInt16) indices = c.Op("Cast", {indices}, {{"DstT", DType::kInt32}});
  if (batch_dims > 0) {
    const auto scalar = [&](const Output& x) {
      return c.Op("Cast", {c.Op("Reshape", {x, Input(std::vector<int32_t>())})}, {{"DstT", indices.dtype()}});
    };
    const Output number = c.Op("Range", {c.ScalarLike(0, indices), scalar(batches), c.ScalarLike(1, indices)});
    const Output flat = c.Op("Reshape", {indices, c.Op("ConcatV2", {batches, per_batch, 0})});
    indices = flat + c.Op("ExpandDims", {number * scalar(rows), 1});
  }
  indices = c.Op("Reshape", {indices, {-1}});
  const Output count = c.Op("Reshape", {batches * rows, Input(std::vector<int32_t>())});
  Output sum = c.Op("UnsortedSegmentSum", {values, indices, count});
  sum = c.Op("Reshape", {sum, c.Op("GatherV2", {shape, order, 0})});
  c.Set(0, ReshapeToInput(c, c.Op("Transpose", {sum, c.Op("InvertPermutation", {order})}), 0));
  return absl::OkStatus();
}

absl::Status GatherV2Grad(GradContext& c) {
  const std::optional<std::vector<int64_t>> axis = ConstantInts(c, 2);
  if (axis.has_value() && axis->size() == 1 && (*axis)[0] == 0) return GatherGrad(c);
  int64_t batch_dims = c.Int("batch_dims");
  if (batch_dims < 0) {
    if (!c.input_shape(1).has_rank()) {
      return absl::InvalidArgumentError(
          absl::StrCat("batch_dims: expected indices of known rank where it is negative, got ", batch_dims));
    }
    batch_dims += c.input_shape(1).rank();
  }
  return GatherAlongAxisGrad(c, batch_dims);
}

absl::Status GatherNdGrad(GradContext& c) {
  Output indices = c.input(1);
  if (indices.dtype() == DType::kInt16) indices = c.Op("Cast", {indices}, {{"DstT", DType::kInt32}});
  const Output shape = c.ShapeOfInput(0, indices.dtype());
  const PartialShape& index_shape = c.input_shape(1);
  if (index_shape.rank() == 2 && index_shape.dim(1) == 1) {
    c.Set(0, IndexedSlices{c.grad(), c.Op("Squeeze", {indices}, {{"squeeze_dims", std::vector<int64_t>{-1}}}), shape});
  } else {
    c.Set(0, c.Op("ScatterNd", {indices, c.grad(), shape}, c.CopyAttrs({"bad_indices_policy"})));
  }
  return absl::OkStatus();
}

absl::Status MatrixBandPartGrad(GradContext& c) {
  c.Set(0, c.Op("MatrixBandPart", {c.grad(), c.input(1), c.input(2)}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterGatherOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Gather(params: Tparams, indices: Tindices) -> (output: Tparams); validate_indices: bool = true; "
                   "Tparams: type; Tindices: {int32, int64}",
      .doc = "rows of params by their index in dimension 0",
      .shape = GatherShape,
      .kernel = GatherKernel,
      .gradient = GatherGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> (output: Tparams); "
                   "batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; Taxis: {int32, int64}",
      .doc = "slices of params by their index along axis, batch by batch",
      .shape = GatherShape,
      .kernel = GatherKernel,
      .gradient = GatherV2Grad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "GatherNd(params: Tparams, indices: Tindices) -> (output: Tparams); Tparams: type; "
                   "Tindices: {int16, int32, int64}; bad_indices_policy: string = \"\"",
      .doc = "slices of params by coordinates in its first dimensions",
      .shape = GatherNdShape,
      .kernel = GatherNdKernel,
      .gradient = GatherNdGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "OneHot(indices: TI, depth: int32, on_value: T, off_value: T) -> (output: T); axis: int = -1; "
                   "T: type; TI: {uint8, int8, int32, int64} = int64",
      .doc = "on_value at the place that each index names in a new dimension, off_value elsewhere",
      .shape = OneHotShape,
      .kernel = OneHotKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Where(input: T) -> (index: int64); T: {float32, float64, int32, uint8, int16, int8, complex64, "
                   "int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, "
                   "uint64, bool} = bool",
      .doc = "coordinates of the elements that are not zero",
      .shape = WhereShape,
      .kernel = WhereKernel,
      .dtypes = kWhereTypes,
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> (band: T); T: type; "
                   "Tindex: {int32, int64} = int64",
      .doc = "matrices with zeros outside num_lower and num_upper diagonals, negative for all of them",
      .shape = MatrixBandPartShape,
      .kernel = PlainKernel<MatrixBandPart>,
      .dtypes = kNumberTypes | kQuantizedTypes | DTypeSet{DType::kBool},
      .gradient = MatrixBandPartGrad,
  });
}

}  // namespace flowlatch
