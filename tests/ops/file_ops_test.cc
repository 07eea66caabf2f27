#include "ops/file_ops.h"

#include <string>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class FileOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterFileOps(library_).ok()); }
  // An op that may touch files.
  struct Op : OpTester {
    Op(const OpLibrary& library, const char* name) : OpTester(library, name, {}) { Once().AllowFiles(); }
  };
  static Tensor Paths(const std::vector<std::string>& paths) {
    Tensor t = *Tensor::Make(DType::kString, Shape::Of({static_cast<int64_t>(paths.size())}));
    for (size_t i = 0; i < paths.size(); ++i) t.mutable_data<String>()[i] = std::string_view(paths[i]);
    return t;
  }
  static Tensor Path(std::string_view path) { return Tensor::Scalar(path); }

  OpLibrary library_;
  const std::string folder_ = testing::TempDir() + "/file_ops_test";
};

TEST_F(FileOpsTest, WhatIsWrittenIsReadAndFound) {
  const std::string bytes("a\0b\xff", 4), path = folder_ + "/deep/er/a.txt";
  Op write(library_, "WriteFile"), read(library_, "ReadFile"), match(library_, "MatchingFiles");
  ASSERT_TRUE(write.Run({Path(path), Tensor::Scalar("old and longer")}).ok());
  ASSERT_TRUE(write.Run({Path(path), Path(bytes)}).ok());
  ASSERT_TRUE(write.Run({Path(folder_ + "/deep/b.txt"), Tensor::Scalar("")}).ok());
  ExpectOutput(read, {Path(path)}, Path(bytes));
  ExpectOutput(read, {Path(folder_ + "/deep/b.txt")}, Tensor::Scalar(""));
  ExpectOutput(match, {Path(folder_ + "/deep/*.txt")}, Paths({folder_ + "/deep/b.txt"}));
  ExpectOutput(match, {Paths({folder_ + "/deep/?.txt", folder_ + "/*/er/a.*", folder_ + "/deep/b*"})},
               Paths({folder_ + "/deep/b.txt", path}));
  ExpectOutput(match, {Path(folder_ + "/nothing/*")}, Strings({0}, {}));
  ExpectOutput(match, {Strings({0}, {})}, Strings({0}, {}));
}

TEST_F(FileOpsTest, Errors) {
  Op read(library_, "ReadFile"), write(library_, "WriteFile"), match(library_, "MatchingFiles");
  const auto code = [](OpTester& op, const std::vector<Tensor>& inputs) { return op.Run(inputs).status().code(); };
  EXPECT_EQ(code(read, {Path(folder_ + "/none")}), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(read, {Tensor::Scalar("")}), absl::StatusCode::kNotFound);
  EXPECT_EQ(code(read, {Path(std::string("a\0b", 3))}), absl::StatusCode::kNotFound);
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
