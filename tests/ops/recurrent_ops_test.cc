#include "ops/recurrent_ops.h"

#include "tests/ops/matrix_checks.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

// Two examples of three inputs, two cells, three steps. All expected values are TensorFlow's.
const Tensor kX = Floats({2, 3}, {1.14, -0.43, -0.37, -0.75, 0.61, -1.61});
const Tensor kCs = Floats({2, 2}, {1.22, -0.53, 0.22, -0.17});
const Tensor kH = Floats({2, 2}, {1.02, -1.44, -0.23, -0.27});
const Tensor kW =
    Floats({5, 8}, {0.79,  -0.77, -0.12, -0.61, 0.03,  0.41,  -0.77, 0.8,   0.63,  0.35,  0.63, -0.48, -0.09, -0.66,
                    -0.19, 0.37,  -0.48, -0.28, -0.48, -0.59, -0.47, -0.01, -0.78, 0.16,  1.16, 0.52,  -0.13, -0.62,
                    -0.52, 1.18,  0.04,  -0.45, 0.13,  1.47,  0.08,  0.43,  0.21,  -0.25, -0.8, -0.24});
const Tensor kWci = Floats({2}, {-0.15, 0.41});
const Tensor kWcf = Floats({2}, {0.59, 0.65});
const Tensor kWco = Floats({2}, {0.2, 0.62});
const Tensor kB = Floats({8}, {-0.53, 0.88, 0.36, -0.21, 0.34, -0.05, 0.79, 1.06});
const Tensor kSequence = Floats({3, 2, 3}, {0.14, 0.08, -0.47, 0.26, 0.09, 0.79, 0.84, 0.13, -0.26, -0.45, 0.3, 0.05,
                                            -0.24, 0.03, -0.43, 0.49, -0.31, 0.86});
const std::vector<Tensor> kCell = {kX, kCs, kH, kW, kWci, kWcf, kWco, kB};
const Tensor kWru = Floats({5, 4}, {0.6,   -0.29, 1.28, 0.4,   1.5,   -0.55, -1.23, 0.5,   0.6, 0.02,
                                    -1.08, -0.31, 0.43, -0.13, -0.08, -0.12, -0.65, -0.37, -1,  1.24});
const Tensor kWc = Floats({5, 2}, {-0.33, 0.33, -0.72, 0.56, -1.31, 0.64, -0.02, 1.48, -0.91, 0.05});
const Tensor kBru = Floats({4}, {0.26, 0.86, -0.3, 0.06});
const Tensor kBc = Floats({2}, {-1.5, -0.58});

std::vector<Tensor> Join(std::vector<Tensor> all, const std::vector<Tensor>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Tensor> Sequence(int64_t steps) {
  return {Tensor::Scalar(steps), kSequence, kCs, kH, kW, kWci, kWcf, kWco, kB};
}

std::vector<Tensor> With(std::vector<Tensor> all, size_t i, const Tensor& t) {
  all[i] = t;
  return all;
}

class RecurrentOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterRecurrentOps(library_).ok()); }
  // v1 ops with a forget bias and a cut that shows.
  OpTester Forward(const std::string& op, bool peephole, DType dtype = DType::kFloat32) {
    AttrMap attrs{{"T", dtype}, {"use_peephole", peephole}};
    if (op != "BlockLSTMV2") attrs = attrs.With("forget_bias", 0.5f).With("cell_clip", 0.4f);
    return OpTester(library_, op, attrs);
  }
  OpTester Backward(const std::string& op, bool peephole) {
    return OpTester(library_, op, {{"T", DType::kFloat32}, {"use_peephole", peephole}});
  }
  OpLibrary library_;
};

TEST_F(RecurrentOpsTest, LstmCell) {
  const struct {
    bool peephole;
    std::vector<Tensor> forward, grads, backward;
  } cases[] = {
      {false,
       {Floats({2, 2}, {0.7813071, 0.1636797, 0.4335701, 0.8327578}), Floats({2, 2}, {0.4, -0.4, 0.4, 0.4}),
        Floats({2, 2}, {0.5631608, 0.9409497, 0.8295159, 0.3898602}),
        Floats({2, 2}, {0.8138617, 0.8375757, 0.9378594, 0.6448323}),
        Floats({2, 2}, {-0.1173567, -0.9393272, 0.9239541, 0.7311064}),
        Floats({2, 2}, {0.379949, -0.379949, 0.379949, 0.379949}),
        Floats({2, 2}, {0.3092259, -0.3182361, 0.3563387, 0.2450034})},
       {Floats({2, 2}, {1.53, -0.98, -1.01, -0.35}), Floats({2, 2}, {0.11, 0.61, 0.22, -1.42})},
       {Floats({2, 2}, {0.9047747, -0.5107814, -0.6913657, -0.441897}),
        Floats({2, 8},
               {-0.03221606, 0.06979963, 1.237961, -0.01045464, 0.4821941, 0.01598576, 0.006331467, -0.03153045,
                -0.1891207, -0.1154137, -0.05287047, -0.4393748, -0.02593071, 0.04583523, 0.004871485, -0.1235645}),
        Floats({2}, {0, 0}), Floats({2}, {0, 0}), Floats({2}, {0, 0})}},
      {true,
       {Floats({2, 2}, {0.7484382, 0.1360609, 0.4254842, 0.8228242}), Floats({2, 2}, {0.4, -0.4, 0.4, 0.4}),
        Floats({2, 2}, {0.7258763, 0.9186392, 0.8470955, 0.3639177}),
        Floats({2, 2}, {0.8256779, 0.8009592, 0.9423616, 0.6993911}),
        Floats({2, 2}, {-0.1173567, -0.9393272, 0.9239541, 0.7311064}),
        Floats({2, 2}, {0.379949, -0.379949, 0.379949, 0.379949}),
        Floats({2, 2}, {0.3137155, -0.3043236, 0.3580493, 0.2657329})},
       {Floats({2, 2}, {-0.21, 0.58, 0.16, 0.53}), Floats({2, 2}, {-0.16, -0.14, 0.13, 0.29})},
       {Floats({2, 2}, {-0.2833496, 0.4147501, 0.2202551, 0.2742678}),
        Floats({2, 8},
               {0.007176412, -0.05402795, -0.2397352, 0.007833642, -0.07884386, -0.01938302, -0.008750006, 0.008480195,
                0.05993333, 0.07651731, 0.01651912, 0.274966, 0.007561501, -0.02825096, 0.002682861, 0.02316569}),
        Floats({2}, {0.02194056, 0.01562687}), Floats({2}, {-0.09452599, 0.01507566}),
        Floats({2}, {-0.002426858, 0.005874197})}},
  };
  for (const auto& [peephole, forward, grads, backward] : cases) {
    SCOPED_TRACE(peephole);
    OpTester cell = Forward("LSTMBlockCell", peephole), grad = Backward("LSTMBlockCellGrad", peephole);
    ExpectOutputs(cell, kCell, forward, 2e-6);
    const std::vector<Tensor> tape(forward.begin(), forward.end() - 1);
    ExpectOutputs(grad, Join(Join(kCell, tape), grads), backward, 2e-6);
  }
}

// A wave, for the gradients of [time, batch, cells].
Tensor Pattern(int64_t period, float scale, float base) {
  Tensor t = *Tensor::Make(DType::kFloat32, Shape::Of({3, 2, 2}));
  for (int64_t i = 0; i < 12; ++i) t.mutable_data<float>()[i] = static_cast<float>(i % period) * scale + base;
  return t;
}

TEST_F(RecurrentOpsTest, LstmOverTime) {
  const struct {
    const char *op, *grad_op;
    bool peephole;
    int64_t steps;
    std::vector<Tensor> states, backward;  // cs and h; all gradients
  } cases[] = {
      {"BlockLSTM",
       "BlockLSTMGrad",
       true,
       3,
       {Floats({3, 2, 2},
               {0.4, -0.4, 0.1490698, -0.4, 0.4, -0.4, 0.2675077, -0.3889339, 0.4, -0.3162651, 0.04360404, -0.4}),
        Floats({3, 2, 2}, {0.3455278, -0.2592917, 0.08110956, -0.3016044, 0.2472705, -0.3046226, 0.2070177, -0.2403401,
                           0.3181217, -0.1959692, 0.02189795, -0.2914192})},
       {Floats({3, 2, 3}, {0.03771298, 0.05034303, -0.05444944, -0.0334244, -0.004897579, -0.1092187, -0.03182197,
                           0.162913, -0.2428989, -0.05013055, 0.0380747, -0.1526137, -0.1519557, -0.04323776,
                           -0.2053878, -0.0115315, -0.01834796, -0.0185219}),
        Floats({2, 2}, {0.1328026, 0.2312708, 0.2836797, 0.2112317}),
        Floats({2, 2}, {-0.09366988, -0.04520582, -0.1590882, -0.04651618}),
        Floats({5, 8}, {0.01583421,  -0.1195564,  0.2605038,   0.02120066,  0.04091045,  -0.03225947, -0.007103126,
                        -0.03826024, 0.0222205,   -0.01430589, 0.08536832,  0.06257525,  0.01407589,  -0.01060829,
                        0.002595472, 0.0070249,   -0.0310538,  -0.04816738, -0.04982561, -0.02415402, -0.01784624,
                        0.005181147, 0.006576402, -0.01591723, 0.03895316,  -0.08377701, 0.2063921,   0.1184542,
                        0.05607639,  -0.04691908, -0.01062518, 0.002809955, -0.05127416, 0.145724,    -0.2983217,
                        -0.2227869,  -0.08221155, 0.07023157,  0.01410164,  -0.009131894}),
        Floats({2}, {0.05157275, 0.1068177}), Floats({2}, {0.07905109, 0.0617337}),
        Floats({2}, {-0.003199994, 0.007090761}),
        Floats({8}, {0.1292374, -0.2966455, 0.7091998, 0.6804893, 0.1371384, -0.1590272, -0.004356822, -0.01716377})}},
      {"BlockLSTM",
       "BlockLSTMGrad",
       false,
       2,
       {Floats({3, 2, 2}, {0.4, -0.4, 0.1426274, -0.4, 0.4, -0.4, 0.2618811, -0.4, 0, 0, 0, 0}),
        Floats({3, 2, 2}, {0.3429402, -0.2787332, 0.0766048, -0.3159118, 0.241644, -0.3187909, 0.2010564, -0.2670027, 0,
                           0, 0, 0})},
       {Floats({3, 2, 3}, {0.02733154, 0.04378822, -0.05333927, -0.03521077, 0.008838215, -0.1161987, -0.03211015,
                           0.1692963, -0.2159643, -0.009123164, 0.0707217, -0.1152175, 0, 0, 0, 0, 0, 0}),
        Floats({2, 2}, {0.07370916, 0.1755954, 0.2834239, 0.2438786}),
        Floats({2, 2}, {-0.06738415, -0.0250549, -0.1515871, -0.03979133}),
        Floats({5, 8}, {0.01798646,   -0.05613368,  0.2436,       0.05011126,  0.04333727,   -0.01558229, 0.005544741,
                        -0.02058725,  0.01955972,   -0.01634484,  0.08574994,  0.03345444,   0.01483002,  -0.006837921,
                        0.006675073,  0.002830294,  -0.01252397,  -0.03002353, -0.009697203, 0.06815182,  -0.01147587,
                        -0.005323166, 5.759648e-05, -0.003767447, 0.0277626,   -0.036511,    0.1615403,   0.01367029,
                        0.05164482,   -0.01289615,  -0.001830863, 0.005340014, -0.04026912,  0.08822665,  -0.2637261,
                        -0.08506668,  -0.08010326,  0.02724834,   0.003014263, -0.01032081}),
        Floats({2}, {0, 0}), Floats({2}, {0, 0}), Floats({2}, {0, 0}),
        Floats({8}, {0.09758116, -0.157213, 0.5983665, 0.2297906, 0.1201005, -0.05197157, 0.02502511, 0.002119077})}},
      {"BlockLSTMV2",
       "BlockLSTMGradV2",
       true,
       3,
       {Floats({3, 2, 2}, {0.7359245, 0.1828847, 0.1264545, -0.1476131, 0.6586114, 0.5525522, 0.1540956, -0.2972573,
                           0.674787, 0.4626152, 0.02637466, 0.1528362}),
        Floats({3, 2, 2}, {0.5732779, 0.1365899, 0.06880535, -0.1199135, 0.3410681, 0.4305666, 0.1166753, -0.1886042,
                           0.4421937, 0.3019137, 0.01293133, 0.125375})},
       {Floats({3, 2, 3}, {-0.0438141, 0.04962376, -0.1839234, 0.1061657, -0.1216026, -0.0796801, -0.008565751,
                           -0.0581603, -0.4373005, 0.07744648, -0.0628233, -0.1008802, 0.1383345, -0.2275315,
                           -0.09957579, 0.02361857, -0.04225617, -0.009468198}),
        Floats({2, 2}, {0.4588905, 0.05881076, 0.3273105, 0.09901819}),
        Floats({2, 2}, {-0.1538387, 0.1529649, 0.1448128, -0.05279824}),
        Floats({5, 8}, {0.00795616, 0.07692458,  0.120105,     -0.007945338, 0.4753336,    0.1094788,   0.06158786,
                        0.01073076, 0.01085495,  -0.001328824, 0.03392842,   0.003413229,  0.1610382,   0.05727458,
                        0.01325845, 0.004310772, -0.002743078, -0.03726581,  -0.07575256,  -0.04041506, -0.1912162,
                        0.03133558, -0.00720214, -0.001921029, -0.002066761, 0.1070187,    0.1996028,   0.007162604,
                        0.6588036,  0.2117183,   0.02974784,   0.01242847,   0.05667737,   -0.07125215, -0.1489139,
                        0.06363572, -0.4005035,  0.07146762,   0.02105425,   -0.0008595559}),
        Floats({2}, {0.008578427, -0.02031076}), Floats({2}, {0.269651, 0.05108075}),
        Floats({2}, {0.03815301, 0.006954768}),
        Floats({8}, {0.05627305, 0.1289719, 0.3279913, 0.014051, 1.320902, 0.9430934, 0.07293744, 0.03229323})}},
      {"BlockLSTMV2",
       "BlockLSTMGradV2",
       false,
       2,
       {Floats({3, 2, 2},
               {0.5339696, 0.1981182, 0.1195355, -0.1551414, 0.5123733, 0.473566, 0.1483401, -0.3089923, 0, 0, 0, 0}),
        Floats({3, 2, 2},
               {0.4408363, 0.1434687, 0.06433088, -0.1279686, 0.262225, 0.3609863, 0.1117242, -0.2079863, 0, 0, 0, 0})},
       {Floats({3, 2, 3}, {-0.01177603, 0.02385839, -0.04728498, 0.1068492, -0.1237696, -0.0609204, 0.03236488,
                           -0.02175174, -0.2202458, 0.04503082, -0.02357242, -0.07898659, 0, 0, 0, 0, 0, 0}),
        Floats({2, 2}, {0.07652195, 0.02963079, 0.2299538, 0.1236017}),
        Floats({2, 2}, {-0.02483354, 0.06274211, 0.1624383, -0.05766071}),
        Floats({5, 8},
               {0.01414655,  0.02164162,    0.0591313,     0.002634397, 0.2538873,    0.1020131,    0.01333544,
                0.01009012,  0.008902427,   0.002374708,   0.01668103,  -0.002090261, 0.09818979,   0.04463734,
                0.005462514, 0.006090541,   -0.0004655928, -0.03748089, -0.01368429,  -0.008107864, -0.01518286,
                0.1299263,   -0.0005223071, -0.005643214,  0.005178398, 0.0450607,    0.06119973,   -0.005770876,
                0.2049708,   0.005162157,   0.000446232,   0.008856428, 0.01118311,   -0.03092827,  -0.0541439,
                0.02332187,  -0.1264188,    -0.05847608,   0.01668015,  0.003350176}),
        Floats({2}, {0, 0}), Floats({2}, {0, 0}), Floats({2}, {0, 0}),
        Floats({8}, {0.04182719, 0.02799023, 0.1363457, -0.0216716, 0.658245, 0.3403931, 0.02403672, 0.0291493})}},
  };
  for (const auto& [op, grad_op, peephole, steps, states, backward] : cases) {
    SCOPED_TRACE(testing::Message() << op << (peephole ? " with peepholes" : ""));
    OpTester forward = Forward(op, peephole), grad = Backward(grad_op, peephole);
    const auto out = forward.Run(Sequence(steps));
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(Difference((*out)[1], states[0], 2e-6), "");
    EXPECT_EQ(Difference((*out)[6], states[1], 2e-6), "");
    for (const Tensor& t : *out) {  // nothing is left over after the last step
      for (int64_t i = steps * 4; i < 12; ++i) EXPECT_EQ(t.data<float>()[i], 0);
    }
    ExpectOutputs(grad, Join(Join(Sequence(steps), *out), {Pattern(5, 0.1f, 0), Pattern(7, 0.1f, -0.2f)}), backward,
                  5e-6);
  }
}

TEST_F(RecurrentOpsTest, HalfIsComputedInFloat) {
  std::vector<Tensor> inputs = Sequence(3);
  for (size_t i = 1; i < inputs.size(); ++i) {
    Tensor narrow = *Tensor::Make(DType::kFloat16, inputs[i].dims());
    for (int64_t k = 0; k < narrow.num_elements(); ++k)
      narrow.mutable_data<Half>()[k] = Half(inputs[i].data<float>()[k]);
    inputs[i] = narrow;
  }
  OpTester op(library_, "BlockLSTM", {{"T", DType::kFloat16}, {"use_peephole", true}});
  const auto out = op.Run(inputs);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(
      Difference((*out)[6],
                 Of<Half, float>({3, 2, 2}, {0.7749023, -0.3967285, 0.09313965, -0.328125, 0.6108398, -0.5400391,
                                             0.2318115, -0.2802734, 0.765625, -0.3879395, 0.04730225, -0.4484863}),
                 2e-3),
      "");
}

TEST_F(RecurrentOpsTest, Gru) {
  OpTester cell(library_, "GRUBlockCell", {{"T", DType::kFloat32}}),
      grad(library_, "GRUBlockCellGrad", {{"T", DType::kFloat32}});
  const std::vector<Tensor> inputs = {kX, kH, kWru, kWc, kBru, kBc};
  const std::vector<Tensor> forward = {Floats({2, 2}, {0.8102446, 0.7610965, 0.4589923, 0.6983809}),
                                       Floats({2, 2}, {0.9691147, 0.1835767, 0.504225, 0.5638741}),
                                       Floats({2, 2}, {-0.1007452, 0.4517893, 0.5306886, -0.9331166}),
                                       Floats({2, 2}, {0.9853854, 0.1045008, 0.1471304, -0.5592024})};
  ExpectOutputs(cell, inputs, forward, 2e-6);
  const std::vector<Tensor> arriving = {forward[0], forward[1], forward[2], Floats({2, 2}, {0.32, 0.77, -0.2, 1.44})};
  ExpectOutputs(grad, Join(inputs, arriving),
                {Floats({2, 3}, {0.1591731, 0.3272407, 0.4330551, 0.1898817, 0.1591283, 0.02716292}),
                 Floats({2, 2}, {0.9857451, -0.2017357, -0.07873064, 1.119199}),
                 Floats({2, 2}, {0.009782996, 0.5003307, -0.07122994, 0.08119901}),
                 Floats({2, 4}, {0.1160953, -0.004219184, 0.01073456, -0.2183215, -0.006944919, -0.003917446,
                                 0.03803172, 0.2348261})},
                2e-6);
  ExpectInvalid(cell, With(inputs, 1, Floats({3, 2}, {1, 2, 3, 4, 5, 6})), "h_prev: expected shape [2,2], got [3,2]");
  ExpectInvalid(cell, With(inputs, 1, kBc), "h_prev: expected 2 dimensions, got shape [2]");
  ExpectInvalid(cell, With(inputs, 2, kWc), "w_ru: expected shape [5,4], got [5,2]");
  ExpectInvalid(cell, With(inputs, 3, kWru), "w_c: expected shape [5,2], got [5,4]");
  ExpectInvalid(cell, With(inputs, 4, kBc), "b_ru: expected shape [4], got [2]");
  ExpectInvalid(cell, With(inputs, 5, kBru), "b_c: expected shape [2], got [4]");
  ExpectInvalid(grad, Join(inputs, With(arriving, 3, kX)), "d_h: expected shape [2,2], got [2,3]");
  const Tensor none = Floats({0, 2}, {});
  ExpectOutputs(cell, With(With(inputs, 0, Floats({0, 3}, {})), 1, none), {none, none, none, none});
}

// Wide enough for matrix products by the libraries and for several threads, which OpTester compares.
TEST_F(RecurrentOpsTest, Large) {
  const int64_t steps = 3, batch = 40, inputs = 30, cells = 64;
  const auto made = [](std::initializer_list<int64_t> dims) {
    Tensor t = MadeUp<float>(dims);
    for (float& v : t.mutable_values<float>()) v *= 0.1f;
    return t;
  };
  const std::vector<Tensor> in = {made({batch, cells}), made({batch, cells}), made({inputs + cells, 4 * cells}),
                                  made({cells}),        made({cells}),        made({cells}),
                                  made({4 * cells})};
  const Tensor x = made({steps, batch, inputs});
  OpTester layer(library_, "BlockLSTM", {{"T", DType::kFloat32}, {"use_peephole", true}});
  OpTester cell(library_, "LSTMBlockCell", {{"T", DType::kFloat32}, {"use_peephole", true}});
  const auto out = layer.Run(Join({Tensor::Scalar(steps), x}, in));
  ASSERT_TRUE(out.ok()) << out.status();
  std::vector<Tensor> state = in;
  for (int64_t t = 0; t < steps; ++t) {
    const auto step = cell.Run(Join({*x.Rows(t, 1).Reshaped(Shape::Of({batch, inputs}))}, state));
    ASSERT_TRUE(step.ok()) << step.status();
    for (int i = 0; i < 7; ++i) {
      const Tensor row = *(*out)[i].Rows(t, 1).Reshaped(Shape::Of({batch, cells}));
      EXPECT_EQ(Difference(row, (*step)[i], 1e-5), "") << "output " << i << " of step " << t;
    }
    state[0] = (*step)[1];
    state[1] = (*step)[6];
  }
  OpTester grad = Backward("BlockLSTMGrad", true);
  const auto grads = grad.Run(Join(Join(Join({Tensor::Scalar(steps), x}, in), *out), {(*out)[1], (*out)[6]}));
  EXPECT_TRUE(grads.ok()) << grads.status();
}

TEST_F(RecurrentOpsTest, Errors) {
  OpTester op = Forward("BlockLSTM", false), cell = Forward("LSTMBlockCell", true),
           plain = Forward("LSTMBlockCell", false);
  for (const int64_t steps : {-1, 4}) ExpectInvalid(op, Sequence(steps), "seq_len_max: expected a value in [0,3], got");
  ExpectInvalid(op, With(Sequence(3), 0, Longs({2}, {2, 2})), "seq_len_max");
  ExpectInvalid(op, With(Sequence(3), 1, kX), "x: expected 3 dimensions, got shape [2,3]");
  ExpectInvalid(op, With(Sequence(3), 2, kWci), "cs_prev: expected 2 dimensions, got shape [2]");
  ExpectInvalid(op, With(Sequence(3), 2, kX), "h_prev: expected shape [2,3], got [2,2]");
  ExpectInvalid(op, With(Sequence(3), 3, kX), "h_prev: expected shape [2,2], got [2,3]");
  ExpectInvalid(op, With(Sequence(3), 4, kX), "w: expected shape [5,8], got [2,3]");
  ExpectInvalid(op, With(Sequence(3), 5, kB), "wci: expected shape [2], got [8]");
  ExpectInvalid(op, With(Sequence(3), 8, kWci), "b: expected shape [8], got [2]");
  ExpectInvalid(cell, With(kCell, 6, kB), "wco: expected shape [2], got [8]");
  EXPECT_TRUE(plain.Run(With(kCell, 6, kB)).ok());  // read with peepholes only, but always vectors
  ExpectInvalid(plain, With(kCell, 4, Tensor::Scalar(0.0f)), "wci: expected 1 dimensions, got shape []");
  OpTester grad = Backward("LSTMBlockCellGrad", false);
  const std::vector<Tensor> tape(8, kCs);
  ExpectInvalid(grad, Join(kCell, With(tape, 2, kX)), "f: expected shape [2,2], got [2,3]");
  ExpectInvalid(grad, Join(kCell, With(tape, 7, kX)), "h_grad: expected shape [2,2], got [2,3]");
}

TEST_F(RecurrentOpsTest, Empty) {
  const Tensor none = Floats({0, 2}, {}), zero = Floats({2}, {0, 0});
  OpTester cell = Forward("LSTMBlockCell", false), grad = Backward("LSTMBlockCellGrad", true);
  const std::vector<Tensor> inputs = With(With(With(kCell, 0, Floats({0, 3}, {})), 1, none), 2, none);
  ExpectOutputs(cell, inputs, std::vector<Tensor>(7, none));
  ExpectOutputs(grad, Join(inputs, std::vector<Tensor>(8, none)), {none, Floats({0, 8}, {}), zero, zero, zero});
  OpTester layer = Forward("BlockLSTM", false);
  ExpectOutputs(layer, Sequence(0), std::vector<Tensor>(7, Floats({3, 2, 2}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
}

TEST_F(RecurrentOpsTest, Shapes) {
  const AttrMap attrs{{"T", DType::kFloat32}};
  std::vector<PartialShape> in(9);
  in[1] = PartialShape::Of({-1, 4, 3});
  in[2] = PartialShape::Of({-1, 6});
  EXPECT_EQ(*InferShapes(library_, "BlockLSTM", attrs, in), std::vector<PartialShape>(7, PartialShape::Of({-1, 4, 6})));
  EXPECT_EQ((*InferShapes(library_, "BlockLSTM", attrs, std::vector<PartialShape>(9)))[6],
            PartialShape::UnknownOfRank(3));
  in[1] = PartialShape::Of({4, 3});
  EXPECT_FALSE(InferShapes(library_, "BlockLSTM", attrs, in).ok());
  std::vector<PartialShape> cell(16);
  cell[0] = PartialShape::Of({4, 3});
  cell[1] = PartialShape::Of({-1, 6});
  const auto grads = *InferShapes(library_, "LSTMBlockCellGrad", attrs.With("use_peephole", true), cell);
  EXPECT_EQ(grads[1], PartialShape::Of({4, 24}));
  EXPECT_EQ(grads[4], PartialShape::Of({6}));
  cell.resize(10);
  const auto gru = *InferShapes(library_, "GRUBlockCellGrad", attrs, cell);
  EXPECT_EQ(gru, (std::vector<PartialShape>{PartialShape::Of({4, 3}), PartialShape::Of({4, 6}),
                                            PartialShape::Of({4, 6}), PartialShape::Of({4, 12})}));
}

TEST(RecurrentGradients, AgreeWithDifferences) {
  for (const char* op : {"BlockLSTM", "BlockLSTMV2"}) {
    for (const bool peephole : {false, true}) {
      for (const int output : {1, 6}) {
        SCOPED_TRACE(testing::Message() << op << (peephole ? " with peepholes" : "") << ", output " << output);
        ExpectGradients(
            {kSequence, kCs, kH, kW, kWci, kWcf, kWco, kB},
            [&](GraphBuilder& g, const Outputs& x) {
              return g
                  .Op(op, {int64_t{3}, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]},
                      {{"use_peephole", peephole}, {"cell_clip", 10.0f}})
                  .output(output);
            },
            true, 1e-2);
      }
    }
  }
}

}  // namespace
}  // namespace flowlatch
