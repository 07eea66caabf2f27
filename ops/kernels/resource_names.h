// The names by which nodes find resources of their session: attrs container and shared_name, or the node's own name.
#ifndef FLOWLATCH_OPS_KERNELS_RESOURCE_NAMES_H_
#define FLOWLATCH_OPS_KERNELS_RESOURCE_NAMES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ops/kernels/step_handles.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {

struct ResourceName {
  std::string container;
  std::string name;
};

// Without a shared_name it is the node's name if `shares_node_name`, else a name that nobody else has.
// Errors: InvalidArgument for a shared_name that starts with "_", as those do.
absl::StatusOr<ResourceName> ResourceNameOf(const NodeInfo& node, bool shares_node_name);

// A handle that names a resource, of the kind that the node's first output is.
absl::StatusOr<Tensor> MakeHandle(const NodeInfo& node, const ResourceName& name, std::string type_name);

// The name in a handle of two strings, or a reference to them. Errors: InvalidArgument for anything else.
absl::StatusOr<ResourceName> NameOfHandle(const Tensor& handle);

// The resource of the session that input i, a handle of any kind, points to. T::kTypeName is that of its handles.
// Errors: InvalidArgument for something that is no handle of a T, NotFound.
template <typename T>
absl::StatusOr<RefPtr<T>> FindResource(const KernelCall& c, int i) {
  const Tensor& handle = c.input(i);
  const ResourceManager& resources = c.step().resources();
  if (!handle.has_value() || handle.dtype() != DType::kResource) {
    const absl::StatusOr<ResourceName> name = NameOfHandle(handle);
    if (!name.ok()) return name.status();
    return resources.Lookup<T>(name->container, name->name);
  }
  if (handle.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("handle: expected a scalar, got shape ", handle.ShapeString()));
  }
  const ResourceHandle& key = handle.data<ResourceHandle>()[0];
  if (key && key->type_name != T::kTypeName) {
    return absl::InvalidArgumentError(
        absl::StrCat("handle '", key->name, "': expected one of a ", T::kTypeName, ", got one of a ", key->type_name));
  }
  return resources.Lookup<T>(key);
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_RESOURCE_NAMES_H_
