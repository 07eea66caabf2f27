#include "ops/kernels/activations.h"

#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kernels/activations.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "ops/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace flowlatch {
namespace HWY_NAMESPACE {

constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;

template <typename T>
void ActivateVectors(Activation f, const T* x, T* y, int64_t n, T alpha) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d), one = Number(d, 1);
  const auto relu = [zero](V v) { return hn::IfThenZeroElse(hn::Lt(v, zero), v); };
  switch (f) {
    case Activation::kRelu:
      return Map(d, x, y, n, relu);
    case Activation::kRelu6: {
      const V six = Number(d, 6);
      return Map(d, x, y, n, [=](V v) { return hn::IfThenElse(hn::Gt(v, six), six, relu(v)); });
    }
    case Activation::kElu:
      return Map(d, x, y, n, [=](V v) { return hn::IfThenElse(hn::Lt(v, zero), hn::Sub(ExpOfAny(d, v), one), v); });
    case Activation::kSelu: {
      const V scale = Number(d, kSeluScale), scale_alpha = Number(d, kSeluScaleAlpha);
      return Map(d, x, y, n, [=](V v) {
        return hn::IfThenElse(hn::Lt(v, zero), hn::Mul(scale_alpha, hn::Sub(ExpOfAny(d, v), one)), hn::Mul(scale, v));
      });
    }
    case Activation::kLeakyRelu: {
      const V slope = hn::Set(d, alpha);
      return Map(d, x, y, n, [=](V v) { return hn::IfThenElse(hn::Gt(v, zero), v, hn::Mul(v, slope)); });
    }
    case Activation::kSoftplus: {
      // Beyond log(epsilon) + 2 on either side, x or exp(x) alone is exact.
      const V limit = Number(d, sizeof(T) == 4 ? 13.942385 : 34.043653389);
      return Map(d, x, y, n, [=](V v) {
        const V e = ExpOfAny(d, v);
        const V middle = hn::IfThenElse(hn::Lt(v, hn::Neg(limit)), e, hn::Log1p(d, e));
        return hn::IfThenElse(hn::Lt(v, limit), middle, v);  // NaN is not below the limit
      });
    }
    case Activation::kSoftsign:
      return Map(d, x, y, n, [=](V v) { return hn::Div(v, hn::Add(hn::Abs(v), one)); });
  }
}

template <typename T>
void ActivateGradVectors(Activation f, const T* dy, const T* x, T* dx, int64_t n, T alpha) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const V zero = hn::Zero(d), one = Number(d, 1);
  switch (f) {
    // The derivative is a factor of 0 or 1, so that a gradient of NaN or infinity shows.
    case Activation::kRelu:
      return Map2(d, dy, x, dx, n, [=](V g, V v) { return hn::Mul(g, hn::IfThenElseZero(hn::Gt(v, zero), one)); });
    case Activation::kRelu6: {
      const V six = Number(d, 6);
      return Map2(d, dy, x, dx, n, [=](V g, V v) {
        return hn::Mul(g, hn::IfThenElseZero(hn::And(hn::Gt(v, zero), hn::Lt(v, six)), one));
      });
    }
    case Activation::kElu:
      return Map2(d, dy, x, dx, n,
                  [=](V g, V out) { return hn::IfThenElse(hn::Lt(out, zero), hn::MulAdd(g, out, g), g); });
    case Activation::kSelu: {
      const V scale = Number(d, kSeluScale), scale_alpha = Number(d, kSeluScaleAlpha);
      return Map2(d, dy, x, dx, n, [=](V g, V out) {
        return hn::Mul(g, hn::IfThenElse(hn::Lt(out, zero), hn::Add(out, scale_alpha), scale));
      });
    }
    case Activation::kLeakyRelu: {
      const V slope = hn::Set(d, alpha);
      return Map2(d, dy, x, dx, n, [=](V g, V v) { return hn::IfThenElse(hn::Gt(v, zero), g, hn::Mul(g, slope)); });
    }
    case Activation::kSoftplus:
      return Map2(d, dy, x, dx, n, [=](V g, V v) { return hn::Div(g, hn::Add(ExpOfAny(d, hn::Neg(v)), one)); });
    case Activation::kSoftsign:
      return Map2(d, dy, x, dx, n, [=](V g, V v) {
        const V s = hn::Add(hn::Abs(v), one);
        return hn::Div(g, hn::Mul(s, s));
      });
  }
}

void ActivateFloat(Activation f, const float* x, float* y, int64_t n, float alpha) {
  ActivateVectors(f, x, y, n, alpha);
}
void ActivateDouble(Activation f, const double* x, double* y, int64_t n, double alpha) {
  ActivateVectors(f, x, y, n, alpha);
}
void ActivateGradFloat(Activation f, const float* dy, const float* x, float* dx, int64_t n, float alpha) {
  ActivateGradVectors(f, dy, x, dx, n, alpha);
}
void ActivateGradDouble(Activation f, const double* dy, const double* x, double* dx, int64_t n, double alpha) {
  ActivateGradVectors(f, dy, x, dx, n, alpha);
}

}  // namespace HWY_NAMESPACE
}  // namespace flowlatch
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flowlatch {

HWY_EXPORT(ActivateFloat);
HWY_EXPORT(ActivateDouble);
HWY_EXPORT(ActivateGradFloat);
HWY_EXPORT(ActivateGradDouble);

template <>
void Activate(Activation f, const float* x, float* y, int64_t n, float alpha) {
  HWY_DYNAMIC_DISPATCH(ActivateFloat)(f, x, y, n, alpha);
}
template <>
void Activate(Activation f, const double* x, double* y, int64_t n, double alpha) {
  HWY_DYNAMIC_DISPATCH(ActivateDouble)(f, x, y, n, alpha);
}
template <>
void ActivateGrad(Activation f, const float* dy, const float* x, float* dx, int64_t n, float alpha) {
  HWY_DYNAMIC_DISPATCH(ActivateGradFloat)(f, dy, x, dx, n, alpha);
}
template <>
void ActivateGrad(Activation f, const double* dy, const double* x, double* dx, int64_t n, double alpha) {
  HWY_DYNAMIC_DISPATCH(ActivateGradDouble)(f, dy, x, dx, n, alpha);
}

}  // namespace flowlatch
#endif  // HWY_ONCE
