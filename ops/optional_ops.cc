// Values that may be missing: what a branch that was not taken hands to the gradient of the branch that was.
//   OptionalFromValue(components) -> a scalar variant; OptionalNone: one without components
//   OptionalHasValue; OptionalGetValue: the components, whose dtypes and shapes must be what the attrs say
//   FakeParam: a tensor that stands where one has to but nobody reads; zeros of attr shape, in which what is not known
//   is 0
#include "ops/optional_ops.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/optional_value.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

absl::StatusOr<const OptionalValue*> OptionalInput(const KernelCall& c) {
  const Tensor& t = c.input(0);
  if (!t.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("optional: expected a scalar, got shape ", t.ShapeString()));
  }
  const Variant& variant = t.scalar<Variant>();
  const OptionalValue* value = variant.As<OptionalValue>();
  if (value != nullptr) return value;
  return absl::InvalidArgumentError(
      absl::StrCat("optional: expected an Optional, got ", variant ? variant.get()->TypeName() : "none"));
}

void SetOptional(KernelCall& c, RefPtr<OptionalValue> value) {
  c.SetOutput(0, Tensor::Scalar(Variant(RefPtr<VariantObject>(std::move(value)))));
}

absl::Status FromValue(KernelCall& c) {
  std::vector<Tensor> components;
  components.reserve(c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i) components.push_back(c.TakeInput(i));
  ASSIGN_OR_RETURN(RefPtr<OptionalValue> value, OptionalValue::Of(std::move(components)));
  SetOptional(c, std::move(value));
  return absl::OkStatus();
}

absl::Status None(KernelCall& c) {
  SetOptional(c, MakeRef<OptionalValue>());
  return absl::OkStatus();
}

absl::Status HasValue(KernelCall& c) {
  ASSIGN_OR_RETURN(const OptionalValue* value, OptionalInput(c));
  c.output(0).SetScalar(value->has_value());
  return absl::OkStatus();
}

// ---- OptionalGetValue

class ExpectedComponents : public KernelState {
 public:
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
};

absl::Status GetValue(KernelCall& c) {
  const ExpectedComponents& want = c.state<ExpectedComponents>();
  ASSIGN_OR_RETURN(const OptionalValue* value, OptionalInput(c));
  if (!value->has_value()) return absl::InvalidArgumentError("optional: expected a value, got none");
  const std::vector<Tensor>& components = value->components();
  if (components.size() != want.dtypes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("optional: expected ", want.dtypes.size(), " components, got ", components.size()));
  }
  for (size_t i = 0; i < components.size(); ++i) {
    const Tensor& t = components[i];
    if (t.dtype() != want.dtypes[i] || !want.shapes[i].CompatibleWith(t.shape())) {
      return absl::InvalidArgumentError(absl::StrCat("component ", i, " of optional: expected ",
                                                     std::string(DTypeName(want.dtypes[i])), want.shapes[i].ToString(),
                                                     ", got ", std::string(DTypeName(t.dtype())), t.ShapeString()));
    }
  }
  for (size_t i = 0; i < components.size(); ++i) c.SetOutput(static_cast<int>(i), components[i]);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> GetValueKernel(const NodeInfo& node) {
  auto expected = std::make_shared<ExpectedComponents>();
  ASSIGN_OR_RETURN(expected->dtypes, node.AttrAs<std::vector<DType>>("output_types"));
  ASSIGN_OR_RETURN(expected->shapes, node.AttrAs<std::vector<PartialShape>>("output_shapes"));
  if (expected->dtypes.size() != expected->shapes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("attr 'output_shapes': expected ", expected->dtypes.size(),
                                                   " shapes, got ", expected->shapes.size()));
  }
  return Kernel{.fn = &RunKernel<GetValue>, .state = std::move(expected)};
}

absl::Status GetValueShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  ASSIGN_OR_RETURN(const std::vector<PartialShape> shapes, c.AttrAs<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("attr 'output_shapes': expected ", c.num_outputs(), " shapes, got ", shapes.size()));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, shapes[i]);
  return absl::OkStatus();
}

absl::Status HasValueShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  return shapes::Scalar(c);
}

// ---- FakeParam

class FakeValue : public KernelState {
 public:
  explicit FakeValue(Tensor t) : value(std::move(t)) {}
  const Tensor value;
};

absl::Status FakeParam(KernelCall& c) {
  c.output(0) = c.state<FakeValue>().value;
  return absl::OkStatus();
}

absl::StatusOr<Kernel> FakeParamKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(const PartialShape declared, node.AttrAs<PartialShape>("shape"));
  Dims dims(declared.dims().begin(), declared.dims().end());
  for (int64_t& dim : dims) dim = std::max<int64_t>(dim, 0);
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  ASSIGN_OR_RETURN(Tensor zeros, Tensor::Zeros(dtype, shape));
  return Kernel{.fn = &RunKernel<FakeParam>, .state = std::make_shared<FakeValue>(std::move(zeros))};
}

absl::Status FakeParamShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape shape, c.AttrAs<PartialShape>("shape"));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

// ---- Gradients: of an optional, they are an optional of the components' gradients

absl::Status FromValueGrad(GradContext& c) {
  std::vector<DType> dtypes;
  std::vector<PartialShape> shapes;
  for (int i = 0; i < c.num_inputs(); ++i) {
    dtypes.push_back(c.input_dtype(i));
    shapes.push_back(c.input_shape(i));
  }
  const Operation components =
      c.MultiOp("OptionalGetValue", {c.grad()}, {{"output_types", dtypes}, {"output_shapes", shapes}});
  for (int i = 0; i < c.num_inputs(); ++i) c.Set(i, components.output(i));
  return absl::OkStatus();
}

// A component that has no gradient has zeros in its place.
absl::Status GetValueGrad(GradContext& c) {
  std::vector<Input> grads;
  for (int i = 0; i < c.num_outputs(); ++i) {
    const Output grad = c.grad(i);
    grads.push_back(grad ? grad : c.Op("ZerosLike", {c.output(i)}));
  }
  c.Set(0, c.Op("OptionalFromValue", grads));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterOptionalOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("OptionalFromValue", "An optional with these components", shapes::Scalar, PlainKernel<FromValue>,
                      FromValueGrad));
  RETURN_IF_ERROR(
      add("OptionalNone", "An optional without a value", shapes::Scalar, PlainKernel<None>, gradients::None));
  RETURN_IF_ERROR(
      add("OptionalHasValue", "Whether there is a value", HasValueShape, PlainKernel<HasValue>, gradients::None));
  RETURN_IF_ERROR(
      add("OptionalGetValue", "The components; there must be a value", GetValueShape, GetValueKernel, GetValueGrad));
  return add("FakeParam", "Zeros that nobody reads, where a branch has no value to give", FakeParamShape,
             FakeParamKernel, gradients::None);
}

}  // namespace flowlatch
