// The routines of LAPACK that ops use, for float, double and their complex types. They run in the calling thread.
//
// Matrices are column-major, as LAPACK has them: element (i, j) of an m x n matrix is a[i + j * m]; a row-major matrix is
// its transpose. There are no gaps between columns. Results are LAPACK's info: 0 for success. Workspace is allocated
// inside.
#ifndef FLOWLATCH_OPS_KERNELS_LAPACK_H_
#define FLOWLATCH_OPS_KERNELS_LAPACK_H_

#include <complex>
#include <type_traits>

namespace flowlatch {

// The type of a T's absolute value.
template <typename T>
struct RealOfImpl {
  using type = T;
};
template <typename T>
struct RealOfImpl<std::complex<T>> {
  using type = T;
};
template <typename T>
using RealOf = typename RealOfImpl<T>::type;
template <typename T>
using ComplexOf = std::complex<RealOf<T>>;
template <typename T>
inline constexpr bool kIsComplexNumber = !std::is_same_v<T, RealOf<T>>;

template <typename T>
T Conjugated(T x) {
  if constexpr (kIsComplexNumber<T>) return std::conj(x);
  return x;
}

namespace lapack {

// Cholesky: the triangle `uplo` ('U', 'L') of a becomes the factor's. > 0: not positive definite.
template <typename T>
int Potrf(char uplo, int n, T* a);

// a = P L U; pivots[i] (from 1) is the row that row i + 1 was exchanged with. > 0: a zero pivot.
template <typename T>
int Getrf(int m, int n, T* a, int* pivots);
// Solves op(a) x = b with Getrf's result; op: 'N', 'T' or 'C'. b: n x columns.
template <typename T>
int Getrs(char op, int n, int columns, const T* a, const int* pivots, T* b);
// The inverse from Getrf's result.
template <typename T>
int Getri(int n, T* a, const int* pivots);

// a = Q R: R in the upper triangle, Q as reflections below it with factors tau (min(m, n)).
template <typename T>
int Geqrf(int m, int n, T* a, T* tau);
// The first n columns of the Q of k reflections, in place. a: m x n with the reflections in its first k columns.
template <typename T>
int Orgqr(int m, int n, int k, T* a, const T* tau);

// Minimises |a x - b|, and |x| if that leaves a choice; singular values below rcond times the largest count as 0.
// a: m x n, destroyed; b: max(m, n) x columns, the first n rows become x.
template <typename T>
int Gelsy(int m, int n, int columns, T* a, T* b, RealOf<T> rcond);

// a = u diag(s) vt, s descending (min(m, n)); a is destroyed. job: 'N' s only, 'S' the first min(m, n) columns of u and
// rows of vt, 'A' all.
template <typename T>
int Gesdd(char job, int m, int n, T* a, RealOf<T>* s, T* u, T* vt);

// Eigenvalues of a Hermitian matrix, ascending, from the triangle `uplo`; job 'V': a becomes the eigenvectors.
template <typename T>
int Heevd(char job, char uplo, int n, T* a, RealOf<T>* w);

// Eigenvalues w and, unless null, right eigenvectors v (n x n, columns of length 1). a is destroyed.
template <typename T>
int Geev(int n, T* a, ComplexOf<T>* w, ComplexOf<T>* v);

}  // namespace lapack
}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_LAPACK_H_
