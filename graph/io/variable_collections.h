// The collections in which a MetaGraphDef keeps the variables of its graph, so that TensorFlow knows them after import_meta_graph.
#ifndef FLOWLATCH_GRAPH_IO_VARIABLE_COLLECTIONS_H_
#define FLOWLATCH_GRAPH_IO_VARIABLE_COLLECTIONS_H_

#include <map>
#include <string>

#include "graph/build/graph_builder.h"
#include "graph/io/model.h"

namespace flowlatch {

// "variables", "trainable_variables" and others that variables of the builder name, for Model::collections. To be called before
// Build, which leaves the builder without names.
std::map<std::string, Collection> VariableCollections(const GraphBuilder& b);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IO_VARIABLE_COLLECTIONS_H_
