#include "ops/optional_ops.h"

#include "graph/base/status_macros.h"
#include "ops/basic_array_ops.h"
#include "ops/binary_math_ops.h"
#include "ops/kernels/numeric_variant.h"
#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class OptionalOpsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterOptionalOps(library_).ok());
    ASSERT_TRUE(RegisterBasicArrayOps(library_).ok());
    ASSERT_TRUE(RegisterBinaryMathOps(library_).ok());
  }
  absl::StatusOr<Tensor> Run(const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs) {
    ASSIGN_OR_RETURN(const std::vector<Tensor> out, OpTester(library_, op, attrs).Once().Run(inputs));
    return out[0];
  }
  Tensor Some(const std::vector<Tensor>& components) {
    std::vector<DType> dtypes;
    for (const Tensor& t : components) dtypes.push_back(t.dtype());
    return Run("OptionalFromValue", {{"Toutput_types", dtypes}}, components).value();
  }
  Tensor None() { return Run("OptionalNone", {}, {}).value(); }
  OpTester Get(std::vector<DType> dtypes, std::vector<PartialShape> shapes) {
    return OpTester(library_, "OptionalGetValue",
                    {{"output_types", std::move(dtypes)}, {"output_shapes", std::move(shapes)}});
  }
  bool HasValue(const Tensor& optional) { return Run("OptionalHasValue", {}, {optional}).value().scalar<bool>(); }

  OpLibrary library_;
  const Tensor x_ = Floats({2}, {1, 2}), text_ = Strings({}, {"a string that is not small"});
  const PartialShape any_, scalar_ = PartialShape::Of({});
};

TEST_F(OptionalOpsTest, HoldsTensorsOrNothing) {
  const Tensor some = Some({x_, text_});
  EXPECT_TRUE(HasValue(some));
  EXPECT_FALSE(HasValue(None()));
  OpTester get = Get({DType::kFloat32, DType::kString}, {PartialShape::Of({-1}), any_});
  ExpectOutputs(get, {some}, {x_, text_});
  EXPECT_TRUE(get.Run({some}).value()[0].SharesBufferWith(x_));
}

TEST_F(OptionalOpsTest, GetsOnlyWhatItExpects) {
  const Tensor some = Some({x_});
  OpTester two = Get({DType::kFloat32, DType::kFloat32}, {any_, any_}), ints = Get({DType::kInt32}, {any_}),
           three = Get({DType::kFloat32}, {PartialShape::Of({3})}), one = Get({DType::kFloat32}, {any_}),
           unequal = Get({DType::kFloat32}, {any_, any_});
  ExpectInvalid(two, {some}, "optional: expected 2 components, got 1");
  ExpectInvalid(ints, {some}, "component 0 of optional: expected int32?, got float32[2]");
  ExpectInvalid(three, {some}, "expected float32[3], got float32[2]");
  ExpectInvalid(one, {None()}, "optional: expected a value, got none");
  ExpectInvalid(one, {Tensor::Scalar(Variant())}, "optional: expected an Optional, got none");
  ExpectInvalid(one, {Of<Variant>({1}, {Variant()})}, "optional: expected a scalar, got shape [1]");
  ExpectInvalid(unequal, {some}, "attr 'output_shapes': expected 1 shapes, got 2");
  ExpectInvalid(Run("OptionalHasValue", {}, {Tensor::Scalar(Variant())}).status(), "expected an Optional, got none");
}

TEST_F(OptionalOpsTest, ZerosAndSums) {
  const AttrMap variant = {{"T", DType::kVariant}}, add = {{"T", DType::kVariant}, {"N", 2}};
  OpTester get = Get({DType::kFloat32, DType::kInt32}, {any_, any_});
  const Tensor some = Some({x_, Ints({}, {5})});
  ExpectOutputs(get, {Run("ZerosLike", variant, {some}).value()}, {Floats({2}, {0, 0}), Ints({}, {0})});
  ExpectOutputs(get, {Run("AddN", add, {some, some}).value()}, {Floats({2}, {2, 4}), Ints({}, {10})});
  EXPECT_FALSE(HasValue(Run("ZerosLike", variant, {None()}).value()));
  EXPECT_FALSE(HasValue(Run("AddN", add, {None(), None()}).value()));
  ExpectInvalid(Run("AddN", add, {some, None()}).status(), "got Optional without a value");
  ExpectInvalid(Run("AddN", add, {some, Some({x_})}).status(), "of 2 tensors, got Optional of 1 tensors");
  ExpectInvalid(Run("AddN", add, {Some({text_}), Some({text_})}).status(), "expected numbers, got string");
}

TEST_F(OptionalOpsTest, OptionalsOfOptionalsHaveAnEnd) {
  Tensor optional = None();
  for (int i = 1; i < kMaxVariantDepth; ++i) optional = Some({optional});
  ExpectInvalid(Run("OptionalFromValue", {{"Toutput_types", std::vector<DType>{DType::kVariant}}}, {optional}).status(),
                "inside each other");
}

TEST_F(OptionalOpsTest, FakeParam) {
  const auto fake = [&](DType dtype, const PartialShape& shape) {
    return OpTester(library_, "FakeParam", {{"dtype", dtype}, {"shape", shape}});
  };
  OpTester floats = fake(DType::kFloat32, PartialShape::Of({2})), open = fake(DType::kInt64, PartialShape::Of({-1, 3})),
           any = fake(DType::kString, any_);
  ExpectOutput(floats, {}, Floats({2}, {0, 0}));
  ExpectOutput(open, {}, Longs({0, 3}, {}));
  ExpectOutput(any, {}, Strings({}, {""}));
  EXPECT_EQ(
      InferShapes(library_, "FakeParam", {{"dtype", DType::kInt32}, {"shape", PartialShape::Of({-1})}}, {}).value()[0],
      PartialShape::Of({-1}));
}

TEST_F(OptionalOpsTest, Shapes) {
  const AttrMap get = {{"output_types", std::vector<DType>{DType::kInt32, DType::kInt32}},
                       {"output_shapes", std::vector<PartialShape>{PartialShape::Of({-1, 2}), any_}}};
  EXPECT_EQ(InferShapes(library_, "OptionalGetValue", get, {any_}).value(),
            (std::vector<PartialShape>{PartialShape::Of({-1, 2}), any_}));
  ExpectInvalid(InferShapes(library_, "OptionalGetValue", get, {PartialShape::Of({1})}).status(), "expected rank 0");
  EXPECT_EQ(InferShapes(library_, "OptionalHasValue", {}, {any_}).value()[0], scalar_);
  ExpectInvalid(InferShapes(library_, "OptionalHasValue", {}, {PartialShape::Of({1})}).status(), "expected rank 0");
  EXPECT_EQ(InferShapes(library_, "OptionalNone", {}, {}).value()[0], scalar_);
}

}  // namespace
}  // namespace flowlatch
