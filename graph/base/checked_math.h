// Integer arithmetic that says when it overflows. Every size computed from input goes through here.
#ifndef FLOWLATCH_GRAPH_BASE_CHECKED_MATH_H_
#define FLOWLATCH_GRAPH_BASE_CHECKED_MATH_H_

#include <cstdint>
#include <limits>
#include <optional>

namespace flowlatch {

// a + b, or nullopt when it does not fit.
inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// a * b, or nullopt when it does not fit.
inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
  return r;
}

// Two's complement arithmetic that wraps: what integer kernels mean by +, - and *.
template <typename T>
constexpr T WrapAdd(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <typename T>
constexpr T WrapSub(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
template <typename T>
constexpr T WrapMul(T a, T b) {
  return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BASE_CHECKED_MATH_H_
