// Buffer: counted memory of tensors. Allocator: where it comes from.
#ifndef FLOWLATCH_GRAPH_TENSOR_BUFFER_H_
#define FLOWLATCH_GRAPH_TENSOR_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "graph/tensor/dtype.h"

namespace flowlatch {

inline constexpr size_t kTensorAlignment = 64;

// A source of memory. Thread-safe. Blocks are aligned to kTensorAlignment.
class Allocator {
 public:
  virtual ~Allocator() = default;
  // Null when there is none to be had.
  virtual void* Allocate(size_t size_bytes) = 0;
  // `size_bytes` is what Allocate was asked for.
  virtual void Free(void* block, size_t size_bytes) = 0;
};

// The process's allocator: recycles blocks by size class, per thread for small ones, and refuses what does not fit the
// memory limit.
class PoolAllocator final : public Allocator {
 public:
  static PoolAllocator& Get();
  void* Allocate(size_t size_bytes) override;
  void Free(void* block, size_t size_bytes) override;
  // Bytes in blocks of at least kLargeBytes that tensors hold at this moment.
  int64_t large_bytes_in_use() const;
  // Upper bound for them; allocations beyond it fail. Default: 80 % of the machine's memory.
  void set_limit_bytes(int64_t limit);
  // Gives recycled blocks back to the system.
  void Trim();
};

// Counted bytes. The elements of object dtypes are constructed and destroyed with it.
class Buffer {
 public:
  // Null when memory is not to be had. Plain elements are left uninitialised. The buffer has one owner.
  static Buffer* Allocate(DType dtype, int64_t num_elements, Allocator* allocator);
  // Memory of somebody else; `release` is called when the last owner goes. Kernels copy it instead of adopting it.
  static Buffer* Borrow(void* data, size_t size_bytes, std::function<void()> release);

  void Ref() { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() {
    if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) Destroy();
  }
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1; }
  bool borrowed() const { return allocator_ == nullptr; }
  void* data() const { return data_; }
  size_t size_bytes() const { return size_bytes_; }

 private:
  Buffer() = default;
  void Destroy();

  std::atomic<int64_t> refs_{1};
  DType dtype_ = DType::kInvalid;
  size_t size_bytes_ = 0;
  void* data_ = nullptr;
  Allocator* allocator_ = nullptr;  // null for borrowed memory
  std::function<void()>* release_ = nullptr;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TENSOR_BUFFER_H_
