#include "ops/kernels/lapack.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

// Fortran passes everything by address, and the lengths of strings behind all arguments.
#define FLOWLATCH_LAPACK(X)                                                                                        \
  X(s, float)                                                                                                      \
  X(d, double)                                                                                                     \
  X(c, std::complex<float>)                                                                                        \
  X(z, std::complex<double>)

extern "C" {
using flowlatch::RealOf;
#define FLOWLATCH_DECLARE(p, T)                                                                                     \
  void p##potrf_(const char*, const int*, T*, const int*, int*, size_t);                                            \
  void p##getrf_(const int*, const int*, T*, const int*, int*, int*);                                               \
  void p##getrs_(const char*, const int*, const int*, const T*, const int*, const int*, T*, const int*, int*, size_t); \
  void p##getri_(const int*, T*, const int*, const int*, T*, const int*, int*);                                     \
  void p##geqrf_(const int*, const int*, T*, const int*, T*, T*, const int*, int*);
FLOWLATCH_LAPACK(FLOWLATCH_DECLARE)
#undef FLOWLATCH_DECLARE

#define FLOWLATCH_DECLARE_REAL(p, T)                                                                                \
  void p##orgqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);               \
  void p##gelsy_(const int*, const int*, const int*, T*, const int*, T*, const int*, int*, const T*, int*, T*,      \
                 const int*, int*);                                                                                 \
  void p##gesdd_(const char*, const int*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,       \
                 const int*, int*, int*, size_t);                                                                   \
  void p##syevd_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, int*, const int*, int*,  \
                 size_t, size_t);                                                                                   \
  void p##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, T*, const int*, T*, const int*, T*,   \
                const int*, int*, size_t, size_t);
FLOWLATCH_DECLARE_REAL(s, float)
FLOWLATCH_DECLARE_REAL(d, double)
#undef FLOWLATCH_DECLARE_REAL

#define FLOWLATCH_DECLARE_COMPLEX(p, T)                                                                             \
  void p##ungqr_(const int*, const int*, const int*, T*, const int*, const T*, T*, const int*, int*);               \
  void p##gelsy_(const int*, const int*, const int*, T*, const int*, T*, const int*, int*, const RealOf<T>*, int*,  \
                 T*, const int*, RealOf<T>*, int*);                                                                 \
  void p##gesdd_(const char*, const int*, const int*, T*, const int*, RealOf<T>*, T*, const int*, T*, const int*,   \
                 T*, const int*, RealOf<T>*, int*, int*, size_t);                                                   \
  void p##heevd_(const char*, const char*, const int*, T*, const int*, RealOf<T>*, T*, const int*, RealOf<T>*,      \
                 const int*, int*, const int*, int*, size_t, size_t);                                               \
  void p##geev_(const char*, const char*, const int*, T*, const int*, T*, T*, const int*, T*, const int*, T*,       \
                const int*, RealOf<T>*, int*, size_t, size_t);
FLOWLATCH_DECLARE_COMPLEX(c, std::complex<float>)
FLOWLATCH_DECLARE_COMPLEX(z, std::complex<double>)
#undef FLOWLATCH_DECLARE_COMPLEX

}  // extern "C"

namespace flowlatch::lapack {
namespace {

// Calls run(work, length, info) to ask for the best length and again with that.
template <typename T, typename Run>
int WithWorkspace(const Run& run) {
  int info = 0;
  T best = T(0);
  run(&best, -1, &info);
  if (info != 0) return info;
  // A large length in a float may have been rounded down.
  const double exact = std::ceil(std::real(best) * (1.0 + std::numeric_limits<RealOf<T>>::epsilon()));
  const int length = static_cast<int>(std::clamp<double>(exact, 1, std::numeric_limits<int>::max()));
  std::vector<T> work(length);
  run(work.data(), length, &info);
  return info;
}

int AtLeast1(int n) { return std::max(1, n); }

}  // namespace

#define FLOWLATCH_DEFINE(p, T)                                                                                      \
  template <>                                                                                                       \
  int Potrf(char uplo, int n, T* a) {                                                                               \
    int info = 0;                                                                                                   \
    p##potrf_(&uplo, &n, a, &n, &info, 1);                                                                          \
    return info;                                                                                                    \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Getrf(int m, int n, T* a, int* pivots) {                                                                      \
    int info = 0;                                                                                                   \
    p##getrf_(&m, &n, a, &m, pivots, &info);                                                                        \
    return info;                                                                                                    \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Getrs(char op, int n, int columns, const T* a, const int* pivots, T* b) {                                     \
    int info = 0;                                                                                                   \
    p##getrs_(&op, &n, &columns, a, &n, pivots, b, &n, &info, 1);                                                   \
    return info;                                                                                                    \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Getri(int n, T* a, const int* pivots) {                                                                       \
    return WithWorkspace<T>(                                                                                        \
        [&](T* work, int length, int* info) { p##getri_(&n, a, &n, pivots, work, &length, info); });                \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Geqrf(int m, int n, T* a, T* tau) {                                                                           \
    return WithWorkspace<T>(                                                                                        \
        [&](T* work, int length, int* info) { p##geqrf_(&m, &n, a, &m, tau, work, &length, info); });               \
  }
FLOWLATCH_LAPACK(FLOWLATCH_DEFINE)
#undef FLOWLATCH_DEFINE

#define FLOWLATCH_DEFINE_REAL(p, T)                                                                                 \
  template <>                                                                                                       \
  int Orgqr(int m, int n, int k, T* a, const T* tau) {                                                              \
    return WithWorkspace<T>(                                                                                        \
        [&](T* work, int length, int* info) { p##orgqr_(&m, &n, &k, a, &m, tau, work, &length, info); });           \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Gelsy(int m, int n, int columns, T* a, T* b, T rcond) {                                                       \
    const int rows = std::max(m, n);                                                                                \
    std::vector<int> order(n, 0);                                                                                   \
    int rank = 0;                                                                                                   \
    return WithWorkspace<T>([&](T* work, int length, int* info) {                                                   \
      p##gelsy_(&m, &n, &columns, a, &m, b, &rows, order.data(), &rcond, &rank, work, &length, info);               \
    });                                                                                                             \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Gesdd(char job, int m, int n, T* a, T* s, T* u, T* vt) {                                                      \
    const int vt_rows = AtLeast1(job == 'A' ? n : std::min(m, n));                                                  \
    std::vector<int> iwork(8 * std::min(m, n));                                                                     \
    return WithWorkspace<T>([&](T* work, int length, int* info) {                                                   \
      p##gesdd_(&job, &m, &n, a, &m, s, u, &m, vt, &vt_rows, work, &length, iwork.data(), info, 1);                 \
    });                                                                                                             \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Heevd(char job, char uplo, int n, T* a, T* w) {                                                               \
    const int iwork_length = 3 + 5 * n;                                                                             \
    std::vector<int> iwork(iwork_length);                                                                           \
    return WithWorkspace<T>([&](T* work, int length, int* info) {                                                   \
      const int iwork_or_query = length == -1 ? -1 : iwork_length;                                                  \
      p##syevd_(&job, &uplo, &n, a, &n, w, work, &length, iwork.data(), &iwork_or_query, info, 1, 1);               \
    });                                                                                                             \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Geev(int n, T* a, std::complex<T>* w, std::complex<T>* v) {                                                   \
    const char none = 'N', right = v != nullptr ? 'V' : 'N';                                                        \
    const int one = 1;                                                                                              \
    std::vector<T> re(n), im(n), vectors(v != nullptr ? static_cast<size_t>(n) * n : 1);                            \
    const int info = WithWorkspace<T>([&](T* work, int length, int* info) {                                         \
      p##geev_(&none, &right, &n, a, &n, re.data(), im.data(), nullptr, &one, vectors.data(), &n, work, &length,    \
               info, 1, 1);                                                                                         \
    });                                                                                                             \
    if (info == 0) JoinParts(n, re, im, vectors, w, v);                                                             \
    return info;                                                                                                    \
  }

namespace {

// LAPACK keeps conjugate pairs of eigenvectors as their real and imaginary parts, one after the other.
template <typename R>
void JoinParts(int n, const std::vector<R>& re, const std::vector<R>& im, const std::vector<R>& vectors,
               std::complex<R>* w, std::complex<R>* v) {
  for (int j = 0; j < n; ++j) w[j] = {re[j], im[j]};
  if (v == nullptr) return;
  for (int j = 0; j < n; ++j) {
    const R* column = vectors.data() + static_cast<size_t>(j) * n;
    std::complex<R>* to = v + static_cast<size_t>(j) * n;
    if (im[j] == 0 || j + 1 == n) {
      std::copy(column, column + n, to);
      continue;
    }
    for (int i = 0; i < n; ++i) {
      to[i] = {column[i], column[i + n]};
      to[i + n] = {column[i], -column[i + n]};
    }
    ++j;
  }
}

}  // namespace

FLOWLATCH_DEFINE_REAL(s, float)
FLOWLATCH_DEFINE_REAL(d, double)
#undef FLOWLATCH_DEFINE_REAL

#define FLOWLATCH_DEFINE_COMPLEX(p, T)                                                                              \
  template <>                                                                                                       \
  int Orgqr(int m, int n, int k, T* a, const T* tau) {                                                              \
    return WithWorkspace<T>(                                                                                        \
        [&](T* work, int length, int* info) { p##ungqr_(&m, &n, &k, a, &m, tau, work, &length, info); });           \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Gelsy(int m, int n, int columns, T* a, T* b, RealOf<T> rcond) {                                               \
    const int rows = std::max(m, n);                                                                                \
    std::vector<int> order(n, 0);                                                                                   \
    std::vector<RealOf<T>> rwork(2 * static_cast<size_t>(n));                                                       \
    int rank = 0;                                                                                                   \
    return WithWorkspace<T>([&](T* work, int length, int* info) {                                                   \
      p##gelsy_(&m, &n, &columns, a, &m, b, &rows, order.data(), &rcond, &rank, work, &length, rwork.data(), info); \
    });                                                                                                             \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Gesdd(char job, int m, int n, T* a, RealOf<T>* s, T* u, T* vt) {                                              \
    const int vt_rows = AtLeast1(job == 'A' ? n : std::min(m, n));                                                  \
    const size_t small = std::min(m, n), large = std::max(m, n);                                                    \
    std::vector<int> iwork(8 * small);                                                                              \
    std::vector<RealOf<T>> rwork(small * std::max(5 * small + 7, 2 * large + 2 * small + 1));                       \
    return WithWorkspace<T>([&](T* work, int length, int* info) {                                                   \
      p##gesdd_(&job, &m, &n, a, &m, s, u, &m, vt, &vt_rows, work, &length, rwork.data(), iwork.data(), info, 1);   \
    });                                                                                                             \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Heevd(char job, char uplo, int n, T* a, RealOf<T>* w) {                                                       \
    const int iwork_length = 3 + 5 * n, rwork_length = 1 + 5 * n + 2 * n * n;                                       \
    std::vector<int> iwork(iwork_length);                                                                           \
    std::vector<RealOf<T>> rwork(rwork_length);                                                                     \
    return WithWorkspace<T>([&](T* work, int length, int* info) {                                                   \
      p##heevd_(&job, &uplo, &n, a, &n, w, work, &length, rwork.data(), &rwork_length, iwork.data(), &iwork_length, \
                info, 1, 1);                                                                                        \
    });                                                                                                             \
  }                                                                                                                 \
  template <>                                                                                                       \
  int Geev(int n, T* a, T* w, T* v) {                                                                               \
    const char none = 'N', right = v != nullptr ? 'V' : 'N';                                                        \
    const int one = 1;                                                                                              \
    T unused;                                                                                                       \
    std::vector<RealOf<T>> rwork(2 * static_cast<size_t>(n));                                                       \
    return WithWorkspace<T>([&](T* work, int length, int* info) {                                                   \
      p##geev_(&none, &right, &n, a, &n, w, nullptr, &one, v != nullptr ? v : &unused, &n, work, &length,           \
               rwork.data(), info, 1, 1);                                                                           \
    });                                                                                                             \
  }
FLOWLATCH_DEFINE_COMPLEX(c, std::complex<float>)
FLOWLATCH_DEFINE_COMPLEX(z, std::complex<double>)
#undef FLOWLATCH_DEFINE_COMPLEX

}  // namespace flowlatch::lapack
