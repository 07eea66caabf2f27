// Convolutions with fewer multiplications, by Winograd's algorithm (docs/decisions/0012_winograd_where_it_saves.md).
//
// A tile of 6x6 inputs and a filter are turned into 36 values each, of which products give all the outputs that the filter
// has in the tile: 4x4 of a 3x3 filter with a quarter of the multiplications, 2x2 of a 5x5 filter with 36 instead of 100.
// Sums over channels, and for the gradient of the filter over tiles, are matrix products, one for each of the 36. The
// error is about twice that of adding products one by one.
#ifndef FLOWLATCH_OPS_KERNELS_WINOGRAD_H_
#define FLOWLATCH_OPS_KERNELS_WINOGRAD_H_

#include "absl/status/status.h"
#include "ops/kernels/conv.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Whether a convolution is of a kind that these functions compute: filters of 3x3 or 5x5 without strides, dilations and
// groups; channels and outputs by sixteens.
bool IsWinograd(const ConvShape& s);

// Whether the algorithm saves time, going by the shape alone.
bool PrefersWinograd(const ConvShape& s);
bool PrefersWinogradForFilter(const ConvShape& s);

// As the functions of conv.h. All require IsWinograd. Results do not depend on the number of threads. extras.cache is not
// used. Errors: ResourceExhausted.
absl::Status WinogradForward(const KernelCall& call, const ConvShape& s, const float* input, const float* filter,
                             float* output, const ConvExtras& extras = {});
absl::Status WinogradBackpropInput(const KernelCall& call, const ConvShape& s, const float* filter,
                                   const float* output_grad, float* input_grad);
absl::Status WinogradBackpropFilter(const KernelCall& call, const ConvShape& s, const float* input,
                                    const float* output_grad, float* filter_grad);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_WINOGRAD_H_
