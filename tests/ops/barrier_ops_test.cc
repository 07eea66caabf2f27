#include "ops/barrier_ops.h"

#include <limits>
#include <map>

#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

constexpr DType kF = DType::kFloat32;
constexpr DType kI = DType::kInt32;
constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();

class BarrierOpsTest : public testing::Test {
 protected:
  using Results = absl::StatusOr<std::vector<Tensor>>;
  using Started = std::shared_ptr<StepRunner::Started>;

  void SetUp() override { ASSERT_TRUE(RegisterBarrierOps(library_).ok()); }
  Results TryOpen(std::vector<DType> dtypes, std::vector<PartialShape> shapes, std::map<std::string, Attr> more = {}) {
    more.insert({{"component_types", dtypes}, {"shapes", shapes}});
    return step_.Run("Barrier", AttrMap(std::move(more)), {});
  }
  Tensor Open(std::vector<DType> dtypes, std::vector<PartialShape> shapes, std::map<std::string, Attr> more = {}) {
    return TryOpen(std::move(dtypes), std::move(shapes), std::move(more)).value()[0];
  }
  absl::Status Insert(const Tensor& barrier, int64_t component, const Tensor& keys, const Tensor& values) {
    return step_.Run("BarrierInsertMany", {{"T", values.dtype()}, {"component_index", component}}, {barrier, keys, values})
        .status();
  }
  Started Take(const Tensor& barrier, int32_t n, std::vector<DType> dtypes, bool allow_small_batch = false) {
    return step_
        .Start("BarrierTakeMany", {{"component_types", dtypes}, {"allow_small_batch", allow_small_batch}},
               {barrier, Tensor::Scalar(n)})
        .value();
  }
  absl::Status Close(const Tensor& barrier, bool cancel = false) {
    return step_.Run("BarrierClose", {{"cancel_pending_enqueues", cancel}}, {barrier}).status();
  }
  int32_t Size(const Tensor& barrier, const char* op) { return step_.Run(op, {}, {barrier}).value()[0].scalar<int32_t>(); }
  void ExpectSizes(const Tensor& barrier, int32_t ready, int32_t incomplete) {
    EXPECT_EQ(Size(barrier, "BarrierReadySize"), ready);
    EXPECT_EQ(Size(barrier, "BarrierIncompleteSize"), incomplete);
  }
  static void ExpectTaken(const Started& started, const std::vector<Tensor>& want) {
    ASSERT_TRUE(started->ended());
    const Results got = started->outputs();
    ASSERT_TRUE(got.ok()) << got.status();
    ASSERT_EQ(got->size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(Difference((*got)[i], want[i]), "") << "output " << i;
  }
  static void ExpectFailed(const absl::Status& status, absl::StatusCode code, const std::string& text) {
    EXPECT_EQ(status.code(), code) << status;
    EXPECT_THAT(std::string(status.message()), testing::HasSubstr(text));
  }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

TEST_F(BarrierOpsTest, ElementsLeaveWhenTheyAreComplete) {
  const Tensor barrier = Open({kF, kI}, {Shape::Of({2}), Shape()});
  ASSERT_TRUE(Insert(barrier, 0, Strings({2}, {"a", "b"}), Floats({2, 2}, {1, 2, 3, 4})).ok());
  ExpectSizes(barrier, 0, 2);
  const Started take = Take(barrier, 2, {kF, kI});
  EXPECT_FALSE(take->ended());
  ASSERT_TRUE(Insert(barrier, 1, Strings({2}, {"c", "b"}), Ints({2}, {30, 20})).ok());
  ExpectSizes(barrier, 0, 2);  // the take has b already
  ASSERT_TRUE(Insert(barrier, 0, Strings({1}, {"c"}), Floats({1, 2}, {5, 6})).ok());
  ExpectTaken(take, {Longs({2}, {kFirst, kFirst + 1}), Strings({2}, {"b", "c"}), Floats({2, 2}, {3, 4, 5, 6}), Ints({2}, {20, 30})});
  ExpectSizes(barrier, 0, 1);
  ExpectTaken(Take(barrier, 0, {kF, kI}), {Longs({0}, {}), Strings({0}, {}), Floats({0, 2}, {}), Ints({0}, {})});
}

// Indices name the insert in which a key was new; the elements of the oldest leave first.
TEST_F(BarrierOpsTest, OldestFirst) {
  const Tensor barrier = Open({kI, kI}, {});
  for (const char* key : {"a", "b", "c"}) {
    ASSERT_TRUE(Insert(barrier, 0, Strings({1}, {key}), Ints({1}, {key[0]})).ok());
  }
  ASSERT_TRUE(Insert(barrier, 1, Strings({3}, {"c", "b", "a"}), Ints({3}, {3, 2, 1})).ok());
  ExpectTaken(Take(barrier, 3, {kI, kI}), {Longs({3}, {kFirst, kFirst + 1, kFirst + 2}), Strings({3}, {"a", "b", "c"}),
                                           Ints({3}, {'a', 'b', 'c'}), Ints({3}, {1, 2, 3})});
}

TEST_F(BarrierOpsTest, CompleteKeysAreNewAgain) {
  const Tensor barrier = Open({kI}, {Shape()});
  ASSERT_TRUE(Insert(barrier, 0, Strings({2}, {"a", "a"}), Ints({2}, {1, 2})).ok());
  ExpectTaken(Take(barrier, 2, {kI}), {Longs({2}, {kFirst, kFirst}), Strings({2}, {"a", "a"}), Ints({2}, {1, 2})});
}

TEST_F(BarrierOpsTest, ClosedBarrierCanStillBeCompleted) {
  const Tensor barrier = Open({kI, kI}, {});
  ASSERT_TRUE(Insert(barrier, 0, Strings({2}, {"a", "b"}), Ints({2}, {1, 2})).ok());
  ASSERT_TRUE(Close(barrier).ok());
  ExpectFailed(Close(barrier), absl::StatusCode::kCancelled, "expected an open one, got one that was closed");
  ExpectFailed(Insert(barrier, 1, Strings({1}, {"new"}), Ints({1}, {1})), absl::StatusCode::kCancelled,
               "expected keys that it knows, as it was closed, got 'new'");
  const Started take = Take(barrier, 2, {kI, kI});
  EXPECT_FALSE(take->ended());
  ExpectFailed(Take(barrier, 3, {kI, kI})->outputs().status(), absl::StatusCode::kOutOfRange, "expected 3 elements, got 2");
  ASSERT_TRUE(Insert(barrier, 1, Strings({2}, {"a", "b"}), Ints({2}, {3, 4})).ok());
  ExpectTaken(take, {Longs({2}, {kFirst, kFirst}), Strings({2}, {"a", "b"}), Ints({2}, {1, 2}), Ints({2}, {3, 4})});
  ExpectFailed(Take(barrier, 1, {kI, kI})->outputs().status(), absl::StatusCode::kOutOfRange, "got 0, and it is closed");
  ExpectFailed(Take(barrier, 0, {kI, kI}, true)->outputs().status(), absl::StatusCode::kOutOfRange, "got 0");
}

TEST_F(BarrierOpsTest, CloseDropsWhatIsIncomplete) {
  const Tensor barrier = Open({kI, kI}, {});
  ASSERT_TRUE(Insert(barrier, 0, Strings({2}, {"a", "b"}), Ints({2}, {1, 2})).ok());
  ASSERT_TRUE(Insert(barrier, 1, Strings({1}, {"b"}), Ints({1}, {3})).ok());
  const Started take = Take(barrier, 2, {kI, kI}), small = Take(barrier, 2, {kI, kI}, true);
  ASSERT_TRUE(Close(barrier).ok());
  EXPECT_FALSE(take->ended());
  ASSERT_TRUE(Close(barrier, true).ok());  // more firmly than before
  ExpectSizes(barrier, 0, 0);
  ASSERT_TRUE(take->ended());
  ExpectFailed(take->outputs().status(), absl::StatusCode::kOutOfRange, "expected 2 elements, got 1");
  ExpectTaken(small, {Longs({1}, {kFirst}), Strings({1}, {"b"}), Ints({1}, {2}), Ints({1}, {3})});
  ExpectFailed(Insert(barrier, 1, Strings({1}, {"a"}), Ints({1}, {1})), absl::StatusCode::kCancelled, "closed");
  ExpectFailed(Close(barrier, true), absl::StatusCode::kCancelled, "closed");
}

TEST_F(BarrierOpsTest, SmallBatchOfAClosedBarrier) {
  const Tensor barrier = Open({kI}, {});
  ASSERT_TRUE(Insert(barrier, 0, Strings({2}, {"a", "b"}), Ints({2}, {1, 2})).ok());
  ASSERT_TRUE(Close(barrier).ok());
  ExpectTaken(Take(barrier, 5, {kI}, true), {Longs({2}, {kFirst, kFirst}), Strings({2}, {"a", "b"}), Ints({2}, {1, 2})});
}

TEST_F(BarrierOpsTest, CancelledStep) {
  const Tensor barrier = Open({kI}, {});
  const Started take = Take(barrier, 2, {kI});
  ASSERT_TRUE(Insert(barrier, 0, Strings({1}, {"a"}), Ints({1}, {1})).ok());
  ExpectSizes(barrier, 0, 0);
  step_.cancellation().Cancel(absl::CancelledError());
  ASSERT_TRUE(take->ended());
  EXPECT_EQ(take->outputs().status().code(), absl::StatusCode::kCancelled);
  ExpectSizes(barrier, 1, 0);
}

TEST_F(BarrierOpsTest, BadInserts) {
  const Tensor barrier = Open({kF, kI}, {Shape::Of({2}), Shape::Of({0})});
  const Tensor keys = Strings({1}, {"a"});
  const struct {
    const char* name;
    absl::Status status;
    const char* error;
  } cases[] = {
      {"component", Insert(barrier, 2, keys, Ints({1}, {1})), "component_index: expected a value in [0,2), got 2"},
      {"negative component", Insert(barrier, -1, keys, Ints({1}, {1})), "got -1"},
      {"dtype", Insert(barrier, 0, keys, Ints({1, 2}, {1, 2})), "component 0: expected float32, got int32"},
      {"shape", Insert(barrier, 0, keys, Floats({1, 3}, {1, 2, 3})), "component 0: expected 1 values of shape [2], got shape [1,3]"},
      {"rows", Insert(barrier, 0, keys, Floats({2, 2}, {1, 2, 3, 4})), "expected 1 values of shape [2], got shape [2,2]"},
      {"scalar", Insert(barrier, 0, keys, Floats({}, {1})), "expected 1 values of shape [2], got shape []"},
      {"no elements", Insert(barrier, 1, keys, Ints({1, 0}, {})), "component 1: expected values with elements, got shape [1,0]"},
      {"keys", Insert(barrier, 0, Strings({}, {"a"}), Floats({1, 2}, {1, 2})), "keys: expected a vector"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ExpectInvalid(c.status, c.error);
  }
  ExpectSizes(barrier, 0, 0);
  ASSERT_TRUE(Insert(barrier, 0, keys, Floats({1, 2}, {1, 2})).ok());
  ExpectInvalid(Insert(barrier, 0, keys, Floats({1, 2}, {1, 2})), "component 0: expected keys without it, got 'a' again");
}

TEST_F(BarrierOpsTest, BadAttributesAndInputs) {
  ExpectInvalid(TryOpen({kF}, {Shape()}, {{"capacity", int64_t{3}}}).status(), "capacity: expected -1");
  ExpectInvalid(TryOpen({kF}, {PartialShape::Of({-1})}).status(), "expected fully defined ones");
  ExpectInvalid(TryOpen({kF}, {Shape(), Shape()}).status(), "shapes: expected 3 or none, got 4");
  const Tensor barrier = Open({kF}, {});
  ExpectInvalid(Take(barrier, -1, {kF})->outputs().status(), "num_elements: expected a number >= 0, got -1");
  ExpectInvalid(Take(barrier, 1, {kI})->outputs().status(), "components: expected int64, string, float32, got int64, string, int32");
  ExpectInvalid(step_.Run("BarrierTakeMany", {{"component_types", std::vector<DType>{kF}}, {"timeout_ms", int64_t{1}}},
                          {barrier, Tensor::Scalar(1)})
                    .status(),
                "timeout_ms: expected -1");
  EXPECT_EQ(step_.Run("BarrierReadySize", {}, {Strings({2}, {"c", "none"})}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(BarrierOpsTest, BarriersOfOneName) {
  const std::map<std::string, Attr> name = {{"shared_name", std::string("shared")}};
  const Tensor barrier = Open({kI}, {}, name), again = Open({kI}, {}, name);
  ASSERT_TRUE(Insert(barrier, 0, Strings({1}, {"a"}), Ints({1}, {1})).ok());
  ExpectSizes(again, 1, 0);
  ExpectInvalid(TryOpen({kF}, {}, name).status(), "component types: expected that of the shared queue");
}

TEST_F(BarrierOpsTest, Shapes) {
  const AttrMap take = {{"component_types", std::vector<DType>{kF}}};
  const auto shapes = InferShapes(library_, "BarrierTakeMany", take, {Shape::Of({2}), Shape()}).value();
  EXPECT_EQ(shapes[0], PartialShape::Of({-1}));
  EXPECT_EQ(shapes[1], PartialShape::Of({-1}));
  EXPECT_FALSE(shapes[2].has_rank());
  ExpectInvalid(InferShapes(library_, "BarrierTakeMany", take, {Shape::Of({2}), Shape::Of({1})}).status(), "");
  EXPECT_EQ(InferShapes(library_, "BarrierReadySize", {}, {Shape::Of({2})}).value()[0], Shape());
}

}  // namespace
}  // namespace flowlatch
