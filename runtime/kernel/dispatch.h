// Choosing the instance of a kernel template by dtype.
#ifndef FLOWLATCH_RUNTIME_KERNEL_DISPATCH_H_
#define FLOWLATCH_RUNTIME_KERNEL_DISPATCH_H_

#include "absl/strings/str_cat.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Calls visit.template operator()<T>() with the C++ type of `dtype` if `kTypes` has it, and returns what it returns;
// `otherwise` for other dtypes.
//
//   KernelFn fn = DispatchDType<kRealTypes>(dtype, KernelFn{}, []<typename T>() { return &RunKernel<Relu<T>>; });
template <DTypeSet kTypes, typename R, typename Visit>
R DispatchDType(DType dtype, R otherwise, Visit&& visit) {
  switch (dtype) {
#define FLOWLATCH_X(enumerator, number, name, type)                                       \
  case DType::enumerator:                                                                 \
    if constexpr (kTypes.contains(DType::enumerator)) return visit.template operator()<type>(); \
    break;
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return otherwise;
}

inline absl::Status NoKernelFor(const NodeInfo& node, DType dtype) {
  return absl::UnimplementedError(
      absl::StrCat("kernel of ", node.schema().name(), ": expected another dtype, got ", std::string(DTypeName(dtype))));
}

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_KERNEL_DISPATCH_H_
