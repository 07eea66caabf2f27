// The rules of the optimizers.
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/train/optimizer.h"
#include "graph/train/optimizer_rule.h"

namespace flowlatch {
namespace {

using Sparse = OptimizerRule::Sparse;

// "" or why it cannot be.
std::string ExpectAbove0(const char* what, double value) {
  return value > 0 ? "" : absl::StrCat(what, ": expected more than 0, got ", value);
}

Operation ScatterDescent(const SparseStep& s) {
  const Output rate = s.number("alpha");
  const Output delta = s.b.Op("Mul", {s.rows, rate}, {}, "mul", s.at).output();
  if (s.variable.is_ref()) return s.variable.Scatter("Sub", s.indices, delta, s.use_locking, s.at);
  return s.variable.Scatter("Add", s.indices, s.b.Op("Neg", {delta}, {}, "", s.at), s.use_locking, s.at);
}

// average = average * decay everywhere, + rows at the indices; the variable after both.
Output DecayAndScatter(const SparseStep& s, const GraphVariable& average, const Output& decay, const Output& rows, Operation* last) {
  GraphBuilder& b = s.b;
  const Operation decayed = average.Assign(b.Op("Mul", {average.value_now(s.at), decay}, {}, "mul", s.at), s.use_locking, s.at);
  if (!b.ok()) return {};
  {
    BuilderScope after = b.ControlDependencies({decayed}, s.at);
    *last = average.Scatter("Add", s.indices, rows, s.use_locking, s.at);
  }
  if (!b.ok()) return {};
  BuilderScope after = b.ControlDependencies({*last}, s.at);
  return average.value_now(s.at);
}

// Moments decay, and the variable moves, in all rows: what the dense step does with zeros elsewhere.
Operation AdamRows(const SparseStep& s) {
  GraphBuilder& b = s.b;
  const Output beta1 = s.number("beta1"), beta2 = s.number("beta2");
  if (!b.ok()) return {};
  const Output rate = s.number("lr") * b.Op("Sqrt", {1 - s.number("beta2_power")}, {}, "", s.at).output() / (1 - s.number("beta1_power"));
  Operation m_last, v_last;
  const Output m = DecayAndScatter(s, s.slot("m"), beta1, s.rows * (1 - beta1), &m_last);
  const Output v = DecayAndScatter(s, s.slot("v"), beta2, s.rows * s.rows * (1 - beta2), &v_last);
  if (!b.ok()) return {};
  const Output step = rate * m / (b.Op("Sqrt", {v}, {}, "", s.at).output() + s.number("epsilon"));
  return b.Group({s.variable.AssignSub(step, s.use_locking, s.at), m_last, v_last}, "group_deps", s.at);
}

// Rows of a slot as they are now.
Output Rows(const SparseStep& s, const GraphVariable& slot) {
  if (!slot.is_ref()) return slot.Gather(s.indices, s.at);
  return s.b.Op("GatherV2", {slot.value_now(s.at), s.indices, 0}, {}, "Gather", s.at).output();
}

// Rows without gradient stay as they are, their moments too.
Operation AdaMaxRows(const SparseStep& s) {
  GraphBuilder& b = s.b;
  const Output beta1 = s.number("beta1"), beta2 = s.number("beta2");
  const Output m = Rows(s, s.slot("m")) * beta1 + s.rows * (1 - beta1);
  const Output v = b.Op("Maximum", {Rows(s, s.slot("v")) * beta2, b.Op("Abs", {s.rows}, {}, "", s.at)}, {}, "", s.at).output();
  const Output step = s.number("lr") / (1 - s.number("beta1_power")) * m / (v + s.number("epsilon"));
  if (!b.ok()) return {};
  const Operation m_last = s.slot("m").Scatter("Update", s.indices, m, s.use_locking, s.at);
  const Operation v_last = s.slot("v").Scatter("Update", s.indices, v, s.use_locking, s.at);
  return b.Group({s.variable.Scatter("Sub", s.indices, step, s.use_locking, s.at), m_last, v_last}, "group_deps", s.at);
}

// Of Adam and those like it.
template <typename Options>
std::vector<OptimizerRule::Number> MomentNumbers(const Options& o) {
  return {{"lr", "learning_rate", o.learning_rate}, {"beta1", "beta1", o.beta1}, {"beta2", "beta2", o.beta2}, {"epsilon", "epsilon", o.epsilon}};
}

template <typename Options>
std::vector<OptimizerRule::Number> PenaltyNumbers(const char* rate, const Options& o) {
  return {{rate, "learning_rate", o.learning_rate}, {"l1", "l1_regularization_strength", o.l1}, {"l2", "l2_regularization_strength", o.l2}};
}

}  // namespace

Optimizer GradientDescentOptimizer(const GradientDescentOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name,
                                 .use_locking = o.use_locking,
                                 .op = "GradientDescent",
                                 .numbers = {{"alpha", "learning_rate", o.learning_rate}},
                                 .sparse = Sparse::kNodes,
                                 .sparse_nodes = ScatterDescent,
                                 .adds_duplicates = false});
}

Optimizer MomentumOptimizer(const MomentumOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name,
                                 .use_locking = o.use_locking,
                                 .op = "Momentum",
                                 .slots = {{"accum", "momentum"}},
                                 .numbers = {{"lr", "learning_rate", o.learning_rate}, {"momentum", "momentum", o.momentum}},
                                 .attrs = {{"use_nesterov", o.use_nesterov}}});
}

Optimizer AdamOptimizer(const AdamOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name,
                                 .use_locking = o.use_locking,
                                 .op = "Adam",
                                 .slots = {{"m", "m"}, {"v", "v"}},
                                 .numbers = MomentNumbers(o),
                                 .powers = {{"beta1_power", "beta1"}, {"beta2_power", "beta2"}},
                                 .sparse = Sparse::kNodes,
                                 .sparse_nodes = AdamRows});
}

Optimizer AmsGradOptimizer(const AmsGradOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name,
                                 .use_locking = o.use_locking,
                                 .op = "AdamWithAmsgrad",
                                 .slots = {{"m", "m"}, {"v", "v"}, {"vhat", "vhat"}},
                                 .numbers = MomentNumbers(o),
                                 .powers = {{"beta1_power", "beta1"}, {"beta2_power", "beta2"}},
                                 .sparse = Sparse::kDense});
}

Optimizer AdaMaxOptimizer(const AdaMaxOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name,
                                 .use_locking = o.use_locking,
                                 .op = "AdaMax",
                                 .slots = {{"m", "m"}, {"v", "v"}},
                                 .numbers = MomentNumbers(o),
                                 .powers = {{"beta1_power", "beta1"}},
                                 .sparse = Sparse::kNodes,
                                 .sparse_nodes = AdaMaxRows});
}

Optimizer RmsPropOptimizer(const RmsPropOptions& o) {
  OptimizerRule rule{.name = o.name,
                     .use_locking = o.use_locking,
                     .op = o.centered ? "CenteredRMSProp" : "RMSProp",
                     .slots = {{"ms", "rms", 1}},
                     .numbers = {{"lr", "learning_rate", o.learning_rate}, {"rho", "decay", o.decay}, {"momentum", "momentum", o.momentum}, {"epsilon", "epsilon", o.epsilon}}};
  if (o.centered) rule.slots.push_back({"mg", "mg"});
  rule.slots.push_back({"mom", "momentum"});
  return Optimizer(std::move(rule));
}

Optimizer AdagradOptimizer(const AdagradOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name,
                                 .use_locking = o.use_locking,
                                 .op = "Adagrad",
                                 .slots = {{"accum", "accumulator", o.initial_accumulator}},
                                 .numbers = {{"lr", "learning_rate", o.learning_rate}},
                                 .error = ExpectAbove0("initial_accumulator", o.initial_accumulator)});
}

Optimizer AdagradDaOptimizer(const AdagradDaOptions& o) {
  return Optimizer(OptimizerRule{
      .name = o.name,
      .use_locking = o.use_locking,
      .op = "AdagradDA",
      .slots = {{"gradient_accumulator", "gradient_accumulator"}, {"gradient_squared_accumulator", "gradient_squared_accumulator", o.initial_squared_accumulator}},
      .numbers = PenaltyNumbers("lr", o),
      .global_step = o.global_step,
      .error = !o.global_step ? "global_step: expected a variable, got none" : ExpectAbove0("initial_squared_accumulator", o.initial_squared_accumulator)});
}

Optimizer AdadeltaOptimizer(const AdadeltaOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name,
                                 .use_locking = o.use_locking,
                                 .op = "Adadelta",
                                 .slots = {{"accum", "accum"}, {"accum_update", "accum_update"}},
                                 .numbers = {{"lr", "lr", o.learning_rate}, {"rho", "rho", o.rho}, {"epsilon", "epsilon", o.epsilon}}});
}

Optimizer FtrlOptimizer(const FtrlOptions& o) {
  OptimizerRule rule{.name = o.name,
                     .use_locking = o.use_locking,
                     .op = o.l2_shrinkage.has_value() ? "FtrlV2" : "Ftrl",
                     .slots = {{"accum", "accum", o.initial_accumulator, o.accum_name}, {"linear", "linear", 0, o.linear_name}},
                     .numbers = PenaltyNumbers("lr", o)};
  rule.numbers.push_back({"lr_power", "learning_rate_power", o.learning_rate_power});
  if (o.l2_shrinkage.has_value()) rule.numbers.push_back({"l2_shrinkage", "l2_shrinkage_regularization_strength", *o.l2_shrinkage});
  if (!(o.initial_accumulator >= 0)) rule.error = absl::StrCat("initial_accumulator: expected 0 or more, got ", o.initial_accumulator);
  return Optimizer(std::move(rule));
}

Optimizer ProximalGradientDescentOptimizer(const ProximalGradientDescentOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name, .use_locking = o.use_locking, .op = "ProximalGradientDescent", .numbers = PenaltyNumbers("alpha", o)});
}

Optimizer ProximalAdagradOptimizer(const ProximalAdagradOptions& o) {
  return Optimizer(OptimizerRule{.name = o.name,
                                 .use_locking = o.use_locking,
                                 .op = "ProximalAdagrad",
                                 .slots = {{"accum", "accumulator", o.initial_accumulator}},
                                 .numbers = PenaltyNumbers("lr", o),
                                 .error = ExpectAbove0("initial_accumulator", o.initial_accumulator)});
}

Optimizer AddSignOptimizer(const AddSignOptions& o) {
  return Optimizer(OptimizerRule{
      .name = o.name,
      .use_locking = o.use_locking,
      .op = "AddSign",
      .slots = {{"m", "m"}},
      .numbers = {{"lr", "learning_rate", o.learning_rate}, {"alpha", "alpha", o.alpha}, {"sign_decay", "sign_decay", o.sign_decay}, {"beta", "beta", o.beta}},
      .sparse = Sparse::kDense});
}

Optimizer PowerSignOptimizer(const PowerSignOptions& o) {
  return Optimizer(OptimizerRule{
      .name = o.name,
      .use_locking = o.use_locking,
      .op = "PowerSign",
      .slots = {{"m", "m"}},
      .numbers = {{"lr", "learning_rate", o.learning_rate}, {"logbase", "logbase", std::log(o.base)}, {"sign_decay", "sign_decay", o.sign_decay}, {"beta", "beta", o.beta}},
      .sparse = Sparse::kDense,
      .error = ExpectAbove0("base", o.base)});
}

}  // namespace flowlatch
