#include "ops/kernels/features.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/moving_kernel.h"

namespace flowlatch {
namespace {

int64_t SizeOf(const proto::Feature* feature) { return feature != nullptr ? FeatureSize(*feature) : 0; }

}  // namespace

DType FeatureType(const proto::Feature& feature) {
  switch (feature.kind_case()) {
    case proto::Feature::kBytesList: return DType::kString;
    case proto::Feature::kFloatList: return DType::kFloat32;
    case proto::Feature::kInt64List: return DType::kInt64;
    case proto::Feature::KIND_NOT_SET: break;
  }
  return DType::kInvalid;
}

int64_t FeatureSize(const proto::Feature& feature) {
  switch (feature.kind_case()) {
    case proto::Feature::kBytesList: return feature.bytes_list().value_size();
    case proto::Feature::kFloatList: return feature.float_list().value_size();
    case proto::Feature::kInt64List: return feature.int64_list().value_size();
    case proto::Feature::KIND_NOT_SET: break;
  }
  return 0;
}

void CopyFeature(const proto::Feature& feature, Tensor& to, int64_t at) {
  if (feature.has_bytes_list()) {
    String* out = to.mutable_data<String>() + at;
    for (const std::string& value : feature.bytes_list().value()) *out++ = std::string_view(value);
  } else if (feature.has_float_list()) {
    std::copy(feature.float_list().value().begin(), feature.float_list().value().end(), to.mutable_data<float>() + at);
  } else if (feature.has_int64_list()) {
    std::copy(feature.int64_list().value().begin(), feature.int64_list().value().end(), to.mutable_data<int64_t>() + at);
  }
}

absl::StatusOr<const proto::Feature*> TypedFeature(const proto::Feature& feature, DType dtype, const std::string& where) {
  const DType got = FeatureType(feature);
  if (got == DType::kInvalid) return nullptr;
  if (got == dtype) return &feature;
  return absl::InvalidArgumentError(
      absl::StrCat(where, ": expected ", std::string(DTypeName(dtype)), ", got ", std::string(DTypeName(got))));
}

absl::StatusOr<const proto::Feature*> FindFeature(const proto::Features& features, const std::string& key, DType dtype,
                                                  const std::string& where) {
  const auto found = features.feature().find(key);
  if (found == features.feature().end()) return nullptr;
  return TypedFeature(found->second, dtype, absl::StrCat(where, "feature '", key, "'"));
}

absl::StatusOr<DenseColumn> DenseColumn::Of(const PartialShape& shape) {
  DenseColumn column{.shape = shape};
  column.variable = shape.has_rank() && shape.rank() > 0 && !shape.has_dim(0);
  const absl::StatusOr<Shape> step =
      shape.has_rank() ? Shape::Make(shape.dims().subspan(column.variable)) : absl::InvalidArgumentError("unknown rank");
  if (!step.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("dense_shapes: expected shapes that are known but for the first dimension, got ", shape.ToString()));
  }
  column.stride = step->num_elements();
  return column;
}

absl::Status DenseColumn::CheckDefault(const Tensor& value, const std::string& key) const {
  const bool fits = variable ? value.num_elements() == 1
                             : value.num_elements() == 0 || shape.CompatibleWith(PartialShape(value.shape()));
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("default of feature '", key, "': expected ",
                                                 variable ? "a single value" : "shape " + shape.ToString(), ", got shape ",
                                                 value.ShapeString()));
}

absl::Status SetAllValues(KernelCall& c, int i, DType dtype, const FeatureRows& rows) {
  int64_t n = 0;
  for (const proto::Feature* row : rows) n += SizeOf(row);
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(i, dtype, {n}));
  int64_t at = 0;
  for (const proto::Feature* row : rows) {
    if (row == nullptr) continue;
    CopyFeature(*row, *values, at);
    at += FeatureSize(*row);
  }
  return absl::OkStatus();
}

absl::Status SetSplits(KernelCall& c, int i, DType dtype, absl::Span<const int64_t> splits) {
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, dtype, {static_cast<int64_t>(splits.size())}));
  if (dtype == DType::kInt64) {
    std::copy(splits.begin(), splits.end(), output->mutable_data<int64_t>());
    return absl::OkStatus();
  }
  if (!splits.empty() && splits.back() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("row splits: expected values that fit int32, got ", splits.back()));
  }
  std::transform(splits.begin(), splits.end(), output->mutable_data<int32_t>(), [](int64_t s) { return static_cast<int32_t>(s); });
  return absl::OkStatus();
}

absl::Status SetSparseColumn(KernelCall& c, int first, int step, DType dtype, const FeatureRows& rows, bool batched) {
  RETURN_IF_ERROR(SetAllValues(c, first + step, dtype, rows));
  const int64_t n = c.output(first + step).num_elements(), batch = static_cast<int64_t>(rows.size());
  ASSIGN_OR_RETURN(Tensor * indices, c.AllocateOutput(first, DType::kInt64, {n, batched ? 2 : 1}));
  int64_t* index = indices->mutable_data<int64_t>();
  int64_t longest = 0;
  for (int64_t row = 0; row < batch; ++row) {
    const int64_t size = SizeOf(rows[row]);
    longest = std::max(longest, size);
    for (int64_t i = 0; i < size; ++i) {
      if (batched) *index++ = row;
      *index++ = i;
    }
  }
  c.SetOutput(first + 2 * step, batched ? Tensor::Vector<int64_t>({batch, longest}) : Tensor::Vector<int64_t>({longest}));
  return absl::OkStatus();
}

absl::Status SetRaggedColumn(KernelCall& c, int values, int splits, DType dtype, DType split_type, const FeatureRows& rows,
                             bool batched) {
  RETURN_IF_ERROR(SetAllValues(c, values, dtype, rows));
  std::vector<int64_t> ends;
  if (batched) ends.push_back(0);
  for (const proto::Feature* row : rows) {
    if (batched) ends.push_back(ends.back() + SizeOf(row));
  }
  return SetSplits(c, splits, split_type, ends);
}

absl::Status SetDenseColumn(KernelCall& c, int output, const DenseColumn& column, const std::string& key,
                            const Tensor& default_value, const FeatureRows& rows, bool batched,
                            const std::vector<std::string>& where) {
  RETURN_IF_ERROR(column.CheckDefault(default_value, key));
  int64_t longest = 0;  // steps of the longest row
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t size = SizeOf(rows[i]);
    if (rows[i] == nullptr && !column.variable && default_value.num_elements() != column.stride) {
      return absl::InvalidArgumentError(absl::StrCat(where[i], "feature '", key, "': expected it or a default value, got neither"));
    }
    if (rows[i] == nullptr) continue;
    const bool fits = !column.variable ? size == column.stride : column.stride > 0 ? size % column.stride == 0 : size == 0;
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat(where[i], "feature '", key, "': expected values of shape ",
                                                     column.shape.ToString(), ", got ", size));
    }
    if (column.variable && column.stride > 0) longest = std::max(longest, size / column.stride);
  }
  Dims dims;
  if (batched) dims.push_back(static_cast<int64_t>(rows.size()));
  if (column.variable) dims.push_back(longest);
  const absl::Span<const int64_t> rest = column.shape.dims().subspan(column.variable);
  dims.insert(dims.end(), rest.begin(), rest.end());
  ASSIGN_OR_RETURN(Tensor * dense, c.AllocateOutput(output, default_value.dtype(), dims));
  if (dense->num_elements() == 0) return absl::OkStatus();
  const int64_t row_size = dense->num_elements() / static_cast<int64_t>(rows.size());
  WithStorageType(dense->dtype(), [&]<typename E>() {
    E* to = MutableElements<E>(*dense);
    const E* fallback = Elements<E>(default_value);
    for (size_t i = 0; i < rows.size(); ++i, to += row_size) {
      const int64_t size = SizeOf(rows[i]);
      if (rows[i] != nullptr) CopyFeature(*rows[i], *dense, static_cast<int64_t>(i) * row_size);
      if (column.variable) std::fill(to + size, to + row_size, *fallback);
      else if (rows[i] == nullptr) std::copy_n(fallback, row_size, to);
    }
  });
  return absl::OkStatus();
}

}  // namespace flowlatch
