#include "tools/corpus/agreement.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "tools/arrays/difference.h"
#include "tools/corpus/replay.h"

namespace flowlatch {
namespace {

using Results = std::vector<absl::StatusOr<std::vector<Tensor>>>;  // of each step, up to the first that fails

absl::StatusOr<Results> RunAll(const Case& c, const OpLibrary& library, SessionOptions options, int threads) {
  options.threads = threads;
  ASSIGN_OR_RETURN(Replay replay, Replay::Open(c));
  RETURN_IF_ERROR(replay.Load(library, std::move(options), /*as_tensorflow=*/true));
  Results results;
  for (const CaseStep& step : c.steps) {
    results.push_back(replay.Run(step));
    if (!results.back().ok()) break;
  }
  return results;
}

// How the bits of two tensors differ, or "".
std::string CompareBits(const Tensor& a, const Tensor& b) {
  if (!a.has_value() || !b.has_value()) return a.has_value() == b.has_value() ? "" : "a value and none";
  if (std::string reason = Compare(a, b, {}).reason; !reason.empty()) return reason;
  if (IsObjectDType(a.dtype()) || a.size_bytes() == 0) return "";
  const bool same = std::memcmp(a.raw_data(), b.raw_data(), static_cast<size_t>(a.size_bytes())) == 0;
  return same ? "" : "equal values of other bits";
}

std::string CompareSteps(const Case& c, const Results& a, const Results& b) {
  if (a.size() != b.size()) return absl::StrCat(a.size(), " and ", b.size(), " steps until one failed");
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].ok() != b[i].ok()) return absl::StrCat("step ", i, ": ", (a[i].ok() ? b[i] : a[i]).status().message());
    for (size_t j = 0; a[i].ok() && j < a[i]->size(); ++j) {
      const std::string difference = CompareBits((*a[i])[j], (*b[i])[j]);
      if (!difference.empty()) return absl::StrCat("step ", i, ": ", c.steps[i].fetches[j].name, ": ", difference);
    }
  }
  return "";
}

}  // namespace

Verdict JudgeAgreement(const Case& c, const OpLibrary& library, const SessionOptions& options,
                       absl::Span<const int> threads) {
  if (c.compare != CompareMode::kValues || c.graph_kind == GraphKind::kCheckpoint) {
    return {Outcome::kSkipped, "no values to agree on", {"values"}};
  }
  const absl::StatusOr<Results> first = RunAll(c, library, options, threads[0]);
  for (const int n : threads.subspan(1)) {
    const absl::StatusOr<Results> other = RunAll(c, library, options, n);
    std::string difference;
    if (first.ok() && other.ok()) {
      difference = CompareSteps(c, *first, *other);
    } else if (first.ok() != other.ok()) {
      difference = absl::StrCat("load: ", (first.ok() ? other : first).status().message());
    }
    if (!difference.empty()) {
      return {Outcome::kFailed, absl::StrCat("with ", threads[0], " and ", n, " threads: ", difference), {}};
    }
  }
  return {};
}

}  // namespace flowlatch
