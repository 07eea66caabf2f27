// ConditionalAccumulator, AccumulatorApplyGradient, AccumulatorTakeGradient, AccumulatorNumAccumulated,
// AccumulatorSetGlobalStep, their Resource forms, SparseConditionalAccumulator, SparseAccumulatorApplyGradient,
// SparseAccumulatorTakeGradient.
#ifndef FLOWLATCH_OPS_ACCUMULATOR_OPS_H_
#define FLOWLATCH_OPS_ACCUMULATOR_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterAccumulatorOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_ACCUMULATOR_OPS_H_
