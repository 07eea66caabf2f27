// What must hold for every graph that some reader accepted. A violation ends the program.
#ifndef FLOWLATCH_TESTS_FUZZ_GRAPH_CHECKS_H_
#define FLOWLATCH_TESTS_FUZZ_GRAPH_CHECKS_H_

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "graph/io/dot.h"
#include "graph/io/graph_def.h"
#include "graph/io/text_dump.h"
#include "graph/passes/expand_functions.h"
#include "graph/tensor/buffer.h"

namespace flowlatch {

// Also keeps tensors small, so that shapes from the input do not fill the memory.
inline const OpRegistry& FuzzRegistry() {
  static const auto* registry = [] {
    PoolAllocator::Get().set_limit_bytes(64 << 20);
    return new OpRegistry;
  }();
  return *registry;
}

inline void CheckGraph(const absl::StatusOr<Graph>& graph) {
  if (!graph.ok()) {
    if (graph.status().message().empty()) std::abort();
    return;
  }
  if (!Verify(*graph).ok() || !TopologicalOrder(*graph).ok()) std::abort();
  const absl::StatusOr<std::string> bytes = WriteGraphDef(*graph);
  if (!bytes.ok()) std::abort();
  const absl::StatusOr<Graph> again = ReadGraphDef(*bytes, graph->registry());
  if (!again.ok() || TextDump(*again) != TextDump(*graph)) std::abort();
  const absl::StatusOr<std::string> bytes_again = WriteGraphDef(*again);
  if (!bytes_again.ok() || *bytes_again != *bytes) std::abort();
  if (GraphToDot(*graph, {DotOptions::Clusters::kFrames}).empty() || GraphToDot(*graph).empty()) std::abort();
  StepPorts all;
  for (NodeId id = 0; id < graph->num_nodes(); ++id) all.targets.push_back(id);
  const auto lowered = ExpandFunctions(*graph, all, FunctionalForm::kLowered);
  if (lowered.ok() && lowered->has_value() && !Verify((*lowered)->graph).ok()) std::abort();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_FUZZ_GRAPH_CHECKS_H_
