#include "ops/file_ops.h"

#include <string>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class FileOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterFileOps(library_).ok()); }
  OpTester Op(const char* name) { return OpTester(library_, name, {}).Once().AllowFiles(); }

  OpLibrary library_;
  const std::string folder_ = testing::TempDir() + "/file_ops_test";
};

TEST_F(FileOpsTest, WhatIsWrittenIsReadAndFound) {
  const std::string bytes("a\0b\xff", 4), path = folder_ + "/deep/er/a.txt";
  OpTester write = Op("WriteFile"), read = Op("ReadFile"), match = Op("MatchingFiles");
  ASSERT_TRUE(write.Run({Tensor::Scalar(path), Tensor::Scalar("old and longer")}).ok());
  ASSERT_TRUE(write.Run({Tensor::Scalar(path), Tensor::Scalar(bytes)}).ok());
  ASSERT_TRUE(write.Run({Tensor::Scalar(folder_ + "/deep/b.txt"), Tensor::Scalar("")}).ok());
  ExpectOutput(read, {Tensor::Scalar(path)}, Tensor::Scalar(bytes));
  ExpectOutput(read, {Tensor::Scalar(folder_ + "/deep/b.txt")}, Tensor::Scalar(""));
  ExpectOutput(match, {Tensor::Scalar(folder_ + "/deep/*.txt")}, Strings({1}, {folder_ + "/deep/b.txt"}));
  ExpectOutput(match, {Strings({3}, {folder_ + "/deep/?.txt", folder_ + "/*/er/a.*", folder_ + "/deep/b*"})},
               Strings({2}, {folder_ + "/deep/b.txt", path}));
  ExpectOutput(match, {Tensor::Scalar(folder_ + "/nothing/*")}, Strings({0}, {}));
  ExpectOutput(match, {Strings({0}, {})}, Strings({0}, {}));
}

TEST_F(FileOpsTest, Errors) {
  OpTester read = Op("ReadFile"), write = Op("WriteFile"), match = Op("MatchingFiles");
  const auto code = [](OpTester& op, const std::vector<Tensor>& inputs) { return op.Run(inputs).status().code(); };
  EXPECT_EQ(code(read, {Tensor::Scalar(folder_ + "/none")}), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(read, {Tensor::Scalar("")}), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(read, {Tensor::Scalar(std::string("a\0b", 3))}), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(write, {Tensor::Scalar("/proc/none/x"), Tensor::Scalar("")}), absl::StatusCode::kNotFound);
  ExpectInvalid(read, {Strings({1}, {"a"})}, "filename: expected a scalar, got shape [1]");
  ExpectInvalid(write, {Tensor::Scalar("a"), Strings({1}, {"a"})}, "contents: expected a scalar, got shape [1]");
  ExpectInvalid(match, {Strings({1, 1}, {"a"})}, "pattern: expected a scalar or a vector, got shape [1,1]");
  for (const char* name : {"ReadFile", "MatchingFiles"}) {
    OpTester forbidden(library_, name, {});
    const absl::Status status = forbidden.Run({Tensor::Scalar("a")}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << name;
  }
}

}  // namespace
}  // namespace flowlatch
