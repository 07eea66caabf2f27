// What Winograd's algorithm does to single tiles, and the matrix products in between: the vectorised part of winograd.h.
//
// The transforms take polynomials, of which a tile's rows and columns are the coefficients, to their values at the points
// 0, +-sqrt(1/2), +-sqrt(2) and infinity, and back. With these points errors grow the least.
#ifndef FLOWLATCH_OPS_KERNELS_WINOGRAD_TILES_H_
#define FLOWLATCH_OPS_KERNELS_WINOGRAD_TILES_H_

#include <cstdint>

namespace flowlatch {

inline constexpr int kTileSide = 6, kTileSize = 36;

// Of tiles of 6x6 values, or of squares of `side` (2 to 5) values, to the other.
enum class TileTransform : uint8_t {
  kInput,           // 6x6 inputs -> 6x6
  kOutputs,         // 6x6 sums of products -> the outputs, a square
  kOutputGradient,  // square -> 6x6; the transposed kOutputs
  kFilter,          // square -> 6x6
  kFilterGradient,  // 6x6 sums of products -> square; the transposed kFilter
};

// Transforms `width` tiles that lie side by side: value i of all is at from[i], row by row. `to` likewise. `from` may have
// equal pointers. Requires: width is a multiple of 16.
void TransformTiles(TileTransform transform, int side, int64_t width, const float* const* from, float* const* to);

// c = a b, or with `accumulate` c + a b. c: [m, n], b: [k, n] without gaps; a[i, p] is at i * a_row + p * a_step.
// Requires: n is a multiple of 16.
struct TileProduct {
  const float* a;
  int64_t a_row, a_step;
  const float* b;
  float* c;
  int64_t m, n, k;
  bool accumulate;
};
void MultiplyTiles(const TileProduct& product);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_WINOGRAD_TILES_H_
