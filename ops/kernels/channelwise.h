// Loops over float tensors in which each channel has numbers of its own (a bias, a mean, a scale), vectorised.
//
// A tensor is seen as [outer, channels, inner]. Channels last has inner = 1, and its rows of `channels` elements are the
// units of work; channels first has inner > 1, and its planes of `inner` elements are. All loops take a range of units, so
// that threads can share them.
#ifndef FLOWLATCH_OPS_KERNELS_CHANNELWISE_H_
#define FLOWLATCH_OPS_KERNELS_CHANNELWISE_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/kernels/parallel.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

struct ChannelShape {
  int64_t outer = 0, channels = 0, inner = 1;

  int64_t num_units() const { return inner == 1 ? outer : outer * channels; }
  int64_t unit_size() const { return inner == 1 ? channels : inner; }
  int64_t per_channel() const { return outer * inner; }  // elements of one channel
};

struct Units {
  int64_t begin, end;
};

// y = x + bias[c]. y may be x.
void AddBias(const ChannelShape& shape, Units units, const float* x, const float* bias, float* y);
// y = (x - mean[c]) * scale[c] + shift[c]; a null mean or shift is 0. y may be x.
void Normalize(const ChannelShape& shape, Units units, const float* x, const float* mean, const float* scale,
               const float* shift, float* y);
// y = x * a[c] + (z - mean[c]) * b[c] + shift[c]. y may be x or z.
void NormalizeAndAdd(const ChannelShape& shape, Units units, const float* x, const float* a, const float* z,
                     const float* mean, const float* b, const float* shift, float* y);

// sums[c] += the sum of x.
void AddSums(const ChannelShape& shape, Units units, const float* x, double* sums);
// sums[c] += the sum of (x - mean[c])^2.
void AddSquaredDifferences(const ChannelShape& shape, Units units, const float* x, const float* mean, double* sums);
// sums[c] += the sum of z * (x - mean[c]).
void AddProducts(const ChannelShape& shape, Units units, const float* z, const float* x, const float* mean,
                 double* sums);

// Runs add(units, sums) over all units, by all threads of the step when there are many; the result does not depend on how
// many. sums: [width], one or more numbers for each channel.
template <typename Add>
void SumPerChannel(const KernelCall& call, const ChannelShape& shape, std::vector<double>& sums, const Add& add) {
  constexpr int64_t kElementsPerBlock = 1 << 15;
  const int64_t units = shape.num_units();
  const int64_t per_block = std::max<int64_t>(1, kElementsPerBlock / std::max<int64_t>(1, shape.unit_size()));
  const int64_t blocks = (units + per_block - 1) / per_block;
  const int64_t width = static_cast<int64_t>(sums.size());
  std::vector<double> partial(blocks * width);
  RunLoop(call, blocks, 0.1 * static_cast<double>(kElementsPerBlock), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      add(Units{b * per_block, std::min(units, (b + 1) * per_block)}, partial.data() + b * width);
    }
  });
  std::fill(sums.begin(), sums.end(), 0.0);
  for (int64_t b = 0; b < blocks; ++b) {
    for (int64_t i = 0; i < width; ++i) sums[i] += partial[b * width + i];
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_CHANNELWISE_H_
