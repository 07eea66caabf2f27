#include "tools/gradients/check_gradients.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

using Complex = std::complex<double>;

// Calls f.operator()<T>() with the C++ type of a floating or complex dtype; false for others.
template <typename F>
bool WithFloat(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat16: f.template operator()<Half>(); return true;
    case DType::kBFloat16: f.template operator()<BFloat16>(); return true;
    case DType::kFloat32: f.template operator()<float>(); return true;
    case DType::kFloat64: f.template operator()<double>(); return true;
    case DType::kComplex64: f.template operator()<std::complex<float>>(); return true;
    case DType::kComplex128: f.template operator()<std::complex<double>>(); return true;
    default: return false;
  }
}

template <typename T>
Complex Widen(T value) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
    return Complex(value.real(), value.imag());
  } else {
    return Complex(static_cast<double>(static_cast<float>(value)), 0);
  }
}
template <>
Complex Widen<double>(double value) { return Complex(value, 0); }

template <typename T>
T Narrow(Complex value) {
  if constexpr (std::is_same_v<T, std::complex<float>>) {
    return {static_cast<float>(value.real()), static_cast<float>(value.imag())};
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return value;
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return static_cast<T>(value.real());
  } else {
    return T(static_cast<float>(value.real()));
  }
}

Complex Element(const Tensor& t, int64_t i) {
  Complex value = 0;
  WithFloat(t.dtype(), [&]<typename T>() { value = Widen<T>(t.data<T>()[i]); });
  return value;
}

void SetElement(Tensor* t, int64_t i, Complex value) {
  WithFloat(t->dtype(), [&]<typename T>() { t->mutable_data<T>()[i] = Narrow<T>(value); });
}

bool IsFloat(DType dtype) {
  return WithFloat(dtype, []<typename T>() {});
}

double DefaultStep(DType dtype) {
  switch (dtype) {
    case DType::kFloat64: case DType::kComplex128: return 1e-5;
    case DType::kFloat32: case DType::kComplex64: return 1e-2;
    default: return 1.0 / 16;
  }
}

// The real part of sum(conj(direction) * y).
double Along(const Tensor& direction, const Tensor& y) {
  double sum = 0;
  for (int64_t i = 0; i < y.num_elements(); ++i) sum += (std::conj(Element(direction, i)) * Element(y, i)).real();
  return sum;
}

}  // namespace

absl::StatusOr<CheckedGradients> AddCheckedGradients(GraphBuilder& b, const Output& y, const Outputs& xs, const GradientOptions& options) {
  CheckedGradients added;
  const Output grad_y = b.Placeholder(y.dtype(), y.shape(), "gradient_check/grad_y");
  GradientOptions with_grad_y = options;
  with_grad_y.grad_ys = {grad_y};
  const std::vector<Grad> grads = Gradients(b, {y}, xs, with_grad_y);
  for (size_t i = 0; i < xs.size(); ++i) {
    added.xs.push_back(xs[i].name());
    added.grads.push_back(grads[i].exists() ? grads[i].dense().name() : "");
    added.reasons.push_back(grads[i].reason());
  }
  RETURN_IF_ERROR(b.status());
  added.y = y.name();
  added.grad_y = grad_y.name();
  return added;
}

absl::StatusOr<std::vector<GradientCheck>> CheckGradients(Session& session, const CheckedGradients& gradients, const Feeds& feeds,
                                                          const GradientCheckOptions& options) {
  std::vector<std::string> fetches{gradients.y};
  // An x that is fed has the value of its feed.
  std::vector<Tensor> values(gradients.xs.size());
  std::vector<size_t> fetched;
  for (size_t i = 0; i < gradients.xs.size(); ++i) {
    const auto fed = std::find_if(feeds.begin(), feeds.end(), [&](const auto& feed) { return feed.first == gradients.xs[i] || feed.first + ":0" == gradients.xs[i]; });
    if (fed != feeds.end()) {
      values[i] = fed->second;
    } else {
      fetched.push_back(i);
      fetches.push_back(gradients.xs[i]);
    }
  }
  ASSIGN_OR_RETURN(const std::vector<Tensor> forward, session.Run(feeds, fetches, {}));
  for (size_t i = 0; i < fetched.size(); ++i) values[fetched[i]] = forward[1 + i];
  const Tensor& y = forward[0];
  if (!IsFloat(y.dtype())) {
    return absl::InvalidArgumentError(absl::StrCat("'", gradients.y, "': expected a floating or complex dtype, got ", std::string(DTypeName(y.dtype()))));
  }
  std::mt19937_64 random(options.seed);
  std::normal_distribution<double> normal;
  ASSIGN_OR_RETURN(Tensor direction, Tensor::Make(y.dtype(), y.shape()));
  for (int64_t i = 0; i < y.num_elements(); ++i) SetElement(&direction, i, Complex(normal(random), IsComplex(y.dtype()) ? normal(random) : 0));

  std::vector<GradientCheck> checks;
  for (size_t i = 0; i < gradients.xs.size(); ++i) {
    GradientCheck check;
    check.x = gradients.xs[i];
    check.reason = gradients.reasons[i];
    if (gradients.grads[i].empty()) {
      checks.push_back(check);
      continue;
    }
    const Tensor& x = values[i];
    if (!IsFloat(x.dtype())) {
      return absl::InvalidArgumentError(absl::StrCat("'", check.x, "': expected a floating or complex dtype, got ", std::string(DTypeName(x.dtype()))));
    }
    Feeds others;
    for (const auto& feed : feeds) {
      if (feed.first != check.x && feed.first + ":0" != check.x) others.push_back(feed);
    }
    // Every x is held at its value, so that moving one moves no other.
    Feeds with_gradient = feeds;
    with_gradient.emplace_back(gradients.grad_y, direction);
    ASSIGN_OR_RETURN(const std::vector<Tensor> gradient, session.Run(with_gradient, {gradients.grads[i]}, {}));
    if (gradient[0].num_elements() != x.num_elements()) {
      return absl::InternalError(absl::StrCat("gradient of '", check.x, "': expected shape ", x.ShapeString(), ", got ", gradient[0].ShapeString()));
    }
    const double step = options.step > 0 ? options.step : DefaultStep(x.dtype());
    const auto along = [&](int64_t element, Complex moved) -> absl::StatusOr<double> {
      ASSIGN_OR_RETURN(Tensor copy, x.Clone());
      SetElement(&copy, element, Element(copy, element) + moved);
      Feeds moved_feeds = others;
      moved_feeds.emplace_back(check.x, std::move(copy));
      ASSIGN_OR_RETURN(const std::vector<Tensor> result, session.Run(moved_feeds, {gradients.y}, {}));
      return Along(direction, result[0]);
    };
    const int64_t stride = std::max<int64_t>(1, (x.num_elements() + options.max_elements - 1) / std::max<int64_t>(1, options.max_elements));
    for (int64_t e = 0; e < x.num_elements(); e += stride) {
      const Complex got = Element(gradient[0], e);
      for (const bool imaginary : {false, true}) {
        if (imaginary && !IsComplex(x.dtype())) break;
        const Complex unit = imaginary ? Complex(0, step) : Complex(step, 0);
        ASSIGN_OR_RETURN(const double up, along(e, unit));
        ASSIGN_OR_RETURN(const double down, along(e, -unit));
        const double difference = (up - down) / (2 * step);
        const double part = imaginary ? got.imag() : got.real();
        const double error = std::abs(part - difference);
        check.max_magnitude = std::max(check.max_magnitude, std::abs(difference));
        if (check.worst < 0 || !(error <= check.max_error)) {
          check.max_error = error;
          check.worst = e;
          check.gradient = part;
          check.difference = difference;
        }
      }
      ++check.elements;
    }
    checks.push_back(check);
  }
  return checks;
}

}  // namespace flowlatch
