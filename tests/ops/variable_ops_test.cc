#include "ops/variable_ops.h"

#include <limits>
#include <thread>

#include "ops/kernels/variable_update.h"
#include "runtime/resource/variable.h"
#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

class VariableOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterVariableOps(library_).ok()); }

  static RefPtr<Variable> MakeVariable(Tensor value) {
    RefPtr<Variable> v = MakeRef<Variable>(value.dtype(), "v");
    v->value = std::move(value);
    return v;
  }
  static Tensor RefTo(const RefPtr<Variable>& v) { return Tensor::MakeRef(v, v->dtype()); }

  // Runs an op that returns its reference, and checks that it does.
  absl::Status Update(const std::string& op, const AttrMap& attrs, const RefPtr<Variable>& v,
                      std::vector<Tensor> inputs) {
    inputs.insert(inputs.begin(), RefTo(v));
    StepRunner step(library_, &resources_);
    const absl::StatusOr<std::vector<Tensor>> out = step.Run(op, attrs, inputs);
    if (out.ok()) {
      EXPECT_EQ(ReferencedVariable((*out)[0]), v.get());
    }
    return out.status();
  }
  static AttrMap Attrs(DType t, bool use_locking) { return {{"T", t}, {"use_locking", use_locking}}; }
  static AttrMap ScatterAttrs(DType t, bool use_locking = false) {
    return {{"T", t}, {"Tindices", DType::kInt32}, {"use_locking", use_locking}};
  }
  static AttrMap VariableAttrs(DType dtype, PartialShape shape, std::string shared_name = "") {
    return {{"dtype", dtype}, {"shape", shape}, {"shared_name", shared_name}, {"container", ""}};
  }

  OpLibrary library_;
  ResourceManager resources_;
};

TEST_F(VariableOpsTest, VariableIsNamedByItsNodeOrSharedName) {
  StepRunner step(library_, &resources_);
  const AttrMap attrs = VariableAttrs(DType::kFloat32, PartialShape::Of({2}));
  const AttrMap shared = VariableAttrs(DType::kFloat32, PartialShape::Of({2}), "a");
  const auto a = step.Run("VariableV2", attrs, {}, "a"), a_again = step.Run("VariableV2", attrs, {}, "a"),
             a_shared = step.Run("VariableV2", shared, {}, "other"), b = step.Run("Variable", attrs, {}, "b");
  ASSERT_TRUE(a.ok() && a_again.ok() && a_shared.ok() && b.ok());
  Variable* variable = ReferencedVariable((*a)[0]);
  ASSERT_NE(variable, nullptr);
  EXPECT_EQ(ReferencedVariable((*a_again)[0]), variable);
  EXPECT_EQ(ReferencedVariable((*a_shared)[0]), variable);
  EXPECT_NE(ReferencedVariable((*b)[0]), variable);
  EXPECT_FALSE(variable->value.has_value());
  ExpectInvalid(step.Run("VariableV2", VariableAttrs(DType::kInt32, PartialShape::Of({2})), {}, "a").status(),
                "expected dtype float32, got int32");
}

TEST_F(VariableOpsTest, AssignInitialisesChecksAndKeepsTheBuffer) {
  for (const bool use_locking : {false, true}) {
    SCOPED_TRACE(use_locking);
    const AttrMap attrs{{"T", DType::kFloat32}, {"use_locking", use_locking}, {"validate_shape", true}};
    const RefPtr<Variable> v = MakeRef<Variable>(DType::kFloat32, "v", PartialShape::Of({2}));
    ExpectInvalid(Update("Assign", attrs, v, {Floats({3}, {1, 2, 3})}), "'v': expected shape [2], got [3]");
    ASSERT_TRUE(Update("Assign", attrs, v, {Floats({2}, {1, 2})}).ok());
    const Tensor read = v->Read();
    ASSERT_TRUE(Update("Assign", attrs, v, {Floats({2}, {5, 6})}).ok());
    EXPECT_EQ(Difference(v->Read(), Floats({2}, {5, 6})), "");
    EXPECT_TRUE(read.SharesBufferWith(v->value)) << "references to the old value must see the new one";
    ExpectInvalid(Update("Assign", attrs, v, {Floats({1, 2}, {1, 2})}), "expected shape [2], got [1,2]");
  }
}

TEST_F(VariableOpsTest, WhoeverReadSeesLaterUpdatesAlsoOfScalars) {
  for (const Tensor& start : {Floats({}, {1}), Floats({1}, {1})}) {
    const RefPtr<Variable> v = MakeRef<Variable>(DType::kFloat32, "v");
    ASSERT_TRUE(Update("Assign", {{"T", DType::kFloat32}}, v, {start}).ok());
    const Tensor read = v->Read();
    ASSERT_TRUE(Update("AssignAdd", Attrs(DType::kFloat32, false), v, {start}).ok());
    EXPECT_EQ(read.data<float>()[0], 2) << start.ShapeString();
    EXPECT_EQ(start.data<float>()[0], 1) << "the value that was assigned is another's";
  }
}

TEST_F(VariableOpsTest, AssignMayChangeTheShapeWhenAsked) {
  for (const bool use_locking : {false, true}) {
    const AttrMap attrs{{"T", DType::kFloat32}, {"use_locking", use_locking}, {"validate_shape", false}};
    const RefPtr<Variable> v = MakeVariable(Floats({2}, {1, 2}));
    const Tensor read = v->Read();
    ASSERT_TRUE(Update("Assign", attrs, v, {Floats({2, 1}, {3, 4})}).ok());
    EXPECT_EQ(Difference(v->Read(), Floats({2, 1}, {3, 4})), "");
    EXPECT_TRUE(read.SharesBufferWith(v->value));
    ASSERT_TRUE(Update("Assign", attrs, v, {Floats({3}, {7, 8, 9})}).ok());
    EXPECT_EQ(Difference(v->Read(), Floats({3}, {7, 8, 9})), "");
    EXPECT_EQ(Difference(read, Floats({2}, {3, 4})), "") << "the old buffer lives on as its readers left it";
  }
}

TEST_F(VariableOpsTest, AssignedValueIsNotShared) {
  const RefPtr<Variable> v = MakeRef<Variable>(DType::kFloat32, "v");
  const Tensor value = Floats({2}, {1, 2});
  ASSERT_TRUE(Update("Assign", {{"T", DType::kFloat32}}, v, {value}).ok());
  EXPECT_FALSE(v->value.SharesBufferWith(value));
  float lent[] = {1, 2};
  absl::StatusOr<Tensor> borrowed = Tensor::Borrow(DType::kFloat32, Shape::Of({2}), lent, [] {});
  ASSERT_TRUE(borrowed.ok());
  const RefPtr<Variable> w = MakeRef<Variable>(DType::kFloat32, "w");
  ASSERT_TRUE(Update("Assign", {{"T", DType::kFloat32}}, w, {*borrowed}).ok());
  EXPECT_FALSE(w->value.is_borrowed());
}

TEST_F(VariableOpsTest, AssignOfEveryKindOfElement) {
  const std::vector<Tensor> values = {Bools({2}, {true, false}),
                                      Of<Half, float>({2}, {1, 2}),
                                      Strings({2}, {"a", "a string too long to be small"}),
                                      Of<std::complex<double>>({1}, {{1, 2}}),
                                      Longs({}, {7}),
                                      Floats({0, 3}, {}),
                                      Strings({}, {"scalar"})};
  for (const Tensor& value : values) {
    SCOPED_TRACE(value.DebugString());
    const RefPtr<Variable> v = MakeRef<Variable>(value.dtype(), "v");
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(Update("Assign", {{"T", value.dtype()}}, v, {value}).ok());
    EXPECT_EQ(Difference(v->Read(), value), "");
  }
}

TEST_F(VariableOpsTest, StringsThatSomebodyReadsAreNotOverwritten) {
  const RefPtr<Variable> v = MakeVariable(Strings({1}, {"a string too long to be small"}));
  const Tensor read = v->Read();
  ASSERT_TRUE(Update("Assign", {{"T", DType::kString}}, v, {Strings({1}, {"another string, also long"})}).ok());
  ASSERT_TRUE(Update("ScatterUpdate", ScatterAttrs(DType::kString), v, {Ints({1}, {0}), Strings({1}, {"b"})}).ok());
  EXPECT_EQ(Difference(read, Strings({1}, {"a string too long to be small"})), "");
  EXPECT_EQ(Difference(v->Read(), Strings({1}, {"b"})), "");
}

TEST_F(VariableOpsTest, AddsAndSubtractsEveryNumber) {
  const auto check = [&](const Tensor& start, const Tensor& delta, const Tensor& sum, const Tensor& difference) {
    for (const bool use_locking : {false, true}) {
      SCOPED_TRACE(start.DebugString());
      RefPtr<Variable> v = MakeVariable(*start.Clone());
      ASSERT_TRUE(Update("AssignAdd", Attrs(start.dtype(), use_locking), v, {delta}).ok());
      EXPECT_EQ(Difference(v->Read(), sum), "");
      v = MakeVariable(*start.Clone());
      ASSERT_TRUE(Update("AssignSub", Attrs(start.dtype(), use_locking), v, {delta}).ok());
      EXPECT_EQ(Difference(v->Read(), difference), "");
    }
  };
  check(Floats({3}, {1, 2, 3}), Floats({3}, {1, 1, -1}), Floats({3}, {2, 3, 2}), Floats({3}, {0, 1, 4}));
  check(Of<double>({}, {1}), Of<double>({}, {2}), Of<double>({}, {3}), Of<double>({}, {-1}));
  check(Of<Half, float>({1}, {1}), Of<Half, float>({1}, {0.5}), Of<Half, float>({1}, {1.5}),
        Of<Half, float>({1}, {0.5}));
  check(Of<BFloat16, float>({1}, {1}), Of<BFloat16, float>({1}, {2}), Of<BFloat16, float>({1}, {3}),
        Of<BFloat16, float>({1}, {-1}));
  check(Of<int8_t>({1}, {127}), Of<int8_t>({1}, {1}), Of<int8_t>({1}, {-128}), Of<int8_t>({1}, {126}));
  check(Of<uint32_t>({1}, {0}), Of<uint32_t>({1}, {1}), Of<uint32_t>({1}, {1}), Of<uint32_t>({1}, {0xffffffffu}));
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max(), kMin = std::numeric_limits<int64_t>::min();
  check(Longs({1}, {kMax}), Longs({1}, {1}), Longs({1}, {kMin}), Longs({1}, {kMax - 1}));
  using C = std::complex<float>;
  check(Of<C>({1}, {C(1, 2)}), Of<C>({1}, {C(3, -1)}), Of<C>({1}, {C(4, 1)}), Of<C>({1}, {C(-2, 3)}));
  using Z = std::complex<double>;
  check(Of<Z>({1}, {Z(1, 2)}), Of<Z>({1}, {Z(3, -1)}), Of<Z>({1}, {Z(4, 1)}), Of<Z>({1}, {Z(-2, 3)}));
  check(Floats({0}, {}), Floats({0}, {}), Floats({0}, {}), Floats({0}, {}));
}

TEST_F(VariableOpsTest, LargeUpdatesUseTheStepsThreads) {
  const int64_t n = 300000;
  Tensor ones = *Tensor::Make(DType::kFloat32, Shape::Of({n}));
  for (float& x : ones.mutable_values<float>()) x = 1;
  const RefPtr<Variable> v = MakeVariable(*ones.Clone());
  OpTester tester(library_, "AssignAdd", Attrs(DType::kFloat32, true));
  ASSERT_TRUE(tester.Run({RefTo(v), ones}).ok());  // runs four times
  const Tensor value = v->Read();
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(value.data<float>()[i], 5) << i;
}

TEST_F(VariableOpsTest, UpdateErrors) {
  const RefPtr<Variable> v = MakeVariable(Floats({2}, {1, 2})), empty = MakeRef<Variable>(DType::kFloat32, "empty");
  const AttrMap attrs = Attrs(DType::kFloat32, false);
  ExpectInvalid(Update("AssignAdd", attrs, v, {Floats({}, {1})}), "value: expected shape [2], got []");
  const absl::Status status = Update("AssignAdd", attrs, empty, {Floats({2}, {1, 1})});
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'empty'"));
  StepRunner step(library_, &resources_);
  ExpectInvalid(step.Run("AssignAdd", attrs, {Floats({2}, {1, 2}), Floats({2}, {1, 2})}).status(),
                "expected a reference to a variable");
  EXPECT_EQ(step.Run("AssignAdd", Attrs(DType::kQInt8, false), {RefTo(v), Floats({2}, {1, 2})}).status().code(),
            absl::StatusCode::kUnimplemented);
}

TEST_F(VariableOpsTest, LockedUpdatesLoseNothing) {
  constexpr int kThreads = 4, kUpdates = 500, kElements = 64;
  for (const bool use_locking : {true, false}) {
    const RefPtr<Variable> v = MakeVariable(*Tensor::Zeros(DType::kFloat32, Shape::Of({kElements})));
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        Tensor ones = *Tensor::Make(DType::kFloat32, Shape::Of({kElements}));
        for (float& x : ones.mutable_values<float>()) x = 1;
        for (int i = 0; i < kUpdates; ++i) {
          ASSERT_TRUE(Update("AssignAdd", Attrs(DType::kFloat32, use_locking), v, {ones}).ok());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const Tensor value = v->Read();
    for (const float x : value.values<float>()) {
      // Unlocked, increments may be lost, but elements are never torn.
      if (use_locking) {
        EXPECT_EQ(x, kThreads * kUpdates);
      }
      EXPECT_TRUE(x >= 1 && x <= kThreads * kUpdates && x == static_cast<int>(x)) << x;
    }
  }
}

TEST_F(VariableOpsTest, UnlockedUpdatesRaceWithReplacementAndReaders) {
  const RefPtr<Variable> v = MakeVariable(Floats({2}, {0, 0}));
  const auto update = [&](const char* op, std::vector<Tensor> values) {
    AttrMap attrs = Attrs(DType::kFloat32, false);
    if (std::string(op) == "Assign") attrs = attrs.With("validate_shape", false);
    for (int i = 0; i < 1000; ++i) {
      const absl::Status status = Update(op, attrs, v, {values[i % values.size()]});
      ASSERT_TRUE(status.ok() || absl::IsInvalidArgument(status)) << status;
    }
  };
  std::thread adds([&] { update("AssignAdd", {Floats({2}, {1, 1}), Floats({3}, {1, 1, 1})}); });
  std::thread assigns([&] { update("Assign", {Floats({2}, {0, 0}), Floats({3}, {0, 0, 0})}); });
  for (int i = 0; i < 1000; ++i) {
    const Tensor read = v->Read();
    ASSERT_TRUE(read.dim(0) == 2 || read.dim(0) == 3);
  }
  adds.join();
  assigns.join();
}

TEST_F(VariableOpsTest, ScatterFamily) {
  struct Case {
    const char* op;
    Tensor want;
  };
  // Rows 2, 0, 2 of [[1 2] [3 4] [5 6]] get [10 20], [2 2], [1 40].
  const Case cases[] = {
      {"ScatterUpdate", Floats({3, 2}, {2, 2, 3, 4, 1, 40})},
      {"ScatterAdd", Floats({3, 2}, {3, 4, 3, 4, 16, 66})},
      {"ScatterSub", Floats({3, 2}, {-1, 0, 3, 4, -6, -54})},
      {"ScatterMul", Floats({3, 2}, {2, 4, 3, 4, 50, 4800})},
      {"ScatterDiv", Floats({3, 2}, {0.5, 1, 3, 4, 0.5, 0.0075})},
      {"ScatterMin", Floats({3, 2}, {1, 2, 3, 4, 1, 6})},
      {"ScatterMax", Floats({3, 2}, {2, 2, 3, 4, 10, 40})},
  };
  for (const Case& c : cases) {
    for (const bool use_locking : {false, true}) {
      SCOPED_TRACE(c.op);
      const RefPtr<Variable> v = MakeVariable(Floats({3, 2}, {1, 2, 3, 4, 5, 6}));
      const Tensor updates = Floats({3, 2}, {10, 20, 2, 2, 1, 40});
      ASSERT_TRUE(Update(c.op, ScatterAttrs(DType::kFloat32, use_locking), v, {Ints({3}, {2, 0, 2}), updates}).ok());
      EXPECT_EQ(Difference(v->Read(), c.want, 1e-6), "");
    }
  }
}

TEST_F(VariableOpsTest, ScatterShapes) {
  RefPtr<Variable> v = MakeVariable(Ints({3}, {1, 2, 3}));
  const AttrMap attrs = ScatterAttrs(DType::kInt32);
  ASSERT_TRUE(Update("ScatterAdd", attrs, v, {Ints({2, 2}, {0, 1, 1, 0}), Ints({2, 2}, {1, 2, 3, 4})}).ok());
  EXPECT_EQ(Difference(v->Read(), Ints({3}, {6, 7, 3})), "") << "matrix of indices";
  ASSERT_TRUE(Update("ScatterAdd", attrs, v, {Ints({2}, {2, 2}), Ints({}, {5})}).ok());
  EXPECT_EQ(Difference(v->Read(), Ints({3}, {6, 7, 13})), "") << "scalar update";
  ASSERT_TRUE(Update("ScatterUpdate", attrs, v, {Ints({}, {1}), Ints({}, {0})}).ok());
  EXPECT_EQ(Difference(v->Read(), Ints({3}, {6, 0, 13})), "") << "scalar index";
  ASSERT_TRUE(Update("ScatterAdd", attrs, v, {Ints({0}, {}), Ints({0}, {})}).ok());
  EXPECT_EQ(Difference(v->Read(), Ints({3}, {6, 0, 13})), "") << "no index";
  v = MakeVariable(Ints({2, 0}, {}));
  EXPECT_TRUE(Update("ScatterAdd", attrs, v, {Ints({1}, {1}), Ints({1, 0}, {})}).ok());
  v = MakeVariable(Ints({0, 2}, {}));
  ExpectInvalid(Update("ScatterAdd", attrs, v, {Ints({1}, {0}), Ints({1, 2}, {1, 1})}), "indices[0]");
}

TEST_F(VariableOpsTest, FailedScatterWritesNothing) {
  const RefPtr<Variable> v = MakeVariable(Ints({3}, {1, 2, 3}));
  const AttrMap attrs = ScatterAttrs(DType::kInt32);
  ExpectInvalid(Update("ScatterAdd", attrs, v, {Ints({2}, {0, 3}), Ints({2}, {5, 5})}), "indices[1]");
  ExpectInvalid(Update("ScatterAdd", attrs, v, {Ints({2}, {0, -1}), Ints({2}, {5, 5})}), "indices[1]");
  ExpectInvalid(Update("ScatterDiv", attrs, v, {Ints({2}, {0, 1}), Ints({2}, {1, 0})}), "divisors other than 0");
  ExpectInvalid(Update("ScatterAdd", attrs, v, {Ints({2}, {0, 1}), Ints({3}, {1, 1, 1})}), "expected shape [2] or []");
  const RefPtr<Variable> scalar = MakeVariable(Ints({}, {1}));
  ExpectInvalid(Update("ScatterAdd", attrs, scalar, {Ints({1}, {0}), Ints({1}, {1})}), "at least one dimension");
  EXPECT_EQ(Difference(v->Read(), Ints({3}, {1, 2, 3})), "");
}

TEST_F(VariableOpsTest, SmallestIntegerDividedByMinusOneWraps) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  const RefPtr<Variable> v = MakeVariable(Ints({1}, {kMin}));
  ASSERT_TRUE(Update("ScatterDiv", ScatterAttrs(DType::kInt32), v, {Ints({1}, {0}), Ints({}, {-1})}).ok());
  EXPECT_EQ(v->Read().data<int32_t>()[0], kMin);
}

TEST_F(VariableOpsTest, IsVariableInitialized) {
  OpTester tester(library_, "IsVariableInitialized", {{"dtype", DType::kFloat32}});
  ExpectOutput(tester, {RefTo(MakeRef<Variable>(DType::kFloat32, "v"))}, Tensor::Scalar(false));
  ExpectOutput(tester, {RefTo(MakeVariable(Floats({0}, {})))}, Tensor::Scalar(true));
}

TEST_F(VariableOpsTest, CountUpToStopsAtTheLimit) {
  const RefPtr<Variable> v = MakeVariable(Longs({}, {1}));
  const AttrMap attrs{{"T", DType::kInt64}, {"limit", 3}};
  StepRunner step(library_, &resources_);
  for (const int64_t want : {1, 2}) EXPECT_EQ((*step.Run("CountUpTo", attrs, {RefTo(v)}))[0].scalar<int64_t>(), want);
  const absl::Status status = step.Run("CountUpTo", attrs, {RefTo(v)}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("reached limit of 3"));
  EXPECT_EQ(v->Read().scalar<int64_t>(), 3);
  const RefPtr<Variable> vector = MakeVariable(Longs({2}, {1, 1}));
  ExpectInvalid(step.Run("CountUpTo", attrs, {RefTo(vector)}).status(), "expected shape [], got [2]");
}

TEST_F(VariableOpsTest, TemporaryVariableLivesUntilDestroyed) {
  const AttrMap attrs{{"dtype", DType::kFloat32}, {"shape", PartialShape::Of({2})}, {"var_name", "t"}};
  const AttrMap destroy{{"T", DType::kFloat32}, {"var_name", "t"}};
  StepRunner step(library_, &resources_);
  absl::StatusOr<std::vector<Tensor>> temporary = step.Run("TemporaryVariable", attrs, {});
  ASSERT_TRUE(temporary.ok()) << temporary.status();
  EXPECT_EQ(step.Run("TemporaryVariable", attrs, {}).status().code(), absl::StatusCode::kAlreadyExists);
  ASSERT_TRUE(step.Run("AssignAdd", Attrs(DType::kFloat32, false), {(*temporary)[0], Floats({2}, {3, 4})}).ok());

  step.set_frame_tag("loop;1");
  EXPECT_TRUE(step.Run("TemporaryVariable", attrs, {}).ok()) << "another iteration";
  step.set_frame_tag("");

  const absl::StatusOr<std::vector<Tensor>> value = step.Run("DestroyTemporaryVariable", destroy, {(*temporary)[0]});
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(Difference((*value)[0], Floats({2}, {3, 4})), "");
  EXPECT_EQ(step.Run("DestroyTemporaryVariable", destroy, {(*temporary)[0]}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(step.Run("TemporaryVariable", attrs, {}).ok());
  EXPECT_THAT(resources_.List(), testing::IsEmpty());
  ExpectInvalid(step.Run("TemporaryVariable", attrs.With("shape", PartialShape::Of({-1})), {}).status(),
                "expected a complete shape, got [?]");
}

TEST_F(VariableOpsTest, ShapeFunctions) {
  const PartialShape unknown, two = PartialShape::Of({2}), any = PartialShape::Of({-1});
  const auto infer = [&](const std::string& op, const AttrMap& attrs, const std::vector<PartialShape>& inputs) {
    const absl::StatusOr<std::vector<PartialShape>> shapes = InferShapes(library_, op, attrs, inputs);
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  };
  const AttrMap variable = VariableAttrs(DType::kFloat32, any);
  EXPECT_EQ(infer("VariableV2", variable, {}), "[?]");
  EXPECT_EQ(infer("VariableV2", variable.With("shape", PartialShape(Shape())), {}), "[]");
  EXPECT_EQ(infer("Variable", variable.With("shape", PartialShape(Shape())), {}), unknown.ToString());
  const AttrMap assign{{"T", DType::kFloat32}, {"validate_shape", true}};
  EXPECT_EQ(infer("Assign", assign, {any, two}), "[2]");
  EXPECT_EQ(infer("Assign", assign, {PartialShape::Of({3}), two}), "INVALID_ARGUMENT");
  EXPECT_EQ(infer("Assign", assign.With("validate_shape", false), {PartialShape::Of({3}), two}), "[2]");
  EXPECT_EQ(infer("AssignAdd", Attrs(DType::kFloat32, false), {unknown, two}), "[2]");
  const AttrMap scatter = ScatterAttrs(DType::kFloat32);
  EXPECT_EQ(infer("ScatterAdd", scatter, {PartialShape::Of({5, 2}), any, unknown}), "[5,2]");
  EXPECT_EQ(infer("ScatterAdd", scatter, {unknown, any, two}), unknown.ToString());
  EXPECT_EQ(infer("ScatterAdd", scatter, {PartialShape::Of({5, 2}), any, PartialShape::Of({4, 3})}),
            "INVALID_ARGUMENT");
  EXPECT_EQ(infer("ScatterAdd", scatter, {PartialShape(Shape()), any, any}), "INVALID_ARGUMENT");
  EXPECT_EQ(infer("CountUpTo", {{"T", DType::kInt32}, {"limit", 1}}, {unknown}), "[]");
  EXPECT_EQ(infer("CountUpTo", {{"T", DType::kInt32}, {"limit", 1}}, {two}), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace flowlatch
