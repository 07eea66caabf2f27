// What elementwise kernels cost, without an executor: scalars, small tensors and large ones. Arguments are elements; 0
// stands for scalars.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "benchmark/benchmark.h"
#include "ops/binary_math_ops.h"
#include "ops/cast_ops.h"
#include "ops/select_ops.h"
#include "ops/unary_math_ops.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

class BenchStep final : public StepContext {
 public:
  using StepContext::StepContext;
  void Fail(uint32_t, absl::Status status) override { failure = std::move(status); }
  absl::Status failure;
};

const OpLibrary& Ops() {
  static const OpLibrary* ops = [] {
    auto* library = new OpLibrary;
    for (const auto& add : {RegisterBinaryMathOps, RegisterUnaryMathOps, RegisterCastOps, RegisterSelectOps}) {
      if (!add(*library).ok()) std::abort();
    }
    return library;
  }();
  return *ops;
}

Tensor Input(DType dtype, int64_t elements) {
  Tensor t =
      elements == 0 ? Tensor::Zeros(dtype, Shape()).value() : Tensor::Zeros(dtype, Shape::Of({elements})).value();
  if (dtype == DType::kFloat32) {
    for (int64_t i = 0; i < t.num_elements(); ++i)
      t.mutable_data<float>()[i] = 0.25f + static_cast<float>(i % 100) * 0.02f;
  }
  return t;
}

// Runs `op` on inputs of the given element counts.
void Run(benchmark::State& state, const std::string& op, const AttrMap& attrs, const std::vector<int64_t>& elements) {
  const OpSchema* schema = Ops().registry().Find(op);
  const std::vector<PortType> inputs = schema->InputTypes(attrs).value(), outputs = schema->OutputTypes(attrs).value();
  const Kernel kernel = Ops().MakeKernel(NodeInfo("bench", *schema, attrs, inputs, outputs)).value();
  std::vector<Tensor> slots, results(outputs.size());
  std::vector<uint32_t> at;
  for (size_t i = 0; i < inputs.size(); ++i) {
    slots.push_back(Input(inputs[i].dtype, elements[i]));
    at.push_back(static_cast<uint32_t>(i));
  }
  StepServices services;
  BenchStep step(services);
  for (auto _ : state) {
    KernelCall call(&step, slots.data(), at.data(), results.data(), kernel.state.get(),
                    static_cast<uint32_t>(inputs.size()), static_cast<uint32_t>(outputs.size()), 0, 0);
    if (kernel.fn(call) != KernelStatus::kOk) {
      state.SkipWithError(step.failure.ToString().c_str());
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * std::max<int64_t>(1, results[0].num_elements()));
}

void Unary(benchmark::State& state, const char* op) { Run(state, op, {{"T", DType::kFloat32}}, {state.range(0)}); }
void Binary(benchmark::State& state, const char* op) {
  Run(state, op, {{"T", DType::kFloat32}}, {state.range(0), state.range(0)});
}
void WithScalar(benchmark::State& state, const char* op) {
  Run(state, op, {{"T", DType::kFloat32}}, {state.range(0), 0});
}
void Convert(benchmark::State& state, DType from, DType to) {
  Run(state, "Cast", {{"SrcT", from}, {"DstT", to}}, {state.range(0)});
}
void Choose(benchmark::State& state) {
  Run(state, "SelectV2", {{"T", DType::kFloat32}}, {state.range(0), state.range(0), state.range(0)});
}

#define SIZES Arg(0)->Arg(100)->Arg(16384)->Arg(1 << 20)
BENCHMARK_CAPTURE(Binary, AddV2, "AddV2")->SIZES;
BENCHMARK_CAPTURE(Binary, Maximum, "Maximum")->SIZES;
BENCHMARK_CAPTURE(Binary, Less, "Less")->SIZES;
BENCHMARK_CAPTURE(Binary, RealDiv, "RealDiv")->SIZES;
BENCHMARK_CAPTURE(Binary, TanhGrad, "TanhGrad")->SIZES;
BENCHMARK_CAPTURE(WithScalar, Mul, "Mul")->SIZES;
BENCHMARK_CAPTURE(WithScalar, Pow, "Pow")->SIZES;
BENCHMARK_CAPTURE(Unary, Square, "Square")->SIZES;
BENCHMARK_CAPTURE(Unary, Sqrt, "Sqrt")->SIZES;
BENCHMARK_CAPTURE(Unary, Rsqrt, "Rsqrt")->SIZES;
BENCHMARK_CAPTURE(Unary, Exp, "Exp")->SIZES;
BENCHMARK_CAPTURE(Unary, Log, "Log")->SIZES;
BENCHMARK_CAPTURE(Unary, Tanh, "Tanh")->SIZES;
BENCHMARK_CAPTURE(Unary, Sigmoid, "Sigmoid")->SIZES;
BENCHMARK_CAPTURE(Unary, Round, "Round")->SIZES;
BENCHMARK_CAPTURE(Unary, Sin, "Sin")->SIZES;
BENCHMARK_CAPTURE(Unary, Erf, "Erf")->SIZES;
BENCHMARK_CAPTURE(Unary, Log1p, "Log1p")->SIZES;
BENCHMARK_CAPTURE(Convert, FloatToHalf, DType::kFloat32, DType::kFloat16)->SIZES;
BENCHMARK_CAPTURE(Convert, HalfToFloat, DType::kFloat16, DType::kFloat32)->SIZES;
BENCHMARK_CAPTURE(Convert, FloatToInt, DType::kFloat32, DType::kInt32)->SIZES;
BENCHMARK(Choose)->SIZES;

// [rows, 100] with a row, a column and a scalar: what a bias costs.
void Broadcast(benchmark::State& state) {
  const OpSchema* schema = Ops().registry().Find("AddV2");
  const AttrMap attrs = {{"T", DType::kFloat32}};
  const std::vector<PortType> inputs = schema->InputTypes(attrs).value(), outputs = schema->OutputTypes(attrs).value();
  const Kernel kernel = Ops().MakeKernel(NodeInfo("bench", *schema, attrs, inputs, outputs)).value();
  Tensor slots[2] = {Tensor::Zeros(DType::kFloat32, Shape::Of({state.range(0), 100})).value(),
                     Input(DType::kFloat32, 100)},
         result;
  const uint32_t at[2] = {0, 1};
  StepServices services;
  BenchStep step(services);
  for (auto _ : state) {
    KernelCall call(&step, slots, at, &result, kernel.state.get(), 2, 1, 0, 0);
    if (kernel.fn(call) != KernelStatus::kOk) break;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * 100);
}
BENCHMARK(Broadcast)->Arg(1)->Arg(16)->Arg(1000);

}  // namespace
}  // namespace flowlatch
