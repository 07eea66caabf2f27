// Functional control flow in its three forms gives the same answers, but for what nobody needs.
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ops/default_ops.h"
#include "runtime/session/session.h"
#include "tests/testing/test_functions.h"
#include "tests/testing/test_graph.h"

namespace flowlatch {
namespace {

using ::testing::HasSubstr;

constexpr DType kI = DType::kInt32;
constexpr char kInt[] = "T=type:DT_INT32";
constexpr char kDtype[] = "dtype=type:DT_INT32";

std::string ConstNode(const std::string& name, int value, const std::string& controls = "") {
  return name + " Const " + controls +
         " dtype=type:DT_INT32;value=tensor{dtype:DT_INT32,tensor_shape{},int_val:" + std::to_string(value) + "}";
}

class FunctionalFormsTest : public testing::TestWithParam<FunctionalForm> {
 protected:
  FunctionalFormsTest()
      : g_(DefaultOps().registry()), functions_(std::make_shared<FunctionLibrary>(DefaultOps().registry())) {
    g_.set_library(functions_);
    AddFunction({"Double", {"x DT_INT32"}, {"r DT_INT32"}, {std::string("sum AddV2 x,x ") + kInt}, {"r sum:z:0"}});
    AddFunction({"Negate", {"x DT_INT32"}, {"r DT_INT32"}, {std::string("neg Neg x ") + kInt}, {"r neg:y:0"}});
  }
  void AddFunction(const FunctionText& text) {
    const absl::Status status = functions_->Add(Define(text));
    ASSERT_TRUE(status.ok()) << status;
  }
  void AddPlaceholder(const std::string& name, DType dtype) { g_.Add(name, "Placeholder", {}, {{"dtype", dtype}}); }
  void AddConst(const std::string& name, int value, std::vector<std::string> controls = {}) {
    g_.Add(name, "Const", std::move(controls), {{"dtype", kI}, {"value", Tensor::Scalar<int32_t>(value)}});
  }
  void AddVariable(const std::string& name) {
    g_.Add(name, "VarHandleOp", {}, {{"dtype", kI}, {"shape", PartialShape::Of({})}, {"shared_name", name}});
    g_.Add(name + "/now", "ReadVariableOp", {name}, {{"dtype", kI}});
    AddConst(name + "/zero", 0);
    g_.Add(name + "/init", "AssignVariableOp", {name, name + "/zero"}, {{"dtype", kI}});
  }
  void AddIf(const std::string& name, std::vector<std::string> inputs, const std::string& then_branch,
             const std::string& else_branch, DType condition = DType::kBool, std::vector<DType> in = {kI},
             std::vector<DType> out = {kI}) {
    g_.Add(name, "If", std::move(inputs),
           {{"Tcond", condition},
            {"Tin", std::move(in)},
            {"Tout", std::move(out)},
            {"then_branch", FunctionRef{then_branch, {}}},
            {"else_branch", FunctionRef{else_branch, {}}},
            {"_lower_using_switch_merge", true}});
  }
  Session& Open() {
    absl::StatusOr<Graph> graph = g_.Build();
    EXPECT_TRUE(graph.ok()) << graph.status();
    SessionOptions options;
    options.threads = 1;
    options.functional = GetParam();
    session_ = *Session::Create(*std::move(graph), DefaultOps(), options);
    return *session_;
  }
  absl::StatusOr<std::vector<Tensor>> Run(const Feeds& feeds, const std::vector<std::string>& fetches,
                                          const std::vector<std::string>& targets = {}) {
    if (session_ == nullptr) Open();
    return session_->Run(feeds, fetches, targets);
  }
  int32_t Int(const Feeds& feeds, const std::string& fetch) {
    const absl::StatusOr<std::vector<Tensor>> out = Run(feeds, {fetch});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() && (*out)[0].is_scalar() ? (*out)[0].scalar<int32_t>() : -999;
  }
  void ExpectError(const absl::Status& status, absl::StatusCode code, const std::vector<std::string>& texts) {
    EXPECT_EQ(status.code(), code) << status;
    for (const std::string& text : texts) EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  }
  static bool IsCalled() { return GetParam() == FunctionalForm::kCalled; }

  TestGraph g_;
  std::shared_ptr<FunctionLibrary> functions_;
  std::unique_ptr<Session> session_;
};

// f(n) = sum over i < n of (i is odd ? 2 i : -i)
TEST_P(FunctionalFormsTest, IfInWhileInFunction) {
  const std::vector<std::string> variables = {"i DT_INT32", "n DT_INT32", "sum DT_INT32"};
  AddFunction({"Below", variables, {"r DT_BOOL"}, {std::string("less Less i,n ") + kInt}, {"r less:z:0"}});
  AddFunction({"Step",
               variables,
               {"ni DT_INT32", "nn DT_INT32", "ns DT_INT32"},
               {ConstNode("one", 1), ConstNode("two", 2), std::string("next AddV2 i,one:output:0 ") + kInt,
                std::string("odd FloorMod i,two:output:0 ") + kInt,
                "term If odd:z:0,i Tcond=type:DT_INT32;Tin=list{type:DT_INT32};Tout=list{type:DT_INT32};"
                "then_branch=func{name:'Double'};else_branch=func{name:'Negate'};_lower_using_switch_merge=b:true",
                std::string("more AddV2 sum,term:output:0 ") + kInt},
               {"ni next:z:0", "nn n", "ns more:z:0"}});
  AddFunction({"SumOfTerms",
               {"n DT_INT32"},
               {"r DT_INT32"},
               {ConstNode("zero", 0),
                "while While zero:output:0,n,zero:output:0 T=list{type:DT_INT32,type:DT_INT32,type:DT_INT32};"
                "cond=func{name:'Below'};body=func{name:'Step'};_lower_using_switch_merge=b:true"},
               {"r while:output:2"}});
  AddPlaceholder("n", kI);
  g_.Add("call", "StatefulPartitionedCall", {"n"},
         {{"Tin", std::vector<DType>{kI}}, {"Tout", std::vector<DType>{kI}}, {"f", FunctionRef{"SumOfTerms", {}}}});
  g_.Add("out", "Identity", {"call"});
  for (const int n : {0, 1, 6, 50}) {
    int expected = 0;
    for (int i = 0; i < n; ++i) expected += i % 2 != 0 ? 2 * i : -i;
    EXPECT_EQ(Int({{"n", Tensor::Scalar<int32_t>(n)}}, "out"), expected) << n;
    EXPECT_EQ(Int({{"n", Tensor::Scalar<int32_t>(n)}}, "call"), expected) << n;
  }
}

// A body may wait for an argument that it does not use.
TEST_P(FunctionalFormsTest, BodyWaitsForAnArgument) {
  AddFunction({"After", {"x DT_INT32"}, {"r DT_INT32"}, {ConstNode("seven", 7, "^x")}, {"r seven:output:0"}});
  AddPlaceholder("n", kI);
  g_.Add("call", "StatefulPartitionedCall", {"n"},
         {{"Tin", std::vector<DType>{kI}}, {"Tout", std::vector<DType>{kI}}, {"f", FunctionRef{"After", {}}}});
  g_.Add("out", "Identity", {"call"});
  EXPECT_EQ(Int({{"n", Tensor::Scalar<int32_t>(1)}}, "out"), 7);
}

// As conditionals do that save values for their gradients.
TEST_P(FunctionalFormsTest, ResultsThatNobodyNeedsNeedNoKernels) {
  AddFunction({"Saving",
               {"x DT_INT32"},
               {"r DT_INT32", "saved DT_INT32"},
               {std::string("sum AddV2 x,x ") + kInt, std::string("saved_x TPUReplicatedInput sum:z:0 N=i:1;") + kInt},
               {"r sum:z:0", "saved saved_x:output:0"}});
  AddPlaceholder("p", DType::kBool);
  AddConst("x", 7);
  AddIf("if", {"p", "x"}, "Saving", "Saving", DType::kBool, {kI}, {kI, kI});
  g_.Add("out", "Identity", {"if"});
  const Feeds feeds = {{"p", Tensor::Scalar(true)}};
  if (IsCalled()) {
    ExpectError(Run(feeds, {"out"}).status(), absl::StatusCode::kUnimplemented,
                {"node 'if' (If)", "TPUReplicatedInput"});
  } else {
    EXPECT_EQ(Int(feeds, "out"), 14);
  }
  ExpectError(Run(feeds, {"if:1"}).status(), absl::StatusCode::kUnimplemented, {"TPUReplicatedInput"});
}

TEST_P(FunctionalFormsTest, ResourceInLoop) {
  const std::vector<std::string> variables = {"i DT_INT32", "v DT_RESOURCE"};
  AddFunction({"GoesOn",
               variables,
               {"r DT_BOOL"},
               {ConstNode("four", 4), std::string("less Less i,four:output:0 ") + kInt},
               {"r less:z:0"}});
  AddFunction({"Bump",
               variables,
               {"ni DT_INT32", "nv DT_RESOURCE"},
               {ConstNode("one", 1), std::string("next AddV2 i,one:output:0 ") + kInt,
                std::string("add AssignAddVariableOp v,next:z:0 ") + kDtype,
                std::string("behind Identity next:z:0,^add ") + kInt},
               {"ni behind:output:0", "nv v"}});
  AddVariable("v");
  AddConst("start", 0);
  g_.Add("while", "While", {"start", "v"},
         {{"T", std::vector<DType>{kI, DType::kResource}},
          {"cond", FunctionRef{"GoesOn", {}}},
          {"body", FunctionRef{"Bump", {}}}});
  g_.Add("read", "ReadVariableOp", {"while:1"}, {{"dtype", kI}});
  g_.Add("after", "ReadVariableOp", {"v", "^while"}, {{"dtype", kI}});
  ASSERT_TRUE(Run({}, {}, {"v/init"}).ok());
  EXPECT_EQ(Int({}, "while:0"), 4);
  EXPECT_EQ(Int({}, "v/now"), 1 + 2 + 3 + 4);
  EXPECT_EQ(Int({}, "after"), 20);
  EXPECT_EQ(Int({}, "read"), 30);  // not marked: who reads it waits for the loop
}

TEST_P(FunctionalFormsTest, ControlEdges) {
  AddFunction(
      {"AddTo",
       {"v DT_RESOURCE", "n DT_INT32"},
       {"r DT_INT32"},
       {std::string("add AssignAddVariableOp v,n ") + kDtype, std::string("now ReadVariableOp v,^add ") + kDtype},
       {"r now:value:0"}});
  AddVariable("v");
  AddPlaceholder("p", DType::kBool);
  AddConst("three", 3);
  g_.Add("before", "AssignAddVariableOp", {"v", "three"}, {{"dtype", kI}});
  AddIf("if", {"p", "v", "three", "^before"}, "AddTo", "AddTo", DType::kBool, {DType::kResource, kI});
  g_.Add("out", "Identity", {"if"}).Add("after", "ReadVariableOp", {"v", "^out"}, {{"dtype", kI}});
  ASSERT_TRUE(Run({}, {}, {"v/init"}).ok());
  EXPECT_EQ(Int({{"p", Tensor::Scalar(true)}}, "out"), 6);
  EXPECT_EQ(Int({{"p", Tensor::Scalar(false)}}, "after"), 12);
}

TEST_P(FunctionalFormsTest, BranchNotTakenDoesNotFail) {
  AddFunction({"Divide",
               {"x DT_INT32"},
               {"r DT_INT32"},
               {ConstNode("one", 1), std::string("div FloorDiv one:output:0,x ") + kInt},
               {"r div:z:0"}});
  AddPlaceholder("p", DType::kBool);
  AddPlaceholder("x", kI);
  AddIf("if", {"p", "x"}, "Divide", "Double");
  g_.Add("out", "Identity", {"if"});
  const Tensor zero = Tensor::Scalar<int32_t>(0);
  EXPECT_EQ(Int({{"p", Tensor::Scalar(false)}, {"x", zero}}, "out"), 0);
  ExpectError(Run({{"p", Tensor::Scalar(true)}, {"x", zero}}, {"out"}).status(), absl::StatusCode::kInvalidArgument,
              {"if", "div' (FloorDiv)"});
  EXPECT_EQ(Int({{"p", Tensor::Scalar(true)}, {"x", Tensor::Scalar<int32_t>(1)}}, "out"), 1);
}

TEST_P(FunctionalFormsTest, DeadInputsMakeDeadCalls) {
  AddFunction({"Five", {"x DT_INT32"}, {"r DT_INT32"}, {ConstNode("five", 5)}, {"r five:output:0"}});
  AddPlaceholder("p", DType::kBool);
  AddConst("x", 1);
  g_.Add("switch", "Switch", {"x", "p"});
  g_.Add("call", "Five", {"switch:1"}).Add("merge", "Merge", {"switch:0", "call"});
  EXPECT_EQ(Int({{"p", Tensor::Scalar(true)}}, "merge"), 5);
  EXPECT_EQ(Int({{"p", Tensor::Scalar(false)}}, "merge"), 1);
}

TEST_P(FunctionalFormsTest, CallsInOldLoops) {
  AddFunction({"Next",
               {"x DT_INT32"},
               {"r DT_INT32"},
               {ConstNode("one", 1), std::string("sum AddV2 x,one:output:0 ") + kInt},
               {"r sum:z:0"}});
  AddConst("zero", 0);
  AddConst("limit", 9);
  const AttrMap enter{{"frame_name", "loop"}};
  g_.Add("enter", "Enter", {"zero"}, enter).Add("bound", "Enter", {"limit"}, enter.With("is_constant", true));
  g_.Add("merge", "Merge", {"enter", "next"}).Add("less", "Less", {"merge", "bound"}).Add("cond", "LoopCond", {"less"});
  g_.Add("switch", "Switch", {"merge", "cond"})
      .Add("call", "Next", {"switch:1"})
      .Add("next", "NextIteration", {"call"});
  g_.Add("exit", "Exit", {"switch"});
  EXPECT_EQ(Int({}, "exit"), 9);
}

TEST_P(FunctionalFormsTest, ConditionsOfAnyKind) {
  AddPlaceholder("f", DType::kFloat32);
  AddPlaceholder("s", DType::kString);
  AddConst("x", 4);
  AddIf("float", {"f", "x"}, "Double", "Negate", DType::kFloat32);
  AddIf("string", {"s", "x"}, "Double", "Negate", DType::kString);
  const struct {
    const char *feed, *fetch;
    Tensor value;
    int expected;
  } cases[] = {
      {"f", "float", Tensor::Scalar(0.0f), -4},        {"f", "float", Tensor::Scalar(std::nanf("")), 8},
      {"f", "float", Tensor::Vector<float>({0}), 8},   {"f", "float", Tensor::Vector<float>({}), -4},
      {"s", "string", Tensor::Scalar(String("")), -4}, {"s", "string", Tensor::Scalar(String("false")), 8},
  };
  for (const auto& c : cases)
    EXPECT_EQ(Int({{c.feed, c.value}}, c.fetch), c.expected) << c.fetch << c.value.ShapeString();
}

TEST_P(FunctionalFormsTest, CaseTakesTheLastBranchOutOfRange) {
  AddPlaceholder("k", kI);
  AddConst("x", 3);
  g_.Add("case", "StatelessCase", {"k", "x"},
         {{"Tin", std::vector<DType>{kI}},
          {"Tout", std::vector<DType>{kI}},
          {"branches", std::vector<FunctionRef>{{"Double", {}}, {"Negate", {}}}}});
  g_.Add("out", "Identity", {"case"});
  for (const int k : {-1, 0, 1, 2}) EXPECT_EQ(Int({{"k", Tensor::Scalar<int32_t>(k)}}, "out"), k == 0 ? 6 : -3) << k;
  ExpectError(Run({{"k", Tensor::Vector<int32_t>({1})}}, {"out"}).status(), absl::StatusCode::kInvalidArgument,
              {"branch index: expected a scalar"});
}

TEST_P(FunctionalFormsTest, Recursion) {
  AddFunction({"One", {"n DT_INT32"}, {"r DT_INT32"}, {ConstNode("one", 1)}, {"r one:output:0"}});
  AddFunction({"Down",
               {"n DT_INT32"},
               {"r DT_INT32"},
               {ConstNode("one", 1), std::string("less Sub n,one:output:0 ") + kInt, "rest Factorial less:z:0",
                std::string("product Mul n,rest:r:0 ") + kInt},
               {"r product:z:0"}});
  AddFunction({"Factorial",
               {"n DT_INT32"},
               {"r DT_INT32"},
               {"if StatelessIf n,n Tcond=type:DT_INT32;Tin=list{type:DT_INT32};Tout=list{type:DT_INT32};"
                "then_branch=func{name:'Down'};else_branch=func{name:'One'};_lower_using_switch_merge=b:true"},
               {"r if:output:0"}});
  AddPlaceholder("n", kI);
  g_.Add("call", "Factorial", {"n"});
  EXPECT_EQ(Int({{"n", Tensor::Scalar<int32_t>(0)}}, "call"), 1);
  EXPECT_EQ(Int({{"n", Tensor::Scalar<int32_t>(10)}}, "call"), 3628800);
}

TEST_P(FunctionalFormsTest, ResultsMayBeFed) {
  AddPlaceholder("p", DType::kBool);
  AddConst("x", 5);
  AddIf("if", {"p", "x"}, "Double", "Negate");
  g_.Add("out", "Identity", {"if"});
  EXPECT_EQ(Int({{"if:0", Tensor::Scalar<int32_t>(77)}}, "out"), 77);
}

TEST_P(FunctionalFormsTest, EndlessLoopsEndAtTheDeadline) {
  AddFunction({"Always", {"i DT_INT32"}, {"r DT_INT32"}, {ConstNode("one", 1)}, {"r one:output:0"}});
  AddConst("x", 1);
  g_.Add("while", "StatelessWhile", {"x"},
         {{"T", std::vector<DType>{kI}},
          {"cond", FunctionRef{"Always", {}}},
          {"body", FunctionRef{"Double", {}}},
          {"_lower_using_switch_merge", true}});
  RunOptions options;
  options.timeout = std::chrono::milliseconds(20);
  EXPECT_EQ(Open().Run({}, {"while"}, {}, options, nullptr).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_P(FunctionalFormsTest, FunctionsThatDoNotFit) {
  AddFunction({"Two", {"a DT_INT32", "b DT_INT32"}, {"r DT_INT32"}, {}, {"r a"}});
  AddPlaceholder("p", DType::kBool);
  AddConst("x", 5);
  AddIf("if", {"p", "x"}, "Double", "Two");
  AddIf("unknown", {"p", "x"}, "Double", "Doubel");
  ExpectError(Run({{"p", Tensor::Scalar(true)}}, {"if"}).status(), absl::StatusCode::kInvalidArgument,
              {"node 'if' (If): function 'Two': expected 2 arguments, got 1"});
  ExpectError(Run({{"p", Tensor::Scalar(true)}}, {"unknown"}).status(), absl::StatusCode::kNotFound,
              {"node 'unknown' (If): function 'Doubel'", "'Double'"});
}

INSTANTIATE_TEST_SUITE_P(Forms, FunctionalFormsTest,
                         testing::Values(FunctionalForm::kCalled, FunctionalForm::kAsMarked, FunctionalForm::kLowered),
                         [](const testing::TestParamInfo<FunctionalForm>& form) {
                           return std::string(form.param == FunctionalForm::kCalled     ? "Called"
                                              : form.param == FunctionalForm::kAsMarked ? "AsMarked"
                                                                                        : "Lowered");
                         });

}  // namespace
}  // namespace flowlatch
