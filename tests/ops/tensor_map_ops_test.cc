#include "ops/tensor_map_ops.h"

#include "graph/build/gradients.h"
#include "ops/kernels/tensor_map.h"
#include "tests/ops/tensors.h"
#include "tests/testing/built_graph.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using Results = absl::StatusOr<std::vector<Tensor>>;

class TensorMapOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterTensorMapOps(library_).ok()); }
  Tensor Empty() { return step_.Run("EmptyTensorMap", {}, {}).value()[0]; }
  Tensor Insert(Tensor map, const Tensor& key, const Tensor& value) {
    std::vector<Tensor> inputs;
    inputs.push_back(std::move(map));  // an initializer list would hold it, too
    inputs.push_back(key);
    inputs.push_back(value);
    Results out =
        step_.Run("TensorMapInsert", {{"key_dtype", key.dtype()}, {"value_dtype", value.dtype()}}, std::move(inputs));
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? std::move((*out)[0]) : Tensor();
  }
  Results Lookup(const Tensor& map, const Tensor& key, DType dtype = DType::kFloat32) {
    return step_.Run("TensorMapLookup", {{"key_dtype", key.dtype()}, {"value_dtype", dtype}}, {map, key});
  }
  Results Erase(const Tensor& map, const Tensor& key) {
    return step_.Run("TensorMapErase", {{"key_dtype", key.dtype()}, {"value_dtype", DType::kFloat32}}, {map, key});
  }
  bool HasKey(const Tensor& map, const Tensor& key) {
    return step_.Run("TensorMapHasKey", {{"key_dtype", key.dtype()}}, {map, key}).value()[0].scalar<bool>();
  }
  Results Size(const Tensor& map) { return step_.Run("TensorMapSize", {}, {map}); }
  Results Keys(const Tensor& map, DType dtype) {
    return step_.Run("TensorMapStackKeys", {{"key_dtype", dtype}}, {map});
  }
  static const TensorMap* Value(const Tensor& map) { return map.scalar<Variant>().As<TensorMap>(); }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

TEST_F(TensorMapOpsTest, InsertsFindsAndErases) {
  const Tensor empty = Empty();
  const Tensor one = Insert(empty, Floats({}, {1}), Floats({2}, {11, 22}));
  const Tensor two = Insert(one, Strings({2}, {"a", "b"}), Floats({}, {3}));
  const Tensor other = Insert(two, Floats({}, {1}), Floats({}, {5}));
  EXPECT_EQ(Size(empty).value()[0].scalar<int32_t>(), 0);
  EXPECT_EQ(Size(one).value()[0].scalar<int32_t>(), 1);
  EXPECT_EQ(Size(other).value()[0].scalar<int32_t>(), 2);
  EXPECT_EQ(Difference(Lookup(one, Floats({}, {1})).value()[0], Floats({2}, {11, 22})), "");
  EXPECT_EQ(Difference(Lookup(other, Floats({}, {1})).value()[0], Floats({}, {5})), "");
  EXPECT_TRUE(HasKey(two, Strings({2}, {"a", "b"})));
  // Keys differ by dtype, shape and elements.
  EXPECT_FALSE(HasKey(two, Strings({1, 2}, {"a", "b"})));
  EXPECT_FALSE(HasKey(two, Strings({2}, {"a", "c"})));
  EXPECT_FALSE(HasKey(two, Ints({}, {1})));
  const Results erased = Erase(two, Strings({2}, {"a", "b"}));
  ASSERT_TRUE(erased.ok()) << erased.status();
  EXPECT_EQ(Size((*erased)[0]).value()[0].scalar<int32_t>(), 1);
  EXPECT_EQ(Size(two).value()[0].scalar<int32_t>(), 2);  // the old map is what it was
}

TEST_F(TensorMapOpsTest, ChangesInPlaceOnlyWhatNobodyElseSees) {
  step_.set_forwards_inputs(true);
  Tensor map = Empty();
  const TensorMap* value = Value(map);
  for (int i = 0; i < 50; ++i) map = Insert(std::move(map), Tensor::Scalar(i), Tensor::Scalar(i));
  EXPECT_EQ(Value(map), value);
  const Tensor old = map;
  map = Insert(std::move(map), Tensor::Scalar(7), Tensor::Scalar(-7));
  EXPECT_NE(Value(map), value);
  EXPECT_EQ(Value(old)->Find(Tensor::Scalar(7))->scalar<int32_t>(), 7);
  EXPECT_EQ(Value(map)->Find(Tensor::Scalar(7))->scalar<int32_t>(), -7);
}

TEST_F(TensorMapOpsTest, StacksKeys) {
  Tensor map = Insert(Insert(Empty(), Ints({2}, {3, 4}), Floats({}, {1})), Ints({2}, {1, 2}), Floats({}, {1}));
  EXPECT_EQ(Difference(Keys(map, DType::kInt32).value()[0], Ints({2, 2}, {1, 2, 3, 4})), "");
  ExpectInvalid(Keys(map, DType::kInt64).status(), "key of a map: expected int64, got int32");
  ExpectInvalid(Keys(Insert(map, Ints({}, {1}), Floats({}, {1})), DType::kInt32).status(),
                "expected shape [], got [2]");
  ExpectInvalid(Keys(Empty(), DType::kInt32).status(), "expected keys to stack, got an empty map");
}

TEST_F(TensorMapOpsTest, Errors) {
  const Tensor key = Floats({}, {1}), map = Insert(Empty(), key, Floats({}, {2}));
  ExpectInvalid(Lookup(map, Floats({}, {2})).status(), "key: expected one that the map has, got float32[] = 2");
  ExpectInvalid(Lookup(map, key, DType::kInt32).status(), "value of a map: expected int32, got float32");
  ExpectInvalid(Erase(Empty(), key).status(), "key: expected one that the map has");
  ExpectInvalid(Size(Tensor::Scalar(Variant())).status(), "map: expected a tensor map, got none");
  ExpectInvalid(Size(Tensor::Make(DType::kVariant, {2}).value()).status(), "map: expected a scalar, got shape [2]");
  ExpectInvalid(step_
                    .Run("TensorMapInsert", {{"key_dtype", DType::kVariant}, {"value_dtype", DType::kFloat32}},
                         {Empty(), map, key})
                    .status(),
                "key of a map: expected values that can be compared, got variant");
  Tensor deep = Empty();
  Results out = std::vector<Tensor>{deep};
  for (int i = 0; i < 100 && out.ok(); ++i) {
    out = step_.Run("TensorMapInsert", {{"key_dtype", DType::kFloat32}, {"value_dtype", DType::kVariant}},
                    {Empty(), key, (*out)[0]});
  }
  ExpectInvalid(out.status(), "");
}

TEST_F(TensorMapOpsTest, ZerosAndSums) {
  const Tensor k = Strings({}, {"k"}), only = Strings({}, {"only"});
  const Tensor a = Insert(Empty(), k, Floats({2}, {1, 2}));
  const Tensor b = Insert(Insert(Empty(), k, Floats({2}, {10, 20})), only, Floats({}, {5}));
  const auto sum = Value(a)->Add(*Value(b));
  ASSERT_TRUE(sum.ok()) << sum.status();
  const auto* map = dynamic_cast<const TensorMap*>(sum->get());
  EXPECT_EQ(Difference(*map->Find(k), Floats({2}, {11, 22})), "");
  EXPECT_EQ(Difference(*map->Find(only), Floats({}, {5})), "");
  const auto zeros = Value(a)->ZerosLike();
  ASSERT_TRUE(zeros.ok()) << zeros.status();
  EXPECT_EQ(Difference(*dynamic_cast<const TensorMap*>(zeros->get())->Find(k), Floats({2}, {0, 0})), "");
  ExpectInvalid(Value(a)->Add(*Value(Insert(Empty(), k, Floats({1}, {1})))).status(), "");
}

TEST_F(TensorMapOpsTest, Shapes) {
  const AttrMap attrs = {{"key_dtype", DType::kInt32}, {"value_dtype", DType::kFloat32}};
  EXPECT_EQ(InferShapes(library_, "TensorMapLookup", attrs, {PartialShape(), PartialShape()}).value()[0],
            PartialShape());
  EXPECT_EQ(InferShapes(library_, "TensorMapSize", {}, {PartialShape()}).value()[0], PartialShape(Shape()));
  ExpectInvalid(InferShapes(library_, "TensorMapErase", attrs, {PartialShape::Of({1}), PartialShape()}).status(),
                "rank");
}

TEST(TensorMapGradients, GoToTheValuesThatAreUsed) {
  BuiltGraph g;
  const Output x = g.b.Constant(Floats({}, {3})), y = g.b.Constant(Floats({}, {4}));
  const Output kx = g.b.Constant(Strings({}, {"x"})), ky = g.b.Constant(Strings({}, {"y"}));
  Output map = g.b.Op("EmptyTensorMap", {}).output();
  map = g.b.Op("TensorMapInsert", {map, kx, x}).output();
  map = g.b.Op("TensorMapInsert", {map, ky, y}).output();
  const Output looked_up = g.b.Op("TensorMapLookup", {map, kx}, {{"value_dtype", DType::kFloat32}}).output();
  const Output erased = g.b.Op("TensorMapErase", {map, ky}, {{"value_dtype", DType::kFloat32}}).output();
  const Output again = g.b.Op("TensorMapLookup", {erased, kx}, {{"value_dtype", DType::kFloat32}}).output();
  const std::vector<Grad> grads = Gradients(g.b, {looked_up * looked_up + again}, {x, y});
  EXPECT_EQ(g.Run({}, {grads[0].dense(), grads[1].dense()}), "float32[] = 7; float32[] = 0");
}

}  // namespace
}  // namespace flowlatch
