// Quantised tensors from plain integers.
#ifndef FLOWLATCH_TESTS_OPS_QUANTIZED_TENSORS_H_
#define FLOWLATCH_TESTS_OPS_QUANTIZED_TENSORS_H_

#include <initializer_list>
#include <vector>

#include "tests/ops/tensors.h"

namespace flowlatch {

template <typename Q>
Tensor Quantized(std::initializer_list<int64_t> dims, std::initializer_list<int64_t> values) {
  std::vector<Q> stored;
  for (const int64_t v : values) stored.push_back(Q{static_cast<decltype(Q::value)>(v)});
  const absl::StatusOr<Tensor> t = Tensor::FromValues<Q>(Shape::Of(dims), stored);
  EXPECT_TRUE(t.ok()) << t.status();
  return t.ok() ? *t : Tensor();
}
inline Tensor Bytes(std::initializer_list<int64_t> dims, std::initializer_list<int64_t> values) {
  return Quantized<QUInt8>(dims, values);
}
inline Tensor SignedBytes(std::initializer_list<int64_t> dims, std::initializer_list<int64_t> values) {
  return Quantized<QInt8>(dims, values);
}
inline Tensor Words(std::initializer_list<int64_t> dims, std::initializer_list<int64_t> values) {
  return Quantized<QInt32>(dims, values);
}
inline Tensor End(float value) { return Tensor::Scalar(value); }

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_QUANTIZED_TENSORS_H_
