// Handles of resources that a node makes for its session: queues and barriers.
#ifndef FLOWLATCH_OPS_KERNELS_SESSION_HANDLES_H_
#define FLOWLATCH_OPS_KERNELS_SESSION_HANDLES_H_

#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/resource_names.h"

namespace flowlatch {

// Base of the state of a node whose output 0 is such a handle: with a shared_name, of the resource that has this name in
// the session, whoever made it; else of one of its own, which dies with the node's kernel and its handles (one that is
// found by two strings stays among the session's resources).
template <typename T>
class SessionHandleState : public KernelState {
 public:
  // Reads the node's attributes. Errors: InvalidArgument.
  absl::Status Read(const NodeInfo& node) {
    ASSIGN_OR_RETURN(name_, ResourceNameOf(node, /*shares_node_name=*/false));
    ASSIGN_OR_RETURN(handle_, MakeHandle(node, name_, T::kTypeName));
    ASSIGN_OR_RETURN(const std::string shared_name, node.Str("shared_name"));
    is_own_ = shared_name.empty() && handle_.has_value() && handle_.dtype() == DType::kResource;
    return absl::OkStatus();
  }
  const std::string& name() const { return name_.name; }

  // The handle. `make` makes the resource where there is none yet, `check` looks at one that others may have made.
  template <typename Make, typename Check>
  absl::StatusOr<Tensor> Handle(ResourceManager& resources, const Make& make, const Check& check) const {
    if (is_own_) return OwnHandle(make);
    ASSIGN_OR_RETURN(const RefPtr<T> resource, resources.LookupOrCreate<T>(name_.container, name_.name, make));
    RETURN_IF_ERROR(check(*resource));
    return handle_;
  }

 private:
  template <typename Make>
  absl::StatusOr<Tensor> OwnHandle(const Make& make) const {
    std::lock_guard<std::mutex> lock(mu_);
    if (!own_handle_.has_value()) {
      ASSIGN_OR_RETURN(RefPtr<T> resource, make());
      own_handle_ = OwningHandle(RefPtr<const RefCounted>(std::move(resource)), T::kTypeName, name_.name);
    }
    return own_handle_;
  }

  ResourceName name_;
  Tensor handle_;        // by name
  bool is_own_ = false;  // the resource has no name that others could know
  mutable std::mutex mu_;
  mutable Tensor own_handle_;  // guarded by mu_
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SESSION_HANDLES_H_
