// FloatMode: how the processor rounds and treats denormal numbers while a step runs.
#ifndef FLOWLATCH_RUNTIME_THREADS_FLOAT_MODE_H_
#define FLOWLATCH_RUNTIME_THREADS_FLOAT_MODE_H_

#include <xmmintrin.h>

#include <cstdint>

namespace flowlatch {

// While it lives, this thread rounds to nearest and takes denormal numbers, which cost a hundred times as much, for
// zero, as TensorFlow does. The caller's mode comes back afterwards.
class FloatMode {
 public:
  FloatMode() : saved_(_mm_getcsr()) {
    if (saved_ != kMode) _mm_setcsr(kMode);
  }
  ~FloatMode() {
    if (saved_ != kMode) _mm_setcsr(saved_);
  }
  FloatMode(const FloatMode&) = delete;
  FloatMode& operator=(const FloatMode&) = delete;

 private:
  // All exceptions masked, to nearest, results and operands that are denormal become zero.
  static constexpr uint32_t kMode = 0x1f80 | 0x8000 | 0x0040;
  const uint32_t saved_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_THREADS_FLOAT_MODE_H_
