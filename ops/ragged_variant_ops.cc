// Ragged tensors (row splits of each ragged dimension, outermost first, and values) in variants.
//   RaggedTensorToVariant: splits.., values -> a scalar variant; with batched_input a vector of one variant for each row,
//     whose ragged rank is one less (or 0: rows of values)
//   RaggedTensorFromVariant: variants of ragged rank input_ragged_rank [..] -> splits.., values of rank output_ragged_rank:
//     each dimension of the variants is a ragged one of the result
//   RaggedTensorToVariantGradient: variants with gradients of values, the splits by which they were batched, the shape of
//     the values -> the gradient of the values; variants without a value count as zeros
#include "ops/ragged_variant_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/items.h"
#include "ops/kernels/numeric_variant.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// Immutable. Its splits fit each other and the values.
class RaggedValue final : public NumericVariant {
 public:
  // Errors: InvalidArgument when values would be too deep inside each other.
  static absl::StatusOr<RefPtr<VariantObject>> Of(std::vector<Dims> splits, DType split_type, Tensor values) {
    ASSIGN_OR_RETURN(const int depth, DepthWithPart(values));
    return RefPtr<VariantObject>(
        RefPtr<RaggedValue>::Adopt(new RaggedValue(std::move(splits), split_type, std::move(values), depth)));
  }
  const std::vector<Dims>& splits() const { return splits_; }
  DType split_type() const { return split_type_; }
  const Tensor& values() const { return values_; }
  // Of the outermost dimension.
  int64_t num_rows() const { return splits_.empty() ? values_.dim(0) : static_cast<int64_t>(splits_[0].size()) - 1; }

  std::string TypeName() const override { return "RaggedTensorVariant"; }
  absl::StatusOr<RefPtr<VariantObject>> ZerosLike() const override {
    ASSIGN_OR_RETURN(Tensor zeros, ZerosLikeTensor(values_));
    return Of(splits_, split_type_, std::move(zeros));
  }
  absl::StatusOr<RefPtr<VariantObject>> Add(const VariantObject& other) const override {
    const auto* addend = dynamic_cast<const RaggedValue*>(&other);
    if (addend == nullptr || addend->splits_ != splits_) {
      return absl::InvalidArgumentError(
          absl::StrCat("sum of ragged tensors: expected one with the same splits, got ", other.DebugString()));
    }
    Tensor sum = values_;
    RETURN_IF_ERROR(AddInto(sum, addend->values_));
    return Of(splits_, split_type_, std::move(sum));
  }
  int depth() const override { return depth_; }

 private:
  RaggedValue(std::vector<Dims> splits, DType split_type, Tensor values, int depth)
      : splits_(std::move(splits)), split_type_(split_type), values_(std::move(values)), depth_(depth) {}

  const std::vector<Dims> splits_;
  const DType split_type_;
  const Tensor values_;
  const int depth_;
};

// Row splits of a dimension with `n` items below it.
absl::StatusOr<Dims> ReadSplits(const Tensor& t, int64_t n, const char* what) {
  ASSIGN_OR_RETURN(Dims splits, ReadIntVector(t, what));
  if (!splits.empty() && splits.front() == 0 && splits.back() == n && std::is_sorted(splits.begin(), splits.end())) return splits;
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected values from 0 to ", n, " that do not decrease, got ", DimsToString(splits)));
}

absl::Status SetSplits(KernelCall& c, int i, DType dtype, const Dims& splits) {
  if (dtype == DType::kInt32 && splits.back() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("row splits: expected values that fit int32, got ", splits.back()));
  }
  ASSIGN_OR_RETURN(Tensor * t, c.AllocateOutput(i, dtype, {static_cast<int64_t>(splits.size())}));
  if (dtype == DType::kInt32) std::copy(splits.begin(), splits.end(), t->mutable_data<int32_t>());
  else std::copy(splits.begin(), splits.end(), t->mutable_data<int64_t>());
  return absl::OkStatus();
}

// ---- To variants

struct ToVariantState final : KernelState {
  bool batched = false;
  DType split_type = DType::kInt64;
};

absl::Status ToVariant(KernelCall& c) {
  const ToVariantState& state = c.state<ToVariantState>();
  const int ragged = c.num_inputs() - 1;
  const Tensor& values = c.input(ragged);
  if (values.rank() < 1 && (ragged > 0 || state.batched)) {
    return absl::InvalidArgumentError("rt_dense_values: expected at least 1 dimension, got shape []");
  }
  std::vector<Dims> splits(ragged);
  for (int d = ragged - 1; d >= 0; --d) {
    const int64_t below = d == ragged - 1 ? values.dim(0) : static_cast<int64_t>(splits[d + 1].size()) - 1;
    ASSIGN_OR_RETURN(splits[d], ReadSplits(c.input(d), below, "rt_nested_splits"));
  }
  if (!state.batched) {
    ASSIGN_OR_RETURN(RefPtr<VariantObject> object, RaggedValue::Of(std::move(splits), state.split_type, values));
    c.SetOutput(0, Tensor::Scalar(Variant(std::move(object))));
    return absl::OkStatus();
  }
  const int64_t rows = ragged > 0 ? static_cast<int64_t>(splits[0].size()) - 1 : values.dim(0);
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, DType::kVariant, {rows}));
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<Dims> row_splits;
    int64_t begin = row, end = row + 1;  // the items of one dimension that are the row's
    for (int d = 0; d < ragged; ++d) {
      if (d > 0) {
        Dims part(splits[d].begin() + begin, splits[d].begin() + end + 1);
        for (int64_t& at : part) at -= splits[d][begin];
        row_splits.push_back(std::move(part));
      }
      begin = splits[d][begin];
      end = splits[d][end];
    }
    Tensor part = ragged == 0 ? RowAsItem(values, row) : Tensor();
    if (ragged > 0) {
      ASSIGN_OR_RETURN(part, RowsAsItem(values, begin, end - begin));
    }
    ASSIGN_OR_RETURN(RefPtr<VariantObject> object, RaggedValue::Of(std::move(row_splits), state.split_type, std::move(part)));
    output->mutable_data<Variant>()[row] = Variant(std::move(object));
  }
  return absl::OkStatus();
}

// ---- From variants

struct FromVariantState final : KernelState {
  int64_t input_rank = -1, output_rank = 0;
  DType split_type = DType::kInt64, value_type = DType::kInvalid;
};

absl::StatusOr<const RaggedValue*> RaggedAt(const Tensor& variants, int64_t i, DType value_type) {
  const auto* value = variants.data<Variant>()[i].As<RaggedValue>();
  if (value == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("encoded ragged tensor ", i, ": expected a ragged tensor, got another value"));
  }
  if (value->values().dtype() != value_type) {
    return absl::InvalidArgumentError(absl::StrCat("values of ragged tensor ", i, ": expected ", std::string(DTypeName(value_type)),
                                                   ", got ", std::string(DTypeName(value->values().dtype()))));
  }
  return value;
}

// Output `i`: tensors [n, d..] of one d.. one after another; [0] if there are none.
absl::Status SetConcatenated(KernelCall& c, int i, DType dtype, const std::vector<Tensor>& parts) {
  Dims dims{0};
  if (!parts.empty()) {
    if (parts[0].rank() < 1) return absl::InvalidArgumentError("values: expected at least 1 dimension, got shape []");
    dims.assign(parts[0].dims().begin(), parts[0].dims().end());
    dims[0] = 0;
  }
  for (const Tensor& part : parts) {
    const bool fits = part.rank() == static_cast<int>(dims.size()) &&
                      std::equal(dims.begin() + 1, dims.end(), part.dims().begin() + 1);
    const std::optional<int64_t> rows = fits ? CheckedAdd(dims[0], part.dim(0)) : std::nullopt;
    if (!rows.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat("shape of values: expected rows of ", DimsToString(absl::MakeSpan(dims).subspan(1)),
                                                     ", got shape ", part.ShapeString()));
    }
    dims[0] = *rows;
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, dtype, dims));
  int64_t at = 0;
  for (const Tensor& part : parts) {
    PlaceItem(part, *output, at, part.num_elements());
    at += part.num_elements();
  }
  return absl::OkStatus();
}

absl::Status FromVariant(KernelCall& c) {
  const FromVariantState& state = c.state<FromVariantState>();
  const Tensor& encoded = c.input(0);
  const int64_t input_rank = state.input_rank >= 0 ? state.input_rank : std::max<int64_t>(state.output_rank - encoded.rank(), 0);
  const bool is_dense_row = state.output_rank == 0 && input_rank == 0;
  if (!is_dense_row && state.output_rank != input_rank + encoded.rank()) {
    return absl::InvalidArgumentError(absl::StrCat("output_ragged_rank: expected ", input_rank, " + ", encoded.rank(), ", got ",
                                                   state.output_rank));
  }
  std::vector<const RaggedValue*> parts;
  std::vector<Tensor> values;
  for (int64_t i = 0; i < encoded.num_elements(); ++i) {
    ASSIGN_OR_RETURN(const RaggedValue* part, RaggedAt(encoded, i, state.value_type));
    if (static_cast<int64_t>(part->splits().size()) != input_rank) {
      return absl::InvalidArgumentError(absl::StrCat("ragged rank of ragged tensor ", i, ": expected ", input_rank, ", got ",
                                                     part->splits().size()));
    }
    if (input_rank > 0 && part->split_type() != state.split_type) {
      return absl::InvalidArgumentError(absl::StrCat("row splits of ragged tensor ", i, ": expected ",
                                                     std::string(DTypeName(state.split_type)), ", got ",
                                                     std::string(DTypeName(part->split_type()))));
    }
    if (part->values().rank() < 1 && encoded.rank() > 0 && !is_dense_row) {
      return absl::InvalidArgumentError(absl::StrCat("values of ragged tensor ", i, ": expected at least 1 dimension, got shape []"));
    }
    parts.push_back(part);
    values.push_back(part->values());
  }
  if (encoded.rank() == 0) {
    for (int64_t d = 0; d < input_rank; ++d) {
      RETURN_IF_ERROR(SetSplits(c, static_cast<int>(d), state.split_type, parts[0]->splits()[d]));
    }
    c.SetOutput(static_cast<int>(input_rank), values[0]);
    return absl::OkStatus();
  }
  if (is_dense_row) {  // rows of values, stacked
    ASSIGN_OR_RETURN(const Shape item, values.empty() ? Shape::Make({}) : absl::StatusOr<Shape>(values[0].shape()));
    return StackItems(c, state.value_type, encoded.num_elements(), item, [&](int64_t i) -> const Tensor& { return values[i]; });
  }
  // The dimensions of the variants: all but the last are regular.
  int output = 0;
  int64_t rows = 1;
  for (int d = 0; d + 1 < encoded.rank(); ++d) {
    rows *= encoded.dim(d);
    Dims splits{0};
    for (int64_t row = 0; row < rows; ++row) splits.push_back(splits.back() + encoded.dim(d + 1));
    RETURN_IF_ERROR(SetSplits(c, output++, state.split_type, splits));
  }
  Dims splits{0};
  for (const RaggedValue* part : parts) splits.push_back(splits.back() + part->num_rows());
  RETURN_IF_ERROR(SetSplits(c, output++, state.split_type, splits));
  for (int64_t d = 0; d < input_rank; ++d) {
    Dims joined{0};
    for (const RaggedValue* part : parts) {
      const int64_t base = joined.back();
      for (size_t i = 1; i < part->splits()[d].size(); ++i) joined.push_back(base + part->splits()[d][i]);
    }
    RETURN_IF_ERROR(SetSplits(c, output++, state.split_type, joined));
  }
  return SetConcatenated(c, output, state.value_type, values);
}

// ---- The gradient of ToVariant

struct GradientState final : KernelState {
  DType value_type = DType::kInvalid;
};

absl::Status ToVariantGradient(KernelCall& c) {
  const DType value_type = c.state<GradientState>().value_type;
  const Tensor& encoded = c.input(0);
  const Tensor& row_splits = c.input(1);
  ASSIGN_OR_RETURN(Dims dims, ReadIntVector(c.input(2), "dense_values_shape"));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims));
  const int64_t n = encoded.num_elements();
  std::vector<Tensor> values;
  for (int64_t i = 0; i < n; ++i) {
    if (encoded.data<Variant>()[i]) {
      ASSIGN_OR_RETURN(const RaggedValue* part, RaggedAt(encoded, i, value_type));
      values.push_back(part->values());
      continue;
    }
    Dims missing = dims;
    if (encoded.rank() > 0) {
      ASSIGN_OR_RETURN(const Dims splits, ReadIntVectorOrScalar(row_splits, "row_splits"));
      const bool is_flat = row_splits.rank() == 0;  // every row was a variant
      if (missing.empty() || (!is_flat && static_cast<int64_t>(splits.size()) != n + 1)) {
        return absl::InvalidArgumentError(
            absl::StrCat("row_splits: expected ", n + 1, " values, got shape ", row_splits.ShapeString()));
      }
      if (is_flat) missing.erase(missing.begin());
      else missing[0] = splits[i + 1] - splits[i];
    }
    ASSIGN_OR_RETURN(const Shape missing_shape, Shape::Make(missing));
    ASSIGN_OR_RETURN(Tensor zeros, Tensor::Make(value_type, missing_shape));
    ASSIGN_OR_RETURN(zeros, ZerosLikeTensor(zeros));
    values.push_back(std::move(zeros));
  }
  if (encoded.rank() == 0) {
    c.SetOutput(0, values[0]);
  } else if (row_splits.rank() == 0) {
    Dims item(dims.begin() + (dims.empty() ? 0 : 1), dims.end());
    ASSIGN_OR_RETURN(const Shape item_shape, Shape::Make(item));
    RETURN_IF_ERROR(StackItems(c, value_type, n, item_shape, [&](int64_t i) -> const Tensor& { return values[i]; }));
  } else {
    RETURN_IF_ERROR(SetConcatenated(c, 0, value_type, values));
  }
  if (c.output(0).dims() == shape.dims()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("gradients of values: expected shape ", shape.ToString(), ", got ", c.output(0).ShapeString()));
}

// ---- Choice of kernels

absl::StatusOr<Kernel> ToVariantKernel(const NodeInfo& node) {
  auto state = std::make_shared<ToVariantState>();
  ASSIGN_OR_RETURN(state->batched, node.Bool("batched_input"));
  ASSIGN_OR_RETURN(state->split_type, node.Type("Tsplits"));
  return Kernel{.fn = &RunKernel<ToVariant>, .state = std::move(state)};
}

absl::StatusOr<Kernel> FromVariantKernel(const NodeInfo& node) {
  auto state = std::make_shared<FromVariantState>();
  ASSIGN_OR_RETURN(state->input_rank, node.Int("input_ragged_rank"));
  ASSIGN_OR_RETURN(state->output_rank, node.Int("output_ragged_rank"));
  ASSIGN_OR_RETURN(state->split_type, node.Type("Tsplits"));
  ASSIGN_OR_RETURN(state->value_type, node.Type("Tvalues"));
  return Kernel{.fn = &RunKernel<FromVariant>, .state = std::move(state)};
}

absl::StatusOr<Kernel> GradientKernel(const NodeInfo& node) {
  auto state = std::make_shared<GradientState>();
  ASSIGN_OR_RETURN(state->value_type, node.Type("Tvalues"));
  return Kernel{.fn = &RunKernel<ToVariantGradient>, .state = std::move(state)};
}

// ---- Schemas

absl::Status ToVariantShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const bool batched, c.Bool("batched_input"));
  const int ragged = c.num_inputs() - 1;
  for (int d = 0; d < ragged; ++d) RETURN_IF_ERROR(c.ExpectVector(d));
  if (!batched) {
    c.SetOutput(0, Shape());
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const PartialShape values, c.WithRankAtLeast(ragged, 1));
  int64_t rows = -1;
  if (ragged == 0) rows = values.has_rank() ? values.dim(0) : -1;
  else if (c.input(0).has_rank() && c.input(0).dim(0) > 0) rows = c.input(0).dim(0) - 1;
  c.SetOutput(0, PartialShape::Of({rows}));
  return absl::OkStatus();
}

absl::Status FromVariantShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const int64_t output_rank, c.Int("output_ragged_rank"));
  for (int64_t i = 0; i < output_rank; ++i) c.SetOutput(static_cast<int>(i), PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

absl::Status GradientShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(PartialShape values, c.InputAsShape(2));
  c.SetOutput(0, std::move(values));
  return absl::OkStatus();
}

absl::Status ToVariantGrad(GradContext& c) {
  const int ragged = c.num_inputs() - 1;
  const Output row_splits = ragged == 0 ? c.builder().Constant(Input(0), DType::kInt64) : c.input(0);
  c.Set(ragged, c.Op("RaggedTensorToVariantGradient", {c.grad(), row_splits, c.ShapeOfInput(ragged)},
                     {{"Tvalues", c.input_dtype(ragged)}}));
  return absl::OkStatus();
}

// The gradient of the values goes back the way they came.
absl::Status FromVariantGrad(GradContext& c) {
  const PartialShape& variants = c.input_shape(0);
  if (variants.has_rank() && variants.rank() > 1) {
    return absl::UnimplementedError(
        absl::StrCat("gradient of RaggedTensorFromVariant: expected a scalar or vector, got shape ", variants.ToString()));
  }
  const int ragged = c.num_outputs() - 1;
  std::vector<Input> inputs;
  for (int i = 0; i < ragged; ++i) inputs.push_back(c.output(i));
  inputs.push_back(c.grad(ragged));
  const bool batched = variants.has_rank() ? variants.rank() == 1 : ragged > 0;
  c.Set(0, c.Op("RaggedTensorToVariant", inputs,
                {{"RAGGED_RANK", int64_t{ragged}}, {"Tsplits", c.attr<DType>("Tsplits")}, {"batched_input", batched}}));
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterRaggedVariantOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("RaggedTensorToVariant"),
                               .doc = "A ragged tensor in a variant, or its rows in one each",
                               .shape = ToVariantShape,
                               .kernel = ToVariantKernel,
                               .gradient = ToVariantGrad}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("RaggedTensorFromVariant"),
                               .doc = "The ragged tensor of ragged tensors in variants",
                               .shape = FromVariantShape,
                               .kernel = FromVariantKernel,
                               .gradient = FromVariantGrad}));
  return library.Add({.signature = TensorFlowSignature("RaggedTensorToVariantGradient"),
                      .doc = "The gradient of the values of RaggedTensorToVariant",
                      .shape = GradientShape,
                      .kernel = GradientKernel});
}

}  // namespace flowlatch
