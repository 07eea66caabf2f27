// Tensor: a typed, shaped value that shares its memory between copies. Also the executor's value slot: 64 bytes, moved by
// plain copies of those bytes, with scalars inline.
#ifndef FLOWLATCH_GRAPH_TENSOR_TENSOR_H_
#define FLOWLATCH_GRAPH_TENSOR_TENSOR_H_

#include <emmintrin.h>

#include <cassert>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/tensor/buffer.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/object.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/string.h"

namespace flowlatch {

// Thread safety: like an int; copies that share memory may be read from several threads.
// Copying shares the memory; who wants to write must be its sole owner (see is_sole_owner).
//
//   ASSIGN_OR_RETURN(Tensor t, Tensor::Make(DType::kFloat32, Shape::Of({2, 3})));
//   t.mutable_data<float>()[0] = 1;
class alignas(16) Tensor {
 public:
  // What a slot holds. Everything but the executor sees only kNone and kValue.
  enum class Kind : uint8_t { kNone, kDead, kValue, kRef };

  Tensor() { StoreHead(Kind::kNone, DType::kInvalid, 0, false, 0); }
  Tensor(const Tensor& o) {
    std::memcpy(static_cast<void*>(this), &o, sizeof *this);
    if (owns_) Share(o);
  }
  Tensor(Tensor&& o) noexcept {
    std::memcpy(static_cast<void*>(this), &o, sizeof *this);
    o.Forget();
  }
  Tensor& operator=(const Tensor& o) {
    if (this != &o) {
      Tensor copy(o);
      *this = std::move(copy);
    }
    return *this;
  }
  Tensor& operator=(Tensor&& o) noexcept {
    if (this == &o) return *this;
    Clear();
    std::memcpy(static_cast<void*>(this), &o, sizeof *this);
    o.Forget();
    return *this;
  }
  ~Tensor() {
    if (owns_) Release();
  }

  // Plain elements are uninitialised, objects are default-constructed. allocator null: the process's pool.
  // Errors: InvalidArgument for kInvalid or a byte size beyond int64, ResourceExhausted without memory.
  static absl::StatusOr<Tensor> Make(DType dtype, const Shape& shape, Allocator* allocator = nullptr);
  static absl::StatusOr<Tensor> Make(DType dtype, absl::Span<const int64_t> dims, Allocator* allocator = nullptr);
  // As Make, with all bits zero.
  static absl::StatusOr<Tensor> Zeros(DType dtype, const Shape& shape, Allocator* allocator = nullptr);
  template <typename T>
  static Tensor Scalar(T value);
  static Tensor Scalar(std::string_view value) { return Scalar(String(value)); }
  static Tensor Scalar(const char* value) { return Scalar(String(std::string_view(value))); }
  // Errors: InvalidArgument when the count differs from the shape's.
  template <typename T>
  static absl::StatusOr<Tensor> FromValues(const Shape& shape, absl::Span<const T> values);
  // A vector of `values`. Aborts without memory: for small things known to the program.
  template <typename T>
  static Tensor Vector(absl::Span<const T> values);
  template <typename T>
  static Tensor Vector(std::initializer_list<T> values) {
    return Vector<T>(absl::Span<const T>(values.begin(), values.size()));
  }
  // Wraps memory of the caller, which must stay until `release` is called (from whatever thread drops the last copy).
  // Requires: dtype is no object dtype. Errors: InvalidArgument for a byte size beyond int64.
  static absl::StatusOr<Tensor> Borrow(DType dtype, const Shape& shape, void* data, std::function<void()> release);

  Kind kind() const { return kind_; }
  bool has_value() const { return kind_ == Kind::kValue; }
  DType dtype() const { return dtype_; }
  int rank() const { return rank_; }
  absl::Span<const int64_t> dims() const { return {dims_data(), rank_}; }
  int64_t dim(int i) const { return dims_data()[i]; }
  Shape shape() const { return Shape::FromValid(dims()); }
  std::string ShapeString() const { return DimsToString(dims()); }
  int64_t num_elements() const { return num_elements_; }
  // Bytes of all elements; strings count their 24-byte elements only.
  int64_t size_bytes() const { return num_elements_ * static_cast<int64_t>(DTypeSize(dtype_)); }

  const void* raw_data() const { return buffer_ != nullptr ? data_ : inline_; }
  void* raw_mutable_data() { return buffer_ != nullptr ? data_ : inline_; }
  // Requires: T is the element type.
  template <typename T>
  const T* data() const {
    assert(kDTypeOf<T> == dtype_);
    return static_cast<const T*>(raw_data());
  }
  template <typename T>
  T* mutable_data() {
    assert(kDTypeOf<T> == dtype_);
    return static_cast<T*>(raw_mutable_data());
  }
  template <typename T>
  absl::Span<const T> values() const {
    return absl::Span<const T>(data<T>(), static_cast<size_t>(num_elements_));  // braces would make a list of bools
  }
  template <typename T>
  absl::Span<T> mutable_values() {
    return absl::Span<T>(mutable_data<T>(), static_cast<size_t>(num_elements_));
  }
  // The first element. Requires: num_elements() >= 1.
  template <typename T>
  const T& scalar() const {
    return *data<T>();
  }
  bool is_scalar() const { return rank_ == 0; }
  bool is_vector() const { return rank_ == 1; }

  // Whether nobody else sees this memory (and nobody outside lent it), so that it may be written in place.
  bool is_sole_owner() const { return buffer_ == nullptr || (buffer_->unique() && !buffer_->borrowed()); }
  bool is_borrowed() const { return buffer_ != nullptr && buffer_->borrowed(); }
  bool SharesBufferWith(const Tensor& o) const { return buffer_ != nullptr && buffer_ == o.buffer_; }

  // The same elements under another shape. Errors: InvalidArgument when the counts differ.
  absl::StatusOr<Tensor> Reshaped(const Shape& shape) const;
  // The same bytes as another dtype and shape. Requires: same byte count, no object dtypes.
  Tensor BitcastTo(DType dtype, const Shape& shape) const;
  // Rows [begin, begin + count) of dimension 0, sharing memory. Requires: rank >= 1 and a range inside dimension 0.
  Tensor Rows(int64_t begin, int64_t count) const;
  // A copy with its own memory.
  absl::StatusOr<Tensor> Clone(Allocator* allocator = nullptr) const;

  // "float32[2,3] = [[1 2 3] [4 5 6]]", at most `max_elements` of them.
  std::string DebugString(int64_t max_elements = 16) const;

  // For executors: slots without a value, and reference slots, which count the variable they point to.
  void Clear() {
    if (owns_) Release();
    Forget();
  }
  void SetDead() {
    Clear();
    kind_ = Kind::kDead;
  }
  static Tensor Dead() {
    Tensor t;
    t.kind_ = Kind::kDead;
    return t;
  }
  bool is_dead() const { return kind_ == Kind::kDead; }
  static Tensor MakeRef(RefPtr<RefCounted> target, DType dtype);
  RefCounted* ref_target() const { return kind_ == Kind::kRef ? object_ : nullptr; }
  // Overwrites a slot that owns nothing with a scalar: the fast path of small kernels.
  template <typename T>
  void SetScalar(T value);

 private:
  struct BigDims;  // dimensions of tensors of rank > kInlineRank, counted
  static constexpr int kInlineRank = 4;
  static constexpr size_t kInlineBytes = 32;

  const int64_t* dims_data() const { return rank_ <= kInlineRank ? dims_ : BigDimsData(); }
  const int64_t* BigDimsData() const;
  void Forget() { StoreHead(Kind::kNone, DType::kInvalid, 0, false, 0); }
  // Everything but dimensions and elements, without a buffer. Slots are copied by 16 bytes at a time soon after they are
  // written; a processor passes a store on to such a load only if it was as wide.
  void StoreHead(Kind kind, DType dtype, uint8_t rank, bool owns, int64_t num_elements) {
    const uint64_t head = static_cast<uint64_t>(kind) | static_cast<uint64_t>(dtype) << 8 | static_cast<uint64_t>(rank) << 16 |
                          static_cast<uint64_t>(owns) << 24;
    __m128i* const words = reinterpret_cast<__m128i*>(this);
    _mm_store_si128(words, _mm_set_epi64x(0, static_cast<int64_t>(head)));
    _mm_store_si128(words + 1, _mm_set_epi64x(num_elements, 0));
  }
  void SetDims(absl::Span<const int64_t> dims, int64_t num_elements);
  void Share(const Tensor& o);  // after a bytewise copy of o: takes the references that it needs
  void Release();

  Kind kind_;
  DType dtype_;
  uint8_t rank_;
  uint8_t owns_;  // whether Release has something to do
  Buffer* buffer_;  // null: the elements are inline_, or there are none
  void* data_;      // first element when buffer_ is set
  int64_t num_elements_;
  union {
    int64_t dims_[kInlineRank];         // rank 1..4
    BigDims* big_dims_;                 // rank > 4
    alignas(16) char inline_[kInlineBytes];  // the element of a scalar
    RefCounted* object_;                // kRef
  };
};
static_assert(sizeof(Tensor) == 64);

template <typename T>
void Tensor::SetScalar(T value) {
  static_assert(!IsObjectDType(kDTypeOf<T>) && sizeof(T) <= 16);
  if (owns_) Release();
  StoreHead(Kind::kValue, kDTypeOf<T>, 0, false, 1);
  alignas(16) char wide[16] = {};
  std::memcpy(wide, &value, sizeof value);
  _mm_store_si128(reinterpret_cast<__m128i*>(inline_), _mm_load_si128(reinterpret_cast<const __m128i*>(wide)));
}

template <typename T>
Tensor Tensor::Scalar(T value) {
  Tensor t;
  static_assert(kDTypeOf<T> != DType::kInvalid && sizeof(T) <= kInlineBytes);
  t.StoreHead(Kind::kValue, kDTypeOf<T>, 0, IsObjectDType(kDTypeOf<T>), 1);
  new (t.inline_) T(std::move(value));
  return t;
}

template <typename T>
absl::StatusOr<Tensor> Tensor::FromValues(const Shape& shape, absl::Span<const T> values) {
  if (static_cast<int64_t>(values.size()) != shape.num_elements()) {
    return absl::InvalidArgumentError("values of shape " + shape.ToString() + ": expected " +
                                      std::to_string(shape.num_elements()) + ", got " + std::to_string(values.size()));
  }
  absl::StatusOr<Tensor> t = Make(kDTypeOf<T>, shape);
  if (t.ok()) std::copy(values.begin(), values.end(), t->mutable_data<T>());
  return t;
}

template <typename T>
Tensor Tensor::Vector(absl::Span<const T> values) {
  return *FromValues<T>(Shape::Of({static_cast<int64_t>(values.size())}), values);
}

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TENSOR_TENSOR_H_
