#include "ops/lookup_ops.h"

#include <fstream>
#include <limits>
#include <thread>

#include "tests/ops/tensors.h"
#include "tests/runtime/checkpoint/temp_directory.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {
namespace {

using testing::HasSubstr;
using Results = absl::StatusOr<std::vector<Tensor>>;

// With handles that are resources ("V2") or references to strings ("").
class LookupOpsTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(RegisterLookupOps(library_).ok());
    step_.services().allow_files = true;
  }

  Results TryTable(const std::string& op, DType key, DType value, AttrMap attrs = {}, std::vector<Tensor> inputs = {}) {
    attrs = attrs.With("key_dtype", key).With("value_dtype", value);
    return step_.Run(op.starts_with("Anonymous") ? op : op + GetParam(), attrs, std::move(inputs));
  }
  Tensor Table(const std::string& op, DType key, DType value, AttrMap attrs = {}, std::vector<Tensor> inputs = {}) {
    const Results out = TryTable(op, key, value, std::move(attrs), std::move(inputs));
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0] : Tensor();
  }
  Tensor Dense(Tensor empty, Tensor deleted, AttrMap attrs) {
    const DType key = empty.dtype();
    return Table("MutableDenseHashTable", key, DType::kInt64, std::move(attrs), {std::move(empty), std::move(deleted)});
  }
  Results Find(const Tensor& table, const Tensor& keys, const Tensor& default_value) {
    return Run("LookupTableFind", {{"Tin", keys.dtype()}, {"Tout", default_value.dtype()}},
               {table, keys, default_value});
  }
  absl::Status Insert(const Tensor& table, const Tensor& keys, const Tensor& values) {
    return Run("LookupTableInsert", {{"Tin", keys.dtype()}, {"Tout", values.dtype()}}, {table, keys, values}).status();
  }
  absl::Status Import(const Tensor& table, const Tensor& keys, const Tensor& values) {
    return Run("LookupTableImport", {{"Tin", keys.dtype()}, {"Tout", values.dtype()}}, {table, keys, values}).status();
  }
  absl::Status Initialize(const Tensor& table, const Tensor& keys, const Tensor& values) {
    return Run("InitializeTable", {{"Tkey", keys.dtype()}, {"Tval", values.dtype()}}, {table, keys, values}).status();
  }
  absl::Status Remove(const Tensor& table, const Tensor& keys) {
    return step_.Run("LookupTableRemoveV2", {{"Tin", keys.dtype()}}, {table, keys}).status();
  }
  Results Export(const Tensor& table, DType keys, DType values) {
    return Run("LookupTableExport", {{"Tkeys", keys}, {"Tvalues", values}}, {table});
  }
  int64_t Size(const Tensor& table) {
    const Results out = Run("LookupTableSize", {}, {table});
    EXPECT_TRUE(out.ok()) << out.status();
    return out.ok() ? (*out)[0].scalar<int64_t>() : -1;
  }
  Results Run(const std::string& op, const AttrMap& attrs, std::vector<Tensor> inputs) {
    return step_.Run(op + GetParam(), attrs, std::move(inputs));
  }
  static void ExpectValue(const Results& got, const Tensor& want) {
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(Difference((*got)[0], want), "");
  }
  static void ExpectEntries(const Results& got, const Tensor& keys, const Tensor& values) {
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ(Difference((*got)[0], keys), "");
    EXPECT_EQ(Difference((*got)[1], values), "");
  }
  bool is_v2() const { return GetParam() == "V2"; }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
};

INSTANTIATE_TEST_SUITE_P(Handles, LookupOpsTest, testing::Values("", "V2"),
                         [](const auto& info) { return info.param.empty() ? "Strings" : "Resources"; });

TEST_P(LookupOpsTest, StaticTable) {
  const Tensor t = Table("HashTable", DType::kInt64, DType::kInt64);
  EXPECT_EQ(Size(t), 0);
  EXPECT_EQ(Find(t, Longs({1}, {1}), Longs({}, {0})).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Export(t, DType::kInt64, DType::kInt64).status().code(), absl::StatusCode::kAborted);
  ASSERT_TRUE(Initialize(t, Longs({2}, {1, 2}), Longs({2}, {3, 4})).ok());
  EXPECT_EQ(Size(t), 2);
  ExpectValue(Find(t, Longs({3}, {1, 5, 2}), Longs({}, {-1})), Longs({3}, {3, -1, 4}));
  ExpectValue(Find(t, Longs({}, {1}), Longs({}, {-1})), Longs({}, {3}));
  ExpectValue(Find(t, Longs({2, 0}, {}), Longs({}, {-1})), Longs({2, 0}, {}));
  ExpectValue(Find(t, Longs({2}, {6, 5}), Longs({2}, {7, 8})), Longs({2}, {7, 7}));  // as TensorFlow
  ASSERT_TRUE(Initialize(t, Longs({2}, {9, 8}), Longs({2}, {0, 0})).ok());           // as many: taken for the same
  EXPECT_EQ(Initialize(t, Longs({1}, {9}), Longs({1}, {0})).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Insert(t, Longs({1}, {9}), Longs({1}, {0})).code(), absl::StatusCode::kUnimplemented);
  ExpectValue(Find(t, Longs({1}, {9}), Longs({}, {-1})), Longs({1}, {-1}));
}

TEST_P(LookupOpsTest, StaticTableErrors) {
  const Tensor t = Table("HashTable", DType::kString, DType::kFloat32);
  ExpectInvalid(Initialize(t, Strings({0}, {}), Floats({0}, {})), "keys: expected some, got none");
  ExpectInvalid(Initialize(t, Strings({2}, {"a", "b"}), Floats({1}, {1})), "expected vectors of one length");
  ExpectInvalid(Initialize(t, Strings({}, {"a"}), Floats({}, {1})), "expected vectors");
  ExpectInvalid(Initialize(t, Longs({1}, {1}), Floats({1}, {1})), "keys: expected string, got int64");
  ExpectInvalid(Initialize(t, Strings({1}, {"a"}), Longs({1}, {1})), "values: expected float32, got int64");
  EXPECT_EQ(Initialize(t, Strings({2}, {"a", "a"}), Floats({2}, {1, 2})).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Size(t), 0);
  ASSERT_TRUE(Initialize(t, Strings({2}, {"a", "a"}), Floats({2}, {1, 1})).ok());
  EXPECT_EQ(Size(t), 1);
  ExpectInvalid(Find(t, Longs({1}, {1}), Floats({}, {1})).status(), "keys: expected string, got int64");
  ExpectInvalid(Find(t, Strings({1}, {"a"}), Longs({}, {1})).status(), "default_value: expected float32, got int64");
  ExpectInvalid(Find(t, Strings({1}, {"a"}), Floats({2}, {1, 2})).status(),
                "default_value: expected shape [] or [1], got [2]");
  ExpectInvalid(Export(t, DType::kInt64, DType::kFloat32).status(), "expected int64 -> float32, got string -> float32");
  const Tensor m = Table("MutableHashTable", DType::kString, DType::kFloat32);
  ExpectInvalid(Initialize(m, Strings({1}, {"a"}), Floats({1}, {1})), "expected one that is filled once");
}

TEST_P(LookupOpsTest, MutableTable) {
  const Tensor t = Table("MutableHashTable", DType::kString, DType::kInt64);
  ASSERT_TRUE(Insert(t, Strings({2, 2}, {"brain", "salad", "surgery", "tarkus"}), Longs({2, 2}, {0, 1, 2, 3})).ok());
  ASSERT_TRUE(Insert(t, Strings({}, {"salad"}), Longs({}, {9})).ok());
  EXPECT_EQ(Size(t), 4);
  if (is_v2()) {
    ASSERT_TRUE(Remove(t, Strings({1, 2}, {"tarkus", "none"})).ok());
    EXPECT_EQ(Size(t), 3);
    ExpectEntries(Export(t, DType::kString, DType::kInt64), Strings({3}, {"surgery", "salad", "brain"}),
                  Longs({3}, {2, 9, 0}));
    ASSERT_TRUE(Insert(t, Strings({1}, {"again"}), Longs({1}, {5})).ok());  // where the removed value was
    ExpectValue(Find(t, Strings({2}, {"again", "brain"}), Longs({}, {-1})), Longs({2}, {5, 0}));
  }
  ExpectValue(Find(t, Strings({2, 1}, {"none", "salad"}), Longs({2, 1}, {-1, -2})), Longs({2, 1}, {-1, 9}));
  ExpectInvalid(Insert(t, Strings({1}, {"a"}), Longs({1, 1}, {1})), "values: expected shape [1], got [1,1]");
  ASSERT_TRUE(Import(t, Strings({2}, {"x", "x"}), Longs({2}, {1, 2})).ok());
  ExpectEntries(Export(t, DType::kString, DType::kInt64), Strings({1}, {"x"}), Longs({1}, {2}));
  ExpectInvalid(Import(t, Strings({2}, {"x", "x"}), Longs({1}, {2})), "values");
  EXPECT_EQ(Size(t), 1);
}

// The order is TensorFlow's.
TEST_P(LookupOpsTest, OrderOfEntries) {
  const Tensor t = Table("MutableHashTable", DType::kInt64, DType::kInt64);
  for (const int n : {5, 20}) {
    Tensor keys = Tensor::Make(DType::kInt64, {n}).value();
    for (int i = 0; i < n; ++i) keys.mutable_data<int64_t>()[i] = 7 * i;
    ASSERT_TRUE(Insert(t, keys, keys).ok());
  }
  ExpectValue(Export(t, DType::kInt64, DType::kInt64),
              Longs({20}, {133, 126, 119, 112, 105, 98, 91, 0, 7, 14, 21, 28, 35, 42, 49, 56, 63, 70, 77, 84}));
  const Tensor s = Table("MutableHashTable", DType::kString, DType::kInt64);
  for (const int n : {5, 20}) {
    Tensor keys = Tensor::Make(DType::kString, {n}).value(), values = Tensor::Make(DType::kInt64, {n}).value();
    for (int i = 0; i < n; ++i) {
      keys.mutable_data<String>()[i] = std::string_view(std::to_string(7 * i));
      values.mutable_data<int64_t>()[i] = 7 * i;
    }
    ASSERT_TRUE(Insert(s, keys, values).ok());
  }
  const Results all = Export(s, DType::kString, DType::kInt64);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(Difference((*all)[1], Longs({20}, {133, 112, 105, 98, 126, 0,  91, 7,  119, 14,
                                               70,  21,  35,  42, 77,  49, 28, 56, 63,  84})),
            "");
}

TEST_P(LookupOpsTest, TableOfTensors) {
  const Tensor t =
      Table("MutableHashTableOfTensors", DType::kInt32, DType::kFloat32, {{"value_shape", PartialShape::Of({2})}});
  ASSERT_TRUE(Insert(t, Ints({2}, {1, 2}), Floats({2, 2}, {1, 2, 3, 4})).ok());
  ASSERT_TRUE(Insert(t, Ints({}, {1}), Floats({2}, {5, 6})).ok());
  ExpectValue(Find(t, Ints({1, 3}, {2, 3, 1}), Floats({2}, {-1, -2})), Floats({1, 3, 2}, {3, 4, -1, -2, 5, 6}));
  ExpectValue(Find(t, Ints({2}, {8, 9}), Floats({2, 2}, {1, 2, 3, 4})), Floats({2, 2}, {1, 2, 3, 4}));
  ExpectInvalid(Find(t, Ints({2, 2}, {8, 9, 1, 2}), Floats({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8})).status(),
                "default_value: expected shape [2] or [2,2,2], got [4,2]");
  ExpectInvalid(Insert(t, Ints({2}, {1, 2}), Floats({2}, {1, 2})), "values: expected shape [2,2], got [2]");
  for (const PartialShape& shape :
       {PartialShape(), PartialShape::Of({}), PartialShape::Of({1, 2}), PartialShape::Of({-1})}) {
    ExpectInvalid(
        TryTable("MutableHashTableOfTensors", DType::kInt32, DType::kFloat32, {{"value_shape", shape}}).status(),
        "value_shape: expected a vector");
  }
}

TEST_P(LookupOpsTest, ValuesOfEveryKind) {
  for (const Tensor& value :
       {Bools({1}, {true}), Strings({1}, {"a string longer than it can hold inside"}), Of<double>({1}, {2.5}),
        Of<Half, float>({1}, {1.5}), Of<std::complex<double>>({1}, {{1, 2}})}) {
    for (const char* op : {"HashTable", "MutableHashTable"}) {
      const Tensor t = Table(op, DType::kInt64, value.dtype());
      ASSERT_TRUE(Import(t, Longs({1}, {-3}), value).ok());
      const Tensor zero = Tensor::Zeros(value.dtype(), Shape()).value();
      ExpectValue(Find(t, Longs({1}, {-3}), zero), value);
    }
  }
  const Tensor variants = Table("MutableHashTable", DType::kInt64, DType::kVariant);
  const Tensor value = Tensor::Make(DType::kVariant, {1}).value();
  ASSERT_TRUE(Insert(variants, Longs({1}, {1}), value).ok());
  EXPECT_EQ(Size(variants), 1);
  EXPECT_EQ(TryTable("HashTable", DType::kFloat32, DType::kInt64).status().code(), absl::StatusCode::kUnimplemented);
}

TEST_P(LookupOpsTest, NamesOfTables) {
  const Tensor a = Table("MutableHashTable", DType::kInt64, DType::kInt64, {{"shared_name", "a"}});
  ASSERT_TRUE(Insert(a, Longs({1}, {1}), Longs({1}, {2})).ok());
  EXPECT_EQ(Size(Table("MutableHashTable", DType::kInt64, DType::kInt64, {{"shared_name", "a"}})), 1);
  EXPECT_EQ(Size(Table("MutableHashTable", DType::kInt64, DType::kInt64, {{"shared_name", "a"}, {"container", "c"}})),
            0);
  EXPECT_EQ(Size(Table("MutableHashTable", DType::kInt64, DType::kInt64)), 0);
  const AttrMap by_node = {{"use_node_name_sharing", true}};
  ASSERT_TRUE(
      Insert(Table("MutableHashTable", DType::kInt64, DType::kInt64, by_node), Longs({1}, {1}), Longs({1}, {2})).ok());
  EXPECT_EQ(Size(Table("MutableHashTable", DType::kInt64, DType::kInt64, by_node)), 1);
  ExpectInvalid(TryTable("HashTable", DType::kInt64, DType::kFloat32, {{"shared_name", "a"}}).status(),
                "table 'a': expected int64 -> int64, got int64 -> float32");
  ExpectInvalid(TryTable("HashTable", DType::kInt64, DType::kInt64, {{"shared_name", "_a"}}).status(), "shared_name");
}

TEST_P(LookupOpsTest, AnonymousTables) {
  const Tensor a = Table("AnonymousMutableHashTable", DType::kInt64, DType::kInt64);
  const Tensor b = Table("AnonymousMutableHashTable", DType::kInt64, DType::kInt64);
  ASSERT_TRUE(Insert(a, Longs({1}, {1}), Longs({1}, {2})).ok());
  EXPECT_EQ(Size(a), 1);
  EXPECT_EQ(Size(b), 0);
  EXPECT_EQ(Size(Table("AnonymousHashTable", DType::kInt64, DType::kInt64)), 0);
  EXPECT_THAT(resources_.List(), testing::IsEmpty());
}

TEST_P(LookupOpsTest, HandlesOfOtherThings) {
  if (is_v2()) {
    ExpectInvalid(Run("LookupTableSize", {}, {Tensor::Scalar(ResourceHandle())}).status(), "empty");
    ExpectInvalid(Run("LookupTableSize", {}, {Tensor::Make(DType::kResource, {0}).value()}).status(),
                  "handle: expected a scalar, got shape [0]");
    RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
    key->name = "v";
    key->type_name = "Var";
    ExpectInvalid(Run("LookupTableSize", {}, {Tensor::Scalar(ResourceHandle(std::move(key)))}).status(),
                  "handle 'v': expected one of a Table, got one of a Var");
  } else {
    ExpectInvalid(Run("LookupTableSize", {}, {Strings({1}, {"a"})}).status(), "handle: expected two strings");
    EXPECT_EQ(Run("LookupTableSize", {}, {Strings({2}, {"localhost", "none"})}).status().code(),
              absl::StatusCode::kNotFound);
  }
}

// ---- Dense tables: bucket by bucket as in TensorFlow

class DenseTableTest : public LookupOpsTest {
 protected:
  void ExpectKeys(const Tensor& table, const Tensor& want) {
    ExpectValue(Export(table, want.dtype(), DType::kInt64), want);
  }
};

INSTANTIATE_TEST_SUITE_P(Handles, DenseTableTest, testing::Values("V2"));

TEST_P(DenseTableTest, GrowsAndReusesBuckets) {
  const Tensor t = Dense(Longs({}, {0}), Longs({}, {-1}), {{"initial_num_buckets", int64_t{4}}});
  ASSERT_TRUE(Insert(t, Longs({3}, {11, 12, 13}), Longs({3}, {0, 1, 2})).ok());
  ExpectKeys(t, Longs({4, 1}, {12, 13, 0, 11}));
  ASSERT_TRUE(Remove(t, Longs({2}, {12, 99})).ok());
  EXPECT_EQ(Size(t), 2);
  ExpectEntries(Export(t, DType::kInt64, DType::kInt64), Longs({4, 1}, {-1, 13, 0, 11}), Longs({4, 1}, {1, 2, 0, 0}));
  ASSERT_TRUE(Insert(t, Longs({4}, {13, 14, 15, 16}), Longs({4}, {3, 4, 5, 6})).ok());
  ASSERT_TRUE(Insert(t, Longs({1}, {17}), Longs({1}, {7})).ok());
  EXPECT_EQ(Size(t), 6);
  ExpectValue(Find(t, Longs({8}, {10, 11, 12, 13, 14, 15, 16, 17}), Longs({}, {-1})),
              Longs({8}, {-1, 0, -1, 3, 4, 5, 6, 7}));
}

TEST_P(DenseTableTest, VectorKeys) {
  const Tensor t = Dense(Longs({2}, {0, 3}), Longs({2}, {-1, -1}), {{"initial_num_buckets", int64_t{8}}});
  ASSERT_TRUE(Insert(t, Longs({3, 2}, {0, 1, 1, 2, 1, 3}), Longs({3}, {10, 11, 12})).ok());
  ASSERT_TRUE(Insert(t, Longs({1, 2}, {0, 0}), Longs({1}, {13})).ok());
  ExpectKeys(t, Longs({8, 2}, {0, 0, 0, 1, 1, 3, 1, 2, 0, 3, 0, 3, 0, 3, 0, 3}));
  ASSERT_TRUE(Remove(t, Longs({2, 2}, {1, 2, 7, 8})).ok());
  ExpectKeys(t, Longs({8, 2}, {0, 0, 0, 1, 1, 3, -1, -1, 0, 3, 0, 3, 0, 3, 0, 3}));
  ExpectValue(Find(t, Longs({3, 2}, {0, 1, 1, 2, 1, 3}), Longs({}, {-1})), Longs({3}, {10, -1, 12}));
  ExpectInvalid(Find(t, Longs({3}, {0, 1, 2}), Longs({}, {-1})).status(), "keys: expected a shape that ends with [2]");
}

TEST_P(DenseTableTest, StringKeys) {
  const Tensor t = Dense(Strings({}, {""}), Strings({}, {"d"}), {{"initial_num_buckets", int64_t{32}}});
  ASSERT_TRUE(
      Insert(t,
             Strings({7}, {"a", "bb", "ccc", "1234567", "12345678", "123456789", "a long string with several words"}),
             Longs({7}, {0, 1, 2, 3, 4, 5, 6}))
          .ok());
  const Results all = Export(t, DType::kString, DType::kInt64);
  ASSERT_TRUE(all.ok());
  for (const auto& [at, key] : {std::pair{11, "1234567"},
                                {12, "123456789"},
                                {16, "bb"},
                                {23, "12345678"},
                                {24, "a long string with several words"},
                                {28, "a"},
                                {30, "ccc"},
                                {0, ""}}) {
    EXPECT_EQ((*all)[0].data<String>()[at].view(), key);
  }
}

TEST_P(DenseTableTest, ImportKeepsALayoutThatIsRight) {
  const AttrMap attrs = {{"initial_num_buckets", int64_t{4}}};
  const Tensor t = Dense(Longs({}, {0}), Longs({}, {-1}), attrs), u = Dense(Longs({}, {0}), Longs({}, {-1}), attrs);
  ASSERT_TRUE(Insert(t, Longs({6}, {11, 19, 27, 5, 6, 7}), Longs({6}, {1, 2, 3, 4, 5, 6})).ok());
  ASSERT_TRUE(Remove(t, Longs({1}, {11})).ok());
  const Results all = Export(t, DType::kInt64, DType::kInt64);
  ASSERT_TRUE(all.ok());
  ASSERT_TRUE(Import(u, (*all)[0], (*all)[1]).ok());
  ExpectEntries(Export(u, DType::kInt64, DType::kInt64), (*all)[0], (*all)[1]);
  EXPECT_EQ(Size(u), 5);
  // A wrong one is put right, whatever its size.
  for (const Tensor& keys : {Longs({5, 1}, {1, 2, 9, 4, -1}), Longs({4, 1}, {1, 2, 9, 4})}) {
    ASSERT_TRUE(Import(u, keys, Longs({5, 1}, {5, 6, 7, 8, 9}).Rows(0, keys.dim(0))).ok());
    EXPECT_EQ(Size(u), 4);
    ExpectValue(Find(u, Longs({5}, {1, 2, 9, 4, 8}), Longs({}, {0})), Longs({5}, {5, 6, 7, 8, 0}));
  }
  ExpectInvalid(Import(u, Longs({2}, {1, 2}), Longs({2}, {1, 2})), "expected shapes [n,1] and [n,1]");
  ExpectInvalid(Import(u, Longs({0, 1}, {}), Longs({0, 1}, {})), "with n > 0");
  ExpectInvalid(Import(u, Longs({2, 1}, {1, 2}), Longs({1, 1}, {1})), "expected shapes");
}

TEST_P(DenseTableTest, ErrorsOfKeys) {
  const Tensor t = Dense(Longs({}, {0}), Longs({}, {-1}), {});
  for (const int64_t key : {0, -1}) {
    ExpectInvalid(Insert(t, Longs({2}, {5, key}), Longs({2}, {1, 1})), "got the empty_key or deleted_key at 1");
    ExpectInvalid(Find(t, Longs({1}, {key}), Longs({}, {1})).status(), "empty_key");
    ExpectInvalid(Remove(t, Longs({1}, {key})), "empty_key");
  }
  EXPECT_EQ(Size(t), 0);
  ExpectInvalid(Find(t, Longs({2, 2}, {1, 2, 3, 4}), Longs({}, {1})).status(),
                "keys: expected rank 1, got shape [2,2]");
  ExpectValue(Find(t, Longs({}, {3}), Longs({}, {1})), Longs({}, {1}));
}

TEST_P(DenseTableTest, ErrorsOfOptions) {
  const Tensor zero = Longs({}, {0}), one = Longs({}, {1});
  struct Case {
    Tensor empty, deleted;
    AttrMap attrs;
    const char* text;
  };
  for (const Case& k : {Case{zero, zero, {}, "deleted_key: expected another key"},
                        Case{zero, Longs({2}, {1, 1}), {}, "deleted_key: expected the shape of empty_key"},
                        Case{Longs({1, 1}, {0}), Longs({1, 1}, {1}), {}, "empty_key: expected a scalar or a vector"},
                        Case{Longs({0}, {}), Longs({0}, {}), {}, "empty_key"},
                        Case{zero, one, {{"initial_num_buckets", int64_t{12}}}, "initial_num_buckets"},
                        Case{zero, one, {{"initial_num_buckets", int64_t{-4}}}, "initial_num_buckets"},
                        Case{zero, one, {{"initial_num_buckets", int64_t{2}}}, "initial_num_buckets"},
                        Case{zero, one, {{"max_load_factor", 1.0f}}, "max_load_factor"},
                        Case{zero, one, {{"max_load_factor", 0.0f}}, "max_load_factor"},
                        Case{zero, one, {{"value_shape", PartialShape::Of({2, 2})}}, "value_shape"},
                        Case{zero, one, {{"value_shape", PartialShape()}}, "value_shape"}}) {
    ExpectInvalid(
        TryTable("MutableDenseHashTable", DType::kInt64, DType::kInt64, k.attrs, {k.empty, k.deleted}).status(),
        k.text);
  }
  EXPECT_EQ(TryTable("MutableDenseHashTable", DType::kInt64, DType::kInt64, {{"initial_num_buckets", int64_t{1} << 45}},
                     {zero, one})
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
  const Tensor t = Dense(zero, one, {{"initial_num_buckets", int64_t{4}}, {"max_load_factor", 1e-20f}});
  EXPECT_EQ(Insert(t, Longs({1}, {5}), Longs({1}, {5})).code(), absl::StatusCode::kResourceExhausted);
}

TEST_P(DenseTableTest, VectorValues) {
  const Tensor t = Table("AnonymousMutableDenseHashTable", DType::kInt64, DType::kFloat32,
                         {{"value_shape", PartialShape::Of({2})}, {"initial_num_buckets", int64_t{4}}},
                         {Longs({}, {0}), Longs({}, {-1})});
  ASSERT_TRUE(Insert(t, Longs({2}, {5, 6}), Floats({2, 2}, {1, 2, 3, 4})).ok());
  ExpectValue(Find(t, Longs({2}, {6, 9}), Floats({2}, {7, 8})), Floats({2, 2}, {3, 4, 7, 8}));
  ExpectValue(Find(t, Longs({2}, {8, 9}), Floats({2, 2}, {1, 2, 3, 4})), Floats({2, 2}, {1, 2, 3, 4}));
}

// ---- Vocabularies

struct Format {
  int64_t key = -2, value = -1, size = -1, offset = 0;
  std::string delimiter = "\t";
};

class VocabularyTest : public LookupOpsTest {
 protected:
  absl::Status Read(const Tensor& table, const std::string& text, const Format& f = {}) {
    const std::string path = dir_.File("vocabulary");
    std::ofstream(path, std::ios::binary) << text;
    return Run("InitializeTableFromTextFile",
               {{"key_index", f.key},
                {"value_index", f.value},
                {"vocab_size", f.size},
                {"offset", f.offset},
                {"delimiter", f.delimiter}},
               {table, Tensor::Scalar(std::string_view(path))})
        .status();
  }
  Tensor New(DType key = DType::kString, DType value = DType::kInt64) { return Table("HashTable", key, value); }

  const TempDirectory dir_;
};

INSTANTIATE_TEST_SUITE_P(Handles, VocabularyTest, testing::Values("", "V2"));

TEST_P(VocabularyTest, Lines) {
  for (const char* text : {"a\nb\nc\n", "a\nb\nc", "a\r\nb\r\nc\r\n"}) {
    const Tensor t = New();
    ASSERT_TRUE(Read(t, text).ok());
    ExpectValue(Find(t, Strings({4}, {"a", "b", "c", "d"}), Longs({}, {-1})), Longs({4}, {0, 1, 2, -1}));
  }
  const Tensor first = New();
  ASSERT_TRUE(Read(first, "a\nb\nc\n", {.size = 2, .offset = 5}).ok());
  ExpectValue(Find(first, Strings({3}, {"a", "b", "c"}), Longs({}, {-1})), Longs({3}, {5, 6, -1}));
  const Tensor names = New(DType::kInt64, DType::kString);
  ASSERT_TRUE(Read(names, "a\nb\n", {.key = -1, .value = -2}).ok());
  ExpectValue(Find(names, Longs({2}, {1, 2}), Strings({}, {"?"})), Strings({2}, {"b", "?"}));
}

TEST_P(VocabularyTest, Columns) {
  const Tensor t = New(DType::kString, DType::kFloat32);
  ASSERT_TRUE(Read(t, "a,x,1.5\nb,y, -2 \n", {.key = 0, .value = 2, .delimiter = ","}).ok());
  ExpectValue(Find(t, Strings({2}, {"a", "b"}), Floats({}, {0})), Floats({2}, {1.5, -2}));
  const Tensor n = New(DType::kInt64, DType::kInt64);
  ASSERT_TRUE(Read(n, "12\n13\n", {.key = -2, .value = 0}).ok());
  ExpectValue(Find(n, Longs({1}, {13}), Longs({}, {0})), Longs({1}, {13}));
}

TEST_P(VocabularyTest, Errors) {
  struct Case {
    DType key, value;
    const char* file;
    Format format;
    const char* text;
  };
  for (const Case& k :
       {Case{DType::kString, DType::kInt64, "a\n\nc\n", {}, "line 1: expected text, got an empty line"},
        Case{DType::kString, DType::kInt64, "a\nb\n", {.size = 3}, "vocab_size: expected at most its 2 lines, got 3"},
        Case{DType::kString,
             DType::kInt64,
             "a\t1\nb\n",
             {.key = 0, .value = 1},
             "line 1: expected a column 1, got 1 columns"},
        Case{DType::kString,
             DType::kInt64,
             "a\t1\n",
             {.key = std::numeric_limits<int64_t>::max(), .value = 1},
             "line 0: expected a column 9223372036854775807, got 2 columns"},
        Case{DType::kString, DType::kInt64, "a\t1\nb\tx\n", {.key = 0, .value = 1}, "line 1: expected int64, got 'x'"},
        Case{DType::kString, DType::kBool, "a\ttrue\n", {.key = 0, .value = 1}, "expected bool, got 'true'"},
        Case{DType::kString, DType::kFloat32, "a\n", {}, "value_index: expected int64 for line numbers, got float32"},
        Case{DType::kInt32, DType::kString, "a\n", {.key = -1, .value = -2}, "key_index: expected int64"},
        Case{DType::kInt64,
             DType::kFloat32,
             "1\n",
             {.key = -1, .value = -2},
             "value_index: expected integers or strings"},
        Case{DType::kString, DType::kInt64, "a\n", {.delimiter = ""}, "delimiter: expected one character"},
        Case{DType::kString, DType::kInt64, "a\n", {.delimiter = "ab"}, "delimiter"}}) {
    const Tensor t = New(k.key, k.value);
    ExpectInvalid(Read(t, k.file, k.format), k.text);
    EXPECT_EQ(Size(t), 0);
  }
  const Tensor t = New();
  EXPECT_EQ(Read(t, "").code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Read(t, "a\n", {.size = 0}).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Read(t, "a\na\n").code(), absl::StatusCode::kFailedPrecondition);
  const AttrMap attrs = {{"key_index", int64_t{-2}}, {"value_index", int64_t{-1}}};
  const auto read = [&](const Tensor& path) { return Run("InitializeTableFromTextFile", attrs, {t, path}).status(); };
  ExpectInvalid(read(Strings({}, {""})), "filename: expected a name");
  ExpectInvalid(read(Strings({1}, {"a"})), "filename");
  EXPECT_EQ(read(Tensor::Scalar(std::string_view(dir_.File("none")))).code(), absl::StatusCode::kNotFound);
  step_.services().allow_files = false;
  EXPECT_EQ(Read(t, "a\n").code(), absl::StatusCode::kFailedPrecondition);
  step_.services().allow_files = true;
  ExpectInvalid(Read(Table("MutableHashTable", DType::kString, DType::kInt64), "a\n"),
                "expected one that is filled once");
}

// ---- Shapes, threads

TEST(LookupShapes, FollowTheTable) {
  OpLibrary library;
  ASSERT_TRUE(RegisterLookupOps(library).ok());
  const AttrMap find = {{"Tin", DType::kInt64}, {"Tout", DType::kInt64}};
  EXPECT_EQ(InferShapes(library, "LookupTableFindV2", find, {PartialShape(), PartialShape::Of({2}), PartialShape()})
                .value()[0],
            PartialShape());
  EXPECT_EQ(InferShapes(library, "LookupTableSizeV2", {}, {PartialShape()}).value()[0], PartialShape(Shape()));
  const AttrMap fill = {{"Tkey", DType::kInt64}, {"Tval", DType::kInt64}};
  ExpectInvalid(
      InferShapes(library, "InitializeTableV2", fill, {PartialShape(), PartialShape::Of({1, 2}), PartialShape()})
          .status(),
      "rank");
  ExpectInvalid(
      InferShapes(library, "InitializeTableV2", fill, {PartialShape(), PartialShape::Of({1}), PartialShape::Of({2})})
          .status(),
      "");
}

TEST(LookupThreads, EachCallHappensAtOnce) {
  OpLibrary library;
  ASSERT_TRUE(RegisterLookupOps(library).ok());
  ResourceManager resources;
  const AttrMap dtypes = {{"key_dtype", DType::kInt64}, {"value_dtype", DType::kInt64}};
  StepRunner first(library, &resources);
  for (const bool dense : {false, true}) {
    const Results made = dense ? first.Run("MutableDenseHashTableV2", dtypes, {Longs({}, {-1}), Longs({}, {-2})})
                               : first.Run("MutableHashTableV2", dtypes, {});
    ASSERT_TRUE(made.ok()) << made.status();
    const Tensor table = (*made)[0];
    const AttrMap attrs = {{"Tin", DType::kInt64}, {"Tout", DType::kInt64}};
    std::vector<std::thread> threads;
    for (int64_t k = 0; k < 4; ++k) {
      threads.emplace_back([&, k] {
        StepRunner step(library, &resources);
        for (int64_t i = 0; i < 200; ++i) {
          // Both keys always have one value.
          ASSERT_TRUE(step.Run("LookupTableInsertV2", attrs,
                               {table, Longs({3}, {1, 2, 100 + i * 4 + k}), Longs({3}, {i, i, k})})
                          .ok());
          const Results found = step.Run("LookupTableFindV2", attrs, {table, Longs({2}, {1, 2}), Longs({}, {-1})});
          ASSERT_TRUE(found.ok());
          EXPECT_EQ((*found)[0].data<int64_t>()[0], (*found)[0].data<int64_t>()[1]);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    const Results size = first.Run("LookupTableSizeV2", {}, {table});
    EXPECT_EQ((*size)[0].scalar<int64_t>(), 802);
  }
}

}  // namespace
}  // namespace flowlatch
