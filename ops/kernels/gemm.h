// The one entry to matrix products: c = op(a) op(b), for every number type, from however many threads a step has.
//
// float: oneDNN from about 48^3 on, OpenBLAS below, own loops for a vector times a matrix. double and complex: OpenBLAS.
// Half and bfloat16: in float, rounded once. Integers: own loop, wrapping. The libraries run in the calling thread only;
// products are shared out in tiles by KernelCall::ParallelFor.
#ifndef FLOWLATCH_OPS_KERNELS_GEMM_H_
#define FLOWLATCH_OPS_KERNELS_GEMM_H_

#include <cstdint>

#include "absl/status/status.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// How an operand is read. kAdjoint conjugates as well; on real numbers it is kTranspose.
enum class Op : uint8_t { kNone, kTranspose, kAdjoint };

// c: [m, n], op(a): [m, k], op(b): [k, n], all row-major; the ld* are the elements from one stored row to the next.
// accumulate: adds to c instead of overwriting it. toward_zero: bfloat16 results are rounded so, not to nearest. With
// k = 0 the product is zero.
template <typename T>
struct GemmArgs {
  const T* a = nullptr;
  const T* b = nullptr;
  T* c = nullptr;
  int64_t m = 0, n = 0, k = 0;
  int64_t lda = 0, ldb = 0, ldc = 0;
  Op op_a = Op::kNone, op_b = Op::kNone;
  bool accumulate = false;
  bool toward_zero = false;

  // Dense matrices without gaps between rows.
  static GemmArgs Dense(const T* a, Op op_a, const T* b, Op op_b, T* c, int64_t m, int64_t n, int64_t k) {
    return {.a = a, .b = b, .c = c, .m = m, .n = n, .k = k, .lda = op_a == Op::kNone ? k : m,
            .ldb = op_b == Op::kNone ? n : k, .ldc = n, .op_a = op_a, .op_b = op_b};
  }
};

// Rough nanoseconds of a product, for cost estimates.
template <typename T>
double GemmCost(int64_t m, int64_t n, int64_t k);

// The product, in the calling thread. Defined for the number types of kNumberTypes.
// Errors: ResourceExhausted without memory for the float copies of 16-bit operands.
template <typename T>
absl::Status SerialGemm(const GemmArgs<T>& args);

// The product, by all threads of the step when it is large.
template <typename T>
absl::Status Gemm(const KernelCall& call, const GemmArgs<T>& args);

// Keeps oneDNN, which calls OpenMP, in the calling thread while it lives. It creates no threads then.
class SingleThreadedOpenMp {
 public:
  SingleThreadedOpenMp();
  ~SingleThreadedOpenMp();
  SingleThreadedOpenMp(const SingleThreadedOpenMp&) = delete;
  SingleThreadedOpenMp& operator=(const SingleThreadedOpenMp&) = delete;

 private:
  int saved_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_GEMM_H_
