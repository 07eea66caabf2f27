#include "ops/kernels/winograd.h"

#include <algorithm>
#include <array>
#include <vector>

#include "graph/base/status_macros.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/winograd_tiles.h"

namespace flowlatch {
namespace {

constexpr int64_t kVector = 16;
constexpr int kMostTaps = 25;

// The squares of a convolution's tiles: how many outputs a side has, and how many tiles there are.
struct Tiling {
  int side;
  int64_t rows, columns;  // of an image
  int64_t all_rows;       // of the batch

  explicit Tiling(const ConvShape& s)
      : side(static_cast<int>(kTileSide + 1 - s.height.size)),
        rows((s.height.output + side - 1) / side),
        columns((s.width.output + side - 1) / side),
        all_rows(s.batch * rows) {}
};

// A batch of images, of which tiles begin every `step` pixels.
template <typename T>
struct TiledImages {
  T* pixels;
  int64_t height, width, channels;
  int64_t step, top, left;  // the first tile

  // A row of tiles, of all rows of the batch.
  struct Row {
    T* image;
    int64_t y;  // of its first row of pixels
  };
  Row RowOfTiles(const Tiling& tiling, int64_t row) const {
    return {pixels + row / tiling.rows * height * width * channels, row % tiling.rows * step + top};
  }

  // Where the pixels of a tile with `side` pixels a side are; `outside` for those that do not exist.
  void Locate(const Row& row, int64_t column, int side, T* outside, T** to) const {
    const int64_t x = column * step + left;
    const bool whole = row.y >= 0 && row.y + side <= height && x >= 0 && x + side <= width;
    for (int i = 0; i < side; ++i) {
      for (int j = 0; j < side; ++j) {
        const bool inside = whole || (row.y + i >= 0 && row.y + i < height && x + j >= 0 && x + j < width);
        to[i * side + j] = inside ? row.image + ((row.y + i) * width + x + j) * channels : outside;
      }
    }
  }
};

TiledImages<const float> InputsOf(const ConvShape& s, const Tiling& tiling, const float* input) {
  return {input, s.height.input, s.width.input, s.channels, tiling.side, -s.height.pad_before, -s.width.pad_before};
}

template <typename T>
TiledImages<T> OutputsOf(const ConvShape& s, const Tiling& tiling, T* output) {
  return {output, s.height.output, s.width.output, s.outputs, tiling.side, 0, 0};
}

// 36 matrices [tiles, width]: what is at one place in all tiles.
struct Planes {
  float* data;
  int64_t width, stride;

  // Strides that are not powers of two, so that the planes do not compete for the same places in the cache.
  static int64_t StrideOf(int64_t tiles, int64_t width) { return tiles * width + kVector; }
  static int64_t Elements(int64_t tiles, int64_t width) { return kTileSize * StrideOf(tiles, width); }

  float* plane(int i) const { return data + i * stride; }
  TileValues<float> tile(int64_t i) const { return {data + i * width, stride}; }
};

// Some rows of tiles that are worked on together.
struct Block {
  int64_t begin, end;  // of all rows
  int64_t tiles(const Tiling& t) const { return (end - begin) * t.columns; }
};

// Rows of tiles of a block, so that what is made of them stays in the second-level cache, and products are not too thin.
int64_t RowsOfBlock(const ConvShape& s, const Tiling& tiling) {
  constexpr int64_t kElements = 3 << 16, kFewTiles = 48;
  const int64_t tiles = std::max(kFewTiles, kElements / (kTileSize * (s.channels + s.outputs)));
  return std::clamp<int64_t>(tiles / tiling.columns, 1, tiling.all_rows);
}

// What one thread needs for a block.
struct Scratch {
  Tensor memory;
  float* outside;  // zeros to read or memory to write for pixels that do not exist
  Planes inputs, outputs;

  static absl::StatusOr<Scratch> Make(const ConvShape& s, const Tiling& tiling) {
    const int64_t tiles = RowsOfBlock(s, tiling) * tiling.columns, widest = std::max(s.channels, s.outputs);
    const int64_t inputs = Planes::Elements(tiles, s.channels), outputs = Planes::Elements(tiles, s.outputs);
    Scratch scratch;
    ASSIGN_OR_RETURN(scratch.memory, Tensor::Make(DType::kFloat32, {widest + inputs + outputs}));
    float* const data = scratch.memory.mutable_data<float>();
    scratch.outside = data;
    scratch.inputs = {data + widest, s.channels, Planes::StrideOf(tiles, s.channels)};
    scratch.outputs = {data + widest + inputs, s.outputs, Planes::StrideOf(tiles, s.outputs)};
    return scratch;
  }
};

// Fills planes with the transforms of a block's tiles, of `side` pixels a side.
void ReadTiles(const Tiling& tiling, const TiledImages<const float>& images, const Block& block, IntoTile what, int side,
               float* outside, const Planes& planes) {
  std::fill_n(outside, images.channels, 0.0f);
  std::array<const float*, kTileSize> from;
  int64_t tile = 0;
  for (int64_t i = block.begin; i < block.end; ++i) {
    const auto row = images.RowOfTiles(tiling, i);
    for (int64_t column = 0; column < tiling.columns; ++column) {
      images.Locate(row, column, side, outside, from.data());
      TransformIntoTiles(what, side, images.channels, from.data(), planes.tile(tile++));
    }
  }
}

// Writes the outputs of a block.
void WriteTiles(const Tiling& tiling, const TiledImages<float>& images, const Block& block, float* outside,
                const Planes& planes, const ConvExtras& extras) {
  std::array<float*, kTileSize> to;
  int64_t tile = 0;
  for (int64_t i = block.begin; i < block.end; ++i) {
    const auto row = images.RowOfTiles(tiling, i);
    for (int64_t column = 0; column < tiling.columns; ++column) {
      images.Locate(row, column, tiling.side, outside, to.data());
      const auto [data, stride] = planes.tile(tile++);
      TransformFromTiles(FromTile::kOutput, tiling.side, images.channels, {data, stride}, to.data());
    }
    if (!extras.finish) continue;
    const int64_t pixels = std::min<int64_t>(tiling.side, images.height - row.y) * images.width;
    extras.finish(row.image + row.y * images.width * images.channels, pixels);
  }
}

// The transforms of a filter [side, side, size]: 36 times [size]. `reversed`: of the filter with its taps in reverse.
absl::StatusOr<Tensor> TransformFilter(const float* filter, int side, int64_t size, bool reversed) {
  ASSIGN_OR_RETURN(Tensor transformed, Tensor::Make(DType::kFloat32, {kTileSize, size}));
  std::array<const float*, kMostTaps> from;
  const int taps = side * side;
  for (int i = 0; i < taps; ++i) from[i] = filter + (reversed ? taps - 1 - i : i) * size;
  TransformIntoTiles(IntoTile::kFilter, side, size, from.data(), {transformed.mutable_data<float>(), size});
  return transformed;
}

// Nanoseconds, roughly.
double CostOf(const ConvShape& s) { return s.multiplications() * 0.005; }

// Calls run(block, scratch) for blocks of the rows of tiles [begin, end), one after the other.
template <typename Run>
absl::Status ForEachBlock(const ConvShape& s, const Tiling& tiling, int64_t begin, int64_t end, const Run& run) {
  ASSIGN_OR_RETURN(const Scratch scratch, Scratch::Make(s, tiling));
  const int64_t rows = RowsOfBlock(s, tiling);
  for (int64_t row = begin; row < end; row += rows) run(Block{row, std::min(end, row + rows)}, scratch);
  return absl::OkStatus();
}

// `transformed`: by TransformFilter.
absl::Status Forward(const KernelCall& call, const ConvShape& s, const float* input, const Tensor& transformed,
                     float* output, const ConvExtras& extras) {
  const Tiling tiling(s);
  const auto inputs = InputsOf(s, tiling, input);
  const auto outputs = OutputsOf(s, tiling, output);
  const int64_t rows = RowsOfBlock(s, tiling), blocks = (tiling.all_rows + rows - 1) / rows;
  std::vector<absl::Status> statuses(blocks);
  call.ParallelFor(blocks, CostOf(s) / static_cast<double>(blocks), [&](int64_t begin, int64_t end) {
    const int64_t last = std::min(tiling.all_rows, end * rows);
    statuses[begin] =
        ForEachBlock(s, tiling, begin * rows, last, [&](const Block& block, const Scratch& scratch) {
          ReadTiles(tiling, inputs, block, IntoTile::kInput, kTileSide, scratch.outside, scratch.inputs);
          for (int i = 0; i < kTileSize; ++i) {
            MultiplyTiles({.a = scratch.inputs.plane(i), .a_row = s.channels, .a_step = 1,
                           .b = transformed.data<float>() + i * s.channels * s.outputs, .c = scratch.outputs.plane(i),
                           .m = block.tiles(tiling), .n = s.outputs, .k = s.channels, .accumulate = false});
          }
          WriteTiles(tiling, outputs, block, scratch.outside, scratch.outputs, extras);
        });
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

// The sums over the rows of tiles [begin, end) of which the gradient of the filter is made: 36 times [channels, outputs].
absl::StatusOr<Tensor> SumProducts(const ConvShape& s, const Tiling& tiling, const float* input,
                                   const float* output_grad, int64_t begin, int64_t end) {
  const int64_t tap = s.channels * s.outputs;
  const auto inputs = InputsOf(s, tiling, input);
  const auto grads = OutputsOf(s, tiling, output_grad);
  ASSIGN_OR_RETURN(Tensor sums, Tensor::Make(DType::kFloat32, {kTileSize, tap}));
  RETURN_IF_ERROR(ForEachBlock(s, tiling, begin, end, [&](const Block& block, const Scratch& scratch) {
    ReadTiles(tiling, inputs, block, IntoTile::kInput, kTileSide, scratch.outside, scratch.inputs);
    ReadTiles(tiling, grads, block, IntoTile::kOutputGradient, tiling.side, scratch.outside, scratch.outputs);
    for (int i = 0; i < kTileSize; ++i) {
      MultiplyTiles({.a = scratch.inputs.plane(i), .a_row = 1, .a_step = s.channels, .b = scratch.outputs.plane(i),
                     .c = sums.mutable_data<float>() + i * tap, .m = s.channels, .n = s.outputs,
                     .k = block.tiles(tiling), .accumulate = block.begin > begin});
    }
  }));
  return sums;
}

// Compares the time of the direct algorithm with that of this one, in multiplications of the direct one. The numbers are
// fits to what was measured for 16 to 512 channels. `of_weight`: what is done once for each weight and each of the 36.
// `most_weights`: of a tap; more take 36 times as much memory and were not faster.
bool SavesTime(const ConvShape& s, double of_weight, int64_t most_weights) {
  constexpr double kOfChannel = 21;  // to transform a tile
  constexpr int64_t kNearFilter = 1 << 13, kMostColumns = 256;  // a row of more tiles does not fit the cache
  if (!IsWinograd(s) || s.channels * s.outputs > most_weights) return false;
  const Tiling tiling(s);
  if (tiling.columns > kMostColumns) return false;
  const double weights = static_cast<double>(s.channels * s.outputs);
  const double channels = static_cast<double>(s.channels + s.outputs);
  const double reading = s.channels * s.outputs > kNearFilter ? 2 : 1;  // beyond the second-level cache
  const double tiles = static_cast<double>(tiling.all_rows * tiling.columns);
  const double work = tiles * (reading * weights + kOfChannel * channels) + reading * of_weight * weights;
  return kTileSize * work < s.multiplications();
}

}  // namespace

bool IsWinograd(const ConvShape& s) {
  for (const Window* w : {&s.height, &s.width}) {
    if (w->stride != 1 || w->dilation != 1) return false;
  }
  return s.groups == 1 && s.height.size == s.width.size && (s.height.size == 3 || s.height.size == 5) &&
         s.channels % kVector == 0 && s.outputs % kVector == 0;
}

bool PrefersWinograd(const ConvShape& s) { return SavesTime(s, 100, 1 << 16); }

// The sums of the parts, 36 for each weight, go to memory and back.
bool PrefersWinogradForFilter(const ConvShape& s) { return SavesTime(s, 200, 1 << 14); }

absl::Status WinogradForward(const KernelCall& call, const ConvShape& s, const float* input, const float* filter,
                             float* output, const ConvExtras& extras) {
  ASSIGN_OR_RETURN(const Tensor transformed, TransformFilter(filter, static_cast<int>(s.height.size),
                                                             s.channels * s.outputs, /*reversed=*/false));
  return Forward(call, s, input, transformed, output, extras);
}

// A convolution of the output's gradient, with the filter's taps in reverse and channels and outputs exchanged.
absl::Status WinogradBackpropInput(const KernelCall& call, const ConvShape& s, const float* filter,
                                   const float* output_grad, float* input_grad) {
  const int64_t taps = s.height.size * s.width.size, tap = s.channels * s.outputs;
  ASSIGN_OR_RETURN(Tensor turned, Tensor::Make(DType::kFloat32, {taps, tap}));
  float* to = turned.mutable_data<float>();
  for (int64_t i = 0; i < taps; ++i) {
    for (int64_t o = 0; o < s.outputs; ++o) {
      for (int64_t c = 0; c < s.channels; ++c) *to++ = filter[i * tap + c * s.outputs + o];
    }
  }
  ASSIGN_OR_RETURN(const Tensor transformed,
                   TransformFilter(turned.data<float>(), static_cast<int>(s.height.size), tap, /*reversed=*/true));
  return Forward(call, TurnedAround(s), output_grad, transformed, input_grad, {});
}

absl::Status WinogradBackpropFilter(const KernelCall& call, const ConvShape& s, const float* input,
                                    const float* output_grad, float* filter_grad) {
  // Sums of parts, always the same ones, so that the result does not depend on the number of threads.
  constexpr int64_t kParts = 4;
  const Tiling tiling(s);
  const int64_t parts = std::min(tiling.all_rows, kParts), tap = s.channels * s.outputs;
  std::vector<absl::StatusOr<Tensor>> sums(parts, Tensor());
  call.ParallelFor(parts, CostOf(s) / static_cast<double>(parts), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = tiling.all_rows * i / parts, last = tiling.all_rows * (i + 1) / parts;
      sums[i] = SumProducts(s, tiling, input, output_grad, first, last);
    }
  });
  for (const auto& sum : sums) RETURN_IF_ERROR(sum.status());
  float* const total = sums[0]->mutable_data<float>();
  for (int64_t i = 1; i < parts; ++i) {
    const float* const sum = sums[i]->data<float>();
    for (int64_t k = 0; k < kTileSize * tap; ++k) total[k] += sum[k];
  }
  std::array<float*, kMostTaps> to;
  for (int64_t i = 0; i < s.height.size * s.width.size; ++i) to[i] = filter_grad + i * tap;
  TransformFromTiles(FromTile::kFilterGradient, static_cast<int>(s.height.size), tap, {total, tap}, to.data());
  return absl::OkStatus();
}

}  // namespace flowlatch
