// Sets: the elements along the last dimension of a dense or sparse tensor, each counted once.
//   DenseToDense, DenseToSparse, SparseToSparseSetOperation(set1, set2): "a-b", "b-a", "intersection" or "union" of the
//     sets at each place of the other dimensions, which must be equal -> a sparse [dims.., size of the largest], elements
//     ascending.
//   SetSize: how many elements each set has, [dims..].
// With validate_indices, indices of sparse sets must ascend; they must be in their dense shape in any case.
#include "ops/set_ops.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kElementTypes{DType::kInt8,  DType::kInt16,  DType::kInt32, DType::kInt64,
                                 DType::kUInt8, DType::kUInt16, DType::kString};

enum class SetOp { kAMinusB, kBMinusA, kIntersection, kUnion };

class SetState : public KernelState {
 public:
  SetOp op = SetOp::kUnion;
  bool validate = true;
};

// Strings are looked at where they are.
template <typename T>
using Element = std::conditional_t<std::is_same_v<T, String>, std::string_view, T>;

// The sets of a tensor: those that are not empty, by their place in `dims`.
template <typename T>
struct Sets {
  Dims dims;
  std::map<int64_t, std::vector<Element<T>>> sets;  // ascending, without repetitions

  void Finish() {
    for (auto& [place, set] : sets) {
      std::sort(set.begin(), set.end());
      set.erase(std::unique(set.begin(), set.end()), set.end());
    }
  }
};

absl::Status ExpectRank(int rank) {
  if (rank >= 2) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("sets: expected at least 2 dimensions, got ", rank));
}

template <typename T>
absl::StatusOr<Sets<T>> DenseSets(const Tensor& t) {
  RETURN_IF_ERROR(ExpectRank(t.rank()));
  Sets<T> sets;
  sets.dims.assign(t.dims().begin(), t.dims().end() - 1);
  const int64_t size = t.dim(t.rank() - 1);
  for (int64_t i = 0; i < t.num_elements(); ++i) sets.sets[i / size].push_back(t.data<T>()[i]);
  sets.Finish();
  return sets;
}

template <typename T>
absl::StatusOr<Sets<T>> SparseSets(const KernelCall& c, int first, bool validate) {
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(first), c.input(first + 1), c.input(first + 2), "set_"));
  RETURN_IF_ERROR(ExpectRank(sparse.rank()));
  RETURN_IF_ERROR(CheckPlaces(sparse, "set_"));
  for (int64_t i = 1; validate && i < sparse.n; ++i) {
    if (CompareIndices(sparse.indices.row(i - 1), sparse.indices.row(i)) >= 0) {
      return absl::InvalidArgumentError(absl::StrCat("set_indices[", i, "]: expected one after that before it, got another"));
    }
  }
  Sets<T> sets;
  sets.dims.assign(sparse.dims.begin(), sparse.dims.end() - 1);
  RETURN_IF_ERROR(Shape::Make(sets.dims).status());
  for (int64_t i = 0; i < sparse.n; ++i) {
    sets.sets[FlatPlace(sparse.indices.row(i).first(sets.dims.size()), sets.dims)].push_back(sparse.data<T>()[i]);
  }
  sets.Finish();
  return sets;
}

template <typename E>
std::vector<E> Combine(SetOp op, const std::vector<E>& a, const std::vector<E>& b) {
  std::vector<E> out;
  const auto into = std::back_inserter(out);
  switch (op) {
    case SetOp::kAMinusB: std::set_difference(a.begin(), a.end(), b.begin(), b.end(), into); break;
    case SetOp::kBMinusA: std::set_difference(b.begin(), b.end(), a.begin(), a.end(), into); break;
    case SetOp::kIntersection: std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), into); break;
    case SetOp::kUnion: std::set_union(a.begin(), a.end(), b.begin(), b.end(), into); break;
  }
  return out;
}

// kDense: how many of the two operands are dense.
template <typename T, int kDense>
absl::Status CombineSets(KernelCall& c) {
  using E = Element<T>;
  const SetState& state = c.state<SetState>();
  Sets<T> a, b;
  if constexpr (kDense > 0) {
    ASSIGN_OR_RETURN(a, DenseSets<T>(c.input(0)));
  } else {
    ASSIGN_OR_RETURN(a, SparseSets<T>(c, 0, state.validate));
  }
  if constexpr (kDense > 1) {
    ASSIGN_OR_RETURN(b, DenseSets<T>(c.input(1)));
  } else {
    ASSIGN_OR_RETURN(b, SparseSets<T>(c, kDense > 0 ? 1 : 3, state.validate));
  }
  if (a.dims != b.dims) {
    return absl::InvalidArgumentError(absl::StrCat("dimensions before the last of both sets: expected the same, got ",
                                                   DimsToString(a.dims), " and ", DimsToString(b.dims)));
  }
  for (const auto& [place, set] : b.sets) a.sets[place];  // every place that has a set, in order
  IndexRows rows{.rank = static_cast<int>(a.dims.size()) + 1, .numbers = {}};
  std::vector<E> elements;
  int64_t largest = 0;
  const std::vector<E> nothing;
  for (const auto& [place, set] : a.sets) {
    const auto other = b.sets.find(place);
    const std::vector<E> result = Combine(state.op, set, other != b.sets.end() ? other->second : nothing);
    Dims index(rows.rank);
    int64_t rest = place;
    for (int d = rows.rank - 2; d >= 0; --d) {
      index[d] = rest % a.dims[d];
      rest /= a.dims[d];
    }
    for (const E& element : result) {
      rows.Append(index);
      ++index.back();
      elements.push_back(element);
    }
    largest = std::max(largest, static_cast<int64_t>(result.size()));
  }
  const int64_t n = static_cast<int64_t>(elements.size());
  RETURN_IF_ERROR(SetIndexRows(c, 0, rows, n));
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, kDTypeOf<T>, {n}));
  std::copy(elements.begin(), elements.end(), values->mutable_data<T>());
  a.dims.push_back(largest);
  return SetInts(c, 2, a.dims);
}

template <typename T>
absl::Status SetSize(KernelCall& c) {
  ASSIGN_OR_RETURN(const Sets<T> sets, SparseSets<T>(c, 0, c.state<SetState>().validate));
  ASSIGN_OR_RETURN(Tensor * sizes, c.AllocateOutput(0, DType::kInt32, sets.dims));
  int32_t* to = sizes->mutable_data<int32_t>();
  std::fill_n(to, sizes->num_elements(), 0);
  for (const auto& [place, set] : sets.sets) to[place] = static_cast<int32_t>(set.size());
  return absl::OkStatus();
}

template <typename Choose>
KernelFactory SetKernel(Choose choose) {
  return [choose](const NodeInfo& node) -> absl::StatusOr<Kernel> {
    auto state = std::make_shared<SetState>();
    ASSIGN_OR_RETURN(state->validate, node.Bool("validate_indices"));
    if (node.schema().FindAttr("set_operation") != nullptr) {
      ASSIGN_OR_RETURN(std::string name, node.Str("set_operation"));
      absl::AsciiStrToLower(&name);
      if (name == "a-b") state->op = SetOp::kAMinusB;
      else if (name == "b-a") state->op = SetOp::kBMinusA;
      else if (name == "intersection") state->op = SetOp::kIntersection;
      else if (name == "union") state->op = SetOp::kUnion;
      else return absl::InvalidArgumentError(absl::StrCat("set_operation: expected a-b, b-a, intersection or union, got '", name, "'"));
    }
    ASSIGN_OR_RETURN(const DType dtype, node.Type("T"));
    const KernelFn fn = DispatchDType<kElementTypes>(dtype, KernelFn{}, choose);
    if (fn == nullptr) return NoKernelFor(node, dtype);
    return Kernel{.fn = fn, .state = std::move(state)};
  };
}

// ---- Shapes

template <int kDense>
absl::Status CombineShape(ShapeContext& c) {
  int64_t rank = -1;
  const auto note = [&](int64_t got) -> absl::Status {
    if (got < 0) return absl::OkStatus();
    RETURN_IF_ERROR(ExpectRank(static_cast<int>(std::min(got, int64_t{kMaxRank}))));
    if (rank >= 0 && rank != got) {
      return absl::InvalidArgumentError(absl::StrCat("sets: expected both of one rank, got ", rank, " and ", got));
    }
    rank = got;
    return absl::OkStatus();
  };
  for (int i = 0; i < kDense; ++i) RETURN_IF_ERROR(note(c.input(i).rank()));
  for (int i = kDense; i < c.num_inputs(); i += 3) {
    ASSIGN_OR_RETURN(const int64_t got, ExpectSparse(c, i));
    RETURN_IF_ERROR(note(got));
  }
  SetSparseOutput(c, 0, -1, rank);
  return absl::OkStatus();
}

absl::Status SetSizeShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape dense, c.InputAsShape(2));
  if (!dense.has_rank()) return absl::OkStatus();
  RETURN_IF_ERROR(ExpectRank(dense.rank()));
  c.SetOutput(0, PartialShape::FromValid(dense.dims().first(dense.rank() - 1)));
  return absl::OkStatus();
}

template <int kDense>
absl::Status AddSetOperation(OpLibrary& library, const char* op) {
  return library.Add({.signature = TensorFlowSignature(op),
                      .doc = "Differences, intersections and unions of sets",
                      .shape = CombineShape<kDense>,
                      .kernel = SetKernel([]<typename T>() { return &RunKernel<CombineSets<T, kDense>>; }),
                      .dtypes = kElementTypes,
                      .gradient = gradients::None});
}

}  // namespace

absl::Status RegisterSetOps(OpLibrary& library) {
  RETURN_IF_ERROR(AddSetOperation<2>(library, "DenseToDenseSetOperation"));
  RETURN_IF_ERROR(AddSetOperation<1>(library, "DenseToSparseSetOperation"));
  RETURN_IF_ERROR(AddSetOperation<0>(library, "SparseToSparseSetOperation"));
  return library.Add({.signature = TensorFlowSignature("SetSize"),
                      .doc = "Sizes of sets",
                      .shape = SetSizeShape,
                      .kernel = SetKernel([]<typename T>() { return &RunKernel<SetSize<T>>; }),
                      .dtypes = kElementTypes,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
