#include "tools/arrays/spec.h"

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/string.h"
#include "tools/arrays/files.h"
#include "tools/arrays/image.h"
#include "tools/arrays/json_array.h"
#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"

namespace flowlatch {
namespace {

constexpr int64_t kMaxGenerated = int64_t{1} << 31;  // elements

absl::Status BadSpec(std::string_view spec, std::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("input '", std::string(spec), "': expected ", std::string(expected)));
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

// "f32[2,3]" in ":f32[2,3]"; either part may be missing.
struct TypeSuffix {
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

absl::StatusOr<TypeSuffix> ParseTypeSuffix(std::string_view text) {
  TypeSuffix suffix;
  const size_t bracket = std::min(text.find('['), text.size());
  if (bracket > 0) {
    suffix.dtype = ParseShortDType(text.substr(0, bracket));
    if (!suffix.dtype.has_value()) {
      return BadSpec(text, "a dtype such as f32, i64, u8, bf16, bool, str or float32");
    }
  }
  if (bracket == text.size()) return suffix;
  if (text.back() != ']') return BadSpec(text, "a shape such as [2,3]");
  const std::string inner(text.substr(bracket + 1, text.size() - bracket - 2));
  std::vector<int64_t> dims;
  for (const absl::string_view part : absl::StrSplit(inner, ',', absl::SkipWhitespace())) {
    int64_t dim;
    if (!absl::SimpleAtoi(part, &dim)) return BadSpec(text, "a shape such as [2,3]");
    dims.push_back(dim);
  }
  ASSIGN_OR_RETURN(suffix.shape, Shape::Make(dims));
  return suffix;
}

// Splits at the last ':' behind which a type stands: 'x.bin:f32[3]', but not '{"b64": "..."}' or '[1,2]'.
struct Typed {
  std::string_view value;
  TypeSuffix type;
};

absl::StatusOr<Typed> SplitType(std::string_view spec) {
  const size_t colon = spec.rfind(':');
  if (colon == std::string_view::npos) return Typed{spec, {}};
  const std::string_view tail = spec.substr(colon + 1);
  const bool looks_typed = !tail.empty() &&
                           (absl::ascii_isalpha(static_cast<unsigned char>(tail[0])) || tail[0] == '[') &&
                           tail.find_first_of("\"'{}/ ") == std::string_view::npos;
  if (!looks_typed) return Typed{spec, {}};
  ASSIGN_OR_RETURN(TypeSuffix type, ParseTypeSuffix(tail));
  return Typed{spec.substr(0, colon), type};
}

// The shape that a generated value takes.
absl::StatusOr<Shape> GeneratedShape(std::string_view spec, const TypeSuffix& type, const PortHint& hint) {
  std::optional<Shape> shape = type.shape;
  if (!shape.has_value()) shape = hint.shape.ToShape();
  if (!shape.has_value()) {
    return BadSpec(spec,
                   absl::StrCat("a shape, as in zeros:f32[2,3], since the input has shape ", hint.shape.ToString()));
  }
  if (shape->num_elements() > kMaxGenerated) return BadSpec(spec, absl::StrCat("at most ", kMaxGenerated, " elements"));
  return *shape;
}

// "uniform(0,1)" -> name and arguments.
struct Call {
  std::string name;
  std::vector<double> args;
};

std::optional<Call> ParseCall(std::string_view text) {
  Call call;
  const size_t paren = std::min(text.find('('), text.size());
  call.name = std::string(text.substr(0, paren));
  for (const char c : call.name) {
    if (!absl::ascii_islower(static_cast<unsigned char>(c))) return std::nullopt;
  }
  if (paren == text.size()) return call;
  if (text.back() != ')') return std::nullopt;
  const std::string inner(text.substr(paren + 1, text.size() - paren - 2));
  for (const absl::string_view part : absl::StrSplit(inner, ',')) {
    double value;
    if (!absl::SimpleAtod(part, &value)) return std::nullopt;
    call.args.push_back(value);
  }
  return call;
}

// How many arguments a generator takes; nullopt: no such generator.
std::optional<size_t> GeneratorArity(std::string_view name) {
  if (name == "zeros" || name == "ones" || name == "normal" || name == "range") return 0;
  if (name == "uniform" || name == "randint") return 2;
  return std::nullopt;
}

template <typename T>
T FromDouble(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (IsQuantized(kDTypeOf<T>)) {
    T result;
    result.value = static_cast<decltype(result.value)>(value);
    return result;
  } else if constexpr (IsInteger(kDTypeOf<T>)) {
    return static_cast<T>(static_cast<int64_t>(value));
  } else if constexpr (IsComplex(kDTypeOf<T>)) {
    return T(static_cast<typename T::value_type>(value));
  } else {
    return static_cast<T>(value);
  }
}

template <typename T, typename Next>
void Generate(Tensor* tensor, const Next& next) {
  int64_t i = 0;
  for (T& element : tensor->mutable_values<T>()) element = FromDouble<T>(next(i++));
}

template <typename T>
void FillGenerated(const Call& call, uint64_t seed, Tensor* tensor) {
  std::mt19937_64 random(seed);
  if (call.name == "uniform") {
    std::uniform_real_distribution<double> uniform(call.args[0], call.args[1]);
    Generate<T>(tensor, [&](int64_t) { return uniform(random); });
  } else if (call.name == "normal") {
    std::normal_distribution<double> normal;
    Generate<T>(tensor, [&](int64_t) { return normal(random); });
  } else if (call.name == "randint") {
    std::uniform_int_distribution<int64_t> integer(static_cast<int64_t>(call.args[0]),
                                                   static_cast<int64_t>(call.args[1]));
    Generate<T>(tensor, [&](int64_t) { return static_cast<double>(integer(random)); });
  } else {
    const double constant = call.name == "ones" ? 1 : 0;
    const bool range = call.name == "range";
    Generate<T>(tensor, [&](int64_t i) { return range ? static_cast<double>(i) : constant; });
  }
}

absl::StatusOr<Tensor> GeneratedTensor(std::string_view spec, const Call& call, const TypeSuffix& type,
                                       const PortHint& hint, uint64_t seed) {
  if (call.args.size() != GeneratorArity(call.name)) {
    return BadSpec(spec, "zeros, ones, normal, range, uniform(LOW,HIGH) or randint(LOW,HIGH)");
  }
  constexpr double kLimit = 9.2e18;  // of integers
  if (call.args.size() == 2 &&
      !(call.args[0] <= call.args[1] && std::abs(call.args[0]) < kLimit && std::abs(call.args[1]) < kLimit)) {
    return BadSpec(spec, "LOW to be at most HIGH");
  }
  ASSIGN_OR_RETURN(const Shape shape, GeneratedShape(spec, type, hint));
  const DType dtype = type.dtype.value_or(hint.dtype.value_or(DType::kFloat32));
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(dtype, shape));  // strings are empty ones
  switch (dtype) {
#define FLOWLATCH_X(enumerator, number, name, cpp_type)                                            \
  case DType::enumerator:                                                                          \
    if constexpr (!IsObjectDType(DType::enumerator)) FillGenerated<cpp_type>(call, seed, &tensor); \
    break;
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return tensor;
}

absl::StatusOr<Tensor> ParseRaw(std::string_view spec, std::string_view bytes, const TypeSuffix& type,
                                const PortHint& hint) {
  const std::optional<DType> dtype = type.dtype.has_value() ? type.dtype : hint.dtype;
  if (!dtype.has_value() || IsObjectDType(*dtype)) return BadSpec(spec, "a dtype of numbers, as in @raw.bin:f32[1,3]");
  std::optional<Shape> shape = type.shape;
  if (!shape.has_value()) shape = hint.shape.ToShape();
  if (!shape.has_value()) return BadSpec(spec, "a shape, as in @raw.bin:f32[1,3]");
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(*dtype, *shape));
  if (tensor.size_bytes() != static_cast<int64_t>(bytes.size())) {
    return BadSpec(spec, absl::StrCat(tensor.size_bytes(), " bytes for ", std::string(DTypeName(*dtype)),
                                      shape->ToString(), ", got ", bytes.size()));
  }
  if (!bytes.empty()) std::memcpy(tensor.raw_mutable_data(), bytes.data(), bytes.size());
  return tensor;
}

// uint8 pixels, or float32 pixels divided by a number: "@x.png:f32/255". A port with one dimension more gets a batch
// of 1.
absl::StatusOr<Tensor> ReadImage(std::string_view spec, std::string_view path, std::string_view scale,
                                 const PortHint& hint) {
  ASSIGN_OR_RETURN(const std::string bytes, ReadBytes(std::string(path)));
  ASSIGN_OR_RETURN(Tensor pixels, ParseImage(bytes));
  double divisor = 1;
  const bool to_float = !scale.empty() || hint.dtype == DType::kFloat32;
  if (!scale.empty() && scale != "f32" && scale != "u8") {
    if (scale.substr(0, 4) != "f32/" || !absl::SimpleAtod(std::string(scale.substr(4)), &divisor) || divisor == 0) {
      return BadSpec(spec, "an image's type to be u8, f32 or f32/NUMBER");
    }
  }
  if (to_float && scale != "u8") {
    ASSIGN_OR_RETURN(Tensor floats, Tensor::Make(DType::kFloat32, pixels.shape()));
    for (int64_t i = 0; i < pixels.num_elements(); ++i) {
      floats.mutable_data<float>()[i] = static_cast<float>(pixels.data<uint8_t>()[i] / divisor);
    }
    pixels = std::move(floats);
  }
  if (hint.shape.rank() != 4) return pixels;
  return pixels.Reshaped(Shape::Of({1, pixels.dim(0), pixels.dim(1), pixels.dim(2)}));
}

absl::StatusOr<Tensor> ReadNpz(std::string_view spec, std::string_view path, std::string_view key,
                               const PortHint& hint) {
  ASSIGN_OR_RETURN(const NpzReader npz, NpzReader::Open(std::string(path)));
  std::string name(key);
  if (name.empty()) {
    const std::vector<std::string> names = npz.Names();
    if (names.size() != 1)
      return BadSpec(spec,
                     absl::StrCat("the name of one of its ", names.size(), " arrays in brackets, as in @file.npz[x]"));
    name = names[0];
  }
  ASSIGN_OR_RETURN(const Tensor tensor, npz.Read(name));
  return hint.dtype.has_value() && CarrierOf(*hint.dtype) == tensor.dtype() ? FromCarrier(tensor, *hint.dtype) : tensor;
}

absl::StatusOr<Tensor> ReadFromFile(std::string_view spec, const PortHint& hint) {
  const std::string_view body = spec.substr(1);
  if (const size_t at = body.find(".npz");
      at != std::string_view::npos && (at + 4 == body.size() || body[at + 4] == '[')) {
    std::string_view key = body.substr(at + 4);
    if (!key.empty()) {
      if (key.back() != ']') return BadSpec(spec, "@file.npz[key]");
      key = key.substr(1, key.size() - 2);
    }
    return ReadNpz(spec, body.substr(0, at + 4), key, hint);
  }
  for (const std::string_view ending : {".png", ".jpg", ".jpeg"}) {
    const size_t at = body.rfind(ending);
    if (at == std::string_view::npos) continue;
    const size_t end = at + ending.size();
    if (end == body.size()) return ReadImage(spec, body, "", hint);
    if (body[end] == ':') return ReadImage(spec, body.substr(0, end), body.substr(end + 1), hint);
  }
  ASSIGN_OR_RETURN(const Typed typed, SplitType(body));
  ASSIGN_OR_RETURN(const std::string bytes, ReadBytes(std::string(typed.value)));
  if (EndsWith(typed.value, ".npy")) {
    ASSIGN_OR_RETURN(const Tensor tensor, ParseNpy(bytes));
    const std::optional<DType> dtype = typed.type.dtype.has_value() ? typed.type.dtype : hint.dtype;
    return dtype.has_value() && CarrierOf(*dtype) == tensor.dtype() ? FromCarrier(tensor, *dtype) : tensor;
  }
  if (EndsWith(typed.value, ".json"))
    return TensorFromJson(bytes, typed.type.dtype.has_value() ? typed.type.dtype : hint.dtype);
  return ParseRaw(spec, bytes, typed.type, hint);
}

}  // namespace

std::optional<DType> ParseShortDType(std::string_view name) {
  struct Alias {
    std::string_view name;
    DType dtype;
  };
  static constexpr Alias kAliases[] = {
      {"f16", DType::kFloat16}, {"f32", DType::kFloat32},   {"f64", DType::kFloat64},     {"bf16", DType::kBFloat16},
      {"i8", DType::kInt8},     {"i16", DType::kInt16},     {"i32", DType::kInt32},       {"i64", DType::kInt64},
      {"u8", DType::kUInt8},    {"u16", DType::kUInt16},    {"u32", DType::kUInt32},      {"u64", DType::kUInt64},
      {"str", DType::kString},  {"c64", DType::kComplex64}, {"c128", DType::kComplex128},
  };
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return alias.dtype;
  }
  return ParseDType(name);
}

absl::StatusOr<std::pair<std::string, std::string>> SplitAssignment(std::string_view text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      name.push_back(text[++i]);
    } else if (text[i] != '=') {
      name.push_back(text[i]);
    } else if (!name.empty()) {
      return std::pair(name, std::string(text.substr(i + 1)));
    } else {
      break;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("argument '", std::string(text), "': expected NAME=VALUE"));
}

absl::StatusOr<Tensor> ParseSpec(std::string_view spec, const PortHint& hint, uint64_t seed) {
  if (spec.empty()) return BadSpec(spec, "a value");
  if (spec[0] == '@') return ReadFromFile(spec, hint);
  ASSIGN_OR_RETURN(const Typed typed, SplitType(spec));
  const std::optional<DType> dtype = typed.type.dtype.has_value() ? typed.type.dtype : hint.dtype;
  const std::optional<Call> call = ParseCall(typed.value);
  if (call.has_value() && GeneratorArity(call->name).has_value()) {
    return GeneratedTensor(spec, *call, typed.type, hint, seed);
  }
  absl::StatusOr<Tensor> tensor = TensorFromJson(typed.value, dtype);
  if (!tensor.ok() && dtype == DType::kString) tensor = Tensor::Scalar(typed.value);  // a bare word
  if (!tensor.ok())
    return absl::Status(tensor.status().code(),
                        absl::StrCat("input '", std::string(spec), "': ", tensor.status().message()));
  if (typed.type.shape.has_value()) return tensor->Reshaped(*typed.type.shape);
  return tensor;
}

}  // namespace flowlatch
