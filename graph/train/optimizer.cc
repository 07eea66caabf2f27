#include "graph/train/optimizer.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/train/optimizer_rule.h"
#include "graph/train/slots.h"

namespace flowlatch {
namespace {

bool IsTrainable(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 || dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

// Each row once, its duplicates added up.
IndexedSlices AddDuplicates(GraphBuilder& b, const IndexedSlices& slices, std::source_location at) {
  const Operation unique = b.Op("Unique", {slices.indices}, {}, "", at);
  const Output count = b.Op("Size", {unique.output(0)}, {}, "", at).output();
  const Output rows = b.Op("UnsortedSegmentSum", {slices.values, unique.output(1), count}, {}, "", at).output();
  return {rows, unique.output(0), slices.dense_shape};
}

Output CastTo(GraphBuilder& b, const Output& x, DType dtype, std::source_location at) {
  return !x || x.dtype() == dtype ? x : b.Op("Cast", {x}, {{"DstT", dtype}}, "", at).output();
}

}  // namespace

struct Optimizer::State {
  explicit State(OptimizerRule r) : rule(std::move(r)) {}

  OptimizerRule rule;
  GraphBuilder* builder = nullptr;  // of the first step
  std::map<std::pair<std::string, std::string>, GraphVariable> slots;  // by variable and slot
  std::map<std::string, GraphVariable> powers;                         // by input
  std::vector<GraphVariable> all;
  std::map<std::string, Output> numbers;  // of the step that is being built

  void MakeVariables(GraphBuilder& b, const std::vector<VariableGradient>& used, std::source_location at);
  void MakeNumbers(GraphBuilder& b, std::source_location at);
  Output Number(GraphBuilder& b, std::string_view input, DType dtype, std::source_location at);
  Operation Step(GraphBuilder& b, const VariableGradient& of, std::source_location at);
  Operation Apply(GraphBuilder& b, const GraphVariable& v, const Output& grad, const Output& indices, std::source_location at);
  Operation Finish(GraphBuilder& b, std::vector<Operation> updates, std::string_view name, std::source_location at);
};

Optimizer::Optimizer(OptimizerRule rule) : state_(std::make_unique<State>(std::move(rule))) {}
Optimizer::Optimizer(Optimizer&&) noexcept = default;
Optimizer& Optimizer::operator=(Optimizer&&) noexcept = default;
Optimizer::~Optimizer() = default;

std::vector<std::string> Optimizer::slot_names() const {
  std::vector<std::string> names;
  for (const OptimizerRule::Slot& slot : state_->rule.slots) names.push_back(slot.name);
  return names;
}

GraphVariable Optimizer::slot(const GraphVariable& variable, std::string_view name) const {
  const auto at = state_->slots.find({variable.name(), std::string(name)});
  return at != state_->slots.end() ? at->second : GraphVariable();
}

const std::vector<GraphVariable>& Optimizer::variables() const { return state_->all; }

// --- Gradients -----------------------------------------------------------------------------------------------------------------

std::vector<VariableGradient> Optimizer::ComputeGradients(GraphBuilder& b, const Output& loss, const MinimizeOptions& options, std::source_location at) {
  std::vector<VariableGradient> result;
  if (!b.ok()) return result;
  const std::vector<GraphVariable> variables = options.variables.empty() ? TrainableVariables(b) : options.variables;
  const auto fail = [&](const std::string& what) { return b.Fail(absl::InvalidArgumentError(absl::StrCat(state_->rule.name, ": ", what)), at), result; };
  if (variables.empty()) return fail("no variables to optimize");
  if (loss && !IsTrainable(loss.dtype())) return fail(absl::StrCat("loss '", loss.name(), "': expected a float dtype, got ", std::string(DTypeName(loss.dtype()))));
  GradientOptions gradient_options{.stop_gradients = options.stop_gradients,
                                   .aggregation = options.aggregation,
                                   .gate = options.gate == MinimizeOptions::Gate::kOp,
                                   .colocate = options.colocate};
  if (options.grad_loss) gradient_options.grad_ys = {options.grad_loss};
  std::vector<Grad> grads = Gradients(b, {loss}, variables, gradient_options, at);
  if (!b.ok()) return result;
  if (options.gate == MinimizeOptions::Gate::kGraph) {
    Outputs all;
    for (const Grad& grad : grads) all.push_back(!grad.exists() ? Output() : grad.slices() != nullptr ? grad.slices()->values : grad.dense());
    const bool any = std::any_of(all.begin(), all.end(), [](const Output& o) { return static_cast<bool>(o); });
    const Outputs gated = any ? b.Tuple(all, {}, "tuple", at) : all;
    for (size_t i = 0; i < grads.size(); ++i) {
      if (!gated[i]) continue;
      const IndexedSlices* slices = grads[i].slices();
      grads[i] = slices != nullptr ? Grad(IndexedSlices{gated[i], slices->indices, slices->dense_shape}) : Grad(gated[i]);
    }
  }
  for (size_t i = 0; i < grads.size(); ++i) result.push_back({std::move(grads[i]), variables[i]});
  return result;
}

Operation Optimizer::Minimize(GraphBuilder& b, const Output& loss, const MinimizeOptions& options, std::source_location at) {
  return ApplyGradients(b, ComputeGradients(b, loss, options, at), options, at);
}

// --- The step ------------------------------------------------------------------------------------------------------------------

Operation Optimizer::ApplyGradients(GraphBuilder& b, const std::vector<VariableGradient>& gradients, const MinimizeOptions& options, std::source_location at) {
  if (!b.ok()) return {};
  State& s = *state_;
  const auto fail = [&](const std::string& what) { return b.Fail(absl::InvalidArgumentError(absl::StrCat(s.rule.name, ": ", what)), at), Operation(); };
  if (!s.rule.error.empty()) return fail(s.rule.error);
  if (gradients.empty()) return fail("no variables to optimize");
  if (s.builder != nullptr && s.builder != &b) return fail("expected the builder of its first step, got another");
  std::vector<VariableGradient> used;
  std::string missing;
  for (const VariableGradient& g : gradients) {
    if (!g.variable) return fail("expected variables, got an empty one");
    if (g.gradient.exists()) {
      const DType dtype = g.variable.dtype();
      if (!IsTrainable(dtype)) return fail(absl::StrCat("variable '", g.variable.name(), "': expected a float dtype, got ", std::string(DTypeName(dtype))));
      used.push_back(g);
    } else {
      absl::StrAppend(&missing, missing.empty() ? "" : "; ", "'", g.variable.name(), "'", g.gradient.reason().empty() ? "" : ": ", g.gradient.reason());
    }
  }
  if (used.empty()) return fail(absl::StrCat("no gradients provided for any variable: ", missing));
  s.builder = &b;
  s.MakeVariables(b, used, at);

  BuilderScope scope = b.NameScope(options.name.empty() ? s.rule.name : options.name, at);
  const std::string own_name = b.name_scope();
  s.MakeNumbers(b, at);
  std::vector<Operation> updates;
  for (const VariableGradient& g : used) {
    if (!b.ok()) return {};
    BuilderScope of_variable = b.NameScope(absl::StrCat("update_", g.variable.name()), at);
    const std::optional<BuilderScope> place = WithVariable(b, g.variable, at);
    updates.push_back(s.Step(b, g, at));
  }
  if (!options.global_step) return s.Finish(b, std::move(updates), own_name, at);
  const Operation finished = s.Finish(b, std::move(updates), "update", at);
  if (!b.ok()) return {};
  BuilderScope after = b.ControlDependencies({finished}, at);
  const std::optional<BuilderScope> place = WithVariable(b, options.global_step, at);
  const GraphVariable& step = options.global_step;
  const Output one = b.Constant(1, step.dtype(), "value", at);
  if (!one) return {};
  if (step.is_ref()) return b.Op("AssignAdd", {step.handle(), one}, {}, own_name, at);
  return b.Op("AssignAddVariableOp", {step.handle(), one}, {}, own_name, at);
}

void Optimizer::State::MakeVariables(GraphBuilder& b, const std::vector<VariableGradient>& used, std::source_location at) {
  if (powers.empty() && !rule.powers.empty()) {
    // Beside the first variable by name.
    const auto first = std::min_element(used.begin(), used.end(), [](const auto& x, const auto& y) { return x.variable.name() < y.variable.name(); });
    BuilderScope init = b.InitScope();
    const std::optional<BuilderScope> place = WithVariable(b, first->variable, at);
    for (const OptimizerRule::Power& power : rule.powers) {
      const auto number = std::find_if(rule.numbers.begin(), rule.numbers.end(), [&](const auto& n) { return n.input == power.number; });
      const auto initial = [&] { return b.Constant(number->value, DType::kFloat32, "value", at); };
      const GraphVariable v = b.Variable(power.input, Initializer(initial), {.trainable = false, .use_ref = first->variable.is_ref()}, at);
      powers.emplace(power.input, v);
      all.push_back(v);
    }
  }
  for (const VariableGradient& g : used) {
    for (const OptimizerRule::Slot& slot : rule.slots) {
      if (!b.ok()) return;
      auto [place, is_new] = slots.try_emplace({g.variable.name(), slot.name});
      if (!is_new) continue;
      place->second = MakeSlot(b, g.variable, slot.variable_name.empty() ? rule.name : slot.variable_name, slot.initial, at);
      all.push_back(place->second);
    }
  }
}

// Numbers are float32 whatever the variables are, as in TensorFlow.
void Optimizer::State::MakeNumbers(GraphBuilder& b, std::source_location at) {
  numbers.clear();
  for (const OptimizerRule::Number& number : rule.numbers) {
    const bool is_literal = number.value.is_literal();
    const Output made = is_literal ? b.Constant(number.value, DType::kFloat32, number.node, at) : b.Constant(number.value, number.node, at);
    if (made && !IsTrainable(made.dtype())) {
      b.Fail(absl::InvalidArgumentError(absl::StrCat(rule.name, ": ", number.node, ": expected a float dtype, got ", std::string(DTypeName(made.dtype())))), at);
    }
    numbers[number.input] = made;
  }
  if (rule.global_step) {
    // Steps are counted from 1.
    const Output step = b.Op("Identity", {rule.global_step.value(at)}, {}, "", at).output();
    numbers["global_step"] = b.Op("AddV2", {CastTo(b, step, DType::kInt64, at), 1}, {}, "", at).output();
  }
}

Output Optimizer::State::Number(GraphBuilder& b, std::string_view input, DType dtype, std::source_location at) {
  const std::string name(input);
  if (const auto power = powers.find(name); power != powers.end()) return CastTo(b, power->second.value_now(at), dtype, at);
  const auto number = numbers.find(name);
  if (number == numbers.end()) return {};
  return name == "global_step" ? number->second : CastTo(b, number->second, dtype, at);
}

Operation Optimizer::State::Step(GraphBuilder& b, const VariableGradient& of, std::source_location at) {
  const GraphVariable& v = of.variable;
  const IndexedSlices* slices = of.gradient.slices();
  if (slices == nullptr || rule.sparse == OptimizerRule::Sparse::kDense) return Apply(b, v, of.gradient.dense(), Output(), at);
  const IndexedSlices rows = rule.adds_duplicates ? AddDuplicates(b, *slices, at) : *slices;
  if (rule.sparse == OptimizerRule::Sparse::kOp) return Apply(b, v, rows.values, rows.indices, at);
  return rule.sparse_nodes({.b = b,
                            .variable = v,
                            .rows = rows.values,
                            .indices = rows.indices,
                            .use_locking = rule.use_locking,
                            .slot = [&](std::string_view name) { return slots.at({v.name(), std::string(name)}); },
                            .number = [&](std::string_view input) { return Number(b, input, v.dtype(), at); },
                            .at = at});
}

// The op of the step; its schema says in which order it takes what the rule has.
Operation Optimizer::State::Apply(GraphBuilder& b, const GraphVariable& v, const Output& grad, const Output& indices, std::source_location at) {
  const std::string op = absl::StrCat(v.is_ref() ? "" : "Resource", indices ? "Sparse" : "", "Apply", rule.op);
  const OpSchema* schema = b.registry().FindRegistered(op);
  if (schema == nullptr) {
    b.Fail(absl::UnimplementedError(absl::StrCat(rule.name, ": variable '", v.name(), "': no op '", op, "' for ", v.is_ref() ? "reference" : "resource", " variables")), at);
    return {};
  }
  std::vector<Input> inputs;
  for (const ArgSpec& arg : schema->inputs()) {
    const auto slot = std::find_if(rule.slots.begin(), rule.slots.end(), [&](const auto& s) { return s.input == arg.name; });
    if (arg.name == "var") {
      inputs.push_back(v.handle());
    } else if (arg.name == "grad" || arg.name == "delta") {
      inputs.push_back(grad);
    } else if (arg.name == "indices") {
      inputs.push_back(indices);
    } else if (slot != rule.slots.end()) {
      inputs.push_back(slots.at({v.name(), slot->name}).handle());
    } else {
      inputs.push_back(Number(b, arg.name, v.dtype(), at));
    }
    if (!b.ok()) return {};
  }
  std::vector<AttrMap::Entry> attrs = rule.attrs;
  attrs.emplace_back("use_locking", rule.use_locking);
  return b.Op(op, inputs, attrs, "", at);
}

// One operation for all updates, and what comes after them.
Operation Optimizer::State::Finish(GraphBuilder& b, std::vector<Operation> updates, std::string_view name, std::source_location at) {
  if (!b.ok()) return {};
  std::vector<Operation> last = updates;
  {
    BuilderScope after = b.ControlDependencies(updates, at);
    for (const OptimizerRule::Power& power : rule.powers) {
      const GraphVariable& v = powers.at(power.input);
      const std::optional<BuilderScope> place = WithVariable(b, v, at);
      const Output next = b.Op("Mul", {v.value_now(at), CastTo(b, numbers.at(power.number), v.dtype(), at)}, {}, "mul", at).output();
      last.push_back(v.Assign(next, rule.use_locking, at));
    }
  }
  return b.ok() ? b.Group(last, name, at) : Operation();
}

}  // namespace flowlatch
