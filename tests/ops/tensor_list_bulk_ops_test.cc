#include "ops/tensor_list_bulk_ops.h"

#include "ops/tensor_list_ops.h"
#include "tests/ops/lists.h"

namespace flowlatch {
namespace {

using testing::ElementsAre;

class TensorListBulkOpsTest : public ListTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterTensorListOps(library_).ok());
    ASSERT_TRUE(RegisterTensorListBulkOps(library_).ok());
  }
  Tensor FromTensor(const Tensor& t) { return Get("TensorListFromTensor", {t, any_}, {{"element_dtype", t.dtype()}}); }
  Tensor Stack(const Tensor& list, const Tensor& shape) { return Get("TensorListStack", {list, shape}); }
  void ExpectConcat(const Results& got, const Tensor& want, const Tensor& lengths) {
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(Difference((*got)[0], want), "");
    EXPECT_EQ(Difference((*got)[1], lengths), "");
  }
  const AttrMap strings_ = {{"element_dtype", DType::kString}};
  const Tensor none_ = Ints({0}, {});
  const Tensor no_lengths_ = Longs({0}, {});
};

TEST_F(TensorListBulkOpsTest, TensorsToListsAndBack) {
  const Tensor x = Floats({2, 2}, {1, 2, 3, 4});
  const Tensor list = FromTensor(x);
  EXPECT_THAT(Items(list), ElementsAre("float32[2] = [1 2]", "float32[2] = [3 4]"));
  EXPECT_TRUE((*Value(list))[1].SharesBufferWith(x));
  EXPECT_EQ(Difference(Stack(list, any_), x), "");
  EXPECT_EQ(Difference(Stack(FromTensor(Floats({3}, {1, 2, 3})), none_), Floats({3}, {1, 2, 3})), "");
  EXPECT_EQ(Difference(Stack(FromTensor(Floats({2, 0}, {})), any_), Floats({2, 0}, {})), "");
  const Tensor text = Strings({2}, {"a", "a string that is not small"});
  EXPECT_EQ(Difference(Get("TensorListStack", {FromTensor(text), any_}, strings_), text), "");
  EXPECT_EQ(Difference(Get("TensorListStack", {FromTensor(Floats({0, 3}, {})), Ints({1}, {3})}), Floats({0, 3}, {})),
            "");
  EXPECT_EQ(Difference(Get("TensorListStack", {list, any_}, {{"num_elements", 2}}), x), "");
}

TEST_F(TensorListBulkOpsTest, UnsetItemsAreZeros) {
  const Tensor list = SetItem(Reserve(any_, 3), 1, Floats({2}, {1, 2}));
  EXPECT_EQ(Difference(Stack(list, any_), Floats({3, 2}, {0, 0, 1, 2, 0, 0})), "");
  EXPECT_EQ(Difference(Get("TensorListGather", {list, Ints({2}, {1, 0}), any_}), Floats({2, 2}, {1, 2, 0, 0})), "");
  EXPECT_EQ(Difference(Stack(Reserve(any_, 2), Ints({1}, {1})), Floats({2, 1}, {0, 0})), "");
  EXPECT_EQ(
      Difference(Get("TensorListStack", {Reserve(none_, 2, DType::kString), any_}, strings_), Strings({2}, {"", ""})),
      "");
  ExpectRunInvalid("TensorListStack", {Reserve(any_, 2), any_}, "expected a complete element_shape, got ?");
  ExpectRunInvalid("TensorListStack", {Empty(any_), any_}, "expected a complete element_shape, got ?");
}

TEST_F(TensorListBulkOpsTest, StackErrors) {
  const Tensor mixed = SetItem(SetItem(Reserve(any_, 2), 0, Floats({1}, {1})), 1, Floats({2}, {1, 2}));
  ExpectRunInvalid("TensorListStack", {mixed, any_}, "item 1 to stack: expected shape [1], got [2]");
  ExpectRunInvalid("TensorListStack", {mixed, Ints({1}, {2})}, "item 0 to stack: expected shape [2], got [1]");
  ExpectRunInvalid("TensorListStack", {mixed, any_}, "list to stack: expected 3 items, got 2", {{"num_elements", 3}});
  ExpectRunInvalid("TensorListStack", {Reserve(Ints({1}, {2}), 1), Ints({1}, {3})}, "expected [2], got [3]");
  ExpectRunInvalid("TensorListStack", {mixed, any_}, "expected items of string, got float32", strings_);
  ExpectRunInvalid("TensorListFromTensor", {Floats({}, {1}), any_}, "tensor: expected rank >= 1, got a scalar");
  ExpectRunInvalid("TensorListFromTensor", {Floats({1, 2}, {1, 2}), Ints({1}, {3})}, "expected shape [3], got [2]");
}

TEST_F(TensorListBulkOpsTest, Split) {
  const Tensor x = Floats({3}, {1, 2, 3});
  const auto split = [&](const Tensor& lengths) { return Run("TensorListSplit", {x, Ints({1}, {-1}), lengths}); };
  EXPECT_THAT(Items(split(Longs({3}, {1, 0, 2})).value()[0]),
              ElementsAre("float32[1] = [1]", "float32[0] = []", "float32[2] = [2 3]"));
  EXPECT_TRUE((*Value(split(Longs({1}, {3})).value()[0]))[0].SharesBufferWith(x));
  EXPECT_THAT(Items(Get("TensorListSplit", {Strings({2}, {"a", "b"}), any_, Longs({2}, {1, 1})}, strings_)),
              ElementsAre("string[1] = ['a']", "string[1] = ['b']"));
  ExpectInvalid(split(Longs({2}, {-1, 4})).status(), "lengths[0]: expected a value in [0,3], which are left");
  ExpectInvalid(split(Longs({2}, {2, std::numeric_limits<int64_t>::max()})).status(), "lengths[1]");
  ExpectInvalid(split(Longs({2}, {1, 1})).status(), "sum of lengths: expected 3, got 2");
  ExpectInvalid(split(Longs({1, 1}, {3})).status(), "lengths: expected a vector");
  ExpectRunInvalid("TensorListSplit", {Floats({}, {1}), any_, no_lengths_}, "tensor: expected rank >= 1");
  ExpectRunInvalid("TensorListSplit", {x, none_, no_lengths_}, "element_shape: expected rank >= 1, got a scalar");
  ExpectRunInvalid("TensorListSplit", {x, Ints({2}, {-1, 2}), no_lengths_}, "expected rows of shape [2], got []");
}

TEST_F(TensorListBulkOpsTest, Concat) {
  const Tensor list = PushBack(PushBack(Empty(any_), Floats({1, 2}, {1, 2})), Floats({2, 2}, {3, 4, 5, 6}));
  const Tensor want = Floats({3, 2}, {1, 2, 3, 4, 5, 6}), lengths = Longs({2}, {1, 2});
  const auto concat = [&](const Tensor& l, const Tensor& shape, const Tensor& leading) {
    return Run("TensorListConcatV2", {l, shape, leading});
  };
  ExpectConcat(concat(list, any_, no_lengths_), want, lengths);
  ExpectConcat(concat(list, Ints({2}, {-1, 2}), no_lengths_), want, lengths);
  ExpectConcat(Run("TensorListConcat", {list}), want, lengths);
  ExpectConcat(Run("TensorListConcat", {list}, {{"element_shape", PartialShape::Of({-1, 2})}}), want, lengths);
  ExpectConcat(concat(Empty(any_), Ints({2}, {-1, 2}), no_lengths_), Floats({0, 2}, {}), no_lengths_);
  // Items without a value have the length that leading_dims or the others say.
  const Tensor unset = SetItem(Reserve(any_, 3), 1, Floats({2}, {1, 2}));
  ExpectConcat(concat(unset, any_, no_lengths_), Floats({6}, {0, 0, 1, 2, 0, 0}), Longs({3}, {2, 2, 2}));
  ExpectConcat(concat(unset, any_, Longs({3}, {1, 9, 0})), Floats({3}, {0, 1, 2}), Longs({3}, {1, 2, 0}));
  ExpectConcat(concat(Reserve(any_, 2), Ints({1}, {2}), no_lengths_), Floats({4}, {0, 0, 0, 0}), Longs({2}, {2, 2}));
  const auto fails = [&](const Tensor& l, const Tensor& shape, const Tensor& leading, const char* text) {
    ExpectInvalid(concat(l, shape, leading).status(), text);
  };
  fails(Reserve(any_, 2), Ints({1}, {-1}), Longs({1}, {1}),
        "item 1 to concatenate: expected its length in leading_dims");
  fails(Reserve(any_, 1), Ints({1}, {-1}), Longs({1}, {-1}), "item 0 to concatenate: expected its length");
  fails(Reserve(any_, 2), Ints({1}, {-1}), Longs({2}, {int64_t{1} << 62, int64_t{1} << 62}), "fits int64");
  fails(Empty(any_), any_, no_lengths_, "expected rows of a known shape, got ?");
  fails(list, Ints({2}, {-1, 3}), no_lengths_, "item 0 to concatenate: expected any number of rows of shape [3]");
  fails(list, Ints({2}, {1, 2}), no_lengths_, "item 1 to concatenate: expected 1 rows of shape [2], got shape [2,2]");
  fails(list, none_, no_lengths_, "element_shape: expected rank >= 1, got a scalar");
  fails(PushBack(Empty(any_), Floats({}, {1})), any_, no_lengths_, "item 0 to concatenate: expected rank >= 1");
  fails(list, any_, Longs({1, 1}, {1}), "leading_dims: expected a vector");
  ExpectRunInvalid("TensorListConcat", {list}, "expected rank >= 1", {{"element_shape", PartialShape::Of({})}});
}

TEST_F(TensorListBulkOpsTest, ScatterAndGather) {
  const Tensor rows = Floats({3}, {1, 2, 3});
  const auto scatter = [&](const Tensor& indices, int32_t n) {
    return Run("TensorListScatterV2", {rows, indices, any_, Tensor::Scalar(n)});
  };
  EXPECT_THAT(Items(scatter(Ints({3}, {0, 3, 0}), -1).value()[0]),
              ElementsAre("float32[] = 3", "unset", "unset", "float32[] = 2"));
  EXPECT_THAT(Items(scatter(Ints({3}, {0, 1, 0}), 3).value()[0]),
              ElementsAre("float32[] = 3", "float32[] = 2", "unset"));
  const Tensor list = Get("TensorListScatter", {rows, Ints({3}, {2, 1, 0}), none_});
  EXPECT_EQ(Difference(Get("TensorListGather", {list, Ints({2}, {0, 2}), any_}), Floats({2}, {3, 1})), "");
  EXPECT_EQ(Difference(Get("TensorListGather", {list, none_, any_}), Floats({0}, {})), "");
  EXPECT_THAT(Items(Get("TensorListScatterIntoExistingList", {list, Floats({2}, {7, 8}), Ints({2}, {0, 3})})),
              ElementsAre("float32[] = 7", "float32[] = 2", "float32[] = 1", "float32[] = 8"));
  EXPECT_THAT(Items(list), ElementsAre("float32[] = 3", "float32[] = 2", "float32[] = 1"));

  ExpectInvalid(scatter(Ints({3}, {0, 1, 3}), 3).status(), "indices[2]: expected a value in [0,3), got 3");
  ExpectInvalid(scatter(Ints({3}, {0, -1, 2}), -1).status(), "indices[1]");
  ExpectInvalid(scatter(Ints({2}, {0, 1}), -1).status(), "expected a row for each, got shape [3]");
  ExpectInvalid(scatter(Ints({3}, {0, 1, 2}), -2).status(), "num_elements: expected -1 or more, got -2");
  ExpectRunInvalid("TensorListScatter", {rows, Ints({3}, {0, 1, 2}), Ints({1}, {1})}, "expected shape [1], got []");
  ExpectRunInvalid("TensorListScatterIntoExistingList", {list, Floats({1, 1}, {7}), Ints({1}, {0})},
                   "expected shape [], got [1]");
  ExpectRunInvalid("TensorListGather", {list, Ints({1}, {3}), any_}, "indices[0]: expected a value in [0,3), got 3");
  ExpectRunInvalid("TensorListGather", {list, Ints({1}, {-1}), any_}, "indices[0]");
  ExpectRunInvalid("TensorListGather", {Reserve(any_, 1), Ints({1}, {0}), any_}, "expected a complete element_shape");
}

TEST_F(TensorListBulkOpsTest, Shapes) {
  const PartialShape scalar = PartialShape::Of({}), unknown;
  const AttrMap attrs = {{"element_dtype", DType::kFloat32}, {"shape_type", DType::kInt32}};
  const HandleData held{DType::kFloat32, PartialShape::Of({-1, 3})};
  const Tensor shape = Ints({2}, {-1, 3});
  const auto shapes_of = [&](const char* op, std::vector<PartialShape> inputs, const AttrMap& a) {
    InferHandle(op, a, std::move(inputs), {}, {&held}).IgnoreError();
    return last_shapes_;
  };
  EXPECT_EQ(InferHandle("TensorListFromTensor", attrs, {PartialShape::Of({4, 2, 3}), PartialShape::Of({2})},
                        {nullptr, &shape}, {})
                ->shape,
            held.shape);
  ExpectInvalid(InferHandle("TensorListFromTensor", attrs, {PartialShape::Of({4, 2, 2}), PartialShape::Of({2})},
                            {nullptr, &shape}, {})
                    .status(),
                "expected to agree");
  ExpectInvalid(InferHandle("TensorListFromTensor", attrs, {scalar, scalar}, {}, {}).status(), "rank >= 1");
  EXPECT_EQ(InferHandle("TensorListScatterV2", attrs, {unknown, unknown, PartialShape::Of({2}), scalar},
                        {nullptr, nullptr, &shape}, {})
                ->shape,
            held.shape);
  EXPECT_EQ(InferHandle("TensorListSplit", attrs, {PartialShape::Of({7, 3}), PartialShape::Of({2}), unknown},
                        {nullptr, &shape}, {})
                ->shape,
            held.shape);
  EXPECT_EQ(InferHandle("TensorListScatterIntoExistingList", attrs, {scalar, unknown, unknown}, {}, {&held})->shape,
            held.shape);
  EXPECT_EQ(shapes_of("TensorListStack", {scalar, scalar}, attrs)[0], PartialShape::Of({-1, -1, 3}));
  EXPECT_EQ(shapes_of("TensorListStack", {scalar, scalar}, attrs.With("num_elements", 5))[0],
            PartialShape::Of({5, -1, 3}));
  EXPECT_EQ(shapes_of("TensorListGather", {scalar, PartialShape::Of({2}), scalar}, attrs)[0],
            PartialShape::Of({2, -1, 3}));
  EXPECT_EQ(shapes_of("TensorListConcat", {scalar}, attrs)[0], PartialShape::Of({-1, 3}));
  EXPECT_EQ(shapes_of("TensorListConcatV2", {scalar, scalar, unknown}, attrs)[0], PartialShape::Of({-1, 3}));
  EXPECT_EQ(last_shapes_[1], PartialShape::UnknownOfRank(1));
}

}  // namespace
}  // namespace flowlatch
