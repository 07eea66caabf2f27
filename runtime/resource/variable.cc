#include "runtime/resource/variable.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/resource/racy_access.h"

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

using SharedLock = std::shared_lock<std::shared_mutex>;

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

// Others may change the elements meanwhile; none is torn.
absl::Status Variable::Copy(Allocator* allocator, Tensor* copy) const {
  if (!value.has_value() || !MayRace(dtype_)) {
    ASSIGN_OR_RETURN(*copy, value.has_value() ? value.Clone(allocator) : absl::StatusOr<Tensor>(Tensor()));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(*copy, Tensor::Make(dtype_, value.dims(), allocator));
  const auto copy_as = [&]<typename Word>(Word) {
    RacyCopy(static_cast<Word*>(copy->raw_mutable_data()), static_cast<const Word*>(value.raw_data()),
             value.num_elements(), 1);
    return absl::OkStatus();
  };
  switch (DTypeSize(dtype_)) {
    case 1:
      return copy_as(uint8_t{});
    case 2:
      return copy_as(uint16_t{});
    case 4:
      return copy_as(uint32_t{});
    default:
      return copy_as(uint64_t{});
  }
}

absl::Status Variable::StartCopyOnRead(Allocator* allocator) {
  {
    SharedLock lock(mu);
    if (copy_on_read || !value.has_value()) return absl::OkStatus();
  }
  std::unique_lock<std::shared_mutex> lock(mu);
  if (!value.has_value()) return absl::OkStatus();
  RETURN_IF_ERROR(Unshare(allocator));
  copy_on_read = true;
  return absl::OkStatus();
}

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
