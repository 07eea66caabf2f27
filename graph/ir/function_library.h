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
  std::vector<int32_t> args;             // node of argument i
  std::vector<Port> returns;             // port of result i
  std::vector<int32_t> control_returns;  // nodes that run even if no result needs them
};

// What runs in a call of a function beside what its results need.
enum class BodyEffects {
  kAll,             // every stateful node: a function's name as op; If, Case and While
  kControlReturns,  // PartitionedCall
  kMarked,          // If, Case and While that are marked for lowering: one of these two, as the session says
};

// Reads definitions lazily: a body is built, once per (name, attributes), when somebody calls it. Thread-safe.
class FunctionLibrary : public std::enable_shared_from_this<FunctionLibrary> {
 public:
  explicit FunctionLibrary(const OpRegistry& registry);
  ~FunctionLibrary();
  FunctionLibrary(const FunctionLibrary&) = delete;
  FunctionLibrary& operator=(const FunctionLibrary&) = delete;

  // Errors: InvalidArgument for a malformed signature, or a name that an op or another definition has.
  absl::Status Add(FunctionDef definition);
  // Says that the gradient of `function` is `gradient`. Errors: InvalidArgument if it already has another.
  absl::Status AddGradient(std::string function, std::string gradient);
  // The signature as a schema (a node may call the function by using its name as op), or null.
  const OpSchema* FindSchema(std::string_view name) const;
  const FunctionDef* FindDefinition(std::string_view name) const;
  std::vector<std::string> Names() const;  // sorted
  bool empty() const;
  const absl::flat_hash_map<std::string, std::string>& gradients() const { return gradients_; }

  // What is seen of an op that nobody knows: a schema with so many ports of any dtype.
  const OpSchema* OpaqueSchema(std::string_view op, int num_inputs, int num_outputs);

  // The body for these attributes, of which those that the function does not have are ignored. The result keeps the
  // library alive, to which the body's graph only points; `self` may be such a pointer. Errors: NotFound for an unknown
  // function (with the nearest names) or op, InvalidArgument for a malformed body, attributes that do not fit, or too
  // many different ones.
  static absl::StatusOr<std::shared_ptr<const FunctionBody>> Instantiate(const std::shared_ptr<FunctionLibrary>& self,
                                                                         std::string_view name, const AttrMap& attrs);

 private:
  struct Entry;
  Entry* Find(std::string_view name) const;

  const OpRegistry& registry_;
  mutable std::mutex mu_;
  absl::flat_hash_map<std::string, std::unique_ptr<Entry>> entries_;    // guarded by mu_
  absl::flat_hash_map<std::string, std::unique_ptr<OpSchema>> opaque_;  // guarded by mu_; by op and counts of ports
  absl::flat_hash_map<std::string, std::string> gradients_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IR_FUNCTION_LIBRARY_H_
