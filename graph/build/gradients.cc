#include "graph/build/gradients.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/build/functional_gradient.h"
#include "graph/build/grad_context.h"
#include "graph/build/gradient_builder.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

using Kind = ControlFlowContext::Kind;

// IndexedSlices with int64 indices, if any has them; else as they are.
Output WidenIndices(GraphBuilder& b, const Output& indices) {
  if (indices.dtype() == DType::kInt64) return indices;
  return b.Op("Cast", {indices}, {{"DstT", DType::kInt64}}).output();
}

// The gradient of a call of a function that has a gradient function: its inputs and the gradients of its outputs give those of its
// inputs.
absl::Status CallGradientFunction(GradContext& c) {
  GraphBuilder& b = c.builder();
  std::vector<Input> inputs;
  std::vector<DType> in_types, out_types;
  for (int i = 0; i < c.num_inputs(); ++i) {
    inputs.push_back(c.input(i));
    in_types.push_back(c.input_dtype(i));
    out_types.push_back(c.input_dtype(i));
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    const Output grad = c.grad(i);
    if (!grad) return absl::UnimplementedError(absl::StrCat("gradient function: expected gradients of all outputs, got none of output ", i));
    inputs.push_back(grad);
    in_types.push_back(grad.dtype());
  }
  const Attr* f = c.node().attrs.Find("f");
  const std::string& function = f != nullptr && f->Get<FunctionRef>() != nullptr ? f->Get<FunctionRef>()->name : c.op();
  const auto gradient = b.graph().library().gradients().find(function);
  const Operation call = b.Op("StatefulPartitionedCall", inputs, {{"Tin", in_types}, {"Tout", out_types}, {"f", FunctionRef{gradient->second, {}}}});
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.needs(i)) c.Set(i, call.output(i));
  }
  return absl::OkStatus();
}

}  // namespace

bool HasGradient(DType dtype) {
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16 || dtype == DType::kFloat32 || dtype == DType::kFloat64 || IsComplex(dtype) ||
         dtype == DType::kResource || dtype == DType::kVariant;
}

// --- Grad and Gradients ----------------------------------------------------------------------------------------------------------

Output Grad::dense() const {
  if (slices_.has_value()) return ToDense(*slices_->values.builder(), *slices_);
  if (!dense_ && builder_ != nullptr) builder_->Fail(absl::InvalidArgumentError(absl::StrCat("gradient: expected one, got none: ", reason_)));
  return dense_;
}

std::vector<Grad> Gradients(GraphBuilder& b, const Outputs& ys, const Outputs& xs, const GradientOptions& options, std::source_location at) {
  if (!b.Ready()) return std::vector<Grad>(xs.size());
  for (const Outputs* list : {&ys, &xs, &options.stop_gradients}) {
    for (const Output& value : *list) {
      if (value && value.builder() == &b) continue;
      b.Fail(absl::InvalidArgumentError("Gradients: expected outputs of this builder, got an empty one or another builder's"), at);
      return std::vector<Grad>(xs.size());
    }
  }
  return GradientBuilder(&b, options, at).Build(ys, xs);
}

// --- What a gradient function sees -------------------------------------------------------------------------------------------------

class NodeGradContext : public GradContext {
 public:
  NodeGradContext(GradientBuilder* gradients, NodeId id)
      : GradContext(gradients->b_, gradients->node(id)), gradients_(*gradients), id_(id) {
    const auto inputs = gradients_.g().graph.inputs(id);
    inputs_.assign(inputs.begin(), inputs.end());
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const Port p = inputs_[i];
      needs_[i] = HasGradient(input_dtype(static_cast<int>(i))) && p.node < gradients_.num_nodes_ && gradients_.between_[p.node];
    }
    for (int i = 0; i < num_outputs(); ++i) has_grad_[i] = gradients_.pieces_.contains(Port{id, i});
  }

  const PartialShape& input_shape(int i) const override { return gradients_.g().shape(inputs_[i]); }
  const PartialShape& output_shape(int i) const override { return gradients_.g().shape(Port{id_, i}); }
  const Tensor* constant_input(int i) const override { return gradients_.g().ConstantValue(gradients_.g().Source(inputs_[i])); }
  Output input(int i) override { return gradients_.Value(inputs_[i]); }
  Output output(int i) override { return gradients_.Value(Port{id_, i}); }
  Output ShapeOfInput(int i, DType dtype) override { return gradients_.ShapeOf(inputs_[i], dtype); }
  Output ShapeOfOutput(int i, DType dtype) override { return gradients_.ShapeOf(Port{id_, i}, dtype); }
  Output grad(int i) override {
    if (has_grad_[i]) return gradients_.DenseSum(Port{id_, i});
    if (output_dtype(i) == DType::kResource) return gradients_.ZerosOfVariable(Port{id_, i}, DType::kInvalid);
    return HasGradient(output_dtype(i)) ? gradients_.ZerosLike(Port{id_, i}) : Output();
  }
  const IndexedSlices* sparse_grad(int i) override {
    if (!has_grad_[i]) return nullptr;
    const auto piece = gradients_.Sum(Port{id_, i});
    if (!piece.slices.has_value()) return nullptr;
    sparse_ = piece.slices;
    return &*sparse_;
  }

  const std::string& scope() const override { return gradients_.scope_; }

  bool any_needed() const { return std::find(needs_.begin(), needs_.end(), true) != needs_.end(); }
  bool any_grad() const { return std::find(has_grad_.begin(), has_grad_.end(), true) != has_grad_.end(); }
  const std::vector<Port>& inputs() const { return inputs_; }
  std::vector<InputGrad>& results() { return grads_; }

 private:
  GradientBuilder& gradients_;
  NodeId id_;
  std::vector<Port> inputs_;
  std::optional<IndexedSlices> sparse_;
};

// --- GradientBuilder ---------------------------------------------------------------------------------------------------------------

GradientBuilder::GradientBuilder(GraphBuilder* b, const GradientOptions& options, std::source_location at)
    : b_(*b), options_(options), at_(at), base_(b->state().context), base_loop_(b->current().LoopOf(b->state().context)) {}

std::vector<Grad> GradientBuilder::Build(const Outputs& ys, const Outputs& xs) {
  std::vector<Grad> result(xs.size());
  const auto fail = [&](const std::string& what) {
    b_.Fail(absl::InvalidArgumentError(absl::StrCat("Gradients: ", what)), at_);
    return result;
  };
  if (!options_.grad_ys.empty() && options_.grad_ys.size() != ys.size()) {
    return fail(absl::StrCat("expected ", ys.size(), " grad_ys, one for each y, got ", options_.grad_ys.size()));
  }
  std::vector<Port> y_ports, x_ports, stop_ports;
  const auto resolve = [&](const Outputs& values, std::vector<Port>* ports) {
    for (const Output& value : values) ports->push_back(b_.Resolve(value, at_).port());
  };
  resolve(ys, &y_ports);
  resolve(xs, &x_ports);
  resolve(options_.stop_gradients, &stop_ports);
  if (!b_.ok()) return result;

  const auto mark = [&] {
    num_nodes_ = g().graph.num_nodes();
    stopped_.assign(num_nodes_, false);
    for (const Port p : stop_ports) stopped_[p.node] = true;
    Mark(y_ports, x_ports);
  };
  mark();
  // Calls and functional control flow between xs and ys are replaced by what they do, as often as new ones come to light.
  for (int depth = 0; b_.ok(); ++depth) {
    std::vector<NodeId> calls;
    for (NodeId id = 0; id < num_nodes_; ++id) {
      if (between_[id] && !stopped_[id] && IsFunctional(g().graph, id)) calls.push_back(id);
    }
    if (calls.empty()) break;
    if (depth == kMaxInlineDepth) return fail(absl::StrCat("expected calls of at most ", kMaxInlineDepth, " levels, got more at '", std::string(node(calls[0]).name), "'"));
    for (const NodeId id : calls) InlineFunctional(b_, id, at_);
    if (b_.ok()) mark();
  }
  if (!b_.ok()) return result;
  GroupByLevel();

  BuilderScope name_scope = b_.NameScope(options_.name);
  scope_ = b_.state().name_scope.substr(0, b_.state().name_scope.size() - 1);
  for (size_t i = 0; i < ys.size() && b_.ok(); ++i) {
    const DType dtype = ys[i].dtype();
    Piece seed{.dense = {}, .slices = std::nullopt, .context = base_};
    if (i < options_.sparse_grad_ys.size() && options_.sparse_grad_ys[i].has_value()) {
      seed.slices = options_.sparse_grad_ys[i];
    } else if (!options_.grad_ys.empty() && options_.grad_ys[i]) {
      const Output& given = options_.grad_ys[i];
      const bool both_complex = IsComplex(dtype) == IsComplex(given.dtype());
      if (!both_complex || (dtype == DType::kVariant) != (given.dtype() == DType::kVariant)) {
        return fail(absl::StrCat("grad_ys[", i, "]: expected a dtype that fits ", std::string(DTypeName(dtype)), ", got ", std::string(DTypeName(given.dtype()))));
      }
      if (!given.shape().CompatibleWith(g().shape(y_ports[i]))) {
        return fail(absl::StrCat("grad_ys[", i, "]: expected shape ", g().shape(y_ports[i]).ToString(), ", got ", given.shape().ToString()));
      }
      seed.dense = given;
    } else if (IsComplex(dtype)) {
      return fail(absl::StrCat("ys[", i, "] is ", std::string(DTypeName(dtype)), ": expected an entry in grad_ys"));
    } else if (!HasGradient(dtype) || dtype == DType::kResource || dtype == DType::kVariant) {
      continue;
    } else {
      BuilderScope scope = EnterGradientContext(g().ContextOf(y_ports[i]));
      seed.dense = b_.Op("Fill", {ShapeOf(y_ports[i], DType::kInt32), b_.Constant(Input(1.0), dtype, "one", at_)}, {}, "grad_ys", at_).output();
    }
    AddPiece(y_ports[i], seed);
  }
  RunLevel(base_loop_);
  for (size_t i = 0; i < xs.size() && b_.ok(); ++i) {
    const Piece piece = Sum(x_ports[i]);
    if (piece.slices.has_value()) {
      result[i] = Grad(*piece.slices);
    } else if (piece.dense) {
      result[i] = Grad(piece.dense);
    } else if (options_.unconnected == GradientOptions::Unconnected::kZero && HasGradient(xs[i].dtype())) {
      result[i] = Grad(ZerosLike(x_ports[i]));
    } else {
      result[i] = Grad(&b_, Reason(x_ports[i], y_ports));
    }
  }
  return result;
}

void GradientBuilder::Mark(const std::vector<Port>& ys, const std::vector<Port>& xs) {
  const Graph& graph = g().graph;
  // Consumers by data edges that gradients may take, by counting.
  std::vector<uint32_t> first(num_nodes_ + 1, 0);
  const auto for_each_edge = [&](auto&& visit) {
    for (NodeId id = 0; id < num_nodes_; ++id) {
      for (const Port p : graph.inputs(id)) {
        if (HasGradient(graph.node(p.node).types->outputs[p.index].dtype)) visit(p.node, id);
      }
    }
  };
  for_each_edge([&](NodeId from, NodeId) { ++first[from + 1]; });
  for (int i = 0; i < num_nodes_; ++i) first[i + 1] += first[i];
  std::vector<NodeId> consumers(first[num_nodes_]);
  std::vector<uint32_t> at(first.begin(), first.end() - 1);
  for_each_edge([&](NodeId from, NodeId to) { consumers[at[from]++] = to; });

  std::vector<bool> reached(num_nodes_, false);
  std::vector<NodeId> queue;
  const auto visit = [&](std::vector<bool>& marks, NodeId id) {
    if (marks[id]) return;
    marks[id] = true;
    queue.push_back(id);
  };
  for (const Port x : xs) visit(reached, x.node);
  while (!queue.empty()) {
    const NodeId id = queue.back();
    queue.pop_back();
    for (uint32_t i = first[id]; i < first[id + 1]; ++i) visit(reached, consumers[i]);
  }
  between_.assign(num_nodes_, false);
  for (const Port y : ys) {
    if (reached[y.node]) visit(between_, y.node);
  }
  while (!queue.empty()) {
    const NodeId id = queue.back();
    queue.pop_back();
    if (stopped_[id]) continue;
    for (const Port p : graph.inputs(id)) {
      if (reached[p.node] && HasGradient(graph.node(p.node).types->outputs[p.index].dtype)) visit(between_, p.node);
    }
  }
}

void GradientBuilder::GroupByLevel() {
  BuilderGraph& graph = g();
  structure_of_.assign(num_nodes_, -1);
  for (ContextId c = 1; c < static_cast<ContextId>(graph.contexts.size()); ++c) {
    const ControlFlowContext& context = graph.contexts[c];
    if (context.kind != Kind::kLoop) continue;
    bool used = false;
    for (const LoopVariable& v : context.variables) {
      for (const NodeId id : {v.enter, v.merge, v.loop_switch, v.next_iteration, v.exit}) {
        if (id >= 0) structure_of_[id] = c;
      }
      used |= between_[v.merge];
    }
    for (const NodeId id : context.invariants) structure_of_[id] = c;
    if (context.loop_cond >= 0) structure_of_[context.loop_cond] = c;
    if (used) inner_loops_[graph.LoopOf(context.parent)].push_back(c);
  }
  for (NodeId id = 0; id < num_nodes_; ++id) {
    if (between_[id] && structure_of_[id] < 0) levels_[graph.LoopOf(graph.context[id])].push_back(id);
  }
  pending_.assign(num_nodes_ + graph.contexts.size(), 0);
}

int GradientBuilder::UnitOf(Port port, ContextId loop) {
  if (port.node >= num_nodes_ || !between_[port.node]) return -1;
  const ContextId structure = structure_of_[port.node];
  if (structure < 0) return g().LoopOf(g().context[port.node]) == loop ? port.node : -1;
  // Of the structure of loops only Exits are seen, and only from outside.
  return structure != loop && g().LoopOf(g().contexts[structure].parent) == loop ? num_nodes_ + structure : -1;
}

template <typename Visit>
void GradientBuilder::ForEachInput(int unit, Visit&& visit) {
  const Graph& graph = g().graph;
  if (unit < num_nodes_) {
    const auto inputs = graph.inputs(unit);
    const std::vector<PortType>& types = graph.node(unit).types->inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (HasGradient(types[i].dtype)) visit(inputs[i]);
    }
    return;
  }
  const ControlFlowContext& context = g().contexts[unit - num_nodes_];
  const auto entered = [&](NodeId enter) {
    if (enter < num_nodes_ && between_[enter]) visit(graph.inputs(enter)[0]);
  };
  for (const LoopVariable& v : context.variables) entered(v.enter);
  for (const NodeId id : context.invariants) entered(id);
}

void GradientBuilder::RunLevel(ContextId loop) {
  std::vector<int> units;
  for (const NodeId id : levels_[loop]) units.push_back(id);
  for (const ContextId c : inner_loops_[loop]) units.push_back(num_nodes_ + c);
  for (const int unit : units) {
    ForEachInput(unit, [&](Port p) {
      if (const int from = UnitOf(p, loop); from >= 0) ++pending_[from];
    });
  }
  std::deque<int> ready;
  for (const int unit : units) {
    if (pending_[unit] == 0) ready.push_back(unit);
  }
  size_t handled = 0;
  for (; !ready.empty() && b_.ok(); ready.pop_front(), ++handled) {
    const int unit = ready.front();
    // Before the unit is handled: that may change the loop, whose new inputs do not count.
    std::vector<int> from;
    ForEachInput(unit, [&](Port p) {
      if (const int u = UnitOf(p, loop); u >= 0) from.push_back(u);
    });
    if (unit < num_nodes_) {
      RunNode(unit);
    } else {
      RunLoop(unit - num_nodes_);
    }
    for (const int u : from) {
      if (--pending_[u] == 0) ready.push_back(u);
    }
  }
  if (b_.ok() && handled < units.size()) {
    b_.Fail(absl::InvalidArgumentError("Gradients: expected loops that end before their results are used to start them, got a cycle"), at_);
  }
}

BuilderScope GradientBuilder::EnterGradientContext(ContextId forward) {
  const ContextId context = GradientContext(forward);
  if (context != base_ || b_.state().context != base_) return b_.EnterContext(context);
  return b_.NameScope(b_.state().name_scope);  // as at the call, control dependencies included
}

void GradientBuilder::RunNode(NodeId id) {
  if (stopped_[id]) return;
  const Node here = node(id);
  if (g().switch_branches.contains(id)) return RunSwitch(id);
  if (here.op() == "Merge") return RunMerge(id);
  NodeGradContext c(this, id);
  if (!c.any_grad() || !c.any_needed()) return;
  const std::string gradient_function = FunctionGradientOf(g().graph, id);
  GradFunction gradient = gradient_function.empty() ? here.schema->gradient() : &CallGradientFunction;
  // The graph's author may have wanted the gradient of another op.
  if (const Attr* other = here.attrs.Find("_gradient_op_type"); other != nullptr && other->Get<std::string>() != nullptr) {
    const OpSchema* schema = b_.registry().FindRegistered(*other->Get<std::string>());
    gradient = schema != nullptr ? schema->gradient() : nullptr;
    if (gradient == nullptr) {
      b_.Fail(absl::UnimplementedError(absl::StrCat("Gradients: node '", Absl(here.name), "' (", here.op(), "): expected the gradient of an op, got '",
                                                    *other->Get<std::string>(), "' in _gradient_op_type, which only the program knew that made the graph")),
              at_);
      return;
    }
  }
  if (gradient == nullptr) {
    b_.Fail(absl::UnimplementedError(absl::StrCat("Gradients: node '", Absl(here.name), "' (", here.op(), "): the op has no gradient")), at_);
    return;
  }
  const ContextId forward = g().context[id];
  BuilderScope scope = EnterGradientContext(forward);
  BuilderScope name_scope = b_.NameScope(absl::StrCat(Absl(here.name), "_grad"));
  std::optional<BuilderScope> colocation;
  if (options_.colocate) colocation.emplace(b_.ColocateWith(Operation(&b_, b_.state().graph, id), at_));
  if (const absl::Status status = gradient(c); !status.ok()) {
    b_.Fail(absl::Status(status.code(), absl::StrCat("Gradients: node '", Absl(here.name), "' (", here.op(), "): ", status.message())), at_);
  }
  if (!b_.ok()) return;
  auto& results = c.results();
  if (options_.gate) {
    Outputs dense;
    for (size_t i = 0; i < results.size(); ++i) dense.push_back(c.needs(static_cast<int>(i)) ? results[i].dense : Output());
    if (std::count_if(dense.begin(), dense.end(), [](const Output& o) { return static_cast<bool>(o); }) > 1) {
      dense = b_.Tuple(dense, {}, "tuple", at_);
      for (size_t i = 0; i < results.size(); ++i) {
        if (dense[i]) results[i].dense = dense[i];
      }
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!c.needs(static_cast<int>(i))) continue;
    const auto& [dense, slices] = results[i];
    if (!dense && !slices.has_value()) {
      cut_.insert(id);
      continue;
    }
    const Port port = c.inputs()[i];
    if (dense && c.input_dtype(static_cast<int>(i)) != DType::kResource && !dense.shape().CompatibleWith(g().shape(port))) {
      b_.Fail(absl::InvalidArgumentError(absl::StrCat("Gradients: node '", Absl(here.name), "' (", here.op(), "): gradient of input ", i, ": expected shape ",
                                                      g().shape(port).ToString(), ", got ", dense.shape().ToString())),
              at_);
      return;
    }
    AddPiece(port, Piece{dense, slices, GradientContext(forward)});
  }
}

// The branches' gradients merge, zeros where a branch has none.
void GradientBuilder::RunSwitch(NodeId id) {
  const int count = node(id).num_outputs();
  const ContextId forward = g().context[id];
  const Port data = g().graph.inputs(id)[0];
  bool any = false;
  std::vector<Piece> pieces(count);
  for (int k = 0; k < count; ++k) {
    pieces[k] = Sum(Port{id, k});
    any |= pieces[k].exists();
  }
  if (!any || !between_[data.node]) return;
  Outputs merged;
  DType dtype = DType::kInvalid;
  for (const Piece& piece : pieces) {
    if (piece.exists()) dtype = piece.slices.has_value() ? piece.slices->values.dtype() : piece.dense.dtype();
  }
  for (int k = 0; k < count && b_.ok(); ++k) {
    const ContextId branch = GradientContext(g().ContextOf(Port{id, k}));
    BuilderScope scope = b_.EnterContext(branch);
    Output value;
    if (pieces[k].exists()) {
      value = DenseSum(Port{id, k});
    } else {
      value = node(id).types->inputs[0].dtype == DType::kResource ? ZerosOfVariable(data, dtype) : ZerosLike(data);
    }
    merged.push_back(b_.Resolve(value, at_));
  }
  if (!b_.ok()) return;
  BuilderScope scope = EnterGradientContext(forward);
  AddPiece(data, Piece{MergeValues(merged), std::nullopt, GradientContext(forward)});
}

// Each input gets what the merged value gets; a branch's Switch cuts off the one that was not taken.
void GradientBuilder::RunMerge(NodeId id) {
  const Piece piece = Sum(Port{id, 0});
  if (!piece.exists()) return;
  const ContextId forward = g().context[id];
  const auto input_span = g().graph.inputs(id);
  const std::vector<Port> inputs(input_span.begin(), input_span.end());
  // The regular form: each input is of another branch of one selector.
  bool regular = true;
  absl::flat_hash_set<ContextId> seen;
  for (const Port p : inputs) {
    const ContextId from = g().ContextOf(p);
    regular &= from != kRootContext && g().contexts[from].kind == Kind::kBranch && g().contexts[from].parent == forward && seen.insert(from).second &&
               g().contexts[from].selector == g().contexts[g().ContextOf(inputs[0])].selector;
  }
  for (size_t j = 0; j < inputs.size() && b_.ok(); ++j) {
    if (!HasGradient(At(inputs[j]).dtype()) || !between_[inputs[j].node]) continue;
    if (regular) {
      AddPiece(inputs[j], Piece{piece.dense, piece.slices, GradientContext(forward)});
      continue;
    }
    BuilderScope scope = EnterGradientContext(forward);
    const Output chosen = b_.Op("Equal", {Value(Port{id, 1}), static_cast<int32_t>(j)}, {}, "", at_).output();
    if (!b_.ok()) return;
    const ContextId branch = g().Branch(b_.Resolve(chosen, at_).port(), 1, 2, GradientContext(forward));
    const Output dense = DenseSum(Port{id, 0});
    BuilderScope inside = b_.EnterContext(branch);
    AddPiece(inputs[j], Piece{b_.Resolve(dense, at_), std::nullopt, branch});
  }
}

Output GradientBuilder::MergeValues(const Outputs& values) {
  std::vector<Port> ports;
  for (const Output& value : values) ports.push_back(value.port());
  if (!b_.ok()) return {};
  const Operation merge = b_.AddResolved("Merge", ports, AttrMap{{"T", values[0].dtype()}, {"N", static_cast<int64_t>(values.size())}}, "Merge", {}, at_);
  return merge.output();
}

void GradientBuilder::AddPiece(Port port, Piece piece) { pieces_[port].push_back(std::move(piece)); }

GradientBuilder::Piece GradientBuilder::Sum(Port port) {
  const auto at = pieces_.find(port);
  if (at == pieces_.end() || !b_.ok()) return {};
  const ContextId forward = g().ContextOf(port);
  const ContextId context = GradientContext(forward);
  if (at->second.size() == 1 && g().Encloses(at->second[0].context, context)) return at->second[0];
  auto pieces = at->second;
  for (Piece& piece : pieces) piece = Lift(std::move(piece), port);
  BuilderScope scope = EnterGradientContext(forward);
  Piece sum{.dense = {}, .slices = std::nullopt, .context = context};
  if (pieces.size() == 1) {
    sum = pieces[0];
  } else if (std::all_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.slices.has_value(); })) {
    const bool wide = std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.slices->indices.dtype() == DType::kInt64; });
    std::vector<Input> values, indices;
    for (const Piece& p : pieces) {
      values.push_back(p.slices->values);
      indices.push_back(wide ? WidenIndices(b_, p.slices->indices) : p.slices->indices);
    }
    values.push_back(0);
    indices.push_back(0);
    sum.slices = IndexedSlices{b_.Op("ConcatV2", values, {}, "", at_).output(), b_.Op("ConcatV2", indices, {}, "", at_).output(),
                               pieces[0].slices->dense_shape};
  } else {
    std::vector<Input> dense;
    for (const Piece& p : pieces) dense.push_back(p.slices.has_value() ? ToDense(b_, *p.slices) : p.dense);
    if (options_.aggregation == GradientOptions::Aggregation::kTree) {
      Output total = *dense[0].output();
      for (size_t i = 1; i < dense.size(); ++i) total = b_.Op("AddN", {total, dense[i]}, {}, "", at_).output();
      sum.dense = total;
    } else {
      sum.dense = b_.Op("AddN", dense, {}, "", at_).output();
    }
  }
  pieces_[port].assign(1, sum);
  return sum;
}

Output GradientBuilder::DenseSum(Port port) {
  const Piece piece = Sum(port);
  if (!piece.slices.has_value()) return piece.dense;
  const ContextId forward = g().ContextOf(port);
  BuilderScope scope = EnterGradientContext(forward);
  const Output dense = ToDense(b_, *piece.slices);
  pieces_[port].assign(1, Piece{dense, std::nullopt, GradientContext(forward)});
  return dense;
}

// A piece that was made in a branch exists outside of it too: as zeros when another branch was taken.
GradientBuilder::Piece GradientBuilder::Lift(Piece piece, Port port) {
  const ContextId target = GradientContext(g().ContextOf(port));
  ContextId outer = piece.context;
  while (!g().Encloses(outer, target)) outer = g().contexts[outer].parent;
  if (outer == piece.context) return piece;
  if (piece.slices.has_value()) {
    BuilderScope scope = b_.EnterContext(piece.context);
    piece.dense = ToDense(b_, *piece.slices);
    piece.slices.reset();
  }
  piece.dense = MergeOut(piece.dense, piece.context, outer, [&] { return ZerosLike(port); });
  piece.context = outer;
  return piece;
}

// Why no gradient came to x: what stands on a way from it to a y.
std::string GradientBuilder::Reason(Port x, const std::vector<Port>& ys) {
  const Graph& graph = g().graph;
  const std::string name = graph.PortName(x);
  if (!HasGradient(At(x).dtype())) return absl::StrCat("'", name, "' is ", std::string(DTypeName(At(x).dtype())), ", which has no gradient");
  std::vector<std::vector<NodeId>> consumers(num_nodes_);
  for (NodeId id = 0; id < num_nodes_; ++id) {
    for (const Port p : graph.inputs(id)) {
      if (p.node < num_nodes_) consumers[p.node].push_back(id);
    }
  }
  std::vector<NodeId> came_from(num_nodes_, -1);
  std::deque<NodeId> queue{x.node};
  came_from[x.node] = x.node;
  while (!queue.empty()) {
    const NodeId id = queue.front();
    queue.pop_front();
    for (const NodeId next : consumers[id]) {
      if (came_from[next] >= 0) continue;
      came_from[next] = id;
      queue.push_back(next);
    }
  }
  for (const Port y : ys) {
    if (y.node >= num_nodes_ || came_from[y.node] < 0) continue;
    std::vector<NodeId> way;  // from y back to x
    for (NodeId id = y.node; id != x.node; id = came_from[id]) way.push_back(id);
    way.push_back(x.node);
    for (auto id = way.rbegin(); id != way.rend(); ++id) {
      const Node& n = graph.node(*id);
      const std::string what = absl::StrCat("'", Absl(n.name), "' (", n.op(), ")");
      if (stopped_[*id]) return absl::StrCat(what, " is in stop_gradients");
      if (cut_.contains(*id)) return absl::StrCat("no gradient passes through ", what);
      if (*id == y.node) break;
      const auto next = std::next(id);
      if (next == way.rend()) break;
      for (const Port p : graph.inputs(*next)) {
        const DType dtype = graph.node(p.node).types->outputs[p.index].dtype;
        if (p.node == *id && !HasGradient(dtype)) return absl::StrCat(what, " gives ", std::string(DTypeName(dtype)), ", which has no gradient");
      }
    }
    if (!HasGradient(At(y).dtype())) return absl::StrCat("'", graph.PortName(y), "' is ", std::string(DTypeName(At(y).dtype())), ", which has no gradient");
    return absl::StrCat("no gradient passes from '", graph.PortName(y), "' to '", name, "'");
  }
  return absl::StrCat("no y depends on '", name, "'");
}

}  // namespace flowlatch
