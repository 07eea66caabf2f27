#include "ops/edit_distance_ops.h"

#include <limits>

#include "tests/ops/numbers.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

class EditDistanceOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterEditDistanceOps(library_).ok()); }
  OpTester Op(DType dtype = DType::kInt32, bool normalize = true) {
    return OpTester(library_, "EditDistance", {{"T", dtype}, {"normalize", normalize}});
  }

  OpLibrary library_;
  const Tensor places_ = Rows({{0, 0}, {0, 1}, {1, 0}}), targets_ = Rows({{0, 0}, {0, 1}, {0, 2}, {2, 0}});
};

TEST_F(EditDistanceOpsTest, EveryDType) {
  const float inf = std::numeric_limits<float>::infinity();
  for (const DType dtype : DTypesIn(kNumberTypes)) {
    const std::vector<Tensor> inputs{places_, Numbers(dtype, {3}, {1, 2, 3}), Dense({3, 2}), targets_, Numbers(dtype, {4}, {1, 5, 2, 7}), Dense({3, 3})};
    OpTester normalized = Op(dtype), plain = Op(dtype, false);
    ExpectOutput(normalized, inputs, Floats({3}, {1 / 3.0f, inf, 1}));
    ExpectOutput(plain, inputs, Floats({3}, {1, 1, 1}));
  }
}

TEST_F(EditDistanceOpsTest, Strings) {
  OpTester op = Op(DType::kString, false);
  const struct {
    std::vector<const char*> from, to;
    float want;
  } cases[] = {
      {{"k", "i", "t", "t", "e", "n"}, {"s", "i", "t", "t", "i", "n", "g"}, 3},
      {{}, {"a", "b"}, 2},
      {{"a", "b"}, {}, 2},
      {{"a", "b", "c"}, {"c", "a", "b"}, 2},
  };
  const auto sequence = [](const std::vector<const char*>& text, std::vector<Tensor>& inputs) {
    std::vector<std::vector<int64_t>> places;
    std::vector<String> values;
    for (const char* s : text) {
      places.push_back({0, static_cast<int64_t>(values.size())});
      values.emplace_back(std::string_view(s));
    }
    inputs.push_back(Rows(places));
    inputs.push_back(Tensor::Vector<String>(absl::MakeConstSpan(values)));
    inputs.push_back(Dense({1, 9}));
  };
  for (const auto& [from, to, want] : cases) {
    std::vector<Tensor> inputs;
    sequence(from, inputs);
    sequence(to, inputs);
    ExpectOutput(op, inputs, Floats({1}, {want}));
  }
}

TEST_F(EditDistanceOpsTest, ShapesAndErrors) {
  OpTester op = Op();
  const Tensor one = Ints({1}, {1});
  ExpectOutput(op, {Rows({{0, 0}}), one, Dense({2, 2}), Rows({{0, 0}}), one, Dense({3, 3})}, Floats({3}, {0, 0, 0}));
  ExpectOutput(op, {Rows({}), Ints({0}, {}), Dense({2, 2}), Rows({}), Ints({0}, {}), Dense({2, 2})}, Floats({2}, {0, 0}));
  ExpectInvalid(op, {Rows({{0, 0}}), one, Dense({2, 2}), Rows({{0}}), one, Dense({3})}, "expected one rank of at least 2, got 2 and 1");
  ExpectInvalid(op, {Rows({{0}}), one, Dense({2}), Rows({{0}}), one, Dense({3})}, "expected one rank of at least 2, got 1 and 1");
  ExpectInvalid(op, {Rows({{7, 0}}), one, Dense({2, 2}), Rows({{0, 0}}), one, Dense({2, 3})}, "hypothesis_indices[0]: expected a place in shape [2,2]");
  ExpectInvalid(op, {Rows({{0, 0}}), Ints({2}, {1, 2}), Dense({1, 1}), Rows({{0, 0}}), one, Dense({1, 1})}, "hypothesis_values: expected shape [1]");
  const PartialShape u;
  const Tensor a = Dense({2, 5, 3}), b = Dense({4, 1, 3}), flat = Dense({4, 1});
  const auto infer = [&](const Tensor* hypothesis, const Tensor* truth) {
    const auto shapes = InferShapes(library_, "EditDistance", {{"T", DType::kInt32}}, {u, u, u, u, u, u}, {nullptr, nullptr, hypothesis, nullptr, nullptr, truth});
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  };
  EXPECT_EQ(infer(&a, &b), "[4,5]");
  EXPECT_EQ(infer(&a, nullptr), "?");
  EXPECT_EQ(infer(&a, &flat), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace flowlatch
