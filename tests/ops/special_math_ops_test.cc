#include "ops/special_math_ops.h"

#include <cmath>
#include <limits>

#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Table {
  const char* op;
  std::vector<std::vector<double>> inputs;
  std::vector<double> want;
};

class SpecialMathOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSpecialMathOps(library_).ok()); }
  // In double almost to the last bit, in float rounded once from there.
  void Run(const std::vector<Table>& tables) {
    for (const Table& t : tables) {
      SCOPED_TRACE(t.op);
      for (const DType dtype : {DType::kFloat64, DType::kFloat32}) {
        OpTester op(library_, t.op, {{"T", dtype}});
        std::vector<Tensor> inputs;
        for (const auto& values : t.inputs)
          inputs.push_back(Numbers(dtype, {static_cast<int64_t>(values.size())}, values));
        const auto outputs = op.Run(inputs);
        ASSERT_TRUE(outputs.ok()) << outputs.status();
        for (size_t i = 0; i < t.want.size(); ++i) {
          const double want = t.want[i];
          const double got = dtype == DType::kFloat64 ? (*outputs)[0].data<double>()[i]
                                                      : static_cast<double>((*outputs)[0].data<float>()[i]);
          if (std::isfinite(want)) {
            EXPECT_NEAR(got, want, std::abs(want) * (dtype == DType::kFloat64 ? 1e-13 : 1e-5)) << i;
          } else {
            EXPECT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << i << ": " << got;
          }
        }
      }
    }
  }

  OpLibrary library_;
};

TEST_F(SpecialMathOpsTest, KnownValues) {
  Run({
      {"BesselI0e",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.6450352704491502, 0.36743360905415834, 0.15373774467288123, 0.07314594648223728}},
      {"BesselI1e",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.15642080318487162, 0.21903938742092574, 0.14228923470959867, 0.07191633059864753}},
      {"BesselK0",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.9244190712276663, 0.21380556264752565, 0.0004247957418692318, 2.132477496463056e-14}},
      {"BesselK1",
       {{0.5, 1.5, 7.0, 30.0}},
       {1.6564411200033013, 0.2773878004568438, 0.0004541824868848969, 2.1677320018915495e-14}},
      {"BesselK0e",
       {{0.5, 1.5, 7.0, 30.0}},
       {1.5241093857739103, 0.9582100532948961, 0.46584509609301583, 0.2278866656162537}},
      {"BesselK1e",
       {{0.5, 1.5, 7.0, 30.0}},
       {2.7310097082117863, 1.2431658735525528, 0.49807157509547645, 0.2316541293777118}},
      {"BesselJ0",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.938469807240813, 0.5118276717359181, 0.3000792705195556, -0.08636798358104031}},
      {"BesselJ1",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.24226845767487387, 0.5579365079100997, -0.004682823482345807, -0.11875106261662303}},
      {"BesselY0",
       {{0.5, 1.5, 7.0, 30.0}},
       {-0.4445187335067066, 0.38244892379775886, -0.025949743967209254, -0.11729573168666396}},
      {"BesselY1",
       {{0.5, 1.5, 7.0, 30.0}},
       {-1.4714723926702433, -0.41230862697391135, -0.3026672370241849, 0.08442557066174712}},
      {"BesselI0",
       {{0.5, 1.5, 7.0, 30.0}},
       {1.0634833707413238, 1.6467231897728907, 168.59390851028968, 781672297823.9774}},
      {"BesselI1",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.2578943053908962, 0.9816664285779079, 156.03909286995543, 768532038938.9568}},
      {"Dawsn",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.4244363835020223, 0.42824907108539856, 0.0721809746582363, 0.016675941401059175}},
      {"Expint",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.45421990486317354, 3.3012854491297983, 191.50474333550136, 368973209407.2742}},
      {"FresnelCos",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.4923442258714464, 0.44526117603982157, 0.5454670925469698, 0.4999962473706091}},
      {"FresnelSin",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.06473243285999929, 0.697504960082093, 0.4997047894534464, 0.4893896744421938}},
      {"Spence",
       {{0.5, 1.5, 7.0, 30.0}},
       {0.5822405264650135, -0.4484142069236462, -3.089942051088032, -7.280084707384272}},
      {"Erfinv",
       {{0.1, -0.4, 0.75, 0.999}},
       {0.08885599049425778, -0.370807158593558, 0.8134198475976184, 2.3267537655135464}},
      {"Ndtri", {{0.01, 0.4, 0.5, 0.875}}, {-2.3263478740408408, -0.2533471031357997, 0.0, 1.1503493803760079}},
  });
}

TEST_F(SpecialMathOpsTest, KnownValuesOfTwoOperands) {
  Run({
      {"Zeta",
       {{2.0, 3.0, 1.5, 4.0}, {1.0, -0.5, 10.0, -2.25}},
       {1.6449340668482266, 0.41439832211716, 0.6486616319415703, 259.74250386478576}},
      {"Polygamma",
       {{0.0, 1.0, 2.0, 3.0}, {1.5, 0.25, -1.5, 20.0}},
       {0.03648997397857645, 17.197329154507113, -0.23620405164172825, 0.00026937422133963896}},
      {"Igamma",
       {{0.5, 2.0, 10.0, 30.0}, {0.25, 5.0, 9.0, 50.0}},
       {0.5204998778130466, 0.9595723180054873, 0.4125917556680593, 0.999083171138544}},
      {"Igammac",
       {{0.5, 2.0, 10.0, 30.0}, {0.25, 5.0, 9.0, 50.0}},
       {0.47950012218695337, 0.04042768199451279, 0.5874082443319407, 0.000916828861456071}},
      {"IgammaGradA",
       {{0.5, 2.0, 10.0, 30.0}, {0.25, 5.0, 9.0, 50.0}},
       {-0.797947316783223, -0.055859896052536745, -0.12703651192426865, -0.0005217649811472263}},
      {"RandomGammaGrad",
       {{0.3, 1.0, 2.5, 50.0}, {0.2, 1.0, 4.0, 45.0}},
       {1.2120372612897217, 1.1735630272247275, 1.3396081953658678, 0.951410192211624}},
  });
}

TEST_F(SpecialMathOpsTest, EdgesOfDomains) {
  Run({
      {"BesselI0", {{0, kInf, -kInf, kNan, -2}}, {1, kInf, kInf, kNan, 2.279585302336067}},
      {"BesselI1e", {{0, kInf, kNan, -2}}, {0, 0, kNan, -0.2152692892489377}},
      {"BesselK0", {{0, kInf, -2, kNan}}, {kInf, 0, kInf, kNan}},
      {"BesselY0", {{0, -2, kNan}}, {-kInf, -kInf, kNan}},
      {"Dawsn", {{0, kInf, kNan, -2}}, {0, 0, kNan, -0.30134038892379195}},
      {"Erfinv", {{0, 1, -1, 2, kNan}}, {0, kInf, -kInf, kNan, kNan}},
      {"Ndtri", {{0, 1, -1, kNan}}, {-kInf, kInf, kNan, kNan}},
      {"Expint", {{0, kInf, -1, kNan}}, {-kInf, kInf, kNan, kNan}},
      {"FresnelCos", {{0, kInf, -kInf, kNan, -2}}, {0, 0.5, -0.5, kNan, -0.48825340607534073}},
      {"Spence", {{0, 1, -1, kNan}}, {1.6449340668482264, 0, kNan, kNan}},
      {"Zeta", {{1, 0.5, 2, 2.5, kNan}, {3, 3, -3, -0.5, 1}}, {kInf, kNan, kInf, kNan, kNan}},
      {"Zeta", {{kInf, kInf, kInf, kInf, kInf}, {0.5, 1, 2, -0.5, kInf}}, {kInf, 1, 0, kInf, 0}},
      {"Polygamma", {{-1, 0.5, 1}, {1, 1, 0}}, {kNan, kNan, kInf}},
      {"Polygamma", {{kInf, kInf}, {1, 2}}, {kInf, kNan}},
      {"Igamma", {{1, 1, 0, 1, 1}, {0, kInf, 1, -1, kNan}}, {0, 1, kNan, kNan, kNan}},
      {"Igammac", {{1, 1, 0, 1, 1}, {0, kInf, 1, -1, kNan}}, {1, 0, kNan, kNan, kNan}},
  });
}

// In float exp(89) is infinite, though the function itself would still fit.
TEST_F(SpecialMathOpsTest, BesselIOverflowsWithExp) {
  for (const char* name : {"BesselI0", "BesselI1"}) {
    OpTester op(library_, name, {{"T", DType::kFloat32}});
    ExpectOutput(op, {Floats({1}, {89})}, Floats({1}, {std::numeric_limits<float>::infinity()}));
  }
}

// Numbers that would take a sum of very many terms if it were computed naively.
TEST_F(SpecialMathOpsTest, FarNumbersEndSoon) {
  Run({
      {"Zeta", {{1e6, 2}, {1e3, -1e6 - 0.5}}, {0, 9.8696034010895}},
      {"Polygamma", {{1}, {-1e6 - 0.5}}, {9.8696034010895}},
  });
}

TEST_F(SpecialMathOpsTest, OperandsBroadcast) {
  OpTester op(library_, "Zeta", {{"T", DType::kFloat64}});
  ExpectOutput(op, {Numbers(DType::kFloat64, {1}, {2}), Numbers(DType::kFloat64, {2, 1}, {1, 2})},
               Numbers(DType::kFloat64, {2, 1}, {1.6449340668482264, 0.6449340668482264}), 1e-13);
  EXPECT_EQ(op.Run({Numbers(DType::kFloat64, {2}, {1, 2}), Numbers(DType::kFloat64, {3}, {1, 2, 3})}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace flowlatch
