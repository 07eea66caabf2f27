#include "ops/kernels/cast.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <limits>
#include <type_traits>

#include "ops/kernels/element_math.h"
#include "ops/kernels/loop_macros.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

using element::kIsComplex;

constexpr DTypeSet kDirectTypes = kNumberTypes | DTypeSet{DType::kBool};
constexpr DTypeSet kRareFloats{DType::kFloat8E5M2,        DType::kFloat8E4M3FN,   DType::kFloat8E4M3FNUZ,
                               DType::kFloat8E4M3B11FNUZ, DType::kFloat8E5M2FNUZ, DType::kFloat4E2M1FN};
constexpr DTypeSet kRareInts{DType::kInt4, DType::kUInt4, DType::kInt2, DType::kUInt2};

// x without its fraction where that fits Int, else the smallest Int. The select comes before the conversion, so that
// vector code converts only what can be.
template <typename Int, typename Float>
Int TruncateOrSmallest(Float x) {
  constexpr Float kLimit = -static_cast<Float>(std::numeric_limits<Int>::min());
  const bool fits = x >= -kLimit && x < kLimit;
  const Int truncated = static_cast<Int>(fits ? x : Float(0));
  return fits ? truncated : std::numeric_limits<Int>::min();
}

template <typename Int, typename Float>
Int FloatToInt(Float x) {
  if constexpr (sizeof(Int) < 4 || std::is_same_v<Int, int32_t>) {
    return static_cast<Int>(TruncateOrSmallest<int32_t>(x));
  } else if constexpr (std::is_same_v<Int, uint64_t>) {
    constexpr Float kHalf = static_cast<Float>(uint64_t{1} << 63);
    const uint64_t low = static_cast<uint64_t>(TruncateOrSmallest<int64_t>(x));
    return x >= kHalf && x < 2 * kHalf
               ? static_cast<uint64_t>(TruncateOrSmallest<int64_t>(x - kHalf)) + (uint64_t{1} << 63)
               : low;
  } else {
    return static_cast<Int>(TruncateOrSmallest<int64_t>(x));
  }
}

template <typename To, typename From>
To Convert(From x) {
  if constexpr (kIsSmallFloat<From>)
    return Convert<To>(static_cast<float>(x));
  else if constexpr (kIsComplex<From> && kIsComplex<To>)
    return To(x);
  else if constexpr (kIsComplex<From>)
    return Convert<To>(x.real());
  else if constexpr (kIsComplex<To>)
    return To(Convert<typename To::value_type>(x));
  else if constexpr (std::is_same_v<To, bool>)
    return x != From(0);
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>)
    return FloatToInt<To>(x);
  else
    return static_cast<To>(x);
}

template <typename From, typename To>
void ConvertAll(const void* from, void* to, int64_t n) {
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  if constexpr (kIs16BitFloat<From> && std::is_same_v<To, float>) {
    WidenFloats(x, y, n);
  } else if constexpr (kIs16BitFloat<To> && std::is_same_v<From, float>) {
    NarrowFloats(x, y, n);
  } else if constexpr (kIs16BitFloat<From> || kIs16BitFloat<To>) {  // by way of float, as Convert
    ForEachFloatPiece(n, [=](int64_t begin, int64_t count) {
      float piece[kFloatPiece];
      ConvertAll<From, float>(x + begin, piece, count);
      ConvertAll<float, To>(piece, y + begin, count);
    });
  } else {
    FLOWLATCH_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) y[i] = Convert<To>(x[i]);
  }
}

// Clears the bits of x's mantissa beyond those that To has.
template <typename From, typename To, int kToMantissaBits>
void TruncateAll(const void* from, void* to, int64_t n) {
  using Bits = std::conditional_t<sizeof(From) == 4, uint32_t, uint64_t>;
  constexpr Bits kKept = ~Bits{0} << (std::numeric_limits<From>::digits - 1 - kToMantissaBits);
  const From* x = static_cast<const From*>(from);
  To* y = static_cast<To*>(to);
  for (int64_t i = 0; i < n; ++i) {
    y[i] = Convert<To>(x[i] == x[i] ? std::bit_cast<From>(std::bit_cast<Bits>(x[i]) & kKept) : x[i]);
  }
}

CastLoop FindTruncatingLoop(DType from, DType to) {
  if (from == DType::kFloat32 && to == DType::kFloat16) return &TruncateAll<float, Half, 10>;
  if (from == DType::kFloat32 && to == DType::kBFloat16) return &TruncateAll<float, BFloat16, 7>;
  if (from == DType::kFloat64 && to == DType::kFloat16) return &TruncateAll<double, Half, 10>;
  if (from == DType::kFloat64 && to == DType::kFloat32) return &TruncateAll<double, float, 23>;
  return nullptr;
}

// The loop between two of kDirectTypes; null for others.
CastLoop FindDirectLoop(DType from, DType to) {
  return DispatchDType<kDirectTypes>(from, CastLoop{}, [to]<typename From>() {
    return DispatchDType<kDirectTypes>(to, CastLoop{}, []<typename To>() -> CastLoop { return &ConvertAll<From, To>; });
  });
}

// From a rare format to the common one that holds all its values.
CastLoop FindWideningLoop(DType from) {
  if (kRareFloats.contains(from)) {
    return DispatchDType<kRareFloats>(from, CastLoop{}, []<typename T>() -> CastLoop { return &ConvertAll<T, float>; });
  }
  return DispatchDType<kRareInts>(from, CastLoop{}, []<typename T>() -> CastLoop { return &ConvertAll<T, int32_t>; });
}

CastLoop FindNarrowingLoop(DType to) {
  if (kRareFloats.contains(to)) {
    return DispatchDType<kRareFloats>(to, CastLoop{}, []<typename T>() -> CastLoop { return &ConvertAll<float, T>; });
  }
  return DispatchDType<kRareInts>(to, CastLoop{}, []<typename T>() -> CastLoop { return &ConvertAll<int32_t, T>; });
}

DType StorageDType(DType dtype) {
  switch (dtype) {
    case DType::kQInt8:
      return DType::kInt8;
    case DType::kQUInt8:
      return DType::kUInt8;
    case DType::kQInt16:
      return DType::kInt16;
    case DType::kQUInt16:
      return DType::kUInt16;
    case DType::kQInt32:
      return DType::kInt32;
    default:
      return dtype;
  }
}

DType CommonDType(DType dtype) {
  return kRareFloats.contains(dtype) ? DType::kFloat32 : kRareInts.contains(dtype) ? DType::kInt32 : dtype;
}

}  // namespace

CastPath FindCast(DType from, DType to, bool truncate) {
  CastPath path;
  if (IsObjectDType(from) || IsObjectDType(to)) return path;
  from = StorageDType(from);
  to = StorageDType(to);
  path.from_size_ = static_cast<int64_t>(DTypeSize(from));
  path.to_size_ = static_cast<int64_t>(DTypeSize(to));
  if (CastLoop truncating = truncate ? FindTruncatingLoop(from, to) : nullptr) {
    path.steps_ = {truncating};
    return path;
  }
  const DType wide = CommonDType(from), narrow = CommonDType(to);
  if (from != wide) path.steps_.push_back(FindWideningLoop(from));
  if (wide != narrow || (from == wide && to == narrow)) path.steps_.push_back(FindDirectLoop(wide, narrow));
  if (to != narrow) path.steps_.push_back(FindNarrowingLoop(to));
  return path;
}

void CastPath::Run(const void* from, void* to, int64_t n) const {
  if (steps_.size() == 1) return steps_[0](from, to, n);
  // In pieces, through buffers of float32 or int32.
  constexpr int64_t kPiece = 512;
  alignas(8) char buffers[2][kPiece * sizeof(float)];
  for (int64_t begin = 0; begin < n; begin += kPiece) {
    const int64_t count = std::min(kPiece, n - begin);
    const void* x = static_cast<const char*>(from) + begin * from_size_;
    for (size_t step = 0; step < steps_.size(); ++step) {
      void* y = step + 1 == steps_.size() ? static_cast<char*>(to) + begin * to_size_ : buffers[step];
      steps_[step](x, y, count);
      x = y;
    }
  }
}

}  // namespace flowlatch
