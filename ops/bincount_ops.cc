// How often integers occur.
//   Bincount(arr, size, weights) -> bins [size]: the numbers (or weights) of the elements of arr that are i
//   DenseBincount: the same of a vector, or of each row of a matrix; with binary_output whether i occurs at all
// Numbers from size on do not count; negative ones are errors. weights has the shape of the numbers, or no elements.
#include "ops/bincount_ops.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kWeightTypes{DType::kInt32, DType::kInt64, DType::kFloat32, DType::kFloat64};

class BincountState : public KernelState {
 public:
  bool binary = false;
  bool by_rows = false;  // a matrix has bins for each row, and weights of its shape
};

absl::StatusOr<int64_t> ReadBins(const Tensor& size) {
  ASSIGN_OR_RETURN(const int64_t bins, ReadIntScalar(size, "size"));
  if (bins >= 0) return bins;
  return absl::InvalidArgumentError(absl::StrCat("size: expected no negative number, got ", bins));
}

absl::Status CheckWeights(const Tensor& numbers, const Tensor& weights, bool same_shape) {
  if (weights.num_elements() == 0) return absl::OkStatus();
  if (same_shape ? weights.dims() == numbers.dims() : weights.num_elements() == numbers.num_elements()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("weights: expected shape ", numbers.ShapeString(), " or no elements, got ", weights.ShapeString()));
}

template <typename Index, typename T>
absl::Status Bincount(KernelCall& c) {
  const BincountState& state = c.state<BincountState>();
  const Tensor& numbers = c.input(0);
  const Tensor& weights = c.input(2);
  if (state.by_rows && numbers.rank() > 2) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected rank <= 2, got shape ", numbers.ShapeString()));
  }
  ASSIGN_OR_RETURN(const int64_t bins, ReadBins(c.input(1)));
  RETURN_IF_ERROR(CheckWeights(numbers, weights, state.by_rows));
  for (int64_t i = 0; i < numbers.num_elements(); ++i) {
    const Index number = numbers.data<Index>()[i];
    if (number >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(state.by_rows ? "input" : "arr", ElementName(i, numbers.dims()),
                                                   ": expected no negative number, got ", number));
  }
  const bool is_matrix = state.by_rows && numbers.rank() == 2;
  const int64_t rows = is_matrix ? numbers.dim(0) : 1;
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, is_matrix ? Dims{rows, bins} : Dims{bins}));
  T* counts = output->mutable_data<T>();
  std::fill_n(counts, output->num_elements(), T(0));
  if (output->num_elements() == 0) return absl::OkStatus();
  const T* weight = weights.num_elements() > 0 && !state.binary ? weights.data<T>() : nullptr;
  const Index* number = numbers.data<Index>();
  const int64_t columns = numbers.num_elements() / rows;
  for (int64_t row = 0; row < rows; ++row, counts += bins) {
    for (int64_t i = row * columns; i < (row + 1) * columns; ++i) {
      const Index bin = number[i];
      if (bin < 0 || bin >= bins) continue;  // looked at again: the memory may be a variable's
      counts[bin] = state.binary ? T(1) : combine::Sum::Apply<T>(counts[bin], weight != nullptr ? weight[i] : T(1));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> BincountKernel(const NodeInfo& node) {
  auto state = std::make_shared<BincountState>();
  state->by_rows = node.schema().FindAttr("binary_output") != nullptr;
  if (state->by_rows) {
    ASSIGN_OR_RETURN(state->binary, node.Bool("binary_output"));
  }
  const bool wide = node.input_dtype(0) == DType::kInt64;
  const KernelFn fn = DispatchDType<kWeightTypes>(node.input_dtype(2), KernelFn{}, [wide]<typename T>() -> KernelFn {
    return wide ? &RunKernel<Bincount<int64_t, T>> : &RunKernel<Bincount<int32_t, T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(2));
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::StatusOr<int64_t> KnownBins(const ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  ASSIGN_OR_RETURN(const std::optional<int64_t> size, c.ConstantInt(1));
  if (!size.has_value()) return -1;
  if (*size >= 0) return *size;
  return absl::InvalidArgumentError(absl::StrCat("size: expected no negative number, got ", *size));
}

absl::Status BincountShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t bins, KnownBins(c));
  c.SetOutput(0, PartialShape::Of({bins}));
  return absl::OkStatus();
}

absl::Status DenseBincountShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t bins, KnownBins(c));
  const PartialShape& input = c.input(0);
  if (!input.has_rank()) return absl::OkStatus();
  if (input.rank() > 2) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected rank <= 2, got shape ", input.ToString()));
  }
  c.SetOutput(0, input.rank() == 2 ? PartialShape::Of({input.dim(0), bins}) : PartialShape::Of({bins}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterBincountOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("Bincount"),
                               .doc = "How often each number below size occurs, or the sum of its weights",
                               .shape = BincountShape,
                               .kernel = BincountKernel,
                               .dtypes = kWeightTypes}));
  return library.Add({.signature = TensorFlowSignature("DenseBincount"),
                      .doc = "How often each number below size occurs in each row, or the sum of its weights",
                      .shape = DenseBincountShape,
                      .kernel = BincountKernel,
                      .dtypes = kWeightTypes});
}

}  // namespace flowlatch
