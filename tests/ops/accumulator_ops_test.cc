#include "ops/accumulator_ops.h"

#include <thread>

#include "tests/ops/tensors.h"
#include "tests/testing/built_graph.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using Results = absl::StatusOr<std::vector<Tensor>>;
using Call = std::shared_ptr<StepRunner::Started>;

class AccumulatorTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterAccumulatorOps(library_).ok()); }

  Results TryNew(const std::string& op, AttrMap attrs = {}) {
    if (!attrs.contains("dtype")) attrs = attrs.With("dtype", DType::kFloat32);
    if (!attrs.contains("shape")) attrs = attrs.With("shape", PartialShape());
    return step_.Run(op, attrs, {}, "a" + std::to_string(next_++));
  }
  Tensor New(const std::string& op, AttrMap attrs = {}) {
    const Results out = TryNew(op, std::move(attrs));
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  absl::Status SetStep(const Tensor& a, int64_t step) {
    return step_.Run(Of(a) + "AccumulatorSetGlobalStep", {}, {a, Tensor::Scalar(step)}).status();
  }
  int32_t Num(const Tensor& a) {
    const Results out = step_.Run(Of(a) + "AccumulatorNumAccumulated", {}, {a});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].scalar<int32_t>() : -1;
  }
  static void ExpectValues(const Results& got, const std::vector<Tensor>& want) {
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(Difference((*got)[i], want[i]), "");
  }
  Call StartTake(const std::string& op, const Tensor& a, const Tensor& num_required, DType dtype) {
    const absl::StatusOr<Call> call = step_.Start(op, {{"dtype", dtype}}, {a, num_required});
    EXPECT_TRUE(call.ok()) << call.status();
    return *call;
  }
  // "Resource" for handles that are resources.
  static std::string Of(const Tensor& a) { return a.has_value() && a.dtype() == DType::kResource ? "Resource" : ""; }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
  int next_ = 0;
};

// ---- Dense, of both kinds of handles

class DenseAccumulatorTest : public AccumulatorTest, public testing::WithParamInterface<std::string> {
 protected:
  Tensor NewDense(AttrMap attrs = {}) { return New(GetParam() + "ConditionalAccumulator", std::move(attrs)); }
  absl::Status Apply(const Tensor& a, int64_t step, const Tensor& gradient) {
    return step_
        .Run(GetParam() + "AccumulatorApplyGradient", {{"dtype", gradient.dtype()}},
             {a, Tensor::Scalar(step), gradient})
        .status();
  }
  Call Start(const Tensor& a, int32_t num_required, DType dtype = DType::kFloat32) {
    return StartTake(GetParam() + "AccumulatorTakeGradient", a, Tensor::Scalar(num_required), dtype);
  }
  // Of what is there.
  Results Take(const Tensor& a, int32_t num_required, DType dtype = DType::kFloat32) {
    const Call call = Start(a, num_required, dtype);
    if (!call->ended()) return absl::InternalError("waits");
    return call->outputs();
  }
};

INSTANTIATE_TEST_SUITE_P(Handles, DenseAccumulatorTest, testing::Values("", "Resource"),
                         [](const auto& info) { return info.param.empty() ? "Strings" : "Resources"; });

TEST_P(DenseAccumulatorTest, AveragesAndSums) {
  const Tensor mean = NewDense(), sum = NewDense({{"reduction_type", "SUM"}, {"shape", PartialShape::Of({2})}});
  for (const Tensor& a : {mean, sum}) {
    EXPECT_EQ(Num(a), 0);
    ASSERT_TRUE(Apply(a, 0, Floats({2}, {1, 2})).ok());
    ASSERT_TRUE(Apply(a, 0, Floats({2}, {4, 8})).ok());
    EXPECT_EQ(Num(a), 2);
  }
  ExpectValues(Take(mean, 2), {Floats({2}, {2.5, 5})});
  ExpectValues(Take(sum, 1), {Floats({2}, {5, 10})});
  EXPECT_EQ(Num(mean), 0);
}

TEST_P(DenseAccumulatorTest, EveryDType) {
  for (const Tensor& x :
       {::flowlatch::Of<Half, float>({1}, {1.5}), Floats({1}, {1.5}), ::flowlatch::Of<double>({1}, {1.5})}) {
    const Tensor a = NewDense({{"dtype", x.dtype()}});
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(Apply(a, 0, x).ok());
    ExpectValues(Take(a, 3, x.dtype()), {x});
  }
  EXPECT_EQ(TryNew(GetParam() + "ConditionalAccumulator", {{"dtype", DType::kInt32}}).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST_P(DenseAccumulatorTest, GradientsOfEarlierStepsAreDropped) {
  const Tensor a = NewDense();
  ASSERT_TRUE(Apply(a, -1, Floats({}, {1})).ok());
  EXPECT_EQ(Num(a), 0);
  ASSERT_TRUE(SetStep(a, 3).ok());
  for (int64_t step = 0; step < 6; ++step) ASSERT_TRUE(Apply(a, step, Floats({}, {static_cast<float>(step)})).ok());
  ExpectValues(Take(a, 3), {Floats({}, {4})});
  ASSERT_TRUE(Apply(a, 3, Floats({}, {1})).ok());  // taking was a step
  EXPECT_EQ(Num(a), 0);
  ASSERT_TRUE(SetStep(a, 0).ok());
  ASSERT_TRUE(Apply(a, 0, Floats({3}, {1, 2, 3})).ok());  // another shape, now that the others are gone
  EXPECT_EQ(Num(a), 1);
}

TEST_P(DenseAccumulatorTest, TakeWaits) {
  const Tensor a = NewDense();
  const Call take = Start(a, 2);
  ASSERT_TRUE(Apply(a, 0, Floats({}, {1})).ok());
  EXPECT_FALSE(take->ended());
  ASSERT_TRUE(Apply(a, 0, Floats({}, {2})).ok());
  ASSERT_TRUE(take->ended());
  ExpectValues(take->outputs(), {Floats({}, {1.5})});
  const Call cancelled = Start(a, 1);
  step_.cancellation().Cancel(absl::CancelledError("enough"));
  ASSERT_TRUE(cancelled->ended());
  EXPECT_EQ(cancelled->outputs().status().code(), absl::StatusCode::kCancelled);
  ASSERT_TRUE(Apply(a, 1, Floats({}, {5})).ok());
  EXPECT_EQ(Num(a), 1);
}

TEST_P(DenseAccumulatorTest, Errors) {
  const Tensor a = NewDense({{"shape", PartialShape::Of({-1, 2})}});
  ExpectInvalid(Apply(a, 0, Floats({2}, {1, 2})), "gradient: expected shape [?,2], got [2]");
  ASSERT_TRUE(Apply(a, 0, Floats({1, 2}, {1, 2})).ok());
  ExpectInvalid(Apply(a, 0, Floats({2, 2}, {1, 2, 3, 4})), "gradient: expected shape [1,2], got [2,2]");
  ExpectInvalid(Apply(a, 0, ::flowlatch::Of<double>({1, 2}, {1, 2})), "accumulator: expected float64, got float32");
  ExpectInvalid(Take(a, 0).status(), "num_required: expected a number >= 1, got 0");
  ExpectInvalid(Take(a, 1, DType::kFloat16).status(), "accumulator: expected float16, got float32");
  ExpectInvalid(
      StartTake(GetParam() + "AccumulatorTakeGradient", a, Ints({1}, {1}), DType::kFloat32)->outputs().status(),
      "num_required: expected a scalar");
  ExpectInvalid(step_.Run(GetParam() + "AccumulatorSetGlobalStep", {}, {a, Longs({1}, {1})}).status(),
                "new_global_step");
  EXPECT_EQ(Num(a), 1);
  const AttrMap shared = {{"shared_name", "s"}};
  const Tensor s = NewDense(shared);
  ASSERT_TRUE(Apply(s, 0, Floats({}, {1})).ok());
  EXPECT_EQ(Num(NewDense(shared)), 1);
  for (const AttrMap& other : {shared.With("shape", PartialShape::Of({1})), shared.With("dtype", DType::kFloat16),
                               shared.With("reduction_type", "SUM")}) {
    ExpectInvalid(TryNew(GetParam() + "ConditionalAccumulator", other).status(), "accumulator 's': expected the kind");
  }
  if (!GetParam().empty()) return;
  ExpectInvalid(TryNew("SparseConditionalAccumulator", shared).status(), "accumulator 's': expected the kind");
  ExpectInvalid(StartTake("SparseAccumulatorTakeGradient", s, Tensor::Scalar(1), DType::kFloat32)->outputs().status(),
                "accumulator: expected a sparse one");
}

// ---- Sparse

class SparseAccumulatorTest : public AccumulatorTest {
 protected:
  Tensor NewSparse(AttrMap attrs = {}) { return New("SparseConditionalAccumulator", std::move(attrs)); }
  absl::Status Apply(const Tensor& a, const Tensor& indices, const Tensor& values, const Tensor& shape = Tensor(),
                     int64_t step = 0) {
    const bool known = shape.has_value();
    return step_
        .Run("SparseAccumulatorApplyGradient", {{"dtype", values.dtype()}, {"has_known_shape", known}},
             {a, Tensor::Scalar(step), indices, values, known ? shape : Longs({0}, {})})
        .status();
  }
  Results Take(const Tensor& a, int32_t num_required, DType dtype = DType::kFloat32) {
    const Call call = StartTake("SparseAccumulatorTakeGradient", a, Tensor::Scalar(num_required), dtype);
    if (!call->ended()) return absl::InternalError("waits");
    return call->outputs();
  }
};

TEST_F(SparseAccumulatorTest, RowsAreAveragedOverTheirGradients) {
  const Tensor mean = NewSparse(), sum = NewSparse({{"reduction_type", "SUM"}, {"shape", PartialShape::Of({9, 2})}});
  for (const Tensor& a : {mean, sum}) {
    ASSERT_TRUE(Apply(a, Longs({2}, {0, 2}), Floats({2, 2}, {1, 1, 2, 2})).ok());
    ASSERT_TRUE(Apply(a, Longs({3}, {1, 2, 7}), Floats({3, 2}, {3, 3, 4, 4, 5, 5})).ok());
    EXPECT_EQ(Num(a), 2);
  }
  ExpectValues(Take(mean, 2),
               {Longs({4}, {0, 1, 2, 7}), Floats({4, 2}, {1, 1, 3, 3, 3, 3, 5, 5}), Longs({2}, {-1, 2})});
  ExpectValues(Take(sum, 2), {Longs({4}, {0, 1, 2, 7}), Floats({4, 2}, {1, 1, 3, 3, 6, 6, 5, 5}), Longs({2}, {9, 2})});
  EXPECT_EQ(Num(mean), 0);
}

// As in TensorFlow, bit for bit.
TEST_F(SparseAccumulatorTest, IndicesThatDoNotIncrease) {
  const Tensor a = NewSparse();
  ASSERT_TRUE(Apply(a, Longs({2}, {2, 0}), Floats({2, 2}, {1, 1, 2, 2})).ok());
  ASSERT_TRUE(Apply(a, Longs({2}, {2, 2}), Floats({2, 2}, {3, 3, 4, 4})).ok());
  ExpectValues(Take(a, 1), {Longs({3}, {2, 0, 2}), Floats({3, 2}, {2, 2, 2, 2, 4, 4}), Longs({2}, {-1, 2})});
}

TEST_F(SparseAccumulatorTest, EmptyAndOtherDTypes) {
  const Tensor a = NewSparse();
  ASSERT_TRUE(Apply(a, Longs({0}, {}), Floats({0, 3}, {})).ok());
  ExpectValues(Take(a, 1), {Longs({0}, {}), Floats({0, 3}, {}), Longs({2}, {-1, 3})});
  ASSERT_TRUE(Apply(a, Longs({1}, {0}), Floats({1}, {1}), Tensor(), 1).ok());  // rows that are scalars
  ASSERT_TRUE(Apply(a, Longs({0}, {}), Floats({0}, {}), Tensor(), 1).ok());
  ExpectValues(Take(a, 2), {Longs({1}, {0}), Floats({1}, {1}), Longs({1}, {-1})});
  const Tensor half = NewSparse({{"dtype", DType::kFloat16}});
  for (const float x : {1.0f, 2.0f})
    ASSERT_TRUE(Apply(half, Longs({1}, {0}), ::flowlatch::Of<Half, float>({1}, {x})).ok());
  ExpectValues(Take(half, 2, DType::kFloat16),
               {Longs({1}, {0}), ::flowlatch::Of<Half, float>({1}, {1.5}), Longs({1}, {-1})});
}

TEST_F(SparseAccumulatorTest, Errors) {
  const Tensor any = NewSparse(), a = NewSparse({{"shape", PartialShape::Of({3, 2})}});
  const Tensor row = Floats({1, 2}, {1, 1}), zero = Longs({1}, {0});
  ExpectInvalid(Apply(any, Longs({2, 2}, {0, 0, 0, 0}), row),
                "gradient: expected a vector of indices, got shape [2,2]");
  ExpectInvalid(Apply(any, Longs({}, {0}), row), "expected a vector of indices");
  ExpectInvalid(Apply(any, zero, Floats({}, {1})), "gradient: expected rows of values, got a scalar");
  ExpectInvalid(Apply(any, Longs({2}, {0, 1}), row), "gradient: expected 2 rows of values, got shape [1,2]");
  ASSERT_TRUE(Apply(any, zero, row).ok());
  ExpectInvalid(Apply(any, zero, Floats({1, 3}, {1, 1, 1})),
                "gradient: expected rows as in [1,2], got values of [1,3]");
  ExpectInvalid(Apply(a, Longs({1}, {3}), row), "gradient: expected indices below 3, got 3");
  ExpectInvalid(Apply(a, zero, Floats({1, 3}, {1, 1, 1})), "gradient: expected rows of shape [2], got values of [1,3]");
  ExpectInvalid(Apply(a, zero, row, Longs({2}, {4, 2})), "gradient: expected shape [3,2], got [4,2]");
  ExpectInvalid(Apply(a, zero, row, Longs({2}, {-3, 2})), "");
  ASSERT_TRUE(Apply(a, zero, row, Longs({2}, {3, 2})).ok());
  EXPECT_EQ(Num(a), 1);
}

TEST(AccumulatorShapes, AreOfScalars) {
  OpLibrary library;
  ASSERT_TRUE(RegisterAccumulatorOps(library).ok());
  const AttrMap attrs = {{"dtype", DType::kFloat32}};
  EXPECT_EQ(InferShapes(library, "ResourceAccumulatorNumAccumulated", {}, {PartialShape()}).value()[0],
            PartialShape(Shape()));
  EXPECT_EQ(InferShapes(library, "AccumulatorTakeGradient", attrs, {PartialShape(), PartialShape()}).value()[0],
            PartialShape());
  ExpectInvalid(
      InferShapes(library, "AccumulatorTakeGradient", attrs, {PartialShape(), PartialShape::Of({1})}).status(), "rank");
}

// ---- Several clients of one session

class AccumulatorSession : public testing::Test {
 protected:
  void SetUp() override {
    const AttrMap::Entry dtype = {"dtype", DType::kFloat32};
    const Output a = g_.b.Op("ConditionalAccumulator", {}, {dtype, {"shape", PartialShape(Shape())}}).output();
    const Output x = g_.b.Placeholder(DType::kFloat32, PartialShape(Shape()), "x");
    apply_ = g_.b.Op("AccumulatorApplyGradient", {a, Tensor::Scalar<int64_t>(1000), x}).name();
    for (const int32_t n : {1, 10})
      take_.push_back(g_.b.Op("AccumulatorTakeGradient", {a, n}, {dtype}).output().name());
    auto session = g_.NewSession();
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = *std::move(session);
  }
  void Apply(float x) {
    const Results out = session_->Run({{"x", Tensor::Scalar(x)}}, {}, {apply_});
    EXPECT_TRUE(out.ok()) << out.status();
  }

  BuiltGraph g_;
  std::string apply_;
  std::vector<std::string> take_;  // of 1 and of 10
  std::unique_ptr<Session> session_;
};

TEST_F(AccumulatorSession, ParallelApplies) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i) threads.emplace_back([&, i] { Apply(static_cast<float>(i)); });
  for (std::thread& thread : threads) thread.join();
  const Results average = session_->Run({}, {take_[1]}, {});
  ASSERT_TRUE(average.ok()) << average.status();
  EXPECT_EQ(Difference((*average)[0], Floats({}, {4.5})), "");
}

TEST_F(AccumulatorSession, ParallelTakesGetEachAverageOnce) {
  std::mutex mu;
  std::vector<float> taken;
  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&] {
      const Results average = session_->Run({}, {take_[0]}, {});
      ASSERT_TRUE(average.ok()) << average.status();
      std::lock_guard<std::mutex> lock(mu);
      taken.push_back((*average)[0].scalar<float>());
    });
  }
  for (int i = 0; i < 10; ++i) {
    Apply(static_cast<float>(i));
    // Two gradients at once would be one average.
    for (size_t n = 0; n <= static_cast<size_t>(i);) {
      std::this_thread::yield();
      std::lock_guard<std::mutex> lock(mu);
      n = taken.size();
    }
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(taken, testing::UnorderedElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(AccumulatorSession, CloseCancelsABlockedTake) {
  std::thread blocked(
      [&] { EXPECT_EQ(session_->Run({}, {take_[1]}, {}).status().code(), absl::StatusCode::kCancelled); });
  Apply(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(session_->Close().ok());
  blocked.join();
}

}  // namespace
}  // namespace flowlatch
