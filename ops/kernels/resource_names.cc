#include "ops/kernels/resource_names.h"

#include <utility>

#include "graph/base/status_macros.h"
#include "runtime/resource/variable.h"

namespace flowlatch {

absl::StatusOr<ResourceName> ResourceNameOf(const NodeInfo& node, bool shares_node_name) {
  ResourceName name;
  ASSIGN_OR_RETURN(name.container, node.Str("container"));
  ASSIGN_OR_RETURN(name.name, node.Str("shared_name"));
  if (name.container.empty()) name.container = kDefaultContainer;
  if (!name.name.empty() && name.name[0] == '_') {
    return absl::InvalidArgumentError(
        absl::StrCat("shared_name: expected one that does not start with _, got ", name.name));
  }
  if (!name.name.empty()) return name;
  name.name = std::string(node.name());
  if (!shares_node_name) name.name = UniqueName(absl::StrCat("_", name.name));
  return name;
}

absl::StatusOr<Tensor> MakeHandle(const NodeInfo& node, const ResourceName& name, std::string type_name) {
  ASSIGN_OR_RETURN(const HandleKind kind, OutputHandleKind(node));
  if (kind != HandleKind::kResource) return NamedHandle(kind, name.container.c_str(), name.name);
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->container = name.container;
  key->name = name.name;
  key->type_name = std::move(type_name);
  return Tensor::Scalar(ResourceHandle(RefPtr<const ResourceKey>(std::move(key))));
}

absl::StatusOr<ResourceName> NameOfHandle(const Tensor& handle) {
  Variable* const variable = ReferencedVariable(handle);
  const Tensor strings = variable != nullptr ? variable->Read() : handle;
  if (!strings.has_value() || strings.dtype() != DType::kString || strings.num_elements() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("handle: expected two strings, got ", strings.DebugString()));
  }
  return ResourceName{std::string(strings.data<String>()[0].view()), std::string(strings.data<String>()[1].view())};
}

}  // namespace flowlatch
