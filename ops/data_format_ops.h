// Numbers of dimensions in another data format: DataFormatDimMap, DataFormatVecPermute.
#ifndef FLOWLATCH_OPS_DATA_FORMAT_OPS_H_
#define FLOWLATCH_OPS_DATA_FORMAT_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterDataFormatOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_DATA_FORMAT_OPS_H_
