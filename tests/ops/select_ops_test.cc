#include "ops/select_ops.h"

#include <limits>

#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class SelectOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSelectOps(library_).ok()); }
  OpTester Op(const char* op, DType dtype) { return OpTester(library_, op, {{"T", dtype}}); }
  std::string Infer(const char* op, const std::vector<PartialShape>& inputs) {
    const auto shapes = InferShapes(library_, op, {{"T", DType::kFloat32}}, inputs);
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  }

  OpLibrary library_;
};

TEST_F(SelectOpsTest, EveryDType) {
  for (const char* op : {"Select", "SelectV2"}) {
    for (const DType dtype : DTypesIn(kNumberTypes | kBoolType)) {
      SCOPED_TRACE(std::string(op) + " of " + std::string(DTypeName(dtype)));
      OpTester select = Op(op, dtype);
      const Tensor t = Numbers(dtype, {2, 2}, {1, 0, 1, 1}), e = Numbers(dtype, {2, 2}, {0, 1, 1, 0});
      ExpectOutput(select, {Bools({2, 2}, {true, false, false, true}), t, e}, Numbers(dtype, {2, 2}, {1, 1, 1, 1}));
      ExpectOutput(select, {Tensor::Scalar(true), t, e}, t);
      ExpectOutput(select, {Tensor::Scalar(false), Numbers(dtype, {}, {0}), Numbers(dtype, {}, {1})},
                   Numbers(dtype, {}, {1}));
    }
    OpTester strings = Op(op, DType::kString);
    ExpectOutput(
        strings,
        {Bools({2}, {true, false}), Strings({2}, {"a", "b"}), Strings({2}, {"c", "a string that is not small"})},
        Strings({2}, {"a", "a string that is not small"}));
    OpTester handles = Op(op, DType::kResource);
    Tensor handle = Tensor::Scalar(ResourceHandle(MakeRef<ResourceKey>()));
    ExpectOutput(handles, {Tensor::Scalar(true), handle, Tensor::Scalar(ResourceHandle())}, handle);
    OpTester variants = Op(op, DType::kVariant);
    ExpectOutput(variants,
                 {Bools({1}, {true}), Tensor::Make(DType::kVariant, Shape::Of({1})).value(),
                  Tensor::Make(DType::kVariant, Shape::Of({1})).value()},
                 Tensor::Make(DType::kVariant, Shape::Of({1})).value());
  }
}

TEST_F(SelectOpsTest, AVectorSelectsRows) {
  OpTester select = Op("Select", DType::kInt32);
  const Tensor t = Ints({2, 3}, {1, 2, 3, 4, 5, 6}), e = Ints({2, 3}, {7, 8, 9, 10, 11, 12});
  ExpectOutput(select, {Bools({2}, {true, false}), t, e}, Ints({2, 3}, {1, 2, 3, 10, 11, 12}));
  ExpectOutput(select, {Bools({2}, {false, true}), t, e}, Ints({2, 3}, {7, 8, 9, 4, 5, 6}));
  ExpectOutput(select, {Bools({0}, {}), Ints({0, 3}, {}), Ints({0, 3}, {})}, Ints({0, 3}, {}));
  ExpectOutput(select, {Bools({1}, {true}), Ints({1, 2}, {1, 2}), Ints({1, 2}, {5, 6})}, Ints({1, 2}, {1, 2}));
}

TEST_F(SelectOpsTest, SelectDoesNotBroadcast) {
  OpTester select = Op("Select", DType::kInt32);
  const Tensor matrix = Ints({2, 2}, {1, 2, 3, 4});
  ExpectInvalid(select, {Bools({3}, {true, false, true}), matrix, matrix}, "shape of condition: expected");
  ExpectInvalid(select, {Bools({2}, {true, false}), Ints({2}, {1, 2}), Ints({}, {5})},
                "shape of e: expected that of t, [2]");
  ExpectInvalid(select, {Tensor::Scalar(true), Ints({2}, {1, 2}), Ints({1, 2}, {5, 6})}, "shape of e: expected");
  ExpectInvalid(select, {Bools({1}, {true}), Ints({}, {1}), Ints({}, {5})}, "shape of condition: expected");
  ExpectInvalid(select, {Bools({1, 2}, {true, false}), matrix, matrix}, "shape of condition: expected");
}

TEST_F(SelectOpsTest, SelectV2Broadcasts) {
  OpTester select = Op("SelectV2", DType::kInt32);
  ExpectOutput(select, {Bools({2, 1}, {true, false}), Ints({2}, {1, 2}), Ints({}, {7})}, Ints({2, 2}, {1, 2, 7, 7}));
  ExpectOutput(select, {Tensor::Scalar(true), Ints({2}, {1, 2}), Ints({2, 1}, {7, 8})}, Ints({2, 2}, {1, 2, 1, 2}));
  ExpectOutput(select, {Tensor::Scalar(false), Ints({2}, {1, 2}), Ints({2, 1}, {7, 8})}, Ints({2, 2}, {7, 7, 8, 8}));
  ExpectOutput(select, {Bools({2, 2}, {true, false, false, true}), Ints({2, 1}, {1, 2}), Ints({1, 2}, {7, 8})},
               Ints({2, 2}, {1, 8, 7, 2}));
  ExpectOutput(select, {Bools({3}, {true, false, true}), Ints({}, {1}), Ints({}, {7})}, Ints({3}, {1, 7, 1}));
  ExpectOutput(select,
               {Bools({2, 1, 2}, {true, false, false, true}), Ints({2, 3, 1}, {1, 2, 3, 4, 5, 6}), Ints({}, {0})},
               Ints({2, 3, 2}, {1, 0, 2, 0, 3, 0, 0, 4, 0, 5, 0, 6}));
  ExpectOutput(select, {Bools({0}, {}), Ints({1}, {1}), Ints({}, {7})}, Ints({0}, {}));
  ExpectInvalid(select, {Bools({3}, {true, false, true}), Ints({2}, {1, 2}), Ints({}, {7})}, "[3]");
  ExpectInvalid(select, {Tensor::Scalar(true), Ints({2}, {1, 2}), Ints({3}, {1, 2, 3})}, "[3]");
}

TEST_F(SelectOpsTest, ManyElements) {
  constexpr int64_t kRows = 300, kColumns = 301;
  Tensor condition = Tensor::Make(DType::kBool, Shape::Of({kRows, 1})).value();
  Tensor want = Tensor::Make(DType::kFloat64, Shape::Of({kRows, kColumns})).value();
  Tensor t = Tensor::Make(DType::kFloat64, Shape::Of({kRows, kColumns})).value();
  for (int64_t r = 0; r < kRows; ++r) {
    condition.mutable_data<bool>()[r] = r % 3 == 0;
    for (int64_t i = r * kColumns; i < (r + 1) * kColumns; ++i) {
      t.mutable_data<double>()[i] = static_cast<double>(i);
      want.mutable_data<double>()[i] = r % 3 == 0 ? static_cast<double>(i) : -1;
    }
  }
  OpTester select = Op("SelectV2", DType::kFloat64);
  ExpectOutput(select, {condition, t, Tensor::Scalar(-1.0)}, want);
}

TEST_F(SelectOpsTest, ClipByValue) {
  for (const DType dtype : DTypesIn(kRealTypes)) {
    SCOPED_TRACE(DTypeName(dtype));
    OpTester clip = Op("ClipByValue", dtype);
    const Tensor t = Numbers(dtype, {3}, {1, 5, 9});
    const auto scalar = [&](double v) { return Numbers(dtype, {}, {v}); };
    ExpectOutput(clip, {t, scalar(2), scalar(6)}, Numbers(dtype, {3}, {2, 5, 6}));
    ExpectOutput(clip, {scalar(7), scalar(2), scalar(6)}, scalar(6));
    ExpectOutput(clip, {t, scalar(6), scalar(2)}, Numbers(dtype, {3}, {6, 6, 6}));
    ExpectOutput(clip, {t, Numbers(dtype, {3}, {2, 6, 3}), scalar(6)}, Numbers(dtype, {3}, {2, 6, 6}));
    ExpectOutput(clip, {t, scalar(0), Numbers(dtype, {3}, {1, 2, 3})}, Numbers(dtype, {3}, {1, 2, 3}));
    ExpectOutput(clip, {t, Numbers(dtype, {3}, {0, 6, 0}), Numbers(dtype, {3}, {1, 2, 3})},
                 Numbers(dtype, {3}, {1, 6, 3}));
    ExpectOutput(clip, {Numbers(dtype, {0}, {}), scalar(0), scalar(1)}, Numbers(dtype, {0}, {}));
    ExpectInvalid(clip, {t, Numbers(dtype, {1}, {0}), scalar(1)},
                  "shape of bound 1: expected a scalar or [3], got [1]");
    ExpectInvalid(clip, {scalar(4), scalar(0), Numbers(dtype, {3}, {0, 1, 2})}, "shape of bound 2: expected");
  }
}

TEST_F(SelectOpsTest, ClipKeepsNan) {
  for (const DType dtype : DTypesIn(kFloatTypes)) {
    SCOPED_TRACE(DTypeName(dtype));
    OpTester clip = Op("ClipByValue", dtype);
    ExpectOutput(clip, {Numbers(dtype, {2}, {kNan, 9}), Numbers(dtype, {}, {0}), Numbers(dtype, {}, {3})},
                 Numbers(dtype, {2}, {kNan, 3}));
    ExpectOutput(clip, {Numbers(dtype, {2}, {4, 1}), Numbers(dtype, {2}, {kNan, 0}), Numbers(dtype, {2}, {3, kNan})},
                 Numbers(dtype, {2}, {3, 1}));
  }
}

TEST_F(SelectOpsTest, ShapeFunctions) {
  const PartialShape unknown, scalar = PartialShape::Of({});
  EXPECT_EQ(Infer("Select", {unknown, PartialShape::Of({2, -1}), PartialShape::Of({-1, 3})}), "[2,3]");
  EXPECT_EQ(Infer("Select", {PartialShape::Of({4}), PartialShape::Of({-1, 3}), unknown}), "[4,3]");
  EXPECT_EQ(Infer("Select", {scalar, unknown, unknown}), "?");
  EXPECT_EQ(Infer("Select", {PartialShape::Of({2, 3}), unknown, unknown}), "[2,3]");
  EXPECT_EQ(Infer("Select", {PartialShape::Of({4}), PartialShape::Of({3, 3}), unknown}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("Select", {PartialShape::Of({1}), scalar, unknown}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("Select", {scalar, PartialShape::Of({1}), PartialShape::Of({2})}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("SelectV2", {PartialShape::Of({2, 1}), PartialShape::Of({3}), scalar}), "[2,3]");
  EXPECT_EQ(Infer("SelectV2", {scalar, unknown, scalar}), "?");
  EXPECT_EQ(Infer("SelectV2", {PartialShape::Of({2}), PartialShape::Of({3}), scalar}), "INVALID_ARGUMENT");
  EXPECT_EQ(Infer("ClipByValue", {PartialShape::Of({-1, 3}), scalar, unknown}), "[?,3]");
  EXPECT_EQ(Infer("ClipByValue", {PartialShape::Of({-1, 3}), PartialShape::Of({2, 3}), scalar}), "[2,3]");
  EXPECT_EQ(Infer("ClipByValue", {PartialShape::Of({2}), PartialShape::Of({1}), scalar}), "INVALID_ARGUMENT");
}

TEST_F(SelectOpsTest, UnsupportedTypes) {
  OpTester clip = Op("ClipByValue", DType::kComplex64);
  const Tensor z = Tensor::Scalar(std::complex<float>(1, 2));
  EXPECT_EQ(clip.Run({z, z, z}).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace flowlatch
