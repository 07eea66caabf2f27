// Tensors as JSON: nested lists of numbers, booleans or strings.
//
// NaN and infinities are the strings "NaN", "Infinity" and "-Infinity"; complex numbers are lists of two numbers;
// strings that are not UTF-8 are {"b64": "..."}.
#ifndef FLOWLATCH_TOOLS_ARRAYS_JSON_ARRAY_H_
#define FLOWLATCH_TOOLS_ARRAYS_JSON_ARRAY_H_

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// Without `dtype`: int32 (int64 if some number needs it), float32, bool or string, as the values are.
// Errors: InvalidArgument for text that is no JSON, ragged lists, and values that the dtype cannot hold.
absl::StatusOr<Tensor> TensorFromJson(std::string_view text, std::optional<DType> dtype);
absl::StatusOr<Tensor> TensorFromJsonValue(const nlohmann::json& value, std::optional<DType> dtype);

// Resources and variants become their description.
nlohmann::json TensorToJson(const Tensor& tensor);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_ARRAYS_JSON_ARRAY_H_
