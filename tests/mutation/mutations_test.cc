#include "tests/mutation/mutations.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "graph/schema/shape_context.h"
#include "ops/default_ops.h"
#include "tests/mutation/run_call.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

constexpr char kAdd[] =
    R"(node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } } attr { key: "value" value { tensor { )"
    R"(dtype: DT_FLOAT tensor_shape { dim { size: 2 } } float_val: 1 float_val: 2 } } } } )"
    R"(node { name: "y" op: "AddV2" input: "x" input: "x" attr { key: "T" value { type: DT_FLOAT } } })";

Call Add() { return ParseCalls(kAdd).value()[0]; }

TEST(CallsTest, ATableHasAGraphOnEachLine) {
  const auto calls = ParseCalls(std::string("# values\n\n") + kAdd + "\n" + kAdd + "\n");
  ASSERT_TRUE(calls.ok()) << calls.status();
  ASSERT_EQ(calls->size(), 2u);
  EXPECT_EQ((*calls)[0].name, "AddV2");
  EXPECT_EQ((*calls)[1].name, "AddV2/2");
  EXPECT_EQ((*calls)[0].target().name(), "y");
  const auto bad = ParseCalls("\nnode {\n");
  EXPECT_EQ(bad.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(bad.status().message()), HasSubstr("line 2"));
}

TEST(MutationsTest, TheSameNumbersGiveTheSameCase) {
  const OpRegistry& registry = DefaultOps().registry();
  std::string how, again;
  std::set<std::string> different;
  for (int number = 1; number < 300; ++number) {
    const Call a = MutatedCall(registry, Add(), 5, number, &how), b = MutatedCall(registry, Add(), 5, number, &again);
    EXPECT_EQ(a.graph.DebugString(), b.graph.DebugString());
    EXPECT_EQ(how, again);
    EXPECT_NE(how, "");
    different.insert(how);
  }
  EXPECT_GT(different.size(), 100u);
  EXPECT_EQ(MutatedCall(registry, Add(), 5, 0, &how).graph.DebugString(), Add().graph.DebugString());
}

TEST(MutationsTest, EveryKindIsDrawn) {
  std::string all;
  for (int number = 1; number < 2000; ++number) {
    std::string how;
    MutatedCall(DefaultOps().registry(), Add(), 5, number, &how);
    all += how + "\n";
  }
  for (const char* kind : {"becomes [0]", "becomes []", "becomes [2,", "becomes [255 dimensions]", "nan", "inf",
                           "T becomes DT_INT64 everywhere", "T becomes DT_RESOURCE everywhere", "y: no T", "an input less", "an input more",
                           "an input is another", "is dead", "a handle of nothing", "no control inputs"}) {
    EXPECT_THAT(all, HasSubstr(kind));
  }
}

TEST(RunCallTest, AnswersAndErrorsAreRight) {
  for (const bool feed : {false, true}) {
    const CallEnd good = RunCall(DefaultOps(), Add(), feed);
    EXPECT_TRUE(good.status.ok()) << good.status;
    EXPECT_EQ(good.finding, "");
    Call bad = Add();
    bad.target().set_input(0, "nothing");
    const CallEnd refused = RunCall(DefaultOps(), bad, feed);
    EXPECT_FALSE(refused.status.ok());
    EXPECT_EQ(refused.finding, "");
  }
}

// An op whose kernel does not what its schema and shape function say.
absl::Status Liar(KernelCall& c) {
  const int32_t kind = c.input(0).scalar<int32_t>();
  if (kind == 1) {
    c.SetOutput(0, Tensor::Scalar(1.0f));
    return absl::OkStatus();
  }
  c.SetOutput(0, Tensor::Vector<int32_t>({1, 2}));
  return absl::OkStatus();
}

TEST(RunCallTest, NonsenseIsFound) {
  OpLibrary library;
  ASSERT_TRUE(RegisterAllOps(library).ok());
  ASSERT_TRUE(library
                  .Add({.signature = "Liar(x: int32) -> (y: int32)",
                        .doc = "lies",
                        .shape = shapes::Scalar,
                        .kernel = PlainKernel<&Liar>})
                  .ok());
  const std::string text =
      R"(node { name: "x" op: "Const" attr { key: "dtype" value { type: DT_INT32 } } attr { key: "value" value { tensor { )"
      R"(dtype: DT_INT32 tensor_shape { } int_val: KIND } } } } node { name: "y" op: "Liar" input: "x" })";
  const std::pair<const char*, const char*> cases[] = {
      {"1", "another dtype"}, {"2", "the shape function says []"}};
  for (const auto& [kind, want] : cases) {
    std::string call = text;
    call.replace(call.find("KIND"), 4, kind);
    EXPECT_THAT(RunCall(library, ParseCalls(call).value()[0], false).finding, HasSubstr(want)) << kind;
  }
}

}  // namespace
}  // namespace flowlatch
