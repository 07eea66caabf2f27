// SegmentSum, SegmentMean, SegmentProd, SegmentMax, SegmentMin; UnsortedSegmentSum, UnsortedSegmentProd,
// UnsortedSegmentMax, UnsortedSegmentMin.
#ifndef FLOWLATCH_OPS_SEGMENT_OPS_H_
#define FLOWLATCH_OPS_SEGMENT_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterSegmentOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SEGMENT_OPS_H_
