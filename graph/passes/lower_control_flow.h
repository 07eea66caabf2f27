// If, Case and While -> Switch, Merge, Enter and Exit around calls of their functions (semantics.md, 5.28 to 5.30).
//
//   x = If(p, a)        p' = ToBool(p); pivot_t, pivot_f = Switch(p', p')
//                       x/then = call(Switch(a, p'):1, ^pivot_t); x/else = call(Switch(a, p'):0, ^pivot_f)
//                       results: Merge(x/then, x/else)
//   x = Case(k, a)      the same with _SwitchN and a pivot for each branch
//   x = While(a)        merge = Merge(Enter(a), next); c = LoopCond(ToBool(x/cond(merge)))
//                       switch = Switch(merge, c); next = NextIteration(x/body(switch:1, ^pivot)); results:
//                       Exit(switch:0)
//
// Predicates are converted, so that they mean what they mean when the ops run as calls. Results are used where they
// arise; a node of the op's name gives all of them together to those who fetch it.
#ifndef FLOWLATCH_GRAPH_PASSES_LOWER_CONTROL_FLOW_H_
#define FLOWLATCH_GRAPH_PASSES_LOWER_CONTROL_FLOW_H_

#include <vector>

#include "absl/status/statusor.h"
#include "graph/passes/graph_rewrite.h"

namespace flowlatch {

enum class FunctionalKind { kNone, kIf, kCase, kWhile };
FunctionalKind FunctionalKindOf(const OpSchema& schema);

// The functions of an If (then, else), a Case, or a While (condition, body); empty if an attribute is not what it must
// be.
std::vector<FunctionRef> FunctionsOf(const Node& node);

// Whether its author wants it lowered: `_lower_using_switch_merge`.
bool IsMarkedForLowering(const Node& node);

enum class Lowering : uint8_t {
  kLeaveOut,
  kCopy,
  // Effects of the branches that no used result needs are left out, as TensorFlow does with marked ops.
  kLower,
  // All effects of the branch that is taken are kept, as when the op runs as a call.
  kLowerWithEffects,
};

struct LoweredControlFlow {
  RewrittenGraph rewritten;
  std::vector<NodeId> branches;               // calls that stand for functions of ops that were lowered
  std::vector<NodeId> branches_with_effects;  // the same of kLowerWithEffects
};

// Errors: those of FunctionLibrary::Instantiate, InvalidArgument for functions that do not fit their op; they name the
// op.
absl::StatusOr<LoweredControlFlow> LowerControlFlow(const Graph& graph, absl::Span<const Lowering> what);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_PASSES_LOWER_CONTROL_FLOW_H_
