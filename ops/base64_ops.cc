// Strings in base 64, with '-' and '_' for the last two digits, as URLs have it.
//   EncodeBase64: pad completes the last four digits with '='.
//   DecodeBase64: with or without padding; surplus bits of the last digit do not matter.
#include "ops/base64_ops.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

absl::string_view View(std::string_view s) { return {s.data(), s.size()}; }

template <bool kPad>
absl::Status EncodeBase64(KernelCall& c) {
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  for (size_t i = 0; i < strings.size(); ++i) {
    std::string text = absl::WebSafeBase64Escape(View(strings[i]));
    while (kPad && text.size() % 4 != 0) text += '=';
    output->mutable_data<String>()[i] = std::string_view(text);
  }
  return absl::OkStatus();
}

bool IsDigit(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; }

absl::Status DecodeBase64(KernelCall& c) {
  const absl::Span<const String> strings = c.input(0).values<String>();
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kString, c.input(0).dims()));
  for (size_t i = 0; i < strings.size(); ++i) {
    std::string_view digits = strings[i];
    if (digits.size() % 4 == 0) {  // then it may be padded
      for (int k = 0; k < 2 && !digits.empty() && digits.back() == '='; ++k) digits.remove_suffix(1);
    }
    std::string bytes;
    const bool valid = std::all_of(digits.begin(), digits.end(), IsDigit) && digits.size() % 4 != 1;
    if (!valid || !absl::WebSafeBase64Unescape(View(digits), &bytes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("input ", i, ": expected base 64, got '", absl::CHexEscape(View(strings[i]).substr(0, 100)), "'"));
    }
    output->mutable_data<String>()[i] = std::string_view(bytes);
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> EncodeKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool pad, node.Bool("pad"));
  return Kernel{.fn = pad ? &RunKernel<EncodeBase64<true>> : &RunKernel<EncodeBase64<false>>};
}

}  // namespace

absl::Status RegisterBase64Ops(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("EncodeBase64"),
                               .doc = "Strings in base 64",
                               .shape = shapes::SameAsInput,
                               .kernel = EncodeKernel,
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("DecodeBase64"),
                      .doc = "Strings from base 64",
                      .shape = shapes::SameAsInput,
                      .kernel = PlainKernel<DecodeBase64>,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
