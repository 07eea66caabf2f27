#include "graph/schema/op_registry.h"

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

OpSchema Parsed(std::string_view signature) { return OpSchema::Parse(signature).value(); }

TEST(OpRegistryTest, RegisteredOpsComeFirst) {
  OpRegistry registry;
  const OpSchema* mine = registry.Add(Parsed("Mine() -> ()")).value();
  const OpSchema* add = registry.Add(Parsed("Add(x: int32) -> ()")).value();
  EXPECT_EQ(registry.Find("Mine"), mine);
  EXPECT_EQ(registry.Find("Add"), add);  // not TensorFlow's
  EXPECT_EQ(registry.FindRegistered("Sub"), nullptr);
  EXPECT_EQ(registry.Registered(), (std::vector<const OpSchema*>{add, mine}));
  EXPECT_EQ(registry.Add(Parsed("Mine() -> ()")).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_FALSE(mine->is_opaque());
}

TEST(OpRegistryTest, TensorFlowsOpsAreOpaque) {
  const OpRegistry registry;
  const OpSchema* sub = registry.Find("Sub");
  ASSERT_NE(sub, nullptr);
  EXPECT_TRUE(sub->is_opaque());
  EXPECT_EQ(registry.Find("Sub"), sub);
  for (const char* name : {"", "Su", "Subb", "sub", "Sub(", "zzz", "\0"})
    EXPECT_EQ(registry.Find(name), nullptr) << name;
}

TEST(OpRegistryTest, SignaturesAreSorted) {
  const auto name = [](std::string_view signature) { return signature.substr(0, signature.find('(')); };
  const absl::Span<const std::string_view> all = TensorFlowSignatures();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end(), [&](auto a, auto b) { return name(a) < name(b); }));
  for (const std::string_view signature : all) EXPECT_EQ(TensorFlowSignature(name(signature)), signature);
}

TEST(OpRegistryTest, ReadersInSeveralThreads) {
  const OpRegistry registry;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&registry] {
      for (const char* name : {"Sub", "Conv2D", "MatMul", "Merge"}) EXPECT_EQ(registry.Find(name), registry.Find(name));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace flowlatch
