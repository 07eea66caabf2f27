// DType: the element type of a tensor, with TensorFlow's numbers, names and sizes.
#ifndef FLOWLATCH_GRAPH_TENSOR_DTYPE_H_
#define FLOWLATCH_GRAPH_TENSOR_DTYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "graph/tensor/float_types.h"

namespace flowlatch {

class String;          // graph/tensor/string.h
class ResourceHandle;  // graph/tensor/object.h
class Variant;         // graph/tensor/object.h

// FLOWLATCH_DTYPES(X): X(enumerator, number in TensorFlow's enum, name, C++ type). One list, so that tables cannot drift.
#define FLOWLATCH_DTYPES(X)                                            \
  X(kFloat32, 1, "float32", float)                                     \
  X(kFloat64, 2, "float64", double)                                    \
  X(kInt32, 3, "int32", int32_t)                                       \
  X(kUInt8, 4, "uint8", uint8_t)                                       \
  X(kInt16, 5, "int16", int16_t)                                       \
  X(kInt8, 6, "int8", int8_t)                                          \
  X(kString, 7, "string", String)                                      \
  X(kComplex64, 8, "complex64", std::complex<float>)                   \
  X(kInt64, 9, "int64", int64_t)                                       \
  X(kBool, 10, "bool", bool)                                           \
  X(kQInt8, 11, "qint8", QInt8)                                        \
  X(kQUInt8, 12, "quint8", QUInt8)                                     \
  X(kQInt32, 13, "qint32", QInt32)                                     \
  X(kBFloat16, 14, "bfloat16", BFloat16)                               \
  X(kQInt16, 15, "qint16", QInt16)                                     \
  X(kQUInt16, 16, "quint16", QUInt16)                                  \
  X(kUInt16, 17, "uint16", uint16_t)                                   \
  X(kComplex128, 18, "complex128", std::complex<double>)               \
  X(kFloat16, 19, "float16", Half)                                     \
  X(kResource, 20, "resource", ResourceHandle)                         \
  X(kVariant, 21, "variant", Variant)                                  \
  X(kUInt32, 22, "uint32", uint32_t)                                   \
  X(kUInt64, 23, "uint64", uint64_t)                                   \
  X(kFloat8E5M2, 24, "float8_e5m2", Float8E5M2)                        \
  X(kFloat8E4M3FN, 25, "float8_e4m3fn", Float8E4M3FN)                  \
  X(kFloat8E4M3FNUZ, 26, "float8_e4m3fnuz", Float8E4M3FNUZ)            \
  X(kFloat8E4M3B11FNUZ, 27, "float8_e4m3b11fnuz", Float8E4M3B11FNUZ)   \
  X(kFloat8E5M2FNUZ, 28, "float8_e5m2fnuz", Float8E5M2FNUZ)            \
  X(kInt4, 29, "int4", Int4)                                           \
  X(kUInt4, 30, "uint4", UInt4)                                        \
  X(kInt2, 31, "int2", Int2)                                           \
  X(kUInt2, 32, "uint2", UInt2)                                        \
  X(kFloat4E2M1FN, 33, "float4_e2m1fn", Float4E2M1FN)

enum class DType : uint8_t {
  kInvalid = 0,
#define FLOWLATCH_X(enumerator, number, name, type) enumerator = number,
  FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
};

// One past the largest number of a DType.
inline constexpr int kNumDTypes = 34;

// "float32"; "invalid" for kInvalid and numbers that are no dtype.
std::string_view DTypeName(DType dtype);
// From "float32", also "float", "double", "half" and "DT_FLOAT" (any case of the DT_ form); nullopt if unknown.
std::optional<DType> ParseDType(std::string_view name);
// From the number in a proto; nullopt for 0, unknown numbers and reference types (number + 100).
std::optional<DType> DTypeFromNumber(int number);

// Bytes of one element in memory; 0 for kInvalid.
size_t DTypeSize(DType dtype);

// Elements that need construction and destruction: strings, resource handles, variants.
constexpr bool IsObjectDType(DType d) {
  return d == DType::kString || d == DType::kResource || d == DType::kVariant;
}
constexpr bool IsComplex(DType d) { return d == DType::kComplex64 || d == DType::kComplex128; }
constexpr bool IsQuantized(DType d) {
  return d == DType::kQInt8 || d == DType::kQUInt8 || d == DType::kQInt16 || d == DType::kQUInt16 || d == DType::kQInt32;
}
constexpr bool IsFloating(DType d) {
  return d == DType::kFloat32 || d == DType::kFloat64 || d == DType::kFloat16 || d == DType::kBFloat16 ||
         (d >= DType::kFloat8E5M2 && d <= DType::kFloat8E5M2FNUZ) || d == DType::kFloat4E2M1FN;
}
constexpr bool IsInteger(DType d) {
  switch (d) {
    case DType::kInt8: case DType::kInt16: case DType::kInt32: case DType::kInt64:
    case DType::kUInt8: case DType::kUInt16: case DType::kUInt32: case DType::kUInt64:
    case DType::kInt4: case DType::kUInt4: case DType::kInt2: case DType::kUInt2:
      return true;
    default:
      return false;
  }
}

// A set of dtypes, as attrs allow and kernels support.
class DTypeSet {
 public:
  constexpr DTypeSet() = default;
  constexpr DTypeSet(std::initializer_list<DType> dtypes) {
    for (DType d : dtypes) bits_ |= Bit(d);
  }
  constexpr bool contains(DType d) const { return (bits_ & Bit(d)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr DTypeSet operator|(DTypeSet other) const { return DTypeSet(bits_ | other.bits_); }
  constexpr DTypeSet operator-(DTypeSet other) const { return DTypeSet(bits_ & ~other.bits_); }
  constexpr bool operator==(const DTypeSet&) const = default;
  constexpr void insert(DType d) { bits_ |= Bit(d); }

 private:
  constexpr explicit DTypeSet(uint64_t bits) : bits_(bits) {}
  static constexpr uint64_t Bit(DType d) { return uint64_t{1} << static_cast<int>(d); }

 public:
  uint64_t bits_ = 0;  // public only so that a set may be a template argument
};

// "float32, int32", by number.
std::string DTypeSetNames(DTypeSet set);

inline constexpr DTypeSet kFloatTypes{DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64};
inline constexpr DTypeSet kComplexTypes{DType::kComplex64, DType::kComplex128};
inline constexpr DTypeSet kIntTypes{DType::kInt8,  DType::kInt16,  DType::kInt32,  DType::kInt64,
                                    DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64};
inline constexpr DTypeSet kRealTypes = kFloatTypes | kIntTypes;
inline constexpr DTypeSet kNumberTypes = kRealTypes | kComplexTypes;
inline constexpr DTypeSet kQuantizedTypes{DType::kQInt8, DType::kQUInt8, DType::kQInt16, DType::kQUInt16, DType::kQInt32};
inline constexpr DTypeSet kIndexTypes{DType::kInt32, DType::kInt64};

// The DType of a C++ element type, and back.
template <typename T>
inline constexpr DType kDTypeOf = DType::kInvalid;
template <DType d>
struct DTypeToCpp;
#define FLOWLATCH_X(enumerator, number, name, type)  \
  template <>                                        \
  inline constexpr DType kDTypeOf<type> = DType::enumerator; \
  template <>                                        \
  struct DTypeToCpp<DType::enumerator> {             \
    using Type = type;                               \
  };
FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
template <DType d>
using CppType = typename DTypeToCpp<d>::Type;

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TENSOR_DTYPE_H_
