// Checkpoints in TensorFlow's first format: tables that hold descriptions and elements alike. Read only.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_CHECKPOINT_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_CHECKPOINT_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "flowlatch/proto/saved_tensor_slice.pb.h"
#include "runtime/checkpoint/checkpoint_reader.h"

namespace flowlatch {

// Keeps the files' contents in memory.
class TableCheckpointReader final : public CheckpointReader {
 public:
  // `path`: a file, or all files that match a name with ? and *. Errors: NotFound, DataLoss, and ResourceExhausted for
  // files of more than 2 GiB.
  static absl::StatusOr<std::unique_ptr<TableCheckpointReader>> Open(std::string_view path,
                                                                     FileSystem& files = FileSystem::Default());

 private:
  using TensorMap = std::map<std::string, TensorInfo>;

  explicit TableCheckpointReader(std::string path) : CheckpointReader(std::move(path)) {}
  absl::Status AddFile(std::string_view bytes, TensorMap& tensors);
  absl::Status AddTensor(const proto::SavedSliceMeta& meta, TensorMap& tensors) const;
  absl::StatusOr<Tensor> ReadStored(const TensorInfo& info, const std::string& key, const Shape& shape,
                                    Allocator* allocator) const override;

  std::map<std::string, std::string> entries_;  // by the keys of slices: serialised SavedTensorSlices
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_CHECKPOINT_H_
