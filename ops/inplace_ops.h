// Updates to rows of a tensor that is not needed any more.
#ifndef FLOWLATCH_OPS_INPLACE_OPS_H_
#define FLOWLATCH_OPS_INPLACE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterInplaceOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_INPLACE_OPS_H_
