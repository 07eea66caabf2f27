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

absl::Status AddVariants(Tensor& sum, const Tensor& addend) {
  ASSIGN_OR_RETURN(Tensor sums, Tensor::Make(DType::kVariant, sum.shape()));
  for (int64_t i = 0; i < sum.num_elements(); ++i) {
    ASSIGN_OR_RETURN(const NumericVariant* x, NumericAt(sum, i, "sums"));
    ASSIGN_OR_RETURN(const NumericVariant* y, NumericAt(addend, i, "sums"));
    ASSIGN_OR_RETURN(RefPtr<VariantObject> both, x->Add(*y));
    sums.mutable_data<Variant>()[i] = Variant(std::move(both));
  }
  sum = std::move(sums);
  return absl::OkStatus();
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

absl::Status AddInto(Tensor& sum, const Tensor& addend) {
  if (sum.dtype() != addend.dtype() || sum.dims() != addend.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("sum: expected ", std::string(DTypeName(sum.dtype())),
                                                   sum.ShapeString(), ", got ", std::string(DTypeName(addend.dtype())),
                                                   addend.ShapeString()));
  }
  if (sum.dtype() == DType::kVariant) return AddVariants(sum, addend);
  if (!kNumberTypes.contains(sum.dtype())) {
    return absl::InvalidArgumentError(absl::StrCat("sum: expected numbers, got ", std::string(DTypeName(sum.dtype()))));
  }
  const bool in_place = sum.is_sole_owner();
  ASSIGN_OR_RETURN(Tensor result,
                   in_place ? absl::StatusOr<Tensor>(std::move(sum)) : Tensor::Make(sum.dtype(), sum.shape()));
  const Tensor& x = in_place ? result : sum;
  DispatchDType<kNumberTypes>(addend.dtype(), 0, [&]<typename T>() {
    AddElements<T>(x, addend, result);
    return 0;
  });
  sum = std::move(result);
  return absl::OkStatus();
}

}  // namespace flowlatch
