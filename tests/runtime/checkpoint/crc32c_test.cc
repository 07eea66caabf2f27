#include "runtime/checkpoint/crc32c.h"

#include <string>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

TEST(Crc32cTest, KnownValues) {
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(Crc32c(std::string(32, '\xff')), 0x62a8ab43u);
}

TEST(Crc32cTest, PiecesGiveTheSameAsTheWhole) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes.push_back(static_cast<char>(i * 37));
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(ExtendCrc32c(Crc32c(std::string_view(bytes).substr(0, cut)), std::string_view(bytes).substr(cut)),
              Crc32c(bytes));
  }
}

TEST(Crc32cTest, MaskIsUndone) {
  for (const uint32_t crc : {0u, 1u, 0xe3069283u, 0xffffffffu}) {
    EXPECT_NE(MaskCrc(crc), crc);
    EXPECT_EQ(UnmaskCrc(MaskCrc(crc)), crc);
  }
}

}  // namespace
}  // namespace flowlatch
