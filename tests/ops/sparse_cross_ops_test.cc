#include "ops/sparse_cross_ops.h"

#include "tests/ops/sparse_tensors.h"

namespace flowlatch {
namespace {

using Types = std::vector<DType>;

class SparseCrossOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterSparseCrossOps(library_).ok()); }
  OpTester V2(Types sparse, Types dense) {
    return OpTester(library_, "SparseCrossV2", {{"N", static_cast<int64_t>(sparse.size())}, {"sparse_types", sparse}, {"dense_types", dense}});
  }
  OpTester Hashed(Types sparse, Types dense) {
    return OpTester(library_, "SparseCrossHashed", {{"N", static_cast<int64_t>(sparse.size())}, {"sparse_types", sparse}, {"dense_types", dense}});
  }
  OpTester V1(Types sparse, Types dense, bool hashed, int64_t buckets) {
    const DType out = hashed ? DType::kInt64 : DType::kString;
    return OpTester(library_, "SparseCross", {{"N", static_cast<int64_t>(sparse.size())}, {"sparse_types", sparse}, {"dense_types", dense},
                    {"hashed_output", hashed}, {"num_buckets", buckets}, {"hash_key", int64_t{956888297470}}, {"out_type", out}, {"internal_type", out}});
  }

  OpLibrary library_;
  const Tensor places_ = Rows({{0, 0}, {0, 1}, {1, 0}}), strings_ = Strings({3}, {"a", "b", "c"}), shape_ = Dense({2, 2});
  const Tensor letters_ = Strings({2, 1}, {"x", "y"}), sep_ = Tensor::Scalar("_X_");
  const DType s_ = DType::kString, i_ = DType::kInt64;
};

TEST_F(SparseCrossOpsTest, Joined) {
  OpTester with_dense = V2({s_}, {s_}), with_ints = V2({s_}, {i_}), two = V2({s_, i_}, {}), one = V2({s_}, {}), none = V2({}, {});
  const std::vector<Tensor> want{places_, Strings({3}, {"a_X_x", "b_X_x", "c_X_y"}), Dense({2, 2})};
  ExpectOutputs(with_dense, {places_, strings_, shape_, letters_, sep_}, want);
  OpTester v1 = V1({s_}, {s_}, false, 0);
  ExpectOutputs(v1, {places_, strings_, shape_, letters_}, want);
  ExpectOutputs(with_ints, {places_, strings_, shape_, Longs({2, 2}, {1, 2, 3, -4}), Tensor::Scalar("-")},
                {Rows({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}}), Strings({6}, {"a-1", "a-2", "b-1", "b-2", "c-3", "c--4"}), Dense({2, 4})});
  ExpectOutputs(two, {places_, Rows({{0, 0}}), strings_, Longs({1}, {7}), shape_, Dense({2, 1}), sep_},
                {Rows({{0, 0}, {0, 1}}), Strings({2}, {"a_X_7", "b_X_7"}), Dense({2, 2})});
  ExpectOutputs(one, {places_, strings_, shape_, sep_}, {places_, strings_, Dense({2, 2})});
  ExpectOutputs(none, {sep_}, {Rows({}), Strings({0}, {}), Dense({0, 0})});
}

TEST_F(SparseCrossOpsTest, Hashed) {
  OpTester strings = Hashed({s_}, {s_}), one = Hashed({s_}, {}), ints = Hashed({i_}, {i_}), sparse_ints = Hashed({i_}, {});
  const Tensor zero = Longs({2}, {0, 0}), salt = Longs({2}, {137, 173}), weak = Tensor::Scalar(false), strong = Tensor::Scalar(true);
  const auto buckets = [](int64_t n) { return Tensor::Scalar(n); };
  const struct {
    OpTester* op;
    std::vector<Tensor> inputs;
    Tensor want;
  } cases[] = {
      {&strings, {places_, strings_, shape_, letters_, buckets(0), weak, zero}, Longs({3}, {598440913169127831, 4641000509844720313, 5351530424226319396})},
      {&strings, {places_, strings_, shape_, letters_, buckets(100), weak, zero}, Longs({3}, {38, 20, 96})},
      {&strings, {places_, strings_, shape_, letters_, buckets(0), strong, salt}, Longs({3}, {385819649226098610, 5450380642045686839, 3211842976949687855})},
      {&strings, {places_, strings_, shape_, letters_, buckets(1000), strong, salt}, Longs({3}, {610, 839, 855})},
      {&strings, {places_, strings_, shape_, letters_, buckets(1000), weak, salt}, Longs({3}, {638, 120, 396})},
      {&one, {places_, strings_, shape_, buckets(0), weak, zero}, Longs({3}, {3694432073954588132, 2572224033622389015, 2207072410288225065})},
      {&ints, {places_, Longs({3}, {1, 2, 3}), shape_, Longs({2, 1}, {5, 6}), buckets(0), weak, zero},
       Longs({3}, {438770261541025424, 5555026641029685081, 1813415796877504974})},
      {&sparse_ints, {places_, Longs({3}, {1, 2, 3}), shape_, buckets(0), strong, salt},
       Longs({3}, {4627747934794379145, 6890311299066555194, 8327230620147078024})},
  };
  for (const auto& [op, inputs, want] : cases) ExpectOutputs(*op, inputs, {places_, want, Dense({2, 2})});
}

TEST_F(SparseCrossOpsTest, FirstFormHashed) {
  OpTester strings = V1({s_}, {s_}, true, 0), few = V1({s_}, {s_}, true, 100), ints = V1({i_}, {i_}, true, 0);
  ExpectOutputs(strings, {places_, strings_, shape_, letters_}, {places_, Longs({3}, {1484974617627318892, 3552177129620670004, 6571367263544129360}), shape_});
  ExpectOutputs(few, {places_, strings_, shape_, letters_}, {places_, Longs({3}, {92, 4, 60}), shape_});
  ExpectOutputs(ints, {places_, Longs({3}, {1, 2, 3}), shape_, Longs({2, 1}, {5, 6})},
                {places_, Longs({3}, {6135528351060340733, 4812323992653911631, 8368195123215603543}), shape_});
}

class RaggedCrossTest : public SparseCrossOpsTest {
 protected:
  OpTester Op(const std::string& order, Types ragged, Types sparse, Types dense, DType out, int64_t buckets = 0, int64_t key = 956888297470,
              DType splits = DType::kInt64) {
    return OpTester(library_, "RaggedCross", Attrs(order, ragged, sparse, dense, out, buckets, key, splits));
  }
  AttrMap Attrs(const std::string& order, Types ragged, Types sparse, Types dense, DType out, int64_t buckets = 0, int64_t key = 0,
                DType splits = DType::kInt64) {
    return {{"Nsparse", static_cast<int64_t>(sparse.size())}, {"input_order", order}, {"hashed_output", out == DType::kInt64},
            {"num_buckets", buckets}, {"hash_key", key}, {"ragged_values_types", ragged}, {"ragged_splits_types", Types(ragged.size(), splits)},
            {"sparse_values_types", sparse}, {"dense_types", dense}, {"out_values_type", out}, {"out_row_splits_type", splits}};
  }

  const Tensor values_ = Strings({3}, {"a", "b", "c"}), splits_ = Longs({4}, {0, 2, 2, 3}), dense_ = Longs({3, 2}, {1, 2, 3, 4, 5, 6});
  const Tensor xy_ = Strings({2}, {"x", "y"}), xy_places_ = Rows({{0, 0}, {2, 1}}), xy_shape_ = Dense({3, 2});
  const Tensor ends_ = Longs({4}, {0, 4, 4, 6});
};

TEST_F(RaggedCrossTest, Joined) {
  OpTester rd = Op("RD", {s_}, {}, {i_}, s_), dr = Op("DR", {s_}, {}, {i_}, s_), rsd = Op("RSD", {s_}, {s_}, {i_}, s_), none = Op("", {}, {}, {}, s_);
  ExpectOutputs(rd, {values_, splits_, dense_}, {Strings({6}, {"a_X_1", "a_X_2", "b_X_1", "b_X_2", "c_X_5", "c_X_6"}), ends_});
  ExpectOutputs(dr, {values_, splits_, dense_}, {Strings({6}, {"1_X_a", "1_X_b", "2_X_a", "2_X_b", "5_X_c", "6_X_c"}), ends_});
  ExpectOutputs(rsd, {values_, splits_, xy_places_, xy_, xy_shape_, dense_},
                {Strings({6}, {"a_X_x_X_1", "a_X_x_X_2", "b_X_x_X_1", "b_X_x_X_2", "c_X_y_X_5", "c_X_y_X_6"}), ends_});
  ExpectOutputs(none, {}, {Strings({0}, {}), Longs({1}, {0})});
  ExpectOutputs(rd, {values_, splits_, Longs({3, 0}, {})}, {Strings({0}, {}), Longs({4}, {0, 0, 0, 0})});
  OpTester narrow = Op("R", {i_}, {}, {}, s_, 0, 0, DType::kInt32);
  ExpectOutputs(narrow, {Longs({2}, {7, -1}), Ints({3}, {0, 2, 2})}, {Strings({2}, {"7", "-1"}), Ints({3}, {0, 2, 2})});
}

TEST_F(RaggedCrossTest, Hashed) {
  OpTester rsd = Op("RSD", {s_}, {s_}, {i_}, i_), buckets = Op("DR", {s_}, {}, {i_}, i_, 100), key = Op("DR", {s_}, {}, {i_}, i_, 100, -1);
  ExpectOutputs(rsd, {values_, splits_, xy_places_, xy_, xy_shape_, dense_},
                {Longs({6}, {7722368476446652350, 6839035592980495920, 5434263408962330, 6208794931230558905, 6662837707556820426, 2606811687655117115}), ends_});
  ExpectOutputs(buckets, {values_, splits_, dense_}, {Longs({6}, {45, 57, 93, 49, 51, 24}), ends_});
  ExpectOutputs(key, {values_, splits_, dense_}, {Longs({6}, {29, 5, 53, 15, 6, 76}), ends_});
}

TEST_F(RaggedCrossTest, Errors) {
  OpTester rd = Op("RD", {s_}, {}, {i_}, s_);
  ExpectInvalid(rd, {values_, splits_, Longs({2, 1}, {1, 2})}, "column 1: expected 3 rows as the first has, got 2");
  ExpectInvalid(rd, {values_, splits_, Longs({3}, {1, 2, 3})}, "column 1: expected a matrix, got shape [3]");
  for (const Tensor& splits : {Longs({4}, {0, 2, 2, 4}), Longs({4}, {0, 2, 1, 3}), Longs({3}, {1, 2, 3}), Longs({0}, {})}) {
    ExpectInvalid(rd, {values_, splits, dense_}, "column 0: expected a vector and row splits from 0 to its length");
  }
  ExpectInvalid(rd, {Strings({1, 3}, {"a", "b", "c"}), splits_, dense_}, "column 0: expected a vector");
  for (const char* order : {"DX", "D", "RR", "RDD"}) {
    OpTester bad = Op(order, {s_}, {}, {i_}, s_);
    ExpectInvalid(bad, {values_, splits_, dense_}, "input_order: expected R, S and D for 1 ragged, 0 sparse and 1 dense columns");
  }
  const auto shapes = InferShapes(library_, "RaggedCross", Attrs("R", {s_}, {}, {}, s_), {PartialShape(), PartialShape()});
  EXPECT_EQ((*shapes)[0], PartialShape::Of({-1}));
  EXPECT_EQ((*shapes)[1], PartialShape::Of({-1}));
}

TEST_F(SparseCrossOpsTest, Errors) {
  OpTester op = V2({s_}, {s_}), hashed = Hashed({s_}, {});
  ExpectInvalid(op, {places_, strings_, shape_, Strings({1, 1}, {"x"}), sep_}, "column 1: expected 2 rows as the first has, got 1");
  ExpectInvalid(op, {places_, strings_, shape_, Strings({2}, {"x", "y"}), sep_}, "column 1: expected a matrix, got shape [2]");
  ExpectInvalid(op, {Rows({{0, 0, 0}}), Strings({1}, {"a"}), Dense({1, 1, 1}), letters_, sep_}, "column 0: expected a matrix, got 3 dimensions");
  ExpectInvalid(op, {Rows({{5, 0}}), Strings({1}, {"a"}), Dense({2, 1}), letters_, sep_}, "column 0: indices[0]: expected a place in shape [2,1]");
  ExpectInvalid(op, {places_, strings_, shape_, letters_, Strings({2}, {"a", "b"})}, "sep: expected a scalar, got shape [2]");
  const Tensor no = Tensor::Scalar(false), zero = Tensor::Scalar<int64_t>(0);
  ExpectInvalid(hashed, {places_, strings_, shape_, zero, no, Longs({0}, {})}, "salt: expected 2 values, got 0");
  ExpectInvalid(hashed, {places_, strings_, shape_, Tensor::Scalar<int64_t>(-1), no, Longs({2}, {0, 0})}, "num_buckets: expected no negative number");
  EXPECT_EQ((*InferShapes(library_, "SparseCrossV2", {{"N", 0}, {"sparse_types", Types{}}, {"dense_types", Types{}}}, {PartialShape()}))[0],
            PartialShape::Of({-1, 2}));
}

}  // namespace
}  // namespace flowlatch
