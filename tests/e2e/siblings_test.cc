// Updates of one variable that run together: the bits are those of the nodes one by one, and so are the errors.
#include <complex>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/variable_graph.h"
#include "tests/testing/op_tester.h"

namespace flowlatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor Random(DType dtype, const Shape& shape, uint32_t seed) {
  Tensor t = *Tensor::Make(dtype, shape);
  std::minstd_rand random(seed);
  const auto next = [&] { return (static_cast<float>(random() % 20001) - 10000) / 300; };
  DispatchDType<kNumberTypes>(dtype, false, [&]<typename T>() {
    for (T& x : t.mutable_values<T>()) {
      if constexpr (std::is_integral_v<T>) x = static_cast<T>(random());
      else if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>)
        x = T(next(), next());
      else x = static_cast<T>(next());
    }
    return true;
  });
  return t;
}

// A variable v and nodes that update it: add_<x> and sub_<x>, by a placeholder x of {a, b, c}; add_v, by its own value.
class SiblingsTest : public testing::Test {
 protected:
  static std::unique_ptr<Session> Open(DType dtype, bool resource, bool use_locking, bool optimize, int threads = 1) {
    VariableGraph graph;
    graph.AddVariable("v", dtype, resource);
    const AttrMap attrs = resource ? AttrMap{{"dtype", dtype}} : AttrMap{{"T", dtype}, {"use_locking", use_locking}};
    const auto update = [&](const std::string& name, const std::string& value) {
      const std::string end = resource ? "VariableOp" : "";
      graph.g.Add("add_" + name, absl::StrCat("AssignAdd", end), {"v", value}, attrs)
          .Add("sub_" + name, absl::StrCat("AssignSub", end), {"v", value}, attrs);
    };
    for (const char* name : {"a", "b", "c"}) {
      graph.g.Add(name, "Placeholder", {}, {{"dtype", dtype}});
      update(name, name);
    }
    update("v", "v/read");
    SessionOptions options;
    options.threads = threads;
    options.optimize = optimize;
    return *Session::Create(graph.g.Build().value(), DefaultOps(), options);
  }
};

TEST_F(SiblingsTest, GiveTheBitsOfTheNodesOneByOne) {
  for (int number = 0; number < kNumDTypes; ++number) {
    const DType dtype = static_cast<DType>(number);
    if (!kNumberTypes.contains(dtype)) continue;
    for (const bool resource : {false, true}) {
      for (const bool use_locking : {false, true}) {
        const auto plain = Open(dtype, resource, use_locking, false);
        const auto grouped = Open(dtype, resource, use_locking, true), threaded = Open(dtype, resource, use_locking, true, 4);
        for (const Shape& shape : {Shape(), Shape::Of({0}), Shape::Of({7}), Shape::Of({3, 4999}), Shape::Of({100001})}) {
          SCOPED_TRACE(absl::StrCat(std::string(DTypeName(dtype)), " ", shape.ToString(), resource ? " resource" : "",
                                    use_locking ? " locked" : ""));
          const Feeds feeds{{"a", Random(dtype, shape, 1)}, {"b", Random(dtype, shape, 2)}, {"c", Random(dtype, shape, 3)}};
          std::vector<Tensor> values;
          for (Session* session : {plain.get(), grouped.get(), threaded.get()}) {
            Assign(*session, "v", Random(dtype, shape, 4));
            for (const auto& targets : {std::vector<std::string>{"add_a", "sub_b", "sub_c", "add_v", "add_b"}, {"sub_a", "add_c"}}) {
              const auto done = session->Run(feeds, {}, targets);
              ASSERT_TRUE(done.ok()) << done.status();
            }
            values.push_back(Read(*session, "v"));
          }
          EXPECT_EQ(Difference(values[1], values[0]), "");
          EXPECT_EQ(Difference(values[2], values[0]), "");
        }
      }
    }
  }
}

TEST_F(SiblingsTest, ThatCannotRunSaySoThemselves) {
  for (const bool resource : {false, true}) {
    const auto session = Open(DType::kFloat32, resource, /*use_locking=*/false, /*optimize=*/true);
    const Feeds feeds{{"a", Tensor::Vector<float>({1, 2})},
                      {"b", Tensor::Vector<float>({1, 2, 3})},
                      {"c", Tensor::Vector<float>({10, 20})}};
    const std::string end = resource ? "VariableOp" : "";
    absl::Status status = session->Run(feeds, {}, {"add_a", "add_b", "add_c"}).status();
    EXPECT_EQ(status.code(), resource ? absl::StatusCode::kNotFound : absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(), HasSubstr(absl::StrCat("node 'add_a' (AssignAdd", end, "): ")));
    Assign(*session, "v", Tensor::Vector<float>({5, 6}));
    status = session->Run(feeds, {}, {"add_a", "sub_b", "add_c"}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(),
                HasSubstr(absl::StrCat("node 'sub_b' (AssignSub", end, "): value: expected shape [2], got [3]")));
    EXPECT_THAT(Read(*session, "v").values<float>(), ElementsAre(6, 8));  // the first one was right
  }
}

TEST_F(SiblingsTest, LeaveValuesReadBeforeWhatTheyAre) {
  const Feeds feeds{{"a", Tensor::Scalar<int32_t>(10)}, {"b", Tensor::Scalar<int32_t>(100)}};
  for (const bool resource : {false, true}) {
    for (const bool optimize : {false, true}) {
      const auto session = Open(DType::kInt32, resource, /*use_locking=*/false, optimize);
      Assign(*session, "v", Tensor::Scalar<int32_t>(1));
      const auto read = session->Run(feeds, {"v/read"}, {"add_a", "add_b"});
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ((*read)[0].scalar<int32_t>(), resource ? 1 : 111);  // a reference is read in place
      EXPECT_EQ(Read(*session, "v").scalar<int32_t>(), 111);
    }
  }
}

}  // namespace
}  // namespace flowlatch
