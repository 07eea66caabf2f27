#ifndef FLOWLATCH_OPS_BOX_SAMPLE_OPS_H_
#define FLOWLATCH_OPS_BOX_SAMPLE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// SampleDistortedBoundingBox, SampleDistortedBoundingBoxV2, StatelessSampleDistortedBoundingBox.
absl::Status RegisterBoxSampleOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_BOX_SAMPLE_OPS_H_
