// CheckpointReader: the tensors of a checkpoint, of either of TensorFlow's formats.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_READER_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_READER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "flowlatch/proto/versions.pb.h"
#include "graph/tensor/tensor.h"
#include "runtime/checkpoint/file_system.h"
#include "runtime/checkpoint/tensor_slice.h"

namespace flowlatch {

// Files are not trusted: whatever is in them, the answer is a tensor with the right checksum or an error. Thread-safe.
//
//   ASSIGN_OR_RETURN(auto reader, CheckpointReader::Open("model.ckpt"));
//   ASSIGN_OR_RETURN(Tensor kernel, reader->Read("dense/kernel"));
class CheckpointReader {
 public:
  struct TensorInfo {
    std::string name;
    DType dtype = DType::kInvalid;  // kInvalid if it is none that we know
    Shape shape;
    std::vector<TensorSlice> slices;  // what it is cut into; none if it is whole
    absl::Status error;               // why it cannot be read, if what the file says of it is broken; then only the
                                      // name counts
  };

  // `path`: the prefix of a checkpoint (tensor_bundle.h), one of its files, or a file or pattern of files of the first
  // format (table_checkpoint.h). Errors: NotFound when there is neither, and those of the formats.
  static absl::StatusOr<std::unique_ptr<CheckpointReader>> Open(std::string_view path,
                                                                FileSystem& files = FileSystem::Default());
  virtual ~CheckpointReader() = default;
  CheckpointReader(const CheckpointReader&) = delete;
  CheckpointReader& operator=(const CheckpointReader&) = delete;

  // All tensors by name, but for those that damage hides.
  const std::vector<TensorInfo>& tensors() const { return tensors_; }
  // Why tensors may be missing or have errors: something is broken in the file that lists them. Those that are there
  // can be read as ever. OK for a whole file.
  const absl::Status& damage() const { return damage_; }
  // Null if there is none of this name.
  const TensorInfo* Find(std::string_view name) const;
  // What is said of a tensor that is to be read as `dtype`. Errors: NotFound for an unknown name, its own for a tensor
  // with an error, InvalidArgument for another dtype.
  absl::StatusOr<const TensorInfo*> Expect(std::string_view name, DType dtype) const;
  // Errors, as TensorFlow gives them: NotFound for an unknown name, a missing data file or a missing slice; OutOfRange
  // for a data file that is too short; DataLoss for a wrong checksum or size; InvalidArgument for a place that no file
  // has, slices that leave holes, and a dtype that files cannot hold; and those of Tensor::Make.
  absl::StatusOr<Tensor> Read(std::string_view name, Allocator* allocator = nullptr) const;
  // A part of a tensor, which need not be cut as the tensor is. Errors also: InvalidArgument for a slice outside.
  absl::StatusOr<Tensor> ReadSlice(std::string_view name, const TensorSlice& slice,
                                   Allocator* allocator = nullptr) const;
  // How the checkpoint is named in messages.
  const std::string& path() const { return path_; }

 protected:
  explicit CheckpointReader(std::string path) : path_(std::move(path)) {}
  // Reads a whole tensor (`key` is its name), or a slice of it (`key` is a SliceKey) of this shape.
  virtual absl::StatusOr<Tensor> ReadStored(const TensorInfo& info, const std::string& key, const Shape& shape,
                                            Allocator* allocator) const = 0;
  // Keeps tensors sorted by name. Errors: DataLoss for a name that is there already.
  absl::Status SetTensors(std::vector<TensorInfo> tensors, absl::Status damage = absl::OkStatus());
  absl::Status Error(absl::StatusCode code, const TensorInfo& info, absl::string_view what) const;
  // DataLoss.
  absl::Status Corrupt(absl::string_view what) const;
  absl::Status Corrupt(const TensorInfo& info, absl::string_view what) const;

 private:
  absl::Status NotFound(std::string_view name) const;
  absl::StatusOr<Tensor> Assemble(const TensorInfo& info, const TensorSlice& wanted, Allocator* allocator) const;

  const std::string path_;
  std::vector<TensorInfo> tensors_;
  absl::Status damage_;
};

// Whether files can hold tensors of this dtype: all but handles.
constexpr bool CanBeSaved(DType dtype) { return dtype != DType::kInvalid && dtype != DType::kResource; }

// Whether a reader of format `version` may read what a writer of these versions wrote.
// Errors: InvalidArgument if it may not, or the versions are none.
absl::Status CheckFormatVersion(std::string_view path, const VersionDef& versions, int version);

// Errors: InvalidArgument for an empty path or one with NUL bytes.
absl::Status CheckCheckpointPath(std::string_view path);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_CHECKPOINT_READER_H_
