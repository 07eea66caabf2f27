#include "ops/sequence_example_ops.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "flowlatch/proto/example.pb.h"
#include "tests/ops/features.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

using Types = std::vector<DType>;
using Shapes = std::vector<PartialShape>;
using Names = std::vector<std::string>;
using Steps = std::vector<proto::Feature>;

std::string Sequence(const std::map<std::string, proto::Feature>& context, const std::map<std::string, Steps>& lists) {
  proto::SequenceExample example;
  for (const auto& [key, feature] : context) (*example.mutable_context()->mutable_feature())[key] = feature;
  for (const auto& [key, steps] : lists) {
    proto::FeatureList& list = (*example.mutable_feature_lists()->mutable_feature_list())[key];
    for (const proto::Feature& step : steps) *list.add_feature() = step;
  }
  return example.SerializeAsString();
}

// Columns of one kind with their types.
struct Wanted {
  Names sparse, dense, ragged;
  Types sparse_types, dense_types, ragged_types, split_types;
  Shapes shapes;
};

class SequenceExampleOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSequenceExampleOps(library_).ok()); }

  static int64_t Size(const Names& names) { return static_cast<int64_t>(names.size()); }
  static AttrMap TypeAttrs(const Wanted& context, const Wanted& lists) {
    return {{"Ncontext_sparse", Size(context.sparse)}, {"Nfeature_list_sparse", Size(lists.sparse)}, {"Nfeature_list_dense", Size(lists.dense)},
            {"context_sparse_types", context.sparse_types}, {"Tcontext_dense", context.dense_types}, {"context_dense_shapes", context.shapes},
            {"feature_list_sparse_types", lists.sparse_types}, {"feature_list_dense_types", lists.dense_types},
            {"feature_list_dense_shapes", lists.shapes}};
  }
  static AttrMap V1Attrs(const Wanted& context, const Wanted& lists, const Names& missing = {}) {
    return TypeAttrs(context, lists).With("Ncontext_dense", Size(context.dense)).With("context_sparse_keys", context.sparse)
        .With("context_dense_keys", context.dense).With("feature_list_sparse_keys", lists.sparse)
        .With("feature_list_dense_keys", lists.dense).With("feature_list_dense_missing_assumed_empty", missing);
  }
  static AttrMap V2Attrs(const Wanted& context, const Wanted& lists) {
    return TypeAttrs(context, lists).With("context_ragged_value_types", context.ragged_types)
        .With("context_ragged_split_types", context.split_types).With("feature_list_ragged_value_types", lists.ragged_types)
        .With("feature_list_ragged_split_types", lists.split_types);
  }
  static AttrMap SingleAttrs(const Wanted& context, const Wanted& lists) {
    return TypeAttrs(context, lists).With("Ncontext_dense", Size(context.dense));
  }
  OpTester V1(const Wanted& context, const Wanted& lists, const Names& missing = {}) {
    return OpTester(library_, "ParseSequenceExample", V1Attrs(context, lists, missing));
  }
  OpTester V2(const Wanted& context, const Wanted& lists) { return OpTester(library_, "ParseSequenceExampleV2", V2Attrs(context, lists)); }
  OpTester Single(const Wanted& context, const Wanted& lists) {
    return OpTester(library_, "ParseSingleSequenceExample", SingleAttrs(context, lists));
  }

  static Tensor KeyVector(const Names& names) {
    std::vector<String> keys;
    for (const std::string& name : names) keys.emplace_back(std::string_view(name));
    return Tensor::Vector<String>(absl::MakeConstSpan(keys));
  }
  std::vector<Tensor> V2Inputs(const Tensor& serialized, const Wanted& context, const Wanted& lists, const std::vector<Tensor>& defaults = {},
                               bool may_miss = false) {
    Tensor missing = *Tensor::Make(DType::kBool, {Size(lists.dense)});
    std::fill_n(missing.mutable_data<bool>(), missing.num_elements(), may_miss);
    std::vector<Tensor> inputs{serialized, none_};
    for (const Names* keys : {&context.sparse, &context.dense, &context.ragged, &lists.sparse, &lists.dense, &lists.ragged}) {
      inputs.push_back(KeyVector(*keys));
    }
    inputs.push_back(missing);
    inputs.insert(inputs.end(), defaults.begin(), defaults.end());
    return inputs;
  }
  std::vector<Tensor> SingleInputs(const std::string& serialized, const Wanted& context, const Wanted& lists, const Names& missing = {},
                                   const std::vector<Tensor>& defaults = {}) {
    std::vector<Tensor> inputs{Tensor::Scalar(std::string_view(serialized)), KeyVector(missing)};
    for (const Names* keys : {&context.sparse, &context.dense, &lists.sparse, &lists.dense}) {
      for (const std::string& key : *keys) inputs.push_back(Tensor::Scalar(std::string_view(key)));
    }
    inputs.insert(inputs.end(), defaults.begin(), defaults.end());
    inputs.push_back(Tensor::Scalar("name"));
    return inputs;
  }

  OpLibrary library_;
  const Tensor none_ = Strings({0}, {}), no_floats_ = Floats({0}, {});
  const std::string a_ = Sequence({{"f", FloatFeature({1, 2})}, {"s", BytesFeature({"x"})}, {"g", FloatFeature({5, 6})}},
                                  {{"l", {IntFeature({1, 2}), IntFeature({3}), IntFeature({})}}, {"d", {FloatFeature({1, 2}), FloatFeature({3, 4})}}});
  const std::string b_ = Sequence({{"f", FloatFeature({3, 4})}, {"g", FloatFeature({7, 8})}}, {{"l", {IntFeature({9})}}, {"d", {FloatFeature({5, 6})}}});
  const std::string empty_ = Sequence({}, {});
  const Wanted nothing_;
  const Wanted sparse_{{"s", "f"}, {}, {}, {DType::kString, DType::kFloat32}, {}, {}, {}, {}};
  const Wanted dense_{{}, {"g"}, {}, {}, {DType::kFloat32}, {}, {}, {PartialShape::Of({2})}};
  const Wanted ragged_{{}, {}, {"f", "s"}, {}, {}, {DType::kFloat32, DType::kString}, {DType::kInt64, DType::kInt32}, {}};
  const Wanted sparse_list_{{"l"}, {}, {}, {DType::kInt64}, {}, {}, {}, {}};
  const Wanted dense_list_{{}, {"d"}, {}, {}, {DType::kFloat32}, {}, {}, {PartialShape::Of({2})}};
  const Wanted ragged_list_{{}, {}, {"l"}, {}, {}, {DType::kInt64}, {DType::kInt32}, {}};
};

TEST_F(SequenceExampleOpsTest, Context) {
  OpTester sparse = V1(sparse_, nothing_), dense = V1(dense_, nothing_), ragged = V2(ragged_, nothing_);
  ExpectOutputs(sparse, {Serialized({a_, b_, empty_}), none_},
                {Rows({{0, 0}}), Rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}), Strings({1}, {"x"}), Floats({4}, {1, 2, 3, 4}), Dense({3, 1}), Dense({3, 2})});
  ExpectOutput(dense, {Serialized({a_, b_}), none_, no_floats_}, Floats({2, 2}, {5, 6, 7, 8}));
  ExpectOutput(dense, {Serialized({a_, empty_}), none_, Floats({2}, {70, 80})}, Floats({2, 2}, {5, 6, 70, 80}));
  ExpectOutput(dense, {Serialized({}), none_, no_floats_}, Floats({0, 2}, {}));
  ExpectOutputs(ragged, V2Inputs(Serialized({a_, empty_, b_}), ragged_, nothing_),
                {Floats({4}, {1, 2, 3, 4}), Strings({1}, {"x"}), Longs({4}, {0, 2, 2, 4}), Ints({4}, {0, 1, 1, 1})});
  ExpectOutputs(ragged, V2Inputs(Serialized({}), ragged_, nothing_), {no_floats_, none_, Longs({1}, {0}), Ints({1}, {0})});
  OpTester nothing = V1(nothing_, nothing_);
  ExpectOutputs(nothing, {Serialized({a_}), none_}, {});
}

TEST_F(SequenceExampleOpsTest, Lists) {
  OpTester sparse = V1(nothing_, sparse_list_), dense = V1(nothing_, dense_list_), may_miss = V1(nothing_, dense_list_, {"d", "other"});
  OpTester ragged = V2(nothing_, ragged_list_);
  ExpectOutputs(sparse, {Serialized({a_, empty_, b_}), none_},
                {Rows({{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {2, 0, 0}}), Longs({4}, {1, 2, 3, 9}), Dense({3, 3, 2})});
  ExpectOutputs(dense, {Serialized({a_, b_}), none_}, {Floats({2, 2, 2}, {1, 2, 3, 4, 5, 6, 0, 0}), Longs({2}, {2, 1})});
  ExpectOutputs(may_miss, {Serialized({a_, empty_, b_}), none_},
                {Floats({3, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 0, 0}), Longs({3}, {2, 0, 1})});
  ExpectOutputs(ragged, V2Inputs(Serialized({a_, empty_, b_}), nothing_, ragged_list_),
                {Longs({4}, {1, 2, 3, 9}), Ints({4}, {0, 3, 3, 4}), Ints({5}, {0, 2, 3, 3, 4})});
  ExpectOutputs(ragged, V2Inputs(Serialized({}), nothing_, ragged_list_), {Longs({0}, {}), Ints({1}, {0}), Ints({1}, {0})});
  const Wanted strings{{}, {"l"}, {}, {}, {DType::kString}, {}, {}, {PartialShape::Of({})}};
  OpTester of_strings = V1(nothing_, strings);
  ExpectOutputs(of_strings, {Serialized({Sequence({}, {{"l", {BytesFeature({"a"})}}}), Sequence({}, {{"l", {BytesFeature({"a"}), BytesFeature({"b"})}}})}), none_},
                {Strings({2, 2}, {"a", "", "a", "b"}), Longs({2}, {1, 2})});
  const Wanted no_values{{}, {"l"}, {}, {}, {DType::kInt64}, {}, {}, {PartialShape::Of({0})}};
  OpTester of_nothing = V1(nothing_, no_values);
  ExpectOutputs(of_nothing, {Serialized({Sequence({}, {{"l", {IntFeature({}), IntFeature({})}}})}), none_}, {Longs({1, 2, 0}, {}), Longs({1}, {2})});
  ExpectOutputs(sparse, {Serialized({Sequence({}, {{"l", {proto::Feature(), IntFeature({1})}}})}), none_},
                {Rows({{0, 1, 0}}), Longs({1}, {1}), Dense({1, 2, 1})});
}

TEST_F(SequenceExampleOpsTest, OneExample) {
  const Tensor scalar = Tensor::Scalar(std::string_view(a_));
  OpTester sparse = V2(sparse_, sparse_list_), dense = V2(dense_, dense_list_), ragged = V2(ragged_, ragged_list_), v1 = V1(sparse_, nothing_);
  const std::vector<Tensor> context{Rows({{0}}), Rows({{0}, {1}}), Strings({1}, {"x"}), Floats({2}, {1, 2}), Dense({1}), Dense({2})};
  const std::vector<Tensor> list{Rows({{0, 0}, {0, 1}, {1, 0}}), Longs({3}, {1, 2, 3}), Dense({3, 2})};
  std::vector<Tensor> both = context;
  both.insert(both.end(), list.begin(), list.end());
  ExpectOutputs(sparse, V2Inputs(scalar, sparse_, sparse_list_), both);
  ExpectOutputs(v1, {scalar, none_}, context);
  ExpectOutputs(dense, V2Inputs(scalar, dense_, dense_list_, {no_floats_}),
                {Floats({2}, {5, 6}), Floats({2, 2}, {1, 2, 3, 4}), Tensor::Scalar(int64_t{2})});
  ExpectOutputs(dense, V2Inputs(Tensor::Scalar(std::string_view(empty_)), dense_, dense_list_, {Floats({2}, {7, 8})}, true),
                {Floats({2}, {7, 8}), Floats({0, 2}, {}), Tensor::Scalar(int64_t{0})});
  ExpectOutputs(ragged, V2Inputs(scalar, ragged_, ragged_list_),
                {Floats({2}, {1, 2}), Strings({1}, {"x"}), Longs({0}, {}), Ints({0}, {}), Longs({3}, {1, 2, 3}), Ints({0}, {}), Ints({4}, {0, 2, 3, 3})});
  OpTester single = Single(sparse_, sparse_list_), single_dense = Single(dense_, dense_list_);
  ExpectOutputs(single, SingleInputs(a_, sparse_, sparse_list_), both);
  ExpectOutputs(single, SingleInputs(empty_, sparse_, sparse_list_),
                {Rows({}, 1), Rows({}, 1), none_, no_floats_, Dense({0}), Dense({0}), Rows({}, 2), Longs({0}, {}), Dense({0, 0})});
  ExpectOutputs(single_dense, SingleInputs(a_, dense_, dense_list_, {}, {no_floats_}), {Floats({2}, {5, 6}), Floats({2, 2}, {1, 2, 3, 4})});
  ExpectOutputs(single_dense, SingleInputs(empty_, dense_, dense_list_, {"d"}, {Floats({2}, {7, 8})}), {Floats({2}, {7, 8}), Floats({0, 2}, {})});
}

TEST_F(SequenceExampleOpsTest, Errors) {
  OpTester sparse = V1(sparse_, sparse_list_), dense = V1(dense_, nothing_), dense_list = V1(nothing_, dense_list_);
  ExpectInvalid(sparse, {Serialized({a_, "qqq"}), Strings({2}, {"x", "y\n"})}, "example 1 'y\\n': expected a serialized SequenceExample, got other bytes");
  ExpectInvalid(sparse, {Serialized({a_}), Strings({2}, {"x", "y"})}, "names: expected the shape of serialized, [1], or nothing, got shape [2]");
  ExpectInvalid(sparse, {Strings({1, 1}, {"x"}), none_}, "serialized: expected a scalar or a vector, got shape [1,1]");
  ExpectInvalid(sparse, {Serialized({Sequence({{"f", IntFeature({1})}}, {})}), none_}, "example 0: feature 'f': expected float32, got int64");
  ExpectInvalid(sparse, {Serialized({Sequence({}, {{"l", {IntFeature({}), FloatFeature({1})}}})}), none_},
                "example 0: feature list 'l': expected int64, got float32");
  ExpectInvalid(dense, {Serialized({a_, empty_}), none_, no_floats_}, "example 1: feature 'g': expected it or a default value, got neither");
  ExpectInvalid(dense, {Serialized({a_}), none_, Floats({1}, {1})}, "default of feature 'g': expected shape [2], got shape [1]");
  ExpectInvalid(dense, {Serialized({a_}), none_, Tensor::Scalar(1.0f)}, "default of feature 'g': expected shape [2], got shape []");
  ExpectInvalid(dense, {Serialized({Sequence({{"g", FloatFeature({1})}}, {})}), none_, no_floats_},
                "example 0: feature 'g': expected values of shape [2], got 1");
  ExpectInvalid(dense, {Serialized({Sequence({{"g", proto::Feature()}}, {})}), none_, Floats({2}, {7, 8})},
                "example 0: feature 'g': expected values, got a feature without any list");
  ExpectInvalid(dense_list, {Serialized({a_, empty_}), none_}, "example 1: feature list 'd': expected it, got none");
  for (const proto::Feature& step : {FloatFeature({1}), proto::Feature()}) {
    ExpectInvalid(dense_list, {Serialized({Sequence({}, {{"d", {step}}})}), none_}, "feature list 'd': expected values of shape [2] in each step, got ");
  }
  OpTester single = Single(sparse_, dense_list_);
  ExpectInvalid(single, SingleInputs("qqq", sparse_, dense_list_), "example 0 'name': expected a serialized SequenceExample");
  ExpectInvalid(single, SingleInputs(empty_, sparse_, dense_list_), "feature list 'd': expected it, got none");
  for (const size_t i : {0, 2, 5}) {
    std::vector<Tensor> inputs = SingleInputs(a_, sparse_, dense_list_);
    inputs[i] = Strings({1}, {"x"});
    ExpectInvalid(single, inputs, "scalar");
  }
}

TEST_F(SequenceExampleOpsTest, ErrorsOfKeys) {
  OpTester op = V2(sparse_, dense_list_);
  std::vector<Tensor> inputs = V2Inputs(Serialized({a_}), sparse_, dense_list_);
  inputs[2] = Strings({1}, {"f"});
  ExpectInvalid(op, inputs, "context_sparse_keys: expected shape [2], got shape [1]");
  inputs = V2Inputs(Serialized({a_}), sparse_, dense_list_);
  inputs[8] = Bools({2}, {true, true});
  ExpectInvalid(op, inputs, "feature_list_dense_missing_assumed_empty: expected shape [1], got shape [2]");
  const Wanted two{{"f"}, {}, {"f"}, {DType::kFloat32}, {}, {DType::kFloat32}, {DType::kInt64}, {}};
  OpTester context = V2(two, nothing_), lists = V2(nothing_, two);
  ExpectInvalid(context, V2Inputs(Serialized({a_}), two, nothing_), "context feature 'f': expected columns of one kind, got two");
  ExpectInvalid(lists, V2Inputs(Serialized({a_}), nothing_, two), "feature list 'f': expected columns of one kind, got two");
}

TEST_F(SequenceExampleOpsTest, ErrorsOfAttributes) {
  const struct {
    const char* attr;
    Attr value;
    const char* text;
  } cases[] = {
      {"Ncontext_sparse", int64_t{3}, ""},
      {"context_dense_shapes", Shapes{}, "context_dense_shapes: expected 1, got 0"},
      {"context_dense_shapes", Shapes{PartialShape::Of({-1})}, "context_dense_shapes: expected known shapes, got [?]"},
      {"context_dense_shapes", Shapes{PartialShape()}, ""},
      {"context_sparse_keys", Names{"f"}, "context_sparse_keys: expected 0, got 1"},
      {"context_dense_keys", Names{}, "context_dense_keys: expected 1, got 0"},
  };
  for (const auto& [attr, value, text] : cases) {
    SCOPED_TRACE(attr);
    OpTester op(library_, "ParseSequenceExample", V1Attrs(dense_, nothing_).With(attr, value));
    ExpectInvalid(op, {Serialized({a_}), none_, no_floats_}, text);
  }
}

TEST_F(SequenceExampleOpsTest, Shapes) {
  const PartialShape unknown;
  const auto infer = [&](const Wanted& context, const Wanted& lists, const PartialShape& serialized) {
    return InferShapes(library_, "ParseSequenceExampleV2", V2Attrs(context, lists),
                       std::vector<PartialShape>{serialized, unknown, unknown, unknown, unknown, unknown, unknown, unknown, unknown});
  };
  const auto of = [](std::initializer_list<int64_t> dims) { return PartialShape::Of(dims); };
  EXPECT_EQ(*infer(ragged_, sparse_list_, of({2})), (Shapes{of({-1}), of({-1}), of({3}), of({3}), of({-1, 3}), of({-1}), of({3})}));
  EXPECT_EQ(*infer(ragged_, dense_list_, of({})), (Shapes{of({-1}), of({-1}), of({0}), of({0}), of({-1, 2}), of({})}));
  EXPECT_EQ(*infer(nothing_, dense_list_, of({-1})), (Shapes{of({-1, -1, 2}), of({-1})}));
  EXPECT_EQ(*infer(nothing_, ragged_list_, unknown), (Shapes{of({-1}), of({-1}), of({-1})}));
  EXPECT_EQ(*infer(nothing_, sparse_list_, unknown), (Shapes{of({-1, -1}), of({-1}), of({-1})}));
  EXPECT_FALSE(infer(nothing_, nothing_, of({1, 1})).ok());
  EXPECT_EQ((*InferShapes(library_, "ParseSingleSequenceExample", SingleAttrs(nothing_, dense_list_), {of({}), unknown, of({}), unknown}))[0], of({-1, 2}));
  EXPECT_FALSE(InferShapes(library_, "ParseSingleSequenceExample", SingleAttrs(nothing_, nothing_), {of({1}), unknown, unknown}).ok());
}

}  // namespace
}  // namespace flowlatch
