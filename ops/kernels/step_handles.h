// Handles of resources that live for a step: tensor arrays and stacks. Three generations of ops differ in nothing but
// these. Today's handles are resources that own what they point to, so it dies with the last of them. Older ones are
// two strings, the second of which is a name among the step's resources; the oldest are references to those strings.
#ifndef FLOWLATCH_OPS_KERNELS_STEP_HANDLES_H_
#define FLOWLATCH_OPS_KERNELS_STEP_HANDLES_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "runtime/kernel/kernel.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/resource_manager.h"
#include "runtime/resource/variable.h"

namespace flowlatch {

enum class HandleKind { kResource, kStrings, kReference };

// The kind of the first output, which is a handle. Errors: InvalidArgument for attrs that the schema does not know.
absl::StatusOr<HandleKind> OutputHandleKind(const NodeInfo& node);

// A name that no other resource of this process has.
std::string UniqueName(std::string_view base);

// A handle that owns `resource`.
Tensor OwningHandle(RefPtr<const RefCounted> resource, std::string type_name, std::string name);

// The strings or the reference to them that stand for a name among the step's resources.
Tensor NamedHandle(HandleKind kind, const char* container, const std::string& name);

// The name in a handle of strings. Errors: InvalidArgument for anything else.
absl::StatusOr<std::string> NameInHandle(const Tensor& handle);

// The resource that input 0, a handle of any kind, points to.
// Errors: InvalidArgument for something that is no handle of a T, NotFound when its step is over.
template <typename T>
absl::StatusOr<RefPtr<T>> FindStepResource(const KernelCall& c, const char* container) {
  const Tensor& handle = c.input(0);
  if (handle.has_value() && handle.dtype() == DType::kResource) {
    if (handle.num_elements() != 1) {
      return absl::InvalidArgumentError(absl::StrCat("handle: expected a scalar, got shape ", handle.ShapeString()));
    }
    return c.step().resources().Lookup<T>(handle.data<ResourceHandle>()[0]);
  }
  absl::StatusOr<std::string> name = NameInHandle(handle);
  if (!name.ok()) return name.status();
  return c.step().services().step_resources->Lookup<T>(container, *name);
}

// Makes output 0 a handle of `resource`. Errors: none for a name that is unique, or already stands for this resource.
template <typename T>
absl::Status SetHandleOutput(KernelCall& c, HandleKind kind, const char* container, RefPtr<T> resource) {
  if (kind == HandleKind::kResource) {
    std::string name = resource->name();
    c.SetOutput(0, OwningHandle(RefPtr<const RefCounted>(std::move(resource)), T::kTypeName, std::move(name)));
    return absl::OkStatus();
  }
  const absl::StatusOr<RefPtr<T>> registered = c.step().services().step_resources->LookupOrCreate<T>(
      container, resource->name(), [&]() -> absl::StatusOr<RefPtr<T>> { return resource; });
  if (!registered.ok()) return registered.status();
  c.SetOutput(0, NamedHandle(kind, container, resource->name()));
  return absl::OkStatus();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_STEP_HANDLES_H_
