// Elementwise nodes that run together give what they give one by one.
#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/schema/shape_context.h"
#include "gtest/gtest.h"
#include "tests/runtime/exec/plan_runner.h"

namespace flowlatch {
namespace {

std::atomic<int> nodes_run_alone{0};

template <typename X, typename Z, typename F>
void RunTile(const KernelState*, const Tile& tile) {
  const X* const x = static_cast<const X*>(tile.x);
  const X* const y = static_cast<const X*>(tile.y);
  Z* const z = static_cast<Z*>(tile.z);
  for (int64_t i = 0; i < tile.n; ++i) z[i] = F()(x[i * tile.x_step], y != nullptr ? y[i * tile.y_step] : X());
}

template <typename X, typename Z, typename F>
absl::Status RunAlone(KernelCall& call) {
  ++nodes_run_alone;
  const bool two = call.num_inputs() == 2;
  const Tensor& x = call.input(0);
  const Tensor& y = call.input(two ? 1 : 0);
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(x.dims(), y.dims()));
  ASSIGN_OR_RETURN(Tensor z, Tensor::Make(kDTypeOf<Z>, shape));
  RunTile<X, Z, F>(nullptr, {.x = x.raw_data(),
                             .y = two ? y.raw_data() : nullptr,
                             .z = z.raw_mutable_data(),
                             .n = z.num_elements(),
                             .x_step = x.num_elements() == 1 ? 0 : 1,
                             .y_step = y.num_elements() == 1 ? 0 : 1});
  call.SetOutput(0, std::move(z));
  return absl::OkStatus();
}

template <typename X, typename Z, typename F>
absl::StatusOr<Kernel> Elementwise(const NodeInfo&) {
  return Kernel{.fn = &RunKernel<RunAlone<X, Z, F>>, .tile = &RunTile<X, Z, F>};
}

struct Plus {
  uint32_t operator()(uint32_t x, uint32_t y) const { return x + y; }
};
struct MinusTwice {
  uint32_t operator()(uint32_t x, uint32_t y) const { return x - 2 * y; }
};
struct Negate {
  uint32_t operator()(uint32_t x, uint32_t) const { return ~x; }
};
struct Widen {
  uint64_t operator()(uint32_t x, uint32_t) const { return uint64_t{x} * 3; }
};
struct Narrow {
  uint32_t operator()(uint64_t x, uint64_t) const { return static_cast<uint32_t>(x >> 1); }
};

class FusedElementwiseTest : public testing::Test {
 protected:
  FusedElementwiseTest() {
    Add("Plus(x: uint32, y: uint32) -> (z: uint32)", Elementwise<uint32_t, uint32_t, Plus>);
    Add("MinusTwice(x: uint32, y: uint32) -> (z: uint32)", Elementwise<uint32_t, uint32_t, MinusTwice>);
    Add("Negate(x: uint32) -> (z: uint32)", Elementwise<uint32_t, uint32_t, Negate>);
    Add("Widen(x: uint32) -> (z: uint64)", Elementwise<uint32_t, uint64_t, Widen>);
    Add("Narrow(x: uint64) -> (z: uint32)", Elementwise<uint64_t, uint32_t, Narrow>);
  }
  void Add(std::string_view signature, KernelFactory kernel) {
    EXPECT_TRUE(ops_.library()
                    .Add({.signature = signature, .doc = "fake", .shape = shapes::Unknown, .kernel = std::move(kernel)})
                    .ok());
  }
  static Tensor Values(std::vector<int64_t> dims, uint32_t seed) {
    Tensor t = *Tensor::Make(DType::kUInt32, dims);
    std::minstd_rand random(seed);
    for (uint32_t& x : t.mutable_values<uint32_t>()) x = static_cast<uint32_t>(random());
    return t;
  }
  FakeOps ops_;
};

TEST_F(FusedElementwiseTest, RunsTogetherWhereItPays) {
  TestGraph g(ops_.library().registry());
  g.Add("x", "Placeholder", {}, {{"T", DType::kUInt32}})
      .Add("a", "Negate", {"x"})
      .Add("b", "Plus", {"a", "x"})
      .Add("c", "MinusTwice", {"b", "b"});
  const auto runner = PlanRunner::Make(ops_.library(), g.Build().value(), {{"x"}, {"c"}, {}});
  ASSERT_TRUE(runner.ok()) << runner.status();
  const std::pair<int64_t, int> kCases[] = {{1, 3}, {100, 3}, {100000, 0}};
  for (const auto& [n, alone] : kCases) {
    nodes_run_alone = 0;
    const Tensor x = Values({n}, 1);
    const auto out = (*runner)->Run({x});
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(nodes_run_alone, alone) << n;
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ((*out)[0].data<uint32_t>()[i], 1u) << i;  // -(~x + x) = 1
    EXPECT_EQ(Attr(x), Attr(Values({n}, 1)));                                           // what was fed is as it was
  }
}

TEST_F(FusedElementwiseTest, AgreesWithOneByOne) {
  const std::vector<std::vector<int64_t>> kShapes = {{}, {1}, {5000}, {3, 4097}, {2, 1, 1500}, {2048}, {0}, {1, 1}};
  int fused_groups = 0;
  for (uint32_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    std::minstd_rand random(seed);
    const auto below = [&](size_t n) { return random() % n; };
    TestGraph g(ops_.library().registry());
    std::vector<std::string> ports, wide;
    StepNames step;
    for (int i = 0; i < 3; ++i) {
      ports.push_back(absl::StrCat("x", i));
      step.feeds.push_back(ports.back());
      g.Add(ports.back(), "Placeholder", {}, {{"T", DType::kUInt32}});
    }
    for (size_t i = 0, nodes = 2 + below(40); i < nodes; ++i) {
      const std::string name = absl::StrCat("n", i);
      const std::string& x = ports[below(ports.size())];
      const std::string& y = ports[below(ports.size())];
      switch (below(6)) {
        case 0:
          g.Add(name, "Plus", {x, y});
          break;
        case 1:
          g.Add(name, "MinusTwice", {x, y});
          break;
        case 2:
          g.Add(name, "Negate", {x});
          break;
        case 3:
          g.Add(name, "FakeIdentity", {x}, {{"T", DType::kUInt32}});
          break;
        case 4:
          g.Add(name, "Widen", {x});
          wide.push_back(name);
          continue;
        case 5:
          if (wide.empty()) continue;
          g.Add(name, "Narrow", {wide[below(wide.size())]});
          break;
      }
      ports.push_back(name);
    }
    for (int i = 0; i < 3; ++i) {
      const std::string& fetch = ports[below(ports.size())];
      if (fetch[0] == 'n') step.fetches.push_back(fetch);
    }
    if (step.fetches.empty()) continue;
    const auto fused = PlanRunner::Make(ops_.library(), g.Build().value(), step);
    const auto alone = PlanRunner::Make(ops_.library(), g.Build().value(), step, false, false);
    ASSERT_TRUE(fused.ok() && alone.ok()) << fused.status() << alone.status();
    EXPECT_TRUE((*alone)->plan().fused_groups.empty());
    fused_groups += static_cast<int>((*fused)->plan().fused_groups.size());
    for (const std::vector<int64_t>& shape : kShapes) {
      std::vector<Tensor> feeds;
      for (uint32_t i = 0; i < 3; ++i)
        feeds.push_back(Values(below(4) == 0 ? std::vector<int64_t>() : shape, seed + i));
      const auto want = (*alone)->Run(feeds), got = (*fused)->Run(feeds);
      ASSERT_TRUE(want.ok() && got.ok()) << want.status() << got.status();
      for (size_t i = 0; i < want->size(); ++i) EXPECT_EQ(Attr((*got)[i]), Attr((*want)[i])) << step.fetches[i];
    }
  }
  EXPECT_GT(fused_groups, 50);
}

}  // namespace
}  // namespace flowlatch
