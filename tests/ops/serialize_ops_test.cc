#include "ops/serialize_ops.h"

#include <string>

#include "graph/tensor/object.h"
#include "tests/ops/numbers.h"
#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

using namespace std::string_view_literals;

class SerializeOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSerializeOps(library_).ok()); }
  OpTester Serialize(DType dtype) { return OpTester(library_, "SerializeTensor", {{"T", dtype}}); }
  OpTester Parse(DType dtype) { return OpTester(library_, "ParseTensor", {{"out_type", dtype}}); }
  OpTester Sparse(const char* op, DType out = DType::kString) { return OpTester(library_, op, {{"T", DType::kInt32}, {"out_type", out}}); }
  OpTester Back(DType serialized = DType::kString, DType dtype = DType::kInt32) {
    return OpTester(library_, "DeserializeSparse", {{"dtype", dtype}, {"Tserialized", serialized}});
  }
  Tensor First(OpTester& op, const std::vector<Tensor>& inputs) {
    const auto out = op.Once().Run(inputs);  // variants cannot be compared
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  // The same serialized tensors in another shape, `times` times.
  Tensor Repeat(const Tensor& serialized, int times, std::initializer_list<int64_t> dims) {
    std::vector<String> all;
    for (int i = 0; i < times; ++i) all.insert(all.end(), serialized.values<String>().begin(), serialized.values<String>().end());
    return *Tensor::FromValues<String>(Shape::Of(dims), all);
  }

  OpLibrary library_;
  const Tensor places_ = Rows({{0, 1}, {1, 0}, {1, 1}}), values_ = Ints({3}, {1, 2, 3}), shape_ = Dense({3, 2});
};

TEST_F(SerializeOpsTest, BytesAreTensorFlows) {
  const struct {
    Tensor tensor;
    std::string_view bytes;
  } cases[] = {
      {Ints({3}, {1, 2, 3}), "\x08\x03\x12\x04\x12\x02\x08\x03\"\x0c\x01\0\0\0\x02\0\0\0\x03\0\0\0"sv},
      {Strings({2}, {"a", "bc"}), "\x08\x07\x12\x04\x12\x02\x08\x02" "B\x01" "aB\x02" "bc"sv},
      {Tensor::Scalar(1.5f), "\x08\x01\x12\0\"\x04\0\0\xc0?"sv},
      {Bools({2}, {true, false}), "\x08\n\x12\x04\x12\x02\x08\x02\"\x02\x01\0"sv},
      {Floats({0, 2}, {}), "\x08\x01\x12\x06\x12\0\x12\x02\x08\x02"sv},
      {Floats({2}, {1, 1}), "\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\0\0\x80?\0\0\x80?"sv},
  };
  for (const auto& [tensor, bytes] : cases) {
    SCOPED_TRACE(tensor.DebugString());
    OpTester serialize = Serialize(tensor.dtype()), parse = Parse(tensor.dtype());
    ExpectOutput(serialize, {tensor}, Tensor::Scalar(bytes));
    ExpectOutput(parse, {Tensor::Scalar(bytes)}, tensor);
  }
  for (const DType dtype : DTypesIn(kNumberTypes)) {
    OpTester serialize = Serialize(dtype), parse = Parse(dtype);
    const Tensor x = Numbers(dtype, {2, 2}, {1, 2, 3, 4});
    ExpectOutput(parse, {First(serialize, {x})}, x);
  }
}

TEST_F(SerializeOpsTest, ParseErrors) {
  OpTester ints = Parse(DType::kInt32), longs = Parse(DType::kInt64), serialize = Serialize(DType::kInt32);
  const Tensor bytes = First(serialize, {values_});
  ExpectInvalid(longs, {bytes}, "serialized: expected int64, got int32");
  ExpectInvalid(ints, {Tensor::Scalar("\xff\xff")}, "serialized: expected a TensorProto, got other bytes");
  ExpectInvalid(ints, {Tensor::Scalar("")}, "");
  ExpectInvalid(ints, {Strings({1}, {""})}, "serialized: expected a scalar, got shape [1]");
}

TEST_F(SerializeOpsTest, OneSparseTensor) {
  for (const DType out : {DType::kString, DType::kVariant}) {
    OpTester serialize = Sparse("SerializeSparse", out), back = Back(out);
    const Tensor serialized = First(serialize, {places_, values_, shape_});
    EXPECT_EQ(serialized.ShapeString(), "[3]");
    ExpectOutputs(back, {serialized}, {places_, values_, shape_});
    ExpectInvalid(serialize, {places_, values_, Longs({1, 2}, {3, 2})}, "sparse tensor: expected a matrix and two vectors");
  }
}

TEST_F(SerializeOpsTest, ManySparseTensors) {
  for (const DType out : {DType::kString, DType::kVariant}) {
    OpTester serialize = Sparse("SerializeManySparse", out), back = Back(out);
    const Tensor serialized = First(serialize, {places_, values_, shape_});
    EXPECT_EQ(serialized.ShapeString(), "[3,3]");
    ExpectOutputs(back, {serialized}, {places_, values_, shape_});
  }
  OpTester serialize = Sparse("SerializeManySparse"), many(library_, "DeserializeManySparse", {{"dtype", DType::kInt32}});
  ExpectOutputs(many, {First(serialize, {places_, values_, shape_})}, {places_, values_, shape_});
  ExpectInvalid(serialize, {Rows({{1, 1}, {0, 0}, {2, 0}}), values_, shape_}, "sparse_indices[1]: expected one after that before it");
  ExpectInvalid(serialize, {Rows({{0, 0}, {0, 0}, {2, 0}}), values_, shape_}, "sparse_indices[1]: expected one after that before it");
  ExpectInvalid(serialize, {Rows({{5, 1}}), Ints({1}, {1}), shape_}, "sparse_indices[0]: expected a place in shape [3,2]");
  ExpectInvalid(serialize, {Rows({{1}}), Ints({1}, {1}), Dense({3})}, "sparse_shape: expected at least 2 dimensions, got 1");
}

TEST_F(SerializeOpsTest, StringsOfSparseTensorsArePacked) {
  OpTester serialize(library_, "SerializeSparse", {{"T", DType::kString}}), back = Back(DType::kString, DType::kString);
  const Tensor serialized = First(serialize, {Rows({{0, 1}, {1, 0}}), Strings({2}, {"a", "bc"}), Dense({2, 2})});
  EXPECT_EQ(serialized.data<String>()[1].view(), "\x08\x07\x12\x04\x12\x02\x08\x02\"\x05\x01\x02" "abc"sv);
  ExpectOutputs(back, {serialized}, {Rows({{0, 1}, {1, 0}}), Strings({2}, {"a", "bc"}), Dense({2, 2})});
}

TEST_F(SerializeOpsTest, Stacked) {
  OpTester serialize = Sparse("SerializeSparse"), back = Back(), floats = Back(DType::kString, DType::kFloat32);
  const Tensor one = First(serialize, {Rows({{0, 1}}), Ints({1}, {7}), Dense({2, 2})});
  ExpectOutputs(back, {Repeat(one, 4, {2, 2, 3})},
                {Rows({{0, 0, 0, 1}, {0, 1, 0, 1}, {1, 0, 0, 1}, {1, 1, 0, 1}}), Ints({4}, {7, 7, 7, 7}), Dense({2, 2, 2, 2})});
  const Tensor large = First(serialize, {Rows({{2, 4}}), Ints({1}, {8}), Dense({3, 5})});
  std::vector<String> both(one.values<String>().begin(), one.values<String>().end());
  both.insert(both.end(), large.values<String>().begin(), large.values<String>().end());
  ExpectOutputs(back, {*Tensor::FromValues<String>(Shape::Of({2, 3}), both)}, {Rows({{0, 0, 1}, {1, 2, 4}}), Ints({2}, {7, 8}), Dense({2, 3, 5})});
  const Tensor flat = First(serialize, {Rows({{0}}), Ints({1}, {1}), Dense({2})});
  std::copy(flat.values<String>().begin(), flat.values<String>().end(), both.begin() + 3);
  ExpectInvalid(back, {*Tensor::FromValues<String>(Shape::Of({2, 3}), both)}, "serialized_sparse 1: expected 2 dimensions as the first has, got 1");
  ExpectInvalid(floats, {one}, "values of a serialized sparse tensor: expected float32, got int32");
  ExpectInvalid(back, {Strings({3}, {"a", "b", "c"})}, "serialized: expected a TensorProto");
  for (const Tensor& bad : {Strings({2}, {"a", "b"}), Strings({0, 3}, {}), Tensor::Scalar("a")}) ExpectInvalid(back, {bad}, "expected shape [..,3]");
  OpTester variants = Back(DType::kVariant);
  ExpectInvalid(variants, {*Tensor::Make(DType::kVariant, Shape::Of({3}))}, "serialized 0: expected a tensor in the variant");
}

TEST_F(SerializeOpsTest, Shapes) {
  const PartialShape u;
  const AttrMap attrs{{"T", DType::kInt32}};
  EXPECT_EQ((*InferShapes(library_, "SerializeSparse", attrs, {u, u, u}))[0], PartialShape::Of({3}));
  EXPECT_EQ((*InferShapes(library_, "SerializeManySparse", attrs, {u, u, u}, {nullptr, nullptr, &shape_}))[0], PartialShape::Of({3, 3}));
  EXPECT_EQ((*InferShapes(library_, "DeserializeSparse", {{"dtype", DType::kInt32}}, {u}))[0], PartialShape::Of({-1, -1}));
  ExpectInvalid(InferShapes(library_, "DeserializeSparse", {{"dtype", DType::kInt32}}, {PartialShape::Of({2})}).status(), "expected shape [..,3]");
  EXPECT_EQ((*InferShapes(library_, "ParseTensor", {{"out_type", DType::kInt32}}, {u}))[0], u);
}

}  // namespace
}  // namespace flowlatch
