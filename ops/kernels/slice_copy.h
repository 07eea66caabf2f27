// Moving runs of elements without knowing what they mean: plain dtypes by their size, objects by assignment.
#ifndef FLOWLATCH_OPS_KERNELS_SLICE_COPY_H_
#define FLOWLATCH_OPS_KERNELS_SLICE_COPY_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "graph/tensor/dtype.h"
#include "graph/tensor/object.h"
#include "graph/tensor/string.h"

namespace flowlatch {

// Slices of a size known to the compiler: one load and one store.
template <int64_t kBytes>
struct FixedSlice {
  static constexpr int64_t bytes = kBytes;
  void operator()(const char* from, char* to) const { std::memcpy(to, from, kBytes); }
};

struct PlainSlice {
  int64_t bytes;
  void operator()(const char* from, char* to) const { std::memcpy(to, from, static_cast<size_t>(bytes)); }
};

template <typename T>
struct ObjectSlice {
  int64_t bytes;
  void operator()(const char* from, char* to) const {
    std::copy_n(reinterpret_cast<const T*>(from), bytes / static_cast<int64_t>(sizeof(T)), reinterpret_cast<T*>(to));
  }
};

// Returns visit(slice) for the slice type that copies `count` elements of `dtype` at a time: slice(from, to) copies one
// slice, slice.bytes is its size. Requires: count * DTypeSize(dtype) fits int64.
template <typename Visit>
auto WithSlice(DType dtype, int64_t count, Visit&& visit) {
  const int64_t bytes = count * static_cast<int64_t>(DTypeSize(dtype));
  switch (dtype) {
    case DType::kString: return visit(ObjectSlice<String>{bytes});
    case DType::kResource: return visit(ObjectSlice<ResourceHandle>{bytes});
    case DType::kVariant: return visit(ObjectSlice<Variant>{bytes});
    default: break;
  }
  switch (bytes) {
    case 1: return visit(FixedSlice<1>{});
    case 2: return visit(FixedSlice<2>{});
    case 4: return visit(FixedSlice<4>{});
    case 8: return visit(FixedSlice<8>{});
    case 16: return visit(FixedSlice<16>{});
    default: return visit(PlainSlice{bytes});
  }
}

// Sixteen bytes that stand for any element of that size.
using Bytes16 = std::array<uint64_t, 2>;

// Returns visit.template operator()<T>() where T has the size of the dtype's elements and copies like them: an unsigned
// integer, Bytes16, or the object type itself.
template <typename Visit>
auto WithStorageType(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kString: return visit.template operator()<String>();
    case DType::kResource: return visit.template operator()<ResourceHandle>();
    case DType::kVariant: return visit.template operator()<Variant>();
    default: break;
  }
  switch (DTypeSize(dtype)) {
    case 1: return visit.template operator()<uint8_t>();
    case 2: return visit.template operator()<uint16_t>();
    case 4: return visit.template operator()<uint32_t>();
    case 8: return visit.template operator()<uint64_t>();
    default: return visit.template operator()<Bytes16>();
  }
}

// Copies `count` elements between places that do not overlap.
inline void CopyElements(DType dtype, const void* from, void* to, int64_t count) {
  if (count == 0) return;
  WithSlice(dtype, count, [&](auto slice) { slice(static_cast<const char*>(from), static_cast<char*>(to)); });
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SLICE_COPY_H_
