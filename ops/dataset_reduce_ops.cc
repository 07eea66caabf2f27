// What is made of a whole dataset in one step, in the step's thread.
//   ReduceDataset: f(state.., element..) gives the next state; the outputs are the last.
//   DatasetToSingleElement: the only element.   DatasetCardinality: the number of elements, -1 if there is no end, -2 if
//     nobody knows.
#include "ops/dataset_reduce_ops.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/graph_dataset.h"
#include "ops/kernels/iterator_scope.h"

namespace flowlatch {
namespace {

// An iterator for as long as a kernel runs.
class TemporaryIterator {
 public:
  explicit TemporaryIterator(const StepContext& step)
      : scope_(std::make_shared<IteratorScope>(BackgroundWork::Create(step))) {}
  ~TemporaryIterator() { scope_->background().Stop(); }
  absl::Status Start(const DatasetPtr& dataset) {
    ASSIGN_OR_RETURN(iterator_, dataset->MakeIterator(scope_));
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Next(StepContext& step, Element* element) { return iterator_->Next(step, element); }

 private:
  const std::shared_ptr<IteratorScope> scope_;
  IteratorPtr iterator_;
};

void SetOutputs(KernelCall& c, Element element) {
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, std::move(element[static_cast<size_t>(i)]));
}

// ---- ReduceDataset

class ReduceState final : public DatasetState {
 public:
  Callee* function = nullptr;  // the plan's
  std::vector<DType> state_dtypes;
};

absl::Status Reduce(KernelCall& c) {
  const ReduceState& reduce = c.state<ReduceState>();
  const int num_states = static_cast<int>(reduce.state_dtypes.size());
  ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(Element state, KeepInputs(c, 1, 1 + num_states));
  ASSIGN_OR_RETURN(Element captured, KeepInputs(c, 1 + num_states, c.num_inputs()));
  std::vector<DType> args = reduce.state_dtypes;
  args.insert(args.end(), dataset->spec().dtypes.begin(), dataset->spec().dtypes.end());
  for (const Tensor& t : captured) args.push_back(t.dtype());
  RETURN_IF_ERROR(reduce.function->CheckTypes(args, reduce.state_dtypes));
  const BoundFunction function(reduce.function, std::move(captured));
  TemporaryIterator iterator(c.step());
  RETURN_IF_ERROR(iterator.Start(dataset));
  for (Element element;;) {
    ASSIGN_OR_RETURN(const bool more, iterator.Next(c.step(), &element));
    if (!more) break;
    std::move(element.begin(), element.end(), std::back_inserter(state));
    Element next;
    const absl::Status status = function.Call(c.step(), std::move(state), num_states, &next);
    RETURN_IF_ERROR(status);
    state = std::move(next);
  }
  RETURN_IF_ERROR(reduce.spec.CheckFits(state));
  SetOutputs(c, std::move(state));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> ReduceKernel(const NodeInfo& node) {
  auto state = std::make_shared<ReduceState>();
  ASSIGN_OR_RETURN(state->spec, ElementSpec::Of(node));
  ASSIGN_OR_RETURN(state->state_dtypes, node.AttrAs<std::vector<DType>>("Tstate"));
  if (state->state_dtypes != state->spec.dtypes) {
    return absl::InvalidArgumentError("attr 'output_types': expected the dtypes of the state, got others");
  }
  ASSIGN_OR_RETURN(const FunctionRef function, node.AttrAs<FunctionRef>("f"));
  if (node.functions() == nullptr) {
    return absl::NotFoundError(absl::StrCat("function '", function.name, "': expected a graph with a library, got none"));
  }
  ASSIGN_OR_RETURN(state->function, node.functions()->Resolve(function, BodyEffects::kAll));
  return Kernel{.fn = &RunKernel<Reduce>, .state = std::move(state)};
}

// ---- DatasetToSingleElement

absl::Status ToSingleElement(KernelCall& c) {
  ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(c.input(0), "dataset"));
  TemporaryIterator iterator(c.step());
  RETURN_IF_ERROR(iterator.Start(dataset));
  Element element, another;
  ASSIGN_OR_RETURN(bool more, iterator.Next(c.step(), &element));
  if (!more) return absl::InvalidArgumentError("dataset: expected one element, got none");
  RETURN_IF_ERROR(c.state<DatasetState>().spec.CheckFits(element));
  ASSIGN_OR_RETURN(more, iterator.Next(c.step(), &another));
  if (more) return absl::InvalidArgumentError("dataset: expected one element, got more");
  SetOutputs(c, std::move(element));
  return absl::OkStatus();
}

absl::Status Cardinality(KernelCall& c) {
  ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(c.input(0)));
  c.output(0).SetScalar(dataset->Cardinality());
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterDatasetReduceOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("ReduceDataset"),
                               .doc = "Calls a function on a state and each element, which gives the next state",
                               .shape = DeclaredShapes,
                               .kernel = ReduceKernel,
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("DatasetToSingleElement"),
                               .doc = "The only element of a dataset",
                               .shape = DeclaredShapes,
                               .kernel = DatasetKernel<ToSingleElement>}));
  return library.Add({.signature = TensorFlowSignature("DatasetCardinality"),
                      .doc = "The number of elements; -1: there is no end, -2: nobody knows",
                      .shape = ScalarInputs<1>,
                      .kernel = PlainKernel<Cardinality>});
}

}  // namespace flowlatch
