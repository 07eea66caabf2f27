// LSTM and GRU cells as one op each.
//   LSTMBlockCell: x [batch, inputs], cs_prev and h_prev [batch, cells], w [inputs + cells, 4 cells], peephole weights
//   wci,
//     wcf, wco [cells] (unless use_peephole is false), b [4 cells] -> i, cs, f, o, ci, co, h [batch, cells]:
//       i, f, o = sigmoid([x, h_prev] w + b), ci = tanh(..) likewise, forget_bias added in f;
//       cs = ci i + cs_prev f, cut to [-cell_clip, cell_clip] if that is > 0; co = tanh(cs); h = co o.
//     With peepholes cs_prev wci, cs_prev wcf and cs wco are added inside i, f and o. w has columns for i, ci, f, o.
//   BlockLSTM: the same for x [time, batch, inputs]; outputs [time, batch, cells], zero from seq_len_max on.
//   BlockLSTMV2: without forget_bias; w has columns for i, f, ci, o.
//   LSTMBlockCellGrad, BlockLSTMGrad(V2): gradients from those of cs and h. The cut has no part in them, as in
//   TensorFlow. GRUBlockCell: x, h_prev, w_ru [inputs + cells, 2 cells], w_c [inputs + cells, cells], b_ru, b_c -> r,
//   u, c, h:
//       r, u = sigmoid([x, h_prev] w_ru + b_ru), c = tanh([x, h_prev r] w_c + b_c), h = (1 - u) c + u h_prev.
// float32; LSTMs also float16, computed in float32 from the first step to the last.
#include "ops/recurrent_ops.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/cast.h"
#include "ops/kernels/gemm.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/unary_loops.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kLstmTypes{DType::kFloat16, DType::kFloat32};
constexpr DTypeSet kGruTypes{DType::kFloat32};
constexpr double kCellCost = 15;  // nanoseconds of one cell's functions

struct LstmState final : KernelState {
  bool over_time = false, peephole = false;
  float forget_bias = 0, cell_clip = 0;
  int i = 0, ci = 1, f = 2, o = 3;  // which quarter of w's columns is whose
};

// ---- Inputs and outputs

void Sigmoid(float* x, int64_t n) {
  static const UnaryLoop loop = unary::FindVectorLoop<unary::Sigmoid>(DType::kFloat32);
  loop(x, x, n);
}

void Tanh(const float* x, float* y, int64_t n) {
  static const UnaryLoop loop = unary::FindVectorLoop<unary::Tanh>(DType::kFloat32);
  loop(x, y, n);
}

absl::Status ExpectDims(const Tensor& t, const char* what, std::initializer_list<int64_t> dims) {
  const absl::Span<const int64_t> want(dims.begin(), dims.size());
  if (t.dims() == want) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected shape ", DimsToString(want), ", got ", t.ShapeString()));
}

absl::Status ExpectRank(const Tensor& t, const char* what, int rank) {
  if (t.rank() == rank) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected ", rank, " dimensions, got shape ", t.ShapeString()));
}

// t as float32; t itself if it is.
absl::StatusOr<Tensor> Widened(const Tensor& t) {
  if (t.dtype() == DType::kFloat32) return t;
  ASSIGN_OR_RETURN(Tensor wide, Tensor::Make(DType::kFloat32, t.shape()));
  FindCast(t.dtype(), DType::kFloat32, false).Run(t.raw_data(), wide.raw_mutable_data(), t.num_elements());
  return wide;
}

absl::StatusOr<Tensor> FloatZeros(std::initializer_list<int64_t> dims) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make({dims.begin(), dims.size()}));
  return Tensor::Zeros(DType::kFloat32, shape);
}

// Sets all outputs, rounded to `dtype`.
absl::Status SetRounded(KernelCall& c, DType dtype, std::vector<Tensor> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& wide = outputs[i];
    if (dtype == DType::kFloat32) {
      c.SetOutput(static_cast<int>(i), std::move(outputs[i]));
      continue;
    }
    ASSIGN_OR_RETURN(Tensor * narrow, c.AllocateOutput(static_cast<int>(i), dtype, wide.dims()));
    FindCast(DType::kFloat32, dtype, false).Run(wide.raw_data(), narrow->raw_mutable_data(), wide.num_elements());
  }
  return absl::OkStatus();
}

struct LstmSizes {
  int64_t time = 1, steps = 1, batch = 0, inputs = 0, cells = 0;  // steps: those of `time` that are computed

  int64_t step_size() const { return batch * cells; }
};

// What all LSTM ops begin with: [seq_len_max,] x, cs_prev, h_prev, w, wci, wcf, wco, b.
struct LstmInputs {
  LstmSizes sizes;
  Tensor x, cs_prev, h_prev, w, wci, wcf, wco, b;

  // The rows of w that x is multiplied with, and those of h_prev.
  const float* w_x() const { return w.data<float>(); }
  const float* w_h() const { return w.data<float>() + sizes.inputs * 4 * sizes.cells; }
};

absl::StatusOr<LstmInputs> ReadLstmInputs(const KernelCall& c) {
  const auto& state = c.state<LstmState>();
  LstmInputs in;
  LstmSizes& sizes = in.sizes;
  const int first = state.over_time ? 1 : 0;
  const Tensor &x = c.input(first), &cs_prev = c.input(first + 1);
  RETURN_IF_ERROR(ExpectRank(x, "x", state.over_time ? 3 : 2));
  RETURN_IF_ERROR(ExpectRank(cs_prev, "cs_prev", 2));
  if (state.over_time) {
    sizes.time = x.dim(0);
    ASSIGN_OR_RETURN(sizes.steps, ReadIntScalar(c.input(0), "seq_len_max"));
    if (sizes.steps < 0 || sizes.steps > sizes.time) {
      return absl::InvalidArgumentError(
          absl::StrCat("seq_len_max: expected a value in [0,", sizes.time, "], got ", sizes.steps));
    }
  }
  sizes.batch = x.dim(x.rank() - 2);
  sizes.inputs = x.dim(x.rank() - 1);
  sizes.cells = cs_prev.dim(1);
  const std::optional<int64_t> columns = CheckedMul(sizes.cells, 4), rows = CheckedAdd(sizes.inputs, sizes.cells);
  if (!columns.has_value() || !rows.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("cs_prev: expected fewer cells, got shape ", cs_prev.ShapeString()));
  }
  RETURN_IF_ERROR(ExpectDims(cs_prev, "cs_prev", {sizes.batch, sizes.cells}));
  RETURN_IF_ERROR(ExpectDims(c.input(first + 2), "h_prev", {sizes.batch, sizes.cells}));
  RETURN_IF_ERROR(ExpectDims(c.input(first + 3), "w", {*rows, *columns}));
  const char* const peepholes[] = {"wci", "wcf", "wco"};
  for (int i = 0; i < 3; ++i) {
    const Tensor& weights = c.input(first + 4 + i);
    RETURN_IF_ERROR(ExpectRank(weights, peepholes[i], 1));
    if (state.over_time || state.peephole) RETURN_IF_ERROR(ExpectDims(weights, peepholes[i], {sizes.cells}));
  }
  RETURN_IF_ERROR(ExpectDims(c.input(first + 7), "b", {*columns}));
  Tensor* const all[] = {&in.x, &in.cs_prev, &in.h_prev, &in.w, &in.wci, &in.wcf, &in.wco, &in.b};
  for (int i = 0; i < 8; ++i) {
    ASSIGN_OR_RETURN(*all[i], Widened(c.input(first + i)));
  }
  return in;
}

// ---- LSTM, forwards

// One step's values, [batch, cells] each.
struct LstmStep {
  float *i, *cs, *f, *o, *ci, *co, *h;
};

// Cells of rows [begin, end), from gates [batch, 4 cells] = [x, h_prev] w.
void RunLstmRows(const LstmState& state, const LstmInputs& in, const float* gates, const float* cs_prev,
                 const LstmStep& step, int64_t begin, int64_t end) {
  const int64_t n = in.sizes.cells;
  const float *b = in.b.data<float>(), *wci = in.wci.data<float>(), *wcf = in.wcf.data<float>(),
              *wco = in.wco.data<float>();
  for (int64_t row = begin; row < end; ++row) {
    const float *gate = gates + row * 4 * n, *before = cs_prev + row * n;
    float *i = step.i + row * n, *f = step.f + row * n, *o = step.o + row * n, *ci = step.ci + row * n,
          *cs = step.cs + row * n, *co = step.co + row * n, *h = step.h + row * n;
    for (int64_t k = 0; k < n; ++k) {
      i[k] = gate[state.i * n + k] + b[state.i * n + k];
      f[k] = gate[state.f * n + k] + b[state.f * n + k] + state.forget_bias;
      o[k] = gate[state.o * n + k] + b[state.o * n + k];
      ci[k] = gate[state.ci * n + k] + b[state.ci * n + k];
    }
    if (state.peephole) {
      for (int64_t k = 0; k < n; ++k) {
        i[k] += before[k] * wci[k];
        f[k] += before[k] * wcf[k];
      }
    }
    Sigmoid(i, n);
    Sigmoid(f, n);
    Tanh(ci, ci, n);
    for (int64_t k = 0; k < n; ++k) cs[k] = ci[k] * i[k] + before[k] * f[k];
    if (state.cell_clip > 0) {
      for (int64_t k = 0; k < n; ++k) cs[k] = std::clamp(cs[k], -state.cell_clip, state.cell_clip);
    }
    if (state.peephole) {
      for (int64_t k = 0; k < n; ++k) o[k] += cs[k] * wco[k];
    }
    Sigmoid(o, n);
    Tanh(cs, co, n);
    for (int64_t k = 0; k < n; ++k) h[k] = co[k] * o[k];
  }
}

absl::Status Lstm(KernelCall& c) {
  const auto& state = c.state<LstmState>();
  ASSIGN_OR_RETURN(const LstmInputs in, ReadLstmInputs(c));
  const LstmSizes& sizes = in.sizes;
  std::vector<Tensor> outputs(7);
  std::array<float*, 7> to;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (state.over_time) {
      ASSIGN_OR_RETURN(outputs[i], FloatZeros({sizes.time, sizes.batch, sizes.cells}));
    } else {
      ASSIGN_OR_RETURN(outputs[i], FloatZeros({sizes.batch, sizes.cells}));
    }
    to[i] = outputs[i].mutable_data<float>();
  }
  const int64_t size = sizes.step_size(), columns = 4 * sizes.cells;
  if (size > 0 && sizes.steps > 0) {
    // x w for all steps at once, h w step by step.
    ASSIGN_OR_RETURN(Tensor gates, FloatZeros({sizes.steps, sizes.batch, columns}));
    float* gate = gates.mutable_data<float>();
    RETURN_IF_ERROR(Gemm(c, GemmArgs<float>::Dense(in.x.data<float>(), Op::kNone, in.w_x(), Op::kNone, gate,
                                                   sizes.steps * sizes.batch, columns, sizes.inputs)));
    const float *cs_prev = in.cs_prev.data<float>(), *h_prev = in.h_prev.data<float>();
    for (int64_t t = 0; t < sizes.steps; ++t, gate += 4 * size) {
      auto product =
          GemmArgs<float>::Dense(h_prev, Op::kNone, in.w_h(), Op::kNone, gate, sizes.batch, columns, sizes.cells);
      product.accumulate = true;
      RETURN_IF_ERROR(Gemm(c, product));
      const LstmStep step{to[0], to[1], to[2], to[3], to[4], to[5], to[6]};
      RunLoop(c, sizes.batch, kCellCost * static_cast<double>(sizes.cells),
              [&](int64_t begin, int64_t end) { RunLstmRows(state, in, gate, cs_prev, step, begin, end); });
      cs_prev = step.cs;
      h_prev = step.h;
      for (float*& output : to) output += size;
    }
  }
  return SetRounded(c, c.input(state.over_time ? 1 : 0).dtype(), std::move(outputs));
}

// ---- LSTM, backwards

// What the forward op gave, and the gradients that arrive: [time, batch, cells] each, or one step of it.
struct LstmTape {
  const float *i, *cs, *f, *o, *ci, *co, *cs_grad, *h_grad;

  LstmTape At(int64_t step, int64_t size) const {
    const int64_t at = step * size;
    return {i + at, cs + at, f + at, o + at, ci + at, co + at, cs_grad + at, h_grad + at};
  }
};

// Reads them as inputs from `first` on: i, cs, f, o, ci, co, [h,] cs_grad, h_grad. Keeps them in `held`, h among them.
absl::StatusOr<LstmTape> ReadTape(const KernelCall& c, const LstmSizes& sizes, int first, std::vector<Tensor>& held) {
  const bool over_time = c.state<LstmState>().over_time;
  const char* const names[] = {
      "i", "cs", "f", "o", "ci", "co", over_time ? "h" : "cs_grad", over_time ? "cs_grad" : "h_grad", "h_grad"};
  const int count = over_time ? 9 : 8;
  for (int i = 0; i < count; ++i) {
    const Tensor& t = c.input(first + i);
    RETURN_IF_ERROR(over_time ? ExpectDims(t, names[i], {sizes.time, sizes.batch, sizes.cells})
                              : ExpectDims(t, names[i], {sizes.batch, sizes.cells}));
    ASSIGN_OR_RETURN(Tensor wide, Widened(t));
    held.push_back(std::move(wide));
  }
  const auto at = [&](int i) { return held[i].data<float>(); };
  return LstmTape{at(0), at(1), at(2), at(3), at(4), at(5), at(count - 2), at(count - 1)};
}

// Gradients of rows [begin, end) of one step. On entry cs_carry and h_carry are what later steps want of this step's cs
// and h; on exit cs_carry is what this one wants of the step before. gates [batch, 4 cells]: gradients of the sums
// inside the gates.
void RunLstmGradRows(const LstmState& state, const LstmInputs& in, const LstmTape& tape, const float* cs_prev,
                     const float* h_carry, float* cs_carry, float* gates, int64_t begin, int64_t end) {
  const int64_t n = in.sizes.cells;
  const float *wci = in.wci.data<float>(), *wcf = in.wcf.data<float>(), *wco = in.wco.data<float>();
  for (int64_t row = begin; row < end; ++row) {
    float* gate = gates + row * 4 * n;
    for (int64_t k = 0; k < n; ++k) {
      const int64_t at = row * n + k;
      const float i = tape.i[at], f = tape.f[at], o = tape.o[at], ci = tape.ci[at], co = tape.co[at];
      const float dh = tape.h_grad[at] + h_carry[at];
      const float d_o = o * (1 - o) * dh * co;
      float dcs = (1 - co * co) * dh * o + tape.cs_grad[at] + cs_carry[at];
      if (state.peephole) dcs += d_o * wco[k];
      const float d_i = i * (1 - i) * dcs * ci, d_f = f * (1 - f) * dcs * cs_prev[at];
      gate[state.i * n + k] = d_i;
      gate[state.f * n + k] = d_f;
      gate[state.o * n + k] = d_o;
      gate[state.ci * n + k] = (1 - ci * ci) * dcs * i;
      cs_carry[at] = dcs * f;
      if (state.peephole) cs_carry[at] += d_i * wci[k] + d_f * wcf[k];
    }
  }
}

// Adds up the gradients of peephole weights over a step's batch.
void AddPeepholes(const LstmState& state, const LstmSizes& sizes, const float* gates, const float* cs_prev,
                  const float* cs, float* wci_grad, float* wcf_grad, float* wco_grad) {
  const int64_t n = sizes.cells;
  for (int64_t row = 0; row < sizes.batch; ++row) {
    const float* gate = gates + row * 4 * n;
    for (int64_t k = 0; k < n; ++k) {
      wci_grad[k] += gate[state.i * n + k] * cs_prev[row * n + k];
      wcf_grad[k] += gate[state.f * n + k] * cs_prev[row * n + k];
      wco_grad[k] += gate[state.o * n + k] * cs[row * n + k];
    }
  }
}

// Outputs: cs_prev_grad, dicfo (the gradients of the sums inside the gates), wci_grad, wcf_grad, wco_grad.
absl::Status LstmCellGrad(KernelCall& c) {
  const auto& state = c.state<LstmState>();
  ASSIGN_OR_RETURN(const LstmInputs in, ReadLstmInputs(c));
  const LstmSizes& sizes = in.sizes;
  std::vector<Tensor> held;
  ASSIGN_OR_RETURN(const LstmTape tape, ReadTape(c, sizes, 8, held));
  std::vector<Tensor> outputs(5);
  ASSIGN_OR_RETURN(outputs[0], FloatZeros({sizes.batch, sizes.cells}));
  ASSIGN_OR_RETURN(outputs[1], FloatZeros({sizes.batch, 4 * sizes.cells}));
  for (int i = 2; i < 5; ++i) {
    ASSIGN_OR_RETURN(outputs[i], FloatZeros({sizes.cells}));
  }
  ASSIGN_OR_RETURN(const Tensor h_carry, FloatZeros({sizes.batch, sizes.cells}));
  float *cs_carry = outputs[0].mutable_data<float>(), *gates = outputs[1].mutable_data<float>();
  const float* cs_prev = in.cs_prev.data<float>();
  RunLoop(c, sizes.batch, kCellCost * static_cast<double>(sizes.cells), [&](int64_t begin, int64_t end) {
    RunLstmGradRows(state, in, tape, cs_prev, h_carry.data<float>(), cs_carry, gates, begin, end);
  });
  if (state.peephole) {
    AddPeepholes(state, sizes, gates, cs_prev, tape.cs, outputs[2].mutable_data<float>(),
                 outputs[3].mutable_data<float>(), outputs[4].mutable_data<float>());
  }
  return SetRounded(c, c.input(0).dtype(), std::move(outputs));
}

// w_grad [inputs + cells, 4 cells] from the gradients inside the gates of all steps: [x, h_prev]^T gates.
absl::Status WeightGrads(const KernelCall& c, const LstmInputs& in, const float* h, const float* gates, float* w_grad) {
  const LstmSizes& sizes = in.sizes;
  const int64_t columns = 4 * sizes.cells, rows = sizes.steps * sizes.batch;
  float* h_part = w_grad + sizes.inputs * columns;
  RETURN_IF_ERROR(Gemm(c, GemmArgs<float>::Dense(in.x.data<float>(), Op::kTranspose, gates, Op::kNone, w_grad,
                                                 sizes.inputs, columns, rows)));
  RETURN_IF_ERROR(Gemm(c, GemmArgs<float>::Dense(in.h_prev.data<float>(), Op::kTranspose, gates, Op::kNone, h_part,
                                                 sizes.cells, columns, sizes.batch)));
  auto later = GemmArgs<float>::Dense(h, Op::kTranspose, gates + sizes.batch * columns, Op::kNone, h_part, sizes.cells,
                                      columns, rows - sizes.batch);
  later.accumulate = true;
  return later.k > 0 ? Gemm(c, later) : absl::OkStatus();
}

absl::Status LstmGrad(KernelCall& c) {
  const auto& state = c.state<LstmState>();
  ASSIGN_OR_RETURN(const LstmInputs in, ReadLstmInputs(c));
  const LstmSizes& sizes = in.sizes;
  std::vector<Tensor> held;
  ASSIGN_OR_RETURN(const LstmTape tape, ReadTape(c, sizes, 9, held));
  // x_grad, cs_prev_grad, h_prev_grad, w_grad, wci_grad, wcf_grad, wco_grad, b_grad: the shapes of inputs 1 to 8.
  std::vector<Tensor> outputs(8);
  for (int i = 0; i < 8; ++i) {
    ASSIGN_OR_RETURN(outputs[i], Tensor::Zeros(DType::kFloat32, c.input(i + 1).shape()));
  }
  const auto out = [&](int i) { return outputs[i].mutable_data<float>(); };
  const int64_t size = sizes.step_size(), columns = 4 * sizes.cells;
  if (size > 0 && sizes.steps > 0) {
    ASSIGN_OR_RETURN(Tensor all_gates, FloatZeros({sizes.steps, sizes.batch, columns}));
    float *gates = all_gates.mutable_data<float>(), *cs_carry = out(1), *h_carry = out(2);
    for (int64_t t = sizes.steps - 1; t >= 0; --t) {
      float* gate = gates + t * 4 * size;
      const LstmTape step = tape.At(t, size);
      const float* cs_prev = t == 0 ? in.cs_prev.data<float>() : step.cs - size;
      RunLoop(c, sizes.batch, kCellCost * static_cast<double>(sizes.cells), [&](int64_t begin, int64_t end) {
        RunLstmGradRows(state, in, step, cs_prev, h_carry, cs_carry, gate, begin, end);
      });
      if (state.peephole) AddPeepholes(state, sizes, gate, cs_prev, step.cs, out(4), out(5), out(6));
      RETURN_IF_ERROR(Gemm(c, GemmArgs<float>::Dense(gate, Op::kNone, in.w_h(), Op::kTranspose, h_carry, sizes.batch,
                                                     sizes.cells, columns)));
    }
    const int64_t rows = sizes.steps * sizes.batch;
    RETURN_IF_ERROR(Gemm(
        c, GemmArgs<float>::Dense(gates, Op::kNone, in.w_x(), Op::kTranspose, out(0), rows, sizes.inputs, columns)));
    RETURN_IF_ERROR(WeightGrads(c, in, held[6].data<float>(), gates, out(3)));
    float* b_grad = out(7);
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t k = 0; k < columns; ++k) b_grad[k] += gates[row * columns + k];
    }
  }
  return SetRounded(c, c.input(1).dtype(), std::move(outputs));
}

// ---- GRU

struct GruInputs {
  int64_t batch = 0, inputs = 0, cells = 0;
  const float *x = nullptr, *h_prev = nullptr, *w_ru = nullptr, *w_c = nullptr, *b_ru = nullptr, *b_c = nullptr;

  // The rows of weights that h_prev is multiplied with.
  const float* w_ru_h() const { return w_ru + inputs * 2 * cells; }
  const float* w_c_h() const { return w_c + inputs * cells; }
};

absl::StatusOr<GruInputs> ReadGruInputs(const KernelCall& c) {
  RETURN_IF_ERROR(ExpectRank(c.input(0), "x", 2));
  RETURN_IF_ERROR(ExpectRank(c.input(1), "h_prev", 2));
  GruInputs in;
  in.batch = c.input(0).dim(0);
  in.inputs = c.input(0).dim(1);
  in.cells = c.input(1).dim(1);
  const std::optional<int64_t> columns = CheckedMul(in.cells, 2), rows = CheckedAdd(in.inputs, in.cells);
  if (!columns.has_value() || !rows.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat("h_prev: expected fewer cells, got shape ", c.input(1).ShapeString()));
  }
  RETURN_IF_ERROR(ExpectDims(c.input(1), "h_prev", {in.batch, in.cells}));
  RETURN_IF_ERROR(ExpectDims(c.input(2), "w_ru", {*rows, *columns}));
  RETURN_IF_ERROR(ExpectDims(c.input(3), "w_c", {*rows, in.cells}));
  RETURN_IF_ERROR(ExpectDims(c.input(4), "b_ru", {*columns}));
  RETURN_IF_ERROR(ExpectDims(c.input(5), "b_c", {in.cells}));
  const float** const all[] = {&in.x, &in.h_prev, &in.w_ru, &in.w_c, &in.b_ru, &in.b_c};
  for (int i = 0; i < 6; ++i) *all[i] = c.input(i).data<float>();
  return in;
}

// to [batch, columns] = x w_x + h w_h.
absl::Status SumOfProducts(const KernelCall& c, const GruInputs& in, const float* w_x, const float* h, const float* w_h,
                           int64_t columns, float* to) {
  RETURN_IF_ERROR(Gemm(c, GemmArgs<float>::Dense(in.x, Op::kNone, w_x, Op::kNone, to, in.batch, columns, in.inputs)));
  auto product = GemmArgs<float>::Dense(h, Op::kNone, w_h, Op::kNone, to, in.batch, columns, in.cells);
  product.accumulate = true;
  return Gemm(c, product);
}

absl::Status Gru(KernelCall& c) {
  ASSIGN_OR_RETURN(const GruInputs in, ReadGruInputs(c));
  const int64_t n = in.cells;
  std::array<float*, 4> to;
  for (int i = 0; i < 4; ++i) {
    ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, DType::kFloat32, {in.batch, n}));
    to[i] = output->mutable_data<float>();
  }
  if (in.batch == 0 || n == 0) return absl::OkStatus();
  const auto [r, u, candidate, h] = to;
  ASSIGN_OR_RETURN(Tensor gates_tensor, FloatZeros({in.batch, 2 * n}));
  ASSIGN_OR_RETURN(Tensor kept_tensor, FloatZeros({in.batch, n}));  // h_prev r
  float *gates = gates_tensor.mutable_data<float>(), *kept = kept_tensor.mutable_data<float>();
  RETURN_IF_ERROR(SumOfProducts(c, in, in.w_ru, in.h_prev, in.w_ru_h(), 2 * n, gates));
  const double cost = kCellCost * static_cast<double>(n);
  RunLoop(c, in.batch, cost, [&, r = r, u = u](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float* gate = gates + row * 2 * n;
      for (int64_t k = 0; k < 2 * n; ++k) gate[k] += in.b_ru[k];
      Sigmoid(gate, 2 * n);
      std::copy_n(gate, n, r + row * n);
      std::copy_n(gate + n, n, u + row * n);
      for (int64_t k = row * n; k < (row + 1) * n; ++k) kept[k] = in.h_prev[k] * r[k];
    }
  });
  RETURN_IF_ERROR(SumOfProducts(c, in, in.w_c, kept, in.w_c_h(), n, candidate));
  RunLoop(c, in.batch, cost, [&, u = u, candidate = candidate, h = h](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      float* to_row = candidate + row * n;
      for (int64_t k = 0; k < n; ++k) to_row[k] += in.b_c[k];
      Tanh(to_row, to_row, n);
      for (int64_t k = row * n; k < (row + 1) * n; ++k) h[k] = (1 - u[k]) * candidate[k] + u[k] * in.h_prev[k];
    }
  });
  return absl::OkStatus();
}

// Inputs: those of GRUBlockCell, r, u, c, d_h. Outputs: d_x, d_h_prev, and the gradients of the sums inside c, and r
// and u.
absl::Status GruGrad(KernelCall& c) {
  ASSIGN_OR_RETURN(const GruInputs in, ReadGruInputs(c));
  const int64_t n = in.cells;
  const char* const names[] = {"r", "u", "c", "d_h"};
  std::array<const float*, 4> from;
  for (int i = 0; i < 4; ++i) {
    RETURN_IF_ERROR(ExpectDims(c.input(6 + i), names[i], {in.batch, n}));
    from[i] = c.input(6 + i).data<float>();
  }
  const int64_t columns[] = {in.inputs, n, n, 2 * n};
  std::array<float*, 4> to;
  for (int i = 0; i < 4; ++i) {
    ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, DType::kFloat32, {in.batch, columns[i]}));
    to[i] = output->mutable_data<float>();
    std::fill_n(to[i], output->num_elements(), 0.0f);
  }
  if (in.batch == 0 || n == 0) return absl::OkStatus();
  const auto [r, u, candidate, d_h] = from;
  const auto [d_x, d_h_prev, d_c, d_ru] = to;
  ASSIGN_OR_RETURN(Tensor kept, FloatZeros({in.batch, n}));  // the gradient of h_prev r
  float* d_kept = kept.mutable_data<float>();
  const int64_t size = in.batch * n;
  for (int64_t k = 0; k < size; ++k) d_c[k] = d_h[k] * (1 - u[k]) * (1 - candidate[k] * candidate[k]);
  RETURN_IF_ERROR(Gemm(c, GemmArgs<float>::Dense(d_c, Op::kNone, in.w_c_h(), Op::kTranspose, d_kept, in.batch, n, n)));
  for (int64_t k = 0; k < size; ++k) {
    float* gates = d_ru + k / n * 2 * n + k % n;
    gates[0] = d_kept[k] * in.h_prev[k] * r[k] * (1 - r[k]);
    gates[n] = d_h[k] * (in.h_prev[k] - candidate[k]) * u[k] * (1 - u[k]);
  }
  RETURN_IF_ERROR(
      Gemm(c, GemmArgs<float>::Dense(d_ru, Op::kNone, in.w_ru_h(), Op::kTranspose, d_h_prev, in.batch, n, 2 * n)));
  for (int64_t k = 0; k < size; ++k) d_h_prev[k] += d_kept[k] * r[k] + d_h[k] * u[k];
  RETURN_IF_ERROR(Gemm(c, GemmArgs<float>::Dense(d_c, Op::kNone, in.w_c, Op::kTranspose, d_x, in.batch, in.inputs, n)));
  auto by_gates = GemmArgs<float>::Dense(d_ru, Op::kNone, in.w_ru, Op::kTranspose, d_x, in.batch, in.inputs, 2 * n);
  by_gates.accumulate = true;
  return Gemm(c, by_gates);
}

// ---- Shapes and gradients

int64_t TimesIfKnown(int64_t factor, int64_t dim) { return dim < 0 ? -1 : CheckedMul(factor, dim).value_or(-1); }

int64_t DimOf(const PartialShape& shape, int i) { return shape.has_rank() ? shape.dim(i) : -1; }

// Outputs [batch of x, cells of input `x + 1`], or with the time of x before.
template <int kX, int kRank>
absl::Status CellShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape x, c.WithRank(kX, kRank));
  ASSIGN_OR_RETURN(const PartialShape state, c.WithRank(kX + 1, 2));
  Dims dims;
  for (int i = 0; i + 1 < kRank; ++i) dims.push_back(DimOf(x, i));
  dims.push_back(DimOf(state, 1));
  ASSIGN_OR_RETURN(const PartialShape shape, PartialShape::Make(dims));
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, shape);
  return absl::OkStatus();
}

absl::Status LstmCellGradShape(ShapeContext& c) {
  RETURN_IF_ERROR((CellShape<0, 2>(c)));
  const PartialShape cell = c.outputs()[0];
  ASSIGN_OR_RETURN(PartialShape gates, PartialShape::Make({{cell.dim(0), TimesIfKnown(4, cell.dim(1))}}));
  c.SetOutput(1, std::move(gates));
  for (int i = 2; i < 5; ++i) c.SetOutput(i, PartialShape::Of({cell.dim(1)}));
  return absl::OkStatus();
}

absl::Status LstmGradShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.WithRank(1, 3).status());
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, c.input(i + 1));
  return absl::OkStatus();
}

absl::Status GruGradShape(ShapeContext& c) {
  RETURN_IF_ERROR((CellShape<0, 2>(c)));
  const PartialShape cell = c.outputs()[0];
  ASSIGN_OR_RETURN(PartialShape x, c.WithRank(0, 2));
  ASSIGN_OR_RETURN(PartialShape gates, PartialShape::Make({{cell.dim(0), TimesIfKnown(2, cell.dim(1))}}));
  c.SetOutput(0, std::move(x));
  c.SetOutput(3, std::move(gates));
  return absl::OkStatus();
}

absl::Status BlockLstmGradient(GradContext& c) {
  std::vector<Input> inputs;
  for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  for (int i = 0; i < c.num_outputs(); ++i) inputs.push_back(c.output(i));
  for (const int i : {1, 6}) inputs.push_back(c.grad(i));
  const Operation grad =
      c.MultiOp(c.op() == "BlockLSTM" ? "BlockLSTMGrad" : "BlockLSTMGradV2", inputs, c.CopyAttrs({"use_peephole"}));
  for (int i = 1; i < c.num_inputs(); ++i) c.Set(i, grad.output(i - 1));
  return absl::OkStatus();
}

// ---- Registration

absl::StatusOr<Kernel> LstmKernel(const NodeInfo& node, KernelFn fn) {
  const std::string_view op = node.schema().name();
  auto state = std::make_shared<LstmState>();
  state->over_time = op.starts_with("Block");
  if (op.ends_with("V2")) std::swap(state->ci, state->f);
  ASSIGN_OR_RETURN(state->peephole, node.Bool("use_peephole"));
  if (fn == &RunKernel<Lstm>) {
    ASSIGN_OR_RETURN(state->cell_clip, node.Float("cell_clip"));
    if (!op.ends_with("V2")) {
      ASSIGN_OR_RETURN(state->forget_bias, node.Float("forget_bias"));
    }
  }
  const DType dtype = node.output_dtype(0);
  if (!kLstmTypes.contains(dtype)) return NoKernelFor(node, dtype);
  return Kernel{.fn = fn, .state = std::move(state)};
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> LstmFactory(const NodeInfo& node) {
  return LstmKernel(node, &RunKernel<kCompute>);
}

}  // namespace

absl::Status RegisterRecurrentOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       DTypeSet dtypes, GradFunction gradient = nullptr) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = dtypes,
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("LSTMBlockCell", "One step of an LSTM", CellShape<0, 2>, LstmFactory<Lstm>, kLstmTypes));
  RETURN_IF_ERROR(add("LSTMBlockCellGrad", "The gradients of LSTMBlockCell, but for those of weights and inputs",
                      LstmCellGradShape, LstmFactory<LstmCellGrad>, kLstmTypes));
  RETURN_IF_ERROR(
      add("BlockLSTM", "An LSTM over a sequence", CellShape<1, 3>, LstmFactory<Lstm>, kLstmTypes, BlockLstmGradient));
  RETURN_IF_ERROR(add("BlockLSTMV2", "An LSTM over a sequence, with gates in another order", CellShape<1, 3>,
                      LstmFactory<Lstm>, kLstmTypes, BlockLstmGradient));
  for (const char* name : {"BlockLSTMGrad", "BlockLSTMGradV2"}) {
    RETURN_IF_ERROR(
        add(name, "The gradients of an LSTM over a sequence", LstmGradShape, LstmFactory<LstmGrad>, kLstmTypes));
  }
  RETURN_IF_ERROR(add("GRUBlockCell", "One step of a GRU", CellShape<0, 2>, PlainKernel<Gru>, kGruTypes));
  return add("GRUBlockCellGrad", "The gradients of GRUBlockCell, but for those of weights", GruGradShape,
             PlainKernel<GruGrad>, kGruTypes);
}

}  // namespace flowlatch
