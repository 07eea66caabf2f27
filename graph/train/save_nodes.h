// SaveNodes: the nodes with which a graph saves and restores its own variables, as TensorFlow's Saver makes them. A session runs
// them: feed `filename` the prefix of a checkpoint, then fetch `save`, or run `restore`. Checkpoints are those of TensorFlow.
#ifndef FLOWLATCH_GRAPH_TRAIN_SAVE_NODES_H_
#define FLOWLATCH_GRAPH_TRAIN_SAVE_NODES_H_

#include <source_location>
#include <string_view>
#include <vector>

#include "graph/build/graph_builder.h"
#include "graph/build/variable.h"

namespace flowlatch {

struct SaveNodes {
  Output filename;    // a string scalar; "model" if it is not fed
  Output save;        // the filename, once everything is written
  Operation restore;  // done once every variable has its value

  // For variables of one builder, each under its name; parts of a PartitionedVariable under that of the whole. In init_scope, in a
  // name scope `name`. Errors (of the builder): InvalidArgument for no variables, or two of one name.
  static SaveNodes Make(GraphBuilder& b, const std::vector<GraphVariable>& variables, std::string_view name = "save",
                        std::source_location at = std::source_location::current());
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TRAIN_SAVE_NODES_H_
