// Threads that count with every op that updates a variable under a lock: of small and large variables, in each dtype that the
// op has, no increment gets lost.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/variable_graph.h"

namespace flowlatch {
namespace {

#if defined(FLOWLATCH_SANITIZED)
constexpr int kIncrements = 100;
#else
constexpr int kIncrements = 100000;
#endif
constexpr int kThreads = 8;
constexpr int kIncrementsPerStep = 10;

// How an op counts: its variable `counter` gets 1 more each time, in all elements.
struct Counting {
  std::string op;
  std::string counter;                        // a name among the op's inputs
  std::map<std::string, int> values = {};     // of inputs, and of variables at the start, that are not those of ValueOf
};

// What makes the formulas of optimizers (docs of the Apply ops) count: no decay, no momentum, no regularisation.
int ValueOf(const Counting& counting, const std::string& input) {
  static const std::map<std::string, int> kValues = {
      {"lr", -1}, {"alpha", -1}, {"rho", 1}, {"beta", 1}, {"beta1", 1}, {"beta2", 1}, {"global_step", 1},
      {"grad", 1}, {"delta", 1}, {"value", 1}, {"updates", 1},
      // Variables.
      {"accum_update", 1}, {"m", 1}, {"v", 1}, {"vhat", 1}, {"ms", 1}, {"gradient_squared_accumulator", 1},
  };
  if (const auto value = counting.values.find(input); value != counting.values.end()) return value->second;
  const auto value = kValues.find(input);
  return value == kValues.end() ? 0 : value->second;
}

std::vector<Counting> Countings() {
  std::vector<Counting> all = {
      {"AssignAdd", "ref"},
      {"AssignAddVariableOp", "resource"},
      {"AssignSub", "ref", {{"value", -1}}},
      {"AssignSubVariableOp", "resource", {{"value", -1}}},
      {"CountUpTo", "ref"},
      {"ResourceCountUpTo", "resource"},
      {"ScatterAdd", "ref"},
      {"ResourceScatterAdd", "resource"},
      {"ScatterSub", "ref", {{"updates", -1}}},
      {"ResourceScatterSub", "resource", {{"updates", -1}}},
      {"ScatterNdAdd", "ref"},
      {"ResourceScatterNdAdd", "ref"},
      {"ScatterNdSub", "ref", {{"updates", -1}}},
      {"ResourceScatterNdSub", "ref", {{"updates", -1}}},
      {"ResourceApplyAdamWithAmsgrad", "var"},
      {"ResourceApplyKerasMomentum", "accum", {{"momentum", 1}}},
      {"ResourceSparseApplyKerasMomentum", "accum", {{"momentum", 1}}},
  };
  const std::vector<Counting> optimizers = {
      {"Adadelta", "var", {{"accum", 1}}},
      {"Adagrad", "accum"},
      {"AdagradDA", "gradient_accumulator", {{"lr", 1}}},
      {"AdagradV2", "accum"},
      {"Adam", "var"},
      {"AdaMax", "var"},
      {"AddSign", "var", {{"alpha", 1}}},
      {"CenteredRMSProp", "mom", {{"lr", 1}, {"momentum", 1}}},
      {"Ftrl", "accum", {{"lr", 1}}},
      {"FtrlV2", "accum", {{"lr", 1}}},
      {"GradientDescent", "var"},
      {"Momentum", "accum", {{"momentum", 1}}},
      {"PowerSign", "var"},
      {"ProximalAdagrad", "accum", {{"lr", 1}}},
      {"ProximalGradientDescent", "var"},
      {"RMSProp", "mom", {{"lr", 1}, {"momentum", 1}}},
  };
  for (const Counting& optimizer : optimizers) {
    for (const char* form : {"Apply", "ResourceApply", "SparseApply", "ResourceSparseApply"}) {
      Counting counting = optimizer;
      counting.op = absl::StrCat(form, optimizer.op);
      if (DefaultOps().registry().FindRegistered(counting.op) != nullptr) all.push_back(counting);
    }
  }
  return all;
}

// Locked ops with which nobody can count: a second update with the same values changes nothing, or not by one.
bool CannotCount(const std::string& op) {
  for (const char* end : {"Assign", "Update", "Max", "Min", "Mul", "Div"}) {
    if (absl::EndsWith(op, end)) return true;
  }
  return false;
}

TEST(LockedCounterTest, EveryLockedOpCounts) {
  std::vector<std::string> locked, counted;
  for (const Counting& counting : Countings()) counted.push_back(counting.op);
  for (const OpSchema* schema : DefaultOps().registry().Registered()) {
    if (schema->FindAttr("use_locking") != nullptr && !CannotCount(schema->name())) locked.push_back(schema->name());
  }
  EXPECT_THAT(counted, ::testing::IsSupersetOf(locked));
}

// `n` in the dtype of `t`, as sums of ones give it, or what the dtype makes of them.
bool HoldsOnly(const Tensor& t, int n) {
  return DispatchDType<kNumberTypes>(t.dtype(), false, [&]<typename T>() {
    T wanted;
    if constexpr (std::is_integral_v<T>) {
      wanted = static_cast<T>(n);
    } else {
      wanted = static_cast<T>(static_cast<float>(n));
    }
    const auto values = t.values<T>();
    return std::all_of(values.begin(), values.end(), [&](T x) { return x == wanted; });
  });
}

// How often threads may count until the dtype has no next number.
int IncrementsIn(DType dtype) {
  return dtype == DType::kBFloat16 ? 30 : dtype == DType::kFloat16 ? 250 : kIncrements;
}

class OpTest : public testing::TestWithParam<Counting> {
 protected:
  // Counts in a variable of `shape`; false if the op has no kernel of the dtype.
  bool Count(DType dtype, const Shape& shape) {
    const Counting& counting = GetParam();
    const OpSchema& schema = *DefaultOps().registry().FindRegistered(counting.op);
    VariableGraph graph;
    std::vector<std::string> inputs;
    AttrMap attrs;
    std::map<std::string, Tensor> starts;
    for (const ArgSpec& arg : schema.inputs()) {
      inputs.push_back(arg.name);
      const int value = ValueOf(counting, arg.name);
      if (arg.is_ref || arg.dtype == DType::kResource) {
        graph.AddVariable(arg.name, dtype, !arg.is_ref);
        starts[arg.name] = Filled(dtype, shape, arg.name == counting.counter ? 0 : value);
      } else if (arg.name == "indices") {
        Tensor rows = *Tensor::Make(DType::kInt32, Shape::Of({shape.dim(0)}));
        for (int i = 0; i < rows.num_elements(); ++i) rows.mutable_values<int32_t>()[i] = i;
        if (absl::StrContains(counting.op, "Nd")) rows = *rows.Reshaped(Shape::Of({shape.dim(0), 1}));
        graph.AddConst(arg.name, rows);
      } else {
        const bool is_whole = arg.name == "grad" || arg.name == "delta" || arg.name == "value" || arg.name == "updates";
        graph.AddConst(arg.name, Filled(arg.dtype == DType::kInvalid ? dtype : arg.dtype, is_whole ? shape : Shape(), value));
      }
    }
    for (const AttrSpec& attr : schema.attrs()) {
      if (attr.name == "T" || attr.name == "dtype") attrs = attrs.With(attr.name, dtype);
      if (attr.name == "Tindices") attrs = attrs.With(attr.name, DType::kInt32);
      if (attr.name == "limit") attrs = attrs.With(attr.name, int64_t{1} << 30);
      if (attr.name == "use_locking") attrs = attrs.With(attr.name, true);
    }
    std::string last;
    for (int i = 0; i < kIncrementsPerStep; ++i) {
      std::vector<std::string> all_inputs = inputs;
      if (!last.empty()) all_inputs.push_back("^" + last);
      last = absl::StrCat("increment", i);
      graph.g.Add(last, counting.op, all_inputs, attrs);
    }
    const std::unique_ptr<Session> session = graph.Open();
    for (const auto& [variable, value] : starts) Assign(*session, variable, value);
    const absl::StatusOr<Callable> callable = session->Prepare({}, {}, {last});
    if (absl::IsUnimplemented(callable.status())) return false;
    EXPECT_TRUE(callable.ok()) << callable.status();
    const int steps = IncrementsIn(dtype) / kIncrementsPerStep;
    InThreads(kThreads, [&](int) {
      std::vector<Tensor> outputs;
      for (int i = 0; i < steps; ++i) {
        const absl::Status status = callable->Run({}, &outputs);
        ASSERT_TRUE(status.ok()) << status;
      }
    });
    const Tensor count = Read(*session, counting.counter);
    EXPECT_TRUE(HoldsOnly(count, kThreads * steps * kIncrementsPerStep)) << DTypeName(dtype) << " " << First(count);
    return true;
  }
};

TEST_P(OpTest, LosesNoIncrement) {
  const OpSchema& schema = *DefaultOps().registry().FindRegistered(GetParam().op);
  const AttrSpec* type = schema.FindAttr("T") != nullptr ? schema.FindAttr("T") : schema.FindAttr("dtype");
  const bool is_sparse = schema.FindAttr("Tindices") != nullptr;
  const bool is_scalar = absl::StrContains(GetParam().op, "CountUpTo");
  int kernels = 0;
  for (int number = 1; number < kNumDTypes; ++number) {
    const DType dtype = static_cast<DType>(number);
    if (!kNumberTypes.contains(dtype) || (!type->allowed_types.empty() && !type->allowed_types.contains(dtype))) continue;
    if (!Count(dtype, is_sparse ? Shape::Of({1}) : Shape())) continue;
    ++kernels;
    if (!is_scalar) Count(dtype, is_sparse ? Shape::Of({20, 2}) : Shape::Of({40}));
  }
  EXPECT_GE(kernels, 2);
}

INSTANTIATE_TEST_SUITE_P(All, OpTest, testing::ValuesIn(Countings()), [](const auto& info) { return info.param.op; });

}  // namespace
}  // namespace flowlatch
