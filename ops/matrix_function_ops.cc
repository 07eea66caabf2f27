// Functions of square matrices (the last two dimensions), computed in double precision and rounded once, but for the Schur
// form of complex64 matrices: its rounding says on which side of the cut eigenvalues lie, as TensorFlow's does.
//   MatrixExponential: the sum of a^k / k!; complex and real types
//   MatrixLogarithm: the principal logarithm, of complex types; NaN for singular matrices
//   MatrixSquareRoot: the principal root x, x x = a; complex and real types. NaN where there is none of a's type
#include "ops/matrix_function_ops.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "ops/kernels/matrices.h"
#include "ops/kernels/matrix_gradients.h"
#include "ops/kernels/schur.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

using Complex = std::complex<double>;

// A square matrix. Whether by rows or by columns does not matter here but for what calls LAPACK, and functions of a
// transpose are transposes of functions.
template <typename T>
using Square = std::vector<T>;

template <typename T>
Square<T> Multiply(int64_t n, const Square<T>& x, const Square<T>& y) {
  Square<T> z(x.size());
  // Doubles take no copies, so this cannot fail.
  (void)SerialGemm(GemmArgs<T>::Dense(x.data(), Op::kNone, y.data(), Op::kNone, z.data(), n, n, n));
  return z;
}

template <typename T>
void AddScaled(T factor, const Square<T>& x, Square<T>& sum) {
  for (size_t i = 0; i < x.size(); ++i) sum[i] += factor * x[i];
}

template <typename T>
void AddToDiagonal(int64_t n, T value, Square<T>& x) {
  for (int64_t i = 0; i < n; ++i) x[i * n + i] += value;
}

template <typename T>
void SetNaN(Square<T>& x) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::is_same_v<T, Complex>) {
    std::fill(x.begin(), x.end(), Complex(kNaN, kNaN));
  } else {
    std::fill(x.begin(), x.end(), kNaN);
  }
}

// Solves x y = b in place of b, both by columns. False if x is singular.
template <typename T>
bool SolveInto(int n, Square<T> x, Square<T>& b) {
  std::vector<int> pivots(n);
  if (lapack::Getrf(n, n, x.data(), pivots.data()) != 0) return false;
  lapack::Getrs('N', n, n, x.data(), pivots.data(), b.data());
  return true;
}

// ---- Exponential

// The diagonal Pade approximant of order 13 for a scaled to a norm below 5.37, squared as often as it was halved
// (Higham 2005).
template <typename T>
void Exponential(int n, Square<T>& a) {
  constexpr double kRadius = 5.371920351148152;
  double norm = 0;
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += std::abs(a[i * n + j]);
    norm = sum > norm || std::isnan(sum) ? sum : norm;
    if (std::isnan(norm)) break;
  }
  if (!std::isfinite(norm)) return SetNaN(a);
  const int halvings = norm > kRadius ? static_cast<int>(std::ceil(std::log2(norm / kRadius))) : 0;
  for (T& v : a) v *= std::ldexp(1.0, -halvings);

  // c[k] of p(x) = sum c[k] x^k; exp(x) is near p(x) / p(-x).
  double c[14] = {1};
  for (int k = 1; k <= 13; ++k) c[k] = c[k - 1] * (14 - k) / (k * (27.0 - k));
  const Square<T> a2 = Multiply(n, a, a), a4 = Multiply(n, a2, a2), a6 = Multiply(n, a4, a2);
  const auto combine = [&](double c0, double c2, double c4, double c6) {
    Square<T> sum(a.size(), T(0));
    AddToDiagonal(n, T(c0), sum);
    AddScaled(T(c2), a2, sum);
    AddScaled(T(c4), a4, sum);
    AddScaled(T(c6), a6, sum);
    return sum;
  };
  Square<T> odd = combine(c[1], c[3], c[5], c[7]), even = combine(c[0], c[2], c[4], c[6]);
  AddScaled(T(1), Multiply(n, a6, combine(0, c[9], c[11], c[13])), odd);
  AddScaled(T(1), Multiply(n, a6, combine(0, c[8], c[10], c[12])), even);
  odd = Multiply(n, a, odd);
  Square<T> numerator = even;
  AddScaled(T(1), odd, numerator);
  AddScaled(T(-1), odd, even);
  if (!SolveInto(n, even, numerator)) return SetNaN(a);
  a = std::move(numerator);
  for (int k = 0; k < halvings; ++k) a = Multiply(n, a, a);
}

// ---- Functions of upper triangular matrices, by columns

Complex& At(Square<Complex>& t, int64_t n, int64_t i, int64_t j) { return t[i + j * n]; }

// t becomes its principal square root, column by column (Bjorck and Hammarling 1983).
void TriangularRoot(int64_t n, Square<Complex>& t) {
  for (int64_t j = 0; j < n; ++j) {
    At(t, n, j, j) = std::sqrt(At(t, n, j, j));
    for (int64_t i = j - 1; i >= 0; --i) {
      Complex rest = At(t, n, i, j);
      for (int64_t k = i + 1; k < j; ++k) rest -= At(t, n, i, k) * At(t, n, k, j);
      At(t, n, i, j) = rest / (At(t, n, i, i) + At(t, n, j, j));
    }
  }
}

// t becomes its principal logarithm: roots are taken until t is near the identity, where log(1 + x) is the integral of
// x / (1 + s x) for s from 0 to 1, which a Gauss rule of 8 nodes finds to the last bit.
void TriangularLogarithm(int n, Square<Complex>& t) {
  constexpr double kNear = 0.1;
  constexpr int kMaxRoots = 64;  // enough for eigenvalues of any size
  constexpr double kNodes[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  constexpr double kWeights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  Square<Complex> diagonal(n);
  for (int64_t i = 0; i < n; ++i) diagonal[i] = std::log(At(t, n, i, i));
  const auto distance = [&] {
    double sum = 0;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i <= j; ++i) sum += std::abs(At(t, n, i, j) - (i == j ? 1.0 : 0.0));
    }
    return sum;
  };
  int roots = 0;
  while (!(distance() < kNear) && roots < kMaxRoots) {
    TriangularRoot(n, t);
    ++roots;
  }
  AddToDiagonal(n, Complex(-1), t);
  Square<Complex> sum(t.size(), Complex(0));
  for (int k = 0; k < 8; ++k) {
    const double node = (1 + (k < 4 ? kNodes[k] : -kNodes[k - 4])) / 2;
    Square<Complex> denominator(t.size(), Complex(0)), term = t;
    AddScaled(Complex(node), t, denominator);
    AddToDiagonal(n, Complex(1), denominator);
    if (!SolveInto(n, std::move(denominator), term)) return SetNaN(t);
    AddScaled(Complex(kWeights[k % 4] / 2), term, sum);
  }
  for (size_t i = 0; i < t.size(); ++i) t[i] = sum[i] * std::ldexp(1.0, roots);
  for (int64_t i = 0; i < n; ++i) At(t, n, i, i) = diagonal[i];
}

// f(a) = z f(t) z^H, where z t z^H is the Schur form of a, whose elements are complex.
template <typename T, typename Function>
Square<Complex> BySchurForm(int n, const T* a, const Function& f) {
  const size_t size = static_cast<size_t>(n) * static_cast<size_t>(n);
  Square<Complex> t(size), z(size), half(size);
  if (!SchurForm(n, a, t.data(), z.data())) {
    SetNaN(t);
    return t;
  }
  f(n, t);
  // Read by rows, t is its transpose, and the conjugate of z is z^H.
  for (Complex& v : z) v = std::conj(v);
  (void)SerialGemm(GemmArgs<Complex>::Dense(t.data(), Op::kTranspose, z.data(), Op::kNone, half.data(), n, n, n));
  (void)SerialGemm(GemmArgs<Complex>::Dense(z.data(), Op::kAdjoint, half.data(), Op::kNone, t.data(), n, n, n));
  return t;
}

template <typename T>
Square<Complex> Logarithm(int n, const T* a) {
  Square<Complex> log = BySchurForm(n, a, [](int size, Square<Complex>& t) {
    for (int64_t i = 0; i < size; ++i) {
      if (At(t, size, i, i) == 0.0) return SetNaN(t);
    }
    TriangularLogarithm(size, t);
  });
  // The sums of what is NaN and what is not would leave some elements in order.
  if (std::any_of(log.begin(), log.end(), [](Complex v) { return std::isnan(std::abs(v)); })) SetNaN(log);
  return log;
}

template <typename T>
Square<Complex> Root(int n, const T* a) {
  return BySchurForm(n, a, TriangularRoot);
}

// A real matrix has a real root if no eigenvalue is negative; what is left of imaginary parts then is rounding.
Square<double> RealRoot(const Square<double>& a, int n) {
  const Square<Complex> wide(a.begin(), a.end());
  const Square<Complex> complex_root = Root(n, wide.data());
  Square<double> root;
  double real = 0, imaginary = 0;
  for (const Complex& v : complex_root) {
    root.push_back(v.real());
    real = std::max(real, std::abs(v.real()));
    imaginary = std::max(imaginary, std::abs(v.imag()));
  }
  if (imaginary > 1e-6 * real) SetNaN(root);
  return root;
}

// ---- Kernels

enum class Function { kExponential, kLogarithm, kRoot };

template <typename T, Function kFunction>
absl::Status Compute(KernelCall& c) {
  using W = std::conditional_t<kIsComplexNumber<T>, Complex, double>;
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const Matrices m, SquareMatricesOf(input, "input"));
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, input.dtype(), input.dims()));
  const T* from = input.data<T>();
  T* to = output->mutable_data<T>();
  return ForEachMatrix(c, m.count, 30 * m.Cost(), [=](int64_t i) {
    Square<W> a(from + i * m.size(), from + (i + 1) * m.size());
    if constexpr (kFunction == Function::kExponential) Exponential(m.rows, a);
    else if constexpr (kFunction == Function::kLogarithm) a = Logarithm(m.rows, from + i * m.size());
    else if constexpr (kIsComplexNumber<T>) a = Root(m.rows, from + i * m.size());
    else a = RealRoot(a, m.rows);
    std::transform(a.begin(), a.end(), to + i * m.size(), [](W v) { return static_cast<T>(v); });
    return absl::OkStatus();
  });
}

// From r r = a: dr solves r^T x + x r^T = dy, a linear system in the elements of x.
absl::Status RootGrad(GradContext& c) {
  const Output root = c.output(0), identity = IdentityLike(c, root);
  const auto kronecker = [&](const Output& x, const Output& y) {  // [.., i, 1, j, 1] * [.., 1, k, 1, l]
    const Output left = c.Op("ExpandDims", {c.Op("ExpandDims", {x, -1}), -3});
    const Output right = c.Op("ExpandDims", {c.Op("ExpandDims", {y, -2}), -4});
    return left * right;
  };
  const Output adjoint = MatrixAdjoint(c, root);
  // Elements of x in rows: (r^H x + x r^H)[i, k] = sum over j, l of (r^H[i, j] d[k, l] + d[i, j] r^H[l, k]) x[j, l].
  const Output sum = kronecker(adjoint, identity) + kronecker(identity, MatrixTranspose(c, adjoint));
  const Output shape = c.ShapeOfOutput(0);
  const Output batch = c.Op("StridedSlice", {shape, {0}, {-2}, {1}}, {{"begin_mask", int64_t{1}}});
  const Output n = c.Op("StridedSlice", {shape, {-1}, {0}, {1}}, {{"end_mask", int64_t{1}}});
  const Output n2 = n * n, one = c.Op("OnesLike", {n});
  const Output system = c.Op("Reshape", {sum, c.Op("ConcatV2", {batch, n2, n2, 0})});
  const Output rhs = c.Op("Reshape", {c.grad(), c.Op("ConcatV2", {batch, n2, one, 0})});
  c.Set(0, c.Op("Reshape", {c.Op("MatrixSolve", {system, rhs}), shape}));
  return absl::OkStatus();
}

template <Function kFunction, DTypeSet kTypes>
absl::Status Add(OpLibrary& library, std::string_view name, std::string_view doc, GradFunction gradient = nullptr) {
  return library.Add({.signature = TensorFlowSignature(name),
                      .doc = doc,
                      .shape = SquareLikeInput,
                      .kernel = [](const NodeInfo& node) -> absl::StatusOr<Kernel> {
                        const KernelFn fn = DispatchDType<kTypes>(
                            node.input_dtype(0), KernelFn{},
                            []<typename T>() -> KernelFn { return &RunKernel<Compute<T, kFunction>>; });
                        if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
                        return Kernel{.fn = fn};
                      },
                      .dtypes = kTypes,
                      .gradient = gradient});
}

}  // namespace

absl::Status RegisterMatrixFunctionOps(OpLibrary& library) {
  RETURN_IF_ERROR(
      (Add<Function::kExponential, kMatrixTypes>(library, "MatrixExponential", "Exponentials of matrices")));
  RETURN_IF_ERROR(
      (Add<Function::kLogarithm, kComplexTypes>(library, "MatrixLogarithm", "Principal logarithms of matrices")));
  return Add<Function::kRoot, kMatrixTypes>(library, "MatrixSquareRoot", "Principal square roots of matrices",
                                            RootGrad);
}

}  // namespace flowlatch
