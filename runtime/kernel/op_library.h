// OpLibrary: an OpRegistry with the kernels of its ops.
#ifndef FLOWLATCH_RUNTIME_KERNEL_OP_LIBRARY_H_
#define FLOWLATCH_RUNTIME_KERNEL_OP_LIBRARY_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/schema/op_registry.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// What one op is made of; the argument of OpLibrary::Add.
//
//   RETURN_IF_ERROR(library.Add({
//       .signature = "Relu(features: T) -> (activations: T); T: {float32, ...}",
//       .doc = "max(features, 0); NaN stays NaN",
//       .shape = shapes::SameAsInput,
//       .kernel = ReluKernel,
//       .dtypes = kRealTypes,
//   }));
struct OpDefinition {
  std::string_view signature;
  std::string_view doc;  // one line, no full stop
  ShapeFunction shape = nullptr;
  KernelFactory kernel;
  // The values of the op's main type attr that the kernel serves; empty: all. Others are Unimplemented at plan time.
  DTypeSet dtypes;
  std::string_view type_attr = "T";  // the attr that `dtypes` is about
  bool may_wait = false;             // the kernel is asynchronous
  GradFunction gradient = nullptr;   // graph/build/grad_context.h; null: nobody has written it, and asking for it is an error
};

// Filled at start, then read by any number of threads.
class OpLibrary {
 public:
  OpLibrary() = default;
  OpLibrary(const OpLibrary&) = delete;
  OpLibrary& operator=(const OpLibrary&) = delete;

  // Errors: InvalidArgument for a bad signature, no doc, shape function or kernel; AlreadyExists for a taken name.
  absl::Status Add(OpDefinition definition);
  const OpRegistry& registry() const { return registry_; }

  // The kernel for a node. Errors: Unimplemented when the op has no kernel, or none for the node's dtype; the message says
  // which dtypes there are.
  absl::StatusOr<Kernel> MakeKernel(const NodeInfo& node) const;
  // The dtypes of the op's main type attr that have kernels; empty when the op does not say.
  DTypeSet KernelTypes(std::string_view op) const;
  // Whether the kernels of this op may wait for others.
  bool MayWait(const OpSchema& schema) const;

 private:
  struct Entry {
    KernelFactory factory;
    DTypeSet dtypes;
    std::string type_attr;
    bool may_wait = false;
  };
  OpRegistry registry_;
  absl::flat_hash_map<const OpSchema*, Entry> kernels_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_KERNEL_OP_LIBRARY_H_
