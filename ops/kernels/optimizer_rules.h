// What one step of each optimizer does to one element: x[0] is the variable's, the others are those of its slots, g is
// the gradient's. The hyperparameters h come in the order of the op's scalar inputs, flag is its one option. The order
// of operations is TensorFlow's, so that 16-bit floats, which are rounded after each, come out the same; where its
// sparse ops have another order, or another formula, they have a rule of their own here. A rule with kCheckRanges is
// for hyperparameters in their ranges only.
#ifndef FLOWLATCH_OPS_KERNELS_OPTIMIZER_RULES_H_
#define FLOWLATCH_OPS_KERNELS_OPTIMIZER_RULES_H_

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>

namespace flowlatch::optimizer {

inline constexpr int kMaxHyperparameters = 6;
template <typename W>
using Hyper = std::array<W, kMaxHyperparameters>;

// A 16-bit float to calculate with: in float, and every result is rounded to T.
template <typename T>
class Rounded {
 public:
  Rounded() = default;
  explicit Rounded(T x) : value_(x) {}
  explicit Rounded(float x) : value_(T(x)) {}
  explicit Rounded(int x) : Rounded(static_cast<float>(x)) {}
  explicit operator T() const { return T(value_); }
  explicit operator float() const { return value_; }

  Rounded operator-() const { return Rounded(-value_); }
  Rounded operator+(Rounded y) const { return Rounded(value_ + y.value_); }
  Rounded operator-(Rounded y) const { return Rounded(value_ - y.value_); }
  Rounded operator*(Rounded y) const { return Rounded(value_ * y.value_); }
  Rounded operator/(Rounded y) const { return Rounded(value_ / y.value_); }
  Rounded& operator+=(Rounded y) { return *this = *this + y; }
  Rounded& operator-=(Rounded y) { return *this = *this - y; }
  auto operator<=>(const Rounded&) const = default;

 private:
  float value_ = 0;
};

// Functions of float and double, and the same of Rounded.
#define FLOWLATCH_OPTIMIZER_FUNCTION(Name, expression)                       \
  template <typename W>                                                      \
  W Name(W x) {                                                              \
    return expression;                                                       \
  }                                                                          \
  template <typename T>                                                      \
  Rounded<T> Name(Rounded<T> x) {                                            \
    return Rounded<T>(Name(static_cast<float>(x)));                          \
  }
FLOWLATCH_OPTIMIZER_FUNCTION(Sign, static_cast<W>((x > 0) - (x < 0)))
FLOWLATCH_OPTIMIZER_FUNCTION(Abs, std::abs(x))
FLOWLATCH_OPTIMIZER_FUNCTION(Sqrt, std::sqrt(x))
FLOWLATCH_OPTIMIZER_FUNCTION(ReciprocalSqrt, 1 / std::sqrt(x))
FLOWLATCH_OPTIMIZER_FUNCTION(Exp, std::exp(x))
#undef FLOWLATCH_OPTIMIZER_FUNCTION

template <typename W>
W Pow(W x, W y) {
  return std::pow(x, y);
}
template <typename T>
Rounded<T> Pow(Rounded<T> x, Rounded<T> y) {
  return Rounded<T>(std::pow(static_cast<float>(x), static_cast<float>(y)));
}

// v moved towards 0 by `distance` if l1 wants it, then shrunk.
template <typename W>
W Proximal(W v, W l1, W distance, W shrink) {
  return l1 > W(0) ? Sign(v) * std::max(Abs(v) - distance, W(0)) / shrink : v / shrink;
}

template <typename W>
struct GradientDescent {
  static constexpr int kTargets = 1;
  GradientDescent(const Hyper<W>& h, bool) : rate(h[0]) {}
  void operator()(W (&x)[1], W g) const { x[0] -= g * rate; }
  const W rate;
};

template <typename W>
struct ProximalGradientDescent {
  static constexpr int kTargets = 1;
  ProximalGradientDescent(const Hyper<W>& h, bool)
      : rate(h[0]), l1(h[1]), distance(h[0] * h[1]), shrink(W(1) + h[2] * h[0]) {}
  void operator()(W (&x)[1], W g) const { x[0] = Proximal(x[0] - g * rate, l1, distance, shrink); }
  const W rate, l1, distance, shrink;
};

template <typename W>
struct Momentum {
  static constexpr int kTargets = 2;  // accum
  Momentum(const Hyper<W>& h, bool nesterov) : rate(h[0]), momentum(h[1]), nesterov(nesterov) {}
  void operator()(W (&x)[2], W g) const {
    x[1] = x[1] * momentum + g;
    x[0] -= nesterov ? g * rate + x[1] * momentum * rate : x[1] * rate;
  }
  const W rate, momentum;
  const bool nesterov;
};

template <typename W>
struct SparseMomentum {
  static constexpr int kTargets = 2;  // accum
  SparseMomentum(const Hyper<W>& h, bool nesterov) : rate(h[0]), momentum(h[1]), nesterov(nesterov) {}
  void operator()(W (&x)[2], W g) const {
    x[1] = x[1] * momentum + g;
    x[0] -= nesterov ? g * rate + rate * momentum * x[1] : x[1] * rate;
  }
  const W rate, momentum;
  const bool nesterov;
};

template <typename W>
struct KerasMomentum {
  static constexpr int kTargets = 2;  // accum
  KerasMomentum(const Hyper<W>& h, bool nesterov) : rate(h[0]), momentum(h[1]), nesterov(nesterov) {}
  void operator()(W (&x)[2], W g) const {
    x[1] = x[1] * momentum - g * rate;
    x[0] += nesterov ? x[1] * momentum - g * rate : x[1];
  }
  const W rate, momentum;
  const bool nesterov;
};

template <typename W>
struct Adagrad {
  static constexpr int kTargets = 2;  // accum
  Adagrad(const Hyper<W>& h, bool update_slots) : rate(h[0]), update_slots(update_slots) {}
  void operator()(W (&x)[2], W g) const {
    if (update_slots) x[1] += g * g;
    x[0] -= g * rate * ReciprocalSqrt(x[1]);
  }
  const W rate;
  const bool update_slots;
};

template <typename W>
struct AdagradV2 {
  static constexpr int kTargets = 2;  // accum
  AdagradV2(const Hyper<W>& h, bool update_slots) : rate(h[0]), epsilon(h[1]), update_slots(update_slots) {}
  void operator()(W (&x)[2], W g) const {
    if (update_slots) x[1] += g * g;
    x[0] -= g * rate / (Sqrt(x[1]) + epsilon);
  }
  const W rate, epsilon;
  const bool update_slots;
};

template <typename W>
struct ProximalAdagrad {
  static constexpr int kTargets = 2;  // accum
  static constexpr bool kCheckRanges = true;
  ProximalAdagrad(const Hyper<W>& h, bool) : rate(h[0]), l1(h[1]), l2(h[2]) {}
  void operator()(W (&x)[2], W g) const {
    x[1] += g * g;
    const W own_rate = rate * ReciprocalSqrt(x[1]);
    x[0] = Proximal(x[0] - g * own_rate, l1, own_rate * l1, W(1) + l2 * own_rate);
  }
  const W rate, l1, l2;
};

template <typename W>
struct AdagradDA {
  static constexpr int kTargets = 3;  // gradient_accumulator, gradient_squared_accumulator
  AdagradDA(const Hyper<W>& h, bool) : rate(h[0]), l1(h[1]), l2(h[2]), step(h[3]) {}
  void operator()(W (&x)[3], W g) const {
    x[1] += g;
    x[2] += g * g;
    const W shrink = l2 * (step * rate) + Sqrt(x[2]);
    if (l1 > W(0)) {
      x[0] = -rate * Sign(x[1]) * std::max(Abs(x[1]) - step * l1, W(0)) / shrink;
    } else {
      x[0] = -(rate * x[1]) / shrink;
    }
  }
  const W rate, l1, l2, step;
};

template <typename W>
struct Adadelta {
  static constexpr int kTargets = 3;  // accum, accum_update
  Adadelta(const Hyper<W>& h, bool) : rate(h[0]), rho(h[1]), epsilon(h[2]) {}
  void operator()(W (&x)[3], W g) const {
    x[1] = x[1] * rho + g * g * (W(1) - rho);
    const W update = Sqrt(x[2] + epsilon) * ReciprocalSqrt(x[1] + epsilon) * g;
    x[0] -= update * rate;
    x[2] = x[2] * rho + update * update * (W(1) - rho);
  }
  const W rate, rho, epsilon;
};

template <typename W>
struct RmsProp {
  static constexpr int kTargets = 3;  // ms, mom
  RmsProp(const Hyper<W>& h, bool) : rate(h[0]), rho(h[1]), momentum(h[2]), epsilon(h[3]) {}
  void operator()(W (&x)[3], W g) const {
    x[1] += (g * g - x[1]) * (W(1) - rho);
    x[2] = x[2] * momentum + g * rate / Sqrt(x[1] + epsilon);
    x[0] -= x[2];
  }
  const W rate, rho, momentum, epsilon;
};

template <typename W>
struct SparseRmsProp {
  static constexpr int kTargets = 3;  // ms, mom
  SparseRmsProp(const Hyper<W>& h, bool) : rate(h[0]), rho(h[1]), momentum(h[2]), epsilon(h[3]) {}
  void operator()(W (&x)[3], W g) const {
    x[1] = x[1] * rho + g * g * (W(1) - rho);
    x[2] = x[2] * momentum + W(1) / Sqrt(x[1] + epsilon) * rate * g;
    x[0] -= x[2];
  }
  const W rate, rho, momentum, epsilon;
};

template <typename W>
struct CenteredRmsProp {
  static constexpr int kTargets = 4;  // mg, ms, mom
  CenteredRmsProp(const Hyper<W>& h, bool) : rate(h[0]), rho(h[1]), momentum(h[2]), epsilon(h[3]) {}
  void operator()(W (&x)[4], W g) const {
    x[2] += (g * g - x[2]) * (W(1) - rho);
    x[1] += (g - x[1]) * (W(1) - rho);
    x[3] = x[3] * momentum + g * rate / Sqrt(x[2] - x[1] * x[1] + epsilon);
    x[0] -= x[3];
  }
  const W rate, rho, momentum, epsilon;
};

template <typename W>
struct SparseCenteredRmsProp {
  static constexpr int kTargets = 4;  // mg, ms, mom
  SparseCenteredRmsProp(const Hyper<W>& h, bool) : rate(h[0]), rho(h[1]), momentum(h[2]), epsilon(h[3]) {}
  void operator()(W (&x)[4], W g) const {
    x[2] = x[2] * rho + g * g * (W(1) - rho);
    x[1] = x[1] * rho + g * (W(1) - rho);
    x[3] = x[3] * momentum + W(1) / Sqrt(x[2] + epsilon - x[1] * x[1]) * rate * g;
    x[0] -= x[3];
  }
  const W rate, rho, momentum, epsilon;
};

template <typename W>
struct Adam {
  static constexpr int kTargets = 3;  // m, v
  Adam(const Hyper<W>& h, bool nesterov)
      : rate(h[2] * Sqrt(W(1) - h[1]) / (W(1) - h[0])), beta1(h[3]), beta2(h[4]), epsilon(h[5]), nesterov(nesterov) {}
  void operator()(W (&x)[3], W g) const {
    x[1] += (g - x[1]) * (W(1) - beta1);
    x[2] += (g * g - x[2]) * (W(1) - beta2);
    const W m = nesterov ? g * (W(1) - beta1) + beta1 * x[1] : x[1];
    x[0] -= m * rate / (Sqrt(x[2]) + epsilon);
  }
  const W rate, beta1, beta2, epsilon;
  const bool nesterov;
};

template <typename W>
struct AdamWithAmsgrad {
  static constexpr int kTargets = 4;  // m, v, vhat
  AdamWithAmsgrad(const Hyper<W>& h, bool)
      : rate(h[2] * Sqrt(W(1) - h[1]) / (W(1) - h[0])), beta1(h[3]), beta2(h[4]), epsilon(h[5]) {}
  void operator()(W (&x)[4], W g) const {
    x[1] += (g - x[1]) * (W(1) - beta1);
    x[2] += (g * g - x[2]) * (W(1) - beta2);
    x[3] = std::max(x[3], x[2]);
    x[0] -= x[1] * rate / (Sqrt(x[3]) + epsilon);
  }
  const W rate, beta1, beta2, epsilon;
};

template <typename W>
struct AdaMax {
  static constexpr int kTargets = 3;  // m, v
  AdaMax(const Hyper<W>& h, bool) : rate(h[1] / (W(1) - h[0])), beta1(h[2]), beta2(h[3]), epsilon(h[4]) {}
  void operator()(W (&x)[3], W g) const {
    x[1] += (g - x[1]) * (W(1) - beta1);
    x[2] = std::max(beta2 * x[2], Abs(g));
    x[0] -= rate * (x[1] / (x[2] + epsilon));
  }
  const W rate, beta1, beta2, epsilon;
};

template <typename W>
struct AddSign {
  static constexpr int kTargets = 2;  // m
  AddSign(const Hyper<W>& h, bool) : rate(h[0]), alpha(h[1]), sign_decay(h[2]), beta(h[3]) {}
  void operator()(W (&x)[2], W g) const {
    x[1] = x[1] * beta + g * (W(1) - beta);
    x[0] -= rate * (alpha + sign_decay * (Sign(g) * Sign(x[1]))) * g;
  }
  const W rate, alpha, sign_decay, beta;
};

template <typename W>
struct PowerSign {
  static constexpr int kTargets = 2;  // m
  PowerSign(const Hyper<W>& h, bool) : rate(h[0]), logbase(h[1]), sign_decay(h[2]), beta(h[3]) {}
  void operator()(W (&x)[2], W g) const {
    x[1] = x[1] * beta + g * (W(1) - beta);
    x[0] -= rate * Exp(logbase * sign_decay * (Sign(g) * Sign(x[1]))) * g;
  }
  const W rate, logbase, sign_decay, beta;
};

// All forms: FtrlV2 has an l2 shrinkage, Ftrl does as with 0.
template <typename W, bool kShrinkage, bool kSparse>
struct FtrlRule {
  static constexpr int kTargets = 3;  // accum, linear
  static constexpr bool kCheckRanges = kSparse;
  FtrlRule(const Hyper<W>& h, bool linear_by_rate)
      : rate(h[0]),
        l1(h[1]),
        l2(h[2]),
        shrinkage(kShrinkage ? h[3] : W(0)),
        power(-h[kShrinkage ? 4 : 3]),
        linear_by_rate(linear_by_rate) {}
  void operator()(W (&x)[3], W g) const {
    const W accum = x[1] + g * g;
    const W slope = kShrinkage ? g + W(2) * shrinkage * x[0] : g;
    const W root = Power(accum), growth = root - Power(x[1]);
    if (linear_by_rate) {
      x[2] = Add(x[2], slope * rate, growth * x[0]);
      x[0] = Solve(x[2], l1 * rate, root + W(2) * l2 * rate);
    } else {
      x[2] = Add(x[2], slope, growth / rate * x[0]);
      x[0] = Solve(x[2], l1, root / rate + W(2) * l2);
    }
    x[1] = accum;
  }
  static W Add(W linear, W slope, W drift) { return kSparse ? linear + slope - drift : linear + (slope - drift); }
  W Power(W n) const { return power == W(0.5f) ? Sqrt(n) : Pow(n, power); }
  static W Solve(W linear, W threshold, W divisor) {
    return Abs(linear) > threshold ? (threshold * Sign(linear) - linear) / divisor : W(0);
  }
  const W rate, l1, l2, shrinkage, power;
  const bool linear_by_rate;
};
template <typename W>
using Ftrl = FtrlRule<W, false, false>;
template <typename W>
using FtrlV2 = FtrlRule<W, true, false>;
template <typename W>
using SparseFtrl = FtrlRule<W, false, true>;
template <typename W>
using SparseFtrlV2 = FtrlRule<W, true, true>;

}  // namespace flowlatch::optimizer

#endif  // FLOWLATCH_OPS_KERNELS_OPTIMIZER_RULES_H_
