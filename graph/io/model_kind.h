// ModelKind: the kinds of files that hold a graph, and which one a file is.
#ifndef FLOWLATCH_GRAPH_IO_MODEL_KIND_H_
#define FLOWLATCH_GRAPH_IO_MODEL_KIND_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace flowlatch {

enum class ModelKind {
  kGraphDef,
  kGraphDefText,
  kMetaGraph,
  kMetaGraphText,
  kSavedModel,  // a folder with saved_model.pb or saved_model.pbtxt
  kCheckpoint,  // a prefix: PREFIX.index and PREFIX.data-*; no graph
  kEvents,      // a log of TensorBoard's, which may hold a graph
};
std::string_view ModelKindName(ModelKind kind);  // "GraphDef", "text MetaGraphDef", ...

// By content, and by the end of the name where contents are alike. nullopt: nothing that can be loaded.
std::optional<ModelKind> DetectFileKind(std::string_view file_name, std::string_view content);

// What is at a path.
struct ModelFile {
  ModelKind kind = ModelKind::kGraphDef;
  std::string content;  // of files; folders and checkpoints have none
};
// Errors: NotFound if there is nothing, InvalidArgument if it is nothing that can be loaded, PermissionDenied or
// Unavailable if it cannot be read.
absl::StatusOr<ModelFile> OpenModelFile(const std::string& path);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IO_MODEL_KIND_H_
