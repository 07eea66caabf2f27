#include "ops/candidate_ops.h"

#include <cfloat>
#include <fstream>
#include <string>

#include "tests/ops/tensors.h"

namespace flowlatch {
namespace {

class CandidateOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterCandidateOps(library_).ok()); }
  OpLibrary library_;
};

AttrMap Attrs(bool unique = true) {
  return {{"num_true", int64_t{2}},
          {"num_sampled", int64_t{5}},
          {"unique", unique},
          {"seed", int64_t{3}},
          {"seed2", int64_t{4}}};
}
const Tensor& TrueClasses() {
  static const Tensor classes = Longs({2, 2}, {0, 3, 7, 2});
  return classes;
}
Attr Unigrams(std::vector<float> weights) { return Attr(std::move(weights)); }

// What TensorFlow 2.21 gives; the expected counts are float arithmetic of the C library.
TEST_F(CandidateOpsTest, AsTensorFlow) {
  const float uniform = 0.5615376234054565, learned = 0.5067298412322998;
  const struct {
    const char* op;
    AttrMap attrs;
    std::vector<Tensor> want;
  } cases[] = {
      {"UniformCandidateSampler",
       Attrs().With("range_max", int64_t{9}),
       {Longs({5}, {4, 1, 2, 5, 3}), Floats({2, 2}, {uniform, uniform, uniform, uniform}),
        Floats({5}, {uniform, uniform, uniform, uniform, uniform})}},
      {"LogUniformCandidateSampler",
       Attrs().With("range_max", int64_t{20}),
       {Longs({5}, {2, 4, 1, 12, 0}),
        Floats({2, 2}, {1.1383512020111084, 0.3664672374725342, 0.19343434274196625, 0.47245845198631287}),
        Floats({5}, {0.47245845198631287, 0.29942554235458374, 0.6658928394317627, 0.12170705944299698,
                     1.1383512020111084})}},
      {"LearnedUnigramCandidateSampler",
       Attrs().With("range_max", int64_t{9}),
       {Longs({5}, {6, 4, 2, 1, 7}), Floats({2, 2}, {learned, learned, learned, learned}),
        Floats({5}, {learned, learned, learned, learned, learned})}},
      {"ThreadUnsafeUnigramCandidateSampler",
       Attrs().With("range_max", int64_t{9}),
       {Longs({5}, {6, 4, 2, 1, 7}), Floats({2, 2}, {learned, learned, learned, learned}),
        Floats({5}, {learned, learned, learned, learned, learned})}},
      {"FixedUnigramCandidateSampler",
       Attrs()
           .With("range_max", int64_t{9})
           .With("distortion", 0.75f)
           .With("unigrams", Unigrams({1, 2, 3, 4, 5, 6, 7, 8.5, 0.25})),
       {Longs({5}, {4, 6, 7, 3, 5}),
        Floats({2, 2}, {0.20323333144187927, 0.5748306512832642, 1.0117172002792358, 0.4632717967033386}),
        Floats({5},
               {0.6795516014099121, 0.8746180534362793, 1.0117172002792358, 0.5748306512832642, 0.7791271805763245})}},
      {"FixedUnigramCandidateSampler",
       Attrs()
           .With("range_max", int64_t{9})
           .With("num_reserved_ids", int64_t{2})
           .With("unigrams", Unigrams({1, 2, 3, 4, 5, 6, 7})),
       {Longs({5}, {4, 8, 6, 3, 5}), Floats({2, 2}, {0.0, 0.3571428656578064, 1.0714285373687744, 0.1785714328289032}),
        Floats({5}, {0.5357142686843872, 1.25, 0.8928571939468384, 0.3571428656578064, 0.7142857313156128})}},
      {"AllCandidateSampler",
       Attrs().With("num_sampled", int64_t{8}),
       {Longs({8}, {0, 1, 2, 3, 4, 5, 6, 7}), Floats({2, 2}, {1, 1, 1, 1}), Floats({8}, {1, 1, 1, 1, 1, 1, 1, 1})}},
  };
  for (const auto& [op, attrs, want] : cases) {
    SCOPED_TRACE(op);
    OpTester t(library_, op, attrs);
    ExpectOutputs(t, {TrueClasses()}, want, 1e-6);
  }
}

// Twelve samples, not unique.
TEST_F(CandidateOpsTest, ManyAsTensorFlow) {
  std::vector<float> weights;
  for (int i = 0; i < 30; ++i) weights.push_back(static_cast<float>(i % 5) * 0.5f + 0.25f);
  const std::vector<float> sixteen(weights.begin(), weights.begin() + 16);
  const AttrMap attrs{{"num_true", int64_t{2}},
                      {"num_sampled", int64_t{12}},
                      {"unique", false},
                      {"seed", int64_t{7}},
                      {"seed2", int64_t{9}}};
  const struct {
    const char* op;
    AttrMap attrs;
    Tensor want;
  } cases[] = {
      {"UniformCandidateSampler", attrs.With("range_max", int64_t{1000}),
       Longs({12}, {51, 966, 697, 594, 905, 255, 252, 286, 498, 987, 722, 651})},
      {"UniformCandidateSampler", attrs.With("range_max", int64_t{1} << 40),
       Longs({12}, {19642230515, 832220913846, 1059705166841, 460056262626, 277891430897, 380084828479, 352704087804,
                    539422096910, 334242156226, 792908920363, 965061962154, 871634471939})},
      {"LogUniformCandidateSampler", attrs.With("range_max", int64_t{1000}),
       Longs({12}, {6, 135, 62, 334, 576, 1, 307, 996, 2, 414, 262, 15})},
      {"LearnedUnigramCandidateSampler", attrs.With("range_max", int64_t{20}),
       Longs({12}, {11, 0, 18, 13, 5, 2, 14, 15, 13, 12, 11, 4})},
      {"FixedUnigramCandidateSampler",
       attrs.With("range_max", int64_t{16}).With("distortion", 0.5f).With("unigrams", Unigrams(sixteen)),
       Longs({12}, {4, 1, 6, 13, 0, 8, 2, 13, 12, 8, 0, 13})},
      {"FixedUnigramCandidateSampler",
       attrs.With("range_max", int64_t{16})
           .With("num_shards", int64_t{2})
           .With("shard", int64_t{1})
           .With("num_reserved_ids", int64_t{2})
           .With("unigrams", Unigrams(weights)),
       Longs({12}, {4, 8, 10, 15, 5, 7, 2, 13, 13, 8, 5, 8})},
  };
  for (const auto& [op, with, want] : cases) {
    SCOPED_TRACE(op);
    OpTester t(library_, op, with);
    ExpectOutput(t, {TrueClasses()}, want);
  }
}

TEST_F(CandidateOpsTest, WeightsOfAFile) {
  const std::string path = testing::TempDir() + "/weights.csv";
  const auto attrs = Attrs(false).With("range_max", int64_t{9}).With("distortion", 0.75f);
  OpTester by_file(library_, "FixedUnigramCandidateSampler", attrs.With("vocab_file", path));
  OpTester by_list(library_, "FixedUnigramCandidateSampler",
                   attrs.With("unigrams", Unigrams({1, 2, 3, 4, 5, 6, 7, 8.5, 0.25})));
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  write("a,1\r\nb,x,2\n,3\n\nd, 4 \n,5\n,6\n,7\n,8.5\n,0.25");
  EXPECT_EQ(by_file.Run({TrueClasses()}).status().code(), absl::StatusCode::kFailedPrecondition);
  by_file.AllowFiles();
  ExpectOutputs(by_file, {TrueClasses()}, by_list.Run({TrueClasses()}).value());
  for (const char* line : {"word\n", "word,x\n", "word,\n"}) {
    write(line);
    ExpectInvalid(by_file, {TrueClasses()}, "vocab_file: expected lines that end in a comma and a number, got 'word");
  }
  write("a,1\nb,2\n");
  ExpectInvalid(by_file, {TrueClasses()}, "unigrams: expected 9 classes, got 2");
}

TEST_F(CandidateOpsTest, SamplesThatMayRepeatAreExpectedByTheirProbability) {
  OpTester t(library_, "UniformCandidateSampler", Attrs(false).With("range_max", int64_t{4}));
  const auto out = t.Run({Longs({1, 2}, {0, 3})});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ(Difference((*out)[1], Floats({1, 2}, {1.25, 1.25})), "");
  for (const int64_t sample : (*out)[0].values<int64_t>()) EXPECT_TRUE(sample >= 0 && sample < 4) << sample;
  ExpectOutputs(t, {Longs({0, 2}, {})}, {(*out)[0], Floats({0, 2}, {})});
}

TEST_F(CandidateOpsTest, AccidentalHits) {
  OpTester t(library_, "ComputeAccidentalHits", {{"num_true", int64_t{2}}});
  ExpectOutputs(t, {Longs({3, 2}, {1, 2, 3, 1, 9, 9}), Longs({4}, {2, 1, 5, 1})},
                {Ints({3}, {0, 0, 1}), Longs({3}, {3, 0, 3}), Floats({3}, {-FLT_MAX, -FLT_MAX, -FLT_MAX})});
  ExpectOutputs(t, {Longs({0, 2}, {}), Longs({0}, {})}, {Ints({0}, {}), Longs({0}, {}), Floats({0}, {})});
  ExpectInvalid(t, {Longs({1, 1}, {1}), Longs({1}, {1})}, "true_classes: expected shape [?,2], got [1,1]");
  ExpectInvalid(t, {Longs({1, 2}, {1, 2}), Longs({1, 1}, {1})},
                "sampled_candidates: expected a vector, got shape [1,1]");
}

TEST_F(CandidateOpsTest, Rejects) {
  OpTester t(library_, "UniformCandidateSampler", Attrs().With("range_max", int64_t{9}));
  ExpectInvalid(t, {Longs({1, 2}, {-1, 2})}, "true_classes: expected values in [0,9), got -1");
  ExpectInvalid(t, {Longs({1, 2}, {1, 9})}, "true_classes: expected values in [0,9), got 9");
  ExpectInvalid(t, {Longs({1, 3}, {1, 2, 3})}, "true_classes: expected shape [?,2], got [1,3]");
  ExpectInvalid(t, {Longs({2}, {1, 2})}, "true_classes: expected shape [?,2], got [2]");
  OpTester narrow(library_, "UniformCandidateSampler", Attrs().With("range_max", int64_t{4}));
  ExpectInvalid(narrow, {Longs({1, 2}, {1, 2})}, "num_sampled: expected at most 4 unique classes, got 5");
  const auto fixed = [&](std::vector<float> weights, const char* text) {
    OpTester f(library_, "FixedUnigramCandidateSampler",
               Attrs().With("range_max", int64_t{2}).With("unigrams", Unigrams(std::move(weights))));
    ExpectInvalid(f, {Longs({1, 2}, {0, 1})}, text);
  };
  fixed({1}, "unigrams: expected 2 classes, got 1");
  fixed({1, -1}, "unigrams: expected weights of 0 or more, got -1");
  fixed({0, 0}, "unigrams: expected a weight above 0, got none");
  fixed({}, "unigrams: expected either them or vocab_file");
  OpTester none(library_, "FixedUnigramCandidateSampler",
                Attrs().With("range_max", int64_t{6}).With("unigrams", Unigrams({0, 0, 3, 0, 2, 1})));
  ExpectInvalid(none, {Longs({1, 2}, {0, 1})}, "num_sampled: expected at most 3 unique classes, got 5");
  OpTester shard(library_, "FixedUnigramCandidateSampler",
                 Attrs().With("range_max", int64_t{2}).With("shard", int64_t{1}).With("unigrams", Unigrams({1, 2})));
  ExpectInvalid(shard, {Longs({1, 2}, {0, 1})}, "shard: expected a value in [0,num_shards = 1), got 1");
  OpTester large(library_, "LearnedUnigramCandidateSampler", Attrs().With("range_max", int64_t{1} << 40));
  ExpectInvalid(large, {TrueClasses()}, "range_max: expected at most");
}

TEST_F(CandidateOpsTest, Shape) {
  const auto shapes = *InferShapes(library_, "AllCandidateSampler", Attrs(), {PartialShape()});
  EXPECT_EQ(shapes,
            (std::vector<PartialShape>{PartialShape::Of({5}), PartialShape::Of({-1, 2}), PartialShape::Of({5})}));
  EXPECT_EQ((*InferShapes(library_, "AllCandidateSampler", Attrs(), {PartialShape::Of({7, -1})}))[1],
            PartialShape::Of({7, 2}));
}

}  // namespace
}  // namespace flowlatch
