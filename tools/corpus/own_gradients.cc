#include "tools/corpus/own_gradients.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/gradients.h"
#include "tools/arrays/difference.h"
#include "tools/corpus/replay.h"

namespace flowlatch {
namespace {

// What the gradient builder made of one entry of the case.
struct Made {
  bool fetchable = true;             // not inside of a loop
  std::vector<std::string> names;    // of the gradients, "" where there is none
  std::vector<std::string> reasons;  // why
};

absl::StatusOr<Graph> AddGradients(const Case& c, const OpRegistry& registry, const Graph& graph, std::vector<Made>* made) {
  GraphBuilder b(registry);
  b.Import(graph);
  const auto find = [&](const std::vector<std::string>& names) {
    Outputs outputs;
    for (const std::string& name : names) outputs.push_back(name.empty() ? Output() : b.Find(name));
    return outputs;
  };
  for (const CaseGradients& entry : c.gradients) {
    GradientOptions options;
    options.stop_gradients = find(entry.stop_gradients);
    options.name = "own_gradients";
    if (entry.zero_if_unconnected) options.unconnected = GradientOptions::Unconnected::kZero;
    Made m;
    // What the author's program fed is not in the graph.
    const auto unknown = [](const std::string& name) { return name == "?"; };
    if (std::any_of(entry.grad_ys.begin(), entry.grad_ys.end(), unknown)) {
      m.fetchable = false;
      made->push_back(std::move(m));
      continue;
    }
    options.grad_ys = find(entry.grad_ys);
    const Outputs ys = find(entry.ys), xs = find(entry.xs);
    if (!b.ok()) return b.status();
    BuilderScope place = b.Inside(ys[0]);
    const std::vector<Grad> grads = Gradients(b, ys, xs, options);
    m.fetchable = !b.IsInLoop(ys[0]);
    for (const Grad& grad : grads) {
      m.names.push_back(grad.exists() ? grad.dense().name() : "");
      m.reasons.push_back(grad.reason());
    }
    made->push_back(std::move(m));
  }
  return b.Build();
}

template <typename T>
void AddRows(const Tensor& values, const std::vector<int64_t>& rows, int64_t row_size, Tensor* dense) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (int64_t j = 0; j < row_size; ++j) dense->mutable_data<T>()[rows[i] * row_size + j] += values.data<T>()[static_cast<int64_t>(i) * row_size + j];
  }
}

std::vector<int64_t> Integers(const Tensor& t) {
  if (t.dtype() == DType::kInt64) return {t.data<int64_t>(), t.data<int64_t>() + t.num_elements()};
  if (t.dtype() == DType::kInt32) return {t.data<int32_t>(), t.data<int32_t>() + t.num_elements()};
  return {};
}

// The tensor that recorded slices stand for. Errors: DataLoss for slices that stand for none.
absl::StatusOr<Tensor> Dense(const Tensor& values, const Tensor& indices, const Tensor& dense_shape) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(Integers(dense_shape)));
  const std::vector<int64_t> rows = Integers(indices);
  const bool fits = shape.rank() > 0 && (rows.empty() || values.num_elements() % static_cast<int64_t>(rows.size()) == 0) &&
                    std::all_of(rows.begin(), rows.end(), [&](int64_t r) { return r >= 0 && r < shape.dim(0); });
  if (!fits) return absl::DataLossError("case: expected slices whose indices are rows of their dense_shape");
  ASSIGN_OR_RETURN(Tensor dense, Tensor::Zeros(values.dtype(), shape));
  const int64_t row_size = rows.empty() ? 0 : values.num_elements() / static_cast<int64_t>(rows.size());
  if (values.dtype() == DType::kFloat32) {
    AddRows<float>(values, rows, row_size, &dense);
  } else if (values.dtype() == DType::kFloat64) {
    AddRows<double>(values, rows, row_size, &dense);
  } else {
    return absl::DataLossError("case: expected slices of float32 or float64");
  }
  return dense;
}

// The recorded gradient, or an empty tensor if no value of it was recorded.
absl::StatusOr<Tensor> Recorded(const Replay& replay, const RecordedGradient& gradient) {
  if (gradient.slices.empty()) {
    if (!gradient.dense.key.has_value()) return Tensor();
    return replay.Recorded(gradient.dense);
  }
  std::vector<Tensor> parts;
  for (const RecordedTensor& part : gradient.slices) {
    if (!part.key.has_value()) return Tensor();
    ASSIGN_OR_RETURN(Tensor value, replay.Recorded(part));
    parts.push_back(std::move(value));
  }
  return Dense(parts[0], parts[1], parts[2]);
}

// Whether the recorded gradient is zero. TensorFlow's functional forms give zeros where nothing flows; we say that there is none.
bool IsZero(const Replay& replay, const RecordedGradient& gradient) {
  const absl::StatusOr<Tensor> value = Recorded(replay, gradient);
  if (!value.ok() || !value->has_value()) return false;
  const absl::StatusOr<Tensor> zeros = Tensor::Zeros(value->dtype(), value->shape());
  return zeros.ok() && Compare(*value, *zeros, {0, 0}).reason.empty();
}

Verdict Failed(const std::string& reason) { return {Outcome::kFailed, "own gradients: " + reason, {}}; }

}  // namespace

Verdict JudgeGradients(const Case& c, const OpLibrary& library, const SessionOptions& options) {
  std::vector<Made> made;
  absl::StatusOr<Replay> replay = Replay::Open(c);
  if (!replay.ok()) return Failed(std::string(replay.status().message()));
  absl::Status added;
  std::set<std::string> unknown_ops;
  const absl::Status loaded = replay->Load(library, options, /*as_tensorflow=*/true, [&](Graph graph) {
    for (NodeId id = 0; id < graph.num_nodes(); ++id) {
      if (graph.node(id).schema->is_opaque()) unknown_ops.insert(graph.node(id).op());
    }
    absl::StatusOr<Graph> changed = AddGradients(c, library.registry(), graph, &made);
    added = changed.status();
    return changed;
  });
  // A gradient that only the author's program knew.
  if (absl::IsUnimplemented(added) && absl::StrContains(added.message(), "_gradient_op_type")) {
    return {Outcome::kSkipped, std::string(added.message()), {"gradient function of the program that made the graph"}};
  }
  // An op that does not exist here, which no step of the case needs but its gradient does.
  for (const std::string& op : unknown_ops) {
    if (absl::IsUnimplemented(added) && absl::StrContains(added.message(), absl::StrCat("(", op, ")"))) {
      return {Outcome::kSkipped, std::string(added.message()), {"op " + op}};
    }
  }
  if (!added.ok()) return Failed(absl::StrCat(absl::StatusCodeToString(added.code()), ": ", added.message()));
  if (!loaded.ok()) return Failed(std::string(loaded.message()));

  for (int s = 0; s < static_cast<int>(c.steps.size()); ++s) {
    // The recorded fetches, and ours after them.
    CaseStep step = c.steps[s];
    const size_t first = step.fetches.size();
    std::vector<std::pair<const RecordedGradient*, std::string>> fetched;
    for (size_t g = 0; g < c.gradients.size(); ++g) {
      const CaseGradients& entry = c.gradients[g];
      if (entry.step != s || !made[g].fetchable) continue;
      for (size_t i = 0; i < entry.xs.size(); ++i) {
        const RecordedGradient& want = entry.results[i];
        const std::string& name = made[g].names[i];
        if (name.empty() && want.exists && IsZero(*replay, want)) continue;
        if (want.exists != !name.empty()) {
          return Failed(absl::StrCat("of ", entry.xs[i], ": expected ", want.exists ? "one" : "none", ", got ", want.exists ? "none: " + made[g].reasons[i] : "one"));
        }
        if (!want.exists) continue;
        fetched.emplace_back(&want, entry.xs[i]);
        step.fetches.push_back({name, std::nullopt, std::nullopt});
      }
    }
    const absl::StatusOr<std::vector<Tensor>> results = replay->Run(step);
    if (!results.ok()) {
      if (step.error.has_value()) continue;
      return Failed(absl::StrCat("step ", s, ": ", absl::StatusCodeToString(results.status().code()), ": ", results.status().message()));
    }
    if (c.compare != CompareMode::kValues) continue;
    for (size_t i = 0; i < fetched.size(); ++i) {
      const absl::StatusOr<Tensor> want = Recorded(*replay, *fetched[i].first);
      if (!want.ok()) return Failed(std::string(want.status().message()));
      if (!want->has_value()) continue;
      const Difference difference = Compare((*results)[first + i], *want, {c.rtol, c.atol});
      if (!difference.reason.empty()) return Failed(absl::StrCat("step ", s, ": of ", fetched[i].second, ": ", difference.reason));
    }
  }
  return {};
}

}  // namespace flowlatch
