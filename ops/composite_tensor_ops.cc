// Ragged, sparse and other tensors that consist of several, in one scalar variant.
//   CompositeTensorVariantFromComponents(components) -> encoded
//   CompositeTensorVariantToComponents(encoded) -> components; their number, dtypes and class must be as attrs say
// Attr metadata is an encoded message (1: TypeSpecProto); of it, only the class of the type matters here.
#include "ops/composite_tensor_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/ir/wire_reader.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/numeric_variant.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// The number of the class (TypeSpecProto.type_spec_class) in `metadata`; 0 if it does not say.
// Errors: InvalidArgument for bytes that are no message.
absl::StatusOr<uint64_t> ClassOf(std::string_view metadata) {
  const auto error = absl::InvalidArgumentError("metadata: expected an encoded message, got other bytes");
  uint64_t number = 0;
  WireReader outer(metadata);
  while (outer.NextField()) {
    if (!outer.IsBytes(1)) continue;
    WireReader type_spec(outer.bytes());
    while (type_spec.NextField()) {
      if (type_spec.IsVarint(1)) number = type_spec.varint();
    }
    if (!type_spec.ok()) return error;
  }
  if (!outer.ok()) return error;
  return number;
}

// Immutable.
class CompositeValue final : public NumericVariant {
 public:
  // Errors: InvalidArgument when values would be too deep inside each other.
  static absl::StatusOr<RefPtr<CompositeValue>> Of(uint64_t class_number, std::vector<Tensor> components) {
    int depth = 1;
    for (const Tensor& t : components) {
      ASSIGN_OR_RETURN(const int with_part, DepthWithPart(t));
      depth = std::max(depth, with_part);
    }
    return RefPtr<CompositeValue>::Adopt(new CompositeValue(class_number, std::move(components), depth));
  }
  uint64_t class_number() const { return class_number_; }
  const std::vector<Tensor>& components() const { return components_; }

  std::string TypeName() const override { return "CompositeTensorVariant"; }
  absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const override {
    std::vector<Tensor> zeros;
    for (const Tensor& t : components_) {
      ASSIGN_OR_RETURN(Tensor zero, ZerosLikeTensor(t));
      zeros.push_back(std::move(zero));
    }
    return Made(std::move(zeros));
  }
  absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject& other) const override {
    const auto* value = dynamic_cast<const CompositeValue*>(&other);
    if (value == nullptr || value->components_.size() != components_.size()) {
      return absl::InvalidArgumentError(absl::StrCat("sum of composite tensors: expected ", components_.size(),
                                                     " components, got a ", other.DebugString()));
    }
    std::vector<Tensor> sums = components_;
    for (size_t i = 0; i < sums.size(); ++i) RETURN_IF_ERROR(AddInto(sums[i], value->components_[i]));
    return Made(std::move(sums));
  }
  int depth() const override { return depth_; }

 private:
  CompositeValue(uint64_t class_number, std::vector<Tensor> components, int depth)
      : class_number_(class_number), components_(std::move(components)), depth_(depth) {}
  absl::StatusOr<RefPtr<VariantObject>> Made(std::vector<Tensor> components) const {
    ASSIGN_OR_RETURN(RefPtr<CompositeValue> made, Of(class_number_, std::move(components)));
    return RefPtr<VariantObject>(std::move(made));
  }

  const uint64_t class_number_;
  const std::vector<Tensor> components_;
  const int depth_;
};

class CompositeState : public KernelState {
 public:
  uint64_t class_number = 0;
  std::vector<DType> components;  // of ToComponents
};

absl::Status FromComponents(KernelCall& c) {
  std::vector<Tensor> components;
  components.reserve(c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i) components.push_back(c.TakeInput(i));
  ASSIGN_OR_RETURN(RefPtr<CompositeValue> value,
                   CompositeValue::Of(c.state<CompositeState>().class_number, std::move(components)));
  c.SetOutput(0, Tensor::Scalar(Variant(RefPtr<VariantObject>(std::move(value)))));
  return absl::OkStatus();
}

absl::Status ToComponents(KernelCall& c) {
  const CompositeState& want = c.state<CompositeState>();
  const Tensor& encoded = c.input(0);
  const CompositeValue* value = encoded.is_scalar() ? encoded.scalar<Variant>().As<CompositeValue>() : nullptr;
  if (value == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("encoded: expected a scalar composite tensor, got ", encoded.DebugString()));
  }
  if (value->class_number() != want.class_number) {
    return absl::InvalidArgumentError(absl::StrCat("encoded: expected a tensor of class ", want.class_number,
                                                   " (of TypeSpecProto), got one of class ", value->class_number()));
  }
  const std::vector<Tensor>& components = value->components();
  if (components.size() != want.components.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("encoded: expected ", want.components.size(), " components, got ", components.size()));
  }
  for (size_t i = 0; i < components.size(); ++i) {
    if (components[i].dtype() != want.components[i]) {
      return absl::InvalidArgumentError(absl::StrCat("component ", i, " of encoded: expected ",
                                                     std::string(DTypeName(want.components[i])), ", got ",
                                                     std::string(DTypeName(components[i].dtype()))));
    }
  }
  for (size_t i = 0; i < components.size(); ++i) c.SetOutput(static_cast<int>(i), components[i]);
  return absl::OkStatus();
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> CompositeKernel(const NodeInfo& node) {
  auto state = std::make_shared<CompositeState>();
  ASSIGN_OR_RETURN(const std::string metadata, node.Str("metadata"));
  ASSIGN_OR_RETURN(state->class_number, ClassOf(metadata));
  for (int i = 0; i < node.num_outputs(); ++i) state->components.push_back(node.output_dtype(i));
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

absl::Status ToComponentsShape(ShapeContext& c) { return c.ExpectScalar(0); }

// ---- Gradients: of a composite tensor, they are one with the gradients of its components

absl::Status FromComponentsGrad(GradContext& c) {
  const Operation components =
      c.MultiOp("CompositeTensorVariantToComponents", {c.grad()}, c.CopyAttrs({"metadata", "Tcomponents"}));
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!IsInteger(c.input_dtype(i))) c.Set(i, components.output(i));
  }
  return absl::OkStatus();
}

absl::Status ToComponentsGrad(GradContext& c) {
  std::vector<Input> grads;
  for (int i = 0; i < c.num_outputs(); ++i) {
    grads.push_back(IsInteger(c.output_dtype(i)) ? c.Op("ZerosLike", {c.output(i)}) : c.grad(i));
  }
  c.Set(0, c.Op("CompositeTensorVariantFromComponents", grads, c.CopyAttrs({"metadata", "Tcomponents"})));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterCompositeTensorOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = TensorFlowSignature("CompositeTensorVariantFromComponents"),
      .doc = "The components of a composite tensor in one variant",
      .shape = shapes::Scalar,
      .kernel = CompositeKernel<FromComponents>,
      .gradient = FromComponentsGrad,
  }));
  return library.Add({
      .signature = TensorFlowSignature("CompositeTensorVariantToComponents"),
      .doc = "The components that a variant holds",
      .shape = ToComponentsShape,
      .kernel = CompositeKernel<ToComponents>,
      .gradient = ToComponentsGrad,
  });
}

}  // namespace flowlatch
