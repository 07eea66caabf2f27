// Tensors of any numeric dtype from plain numbers, and tables of cases that run over many dtypes.
#ifndef FLOWLATCH_TESTS_OPS_NUMBERS_H_
#define FLOWLATCH_TESTS_OPS_NUMBERS_H_

#include <string>
#include <vector>

#include "runtime/kernel/dispatch.h"
#include "tests/ops/tensors.h"

namespace flowlatch {

inline constexpr DTypeSet kBoolType{DType::kBool};
inline constexpr DTypeSet kSignedIntTypes{DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};

// A tensor of `dtype`, a number dtype or bool, whose elements are `values` converted; integers keep
// the low bits.
inline Tensor Numbers(DType dtype, const std::vector<int64_t>& dims, const std::vector<double>& values) {
  absl::StatusOr<Tensor> t = Tensor::Make(dtype, dims);
  EXPECT_TRUE(t.ok() && t->num_elements() == static_cast<int64_t>(values.size())) << "bad table";
  DispatchDType<kNumberTypes | kBoolType>(dtype, 0, [&]<typename T>() {
    for (size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        t->mutable_data<T>()[i] = values[i] < 0x1p63 ? static_cast<T>(static_cast<int64_t>(values[i]))
                                                     : static_cast<T>(static_cast<uint64_t>(values[i]));
      } else {
        t->mutable_data<T>()[i] = T(values[i]);
      }
    }
    return 0;
  });
  return *t;
}

// The dtypes in `set`, by number.
inline std::vector<DType> DTypesIn(DTypeSet set) {
  std::vector<DType> all;
  for (int i = 1; i < kNumDTypes; ++i) {
    if (set.contains(static_cast<DType>(i))) all.push_back(static_cast<DType>(i));
  }
  return all;
}

// What an elementwise op makes of vectors, in each of `dtypes`.
struct ElementwiseCase {
  const char* op;
  DTypeSet dtypes;
  std::vector<std::vector<double>> inputs;
  std::vector<double> want;
  double tolerance = 0;
};

// Runs a case as vectors and, element by element, as scalars. `attrs` makes the attributes for a dtype.
template <typename AttrsOf>
void RunElementwiseCase(const OpLibrary& library, const ElementwiseCase& c, DType out_dtype_or_same,
                        const AttrsOf& attrs) {
  const int64_t n = static_cast<int64_t>(c.want.size());
  for (const DType dtype : DTypesIn(c.dtypes)) {
    const DType out = out_dtype_or_same == DType::kInvalid ? dtype : out_dtype_or_same;
    SCOPED_TRACE(std::string(c.op) + " of " + std::string(DTypeName(dtype)));
    OpTester tester(library, c.op, attrs(dtype));
    std::vector<Tensor> vectors;
    for (const std::vector<double>& values : c.inputs) vectors.push_back(Numbers(dtype, {n}, values));
    ExpectOutput(tester, vectors, Numbers(out, {n}, c.want), c.tolerance);
    for (int64_t i = 0; i < n; ++i) {
      std::vector<Tensor> scalars;
      for (const std::vector<double>& values : c.inputs) scalars.push_back(Numbers(dtype, {}, {values[i]}));
      ExpectOutput(tester, scalars, Numbers(out, {}, {c.want[i]}), c.tolerance);
    }
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_NUMBERS_H_
