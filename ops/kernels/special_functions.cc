#include "ops/kernels/special_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "ops/kernels/unary_functors.h"

namespace flowlatch::special {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kTiny = 1e-300;  // stands for 0 where something is divided by it
constexpr int kMaxTerms = 20000;  // every series below ends much sooner for numbers of usual size, and at once for NaN

// 1 + sum of the terms, where term(k) = term(k - 1) * ratio(k), until they do not count any more.
template <typename Ratio>
double Series(Ratio&& ratio) {
  double sum = 1, term = 1;
  for (int k = 1; k < kMaxTerms; ++k) {
    term *= ratio(k);
    sum += term;
    if (!(std::abs(term) > kEpsilon / 4 * std::abs(sum))) break;
  }
  return sum;
}

// The same for series that grow again in the end: up to their smallest term.
template <typename Ratio>
double AsymptoticSeries(Ratio&& ratio) {
  double sum = 1, term = 1;
  for (int k = 1; k < kMaxTerms; ++k) {
    const double factor = ratio(k);
    if (std::abs(factor) >= 1) break;
    term *= factor;
    sum += term;
    if (!(std::abs(term) > kEpsilon / 4 * std::abs(sum))) break;
  }
  return sum;
}

// From here on the series of Bessel functions in 1/x are exact.
constexpr double kBesselLarge = 20;

// The ratio of terms k and k - 1 of those series, but for the sign.
double BesselRatio(int order, int k, double x) {
  const double odd = 2 * k - 1;
  return (4.0 * order * order - odd * odd) / (8 * k * x);
}

double BesselISeries(int order, double x) {
  const double z = x * x / 4;
  return (order == 0 ? 1 : x / 2) * Series([&](int k) { return z / (k * static_cast<double>(k + order)); });
}

// Modified Lentz evaluation of b0 + a1 / (b1 + a2 / (b2 + ...)), where next(k) gives {a_k, b_k}.
template <typename T, typename Next>
T ContinuedFraction(T b0, Next&& next) {
  T f = b0 == T(0) ? T(kTiny) : b0, c = f, d = 0;
  for (int k = 1; k < kMaxTerms; ++k) {
    const auto [a, b] = next(k);
    d = b + a * d;
    if (d == T(0)) d = kTiny;
    d = T(1) / d;
    c = b + a / c;
    if (c == T(0)) c = kTiny;
    f *= c * d;
    if (!(std::abs(c * d - T(1)) > kEpsilon)) break;
  }
  return f;
}

// y >= 0 with erfc(y) = q, for q in (0, 1]: a rational approximation, then Halley's method.
double ErfcInverse(double q) {
  const double t = std::sqrt(-2 * std::log(q / 2));
  double y = (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481))) / std::numbers::sqrt2;
  for (int i = 0; i < 3; ++i) {
    const double error = std::erfc(y) - q;
    y += error / (2 * std::numbers::inv_sqrtpi * std::exp(-y * y) - y * error);
  }
  return y;
}

// cos and sin integrals of Fresnel as one complex number.
std::complex<double> Fresnel(double x) {
  const double magnitude = std::abs(x);
  if (std::isnan(x)) return {x, x};
  std::complex<double> result;
  if (magnitude < 1.6) {
    // Of the powers of i (pi/2) t^2, integrated one by one.
    const std::complex<double> step(0, kPi / 2 * x * x);
    std::complex<double> power = magnitude;
    for (int k = 0; k < kMaxTerms; ++k) {
      const std::complex<double> term = power / (2.0 * k + 1);
      result += term;
      if (k > 1 && std::abs(term) <= kEpsilon / 16 * std::abs(result.imag())) break;
      power *= step / (k + 1.0);
    }
  } else if (magnitude > 1e8) {
    result = {0.5, 0.5};
  } else {
    // (1 + i) / 2 times erf(z), where z = sqrt(pi) / 2 (1 - i) x.
    const std::complex<double> z = std::sqrt(kPi) / 2 * std::complex<double>(1, -1) * magnitude;
    const std::complex<double> square = z * z;
    const auto fraction = ContinuedFraction<std::complex<double>>(2.0 * square + 1.0, [&](int k) {
      return std::pair<std::complex<double>, std::complex<double>>(-2.0 * k * (2.0 * k - 1),
                                                                   2.0 * square + 4.0 * k + 1.0);
    });
    const double phase = kPi / 2 * std::fmod(magnitude * magnitude, 4.0);
    const std::complex<double> erfc = 2 * std::numbers::inv_sqrtpi * z * std::polar(1.0, phase) / fraction;
    result = std::complex<double>(0.5, 0.5) * (1.0 - erfc);
  }
  return x < 0 ? -result : result;
}

// HurwitzZeta for q > 0, by the formula of Euler and Maclaurin.
double PositiveZeta(double x, double q) {
  double sum = 0, a = q;
  for (; a < 12 + x; ++a) {
    const double term = std::pow(a, -x);
    sum += term;
    if (term * a <= kEpsilon / 16 * sum * (x - 1)) return sum;
  }
  const double power = std::pow(a, -x);
  sum += a * power / (x - 1) + power / 2;
  // Bernoulli numbers 2k divided by (2k)!.
  constexpr std::array<double, 9> kCoefficients = {1.0 / 12,
                                                   -1.0 / 720,
                                                   1.0 / 30240,
                                                   -1.0 / 1209600,
                                                   1.0 / 47900160,
                                                   -691.0 / 1307674368000,
                                                   1.0 / 74724249600,
                                                   -3617.0 / 10670622842880000,
                                                   43867.0 / 5109094217170944000};
  double factor = x * power / a;
  for (size_t k = 0; k < kCoefficients.size(); ++k) {
    sum += kCoefficients[k] * factor;
    factor *= (x + 2 * k + 1) / a * ((x + 2 * k + 2) / a);
  }
  return sum;
}

// x^a exp(-x) / gamma(a + 1).
double GammaFactor(double a, double x) { return std::exp(a * std::log(x) - x - unary::Lgamma::Apply<double>(a + 1)); }

double GammaPSeries(double a, double x) {
  return GammaFactor(a, x) * Series([&](int k) { return x / (a + k); });
}

double GammaQFraction(double a, double x) {
  const double fraction = ContinuedFraction<double>(
      x + 1 - a, [&](int k) { return std::pair<double, double>(k * (a - k), x + 2 * k + 1 - a); });
  return GammaFactor(a, x) * a / fraction;
}

}  // namespace

double BesselIe(int order, double x) {
  const double magnitude = std::abs(x);
  double result;
  if (magnitude < kBesselLarge) {
    result = BesselISeries(order, magnitude) * std::exp(-magnitude);
  } else {
    result =
        AsymptoticSeries([&](int k) { return -BesselRatio(order, k, magnitude); }) / std::sqrt(2 * kPi * magnitude);
  }
  return order == 1 && x < 0 ? -result : result;
}

double BesselKe(int order, double x) {
  if (std::isnan(x)) return x;
  if (x <= 0) return kInfinity;
  if (x >= kBesselLarge)
    return AsymptoticSeries([&](int k) { return BesselRatio(order, k, x); }) * std::sqrt(kPi / (2 * x));
  if (x > 1) {
    // The integral of exp(-x (cosh(t) - 1)) cosh(order t) over t >= 0: the trapezoid rule gives all digits.
    constexpr double kStep = 1.0 / 8;
    double sum = 0.5;
    for (double t = kStep;; t += kStep) {
      const double cosh = std::cosh(t), term = std::exp(-x * (cosh - 1)) * (order == 0 ? 1 : cosh);
      sum += term;
      if (term <= kEpsilon / 16 * sum) return sum * kStep;
    }
  }
  // Power series with a logarithm.
  const double z = x * x / 4, log = std::log(x / 2) + std::numbers::egamma;
  double sum = 0, term = 1, harmonic = 0;  // harmonic: 1 + 1/2 + ... + 1/k
  for (int k = 0; k < 20; ++k) {
    if (k > 0) term *= z / (k * static_cast<double>(k + order));
    if (k > 0) harmonic += 1.0 / k;
    sum += term * (order == 0 ? harmonic - log : log - harmonic - 0.5 / (k + 1));
  }
  return std::exp(x) * (order == 0 ? sum : 1 / x + x / 2 * sum);
}

double Dawson(double x) {
  if (std::isnan(x)) return x;
  const double magnitude = std::abs(x);
  double result;
  if (magnitude < 0.5) {
    result = magnitude * Series([&](int k) { return -2 * x * x / (2 * k + 1); });
  } else if (magnitude > 1e8) {
    result = 0.5 / magnitude;
  } else {
    // Samples of exp(-(x - n h)^2) / n for odd n, counted from the even number next to x / h.
    constexpr double kStep = 0.2;
    const double middle = 2 * std::round(magnitude / (2 * kStep));
    double sum = 0;
    for (int k = -35; k <= 35; k += 2) {
      const double distance = magnitude - (middle + k) * kStep;
      sum += std::exp(-distance * distance) / (middle + k);
    }
    result = sum * std::numbers::inv_sqrtpi;
  }
  return x < 0 ? -result : result;
}

double ErfInverse(double x) {
  const double magnitude = std::abs(x);
  if (!(magnitude <= 1)) return kNaN;
  if (magnitude == 1) return x * kInfinity;
  if (magnitude == 0) return x;
  if (magnitude > 0.5) return std::copysign(ErfcInverse(1 - magnitude), x);
  double y = magnitude / (2 * std::numbers::inv_sqrtpi);
  for (int i = 0; i < 4; ++i) {
    const double error = (std::erf(y) - magnitude) / (2 * std::numbers::inv_sqrtpi * std::exp(-y * y));
    y -= error / (1 + y * error);
  }
  return std::copysign(y, x);
}

double NormalInverse(double p) {
  if (!(p >= 0 && p <= 1)) return kNaN;
  if (p == 0) return -kInfinity;
  if (p < 0.25) return -std::numbers::sqrt2 * ErfcInverse(2 * p);
  return std::numbers::sqrt2 * ErfInverse(2 * p - 1);
}

double ExpIntegral(double x) {
  if (std::isnan(x) || x < 0) return kNaN;
  if (x == 0) return -kInfinity;
  if (std::isinf(x)) return x;
  if (x > 40) return std::exp(x) / x * AsymptoticSeries([&](int k) { return k / x; });
  double sum = 0, power = 1;
  for (int k = 1; k < kMaxTerms; ++k) {
    power *= x / k;
    sum += power / k;
    if (power / k <= kEpsilon / 4 * sum) break;
  }
  return std::numbers::egamma + std::log(x) + sum;
}

double FresnelCosine(double x) { return Fresnel(x).real(); }

double FresnelSine(double x) { return Fresnel(x).imag(); }

double Spence(double x) {
  if (std::isnan(x) || x < 0) return kNaN;
  if (x == 0) return kPi * kPi / 6;
  if (x > 1.5) {
    const double log = std::log(x);
    return std::isinf(x) ? -kInfinity : -log * log / 2 - Spence(1 / x);
  }
  if (x < 0.5) return kPi * kPi / 6 - std::log(x) * std::log1p(-x) - Spence(1 - x);
  const double z = 1 - x;  // the sum of z^k / k^2
  return z * Series([&](int k) {
           const double ratio = k / (k + 1.0);
           return z * ratio * ratio;
         });
}

double HurwitzZeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1) return kNaN;
  if (x == 1) return kInfinity;
  if (std::isinf(x)) return q > 1 ? 0 : q == 1 ? 1 : kInfinity;
  if (q > 0) return PositiveZeta(x, q);
  if (q == std::floor(q)) return kInfinity;
  if (x != std::floor(x)) return kNaN;
  // The terms below 0 are those of another sum, backwards and up to -q.
  const double part = q - std::floor(q), sign = std::fmod(x, 2) == 0 ? 1 : -1;
  return PositiveZeta(x, part) + sign * (PositiveZeta(x, 1 - part) - PositiveZeta(x, 1 - q));
}

double Polygamma(double n, double x) {
  if (std::isnan(n) || n < 0 || n != std::floor(n)) return kNaN;
  if (n == 0) return unary::Digamma::OfDouble(x);
  const double magnitude = std::exp(unary::Lgamma::Apply<double>(n + 1)) * HurwitzZeta(n + 1, x);
  return std::fmod(n, 2) == 0 ? -magnitude : magnitude;
}

double GammaP(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) return kNaN;
  if (x == 0) return 0;
  if (std::isinf(x)) return std::isinf(a) ? kNaN : 1;
  return x <= a + 1 ? std::min(GammaPSeries(a, x), 1.0) : 1 - GammaQFraction(a, x);
}

double GammaQ(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) return kNaN;
  if (x == 0) return 1;
  if (std::isinf(x)) return std::isinf(a) ? kNaN : 0;
  return x <= a + 1 ? std::max(1 - GammaPSeries(a, x), 0.0) : GammaQFraction(a, x);
}

double GammaPGradA(double a, double x) {
  if (std::isnan(a) || std::isnan(x) || a <= 0 || x < 0) return kNaN;
  if (x == 0 || std::isinf(x)) return 0;
  // Of each term of P's series, x^(a + k) exp(-x) / gamma(a + k + 1).
  const double log = std::log(x);
  double term = GammaFactor(a, x), digamma = unary::Digamma::OfDouble(a + 1), sum = 0;
  for (int k = 1; k < kMaxTerms; ++k) {
    const double part = term * (log - digamma);
    sum += part;
    if (a + k > x && std::abs(part) <= kEpsilon / 4 * std::abs(sum)) break;
    digamma += 1 / (a + k);
    term *= x / (a + k);
  }
  return sum;
}

}  // namespace flowlatch::special
