#include "ops/einsum_ops.h"

#include <map>

#include "absl/strings/str_split.h"
#include "tests/ops/numbers.h"

namespace flowlatch {
namespace {

using DimsList = std::vector<std::vector<int64_t>>;

class EinsumOpsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterEinsumOps(library_).ok()); }
  static AttrMap Attrs(const std::string& equation, int64_t n, DType dtype) {
    return {{"equation", equation}, {"N", n}, {"T", dtype}};
  }
  OpTester Op(const std::string& equation, int64_t n, DType dtype) {
    return OpTester(library_, "Einsum", Attrs(equation, n, dtype));
  }
  std::string Infer(const std::string& equation, const std::vector<PartialShape>& inputs) {
    const auto shapes =
        InferShapes(library_, "Einsum", Attrs(equation, static_cast<int64_t>(inputs.size()), DType::kFloat32), inputs);
    return shapes.ok() ? (*shapes)[0].ToString() : std::string(absl::StatusCodeToString(shapes.status().code()));
  }

  OpLibrary library_;
};

Tensor Counting(DType dtype, const std::vector<int64_t>& dims, int first) {
  int64_t count = 1;
  for (const int64_t d : dims) count *= d;
  std::vector<double> values(count);
  for (int64_t i = 0; i < count; ++i) values[i] = (first + i * 7) % 11;
  return Numbers(dtype, dims, values);
}

// Element by element, from the meaning of an equation without ellipsis.
std::vector<double> Naive(const std::string& equation, const DimsList& dims, const std::vector<Tensor>& inputs) {
  const std::vector<std::string> sides = absl::StrSplit(equation, "->");
  const std::vector<std::string> operands = absl::StrSplit(sides[0], ',');
  std::map<char, int64_t> sizes;
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t d = 0; d < operands[i].size(); ++d) sizes[operands[i][d]] = dims[i][d];
  }
  const auto place = [&](const std::string& labels, const std::map<char, int64_t>& at) {
    int64_t index = 0;
    for (const char label : labels) index = index * sizes[label] + at.at(label);
    return index;
  };
  int64_t total = 1, count = 1;
  for (const auto& [label, size] : sizes) total *= size;
  for (const char label : sides[1]) count *= sizes[label];
  std::vector<double> result(count, 0);
  for (int64_t i = 0; i < total; ++i) {
    std::map<char, int64_t> at;
    int64_t rest = i;
    for (const auto& [label, size] : sizes) {
      at[label] = rest % size;
      rest /= size;
    }
    double product = 1;
    for (size_t k = 0; k < operands.size(); ++k) product *= inputs[k].data<double>()[place(operands[k], at)];
    result[place(sides[1], at)] += product;
  }
  return result;
}

TEST_F(EinsumOpsTest, AgreesWithTheMeaningOfTheEquation) {
  const std::vector<std::tuple<const char*, DimsList, std::vector<int64_t>>> cases = {
      {"ij->ij", {{2, 3}}, {2, 3}},
      {"ij->ji", {{2, 3}}, {3, 2}},
      {"ij->", {{2, 3}}, {}},
      {"ij->j", {{2, 3}}, {3}},
      {"ii->i", {{3, 3}}, {3}},
      {"ii->", {{3, 3}}, {}},
      {"i->ii", {{3}}, {3, 3}},
      {"ij->ijj", {{2, 3}}, {2, 3, 3}},
      {"aabbc->cba", {{2, 2, 3, 3, 4}}, {4, 3, 2}},
      {"->", {{}}, {}},
      {",->", {{}, {}}, {}},
      {"i,->i", {{4}, {}}, {4}},
      {"i,i->", {{4}, {4}}, {}},
      {"i,j->ij", {{3}, {4}}, {3, 4}},
      {"i,j->ji", {{3}, {4}}, {4, 3}},
      {"ij,jk->ik", {{2, 3}, {3, 4}}, {2, 4}},
      {"ji,jk->ik", {{3, 2}, {3, 4}}, {2, 4}},
      {"ij,kj->ki", {{2, 3}, {4, 3}}, {4, 2}},
      {"bij,bjk->bik", {{2, 2, 3}, {2, 3, 4}}, {2, 2, 4}},
      {"bij,bjk->ikb", {{9, 2, 3}, {9, 3, 4}}, {2, 4, 9}},
      {"bhqd,bkhd->bhqk", {{2, 3, 4, 5}, {2, 6, 3, 5}}, {2, 3, 4, 6}},
      {"abc,cd->d", {{2, 3, 4}, {4, 5}}, {5}},
      {"iij,jk->ki", {{2, 2, 3}, {3, 4}}, {4, 2}},
      {"ij,ik->iijk", {{2, 3}, {2, 4}}, {2, 2, 3, 4}},
      {"AB,Bc->cA", {{2, 3}, {3, 4}}, {4, 2}},
      {"ij,jk->ik", {{2, 0}, {0, 3}}, {2, 3}},
      {"ij,jk->ik", {{0, 2}, {2, 3}}, {0, 3}},
      {"ij->i", {{2, 0}}, {2}},
  };
  for (const auto& [equation, dims, want] : cases) {
    SCOPED_TRACE(equation);
    for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kInt32, DType::kComplex64, DType::kBFloat16}) {
      std::vector<Tensor> inputs, exact;
      for (size_t i = 0; i < dims.size(); ++i) {
        inputs.push_back(Counting(dtype, dims[i], static_cast<int>(i) + 1));
        exact.push_back(Counting(DType::kFloat64, dims[i], static_cast<int>(i) + 1));
      }
      OpTester op = Op(equation, static_cast<int64_t>(dims.size()), dtype);
      ExpectOutput(op, inputs, Numbers(dtype, want, Naive(equation, dims, exact)), dtype == DType::kBFloat16 ? 8 : 0);
    }
  }
}

// The same with an ellipsis, against the equation that spells its dimensions out.
TEST_F(EinsumOpsTest, EllipsisBroadcasts) {
  const std::vector<std::tuple<const char*, const char*, DimsList, std::vector<int64_t>>> cases = {
      {"...ij->...ji", "abij->abji", {{2, 3, 4, 5}}, {2, 3, 5, 4}},
      {"...->...", "ab->ab", {{2, 3}}, {2, 3}},
      {"i...->...", "iab->ab", {{4, 2, 3}}, {2, 3}},
      {"...ij,...jk->...ik", "aij,ajk->aik", {{2, 3, 4}, {2, 4, 5}}, {2, 3, 5}},
      {"...ij,jk->...ik", "abij,jk->abik", {{2, 3, 4, 5}, {5, 6}}, {2, 3, 4, 6}},
      {"ij...,jk->i...k", "ijab,jk->iabk", {{2, 3, 4, 5}, {3, 6}}, {2, 4, 5, 6}},
      {"...i,...i->...", "abi,bi->ab", {{2, 3, 4}, {3, 4}}, {2, 3}},
      {"...ij,...jk->...ik", "ij,jk->ik", {{3, 4}, {4, 5}}, {3, 5}},
  };
  for (const auto& [equation, spelled, dims, want] : cases) {
    SCOPED_TRACE(equation);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < dims.size(); ++i) inputs.push_back(Counting(DType::kFloat64, dims[i], static_cast<int>(i)));
    OpTester op = Op(equation, static_cast<int64_t>(dims.size()), DType::kFloat64);
    ExpectOutput(op, inputs, Numbers(DType::kFloat64, want, Naive(spelled, dims, inputs)));
  }
  OpTester stretched = Op("...i,...i->...", 2, DType::kFloat32);
  ExpectOutput(stretched, {Floats({2, 1, 2}, {1, 2, 3, 4}), Floats({3, 2}, {1, 1, 2, 2, 3, 3})},
               Floats({2, 3}, {3, 6, 9, 7, 14, 21}));
}

TEST_F(EinsumOpsTest, Errors) {
  for (const auto& [equation, text] :
       std::vector<std::pair<const char*, const char*>>{{"ij", "one '->'"},
                                                        {"i->j->k", "one '->'"},
                                                        {"i,j->ij", "as many operands as inputs"},
                                                        {"i.j->ij", "no dots"},
                                                        {"......->...", "at most one ellipsis"},
                                                        {"ij->k", "labels of the output"}}) {
    OpTester op = Op(equation, 1, DType::kFloat32);
    ExpectInvalid(op, {Floats({1, 1}, {1})}, text);
  }
  OpTester rank = Op("ijk->i", 1, DType::kFloat32);
  ExpectInvalid(rank, {Floats({1, 1}, {1})}, "expected 3 dimensions");
  OpTester open = Op("...->", 1, DType::kFloat32);
  ExpectInvalid(open, {Floats({1, 1}, {1})}, "expected an ellipsis in the output");
  OpTester sizes = Op("ij,jk->ik", 2, DType::kFloat32);
  ExpectInvalid(sizes, {Floats({1, 2}, {1, 2}), Floats({1, 2}, {1, 2})}, "expected size 2");
  OpTester ellipsis = Op("...,...->...", 2, DType::kFloat32);
  ExpectInvalid(ellipsis, {Floats({2}, {1, 2}), Floats({3}, {1, 2, 3})}, "expected size 2");
}

TEST_F(EinsumOpsTest, Shapes) {
  const PartialShape unknown;
  EXPECT_EQ(Infer("ij,jk->ik", {PartialShape::Of({2, 3}), PartialShape::Of({3, 4})}), "[2,4]");
  EXPECT_EQ(Infer("ij,jk->ik", {PartialShape::Of({-1, 3}), PartialShape::Of({-1, 4})}), "[?,4]");
  EXPECT_EQ(Infer("ij,jk->ik", {unknown, PartialShape::Of({3, 4})}), "[?,?]");
  EXPECT_EQ(Infer("...i,i->...", {unknown, PartialShape::Of({3})}), "?");
  EXPECT_EQ(Infer("...i,...i->...", {PartialShape::Of({-1, 3}), PartialShape::Of({1, 3})}), "[?]");
  EXPECT_EQ(Infer("...i,...i->...", {PartialShape::Of({1, 3}), PartialShape::Of({-1, 3})}), "[?]");
  EXPECT_EQ(Infer("...i,...i->...", {PartialShape::Of({5, 3}), PartialShape::Of({-1, 3})}), "[5]");
  EXPECT_EQ(Infer("ij,jk->ik", {PartialShape::Of({2, 3}), PartialShape::Of({4, 4})}), "INVALID_ARGUMENT");
}

}  // namespace
}  // namespace flowlatch
