// Gradients of ops on sparse tensors, against differences of the function itself.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "graph/build/graph_builder.h"
#include "tests/ops/sparse_tensors.h"
#include "tests/testing/built_graph.h"
#include "tools/gradients/check_gradients.h"

namespace flowlatch {
namespace {

using Function = std::function<Output(GraphBuilder&, const Output&)>;

// x: numbers of magnitude 1 to 2, with and without a shape that is known before the run.
void Check(const std::vector<int64_t>& dims, const Function& f, DType dtype = DType::kFloat64) {
  const Shape shape = *Shape::Make(dims);
  const bool narrow = dtype == DType::kFloat32;
  for (const PartialShape& known : {PartialShape(shape), PartialShape()}) {
    SCOPED_TRACE(known.ToString());
    BuiltGraph g;
    const Output x = g.b.Placeholder(dtype, known, "x");
    const auto added = AddCheckedGradients(g.b, f(g.b, x), {x});
    ASSERT_TRUE(added.ok()) << added.status();
    auto session = g.NewSession();
    ASSERT_TRUE(session.ok()) << session.status();
    Tensor value = *Tensor::Make(dtype, shape);
    for (int64_t i = 0; i < value.num_elements(); ++i) {
      const double element = 1.5 + 0.5 * std::sin(3.0 * static_cast<double>(i));
      narrow ? static_cast<void>(value.mutable_data<float>()[i] = static_cast<float>(element))
             : static_cast<void>(value.mutable_data<double>()[i] = element);
    }
    const auto checks = CheckGradients(**session, *added, {{x.name(), value}});
    ASSERT_TRUE(checks.ok()) << checks.status();
    const GradientCheck& check = (*checks)[0];
    EXPECT_EQ(check.reason, "");
    EXPECT_EQ(check.elements, shape.num_elements());
    EXPECT_TRUE(check.Agrees(narrow ? 1e-2 : 1e-6)) << "element " << check.worst << ": gradient " << check.gradient
                                                    << ", difference " << check.difference;
  }
}

const Tensor& Places() {
  static const Tensor places = Rows({{0, 0}, {1, 1}, {1, 2}});
  return places;
}
const Tensor& Size() {
  static const Tensor size = Dense({2, 3});
  return size;
}
Tensor Doubles(std::initializer_list<int64_t> dims, std::initializer_list<double> values) { return Of<double>(dims, values); }

TEST(SparseGradientsTest, MovesEntries) {
  Check({3}, [](GraphBuilder& b, const Output& x) {
    return b.Op("SparseReorder", {Rows({{1, 2}, {0, 0}, {1, 1}}), x * x, Size()}).output(1);
  });
  Check({3}, [](GraphBuilder& b, const Output& x) {
    return b.Op("SparseSlice", {Places(), x * x, Size(), Dense({1, 0}), Dense({1, 2})}).output(1);
  });
  Check({3}, [](GraphBuilder& b, const Output& x) {
    return b.Op("SparseFillEmptyRows", {Places(), x * x, Dense({4, 3}), Tensor::Scalar(2.0)}).output(1);
  });
  Check({}, [](GraphBuilder& b, const Output& x) {
    return b.Op("SparseFillEmptyRows", {Places(), Doubles({3}, {1, 2, 3}), Dense({4, 3}), x * x}).output(1);
  });
  Check({3}, [](GraphBuilder& b, const Output& x) {
    return b.Op("RaggedFillEmptyRows", {Longs({3}, {0, 2, 2}), x * x, Tensor::Scalar<int64_t>(4), Tensor::Scalar(2.0)}).output(1);
  });
}

TEST(SparseGradientsTest, Sums) {
  const Tensor others = Rows({{0, 0}, {0, 1}});
  Check({3}, [&](GraphBuilder& b, const Output& x) {
    return b.Op("SparseAdd", {Places(), x * x, Size(), others, Doubles({2}, {1, 2}), Size(), Tensor::Scalar(0.0)}).output(1);
  });
  Check({2}, [&](GraphBuilder& b, const Output& x) {
    return b.Op("SparseAdd", {Places(), Doubles({3}, {1, 2, 3}), Size(), others, x * x, Size(), Tensor::Scalar(0.0)}).output(1);
  });
  Check({3}, [](GraphBuilder& b, const Output& x) {
    return b.Op("SparseTensorDenseAdd", {Places(), x * x, Size(), Doubles({2, 3}, {1, 2, 3, 4, 5, 6})}).output();
  });
  Check({2, 3}, [](GraphBuilder& b, const Output& x) {
    return b.Op("SparseTensorDenseAdd", {Places(), Doubles({3}, {1, 2, 3}), Size(), x * x}).output();
  });
  for (const bool keep_dims : {false, true}) {
    for (const Tensor& axes : {Tensor::Scalar(1), Ints({1}, {-2}), Ints({2}, {0, 1}), Ints({0}, {}), Ints({2}, {1, 1})}) {
      SCOPED_TRACE(axes.DebugString());
      Check({3}, [&](GraphBuilder& b, const Output& x) {
        return b.Op("SparseReduceSum", {Places(), x * x, Size(), axes}, {{"keep_dims", keep_dims}}).output();
      });
    }
  }
}

TEST(SparseGradientsTest, ProductsWithDense) {
  for (const char* op : {"SparseDenseCwiseMul", "SparseDenseCwiseDiv"}) {
    SCOPED_TRACE(op);
    Check({3}, [=](GraphBuilder& b, const Output& x) {
      return b.Op(op, {Places(), x * x, Size(), Doubles({1, 3}, {1, 2, 3})}).output();
    });
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{2, 3}, {1, 3}, {2, 1}}) {
      Check(dims, [=](GraphBuilder& b, const Output& x) { return b.Op(op, {Places(), Doubles({3}, {1, 2, 3}), Size(), x}).output(); });
    }
  }
  Check({3}, [](GraphBuilder& b, const Output& x) { return b.Op("SparseSoftmax", {Places(), x * x, Size()}).output(); });
}

TEST(SparseGradientsTest, MatrixProducts) {
  for (const bool adjoint_a : {false, true}) {
    for (const bool adjoint_b : {false, true}) {
      const std::vector<AttrMap::Entry> attrs{{"adjoint_a", adjoint_a}, {"adjoint_b", adjoint_b}};
      const int64_t k = adjoint_a ? 2 : 3;
      const std::vector<int64_t> right = adjoint_b ? std::vector<int64_t>{2, k} : std::vector<int64_t>{k, 2};
      std::vector<double> numbers(2 * k);
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = 1 + static_cast<double>(i);
      const Tensor dense = *Tensor::FromValues<double>(*Shape::Make(right), numbers);
      Check({3}, [&](GraphBuilder& b, const Output& x) {
        return b.Op("SparseTensorDenseMatMul", {Places(), x * x, Size(), dense}, attrs).output();
      });
      Check(right, [&](GraphBuilder& b, const Output& x) {
        return b.Op("SparseTensorDenseMatMul", {Places(), Doubles({3}, {1, 2, 3}), Size(), x}, attrs).output();
      });
      const std::vector<AttrMap::Entry> transposes{{"transpose_a", adjoint_a}, {"transpose_b", adjoint_b}};
      const Tensor left = adjoint_a ? Floats({2, 1}, {1, 2}) : Floats({1, 2}, {1, 2});
      Check({2, 2}, [&](GraphBuilder& b, const Output& x) { return b.Op("SparseMatMul", {left, x}, transposes).output(); },
            DType::kFloat32);
      Check({2, 2}, [&](GraphBuilder& b, const Output& x) {
        return b.Op("SparseMatMul", {x, Floats({2, 2}, {1, 2, 3, 4})}, transposes).output();
      }, DType::kFloat32);
    }
  }
}

}  // namespace
}  // namespace flowlatch
