#include "graph/train/moving_average.h"

#include "absl/strings/str_cat.h"
#include "graph/train/slots.h"

namespace flowlatch {

GraphVariable ExponentialMovingAverage::Find(const std::string& name) const {
  const auto at = averages_.find(name);
  return at != averages_.end() ? at->second.value : GraphVariable();
}

ExponentialMovingAverage::Average ExponentialMovingAverage::MakeFor(GraphBuilder& b, const Output& value, std::source_location at) const {
  if (!value.shape().fully_defined()) {
    b.Fail(absl::InvalidArgumentError(absl::StrCat("moving average of '", value.name(), "': expected a known shape, got ", value.shape().ToString())), at);
    return {};
  }
  BuilderScope init = b.InitScope();
  BuilderScope root = b.NameScope("", at);
  const std::vector<int64_t> dims(value.shape().dims().begin(), value.shape().dims().end());
  const VariableOptions options{.trainable = false};
  Average made;
  made.value = b.Variable(absl::StrCat(Operation(value).name(), "/", options_.name), Zeros(dims, value.dtype()), options, at);
  if (options_.zero_debias && b.ok()) {
    made.biased = b.Variable(made.value.name() + "/biased", Zeros(dims, value.dtype()), options, at);
    made.updates = b.Variable(made.value.name() + "/local_step", Zeros({}, value.dtype()), options, at);
  }
  return made;
}

Operation ExponentialMovingAverage::Apply(GraphBuilder& b, const std::vector<GraphVariable>& variables, const Outputs& values, std::source_location at) {
  if (!b.ok()) return {};
  const auto is_float = [&](DType dtype, const std::string& name) {
    if (IsFloating(dtype)) return true;
    b.Fail(absl::InvalidArgumentError(absl::StrCat("moving average of '", name, "': expected a float dtype, got ", std::string(DTypeName(dtype)))), at);
    return false;
  };
  for (const GraphVariable& v : variables) {
    if (!is_float(v.dtype(), v.name())) return {};
    if (averages_.contains(v.name())) continue;
    const auto initial = [&] { return v.initial_value() ? v.InitializedValue(at) : v.value_now(at); };
    averages_[v.name()].value = MakeSlot(b, v, options_.name, Initializer(initial), at);
  }
  for (const Output& value : values) {
    if (!is_float(value.dtype(), value.name())) return {};
    if (!averages_.contains(value.name())) averages_[value.name()] = MakeFor(b, value, at);
  }
  if (!b.ok()) return {};

  BuilderScope scope = b.NameScope(options_.name, at);
  const std::string own_name = b.name_scope();
  Output decay = b.Constant(options_.decay, DType::kFloat32, "decay", at);
  if (options_.num_updates.has_value()) {
    const Output updates = b.Op("Cast", {*options_.num_updates}, {{"DstT", DType::kFloat32}}, "num_updates", at).output();
    decay = b.Op("Minimum", {decay, (1 + updates) / (10 + updates)}, {}, "", at).output();
  }
  std::vector<Operation> updates;
  for (const GraphVariable& v : variables) updates.push_back(Update(b, averages_[v.name()], v.value_now(at), decay, at));
  for (const Output& value : values) updates.push_back(Update(b, averages_[value.name()], value, decay, at));
  return b.ok() ? b.Group(updates, own_name, at) : Operation();
}

Operation ExponentialMovingAverage::Update(GraphBuilder& b, const Average& average, const Output& value, const Output& decay, std::source_location at) const {
  BuilderScope scope = b.NameScope("AssignMovingAvg", at);
  const std::optional<BuilderScope> place = WithVariable(b, average.value, at);
  const DType dtype = average.value.dtype();
  Output rate = 1 - decay;
  if (rate && dtype != rate.dtype()) rate = b.Op("Cast", {rate}, {{"DstT", dtype}}, "", at).output();
  const GraphVariable& changed = average.biased ? average.biased : average.value;
  const Operation moved = changed.AssignSub((changed.value_now(at) - value) * rate, false, at);
  if (!average.biased || !b.ok()) return moved;
  const Operation counted = average.updates.AssignAdd(1, false, at);
  if (!b.ok()) return {};
  BuilderScope after = b.ControlDependencies({moved, counted}, at);
  const Output share = 1 - b.Op("Pow", {1 - rate, average.updates.value_now(at)}, {}, "", at).output();
  return average.value.Assign(average.biased.value_now(at) / share, false, at);
}

}  // namespace flowlatch
