// Tensor lists, item by item. A list is a scalar variant with value semantics: every op makes a new list, in the memory
// of the old one when nobody else sees it, so that a loop that pushes or sets an item per iteration does so in constant
// time.
//   EmptyTensorList, TensorListReserve: lists of `element_dtype` whose items fit `element_shape`, a vector in which -1
//   is
//     any size, or the scalar -1 for any shape.
//   PushBack, PopBack, GetItem, SetItem, Resize, Length, ElementShape, ConcatLists
//   PushBackBatch: lists [n..] and a tensor [n, ..] -> lists [n..] with a row pushed to each.
// Items that nobody set (of Reserve, of Resize) read as zeros if their shape is known. Every dtype.
#include "ops/tensor_list_ops.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/items.h"
#include "ops/kernels/tensor_list.h"
#include "ops/kernels/tensor_list_shapes.h"

namespace flowlatch {
namespace {

using list_shapes::ElementShapeInput;
using list_shapes::ItemsAsExpected;
using list_shapes::ItemsOfInput;
using list_shapes::SetList;
using list_shapes::SetListWith;

class ListState : public KernelState {
 public:
  DType dtype = DType::kInvalid;  // of the items
  bool may_grow = false;          // SetItem beyond the end
};

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> ListKernel(const NodeInfo& node) {
  auto state = std::make_shared<ListState>();
  ASSIGN_OR_RETURN(state->dtype, node.Type("element_dtype"));
  if (node.schema().FindAttr("resize_if_index_out_of_bounds") != nullptr) {
    ASSIGN_OR_RETURN(state->may_grow, node.Bool("resize_if_index_out_of_bounds"));
  }
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

// ---- New lists

absl::StatusOr<int64_t> ReadSize(const Tensor& t, const char* what) {
  ASSIGN_OR_RETURN(const int64_t size, ReadIntScalar(t, what));
  if (size < 0) return absl::InvalidArgumentError(absl::StrCat(what, ": expected no negative number, got ", size));
  return size;
}

absl::Status EmptyList(KernelCall& c) {
  ASSIGN_OR_RETURN(PartialShape shape, ReadElementShape(c.input(0)));
  ASSIGN_OR_RETURN(const int64_t max_size, ReadIntScalar(c.input(1), "max_num_elements"));
  SetListOutput(c, MakeRef<TensorList>(c.state<ListState>().dtype, std::move(shape), max_size));
  return absl::OkStatus();
}

absl::Status Reserve(KernelCall& c) {
  ASSIGN_OR_RETURN(PartialShape shape, ReadElementShape(c.input(0)));
  ASSIGN_OR_RETURN(const int64_t size, ReadSize(c.input(1), "num_elements"));
  RefPtr<TensorList> list = MakeRef<TensorList>(c.state<ListState>().dtype, std::move(shape));
  RETURN_IF_ERROR(list->Resize(size));
  SetListOutput(c, std::move(list));
  return absl::OkStatus();
}

absl::Status NewListShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  ASSIGN_OR_RETURN(PartialShape items, ElementShapeInput(c, 0));
  return SetList(c, std::move(items));
}

// ---- PushBack, PushBackBatch, PopBack

absl::Status CheckPush(const TensorList& list, DType dtype, const PartialShape& shape) {
  RETURN_IF_ERROR(list.CheckItem(dtype, shape));
  if (list.max_size() < 0 || list.size() < list.max_size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("push to a list: expected fewer than its ", list.max_size(), " items, got a full one"));
}

absl::Status PushBack(KernelCall& c) {
  const DType dtype = c.state<ListState>().dtype;
  ASSIGN_OR_RETURN(TensorList * list, ListInput(c, 0, dtype));
  const Tensor& item = c.input(1);
  RETURN_IF_ERROR(CheckPush(*list, item.dtype(), item.shape()));
  ASSIGN_OR_RETURN(list, ForwardList(c, dtype));
  return list->Append(c.TakeInput(1));
}

absl::Status PushBackShape(ShapeContext& c) { return SetListWith(c, c.input(1)); }

absl::Status PushBackBatch(KernelCall& c) {
  const Tensor& handles = c.input(0);
  const Tensor& rows = c.input(1);
  const int64_t n = handles.num_elements();
  if (rows.rank() == 0 || rows.dim(0) != n) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor for ", n, " lists: expected a row for each, got shape ", rows.ShapeString()));
  }
  const PartialShape item_shape = PartialShape::FromValid(rows.dims().subspan(1));
  for (int64_t i = 0; i < n; ++i) {
    const TensorList* list = handles.data<Variant>()[i].As<TensorList>();
    if (list == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("input_handles", ElementName(i, handles.dims()), ": expected a tensor list, got another value"));
    }
    RETURN_IF_ERROR(CheckPush(*list, rows.dtype(), item_shape));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kVariant, handles.dims()));
  for (int64_t i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(RefPtr<TensorList> list, handles.data<Variant>()[i].As<TensorList>()->Copy());
    RETURN_IF_ERROR(list->Append(RowAsItem(rows, i)));
    output->mutable_data<Variant>()[i] = Variant(RefPtr<VariantObject>(std::move(list)));
  }
  return absl::OkStatus();
}

absl::Status PushBackBatchShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  c.SetOutput(0, c.input(0));
  if (const HandleData* items = c.input_handle(0)) c.SetOutputHandle(0, *items);
  return absl::OkStatus();
}

absl::Status PopBack(KernelCall& c) {
  const DType dtype = c.state<ListState>().dtype;
  ASSIGN_OR_RETURN(TensorList * list, ListInput(c, 0, dtype));
  if (list->size() == 0) return absl::InvalidArgumentError("pop from a list: expected an item, got an empty list");
  ASSIGN_OR_RETURN(Tensor zeros, list->operator[](list->size() - 1).has_value()
                                     ? absl::StatusOr<Tensor>(Tensor())
                                     : ItemOrZeros(*list, list->size() - 1, c.input(1)));
  ASSIGN_OR_RETURN(list, ForwardList(c, dtype));
  Tensor last = list->PopBack();
  c.SetOutput(1, last.has_value() ? std::move(last) : std::move(zeros));
  return absl::OkStatus();
}

absl::Status PopBackShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape items, ItemsOfInput(c));
  ASSIGN_OR_RETURN(PartialShape item, ItemsAsExpected(c, 1));
  c.SetOutput(1, std::move(item));
  return SetList(c, std::move(items));
}

// ---- GetItem, SetItem

absl::Status CheckIndex(int64_t index, int64_t size) {
  if (index >= 0 && index < size) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("index: expected a value in [0,", size, "), got ", index));
}

absl::Status GetItem(KernelCall& c) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(c, 0, c.state<ListState>().dtype));
  ASSIGN_OR_RETURN(const int64_t index, ReadIntScalar(c.input(1), "index"));
  RETURN_IF_ERROR(CheckIndex(index, list->size()));
  ASSIGN_OR_RETURN(c.output(0), ItemOrZeros(*list, index, c.input(2)));
  return absl::OkStatus();
}

absl::Status GetItemShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  ASSIGN_OR_RETURN(PartialShape item, ItemsAsExpected(c, 2));
  c.SetOutput(0, std::move(item));
  return absl::OkStatus();
}

absl::Status SetItem(KernelCall& c) {
  const ListState& state = c.state<ListState>();
  ASSIGN_OR_RETURN(TensorList * list, ListInput(c, 0, state.dtype));
  ASSIGN_OR_RETURN(const int64_t index, ReadIntScalar(c.input(1), "index"));
  const bool grows = state.may_grow && index >= list->size();
  if (!grows) RETURN_IF_ERROR(CheckIndex(index, list->size()));
  const Tensor& item = c.input(2);
  RETURN_IF_ERROR(list->CheckItem(item.dtype(), item.shape()));
  ASSIGN_OR_RETURN(list, ForwardList(c, state.dtype));
  if (grows) RETURN_IF_ERROR(list->Resize(index + 1));
  return list->Set(index, c.TakeInput(2));
}

absl::Status SetItemShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  return SetListWith(c, c.input(2));
}

// ---- Length, ElementShape, Resize, ConcatLists

absl::Status Length(KernelCall& c) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(c, 0, DType::kInvalid));
  if (list->size() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("length: expected a number that fits int32, got ", list->size()));
  }
  c.output(0).SetScalar(static_cast<int32_t>(list->size()));
  return absl::OkStatus();
}

template <typename T>
absl::Status ElementShape(KernelCall& c) {
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(c, 0, DType::kInvalid));
  const PartialShape& shape = list->shape();
  if (!shape.has_rank()) {
    c.output(0).SetScalar(T{-1});
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * dims, c.AllocateOutput(0, kDTypeOf<T>, {shape.rank()}));
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) > std::numeric_limits<T>::max()) {
      return absl::InvalidArgumentError(
          absl::StrCat("element_shape: expected dimensions that fit int32, got ", shape.ToString()));
    }
    dims->mutable_data<T>()[i] = static_cast<T>(shape.dim(i));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ElementShapeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const DType dtype, node.Type("shape_type"));
  return Kernel{.fn = dtype == DType::kInt32 ? &RunKernel<ElementShape<int32_t>> : &RunKernel<ElementShape<int64_t>>};
}

// A vector, or a scalar if the list takes items of any rank.
absl::Status ElementShapeShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  const HandleData* items = c.input_handle(0);
  if (items != nullptr && items->shape.has_rank()) c.SetOutput(0, Shape::Of({items->shape.rank()}));
  return absl::OkStatus();
}

absl::Status LengthShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  return shapes::Scalar(c);
}

absl::Status Resize(KernelCall& c) {
  ASSIGN_OR_RETURN(const int64_t size, ReadSize(c.input(1), "size"));
  ASSIGN_OR_RETURN(TensorList * list, ForwardList(c, DType::kInvalid));
  return list->Resize(size);
}

absl::Status ResizeShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  RETURN_IF_ERROR(c.ExpectScalar(1));
  return shapes::SameAsInput(c);
}

absl::StatusOr<RefPtr<TensorList>> Concatenated(const TensorList& a, const TensorList& b) {
  absl::StatusOr<PartialShape> shape = a.shape().MergeWith(b.shape());
  if (!shape.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("lists to concatenate: expected items of shape ",
                                                   a.shape().ToString(), ", got ", b.shape().ToString()));
  }
  RefPtr<TensorList> both = MakeRef<TensorList>(a.dtype(), *std::move(shape), a.max_size());
  RETURN_IF_ERROR(both->Resize(a.size() + b.size()));
  for (int64_t i = 0; i < a.items().used(); ++i) RETURN_IF_ERROR(both->Set(i, a[i]));
  for (int64_t i = 0; i < b.items().used(); ++i) RETURN_IF_ERROR(both->Set(a.size() + i, b[i]));
  return both;
}

absl::Status ConcatLists(KernelCall& c) {
  const Tensor& a = c.input(0);
  const Tensor& b = c.input(1);
  if (a.dims() != b.dims()) {
    return absl::InvalidArgumentError(
        absl::StrCat("input_b: expected the shape of input_a, ", a.ShapeString(), ", got ", b.ShapeString()));
  }
  const DType dtype = c.state<ListState>().dtype;
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kVariant, a.dims()));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    const TensorList* x = a.data<Variant>()[i].As<TensorList>();
    const TensorList* y = b.data<Variant>()[i].As<TensorList>();
    if (x == nullptr || y == nullptr || x->dtype() != dtype || y->dtype() != dtype) {
      return absl::InvalidArgumentError(absl::StrCat("inputs", ElementName(i, a.dims()), ": expected lists of ",
                                                     std::string(DTypeName(dtype)), ", got other values"));
    }
    ASSIGN_OR_RETURN(RefPtr<TensorList> both, Concatenated(*x, *y));
    output->mutable_data<Variant>()[i] = Variant(RefPtr<VariantObject>(std::move(both)));
  }
  return absl::OkStatus();
}

absl::Status ConcatListsShape(ShapeContext& c) {
  RETURN_IF_ERROR(shapes::MergeOfInputs(c));
  const HandleData* a = c.input_handle(0);
  const HandleData* b = c.input_handle(1);
  if (a == nullptr || b == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(PartialShape items, a->shape.MergeWith(b->shape));
  c.SetOutputHandle(0, {a->dtype, std::move(items)});
  return absl::OkStatus();
}

// ---- Gradients: of a list, they are a list of the items' gradients

std::vector<AttrMap::Entry> ElementDType(DType dtype) { return {{"element_dtype", dtype}}; }

Output ElementShapeOfList(GradContext& c, const Output& list) {
  return c.Op("TensorListElementShape", {list}, {{"shape_type", DType::kInt32}});
}

absl::Status PushBackGrad(GradContext& c) {
  const Operation pop = c.MultiOp("TensorListPopBack", {c.grad(), c.ShapeOfInput(1)}, ElementDType(c.input_dtype(1)));
  c.Set(0, pop.output(0));
  c.Set(1, pop.output(1));
  return absl::OkStatus();
}

absl::Status PopBackGrad(GradContext& c) {
  c.Set(0, c.Op("TensorListPushBack", {c.grad(0), c.grad(1)}));
  return absl::OkStatus();
}

absl::Status GetItemGrad(GradContext& c) {
  const Output list = c.input(0);
  const Output zeros = c.Op("TensorListReserve", {ElementShapeOfList(c, list), c.Op("TensorListLength", {list})},
                            ElementDType(c.output_dtype(0)));
  c.Set(0, c.Op("TensorListSetItem", {zeros, c.input(1), c.grad()}));
  return absl::OkStatus();
}

absl::Status SetItemGrad(GradContext& c) {
  if (c.needs(2)) {
    c.Set(2, c.Op("TensorListGetItem", {c.grad(), c.input(1), c.ShapeOfInput(2)}, ElementDType(c.input_dtype(2))));
  }
  if (!c.needs(0)) return absl::OkStatus();
  Output list = c.Op("TensorListSetItem", {c.grad(), c.input(1), ZerosLikeInput(c, 2)});
  if (c.Bool("resize_if_index_out_of_bounds")) {
    list = c.Op("TensorListResize", {list, c.Op("TensorListLength", {c.input(0)})});
  }
  c.Set(0, list);
  return absl::OkStatus();
}

absl::Status ResizeGrad(GradContext& c) {
  c.Set(0, c.Op("TensorListResize", {c.grad(), c.Op("TensorListLength", {c.input(0)})}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterTensorListOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("EmptyTensorList", "A list without items", NewListShape, ListKernel<EmptyList>, gradients::None));
  RETURN_IF_ERROR(add("TensorListReserve", "A list of num_elements items that are not set yet", NewListShape,
                      ListKernel<Reserve>, gradients::None));
  RETURN_IF_ERROR(
      add("TensorListPushBack", "The list with one more item", PushBackShape, ListKernel<PushBack>, PushBackGrad));
  RETURN_IF_ERROR(add("TensorListPushBackBatch", "The lists with a row of tensor pushed to each", PushBackBatchShape,
                      ListKernel<PushBackBatch>, gradients::None));
  RETURN_IF_ERROR(add("TensorListPopBack", "The list without its last item, and that item", PopBackShape,
                      ListKernel<PopBack>, PopBackGrad));
  RETURN_IF_ERROR(add("TensorListGetItem", "An item of the list", GetItemShape, ListKernel<GetItem>, GetItemGrad));
  RETURN_IF_ERROR(
      add("TensorListSetItem", "The list with another item at index", SetItemShape, ListKernel<SetItem>, SetItemGrad));
  RETURN_IF_ERROR(add("TensorListLength", "The number of items", LengthShape, PlainKernel<Length>, gradients::None));
  RETURN_IF_ERROR(add("TensorListElementShape", "What the list was told of the shapes of its items; -1 is any",
                      ElementShapeShape, ElementShapeKernel, gradients::None));
  RETURN_IF_ERROR(add("TensorListResize", "The list cut or filled up with unset items to size", ResizeShape,
                      PlainKernel<Resize>, ResizeGrad));
  return add("TensorListConcatLists", "The items of two lists in one", ConcatListsShape, ListKernel<ConcatLists>,
             gradients::None);
}

}  // namespace flowlatch
