#include <complex>

#include "ops/kernels/svd-inl.h"

namespace flowlatch {

template bool SingularValues(int, int, const std::complex<double>*, bool, std::complex<double>*, std::complex<double>*,
                             std::complex<double>*);

}  // namespace flowlatch
