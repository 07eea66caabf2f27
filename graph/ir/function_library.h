// FunctionLibrary: the functions that a graph may call, by name.
#ifndef FLOWLATCH_GRAPH_IR_FUNCTION_LIBRARY_H_
#define FLOWLATCH_GRAPH_IR_FUNCTION_LIBRARY_H_

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/schema/op_registry.h"

namespace flowlatch {

class FunctionDef;  // proto/function.proto
class Graph;
struct Port;

// A function's body for given attributes: a graph whose `_Arg` nodes are its arguments.
struct FunctionBody {
  std::unique_ptr<Graph> graph;
  std::vector<int32_t> args;          // node of argument i
  std::vector<Port> returns;          // port of result i
  std::vector<int32_t> control_returns;  // nodes that run even if no result needs them
};

// Reads definitions lazily: a body is built, once per (name, attributes), when somebody calls it. Thread-safe.
class FunctionLibrary {
 public:
  explicit FunctionLibrary(const OpRegistry& registry);
  ~FunctionLibrary();
  FunctionLibrary(const FunctionLibrary&) = delete;
  FunctionLibrary& operator=(const FunctionLibrary&) = delete;

  // Errors: InvalidArgument for a malformed signature; AlreadyExists when the name has another definition.
  absl::Status Add(const FunctionDef& definition);
  // Says that the gradient of `function` is `gradient`.
  absl::Status AddGradient(std::string function, std::string gradient);
  // The signature as a schema (a node may call the function by using its name as op), or null.
  const OpSchema* FindSchema(std::string_view name) const;
  const FunctionDef* FindDefinition(std::string_view name) const;
  std::vector<std::string> Names() const;  // sorted
  const absl::flat_hash_map<std::string, std::string>& gradients() const { return gradients_; }

  // The body for these attributes. Errors: NotFound (with the nearest names), InvalidArgument for a malformed body. `self`
  // is the shared library that bodies refer to for their own calls.
  static absl::StatusOr<std::shared_ptr<const FunctionBody>> Instantiate(const std::shared_ptr<FunctionLibrary>& self,
                                                                         std::string_view name, const AttrMap& attrs);

 private:
  struct Entry;
  const OpRegistry& registry_;
  mutable std::mutex mu_;
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries_;  // guarded by mu_
  absl::flat_hash_map<std::string, std::string> gradients_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IR_FUNCTION_LIBRARY_H_
