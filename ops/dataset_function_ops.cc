// Datasets whose elements come from functions of the graph. A function takes the components of an element, then what the node
// captured (other_arguments); what its nodes keep (random generators) lasts as long as the iterator.
//   MapDataset: its results. ParallelMapDataset, V2: the same in the same order, for several elements at once; -1: as many as
//     there are threads. A function that fails with OutOfRange ends the dataset, unless preserve_cardinality.
//   MapAndBatchDataset: both.
//   FilterDataset, ParallelFilterDataset: elements for which it says true.   TakeWhileDataset: those before the first other.
//   FlatMapDataset: the elements of the datasets that it gives, one after another.
//   InterleaveDataset: block_length of each of cycle_length such datasets in turn. ParallelInterleaveDatasetV2 to V4: the same,
//     got ahead in the background.
//   ScanDataset: f(state.., element..) gives the next state and results.
#include "ops/dataset_function_ops.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/batch_dataset.h"
#include "ops/kernels/function_dataset.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel_map.h"
#include "ops/kernels/read_ahead.h"

namespace flowlatch {
namespace {

// The value of a number of calls, -1 as `any`. Errors: InvalidArgument unless it is > 0 or -1.
absl::StatusOr<int64_t> ReadNumber(const Tensor& t, const char* what, int64_t any) {
  ASSIGN_OR_RETURN(const int64_t n, ReadIntScalar(t, what));
  if (n == -1) return any;
  if (n > 0) return n;
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a number > 0, or -1, got ", n));
}

constexpr int64_t kAnyCalls = 1024;  // as many as there are threads

// ---- Map

class MapDataset final : public DatasetOfFunction {
 public:
  MapDataset(ElementSpec spec, DatasetPtr input, Closure closure, int64_t calls, bool keeps_number)
      : DatasetOfFunction(std::move(spec), std::move(input), std::move(closure)), calls_(calls), keeps_number_(keeps_number) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    ASSIGN_OR_RETURN(IteratorPtr iterator, input().MakeIterator(scope));
    ASSIGN_OR_RETURN(BoundFunction function, scope->Bind(closure().function, closure().captured));
    return MapInParallel(
        std::move(iterator),
        [self = RefPtr<const MapDataset>::Share(this), scope, function = std::move(function)](
            StepContext& step, Element* element) { return self->Call(function, step, element); },
        calls_, scope);
  }
  int64_t Cardinality() const override { return keeps_number_ ? input().Cardinality() : kUnknownCardinality; }

 private:
  absl::StatusOr<bool> Call(const BoundFunction& function, StepContext& step, Element* element) const {
    absl::Status status =
        function.Call(step, std::exchange(*element, {}), static_cast<int>(spec().dtypes.size()), element);
    if (status.ok()) return true;
    if (keeps_number_) return AsErrorOfElement(std::move(status));
    if (EndsElements(status)) return false;
    return status;
  }

  const int64_t calls_;
  const bool keeps_number_;
};

class MapState final : public FunctionDatasetState {
 public:
  int num_parameters = 0;  // inputs after what the function captures
  bool preserve_cardinality = false;
};

absl::StatusOr<RefPtr<GraphDataset>> MapOf(KernelCall& c, ElementSpec spec, int64_t calls) {
  const MapState& state = c.state<MapState>();
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(Closure closure, state.Close(c, 1, c.num_inputs() - state.num_parameters, input->spec().dtypes, spec.dtypes));
  return RefPtr<GraphDataset>(MakeRef<MapDataset>(std::move(spec), std::move(input), std::move(closure), calls,
                                                  state.preserve_cardinality));
}

absl::Status MakeMap(KernelCall& c) {
  const MapState& state = c.state<MapState>();
  int64_t calls = 1;
  if (state.num_parameters == 1) {
    ASSIGN_OR_RETURN(calls, ReadNumber(c.input(c.num_inputs() - 1), "num_parallel_calls", kAnyCalls));
  }
  ASSIGN_OR_RETURN(RefPtr<GraphDataset> map, MapOf(c, state.spec, calls));
  return OutputDataset(c, std::move(map));
}

absl::Status MakeMapAndBatch(KernelCall& c) {
  const MapState& state = c.state<MapState>();
  const int first = c.num_inputs() - state.num_parameters;
  Batching batching{.passes_over_error = true};
  ASSIGN_OR_RETURN(batching.size, ReadBatchSize(c, first));
  ASSIGN_OR_RETURN(const int64_t calls, ReadNumber(c.input(first + 1), "num_parallel_calls", kAnyCalls));
  ASSIGN_OR_RETURN(batching.drop_remainder, ReadBoolScalar(c.input(first + 2), "drop_remainder"));
  ElementSpec unbatched{state.spec.dtypes, std::vector<PartialShape>(state.spec.dtypes.size())};
  ASSIGN_OR_RETURN(RefPtr<GraphDataset> map, MapOf(c, std::move(unbatched), calls));
  return OutputDataset(c, BatchesOf(state.spec, DatasetPtr(std::move(map)), batching));
}

template <absl::Status (*kCompute)(KernelCall&), int kParameters>
absl::StatusOr<Kernel> MapKernel(const NodeInfo& node) {
  auto state = std::make_shared<MapState>();
  RETURN_IF_ERROR(state->Read(node, "f"));
  state->num_parameters = kParameters;
  ASSIGN_OR_RETURN(state->preserve_cardinality, node.Bool("preserve_cardinality"));
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

// ---- Filter and TakeWhile

// kStops: the first element for which the predicate is false is the end.
template <bool kStops>
class FilterDataset final : public DatasetOfFunction {
 public:
  FilterDataset(ElementSpec spec, DatasetPtr input, Closure closure)
      : DatasetOfFunction(std::move(spec), std::move(input), std::move(closure)) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfFunction<Iterator>(this, scope);
  }

 private:
  class Iterator final : public IteratorOfFunction<FilterDataset> {
   public:
    using IteratorOfFunction<FilterDataset>::IteratorOfFunction;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      while (!ended_) {
        ASSIGN_OR_RETURN(const bool more, this->input().Next(step, element));
        if (!more) break;
        const absl::StatusOr<bool> takes = CallPredicate(this->function(), step, *element);
        if (EndsElements(takes.status())) break;
        RETURN_IF_ERROR(takes.status());
        if (*takes) return true;
        if (kStops) break;
      }
      ended_ = true;
      return false;
    }

   private:
    bool ended_ = false;
  };
};

class FilterState final : public FunctionDatasetState {
 public:
  int num_parameters = 0;
};

template <bool kStops>
absl::Status MakeFilter(KernelCall& c) {
  const FilterState& state = c.state<FilterState>();
  const int end = c.num_inputs() - state.num_parameters;
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  if (state.num_parameters == 1) {
    RETURN_IF_ERROR(ReadNumber(c.input(end), "num_parallel_calls", kAnyCalls).status());
  }
  ASSIGN_OR_RETURN(Closure closure, state.Close(c, 1, end, input->spec().dtypes, {DType::kBool}));
  return OutputDataset(c, MakeRef<FilterDataset<kStops>>(state.spec, std::move(input), std::move(closure)));
}

template <bool kStops, int kParameters>
absl::StatusOr<Kernel> FilterKernel(const NodeInfo& node) {
  auto state = std::make_shared<FilterState>();
  RETURN_IF_ERROR(state->Read(node, "predicate"));
  state->num_parameters = kParameters;
  return Kernel{.fn = &RunKernel<MakeFilter<kStops>>, .state = std::move(state)};
}

// ---- FlatMap and Interleave

// The dataset that the function gives for an element.
absl::StatusOr<IteratorPtr> IterateOver(const BoundFunction& function, StepContext& step, Element element,
                                        const std::shared_ptr<IteratorScope>& scope) {
  Element results;
  RETURN_IF_ERROR(function.Call(step, std::move(element), 1, &results));
  ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(results[0], "result of the function"));
  return dataset->MakeIterator(scope);
}

class FlatMapDataset final : public DatasetOfFunction {
 public:
  FlatMapDataset(ElementSpec spec, DatasetPtr input, Closure closure)
      : DatasetOfFunction(std::move(spec), std::move(input), std::move(closure)) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfFunction<Iterator>(this, scope);
  }

 private:
  class Iterator final : public IteratorOfFunction<FlatMapDataset> {
   public:
    using IteratorOfFunction::IteratorOfFunction;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      for (;;) {
        if (current_ != nullptr) {
          ASSIGN_OR_RETURN(const bool more, current_->Next(step, element));
          if (more) return true;
          current_ = nullptr;
        }
        ASSIGN_OR_RETURN(const bool more, input().Next(step, element));
        if (!more) return false;
        ASSIGN_OR_RETURN(current_, IterateOver(function(), step, std::exchange(*element, {}), scope()));
      }
    }

   private:
    IteratorPtr current_;  // null between two
  };
};

absl::Status MakeFlatMap(KernelCall& c) {
  const FunctionDatasetState& state = c.state<FunctionDatasetState>();
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(Closure closure, state.Close(c, 1, c.num_inputs(), input->spec().dtypes, {DType::kVariant}));
  return OutputDataset(c, MakeRef<FlatMapDataset>(state.spec, std::move(input), std::move(closure)));
}

absl::StatusOr<Kernel> FlatMapKernel(const NodeInfo& node) {
  auto state = std::make_shared<FunctionDatasetState>();
  RETURN_IF_ERROR(state->Read(node, "f"));
  return Kernel{.fn = &RunKernel<MakeFlatMap>, .state = std::move(state)};
}

struct Interleaving {
  int64_t cycle_length = 1, block_length = 1;
  int64_t ahead = 0;  // elements of each dataset to get in the background
};

class InterleaveDataset final : public DatasetOfFunction {
 public:
  InterleaveDataset(ElementSpec spec, DatasetPtr input, Closure closure, const Interleaving& how)
      : DatasetOfFunction(std::move(spec), std::move(input), std::move(closure)), interleaving(how) {}
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfFunction<Iterator>(this, scope);
  }

  const Interleaving interleaving;

 private:
  class Iterator final : public IteratorOfFunction<InterleaveDataset> {
   public:
    using IteratorOfFunction::IteratorOfFunction;

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      const Interleaving& how = dataset().interleaving;
      while (!input_ended_ || open_ > 0) {
        if (at_ == cycle_.size()) cycle_.emplace_back();
        IteratorPtr& current = cycle_[at_];
        if (current != nullptr) {
          ASSIGN_OR_RETURN(const bool more, current->Next(step, element));
          if (more) {
            if (++given_ == how.block_length) Advance();
            return true;
          }
          current = nullptr;
          --open_;
          Advance();
        } else if (!input_ended_) {
          ASSIGN_OR_RETURN(const bool more, input().Next(step, element));
          if (more) {
            ASSIGN_OR_RETURN(IteratorPtr made, IterateOver(function(), step, std::exchange(*element, {}), scope()));
            current = ReadAhead(std::move(made), how.ahead, scope());
            ++open_;
          } else {
            input_ended_ = true;
          }
        } else {
          Advance();
        }
      }
      return false;
    }

   private:
    void Advance() {
      given_ = 0;
      ++at_;
      // Places that have never been used stay so once the input has ended.
      const bool is_last = static_cast<int64_t>(at_) == dataset().interleaving.cycle_length;
      if (is_last || (input_ended_ && at_ == cycle_.size())) at_ = 0;
    }

    std::vector<IteratorPtr> cycle_;  // null where a dataset has ended; grows to cycle_length
    size_t at_ = 0;
    int64_t given_ = 0;  // elements of this block
    int64_t open_ = 0;   // datasets in cycle_
    bool input_ended_ = false;
  };
};

class InterleaveState final : public FunctionDatasetState {
 public:
  int num_parameters = 0;  // cycle_length and block_length, then those of a parallel one
};

absl::Status MakeInterleave(KernelCall& c) {
  const InterleaveState& state = c.state<InterleaveState>();
  constexpr int64_t kAnyCycle = 2, kDefaultAhead = 16, kMaxAhead = 1024;
  const int first = c.num_inputs() - state.num_parameters;
  const bool is_parallel = state.num_parameters > 2;
  Interleaving how;
  ASSIGN_OR_RETURN(how.cycle_length, ReadNumber(c.input(first), "cycle_length", is_parallel ? kAnyCycle : 0));
  ASSIGN_OR_RETURN(how.block_length, ReadIntScalar(c.input(first + 1), "block_length"));
  if (how.cycle_length <= 0) return absl::InvalidArgumentError("cycle_length: expected a number > 0, got -1");
  if (how.block_length <= 0) {
    return absl::InvalidArgumentError(absl::StrCat("block_length: expected a number > 0, got ", how.block_length));
  }
  if (is_parallel) {
    ASSIGN_OR_RETURN(const int64_t calls, ReadNumber(c.input(c.num_inputs() - 1), "num_parallel_calls", kAnyCalls));
    how.ahead = calls > 1 ? std::min(how.block_length, kDefaultAhead) : 0;
  }
  if (state.num_parameters == 5) {
    for (const int i : {first + 2, first + 3}) {
      const char* const what = i == first + 2 ? "buffer_output_elements" : "prefetch_input_elements";
      ASSIGN_OR_RETURN(const int64_t n, ReadIntScalar(c.input(i), what));
      if (n < -1) return absl::InvalidArgumentError(absl::StrCat(what, ": expected a number >= -1, got ", n));
      if (i == first + 2 && n >= 0) how.ahead = std::min(n, kMaxAhead);
    }
  }
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(Closure closure, state.Close(c, 1, first, input->spec().dtypes, {DType::kVariant}));
  return OutputDataset(c, MakeRef<InterleaveDataset>(state.spec, std::move(input), std::move(closure), how));
}

template <int kParameters>
absl::StatusOr<Kernel> InterleaveKernel(const NodeInfo& node) {
  auto state = std::make_shared<InterleaveState>();
  RETURN_IF_ERROR(state->Read(node, "f"));
  state->num_parameters = kParameters;
  return Kernel{.fn = &RunKernel<MakeInterleave>, .state = std::move(state)};
}

// ---- Scan

class ScanDataset final : public DatasetOfFunction {
 public:
  ScanDataset(ElementSpec spec, DatasetPtr input, Closure closure, Element state, bool keeps_number)
      : DatasetOfFunction(std::move(spec), std::move(input), std::move(closure)),
        initial_state(std::move(state)),
        keeps_number_(keeps_number) {
    Holds(initial_state);
  }
  absl::StatusOr<IteratorPtr> MakeIterator(const std::shared_ptr<IteratorScope>& scope) const override {
    return MakeIteratorOfFunction<Iterator>(this, scope);
  }
  int64_t Cardinality() const override { return keeps_number_ ? input().Cardinality() : kUnknownCardinality; }

  const Element initial_state;

 private:
  class Iterator final : public IteratorOfFunction<ScanDataset> {
   public:
    Iterator(const ScanDataset* dataset, IteratorPtr input, std::shared_ptr<IteratorScope> scope, BoundFunction function)
        : IteratorOfFunction(dataset, std::move(input), std::move(scope), std::move(function)), state_(dataset->initial_state) {}

   protected:
    absl::StatusOr<bool> Get(StepContext& step, Element* element) override {
      if (ended_) return false;
      Element next;
      ASSIGN_OR_RETURN(const bool more, input().Next(step, &next));
      if (!more) return false;
      const auto num_states = static_cast<std::ptrdiff_t>(state_.size());
      Element args = state_, results;
      std::move(next.begin(), next.end(), std::back_inserter(args));
      absl::Status status = function().Call(step, std::move(args),
                                            static_cast<int>(state_.size() + dataset().spec().dtypes.size()), &results);
      if (dataset().keeps_number_) status = AsErrorOfElement(std::move(status));
      if (EndsElements(status)) {
        ended_ = true;
        return false;
      }
      RETURN_IF_ERROR(status);
      std::move(results.begin(), results.begin() + num_states, state_.begin());
      element->assign(std::make_move_iterator(results.begin() + num_states), std::make_move_iterator(results.end()));
      return true;
    }

   private:
    Element state_;
    bool ended_ = false;
  };

  const bool keeps_number_;
};

class ScanState final : public FunctionDatasetState {
 public:
  std::vector<DType> state_dtypes;
  bool preserve_cardinality = false;
};

absl::Status MakeScan(KernelCall& c) {
  const ScanState& state = c.state<ScanState>();
  const int first = 1 + static_cast<int>(state.state_dtypes.size());
  ASSIGN_OR_RETURN(DatasetPtr input, DatasetIn(c.input(0)));
  ASSIGN_OR_RETURN(Element initial, KeepInputs(c, 1, first));
  std::vector<DType> args = state.state_dtypes, results = state.state_dtypes;
  args.insert(args.end(), input->spec().dtypes.begin(), input->spec().dtypes.end());
  results.insert(results.end(), state.spec.dtypes.begin(), state.spec.dtypes.end());
  ASSIGN_OR_RETURN(Closure closure, state.Close(c, first, c.num_inputs(), std::move(args), results));
  return OutputDataset(c, MakeRef<ScanDataset>(state.spec, std::move(input), std::move(closure), std::move(initial),
                                               state.preserve_cardinality));
}

absl::StatusOr<Kernel> ScanKernel(const NodeInfo& node) {
  auto state = std::make_shared<ScanState>();
  RETURN_IF_ERROR(state->Read(node, "f"));
  ASSIGN_OR_RETURN(state->state_dtypes, node.AttrAs<std::vector<DType>>("Tstate"));
  ASSIGN_OR_RETURN(state->preserve_cardinality, node.Bool("preserve_cardinality"));
  return Kernel{.fn = &RunKernel<MakeScan>, .state = std::move(state)};
}

}  // namespace

absl::Status RegisterDatasetFunctionOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, const KernelFactory& kernel) {
    return library.Add({.signature = TensorFlowSignature(name), .doc = doc, .shape = shapes::Scalar, .kernel = kernel});
  };
  constexpr std::string_view kMapDoc = "What a function makes of the elements of a dataset";
  RETURN_IF_ERROR(add("MapDataset", kMapDoc, MapKernel<MakeMap, 0>));
  RETURN_IF_ERROR(add("ParallelMapDataset", kMapDoc, MapKernel<MakeMap, 1>));
  RETURN_IF_ERROR(add("ParallelMapDatasetV2", kMapDoc, MapKernel<MakeMap, 1>));
  RETURN_IF_ERROR(add("MapAndBatchDataset", "Batches of what a function makes of elements", MapKernel<MakeMapAndBatch, 3>));
  constexpr std::string_view kFilterDoc = "The elements for which a function says true";
  RETURN_IF_ERROR(add("FilterDataset", kFilterDoc, FilterKernel<false, 0>));
  RETURN_IF_ERROR(add("ParallelFilterDataset", kFilterDoc, FilterKernel<false, 1>));
  RETURN_IF_ERROR(add("TakeWhileDataset", "The elements before the first for which a function says false", FilterKernel<true, 0>));
  RETURN_IF_ERROR(add("FlatMapDataset", "The elements of the datasets that a function makes of elements", FlatMapKernel));
  constexpr std::string_view kInterleaveDoc = "Elements in turn of several datasets that a function makes of elements";
  RETURN_IF_ERROR(add("InterleaveDataset", kInterleaveDoc, InterleaveKernel<2>));
  RETURN_IF_ERROR(add("ParallelInterleaveDatasetV2", kInterleaveDoc, InterleaveKernel<3>));
  RETURN_IF_ERROR(add("ParallelInterleaveDatasetV3", kInterleaveDoc, InterleaveKernel<3>));
  RETURN_IF_ERROR(add("ParallelInterleaveDatasetV4", kInterleaveDoc, InterleaveKernel<5>));
  return add("ScanDataset", "What a function makes of a state that it changes and of elements", ScanKernel);
}

}  // namespace flowlatch
