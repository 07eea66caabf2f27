// Calls and functional control flow, replaced by nodes of the graph around them so that gradients go through.
#ifndef FLOWLATCH_GRAPH_BUILD_FUNCTIONAL_GRADIENT_H_
#define FLOWLATCH_GRAPH_BUILD_FUNCTIONAL_GRADIENT_H_

#include <source_location>
#include <string>

#include "graph/build/graph_builder.h"

namespace flowlatch {

// Functions that call functions deeper than this are not differentiated.
inline constexpr int kMaxInlineDepth = 100;

// The name of the function that the graph's library says is the gradient of what a node calls; "" if there is none.
std::string FunctionGradientOf(const Graph& graph, NodeId id);

// Whether a node is a call, If, Case or While over functions, or a node whose op is a function's name, for which no gradient
// function is known.
bool IsFunctional(const Graph& graph, NodeId id);

// Puts the bodies of such a node's functions in its place: If and Case become Switch and Merge, While becomes a loop of frames. The
// node itself becomes an IdentityN (a NoOp if it has no outputs) of the results, so that consumers and fetches stay. It must be in
// the builder's current graph. Errors: of the builder.
void InlineFunctional(GraphBuilder& b, NodeId id, std::source_location at);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_FUNCTIONAL_GRADIENT_H_
