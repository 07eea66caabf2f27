#include "ops/sparse_tensors_map_ops.h"

#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using Results = absl::StatusOr<std::vector<Tensor>>;

class SparseTensorsMapOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSparseTensorsMapOps(library_).ok()); }
  Results Add(const Tensor& indices, const Tensor& values, const Tensor& shape,
              const std::string& op = "AddSparseToTensorsMap") {
    return step_.Run(op, {{"T", values.dtype()}, {"shared_name", "m"}}, {indices, values, shape});
  }
  Results AddMany(const Tensor& indices, const Tensor& values, const Tensor& shape) {
    return Add(indices, values, shape, "AddManySparseToTensorsMap");
  }
  Results Take(const Tensor& numbers, DType dtype = DType::kFloat32) {
    return step_.Run("TakeManySparseFromTensorsMap", {{"dtype", dtype}, {"shared_name", "m"}}, {numbers});
  }
  static void ExpectValues(const Results& got, const std::vector<Tensor>& want) {
    ASSERT_TRUE(got.ok()) << got.status();
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(Difference((*got)[i], want[i]), "");
  }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

TEST_F(SparseTensorsMapOpsTest, OneByOne) {
  ExpectValues(Add(Longs({2, 2}, {0, 0, 1, 3}), Floats({2}, {1, 2}), Longs({2}, {5, 6})), {Longs({}, {0})});
  ExpectValues(Add(Longs({1, 2}, {2, 2}), Floats({1}, {3}), Longs({2}, {7, 4})), {Longs({}, {1})});
  ExpectValues(Add(Longs({0, 2}, {}), Floats({0}, {}), Longs({2}, {1, 1})), {Longs({}, {2})});
  ExpectValues(Take(Longs({3}, {1, 2, 0})),
               {Longs({3, 3}, {0, 2, 2, 2, 0, 0, 2, 1, 3}), Floats({3}, {3, 1, 2}), Longs({3}, {3, 7, 6})});
  ExpectInvalid(Take(Longs({1}, {1})).status(), "sparse_handles: expected numbers of sparse tensors in 'm'");
}

TEST_F(SparseTensorsMapOpsTest, ManyAtOnce) {
  const Tensor words = Strings({3}, {"a", "b", "a word that is longer than others"});
  ExpectValues(AddMany(Longs({3, 2}, {2, 1, 0, 3, 2, 0}), words, Longs({2}, {3, 4})), {Longs({3}, {0, 1, 2})});
  ExpectValues(
      Take(Longs({2}, {2, 1}), DType::kString),
      {Longs({2, 2}, {0, 1, 0, 0}), Strings({2}, {"a", "a word that is longer than others"}), Longs({2}, {2, 4})});
  ExpectValues(AddMany(Longs({0, 2}, {}), Floats({0}, {}), Longs({2}, {0, 4})), {Longs({0}, {})});
}

TEST_F(SparseTensorsMapOpsTest, Errors) {
  const Tensor indices = Longs({1, 2}, {0, 0}), values = Floats({1}, {1}), shape = Longs({2}, {2, 2});
  for (const char* op : {"AddSparseToTensorsMap", "AddManySparseToTensorsMap"}) {
    ExpectInvalid(Add(Longs({2}, {0, 0}), values, shape, op).status(), "expected indices [n,2] and values [n]");
    ExpectInvalid(Add(indices, Floats({2}, {1, 2}), shape, op).status(), "expected indices [n,2] and values [n]");
    ExpectInvalid(Add(indices, Floats({1, 1}, {1}), shape, op).status(), "expected indices");
    ExpectInvalid(Add(indices, values, Longs({3}, {1, 1, 1}), op).status(), "expected indices [n,3]");
    ExpectInvalid(Add(indices, values, Longs({2, 1}, {2, 2}), op).status(), "sparse_shape: expected a vector");
    ExpectInvalid(Add(indices, values, Longs({2}, {-1, 2}), op).status(), "");
    ExpectInvalid(Add(indices, values, Longs({2}, {int64_t{1} << 32, int64_t{1} << 32}), op).status(), "");
  }
  ExpectInvalid(AddMany(Longs({1, 2}, {2, 0}), values, shape).status(),
                "sparse_indices[0,0]: expected a value in [0,2), got 2");
  ExpectInvalid(AddMany(Longs({1, 2}, {-1, 0}), values, shape).status(), "got -1");
  ExpectInvalid(AddMany(Longs({1, 1}, {0}), values, Longs({1}, {2})).status(),
                "sparse tensor: expected rank > 1, got 1");
  EXPECT_EQ(AddMany(indices, values, Longs({2}, {int64_t{1} << 40, 2})).status().code(),
            absl::StatusCode::kResourceExhausted);

  ASSERT_TRUE(Add(indices, values, shape).ok());
  ASSERT_TRUE(Add(Longs({1, 3}, {0, 0, 0}), values, Longs({3}, {1, 1, 1})).ok());
  ExpectInvalid(Take(Longs({2}, {0, 0})).status(), "each once, got 0");
  ExpectInvalid(Take(Longs({2}, {0, 10})).status(), "got 10");
  ExpectInvalid(Take(Longs({0}, {})).status(), "sparse_handles: expected a vector of some, got shape [0]");
  ExpectInvalid(Take(Longs({}, {0})).status(), "sparse_handles: expected a vector");
  ExpectInvalid(Take(Longs({2}, {0, 1})).status(), "expected float32 of rank 2, got float32 of rank 3");
  ASSERT_TRUE(Add(indices, values, shape).ok());
  ExpectInvalid(Take(Longs({1}, {2}), DType::kInt32).status(), "expected int32 of rank 2, got float32");
}

TEST_F(SparseTensorsMapOpsTest, Shapes) {
  const AttrMap attrs = {{"T", DType::kFloat32}};
  EXPECT_EQ(InferShapes(library_, "AddManySparseToTensorsMap", attrs, {PartialShape(), PartialShape(), PartialShape()})
                .value()[0],
            PartialShape::UnknownOfRank(1));
  ExpectInvalid(
      InferShapes(library_, "AddSparseToTensorsMap", attrs, {PartialShape::Of({1}), PartialShape(), PartialShape()})
          .status(),
      "rank");
  EXPECT_EQ(
      InferShapes(library_, "TakeManySparseFromTensorsMap", {{"dtype", DType::kFloat32}}, {PartialShape()}).value()[0],
      PartialShape::UnknownOfRank(2));
}

}  // namespace
}  // namespace flowlatch
