// What can be told from a graph alone: its inputs, outputs and variables.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_GRAPH_FACTS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_GRAPH_FACTS_H_

#include <optional>
#include <string>
#include <vector>

#include "graph/ir/graph.h"
#include "runtime/kernel/op_library.h"
#include "tools/arrays/spec.h"
#include "tools/graph_runner/reports.h"

namespace flowlatch {

// Placeholders.
std::vector<PortReport> GraphInputs(const Graph& graph);
// Values that no node takes; of nodes that are no constants, variables or parts of loops.
std::vector<PortReport> GraphOutputs(const Graph& graph);
// Reference and resource variables.
std::vector<PortReport> GraphVariables(const Graph& graph);

// Dtype and shape of a port as far as the graph says; nothing for a name that it does not have.
PortHint HintForPort(const Graph& graph, const std::string& name);

// Every op and dtype of the whole graph, functions included, for which `library` has no kernel.
std::vector<UnsupportedReport> FindUnsupported(const Graph& graph, const OpLibrary& library);

// "f32[1,8]": the shape with 1 for what is unknown, as SPECs write it.
std::string SpecType(const PortReport& port);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_GRAPH_FACTS_H_
