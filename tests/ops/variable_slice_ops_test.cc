#include "ops/variable_slice_ops.h"

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/resource/variable.h"
#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

// Each test runs on a reference and on a handle of one variable.
class VariableSliceOpsTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterVariableSliceOps(library_).ok()); }

  bool resource() const { return GetParam(); }
  std::string Name(const std::string& op) const { return resource() ? "Resource" + op : op; }
  void SetVariable(const Tensor& value) {
    RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
    key->name = "v";
    key->type_name = "Var";
    resources_.Delete(ResourceHandle(key)).IgnoreError();
    variable_ = *LookupOrCreateVariable(resources_, *key, value.dtype());
    variable_->value = *value.Clone();
    input_ = resource() ? Tensor::Scalar(ResourceHandle(key)) : Tensor::MakeRef(variable_, value.dtype());
  }
  absl::Status Run(const std::string& op, const AttrMap& attrs, std::vector<Tensor> inputs) {
    inputs.insert(inputs.begin(), input_);
    const absl::StatusOr<std::vector<Tensor>> out = step_.Run(Name(op), attrs, inputs);
    if (out.ok() && !resource()) {
      EXPECT_EQ(ReferencedVariable((*out)[0]), variable_.get());
    }
    return out.status();
  }
  static AttrMap ScatterAttrs(DType dtype, bool use_locking = true, const std::string& policy = "") {
    return {{"T", dtype}, {"Tindices", DType::kInt32}, {"use_locking", use_locking}, {"bad_indices_policy", policy}};
  }
  absl::Status Scatter(const std::string& op, const Tensor& indices, const Tensor& updates, bool use_locking = true,
                       const std::string& policy = "") {
    return Run(op, ScatterAttrs(updates.dtype(), use_locking, policy), {indices, updates});
  }
  struct Masks {
    int64_t begin = 0, end = 0, ellipsis = 0, new_axis = 0, shrink_axis = 0;
  };
  absl::Status AssignSlice(const Tensor& begin, const Tensor& end, const Tensor& strides, const Tensor& value,
                           const Masks& masks) {
    const AttrMap attrs{{"T", value.dtype()},
                        {"Index", DType::kInt32},
                        {"begin_mask", masks.begin},
                        {"end_mask", masks.end},
                        {"ellipsis_mask", masks.ellipsis},
                        {"new_axis_mask", masks.new_axis},
                        {"shrink_axis_mask", masks.shrink_axis}};
    return Run("StridedSliceAssign", attrs, {begin, end, strides, value});
  }
  void ExpectValue(const Tensor& want) { EXPECT_EQ(Difference(variable_->Read(), want), ""); }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
  RefPtr<Variable> variable_;
  Tensor input_;
};

INSTANTIATE_TEST_SUITE_P(ReferencesAndHandles, VariableSliceOpsTest, testing::Bool());

TEST_P(VariableSliceOpsTest, ScatterFamily) {
  const std::vector<std::pair<std::string, Tensor>> cases = {
      {"ScatterNdUpdate", Floats({3}, {0, 2, 9})}, {"ScatterNdAdd", Floats({3}, {3, 2, 12})},
      {"ScatterNdSub", Floats({3}, {-1, 2, -6})},  {"ScatterNdMin", Floats({3}, {0, 2, 3})},
      {"ScatterNdMax", Floats({3}, {2, 2, 9})},
  };
  for (const auto& [op, want] : cases) {
    for (const bool use_locking : {false, true}) {
      SCOPED_TRACE(op);
      SetVariable(Floats({3}, {1, 2, 3}));
      ASSERT_TRUE(Scatter(op, Ints({3, 1}, {0, 2, 0}), Floats({3}, {2, 9, 0}), use_locking).ok());
      ExpectValue(want);
    }
  }
}

TEST_P(VariableSliceOpsTest, ScattersEveryNumber) {
  const auto check = [&](const Tensor& start, const Tensor& update, const Tensor& sum) {
    SCOPED_TRACE(start.DebugString());
    SetVariable(start);
    ASSERT_TRUE(Scatter("ScatterNdAdd", Ints({1, 1}, {0}), update, false).ok());
    ExpectValue(sum);
    ASSERT_TRUE(Scatter("ScatterNdSub", Ints({1, 1}, {0}), update, false).ok());
    ExpectValue(start);
    ASSERT_TRUE(Scatter("ScatterNdUpdate", Ints({1, 1}, {0}), update, false).ok());
    ExpectValue(update);
  };
  check(Of<double>({1}, {1}), Of<double>({1}, {2}), Of<double>({1}, {3}));
  check(Of<Half, float>({1}, {1}), Of<Half, float>({1}, {2}), Of<Half, float>({1}, {3}));
  check(Of<BFloat16, float>({1}, {1}), Of<BFloat16, float>({1}, {2}), Of<BFloat16, float>({1}, {3}));
  check(Of<int8_t>({1}, {127}), Of<int8_t>({1}, {1}), Of<int8_t>({1}, {-128}));
  check(Of<uint16_t>({1}, {65535}), Of<uint16_t>({1}, {1}), Of<uint16_t>({1}, {0}));
  check(Longs({1}, {1}), Longs({1}, {2}), Longs({1}, {3}));
  using C = std::complex<float>;
  check(Of<C>({1}, {C(1, 2)}), Of<C>({1}, {C(3, 4)}), Of<C>({1}, {C(4, 6)}));
  using Z = std::complex<double>;
  check(Of<Z>({1}, {Z(1, 2)}), Of<Z>({1}, {Z(3, 4)}), Of<Z>({1}, {Z(4, 6)}));
}

TEST_P(VariableSliceOpsTest, StringsAndBools) {
  SetVariable(Strings({2}, {"a", "a string too long to be small"}));
  const Tensor read = variable_->Read();
  ASSERT_TRUE(Scatter("ScatterNdUpdate", Ints({1, 1}, {1}), Strings({1}, {"b"}), false).ok());
  ExpectValue(Strings({2}, {"a", "b"}));
  EXPECT_EQ(Difference(read, Strings({2}, {"a", "a string too long to be small"})), "");
  if (!resource()) return;  // references take numbers only
  SetVariable(Bools({3}, {true, true, false}));
  ASSERT_TRUE(Scatter("ScatterNdSub", Ints({3, 1}, {0, 2, 0}), Bools({3}, {true, true, false})).ok());
  ExpectValue(Bools({3}, {false, true, true}));
  ASSERT_TRUE(Scatter("ScatterNdAdd", Ints({1, 1}, {0}), Bools({1}, {true})).ok());
  ExpectValue(Bools({3}, {true, true, true}));
  EXPECT_EQ(Scatter("ScatterNdMin", Ints({1, 1}, {0}), Bools({1}, {true})).code(), absl::StatusCode::kUnimplemented);
}

TEST_P(VariableSliceOpsTest, ScatterShapes) {
  SetVariable(Floats({2, 2}, {1, 2, 3, 4}));
  ASSERT_TRUE(Scatter("ScatterNdAdd", Ints({2, 1}, {1, 0}), Floats({2, 2}, {5, 6, 7, 8})).ok());
  ExpectValue(Floats({2, 2}, {8, 10, 8, 10}));
  ASSERT_TRUE(Scatter("ScatterNdAdd", Ints({1, 2, 2}, {1, 0, 0, 1}), Floats({1, 2}, {1, 2})).ok());
  ExpectValue(Floats({2, 2}, {8, 12, 9, 10}));
  ASSERT_TRUE(Scatter("ScatterNdAdd", Ints({0, 1}, {}), Floats({0, 2}, {})).ok());
  ExpectValue(Floats({2, 2}, {8, 12, 9, 10}));
  SetVariable(Floats({0, 2}, {}));
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({1, 1}, {0}), Floats({1, 2}, {1, 2})), "expected elements in both");
}

TEST_P(VariableSliceOpsTest, FailedScatterWritesNothing) {
  SetVariable(Floats({3}, {1, 2, 3}));
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({2, 1}, {0, 3}), Floats({2}, {1, 1})),
                "indices[1]: expected a place in shape [3], got [3]");
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({1, 1}, {-1}), Floats({1}, {1})), "indices[0]");
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({1, 2}, {0, 0}), Floats({1}, {1})), "last dimension of indices");
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({1, 1}, {0}), Floats({2}, {1, 1})), "updates: expected shape [1]");
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({1}, {0}), Floats({}, {1})), "updates: expected at least one dimension");
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({2, 1}, {0, 3}), Floats({2}, {1, 1}), true, "SKIP"), "bad_indices_policy");
  ExpectValue(Floats({3}, {1, 2, 3}));
  ASSERT_TRUE(Scatter("ScatterNdAdd", Ints({2, 1}, {0, 3}), Floats({2}, {1, 1}), true, "IGNORE").ok());
  ExpectValue(Floats({3}, {2, 2, 3}));
}

TEST_P(VariableSliceOpsTest, MissingVariables) {
  SetVariable(Floats({1}, {1}));
  variable_->value = Tensor();
  EXPECT_EQ(Scatter("ScatterNdAdd", Ints({1, 1}, {0}), Floats({1}, {1})).code(),
            resource() ? absl::StatusCode::kNotFound : absl::StatusCode::kFailedPrecondition);
  input_ = Tensor::Scalar(ResourceHandle());
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({1, 1}, {0}), Floats({1}, {1})), "empty");
  SetVariable(Ints({1}, {1}));
  ExpectInvalid(Scatter("ScatterNdAdd", Ints({1, 1}, {0}), Floats({1}, {1})), "expected dtype int32, got float32");
}

TEST_P(VariableSliceOpsTest, ReadersSeeUpdatesOfReferencesOnly) {
  SetVariable(Floats({2}, {1, 2}));
  const Tensor read = variable_->Read();
  ASSERT_TRUE(Scatter("ScatterNdAdd", Ints({1, 1}, {0}), Floats({1}, {5})).ok());
  EXPECT_EQ(read.data<float>()[0], resource() ? 1 : 6);
  const Tensor again = variable_->Read();
  ASSERT_TRUE(AssignSlice(Ints({1}, {1}), Ints({1}, {2}), Ints({1}, {1}), Floats({1}, {9}), {}).ok());
  EXPECT_EQ(again.data<float>()[1], resource() ? 2 : 9);
}

TEST_P(VariableSliceOpsTest, UpdatesThatAreThePartOfTheVariable) {
  SetVariable(Floats({3, 1}, {1, 2, 3}));
  const Tensor first_rows = variable_->Read().Rows(0, 2);
  ASSERT_TRUE(AssignSlice(Ints({1}, {1}), Ints({1}, {3}), Ints({1}, {1}), first_rows, {}).ok());
  ExpectValue(Floats({3, 1}, {1, 1, 2}));
  const Tensor rows = variable_->Read().Rows(1, 2);
  ASSERT_TRUE(Scatter("ScatterNdUpdate", Ints({2, 1}, {2, 0}), rows).ok());
  ExpectValue(Floats({3, 1}, {2, 1, 1}));
}

TEST_P(VariableSliceOpsTest, AssignsSlices) {
  struct Case {
    const char* name;
    Tensor begin, end, strides, value, want;
    Masks masks;
  };
  const Case cases[] = {
      {"scalar",
       Ints({2}, {0, 0}),
       Ints({2}, {1, 2}),
       Ints({2}, {1, 1}),
       Floats({}, {9}),
       Floats({2, 3}, {9, 9, 2, 3, 4, 5}),
       {}},
      {"row",
       Ints({2}, {0, 0}),
       Ints({2}, {2, 3}),
       Ints({2}, {1, 1}),
       Floats({3}, {7, 8, 9}),
       Floats({2, 3}, {7, 8, 9, 7, 8, 9}),
       {}},
      {"column",
       Ints({2}, {0, 0}),
       Ints({2}, {2, 3}),
       Ints({2}, {1, 1}),
       Floats({2, 1}, {7, 8}),
       Floats({2, 3}, {7, 7, 7, 8, 8, 8}),
       {}},
      {"leading ones",
       Ints({1}, {0}),
       Ints({1}, {1}),
       Ints({1}, {1}),
       Floats({1, 1, 3}, {7, 8, 9}),
       Floats({2, 3}, {7, 8, 9, 3, 4, 5}),
       {}},
      {"index",
       Ints({1}, {1}),
       Ints({1}, {2}),
       Ints({1}, {1}),
       Floats({3}, {7, 8, 9}),
       Floats({2, 3}, {0, 1, 2, 7, 8, 9}),
       {.shrink_axis = 1}},
      {"backwards",
       Ints({2}, {0, 2}),
       Ints({2}, {1, -4}),
       Ints({2}, {1, -1}),
       Floats({1, 3}, {1, 2, 3}),
       Floats({2, 3}, {3, 2, 1, 3, 4, 5}),
       {}},
      {"every other",
       Ints({2}, {0, 0}),
       Ints({2}, {2, 3}),
       Ints({2}, {1, 2}),
       Floats({2, 2}, {6, 7, 8, 9}),
       Floats({2, 3}, {6, 1, 7, 8, 4, 9}),
       {}},
      {"nothing",
       Ints({2}, {0, 0}),
       Ints({2}, {0, 3}),
       Ints({2}, {1, 1}),
       Floats({2}, {1, 2}),
       Floats({2, 3}, {0, 1, 2, 3, 4, 5}),
       {}},
      {"new axis",
       Ints({2}, {0, 0}),
       Ints({2}, {0, 3}),
       Ints({2}, {1, 1}),
       Floats({2, 1, 3}, {9, 9, 9, 8, 8, 8}),
       Floats({2, 3}, {9, 9, 9, 8, 8, 8}),
       {.begin = 1, .end = 1, .new_axis = 2}},
      {"element",
       Ints({2}, {1, 1}),
       Ints({2}, {2, 2}),
       Ints({2}, {1, 1}),
       Floats({1}, {7}),
       Floats({2, 3}, {0, 1, 2, 3, 7, 5}),
       {.shrink_axis = 3}},
      {"ellipsis",
       Ints({2}, {0, 2}),
       Ints({2}, {0, 3}),
       Ints({2}, {1, 1}),
       Floats({}, {7}),
       Floats({2, 3}, {0, 1, 7, 3, 4, 7}),
       {.ellipsis = 1}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    SetVariable(Floats({2, 3}, {0, 1, 2, 3, 4, 5}));
    const absl::Status status = AssignSlice(c.begin, c.end, c.strides, c.value, c.masks);
    ASSERT_TRUE(status.ok()) << status;
    ExpectValue(c.want);
  }
  SetVariable(Floats({}, {3}));
  ASSERT_TRUE(AssignSlice(Ints({0}, {}), Ints({0}, {}), Ints({0}, {}), Floats({}, {5}), {}).ok());
  ExpectValue(Floats({}, {5}));
}

TEST_P(VariableSliceOpsTest, AssignsSlicesOfEveryKindOfElement) {
  const std::vector<std::pair<Tensor, Tensor>> cases = {
      {Strings({2}, {"a", "b"}), Strings({1}, {"a string too long to be small"})},
      {Bools({2}, {true, false}), Bools({1}, {true})},
      {Of<Half, float>({2}, {1, 2}), Of<Half, float>({1}, {3})},
      {Longs({2}, {1, 2}), Longs({1}, {3})},
      {Of<std::complex<double>>({2}, {1, 2}), Of<std::complex<double>>({1}, {{3, 4}})},
      {*Tensor::Zeros(DType::kQInt8, Shape::Of({2})), *Tensor::Zeros(DType::kQInt8, Shape::Of({1}))},
  };
  for (const auto& [start, value] : cases) {
    SCOPED_TRACE(start.DebugString());
    SetVariable(start);
    ASSERT_TRUE(AssignSlice(Ints({1}, {1}), Ints({1}, {2}), Ints({1}, {1}), value, {}).ok());
    EXPECT_EQ(Difference(variable_->Read().Rows(0, 1), start.Rows(0, 1)), "");
    EXPECT_EQ(Difference(variable_->Read().Rows(1, 1), value), "");
  }
}

TEST_P(VariableSliceOpsTest, BadSlicesWriteNothing) {
  const Tensor start = Floats({2, 3}, {0, 1, 2, 3, 4, 5}), value = Floats({}, {9});
  SetVariable(start);
  ExpectInvalid(AssignSlice(Ints({2}, {0, 0}), Ints({2}, {2, 2}), Ints({2}, {1, 1}), Floats({3}, {1, 2, 3}), {}),
                "value: expected a shape that broadcasts to [2,2], got [3]");
  ExpectInvalid(AssignSlice(Ints({1}, {0}), Ints({1}, {1}), Ints({1}, {0}), value, {}), "strides[0]");
  ExpectInvalid(AssignSlice(Ints({1}, {5}), Ints({1}, {6}), Ints({1}, {1}), value, {.shrink_axis = 1}), "slice index");
  ExpectInvalid(AssignSlice(Ints({2}, {0, 0}), Ints({1}, {1}), Ints({2}, {1, 1}), value, {}), "vectors of one length");
  ExpectInvalid(AssignSlice(Ints({3}, {0, 0, 0}), Ints({3}, {1, 1, 1}), Ints({3}, {1, 1, 1}), value, {}), "at most 2");
  ExpectInvalid(AssignSlice(Ints({1}, {0}), Ints({1}, {1}), Ints({1}, {1}), Ints({}, {1}), {}), "expected dtype");
  ExpectValue(start);
}

TEST_P(VariableSliceOpsTest, ShapeFunctions) {
  const PartialShape unknown, three = PartialShape::Of({3}), any = PartialShape::Of({-1});
  const OpSchema* schema = library_.registry().FindRegistered(Name("ScatterNdAdd"));
  const HandleData variable{.dtype = DType::kFloat32, .shape = PartialShape::Of({3, 2})};
  const auto scatter = [&](const PartialShape& indices, const PartialShape& updates) {
    ShapeContext c(*schema, ScatterAttrs(DType::kFloat32),
                   {resource() ? PartialShape(Shape()) : variable.shape, indices, updates}, {nullptr, nullptr, nullptr},
                   resource() ? 0 : 1);
    if (resource()) c.SetInputHandles({&variable, nullptr, nullptr});
    return schema->shape_function()(c);
  };
  EXPECT_TRUE(scatter(unknown, unknown).ok());
  EXPECT_TRUE(scatter(PartialShape::Of({-1, 1}), PartialShape::Of({4, 2})).ok());
  EXPECT_FALSE(scatter(PartialShape::Of({-1, 1}), PartialShape::Of({4, 3})).ok());
  EXPECT_FALSE(scatter(PartialShape::Of({-1, 3}), unknown).ok() && scatter(PartialShape::Of({-1, 3}), any).ok());
  const auto slice = [&](const PartialShape& end) {
    return InferShapes(library_, Name("StridedSliceAssign"), {{"T", DType::kFloat32}, {"Index", DType::kInt32}},
                       {resource() ? PartialShape(Shape()) : three, any, end, any, unknown});
  };
  const absl::StatusOr<std::vector<PartialShape>> shapes = slice(unknown);
  ASSERT_TRUE(shapes.ok()) << shapes.status();
  EXPECT_EQ(shapes->size(), resource() ? 0u : 1u);
  if (!resource()) {
    EXPECT_EQ((*shapes)[0].ToString(), "[3]");
  }
  EXPECT_FALSE(slice(PartialShape::Of({1, 1})).ok());
}

}  // namespace
}  // namespace flowlatch
