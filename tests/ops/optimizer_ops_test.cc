#include "ops/optimizer_ops.h"

#include <cmath>
#include <thread>

#include "tests/ops/optimizer_steps.h"

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

// Bits of TensorFlow's var after three steps of 16-bit floats; none for a dtype that TensorFlow has no kernel for.
struct SmallFloatCase {
  const char* name;
  std::vector<double> hyper;
  bool flag;
  std::vector<uint16_t> half, bfloat16;
};

const std::vector<SmallFloatCase>& SmallFloatCases() {
  // clang-format off
  static const auto* cases = new std::vector<SmallFloatCase>{
      {"GradientDescent", {0.3}, false,
       {0xb94f, 0x2410, 0x2dc4, 0xb927, 0x289c, 0x39ba, 0xb8ff, 0x2b2c},
       {0xbf2a, 0x3c88, 0x3db8, 0xbf25, 0x3d1c, 0x3f36, 0xbf20, 0x3d64}},
      {"Momentum", {0.3, 0.9}, false,
       {0xb810, 0xb670, 0xb70a, 0xba52, 0xb775, 0x31a3, 0xbc4b, 0xb74b},
       {0xbf01, 0xbece, 0xbee0, 0xbf4b, 0xbeee, 0x3e30, 0xbf89, 0xbeea}},
      {"Momentum", {0.3, 0.9}, true,
       {0xb310, 0xaf2b, 0xb9e7, 0xb914, 0xb546, 0x3433, 0xbc33, 0xb7ae},
       {0xbe60, 0xbde3, 0xbf3c, 0xbf23, 0xbea7, 0x3e84, 0xbf86, 0xbef7}},
      {"KerasMomentum", {0.3, 0.9}, false,
       {0x3810, 0x41ea, 0x3b22, 0x3ae0, 0x4128, 0x3afd, 0x3cd6, 0x3fce},
       {0x3f00, 0x403e, 0x3f62, 0x3f5a, 0x4025, 0x3f5e, 0x3f99, 0x3ff9}},
      {"KerasMomentum", {0.3, 0.9}, true,
       {0x398c, 0x41d3, 0x375d, 0x3acc, 0x40d2, 0x3b1f, 0x3c04, 0x3ebe},
       {0x3f2f, 0x403a, 0x3ee9, 0x3f57, 0x401a, 0x3f62, 0x3f7c, 0x3fd6}},
      {"Adagrad", {0.3}, false,
       {0xb67e, 0x2028, 0xafcc, 0xb8aa, 0x28dc, 0x3a0e, 0xb908, 0x299c},
       {0xbece, 0x3c08, 0xbe00, 0xbf16, 0x3d24, 0x3f40, 0xbf21, 0x3d30}},
      {"Adagrad", {0.3}, true,
       {0xb99f, 0xaac1, 0x3091, 0xb926, 0x2570, 0x3926, 0xb8bc, 0x2cd2},
       {0xbf34, 0xbd58, 0x3e13, 0xbf24, 0x3cb0, 0x3f24, 0xbf18, 0x3d98}},
      {"AdagradV2", {0.3, 0.01}, false,
       {0xb6a9, 0x1dc0, 0xaf3c, 0xb8b0, 0x28c0, 0x3a0a, 0xb906, 0x29bc},
       {0xbed5, 0x3bc0, 0xbde4, 0xbf16, 0x3d20, 0x3f40, 0xbf21, 0x3d34}},
      {"AdagradV2", {0.3, 0.01}, true,
       {0xb9a4, 0xaaf2, 0x30a8, 0xb928, 0x254c, 0x3928, 0xb8bc, 0x2cd8},
       {0xbf34, 0xbd5e, 0x3e15, 0xbf25, 0x3cbc, 0x3f25, 0xbf18, 0x3d98}},
      {"Adadelta", {0.3, 0.9, 0.001}, false,
       {0xb85a, 0xafe7, 0xadac, 0xb933, 0x1d10, 0x39e6, 0xb8e8, 0x2b98},
       {0xbf0a, 0xbdfb, 0xbdac, 0xbf27, 0x3bc0, 0x3f3e, 0xbf1d, 0x3d6c}},
      {"RMSProp", {0.1, 0.9, 0.8, 0.001}, false,
       {0xbfdd, 0xb88c, 0xbf0d, 0xbe4f, 0xbae1, 0xbe01, 0xbc8a, 0xbca8},
       {0xbffc, 0xbf11, 0xbfe2, 0xbfcb, 0xbf5c, 0xbfc3, 0xbf91, 0xbf95}},
      {"CenteredRMSProp", {0.1, 0.9, 0.8, 0.1}, false,
       {0xc062, 0xfe00, 0xafda, 0xc0ed, 0xfe00, 0xb21d, 0xc117, 0xb8a0},
       {0xc00c, 0x7fc0, 0xbdfc, 0xc01d, 0x7fc0, 0xbe4a, 0xc026, 0xbf14}},
      {"Adam", {0.9, 0.99, 0.1, 0.9, 0.99, 0.001}, false,
       {0xbc42, 0xb9bd, 0x35bb, 0xbbb2, 0xb632, 0x38ee, 0xbb62, 0xada0},
       {0xbf88, 0xbf41, 0x3eb2, 0xbf7a, 0xbed5, 0x3f1c, 0xbf74, 0xbdde}},
      {"Adam", {0.9, 0.99, 0.1, 0.9, 0.99, 0.001}, true,
       {0xbc2d, 0xb93b, 0x35b7, 0xbb82, 0xb599, 0x38fe, 0xbb24, 0xac60},
       {0xbf86, 0xbf30, 0x3eb2, 0xbf73, 0xbebf, 0x3f1e, 0xbf6a, 0xbdb4}},
      {"AdamWithAmsgrad", {0.9, 0.99, 0.1, 0.9, 0.99, 0.001}, false,
       {0xbc3f, 0xb841, 0x35bd, 0xbb53, 0xb5c6, 0x38ee, 0xba1f, 0xad98},
       {0xbf88, 0xbf0e, 0x3eb2, 0xbf6d, 0xbec5, 0x3f1c, 0xbf48, 0xbddc}},
      {"AdaMax", {0.9, 0.1, 0.9, 0.99, 0.001}, false,
       {0xbe5b, 0xc559, 0xba20, 0xc0c8, 0xc372, 0x2824, 0xc2c2, 0xc177},
       {}},
      {"AddSign", {0.1, 1.5, 0.9, 0.8}, false,
       {0xbb2c, 0xb3f0, 0x2ffe, 0xbadf, 0xafea, 0x3867, 0xb9d9, 0xa80e},
       {0xbf65, 0xbe7d, 0x3dfc, 0xbf5c, 0xbdfe, 0x3f0c, 0xbf3b, 0xbd04}},
      {"PowerSign", {0.1, 1.5, 0.9, 0.8}, false,
       {0xbb31, 0xb529, 0xaee0, 0xbbbb, 0xb2f2, 0x368f, 0xbad5, 0xb1a6},
       {0xbf67, 0xbea5, 0xbdd4, 0xbf77, 0xbe5c, 0x3ed3, 0xbf5b, 0xbe32}},
      {"Ftrl", {0.3, 0.1, 0.2, -0.5}, false,
       {0xb4e2, 0x2ecd, 0xb7a9, 0xb16e, 0xa6cd, 0xa326, 0xaff3, 0xb30e},
       {0xbe9d, 0x3dd8, 0xbef8, 0xbe2b, 0xbcd8, 0xbc79, 0xbdfb, 0xbe64}},
      {"Ftrl", {0.3, 0.1, 0.2, -0.5}, true,
       {0xb99c, 0xa1e5, 0xbcc8, 0xb76f, 0xb512, 0xb9c1, 0xb4c3, 0xb963},
       {0xbf33, 0xbc38, 0xbf9a, 0xbeed, 0xbea3, 0xbf39, 0xbe99, 0xbf2c}},
      {"Ftrl", {0.3, 0.1, 0.2, -0.7}, false,
       {0xb6bd, 0x2de7, 0xb72e, 0xb384, 0xa826, 0x0000, 0xb083, 0xb30d},
       {0xbed7, 0x3dbf, 0xbee8, 0xbe70, 0xbd02, 0x0000, 0xbe12, 0xbe60}},
      {"Ftrl", {0.3, 0.1, 0.2, -0.7}, true,
       {0xba75, 0xa72f, 0xbcd2, 0xb838, 0xb532, 0xb9af, 0xb512, 0xb987},
       {0xbf4d, 0xbcd4, 0xbf9b, 0xbf07, 0xbea6, 0xbf36, 0xbea3, 0xbf31}},
      {"FtrlV2", {0.3, 0.1, 0.2, 0.3, -0.5}, false,
       {0xae16, 0x2f66, 0xb742, 0xa72e, 0xa126, 0xa92d, 0xa83e, 0xb258},
       {0xbdc6, 0x3dee, 0xbeea, 0xbcc1, 0xbc2b, 0xbd26, 0xbcfe, 0xbe4d}},
      {"FtrlV2", {0.3, 0.1, 0.2, 0.3, -0.5}, true,
       {0xb637, 0x0000, 0xbbc2, 0xb3de, 0xb38d, 0xb858, 0xb13a, 0xb843},
       {0xbec8, 0x0000, 0xbf7a, 0xbe7a, 0xbe74, 0xbf0b, 0xbe24, 0xbf09}},
      {"FtrlV2", {0.3, 0.1, 0.2, 0.3, -0.7}, false,
       {0xb219, 0x2e93, 0xb6e3, 0xad0f, 0xa3b2, 0xa5ab, 0xaa57, 0xb258},
       {0xbe40, 0x3dd7, 0xbedf, 0xbd9d, 0xbc6e, 0xbcc2, 0xbd49, 0xbe49}},
      {"FtrlV2", {0.3, 0.1, 0.2, 0.3, -0.7}, true,
       {0xb7b6, 0x0000, 0xbbd1, 0xb4c6, 0xb3e2, 0xb85e, 0xb1bf, 0xb869},
       {0xbef5, 0x0000, 0xbf7b, 0xbe99, 0xbe7f, 0xbf0c, 0xbe36, 0xbf0d}},
  };
  // clang-format on
  return *cases;
}

class OptimizerOpsTest : public OptimizerStepsTest {
 protected:
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

  template <typename T>
  void CheckBits(const SmallFloatCase& c, const std::vector<uint16_t>& bits) {
    const std::string op = std::string("ResourceApply") + c.name;
    const auto values = [&](int seed, bool positive) {
      std::vector<double> v;
      for (int i = 0; i < static_cast<int>(bits.size()); ++i) {
        v.push_back((i * 37 + seed * 61) % 101 / 50.0 - 1);
        if (positive) v.back() = std::abs(v.back()) + 0.1;
      }
      return Vector<T>(v);
    };
    std::vector<Tensor> start;
    for (const ArgSpec& input : library_.registry().FindRegistered(op)->inputs()) {
      if (input.dtype == DType::kResource) start.push_back(values(static_cast<int>(start.size()), !start.empty()));
    }
    const Targets targets = MakeTargets(true, start);
    StepRunner step(library_, &resources_);
    for (int i = 0; i < 3; ++i) {
      const absl::Status status =
          step.Run(op, Attrs(op, kDTypeOf<T>, c.flag), Inputs<T>(op, targets, c.hyper, values(10 + i, false))).status();
      ASSERT_TRUE(status.ok()) << status;
    }
    Tensor want = *Tensor::Make(kDTypeOf<T>, start[0].dims());
    for (size_t i = 0; i < bits.size(); ++i) want.mutable_data<T>()[i] = T::FromBits(bits[i]);
    EXPECT_EQ(Difference(targets.variables[0]->Read(), want), "") << op;
  }
};

TEST_F(OptimizerOpsTest, SmallFloatsRoundAfterEveryOperation) {
  for (const SmallFloatCase& c : SmallFloatCases()) {
    SCOPED_TRACE(c.name);
    CheckBits<Half>(c, c.half);
    if (!c.bfloat16.empty()) CheckBits<BFloat16>(c, c.bfloat16);
  }
}

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
                "gradient: expected shape [2], got [3]");
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
