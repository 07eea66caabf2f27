// Text in the encodings that ICU knows, and code points.
//   UnicodeTranscode: strings from input_encoding to UTF-8, UTF-16-BE or UTF-32-BE.
//   UnicodeDecode: strings -> char_values [characters], row_splits [strings + 1]; UnicodeDecodeWithOffsets: and the byte at
//     which each character begins.
//   UnicodeEncode: the reverse: input_values, input_splits -> a string for each row.
//   UnicodeScript: ICU's number of the script of a code point, -1 for what is none.
// errors says what happens to malformed input: "strict" fails, "replace" puts replacement_char there, "ignore" drops it.
// Each string has a byte order of its own where the encoding lets it say so.
// With replace_control_characters, U+0000 to U+001F count as malformed too, only not as a failure of decoding.
#include "ops/unicode_ops.h"

#include <unicode/ucnv.h>
#include <unicode/ucnv_err.h>
#include <unicode/uscript.h>
#include <unicode/utf.h>

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/utf8.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

enum class OnError { kFail, kReplace, kDrop };
enum class Encoding { kUtf8, kUtf16, kUtf32 };

class UnicodeState : public KernelState {
 public:
  OnError on_error = OnError::kReplace;
  UChar32 replacement = 0xfffd;
  bool replace_control = false;
  std::string input_encoding;
  Encoding output_encoding = Encoding::kUtf8;
};

absl::Status Malformed() { return absl::InvalidArgumentError("input: expected well-formed text, got other bytes"); }

// ---- Decoding

struct CloseConverter {
  void operator()(UConverter* converter) const { ucnv_close(converter); }
};
using Converter = std::unique_ptr<UConverter, CloseConverter>;

// Notes in *context that something was malformed, and has it read as U+FFFD.
void U_CALLCONV NoteMalformed(const void* context, UConverterToUnicodeArgs* args, const char* code_units, int32_t length,
                              UConverterCallbackReason reason, UErrorCode* error) {
  if (reason == UCNV_UNASSIGNED || reason == UCNV_ILLEGAL || reason == UCNV_IRREGULAR) {
    *const_cast<bool*>(static_cast<const bool*>(context)) = true;
  }
  UCNV_TO_U_CALLBACK_SUBSTITUTE(nullptr, args, code_units, length, reason, error);
}

absl::StatusOr<Converter> OpenConverter(const std::string& encoding) {
  UErrorCode error = U_ZERO_ERROR;
  // An empty name would mean what the process's locale has.
  Converter converter(encoding.empty() ? nullptr : ucnv_open(encoding.c_str(), &error));
  if (converter != nullptr && U_SUCCESS(error)) return converter;
  return absl::InvalidArgumentError(absl::StrCat("input_encoding: expected the name of an encoding, got '", encoding, "'"));
}

// Calls each(code point, bytes, malformed) for every character of s.
template <typename Each>
void ForEachCharacter(UConverter* converter, std::string_view s, const Each& each) {
  bool malformed = false;
  UConverterToUCallback old_callback;
  const void* old_context;
  UErrorCode error = U_ZERO_ERROR;
  ucnv_setToUCallBack(converter, &NoteMalformed, &malformed, &old_callback, &old_context, &error);
  ucnv_resetToUnicode(converter);
  const char* at = s.data();
  const char* const end = at + s.size();
  while (at < end) {
    const char* const begin = at;
    const UChar32 code = ucnv_getNextUChar(converter, &at, end, &error);
    if (U_FAILURE(error)) at = end;
    each(code, static_cast<int64_t>(at - begin), malformed);
    malformed = false;
  }
}

bool IsReplaced(const UnicodeState& state, UChar32 code, bool malformed) {
  return malformed || (state.replace_control && code >= 0 && code <= 0x1f);
}

template <typename Split>
absl::Status UnicodeDecode(KernelCall& c) {
  const UnicodeState& state = c.state<UnicodeState>();
  ASSIGN_OR_RETURN(const Converter converter, OpenConverter(state.input_encoding));
  const absl::Span<const String> strings = c.input(0).values<String>();
  std::vector<int32_t> codes;
  std::vector<int64_t> starts;
  ASSIGN_OR_RETURN(Tensor * splits, c.AllocateOutput(0, kDTypeOf<Split>, {c.input(0).num_elements() + 1}));
  splits->mutable_data<Split>()[0] = 0;
  bool any_malformed = false;
  for (size_t i = 0; i < strings.size(); ++i) {
    int64_t at = 0;
    ForEachCharacter(converter.get(), strings[i], [&](UChar32 code, int64_t bytes, bool malformed) {
      any_malformed |= malformed;
      const bool replaced = IsReplaced(state, code, malformed);
      if (!replaced || state.on_error != OnError::kDrop) {
        codes.push_back(replaced ? state.replacement : code);
        starts.push_back(at);
      }
      at += bytes;
    });
    splits->mutable_data<Split>()[i + 1] = static_cast<Split>(codes.size());
  }
  if (any_malformed && state.on_error == OnError::kFail) return Malformed();
  if (codes.size() > static_cast<size_t>(std::numeric_limits<Split>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected as many characters as Tsplits can count, got ", codes.size()));
  }
  c.SetOutput(1, Tensor::Vector<int32_t>(absl::MakeConstSpan(codes)));
  if (c.num_outputs() > 2) c.SetOutput(2, Tensor::Vector<int64_t>(absl::MakeConstSpan(starts)));
  return absl::OkStatus();
}

absl::Status DecodeShape(ShapeContext& c) {
  const PartialShape& input = c.input(0);
  const std::optional<Shape> known = input.has_rank() ? input.ToShape() : std::nullopt;
  c.SetOutput(0, PartialShape::Of({known.has_value() ? known->num_elements() + 1 : -1}));
  for (int i = 1; i < c.num_outputs(); ++i) c.SetOutput(i, PartialShape::Of({-1}));
  return absl::OkStatus();
}

// ---- Encoding

void AppendBigEndian(std::string& out, uint32_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

// Surrogates alone have a form in UTF-16 only, and are U+FFFD elsewhere.
void AppendEncoded(std::string& out, UChar32 code, Encoding encoding) {
  if (encoding != Encoding::kUtf16 && U_IS_SURROGATE(code)) code = 0xfffd;
  if (encoding == Encoding::kUtf8) {
    AppendUtf8Char(out, static_cast<char32_t>(code));
  } else if (encoding == Encoding::kUtf32) {
    AppendBigEndian(out, static_cast<uint32_t>(code), 4);
  } else if (code > 0xffff) {
    AppendBigEndian(out, U16_LEAD(code), 2);
    AppendBigEndian(out, U16_TRAIL(code), 2);
  } else {
    AppendBigEndian(out, static_cast<uint32_t>(code), 2);
  }
}

absl::Status UnicodeTranscode(KernelCall& c) {
  const UnicodeState& state = c.state<UnicodeState>();
  ASSIGN_OR_RETURN(const Converter converter, OpenConverter(state.input_encoding));
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  for (size_t i = 0; i < strings.size(); ++i) {
    std::string text;
    bool any_replaced = false;
    ForEachCharacter(converter.get(), strings[i], [&](UChar32 code, int64_t, bool malformed) {
      const bool replaced = IsReplaced(state, code, malformed);
      any_replaced |= replaced;
      if (replaced && state.on_error == OnError::kDrop) return;
      AppendEncoded(text, replaced ? state.replacement : code, state.output_encoding);
    });
    if (any_replaced && state.on_error == OnError::kFail) return Malformed();
    output->mutable_data<String>()[i] = std::string_view(text);
  }
  return absl::OkStatus();
}

absl::Status CheckSplits(const Dims& splits, int64_t n) {
  if (splits.empty() || splits.front() != 0 || splits.back() != n) {
    return absl::InvalidArgumentError(absl::StrCat("input_splits: expected 0 first and ", n, " last, got ", DimsToString(splits)));
  }
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] < splits[i - 1]) {
      return absl::InvalidArgumentError(
          absl::StrCat("input_splits: expected values that do not decrease, got ", splits[i - 1], " before ", splits[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status UnicodeEncode(KernelCall& c) {
  const UnicodeState& state = c.state<UnicodeState>();
  const Tensor& codes = c.input(0);
  if (!codes.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("input_values: expected a vector, got shape ", codes.ShapeString()));
  }
  ASSIGN_OR_RETURN(const Dims splits, ReadIntVector(c.input(1), "input_splits"));
  RETURN_IF_ERROR(CheckSplits(splits, codes.num_elements()));
  const int64_t rows = static_cast<int64_t>(splits.size()) - 1;
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, {rows}));
  for (int64_t row = 0; row < rows; ++row) {
    std::string text;
    for (int64_t i = splits[row]; i < splits[row + 1]; ++i) {
      UChar32 code = codes.data<int32_t>()[i];
      if (code < 0 || code > 0x10ffff || U_IS_SURROGATE(code)) {
        if (state.on_error == OnError::kFail) {
          return absl::InvalidArgumentError(absl::StrCat("input_values[", i, "]: expected a code point, got ", code));
        }
        if (state.on_error == OnError::kDrop) continue;
        code = state.replacement;
      }
      AppendEncoded(text, code, state.output_encoding);
    }
    output->mutable_data<String>()[row] = std::string_view(text);
  }
  return absl::OkStatus();
}

absl::Status EncodeShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  ASSIGN_OR_RETURN(const PartialShape splits, c.WithRank(1, 1));
  const int64_t n = splits.has_rank() ? splits.dim(0) : -1;
  c.SetOutput(0, PartialShape::Of({n > 0 ? n - 1 : -1}));
  return absl::OkStatus();
}

// ---- Attributes

absl::StatusOr<std::shared_ptr<UnicodeState>> MakeState(const NodeInfo& node) {
  auto state = std::make_shared<UnicodeState>();
  ASSIGN_OR_RETURN(const std::string errors, node.Str("errors"));
  state->on_error = errors == "strict" ? OnError::kFail : errors == "ignore" ? OnError::kDrop : OnError::kReplace;
  ASSIGN_OR_RETURN(const int64_t replacement, node.Int("replacement_char"));
  if (replacement < 0 || replacement > 0x10ffff) {
    return absl::InvalidArgumentError(absl::StrCat("replacement_char: expected a code point, got ", replacement));
  }
  state->replacement = static_cast<UChar32>(replacement);
  if (node.schema().FindAttr("replace_control_characters") != nullptr) {
    ASSIGN_OR_RETURN(state->replace_control, node.Bool("replace_control_characters"));
  }
  if (node.schema().FindAttr("input_encoding") != nullptr) {
    ASSIGN_OR_RETURN(state->input_encoding, node.Str("input_encoding"));
    RETURN_IF_ERROR(OpenConverter(state->input_encoding).status());
  }
  if (node.schema().FindAttr("output_encoding") != nullptr) {
    ASSIGN_OR_RETURN(const std::string encoding, node.Str("output_encoding"));
    state->output_encoding = encoding == "UTF-8"       ? Encoding::kUtf8
                             : encoding == "UTF-16-BE" ? Encoding::kUtf16
                                                       : Encoding::kUtf32;
  }
  return state;
}

absl::StatusOr<Kernel> DecodeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::shared_ptr<UnicodeState> state, MakeState(node));
  const bool wide = node.output_dtype(0) == DType::kInt64;
  return Kernel{.fn = wide ? &RunKernel<UnicodeDecode<int64_t>> : &RunKernel<UnicodeDecode<int32_t>>, .state = std::move(state)};
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> UnicodeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::shared_ptr<UnicodeState> state, MakeState(node));
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::move(state)};
}

// ---- UnicodeScript

absl::Status UnicodeScript(KernelCall& c) {
  const absl::Span<const int32_t> codes = c.input(0).values<int32_t>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kInt32, c.input(0).dims()));
  for (size_t i = 0; i < codes.size(); ++i) {
    UErrorCode error = U_ZERO_ERROR;
    const UScriptCode script = uscript_getScript(codes[i], &error);
    output->mutable_data<int32_t>()[i] = U_SUCCESS(error) ? script : USCRIPT_INVALID_CODE;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterUnicodeOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("UnicodeTranscode"),
                               .doc = "Strings in another encoding",
                               .shape = shapes::SameAsInput,
                               .kernel = UnicodeKernel<UnicodeTranscode>,
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("UnicodeDecode"),
                               .doc = "The code points of strings",
                               .shape = DecodeShape,
                               .kernel = DecodeKernel}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("UnicodeDecodeWithOffsets"),
                               .doc = "The code points of strings and where they begin",
                               .shape = DecodeShape,
                               .kernel = DecodeKernel}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("UnicodeEncode"),
                               .doc = "Strings from code points",
                               .shape = EncodeShape,
                               .kernel = UnicodeKernel<UnicodeEncode>}));
  return library.Add({.signature = TensorFlowSignature("UnicodeScript"),
                      .doc = "Numbers of the scripts of code points",
                      .shape = shapes::SameAsInput,
                      .kernel = PlainKernel<UnicodeScript>});
}

}  // namespace flowlatch
