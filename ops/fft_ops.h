// Fourier transforms: FFT, IFFT, RFFT, IRFFT over the last one, two or three dimensions.
#ifndef FLOWLATCH_OPS_FFT_OPS_H_
#define FLOWLATCH_OPS_FFT_OPS_H_

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

absl::Status RegisterFftOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_FFT_OPS_H_
