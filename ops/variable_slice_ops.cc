// Updates to slices of variables, in place.
//   ScatterNd*(ref [places.., slice..], indices [n.., depth], updates [n.., slice..]): as TensorScatter* in
//     scatter_nd_ops.cc, in order. All places are checked before anything is written; with bad_indices_policy "IGNORE"
//     those outside are left out.
//   StridedSliceAssign(ref, begin, end, strides, value): `value`, broadcast to the slice's shape, where the slice is;
//     begin, end, strides and the masks as of StridedSlice.
// Ops on references return them. ScatterNd* lock with use_locking=true, else updates mix (racy_access.h);
// StridedSliceAssign has no such attr and locks. Resource* take a handle, lock always, and copy a value that a reader
// still has. A missing variable: NotFound behind a handle, FailedPrecondition behind a reference.
#include "ops/variable_slice_ops.h"

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/scatter_nd.h"
#include "ops/kernels/strided_copy.h"
#include "ops/kernels/strided_slice.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/racy_access.h"
#include "runtime/resource/variable.h"

namespace flowlatch {
namespace {

absl::Status CheckVariable(const Variable& variable, DType dtype, bool resource) {
  if (!variable.value.has_value()) {
    const std::string message = absl::StrCat("variable '", variable.name(), "': expected a value, got none");
    return resource ? absl::NotFoundError(message) : absl::FailedPreconditionError(message);
  }
  if (variable.dtype() == dtype) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("variable '", variable.name(), "': expected dtype ",
                                                 std::string(DTypeName(variable.dtype())), ", got ",
                                                 std::string(DTypeName(dtype))));
}

// Runs update(variable, prepare) under the lock of the variable behind input 0; `prepare` is to be called before
// elements change. Passes a reference on.
template <bool kResource, typename Update>
absl::Status UpdateVariable(KernelCall& c, DType dtype, bool exclusive, const Update& update) {
  ASSIGN_OR_RETURN(const RefPtr<Variable> variable, VariableOfInput(c, 0));
  const auto prepare = [&] {
    const bool in_place = !kResource && MayRace(dtype);
    return in_place ? absl::OkStatus() : variable->Unshare(c.step().services().allocator);
  };
  const auto locked_update = [&]() -> absl::Status {
    RETURN_IF_ERROR(CheckVariable(*variable, dtype, kResource));
    return update(*variable, prepare);
  };
  if (exclusive || kResource || !MayRace(dtype)) {
    std::unique_lock<std::shared_mutex> lock(variable->mu);
    RETURN_IF_ERROR(locked_update());
  } else {
    std::shared_lock<std::shared_mutex> lock(variable->mu);
    RETURN_IF_ERROR(locked_update());
  }
  if constexpr (!kResource) c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

// What is known of the shape of the variable behind input 0.
PartialShape ShapeOfVariable(const ShapeContext& c) {
  if (c.schema().inputs()[0].is_ref) return c.input(0);
  const HandleData* value = c.input_handle(0);
  return value != nullptr ? value->shape : PartialShape();
}

absl::Status PassOn(ShapeContext& c) { return c.num_outputs() == 0 ? absl::OkStatus() : shapes::SameAsInput(c); }

// ---- ScatterNd*

class ScatterState : public KernelState {
 public:
  UpdateLoop loop = nullptr;
  bool exclusive = true;
  bool skip_bad = false;
};

template <bool kResource>
absl::Status Scatter(KernelCall& c) {
  const ScatterState& state = c.state<ScatterState>();
  const auto update = [&](Variable& variable, const auto& prepare) -> absl::Status {
    ASSIGN_OR_RETURN(const Places places, FindPlaces(variable.value.shape(), c.input(1), c.input(2), state.skip_bad));
    ASSIGN_OR_RETURN(const Tensor updates, ApartFrom(variable, c.input(2)));
    RETURN_IF_ERROR(prepare());
    UpdatePlaces(state.loop, places, updates, variable.value);
    return absl::OkStatus();
  };
  return UpdateVariable<kResource>(c, c.input(2).dtype(), state.exclusive, update);
}

template <bool kResource, Update kUpdate>
absl::StatusOr<Kernel> ScatterKernel(const NodeInfo& node) {
  auto state = std::make_shared<ScatterState>();
  ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
  state->loop = FindPlaceLoop(kUpdate, dtype);
  if (state->loop == nullptr) return NoKernelFor(node, dtype);
  ASSIGN_OR_RETURN(state->exclusive, node.Bool("use_locking"));
  ASSIGN_OR_RETURN(state->skip_bad, SkipsBadIndices(node));
  return Kernel{.fn = &RunKernel<Scatter<kResource>>, .state = std::move(state)};
}

absl::Status ScatterShape(ShapeContext& c) {
  RETURN_IF_ERROR(CheckScatterNdShapes(ShapeOfVariable(c), c.input(1), c.input(2)));
  return PassOn(c);
}

// ---- StridedSliceAssign

struct SliceState : KernelState {
  explicit SliceState(const SliceMasks& masks) : masks(masks) {}
  const SliceMasks masks;
};

// E: a storage type (slice_copy.h).
template <typename E>
void AssignToView(const StridedView& view, const Tensor& value, Tensor& target) {
  const int64_t stride = view.axes.empty() ? 1 : view.axes.back().stride;
  const E* from = Elements<E>(value);
  E* to = MutableElements<E>(target);
  ForEachRun(view, 0, value.num_elements(), [&](int64_t i, int64_t place, int64_t n) {
    RacyCopy(to + place, from + i, n, /*source_step=*/1, /*target_step=*/stride);
  });
}

template <typename E, bool kResource>
absl::Status AssignSlice(KernelCall& c) {
  const auto update = [&](Variable& variable, const auto& prepare) -> absl::Status {
    ASSIGN_OR_RETURN(const SliceEntries entries, ReadSliceEntries(c.input(1), c.input(2), c.input(3)));
    ASSIGN_OR_RETURN(const ResolvedSlice slice,
                     ResolveSlice(c.state<SliceState>().masks, variable.value.dims(), entries));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(slice.output));
    ASSIGN_OR_RETURN(Tensor value, BroadcastToSlice(c.input(4), shape));
    ASSIGN_OR_RETURN(value, ApartFrom(variable, value));
    RETURN_IF_ERROR(prepare());
    AssignToView<E>(ViewOfSlice(slice.dims, variable.value.dims()), value, variable.value);
    return absl::OkStatus();
  };
  return UpdateVariable<kResource>(c, c.input(4).dtype(), /*exclusive=*/true, update);
}

absl::StatusOr<std::shared_ptr<const KernelState>> MakeSliceState(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const SliceMasks masks, SliceMasks::FromAttrs(node));
  return std::shared_ptr<const KernelState>(std::make_shared<SliceState>(masks));
}

template <bool kResource>
KernelFactory SliceKernel() {
  return MovingKernel([]<typename E>() { return &RunKernel<AssignSlice<E, kResource>>; }, MakeSliceState);
}

absl::Status SliceShape(ShapeContext& c) {
  RETURN_IF_ERROR(SliceEntriesOf(c, 1).status());
  return PassOn(c);
}

absl::Status Add(OpLibrary& library, std::string_view op, std::string_view doc, ShapeFunction shape,
                 KernelFactory kernel) {
  return library.Add({
      .signature = TensorFlowSignature(op),
      .doc = doc,
      .shape = shape,
      .kernel = std::move(kernel),
      .gradient = gradients::None,
  });
}

template <Update kUpdate>
absl::Status AddScatters(OpLibrary& library, const std::string& name, const std::string& doc) {
  RETURN_IF_ERROR(Add(library, "ScatterNd" + name, doc, ScatterShape, ScatterKernel<false, kUpdate>));
  return Add(library, "ResourceScatterNd" + name, doc, ScatterShape, ScatterKernel<true, kUpdate>);
}

}  // namespace

absl::Status RegisterVariableSliceOps(OpLibrary& library) {
  RETURN_IF_ERROR(AddScatters<Update::kAssign>(library, "Update", "Assigns updates to the slices at indices"));
  RETURN_IF_ERROR(AddScatters<Update::kAdd>(library, "Add", "Adds updates to the slices at indices"));
  RETURN_IF_ERROR(AddScatters<Update::kSub>(library, "Sub", "Subtracts updates from the slices at indices"));
  RETURN_IF_ERROR(AddScatters<Update::kMin>(library, "Min", "Lowers the slices at indices to updates"));
  RETURN_IF_ERROR(AddScatters<Update::kMax>(library, "Max", "Raises the slices at indices to updates"));
  constexpr char kDoc[] = "Assigns value to a strided slice of a variable";
  RETURN_IF_ERROR(Add(library, "StridedSliceAssign", kDoc, SliceShape, SliceKernel<false>()));
  return Add(library, "ResourceStridedSliceAssign", kDoc, SliceShape, SliceKernel<true>());
}

}  // namespace flowlatch
