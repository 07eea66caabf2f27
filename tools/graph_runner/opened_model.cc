#include "tools/graph_runner/opened_model.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "ops/default_ops.h"
#include "runtime/checkpoint/saved_model.h"
#include "tools/arrays/spec.h"
#include "tools/graph_runner/ckpt.h"
#include "tools/graph_runner/errors.h"
#include "tools/graph_runner/graph_facts.h"

namespace flowlatch {
namespace {

using Clock = std::chrono::steady_clock;

absl::Status Initialize(Session& session, const ModelOptions& options) {
  if (options.init != "auto") {
    if (options.init == "none") return absl::OkStatus();
    return session.Run({}, {}, {options.init}).status();
  }
  // What tf.global_variables_initializer() is called by default.
  if (options.restore.empty() && session.graph().FindNode("init").has_value() &&
      !GraphVariables(session.graph()).empty()) {
    return session.Run({}, {}, {"init"}).status();
  }
  return absl::OkStatus();
}

// Turns the keys of a signature into names of ports.
class NameResolver {
 public:
  static absl::StatusOr<NameResolver> Make(const Model& model, const std::string& wanted) {
    NameResolver resolver;
    if (!wanted.empty()) {
      const auto at = model.signatures.find(wanted);
      if (at == model.signatures.end()) {
        NearNames near(wanted);
        for (const auto& [name, signature] : model.signatures) near.Consider(name);
        return WithExit(ExitCode::kUsage,
                        absl::NotFoundError(
                            absl::StrCat("signature '", wanted, "': the model has none of this name", near.Hint())));
      }
      resolver.signature_ = &at->second;
      resolver.name_ = wanted;
    } else if (resolver.name_ = DefaultSignature(model); !resolver.name_.empty()) {
      resolver.signature_ = &model.signatures.at(resolver.name_);
    }
    return resolver;
  }

  const Signature* signature() const { return signature_; }
  // The port of a key of the signature, or else of a name of the graph.
  absl::StatusOr<std::string> Input(const Graph& graph, const std::string& name) const {
    return Find(graph, signature_ != nullptr ? &signature_->inputs : nullptr, "input", name);
  }
  absl::StatusOr<std::string> Output(const Graph& graph, const std::string& name) const {
    return Find(graph, signature_ != nullptr ? &signature_->outputs : nullptr, "output", name);
  }

 private:
  // Without a signature, the session says what is wrong with a name.
  absl::StatusOr<std::string> Find(const Graph& graph, const std::map<std::string, SignatureTensor>* tensors,
                                   std::string_view what, const std::string& name) const {
    if (tensors == nullptr) return name;
    const auto at = tensors->find(name);
    if (at != tensors->end() && !at->second.name.empty()) return at->second.name;
    if (graph.ParsePort(name).ok()) return name;
    std::vector<std::string> keys;
    for (const auto& [key, tensor] : *tensors) keys.push_back("'" + key + "'");
    return absl::NotFoundError(absl::StrCat(std::string(what), " '", name, "': expected a key of signature '", name_,
                                            "' (", absl::StrJoin(keys, ", "), ") or a node of the graph"));
  }

  std::string name_;  // of the signature
  const Signature* signature_ = nullptr;
};

absl::Status AddInputs(const Graph& graph, const NameResolver& names, const ModelOptions& options, StepRequest* step) {
  uint64_t seed = options.seed;
  for (const std::string& argument : options.inputs) {
    const auto split = SplitAssignment(argument);
    if (!split.ok()) return WithExit(ExitCode::kUsage, split.status());
    const auto& [name, spec] = *split;
    ASSIGN_OR_RETURN(const std::string port, names.Input(graph, name));
    PortHint hint = HintForPort(graph, port);
    if (names.signature() != nullptr) {
      const auto at = names.signature()->inputs.find(name);
      if (at != names.signature()->inputs.end() && !hint.shape.has_rank()) hint.shape = at->second.shape;
    }
    absl::StatusOr<Tensor> value = ParseSpec(spec, hint, seed++);
    if (!value.ok()) {
      const bool is_file = spec[0] == '@' && !absl::IsInvalidArgument(value.status());
      return WithExit(is_file ? ExitCode::kFiles : ExitCode::kUsage, value.status());
    }
    step->feeds.push_back(port);
    step->inputs.push_back(*std::move(value));
  }
  return absl::OkStatus();
}

absl::Status AddOutputs(const Graph& graph, const NameResolver& names, const ModelOptions& options, StepRequest* step) {
  const auto add = [step](const std::string& label, const std::string& port, const std::string& file) {
    step->labels.push_back(label);
    step->fetches.push_back(port);
    step->files.push_back(file);
  };
  for (const std::string& argument : options.outputs) {
    std::string label = argument, file;
    if (argument.find('=') != std::string::npos) {
      const auto split = SplitAssignment(argument);
      if (!split.ok()) return WithExit(ExitCode::kUsage, split.status());
      std::tie(label, file) = *split;
    }
    ASSIGN_OR_RETURN(const std::string port, names.Output(graph, label));
    add(label, port, file);
  }
  step->targets = options.targets;
  if (!step->fetches.empty() || !step->targets.empty()) return absl::OkStatus();
  if (names.signature() != nullptr) {
    for (const auto& [key, tensor] : names.signature()->outputs) {
      if (!tensor.name.empty()) add(key, tensor.name, "");
    }
  } else {
    for (const PortReport& output : GraphOutputs(graph)) add(output.name, output.name, "");
  }
  if (step->fetches.empty()) {
    return WithExit(ExitCode::kUsage,
                    absl::InvalidArgumentError(
                        "outputs: expected -o NAME or -t TARGET, since the graph has no value that nobody takes"));
  }
  return absl::OkStatus();
}

absl::Status InventInputs(const Graph& graph, StepRequest* step) {
  absl::flat_hash_set<std::string> fed(step->feeds.begin(), step->feeds.end());
  for (const PortReport& input : GraphInputs(graph)) {
    if (fed.contains(input.name) || fed.contains(input.name + ":0")) continue;
    const std::string spec = "zeros:" + SpecType(input);
    absl::StatusOr<Tensor> value = ParseSpec(spec, {}, 0);
    if (!value.ok()) continue;  // of a dtype that has no zeros
    step->feeds.push_back(input.name);
    step->inputs.push_back(*std::move(value));
    step->notes.push_back(absl::StrCat("input ", input.name, " is ", spec));
  }
  return absl::OkStatus();
}

}  // namespace

std::string DefaultSignature(const Model& model) {
  if (model.signatures.contains("serving_default")) return "serving_default";
  std::string only;
  for (const auto& [name, signature] : model.signatures) {
    if (name.rfind("__", 0) == 0) continue;  // what initialises the model, and the like
    if (!only.empty()) return "";
    only = name;
  }
  return only;
}

SessionOptions SessionOptionsFor(const ModelOptions& options) {
  SessionOptions session;
  session.threads = options.threads;
  session.timeout = options.timeout;
  session.optimize = options.optimize;
  session.functional = options.functional;
  session.allow_files = options.allow_files;
  return session;
}

absl::StatusOr<Model> LoadForTool(const std::string& path, const std::vector<std::string>& tags,
                                  std::vector<std::string>* warnings) {
  LoadOptions load;
  load.tags = tags;
  load.warnings = warnings;
  absl::StatusOr<Model> model = LoadModel(path, DefaultOps().registry(), load);
  if (model.ok()) return model;
  std::error_code error;
  const bool is_there = std::filesystem::exists(path, error);
  return WithExit(is_there ? ExitCode::kBadModel : ExitCode::kFiles, model.status());
}

absl::StatusOr<OpenedModel> OpenForRun(const ModelOptions& options, bool warn, const std::function<absl::StatusOr<Graph>(const Graph&)>& change) {
  const Clock::time_point start = Clock::now();
  std::vector<std::string> warnings;
  ASSIGN_OR_RETURN(Model model, LoadForTool(options.path, options.tags, &warnings));
  if (warn) {
    for (const std::string& warning : warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  }
  if (change != nullptr) {
    ASSIGN_OR_RETURN(model.graph, change(model.graph));
  }
  OpenedModel opened{std::move(model), nullptr, 0};
  SessionOptions session = SessionOptionsFor(options);
  session.allow_files |= !options.restore.empty();
  ASSIGN_OR_RETURN(opened.session, OpenSession(opened.model, DefaultOps(), std::move(session),
                                               options.init != "none" && options.restore.empty()));
  RETURN_IF_ERROR(Initialize(*opened.session, options));
  if (!options.restore.empty()) {
    ASSIGN_OR_RETURN(const std::string prefix, ResolveCheckpoint(options.restore));
    // A bare GraphDef does not say which nodes restore; these are the names that TensorFlow's Saver gives them.
    if (!opened.model.saver.has_value() && opened.session->graph().FindNode("save/restore_all").has_value()) {
      opened.model.saver = SaverNames{"save/Const", "save/control_dependency", "save/restore_all"};
    }
    RETURN_IF_ERROR(RestoreCheckpoint(*opened.session, opened.model, prefix));
  }
  opened.load_ns = std::chrono::nanoseconds(Clock::now() - start).count();
  return opened;
}

absl::StatusOr<StepRequest> ResolveStep(const OpenedModel& opened, const ModelOptions& options, bool invent_inputs) {
  StepRequest step;
  const Graph& graph = opened.session->graph();
  ASSIGN_OR_RETURN(const NameResolver names, NameResolver::Make(opened.model, options.signature));
  RETURN_IF_ERROR(AddInputs(graph, names, options, &step));
  RETURN_IF_ERROR(AddOutputs(graph, names, options, &step));
  if (invent_inputs) RETURN_IF_ERROR(InventInputs(graph, &step));
  return step;
}

}  // namespace flowlatch
