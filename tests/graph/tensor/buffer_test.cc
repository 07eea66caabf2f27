#include "graph/tensor/buffer.h"

#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

#include "graph/tensor/string.h"
#include "gtest/gtest.h"

namespace flowlatch {
namespace {

// Counts, and refuses from the Nth allocation on.
class CountingAllocator final : public Allocator {
 public:
  explicit CountingAllocator(int limit = 1 << 30) : limit_(limit) {}
  void* Allocate(size_t size) override {
    if (count_ >= limit_) return nullptr;
    ++count_;
    bytes_ += size;
    return PoolAllocator::Get().Allocate(size);
  }
  void Free(void* block, size_t size) override {
    bytes_ -= size;
    PoolAllocator::Get().Free(block, size);
  }
  int count_ = 0;
  size_t bytes_ = 0;

 private:
  const int limit_;
};

TEST(PoolAllocatorTest, BlocksOfAllSizesAreAlignedAndWhole) {
  PoolAllocator& pool = PoolAllocator::Get();
  for (size_t size = 1; size < (size_t{1} << 22); size = size * 5 / 4 + 1) {
    std::vector<char*> blocks;
    for (int i = 0; i < 3; ++i) {
      char* block = static_cast<char*>(pool.Allocate(size));
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kTensorAlignment, 0u) << size;
      for (size_t k = 0; k < size; k += 64) block[k] = static_cast<char>(i);
      block[size - 1] = static_cast<char>(i);
      blocks.push_back(block);
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(blocks[i][size - 1], i) << size;
      pool.Free(blocks[i], size);
    }
  }
}

TEST(PoolAllocatorTest, LimitOfLargeBlocks) {
  PoolAllocator& pool = PoolAllocator::Get();
  const int64_t before = pool.large_bytes_in_use();
  constexpr size_t kSize = 1 << 20;
  void* block = pool.Allocate(kSize);
  EXPECT_EQ(pool.large_bytes_in_use(), before + static_cast<int64_t>(kSize));
  pool.set_limit_bytes(pool.large_bytes_in_use() + 100);
  EXPECT_EQ(pool.Allocate(kSize), nullptr);
  EXPECT_EQ(pool.Allocate(std::numeric_limits<size_t>::max()), nullptr);
  EXPECT_EQ(pool.large_bytes_in_use(), before + static_cast<int64_t>(kSize));
  pool.Free(block, kSize);
  block = pool.Allocate(kSize);
  EXPECT_NE(block, nullptr);
  pool.Free(block, kSize);
  pool.set_limit_bytes(int64_t{1} << 40);
  pool.Trim();
  EXPECT_EQ(pool.large_bytes_in_use(), before);
}

// Blocks freed by another thread than the one that took them.
TEST(PoolAllocatorTest, ThreadsExchangeBlocks) {
  PoolAllocator& pool = PoolAllocator::Get();
  constexpr int kThreads = 4, kBlocks = 200;
  std::vector<std::vector<void*>> blocks(kThreads, std::vector<void*>(kBlocks));
  const auto size = [](int i) { return static_cast<size_t>(i % 7 == 0 ? 100000 + i : 100 + i); };
  const auto in_threads = [](auto&& body) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back(body, t);
    for (std::thread& thread : threads) thread.join();
  };
  in_threads([&](int t) {
    for (int i = 0; i < kBlocks; ++i) blocks[t][i] = pool.Allocate(size(i));
  });
  in_threads([&](int t) {
    for (int i = 0; i < kBlocks; ++i) pool.Free(blocks[(t + 1) % kThreads][i], size(i));
  });
}

TEST(BufferTest, ObjectsAreConstructedAndDestroyed) {
  CountingAllocator allocator;
  Buffer* buffer = Buffer::Allocate(DType::kString, 10, &allocator);
  ASSERT_NE(buffer, nullptr);
  String* strings = static_cast<String*>(buffer->data());
  EXPECT_EQ(strings[9].view(), "");
  strings[9] = std::string_view("long enough to be somewhere else, so that a leak would show");
  EXPECT_TRUE(buffer->unique());
  buffer->Ref();
  EXPECT_FALSE(buffer->unique());
  buffer->Unref();
  EXPECT_GT(allocator.bytes_, 240u);
  buffer->Unref();
  EXPECT_EQ(allocator.bytes_, 0u);
}

TEST(BufferTest, WithoutMemory) {
  CountingAllocator none(0);
  EXPECT_EQ(Buffer::Allocate(DType::kFloat32, 10, &none), nullptr);
  CountingAllocator allocator;
  for (const int64_t n :
       {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max() / 4, int64_t{1} << 61}) {
    EXPECT_EQ(Buffer::Allocate(DType::kFloat64, n, &allocator), nullptr);
  }
  EXPECT_EQ(allocator.count_, 0);
}

TEST(BufferTest, Borrowed) {
  float data[3] = {1, 2, 3};
  int released = 0;
  Buffer* buffer = Buffer::Borrow(data, sizeof data, [&] { ++released; });
  EXPECT_TRUE(buffer->borrowed());
  EXPECT_EQ(buffer->data(), data);
  buffer->Ref();
  buffer->Unref();
  EXPECT_EQ(released, 0);
  buffer->Unref();
  EXPECT_EQ(released, 1);
  Buffer::Borrow(data, sizeof data, nullptr)->Unref();
}

}  // namespace
}  // namespace flowlatch
