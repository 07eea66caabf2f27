#ifndef FLOWLATCH_OPS_STATELESS_RANDOM_OPS_H_
#define FLOWLATCH_OPS_STATELESS_RANDOM_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterStatelessRandomOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_STATELESS_RANDOM_OPS_H_
