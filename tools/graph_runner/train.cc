#include "tools/graph_runner/train.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "flowlatch/proto/summary.pb.h"
#include "graph/base/status_macros.h"
#include "graph/io/graph_def.h"
#include "runtime/events/event_writer.h"
#include "runtime/events/summaries.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/graph_facts.h"
#include "tools/graph_runner/opened_model.h"
#include "tools/graph_runner/plot.h"
#include "tools/graph_runner/progress.h"
#include "tools/graph_runner/table.h"
#include "tools/graph_runner/text.h"
#include "tools/graph_runner/training_checkpoints.h"
#include "tools/graph_runner/training_data.h"

namespace flowlatch {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// One prepared step: what the command line feeds each time, then a batch.
struct BatchStep {
  Callable callable;
  std::vector<Tensor> fixed_inputs;
  std::vector<std::string> labels;  // of the fetches
};

absl::StatusOr<BatchStep> PrepareStep(const OpenedModel& opened, ModelOptions options, std::vector<std::string> outputs,
                                      std::vector<std::string> targets, const std::vector<std::string>& batch_inputs) {
  options.outputs = std::move(outputs);
  options.targets = std::move(targets);
  ASSIGN_OR_RETURN(StepRequest request, ResolveStep(opened, options, false));
  request.feeds.insert(request.feeds.end(), batch_inputs.begin(), batch_inputs.end());
  BatchStep step;
  ASSIGN_OR_RETURN(step.callable, opened.session->Prepare(request.feeds, request.fetches, request.targets));
  step.fixed_inputs = std::move(request.inputs);
  step.labels = std::move(request.labels);
  return step;
}

// Placeholders that no -i feeds.
std::vector<PortReport> OpenInputs(const Graph& graph, const std::vector<std::string>& inputs) {
  std::set<std::string> fed;
  for (const std::string& input : inputs) {
    const std::string name = input.substr(0, input.find('='));
    fed.insert(name.substr(0, name.rfind(":0")));
  }
  std::vector<PortReport> open;
  for (PortReport& input : GraphInputs(graph)) {
    if (const size_t port = input.name.rfind(":0"); port != std::string::npos) input.name.resize(port);
    if (!fed.contains(input.name)) open.push_back(std::move(input));
  }
  return open;
}

// Numbers of steps, weighted by their rows.
class Means {
 public:
  void Add(const std::vector<double>& values, int64_t rows) {
    sums_.resize(std::max(sums_.size(), values.size()));
    for (size_t i = 0; i < values.size(); ++i) sums_[i] += values[i] * static_cast<double>(rows);
    rows_ += rows;
  }
  std::vector<double> Get() const {
    std::vector<double> means = sums_;
    for (double& mean : means) mean /= static_cast<double>(rows_);
    return means;
  }

 private:
  std::vector<double> sums_;
  int64_t rows_ = 0;
};

// Keeps what the graph computes in view: event files, and the state of training in checkpoints.
class Trainer {
 public:
  Trainer(const TrainOptions& options, const GlobalOptions& global, OpenedModel opened)
      : options_(options), opened_(std::move(opened)), progress_(!global.quiet) {}

  absl::StatusOr<TrainReport> Run() {
    RETURN_IF_ERROR(Open());
    const Clock::time_point start = Clock::now();
    for (int64_t epoch = 0; epoch < options_.epochs && !Enough(); ++epoch) RETURN_IF_ERROR(RunEpoch(epoch, start));
    RETURN_IF_ERROR(Save());
    if (events_ != nullptr) RETURN_IF_ERROR(WithExit(ExitCode::kFiles, events_->Close()));
    report_.seconds = SecondsSince(start);
    return std::move(report_);
  }

 private:
  absl::Status Open() {
    const Graph& graph = opened_.session->graph();
    ASSIGN_OR_RETURN(data_, OpenTrainingData(options_.data, OpenInputs(graph, options_.model.inputs), Rows::kTraining));
    std::vector<std::string> outputs = {options_.loss};
    outputs.insert(outputs.end(), options_.model.outputs.begin(), options_.model.outputs.end());
    ASSIGN_OR_RETURN(step_, PrepareStep(opened_, options_.model, outputs, {options_.train_op}, data_.inputs));
    if (!options_.eval.empty()) {
      ModelOptions eval = options_.model;
      eval.inputs = options_.eval_inputs;
      DataOptions held_back = options_.data;
      if (held_back.holdout == 0) {
        return WithExit(ExitCode::kUsage, absl::InvalidArgumentError("--eval: expected --holdout K, got no rows held back"));
      }
      ASSIGN_OR_RETURN(eval_data_, OpenTrainingData(held_back, OpenInputs(graph, eval.inputs), Rows::kHeldBack));
      ASSIGN_OR_RETURN(eval_step_, PrepareStep(opened_, eval, options_.eval, {}, eval_data_.inputs));
      report_.eval_columns = eval_step_.labels;
    }
    RETURN_IF_ERROR(OpenCheckpoints());
    return WithExit(ExitCode::kFiles, OpenEvents());
  }

  absl::Status OpenCheckpoints() {
    ASSIGN_OR_RETURN(checkpoints_, TrainingCheckpoints::Open(options_, *opened_.session));
    if (checkpoints_ == nullptr) return absl::OkStatus();
    report_.restored = checkpoints_->restored();
    report_.first_step = checkpoints_->saved_step();
    return absl::OkStatus();
  }

  absl::Status OpenEvents() {
    if (options_.summary.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(events_, EventWriter::Create(FileSystem::Default(), options_.summary, {}));
    report_.events = events_->path();
    ASSIGN_OR_RETURN(std::string graph, WriteGraphDef(opened_.session->graph()));
    return events_->WriteGraph(0, std::move(graph));
  }

  bool Enough() const { return options_.max_steps > 0 && report_.steps + report_.first_step >= options_.max_steps; }

  // Steps that were made before training was resumed are passed over, so that it goes on with the row it would have.
  absl::Status RunEpoch(int64_t epoch, Clock::time_point start) {
    RETURN_IF_ERROR(data_.batches->StartEpoch(epoch));
    EpochReport result;
    result.epoch = epoch + 1;
    Means means;
    std::vector<Tensor> batch;
    while (!Enough()) {
      ASSIGN_OR_RETURN(const bool more, data_.batches->Next(&batch));
      if (!more) break;
      if (passed_over_ < report_.first_step) {
        ++passed_over_;
        continue;
      }
      const int64_t rows = batch[0].dim(0);
      ASSIGN_OR_RETURN(const std::vector<double> values, RunStep(step_, batch, Step() + 1, &report_.columns));
      if (report_.columns.empty() || report_.columns[0] != step_.labels[0]) {
        return WithExit(ExitCode::kUsage, absl::InvalidArgumentError(absl::StrCat("--loss ", options_.loss, ": expected a number, got a summary")));
      }
      means.Add(values, rows);
      report_.losses.push_back(values[0]);
      ++report_.steps;
      ++result.steps;
      report_.rows += rows;
      RETURN_IF_ERROR(WriteScalars(report_.columns, values, ""));
      if (Step() % options_.save_every == 0) RETURN_IF_ERROR(Save());
      progress_.Update([&] { return ProgressText(epoch, values[0], start); });
    }
    if (result.steps == 0) return absl::OkStatus();
    result.means = means.Get();
    if (!options_.eval.empty()) {
      ASSIGN_OR_RETURN(result.eval_means, Evaluate());
      RETURN_IF_ERROR(WriteScalars(report_.eval_columns, result.eval_means, "eval/"));
    }
    report_.epochs.push_back(std::move(result));
    return absl::OkStatus();
  }

  // The numbers that a step fetches, with their names in `names`. Strings are summaries, which go to the events at `event_step`
  // if that is not negative.
  absl::StatusOr<std::vector<double>> RunStep(const BatchStep& step, const std::vector<Tensor>& batch, int64_t event_step,
                                              std::vector<std::string>* names) {
    std::vector<Tensor> inputs = step.fixed_inputs, outputs;
    inputs.insert(inputs.end(), batch.begin(), batch.end());
    RETURN_IF_ERROR(step.callable.Run(inputs, &outputs));
    std::vector<double> values;
    names->clear();
    for (size_t i = 0; i < outputs.size(); ++i) {
      proto::Summary summary;
      if (outputs[i].dtype() == DType::kString && outputs[i].is_scalar() &&
          summary.ParseFromString(std::string(outputs[i].scalar<String>().view()))) {
        if (events_ == nullptr || event_step < 0) continue;
        RETURN_IF_ERROR(WithExit(ExitCode::kFiles, events_->WriteSummary(event_step, std::move(summary))));
        continue;
      }
      if (const absl::Status status = AddScalar(step.labels[i], outputs[i], &summary); !status.ok()) return WithExit(ExitCode::kUsage, status);
      values.push_back(static_cast<double>(summary.value(0).simple_value()));
      names->push_back(step.labels[i]);
    }
    return values;
  }

  absl::StatusOr<std::vector<double>> Evaluate() {
    RETURN_IF_ERROR(eval_data_.batches->StartEpoch(0));
    Means means;
    std::vector<Tensor> batch;
    for (int64_t event_step = Step();; event_step = -1) {  // summaries of the first batch are enough
      ASSIGN_OR_RETURN(const bool more, eval_data_.batches->Next(&batch));
      if (!more) return means.Get();
      ASSIGN_OR_RETURN(const std::vector<double> values, RunStep(eval_step_, batch, event_step, &report_.eval_columns));
      means.Add(values, batch[0].dim(0));
    }
  }

  int64_t Step() const { return report_.first_step + report_.steps; }

  absl::Status WriteScalars(const std::vector<std::string>& names, const std::vector<double>& values, const char* prefix) {
    if (events_ == nullptr) return absl::OkStatus();
    proto::Summary summary;
    for (size_t i = 0; i < values.size(); ++i) {
      summary.add_value()->set_tag(absl::StrCat(prefix, names[i]));
      summary.mutable_value(static_cast<int>(i))->set_simple_value(static_cast<float>(values[i]));
    }
    return WithExit(ExitCode::kFiles, events_->WriteSummary(Step(), std::move(summary)));
  }

  absl::Status Save() {
    if (checkpoints_ == nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(report_.checkpoint, checkpoints_->Save(Step()));
    return absl::OkStatus();
  }

  std::string ProgressText(int64_t epoch, double loss, Clock::time_point start) const {
    const double rate = static_cast<double>(report_.steps) / SecondsSince(start);
    std::string text = absl::StrFormat("epoch %d/%d  step %d", epoch + 1, options_.epochs, Step());
    const std::optional<int64_t> per_epoch = data_.batches->num_rows();
    if (!per_epoch.has_value()) return absl::StrCat(text, absl::StrFormat("  loss %.4g  %.4g steps/s", loss, rate));
    int64_t total = *per_epoch * options_.epochs;
    if (options_.max_steps > 0) total = std::min(total, options_.max_steps);
    return absl::StrCat(text, absl::StrFormat("/%d  loss %.4g  %.4g steps/s  %.0f s left", total, loss, rate,
                                              static_cast<double>(total - Step()) / rate));
  }

  const TrainOptions& options_;
  const OpenedModel opened_;
  TrainingData data_, eval_data_;
  BatchStep step_, eval_step_;
  std::unique_ptr<EventWriter> events_;  // null: none wanted
  std::unique_ptr<TrainingCheckpoints> checkpoints_;  // null: none wanted
  int64_t passed_over_ = 0;
  ProgressLine progress_;
  TrainReport report_;
};

}  // namespace

absl::StatusOr<TrainReport> Train(const TrainOptions& options, const GlobalOptions& global) {
  ASSIGN_OR_RETURN(OpenedModel opened, OpenForRun(options.model, !global.quiet));
  return Trainer(options, global, std::move(opened)).Run();
}

std::string TrainText(const TrainReport& report, const GlobalOptions& global) {
  std::string text;
  if (!report.restored.empty()) absl::StrAppend(&text, "Went on from ", report.restored, " after ", report.first_step, " steps\n");
  absl::StrAppend(&text,
                  Bold(absl::StrFormat("%d steps of %d rows in %s: %.4g steps/s, %.4g rows/s", report.steps,
                                       report.steps > 0 ? (report.rows + report.steps - 1) / report.steps : 0, DurationText(report.seconds * 1e9),
                                       static_cast<double>(report.steps) / report.seconds, static_cast<double>(report.rows) / report.seconds),
                       global),
                  "\n");
  std::vector<std::string> names = {"epoch"};
  names.insert(names.end(), report.columns.begin(), report.columns.end());
  for (const std::string& column : report.eval_columns) names.push_back("eval " + column);
  Table table(std::vector<bool>(names.size(), true));
  table.Add(names);
  constexpr size_t kEnds = 5;  // epochs shown at either end
  for (size_t i = 0; i < report.epochs.size(); ++i) {
    if (i == kEnds && report.epochs.size() > 2 * kEnds) {
      table.Add({"..."});
      i = report.epochs.size() - kEnds;
    }
    const EpochReport& epoch = report.epochs[i];
    std::vector<std::string> row = {absl::StrCat(epoch.epoch)};
    for (const std::vector<double>* means : {&epoch.means, &epoch.eval_means}) {
      for (const double mean : *means) row.push_back(absl::StrFormat("%.4g", mean));
    }
    table.Add(std::move(row));
  }
  if (!report.epochs.empty()) text += table.Text();
  constexpr size_t kFewSteps = 20;
  if (report.losses.size() > kFewSteps) {
    text += PlotText({{report.columns[0], report.losses}}, {.color = global.color, .logarithmic = true});
  }
  if (!report.checkpoint.empty()) absl::StrAppend(&text, "Checkpoint ", report.checkpoint, "\n");
  if (!report.events.empty()) absl::StrAppend(&text, "Events ", report.events, "\n");
  return text;
}

std::string TrainJson(const TrainReport& report) {
  using nlohmann::json;
  json epochs = json::array();
  for (const EpochReport& epoch : report.epochs) {
    json row = {{"epoch", epoch.epoch}, {"steps", epoch.steps}, {"eval", json::object()}};
    for (size_t i = 0; i < epoch.means.size(); ++i) row["means"][report.columns[i]] = epoch.means[i];
    for (size_t i = 0; i < epoch.eval_means.size(); ++i) row["eval"][report.eval_columns[i]] = epoch.eval_means[i];
    epochs.push_back(std::move(row));
  }
  const json document = {{"steps", report.steps},       {"rows", report.rows},         {"seconds", report.seconds},
                         {"first_step", report.first_step}, {"restored", report.restored}, {"checkpoint", report.checkpoint},
                         {"events", report.events},     {"losses", report.losses},     {"epochs", std::move(epochs)}};
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace flowlatch
