#include "graph/build/critical_section.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/built_graph.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

constexpr DType kF = DType::kFloat32;

class CriticalSectionTest : public testing::Test {
 protected:
  Output Read(const Output& variable) { return b_.Op("ReadVariableOp", {variable}, {{"dtype", kF}}).output(); }
  // Reads a variable, then adds 2; gives what it read.
  Output AddTwo(const Output& variable) {
    const Output before = Read(variable);
    BuilderScope after = b_.ControlDependencies({before});
    const Operation add = b_.Op("AssignAddVariableOp", {variable, 2.0f}, {{"dtype", kF}});
    return b_.WithDependencies({add}, before);
  }
  // A session of the graph and its variables.
  std::unique_ptr<Session> NewSession() {
    absl::StatusOr<std::unique_ptr<Session>> session = g_.NewSession();
    EXPECT_TRUE(session.ok()) << session.status();
    return session.ok() ? *std::move(session) : nullptr;
  }
  void ExpectError(const std::string& text) {
    EXPECT_EQ(b_.status().code(), absl::StatusCode::kInvalidArgument) << b_.status();
    EXPECT_THAT(std::string(b_.status().message()), HasSubstr(text));
  }

  BuiltGraph g_;
  GraphBuilder& b_ = g_.b;
};

// In whatever order they run, n executions see 0, 2, ..., 2 (n - 1).
void ExpectEachTurnOnce(const std::vector<Tensor>& seen) {
  std::vector<float> values;
  for (const Tensor& t : seen) values.push_back(t.scalar<float>());
  std::sort(values.begin(), values.end());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], 2 * i);
}

TEST_F(CriticalSectionTest, ExecutionsOfOneStepTakeTurns) {
  const Output v = g_.Variable("v", Tensor::Scalar(0.0f));
  CriticalSection section(b_);
  std::vector<std::string> fetches;
  for (int i = 0; i < 100; ++i) fetches.push_back(section.Execute([&] { return AddTwo(v); }).name());
  const Output now = Read(v);
  const std::unique_ptr<Session> session = NewSession();
  const auto seen = session->Run({}, fetches, {});
  ASSERT_TRUE(seen.ok()) << seen.status();
  ExpectEachTurnOnce(*seen);
  EXPECT_EQ(session->Run({}, {now.name()}, {}).value()[0].scalar<float>(), 200);
}

// Inside of a cond, around one, and both in each form.
class ConditionsTest : public CriticalSectionTest, public testing::WithParamInterface<std::tuple<bool, bool, bool>> {
 protected:
  Output If(const Output& pred, const std::function<Output()>& then) {
    const auto zero = [&] { return Outputs{b_.Constant(0.0f)}; };
    const auto one = [&] { return Outputs{then()}; };
    return std::get<2>(GetParam()) ? b_.If(pred, one, zero)[0] : b_.Cond(pred, one, zero)[0];
  }
};

TEST_P(ConditionsTest, TakeTurnsWhereTheyHappen) {
  const auto [outer, inner, functional] = GetParam();
  const Output v = g_.Variable("v", Tensor::Scalar(0.0f));
  const Output outer_pred = b_.Placeholder(DType::kBool, Shape(), "outer");
  const Output inner_pred = b_.Placeholder(DType::kBool, Shape(), "inner");
  CriticalSection section(b_);
  std::vector<std::string> fetches;
  for (int i = 0; i < 30; ++i) {
    fetches.push_back(If(outer_pred, [&] {
                        return section.Execute([&] { return If(inner_pred, [&] { return AddTwo(v); }); });
                      }).name());
  }
  const Output now = Read(v);
  ASSERT_TRUE(b_.ok()) << b_.status();
  const std::unique_ptr<Session> session = NewSession();
  const auto seen = session->Run({{"outer", Tensor::Scalar(outer)}, {"inner", Tensor::Scalar(inner)}}, fetches, {});
  ASSERT_TRUE(seen.ok()) << seen.status();
  if (outer && inner) {
    ExpectEachTurnOnce(*seen);
  } else {
    for (const Tensor& t : *seen) EXPECT_EQ(t.scalar<float>(), 0);
  }
  EXPECT_EQ(session->Run({}, {now.name()}, {}).value()[0].scalar<float>(), outer && inner ? 60 : 0);
}

INSTANTIATE_TEST_SUITE_P(All, ConditionsTest, testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()));

TEST_F(CriticalSectionTest, InLoopsAndAroundThem) {
  const Output v = g_.Variable("v", Tensor::Scalar(0.0f));
  const Output n = b_.Placeholder(DType::kInt32, Shape(), "n");
  CriticalSection section(b_);
  const auto count = [&](const std::function<Output()>& body) {
    return b_.While({0, 0.0f}, [&](const Outputs& x) { return x[0] < n; },
                    [&](const Outputs& x) { return Outputs{x[0] + 1, x[1] + body()}; })[1];
  };
  const Output inside = count([&] { return section.Execute([&] { return AddTwo(v); }); });
  const Output around = section.Execute([&] { return count([&] { return AddTwo(v); }); });
  ASSERT_TRUE(b_.ok()) << b_.status();
  const std::unique_ptr<Session> session = NewSession();
  const Feeds feeds = {{"n", Tensor::Scalar<int32_t>(4)}};
  // 0 + 2 + 4 + 6, then 8 + 10 + 12 + 14.
  EXPECT_EQ(session->Run(feeds, {inside.name()}, {}).value()[0].scalar<float>(), 12);
  EXPECT_EQ(session->Run(feeds, {around.name()}, {}).value()[0].scalar<float>(), 44);
}

TEST_F(CriticalSectionTest, InFunctions) {
  const Output v = g_.Variable("v", Tensor::Scalar(0.0f));
  CriticalSection section(b_);
  const FunctionValue next =
      b_.Function("next", {}, [&](const Outputs&) { return Outputs{section.Execute([&] { return AddTwo(v); })}; });
  std::vector<std::string> fetches;
  for (int i = 0; i < 20; ++i) fetches.push_back(b_.Call(next, {})[0].name());
  ASSERT_TRUE(b_.ok()) << b_.status();
  const auto seen = NewSession()->Run({}, fetches, {});
  ASSERT_TRUE(seen.ok()) << seen.status();
  ExpectEachTurnOnce(*seen);
}

// Of two executions one fails: the step fails each time, and the lock is free again.
TEST_F(CriticalSectionTest, AFailureDoesNotHoldTheLock) {
  CriticalSection section(b_);
  const Output bad = b_.Placeholder(DType::kInt32, Shape(), "bad");
  Outputs results;
  for (int i = 0; i < 2; ++i) {
    results.push_back(section.Execute([&] {
      const Output fine = b_.Op("NotEqual", {bad, i}, {}).output();
      const Operation assertion = b_.Op("Assert", {fine, "Error"}, {});
      return b_.WithDependencies({assertion}, b_.Constant(i));
    }));
  }
  ASSERT_TRUE(b_.ok()) << b_.status();
  const std::unique_ptr<Session> session = NewSession();
  for (int i = 0; i < 50; ++i) {
    const absl::Status status =
        session->Run({{"bad", Tensor::Scalar<int32_t>(i % 2)}}, {results[0].name(), results[1].name()}, {}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("Error"));
  }
  EXPECT_TRUE(session->Run({{"bad", Tensor::Scalar<int32_t>(7)}}, {results[0].name(), results[1].name()}, {}).ok());
}

// The lock is asked for when all is there that the body uses: a body may wait for what comes before it to fail.
TEST_F(CriticalSectionTest, ArgumentsAreComputedBeforeTheLockIsTaken) {
  CriticalSection section(b_);
  const Output x = b_.Placeholder(kF, Shape(), "x");
  const Output slow = x * 2;
  const Operation before = b_.Op("NoOp", {}, {}, "before");
  const Output y = section.Execute([&] {
    BuilderScope after = b_.ControlDependencies({before});
    return slow + 1;
  });
  ASSERT_TRUE(b_.ok()) << b_.status();
  const Graph graph = b_.Snapshot().value();
  const NodeId ready = graph.FindNode("execute/ready").value();
  std::vector<std::string> awaited;
  for (const Port port : graph.control_inputs(ready)) awaited.emplace_back(graph.node(port.node).name);
  EXPECT_THAT(awaited, testing::UnorderedElementsAre("Mul", "before"));
  EXPECT_EQ(NewSession()->Run({{"x", Tensor::Scalar(3.0f)}}, {y.name()}, {}).value()[0].scalar<float>(), 7);
}

// What the body leaves unused is done too before the lock is released.
TEST_F(CriticalSectionTest, EffectsWithoutResults) {
  const Output v = g_.Variable("v", Tensor::Scalar(1.0f));
  CriticalSection section(b_);
  const Output one = section.Execute([&] {
    b_.Op("AssignVariableOp", {v, 5.0f}, {{"dtype", kF}});
    return b_.Constant(1.0f);
  });
  section.Execute([&] {
    b_.Op("NoOp");
    return Outputs{};
  });
  Output after;
  {
    BuilderScope scope = b_.ControlDependencies({one});
    after = Read(v);
  }
  ASSERT_TRUE(b_.ok()) << b_.status();
  EXPECT_EQ(NewSession()->Run({}, {after.name()}, {}).value()[0].scalar<float>(), 5);
}

TEST_F(CriticalSectionTest, SectionsOfOneNameAreOne) {
  CriticalSection a(b_, "a", {.shared_name = "shared"}), b(b_, "b", {.shared_name = "shared"}), c(b_, "c"), d(b_, "c");
  const Graph graph = b_.Snapshot().value();
  const auto name = [&](const char* node) { return *graph.node(graph.FindNode(node).value()).attrs.Find("shared_name")->Get<std::string>(); };
  EXPECT_EQ(name("a/mutex"), "shared");
  EXPECT_EQ(name("b/mutex"), "shared");
  EXPECT_NE(name("c/mutex"), name("c_1/mutex"));
}

TEST_F(CriticalSectionTest, BodyThatExecutesTheSectionAgain) {
  CriticalSection section(b_, "outer");
  section.Execute([&] { return section.Execute([&] { return b_.Constant(1); }); });
  ExpectError("critical section 'outer': expected bodies that do not execute the section again, got one that does");
}

TEST_F(CriticalSectionTest, BodyThatCallsAFunctionThatExecutesTheSection) {
  CriticalSection section(b_, "outer");
  const FunctionValue f =
      b_.Function("f", {}, [&](const Outputs&) { return Outputs{section.Execute([&] { return b_.Constant(1); })}; });
  ASSERT_TRUE(b_.ok()) << b_.status();
  section.Execute([&] { return b_.Call(f, {}); });
  ExpectError("critical section 'outer': expected bodies that do not use its mutex, got one that passes it to a function");
}

TEST_F(CriticalSectionTest, TwoSectionsOneInTheOther) {
  CriticalSection outer(b_), inner(b_);
  const Output y = outer.Execute([&] { return inner.Execute([&] { return b_.Constant(3.0f); }) * 2; });
  ASSERT_TRUE(b_.ok()) << b_.status();
  EXPECT_EQ(NewSession()->Run({}, {y.name()}, {}).value()[0].scalar<float>(), 6);
}

TEST_F(CriticalSectionTest, ResourcesOfTwoSections) {
  const struct {
    bool first, second, fails;
  } cases[] = {{true, true, true}, {true, false, true}, {false, true, true}, {false, false, false}};
  for (const auto& c : cases) {
    BuiltGraph g;
    const Output v = g.Variable("v", Tensor::Scalar(0.0f));
    CriticalSection a(g.b, "a"), b(g.b, "b");
    const auto read = [&] { return g.b.Op("ReadVariableOp", {v}, {{"dtype", kF}}).output(); };
    a.Execute(read, {.exclusive_resource_access = c.first});
    // In a branch and a function the variable is the same.
    const FunctionValue f = g.b.Function("f", {}, [&](const Outputs&) {
      return Outputs{b.Execute(read, {.exclusive_resource_access = c.second})};
    });
    EXPECT_EQ(g.b.ok(), !c.fails);
    if (c.fails) {
      EXPECT_THAT(std::string(g.b.status().message()),
                  HasSubstr("critical section 'b': expected resources that no other section uses, got 'v:0', which 'a' uses"));
    }
  }
}

TEST_F(CriticalSectionTest, OneSectionMayUseAResourceTwice) {
  const Output v = g_.Variable("v", Tensor::Scalar(0.0f));
  CriticalSection section(b_);
  section.Execute([&] { return Read(v); });
  section.Execute([&] { return Read(v); });
  EXPECT_TRUE(b_.ok()) << b_.status();
}

}  // namespace
}  // namespace flowlatch
