#include "ops/kernels/svd-inl.h"

namespace flowlatch {

template bool SingularValues(int, int, const double*, bool, double*, double*, double*);

}  // namespace flowlatch
