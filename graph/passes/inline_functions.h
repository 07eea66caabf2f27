// Calls of functions -> their bodies (semantics.md, 5.31).
//
//   call(a, ^c)  ->  call/x = Identity(a, ^c)         one for each argument
//                    call/input_control_node          what body nodes without inputs wait for
//                    call/...                         the body; its frames and colocations get the prefix too
//                    call/output_control_node         what stands for the call where it is waited for
//                    call = IdentityN(results)        for those who fetch it
#ifndef FLOWLATCH_GRAPH_PASSES_INLINE_FUNCTIONS_H_
#define FLOWLATCH_GRAPH_PASSES_INLINE_FUNCTIONS_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/passes/graph_rewrite.h"

namespace flowlatch {

// What a node calls if it does nothing but call, else nullopt.
struct FunctionCall {
  FunctionRef function;
  BodyEffects effects = BodyEffects::kAll;
};
std::optional<FunctionCall> AsFunctionCall(const Graph& graph, NodeId node);

// Whether the function says that its calls stay calls.
bool IsNoInline(const Graph& graph, const FunctionRef& function);

// The nodes of a body that run whatever results are asked for.
std::vector<NodeId> EffectNodes(const FunctionBody& body, BodyEffects effects);

// Whether the body takes and gives these dtypes. Errors: InvalidArgument.
absl::Status CheckBodyTypes(const std::string& function, const FunctionBody& body, absl::Span<const PortType> args,
                            absl::Span<const PortType> results);

struct InlinedFunctions {
  RewrittenGraph rewritten;
  std::vector<NodeId> effects;  // nodes that are to run as well when all calls keep their effects
};

// What to do with each node.
enum class Inlining : uint8_t {
  kLeaveOut,
  kCopy,
  kInline,  // one level; requires that it is a call
  // The same for a branch or a loop's body that an op was lowered to: an argument that never comes does not keep the
  // others from the body, and effects that nobody waits for are left out.
  kInlineBranch,
};

// Errors: those of FunctionLibrary::Instantiate, InvalidArgument for a call that does not fit its function; they name
// the call.
absl::StatusOr<InlinedFunctions> InlineFunctions(const Graph& graph, absl::Span<const Inlining> what);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_PASSES_INLINE_FUNCTIONS_H_
