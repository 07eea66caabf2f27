// Control flow (semantics.md, section 1).
//
// Switch, Merge, Enter, Exit and NextIteration have no kernels: the frame executor is what they mean. LoopCond and
// ControlTrigger may also stand in flat plans, where nothing is ever dead: there they are an identity and nothing.
#include "ops/control_flow_ops.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

absl::StatusOr<Kernel> ExecutorOnly(const NodeInfo& node) {
  return absl::UnimplementedError(absl::StrCat(node.schema().name(), ": expected to run in a framed plan, where the executor handles it"));
}

absl::Status SwitchShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  c.SetOutput(0, c.input(0));
  c.SetOutput(1, c.input(0));
  return absl::OkStatus();
}

absl::Status SwitchNShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(1));
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, c.input(0));
  return absl::OkStatus();
}

absl::Status MergeShape(ShapeContext& c) {
  PartialShape joined = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) joined = joined.JoinWith(c.input(i));
  c.SetOutput(0, std::move(joined));
  c.SetOutput(1, Shape());
  return absl::OkStatus();
}

absl::Status LoopCondShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  c.SetOutput(0, Shape());
  return absl::OkStatus();
}

absl::Status RefSelectShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  PartialShape joined = c.input(1);
  for (int i = 2; i < c.num_inputs(); ++i) joined = joined.JoinWith(c.input(i));
  c.SetOutput(0, std::move(joined));
  return absl::OkStatus();
}

absl::Status PassOn(KernelCall& c) {
  c.SetOutput(0, c.TakeInput(0));
  return absl::OkStatus();
}

absl::Status LoopCond(KernelCall& c) {
  if (!c.input(0).is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("loop condition: expected a scalar, got shape ", c.input(0).ShapeString()));
  }
  return PassOn(c);
}

absl::Status Nothing(KernelCall&) { return absl::OkStatus(); }

absl::Status RefSelect(KernelCall& c) {
  if (!c.input(0).is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("index: expected a scalar, got shape ", c.input(0).ShapeString()));
  }
  const int32_t index = c.input(0).scalar<int32_t>();
  if (index < 0 || index >= c.num_inputs() - 1) {
    return absl::InvalidArgumentError(absl::StrCat("index: expected a value in [0, ", c.num_inputs() - 1, "), got ", index));
  }
  c.SetOutput(0, c.input(1 + index));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterControlFlowOps(OpLibrary& library) {
  const OpDefinition definitions[] = {
      {.signature = "Switch(data: T, pred: bool) -> (output_false: T, output_true: T); T: type",
       .doc = "Passes data to output 1 if pred is true, else to output 0; the other output is dead",
       .shape = SwitchShape,
       .kernel = ExecutorOnly},
      {.signature = "_SwitchN(data: T, output_index: int32) -> (outputs: num_outs * T); num_outs: int >= 1; T: type",
       .doc = "Passes data to the output at an index, or to the last if there is none; the others are dead",
       .shape = SwitchNShape,
       .kernel = ExecutorOnly},
      {.signature = "RefSwitch(data: Ref(T), pred: bool) -> (output_false: Ref(T), output_true: Ref(T)); T: type; uninitialized_ok",
       .doc = "Passes a reference to output 1 if pred is true, else to output 0; the other output is dead",
       .shape = SwitchShape,
       .kernel = ExecutorOnly},
      {.signature = "Merge(inputs: N * T) -> (output: T, value_index: int32); T: type; N: int >= 1",
       .doc = "Passes on the first input that arrives alive, with its index",
       .shape = MergeShape,
       .kernel = ExecutorOnly},
      {.signature = "RefMerge(inputs: N * Ref(T)) -> (output: Ref(T), value_index: int32); T: type; N: int >= 1",
       .doc = "Passes on the first reference that arrives alive, with its index",
       .shape = MergeShape,
       .kernel = ExecutorOnly},
      {.signature = "Enter(data: T) -> (output: T); T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10",
       .doc = "Takes data into iteration 0 of a loop's frame, or into every iteration if is_constant",
       .shape = shapes::SameAsInput,
       .kernel = ExecutorOnly},
      {.signature = "RefEnter(data: Ref(T)) -> (output: Ref(T)); T: type; frame_name: string; is_constant: bool = false; "
                    "parallel_iterations: int = 10",
       .doc = "Takes a reference into iteration 0 of a loop's frame, or into every iteration if is_constant",
       .shape = shapes::SameAsInput,
       .kernel = ExecutorOnly},
      {.signature = "Exit(data: T) -> (output: T); T: type",
       .doc = "Takes data out of a loop's frame",
       .shape = shapes::SameAsInput,
       .kernel = ExecutorOnly},
      {.signature = "RefExit(data: Ref(T)) -> (output: Ref(T)); T: type",
       .doc = "Takes a reference out of a loop's frame",
       .shape = shapes::SameAsInput,
       .kernel = ExecutorOnly},
      {.signature = "NextIteration(data: T) -> (output: T); T: type",
       .doc = "Takes data to the next iteration of a loop",
       .shape = shapes::SameAsInput,
       .kernel = ExecutorOnly},
      {.signature = "RefNextIteration(data: Ref(T)) -> (output: Ref(T)); T: type",
       .doc = "Takes a reference to the next iteration of a loop",
       .shape = shapes::SameAsInput,
       .kernel = ExecutorOnly},
      {.signature = "LoopCond(input: bool) -> (output: bool)",
       .doc = "Passes on a loop's condition; the step's cancellation is checked here",
       .shape = LoopCondShape,
       .kernel = PlainKernel<LoopCond>},
      {.signature = "ControlTrigger() -> ()",
       .doc = "Does nothing, alive once its control inputs have arrived, dead or alive",
       .shape = shapes::NoOutputs,
       .kernel = PlainKernel<Nothing>},
      {.signature = "RefSelect(index: int32, inputs: N * Ref(T)) -> (output: Ref(T)); T: type; N: int >= 1",
       .doc = "Passes on the reference at an index",
       .shape = RefSelectShape,
       .kernel = PlainKernel<RefSelect>},
      {.signature = "RefIdentity(input: Ref(T)) -> (output: Ref(T)); T: type; uninitialized_ok",
       .doc = "Passes on a reference",
       .shape = shapes::SameAsInput,
       .kernel = PlainKernel<PassOn>,
       .gradient = gradients::Identity},
  };
  for (const OpDefinition& definition : definitions) RETURN_IF_ERROR(library.Add(definition));
  return absl::OkStatus();
}

}  // namespace flowlatch
