// Diagonals of batches of matrices [.., rows, cols].
//   MatrixDiag: diagonals -> matrices, `padding_value` elsewhere   MatrixDiagPart: the way back
//   MatrixSetDiag: matrices with other diagonals
// Diagonal d holds the elements [i, i + d]. k chooses one, or a band [lo, hi] of them. One diagonal is packed as [..,
// length], a band as [.., hi - lo + 1, length], highest first; diagonals shorter than the longest are padded at the end
// that attr `align` does not name ("RIGHT_LEFT": those above the main one are moved to the right, those below to the
// left). V2 moves all to the left, and the ops without a number know the main diagonal only. Every dtype.
#include "ops/matrix_diag_ops.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/moving_kernel.h"
#include "ops/kernels/strided_copy.h"

namespace flowlatch {
namespace {

// ---- Bands

struct Band {
  int64_t lo = 0, hi = 0;
  int64_t size() const { return hi - lo + 1; }
  bool is_one() const { return lo == hi; }
};

absl::StatusOr<Band> ReadBand(const Tensor& k) {
  ASSIGN_OR_RETURN(const Dims values, ReadIntVectorOrScalar(k, "k"));
  if (values.empty() || values.size() > 2) {
    return absl::InvalidArgumentError(absl::StrCat("k: expected one or two values, got ", values.size()));
  }
  const Band band{values.front(), values.back()};
  if (band.lo <= band.hi) return band;
  return absl::InvalidArgumentError(absl::StrCat("k: expected ascending values, got [", band.lo, ",", band.hi, "]"));
}

// Where diagonals are in matrices and in their packed form.
struct Layout {
  Band band;
  int64_t rows = 0, cols = 0;
  bool upper_right = false, lower_right = false;  // which diagonals are moved to the right
  int64_t length = 0;                             // of the longest diagonal

  int64_t LengthOf(int64_t d) const {
    return std::clamp<int64_t>(std::min(cols - std::max<int64_t>(d, 0), rows + std::min<int64_t>(d, 0)), 0, length);
  }
  // Before the packed diagonal d begins.
  int64_t PaddingOf(int64_t d) const {
    const bool right = (upper_right && d >= 0) || (lower_right && d <= 0);
    return right ? length - LengthOf(d) : 0;
  }
  // Position of its first element in a matrix.
  int64_t StartOf(int64_t d) const { return d >= 0 ? d : -d * cols; }
};

absl::Status CheckDiagonal(int64_t d, int64_t rows, int64_t cols) {
  if (d == 0 || (d > -rows && d < cols)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("k: expected diagonals between ", -rows, " and ", cols, " (both excluded), got ", d));
}

// Fills in what follows from the matrices' size. Errors: InvalidArgument for a band that is not inside of them.
absl::Status FitToMatrix(int64_t rows, int64_t cols, Layout* layout) {
  const Band band = layout->band;
  RETURN_IF_ERROR(CheckDiagonal(band.lo, rows, cols));
  RETURN_IF_ERROR(CheckDiagonal(band.hi, rows, cols));
  layout->rows = rows;
  layout->cols = cols;
  layout->length =
      std::max<int64_t>(0, std::min(rows + std::min<int64_t>(band.hi, 0), cols + std::min<int64_t>(-band.lo, 0)));
  return absl::OkStatus();
}

// [batch.., length] or [batch.., size, length].
Dims PackedDims(absl::Span<const int64_t> batch, const Band& band, int64_t length) {
  Dims dims(batch.begin(), batch.end());
  if (!band.is_one()) dims.push_back(band.size());
  dims.push_back(length);
  return dims;
}

absl::Status ExpectMatrices(const Tensor& t) {
  if (t.rank() >= 2) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("input: expected rank >= 2, got shape ", t.ShapeString()));
}

int64_t Product(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (const int64_t d : dims) product *= d;
  return product;
}

class DiagState : public KernelState {
 public:
  bool upper_right = false, lower_right = false;
  bool has_k = false;  // not the ops without a number
};

Layout LayoutOf(const KernelCall& c) {
  const DiagState& state = c.state<DiagState>();
  return {.band = {}, .upper_right = state.upper_right, .lower_right = state.lower_right};
}

// Input i, one value; without such an input the dtype's zero.
template <typename E>
absl::StatusOr<E> PaddingInput(const KernelCall& c, int i) {
  if (c.num_inputs() <= i) return E();
  if (c.input(i).num_elements() == 1) return *Elements<E>(c.input(i));
  return absl::InvalidArgumentError(
      absl::StrCat("padding_value: expected a scalar, got shape ", c.input(i).ShapeString()));
}

// ---- MatrixDiagPart

template <typename E>
absl::Status DiagPart(KernelCall& c) {
  const Tensor& input = c.input(0);
  RETURN_IF_ERROR(ExpectMatrices(input));
  Layout layout = LayoutOf(c);
  if (c.state<DiagState>().has_k) {
    ASSIGN_OR_RETURN(layout.band, ReadBand(c.input(1)));
  }
  const absl::Span<const int64_t> batch = input.dims().first(input.rank() - 2);
  RETURN_IF_ERROR(FitToMatrix(input.dim(input.rank() - 2), input.dim(input.rank() - 1), &layout));
  const Dims dims = PackedDims(batch, layout.band, layout.length);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, input.dtype(), dims));
  ASSIGN_OR_RETURN(const E padding, PaddingInput<E>(c, 2));
  if (output->num_elements() == 0) return absl::OkStatus();
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  const int64_t size = layout.band.size();
  RunLoop(c, output->num_elements() / layout.length, 5 + 1.0 * layout.length, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t d = layout.band.hi - i % size;
      const E* matrix = from + i / size * layout.rows * layout.cols;
      E* packed = to + i * layout.length;
      const int64_t first = layout.PaddingOf(d), length = layout.LengthOf(d);
      std::fill_n(packed, first, padding);
      CopyRuns(matrix + layout.StartOf(d), layout.cols + 1, packed + first, 1, 1, length);
      std::fill_n(packed + first + length, layout.length - first - length, padding);
    }
  });
  return absl::OkStatus();
}

// ---- MatrixDiag, MatrixSetDiag

// Writes all diagonals of `matrices` matrices. Requires: both hold what the layout says.
template <typename E>
void WriteDiagonals(const Layout& layout, const E* packed, E* to, int64_t matrices) {
  if (layout.length == 0) return;
  for (int64_t m = 0; m < matrices; ++m, to += layout.rows * layout.cols) {
    for (int64_t d = layout.band.hi; d >= layout.band.lo; --d, packed += layout.length) {
      CopyRuns(packed + layout.PaddingOf(d), 1, to + layout.StartOf(d), layout.cols + 1, 1, layout.LengthOf(d));
    }
  }
}

// The size of matrices for diagonals of `length`: what is given (-1: nothing), as small as can be where it is not, but
// square if neither is. Errors: InvalidArgument when no such matrix has a longest diagonal of this length.
absl::Status SizeForDiagonals(const Band& band, int64_t length, int64_t* rows, int64_t* cols) {
  const int64_t least_rows = length - std::min<int64_t>(band.hi, 0);
  const int64_t least_cols = length + std::max<int64_t>(band.lo, 0);
  const bool square = *rows == -1 && *cols == -1;
  if (square) {
    *rows = *cols = std::max(least_rows, least_cols);
  } else {
    if (*rows == -1) *rows = least_rows;
    if (*cols == -1) *cols = least_cols;
  }
  if (*rows >= least_rows && *cols >= least_cols && (*rows == least_rows || *cols == least_cols)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("size of matrices for diagonals of length ", length, ": expected ",
                                                 least_rows, " rows or ", least_cols, " columns and no fewer, got ",
                                                 *rows, " and ", *cols));
}

// Leading dimensions of packed diagonals. Errors: InvalidArgument when they are not as many as the band has.
absl::StatusOr<absl::Span<const int64_t>> BatchOf(absl::Span<const int64_t> packed, const Band& band) {
  const size_t inner = band.is_one() ? 1 : 2;
  if (packed.size() < inner) {
    return absl::InvalidArgumentError(
        absl::StrCat("diagonal: expected rank >= ", inner, ", got shape ", DimsToString(packed)));
  }
  if (inner == 2 && packed[packed.size() - 2] != band.size() && packed[packed.size() - 2] != -1) {
    return absl::InvalidArgumentError(
        absl::StrCat("diagonal: expected ", band.size(), " diagonals, got shape ", DimsToString(packed)));
  }
  return packed.first(packed.size() - inner);
}

template <typename E>
absl::Status Diag(KernelCall& c) {
  const Tensor& diagonal = c.input(0);
  Layout layout = LayoutOf(c);
  int64_t rows = -1, cols = -1;
  if (c.state<DiagState>().has_k) {
    ASSIGN_OR_RETURN(layout.band, ReadBand(c.input(1)));
    ASSIGN_OR_RETURN(rows, ReadIntScalar(c.input(2), "num_rows"));
    ASSIGN_OR_RETURN(cols, ReadIntScalar(c.input(3), "num_cols"));
  }
  ASSIGN_OR_RETURN(const absl::Span<const int64_t> batch, BatchOf(diagonal.dims(), layout.band));
  RETURN_IF_ERROR(SizeForDiagonals(layout.band, diagonal.dims().back(), &rows, &cols));
  layout.rows = rows;
  layout.cols = cols;
  layout.length = diagonal.dims().back();
  Dims dims(batch.begin(), batch.end());
  dims.push_back(rows);
  dims.push_back(cols);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, diagonal.dtype(), dims));
  ASSIGN_OR_RETURN(const E padding, PaddingInput<E>(c, 4));
  if (output->num_elements() == 0) return absl::OkStatus();
  const E* from = Elements<E>(diagonal);
  E* to = MutableElements<E>(*output);
  const int64_t elements = rows * cols, packed = layout.band.size() * layout.length;
  RunLoop(c, Product(batch), 5 + 0.2 * elements + 1.0 * packed, [&](int64_t begin, int64_t end) {
    FillRun(padding, to + begin * elements, (end - begin) * elements);
    WriteDiagonals(layout, from + begin * packed, to + begin * elements, end - begin);
  });
  return absl::OkStatus();
}

template <typename E>
absl::Status SetDiag(KernelCall& c) {
  const Tensor& input = c.input(0);
  const Tensor diagonal = c.input(1);
  RETURN_IF_ERROR(ExpectMatrices(input));
  Layout layout = LayoutOf(c);
  if (c.state<DiagState>().has_k) {
    ASSIGN_OR_RETURN(layout.band, ReadBand(c.input(2)));
  }
  const absl::Span<const int64_t> batch = input.dims().first(input.rank() - 2);
  RETURN_IF_ERROR(FitToMatrix(input.dim(input.rank() - 2), input.dim(input.rank() - 1), &layout));
  const Dims want = PackedDims(batch, layout.band, layout.length);
  if (diagonal.dims() != absl::MakeConstSpan(want)) {
    return absl::InvalidArgumentError(
        absl::StrCat("diagonal: expected shape ", DimsToString(want), ", got ", diagonal.ShapeString()));
  }
  const int64_t matrices = Product(batch), elements = layout.rows * layout.cols;
  ASSIGN_OR_RETURN(Tensor * output, c.ForwardOrAllocate(0, 0, input.dtype(), input.shape()));
  if (output->num_elements() == 0) return absl::OkStatus();
  const E* from = Elements<E>(input);
  E* to = MutableElements<E>(*output);
  const E* packed = Elements<E>(diagonal);
  const int64_t packed_elements = layout.band.size() * layout.length;
  RunLoop(c, matrices, 5 + 0.2 * elements + 1.0 * packed_elements, [&](int64_t begin, int64_t end) {
    if (to != from) CopyRun(from + begin * elements, to + begin * elements, (end - begin) * elements);
    WriteDiagonals(layout, packed + begin * packed_elements, to + begin * elements, end - begin);
  });
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const KernelState>> MakeDiagState(const NodeInfo& node) {
  auto state = std::make_shared<DiagState>();
  state->has_k = node.num_inputs() > 2;
  if (node.schema().FindAttr("align") != nullptr) {
    ASSIGN_OR_RETURN(const std::string align, node.Str("align"));
    state->upper_right = align.starts_with("RIGHT_");
    state->lower_right = align.ends_with("_RIGHT");
  }
  return std::shared_ptr<const KernelState>(std::move(state));
}

// ---- Shapes

// The band if it is known before the run; the main diagonal for ops without k.
absl::StatusOr<std::optional<Band>> KnownBand(const ShapeContext& c, int k_input) {
  if (c.num_inputs() <= 2) return std::optional<Band>(Band{});
  const PartialShape& k = c.input(k_input);
  if (k.rank() > 1) return c.WithRank(k_input, 1).status();
  if (c.constant(k_input) == nullptr) return std::optional<Band>();
  ASSIGN_OR_RETURN(const Band band, ReadBand(*c.constant(k_input)));
  return std::optional<Band>(band);
}

absl::Status DiagPartShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, 2));
  ASSIGN_OR_RETURN(const std::optional<Band> band, KnownBand(c, 1));
  if (!input.has_rank() || !band.has_value()) return absl::OkStatus();
  const int rank = input.rank();
  int64_t length = -1;
  if (input.has_dim(rank - 2) && input.has_dim(rank - 1)) {
    Layout layout{.band = *band};
    RETURN_IF_ERROR(FitToMatrix(input.dim(rank - 2), input.dim(rank - 1), &layout));
    length = layout.length;
  }
  c.SetOutput(0, PartialShape::FromValid(PackedDims(input.dims().first(rank - 2), *band, length)));
  return absl::OkStatus();
}

absl::Status DiagShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape diagonal, c.WithRankAtLeast(0, 1));
  ASSIGN_OR_RETURN(const std::optional<Band> band, KnownBand(c, 1));
  if (!diagonal.has_rank() || !band.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const absl::Span<const int64_t> batch, BatchOf(diagonal.dims(), *band));
  std::optional<int64_t> rows = -1, cols = -1;
  if (c.num_inputs() > 2) {
    ASSIGN_OR_RETURN(rows, c.ConstantInt(2));
    ASSIGN_OR_RETURN(cols, c.ConstantInt(3));
  }
  Dims dims(batch.begin(), batch.end());
  if (rows.has_value() && cols.has_value() && diagonal.dims().back() >= 0) {
    int64_t r = *rows, k = *cols;
    RETURN_IF_ERROR(SizeForDiagonals(*band, diagonal.dims().back(), &r, &k));
    rows = r;
    cols = k;
  }
  dims.push_back(rows.value_or(-1));
  dims.push_back(cols.value_or(-1));
  ASSIGN_OR_RETURN(PartialShape matrices, PartialShape::Make(dims));
  c.SetOutput(0, std::move(matrices));
  return absl::OkStatus();
}

absl::Status SetDiagShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape input, c.WithRankAtLeast(0, 2));
  RETURN_IF_ERROR(c.WithRankAtLeast(1, 1).status());
  ASSIGN_OR_RETURN(const std::optional<Band> band, KnownBand(c, 2));
  if (input.has_rank() && band.has_value()) {
    const Dims packed = PackedDims(input.dims().first(input.rank() - 2), *band, -1);
    RETURN_IF_ERROR(c.input(1).MergeWith(PartialShape::FromValid(packed)).status());
  }
  c.SetOutput(0, std::move(input));
  return absl::OkStatus();
}

// ---- Gradients: the other ops of the same version ("", "V2", "V3")

std::string Version(const GradContext& c) {
  return c.op().ends_with("V2") || c.op().ends_with("V3") ? c.op().substr(c.op().size() - 2) : "";
}

// MatrixDiagPart of the gradient. k is input `k` of the forward op; the oldest version has none.
Output PartOfGrad(GradContext& c, int k) {
  const std::string version = Version(c);
  std::vector<Input> inputs{c.grad()};
  if (!version.empty()) {
    inputs.push_back(c.input(k));
    inputs.push_back(c.ScalarLike(0, c.grad()));
  }
  return c.Op("MatrixDiagPart" + version, inputs, c.CopyAttrs({"align"}));
}

Output WithDiagonal(GradContext& c, const Output& matrix, const Output& diagonal, int k) {
  const std::string version = Version(c);
  std::vector<Input> inputs{matrix, diagonal};
  if (!version.empty()) inputs.push_back(c.input(k));
  return c.Op("MatrixSetDiag" + version, inputs, c.CopyAttrs({"align"}));
}

absl::Status DiagGrad(GradContext& c) {
  c.Set(0, PartOfGrad(c, 1));
  return absl::OkStatus();
}

absl::Status DiagPartGrad(GradContext& c) {
  c.Set(0, WithDiagonal(c, ZerosLikeInput(c, 0), c.grad(), 1));
  return absl::OkStatus();
}

absl::Status SetDiagGrad(GradContext& c) {
  if (c.needs(0)) c.Set(0, WithDiagonal(c, c.grad(), ZerosLikeInput(c, 1), 2));
  if (c.needs(1)) c.Set(1, PartOfGrad(c, 2));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterMatrixDiagOps(OpLibrary& library) {
  const auto add_all = [&](const std::string& name, std::string_view doc, ShapeFunction shape,
                           const KernelFactory& kernel, GradFunction gradient) -> absl::Status {
    for (const char* version : {"", "V2", "V3"}) {
      RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(name + version),
                                   .doc = doc,
                                   .shape = shape,
                                   .kernel = kernel,
                                   .gradient = gradient}));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(add_all("MatrixDiag", "Matrices with the given diagonals", DiagShape,
                          MovingKernel([]<typename E>() { return &RunKernel<Diag<E>>; }, MakeDiagState), DiagGrad));
  RETURN_IF_ERROR(add_all("MatrixDiagPart", "Diagonals of matrices", DiagPartShape,
                          MovingKernel([]<typename E>() { return &RunKernel<DiagPart<E>>; }, MakeDiagState),
                          DiagPartGrad));
  return add_all("MatrixSetDiag", "The matrices with other diagonals", SetDiagShape,
                 MovingKernel([]<typename E>() { return &RunKernel<SetDiag<E>>; }, MakeDiagState), SetDiagGrad);
}

}  // namespace flowlatch
