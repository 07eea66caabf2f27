#include "ops/kernels/step_handles.h"

#include <atomic>
#include <cstdint>
#include <utility>

#include "graph/base/status_macros.h"

namespace flowlatch {

absl::StatusOr<HandleKind> OutputHandleKind(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::vector<PortType> outputs, node.schema().OutputTypes(node.attrs()));
  if (outputs[0].dtype == DType::kResource) return HandleKind::kResource;
  return outputs[0].is_ref ? HandleKind::kReference : HandleKind::kStrings;
}

std::string UniqueName(std::string_view base) {
  static std::atomic<uint64_t> next{0};
  return absl::StrCat(absl::string_view(base.data(), base.size()), "_", next.fetch_add(1, std::memory_order_relaxed));
}

Tensor OwningHandle(RefPtr<const RefCounted> resource, std::string type_name, std::string name) {
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->container = kDefaultContainer;
  key->name = std::move(name);
  key->type_name = std::move(type_name);
  key->resource = std::move(resource);
  return Tensor::Scalar(ResourceHandle(RefPtr<const ResourceKey>(std::move(key))));
}

Tensor NamedHandle(HandleKind kind, const char* container, const std::string& name) {
  Tensor strings = Tensor::Vector<String>({String(std::string_view(container)), String(std::string_view(name))});
  if (kind == HandleKind::kStrings) return strings;
  RefPtr<Variable> variable = MakeRef<Variable>(DType::kString, name);
  variable->value = std::move(strings);
  return Tensor::MakeRef(std::move(variable), DType::kString);
}

absl::StatusOr<std::string> NameInHandle(const Tensor& handle) {
  Variable* const variable = ReferencedVariable(handle);
  const Tensor strings = variable != nullptr ? variable->Read() : handle;
  if (!strings.has_value() || strings.dtype() != DType::kString || strings.num_elements() != 2) {
    return absl::InvalidArgumentError(absl::StrCat("handle: expected two strings, got ", strings.DebugString()));
  }
  return std::string(strings.data<String>()[1].view());
}

}  // namespace flowlatch
