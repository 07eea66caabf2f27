// Values put to places in a tensor.
//   ScatterNd(indices [n.., depth], updates [n.., slice..], shape [places.., slice..]): zeros with all updates added
//   where
//     indices say; updates of one place add up (strings one after another, bools to whether any is true)
//   TensorScatter*(tensor, indices, updates), ScatterNdNonAliasingAdd: the tensor with its slices changed so, in order
//   SparseToDense(sparse_indices, output_shape, sparse_values, default_value): places are one index, a vector of
//   indices of
//     a vector, or a matrix with a row for each; values are one for each place or one for all
// All places are checked before anything is written; with bad_indices_policy "IGNORE" those outside are left out.
// The same on variables: variable_slice_ops.cc.
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
#include "ops/kernels/scatter_nd.h"
#include "ops/kernels/strided_copy.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// ---- ScatterNd, TensorScatter*

class ScatterState : public KernelState {
 public:
  UpdateLoop loop = nullptr;
  bool skip_bad = false;
};

absl::Status ScatterNd(KernelCall& c) {
  const ScatterState& state = c.state<ScatterState>();
  const Tensor& updates = c.input(1);
  ASSIGN_OR_RETURN(const Dims dims, ReadIntVector(c.input(2), "shape"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(const Places places, FindPlaces(shape, c.input(0), updates, state.skip_bad));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, updates.dtype(), shape));
  if (!IsObjectDType(output->dtype()) && output->num_elements() > 0) {
    std::memset(output->raw_mutable_data(), 0, static_cast<size_t>(output->size_bytes()));
  }
  UpdatePlaces(state.loop, places, updates, *output);
  return absl::OkStatus();
}

absl::Status TensorScatter(KernelCall& c) {
  const ScatterState& state = c.state<ScatterState>();
  const Tensor updates = c.input(2);  // shared, should it be the tensor as well
  ASSIGN_OR_RETURN(const Places places, FindPlaces(c.input(0).shape(), c.input(1), updates, state.skip_bad));
  if (c.CanForward(0)) {
    c.SetOutput(0, c.input(0));
  } else {
    ASSIGN_OR_RETURN(c.output(0), c.input(0).Clone());
  }
  UpdatePlaces(state.loop, places, updates, c.output(0));
  return absl::OkStatus();
}

template <absl::Status (*kCompute)(KernelCall&), Update kUpdate>
absl::StatusOr<Kernel> ScatterKernel(const NodeInfo& node) {
  auto state = std::make_shared<ScatterState>();
  ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
  state->loop = FindPlaceLoop(kUpdate, dtype);
  if (state->loop == nullptr) return NoKernelFor(node, dtype);
  ASSIGN_OR_RETURN(state->skip_bad, SkipsBadIndices(node));
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
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
    const int64_t offset = PlaceOf(index, shape.dims(), 1);
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
  RETURN_IF_ERROR(add("ScatterNd", "Zeros of the given shape with updates added at indices", ScatterNdShape,
                      ScatterKernel<ScatterNd, Update::kAdd>, ScatterNdGrad));
  RETURN_IF_ERROR(add("ScatterNdNonAliasingAdd", "The input with updates added at indices", TensorScatterShape,
                      ScatterKernel<TensorScatter, Update::kAdd>, AddedGrad));
  RETURN_IF_ERROR(add("TensorScatterUpdate", "The tensor with updates in place of its slices at indices",
                      TensorScatterShape, ScatterKernel<TensorScatter, Update::kAssign>, ReplacedGrad));
  RETURN_IF_ERROR(add("TensorScatterAdd", "The tensor with updates added at indices", TensorScatterShape,
                      ScatterKernel<TensorScatter, Update::kAdd>, AddedGrad));
  RETURN_IF_ERROR(add("TensorScatterSub", "The tensor with updates subtracted at indices", TensorScatterShape,
                      ScatterKernel<TensorScatter, Update::kSub>, SubtractedGrad));
  RETURN_IF_ERROR(add("TensorScatterMax", "The tensor raised to updates at indices", TensorScatterShape,
                      ScatterKernel<TensorScatter, Update::kMax>, ExtremeGrad));
  RETURN_IF_ERROR(add("TensorScatterMin", "The tensor lowered to updates at indices", TensorScatterShape,
                      ScatterKernel<TensorScatter, Update::kMin>, ExtremeGrad));
  return add("SparseToDense", "A tensor full of default_value but for the values at sparse_indices", SparseToDenseShape,
             MovingKernel([]<typename E>() { return &RunKernel<SparseToDense<E>>; }, MakeSparseToDenseState),
             SparseToDenseGrad);
}

}  // namespace flowlatch
