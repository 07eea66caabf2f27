// Checkpoints of objects, as TensorFlow 2 writes them: their tensors are named by the way to an object, and the graph
// of objects in the checkpoint says which variables these were.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_OBJECT_GRAPH_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_OBJECT_GRAPH_H_

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "runtime/checkpoint/checkpoint_reader.h"

namespace flowlatch {

// What the variables of a program are called in a checkpoint.
class CheckpointNames {
 public:
  // Works for checkpoints of all kinds. `reader` must outlive it. Errors: those of reading the graph of objects.
  static absl::StatusOr<CheckpointNames> Make(const CheckpointReader& reader);

  // The tensor that holds variable `name`: one of this name, or of an object whose variable had this name
  // ("dense/kernel") or that stands at this place ("model/layer-0/kernel").
  // Errors: NotFound, with the nearest names; InvalidArgument if several objects have variables of this name.
  absl::StatusOr<std::string> Find(std::string_view name) const;
  // Whether the checkpoint has objects.
  bool has_objects() const { return has_objects_; }
  // The name of the variable that a tensor held, or "".
  std::string_view VariableName(std::string_view tensor) const;

 private:
  explicit CheckpointNames(const CheckpointReader* reader) : reader_(reader) {}

  const CheckpointReader* reader_;
  bool has_objects_ = false;
  std::map<std::string, std::string, std::less<>> tensors_;    // by the names of variables
  std::map<std::string, std::string, std::less<>> variables_;  // by the names of tensors
  std::set<std::string, std::less<>> ambiguous_;               // names that several variables have
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_OBJECT_GRAPH_H_
