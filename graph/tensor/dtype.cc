#include "graph/tensor/dtype.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "graph/tensor/object.h"
#include "graph/tensor/string.h"

namespace flowlatch {

std::string_view DTypeName(DType dtype) {
  switch (dtype) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    return name;
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return "invalid";
}

std::optional<DType> ParseDType(std::string_view name) {
  std::string lower = absl::AsciiStrToLower(absl::string_view(name.data(), name.size()));
  if (absl::StartsWith(lower, "dt_")) lower.erase(0, 3);
  if (lower == "float") return DType::kFloat32;
  if (lower == "double") return DType::kFloat64;
  if (lower == "half") return DType::kFloat16;
  for (int i = 1; i < kNumDTypes; ++i) {
    if (DTypeName(static_cast<DType>(i)) == std::string_view(lower)) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::optional<DType> DTypeFromNumber(int number) {
  if (number <= 0 || number >= kNumDTypes) return std::nullopt;
  return static_cast<DType>(number);
}

size_t DTypeSize(DType dtype) {
  switch (dtype) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    return sizeof(type);
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return 0;
}

std::string DTypeSetNames(DTypeSet set) {
  std::string names;
  for (int i = 1; i < kNumDTypes; ++i) {
    if (!set.contains(static_cast<DType>(i))) continue;
    if (!names.empty()) names += ", ";
    names += DTypeName(static_cast<DType>(i));
  }
  return names;
}

}  // namespace flowlatch
