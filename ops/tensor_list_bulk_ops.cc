// Lists from tensors and tensors from lists (tensor_list_ops.cc has the rest).
//   FromTensor: [n, ..] -> a list of n rows          Stack:  a list of n items [..] -> [n, ..]
//   Split: [sum of lengths, ..] -> pieces of lengths  Concat: a list of items [k, ..] -> [sum of k, ..] and the lengths
//   Scatter: [n, ..] -> a list with row i at indices[i]; of equal indices the last wins
//   Gather: indices [n] -> the items there, [n, ..]
// element_shape says what shape items have; items that nobody set become zeros, which takes a complete shape. Where it
// leaves something open, the items that are set say it. Every dtype.
#include "ops/tensor_list_bulk_ops.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
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

class BulkState : public KernelState {
 public:
  DType dtype = DType::kInvalid;  // of the items
  int64_t num_elements = -1;      // Stack: the size that the list must have; -1: any
  PartialShape element_shape;     // Concat, whose newer form has it as an input
};

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> BulkKernel(const NodeInfo& node) {
  auto state = std::make_shared<BulkState>();
  ASSIGN_OR_RETURN(state->dtype, node.Type("element_dtype"));
  if (node.schema().FindAttr("num_elements") != nullptr) {
    ASSIGN_OR_RETURN(state->num_elements, node.Int("num_elements"));
  }
  if (node.schema().FindAttr("element_shape") != nullptr) {
    ASSIGN_OR_RETURN(state->element_shape, node.AttrAs<PartialShape>("element_shape"));
  }
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

// ---- FromTensor, Stack

absl::StatusOr<PartialShape> RowShape(const Tensor& t) { return WithoutFirst(t.shape(), "tensor"); }

// The list that input `shape_input` describes, for rows of input 0. Errors: InvalidArgument when they do not fit.
absl::StatusOr<RefPtr<TensorList>> ListForRows(const KernelCall& c, int shape_input) {
  ASSIGN_OR_RETURN(const PartialShape rows, RowShape(c.input(0)));
  ASSIGN_OR_RETURN(PartialShape items, ReadElementShape(c.input(shape_input)));
  RefPtr<TensorList> list = MakeRef<TensorList>(c.input(0).dtype(), std::move(items));
  RETURN_IF_ERROR(list->CheckItem(c.input(0).dtype(), rows));
  return list;
}

absl::Status FromTensor(KernelCall& c) {
  const Tensor& tensor = c.input(0);
  ASSIGN_OR_RETURN(RefPtr<TensorList> list, ListForRows(c, 1));
  RETURN_IF_ERROR(list->Resize(tensor.dim(0)));
  for (int64_t i = 0; i < tensor.dim(0); ++i) RETURN_IF_ERROR(list->Set(i, RowAsItem(tensor, i)));
  SetListOutput(c, std::move(list));
  return absl::OkStatus();
}

absl::Status ListOfRowsShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape rows, WithoutFirst(c.input(0), "tensor"));
  const int shape_input = c.schema().name() == "TensorListFromTensor" ? 1 : 2;
  ASSIGN_OR_RETURN(PartialShape items, ElementShapeInput(c, shape_input));
  RETURN_IF_ERROR(items.MergeWith(rows).status());
  return SetList(c, std::move(items));
}

absl::Status Stack(KernelCall& c) {
  const BulkState& state = c.state<BulkState>();
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(c, 0, state.dtype));
  if (state.num_elements >= 0 && list->size() != state.num_elements) {
    return absl::InvalidArgumentError(
        absl::StrCat("list to stack: expected ", state.num_elements, " items, got ", list->size()));
  }
  ASSIGN_OR_RETURN(const PartialShape wanted, ReadElementShape(c.input(1)));
  ASSIGN_OR_RETURN(PartialShape known, ItemShape(*list, wanted));
  ASSIGN_OR_RETURN(const Shape shape, CommonItemShape(*list, std::move(known)));
  return StackItems(c, state.dtype, list->size(), shape, [list](int64_t i) -> const Tensor& { return (*list)[i]; });
}

absl::Status StackShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape items, ItemsAsExpected(c, 1));
  ASSIGN_OR_RETURN(const int64_t n, c.Int("num_elements"));
  ASSIGN_OR_RETURN(PartialShape stacked, PartialShape::Of({std::max<int64_t>(n, -1)}).Concatenate(items));
  c.SetOutput(0, std::move(stacked));
  return absl::OkStatus();
}

// ---- Split, Concat

absl::Status Split(KernelCall& c) {
  const Tensor& tensor = c.input(0);
  ASSIGN_OR_RETURN(const PartialShape rows, RowShape(tensor));
  ASSIGN_OR_RETURN(PartialShape items, ReadElementShape(c.input(1)));
  ASSIGN_OR_RETURN(const PartialShape item_rows, WithoutFirst(items, "element_shape"));
  if (!item_rows.CompatibleWith(rows)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor to split: expected rows of shape ", item_rows.ToString(), ", got ", rows.ToString()));
  }
  ASSIGN_OR_RETURN(const Dims lengths, ReadIntVector(c.input(2), "lengths"));
  RETURN_IF_ERROR(CheckLengths(lengths, tensor.dim(0)));
  RefPtr<TensorList> list = MakeRef<TensorList>(tensor.dtype(), std::move(items));
  RETURN_IF_ERROR(list->Resize(static_cast<int64_t>(lengths.size())));
  int64_t begin = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    ASSIGN_OR_RETURN(Tensor item, RowsAsItem(tensor, begin, lengths[i]));
    RETURN_IF_ERROR(list->Set(static_cast<int64_t>(i), std::move(item)));
    begin += lengths[i];
  }
  SetListOutput(c, std::move(list));
  return absl::OkStatus();
}

absl::Status SplitShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(2));
  ASSIGN_OR_RETURN(const PartialShape rows, WithoutFirst(c.input(0), "tensor"));
  ASSIGN_OR_RETURN(PartialShape items, ElementShapeInput(c, 1));
  ASSIGN_OR_RETURN(const PartialShape item_rows, WithoutFirst(items, "element_shape"));
  RETURN_IF_ERROR(item_rows.MergeWith(rows).status());
  return SetList(c, std::move(items));
}

// What Concat knows of items [first, rows..].
struct ConcatShapes {
  int64_t first = -1;
  PartialShape rows;
};

absl::Status MergeItem(const Tensor& item, int64_t i, ConcatShapes* shapes) {
  if (item.rank() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("item ", i, " to concatenate: expected rank >= 1, got a scalar"));
  }
  absl::StatusOr<PartialShape> merged = shapes->rows.MergeWith(PartialShape::FromValid(item.dims().subspan(1)));
  if (!merged.ok() || (shapes->first >= 0 && item.dim(0) != shapes->first)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "item ", i, " to concatenate: expected ", shapes->first < 0 ? "any number of" : absl::StrCat(shapes->first),
        " rows of shape ", shapes->rows.ToString(), ", got shape ", item.ShapeString()));
  }
  shapes->rows = *std::move(merged);
  return absl::OkStatus();
}

// The one first dimension of all items that are set, or -1.
int64_t CommonLength(const TensorList& list) {
  int64_t common = -1;
  for (int64_t i = 0; i < list.items().used(); ++i) {
    if (!list[i].has_value()) continue;
    if (common >= 0 && common != list[i].dim(0)) return -1;
    common = list[i].dim(0);
  }
  return common;
}

absl::StatusOr<ConcatShapes> ConcatShapesOf(const KernelCall& c, const TensorList& list) {
  PartialShape wanted = c.state<BulkState>().element_shape;
  if (c.num_inputs() > 1) {
    ASSIGN_OR_RETURN(wanted, ReadElementShape(c.input(1)));
  }
  ASSIGN_OR_RETURN(const PartialShape rows, WithoutFirst(wanted, "element_shape"));
  ConcatShapes shapes{.first = -1, .rows = rows};
  if (c.num_inputs() > 1) {  // the older form does not look at the first dimension
    ASSIGN_OR_RETURN(wanted, ItemShape(list, wanted));
    ASSIGN_OR_RETURN(shapes.rows, WithoutFirst(wanted, "element_shape"));
    if (wanted.has_rank()) shapes.first = wanted.dim(0);
  }
  for (int64_t i = 0; i < list.items().used(); ++i) {
    if (list[i].has_value()) RETURN_IF_ERROR(MergeItem(list[i], i, &shapes));
  }
  if (shapes.first < 0) shapes.first = CommonLength(list);
  return shapes;
}

// How many rows item i has: its own, else what leading_dims says, else what all others have.
absl::StatusOr<int64_t> LengthOf(const TensorList& list, int64_t i, const Dims& leading_dims, int64_t first) {
  if (list[i].has_value()) return list[i].dim(0);
  const int64_t length = i < static_cast<int64_t>(leading_dims.size()) ? leading_dims[i] : first;
  if (length >= 0) return length;
  return absl::InvalidArgumentError(absl::StrCat(
      "item ", i, " to concatenate: expected its length in leading_dims, since it was never set, got none"));
}

absl::Status Concat(KernelCall& c) {
  const BulkState& state = c.state<BulkState>();
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(c, 0, state.dtype));
  Dims leading_dims;
  if (c.num_inputs() > 2) {
    ASSIGN_OR_RETURN(leading_dims, ReadIntVector(c.input(2), "leading_dims"));
  }
  ASSIGN_OR_RETURN(const ConcatShapes shapes, ConcatShapesOf(c, *list));
  const std::optional<Shape> rows = shapes.rows.ToShape();
  if (!rows.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("list to concatenate: expected rows of a known shape, got ", shapes.rows.ToString()));
  }
  ASSIGN_OR_RETURN(Tensor * lengths, c.AllocateOutput(1, DType::kInt64, {list->size()}));
  int64_t total = 0;
  for (int64_t i = 0; i < list->size(); ++i) {
    ASSIGN_OR_RETURN(const int64_t length, LengthOf(*list, i, leading_dims, shapes.first));
    const std::optional<int64_t> sum = CheckedAdd(total, length);
    if (!sum.has_value()) return absl::InvalidArgumentError("sum of lengths: expected a number that fits int64");
    total = *sum;
    lengths->mutable_data<int64_t>()[i] = length;
  }
  ASSIGN_OR_RETURN(const Shape joined, WithFirst(total, rows->dims()));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, state.dtype, joined));
  int64_t begin = 0;
  for (int64_t i = 0; i < list->size(); ++i) {
    const int64_t count = lengths->data<int64_t>()[i] * rows->num_elements();  // no more than the output has
    PlaceItem((*list)[i], *output, begin, count);
    begin += count;
  }
  return absl::OkStatus();
}

absl::Status ConcatShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape items, ItemsOfInput(c));
  if (c.num_inputs() > 1) {
    ASSIGN_OR_RETURN(items, ItemsAsExpected(c, 1));
  } else {
    ASSIGN_OR_RETURN(const PartialShape declared, c.AttrAs<PartialShape>("element_shape"));
    ASSIGN_OR_RETURN(const PartialShape rows, WithoutFirst(declared, "element_shape"));
    ASSIGN_OR_RETURN(const PartialShape any_first, PartialShape::Of({-1}).Concatenate(rows));
    ASSIGN_OR_RETURN(items, items.MergeWith(any_first));
  }
  ASSIGN_OR_RETURN(const PartialShape rows, WithoutFirst(items, "element_shape"));
  ASSIGN_OR_RETURN(PartialShape joined, PartialShape::Of({-1}).Concatenate(rows));
  c.SetOutput(0, std::move(joined));
  c.SetOutput(1, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

// ---- Gather, Scatter

absl::Status Gather(KernelCall& c) {
  const BulkState& state = c.state<BulkState>();
  ASSIGN_OR_RETURN(const TensorList* list, ListInput(c, 0, state.dtype));
  const Tensor& indices = c.input(1);
  ASSIGN_OR_RETURN(const PartialShape wanted, ReadElementShape(c.input(2)));
  ASSIGN_OR_RETURN(PartialShape shape, ItemShape(*list, wanted));
  const auto item = [&](int64_t i) -> const Tensor& { return (*list)[indices.data<int32_t>()[i]]; };
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int32_t index = indices.data<int32_t>()[i];
    if (index < 0 || index >= list->size()) {
      return IndexOutOfRange("indices", i, indices.dims(), list->size(), index);
    }
    if (shape.fully_defined() || !item(i).has_value()) continue;
    ASSIGN_OR_RETURN(shape, shape.MergeWith(item(i).shape()));
  }
  const std::optional<Shape> complete = shape.ToShape();
  if (!complete.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("items to gather: expected a complete element_shape, got ", shape.ToString()));
  }
  return StackItems(c, state.dtype, indices.num_elements(), *complete, item);
}

absl::Status GatherShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape items, ItemsAsExpected(c, 2));
  const PartialShape& indices = c.input(1);
  ASSIGN_OR_RETURN(PartialShape gathered,
                   PartialShape::Of({indices.rank() == 1 ? indices.dim(0) : -1}).Concatenate(items));
  c.SetOutput(0, std::move(gathered));
  return absl::OkStatus();
}

// One past the largest of the indices, one for each row of `tensor`. limit: what they must be below; -1: anything.
absl::StatusOr<int64_t> CheckScatter(const Tensor& tensor, const Tensor& indices, int64_t limit) {
  if (tensor.rank() == 0 || tensor.dim(0) != indices.num_elements()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor for ", indices.num_elements(), " indices: expected a row for each, got shape ", tensor.ShapeString()));
  }
  const int64_t end = limit >= 0 ? limit : int64_t{std::numeric_limits<int32_t>::max()} + 1;
  int64_t size = 0;
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const int32_t index = indices.data<int32_t>()[i];
    if (index < 0 || index >= end) return IndexOutOfRange("indices", i, indices.dims(), end, index);
    size = std::max<int64_t>(size, int64_t{index} + 1);
  }
  return size;
}

absl::Status SetRows(TensorList& list, const Tensor& tensor, const Tensor& indices) {
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    RETURN_IF_ERROR(list.Set(indices.data<int32_t>()[i], RowAsItem(tensor, i)));
  }
  return absl::OkStatus();
}

absl::Status Scatter(KernelCall& c) {
  int64_t limit = -1;
  if (c.num_inputs() > 3) {
    ASSIGN_OR_RETURN(limit, ReadIntScalar(c.input(3), "num_elements"));
    if (limit < -1) return absl::InvalidArgumentError(absl::StrCat("num_elements: expected -1 or more, got ", limit));
  }
  ASSIGN_OR_RETURN(const int64_t size, CheckScatter(c.input(0), c.input(1), limit));
  ASSIGN_OR_RETURN(RefPtr<TensorList> list, ListForRows(c, 2));
  RETURN_IF_ERROR(list->Resize(limit >= 0 ? limit : size));
  RETURN_IF_ERROR(SetRows(*list, c.input(0), c.input(1)));
  SetListOutput(c, std::move(list));
  return absl::OkStatus();
}

absl::Status ScatterIntoExistingList(KernelCall& c) {
  const DType dtype = c.state<BulkState>().dtype;
  ASSIGN_OR_RETURN(TensorList * list, ListInput(c, 0, dtype));
  ASSIGN_OR_RETURN(const int64_t size, CheckScatter(c.input(1), c.input(2), -1));
  ASSIGN_OR_RETURN(const PartialShape rows, RowShape(c.input(1)));
  RETURN_IF_ERROR(list->CheckItem(c.input(1).dtype(), rows));
  ASSIGN_OR_RETURN(list, ForwardList(c, dtype));
  if (size > list->size()) RETURN_IF_ERROR(list->Resize(size));
  return SetRows(*list, c.input(1), c.input(2));
}

absl::Status ScatterIntoExistingListShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape rows, WithoutFirst(c.input(1), "tensor"));
  return SetListWith(c, rows);
}

// ---- Gradients: of a list, they are a list of the items' gradients

std::vector<AttrMap::Entry> ElementDType(DType dtype) { return {{"element_dtype", dtype}}; }

Output ElementShapeOfList(GradContext& c, const Output& list) {
  return c.Op("TensorListElementShape", {list}, {{"shape_type", DType::kInt32}});
}

absl::Status FromTensorGrad(GradContext& c) {
  const PartialShape& shape = c.input_shape(0);
  const int64_t count = shape.rank() > 0 ? shape.dim(0) : -1;
  c.Set(0, c.Op("TensorListStack", {c.grad(), RowShapeOfInput(c, 0)},
                {{"element_dtype", c.input_dtype(0)}, {"num_elements", count}}));
  return absl::OkStatus();
}

absl::Status StackGrad(GradContext& c) {
  const Output row = c.Op("StridedSlice", {ShapeOf(c, c.grad()), {1}, {0}, {1}}, {{"end_mask", 1}});
  c.Set(0, c.Op("TensorListFromTensor", {c.grad(), row}));
  return absl::OkStatus();
}

absl::Status ConcatGrad(GradContext& c) {
  c.Set(0, c.Op("TensorListSplit", {c.grad(), ElementShapeOfList(c, c.input(0)), c.output(1)}));
  return absl::OkStatus();
}

// The pieces' lengths differ.
absl::Status SplitGrad(GradContext& c) {
  const Output piece = c.Op("ConcatV2", {{-1}, RowShapeOfInput(c, 0), 0});
  c.Set(0, c.Op("TensorListConcatV2", {c.grad(), piece, c.input(2)}, ElementDType(c.input_dtype(0))));
  return absl::OkStatus();
}

absl::Status GatherGrad(GradContext& c) {
  const Output list = c.input(0);
  const Output zeros = c.Op("TensorListReserve", {ElementShapeOfList(c, list), c.Op("TensorListLength", {list})},
                            ElementDType(c.output_dtype(0)));
  c.Set(0, c.Op("TensorListScatterIntoExistingList", {zeros, c.grad(), c.input(1)}));
  return absl::OkStatus();
}

// The rows of input `tensor` that went to a list at the indices in input `indices`.
Output GatheredItems(GradContext& c, int tensor, int indices) {
  return c.Op("TensorListGather", {c.grad(), c.input(indices), RowShapeOfInput(c, tensor)},
              ElementDType(c.input_dtype(tensor)));
}

absl::Status ScatterGrad(GradContext& c) {
  c.Set(0, GatheredItems(c, 0, 1));
  return absl::OkStatus();
}

absl::Status ScatterIntoExistingListGrad(GradContext& c) {
  if (c.needs(1)) c.Set(1, GatheredItems(c, 1, 2));
  if (c.needs(0)) {
    c.Set(0, c.Op("TensorListScatterIntoExistingList", {c.grad(), ZerosLikeInput(c, 1), c.input(2)}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterTensorListBulkOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("TensorListFromTensor", "A list of the rows of tensor", ListOfRowsShape, BulkKernel<FromTensor>,
                      FromTensorGrad));
  RETURN_IF_ERROR(add("TensorListStack", "The items as rows of one tensor", StackShape, BulkKernel<Stack>, StackGrad));
  RETURN_IF_ERROR(add("TensorListSplit", "A list of pieces of tensor, cut along dimension 0", SplitShape,
                      BulkKernel<Split>, SplitGrad));
  RETURN_IF_ERROR(add("TensorListConcat", "The items one after another along dimension 0, and their lengths",
                      ConcatShape, BulkKernel<Concat>, ConcatGrad));
  RETURN_IF_ERROR(add("TensorListConcatV2", "The items one after another along dimension 0, and their lengths",
                      ConcatShape, BulkKernel<Concat>, ConcatGrad));
  RETURN_IF_ERROR(add("TensorListGather", "The items at indices as rows of one tensor", GatherShape, BulkKernel<Gather>,
                      GatherGrad));
  RETURN_IF_ERROR(add("TensorListScatter", "A list with the rows of tensor at indices", ListOfRowsShape,
                      BulkKernel<Scatter>, ScatterGrad));
  RETURN_IF_ERROR(add("TensorListScatterV2", "A list of num_elements items with the rows of tensor at indices",
                      ListOfRowsShape, BulkKernel<Scatter>, ScatterGrad));
  return add("TensorListScatterIntoExistingList", "The list with the rows of tensor at indices",
             ScatterIntoExistingListShape, BulkKernel<ScatterIntoExistingList>, ScatterIntoExistingListGrad);
}

}  // namespace flowlatch
