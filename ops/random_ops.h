// RandomUniform, RandomStandardNormal, TruncatedNormal, RandomUniformInt.
#ifndef FLOWLATCH_OPS_RANDOM_OPS_H_
#define FLOWLATCH_OPS_RANDOM_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterRandomOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_RANDOM_OPS_H_
