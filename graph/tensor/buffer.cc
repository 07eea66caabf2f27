#include "graph/tensor/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

#include "graph/base/checked_math.h"
#include "graph/tensor/object.h"
#include "graph/tensor/string.h"

namespace flowlatch {
namespace {

// Size classes: four to each power of two, so that at most a fifth of a block is unused.
constexpr int kClassesPerDoubling = 4;
constexpr size_t kSmallestBlock = 128;
constexpr size_t kLargeBytes = 64 << 10;              // from here on blocks are shared by all threads and counted
constexpr size_t kLargestCached = size_t{1} << 30;    // larger blocks go straight back to the system
constexpr size_t kThreadCacheBytes = 1 << 20;         // small blocks a thread keeps
constexpr size_t kSharedCacheBytes = size_t{512} << 20;  // large blocks the process keeps
constexpr int kNumClasses = 25 * kClassesPerDoubling;

int ClassOf(size_t size) {
  if (size <= kSmallestBlock) return 0;
  const int log2 = std::bit_width(size - 1) - 1;  // 2^log2 < size <= 2^(log2+1)
  const size_t step = (size_t{1} << log2) / kClassesPerDoubling;
  const int within = static_cast<int>((size - (size_t{1} << log2) + step - 1) / step);  // 1..4
  return (log2 - 7) * kClassesPerDoubling + within;
}

size_t ClassBytes(int index) {
  if (index == 0) return kSmallestBlock;
  const int log2 = (index - 1) / kClassesPerDoubling + 7;
  const int within = (index - 1) % kClassesPerDoubling + 1;
  return (size_t{1} << log2) + within * ((size_t{1} << log2) / kClassesPerDoubling);
}

// Blocks of a huge page or more ask for such pages: loops that stream through memory wait at the borders of pages. But when
// memory is in pieces the system may take milliseconds to put a huge page together, so only the blocks of usual sizes ask,
// which are recycled, and only the first ones of a process.
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kLargestHuge = size_t{32} << 20;
constexpr int64_t kHugeBytes = int64_t{256} << 20;

void* SystemAllocate(size_t size) {
  static std::atomic<int64_t> asked{0};
  if (size >= kHugePage && size <= kLargestHuge && asked.load(std::memory_order_relaxed) < kHugeBytes) {
    void* block = nullptr;
    if (posix_memalign(&block, kHugePage, size) != 0) return nullptr;
    asked.fetch_add(static_cast<int64_t>(size), std::memory_order_relaxed);
    madvise(block, size, MADV_HUGEPAGE);  // a wish: where it is not granted nothing changes
    return block;
  }
  return std::aligned_alloc(kTensorAlignment, (size + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment);
}

#if defined(FLOWLATCH_SANITIZED)
constexpr bool kRecycle = false;  // the sanitizers should see each use after free
#else
constexpr bool kRecycle = true;
#endif

struct FreeBlock {
  FreeBlock* next;
};

// Blocks below kLargeBytes that one thread recycles. Trivially destructible state plus one guard that empties it.
struct ThreadCache {
  std::array<FreeBlock*, kNumClasses> lists{};
  size_t bytes = 0;
  bool gone = false;
  ~ThreadCache() {
    gone = true;
    Empty();
  }
  void Empty() {
    for (FreeBlock*& list : lists) {
      while (list != nullptr) std::free(std::exchange(list, list->next));
    }
    bytes = 0;
  }
};

ThreadCache& LocalCache() {
  static thread_local ThreadCache cache;
  return cache;
}

struct SharedCache {
  std::mutex mu;
  std::array<std::vector<void*>, kNumClasses> lists;  // guarded by mu
  size_t bytes = 0;                                   // guarded by mu
  std::atomic<int64_t> in_use{0};
  std::atomic<int64_t> limit{
      static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) / 10 * 8 * static_cast<int64_t>(sysconf(_SC_PAGESIZE))};
};

SharedCache& Shared() {
  static SharedCache* shared = new SharedCache;  // outlives every thread
  return *shared;
}

}  // namespace

PoolAllocator& PoolAllocator::Get() {
  static PoolAllocator* pool = new PoolAllocator;
  return *pool;
}

void* PoolAllocator::Allocate(size_t size) {
  if (size < kLargeBytes) {
    const int index = ClassOf(size);
    ThreadCache& cache = LocalCache();
    if (FreeBlock* block = cache.lists[index]) {
      cache.lists[index] = block->next;
      cache.bytes -= ClassBytes(index);
      return block;
    }
    return SystemAllocate(ClassBytes(index));
  }
  SharedCache& shared = Shared();
  const int64_t charged = static_cast<int64_t>(size);
  if (charged < 0 || shared.in_use.fetch_add(charged, std::memory_order_relaxed) + charged > shared.limit.load()) {
    if (charged >= 0) shared.in_use.fetch_sub(charged, std::memory_order_relaxed);
    return nullptr;
  }
  void* block = nullptr;
  if (size <= kLargestCached) {
    const int index = ClassOf(size);
    {
      std::lock_guard<std::mutex> lock(shared.mu);
      if (!shared.lists[index].empty()) {
        block = shared.lists[index].back();
        shared.lists[index].pop_back();
        shared.bytes -= ClassBytes(index);
      }
    }
    if (block == nullptr) block = SystemAllocate(ClassBytes(index));
  } else {
    block = SystemAllocate(size);
  }
  if (block == nullptr) shared.in_use.fetch_sub(charged, std::memory_order_relaxed);
  return block;
}

void PoolAllocator::Free(void* block, size_t size) {
  if (size < kLargeBytes) {
    ThreadCache& cache = LocalCache();
    const size_t bytes = ClassBytes(ClassOf(size));
    if (!kRecycle || cache.gone || cache.bytes + bytes > kThreadCacheBytes) {
      std::free(block);
      return;
    }
    FreeBlock* free_block = new (block) FreeBlock{cache.lists[ClassOf(size)]};
    cache.lists[ClassOf(size)] = free_block;
    cache.bytes += bytes;
    return;
  }
  SharedCache& shared = Shared();
  shared.in_use.fetch_sub(static_cast<int64_t>(size), std::memory_order_relaxed);
  if (kRecycle && size <= kLargestCached) {
    const int index = ClassOf(size);
    std::lock_guard<std::mutex> lock(shared.mu);
    if (shared.bytes + ClassBytes(index) <= kSharedCacheBytes) {
      shared.lists[index].push_back(block);
      shared.bytes += ClassBytes(index);
      return;
    }
  }
  std::free(block);
}

int64_t PoolAllocator::large_bytes_in_use() const { return Shared().in_use.load(); }

void PoolAllocator::set_limit_bytes(int64_t limit) { Shared().limit.store(limit); }

void PoolAllocator::Trim() {
  LocalCache().Empty();
  SharedCache& shared = Shared();
  std::lock_guard<std::mutex> lock(shared.mu);
  for (std::vector<void*>& list : shared.lists) {
    for (void* block : list) std::free(block);
    list.clear();
  }
  shared.bytes = 0;
}

namespace {

// The header of a buffer stands before its elements in one block.
constexpr size_t kHeaderBytes = 64;

template <typename T>
void ConstructAll(void* data, int64_t n) {
  T* elements = static_cast<T*>(data);
  for (int64_t i = 0; i < n; ++i) new (elements + i) T();
}
template <typename T>
void DestroyAll(void* data, size_t size_bytes) {
  T* elements = static_cast<T*>(data);
  for (size_t i = 0; i < size_bytes / sizeof(T); ++i) elements[i].~T();
}

}  // namespace

Buffer* Buffer::Allocate(DType dtype, int64_t num_elements, Allocator* allocator) {
  static_assert(sizeof(Buffer) <= kHeaderBytes);
  const std::optional<int64_t> size = CheckedMul(num_elements, static_cast<int64_t>(DTypeSize(dtype)));
  if (!size.has_value() || !CheckedAdd(*size, kHeaderBytes + kTensorAlignment).has_value()) return nullptr;
  void* block = allocator->Allocate(kHeaderBytes + *size);
  if (block == nullptr) return nullptr;
  Buffer* buffer = new (block) Buffer;
  buffer->dtype_ = dtype;
  buffer->size_bytes_ = *size;
  buffer->data_ = static_cast<char*>(block) + kHeaderBytes;
  buffer->allocator_ = allocator;
  switch (dtype) {
    case DType::kString: ConstructAll<String>(buffer->data_, num_elements); break;
    case DType::kResource: ConstructAll<ResourceHandle>(buffer->data_, num_elements); break;
    case DType::kVariant: ConstructAll<Variant>(buffer->data_, num_elements); break;
    default: break;
  }
  return buffer;
}

Buffer* Buffer::Borrow(void* data, size_t size_bytes, std::function<void()> release) {
  Buffer* buffer = new Buffer;
  buffer->size_bytes_ = size_bytes;
  buffer->data_ = data;
  buffer->release_ = new std::function<void()>(std::move(release));
  return buffer;
}

void Buffer::Destroy() {
  if (allocator_ == nullptr) {
    if (*release_) (*release_)();
    delete release_;
    delete this;
    return;
  }
  switch (dtype_) {
    case DType::kString: DestroyAll<String>(data_, size_bytes_); break;
    case DType::kResource: DestroyAll<ResourceHandle>(data_, size_bytes_); break;
    case DType::kVariant: DestroyAll<Variant>(data_, size_bytes_); break;
    default: break;
  }
  Allocator* allocator = allocator_;
  const size_t size = kHeaderBytes + size_bytes_;
  this->~Buffer();
  allocator->Free(this, size);
}

}  // namespace flowlatch
