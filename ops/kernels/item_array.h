// ItemArray: a growing array of tensors, most of which may not be there yet; what tensor lists and tensor arrays
// consist of.
#ifndef FLOWLATCH_OPS_KERNELS_ITEM_ARRAY_H_
#define FLOWLATCH_OPS_KERNELS_ITEM_ARRAY_H_

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// Not thread-safe. T: a class whose empty value has all bits zero and which may be moved by copying its bytes, as
// Tensor. New items are memory that the system clears when it is first touched: a million that nobody sets cost
// nothing.
template <typename T>
class ItemArray {
 public:
  ItemArray() = default;
  ItemArray(ItemArray&& o) noexcept
      : items_(std::exchange(o.items_, nullptr)),
        size_(std::exchange(o.size_, 0)),
        used_(std::exchange(o.used_, 0)),
        capacity_(std::exchange(o.capacity_, 0)) {}
  ItemArray& operator=(ItemArray&& o) noexcept {
    std::swap(items_, o.items_);
    std::swap(size_, o.size_);
    std::swap(used_, o.used_);
    std::swap(capacity_, o.capacity_);
    return *this;
  }
  ~ItemArray() {
    Destroy(0);
    std::free(items_);
  }

  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](int64_t i) const { return items_[i]; }
  T& At(int64_t i) {
    used_ = std::max(used_, i + 1);
    return items_[i];
  }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }
  // How many of the first items may be other than empty.
  int64_t used() const { return used_; }

  // Keeps the first `size` items; new ones are empty. Appending one by one takes constant time on average.
  // Errors: ResourceExhausted without memory, and for items of more than 8 GiB.
  absl::Status Resize(int64_t size) {
    if (size > capacity_) {
      if (absl::Status status = Grow(size); !status.ok()) return status;
    }
    if (size < size_) Destroy(size);
    size_ = size;
    return absl::OkStatus();
  }
  absl::Status Append(T item) {
    const int64_t at = size_;
    if (absl::Status status = Resize(at + 1); !status.ok()) return status;
    At(at) = std::move(item);
    return absl::OkStatus();
  }

 private:
  // Items from `first` on become empty again.
  void Destroy(int64_t first) {
    for (int64_t i = first; i < used_; ++i) items_[i] = T();
    used_ = std::min(used_, first);
  }
  absl::Status Grow(int64_t size) {
    constexpr int64_t kMost = (int64_t{1} << 33) / static_cast<int64_t>(sizeof(T));
    const int64_t capacity = std::max({size, int64_t{4}, capacity_ + capacity_ / 2});
    T* grown = capacity <= kMost ? static_cast<T*>(std::calloc(capacity, sizeof(T))) : nullptr;
    if (grown == nullptr) {
      return absl::ResourceExhaustedError(absl::StrCat("memory for ", size, " items: expected some, got none"));
    }
    if (used_ > 0) std::memcpy(static_cast<void*>(grown), items_, used_ * sizeof(T));
    std::free(items_);
    items_ = grown;
    capacity_ = capacity;
    return absl::OkStatus();
  }

  T* items_ = nullptr;
  int64_t size_ = 0;
  int64_t used_ = 0;  // items from here on are all zero bits
  int64_t capacity_ = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ITEM_ARRAY_H_
