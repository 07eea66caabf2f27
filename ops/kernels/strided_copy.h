// Copies between a packed tensor and a strided view of another: what slicing, reversing, tiling and broadcasting share.
// E is a storage type (ops/kernels/slice_copy.h).
#ifndef FLOWLATCH_OPS_KERNELS_STRIDED_COPY_H_
#define FLOWLATCH_OPS_KERNELS_STRIDED_COPY_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "graph/tensor/shape.h"

namespace flowlatch {

// Places in a tensor, in the order in which a packed tensor holds them: element (i0, i1, ..) is at
// offset + i0 * axes[0].stride + i1 * axes[1].stride + ..
struct StridedView {
  struct Axis {
    int64_t size;
    int64_t stride;  // in elements; 0 repeats, negative ones go backwards
  };

  // Appends an axis inside those that are there; axes that can be walked as one are merged.
  void Add(int64_t size, int64_t stride) {
    if (size == 1) return;
    if (!axes.empty() && axes.back().stride == size * stride) {
      axes.back() = {axes.back().size * size, stride};
    } else {
      axes.push_back({size, stride});
    }
  }

  absl::InlinedVector<Axis, 8> axes;  // outermost first, none of size 1
  int64_t offset = 0;
};

// Elements between neighbours along each dimension. The dimensions must be those of a valid shape.
inline Dims StridesOf(absl::Span<const int64_t> dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(dims[i], 1);
  }
  return strides;
}

// The places of a tensor of dimensions `from` when it is broadcast to `to`. Requires: it can be, with from.size() <=
// to.size().
inline StridedView ViewOfBroadcast(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  const Dims strides = StridesOf(from);
  const size_t added = to.size() - from.size();
  StridedView view;
  for (size_t d = 0; d < to.size(); ++d) {
    view.Add(to[d], d >= added && from[d - added] != 1 ? strides[d - added] : 0);
  }
  return view;
}

// Copies `n` elements that lie side by side. Short runs are frequent, and too short for a call of memcpy.
template <typename E>
void CopyRun(const E* from, E* to, int64_t n) {
  if constexpr (std::is_trivially_copyable_v<E>) {
    const size_t bytes = static_cast<size_t>(n) * sizeof(E);
    const auto overlapping_halves = [&]<typename Word>(Word) {
      const size_t second = bytes - sizeof(Word);
      Word head, tail;
      std::memcpy(&head, from, sizeof(Word));
      std::memcpy(&tail, reinterpret_cast<const char*>(from) + second, sizeof(Word));
      std::memcpy(to, &head, sizeof(Word));
      std::memcpy(reinterpret_cast<char*>(to) + second, &tail, sizeof(Word));
    };
    if (bytes > 16) {
      std::memcpy(to, from, bytes);
    } else if (bytes >= 8) {
      overlapping_halves(uint64_t{});
    } else if (bytes >= 4) {
      overlapping_halves(uint32_t{});
    } else {
      for (size_t i = 0; i < bytes; ++i) reinterpret_cast<char*>(to)[i] = reinterpret_cast<const char*>(from)[i];
    }
  } else {
    std::copy_n(from, n, to);
  }
}

// Copies `runs` runs of `n` elements whose beginnings are from_stride and to_stride apart.
template <typename E>
void CopyRuns(const E* from, int64_t from_stride, E* to, int64_t to_stride, int64_t n, int64_t runs) {
  const auto copy = [&](auto copy_run) {
    for (int64_t i = 0; i < runs; ++i) copy_run(from + i * from_stride, to + i * to_stride);
  };
  switch (n) {  // the loop is much faster when the compiler knows n
    case 1:
      return copy([](const E* f, E* t) { *t = *f; });
    case 2:
      return copy([](const E* f, E* t) { CopyRun(f, t, 2); });
    case 3:
      return copy([](const E* f, E* t) { std::copy_n(f, 3, t); });
    case 4:
      return copy([](const E* f, E* t) { CopyRun(f, t, 4); });
    default:
      return copy([n](const E* f, E* t) { CopyRun(f, t, n); });
  }
}

template <typename E>
void FillRun(const E& value, E* to, int64_t n) {
  constexpr int64_t kFirst = 64;
  std::fill_n(to, std::min(n, kFirst), value);
  if constexpr (std::is_trivially_copyable_v<E>) {
    constexpr int64_t kBlock = 4096;
    for (int64_t done = kFirst; done < n;) {  // doubles what is there, block by block
      const int64_t count = std::min({done, n - done, kBlock});
      std::memcpy(to + done, to, static_cast<size_t>(count) * sizeof(E));
      done += count;
    }
  } else {
    for (int64_t i = kFirst; i < n; ++i) to[i] = value;
  }
}

// Calls run(packed, place, count) for stretches that cover the packed elements [begin, end): `count` elements from
// `packed` on, whose places begin at `place` and are the innermost axis' stride apart.
template <typename Run>
void ForEachRun(const StridedView& view, int64_t begin, int64_t end, Run&& run) {
  if (begin >= end) return;  // an axis may be empty
  const int outer = static_cast<int>(view.axes.size()) - 1;
  const StridedView::Axis inner = outer >= 0 ? view.axes.back() : StridedView::Axis{1, 0};
  absl::InlinedVector<int64_t, 8> at(std::max(outer, 0));
  int64_t place = view.offset;
  int64_t column = begin % inner.size;
  int64_t row = begin / inner.size;
  for (int a = outer - 1; a >= 0; --a) {
    at[a] = row % view.axes[a].size;
    row /= view.axes[a].size;
    place += at[a] * view.axes[a].stride;
  }
  while (begin < end) {
    const int64_t count = std::min(inner.size - column, end - begin);
    run(begin, place + column * inner.stride, count);
    begin += count;
    column = 0;
    for (int a = outer - 1; a >= 0; --a) {
      place += view.axes[a].stride;
      if (++at[a] < view.axes[a].size) break;
      place -= at[a] * view.axes[a].stride;
      at[a] = 0;
    }
  }
}

// to[i] = from[place of i] for i in [begin, end).
template <typename E>
void CopyFromView(const StridedView& view, const E* from, E* to, int64_t begin, int64_t end) {
  const int64_t stride = view.axes.empty() ? 1 : view.axes.back().stride;
  if (stride == 1) {
    ForEachRun(view, begin, end, [&](int64_t i, int64_t place, int64_t n) { CopyRun(from + place, to + i, n); });
  } else if (stride == 0) {
    ForEachRun(view, begin, end, [&](int64_t i, int64_t place, int64_t n) { FillRun(from[place], to + i, n); });
  } else {
    ForEachRun(view, begin, end, [&](int64_t i, int64_t place, int64_t n) {
      for (int64_t k = 0; k < n; ++k) to[i + k] = from[place + k * stride];
    });
  }
}

// to[place of i] = from[i] for i in [begin, end). Requires: no two elements have one place.
template <typename E>
void CopyToView(const StridedView& view, const E* from, E* to, int64_t begin, int64_t end) {
  const int64_t stride = view.axes.empty() ? 1 : view.axes.back().stride;
  if (stride == 1) {
    ForEachRun(view, begin, end, [&](int64_t i, int64_t place, int64_t n) { CopyRun(from + i, to + place, n); });
  } else {
    ForEachRun(view, begin, end, [&](int64_t i, int64_t place, int64_t n) {
      for (int64_t k = 0; k < n; ++k) to[place + k * stride] = from[i + k];
    });
  }
}

// to[place of i] = value for i in [begin, end).
template <typename E>
void FillView(const StridedView& view, const E& value, E* to, int64_t begin, int64_t end) {
  const int64_t stride = view.axes.empty() ? 1 : view.axes.back().stride;
  if (stride == 1) {
    ForEachRun(view, begin, end, [&](int64_t, int64_t place, int64_t n) { FillRun(value, to + place, n); });
  } else {
    ForEachRun(view, begin, end, [&](int64_t, int64_t place, int64_t n) {
      for (int64_t k = 0; k < n; ++k) to[place + k * stride] = value;
    });
  }
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_STRIDED_COPY_H_
