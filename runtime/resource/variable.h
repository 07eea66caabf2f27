// Variable: a tensor with a lock, for reference variables (VariableV2) and resource variables (VarHandleOp) alike.
#ifndef FLOWLATCH_RUNTIME_RESOURCE_VARIABLE_H_
#define FLOWLATCH_RUNTIME_RESOURCE_VARIABLE_H_

#include <mutex>
#include <shared_mutex>
#include <string>
#include <typeinfo>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/object.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {

// `mu` is held shared to take the tensor, to read its elements, and for updates that asked for no lock; exclusive to
// replace it and for locked updates. Values of reference variables change in place. A reader of a resource variable
// never sees its value change: exclusive updates first copy what somebody else shares. Sparse updates without a lock
// (7.26) cannot do that next to each other. The first of them begins copy-on-read mode (7.22): the variable's memory is
// its own, and readers of the whole value copy it; readers of rows hold the lock and share nothing in any case.
class Variable final : public Resource {
 public:
  // `name` is for messages. `declared_shape`: what the first value must look like; without elements, it is the value (7.2).
  Variable(DType dtype, std::string name, const PartialShape& declared_shape = {});
  std::string TypeName() const override;  // "Var", also in keys of handles
  DType dtype() const { return dtype_; }
  const std::string& name() const { return name_; }
  const PartialShape& declared_shape() const { return declared_shape_; }

  std::shared_mutex mu;
  Tensor value;  // guarded by mu; no value: uninitialised; never borrowed memory
  bool copy_on_read = false;  // guarded by mu

  // The tensor, sharing its memory. No value when uninitialised.
  Tensor Read() {
    std::shared_lock<std::shared_mutex> lock(mu);
    return value;
  }
  // What a reader may keep although elements change under the shared lock: as Read, or a copy in copy-on-read mode.
  absl::Status Snapshot(Allocator* allocator, Tensor* snapshot) {
    std::shared_lock<std::shared_mutex> lock(mu);
    if (ABSL_PREDICT_FALSE(copy_on_read)) return Copy(allocator, snapshot);
    *snapshot = value;
    return absl::OkStatus();
  }
  // Begins copy-on-read mode, if there is a value: nobody else shares its memory from then on.
  absl::Status StartCopyOnRead(Allocator* allocator);
  // Before elements change: gives `value` memory of its own. Requires: `mu` is held exclusively.
  absl::Status Unshare(Allocator* allocator) {
    if (value.is_sole_owner()) return absl::OkStatus();
    absl::StatusOr<Tensor> own = value.Clone(allocator);
    if (!own.ok()) return own.status();
    value = *std::move(own);
    return absl::OkStatus();
  }

 private:
  absl::Status Copy(Allocator* allocator, Tensor* copy) const;

  const DType dtype_;
  const std::string name_;
  const PartialShape declared_shape_;
};

// The variable of a reference slot; null for other slots and references to other things.
inline Variable* ReferencedVariable(const Tensor& slot) {
  RefCounted* target = slot.ref_target();
  return target != nullptr && typeid(*target) == typeid(Variable) ? static_cast<Variable*>(target) : nullptr;
}

// The variable that a handle points to; the key remembers it, so that only the first look-up in an epoch searches.
// Errors: InvalidArgument for an empty handle or one of another kind, NotFound.
absl::StatusOr<RefPtr<Variable>> LookupVariable(const ResourceManager& resources, const ResourceHandle& handle);

// The variable under `key`, made without a value if there is none. An existing one may have been declared otherwise.
// Errors: InvalidArgument when it has another dtype, or the key is of another kind of resource.
absl::StatusOr<RefPtr<Variable>> LookupOrCreateVariable(ResourceManager& resources, const ResourceKey& key, DType dtype,
                                                        const PartialShape& declared_shape = {});

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_RESOURCE_VARIABLE_H_
