// Strings, element by element.
//   StringFormat: template with each placeholder replaced by the text of an input -> scalar.
//   StringJoin:   scalars stretch to the one shape of the others; elements joined by separator. No inputs: "".
//   StringLength, StringLower, StringUpper: of bytes (ASCII), or of UTF-8 characters. Case is changed character for
//                 character ("ß" has no single capital and stays); what is no UTF-8 becomes U+FFFD.
//   Substr:       pos and len of one shape broadcast with input. pos < 0 counts from the end, len < 0 means the rest.
//   AsString:     numbers as printf writes them, bools as true and false; width, fill and precision as attrs.
//   StringToNumber: decimal integers; floats also hexadecimal, inf and nan. Spaces around do not matter.
#include "ops/string_ops.h"

#include <locale.h>
#include <wctype.h>

#include <cstdio>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/number_text.h"
#include "ops/kernels/tensor_text.h"
#include "ops/kernels/utf8.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

absl::string_view View(std::string_view s) { return {s.data(), s.size()}; }

// Whether the attr `unit` asks for UTF-8 characters.
absl::StatusOr<bool> CountsChars(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string unit, node.Str("unit"));
  if (unit == "BYTE") return false;
  if (unit == "UTF8_CHAR") return true;
  return absl::InvalidArgumentError(absl::StrCat("unit: expected BYTE or UTF8_CHAR, got ", unit));
}

// ---- StringFormat

class FormatState : public KernelState {
 public:
  FormatState(std::vector<std::string> pieces, int64_t summarize) : pieces(std::move(pieces)), summarize(summarize) {}
  const std::vector<std::string> pieces;  // around the inputs
  const int64_t summarize;
};

absl::Status StringFormat(KernelCall& c) {
  const FormatState& state = c.state<FormatState>();
  std::string text = state.pieces[0];
  for (int i = 0; i < c.num_inputs(); ++i) {
    absl::StrAppend(&text, EdgeElementsText(c.input(i), state.summarize), state.pieces[i + 1]);
  }
  c.SetOutput(0, Tensor::Scalar(std::string_view(text)));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> FormatKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string format, node.Str("template"));
  ASSIGN_OR_RETURN(const std::string placeholder, node.Str("placeholder"));
  ASSIGN_OR_RETURN(const int64_t summarize, node.Int("summarize"));
  std::vector<std::string> pieces{format};
  if (!placeholder.empty()) pieces = absl::StrSplit(format, placeholder);
  if (static_cast<int>(pieces.size()) != node.num_inputs() + 1) {
    return absl::InvalidArgumentError(absl::StrCat("template: expected ", node.num_inputs(), " placeholders '", placeholder,
                                                   "', got ", pieces.size() - 1));
  }
  return Kernel{.fn = &RunKernel<StringFormat>, .state = std::make_shared<FormatState>(std::move(pieces), summarize)};
}

// ---- StringJoin

class JoinState : public KernelState {
 public:
  explicit JoinState(std::string separator) : separator(std::move(separator)) {}
  const std::string separator;
};

absl::Status JoinShape(ShapeContext& c) {
  PartialShape shape{Shape()};
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_rank()) return absl::OkStatus();
    if (c.input(i).rank() == 0) continue;
    if (shape.rank() == 0) shape = c.input(i);
    else {
      ASSIGN_OR_RETURN(shape, shape.MergeWith(c.input(i)));
    }
  }
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status StringJoin(KernelCall& c) {
  Shape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& input = c.input(i);
    if (input.is_scalar()) continue;
    if (shape.rank() == 0) shape = input.shape();
    if (input.dims() != shape.dims()) {
      return absl::InvalidArgumentError(absl::StrCat("input ", i, ": expected a scalar or shape ", shape.ToString(),
                                                     ", got shape ", input.ShapeString()));
    }
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, shape));
  const std::string& separator = c.state<JoinState>().separator;
  String* to = output->mutable_data<String>();
  for (int64_t i = 0; i < output->num_elements(); ++i) {
    std::string joined;
    for (int k = 0; k < c.num_inputs(); ++k) {
      const Tensor& input = c.input(k);
      absl::StrAppend(&joined, k > 0 ? separator : "", View(input.data<String>()[input.is_scalar() ? 0 : i]));
    }
    to[i] = std::string_view(joined);
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> JoinKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::string separator, node.Str("separator"));
  return Kernel{.fn = &RunKernel<StringJoin>, .state = std::make_shared<JoinState>(std::move(separator))};
}

// ---- StringLength, StringLower, StringUpper

template <bool kChars>
absl::Status StringLength(KernelCall& c) {
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kInt32, c.input(0).dims()));
  int32_t* to = output->mutable_data<int32_t>();
  for (size_t i = 0; i < strings.size(); ++i) {
    to[i] = static_cast<int32_t>(kChars ? CountUtf8Chars(strings[i]) : static_cast<int64_t>(strings[i].size()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> LengthKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool chars, CountsChars(node));
  return Kernel{.fn = chars ? &RunKernel<StringLength<true>> : &RunKernel<StringLength<false>>};
}

// The C library's own Unicode tables, without regard to the process's locale. Null where there are none.
locale_t UnicodeLocale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

template <bool kUpper>
std::string ChangeCase(std::string_view s, bool utf8) {
  std::string out;
  if (!utf8) {
    out = std::string(s);
    kUpper ? absl::AsciiStrToUpper(&out) : absl::AsciiStrToLower(&out);
    return out;
  }
  while (!s.empty()) {
    const wint_t code = static_cast<wint_t>(TakeUtf8Char(s));
    AppendUtf8Char(out, kUpper ? towupper_l(code, UnicodeLocale()) : towlower_l(code, UnicodeLocale()));
  }
  return out;
}

template <bool kUpper, bool kUtf8>
absl::Status StringCase(KernelCall& c) {
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  String* to = output->mutable_data<String>();
  for (size_t i = 0; i < strings.size(); ++i) to[i] = std::string_view(ChangeCase<kUpper>(strings[i], kUtf8));
  return absl::OkStatus();
}

template <bool kUpper>
absl::StatusOr<Kernel> CaseKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string encoding, node.Str("encoding"));
  if (encoding.empty()) return Kernel{.fn = &RunKernel<StringCase<kUpper, false>>};
  if (encoding != "utf-8") {
    return absl::InvalidArgumentError(absl::StrCat("encoding: expected utf-8 or nothing, got '", encoding, "'"));
  }
  if (UnicodeLocale() == nullptr) {
    return absl::UnimplementedError("encoding utf-8: expected the locale C.UTF-8, which this system lacks");
  }
  return Kernel{.fn = &RunKernel<StringCase<kUpper, true>>};
}

// ---- Substr

absl::Status SubstrShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape pos, c.input(1).MergeWith(c.input(2)));
  ASSIGN_OR_RETURN(PartialShape output, BroadcastPartialShapes(c.input(0), pos));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// The part of s from `pos` on, of `len` bytes or characters; false if it would begin outside of s.
bool TakePart(std::string_view s, int64_t pos, int64_t len, bool chars, std::string_view& part) {
  const int64_t size = chars ? CountUtf8Chars(s) : static_cast<int64_t>(s.size());
  if (pos < -size || pos > size) return false;
  if (pos < 0) pos += size;
  if (len < 0 || len > size - pos) len = size - pos;
  if (!chars) {
    part = s.substr(pos, len);
    return true;
  }
  const size_t begin = ForwardUtf8Chars(s, 0, pos);
  part = s.substr(begin, ForwardUtf8Chars(s, begin, len) - begin);
  return true;
}

// Steps of a broadcast operand through its elements: 0 along dimensions in which it is stretched.
Dims BroadcastSteps(absl::Span<const int64_t> from, absl::Span<const int64_t> to) {
  Dims steps(to.size(), 0);
  int64_t step = 1;
  for (size_t i = 0; i < from.size(); ++i) {
    const size_t f = from.size() - 1 - i;
    steps[to.size() - 1 - i] = from[f] == 1 ? 0 : step;
    step *= from[f];
  }
  return steps;
}

template <typename T, bool kChars>
absl::Status Substr(KernelCall& c) {
  const Tensor &input = c.input(0), &pos = c.input(1), &len = c.input(2);
  if (pos.dims() != len.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("len: expected the shape of pos, ", pos.ShapeString(), ", got ", len.ShapeString()));
  }
  ASSIGN_OR_RETURN(const Shape shape, BroadcastShapes(input.dims(), pos.dims()));
  if (shape.rank() > 2 && !pos.is_scalar() && input.dims() != pos.dims()) {  // TensorFlow's limit, and its code
    return absl::UnimplementedError(absl::StrCat("broadcast: expected at most 2 dimensions, got ", shape.rank()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, shape));
  const Dims input_steps = BroadcastSteps(input.dims(), shape.dims()), pos_steps = BroadcastSteps(pos.dims(), shape.dims());
  String* to = output->mutable_data<String>();
  Dims at(shape.rank(), 0);
  int64_t from = 0, p = 0;
  for (int64_t i = 0; i < output->num_elements(); ++i) {
    const String& s = input.data<String>()[from];
    std::string_view part;
    if (!TakePart(s, pos.data<T>()[p], len.data<T>()[p], kChars, part)) {
      return absl::InvalidArgumentError(absl::StrCat("pos: expected a place in the string '", View(s), "', got ", pos.data<T>()[p]));
    }
    to[i] = part;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      from += input_steps[d];
      p += pos_steps[d];
      if (++at[d] < shape.dim(d)) break;
      from -= at[d] * input_steps[d];
      p -= at[d] * pos_steps[d];
      at[d] = 0;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> SubstrKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool chars, CountsChars(node));
  const bool wide = node.input_dtype(1) == DType::kInt64;
  return Kernel{.fn = wide ? (chars ? &RunKernel<Substr<int64_t, true>> : &RunKernel<Substr<int64_t, false>>)
                           : (chars ? &RunKernel<Substr<int32_t, true>> : &RunKernel<Substr<int32_t, false>>)};
}

// ---- AsString

class AsStringState : public KernelState {
 public:
  explicit AsStringState(std::string format) : format(std::move(format)) {}
  const std::string format;  // for printf: of an int64, uint64, double or char*
};

constexpr DTypeSet kTextTypes = kNumberTypes | DTypeSet{DType::kBool, DType::kString};

template <typename V>
std::string Printed(const std::string& format, V value) {
  char text[512];
  const int size = std::snprintf(text, sizeof text, format.c_str(), value);
  if (size < static_cast<int>(sizeof text)) return std::string(text, std::max(size, 0));
  std::string long_text(size, '\0');
  std::snprintf(long_text.data(), size + 1, format.c_str(), value);
  return long_text;
}

template <typename T>
std::string AsText(const std::string& format, const T& x) {
  if constexpr (std::is_same_v<T, bool>) {
    return x ? "true" : "false";
  } else if constexpr (std::is_same_v<T, String>) {
    return format == "%s" ? std::string(x.view()) : Printed(format, std::string(x.view()).c_str());
  } else if constexpr (std::is_integral_v<T>) {
    if constexpr (std::is_signed_v<T>) return Printed(format, static_cast<long long>(x));
    else return Printed(format, static_cast<unsigned long long>(x));
  } else if constexpr (requires { x.real(); }) {
    return absl::StrCat("(", Printed(format, static_cast<double>(x.real())), ",", Printed(format, static_cast<double>(x.imag())), ")");
  } else {
    return Printed(format, static_cast<double>(x));
  }
}

template <typename T>
absl::Status AsString(KernelCall& c) {
  const absl::Span<const T> values = c.input(0).values<T>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  const std::string& format = c.state<AsStringState>().format;
  String* to = output->mutable_data<String>();
  for (size_t i = 0; i < values.size(); ++i) to[i] = std::string_view(AsText(format, values[i]));
  return absl::OkStatus();
}

// "%" with flags, width and precision. Only what is checked here reaches printf.
absl::StatusOr<std::string> PrintfFormat(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t precision, node.Int("precision"));
  ASSIGN_OR_RETURN(const int64_t width, node.Int("width"));
  ASSIGN_OR_RETURN(const bool scientific, node.Bool("scientific"));
  ASSIGN_OR_RETURN(const bool shortest, node.Bool("shortest"));
  ASSIGN_OR_RETURN(const std::string fill, node.Str("fill"));
  const DType dtype = node.input_dtype(0);
  const bool has_point = IsFloating(dtype) || IsComplex(dtype);
  constexpr int64_t kMaxWidth = 10000;
  if (width > kMaxWidth || precision > kMaxWidth) {
    return absl::InvalidArgumentError(absl::StrCat("width and precision: expected at most ", kMaxWidth, ", got ", width, " and ", precision));
  }
  if (!has_point && dtype != DType::kString && (precision >= 0 || scientific || shortest)) {
    return absl::InvalidArgumentError(absl::StrCat("precision, scientific, shortest: expected none for ",
                                                   std::string(DTypeName(dtype)), ", got one"));
  }
  if (scientific && shortest) return absl::InvalidArgumentError("scientific, shortest: expected one of them, got both");
  if (fill.size() > 1 || (!fill.empty() && !absl::StrContains(" +-0#", fill))) {
    return absl::InvalidArgumentError(absl::StrCat("fill: expected a flag of printf, got '", fill, "'"));
  }
  std::string format = absl::StrCat("%", dtype == DType::kString && fill != "-" ? "" : fill);
  if (width >= 0) absl::StrAppend(&format, width);
  if (precision >= 0 && has_point) absl::StrAppend(&format, ".", precision);
  if (dtype == DType::kString) return format + "s";
  if (has_point) return format + (scientific ? "e" : shortest ? "g" : "f");
  const bool is_unsigned = DTypeSet{DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64}.contains(dtype);
  return format + (is_unsigned ? "llu" : "lld");
}

absl::StatusOr<Kernel> AsStringKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kTextTypes>(node.input_dtype(0), KernelFn{},
                                                []<typename T>() { return &RunKernel<AsString<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  ASSIGN_OR_RETURN(std::string format, PrintfFormat(node));
  return Kernel{.fn = fn, .state = std::make_shared<AsStringState>(std::move(format))};
}

// ---- StringToNumber

template <typename T>
absl::Status StringToNumber(KernelCall& c) {
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, kDTypeOf<T>, c.input(0).dims()));
  T* to = output->mutable_data<T>();
  for (size_t i = 0; i < strings.size(); ++i) {
    if (!ParseNumber(View(strings[i]), to[i])) {
      return absl::InvalidArgumentError(absl::StrCat("string_tensor: expected text of a number that fits ",
                                                     std::string(DTypeName(kDTypeOf<T>)), ", got '", View(strings[i]), "'"));
    }
  }
  return absl::OkStatus();
}

constexpr DTypeSet kParsedTypes{DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64, DType::kUInt32, DType::kUInt64};

absl::StatusOr<Kernel> ToNumberKernel(const NodeInfo& node) {
  const KernelFn fn = DispatchDType<kParsedTypes>(node.output_dtype(0), KernelFn{},
                                                  []<typename T>() { return &RunKernel<StringToNumber<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn};
}

}  // namespace

absl::Status RegisterStringOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "StringFormat(inputs: T) -> (output: string); T: list(type) >= 0; template: string = \"%s\"; "
                   "placeholder: string = \"%s\"; summarize: int = 3",
      .doc = "a template with the texts of tensors in it",
      .shape = shapes::Scalar,
      .kernel = FormatKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StringJoin(inputs: N * string) -> (output: string); N: int >= 0; separator: string = \"\"",
      .doc = "strings of several tensors joined, element by element",
      .shape = JoinShape,
      .kernel = JoinKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StringLength(input: string) -> (output: int32); unit: {\"BYTE\", \"UTF8_CHAR\"} = \"BYTE\"",
      .doc = "lengths of strings",
      .shape = shapes::SameAsInput,
      .kernel = LengthKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StringLower(input: string) -> (output: string); encoding: string = \"\"",
      .doc = "strings in lower case",
      .shape = shapes::SameAsInput,
      .kernel = CaseKernel<false>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "StringUpper(input: string) -> (output: string); encoding: string = \"\"",
      .doc = "strings in upper case",
      .shape = shapes::SameAsInput,
      .kernel = CaseKernel<true>,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Substr(input: string, pos: T, len: T) -> (output: string); T: {int32, int64}; "
                   "unit: {\"BYTE\", \"UTF8_CHAR\"} = \"BYTE\"",
      .doc = "parts of strings",
      .shape = SubstrShape,
      .kernel = SubstrKernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "AsString(input: T) -> (output: string); T: {float32, float64, int32, uint8, int16, int8, int64, "
                   "bfloat16, uint16, float16, uint32, uint64, complex64, complex128, bool, variant, string}; "
                   "precision: int = -1; scientific: bool = false; shortest: bool = false; width: int = -1; "
                   "fill: string = \"\"",
      .doc = "numbers as text",
      .shape = shapes::SameAsInput,
      .kernel = AsStringKernel,
      .dtypes = kTextTypes,
      .gradient = gradients::None,
  }));
  return library.Add({
      .signature = "StringToNumber(string_tensor: string) -> (output: out_type); out_type: {float32, float64, int32, "
                   "int64, uint32, uint64} = float32",
      .doc = "numbers from text",
      .shape = shapes::SameAsInput,
      .kernel = ToNumberKernel,
      .gradient = gradients::None,
  });
}

}  // namespace flowlatch
