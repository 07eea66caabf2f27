#include "graph/build/literal.h"

#include <gtest/gtest.h>

namespace flowlatch {
namespace {

struct Row {
  Tensor from;
  DType to;
  const char* want;  // "" for an error
};

TEST(CastLiteral, ChangesWhatTheDtypeHolds) {
  const Row rows[] = {
      {Tensor::Scalar<int32_t>(3), DType::kFloat32, "float32[] = 3"},
      {Tensor::Scalar<int32_t>(3), DType::kFloat16, "float16[] = 3"},
      {Tensor::Scalar<int32_t>(-3), DType::kInt8, "int8[] = -3"},
      {Tensor::Scalar<int32_t>(-3), DType::kUInt8, ""},
      {Tensor::Scalar<int32_t>(300), DType::kUInt8, ""},
      {Tensor::Scalar<double>(2.0), DType::kInt64, "int64[] = 2"},
      {Tensor::Scalar<double>(2.5), DType::kInt64, ""},
      {Tensor::Scalar<double>(1e30), DType::kInt32, ""},
      {Tensor::Scalar<double>(0.5), DType::kComplex64, "complex64[] = 0.5+0j"},
      {Tensor::Scalar<bool>(true), DType::kInt32, ""},
      {Tensor::Scalar<int32_t>(1), DType::kBool, ""},
      {Tensor::Scalar<int32_t>(1), DType::kString, ""},
      {Tensor::Vector<int32_t>({1, 2}), DType::kFloat64, "float64[2] = [1 2]"},
  };
  for (const Row& row : rows) {
    const absl::StatusOr<Tensor> got = CastLiteral(row.from, row.to);
    const std::string what = row.from.DebugString() + " to " + std::string(DTypeName(row.to));
    EXPECT_EQ(got.ok() ? got->DebugString() : "", row.want) << what;
    if (!got.ok()) {
      EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument) << what;
    }
  }
}

}  // namespace
}  // namespace flowlatch
