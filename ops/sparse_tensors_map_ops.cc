// Sparse tensors (indices [n,rank], values [n], shape [rank]) that stay in the session under a number, so that queues
// can hold them.
//   AddSparseToTensorsMap:        keeps one -> its number
//   AddManySparseToTensorsMap:    keeps each of the N along the first dimension, one rank lower -> N numbers
//   TakeManySparseFromTensorsMap: numbers [N] -> the N tensors, which are kept no longer, as one of a rank higher
//                                 and as large as the largest
// Maps are shared under their shared_name or the node's name.
#include "ops/sparse_tensors_map_ops.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/resource_names.h"
#include "ops/kernels/slice_copy.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// The tensors of one call may not be more: each takes memory even if it is empty.
constexpr int64_t kMostAtOnce = int64_t{1} << 24;

struct SparseTensor {
  std::vector<int64_t> indices;  // [n, rank]
  Tensor values;                 // [n]
  Dims shape;
};

// Thread-safe.
class SparseTensorsMap final : public Resource {
 public:
  explicit SparseTensorsMap(std::string name) : name_(std::move(name)) {}
  std::string TypeName() const override { return "SparseTensorsMap"; }

  // The number of the first; the others follow.
  int64_t Add(std::vector<SparseTensor> tensors) {
    std::lock_guard<std::mutex> lock(mu_);
    const int64_t first = next_;
    for (SparseTensor& t : tensors) tensors_.emplace(next_++, std::move(t));
    return first;
  }
  // Errors: InvalidArgument for a number that it does not have; then nothing is taken.
  absl::StatusOr<std::vector<SparseTensor>> Take(absl::Span<const int64_t> numbers) {
    std::lock_guard<std::mutex> lock(mu_);
    std::vector<int64_t> sorted(numbers.begin(), numbers.end());
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i) {
      if (tensors_.contains(sorted[i]) && (i == 0 || sorted[i] != sorted[i - 1])) continue;
      return absl::InvalidArgumentError(absl::StrCat("sparse_handles: expected numbers of sparse tensors in '", name_,
                                                     "', each once, got ", sorted[i]));
    }
    std::vector<SparseTensor> taken;
    for (const int64_t number : numbers) taken.push_back(std::move(tensors_.extract(number).mapped()));
    return taken;
  }

 private:
  const std::string name_;
  std::mutex mu_;
  int64_t next_ = 0;  // guarded by mu_, as what follows
  std::map<int64_t, SparseTensor> tensors_;
};

class MapState : public KernelState {
 public:
  ResourceName name;
  DType dtype = DType::kInvalid;  // of the values that are taken
};

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> MapKernel(const NodeInfo& node) {
  auto state = std::make_shared<MapState>();
  ASSIGN_OR_RETURN(state->name, ResourceNameOf(node, true));
  if (node.num_outputs() > 1) state->dtype = node.output_dtype(1);
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::StatusOr<RefPtr<SparseTensorsMap>> MapOf(const KernelCall& c) {
  const ResourceName& name = c.state<MapState>().name;
  return c.step().resources().LookupOrCreate<SparseTensorsMap>(
      name.container, name.name,
      [&]() -> absl::StatusOr<RefPtr<SparseTensorsMap>> { return MakeRef<SparseTensorsMap>(name.name); });
}

// ---- Adding

// The shape in the inputs, which must fit each other.
absl::StatusOr<Dims> ReadShape(const KernelCall& c) {
  const Tensor& indices = c.input(0);
  const Tensor& values = c.input(1);
  ASSIGN_OR_RETURN(Dims dims, ReadIntVector(c.input(2), "sparse_shape"));
  RETURN_IF_ERROR(Shape::Make(dims).status());
  if (indices.rank() != 2 || !values.is_vector() || values.dim(0) != indices.dim(0) ||
      indices.dim(1) != static_cast<int64_t>(dims.size())) {
    return absl::InvalidArgumentError(absl::StrCat("sparse tensor: expected indices [n,", dims.size(),
                                                   "] and values [n], got shapes ", indices.ShapeString(), " and ",
                                                   values.ShapeString()));
  }
  return dims;
}

absl::Status Add(KernelCall& c) {
  SparseTensor t;
  ASSIGN_OR_RETURN(t.shape, ReadShape(c));
  const absl::Span<const int64_t> indices = c.input(0).values<int64_t>();
  t.indices.assign(indices.begin(), indices.end());
  ASSIGN_OR_RETURN(t.values, c.input(1).Clone());
  ASSIGN_OR_RETURN(const RefPtr<SparseTensorsMap> map, MapOf(c));
  std::vector<SparseTensor> one;
  one.push_back(std::move(t));
  c.output(0).SetScalar<int64_t>(map->Add(std::move(one)));
  return absl::OkStatus();
}

absl::Status AddMany(KernelCall& c) {
  ASSIGN_OR_RETURN(const Dims dims, ReadShape(c));
  const int64_t rank = static_cast<int64_t>(dims.size());
  if (rank < 2) {
    return absl::InvalidArgumentError(absl::StrCat("sparse tensor: expected rank > 1, got ", rank));
  }
  const int64_t n = dims[0];
  if (n > kMostAtOnce) {
    return absl::ResourceExhaustedError(absl::StrCat("sparse tensors: expected at most ", kMostAtOnce, ", got ", n));
  }
  const int64_t* const indices = c.input(0).data<int64_t>();
  const Tensor& values = c.input(1);
  std::vector<int64_t> counts(n, 0);
  for (int64_t i = 0; i < values.dim(0); ++i) {
    const int64_t at = indices[i * rank];
    if (at < 0 || at >= n) return IndexOutOfRange("sparse_indices", i * rank, c.input(0).dims(), n, at);
    ++counts[at];
  }
  std::vector<SparseTensor> tensors(n);
  for (int64_t k = 0; k < n; ++k) {
    tensors[k].shape.assign(dims.begin() + 1, dims.end());
    tensors[k].indices.reserve(counts[k] * (rank - 1));
    ASSIGN_OR_RETURN(tensors[k].values, Tensor::Make(values.dtype(), {counts[k]}));
  }
  const int64_t size = static_cast<int64_t>(DTypeSize(values.dtype()));
  for (int64_t i = 0; i < values.dim(0); ++i) {
    const int64_t* const row = indices + i * rank;
    SparseTensor& t = tensors[row[0]];
    const int64_t at = static_cast<int64_t>(t.indices.size()) / (rank - 1);
    CopyElements(values.dtype(), static_cast<const char*>(values.raw_data()) + i * size,
                 static_cast<char*>(t.values.raw_mutable_data()) + at * size, 1);
    t.indices.insert(t.indices.end(), row + 1, row + rank);
  }
  ASSIGN_OR_RETURN(Tensor * numbers, c.AllocateOutput(0, DType::kInt64, {n}));
  ASSIGN_OR_RETURN(const RefPtr<SparseTensorsMap> map, MapOf(c));
  int64_t number = map->Add(std::move(tensors));
  for (int64_t k = 0; k < n; ++k) numbers->mutable_data<int64_t>()[k] = number++;
  return absl::OkStatus();
}

// ---- Taking

absl::Status TakeMany(KernelCall& c) {
  const Tensor& numbers = c.input(0);
  if (!numbers.is_vector() || numbers.dim(0) == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("sparse_handles: expected a vector of some, got shape ", numbers.ShapeString()));
  }
  const DType dtype = c.state<MapState>().dtype;
  ASSIGN_OR_RETURN(const RefPtr<SparseTensorsMap> map, MapOf(c));
  ASSIGN_OR_RETURN(const std::vector<SparseTensor> tensors, map->Take(numbers.values<int64_t>()));
  Dims shape = tensors[0].shape;
  int64_t total = 0;
  for (const SparseTensor& t : tensors) {
    if (t.values.dtype() != dtype || t.shape.size() != shape.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("sparse tensors: expected ", std::string(DTypeName(dtype)), " of rank ", shape.size(), ", got ",
                       std::string(DTypeName(t.values.dtype())), " of rank ", t.shape.size()));
    }
    for (size_t d = 0; d < shape.size(); ++d) shape[d] = std::max(shape[d], t.shape[d]);
    total += t.values.dim(0);
  }
  const size_t rank = shape.size();
  shape.insert(shape.begin(), static_cast<int64_t>(tensors.size()));
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(0, DType::kInt64, {total, static_cast<int64_t>(rank) + 1}));
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, dtype, {total}));
  ASSIGN_OR_RETURN(c.output(2), Tensor::FromValues<int64_t>(Shape::Of({static_cast<int64_t>(shape.size())}), shape));
  int64_t* to = indices->mutable_data<int64_t>();
  char* value = static_cast<char*>(values->raw_mutable_data());
  for (size_t k = 0; k < tensors.size(); ++k) {
    const SparseTensor& t = tensors[k];
    const int64_t* from = t.indices.data();
    for (int64_t i = 0; i < t.values.dim(0); ++i, from += rank) {
      *to++ = static_cast<int64_t>(k);
      to = std::copy_n(from, rank, to);
    }
    CopyElements(dtype, t.values.raw_data(), value, t.values.dim(0));
    value += t.values.size_bytes();
  }
  return absl::OkStatus();
}

// ---- Shapes

absl::Status CheckSparse(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRank(0, 2).status());
  RETURN_IF_ERROR(c.ExpectVector(1));
  return c.ExpectVector(2);
}

absl::Status AddShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckSparse(c));
  return shapes::Scalar(c);
}

absl::Status AddManyShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckSparse(c));
  c.SetOutput(0, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

absl::Status TakeManyShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  c.SetOutput(0, PartialShape::UnknownOfRank(2));
  c.SetOutput(1, PartialShape::UnknownOfRank(1));
  c.SetOutput(2, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterSparseTensorsMapOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradients::None});
  };
  RETURN_IF_ERROR(add("AddSparseToTensorsMap", "Keeps a sparse tensor and gives its number", AddShape, MapKernel<Add>));
  RETURN_IF_ERROR(add("AddManySparseToTensorsMap", "Keeps the sparse tensors along the first dimension", AddManyShape,
                      MapKernel<AddMany>));
  return add("TakeManySparseFromTensorsMap", "Sparse tensors that were kept, as one", TakeManyShape,
             MapKernel<TakeMany>);
}

}  // namespace flowlatch
