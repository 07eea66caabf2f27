// Matrices for the tests of linear algebra: made up ones of any dtype, plain products, and gradients held against differences.
#ifndef FLOWLATCH_TESTS_OPS_MATRIX_CHECKS_H_
#define FLOWLATCH_TESTS_OPS_MATRIX_CHECKS_H_

#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "graph/build/graph_builder.h"
#include "ops/kernels/lapack.h"
#include "runtime/kernel/dispatch.h"
#include "tests/ops/tensors.h"
#include "tests/testing/built_graph.h"
#include "tools/gradients/check_gradients.h"

namespace flowlatch {

// Irregular numbers in [-1, 1], complex ones with both parts; `diagonal` is added to the diagonals of the matrices.
template <typename T>
Tensor MadeUp(std::initializer_list<int64_t> dims, double diagonal = 0, double phase = 1) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, Shape::Of(dims));
  const int64_t cols = t.dim(t.rank() - 1), rows = t.dim(t.rank() - 2);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const double x = std::sin(phase + 3.7 * static_cast<double>(i) + 0.05 * static_cast<double>(i * i));
    const double y = std::cos(phase + 2.3 * static_cast<double>(i));
    const double d = i / cols % rows == i % cols ? diagonal : 0;
    if constexpr (kIsComplexNumber<T>) {
      t.mutable_data<T>()[i] = T(static_cast<RealOf<T>>(x + d), static_cast<RealOf<T>>(y));
    } else {
      t.mutable_data<T>()[i] = static_cast<T>(x + d);
    }
  }
  return t;
}

// x y, or with adjoints, matrix by matrix. Batches must be equal.
template <typename T>
Tensor Product(const Tensor& x, const Tensor& y, bool adjoint_x = false, bool adjoint_y = false) {
  const int r = x.rank();
  const int64_t m = x.dim(adjoint_x ? r - 1 : r - 2), k = x.dim(adjoint_x ? r - 2 : r - 1);
  const int64_t n = y.dim(adjoint_y ? r - 2 : r - 1);
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims[r - 2] = m;
  dims[r - 1] = n;
  Tensor z = *Tensor::Make(kDTypeOf<T>, dims);
  for (int64_t b = 0; b < z.num_elements() / (m * n); ++b) {
    const T* xs = x.data<T>() + b * m * k;
    const T* ys = y.data<T>() + b * k * n;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = T(0);
        for (int64_t p = 0; p < k; ++p) {
          sum += (adjoint_x ? Conjugated(xs[p * m + i]) : xs[i * k + p]) * (adjoint_y ? Conjugated(ys[j * k + p]) : ys[p * n + j]);
        }
        z.mutable_data<T>()[b * m * n + i * n + j] = sum;
      }
    }
  }
  return z;
}

// Identity matrices.
template <typename T>
Tensor Identities(std::initializer_list<int64_t> dims) {
  Tensor t = *Tensor::Make(kDTypeOf<T>, Shape::Of(dims));
  const int64_t n = t.dim(t.rank() - 1);
  for (int64_t i = 0; i < t.num_elements(); ++i) t.mutable_data<T>()[i] = T(i / n % n == i % n ? 1 : 0);
  return t;
}

// Runs test.template operator()<T>(tolerance) for the dtypes of linear algebra.
template <typename Test>
void ForMatrixTypes(const Test& test) {
  test.template operator()<float>(2e-5);
  test.template operator()<double>(1e-12);
  test.template operator()<std::complex<float>>(2e-5);
  test.template operator()<std::complex<double>>(1e-12);
}

// The gradients of f at these inputs agree with differences, with shapes known before the run and, if `unknown`, without.
inline void ExpectGradients(const std::vector<Tensor>& inputs, const std::function<Output(GraphBuilder&, const Outputs&)>& f,
                            bool unknown = true, double tolerance = 1e-5) {
  for (const bool known : {true, false}) {
    if (!known && !unknown) continue;
    SCOPED_TRACE(known ? "known shapes" : "unknown shapes");
    BuiltGraph g;
    Outputs xs;
    Feeds feeds;
    for (const Tensor& t : inputs) {
      xs.push_back(g.b.Placeholder(t.dtype(), known ? PartialShape(t.shape()) : PartialShape(), "x"));
      feeds.push_back({xs.back().name(), t});
    }
    const auto added = AddCheckedGradients(g.b, f(g.b, xs), xs);
    ASSERT_TRUE(added.ok()) << added.status();
    auto session = g.NewSession();
    ASSERT_TRUE(session.ok()) << session.status();
    const auto checks = CheckGradients(**session, *added, feeds);
    ASSERT_TRUE(checks.ok()) << checks.status();
    for (const GradientCheck& check : *checks) {
      EXPECT_EQ(check.reason, "");
      EXPECT_TRUE(check.Agrees(tolerance)) << check.x << ", element " << check.worst << ": gradient " << check.gradient
                                           << ", difference " << check.difference;
    }
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_MATRIX_CHECKS_H_
