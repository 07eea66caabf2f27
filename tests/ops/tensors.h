// Short ways to write tensors and expectations in the tests of op families.
#ifndef FLOWLATCH_TESTS_OPS_TENSORS_H_
#define FLOWLATCH_TESTS_OPS_TENSORS_H_

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "graph/tensor/tensor.h"
#include "tests/testing/op_tester.h"

namespace flowlatch {

// Values of element type T, written as anything that converts to T: Of<Half>({2}, {1.5, 2}).
template <typename T, typename V = T>
Tensor Of(std::initializer_list<int64_t> dims, std::initializer_list<std::type_identity_t<V>> values) {
  std::vector<T> converted;
  for (const V& v : values) converted.push_back(static_cast<T>(v));
  absl::StatusOr<Tensor> t = Tensor::FromValues<T>(Shape::Of(dims), converted);
  EXPECT_TRUE(t.ok()) << t.status();
  return t.ok() ? *t : Tensor();
}
inline Tensor Floats(std::initializer_list<int64_t> dims, std::initializer_list<float> values) {
  return Of<float>(dims, values);
}
inline Tensor Ints(std::initializer_list<int64_t> dims, std::initializer_list<int32_t> values) {
  return Of<int32_t>(dims, values);
}
inline Tensor Longs(std::initializer_list<int64_t> dims, std::initializer_list<int64_t> values) {
  return Of<int64_t>(dims, values);
}
inline Tensor Strings(std::initializer_list<int64_t> dims, std::initializer_list<const char*> values) {
  return Of<String, const char*>(dims, values);
}
// std::vector<bool> has no spans, hence not by Of.
inline Tensor Bools(std::initializer_list<int64_t> dims, std::initializer_list<bool> values) {
  absl::StatusOr<Tensor> t = Tensor::FromValues<bool>(Shape::Of(dims), absl::Span<const bool>(values.begin(), values.size()));
  EXPECT_TRUE(t.ok()) << t.status();
  return t.ok() ? *t : Tensor();
}

// Runs the op and compares its first outputs with `want`.
inline void ExpectOutputs(OpTester& tester, const std::vector<Tensor>& inputs, const std::vector<Tensor>& want,
                          double tolerance = 0) {
  const absl::StatusOr<std::vector<Tensor>> got = tester.Run(inputs);
  ASSERT_TRUE(got.ok()) << got.status();
  ASSERT_GE(got->size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(Difference((*got)[i], want[i], tolerance), "") << "output " << i;
  }
}
inline void ExpectOutput(OpTester& tester, const std::vector<Tensor>& inputs, const Tensor& want, double tolerance = 0) {
  ExpectOutputs(tester, inputs, {want}, tolerance);
}

inline void ExpectInvalid(const absl::Status& status, const std::string& text) {
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr(text));
}
// Running the op fails with InvalidArgument and `text` in the message.
inline void ExpectInvalid(OpTester& tester, const std::vector<Tensor>& inputs, const std::string& text) {
  ExpectInvalid(tester.Run(inputs).status(), text);
}

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_TENSORS_H_
