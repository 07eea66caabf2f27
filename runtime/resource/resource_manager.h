// ResourceManager: the named resources of a session (variables, queues, tables, ...), in containers.
#ifndef FLOWLATCH_RUNTIME_RESOURCE_RESOURCE_MANAGER_H_
#define FLOWLATCH_RUNTIME_RESOURCE_RESOURCE_MANAGER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <typeindex>
#include <typeinfo>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/object.h"

namespace flowlatch {

// Something that outlives a node's execution. Counted; thread-safe by its own means.
class Resource : public RefCounted {
 public:
  virtual std::string TypeName() const = 0;  // "Var", "Queue": for messages
};

inline constexpr char kDefaultContainer[] = "localhost";

// Thread-safe. A resource's key is its container ("" means kDefaultContainer), its name, and its C++ type.
class ResourceManager {
 public:
  // Errors: NotFound.
  template <typename T>
  absl::StatusOr<RefPtr<T>> Lookup(std::string_view container, std::string_view name) const {
    RefPtr<Resource> found = Find(container, name, typeid(T));
    if (!found) return NotFound(container, name);
    return RefPtr<T>::Adopt(static_cast<T*>(found.release()));
  }
  // What a handle points to: its own resource for anonymous handles, else by key. Errors: InvalidArgument for an empty
  // handle or one of another kind, NotFound.
  template <typename T>
  absl::StatusOr<RefPtr<T>> Lookup(const ResourceHandle& handle) const {
    if (!handle) return EmptyHandle();
    if (handle->resource) {
      T* own = dynamic_cast<T*>(const_cast<RefCounted*>(handle->resource.get()));
      if (own == nullptr) return WrongKind(*handle.get());
      return RefPtr<T>::Share(own);
    }
    return Lookup<T>(handle->container, handle->name);
  }
  // The resource under this key, made by `create` (-> StatusOr<RefPtr<T>>) if there is none. `create` runs under the
  // lock.
  template <typename T, typename Create>
  absl::StatusOr<RefPtr<T>> LookupOrCreate(std::string_view container, std::string_view name, const Create& create) {
    absl::StatusOr<RefPtr<Resource>> found =
        FindOrCreate(container, name, typeid(T), [&]() -> absl::StatusOr<RefPtr<Resource>> {
          absl::StatusOr<RefPtr<T>> made = create();
          if (!made.ok()) return made.status();
          return RefPtr<Resource>(*std::move(made));
        });
    if (!found.ok()) return found.status();
    return RefPtr<T>::Adopt(static_cast<T*>(found->release()));
  }
  // Errors: NotFound. Running steps keep their references.
  template <typename T>
  absl::Status Delete(std::string_view container, std::string_view name) {
    return Erase(container, name, typeid(T));
  }
  // Deletes what a handle points to, by container, name and kind (TypeName). Anonymous resources live as long as their
  // handles, so nothing happens to them. Errors: InvalidArgument for an empty handle, NotFound.
  absl::Status Delete(const ResourceHandle& handle);
  void ClearContainer(std::string_view container);
  void Clear();
  // "container/name (Var)" of all, sorted: for `show` and messages.
  std::vector<std::string> List() const;
  // A number that no other manager has and that changes with each deletion: as long as it is the same, what was found
  // under a key is still there.
  uint64_t epoch() const { return epoch_.load(std::memory_order_acquire); }

 private:
  using Key = std::tuple<std::string, std::string, std::type_index>;
  using KeyView = std::tuple<std::string_view, std::string_view, std::type_index>;
  using Resources = std::map<Key, RefPtr<Resource>, std::less<>>;

  static uint64_t NextEpoch();
  RefPtr<Resource> Find(std::string_view container, std::string_view name, std::type_index type) const;
  absl::StatusOr<RefPtr<Resource>> FindOrCreate(std::string_view container, std::string_view name, std::type_index type,
                                                const std::function<absl::StatusOr<RefPtr<Resource>>()>& create);
  absl::Status Erase(std::string_view container, std::string_view name, std::type_index type);
  // Both move resources to `removed`, which the caller lets die without the lock.
  void RemoveIf(const std::function<bool(const Resources::value_type&)>& unwanted, Resources& removed);
  void Remove(Resources::iterator it, Resources& removed);  // requires mu_
  absl::Status NotFound(std::string_view container, std::string_view name) const;
  static absl::Status EmptyHandle();
  static absl::Status WrongKind(const ResourceKey& key);

  std::atomic<uint64_t> epoch_{NextEpoch()};
  mutable std::mutex mu_;
  Resources resources_;  // guarded by mu_
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_RESOURCE_RESOURCE_MANAGER_H_
