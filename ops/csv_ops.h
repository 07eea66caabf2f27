#ifndef FLOWLATCH_OPS_CSV_OPS_H_
#define FLOWLATCH_OPS_CSV_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// DecodeCSV.
absl::Status RegisterCsvOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_CSV_OPS_H_
