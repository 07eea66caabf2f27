#include "runtime/kernel/op_library.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {

absl::Status OpLibrary::Add(OpDefinition definition) {
  ASSIGN_OR_RETURN(OpSchema schema, OpSchema::Parse(definition.signature));
  if (definition.doc.empty() || definition.shape == nullptr || !definition.kernel) {
    return absl::InvalidArgumentError(
        absl::StrCat("definition of op ", schema.name(), ": expected a doc line, a shape function and a kernel"));
  }
  if (!definition.dtypes.empty() && schema.FindAttr(definition.type_attr) == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("definition of op ", schema.name(), ": expected dtypes of an attr that it has, got '",
                                                   std::string(definition.type_attr), "'"));
  }
  schema.set_doc(std::string(definition.doc));
  schema.set_shape_function(definition.shape);
  schema.set_gradient(definition.gradient);
  ASSIGN_OR_RETURN(const OpSchema* added, registry_.Add(std::move(schema)));
  kernels_.emplace(added, Entry{std::move(definition.kernel), definition.dtypes, std::string(definition.type_attr), definition.may_wait});
  return absl::OkStatus();
}

absl::StatusOr<Kernel> OpLibrary::MakeKernel(const NodeInfo& node) const {
  const auto at = kernels_.find(&node.schema());
  if (at == kernels_.end()) {
    return absl::UnimplementedError(absl::StrCat("op ", node.schema().name(), ": expected an op that exists here, got one without a kernel"));
  }
  const Entry& entry = at->second;
  if (!entry.dtypes.empty()) {
    ASSIGN_OR_RETURN(const DType dtype, node.Type(entry.type_attr));
    if (!entry.dtypes.contains(dtype)) {
      return absl::UnimplementedError(absl::StrCat("kernel of ", node.schema().name(), ": expected ", entry.type_attr, " to be one of ",
                                                   DTypeSetNames(entry.dtypes), ", got ", std::string(DTypeName(dtype))));
    }
  }
  return entry.factory(node);
}

DTypeSet OpLibrary::KernelTypes(std::string_view op) const {
  const auto at = kernels_.find(registry_.FindRegistered(op));
  return at != kernels_.end() ? at->second.dtypes : DTypeSet();
}

bool OpLibrary::MayWait(const OpSchema& schema) const {
  const auto at = kernels_.find(&schema);
  return at != kernels_.end() && at->second.may_wait;
}

}  // namespace flowlatch
