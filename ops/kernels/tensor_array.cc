#include "ops/kernels/tensor_array.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/numeric_variant.h"

namespace flowlatch {

absl::Status TensorArray::Element::SetShapeOnly(DType dtype, absl::Span<const int64_t> dims) {
  Dims with_zero = {0};
  with_zero.insert(with_zero.end(), dims.begin(), dims.end());
  ASSIGN_OR_RETURN(value, Tensor::Make(dtype, with_zero));
  shape_only = true;
  return absl::OkStatus();
}

absl::StatusOr<RefPtr<TensorArray>> TensorArray::Make(Options options, int64_t size) {
  if (size < 0) return absl::InvalidArgumentError(absl::StrCat("size: expected no negative number, got ", size));
  RefPtr<TensorArray> array = MakeRef<TensorArray>(std::move(options), false);
  RETURN_IF_ERROR(array->elements_.Resize(size));
  return array;
}

absl::Status TensorArray::CheckOpen() const {
  if (!closed_) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("tensor array '", name(), "': expected an open one, got a closed one"));
}

absl::Status TensorArray::Fail(int64_t index, const std::string& text) const {
  return absl::InvalidArgumentError(absl::StrCat("element ", index, " of tensor array '", name(), "': ", text));
}

absl::Status TensorArray::CheckIndex(int64_t index) const {
  if (index >= 0 && index < elements_.size()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("index into tensor array '", name(), "': expected a value in [0,",
                                                 elements_.size(), "), got ", index));
}

bool TensorArray::dynamic_size() {
  std::lock_guard<std::mutex> lock(mu_);
  return options_.dynamic_size;
}

absl::StatusOr<int64_t> TensorArray::Size() {
  std::lock_guard<std::mutex> lock(mu_);
  RETURN_IF_ERROR(CheckOpen());
  return elements_.size();
}

absl::StatusOr<int64_t> TensorArray::ConcatSize() {
  std::lock_guard<std::mutex> lock(mu_);
  RETURN_IF_ERROR(CheckOpen());
  return is_gradient_ && split_size_ >= 0 ? split_size_ : elements_.size();
}

void TensorArray::SetSplitSize(int64_t size) {
  std::lock_guard<std::mutex> lock(mu_);
  if (!is_gradient_) split_size_ = size;
}

absl::Status TensorArray::CheckValue(int64_t index, const Tensor& value) const {
  if (value.dtype() != dtype()) {
    return Fail(index, absl::StrCat("expected ", std::string(DTypeName(dtype())), ", got ",
                                    std::string(DTypeName(value.dtype()))));
  }
  if (!options_.element_shape.CompatibleWith(value.shape())) {
    return Fail(index,
                absl::StrCat("expected shape ", options_.element_shape.ToString(), ", got ", value.ShapeString()));
  }
  return absl::OkStatus();
}

absl::Status TensorArray::AddTo(int64_t index, Element& element, Tensor value) {
  if (element.dims() != value.dims()) {
    return Fail(index, absl::StrCat("expected the shape of what it is added to, ", DimsToString(element.dims()),
                                    ", got ", value.ShapeString()));
  }
  if (element.shape_only) {  // the first value is all there is
    element.value = std::move(value);
    element.shape_only = false;
    return absl::OkStatus();
  }
  has_sums_ = true;
  return AddInto(element.value, value);
}

absl::Status TensorArray::Write(int64_t index, Tensor value) {
  std::lock_guard<std::mutex> lock(mu_);
  RETURN_IF_ERROR(CheckOpen());
  const bool grows = options_.dynamic_size && index >= elements_.size();
  if (!grows) RETURN_IF_ERROR(CheckIndex(index));
  RETURN_IF_ERROR(CheckValue(index, value));
  if (grows) RETURN_IF_ERROR(elements_.Resize(index + 1));
  Element& element = elements_.At(index);
  if (element.read) return Fail(index, "expected to be written before it is read, got a write after a read");
  if (element.written && !is_gradient_) return Fail(index, "expected to be written once, got a second write");
  if (options_.one_element_shape && !options_.element_shape.fully_defined()) options_.element_shape = value.shape();
  if (element.written) return AddTo(index, element, std::move(value));
  element.value = std::move(value);
  element.written = true;
  return absl::OkStatus();
}

absl::StatusOr<Tensor> TensorArray::Read(int64_t index) {
  std::lock_guard<std::mutex> lock(mu_);
  RETURN_IF_ERROR(CheckOpen());
  RETURN_IF_ERROR(CheckIndex(index));
  Element& element = elements_.At(index);
  if (element.cleared) return Fail(index, "expected to be read once, got a second read; see attr clear_after_read");
  if (!element.written) {
    const std::optional<Shape> shape = options_.element_shape.ToShape();
    if (!shape.has_value()) {
      return Fail(index, absl::StrCat("expected to be written before it is read, or a complete element_shape, got ",
                                      options_.element_shape.ToString()));
    }
    RETURN_IF_ERROR(element.SetShapeOnly(dtype(), shape->dims()));
    element.written = true;
  }
  element.read = true;
  Tensor value = element.value;
  if (element.shape_only) {
    ASSIGN_OR_RETURN(value, Tensor::Zeros(dtype(), Shape::FromValid(element.dims())));
  }
  if (options_.clear_after_read) {
    element.cleared = true;
    if (!element.shape_only) RETURN_IF_ERROR(element.SetShapeOnly(dtype(), value.dims()));
  }
  return value;
}

absl::Status TensorArray::MergeElementShape(const PartialShape& shape) {
  std::lock_guard<std::mutex> lock(mu_);
  RETURN_IF_ERROR(CheckOpen());
  absl::StatusOr<PartialShape> merged = options_.element_shape.MergeWith(shape);
  if (!merged.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("element_shape: expected one like that of tensor array '", name(),
                                                   "', ", options_.element_shape.ToString(), ", got ",
                                                   shape.ToString()));
  }
  options_.element_shape = *std::move(merged);
  return absl::OkStatus();
}

absl::StatusOr<RefPtr<TensorArray>> TensorArray::Gradient(std::string_view source, const Dims& prepended) {
  std::lock_guard<std::mutex> lock(mu_);
  RETURN_IF_ERROR(CheckOpen());
  options_.dynamic_size = false;
  const auto found = gradients_.find(source);
  if (found != gradients_.end()) return found->second;
  if (has_sums_) {
    return absl::InvalidArgumentError(
        absl::StrCat("gradient of tensor array '", name(), "': expected elements that were written once, got sums"));
  }
  const auto with_prefix = [&](absl::Span<const int64_t> dims) {
    Dims all = prepended;
    all.insert(all.end(), dims.begin(), dims.end());
    return all;
  };
  Options options{.name = absl::StrCat(name(), "@", absl::string_view(source.data(), source.size())),
                  .dtype = dtype(),
                  .one_element_shape = options_.one_element_shape};
  if (options_.element_shape.has_rank()) {
    ASSIGN_OR_RETURN(options.element_shape, PartialShape::Make(with_prefix(options_.element_shape.dims())));
  }
  RefPtr<TensorArray> gradient = MakeRef<TensorArray>(std::move(options), true);
  gradient->split_size_ = split_size_;
  RETURN_IF_ERROR(gradient->elements_.Resize(elements_.size()));
  for (int64_t i = 0; i < elements_.used(); ++i) {
    if (!elements_[i].written) continue;
    Element& element = gradient->elements_.At(i);
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(with_prefix(elements_[i].dims())));
    RETURN_IF_ERROR(element.SetShapeOnly(dtype(), shape.dims()));
    element.written = true;
  }
  gradients_.emplace(source, gradient);
  return gradient;
}

void TensorArray::Close() {
  std::lock_guard<std::mutex> lock(mu_);
  closed_ = true;
  elements_ = ItemArray<Element>();
}

}  // namespace flowlatch
