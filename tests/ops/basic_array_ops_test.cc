#include "ops/basic_array_ops.h"

#include <cmath>
#include <limits>

#include "ops/kernels/numeric_variant.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr DTypeSet kRangeTypes = kRealTypes - DTypeSet{DType::kUInt8};

class BasicArrayOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterBasicArrayOps(library_).ok()); }
  OpTester Range(DType dtype) { return OpTester(library_, "Range", {{"Tidx", dtype}}); }
  absl::StatusOr<std::vector<PartialShape>> Infer(const std::string& op, const AttrMap& attrs,
                                                  const std::vector<PartialShape>& inputs,
                                                  const std::vector<const Tensor*>& constants = {}) {
    return InferShapes(library_, op, attrs, inputs, constants);
  }

  OpLibrary library_;
};

TEST_F(BasicArrayOpsTest, ConstSharesItsTensor) {
  const Tensor value = Floats({2}, {1, 2});
  OpTester constant(library_, "Const", {{"dtype", DType::kFloat32}, {"value", value}});
  const Tensor got = constant.Run({}).value()[0];
  EXPECT_EQ(Difference(got, value), "");
  EXPECT_TRUE(got.SharesBufferWith(value));
  OpTester text(library_, "HostConst",
                {{"dtype", DType::kString}, {"value", Tensor::Scalar("a string that is not small")}});
  ExpectOutput(text, {}, Tensor::Scalar("a string that is not small"));
  OpTester wrong(library_, "Const", {{"dtype", DType::kInt32}, {"value", value}});
  ExpectInvalid(wrong, {}, "attr 'value': expected a tensor of int32, got one of float32");
  EXPECT_EQ(Infer("Const", {{"dtype", DType::kFloat32}, {"value", value}}, {}).value()[0], PartialShape::Of({2}));
}

TEST_F(BasicArrayOpsTest, PlaceholderSaysWhatItWants) {
  OpTester any(library_, "Placeholder", {{"dtype", DType::kFloat32}});
  ExpectInvalid(any, {}, "placeholder 'test': expected to be fed a value of dtype float32, got none");
  OpTester shaped(library_, "PlaceholderV2", {{"dtype", DType::kString}, {"shape", PartialShape::Of({-1, 3})}});
  ExpectInvalid(shaped, {}, "a value of dtype string and shape [?,3], got none");
  EXPECT_EQ(Infer("Placeholder", {{"dtype", DType::kInt32}, {"shape", PartialShape::Of({-1, 3})}}, {}).value()[0],
            PartialShape::Of({-1, 3}));
  const AttrMap attrs = {{"dtype", DType::kInt32}, {"shape", PartialShape::Of({-1})}};
  OpTester with_default(library_, "PlaceholderWithDefault", attrs);
  ExpectOutput(with_default, {Ints({2}, {1, 2})}, Ints({2}, {1, 2}));
  EXPECT_EQ(Infer("PlaceholderWithDefault", attrs, {PartialShape::Of({2})}).value()[0], PartialShape::Of({-1}));
  ExpectInvalid(Infer("PlaceholderWithDefault", attrs, {PartialShape::Of({2, 2})}).status(), "expected to agree");
}

TEST_F(BasicArrayOpsTest, IdentitiesShareTheirInput) {
  const ResourceHandle handle(MakeRef<ResourceKey>());
  const Variant variant;
  for (const char* op :
       {"Identity", "Snapshot", "StopGradient", "PreventGradient", "GuaranteeConst", "DebugGradientIdentity"}) {
    SCOPED_TRACE(op);
    const auto expect_same = [&](const Tensor& x) {
      OpTester identity(library_, op, {{"T", x.dtype()}});
      ExpectOutput(identity, {x}, x);
      const bool has_buffer = x.rank() > 0;  // scalars are held in the tensor itself
      EXPECT_EQ(identity.Run({x}).value()[0].SharesBufferWith(x), has_buffer);
    };
    expect_same(Floats({2}, {1, kNan}));
    expect_same(Strings({2}, {"a", "a string that is not small"}));
    expect_same(Tensor::Scalar("a string that is not small"));
    expect_same(Tensor::Scalar(handle));
    expect_same(Tensor::Scalar(variant));
    expect_same(Tensor::Scalar(std::complex<double>(1, 2)));
  }
  OpTester several(library_, "IdentityN", {{"T", std::vector<DType>{DType::kInt32, DType::kString}}});
  ExpectOutputs(several, {Ints({1}, {1}), Tensor::Scalar("a")}, {Ints({1}, {1}), Tensor::Scalar("a")});
  EXPECT_EQ(Infer("IdentityN", {{"T", std::vector<DType>{DType::kInt32, DType::kString}}},
                  {PartialShape::Of({1}), PartialShape()})
                .value(),
            (std::vector<PartialShape>{PartialShape::Of({1}), PartialShape()}));
}

TEST_F(BasicArrayOpsTest, DeepCopyDoesNotShare) {
  const Tensor x = Floats({2}, {1, 2});
  OpTester copy(library_, "DeepCopy", {{"T", DType::kFloat32}});
  copy.Once();
  const Tensor got = copy.Run({x}).value()[0];
  EXPECT_EQ(Difference(got, x), "");
  EXPECT_FALSE(got.SharesBufferWith(x));
}

TEST_F(BasicArrayOpsTest, CheckNumerics) {
  for (const char* op : {"CheckNumerics", "CheckNumericsV2"}) {
    SCOPED_TRACE(op);
    for (const DType dtype : DTypesIn(kFloatTypes)) {
      SCOPED_TRACE(std::string(DTypeName(dtype)));
      OpTester check(library_, op, {{"T", dtype}, {"message", "loss"}});
      const Tensor fine = Numbers(dtype, {4}, {0, -1.5, 3e4, 6e-5});
      ExpectOutput(check, {fine}, fine);
      ExpectOutput(check, {Numbers(dtype, {0}, {})}, Numbers(dtype, {0}, {}));
      ExpectInvalid(check, {Numbers(dtype, {2}, {1, kNan})}, "loss: expected finite numbers, got nan");
      ExpectInvalid(check, {Numbers(dtype, {}, {kInf})}, "got inf");
      ExpectInvalid(check, {Numbers(dtype, {3}, {-kInf, kNan, kInf})}, "got -inf, inf, nan");
    }
  }
}

TEST_F(BasicArrayOpsTest, FillZerosOnes) {
  OpTester fill(library_, "Fill", {{"T", DType::kFloat32}, {"index_type", DType::kInt32}});
  ExpectOutput(fill, {Ints({2}, {2, 1}), Tensor::Scalar(7.0f)}, Floats({2, 1}, {7, 7}));
  ExpectOutput(fill, {Ints({0}, {}), Tensor::Scalar(7.0f)}, Tensor::Scalar(7.0f));
  ExpectOutput(fill, {Ints({1}, {0}), Tensor::Scalar(7.0f)}, Floats({0}, {}));
  ExpectOutput(fill, {Tensor::Scalar(2), Floats({1}, {7})}, Floats({2}, {7, 7}));
  OpTester strings(library_, "Fill", {{"T", DType::kString}, {"index_type", DType::kInt64}});
  ExpectOutput(strings, {Longs({1}, {2}), Tensor::Scalar("a")}, Strings({2}, {"a", "a"}));
  const Tensor many = strings.Run({Longs({1}, {1000}), Tensor::Scalar("b")}).value()[0];
  for (const String& s : many.values<String>()) ASSERT_EQ(s.view(), "b");
  OpTester longs(library_, "Fill", {{"T", DType::kFloat32}, {"index_type", DType::kInt64}});
  ExpectInvalid(fill, {Ints({1}, {-2}), Tensor::Scalar(7.0f)}, "expected dimensions >= 0, got -2");
  ExpectInvalid(fill, {Ints({1}, {2}), Floats({2}, {7, 7})}, "value: expected a scalar, got shape [2]");
  ExpectInvalid(fill, {Ints({1, 1}, {2}), Tensor::Scalar(7.0f)}, "dims: expected a vector");
  ExpectInvalid(longs, {Longs({2}, {int64_t{1} << 40, int64_t{1} << 40}), Tensor::Scalar(7.0f)}, "fits int64");
  const Tensor dims = Ints({2}, {2, 3}), bad = Ints({1}, {-1});
  const AttrMap attrs = {{"T", DType::kFloat32}, {"index_type", DType::kInt32}};
  const PartialShape scalar = PartialShape::Of({});
  EXPECT_EQ(Infer("Fill", attrs, {PartialShape::Of({2}), scalar}, {&dims}).value()[0], PartialShape::Of({2, 3}));
  EXPECT_EQ(Infer("Fill", attrs, {PartialShape::Of({2}), scalar}).value()[0], PartialShape::UnknownOfRank(2));
  EXPECT_EQ(Infer("Fill", attrs, {PartialShape(), scalar}).value()[0], PartialShape());
  ExpectInvalid(Infer("Fill", attrs, {PartialShape::Of({1}), scalar}, {&bad}).status(), "got -1");
  ExpectInvalid(Infer("Fill", attrs, {PartialShape::Of({1}), PartialShape::Of({1, 1})}).status(), "expected rank 0");
  for (const DType dtype : DTypesIn(kNumberTypes | kBoolType)) {
    SCOPED_TRACE(std::string(DTypeName(dtype)));
    OpTester zeros(library_, "ZerosLike", {{"T", dtype}}), ones(library_, "OnesLike", {{"T", dtype}});
    ExpectOutput(zeros, {Numbers(dtype, {2}, {1, 1})}, Numbers(dtype, {2}, {0, 0}));
    ExpectOutput(zeros, {Numbers(dtype, {}, {1})}, Numbers(dtype, {}, {0}));
    ExpectOutput(ones, {Numbers(dtype, {2}, {0, 0})}, Numbers(dtype, {2}, {1, 1}));
    ExpectOutput(ones, {Numbers(dtype, {0}, {})}, Numbers(dtype, {0}, {}));
  }
  OpTester no_text(library_, "ZerosLike", {{"T", DType::kString}});
  ExpectOutput(no_text, {Strings({2}, {"a", "b"})}, Strings({2}, {"", ""}));
}

// A value that counts how it was made.
struct Number final : NumericVariant {
  explicit Number(int n) : value(n) {}
  std::string TypeName() const override { return "number"; }
  absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const override {
    return RefPtr<VariantObject>(MakeRef<Number>(value * 0));
  }
  absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject&) const override {
    return absl::UnimplementedError("no sum");
  }
  const int value;
};

TEST_F(BasicArrayOpsTest, ZerosLikeOfVariantsAsksTheirValues) {
  OpTester zeros(library_, "ZerosLike", {{"T", DType::kVariant}});
  zeros.Once();  // each run makes new values
  const Tensor number = Tensor::Scalar(Variant(MakeRef<Number>(5)));
  const absl::StatusOr<std::vector<Tensor>> got = zeros.Run({number});
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_NE((*got)[0].scalar<Variant>().As<Number>(), nullptr);
  EXPECT_EQ((*got)[0].scalar<Variant>().As<Number>()->value, 0);
  EXPECT_EQ(number.scalar<Variant>().As<Number>()->value, 5);
  ExpectInvalid(zeros, {Of<Variant>({1}, {Variant()})}, "variant[0]: expected a value that has zeros, got none");
}

TEST_F(BasicArrayOpsTest, Empty) {
  OpTester empty(library_, "Empty", {{"dtype", DType::kInt32}});
  ExpectOutput(empty, {Ints({1}, {3})}, Ints({3}, {0, 0, 0}));
  OpTester strings(library_, "Empty", {{"dtype", DType::kString}, {"init", true}});
  ExpectOutput(strings, {Ints({2}, {1, 1})}, Strings({1, 1}, {""}));
  ExpectInvalid(empty, {Ints({1}, {-3})}, "got -3");
  ExpectInvalid(empty, {Tensor::Scalar(3)}, "shape: expected a vector");
  EXPECT_EQ(Infer("Empty", {{"dtype", DType::kInt32}}, {PartialShape::Of({2})}).value()[0],
            PartialShape::UnknownOfRank(2));
}

TEST_F(BasicArrayOpsTest, Range) {
  struct Case {
    DTypeSet dtypes;
    double start, limit, delta;
    std::vector<double> want;
  };
  const Case cases[] = {
      {kRangeTypes, 0, 5, 2, {0, 2, 4}},
      {kRangeTypes, 3, 3, 1, {}},
      {kFloatTypes | kSignedIntTypes, 5, 0, -2, {5, 3, 1}},
      {kFloatTypes | kSignedIntTypes, 1, 1, -1, {}},
      {kFloatTypes, 5, 1, -2.5, {5, 2.5}},
      {kFloatTypes, 0, 1, kInf, {}},
      {{DType::kInt8}, -100, 100, 100, {-100, 0}},
      {{DType::kInt8}, 100, -100, -100, {100, 0}},
      {{DType::kUInt16}, 60000, 65535, 5000, {60000, 65000}},
      {{DType::kInt32}, 2147483647, -2147483648.0, -2147483648.0, {2147483647, -1}},
  };
  for (const Case& c : cases) {
    for (const DType dtype : DTypesIn(c.dtypes)) {
      SCOPED_TRACE(std::string(DTypeName(dtype)));
      OpTester range = Range(dtype);
      ExpectOutput(range, {Numbers(dtype, {}, {c.start}), Numbers(dtype, {}, {c.limit}), Numbers(dtype, {}, {c.delta})},
                   Numbers(dtype, {static_cast<int64_t>(c.want.size())}, c.want));
    }
  }
  OpTester ints = Range(DType::kInt32);
  ExpectOutput(ints, {Ints({1}, {0}), Ints({1}, {2}), Ints({1}, {1})}, Ints({2}, {0, 1}));
}

// Each element is the rounded product added to the start, not a running sum.
TEST_F(BasicArrayOpsTest, RangeRounding) {
  OpTester floats = Range(DType::kFloat32);
  const Tensor x = floats.Run({Tensor::Scalar(1.3f), Tensor::Scalar(200.0f), Tensor::Scalar(0.7f)}).value()[0];
  ASSERT_EQ(x.num_elements(), 284);
  for (int i = 0; i < 284; ++i) {
    const volatile float product = static_cast<float>(i) * 0.7f;
    ASSERT_EQ(x.data<float>()[i], 1.3f + product);
  }
  OpTester halves = Range(DType::kFloat16);
  const Tensor y =
      halves.Run({Tensor::Scalar(Half(0.0f)), Tensor::Scalar(Half(3.0f)), Tensor::Scalar(Half(0.1f))}).value()[0];
  ASSERT_EQ(y.num_elements(), 30);
  EXPECT_EQ(static_cast<float>(y.data<Half>()[27]), 2.69921875f);
}

TEST_F(BasicArrayOpsTest, RangeErrors) {
  OpTester ints = Range(DType::kInt32), longs = Range(DType::kInt64), floats = Range(DType::kFloat32);
  ExpectInvalid(ints, {Tensor::Scalar(3), Tensor::Scalar(0), Tensor::Scalar(1)},
                "range: expected a delta that leads from start to limit, got start 3, limit 0, delta 1");
  ExpectInvalid(ints, {Tensor::Scalar(0), Tensor::Scalar(3), Tensor::Scalar(-1)}, "leads from start to limit");
  ExpectInvalid(ints, {Tensor::Scalar(0), Tensor::Scalar(3), Tensor::Scalar(0)}, "a delta other than 0");
  ExpectInvalid(ints, {Ints({2}, {0, 1}), Tensor::Scalar(3), Tensor::Scalar(1)},
                "start: expected a scalar, got shape [2]");
  ExpectInvalid(ints, {Tensor::Scalar(0), Ints({0}, {}), Tensor::Scalar(1)}, "limit: expected a scalar, got shape [0]");
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  ExpectInvalid(longs, {Tensor::Scalar(kMin), Tensor::Scalar(int64_t{0}), Tensor::Scalar(int64_t{1})},
                "a size that fits int64");
  EXPECT_EQ(longs.Run({Tensor::Scalar(int64_t{0}), Tensor::Scalar(int64_t{1} << 50), Tensor::Scalar(int64_t{1})})
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
  ExpectInvalid(floats, {Tensor::Scalar(0.0f), Tensor::Scalar(kInf), Tensor::Scalar(1.0f)}, "a size that fits int64");
  ExpectInvalid(floats, {Tensor::Scalar(0.0f), Tensor::Scalar(5.0f), Tensor::Scalar(1e-30f)}, "a size that fits int64");
  ExpectInvalid(floats, {Tensor::Scalar(kNan), Tensor::Scalar(1.0f), Tensor::Scalar(1.0f)},
                "leads from start to limit");
  ExpectInvalid(floats, {Tensor::Scalar(0.0f), Tensor::Scalar(1.0f), Tensor::Scalar(kNan)},
                "leads from start to limit");
  const Tensor zero = Tensor::Scalar(0), four = Tensor::Scalar(4), one = Tensor::Scalar(1);
  const PartialShape scalar = PartialShape::Of({});
  EXPECT_EQ(Infer("Range", {{"Tidx", DType::kInt32}}, {scalar, scalar, scalar}, {&zero, &four, &one}).value()[0],
            PartialShape::Of({4}));
  EXPECT_EQ(Infer("Range", {{"Tidx", DType::kInt32}}, {scalar, scalar, scalar}, {&zero, nullptr, &one}).value()[0],
            PartialShape::Of({-1}));
  ExpectInvalid(Infer("Range", {{"Tidx", DType::kInt32}}, {scalar, PartialShape::Of({1, 1}), scalar}).status(),
                "expected rank 0");
}

TEST_F(BasicArrayOpsTest, InvertPermutation) {
  OpTester invert(library_, "InvertPermutation", {{"T", DType::kInt32}});
  ExpectOutput(invert, {Ints({4}, {3, 0, 1, 2})}, Ints({4}, {1, 2, 3, 0}));
  ExpectOutput(invert, {Ints({0}, {})}, Ints({0}, {}));
  OpTester longs(library_, "InvertPermutation", {{"T", DType::kInt64}});
  ExpectOutput(longs, {Longs({2}, {1, 0})}, Longs({2}, {1, 0}));
  ExpectInvalid(invert, {Ints({3}, {0, 0, 1})}, "x: expected each value once, got 0 twice");
  ExpectInvalid(invert, {Ints({3}, {3, 1, 0})}, "x[0]: expected a value in [0,3), got 3");
  ExpectInvalid(invert, {Ints({2}, {0, -1})}, "x[1]: expected a value in [0,2), got -1");
  ExpectInvalid(invert, {Ints({1, 1}, {0})}, "x: expected a vector, got shape [1,1]");
  EXPECT_EQ(Infer("InvertPermutation", {{"T", DType::kInt32}}, {PartialShape()}).value()[0], PartialShape::Of({-1}));
}

}  // namespace
}  // namespace flowlatch
