// Tensor arrays (semantics.md, 9D): each belongs to the step that makes it, and its elements are written once.
//   Write, Read: one element
//   Scatter, Unpack: [n, ..] -> elements at indices, or all   Gather, Pack: the way back, [n, ..]
//   Split: [sum of lengths, ..] -> all elements                Concat: the way back, and the lengths
//   Grad: the array of the elements' gradients, one for each name `source`; what is written to it adds up
// There are three generations of each op, which differ only in their handles (step_handles.h). `flow` is a number
// without meaning that makes one op wait for another. Every dtype.
#include "ops/tensor_array_ops.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/items.h"
#include "ops/kernels/step_handles.h"
#include "ops/kernels/tensor_array.h"

namespace flowlatch {
namespace {

constexpr char kContainer[] = "tensor arrays";  // among the step's resources, for those that are found by name

class ArrayState : public KernelState {
 public:
  // What reads are to find: the dtype of the elements, and what is known of their shape (of their rows, for Concat).
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

class NewArrayState : public KernelState {
 public:
  TensorArray::Options options;
  HandleKind handle = HandleKind::kResource;
};

class GradState : public KernelState {
 public:
  std::string source;
  HandleKind handle = HandleKind::kResource;
};

absl::StatusOr<RefPtr<TensorArray>> FindArray(const KernelCall& c) {
  return FindStepResource<TensorArray>(c, kContainer);
}

// The array, whose elements are to have the dtype of the state.
absl::StatusOr<RefPtr<TensorArray>> FindArrayToRead(const KernelCall& c) {
  ASSIGN_OR_RETURN(RefPtr<TensorArray> array, FindArray(c));
  const DType dtype = c.state<ArrayState>().dtype;
  if (array->dtype() == dtype) return array;
  return absl::InvalidArgumentError(absl::StrCat("tensor array '", array->name(), "': expected one of ",
                                                 std::string(DTypeName(dtype)), ", got one of ",
                                                 std::string(DTypeName(array->dtype()))));
}

// ---- TensorArray, TensorArrayGrad, TensorArrayGradWithShape

// Sets the handle, and the flow where the op has one.
absl::Status SetArrayOutput(KernelCall& c, HandleKind kind, RefPtr<TensorArray> array) {
  if (c.num_outputs() > 1) c.output(1).SetScalar(0.0f);
  return SetHandleOutput(c, kind, kContainer, std::move(array));
}

absl::Status NewArray(KernelCall& c) {
  const NewArrayState& state = c.state<NewArrayState>();
  ASSIGN_OR_RETURN(const int64_t size, ReadIntScalar(c.input(0), "size"));
  TensorArray::Options options = state.options;
  options.name = UniqueName(options.name);
  ASSIGN_OR_RETURN(RefPtr<TensorArray> array, TensorArray::Make(std::move(options), size));
  return SetArrayOutput(c, state.handle, std::move(array));
}

absl::StatusOr<Kernel> NewArrayKernel(const NodeInfo& node) {
  auto state = std::make_shared<NewArrayState>();
  TensorArray::Options& options = state->options;
  ASSIGN_OR_RETURN(options.name, node.Str("tensor_array_name"));
  if (options.name.empty()) options.name = std::string(node.name());
  ASSIGN_OR_RETURN(options.dtype, node.Type("dtype"));
  ASSIGN_OR_RETURN(options.element_shape, node.AttrAs<PartialShape>("element_shape"));
  ASSIGN_OR_RETURN(options.dynamic_size, node.Bool("dynamic_size"));
  ASSIGN_OR_RETURN(options.clear_after_read, node.Bool("clear_after_read"));
  if (node.schema().FindAttr("identical_element_shapes") != nullptr) {
    ASSIGN_OR_RETURN(options.one_element_shape, node.Bool("identical_element_shapes"));
  }
  ASSIGN_OR_RETURN(state->handle, OutputHandleKind(node));
  return Kernel{.fn = &RunKernel<NewArray>, .state = std::move(state)};
}

absl::Status Grad(KernelCall& c) {
  const GradState& state = c.state<GradState>();
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArray(c));
  Dims prepended;
  if (c.num_inputs() > 2) {
    ASSIGN_OR_RETURN(prepended, ReadIntVector(c.input(2), "shape_to_prepend"));
  }
  ASSIGN_OR_RETURN(RefPtr<TensorArray> gradient, array->Gradient(state.source, prepended));
  return SetArrayOutput(c, state.handle, std::move(gradient));
}

absl::StatusOr<Kernel> GradKernel(const NodeInfo& node) {
  auto state = std::make_shared<GradState>();
  ASSIGN_OR_RETURN(state->source, node.Str("source"));
  ASSIGN_OR_RETURN(state->handle, OutputHandleKind(node));
  return Kernel{.fn = &RunKernel<Grad>, .state = std::move(state)};
}

// ---- One element, and no elements

void PassFlow(KernelCall& c) { c.output(0) = c.input(c.num_inputs() - 1); }

absl::Status Write(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArray(c));
  ASSIGN_OR_RETURN(const int64_t index, ReadIntScalar(c.input(1), "index"));
  RETURN_IF_ERROR(array->Write(index, c.TakeInput(2)));
  PassFlow(c);
  return absl::OkStatus();
}

absl::Status Read(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArrayToRead(c));
  ASSIGN_OR_RETURN(const int64_t index, ReadIntScalar(c.input(1), "index"));
  ASSIGN_OR_RETURN(c.output(0), array->Read(index));
  return absl::OkStatus();
}

absl::Status Size(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArray(c));
  ASSIGN_OR_RETURN(const int64_t size, array->Size());
  c.output(0).SetScalar(static_cast<int32_t>(size));  // sizes and indices are int32
  return absl::OkStatus();
}

absl::Status Close(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArray(c));
  array->Close();
  return absl::OkStatus();
}

// ---- Many elements to one tensor

// All elements, or those at `indices`.
absl::StatusOr<ItemArray<Tensor>> ReadElements(TensorArray& array, const Tensor* indices) {
  if (indices != nullptr && !indices->is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("indices: expected a vector, got shape ", indices->ShapeString()));
  }
  ASSIGN_OR_RETURN(const int64_t size, array.ConcatSize());
  const int64_t n = indices != nullptr ? indices->num_elements() : size;
  ItemArray<Tensor> elements;
  RETURN_IF_ERROR(elements.Resize(n));
  for (int64_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(elements.At(i), array.Read(indices != nullptr ? indices->data<int32_t>()[i] : i));
  }
  return elements;
}

// The shape of no elements, which somebody has to say.
absl::StatusOr<Shape> ShapeOfNone(const PartialShape& shape) {
  const std::optional<Shape> complete = shape.ToShape();
  if (complete.has_value()) return *complete;
  return absl::UnimplementedError(
      absl::StrCat("no elements of a tensor array: expected a complete shape for them, got ", shape.ToString()));
}

template <bool kAll>
absl::Status Gather(KernelCall& c) {
  const ArrayState& state = c.state<ArrayState>();
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArrayToRead(c));
  RETURN_IF_ERROR(array->MergeElementShape(state.shape));
  ASSIGN_OR_RETURN(const ItemArray<Tensor> elements, ReadElements(*array, kAll ? nullptr : &c.input(1)));
  ASSIGN_OR_RETURN(const Shape shape, elements.empty() ? ShapeOfNone(state.shape) : elements[0].shape());
  if (!state.shape.CompatibleWith(shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("element 0: expected shape ", state.shape.ToString(), ", got ", shape.ToString()));
  }
  return StackItems(c, state.dtype, elements.size(), shape, [&](int64_t i) -> const Tensor& { return elements[i]; });
}

// Elements [k, rows..] of shapes that fit `rows`. Errors: InvalidArgument.
absl::StatusOr<Shape> ShapeOfRows(const ItemArray<Tensor>& elements, const PartialShape& rows) {
  if (elements.empty()) return ShapeOfNone(rows);
  for (int64_t i = 0; i < elements.size(); ++i) {
    const absl::Span<const int64_t> first = elements[0].dims();
    const absl::Span<const int64_t> dims = elements[i].dims();
    if (dims.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("element ", i, " to concatenate: expected rank >= 1, got a scalar"));
    }
    if (dims.subspan(1) != first.subspan(1) || !rows.CompatibleWith(PartialShape::FromValid(dims.subspan(1)))) {
      return absl::InvalidArgumentError(absl::StrCat("element ", i, " to concatenate: expected rows of shape ",
                                                     i == 0 ? rows.ToString() : DimsToString(first.subspan(1)),
                                                     ", got ", DimsToString(dims.subspan(1))));
    }
  }
  return Shape::FromValid(elements[0].dims().subspan(1));
}

absl::Status Concat(KernelCall& c) {
  const ArrayState& state = c.state<ArrayState>();
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArrayToRead(c));
  ASSIGN_OR_RETURN(const ItemArray<Tensor> elements, ReadElements(*array, nullptr));
  ASSIGN_OR_RETURN(const Shape rows, ShapeOfRows(elements, state.shape));
  ASSIGN_OR_RETURN(Tensor * lengths, c.AllocateOutput(1, DType::kInt64, {elements.size()}));
  int64_t total = 0;
  for (int64_t i = 0; i < elements.size(); ++i) {
    lengths->mutable_data<int64_t>()[i] = elements[i].dim(0);
    const std::optional<int64_t> sum = CheckedAdd(total, elements[i].dim(0));
    if (!sum.has_value()) return absl::InvalidArgumentError("sum of lengths: expected a number that fits int64");
    total = *sum;
  }
  ASSIGN_OR_RETURN(const Shape joined, WithFirst(total, rows.dims()));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, state.dtype, joined));
  int64_t begin = 0;
  for (const Tensor& element : elements) {
    PlaceItem(element, *output, begin, element.num_elements());
    begin += element.num_elements();
  }
  return absl::OkStatus();
}

// ---- One tensor to many elements

absl::Status CheckRows(const Tensor& value) {
  if (value.rank() > 0) return absl::OkStatus();
  return absl::InvalidArgumentError("value: expected rank >= 1, got a scalar");
}

// The array can take elements [0, n), and has no others if it cannot grow.
absl::Status CheckSizeForAll(TensorArray& array, int64_t n) {
  ASSIGN_OR_RETURN(const int64_t size, array.Size());
  if (array.dynamic_size() ? n >= size : n == size) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("value for tensor array '", array.name(), "': expected ", size, " elements, got ", n));
}

absl::Status Scatter(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArray(c));
  const Tensor& indices = c.input(1);
  const Tensor& value = c.input(2);
  RETURN_IF_ERROR(CheckRows(value));
  if (!indices.is_vector() || indices.dim(0) != value.dim(0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("indices: expected shape [", value.dim(0), "], got ", indices.ShapeString()));
  }
  ASSIGN_OR_RETURN(const int64_t size, array->Size());
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int32_t index = indices.data<int32_t>()[i];
    if (index < 0 || (index >= size && !array->dynamic_size())) {
      return IndexOutOfRange("indices", i, indices.dims(), size, index);
    }
  }
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    RETURN_IF_ERROR(array->Write(indices.data<int32_t>()[i], RowAsItem(value, i)));
  }
  PassFlow(c);
  return absl::OkStatus();
}

absl::Status Unpack(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArray(c));
  const Tensor& value = c.input(1);
  RETURN_IF_ERROR(CheckRows(value));
  RETURN_IF_ERROR(CheckSizeForAll(*array, value.dim(0)));
  for (int64_t i = 0; i < value.dim(0); ++i) RETURN_IF_ERROR(array->Write(i, RowAsItem(value, i)));
  array->SetSplitSize(value.dim(0));
  PassFlow(c);
  return absl::OkStatus();
}

absl::Status Split(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<TensorArray> array, FindArray(c));
  const Tensor& value = c.input(1);
  RETURN_IF_ERROR(CheckRows(value));
  ASSIGN_OR_RETURN(const Dims lengths, ReadIntVector(c.input(2), "lengths"));
  RETURN_IF_ERROR(CheckLengths(lengths, value.dim(0)));
  const int64_t n = static_cast<int64_t>(lengths.size());
  RETURN_IF_ERROR(CheckSizeForAll(*array, n));
  int64_t begin = 0;
  for (int64_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(Tensor element, RowsAsItem(value, begin, lengths[i]));
    RETURN_IF_ERROR(array->Write(i, std::move(element)));
    begin += lengths[i];
  }
  array->SetSplitSize(n);
  PassFlow(c);
  return absl::OkStatus();
}

// ---- Choosing kernels

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> ReadKernel(const NodeInfo& node) {
  auto state = std::make_shared<ArrayState>();
  ASSIGN_OR_RETURN(state->dtype, node.Type("dtype"));
  for (const char* attr : {"element_shape", "element_shape_except0"}) {
    if (node.schema().FindAttr(attr) == nullptr) continue;
    ASSIGN_OR_RETURN(state->shape, node.AttrAs<PartialShape>(attr));
  }
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

// ---- Shapes. Graphs declare handles as vectors of two strings even where they are resources, so nothing is said of
// them.

// What is known of the elements; of any shape if nothing is.
PartialShape ElementsOfInput(const ShapeContext& c) {
  const HandleData* elements = c.input_handle(0);
  return elements != nullptr ? elements->shape : PartialShape();
}

absl::Status NewArrayShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  ASSIGN_OR_RETURN(const DType dtype, c.AttrAs<DType>("dtype"));
  ASSIGN_OR_RETURN(PartialShape shape, c.AttrAs<PartialShape>("element_shape"));
  c.SetOutputHandle(0, {dtype, std::move(shape)});
  if (c.num_outputs() > 1) c.SetOutput(1, Shape());
  return absl::OkStatus();
}

absl::Status GradShape(ShapeContext& c) {
  if (c.num_outputs() > 1) c.SetOutput(1, Shape());
  const HandleData* elements = c.input_handle(0);
  if (elements == nullptr) return absl::OkStatus();
  HandleData gradient = *elements;
  if (c.num_inputs() > 2) {
    ASSIGN_OR_RETURN(const PartialShape prepended, c.InputAsShape(2));
    ASSIGN_OR_RETURN(gradient.shape, prepended.Concatenate(elements->shape));
  }
  c.SetOutputHandle(0, std::move(gradient));
  return absl::OkStatus();
}

absl::Status WriteShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  RETURN_IF_ERROR(ElementsOfInput(c).MergeWith(c.input(2)).status());
  return shapes::Scalar(c);
}

absl::Status ReadShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  c.SetOutput(0, ElementsOfInput(c));
  return absl::OkStatus();
}

absl::Status GatherShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape declared, c.AttrAs<PartialShape>("element_shape"));
  ASSIGN_OR_RETURN(const PartialShape elements, ElementsOfInput(c).MergeWith(declared));
  int64_t n = -1;
  if (c.num_inputs() > 2) {  // handle, indices, flow
    ASSIGN_OR_RETURN(const PartialShape indices, c.WithRank(1, 1));
    n = indices.dim(0);
  }
  ASSIGN_OR_RETURN(PartialShape gathered, PartialShape::Of({n}).Concatenate(elements));
  c.SetOutput(0, std::move(gathered));
  return absl::OkStatus();
}

absl::Status ConcatShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape declared, c.AttrAs<PartialShape>("element_shape_except0"));
  ASSIGN_OR_RETURN(PartialShape joined, PartialShape::Of({-1}).Concatenate(declared));
  c.SetOutput(0, std::move(joined));
  c.SetOutput(1, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

// Input `value` holds rows that become elements.
template <int value>
absl::Status RowsShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape rows, WithoutFirst(c.input(value), "value"));
  RETURN_IF_ERROR(ElementsOfInput(c).MergeWith(rows).status());
  if (value == 2) RETURN_IF_ERROR(c.ExpectVector(1));
  return shapes::Scalar(c);
}

absl::Status SplitShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  RETURN_IF_ERROR(c.ExpectVector(2));
  return shapes::Scalar(c);
}

// ---- Gradients: what is written to an array of gradients is read back where the element was written. The flows put
// all in order: a gradient of a flow says that what it comes from has been done.

// "", "V2" or "V3".
std::string Generation(const GradContext& c) {
  const std::string& op = c.op();
  return op.ends_with("V2") || op.ends_with("V3") ? op.substr(op.size() - 2) : "";
}

struct GradArray {
  std::string generation;
  Output handle;
  Output flow;
};

// Every call of Gradients has arrays of its own.
GradArray ArrayOfGrads(GradContext& c, const Output& flow) {
  const std::string generation = Generation(c);
  const Operation array = c.MultiOp("TensorArrayGrad" + generation, {c.input(0), flow}, {{"source", c.scope()}});
  return {generation, array.output(), c.builder().WithDependencies({array}, flow)};
}

// The array of gradients of an op that writes: the element has been written by then.
GradArray AfterWrite(GradContext& c) {
  return ArrayOfGrads(c, c.builder().WithDependencies({Operation(c.output(0))}, c.grad()));
}

absl::Status WriteGrad(GradContext& c) {
  const GradArray array = AfterWrite(c);
  c.Set(2, c.Op("TensorArrayRead" + array.generation, {array.handle, c.input(1), array.flow},
                {{"dtype", c.input_dtype(2)}}));
  c.Set(3, array.flow);
  return absl::OkStatus();
}

absl::Status ScatterGrad(GradContext& c) {
  const GradArray array = AfterWrite(c);
  c.Set(2, c.Op("TensorArrayGather" + array.generation, {array.handle, c.input(1), array.flow},
                {{"dtype", c.input_dtype(2)}}));
  c.Set(3, array.flow);
  return absl::OkStatus();
}

absl::Status SplitGrad(GradContext& c) {
  const GradArray array = AfterWrite(c);
  c.Set(1, c.Op("TensorArrayConcat" + array.generation, {array.handle, array.flow}, {{"dtype", c.input_dtype(1)}}));
  c.Set(3, array.flow);
  return absl::OkStatus();
}

// Of Read and Gather.
template <const char* kWrite>
absl::Status ReadGrad(GradContext& c) {
  const GradArray array = ArrayOfGrads(c, c.input(2));
  c.Set(2, c.Op(kWrite + array.generation, {array.handle, c.input(1), c.grad(), array.flow}));
  return absl::OkStatus();
}
constexpr char kWrite[] = "TensorArrayWrite";
constexpr char kScatter[] = "TensorArrayScatter";

absl::Status ConcatGrad(GradContext& c) {
  const GradArray array = ArrayOfGrads(c, c.input(1));
  c.Set(1, c.Op("TensorArraySplit" + array.generation, {array.handle, c.grad(), c.output(1), array.flow}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterTensorArrayOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradient});
  };
  // All three generations.
  const auto add_all = [&](const std::string& name, std::string_view doc, ShapeFunction shape,
                           const KernelFactory& kernel, GradFunction gradient) -> absl::Status {
    for (const char* generation : {"", "V2", "V3"}) {
      RETURN_IF_ERROR(add(name + generation, doc, shape, kernel, gradient));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(add_all("TensorArray", "A new array of size elements that are not written yet", NewArrayShape,
                          NewArrayKernel, gradients::None));
  RETURN_IF_ERROR(add_all("TensorArrayGrad", "The array of the gradients of an array's elements", GradShape, GradKernel,
                          gradients::None));
  RETURN_IF_ERROR(add("TensorArrayGradWithShape",
                      "The array of the gradients of an array's elements, whose shapes get more dimensions in front",
                      GradShape, GradKernel, gradients::None));
  RETURN_IF_ERROR(add_all("TensorArrayWrite", "Writes an element", WriteShape, PlainKernel<Write>, WriteGrad));
  RETURN_IF_ERROR(add_all("TensorArrayRead", "An element", ReadShape, ReadKernel<Read>, ReadGrad<kWrite>));
  RETURN_IF_ERROR(add_all("TensorArrayGather", "The elements at indices as rows of one tensor", GatherShape,
                          ReadKernel<Gather<false>>, ReadGrad<kScatter>));
  RETURN_IF_ERROR(
      add("TensorArrayPack", "All elements as rows of one tensor", GatherShape, ReadKernel<Gather<true>>, nullptr));
  RETURN_IF_ERROR(add_all("TensorArrayScatter", "Writes the rows of value to the elements at indices", RowsShape<2>,
                          PlainKernel<Scatter>, ScatterGrad));
  RETURN_IF_ERROR(
      add("TensorArrayUnpack", "Writes the rows of value to all elements", RowsShape<1>, PlainKernel<Unpack>, nullptr));
  RETURN_IF_ERROR(add_all("TensorArrayConcat", "All elements one after another along dimension 0, and their lengths",
                          ConcatShape, ReadKernel<Concat>, ConcatGrad));
  RETURN_IF_ERROR(add_all("TensorArraySplit", "Writes pieces of value, cut along dimension 0, to all elements",
                          SplitShape, PlainKernel<Split>, SplitGrad));
  RETURN_IF_ERROR(
      add_all("TensorArraySize", "The number of elements", shapes::Scalar, PlainKernel<Size>, gradients::None));
  return add_all("TensorArrayClose", "Drops all elements; the array is of no use any more", shapes::NoOutputs,
                 PlainKernel<Close>, gradients::None);
}

}  // namespace flowlatch
