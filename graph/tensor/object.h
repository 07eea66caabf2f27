// Objects that tensors hold by counted pointer: resource handles and variants.
#ifndef FLOWLATCH_GRAPH_TENSOR_OBJECT_H_
#define FLOWLATCH_GRAPH_TENSOR_OBJECT_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace flowlatch {

// Base of everything counted. Objects start with one owner.
class RefCounted {
 public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;
  void Ref() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  void Unref() const {
    // A sole owner need not pay for an atomic read-modify-write.
    if (refs_.load(std::memory_order_acquire) == 1 || refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  bool unique() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  RefCounted() = default;
  virtual ~RefCounted() = default;

 private:
  mutable std::atomic<int64_t> refs_{1};
};

// Counted pointer; null by default.
template <typename T>
class RefPtr {
 public:
  RefPtr() = default;
  // Takes over one reference that the caller owns.
  static RefPtr Adopt(T* p) { return RefPtr(p); }
  // Adds a reference.
  static RefPtr Share(T* p) {
    if (p != nullptr) p->Ref();
    return RefPtr(p);
  }
  RefPtr(const RefPtr& o) : p_(o.p_) {
    if (p_ != nullptr) p_->Ref();
  }
  RefPtr(RefPtr&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <typename U>
    requires std::is_convertible_v<U*, T*>
  RefPtr(RefPtr<U> o) : p_(o.release()) {}  // NOLINT: as pointers convert
  RefPtr& operator=(RefPtr o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~RefPtr() {
    if (p_ != nullptr) p_->Unref();
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  T* release() { return std::exchange(p_, nullptr); }

 private:
  explicit RefPtr(T* p) : p_(p) {}
  T* p_ = nullptr;
};

template <typename T, typename... Args>
RefPtr<T> MakeRef(Args&&... args) {
  return RefPtr<T>::Adopt(new T(std::forward<Args>(args)...));
}

// The last answer to a look-up, and the epoch (of whoever answered) in which it holds. Thread-safe and without waiting: a
// memo that another thread is using has nothing to say.
class LookupMemo {
 public:
  RefPtr<RefCounted> Get(uint64_t epoch) {
    RefPtr<RefCounted> found;
    if (busy_.test_and_set(std::memory_order_acquire)) return found;
    if (epoch_ == epoch) found = found_;
    busy_.clear(std::memory_order_release);
    return found;
  }
  void Set(uint64_t epoch, RefPtr<RefCounted> found) {
    if (busy_.test_and_set(std::memory_order_acquire)) return;
    epoch_ = epoch;
    std::swap(found_, found);
    busy_.clear(std::memory_order_release);
  }

 private:
  std::atomic_flag busy_;
  uint64_t epoch_ = 0;          // guarded by busy_; 0: nothing known
  RefPtr<RefCounted> found_;    // guarded by busy_
};

// What a resource handle points to before anyone looks it up: its key. Containers resolve it to a live resource.
struct ResourceKey final : RefCounted {
  std::string container;
  std::string name;
  std::string type_name;  // kind of resource, for messages: "Var", "Queue"
  RefPtr<const RefCounted> resource;  // set for anonymous resources, which live as long as their handles
  mutable LookupMemo memo;            // for variables, which are looked up most
};

// An element of a resource tensor.
class ResourceHandle {
 public:
  ResourceHandle() = default;
  explicit ResourceHandle(RefPtr<const ResourceKey> key) : key_(std::move(key)) {}
  const ResourceKey* get() const { return key_.get(); }
  const ResourceKey* operator->() const { return key_.get(); }
  explicit operator bool() const { return static_cast<bool>(key_); }

 private:
  RefPtr<const ResourceKey> key_;
};

// A value that variants hold: a tensor list, an optional, a lock. Shared between copies; who writes copies first.
class VariantObject : public RefCounted {
 public:
  virtual std::string TypeName() const = 0;
  virtual std::string DebugString() const { return TypeName(); }
};

// An element of a variant tensor; null when uninitialised.
class Variant {
 public:
  Variant() = default;
  explicit Variant(RefPtr<VariantObject> object) : object_(std::move(object)) {}
  VariantObject* get() const { return object_.get(); }
  explicit operator bool() const { return static_cast<bool>(object_); }
  // The object as T, or null when it is another kind.
  template <typename T>
  T* As() const { return dynamic_cast<T*>(object_.get()); }

 private:
  RefPtr<VariantObject> object_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TENSOR_OBJECT_H_
