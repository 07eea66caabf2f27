// Variables of a session and tensors of a checkpoint: what a Saver, SavedModels and freezing have in common.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_SAVED_VARIABLES_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_SAVED_VARIABLES_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/io/model.h"
#include "graph/ir/graph.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "runtime/checkpoint/tensor_bundle.h"
#include "runtime/checkpoint/tensor_slice.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {

// One variable, and what it is called in checkpoints.
struct SavedVariable {
  std::string name;                 // in checkpoints
  std::string node;                 // that makes it or its handle
  std::string container, resource;  // where a ResourceManager has it
  DType dtype = DType::kInvalid;
  PartialShape shape;                  // what it may hold
  bool is_reference = false;           // its value changes in place
  std::optional<ShapeAndSlice> slice;  // of a larger tensor of this name, if it is a part
};

// The variables of the main graph, each once, in the order of their nodes. They are called as their nodes are; parts of
// partitioned variables, which the collections of a MetaGraphDef describe, as the whole. Those that the collections
// call local are left out, and anonymous ones. Errors: InvalidArgument for collections that are malformed.
absl::StatusOr<std::vector<SavedVariable>> SavedVariables(const Graph& graph,
                                                          const std::map<std::string, Collection>& collections = {});

// The present value of a variable, which no step changes any more. Errors: FailedPrecondition without a value;
// InvalidArgument for a variable of another dtype; ResourceExhausted.
absl::StatusOr<Tensor> SnapshotOf(const SavedVariable& variable, const ResourceManager& resources);

// Adds the values of all variables. Each is consistent by itself; that all are of one step is up to the caller.
// Errors: those of SnapshotOf and BundleWriter.
absl::Status AddVariables(absl::Span<const SavedVariable> variables, const ResourceManager& resources,
                          BundleWriter& writer);

struct RestoreOptions {
  std::map<std::string, std::string> names;  // of variables -> of tensors, where they differ
  bool allow_missing = false;                // variables that the checkpoint does not have stay as they are
};

// Sets variables from a checkpoint of any kind, those of TensorFlow 2 included (object_graph.h). All values are read
// and checked first: after an error no variable has changed. Returns the names of variables that stayed as they are.
// Errors: NotFound, InvalidArgument for another dtype or shape, and those of CheckpointReader.
absl::StatusOr<std::vector<std::string>> RestoreVariables(absl::Span<const SavedVariable> variables,
                                                          const CheckpointReader& reader, ResourceManager& resources,
                                                          const RestoreOptions& options = {});

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_SAVED_VARIABLES_H_
