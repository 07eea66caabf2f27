// Discrete Fourier transforms of any length in double precision: kissfft where the length has small factors, else by
// Bluestein's sum over a length that has.
#ifndef FLOWLATCH_OPS_KERNELS_FFT_H_
#define FLOWLATCH_OPS_KERNELS_FFT_H_

#include <kissfft/kissfft.hh>

#include <complex>
#include <cstdint>
#include <vector>

namespace flowlatch {

// y[k] = the sum of x[j] exp(-2 pi i j k / n) over j; inverse: exp(+..), not divided by n. Not thread-safe; copies are
// cheap beside a transform.
class Fft {
 public:
  using Complex = std::complex<double>;
  // Requires: n >= 1.
  Fft(int64_t n, bool inverse);
  int64_t size() const { return n_; }
  // x and y: n elements each, that do not overlap.
  void Run(const Complex* x, Complex* y);

 private:
  void RunBluestein(const Complex* x, Complex* y);

  int64_t n_, padded_;  // padded_: a power of two for Bluestein's sum, or n
  kissfft<double> forward_, backward_;
  std::vector<Complex> chirp_, chirp_spectrum_, work_, spectrum_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_FFT_H_
