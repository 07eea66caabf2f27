#include "tests/conformance/fork_pool.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifndef FLOWLATCH_SANITIZED
#define FLOWLATCH_SANITIZED 0
#endif

namespace flowlatch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr bool kSanitized = FLOWLATCH_SANITIZED;
// Sanitizers make programs slower, and take memory of their own.
constexpr double kSlowdown = kSanitized ? 8 : 1;
constexpr int64_t kExtraMib = kSanitized ? 1024 : 0;
constexpr size_t kMaxAnswer = 8000;

// What parent and child share.
struct Slot {
  std::atomic<int64_t> limit_mib;
  std::atomic<int> answered;
  double limit_seconds;
  size_t size;
  char answer[kMaxAnswer];
};

struct Running {
  int job = -1;
  pid_t pid = -1;
  int error_file = -1;
  bool over_memory = false;
  Clock::time_point start;
};

void ApplyLimits(const JobLimits& limits, Slot* slot) {
  slot->limit_seconds = limits.seconds * kSlowdown;
  slot->limit_mib = limits.memory_mib + kExtraMib;
  if (!kSanitized) {
    const rlim_t bytes = static_cast<rlim_t>(limits.memory_mib) << 20;
    const rlimit limit = {bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  itimerval timer = {};
  timer.it_value.tv_sec = static_cast<time_t>(slot->limit_seconds);
  timer.it_value.tv_usec =
      static_cast<suseconds_t>((slot->limit_seconds - static_cast<double>(timer.it_value.tv_sec)) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);  // its signal ends the process
}

// The line of standard error that says most: a sanitizer's summary, else its end. As one line.
std::string ErrorText(int file) {
  constexpr size_t kRead = 256 << 10, kShown = 400;
  std::string text(kRead, '\0');
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, pread(file, text.data(), kRead, 0))));
  for (const char* mark : {"SUMMARY: ", "runtime error: "}) {
    if (const size_t at = text.find(mark); at != std::string::npos) return text.substr(at, text.find('\n', at) - at);
  }
  if (text.size() > kShown) text.erase(0, text.size() - kShown);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int64_t ResidentMib(pid_t pid) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/statm", static_cast<int>(pid));
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return 0;
  long long total = 0, resident = 0;
  const int read = std::fscanf(file, "%lld %lld", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident * sysconf(_SC_PAGESIZE) >> 20 : 0;
}

std::string Problem(const Running& running, int status, const Slot& slot) {
  std::string problem;
  if (running.over_memory) {
    problem = "used more than " + std::to_string(slot.limit_mib.load()) + " MiB";
  } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    char text[64];
    std::snprintf(text, sizeof text, "still running after %.3g s", slot.limit_seconds);
    problem = text;
  } else if (WIFSIGNALED(status)) {
    problem =
        std::string("killed by signal ") + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")";
  } else {
    problem = "exited with code " + std::to_string(WEXITSTATUS(status));
  }
  const std::string text = ErrorText(running.error_file);
  return text.empty() ? problem : problem + "; standard error: " + text;
}

}  // namespace

void RunForked(int n, int parallel,
               const std::function<std::string(int, const std::function<void(JobLimits)>& limit)>& job,
               const std::function<void(int, JobEnd)>& done) {
  parallel = std::max(1, std::min(parallel, n));
  void* const memory = mmap(nullptr, sizeof(Slot) * static_cast<size_t>(parallel), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    std::exit(2);
  }
  Slot* const slots = static_cast<Slot*>(memory);
  std::vector<Running> running(static_cast<size_t>(parallel));

  const auto start = [&](int index, size_t at) {
    Slot* const slot = new (&slots[at]) Slot();
    Running& r = running[at];
    r = Running();
    r.job = index;
    r.error_file = memfd_create("stderr", MFD_CLOEXEC);
    r.start = Clock::now();
    std::fflush(nullptr);
    const pid_t parent = getpid();
    r.pid = fork();
    if (r.pid < 0) {
      std::perror("fork");
      std::exit(2);
    }
    if (r.pid > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(2);
    const int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(r.error_file, STDERR_FILENO);
    const rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const std::string answer = job(index, [slot](JobLimits limits) { ApplyLimits(limits, slot); });
    slot->size = std::min(answer.size(), kMaxAnswer);
    std::memcpy(slot->answer, answer.data(), slot->size);
    slot->answered = 1;
    _exit(0);  // without destructors: they have nothing to say, and may wait for threads
  };

  const auto finish = [&](size_t at, int status) {
    Running& r = running[at];
    JobEnd end;
    end.seconds = std::chrono::duration<double>(Clock::now() - r.start).count();
    end.answered = WIFEXITED(status) && WEXITSTATUS(status) == 0 && slots[at].answered == 1;
    if (end.answered) {
      end.answer.assign(slots[at].answer, slots[at].size);
    } else {
      end.problem = Problem(r, status, slots[at]);
    }
    close(r.error_file);
    const int index = r.job;
    r = Running();
    done(index, std::move(end));
  };

  int next = 0, active = 0;
  while (next < n || active > 0) {
    for (size_t at = 0; at < running.size() && next < n; ++at) {
      if (running[at].pid >= 0) continue;
      start(next++, at);
      ++active;
    }
    int status = 0;
    const pid_t pid = waitpid(-1, &status, kSanitized ? WNOHANG : 0);
    if (pid > 0) {
      for (size_t at = 0; at < running.size(); ++at) {
        if (running[at].pid != pid) continue;
        finish(at, status);
        --active;
      }
    } else if (kSanitized) {
      for (size_t at = 0; at < running.size(); ++at) {
        const int64_t limit = running[at].pid >= 0 ? slots[at].limit_mib.load() : 0;
        if (limit == 0 || running[at].over_memory || ResidentMib(running[at].pid) <= limit) continue;
        running[at].over_memory = true;
        kill(running[at].pid, SIGKILL);
      }
      usleep(5000);
    }
  }
  munmap(memory, sizeof(Slot) * static_cast<size_t>(parallel));
}

}  // namespace flowlatch
