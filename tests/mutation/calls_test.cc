// Every registered op has a valid call in the tables, and each of them answers.
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "tests/mutation/call.h"
#include "tests/mutation/run_call.h"

namespace flowlatch {
namespace {

// An output of these is dead or has no value yet, or they end the step.
const std::set<std::string> kWithoutAnswer = {"Abort",  "Placeholder",       "PlaceholderV2", "RefSwitch",
                                              "Switch", "TemporaryVariable", "Variable",      "VariableV2", "_SwitchN"};

TEST(CallsTest, EveryOpHasACallThatAnswers) {
  const auto calls = ReadCalls("tests/mutation/calls");
  ASSERT_TRUE(calls.ok()) << calls.status();
  std::set<std::string> called;
  for (const Call& call : *calls) {
    called.insert(call.target().op());
    const CallEnd end = RunCall(DefaultOps(), call, false);
    EXPECT_TRUE(end.status.ok() || kWithoutAnswer.count(call.target().op()) == 1) << call.name << ": " << end.status;
    EXPECT_EQ(end.finding, "") << call.name;
  }
  for (const OpSchema* schema : DefaultOps().registry().Registered()) {
    EXPECT_TRUE(called.count(schema->name()) == 1) << schema->name() << " has no call in tests/mutation/calls";
  }
}

}  // namespace
}  // namespace flowlatch
