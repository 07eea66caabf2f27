// Chains of nodes that one kernel computes: the numbers are those of the nodes one by one, with any number of threads, and
// follow the variables that filters are read from.
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"
#include "tests/testing/op_tester.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {
namespace {

constexpr DType kFloat = DType::kFloat32;

Tensor Random(std::vector<int64_t> dims, uint32_t seed) {
  Tensor t = *Tensor::Make(kFloat, dims);
  std::minstd_rand random(seed);
  for (float& x : t.mutable_values<float>()) x = static_cast<float>(random() % 2001) / 1000 - 1;
  return t;
}

class ChainsTest : public testing::Test {
 protected:
  ChainsTest() : g_(DefaultOps().registry()) {}
  void Placeholder(const std::string& name) { g_.Add(name, "Placeholder", {}, {{"dtype", kFloat}}); }
  // <name>, its value <name>/now, and <name>/set and <name>/add, which read the placeholder <name>/new.
  void Variable(const std::string& name) {
    const AttrMap dtype{{"dtype", kFloat}};
    Placeholder(name + "/new");
    g_.Add(name, "VarHandleOp", {}, {{"dtype", kFloat}, {"shape", PartialShape()}, {"shared_name", name}})
        .Add(name + "/now", "ReadVariableOp", {name}, dtype)
        .Add(name + "/set", "AssignVariableOp", {name, name + "/new"}, dtype)
        .Add(name + "/add", "AssignAddVariableOp", {name, name + "/new"}, dtype);
  }
  void Layer(const std::string& name, const std::string& input, const std::string& filter, const std::string& bias,
             const std::string& format = "NHWC") {
    const AttrMap conv{{"T", kFloat}, {"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"},
                       {"data_format", format}};
    g_.Add(name + "/conv", "Conv2D", {input, filter}, conv)
        .Add(name + "/bias", "BiasAdd", {name + "/conv", bias}, {{"T", kFloat}, {"data_format", format}})
        .Add(name + "/relu", "Relu", {name + "/bias"}, {{"T", kFloat}});
  }
  std::unique_ptr<Session> Open(bool optimize, int threads) {
    SessionOptions options;
    options.optimize = optimize;
    options.threads = threads;
    return *Session::Create(g_.Build().value(), DefaultOps(), options);
  }

  TestGraph g_;
};

// Runs one step in all ways.
void ExpectSame(const std::vector<std::unique_ptr<Session>>& sessions, const Feeds& feeds,
                const std::vector<std::string>& fetches, double tolerance) {
  const auto want = sessions[0]->Run(feeds, fetches, {});
  ASSERT_TRUE(want.ok()) << want.status();
  std::vector<Tensor> first;
  for (size_t s = 1; s < sessions.size(); ++s) {
    const auto got = sessions[s]->Run(feeds, fetches, {});
    ASSERT_TRUE(got.ok()) << got.status();
    if (first.empty()) first = *got;
    for (size_t i = 0; i < fetches.size(); ++i) {
      EXPECT_EQ(Difference((*got)[i], (*want)[i], tolerance), "") << fetches[i] << ", session " << s;
      EXPECT_EQ(Difference((*got)[i], first[i]), "") << fetches[i] << ", session " << s;
    }
  }
}

TEST_F(ChainsTest, OfATrainingStep) {
  for (const char* name : {"x", "w", "b", "dy", "scale", "offset", "mean", "variance"}) Placeholder(name);
  Layer("layer", "x", "w", "b");
  const AttrMap pool{{"T", kFloat},
                     {"ksize", std::vector<int64_t>{1, 2, 2, 1}},
                     {"strides", std::vector<int64_t>{1, 2, 2, 1}},
                     {"padding", "SAME"}};
  const AttrMap overlapping = pool.With("ksize", std::vector<int64_t>{1, 3, 3, 1});
  const AttrMap t{{"T", kFloat}}, norm{{"T", kFloat}, {"U", kFloat}, {"is_training", true}};
  for (const auto& [name, attrs] : {std::pair<std::string, AttrMap>{"pool", pool}, {"wide", overlapping}}) {
    g_.Add(name, "MaxPool", {"layer/relu"}, attrs)
        .Add(name + "_grad", "MaxPoolGrad", {"layer/relu", name, "dy"}, attrs)
        .Add(name + "_relu_grad", "ReluGrad", {name + "_grad", "layer/relu"}, t)
        .Add(name + "_bias_grad", "BiasAddGrad", {name + "_relu_grad"}, t);
  }
  g_.Add("norm", "FusedBatchNormV3", {"x", "scale", "offset", "mean", "variance"}, norm)
      .Add("norm_relu", "Relu", {"norm"}, t)
      .Add("sum", "AddV2", {"norm_relu", "x"}, t)
      .Add("sum_relu", "Relu", {"sum"}, t);
  std::vector<std::unique_ptr<Session>> sessions;
  sessions.push_back(Open(false, 1));
  for (const int threads : {1, 2, 4}) sessions.push_back(Open(true, threads));
  for (const int64_t batch : {1, 3, 40}) {
    for (const int64_t channels : {1, 5, 32}) {
      SCOPED_TRACE(absl::StrCat(batch, " images of ", channels, " channels"));
      const Feeds feeds{{"x", Random({batch, 23, 18, channels}, 1)}, {"w", Random({3, 3, channels, 24}, 2)},
                        {"b", Random({24}, 3)},                      {"dy", Random({batch, 12, 9, 24}, 4)},
                        {"scale", Random({channels}, 5)},            {"offset", Random({channels}, 6)},
                        {"mean", Random({0}, 7)},                    {"variance", Random({0}, 8)}};
      ExpectSame(sessions, feeds,
                 {"layer/relu", "pool_relu_grad", "pool_bias_grad", "wide_relu_grad", "wide_bias_grad", "norm_relu",
                  "norm:1", "norm:2", "norm:3", "norm:4", "sum_relu"},
                 2e-5);  // sums of thousands of terms that cancel
    }
  }
}

TEST_F(ChainsTest, OfUncommonShapesAndFormats) {
  for (const char* name : {"x", "w", "b"}) Placeholder(name);
  Layer("layer", "x", "w", "b");
  Layer("first", "x", "w", "b", "NCHW");
  std::vector<std::unique_ptr<Session>> sessions;
  sessions.push_back(Open(false, 1));
  sessions.push_back(Open(true, 1));
  const auto feeds = [](std::vector<int64_t> x, std::vector<int64_t> w) {
    return Feeds{{"x", Random(x, 1)}, {"w", Random(w, 2)}, {"b", Random({w[3]}, 3)}};
  };
  ExpectSame(sessions, feeds({2, 6, 6, 6}, {1, 1, 6, 3}), {"layer/relu", "first/relu"}, 1e-6);
  ExpectSame(sessions, feeds({0, 6, 6, 6}, {3, 3, 6, 3}), {"layer/relu", "layer/bias"}, 0);
  ExpectSame(sessions, feeds({2, 6, 6, 4}, {3, 3, 2, 6}), {"layer/bias"}, 1e-6);
  // The node that is wrong says so.
  Feeds wrong = feeds({2, 6, 6, 6}, {3, 3, 6, 3});
  wrong[2].second = Random({4}, 3);
  const absl::Status status = sessions[1]->Run(wrong, {"layer/relu"}, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("node 'layer/bias' (BiasAdd): bias: expected shape [3]"), std::string::npos) << status;
}

TEST_F(ChainsTest, NanStaysNan) {
  for (const char* name : {"x", "w", "b"}) Placeholder(name);
  Layer("layer", "x", "w", "b");
  Tensor x = Random({1, 16, 16, 16}, 1);
  x.mutable_data<float>()[1000] = std::nanf("");
  const auto out = Open(true, 1)->Run({{"x", x}, {"w", Random({3, 3, 16, 16}, 2)}, {"b", Random({16}, 3)}}, {"layer/relu"}, {});
  ASSERT_TRUE(out.ok()) << out.status();
  int nans = 0;
  for (const float y : (*out)[0].values<float>()) nans += std::isnan(y) ? 1 : 0;
  EXPECT_EQ(nans, 9 * 16);
}

TEST_F(ChainsTest, PackedFiltersFollowTheirVariable) {
  Placeholder("x");
  Variable("w");
  Variable("b");
  Layer("layer", "x", "w/now", "b/now");
  const auto plain = Open(false, 1), chained = Open(true, 2);
  const Tensor x = Random({2, 14, 14, 32}, 1);
  const auto both = [&](const Feeds& feeds, const std::vector<std::string>& targets) {
    for (Session* session : {plain.get(), chained.get()}) {
      const auto done = session->Run(feeds, {}, targets);
      ASSERT_TRUE(done.ok()) << done.status();
    }
  };
  both({{"w/new", Random({3, 3, 32, 48}, 2)}, {"b/new", Random({48}, 3)}}, {"w/set", "b/set"});
  for (int step = 0; step < 60; ++step) {
    SCOPED_TRACE(absl::StrCat("step ", step));
    // New values after one step, after several, in place and in new memory.
    if (step % 7 == 3 || step == 30 || step == 31) both({{"w/new", Random({3, 3, 32, 48}, 10 + step)}}, {"w/add"});
    if (step % 11 == 5) both({{"w/new", Random({3, 3, 32, 48}, 100 + step)}}, {"w/set"});
    const auto want = plain->Run({{"x", x}}, {"layer/relu"}, {}), got = chained->Run({{"x", x}}, {"layer/relu"}, {});
    ASSERT_TRUE(want.ok() && got.ok()) << want.status() << got.status();
    ASSERT_EQ(Difference((*got)[0], (*want)[0], 1e-6), "");
  }
}

}  // namespace
}  // namespace flowlatch
