#include "ops/tensor_array_ops.h"

#include <limits>

#include "runtime/resource/variable.h"
#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

// All three generations.
class TensorArrayOpsTest : public testing::TestWithParam<const char*> {
 protected:
  using Results = absl::StatusOr<std::vector<Tensor>>;

  void SetUp() override { ASSERT_TRUE(RegisterTensorArrayOps(library_).ok()); }
  static bool newest() { return GetParam() == std::string("V3"); }
  static std::string Name(const std::string& op) { return "TensorArray" + op + GetParam(); }
  Results Run(const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs) {
    return step_.Run(Name(op), attrs, inputs);
  }
  Tensor New(int32_t size, AttrMap attrs = {}) {
    if (!attrs.contains("dtype")) attrs = attrs.With("dtype", DType::kFloat32);
    const Results out = Run("", attrs, {Tensor::Scalar(size)});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  absl::Status Write(const Tensor& array, int32_t index, const Tensor& value) {
    return Run("Write", {{"T", value.dtype()}}, {array, Tensor::Scalar(index), value, flow_}).status();
  }
  Results Read(const Tensor& array, int32_t index, DType dtype = DType::kFloat32) {
    return Run("Read", {{"dtype", dtype}}, {array, Tensor::Scalar(index), flow_});
  }
  Results Gather(const Tensor& array, const Tensor& indices, const PartialShape& shape = {}) {
    return Run("Gather", {{"dtype", DType::kFloat32}, {"element_shape", shape}}, {array, indices, flow_});
  }
  absl::Status Scatter(const Tensor& array, const Tensor& indices, const Tensor& value) {
    return Run("Scatter", {{"T", value.dtype()}}, {array, indices, value, flow_}).status();
  }
  Results Concat(const Tensor& array, const PartialShape& rows = {}) {
    return Run("Concat", {{"dtype", DType::kFloat32}, {"element_shape_except0", rows}}, {array, flow_});
  }
  absl::Status Split(const Tensor& array, const Tensor& value, const Tensor& lengths) {
    return Run("Split", {{"T", value.dtype()}}, {array, value, lengths, flow_}).status();
  }
  // The oldest form takes the strings that its handle refers to, as the executor would pass them.
  absl::StatusOr<Tensor> Grad(const Tensor& array, const std::string& source = "g") {
    Variable* variable = ReferencedVariable(array);
    Results out = Run("Grad", {{"source", source}}, {variable != nullptr ? variable->Read() : array, flow_});
    if (!out.ok()) return out.status();
    return (*out)[0];
  }
  int32_t Size(const Tensor& array) { return Run("Size", {}, {array, flow_}).value()[0].scalar<int32_t>(); }
  void ExpectRead(const Tensor& array, int32_t index, const Tensor& want) {
    const Results got = Read(array, index, want.dtype());
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(Difference((*got)[0], want), "") << "element " << index;
  }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
  const Tensor flow_ = Tensor::Scalar(0.5f);
  const Tensor x_ = Floats({2}, {1, 2}), y_ = Floats({2}, {3, 4});
  const AttrMap keep_ = {{"clear_after_read", false}}, grow_ = {{"dynamic_size", true}, {"clear_after_read", false}};
};

INSTANTIATE_TEST_SUITE_P(Generations, TensorArrayOpsTest, testing::Values("", "V2", "V3"));

TEST_P(TensorArrayOpsTest, WritesAndReads) {
  const Tensor array = New(2), other = New(2);
  const Results written = Run("Write", {{"T", DType::kFloat32}}, {array, Tensor::Scalar(1), x_, flow_});
  ASSERT_TRUE(written.ok()) << written.status();
  EXPECT_EQ(Difference((*written)[0], flow_), "");
  ASSERT_TRUE(Write(array, 0, Floats({}, {5})).ok());
  EXPECT_EQ(Size(array), 2);
  ExpectRead(array, 1, x_);
  ExpectRead(array, 0, Floats({}, {5}));
  EXPECT_FALSE(Read(other, 0).ok());
  const Tensor strings = New(1, {{"dtype", DType::kString}});
  ASSERT_TRUE(Write(strings, 0, Tensor::Scalar("a string that is not small")).ok());
  ExpectRead(strings, 0, Tensor::Scalar("a string that is not small"));
  if (newest()) {
    EXPECT_EQ(Run("", {{"dtype", DType::kFloat32}}, {Tensor::Scalar(1)}).value()[1].dtype(), DType::kFloat32);
  }
}

TEST_P(TensorArrayOpsTest, ElementsAreWrittenOnceAndReadAsOftenAsTheyMay) {
  const Tensor once = New(2), often = New(2, keep_);
  for (const Tensor& array : {once, often}) ASSERT_TRUE(Write(array, 0, x_).ok());
  ExpectInvalid(Write(once, 0, y_), "expected to be written once, got a second write");
  ExpectRead(once, 0, x_);
  ExpectInvalid(Read(once, 0).status(), "expected to be read once, got a second read");
  ExpectInvalid(Write(once, 0, y_), "got a write after a read");
  ExpectRead(often, 0, x_);
  ExpectRead(often, 0, x_);
  ExpectInvalid(Write(often, 0, y_), "got a write after a read");
}

TEST_P(TensorArrayOpsTest, Grows) {
  const Tensor array = New(0, grow_), fixed = New(1);
  ASSERT_TRUE(Write(array, 2, x_).ok());
  EXPECT_EQ(Size(array), 3);
  ExpectRead(array, 2, x_);
  ExpectInvalid(Write(array, -1, x_), "expected a value in [0,3), got -1");
  ExpectInvalid(Write(fixed, 1, x_), "expected a value in [0,1), got 1");
  ExpectInvalid(Read(array, 3).status(), "expected a value in [0,3), got 3");
  ExpectInvalid(Run("", {{"dtype", DType::kFloat32}}, {Tensor::Scalar(-1)}).status(), "size: expected no negative");
  ExpectInvalid(Run("", {{"dtype", DType::kFloat32}}, {Ints({1}, {1})}).status(), "size: expected a scalar");
  const Tensor many = Tensor::Scalar(std::numeric_limits<int32_t>::max());
  EXPECT_EQ(Run("", {{"dtype", DType::kFloat32}}, {many}).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST_P(TensorArrayOpsTest, ShapesAndTypesOfElements) {
  const Tensor array = New(2, {{"element_shape", PartialShape::Of({-1})}});
  ExpectInvalid(Write(array, 0, Floats({}, {1})), "expected shape [?], got []");
  ExpectInvalid(Write(array, 0, Ints({1}, {1})), "expected float32, got int32");
  ExpectInvalid(Read(array, 0, DType::kInt32).status(), "expected one of int32, got one of float32");
  ASSERT_TRUE(Write(array, 0, x_).ok());
  ASSERT_TRUE(Write(array, 1, Floats({3}, {1, 2, 3})).ok());
  if (!newest()) return;  // older ones do not know the attr
  const Tensor alike = New(2, {{"identical_element_shapes", true}});
  ASSERT_TRUE(Write(alike, 0, x_).ok());
  ExpectInvalid(Write(alike, 1, Floats({3}, {1, 2, 3})), "expected shape [2], got [3]");
}

TEST_P(TensorArrayOpsTest, ElementsThatNobodyWroteAreZerosIfTheirShapeIsKnown) {
  ExpectRead(New(1, {{"element_shape", PartialShape::Of({2})}}), 0, Floats({2}, {0, 0}));
  ExpectInvalid(Read(New(1, {{"element_shape", PartialShape::Of({-1})}}), 0).status(),
                "expected to be written before it is read, or a complete element_shape, got [?]");
}

TEST_P(TensorArrayOpsTest, GathersAndScatters) {
  const Tensor array = New(3, keep_);
  ASSERT_TRUE(Scatter(array, Ints({2}, {2, 0}), Floats({2, 2}, {1, 2, 3, 4})).ok());
  EXPECT_EQ(Difference(Gather(array, Ints({3}, {0, 2, 0})).value()[0], Floats({3, 2}, {3, 4, 1, 2, 3, 4})), "");
  ExpectInvalid(Gather(array, Ints({1}, {3})).status(), "expected a value in [0,3), got 3");
  ExpectInvalid(Gather(array, Ints({}, {0})).status(), "indices: expected a vector");
  ExpectInvalid(Gather(array, Ints({1}, {0}), PartialShape::Of({3})).status(),
                "element 0: expected shape [3], got [2]");
  EXPECT_EQ(Difference(Gather(New(0), Ints({0}, {}), PartialShape::Of({2})).value()[0], Floats({0, 2}, {})), "");
  EXPECT_EQ(Gather(New(0), Ints({0}, {})).status().code(), absl::StatusCode::kUnimplemented);
  const Tensor fixed = New(2, keep_), growing = New(0, grow_);
  ExpectInvalid(Scatter(fixed, Ints({2}, {0, 2}), x_), "indices[1]: expected a value in [0,2), got 2");
  ExpectInvalid(Scatter(fixed, Ints({1}, {0}), x_), "indices: expected shape [2], got [1]");
  ExpectInvalid(Scatter(fixed, Ints({1}, {0}), Floats({}, {1})), "value: expected rank >= 1, got a scalar");
  ExpectInvalid(Scatter(growing, Ints({2}, {0, -1}), x_), "indices[1]");
  ASSERT_TRUE(Scatter(growing, Ints({2}, {0, 4}), x_).ok());
  EXPECT_EQ(Size(growing), 5);
  ASSERT_TRUE(Write(growing, 1, y_).ok());
  ExpectInvalid(Gather(growing, Ints({2}, {0, 1})).status(), "item 1 to stack: expected shape [], got [2]");
  ExpectInvalid(
      Gather(New(1, {{"element_shape", PartialShape::Of({2})}}), Ints({1}, {0}), PartialShape::Of({3})).status(),
      "element_shape: expected one like that of tensor array");
}

TEST_P(TensorArrayOpsTest, SplitsAndConcatenates) {
  const Tensor array = New(3, keep_);
  const Tensor value = Floats({3, 2}, {1, 2, 3, 4, 5, 6}), lengths = Longs({3}, {2, 0, 1});
  ASSERT_TRUE(Split(array, value, lengths).ok());
  ExpectRead(array, 1, Floats({0, 2}, {}));
  const Results joined = Concat(array, PartialShape::Of({2}));
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(Difference((*joined)[0], value), "");
  EXPECT_EQ(Difference((*joined)[1], lengths), "");
  ExpectInvalid(Concat(array, PartialShape::Of({3})).status(), "element 0 to concatenate: expected rows of shape [3]");
  EXPECT_EQ(Difference(Concat(New(0), PartialShape::Of({2})).value()[0], Floats({0, 2}, {})), "");
  EXPECT_EQ(Concat(New(0)).status().code(), absl::StatusCode::kUnimplemented);
  const Tensor fixed = New(2, keep_), growing = New(0, grow_);
  ExpectInvalid(Split(fixed, value, lengths), "expected 2 elements, got 3");
  ExpectInvalid(Split(fixed, value, Longs({2}, {-1, 4})), "lengths[0]: expected a value in [0,3]");
  ExpectInvalid(Split(fixed, value, Longs({2}, {1, 1})), "sum of lengths: expected 3, got 2");
  ExpectInvalid(Split(fixed, Floats({}, {1}), lengths), "value: expected rank >= 1");
  ASSERT_TRUE(Split(growing, x_, Longs({2}, {1, 1})).ok());
  EXPECT_EQ(Size(growing), 2);
  ASSERT_TRUE(Write(fixed, 0, x_).ok() && Write(fixed, 1, value).ok());
  ExpectInvalid(Concat(fixed).status(), "element 1 to concatenate: expected rows of shape [], got [2]");
  const Tensor scalars = New(1);
  ASSERT_TRUE(Write(scalars, 0, Floats({}, {1})).ok());
  ExpectInvalid(Concat(scalars).status(), "expected rank >= 1, got a scalar");
}

TEST_P(TensorArrayOpsTest, GradientsAddUp) {
  const Tensor array = New(2, grow_);
  ASSERT_TRUE(Write(array, 0, x_).ok());
  const Tensor gradient = Grad(array).value(), same = Grad(array).value(), other = Grad(array, "h").value();
  ASSERT_TRUE(Write(gradient, 0, x_).ok());
  ASSERT_TRUE(Write(same, 0, y_).ok());
  ExpectInvalid(Write(gradient, 0, Floats({3}, {1, 2, 3})), "expected the shape of what it is added to, [2], got [3]");
  ExpectRead(gradient, 0, Floats({2}, {4, 6}));
  EXPECT_EQ(x_.data<float>()[0], 1);          // the sum has memory of its own
  ExpectRead(other, 0, Floats({2}, {0, 0}));  // nobody wrote it, but its shape is known
  ExpectInvalid(Read(other, 1).status(), "expected to be written before it is read");
  ExpectInvalid(Write(array, 2, x_), "expected a value in [0,2), got 2");  // it does not grow any more
  ExpectInvalid(Grad(gradient).status(), "expected elements that were written once, got sums");
  // Sums go on in place.
  const Tensor three = Grad(array, "three").value();
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Write(three, 0, x_).ok());
  ExpectRead(three, 0, Floats({2}, {3, 6}));
}

// The gradient of a Split is a Concat of as many elements, however many were written later.
TEST_P(TensorArrayOpsTest, GradientsOfSplitsHaveTheirSize) {
  const Tensor array = New(0, grow_);
  ASSERT_TRUE(Split(array, x_, Longs({2}, {1, 1})).ok());
  ASSERT_TRUE(Write(array, 2, Floats({1}, {3})).ok());
  EXPECT_EQ(Difference(Concat(Grad(array).value()).value()[0], Floats({2}, {0, 0})), "");
  EXPECT_EQ(Difference(Concat(array).value()[0], Floats({3}, {1, 2, 3})), "");
}

TEST_P(TensorArrayOpsTest, Closes) {
  const Tensor array = New(1);
  const Tensor gradient = Grad(array).value();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Run("Close", {}, {array}).ok());
  for (const absl::Status& status : {Write(array, 0, x_), Read(array, 0).status(), Grad(array).status(),
                                     Run("Size", {}, {array, flow_}).status(), Concat(array).status()}) {
    ExpectInvalid(status, "expected an open one, got a closed one");
  }
  ASSERT_TRUE(Write(gradient, 0, x_).ok());
}

TEST_P(TensorArrayOpsTest, HandlesOfOtherThings) {
  const Tensor bad = newest() ? Tensor::Scalar(ResourceHandle()) : Strings({1}, {"x"});
  ExpectInvalid(Read(bad, 0).status(), newest() ? "empty" : "handle: expected two strings, got string[1]");
  if (newest()) return;
  const Tensor array = New(1);
  StepRunner other(library_, &resources_);
  EXPECT_EQ(other.Run(Name("Close"), {}, {array}).status().code(), absl::StatusCode::kNotFound);
}

class OneGenerationTest : public TensorArrayOpsTest {};
INSTANTIATE_TEST_SUITE_P(Oldest, OneGenerationTest, testing::Values(""));

TEST_P(OneGenerationTest, PacksAndUnpacks) {
  const Tensor array = New(2, keep_);
  const AttrMap attrs = {{"T", DType::kFloat32}, {"dtype", DType::kFloat32}};
  ASSERT_TRUE(step_.Run("TensorArrayUnpack", attrs.Without("dtype"), {array, Floats({2, 1}, {1, 2}), flow_}).ok());
  EXPECT_EQ(
      Difference(step_.Run("TensorArrayPack", attrs.Without("T"), {array, flow_}).value()[0], Floats({2, 1}, {1, 2})),
      "");
  ExpectInvalid(step_.Run("TensorArrayUnpack", attrs.Without("dtype"), {New(3), x_, flow_}).status(),
                "expected 3 elements, got 2");
}

class NewestGenerationTest : public TensorArrayOpsTest {};
INSTANTIATE_TEST_SUITE_P(Newest, NewestGenerationTest, testing::Values("V3"));

TEST_P(NewestGenerationTest, GradWithShape) {
  const Tensor array = New(1);
  ASSERT_TRUE(Write(array, 0, x_).ok());
  const Results out = step_.Run("TensorArrayGradWithShape", {{"source", "g"}}, {array, flow_, Ints({1}, {3})});
  ASSERT_TRUE(out.ok()) << out.status();
  ExpectRead((*out)[0], 0, Floats({3, 2}, {0, 0, 0, 0, 0, 0}));
  ExpectInvalid(step_.Run("TensorArrayGradWithShape", {{"source", "h"}}, {array, flow_, Ints({1}, {-3})}).status(),
                "-3");
}

TEST_P(NewestGenerationTest, Shapes) {
  const PartialShape scalar = PartialShape::Of({}), unknown;
  const auto infer = [&](const std::string& op, const AttrMap& attrs, std::vector<PartialShape> inputs,
                         const HandleData* held, HandleData* made = nullptr) -> std::vector<PartialShape> {
    const OpSchema* schema = library_.registry().FindRegistered(op);
    const int num_outputs = static_cast<int>(schema->OutputTypes(attrs)->size());
    std::vector<const Tensor*> constants(inputs.size(), nullptr);
    ShapeContext c(*schema, attrs, std::move(inputs), std::move(constants), num_outputs);
    c.SetInputHandles({held});
    const absl::Status status = schema->shape_function()(c);
    if (!status.ok()) return {};
    if (made != nullptr && !c.output_handles().empty()) *made = c.output_handles()[0].value();
    return c.outputs();
  };
  const AttrMap dtype = {{"dtype", DType::kFloat32}}, t = {{"T", DType::kFloat32}};
  HandleData held, gradient, with_shape;
  EXPECT_EQ(infer("TensorArrayV3", dtype.With("element_shape", PartialShape::Of({-1, 3})), {scalar}, nullptr, &held),
            (std::vector<PartialShape>{unknown, scalar}));
  EXPECT_EQ(held.shape, PartialShape::Of({-1, 3}));
  infer("TensorArrayGradV3", {{"source", "g"}}, {unknown, scalar}, &held, &gradient);
  EXPECT_EQ(gradient.shape, held.shape);
  infer("TensorArrayGradWithShape", {{"source", "g"}}, {unknown, scalar, PartialShape::Of({1})}, &held, &with_shape);
  EXPECT_EQ(with_shape.shape, PartialShape::Of({-1, -1, 3}));
  EXPECT_EQ(infer("TensorArrayReadV3", dtype, {unknown, scalar, scalar}, &held)[0], held.shape);
  EXPECT_EQ(infer("TensorArrayGatherV3", dtype.With("element_shape", PartialShape::Of({2, -1})),
                  {unknown, PartialShape::Of({5}), scalar}, &held)[0],
            PartialShape::Of({5, 2, 3}));
  EXPECT_EQ(infer("TensorArrayConcatV3", dtype.With("element_shape_except0", PartialShape::Of({3})), {unknown, scalar},
                  &held)[0],
            PartialShape::Of({-1, 3}));
  EXPECT_EQ(infer("TensorArrayWriteV3", t, {unknown, scalar, PartialShape::Of({4, 3}), scalar}, &held)[0], scalar);
  EXPECT_TRUE(infer("TensorArrayWriteV3", t, {unknown, scalar, PartialShape::Of({4, 4}), scalar}, &held).empty());
  EXPECT_EQ(infer("TensorArrayScatterV3", t, {unknown, unknown, PartialShape::Of({7, 4, 3}), scalar}, &held)[0],
            scalar);
  EXPECT_TRUE(infer("TensorArrayScatterV3", t, {unknown, unknown, PartialShape::Of({7, 4, 4}), scalar}, &held).empty());
  EXPECT_EQ(infer("TensorArraySplitV3", t, {unknown, unknown, unknown, scalar}, &held)[0], scalar);
  EXPECT_EQ(infer("TensorArraySizeV3", {}, {unknown, scalar}, &held)[0], scalar);
}

}  // namespace
}  // namespace flowlatch
