#include "ops/kernels/numeric_variant.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// Element i of a tensor of variants. Errors: InvalidArgument when it has no `what` ("zeros", "sums").
absl::StatusOr<const NumericVariant*> NumericAt(const Tensor& t, int64_t i, const char* what) {
  const Variant& element = t.data<Variant>()[i];
  const NumericVariant* value = element.As<NumericVariant>();
  if (value == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("variant", ElementName(i, t.dims()), ": expected a value that has ",
                                                   what, ", got ", element ? element.get()->TypeName() : "none"));
  }
  return value;
}

absl::StatusOr<Tensor> ZeroVariantsLike(const Tensor& t) {
  ASSIGN_OR_RETURN(Tensor zeros, Tensor::Make(DType::kVariant, t.shape()));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    ASSIGN_OR_RETURN(const NumericVariant* value, NumericAt(t, i, "zeros"));
    ASSIGN_OR_RETURN(RefPtr<VariantObject> zero, value->ZerosLike());
    zeros.mutable_data<Variant>()[i] = Variant(std::move(zero));
  }
  return zeros;
}

absl::StatusOr<Tensor> AddVariants(const Tensor& a, const Tensor& b) {
  ASSIGN_OR_RETURN(Tensor sums, Tensor::Make(DType::kVariant, a.shape()));
  for (int64_t i = 0; i < a.num_elements(); ++i) {
    ASSIGN_OR_RETURN(const NumericVariant* x, NumericAt(a, i, "sums"));
    ASSIGN_OR_RETURN(const NumericVariant* y, NumericAt(b, i, "sums"));
    ASSIGN_OR_RETURN(RefPtr<VariantObject> sum, x->Add(*y));
    sums.mutable_data<Variant>()[i] = Variant(std::move(sum));
  }
  return sums;
}

template <typename T>
void AddElements(const Tensor& a, const Tensor& b, Tensor& sum) {
  using Wide = combine::Wide<T>;
  const T* x = a.data<T>();
  const T* y = b.data<T>();
  T* z = sum.mutable_data<T>();
  for (int64_t i = 0; i < sum.num_elements(); ++i) {
    z[i] = static_cast<T>(combine::Sum::Apply<Wide>(static_cast<Wide>(x[i]), static_cast<Wide>(y[i])));
  }
}

}  // namespace

absl::StatusOr<int> DepthWithPart(const Tensor& part) {
  int depth = 0;
  if (part.has_value() && part.dtype() == DType::kVariant) {
    for (const Variant& element : part.values<Variant>()) {
      if (const NumericVariant* value = element.As<NumericVariant>()) depth = std::max(depth, value->depth());
    }
  }
  if (depth >= kMaxVariantDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("variant: expected at most ", kMaxVariantDepth, " values inside each other, got more"));
  }
  return depth + 1;
}

absl::StatusOr<Tensor> ZerosLikeTensor(const Tensor& t) {
  if (t.dtype() == DType::kVariant) return ZeroVariantsLike(t);
  if (t.dtype() == DType::kResource) return absl::InvalidArgumentError("zeros: expected numbers, got resources");
  return Tensor::Zeros(t.dtype(), t.shape());
}

absl::StatusOr<Tensor> AddTensors(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("sum: expected ", std::string(DTypeName(a.dtype())), a.ShapeString(),
                                                   ", got ", std::string(DTypeName(b.dtype())), b.ShapeString()));
  }
  if (a.dtype() == DType::kVariant) return AddVariants(a, b);
  ASSIGN_OR_RETURN(Tensor sum, Tensor::Make(a.dtype(), a.shape()));
  const bool added = DispatchDType<kNumberTypes>(a.dtype(), false, [&]<typename T>() {
    AddElements<T>(a, b, sum);
    return true;
  });
  if (!added) {
    return absl::InvalidArgumentError(absl::StrCat("sum: expected numbers, got ", std::string(DTypeName(a.dtype()))));
  }
  return sum;
}

}  // namespace flowlatch
