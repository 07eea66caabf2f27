#include <cmath>
#include <thread>

#include "tests/ops/optimizer_steps.h"

namespace flowlatch {
namespace {

// TensorFlow's values of var and slots [3,2] after two steps in float64, each of which names a row twice.
struct Case {
  const char* name;
  std::vector<double> hyper;
  bool flag;
  std::vector<double> want;
};

const std::vector<Case>& Cases() {
  // clang-format off
  static const auto* cases = new std::vector<Case>{
      {"ProximalGradientDescent", {0.5, 0.2, 0.3}, false,
       {0, -0.8957836771595299, -0.3478260869565218, -0.0, 0.34593572778827986, -0.669187145557656}},
      {"ProximalGradientDescent", {0.5, 0, 0.3}, false,
       {0.17835127804717696, -1.124106188871538, -0.4347826086956522, -0.08695652173913045, 0.5085066162570889,
        -0.6805293005671077}},
      {"Momentum", {0.3, 0.9}, false,
       {0.48058000000000006, -2.03417, -0.1269999999999999, -0.08700000000000001, 0.5036999999999999, -0.3313, 1.1854,
        -0.3570999999999999, 2.09, 0.29000000000000004, 0.23100000000000004, 1.181}},
      {"Momentum", {0.3, 0.9}, true,
       {0.18752199999999997, -1.9107530000000004, -0.6642999999999999, -0.1383, 0.46832999999999997, -0.62317, 1.1854,
        -0.3570999999999999, 2.09, 0.29000000000000004, 0.23100000000000004, 1.181}},
      {"KerasMomentum", {0.3, 0.9}, false,
       {0.7976500000000002, -1.7170999999999998, -0.010000000000000009, 0.030000000000000013, 0.7260000000000001,
        -0.10899999999999993, -0.26084999999999997, 0.20190000000000002, -0.51, 0.030000000000000013,
        0.03600000000000001, -0.24899999999999994}},
      {"KerasMomentum", {0.3, 0.9}, true,
       {0.472885, -1.6253900000000001, -0.5589999999999999, -0.03299999999999999, 0.6684000000000001,
        -0.4230999999999999, -0.26084999999999997, 0.20190000000000002, -0.51, 0.030000000000000013,
        0.03600000000000001, -0.24899999999999994}},
      {"Adagrad", {0.5}, true,
       {0.34854192007313795, -1.91968625699226, 0.006135201675205149, -0.2672612419124244, 0.5535563810690645,
        -0.21607614814725157, 1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1}},
      {"Adagrad", {0.5}, false,
       {-0.8183096545968179, -1.3675444679663245, -2.662277660168379, -0.31622776601683794, 0.43377223398316206,
        -1.8311388300841895, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}},
      {"AdagradV2", {0.5, 0.01}, true,
       {0.3574429920289267, -1.9170539653158423, 0.008562239778614311, -0.2603043164241559, 0.5572220485671359,
        -0.2186265327124231, 1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1}},
      {"AdagradV2", {0.5, 0.01}, false,
       {-0.7625722268236416, -1.3869313993656898, -2.5653430031715505, -0.30653430031715506, 0.44346569968284494,
        -1.7826715015857753, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}},
      {"ProximalAdagrad", {0.5, 0.2, 0.3}, false,
       {-0.19434939251992, -0.3293816459195785, 0, -0.0, 0.16452774505525897, -0.2659185064171498, 1.1725,
        0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1}},
      {"ProximalAdagrad", {0.5, 0, 0.3}, false,
       {-0.0034356890913552034, -0.7114121761479063, 0.005712054293921943, -0.19077935206586735, 0.3974532797594435,
        -0.22922063020153188, 1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1}},
      {"AdagradDA", {0.5, 0.2, 0.3, 2}, false,
       {-0.30734287883490896, 0, -0.36561566637454124, -0.0, -0.0, -0.1368086397893284, 1.25, -0.29999999999999993,
        2.1, 0.30000000000000004, 0.3, 1.1, 1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1}},
      {"AdagradDA", {0.5, 0, 0.3, 2}, false,
       {-0.4519748218160426, 0.1333782521500505, -0.4516428819920803, -0.22249721603218245, -0.15571069631617715,
        -0.21498500538323032, 1.25, -0.29999999999999993, 2.1, 0.30000000000000004, 0.3, 1.1, 1.1725,
        0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1}},
      {"Adadelta", {0.5, 0.9, 0.001}, false,
       {0.5734508117039085, -1.8582888074699082, 0.0464554623216798, -0.10310954828418378, 0.666238132718277,
        -0.3879436326299653, 0.17886249999999998, 0.13, 0.48999999999999994, 0.09400000000000001, 0.1125, 0.571,
        0.12859771183784752, 0.11503816793893129, 0.17228105906313648, 0.09425263157894738, 0.10953241303357134,
        0.22920671475121737}},
      {"RMSProp", {0.1, 0.9, 0.8, 0.001}, false,
       {0.4338640284864848, -2.180805619517147, 0.13457681399014493, -0.14488856845230502, 0.43079872779771217,
        -0.2465770569133246, 0.17886249999999998, 0.13, 0.48999999999999994, 0.09400000000000001, 0.1125, 0.571,
        0.3114264320030648, -0.06264341210262264, 0.36542318600985507, 0.14488856845230502, 0.09239621732361199,
        0.14539143789146236}},
      {"CenteredRMSProp", {0.1, 0.9, 0.8, 0.1}, false,
       {0.5027228331616824, -2.1770632471997984, 0.13881143463793977, -0.12689360772322403, 0.46893683526630314,
        -0.3107681799615658, 0.18414999999999998, 0.029900000000000038, 0.29, 0.11000000000000001,
        0.09600000000000003, 0.19099999999999998, 0.17886249999999998, 0.13, 0.48999999999999994, 0.09400000000000001,
        0.1125, 0.571, 0.2717350382994543, -0.038107775100868435, 0.36118856536206023, 0.12689360772322403,
        0.08795141393891516, 0.1664955428587276}},
      {"Ftrl", {0.5, 0.1, 0.2, -0.5}, false,
       {-0.38110326372212733, 0.008102732647312368, -0.0654836639691585, -0.17416573867739416, 0.00300859257991155,
        -0.1924547269729765, 1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1, 1.0777740758525345,
        -0.11660446208332875, 0.39138209288517956, 0.30000000000000004, -0.10519478612581021, 1.0462298228882871}},
      {"Ftrl", {0.5, 0.1, 0.2, -0.5}, true,
       {-0.4546092653747673, 0, -0.08795713285009026, -0.26124860801609123, 0, -0.23249288018854966, 1.1725,
        0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1, 0.6331820357354817, 0.04093895594730823,
        0.2456910464425898, 0.2, 0.0019324362039897236, 0.6215414225042372}},
      {"Ftrl", {0.5, 0.1, 0.2, -0.7}, false,
       {-0.3758769531682871, 0, 0.04947978046014901, -0.22098645574115658, 0.006722792417291877, -0.12649388617212154,
        1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1, 1.0906901100609965, -0.036274040111423045,
        -0.38550103115513334, 0.30000000000000004, -0.11025738615692668, 0.9420023074449588}},
      {"Ftrl", {0.5, 0.1, 0.2, -0.7}, true,
       {-0.47405792243119543, -0.054423179000707186, 0.032148921702842774, -0.33147968361173485, 0,
        -0.16589520535216215, 1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1, 0.6747316992834884,
        0.10243168127703, -0.14275051557756666, 0.2, 0.0010014181368608044, 0.6021379330164075}},
      {"FtrlV2", {0.5, 0.1, 0.2, 0.3, -0.5}, false,
       {-0.5476179239250615, 0.5365852368843324, -0.13290407061195375, -0.17416573867739416, -0.04754322338601199,
        -0.16091778925319308, 1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1, 1.5049908789983997,
        -1.1995931382822032, 0.6913820928851794, 0.30000000000000004, 0.18209050267258559, 0.8911741822065192}},
      {"FtrlV2", {0.5, 0.1, 0.2, 0.3, -0.5}, true,
       {-0.580166927809616, 0.5004033389414689, -0.1553775394928855, -0.26124860801609123, -0.0887572017266393,
        -0.196069899992055, 1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1, 0.7942499654015884,
        -0.56272383216178, 0.3956910464425897, 0.2, 0.12662630745915726, 0.5320021561986814}},
      {"FtrlV2", {0.5, 0.1, 0.2, 0.3, -0.7}, false,
       {-0.5171610041259532, 0.5193482654389004, 0, -0.22098645574115658, -0.03995788485330454, -0.08569187214057944,
        1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1, 1.4630691846845134, -1.1006876931947314,
        -0.0855010311551335, 0.30000000000000004, 0.16096625174683887, 0.6704050705934299}},
      {"FtrlV2", {0.5, 0.1, 0.2, 0.3, -0.7}, true,
       {-0.5485637582059957, 0.4835963877273785, 0, -0.33147968361173485, -0.08460070133864814, -0.12154163859494016,
        1.1725, 0.6799999999999999, 4.1, 0.14, 0.43999999999999995, 5.1, 0.7729183452347185, -0.5159002309974479,
        0.0072494844224332555, 0.2, 0.11454029880093364, 0.45451891883663076}},
  };
  // clang-format on
  return *cases;
}

// Bits of TensorFlow's var [3] after three steps of 16-bit floats; none where TensorFlow has no kernel or rounds a
// reciprocal square root otherwise.
struct SmallFloatCase {
  const char* name;
  std::vector<double> hyper;
  bool flag;
  std::vector<uint16_t> half, bfloat16;
};

const std::vector<SmallFloatCase>& SmallFloatCases() {
  // clang-format off
  static const auto* cases = new std::vector<SmallFloatCase>{
      {"Momentum", {0.3, 0.9}, false, {0x3cca, 0xc158, 0x2da2}, {0x3f99, 0xc02c, 0x3db0}},
      {"Momentum", {0.3, 0.9}, true, {0x3b42, 0xc24a, 0x2f50}, {0x3f69, 0xc049, 0x3dec}},
      {"KerasMomentum", {0.3, 0.9}, false, {0x3e0f, 0xc0e6, 0x367b}, {0x3fc2, 0xc01d, 0x3ece}},
      {"KerasMomentum", {0.3, 0.9}, true, {0x3cc4, 0xc1e4, 0x3664}, {0x3f99, 0xc03d, 0x3ecb}},
      {"Adagrad", {0.5}, true, {0x3c54, 0xc1a6, 0x3406}, {}},
      {"AdagradV2", {0.5, 0.01}, true, {0x3c51, 0xc1a0, 0x341f}, {0x3f8b, 0xc035, 0x3e83}},
      {"AdagradV2", {0.5, 0.01}, false, {0xb618, 0xc4c2, 0x36c6}, {0xbec0, 0xc098, 0x3ed8}},
      {"Adadelta", {0.5, 0.9, 0.001}, false, {0x3b66, 0xc125, 0x3704}, {0x3f6c, 0xc025, 0x3ee0}},
      {"RMSProp", {0.1, 0.9, 0.8, 0.001}, false, {0x3c8e, 0xc12a, 0x9ec0}, {}},
      {"CenteredRMSProp", {0.1, 0.9, 0.8, 0.1}, false, {0x3c27, 0xc10c, 0x2c48}, {}},
      {"Ftrl", {0.5, 0.1, 0.2, -0.5}, false, {0x3854, 0xbc27, 0x0000}, {0x3f0b, 0xbf84, 0x0000}},
      {"Ftrl", {0.5, 0.1, 0.2, -0.5}, true, {0x3801, 0xbc78, 0xaa4c}, {0x3f00, 0xbf8e, 0xbd4b}},
      {"Ftrl", {0.5, 0.1, 0.2, -0.7}, false, {0x39eb, 0xbc63, 0xa5a0}, {0x3f3d, 0xbf8d, 0xbcb6}},
      {"Ftrl", {0.5, 0.1, 0.2, -0.7}, true, {0x399c, 0xbcc7, 0xae1b}, {0x3f33, 0xbf99, 0xbdbf}},
      {"FtrlV2", {0.5, 0.1, 0.2, 0.3, -0.5}, false, {0x2cb9, 0xb32e, 0x0000}, {0x3d8c, 0xbe63, 0x0000}},
      {"FtrlV2", {0.5, 0.1, 0.2, 0.3, -0.5}, true, {0x29f7, 0xb4a2, 0x0000}, {0x3d37, 0xbe92, 0x0000}},
      {"FtrlV2", {0.5, 0.1, 0.2, 0.3, -0.7}, false, {0x3447, 0xaee2, 0x0000}, {0x3e8a, 0xbde6, 0x0000}},
      {"FtrlV2", {0.5, 0.1, 0.2, 0.3, -0.7}, true, {0x33b1, 0xb21d, 0xa31a}, {0x3e73, 0xbe48, 0xbc6d}},
  };
  // clang-format on
  return *cases;
}

class SparseOptimizerOpsTest : public OptimizerStepsTest {
 protected:
  struct Step {
    std::vector<double> grad;
    std::vector<int32_t> indices;
  };

  static Tensor Indices(const std::vector<int32_t>& values) { return Tensor::Vector<int32_t>(values); }
  template <typename T>
  static Tensor Matrix(const std::vector<double>& values) {
    return *Vector<T>(values).Reshaped(Shape::Of({static_cast<int64_t>(values.size()) / 2, 2}));
  }
  template <typename T>
  static Tensor Reshape(const std::vector<double>& values, int64_t columns) {
    return columns == 1 ? Vector<T>(values) : Matrix<T>(values);
  }
  bool Exists(const std::string& op) const { return library_.registry().FindRegistered(op) != nullptr; }

  template <typename T>
  Targets RunSteps(const std::string& op, const std::vector<double>& hyper, bool flag, bool use_locking,
                   int64_t columns, const std::vector<Step>& steps) {
    const std::vector<double> values = {1, -2, 0.5, 0, 0.75, -0.25};
    const std::vector<double> start(values.begin(), values.begin() + 3 * columns);
    std::vector<Tensor> tensors = {Reshape<T>(start, columns)};
    for (const ArgSpec& input : library_.registry().FindRegistered(op)->inputs()) {
      const bool is_target = input.is_ref || input.dtype == DType::kResource;
      if (is_target && input.name != "var")
        tensors.push_back(Reshape<T>(std::vector<double>(3 * columns, 0.1), columns));
    }
    const Targets targets = MakeTargets(op[0] == 'R', tensors);
    StepRunner runner(library_, &resources_);
    for (const Step& step : steps) {
      const absl::Status status =
          runner
              .Run(op, Attrs(op, kDTypeOf<T>, flag, use_locking),
                   Inputs<T>(op, targets, hyper, Reshape<T>(step.grad, columns), Indices(step.indices)))
              .status();
      EXPECT_TRUE(status.ok()) << status;
    }
    return targets;
  }

  template <typename T>
  void Check(const Case& c, const std::string& op, bool use_locking, double tolerance) {
    const std::vector<Step> steps = {{{0.5, -1, 0.25, 0, -0.3, 2}, {2, 0, 2}},
                                     {{-0.1, 0.3, 2, 0.2, 1, -0.7}, {0, 1, 0}}};
    const Targets targets = RunSteps<T>(op, c.hyper, c.flag, use_locking, 2, steps);
    ASSERT_EQ(targets.variables.size() * 6, c.want.size());
    for (size_t t = 0; t < targets.variables.size(); ++t) {
      const std::vector<double> want(c.want.begin() + 6 * t, c.want.begin() + 6 * t + 6);
      EXPECT_EQ(Difference(targets.variables[t]->Read(), Matrix<T>(want), tolerance), "") << op << ", target " << t;
    }
  }

  template <typename T>
  void CheckBits(const SmallFloatCase& c, const std::vector<uint16_t>& bits) {
    const std::vector<Step> steps = {{{0.5, -1, 0.25}, {2, 0, 2}}, {{-0.1, 0.3, 2}, {0, 1, 0}}, {{1.5, -0.7}, {1, 2}}};
    const Targets targets = RunSteps<T>(std::string("ResourceSparseApply") + c.name, c.hyper, c.flag, false, 1, steps);
    Tensor want = *Tensor::Make(kDTypeOf<T>, {3});
    for (size_t i = 0; i < bits.size(); ++i) want.mutable_data<T>()[i] = T::FromBits(bits[i]);
    EXPECT_EQ(Difference(targets.variables[0]->Read(), want), "");
  }
};

TEST_F(SparseOptimizerOpsTest, TwoStepsAsTensorFlow) {
  for (const Case& c : Cases()) {
    for (const char* prefix : {"SparseApply", "ResourceSparseApply"}) {
      const std::string op = std::string(prefix) + c.name;
      if (!Exists(op)) {
        EXPECT_EQ(op, "SparseApplyKerasMomentum");
        continue;
      }
      for (const bool use_locking : {false, true}) {
        SCOPED_TRACE(op);
        Check<double>(c, op, use_locking, 1e-13);
        Check<float>(c, op, use_locking, 2e-5);
        Check<Half>(c, op, use_locking, 0.03);
        Check<BFloat16>(c, op, use_locking, 0.1);
      }
    }
  }
}

TEST_F(SparseOptimizerOpsTest, SmallFloatsRoundAfterEveryOperation) {
  for (const SmallFloatCase& c : SmallFloatCases()) {
    SCOPED_TRACE(c.name);
    CheckBits<Half>(c, c.half);
    if (!c.bfloat16.empty()) CheckBits<BFloat16>(c, c.bfloat16);
  }
}

TEST_F(SparseOptimizerOpsTest, NoRowsAndEmptyRowsChangeNothing) {
  for (const std::string op : {"SparseApplyMomentum", "ResourceSparseApplyMomentum"}) {
    SCOPED_TRACE(op);
    StepRunner step(library_, &resources_);
    const AttrMap attrs = Attrs(op, DType::kFloat32, false).With("Tindices", DType::kInt64);
    Targets targets = MakeTargets(op[0] == 'R', {Floats({2, 1}, {1, 2}), Floats({2, 1}, {3, 4})});
    EXPECT_TRUE(step.Run(op, attrs, Inputs<float>(op, targets, {1, 1}, Floats({0, 1}, {}), Longs({0}, {}))).ok());
    EXPECT_EQ(Difference(targets.variables[0]->Read(), Floats({2, 1}, {1, 2})), "");
    targets = MakeTargets(op[0] == 'R', {Floats({2, 0}, {}), Floats({2, 0}, {})});
    EXPECT_TRUE(step.Run(op, attrs, Inputs<float>(op, targets, {1, 1}, Floats({1, 0}, {}), Longs({1}, {1}))).ok());
  }
}

TEST_F(SparseOptimizerOpsTest, ErrorsWriteNothing) {
  for (const std::string op : {"SparseApplyAdagrad", "ResourceSparseApplyAdagrad"}) {
    for (const bool use_locking : {false, true}) {
      SCOPED_TRACE(op);
      const AttrMap attrs = Attrs(op, DType::kFloat32, true, use_locking);
      StepRunner step(library_, &resources_);
      const auto run = [&](const Targets& targets, const Tensor& grad, const Tensor& indices) {
        return step.Run(op, attrs, Inputs<float>(op, targets, {1}, grad, indices)).status();
      };
      const Tensor start = Floats({2, 1}, {1, 2}), grad = Floats({2, 1}, {1, 1}), indices = Ints({2}, {0, 1});
      const bool resource = op[0] == 'R';
      const Targets targets = MakeTargets(resource, {start, start});
      ExpectInvalid(run(targets, grad, Ints({2}, {0, 2})), "indices[1]: expected a value in [0,2), got 2");
      ExpectInvalid(run(targets, grad, Ints({2}, {0, -1})), "indices[1]: expected a value in [0,2), got -1");
      ExpectInvalid(run(targets, grad, Ints({2, 1}, {0, 1})), "expected at least one dimension and a vector");
      ExpectInvalid(run(targets, Floats({1, 1}, {1}), indices), "gradient: expected shape [2,1], got [1,1]");
      ExpectInvalid(run(targets, Floats({2, 2}, {1, 1, 1, 1}), indices), "gradient: expected shape [2,1], got [2,2]");
      ExpectInvalid(run(targets, Floats({2}, {1, 1}), indices), "gradient: expected shape [2,1], got [2]");
      EXPECT_EQ(Difference(targets.variables[0]->Read(), start), "");
      EXPECT_EQ(Difference(targets.variables[1]->Read(), start), "");
      ExpectInvalid(run(MakeTargets(resource, {start, Floats({2}, {1, 2})}), grad, indices),
                    "expected shape [2,1] of variable");
      ExpectInvalid(run(MakeTargets(resource, {Floats({}, {1}), Floats({}, {2})}), grad, indices),
                    "expected at least one dimension");
      const Targets empty = MakeTargets(resource, {start, start});
      empty.variables[1]->value = Tensor();
      EXPECT_EQ(run(empty, grad, indices).code(), absl::StatusCode::kFailedPrecondition);
    }
  }
}

TEST_F(SparseOptimizerOpsTest, HyperparametersOutsideTheirRanges) {
  const std::vector<std::pair<std::string, std::vector<std::vector<double>>>> cases = {
      {"SparseApplyFtrl",
       {{0, 0, 0, -0.5}, {1, -1, 0, -0.5}, {1, 0, -1, -0.5}, {1, 0, 0, 0.5}, {std::nan(""), 0, 0, -0.5}}},
      {"ResourceSparseApplyFtrlV2", {{1, 0, 0, -1, -0.5}}},
      {"SparseApplyProximalAdagrad", {{0, 0, 0}, {-1, 0, 0}, {1, -1, 0}, {1, 0, -1}}},
      {"ApplyProximalAdagrad", {{0, 0, 0}, {1, -1, 0}, {1, 0, -1}}},
  };
  for (const auto& [op, hypers] : cases) {
    for (const std::vector<double>& hyper : hypers) {
      const Targets targets = MakeTargets(
          op[0] == 'R', std::vector<Tensor>(op.find("Ftrl") != std::string::npos ? 3 : 2, Floats({1}, {0.5})));
      StepRunner step(library_, &resources_);
      ExpectInvalid(step.Run(op, Attrs(op, DType::kFloat32, false),
                             Inputs<float>(op, targets, hyper, Floats({1}, {1}), Ints({1}, {0})))
                        .status(),
                    "expected a value");
      EXPECT_EQ(Difference(targets.variables[0]->Read(), Floats({1}, {0.5})), "") << op;
    }
  }
}

// Without a lock, rows change in memory that readers do not share.
TEST_F(SparseOptimizerOpsTest, ValuesOnceReadNeverChange) {
  const std::string op = "ResourceSparseApplyAdagrad";
  for (const bool use_locking : {false, true}) {
    const Tensor start = Floats({2}, {1, 2}), slot = Floats({2}, {1, 1});
    const Targets targets = MakeTargets(true, {start, slot});
    Allocator* const allocator = nullptr;
    for (int i = 0; i < 2; ++i) {
      Tensor before;
      ASSERT_TRUE(targets.variables[0]->Snapshot(allocator, &before).ok());
      const Tensor expected = *before.Clone();
      StepRunner step(library_, &resources_);
      ASSERT_TRUE(step.Run(op, Attrs(op, DType::kFloat32, true, use_locking),
                           Inputs<float>(op, targets, {1}, Floats({1}, {1}), Ints({1}, {0})))
                      .ok());
      EXPECT_EQ(Difference(before, expected), "");
      EXPECT_NE(Difference(targets.variables[0]->Read(), expected), "");
    }
    EXPECT_EQ(targets.variables[0]->copy_on_read, !use_locking);
  }
}

TEST_F(SparseOptimizerOpsTest, LockedStepsLoseNothing) {
  constexpr int kThreads = 4, kSteps = 500;
  for (const std::string op : {"SparseApplyMomentum", "ResourceSparseApplyMomentum"}) {
    for (const bool use_locking : {true, false}) {
      SCOPED_TRACE(op);
      const Targets targets = MakeTargets(op[0] == 'R', {Floats({3}, {0, 0, 0}), Floats({3}, {0, 0, 0})});
      std::vector<std::thread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
          StepRunner step(library_, &resources_);
          for (int i = 0; i < kSteps; ++i) {  // accum = accum + 1
            ASSERT_TRUE(step.Run(op, Attrs(op, DType::kFloat32, false, use_locking),
                                 Inputs<float>(op, targets, {0, 1}, Floats({2}, {1, 1}), Ints({2}, {0, 2})))
                            .ok());
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      const Tensor sums = targets.variables[1]->Read();
      EXPECT_EQ(sums.data<float>()[1], 0);
      for (const int row : {0, 2}) {
        const float sum = sums.data<float>()[row];
        EXPECT_TRUE(use_locking ? sum == kThreads * kSteps : sum >= 1 && sum <= kThreads * kSteps) << sum;
      }
    }
  }
}

TEST_F(SparseOptimizerOpsTest, ShapeFunctions) {
  const PartialShape unknown, scalar = PartialShape(Shape()), any = PartialShape::Of({-1});
  const std::string op = "SparseApplyAdagrad";
  const AttrMap attrs = Attrs(op, DType::kFloat32, true);
  const auto infer = [&](const PartialShape& var, const PartialShape& lr, const PartialShape& grad,
                         const PartialShape& indices) {
    const absl::StatusOr<std::vector<PartialShape>> shapes =
        InferShapes(library_, op, attrs, {var, unknown, lr, grad, indices});
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  };
  EXPECT_EQ(infer(PartialShape::Of({5, -1}), scalar, PartialShape::Of({2, 3}), any), "[5,?]");
  EXPECT_EQ(infer(unknown, unknown, unknown, unknown), unknown.ToString());
  EXPECT_EQ(infer(PartialShape::Of({5, 4}), scalar, PartialShape::Of({2, 3}), any), "INVALID_ARGUMENT");
  EXPECT_EQ(infer(PartialShape::Of({5, 4}), scalar, PartialShape::Of({2, 4}), PartialShape::Of({3})),
            "INVALID_ARGUMENT");
  EXPECT_EQ(infer(PartialShape::Of({5, 4}), scalar, scalar, any), "INVALID_ARGUMENT");
  EXPECT_EQ(infer(PartialShape::Of({5, 4}), scalar, unknown, scalar), "INVALID_ARGUMENT");
  EXPECT_EQ(infer(PartialShape::Of({5, 4}), any, unknown, any), "INVALID_ARGUMENT");
  EXPECT_EQ(infer(scalar, scalar, unknown, any), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace flowlatch
