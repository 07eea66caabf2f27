#include "runtime/resource/resource_manager.h"

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/resource/variable.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Counter final : public Resource {
 public:
  explicit Counter(int value, bool* destroyed = nullptr) : value(value), destroyed_(destroyed) {}
  ~Counter() override {
    if (destroyed_ != nullptr) *destroyed_ = true;
  }
  std::string TypeName() const override { return "Counter"; }
  const int value;

 private:
  bool* const destroyed_;
};

absl::StatusOr<RefPtr<Counter>> AddCounter(ResourceManager& manager, std::string_view container, std::string_view name,
                                           int value, bool* destroyed = nullptr) {
  return manager.LookupOrCreate<Counter>(
      container, name, [&]() -> absl::StatusOr<RefPtr<Counter>> { return MakeRef<Counter>(value, destroyed); });
}

RefPtr<ResourceKey> Key(std::string container, std::string name, std::string type_name) {
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->container = std::move(container);
  key->name = std::move(name);
  key->type_name = std::move(type_name);
  return key;
}

TEST(ResourceManagerTest, LooksUpWhatWasCreated) {
  ResourceManager manager;
  ASSERT_TRUE(AddCounter(manager, "c", "x", 1).ok());
  EXPECT_EQ((*AddCounter(manager, "c", "x", 2))->value, 1) << "created twice";
  absl::StatusOr<RefPtr<Counter>> found = manager.Lookup<Counter>("c", "x");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ((*found)->value, 1);
}

TEST(ResourceManagerTest, EmptyContainerIsTheDefault) {
  ResourceManager manager;
  ASSERT_TRUE(AddCounter(manager, "", "x", 1).ok());
  EXPECT_TRUE(manager.Lookup<Counter>(kDefaultContainer, "x").ok());
  EXPECT_TRUE(manager.Delete<Counter>("", "x").ok());
  EXPECT_THAT(manager.List(), IsEmpty());
}

TEST(ResourceManagerTest, KindsOfResourceMayShareAName) {
  ResourceManager manager;
  ASSERT_TRUE(AddCounter(manager, "c", "x", 1).ok());
  ASSERT_TRUE(LookupOrCreateVariable(manager, *Key("c", "x", "Var"), DType::kFloat32).ok());
  EXPECT_THAT(manager.List(), testing::UnorderedElementsAre("c/x (Counter)", "c/x (Var)"));
  EXPECT_TRUE(manager.Delete(ResourceHandle(Key("c", "x", "Var"))).ok());
  EXPECT_THAT(manager.List(), ElementsAre("c/x (Counter)"));
}

TEST(ResourceManagerTest, MissingIsNotFoundAndNamesTheKey) {
  ResourceManager manager;
  const absl::Status status = manager.Lookup<Counter>("", "x").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("localhost/x"));
  EXPECT_EQ(manager.Delete<Counter>("", "x").code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(manager.Delete(ResourceHandle(Key("", "x", "Counter"))).code(), absl::StatusCode::kNotFound);
}

TEST(ResourceManagerTest, FailedCreationLeavesNothing) {
  ResourceManager manager;
  const auto fail = []() -> absl::StatusOr<RefPtr<Counter>> { return absl::InternalError("no"); };
  EXPECT_EQ(manager.LookupOrCreate<Counter>("", "x", fail).status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(manager.List(), IsEmpty());
}

TEST(ResourceManagerTest, DeletedResourceLivesAsLongAsItsUsers) {
  ResourceManager manager;
  bool destroyed = false;
  absl::StatusOr<RefPtr<Counter>> user = AddCounter(manager, "", "x", 7, &destroyed);
  ASSERT_TRUE(manager.Delete<Counter>("", "x").ok());
  EXPECT_FALSE(destroyed);
  EXPECT_EQ((*user)->value, 7);
  *user = RefPtr<Counter>();
  EXPECT_TRUE(destroyed);
}

TEST(ResourceManagerTest, ClearsOneContainerOrAll) {
  ResourceManager manager;
  for (const char* container : {"a", "b"}) {
    for (const char* name : {"x", "y"}) ASSERT_TRUE(AddCounter(manager, container, name, 1).ok());
  }
  manager.ClearContainer("a");
  EXPECT_THAT(manager.List(), ElementsAre("b/x (Counter)", "b/y (Counter)"));
  manager.Clear();
  EXPECT_THAT(manager.List(), IsEmpty());
}

TEST(ResourceManagerTest, EpochChangesWithDeletionsOnly) {
  ResourceManager manager, other;
  EXPECT_NE(manager.epoch(), other.epoch());
  const uint64_t before = manager.epoch();
  ASSERT_TRUE(AddCounter(manager, "", "x", 1).ok());
  EXPECT_EQ(manager.epoch(), before);
  ASSERT_TRUE(manager.Delete<Counter>("", "x").ok());
  EXPECT_NE(manager.epoch(), before);
}

TEST(ResourceHandleTest, EmptyHandleIsAnError) {
  ResourceManager manager;
  EXPECT_EQ(manager.Lookup<Counter>(ResourceHandle()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(LookupVariable(manager, ResourceHandle()).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(manager.Delete(ResourceHandle()).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ResourceHandleTest, AnonymousHandleHasItsOwnResource) {
  ResourceManager manager;
  RefPtr<ResourceKey> key = Key("", "x", "Counter");
  key->resource = RefPtr<const RefCounted>(MakeRef<Counter>(5));
  const ResourceHandle handle(key);
  EXPECT_EQ((*manager.Lookup<Counter>(handle))->value, 5);
  EXPECT_EQ(manager.Lookup<Variable>(handle).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(manager.Delete(handle).ok());
  EXPECT_EQ((*manager.Lookup<Counter>(handle))->value, 5);
}

TEST(VariableTest, LookupFollowsDeletionAndRecreation) {
  ResourceManager manager;
  const RefPtr<ResourceKey> key = Key("", "v", "Var"), other_key = Key("", "v", "Var");
  const ResourceHandle handle(key);
  EXPECT_EQ(LookupVariable(manager, handle).status().code(), absl::StatusCode::kNotFound);
  const RefPtr<Variable> first = *LookupOrCreateVariable(manager, *key, DType::kFloat32);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(LookupVariable(manager, handle)->get(), first.get());
  // Deleted through another handle: the memo of this one must not answer any more.
  ASSERT_TRUE(manager.Delete(ResourceHandle(other_key)).ok());
  EXPECT_EQ(LookupVariable(manager, handle).status().code(), absl::StatusCode::kNotFound);
  const RefPtr<Variable> second = *LookupOrCreateVariable(manager, *other_key, DType::kFloat32);
  EXPECT_NE(second.get(), first.get());
  EXPECT_EQ(LookupVariable(manager, handle)->get(), second.get());
}

TEST(VariableTest, HandleServesSeveralManagers) {
  const ResourceHandle handle(Key("", "v", "Var"));
  ResourceManager a, b;
  const RefPtr<Variable> in_a = *LookupOrCreateVariable(a, *handle.get(), DType::kFloat32);
  const RefPtr<Variable> in_b = *LookupOrCreateVariable(b, *handle.get(), DType::kFloat32);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(LookupVariable(a, handle)->get(), in_a.get());
    EXPECT_EQ(LookupVariable(b, handle)->get(), in_b.get());
  }
}

TEST(VariableTest, OtherDTypeIsAnErrorOtherShapeIsNot) {
  ResourceManager manager;
  const RefPtr<ResourceKey> key = Key("", "v", "Var");
  const RefPtr<Variable> v = *LookupOrCreateVariable(manager, *key, DType::kFloat32, PartialShape::Of({2}));
  EXPECT_EQ(LookupOrCreateVariable(manager, *key, DType::kFloat32, PartialShape::Of({3}))->get(), v.get());
  EXPECT_EQ(v->declared_shape(), PartialShape::Of({2}));
  const absl::Status status = LookupOrCreateVariable(manager, *key, DType::kInt32).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("expected dtype float32, got int32"));
}

TEST(VariableTest, KeyOfAnotherKindIsAnError) {
  ResourceManager manager;
  const RefPtr<ResourceKey> key = Key("", "q", "Queue");
  for (const absl::Status& status : {LookupVariable(manager, ResourceHandle(key)).status(),
                                     LookupOrCreateVariable(manager, *key, DType::kFloat32).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("expected a variable, got a resource of kind Queue"));
  }
  EXPECT_THAT(manager.List(), IsEmpty());
}

TEST(VariableTest, KeyDoesNotKeepAVariableOfHandlesAlive) {
  ResourceManager manager;
  const RefPtr<ResourceKey> key = Key("", "v", "Var");
  {
    const RefPtr<Variable> v = *LookupOrCreateVariable(manager, *key, DType::kResource);
    v->value = Tensor::Scalar(ResourceHandle(key));
  }
  EXPECT_FALSE(key->memo.Get(manager.epoch()));
}

TEST(VariableTest, UnshareLeavesReadersAlone) {
  Variable v(DType::kFloat32, "v");
  v.value = Tensor::Vector<float>({1, 2});
  const Tensor read = v.Read();
  {
    std::unique_lock<std::shared_mutex> lock(v.mu);
    ASSERT_TRUE(v.Unshare(nullptr).ok());
    v.value.mutable_data<float>()[0] = 9;
  }
  EXPECT_EQ(read.data<float>()[0], 1);
  EXPECT_EQ(v.Read().data<float>()[0], 9);
  const void* own = v.value.raw_data();
  ASSERT_TRUE(v.Unshare(nullptr).ok());
  EXPECT_EQ(v.value.raw_data(), own) << "copied though nobody shares it";
}

TEST(VariableTest, SnapshotsShareMemoryButInCopyOnReadMode) {
  for (const Tensor& value :
       {Tensor::Vector<float>({1, 2}), Tensor::Vector<int8_t>({1, 2, 3}), Tensor::Vector<int16_t>({1}),
        Tensor::Vector<double>({1, 2}), Tensor::Vector<String>({String(std::string_view("a"))})}) {
    SCOPED_TRACE(value.DebugString());
    Variable v(value.dtype(), "v");
    ASSERT_TRUE(v.StartCopyOnRead(nullptr).ok());
    EXPECT_FALSE(v.copy_on_read) << "there is no value to keep apart";
    v.value = value;
    Tensor snapshot;
    ASSERT_TRUE(v.Snapshot(nullptr, &snapshot).ok());
    EXPECT_TRUE(snapshot.SharesBufferWith(v.value));
    ASSERT_TRUE(v.StartCopyOnRead(nullptr).ok());
    EXPECT_FALSE(v.value.SharesBufferWith(value));
    ASSERT_TRUE(v.Snapshot(nullptr, &snapshot).ok());
    EXPECT_FALSE(snapshot.SharesBufferWith(v.value));
    EXPECT_EQ(snapshot.DebugString(), value.DebugString());
    v.value = Tensor();
    ASSERT_TRUE(v.Snapshot(nullptr, &snapshot).ok());
    EXPECT_FALSE(snapshot.has_value());
  }
}

TEST(VariableTest, ReferencedVariableLooksBeforeItCasts) {
  const RefPtr<Variable> v = MakeRef<Variable>(DType::kFloat32, "v");
  EXPECT_EQ(ReferencedVariable(Tensor::MakeRef(v, DType::kFloat32)), v.get());
  EXPECT_EQ(ReferencedVariable(Tensor::MakeRef(MakeRef<Counter>(1), DType::kFloat32)), nullptr);
  EXPECT_EQ(ReferencedVariable(Tensor::Scalar(1.0f)), nullptr);
}

TEST(VariableTest, LookupsDeletionsAndCreationsFromSeveralThreads) {
  ResourceManager manager;
  const ResourceHandle handle(Key("", "v", "Var"));
  const auto work = [&](int seed) {
    for (int i = 0; i < 2000; ++i) {
      absl::StatusOr<RefPtr<Variable>> v = LookupVariable(manager, handle);
      if (!v.ok()) v = LookupOrCreateVariable(manager, *handle.get(), DType::kFloat32);
      ASSERT_TRUE(v.ok()) << v.status();
      ASSERT_EQ((*v)->dtype(), DType::kFloat32);
      if ((i + seed) % 50 == 0) manager.Delete(handle).IgnoreError();
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (std::thread& thread : threads) thread.join();
  manager.Clear();
  EXPECT_EQ(LookupVariable(manager, handle).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flowlatch
