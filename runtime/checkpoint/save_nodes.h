// The nodes that TensorFlow's programs save and restore a graph's variables with.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_SAVE_NODES_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_SAVE_NODES_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/io/model.h"
#include "graph/ir/graph.h"
#include "runtime/checkpoint/saved_variables.h"

namespace flowlatch {

// Adds them below the first free name of "save", "save_1", ...; says what they are called, as a SaverDef does.
// Requires: `variables` are of this graph, at least one. Errors: NotFound for a variable whose node it does not have.
absl::StatusOr<SaverNames> AddSaveNodes(absl::Span<const SavedVariable> variables, Graph& graph);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_SAVE_NODES_H_
