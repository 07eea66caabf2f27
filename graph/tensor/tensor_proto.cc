#include "graph/tensor/tensor_proto.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/resource_handle.pb.h"
#include "flowlatch/proto/tensor.pb.h"
#include "flowlatch/proto/tensor_shape.pb.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

// ---- Plain elements: which *_val field holds them, and how.

// A field of type `Field` of TensorProto, for reading and writing.
#define FLOWLATCH_FIELD(Name, field)                                                                           \
  struct Name {                                                                                                \
    static const auto& Get(const TensorProto& proto) { return proto.field(); }                                 \
    static void Add(TensorProto* proto, decltype(TensorProto().field(0)) value) { proto->add_##field(value); } \
  }
FLOWLATCH_FIELD(HalfVal, half_val);
FLOWLATCH_FIELD(FloatVal, float_val);
FLOWLATCH_FIELD(DoubleVal, double_val);
FLOWLATCH_FIELD(IntVal, int_val);
FLOWLATCH_FIELD(Int64Val, int64_val);
FLOWLATCH_FIELD(BoolVal, bool_val);
FLOWLATCH_FIELD(Uint32Val, uint32_val);
FLOWLATCH_FIELD(Uint64Val, uint64_val);
FLOWLATCH_FIELD(ScomplexVal, scomplex_val);
FLOWLATCH_FIELD(DcomplexVal, dcomplex_val);
#undef FLOWLATCH_FIELD

// One byte an element.
struct Float8Val {
  static const std::string& Get(const TensorProto& proto) { return proto.float8_val(); }
  static void Add(TensorProto* proto, char value) { proto->mutable_float8_val()->push_back(value); }
};

// The field of T; int_val is also that of what no line here names.
template <typename T>
struct FieldOf {
  using Type = std::conditional_t<kIsSmallFloat<T>, std::conditional_t<sizeof(T) == 2, HalfVal, Float8Val>, IntVal>;
};
#define FLOWLATCH_FIELD_OF(T, Name) \
  template <>                       \
  struct FieldOf<T> {               \
    using Type = Name;              \
  }
FLOWLATCH_FIELD_OF(float, FloatVal);
FLOWLATCH_FIELD_OF(double, DoubleVal);
FLOWLATCH_FIELD_OF(int64_t, Int64Val);
FLOWLATCH_FIELD_OF(bool, BoolVal);
FLOWLATCH_FIELD_OF(uint32_t, Uint32Val);
FLOWLATCH_FIELD_OF(uint64_t, Uint64Val);
FLOWLATCH_FIELD_OF(std::complex<float>, ScomplexVal);
FLOWLATCH_FIELD_OF(std::complex<double>, DcomplexVal);
#undef FLOWLATCH_FIELD_OF

// Codec<T>: the number of field entries that an element takes, and conversion both ways.
template <typename T>
struct Codec {
  using Field = typename FieldOf<T>::Type;
  static constexpr int kEntries = 1;
  template <typename Entries>
  static T Read(const Entries& entries, int at) {
    if constexpr (kIsSmallFloat<T>) {
      return T::FromBits(static_cast<decltype(T().bits)>(entries[at]));
    } else if constexpr (requires { T().value; }) {
      return T{static_cast<decltype(T().value)>(entries[at])};  // quantised, int4, int2
    } else {
      return static_cast<T>(entries[at]);
    }
  }
  static void Write(const T& value, TensorProto* proto) {
    if constexpr (kIsSmallFloat<T>) {
      Field::Add(proto, value.bits);
    } else if constexpr (requires { value.value; }) {
      Field::Add(proto, value.value);
    } else {
      Field::Add(proto, value);
    }
  }
};

template <typename Part>
struct Codec<std::complex<Part>> {
  using Field = typename FieldOf<std::complex<Part>>::Type;
  static constexpr int kEntries = 2;
  template <typename Entries>
  static std::complex<Part> Read(const Entries& entries, int at) {
    return {entries[2 * at], entries[2 * at + 1]};
  }
  static void Write(const std::complex<Part>& value, TensorProto* proto) {
    Field::Add(proto, value.real());
    Field::Add(proto, value.imag());
  }
};

// Calls `f` with a value of the element type of `dtype`.
template <typename F>
auto WithType(DType dtype, F f) {
  switch (dtype) {
#define FLOWLATCH_X(enumerator, number, name, type) \
  case DType::enumerator:                           \
    return f(std::type_identity<type>());
    FLOWLATCH_DTYPES(FLOWLATCH_X)
#undef FLOWLATCH_X
    case DType::kInvalid:
      break;
  }
  return f(std::type_identity<void>());
}

// ---- Objects: strings, handles, variants. In tensor_content: the length of each as a varint, then their bytes.

bool DecodeObject(const std::string& bytes, String* out) {
  *out = std::string_view(bytes);
  return true;
}

void DecodeHandle(const ResourceHandleProto& proto, ResourceHandle* out) {
  // An unnamed handle refers to nothing.
  if (proto.name().empty() && proto.container().empty() && proto.maybe_type_name().empty()) return;
  auto key = MakeRef<ResourceKey>();
  key->container = proto.container();
  key->name = proto.name();
  key->type_name = proto.maybe_type_name();
  *out = ResourceHandle(std::move(key));
}

bool DecodeObject(const std::string& bytes, ResourceHandle* out) {
  ResourceHandleProto proto;
  if (!proto.ParseFromString(bytes)) return false;
  DecodeHandle(proto, out);
  return true;
}

bool DecodeVariant(const VariantTensorDataProto& proto, Variant* out) {
  if (proto.type_name().empty()) return true;
  std::string encoded;
  {
    google::protobuf::io::StringOutputStream stream(&encoded);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    if (!proto.SerializeToCodedStream(&coded)) return false;
  }
  *out = Variant(MakeRef<OpaqueVariant>(proto.type_name(), std::move(encoded)));
  return true;
}

bool DecodeObject(const std::string& bytes, Variant* out) {
  VariantTensorDataProto proto;
  return proto.ParseFromString(bytes) && DecodeVariant(proto, out);
}

// ---- Reading.

absl::Status Malformed(DType dtype, const Shape& shape, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("tensor of ", std::string(DTypeName(dtype)), shape.ToString(), ": ", what));
}

int NumEntries(const std::string& bytes) { return static_cast<int>(bytes.size()); }
template <typename Repeated>
int NumEntries(const Repeated& repeated) {
  return repeated.size();
}

// Entries in all fields of values.
int64_t NumEntriesOfAllFields(const TensorProto& p) {
  return int64_t{p.half_val_size()} + p.float_val_size() + p.double_val_size() + p.int_val_size() +
         p.string_val_size() + p.scomplex_val_size() + p.int64_val_size() + p.bool_val_size() + p.dcomplex_val_size() +
         p.resource_handle_val_size() + p.variant_val_size() + p.uint32_val_size() + p.uint64_val_size() +
         static_cast<int64_t>(p.float8_val().size());
}

absl::Status CheckEntries(const TensorProto& proto, int64_t entries, DType dtype, const Shape& shape) {
  if (entries > 0 || NumEntriesOfAllFields(proto) == 0) return absl::OkStatus();
  return Malformed(dtype, shape, "expected values in the field of its dtype, got some in another");
}

template <typename T>
absl::Status ReadPlainContent(const TensorProto& proto, Tensor* tensor) {
  const std::string& content = proto.tensor_content();
  if constexpr (std::is_same_v<T, bool>) {
    std::transform(content.begin(), content.end(), tensor->mutable_data<bool>(), [](char c) { return c != 0; });
  } else if constexpr (requires { T().value; } && sizeof(T) == 1) {
    // Bits beyond those of an int4 or int2 do not count.
    std::transform(content.begin(), content.end(), tensor->mutable_data<T>(),
                   [](char c) { return T{static_cast<decltype(T().value)>(c)}; });
  } else {
    std::memcpy(tensor->raw_mutable_data(), content.data(), content.size());
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status ReadObjectContent(const TensorProto& proto, Tensor* tensor) {
  const std::string& content = proto.tensor_content();
  const auto bad = [&](const char* what) { return Malformed(tensor->dtype(), tensor->shape(), what); };
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(content.data()),
                                            static_cast<int>(content.size()));
  std::vector<uint64_t> sizes;
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    uint64_t size;
    if (!in.ReadVarint64(&size)) return bad("expected the length of each element in tensor_content, got its end");
    sizes.push_back(size);
  }
  std::string_view rest = std::string_view(content).substr(in.CurrentPosition());
  for (int64_t i = 0; i < tensor->num_elements(); ++i) {
    if (sizes[i] > rest.size()) return bad("expected as many bytes in tensor_content as the lengths say, got fewer");
    if (!DecodeObject(std::string(rest.substr(0, sizes[i])), &tensor->mutable_data<T>()[i])) {
      return bad("expected encoded messages in tensor_content");
    }
    rest.remove_prefix(sizes[i]);
  }
  if (!rest.empty()) return bad("expected as many bytes in tensor_content as the lengths say, got more");
  return absl::OkStatus();
}

// The smallest number of bytes that tensor_content may have: so that no tensor is made that the content cannot fill.
absl::Status CheckContentSize(const TensorProto& proto, DType dtype, const Shape& shape) {
  const auto have = static_cast<int64_t>(proto.tensor_content().size());
  if (IsObjectDType(dtype)) {
    if (have >= shape.num_elements()) return absl::OkStatus();
    return Malformed(dtype, shape,
                     absl::StrCat("expected a length for each element in tensor_content, got ", have, " bytes"));
  }
  const std::optional<int64_t> want = CheckedMul(shape.num_elements(), static_cast<int64_t>(DTypeSize(dtype)));
  if (want == have) return absl::OkStatus();
  return Malformed(dtype, shape,
                   absl::StrCat("expected ", want.has_value() ? absl::StrCat(*want) : "more than 2^63",
                                " bytes of tensor_content, got ", have));
}

template <typename T>
absl::Status ReadPlainValues(const TensorProto& proto, Tensor* tensor) {
  using C = Codec<T>;
  const auto& entries = C::Field::Get(proto);
  RETURN_IF_ERROR(CheckEntries(proto, NumEntries(entries), tensor->dtype(), tensor->shape()));
  const int64_t count = NumEntries(entries) / C::kEntries;  // a lone real part does not count
  const int64_t given = std::min(count, tensor->num_elements());
  T* out = tensor->mutable_data<T>();
  for (int64_t i = 0; i < given; ++i) out[i] = C::Read(entries, static_cast<int>(i));
  std::fill(out + given, out + tensor->num_elements(), count > 0 ? C::Read(entries, static_cast<int>(count - 1)) : T());
  return absl::OkStatus();
}

// Elements are default-constructed; the last given one is repeated.
template <typename T>
absl::Status ReadObjectValues(const TensorProto& proto, Tensor* tensor) {
  T* out = tensor->mutable_data<T>();
  const auto read = [&](const auto& entries, auto decode) -> absl::Status {
    RETURN_IF_ERROR(CheckEntries(proto, entries.size(), tensor->dtype(), tensor->shape()));
    const int64_t given = std::min<int64_t>(entries.size(), tensor->num_elements());
    for (int64_t i = 0; i < given; ++i) {
      if (!decode(entries.Get(static_cast<int>(i)), &out[i]))
        return Malformed(tensor->dtype(), tensor->shape(), "bad element");
    }
    for (int64_t i = std::max<int64_t>(given, 1); given > 0 && i < tensor->num_elements(); ++i) out[i] = out[given - 1];
    return absl::OkStatus();
  };
  if constexpr (std::is_same_v<T, String>) {
    return read(proto.string_val(), [](const std::string& s, String* to) { return DecodeObject(s, to); });
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    return read(proto.resource_handle_val(), [](const ResourceHandleProto& p, ResourceHandle* to) {
      DecodeHandle(p, to);
      return true;
    });
  } else {
    return read(proto.variant_val(), [](const VariantTensorDataProto& p, Variant* to) { return DecodeVariant(p, to); });
  }
}

// ---- Writing.

template <typename T>
void WritePlain(const Tensor& tensor, TensorProto* proto) {
  const T* values = tensor.data<T>();
  const int64_t n = tensor.num_elements();
  // All elements are the first one if each equals its successor.
  const bool splat = n == 1 || std::memcmp(values, values + 1, (n - 1) * sizeof(T)) == 0;
  if (splat) {
    Codec<T>::Write(values[0], proto);
  } else {
    proto->set_tensor_content(tensor.raw_data(), tensor.size_bytes());
  }
}

absl::Status WriteObjects(const Tensor& tensor, TensorProto* proto) {
  if (tensor.dtype() == DType::kString) {
    for (const String& s : tensor.values<String>()) proto->add_string_val(s.data(), s.size());
  } else if (tensor.dtype() == DType::kResource) {
    for (const ResourceHandle& handle : tensor.values<ResourceHandle>()) {
      ResourceHandleProto* out = proto->add_resource_handle_val();
      if (!handle) continue;
      out->set_container(handle->container);
      out->set_name(handle->name);
      out->set_maybe_type_name(handle->type_name);
    }
  } else {
    for (const Variant& variant : tensor.values<Variant>()) {
      VariantTensorDataProto* out = proto->add_variant_val();
      if (!variant) continue;
      const auto* opaque = variant.As<OpaqueVariant>();
      if (opaque == nullptr) {
        return absl::UnimplementedError(absl::StrCat("variant ", variant.get()->TypeName(), ": files cannot hold it"));
      }
      if (!out->ParseFromString(opaque->encoded())) return absl::InternalError("variant does not read back");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Dims> DimsFromProto(const TensorShapeProto& proto) {
  if (proto.dim_size() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape: expected at most ", kMaxRank, " dimensions, got ", proto.dim_size()));
  }
  Dims dims;
  for (const TensorShapeProto::Dim& dim : proto.dim()) dims.push_back(dim.size());
  return dims;
}

}  // namespace

absl::StatusOr<Shape> ShapeFromProto(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) return absl::InvalidArgumentError("shape: expected a known rank, got unknown_rank");
  ASSIGN_OR_RETURN(const Dims dims, DimsFromProto(proto));
  return Shape::Make(dims);
}

absl::StatusOr<PartialShape> PartialShapeFromProto(const TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() == 0) return PartialShape();
    return absl::InvalidArgumentError(
        absl::StrCat("shape: expected no dimensions beside unknown_rank, got ", proto.dim_size()));
  }
  ASSIGN_OR_RETURN(const Dims dims, DimsFromProto(proto));
  ASSIGN_OR_RETURN(PartialShape shape, PartialShape::Make(dims));
  if (shape.fully_defined()) RETURN_IF_ERROR(Shape::Make(dims).status());
  return shape;
}

void ShapeToProto(absl::Span<const int64_t> dims, TensorShapeProto* proto) {
  proto->Clear();
  for (int64_t dim : dims) proto->add_dim()->set_size(dim);
}

void ShapeToProto(const PartialShape& shape, TensorShapeProto* proto) {
  proto->Clear();
  if (!shape.has_rank()) return proto->set_unknown_rank(true);
  ShapeToProto(shape.dims(), proto);
}

absl::StatusOr<Tensor> TensorFromProto(const TensorProto& proto, Allocator* allocator) {
  const std::optional<DType> dtype = DTypeFromNumber(proto.dtype());
  if (!dtype.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("tensor: expected the number of a dtype, got ", proto.dtype()));
  }
  ASSIGN_OR_RETURN(const Shape shape, ShapeFromProto(proto.tensor_shape()));
  const bool has_content = !proto.tensor_content().empty();
  if (has_content) RETURN_IF_ERROR(CheckContentSize(proto, *dtype, shape));
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(*dtype, shape, allocator));
  if (shape.num_elements() == 0) return tensor;
  RETURN_IF_ERROR(WithType(*dtype, [&]<typename T>(std::type_identity<T>) -> absl::Status {
    if constexpr (std::is_void_v<T>) {
      return absl::InternalError("dtype without an element type");
    } else if constexpr (IsObjectDType(kDTypeOf<T>)) {
      return has_content ? ReadObjectContent<T>(proto, &tensor) : ReadObjectValues<T>(proto, &tensor);
    } else {
      return has_content ? ReadPlainContent<T>(proto, &tensor) : ReadPlainValues<T>(proto, &tensor);
    }
  }));
  return tensor;
}

absl::Status TensorToProto(const Tensor& tensor, TensorProto* proto) {
  proto->Clear();
  if (!tensor.has_value()) return absl::InvalidArgumentError("tensor: expected a value, got none");
  proto->set_dtype(static_cast<DataType>(tensor.dtype()));
  ShapeToProto(tensor.dims(), proto->mutable_tensor_shape());
  if (tensor.num_elements() == 0) return absl::OkStatus();
  return WithType(tensor.dtype(), [&]<typename T>(std::type_identity<T>) -> absl::Status {
    if constexpr (std::is_void_v<T>) {
      return absl::InternalError("dtype without an element type");
    } else if constexpr (IsObjectDType(kDTypeOf<T>)) {
      return WriteObjects(tensor, proto);
    } else {
      WritePlain<T>(tensor, proto);
      return absl::OkStatus();
    }
  });
}

}  // namespace flowlatch
