#include "ops/kernels/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

#include "dnnl.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/gemv.h"

// libgomp's, which libdnnl brings along; its header belongs to one compiler only.
extern "C" {
int omp_get_max_threads(void);
void omp_set_num_threads(int);
}

namespace flowlatch {
namespace {

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <typename T>
inline constexpr bool kIsBlas = std::is_same_v<T, float> || std::is_same_v<T, double> || kIsComplex<T>;

template <typename T>
T Conjugate(T x) {
  if constexpr (kIsComplex<T>) return std::conj(x);
  return x;
}

template <typename T>
T MultiplyAdd(T a, T b, T sum) {
  if constexpr (std::is_integral_v<T>) return WrapAdd<T>(sum, WrapMul<T>(a, b));
  else return sum + a * b;
}

// Works for every type; the reference that OpenBLAS is checked against.
template <typename T>
void LoopGemm(const GemmArgs<T>& g) {
  constexpr int64_t kColumns = 512;  // of c at a time, so that a row of it stays in the first-level cache
  const int64_t a_row = g.op_a == Op::kNone ? g.lda : 1, a_step = g.op_a == Op::kNone ? 1 : g.lda;
  const auto a_at = [&](int64_t i, int64_t p) {
    const T a = g.a[i * a_row + p * a_step];
    return g.op_a == Op::kAdjoint ? Conjugate(a) : a;
  };
  for (int64_t j0 = 0; j0 < g.n; j0 += kColumns) {
    const int64_t width = std::min(kColumns, g.n - j0);
    for (int64_t i = 0; i < g.m; ++i) {
      T* c = g.c + i * g.ldc + j0;
      if (!g.accumulate) std::fill(c, c + width, T(0));
      if (g.op_b == Op::kNone) {
        for (int64_t p = 0; p < g.k; ++p) {
          const T a = a_at(i, p);
          const T* b = g.b + p * g.ldb + j0;
          for (int64_t j = 0; j < width; ++j) c[j] = MultiplyAdd(a, b[j], c[j]);
        }
      } else {
        for (int64_t j = 0; j < width; ++j) {
          const T* b = g.b + (j0 + j) * g.ldb;
          T sum = c[j];
          for (int64_t p = 0; p < g.k; ++p) {
            sum = MultiplyAdd(a_at(i, p), g.op_b == Op::kAdjoint ? Conjugate(b[p]) : b[p], sum);
          }
          c[j] = sum;
        }
      }
    }
  }
}

CBLAS_TRANSPOSE CblasOp(Op op) {
  return op == Op::kNone ? CblasNoTrans : op == Op::kTranspose ? CblasTrans : CblasConjTrans;
}

template <typename T>
void OpenBlasGemm(const GemmArgs<T>& g) {
  const auto run = [&g](auto* gemm, auto alpha, auto beta) {
    gemm(CblasRowMajor, CblasOp(g.op_a), CblasOp(g.op_b), static_cast<int>(g.m), static_cast<int>(g.n),
         static_cast<int>(g.k), alpha, g.a, static_cast<int>(g.lda), g.b, static_cast<int>(g.ldb), beta, g.c,
         static_cast<int>(g.ldc));
  };
  const T one = T(1), beta = g.accumulate ? T(1) : T(0);
  if constexpr (std::is_same_v<T, float>) run(&cblas_sgemm, one, beta);
  if constexpr (std::is_same_v<T, double>) run(&cblas_dgemm, one, beta);
  if constexpr (std::is_same_v<T, std::complex<float>>) run(&cblas_cgemm, &one, &beta);
  if constexpr (std::is_same_v<T, std::complex<double>>) run(&cblas_zgemm, &one, &beta);
}

// OpenBLAS chooses its kernels by the processor, and its environment variable can choose wrong ones. Multiplies small
// known matrices in each way the kernels are used, once per process.
template <typename T>
bool OpenBlasIsRight() {
  static const bool right = [] {
    constexpr int64_t kSizes[][3] = {{2, 3, 5}, {16, 16, 16}, {33, 37, 19}, {5, 70, 40}, {64, 48, 48}};
    for (const auto& [m, n, k] : kSizes) {
      std::vector<T> a(m * k), b(k * n), c(m * n), expected(m * n);
      // Small integers: every order of additions gives the same sum.
      for (size_t i = 0; i < a.size(); ++i) a[i] = T(static_cast<float>(static_cast<int>(i * 7 % 11) - 5));
      for (size_t i = 0; i < b.size(); ++i) b[i] = T(static_cast<float>(static_cast<int>(i * 5 % 13) - 6));
      for (Op op_a : {Op::kNone, Op::kTranspose, Op::kAdjoint}) {
        for (Op op_b : {Op::kNone, Op::kTranspose, Op::kAdjoint}) {
          if (!kIsComplex<T> && (op_a == Op::kAdjoint || op_b == Op::kAdjoint)) continue;
          OpenBlasGemm(GemmArgs<T>::Dense(a.data(), op_a, b.data(), op_b, c.data(), m, n, k));
          LoopGemm(GemmArgs<T>::Dense(a.data(), op_a, b.data(), op_b, expected.data(), m, n, k));
          if (c != expected) return false;
        }
      }
    }
    return true;
  }();
  return right;
}

template <typename T>
bool FitsOpenBlas(const GemmArgs<T>& g) {
  constexpr int64_t kMax = std::numeric_limits<int>::max();
  return std::max({g.m, g.n, g.k, g.lda, g.ldb, g.ldc}) <= kMax && OpenBlasIsRight<T>();
}

// A vector times a matrix, if that is what the product is.
bool TryGemv(const GemmArgs<float>& g) {
  // x must lie in one piece, and so must y.
  if (g.m == 1 && (g.op_a == Op::kNone || g.lda == 1)) {
    if (g.op_b == Op::kNone) GemvColumns(g.b, g.k, g.n, g.ldb, g.a, g.c, g.accumulate);
    else GemvRows(g.b, g.n, g.k, g.ldb, g.a, g.c, g.accumulate);
    return true;
  }
  if (g.n == 1 && g.ldc == 1 && (g.op_b != Op::kNone || g.ldb == 1)) {
    if (g.op_a == Op::kNone) GemvRows(g.a, g.m, g.k, g.lda, g.b, g.c, g.accumulate);
    else GemvColumns(g.a, g.k, g.m, g.lda, g.b, g.c, g.accumulate);
    return true;
  }
  return false;
}

// Where OpenBLAS is the faster one: small products, and its kernels for b transposed give up sooner.
bool PrefersOpenBlas(const GemmArgs<float>& g) {
  const double work = static_cast<double>(g.m) * g.n * g.k;
  return work <= (g.op_b != Op::kNone && g.op_a == Op::kNone ? 24.0 * 24 * 24 : 44.0 * 44 * 44);
}

bool OneDnnGemm(const GemmArgs<float>& g) {
  const SingleThreadedOpenMp single;
  return dnnl_sgemm(g.op_a == Op::kNone ? 'N' : 'T', g.op_b == Op::kNone ? 'N' : 'T', g.m, g.n, g.k, 1.0f, g.a, g.lda,
                    g.b, g.ldb, g.accumulate ? 1.0f : 0.0f, g.c, g.ldc) == dnnl_success;
}

// 16-bit floats: [rows, cols] as float without gaps.
template <typename T>
absl::StatusOr<Tensor> ToFloat(const T* x, int64_t rows, int64_t cols, int64_t ld) {
  ASSIGN_OR_RETURN(Tensor t, Tensor::Make(DType::kFloat32, {rows, cols}));
  float* out = t.mutable_data<float>();
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) out[i * cols + j] = static_cast<float>(x[i * ld + j]);
  }
  return t;
}

template <typename T>
T RoundTo(float x, bool toward_zero) {
  if constexpr (std::is_same_v<T, BFloat16>) {
    // The upper half of a float; of NaN that might be an infinity.
    if (toward_zero && x == x) return BFloat16::FromBits(static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16));
  }
  return T(x);
}

template <typename T>
absl::Status GemmInFloat(const GemmArgs<T>& g) {
  const int64_t a_rows = g.op_a == Op::kNone ? g.m : g.k, b_rows = g.op_b == Op::kNone ? g.k : g.n;
  ASSIGN_OR_RETURN(const Tensor a, ToFloat(g.a, a_rows, g.m + g.k - a_rows, g.lda));
  ASSIGN_OR_RETURN(const Tensor b, ToFloat(g.b, b_rows, g.k + g.n - b_rows, g.ldb));
  ASSIGN_OR_RETURN(Tensor c, Tensor::Make(DType::kFloat32, {g.m, g.n}));
  float* product = c.mutable_data<float>();
  RETURN_IF_ERROR(SerialGemm(
      GemmArgs<float>::Dense(a.data<float>(), g.op_a, b.data<float>(), g.op_b, product, g.m, g.n, g.k)));
  for (int64_t i = 0; i < g.m; ++i) {
    for (int64_t j = 0; j < g.n; ++j) {
      T& to = g.c[i * g.ldc + j];
      const float sum = g.accumulate ? static_cast<float>(to) + product[i * g.n + j] : product[i * g.n + j];
      to = RoundTo<T>(sum, g.toward_zero);
    }
  }
  return absl::OkStatus();
}

// How a product is cut: rows x columns tiles, each large enough that the libraries' packing of operands does not show.
struct Tiling {
  int64_t rows, columns;
};

Tiling TilingOf(int64_t m, int64_t n) {
  constexpr int64_t kTiles = 8;
  // A row vector times a matrix reads long pieces of the matrix's rows, or memory's prefetchers lose the thread.
  const int64_t smallest = m == 1 ? 512 : 48;
  Tiling t{1, 1};
  while (t.rows * t.columns < kTiles) {
    const int64_t height = m / t.rows, width = n / t.columns;
    if (std::max(height, width) < 2 * smallest) break;
    (height >= width ? t.rows : t.columns) *= 2;
  }
  return t;
}

// Where piece i of `pieces` begins; multiples of 16 so that vectors stay whole.
int64_t Begin(int64_t size, int64_t pieces, int64_t i) {
  if (i >= pieces) return size;
  return std::min(size, (size / pieces * i + 15) / 16 * 16);
}

// The part of g that computes rows [i0, i1) and columns [j0, j1) of c.
template <typename T>
GemmArgs<T> Part(const GemmArgs<T>& g, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  GemmArgs<T> part = g;
  part.m = i1 - i0;
  part.n = j1 - j0;
  part.a += g.op_a == Op::kNone ? i0 * g.lda : i0;
  part.b += g.op_b == Op::kNone ? j0 : j0 * g.ldb;
  part.c += i0 * g.ldc + j0;
  return part;
}

}  // namespace

SingleThreadedOpenMp::SingleThreadedOpenMp() : saved_(omp_get_max_threads()) {
  if (saved_ != 1) omp_set_num_threads(1);
}

SingleThreadedOpenMp::~SingleThreadedOpenMp() {
  if (saved_ != 1) omp_set_num_threads(saved_);
}

template <typename T>
double GemmCost(int64_t m, int64_t n, int64_t k) {
  const double per_product = std::is_same_v<T, float> ? 0.01 : kIsBlas<T> ? 0.04 : 0.3;
  // A vector times a matrix waits for memory.
  const double bytes = m == 1 || n == 1 ? 0.035 * sizeof(T) : 0;
  return static_cast<double>(m) * n * k * (per_product + bytes);
}

template <typename T>
absl::Status SerialGemm(const GemmArgs<T>& g) {
  if (g.m == 0 || g.n == 0) return absl::OkStatus();
  if (g.k == 0) {
    for (int64_t i = 0; i < g.m && !g.accumulate; ++i) std::fill(g.c + i * g.ldc, g.c + i * g.ldc + g.n, T(0));
    return absl::OkStatus();
  }
  if constexpr (std::is_same_v<T, float>) {
    if (TryGemv(g)) return absl::OkStatus();
    if (PrefersOpenBlas(g) && FitsOpenBlas(g)) {
      OpenBlasGemm(g);
    } else if (!OneDnnGemm(g)) {
      LoopGemm(g);
    }
  } else if constexpr (kIsBlas<T>) {
    FitsOpenBlas(g) ? OpenBlasGemm(g) : LoopGemm(g);
  } else if constexpr (kIsSmallFloat<T>) {
    return GemmInFloat(g);
  } else {
    LoopGemm(g);
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Gemm(const KernelCall& call, const GemmArgs<T>& g) {
  constexpr double kWorthSharing = 80e3;  // nanoseconds; below it two threads win nothing and may lose a wake-up
  const double cost = GemmCost<T>(g.m, g.n, g.k);
  const Tiling tiling = TilingOf(g.m, g.n);
  const int64_t tiles = tiling.rows * tiling.columns;
  if (cost < kWorthSharing || tiles == 1) return SerialGemm(g);
  std::vector<absl::Status> statuses(tiles);  // one slot a tile: no lock
  call.ParallelFor(tiles, cost / static_cast<double>(tiles), [&](int64_t begin, int64_t end) {
    if (begin == 0 && end == tiles) {
      statuses[0] = SerialGemm(g);
      return;
    }
    for (int64_t t = begin; t < end; ++t) {
      const int64_t row = t / tiling.columns, column = t % tiling.columns;
      statuses[t] = SerialGemm(Part(g, Begin(g.m, tiling.rows, row), Begin(g.m, tiling.rows, row + 1),
                                    Begin(g.n, tiling.columns, column), Begin(g.n, tiling.columns, column + 1)));
    }
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

#define FLOWLATCH_GEMM(T)                                               \
  template double GemmCost<T>(int64_t, int64_t, int64_t);               \
  template absl::Status SerialGemm<T>(const GemmArgs<T>&);              \
  template absl::Status Gemm<T>(const KernelCall&, const GemmArgs<T>&);
FLOWLATCH_GEMM(float)
FLOWLATCH_GEMM(double)
FLOWLATCH_GEMM(std::complex<float>)
FLOWLATCH_GEMM(std::complex<double>)
FLOWLATCH_GEMM(Half)
FLOWLATCH_GEMM(BFloat16)
FLOWLATCH_GEMM(int8_t)
FLOWLATCH_GEMM(int16_t)
FLOWLATCH_GEMM(int32_t)
FLOWLATCH_GEMM(int64_t)
FLOWLATCH_GEMM(uint8_t)
FLOWLATCH_GEMM(uint16_t)
FLOWLATCH_GEMM(uint32_t)
FLOWLATCH_GEMM(uint64_t)
#undef FLOWLATCH_GEMM

}  // namespace flowlatch
