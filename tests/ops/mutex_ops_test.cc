#include "ops/mutex_ops.h"

#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

class MutexOpsTest : public testing::Test {
 protected:
  using Started = std::shared_ptr<StepRunner::Started>;

  void SetUp() override {
    ASSERT_TRUE(RegisterMutexOps(library_).ok());
    step_.set_forwards_inputs(true);
  }
  Tensor Handle(const std::string& name) {
    return step_.Run("MutexV2", {{"shared_name", name}}, {}).value()[0];
  }
  Started Lock(const Tensor& mutex) { return step_.Start("MutexLock", {}, {mutex}).value(); }
  absl::Status Consume(Tensor lock) { return step_.Run("ConsumeMutexLock", {}, {std::move(lock)}).status(); }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

// The lock of a call that is over; the call itself does not hold it any more.
Tensor TakeLock(std::shared_ptr<StepRunner::Started>& started) {
  Tensor lock = started->outputs().value()[0];
  started.reset();
  return lock;
}

TEST_F(MutexOpsTest, LockIsHeldUntilTheLastConsumerHasRun) {
  const Tensor mutex = Handle("m"), same = Handle("m"), other = Handle("n");
  Started first = Lock(mutex);
  ASSERT_TRUE(first->ended());
  Started second = Lock(same), apart = Lock(other);
  EXPECT_FALSE(second->ended());
  EXPECT_TRUE(apart->ended());
  Tensor lock = TakeLock(first);
  EXPECT_EQ(lock.dtype(), DType::kVariant);
  EXPECT_EQ(lock.shape(), Shape());
  Tensor copy = lock;
  EXPECT_TRUE(Consume(std::move(lock)).ok());
  EXPECT_FALSE(second->ended());  // of two consumers, one has run
  EXPECT_TRUE(Consume(std::move(copy)).ok());
  EXPECT_TRUE(second->ended());
}

TEST_F(MutexOpsTest, CancelledStep) {
  const Tensor mutex = Handle("m");
  StepRunner other(library_, &resources_);
  Started held = other.Start("MutexLock", {}, {mutex}).value();
  ASSERT_TRUE(held->ended());
  Started waits = Lock(mutex);
  EXPECT_FALSE(waits->ended());
  step_.cancellation().Cancel(absl::CancelledError("stop"));
  ASSERT_TRUE(waits->ended());
  EXPECT_EQ(waits->outputs().status().code(), absl::StatusCode::kCancelled);
  held.reset();
  EXPECT_TRUE(other.Start("MutexLock", {}, {mutex}).value()->ended());
}

TEST_F(MutexOpsTest, Errors) {
  ExpectInvalid(Consume(Tensor::Scalar(Variant())), "mutex_lock: expected the lock of a mutex");
  Started held = Lock(Handle("m"));
  Tensor locks = Tensor::Make(DType::kVariant, {1}).value();
  locks.mutable_data<Variant>()[0] = held->outputs().value()[0].scalar<Variant>();
  ExpectInvalid(Consume(locks), "mutex_lock: expected the lock of a mutex");
  ExpectInvalid(Lock(Tensor::Scalar(ResourceHandle()))->outputs().status(), "empty");
  ExpectInvalid(Lock(Tensor::Make(DType::kResource, {2}).value())->outputs().status(), "mutex: expected one handle, got shape [2]");
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->name = "v";
  key->type_name = "Var";
  ExpectInvalid(Lock(Tensor::Scalar(ResourceHandle(RefPtr<const ResourceKey>(key))))->outputs().status(),
                "resource 'v': expected a mutex, got a resource of kind Var");
}

TEST_F(MutexOpsTest, Shapes) {
  EXPECT_EQ(InferShapes(library_, "MutexV2", {}, {}).value()[0], Shape());
  EXPECT_EQ(InferShapes(library_, "MutexLock", {}, {PartialShape()}).value()[0], Shape());
  EXPECT_TRUE(InferShapes(library_, "ConsumeMutexLock", {}, {Shape()}).ok());
  ExpectInvalid(InferShapes(library_, "ConsumeMutexLock", {}, {Shape::Of({1})}).status(), "");
}

}  // namespace
}  // namespace flowlatch
