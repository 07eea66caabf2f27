#include "ops/kernels/onednn_conv.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "dnnl.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/filter_cache.h"
#include "ops/kernels/gemm.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

// Owners of oneDNN's objects.
template <typename T, dnnl_status_t (*kDestroy)(T)>
struct Destroyer {
  using pointer = T;
  void operator()(T object) const { kDestroy(object); }
};
template <typename T, dnnl_status_t (*kDestroy)(T)>
using Handle = std::unique_ptr<T, Destroyer<T, kDestroy>>;
using PrimitiveDesc = Handle<dnnl_primitive_desc_t, dnnl_primitive_desc_destroy>;
using Primitive = Handle<dnnl_primitive_t, dnnl_primitive_destroy>;
using Attributes = Handle<dnnl_primitive_attr_t, dnnl_primitive_attr_destroy>;
using Memory = Handle<dnnl_memory_t, dnnl_memory_destroy>;
using Iterator = Handle<dnnl_primitive_desc_iterator_t, dnnl_primitive_desc_iterator_destroy>;
using Stream = Handle<dnnl_stream_t, dnnl_stream_destroy>;

// Null if oneDNN does not work at all. Lives as long as the process.
dnnl_engine_t Engine() {
  static const dnnl_engine_t engine = [] {
    dnnl_engine_t e = nullptr;
    return dnnl_engine_create(&e, dnnl_cpu, 0) == dnnl_success ? e : nullptr;
  }();
  return engine;
}

dnnl_stream_t ThreadStream() {
  thread_local const Stream stream = [] {
    dnnl_stream_t s = nullptr;
    return Stream(dnnl_stream_create(&s, Engine(), dnnl_stream_default_flags) == dnnl_success ? s : nullptr);
  }();
  return stream.get();
}

enum class Direction : int64_t { kForward, kBackpropInput, kBackpropFilter };

// All numbers that oneDNN's code depends on: equal geometries share it.
struct Geometry {
  Direction direction;
  bool outputs_first;  // whether the filter is [.., outputs, channels] in memory
  int64_t batch, channels, outputs, groups;
  Window height, width;

  std::array<int64_t, 18> Key() const {
    const Window &h = height, &w = width;
    return {static_cast<int64_t>(direction), outputs_first, batch, channels, outputs, groups, h.input, h.output, h.size,
            h.stride, h.dilation, h.pad_before, w.input, w.output, w.size, w.stride, w.dilation, w.pad_before};
  }
};

// Machine code for a geometry and the memory formats that it wants. Immutable.
struct Compiled {
  Primitive convolution;
  Primitive reorder;  // of the filter (forward: into `packed`, filter gradient: out of it); null if formats are equal
  dnnl_memory_desc_t images, plain, packed, results;  // of input, filter as the op has it, filter, output
  size_t scratch_bytes = 0;

  int64_t packed_elements() const {
    return static_cast<int64_t>(dnnl_memory_desc_get_size(&packed) / sizeof(float));
  }
};

bool Ok(dnnl_status_t status) { return status == dnnl_success; }

// Formats of the op's tensors.
bool DescribeTensors(const Geometry& g, Compiled& c, dnnl_memory_desc_t* any_filter) {
  const int64_t kh = g.height.size, kw = g.width.size, group_channels = g.channels / g.groups;
  const int64_t group_outputs = g.outputs / g.groups, tap = group_channels * g.outputs;
  const int64_t output_step = g.outputs_first ? g.channels : 1, channel_step = g.outputs_first ? 1 : g.outputs;
  const dnnl_dims_t images{g.batch, g.channels, g.height.input, g.width.input};
  const dnnl_dims_t results{g.batch, g.outputs, g.height.output, g.width.output};
  const bool grouped = g.groups > 1;
  const dnnl_dims_t filter{g.outputs, g.channels, kh, kw}, strides{output_step, channel_step, kw * tap, tap};
  const dnnl_dims_t grouped_filter{g.groups, group_outputs, group_channels, kh, kw};
  const dnnl_dims_t grouped_strides{group_outputs, 1, g.outputs, kw * tap, tap};
  const int rank = grouped ? 5 : 4;
  const auto& dims = grouped ? grouped_filter : filter;
  return Ok(dnnl_memory_desc_init_by_tag(&c.images, 4, images, dnnl_f32, dnnl_nhwc)) &&
         Ok(dnnl_memory_desc_init_by_tag(&c.results, 4, results, dnnl_f32, dnnl_nhwc)) &&
         Ok(dnnl_memory_desc_init_by_strides(&c.plain, rank, dims, dnnl_f32, grouped ? grouped_strides : strides)) &&
         Ok(dnnl_memory_desc_init_by_tag(any_filter, rank, dims, dnnl_f32, dnnl_format_tag_any));
}

bool DescribeConvolution(const Geometry& g, Direction direction, const Compiled& c, const dnnl_memory_desc_t& filter,
                         dnnl_convolution_desc_t* desc) {
  const dnnl_dims_t strides{g.height.stride, g.width.stride};
  const dnnl_dims_t dilations{g.height.dilation - 1, g.width.dilation - 1};
  const dnnl_dims_t before{g.height.pad_before, g.width.pad_before};
  const dnnl_dims_t after{g.height.pad_after(), g.width.pad_after()};
  constexpr auto kAlgorithm = dnnl_convolution_direct;
  switch (direction) {
    case Direction::kForward:
      return Ok(dnnl_dilated_convolution_forward_desc_init(desc, dnnl_forward_training, kAlgorithm, &c.images, &filter,
                                                           nullptr, &c.results, strides, dilations, before, after));
    case Direction::kBackpropInput:
      return Ok(dnnl_dilated_convolution_backward_data_desc_init(desc, kAlgorithm, &c.images, &filter, &c.results,
                                                                 strides, dilations, before, after));
    case Direction::kBackpropFilter:
      return Ok(dnnl_dilated_convolution_backward_weights_desc_init(
          desc, kAlgorithm, &c.images, &filter, nullptr, &c.results, strides, dilations, before, after));
  }
  return false;
}

PrimitiveDesc MakeDesc(const dnnl_convolution_desc_t& desc, dnnl_primitive_attr_t attributes,
                       const_dnnl_primitive_desc_t hint) {
  dnnl_primitive_desc_t pd = nullptr;
  return PrimitiveDesc(Ok(dnnl_primitive_desc_create(&pd, &desc, attributes, Engine(), hint)) ? pd : nullptr);
}

Primitive MakePrimitive(const PrimitiveDesc& desc) {
  dnnl_primitive_t p = nullptr;
  return Primitive(desc != nullptr && Ok(dnnl_primitive_create(&p, desc.get())) ? p : nullptr);
}

bool IsNamed(const_dnnl_primitive_desc_t desc, absl::string_view prefix) {
  const char* name = "";
  return Ok(dnnl_primitive_desc_query(desc, dnnl_query_impl_info_str, 0, &name)) && absl::StartsWith(name, prefix);
}

// oneDNN's choice of forward code, but for few channels: then what it tries first, batches of matrix products, takes up to
// half as long again as what it tries next.
PrimitiveDesc MakeForwardDesc(const Geometry& g, const dnnl_convolution_desc_t& desc, dnnl_primitive_attr_t attributes) {
  constexpr int64_t kFewChannels = 8;
  PrimitiveDesc first = MakeDesc(desc, attributes, nullptr);
  if (g.channels > kFewChannels || first == nullptr || !IsNamed(first.get(), "brgconv:")) return first;
  dnnl_primitive_desc_iterator_t iterator = nullptr;
  if (!Ok(dnnl_primitive_desc_iterator_create(&iterator, &desc, attributes, Engine(), nullptr))) return first;
  const Iterator owner(iterator);
  if (!Ok(dnnl_primitive_desc_iterator_next(iterator))) return first;
  PrimitiveDesc second(dnnl_primitive_desc_iterator_fetch(iterator));
  return second != nullptr && IsNamed(second.get(), "jit:avx512") ? std::move(second) : std::move(first);
}

// Null where oneDNN has nothing good.
std::shared_ptr<const Compiled> Compile(const Geometry& g) {
  if (Engine() == nullptr) return nullptr;
  const SingleThreadedOpenMp single;  // the code depends on the number of threads that will run it
  auto compiled = std::make_shared<Compiled>();
  dnnl_memory_desc_t any_filter;
  dnnl_convolution_desc_t desc;
  dnnl_primitive_attr_t raw_attributes = nullptr;
  if (!DescribeTensors(g, *compiled, &any_filter) || !Ok(dnnl_primitive_attr_create(&raw_attributes))) return nullptr;
  const Attributes attributes(raw_attributes);
  if (!Ok(dnnl_primitive_attr_set_scratchpad_mode(raw_attributes, dnnl_scratchpad_mode_user))) return nullptr;
  if (!DescribeConvolution(g, Direction::kForward, *compiled, any_filter, &desc)) return nullptr;
  PrimitiveDesc chosen = MakeForwardDesc(g, desc, raw_attributes);
  if (g.direction != Direction::kForward && chosen != nullptr) {
    if (!DescribeConvolution(g, g.direction, *compiled, any_filter, &desc)) return nullptr;
    chosen = MakeDesc(desc, raw_attributes, chosen.get());
  }
  // oneDNN's last resort is a plain loop, slower than ours.
  if (chosen == nullptr || IsNamed(chosen.get(), "ref")) return nullptr;
  compiled->convolution = MakePrimitive(chosen);
  if (compiled->convolution == nullptr) return nullptr;
  const bool to_plain = g.direction == Direction::kBackpropFilter;
  compiled->packed =
      *dnnl_primitive_desc_query_md(chosen.get(), to_plain ? dnnl_query_diff_weights_md : dnnl_query_weights_md, 0);
  compiled->scratch_bytes =
      dnnl_memory_desc_get_size(dnnl_primitive_desc_query_md(chosen.get(), dnnl_query_scratchpad_md, 0));
  if (dnnl_memory_desc_equal(&compiled->plain, &compiled->packed) == 0) {
    dnnl_primitive_desc_t reorder = nullptr;
    const dnnl_memory_desc_t *from = &compiled->plain, *to = &compiled->packed;
    if (to_plain) std::swap(from, to);
    if (!Ok(dnnl_reorder_primitive_desc_create(&reorder, from, Engine(), to, Engine(), nullptr))) return nullptr;
    compiled->reorder = MakePrimitive(PrimitiveDesc(reorder));
    if (compiled->reorder == nullptr) return nullptr;
  }
  return compiled;
}

// Compile, once for each geometry.
std::shared_ptr<const Compiled> FindCompiled(const Geometry& g) {
  struct Cache {
    std::mutex mu;
    absl::flat_hash_map<std::array<int64_t, 18>, std::shared_ptr<const Compiled>> entries;  // guarded by mu
  };
  static Cache& cache = *new Cache;  // not destroyed before the last convolution
  constexpr size_t kMost = 512;      // graphs with ever new shapes must not fill the memory
  const auto key = g.Key();
  {
    const std::lock_guard<std::mutex> lock(cache.mu);
    const auto it = cache.entries.find(key);
    if (it != cache.entries.end()) return it->second;
  }
  std::shared_ptr<const Compiled> compiled = Compile(g);
  const std::lock_guard<std::mutex> lock(cache.mu);
  if (cache.entries.size() >= kMost) cache.entries.clear();
  cache.entries[key] = compiled;
  return compiled;
}

struct Argument {
  int index;
  const dnnl_memory_desc_t& desc;
  const void* data;
};

bool Execute(const Primitive& primitive, absl::Span<const Argument> arguments) {
  absl::InlinedVector<Memory, 4> memories;
  absl::InlinedVector<dnnl_exec_arg_t, 4> args;
  for (const Argument& a : arguments) {
    dnnl_memory_t memory = nullptr;
    if (!Ok(dnnl_memory_create(&memory, &a.desc, Engine(), const_cast<void*>(a.data)))) return false;
    memories.emplace_back(memory);
    args.push_back({a.index, memory});
  }
  const SingleThreadedOpenMp single;
  return ThreadStream() != nullptr &&
         Ok(dnnl_primitive_execute(primitive.get(), ThreadStream(), static_cast<int>(args.size()), args.data()));
}

// Runs the convolution of `c` on its three operands with scratch memory.
absl::StatusOr<bool> Convolve(const Compiled& c, const Argument& x, const Argument& y, const Argument& z) {
  ASSIGN_OR_RETURN(Tensor scratch, Tensor::Make(DType::kUInt8, {static_cast<int64_t>(c.scratch_bytes)}));
  dnnl_memory_desc_t desc;
  const dnnl_dims_t size{static_cast<dnnl_dim_t>(c.scratch_bytes)};
  if (!Ok(dnnl_memory_desc_init_by_tag(&desc, 1, size, dnnl_u8, dnnl_x))) return false;
  if (c.scratch_bytes == 0) return Execute(c.convolution, {x, y, z});
  return Execute(c.convolution, {x, y, z, Argument{DNNL_ARG_SCRATCHPAD, desc, scratch.raw_mutable_data()}});
}

// Packs a filter whose wanted format differs from the op's by blocks of outputs alone, which then are runs of elements in
// both. False for other formats.
bool PackBlocksOfOutputs(const KernelCall& call, const Compiled& c, const float* filter, float* packed) {
  const dnnl_memory_desc_t &from = c.plain, &to = c.packed;
  const dnnl_blocking_desc_t &plain = from.format_desc.blocking, &blocks = to.format_desc.blocking;
  if (from.ndims != 4 || plain.strides[0] != 1 || to.format_kind != dnnl_blocked || blocks.inner_nblks != 1 ||
      blocks.inner_idxs[0] != 0 || to.padded_dims[0] != to.dims[0] || to.padded_dims[1] != to.dims[1]) {
    return false;
  }
  const int64_t outputs = from.dims[0], channels = from.dims[1], width = from.dims[3], block = blocks.inner_blks[0];
  const int64_t runs = from.dims[2] * width * channels;  // of all outputs of a tap's channel
  call.ParallelFor(runs, 0.1 * static_cast<double>(outputs), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t tap = i / channels, channel = i % channels;
      float* at = packed + tap / width * blocks.strides[2] + tap % width * blocks.strides[3] + channel * blocks.strides[1];
      const float* run = filter + i * outputs;
      for (int64_t o = 0; o < outputs; o += block, at += blocks.strides[0]) std::copy_n(run + o, block, at);
    }
  });
  return true;
}

// Filters in the formats that compiled convolutions want.
class PackedFilter {
 public:
  PackedFilter(const KernelCall& call, const float* filter, const ConvExtras& extras = {})
      : call_(call), filter_(filter), tensor_(extras.filter), cache_(extras.cache) {
    if (cache_ != nullptr) packed_ = cache_->Start(*tensor_);
  }
  ~PackedFilter() {
    if (cache_ != nullptr) cache_->Offer(*tensor_, packed_);
  }
  PackedFilter(const PackedFilter&) = delete;

  // Makes sure that For(c) has an answer. Not thread-safe. False if oneDNN fails.
  absl::StatusOr<bool> Prepare(const Compiled& c) {
    if (c.reorder == nullptr || Find(c) != nullptr) return true;
    ASSIGN_OR_RETURN(Tensor packed, Tensor::Make(DType::kFloat32, {c.packed_elements()}));
    if (!PackBlocksOfOutputs(call_, c, filter_, packed.mutable_data<float>()) &&
        !Execute(c.reorder, {{DNNL_ARG_FROM, c.plain, filter_}, {DNNL_ARG_TO, c.packed, packed.raw_mutable_data()}})) {
      return false;
    }
    packed_.push_back({c.packed, std::move(packed)});
    return true;
  }
  // Requires: Prepare(c) said true.
  const float* For(const Compiled& c) const { return c.reorder == nullptr ? filter_ : Find(c)->data<float>(); }

 private:
  const Tensor* Find(const Compiled& c) const {
    for (const auto& [desc, tensor] : packed_) {
      if (dnnl_memory_desc_equal(&desc, &c.packed) != 0) return &tensor;
    }
    return nullptr;
  }

  const KernelCall& call_;
  const float* const filter_;
  const Tensor* const tensor_;  // null without a cache
  FilterCache* const cache_;
  std::vector<FilterCache::Form> packed_;
};

Geometry GeometryOf(const ConvShape& s, Direction direction, int64_t batch, bool outputs_first = false) {
  return {direction, outputs_first, batch, s.channels, s.outputs, s.groups, s.height, s.width};
}

int ThreadsOf(const KernelCall& call) {
  const ThreadPool* pool = call.step().services().pool;
  return pool != nullptr ? pool->num_threads() : 1;
}

double CostOf(const ConvShape& s) { return s.multiplications() * (s.groups > 1 ? 0.03 : 0.01); }

// Whether a convolution is of a kind that oneDNN should be asked about: padding beyond the window makes windows without
// inputs, which it does not expect.
bool IsOrdinary(const ConvShape& s) {
  for (const Window* w : {&s.height, &s.width}) {
    const int64_t covered = (w->size - 1) * w->dilation + 1;
    if (w->pad_before >= covered || w->pad_after() >= covered) return false;
  }
  return true;
}

// A piece of a batch: images [first, first + count), output rows [row, row + rows).
struct Piece {
  std::shared_ptr<const Compiled> code;
  int64_t first_input, first_output;  // elements
  int64_t pixels = 0;                 // of the output
};

// Output rows [begin, end) as a convolution of their own. *first_row: the input row that it begins with.
Window RowsOf(const Window& w, int64_t begin, int64_t end, int64_t* first_row) {
  const int64_t top = begin * w.stride - w.pad_before;
  const int64_t bottom = (end - 1) * w.stride - w.pad_before + (w.size - 1) * w.dilation + 1;
  *first_row = std::max<int64_t>(0, top);
  Window rows = w;
  rows.input = std::min(w.input, bottom) - *first_row;
  rows.output = end - begin;
  rows.pad_before = *first_row - top;
  return rows;
}

// Cuts the work into pieces for threads: images, and rows of images when there are few. False where oneDNN has no code.
// `to_finish`: whether something will be done to each piece of the output, which should then not be larger than the cache.
bool CutForward(const KernelCall& call, const ConvShape& s, bool outputs_first, bool to_finish, std::vector<Piece>& pieces) {
  // Each piece reads the whole filter: one that does not stay in the second-level cache should not be read often.
  constexpr int64_t kPiecesPerThread = 4, kLargeFilter = 1 << 18;
  constexpr int64_t kPieceInCache = 1 << 17, kSmallestBand = 8;
  constexpr double kSmallestNs = 20e3;
  const int64_t threads = ThreadsOf(call);
  int64_t wanted = threads == 1 ? 1 : s.filter_size() > kLargeFilter ? threads : threads * kPiecesPerThread;
  if (to_finish && s.filter_size() <= kLargeFilter) {
    const int64_t of_image = std::min(s.output_image() / kPieceInCache, s.height.output / kSmallestBand);
    wanted = std::max({wanted, std::min(s.batch, s.batch * s.output_image() / kPieceInCache), s.batch * of_image});
  }
  wanted = std::clamp<int64_t>(static_cast<int64_t>(CostOf(s) / kSmallestNs), 1, wanted);
  const int64_t images = (s.batch + wanted - 1) / wanted;  // of a piece
  const int64_t bands = images > 1 ? 1 : std::min(s.height.output, (wanted + s.batch - 1) / s.batch);
  for (int64_t b = 0; b < s.batch; b += images) {
    Geometry g = GeometryOf(s, Direction::kForward, std::min(images, s.batch - b), outputs_first);
    for (int64_t band = 0; band < bands; ++band) {
      const int64_t begin = s.height.output * band / bands, end = s.height.output * (band + 1) / bands;
      int64_t first_row = 0;
      if (bands > 1) g.height = RowsOf(s.height, begin, end, &first_row);
      Piece piece{FindCompiled(g), b * s.input_image() + first_row * s.width.input * s.channels,
                  b * s.output_image() + begin * s.width.output * s.outputs, g.batch * (end - begin) * s.width.output};
      if (piece.code == nullptr) return false;
      pieces.push_back(std::move(piece));
    }
  }
  return true;
}

// Runs run(i) for each of n pieces and collects what went wrong.
template <typename Run>
absl::StatusOr<bool> RunPieces(const KernelCall& call, const ConvShape& s, int64_t n, const Run& run) {
  std::vector<absl::StatusOr<bool>> results(n, true);
  call.ParallelFor(n, CostOf(s) / static_cast<double>(n), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) results[i] = run(i);
  });
  for (const absl::StatusOr<bool>& result : results) {
    if (!result.ok() || !*result) return result;
  }
  return true;
}

absl::StatusOr<bool> Forward(const KernelCall& call, const ConvShape& s, const float* input, const float* filter,
                             bool outputs_first, float* output, const ConvExtras& extras = {}) {
  std::vector<Piece> pieces;
  if (!CutForward(call, s, outputs_first, extras.finish != nullptr, pieces)) return false;
  PackedFilter packed(call, filter, extras);
  for (const Piece& piece : pieces) {
    ASSIGN_OR_RETURN(const bool prepared, packed.Prepare(*piece.code));
    if (!prepared) return false;
  }
  return RunPieces(call, s, static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const Compiled& c = *pieces[i].code;
    float* const result = output + pieces[i].first_output;
    absl::StatusOr<bool> done = Convolve(c, {DNNL_ARG_SRC, c.images, input + pieces[i].first_input},
                                         {DNNL_ARG_WEIGHTS, c.packed, packed.For(c)}, {DNNL_ARG_DST, c.results, result});
    if (extras.finish && done.ok() && *done) extras.finish(result, pieces[i].pixels);
    return done;
  });
}

// Without strides the gradient of the input is itself a convolution: of the output's gradient, with the filter's taps in
// reverse and channels and outputs exchanged. oneDNN's forward code is the fastest one that it has.
bool IsForwardToo(const ConvShape& s) {
  constexpr int64_t kFewChannels = 16;  // of a vector: too few for the outputs of forward code
  return s.groups == 1 && s.height.stride == 1 && s.width.stride == 1 && s.channels >= kFewChannels;
}

absl::StatusOr<bool> BackpropInputByForward(const KernelCall& call, const ConvShape& s, const float* filter,
                                            const float* output_grad, float* input_grad) {
  ASSIGN_OR_RETURN(Tensor reversed, Tensor::Make(DType::kFloat32, {s.filter_size()}));
  const int64_t tap = s.channels * s.outputs, taps = s.height.size * s.width.size;
  for (int64_t i = 0; i < taps; ++i) {
    std::copy_n(filter + i * tap, tap, reversed.mutable_data<float>() + (taps - 1 - i) * tap);
  }
  return Forward(call, TurnedAround(s), output_grad, reversed.data<float>(), true, input_grad);
}

}  // namespace

absl::StatusOr<bool> OneDnnConvForward(const KernelCall& call, const ConvShape& s, const float* input,
                                       const float* filter, float* output, const ConvExtras& extras) {
  if (!IsOrdinary(s)) return false;
  return Forward(call, s, input, filter, false, output, extras);
}

absl::StatusOr<bool> OneDnnConvBackpropInput(const KernelCall& call, const ConvShape& s, const float* filter,
                                             const float* output_grad, float* input_grad) {
  if (!IsOrdinary(s)) return false;
  if (IsForwardToo(s)) {
    ASSIGN_OR_RETURN(const bool done, BackpropInputByForward(call, s, filter, output_grad, input_grad));
    if (done) return true;
  }
  constexpr int64_t kPiecesPerThread = 4;
  const int64_t threads = ThreadsOf(call), wanted = threads == 1 ? 1 : threads * kPiecesPerThread;
  const int64_t images = (s.batch + wanted - 1) / wanted;
  PackedFilter packed(call, filter);
  std::vector<Piece> pieces;
  for (int64_t b = 0; b < s.batch; b += images) {
    Piece piece{FindCompiled(GeometryOf(s, Direction::kBackpropInput, std::min(images, s.batch - b))),
                b * s.input_image(), b * s.output_image()};
    if (piece.code == nullptr) return false;
    ASSIGN_OR_RETURN(const bool prepared, packed.Prepare(*piece.code));
    if (!prepared) return false;
    pieces.push_back(std::move(piece));
  }
  return RunPieces(call, s, static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const Compiled& c = *pieces[i].code;
    return Convolve(c, {DNNL_ARG_DIFF_DST, c.results, output_grad + pieces[i].first_output},
                    {DNNL_ARG_WEIGHTS, c.packed, packed.For(c)},
                    {DNNL_ARG_DIFF_SRC, c.images, input_grad + pieces[i].first_input});
  });
}

absl::StatusOr<bool> OneDnnConvBackpropFilter(const KernelCall& call, const ConvShape& s, const float* input,
                                              const float* output_grad, float* filter_grad) {
  if (!IsOrdinary(s)) return false;
  // Sums over parts of the batch, always the same parts, so that the result does not depend on the number of threads.
  constexpr int64_t kParts = 4, kLargeFilter = 1 << 20;
  const int64_t parts = std::min(s.batch, s.filter_size() > kLargeFilter ? kParts / 2 : kParts);
  const auto begin_of = [&](int64_t part) { return s.batch * part / parts; };
  std::vector<std::shared_ptr<const Compiled>> codes(parts);
  std::vector<Tensor> sums(parts);
  for (int64_t i = 0; i < parts; ++i) {
    codes[i] = FindCompiled(GeometryOf(s, Direction::kBackpropFilter, begin_of(i + 1) - begin_of(i)));
    if (codes[i] == nullptr || dnnl_memory_desc_equal(&codes[i]->packed, &codes[0]->packed) == 0) return false;
    ASSIGN_OR_RETURN(sums[i], Tensor::Make(DType::kFloat32, {codes[i]->packed_elements()}));
  }
  ASSIGN_OR_RETURN(const bool done, RunPieces(call, s, parts, [&](int64_t i) {
    const Compiled& c = *codes[i];
    return Convolve(c, {DNNL_ARG_SRC, c.images, input + begin_of(i) * s.input_image()},
                    {DNNL_ARG_DIFF_DST, c.results, output_grad + begin_of(i) * s.output_image()},
                    {DNNL_ARG_DIFF_WEIGHTS, c.packed, sums[i].raw_mutable_data()});
  }));
  if (!done) return false;
  float* total = sums[0].mutable_data<float>();
  for (int64_t i = 1; i < parts; ++i) {
    const float* sum = sums[i].data<float>();
    for (int64_t k = 0; k < sums[0].num_elements(); ++k) total[k] += sum[k];
  }
  const Compiled& c = *codes[0];
  if (c.reorder == nullptr) {
    std::copy(total, total + s.filter_size(), filter_grad);
    return true;
  }
  return Execute(c.reorder, {{DNNL_ARG_FROM, c.packed, total}, {DNNL_ARG_TO, c.plain, filter_grad}});
}

}  // namespace flowlatch
