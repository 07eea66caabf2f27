// OpRegistry: the ops that a program knows, by name.
#ifndef FLOWLATCH_GRAPH_SCHEMA_OP_REGISTRY_H_
#define FLOWLATCH_GRAPH_SCHEMA_OP_REGISTRY_H_

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "graph/schema/op_schema.h"

namespace flowlatch {

// Filled at start, then read by any number of threads. Schemas have stable addresses.
class OpRegistry {
 public:
  // Errors: AlreadyExists for a name that is taken.
  absl::StatusOr<OpSchema*> Add(OpSchema schema);
  // A registered op; else the opaque schema of an op of TensorFlow 2.21 (parsed on first use, thread-safe); else null.
  const OpSchema* Find(std::string_view name) const;
  // A registered op, or null.
  const OpSchema* FindRegistered(std::string_view name) const;
  // All registered ops, by name.
  std::vector<const OpSchema*> Registered() const;

 private:
  absl::flat_hash_map<std::string, std::unique_ptr<OpSchema>> schemas_;
  mutable std::mutex opaque_mu_;
  mutable absl::flat_hash_map<std::string, std::unique_ptr<OpSchema>> opaque_;  // guarded by opaque_mu_
};

// The signature of an op of TensorFlow 2.21, or "" for a name it does not have.
std::string_view TensorFlowSignature(std::string_view op);
absl::Span<const std::string_view> TensorFlowSignatures();

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_SCHEMA_OP_REGISTRY_H_
