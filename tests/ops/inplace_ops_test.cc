#include "ops/inplace_ops.h"

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

class InplaceOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterInplaceOps(library_).ok()); }
  OpTester Op(const std::string& name, DType dtype = DType::kFloat32) {
    return OpTester(library_, name, {{"T", dtype}});
  }
  OpLibrary library_;
};

TEST_F(InplaceOpsTest, UpdatesRowsInOrder) {
  const std::vector<std::pair<std::string, Tensor>> cases = {
      {"InplaceUpdate", Floats({3, 2}, {30, 40, 3, 4, 50, 60})},
      {"InplaceAdd", Floats({3, 2}, {41, 62, 3, 4, 55, 66})},
      {"InplaceSub", Floats({3, 2}, {-39, -58, 3, 4, -45, -54})},
  };
  const Tensor x = Floats({3, 2}, {1, 2, 3, 4, 5, 6}), v = Floats({3, 2}, {10, 20, 30, 40, 50, 60});
  for (const auto& [name, want] : cases) {
    SCOPED_TRACE(name);
    OpTester op = Op(name);
    ExpectOutput(op, {x, Ints({3}, {0, 0, 2}), v}, want);
    ExpectOutput(op, {x, Ints({3}, {3, -3, -4}), v}, want);  // modulo the number of rows
    ExpectOutput(op, {x, Ints({0}, {}), Floats({0, 2}, {})}, x);
    EXPECT_EQ(x.data<float>()[0], 1);
  }
}

TEST_F(InplaceOpsTest, EmptyTensors) {
  OpTester op = Op("InplaceAdd");
  ExpectOutput(op, {Floats({0, 2}, {}), Ints({1}, {0}), Floats({1, 2}, {1, 1})}, Floats({0, 2}, {}));
  ExpectOutput(op, {Floats({2, 0}, {}), Ints({1}, {7}), Floats({1, 0}, {})}, Floats({2, 0}, {}));
}

TEST_F(InplaceOpsTest, EveryKindOfElement) {
  const auto check = [&](const char* name, const Tensor& x, const Tensor& v, const Tensor& want) {
    OpTester op = Op(name, x.dtype());
    ExpectOutput(op, {x, Ints({1}, {1}), v}, want);
  };
  check("InplaceUpdate", Strings({2}, {"a", "b"}), Strings({1}, {"a string too long to be small"}),
        Strings({2}, {"a", "a string too long to be small"}));
  check("InplaceUpdate", Bools({2}, {true, true}), Bools({1}, {false}), Bools({2}, {true, false}));
  check("InplaceAdd", Of<uint8_t>({2}, {1, 255}), Of<uint8_t>({1}, {2}), Of<uint8_t>({2}, {1, 1}));
  check("InplaceSub", Longs({2}, {1, 2}), Longs({1}, {5}), Longs({2}, {1, -3}));
  check("InplaceAdd", Of<Half, float>({2}, {1, 2}), Of<Half, float>({1}, {0.5}), Of<Half, float>({2}, {1, 2.5}));
  using C = std::complex<float>;
  check("InplaceSub", Of<C>({2}, {1, C(2, 3)}), Of<C>({1}, {C(1, 1)}), Of<C>({2}, {1, C(1, 2)}));
}

TEST_F(InplaceOpsTest, WritesInPlaceOnlyWhenNobodyElseNeedsTheTensor) {
  ResourceManager resources;
  StepRunner step(library_, &resources);
  for (const bool forwards : {false, true}) {
    step.set_forwards_inputs(forwards);
    Tensor x = *Floats({2}, {1, 2}).Clone();
    const void* memory = x.raw_data();
    const Tensor reader = forwards ? Tensor() : x;
    std::vector<Tensor> inputs(3);
    inputs[0] = std::move(x);
    inputs[1] = Ints({1}, {0});
    inputs[2] = Floats({1}, {5});
    const auto y = step.Run("InplaceAdd", {{"T", DType::kFloat32}}, std::move(inputs));
    ASSERT_TRUE(y.ok()) << y.status();
    EXPECT_EQ(Difference((*y)[0], Floats({2}, {6, 2})), "");
    EXPECT_EQ((*y)[0].raw_data() == memory, forwards);
  }
}

TEST_F(InplaceOpsTest, Errors) {
  OpTester op = Op("InplaceUpdate");
  const Tensor x = Floats({3, 2}, {1, 2, 3, 4, 5, 6});
  ExpectInvalid(op, {x, Ints({}, {1}), Floats({2}, {1, 1})}, "expected at least one dimension and a vector");
  ExpectInvalid(op, {x, Ints({1, 1}, {1}), Floats({1, 2}, {1, 1})}, "expected at least one dimension and a vector");
  ExpectInvalid(op, {Floats({}, {1}), Ints({1}, {0}), Floats({1}, {1})}, "expected at least one dimension");
  ExpectInvalid(op, {x, Ints({2}, {0, 1}), Floats({1, 2}, {1, 1})}, "v: expected shape [2,2], got [1,2]");
  ExpectInvalid(op, {x, Ints({1}, {0}), Floats({1, 3}, {1, 1, 1})}, "v: expected shape [1,2], got [1,3]");
  ExpectInvalid(op, {x, Ints({1}, {0}), Floats({1}, {1})}, "v: expected shape [1,2], got [1]");
  EXPECT_EQ(
      Op("InplaceAdd", DType::kString).Run({Strings({1}, {""}), Ints({1}, {0}), Strings({1}, {""})}).status().code(),
      absl::StatusCode::kUnimplemented);
}

TEST_F(InplaceOpsTest, ShapeFunction) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  for (const PartialShape& x : {PartialShape(), PartialShape::Of({-1, 2}), PartialShape::Of({3})}) {
    EXPECT_EQ((*InferShapes(library_, "InplaceAdd", attrs, {x, PartialShape(), PartialShape()}))[0].ToString(),
              x.ToString());
  }
}

}  // namespace
}  // namespace flowlatch
