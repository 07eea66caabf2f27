// Einsum: sums of products of one or two tensors, whose dimensions an equation names.
//   "ij,jk->ik": every label is an index; labels that the output lacks are summed over. A label twice in an operand
//   takes its diagonal, twice in the output fills the output's diagonal. "..." stands for any number of dimensions,
//   which broadcast. inputs: T -> output: T, all number types. Integers wrap.
// Each operand is brought into the form [batch, free, contracted], where that takes copying, and the products of these
// matrices are the output but for the order of its dimensions.
#include "ops/einsum_ops.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/combine.h"
#include "ops/kernels/gemm.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/slice_copy.h"
#include "ops/kernels/strided_copy.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// ---- Equations

// Labels are numbers: those below kFirstEllipsisLabel are characters, the others dimensions of the ellipsis, outermost
// first.
using Label = int;
using Labels = absl::InlinedVector<Label, 8>;
constexpr Label kEllipsis = -1;
constexpr Label kFirstEllipsisLabel = 256;
constexpr int kMaxOperands = 2;
constexpr int64_t kUnseen = -2;

struct Equation : KernelState {
  std::vector<Labels> operands;
  Labels output;
};

absl::Status BadEquation(absl::string_view equation, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("equation: expected ", expected, ", got '", equation, "'"));
}

bool Contains(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

absl::StatusOr<Labels> ParseSubscript(absl::string_view text, absl::string_view equation) {
  Labels labels;
  while (!text.empty()) {
    if (absl::StartsWith(text, "...")) {
      if (Contains(labels, kEllipsis)) return BadEquation(equation, "at most one ellipsis for each tensor");
      labels.push_back(kEllipsis);
      text.remove_prefix(3);
    } else {
      if (text[0] == '.') return BadEquation(equation, "no dots but those of an ellipsis");
      labels.push_back(static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
    }
  }
  return labels;
}

absl::StatusOr<Equation> ParseEquation(absl::string_view text, int num_operands) {
  const std::vector<absl::string_view> sides = absl::StrSplit(text, "->");
  if (sides.size() != 2) return BadEquation(text, "one '->'");
  const std::vector<absl::string_view> operands = absl::StrSplit(sides[0], ',');
  if (operands.size() > kMaxOperands) return BadEquation(text, "one or two operands");
  if (static_cast<int>(operands.size()) != num_operands) {
    return BadEquation(text, absl::StrCat("as many operands as inputs, ", num_operands));
  }
  Equation equation;
  for (const absl::string_view operand : operands) {
    ASSIGN_OR_RETURN(Labels labels, ParseSubscript(operand, text));
    equation.operands.push_back(std::move(labels));
  }
  ASSIGN_OR_RETURN(equation.output, ParseSubscript(sides[1], text));
  for (const Label label : equation.output) {
    const bool known = std::any_of(equation.operands.begin(), equation.operands.end(),
                                   [&](const Labels& l) { return Contains(l, label); });
    if (label != kEllipsis && !known) return BadEquation(text, "labels of the output to be those of operands");
  }
  return equation;
}

// ---- An equation with the dimensions of its operands

struct Sizes {
  // By label; kUnseen for those that no operand has.
  int64_t operator[](Label label) const { return named[label]; }
  std::array<int64_t, kFirstEllipsisLabel + kMaxRank + 1> named;
};

struct Problem {
  std::vector<Labels> operands;  // one label for each dimension
  Labels output;
  Sizes sizes;  // -1: unknown
};

// `labels` with `count` labels in place of the ellipsis, of the `all` that the ellipsis stands for at most.
Labels ExpandEllipsis(const Labels& labels, int count, int all) {
  Labels expanded;
  for (const Label label : labels) {
    if (label != kEllipsis) expanded.push_back(label);
    for (int i = all - count; label == kEllipsis && i < all; ++i) expanded.push_back(kFirstEllipsisLabel + i);
  }
  return expanded;
}

// Adds what a dimension tells of its label's size; either may be -1 (unknown). False if they cannot be one.
bool MergeSize(int64_t size, bool stretches, int64_t* known) {
  if (*known == kUnseen) {
    *known = size;
  } else if (stretches && (size == 1 || *known == 1)) {
    if (*known == 1) *known = size;
  } else if (*known < 0) {
    *known = size;
  } else {
    return size < 0 || size == *known;
  }
  return true;
}

// Dimensions may be -1 (unknown), so that shape function and kernel judge alike.
absl::StatusOr<Problem> Resolve(const Equation& equation, const std::vector<absl::Span<const int64_t>>& dims) {
  Problem problem;
  problem.sizes.named.fill(kUnseen);
  std::vector<int> ellipsis(dims.size());  // how many dimensions it stands for
  for (size_t i = 0; i < dims.size(); ++i) {
    const Labels& labels = equation.operands[i];
    const bool open = Contains(labels, kEllipsis);
    const int rank = static_cast<int>(dims[i].size()), named = static_cast<int>(labels.size()) - (open ? 1 : 0);
    if (open ? rank < named : rank != named) {
      return absl::InvalidArgumentError(absl::StrCat("inputs[", i, "]: expected ", open ? "at least " : "", named,
                                                     " dimensions for its labels, got shape ", DimsToString(dims[i])));
    }
    ellipsis[i] = rank - named;
  }
  const int all = ellipsis.empty() ? 0 : *std::max_element(ellipsis.begin(), ellipsis.end());
  if (all > 0 && !Contains(equation.output, kEllipsis)) {
    return absl::InvalidArgumentError(absl::StrCat("equation: expected an ellipsis in the output for the ", all,
                                                   " dimensions that those of the operands stand for, got none"));
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    Labels labels = ExpandEllipsis(equation.operands[i], ellipsis[i], all);
    for (size_t d = 0; d < labels.size(); ++d) {
      const int64_t size = dims[i][d];
      int64_t& known = problem.sizes.named[labels[d]];
      if (!MergeSize(size, labels[d] >= kFirstEllipsisLabel, &known)) {
        return absl::InvalidArgumentError(absl::StrCat("inputs[", i, "]: expected size ", known, " in dimension ", d,
                                                       ", got shape ", DimsToString(dims[i])));
      }
    }
    problem.operands.push_back(std::move(labels));
  }
  problem.output = ExpandEllipsis(equation.output, all, all);
  return problem;
}

Dims DimsOf(const Labels& labels, const Sizes& sizes) {
  Dims dims;
  for (const Label label : labels) dims.push_back(sizes[label]);
  return dims;
}

absl::Status EinsumShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const std::string text, c.Str("equation"));
  ASSIGN_OR_RETURN(const Equation equation, ParseEquation(text, c.num_inputs()));
  std::vector<absl::Span<const int64_t>> dims;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).has_rank()) {
      if (!Contains(equation.output, kEllipsis))
        c.SetOutput(0, PartialShape::UnknownOfRank(static_cast<int>(equation.output.size())));
      return absl::OkStatus();
    }
    dims.push_back(c.input(i).dims());
  }
  ASSIGN_OR_RETURN(const Problem problem, Resolve(equation, dims));
  ASSIGN_OR_RETURN(PartialShape output, PartialShape::Make(DimsOf(problem.output, problem.sizes)));
  c.SetOutput(0, std::move(output));
  return absl::OkStatus();
}

// ---- Kernel

// An operand with the elements between neighbours along each of its labels; a label that occurs twice walks along the
// diagonal.
struct Operand {
  bool Has(Label label) const { return Contains(labels, label); }
  int64_t Stride(Label label) const {
    int64_t stride = 0;
    for (size_t i = 0; i < labels.size(); ++i) stride += labels[i] == label ? strides[i] : 0;
    return stride;
  }
  StridedView View(const Labels& order, const Sizes& sizes) const {
    StridedView view;
    for (const Label label : order) view.Add(sizes[label], Stride(label));
    return view;
  }
  Labels labels;
  Dims strides;
};

// Dimensions that an operand repeats are left to the other one.
Operand MakeOperand(const Labels& labels, absl::Span<const int64_t> dims, const Sizes& sizes) {
  const Dims strides = StridesOf(dims);
  Operand operand;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (dims[i] != sizes[labels[i]]) continue;
    operand.labels.push_back(labels[i]);
    operand.strides.push_back(strides[i]);
  }
  return operand;
}

Labels Distinct(const Labels& labels) {
  Labels distinct;
  for (const Label label : labels) {
    if (!Contains(distinct, label)) distinct.push_back(label);
  }
  return distinct;
}

template <typename Keep>
Labels Choose(const Labels& labels, Keep&& keep) {
  Labels chosen;
  std::copy_if(labels.begin(), labels.end(), std::back_inserter(chosen), keep);
  return chosen;
}

Labels Joined(std::initializer_list<Labels> groups) {
  Labels all;
  for (const Labels& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

absl::StatusOr<int64_t> CountOf(const Labels& labels, const Sizes& sizes) {
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(DimsOf(labels, sizes)));
  return shape.num_elements();
}

// What moves like a T; strided_copy.h moves storage.
template <typename T>
using StorageOf =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t,
                                                             std::conditional_t<sizeof(T) == 8, uint64_t, Bytes16>>>>;

bool IsPacked(const StridedView& view) {
  return view.axes.empty() || (view.axes.size() == 1 && view.axes[0].stride == 1);
}

// The elements of `tensor` in the order of `order`, summed over the labels that `order` lacks. Not copied where
// they lie so.
template <typename T>
absl::StatusOr<Tensor> Pack(KernelCall& c, const Tensor& tensor, const Operand& operand, const Labels& order,
                            const Sizes& sizes) {
  const StridedView view = operand.View(order, sizes);
  const Labels lonely = Choose(Distinct(operand.labels), [&](Label label) { return !Contains(order, label); });
  const StridedView summed = operand.View(lonely, sizes);
  ASSIGN_OR_RETURN(const int64_t count, CountOf(order, sizes));
  if (lonely.empty() && IsPacked(view)) return tensor;
  ASSIGN_OR_RETURN(Tensor packed, Tensor::Make(kDTypeOf<T>, Shape::FromValid({count})));
  if (lonely.empty()) {
    using E = StorageOf<T>;
    RunLoop(c, count, 1, [&](int64_t begin, int64_t end) {
      CopyFromView(view, static_cast<const E*>(tensor.raw_data()), static_cast<E*>(packed.raw_mutable_data()), begin,
                   end);
    });
    return packed;
  }
  T* to = packed.template mutable_data<T>();
  const T* from = tensor.data<T>();
  ASSIGN_OR_RETURN(const int64_t addends, CountOf(lonely, sizes));
  const int64_t step = view.axes.empty() ? 1 : view.axes.back().stride;
  const int64_t inner = summed.axes.empty() ? 1 : summed.axes.back().stride;
  const auto sum_at = [&](const T* x) {
    using W = combine::Wide<T>;
    W sum = combine::Sum::Identity<W>();
    ForEachRun(summed, 0, addends, [&](int64_t, int64_t place, int64_t n) {
      for (int64_t k = 0; k < n; ++k) sum = combine::Sum::Apply<W>(sum, x[place + k * inner]);
    });
    return T(sum);
  };
  RunLoop(c, count, static_cast<double>(addends), [&](int64_t begin, int64_t end) {
    ForEachRun(view, begin, end, [&](int64_t i, int64_t place, int64_t n) {
      for (int64_t k = 0; k < n; ++k) to[i + k] = sum_at(from + place + k * step);
    });
  });
  return packed;
}

// Output 0 from elements in the order of `order`, which has each label of the output once.
template <typename T>
absl::Status Unpack(KernelCall& c, const Tensor& packed, const Labels& order, const Problem& problem) {
  const Dims dims = DimsOf(problem.output, problem.sizes);
  if (order == problem.output) {
    ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
    ASSIGN_OR_RETURN(c.output(0), packed.Reshaped(shape));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, kDTypeOf<T>, dims));
  if (order.size() < problem.output.size()) std::fill_n(out->mutable_data<T>(), out->num_elements(), T(0));
  ASSIGN_OR_RETURN(const int64_t count, CountOf(order, problem.sizes));
  const StridedView view = Operand{problem.output, StridesOf(dims)}.View(order, problem.sizes);
  using E = StorageOf<T>;
  const E* from = static_cast<const E*>(packed.raw_data());
  E* to = static_cast<E*>(out->raw_mutable_data());
  RunLoop(c, count, 1, [&](int64_t begin, int64_t end) { CopyToView(view, from, to, begin, end); });
  return absl::OkStatus();
}

template <typename T>
absl::Status Multiply(KernelCall& c, const Problem& problem) {
  const Sizes& sizes = problem.sizes;
  const Operand x = MakeOperand(problem.operands[0], c.input(0).dims(), sizes);
  const Operand y = MakeOperand(problem.operands[1], c.input(1).dims(), sizes);
  const Labels output = Distinct(problem.output);
  const Labels batch = Choose(output, [&](Label l) { return x.Has(l) && y.Has(l); });
  const Labels x_free = Choose(output, [&](Label l) { return x.Has(l) && !y.Has(l); });
  const Labels y_free = Choose(output, [&](Label l) { return !x.Has(l) && y.Has(l); });
  const Labels contracted = Choose(Distinct(x.labels), [&](Label l) { return y.Has(l) && !Contains(output, l); });
  const Labels result = Joined({batch, x_free, y_free});

  ASSIGN_OR_RETURN(const int64_t batches, CountOf(batch, sizes));
  ASSIGN_OR_RETURN(const int64_t m, CountOf(x_free, sizes));
  ASSIGN_OR_RETURN(const int64_t n, CountOf(y_free, sizes));
  ASSIGN_OR_RETURN(const int64_t k, CountOf(contracted, sizes));
  ASSIGN_OR_RETURN(const int64_t count, CountOf(result, sizes));
  ASSIGN_OR_RETURN(Tensor product, Tensor::Make(kDTypeOf<T>, Shape::FromValid({count})));
  if (count > 0) {
    // Whichever order an operand has already; the product can read both.
    const auto order_of = [&](const Operand& operand, const Labels& free, bool contracted_first) {
      const Labels first = Joined({batch, free, contracted}), second = Joined({batch, contracted, free});
      const Labels& other = contracted_first ? first : second;
      return IsPacked(operand.View(other, sizes)) ? other : contracted_first ? second : first;
    };
    const Labels x_order = order_of(x, x_free, false), y_order = order_of(y, y_free, true);
    ASSIGN_OR_RETURN(const Tensor x_packed, Pack<T>(c, c.input(0), x, x_order, sizes));
    ASSIGN_OR_RETURN(const Tensor y_packed, Pack<T>(c, c.input(1), y, y_order, sizes));
    const Op op_x = x_order == Joined({batch, x_free, contracted}) ? Op::kNone : Op::kTranspose;
    const Op op_y = y_order == Joined({batch, contracted, y_free}) ? Op::kNone : Op::kTranspose;
    const auto matrix = [&](int64_t i) {
      return GemmArgs<T>::Dense(x_packed.data<T>() + i * m * k, op_x, y_packed.data<T>() + i * k * n, op_y,
                                product.mutable_data<T>() + i * m * n, m, n, k);
    };
    constexpr int64_t kManyMatrices = 8;
    if (batches < kManyMatrices) {
      for (int64_t i = 0; i < batches; ++i) RETURN_IF_ERROR(Gemm(c, matrix(i)));
    } else {
      std::vector<absl::Status> statuses(batches);
      c.ParallelFor(batches, GemmCost<T>(m, n, k) + 50, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) statuses[i] = SerialGemm(matrix(i));
      });
      for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
    }
  }
  return Unpack<T>(c, product, result, problem);
}

template <typename T>
absl::Status Einsum(KernelCall& c) {
  std::vector<absl::Span<const int64_t>> dims;
  for (int i = 0; i < c.num_inputs(); ++i) dims.push_back(c.input(i).dims());
  ASSIGN_OR_RETURN(const Problem problem, Resolve(c.state<Equation>(), dims));
  if (c.num_inputs() == 2) return Multiply<T>(c, problem);
  const Labels output = Distinct(problem.output);
  const Operand x = MakeOperand(problem.operands[0], dims[0], problem.sizes);
  ASSIGN_OR_RETURN(const Tensor packed, Pack<T>(c, c.input(0), x, output, problem.sizes));
  return Unpack<T>(c, packed, output, problem);
}

absl::StatusOr<Kernel> EinsumKernel(const NodeInfo& node) {
  ASSIGN_OR_RETURN(const std::string text, node.Str("equation"));
  ASSIGN_OR_RETURN(Equation equation, ParseEquation(text, node.num_inputs()));
  const KernelFn fn = DispatchDType<kNumberTypes>(node.output_dtype(0), KernelFn{},
                                                  []<typename T>() -> KernelFn { return &RunKernel<Einsum<T>>; });
  if (fn == nullptr) return NoKernelFor(node, node.output_dtype(0));
  return Kernel{.fn = fn, .state = std::make_shared<Equation>(std::move(equation))};
}

// ---- Gradient

bool HasEllipsis(absl::string_view subscript) { return absl::StrContains(subscript, "..."); }

// `grad`, which has broadcast dimensions where the subscript of input i has its ellipsis, summed to those of the input.
Output SumToEllipsisOf(GradContext& c, const Output& grad, int i, absl::string_view subscript) {
  const PartialShape& shape = c.input_shape(i);
  if (!HasEllipsis(subscript) || (shape.fully_defined() && grad.shape() == shape)) return grad;
  const int begin = static_cast<int>(subscript.find("...")), after = static_cast<int>(subscript.size()) - begin - 3;
  const auto stretchable = [&](const Output& whole) {
    return c.Op("StridedSlice", {whole, {begin}, {-after}, {1}}, {{"end_mask", int64_t{after == 0}}});
  };
  const Output target = c.ShapeOfInput(i);
  const Output axes =
      c.MultiOp("BroadcastGradientArgs", {stretchable(target), stretchable(ShapeOf(c, grad))}).output(0);
  return c.Op("Reshape", {c.Op("Sum", {grad, axes + begin}), target});
}

// dx is the einsum of dz and y with the subscripts changed round. Labels that x alone has were summed: they come back
// as a product with ones, which also keeps to the diagonal where x has a label twice.
absl::Status EinsumGrad(GradContext& c) {
  const std::vector<std::string> sides = absl::StrSplit(c.Str("equation"), "->");
  const std::string& output = sides[1];
  std::vector<std::string> subscripts = absl::StrSplit(sides[0], ',');
  for (std::string& subscript : subscripts) {
    if (HasEllipsis(output) && !HasEllipsis(subscript)) subscript += "...";
  }
  const auto einsum = [&](const std::vector<Input>& inputs, const std::string& equation) {
    return c.Op("Einsum", inputs, {{"equation", equation}});
  };
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.needs(i)) continue;
    const std::string& own = subscripts[i];
    const std::string other = c.num_inputs() == 2 ? subscripts[1 - i] : "";
    std::string shared;  // without the labels that were summed
    for (const char label : own) {
      if (absl::StrContains(absl::StrCat(output, other, "."), label)) shared += label;
    }
    Output grad = c.grad();
    std::string subscript = output;
    if (c.num_inputs() == 2) {
      grad = einsum({grad, ConjIfComplex(c, c.input(1 - i))}, absl::StrCat(output, ",", other, "->", shared));
      subscript = shared;
    }
    if (shared != own) {
      const Output ones = c.Op("Fill", {c.ShapeOfInput(i), c.ScalarLike(1, grad)});
      grad = einsum({grad, ones}, absl::StrCat(subscript, ",", own, "->", own));
    } else if (subscript != own) {
      grad = einsum({grad}, absl::StrCat(subscript, "->", own));
    }
    c.Set(i, SumToEllipsisOf(c, grad, i, own));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterEinsumOps(OpLibrary& library) {
  return library.Add({.signature = TensorFlowSignature("Einsum"),
                      .doc = "Sums of products of tensors whose dimensions an equation names",
                      .shape = EinsumShape,
                      .kernel = EinsumKernel,
                      .dtypes = kNumberTypes,
                      .gradient = EinsumGrad});
}

}  // namespace flowlatch
