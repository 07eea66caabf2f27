#include "runtime/resource/resource_manager.h"

#include <atomic>
#include <utility>

#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

std::string_view ContainerOrDefault(std::string_view container) {
  return container.empty() ? std::string_view(kDefaultContainer) : container;
}

}  // namespace

uint64_t ResourceManager::NextEpoch() {
  static std::atomic<uint64_t> last_epoch{0};
  return last_epoch.fetch_add(1, std::memory_order_relaxed) + 1;
}

RefPtr<Resource> ResourceManager::Find(std::string_view container, std::string_view name, std::type_index type) const {
  std::lock_guard<std::mutex> lock(mu_);
  const auto it = resources_.find(KeyView(ContainerOrDefault(container), name, type));
  return it != resources_.end() ? it->second : RefPtr<Resource>();
}

absl::StatusOr<RefPtr<Resource>> ResourceManager::FindOrCreate(
    std::string_view container, std::string_view name, std::type_index type,
    const std::function<absl::StatusOr<RefPtr<Resource>>()>& create) {
  container = ContainerOrDefault(container);
  std::lock_guard<std::mutex> lock(mu_);
  const auto it = resources_.find(KeyView(container, name, type));
  if (it != resources_.end()) return it->second;
  absl::StatusOr<RefPtr<Resource>> made = create();
  if (made.ok()) resources_.emplace(Key(container, name, type), *made);
  return made;
}

absl::Status ResourceManager::Erase(std::string_view container, std::string_view name, std::type_index type) {
  Resources removed;  // dropped after the lock: what a resource does when it dies is its own affair
  {
    std::lock_guard<std::mutex> lock(mu_);
    const auto it = resources_.find(KeyView(ContainerOrDefault(container), name, type));
    if (it != resources_.end()) Remove(it, removed);
  }
  return removed.empty() ? NotFound(container, name) : absl::OkStatus();
}

absl::Status ResourceManager::Delete(const ResourceHandle& handle) {
  if (!handle) return EmptyHandle();
  if (handle->resource) return absl::OkStatus();
  const std::string_view container = ContainerOrDefault(handle->container);
  Resources removed;
  RemoveIf(
      [&](const Resources::value_type& entry) {
        return std::get<0>(entry.first) == container && std::get<1>(entry.first) == handle->name &&
               entry.second->TypeName() == handle->type_name;
      },
      removed);
  handle->memo.Set(0, {});
  return removed.empty() ? NotFound(container, handle->name) : absl::OkStatus();
}

void ResourceManager::ClearContainer(std::string_view container) {
  const std::string_view in = ContainerOrDefault(container);
  Resources removed;
  RemoveIf([&](const Resources::value_type& entry) { return std::get<0>(entry.first) == in; }, removed);
}

void ResourceManager::Clear() {
  Resources removed;
  RemoveIf([](const Resources::value_type&) { return true; }, removed);
}

void ResourceManager::RemoveIf(const std::function<bool(const Resources::value_type&)>& unwanted, Resources& removed) {
  std::lock_guard<std::mutex> lock(mu_);
  for (auto it = resources_.begin(); it != resources_.end();) {
    const auto current = it++;
    if (unwanted(*current)) Remove(current, removed);
  }
}

void ResourceManager::Remove(Resources::iterator it, Resources& removed) {
  removed.insert(resources_.extract(it));
  epoch_.store(NextEpoch(), std::memory_order_release);
}

std::vector<std::string> ResourceManager::List() const {
  std::lock_guard<std::mutex> lock(mu_);
  std::vector<std::string> list;
  list.reserve(resources_.size());
  for (const auto& [key, resource] : resources_) {
    list.push_back(absl::StrCat(std::get<0>(key), "/", std::get<1>(key), " (", resource->TypeName(), ")"));
  }
  return list;
}

absl::Status ResourceManager::NotFound(std::string_view container, std::string_view name) const {
  return absl::NotFoundError(absl::StrCat("resource '", std::string(ContainerOrDefault(container)), "/",
                                          std::string(name),
                                          "': expected it to exist, got none (not initialised, or destroyed)"));
}

absl::Status ResourceManager::EmptyHandle() {
  return absl::InvalidArgumentError("resource handle: expected one that points to a resource, got an empty one");
}

absl::Status ResourceManager::WrongKind(const ResourceKey& key) {
  return absl::InvalidArgumentError(absl::StrCat("resource handle '", key.name,
                                                 "': expected the kind of resource that the op works on, got ",
                                                 key.type_name.empty() ? "another" : key.type_name));
}

}  // namespace flowlatch
