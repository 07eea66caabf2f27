// The part of GradientBuilder that knows loops and branches: where gradients are made, what they see of the forward pass, and the
// backward loop.
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/build/gradient_builder.h"
#include "graph/build/loop_builder.h"

namespace flowlatch {
namespace {

using Kind = ControlFlowContext::Kind;

bool IsConstantEnter(const Node& node) {
  if (node.op() != "Enter") return false;
  const Attr* constant = node.schema->AttrOrDefault(node.attrs, "is_constant");
  return constant != nullptr && constant->Get<bool>() != nullptr && *constant->Get<bool>();
}

}  // namespace

ContextId GradientBuilder::GradientContext(ContextId forward) {
  BuilderGraph& graph = g();
  const ContextId loop = graph.LoopOf(forward);
  if (loop < 0 || graph.Encloses(loop, base_)) return graph.Encloses(forward, base_) ? base_ : forward;
  if (forward == loop) return backward_.at(loop).context;
  const auto known = gradient_contexts_.find(forward);
  if (known != gradient_contexts_.end()) return known->second;
  const ContextId parent = GradientContext(graph.contexts[forward].parent);
  const Port selector = graph.contexts[forward].selector;
  const int branch = graph.contexts[forward].branch, count = graph.contexts[forward].num_branches;
  const Output chosen = Value(selector);
  BuilderScope scope = b_.EnterContext(parent);
  const Output seen = b_.Resolve(chosen, at_);
  const ContextId context = b_.ok() ? graph.Branch(seen.port(), branch, count, parent) : parent;
  gradient_contexts_.emplace(forward, context);
  return context;
}

Output GradientBuilder::Value(Port port) {
  if (!b_.ok()) return {};
  BuilderGraph& graph = g();
  const ContextId loop = graph.LoopOf(graph.ContextOf(port));
  if (loop < 0 || graph.Encloses(loop, base_)) return At(port);
  auto& values = backward_.at(loop).values;
  const auto known = values.find(port);
  if (known != values.end()) return known->second;
  // What the value is a copy of, as far as it is a copy.
  Port source = port;
  Output value;
  while (true) {
    const Node& from = graph.graph.node(source.node);
    if (graph.LoopOf(graph.ContextOf(source)) != loop) {
      value = Value(source);
      break;
    }
    if (IsConstantEnter(from)) {
      value = Value(graph.graph.inputs(source.node)[0]);
      break;
    }
    if (from.op() == "Const") {
      BuilderScope scope = EnterGradientContext(graph.ContextOf(source));
      value = b_.Op("Const", {}, from.attrs.entries(), from.name, at_).output();
      break;
    }
    if (from.op() == "Identity" || graph.switch_branches.contains(source.node)) {
      source = graph.graph.inputs(source.node)[0];
      continue;
    }
    const auto kept = values.find(source);
    value = kept != values.end() ? kept->second : Accumulate(source);
    break;
  }
  backward_.at(loop).values.insert_or_assign(source, value);
  backward_.at(loop).values.insert_or_assign(port, value);
  return value;
}

Output GradientBuilder::ShapeOf(Port port, DType dtype) {
  if (!b_.ok()) return {};
  if (const std::optional<Shape> shape = g().shape(port).ToShape(); shape.has_value() && At(port).dtype() != DType::kResource) {
    std::vector<int64_t> dims(shape->dims().begin(), shape->dims().end());
    return b_.Constant(Input(dims), dtype, "shape", at_);
  }
  const ContextId forward = g().ContextOf(port);
  const ContextId loop = g().LoopOf(forward);
  if (loop < 0 || g().Encloses(loop, base_)) return b_.Op("Shape", {At(port)}, {{"out_type", dtype}}, "", at_).output();
  // In a loop the forward pass keeps the shape rather than the value.
  Output shape;
  {
    BuilderScope scope = b_.EnterContext(forward);
    shape = b_.Op("Shape", {At(port)}, {{"out_type", dtype}}, "", at_).output();
  }
  return b_.ok() ? Value(shape.port()) : Output();
}

Output GradientBuilder::ZerosLike(Port port) {
  if (!b_.ok()) return {};
  const DType dtype = At(port).dtype();
  if (dtype == DType::kResource || dtype == DType::kVariant) return b_.Op("ZerosLike", {Value(port)}, {}, "", at_).output();
  if (!g().shape(port).fully_defined()) {
    const ContextId loop = g().LoopOf(g().ContextOf(port));
    if (loop < 0 || g().Encloses(loop, base_)) return b_.Op("ZerosLike", {At(port)}, {}, "", at_).output();
  }
  const Output zero = b_.Constant(Input(0), dtype, "zero", at_);
  if (g().shape(port).rank() == 0) return zero;
  return b_.Op("Fill", {ShapeOf(port, DType::kInt32), zero}, {}, "zeros", at_).output();
}

// Zeros like the value of the variable whose handle `port` is, of `dtype` (kInvalid: what the handle says; empty if it does not).
Output GradientBuilder::ZerosOfVariable(Port port, DType dtype) {
  const auto handle = g().handles.find(port);
  if (dtype == DType::kInvalid && handle != g().handles.end()) dtype = handle->second.dtype;
  if (!b_.ok() || dtype == DType::kInvalid) return {};
  const Output zero = b_.Constant(Input(0), dtype, "zero", at_);
  if (const auto held = g().handles.find(port); held != g().handles.end() && held->second.shape.fully_defined()) {
    const auto dims = held->second.shape.dims();
    return b_.Op("Fill", {Input(std::vector<int64_t>(dims.begin(), dims.end())), zero}, {}, "zeros", at_).output();
  }
  const Output shape = b_.Op("VariableShape", {Value(port)}, {}, "", at_).output();
  return b_.Op("Fill", {shape, zero}, {}, "zeros", at_).output();
}

Output GradientBuilder::MergeOut(Output value, ContextId inner, ContextId outer, const std::function<Output()>& other) {
  BuilderGraph& graph = g();
  for (ContextId c = inner; c != outer && b_.ok(); c = graph.contexts[c].parent) {
    const ContextId parent = graph.contexts[c].parent;
    const Port selector = graph.contexts[c].selector;
    const int count = graph.contexts[c].num_branches, branch = graph.contexts[c].branch;
    Outputs values;
    for (int k = 0; k < count; ++k) {
      BuilderScope scope = b_.EnterContext(k == branch ? c : graph.Branch(selector, k, count, parent));
      values.push_back(b_.Resolve(k == branch ? value : other(), at_));
    }
    if (!b_.ok()) return {};
    BuilderScope scope = b_.EnterContext(parent);
    const PartialShape shape = values[branch].shape();
    value = MergeValues(values);
    if (value && shape.has_rank()) g().shape(value.port()) = shape;
  }
  return value;
}

// The forward loop pushes the value on a list in each iteration that computes it; the backward loop pops it.
Output GradientBuilder::Accumulate(Port port) {
  BuilderGraph& graph = g();
  const ContextId forward = graph.ContextOf(port);
  const ContextId loop = graph.LoopOf(forward);
  const PartialShape shape = graph.shape(port);
  const DType dtype = At(port).dtype();
  Output kept;
  {
    LoopBuilder loop_builder(&b_, loop, at_);
    Output list;
    {
      BuilderScope outside = b_.EnterContext(graph.contexts[loop].parent);
      list = b_.Op("EmptyTensorList", {-1, -1}, {{"element_dtype", dtype}}, "kept", at_).output();
    }
    if (!b_.ok()) return {};
    const int variable = loop_builder.AddVariable(list, Shape());
    const Output old = loop_builder.body(variable);
    Output pushed;
    {
      BuilderScope inside = b_.EnterContext(forward);
      pushed = b_.Op("TensorListPushBack", {old, At(port)}, {}, "", at_).output();
    }
    loop_builder.SetNext(variable, MergeOut(pushed, forward, loop, [&] { return old; }));
    kept = loop_builder.exit(variable);
  }
  if (!b_.ok()) return {};

  const ContextId backward = backward_.at(loop).context;
  LoopBuilder loop_builder(&b_, backward, at_);
  const int variable = loop_builder.AddVariable(Value(kept.port()), Shape());
  const Output old = loop_builder.body(variable);
  const ContextId context = GradientContext(forward);
  Operation pop;
  {
    BuilderScope inside = b_.EnterContext(context);
    Input dims = Input(-1);
    if (shape.has_rank()) dims = Input(std::vector<int32_t>(shape.dims().begin(), shape.dims().end()));
    pop = b_.Op("TensorListPopBack", {old, dims}, {{"element_dtype", dtype}}, "", at_);
  }
  loop_builder.SetNext(variable, MergeOut(pop.output(0), context, backward, [&] { return old; }));
  if (!b_.ok()) return {};
  g().shape(pop.output(1).port()) = shape;
  return pop.output(1);
}

// How many iterations the forward loop made.
Output GradientBuilder::TripCount(ContextId loop) {
  Output& count = trip_counts_[loop];
  if (!count && b_.ok()) {
    LoopBuilder loop_builder(&b_, loop, at_);
    Output zero;
    {
      BuilderScope outside = b_.EnterContext(g().contexts[loop].parent);
      zero = b_.Constant(Input(0), "count", at_);
    }
    const int variable = loop_builder.AddVariable(zero, Shape());
    {
      BuilderScope inside = loop_builder.Enter();
      loop_builder.SetNext(variable, b_.Op("AddV2", {loop_builder.body(variable), 1}, {}, "", at_).output());
    }
    count = loop_builder.exit(variable);
  }
  return b_.ok() ? Value(count.port()) : Output();
}

void GradientBuilder::RunLoop(ContextId loop) {
  const ControlFlowContext forward = g().contexts[loop];  // a copy: contexts move, and this loop gets more variables
  struct Variable {
    LoopVariable of;
    int number;  // in the backward loop
  };
  std::vector<Variable> variables;
  bool any = false;
  for (const LoopVariable& v : forward.variables) {
    if (!between_[v.merge] || At({v.merge, 0}).dtype() == DType::kResource || v.next_iteration < 0) continue;
    variables.push_back({v, -1});
    any |= v.exit >= 0 && pieces_.contains(Port{v.exit, 0});
  }
  if (!any) return;
  const ContextId parent = GradientContext(forward.parent);
  BuilderScope outside = EnterGradientContext(forward.parent);
  BuilderScope name_scope = b_.NameScope(absl::StrCat(forward.frame, "_grad"));
  LoopBuilder back = LoopBuilder::Begin(&b_, "backprop", forward.parallel_iterations, at_);
  backward_.insert_or_assign(loop, BackwardLoop{back.context(), {}});

  const int count = back.AddVariable(TripCount(loop), Shape());
  for (Variable& v : variables) {
    const Port exit = LoopExit(loop, v.of);
    const Piece piece = Sum(exit);
    if (!b_.ok()) return;
    v.number = back.AddVariable(piece.exists() ? DenseSum(exit) : ZerosLike(exit), g().shape({v.of.merge, 0}));
  }
  {
    BuilderScope inside = back.Enter();
    back.SetPredicate(b_.Op("Greater", {back.merged(count), 0}, {}, "", at_).output());
  }
  for (const Variable& v : variables) {
    if (!b_.ok()) return;
    AddPiece(g().graph.inputs(v.of.next_iteration)[0], Piece{back.body(v.number), std::nullopt, back.context()});
  }
  RunLevel(loop);
  for (const Variable& v : variables) {
    if (!b_.ok()) return;
    const Port body{v.of.loop_switch, 1};
    BuilderScope inside = back.Enter();
    const Piece piece = Sum(body);
    back.SetNext(v.number, piece.exists() ? DenseSum(body) : ZerosLike(body));
  }
  {
    BuilderScope inside = back.Enter();
    back.SetNext(count, b_.Op("Sub", {back.body(count), 1}, {}, "", at_).output());
  }
  // What is the same in every iteration gets the sum over them, or the rows of all of them.
  for (const NodeId enter : forward.invariants) {
    if (!b_.ok()) return;
    if (!between_[enter] || !pieces_.contains(Port{enter, 0})) continue;
    const Port source = g().graph.inputs(enter)[0];
    if (AddSlicesOfIterations(&back, enter, parent)) continue;
    const Output grad = DenseSum(Port{enter, 0});
    const DType dtype = At(source).dtype();
    const Output zeros = dtype == DType::kResource ? ZerosOfVariable(source, grad.dtype()) : ZerosLike(source);
    const int sum = back.AddVariable(zeros, dtype == DType::kResource ? grad.shape() : g().shape(source));
    {
      BuilderScope inside = back.Enter();
      back.SetNext(sum, b_.Op(dtype == DType::kVariant ? "AddN" : "AddV2", {back.body(sum), grad}, {}, "", at_).output());
    }
    AddPiece(source, Piece{back.exit(sum), std::nullopt, parent});
  }
  for (const Variable& v : variables) {
    if (b_.ok()) AddPiece(g().graph.inputs(v.of.enter)[0], Piece{back.exit(v.number), std::nullopt, parent});
  }
}

// Of an invariant that got some rows in each iteration: the rows of all iterations, one after another. False if it did not, or if it
// is not known how large a row is.
bool GradientBuilder::AddSlicesOfIterations(LoopBuilder* back, NodeId enter, ContextId parent) {
  const Piece piece = Sum(Port{enter, 0});
  if (!piece.slices.has_value()) return false;
  const Port source = g().graph.inputs(enter)[0];
  const bool is_variable = At(source).dtype() == DType::kResource;
  const auto handle = g().handles.find(source);
  const PartialShape shape = !is_variable ? g().shape(source) : handle != g().handles.end() ? handle->second.shape : PartialShape();
  if (shape.rank() < 1) return false;
  std::vector<int64_t> row(shape.dims().begin(), shape.dims().end());
  row[0] = 0;
  if (!PartialShape::FromValid(row).fully_defined()) return false;
  row[0] = -1;
  // The items of all iterations, joined.
  const auto joined = [&](const Output& items, const std::vector<int64_t>& item_shape) {
    const DType dtype = items.dtype();
    const Output none = b_.Op("EmptyTensorList", {item_shape, -1}, {{"element_dtype", dtype}}, "rows", at_).output();
    if (!b_.ok()) return Output();
    const int list = back->AddVariable(none, Shape());
    {
      BuilderScope inside = back->Enter();
      back->SetNext(list, b_.Op("TensorListPushBack", {back->body(list), items}, {}, "", at_).output());
    }
    const Output all = back->exit(list);
    return b_.Op("TensorListConcatV2", {all, item_shape, b_.Constant(std::vector<int64_t>(), DType::kInt64, "leading_dims", at_)}, {{"element_dtype", dtype}}, "", at_).output();
  };
  IndexedSlices all{.values = joined(piece.slices->values, row), .indices = joined(piece.slices->indices, {-1}), .dense_shape = {}};
  if (!b_.ok()) return true;
  if (shape.fully_defined()) {
    row[0] = shape.dim(0);
    all.dense_shape = b_.Constant(row, "dense_shape", at_);
  } else {
    all.dense_shape = is_variable ? b_.Op("VariableShape", {Value(source)}, {}, "", at_).output() : ShapeOf(source, DType::kInt32);
  }
  AddPiece(source, Piece{{}, all, parent});
  return true;
}

// The Exit of a variable, made if the forward loop has none.
Port GradientBuilder::LoopExit(ContextId loop, const LoopVariable& variable) {
  auto& variables = g().contexts[loop].variables;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].merge != variable.merge) continue;
    LoopBuilder loop_builder(&b_, loop, at_);
    return loop_builder.exit(static_cast<int>(i)).port();
  }
  return {};
}

}  // namespace flowlatch
