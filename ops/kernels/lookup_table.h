// LookupTable: a map from keys to values that outlives steps. Keys are numbers or strings, or rows of them; values are
// elements or vectors of any dtype.
#ifndef FLOWLATCH_OPS_KERNELS_LOOKUP_TABLE_H_
#define FLOWLATCH_OPS_KERNELS_LOOKUP_TABLE_H_

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {

inline constexpr DTypeSet kTableKeyTypes{DType::kInt32, DType::kInt64, DType::kString};

struct TableType {
  DType key_dtype = DType::kInvalid;
  DType value_dtype = DType::kInvalid;
  Shape key_shape;
  Shape value_shape;
};

struct TableEntries {
  Tensor keys;    // [n, key..]
  Tensor values;  // [n, value..]
};

// Thread-safe. Every call happens at once: others see all of it or nothing, and after an error nothing has changed.
// All calls check their arguments. Errors: InvalidArgument for a wrong dtype or shape.
class LookupTable : public Resource {
 public:
  static constexpr char kTypeName[] = "Table";
  std::string TypeName() const override { return kTypeName; }
  const std::string& name() const { return name_; }
  const TableType& type() const { return type_; }

  int64_t size() const;
  // keys [batch.., key..] -> [batch.., value..]. Keys that are not there get the default: one value, or one for each.
  absl::StatusOr<Tensor> Find(const Tensor& keys, const Tensor& default_value, Allocator* allocator) const;
  // keys [batch.., key..], values [batch.., value..]; of keys that are there, the values change.
  absl::Status Insert(const Tensor& keys, const Tensor& values);
  absl::Status Remove(const Tensor& keys);
  // Errors: InvalidArgument for tables that are not static.
  virtual absl::Status CheckStatic() const;
  // Fills a static table, once; later calls must bring as many keys. Errors: FailedPrecondition if they do not, or for
  // two values of one key; as CheckStatic.
  virtual absl::Status Initialize(const Tensor& keys, const Tensor& values);
  // Replaces all entries.
  virtual absl::Status Import(const Tensor& keys, const Tensor& values) = 0;
  virtual absl::StatusOr<TableEntries> Export(Allocator* allocator) const = 0;

 protected:
  LookupTable(std::string name, TableType type) : name_(std::move(name)), type_(std::move(type)) {}
  absl::Status Fail(absl::StatusCode code, const std::string& text) const;

  // The shape of keys without that of one key. Errors: InvalidArgument.
  virtual absl::StatusOr<Shape> BatchOf(const Tensor& keys) const;
  // keys [batch.., key..] and values [batch.., value..] of the table's dtypes. Errors: InvalidArgument.
  absl::Status CheckEntries(const Tensor& keys, const Tensor& values) const;

  // What the public calls of these names do, under the lock and with arguments that were checked.
  virtual int64_t SizeLocked() const = 0;
  // default_step: elements from one key's default value to the next's, 0 for one of all.
  virtual absl::Status FindLocked(const Tensor& keys, const Tensor& defaults, int64_t default_step,
                                  Tensor& values) const = 0;
  virtual absl::Status InsertLocked(const Tensor& keys, const Tensor& values) = 0;
  virtual absl::Status RemoveLocked(const Tensor& keys) = 0;

  mutable std::shared_mutex mu_;

 private:
  const std::string name_;
  const TableType type_;
};

// All of these want a key_dtype of kTableKeyTypes. Errors: InvalidArgument for another.

// A table that is filled once.
absl::StatusOr<RefPtr<LookupTable>> MakeStaticTable(std::string name, TableType type);
// A table that any call may change.
absl::StatusOr<RefPtr<LookupTable>> MakeMutableTable(std::string name, TableType type);

// A table whose entries are rows of two tensors, found by open addressing. Graphs see its layout, which is that of
// TensorFlow: Export gives all buckets, free ones too.
struct DenseTableOptions {
  Tensor empty_key;    // marks buckets that were never used
  Tensor deleted_key;  // marks those whose entry is gone
  int64_t num_buckets = 0;
  float max_load = 0;  // share of the buckets in use above which there are to be more
};
// type.key_shape is that of the keys in `options`. Errors: InvalidArgument for options that make no table, or keys of
// another dtype; ResourceExhausted.
absl::StatusOr<RefPtr<LookupTable>> MakeDenseTable(std::string name, TableType type, DenseTableOptions options);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_LOOKUP_TABLE_H_
