// Conversion of elements between dtypes.
#ifndef FLOWLATCH_OPS_KERNELS_CAST_H_
#define FLOWLATCH_OPS_KERNELS_CAST_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "graph/tensor/dtype.h"

namespace flowlatch {

// Converts n elements; the memories do not overlap.
using CastLoop = void (*)(const void* from, void* to, int64_t n);

// How to get from one dtype to another: in one step, or for the formats that few ops know (float8, float4, int4, int2)
// in up to three, through float32 and int32.
class CastPath {
 public:
  bool exists() const { return !steps_.empty(); }
  // Converts n elements; the memories do not overlap.
  void Run(const void* from, void* to, int64_t n) const;

 private:
  friend CastPath FindCast(DType from, DType to, bool truncate);
  absl::InlinedVector<CastLoop, 3> steps_;
  int64_t from_size_ = 0, to_size_ = 0;
};

// The path between two different dtypes; none for strings, handles and variants.
//   Floats to integers drop the fraction. Out of range and NaN: int32 and int64 become the smallest integer, as x86 has
//   it, uint64 2^63; shorter integers are the low bits of the int32, uint32 those of the int64.
//   Integers to integers keep the low bits. To bool: whether the value is not 0 (NaN is not).
//   Complex numbers to others: the real part. To floats: rounded to nearest, or with `truncate`, from float32 to
//   float16 and bfloat16 and from float64 to float16 and float32, towards 0. Quantised dtypes are taken for the
//   integers that they are stored as.
CastPath FindCast(DType from, DType to, bool truncate);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_CAST_H_
