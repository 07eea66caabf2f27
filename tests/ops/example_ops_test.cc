#include "ops/example_ops.h"

#include <string>

#include "flowlatch/proto/example.pb.h"
#include "tests/ops/features.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

std::string Example(std::initializer_list<std::pair<const char*, proto::Feature>> features) {
  proto::Example example;
  for (const auto& [key, feature] : features) (*example.mutable_features()->mutable_feature())[key] = feature;
  return example.SerializeAsString();
}

using Types = std::vector<DType>;

class ExampleOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterExampleOps(library_).ok()); }

  // One column of ParseExampleV2.
  OpTester Sparse(DType dtype = DType::kInt64) {
    return V2({{"num_sparse", 1}, {"sparse_types", Types{dtype}}, {"Tdense", Types{}}, {"dense_shapes", Shapes{}},
               {"ragged_value_types", Types{}}, {"ragged_split_types", Types{}}});
  }
  OpTester Ragged(DType split = DType::kInt64) {
    return V2({{"num_sparse", 0}, {"sparse_types", Types{}}, {"Tdense", Types{}}, {"dense_shapes", Shapes{}},
               {"ragged_value_types", Types{DType::kInt64}}, {"ragged_split_types", Types{split}}});
  }
  OpTester Dense(DType dtype, PartialShape shape) {
    return V2({{"num_sparse", 0}, {"sparse_types", Types{}}, {"Tdense", Types{dtype}}, {"dense_shapes", Shapes{shape}},
               {"ragged_value_types", Types{}}, {"ragged_split_types", Types{}}});
  }
  using Shapes = std::vector<PartialShape>;
  OpTester V2(AttrMap attrs) { return OpTester(library_, "ParseExampleV2", std::move(attrs)); }

  std::vector<Tensor> SparseInputs(const Tensor& serialized, const char* key) {
    return {serialized, none_, Strings({1}, {key}), none_, none_};
  }
  std::vector<Tensor> RaggedInputs(const Tensor& serialized, const char* key) {
    return {serialized, none_, none_, none_, Strings({1}, {key})};
  }
  std::vector<Tensor> DenseInputs(const Tensor& serialized, const char* key, const Tensor& default_value) {
    return {serialized, none_, none_, Strings({1}, {key}), none_, default_value};
  }

  OpLibrary library_;
  const Tensor none_ = Strings({0}, {});
  const std::string first_ = Example({{"a", IntFeature({1, 2})}, {"b", FloatFeature({1.5})}, {"c", BytesFeature({"x"})}});
  const Tensor scalar_ = Tensor::Scalar(std::string_view(first_));
  const Tensor batch_ = Serialized({first_, Example({{"a", IntFeature({})}, {"b", {}}}), Example({{"a", IntFeature({3})}})});
};

TEST_F(ExampleOpsTest, SparseColumns) {
  OpTester ints = Sparse(), floats = Sparse(DType::kFloat32), strings = Sparse(DType::kString);
  ExpectOutputs(ints, SparseInputs(batch_, "a"), {Rows({{0, 0}, {0, 1}, {2, 0}}), Longs({3}, {1, 2, 3}), Longs({2}, {3, 2})});
  ExpectOutputs(ints, SparseInputs(scalar_, "a"), {Rows({{0}, {1}}), Longs({2}, {1, 2}), Longs({1}, {2})});
  ExpectOutputs(ints, SparseInputs(batch_, "z"), {Rows({}), Longs({0}, {}), Longs({2}, {3, 0})});
  ExpectOutputs(ints, SparseInputs(none_, "a"), {Rows({}), Longs({0}, {}), Longs({2}, {0, 0})});
  ExpectOutputs(floats, SparseInputs(batch_, "b"), {Rows({{0, 0}}), Floats({1}, {1.5}), Longs({2}, {3, 1})});
  ExpectOutputs(strings, SparseInputs(scalar_, "c"), {Rows({{0}}), Strings({1}, {"x"}), Longs({1}, {1})});
  ExpectInvalid(floats, SparseInputs(batch_, "a"), "example 0: feature 'a': expected float32, got int64");
  ExpectInvalid(ints, SparseInputs(Strings({1}, {"\xff"}), "a"), "example 0: expected a serialized Example");
  ExpectInvalid(ints, SparseInputs(Strings({1, 1}, {""}), "a"), "serialized: expected a scalar or a vector, got shape [1,1]");
  ExpectInvalid(ints, {batch_, none_, Strings({2}, {"a", "b"}), none_, none_}, "sparse_keys: expected shape [1], got shape [2]");
  ExpectInvalid(ints, {batch_, Strings({2}, {"x", "y"}), Strings({1}, {"a"}), none_, none_}, "names: expected the shape of serialized");
}

TEST_F(ExampleOpsTest, LastOfRepeatedFeaturesCounts) {
  const std::string twice = Example({{"a", IntFeature({1})}}) + Example({{"a", IntFeature({2, 3})}});
  OpTester op = Sparse();
  ExpectOutputs(op, SparseInputs(Tensor::Scalar(std::string_view(twice)), "a"), {Rows({{0}, {1}}), Longs({2}, {2, 3})});
}

TEST_F(ExampleOpsTest, RaggedColumns) {
  OpTester op = Ragged(), narrow = Ragged(DType::kInt32);
  ExpectOutputs(op, RaggedInputs(batch_, "a"), {Longs({3}, {1, 2, 3}), Longs({4}, {0, 2, 2, 3})});
  ExpectOutputs(narrow, RaggedInputs(batch_, "a"), {Longs({3}, {1, 2, 3}), Ints({4}, {0, 2, 2, 3})});
  ExpectOutputs(op, RaggedInputs(scalar_, "a"), {Longs({2}, {1, 2}), Longs({0}, {})});
  ExpectOutputs(op, RaggedInputs(batch_, "z"), {Longs({0}, {}), Longs({4}, {0, 0, 0, 0})});
  ExpectOutputs(op, RaggedInputs(none_, "a"), {Longs({0}, {}), Longs({1}, {0})});
}

TEST_F(ExampleOpsTest, DenseColumns) {
  OpTester one = Dense(DType::kFloat32, PartialShape::Of({1})), scalar = Dense(DType::kFloat32, PartialShape::Of({}));
  OpTester text = Dense(DType::kString, PartialShape::Of({1})), pair = Dense(DType::kInt64, PartialShape::Of({2, 1}));
  ExpectOutput(one, DenseInputs(batch_, "b", Floats({1}, {9})), Floats({3, 1}, {1.5, 9, 9}));
  ExpectOutput(scalar, DenseInputs(batch_, "b", Tensor::Scalar(9.0f)), Floats({3}, {1.5, 9, 9}));
  ExpectOutput(text, DenseInputs(batch_, "c", Strings({1}, {"d"})), Strings({3, 1}, {"x", "d", "d"}));
  ExpectOutput(pair, DenseInputs(scalar_, "a", Longs({0}, {})), Longs({2, 1}, {1, 2}));
  ExpectOutput(one, DenseInputs(none_, "b", Floats({0}, {})), Floats({0, 1}, {}));
  ExpectInvalid(one, DenseInputs(batch_, "b", Floats({0}, {})), "example 1: feature 'b': expected it or a default value, got neither");
  std::vector<Tensor> named = DenseInputs(batch_, "b", Floats({0}, {}));
  named[1] = Strings({3}, {"x", "y", "z"});
  ExpectInvalid(one, named, "example 1 'y': feature 'b'");
  ExpectInvalid(pair, DenseInputs(batch_, "a", Longs({2, 1}, {0, 0})), "example 1: feature 'a': expected values of shape [2,1], got 0");
  ExpectInvalid(one, DenseInputs(batch_, "b", Floats({2}, {8, 9})), "default of feature 'b': expected shape [1], got shape [2]");
  ExpectInvalid(one, DenseInputs(scalar_, "a", Floats({1}, {9})), "feature 'a': expected float32, got int64");
}

TEST_F(ExampleOpsTest, DenseColumnsOfAnyLength) {
  OpTester any = Dense(DType::kInt64, PartialShape::Of({-1})), pairs = Dense(DType::kInt64, PartialShape::Of({-1, 2}));
  OpTester nothing = Dense(DType::kInt64, PartialShape::Of({-1, 0}));
  const Tensor seven = Longs({1}, {7});
  ExpectOutput(any, DenseInputs(batch_, "a", seven), Longs({3, 2}, {1, 2, 7, 7, 3, 7}));
  ExpectOutput(any, DenseInputs(scalar_, "a", Tensor::Scalar<int64_t>(7)), Longs({2}, {1, 2}));
  ExpectOutput(any, DenseInputs(scalar_, "z", seven), Longs({0}, {}));
  ExpectOutput(pairs, DenseInputs(scalar_, "a", seven), Longs({1, 2}, {1, 2}));
  ExpectInvalid(pairs, DenseInputs(batch_, "a", seven), "example 2: feature 'a': expected values of shape [?,2], got 1");
  ExpectInvalid(nothing, DenseInputs(scalar_, "a", seven), "expected values of shape [?,0], got 2");
  ExpectInvalid(any, DenseInputs(batch_, "a", Longs({0}, {})), "default of feature 'a': expected a single value, got shape [0]");
  for (const PartialShape& shape : {PartialShape(), PartialShape::Of({2, -1})}) {
    OpTester bad = Dense(DType::kInt64, shape);
    ExpectInvalid(bad, DenseInputs(batch_, "a", seven), "dense_shapes: expected shapes that are known but for the first dimension");
  }
}

TEST_F(ExampleOpsTest, OtherForms) {
  const AttrMap attrs{{"sparse_types", Types{DType::kInt64}}, {"Tdense", Types{DType::kFloat32}}, {"dense_shapes", Shapes{PartialShape::Of({1})}}};
  OpTester v1(library_, "ParseExample", attrs.With("Nsparse", 1).With("Ndense", 1));
  const Tensor a = Tensor::Scalar("a"), b = Tensor::Scalar("b"), nine = Floats({1}, {9});
  const std::vector<Tensor> want{Rows({{0, 0}, {0, 1}, {2, 0}}), Longs({3}, {1, 2, 3}), Longs({2}, {3, 2}), Floats({3, 1}, {1.5, 9, 9})};
  ExpectOutputs(v1, {batch_, none_, a, b, nine}, want);
  ExpectInvalid(v1, {scalar_, none_, a, b, nine}, "serialized: ");
  ExpectInvalid(v1, {batch_, none_, Strings({1}, {"a"}), b, nine}, "sparse_keys 0: expected a scalar, got shape [1]");
  const AttrMap keyed = attrs.With("num_sparse", 1).With("sparse_keys", std::vector<std::string>{"a"});
  OpTester single(library_, "ParseSingleExample", keyed.With("dense_keys", std::vector<std::string>{"b"}));
  ExpectOutputs(single, {scalar_, nine}, {Rows({{0}, {1}}), Longs({2}, {1, 2}), Longs({1}, {2}), Floats({1}, {1.5})});
  OpTester no_key(library_, "ParseSingleExample", keyed.With("dense_keys", std::vector<std::string>{}));
  ExpectInvalid(no_key, {scalar_, nine}, "sparse_keys and dense_keys: expected one for each type");
}

TEST_F(ExampleOpsTest, Shapes) {
  const AttrMap attrs{{"num_sparse", 1}, {"sparse_types", Types{DType::kInt64}}, {"Tdense", Types{DType::kFloat32}},
                      {"dense_shapes", Shapes{PartialShape::Of({-1, 2})}}, {"ragged_value_types", Types{DType::kInt64}},
                      {"ragged_split_types", Types{DType::kInt64}}};
  const auto infer = [&](PartialShape serialized) {
    const PartialShape unknown;
    const auto shapes = InferShapes(library_, "ParseExampleV2", attrs, {serialized, unknown, unknown, unknown, unknown, unknown});
    if (!shapes.ok()) return std::string(absl::StatusCodeToString(shapes.status().code()));
    std::string text;
    for (const PartialShape& shape : *shapes) text += shape.ToString();
    return text;
  };
  EXPECT_EQ(infer(PartialShape::Of({4})), "[?,2][?][2][4,?,2][?][5]");
  EXPECT_EQ(infer(PartialShape::Of({})), "[?,1][?][1][?,2][?][0]");
  EXPECT_EQ(infer(PartialShape()), "[?,?][?][?]?[?][?]");
  EXPECT_EQ(infer(PartialShape::Of({1, 1})), "INVALID_ARGUMENT");
}

TEST_F(ExampleOpsTest, Json) {
  OpTester op(library_, "DecodeJSONExample", {});
  const auto decoded = op.Run({Strings({2, 1}, {R"({"features":{"feature":{"b":{"int64List":{"value":["1",2]}},"a":{}}}})", "{}"})});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ((*decoded)[0].DebugString().substr(0, 11), "string[2,1]");
  proto::Example example;
  const std::string_view bytes = (*decoded)[0].data<String>()[0];
  ASSERT_TRUE(example.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  EXPECT_EQ(example.features().feature().at("b").int64_list().value(1), 2);
  EXPECT_LT(bytes.find('b'), bytes.find('a'));
  EXPECT_EQ((*decoded)[0].data<String>()[1].size(), 0u);
  OpTester parse = Sparse();
  const auto snake = op.Run({Tensor::Scalar(R"({"features":{"feature":{"a":{"int64_list":{"value":[1,2]}}}}})")});
  ASSERT_TRUE(snake.ok()) << snake.status();
  ExpectOutputs(parse, SparseInputs((*snake)[0], "a"), {Rows({{0}, {1}}), Longs({2}, {1, 2}), Longs({1}, {2})});
  for (const char* bad : {"", "{", R"({"x":1})"}) {
    ExpectInvalid(op, {Strings({2}, {"{}", bad})}, "json_examples 1: expected an Example in JSON");
  }
}

}  // namespace
}  // namespace flowlatch
