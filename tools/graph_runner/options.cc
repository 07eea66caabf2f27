#include "tools/graph_runner/options.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <string>

namespace flowlatch {
namespace {

constexpr char kVersion[] = "graph-runner 0.1.0";

// "500ms", "5s", "1.5m"; a bare number is seconds.
std::chrono::milliseconds ParseDuration(const char* flag, const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789.");
  const std::string unit = digits == std::string::npos ? "s" : text.substr(digits);
  const double factor = unit == "ms" ? 1 : unit == "s" ? 1e3 : unit == "m" ? 6e4 : -1;
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || factor < 0 || !(number >= 0 && number < 1e9)) {
    throw CLI::ValidationError(flag, "expected a time such as 500ms, 5s or 2m, got '" + text + "'");
  }
  return std::chrono::milliseconds(static_cast<int64_t>(number * factor));
}

void AddModelOptions(CLI::App* app, ModelOptions* model, bool with_case) {
  if (with_case)
    app->add_option("--case", model->case_folder, "Replay a corpus case instead of a model; files are allowed");
  app->add_option("--tags", model->tags, "Tags of the graph in a SavedModel")->delimiter(',');
  app->add_option("--signature", model->signature, "Signature whose keys name inputs and outputs");
  app->add_option("--init", model->init, "Before the first step: auto, none, or an op to run")->capture_default_str();
  app->add_option("--restore", model->restore, "Checkpoint to restore first, by its prefix");
  app->add_option("--threads", model->threads, "Threads that compute; 0: one for each processor")
      ->check(CLI::NonNegativeNumber);
  app->add_option_function<std::string>(
      "--timeout", [model](const std::string& text) { model->timeout = ParseDuration("--timeout", text); },
      "Time for each step: 500ms, 5s, 2m");
  app->add_flag("!--no-optimize", model->optimize, "Run each node of the pruned graph as it is");
  const std::map<std::string, FunctionalForm> forms = {{"called", FunctionalForm::kCalled},
                                                       {"as-marked", FunctionalForm::kAsMarked},
                                                       {"lowered", FunctionalForm::kLowered}};
  app->add_option("--functional", model->functional,
                  "How If, Case, While and calls of functions run: called, as-marked (what the graph marks for\n"
                  "lowering leaves out what nobody needs) or lowered (to Switch, Merge, Enter and Exit)")
      ->transform(CLI::CheckedTransformer(forms))
      ->default_str("as-marked");
  app->add_flag("--allow-files", model->allow_files, "Let ops read and write files");
  app->add_option("--seed", model->seed, "Of random inputs");
  app->add_option("-i,--input", model->inputs,
                  "NAME=SPEC, repeated; a SPEC is @file.npy, @file.npz[key], @file.json, @image.png,\n"
                  "@raw.bin:f32[1,3], [[1,2],[3,4]]:f32, \"text\", zeros:f32[2,3], ones, range,\n"
                  "uniform(0,1), normal or randint(0,9)")
      ->allow_extra_args(false);
  app->add_option("-o,--output", model->outputs, "NAME or NAME=FILE (.npy, .npz, .json), repeated")
      ->allow_extra_args(false);
  app->add_option("-t,--target", model->targets, "Node to run without fetching anything, repeated")
      ->allow_extra_args(false);
}

void AddShow(CLI::App* app, ShowOptions* show) {
  app->add_option("model", show->path, "GraphDef, MetaGraphDef, SavedModel folder or checkpoint prefix")->required();
  app->add_option("--tags", show->tags, "Tags of the graph in a SavedModel")->delimiter(',');
  app->add_option("--signature", show->signature, "Only this signature");
  app->add_flag("--ops", show->ops, "All ops, by frequency");
  CLI::Option* nodes = app->add_option("--nodes", show->nodes,
                                       "Nodes whose names have a match of this regular expression (default: all)");
  nodes->expected(0, 1);
  app->parse_complete_callback([show, nodes] { show->list_nodes = nodes->count() > 0; });
  app->add_flag("--functions", show->functions, "Functions of the library");
  app->add_flag("--vars", show->variables, "All variables");
  app->add_flag("--unsupported", show->unsupported,
                "Ops and dtypes that cannot run here; exit code 3 if there are any");
  app->add_option("--stage", show->stage, "The graph as it was read, or lowered: without functional ops where that can be")
      ->check(CLI::IsMember({"read", "lowered"}))
      ->capture_default_str();
  app->add_option("--format", show->format, "text, json, dot or pbtxt")
      ->check(CLI::IsMember({"text", "json", "dot", "pbtxt"}))
      ->capture_default_str();
}

void AddBench(CLI::App* app, BenchOptions* bench) {
  app->add_option("model", bench->model.path, "GraphDef, MetaGraphDef or SavedModel folder");
  AddModelOptions(app, &bench->model, true);
  app->add_option("--warmup", bench->warmup, "Runs before timing, or seconds: 10, 2s")->capture_default_str();
  app->add_option("--runs", bench->runs, "Runs to time; 0: as many as --min-time takes")->check(CLI::NonNegativeNumber);
  app->add_option("--min-time", bench->min_time, "Seconds to time for")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--max-time", bench->max_time, "Seconds after which to stop")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--concurrency", bench->concurrency, "Threads that call at once")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app->add_option("--csv", bench->csv, "Write all times in ns to this file");
}

void AddConvert(CLI::App* app, ConvertOptions* convert) {
  app->add_option("from", convert->model.path, "Model of any form")->required();
  app->add_option("to", convert->to, "File to write; its ending says the form. A name with / at its end: a SavedModel")
      ->required();
  app->add_flag("--text", convert->text, "Text, whatever the ending");
  app->add_flag("--saved-model", convert->saved_model, "A SavedModel, whatever the ending");
  app->add_option("--tags", convert->model.tags, "Tags of the graph in a SavedModel")->delimiter(',');
  app->add_option("--restore", convert->model.restore, "Checkpoint with the variables of a SavedModel to write");
  app->add_option("--init", convert->model.init, "Without a checkpoint: auto, none, or an op that sets them")
      ->capture_default_str();
  CLI::Option* freeze = app->add_option("--freeze", convert->model.restore,
                                        "Variables become constants, of a checkpoint or of the SavedModel itself");
  freeze->expected(0, 1);
  app->parse_complete_callback([convert, freeze] { convert->freeze = freeze->count() > 0; });
  app->add_option("--outputs", convert->model.outputs, "What a frozen graph is to give")->delimiter(',');
  app->add_option("--signature", convert->model.signature, "Signature that names the outputs");
}

void AddCkpt(CLI::App* app, CkptOptions* ckpt) {
  app->require_subcommand(1);
  const auto action = [&](const char* name, const char* description, CkptAction value, int num_paths) {
    CLI::App* sub = app->add_subcommand(name, description);
    sub->callback([ckpt, value] { ckpt->action = value; });
    CLI::Option* paths =
        sub->add_option("checkpoints", ckpt->paths, "Prefix, file or directory of a checkpoint")->required();
    if (num_paths > 0) paths->expected(num_paths);
    sub->add_option("--filter", ckpt->filter, "Only tensors whose names have a match of this regular expression");
    return sub;
  };
  CLI::App* ls = action("ls", "Its tensors", CkptAction::kLs, 1);
  ls->add_flag("--stats", ckpt->stats, "Smallest, largest and mean value, and how many are NaN");
  CLI::App* cat = action("cat", "Values of tensors", CkptAction::kCat, 1);
  cat->add_option("-n,--name", ckpt->names, "Tensor, repeated; none: all")->allow_extra_args(false);
  cat->add_flag("--stats", ckpt->stats, "Smallest, largest and mean value, and how many are NaN");
  CLI::App* diff = action("diff", "What differs between two; exit code 4 if anything does", CkptAction::kDiff, 2);
  diff->add_option("--rtol", ckpt->rtol, "Relative tolerance")->capture_default_str();
  diff->add_option("--atol", ckpt->atol, "Absolute tolerance")->capture_default_str();
  action("verify", "Computes all checksums; exit code 3 if anything is broken", CkptAction::kVerify, 1);
  CLI::App* merge = action("merge", "Writes one checkpoint with the tensors of several", CkptAction::kMerge, 0);
  merge->add_option("--to", ckpt->to, "Prefix of the new one")->required();
  merge->add_option("--shards", ckpt->shards, "Its data files")->check(CLI::Range(1, 10000))->capture_default_str();
  CLI::App* to_npz = action("to-npz", "Writes the tensors to a file of NumPy's", CkptAction::kToNpz, 1);
  to_npz->add_option("--to", ckpt->to, "The file")->required();
}

void AddTrain(CLI::App* app, TrainOptions* train) {
  app->add_option("model", train->model.path, "GraphDef, MetaGraphDef or SavedModel folder")->required();
  DataOptions& data = train->data;
  app->add_option("--data", data.path, ".npz, .csv, a record file of Examples, or a folder of record files")->required();
  app->add_option("--feed", data.feeds,
                  "NAME=KEY[,KEY...][:DTYPE][/DIVISOR], repeated: which input takes which column; KEY may end in *.\n"
                  "Without it columns go to the inputs of their names")
      ->allow_extra_args(false);
  app->add_option("--batch", data.batch, "Rows of a step")->check(CLI::PositiveNumber)->capture_default_str();
  app->add_flag("--drop-remainder", data.drop_remainder, "Leave out rows that make no whole batch");
  app->add_flag("--pad", data.pad, "Fill rows of different sizes up with zeros");
  app->add_option("--shuffle", data.shuffle, "Rows from which the next one is drawn; 0: in their order")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("--holdout", data.holdout, "Keep each Kth row for --eval")->check(CLI::Range(2, 1'000'000));
  app->add_option("--epochs", train->epochs, "Times to go through the data")->check(CLI::PositiveNumber)->capture_default_str();
  app->add_option("--steps", train->max_steps, "Steps after which to stop; 0: all")->check(CLI::NonNegativeNumber);
  app->add_option("--train-op", train->train_op, "Node that makes a step")->required();
  app->add_option("--loss", train->loss, "Scalar to show and to write")->required();
  app->add_option("--eval", train->eval, "Scalar to fetch for the rows held back after each epoch, repeated")->allow_extra_args(false);
  app->add_option("--eval-input", train->eval_inputs, "NAME=SPEC, as -i, which is for steps of training alone")->allow_extra_args(false);
  app->add_option("--summary", train->summary, "Folder for what TensorBoard shows");
  app->add_option("--ckpt", train->checkpoints, "Folder for checkpoints");
  app->add_option("--every", train->save_every, "Steps between checkpoints")->check(CLI::PositiveNumber)->capture_default_str();
  app->add_option("--keep", train->keep, "Checkpoints that stay; 0: all")->check(CLI::NonNegativeNumber)->capture_default_str();
  app->add_flag("--resume", train->resume, "Go on from the latest checkpoint that is whole");
  AddModelOptions(app, &train->model, false);
  app->parse_complete_callback([train] { train->data.seed = train->model.seed; });
}

void AddProfile(CLI::App* app, ProfileOptions* profile) {
  app->add_option("model", profile->model.path, "GraphDef, MetaGraphDef or SavedModel folder")->required();
  app->add_option("--by", profile->by, "Rows of the table: op, node or type (the dtype of the first output)")
      ->check(CLI::IsMember({"op", "node", "type"}))
      ->capture_default_str();
  app->add_option("--top", profile->top, "Rows to show")->check(CLI::PositiveNumber)->capture_default_str();
  app->add_option("--warmup", profile->warmup, "Steps before the one that counts")->check(CLI::NonNegativeNumber)->capture_default_str();
  app->add_option("--trace", profile->trace, "Write a trace for chrome://tracing or Perfetto");
  app->add_option("--stepstats", profile->step_stats, "Write a binary RunMetadata");
  app->add_option("--tb", profile->events, "Write the graph and what its nodes took to this folder, for TensorBoard");
  AddModelOptions(app, &profile->model, false);
}

void AddRec(CLI::App* app, RecOptions* rec) {
  app->add_option("action", rec->action, "ls, cat, verify or write")->required()->check(CLI::IsMember({"ls", "cat", "verify", "write"}));
  app->add_option("files", rec->files, "Record files (TFRecord), gzip and zlib too")->required();
  app->add_option("--as", rec->as, "What records are: example, event, raw, or auto: what they look like")
      ->check(CLI::IsMember({"auto", "example", "event", "raw"}))
      ->capture_default_str();
  app->add_option("--first", rec->first, "Records to show; 0: all")->check(CLI::NonNegativeNumber);
  app->add_option("--from", rec->from, "Lines to write: JSON objects of lists for Examples, with --as raw strings");
  app->add_option("--compress", rec->compression, "Of what is written: none, gzip or zlib")
      ->check(CLI::IsMember({"none", "gzip", "zlib"}))
      ->capture_default_str();
}

}  // namespace

bool ParseCommandLine(int argc, char** argv, CommandLine* command, int* exit_code) {
  CLI::App app("Shows, runs, trains, times, converts and compares TensorFlow graphs.", "graph-runner");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.fallthrough();
  app.set_config("--config", "", "File with the same keys as the flags");
  app.footer(
      "Exit codes: 0 ok, 1 run-time error, 2 usage, 3 model invalid or unsupported, 4 outputs differ, 5 timeout, 6 "
      "files.");
  std::string color = "auto";
  app.add_flag("--json", command->global.json, "One JSON document on standard output");
  app.add_flag("-q,--quiet", command->global.quiet, "No warnings");
  app.add_flag("-v,--verbose", command->global.verbose, "More; -vv for still more");
  app.add_option("--color", color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();

  const auto verb = [&](const char* name, const char* description, Verb value) {
    CLI::App* sub = app.add_subcommand(name, description);
    sub->callback([command, value] { command->verb = value; });
    return sub;
  };
  AddShow(verb("show", "What a model is made of, and how to run it", Verb::kShow), &command->show);

  CLI::App* run = verb("run", "Runs a step and prints its outputs", Verb::kRun);
  run->add_option("model", command->run.model.path, "GraphDef, MetaGraphDef or SavedModel folder");
  AddModelOptions(run, &command->run.model, true);
  run->add_option("--steps", command->run.steps, "How often to run")->check(CLI::PositiveNumber)->capture_default_str();
  run->add_flag("--stats", command->run.stats, "Also what each op took, and the frames of loops");
  run->add_flag("--check-numerics", command->run.check_numerics, "Fail at the first node that gives NaN or infinity");
  run->add_option("--save", command->run.save, "Checkpoint to write after the last step, by its prefix");
  run->add_option("--shards", command->run.shards, "Data files of --save")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  run->add_option("--outputs", command->run.outputs_file, "Write all outputs to this npz file");

  AddBench(verb("bench", "Times steps", Verb::kBench), &command->bench);

  CLI::App* ops = verb("ops", "Lists the ops that can run here", Verb::kOps);
  ops->add_option("pattern", command->ops.pattern, "Regular expression for their names");
  ops->add_flag("--markdown", command->ops.markdown, "As a table for documents");
  ops->add_flag("--cpp", command->ops.cpp, "As a C++ header with a function for each op");

  AddConvert(
      verb("convert", "Writes a model in another form: GraphDef, MetaGraphDef, SavedModel, drawing", Verb::kConvert),
      &command->convert);
  AddCkpt(verb("ckpt", "Looks into checkpoints, checks them and puts them together", Verb::kCkpt), &command->ckpt);

  CLI::App* compare =
      verb("compare", "Compares two npz or npy files, checkpoints, or the outputs of two models", Verb::kCompare);
  compare->add_option("a", command->compare.a, "What is compared")->required();
  compare->add_option("b", command->compare.b, "With what")->required();
  compare->add_option("--rtol", command->compare.rtol, "Relative tolerance")->capture_default_str();
  compare->add_option("--atol", command->compare.atol, "Absolute tolerance")->capture_default_str();
  AddModelOptions(compare, &command->compare.model, false);

  CLI::App* grad = verb("grad", "Gradients of a model, built here, and whether differences confirm them", Verb::kGrad);
  grad->add_option("model", command->grad.model.path, "GraphDef, MetaGraphDef or SavedModel folder")->required();
  grad->add_option("--of", command->grad.of, "Output to differentiate (the sum of its elements)")->required();
  grad->add_option("--wrt", command->grad.wrt, "With respect to which tensors")->required()->delimiter(',');
  grad->add_option("--stop", command->grad.stop, "Tensors through which nothing flows")->delimiter(',');
  grad->add_flag("--check", command->grad.check, "Hold them against finite differences; exit code 4 if they differ");
  grad->add_flag("--second", command->grad.second, "The gradient of the sum of the gradients");
  grad->add_option("--tolerance", command->grad.tolerance, "Of --check, relative to the largest")->capture_default_str();
  AddModelOptions(grad, &command->grad.model, false);

  AddTrain(verb("train", "Runs a train op over data, epoch by epoch", Verb::kTrain), &command->train);
  AddProfile(verb("profile", "What a step spends its time on", Verb::kProfile), &command->profile);
  AddRec(verb("rec", "Lists, prints, checks and writes record files", Verb::kRec), &command->rec);

  verb("doctor", "What this machine and this build can do", Verb::kDoctor);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);
    *exit_code = code == 0 ? 0 : 2;
    return false;
  }
  command->global.color =
      color == "always" || (color == "auto" && isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr);
  for (const ModelOptions* model : {&command->run.model, &command->bench.model}) {
    const bool used = command->verb == (model == &command->run.model ? Verb::kRun : Verb::kBench);
    if (!used || model->path.empty() != model->case_folder.empty()) continue;
    std::fputs("graph-runner: expected a model or --case, got ", stderr);
    std::fputs(model->path.empty() ? "neither\n" : "both\n", stderr);
    *exit_code = 2;
    return false;
  }
  return true;
}

}  // namespace flowlatch
