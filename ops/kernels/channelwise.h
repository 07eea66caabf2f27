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
  int64_t units_per_block() const {                      // of blocks that stay in the cache
    constexpr int64_t kElements = 1 << 15;
    return std::max<int64_t>(1, kElements / std::max<int64_t>(1, unit_size()));
  }
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

// Runs add(units, sums) over blocks of units, by all threads of the step when there are many. What the blocks are does not
// depend on how many threads. The result: `width` sums for each block.
template <typename Add>
std::vector<double> SumBlocks(const KernelCall& call, const ChannelShape& shape, int64_t width, const Add& add) {
  const int64_t units = shape.num_units(), per_block = shape.units_per_block(), blocks = (units + per_block - 1) / per_block;
  std::vector<double> sums(blocks * width);
  RunLoop(call, blocks, 0.1 * static_cast<double>(per_block * shape.unit_size()), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      add(Units{b * per_block, std::min(units, (b + 1) * per_block)}, sums.data() + b * width);
    }
  });
  return sums;
}

// The sums of all blocks in `sums`: [width], one or more numbers for each channel.
template <typename Add>
void SumPerChannel(const KernelCall& call, const ChannelShape& shape, std::vector<double>& sums, const Add& add) {
  const int64_t width = static_cast<int64_t>(sums.size());
  const std::vector<double> partial = SumBlocks(call, shape, width, add);
  std::fill(sums.begin(), sums.end(), 0.0);
  for (size_t i = 0; i < partial.size(); ++i) sums[i % sums.size()] += partial[i];
}

// Runs map(units) over all units, the last ones first: those that a pass before has left in the cache.
template <typename MapUnits>
void MapFromTheEnd(const KernelCall& call, const ChannelShape& shape, const MapUnits& map) {
  const int64_t units = shape.num_units(), per_block = shape.units_per_block(), blocks = (units + per_block - 1) / per_block;
  RunLoop(call, blocks, 0.3 * static_cast<double>(per_block * shape.unit_size()), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = (blocks - 1 - i) * per_block;
      map(Units{first, std::min(units, first + per_block)});
    }
  });
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_CHANNELWISE_H_
