// Activation functions and their gradients over contiguous float or double elements, vectorised. In place is fine: an
// output may be the same memory as an input.
#ifndef FLOWLATCH_OPS_KERNELS_ACTIVATIONS_H_
#define FLOWLATCH_OPS_KERNELS_ACTIVATIONS_H_

#include <cstdint>

namespace flowlatch {

// NaN gives NaN in all of them.
enum class Activation : uint8_t {
  kRelu,       // max(x, 0)
  kRelu6,      // min(max(x, 0), 6)
  kElu,        // x < 0: exp(x) - 1
  kSelu,       // scale * x, or scale * alpha * (exp(x) - 1) for x < 0, with the constants of self-normalising networks
  kLeakyRelu,  // x > 0: x, else alpha * x
  kSoftplus,   // log(exp(x) + 1), without overflow
  kSoftsign,   // x / (|x| + 1)
};

// y[i] = f(x[i]). `alpha` is kLeakyRelu's. T: float, double.
template <typename T>
void Activate(Activation f, const T* x, T* y, int64_t n, T alpha);

// dx[i] = dy[i] * f'(x[i]). kElu and kSelu take their outputs in place of x, as the gradient ops do.
template <typename T>
void ActivateGrad(Activation f, const T* dy, const T* x, T* dx, int64_t n, T alpha);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ACTIVATIONS_H_
