// A Model as the files that TensorFlow reads.
#ifndef FLOWLATCH_GRAPH_IO_MODEL_WRITER_H_
#define FLOWLATCH_GRAPH_IO_MODEL_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "graph/io/model.h"

namespace flowlatch {

// The bytes of an encoded MetaGraphDef, and of saved_model.pb with it as its only graph; the variables and assets of a
// SavedModel are files beside it, which the caller copies. Deterministic. LoadModel reads the same model back.
// Errors: those of WriteGraphDef; InvalidArgument for a signature's component that the graph does not have.
absl::StatusOr<std::string> WriteMetaGraph(const Model& model);
absl::StatusOr<std::string> WriteSavedModel(const Model& model);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IO_MODEL_WRITER_H_
