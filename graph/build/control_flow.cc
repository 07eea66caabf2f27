// Cond, Case, While of Switch and Merge, and loops over elements.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/build/builder_graph.h"
#include "graph/build/graph_builder.h"
#include "graph/build/loop_builder.h"

namespace flowlatch {
namespace {

// Enters a context as a branch or loop body that the user writes: control dependencies in force stay, since those from outside of a
// context are its pivot's affair.
class [[nodiscard]] UserContext {
 public:
  UserContext(GraphBuilder* b, ContextId context) : b_(*b), saved_(b->state().context) { b_.state().context = context; }
  ~UserContext() { b_.state().context = saved_; }

 private:
  GraphBuilder& b_;
  ContextId saved_;
};

std::string TypeList(const Outputs& values) {
  std::string text;
  for (const Output& v : values) absl::StrAppend(&text, text.empty() ? "" : ", ", std::string(DTypeName(v.dtype())));
  return absl::StrCat("(", text, ")");
}

}  // namespace

Outputs GraphBuilder::Cond(const Output& pred, const std::function<Outputs()>& then_branch, const std::function<Outputs()>& else_branch,
                           std::string_view name, std::source_location at) {
  if (!Ready()) return {};
  if (!pred || pred.builder() != this || pred.dtype() != DType::kBool || (pred.shape().has_rank() && pred.shape().rank() != 0)) {
    Fail(absl::InvalidArgumentError(absl::StrCat("Cond: predicate: expected a bool scalar of this builder, got ",
                                                 !pred || pred.builder() != this ? "none" : absl::StrCat(std::string(DTypeName(pred.dtype())), pred.shape().ToString()))),
         at);
    return {};
  }
  if (!then_branch || !else_branch) {
    Fail(absl::InvalidArgumentError("Cond: expected a function for each branch, got none"), at);
    return {};
  }
  BuilderScope scope = NameScope(name);
  // Each Switch sees the same predicate: of a reference, which may change between two reads, a copy is taken.
  const Output chosen = pred.is_ref() ? Op("LogicalOr", {pred, pred}, {}, "pred_id", at).output() : Op("Identity", {pred}, {}, "pred_id", at).output();
  if (!ok()) return {};
  const ContextId outer = state_->context;
  Outputs results[2];
  for (const int branch : {1, 0}) {
    const ContextId context = current().Branch(chosen.port(), branch, 2, outer);
    current().contexts[context].outer_controller = state_->controller;
    UserContext inside(this, context);
    Pivot(context, at);
    results[branch] = branch == 1 ? then_branch() : else_branch();
    if (!ok()) return {};
    const char* which = branch == 1 ? "then" : "else";
    if (results[branch].empty()) {
      Fail(absl::InvalidArgumentError(absl::StrCat("Cond: ", which, " branch: expected at least one output, got none; for a branch that only has effects return "
                                                   "WithDependencies({op}, Constant(true))")),
           at);
      return {};
    }
    for (Output& result : results[branch]) {
      if (!result || result.builder() != this) {
        Fail(absl::InvalidArgumentError(absl::StrCat("Cond: ", which, " branch: expected outputs of this builder, got an empty one")), at);
        return {};
      }
      result = Resolve(result, at);
      if (!ok()) return {};
    }
  }
  const bool same_count = results[0].size() == results[1].size();
  for (size_t i = 0; !same_count || i < results[0].size(); ++i) {
    if (same_count && results[0][i].dtype() == results[1][i].dtype()) continue;
    Fail(absl::InvalidArgumentError(absl::StrCat("Cond: expected outputs of the same dtypes from both branches, got ", TypeList(results[1]), " and ", TypeList(results[0]))), at);
    return {};
  }
  Outputs merged;
  for (size_t i = 0; i < results[0].size(); ++i) {
    const Port f = results[0][i].port(), t = results[1][i].port();
    const Operation merge = AddResolved("Merge", {f, t}, AttrMap{{"T", results[0][i].dtype()}, {"N", 2}}, "Merge", {}, at);
    if (!merge) return {};
    current().shape({merge.node(), 0}) = current().shape(f).JoinWith(current().shape(t));
    merged.push_back(merge.output());
  }
  return merged;
}

Output GraphBuilder::Cond(const Output& pred, const std::function<Output()>& then_branch, const std::function<Output()>& else_branch,
                          std::string_view name, std::source_location at) {
  const auto as_list = [](const std::function<Output()>& branch) {
    return branch ? std::function<Outputs()>([&branch] { return Outputs{branch()}; }) : std::function<Outputs()>();
  };
  const Outputs results = Cond(pred, as_list(then_branch), as_list(else_branch), name, at);
  return results.empty() ? Output() : results[0];
}

Outputs GraphBuilder::Case(const Output& index, const std::vector<std::function<Outputs()>>& branches, std::string_view name, std::source_location at) {
  if (!Ready()) return {};
  if (branches.empty() || !index || index.dtype() != DType::kInt32 || (index.shape().has_rank() && index.shape().rank() != 0)) {
    Fail(absl::InvalidArgumentError(absl::StrCat("Case: expected an int32 scalar and at least one branch, got ",
                                                 index ? absl::StrCat(std::string(DTypeName(index.dtype())), index.shape().ToString()) : "none", " and ",
                                                 branches.size(), " branches")),
         at);
    return {};
  }
  for (const auto& branch : branches) {
    if (branch) continue;
    Fail(absl::InvalidArgumentError("Case: expected a function for each branch, got none"), at);
    return {};
  }
  BuilderScope scope = NameScope(name);
  const int32_t count = static_cast<int32_t>(branches.size());
  const Output valid = Op("SelectV2", {Op("Less", {index, 0}, {}, "", at), count - 1, index}, {}, "index", at).output();
  // A tree of conds: its depth, and so what a captured value passes, is logarithmic.
  const std::function<Outputs(int32_t, int32_t)> choose = [&](int32_t first, int32_t end) -> Outputs {
    if (end - first == 1) return branches[first]();
    const int32_t middle = first + (end - first) / 2;
    return Cond(
        Op("Less", {valid, middle}, {}, "", at).output(), [&] { return choose(first, middle); }, [&] { return choose(middle, end); }, "branch", at);
  };
  if (count == 1) {
    // Still the index is computed first, as it would be for more branches.
    BuilderScope deps = ControlDependencies({valid}, at);
    return choose(0, 1);
  }
  return choose(0, count);
}

Outputs GraphBuilder::While(absl::Span<const Input> initial, const std::function<Output(const Outputs&)>& cond,
                            const std::function<Outputs(const Outputs&)>& body, const WhileOptions& options, std::source_location at) {
  if (!Ready()) return {};
  const auto fail = [&](const std::string& what) {
    Fail(absl::InvalidArgumentError(absl::StrCat("While: ", what)), at);
    return Outputs();
  };
  if (!cond || !body) return fail("expected a predicate and a body, got none");
  if (const std::string problem = LoopProblem(initial.size(), options); !problem.empty()) return fail(problem);
  BuilderScope scope = NameScope(options.name);
  Outputs values;
  for (const Input& value : initial) values.push_back(Constant(value, "initial", at));
  std::vector<PartialShape> invariants = options.shape_invariants;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!ok()) return {};
    if (options.shape_invariants.empty()) invariants.push_back(values[i].shape());
    if (!values[i].shape().IsAtLeastAsSpecificAs(invariants[i])) {
      return fail(absl::StrCat("variable ", i, ": expected an initial shape that fits its invariant ", invariants[i].ToString(), ", got ", values[i].shape().ToString()));
    }
  }
  Output limit;
  int first = 0;  // of the user's variables
  if (options.maximum_iterations.has_value()) {
    limit = Constant(*options.maximum_iterations, DType::kInt32, "maximum_iterations", at);
    if (!ok()) return {};
    if (limit.shape().has_rank() && limit.shape().rank() != 0) return fail(absl::StrCat("maximum_iterations: expected a scalar, got shape ", limit.shape().ToString()));
    values.insert(values.begin(), Constant(Input(0), "iteration_counter", at));
    invariants.insert(invariants.begin(), Shape());
    first = 1;
  }
  LoopBuilder loop = LoopBuilder::Begin(this, "while_context", options.parallel_iterations, at);
  const int count = static_cast<int>(values.size());
  for (int i = 0; i < count; ++i) loop.AddVariable(values[i], invariants[i]);
  if (!ok()) return {};
  {
    UserContext inside(this, loop.context());
    Outputs merged;
    for (int i = first; i < count; ++i) merged.push_back(loop.merged(i));
    Output predicate;
    if (first == 1) {
      const Output below = Op("Less", {loop.merged(0), limit}, {}, "", at).output();
      predicate = cond(merged);
      if (predicate) predicate = Op("LogicalAnd", {below, predicate}, {}, "", at).output();
    } else {
      predicate = cond(merged);
    }
    if (!ok()) return {};
    if (!predicate || predicate.builder() != this || predicate.dtype() != DType::kBool || (predicate.shape().has_rank() && predicate.shape().rank() != 0)) {
      return fail(absl::StrCat("predicate: expected a bool scalar, got ", predicate ? absl::StrCat(std::string(DTypeName(predicate.dtype())), predicate.shape().ToString()) : "none"));
    }
    loop.SetPredicate(predicate);
    Outputs current_values;
    for (int i = first; i < count; ++i) current_values.push_back(loop.body(i));
    Outputs next = body(current_values);
    if (!ok()) return {};
    if (static_cast<int>(next.size()) != count - first) {
      return fail(absl::StrCat("body: expected ", count - first, " values, one for each variable, got ", next.size()));
    }
    if (first == 1) next.insert(next.begin(), Op("AddV2", {loop.body(0), 1}, {}, "", at).output());
    for (int i = 0; i < count; ++i) {
      if (!ok()) return {};
      if (!next[i] || next[i].builder() != this) return fail(absl::StrCat("body: variable ", i - first, ": expected an output of this builder, got an empty one"));
      if (next[i].dtype() != values[i].dtype()) {
        return fail(absl::StrCat("body: variable ", i - first, ": expected ", std::string(DTypeName(values[i].dtype())), " as its initial value, got ",
                                 std::string(DTypeName(next[i].dtype())), " from '", next[i].name(), "'"));
      }
      if (!next[i].shape().IsAtLeastAsSpecificAs(invariants[i])) {
        return fail(absl::StrCat("body: variable ", i - first, " enters the loop with shape ", invariants[i].ToString(), " but has shape ", next[i].shape().ToString(),
                                 " after one iteration; shape_invariants can allow that"));
      }
      loop.SetNext(i, next[i]);
    }
  }
  Outputs results;
  for (int i = first; i < count; ++i) results.push_back(loop.exit(i));
  return ok() ? results : Outputs();
}

// --- Loops over elements -----------------------------------------------------------------------------------------------------------

namespace {

// What stays of a shape without its first dimension, as an op's input.
Input ElementDims(const PartialShape& shape) {
  if (!shape.has_rank() || shape.rank() == 0) return Input(-1);
  return Input(std::vector<int32_t>(shape.dims().begin() + 1, shape.dims().end()));
}

Input Dims32(const PartialShape& shape) {
  if (!shape.has_rank()) return Input(-1);
  return Input(std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
}

PartialShape WithFirst(int64_t first, const PartialShape& rest) {
  if (!rest.has_rank()) return rest;
  Dims dims{first};
  dims.insert(dims.end(), rest.dims().begin(), rest.dims().end());
  return PartialShape::FromValid(dims);
}

}  // namespace

// fn gives the next accumulators and what is emitted. The elements are popped off lists that hold them in reverse, what is emitted is
// pushed on lists: both, and their gradients, cost the same in each iteration.
GraphBuilder::Folded GraphBuilder::Fold(const Outputs& elements, absl::Span<const Input> initial, const FoldFunction& fn, const WhileOptions& options,
                                        std::string_view what, std::source_location at) {
  Folded result;
  if (!Ready()) return result;
  const auto fail = [&](const std::string& why) {
    Fail(absl::InvalidArgumentError(absl::StrCat(absl::string_view(what.data(), what.size()), ": ", why)), at);
    return result;
  };
  if (elements.empty()) return fail("expected at least one tensor of elements, got none");
  if (options.parallel_iterations < 1) return fail(absl::StrCat("parallel_iterations: expected at least 1, got ", options.parallel_iterations));
  if (options.maximum_iterations.has_value() || !options.shape_invariants.empty()) {
    return fail("expected no maximum_iterations and no shape_invariants, since the elements tell both");
  }
  BuilderScope scope = NameScope(options.name);
  int64_t static_count = -1;
  for (const Output& e : elements) {
    if (!e.shape().has_rank()) continue;
    if (e.shape().rank() == 0) return fail(absl::StrCat("elements '", e.name(), "': expected at least one dimension, got a scalar"));
    if (!e.shape().has_dim(0)) continue;
    if (static_count >= 0 && e.shape().dim(0) != static_count) {
      return fail(absl::StrCat("elements '", e.name(), "': expected ", static_count, " as before, got ", e.shape().dim(0)));
    }
    static_count = e.shape().dim(0);
  }
  const Output count = static_count >= 0 ? Constant(Input(static_cast<int32_t>(static_count)), "count", at)
                                         : Op("StridedSlice", {Op("Shape", {elements[0]}, {}, "", at), {0}, {1}, {1}}, {{"shrink_axis_mask", int64_t{1}}}, "count", at).output();
  Outputs values{Constant(Input(0), "i", at)};
  for (const Output& e : elements) {
    const Output reversed = Op("ReverseV2", {e, {0}}, {}, "", at).output();
    values.push_back(Op("TensorListFromTensor", {reversed, ElementDims(e.shape())}, {}, "", at).output());
  }
  for (const Input& acc : initial) values.push_back(Constant(acc, "initial", at));
  if (!ok()) return result;
  LoopBuilder loop = LoopBuilder::Begin(this, "while_context", options.parallel_iterations, at);
  for (const Output& v : values) loop.AddVariable(v, v.shape());
  if (!ok()) return result;
  {
    UserContext inside(this, loop.context());
    loop.SetPredicate(Op("Less", {loop.merged(0), count}, {}, "", at).output());
    if (!ok()) return result;
    loop.SetNext(0, Op("AddV2", {loop.body(0), 1}, {}, "", at).output());
    Outputs element, acc;
    for (size_t i = 0; i < elements.size(); ++i) {
      const int variable = static_cast<int>(1 + i);
      const Operation pop = Op("TensorListPopBack", {loop.body(variable), ElementDims(elements[i].shape())}, {{"element_dtype", elements[i].dtype()}}, "", at);
      if (!ok()) return result;
      loop.SetNext(variable, pop.output(0));
      element.push_back(pop.output(1));
    }
    const int first_acc = static_cast<int>(1 + elements.size());
    for (size_t i = 0; i < initial.size(); ++i) acc.push_back(loop.body(first_acc + static_cast<int>(i)));
    const auto [next, emitted] = fn(acc, element);
    if (!ok()) return result;
    if (next.size() != initial.size()) return fail(absl::StrCat("expected ", initial.size(), " accumulators, got ", next.size()));
    for (size_t i = 0; i < next.size(); ++i) {
      const Output& before = values[first_acc + i];
      if (!next[i] || next[i].dtype() != before.dtype() || !next[i].shape().IsAtLeastAsSpecificAs(before.shape())) {
        return fail(absl::StrCat("accumulator ", i, ": expected ", std::string(DTypeName(before.dtype())), before.shape().ToString(), " as its initial value, got ",
                                 next[i] ? absl::StrCat(std::string(DTypeName(next[i].dtype())), next[i].shape().ToString()) : "none"));
      }
      loop.SetNext(first_acc + static_cast<int>(i), next[i]);
    }
    for (const Output& e : emitted) {
      if (!e) {
        return fail("expected outputs of this builder, got an empty one");
      }
      Output list;
      {
        BuilderScope outside = EnterContext(current().contexts[loop.context()].parent);
        list = Op("EmptyTensorList", {Dims32(e.shape()), -1}, {{"element_dtype", e.dtype()}}, "", at).output();
      }
      if (!ok()) return result;
      const int variable = loop.AddVariable(list, Shape());
      loop.SetNext(variable, Op("TensorListPushBack", {loop.body(variable), e}, {}, "", at).output());
      result.emitted.push_back(loop.exit(variable));
      result.emitted_types.push_back({e.dtype(), e.shape()});
    }
    for (size_t i = 0; i < initial.size(); ++i) result.accumulators.push_back(loop.exit(first_acc + static_cast<int>(i)));
  }
  for (size_t i = 0; i < result.emitted.size(); ++i) {
    const auto& [dtype, shape] = result.emitted_types[i];
    const Output stacked = Op("TensorListStack", {result.emitted[i], Dims32(shape)}, {{"element_dtype", dtype}}, "", at).output();
    if (!ok()) return result;
    SetShape(stacked, WithFirst(static_count, shape), at);
    result.emitted[i] = stacked;
  }
  return result;
}

Outputs GraphBuilder::MapFn(const Outputs& elements, const std::function<Outputs(const Outputs&)>& fn, const WhileOptions& options, std::source_location at) {
  return Fold(
             elements, {}, [&](const Outputs&, const Outputs& element) { return std::pair(Outputs(), fn(element)); }, options, "MapFn", at)
      .emitted;
}

Outputs GraphBuilder::Foldl(const Outputs& elements, absl::Span<const Input> initial, const std::function<Outputs(const Outputs&, const Outputs&)>& fn,
                            const WhileOptions& options, std::source_location at) {
  return Fold(
             elements, initial, [&](const Outputs& acc, const Outputs& element) { return std::pair(fn(acc, element), Outputs()); }, options, "Foldl", at)
      .accumulators;
}

Outputs GraphBuilder::Scan(const Outputs& elements, absl::Span<const Input> initial, const std::function<Outputs(const Outputs&, const Outputs&)>& fn,
                           const WhileOptions& options, std::source_location at) {
  return Fold(
             elements, initial,
             [&](const Outputs& acc, const Outputs& element) {
               const Outputs next = fn(acc, element);
               return std::pair(next, next);
             },
             options, "Scan", at)
      .emitted;
}

Outputs GraphBuilder::ForRange(const Input& begin, const Input& end, absl::Span<const Input> initial,
                               const std::function<Outputs(const Output&, const Outputs&)>& body, const WhileOptions& options, std::source_location at) {
  if (!Ready()) return {};
  const Output limit = Constant(end, DType::kInt32, "end", at);
  std::vector<Input> variables{Constant(begin, DType::kInt32, "begin", at)};
  variables.insert(variables.end(), initial.begin(), initial.end());
  WhileOptions with_counter = options;
  if (!options.shape_invariants.empty()) with_counter.shape_invariants.insert(with_counter.shape_invariants.begin(), Shape());
  Outputs results = While(
      variables, [&](const Outputs& v) { return Op("Less", {v[0], limit}, {}, "", at).output(); },
      [&](const Outputs& v) {
        Outputs next = body(v[0], Outputs(v.begin() + 1, v.end()));
        next.insert(next.begin(), Op("AddV2", {v[0], 1}, {}, "", at).output());
        return next;
      },
      with_counter, at);
  if (!results.empty()) results.erase(results.begin());
  return results;
}

}  // namespace flowlatch
