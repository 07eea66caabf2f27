// FunctionTable: the functions that one plan calls, each with an executable that is made when it is first called.
#ifndef FLOWLATCH_RUNTIME_EXEC_FUNCTION_TABLE_H_
#define FLOWLATCH_RUNTIME_EXEC_FUNCTION_TABLE_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "graph/ir/graph.h"
#include "graph/passes/expand_functions.h"
#include "runtime/kernel/callee.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

class FunctionCallee;

// Owned by the plan's owner; callees point to it. Functions without state of their own are shared by their call sites; a
// function with stateful nodes has an instance for each call site, and a recursive call runs the instance it is in.
class FunctionTable {
 public:
  // `form`: of the functional ops in the bodies.
  FunctionTable(std::shared_ptr<FunctionLibrary> functions, const OpLibrary& ops,
                FunctionalForm form = FunctionalForm::kAsMarked);
  ~FunctionTable();

  // A table of its own for the same functions, for what calls them when the plan that `resolver` belongs to may be gone.
  // Requires: `resolver` is a FunctionTable's.
  static std::unique_ptr<FunctionTable> Like(CalleeResolver& resolver);

  // For nodes of the main graph.
  CalleeResolver& resolver();
  // The kernel of a node in any graph of this table: of a registered op, or a call of the function that the op names.
  absl::StatusOr<Kernel> MakeKernel(const NodeInfo& node) const;

 private:
  friend class FunctionCallee;
  class SiteResolver;

  absl::StatusOr<Callee*> Resolve(const FunctionRef& function, BodyEffects effects, FunctionCallee* caller);
  // A property that nodes have by their ops.
  struct NodeProperty {
    bool (*test)(const OpLibrary&, const OpSchema&);
    absl::flat_hash_set<std::string> without;  // functions that were found to have no such nodes, nor to call any
  };
  // Whether a function, or one that it calls, has nodes with this property. Requires: mu_.
  bool Has(NodeProperty& property, const FunctionRef& function);

  const std::shared_ptr<FunctionLibrary> functions_;
  const OpLibrary& ops_;
  const FunctionalForm form_;
  std::unique_ptr<SiteResolver> main_resolver_;
  std::mutex mu_;
  std::vector<std::unique_ptr<FunctionCallee>> callees_;           // guarded by mu_
  absl::flat_hash_map<std::string, FunctionCallee*> shared_;        // by name, attrs and effects; guarded by mu_
  NodeProperty may_wait_, has_state_;                               // guarded by mu_
};

// A kernel that calls a function with the node's inputs and gives its results as outputs.
Kernel MakeCallKernel(Callee* callee);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_FUNCTION_TABLE_H_
