#include "runtime/kernel/kernel.h"

#include <atomic>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "graph/schema/shape_context.h"
#include "gtest/gtest.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

class TestStep final : public StepContext {
 public:
  TestStep() : StepContext(services_) {}
  void Fail(uint32_t node, absl::Status status) override {
    failed_node = node;
    failure = std::move(status);
  }
  StepServices services_;
  uint32_t failed_node = 0;
  absl::Status failure;
};

class NoMemory final : public Allocator {
 public:
  void* Allocate(size_t) override { return nullptr; }
  void Free(void*, size_t) override {}
};

// Calls with inputs in slots 0, 1, ... and room for two outputs.
class KernelCallTest : public testing::Test {
 protected:
  KernelCall Call(uint64_t forwardable) {
    positions_.resize(slots_.size());
    for (size_t i = 0; i < slots_.size(); ++i) positions_[i] = static_cast<uint32_t>(i);
    return KernelCall(&step_, slots_.data(), positions_.data(), outputs_, nullptr, static_cast<uint32_t>(slots_.size()),
                      2, forwardable, 42);
  }
  TestStep step_;
  std::vector<Tensor> slots_;
  std::vector<uint32_t> positions_;
  Tensor outputs_[2];
};

TEST_F(KernelCallTest, InputsAreTakenWhereNobodyElseNeedsThem) {
  slots_ = {Tensor::Vector<int32_t>({1}), Tensor::Vector<int32_t>({2})};
  KernelCall call = Call(0b10);
  EXPECT_EQ(call.TakeInput(0).data<int32_t>()[0], 1);
  EXPECT_EQ(call.TakeInput(1).data<int32_t>()[0], 2);
  EXPECT_TRUE(slots_[0].has_value());
  EXPECT_FALSE(slots_[1].has_value());
}

TEST_F(KernelCallTest, OutputsInTheMemoryOfInputs) {
  const Shape two = Shape::Of({2});
  slots_ = {Tensor::Vector<int32_t>({1, 2}), Tensor::Vector<int32_t>({3, 4}), Tensor::Vector<int32_t>({5, 6})};
  const Tensor shared = slots_[1];
  KernelCall call = Call(0b011);
  EXPECT_TRUE(call.CanForward(0));
  EXPECT_FALSE(call.CanForward(1));  // somebody else sees it
  EXPECT_FALSE(call.CanForward(2));  // somebody else will read it
  EXPECT_TRUE((*call.ForwardOrAllocate(0, 0, DType::kInt32, two))->SharesBufferWith(slots_[0]));
  EXPECT_FALSE((*call.ForwardOrAllocate(1, 1, DType::kInt32, two))->SharesBufferWith(slots_[1]));
  EXPECT_FALSE((*call.ForwardOrAllocate(1, 0, DType::kFloat32, two))->SharesBufferWith(slots_[0]));
  EXPECT_FALSE((*call.ForwardOrAllocate(1, 0, DType::kInt32, Shape::Of({2, 1})))->SharesBufferWith(slots_[0]));
}

TEST_F(KernelCallTest, OnlySixtyFourInputsAreTracked) {
  slots_.assign(65, Tensor::Vector<int32_t>({1}));
  slots_[64] = Tensor::Vector<int32_t>({2});
  KernelCall call = Call(~uint64_t{0});
  EXPECT_FALSE(call.CanForward(64));
  EXPECT_EQ(call.TakeInput(64).data<int32_t>()[0], 2);
  EXPECT_TRUE(slots_[64].has_value());
}

TEST_F(KernelCallTest, AllocationUsesTheStepsMemory) {
  KernelCall call = Call(0);
  EXPECT_EQ((*call.AllocateOutput(0, DType::kFloat32, {2, 3}))->ShapeString(), "[2,3]");
  NoMemory none;
  step_.services_.allocator = &none;
  EXPECT_EQ(call.AllocateOutput(0, DType::kFloat32, {2, 3}).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(call.AllocateOutput(0, DType::kFloat32, {-1}).status().code(), absl::StatusCode::kInvalidArgument);
}

absl::Status Refuse(KernelCall&) { return absl::OutOfRangeError("too far"); }
absl::Status Accept(KernelCall&) { return absl::OkStatus(); }

TEST_F(KernelCallTest, FailuresReachTheStep) {
  KernelCall call = Call(0);
  EXPECT_EQ(RunKernel<Accept>(call), KernelStatus::kOk);
  EXPECT_TRUE(step_.failure.ok());
  EXPECT_EQ(RunKernel<Refuse>(call), KernelStatus::kError);
  EXPECT_EQ(step_.failure, absl::OutOfRangeError("too far"));
  EXPECT_EQ(step_.failed_node, 42u);
}

TEST_F(KernelCallTest, ParallelForWithAndWithoutPool) {
  ThreadPool pool(3);
  for (ThreadPool* p : {static_cast<ThreadPool*>(nullptr), &pool}) {
    step_.services_.pool = p;
    for (const int64_t n : {0, 1, 1000}) {
      std::atomic<int64_t> items{0};
      Call(0).ParallelFor(n, 1e6, [&](int64_t begin, int64_t end) { items += end - begin; });
      EXPECT_EQ(items, n);
    }
  }
}

// --- OpLibrary
// --------------------------------------------------------------------------------------------------------

OpDefinition Definition(std::string_view signature) {
  return {.signature = signature, .doc = "fake", .shape = shapes::Unknown, .kernel = PlainKernel<Accept>};
}
absl::StatusOr<Kernel> MakeKernel(const OpLibrary& library, const OpSchema& schema, const AttrMap& attrs) {
  const std::vector<PortType> inputs = schema.InputTypes(attrs).value(), outputs = schema.OutputTypes(attrs).value();
  return library.MakeKernel(NodeInfo("n", schema, attrs, inputs, outputs));
}

TEST(OpLibraryTest, DefinitionsMustBeComplete) {
  OpLibrary library;
  EXPECT_TRUE(library.Add(Definition("A() -> ()")).ok());
  EXPECT_EQ(library.Add(Definition("A() -> ()")).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(library.Add(Definition("B(")).code(), absl::StatusCode::kInvalidArgument);
  for (int missing = 0; missing < 3; ++missing) {
    OpDefinition definition = Definition("C() -> ()");
    if (missing == 0) definition.doc = "";
    if (missing == 1) definition.shape = nullptr;
    if (missing == 2) definition.kernel = nullptr;
    const absl::Status status = library.Add(definition);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << missing;
    EXPECT_EQ(status.message(), "definition of op C: expected a doc line, a shape function and a kernel");
  }
  OpDefinition other_attr = Definition("C(x: Tidx) -> (); Tidx: type");
  other_attr.dtypes = {DType::kInt32};
  EXPECT_EQ(library.Add(other_attr).message(), "definition of op C: expected dtypes of an attr that it has, got 'T'");
  EXPECT_EQ(library.registry().FindRegistered("C"), nullptr);
  EXPECT_EQ(library.registry().Find("A")->doc(), "fake");
}

TEST(OpLibraryTest, KernelsByDtype) {
  OpLibrary library;
  OpDefinition definition = Definition("A(x: T) -> (); T: type");
  definition.dtypes = {DType::kFloat32, DType::kInt32};
  definition.may_wait = true;
  ASSERT_TRUE(library.Add(definition).ok());
  const OpSchema& a = *library.registry().Find("A");
  EXPECT_TRUE(MakeKernel(library, a, {{"T", DType::kInt32}}).ok());
  const absl::Status status = MakeKernel(library, a, {{"T", DType::kBool}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(), "kernel of A: expected T to be one of float32, int32, got bool");
  EXPECT_EQ(library.KernelTypes("A"), (DTypeSet{DType::kFloat32, DType::kInt32}));
  EXPECT_TRUE(library.KernelTypes("Nothing").empty());
  EXPECT_TRUE(library.MayWait(a));
  const OpSchema& opaque = *library.registry().Find("NoOp");
  EXPECT_FALSE(library.MayWait(opaque));
  EXPECT_EQ(MakeKernel(library, opaque, {}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(NodeInfoTest, Attributes) {
  const OpSchema schema = OpSchema::Parse("Op() -> (); n: int = 3; s: string").value();
  const AttrMap attrs{{"s", "x"}};
  const NodeInfo node("n", schema, attrs, {}, {});
  EXPECT_EQ(node.Int("n").value(), 3);
  EXPECT_EQ(node.Str("s").value(), "x");
  for (const char* name : {"s", "other"}) {
    const absl::Status status = node.Int(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr(std::string("attr '") + name + "' of op Op: expected"));
  }
}

TEST(DispatchTest, VisitsTheTypesOfTheSet) {
  const auto size = [](DType dtype) {
    return DispatchDType<kFloatTypes>(dtype, 0, []<typename T>() { return static_cast<int>(sizeof(T)); });
  };
  EXPECT_EQ(size(DType::kFloat16), 2);
  EXPECT_EQ(size(DType::kFloat64), 8);
  EXPECT_EQ(size(DType::kInt32), 0);
  EXPECT_EQ(size(DType::kInvalid), 0);
}

}  // namespace
}  // namespace flowlatch
