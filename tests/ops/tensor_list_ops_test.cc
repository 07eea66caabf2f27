#include "ops/tensor_list_ops.h"

#include "graph/passes/infer_shapes.h"
#include "ops/basic_array_ops.h"
#include "ops/binary_math_ops.h"
#include "tests/ops/lists.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class TensorListOpsTest : public ListTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterTensorListOps(library_).ok());
    ASSERT_TRUE(RegisterBasicArrayOps(library_).ok());
    ASSERT_TRUE(RegisterBinaryMathOps(library_).ok());
  }
};

TEST_F(TensorListOpsTest, PushesAndPops) {
  Tensor list = Empty(Ints({1}, {2}));
  EXPECT_THAT(Items(list), IsEmpty());
  list = PushBack(PushBack(list, Floats({2}, {1, 2})), Floats({2}, {3, 4}));
  EXPECT_THAT(Items(list), ElementsAre("float32[2] = [1 2]", "float32[2] = [3 4]"));
  const Results popped = Run("TensorListPopBack", {list, Ints({1}, {2})});
  ASSERT_TRUE(popped.ok()) << popped.status();
  EXPECT_THAT(Items((*popped)[0]), ElementsAre("float32[2] = [1 2]"));
  EXPECT_EQ(Difference((*popped)[1], Floats({2}, {3, 4})), "");
  EXPECT_THAT(Items(list), testing::SizeIs(2));  // the old list is what it was
}

TEST_F(TensorListOpsTest, ChangesInPlaceOnlyWhatNobodyElseSees) {
  step_.set_forwards_inputs(true);
  Tensor list = Empty(any_);
  const TensorList* value = Value(list);
  for (int i = 0; i < 100; ++i) list = PushBack(std::move(list), Tensor::Scalar(static_cast<float>(i)));
  EXPECT_EQ(Value(list), value);
  list = SetItem(std::move(list), 7, Tensor::Scalar(-7.0f));
  EXPECT_EQ(Value(list), value);
  const Tensor old = list;
  list = SetItem(std::move(list), 7, Tensor::Scalar(0.5f));
  EXPECT_NE(Value(list), value);
  EXPECT_EQ((*Value(old))[7].scalar<float>(), -7);
  EXPECT_EQ((*Value(list))[7].scalar<float>(), 0.5f);
  EXPECT_EQ((*Value(list))[99].scalar<float>(), 99);
}

TEST_F(TensorListOpsTest, GetsAndSetsItems) {
  Tensor list = SetItem(Reserve(Ints({1}, {2}), 3), 1, Floats({2}, {1, 2}));
  EXPECT_THAT(Items(list), ElementsAre("unset", "float32[2] = [1 2]", "unset"));
  const Tensor shape = Ints({1}, {2});
  EXPECT_EQ(Difference(Get("TensorListGetItem", {list, Tensor::Scalar(1), shape}), Floats({2}, {1, 2})), "");
  EXPECT_EQ(Difference(Get("TensorListGetItem", {list, Tensor::Scalar(2), any_}), Floats({2}, {0, 0})), "");
  // A set item says what an unset one looks like, and whoever reads may say it.
  list = SetItem(Reserve(any_, 2), 0, Floats({1}, {5}));
  EXPECT_EQ(Difference(Get("TensorListGetItem", {list, Tensor::Scalar(1), any_}), Floats({1}, {0})), "");
  EXPECT_EQ(Difference(Get("TensorListGetItem", {Reserve(any_, 2), Tensor::Scalar(1), Longs({2}, {1, 2})},
                           {{"Tshape", DType::kInt64}}),
                       Floats({1, 2}, {0, 0})),
            "");
  EXPECT_THAT(Items(Get("TensorListSetItem", {list, Tensor::Scalar(3), Floats({}, {1})},
                        {{"resize_if_index_out_of_bounds", true}})),
              ElementsAre("float32[1] = [5]", "unset", "unset", "float32[] = 1"));
  const Results popped = Run("TensorListPopBack", {Reserve(shape, 1), any_});
  ASSERT_TRUE(popped.ok()) << popped.status();
  EXPECT_EQ(Difference((*popped)[1], Floats({2}, {0, 0})), "");
}

TEST_F(TensorListOpsTest, ItemsOfEveryKind) {
  const char* const text = "a string that is not small";
  Tensor strings = PushBack(Empty(any_, DType::kString), Tensor::Scalar(text));
  EXPECT_EQ(Get("TensorListGetItem", {strings, Tensor::Scalar(0), any_}, {{"element_dtype", DType::kString}})
                .scalar<String>(),
            String(text));
  EXPECT_EQ(Get("TensorListGetItem", {Reserve(Ints({0}, {}), 1, DType::kString), Tensor::Scalar(0), any_},
                {{"element_dtype", DType::kString}})
                .scalar<String>(),
            String());
  const Tensor lists = PushBack(Empty(Ints({0}, {}), DType::kVariant), strings);
  const Tensor inner = Get("TensorListGetItem", {lists, Tensor::Scalar(0), any_}, {{"element_dtype", DType::kVariant}});
  EXPECT_EQ(Value(inner), Value(strings));
}

TEST_F(TensorListOpsTest, ListsOfListsHaveAnEnd) {
  Tensor list = Empty(any_, DType::kVariant);
  for (int i = 1; i < kMaxVariantDepth; ++i) list = PushBack(Empty(any_, DType::kVariant), list);
  EXPECT_EQ(Value(list)->depth(), kMaxVariantDepth);
  ExpectRunInvalid("TensorListPushBack", {Empty(any_, DType::kVariant), list}, "expected at most 64 values inside",
                   {{"element_dtype", DType::kVariant}});
}

TEST_F(TensorListOpsTest, LengthElementShapeAndResize) {
  const Tensor list = SetItem(Reserve(Ints({2}, {-1, 2}), 3), 0, Floats({1, 2}, {1, 2}));
  EXPECT_EQ(Difference(Get("TensorListLength", {list}), Tensor::Scalar(3)), "");
  EXPECT_EQ(Difference(Get("TensorListElementShape", {list}), Ints({2}, {-1, 2})), "");
  EXPECT_EQ(Difference(Get("TensorListElementShape", {list}, {{"shape_type", DType::kInt64}}), Longs({2}, {-1, 2})),
            "");
  EXPECT_EQ(Difference(Get("TensorListElementShape", {Empty(any_)}), Tensor::Scalar(-1)), "");
  EXPECT_THAT(Items(Get("TensorListResize", {list, Tensor::Scalar(1)})), ElementsAre("float32[1,2] = [[1 2]]"));
  EXPECT_THAT(Items(Get("TensorListResize", {list, Tensor::Scalar(4)})),
              ElementsAre("float32[1,2] = [[1 2]]", "unset", "unset", "unset"));
  EXPECT_THAT(Items(Get("TensorListResize", {list, Tensor::Scalar(0)})), IsEmpty());
  EXPECT_EQ(Difference(Get("TensorListLength", {Reserve(any_, 100'000'000)}), Tensor::Scalar(100'000'000)), "");
}

TEST_F(TensorListOpsTest, ConcatenatesListsAndPushesBatches) {
  const Tensor one = PushBack(Empty(any_), Floats({}, {1}));
  const Tensor two = PushBack(Reserve(Ints({0}, {}), 1), Floats({}, {2}));
  EXPECT_THAT(Items(Get("TensorListConcatLists", {one, two})), ElementsAre("float32[] = 1", "unset", "float32[] = 2"));
  const Tensor lists = Of<Variant>({2}, {one.scalar<Variant>(), two.scalar<Variant>()});
  const Tensor pushed = Get("TensorListPushBackBatch", {lists, Floats({2}, {8, 9})});
  ASSERT_EQ(pushed.ShapeString(), "[2]");
  const auto item = [&](int64_t i) { return Items(Tensor::Scalar(pushed.data<Variant>()[i])); };
  EXPECT_THAT(item(0), ElementsAre("float32[] = 1", "float32[] = 8"));
  EXPECT_THAT(item(1), ElementsAre("unset", "float32[] = 2", "float32[] = 9"));
  EXPECT_THAT(Items(one), testing::SizeIs(1));
  ExpectRunInvalid("TensorListPushBackBatch", {lists, Floats({1}, {8})}, "expected a row for each, got shape [1]");
  ExpectRunInvalid("TensorListPushBackBatch", {lists, Floats({}, {8})}, "expected a row for each, got shape []");
  ExpectRunInvalid("TensorListPushBackBatch", {Of<Variant>({1}, {Variant()}), Floats({1}, {8})},
                   "input_handles[0]: expected a tensor list");
  ExpectRunInvalid("TensorListConcatLists", {one, lists}, "input_b: expected the shape of input_a, [], got [2]");
  ExpectRunInvalid("TensorListConcatLists", {two, Reserve(Ints({1}, {2}), 1)}, "expected items of shape [], got [2]");
  ExpectRunInvalid("TensorListConcatLists", {one, Empty(any_, DType::kInt32)}, "expected lists of float32");
}

TEST_F(TensorListOpsTest, ZerosAndSums) {
  const AttrMap variant = {{"T", DType::kVariant}};
  const Tensor list = SetItem(Reserve(any_, 2), 1, Floats({2}, {1, 2}));
  EXPECT_THAT(Items(Get("ZerosLike", {list}, variant)), ElementsAre("unset", "float32[2] = [0 0]"));
  const Tensor other = SetItem(SetItem(Reserve(any_, 2), 1, Floats({2}, {10, 20})), 0, Floats({}, {5}));
  const AttrMap add = {{"T", DType::kVariant}, {"N", 2}};
  EXPECT_THAT(Items(Get("AddN", {list, other}, add)), ElementsAre("float32[] = 5", "float32[2] = [11 22]"));
  EXPECT_THAT(Items(Get("AddN", {Reserve(any_, 1), Reserve(any_, 1)}, add)), ElementsAre("unset"));
  const Tensor outer = PushBack(Empty(any_, DType::kVariant), list);
  const Tensor sum = Get("AddN", {outer, outer}, add);
  ASSERT_EQ(Value(sum)->size(), 1);
  EXPECT_THAT(Items((*Value(sum))[0]), ElementsAre("unset", "float32[2] = [2 4]"));
  EXPECT_THAT(Items((*Value(Get("ZerosLike", {outer}, variant)))[0]), ElementsAre("unset", "float32[2] = [0 0]"));
  ExpectRunInvalid("AddN", {list, Reserve(any_, 3)}, "got a TensorList of 3", add);
  ExpectRunInvalid("AddN", {list, Tensor::Scalar(Variant())}, "variant: expected a value that has sums, got none", add);
  ExpectRunInvalid("AddN", {Reserve(Ints({1}, {2}), 0), Reserve(Ints({0}, {}), 0)}, "items of shape [2], got []", add);
  ExpectRunInvalid("AddN", {list, SetItem(Reserve(any_, 2), 1, Floats({1}, {1}))}, "float32[2], got float32[1]", add);
  const Tensor bools = PushBack(Empty(any_, DType::kBool), Tensor::Scalar(true));
  ExpectRunInvalid("AddN", {bools, bools}, "expected numbers, got bool", add);
  const Tensor handles = PushBack(Empty(any_, DType::kResource), Tensor::Scalar(ResourceHandle()));
  ExpectRunInvalid("ZerosLike", {handles}, "expected numbers, got resources", variant);
}

TEST_F(TensorListOpsTest, Errors) {
  const Tensor list = PushBack(Empty(Ints({1}, {2}), DType::kFloat32, 1), Floats({2}, {1, 2}));
  const Tensor one = Tensor::Scalar(1), item = Floats({2}, {1, 2});
  ExpectRunInvalid("EmptyTensorList", {Tensor::Scalar(3), one}, "element_shape: expected -1 or a vector, got 3");
  ExpectRunInvalid("EmptyTensorList", {Ints({1}, {-2}), one}, "-2");
  ExpectRunInvalid("EmptyTensorList", {Ints({1, 1}, {1}), one}, "element_shape: expected a vector");
  ExpectRunInvalid("EmptyTensorList", {any_, Ints({1}, {1})}, "max_num_elements: expected a scalar");
  ExpectRunInvalid("TensorListReserve", {any_, any_}, "num_elements: expected no negative number, got -1");
  ExpectRunInvalid("TensorListReserve", {any_, Ints({1}, {1})}, "num_elements: expected a scalar");
  ExpectRunInvalid("TensorListPushBack", {list, item}, "expected fewer than its 1 items, got a full one");
  ExpectRunInvalid("TensorListPushBack", {Empty(Ints({1}, {2})), Floats({}, {1})}, "expected shape [2], got []");
  ExpectRunInvalid("TensorListPushBack", {list, Ints({2}, {1, 2})}, "expected items of int32, got float32",
                   {{"element_dtype", DType::kInt32}});
  ExpectRunInvalid("TensorListPushBack", {Of<Variant>({1}, {Variant()}), item},
                   "list: expected a scalar, got shape [1]");
  ExpectRunInvalid("TensorListPushBack", {Tensor::Scalar(Variant()), item}, "list: expected a tensor list, got none");
  ExpectRunInvalid("TensorListPopBack", {Empty(any_), any_}, "expected an item, got an empty list");
  ExpectRunInvalid("TensorListPopBack", {Reserve(any_, 1), any_}, "expected a complete element_shape, got ?");
  ExpectRunInvalid("TensorListGetItem", {list, one, any_}, "index: expected a value in [0,1), got 1");
  ExpectRunInvalid("TensorListGetItem", {list, any_, any_}, "index: expected a value in [0,1), got -1");
  ExpectRunInvalid("TensorListGetItem", {list, Ints({1}, {0}), any_}, "index: expected a scalar");
  ExpectRunInvalid("TensorListGetItem", {Reserve(Ints({1}, {2}), 2), one, Ints({1}, {3})},
                   "element_shape: expected [2], got [3]");
  ExpectRunInvalid("TensorListSetItem", {list, one, item}, "index: expected a value in [0,1), got 1");
  ExpectRunInvalid("TensorListSetItem", {list, any_, item}, "got -1", {{"resize_if_index_out_of_bounds", true}});
  ExpectRunInvalid("TensorListSetItem", {list, Tensor::Scalar(0), Floats({1}, {1})}, "expected shape [2], got [1]");
  ExpectRunInvalid("TensorListResize", {list, any_}, "size: expected no negative number, got -1");
  ExpectRunInvalid("TensorListLength", {Tensor::Scalar(Variant())}, "expected a tensor list, got none");
}

TEST_F(TensorListOpsTest, ShapesCarryWhatListsHold) {
  const PartialShape scalar = PartialShape::Of({}), unknown;
  const AttrMap attrs = {{"element_dtype", DType::kFloat32}, {"shape_type", DType::kInt32}, {"Tshape", DType::kInt32}};
  const Tensor shape = Ints({2}, {-1, 3}), bad = Tensor::Scalar(3);
  const HandleData made =
      InferHandle("TensorListReserve", attrs, {PartialShape::Of({2}), scalar}, {&shape}, {}).value();
  EXPECT_EQ(made.dtype, DType::kFloat32);
  EXPECT_EQ(made.shape, PartialShape::Of({-1, 3}));
  EXPECT_EQ(last_shapes_[0], scalar);
  EXPECT_EQ(InferHandle("EmptyTensorList", attrs, {scalar, scalar}, {}, {})->shape, unknown);
  EXPECT_EQ(InferHandle("EmptyTensorList", attrs, {PartialShape::Of({2}), scalar}, {}, {})->shape,
            PartialShape::UnknownOfRank(2));
  ExpectInvalid(InferHandle("EmptyTensorList", attrs, {scalar, scalar}, {&bad}, {}).status(), "got 3");

  const PartialShape row = PartialShape::Of({4, 3}), other = PartialShape::Of({4, 4});
  EXPECT_EQ(InferHandle("TensorListPushBack", attrs, {scalar, row}, {}, {&made})->shape, made.shape);
  EXPECT_EQ(InferHandle("TensorListPushBack", attrs, {scalar, row}, {}, {})->shape, unknown);
  EXPECT_FALSE(InferHandle("TensorListPushBack", attrs, {scalar, other}, {}, {&made}).ok());
  EXPECT_EQ(InferHandle("TensorListSetItem", attrs, {scalar, scalar, row}, {}, {&made})->shape, made.shape);
  EXPECT_FALSE(InferHandle("TensorListSetItem", attrs, {scalar, scalar, other}, {}, {&made}).ok());
  EXPECT_EQ(InferHandle("TensorListPopBack", attrs, {scalar, scalar}, {}, {&made})->shape, made.shape);
  EXPECT_EQ(last_shapes_[1], made.shape);
  EXPECT_EQ(InferHandle("TensorListResize", attrs, {scalar, scalar}, {}, {&made})->shape, made.shape);
  EXPECT_EQ(InferHandle("TensorListConcatLists", attrs, {scalar, unknown}, {}, {&made, &made})->shape, made.shape);
  EXPECT_EQ(InferHandle("TensorListPushBackBatch", attrs, {unknown, row}, {}, {&made})->shape, made.shape);

  const Tensor wanted = Ints({2}, {5, -1});
  InferHandle("TensorListGetItem", attrs, {scalar, scalar, PartialShape::Of({2})}, {nullptr, nullptr, &wanted}, {&made})
      .IgnoreError();
  EXPECT_EQ(last_shapes_[0], PartialShape::Of({5, 3}));
  InferHandle("TensorListElementShape", attrs, {scalar}, {}, {&made}).IgnoreError();
  EXPECT_EQ(last_shapes_[0], PartialShape::Of({2}));
  EXPECT_EQ(InferShapes(library_, "TensorListLength", {}, {unknown}).value()[0], scalar);
  ExpectInvalid(InferShapes(library_, "TensorListLength", {}, {PartialShape::Of({1})}).status(), "expected rank 0");
  const AttrMap ints = attrs.With("element_dtype", DType::kInt32);
  ExpectInvalid(InferHandle("TensorListPushBack", ints, {scalar, row}, {}, {&made}).status(),
                "expected items of int32, got float32");
}

TEST_F(TensorListOpsTest, ShapesOfItemsPassThroughAGraph) {
  TestGraph g(library_.registry());
  const AttrMap attrs = {{"element_dtype", DType::kFloat32}, {"shape_type", DType::kInt32}};
  const auto constant = [](Tensor value) { return AttrMap{{"dtype", value.dtype()}, {"value", value}}; };
  g.Add("shape", "Const", {}, constant(Ints({2}, {-1, 3}))).Add("n", "Const", {}, constant(Tensor::Scalar(4)));
  g.Add("any", "Const", {}, constant(any_));
  g.Add("list", "TensorListReserve", {"shape", "n"}, attrs);
  g.Add("same", "Identity", {"list"}, {{"T", DType::kVariant}});
  g.Add("resized", "TensorListResize", {"same", "n"});
  g.Add("item", "TensorListGetItem", {"resized", "n", "any"}, attrs.With("Tshape", DType::kInt32));
  const absl::StatusOr<Graph> graph = g.Build();
  ASSERT_TRUE(graph.ok()) << graph.status();
  const absl::StatusOr<ShapeTable> shapes = InferShapes(*graph);
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ((*shapes)[graph->FindNode("item").value()][0], PartialShape::Of({-1, 3}));
}

}  // namespace
}  // namespace flowlatch
