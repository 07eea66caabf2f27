// Float convolutions by oneDNN, in the threads of the step. oneDNN compiles machine code for each geometry; it is kept for
// the process.
#ifndef FLOWLATCH_OPS_KERNELS_ONEDNN_CONV_H_
#define FLOWLATCH_OPS_KERNELS_ONEDNN_CONV_H_

#include "absl/status/statusor.h"
#include "ops/kernels/conv.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Each computes what its namesake in conv.h does and returns true, or false (nothing is written that stays) where oneDNN
// has no good kernel. Requires elements everywhere, as there. Errors: ResourceExhausted.
absl::StatusOr<bool> OneDnnConvForward(const KernelCall& call, const ConvShape& shape, const float* input,
                                       const float* filter, float* output, const ConvExtras& extras);
absl::StatusOr<bool> OneDnnConvBackpropInput(const KernelCall& call, const ConvShape& shape, const float* filter,
                                             const float* output_grad, float* input_grad);
absl::StatusOr<bool> OneDnnConvBackpropFilter(const KernelCall& call, const ConvShape& shape, const float* input,
                                              const float* output_grad, float* filter_grad);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ONEDNN_CONV_H_
