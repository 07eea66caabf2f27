#include "graph/tensor/tensor.h"

#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class CountedVariant final : public VariantObject {
 public:
  explicit CountedVariant(int* live) : live_(live) { ++*live_; }
  ~CountedVariant() override { --*live_; }
  std::string TypeName() const override { return "counted"; }

 private:
  int* live_;
};

void ExpectInvalid(const absl::Status& status, const std::string& text) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(text));
}

TEST(TensorTest, NoValue) {
  const Tensor none;
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(none.dtype(), DType::kInvalid);
  EXPECT_EQ(none.DebugString(), "none");
  EXPECT_TRUE(Tensor::Dead().is_dead());
  EXPECT_EQ(Tensor::Dead().DebugString(), "dead");
}

TEST(TensorTest, ScalarsAreInline) {
  Tensor t = Tensor::Scalar(2.5f);
  EXPECT_TRUE(t.is_scalar() && t.has_value());
  EXPECT_EQ(t.dtype(), DType::kFloat32);
  EXPECT_EQ(t.num_elements(), 1);
  EXPECT_EQ(t.size_bytes(), 4);
  EXPECT_EQ(t.scalar<float>(), 2.5f);
  Tensor copy = t;
  copy.mutable_data<float>()[0] = 3;
  EXPECT_EQ(t.scalar<float>(), 2.5f);  // nothing is shared
  EXPECT_TRUE(t.is_sole_owner());
  EXPECT_FALSE(t.SharesBufferWith(copy));
  EXPECT_EQ(Tensor::Scalar(std::complex<double>(1, -2)).DebugString(), "complex128[] = 1-2j");
  t.SetScalar<int64_t>(-7);
  EXPECT_EQ(t.DebugString(), "int64[] = -7");
}

TEST(TensorTest, EveryDtypeAndRank) {
  for (int number = 1; number < kNumDTypes; ++number) {
    const DType dtype = static_cast<DType>(number);
    for (const Dims& dims :
         {Dims{}, {0}, {3}, {2, 3}, {1, 2, 3, 4}, {1, 2, 1, 2, 1}, {2, 0, 2, 2, 2, 2}, Dims(254, 1)}) {
      const Shape shape = Shape::FromValid(dims);
      absl::StatusOr<Tensor> made = Tensor::Zeros(dtype, shape);
      ASSERT_TRUE(made.ok()) << made.status();
      const Tensor copy = *made, clone = *made->Clone();
      *made = Tensor();
      for (const Tensor& t : {copy, clone}) {
        EXPECT_EQ(t.dtype(), dtype);
        EXPECT_EQ(t.shape(), shape);
        EXPECT_EQ(t.num_elements(), shape.num_elements());
        EXPECT_EQ(t.size_bytes(), shape.num_elements() * static_cast<int64_t>(DTypeSize(dtype)));
        EXPECT_THAT(t.DebugString(1), HasSubstr(std::string(DTypeName(dtype)) + shape.ToString()));
      }
    }
  }
}

TEST(TensorTest, MakeErrors) {
  ExpectInvalid(Tensor::Make(DType::kInvalid, {2}).status(), "tensor: expected a dtype");
  ExpectInvalid(Tensor::Make(DType::kFloat32, {-1}).status(), "expected dimensions >= 0");
  ExpectInvalid(Tensor::Make(DType::kFloat64, {int64_t{1} << 61}).status(), "expected a byte size that fits int64");
  const absl::Status huge = Tensor::Make(DType::kUInt8, {int64_t{1} << 50}).status();
  EXPECT_EQ(huge.code(), absl::StatusCode::kResourceExhausted) << huge;
  EXPECT_EQ(Tensor::Make(DType::kUInt8, {std::numeric_limits<int64_t>::max()}).status().code(),
            absl::StatusCode::kResourceExhausted);
  ExpectInvalid(Tensor::FromValues<float>(Shape::Of({2}), {1.f}).status(), "values of shape [2]: expected 2, got 1");
}

TEST(TensorTest, CopiesShareMemory) {
  Tensor a = Tensor::Vector<int32_t>({1, 2, 3});
  EXPECT_TRUE(a.is_sole_owner());
  {
    const Tensor b = a;
    EXPECT_TRUE(a.SharesBufferWith(b));
    EXPECT_FALSE(a.is_sole_owner());
  }
  EXPECT_TRUE(a.is_sole_owner());
  const Tensor clone = *a.Clone();
  a.mutable_values<int32_t>()[0] = 9;
  EXPECT_THAT(clone.values<int32_t>(), ElementsAre(1, 2, 3));
  Tensor& self = a;
  a = self;
  EXPECT_THAT(a.values<int32_t>(), ElementsAre(9, 2, 3));
  const Tensor moved = std::move(a);
  EXPECT_FALSE(a.has_value());
  EXPECT_THAT(moved.values<int32_t>(), ElementsAre(9, 2, 3));
}

TEST(TensorTest, ReshapeAndBitcast) {
  const Tensor a = Tensor::Vector<int32_t>({1, 2, 3, 4, 5, 6});
  const Tensor b = *a.Reshaped(Shape::Of({2, 3}));
  EXPECT_TRUE(a.SharesBufferWith(b));
  EXPECT_EQ(b.DebugString(), "int32[2,3] = [[1 2 3] [4 5 6]]");
  ExpectInvalid(a.Reshaped(Shape::Of({4})).status(), "reshape of [6]: expected 6 elements, got shape [4] with 4");
  EXPECT_EQ(a.BitcastTo(DType::kFloat32, Shape::Of({3, 2})).size_bytes(), 24);
  EXPECT_EQ(Tensor::Scalar(1.f).BitcastTo(DType::kInt32, Shape()).scalar<int32_t>(), 0x3f800000);
  // Between a scalar, which is inline, and one element in a buffer, for plain and object dtypes.
  for (const Tensor& scalar :
       {Tensor::Scalar(7), Tensor::Scalar("text that is too long to be inside of the element")}) {
    const Tensor one = *scalar.Reshaped(Shape::Of({1, 1}));
    const Tensor back = *one.Reshaped(Shape());
    EXPECT_EQ(back.DebugString(), scalar.DebugString());
    EXPECT_EQ(one.Reshaped(Shape::Of({1, 1, 1, 1, 1}))->rank(), 5);
  }
  EXPECT_EQ(Tensor::Make(DType::kString, {0, 3})->Reshaped(Shape::Of({3, 0}))->ShapeString(), "[3,0]");
}

TEST(TensorTest, Rows) {
  const Tensor a = *Tensor::Vector<int32_t>({1, 2, 3, 4, 5, 6}).Reshaped(Shape::Of({3, 2}));
  const Tensor rows = a.Rows(1, 2);
  EXPECT_EQ(rows.DebugString(), "int32[2,2] = [[3 4] [5 6]]");
  EXPECT_TRUE(rows.SharesBufferWith(a));
  EXPECT_EQ(rows.Rows(1, 1).DebugString(), "int32[1,2] = [[5 6]]");
  EXPECT_EQ(a.Rows(3, 0).num_elements(), 0);
  EXPECT_EQ(Tensor::Make(DType::kInt32, {0, 2})->Rows(0, 0).ShapeString(), "[0,2]");
  EXPECT_EQ(rows.Clone()->DebugString(), "int32[2,2] = [[3 4] [5 6]]");
}

TEST(TensorTest, ObjectsAreCounted) {
  int live = 0;
  {
    Tensor t = *Tensor::Make(DType::kVariant, {3});
    for (Variant& v : t.mutable_values<Variant>()) v = Variant(RefPtr<VariantObject>(MakeRef<CountedVariant>(&live)));
    EXPECT_EQ(live, 3);
    Tensor scalar = Tensor::Scalar(t.data<Variant>()[0]);
    Tensor copy = scalar;
    t = Tensor();
    EXPECT_EQ(live, 1);
    scalar.Clear();
    EXPECT_EQ(live, 1);
    EXPECT_EQ(copy.DebugString(), "variant[] = <counted>");
    copy.SetDead();
    EXPECT_EQ(live, 0);
  }
  const Tensor strings = *Tensor::FromValues<String>(Shape::Of({2}), {String("a"), String(std::string(100, 'b'))});
  EXPECT_EQ(strings.Clone()->values<String>()[1].size(), 100u);
  EXPECT_EQ(strings.DebugString(1), "string[2] = ['a' ...");
}

TEST(TensorTest, Borrow) {
  float data[2] = {1, 2};
  int released = 0;
  {
    const absl::StatusOr<Tensor> t = Tensor::Borrow(DType::kFloat32, Shape::Of({2}), data, [&] { ++released; });
    ASSERT_TRUE(t.ok()) << t.status();
    EXPECT_TRUE(t->is_borrowed());
    EXPECT_FALSE(t->is_sole_owner());  // whoever wants to write must copy
    EXPECT_EQ(t->raw_data(), data);
    EXPECT_FALSE(t->Clone()->is_borrowed());
    const Tensor copy = *t;
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(Tensor::Borrow(DType::kFloat32, Shape::Of({0}), data, [&] { ++released; })->num_elements(), 0);
  EXPECT_EQ(released, 2);
  ExpectInvalid(Tensor::Borrow(DType::kString, Shape::Of({1}), data, nullptr).status(),
                "borrowed memory: expected a dtype of plain elements, got string");
  ExpectInvalid(Tensor::Borrow(DType::kFloat64, Shape::Of({int64_t{1} << 61}), data, nullptr).status(), "byte size");
}

TEST(TensorTest, References) {
  struct Target final : RefCounted {};
  const RefPtr<Target> target = MakeRef<Target>();
  {
    const Tensor ref = Tensor::MakeRef(target, DType::kFloat32);
    const Tensor copy = ref;
    EXPECT_EQ(copy.ref_target(), target.get());
    EXPECT_EQ(copy.dtype(), DType::kFloat32);
    EXPECT_FALSE(copy.has_value());
    EXPECT_FALSE(target->unique());
  }
  EXPECT_TRUE(target->unique());
  EXPECT_EQ(Tensor::Scalar(1).ref_target(), nullptr);
}

TEST(TensorTest, DebugStrings) {
  const std::pair<Tensor, const char*> kCases[] = {
      {Tensor::Vector({true, false}), "bool[2] = [true false]"},
      {*Tensor::Make(DType::kFloat32, {0}), "float32[0] = []"},
      {Tensor::Scalar("a\n'"), "string[] = 'a\\n\\''"},
      {Tensor::Vector<int8_t>({-1, 7}), "int8[2] = [-1 7]"},
      {Tensor::Vector<uint64_t>({~uint64_t{0}}), "uint64[1] = [18446744073709551615]"},
      {Tensor::Scalar(Half(0.5f)), "float16[] = 0.5"},
      {Tensor::Scalar(Variant()), "variant[] = <empty variant>"},
      {Tensor::Scalar(ResourceHandle()), "resource[] = <no resource>"},
  };
  for (const auto& [tensor, text] : kCases) EXPECT_EQ(tensor.DebugString(), text);
  EXPECT_EQ(Tensor::Vector<int32_t>({1, 2, 3}).DebugString(2), "int32[3] = [1 2 ...");
}

// The last owner may be in any thread.
TEST(TensorTest, OwnersInSeveralThreads) {
  for (const Dims& dims : {Dims{100}, Dims{1, 2, 1, 2, 1, 25}}) {
    Tensor t = *Tensor::Make(DType::kInt32, dims);
    for (int32_t& x : t.mutable_values<int32_t>()) x = 5;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([copy = t] {
        for (int k = 0; k < 1000; ++k) {
          Tensor another = copy;
          ASSERT_THAT(another.values<int32_t>().first(3), Each(5));
          another = Tensor();
        }
      });
    }
    t = Tensor();
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace flowlatch
