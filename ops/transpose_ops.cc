// Moving dimensions, and moving blocks between dimensions. All dtypes.
//   Transpose:     output dimension i is dimension perm[i] of x; perm counts from the end where negative.
//   ConjugateTranspose: also conjugates complex elements.
//   SpaceToDepth:  [N, H, W, C] -> [N, H/b, W/b, b*b*C]; DepthToSpace is its inverse. Also as NCHW.
//   SpaceToBatchND: input [N, s1.., sM.., rest..], padded with zeros, each spatial dimension cut into blocks:
//                  -> [N * b1 * .. * bM, (s1 + padding) / b1, .., rest..]; BatchToSpaceND is its inverse, then crops.
//                  SpaceToBatch, BatchToSpace: the same for images and one block size.
#include "ops/transpose_ops.h"

#include <bitset>
#include <complex>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/slice_copy.h"
#include "ops/kernels/transpose.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// ---- Transpose, ConjugateTranspose

using Permutation = absl::InlinedVector<int, 6>;

absl::StatusOr<Permutation> ReadPermutation(const Tensor& perm, int rank) {
  ASSIGN_OR_RETURN(const Dims given, ReadIntVector(perm, "perm"));
  if (static_cast<int>(given.size()) != rank) {
    return absl::InvalidArgumentError(absl::StrCat("perm: expected ", rank, " dimensions, got ", given.size()));
  }
  Permutation result;
  std::bitset<kMaxRank + 1> seen;
  for (const int64_t p : given) {
    ASSIGN_OR_RETURN(const int axis, NormalizeAxis(p, rank, "perm"));
    if (seen[axis]) {
      return absl::InvalidArgumentError(absl::StrCat("perm: expected each dimension once, got ", axis, " twice"));
    }
    seen[axis] = true;
    result.push_back(axis);
  }
  return result;
}

Dims PermutedDims(absl::Span<const int64_t> dims, absl::Span<const int> perm) {
  Dims permuted;
  for (const int p : perm) permuted.push_back(dims[p]);
  return permuted;
}

absl::Status TransposeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape perm, c.WithRank(1, 1));
  const PartialShape& x = c.input(0);
  const int64_t rank = x.has_rank() ? x.rank() : perm.has_rank() && perm.has_dim(0) ? perm.dim(0) : -1;
  if (rank < 0 || rank > kMaxRank) return absl::OkStatus();
  if (c.constant(1) == nullptr) {
    c.SetOutput(0, PartialShape::UnknownOfRank(static_cast<int>(rank)));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Permutation permutation, ReadPermutation(*c.constant(1), static_cast<int>(rank)));
  const PartialShape known = x.has_rank() ? x : PartialShape::UnknownOfRank(static_cast<int>(rank));
  c.SetOutput(0, PartialShape::FromValid(PermutedDims(known.dims(), permutation)));
  return absl::OkStatus();
}

template <typename T>
void Conjugate(const KernelCall& c, const Tensor& from, Tensor* to) {
  const std::complex<T>* x = from.data<std::complex<T>>();
  std::complex<T>* y = to->mutable_data<std::complex<T>>();
  RunLoop(c, from.num_elements(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) y[i] = std::conj(x[i]);
  });
}

template <bool kConjugate>
absl::Status Transpose(KernelCall& c) {
  const Tensor& x = c.input(0);
  ASSIGN_OR_RETURN(const Permutation perm, ReadPermutation(c.input(1), x.rank()));
  const Dims dims = PermutedDims(x.dims(), perm);
  if (x.num_elements() == 0 || IsReshape(x.dims(), perm)) {
    ASSIGN_OR_RETURN(c.output(0), x.Reshaped(Shape::FromValid(dims)));
  } else {
    ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, x.dtype(), dims));
    TransposeElements(c, x.dtype(), x.dims(), perm, x.raw_data(), y->raw_mutable_data());
  }
  if constexpr (kConjugate) {
    if (!IsComplex(x.dtype())) return absl::OkStatus();
    const Tensor moved = std::move(c.output(0));
    ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, moved.dtype(), dims));
    if (moved.dtype() == DType::kComplex64) Conjugate<float>(c, moved, y);
    else Conjugate<double>(c, moved, y);
  }
  return absl::OkStatus();
}

// ---- SpaceToDepth, DepthToSpace

// A move of blocks between space and depth, as a permutation of the input with its dimensions split.
struct BlockMove {
  Dims split_dims, output_dims;
  Permutation perm;
};

class BlockMoveState : public KernelState {
 public:
  BlockMoveState(int64_t block, bool to_depth, bool channels_first)
      : block(block), to_depth(to_depth), channels_first(channels_first) {}
  const int64_t block;
  const bool to_depth, channels_first;
};

absl::StatusOr<BlockMoveState> ReadBlockMove(int64_t block, const std::string& format, bool to_depth) {
  if (block < 2) return absl::InvalidArgumentError(absl::StrCat("block_size: expected a value >= 2, got ", block));
  if (format != "NHWC" && format != "NCHW") {
    return absl::InvalidArgumentError(absl::StrCat("data_format: expected NHWC or NCHW, got ", format));
  }
  return BlockMoveState(block, to_depth, format == "NCHW");
}

// Dimensions may be -1 (unknown).
absl::StatusOr<BlockMove> PlanBlockMove(absl::Span<const int64_t> dims, const BlockMoveState& s) {
  if (dims.size() != 4) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected 4 dimensions, got shape ", DimsToString(dims)));
  }
  const int h_at = s.channels_first ? 2 : 1, w_at = h_at + 1, c_at = s.channels_first ? 1 : 3;
  const std::optional<int64_t> area = CheckedMul(s.block, s.block);
  const auto divisible = [](int64_t size, int64_t by) { return size < 0 || size % by == 0; };
  if (!area.has_value() || (s.to_depth ? !divisible(dims[h_at], s.block) || !divisible(dims[w_at], s.block)
                                       : !divisible(dims[c_at], *area))) {
    return absl::InvalidArgumentError(absl::StrCat(s.to_depth ? "height and width" : "depth", " of input: expected multiples of ",
                                                   s.to_depth ? "" : "the square of ", "block_size ", s.block,
                                                   ", got shape ", DimsToString(dims)));
  }
  const auto scaled = [](int64_t size, int64_t by) { return size < 0 ? std::optional<int64_t>(-1) : CheckedMul(size, by); };
  const auto split = [](int64_t size, int64_t by) { return size < 0 ? -1 : size / by; };
  const int64_t n = dims[0], h = dims[h_at], w = dims[w_at], c = dims[c_at], b = s.block;
  std::optional<int64_t> out_h, out_w, out_c;
  BlockMove move;
  if (s.to_depth) {
    out_h = split(h, b), out_w = split(w, b), out_c = scaled(c, *area);
    if (s.channels_first) {
      move.split_dims = {n, c, *out_h, b, *out_w, b};
      move.perm = {0, 3, 5, 1, 2, 4};
    } else {
      move.split_dims = {n, *out_h, b, *out_w, b, c};
      move.perm = {0, 1, 3, 2, 4, 5};
    }
  } else {
    out_h = scaled(h, b), out_w = scaled(w, b), out_c = split(c, *area);
    if (s.channels_first) {
      move.split_dims = {n, b, b, *out_c, h, w};
      move.perm = {0, 3, 4, 1, 5, 2};
    } else {
      move.split_dims = {n, h, w, b, b, *out_c};
      move.perm = {0, 1, 3, 2, 4, 5};
    }
  }
  if (!out_h.has_value() || !out_w.has_value() || !out_c.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected a smaller shape, got ", DimsToString(dims)));
  }
  move.output_dims = s.channels_first ? Dims{n, *out_c, *out_h, *out_w} : Dims{n, *out_h, *out_w, *out_c};
  return move;
}

template <bool kToDepth>
absl::Status BlockMoveShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRank(0, 4));
  ASSIGN_OR_RETURN(const int64_t block, c.Int("block_size"));
  ASSIGN_OR_RETURN(const std::string format, c.Str("data_format"));
  if (format == "NCHW_VECT_C") return absl::OkStatus();
  ASSIGN_OR_RETURN(const BlockMoveState state, ReadBlockMove(block, format, kToDepth));
  ASSIGN_OR_RETURN(const BlockMove move, PlanBlockMove(input.has_rank() ? input.dims() : Dims{-1, -1, -1, -1}, state));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(move.output_dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

absl::Status MoveBlocks(KernelCall& c) {
  const Tensor& input = c.input(0);
  ASSIGN_OR_RETURN(const BlockMove move, PlanBlockMove(input.dims(), c.state<BlockMoveState>()));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), move.output_dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  TransposeElements(c, input.dtype(), move.split_dims, move.perm, input.raw_data(), output->raw_mutable_data());
  return absl::OkStatus();
}

template <bool kToDepth>
absl::StatusOr<Kernel> BlockMoveKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t block, node.Int("block_size"));
  ASSIGN_OR_RETURN(const std::string format, node.Str("data_format"));
  if (format == "NCHW_VECT_C") {
    return absl::UnimplementedError(absl::StrCat("data_format: expected NHWC or NCHW, got ", format));
  }
  ASSIGN_OR_RETURN(const BlockMoveState state, ReadBlockMove(block, format, kToDepth));
  return Kernel{.fn = &RunKernel<MoveBlocks>, .state = std::make_shared<BlockMoveState>(state)};
}

// ---- SpaceToBatchND, BatchToSpaceND

// Sizes per spatial dimension. For SpaceToBatch `before` and `after` are padding, for BatchToSpace what is cropped.
struct Blocks {
  Dims size, before, after;

  absl::StatusOr<int64_t> Product() const {
    int64_t product = 1;
    for (const int64_t s : size) {
      const std::optional<int64_t> next = CheckedMul(product, s);
      if (!next.has_value()) return absl::InvalidArgumentError("block_shape: expected a product that fits int64");
      product = *next;
    }
    return product;
  }
};

// `margins` is paddings or crops, [M, 2].
absl::StatusOr<Blocks> MakeBlocks(Dims size, const Tensor& margins, const char* margins_name) {
  Blocks blocks;
  blocks.size = std::move(size);
  const int64_t m = static_cast<int64_t>(blocks.size.size());
  for (const int64_t s : blocks.size) {
    if (s < 1) return absl::InvalidArgumentError(absl::StrCat("block_shape: expected values >= 1, got ", s));
  }
  if (margins.dims() != absl::Span<const int64_t>({m, 2})) {
    return absl::InvalidArgumentError(
        absl::StrCat(margins_name, ": expected shape [", m, ",2], got ", margins.ShapeString()));
  }
  for (int64_t i = 0; i < 2 * m; ++i) {
    const int64_t v = margins.dtype() == DType::kInt32 ? margins.data<int32_t>()[i] : margins.data<int64_t>()[i];
    if (v < 0) return absl::InvalidArgumentError(absl::StrCat(margins_name, ": expected values >= 0, got ", v));
    (i % 2 == 0 ? blocks.before : blocks.after).push_back(v);
  }
  return blocks;
}

// Reads the inputs of both forms of the ops: the ND ones give block_shape in input 1, the others as an attr (then
// block_size > 0) for the two dimensions of images.
template <typename Input>
absl::StatusOr<Blocks> ReadBlocks(int64_t block_size, const char* margins_name, const Input& input) {
  if (block_size > 0) return MakeBlocks({block_size, block_size}, input(1), margins_name);
  ASSIGN_OR_RETURN(Dims size, ReadIntVector(input(1), "block_shape"));
  return MakeBlocks(std::move(size), input(2), margins_name);
}

// Dimensions may be -1 (unknown).
absl::StatusOr<Dims> BatchedDims(absl::Span<const int64_t> dims, const Blocks& blocks, bool to_batch, bool images) {
  const size_t m = blocks.size.size();
  if (dims.size() < m + 1 || (images && dims.size() != 4)) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected ", images ? "4" : absl::StrCat("at least ", m + 1),
                                                   " dimensions, got shape ", DimsToString(dims)));
  }
  ASSIGN_OR_RETURN(const int64_t product, blocks.Product());
  Dims result(dims.begin(), dims.end());
  if (dims[0] >= 0) {
    const std::optional<int64_t> batch = to_batch ? CheckedMul(dims[0], product) : dims[0] / product;
    if (!batch.has_value() || (!to_batch && dims[0] % product != 0)) {
      return absl::InvalidArgumentError(absl::StrCat("batch of input: expected a multiple of ", product,
                                                     " that fits int64, got ", dims[0]));
    }
    result[0] = *batch;
  }
  for (size_t i = 0; i < m; ++i) {
    int64_t& d = result[i + 1];
    if (d < 0) continue;
    const std::optional<int64_t> margin = CheckedAdd(blocks.before[i], blocks.after[i]);
    const std::optional<int64_t> whole = to_batch ? d : CheckedMul(d, blocks.size[i]);
    const std::optional<int64_t> size =
        !margin || !whole ? std::nullopt : to_batch ? CheckedAdd(*whole, *margin) : CheckedAdd(*whole, -*margin);
    if (!size.has_value() || *size < 0 || (to_batch && *size % blocks.size[i] != 0)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "spatial dimension ", i, to_batch ? ": expected a multiple of the block size with padding" : ": expected no more crops",
          ", got ", d, " with block size ", blocks.size[i], " and margins ", blocks.before[i], " and ", blocks.after[i]));
    }
    d = to_batch ? *size / blocks.size[i] : *size;
  }
  return result;
}

class BatchMoveState : public KernelState {
 public:
  BatchMoveState(int64_t block_size, bool to_batch) : block_size(block_size), to_batch(to_batch) {}
  const int64_t block_size;  // 0: the ND form
  const bool to_batch;
  const char* margins_name() const { return to_batch ? "paddings" : "crops"; }
};

template <bool kToBatch, bool kImages>
absl::Status BatchMoveShape(ShapeContext& c) {
  int64_t block_size = 0;
  if (kImages) {
    ASSIGN_OR_RETURN(block_size, c.Int("block_size"));
  }
  const PartialShape& input = c.input(0);
  const bool known = c.constant(1) != nullptr && (kImages || c.constant(2) != nullptr);
  if (!input.has_rank()) return absl::OkStatus();
  if (!known) {
    c.SetOutput(0, PartialShape::UnknownOfRank(input.rank()));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const Blocks blocks, ReadBlocks(block_size, BatchMoveState(0, kToBatch).margins_name(),
                                                   [&](int i) -> const Tensor& { return *c.constant(i); }));
  ASSIGN_OR_RETURN(const Dims dims, BatchedDims(input.dims(), blocks, kToBatch, kImages));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(dims));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// Where the cells of one output batch entry come from: batch entry `batch` of the input for the whole of it
// (SpaceToBatch), or one that the cell's position in its block decides (BatchToSpace).
class CellSource {
 public:
  CellSource(const Blocks& blocks, absl::Span<const int64_t> input_dims, int64_t output_batch, bool to_batch,
             int64_t smaller_batch)
      : blocks_(blocks), input_dims_(input_dims), to_batch_(to_batch), batch_stride_(blocks.size.size()),
        in_block_(blocks.size.size()) {
    base_ = output_batch % smaller_batch;
    int64_t block = output_batch / smaller_batch, stride = smaller_batch;
    for (size_t d = blocks.size.size(); d-- > 0; block /= blocks.size[d]) {
      in_block_[d] = block % blocks.size[d];
      batch_stride_[d] = stride;
      stride *= blocks.size[d];
    }
  }
  // The input cell (batch entry and spatial position as one number) for an output position, or -1 for padding.
  int64_t Find(absl::Span<const int64_t> output) const {
    int64_t batch = base_, cell = 0;
    for (size_t d = 0; d < output.size(); ++d) {
      int64_t at;
      if (to_batch_) {
        at = output[d] * blocks_.size[d] + in_block_[d] - blocks_.before[d];
        if (at < 0 || at >= input_dims_[d + 1]) return -1;
      } else {
        const int64_t whole = output[d] + blocks_.before[d];
        at = whole / blocks_.size[d];
        batch += whole % blocks_.size[d] * batch_stride_[d];
      }
      cell = cell * input_dims_[d + 1] + at;
    }
    int64_t cells = 1;
    for (size_t d = 0; d < output.size(); ++d) cells *= input_dims_[d + 1];
    return batch * cells + cell;
  }

 private:
  const Blocks& blocks_;
  absl::Span<const int64_t> input_dims_;
  const bool to_batch_;
  int64_t base_ = 0;
  Dims batch_stride_, in_block_;
};

absl::Status MoveBatches(KernelCall& c) {
  const Tensor& input = c.input(0);
  const BatchMoveState& state = c.state<BatchMoveState>();
  ASSIGN_OR_RETURN(const Blocks blocks, ReadBlocks(state.block_size, state.margins_name(),
                                                   [&](int i) -> const Tensor& { return c.input(i); }));
  ASSIGN_OR_RETURN(const Dims dims, BatchedDims(input.dims(), blocks, state.to_batch, state.block_size > 0));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), dims));
  if (output->num_elements() == 0) return absl::OkStatus();
  const int m = static_cast<int>(blocks.size.size());
  const absl::Span<const int64_t> space = output->dims().subspan(1, m);
  int64_t cells = 1, cell_elements = 1;
  for (const int64_t d : space) cells *= d;
  for (const int64_t d : output->dims().subspan(1 + m)) cell_elements *= d;
  const int64_t smaller_batch = std::min(input.dim(0), dims[0]);
  const char* from = static_cast<const char*>(input.raw_data());
  char* to = static_cast<char*>(output->raw_mutable_data());
  const bool is_plain = !IsObjectDType(input.dtype());
  WithSlice(input.dtype(), cell_elements, [&](auto slice) {
    const double cost = static_cast<double>(cells) * (4 * m + static_cast<double>(slice.bytes) / 8);
    RunLoop(c, dims[0], cost, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        const CellSource source(blocks, input.dims(), b, state.to_batch, smaller_batch);
        Dims at(m, 0);
        for (int64_t cell = b * cells; cell < (b + 1) * cells; ++cell) {
          if (const int64_t found = source.Find(at); found >= 0) slice(from + found * slice.bytes, to + cell * slice.bytes);
          else if (is_plain) std::memset(to + cell * slice.bytes, 0, static_cast<size_t>(slice.bytes));
          for (int d = m - 1; d >= 0 && ++at[d] == space[d]; --d) at[d] = 0;
        }
      }
    });
  });
  return absl::OkStatus();
}

template <bool kToBatch, bool kImages>
absl::StatusOr<Kernel> BatchMoveKernel(const NodeInfo& node) {
  int64_t block_size = 0;
  if (kImages) {
    ASSIGN_OR_RETURN(block_size, node.Int("block_size"));
    if (block_size < 2) {
      return absl::InvalidArgumentError(absl::StrCat("block_size: expected a value >= 2, got ", block_size));
    }
  }
  return Kernel{.fn = &RunKernel<MoveBatches>, .state = std::make_shared<BatchMoveState>(block_size, kToBatch)};
}

// ---- Gradients

absl::Status TransposeGrad(GradContext& c) {
  c.Set(0, c.Op(c.op(), {c.grad(), c.Op("InvertPermutation", {c.input(1)})}));
  return absl::OkStatus();
}

// The ops that move space into another dimension and back: each is the other's gradient.
std::string Opposite(std::string_view op) {
  static constexpr std::pair<std::string_view, std::string_view> kPairs[] = {
      {"SpaceToDepth", "DepthToSpace"}, {"SpaceToBatchND", "BatchToSpaceND"}, {"SpaceToBatch", "BatchToSpace"}};
  for (const auto& [to, back] : kPairs) {
    if (op == to) return std::string(back);
    if (op == back) return std::string(to);
  }
  return {};
}

absl::Status DepthGrad(GradContext& c) {
  if (c.Str("data_format") == "NCHW_VECT_C") {
    return absl::InvalidArgumentError("data_format: expected NHWC or NCHW for a gradient, got NCHW_VECT_C");
  }
  c.Set(0, c.Op(Opposite(c.op()), {c.grad()}, c.CopyAttrs({"block_size", "data_format"})));
  return absl::OkStatus();
}

absl::Status BatchNDGrad(GradContext& c) {
  c.Set(0, c.Op(Opposite(c.op()), {c.grad(), c.input(1), c.input(2)}));
  return absl::OkStatus();
}

absl::Status BatchGrad(GradContext& c) {
  c.Set(0, c.Op(Opposite(c.op()), {c.grad(), c.input(1)}, c.CopyAttrs({"block_size"})));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterTransposeOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Transpose(x: T, perm: Tperm) -> (y: T); T: type; Tperm: {int32, int64} = int32",
      .doc = "x with its dimensions in another order",
      .shape = TransposeShape,
      .kernel = PlainKernel<Transpose<false>>,
      .gradient = TransposeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "ConjugateTranspose(x: T, perm: Tperm) -> (y: T); T: type; Tperm: {int32, int64} = int32",
      .doc = "the conjugate of x with its dimensions in another order",
      .shape = TransposeShape,
      .kernel = PlainKernel<Transpose<true>>,
      .gradient = TransposeGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SpaceToDepth(input: T) -> (output: T); T: type; block_size: int >= 2; "
                   "data_format: {\"NHWC\", \"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"",
      .doc = "blocks of pixels moved into the channels",
      .shape = BlockMoveShape<true>,
      .kernel = BlockMoveKernel<true>,
      .gradient = DepthGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "DepthToSpace(input: T) -> (output: T); T: type; block_size: int >= 2; "
                   "data_format: {\"NHWC\", \"NCHW\", \"NCHW_VECT_C\"} = \"NHWC\"",
      .doc = "channels moved out into blocks of pixels",
      .shape = BlockMoveShape<false>,
      .kernel = BlockMoveKernel<false>,
      .gradient = DepthGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> (output: T); T: type; "
                   "Tblock_shape: {int32, int64} = int32; Tpaddings: {int32, int64} = int32",
      .doc = "blocks of the padded spatial dimensions moved into the batch",
      .shape = BatchMoveShape<true, false>,
      .kernel = BatchMoveKernel<true, false>,
      .gradient = BatchNDGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> (output: T); T: type; "
                   "Tblock_shape: {int32, int64} = int32; Tcrops: {int32, int64} = int32",
      .doc = "blocks moved out of the batch into spatial dimensions, which are then cropped",
      .shape = BatchMoveShape<false, false>,
      .kernel = BatchMoveKernel<false, false>,
      .gradient = BatchNDGrad,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "SpaceToBatch(input: T, paddings: Tpaddings) -> (output: T); T: type; "
                   "Tpaddings: {int32, int64} = int32; block_size: int >= 2",
      .doc = "blocks of padded images moved into the batch",
      .shape = BatchMoveShape<true, true>,
      .kernel = BatchMoveKernel<true, true>,
      .gradient = BatchGrad,
  }));
  return library.Add({
      .signature = "BatchToSpace(input: T, crops: Tidx) -> (output: T); T: type; block_size: int >= 2; "
                   "Tidx: {int32, int64} = int32",
      .doc = "blocks moved out of the batch into images, which are then cropped",
      .shape = BatchMoveShape<false, true>,
      .kernel = BatchMoveKernel<false, true>,
      .gradient = BatchGrad,
  });
}

}  // namespace flowlatch
