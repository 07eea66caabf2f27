// EditDistance: how many elements must be inserted, dropped or replaced to make each sequence of hypothesis, the entries
// along the last dimension of a sparse tensor, the one of truth at the same place -> float32 [dims..], with the larger of
// both in each dimension. normalize divides by the length of the truth: over nothing that is 0 for nothing, else infinite.
#include "ops/edit_distance_ops.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kElementTypes = kNumberTypes | DTypeSet{DType::kString};

class DistanceState : public KernelState {
 public:
  explicit DistanceState(bool normalize) : normalize(normalize) {}
  const bool normalize;
};

template <typename T>
int64_t Distance(absl::Span<const T> a, absl::Span<const T> b) {
  std::vector<int64_t> row(b.size() + 1);  // distances of what was read of a to each beginning of b
  for (size_t k = 0; k < row.size(); ++k) row[k] = static_cast<int64_t>(k);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i) + 1;
    for (size_t k = 0; k < b.size(); ++k) {
      const int64_t replaced = diagonal + (a[i] == b[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, row[k] + 1, row[k + 1] + 1});
    }
  }
  return row.back();
}

// Where the sequences of a sparse tensor are, by their place in `dims`.
std::map<int64_t, EntryGroup> Sequences(const SparseInput& sparse, absl::Span<const int64_t> dims) {
  std::map<int64_t, EntryGroup> sequences;
  const int outer = static_cast<int>(dims.size());
  for (const EntryGroup& group : GroupsOf(sparse.indices, outer)) {
    sequences[FlatPlace(sparse.indices.row(group.begin).first(outer), dims)] = group;
  }
  return sequences;
}

template <typename T>
absl::Status EditDistance(KernelCall& c) {
  const bool normalize = c.state<DistanceState>().normalize;
  ASSIGN_OR_RETURN(const SparseInput hypothesis, ReadSparse(c.input(0), c.input(1), c.input(2), "hypothesis_"));
  ASSIGN_OR_RETURN(const SparseInput truth, ReadSparse(c.input(3), c.input(4), c.input(5), "truth_"));
  if (hypothesis.rank() < 2 || hypothesis.rank() != truth.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("hypothesis and truth: expected one rank of at least 2, got ",
                                                   hypothesis.rank(), " and ", truth.rank()));
  }
  RETURN_IF_ERROR(CheckPlaces(hypothesis, "hypothesis_"));
  RETURN_IF_ERROR(CheckPlaces(truth, "truth_"));
  Dims dims;
  for (int d = 0; d + 1 < truth.rank(); ++d) dims.push_back(std::max(hypothesis.dims[d], truth.dims[d]));
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kFloat32, dims));
  float* to = output->mutable_data<float>();
  std::fill_n(to, output->num_elements(), 0.0f);
  std::map<int64_t, EntryGroup> sequences = Sequences(hypothesis, dims);
  const std::map<int64_t, EntryGroup> truths = Sequences(truth, dims);
  for (const auto& [place, group] : truths) sequences[place];
  for (const auto& [place, group] : sequences) {
    const auto found = truths.find(place);
    const EntryGroup target = found != truths.end() ? found->second : EntryGroup{};
    const auto part = [](const SparseInput& sparse, const EntryGroup& g) {
      return sparse.values->values<T>().subspan(g.begin, g.end - g.begin);
    };
    const absl::Span<const T> want = part(truth, target);
    const float distance = static_cast<float>(Distance(part(hypothesis, group), want));
    if (!normalize) to[place] = distance;
    else if (!want.empty()) to[place] = distance / static_cast<float>(want.size());
    else to[place] = distance > 0 ? std::numeric_limits<float>::infinity() : 0.0f;
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> EditDistanceKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const bool normalize, node.Bool("normalize"));
  const KernelFn fn = DispatchDType<kElementTypes>(node.input_dtype(1), KernelFn{},
                                                   []<typename T>() { return &RunKernel<EditDistance<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(1));
  return Kernel{.fn = fn, .state = std::make_shared<DistanceState>(normalize)};
}

absl::Status EditDistanceShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectSparse(c, 0).status());
  RETURN_IF_ERROR(ExpectSparse(c, 3).status());
  ASSIGN_OR_RETURN(const PartialShape hypothesis, c.InputAsShape(2));
  ASSIGN_OR_RETURN(const PartialShape truth, c.InputAsShape(5));
  if (!hypothesis.has_rank() || !truth.has_rank()) return absl::OkStatus();
  if (hypothesis.rank() < 2 || hypothesis.rank() != truth.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("hypothesis and truth: expected one rank of at least 2, got ",
                                                   hypothesis.rank(), " and ", truth.rank()));
  }
  Dims dims;
  for (int d = 0; d + 1 < truth.rank(); ++d) {
    dims.push_back(hypothesis.has_dim(d) && truth.has_dim(d) ? std::max(hypothesis.dim(d), truth.dim(d)) : -1);
  }
  c.SetOutput(0, PartialShape::FromValid(dims));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterEditDistanceOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("EditDistance"),
                      .doc = "How many edits make each sequence another",
                      .shape = EditDistanceShape,
                      .kernel = EditDistanceKernel,
                      .dtypes = kElementTypes,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
