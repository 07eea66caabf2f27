// Tensors in strings, as serialized TensorProtos with the values as TensorFlow lays them out; sparse ones also in variants.
//   SerializeTensor, ParseTensor: one tensor, a scalar string.
//   SerializeSparse(indices, values, shape) -> [3]: the three parts.
//   SerializeManySparse -> [n, 3]: each of the n rows of the first dimension as a sparse tensor of its own.
//   DeserializeSparse: [d.., 3] -> one sparse tensor, those at the places d.. beside each other in new first dimensions, as
//     large as the largest of them. DeserializeManySparse: the same of [n, 3].
#include "ops/serialize_ops.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/tensor.pb.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/tensor_proto.h"
#include "ops/kernels/numeric_variant.h"
#include "ops/kernels/slice_copy.h"
#include "ops/kernels/sparse.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {
namespace {

// ---- Tensors in strings and variants

void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Values as raw bytes, strings one by one or, packed, their lengths and then all bytes: that is what TensorFlow writes.
// Errors: those of TensorToProto.
absl::StatusOr<std::string> ToBytes(const Tensor& t, bool packed) {
  TensorProto proto;
  if (t.dtype() == DType::kResource || t.dtype() == DType::kVariant) {
    RETURN_IF_ERROR(TensorToProto(t, &proto));
    return proto.SerializeAsString();
  }
  proto.set_dtype(static_cast<flowlatch::DataType>(t.dtype()));
  ShapeToProto(t.dims(), proto.mutable_tensor_shape());
  if (t.dtype() == DType::kString && packed) {
    std::string content;
    for (const String& s : t.values<String>()) AppendVarint(content, s.size());
    for (const String& s : t.values<String>()) content += s.view();
    proto.set_tensor_content(content);
  } else if (t.dtype() == DType::kString) {
    for (const String& s : t.values<String>()) proto.add_string_val(std::string(s.view()));
  } else if (t.num_elements() > 0) {
    proto.set_tensor_content(std::string(static_cast<const char*>(t.raw_data()), static_cast<size_t>(t.size_bytes())));
  }
  return proto.SerializeAsString();
}

absl::StatusOr<Tensor> FromBytes(std::string_view bytes) {
  TensorProto proto;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("serialized: expected a TensorProto, got other bytes");
  }
  return TensorFromProto(proto);
}

// A tensor in a variant.
class TensorInVariant final : public VariantObject {
 public:
  explicit TensorInVariant(Tensor tensor) : tensor(std::move(tensor)) {}
  std::string TypeName() const override { return "Tensor"; }
  std::string DebugString() const override { return tensor.DebugString(); }
  const Tensor tensor;
};

// Element i of a string or variant tensor that holds serialized tensors.
absl::Status Put(const Tensor& value, Tensor& to, int64_t i) {
  if (to.dtype() == DType::kString) {
    ASSIGN_OR_RETURN(const std::string bytes, ToBytes(value, true));
    to.mutable_data<String>()[i] = std::string_view(bytes);
    return absl::OkStatus();
  }
  if (value.dtype() == DType::kVariant) {
    RETURN_IF_ERROR(DepthWithPart(value).status());
    return absl::InvalidArgumentError("values: expected no variants to put into variants, got some");
  }
  to.mutable_data<Variant>()[i] = Variant(MakeRef<TensorInVariant>(value));
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Get(const Tensor& from, int64_t i) {
  if (from.dtype() == DType::kString) return FromBytes(from.data<String>()[i]);
  const auto* held = from.data<Variant>()[i].As<TensorInVariant>();
  if (held != nullptr) return held->tensor;
  return absl::InvalidArgumentError(absl::StrCat("serialized ", i, ": expected a tensor in the variant, got something else"));
}

// ---- SerializeTensor, ParseTensor

absl::Status SerializeTensor(KernelCall& c) {
  ASSIGN_OR_RETURN(const std::string bytes, ToBytes(c.input(0), false));
  c.SetOutput(0, Tensor::Scalar(std::string_view(bytes)));
  return absl::OkStatus();
}

class DTypeState : public KernelState {
 public:
  explicit DTypeState(DType dtype) : dtype(dtype) {}
  const DType dtype;
};

absl::Status ExpectDType(const char* what, DType got, DType expected) {
  if (got == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected ", std::string(DTypeName(expected)), ", got ", std::string(DTypeName(got))));
}

absl::Status ParseTensor(KernelCall& c) {
  const Tensor& serialized = c.input(0);
  if (!serialized.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("serialized: expected a scalar, got shape ", serialized.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor tensor, FromBytes(serialized.scalar<String>()));
  RETURN_IF_ERROR(ExpectDType("serialized", tensor.dtype(), c.state<DTypeState>().dtype));
  c.SetOutput(0, std::move(tensor));
  return absl::OkStatus();
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> DTypeKernel(const NodeInfo& node) {
  const int values = node.num_outputs() > 1 ? 1 : 0;
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::make_shared<DTypeState>(node.output_dtype(values))};
}

// ---- Sparse tensors to strings

class OutTypeState : public KernelState {
 public:
  explicit OutTypeState(DType out_type) : out_type(out_type) {}
  const DType out_type;
};

absl::Status SerializeSparse(KernelCall& c) {
  const Tensor &indices = c.input(0), &values = c.input(1), &shape = c.input(2);
  if (indices.rank() != 2 || values.rank() != 1 || shape.rank() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("sparse tensor: expected a matrix and two vectors, got shapes ",
                                                   indices.ShapeString(), ", ", values.ShapeString(), " and ",
                                                   shape.ShapeString()));
  }
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, c.state<OutTypeState>().out_type, {3}));
  for (int i = 0; i < 3; ++i) RETURN_IF_ERROR(Put(c.input(i), *output, i));
  return absl::OkStatus();
}

// Elements [begin, end) of a vector, in memory of their own.
absl::StatusOr<Tensor> Part(const Tensor& values, int64_t begin, int64_t end) {
  ASSIGN_OR_RETURN(Tensor part, Tensor::Make(values.dtype(), {end - begin}));
  const char* from = static_cast<const char*>(values.raw_data()) + begin * static_cast<int64_t>(DTypeSize(values.dtype()));
  CopyElements(values.dtype(), from, part.raw_mutable_data(), end - begin);
  return part;
}

absl::Status SerializeManySparse(KernelCall& c) {
  ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(c.input(0), c.input(1), c.input(2), "sparse_"));
  const int rank = sparse.rank();
  if (rank < 2) return absl::InvalidArgumentError(absl::StrCat("sparse_shape: expected at least 2 dimensions, got ", rank));
  RETURN_IF_ERROR(CheckPlaces(sparse, "sparse_"));
  for (int64_t i = 1; i < sparse.n; ++i) {
    if (CompareIndices(sparse.indices.row(i - 1), sparse.indices.row(i)) >= 0) {
      return absl::InvalidArgumentError(absl::StrCat("sparse_indices[", i, "]: expected one after that before it, got another"));
    }
  }
  const int64_t rows = sparse.dims[0];
  ASSIGN_OR_RETURN(Tensor * output, c.AllocateOutput(0, c.state<OutTypeState>().out_type, {rows, 3}));
  const Tensor shape = Tensor::Vector<int64_t>(absl::MakeConstSpan(sparse.dims).subspan(1));
  int64_t begin = 0;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t end = begin;
    while (end < sparse.n && sparse.indices[end][0] == row) ++end;
    ASSIGN_OR_RETURN(Tensor indices, Tensor::Make(DType::kInt64, {end - begin, rank - 1}));
    int64_t* to = indices.mutable_data<int64_t>();
    for (int64_t i = begin; i < end; ++i) to = std::copy_n(sparse.indices[i] + 1, rank - 1, to);
    ASSIGN_OR_RETURN(const Tensor values, Part(c.input(1), begin, end));
    RETURN_IF_ERROR(Put(indices, *output, 3 * row));
    RETURN_IF_ERROR(Put(values, *output, 3 * row + 1));
    RETURN_IF_ERROR(Put(shape, *output, 3 * row + 2));
    begin = end;
  }
  return absl::OkStatus();
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> SerializeKernel(const NodeInfo& node) {
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::make_shared<OutTypeState>(node.output_dtype(0))};
}

absl::Status SerializeSparseShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectSparse(c, 0).status());
  c.SetOutput(0, PartialShape::Of({3}));
  return absl::OkStatus();
}

absl::Status SerializeManyShape(ShapeContext& c) {
  RETURN_IF_ERROR(ExpectSparse(c, 0).status());
  ASSIGN_OR_RETURN(const PartialShape dense, c.InputAsShape(2));
  c.SetOutput(0, PartialShape::Of({dense.has_rank() && dense.rank() > 0 ? dense.dim(0) : -1, 3}));
  return absl::OkStatus();
}

// ---- And back

struct Parts {
  Tensor indices, values, shape;
};

absl::StatusOr<Parts> GetParts(const Tensor& serialized, int64_t k, DType dtype) {
  Parts parts;
  ASSIGN_OR_RETURN(parts.indices, Get(serialized, 3 * k));
  ASSIGN_OR_RETURN(parts.values, Get(serialized, 3 * k + 1));
  ASSIGN_OR_RETURN(parts.shape, Get(serialized, 3 * k + 2));
  RETURN_IF_ERROR(ExpectDType("indices of a serialized sparse tensor", parts.indices.dtype(), DType::kInt64));
  RETURN_IF_ERROR(ExpectDType("values of a serialized sparse tensor", parts.values.dtype(), dtype));
  RETURN_IF_ERROR(ExpectDType("shape of a serialized sparse tensor", parts.shape.dtype(), DType::kInt64));
  return parts;
}

absl::Status DeserializeSparse(KernelCall& c) {
  const DType dtype = c.state<DTypeState>().dtype;
  const Tensor& serialized = c.input(0);
  const int outer = serialized.rank() - 1;
  if (outer < 0 || serialized.dim(outer) != 3 || serialized.num_elements() == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("serialized_sparse: expected shape [..,3] and at least one, got shape ", serialized.ShapeString()));
  }
  const int64_t count = serialized.num_elements() / 3;
  std::vector<Parts> all(count);
  IndexRows rows;
  Dims inner;
  int64_t n = 0;
  for (int64_t k = 0; k < count; ++k) {
    ASSIGN_OR_RETURN(all[k], GetParts(serialized, k, dtype));
    ASSIGN_OR_RETURN(const SparseInput sparse, ReadSparse(all[k].indices, all[k].values, all[k].shape));
    if (k == 0) {
      inner.assign(sparse.rank(), 0);
      rows.rank = outer + sparse.rank();
    }
    if (outer + sparse.rank() != rows.rank) {
      return absl::InvalidArgumentError(absl::StrCat("serialized_sparse ", k, ": expected ", inner.size(), " dimensions as the first has, got ", sparse.rank()));
    }
    for (size_t d = 0; d < inner.size(); ++d) inner[d] = std::max(inner[d], sparse.dims[d]);
    Dims place(outer);
    int64_t rest = k;
    for (int d = outer - 1; d >= 0; --d) {
      place[d] = rest % serialized.dim(d);
      rest /= serialized.dim(d);
    }
    for (int64_t i = 0; i < sparse.n; ++i) {
      rows.Append(place);
      rows.Append(sparse.indices.row(i));
    }
    n += sparse.n;
  }
  RETURN_IF_ERROR(SetIndexRows(c, 0, rows, n));
  ASSIGN_OR_RETURN(Tensor * values, c.AllocateOutput(1, dtype, {n}));
  char* to = static_cast<char*>(values->raw_mutable_data());
  for (const Parts& parts : all) {
    CopyElements(dtype, parts.values.raw_data(), to, parts.values.num_elements());
    to += parts.values.size_bytes();
  }
  Dims dims(serialized.dims().begin(), serialized.dims().end() - 1);
  dims.insert(dims.end(), inner.begin(), inner.end());
  return SetInts(c, 2, dims);
}

absl::Status DeserializeShape(ShapeContext& c) {
  const PartialShape& serialized = c.input(0);
  if (c.schema().name() == "DeserializeManySparse") RETURN_IF_ERROR(c.WithRank(0, 2).status());
  if (serialized.has_rank()) {
    const bool fits = serialized.rank() > 0 && (!serialized.has_dim(serialized.rank() - 1) || serialized.dim(serialized.rank() - 1) == 3);
    if (!fits) {
      return absl::InvalidArgumentError(absl::StrCat("serialized_sparse: expected shape [..,3], got ", serialized.ToString()));
    }
  }
  SetSparseOutput(c, 0, -1, -1);
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterSerializeOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SerializeTensor"),
                               .doc = "A tensor as a string",
                               .shape = shapes::Scalar,
                               .kernel = PlainKernel<SerializeTensor>,
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("ParseTensor"),
                               .doc = "A tensor from a string",
                               .shape = shapes::Unknown,
                               .kernel = DTypeKernel<ParseTensor>,
                               .gradient = gradients::None}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SerializeSparse"),
                               .doc = "The parts of a sparse tensor, each as a string or variant",
                               .shape = SerializeSparseShape,
                               .kernel = SerializeKernel<SerializeSparse>}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("SerializeManySparse"),
                               .doc = "The parts of each row of a sparse tensor, each as a string or variant",
                               .shape = SerializeManyShape,
                               .kernel = SerializeKernel<SerializeManySparse>}));
  for (const char* op : {"DeserializeSparse", "DeserializeManySparse"}) {
    RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature(op),
                                 .doc = "A sparse tensor from the parts of several",
                                 .shape = DeserializeShape,
                                 .kernel = DTypeKernel<DeserializeSparse>}));
  }
  return absl::OkStatus();
}

}  // namespace flowlatch
