#include "tools/arrays/json_array.h"

#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/string.h"

namespace flowlatch {
namespace {

using nlohmann::json;

absl::Status Unexpected(std::string_view expected, const json& got) {
  // Not a nest of lists: it may be deep, and dump recurses.
  std::string text = got.is_structured() ? got.type_name() : got.dump(-1, ' ', true, json::error_handler_t::replace);
  if (text.size() > 40) text = text.substr(0, 40) + "...";
  return absl::InvalidArgumentError(absl::StrCat("JSON array: expected ", std::string(expected), ", got ", text));
}

// The leaves of nested lists in order, and the shape of the nest.
struct Flat {
  std::vector<int64_t> dims;
  std::vector<const json*> leaves;
};

// `depth` is below kMaxRank, which bounds the recursion.
absl::Status Flatten(const json& value, size_t depth, bool pairs_are_leaves, Flat* flat) {
  const bool pair = pairs_are_leaves && value.is_array() && value.size() == 2 && !value[0].is_array();
  if (!value.is_array() || pair) {
    if (depth != flat->dims.size()) return Unexpected("lists of the same depth everywhere", value);
    flat->leaves.push_back(&value);
    return absl::OkStatus();
  }
  if (depth >= static_cast<size_t>(kMaxRank))
    return absl::InvalidArgumentError("JSON array: expected fewer dimensions");
  const int64_t size = static_cast<int64_t>(value.size());
  if (depth == flat->dims.size() && flat->leaves.empty()) {
    flat->dims.push_back(size);
  } else if (depth >= flat->dims.size()) {
    return Unexpected("lists of the same depth everywhere", value);
  } else if (flat->dims[depth] != size) {
    return Unexpected("lists of the same length everywhere", value);
  }
  for (const json& element : value) RETURN_IF_ERROR(Flatten(element, depth + 1, pairs_are_leaves, flat));
  return absl::OkStatus();
}

DType GuessDType(const std::vector<const json*>& leaves) {
  bool wide = false, real = false;
  for (const json* leaf : leaves) {
    if (leaf->is_string() || leaf->is_object()) return DType::kString;
    if (leaf->is_boolean()) return DType::kBool;
    if (leaf->is_number_float()) real = true;
    if (leaf->is_number_integer()) {
      const double value = leaf->get<double>();
      wide |= value > std::numeric_limits<int32_t>::max() || value < std::numeric_limits<int32_t>::min();
    }
  }
  return real || leaves.empty() ? DType::kFloat32 : wide ? DType::kInt64 : DType::kInt32;
}

absl::StatusOr<double> ToDouble(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  return Unexpected("a number, \"NaN\", \"Infinity\" or \"-Infinity\"", value);
}

template <typename T>
absl::Status Store(const json& value, T* out) {
  constexpr DType kDType = kDTypeOf<T>;
  if constexpr (std::is_same_v<T, String>) {
    if (value.is_string()) {
      *out = std::string_view(value.get_ref<const std::string&>());
      return absl::OkStatus();
    }
    std::string bytes;
    if (!value.is_object() || value.size() != 1 || !value.contains("b64") || !value["b64"].is_string() ||
        !absl::Base64Unescape(value["b64"].get_ref<const std::string&>(), &bytes)) {
      return Unexpected("a string or {\"b64\": \"...\"}", value);
    }
    *out = std::string_view(bytes);
  } else if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_boolean()) return Unexpected("true or false", value);
    *out = value.get<bool>();
  } else if constexpr (IsComplex(kDType)) {
    const bool pair = value.is_array();
    ASSIGN_OR_RETURN(const double real, ToDouble(pair ? value[0] : value));
    double imaginary = 0;
    if (pair) {
      ASSIGN_OR_RETURN(imaginary, ToDouble(value[1]));
    }
    *out = T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(imaginary));
  } else if constexpr (IsFloating(kDType)) {
    ASSIGN_OR_RETURN(const double number, ToDouble(value));
    *out = static_cast<T>(number);
  } else if constexpr (IsInteger(kDType) || IsQuantized(kDType)) {
    const std::string expected = absl::StrCat("an integer of ", std::string(DTypeName(kDType)));
    if (!value.is_number_integer()) return Unexpected(expected, value);
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (!value.is_number_unsigned()) return Unexpected(expected, value);
      *out = value.get<uint64_t>();
    } else {
      if (value.is_number_unsigned() && value.get<uint64_t>() > std::numeric_limits<int64_t>::max())
        return Unexpected(expected, value);
      const int64_t number = value.get<int64_t>();
      if constexpr (IsQuantized(kDType)) {
        out->value = static_cast<decltype(out->value)>(number);
        if (out->value != number) return Unexpected(expected, value);
      } else {
        *out = static_cast<T>(number);
        if (static_cast<int64_t>(*out) != number) return Unexpected(expected, value);
      }
    }
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON array: expected numbers, booleans or strings, got dtype ", std::string(DTypeName(kDType))));
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<Tensor> Fill(const Flat& flat) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(flat.dims));
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(kDTypeOf<T>, shape));
  for (size_t i = 0; i < flat.leaves.size(); ++i) RETURN_IF_ERROR(Store(*flat.leaves[i], tensor.mutable_data<T>() + i));
  return tensor;
}

json RealToJson(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}

// The double that prints as `value` does: 0.1f is 0.1, not 0.10000000149.
json RealToJson(float value) {
  if (!std::isfinite(value)) return RealToJson(static_cast<double>(value));
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  double wide = value;
  std::from_chars(text, end.ptr, wide);
  return wide;
}

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const unsigned char lead = static_cast<unsigned char>(text[i]);
    const int more = lead < 0x80                   ? 0
                     : lead >= 0xc2 && lead < 0xe0 ? 1
                     : lead >= 0xe0 && lead < 0xf0 ? 2
                     : lead >= 0xf0 && lead < 0xf5 ? 3
                                                   : -1;
    if (more < 0 || text.size() - i <= static_cast<size_t>(more)) return false;
    uint32_t code = more == 0 ? lead : lead & (0x3f >> more);
    for (int k = 1; k <= more; ++k) {
      const unsigned char next = static_cast<unsigned char>(text[i + static_cast<size_t>(k)]);
      if ((next & 0xc0) != 0x80) return false;
      code = code << 6 | (next & 0x3f);
    }
    static constexpr uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
    if (code < kSmallest[more] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    i += static_cast<size_t>(more) + 1;
  }
  return true;
}

template <typename T>
json ToJson(const T& value) {
  constexpr DType kDType = kDTypeOf<T>;
  if constexpr (std::is_same_v<T, String>) {
    if (IsUtf8(value.view())) return std::string(value.view());
    return {{"b64", absl::Base64Escape(absl::string_view(value.data(), value.size()))}};
  } else if constexpr (IsComplex(kDType)) {
    return json::array({RealToJson(value.real()), RealToJson(value.imag())});
  } else if constexpr (kDType == DType::kFloat64) {
    return RealToJson(value);
  } else if constexpr (IsFloating(kDType)) {
    return RealToJson(static_cast<float>(value));
  } else if constexpr (IsQuantized(kDType)) {
    return value.value;
  } else if constexpr (kDType == DType::kResource) {
    return value ? absl::StrCat("resource ", value->container, "/", value->name) : "resource";
  } else if constexpr (kDType == DType::kVariant) {
    return value ? value.get()->DebugString() : "variant";
  } else if constexpr (sizeof(T) == 1 && IsInteger(kDType)) {
    return static_cast<int>(value);
  } else {
    return value;
  }
}

template <typename T>
json Nest(const Tensor& tensor, int dimension, const T** next) {
  if (dimension == tensor.rank()) return ToJson(*(*next)++);
  json list = json::array();
  for (int64_t i = 0; i < tensor.dim(dimension); ++i) {
    // An empty dimension further down has no elements to show, but may be repeated without end.
    list.push_back(tensor.num_elements() == 0 ? json::array() : Nest(tensor, dimension + 1, next));
    if (tensor.num_elements() == 0 && i == 1000) break;
  }
  return list;
}

}  // namespace

absl::StatusOr<Tensor> TensorFromJson(std::string_view text, std::optional<DType> dtype) {
  const json value = json::parse(text.begin(), text.end(), nullptr, false);
  if (value.is_discarded()) {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON array: expected JSON, got '", std::string(text.substr(0, 40)), "'"));
  }
  return TensorFromJsonValue(value, dtype);
}

absl::StatusOr<Tensor> TensorFromJsonValue(const json& value, std::optional<DType> dtype) {
  Flat flat;
  RETURN_IF_ERROR(Flatten(value, 0, dtype.has_value() && IsComplex(*dtype), &flat));
  switch (dtype.value_or(GuessDType(flat.leaves))) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    return Fill<type>(flat);
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return absl::InvalidArgumentError("JSON array: expected a dtype, got none");
}

json TensorToJson(const Tensor& tensor) {
  switch (tensor.dtype()) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator: {                         \
    const type* next = tensor.data<type>();         \
    return Nest<type>(tensor, 0, &next);            \
  }
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return nullptr;
}

}  // namespace flowlatch
