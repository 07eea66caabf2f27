#include "ops/kernels/tensor_map.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {

bool TensorLess::operator()(const Tensor& a, const Tensor& b) const {
  if (a.dtype() != b.dtype()) return a.dtype() < b.dtype();
  if (a.dims() != b.dims()) {
    return std::lexicographical_compare(a.dims().begin(), a.dims().end(), b.dims().begin(), b.dims().end());
  }
  if (a.dtype() == DType::kString) {
    const absl::Span<const String> x = a.values<String>(), y = b.values<String>();
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  }
  return a.num_elements() > 0 && std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()) < 0;
}

const Tensor* TensorMap::Find(const Tensor& key) const {
  const auto at = entries_.find(key);
  return at == entries_.end() ? nullptr : &at->second;
}

absl::Status TensorMap::Insert(Tensor key, Tensor value) {
  if (key.dtype() == DType::kResource || key.dtype() == DType::kVariant) {
    return absl::InvalidArgumentError(
        absl::StrCat("key of a map: expected values that can be compared, got ", std::string(DTypeName(key.dtype()))));
  }
  ASSIGN_OR_RETURN(const int depth, DepthWithPart(value));
  depth_ = std::max(depth_, depth);
  entries_.insert_or_assign(std::move(key), std::move(value));
  return absl::OkStatus();
}

RefPtr<TensorMap> TensorMap::Copy() const {
  RefPtr<TensorMap> copy = MakeRef<TensorMap>();
  copy->entries_ = entries_;
  copy->depth_ = depth_;
  return copy;
}

std::string TensorMap::DebugString() const { return absl::StrCat("TensorMap of ", size()); }

absl::StatusOr<RefPtr<VariantObject>> TensorMap::ZerosLike() const {
  RefPtr<TensorMap> zeros = MakeRef<TensorMap>();
  for (const auto& [key, value] : entries_) {
    ASSIGN_OR_RETURN(Tensor zero, ZerosLikeTensor(value));
    RETURN_IF_ERROR(zeros->Insert(key, std::move(zero)));
  }
  return RefPtr<VariantObject>(std::move(zeros));
}

absl::StatusOr<RefPtr<VariantObject>> TensorMap::Add(const VariantObject& other) const {
  const auto* map = dynamic_cast<const TensorMap*>(&other);
  if (map == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("sum of maps: expected a ", DebugString(), ", got a ", other.DebugString()));
  }
  RefPtr<TensorMap> sums = Copy();
  for (const auto& [key, value] : map->entries_) {
    const Tensor* mine = Find(key);
    Tensor sum = mine != nullptr ? *mine : value;
    if (mine != nullptr) RETURN_IF_ERROR(AddInto(sum, value));
    RETURN_IF_ERROR(sums->Insert(key, std::move(sum)));
  }
  return RefPtr<VariantObject>(std::move(sums));
}

absl::StatusOr<TensorMap*> MapInput(const KernelCall& c) {
  const Tensor& handle = c.input(0);
  if (!handle.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("map: expected a scalar, got shape ", handle.ShapeString()));
  }
  const Variant& variant = handle.scalar<Variant>();
  TensorMap* map = variant.As<TensorMap>();
  if (map != nullptr) return map;
  return absl::InvalidArgumentError(
      absl::StrCat("map: expected a tensor map, got ", variant ? variant.get()->TypeName() : "none"));
}

absl::StatusOr<TensorMap*> ForwardMap(KernelCall& c) {
  ASSIGN_OR_RETURN(TensorMap * map, MapInput(c));
  Tensor handle = c.TakeInput(0);
  if (handle.is_sole_owner() && map->unique()) {
    c.SetOutput(0, std::move(handle));
    return map;
  }
  RefPtr<TensorMap> copy = map->Copy();
  map = copy.get();
  SetMapOutput(c, std::move(copy));
  return map;
}

void SetMapOutput(KernelCall& c, RefPtr<TensorMap> map) {
  c.SetOutput(0, Tensor::Scalar(Variant(RefPtr<VariantObject>(std::move(map)))));
}

}  // namespace flowlatch
