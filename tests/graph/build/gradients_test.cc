#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/build/gradients.h"
#include "tests/testing/built_graph.h"
#include "tools/gradients/check_gradients.h"

namespace flowlatch {
namespace {

// Runs y, and its gradients when y itself arrives at it, so that they can be exported.
absl::Status RunOnce(BuiltGraph& t, const Output& y, const CheckedGradients& added, BuiltGraph::OutputFeeds feeds) {
  const auto value = t.Values(feeds, {y});
  if (!value.ok()) return value.status();
  feeds.emplace_back(t.b.Find(added.grad_y), value->at(0));
  Outputs grads;
  for (const std::string& grad : added.grads) {
    if (!grad.empty()) grads.push_back(t.b.Find(grad));
  }
  return t.Values(feeds, grads).status();
}

// Holds the gradients of y, and those of their sum, against finite differences.
std::string CheckAll(BuiltGraph& t, const Output& y, const Outputs& xs, const BuiltGraph::OutputFeeds& feeds, int orders = 2) {
  Output of = y;
  for (int order = 1; order <= orders; ++order) {
    const auto added = AddCheckedGradients(t.b, of, xs);
    if (!added.ok()) return added.status().ToString();
    auto session = t.NewSession();
    if (!session.ok()) return session.status().ToString();
    Feeds named;
    for (const auto& [output, value] : feeds) named.emplace_back(output.name(), value);
    if (const absl::Status run = RunOnce(t, of, *added, feeds); !run.ok()) return run.ToString();
    const auto checks = CheckGradients(**session, *added, named);
    if (!checks.ok()) return checks.status().ToString();
    for (const GradientCheck& check : *checks) {
      if (!check.reason.empty()) return "order " + std::to_string(order) + ", " + check.x + ": " + check.reason;
      if (!check.Agrees(1e-6)) {
        return "order " + std::to_string(order) + ", " + check.x + "[" + std::to_string(check.worst) + "]: gradient " + std::to_string(check.gradient) +
               ", difference " + std::to_string(check.difference);
      }
    }
    if (order == orders) break;
    Outputs sums;
    for (const Grad& grad : Gradients(t.b, {of}, xs)) {
      if (grad.exists()) sums.push_back(t.b.Op("Sum", {grad, {0, 1}}, {}, "").output());
    }
    of = sums[0];
    for (size_t i = 1; i < sums.size(); ++i) of = of + sums[i];
  }
  return "";
}

// A graph with inputs for one check.
struct Instance {
  BuiltGraph t;
  Output x = t.b.Placeholder(DType::kFloat64, Shape::Of({2, 3}), "x");
  Output w = t.b.Placeholder(DType::kFloat64, Shape::Of({2, 3}), "w");
  Output n = t.b.Placeholder(DType::kInt32, Shape(), "n");
  Output p = t.b.Placeholder(DType::kBool, Shape(), "p");

  Output Tanh(const Output& v) { return t.b.Op("Tanh", {v}).output(); }
  BuiltGraph::OutputFeeds Feed(int count, bool choice) const {
    return {{x, *Tensor::FromValues<double>(Shape::Of({2, 3}), {0.3, -0.7, 1.1, 0.5, 0.9, -1.3})},
            {w, *Tensor::FromValues<double>(Shape::Of({2, 3}), {1.2, 0.4, -0.6, 0.8, -1.1, 0.7})},
            {n, Tensor::Scalar(count)},
            {p, Tensor::Scalar(choice)}};
  }
};

// For several trip counts and both branches, each in a graph of its own.
void Check(const std::function<Output(Instance&)>& build, int orders = 2, const std::vector<int>& counts = {0, 1, 3}) {
  for (const int count : counts) {
    for (const bool choice : {false, true}) {
      Instance g;
      const Output y = build(g);
      EXPECT_EQ(CheckAll(g.t, y, {g.x, g.w}, g.Feed(count, choice), orders), "") << "n = " << count << ", p = " << choice;
    }
  }
}

TEST(Gradients, StraightLine) {
  Check([](Instance& g) { return g.Tanh(g.x * g.w) + g.x * 2; }, 3, {0});
}

TEST(Gradients, Cond) {
  Check([](Instance& g) { return g.t.b.Cond(g.p, [&] { return g.x * g.x * g.w; }, [&] { return g.Tanh(g.w) * g.x + g.w * g.w; }); });
}

TEST(Gradients, CondWhoseBranchIgnoresAnInput) {
  Check([](Instance& g) { return g.t.b.Cond(g.p, [&] { return g.x * g.x; }, [&] { return g.w * g.w; }) + g.x * g.w; });
}

TEST(Gradients, NestedCond) {
  Check([](Instance& g) {
    const Output small = g.t.b.Op("Less", {g.n, 2}).output();
    return g.t.b.Cond(
        g.p, [&] { return g.t.b.Cond(small, [&] { return g.x * g.w; }, [&] { return g.x * g.x * g.w; }); },
        [&] { return g.t.b.Cond(small, [&] { return g.Tanh(g.x) + g.w * g.w; }, [&] { return g.w * g.x * g.w; }); });
  });
}

TEST(Gradients, While) {
  Check([](Instance& g) {
    return g.t.b.While({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; }, [&](const Outputs& v) { return Outputs{v[0] + 1, g.Tanh(v[1] * g.w) + g.x}; })[1];
  });
}

TEST(Gradients, WhileThirdOrder) {
  Check([](Instance& g) {
    return g.t.b.While({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; }, [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] * v[1] * g.w}; })[1];
  }, 3, {2});
}

TEST(Gradients, WhileOfSeveralVariables) {
  Check([](Instance& g) {
    const Outputs r = g.t.b.While({0, g.x, g.w, g.x}, [&](const Outputs& v) { return v[0] < g.n; },
                                  [&](const Outputs& v) { return Outputs{v[0] + 1, v[2] * v[1], g.Tanh(v[1]), v[3]}; });
    return r[1] + r[2] * r[3];
  });
}

TEST(Gradients, VariableWhoseNextValueIgnoresIt) {
  Check([](Instance& g) {
    return g.t.b.While({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; }, [&](const Outputs& v) { return Outputs{v[0] + 1, g.w * g.w}; })[1] * g.x * g.w;
  });
}

TEST(Gradients, CondInWhile) {
  Check([](Instance& g) {
    return g.t.b.While({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; },
                       [&](const Outputs& v) {
                         const Output even = g.t.b.Op("Equal", {v[0] % 2, 0}).output();
                         return Outputs{v[0] + 1, g.t.b.Cond(even, [&] { return v[1] * v[1] * g.w; }, [&] { return g.Tanh(v[1]) + g.w * g.w; })};
                       })[1];
  });
}

TEST(Gradients, WhileInCond) {
  Check([](Instance& g) {
    return g.t.b.Cond(
        g.p,
        [&] { return g.t.b.While({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; }, [&](const Outputs& v) { return Outputs{v[0] + 1, v[1] * g.w}; })[1]; },
        [&] { return g.x * g.w * g.w; });
  });
}

TEST(Gradients, NestedWhile) {
  Check([](Instance& g) {
    return g.t.b.While({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; },
                       [&](const Outputs& v) {
                         const Output inner = g.t.b.While({0, v[1]}, [&](const Outputs& u) { return u[0] <= v[0]; },
                                                          [&](const Outputs& u) { return Outputs{u[0] + 1, g.Tanh(u[1] * g.w)}; })[1];
                         return Outputs{v[0] + 1, inner * v[1]};
                       })[1];
  });
}

TEST(Gradients, CondInWhileInCondInWhile) {
  Check([](Instance& g) {
    return g.t.b.While({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; },
                       [&](const Outputs& v) {
                         const Output odd = g.t.b.Op("Equal", {v[0] % 2, 1}).output();
                         const auto loop = [&] {
                           return g.t.b.While({0, v[1]}, [&](const Outputs& u) { return u[0] < 2; },
                                              [&](const Outputs& u) {
                                                const Output first = g.t.b.Op("Equal", {u[0], 0}).output();
                                                return Outputs{u[0] + 1, g.t.b.Cond(first, [&] { return u[1] * g.w; }, [&] { return g.Tanh(u[1]); })};
                                              })[1];
                         };
                         return Outputs{v[0] + 1, g.t.b.Cond(odd, loop, [&] { return v[1] * v[1]; }) + g.w};
                       })[1];
  });
}

TEST(Gradients, Function) {
  Check([](Instance& g) {
    const FunctionValue f = g.t.b.Function("f", {{DType::kFloat64, Shape::Of({2, 3})}}, [&](const Outputs& a) { return Outputs{g.Tanh(a[0] * g.w) * a[0]}; });
    return g.t.b.Call(f, {g.t.b.Call(f, {g.x})[0]})[0];
  });
}

TEST(Gradients, IfAndCaseOverFunctions) {
  Check([](Instance& g) {
    const Output a = g.t.b.If(g.p, [&] { return Outputs{g.x * g.w}; }, [&] { return Outputs{g.Tanh(g.x) * g.w * g.w}; })[0];
    return g.t.b.CaseOf(g.n, {[&] { return Outputs{a * a}; }, [&] { return Outputs{a * g.x}; }, [&] { return Outputs{g.w * a}; }})[0];
  });
}

TEST(Gradients, WhileOverFunctions) {
  Check([](Instance& g) {
    return g.t.b.WhileOf({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; },
                         [&](const Outputs& v) {
                           return Outputs{v[0] + 1, g.t.b.If(g.p, [&] { return Outputs{v[1] * g.w}; }, [&] { return Outputs{g.Tanh(v[1]) + g.w}; })[0]};
                         })[1];
  });
}

TEST(Gradients, LoopsOverElements) {
  Check([](Instance& g) {
    const Output mapped = g.t.b.MapFn({g.x, g.w}, [&](const Outputs& e) { return Outputs{g.Tanh(e[0]) * e[1]}; })[0];
    const Output zero = g.t.b.Constant(Input({1.0, 0.5, 2.0}));
    const auto step = [&](const Outputs& acc, const Outputs& e) { return Outputs{acc[0] * e[0] + e[0]}; };
    const Output scanned = g.t.b.Scan({mapped}, {zero}, step)[0];
    return scanned + g.t.b.Foldl({scanned}, {zero}, step)[0];
  }, 2, {0});
}

TEST(Gradients, InsideABody) {
  Check([](Instance& g) {
    // One step of descent in each iteration: gradients with respect to a loop variable and an outside value, in the loop.
    return g.t.b.While({0, g.x}, [&](const Outputs& v) { return v[0] < g.n; },
                       [&](const Outputs& v) {
                         const Output loss = g.Tanh(v[1] * g.w);
                         const std::vector<Grad> grads = Gradients(g.t.b, {loss}, {v[1], g.w});
                         return Outputs{v[0] + 1, v[1] - grads[0].dense() * 0.1 + grads[1].dense() * g.w};
                       })[1];
  });
}

TEST(Gradients, ThroughAnImportedGraph) {
  Instance source;
  const Output y = source.t.b.While({0, source.x}, [&](const Outputs& v) { return v[0] < source.n; },
                                    [&](const Outputs& v) {
                                      const Output even = source.t.b.Op("Equal", {v[0] % 2, 0}).output();
                                      return Outputs{v[0] + 1, source.t.b.Cond(even, [&] { return v[1] * source.w; }, [&] { return source.Tanh(v[1]) * source.w; })};
                                    })[1];
  const absl::StatusOr<Graph> graph = source.t.b.Snapshot();
  ASSERT_TRUE(graph.ok());
  for (const int count : {0, 1, 4}) {
    BuiltGraph t;
    t.b.Import(*graph);
    BuiltGraph::OutputFeeds feeds;
    for (const auto& [output, value] : source.Feed(count, true)) feeds.emplace_back(t.b.Find(output.name()), value);
    EXPECT_EQ(CheckAll(t, t.b.Find(y.name()), {t.b.Find("x"), t.b.Find("w")}, feeds), "") << count;
  }
}

TEST(Gradients, SaysWhyThereIsNone) {
  BuiltGraph t;
  const Output x = t.b.Placeholder(DType::kFloat32, Shape(), "x"), z = t.b.Placeholder(DType::kFloat32, Shape(), "z");
  const Output whole = t.b.Op("Cast", {t.b.Op("Cast", {x}, {{"DstT", DType::kInt32}}, "to_int")}, {{"DstT", DType::kFloat32}}).output();
  const Output stopped = t.b.Op("StopGradient", {x}, {}, "stop").output();
  EXPECT_EQ(Gradients(t.b, {whole}, {x})[0].reason(), "'to_int' (Cast) gives int32, which has no gradient");
  EXPECT_EQ(Gradients(t.b, {stopped}, {x})[0].reason(), "no gradient passes through 'stop' (StopGradient)");
  EXPECT_EQ(Gradients(t.b, {x * 2}, {z})[0].reason(), "no y depends on 'z:0'");
  const Output square = x * x;
  EXPECT_EQ(Gradients(t.b, {square * 2}, {x}, {.stop_gradients = {square}})[0].exists(), false);
  const std::vector<Grad> zeros = Gradients(t.b, {x * 2}, {z}, {.unconnected = GradientOptions::Unconnected::kZero});
  EXPECT_EQ(t.Run({{z, Tensor::Scalar(1.0f)}}, {zeros[0]}), "float32[] = 0");
  const Output used = Gradients(t.b, {stopped}, {x})[0];
  (void)used;
  EXPECT_EQ(t.b.status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace flowlatch
