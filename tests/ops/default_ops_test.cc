// The set of ops: it is the one that the list says, each as TensorFlow defines it, with words and a shape function.
#include "ops/default_ops.h"

#include <fstream>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "graph/schema/op_registry.h"

namespace flowlatch {
namespace {

std::set<std::string> Listed() {
  std::ifstream file("tests/ops/registered_ops.txt");
  std::set<std::string> names;
  for (std::string name; std::getline(file, name);) names.insert(name);
  return names;
}

// An op that nobody registers any more, or that nobody announced, is a mistake: the list is changed by hand.
TEST(DefaultOpsTest, AreThoseOfTheList) {
  std::set<std::string> registered;
  for (const OpSchema* schema : DefaultOps().registry().Registered()) registered.insert(schema->name());
  EXPECT_THAT(registered, testing::ContainerEq(Listed()));
}

TEST(DefaultOpsTest, SignaturesAreTensorFlows) {
  for (const OpSchema* schema : DefaultOps().registry().Registered()) {
    const std::string_view signature = TensorFlowSignature(schema->name());
    ASSERT_FALSE(signature.empty()) << schema->name();
    const absl::StatusOr<OpSchema> expected = OpSchema::Parse(signature);
    ASSERT_TRUE(expected.ok()) << expected.status();
    EXPECT_EQ(schema->ToString(), expected->ToString());
  }
}

TEST(DefaultOpsTest, DocsAreOneLineWithoutAFullStop) {
  for (const OpSchema* schema : DefaultOps().registry().Registered()) {
    EXPECT_FALSE(schema->doc().empty()) << schema->name();
    EXPECT_EQ(schema->doc().find('\n'), std::string::npos) << schema->name();
    EXPECT_NE(schema->doc().back(), '.') << schema->name() << ": " << schema->doc();
    EXPECT_NE(schema->shape_function(), nullptr) << schema->name();
  }
}

TEST(DefaultOpsTest, ASecondTimeIsRefused) {
  OpLibrary library;
  ASSERT_TRUE(RegisterAllOps(library).ok());
  EXPECT_EQ(RegisterAllOps(library).code(), absl::StatusCode::kAlreadyExists);
}

}  // namespace
}  // namespace flowlatch
