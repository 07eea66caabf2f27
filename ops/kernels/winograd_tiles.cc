#include "ops/kernels/winograd_tiles.h"

#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/winograd_tiles.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

// ---- Transforms in one dimension. The points are +-a and +-b, with a b = 1.

constexpr float kA = 0.70710678118654752f, kA2 = 0.5f, kA3 = kA * kA2;
constexpr float kB = 1.41421356237309505f, kB2 = 2.0f, kB3 = kB * kB2;

HWY_INLINE V Times(float factor, V x) { return hn::Mul(hn::Set(D(), factor), x); }
HWY_INLINE V PlusTimes(V sum, float factor, V x) { return hn::MulAdd(hn::Set(D(), factor), x, sum); }

// What multiplies the values at each point, once for a product.
HWY_INLINE void Scale(V* y) {
  constexpr float kAtA = -1 / 1.5f, kAtB = 1 / 6.0f;
  y[1] = Times(kAtA, y[1]);
  y[2] = Times(kAtA, y[2]);
  y[3] = Times(kAtB, y[3]);
  y[4] = Times(kAtB, y[4]);
}

struct Input {
  static constexpr int kIn = kTileSide, kOut = kTileSide;
  HWY_INLINE static void Run(const V* x, V* y) {
    const V even_a = PlusTimes(x[4], -kB2, x[2]), odd_a = PlusTimes(Times(kA, x[3]), -kB, x[1]);
    const V even_b = PlusTimes(x[4], -kA2, x[2]), odd_b = PlusTimes(Times(kB, x[3]), -kA, x[1]);
    y[0] = PlusTimes(hn::Add(x[0], x[4]), -(kA2 + kB2), x[2]);
    y[1] = hn::Add(even_a, odd_a);
    y[2] = hn::Sub(even_a, odd_a);
    y[3] = hn::Add(even_b, odd_b);
    y[4] = hn::Sub(even_b, odd_b);
    y[5] = PlusTimes(hn::Add(x[1], x[5]), -(kA2 + kB2), x[3]);
  }
};

// The values of a polynomial of kCoefficients coefficients.
template <int kCoefficients>
struct Values {
  static constexpr int kIn = kCoefficients, kOut = kTileSide;
  HWY_INLINE static void Run(const V* x, V* y) {
    V even_a = x[0], even_b = x[0], odd_a = Times(kA, x[1]), odd_b = Times(kB, x[1]);
    if constexpr (kIn > 2) {
      even_a = PlusTimes(even_a, kA2, x[2]);
      even_b = PlusTimes(even_b, kB2, x[2]);
    }
    if constexpr (kIn > 3) {
      odd_a = PlusTimes(odd_a, kA3, x[3]);
      odd_b = PlusTimes(odd_b, kB3, x[3]);
    }
    if constexpr (kIn > 4) {
      even_a = PlusTimes(even_a, kA2 * kA2, x[4]);
      even_b = PlusTimes(even_b, kB2 * kB2, x[4]);
    }
    y[0] = x[0];
    y[1] = hn::Add(even_a, odd_a);
    y[2] = hn::Sub(even_a, odd_a);
    y[3] = hn::Add(even_b, odd_b);
    y[4] = hn::Sub(even_b, odd_b);
    y[5] = x[kIn - 1];
  }
};

// Values, transposed.
template <int kCoefficients>
struct Coefficients {
  static constexpr int kIn = kTileSide, kOut = kCoefficients;
  HWY_INLINE static void Run(const V* x, V* y) {
    const V even_a = hn::Add(x[1], x[2]), odd_a = hn::Sub(x[1], x[2]);
    const V even_b = hn::Add(x[3], x[4]), odd_b = hn::Sub(x[3], x[4]);
    y[0] = hn::Add(x[0], hn::Add(even_a, even_b));
    y[1] = PlusTimes(Times(kA, odd_a), kB, odd_b);
    if constexpr (kOut > 2) y[2] = PlusTimes(Times(kA2, even_a), kB2, even_b);
    if constexpr (kOut > 3) y[3] = PlusTimes(Times(kA3, odd_a), kB3, odd_b);
    if constexpr (kOut > 4) y[4] = PlusTimes(Times(kA2 * kA2, even_a), kB2 * kB2, even_b);
    y[kOut - 1] = hn::Add(y[kOut - 1], x[5]);
  }
};

template <int kCoefficients>
struct Filter : Values<kCoefficients> {
  HWY_INLINE static void Run(const V* x, V* y) {
    Values<kCoefficients>::Run(x, y);
    Scale(y);
  }
};

template <int kCoefficients>
struct FilterGradient : Coefficients<kCoefficients> {
  HWY_INLINE static void Run(const V* x, V* y) {
    V scaled[kTileSide];
    for (int i = 0; i < kTileSide; ++i) scaled[i] = x[i];
    Scale(scaled);
    Coefficients<kCoefficients>::Run(scaled, y);
  }
};

// ---- Tiles

// T along the columns, then along the rows. from(i), to(i): where number i of the tiles is.
template <class T, class From, class To>
HWY_INLINE void TransformBothWays(int64_t width, From from, To to) {
  constexpr int kIn = T::kIn, kOut = T::kOut;
  const D d;
  for (int64_t at = 0; at < width; at += static_cast<int64_t>(hn::Lanes(d))) {
    V rows[kOut][kIn];
    for (int j = 0; j < kIn; ++j) {
      V x[kIn], y[kOut];
      for (int i = 0; i < kIn; ++i) x[i] = hn::LoadU(d, from(i * kIn + j) + at);
      T::Run(x, y);
      for (int i = 0; i < kOut; ++i) rows[i][j] = y[i];
    }
    for (int i = 0; i < kOut; ++i) {
      V y[kOut];
      T::Run(rows[i], y);
      for (int j = 0; j < kOut; ++j) hn::StoreU(y[j], d, to(i * kOut + j) + at);
    }
  }
}

template <class T>
void IntoTiles(int64_t width, const float* const* from, TileValues<float> to) {
  TransformBothWays<T>(width, [from](int i) { return from[i]; }, [to](int i) { return to.data + i * to.stride; });
}

template <class T>
void FromTiles(int64_t width, TileValues<const float> from, float* const* to) {
  TransformBothWays<T>(width, [from](int i) { return from.data + i * from.stride; }, [to](int i) { return to[i]; });
}

template <template <int> class T>
void SquaresIntoTiles(int side, int64_t width, const float* const* from, TileValues<float> to) {
  switch (side) {
    case 2: return IntoTiles<T<2>>(width, from, to);
    case 3: return IntoTiles<T<3>>(width, from, to);
    case 4: return IntoTiles<T<4>>(width, from, to);
    default: return IntoTiles<T<5>>(width, from, to);
  }
}

template <template <int> class T>
void SquaresFromTiles(int side, int64_t width, TileValues<const float> from, float* const* to) {
  switch (side) {
    case 2: return FromTiles<T<2>>(width, from, to);
    case 3: return FromTiles<T<3>>(width, from, to);
    case 4: return FromTiles<T<4>>(width, from, to);
    default: return FromTiles<T<5>>(width, from, to);
  }
}

void TransformIntoTilesImpl(IntoTile what, int side, int64_t width, const float* const* from, TileValues<float> to) {
  switch (what) {
    case IntoTile::kInput: return IntoTiles<Input>(width, from, to);
    case IntoTile::kOutputGradient: return SquaresIntoTiles<Values>(side, width, from, to);
    case IntoTile::kFilter: return SquaresIntoTiles<Filter>(side, width, from, to);
  }
}

void TransformFromTilesImpl(FromTile what, int side, int64_t width, TileValues<const float> from, float* const* to) {
  switch (what) {
    case FromTile::kOutput: return SquaresFromTiles<Coefficients>(side, width, from, to);
    case FromTile::kFilterGradient: return SquaresFromTiles<FilterGradient>(side, width, from, to);
  }
}

// ---- Products

// Rows [row, row + kRows) and kVectors vectors of columns of a product, all in registers.
template <int kRows, int kVectors>
void MultiplyRows(const TileProduct& g, int64_t row, int64_t column) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* a = g.a + row * g.a_row;
  const float* b = g.b + column;
  float* const c = g.c + row * g.n + column;
  const int64_t a_row = g.a_row, a_step = g.a_step, n = g.n, k = g.k;
  const bool accumulate = g.accumulate;
  V sums[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) sums[r][v] = accumulate ? hn::LoadU(d, c + r * n + v * lanes) : hn::Zero(d);
  }
  for (int64_t p = 0; p < k; ++p, a += a_step, b += n) {
    V right[kVectors];
    for (int v = 0; v < kVectors; ++v) right[v] = hn::LoadU(d, b + v * lanes);
    for (int r = 0; r < kRows; ++r) {
      const V left = hn::Set(d, a[r * a_row]);
      for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::MulAdd(left, right[v], sums[r][v]);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) hn::StoreU(sums[r][v], d, c + r * n + v * lanes);
  }
}

// With two vectors of columns, what the registers hold.
constexpr int kMostRows = hn::MaxLanes(D()) == 16 ? 14 : 6;

using RowsFn = void (*)(const TileProduct&, int64_t, int64_t);

template <int kVectors, int... kRows>
constexpr std::array<RowsFn, sizeof...(kRows)> FunctionsForRows(std::integer_sequence<int, kRows...>) {
  return {&MultiplyRows<kRows + 1, kVectors>...};
}

void MultiplyTilesImpl(const TileProduct& g) {
  static constexpr auto kOne = FunctionsForRows<1>(std::make_integer_sequence<int, kMostRows>());
  static constexpr auto kTwo = FunctionsForRows<2>(std::make_integer_sequence<int, kMostRows>());
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
  const int64_t pieces = (g.m + kMostRows - 1) / kMostRows;  // of about equal heights
  for (int64_t column = 0; column < g.n;) {
    const bool two = g.n - column >= 2 * lanes;
    for (int64_t i = 0; i < pieces; ++i) {
      const int64_t begin = g.m * i / pieces, rows = g.m * (i + 1) / pieces - begin;
      (two ? kTwo : kOne)[rows - 1](g, begin, column);
    }
    column += two ? 2 * lanes : lanes;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

HWY_EXPORT(TransformIntoTilesImpl);
HWY_EXPORT(TransformFromTilesImpl);
HWY_EXPORT(MultiplyTilesImpl);

void TransformIntoTiles(IntoTile what, int side, int64_t width, const float* const* from, TileValues<float> to) {
  HWY_DYNAMIC_DISPATCH(TransformIntoTilesImpl)(what, side, width, from, to);
}
void TransformFromTiles(FromTile what, int side, int64_t width, TileValues<const float> from, float* const* to) {
  HWY_DYNAMIC_DISPATCH(TransformFromTilesImpl)(what, side, width, from, to);
}
void MultiplyTiles(const TileProduct& product) { HWY_DYNAMIC_DISPATCH(MultiplyTilesImpl)(product); }

}  // namespace flowlatch
#endif  // HWY_ONCE
