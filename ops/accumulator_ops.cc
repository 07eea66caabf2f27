// Conditional accumulators (see ops/kernels/accumulator.h), shared under their shared_name or the node's name.
//   ApplyGradient: adds a gradient that was computed in step `local_step`, or drops it if that was too early
//   TakeGradient:  waits for `num_required` gradients, then gives their average (reduction_type MEAN) or sum
//   NumAccumulated, SetGlobalStep
//   The Sparse forms take and give indices, rows of values, and the shape of the whole, in which -1 is not known.
// Handles are references to strings, of the Resource forms resources. float16, float32 and float64.
#include "ops/accumulator_ops.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/accumulator.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/resource_names.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// ---- Making them

class AccumulatorState : public KernelState {
 public:
  ResourceName name;
  AccumulatorType type;
  Tensor handle;
};

template <typename Kind>
absl::Status MakeAccumulator(KernelCall& c) {
  const AccumulatorState& state = c.state<AccumulatorState>();
  ASSIGN_OR_RETURN(const RefPtr<Accumulator> accumulator,
                   c.step().resources().LookupOrCreate<Accumulator>(
                       state.name.container, state.name.name,
                       [&]() -> absl::StatusOr<RefPtr<Accumulator>> { return MakeRef<Kind>(state.type); }));
  if (!(accumulator->type() == state.type) || dynamic_cast<Kind*>(accumulator.get()) == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("accumulator '", state.name.name,
                                                   "': expected the kind, dtype, shape and reduction_type that it was "
                                                   "made with, got others"));
  }
  c.SetOutput(0, state.handle);
  return absl::OkStatus();
}

template <typename Kind>
absl::StatusOr<Kernel> AccumulatorKernel(const NodeInfo& node) {
  auto state = std::make_shared<AccumulatorState>();
  ASSIGN_OR_RETURN(state->name, ResourceNameOf(node, true));
  ASSIGN_OR_RETURN(state->type.dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(state->type.shape, node.AttrAs<PartialShape>("shape"));
  ASSIGN_OR_RETURN(const std::string reduction, node.Str("reduction_type"));
  state->type.mean = reduction == "MEAN";
  ASSIGN_OR_RETURN(state->handle, MakeHandle(node, state->name, Accumulator::kTypeName));
  return Kernel{.fn = &RunKernel<MakeAccumulator<Kind>>, .state = std::move(state)};
}

// ---- Using them

absl::StatusOr<RefPtr<Accumulator>> AccumulatorInput(const KernelCall& c) { return FindResource<Accumulator>(c, 0); }

// One of this kind and dtype.
template <typename Kind>
absl::StatusOr<RefPtr<Kind>> AccumulatorInput(const KernelCall& c, DType dtype) {
  ASSIGN_OR_RETURN(const RefPtr<Accumulator> any, AccumulatorInput(c));
  Kind* accumulator = dynamic_cast<Kind*>(any.get());
  if (accumulator == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "accumulator: expected a ", std::is_same_v<Kind, DenseAccumulator> ? "dense" : "sparse", " one, got another"));
  }
  if (accumulator->type().dtype != dtype) {
    return absl::InvalidArgumentError(absl::StrCat("accumulator: expected ", std::string(DTypeName(dtype)), ", got ",
                                                   std::string(DTypeName(accumulator->type().dtype))));
  }
  return RefPtr<Kind>::Share(accumulator);
}

absl::Status ApplyDense(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<DenseAccumulator> accumulator,
                   AccumulatorInput<DenseAccumulator>(c, c.input(2).dtype()));
  ASSIGN_OR_RETURN(const int64_t step, ReadIntScalar(c.input(1), "local_step"));
  ASSIGN_OR_RETURN(Tensor gradient, TakeInput(c, 2));
  return accumulator->Add(step, std::move(gradient));
}

class ApplySparseState : public KernelState {
 public:
  explicit ApplySparseState(bool knows_shape) : knows_shape(knows_shape) {}
  const bool knows_shape;
};

absl::Status ApplySparse(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<SparseAccumulator> accumulator,
                   AccumulatorInput<SparseAccumulator>(c, c.input(3).dtype()));
  ASSIGN_OR_RETURN(const int64_t step, ReadIntScalar(c.input(1), "local_step"));
  ASSIGN_OR_RETURN(Tensor values, TakeInput(c, 3));
  std::optional<Dims> shape;
  if (c.state<ApplySparseState>().knows_shape) {
    ASSIGN_OR_RETURN(shape, ReadIntVector(c.input(4), "gradient_shape"));
    RETURN_IF_ERROR(PartialShape::Make(*shape).status());
  }
  return accumulator->Add(step, c.input(2), std::move(values), shape);
}

absl::StatusOr<Kernel> ApplySparseKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool knows_shape, node.Bool("has_known_shape"));
  return Kernel{.fn = &RunKernel<ApplySparse>, .state = std::make_shared<ApplySparseState>(knows_shape)};
}

class TakeState : public KernelState {
 public:
  explicit TakeState(DType dtype) : dtype(dtype) {}
  const DType dtype;
};

template <typename Kind>
absl::Status StartTake(KernelCall& c, const Done& done) {
  ASSIGN_OR_RETURN(RefPtr<Kind> accumulator, AccumulatorInput<Kind>(c, c.state<TakeState>().dtype));
  ASSIGN_OR_RETURN(const int64_t num_required, ReadIntScalar(c.input(1), "num_required"));
  if (num_required < 1) {
    return absl::InvalidArgumentError(absl::StrCat("num_required: expected a number >= 1, got ", num_required));
  }
  Kind* const taken = accumulator.get();
  taken->Take(c, num_required,
              [accumulator = std::move(accumulator), done](absl::Status status) { done(std::move(status)); });
  return absl::OkStatus();
}

template <typename Kind>
absl::StatusOr<Kernel> TakeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("dtype"));
  return Kernel{.async_fn =
                    [](KernelCall& c, Done done) {
                      if (absl::Status status = StartTake<Kind>(c, done); !status.ok()) done(std::move(status));
                    },
                .state = std::make_shared<TakeState>(dtype)};
}

absl::Status NumAccumulated(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Accumulator> accumulator, AccumulatorInput(c));
  const int64_t most = std::numeric_limits<int32_t>::max();
  c.output(0).SetScalar(static_cast<int32_t>(std::min(accumulator->num_accumulated(), most)));
  return absl::OkStatus();
}

absl::Status SetGlobalStep(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<Accumulator> accumulator, AccumulatorInput(c));
  ASSIGN_OR_RETURN(const int64_t step, ReadIntScalar(c.input(1), "new_global_step"));
  accumulator->SetStep(step);
  return absl::OkStatus();
}

// ---- Shapes

template <int... kScalars>
absl::Status WithScalars(ShapeContext& c) {
  for (const int i : {kScalars...}) RETURN_IF_ERROR(c.ExpectScalar(i));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterAccumulatorOps(OpLibrary& library) {
  const auto add = [&](const std::string& name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       bool waits = false) {
    OpDefinition definition = {.signature = TensorFlowSignature(name),
                               .doc = doc,
                               .shape = shape,
                               .kernel = std::move(kernel),
                               .may_wait = waits,
                               .gradient = gradients::None};
    if (definition.signature.find("dtype:") != definition.signature.npos) {
      definition.dtypes = kAccumulatorTypes;
      definition.type_attr = "dtype";
    }
    return library.Add(std::move(definition));
  };
  const ShapeFunction with_step = WithScalars<1>;
  for (const std::string kind : {"", "Resource"}) {
    RETURN_IF_ERROR(add(kind + "ConditionalAccumulator", "An accumulator of gradients", shapes::Unknown,
                        AccumulatorKernel<DenseAccumulator>));
    RETURN_IF_ERROR(add(kind + "AccumulatorApplyGradient", "Adds a gradient, unless it is of too early a step",
                        with_step, PlainKernel<ApplyDense>));
    RETURN_IF_ERROR(add(kind + "AccumulatorTakeGradient", "The average of gradients, once there are enough", with_step,
                        TakeKernel<DenseAccumulator>, true));
    RETURN_IF_ERROR(add(kind + "AccumulatorNumAccumulated", "How many gradients there are", shapes::Scalar,
                        PlainKernel<NumAccumulated>));
    RETURN_IF_ERROR(add(kind + "AccumulatorSetGlobalStep", "From which step on gradients count", with_step,
                        PlainKernel<SetGlobalStep>));
  }
  RETURN_IF_ERROR(add("SparseConditionalAccumulator", "An accumulator of rows of gradients", shapes::Unknown,
                      AccumulatorKernel<SparseAccumulator>));
  RETURN_IF_ERROR(add("SparseAccumulatorApplyGradient", "Adds rows of a gradient, unless it is of too early a step",
                      with_step, ApplySparseKernel));
  return add("SparseAccumulatorTakeGradient", "The average of rows of gradients, once there are enough", with_step,
             TakeKernel<SparseAccumulator>, true);
}

}  // namespace flowlatch
