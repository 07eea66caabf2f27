// A line on the terminal that says how far something long has come.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_PROGRESS_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_PROGRESS_H_

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace flowlatch {

// Writes to standard error, and only if that is a terminal. The line goes when the object does.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted) : shown_(wanted && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // text: makes the line; called only when it is time to show another one, ten times a second.
  template <typename Text>
  void Update(const Text& text) {
    if (!shown_) return;
    const Clock::time_point now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    written_ = true;
    std::fprintf(stderr, "\r\x1b[K%s", std::string(text()).c_str());
    std::fflush(stderr);
  }
  void Clear() {
    if (written_) std::fputs("\r\x1b[K", stderr);
    written_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const bool shown_;
  bool written_ = false;
  Clock::time_point last_ = Clock::now();
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_PROGRESS_H_
