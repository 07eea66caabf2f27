// Rows sorted into tensors by numbers that are known only when they run.
//   DynamicPartition(data [ids.., slice..], partitions [ids..]) -> num_partitions tensors [count, slice..], in order
//   DynamicStitch(indices [ids..] x N, data [ids.., slice..] x N) -> [largest index + 1, slice..]: the way back; of
//   rows with
//     one index the last wins, and rows without any are zeros. ParallelDynamicStitch is the same.
// Every dtype.
#include "ops/dynamic_ops.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/items.h"
#include "ops/kernels/slice_copy.h"

namespace flowlatch {
namespace {

// What follows the ids in the shape of data. Errors: InvalidArgument when data does not begin with the ids' shape.
absl::StatusOr<PartialShape> SliceShape(const PartialShape& data, const PartialShape& ids, const std::string& what) {
  if (!data.has_rank() || !ids.has_rank()) return PartialShape();
  const bool longer = data.rank() >= ids.rank();
  if (longer && ids.CompatibleWith(PartialShape::FromValid(data.dims().first(ids.rank())))) {
    return PartialShape::FromValid(data.dims().subspan(ids.rank()));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected a shape that begins with ", ids.ToString(), ", got ", data.ToString()));
}

// The int32 elements of t as they are now. Errors: InvalidArgument for one outside of [0, limit).
absl::StatusOr<Tensor> CheckedIds(const Tensor& t, int64_t limit, const std::string& what) {
  ASSIGN_OR_RETURN(Tensor ids, Tensor::Make(DType::kInt32, {t.num_elements()}));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const int32_t id = t.data<int32_t>()[i];
    if (id < 0 || id >= limit) return IndexOutOfRange(what.c_str(), i, t.dims(), limit, id);
    ids.mutable_data<int32_t>()[i] = id;
  }
  return ids;
}

// ---- DynamicPartition

absl::Status Partition(KernelCall& c) {
  const Tensor& data = c.input(0);
  const int n = c.num_outputs();
  ASSIGN_OR_RETURN(const PartialShape slice_shape, SliceShape(data.shape(), c.input(1).shape(), "data"));
  ASSIGN_OR_RETURN(const Tensor ids, CheckedIds(c.input(1), n, "partitions"));
  std::vector<int64_t> counts(n, 0);
  for (const int32_t id : ids.values<int32_t>()) ++counts[id];
  std::vector<char*> to(n);
  for (int i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(const Shape shape, WithFirst(counts[i], slice_shape.dims()));
    ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(i, data.dtype(), shape));
    to[i] = static_cast<char*>(output->raw_mutable_data());
  }
  if (data.num_elements() == 0) return absl::OkStatus();
  const char* from = static_cast<const char*>(data.raw_data());
  WithSlice(data.dtype(), data.num_elements() / ids.num_elements(), [&](auto slice) {
    for (const int32_t id : ids.values<int32_t>()) {
      slice(from, to[id]);
      from += slice.bytes;
      to[id] += slice.bytes;
    }
  });
  return absl::OkStatus();
}

absl::Status PartitionShape(ShapeContext& c) {
  ASSIGN_OR_RETURN(const PartialShape slice, SliceShape(c.input(0), c.input(1), "data"));
  ASSIGN_OR_RETURN(const PartialShape rows, PartialShape::Of({-1}).Concatenate(slice));
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, rows);
  return absl::OkStatus();
}

// ---- DynamicStitch

// The slices of all data, which must agree.
template <typename ShapeOf>
absl::StatusOr<PartialShape> CommonSlice(int n, const ShapeOf& shape_of) {
  PartialShape common;
  for (int i = 0; i < n; ++i) {
    const std::string what = absl::StrCat("data[", i, "]");
    ASSIGN_OR_RETURN(const PartialShape slice, SliceShape(shape_of(n + i), shape_of(i), what));
    absl::StatusOr<PartialShape> merged = common.MergeWith(slice);
    if (!merged.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(what, ": expected slices of shape ", common.ToString(), ", got ", slice.ToString()));
    }
    common = *std::move(merged);
  }
  return common;
}

absl::Status Stitch(KernelCall& c) {
  const int n = c.num_inputs() / 2;
  ASSIGN_OR_RETURN(const PartialShape slice_shape,
                   CommonSlice(n, [&](int i) -> PartialShape { return c.input(i).shape(); }));
  constexpr int64_t kAny = int64_t{std::numeric_limits<int32_t>::max()} + 1;
  std::vector<Tensor> ids(n);
  int64_t rows = 0;
  for (int i = 0; i < n; ++i) {
    ASSIGN_OR_RETURN(ids[i], CheckedIds(c.input(i), kAny, absl::StrCat("indices[", i, "]")));
    for (const int32_t id : ids[i].values<int32_t>()) rows = std::max<int64_t>(rows, int64_t{id} + 1);
  }
  ASSIGN_OR_RETURN(const Shape shape, WithFirst(rows, slice_shape.dims()));
  const DType dtype = c.input(n).dtype();
  ASSIGN_OR_RETURN(Tensor * merged, c.AllocateOutput(0, dtype, shape));
  if (merged->num_elements() == 0) return absl::OkStatus();
  if (!IsObjectDType(dtype)) std::memset(merged->raw_mutable_data(), 0, static_cast<size_t>(merged->size_bytes()));
  char* to = static_cast<char*>(merged->raw_mutable_data());
  WithSlice(dtype, merged->num_elements() / rows, [&](auto slice) {
    for (int i = 0; i < n; ++i) {
      const char* from = static_cast<const char*>(c.input(n + i).raw_data());
      for (const int32_t id : ids[i].values<int32_t>()) {
        slice(from, to + id * slice.bytes);
        from += slice.bytes;
      }
    }
  });
  return absl::OkStatus();
}

absl::Status StitchShape(ShapeContext& c) {
  const int n = c.num_inputs() / 2;
  ASSIGN_OR_RETURN(const PartialShape slice, CommonSlice(n, [&](int i) -> PartialShape { return c.input(i); }));
  int64_t rows = 0;
  for (int i = 0; i < n && rows >= 0; ++i) {
    if (c.constant(i) == nullptr) {
      rows = -1;
      break;
    }
    for (const int32_t id : c.constant(i)->values<int32_t>()) rows = std::max<int64_t>(rows, int64_t{id} + 1);
  }
  ASSIGN_OR_RETURN(PartialShape merged, PartialShape::Of({rows}).Concatenate(slice));
  c.SetOutput(0, std::move(merged));
  return absl::OkStatus();
}

// ---- Gradients

// The numbers of the rows are partitioned as the rows were, which tells where each row of the gradients belongs.
absl::Status PartitionGrad(GradContext& c) {
  const Output shape = c.ShapeOfInput(1);
  const Output count = c.Op("Prod", {shape, 0});
  const Output numbers = c.Op("Reshape", {c.Op("Range", {0, count, 1}), shape});
  const Operation parts = c.MultiOp("DynamicPartition", {numbers, c.input(1)}, c.CopyAttrs({"num_partitions"}));
  std::vector<Input> inputs;
  for (int i = 0; i < c.num_outputs(); ++i) inputs.push_back(parts.output(i));
  for (int i = 0; i < c.num_outputs(); ++i) inputs.push_back(c.grad(i));
  c.Set(0, ReshapeToInput(c, c.Op("ParallelDynamicStitch", inputs), 0));
  return absl::OkStatus();
}

absl::Status StitchGrad(GradContext& c) {
  const int n = c.num_inputs() / 2;
  for (int i = 0; i < n; ++i) {
    if (c.needs(n + i)) c.Set(n + i, c.Op("GatherV2", {c.grad(), c.input(i), 0}));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterDynamicOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("DynamicPartition"),
                               .doc = "Sorts the rows of data into tensors by the numbers in partitions",
                               .shape = PartitionShape,
                               .kernel = PlainKernel<Partition>,
                               .gradient = PartitionGrad}));
  for (const char* name : {"DynamicStitch", "ParallelDynamicStitch"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(name),
                                 .doc = "One tensor of the rows of several, each at its index",
                                 .shape = StitchShape,
                                 .kernel = PlainKernel<Stitch>,
                                 .gradient = StitchGrad}));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
