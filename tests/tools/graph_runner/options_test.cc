#include "tools/graph_runner/options.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace flowlatch {
namespace {

// Exit code of a line that ends at once, or -1 for one that goes on with `command`.
int Parse(std::vector<std::string> args, CommandLine* command) {
  args.insert(args.begin(), "graph-runner");
  std::vector<char*> argv;
  for (std::string& arg : args) argv.push_back(arg.data());
  int exit_code = -1;
  return ParseCommandLine(static_cast<int>(argv.size()), argv.data(), command, &exit_code) ? -1 : exit_code;
}

TEST(OptionsTest, RunTakesItsInputsAndOutputsOneByOne) {
  CommandLine command;
  ASSERT_EQ(Parse({"run", "-i", "x=[[1,2],[3,4]]:f32", "-i", "s=\"a b\"", "-o", "y", "m.pb", "-o", "z=z.npy", "-t",
                   "step", "--timeout", "1.5s", "--threads", "2", "--no-optimize", "--json", "--functional", "lowered"},
                  &command),
            -1);
  EXPECT_EQ(command.verb, Verb::kRun);
  EXPECT_EQ(command.run.model.path, "m.pb");
  EXPECT_EQ(command.run.model.inputs, (std::vector<std::string>{"x=[[1,2],[3,4]]:f32", "s=\"a b\""}));
  EXPECT_EQ(command.run.model.outputs, (std::vector<std::string>{"y", "z=z.npy"}));
  EXPECT_EQ(command.run.model.targets, std::vector<std::string>{"step"});
  EXPECT_EQ(command.run.model.timeout.count(), 1500);
  EXPECT_EQ(command.run.model.threads, 2);
  EXPECT_FALSE(command.run.model.optimize);
  EXPECT_EQ(command.run.model.functional, FunctionalForm::kLowered);
  EXPECT_TRUE(command.global.json);
}

TEST(OptionsTest, BenchOfACase) {
  CommandLine command;
  ASSERT_EQ(Parse({"bench", "--case", "dir", "--threads", "1", "--min-time", "0.4", "--json"}, &command), -1);
  EXPECT_EQ(command.verb, Verb::kBench);
  EXPECT_EQ(command.bench.model.case_folder, "dir");
  EXPECT_EQ(command.bench.min_time, 0.4);
}

TEST(OptionsTest, TrainTakesDataAndNames) {
  CommandLine command;
  ASSERT_EQ(Parse({"train", "m.pb", "--data", "d.npz", "--feed", "x=images/16", "--feed", "y=labels", "--train-op", "train", "--loss", "loss",
                   "--epochs", "3", "--holdout", "5", "--eval", "accuracy", "--seed", "7", "--ckpt", "dir", "--every", "10", "--resume"},
                  &command),
            -1);
  EXPECT_EQ(command.verb, Verb::kTrain);
  EXPECT_EQ(command.train.data.feeds, (std::vector<std::string>{"x=images/16", "y=labels"}));
  EXPECT_EQ(command.train.data.seed, 7u);
  EXPECT_EQ(command.train.data.holdout, 5);
  EXPECT_EQ(command.train.epochs, 3);
  EXPECT_EQ(command.train.save_every, 10);
  EXPECT_TRUE(command.train.resume);
}

TEST(OptionsTest, ProfileAndRec) {
  CommandLine command;
  ASSERT_EQ(Parse({"profile", "m.pb", "--by", "node", "--trace", "t.json"}, &command), -1);
  EXPECT_EQ(command.profile.by, "node");
  EXPECT_EQ(command.profile.trace, "t.json");
  ASSERT_EQ(Parse({"rec", "verify", "a.tfrecord", "b.tfrecord"}, &command), -1);
  EXPECT_EQ(command.verb, Verb::kRec);
  EXPECT_EQ(command.rec.action, "verify");
  EXPECT_EQ(command.rec.files.size(), 2u);
}

TEST(OptionsTest, NodesMayHaveAPatternOrNone) {
  CommandLine with, without;
  ASSERT_EQ(Parse({"show", "m.pb", "--nodes", "^a"}, &with), -1);
  EXPECT_EQ(with.show.nodes, "^a");
  EXPECT_TRUE(with.show.list_nodes);
  ASSERT_EQ(Parse({"show", "m.pb", "--nodes"}, &without), -1);
  EXPECT_EQ(without.show.nodes, "");
  EXPECT_TRUE(without.show.list_nodes);
  EXPECT_EQ(without.show.stage, "read");
}

TEST(OptionsTest, Ckpt) {
  CommandLine ls, diff, merge;
  ASSERT_EQ(Parse({"ckpt", "ls", "m", "--filter", "^a", "--stats"}, &ls), -1);
  EXPECT_EQ(ls.verb, Verb::kCkpt);
  EXPECT_EQ(ls.ckpt.action, CkptAction::kLs);
  EXPECT_EQ(ls.ckpt.filter, "^a");
  EXPECT_TRUE(ls.ckpt.stats);
  ASSERT_EQ(Parse({"ckpt", "diff", "m", "n", "--atol", "0.5", "--json"}, &diff), -1);
  EXPECT_EQ(diff.ckpt.action, CkptAction::kDiff);
  EXPECT_EQ(diff.ckpt.paths, (std::vector<std::string>{"m", "n"}));
  EXPECT_TRUE(diff.global.json);
  ASSERT_EQ(Parse({"ckpt", "merge", "a", "b", "c", "--to", "d", "--shards", "3"}, &merge), -1);
  EXPECT_EQ(merge.ckpt.action, CkptAction::kMerge);
  EXPECT_EQ(merge.ckpt.paths.size(), 3u);
  EXPECT_EQ(merge.ckpt.to, "d");
  EXPECT_EQ(merge.ckpt.shards, 3);
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"ckpt"}, {"ckpt", "ls"}, {"ckpt", "diff", "m"}, {"ckpt", "merge", "m"}, {"ckpt", "to-npz", "m"}}) {
    CommandLine command;
    EXPECT_EQ(Parse(line, &command), 2) << line.back();
  }
}

TEST(OptionsTest, ConvertFreezes) {
  CommandLine own, other, none;
  ASSERT_EQ(Parse({"convert", "s", "f.pb", "--freeze", "--outputs", "a,b"}, &own), -1);
  EXPECT_TRUE(own.convert.freeze);
  EXPECT_EQ(own.convert.model.restore, "");
  EXPECT_EQ(own.convert.model.outputs, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(Parse({"convert", "s", "f.pb", "--freeze", "m"}, &other), -1);
  EXPECT_TRUE(other.convert.freeze);
  EXPECT_EQ(other.convert.model.restore, "m");
  ASSERT_EQ(Parse({"convert", "s", "t/"}, &none), -1);
  EXPECT_FALSE(none.convert.freeze);
}

TEST(OptionsTest, MistakesAreUsageErrors) {
  const std::vector<std::vector<std::string>> lines = {
      {},
      {"fly"},
      {"train", "m.pb", "--data", "d.npz"},
      {"train", "m.pb", "--data", "d.npz", "--train-op", "t", "--loss", "l", "--batch", "0"},
      {"profile", "m.pb", "--by", "colour"},
      {"rec", "eat", "a.tfrecord"},
      {"show", "m.pb", "--stage", "molten"},
      {"run", "m.pb", "--functional", "half"},
      {"show"},
      {"run"},
      {"run", "m.pb", "--case", "dir"},
      {"run", "m.pb", "--threads", "-1"},
      {"run", "m.pb", "--timeout", "soon"},
      {"run", "m.pb", "--no-such-flag"},
      {"show", "m.pb", "--format", "png"},
      {"bench", "m.pb", "--concurrency", "0"},
      {"convert", "a.pb"},
  };
  for (const auto& line : lines) {
    CommandLine command;
    EXPECT_EQ(Parse(line, &command), 2) << testing::PrintToString(line);
  }
}

TEST(OptionsTest, HelpAndVersionEndWell) {
  CommandLine command;
  EXPECT_EQ(Parse({"--help"}, &command), 0);
  EXPECT_EQ(Parse({"run", "--help"}, &command), 0);
  EXPECT_EQ(Parse({"--version"}, &command), 0);
}

}  // namespace
}  // namespace flowlatch
