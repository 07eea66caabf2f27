#include "tools/corpus/judge.h"

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/checkpoint/checkpoint_reader.h"
#include "tools/arrays/difference.h"
#include "tools/corpus/own_gradients.h"
#include "tools/corpus/replay.h"

namespace flowlatch {
namespace {

Verdict Failed(std::string reason) { return {Outcome::kFailed, std::move(reason), {}}; }

Verdict Skipped(std::string reason, std::vector<std::string> missing) {
  return {Outcome::kSkipped, std::move(reason), std::move(missing)};
}

std::string Describe(const absl::Status& status) {
  return absl::StrCat(absl::StatusCodeToString(status.code()), ": ", status.message());
}

// INTERNAL and UNKNOWN are slips of TensorFlow's, for which any code is right.
bool AcceptsEveryCode(const ExpectedError& expected) {
  return expected.code == "ANY" || expected.code == "INTERNAL" || expected.code == "UNKNOWN";
}

bool Accepts(const ExpectedError& expected, const absl::Status& status) {
  if (AcceptsEveryCode(expected) || expected.code == absl::StatusCodeToString(status.code())) return true;
  // Where TensorFlow merely lacks a kernel, so may we.
  return expected.optional && absl::IsUnimplemented(status);
}

class Judgement {
 public:
  Judgement(const Case& c, const OpLibrary& library) : case_(c), library_(library) {}

  Verdict Run(const SessionOptions& options) {
    absl::StatusOr<Replay> replay = Replay::Open(case_);
    if (!replay.ok()) return Failed(Describe(replay.status()));
    if (case_.graph_kind == GraphKind::kCheckpoint) return JudgeCheckpoint(*replay);
    if (const absl::Status loaded = replay->Load(library_, options, /*as_tensorflow=*/true); !loaded.ok())
      return JudgeLoadError(loaded);
    if (case_.load_error.has_value() && !case_.load_error->optional && !case_.load_error_may_come_later) {
      // TensorFlow may know an op that we do not, and what is wrong with its inputs.
      std::vector<std::string> missing = OpaqueOps(replay->session().graph());
      if (!missing.empty()) return Skipped("loaded with ops that are missing here", std::move(missing));
      return Failed(absl::StrCat("loaded, expected ", case_.load_error->code));
    }
    for (size_t i = 0; i < case_.steps.size(); ++i) {
      Verdict verdict = JudgeStep(*replay, case_.steps[i]);
      if (verdict.outcome == Outcome::kPassed) continue;
      verdict.reason = absl::StrCat("step ", i, ": ", verdict.reason);
      return verdict;
    }
    return {};
  }

 private:
  // "op X" for each op that has no kernel here.
  static std::vector<std::string> OpaqueOps(const Graph& graph) {
    std::set<std::string> ops;
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      if (graph.node(id).schema->is_opaque()) ops.insert("op " + graph.node(id).op());
    }
    return {ops.begin(), ops.end()};
  }

  // "op X" for each op that the case needs and that is not registered here.
  std::vector<std::string> MissingOps() const {
    std::vector<std::string> missing;
    for (const std::string& op : case_.ops) {
      const bool is_op = op != "function call";  // any function of the graph's
      if (is_op && library_.registry().FindRegistered(op) == nullptr) missing.push_back("op " + op);
    }
    return missing;
  }

  // That an op is missing is no answer to a case about what the op refuses, whatever code it accepts.
  bool IsExpected(const std::optional<ExpectedError>& expected, const absl::Status& error) const {
    if (!expected.has_value() || !Accepts(*expected, error)) return false;
    return !absl::IsUnimplemented(error) || MissingOps().empty();
  }

  // An error that nothing asked for.
  Verdict Unexpected(const absl::Status& error) const {
    if (!absl::IsUnimplemented(error)) return Failed(Describe(error));
    std::vector<std::string> missing = MissingOps();
    if (missing.empty()) missing.emplace_back(error.message());
    return Skipped(Describe(error), std::move(missing));
  }

  Verdict JudgeLoadError(const absl::Status& error) const {
    if (IsExpected(case_.load_error, error)) return {};
    // What a step cannot do, a loader may know before.
    for (const CaseStep& step : case_.steps) {
      if (IsExpected(step.error, error)) return {};
    }
    Verdict verdict = Unexpected(error);
    verdict.reason = "load: " + verdict.reason;
    return verdict;
  }

  // Opens it, reads what the case asks for, and compares what it says to be there.
  Verdict JudgeCheckpoint(const Replay& replay) const {
    const absl::StatusOr<std::unique_ptr<CheckpointReader>> reader =
        CheckpointReader::Open(replay.spec().folder + "/" + case_.graph);
    if (!reader.ok()) return JudgeLoadError(reader.status());
    for (const RecordedTensor& probe : case_.probes) {
      absl::Status status = (*reader)->Expect(probe.name, probe.dtype.value_or(DType::kInvalid)).status();
      if (status.ok()) status = (*reader)->Read(probe.name).status();
      if (!status.ok()) return JudgeLoadError(status);
    }
    if (case_.load_error.has_value() && !case_.load_error->optional) {
      return Failed(absl::StrCat("could be read, expected ", case_.load_error->code));
    }
    for (const RecordedTensor& wanted : case_.tensors) {
      const absl::StatusOr<Tensor> tensor = (*reader)->Read(wanted.name);
      const std::string difference = tensor.ok() ? Judge(replay, wanted, *tensor) : Describe(tensor.status());
      if (!difference.empty()) return Failed(absl::StrCat(wanted.name, ": ", difference));
    }
    return {};
  }

  Verdict JudgeStep(const Replay& replay, const CaseStep& step) const {
    const absl::StatusOr<std::vector<Tensor>> results = replay.Run(step);
    if (!results.ok()) {
      const bool last = &step == &case_.steps.back();
      if (IsExpected(step.error, results.status())) return {};
      if (last && case_.load_error_may_come_later && IsExpected(case_.load_error, results.status())) return {};
      Verdict verdict = Unexpected(results.status());
      if (step.error.has_value()) absl::StrAppend(&verdict.reason, " (expected ", step.error->code, ")");
      return verdict;
    }
    if (step.error.has_value()) {
      return step.error->optional ? Verdict() : Failed(absl::StrCat("ran, expected ", step.error->code));
    }
    for (size_t i = 0; i < step.fetches.size(); ++i) {
      const std::string difference = Judge(replay, step.fetches[i], (*results)[i]);
      if (!difference.empty()) return Failed(absl::StrCat(step.fetches[i].name, ": ", difference));
    }
    return {};
  }

  // What is wrong with a value, or "".
  std::string Judge(const Replay& replay, const RecordedTensor& fetch, const Tensor& got) const {
    if (!fetch.key.has_value() || case_.compare == CompareMode::kError || case_.compare == CompareMode::kNone)
      return "";
    const absl::StatusOr<Tensor> want = replay.Recorded(fetch);
    if (!want.ok()) return Describe(want.status());
    const Difference difference = Compare(got, *want, {case_.rtol, case_.atol});
    return case_.compare == CompareMode::kShapes && difference.count > 0 ? "" : difference.reason;
  }

  const Case& case_;
  const OpLibrary& library_;
};

}  // namespace

Verdict Judge(const Case& c, const OpLibrary& library, const SessionOptions& options) {
  Verdict verdict = Judgement(c, library).Run(options);
  return verdict.outcome == Outcome::kPassed && !c.gradients.empty() ? JudgeGradients(c, library, options) : verdict;
}

}  // namespace flowlatch
