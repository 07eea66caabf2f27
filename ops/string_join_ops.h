#ifndef FLOWLATCH_OPS_STRING_JOIN_OPS_H_
#define FLOWLATCH_OPS_STRING_JOIN_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// ReduceJoin, UnsortedSegmentJoin.
absl::Status RegisterStringJoinOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_STRING_JOIN_OPS_H_
