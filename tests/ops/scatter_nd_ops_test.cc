#include "ops/scatter_nd_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class ScatterNdOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterScatterNdOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype = DType::kFloat32, const std::string& policy = "",
              DType index = DType::kInt32) {
    return OpTester(library_, name, {{"T", dtype}, {"Tindices", index}, {"bad_indices_policy", policy}});
  }
  OpTester ToDense(bool validate = true, DType dtype = DType::kFloat32, DType index = DType::kInt32) {
    return OpTester(library_, "SparseToDense", {{"T", dtype}, {"Tindices", index}, {"validate_indices", validate}});
  }
  OpLibrary library_;
};

TEST_F(ScatterNdOpsTest, ScatterNdAddsUp) {
  OpTester floats = Op("ScatterNd"), longs = Op("ScatterNd", DType::kInt64, "", DType::kInt64),
           shorts = Op("ScatterNd", DType::kInt32, "", DType::kInt16), strings = Op("ScatterNd", DType::kString),
           bools = Op("ScatterNd", DType::kBool);
  ExpectOutput(floats, {Ints({3, 1}, {2, 0, 2}), Floats({3}, {1, 2, 3}), Ints({1}, {4})}, Floats({4}, {2, 0, 4, 0}));
  ExpectOutput(floats, {Ints({1, 1}, {1}), Floats({1, 2}, {1, 2}), Ints({2}, {2, 2})}, Floats({2, 2}, {0, 0, 1, 2}));
  ExpectOutput(floats, {Ints({1, 2, 2}, {0, 1, 1, 0}), Floats({1, 2}, {5, 6}), Ints({2}, {2, 2})},
               Floats({2, 2}, {0, 5, 6, 0}));
  ExpectOutput(longs, {Longs({1, 1}, {1}), Longs({1}, {7}), Longs({1}, {2})}, Longs({2}, {0, 7}));
  ExpectOutput(shorts, {Of<int16_t>({1, 1}, {1}), Ints({1}, {7}), Of<int16_t>({1}, {2})}, Ints({2}, {0, 7}));
  ExpectOutput(strings, {Ints({2, 1}, {0, 0}), Strings({2}, {"a", "b"}), Ints({1}, {2})}, Strings({2}, {"ab", ""}));
  ExpectOutput(bools, {Ints({2, 1}, {0, 0}), Bools({2}, {true, false}), Ints({1}, {2})}, Bools({2}, {true, false}));
  ExpectOutput(floats, {Ints({0, 1}, {}), Floats({0}, {}), Ints({1}, {2})}, Floats({2}, {0, 0}));
  ExpectOutput(floats, {Ints({0, 1}, {}), Floats({0}, {}), Ints({1}, {0})}, Floats({0}, {}));
}

TEST_F(ScatterNdOpsTest, TensorScatter) {
  const Tensor x = Floats({3}, {5, 6, 7}), indices = Ints({2, 1}, {1, 1}), updates = Floats({2}, {1, 9});
  const std::vector<std::pair<const char*, Tensor>> cases = {
      {"TensorScatterUpdate", Floats({3}, {5, 9, 7})}, {"TensorScatterAdd", Floats({3}, {5, 16, 7})},
      {"TensorScatterSub", Floats({3}, {5, -4, 7})},   {"TensorScatterMax", Floats({3}, {5, 9, 7})},
      {"TensorScatterMin", Floats({3}, {5, 1, 7})},    {"ScatterNdNonAliasingAdd", Floats({3}, {5, 16, 7})},
  };
  for (const auto& [name, want] : cases) {
    SCOPED_TRACE(name);
    OpTester op = Op(name);
    ExpectOutput(op, {x, indices, updates}, want);
    EXPECT_EQ(x.data<float>()[1], 6);
  }
  OpTester strings = Op("TensorScatterUpdate", DType::kString);
  ExpectOutput(strings, {Strings({2}, {"a", "b"}), Ints({1, 1}, {1}), Strings({1}, {"a string that is not small"})},
               Strings({2}, {"a", "a string that is not small"}));
  OpTester rows = Op("TensorScatterAdd", DType::kInt32);
  ExpectOutput(rows, {Ints({2, 2}, {1, 2, 3, 4}), Ints({1, 1}, {1}), Ints({1, 2}, {10, 20})},
               Ints({2, 2}, {1, 2, 13, 24}));
  OpTester complex = Op("TensorScatterMax", DType::kComplex64);
  const Tensor z = Of<std::complex<float>>({1}, {1});
  EXPECT_EQ(complex.Run({z, Ints({1, 1}, {0}), z}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_F(ScatterNdOpsTest, BadIndices) {
  OpTester error = Op("ScatterNd"), ignore = Op("ScatterNd", DType::kFloat32, "IGNORE"),
           other = Op("ScatterNd", DType::kFloat32, "SOME"), update = Op("TensorScatterUpdate");
  const std::vector<Tensor> outside = {Ints({2, 1}, {0, 5}), Floats({2}, {1, 2}), Ints({1}, {2})};
  ExpectInvalid(error, outside, "indices[1]: expected a place in shape [2], got [5]");
  ExpectOutput(ignore, outside, Floats({2}, {1, 0}));
  ExpectInvalid(other, outside, "bad_indices_policy: expected DEFAULT, ERROR or IGNORE, got 'SOME'");
  ExpectInvalid(update, {Floats({2}, {1, 2}), Ints({1, 1}, {-1}), Floats({1}, {1})}, "got [-1]");
}

TEST_F(ScatterNdOpsTest, ShapesThatDoNotFit) {
  OpTester op = Op("ScatterNd");
  const Tensor one = Floats({1}, {1}), four = Ints({1}, {4});
  ExpectInvalid(op, {Tensor::Scalar(0), one, four}, "indices: expected at least one dimension");
  ExpectInvalid(op, {Ints({1}, {0}), Tensor::Scalar(1.0f), four}, "updates: expected at least one dimension");
  ExpectInvalid(op, {Ints({1, 2}, {0, 0}), one, four}, "last dimension of indices: expected at most 1");
  ExpectInvalid(op, {Ints({1, 1}, {0}), Floats({2}, {1, 2}), four}, "updates: expected shape [1], got [2]");
  ExpectInvalid(op, {Ints({1, 1}, {0}), one, Ints({1}, {0})}, "expected elements in both, and in the result");
  ExpectInvalid(op, {Ints({1, 1}, {0}), one, Ints({1}, {-1})}, "-1");
  ExpectInvalid(op, {Ints({1, 1}, {0}), one, Tensor::Scalar(4)}, "shape: expected a vector");
}

TEST_F(ScatterNdOpsTest, SparseToDense) {
  OpTester op = ToDense(), loose = ToDense(false), strings = ToDense(true, DType::kString),
           longs = ToDense(true, DType::kInt8, DType::kInt64);
  const Tensor zero = Tensor::Scalar(0.0f), two = Ints({2}, {2, 2}), four = Ints({1}, {4});
  ExpectOutput(op, {Ints({2, 2}, {0, 1, 1, 0}), two, Floats({2}, {1, 2}), Tensor::Scalar(9.0f)},
               Floats({2, 2}, {9, 1, 2, 9}));
  ExpectOutput(op, {Ints({2}, {1, 3}), four, Tensor::Scalar(5.0f), zero}, Floats({4}, {0, 5, 0, 5}));
  ExpectOutput(op, {Tensor::Scalar(1), four, Floats({1}, {5}), zero}, Floats({4}, {0, 5, 0, 0}));
  ExpectOutput(op, {Ints({0, 2}, {}), two, Floats({0}, {}), zero}, Floats({2, 2}, {0, 0, 0, 0}));
  ExpectOutput(loose, {Ints({3}, {3, 1, 1}), four, Floats({3}, {1, 2, 3}), zero}, Floats({4}, {0, 3, 0, 1}));
  ExpectOutput(strings, {Ints({1}, {1}), Ints({1}, {2}), Strings({1}, {"a"}), Strings({}, {"z"})},
               Strings({2}, {"z", "a"}));
  ExpectOutput(longs, {Longs({1}, {1}), Longs({1}, {2}), Of<int8_t>({}, {3}), Of<int8_t>({}, {0})},
               Of<int8_t>({2}, {0, 3}));
  const Tensor one = Floats({1}, {1}), pair = Floats({2}, {1, 2});
  ExpectInvalid(op, {Ints({2}, {3, 1}), four, pair, zero}, "sparse_indices[1]: expected one greater than [3], got [1]");
  ExpectInvalid(op, {Ints({2}, {1, 1}), four, pair, zero}, "expected one greater than [1], got [1]");
  for (OpTester* tester : {&op, &loose}) {
    ExpectInvalid(*tester, {Ints({1}, {5}), four, one, zero},
                  "sparse_indices[0]: expected a place in shape [4], got [5]");
    ExpectInvalid(*tester, {Ints({1}, {-1}), four, one, zero}, "got [-1]");
  }
  ExpectInvalid(op, {Ints({2}, {1, 2}), four, one, zero}, "sparse_values: expected shape [2] or [], got [1]");
  ExpectInvalid(op, {Ints({1, 2}, {1, 2}), four, one, zero}, "output_shape: expected 2 values, got 1");
  ExpectInvalid(op, {Ints({1}, {1}), four, one, one}, "default_value: expected a scalar, got shape [1]");
  ExpectInvalid(op, {Ints({1, 1, 1}, {1}), four, one, zero}, "sparse_indices: expected rank <= 2");
  ExpectInvalid(op, {Ints({1}, {1}), Tensor::Scalar(4), one, zero}, "output_shape: expected a vector");
  ExpectInvalid(op, {Ints({1}, {1}), Ints({1}, {-4}), one, zero}, "-4");
}

TEST_F(ScatterNdOpsTest, Shapes) {
  const AttrMap attrs = {{"T", DType::kFloat32}, {"Tindices", DType::kInt32}};
  const PartialShape unknown;
  const Tensor shape = Ints({2}, {4, 5});
  const auto infer = [&](const char* op, std::vector<PartialShape> inputs, std::vector<const Tensor*> constants = {}) {
    return InferShapes(library_, op, attrs, inputs, constants);
  };
  const std::vector<const Tensor*> known = {nullptr, nullptr, &shape};
  EXPECT_EQ(infer("ScatterNd", {unknown, unknown, PartialShape::Of({2})}, known).value()[0], PartialShape::Of({4, 5}));
  EXPECT_EQ(infer("ScatterNd", {unknown, unknown, PartialShape::Of({2})}).value()[0], PartialShape::UnknownOfRank(2));
  ExpectInvalid(
      infer("ScatterNd", {PartialShape::Of({3, 1}), PartialShape::Of({3, 4}), PartialShape::Of({2})}, known).status(),
      "updates: expected shape [3,5], got [3,4]");
  EXPECT_EQ(infer("TensorScatterAdd", {PartialShape::Of({-1, 3}), unknown, unknown}).value()[0],
            PartialShape::Of({-1, 3}));
  ExpectInvalid(
      infer("TensorScatterAdd", {PartialShape::Of({4}), PartialShape::Of({3, 2}), PartialShape::Of({3})}).status(),
      "last dimension of indices");
  EXPECT_EQ(infer("SparseToDense", {unknown, PartialShape::Of({2}), unknown, unknown}, {nullptr, &shape}).value()[0],
            PartialShape::Of({4, 5}));
}

}  // namespace
}  // namespace flowlatch
