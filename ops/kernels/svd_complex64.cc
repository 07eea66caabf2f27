#include <complex>

#include "ops/kernels/svd-inl.h"

namespace flowlatch {

template bool SingularValues(int, int, const std::complex<float>*, bool, std::complex<float>*, std::complex<float>*,
                             std::complex<float>*);

}  // namespace flowlatch
