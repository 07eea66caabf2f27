#include "graph/tensor/tensor.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"

namespace flowlatch {

struct Tensor::BigDims {
  std::atomic<int64_t> refs{1};
  int64_t dims[kMaxRank];
};

const int64_t* Tensor::BigDimsData() const { return big_dims_->dims; }

void Tensor::SetDims(absl::Span<const int64_t> dims, int64_t num_elements) {
  rank_ = static_cast<uint8_t>(dims.size());
  num_elements_ = num_elements;
  if (dims.size() <= kInlineRank) {
    std::copy(dims.begin(), dims.end(), dims_);
  } else {
    big_dims_ = new BigDims;
    std::copy(dims.begin(), dims.end(), big_dims_->dims);
    owns_ = 1;
  }
}

void Tensor::Share(const Tensor& o) {
  if (kind_ == Kind::kRef) {
    object_->Ref();
    return;
  }
  if (rank_ > kInlineRank) big_dims_->refs.fetch_add(1, std::memory_order_relaxed);
  if (buffer_ != nullptr) {
    buffer_->Ref();
  } else if (rank_ == 0) {
    switch (dtype_) {
      case DType::kString:
        new (inline_) String(*reinterpret_cast<const String*>(o.inline_));
        break;
      case DType::kResource:
        new (inline_) ResourceHandle(*reinterpret_cast<const ResourceHandle*>(o.inline_));
        break;
      case DType::kVariant:
        new (inline_) Variant(*reinterpret_cast<const Variant*>(o.inline_));
        break;
      default:
        break;
    }
  }
}

void Tensor::Release() {
  if (kind_ == Kind::kRef) {
    object_->Unref();
    return;
  }
  if (rank_ > kInlineRank && big_dims_->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) delete big_dims_;
  if (buffer_ != nullptr) {
    buffer_->Unref();
  } else if (rank_ == 0) {
    switch (dtype_) {
      case DType::kString:
        reinterpret_cast<String*>(inline_)->~String();
        break;
      case DType::kResource:
        reinterpret_cast<ResourceHandle*>(inline_)->~ResourceHandle();
        break;
      case DType::kVariant:
        reinterpret_cast<Variant*>(inline_)->~Variant();
        break;
      default:
        break;
    }
  }
}

absl::StatusOr<Tensor> Tensor::Make(DType dtype, const Shape& shape, Allocator* allocator) {
  const int64_t element_size = static_cast<int64_t>(DTypeSize(dtype));
  if (element_size == 0) return absl::InvalidArgumentError("tensor: expected a dtype, got an invalid one");
  Tensor t;
  t.kind_ = Kind::kValue;
  t.dtype_ = dtype;
  t.SetDims(shape.dims(), shape.num_elements());
  if (shape.rank() == 0) {
    std::memset(t.inline_, 0, kInlineBytes);  // a valid empty String, handle or variant too
    t.owns_ = IsObjectDType(dtype);
    return t;
  }
  if (shape.num_elements() == 0) return t;
  const std::optional<int64_t> size_bytes = CheckedMul(shape.num_elements(), element_size);
  if (!size_bytes.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor of shape ", shape.ToString(), ": expected a byte size that fits int64"));
  }
  t.buffer_ = Buffer::Allocate(dtype, shape.num_elements(), allocator != nullptr ? allocator : &PoolAllocator::Get());
  if (t.buffer_ == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("memory for a ", std::string(DTypeName(dtype)), " tensor of shape ",
                                                     shape.ToString(), ": expected ", *size_bytes, " bytes, got none"));
  }
  t.owns_ = 1;
  t.data_ = t.buffer_->data();
  return t;
}

absl::StatusOr<Tensor> Tensor::Make(DType dtype, absl::Span<const int64_t> dims, Allocator* allocator) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  return Make(dtype, shape, allocator);
}

absl::StatusOr<Tensor> Tensor::Zeros(DType dtype, const Shape& shape, Allocator* allocator) {
  ASSIGN_OR_RETURN(Tensor t, Make(dtype, shape, allocator));
  if (!IsObjectDType(dtype) && t.num_elements() > 0) std::memset(t.raw_mutable_data(), 0, t.size_bytes());
  return t;
}

absl::StatusOr<Tensor> Tensor::Borrow(DType dtype, const Shape& shape, void* data, std::function<void()> release) {
  const int64_t element_size = static_cast<int64_t>(DTypeSize(dtype));
  if (element_size == 0 || IsObjectDType(dtype)) {
    return absl::InvalidArgumentError(absl::StrCat("borrowed memory: expected a dtype of plain elements, got ",
                                                   std::string(DTypeName(dtype))));
  }
  const std::optional<int64_t> size_bytes = CheckedMul(shape.num_elements(), element_size);
  if (!size_bytes.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("borrowed memory of shape ", shape.ToString(), ": expected a byte size that fits int64"));
  }
  if (shape.num_elements() == 0) {
    absl::StatusOr<Tensor> empty = Make(dtype, shape);
    if (release) release();
    return empty;
  }
  Tensor t;
  t.kind_ = Kind::kValue;
  t.dtype_ = dtype;
  t.SetDims(shape.dims(), shape.num_elements());
  t.buffer_ = Buffer::Borrow(data, *size_bytes, std::move(release));
  t.owns_ = 1;
  t.data_ = data;
  return t;
}

absl::StatusOr<Tensor> Tensor::Reshaped(const Shape& shape) const {
  if (shape.num_elements() != num_elements_) {
    return absl::InvalidArgumentError(absl::StrCat("reshape of ", ShapeString(), ": expected ", num_elements_,
                                                   " elements, got shape ", shape.ToString(), " with ",
                                                   shape.num_elements()));
  }
  return BitcastTo(dtype_, shape);
}

Tensor Tensor::BitcastTo(DType dtype, const Shape& shape) const {
  Tensor t;
  t.kind_ = Kind::kValue;
  t.dtype_ = dtype;
  t.SetDims(shape.dims(), shape.num_elements());
  if (t.num_elements_ == 0) return t;
  if (buffer_ != nullptr) {
    buffer_->Ref();
    t.buffer_ = buffer_;
    t.data_ = data_;
    t.owns_ = 1;
    return t;
  }
  // This is an inline scalar.
  if (t.rank_ == 0) {
    std::memcpy(t.inline_, inline_, kInlineBytes);
    if (IsObjectDType(dtype)) {
      t.owns_ = 1;
      t.Share(*this);
    }
    return t;
  }
  t.buffer_ = Buffer::Allocate(dtype, t.num_elements_, &PoolAllocator::Get());
  if (t.buffer_ == nullptr) std::abort();  // a handful of bytes
  t.owns_ = 1;
  t.data_ = t.buffer_->data();
  switch (dtype) {
    case DType::kString:
      *static_cast<String*>(t.data_) = *reinterpret_cast<const String*>(inline_);
      break;
    case DType::kResource:
      *static_cast<ResourceHandle*>(t.data_) = *reinterpret_cast<const ResourceHandle*>(inline_);
      break;
    case DType::kVariant:
      *static_cast<Variant*>(t.data_) = *reinterpret_cast<const Variant*>(inline_);
      break;
    default:
      std::memcpy(t.data_, inline_, t.size_bytes());
  }
  return t;
}

Tensor Tensor::Rows(int64_t begin, int64_t count) const {
  Dims rows(dims().begin(), dims().end());
  const int64_t row_elements = rows[0] == 0 ? 0 : num_elements_ / rows[0];
  rows[0] = count;
  Tensor t = BitcastTo(dtype_, Shape::FromValid(rows));
  if (t.buffer_ != nullptr) t.data_ = static_cast<char*>(data_) + begin * row_elements * DTypeSize(dtype_);
  return t;
}

absl::StatusOr<Tensor> Tensor::Clone(Allocator* allocator) const {
  ASSIGN_OR_RETURN(Tensor t, Make(dtype_, shape(), allocator));
  if (num_elements_ == 0) return t;
  switch (dtype_) {
    case DType::kString:
      std::copy_n(data<String>(), num_elements_, t.mutable_data<String>());
      break;
    case DType::kResource:
      std::copy_n(data<ResourceHandle>(), num_elements_, t.mutable_data<ResourceHandle>());
      break;
    case DType::kVariant:
      std::copy_n(data<Variant>(), num_elements_, t.mutable_data<Variant>());
      break;
    default:
      std::memcpy(t.raw_mutable_data(), raw_data(), size_bytes());
  }
  return t;
}

Tensor Tensor::MakeRef(RefPtr<RefCounted> target, DType dtype) {
  Tensor t;
  t.kind_ = Kind::kRef;
  t.dtype_ = dtype;
  t.owns_ = 1;
  t.object_ = target.release();
  return t;
}

namespace {

template <typename T>
std::string ElementText(const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_same_v<T, String>) {
    return absl::StrCat("'", absl::CHexEscape(absl::string_view(x.data(), std::min<size_t>(x.size(), 80))), "'");
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    return x ? absl::StrCat("<", x->type_name, " ", x->name, ">") : "<no resource>";
  } else if constexpr (std::is_same_v<T, Variant>) {
    return x ? absl::StrCat("<", x.get()->DebugString(), ">") : "<empty variant>";
  } else if constexpr (IsQuantized(kDTypeOf<T>)) {
    return absl::StrCat(static_cast<int64_t>(x.value));
  } else if constexpr (IsComplex(kDTypeOf<T>)) {
    return absl::StrCat(x.real(), x.imag() < 0 ? "" : "+", x.imag(), "j");
  } else if constexpr (IsFloating(kDTypeOf<T>)) {
    return absl::StrCat(std::is_same_v<T, double> ? static_cast<double>(x) : static_cast<double>(static_cast<float>(x)));
  } else if constexpr (std::is_convertible_v<T, int64_t> && !std::is_same_v<T, uint64_t>) {
    return absl::StrCat(static_cast<int64_t>(x));
  } else {
    return absl::StrCat(x);
  }
}

std::string ElementAt(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    return ElementText(t.data<type>()[i]);
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return "?";
}

}  // namespace

std::string Tensor::DebugString(int64_t max_elements) const {
  if (!has_value()) return is_dead() ? "dead" : kind_ == Kind::kRef ? "reference" : "none";
  std::string text = absl::StrCat(std::string(DTypeName(dtype_)), ShapeString(), " = ");
  if (num_elements_ == 0) return text + "[]";
  const int64_t shown = std::min(num_elements_, std::max<int64_t>(max_elements, 1));
  // Brackets open where an index of a dimension returns to 0, and close where it comes to its end.
  for (int64_t i = 0; i < shown; ++i) {
    int opened = 0;
    int64_t period = 1;
    for (int d = rank_ - 1; d >= 0; --d) {
      period *= dim(d);
      if (i % period == 0) ++opened;
    }
    if (i > 0) text += ' ';
    text.append(opened, '[');
    text += ElementAt(*this, i);
    period = 1;
    for (int d = rank_ - 1; d >= 0; --d) {
      period *= dim(d);
      if ((i + 1) % period == 0) text += ']';
    }
  }
  if (shown < num_elements_) text += " ...";
  return text;
}

}  // namespace flowlatch
