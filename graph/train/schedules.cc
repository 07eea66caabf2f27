#include "graph/train/schedules.h"

#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

// The nodes of one schedule: its scope, its rate, and the step as a number of the rate's dtype.
class Schedule {
 public:
  Schedule(GraphBuilder& b, std::string_view name, const Input& rate, const Input& step, std::source_location at) : b_(b), at_(at), scope_(b.NameScope(name, at)) {
    this->rate = rate.is_literal() ? b.Constant(rate, DType::kFloat32, "learning_rate", at) : b.Constant(rate, "learning_rate", at);
    const Output given = b.Constant(step, "step", at);
    if (const DType dtype = this->rate.dtype(); b.ok() && !IsFloating(dtype)) {
      b.Fail(absl::InvalidArgumentError(absl::StrCat("learning rate: expected a float dtype, got ", std::string(DTypeName(dtype)))), at);
    }
    if (b.ok()) this->step = given.dtype() == this->rate.dtype() ? given : Op("Cast", {given}, {{"DstT", this->rate.dtype()}});
  }

  Output Op(std::string_view op, absl::Span<const Input> inputs, Attrs attrs = {}) { return b_.Op(op, inputs, attrs, "", at_).output(); }
  // False after Fail.
  bool Expect(bool holds, const char* what, const char* expected, double got) {
    if (!holds) b_.Fail(absl::InvalidArgumentError(absl::StrCat(what, ": expected ", expected, ", got ", got)), at_);
    return b_.ok();
  }
  // 1 + cos(pi x), halved.
  Output HalfCosine(const Output& x) { return (Op("Cos", {x * std::numbers::pi}) + 1) * 0.5; }
  // step / decay_steps, at most 1.
  Output Completed(double decay_steps) { return Op("Minimum", {step, decay_steps}) / decay_steps; }
  Output Elapsed(const DecayOptions& options) {
    const Output p = step / options.decay_steps;
    return options.staircase ? Op("Floor", {p}) : p;
  }

  Output rate, step;

 private:
  GraphBuilder& b_;
  std::source_location at_;
  BuilderScope scope_;
};

}  // namespace

GraphVariable MakeGlobalStep(GraphBuilder& b, std::string_view name, std::source_location at) {
  return b.Variable(name, Zeros({}, DType::kInt64), {.trainable = false, .collections = {"variables", "global_step"}}, at);
}

Output ExponentialDecay(GraphBuilder& b, const Input& rate, const Input& step, const DecayOptions& options, std::source_location at) {
  Schedule s(b, "ExponentialDecay", rate, step, at);
  if (!s.Expect(options.decay_steps > 0, "decay_steps", "more than 0", options.decay_steps)) return {};
  return s.rate * s.Op("Pow", {b.Constant(options.decay_rate, s.rate.dtype(), "decay_rate", at), s.Elapsed(options)});
}

Output NaturalExpDecay(GraphBuilder& b, const Input& rate, const Input& step, const DecayOptions& options, std::source_location at) {
  Schedule s(b, "NaturalExpDecay", rate, step, at);
  if (!s.Expect(options.decay_steps > 0, "decay_steps", "more than 0", options.decay_steps)) return {};
  return s.rate * s.Op("Exp", {s.Elapsed(options) * -options.decay_rate});
}

Output InverseTimeDecay(GraphBuilder& b, const Input& rate, const Input& step, const DecayOptions& options, std::source_location at) {
  Schedule s(b, "InverseTimeDecay", rate, step, at);
  if (!s.Expect(options.decay_steps > 0, "decay_steps", "more than 0", options.decay_steps)) return {};
  return s.rate / (s.Elapsed(options) * options.decay_rate + 1);
}

Output PiecewiseConstant(GraphBuilder& b, const Input& step, const std::vector<int64_t>& boundaries, const std::vector<double>& values, DType dtype,
                         std::source_location at) {
  bool rises = values.size() == boundaries.size() + 1;
  for (size_t i = 1; i < boundaries.size(); ++i) rises &= boundaries[i - 1] < boundaries[i];
  if (!rises) {
    b.Fail(absl::InvalidArgumentError(absl::StrCat("PiecewiseConstant: expected boundaries that rise and one value more, got ", boundaries.size(), " boundaries and ",
                                                   values.size(), " values")),
           at);
    return {};
  }
  BuilderScope scope = b.NameScope("PiecewiseConstant", at);
  const Output now = b.Constant(step, "step", at);
  const Output passed = b.Op("Cast", {b.Op("Greater", {now, boundaries}, {}, "", at)}, {{"DstT", DType::kInt32}}, "", at).output();
  const Output index = b.Op("Sum", {passed, {0}}, {}, "", at).output();
  return b.Op("GatherV2", {b.Constant(values, dtype, "values", at), index, 0}, {}, "", at).output();
}

Output PolynomialDecay(GraphBuilder& b, const Input& rate, const Input& step, const PolynomialDecayOptions& options, std::source_location at) {
  Schedule s(b, "PolynomialDecay", rate, step, at);
  if (!s.Expect(options.decay_steps > 0, "decay_steps", "more than 0", options.decay_steps)) return {};
  Output p = s.Completed(options.decay_steps);
  if (options.cycle) {
    const Output cycles = s.Op("Maximum", {s.Op("Ceil", {s.step / options.decay_steps}), 1});
    p = s.step / (cycles * options.decay_steps);
  }
  return (s.rate - options.end_rate) * s.Op("Pow", {1 - p, options.power}) + options.end_rate;
}

Output CosineDecay(GraphBuilder& b, const Input& rate, const Input& step, const CosineDecayOptions& options, std::source_location at) {
  Schedule s(b, "CosineDecay", rate, step, at);
  if (!s.Expect(options.decay_steps > 0, "decay_steps", "more than 0", options.decay_steps)) return {};
  return s.rate * (s.HalfCosine(s.Completed(options.decay_steps)) * (1 - options.alpha) + options.alpha);
}

Output CosineDecayRestarts(GraphBuilder& b, const Input& rate, const Input& step, const CosineRestartsOptions& options, std::source_location at) {
  Schedule s(b, "SGDRDecay", rate, step, at);
  if (!s.Expect(options.first_decay_steps > 0, "first_decay_steps", "more than 0", options.first_decay_steps)) return {};
  if (!s.Expect(options.length_factor >= 1, "length_factor", "1 or more", options.length_factor)) return {};
  const double factor = options.length_factor;
  const Output all = s.step / options.first_decay_steps;
  Output restarts, completed;
  if (factor == 1) {
    restarts = s.Op("Floor", {all});
    completed = all - restarts;
  } else {
    // The first n decays take (factor^n - 1) / (factor - 1) times as long as the first.
    restarts = s.Op("Floor", {s.Op("Log", {all * (factor - 1) + 1}) / std::log(factor)});
    const Output length = s.Op("Pow", {b.Constant(factor, s.rate.dtype(), "length_factor", at), restarts});
    completed = (all - (length - 1) / (factor - 1)) / length;
  }
  const Output height = s.Op("Pow", {b.Constant(options.height_factor, s.rate.dtype(), "height_factor", at), restarts});
  return s.rate * (height * s.HalfCosine(completed) * (1 - options.alpha) + options.alpha);
}

Output LinearCosineDecay(GraphBuilder& b, const Input& rate, const Input& step, const LinearCosineOptions& options, std::source_location at) {
  Schedule s(b, "LinearCosineDecay", rate, step, at);
  if (!s.Expect(options.decay_steps > 0, "decay_steps", "more than 0", options.decay_steps)) return {};
  const Output p = s.Completed(options.decay_steps);
  return s.rate * ((1 - p + options.alpha) * s.HalfCosine(p * (2 * options.num_periods)) + options.beta);
}

Output WarmUp(GraphBuilder& b, const Input& rate, const Input& step, const WarmUpOptions& options, std::source_location at) {
  Schedule s(b, "WarmUp", rate, step, at);
  if (!s.Expect(options.warmup_steps > 0, "warmup_steps", "more than 0", options.warmup_steps)) return {};
  return (s.rate - options.start_rate) * s.Completed(options.warmup_steps) + options.start_rate;
}

}  // namespace flowlatch
