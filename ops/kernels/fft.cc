#include "ops/kernels/fft.h"

#include <algorithm>
#include <bit>
#include <numbers>

namespace flowlatch {
namespace {

// kissfft takes n * p steps for a prime factor p.
bool HasSmallFactors(int64_t n) {
  constexpr int64_t kMaxFactor = 31;
  for (int64_t p = 2; p <= kMaxFactor; ++p) {
    while (n % p == 0) n /= p;
  }
  return n == 1;
}

int64_t PaddedLength(int64_t n) {
  return HasSmallFactors(n) ? n : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)));
}

}  // namespace

Fft::Fft(int64_t n, bool inverse)
    : n_(n), padded_(PaddedLength(n)), forward_(padded_, padded_ == n && inverse), backward_(padded_ == n ? 1 : padded_, true) {
  if (padded_ == n) return;
  // j k = (j^2 + k^2 - (k - j)^2) / 2: a convolution with exp(pi i d^2 / n), between two factors of that kind.
  chirp_.resize(n);
  for (int64_t k = 0, square = 0; k < n; ++k) {  // k^2 mod 2 n
    const double angle = std::numbers::pi * static_cast<double>(square) / static_cast<double>(n);
    chirp_[k] = std::polar(1.0, inverse ? angle : -angle);
    square = (square + 2 * k + 1) % (2 * n);
  }
  work_.assign(padded_, Complex(0));
  work_[0] = std::conj(chirp_[0]);
  for (int64_t k = 1; k < n; ++k) work_[k] = work_[padded_ - k] = std::conj(chirp_[k]);
  chirp_spectrum_.resize(padded_);
  spectrum_.resize(padded_);
  forward_.transform(work_.data(), chirp_spectrum_.data());
}

void Fft::Run(const Complex* x, Complex* y) {
  if (padded_ == n_) {
    forward_.transform(x, y);
  } else {
    RunBluestein(x, y);
  }
}

void Fft::RunBluestein(const Complex* x, Complex* y) {
  for (int64_t k = 0; k < n_; ++k) work_[k] = x[k] * chirp_[k];
  std::fill(work_.begin() + n_, work_.end(), Complex(0));
  forward_.transform(work_.data(), spectrum_.data());
  for (int64_t k = 0; k < padded_; ++k) spectrum_[k] *= chirp_spectrum_[k];
  backward_.transform(spectrum_.data(), work_.data());
  const double scale = 1.0 / static_cast<double>(padded_);
  for (int64_t k = 0; k < n_; ++k) y[k] = work_[k] * chirp_[k] * scale;
}

}  // namespace flowlatch
