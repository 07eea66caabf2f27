#ifndef FLOWLATCH_OPS_CANDIDATE_OPS_H_
#define FLOWLATCH_OPS_CANDIDATE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterCandidateOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_CANDIDATE_OPS_H_
