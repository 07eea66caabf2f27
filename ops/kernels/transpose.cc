#include "ops/kernels/transpose.h"

#include <algorithm>
#include <array>

#include "absl/container/inlined_vector.h"
#include "hwy/highway.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/slice_copy.h"

namespace flowlatch {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// One dimension of the output: how far apart its elements are in input and output.
struct Axis {
  int64_t size, from_stride, to_stride;
};
using Axes = absl::InlinedVector<Axis, 6>;

// In output order, outermost first; without dimensions of 1, and with those merged that are neighbours on both sides.
Axes MergedAxes(absl::Span<const int64_t> dims, absl::Span<const int> perm) {
  absl::InlinedVector<int64_t, 6> from_strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    from_strides[i] = stride;
    stride *= dims[i];
  }
  Axes axes;
  for (const int p : perm) {
    if (dims[p] == 1) continue;
    if (!axes.empty() && axes.back().from_stride == dims[p] * from_strides[p]) {
      axes.back().size *= dims[p];
      axes.back().from_stride = from_strides[p];
    } else {
      axes.push_back({dims[p], from_strides[p], 0});
    }
  }
  stride = 1;
  for (size_t i = axes.size(); i-- > 0;) {
    axes[i].to_stride = stride;
    stride *= axes[i].size;
  }
  return axes;
}

// Walks over the positions of some axes, in row-major order.
class Walk {
 public:
  Walk(const Axes& axes, int64_t start) : axes_(axes), at_(axes.size(), 0) {
    for (size_t i = axes.size(); i-- > 0; start /= axes[i].size) {
      at_[i] = start % axes[i].size;
      from_ += at_[i] * axes[i].from_stride;
      to_ += at_[i] * axes[i].to_stride;
    }
  }
  int64_t from() const { return from_; }
  int64_t to() const { return to_; }
  void Next() {
    for (size_t i = axes_.size(); i-- > 0;) {
      from_ += axes_[i].from_stride;
      to_ += axes_[i].to_stride;
      if (++at_[i] < axes_[i].size) return;
      from_ -= axes_[i].size * axes_[i].from_stride;
      to_ -= axes_[i].size * axes_[i].to_stride;
      at_[i] = 0;
    }
  }

 private:
  const Axes& axes_;
  absl::InlinedVector<int64_t, 6> at_;
  int64_t from_ = 0, to_ = 0;
};

int64_t Count(const Axes& axes) {
  int64_t n = 1;
  for (const Axis& a : axes) n *= a.size;
  return n;
}

// The innermost dimension stays: its elements move as one slice.
template <typename Slice>
void CopyRuns(const KernelCall& c, Axes axes, const Slice& slice, const char* from, char* to) {
  const int64_t element = slice.bytes / axes.back().size;
  axes.pop_back();
  const Axis row = axes.back();
  axes.pop_back();
  RunLoop(c, Count(axes) * row.size, 1 + static_cast<double>(slice.bytes) / 8, [&](int64_t begin, int64_t end) {
    Walk walk(axes, begin / row.size);
    int64_t i = begin % row.size;
    for (int64_t item = begin; item < end; i = 0, walk.Next()) {
      const int64_t stop = std::min(row.size, i + end - item);
      item += stop - i;
      for (; i < stop; ++i) {
        slice(from + (walk.from() + i * row.from_stride) * element, to + (walk.to() + i * row.to_stride) * element);
      }
    }
  });
}

// to[i * to_stride + j] = from[j * from_stride + i] for i < rows, j < columns, by plain loads and stores.
template <typename T>
void TransposeBlock(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[i * to_stride + j] = from[j * from_stride + i];
  }
}

// Elements in 16 bytes; 0 for types that are moved one by one.
template <typename T>
inline constexpr int64_t kLanes = std::is_unsigned_v<T> ? 16 / static_cast<int64_t>(sizeof(T)) : 0;

// As TransposeBlock for a square of kLanes elements a side: interleaving row i with row i + n/2, log2(n) times, turns it.
template <typename T>
HWY_INLINE void TransposeSquare(const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  constexpr int kN = static_cast<int>(kLanes<T>);
  const hn::FixedTag<T, kN> d;
  using V = hn::Vec<decltype(d)>;
  V a[kN], b[kN];
  for (int i = 0; i < kN; ++i) a[i] = hn::LoadU(d, from + i * from_stride);
  for (int n = kN; n > 1; n /= 2) {
    for (int i = 0; i < kN / 2; ++i) {
      b[2 * i] = hn::InterleaveLower(d, a[i], a[i + kN / 2]);
      b[2 * i + 1] = hn::InterleaveUpper(d, a[i], a[i + kN / 2]);
    }
    for (int i = 0; i < kN; ++i) a[i] = b[i];
  }
  for (int i = 0; i < kN; ++i) hn::StoreU(a[i], d, to + i * to_stride);
}

// A tile of kTile x kTile elements: its rows are whole cache lines. It goes through a buffer, so that every line of the
// input is read once, in one go: lines that are a power of two apart would push each other out of the cache.
// `has_next`: a tile below this one follows, whose lines are asked for early, since no processor sees such strides coming.
template <typename T>
void TransposeTile(const T* from, int64_t from_stride, T* to, int64_t to_stride, bool has_next) {
  constexpr int64_t kTile = 64 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t kN = kLanes<T>;
  for (int64_t j = 0; has_next && j < kTile; ++j) {
    __builtin_prefetch(from + (kTile + j) * from_stride);
    __builtin_prefetch(to + j * to_stride + kTile, 1);
  }
  alignas(64) T buffer[kTile * kTile];
  for (int64_t j = 0; j < kTile; ++j) std::memcpy(buffer + j * kTile, from + j * from_stride, kTile * sizeof(T));
  for (int64_t i = 0; i < kTile; i += kN) {
    for (int64_t j = 0; j < kTile; j += kN) TransposeSquare(buffer + j * kTile + i, kTile, to + i * to_stride + j, to_stride);
  }
}

// As TransposeBlock for any size.
template <typename T>
void TransposePanel(const T* from, int64_t from_stride, T* to, int64_t to_stride, int64_t rows, int64_t columns) {
  int64_t j = 0;
  if constexpr (kLanes<T> > 0) {
    constexpr int64_t kTile = 64 / static_cast<int64_t>(sizeof(T));
    constexpr int64_t kN = kLanes<T>;
    for (; j + kTile <= columns; j += kTile) {
      int64_t i = 0;
      const bool has_next = j + 2 * kTile <= columns;
      for (; i + kTile <= rows; i += kTile) {
        TransposeTile(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride, has_next);
      }
      for (; i + kN <= rows; i += kN) {
        for (int64_t k = j; k < j + kTile; k += kN) {
          TransposeSquare(from + k * from_stride + i, from_stride, to + i * to_stride + k, to_stride);
        }
      }
      TransposeBlock(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride, rows - i, kTile);
    }
    for (; j + kN <= columns; j += kN) {
      int64_t i = 0;
      for (; i + kN <= rows; i += kN) TransposeSquare(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride);
      TransposeBlock(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride, rows - i, kN);
    }
  }
  constexpr int64_t kBlock = 16;
  for (; j < columns; j += kBlock) {
    TransposeBlock(from + j * from_stride, from_stride, to + j, to_stride, rows, std::min(kBlock, columns - j));
  }
}

// The innermost dimensions of input and output differ: each position of the other axes is a matrix to turn.
template <typename T>
void TurnMatrices(const KernelCall& c, Axes axes, const T* from, T* to) {
  const Axis columns = axes.back();  // innermost in the output
  axes.pop_back();
  const auto innermost = std::find_if(axes.begin(), axes.end(), [](const Axis& a) { return a.from_stride == 1; });
  const Axis rows = *innermost;
  axes.erase(innermost);
  // Output rows are shared in panels of four cache lines of the input, long ones also across.
  constexpr int64_t kPanelRows = std::max<int64_t>(1, 256 / static_cast<int64_t>(sizeof(T)));
  constexpr int64_t kPanelColumns = 8192;
  const int64_t panels = (rows.size + kPanelRows - 1) / kPanelRows;
  const int64_t cuts = (columns.size + kPanelColumns - 1) / kPanelColumns;
  const double cost = 0.1 * static_cast<double>(sizeof(T) + 2) * static_cast<double>(std::min(rows.size, kPanelRows)) *
                      static_cast<double>(std::min(columns.size, kPanelColumns));
  RunLoop(c, Count(axes) * panels * cuts, cost, [&](int64_t begin, int64_t end) {
    Walk walk(axes, begin / (panels * cuts));
    for (int64_t task = begin; task < end; ++task) {
      if (task > begin && task % (panels * cuts) == 0) walk.Next();
      const int64_t i = task / cuts % panels * kPanelRows, j = task % cuts * kPanelColumns;
      TransposePanel(from + walk.from() + i + j * columns.from_stride, columns.from_stride,
                     to + walk.to() + i * rows.to_stride + j, rows.to_stride, std::min(kPanelRows, rows.size - i),
                     std::min(kPanelColumns, columns.size - j));
    }
  });
}

// The integer of `bytes` bytes, if there is one that moves in vectors or alone: then a run of that size is an element.
bool IsElementSize(int64_t bytes) { return bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16; }

DType PlainDTypeOfSize(int64_t bytes) {
  switch (bytes) {
    case 1: return DType::kUInt8;
    case 2: return DType::kUInt16;
    case 4: return DType::kUInt32;
    case 8: return DType::kUInt64;
    default: return DType::kComplex128;
  }
}

}  // namespace

bool IsReshape(absl::Span<const int64_t> input_dims, absl::Span<const int> perm) {
  return MergedAxes(input_dims, perm).size() <= 1;
}

void TransposeElements(const KernelCall& c, DType dtype, absl::Span<const int64_t> input_dims,
                       absl::Span<const int> perm, const void* from, void* to) {
  Axes axes = MergedAxes(input_dims, perm);
  if (axes.size() <= 1) return CopyElements(dtype, from, to, Count(axes));
  if (axes.back().from_stride == 1) {
    const int64_t run = axes.back().size, bytes = run * static_cast<int64_t>(DTypeSize(dtype));
    if (IsObjectDType(dtype) || !IsElementSize(bytes)) {
      WithSlice(dtype, run, [&](auto slice) {
        CopyRuns(c, axes, slice, static_cast<const char*>(from), static_cast<char*>(to));
      });
      return;
    }
    dtype = PlainDTypeOfSize(bytes);
    axes.pop_back();
    for (Axis& a : axes) {
      a.from_stride /= run;
      a.to_stride /= run;
    }
  }
  WithStorageType(dtype, [&]<typename T>() {
    TurnMatrices(c, axes, static_cast<const T*>(from), static_cast<T*>(to));
  });
}

}  // namespace flowlatch
