// LoadModel: a graph from any file that TensorFlow writes one to, with what else the file says of it.
#ifndef FLOWLATCH_GRAPH_IO_MODEL_H_
#define FLOWLATCH_GRAPH_IO_MODEL_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/io/graph_def.h"
#include "graph/io/model_kind.h"
#include "graph/ir/graph.h"

namespace flowlatch {

// One input or output of a signature.
struct SignatureTensor {
  std::string name;                     // "x:0"; empty if it is made of `components`
  std::vector<std::string> components;  // of a sparse tensor: values, indices, dense shape; of others their tensors
  std::string type_spec;                // what the components make, if not a sparse tensor: an encoded TypeSpecProto
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

// One use of the graph.
struct Signature {
  std::map<std::string, SignatureTensor> inputs, outputs;
  std::map<std::string, Tensor> defaults;  // of inputs
  std::string method_name;
};

// Values that a MetaGraphDef keeps under a name; `kind` says which field has them.
struct Collection {
  enum class Kind { kNone, kNodes, kBytes, kInts, kFloats, kMessages };
  Kind kind = Kind::kNone;
  std::vector<std::string> strings;    // names of nodes, bytes (encoded VariableDefs and the like), or encoded messages
  std::vector<std::string> type_urls;  // of messages
  std::vector<int64_t> ints;
  std::vector<float> floats;
};

// How the graph saves and restores its own variables.
struct SaverNames {
  std::string filename_tensor;  // feed it the prefix of a checkpoint
  std::string save_tensor;
  std::string restore_op;
};

// A file that a SavedModel brings along: before the init op runs, `tensor` is fed its path.
struct Asset {
  std::string tensor;
  std::string path;
  std::string file_name;  // in the folder `assets`
};

struct Model {
  ModelKind kind = ModelKind::kGraphDef;
  Graph graph;
  // Of MetaGraphDefs and SavedModels:
  std::vector<std::string> tags;
  std::string tensorflow_version;
  std::map<std::string, Signature> signatures;
  std::map<std::string, Collection> collections;
  std::optional<SaverNames> saver;
  // Of SavedModels:
  std::vector<Asset> assets;
  std::string variables_prefix;  // checkpoint to restore; empty if there is none
  std::string init_op;           // node to run after restoring, with the assets fed; empty if there is none
};

struct LoadOptions {
  bool strict = false;                           // as in ReadOptions
  bool internal_names = true;                    // as in ReadOptions
  std::vector<std::string>* warnings = nullptr;  // as in ReadOptions
  std::optional<ModelKind> kind;                 // default: what the file looks like
  std::vector<std::string> tags;                 // of a SavedModel: exactly these; none: the only graph, else {"serve"}
};

// Errors, which begin with the path: those of OpenModelFile and ReadGraphDef; NotFound for tags that the SavedModel
// does not have; DataLoss, or OutOfRange if it ends early, for a damaged saved_model.pb; InvalidArgument for a
// checkpoint, since it has no graph; InvalidArgument, FailedPrecondition or NotFound for assets and init ops that are
// malformed or missing.
absl::StatusOr<Model> LoadModel(const std::string& path, const OpRegistry& registry, const LoadOptions& options = {});

// The graph alone.
absl::StatusOr<Graph> LoadGraph(const std::string& path, const OpRegistry& registry, const LoadOptions& options = {});

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IO_MODEL_H_
