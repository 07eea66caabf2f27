#include "ops/kernels/lookup_table.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/items.h"
#include "ops/kernels/slice_copy.h"
#include "ops/kernels/string_hash.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

using SharedLock = std::shared_lock<std::shared_mutex>;
using ExclusiveLock = std::lock_guard<std::shared_mutex>;

absl::Status CheckDType(const char* what, DType want, DType got) {
  if (want == got) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected ", std::string(DTypeName(want)), ", got ", std::string(DTypeName(got))));
}

// [batch.., item..]. Errors: InvalidArgument, as Shape::Make.
absl::StatusOr<Shape> Joined(const Shape& batch, const Shape& item) {
  Dims dims(batch.dims().begin(), batch.dims().end());
  dims.insert(dims.end(), item.dims().begin(), item.dims().end());
  return Shape::Make(dims);
}

// Element `at` of a tensor, as bytes.
const char* At(const Tensor& t, int64_t at) {
  return static_cast<const char*>(t.raw_data()) + at * static_cast<int64_t>(DTypeSize(t.dtype()));
}
char* At(Tensor& t, int64_t at) {
  return static_cast<char*>(t.raw_mutable_data()) + at * static_cast<int64_t>(DTypeSize(t.dtype()));
}

// Copies n elements between tensors of one dtype.
void Copy(const Tensor& from, int64_t from_at, Tensor& to, int64_t to_at, int64_t n) {
  CopyElements(from.dtype(), At(from, from_at), At(to, to_at), n);
}

}  // namespace

// ---- LookupTable

absl::Status LookupTable::Fail(absl::StatusCode code, const std::string& text) const {
  return absl::Status(code, absl::StrCat("table '", name_, "': ", text));
}

absl::StatusOr<Shape> LookupTable::BatchOf(const Tensor& keys) const {
  const int batch_rank = keys.rank() - type_.key_shape.rank();
  if (batch_rank < 0 || keys.dims().subspan(batch_rank) != type_.key_shape.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("keys: expected a shape that ends with ", type_.key_shape.ToString(),
                                                   ", got ", keys.ShapeString()));
  }
  return Shape::FromValid(keys.dims().first(batch_rank));
}

absl::Status LookupTable::CheckEntries(const Tensor& keys, const Tensor& values) const {
  RETURN_IF_ERROR(CheckDType("keys", type_.key_dtype, keys.dtype()));
  RETURN_IF_ERROR(CheckDType("values", type_.value_dtype, values.dtype()));
  ASSIGN_OR_RETURN(const Shape batch, BatchOf(keys));
  ASSIGN_OR_RETURN(const Shape want, Joined(batch, type_.value_shape));
  if (values.dims() == want.dims()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("values: expected shape ", want.ToString(), ", got ", values.ShapeString()));
}

int64_t LookupTable::size() const {
  SharedLock lock(mu_);
  return SizeLocked();
}

absl::StatusOr<Tensor> LookupTable::Find(const Tensor& keys, const Tensor& default_value, Allocator* allocator) const {
  RETURN_IF_ERROR(CheckDType("keys", type_.key_dtype, keys.dtype()));
  RETURN_IF_ERROR(CheckDType("default_value", type_.value_dtype, default_value.dtype()));
  ASSIGN_OR_RETURN(const Shape batch, BatchOf(keys));
  ASSIGN_OR_RETURN(const Shape shape, Joined(batch, type_.value_shape));
  const bool one_default = default_value.dims() == type_.value_shape.dims();
  if (!one_default && default_value.dims() != shape.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("default_value: expected shape ", type_.value_shape.ToString(),
                                                   " or ", shape.ToString(), ", got ", default_value.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor values, Tensor::Make(type_.value_dtype, shape, allocator));
  SharedLock lock(mu_);
  RETURN_IF_ERROR(FindLocked(keys, default_value, one_default ? 0 : type_.value_shape.num_elements(), values));
  return values;
}

absl::Status LookupTable::Insert(const Tensor& keys, const Tensor& values) {
  RETURN_IF_ERROR(CheckEntries(keys, values));
  ExclusiveLock lock(mu_);
  return InsertLocked(keys, values);
}

absl::Status LookupTable::Remove(const Tensor& keys) {
  RETURN_IF_ERROR(CheckDType("keys", type_.key_dtype, keys.dtype()));
  RETURN_IF_ERROR(BatchOf(keys).status());
  ExclusiveLock lock(mu_);
  return RemoveLocked(keys);
}

absl::Status LookupTable::Initialize(const Tensor&, const Tensor&) { return CheckStatic(); }

absl::Status LookupTable::CheckStatic() const {
  return Fail(absl::StatusCode::kInvalidArgument, "expected one that is filled once, got one that any step may change");
}

namespace {

// ---- Static and mutable tables

// Rows of values, by number. Requires: numbers that it gave.
class ValueRows {
 public:
  ValueRows(DType dtype, const Shape& shape) : dtype_(dtype), shape_(shape) {}
  int64_t row_elements() const { return shape_.num_elements(); }
  const char* operator[](int64_t row) const { return At(rows_, row * row_elements()); }
  // Room for n more rows. Errors: ResourceExhausted, InvalidArgument for more elements than int64 counts.
  absl::Status Reserve(int64_t n) {
    const int64_t have = rows_.has_value() ? rows_.dim(0) : 0;
    const int64_t need = used_ + n - static_cast<int64_t>(free_.size());
    if (need <= have) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Shape shape, WithFirst(std::max(need, have + have / 2), shape_.dims()));
    ASSIGN_OR_RETURN(Tensor grown, Tensor::Make(dtype_, shape));
    if (used_ > 0) Copy(rows_, 0, grown, 0, used_ * row_elements());
    rows_ = std::move(grown);
    return absl::OkStatus();
  }
  // Requires: room.
  int64_t Add(const Tensor& values, int64_t i) {
    int64_t row = used_;
    if (free_.empty()) {
      ++used_;
    } else {
      row = free_.back();
      free_.pop_back();
    }
    Replace(row, values, i);
    return row;
  }
  void Replace(int64_t row, const Tensor& values, int64_t i) {
    Copy(values, i * row_elements(), rows_, row * row_elements(), row_elements());
  }
  bool Equal(int64_t row, const Tensor& values, int64_t i) const {
    const int64_t n = row_elements();
    return WithStorageType(dtype_, [&]<typename T>() {
      const T* a = reinterpret_cast<const T*>((*this)[row]);
      const T* b = reinterpret_cast<const T*>(At(values, i * n));
      if constexpr (std::is_same_v<T, ResourceHandle> || std::is_same_v<T, Variant>) {
        return std::equal(a, a + n, b, [](const T& x, const T& y) { return x.get() == y.get(); });
      } else {
        return std::equal(a, a + n, b);
      }
    });
  }
  void Release(int64_t row) {
    free_.push_back(row);
    if (!IsObjectDType(dtype_)) return;
    WithStorageType(dtype_, [&]<typename T>() {
      std::fill_n(reinterpret_cast<T*>(At(rows_, row * row_elements())), row_elements(), T());
    });
  }

 private:
  DType dtype_;
  Shape shape_;
  Tensor rows_;       // [capacity, value..]
  int64_t used_ = 0;  // rows from here on were never given
  std::vector<int64_t> free_;
};

template <typename K>
struct KeyHash {
  size_t operator()(const K& key) const {
    if constexpr (std::is_same_v<K, String>) {
      return MurmurHashOf(key.view());
    } else {
      return static_cast<size_t>(key);
    }
  }
};

// Entries in the order in which TensorFlow exports them: that of the C++ library's map and these hashes. Not
// thread-safe.
template <typename K>
class EntryMap {
 public:
  explicit EntryMap(const TableType& type) : type_(type), values_(type.value_dtype, type.value_shape) {}

  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  void Find(const Tensor& keys, const Tensor& defaults, int64_t default_step, Tensor& values) const {
    const int64_t n = values_.row_elements();
    const K* key = keys.data<K>();
    WithSlice(type_.value_dtype, n, [&](auto slice) {
      char* to = At(values, 0);
      for (int64_t i = 0; i < keys.num_elements() && n > 0; ++i, to += slice.bytes) {
        const auto at = rows_.find(key[i]);
        slice(at == rows_.end() ? At(defaults, i * default_step) : values_[at->second], to);
      }
    });
  }
  // Errors: as ValueRows::Reserve, before anything changes.
  absl::Status Insert(const Tensor& keys, const Tensor& values) {
    RETURN_IF_ERROR(values_.Reserve(keys.num_elements()));
    const K* key = keys.data<K>();
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      const auto [at, inserted] = rows_.try_emplace(key[i], 0);
      if (inserted) {
        at->second = values_.Add(values, i);
      } else {
        values_.Replace(at->second, values, i);
      }
    }
    return absl::OkStatus();
  }
  // Whether every key has the value that comes with it.
  bool Agrees(const Tensor& keys, const Tensor& values) const {
    for (int64_t i = 0; i < keys.num_elements(); ++i) {
      if (!values_.Equal(rows_.at(keys.data<K>()[i]), values, i)) return false;
    }
    return true;
  }
  void Remove(const Tensor& keys) {
    for (const K& key : keys.values<K>()) {
      const auto at = rows_.find(key);
      if (at == rows_.end()) continue;
      values_.Release(at->second);
      rows_.erase(at);
    }
  }
  absl::StatusOr<TableEntries> Export(Allocator* allocator) const {
    TableEntries all;
    ASSIGN_OR_RETURN(all.keys, Tensor::Make(type_.key_dtype, {size()}, allocator));
    ASSIGN_OR_RETURN(const Shape shape, WithFirst(size(), type_.value_shape.dims()));
    ASSIGN_OR_RETURN(all.values, Tensor::Make(type_.value_dtype, shape, allocator));
    const int64_t n = values_.row_elements();
    int64_t i = 0;
    for (const auto& [key, row] : rows_) {
      all.keys.mutable_data<K>()[i] = key;
      CopyElements(type_.value_dtype, values_[row], At(all.values, i * n), n);
      ++i;
    }
    return all;
  }

 private:
  TableType type_;
  std::unordered_map<K, int64_t, KeyHash<K>> rows_;
  ValueRows values_;
};

template <typename K>
class MutableTable final : public LookupTable {
 public:
  MutableTable(std::string name, const TableType& type) : LookupTable(std::move(name), type), entries_(type) {}

  absl::Status Import(const Tensor& keys, const Tensor& values) override {
    RETURN_IF_ERROR(CheckEntries(keys, values));
    EntryMap<K> imported(type());
    RETURN_IF_ERROR(imported.Insert(keys, values));
    {
      ExclusiveLock lock(mu_);
      std::swap(entries_, imported);  // the old entries go without the lock
    }
    return absl::OkStatus();
  }
  absl::StatusOr<TableEntries> Export(Allocator* allocator) const override {
    SharedLock lock(mu_);
    return entries_.Export(allocator);
  }

 private:
  int64_t SizeLocked() const override { return entries_.size(); }
  absl::Status FindLocked(const Tensor& keys, const Tensor& defaults, int64_t default_step,
                          Tensor& values) const override {
    entries_.Find(keys, defaults, default_step, values);
    return absl::OkStatus();
  }
  absl::Status InsertLocked(const Tensor& keys, const Tensor& values) override { return entries_.Insert(keys, values); }
  absl::Status RemoveLocked(const Tensor& keys) override {
    entries_.Remove(keys);
    return absl::OkStatus();
  }

  EntryMap<K> entries_;  // guarded by mu_
};

template <typename K>
class StaticTable final : public LookupTable {
 public:
  StaticTable(std::string name, const TableType& type) : LookupTable(std::move(name), type), entries_(type) {}

  absl::Status CheckStatic() const override { return absl::OkStatus(); }
  absl::Status Initialize(const Tensor& keys, const Tensor& values) override {
    RETURN_IF_ERROR(CheckEntries(keys, values));
    if (keys.num_elements() == 0) return absl::InvalidArgumentError("keys: expected some, got none");
    ExclusiveLock lock(mu_);
    if (entries_.size() > 0) {
      if (keys.num_elements() == entries_.size()) return absl::OkStatus();
      return Fail(absl::StatusCode::kFailedPrecondition,
                  absl::StrCat("expected its ", entries_.size(), " entries again, got ", keys.num_elements()));
    }
    EntryMap<K> entries(type());
    RETURN_IF_ERROR(entries.Insert(keys, values));
    if (!entries.Agrees(keys, values)) {
      return Fail(absl::StatusCode::kFailedPrecondition, "expected one value for each key, got several for one");
    }
    entries_ = std::move(entries);
    return absl::OkStatus();
  }
  absl::Status Import(const Tensor& keys, const Tensor& values) override { return Initialize(keys, values); }
  absl::StatusOr<TableEntries> Export(Allocator* allocator) const override {
    SharedLock lock(mu_);
    if (entries_.size() == 0) return Fail(absl::StatusCode::kAborted, "expected entries, got a table not initialized");
    return entries_.Export(allocator);
  }

 private:
  int64_t SizeLocked() const override { return entries_.size(); }
  // Of one default for each key, TensorFlow takes the first for all.
  absl::Status FindLocked(const Tensor& keys, const Tensor& defaults, int64_t, Tensor& values) const override {
    if (entries_.size() == 0) {
      return Fail(absl::StatusCode::kFailedPrecondition, "expected entries, got a table not initialized");
    }
    entries_.Find(keys, defaults, 0, values);
    return absl::OkStatus();
  }
  absl::Status InsertLocked(const Tensor&, const Tensor&) override { return CannotChange(); }
  absl::Status RemoveLocked(const Tensor&) override { return CannotChange(); }
  absl::Status CannotChange() const {
    return Fail(absl::StatusCode::kUnimplemented, "expected one that may change, got one that is filled once");
  }

  EntryMap<K> entries_;  // guarded by mu_; empty: not initialized
};

// ---- Dense tables

// Buckets are filled when they are made. More than this, almost all of them free, are a mistake in an attr.
constexpr int64_t kMaxFreeBytes = int64_t{1} << 31;
constexpr int64_t kMinBuckets = 4;

template <typename K>
class DenseTable final : public LookupTable {
 public:
  DenseTable(std::string name, const TableType& type, DenseTableOptions options)
      : LookupTable(std::move(name), type), options_(std::move(options)) {}

  // Once, before the table is used. Errors: ResourceExhausted, InvalidArgument.
  absl::Status Start() {
    ASSIGN_OR_RETURN(buckets_, MakeBuckets(options_.num_buckets, 0));
    return absl::OkStatus();
  }

  // Takes buckets as Export gives them; if they are not where this table looks for their keys, it sorts them in.
  absl::Status Import(const Tensor& keys, const Tensor& values) override {
    RETURN_IF_ERROR(CheckDType("keys", type().key_dtype, keys.dtype()));
    RETURN_IF_ERROR(CheckDType("values", type().value_dtype, values.dtype()));
    const int64_t n = keys.rank() > 0 ? keys.dim(0) : 0;
    if (n == 0 || keys.dims() != Dims{n, key_elements()} || values.dims() != Dims{n, value_elements()}) {
      return absl::InvalidArgumentError(absl::StrCat("keys and values: expected shapes [n,", key_elements(),
                                                     "] and [n,", value_elements(), "] with n > 0, got ",
                                                     keys.ShapeString(), " and ", values.ShapeString()));
    }
    Buckets imported;
    ASSIGN_OR_RETURN(imported.keys, keys.Clone());
    ASSIGN_OR_RETURN(imported.values, values.Clone());
    for (int64_t i = 0; i < n; ++i) imported.num_entries += IsKey(imported.key(i));
    if (!IsLaidOut(imported)) {
      ASSIGN_OR_RETURN(imported, SortedIn(imported, imported.num_entries));
    }
    {
      ExclusiveLock lock(mu_);
      std::swap(buckets_, imported);  // the old entries go without the lock
    }
    return absl::OkStatus();
  }
  absl::StatusOr<TableEntries> Export(Allocator* allocator) const override {
    SharedLock lock(mu_);
    TableEntries all;
    ASSIGN_OR_RETURN(all.keys, buckets_.keys.Clone(allocator));
    ASSIGN_OR_RETURN(all.values, buckets_.values.Clone(allocator));
    return all;
  }

 private:
  struct Buckets {
    Tensor keys;    // [buckets, key elements]
    Tensor values;  // [buckets, value elements]
    int64_t num_entries = 0;
    int64_t size() const { return keys.dim(0); }
    const K* key(int64_t i) const { return keys.data<K>() + i * keys.dim(1); }
  };
  // Where a key is, or would go; -1: nowhere.
  struct Place {
    int64_t found = -1;
    int64_t free = -1;
  };

  int64_t key_elements() const { return type().key_shape.num_elements(); }
  int64_t value_elements() const { return type().value_shape.num_elements(); }
  bool Equal(const K* a, const K* b) const { return std::equal(a, a + key_elements(), b); }
  bool IsEmpty(const K* key) const { return Equal(key, options_.empty_key.data<K>()); }
  bool IsDeleted(const K* key) const {
    return options_.deleted_key.has_value() && Equal(key, options_.deleted_key.data<K>());
  }
  bool IsKey(const K* key) const { return !IsEmpty(key) && !IsDeleted(key); }

  uint64_t Hash(const K* key) const {
    const KeyHash<K> hash;
    if (key_elements() == 1) return hash(*key);
    uint64_t all = 0;
    for (int64_t i = 0; i < key_elements(); ++i) {
      all ^= hash(key[i]) + 0x9e3779b97f4a7800 + (all << 10) + (all >> 4);
    }
    return all;
  }

  // Looks from the key's own bucket on in steps of 1, 2, 3, ..., which reach every bucket of a power of two.
  Place Search(const Buckets& buckets, const K* key) const {
    Place place;
    const uint64_t mask = static_cast<uint64_t>(buckets.size()) - 1;
    uint64_t at = Hash(key) & mask;
    for (int64_t step = 1; step <= buckets.size(); ++step) {
      const K* there = buckets.key(static_cast<int64_t>(at));
      if (Equal(there, key)) {
        place.found = static_cast<int64_t>(at);
        return place;
      }
      const bool empty = IsEmpty(there);
      if (place.free < 0 && (empty || IsDeleted(there))) place.free = static_cast<int64_t>(at);
      if (empty) return place;
      at = (at + static_cast<uint64_t>(step)) & mask;
    }
    return place;
  }
  bool IsLaidOut(const Buckets& buckets) const {
    const int64_t n = buckets.size();
    if (n < kMinBuckets || !std::has_single_bit(static_cast<uint64_t>(n)) || IsFull(buckets.num_entries, n))
      return false;
    for (int64_t i = 0; i < n; ++i) {
      if (IsKey(buckets.key(i)) && Search(buckets, buckets.key(i)).found != i) return false;
    }
    return true;
  }
  bool IsFull(int64_t num_entries, int64_t num_buckets) const {
    return static_cast<float>(num_entries) > static_cast<float>(num_buckets) * options_.max_load;
  }

  absl::StatusOr<Buckets> MakeBuckets(int64_t n, int64_t num_entries) const {
    const double bytes = static_cast<double>(n) * static_cast<double>(sizeof(K)) * static_cast<double>(key_elements()) +
                         static_cast<double>(n) * static_cast<double>(DTypeSize(type().value_dtype)) *
                             static_cast<double>(value_elements());
    if (bytes > kMaxFreeBytes && n / 64 > num_entries) {
      return Fail(absl::StatusCode::kResourceExhausted,
                  absl::StrCat("expected fewer free buckets, got ", n, " for ", num_entries, " entries"));
    }
    Buckets buckets;
    ASSIGN_OR_RETURN(buckets.keys, Tensor::Make(type().key_dtype, {n, key_elements()}));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make({n, value_elements()}));
    ASSIGN_OR_RETURN(buckets.values, Tensor::Zeros(type().value_dtype, shape));
    for (int64_t i = 0; i < n; ++i) Copy(options_.empty_key, 0, buckets.keys, i * key_elements(), key_elements());
    return buckets;
  }
  // The same entries in as many buckets or more, so that there is room for `num_entries`.
  absl::StatusOr<Buckets> SortedIn(const Buckets& old, int64_t num_entries) const {
    int64_t n = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(old.size(), kMinBuckets))));
    while (IsFull(num_entries, n) && n < (int64_t{1} << 40)) n *= 2;
    ASSIGN_OR_RETURN(Buckets sorted, MakeBuckets(n, num_entries));
    for (int64_t i = 0; i < old.size(); ++i) {
      if (IsKey(old.key(i))) RETURN_IF_ERROR(Put(sorted, old.key(i), old.values, i));
    }
    return sorted;
  }
  absl::Status Put(Buckets& buckets, const K* key, const Tensor& values, int64_t i) const {
    const Place place = Search(buckets, key);
    const int64_t at = place.found >= 0 ? place.found : place.free;
    if (at < 0) return Fail(absl::StatusCode::kInternal, "expected a free bucket, got none");
    if (place.found < 0) {
      std::copy_n(key, key_elements(), buckets.keys.template mutable_data<K>() + at * key_elements());
      ++buckets.num_entries;
    }
    Copy(values, i * value_elements(), buckets.values, at * value_elements(), value_elements());
    return absl::OkStatus();
  }

  // One key, or a vector of them.
  absl::StatusOr<Shape> BatchOf(const Tensor& keys) const override {
    ASSIGN_OR_RETURN(Shape batch, LookupTable::BatchOf(keys));
    if (batch.rank() <= 1) return batch;
    return absl::InvalidArgumentError(
        absl::StrCat("keys: expected rank ", type().key_shape.rank() + 1, ", got shape ", keys.ShapeString()));
  }
  absl::Status CheckKeys(const Tensor& keys, int64_t n) const {
    for (int64_t i = 0; i < n; ++i) {
      if (IsKey(keys.data<K>() + i * key_elements())) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("keys: expected none that marks free buckets, got the empty_key or deleted_key at ", i));
    }
    return absl::OkStatus();
  }

  int64_t SizeLocked() const override { return buckets_.num_entries; }
  absl::Status FindLocked(const Tensor& keys, const Tensor& defaults, int64_t default_step,
                          Tensor& values) const override {
    const int64_t n = NumKeys(keys);
    RETURN_IF_ERROR(CheckKeys(keys, n));
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = Search(buckets_, keys.data<K>() + i * key_elements()).found;
      if (at >= 0) {
        Copy(buckets_.values, at * value_elements(), values, i * value_elements(), value_elements());
      } else {
        Copy(defaults, i * default_step, values, i * value_elements(), value_elements());
      }
    }
    return absl::OkStatus();
  }
  absl::Status InsertLocked(const Tensor& keys, const Tensor& values) override {
    const int64_t n = NumKeys(keys);
    RETURN_IF_ERROR(CheckKeys(keys, n));
    if (IsFull(buckets_.num_entries + n, buckets_.size())) {
      ASSIGN_OR_RETURN(buckets_, SortedIn(buckets_, buckets_.num_entries + n));
    }
    for (int64_t i = 0; i < n; ++i) RETURN_IF_ERROR(Put(buckets_, keys.data<K>() + i * key_elements(), values, i));
    return absl::OkStatus();
  }
  // The values stay where they are, as in TensorFlow.
  absl::Status RemoveLocked(const Tensor& keys) override {
    const int64_t n = NumKeys(keys);
    RETURN_IF_ERROR(CheckKeys(keys, n));
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = Search(buckets_, keys.data<K>() + i * key_elements()).found;
      if (at < 0) continue;
      Copy(options_.deleted_key, 0, buckets_.keys, at * key_elements(), key_elements());
      --buckets_.num_entries;
    }
    return absl::OkStatus();
  }
  int64_t NumKeys(const Tensor& keys) const { return keys.num_elements() / key_elements(); }

  const DenseTableOptions options_;
  Buckets buckets_;  // guarded by mu_
};

// `Table<K>` for the C++ type K of the keys. Errors: InvalidArgument for keys of another dtype.
template <template <typename> typename Table, typename... Args>
absl::StatusOr<RefPtr<LookupTable>> MakeTable(std::string name, const TableType& type, Args&&... args) {
  RefPtr<LookupTable> table =
      DispatchDType<kTableKeyTypes>(type.key_dtype, RefPtr<LookupTable>(), [&]<typename K>() -> RefPtr<LookupTable> {
        return MakeRef<Table<K>>(std::move(name), type, std::forward<Args>(args)...);
      });
  if (table) return table;
  return absl::InvalidArgumentError(absl::StrCat("keys of a table: expected ", DTypeSetNames(kTableKeyTypes), ", got ",
                                                 std::string(DTypeName(type.key_dtype))));
}

absl::Status CheckDenseOptions(const TableType& type, const DenseTableOptions& options) {
  const Tensor& empty = options.empty_key;
  const Tensor& deleted = options.deleted_key;
  const auto fail = [](const char* what, const auto&... got) {
    return absl::InvalidArgumentError(absl::StrCat(what, ", got ", got...));
  };
  RETURN_IF_ERROR(CheckDType("empty_key", type.key_dtype, empty.dtype()));
  if (empty.rank() > 1 || empty.num_elements() == 0) {
    return fail("empty_key: expected a scalar or a vector", "shape ", empty.ShapeString());
  }
  if (deleted.has_value()) {
    RETURN_IF_ERROR(CheckDType("deleted_key", type.key_dtype, deleted.dtype()));
    if (deleted.dims() != empty.dims()) {
      return fail("deleted_key: expected the shape of empty_key", deleted.ShapeString(), ", not ", empty.ShapeString());
    }
    const bool same = DispatchDType<kTableKeyTypes>(
        type.key_dtype, false, [&]<typename K>() { return empty.values<K>() == deleted.values<K>(); });
    if (same) return fail("deleted_key: expected another key than empty_key", "the same");
  }
  if (type.value_shape.rank() > 1) {
    return fail("value_shape: expected a scalar or a vector", type.value_shape.ToString());
  }
  if (options.num_buckets < kMinBuckets || !std::has_single_bit(static_cast<uint64_t>(options.num_buckets))) {
    return fail("initial_num_buckets: expected a power of 2 that is at least 4", options.num_buckets);
  }
  if (!(options.max_load > 0 && options.max_load < 1)) {
    return fail("max_load_factor: expected a number between 0 and 1", options.max_load);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RefPtr<LookupTable>> MakeStaticTable(std::string name, TableType type) {
  return MakeTable<StaticTable>(std::move(name), type);
}

absl::StatusOr<RefPtr<LookupTable>> MakeMutableTable(std::string name, TableType type) {
  return MakeTable<MutableTable>(std::move(name), type);
}

absl::StatusOr<RefPtr<LookupTable>> MakeDenseTable(std::string name, TableType type, DenseTableOptions options) {
  RETURN_IF_ERROR(CheckDenseOptions(type, options));
  type.key_shape = options.empty_key.shape();
  ASSIGN_OR_RETURN(RefPtr<LookupTable> table, MakeTable<DenseTable>(std::move(name), type, std::move(options)));
  RETURN_IF_ERROR(DispatchDType<kTableKeyTypes>(
      type.key_dtype, absl::OkStatus(), [&]<typename K>() { return static_cast<DenseTable<K>&>(*table).Start(); }));
  return table;
}

}  // namespace flowlatch
