// Serialized examples: their messages, what errors call them, and the inputs that say which features are wanted.
#ifndef FLOWLATCH_OPS_KERNELS_EXAMPLES_H_
#define FLOWLATCH_OPS_KERNELS_EXAMPLES_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/parallel.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

using Keys = std::vector<std::string>;

// A vector of `expected` strings. `what` names it in the error. Errors: InvalidArgument for another shape.
absl::StatusOr<Keys> ReadKeyVector(const Tensor& t, int expected, const char* what);
// `n` inputs from `first` on, each a scalar. Errors: InvalidArgument for other shapes.
absl::StatusOr<Keys> ReadScalarKeys(const KernelCall& c, int first, int n, const char* what);

// How errors call each example: "example 3 'name': ". names: null, without elements, or of the shape of serialized.
// Errors: InvalidArgument for other names.
absl::StatusOr<std::vector<std::string>> NamesOfExamples(const Tensor& serialized, const Tensor* names);

// The messages in the strings of `serialized`. `names`: as NamesOfExamples has them. `kind` is what was expected.
// Errors: InvalidArgument for bytes that are no such message.
template <typename Message>
absl::StatusOr<std::vector<Message>> ParseMessages(const KernelCall& c, const Tensor& serialized,
                                                   const std::vector<std::string>& names, const char* kind) {
  const absl::Span<const String> strings = serialized.values<String>();
  std::vector<Message> messages(strings.size());
  std::vector<char> valid(strings.size());
  constexpr double kNsPerMessage = 2000;
  RunLoop(c, static_cast<int64_t>(strings.size()), kNsPerMessage, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const String& bytes = strings[i];
      valid[i] = bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max()) &&
                 messages[i].ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    }
  });
  for (size_t i = 0; i < valid.size(); ++i) {
    if (!valid[i]) return absl::InvalidArgumentError(absl::StrCat(names[i], "expected a serialized ", kind, ", got other bytes"));
  }
  return messages;
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_EXAMPLES_H_
