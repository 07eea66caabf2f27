// Variables that several threads, and several sessions, use at once: what locks promise (see locked_counter_test.cc too), and what
// races may do.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/resource/variable.h"
#include "tests/e2e/variable_graph.h"

namespace flowlatch {
namespace {

#if defined(FLOWLATCH_SANITIZED)
constexpr int kIncrements = 100, kWriters = 4;
constexpr int64_t kRows = 64;
#else
constexpr int kIncrements = 5000, kWriters = 20;
constexpr int64_t kRows = 1024;
#endif
constexpr int kThreads = 8;

// An op that adds one to the first element of one of its variables.
struct Increment {
  std::string op;
  DType dtype = DType::kFloat32;
  std::vector<Tensor> inputs = {};  // after the variables
  AttrMap attrs = {};
  int variables = 1;
  bool is_vector = false;  // of one element, else a scalar
  int increments = kIncrements;

  bool resource() const { return DefaultOps().registry().FindRegistered(op)->inputs()[0].dtype == DType::kResource; }
  int counter() const { return variables - 1; }
};

Tensor Index(const Shape& shape) { return Filled(DType::kInt32, shape, 0); }

// All kinds of increments without a lock.
std::vector<Increment> UnlockedIncrements() {
  std::vector<Increment> all;
  const Shape vector = Shape::Of({1}), matrix = Shape::Of({1, 1});
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kInt16, DType::kInt32, DType::kInt64,
                            DType::kUInt64, DType::kComplex64, DType::kComplex128}) {
    const int increments = dtype == DType::kInt16 ? 1000 : kIncrements;
    const AttrMap typed{{"T", dtype}};
    const Tensor one = Filled(dtype, Shape(), 1), ones = Filled(dtype, vector, 1);
    all.push_back({.op = "AssignAdd", .dtype = dtype, .inputs = {one}, .attrs = typed, .increments = increments});
    all.push_back({.op = "ScatterAdd",
                   .dtype = dtype,
                   .inputs = {Index(vector), ones},
                   .attrs = typed,
                   .is_vector = true,
                   .increments = increments});
    all.push_back({.op = "ScatterNdAdd",
                   .dtype = dtype,
                   .inputs = {Index(matrix), ones},
                   .attrs = typed,
                   .is_vector = true,
                   .increments = increments});
  }
  const Tensor zero = Filled(DType::kFloat32, Shape(), 0), one = Filled(DType::kFloat32, Shape(), 1);
  const Tensor minus_one = Filled(DType::kFloat32, Shape(), -1);
  const Tensor ones = Filled(DType::kFloat32, vector, 1), minus_ones = Filled(DType::kFloat32, vector, -1);
  const AttrMap typed{{"T", DType::kFloat32}};
  all.push_back({.op = "AssignSub", .inputs = {minus_one}, .attrs = typed});
  all.push_back({.op = "ScatterSub", .inputs = {Index(vector), minus_ones}, .attrs = typed, .is_vector = true});
  all.push_back({.op = "ScatterNdSub", .inputs = {Index(matrix), minus_ones}, .attrs = typed, .is_vector = true});
  all.push_back({.op = "ApplyGradientDescent", .inputs = {minus_one, one}, .attrs = typed});
  // accum = accum * 1 + 1
  all.push_back({.op = "ApplyMomentum", .inputs = {zero, one, one}, .attrs = typed, .variables = 2});
  all.push_back({.op = "SparseApplyMomentum",
                 .inputs = {zero, ones, Index(vector), one},
                 .attrs = typed,
                 .variables = 2,
                 .is_vector = true});
  all.push_back({.op = "ResourceSparseApplyMomentum",
                 .inputs = {zero, ones, Index(vector), one},
                 .attrs = typed,
                 .variables = 2,
                 .is_vector = true});
  for (Increment& increment : all) {
    const OpSchema& schema = *DefaultOps().registry().FindRegistered(increment.op);
    increment.attrs = increment.attrs.With("use_locking", false);
    if (schema.FindAttr("Tindices") != nullptr) increment.attrs = increment.attrs.With("Tindices", DType::kInt32);
  }
  return all;
}

// The counter's last value after kThreads threads made their increments.
Tensor Count(const Increment& increment) {
  VariableGraph graph;
  std::vector<std::string> inputs;
  for (int i = 0; i < increment.variables; ++i) {
    inputs.push_back("v" + std::to_string(i));
    graph.AddVariable(inputs.back(), increment.dtype, increment.resource());
  }
  for (size_t i = 0; i < increment.inputs.size(); ++i) {
    inputs.push_back("c" + std::to_string(i));
    graph.AddConst(inputs.back(), increment.inputs[i]);
  }
  graph.g.Add("increment", increment.op, inputs, increment.attrs);
  const std::unique_ptr<Session> session = graph.Open();
  for (int i = 0; i < increment.variables; ++i) {
    Assign(*session, "v" + std::to_string(i),
           Filled(increment.dtype, increment.is_vector ? Shape::Of({1}) : Shape(), 0));
  }
  const absl::StatusOr<Callable> callable = session->Prepare({}, {}, {"increment"});
  EXPECT_TRUE(callable.ok()) << callable.status();
  InThreads(kThreads, [&](int) {
    std::vector<Tensor> outputs;
    for (int i = 0; i < increment.increments; ++i) {
      const absl::Status status = callable->Run({}, &outputs);
      ASSERT_TRUE(status.ok()) << status;
    }
  });
  return Read(*session, "v" + std::to_string(increment.counter()));
}

TEST(VariableRacesTest, UnlockedIncrementsMayGetLostButNothingElseHappens) {
  for (const Increment& increment : UnlockedIncrements()) {
    const double count = First(Count(increment));
    EXPECT_TRUE(count >= 1 && count <= double{kThreads} * increment.increments && count == static_cast<int64_t>(count))
        << increment.op << " of " << DTypeName(increment.dtype) << ": " << count;
  }
}

// TensorFlow's dense_update tests: writers update a large variable at once, each in one step.
class DenseUpdateTest : public testing::Test {
 protected:
  // Runs op(v, value of writer i) in as many threads as there are writers; v's elements afterwards.
  std::set<float> Race(const std::string& op, bool use_locking, const std::function<int(int)>& value_of) {
    VariableGraph graph;
    graph.AddVariable("v", DType::kFloat32, /*resource=*/false);
    graph.g.Add("x", "Placeholder", {}, {{"dtype", DType::kFloat32}});
    graph.g.Add("update", op, {"v", "x"}, {{"T", DType::kFloat32}, {"use_locking", use_locking}});
    const std::unique_ptr<Session> session = graph.Open();
    const Shape shape = Shape::Of({kRows, kRows});
    Assign(*session, "v", Filled(DType::kFloat32, shape, 0));
    InThreads(kWriters, [&](int i) {
      const auto out = session->Run({{"x", Filled(DType::kFloat32, shape, value_of(i))}}, {"update"}, {});
      ASSERT_TRUE(out.ok()) << out.status();
      ASSERT_EQ((*out)[0].num_elements(), shape.num_elements());
    });
    const Tensor value = Read(*session, "v");
    return std::set<float>(value.values<float>().begin(), value.values<float>().end());
  }
  static int One(int) { return 1; }
  static int Number(int i) { return i + 1; }
  static void ExpectWholeNumbersOfWriters(const std::set<float>& values) {
    for (const float x : values) EXPECT_TRUE(x >= 1 && x <= kWriters && x == static_cast<int>(x)) << x;
  }
};

TEST_F(DenseUpdateTest, ParallelUpdateWithoutLocking) { ExpectWholeNumbersOfWriters(Race("AssignAdd", false, One)); }

TEST_F(DenseUpdateTest, ParallelAssignWithoutLocking) { ExpectWholeNumbersOfWriters(Race("Assign", false, Number)); }

TEST_F(DenseUpdateTest, ParallelUpdateWithLocking) {
  EXPECT_EQ(Race("AssignAdd", true, One), std::set<float>{kWriters});
}

TEST_F(DenseUpdateTest, ParallelAssignWithLocking) {
  const std::set<float> values = Race("Assign", true, Number);
  EXPECT_EQ(values.size(), 1u);
  ExpectWholeNumbersOfWriters(values);
}

// While writers assign their number everywhere, readers see numbers that somebody wrote; with values that never change
// once they are read, each reader sees one number only.
TEST(VariableRacesTest, ReadersSeeWhatSomebodyWrote) {  // C2
  for (const bool resource : {false, true}) {
    for (const DType dtype : {DType::kFloat64, DType::kInt8, DType::kComplex64}) {
      VariableGraph graph;
      graph.AddVariable("v", dtype, resource, "", /*use_locking=*/false);
      const std::unique_ptr<Session> session = graph.Open();
      const Shape shape = Shape::Of({500});
      Assign(*session, "v", Filled(dtype, shape, 1));
      InThreads(4, [&](int t) {
        for (int i = 0; i < 200; ++i) {
          if (t < 2) {
            Assign(*session, "v", Filled(dtype, shape, 1 + t));
            continue;
          }
          const Tensor value = Read(*session, "v");
          ASSERT_EQ(value.dims(), shape.dims());
          for (int64_t k = 0; k < shape.num_elements(); ++k) {
            const double x = First(value.Rows(k, 1));
            ASSERT_TRUE(x == 1 || x == 2) << x;
            if (resource) {
              ASSERT_EQ(x, First(value));
            }
          }
        }
      });
    }
  }
}

// C3: a reader's value stays what it was, whole, while the variable gets others of other shapes.
TEST(VariableRacesTest, SnapshotsOutliveChangesOfShape) {
  for (const bool resource : {false, true}) {
    VariableGraph graph;
    graph.AddVariable("v", DType::kInt32, resource);
    const std::unique_ptr<Session> session = graph.Open();
    const auto value = [](int n) { return Filled(DType::kInt32, Shape::Of({n}), n); };
    Assign(*session, "v", value(1));
    std::atomic<bool> done{false};
    std::thread writer([&] {
      for (int i = 0; i < 2000; ++i) Assign(*session, "v", value(1 + i % 50));
      done = true;
    });
    std::vector<Tensor> snapshots;
    while (!done) snapshots.push_back(Read(*session, "v"));
    writer.join();
    for (const Tensor& snapshot : snapshots) {
      for (const int32_t x : snapshot.values<int32_t>()) ASSERT_EQ(x, snapshot.dim(0));
    }
  }
}

// Readers of rows and of the whole, sparse steps without a lock and assignments, all at once: what a reader has stays.
TEST(VariableRacesTest, UnlockedSparseStepsNextToReadersAndAssignments) {
  VariableGraph graph;
  graph.AddVariable("v", DType::kFloat32, true);
  graph.AddVariable("slot", DType::kFloat32, true);
  graph.AddConst("rate", Filled(DType::kFloat32, Shape(), -1));
  graph.AddConst("grad", Filled(DType::kFloat32, Shape::Of({2, 8}), 1));
  graph.AddConst("rows", Tensor::Vector<int32_t>({0, 3}));
  const AttrMap attrs{{"T", DType::kFloat32}, {"Tindices", DType::kInt32}, {"use_locking", false}};
  graph.AddConst("zero", Filled(DType::kFloat32, Shape(), 0));
  graph.g.Add("step", "ResourceSparseApplyMomentum", {"v", "slot", "rate", "grad", "rows", "zero"}, attrs);
  graph.g.Add("gather", "ResourceGather", {"v", "rows"}, {{"dtype", DType::kFloat32}, {"Tindices", DType::kInt32}});
  const std::unique_ptr<Session> session = graph.Open();
  const Tensor start = Filled(DType::kFloat32, Shape::Of({4, 8}), 0);
  for (const char* name : {"v", "slot"}) Assign(*session, name, start);
  InThreads(6, [&](int t) {
    for (int i = 0; i < 300; ++i) {
      if (t < 3) {
        ASSERT_TRUE(session->Run({}, {}, {"step"}).ok());
      } else if (t == 3) {
        const Tensor value = Read(*session, "v"), before = *value.Clone();
        ASSERT_TRUE(session->Run({}, {}, {"step"}).ok());
        for (int64_t k = 0; k < value.num_elements(); ++k) {
          const float x = value.data<float>()[k];
          ASSERT_EQ(x, before.data<float>()[k]) << "a value changed after it was read";
          ASSERT_EQ(x, static_cast<int>(x));
        }
      } else if (t == 4) {
        ASSERT_TRUE(session->Run({}, {"gather"}, {}).ok());
      } else if (i % 50 == 0) {
        Assign(*session, "v", start);
      }
    }
  });
  for (const float x : start.values<float>()) EXPECT_EQ(x, 0) << "the value that was assigned is another's";
}

TEST(VariableRacesTest, SessionsOnOneResourceManagerShareVariables) {
  for (const bool resource : {false, true}) {
    VariableGraph graph;
    graph.AddVariable("v", DType::kInt32, resource);
    graph.AddConst("one", Filled(DType::kInt32, Shape(), 1));
    if (resource) {
      graph.g.Add("add", "AssignAddVariableOp", {"v", "one"}, {{"dtype", DType::kInt32}});
    } else {
      graph.g.Add("add", "AssignAdd", {"v", "one"}, {{"T", DType::kInt32}, {"use_locking", true}});
    }
    const auto resources = std::make_shared<ResourceManager>();
    const std::unique_ptr<Session> sessions[] = {graph.Open(resources), graph.Open(resources), graph.Open()};
    Assign(*sessions[0], "v", Filled(DType::kInt32, Shape(), 0));
    InThreads(4, [&](int t) {
      for (int i = 0; i < 500; ++i) ASSERT_TRUE(sessions[t % 2]->Run({}, {}, {"add"}).ok());
    });
    EXPECT_EQ(First(Read(*sessions[1], "v")), 2000);
    EXPECT_EQ(sessions[2]->Run({}, {"v/read"}, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST(VariableRacesTest, ContainersKeepNamesApart) {
  for (const bool resource : {false, true}) {
    const auto resources = std::make_shared<ResourceManager>();
    const auto open = [&](const std::string& container) {
      VariableGraph graph;
      graph.AddVariable("v", DType::kInt32, resource, container);
      return graph.Open(resources);
    };
    const std::unique_ptr<Session> a = open("a"), also_a = open("a"), b = open("b"), none = open("");
    int value = 0;
    for (Session* session : {a.get(), b.get(), none.get()}) {
      Assign(*session, "v", Filled(DType::kInt32, Shape(), ++value));
    }
    EXPECT_EQ(First(Read(*also_a, "v")), 1);
    EXPECT_EQ(First(Read(*b, "v")), 2);
    EXPECT_EQ(First(Read(*none, "v")), 3);
    resources->ClearContainer("a");
    EXPECT_EQ(a->Run({}, {"v/read"}, {}).status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(First(Read(*b, "v")), 2);
    resources->ClearContainer(kDefaultContainer);
    EXPECT_EQ(none->Run({}, {"v/read"}, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

}  // namespace
}  // namespace flowlatch
