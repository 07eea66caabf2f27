#include "ops/base64_ops.h"

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class Base64OpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterBase64Ops(library_).ok()); }
  OpLibrary library_;
};

TEST_F(Base64OpsTest, RoundTrip) {
  const Tensor plain = Strings({5}, {"", "a", "ab", "abc", "\xff\xfe?>"});
  const Tensor bare = Strings({5}, {"", "YQ", "YWI", "YWJj", "__4_Pg"}), padded = Strings({5}, {"", "YQ==", "YWI=", "YWJj", "__4_Pg=="});
  OpTester encode(library_, "EncodeBase64", {}), encode_padded(library_, "EncodeBase64", {{"pad", true}}), decode(library_, "DecodeBase64", {});
  ExpectOutput(encode, {plain}, bare);
  ExpectOutput(encode_padded, {plain}, padded);
  ExpectOutput(decode, {bare}, plain);
  ExpectOutput(decode, {padded}, plain);
  ExpectOutput(decode, {Tensor::Scalar("YR")}, Tensor::Scalar("a"));
  ExpectOutput(decode, {Strings({0, 2}, {})}, Strings({0, 2}, {}));
}

TEST_F(Base64OpsTest, Errors) {
  OpTester decode(library_, "DecodeBase64", {});
  for (const char* bad : {"YQ=", "/+8=", "Y", "YQ===", "Y Q", "=", "YQ==YQ==", "\n", "====", "YWJj=", "Y.=="}) {
    SCOPED_TRACE(bad);
    ExpectInvalid(decode, {Strings({2}, {"YQ", bad})}, "input 1: expected base 64, got '");
  }
}

}  // namespace
}  // namespace flowlatch
