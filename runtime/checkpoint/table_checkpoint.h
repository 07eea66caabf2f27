// Checkpoints in TensorFlow's first format: tables that hold descriptions and elements alike.
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

// Writes one file of the first format. It is kept in memory, and replaces the file that was there when it is finished.
class TableCheckpointWriter {
 public:
  // Errors: InvalidArgument for a path that is none.
  static absl::StatusOr<std::unique_ptr<TableCheckpointWriter>> Create(std::string_view path,
                                                                       FileSystem& files = FileSystem::Default());

  // Errors: InvalidArgument for a name that was added before, or more than 2 GiB; Unimplemented for a dtype that the
  // format does not know.
  absl::Status Add(std::string_view name, const Tensor& tensor);
  // Adds one slice of a tensor of `full_shape`. Errors also: InvalidArgument for a slice outside, one that was added
  // before, or another dtype or shape than other slices of the tensor have.
  absl::Status AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice, const Tensor& tensor);
  // Makes the file durable and visible. After an error there is the old one.
  absl::Status Finish();

 private:
  TableCheckpointWriter(std::string path, FileSystem& files) : path_(std::move(path)), files_(files) {}

  const std::string path_;
  FileSystem& files_;
  proto::SavedTensorSlices description_;
  std::map<std::string, int, std::less<>> places_;  // of tensors in the description
  std::map<std::string, std::string> entries_;      // by the keys of slices
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_CHECKPOINT_H_
