// Connectionist temporal classification (Graves et al., 2006): sequences of labels that are shorter than the steps of
// their inputs, in which each step says a class or blank.
//   CTCLoss: inputs [time, batch, classes] (logits), labels as a sparse matrix [batch, ?], sequence_length [batch] ->
//     loss [batch] = -log p(labels | inputs), and its gradient of inputs. The last class is blank; labels from it on
//     end an example's labels. Infinite where no path gives the labels. CTCLossV2: class 0 is blank.
//   CTCGreedyDecoder: the likeliest class of each step, without blanks -> a sparse matrix of labels [batch, ?], and the
//     negated sum of the logits that were taken [batch, 1]
//   CTCBeamSearchDecoder: the top_paths likeliest sequences among the beam_width kept in each step -> as many sparse
//     matrices, and log probabilities [batch, top_paths]. The last class is blank.
// float32 and float64; sums of logarithms are computed in double.
#include "ops/ctc_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kCtcTypes{DType::kFloat32, DType::kFloat64};
constexpr double kNever = -std::numeric_limits<double>::infinity();  // log 0

// log(e^a + e^b).
double LogSum(double a, double b) {
  if (a == kNever) return b;
  if (b == kNever) return a;
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

struct CtcSizes {
  int64_t time, batch, classes;
};

// Checks what all ops have: inputs and sequence_length. `code`: of lengths that do not fit, which TensorFlow's losses
// and decoders report differently.
absl::StatusOr<CtcSizes> ReadSizes(const Tensor& inputs, const Tensor& lengths, absl::StatusCode code) {
  if (inputs.rank() != 3) {
    return absl::InvalidArgumentError(absl::StrCat("inputs: expected 3 dimensions, got shape ", inputs.ShapeString()));
  }
  if (inputs.num_elements() == 0) {
    return absl::InvalidArgumentError(absl::StrCat("inputs: expected elements, got shape ", inputs.ShapeString()));
  }
  if (inputs.dim(2) > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(
        absl::StrCat("inputs: expected a number of classes in int32, got shape ", inputs.ShapeString()));
  }
  if (!lengths.is_vector()) {
    return absl::InvalidArgumentError(
        absl::StrCat("sequence_length: expected a vector, got shape ", lengths.ShapeString()));
  }
  const CtcSizes sizes{inputs.dim(0), inputs.dim(1), inputs.dim(2)};
  if (lengths.dim(0) != sizes.batch) {
    return absl::Status(code, absl::StrCat("sequence_length: expected ", sizes.batch, " values, got ", lengths.dim(0)));
  }
  for (int64_t b = 0; b < sizes.batch; ++b) {
    const int32_t length = lengths.data<int32_t>()[b];
    if (length > sizes.time) {
      return absl::Status(code,
                          absl::StrCat("sequence_length[", b, "]: expected at most ", sizes.time, ", got ", length));
    }
  }
  return sizes;
}

// Runs body(b) for each example, from several threads. Returns the error of the first that has one.
template <typename Body>
absl::Status ForEachExample(const KernelCall& c, int64_t batch, double cost, const Body& body) {
  std::vector<absl::Status> statuses(batch);
  c.ParallelFor(batch, cost, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) statuses[b] = body(b);
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

// ---- Losses

struct LossState final : KernelState {
  bool collapse_repeated = false, merge_repeated = true, ignore_longer = false, blank_first = false;
};

// An example's labels with blanks around them; none if it is left out.
using Path = std::vector<int32_t>;

// Labels of each example, in order.
absl::StatusOr<std::vector<std::vector<int32_t>>> ReadLabels(const Tensor& indices, const Tensor& values,
                                                             int64_t batch) {
  ASSIGN_OR_RETURN(const IndexRows rows, ReadIndexRows(indices, "labels_indices"));
  if (!values.is_vector() || values.dim(0) != indices.dim(0) || rows.rank != 2) {
    return absl::InvalidArgumentError(
        absl::StrCat("labels_indices and labels_values: expected shapes [n,2] and [n], got ", indices.ShapeString(),
                     " and ", values.ShapeString()));
  }
  std::vector<std::vector<int32_t>> labels(batch);
  for (int64_t i = 0; i < values.dim(0); ++i) {
    const int64_t *at = rows[i], example = at[0];
    if (example < 0 || example >= batch || at[1] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("labels_indices[", i, "]: expected a place in [", batch, ",?], got [", at[0], ",", at[1], "]"));
    }
    if (i > 0 && CompareIndices(rows.row(i - 1), rows.row(i)) >= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("labels_indices[", i, "]: expected ascending indices, got [", at[0], ",", at[1], "]"));
    }
    labels[example].push_back(values.data<int32_t>()[i]);
  }
  for (int64_t b = 0; b < batch; ++b) {
    if (labels[b].empty())
      return absl::InvalidArgumentError(absl::StrCat("labels: expected some for example ", b, ", got none"));
  }
  return labels;
}

absl::StatusOr<Path> MakePath(const LossState& state, const std::vector<int32_t>& labels, int64_t example,
                              int32_t steps, int64_t classes) {
  const auto fail = [&](const char* expected, int32_t got) {
    return absl::InvalidArgumentError(
        absl::StrCat("labels of example ", example, ": expected ", expected, ", got ", got));
  };
  const int32_t blank = state.blank_first ? 0 : static_cast<int32_t>(classes - 1);
  Path path{blank};
  bool ended = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    const int32_t label = labels[i];
    if (i > 0 && state.collapse_repeated && label == labels[i - 1]) continue;
    if (label < 0) return fail("values >= 0", label);
    if (state.blank_first && label >= classes) return fail("classes of inputs", label);
    if (state.blank_first ? label == blank : label >= blank) {
      ended = true;
      continue;
    }
    if (ended) return fail("nothing after a blank", label);
    path.push_back(label);
    path.push_back(blank);
  }
  const int64_t needed = static_cast<int64_t>(path.size() / 2);
  if (needed > steps && !state.ignore_longer) {
    return absl::InvalidArgumentError(absl::StrCat("labels of example ", example,
                                                   ": expected at most sequence_length = ", steps, ", got ", needed,
                                                   " (see ignore_longer_outputs_than_inputs)"));
  }
  if (needed > steps || steps == 0) return Path();
  return path;
}

// One example: a matrix of steps and classes inside `inputs`, whose rows are `stride` apart.
template <typename T>
struct Example {
  const T* inputs;
  T* gradient;  // rows like those of inputs, zero
  int64_t steps, classes, stride;
};

// Probabilities of the classes in step t.
template <typename T>
void Softmax(const Example<T>& e, int64_t t, T* y) {
  const T* x = e.inputs + t * e.stride;
  const T most = *std::max_element(x, x + e.classes);
  T sum = 0;
  for (int64_t k = 0; k < e.classes; ++k) sum += y[k] = std::exp(x[k] - most);
  for (int64_t k = 0; k < e.classes; ++k) y[k] /= sum;
}

// How a path of labels and blanks may be walked: a step stays, goes on by one, or by two, over a blank.
class Walk {
 public:
  Walk(const Path& path, bool merge_repeated) : path_(path), merge_repeated_(merge_repeated) {}
  int64_t size() const { return static_cast<int64_t>(path_.size()); }
  bool MayStay(int64_t u) const { return merge_repeated_ || u % 2 == 0; }
  bool MaySkipTo(int64_t u) const { return u >= 2 && u % 2 == 1 && !(merge_repeated_ && path_[u] == path_[u - 2]); }
  // Of being where the path is at u, if y are the probabilities of a step.
  template <typename T>
  void LogProbabilities(const T* y, double* log_y) const {
    const double blank = std::log(static_cast<double>(y[path_[0]]));
    for (int64_t u = 0; u < size(); ++u) log_y[u] = u % 2 == 0 ? blank : std::log(static_cast<double>(y[path_[u]]));
  }

 private:
  const Path& path_;
  const bool merge_repeated_;
};

// alpha[u] of the next step from that of the step before: the probability of all walks that begin at the start and are
// at u.
void Forward(const Walk& walk, const double* before, const double* log_y, double* alpha) {
  for (int64_t u = 0; u < walk.size(); ++u) {
    double sum = walk.MayStay(u) ? before[u] : kNever;
    if (u >= 1) sum = LogSum(sum, before[u - 1]);
    if (walk.MaySkipTo(u)) sum = LogSum(sum, before[u - 2]);
    alpha[u] = sum + log_y[u];
  }
}

// beta[u] of a step, in place of that of the step after, whose probabilities are log_y: of all walks from u to the end.
void Backward(const Walk& walk, const double* log_y, double* beta) {
  const int64_t n = walk.size();
  for (int64_t u = 0; u < n; ++u) {
    double sum = walk.MayStay(u) ? beta[u] + log_y[u] : kNever;
    if (u + 1 < n) sum = LogSum(sum, beta[u + 1] + log_y[u + 1]);
    if (u + 2 < n && walk.MaySkipTo(u + 2)) sum = LogSum(sum, beta[u + 2] + log_y[u + 2]);
    beta[u] = sum;
  }
}

// The loss of one example; writes its gradient. Errors: ResourceExhausted.
template <typename T>
absl::StatusOr<double> ExampleLoss(const Example<T>& e, const Path& path, bool merge_repeated) {
  const Walk walk(path, merge_repeated);
  const int64_t n = walk.size();
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make({{e.steps, n}}));
  ASSIGN_OR_RETURN(Tensor alphas, Tensor::Make(DType::kFloat64, shape));
  double* alpha = alphas.mutable_data<double>();
  std::vector<double> log_y(n), beta(n, kNever);
  for (int64_t t = 0; t < e.steps; ++t, alpha += n) {
    T* y = e.gradient + t * e.stride;
    Softmax(e, t, y);
    walk.LogProbabilities(y, log_y.data());
    if (t > 0) {
      Forward(walk, alpha - n, log_y.data(), alpha);
    } else {
      std::fill_n(alpha, n, kNever);
      std::copy_n(log_y.data(), std::min<int64_t>(n, 2), alpha);
    }
  }
  // Walks end at the last label or the blank after it.
  double log_p = kNever;
  for (int64_t u = std::max<int64_t>(n - 2, 0); u < n; ++u) {
    log_p = LogSum(log_p, alpha[u - n]);
    beta[u] = 0;
  }
  if (log_p == kNever) return -log_p;  // the gradient stays the probabilities, as in TensorFlow
  for (int64_t t = e.steps - 1; t >= 0; --t) {
    alpha -= n;
    T* y = e.gradient + t * e.stride;
    if (t < e.steps - 1) Backward(walk, log_y.data(), beta.data());
    walk.LogProbabilities(y, log_y.data());
    for (int64_t u = 0; u < n; ++u) y[path[u]] -= static_cast<T>(std::exp(alpha[u] + beta[u] - log_p));
  }
  return -log_p;
}

template <typename T>
absl::Status Loss(KernelCall& c) {
  const auto& state = c.state<LossState>();
  const Tensor &inputs = c.input(0), &lengths = c.input(3);
  ASSIGN_OR_RETURN(const CtcSizes sizes, ReadSizes(inputs, lengths, absl::StatusCode::kInvalidArgument));
  ASSIGN_OR_RETURN(const auto labels, ReadLabels(c.input(1), c.input(2), sizes.batch));
  std::vector<Path> paths(sizes.batch);
  size_t longest = 0;
  for (int64_t b = 0; b < sizes.batch; ++b) {
    const int32_t steps = lengths.data<int32_t>()[b];
    if (steps < 0) {
      return absl::InvalidArgumentError(absl::StrCat("sequence_length[", b, "]: expected a value >= 0, got ", steps));
    }
    ASSIGN_OR_RETURN(paths[b], MakePath(state, labels[b], b, steps, sizes.classes));
    longest = std::max(longest, paths[b].size());
  }
  ASSIGN_OR_RETURN(Tensor * loss, c.AllocateOutput(0, inputs.dtype(), {sizes.batch}));
  ASSIGN_OR_RETURN(c.output(1), Tensor::Zeros(inputs.dtype(), inputs.shape()));
  const T* x = inputs.data<T>();
  T *losses = loss->mutable_data<T>(), *gradient = c.output(1).mutable_data<T>();
  const double cost = static_cast<double>(sizes.time) *
                      (10.0 * static_cast<double>(sizes.classes) + 150.0 * static_cast<double>(longest));
  return ForEachExample(c, sizes.batch, cost, [&](int64_t b) -> absl::Status {
    losses[b] = 0;
    if (paths[b].empty()) return absl::OkStatus();
    const Example<T> example{x + b * sizes.classes, gradient + b * sizes.classes, lengths.data<int32_t>()[b],
                             sizes.classes, sizes.batch * sizes.classes};
    ASSIGN_OR_RETURN(const double value, ExampleLoss(example, paths[b], state.merge_repeated));
    losses[b] = static_cast<T>(value);
    return absl::OkStatus();
  });
}

// ---- Decoders

struct DecoderState final : KernelState {
  bool merge_repeated = false;
  int64_t blank_index = -1, beam_width = 1, top_paths = 1;
};

using Labels = std::vector<int64_t>;

// Sets the sparse matrices of `count` paths: decoded[p][b] are the labels of example b.
absl::Status SetDecoded(KernelCall& c, const std::vector<std::vector<Labels>>& decoded) {
  const int count = static_cast<int>(decoded.size());
  for (int p = 0; p < count; ++p) {
    int64_t total = 0, longest = 0;
    for (const Labels& labels : decoded[p]) {
      const int64_t n = static_cast<int64_t>(labels.size());
      total += n;
      longest = std::max(longest, n);
    }
    ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(p, DType::kInt64, {total, 2}));
    ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(count + p, DType::kInt64, {total}));
    int64_t *index = indices->mutable_data<int64_t>(), *value = values->mutable_data<int64_t>();
    for (size_t b = 0; b < decoded[p].size(); ++b) {
      for (size_t i = 0; i < decoded[p][b].size(); ++i) {
        *index++ = static_cast<int64_t>(b);
        *index++ = static_cast<int64_t>(i);
        *value++ = decoded[p][b][i];
      }
    }
    c.SetOutput(2 * count + p, Tensor::Vector<int64_t>({static_cast<int64_t>(decoded[p].size()), longest}));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status GreedyDecode(KernelCall& c) {
  const auto& state = c.state<DecoderState>();
  const Tensor &inputs = c.input(0), &lengths = c.input(1);
  ASSIGN_OR_RETURN(const CtcSizes sizes, ReadSizes(inputs, lengths, absl::StatusCode::kFailedPrecondition));
  const int64_t blank = state.blank_index < 0 ? state.blank_index + sizes.classes : state.blank_index;
  if (blank < 0 || blank >= sizes.classes) {
    return absl::InvalidArgumentError(absl::StrCat("blank_index: expected a value in [", -sizes.classes, ",",
                                                   sizes.classes, "), got ", state.blank_index));
  }
  std::vector<std::vector<Labels>> decoded(1, std::vector<Labels>(sizes.batch));
  ASSIGN_OR_RETURN(Tensor * scores, c.AllocateOutput(3, inputs.dtype(), {sizes.batch, 1}));
  const T* x = inputs.data<T>();
  T* score = scores->mutable_data<T>();
  c.ParallelFor(sizes.batch, 2.0 * static_cast<double>(sizes.time * sizes.classes), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      score[b] = 0;
      int64_t last = -1;
      for (int64_t t = 0; t < lengths.data<int32_t>()[b]; ++t) {
        const T* row = x + (t * sizes.batch + b) * sizes.classes;
        const int64_t label = std::max_element(row, row + sizes.classes) - row;
        score[b] -= row[label];
        if (label != blank && !(state.merge_repeated && label == last)) decoded[0][b].push_back(label);
        last = label;
      }
    }
  });
  return SetDecoded(c, decoded);
}

// The likeliest label sequences, prefix by prefix. Prefixes are nodes of a tree; those in the beam are active, and have
// probabilities of ending in a label, in a blank, and of both together.
class BeamSearch {
 public:
  explicit BeamSearch(int64_t width) : width_(width) {
    nodes_.push_back({});
    nodes_[0].now = {kNever, 0, 0};
    beam_.push_back(0);
  }

  // One step with these log probabilities, of labels and then of blank.
  void Step(absl::Span<const double> log_y) {
    const int32_t blank = static_cast<int32_t>(log_y.size()) - 1;
    SortBeam();
    const std::vector<int32_t> prefixes = std::exchange(beam_, {});
    for (const int32_t i : prefixes) nodes_[i].before = nodes_[i].now;
    for (const int32_t i : prefixes) {
      Node& node = nodes_[i];
      if (node.parent >= 0) {
        const Node& parent = nodes_[node.parent];
        if (parent.active()) node.now.label = LogSum(node.now.label, Extended(parent, node.label));
        node.now.label += log_y[node.label];
      }
      node.now.blank = node.before.total + log_y[blank];
      node.now.total = LogSum(node.now.blank, node.now.label);
      Push(i);
    }
    for (const int32_t i : prefixes) {
      if (!Fits(nodes_[i].before.total)) continue;
      for (int32_t label = 0; label < blank; ++label) {
        const double p = log_y[label] + Extended(nodes_[i], label);
        if (!Fits(p)) {
          Forget(i, label);
          continue;
        }
        const int32_t child = Child(i, label);
        if (nodes_[child].active()) continue;
        nodes_[child].now = {p, kNever, p};
        if (static_cast<int64_t>(beam_.size()) == width_) DropLeast();
        Push(child);
      }
    }
  }

  // Prefixes of the beam, the likeliest first.
  const std::vector<int32_t>& Ranking() {
    SortBeam();
    return beam_;
  }
  double LogProbability(int32_t prefix) const { return nodes_[prefix].now.total; }
  Labels LabelsOf(int32_t prefix, bool merge_repeated) const {
    Labels labels;
    int32_t last = -1;
    for (int32_t i = prefix; nodes_[i].parent >= 0; i = nodes_[i].parent) {
      if (!merge_repeated || nodes_[i].label != last) labels.push_back(nodes_[i].label);
      last = nodes_[i].label;
    }
    std::reverse(labels.begin(), labels.end());
    return labels;
  }

 private:
  struct Probabilities {
    double label = kNever, blank = kNever, total = kNever;
  };
  struct Node {
    int32_t parent = -1, label = -1;
    Probabilities before, now;
    bool active() const { return now.total != kNever; }
  };

  // Of `prefix` before this step, where `label` can follow it: not directly after the same label.
  static double Extended(const Node& prefix, int32_t label) {
    return prefix.label == label ? prefix.before.blank : prefix.before.total;
  }
  // By falling probability; of equal ones the older first.
  bool Precedes(int32_t a, int32_t b) const {
    const double p = nodes_[a].now.total, q = nodes_[b].now.total;
    if (p > q || q > p) return p > q;
    return a < b;
  }
  auto Order() const {
    return [this](int32_t a, int32_t b) { return Precedes(a, b); };
  }
  void SortBeam() { std::stable_sort(beam_.begin(), beam_.end(), Order()); }
  // beam_ is a heap with the least likely prefix in front.
  void Push(int32_t i) {
    beam_.push_back(i);
    std::push_heap(beam_.begin(), beam_.end(), Order());
  }
  void DropLeast() {
    nodes_[beam_.front()].now = {};
    std::pop_heap(beam_.begin(), beam_.end(), Order());
    beam_.pop_back();
  }
  bool Fits(double p) const {
    return p > kNever && (static_cast<int64_t>(beam_.size()) < width_ || p > nodes_[beam_.front()].now.total);
  }
  // A child that was dropped in this step and does not come back grows no children itself, as in TensorFlow.
  void Forget(int32_t parent, int32_t label) {
    const auto found = children_.find({parent, label});
    if (found != children_.end() && !nodes_[found->second].active()) nodes_[found->second].before = {};
  }
  int32_t Child(int32_t parent, int32_t label) {
    const auto [at, is_new] = children_.try_emplace({parent, label}, static_cast<int32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({.parent = parent, .label = label, .before = {}, .now = {}});
    return at->second;
  }

  const int64_t width_;
  std::vector<Node> nodes_;
  absl::flat_hash_map<std::pair<int32_t, int32_t>, int32_t> children_;
  std::vector<int32_t> beam_;
};

template <typename T>
absl::Status BeamSearchDecode(KernelCall& c) {
  const auto& state = c.state<DecoderState>();
  const Tensor &inputs = c.input(0), &lengths = c.input(1);
  ASSIGN_OR_RETURN(const CtcSizes sizes, ReadSizes(inputs, lengths, absl::StatusCode::kFailedPrecondition));
  if (state.top_paths > state.beam_width) {
    return absl::InvalidArgumentError(
        absl::StrCat("top_paths: expected at most beam_width = ", state.beam_width, ", got ", state.top_paths));
  }
  const int64_t count = state.top_paths;
  std::vector<std::vector<Labels>> decoded(count, std::vector<Labels>(sizes.batch));
  ASSIGN_OR_RETURN(Tensor * scores,
                   c.AllocateOutput(static_cast<int>(3 * count), inputs.dtype(), {sizes.batch, count}));
  const T* x = inputs.data<T>();
  T* score = scores->mutable_data<T>();
  const double cost = 20.0 * static_cast<double>(sizes.time * sizes.classes) *
                      static_cast<double>(std::min<int64_t>(state.beam_width, 1000));
  RETURN_IF_ERROR(ForEachExample(c, sizes.batch, cost, [&](int64_t b) -> absl::Status {
    BeamSearch search(state.beam_width);
    std::vector<double> log_y(sizes.classes);
    for (int64_t t = 0; t < lengths.data<int32_t>()[b]; ++t) {
      const T* row = x + (t * sizes.batch + b) * sizes.classes;
      const double most = static_cast<double>(*std::max_element(row, row + sizes.classes));
      double sum = 0;
      for (int64_t k = 0; k < sizes.classes; ++k) sum += std::exp(static_cast<double>(row[k]) - most);
      for (int64_t k = 0; k < sizes.classes; ++k) log_y[k] = static_cast<double>(row[k]) - most - std::log(sum);
      search.Step(log_y);
    }
    const std::vector<int32_t>& ranking = search.Ranking();
    if (static_cast<int64_t>(ranking.size()) < count) {
      return absl::InvalidArgumentError(
          absl::StrCat("top_paths: expected at most the ", ranking.size(), " paths of example ", b, ", got ", count));
    }
    for (int64_t p = 0; p < count; ++p) {
      decoded[p][b] = search.LabelsOf(ranking[p], state.merge_repeated);
      score[b * count + p] = static_cast<T>(search.LogProbability(ranking[p]));
    }
    return absl::OkStatus();
  }));
  return SetDecoded(c, decoded);
}

// ---- Shapes and gradients

absl::Status LossShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape inputs, c.WithRank(0, 3));
  RETURN_IF_ERROR(c.WithRank(1, 2).status());
  RETURN_IF_ERROR(c.ExpectVector(2));
  ASSIGN_OR_RETURN(const PartialShape lengths, c.WithRank(3, 1));
  PartialShape batch = inputs.has_rank() ? PartialShape::Of({inputs.dim(1)}) : PartialShape::UnknownOfRank(1);
  ASSIGN_OR_RETURN(batch, batch.MergeWith(lengths));
  c.SetOutput(0, batch);
  c.SetOutput(1, inputs.has_rank() ? PartialShape::Of({inputs.dim(0), batch.dim(0), inputs.dim(2)}) : inputs);
  return absl::OkStatus();
}

absl::Status DecoderShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape inputs, c.WithRank(0, 3));
  ASSIGN_OR_RETURN(const PartialShape lengths, c.WithRank(1, 1));
  PartialShape batch = inputs.has_rank() ? PartialShape::Of({inputs.dim(1)}) : PartialShape::UnknownOfRank(1);
  ASSIGN_OR_RETURN(batch, batch.MergeWith(lengths));
  const int count = (c.num_outputs() - 1) / 3;
  for (int p = 0; p < count; ++p) {
    c.SetOutput(p, PartialShape::Of({-1, 2}));
    c.SetOutput(count + p, PartialShape::UnknownOfRank(1));
    c.SetOutput(2 * count + p, PartialShape::Of({2}));
  }
  c.SetOutput(3 * count, PartialShape::Of({batch.dim(0), count}));
  return absl::OkStatus();
}

// The op computes the gradient of each loss already, and it has none itself.
absl::Status LossGradient(GradContext& c) {
  const Output gradient =
      c.Op("PreventGradient", {c.output(1)}, {{"message", "the gradient of a CTC loss has no gradient"}});
  c.Set(0, c.Op("ExpandDims", {c.grad(0), -1}) * gradient);
  return absl::OkStatus();
}

// ---- Registration

absl::StatusOr<Kernel> LossKernel(const NodeInfo& node) {
  auto state = std::make_shared<LossState>();
  ASSIGN_OR_RETURN(state->collapse_repeated, node.Bool("preprocess_collapse_repeated"));
  ASSIGN_OR_RETURN(state->merge_repeated, node.Bool("ctc_merge_repeated"));
  ASSIGN_OR_RETURN(state->ignore_longer, node.Bool("ignore_longer_outputs_than_inputs"));
  state->blank_first = node.schema().name() == "CTCLossV2";
  const KernelFn fn = DispatchDType<kCtcTypes>(node.input_dtype(0), KernelFn{},
                                               []<typename T>() -> KernelFn { return &RunKernel<Loss<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

absl::StatusOr<Kernel> DecoderKernel(const NodeInfo& node) {
  auto state = std::make_shared<DecoderState>();
  const bool greedy = node.schema().name() == "CTCGreedyDecoder";
  ASSIGN_OR_RETURN(state->merge_repeated, node.Bool("merge_repeated"));
  if (greedy) {
    ASSIGN_OR_RETURN(state->blank_index, node.Int("blank_index"));
  } else {
    ASSIGN_OR_RETURN(state->beam_width, node.Int("beam_width"));
    ASSIGN_OR_RETURN(state->top_paths, node.Int("top_paths"));
  }
  const KernelFn fn = DispatchDType<kCtcTypes>(node.input_dtype(0), KernelFn{}, [&]<typename T>() -> KernelFn {
    return greedy ? &RunKernel<GreedyDecode<T>> : &RunKernel<BeamSearchDecode<T>>;
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn, .state = std::move(state)};
}

}  // namespace

absl::Status RegisterCtcOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = kCtcTypes,
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("CTCLoss", "Connectionist temporal classification: losses of label sequences", LossShape,
                      LossKernel, LossGradient));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("CTCLossV2"),
                               .doc = "CTCLoss whose class 0 is blank",
                               .shape = LossShape,
                               .kernel = LossKernel,
                               .gradient = LossGradient}));
  RETURN_IF_ERROR(add("CTCGreedyDecoder", "Label sequences of the likeliest classes", DecoderShape, DecoderKernel,
                      gradients::None));
  return add("CTCBeamSearchDecoder", "The likeliest label sequences, by beam search", DecoderShape, DecoderKernel,
             gradients::None);
}

}  // namespace flowlatch
