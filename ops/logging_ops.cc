// Ops with an effect on people rather than on values.
//   Print: passes input on, and writes message and data to the step's log; at most first_n times (-1: always).
//   PrintV2: writes a string and `end` to stdout, stderr or a log, or appends it to the file of "file://path", if the
//            session allows files.
//   Assert: fails with InvalidArgument and data in the message unless condition is true.
//   Abort: ends the step with Aborted, never the process that the graph runs in, whatever exit_without_error says.
//   NoOp: nothing; control edges hang on it.
#include "ops/logging_ops.h"

#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/tensor_text.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

// Writes to the step's log, or else to `file`.
void Write(const KernelCall& c, const std::string& text, std::FILE* file) {
  if (const auto& log = c.step().services().log) {
    log(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
  }
}

// "[text of input] [text of the next]": inputs [first, ..).
std::string InputsText(const KernelCall& c, int first, int64_t summarize, const char* separator) {
  std::string text;
  for (int i = first; i < c.num_inputs(); ++i) {
    absl::StrAppend(&text, i > first ? separator : "", "[", LeadingElementsText(c.input(i), summarize), "]");
  }
  return text;
}

// ---- Print

class PrintState : public KernelState {
 public:
  PrintState(std::string message, int64_t first_n, int64_t summarize)
      : message(std::move(message)), first_n(first_n), summarize(summarize) {}
  // Whether this call is among the first n.
  bool Counts() const {
    if (first_n < 0) return true;
    int64_t seen = printed_.load(std::memory_order_relaxed);
    while (seen < first_n && !printed_.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed)) {
    }
    return seen < first_n;
  }
  const std::string message;
  const int64_t first_n, summarize;

 private:
  mutable std::atomic<int64_t> printed_{0};
};

absl::Status Print(KernelCall& c) {
  const PrintState& state = c.state<PrintState>();
  if (state.Counts()) Write(c, absl::StrCat(state.message, InputsText(c, 1, state.summarize, ""), "\n"), stderr);
  c.SetOutput(0, c.input(0));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> PrintKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::string message, node.Str("message"));
  ASSIGN_OR_RETURN(const int64_t first_n, node.Int("first_n"));
  ASSIGN_OR_RETURN(const int64_t summarize, node.Int("summarize"));
  return Kernel{.fn = &RunKernel<Print>, .state = std::make_shared<PrintState>(std::move(message), first_n, summarize)};
}

// ---- PrintV2

class PrintV2State : public KernelState {
 public:
  PrintV2State(std::string stream, std::string end) : stream(std::move(stream)), end(std::move(end)) {}
  const std::string stream, end;
};

constexpr char kFilePrefix[] = "file://";

bool IsLog(const std::string& stream) {
  return stream == "log(info)" || stream == "log(warning)" || stream == "log(error)";
}

absl::Status AppendToFile(const KernelCall& c, const std::string& path, const std::string& text) {
  if (!c.step().services().allow_files) {
    return absl::PermissionDeniedError("output_stream: expected a stream, as the session allows no files, got a file");
  }
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << text << std::flush;
  if (file.good()) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("output_stream: expected a file that can be written, got '", path, "'"));
}

absl::Status PrintV2(KernelCall& c) {
  const Tensor& input = c.input(0);
  if (!input.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("input: expected a scalar, got shape ", input.ShapeString()));
  }
  const PrintV2State& state = c.state<PrintV2State>();
  const std::string line(input.scalar<String>().view());
  if (absl::StartsWith(state.stream, kFilePrefix)) {
    return AppendToFile(c, state.stream.substr(sizeof kFilePrefix - 1), line + state.end);
  }
  Write(c, line + (IsLog(state.stream) ? "\n" : state.end), state.stream == "stdout" ? stdout : stderr);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> PrintV2Kernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::string stream, node.Str("output_stream"));
  ASSIGN_OR_RETURN(std::string end, node.Str("end"));
  if (stream != "stdout" && stream != "stderr" && !IsLog(stream) && !absl::StartsWith(stream, kFilePrefix)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "output_stream: expected stdout, stderr, log(info), log(warning), log(error) or file://path, got '", stream, "'"));
  }
  return Kernel{.fn = &RunKernel<PrintV2>, .state = std::make_shared<PrintV2State>(std::move(stream), std::move(end))};
}

// ---- Assert

class AssertState : public KernelState {
 public:
  explicit AssertState(int64_t summarize) : summarize(summarize) {}
  const int64_t summarize;
};

absl::Status Assert(KernelCall& c) {
  const Tensor& condition = c.input(0);
  if (!condition.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("condition: expected a scalar, got shape ", condition.ShapeString()));
  }
  if (condition.scalar<bool>()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("assertion failed: ", InputsText(c, 1, c.state<AssertState>().summarize, " ")));
}

absl::StatusOr<Kernel> AssertKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const int64_t summarize, node.Int("summarize"));
  return Kernel{.fn = &RunKernel<Assert>, .state = std::make_shared<AssertState>(summarize)};
}

absl::Status AssertShape(ShapeContext& c) { return c.ExpectScalar(0); }

// ---- Abort, NoOp

class AbortState : public KernelState {
 public:
  explicit AbortState(std::string message) : message(std::move(message)) {}
  const std::string message;
};

absl::Status Abort(KernelCall& c) {
  const std::string& message = c.state<AbortState>().message;
  return absl::AbortedError(message.empty() ? "the graph ends the step" : absl::StrCat("the graph ends the step: ", message));
}

absl::StatusOr<Kernel> AbortKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(std::string message, node.Str("error_msg"));
  return Kernel{.fn = &RunKernel<Abort>, .state = std::make_shared<AbortState>(std::move(message))};
}

absl::Status NoOp(KernelCall&) { return absl::OkStatus(); }

}  // namespace

absl::Status RegisterLoggingOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({
      .signature = "Print(input: T, data: U) -> (output: T); T: type; U: list(type) >= 0; message: string = \"\"; "
                   "first_n: int = -1; summarize: int = 3; stateful",
      .doc = "passes input on and logs a message with data",
      .shape = shapes::SameAsInput,
      .kernel = PrintKernel,
      .gradient = gradients::Identity,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "PrintV2(input: string) -> (); output_stream: string = \"stderr\"; end: string = \"\\n\"; stateful",
      .doc = "writes a string to a stream",
      .shape = [](ShapeContext& c) { return c.ExpectScalar(0); },
      .kernel = PrintV2Kernel,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Assert(condition: bool, data: T) -> (); T: list(type) >= 1; summarize: int = 3; stateful",
      .doc = "fails with data in the message unless condition is true",
      .shape = AssertShape,
      .kernel = AssertKernel,
      .gradient = gradients::None,
  }));
  RETURN_IF_ERROR(library.Add({
      .signature = "Abort() -> (); error_msg: string = \"\"; exit_without_error: bool = false",
      .doc = "ends the step with an error",
      .shape = shapes::NoOutputs,
      .kernel = AbortKernel,
  }));
  return library.Add({
      .signature = "NoOp() -> ()",
      .doc = "does nothing",
      .shape = shapes::NoOutputs,
      .kernel = PlainKernel<NoOp>,
  });
}

}  // namespace flowlatch
