// exp, log, tanh, erf, atan and the logistic function of float32, without branches or tables, so that compilers vectorise loops
// over them. Scalars and vectors get the same bits. Errors are the largest found over all floats, in units of the last
// place (ULP); special values are those of libm.
#ifndef FLOWLATCH_OPS_KERNELS_FAST_MATH_H_
#define FLOWLATCH_OPS_KERNELS_FAST_MATH_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace flowlatch {

// e^x. Error < 1.1 ULP.
inline float FastExp(float x) {
  constexpr float kLog2E = 1.44269504f;
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;  // together ln 2; the high part has few bits
  constexpr float kRound = 12582912.0f;                                // 1.5 * 2^23: adding it rounds to an integer
  // Beyond these the result is 0 or infinity; NaN passes both comparisons.
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  // x = n ln 2 + r, |r| <= ln 2 / 2.
  const float shifted = x * kLog2E + kRound;
  const float n = shifted - kRound;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  const float p = 0.5f + r * (0.1666651517f + r * (0.04166845605f + r * (0.008369418792f + r * 0.001381314476f)));
  const float exp_r = 1.0f + (r + r * r * p);
  // 2^n in two steps, for n from -150 to 128.
  const int32_t exponent = static_cast<int32_t>(std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(kRound));
  const int32_t half = exponent >> 1;
  const float scale1 = std::bit_cast<float>((static_cast<uint32_t>(half) + 127u) << 23);
  const float scale2 = std::bit_cast<float>((static_cast<uint32_t>(exponent - half) + 127u) << 23);
  return exp_r * scale1 * scale2;
}

// The natural logarithm. Error < 1 ULP.
inline float FastLog(float x) {
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr uint32_t kSqrtHalf = 0x3f3504f3;  // the bits of sqrt(1/2)
  const bool is_subnormal = x < std::numeric_limits<float>::min();
  const float normal = is_subnormal ? x * 8388608.0f : x;  // 2^23
  // x = 2^e m, sqrt(1/2) <= m < sqrt(2).
  const uint32_t offset = std::bit_cast<uint32_t>(normal) - kSqrtHalf;
  const float e = static_cast<float>(static_cast<int32_t>(offset) >> 23) - (is_subnormal ? 23.0f : 0.0f);
  const float m = std::bit_cast<float>((offset & 0x7fffffu) + kSqrtHalf);
  // log(1 + f) by the series of log((1 + s) / (1 - s)).
  const float f = m - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float series = z * (0.6666666269f + z * (0.400003463f + z * (0.2853660285f + z * 0.2359633148f)));
  const float half_square = 0.5f * f * f;
  const float log = e * kLn2High - ((half_square - (s * (half_square + series) + e * kLn2Low)) - f);
  const float positive = x == kInfinity ? kInfinity : log;
  const float not_negative = x == 0.0f ? -kInfinity : positive;
  return x >= 0.0f ? not_negative : kNan;
}

// log(1 + x). What 1 + x lost is made up for by the slope of log. Error < 3 ULP.
inline float FastLog1p(float x) {
  const float u = 1.0f + x;
  const float d = u - 1.0f;
  const float log = FastLog(u) * (x / d);
  return d == 0.0f || u == std::numeric_limits<float>::infinity() ? x : log;
}

// e^x - 1, likewise. Error < 4 ULP.
inline float FastExpm1(float x) {
  const float u = FastExp(x);
  const float d = u - 1.0f;
  const float value = d * (x / FastLog(u));
  const float bounded = u == std::numeric_limits<float>::infinity() || d == -1.0f ? d : value;
  return d == 0.0f ? x : bounded;
}

// `y`, a function of x, kept within [-1, 1] against rounding; from |x| = limit on exactly 1 or -1.
inline float Saturated(float y, float x, float limit) {
  y = y > 1.0f ? 1.0f : y;
  y = y < -1.0f ? -1.0f : y;
  return std::abs(x) >= limit ? std::copysign(1.0f, x) : y;
}

// The hyperbolic tangent, by a rational function. Error < 6 ULP.
inline float FastTanh(float x) {
  const float z = x * x;
  const float p =
      1.0f +
      z * (0.13678509f + z * (3.86656507e-3f + z * (2.79718527e-5f + z * (3.04992727e-8f + z * -1.21397928e-11f))));
  const float q = 1.0f + z * (0.47011841f + z * (2.72393897e-2f + z * (3.93552181e-4f + z * 1.28487701e-6f)));
  return Saturated(x * p / q, x, 9.01f);
}

// The error function, by a rational function. Error < 7 ULP.
inline float FastErf(float x) {
  const float z = x * x;
  const float p =
      1.12837915f +
      z * (0.190781749f + z * (5.27898994e-2f + z * (3.77948395e-3f + z * (2.84799667e-4f + z * 2.0419099e-6f))));
  const float q =
      1.0f + z * (0.502408644f + z * (0.114256559f + z * (1.49971989e-2f + z * (1.16517048e-3f + z * 3.80029698e-5f))));
  return Saturated(x * p / q, x, 3.92f);
}

// The angle whose tangent is x. Error < 3 ULP.
inline float FastAtan(float x) {
  constexpr float kTan3PiOver8 = 2.41421356f, kTanPiOver8 = 0.414213562f;
  constexpr float kPiOver2 = 1.57079633f, kPiOver4 = 0.785398163f;
  const float magnitude = std::abs(x);
  const bool is_large = magnitude > kTan3PiOver8, is_middle = magnitude > kTanPiOver8;
  // atan(x) = pi/2 + atan(-1/x) = pi/4 + atan((x - 1) / (x + 1)); of infinity too.
  const float numerator = is_large ? -1.0f : is_middle ? magnitude - 1.0f : magnitude;
  const float denominator = is_large ? magnitude : is_middle ? magnitude + 1.0f : 1.0f;
  const float start = is_large ? kPiOver2 : is_middle ? kPiOver4 : 0.0f;
  const float t = numerator / denominator, z = t * t;
  const float series = z * (-0.333329491539f + z * (0.199777106478f + z * (-0.138776856032f + z * 0.0805374449538f)));
  return std::copysign(start + (t + t * series), x);
}

// 1 / (1 + e^-x). Error < 2.5 ULP; 0 where the result is subnormal.
inline float FastSigmoid(float x) { return 1.0f / (1.0f + FastExp(-x)); }

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_FAST_MATH_H_
