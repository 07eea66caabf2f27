#include "tests/conformance/fork_pool.h"

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

// Runs one job and returns how it ended.
JobEnd RunOne(const std::function<std::string(const std::function<void(JobLimits)>&)>& job) {
  JobEnd result;
  RunForked(
      1, 1, [&](int, const std::function<void(JobLimits)>& limit) { return job(limit); },
      [&](int, JobEnd end) { result = std::move(end); });
  return result;
}

TEST(ForkPoolTest, EveryJobAnswersOnce) {
  std::map<int, std::string> answers;
  RunForked(
      50, 4,
      [](int i, const std::function<void(JobLimits)>& limit) {
        limit({});
        return "answer " + std::to_string(i);
      },
      [&](int i, JobEnd end) {
        EXPECT_TRUE(end.answered) << end.problem;
        EXPECT_EQ(answers.count(i), 0u);
        answers[i] = end.answer;
      });
  ASSERT_EQ(answers.size(), 50u);
  EXPECT_EQ(answers[49], "answer 49");
}

TEST(ForkPoolTest, NothingToDo) {
  RunForked(
      0, 4, [](int, const std::function<void(JobLimits)>&) { return ""; }, [](int, JobEnd) { FAIL(); });
}

TEST(ForkPoolTest, ACrashHarmsNobodyElse) {
  int crashed = 0, answered = 0;
  RunForked(
      10, 2,
      [](int i, const std::function<void(JobLimits)>& limit) {
        limit({});
        if (i % 2 == 0) {
          std::fprintf(stderr, "last words\n");
          std::signal(SIGSEGV, SIG_DFL);
          std::raise(SIGSEGV);
        }
        return std::string("fine");
      },
      [&](int, JobEnd end) {
        answered += end.answered;
        if (end.answered) return;
        ++crashed;
        EXPECT_NE(end.problem.find("signal 11"), std::string::npos) << end.problem;
        EXPECT_NE(end.problem.find("last words"), std::string::npos) << end.problem;
      });
  EXPECT_EQ(crashed, 5);
  EXPECT_EQ(answered, 5);
}

TEST(ForkPoolTest, AJobThatDoesNotEndIsEnded) {
  const JobEnd end = RunOne([](const std::function<void(JobLimits)>& limit) {
    limit({.seconds = 0.05});
    while (true) pause();
    return std::string();
  });
  EXPECT_FALSE(end.answered);
  EXPECT_EQ(end.problem.substr(0, 13), "still running");
}

TEST(ForkPoolTest, AJobThatTakesTooMuchMemoryIsEnded) {
  const JobEnd end = RunOne([](const std::function<void(JobLimits)>& limit) {
    limit({.seconds = 30, .memory_mib = 512});
    std::vector<char*> blocks;
    while (true) {
      char* block = static_cast<char*>(std::malloc(64 << 20));
      if (block == nullptr) std::abort();
      std::memset(block, 1, 64 << 20);
      blocks.push_back(block);
    }
    return std::string();
  });
  EXPECT_FALSE(end.answered);
  EXPECT_NE(end.problem, "");
}

TEST(ForkPoolTest, AnExitIsNoAnswer) {
  const JobEnd end = RunOne([](const std::function<void(JobLimits)>& limit) -> std::string {
    limit({});
    _exit(0);
  });
  EXPECT_FALSE(end.answered);
  EXPECT_EQ(end.problem, "exited with code 0");
}

TEST(ForkPoolTest, LongAnswersAreCut) {
  const JobEnd end = RunOne([](const std::function<void(JobLimits)>& limit) {
    limit({});
    return std::string(100000, 'x');
  });
  EXPECT_TRUE(end.answered);
  EXPECT_LT(end.answer.size(), 100000u);
}

}  // namespace
}  // namespace flowlatch
