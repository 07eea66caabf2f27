// A model that is ready to run, and a step of it as the command line asks for it.
#ifndef FLOWLATCH_TOOLS_GRAPH_RUNNER_OPENED_MODEL_H_
#define FLOWLATCH_TOOLS_GRAPH_RUNNER_OPENED_MODEL_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/io/model.h"
#include "runtime/session/session.h"
#include "tools/graph_runner/options.h"

namespace flowlatch {

struct OpenedModel {
  Model model;  // without its graph, which the session has
  std::unique_ptr<Session> session;
  int64_t load_ns = 0;
};

// The signature that is meant when none is named: "serving_default", or the only one that is for users. "" if there is
// none.
std::string DefaultSignature(const Model& model);

SessionOptions SessionOptionsFor(const ModelOptions& options);

// LoadModel with exit codes: kFiles when the file is not there, else kBadModel.
absl::StatusOr<Model> LoadForTool(const std::string& path, const std::vector<std::string>& tags,
                                  std::vector<std::string>* warnings);

// Loads, restores and initialises. Warnings go to standard error if `warn`.
// `change`, if it is set, makes the graph that runs of the one that was read.
absl::StatusOr<OpenedModel> OpenForRun(const ModelOptions& options, bool warn, const std::function<absl::StatusOr<Graph>(const Graph&)>& change = nullptr);

// One step: what is fed, what is fetched, what it is called and where it goes.
struct StepRequest {
  std::vector<std::string> feeds;
  std::vector<Tensor> inputs;
  std::vector<std::string> fetches;
  std::vector<std::string> labels;  // the fetches as the user named them
  std::vector<std::string> files;   // "" for those that are only printed
  std::vector<std::string> targets;
  std::vector<std::string> notes;  // what was assumed
};

// Resolves names and reads inputs. Without outputs and targets: those of the signature, else values that no node takes.
// With `invent_inputs`, placeholders that nobody feeds get zeros, of size 1 where the graph leaves it open.
absl::StatusOr<StepRequest> ResolveStep(const OpenedModel& opened, const ModelOptions& options, bool invent_inputs);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_GRAPH_RUNNER_OPENED_MODEL_H_
