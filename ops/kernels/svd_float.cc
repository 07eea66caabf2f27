#include "ops/kernels/svd-inl.h"

namespace flowlatch {

template bool SingularValues(int, int, const float*, bool, float*, float*, float*);

}  // namespace flowlatch
