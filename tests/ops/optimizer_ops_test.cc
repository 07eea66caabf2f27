#include "ops/optimizer_ops.h"

#include <thread>

#include "graph/schema/op_registry.h"
#include "runtime/resource/variable.h"
#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

// TensorFlow's values of var and slots, four elements each, after two steps in float64.
struct Case {
  const char* name;
  std::vector<double> hyper;
  bool flag;
  std::vector<double> want;
};

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"GradientDescent", {0.5}, false, {0.8, -1.65, -0.625, -0.1}},
      {"ProximalGradientDescent",
       {0.5, 0.2, 0.3},
       false,
       {0.4480151228733461, -1.1020793950850662, -0.5746691871455577, -0.0}},
      {"ProximalGradientDescent",
       {0.5, 0.0, 0.3},
       false,
       {0.6105860113421551, -1.2646502835538753, -0.5860113421550095, -0.08695652173913045}},
      {"Momentum",
       {0.5, 0.9},
       false,
       {0.48950000000000005, -1.2854999999999999, -0.8230000000000001, -0.18550000000000003, 0.43100000000000005,
        -0.5190000000000001, 2.306, 0.281}},
      {"KerasMomentum",
       {0.5, 0.9},
       false,
       {0.7460000000000001, -1.0290000000000001, -0.5665, 0.07100000000000002, -0.09399999999999999, 0.381, -1.0315,
        -0.01899999999999999}},
      {"Adagrad",
       {0.5},
       false,
       {0.36754446796632423, -0.8932028189410672, -3.0575623676894264, -0.31622776601683794, 0.1, 0.1, 0.1, 0.1}},
      {"AdagradV2",
       {0.5, 0.01},
       false,
       {0.3869313993656899, -0.9271299488899574, -2.948510878567994, -0.30653430031715506, 0.1, 0.1, 0.1, 0.1}},
      {"Adam",
       {0.9, 0.99, 0.1, 0.9, 0.99, 0.001},
       false,
       {0.9197333316134344, -2.003327260174613, 0.3823848705085969, -0.060606938951217534, 0.11600000000000002,
        0.021000000000000005, 0.30349999999999994, 0.101, 0.10058500000000001, 0.10881000000000002, 0.13862875000000002,
        0.09841}},
      {"Ftrl",
       {0.5, 0.1, 0.2, -0.5},
       false,
       {0.0, -0.8890668050472557, -0.5816121008407502, -0.17416573867739416, 0.36, 1.1900000000000002, 4.1625, 0.14,
        -0.0507604245862473, 2.3953414874067955, 2.705878791469039, 0.30000000000000004}},
      {"FtrlV2",
       {0.5, 0.1, 0.2, 0.3, -0.7},
       false,
       {-0.15175743238112463, -0.5027075568268661, -0.7814236485318296, -0.22098645574115658, 0.36, 1.1900000000000002,
        4.1625, 0.14, 0.3091569088027453, 1.4366906017634153, 4.653532801524776, 0.30000000000000004}},
      {"Momentum",
       {0.5, 0.9},
       true,
       {0.3405499999999999, -1.00695, -1.8157, -0.26695, 0.43100000000000005, -0.5190000000000001, 2.306, 0.281}},
      {"KerasMomentum",
       {0.5, 0.9},
       true,
       {0.5714, -0.7760999999999998, -1.5848499999999999, -0.03609999999999998, -0.09399999999999999, 0.381, -1.0315,
        -0.01899999999999999}},
      {"Adagrad",
       {0.5},
       true,
       {0.6607562059690751, -1.6607734799314355, -0.3002299178688929, -0.2672612419124244, 0.36, 1.1900000000000002,
        4.1625, 0.14}},
      {"AdagradV2",
       {0.5, 0.01},
       true,
       {0.6664142134648815, -1.6640269504475695, -0.290333129077055, -0.2603043164241559, 0.36, 1.1900000000000002,
        4.1625, 0.14}},
      {"Adam",
       {0.9, 0.99, 0.1, 0.9, 0.99, 0.001},
       true,
       {0.9152581426760203, -1.981864053922947, 0.3326787629015302, -0.06090142968026725, 0.11600000000000002,
        0.021000000000000005, 0.30349999999999994, 0.101, 0.10058500000000001, 0.10881000000000002, 0.13862875000000002,
        0.09841}},
      {"Ftrl",
       {0.5, 0.1, 0.2, -0.5},
       true,
       {0.0, -0.9291049582628287, -0.6645153201937819, -0.27102221035809243, 0.36, 1.1900000000000002, 4.1625, 0.14,
        0.024880787845962052, 1.2493548430495487, 1.5386608935715487, 0.20561166760823424}},
      {"FtrlV2",
       {0.5, 0.1, 0.2, 0.3, -0.7},
       true,
       {-0.19330308490256226, -0.5332179594965535, -0.8748096676111515, -0.2631664937719204, 0.36, 1.1900000000000002,
        4.1625, 0.14, 0.1832082227073949, 0.7589086144332428, 2.598857155809578, 0.16908715983941106}},
      {"ProximalAdagrad",
       {0.5, 0.2, 0.3},
       false,
       {0.19396481020666267, -1.1385356301035783, -0.4109175165891992, -0.0, 0.36, 1.1900000000000002, 4.1625, 0.14}},
      {"AdagradDA",
       {0.5, 0.2, 0.3, 2},
       false,
       {-0.055555555555555546, 0.0718973828603247, -0.41662739396011267, -0.0, 0.5, -0.6000000000000001, 2.35,
        0.30000000000000004, 0.36, 1.1900000000000002, 4.1625, 0.14}},
      {"AdagradDA",
       {0.5, 0.0, 0.3, 2},
       false,
       {-0.2777777777777778, 0.21569214858097405, -0.5020894234903922, -0.22249721603218245, 0.5, -0.6000000000000001,
        2.35, 0.30000000000000004, 0.36, 1.1900000000000002, 4.1625, 0.14}},
      {"Adadelta",
       {0.5, 0.9, 0.001},
       false,
       {0.8184165369403416, -1.7701452536942979, -0.0745228691185214, -0.10286590955626265, 0.10450000000000001,
        0.18000000000000002, 0.4866249999999999, 0.08500000000000002, 0.10165940104592255, 0.13574585635359118,
        0.16681401413782904, 0.0852325581395349}},
      {"RMSProp",
       {0.1, 0.9, 0.8, 0.001},
       false,
       {0.6225383548087373, -1.8026491884476923, -0.07470969059069188, -0.21219943394704738, 0.10450000000000001, 0.18,
        0.4866249999999999, 0.085, 0.15065659031258677, -0.04853643057416994, 0.41454276961633363,
        0.13219943394704736}},
      {"CenteredRMSProp",
       {0.1, 0.9, 0.8, 0.1},
       false,
       {0.6752776515641625, -1.8664301175985147, -0.03359348008187224, -0.19183662415613867, 0.11600000000000002,
        0.021000000000000005, 0.30349999999999994, 0.101, 0.10450000000000001, 0.18, 0.4866249999999999, 0.085,
        0.1316105976410557, -0.027842519504323447, 0.3951568987387982, 0.11183662415613867}},
      {"AdamWithAmsgrad",
       {0.9, 0.99, 0.1, 0.9, 0.99, 0.001},
       false,
       {0.9198975305283609, -2.003321742662069, 0.38245281867007497, -0.0602091054002701, 0.11600000000000002,
        0.021000000000000005, 0.30349999999999994, 0.101, 0.10058500000000001, 0.10881000000000002, 0.13862875000000002,
        0.09841, 0.1015, 0.10900000000000001, 0.13862875000000002, 0.1}},
      {"AdaMax",
       {0.9, 0.1, 0.9, 0.99, 0.001},
       false,
       {0.4866879144935933, -2.0112007064580224, -0.10984149359583173, -1.4024875621890551, 0.11600000000000002,
        0.021000000000000005, 0.30349999999999994, 0.101, 0.495, 0.99, 2.0, 0.2}},
      {"AddSign",
       {0.1, 1.5, 0.9, 0.8},
       false,
       {0.886, -1.778, -0.03999999999999998, -0.048, 0.124, -0.035999999999999976, 0.5039999999999999,
        0.10400000000000001}},
      {"PowerSign",
       {0.1, 1.5, 0.9, 0.8},
       false,
       {0.8097211260716102, -1.6220346547496793, -0.36792074440681927, -0.0771485106139395, 0.124,
        -0.035999999999999976, 0.5039999999999999, 0.10400000000000001}},
  };
  return *cases;
}

class OptimizerOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterOptimizerOps(library_).ok()); }

  AttrMap Attrs(const std::string& op, DType dtype, bool flag, bool use_locking = false) {
    AttrMap attrs{{"T", dtype}, {"use_locking", use_locking}};
    for (const char* name : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
      const OpSchema* schema = library_.registry().FindRegistered(op);
      if (schema != nullptr && schema->FindAttr(name) != nullptr) attrs = attrs.With(name, flag);
    }
    return attrs;
  }
  template <typename T>
  static Tensor Vector(const std::vector<double>& values) {
    Tensor t = *Tensor::Make(kDTypeOf<T>, Shape::FromValid({static_cast<int64_t>(values.size())}));
    for (size_t i = 0; i < values.size(); ++i) t.mutable_data<T>()[i] = static_cast<T>(values[i]);
    return t;
  }
  // Variables that hold var and slots, as references or by handles.
  struct Targets {
    std::vector<RefPtr<Variable>> variables;
    std::vector<Tensor> inputs;
  };
  Targets MakeTargets(bool resource, const std::vector<Tensor>& values) {
    Targets targets;
    for (size_t i = 0; i < values.size(); ++i) {
      RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
      key->name = "v" + std::to_string(i);
      key->type_name = "Var";
      if (resource) resources_.Delete(ResourceHandle(key)).IgnoreError();
      RefPtr<Variable> variable = resource ? *LookupOrCreateVariable(resources_, *key, values[i].dtype())
                                           : MakeRef<Variable>(values[i].dtype(), key->name);
      variable->value = *values[i].Clone();
      targets.inputs.push_back(resource ? Tensor::Scalar(ResourceHandle(key))
                                        : Tensor::MakeRef(variable, values[i].dtype()));
      targets.variables.push_back(std::move(variable));
    }
    return targets;
  }
  // The op's inputs in the order of its schema.
  template <typename T>
  std::vector<Tensor> Inputs(const std::string& op, const Targets& targets, const std::vector<double>& hyper,
                             const Tensor& grad) {
    std::vector<Tensor> inputs = targets.inputs;
    size_t next = 0;
    for (size_t i = inputs.size(); i < hyper.size() + targets.inputs.size() + 1; ++i) {
      const std::string& name = library_.registry().FindRegistered(op)->inputs()[i].name;
      if (name == "grad" || name == "delta")
        inputs.push_back(grad);
      else if (name == "global_step")
        inputs.push_back(Tensor::Scalar<int64_t>(static_cast<int64_t>(hyper[next++])));
      else
        inputs.push_back(Tensor::Scalar<T>(static_cast<T>(hyper[next++])));
    }
    return inputs;
  }
  template <typename T>
  void Check(const Case& c, bool resource, double tolerance) {
    const std::string op = std::string(resource ? "ResourceApply" : "Apply") + c.name;
    if (library_.registry().FindRegistered(op) == nullptr) {
      EXPECT_TRUE(!resource && (std::string(c.name) == "KerasMomentum" || std::string(c.name) == "AdamWithAmsgrad"))
          << op;
      return;
    }
    std::vector<Tensor> start = {Vector<T>({1, -2, 0.5, 0})};
    for (size_t i = 4; i < c.want.size(); i += 4) start.push_back(Vector<T>({0.1, 0.1, 0.1, 0.1}));
    const Targets targets = MakeTargets(resource, start);
    const std::vector<Tensor> readers = {targets.variables[0]->Read()};
    StepRunner step(library_, &resources_);
    for (const std::vector<double>& g :
         {std::vector<double>{0.5, -1, 0.25, 0}, std::vector<double>{-0.1, 0.3, 2, 0.2}}) {
      const absl::Status status =
          step.Run(op, Attrs(op, kDTypeOf<T>, c.flag), Inputs<T>(op, targets, c.hyper, Vector<T>(g))).status();
      ASSERT_TRUE(status.ok()) << status;
    }
    for (size_t t = 0; t < targets.variables.size(); ++t) {
      const std::vector<double> want(c.want.begin() + 4 * t, c.want.begin() + 4 * t + 4);
      EXPECT_EQ(Difference(targets.variables[t]->Read(), Vector<T>(want), tolerance), "") << op << ", target " << t;
    }
    EXPECT_EQ(resource, Difference(readers[0], start[0]) == "")
        << "only values of resource variables stay as they were read";
  }

  OpLibrary library_;
  ResourceManager resources_;
};

TEST_F(OptimizerOpsTest, TwoStepsAsTensorFlow) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    for (const bool resource : {false, true}) {
      Check<double>(c, resource, 1e-13);
      Check<float>(c, resource, 1e-5);
      Check<BFloat16>(c, resource, 0.05);
      Check<Half>(c, resource, 0.01);
    }
  }
}

TEST_F(OptimizerOpsTest, LargeVariablesAndEmptyOnes) {
  const int64_t n = 100000;
  const Tensor ones = Vector<float>(std::vector<double>(n, 1));
  const Targets targets = MakeTargets(false, {ones});
  OpTester tester(library_, "ApplyGradientDescent", Attrs("ApplyGradientDescent", DType::kFloat32, false, true));
  ASSERT_TRUE(tester.Run({targets.inputs[0], Floats({}, {0.5}), ones}).ok());  // runs four times
  const Tensor value = targets.variables[0]->Read();
  for (int64_t i = 0; i < n; ++i) ASSERT_EQ(value.data<float>()[i], -1) << i;
  const Targets empty = MakeTargets(true, {Floats({0}, {})});
  StepRunner step(library_, &resources_);
  EXPECT_TRUE(step.Run("ResourceApplyGradientDescent", Attrs("ResourceApplyGradientDescent", DType::kFloat32, false),
                       {empty.inputs[0], Floats({}, {1}), Floats({0}, {})})
                  .ok());
}

TEST_F(OptimizerOpsTest, Errors) {
  StepRunner step(library_, &resources_);
  const std::string op = "ResourceApplyMomentum";
  const AttrMap attrs = Attrs(op, DType::kFloat32, false);
  const Tensor rate = Floats({}, {0.5}), grad = Floats({2}, {1, 1});
  const Targets good = MakeTargets(true, {Floats({2}, {1, 2}), Floats({2}, {0, 0})});
  const auto run = [&](const Tensor& var, const Tensor& accum, const Tensor& lr, const Tensor& g) {
    return step.Run(op, attrs, {var, accum, lr, g, rate}).status();
  };
  ASSERT_TRUE(run(good.inputs[0], good.inputs[1], rate, grad).ok());
  ExpectInvalid(run(good.inputs[0], good.inputs[1], Floats({1}, {1}), grad),
                "input 2: expected a scalar, got shape [1]");
  ExpectInvalid(run(good.inputs[0], good.inputs[1], rate, Floats({3}, {1, 1, 1})),
                "expected shape [3] of the gradient, got [2]");
  ExpectInvalid(run(Tensor::Scalar(ResourceHandle()), good.inputs[1], rate, grad), "empty");
  ExpectInvalid(run(*Tensor::Make(DType::kResource, Shape::Of({0})), good.inputs[1], rate, grad),
                "expected a variable");
  RefPtr<ResourceKey> missing = MakeRef<ResourceKey>();
  missing->name = "missing";
  EXPECT_EQ(run(good.inputs[0], Tensor::Scalar(ResourceHandle(missing)), rate, grad).code(),
            absl::StatusCode::kFailedPrecondition);
  good.variables[1]->value = Tensor();
  EXPECT_EQ(run(good.inputs[0], good.inputs[1], rate, grad).code(), absl::StatusCode::kFailedPrecondition);
  const Targets doubles = MakeTargets(true, {Of<double>({2}, {1, 2}), Of<double>({2}, {0, 0})});
  ExpectInvalid(run(doubles.inputs[0], doubles.inputs[1], rate, grad), "expected dtype float32, got float64");
  EXPECT_EQ(
      step.Run("ApplyGradientDescent", Attrs("ApplyGradientDescent", DType::kInt32, false),
               {Tensor::MakeRef(MakeRef<Variable>(DType::kInt32, "i"), DType::kInt32), Ints({}, {1}), Ints({}, {1})})
          .status()
          .code(),
      absl::StatusCode::kUnimplemented);
}

// Two steps that name the same variables in opposite orders must not wait for each other.
TEST_F(OptimizerOpsTest, LocksAreTakenInOneOrder) {
  const std::string op = "ApplyMomentum";
  const AttrMap attrs = Attrs(op, DType::kFloat32, false, true);
  const Targets targets = MakeTargets(false, {Floats({2}, {0, 0}), Floats({2}, {0, 0})});
  const auto work = [&](int first) {
    StepRunner step(library_, &resources_);
    for (int i = 0; i < 2000; ++i) {
      ASSERT_TRUE(step.Run(op, attrs,
                           {targets.inputs[first], targets.inputs[1 - first], Floats({}, {0.1f}), Floats({2}, {0, 0}),
                            Floats({}, {0.1f})})
                      .ok());
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  StepRunner step(library_, &resources_);
  EXPECT_TRUE(
      step.Run(op, attrs,
               {targets.inputs[0], targets.inputs[0], Floats({}, {0.1f}), Floats({2}, {0, 0}), Floats({}, {0.1f})})
          .ok())
      << "one variable as its own slot";
}

TEST_F(OptimizerOpsTest, LockedStepsLoseNothing) {
  const std::string op = "ApplyGradientDescent";
  for (const bool use_locking : {true, false}) {
    const Targets targets = MakeTargets(false, {Floats({4}, {0, 0, 0, 0})});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        StepRunner step(library_, &resources_);
        for (int i = 0; i < 500; ++i) {
          ASSERT_TRUE(step.Run(op, Attrs(op, DType::kFloat32, false, use_locking),
                               {targets.inputs[0], Floats({}, {-1}), Floats({4}, {1, 1, 1, 1})})
                          .ok());
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const Tensor value = targets.variables[0]->Read();
    for (const float x : value.values<float>()) {
      EXPECT_TRUE(use_locking ? x == 2000 : x >= 1 && x <= 2000) << x;
    }
  }
}

TEST_F(OptimizerOpsTest, ShapeFunctions) {
  const PartialShape unknown, scalar = PartialShape(Shape()), two = PartialShape::Of({2}), any = PartialShape::Of({-1});
  const AttrMap attrs = Attrs("ApplyMomentum", DType::kFloat32, false);
  EXPECT_EQ((*InferShapes(library_, "ApplyMomentum", attrs, {any, unknown, scalar, two, scalar}))[0].ToString(), "[2]");
  EXPECT_FALSE(
      InferShapes(library_, "ApplyMomentum", attrs, {PartialShape::Of({3}), unknown, scalar, two, scalar}).ok());
  EXPECT_FALSE(InferShapes(library_, "ApplyMomentum", attrs, {any, unknown, two, two, scalar}).ok());
  EXPECT_TRUE(InferShapes(library_, "ResourceApplyMomentum", attrs, {scalar, scalar, unknown, any, scalar}).ok());
}

}  // namespace
}  // namespace flowlatch
