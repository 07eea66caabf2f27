// UnravelIndex: flat indices into a tensor of dimensions `dims` -> their coordinates: indices [n] -> [rank, n], a
// scalar -> [rank]. int32 and int64. As in TensorFlow, negative indices give what division by truncation does.
#include "ops/unravel_index_ops.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kIndexDTypes{DType::kInt32, DType::kInt64};

template <typename T>
absl::Status UnravelIndex(KernelCall& c) {
  const Tensor& indices = c.input(0);
  if (indices.rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices: expected a scalar or vector, got shape ", indices.ShapeString()));
  }
  if (indices.num_elements() == 0) return absl::InvalidArgumentError("indices: expected elements, got shape [0]");
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(1), "dims"));
  int64_t size = 1;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 1) {
      return absl::InvalidArgumentError(absl::StrCat("dims[", d, "]: expected a value > 0, got ", dims[d]));
    }
    const std::optional<int64_t> product = CheckedMul(size, dims[d]);
    if (!product.has_value() || *product > std::numeric_limits<T>::max()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "dims: expected a product in ", std::string(DTypeName(kDTypeOf<T>)), ", got ", DimsToString(dims)));
    }
    size = *product;
  }
  const int64_t n = indices.num_elements(), rank = static_cast<int64_t>(dims.size());
  const T* at = indices.data<T>();
  for (int64_t i = 0; i < n; ++i) {
    if (at[i] >= size) return IndexOutOfRange("indices", i, indices.dims(), size, at[i]);
  }
  ASSIGN_OR_RETURN(Tensor * output, indices.is_scalar() ? c.AllocateOutput(0, indices.dtype(), {rank})
                                                        : c.AllocateOutput(0, indices.dtype(), {rank, n}));
  T* to = output->mutable_data<T>();
  int64_t inner = size;  // elements of one step in the dimension before
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t outer = inner;
    inner /= dims[d];
    for (int64_t i = 0; i < n; ++i) *to++ = static_cast<T>(at[i] % outer / inner);
  }
  return absl::OkStatus();
}

absl::Status UnravelIndexShape(ShapeContext& c) {
  const PartialShape& indices = c.input(0);
  ASSIGN_OR_RETURN(const PartialShape dims, c.WithRank(1, 1));
  const int64_t rank = dims.has_rank() ? dims.dim(0) : -1;
  if (!indices.has_rank()) return absl::OkStatus();
  if (indices.rank() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices: expected a scalar or vector, got shape ", indices.ToString()));
  }
  c.SetOutput(0, indices.rank() == 0 ? PartialShape::Of({rank}) : PartialShape::Of({rank, indices.dim(0)}));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> UnravelIndexKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kIndexDTypes>(node.input_dtype(0), KernelFn{},
                                                  []<typename T>() -> KernelFn { return &RunKernel<UnravelIndex<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

}  // namespace

absl::Status RegisterUnravelIndexOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("UnravelIndex"),
                      .doc = "Flat indices as coordinates",
                      .shape = UnravelIndexShape,
                      .kernel = UnravelIndexKernel,
                      .dtypes = kIndexDTypes,
                      .type_attr = "Tidx"});
}

}  // namespace flowlatch
