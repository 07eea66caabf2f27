// Updates to slices of variables: scatters by index vectors, and assignments to strided slices.
#ifndef FLOWLATCH_OPS_VARIABLE_SLICE_OPS_H_
#define FLOWLATCH_OPS_VARIABLE_SLICE_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterVariableSliceOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_VARIABLE_SLICE_OPS_H_
