#include "ops/gather_ops.h"

#include <limits>
#include <numeric>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class GatherOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterGatherOps(library_).ok()); }
  OpTester Gather(DType params, DType indices = DType::kInt32, int64_t batch_dims = 0) {
    return OpTester(library_, "GatherV2",
                    {{"Tparams", params}, {"Tindices", indices}, {"Taxis", DType::kInt32}, {"batch_dims", batch_dims}});
  }
  OpTester GatherNd(DType params, const char* policy = "") {
    return OpTester(library_, "GatherNd",
                    {{"Tparams", params}, {"Tindices", DType::kInt32}, {"bad_indices_policy", policy}});
  }
  OpTester OneHot(DType t, DType index = DType::kInt32, int64_t axis = -1) {
    return OpTester(library_, "OneHot", {{"T", t}, {"TI", index}, {"axis", axis}});
  }
  OpTester Where(DType t) { return OpTester(library_, "Where", {{"T", t}}); }
  OpTester BandPart(DType t) { return OpTester(library_, "MatrixBandPart", {{"T", t}, {"Tindex", DType::kInt64}}); }
  PartialShape Infer(const std::string& op, const AttrMap& attrs, const std::vector<PartialShape>& inputs,
                     const std::vector<const Tensor*>& constants = {}) {
    const absl::StatusOr<std::vector<PartialShape>> shapes = InferShapes(library_, op, attrs, inputs, constants);
    EXPECT_TRUE(shapes.ok()) << shapes.status();
    return shapes.ok() ? (*shapes)[0] : PartialShape();
  }

  OpLibrary library_;
};

TEST_F(GatherOpsTest, GatherAlongEachAxis) {
  const Tensor params = Ints({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTester gather = Gather(DType::kInt32);
  ExpectOutput(gather, {params, Ints({3}, {1, 0, 1}), Tensor::Scalar(0)}, Ints({3, 3}, {4, 5, 6, 1, 2, 3, 4, 5, 6}));
  ExpectOutput(gather, {params, Ints({2, 1}, {2, 0}), Tensor::Scalar(1)}, Ints({2, 2, 1}, {3, 1, 6, 4}));
  ExpectOutput(gather, {params, Ints({}, {1}), Tensor::Scalar(-1)}, Ints({2}, {2, 5}));
  ExpectOutput(gather, {params, Ints({0}, {}), Tensor::Scalar(1)}, Ints({2, 0}, {}));
}

TEST_F(GatherOpsTest, GatherMovesEveryKindOfElement) {
  OpTester strings = Gather(DType::kString, DType::kInt64);
  ExpectOutput(strings, {Strings({3}, {"a", "a string too long to be small", "c"}), Longs({2}, {1, 2}), Tensor::Scalar(0)},
               Strings({2}, {"a string too long to be small", "c"}));
  OpTester bools = Gather(DType::kBool, DType::kInt16);
  ExpectOutput(bools, {Bools({3}, {true, false, true}), Of<int16_t>({2}, {1, 2}), Tensor::Scalar(0)},
               Bools({2}, {false, true}));
  OpTester halves = Gather(DType::kFloat16);
  ExpectOutput(halves, {Of<Half, float>({2}, {1, 2}), Ints({1}, {1}), Tensor::Scalar(0)}, Of<Half, float>({1}, {2}));
  OpTester doubles = Gather(DType::kFloat64);
  ExpectOutput(doubles, {Of<double>({2, 3}, {1, 2, 3, 4, 5, 6}), Ints({1}, {1}), Tensor::Scalar(0)},
               Of<double>({1, 3}, {4, 5, 6}));
  using C = std::complex<double>;
  OpTester complexes = Gather(DType::kComplex128);
  ExpectOutput(complexes, {Of<C>({2}, {C(1, 2), C(3, 4)}), Ints({1}, {1}), Tensor::Scalar(0)}, Of<C>({1}, {C(3, 4)}));
}

TEST_F(GatherOpsTest, GatherInBatches) {
  OpTester gather = Gather(DType::kInt32, DType::kInt32, 1);
  ExpectOutput(gather, {Ints({2, 3}, {1, 2, 3, 4, 5, 6}), Ints({2, 2}, {2, 0, 1, 1}), Tensor::Scalar(1)},
               Ints({2, 2}, {3, 1, 5, 5}));
  // An outer dimension between batch and axis.
  ExpectOutput(gather, {Ints({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), Ints({2, 1}, {1, 0}), Tensor::Scalar(2)},
               Ints({2, 2, 1}, {2, 4, 5, 7}));
  OpTester from_end = Gather(DType::kInt32, DType::kInt32, -1);
  ExpectOutput(from_end, {Ints({2, 2}, {1, 2, 3, 4}), Ints({2, 1}, {1, 0}), Tensor::Scalar(1)}, Ints({2, 1}, {2, 3}));
  ExpectInvalid(gather, {Ints({2, 2}, {1, 2, 3, 4}), Ints({2, 2}, {1, 0, 0, 2}), Tensor::Scalar(1)},
                "indices[1,1]: expected a value in [0,2), got 2");
  ExpectInvalid(gather, {Ints({2, 2}, {1, 2, 3, 4}), Ints({2}, {0, 0}), Tensor::Scalar(0)},
                "batch_dims: expected at most axis 0, got 1");
  ExpectInvalid(gather, {Ints({2, 2}, {1, 2, 3, 4}), Ints({3}, {0, 0, 0}), Tensor::Scalar(1)},
                "expected batch dimension 0 to be 2");
  OpTester beyond = Gather(DType::kInt32, DType::kInt32, 2);
  ExpectInvalid(beyond, {Ints({2, 2}, {1, 2, 3, 4}), Ints({2}, {0, 0}), Tensor::Scalar(1)},
                "batch_dims: expected a value in [-1,1], got 2");
}

TEST_F(GatherOpsTest, GatherManyRowsInParallel) {
  std::vector<int32_t> values(1000 * 64), indices(3000);
  std::iota(values.begin(), values.end(), 0);
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int32_t>(i * 7919 % 1000);
  OpTester gather = Gather(DType::kInt32);
  const auto got = gather.Run({*Tensor::FromValues<int32_t>(Shape::Of({1000, 64}), values),
                               *Tensor::FromValues<int32_t>(Shape::Of({3000}), indices), Tensor::Scalar(0)});
  ASSERT_TRUE(got.ok()) << got.status();
  for (int64_t i = 0; i < 3000; ++i) ASSERT_EQ((*got)[0].data<int32_t>()[i * 64 + 63], indices[i] * 64 + 63);
  indices[17] = 1000;
  indices[2999] = -1;
  ExpectInvalid(gather, {*Tensor::FromValues<int32_t>(Shape::Of({1000, 64}), values),
                         *Tensor::FromValues<int32_t>(Shape::Of({3000}), indices), Tensor::Scalar(0)}, "indices[");
}

TEST_F(GatherOpsTest, GatherRejects) {
  OpTester gather = Gather(DType::kInt32);
  const Tensor params = Ints({2}, {1, 2});
  ExpectInvalid(gather, {params, Ints({1}, {2}), Tensor::Scalar(0)}, "indices[0]: expected a value in [0,2), got 2");
  ExpectInvalid(gather, {params, Ints({}, {-1}), Tensor::Scalar(0)}, "indices: expected a value in [0,2), got -1");
  ExpectInvalid(gather, {params, Ints({1}, {0}), Tensor::Scalar(1)}, "axis: expected a value in [-1,1), got 1");
  ExpectInvalid(gather, {params, Ints({1}, {0}), Ints({1}, {0})}, "axis: expected a scalar, got shape [1]");
  ExpectInvalid(gather, {Tensor::Scalar(1), Ints({1}, {0}), Tensor::Scalar(0)}, "params: expected at least one dimension");
  ExpectInvalid(gather, {Ints({0}, {}), Ints({1}, {0}), Tensor::Scalar(0)}, "expected a value in [0,0), got 0");
  // Without elements in the output no index is looked at.
  ExpectOutput(gather, {Ints({2, 0}, {}), Ints({1}, {5}), Tensor::Scalar(0)}, Ints({1, 0}, {}));
  ExpectOutput(gather, {Ints({0, 2}, {}), Ints({1}, {5}), Tensor::Scalar(1)}, Ints({0, 1}, {}));
}

TEST_F(GatherOpsTest, GatherShape) {
  const AttrMap attrs{{"Tparams", DType::kFloat32}, {"Tindices", DType::kInt32}, {"Taxis", DType::kInt32}};
  const Tensor one = Tensor::Scalar(1), five = Tensor::Scalar(5);
  const PartialShape params = PartialShape::Of({2, 3, 4}), indices = PartialShape::Of({-1, 7}), scalar = PartialShape::Of({});
  EXPECT_EQ(Infer("GatherV2", attrs, {params, indices, scalar}, {nullptr, nullptr, &one}), PartialShape::Of({2, -1, 7, 4}));
  EXPECT_EQ(Infer("GatherV2", attrs, {params, indices, scalar}), PartialShape::UnknownOfRank(4));
  EXPECT_EQ(Infer("GatherV2", attrs, {PartialShape(), indices, scalar}, {nullptr, nullptr, &one}), PartialShape());
  EXPECT_EQ(Infer("GatherV2", attrs.With("batch_dims", 1),
                  {PartialShape::Of({-1, 3}), PartialShape::Of({5, -1}), scalar}, {nullptr, nullptr, &one}),
            PartialShape::Of({5, -1}));
  ExpectInvalid(InferShapes(library_, "GatherV2", attrs, {params, indices, scalar}, {nullptr, nullptr, &five}).status(),
                "axis: expected a value in [-3,3), got 5");
  EXPECT_EQ(Infer("Gather", {{"Tparams", DType::kFloat32}, {"Tindices", DType::kInt32}}, {params, indices}),
            PartialShape::Of({-1, 7, 3, 4}));
}

TEST_F(GatherOpsTest, GatherOfTheFirstVersion) {
  OpTester gather(library_, "Gather", {{"Tparams", DType::kInt32}, {"Tindices", DType::kInt64}});
  ExpectOutput(gather, {Ints({2}, {1, 2}), Longs({1, 1}, {1})}, Ints({1, 1}, {2}));
}

TEST_F(GatherOpsTest, GatherNdTakesElementsSlicesOrEverything) {
  const Tensor params = Ints({2, 3}, {1, 2, 3, 4, 5, 6});
  OpTester gather = GatherNd(DType::kInt32);
  ExpectOutput(gather, {params, Ints({2, 2}, {1, 2, 0, 1})}, Ints({2}, {6, 2}));
  ExpectOutput(gather, {params, Ints({1, 1}, {1})}, Ints({1, 3}, {4, 5, 6}));
  ExpectOutput(gather, {params, Ints({2}, {1, 0})}, Ints({}, {4}));
  ExpectOutput(gather, {Ints({2}, {1, 2}), Ints({3, 0}, {})}, Ints({3, 2}, {1, 2, 1, 2, 1, 2}));
  ExpectOutput(gather, {params, Ints({0, 2}, {})}, Ints({0}, {}));
  OpTester strings = GatherNd(DType::kString);
  ExpectOutput(strings, {Strings({2}, {"a", "b"}), Ints({1, 1}, {1})}, Strings({1}, {"b"}));
}

TEST_F(GatherOpsTest, GatherNdJudgesIndices) {
  const Tensor params = Ints({2, 2}, {1, 2, 3, 4});
  const Tensor indices = Ints({3, 2}, {1, 1, 0, 2, 1, 0});
  for (const char* policy : {"", "DEFAULT", "ERROR"}) {
    OpTester strict = GatherNd(DType::kInt32, policy);
    ExpectInvalid(strict, {params, indices}, "indices[1]: expected a place in params of shape [2,2], got [0,2]");
  }
  OpTester lenient = GatherNd(DType::kInt32, "IGNORE");
  ExpectOutput(lenient, {params, indices}, Ints({3}, {4, 0, 3}));
  OpTester lenient_strings = GatherNd(DType::kString, "IGNORE");
  ExpectOutput(lenient_strings, {Strings({1}, {"a"}), Ints({2, 1}, {-1, 0})}, Strings({2}, {"", "a"}));
  OpTester odd = GatherNd(DType::kInt32, "foo");
  ExpectInvalid(odd, {params, indices}, "bad_indices_policy: expected DEFAULT, ERROR or IGNORE, got 'foo'");
  OpTester gather = GatherNd(DType::kInt32);
  ExpectInvalid(gather, {params, Ints({1, 3}, {0, 0, 0})}, "expected at most 2, the rank of params, got 3");
  ExpectInvalid(gather, {params, Ints({}, {0})}, "indices: expected at least one dimension");
  ExpectInvalid(gather, {Ints({}, {0}), Ints({1, 0}, {})}, "params: expected at least one dimension");
  ExpectInvalid(gather, {Ints({0, 3}, {}), Ints({1, 1}, {0})}, "params: expected elements to gather 1 slices from");
}

TEST_F(GatherOpsTest, GatherNdShape) {
  const AttrMap attrs{{"Tparams", DType::kFloat32}, {"Tindices", DType::kInt32}};
  EXPECT_EQ(Infer("GatherNd", attrs, {PartialShape::Of({2, -1, 4}), PartialShape::Of({5, -1, 1})}),
            PartialShape::Of({5, -1, -1, 4}));
  EXPECT_EQ(Infer("GatherNd", attrs, {PartialShape::Of({2, 3}), PartialShape::Of({5, -1})}), PartialShape());
  EXPECT_EQ(Infer("GatherNd", attrs, {PartialShape(), PartialShape::Of({5, 2})}), PartialShape());
}

TEST_F(GatherOpsTest, OneHotPutsTheNewDimensionAnywhere) {
  const Tensor on = Tensor::Scalar(1.0f), off = Tensor::Scalar(0.0f), indices = Ints({2}, {2, 0});
  OpTester last = OneHot(DType::kFloat32);
  ExpectOutput(last, {indices, Tensor::Scalar(3), on, off}, Floats({2, 3}, {0, 0, 1, 1, 0, 0}));
  OpTester first = OneHot(DType::kFloat32, DType::kInt32, 0);
  ExpectOutput(first, {indices, Tensor::Scalar(3), on, off}, Floats({3, 2}, {0, 1, 0, 0, 1, 0}));
  ExpectOutput(last, {Ints({}, {1}), Tensor::Scalar(2), on, off}, Floats({2}, {0, 1}));
  ExpectOutput(last, {Ints({3}, {-1, 3, 1}), Tensor::Scalar(3), on, off}, Floats({3, 3}, {0, 0, 0, 0, 0, 0, 0, 1, 0}));
  ExpectOutput(last, {indices, Tensor::Scalar(0), on, off}, Floats({2, 0}, {}));
  ExpectOutput(last, {Ints({0}, {}), Tensor::Scalar(3), on, off}, Floats({0, 3}, {}));
}

TEST_F(GatherOpsTest, OneHotOfOtherKinds) {
  OpTester strings = OneHot(DType::kString, DType::kUInt8);
  ExpectOutput(strings, {Of<uint8_t>({2}, {0, 1}), Tensor::Scalar(2), Tensor::Scalar("on"), Tensor::Scalar("off")},
               Strings({2, 2}, {"on", "off", "off", "on"}));
  OpTester bools = OneHot(DType::kBool, DType::kInt64);
  ExpectOutput(bools, {Longs({1}, {1}), Tensor::Scalar(2), Tensor::Scalar(true), Tensor::Scalar(false)},
               Bools({1, 2}, {false, true}));
  OpTester doubles = OneHot(DType::kFloat64, DType::kInt8);
  ExpectOutput(doubles, {Of<int8_t>({1}, {0}), Tensor::Scalar(2), Tensor::Scalar(5.0), Tensor::Scalar(-1.0)},
               Of<double>({1, 2}, {5, -1}));
}

TEST_F(GatherOpsTest, OneHotRejects) {
  const Tensor on = Tensor::Scalar(1.0f), off = Tensor::Scalar(0.0f), indices = Ints({2}, {2, 0});
  OpTester one_hot = OneHot(DType::kFloat32);
  ExpectInvalid(one_hot, {indices, Tensor::Scalar(-3), on, off}, "depth: expected a value >= 0, got -3");
  ExpectInvalid(one_hot, {indices, Ints({1}, {3}), on, off}, "depth: expected a scalar, got shape [1]");
  ExpectInvalid(one_hot, {indices, Tensor::Scalar(3), Floats({1}, {1}), off}, "on_value: expected a scalar");
  ExpectInvalid(one_hot, {indices, Tensor::Scalar(3), on, Floats({2}, {1, 2})}, "off_value: expected a scalar");
  OpTester beyond = OneHot(DType::kFloat32, DType::kInt32, 2);
  ExpectInvalid(beyond, {indices, Tensor::Scalar(3), on, off}, "axis: expected a value in [-1,1], got 2");
  OpTester below = OneHot(DType::kFloat32, DType::kInt32, -2);
  ExpectInvalid(below, {indices, Tensor::Scalar(3), on, off}, "axis: expected a value in [-1,1], got -2");
}

TEST_F(GatherOpsTest, OneHotShape) {
  const AttrMap attrs{{"T", DType::kFloat32}, {"TI", DType::kInt32}};
  const Tensor depth = Tensor::Scalar(5), negative = Tensor::Scalar(-5);
  const PartialShape scalar = PartialShape::Of({});
  const std::vector<PartialShape> inputs{PartialShape::Of({2, -1}), scalar, scalar, scalar};
  EXPECT_EQ(Infer("OneHot", attrs, inputs, {nullptr, &depth}), PartialShape::Of({2, -1, 5}));
  EXPECT_EQ(Infer("OneHot", attrs.With("axis", 0), inputs), PartialShape::Of({-1, 2, -1}));
  EXPECT_EQ(Infer("OneHot", attrs, {PartialShape(), scalar, scalar, scalar}, {nullptr, &depth}), PartialShape());
  ExpectInvalid(InferShapes(library_, "OneHot", attrs, inputs, {nullptr, &negative}).status(), "depth: expected");
  ExpectInvalid(InferShapes(library_, "OneHot", attrs.With("axis", 3), inputs).status(), "axis: expected");
}

TEST_F(GatherOpsTest, WhereFindsWhatIsNotZero) {
  OpTester bools = Where(DType::kBool);
  ExpectOutput(bools, {Bools({4}, {true, false, false, true})}, Longs({2, 1}, {0, 3}));
  ExpectOutput(bools, {Bools({2, 2, 2}, {false, true, false, false, true, false, true, true})},
               Longs({4, 3}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 1}));
  ExpectOutput(bools, {Bools({3, 0}, {})}, Longs({0, 2}, {}));
  ExpectOutput(bools, {Bools({2}, {false, false})}, Longs({0, 1}, {}));
  ExpectInvalid(bools, {Tensor::Scalar(true)}, "input: expected at least one dimension");
  OpTester floats = Where(DType::kFloat32);
  ExpectOutput(floats, {Floats({4}, {kNan, 0, -0.0f, -2})}, Longs({2, 1}, {0, 3}));
  OpTester halves = Where(DType::kFloat16);
  ExpectOutput(halves, {Of<Half, float>({3}, {-0.0f, 1, 0})}, Longs({1, 1}, {1}));
  OpTester longs = Where(DType::kInt64);
  ExpectOutput(longs, {Longs({2}, {0, int64_t{1} << 40})}, Longs({1, 1}, {1}));
  using C = std::complex<float>;
  OpTester complexes = Where(DType::kComplex64);
  ExpectOutput(complexes, {Of<C>({2}, {C(0, 0), C(0, 1)})}, Longs({1, 1}, {1}));
  EXPECT_EQ(Infer("Where", {{"T", DType::kBool}}, {PartialShape::Of({2, -1, 3})}), PartialShape::Of({-1, 3}));
  EXPECT_EQ(Infer("Where", {{"T", DType::kBool}}, {PartialShape()}), PartialShape::Of({-1, -1}));
}

TEST_F(GatherOpsTest, MatrixBandPartKeepsTheBand) {
  const Tensor m = Ints({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  OpTester band = BandPart(DType::kInt32);
  const auto width = [](int64_t w) { return Tensor::Scalar(w); };
  ExpectOutput(band, {m, width(1), width(-1)}, Ints({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 0, 10, 11, 12}));
  ExpectOutput(band, {m, width(0), width(0)}, Ints({3, 4}, {1, 0, 0, 0, 0, 6, 0, 0, 0, 0, 11, 0}));
  ExpectOutput(band, {m, width(3), width(4)}, m);
  ExpectOutput(band, {Ints({2, 2, 1}, {1, 2, 3, 4}), width(0), width(0)}, Ints({2, 2, 1}, {1, 0, 3, 0}));
  ExpectOutput(band, {Ints({0, 2}, {}), width(0), width(0)}, Ints({0, 2}, {}));
  ExpectInvalid(band, {m, width(4), width(0)}, "num_lower: expected at most 3, got 4");
  ExpectInvalid(band, {m, width(0), width(5)}, "num_upper: expected at most 4, got 5");
  ExpectInvalid(band, {m, Longs({1}, {0}), width(0)}, "num_lower: expected a scalar");
  ExpectInvalid(band, {Ints({2}, {1, 2}), width(0), width(0)}, "input: expected at least two dimensions");
  OpTester bools = BandPart(DType::kBool);
  ExpectOutput(bools, {Bools({2, 2}, {true, true, true, true}), width(-1), width(0)},
               Bools({2, 2}, {true, false, true, true}));
  EXPECT_EQ(Infer("MatrixBandPart", {{"T", DType::kInt32}},
                  {PartialShape::Of({2, -1, 3}), PartialShape::Of({}), PartialShape::Of({})}),
            PartialShape::Of({2, -1, 3}));
}

}  // namespace
}  // namespace flowlatch
