// Calls of functions (semantics.md, 5C).
//
// A kernel finds its functions when the plan is made; a call then runs their plans in this thread. Bodies that may wait
// make the call itself asynchronous: it goes on where the body's last wait ends, and no thread is held.
//   If, Case: inputs after the first are the branch's arguments. While: all inputs are loop variables.
// A condition is true if it is a scalar that is not zero or empty (NaN is true), or no scalar but has elements.
#include "ops/function_ops.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"
#include "runtime/exec/function_table.h"
#include "runtime/kernel/callee.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

using Values = absl::InlinedVector<Tensor, 8>;

constexpr DTypeSet kConditionTypes = kRealTypes | DTypeSet{DType::kBool, DType::kString};

absl::StatusOr<bool> IsTrue(const Tensor& t) {
  if (!t.is_scalar()) return t.num_elements() > 0;
  const int truth = DispatchDType<kConditionTypes>(t.dtype(), -1, [&]<typename T>() -> int {
    if constexpr (std::is_same_v<T, String>) {
      return t.scalar<String>().size() > 0;
    } else if constexpr (kIsSmallFloat<T>) {
      return static_cast<float>(t.scalar<T>()) != 0;
    } else {
      return t.scalar<T>() != T(0);
    }
  });
  if (truth < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("condition: expected a number, bool or string, got ", std::string(DTypeName(t.dtype()))));
  }
  return truth == 1;
}

absl::Status ToBool(KernelCall& c) {
  ASSIGN_OR_RETURN(const bool truth, IsTrue(c.input(0)));
  c.output(0).SetScalar(truth);
  return absl::OkStatus();
}

// --- Shapes
// -----------------------------------------------------------------------------------------------------------

absl::Status DeclaredShapes(ShapeContext& c) {
  if (c.schema().FindAttr("output_shapes") == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto shapes, c.AttrAs<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(shapes.size()) != c.num_outputs()) return absl::OkStatus();
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, shapes[i]);
  return absl::OkStatus();
}

absl::Status ScalarShape(ShapeContext& c) {
  c.SetOutput(0, Shape());
  return absl::OkStatus();
}

absl::Status CaseShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  return DeclaredShapes(c);
}

// --- Plain calls
// ------------------------------------------------------------------------------------------------------

absl::StatusOr<Callee*> Find(const NodeInfo& node, const FunctionRef& function, BodyEffects effects) {
  if (node.functions() == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("function '", function.name, "': expected a graph with a library, got none"));
  }
  return node.functions()->Resolve(function, effects);
}

BodyEffects EffectsOf(const NodeInfo& node) {
  const Attr* marked = node.attrs().Find("_lower_using_switch_merge");
  const bool* is_marked = marked != nullptr ? marked->Get<bool>() : nullptr;
  return is_marked != nullptr && *is_marked ? BodyEffects::kMarked : BodyEffects::kAll;
}

using DTypes = absl::InlinedVector<DType, 8>;

DTypes InputDTypes(const NodeInfo& node, int first) {
  DTypes dtypes;
  for (int i = first; i < node.num_inputs(); ++i) dtypes.push_back(node.input_dtype(i));
  return dtypes;
}
DTypes OutputDTypes(const NodeInfo& node) {
  DTypes dtypes;
  for (int i = 0; i < node.num_outputs(); ++i) dtypes.push_back(node.output_dtype(i));
  return dtypes;
}

absl::StatusOr<Kernel> CallKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const FunctionRef function, node.AttrAs<FunctionRef>("f"));
  absl::StatusOr<Callee*> callee = Find(node, function, BodyEffects::kControlReturns);
  // As TensorFlow has it, and only for these ops.
  if (absl::IsNotFound(callee.status())) return absl::InvalidArgumentError(callee.status().message());
  RETURN_IF_ERROR(callee.status());
  RETURN_IF_ERROR((*callee)->CheckTypes(InputDTypes(node, 0), OutputDTypes(node)));
  return MakeCallKernel(*callee);
}

absl::StatusOr<Kernel> SymbolicGradientKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const FunctionRef function, node.AttrAs<FunctionRef>("f"));
  if (node.functions() == nullptr) return absl::FailedPreconditionError("SymbolicGradient: expected a graph with functions");
  ASSIGN_OR_RETURN(Callee * callee, node.functions()->ResolveGradient(function));
  RETURN_IF_ERROR(callee->CheckTypes(InputDTypes(node, 0), OutputDTypes(node)));
  return MakeCallKernel(callee);
}

// As far as an argument's gradient has the argument's shape.
absl::Status SymbolicGradientShapes(ShapeContext& c) {
  for (int i = 0; i < c.num_outputs() && i < c.num_inputs(); ++i) c.SetOutput(i, c.input(i));
  return absl::OkStatus();
}

// --- If and Case
// ------------------------------------------------------------------------------------------------------

class BranchState final : public KernelState {
 public:
  std::vector<Callee*> branches;
  // If: [else, then]. Case: by index.
  bool by_index = false;
};

absl::StatusOr<Callee*> ChooseBranch(const BranchState& state, const Tensor& selector) {
  if (!state.by_index) {
    ASSIGN_OR_RETURN(const bool taken, IsTrue(selector));
    return state.branches[taken ? 1 : 0];
  }
  if (!selector.is_scalar()) {
    return absl::InvalidArgumentError(
        absl::StrCat("branch index: expected a scalar, got shape ", selector.ShapeString()));
  }
  const int32_t index = selector.scalar<int32_t>();
  const int32_t last = static_cast<int32_t>(state.branches.size()) - 1;
  return state.branches[index < 0 || index > last ? last : index];  // out of range means the last (5.22)
}

Values TakeInputs(KernelCall& c, int first) {
  Values values(c.num_inputs() - first);
  for (int i = first; i < c.num_inputs(); ++i) values[i - first] = c.TakeInput(i);
  return values;
}

absl::Span<Tensor> ClearOutputs(KernelCall& c) {
  for (int i = 0; i < c.num_outputs(); ++i) c.output(i).Clear();
  return c.num_outputs() > 0 ? absl::MakeSpan(&c.output(0), c.num_outputs()) : absl::Span<Tensor>();
}

absl::Status Branch(KernelCall& c) {
  ASSIGN_OR_RETURN(Callee * branch, ChooseBranch(c.state<BranchState>(), c.input(0)));
  Values args = TakeInputs(c, 1);
  return branch->Run(c.step(), absl::MakeSpan(args), ClearOutputs(c));
}

void BranchAsync(KernelCall& c, Done done) {
  absl::StatusOr<Callee*> branch = ChooseBranch(c.state<BranchState>(), c.input(0));
  if (!branch.ok()) {
    done(branch.status());
    return;
  }
  auto args = std::make_shared<Values>(TakeInputs(c, 1));
  const auto keep = [args, done = std::move(done)](absl::Status status) { done(std::move(status)); };
  if ((*branch)->is_async()) {
    (*branch)->Start(c.step(), absl::MakeSpan(*args), ClearOutputs(c), keep);
  } else {
    keep((*branch)->Run(c.step(), absl::MakeSpan(*args), ClearOutputs(c)));
  }
}

absl::StatusOr<Kernel> BranchKernel(const NodeInfo& node, std::vector<FunctionRef> functions, bool by_index) {
  auto state = std::make_shared<BranchState>();
  state->by_index = by_index;
  bool is_async = false;
  for (const FunctionRef& function : functions) {
    ASSIGN_OR_RETURN(Callee * branch, Find(node, function, EffectsOf(node)));
    RETURN_IF_ERROR(branch->CheckTypes(InputDTypes(node, 1), OutputDTypes(node)));
    state->branches.push_back(branch);
    is_async |= branch->is_async();
  }
  if (is_async) return Kernel{.async_fn = &BranchAsync, .state = std::move(state)};
  return Kernel{.fn = &RunKernel<Branch>, .state = std::move(state)};
}

absl::StatusOr<Kernel> IfKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(FunctionRef then_branch, node.AttrAs<FunctionRef>("then_branch"));
  ASSIGN_OR_RETURN(FunctionRef else_branch, node.AttrAs<FunctionRef>("else_branch"));
  return BranchKernel(node, {std::move(else_branch), std::move(then_branch)}, false);
}

absl::StatusOr<Kernel> CaseKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::vector<FunctionRef> branches, node.AttrAs<std::vector<FunctionRef>>("branches"));
  if (branches.empty()) return absl::InvalidArgumentError("branches: expected at least one function, got none");
  return BranchKernel(node, std::move(branches), true);
}

// --- While
// ------------------------------------------------------------------------------------------------------------

class WhileState final : public KernelState {
 public:
  Callee* condition = nullptr;
  Callee* body = nullptr;
};

absl::Status While(KernelCall& c) {
  const WhileState& state = c.state<WhileState>();
  Values variables = TakeInputs(c, 0);
  Values next(variables.size()), args;
  Tensor goes_on;
  for (;;) {
    args = variables;
    goes_on.Clear();
    RETURN_IF_ERROR(state.condition->Run(c.step(), absl::MakeSpan(args), absl::MakeSpan(&goes_on, 1)));
    args.clear();
    ASSIGN_OR_RETURN(const bool again, IsTrue(goes_on));
    if (!again) break;
    RETURN_IF_ERROR(state.body->Run(c.step(), absl::MakeSpan(variables), absl::MakeSpan(next)));
    variables.swap(next);
    for (Tensor& t : next) t.Clear();
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, std::move(variables[i]));
  return absl::OkStatus();
}

// A loop whose condition or body waits. It keeps itself alive until it calls done_. Calls that end at once are taken up
// by the loop in Advance, so that the stack does not grow with the number of iterations.
class AsyncWhile : public std::enable_shared_from_this<AsyncWhile> {
 public:
  AsyncWhile(KernelCall& call, Done done)
      : call_(call),
        state_(call.state<WhileState>()),
        done_(std::move(done)),
        variables_(TakeInputs(call, 0)),
        next_(variables_.size()) {}

  void Advance() {
    advancing_ = true;
    do {
      ended_at_once_ = false;
      if (in_body_) {
        CallNext(state_.body, variables_, absl::MakeSpan(next_));
      } else {
        args_ = variables_;
        goes_on_.Clear();
        CallNext(state_.condition, args_, absl::MakeSpan(&goes_on_, 1));
      }
    } while (ended_at_once_ && done_);
    advancing_ = false;
  }

 private:
  void CallNext(Callee* callee, Values& args, absl::Span<Tensor> results) {
    if (!callee->is_async()) {
      Ended(callee->Run(call_.step(), absl::MakeSpan(args), results));
      return;
    }
    callee->Start(call_.step(), absl::MakeSpan(args), results, [self = shared_from_this()](absl::Status status) {
      self->Ended(std::move(status));
      if (!self->advancing_ && self->done_) self->Advance();
    });
  }
  void Ended(absl::Status status) {
    ended_at_once_ = true;
    if (status.ok() && in_body_) {
      variables_.swap(next_);
      for (Tensor& t : next_) t.Clear();
    } else if (status.ok()) {
      absl::StatusOr<bool> again = IsTrue(goes_on_);
      if (again.ok() && *again) {
        in_body_ = true;
        return;
      }
      status = again.status();
      if (status.ok()) {
        for (int i = 0; i < call_.num_outputs(); ++i) call_.SetOutput(i, std::move(variables_[i]));
      }
      End(std::move(status));
      return;
    } else {
      End(std::move(status));
      return;
    }
    in_body_ = false;
  }
  void End(absl::Status status) { std::exchange(done_, nullptr)(std::move(status)); }

  KernelCall& call_;
  const WhileState& state_;
  Done done_;  // null once called
  Values variables_, next_, args_;
  Tensor goes_on_;
  bool in_body_ = false;
  bool advancing_ = false;
  bool ended_at_once_ = false;
};

void WhileAsync(KernelCall& c, Done done) { std::make_shared<AsyncWhile>(c, std::move(done))->Advance(); }

absl::StatusOr<Kernel> WhileKernel(const NodeInfo& node) {
  auto state = std::make_shared<WhileState>();
  ASSIGN_OR_RETURN(const FunctionRef condition, node.AttrAs<FunctionRef>("cond"));
  ASSIGN_OR_RETURN(const FunctionRef body, node.AttrAs<FunctionRef>("body"));
  ASSIGN_OR_RETURN(state->condition, Find(node, condition, EffectsOf(node)));
  ASSIGN_OR_RETURN(state->body, Find(node, body, EffectsOf(node)));
  RETURN_IF_ERROR(state->condition->CheckTypes(InputDTypes(node, 0), {DType::kInvalid}));
  RETURN_IF_ERROR(state->body->CheckTypes(InputDTypes(node, 0), OutputDTypes(node)));
  if (state->condition->is_async() || state->body->is_async())
    return Kernel{.async_fn = &WhileAsync, .state = std::move(state)};
  return Kernel{.fn = &RunKernel<While>, .state = std::move(state)};
}

}  // namespace

absl::Status RegisterFunctionOps(OpLibrary& library) {
  constexpr char kCallAttrs[] =
      "(args: Tin) -> (output: Tout); Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = \"\"; "
      "config_proto: string = \"\"; executor_type: string = \"\"";
  constexpr char kIfAttrs[] =
      "(cond: Tcond, input: Tin) -> (output: Tout); Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; "
      "then_branch: func; else_branch: func; output_shapes: list(shape) = []";
  constexpr char kCaseAttrs[] =
      "(branch_index: int32, input: Tin) -> (output: Tout); Tin: list(type) >= 0; Tout: list(type) >= 0; "
      "branches: list(func) >= 1; output_shapes: list(shape) = []";
  constexpr char kWhileAttrs[] =
      "(input: T) -> (output: T); T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; "
      "parallel_iterations: int = 10";
  const auto add_both = [&](const std::string& stateless, const std::string& stateful, const char* rest,
                            std::string_view doc, ShapeFunction shape, const KernelFactory& kernel) -> absl::Status {
    RETURN_IF_ERROR(
        library.Add({.signature = absl::StrCat(stateless, rest), .doc = doc, .shape = shape, .kernel = kernel}));
    return library.Add(
        {.signature = absl::StrCat(stateful, rest, "; stateful"), .doc = doc, .shape = shape, .kernel = kernel});
  };
  RETURN_IF_ERROR(add_both("PartitionedCall", "StatefulPartitionedCall", kCallAttrs, "Calls function f", DeclaredShapes,
                           CallKernel));
  RETURN_IF_ERROR(add_both("StatelessIf", "If", kIfAttrs, "Calls then_branch if cond is true, else else_branch",
                           DeclaredShapes, IfKernel));
  RETURN_IF_ERROR(add_both("StatelessCase", "Case", kCaseAttrs,
                           "Calls the branch at an index; out of range means the last", CaseShape, CaseKernel));
  RETURN_IF_ERROR(library.Add({.signature = "SymbolicGradient(input: Tin) -> (output: Tout); Tin: list(type) >= 1; Tout: list(type) >= 1; f: func",
                               .doc = "Gradients of the arguments of f, from its arguments and the gradients of its results",
                               .shape = SymbolicGradientShapes,
                               .kernel = SymbolicGradientKernel}));
  RETURN_IF_ERROR(library.Add({.signature = "ToBool(input: T) -> (output: bool); T: type",
                               .doc = "Whether a scalar is neither zero nor empty, or another tensor has elements",
                               .shape = ScalarShape,
                               .kernel = PlainKernel<ToBool>}));
  return add_both("StatelessWhile", "While", kWhileAttrs, "Calls body on the loop variables while cond of them is true",
                  DeclaredShapes, WhileKernel);
}

}  // namespace flowlatch
