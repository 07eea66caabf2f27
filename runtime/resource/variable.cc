#include "runtime/resource/variable.h"

#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

RefPtr<Variable> AsVariable(RefPtr<RefCounted> found) {
  return RefPtr<Variable>::Adopt(static_cast<Variable*>(found.release()));
}

// A variable that may hold handles is not remembered by its own key: each would keep the other alive.
void Remember(const ResourceKey& key, uint64_t epoch, const RefPtr<Variable>& variable) {
  if (!IsObjectDType(variable->dtype())) key.memo.Set(epoch, variable);
}

absl::Status CheckDType(const Variable& variable, DType dtype) {
  if (variable.dtype() == dtype) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("variable '", variable.name(), "': expected dtype ",
                                                 std::string(DTypeName(variable.dtype())), ", got ",
                                                 std::string(DTypeName(dtype))));
}

constexpr char kTypeName[] = "Var";

absl::Status CheckKind(const ResourceKey& key) {
  if (key.type_name.empty() || key.type_name == kTypeName) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("resource '", key.name, "': expected a variable, got a resource of kind ", key.type_name));
}

}  // namespace

Variable::Variable(DType dtype, std::string name, const PartialShape& declared_shape)
    : dtype_(dtype), name_(std::move(name)), declared_shape_(declared_shape) {
  const std::optional<Shape> shape = declared_shape.ToShape();
  if (!shape.has_value() || shape->num_elements() != 0) return;
  absl::StatusOr<Tensor> empty = Tensor::Make(dtype, *shape);
  if (empty.ok()) value = *std::move(empty);
}

std::string Variable::TypeName() const { return kTypeName; }

absl::StatusOr<RefPtr<Variable>> LookupVariable(const ResourceManager& resources, const ResourceHandle& handle) {
  if (!handle || handle->resource) return resources.Lookup<Variable>(handle);
  // Read before the search: a deletion in between makes what is found stale from the start.
  const uint64_t epoch = resources.epoch();
  if (RefPtr<RefCounted> found = handle->memo.Get(epoch)) return AsVariable(std::move(found));
  if (absl::Status status = CheckKind(*handle.get()); !status.ok()) return status;
  absl::StatusOr<RefPtr<Variable>> variable = resources.Lookup<Variable>(handle);
  if (variable.ok()) Remember(*handle.get(), epoch, *variable);
  return variable;
}

absl::StatusOr<RefPtr<Variable>> LookupOrCreateVariable(ResourceManager& resources, const ResourceKey& key, DType dtype,
                                                        const PartialShape& declared_shape) {
  const uint64_t epoch = resources.epoch();
  RefPtr<Variable> variable;
  if (RefPtr<RefCounted> found = key.memo.Get(epoch)) {
    variable = AsVariable(std::move(found));
  } else {
    if (absl::Status status = CheckKind(key); !status.ok()) return status;
    absl::StatusOr<RefPtr<Variable>> made = resources.LookupOrCreate<Variable>(
        key.container, key.name,
        [&]() -> absl::StatusOr<RefPtr<Variable>> { return MakeRef<Variable>(dtype, key.name, declared_shape); });
    if (!made.ok()) return made.status();
    variable = *std::move(made);
    Remember(key, epoch, variable);
  }
  if (absl::Status status = CheckDType(*variable, dtype); !status.ok()) return status;
  return variable;
}

}  // namespace flowlatch
