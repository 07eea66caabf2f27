#include "runtime/data/example_dataset.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/example.pb.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

using proto::Feature;

absl::Status Wrong(const std::string& key, const std::string& expected, const std::string& got) {
  return absl::InvalidArgumentError(absl::StrCat("feature '", key, "': expected ", expected, ", got ", got));
}

// The shape of `spec` when there are `count` values.
absl::StatusOr<Shape> ShapeFor(const FeatureSpec& spec, int64_t count) {
  if (!spec.shape.has_rank()) return count == 1 ? Shape() : Shape::Of({count});
  std::vector<int64_t> dims(spec.shape.dims().begin(), spec.shape.dims().end());
  int unknown = -1;
  int64_t known = 1;
  for (int d = 0; d < spec.shape.rank(); ++d) {
    if (!spec.shape.has_dim(d)) {
      if (unknown >= 0) return Wrong(spec.key, "a shape with one unknown dimension at most", spec.shape.ToString());
      unknown = d;
    } else if (__builtin_mul_overflow(known, spec.shape.dim(d), &known)) {
      return Wrong(spec.key, "a shape of int64 size", spec.shape.ToString());
    }
  }
  if (unknown >= 0 && known > 0 && count % known == 0) dims[static_cast<size_t>(unknown)] = count / known;
  const absl::StatusOr<Shape> shape = Shape::Make(dims);
  if (!shape.ok() || shape->num_elements() != count) {
    return Wrong(spec.key, absl::StrCat("values for shape ", spec.shape.ToString()), absl::StrCat(count, " of them"));
  }
  return shape;
}

// `value` as T; false if a T cannot hold it.
template <typename T, typename V>
bool Convert(V value, T* out) {
  if constexpr (std::is_same_v<T, bool>) {
    *out = value != 0;
    return true;
  } else if constexpr (std::is_integral_v<T> && std::is_integral_v<V>) {
    *out = static_cast<T>(value);
    return static_cast<V>(*out) == value && (value < 0) == (*out < T{});
  } else if constexpr (std::is_integral_v<T>) {
    return false;  // a float list is no list of integers
  } else {
    *out = static_cast<T>(static_cast<float>(value));
    if constexpr (std::is_same_v<T, double>) *out = static_cast<double>(value);
    return true;
  }
}

template <typename T, typename List>
absl::Status ConvertAll(const FeatureSpec& spec, const List& values, T* out) {
  for (int i = 0; i < values.size(); ++i) {
    if (!Convert(values[i], out + i)) {
      return Wrong(spec.key, absl::StrCat("values of ", std::string(DTypeName(spec.dtype))), absl::StrCat(values[i]));
    }
  }
  return absl::OkStatus();
}

// Calls visit with an element of the dtype, for dtypes of numbers.
template <typename Visit>
absl::Status ForNumbers(const FeatureSpec& spec, const Visit& visit) {
  switch (spec.dtype) {
    case DType::kFloat32:
      return visit(float{});
    case DType::kFloat64:
      return visit(double{});
    case DType::kFloat16:
      return visit(Half{});
    case DType::kBFloat16:
      return visit(BFloat16{});
    case DType::kInt8:
      return visit(int8_t{});
    case DType::kInt16:
      return visit(int16_t{});
    case DType::kInt32:
      return visit(int32_t{});
    case DType::kInt64:
      return visit(int64_t{});
    case DType::kUInt8:
      return visit(uint8_t{});
    case DType::kUInt16:
      return visit(uint16_t{});
    case DType::kUInt32:
      return visit(uint32_t{});
    case DType::kUInt64:
      return visit(uint64_t{});
    case DType::kBool:
      return visit(bool{});
    default:
      return Wrong(spec.key, "a dtype of numbers or string", std::string(DTypeName(spec.dtype)));
  }
}

template <typename List>
absl::StatusOr<Tensor> NumbersOf(const FeatureSpec& spec, const List& values) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeFor(spec, values.size()));
  ASSIGN_OR_RETURN(Tensor t, Tensor::Make(spec.dtype, shape));
  RETURN_IF_ERROR(ForNumbers(spec, [&]<typename T>(T) { return ConvertAll(spec, values, t.mutable_data<T>()); }));
  return t;
}

absl::StatusOr<Tensor> StringsOf(const FeatureSpec& spec, const proto::BytesList& list) {
  ASSIGN_OR_RETURN(const Shape shape, ShapeFor(spec, list.value_size()));
  ASSIGN_OR_RETURN(Tensor t, Tensor::Make(DType::kString, shape));
  for (int i = 0; i < list.value_size(); ++i) t.mutable_data<String>()[i] = std::string_view(list.value(i));
  return t;
}

// Elements as they lie in memory.
absl::StatusOr<Tensor> RawBytes(const FeatureSpec& spec, const proto::BytesList& list) {
  const size_t size = DTypeSize(spec.dtype);
  if (list.value_size() != 1 || list.value(0).size() % size != 0) {
    return Wrong(spec.key, absl::StrCat("one string of ", std::string(DTypeName(spec.dtype)), " elements"),
                 list.value_size() == 1 ? absl::StrCat(list.value(0).size(), " bytes") : absl::StrCat(list.value_size(), " strings"));
  }
  const std::string& bytes = list.value(0);
  ASSIGN_OR_RETURN(const Shape shape, ShapeFor(spec, static_cast<int64_t>(bytes.size() / size)));
  ASSIGN_OR_RETURN(Tensor t, Tensor::Make(spec.dtype, shape));
  if (spec.dtype == DType::kBool) {
    for (size_t i = 0; i < bytes.size(); ++i) t.mutable_data<bool>()[i] = bytes[i] != 0;
  } else if (!bytes.empty()) {
    std::memcpy(t.raw_mutable_data(), bytes.data(), bytes.size());
  }
  return t;
}

absl::StatusOr<Tensor> TensorOf(const FeatureSpec& spec, const Feature& feature) {
  if (spec.dtype == DType::kString && feature.kind_case() == Feature::kBytesList) return StringsOf(spec, feature.bytes_list());
  RETURN_IF_ERROR(spec.dtype == DType::kString ? absl::OkStatus() : ForNumbers(spec, [](auto) { return absl::OkStatus(); }));
  switch (feature.kind_case()) {
    case Feature::kBytesList:
      return RawBytes(spec, feature.bytes_list());
    case Feature::kFloatList:
      if (spec.dtype != DType::kString) return NumbersOf(spec, feature.float_list().value());
      return Wrong(spec.key, "bytes", "a list of floats");
    case Feature::kInt64List:
      if (spec.dtype != DType::kString) return NumbersOf(spec, feature.int64_list().value());
      return Wrong(spec.key, "bytes", "a list of integers");
    case Feature::KIND_NOT_SET:
      break;
  }
  return Wrong(spec.key, "a value", "none");
}

// The steps of a sequence, one below the other.
absl::StatusOr<Tensor> SequenceOf(const FeatureSpec& spec, const proto::FeatureList& list) {
  std::vector<Tensor> steps;
  for (const Feature& feature : list.feature()) {
    ASSIGN_OR_RETURN(Tensor step, TensorOf(spec, feature));
    steps.push_back(std::move(step));
  }
  if (!steps.empty()) return Stack(steps, /*pad=*/false, absl::StrCat("feature list '", spec.key, "'"));
  std::vector<int64_t> dims = {0};
  for (int d = 0; d < spec.shape.rank(); ++d) dims.push_back(std::max<int64_t>(0, spec.shape.dim(d)));
  return Tensor::Make(spec.dtype, dims);
}

absl::Status NoFeature(const std::string& key, const proto::Features& features, const proto::FeatureLists& lists) {
  NearNames near(key);
  for (const auto& [name, feature] : features.feature()) near.Consider(name);
  for (const auto& [name, list] : lists.feature_list()) near.Consider(name);
  return absl::InvalidArgumentError(absl::StrCat("feature '", key, "': expected it to be there", near.Hint()));
}

absl::StatusOr<std::vector<Tensor>> Extract(const proto::Features& features, const proto::FeatureLists& lists,
                                            const std::vector<FeatureSpec>& specs) {
  std::vector<Tensor> row;
  for (const FeatureSpec& spec : specs) {
    absl::StatusOr<Tensor> t;
    if (const auto feature = features.feature().find(spec.key); feature != features.feature().end()) {
      t = TensorOf(spec, feature->second);
    } else if (const auto list = lists.feature_list().find(spec.key); list != lists.feature_list().end()) {
      t = SequenceOf(spec, list->second);
    } else {
      return NoFeature(spec.key, features, lists);
    }
    RETURN_IF_ERROR(t.status());
    row.push_back(*std::move(t));
  }
  return row;
}

class Examples final : public SourceDataset {
 public:
  Examples(FileSystem& files, std::vector<std::string> paths, ExampleKind kind, std::vector<FeatureSpec> features)
      : files_(files), paths_(std::move(paths)), kind_(kind), features_(std::move(features)) {
    for (const FeatureSpec& feature : features_) columns_.push_back(feature.key);
  }
  const std::vector<std::string>& columns() const override { return columns_; }
  std::optional<int64_t> num_rows() const override { return std::nullopt; }
  absl::Status StartEpoch(int64_t) override {
    next_path_ = 0;
    reader_.reset();
    return absl::OkStatus();
  }
  absl::StatusOr<bool> Next(std::vector<Tensor>* row) override {
    std::string record;
    while (true) {
      RETURN_IF_ERROR(CheckCancelled());
      if (reader_ == nullptr) {
        if (next_path_ == paths_.size()) return false;
        ASSIGN_OR_RETURN(reader_, RecordReader::Open(files_, paths_[next_path_]));
        ++next_path_;
      }
      const int64_t offset = reader_->offset();
      ASSIGN_OR_RETURN(const bool more, reader_->Next(&record));
      if (!more) {
        reader_.reset();
        continue;
      }
      absl::StatusOr<std::vector<Tensor>> parsed = ParseExample(record, kind_, features_);
      if (!parsed.ok()) {
        return absl::Status(parsed.status().code(), absl::StrCat("record file '", reader_->path(), "', record at ", offset,
                                                                 ": ", parsed.status().message()));
      }
      *row = *std::move(parsed);
      return true;
    }
  }

 private:
  FileSystem& files_;
  const std::vector<std::string> paths_;
  const ExampleKind kind_;
  const std::vector<FeatureSpec> features_;
  std::vector<std::string> columns_;
  size_t next_path_ = 0;
  std::unique_ptr<RecordReader> reader_;  // of the path before next_path_; null before it is opened
};

}  // namespace

absl::StatusOr<std::vector<Tensor>> ParseExample(std::string_view bytes, ExampleKind kind,
                                                 const std::vector<FeatureSpec>& features) {
  // A limit of protobuf's.
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max())) return absl::InvalidArgumentError("example: expected at most 2 GiB");
  const int size = static_cast<int>(bytes.size());
  if (kind == ExampleKind::kExample) {
    proto::Example example;
    if (example.ParseFromArray(bytes.data(), size)) return Extract(example.features(), {}, features);
  } else {
    proto::SequenceExample example;
    if (example.ParseFromArray(bytes.data(), size)) return Extract(example.context(), example.feature_lists(), features);
  }
  return absl::InvalidArgumentError(absl::StrCat("example: expected a serialized ",
                                                 kind == ExampleKind::kExample ? "Example" : "SequenceExample", ", got ",
                                                 bytes.size(), " other bytes"));
}

std::unique_ptr<Dataset> ExampleDataset(FileSystem& files, std::vector<std::string> paths, ExampleKind kind,
                                        std::vector<FeatureSpec> features) {
  return std::make_unique<Examples>(files, std::move(paths), kind, std::move(features));
}

}  // namespace flowlatch
