#include "graph/build/loop_builder.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace flowlatch {

std::string LoopProblem(size_t num_variables, const WhileOptions& options) {
  if (num_variables == 0) return "expected at least one loop variable, got none";
  if (options.parallel_iterations < 1) return absl::StrCat("parallel_iterations: expected at least 1, got ", options.parallel_iterations);
  if (!options.shape_invariants.empty() && options.shape_invariants.size() != num_variables) {
    return absl::StrCat("shape_invariants: expected ", num_variables, ", one for each variable, got ", options.shape_invariants.size());
  }
  return "";
}

LoopBuilder LoopBuilder::Begin(GraphBuilder* b, std::string_view frame, int64_t parallel_iterations, std::source_location at) {
  BuilderState& state = b->state();
  const ContextId context = b->current().Loop(b->current().UniqueFrame(state.name_scope + std::string(frame)), parallel_iterations, state.context, state.controller);
  return LoopBuilder(b, context, at);
}

int LoopBuilder::AddVariable(const Output& initial, const PartialShape& shape) {
  const int number = static_cast<int>(loop().variables.size());
  loop().variables.emplace_back();
  if (!b_.Ready()) return number;
  BuilderGraph& g = b_.current();
  BuilderScope outside = b_.EnterContext(loop().parent);
  const Output value = b_.Resolve(initial, at_);
  if (!b_.ok()) return number;
  // The Enter waits for what was in force around the loop, as any op there would; in an outer loop, a value that is constant
  // there would otherwise start this loop once too often.
  absl::InlinedVector<NodeId, 4> controls;
  const int32_t stop = g.contexts[loop().parent].outer_controller;
  for (int32_t c = loop().outer_controller; c >= 0 && c != stop; c = g.controllers[c].parent) {
    controls.insert(controls.end(), g.controllers[c].ops.begin(), g.controllers[c].ops.end());
  }
  const Port entering = value.port();
  if (loop().parent != kRootContext && !b_.FitControls("Enter", {&entering, 1}, &controls, at_)) return number;
  BuilderScope inside = Enter();
  const DType dtype = value.dtype();
  const Operation enter = b_.AddResolved("Enter", {value.port()},
                                         AttrMap{{"T", dtype}, {"frame_name", loop().frame}, {"is_constant", false},
                                                 {"parallel_iterations", loop().parallel_iterations}},
                                         "Enter", controls, at_);
  if (!enter) return number;
  const Operation merge = b_.AddResolved("Merge", {Port{enter.node(), 0}, Port{enter.node(), 0}}, AttrMap{{"T", dtype}, {"N", 2}}, "Merge", {}, at_);
  if (!merge) return number;
  g.shape({enter.node(), 0}) = value.shape();
  g.shape({merge.node(), 0}) = shape;
  const auto handle = g.handles.find(value.port());
  if (handle != g.handles.end()) g.handles[Port{merge.node(), 0}] = HandleData(handle->second);
  LoopVariable& variable = loop().variables[number];
  variable.enter = enter.node();
  variable.merge = merge.node();
  if (number == 0) loop().pivot = merge.node();
  if (loop().loop_cond >= 0) AddSwitch(number);
  return number;
}

Output LoopBuilder::merged(int variable) {
  return b_.ok() ? At({loop().variables[variable].merge, 0}) : Output();
}

void LoopBuilder::AddSwitch(int number) {
  BuilderGraph& g = b_.current();
  const Port merge{loop().variables[number].merge, 0};
  const DType dtype = At(merge).dtype();
  const Operation made = b_.AddResolved("Switch", {merge, Port{loop().loop_cond, 0}}, AttrMap{{"T", dtype}}, "Switch", {}, at_);
  if (!made) return;
  Port body{made.node(), 1};
  for (const int port : {0, 1}) {
    g.shape({made.node(), port}) = g.shape(merge);
    const auto handle = g.handles.find(merge);
    if (handle != g.handles.end()) g.handles[Port{made.node(), port}] = HandleData(handle->second);
  }
  if (number == 0) {
    // A Switch waits for nothing: the node that others wait for is an Identity, dead when the loop ends.
    const Operation identity = b_.AddResolved("Identity", {body}, AttrMap{{"T", dtype}}, "Identity", {}, at_);
    if (!identity) return;
    body = {identity.node(), 0};
    loop().pivot = identity.node();
  }
  loop().variables[number].loop_switch = made.node();
  loop().variables[number].body = body;
}

void LoopBuilder::SetPredicate(const Output& predicate) {
  if (!b_.Ready()) return;
  BuilderScope inside = Enter();
  const Output seen = b_.Resolve(predicate, at_);
  if (!b_.ok()) return;
  const Operation cond = b_.Op("LoopCond", {seen}, {}, "LoopCond", at_);
  if (!cond) return;
  loop().loop_cond = cond.node();
  for (size_t i = 0; i < loop().variables.size() && b_.ok(); ++i) AddSwitch(static_cast<int>(i));
}

Output LoopBuilder::body(int variable) { return b_.ok() ? At(loop().variables[variable].body) : Output(); }

void LoopBuilder::SetNext(int number, const Output& next) {
  if (!b_.Ready()) return;
  BuilderScope inside = Enter();
  const Output seen = b_.Resolve(next, at_);
  if (!b_.ok()) return;
  const Operation made = b_.Op("NextIteration", {seen}, {}, "NextIteration", at_);
  if (!made) return;
  LoopVariable& variable = loop().variables[number];
  variable.next_iteration = made.node();
  b_.current().graph.SetInputs(variable.merge, {Port{variable.enter, 0}, Port{made.node(), 0}}, {});
}

Output LoopBuilder::exit(int number) {
  if (!b_.Ready()) return {};
  if (loop().variables[number].exit < 0) {
    BuilderGraph& g = b_.current();
    const Port value{loop().variables[number].loop_switch, 0};
    BuilderScope outside = b_.EnterContext(loop().parent);
    const Operation made = b_.AddResolved("Exit", {value}, AttrMap{{"T", At(value).dtype()}}, "Exit", {}, at_);
    if (!made) return {};
    g.shape({made.node(), 0}) = g.shape(value);
    const auto handle = g.handles.find(value);
    if (handle != g.handles.end()) g.handles[Port{made.node(), 0}] = HandleData(handle->second);
    loop().variables[number].exit = made.node();
  }
  return At({loop().variables[number].exit, 0});
}

}  // namespace flowlatch
