#include "ops/resource_variable_ops.h"

#include <thread>

#include "ops/gather_ops.h"
#include "runtime/resource/variable.h"
#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;

class ResourceVariableOpsTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterResourceVariableOps(library_).ok());
    ASSERT_TRUE(RegisterGatherOps(library_).ok());
    handle_ = Handle("v");
  }
  Tensor Handle(const std::string& name, DType dtype = DType::kFloat32) {
    const absl::StatusOr<std::vector<Tensor>> out = step_.Run(
        "VarHandleOp", {{"dtype", dtype}, {"shape", PartialShape()}, {"container", ""}, {"shared_name", name}}, {});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  absl::Status Run(const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs) {
    return step_.Run(op, attrs, inputs).status();
  }
  absl::Status Assign(const Tensor& handle, const Tensor& value, bool validate_shape = false) {
    return Run("AssignVariableOp", {{"dtype", value.dtype()}, {"validate_shape", validate_shape}}, {handle, value});
  }
  absl::StatusOr<Tensor> Read(const Tensor& handle, DType dtype = DType::kFloat32) {
    absl::StatusOr<std::vector<Tensor>> out = step_.Run("ReadVariableOp", {{"dtype", dtype}}, {handle});
    if (!out.ok()) return out.status();
    return (*out)[0];
  }
  void ExpectValue(const Tensor& handle, const Tensor& want) {
    const absl::StatusOr<Tensor> value = Read(handle, want.dtype());
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(Difference(*value, want, 1e-6), "");
  }
  static AttrMap DTypeAttr(DType dtype) { return {{"dtype", dtype}}; }
  static AttrMap IndexedAttrs(DType dtype) { return {{"dtype", dtype}, {"Tindices", DType::kInt32}}; }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
  Tensor handle_;
};

TEST_F(ResourceVariableOpsTest, AssignsReadsAndUpdates) {
  ASSERT_TRUE(Assign(handle_, Floats({2}, {1, 2})).ok());
  ExpectValue(handle_, Floats({2}, {1, 2}));
  ASSERT_TRUE(Run("AssignAddVariableOp", DTypeAttr(DType::kFloat32), {handle_, Floats({2}, {10, 20})}).ok());
  ExpectValue(handle_, Floats({2}, {11, 22}));
  ASSERT_TRUE(Run("AssignSubVariableOp", DTypeAttr(DType::kFloat32), {handle_, Floats({2}, {1, 2})}).ok());
  ExpectValue(handle_, Floats({2}, {10, 20}));
  ASSERT_TRUE(Assign(handle_, Floats({1, 3}, {1, 2, 3})).ok());
  ExpectValue(handle_, Floats({1, 3}, {1, 2, 3}));
}

TEST_F(ResourceVariableOpsTest, HandlesOfOneNameAreOneVariableEvenWithoutAName) {
  ASSERT_TRUE(Assign(Handle(""), Floats({}, {3})).ok());
  ExpectValue(Handle(""), Floats({}, {3}));
  EXPECT_FALSE(Read(Handle("other")).ok());
}

TEST_F(ResourceVariableOpsTest, AnonymousHandlesAreVariablesOfTheirOwn) {
  const char* kAnonymous = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";
  const Tensor a = Handle(kAnonymous), b = Handle(kAnonymous);
  ASSERT_TRUE(Assign(a, Floats({}, {1})).ok());
  ASSERT_TRUE(Assign(b, Floats({}, {2})).ok());
  ExpectValue(a, Floats({}, {1}));
  ExpectValue(b, Floats({}, {2}));
  EXPECT_THAT(resources_.List(), testing::IsEmpty());
  ExpectInvalid(Assign(a, Ints({}, {1})), "expected dtype float32, got int32");
}

TEST_F(ResourceVariableOpsTest, ValuesOnceReadNeverChange) {
  ASSERT_TRUE(Assign(handle_, Floats({2, 1}, {1, 2})).ok());
  const Tensor read = *Read(handle_);
  ASSERT_TRUE(Run("AssignAddVariableOp", DTypeAttr(DType::kFloat32), {handle_, Floats({2, 1}, {5, 5})}).ok());
  const Tensor second = *Read(handle_);
  ASSERT_TRUE(
      Run("ResourceScatterUpdate", IndexedAttrs(DType::kFloat32), {handle_, Ints({1}, {0}), Floats({1, 1}, {9})}).ok());
  EXPECT_EQ(Difference(read, Floats({2, 1}, {1, 2})), "");
  EXPECT_EQ(Difference(second, Floats({2, 1}, {6, 7})), "");
  ExpectValue(handle_, Floats({2, 1}, {9, 7}));
}

TEST_F(ResourceVariableOpsTest, UpdatesWithoutReadersStayInPlace) {
  ASSERT_TRUE(Assign(handle_, *Tensor::Zeros(DType::kFloat32, Shape::Of({64}))).ok());
  const Tensor ones = *Tensor::Zeros(DType::kFloat32, Shape::Of({64}));
  ASSERT_TRUE(Run("AssignAddVariableOp", DTypeAttr(DType::kFloat32), {handle_, ones}).ok());
  const void* before = Read(handle_)->raw_data();
  ASSERT_TRUE(Run("AssignAddVariableOp", DTypeAttr(DType::kFloat32), {handle_, ones}).ok());
  EXPECT_EQ(Read(handle_)->raw_data(), before);
}

TEST_F(ResourceVariableOpsTest, AssignTakesTheBufferButNotOneThatIsLent) {
  const Tensor value = Floats({2}, {1, 2});
  ASSERT_TRUE(Assign(handle_, value).ok());
  EXPECT_TRUE(Read(handle_)->SharesBufferWith(value));
  ASSERT_TRUE(Run("AssignAddVariableOp", DTypeAttr(DType::kFloat32), {handle_, Floats({2}, {1, 1})}).ok());
  EXPECT_EQ(Difference(value, Floats({2}, {1, 2})), "") << "the value given was changed";
  float lent[] = {3, 4};
  absl::StatusOr<Tensor> borrowed = Tensor::Borrow(DType::kFloat32, Shape::Of({2}), lent, [] {});
  ASSERT_TRUE(Assign(handle_, *borrowed).ok());
  EXPECT_FALSE(Read(handle_)->is_borrowed());
}

TEST_F(ResourceVariableOpsTest, CopyOnReadModeEndsWhenAsked) {
  ASSERT_TRUE(Assign(handle_, Floats({2}, {1, 2})).ok());
  const RefPtr<Variable> variable = *resources_.Lookup<Variable>("", "v");
  ASSERT_TRUE(variable->StartCopyOnRead(nullptr).ok());
  EXPECT_FALSE(Read(handle_)->SharesBufferWith(variable->value));
  const Tensor value = Floats({3}, {3, 4, 5});
  ASSERT_TRUE(Assign(handle_, value).ok());
  EXPECT_FALSE(variable->value.SharesBufferWith(value)) << "the variable needs memory of its own";
  EXPECT_FALSE(Read(handle_)->SharesBufferWith(variable->value)) << "assignments do not end the mode";
  ExpectValue(handle_, value);
  ASSERT_TRUE(Run("DisableCopyOnRead", {}, {handle_}).ok());
  EXPECT_TRUE(Read(handle_)->SharesBufferWith(variable->value));
}

TEST_F(ResourceVariableOpsTest, SeveralHandlesAndReads) {
  const AttrMap attrs{{"N", int64_t{2}},
                      {"containers", std::vector<std::string>{"", "other"}},
                      {"shared_names", std::vector<std::string>{"v", "v"}},
                      {"dtypes", std::vector<DType>{DType::kFloat32, DType::kInt32}},
                      {"shapes", std::vector<PartialShape>{PartialShape::Of({2}), PartialShape()}}};
  const absl::StatusOr<std::vector<Tensor>> handles = step_.Run("_VarHandlesOp", attrs, {});
  ASSERT_TRUE(handles.ok()) << handles.status();
  ASSERT_TRUE(Assign((*handles)[0], Floats({2}, {1, 2})).ok());
  ASSERT_TRUE(Assign((*handles)[1], Ints({}, {3})).ok());
  ExpectValue(handle_, Floats({2}, {1, 2}));
  const AttrMap read_attrs{{"N", int64_t{2}}, {"dtypes", std::vector<DType>{DType::kFloat32, DType::kInt32}}};
  const absl::StatusOr<std::vector<Tensor>> values = step_.Run("_ReadVariablesOp", read_attrs, *handles);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(Difference((*values)[0], Floats({2}, {1, 2})), "");
  EXPECT_EQ(Difference((*values)[1], Ints({}, {3})), "");
  ExpectInvalid(step_.Run("_VarHandlesOp", attrs.With("containers", std::vector<std::string>{""}), {}).status(),
                "expected 2 values each, got 1, 2, 2 and 2");
  EXPECT_EQ(step_.Run("_ReadVariablesOp", read_attrs, {handle_, Handle("missing", DType::kInt32)}).status().code(),
            absl::StatusCode::kFailedPrecondition);

  const OpSchema* schema = library_.registry().FindRegistered("_VarHandlesOp");
  ShapeContext made(*schema, attrs, {}, {}, 2);
  ASSERT_TRUE(schema->shape_function()(made).ok());
  EXPECT_EQ(made.output_handles()[0]->shape.ToString(), "[2]");
  EXPECT_EQ(made.output_handles()[1]->dtype, DType::kInt32);
  const OpSchema* reader = library_.registry().FindRegistered("_ReadVariablesOp");
  ShapeContext read(*reader, read_attrs, {PartialShape(Shape()), PartialShape(Shape())}, {nullptr, nullptr}, 2);
  read.SetInputHandles({&*made.output_handles()[0], nullptr});
  ASSERT_TRUE(reader->shape_function()(read).ok());
  EXPECT_EQ(read.outputs()[0].ToString(), "[2]");
  EXPECT_FALSE(read.outputs()[1].has_rank());
}

TEST_F(ResourceVariableOpsTest, MissingVariables) {
  const absl::Status read = Read(handle_).status();
  EXPECT_EQ(read.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(read.message()), HasSubstr("variable 'v': expected a value"));
  const Tensor one = Floats({1}, {1});
  const absl::Status not_found[] = {
      Run("AssignAddVariableOp", DTypeAttr(DType::kFloat32), {handle_, one}),
      Run("ResourceScatterAdd", IndexedAttrs(DType::kFloat32), {handle_, Ints({1}, {0}), one}),
      Run("ResourceGather", IndexedAttrs(DType::kFloat32), {handle_, Ints({1}, {0})}),
      Run("VariableShape", {{"out_type", DType::kInt32}}, {handle_}),
      Run("DisableCopyOnRead", {}, {handle_}),
      Run("ResourceCountUpTo", {{"T", DType::kInt32}, {"limit", 1}}, {handle_}),
      Run("DestroyResourceOp", {{"ignore_lookup_error", false}}, {handle_}),
  };
  for (const absl::Status& status : not_found) EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
  EXPECT_TRUE(Run("DestroyResourceOp", {}, {handle_}).ok());
}

TEST_F(ResourceVariableOpsTest, VarIsInitialized) {
  const auto is_initialized = [&] { return (*step_.Run("VarIsInitializedOp", {}, {handle_}))[0].scalar<bool>(); };
  EXPECT_FALSE(is_initialized());
  ASSERT_TRUE(Assign(handle_, Floats({0}, {})).ok());
  EXPECT_TRUE(is_initialized());
  ASSERT_TRUE(Run("DestroyResourceOp", {}, {handle_}).ok());
  EXPECT_FALSE(is_initialized());
  ASSERT_TRUE(Assign(handle_, Floats({1}, {1})).ok());
  ExpectValue(handle_, Floats({1}, {1}));
}

TEST_F(ResourceVariableOpsTest, HandlesOfNoVariable) {
  const Tensor empty = Tensor::Scalar(ResourceHandle());
  EXPECT_EQ(Read(empty).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE((*step_.Run("VarIsInitializedOp", {}, {empty}))[0].scalar<bool>());
  ExpectInvalid(Assign(empty, Floats({1}, {1})), "got an empty one");
  ExpectInvalid(Run("VariableShape", {{"out_type", DType::kInt32}}, {empty}), "got an empty one");
}

TEST_F(ResourceVariableOpsTest, WrongDTypesShapesAndHandles) {
  ASSERT_TRUE(Assign(handle_, Floats({2}, {1, 2})).ok());
  ExpectInvalid(Read(handle_, DType::kInt32).status(), "expected dtype float32, got int32");
  ExpectInvalid(Assign(handle_, Ints({2}, {1, 2})), "expected dtype float32, got int32");
  ExpectInvalid(Assign(handle_, Floats({3}, {1, 2, 3}), true), "value: expected shape [2], got [3]");
  ExpectInvalid(Run("AssignAddVariableOp", DTypeAttr(DType::kFloat32), {handle_, Floats({}, {1})}),
                "value: expected shape [2], got []");
  ExpectInvalid(Run("AssignAddVariableOp", DTypeAttr(DType::kInt32), {handle_, Ints({2}, {1, 1})}), "expected dtype");
  EXPECT_EQ(Run("AssignAddVariableOp", DTypeAttr(DType::kString), {handle_, Strings({}, {""})}).code(),
            absl::StatusCode::kUnimplemented);
  ExpectInvalid(Read(*Tensor::Make(DType::kResource, Shape::Of({2}))).status(), "expected one handle, got shape [2]");
  ExpectInvalid(Read(*Tensor::Make(DType::kResource, Shape::Of({0}))).status(), "expected one handle, got shape [0]");
}

TEST_F(ResourceVariableOpsTest, VariableShape) {
  ASSERT_TRUE(Assign(handle_, Floats({1, 2}, {1, 2})).ok());
  EXPECT_EQ(Difference((*step_.Run("VariableShape", {{"out_type", DType::kInt32}}, {handle_}))[0], Ints({2}, {1, 2})),
            "");
  ASSERT_TRUE(Assign(handle_, Floats({}, {1})).ok());
  EXPECT_EQ(Difference((*step_.Run("VariableShape", {{"out_type", DType::kInt64}}, {handle_}))[0], Longs({0}, {})), "");
}

TEST_F(ResourceVariableOpsTest, Gathers) {
  ASSERT_TRUE(Assign(handle_, Floats({2, 3}, {1, 2, 3, 4, 5, 6})).ok());
  const auto gather = [&](int64_t batch_dims, const Tensor& indices) {
    return step_.Run("ResourceGather", IndexedAttrs(DType::kFloat32).With("batch_dims", batch_dims),
                     {handle_, indices});
  };
  EXPECT_EQ(Difference((*gather(0, Ints({2}, {1, 0})))[0], Floats({2, 3}, {4, 5, 6, 1, 2, 3})), "");
  EXPECT_EQ(Difference((*gather(1, Ints({2, 1}, {2, 0})))[0], Floats({2, 1}, {3, 4})), "");
  EXPECT_EQ(Difference((*gather(0, Ints({0}, {})))[0], Floats({0, 3}, {})), "");
  ExpectInvalid(gather(0, Ints({1}, {2})).status(), "indices[0]");
  ExpectInvalid(gather(-1, Ints({1}, {0})).status(), "batch_dims");
  const auto nd = step_.Run("ResourceGatherNd", IndexedAttrs(DType::kFloat32), {handle_, Ints({2, 2}, {1, 2, 0, 0})});
  ASSERT_TRUE(nd.ok()) << nd.status();
  EXPECT_EQ(Difference((*nd)[0], Floats({2}, {6, 1})), "");
  ExpectInvalid(Run("ResourceGather", IndexedAttrs(DType::kInt32), {handle_, Ints({1}, {0})}), "expected dtype");
}

TEST_F(ResourceVariableOpsTest, ScatterFamily) {
  struct Case {
    const char* op;
    Tensor want;
  };
  // Rows 2, 0, 2 of [1 2 3] get 10, 2, 5.
  const Case cases[] = {
      {"ResourceScatterUpdate", Floats({3}, {2, 2, 5})},   {"ResourceScatterAdd", Floats({3}, {3, 2, 18})},
      {"ResourceScatterSub", Floats({3}, {-1, 2, -12})},   {"ResourceScatterMul", Floats({3}, {2, 2, 150})},
      {"ResourceScatterDiv", Floats({3}, {0.5, 2, 0.06})}, {"ResourceScatterMin", Floats({3}, {1, 2, 3})},
      {"ResourceScatterMax", Floats({3}, {2, 2, 10})},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.op);
    ASSERT_TRUE(Assign(handle_, Floats({3}, {1, 2, 3})).ok());
    ASSERT_TRUE(
        Run(c.op, IndexedAttrs(DType::kFloat32), {handle_, Ints({3}, {2, 0, 2}), Floats({3}, {10, 2, 5})}).ok());
    ExpectValue(handle_, c.want);
    ExpectInvalid(Run(c.op, IndexedAttrs(DType::kFloat32), {handle_, Ints({2}, {0, 3}), Floats({}, {7})}),
                  "indices[1]");
    ExpectInvalid(Run(c.op, IndexedAttrs(DType::kFloat32), {handle_, Ints({2}, {0, 1}), Floats({2, 2}, {1, 1, 1, 1})}),
                  "updates: expected shape [2] or []");
    ExpectValue(handle_, c.want);
  }
}

TEST_F(ResourceVariableOpsTest, StringsScatterToo) {
  const Tensor words = Handle("words", DType::kString);
  ASSERT_TRUE(Assign(words, Strings({2}, {"a", "b"})).ok());
  ASSERT_TRUE(
      Run("ResourceScatterUpdate", IndexedAttrs(DType::kString), {words, Ints({1}, {1}), Strings({}, {"c"})}).ok());
  ExpectValue(words, Strings({2}, {"a", "c"}));
}

TEST_F(ResourceVariableOpsTest, CountUpTo) {
  const Tensor counter = Handle("counter", DType::kInt32);
  ASSERT_TRUE(Assign(counter, Ints({}, {1})).ok());
  const AttrMap attrs{{"T", DType::kInt32}, {"limit", 2}};
  EXPECT_EQ((*step_.Run("ResourceCountUpTo", attrs, {counter}))[0].scalar<int32_t>(), 1);
  EXPECT_EQ(Run("ResourceCountUpTo", attrs, {counter}).code(), absl::StatusCode::kOutOfRange);
}

TEST_F(ResourceVariableOpsTest, UpdatesFromSeveralThreadsAreAtomic) {
  constexpr int kThreads = 4, kUpdates = 300, kElements = 64;
  ASSERT_TRUE(Assign(handle_, *Tensor::Zeros(DType::kFloat32, Shape::Of({kElements}))).ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      StepRunner step(library_, &resources_);
      Tensor ones = *Tensor::Make(DType::kFloat32, Shape::Of({kElements}));
      for (float& x : ones.mutable_values<float>()) x = 1;
      for (int i = 0; i < kUpdates; ++i) {
        ASSERT_TRUE(step.Run("AssignAddVariableOp", DTypeAttr(DType::kFloat32), {handle_, ones}).ok());
        const absl::StatusOr<std::vector<Tensor>> read =
            step.Run("ReadVariableOp", DTypeAttr(DType::kFloat32), {handle_});
        ASSERT_TRUE(read.ok());
        for (const float x : (*read)[0].values<float>()) ASSERT_EQ(x, (*read)[0].data<float>()[0]) << "half an update";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Read(handle_)->data<float>()[0], kThreads * kUpdates);
}

TEST_F(ResourceVariableOpsTest, ShapeFunctions) {
  const PartialShape unknown, handle = PartialShape(Shape());
  const auto infer = [&](const std::string& op, const AttrMap& attrs, const std::vector<PartialShape>& inputs) {
    return InferShapes(library_, op, attrs, inputs);
  };
  EXPECT_EQ((*infer("VariableShape", {{"out_type", DType::kInt32}}, {handle}))[0].ToString(), "[?]");
  EXPECT_EQ((*infer("VarIsInitializedOp", {}, {handle}))[0].ToString(), "[]");
  EXPECT_FALSE((*infer("ReadVariableOp", DTypeAttr(DType::kFloat32), {handle}))[0].has_rank());
  EXPECT_TRUE(
      infer("ResourceScatterAdd", IndexedAttrs(DType::kFloat32), {handle, unknown, PartialShape::Of({-1})}).ok());
}

TEST_F(ResourceVariableOpsTest, ShapeFunctionsKnowTheDTypeBehindAHandle) {
  const OpSchema* schema = library_.registry().FindRegistered("VarHandleOp");
  const AttrMap attrs{{"dtype", DType::kInt32}, {"shape", PartialShape::Of({2})}};
  ShapeContext made(*schema, attrs, {}, {}, 1);
  ASSERT_TRUE(schema->shape_function()(made).ok());
  ASSERT_TRUE(made.output_handles()[0].has_value());
  const HandleData& data = *made.output_handles()[0];
  EXPECT_EQ(data.dtype, DType::kInt32);
  EXPECT_EQ(data.shape.ToString(), "[2]");
  const auto infer = [&](const std::string& op, const std::string& type_attr, DType dtype) {
    const OpSchema* user = library_.registry().FindRegistered(op);
    const AttrMap user_attrs{{type_attr, dtype}};
    ShapeContext c(*user, user_attrs, {PartialShape(Shape()), PartialShape(), PartialShape()}, {nullptr, nullptr, nullptr},
                   1);
    c.SetInputHandles({&data, nullptr, nullptr});
    return user->shape_function()(c);
  };
  for (const char* op : {"ReadVariableOp", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp",
                         "ResourceGather", "ResourceGatherNd", "ResourceScatterUpdate", "ResourceScatterMax"}) {
    EXPECT_TRUE(infer(op, "dtype", DType::kInt32).ok()) << op;
    ExpectInvalid(infer(op, "dtype", DType::kFloat32), "variable: expected dtype int32 of its handle, got float32");
  }
  EXPECT_TRUE(infer("ResourceCountUpTo", "T", DType::kInt32).ok());
  ExpectInvalid(infer("ResourceCountUpTo", "T", DType::kInt64), "expected dtype int32 of its handle, got int64");
}

}  // namespace
}  // namespace flowlatch
