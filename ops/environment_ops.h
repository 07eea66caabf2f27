// DeviceIndex and KernelLabel: what a graph may ask about where it runs.
#ifndef FLOWLATCH_OPS_ENVIRONMENT_OPS_H_
#define FLOWLATCH_OPS_ENVIRONMENT_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterEnvironmentOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_ENVIRONMENT_OPS_H_
