// Fourier transforms over the last one, two (2D) or three (3D) dimensions.
//   FFT, IFFT: complex x -> y of the same shape; IFFT divides by the number of elements
//   RFFT: real x, fft_length -> of its transform, whose last dimension is symmetric, the first n / 2 + 1 elements
//   IRFFT: those -> x. Both use the first fft_length elements of each dimension (n / 2 + 1 of the last one of a
//     spectrum)
// complex64 and float32, complex128 and float64; computed in double. Dimensions of 0 count as zeros.
#include "ops/fft_ops.h"

#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/fft.h"
#include "ops/kernels/inputs.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

using Complex = Fft::Complex;
constexpr int kMaxAxes = 3;

enum class Kind { kComplex, kFromReal, kToReal };

struct FftState final : KernelState {
  int axes = 1;
  bool inverse = false;
  Kind kind = Kind::kComplex;
};

// The transformed dimensions of one item; the whole tensor is a batch of items.
struct Geometry {
  std::vector<int64_t> input, length, output;
  std::vector<int64_t> used;  // of the input: what is read

  static int64_t Size(const std::vector<int64_t>& dims) {
    int64_t size = 1;
    for (const int64_t d : dims) size *= d;
    return size;
  }
};

int64_t HalfOf(int64_t n) { return n / 2 + 1; }

absl::StatusOr<Geometry> PlanTransform(const FftState& state, KernelCall& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < state.axes) {
    return absl::InvalidArgumentError(
        absl::StrCat("input: expected at least ", state.axes, " dimensions, got shape ", x.ShapeString()));
  }
  Geometry g;
  g.input.assign(x.dims().end() - state.axes, x.dims().end());
  g.length = g.input;
  if (state.kind != Kind::kComplex) {
    ASSIGN_OR_RETURN(const Dims length, ReadIntVector(c.input(1), "fft_length"));
    if (static_cast<int>(length.size()) != state.axes) {
      return absl::InvalidArgumentError(
          absl::StrCat("fft_length: expected ", state.axes, " values, got ", length.size()));
    }
    g.length.assign(length.begin(), length.end());
  }
  g.used = g.output = g.length;
  if (state.kind == Kind::kFromReal) g.output.back() = HalfOf(g.length.back());
  if (state.kind == Kind::kToReal) g.used.back() = HalfOf(g.length.back());
  for (int i = 0; i < state.axes; ++i) {
    if (g.length[i] < 1 && state.kind != Kind::kComplex) {
      return absl::InvalidArgumentError(absl::StrCat("fft_length[", i, "]: expected a value > 0, got ", g.length[i]));
    }
    if (g.input[i] < g.used[i] && g.input[i] != 0) {
      return absl::InvalidArgumentError(absl::StrCat("input: expected at least ", g.used[i], " elements in dimension ",
                                                     i, " of the transform, got shape ", x.ShapeString()));
    }
  }
  return g;
}

// Transforms axis `axis` of a dense block with these dimensions in place.
void TransformAxis(const std::vector<int64_t>& dims, int axis, Fft& fft, Complex* block) {
  const int64_t n = dims[axis];
  int64_t inner = 1;
  for (size_t i = axis + 1; i < dims.size(); ++i) inner *= dims[i];
  const int64_t outer = Geometry::Size(dims) / (n * inner);
  std::vector<Complex> line(n), result(n);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      Complex* at = block + o * n * inner + i;
      for (int64_t k = 0; k < n; ++k) line[k] = at[k * inner];
      fft.Run(line.data(), result.data());
      for (int64_t k = 0; k < n; ++k) at[k * inner] = result[k];
    }
  }
}

// Calls visit(offset in the larger block, offset in the smaller) for all elements of the smaller one, which is its
// corner.
template <typename Visit>
void ForEachInCorner(const std::vector<int64_t>& larger, const std::vector<int64_t>& smaller, const Visit& visit) {
  std::array<int64_t, kMaxAxes> at{};
  const int64_t size = Geometry::Size(smaller);
  for (int64_t i = 0; i < size; ++i) {
    int64_t offset = 0;
    for (size_t d = 0; d < smaller.size(); ++d) offset = offset * larger[d] + at[d];
    visit(offset, i);
    for (int d = static_cast<int>(smaller.size()) - 1; d >= 0 && ++at[d] == smaller[d]; --d) at[d] = 0;
  }
}

// Lines of `half` = n / 2 + 1 elements of a symmetric spectrum become lines of n, and then real values.
template <typename Real>
void TransformToReal(int64_t n, Fft& fft, int64_t lines, const Complex* spectrum, double scale, Real* to) {
  const int64_t half = HalfOf(n);
  std::vector<Complex> line(n), result(n);
  for (int64_t l = 0; l < lines; ++l) {
    std::copy_n(spectrum + l * half, half, line.begin());
    for (int64_t k = half; k < n; ++k) line[k] = std::conj(line[n - k]);
    line[0].imag(0);
    if (n % 2 == 0) line[n / 2].imag(0);
    fft.Run(line.data(), result.data());
    for (int64_t k = 0; k < n; ++k) to[l * n + k] = static_cast<Real>(result[k].real() * scale);
  }
}

template <typename Real, Kind kKind>
absl::Status Transform(KernelCall& c) {
  using In = std::conditional_t<kKind == Kind::kFromReal, Real, std::complex<Real>>;
  using Out = std::conditional_t<kKind == Kind::kToReal, Real, std::complex<Real>>;
  const FftState& state = c.state<FftState>();
  ASSIGN_OR_RETURN(const Geometry g, PlanTransform(state, c));
  const Tensor& x = c.input(0);
  Dims dims(x.dims().begin(), x.dims().end() - state.axes);
  dims.insert(dims.end(), g.output.begin(), g.output.end());
  ASSIGN_OR_RETURN(Tensor* output, c.AllocateOutput(0, kDTypeOf<Out>, dims));
  Out* to = output->mutable_data<Out>();
  if (output->num_elements() == 0) return absl::OkStatus();
  if (x.num_elements() == 0) {
    std::fill_n(to, output->num_elements(), Out(0));
    return absl::OkStatus();
  }
  const In* from = x.data<In>();
  std::vector<Fft> plans;
  for (const int64_t n : g.length) plans.emplace_back(n, state.inverse);
  const int64_t input_size = Geometry::Size(g.input), output_size = Geometry::Size(g.output);
  const int64_t batch = output->num_elements() / output_size;
  const double points = static_cast<double>(Geometry::Size(g.length));
  const double scale = state.inverse ? 1 / points : 1;
  c.ParallelFor(batch, 30 * points, [&](int64_t begin, int64_t end) {
    std::vector<Fft> ffts = plans;
    std::vector<Complex> block(Geometry::Size(g.used));
    for (int64_t b = begin; b < end; ++b) {
      const In* item = from + b * input_size;
      ForEachInCorner(g.input, g.used, [&](int64_t i, int64_t k) { block[k] = static_cast<Complex>(item[i]); });
      const int whole = kKind == Kind::kToReal ? state.axes - 1 : state.axes;
      for (int axis = 0; axis < whole; ++axis) TransformAxis(g.used, axis, ffts[axis], block.data());
      Out* result = to + b * output_size;
      if constexpr (kKind == Kind::kToReal) {
        const int64_t n = g.length.back();
        TransformToReal(n, ffts.back(), output_size / n, block.data(), scale, result);
      } else {
        ForEachInCorner(g.used, g.output,
                        [&](int64_t i, int64_t k) { result[k] = static_cast<Out>(block[i] * scale); });
      }
    }
  });
  return absl::OkStatus();
}

// ---- Gradients

Output Last(GradContext& c, const Output& vector) {
  return c.Op("StridedSlice", {vector, {-1}, {0}, {1}}, {{"end_mask", int64_t{1}}});
}

// The last `count` dimensions of x, an int32 vector.
Output LastDims(GradContext& c, const Output& shape, int count) {
  return c.Op("StridedSlice", {shape, {-count}, {0}, {1}}, {{"end_mask", int64_t{1}}});
}

// x with extra[i] zeros after each of its last dimensions.
Output PadLastDims(GradContext& c, const Output& x, const Output& extra) {
  const Output lead = c.Op("ExpandDims", {c.Op("Rank", {x}) - c.Op("Size", {extra}), 0});
  const Output zeros = c.Op("Fill", {lead, c.ScalarLike(0, extra)});
  const Output after = c.Op("ConcatV2", {zeros, extra, 0});
  return c.Op("Pad", {x, c.Op("Pack", {c.Op("ZerosLike", {after}), after}, {{"axis", int64_t{1}}})});
}

DType RealPart(DType complex) { return complex == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64; }

Output NumPoints(GradContext& c, const Output& lengths, DType dtype) {
  return c.Op("Cast", {c.Op("Prod", {lengths, 0})}, {{"DstT", dtype}});
}

std::string OpOf(std::string_view base, int axes) {
  return axes == 1 ? std::string(base) : absl::StrCat(std::string(base), axes, "D");
}

// The transform's matrix is symmetric; its adjoint is the inverse, times the number of points.
template <int kAxes, bool kInverse>
absl::Status ComplexGrad(GradContext& c) {
  const DType dtype = c.output_dtype(0);
  const Output points =
      c.Op("Cast", {NumPoints(c, LastDims(c, c.ShapeOfInput(0), kAxes), RealPart(dtype))}, {{"DstT", dtype}});
  const Output back = c.Op(OpOf(kInverse ? "FFT" : "IFFT", kAxes), {c.grad()});
  c.Set(0, kInverse ? back / points : back * points);
  return absl::OkStatus();
}

// The spectrum without its other half is a part of the whole; only the real part of x is there.
template <int kAxes>
absl::Status FromRealGrad(GradContext& c) {
  const Output length = c.input(1), spectrum = c.grad();
  const DType real = c.input_dtype(0);
  const Output missing = Last(c, length) - Last(c, c.ShapeOfOutput(0));
  const Output whole = PadLastDims(c, spectrum, missing);
  const Output back = c.Op("Real", {c.Op(OpOf("IFFT", kAxes), {whole})}, {{"Tout", real}});
  const Output unused = LastDims(c, c.ShapeOfInput(0), kAxes) - length;
  c.Set(0, PadLastDims(c, back * NumPoints(c, length, real), unused));
  return absl::OkStatus();
}

// Elements of the half that is given count twice but for the first one and, if there is one, the middle one.
template <int kAxes>
absl::Status ToRealGrad(GradContext& c) {
  const Output length = c.input(1);
  const DType real = c.output_dtype(0), complex = c.input_dtype(0);
  const Output n = Last(c, length), odd = n % 2;
  const Output one = c.builder().Constant(Input({1}), real);
  const auto repeat = [&](const Output& count, double value) {
    return c.Op("Fill", {count, c.builder().Constant(Input(value), real)});
  };
  const Output weights = c.Op("ConcatV2", {one, repeat(n / 2 - 1 + odd, 2), repeat(1 - odd, 1), 0});
  const Output scaled = c.Op("Cast", {weights / NumPoints(c, length, real)}, {{"DstT", complex}});
  const Output spectrum = c.Op(OpOf("RFFT", kAxes), {c.grad(), length}, {{"Tcomplex", complex}}) * scaled;
  const Output half =
      c.Op("ConcatV2", {c.Op("StridedSlice", {length, {0}, {-1}, {1}}, {{"begin_mask", int64_t{1}}}), n / 2 + 1, 0});
  c.Set(0, PadLastDims(c, spectrum, LastDims(c, c.ShapeOfInput(0), kAxes) - half));
  return absl::OkStatus();
}

// ---- Shapes and registration

absl::Status ComplexShape(ShapeContext& c, int axes) {
  ASSIGN_OR_RETURN(PartialShape shape, c.WithRankAtLeast(0, axes));
  c.SetOutput(0, std::move(shape));
  return absl::OkStatus();
}

absl::Status RealShape(ShapeContext& c, int axes, bool to_spectrum) {
  ASSIGN_OR_RETURN(const PartialShape input, c.WithRankAtLeast(0, axes));
  RETURN_IF_ERROR(c.ExpectVector(1));
  if (c.input(1).has_rank() && c.input(1).has_dim(0) && c.input(1).dim(0) != axes) {
    return absl::InvalidArgumentError(
        absl::StrCat("fft_length: expected ", axes, " values, got shape ", c.input(1).ToString()));
  }
  if (!input.has_rank()) return absl::OkStatus();
  Dims dims(input.dims().begin(), input.dims().end());
  ASSIGN_OR_RETURN(const std::optional<Dims> length, c.ConstantInts(1));
  for (int i = 0; i < axes; ++i) {
    int64_t& dim = dims[dims.size() - axes + i];
    dim = length.has_value() ? std::max<int64_t>((*length)[i], -1) : -1;
    if (to_spectrum && i == axes - 1 && dim > 0) dim = HalfOf(dim);
  }
  c.SetOutput(0, PartialShape::FromValid(dims));
  return absl::OkStatus();
}

template <int kAxes, Kind kKind>
absl::Status Shape(ShapeContext& c) {
  return kKind == Kind::kComplex ? ComplexShape(c, kAxes) : RealShape(c, kAxes, kKind == Kind::kFromReal);
}

template <Kind kKind>
absl::StatusOr<Kernel> MakeKernel(const NodeInfo& node, int axes, bool inverse) {
  auto state = std::make_shared<FftState>();
  state->axes = axes;
  state->inverse = inverse;
  state->kind = kKind;
  const DType in = node.input_dtype(0), out = node.output_dtype(0);
  const DType complex = IsComplex(in) ? in : out;
  const DType real = RealPart(complex);
  if (in != (kKind == Kind::kFromReal ? real : complex) || out != (kKind == Kind::kToReal ? real : complex)) {
    return absl::InvalidArgumentError(absl::StrCat("Treal and Tcomplex: expected one precision, got ",
                                                   std::string(DTypeName(in)), " and ", std::string(DTypeName(out))));
  }
  const KernelFn fn =
      real == DType::kFloat32 ? &RunKernel<Transform<float, kKind>> : &RunKernel<Transform<double, kKind>>;
  return Kernel{.fn = fn, .state = std::move(state)};
}

template <int kAxes, Kind kKind, bool kInverse>
absl::Status Add(OpLibrary& library, std::string_view base, std::string_view doc, GradFunction gradient) {
  return library.Add({.signature = TensorFlowSignature(OpOf(base, kAxes)),
                      .doc = doc,
                      .shape = Shape<kAxes, kKind>,
                      .kernel = [](const NodeInfo& node) { return MakeKernel<kKind>(node, kAxes, kInverse); },
                      .gradient = gradient});
}

template <int kAxes>
absl::Status AddOfAxes(OpLibrary& library) {
  RETURN_IF_ERROR((Add<kAxes, Kind::kComplex, false>(library, "FFT", "The Fourier transform over the last dimensions",
                                                     ComplexGrad<kAxes, false>)));
  RETURN_IF_ERROR((Add<kAxes, Kind::kComplex, true>(library, "IFFT", "The inverse of the Fourier transform",
                                                    ComplexGrad<kAxes, true>)));
  RETURN_IF_ERROR((Add<kAxes, Kind::kFromReal, false>(library, "RFFT", "Half of the Fourier transform of real values",
                                                      FromRealGrad<kAxes>)));
  return Add<kAxes, Kind::kToReal, true>(library, "IRFFT", "Real values from half of their Fourier transform",
                                         ToRealGrad<kAxes>);
}

}  // namespace

absl::Status RegisterFftOps(OpLibrary& library) {
  RETURN_IF_ERROR(AddOfAxes<1>(library));
  RETURN_IF_ERROR(AddOfAxes<2>(library));
  return AddOfAxes<3>(library);
}

}  // namespace flowlatch
