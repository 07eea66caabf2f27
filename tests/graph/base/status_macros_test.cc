#include "graph/base/status_macros.h"

#include <memory>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

absl::StatusOr<std::unique_ptr<int>> Half(int x) {
  if (x % 2 != 0) return absl::InvalidArgumentError("odd");
  return std::make_unique<int>(x / 2);
}
absl::Status Quarter(int x, int* quarter) {
  ASSIGN_OR_RETURN(const std::unique_ptr<int> half, Half(x));
  std::unique_ptr<int> result;
  ASSIGN_OR_RETURN(result, Half(*half));
  *quarter = *result;
  return absl::OkStatus();
}
absl::StatusOr<int> Eighth(int x) {
  int quarter = 0;
  RETURN_IF_ERROR(Quarter(x, &quarter));
  ASSIGN_OR_RETURN(const std::unique_ptr<int> result, Half(quarter));
  return *result;
}

TEST(StatusMacrosTest, ValuesPassAndErrorsReturn) {
  EXPECT_EQ(Eighth(24).value(), 3);
  for (const int x : {1, 2, 4}) EXPECT_EQ(Eighth(x).status(), absl::InvalidArgumentError("odd")) << x;
}

}  // namespace
}  // namespace flowlatch
