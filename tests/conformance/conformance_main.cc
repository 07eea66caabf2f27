// conformance: runs corpus cases, graphs with known answers, and counts which give them.
//
//   conformance --corpus DIR [--filter REGEX] [--threads N | --threads-agree N,N,..] [--jobs N] [--list failed|skipped]
//               [--json FILE] [--known-failures FILE] [--timeout S] [--memory-mib N]
//               [--functional called|as-marked|lowered]
//
// Each case runs in a process of its own. The last line is `N passed, N failed, N skipped`; exit code 1 if any failed.

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/buffer.h"
#include "ops/default_ops.h"
#include "ops/kernels/entropy.h"
#include "re2/re2.h"
#include "tests/conformance/fork_pool.h"
#include "tools/arrays/files.h"
#include "tools/corpus/agreement.h"
#include "tools/corpus/case.h"
#include "tools/corpus/judge.h"

namespace flowlatch {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string corpus;
  std::string filter;
  int threads = 1;
  std::vector<int> agreeing_threads;
  int jobs = 0;
  std::string list;
  std::string json;
  std::string known_failures;
  FunctionalForm functional = FunctionalForm::kAsMarked;
  JobLimits limits;
};

// Cases that are made to break their reader must fail sooner.
constexpr JobLimits kHostileLimits = {2, 1024};

struct Result {
  std::string name;  // folder, from the corpus's own on: "models/x"
  std::string folder;
  Verdict verdict;
  double seconds = 0;
  std::string known;  // why it is known to fail, or ""
};

// Name of a case -> reason. A line is a name, which may leave out leading folders, a space and the reason.
using KnownFailures = std::map<std::string, std::string>;

absl::StatusOr<KnownFailures> ReadKnownFailures(const std::string& path) {
  KnownFailures known;
  if (path.empty()) return known;
  ASSIGN_OR_RETURN(const std::string text, ReadBytes(path));
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    if (line[0] == '#') continue;
    const std::pair<std::string, std::string> entry = absl::StrSplit(line, absl::MaxSplits(' ', 1));
    if (absl::StripAsciiWhitespace(entry.second).empty()) {
      return absl::InvalidArgumentError(absl::StrCat("'", path, "': expected a reason after '", line, "'"));
    }
    known.insert(entry);
  }
  return known;
}

// The list of this folder, which is a runfile of this program; "" where there is none.
std::string DefaultKnownFailures() {
  std::error_code error;
  const std::string program = fs::read_symlink("/proc/self/exe", error).string();
  const std::string path = program + ".runfiles/flowlatch/tests/conformance/known_failures.txt";
  return fs::exists(path, error) ? path : "";
}

std::string FindReason(const KnownFailures& known, std::string_view name) {
  while (true) {
    if (const auto at = known.find(std::string(name)); at != known.end()) return at->second;
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos) return "";
    name.remove_prefix(slash + 1);
  }
}

// An answer crosses from child to parent as lines: outcome, reason, missing things.
std::string Encode(Verdict verdict) {
  std::replace(verdict.reason.begin(), verdict.reason.end(), '\n', ' ');
  std::string text = absl::StrCat(static_cast<int>(verdict.outcome), "\n", verdict.reason.substr(0, 2000));
  for (const std::string& missing : verdict.missing) absl::StrAppend(&text, "\n", missing);
  return text;
}

Verdict Decode(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  Verdict verdict;
  verdict.outcome = static_cast<Outcome>(lines[0][0] - '0');
  if (lines.size() > 1) verdict.reason = lines[1];
  if (lines.size() > 2) verdict.missing.assign(lines.begin() + 2, lines.end());
  return verdict;
}

Verdict RunCase(const std::string& folder, const Options& options, const std::function<void(JobLimits)>& limit) {
  absl::StatusOr<Case> c = LoadCase(folder);
  if (!c.ok()) {
    limit(options.limits);
    return {Outcome::kFailed, std::string(c.status().message()), {}};
  }
  if (!c->empty_folders.empty()) {
    // Their folders are the same for every program that runs the case: one at a time, until this process ends.
    const int lock =
        open((fs::temp_directory_path() / "flowlatch-corpus.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (lock < 0 || flock(lock, LOCK_EX) != 0) return {Outcome::kFailed, "cannot lock its folders", {}};
  }
  JobLimits limits = options.limits;
  if (c->is_hostile) {
    limits.seconds = std::min(limits.seconds, kHostileLimits.seconds);
    limits.memory_mib = std::min(limits.memory_mib, kHostileLimits.memory_mib);
  }
  limit(limits);
  // Cases with random numbers of no seed give the same in every run.
  FixEntropy(1);
  // Sanitizers want all of the address space, so the process's limit does not hold under them; this one does.
  PoolAllocator::Get().set_limit_bytes((limits.memory_mib << 20) / 8 * (c->is_hostile ? 4 : 7));
  SessionOptions session;
  session.threads = options.threads;
  session.functional = options.functional;
  session.log = [](std::string_view) {};
  if (!options.agreeing_threads.empty()) return JudgeAgreement(*c, DefaultOps(), session, options.agreeing_threads);
  return Judge(*c, DefaultOps(), session);
}

// What is missing, by the number of cases that it keeps from running, and of those that miss nothing else.
void PrintMissing(const std::vector<Result>& results) {
  std::map<std::string, std::pair<int, int>> counts;
  for (const Result& result : results) {
    if (result.verdict.outcome != Outcome::kSkipped) continue;
    for (const std::string& missing : result.verdict.missing) {
      ++counts[missing].first;
      counts[missing].second += result.verdict.missing.size() == 1;
    }
  }
  std::vector<std::pair<std::string, std::pair<int, int>>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::printf("%7s %7s  missing\n", "cases", "alone");
  for (const auto& [what, count] : sorted) std::printf("%7d %7d  %s\n", count.first, count.second, what.c_str());
}

absl::Status WriteJson(const std::vector<Result>& results, const std::string& path) {
  static constexpr const char* kNames[] = {"passed", "failed", "skipped"};
  nlohmann::json list = nlohmann::json::array();
  for (const Result& result : results) {
    nlohmann::json entry = {{"case", result.name},
                            {"outcome", kNames[static_cast<int>(result.verdict.outcome)]},
                            {"seconds", result.seconds}};
    if (!result.verdict.reason.empty()) entry["reason"] = result.verdict.reason;
    if (!result.verdict.missing.empty()) entry["missing"] = result.verdict.missing;
    if (!result.known.empty()) entry["known"] = result.known;
    list.push_back(std::move(entry));
  }
  return WriteBytes(path, list.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

absl::StatusOr<std::vector<Result>> SelectCases(const Options& options, const KnownFailures& known) {
  const re2::RE2 filter(options.filter, re2::RE2::Quiet);
  if (!filter.ok()) return absl::InvalidArgumentError("--filter: " + filter.error());
  ASSIGN_OR_RETURN(const std::vector<std::string> folders, FindCases(options.corpus));
  const fs::path root = fs::weakly_canonical(options.corpus);
  std::vector<Result> results;
  for (const std::string& folder : folders) {
    Result result;
    result.folder = fs::absolute(folder).string();
    const fs::path below = fs::weakly_canonical(folder).lexically_relative(root);
    result.name = (below == "." ? root.filename() : root.filename() / below).string();
    if (!re2::RE2::PartialMatch(result.name, filter)) continue;
    result.known = FindReason(known, result.name);
    results.push_back(std::move(result));
  }
  return results;
}

// A folder of its own for each case, so that what a graph writes beside itself does not stay; gone at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "conformance-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) root_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!root_.empty()) fs::remove_all(root_, ignored);
  }
  // Makes the case's folder and goes there.
  void Enter(int index) const {
    std::error_code ignored;
    const fs::path folder = fs::path(root_) / std::to_string(index);
    fs::create_directory(folder, ignored);
    fs::current_path(folder, ignored);
  }

 private:
  std::string root_;
};

absl::StatusOr<int> Run(const Options& options) {
  ASSIGN_OR_RETURN(const KnownFailures known, ReadKnownFailures(options.known_failures));
  ASSIGN_OR_RETURN(std::vector<Result> results, SelectCases(options, known));
  DefaultOps();  // once here rather than in every child
  const bool show_progress = isatty(STDERR_FILENO) != 0;
  const int jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  size_t ended = 0;
  const ScratchFolder scratch;
  RunForked(
      static_cast<int>(results.size()), jobs,
      [&](int i, const std::function<void(JobLimits)>& limit) {
        scratch.Enter(i);
        return Encode(RunCase(results[static_cast<size_t>(i)].folder, options, limit));
      },
      [&](int i, JobEnd end) {
        Result& result = results[static_cast<size_t>(i)];
        result.verdict = end.answered ? Decode(end.answer) : Verdict{Outcome::kFailed, end.problem, {}};
        result.seconds = end.seconds;
        ++ended;
        if (show_progress && (ended % 20 == 0 || ended == results.size())) {
          std::fprintf(stderr, "\r%zu of %zu cases", ended, results.size());
          if (ended == results.size()) std::fputc('\n', stderr);
        }
      });

  constexpr int kShownFailures = 20;
  int counts[3] = {}, known_failures = 0, hidden = 0;
  for (Result& result : results) {
    if (!result.known.empty() && result.verdict.outcome == Outcome::kFailed) {
      ++known_failures;
      ++counts[static_cast<int>(Outcome::kSkipped)];
      continue;
    }
    if (!result.known.empty() && result.verdict.outcome == Outcome::kPassed) {
      result.verdict = {Outcome::kFailed, "passes, but is listed as a known failure: " + result.known, {}};
    }
    const int failures = counts[static_cast<int>(result.verdict.outcome)]++;
    if (result.verdict.outcome != Outcome::kFailed) continue;
    if (options.list == "failed" || failures < kShownFailures) {
      std::printf("FAILED %s: %s\n", result.name.c_str(), result.verdict.reason.c_str());
    } else {
      ++hidden;
    }
  }
  if (hidden > 0) std::printf("... and %d more (--list failed)\n", hidden);
  if (options.list == "skipped") PrintMissing(results);
  if (!options.json.empty()) RETURN_IF_ERROR(WriteJson(results, options.json));
  if (known_failures > 0) std::printf("%d known failures are counted as skipped\n", known_failures);
  std::printf("%d passed, %d failed, %d skipped\n", counts[0], counts[1], counts[2]);
  return counts[1] > 0 ? 1 : 0;
}

int Main(int argc, char** argv) {
  Options options;
  options.known_failures = DefaultKnownFailures();
  CLI::App app("Runs graphs with known answers.");
  app.add_option("--corpus", options.corpus, "Folder with cases below it")->required();
  app.add_option("--filter", options.filter, "Only cases whose names have a match of this regular expression");
  app.add_option("--threads", options.threads, "Threads of each session")->capture_default_str();
  app.add_option("--threads-agree", options.agreeing_threads,
                 "Instead of what was recorded, compare the bits of results with these numbers of threads: 1,2,8")
      ->delimiter(',')
      ->check(CLI::Range(1, 256));
  app.add_option("--jobs", options.jobs, "Cases at a time; 0: one for each processor")->capture_default_str();
  app.add_option("--list", options.list, "failed: all failures; skipped: what is missing, most frequent first")
      ->check(CLI::IsMember({"failed", "skipped"}));
  app.add_option("--json", options.json, "Write all results to this file");
  app.add_option("--known-failures", options.known_failures,
                 "File of cases that may fail, with reasons; default: the one in the tree");
  app.add_option("--timeout", options.limits.seconds, "Seconds for a case")->capture_default_str();
  app.add_option("--memory-mib", options.limits.memory_mib, "Address space for a case")->capture_default_str();
  const std::map<std::string, FunctionalForm> forms = {{"called", FunctionalForm::kCalled},
                                                       {"as-marked", FunctionalForm::kAsMarked},
                                                       {"lowered", FunctionalForm::kLowered}};
  app.add_option("--functional", options.functional, "How functional control flow runs: called, as-marked or lowered")
      ->transform(CLI::CheckedTransformer(forms))
      ->default_str("as-marked");
  CLI11_PARSE(app, argc, argv);
  const absl::StatusOr<int> code = Run(options);
  if (code.ok()) return *code;
  std::fprintf(stderr, "conformance: %s\n", std::string(code.status().message()).c_str());
  return 2;
}

}  // namespace
}  // namespace flowlatch

int main(int argc, char** argv) { return flowlatch::Main(argc, argv); }
