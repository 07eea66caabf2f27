// Values put to places in a tensor.
//   ScatterNd(indices [n.., depth], updates [n.., slice..], shape [places.., slice..]): zeros with all updates added
//   where
//     indices say; updates of one place add up (strings one after another, bools to whether any is true)
//   TensorScatter*(tensor, indices, updates), ScatterNdNonAliasingAdd: the tensor with its slices changed so, in order
//   SparseToDense(sparse_indices, output_shape, sparse_values, default_value): places are one index, a vector of
//   indices of
//     a vector, or a matrix with a row for each; values are one for each place or one for all
// All places are checked before anything is written; with bad_indices_policy "IGNORE" those outside are left out.
#include "ops/scatter_nd_ops.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/strided_copy.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// ---- Places

// Where slices go: slice i to elements [offset, offset + slice) of the target, -1: nowhere.
struct Places {
  Tensor offsets;  // int64 [n]
  int64_t slice = 0;
};

absl::Status OutOfPlace(const char* what, int64_t i, absl::Span<const int64_t> places, absl::Span<const int64_t> got,
                        absl::Span<const int64_t> target) {
  return absl::InvalidArgumentError(absl::StrCat(what, ElementName(i, places), ": expected a place in shape ",
                                                 DimsToString(target), ", got [", absl::StrJoin(got, ","), "]"));
}

// The offset of an index with `depth` coordinates in slices of `slice` elements, or -1 outside.
template <typename Index>
int64_t OffsetOf(const Index* index, absl::Span<const int64_t> limits, int64_t slice) {
  int64_t position = 0;
  for (size_t d = 0; d < limits.size(); ++d) {
    const int64_t coordinate = static_cast<int64_t>(index[d]);
    if (coordinate < 0 || coordinate >= limits[d]) return -1;
    position = position * limits[d] + coordinate;
  }
  return position * slice;
}

// Errors: InvalidArgument for updates of another shape than indices and target want.
absl::Status CheckScatterNdShapes(const PartialShape& target, const PartialShape& indices,
                                  const PartialShape& updates) {
  if (!indices.has_rank() || !updates.has_rank()) return absl::OkStatus();
  if (indices.rank() == 0 || updates.rank() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(indices.rank() == 0 ? "indices" : "updates", ": expected at least one dimension, got shape []"));
  }
  const int64_t depth = indices.dims().back();
  if (!target.has_rank() || depth < 0) return absl::OkStatus();
  if (depth > target.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("last dimension of indices: expected at most ", target.rank(),
                                                   ", the rank of the result, got ", depth));
  }
  Dims want(indices.dims().begin(), indices.dims().end() - 1);
  want.insert(want.end(), target.dims().begin() + depth, target.dims().end());
  if (PartialShape::FromValid(want).CompatibleWith(updates)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("updates: expected shape ", DimsToString(want), ", got ", updates.ToString()));
}

template <typename Index>
absl::StatusOr<Places> FindPlaces(const Shape& target, const Tensor& indices, const Tensor& updates, bool skip_bad) {
  RETURN_IF_ERROR(CheckScatterNdShapes(target, indices.shape(), updates.shape()));
  const bool none = indices.num_elements() == 0 && updates.num_elements() == 0;
  if (!none && (target.num_elements() == 0 || indices.num_elements() == 0 || updates.num_elements() == 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices and updates: expected elements in both, and in the result, or in neither, got shapes ",
                     indices.ShapeString(), ", ", updates.ShapeString(), " and ", target.ToString()));
  }
  Places places;
  const int64_t depth = indices.dims().back();
  const int64_t n = none ? 0 : indices.num_elements() / depth;
  ASSIGN_OR_RETURN(places.offsets, Tensor::Make(DType::kInt64, {n}));
  if (n == 0) return places;
  places.slice = updates.num_elements() / n;
  const absl::Span<const int64_t> limits = target.dims().first(depth);
  const Index* index = indices.data<Index>();
  for (int64_t i = 0; i < n; ++i, index += depth) {
    const int64_t offset = OffsetOf(index, limits, places.slice);
    if (offset < 0 && !skip_bad) {
      return OutOfPlace("indices", i, indices.dims().first(indices.rank() - 1), Dims(index, index + depth),
                        target.dims());
    }
    places.offsets.mutable_data<int64_t>()[i] = offset;
  }
  return places;
}

// ---- ScatterNd, TensorScatter*

// Adds, but to what is there of strings and bools.
template <typename T>
void Join(void* target, const void* source, int64_t n, int64_t source_step) {
  T* to = static_cast<T*>(target);
  const T* from = static_cast<const T*>(source);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, bool>) {
      to[i] = to[i] || from[i * source_step];
    } else {
      to[i] = std::string_view(std::string(to[i].view()).append(from[i * source_step].view()));
    }
  }
}

UpdateLoop FindScatterLoop(Update update, DType dtype) {
  if (update == Update::kAdd && dtype == DType::kBool) return &Join<bool>;
  if (update == Update::kAdd && dtype == DType::kString) return &Join<String>;
  return FindUpdateLoop(update, dtype);
}

class ScatterState : public KernelState {
 public:
  UpdateLoop loop = nullptr;
  bool skip_bad = false;
};

void ApplyUpdates(UpdateLoop loop, const Places& places, const Tensor& updates, Tensor& target) {
  const int64_t size = static_cast<int64_t>(DTypeSize(target.dtype()));
  char* to = static_cast<char*>(target.raw_mutable_data());
  const char* from = static_cast<const char*>(updates.raw_data());
  for (const int64_t offset : places.offsets.values<int64_t>()) {
    if (offset >= 0) loop(to + offset * size, from, places.slice, 1);
    from += places.slice * size;
  }
}

template <typename Index>
absl::Status ScatterNd(KernelCall& c) {
  const ScatterState& state = c.state<ScatterState>();
  const Tensor& updates = c.input(1);
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(2), "shape"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(const Places places, FindPlaces<Index>(shape, c.input(0), updates, state.skip_bad));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, updates.dtype(), shape));
  if (!IsObjectDType(output->dtype()) && output->num_elements() > 0) {
    std::memset(output->raw_mutable_data(), 0, static_cast<size_t>(output->size_bytes()));
  }
  ApplyUpdates(state.loop, places, updates, *output);
  return absl::OkStatus();
}

template <typename Index>
absl::Status TensorScatter(KernelCall& c) {
  const ScatterState& state = c.state<ScatterState>();
  const Tensor updates = c.input(2);  // shared, should it be the tensor as well
  ASSIGN_OR_RETURN(const Places places, FindPlaces<Index>(c.input(0).shape(), c.input(1), updates, state.skip_bad));
  if (c.CanForward(0)) {
    c.SetOutput(0, c.input(0));
  } else {
    ASSIGN_OR_RETURN(c.output(0), c.input(0).Clone());
  }
  ApplyUpdates(state.loop, places, updates, c.output(0));
  return absl::OkStatus();
}

// kCompute<Index> for the dtype of the op's indices.
template <typename Choose>
KernelFactory ScatterKernel(Update update, int indices_input, Choose choose) {
  return [update, indices_input, choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    auto state = std::make_shared<ScatterState>();
    ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
    state->loop = FindScatterLoop(update, dtype);
    if (state->loop == nullptr) return NoKernelFor(node, dtype);
    ASSIGN_OR_RETURN(const std::string policy, node.Str("bad_indices_policy"));
    if (policy != "" && policy != "DEFAULT" && policy != "ERROR" && policy != "IGNORE") {
      return absl::InvalidArgumentError(
          absl::StrCat("bad_indices_policy: expected DEFAULT, ERROR or IGNORE, got '", policy, "'"));
    }
    state->skip_bad = policy == "IGNORE";
    constexpr DTypeSet kIndices{DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt16};
    const DType index = node.input_dtype(indices_input);
    const KernelFn fn = DispatchDType<kIndices>(index, KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, index);
    return Kernel{.fn = fn, .state = std::move(state)};
  };
}

absl::Status ScatterNdShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const DType index, c.AttrAs<DType>("Tindices"));
  RETURN_IF_ERROR(c.ExpectVector(2));
  PartialShape shape;
  if (kIndexTypes.contains(index)) {  // shapes of int16 are not looked into
    ASSIGN_OR_RETURN(shape, c.InputAsShape(2));
  }
  RETURN_IF_ERROR(CheckScatterNdShapes(shape, c.input(0), c.input(1)));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status TensorScatterShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckScatterNdShapes(c.input(0), c.input(1), c.input(2)));
  return shapes::SameAsInput(c);
}

// ---- SparseToDense

struct SparsePlaces {
  int64_t n = 1, depth = 1;
};

absl::StatusOr<SparsePlaces> SparsePlacesOf(const Tensor& indices) {
  if (indices.rank() > 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("sparse_indices: expected rank <= 2, got shape ", indices.ShapeString()));
  }
  return SparsePlaces{.n = indices.rank() > 0 ? indices.dim(0) : 1, .depth = indices.rank() > 1 ? indices.dim(1) : 1};
}

class SparseToDenseState : public KernelState {
 public:
  explicit SparseToDenseState(bool validate) : validate(validate) {}
  const bool validate;  // whether indices must ascend
};

template <typename Index>
absl::Status ExpectAscending(const Index* index, int64_t i, int64_t depth) {
  if (i == 0 || std::lexicographical_compare(index - depth, index, index, index + depth)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("sparse_indices[", i, "]: expected one greater than [",
                                                 absl::StrJoin(Dims(index - depth, index), ","), "], got [",
                                                 absl::StrJoin(Dims(index, index + depth), ","), "]"));
}

template <typename E, typename Index>
absl::Status SparseToDenseOf(KernelCall& c) {
  const Tensor& indices = c.input(0);
  const Tensor& values = c.input(2);
  const Tensor& default_value = c.input(3);
  ASSIGN_OR_RETURN(const SparsePlaces places, SparsePlacesOf(indices));
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(1), "output_shape"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  if (shape.rank() != places.depth) {
    return absl::InvalidArgumentError(
        absl::StrCat("output_shape: expected ", places.depth, " values, got ", shape.rank()));
  }
  if (!values.is_scalar() && !(values.is_vector() && values.dim(0) == places.n)) {
    return absl::InvalidArgumentError(
        absl::StrCat("sparse_values: expected shape [", places.n, "] or [], got ", values.ShapeString()));
  }
  if (!default_value.is_scalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("default_value: expected a scalar, got shape ", default_value.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor offsets, Tensor::Make(DType::kInt64, {places.n}));
  const Index* index = static_cast<const Index*>(indices.raw_data());
  for (int64_t i = 0; i < places.n; ++i, index += places.depth) {
    const int64_t offset = OffsetOf(index, shape.dims(), 1);
    if (offset < 0) {
      return OutOfPlace("sparse_indices", i, {&places.n, 1}, Dims(index, index + places.depth), shape.dims());
    }
    if (c.state<SparseToDenseState>().validate) RETURN_IF_ERROR(ExpectAscending(index, i, places.depth));
    offsets.mutable_data<int64_t>()[i] = offset;
  }
  ASSIGN_OR_RETURN(Tensor * dense, c.AllocateOutput(0, values.dtype(), shape));
  E* to = MutableElements<E>(*dense);
  const E* from = Elements<E>(values);
  ParallelMove<E>(c, dense->num_elements(),
                  [&](int64_t begin, int64_t end) { FillRun(*Elements<E>(default_value), to + begin, end - begin); });
  const int64_t step = values.is_scalar() ? 0 : 1;
  for (int64_t i = 0; i < places.n; ++i) to[offsets.data<int64_t>()[i]] = from[i * step];
  return absl::OkStatus();
}

template <typename E>
absl::Status SparseToDense(KernelCall& c) {
  return c.input(0).dtype() == DType::kInt32 ? SparseToDenseOf<E, int32_t>(c) : SparseToDenseOf<E, int64_t>(c);
}

absl::StatusOr<std::shared_ptr<const KernelState>> MakeSparseToDenseState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool validate, node.Bool("validate_indices"));
  return std::shared_ptr<const KernelState>(std::make_shared<SparseToDenseState>(validate));
}

absl::Status SparseToDenseShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.InputAsShape(1));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

// ---- Gradients

Output GatherUpdates(GradContext& c, const Output& from, int indices) {
  return c.Op("GatherNd", {from, c.input(indices)}, c.CopyAttrs({"bad_indices_policy"}));
}

absl::Status ScatterNdGrad(GradContext& c) {
  c.Set(1, GatherUpdates(c, c.grad(), 0));
  return absl::OkStatus();
}

absl::Status AddedGrad(GradContext& c) {
  c.Set(0, c.grad());
  if (c.needs(2)) c.Set(2, GatherUpdates(c, c.grad(), 1));
  return absl::OkStatus();
}

absl::Status SubtractedGrad(GradContext& c) {
  c.Set(0, c.grad());
  if (c.needs(2)) c.Set(2, -GatherUpdates(c, c.grad(), 1));
  return absl::OkStatus();
}

absl::Status ReplacedGrad(GradContext& c) {
  if (c.needs(0)) {
    c.Set(0, c.Op("TensorScatterUpdate", {c.grad(), c.input(1), ZerosLikeInput(c, 2)},
                  c.CopyAttrs({"bad_indices_policy"})));
  }
  if (c.needs(2)) c.Set(2, GatherUpdates(c, c.grad(), 1));
  return absl::OkStatus();
}

// Of the tensor's element and all updates to it, those that equal the result share its gradient.
absl::Status ExtremeGrad(GradContext& c) {
  const DType dtype = c.output_dtype(0);
  const auto equal = [&](const Output& x, const Output& y) {
    return c.Op("Cast", {c.Op("Equal", {x, y})}, {{"DstT", dtype}});
  };
  const Output of_tensor = equal(c.input(0), c.output(0));
  const Output of_updates = equal(c.input(2), GatherUpdates(c, c.output(0), 1));
  const Output indices = c.input(1);
  const Output count = of_tensor + c.Op("ScatterNd", {indices, of_updates, c.ShapeOfInput(0, indices.dtype())},
                                        c.CopyAttrs({"bad_indices_policy"}));
  if (c.needs(0)) c.Set(0, c.grad() * of_tensor / count);
  if (c.needs(2)) c.Set(2, GatherUpdates(c, c.grad() / count, 1) * of_updates);
  return absl::OkStatus();
}

absl::Status SparseToDenseGrad(GradContext& c) {
  Output indices = c.input(0);
  if (c.input_shape(0).has_rank() && c.input_shape(0).rank() < 2) indices = c.Op("Reshape", {indices, {-1, 1}});
  const Output values = c.Op("GatherNd", {c.grad(), indices});
  if (c.needs(2)) c.Set(2, SumToShapeOf(c, values, 2));
  if (c.needs(3)) {
    const auto sum = [&](const Output& x) { return c.Op("Sum", {c.Op("Reshape", {x, {-1}}), 0}); };
    c.Set(3, sum(c.grad()) - sum(values));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterScatterNdOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradient});
  };
  const auto tensor_scatter = [](Update update) {
    return ScatterKernel(update, 1, []<typename Index>() -> KernelFn { return &RunKernel<TensorScatter<Index>>; });
  };
  RETURN_IF_ERROR(
      add("ScatterNd", "Zeros of the given shape with updates added at indices", ScatterNdShape,
          ScatterKernel(Update::kAdd, 0, []<typename Index>() -> KernelFn { return &RunKernel<ScatterNd<Index>>; }),
          ScatterNdGrad));
  RETURN_IF_ERROR(add("ScatterNdNonAliasingAdd", "The input with updates added at indices", TensorScatterShape,
                      tensor_scatter(Update::kAdd), AddedGrad));
  RETURN_IF_ERROR(add("TensorScatterUpdate", "The tensor with updates in place of its slices at indices",
                      TensorScatterShape, tensor_scatter(Update::kAssign), ReplacedGrad));
  RETURN_IF_ERROR(add("TensorScatterAdd", "The tensor with updates added at indices", TensorScatterShape,
                      tensor_scatter(Update::kAdd), AddedGrad));
  RETURN_IF_ERROR(add("TensorScatterSub", "The tensor with updates subtracted at indices", TensorScatterShape,
                      tensor_scatter(Update::kSub), SubtractedGrad));
  RETURN_IF_ERROR(add("TensorScatterMax", "The tensor raised to updates at indices", TensorScatterShape,
                      tensor_scatter(Update::kMax), ExtremeGrad));
  RETURN_IF_ERROR(add("TensorScatterMin", "The tensor lowered to updates at indices", TensorScatterShape,
                      tensor_scatter(Update::kMin), ExtremeGrad));
  return add("SparseToDense", "A tensor full of default_value but for the values at sparse_indices", SparseToDenseShape,
             MovingKernel([]<typename E>() { return &RunKernel<SparseToDense<E>>; }, MakeSparseToDenseState),
             SparseToDenseGrad);
}

}  // namespace flowlatch
