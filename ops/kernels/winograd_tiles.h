// What Winograd's algorithm does to single tiles, and the matrix products in between: the vectorised part of winograd.h.
//
// The transforms take polynomials, of which a tile's rows and columns are the coefficients, to their values at the points
// 0, +-sqrt(1/2), +-sqrt(2) and infinity, and back. With these points errors grow the least.
#ifndef FLOWLATCH_OPS_KERNELS_WINOGRAD_TILES_H_
#define FLOWLATCH_OPS_KERNELS_WINOGRAD_TILES_H_

#include <cstdint>

namespace flowlatch {

inline constexpr int kTileSide = 6, kTileSize = 36;

// 36 numbers for each of some tiles that lie side by side: number i of all is at data[i * stride].
template <typename T>
struct TileValues {
  T* data;
  int64_t stride;
};

// Transforms `width` tiles side by side from squares of numbers: number i, row by row, of all is at from[i]. Pointers may be
// equal. `side`: of the square, but for kInput, which takes 6x6. Requires: width is a multiple of 16; side is in [2, 5].
enum class IntoTile : uint8_t { kInput, kOutputGradient, kFilter };
void TransformIntoTiles(IntoTile what, int side, int64_t width, const float* const* from, TileValues<float> to);

// The transposed kOutputGradient and kFilter, which make squares of sums of products.
enum class FromTile : uint8_t { kOutput, kFilterGradient };
void TransformFromTiles(FromTile what, int side, int64_t width, TileValues<const float> from, float* const* to);

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
