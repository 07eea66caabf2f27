// Checkpoints in TensorFlow's second format: <prefix>.index, a table of what there is, and <prefix>.data-00000-of-00001
// and so on, with the elements.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_TENSOR_BUNDLE_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_TENSOR_BUNDLE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "flowlatch/proto/tensor_bundle.pb.h"
#include "graph/tensor/tensor.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "runtime/checkpoint/file_system.h"
#include "runtime/checkpoint/tensor_slice.h"

namespace flowlatch {

std::string IndexPath(std::string_view prefix);
std::string DataPath(std::string_view prefix, int shard, int num_shards);
// The prefix of a checkpoint that is named by it or by one of its files.
std::string CheckpointPrefix(std::string_view path);

class BundleReader final : public CheckpointReader {
 public:
  using Entry = absl::StatusOr<proto::BundleEntryProto>;  // an error if it cannot be parsed
  using Entries = std::map<std::string, Entry>;           // of tensors by name, of slices by their keys

  // `path`: see CheckpointPrefix. A checkpoint that is replaced meanwhile is opened as it was or as it becomes.
  // What is broken in the index may cost tensors, see CheckpointReader::damage. Errors: NotFound without an index;
  // those of ParseTable, DataLoss without a header; InvalidArgument for one of a later version.
  static absl::StatusOr<std::unique_ptr<BundleReader>> Open(std::string_view path,
                                                            FileSystem& files = FileSystem::Default());
  int num_shards() const { return num_shards_; }

 private:
  explicit BundleReader(std::string prefix) : CheckpointReader(std::move(prefix)) {}
  absl::Status ParseIndex(std::string_view index);
  TensorInfo MakeInfo(std::string name, const Entry& entry) const;
  // All data files that entries name.
  void OpenShards(FileSystem& files);
  absl::StatusOr<Tensor> ReadStored(const TensorInfo& info, const std::string& key, const Shape& shape,
                                    Allocator* allocator) const override;

  int num_shards_ = 0;
  Entries entries_;
  std::map<int, absl::StatusOr<std::unique_ptr<ReadableFile>>> shards_;
};

// Writes one checkpoint. Nothing is seen of it before Finish, and the one it replaces, if any, stays whole until then;
// a process that dies leaves only files that the next writer of the same prefix removes. Not thread-safe; several
// writers may write the same prefix, the last one to finish wins.
class BundleWriter {
 public:
  // Makes the directory of `prefix` if only that is missing. Tensors are spread over `num_shards` data files by their
  // sizes. Errors: those of the file system; InvalidArgument for a bad prefix, or shards outside 1 to kMaxShards.
  static constexpr int kMaxShards = 10000;
  static absl::StatusOr<std::unique_ptr<BundleWriter>> Create(std::string_view prefix,
                                                              FileSystem& files = FileSystem::Default(),
                                                              int num_shards = 1);
  ~BundleWriter();
  BundleWriter(const BundleWriter&) = delete;
  BundleWriter& operator=(const BundleWriter&) = delete;

  // Errors: InvalidArgument for a name that is empty, begins with NUL or was added before, and for handles; those of
  // TensorToProto for variants.
  absl::Status Add(std::string_view name, const Tensor& tensor);
  // Adds one slice of a tensor of `full_shape`; other slices of it may come from other writers, see MergeBundles.
  absl::Status AddSlice(std::string_view name, const Shape& full_shape, const TensorSlice& slice, const Tensor& tensor);
  // Makes the checkpoint durable and visible. Requires: called once. After an error there is the old checkpoint.
  absl::Status Finish();

 private:
  BundleWriter(std::string prefix, FileSystem& files) : prefix_(std::move(prefix)), files_(files) {}
  absl::StatusOr<proto::BundleEntryProto> Append(const Tensor& tensor);

  struct Shard {
    TemporaryName temporary;
    std::unique_ptr<WritableFile> file;
    int64_t size = 0;
  };

  const std::string prefix_;
  FileSystem& files_;
  std::vector<Shard> shards_;  // empty once they are the checkpoint's
  std::map<std::string, proto::BundleEntryProto> entries_;
};

struct MergeOptions {
  bool delete_old_directories = true;  // those of `sources`, where nothing else is left in them
  bool allow_missing = false;          // sources without an index count as empty
};

// Makes one checkpoint of several, whose data files become its shards. Slices of one tensor come together.
// Errors: NotFound for a missing source, InvalidArgument for tensors that are in two of them, and those of
// BundleReader::Open.
absl::Status MergeBundles(absl::Span<const std::string> sources, std::string_view destination,
                          const MergeOptions& options = {}, FileSystem& files = FileSystem::Default());

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_TENSOR_BUNDLE_H_
