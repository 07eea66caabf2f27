#include "ops/random_shuffle_ops.h"

#include <algorithm>

#include "graph/base/status_macros.h"
#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

class RandomShuffleOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRandomShuffleOps(library_).ok()); }
  absl::StatusOr<Kernel> Make(const AttrMap& attrs) {
    const OpSchema* schema = library_.registry().FindRegistered("RandomShuffle");
    ASSIGN_OR_RETURN(const std::vector<PortType> inputs, schema->InputTypes(attrs));
    ASSIGN_OR_RETURN(const std::vector<PortType> outputs, schema->OutputTypes(attrs));
    return library_.MakeKernel(NodeInfo("shuffle", *schema, attrs, inputs, outputs));
  }
  // The next execution of a kernel.
  Tensor Run(const Kernel& kernel, Tensor value) {
    const uint32_t slot = 0;
    Tensor output;
    KernelCall call(&step_, &value, &slot, &output, kernel.state.get(), 1, 1, 0, 0);
    EXPECT_EQ(kernel.fn(call), KernelStatus::kOk);
    return output;
  }
  static AttrMap Seeds(int64_t seed, int64_t seed2, DType dtype = DType::kInt32) {
    return {{"T", dtype}, {"seed", seed}, {"seed2", seed2}};
  }
  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

// TensorFlow's results for these seeds.
TEST_F(RandomShuffleOpsTest, SeedsNameTheOrder) {
  const Kernel vector = Make(Seeds(1, 2)).value(), matrix = Make(Seeds(1, 2)).value();
  const Tensor x = Ints({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(Difference(Run(vector, x), Ints({10}, {9, 0, 8, 6, 1, 3, 7, 2, 4, 5})), "");
  EXPECT_EQ(Difference(Run(vector, x), Ints({10}, {8, 7, 4, 3, 2, 1, 9, 5, 6, 0})), "");
  EXPECT_EQ(Difference(Run(vector, x), Ints({10}, {3, 0, 9, 6, 4, 5, 2, 8, 1, 7})), "");
  const Tensor rows = Ints({6, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  EXPECT_EQ(Difference(Run(matrix, rows), Ints({6, 2}, {10, 11, 2, 3, 8, 9, 0, 1, 6, 7, 4, 5})), "");
  EXPECT_EQ(Difference(Run(matrix, rows), Ints({6, 2}, {10, 11, 2, 3, 8, 9, 0, 1, 4, 5, 6, 7})), "");
}

TEST_F(RandomShuffleOpsTest, KeepsTheRows) {
  const Kernel kernel = Make(Seeds(0, 0, DType::kString)).value();
  const Tensor got = Run(kernel, Strings({3}, {"a", "b", "a string that is not small"}));
  std::vector<std::string> values;
  for (const String& s : got.values<String>()) values.emplace_back(s.view());
  EXPECT_THAT(values, testing::UnorderedElementsAre("a", "b", "a string that is not small"));
}

TEST_F(RandomShuffleOpsTest, NothingToShuffle) {
  const Kernel kernel = Make(Seeds(1, 2)).value();
  for (const Tensor& x : {Tensor::Scalar(1), Ints({1, 3}, {1, 2, 3}), Ints({0}, {}), Ints({3, 0}, {})}) {
    EXPECT_EQ(Difference(Run(kernel, x), x), "");
  }
  EXPECT_EQ(Run(kernel, Ints({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})).data<int32_t>()[0], 9);  // no draw was taken
  EXPECT_EQ(InferShapes(library_, "RandomShuffle", Seeds(1, 2), {PartialShape::Of({-1, 2})}).value()[0],
            PartialShape::Of({-1, 2}));
}

}  // namespace
}  // namespace flowlatch
