// One function for each op: `ops::MatMul(b, x, y, {.transpose_b = true})`. Written by graph-runner ops --cpp; do not edit.
//
// Each takes the builder, the op's inputs, the attributes that neither inputs nor defaults tell, and a struct of the others. Inputs may
// be constants written in place. Dtypes and counts that inputs tell are no parameters. Errors are the builder's, with the place of the
// call. An op with one output gives an Output (a list: Outputs), one with several a struct, one with none an Operation.
#ifndef FLOWLATCH_OPS_OP_FUNCTIONS_H_
#define FLOWLATCH_OPS_OP_FUNCTIONS_H_

#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "graph/build/graph_builder.h"

namespace flowlatch::ops {

using InputList = absl::Span<const Input>;
using AttrList = absl::InlinedVector<AttrMap::Entry, 4>;

inline std::vector<Input> Inputs(std::initializer_list<InputList> groups) {
  std::vector<Input> all;
  for (const InputList& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

inline std::vector<DType> DTypesOf(InputList inputs) {
  std::vector<DType> dtypes;
  for (const Input& input : inputs) dtypes.push_back(input.output() != nullptr ? input.output()->dtype() : input.constant()->dtype());
  return dtypes;
}

inline Outputs OutputsOf(const Operation& op, const absl::StatusOr<std::pair<int, int>>& range) {
  Outputs some;
  for (int i = range.ok() ? range->first : 0; range.ok() && i < range->second; ++i) some.push_back(op.output(i));
  return some;
}

struct AbortAttrs {
  std::string error_msg = "";
  bool exit_without_error = false;
  std::string_view name = "";
};

// ends the step with an error.
//   attr error_msg: string = ""
//   attr exit_without_error: bool = false
inline Operation Abort(GraphBuilder& b, const AbortAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.error_msg != std::string("")) given.push_back({"error_msg", attrs.error_msg});
  if (attrs.exit_without_error != bool(false)) given.push_back({"exit_without_error", attrs.exit_without_error});
  return b.Op("Abort", {}, given, attrs.name, at);
}

// The magnitude of x.
//   x: T
//   -> y: T
//   T: float32, float64, int32, int16, int8, int64, bfloat16, float16
inline Output Abs(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Abs", {x}, given, name, at).output();
}

// The sum of all inputs, which have the shape of the attr.
//   inputs: list of T
//   -> sum: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr shape: shape
inline Output AccumulateNV2(GraphBuilder& b, InputList inputs, const PartialShape& shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shape", shape});
  return b.Op("AccumulateNV2", Inputs({inputs}), given, name, at).output();
}

// Adds a gradient, unless it is of too early a step.
//   handle: reference to string
//   local_step: int64
//   gradient: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
inline Operation AccumulatorApplyGradient(GraphBuilder& b, const Input& handle, const Input& local_step, const Input& gradient, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AccumulatorApplyGradient", {handle, local_step, gradient}, given, name, at);
}

// How many gradients there are.
//   handle: reference to string
//   -> num_accumulated: int32
inline Output AccumulatorNumAccumulated(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AccumulatorNumAccumulated", {handle}, given, name, at).output();
}

// From which step on gradients count.
//   handle: reference to string
//   new_global_step: int64
inline Operation AccumulatorSetGlobalStep(GraphBuilder& b, const Input& handle, const Input& new_global_step, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AccumulatorSetGlobalStep", {handle, new_global_step}, given, name, at);
}

// The average of gradients, once there are enough.
//   handle: reference to string
//   num_required: int32
//   -> average: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr dtype: type
inline Output AccumulatorTakeGradient(GraphBuilder& b, const Input& handle, const Input& num_required, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("AccumulatorTakeGradient", {handle, num_required}, given, name, at).output();
}

// The angle in [0, pi] with cosine x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Acos(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Acos", {x}, given, name, at).output();
}

// The inverse of Cosh, NaN below 1.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Acosh(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Acosh", {x}, given, name, at).output();
}

// x + y; strings are concatenated.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, string, complex64, int64, bfloat16, complex128, float16
inline Output Add(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Add", {x, y}, given, name, at).output();
}

struct AddManySparseToTensorsMapAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Keeps the sparse tensors along the first dimension.
//   sparse_indices: int64
//   sparse_values: T
//   sparse_shape: int64
//   -> sparse_handles: int64
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output AddManySparseToTensorsMap(GraphBuilder& b, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddManySparseToTensorsMapAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("AddManySparseToTensorsMap", {sparse_indices, sparse_values, sparse_shape}, given, attrs.name, at).output();
}

// The sum of all inputs.
//   inputs: list of T
//   -> sum: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, variant, uint32, uint64
inline Output AddN(GraphBuilder& b, InputList inputs, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AddN", Inputs({inputs}), given, name, at).output();
}

struct AddSparseToTensorsMapAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Keeps a sparse tensor and gives its number.
//   sparse_indices: int64
//   sparse_values: T
//   sparse_shape: int64
//   -> sparse_handle: int64
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output AddSparseToTensorsMap(GraphBuilder& b, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const AddSparseToTensorsMapAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("AddSparseToTensorsMap", {sparse_indices, sparse_values, sparse_shape}, given, attrs.name, at).output();
}

// x + y.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output AddV2(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AddV2", {x, y}, given, name, at).output();
}

// Images with each channel's distances from its mean scaled.
//   images: T
//   contrast_factor: float32
//   -> output: T
//   T: float32, float16
inline Output AdjustContrastv2(GraphBuilder& b, const Input& images, const Input& contrast_factor, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AdjustContrastv2", {images, contrast_factor}, given, name, at).output();
}

// RGB images with their hues turned by a part of a circle.
//   images: T
//   delta: float32
//   -> output: T
//   T: float32, float16
inline Output AdjustHue(GraphBuilder& b, const Input& images, const Input& delta, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AdjustHue", {images, delta}, given, name, at).output();
}

// RGB images with scaled saturations.
//   images: T
//   scale: float32
//   -> output: T
//   T: float32, float16
inline Output AdjustSaturation(GraphBuilder& b, const Input& images, const Input& scale, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AdjustSaturation", {images, scale}, given, name, at).output();
}

struct AllAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// whether all elements over dimensions are true.
//   input: bool
//   reduction_indices: Tidx
//   -> output: bool
//   Tidx: int32, int64
//   attr keep_dims: bool = false
inline Output All(GraphBuilder& b, const Input& input, const Input& reduction_indices, const AllAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("All", {input, reduction_indices}, given, attrs.name, at).output();
}

struct AllCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct AllCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation operation;
};

// all classes.
//   true_classes: int64
//   -> sampled_candidates: int64
//   -> true_expected_count: float32
//   -> sampled_expected_count: float32
//   attr num_true: int (at least 1)
//   attr num_sampled: int (at least 1)
//   attr unique: bool
//   attr seed: int = 0
//   attr seed2: int = 0
inline AllCandidateSamplerOutputs AllCandidateSampler(GraphBuilder& b, const Input& true_classes, const int64_t& num_true, const int64_t& num_sampled, const bool& unique, const AllCandidateSamplerAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_true", num_true});
  given.push_back({"num_sampled", num_sampled});
  given.push_back({"unique", unique});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("AllCandidateSampler", {true_classes}, given, attrs.name, at);
  AllCandidateSamplerOutputs result;
  result.operation = op;
  result.sampled_candidates = op.output(0);
  result.true_expected_count = op.output(1);
  result.sampled_expected_count = op.output(2);
  return result;
}

struct AngleAttrs {
  DType Tout = DType::kFloat32;
  std::string_view name = "";
};

// The angle from the positive real axis.
//   input: T
//   -> output: Tout
//   T: complex64, complex128
//   Tout: float32, float64
//   attr Tout: type = float32
inline Output Angle(GraphBuilder& b, const Input& input, const AngleAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tout != DType(DType::kFloat32)) given.push_back({"Tout", attrs.Tout});
  return b.Op("Angle", {input}, given, attrs.name, at).output();
}

// A table that is filled once.
//   -> table_handle: resource
//   attr key_dtype: type
//   attr value_dtype: type
inline Output AnonymousHashTable(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  return b.Op("AnonymousHashTable", {}, given, name, at).output();
}

// A new iterator.
//   -> handle: resource
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline Output AnonymousIterator(GraphBuilder& b, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  return b.Op("AnonymousIterator", {}, given, name, at).output();
}

struct AnonymousIteratorV2Outputs {
  Output handle;
  Output deleter;
  Operation operation;
};

// A new iterator.
//   -> handle: resource
//   -> deleter: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline AnonymousIteratorV2Outputs AnonymousIteratorV2(GraphBuilder& b, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  const Operation op = b.Op("AnonymousIteratorV2", {}, given, name, at);
  AnonymousIteratorV2Outputs result;
  result.operation = op;
  result.handle = op.output(0);
  result.deleter = op.output(1);
  return result;
}

// A new iterator.
//   -> handle: resource
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline Output AnonymousIteratorV3(GraphBuilder& b, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  return b.Op("AnonymousIteratorV3", {}, given, name, at).output();
}

struct AnonymousMemoryCacheOutputs {
  Output handle;
  Output deleter;
  Operation operation;
};

// A cache for datasets.
//   -> handle: resource
//   -> deleter: variant
inline AnonymousMemoryCacheOutputs AnonymousMemoryCache(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("AnonymousMemoryCache", {}, given, name, at);
  AnonymousMemoryCacheOutputs result;
  result.operation = op;
  result.handle = op.output(0);
  result.deleter = op.output(1);
  return result;
}

struct AnonymousMutableDenseHashTableAttrs {
  PartialShape value_shape = PartialShape::Of({});
  int64_t initial_num_buckets = 131072;
  float max_load_factor = 0.8f;
  std::string_view name = "";
};

// A table whose keys and values are elements or vectors.
//   empty_key: key_dtype
//   deleted_key: key_dtype
//   -> table_handle: resource
//   attr value_dtype: type
//   attr value_shape: shape = []
//   attr initial_num_buckets: int = 131072
//   attr max_load_factor: float = 0.8
inline Output AnonymousMutableDenseHashTable(GraphBuilder& b, const Input& empty_key, const Input& deleted_key, const DType& value_dtype, const AnonymousMutableDenseHashTableAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"value_dtype", value_dtype});
  if (attrs.value_shape != PartialShape(PartialShape::Of({}))) given.push_back({"value_shape", attrs.value_shape});
  if (attrs.initial_num_buckets != int64_t(131072)) given.push_back({"initial_num_buckets", attrs.initial_num_buckets});
  if (attrs.max_load_factor != float(0.8f)) given.push_back({"max_load_factor", attrs.max_load_factor});
  return b.Op("AnonymousMutableDenseHashTable", {empty_key, deleted_key}, given, attrs.name, at).output();
}

// A table whose values are elements.
//   -> table_handle: resource
//   attr key_dtype: type
//   attr value_dtype: type
inline Output AnonymousMutableHashTable(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  return b.Op("AnonymousMutableHashTable", {}, given, name, at).output();
}

struct AnonymousMutableHashTableOfTensorsAttrs {
  PartialShape value_shape = PartialShape::Of({});
  std::string_view name = "";
};

// A table whose values are vectors.
//   -> table_handle: resource
//   attr key_dtype: type
//   attr value_dtype: type
//   attr value_shape: shape = []
inline Output AnonymousMutableHashTableOfTensors(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, const AnonymousMutableHashTableOfTensorsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  if (attrs.value_shape != PartialShape(PartialShape::Of({}))) given.push_back({"value_shape", attrs.value_shape});
  return b.Op("AnonymousMutableHashTableOfTensors", {}, given, attrs.name, at).output();
}

struct AnonymousRandomSeedGeneratorOutputs {
  Output handle;
  Output deleter;
  Operation operation;
};

// Seeds for the orders of datasets.
//   seed: int64
//   seed2: int64
//   -> handle: resource
//   -> deleter: variant
inline AnonymousRandomSeedGeneratorOutputs AnonymousRandomSeedGenerator(GraphBuilder& b, const Input& seed, const Input& seed2, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("AnonymousRandomSeedGenerator", {seed, seed2}, given, name, at);
  AnonymousRandomSeedGeneratorOutputs result;
  result.operation = op;
  result.handle = op.output(0);
  result.deleter = op.output(1);
  return result;
}

struct AnonymousSeedGeneratorOutputs {
  Output handle;
  Output deleter;
  Operation operation;
};

// Seeds for the orders of datasets.
//   seed: int64
//   seed2: int64
//   reshuffle: bool
//   -> handle: resource
//   -> deleter: variant
inline AnonymousSeedGeneratorOutputs AnonymousSeedGenerator(GraphBuilder& b, const Input& seed, const Input& seed2, const Input& reshuffle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("AnonymousSeedGenerator", {seed, seed2, reshuffle}, given, name, at);
  AnonymousSeedGeneratorOutputs result;
  result.operation = op;
  result.handle = op.output(0);
  result.deleter = op.output(1);
  return result;
}

struct AnyAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// whether any element over dimensions is true.
//   input: bool
//   reduction_indices: Tidx
//   -> output: bool
//   Tidx: int32, int64
//   attr keep_dims: bool = false
inline Output Any(GraphBuilder& b, const Input& input, const Input& reduction_indices, const AnyAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("Any", {input, reduction_indices}, given, attrs.name, at).output();
}

struct ApplyAdaMaxAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As Adam with v a decaying maximum of |grad|.
//   var: reference to T
//   m: reference to T
//   v: reference to T
//   beta1_power: T
//   lr: T
//   beta1: T
//   beta2: T
//   epsilon: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyAdaMax(GraphBuilder& b, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdaMaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyAdaMax", {var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad}, given, attrs.name, at).output();
}

struct ApplyAdadeltaAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// var -= lr times grad scaled by running averages of updates and gradients.
//   var: reference to T
//   accum: reference to T
//   accum_update: reference to T
//   lr: T
//   rho: T
//   epsilon: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyAdadelta(GraphBuilder& b, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ApplyAdadeltaAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon, grad}, given, attrs.name, at).output();
}

struct ApplyAdagradAttrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string_view name = "";
};

// accum += grad^2; var -= lr grad / sqrt(accum).
//   var: reference to T
//   accum: reference to T
//   lr: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr update_slots: bool = true
inline Output ApplyAdagrad(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const ApplyAdagradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.update_slots != bool(true)) given.push_back({"update_slots", attrs.update_slots});
  return b.Op("ApplyAdagrad", {var, accum, lr, grad}, given, attrs.name, at).output();
}

struct ApplyAdagradDAAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Dual averaging: var follows from the sums of gradients and their squares.
//   var: reference to T
//   gradient_accumulator: reference to T
//   gradient_squared_accumulator: reference to T
//   grad: T
//   lr: T
//   l1: T
//   l2: T
//   global_step: int64
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyAdagradDA(GraphBuilder& b, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ApplyAdagradDAAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyAdagradDA", {var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step}, given, attrs.name, at).output();
}

struct ApplyAdagradV2Attrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string_view name = "";
};

// accum += grad^2; var -= lr grad / (sqrt(accum) + epsilon).
//   var: reference to T
//   accum: reference to T
//   lr: T
//   epsilon: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr update_slots: bool = true
inline Output ApplyAdagradV2(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& epsilon, const Input& grad, const ApplyAdagradV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.update_slots != bool(true)) given.push_back({"update_slots", attrs.update_slots});
  return b.Op("ApplyAdagradV2", {var, accum, lr, epsilon, grad}, given, attrs.name, at).output();
}

struct ApplyAdamAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string_view name = "";
};

// var -= lr m / (sqrt(v) + epsilon), where m and v average grad and grad^2.
//   var: reference to T
//   m: reference to T
//   v: reference to T
//   beta1_power: T
//   beta2_power: T
//   lr: T
//   beta1: T
//   beta2: T
//   epsilon: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr use_nesterov: bool = false
inline Output ApplyAdam(GraphBuilder& b, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdamAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.use_nesterov != bool(false)) given.push_back({"use_nesterov", attrs.use_nesterov});
  return b.Op("ApplyAdam", {var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad}, given, attrs.name, at).output();
}

struct ApplyAddSignAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// var -= lr (alpha + sign_decay sign(grad) sign(m)) grad, where m averages grad.
//   var: reference to T
//   m: reference to T
//   lr: T
//   alpha: T
//   sign_decay: T
//   beta: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyAddSign(GraphBuilder& b, const Input& var, const Input& m, const Input& lr, const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyAddSignAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyAddSign", {var, m, lr, alpha, sign_decay, beta, grad}, given, attrs.name, at).output();
}

struct ApplyCenteredRMSPropAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As RMSProp with the variance of the gradient in place of ms.
//   var: reference to T
//   mg: reference to T
//   ms: reference to T
//   mom: reference to T
//   lr: T
//   rho: T
//   momentum: T
//   epsilon: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyCenteredRMSProp(GraphBuilder& b, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyCenteredRMSPropAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum, epsilon, grad}, given, attrs.name, at).output();
}

struct ApplyFtrlAttrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string_view name = "";
};

// Follow the regularised leader, with l1 and l2 penalties.
//   var: reference to T
//   accum: reference to T
//   linear: reference to T
//   grad: T
//   lr: T
//   l1: T
//   l2: T
//   lr_power: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr multiply_linear_by_lr: bool = false
inline Output ApplyFtrl(GraphBuilder& b, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ApplyFtrlAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.multiply_linear_by_lr != bool(false)) given.push_back({"multiply_linear_by_lr", attrs.multiply_linear_by_lr});
  return b.Op("ApplyFtrl", {var, accum, linear, grad, lr, l1, l2, lr_power}, given, attrs.name, at).output();
}

struct ApplyFtrlV2Attrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string_view name = "";
};

// As Ftrl, with a shrinkage of var in the gradient.
//   var: reference to T
//   accum: reference to T
//   linear: reference to T
//   grad: T
//   lr: T
//   l1: T
//   l2: T
//   l2_shrinkage: T
//   lr_power: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr multiply_linear_by_lr: bool = false
inline Output ApplyFtrlV2(GraphBuilder& b, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ApplyFtrlV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.multiply_linear_by_lr != bool(false)) given.push_back({"multiply_linear_by_lr", attrs.multiply_linear_by_lr});
  return b.Op("ApplyFtrlV2", {var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power}, given, attrs.name, at).output();
}

struct ApplyGradientDescentAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// var -= alpha delta.
//   var: reference to T
//   alpha: T
//   delta: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyGradientDescent(GraphBuilder& b, const Input& var, const Input& alpha, const Input& delta, const ApplyGradientDescentAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyGradientDescent", {var, alpha, delta}, given, attrs.name, at).output();
}

struct ApplyMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string_view name = "";
};

// accum = momentum accum + grad; var -= lr accum.
//   var: reference to T
//   accum: reference to T
//   lr: T
//   grad: T
//   momentum: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr use_nesterov: bool = false
inline Output ApplyMomentum(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ApplyMomentumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.use_nesterov != bool(false)) given.push_back({"use_nesterov", attrs.use_nesterov});
  return b.Op("ApplyMomentum", {var, accum, lr, grad, momentum}, given, attrs.name, at).output();
}

struct ApplyPowerSignAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// var -= lr exp(logbase sign_decay sign(grad) sign(m)) grad, where m averages grad.
//   var: reference to T
//   m: reference to T
//   lr: T
//   logbase: T
//   sign_decay: T
//   beta: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyPowerSign(GraphBuilder& b, const Input& var, const Input& m, const Input& lr, const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyPowerSignAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyPowerSign", {var, m, lr, logbase, sign_decay, beta, grad}, given, attrs.name, at).output();
}

struct ApplyProximalAdagradAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As Adagrad, then var moves towards 0 by l1 and shrinks by l2.
//   var: reference to T
//   accum: reference to T
//   lr: T
//   l1: T
//   l2: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyProximalAdagrad(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ApplyProximalAdagradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyProximalAdagrad", {var, accum, lr, l1, l2, grad}, given, attrs.name, at).output();
}

struct ApplyProximalGradientDescentAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As GradientDescent, then var moves towards 0 by l1 and shrinks by l2.
//   var: reference to T
//   alpha: T
//   l1: T
//   l2: T
//   delta: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyProximalGradientDescent(GraphBuilder& b, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ApplyProximalGradientDescentAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyProximalGradientDescent", {var, alpha, l1, l2, delta}, given, attrs.name, at).output();
}

struct ApplyRMSPropAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// mom = momentum mom + lr grad / sqrt(ms + epsilon); var -= mom, ms averages grad^2.
//   var: reference to T
//   ms: reference to T
//   mom: reference to T
//   lr: T
//   rho: T
//   momentum: T
//   epsilon: T
//   grad: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Output ApplyRMSProp(GraphBuilder& b, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyRMSPropAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad}, given, attrs.name, at).output();
}

struct ApproxTopKAttrs {
  int64_t reduction_dimension = -1;
  float recall_target = 0.95f;
  bool is_max_k = true;
  int64_t reduction_input_size_override = -1;
  bool aggregate_to_topk = true;
  std::string_view name = "";
};

struct ApproxTopKOutputs {
  Output values;
  Output indices;
  Operation operation;
};

// The k largest or smallest elements along a dimension and their indices.
//   input: T
//   -> values: T
//   -> indices: int32
//   T: float32, bfloat16, float16
//   attr k: int (at least 0)
//   attr reduction_dimension: int = -1
//   attr recall_target: float = 0.95
//   attr is_max_k: bool = true
//   attr reduction_input_size_override: int = -1
//   attr aggregate_to_topk: bool = true
inline ApproxTopKOutputs ApproxTopK(GraphBuilder& b, const Input& input, const int64_t& k, const ApproxTopKAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"k", k});
  if (attrs.reduction_dimension != int64_t(-1)) given.push_back({"reduction_dimension", attrs.reduction_dimension});
  if (attrs.recall_target != float(0.95f)) given.push_back({"recall_target", attrs.recall_target});
  if (attrs.is_max_k != bool(true)) given.push_back({"is_max_k", attrs.is_max_k});
  if (attrs.reduction_input_size_override != int64_t(-1)) given.push_back({"reduction_input_size_override", attrs.reduction_input_size_override});
  if (attrs.aggregate_to_topk != bool(true)) given.push_back({"aggregate_to_topk", attrs.aggregate_to_topk});
  const Operation op = b.Op("ApproxTopK", {input}, given, attrs.name, at);
  ApproxTopKOutputs result;
  result.operation = op;
  result.values = op.output(0);
  result.indices = op.output(1);
  return result;
}

struct ApproximateEqualAttrs {
  float tolerance = 1e-05f;
  std::string_view name = "";
};

// Whether x and y are less than tolerance apart.
//   x: T
//   y: T
//   -> z: bool
//   T: float32, float64
//   attr tolerance: float = 1e-05
inline Output ApproximateEqual(GraphBuilder& b, const Input& x, const Input& y, const ApproximateEqualAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.tolerance != float(1e-05f)) given.push_back({"tolerance", attrs.tolerance});
  return b.Op("ApproximateEqual", {x, y}, given, attrs.name, at).output();
}

struct ArgMaxAttrs {
  DType output_type = DType::kInt64;
  std::string_view name = "";
};

// index of the largest element along a dimension.
//   input: T
//   dimension: Tidx
//   -> output: output_type
//   T: float32, float64, int32, uint8, int16, int8, int64, bool, bfloat16, uint16, float16, uint32, uint64
//   Tidx: int32, int16, int64
//   output_type: int32, int16, int64, uint16
//   attr output_type: type = int64
inline Output ArgMax(GraphBuilder& b, const Input& input, const Input& dimension, const ArgMaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_type != DType(DType::kInt64)) given.push_back({"output_type", attrs.output_type});
  return b.Op("ArgMax", {input, dimension}, given, attrs.name, at).output();
}

struct ArgMinAttrs {
  DType output_type = DType::kInt64;
  std::string_view name = "";
};

// index of the smallest element along a dimension.
//   input: T
//   dimension: Tidx
//   -> output: output_type
//   T: float32, float64, int32, uint8, int16, int8, int64, bool, bfloat16, uint16, float16, uint32, uint64
//   Tidx: int32, int64
//   output_type: int32, int64
//   attr output_type: type = int64
inline Output ArgMin(GraphBuilder& b, const Input& input, const Input& dimension, const ArgMinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_type != DType(DType::kInt64)) given.push_back({"output_type", attrs.output_type});
  return b.Op("ArgMin", {input, dimension}, given, attrs.name, at).output();
}

struct AsStringAttrs {
  int64_t precision = -1;
  bool scientific = false;
  bool shortest = false;
  int64_t width = -1;
  std::string fill = "";
  std::string_view name = "";
};

// numbers as text.
//   input: T
//   -> output: string
//   T: float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr precision: int = -1
//   attr scientific: bool = false
//   attr shortest: bool = false
//   attr width: int = -1
//   attr fill: string = ""
inline Output AsString(GraphBuilder& b, const Input& input, const AsStringAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.precision != int64_t(-1)) given.push_back({"precision", attrs.precision});
  if (attrs.scientific != bool(false)) given.push_back({"scientific", attrs.scientific});
  if (attrs.shortest != bool(false)) given.push_back({"shortest", attrs.shortest});
  if (attrs.width != int64_t(-1)) given.push_back({"width", attrs.width});
  if (attrs.fill != std::string("")) given.push_back({"fill", attrs.fill});
  return b.Op("AsString", {input}, given, attrs.name, at).output();
}

// The angle in [-pi/2, pi/2] with sine x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Asin(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Asin", {x}, given, name, at).output();
}

// The inverse of Sinh.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Asinh(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Asinh", {x}, given, name, at).output();
}

struct AssertAttrs {
  int64_t summarize = 3;
  std::string_view name = "";
};

// fails with data in the message unless condition is true.
//   condition: bool
//   data: T
//   attr summarize: int = 3
inline Operation Assert(GraphBuilder& b, const Input& condition, InputList data, const AssertAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.summarize != int64_t(3)) given.push_back({"summarize", attrs.summarize});
  return b.Op("Assert", Inputs({InputList(&condition, 1), data}), given, attrs.name, at);
}

struct AssignAttrs {
  bool validate_shape = true;
  bool use_locking = true;
  std::string_view name = "";
};

// Gives a variable a value.
//   ref: reference to T
//   value: T
//   -> output_ref: reference to T
//   attr validate_shape: bool = true
//   attr use_locking: bool = true
inline Output Assign(GraphBuilder& b, const Input& ref, const Input& value, const AssignAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.validate_shape != bool(true)) given.push_back({"validate_shape", attrs.validate_shape});
  if (attrs.use_locking != bool(true)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("Assign", {ref, value}, given, attrs.name, at).output();
}

struct AssignAddAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Adds value to a variable of the same shape.
//   ref: reference to T
//   value: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr use_locking: bool = false
inline Output AssignAdd(GraphBuilder& b, const Input& ref, const Input& value, const AssignAddAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("AssignAdd", {ref, value}, given, attrs.name, at).output();
}

// Adds value to a variable of the same shape.
//   resource: resource
//   value: dtype
inline Operation AssignAddVariableOp(GraphBuilder& b, const Input& resource, const Input& value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AssignAddVariableOp", {resource, value}, given, name, at);
}

struct AssignSubAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Subtracts value from a variable of the same shape.
//   ref: reference to T
//   value: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr use_locking: bool = false
inline Output AssignSub(GraphBuilder& b, const Input& ref, const Input& value, const AssignSubAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("AssignSub", {ref, value}, given, attrs.name, at).output();
}

// Subtracts value from a variable of the same shape.
//   resource: resource
//   value: dtype
inline Operation AssignSubVariableOp(GraphBuilder& b, const Input& resource, const Input& value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("AssignSubVariableOp", {resource, value}, given, name, at);
}

struct AssignVariableOpAttrs {
  bool validate_shape = false;
  std::string_view name = "";
};

// Gives a variable a value, and makes it if it does not exist.
//   resource: resource
//   value: dtype
//   attr validate_shape: bool = false
inline Operation AssignVariableOp(GraphBuilder& b, const Input& resource, const Input& value, const AssignVariableOpAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.validate_shape != bool(false)) given.push_back({"validate_shape", attrs.validate_shape});
  return b.Op("AssignVariableOp", {resource, value}, given, attrs.name, at);
}

// The angle in [-pi/2, pi/2] with tangent x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Atan(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Atan", {x}, given, name, at).output();
}

// The angle of the point (x, y) from the x axis.
//   y: T
//   x: T
//   -> z: T
//   T: float32, float64, bfloat16, float16
inline Output Atan2(GraphBuilder& b, const Input& y, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Atan2", {y, x}, given, name, at).output();
}

// The inverse of Tanh, NaN outside [-1, 1].
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Atanh(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Atanh", {x}, given, name, at).output();
}

struct AudioSpectrogramAttrs {
  bool magnitude_squared = false;
  std::string_view name = "";
};

// The strength of frequencies over time.
//   input: float32
//   -> spectrogram: float32
//   attr window_size: int
//   attr stride: int
//   attr magnitude_squared: bool = false
inline Output AudioSpectrogram(GraphBuilder& b, const Input& input, const int64_t& window_size, const int64_t& stride, const AudioSpectrogramAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"window_size", window_size});
  given.push_back({"stride", stride});
  if (attrs.magnitude_squared != bool(false)) given.push_back({"magnitude_squared", attrs.magnitude_squared});
  return b.Op("AudioSpectrogram", {input}, given, attrs.name, at).output();
}

struct AudioSummaryAttrs {
  int64_t max_outputs = 3;
  std::string_view name = "";
};

// A summary of sounds.
//   tag: string
//   tensor: float32
//   -> summary: string
//   attr sample_rate: float
//   attr max_outputs: int = 3 (at least 1)
inline Output AudioSummary(GraphBuilder& b, const Input& tag, const Input& tensor, const float& sample_rate, const AudioSummaryAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"sample_rate", sample_rate});
  if (attrs.max_outputs != int64_t(3)) given.push_back({"max_outputs", attrs.max_outputs});
  return b.Op("AudioSummary", {tag, tensor}, given, attrs.name, at).output();
}

struct AudioSummaryV2Attrs {
  int64_t max_outputs = 3;
  std::string_view name = "";
};

// A summary of sounds.
//   tag: string
//   tensor: float32
//   sample_rate: float32
//   -> summary: string
//   attr max_outputs: int = 3 (at least 1)
inline Output AudioSummaryV2(GraphBuilder& b, const Input& tag, const Input& tensor, const Input& sample_rate, const AudioSummaryV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.max_outputs != int64_t(3)) given.push_back({"max_outputs", attrs.max_outputs});
  return b.Op("AudioSummaryV2", {tag, tensor, sample_rate}, given, attrs.name, at).output();
}

struct AvgPoolAttrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// The mean of each window, without padding.
//   value: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr ksize: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NHWC" (NHWC, NCHW)
inline Output AvgPool(GraphBuilder& b, const Input& value, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("AvgPool", {value}, given, attrs.name, at).output();
}

struct AvgPool3DAttrs {
  std::string data_format = "NDHWC";
  std::string_view name = "";
};

// The mean of each window.
//   input: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr ksize: list(int) (at least 5)
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NDHWC" (NDHWC, NCDHW)
inline Output AvgPool3D(GraphBuilder& b, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NDHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("AvgPool3D", {input}, given, attrs.name, at).output();
}

struct AvgPool3DGradAttrs {
  std::string data_format = "NDHWC";
  std::string_view name = "";
};

// The gradient of AvgPool3D's input.
//   orig_input_shape: int32
//   grad: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr ksize: list(int) (at least 5)
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NDHWC" (NDHWC, NCDHW)
inline Output AvgPool3DGrad(GraphBuilder& b, const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPool3DGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NDHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("AvgPool3DGrad", {orig_input_shape, grad}, given, attrs.name, at).output();
}

struct AvgPoolGradAttrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// The gradient of AvgPool: each is shared by the elements of its window.
//   orig_input_shape: int32
//   grad: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr ksize: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NHWC" (NHWC, NCHW)
inline Output AvgPoolGrad(GraphBuilder& b, const Input& orig_input_shape, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const AvgPoolGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("AvgPoolGrad", {orig_input_shape, grad}, given, attrs.name, at).output();
}

struct BandedTriangularSolveAttrs {
  bool lower = true;
  bool adjoint = false;
  std::string_view name = "";
};

// Solutions x of a x = b for triangular matrices given by their diagonals.
//   matrix: T
//   rhs: T
//   -> output: T
//   T: float32, float64, complex64, complex128
//   attr lower: bool = true
//   attr adjoint: bool = false
inline Output BandedTriangularSolve(GraphBuilder& b, const Input& matrix, const Input& rhs, const BandedTriangularSolveAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.lower != bool(true)) given.push_back({"lower", attrs.lower});
  if (attrs.adjoint != bool(false)) given.push_back({"adjoint", attrs.adjoint});
  return b.Op("BandedTriangularSolve", {matrix, rhs}, given, attrs.name, at).output();
}

struct BarrierAttrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Elements with keys that wait until all their components are there.
//   -> handle: reference to string
//   attr component_types: list(type) (at least 1)
//   attr shapes: list(shape) = [] (at least 0)
//   attr capacity: int = -1
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output Barrier(GraphBuilder& b, const std::vector<DType>& component_types, const BarrierAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.shapes != std::vector<PartialShape>{}) given.push_back({"shapes", attrs.shapes});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("Barrier", {}, given, attrs.name, at).output();
}

struct BarrierCloseAttrs {
  bool cancel_pending_enqueues = false;
  std::string_view name = "";
};

// Lets no new keys into a barrier.
//   handle: reference to string
//   attr cancel_pending_enqueues: bool = false
inline Operation BarrierClose(GraphBuilder& b, const Input& handle, const BarrierCloseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.cancel_pending_enqueues != bool(false)) given.push_back({"cancel_pending_enqueues", attrs.cancel_pending_enqueues});
  return b.Op("BarrierClose", {handle}, given, attrs.name, at);
}

// The number of elements that lack components.
//   handle: reference to string
//   -> size: int32
inline Output BarrierIncompleteSize(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BarrierIncompleteSize", {handle}, given, name, at).output();
}

// Sets one component of the elements with these keys.
//   handle: reference to string
//   keys: string
//   values: T
//   attr component_index: int
inline Operation BarrierInsertMany(GraphBuilder& b, const Input& handle, const Input& keys, const Input& values, const int64_t& component_index, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_index", component_index});
  return b.Op("BarrierInsertMany", {handle, keys, values}, given, name, at);
}

// The number of complete elements.
//   handle: reference to string
//   -> size: int32
inline Output BarrierReadySize(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BarrierReadySize", {handle}, given, name, at).output();
}

struct BarrierTakeManyAttrs {
  bool allow_small_batch = false;
  bool wait_for_incomplete = false;
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

struct BarrierTakeManyOutputs {
  Output indices;
  Output keys;
  Outputs values;
  Operation operation;
};

// Takes complete elements once there are enough.
//   handle: reference to string
//   num_elements: int32
//   -> indices: int64
//   -> keys: string
//   -> values: component_types
//   attr component_types: list(type) (at least 1)
//   attr allow_small_batch: bool = false
//   attr wait_for_incomplete: bool = false
//   attr timeout_ms: int = -1
inline BarrierTakeManyOutputs BarrierTakeMany(GraphBuilder& b, const Input& handle, const Input& num_elements, const std::vector<DType>& component_types, const BarrierTakeManyAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.allow_small_batch != bool(false)) given.push_back({"allow_small_batch", attrs.allow_small_batch});
  if (attrs.wait_for_incomplete != bool(false)) given.push_back({"wait_for_incomplete", attrs.wait_for_incomplete});
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  const Operation op = b.Op("BarrierTakeMany", {handle, num_elements}, given, attrs.name, at);
  BarrierTakeManyOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.indices = OutputsOf(op, node.schema->OutputRange("indices", node.attrs))[0];
  result.keys = OutputsOf(op, node.schema->OutputRange("keys", node.attrs))[0];
  result.values = OutputsOf(op, node.schema->OutputRange("values", node.attrs));
  return result;
}

// Cholesky by its older name.
//   input: T
//   -> output: T
//   T: float32, float64
inline Output BatchCholesky(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BatchCholesky", {input}, given, name, at).output();
}

// CholeskyGrad by its older name.
//   l: T
//   grad: T
//   -> output: T
//   T: float32, float64
inline Output BatchCholeskyGrad(GraphBuilder& b, const Input& l, const Input& grad, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BatchCholeskyGrad", {l, grad}, given, name, at).output();
}

struct BatchDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Elements stacked in batches.
//   input_dataset: variant
//   batch_size: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output BatchDataset(GraphBuilder& b, const Input& input_dataset, const Input& batch_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("BatchDataset", {input_dataset, batch_size}, given, attrs.name, at).output();
}

struct BatchDatasetV2Attrs {
  bool parallel_copy = false;
  std::string metadata = "";
  std::string_view name = "";
};

// Elements stacked in batches.
//   input_dataset: variant
//   batch_size: int64
//   drop_remainder: bool
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr parallel_copy: bool = false
//   attr metadata: string = ""
inline Output BatchDatasetV2(GraphBuilder& b, const Input& input_dataset, const Input& batch_size, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const BatchDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.parallel_copy != bool(false)) given.push_back({"parallel_copy", attrs.parallel_copy});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("BatchDatasetV2", {input_dataset, batch_size, drop_remainder}, given, attrs.name, at).output();
}

struct BatchMatMulAttrs {
  bool adj_x = false;
  bool adj_y = false;
  bool grad_x = false;
  bool grad_y = false;
  std::string_view name = "";
};

// Products of corresponding matrices; batch dimensions must be equal.
//   x: T
//   y: T
//   -> output: T
//   T: float32, float64, int32, complex64, int64, bfloat16, complex128, float16
//   attr adj_x: bool = false
//   attr adj_y: bool = false
//   attr grad_x: bool = false
//   attr grad_y: bool = false
inline Output BatchMatMul(GraphBuilder& b, const Input& x, const Input& y, const BatchMatMulAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.adj_x != bool(false)) given.push_back({"adj_x", attrs.adj_x});
  if (attrs.adj_y != bool(false)) given.push_back({"adj_y", attrs.adj_y});
  if (attrs.grad_x != bool(false)) given.push_back({"grad_x", attrs.grad_x});
  if (attrs.grad_y != bool(false)) given.push_back({"grad_y", attrs.grad_y});
  return b.Op("BatchMatMul", {x, y}, given, attrs.name, at).output();
}

struct BatchMatMulV2Attrs {
  bool adj_x = false;
  bool adj_y = false;
  bool grad_x = false;
  bool grad_y = false;
  std::string_view name = "";
};

// Products of corresponding matrices; batch dimensions broadcast.
//   x: T
//   y: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr adj_x: bool = false
//   attr adj_y: bool = false
//   attr grad_x: bool = false
//   attr grad_y: bool = false
inline Output BatchMatMulV2(GraphBuilder& b, const Input& x, const Input& y, const BatchMatMulV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.adj_x != bool(false)) given.push_back({"adj_x", attrs.adj_x});
  if (attrs.adj_y != bool(false)) given.push_back({"adj_y", attrs.adj_y});
  if (attrs.grad_x != bool(false)) given.push_back({"grad_x", attrs.grad_x});
  if (attrs.grad_y != bool(false)) given.push_back({"grad_y", attrs.grad_y});
  return b.Op("BatchMatMulV2", {x, y}, given, attrs.name, at).output();
}

struct BatchMatMulV3Attrs {
  bool adj_x = false;
  bool adj_y = false;
  bool grad_x = false;
  bool grad_y = false;
  std::string_view name = "";
};

// Products of corresponding matrices; batch dimensions broadcast; dtypes may be mixed.
//   x: Ta
//   y: Tb
//   -> output: Tout
//   Ta: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, float16
//   Tb: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, complex128, float16
//   Tout: float32, float64, int32, int16, complex64, int64, bfloat16, complex128, float16
//   attr Tout: type
//   attr adj_x: bool = false
//   attr adj_y: bool = false
//   attr grad_x: bool = false
//   attr grad_y: bool = false
inline Output BatchMatMulV3(GraphBuilder& b, const Input& x, const Input& y, const DType& Tout, const BatchMatMulV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  if (attrs.adj_x != bool(false)) given.push_back({"adj_x", attrs.adj_x});
  if (attrs.adj_y != bool(false)) given.push_back({"adj_y", attrs.adj_y});
  if (attrs.grad_x != bool(false)) given.push_back({"grad_x", attrs.grad_x});
  if (attrs.grad_y != bool(false)) given.push_back({"grad_y", attrs.grad_y});
  return b.Op("BatchMatMulV3", {x, y}, given, attrs.name, at).output();
}

// MatrixDeterminant by its older name.
//   input: T
//   -> output: T
//   T: float32, float64, complex64, complex128
inline Output BatchMatrixDeterminant(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BatchMatrixDeterminant", {input}, given, name, at).output();
}

struct BatchMatrixInverseAttrs {
  bool adjoint = false;
  std::string_view name = "";
};

// MatrixInverse by its older name.
//   input: T
//   -> output: T
//   T: float32, float64
//   attr adjoint: bool = false
inline Output BatchMatrixInverse(GraphBuilder& b, const Input& input, const BatchMatrixInverseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.adjoint != bool(false)) given.push_back({"adjoint", attrs.adjoint});
  return b.Op("BatchMatrixInverse", {input}, given, attrs.name, at).output();
}

struct BatchMatrixSolveAttrs {
  bool adjoint = false;
  std::string_view name = "";
};

// MatrixSolve by its older name.
//   matrix: T
//   rhs: T
//   -> output: T
//   T: float32, float64
//   attr adjoint: bool = false
inline Output BatchMatrixSolve(GraphBuilder& b, const Input& matrix, const Input& rhs, const BatchMatrixSolveAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.adjoint != bool(false)) given.push_back({"adjoint", attrs.adjoint});
  return b.Op("BatchMatrixSolve", {matrix, rhs}, given, attrs.name, at).output();
}

struct BatchMatrixSolveLsAttrs {
  bool fast = true;
  std::string_view name = "";
};

// MatrixSolveLs by its older name.
//   matrix: T
//   rhs: T
//   l2_regularizer: float64
//   -> output: T
//   T: float32, float64
//   attr fast: bool = true
inline Output BatchMatrixSolveLs(GraphBuilder& b, const Input& matrix, const Input& rhs, const Input& l2_regularizer, const BatchMatrixSolveLsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.fast != bool(true)) given.push_back({"fast", attrs.fast});
  return b.Op("BatchMatrixSolveLs", {matrix, rhs, l2_regularizer}, given, attrs.name, at).output();
}

struct BatchMatrixTriangularSolveAttrs {
  bool lower = true;
  bool adjoint = false;
  std::string_view name = "";
};

// MatrixTriangularSolve by its older name.
//   matrix: T
//   rhs: T
//   -> output: T
//   T: float32, float64
//   attr lower: bool = true
//   attr adjoint: bool = false
inline Output BatchMatrixTriangularSolve(GraphBuilder& b, const Input& matrix, const Input& rhs, const BatchMatrixTriangularSolveAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.lower != bool(true)) given.push_back({"lower", attrs.lower});
  if (attrs.adjoint != bool(false)) given.push_back({"adjoint", attrs.adjoint});
  return b.Op("BatchMatrixTriangularSolve", {matrix, rhs}, given, attrs.name, at).output();
}

// Batch normalisation with given moments.
//   t: T
//   m: T
//   v: T
//   beta: T
//   gamma: T
//   -> result: T
//   T: float32, float64, float16
//   attr variance_epsilon: float
//   attr scale_after_normalization: bool
inline Output BatchNormWithGlobalNormalization(GraphBuilder& b, const Input& t, const Input& m, const Input& v, const Input& beta, const Input& gamma, const float& variance_epsilon, const bool& scale_after_normalization, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"variance_epsilon", variance_epsilon});
  given.push_back({"scale_after_normalization", scale_after_normalization});
  return b.Op("BatchNormWithGlobalNormalization", {t, m, v, beta, gamma}, given, name, at).output();
}

struct BatchNormWithGlobalNormalizationGradOutputs {
  Output dx;
  Output dm;
  Output dv;
  Output db;
  Output dg;
  Operation operation;
};

// The gradients of BatchNormWithGlobalNormalization.
//   t: T
//   m: T
//   v: T
//   gamma: T
//   backprop: T
//   -> dx: T
//   -> dm: T
//   -> dv: T
//   -> db: T
//   -> dg: T
//   T: float32, float64, float16
//   attr variance_epsilon: float
//   attr scale_after_normalization: bool
inline BatchNormWithGlobalNormalizationGradOutputs BatchNormWithGlobalNormalizationGrad(GraphBuilder& b, const Input& t, const Input& m, const Input& v, const Input& gamma, const Input& backprop, const float& variance_epsilon, const bool& scale_after_normalization, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"variance_epsilon", variance_epsilon});
  given.push_back({"scale_after_normalization", scale_after_normalization});
  const Operation op = b.Op("BatchNormWithGlobalNormalizationGrad", {t, m, v, gamma, backprop}, given, name, at);
  BatchNormWithGlobalNormalizationGradOutputs result;
  result.operation = op;
  result.dx = op.output(0);
  result.dm = op.output(1);
  result.dv = op.output(2);
  result.db = op.output(3);
  result.dg = op.output(4);
  return result;
}

// SelfAdjointEig by its older name.
//   input: T
//   -> output: T
//   T: float32, float64
inline Output BatchSelfAdjointEig(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BatchSelfAdjointEig", {input}, given, name, at).output();
}

struct BatchSelfAdjointEigV2Attrs {
  bool compute_v = true;
  std::string_view name = "";
};

struct BatchSelfAdjointEigV2Outputs {
  Output e;
  Output v;
  Operation operation;
};

// SelfAdjointEigV2 by its older name.
//   input: T
//   -> e: T
//   -> v: T
//   T: float32, float64
//   attr compute_v: bool = true
inline BatchSelfAdjointEigV2Outputs BatchSelfAdjointEigV2(GraphBuilder& b, const Input& input, const BatchSelfAdjointEigV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.compute_v != bool(true)) given.push_back({"compute_v", attrs.compute_v});
  const Operation op = b.Op("BatchSelfAdjointEigV2", {input}, given, attrs.name, at);
  BatchSelfAdjointEigV2Outputs result;
  result.operation = op;
  result.e = op.output(0);
  result.v = op.output(1);
  return result;
}

struct BatchSvdAttrs {
  bool compute_uv = true;
  bool full_matrices = false;
  std::string_view name = "";
};

struct BatchSvdOutputs {
  Output s;
  Output u;
  Output v;
  Operation operation;
};

// Svd by its older name.
//   input: T
//   -> s: T
//   -> u: T
//   -> v: T
//   T: float32, float64, complex64, complex128
//   attr compute_uv: bool = true
//   attr full_matrices: bool = false
inline BatchSvdOutputs BatchSvd(GraphBuilder& b, const Input& input, const BatchSvdAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.compute_uv != bool(true)) given.push_back({"compute_uv", attrs.compute_uv});
  if (attrs.full_matrices != bool(false)) given.push_back({"full_matrices", attrs.full_matrices});
  const Operation op = b.Op("BatchSvd", {input}, given, attrs.name, at);
  BatchSvdOutputs result;
  result.operation = op;
  result.s = op.output(0);
  result.u = op.output(1);
  result.v = op.output(2);
  return result;
}

// blocks moved out of the batch into images, which are then cropped.
//   input: T
//   crops: Tidx
//   -> output: T
//   Tidx: int32, int64
//   attr block_size: int (at least 2)
inline Output BatchToSpace(GraphBuilder& b, const Input& input, const Input& crops, const int64_t& block_size, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"block_size", block_size});
  return b.Op("BatchToSpace", {input, crops}, given, name, at).output();
}

// blocks moved out of the batch into spatial dimensions, which are then cropped.
//   input: T
//   block_shape: Tblock_shape
//   crops: Tcrops
//   -> output: T
//   Tblock_shape: int32, int64
//   Tcrops: int32, int64
inline Output BatchToSpaceND(GraphBuilder& b, const Input& input, const Input& block_shape, const Input& crops, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BatchToSpaceND", {input, block_shape, crops}, given, name, at).output();
}

// Modified Bessel function of the first kind, order 0.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselI0(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselI0", {x}, given, name, at).output();
}

// exp(-|x|) BesselI0(x).
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselI0e(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselI0e", {x}, given, name, at).output();
}

// Modified Bessel function of the first kind, order 1.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselI1(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselI1", {x}, given, name, at).output();
}

// exp(-|x|) BesselI1(x).
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselI1e(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselI1e", {x}, given, name, at).output();
}

// Bessel function of the first kind, order 0.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselJ0(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselJ0", {x}, given, name, at).output();
}

// Bessel function of the first kind, order 1.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselJ1(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselJ1", {x}, given, name, at).output();
}

// Modified Bessel function of the second kind, order 0.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselK0(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselK0", {x}, given, name, at).output();
}

// exp(x) BesselK0(x).
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselK0e(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselK0e", {x}, given, name, at).output();
}

// Modified Bessel function of the second kind, order 1.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselK1(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselK1", {x}, given, name, at).output();
}

// exp(x) BesselK1(x).
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselK1e(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselK1e", {x}, given, name, at).output();
}

// Bessel function of the second kind, order 0.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselY0(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselY0", {x}, given, name, at).output();
}

// Bessel function of the second kind, order 1.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output BesselY1(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BesselY1", {x}, given, name, at).output();
}

// The regularised incomplete beta function.
//   a: T
//   b: T
//   x: T
//   -> z: T
//   T: float32, float64
inline Output Betainc(GraphBuilder& b, const Input& a, const Input& b_, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Betainc", {a, b_, x}, given, name, at).output();
}

struct BiasAddAttrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// Adds a number of its own to each channel.
//   value: T
//   bias: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr data_format: string = "NHWC" (NHWC, NCHW)
inline Output BiasAdd(GraphBuilder& b, const Input& value, const Input& bias, const BiasAddAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("BiasAdd", {value, bias}, given, attrs.name, at).output();
}

struct BiasAddGradAttrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// Sums of the gradients of each channel.
//   out_backprop: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr data_format: string = "NHWC" (NHWC, NCHW)
inline Output BiasAddGrad(GraphBuilder& b, const Input& out_backprop, const BiasAddGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("BiasAddGrad", {out_backprop}, given, attrs.name, at).output();
}

// Adds a number of its own to each channel, the last dimension.
//   value: T
//   bias: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output BiasAddV1(GraphBuilder& b, const Input& value, const Input& bias, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BiasAddV1", {value, bias}, given, name, at).output();
}

// How often each number below size occurs, or the sum of its weights.
//   arr: int32
//   size: int32
//   weights: T
//   -> bins: T
//   T: float32, float64, int32, int64
inline Output Bincount(GraphBuilder& b, const Input& arr, const Input& size, const Input& weights, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Bincount", {arr, size, weights}, given, name, at).output();
}

// The bytes of input as elements of another dtype; a last dimension makes up for the difference in size.
//   input: T
//   -> output: type
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   type: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr type: type
inline Output Bitcast(GraphBuilder& b, const Input& input, const DType& type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"type", type});
  return b.Op("Bitcast", {input}, given, name, at).output();
}

// The bits that both have.
//   x: T
//   y: T
//   -> z: T
//   T: int32, uint8, int16, int8, int64, uint16, uint32, uint64
inline Output BitwiseAnd(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BitwiseAnd", {x, y}, given, name, at).output();
}

// The bits that either has.
//   x: T
//   y: T
//   -> z: T
//   T: int32, uint8, int16, int8, int64, uint16, uint32, uint64
inline Output BitwiseOr(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BitwiseOr", {x, y}, given, name, at).output();
}

// The bits in which both differ.
//   x: T
//   y: T
//   -> z: T
//   T: int32, uint8, int16, int8, int64, uint16, uint32, uint64
inline Output BitwiseXor(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BitwiseXor", {x, y}, given, name, at).output();
}

struct BlockLSTMAttrs {
  float forget_bias = 1.0f;
  float cell_clip = 3.0f;
  bool use_peephole = false;
  std::string_view name = "";
};

struct BlockLSTMOutputs {
  Output i;
  Output cs;
  Output f;
  Output o;
  Output ci;
  Output co;
  Output h;
  Operation operation;
};

// An LSTM over a sequence.
//   seq_len_max: int64
//   x: T
//   cs_prev: T
//   h_prev: T
//   w: T
//   wci: T
//   wcf: T
//   wco: T
//   b: T
//   -> i: T
//   -> cs: T
//   -> f: T
//   -> o: T
//   -> ci: T
//   -> co: T
//   -> h: T
//   T: float32, float16
//   attr forget_bias: float = 1.0
//   attr cell_clip: float = 3.0
//   attr use_peephole: bool = false
inline BlockLSTMOutputs BlockLSTM(GraphBuilder& b, const Input& seq_len_max, const Input& x, const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco, const Input& b_, const BlockLSTMAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.forget_bias != float(1.0f)) given.push_back({"forget_bias", attrs.forget_bias});
  if (attrs.cell_clip != float(3.0f)) given.push_back({"cell_clip", attrs.cell_clip});
  if (attrs.use_peephole != bool(false)) given.push_back({"use_peephole", attrs.use_peephole});
  const Operation op = b.Op("BlockLSTM", {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b_}, given, attrs.name, at);
  BlockLSTMOutputs result;
  result.operation = op;
  result.i = op.output(0);
  result.cs = op.output(1);
  result.f = op.output(2);
  result.o = op.output(3);
  result.ci = op.output(4);
  result.co = op.output(5);
  result.h = op.output(6);
  return result;
}

struct BlockLSTMGradOutputs {
  Output x_grad;
  Output cs_prev_grad;
  Output h_prev_grad;
  Output w_grad;
  Output wci_grad;
  Output wcf_grad;
  Output wco_grad;
  Output b_grad;
  Operation operation;
};

// The gradients of an LSTM over a sequence.
//   seq_len_max: int64
//   x: T
//   cs_prev: T
//   h_prev: T
//   w: T
//   wci: T
//   wcf: T
//   wco: T
//   b: T
//   i: T
//   cs: T
//   f: T
//   o: T
//   ci: T
//   co: T
//   h: T
//   cs_grad: T
//   h_grad: T
//   -> x_grad: T
//   -> cs_prev_grad: T
//   -> h_prev_grad: T
//   -> w_grad: T
//   -> wci_grad: T
//   -> wcf_grad: T
//   -> wco_grad: T
//   -> b_grad: T
//   T: float32, float16
//   attr use_peephole: bool
inline BlockLSTMGradOutputs BlockLSTMGrad(GraphBuilder& b, const Input& seq_len_max, const Input& x, const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco, const Input& b_, const Input& i, const Input& cs, const Input& f, const Input& o, const Input& ci, const Input& co, const Input& h, const Input& cs_grad, const Input& h_grad, const bool& use_peephole, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"use_peephole", use_peephole});
  const Operation op = b.Op("BlockLSTMGrad", {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b_, i, cs, f, o, ci, co, h, cs_grad, h_grad}, given, name, at);
  BlockLSTMGradOutputs result;
  result.operation = op;
  result.x_grad = op.output(0);
  result.cs_prev_grad = op.output(1);
  result.h_prev_grad = op.output(2);
  result.w_grad = op.output(3);
  result.wci_grad = op.output(4);
  result.wcf_grad = op.output(5);
  result.wco_grad = op.output(6);
  result.b_grad = op.output(7);
  return result;
}

struct BlockLSTMGradV2Outputs {
  Output x_grad;
  Output cs_prev_grad;
  Output h_prev_grad;
  Output w_grad;
  Output wci_grad;
  Output wcf_grad;
  Output wco_grad;
  Output b_grad;
  Operation operation;
};

// The gradients of an LSTM over a sequence.
//   seq_len_max: int64
//   x: T
//   cs_prev: T
//   h_prev: T
//   w: T
//   wci: T
//   wcf: T
//   wco: T
//   b: T
//   i: T
//   cs: T
//   f: T
//   o: T
//   ci: T
//   co: T
//   h: T
//   cs_grad: T
//   h_grad: T
//   -> x_grad: T
//   -> cs_prev_grad: T
//   -> h_prev_grad: T
//   -> w_grad: T
//   -> wci_grad: T
//   -> wcf_grad: T
//   -> wco_grad: T
//   -> b_grad: T
//   T: float32, float16
//   attr use_peephole: bool
inline BlockLSTMGradV2Outputs BlockLSTMGradV2(GraphBuilder& b, const Input& seq_len_max, const Input& x, const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco, const Input& b_, const Input& i, const Input& cs, const Input& f, const Input& o, const Input& ci, const Input& co, const Input& h, const Input& cs_grad, const Input& h_grad, const bool& use_peephole, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"use_peephole", use_peephole});
  const Operation op = b.Op("BlockLSTMGradV2", {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b_, i, cs, f, o, ci, co, h, cs_grad, h_grad}, given, name, at);
  BlockLSTMGradV2Outputs result;
  result.operation = op;
  result.x_grad = op.output(0);
  result.cs_prev_grad = op.output(1);
  result.h_prev_grad = op.output(2);
  result.w_grad = op.output(3);
  result.wci_grad = op.output(4);
  result.wcf_grad = op.output(5);
  result.wco_grad = op.output(6);
  result.b_grad = op.output(7);
  return result;
}

struct BlockLSTMV2Attrs {
  float cell_clip = 0.0f;
  bool use_peephole = false;
  std::string_view name = "";
};

struct BlockLSTMV2Outputs {
  Output i;
  Output cs;
  Output f;
  Output o;
  Output ci;
  Output co;
  Output h;
  Operation operation;
};

// An LSTM over a sequence, with gates in another order.
//   seq_len_max: int64
//   x: T
//   cs_prev: T
//   h_prev: T
//   w: T
//   wci: T
//   wcf: T
//   wco: T
//   b: T
//   -> i: T
//   -> cs: T
//   -> f: T
//   -> o: T
//   -> ci: T
//   -> co: T
//   -> h: T
//   T: float32, float16
//   attr cell_clip: float = 0.0
//   attr use_peephole: bool = false
inline BlockLSTMV2Outputs BlockLSTMV2(GraphBuilder& b, const Input& seq_len_max, const Input& x, const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco, const Input& b_, const BlockLSTMV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.cell_clip != float(0.0f)) given.push_back({"cell_clip", attrs.cell_clip});
  if (attrs.use_peephole != bool(false)) given.push_back({"use_peephole", attrs.use_peephole});
  const Operation op = b.Op("BlockLSTMV2", {seq_len_max, x, cs_prev, h_prev, w, wci, wcf, wco, b_}, given, attrs.name, at);
  BlockLSTMV2Outputs result;
  result.operation = op;
  result.i = op.output(0);
  result.cs = op.output(1);
  result.f = op.output(2);
  result.o = op.output(3);
  result.ci = op.output(4);
  result.co = op.output(5);
  result.h = op.output(6);
  return result;
}

// The shape that two shapes broadcast to.
//   s0: T
//   s1: T
//   -> r0: T
//   T: int32, int64
inline Output BroadcastArgs(GraphBuilder& b, const Input& s0, const Input& s1, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BroadcastArgs", {s0, s1}, given, name, at).output();
}

struct BroadcastGradientArgsOutputs {
  Output r0;
  Output r1;
  Operation operation;
};

// The axes over which to sum the gradient of a broadcast operation for operands of two shapes.
//   s0: T
//   s1: T
//   -> r0: T
//   -> r1: T
//   T: int32, int64
inline BroadcastGradientArgsOutputs BroadcastGradientArgs(GraphBuilder& b, const Input& s0, const Input& s1, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("BroadcastGradientArgs", {s0, s1}, given, name, at);
  BroadcastGradientArgsOutputs result;
  result.operation = op;
  result.r0 = op.output(0);
  result.r1 = op.output(1);
  return result;
}

// The input repeated along missing dimensions and dimensions of 1 until it has the given shape.
//   input: T
//   shape: Tidx
//   -> output: T
//   Tidx: int32, int64
inline Output BroadcastTo(GraphBuilder& b, const Input& input, const Input& shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("BroadcastTo", {input, shape}, given, name, at).output();
}

// Which range between boundaries each element falls into.
//   input: T
//   -> output: int32
//   T: float32, float64, int32, int64
//   attr boundaries: list(float)
inline Output Bucketize(GraphBuilder& b, const Input& input, const std::vector<float>& boundaries, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"boundaries", boundaries});
  return b.Op("Bucketize", {input}, given, name, at).output();
}

struct CTCBeamSearchDecoderAttrs {
  bool merge_repeated = true;
  std::string_view name = "";
};

struct CTCBeamSearchDecoderOutputs {
  Outputs decoded_indices;
  Outputs decoded_values;
  Outputs decoded_shape;
  Output log_probability;
  Operation operation;
};

// The likeliest label sequences, by beam search.
//   inputs: T
//   sequence_length: int32
//   -> decoded_indices: list of int64
//   -> decoded_values: list of int64
//   -> decoded_shape: list of int64
//   -> log_probability: T
//   T: float32, float64
//   attr beam_width: int (at least 1)
//   attr top_paths: int (at least 1)
//   attr merge_repeated: bool = true
inline CTCBeamSearchDecoderOutputs CTCBeamSearchDecoder(GraphBuilder& b, const Input& inputs, const Input& sequence_length, const int64_t& beam_width, const int64_t& top_paths, const CTCBeamSearchDecoderAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"beam_width", beam_width});
  given.push_back({"top_paths", top_paths});
  if (attrs.merge_repeated != bool(true)) given.push_back({"merge_repeated", attrs.merge_repeated});
  const Operation op = b.Op("CTCBeamSearchDecoder", {inputs, sequence_length}, given, attrs.name, at);
  CTCBeamSearchDecoderOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.decoded_indices = OutputsOf(op, node.schema->OutputRange("decoded_indices", node.attrs));
  result.decoded_values = OutputsOf(op, node.schema->OutputRange("decoded_values", node.attrs));
  result.decoded_shape = OutputsOf(op, node.schema->OutputRange("decoded_shape", node.attrs));
  result.log_probability = OutputsOf(op, node.schema->OutputRange("log_probability", node.attrs))[0];
  return result;
}

struct CTCGreedyDecoderAttrs {
  bool merge_repeated = false;
  int64_t blank_index = -1;
  std::string_view name = "";
};

struct CTCGreedyDecoderOutputs {
  Output decoded_indices;
  Output decoded_values;
  Output decoded_shape;
  Output log_probability;
  Operation operation;
};

// Label sequences of the likeliest classes.
//   inputs: T
//   sequence_length: int32
//   -> decoded_indices: int64
//   -> decoded_values: int64
//   -> decoded_shape: int64
//   -> log_probability: T
//   T: float32, float64
//   attr merge_repeated: bool = false
//   attr blank_index: int = -1
inline CTCGreedyDecoderOutputs CTCGreedyDecoder(GraphBuilder& b, const Input& inputs, const Input& sequence_length, const CTCGreedyDecoderAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.merge_repeated != bool(false)) given.push_back({"merge_repeated", attrs.merge_repeated});
  if (attrs.blank_index != int64_t(-1)) given.push_back({"blank_index", attrs.blank_index});
  const Operation op = b.Op("CTCGreedyDecoder", {inputs, sequence_length}, given, attrs.name, at);
  CTCGreedyDecoderOutputs result;
  result.operation = op;
  result.decoded_indices = op.output(0);
  result.decoded_values = op.output(1);
  result.decoded_shape = op.output(2);
  result.log_probability = op.output(3);
  return result;
}

struct CTCLossAttrs {
  bool preprocess_collapse_repeated = false;
  bool ctc_merge_repeated = true;
  bool ignore_longer_outputs_than_inputs = false;
  std::string_view name = "";
};

struct CTCLossOutputs {
  Output loss;
  Output gradient;
  Operation operation;
};

// Connectionist temporal classification: losses of label sequences.
//   inputs: T
//   labels_indices: int64
//   labels_values: int32
//   sequence_length: int32
//   -> loss: T
//   -> gradient: T
//   T: float32, float64
//   attr preprocess_collapse_repeated: bool = false
//   attr ctc_merge_repeated: bool = true
//   attr ignore_longer_outputs_than_inputs: bool = false
inline CTCLossOutputs CTCLoss(GraphBuilder& b, const Input& inputs, const Input& labels_indices, const Input& labels_values, const Input& sequence_length, const CTCLossAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.preprocess_collapse_repeated != bool(false)) given.push_back({"preprocess_collapse_repeated", attrs.preprocess_collapse_repeated});
  if (attrs.ctc_merge_repeated != bool(true)) given.push_back({"ctc_merge_repeated", attrs.ctc_merge_repeated});
  if (attrs.ignore_longer_outputs_than_inputs != bool(false)) given.push_back({"ignore_longer_outputs_than_inputs", attrs.ignore_longer_outputs_than_inputs});
  const Operation op = b.Op("CTCLoss", {inputs, labels_indices, labels_values, sequence_length}, given, attrs.name, at);
  CTCLossOutputs result;
  result.operation = op;
  result.loss = op.output(0);
  result.gradient = op.output(1);
  return result;
}

struct CTCLossV2Attrs {
  bool preprocess_collapse_repeated = false;
  bool ctc_merge_repeated = true;
  bool ignore_longer_outputs_than_inputs = false;
  std::string_view name = "";
};

struct CTCLossV2Outputs {
  Output loss;
  Output gradient;
  Operation operation;
};

// CTCLoss whose class 0 is blank.
//   inputs: float32
//   labels_indices: int64
//   labels_values: int32
//   sequence_length: int32
//   -> loss: float32
//   -> gradient: float32
//   attr preprocess_collapse_repeated: bool = false
//   attr ctc_merge_repeated: bool = true
//   attr ignore_longer_outputs_than_inputs: bool = false
inline CTCLossV2Outputs CTCLossV2(GraphBuilder& b, const Input& inputs, const Input& labels_indices, const Input& labels_values, const Input& sequence_length, const CTCLossV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.preprocess_collapse_repeated != bool(false)) given.push_back({"preprocess_collapse_repeated", attrs.preprocess_collapse_repeated});
  if (attrs.ctc_merge_repeated != bool(true)) given.push_back({"ctc_merge_repeated", attrs.ctc_merge_repeated});
  if (attrs.ignore_longer_outputs_than_inputs != bool(false)) given.push_back({"ignore_longer_outputs_than_inputs", attrs.ignore_longer_outputs_than_inputs});
  const Operation op = b.Op("CTCLossV2", {inputs, labels_indices, labels_values, sequence_length}, given, attrs.name, at);
  CTCLossV2Outputs result;
  result.operation = op;
  result.loss = op.output(0);
  result.gradient = op.output(1);
  return result;
}

struct CacheDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Keeps the elements of a dataset in memory.
//   input_dataset: variant
//   filename: string
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output CacheDataset(GraphBuilder& b, const Input& input_dataset, const Input& filename, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const CacheDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("CacheDataset", {input_dataset, filename}, given, attrs.name, at).output();
}

struct CacheDatasetV2Attrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Keeps the elements of a dataset in a cache that may be shared.
//   input_dataset: variant
//   filename: string
//   cache: resource
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output CacheDatasetV2(GraphBuilder& b, const Input& input_dataset, const Input& filename, const Input& cache, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const CacheDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("CacheDatasetV2", {input_dataset, filename, cache}, given, attrs.name, at).output();
}

struct CaseAttrs {
  std::vector<PartialShape> output_shapes = {};
  std::string_view name = "";
};

// Calls the branch at an index; out of range means the last.
//   branch_index: int32
//   input: Tin
//   -> output: Tout
//   attr Tout: list(type) (at least 0)
//   attr branches: list(func) (at least 1)
//   attr output_shapes: list(shape) = []
inline Outputs Case(GraphBuilder& b, const Input& branch_index, InputList input, const std::vector<DType>& Tout, const std::vector<FunctionRef>& branches, const CaseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  given.push_back({"branches", branches});
  if (attrs.output_shapes != std::vector<PartialShape>{}) given.push_back({"output_shapes", attrs.output_shapes});
  return b.Op("Case", Inputs({InputList(&branch_index, 1), input}), given, attrs.name, at).outputs();
}

struct CastAttrs {
  bool Truncate = false;
  std::string_view name = "";
};

// x as numbers of dtype DstT.
//   x: SrcT
//   -> y: DstT
//   attr DstT: type
//   attr Truncate: bool = false
inline Output Cast(GraphBuilder& b, const Input& x, const DType& DstT, const CastAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"DstT", DstT});
  if (attrs.Truncate != bool(false)) given.push_back({"Truncate", attrs.Truncate});
  return b.Op("Cast", {x}, given, attrs.name, at).output();
}

// The smallest integer not below x.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Ceil(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Ceil", {x}, given, name, at).output();
}

// The tensor, if all its elements are finite; else an error that begins with message.
//   tensor: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr message: string
inline Output CheckNumerics(GraphBuilder& b, const Input& tensor, const std::string& message, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"message", message});
  return b.Op("CheckNumerics", {tensor}, given, name, at).output();
}

// The tensor, if all its elements are finite; else an error that begins with message.
//   tensor: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr message: string
inline Output CheckNumericsV2(GraphBuilder& b, const Input& tensor, const std::string& message, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"message", message});
  return b.Op("CheckNumericsV2", {tensor}, given, name, at).output();
}

// The lower triangular l of a = l l^H.
//   input: T
//   -> output: T
//   T: float32, float64, complex64, complex128
inline Output Cholesky(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Cholesky", {input}, given, name, at).output();
}

// The gradient of Cholesky's input.
//   l: T
//   grad: T
//   -> output: T
//   T: float32, float64
inline Output CholeskyGrad(GraphBuilder& b, const Input& l, const Input& grad, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("CholeskyGrad", {l, grad}, given, name, at).output();
}

// t, but not less than clip_value_min and not more than clip_value_max.
//   t: T
//   clip_value_min: T
//   clip_value_max: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output ClipByValue(GraphBuilder& b, const Input& t, const Input& clip_value_min, const Input& clip_value_max, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ClipByValue", {t, clip_value_min, clip_value_max}, given, name, at).output();
}

// Closes a writer's file and forgets the writer.
//   writer: resource
inline Operation CloseSummaryWriter(GraphBuilder& b, const Input& writer, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("CloseSummaryWriter", {writer}, given, name, at);
}

struct CombinedNonMaxSuppressionAttrs {
  bool pad_per_class = false;
  bool clip_boxes = true;
  std::string_view name = "";
};

struct CombinedNonMaxSuppressionOutputs {
  Output nmsed_boxes;
  Output nmsed_scores;
  Output nmsed_classes;
  Output valid_detections;
  Operation operation;
};

// The best boxes of each image, suppressed class by class.
//   boxes: float32
//   scores: float32
//   max_output_size_per_class: int32
//   max_total_size: int32
//   iou_threshold: float32
//   score_threshold: float32
//   -> nmsed_boxes: float32
//   -> nmsed_scores: float32
//   -> nmsed_classes: float32
//   -> valid_detections: int32
//   attr pad_per_class: bool = false
//   attr clip_boxes: bool = true
inline CombinedNonMaxSuppressionOutputs CombinedNonMaxSuppression(GraphBuilder& b, const Input& boxes, const Input& scores, const Input& max_output_size_per_class, const Input& max_total_size, const Input& iou_threshold, const Input& score_threshold, const CombinedNonMaxSuppressionAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.pad_per_class != bool(false)) given.push_back({"pad_per_class", attrs.pad_per_class});
  if (attrs.clip_boxes != bool(true)) given.push_back({"clip_boxes", attrs.clip_boxes});
  const Operation op = b.Op("CombinedNonMaxSuppression", {boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold}, given, attrs.name, at);
  CombinedNonMaxSuppressionOutputs result;
  result.operation = op;
  result.nmsed_boxes = op.output(0);
  result.nmsed_scores = op.output(1);
  result.nmsed_classes = op.output(2);
  result.valid_detections = op.output(3);
  return result;
}

struct ComplexAttrs {
  DType Tout = DType::kComplex64;
  std::string_view name = "";
};

// The complex number of a real and an imaginary part.
//   real: T
//   imag: T
//   -> out: Tout
//   T: float32, float64
//   Tout: complex64, complex128
//   attr Tout: type = complex64
inline Output Complex(GraphBuilder& b, const Input& real, const Input& imag, const ComplexAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tout != DType(DType::kComplex64)) given.push_back({"Tout", attrs.Tout});
  return b.Op("Complex", {real, imag}, given, attrs.name, at).output();
}

struct ComplexAbsAttrs {
  DType Tout = DType::kFloat32;
  std::string_view name = "";
};

// The magnitude of x.
//   x: T
//   -> y: Tout
//   T: complex64, complex128
//   Tout: float32, float64
//   attr Tout: type = float32
inline Output ComplexAbs(GraphBuilder& b, const Input& x, const ComplexAbsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tout != DType(DType::kFloat32)) given.push_back({"Tout", attrs.Tout});
  return b.Op("ComplexAbs", {x}, given, attrs.name, at).output();
}

// The components of a composite tensor in one variant.
//   components: Tcomponents
//   -> encoded: variant
//   attr metadata: string
inline Output CompositeTensorVariantFromComponents(GraphBuilder& b, InputList components, const std::string& metadata, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"metadata", metadata});
  return b.Op("CompositeTensorVariantFromComponents", Inputs({components}), given, name, at).output();
}

// The components that a variant holds.
//   encoded: variant
//   -> components: Tcomponents
//   attr metadata: string
//   attr Tcomponents: list(type) (at least 0)
inline Outputs CompositeTensorVariantToComponents(GraphBuilder& b, const Input& encoded, const std::string& metadata, const std::vector<DType>& Tcomponents, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"metadata", metadata});
  given.push_back({"Tcomponents", Tcomponents});
  return b.Op("CompositeTensorVariantToComponents", {encoded}, given, name, at).outputs();
}

struct ComputeAccidentalHitsAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct ComputeAccidentalHitsOutputs {
  Output indices;
  Output ids;
  Output weights;
  Operation operation;
};

// true classes that are among the sampled ones.
//   true_classes: int64
//   sampled_candidates: int64
//   -> indices: int32
//   -> ids: int64
//   -> weights: float32
//   attr num_true: int
//   attr seed: int = 0
//   attr seed2: int = 0
inline ComputeAccidentalHitsOutputs ComputeAccidentalHits(GraphBuilder& b, const Input& true_classes, const Input& sampled_candidates, const int64_t& num_true, const ComputeAccidentalHitsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_true", num_true});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("ComputeAccidentalHits", {true_classes, sampled_candidates}, given, attrs.name, at);
  ComputeAccidentalHitsOutputs result;
  result.operation = op;
  result.indices = op.output(0);
  result.ids = op.output(1);
  result.weights = op.output(2);
  return result;
}

// The values one after another along dimension concat_dim.
//   concat_dim: int32
//   values: list of T
//   -> output: T
inline Output Concat(GraphBuilder& b, const Input& concat_dim, InputList values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Concat", Inputs({InputList(&concat_dim, 1), values}), given, name, at).output();
}

// Where each tensor of the given shapes begins in their concatenation along concat_dim.
//   concat_dim: int32
//   shape: list of shape_type
//   -> offset: list of shape_type
//   shape_type: int32, int64
inline Outputs ConcatOffset(GraphBuilder& b, const Input& concat_dim, InputList shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ConcatOffset", Inputs({InputList(&concat_dim, 1), shape}), given, name, at).outputs();
}

// The values one after another along axis.
//   values: list of T
//   axis: Tidx
//   -> output: T
//   Tidx: int32, int64
inline Output ConcatV2(GraphBuilder& b, InputList values, const Input& axis, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ConcatV2", Inputs({values, InputList(&axis, 1)}), given, name, at).output();
}

struct ConcatenateDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The elements of one dataset, then of another.
//   input_dataset: variant
//   another_dataset: variant
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output ConcatenateDataset(GraphBuilder& b, const Input& input_dataset, const Input& another_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ConcatenateDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ConcatenateDataset", {input_dataset, another_dataset}, given, attrs.name, at).output();
}

struct ConditionalAccumulatorAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string reduction_type = "MEAN";
  std::string_view name = "";
};

// An accumulator of gradients.
//   -> handle: reference to string
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr dtype: type
//   attr shape: shape
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr reduction_type: string = "MEAN" (MEAN, SUM)
inline Output ConditionalAccumulator(GraphBuilder& b, const DType& dtype, const PartialShape& shape, const ConditionalAccumulatorAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  given.push_back({"shape", shape});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.reduction_type != std::string("MEAN")) given.push_back({"reduction_type", attrs.reduction_type});
  return b.Op("ConditionalAccumulator", {}, given, attrs.name, at).output();
}

// The complex conjugate of x.
//   input: T
//   -> output: T
//   T: complex64, complex128
inline Output Conj(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Conj", {input}, given, name, at).output();
}

// the conjugate of x with its dimensions in another order.
//   x: T
//   perm: Tperm
//   -> y: T
//   Tperm: int32, int64
inline Output ConjugateTranspose(GraphBuilder& b, const Input& x, const Input& perm, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ConjugateTranspose", {x, perm}, given, name, at).output();
}

// The tensor in attr value.
//   -> output: dtype
//   attr value: tensor
//   attr dtype: type
inline Output Const(GraphBuilder& b, const ::flowlatch::Tensor& value, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"value", value});
  given.push_back({"dtype", dtype});
  return b.Op("Const", {}, given, name, at).output();
}

// The last consumer of a lock.
//   mutex_lock: variant
inline Operation ConsumeMutexLock(GraphBuilder& b, const Input& mutex_lock, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ConsumeMutexLock", {mutex_lock}, given, name, at);
}

// Does nothing, alive once its control inputs have arrived, dead or alive.
inline Operation ControlTrigger(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ControlTrigger", {}, given, name, at);
}

struct ConvAttrs {
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "CHANNELS_LAST";
  std::vector<int64_t> dilations = {};
  int64_t batch_dims = 1;
  int64_t groups = 1;
  std::string_view name = "";
};

// Slides a filter over images or volumes.
//   input: T
//   filter: T
//   -> output: T
//   T: float32, float64, int32, bfloat16, float16
//   attr strides: list(int)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "CHANNELS_LAST" (CHANNELS_FIRST, CHANNELS_LAST)
//   attr dilations: list(int) = []
//   attr batch_dims: int = 1
//   attr groups: int = 1
inline Output Conv(GraphBuilder& b, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const ConvAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("CHANNELS_LAST")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{}) given.push_back({"dilations", attrs.dilations});
  if (attrs.batch_dims != int64_t(1)) given.push_back({"batch_dims", attrs.batch_dims});
  if (attrs.groups != int64_t(1)) given.push_back({"groups", attrs.groups});
  return b.Op("Conv", {input, filter}, given, attrs.name, at).output();
}

struct Conv2DAttrs {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string_view name = "";
};

// Slides a filter over images.
//   input: T
//   filter: T
//   -> output: T
//   T: float32, float64, int32, bfloat16, float16
//   attr strides: list(int)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr use_cudnn_on_gpu: bool = true
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr dilations: list(int) = [1, 1, 1, 1]
inline Output Conv2D(GraphBuilder& b, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.use_cudnn_on_gpu != bool(true)) given.push_back({"use_cudnn_on_gpu", attrs.use_cudnn_on_gpu});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("Conv2D", {input, filter}, given, attrs.name, at).output();
}

struct Conv2DBackpropFilterAttrs {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string_view name = "";
};

// The gradient of Conv2D with respect to its filter.
//   input: T
//   filter_sizes: int32
//   out_backprop: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr strides: list(int)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr use_cudnn_on_gpu: bool = true
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr dilations: list(int) = [1, 1, 1, 1]
inline Output Conv2DBackpropFilter(GraphBuilder& b, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropFilterAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.use_cudnn_on_gpu != bool(true)) given.push_back({"use_cudnn_on_gpu", attrs.use_cudnn_on_gpu});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("Conv2DBackpropFilter", {input, filter_sizes, out_backprop}, given, attrs.name, at).output();
}

struct Conv2DBackpropInputAttrs {
  bool use_cudnn_on_gpu = true;
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string_view name = "";
};

// The gradient of Conv2D with respect to its input; also a transposed convolution.
//   input_sizes: int32
//   filter: T
//   out_backprop: T
//   -> output: T
//   T: float32, float64, int32, bfloat16, float16
//   attr strides: list(int)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr use_cudnn_on_gpu: bool = true
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr dilations: list(int) = [1, 1, 1, 1]
inline Output Conv2DBackpropInput(GraphBuilder& b, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv2DBackpropInputAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.use_cudnn_on_gpu != bool(true)) given.push_back({"use_cudnn_on_gpu", attrs.use_cudnn_on_gpu});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("Conv2DBackpropInput", {input_sizes, filter, out_backprop}, given, attrs.name, at).output();
}

struct Conv3DAttrs {
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  std::string_view name = "";
};

// The filter's products with all windows of the input.
//   input: T
//   filter: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NDHWC" (NDHWC, NCDHW)
//   attr dilations: list(int) = [1, 1, 1, 1, 1]
inline Output Conv3D(GraphBuilder& b, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NDHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("Conv3D", {input, filter}, given, attrs.name, at).output();
}

struct Conv3DBackpropFilterV2Attrs {
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  std::string_view name = "";
};

// The gradient of Conv3D's filter.
//   input: T
//   filter_sizes: int32
//   out_backprop: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NDHWC" (NDHWC, NCDHW)
//   attr dilations: list(int) = [1, 1, 1, 1, 1]
inline Output Conv3DBackpropFilterV2(GraphBuilder& b, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropFilterV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NDHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("Conv3DBackpropFilterV2", {input, filter_sizes, out_backprop}, given, attrs.name, at).output();
}

struct Conv3DBackpropInputV2Attrs {
  std::string data_format = "NDHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1, 1};
  std::string_view name = "";
};

// The gradient of Conv3D's input.
//   input_sizes: Tshape
//   filter: T
//   out_backprop: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tshape: int32, int64
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NDHWC" (NDHWC, NCDHW)
//   attr dilations: list(int) = [1, 1, 1, 1, 1]
inline Output Conv3DBackpropInputV2(GraphBuilder& b, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const Conv3DBackpropInputV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NDHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("Conv3DBackpropInputV2", {input_sizes, filter, out_backprop}, given, attrs.name, at).output();
}

// The cosine of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Cos(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Cos", {x}, given, name, at).output();
}

// The hyperbolic cosine of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Cosh(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Cosh", {x}, given, name, at).output();
}

// Adds one to a scalar variable and returns what it was; OutOfRange once it has reached limit.
//   ref: reference to T
//   -> output: T
//   T: int32, int64
//   attr limit: int
inline Output CountUpTo(GraphBuilder& b, const Input& ref, const int64_t& limit, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"limit", limit});
  return b.Op("CountUpTo", {ref}, given, name, at).output();
}

// Opens an event file in a folder, unless the writer has one.
//   writer: resource
//   logdir: string
//   max_queue: int32
//   flush_millis: int32
//   filename_suffix: string
inline Operation CreateSummaryFileWriter(GraphBuilder& b, const Input& writer, const Input& logdir, const Input& max_queue, const Input& flush_millis, const Input& filename_suffix, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("CreateSummaryFileWriter", {writer, logdir, max_queue, flush_millis, filename_suffix}, given, name, at);
}

struct CropAndResizeAttrs {
  std::string method = "bilinear";
  float extrapolation_value = 0.0f;
  std::string_view name = "";
};

// Boxes cut out of images and brought to one size.
//   image: T
//   boxes: float32
//   box_ind: int32
//   crop_size: int32
//   -> crops: float32
//   T: float32, float64, int32, uint8, int16, int8, int64, uint16, float16
//   attr method: string = "bilinear" (bilinear, nearest)
//   attr extrapolation_value: float = 0.0
inline Output CropAndResize(GraphBuilder& b, const Input& image, const Input& boxes, const Input& box_ind, const Input& crop_size, const CropAndResizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.method != std::string("bilinear")) given.push_back({"method", attrs.method});
  if (attrs.extrapolation_value != float(0.0f)) given.push_back({"extrapolation_value", attrs.extrapolation_value});
  return b.Op("CropAndResize", {image, boxes, box_ind, crop_size}, given, attrs.name, at).output();
}

struct CropAndResizeGradBoxesAttrs {
  std::string method = "bilinear";
  std::string_view name = "";
};

// The gradient of the boxes that were cropped.
//   grads: float32
//   image: T
//   boxes: float32
//   box_ind: int32
//   -> output: float32
//   T: float32, float64, int32, uint8, int16, int8, int64, uint16, float16
//   attr method: string = "bilinear" (bilinear)
inline Output CropAndResizeGradBoxes(GraphBuilder& b, const Input& grads, const Input& image, const Input& boxes, const Input& box_ind, const CropAndResizeGradBoxesAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.method != std::string("bilinear")) given.push_back({"method", attrs.method});
  return b.Op("CropAndResizeGradBoxes", {grads, image, boxes, box_ind}, given, attrs.name, at).output();
}

struct CropAndResizeGradImageAttrs {
  std::string method = "bilinear";
  std::string_view name = "";
};

// The gradient of the images that were cropped.
//   grads: float32
//   boxes: float32
//   box_ind: int32
//   image_size: int32
//   -> output: T
//   T: float32, float64, float16
//   attr T: type
//   attr method: string = "bilinear" (bilinear, nearest)
inline Output CropAndResizeGradImage(GraphBuilder& b, const Input& grads, const Input& boxes, const Input& box_ind, const Input& image_size, const DType& T, const CropAndResizeGradImageAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"T", T});
  if (attrs.method != std::string("bilinear")) given.push_back({"method", attrs.method});
  return b.Op("CropAndResizeGradImage", {grads, boxes, box_ind, image_size}, given, attrs.name, at).output();
}

// The cross products of vectors along the last dimension.
//   a: T
//   b: T
//   -> product: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Cross(GraphBuilder& b, const Input& a, const Input& b_, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Cross", {a, b_}, given, name, at).output();
}

struct CumprodAttrs {
  bool exclusive = false;
  bool reverse = false;
  std::string_view name = "";
};

// running products along a dimension.
//   x: T
//   axis: Tidx
//   -> out: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tidx: int32, int64
//   attr exclusive: bool = false
//   attr reverse: bool = false
inline Output Cumprod(GraphBuilder& b, const Input& x, const Input& axis, const CumprodAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.exclusive != bool(false)) given.push_back({"exclusive", attrs.exclusive});
  if (attrs.reverse != bool(false)) given.push_back({"reverse", attrs.reverse});
  return b.Op("Cumprod", {x, axis}, given, attrs.name, at).output();
}

struct CumsumAttrs {
  bool exclusive = false;
  bool reverse = false;
  std::string_view name = "";
};

// running sums along a dimension.
//   x: T
//   axis: Tidx
//   -> out: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tidx: int32, int64
//   attr exclusive: bool = false
//   attr reverse: bool = false
inline Output Cumsum(GraphBuilder& b, const Input& x, const Input& axis, const CumsumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.exclusive != bool(false)) given.push_back({"exclusive", attrs.exclusive});
  if (attrs.reverse != bool(false)) given.push_back({"reverse", attrs.reverse});
  return b.Op("Cumsum", {x, axis}, given, attrs.name, at).output();
}

struct CumulativeLogsumexpAttrs {
  bool exclusive = false;
  bool reverse = false;
  std::string_view name = "";
};

// running logarithms of sums of exponentials along a dimension.
//   x: T
//   axis: Tidx
//   -> out: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   attr exclusive: bool = false
//   attr reverse: bool = false
inline Output CumulativeLogsumexp(GraphBuilder& b, const Input& x, const Input& axis, const CumulativeLogsumexpAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.exclusive != bool(false)) given.push_back({"exclusive", attrs.exclusive});
  if (attrs.reverse != bool(false)) given.push_back({"reverse", attrs.reverse});
  return b.Op("CumulativeLogsumexp", {x, axis}, given, attrs.name, at).output();
}

struct DataFormatDimMapAttrs {
  std::string src_format = "NHWC";
  std::string dst_format = "NCHW";
  std::string_view name = "";
};

// Numbers of dimensions in another data format.
//   x: T
//   -> y: T
//   T: int32, int64
//   attr src_format: string = "NHWC"
//   attr dst_format: string = "NCHW"
inline Output DataFormatDimMap(GraphBuilder& b, const Input& x, const DataFormatDimMapAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.src_format != std::string("NHWC")) given.push_back({"src_format", attrs.src_format});
  if (attrs.dst_format != std::string("NCHW")) given.push_back({"dst_format", attrs.dst_format});
  return b.Op("DataFormatDimMap", {x}, given, attrs.name, at).output();
}

struct DataFormatVecPermuteAttrs {
  std::string src_format = "NHWC";
  std::string dst_format = "NCHW";
  std::string_view name = "";
};

// Values of dimensions in the order of another data format.
//   x: T
//   -> y: T
//   T: int32, int64
//   attr src_format: string = "NHWC"
//   attr dst_format: string = "NCHW"
inline Output DataFormatVecPermute(GraphBuilder& b, const Input& x, const DataFormatVecPermuteAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.src_format != std::string("NHWC")) given.push_back({"src_format", attrs.src_format});
  if (attrs.dst_format != std::string("NCHW")) given.push_back({"dst_format", attrs.dst_format});
  return b.Op("DataFormatVecPermute", {x}, given, attrs.name, at).output();
}

struct DatasetCardinalityAttrs {
  std::string cardinality_options = "";
  std::string_view name = "";
};

// The number of elements; -1: there is no end, -2: nobody knows.
//   input_dataset: variant
//   -> cardinality: int64
//   attr cardinality_options: string = ""
inline Output DatasetCardinality(GraphBuilder& b, const Input& input_dataset, const DatasetCardinalityAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.cardinality_options != std::string("")) given.push_back({"cardinality_options", attrs.cardinality_options});
  return b.Op("DatasetCardinality", {input_dataset}, given, attrs.name, at).output();
}

struct DatasetToSingleElementAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The only element of a dataset.
//   dataset: variant
//   -> components: output_types
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Outputs DatasetToSingleElement(GraphBuilder& b, const Input& dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const DatasetToSingleElementAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("DatasetToSingleElement", {dataset}, given, attrs.name, at).outputs();
}

// exp(-x^2) times the integral of exp(t^2) from 0 to x.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Dawsn(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Dawsn", {x}, given, name, at).output();
}

// The input; marks a tensor whose gradient is watched.
//   input: T
//   -> output: T
inline Output DebugGradientIdentity(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DebugGradientIdentity", {input}, given, name, at).output();
}

struct DecodeAndCropJpegAttrs {
  int64_t channels = 0;
  int64_t ratio = 1;
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  float acceptable_fraction = 1.0f;
  std::string dct_method = "";
  std::string_view name = "";
};

// The pixels of a part of a JPEG file.
//   contents: string
//   crop_window: int32
//   -> image: uint8
//   attr channels: int = 0
//   attr ratio: int = 1
//   attr fancy_upscaling: bool = true
//   attr try_recover_truncated: bool = false
//   attr acceptable_fraction: float = 1.0
//   attr dct_method: string = ""
inline Output DecodeAndCropJpeg(GraphBuilder& b, const Input& contents, const Input& crop_window, const DecodeAndCropJpegAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.channels != int64_t(0)) given.push_back({"channels", attrs.channels});
  if (attrs.ratio != int64_t(1)) given.push_back({"ratio", attrs.ratio});
  if (attrs.fancy_upscaling != bool(true)) given.push_back({"fancy_upscaling", attrs.fancy_upscaling});
  if (attrs.try_recover_truncated != bool(false)) given.push_back({"try_recover_truncated", attrs.try_recover_truncated});
  if (attrs.acceptable_fraction != float(1.0f)) given.push_back({"acceptable_fraction", attrs.acceptable_fraction});
  if (attrs.dct_method != std::string("")) given.push_back({"dct_method", attrs.dct_method});
  return b.Op("DecodeAndCropJpeg", {contents, crop_window}, given, attrs.name, at).output();
}

// Strings from base 64.
//   input: string
//   -> output: string
inline Output DecodeBase64(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DecodeBase64", {input}, given, name, at).output();
}

struct DecodeBmpAttrs {
  int64_t channels = 0;
  std::string_view name = "";
};

// The pixels of a BMP file.
//   contents: string
//   -> image: uint8
//   attr channels: int = 0
inline Output DecodeBmp(GraphBuilder& b, const Input& contents, const DecodeBmpAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.channels != int64_t(0)) given.push_back({"channels", attrs.channels});
  return b.Op("DecodeBmp", {contents}, given, attrs.name, at).output();
}

struct DecodeCSVAttrs {
  std::string field_delim = ",";
  bool use_quote_delim = true;
  std::string na_value = "";
  std::vector<int64_t> select_cols = {};
  std::string_view name = "";
};

// The fields of records of comma-separated values.
//   records: string
//   record_defaults: OUT_TYPE
//   -> output: OUT_TYPE
//   attr field_delim: string = ","
//   attr use_quote_delim: bool = true
//   attr na_value: string = ""
//   attr select_cols: list(int) = []
inline Outputs DecodeCSV(GraphBuilder& b, const Input& records, InputList record_defaults, const DecodeCSVAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.field_delim != std::string(",")) given.push_back({"field_delim", attrs.field_delim});
  if (attrs.use_quote_delim != bool(true)) given.push_back({"use_quote_delim", attrs.use_quote_delim});
  if (attrs.na_value != std::string("")) given.push_back({"na_value", attrs.na_value});
  if (attrs.select_cols != std::vector<int64_t>{}) given.push_back({"select_cols", attrs.select_cols});
  return b.Op("DecodeCSV", Inputs({InputList(&records, 1), record_defaults}), given, attrs.name, at).outputs();
}

struct DecodeCompressedAttrs {
  std::string compression_type = "";
  std::string_view name = "";
};

// Decompressed strings.
//   bytes: string
//   -> output: string
//   attr compression_type: string = ""
inline Output DecodeCompressed(GraphBuilder& b, const Input& bytes, const DecodeCompressedAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.compression_type != std::string("")) given.push_back({"compression_type", attrs.compression_type});
  return b.Op("DecodeCompressed", {bytes}, given, attrs.name, at).output();
}

// The pixels of all frames of a GIF file.
//   contents: string
//   -> image: uint8
inline Output DecodeGif(GraphBuilder& b, const Input& contents, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DecodeGif", {contents}, given, name, at).output();
}

struct DecodeImageAttrs {
  int64_t channels = 0;
  DType dtype = DType::kUInt8;
  bool expand_animations = true;
  std::string_view name = "";
};

// The pixels of a JPEG, PNG, GIF or BMP file.
//   contents: string
//   -> image: dtype
//   dtype: float32, uint8, uint16
//   attr channels: int = 0
//   attr dtype: type = uint8
//   attr expand_animations: bool = true
inline Output DecodeImage(GraphBuilder& b, const Input& contents, const DecodeImageAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.channels != int64_t(0)) given.push_back({"channels", attrs.channels});
  if (attrs.dtype != DType(DType::kUInt8)) given.push_back({"dtype", attrs.dtype});
  if (attrs.expand_animations != bool(true)) given.push_back({"expand_animations", attrs.expand_animations});
  return b.Op("DecodeImage", {contents}, given, attrs.name, at).output();
}

// Serialized Examples from JSON.
//   json_examples: string
//   -> binary_examples: string
inline Output DecodeJSONExample(GraphBuilder& b, const Input& json_examples, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DecodeJSONExample", {json_examples}, given, name, at).output();
}

struct DecodeJpegAttrs {
  int64_t channels = 0;
  int64_t ratio = 1;
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  float acceptable_fraction = 1.0f;
  std::string dct_method = "";
  std::string_view name = "";
};

// The pixels of a JPEG, PNG or GIF file.
//   contents: string
//   -> image: uint8
//   attr channels: int = 0
//   attr ratio: int = 1
//   attr fancy_upscaling: bool = true
//   attr try_recover_truncated: bool = false
//   attr acceptable_fraction: float = 1.0
//   attr dct_method: string = ""
inline Output DecodeJpeg(GraphBuilder& b, const Input& contents, const DecodeJpegAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.channels != int64_t(0)) given.push_back({"channels", attrs.channels});
  if (attrs.ratio != int64_t(1)) given.push_back({"ratio", attrs.ratio});
  if (attrs.fancy_upscaling != bool(true)) given.push_back({"fancy_upscaling", attrs.fancy_upscaling});
  if (attrs.try_recover_truncated != bool(false)) given.push_back({"try_recover_truncated", attrs.try_recover_truncated});
  if (attrs.acceptable_fraction != float(1.0f)) given.push_back({"acceptable_fraction", attrs.acceptable_fraction});
  if (attrs.dct_method != std::string("")) given.push_back({"dct_method", attrs.dct_method});
  return b.Op("DecodeJpeg", {contents}, given, attrs.name, at).output();
}

struct DecodePaddedRawAttrs {
  bool little_endian = true;
  std::string_view name = "";
};

// Bytes of strings, cut or filled to one length, as numbers.
//   input_bytes: string
//   fixed_length: int32
//   -> output: out_type
//   out_type: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16
//   attr out_type: type
//   attr little_endian: bool = true
inline Output DecodePaddedRaw(GraphBuilder& b, const Input& input_bytes, const Input& fixed_length, const DType& out_type, const DecodePaddedRawAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"out_type", out_type});
  if (attrs.little_endian != bool(true)) given.push_back({"little_endian", attrs.little_endian});
  return b.Op("DecodePaddedRaw", {input_bytes, fixed_length}, given, attrs.name, at).output();
}

struct DecodePngAttrs {
  int64_t channels = 0;
  DType dtype = DType::kUInt8;
  std::string_view name = "";
};

// The pixels of a PNG, JPEG or GIF file.
//   contents: string
//   -> image: dtype
//   dtype: uint8, uint16
//   attr channels: int = 0
//   attr dtype: type = uint8
inline Output DecodePng(GraphBuilder& b, const Input& contents, const DecodePngAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.channels != int64_t(0)) given.push_back({"channels", attrs.channels});
  if (attrs.dtype != DType(DType::kUInt8)) given.push_back({"dtype", attrs.dtype});
  return b.Op("DecodePng", {contents}, given, attrs.name, at).output();
}

struct DecodeRawAttrs {
  bool little_endian = true;
  std::string_view name = "";
};

// Bytes of strings as numbers.
//   bytes: string
//   -> output: out_type
//   out_type: float32, float64, int32, uint8, int16, int8, complex64, int64, bool, bfloat16, uint16, complex128, float16
//   attr out_type: type
//   attr little_endian: bool = true
inline Output DecodeRaw(GraphBuilder& b, const Input& bytes, const DType& out_type, const DecodeRawAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"out_type", out_type});
  if (attrs.little_endian != bool(true)) given.push_back({"little_endian", attrs.little_endian});
  return b.Op("DecodeRaw", {bytes}, given, attrs.name, at).output();
}

struct DecodeWavAttrs {
  int64_t desired_channels = -1;
  int64_t desired_samples = -1;
  std::string_view name = "";
};

struct DecodeWavOutputs {
  Output audio;
  Output sample_rate;
  Operation operation;
};

// The samples of a WAV file.
//   contents: string
//   -> audio: float32
//   -> sample_rate: int32
//   attr desired_channels: int = -1
//   attr desired_samples: int = -1
inline DecodeWavOutputs DecodeWav(GraphBuilder& b, const Input& contents, const DecodeWavAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.desired_channels != int64_t(-1)) given.push_back({"desired_channels", attrs.desired_channels});
  if (attrs.desired_samples != int64_t(-1)) given.push_back({"desired_samples", attrs.desired_samples});
  const Operation op = b.Op("DecodeWav", {contents}, given, attrs.name, at);
  DecodeWavOutputs result;
  result.operation = op;
  result.audio = op.output(0);
  result.sample_rate = op.output(1);
  return result;
}

// A copy of x in memory of its own.
//   x: T
//   -> y: T
inline Output DeepCopy(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DeepCopy", {x}, given, name, at).output();
}

// Stops an iterator and forgets its name.
//   handle: resource
//   deleter: variant
inline Operation DeleteIterator(GraphBuilder& b, const Input& handle, const Input& deleter, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DeleteIterator", {handle, deleter}, given, name, at);
}

// Gives up a cache.
//   handle: resource
//   deleter: variant
inline Operation DeleteMemoryCache(GraphBuilder& b, const Input& handle, const Input& deleter, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DeleteMemoryCache", {handle, deleter}, given, name, at);
}

// Gives up a generator of seeds.
//   handle: resource
//   deleter: variant
inline Operation DeleteRandomSeedGenerator(GraphBuilder& b, const Input& handle, const Input& deleter, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DeleteRandomSeedGenerator", {handle, deleter}, given, name, at);
}

// Gives up a generator of seeds.
//   handle: resource
//   deleter: variant
inline Operation DeleteSeedGenerator(GraphBuilder& b, const Input& handle, const Input& deleter, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DeleteSeedGenerator", {handle, deleter}, given, name, at);
}

// Drops a tensor that the session keeps.
//   handle: string
inline Operation DeleteSessionTensor(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DeleteSessionTensor", {handle}, given, name, at);
}

struct DenseBincountAttrs {
  bool binary_output = false;
  std::string_view name = "";
};

// How often each number below size occurs in each row, or the sum of its weights.
//   input: Tidx
//   size: Tidx
//   weights: T
//   -> output: T
//   Tidx: int32, int64
//   T: float32, float64, int32, int64
//   attr binary_output: bool = false
inline Output DenseBincount(GraphBuilder& b, const Input& input, const Input& size, const Input& weights, const DenseBincountAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.binary_output != bool(false)) given.push_back({"binary_output", attrs.binary_output});
  return b.Op("DenseBincount", {input, size, weights}, given, attrs.name, at).output();
}

struct DenseCountSparseOutputAttrs {
  int64_t minlength = -1;
  int64_t maxlength = -1;
  std::string_view name = "";
};

struct DenseCountSparseOutputOutputs {
  Output output_indices;
  Output output_values;
  Output output_dense_shape;
  Operation operation;
};

// How often each number occurs in each row, or the sum of its weights.
//   values: T
//   weights: output_type
//   -> output_indices: int64
//   -> output_values: output_type
//   -> output_dense_shape: int64
//   T: int32, int64
//   output_type: float32, float64, int32, int64
//   attr binary_output: bool
//   attr minlength: int = -1 (at least -1)
//   attr maxlength: int = -1 (at least -1)
inline DenseCountSparseOutputOutputs DenseCountSparseOutput(GraphBuilder& b, const Input& values, const Input& weights, const bool& binary_output, const DenseCountSparseOutputAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"binary_output", binary_output});
  if (attrs.minlength != int64_t(-1)) given.push_back({"minlength", attrs.minlength});
  if (attrs.maxlength != int64_t(-1)) given.push_back({"maxlength", attrs.maxlength});
  const Operation op = b.Op("DenseCountSparseOutput", {values, weights}, given, attrs.name, at);
  DenseCountSparseOutputOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_dense_shape = op.output(2);
  return result;
}

struct DenseToDenseSetOperationAttrs {
  bool validate_indices = true;
  std::string_view name = "";
};

struct DenseToDenseSetOperationOutputs {
  Output result_indices;
  Output result_values;
  Output result_shape;
  Operation operation;
};

// Differences, intersections and unions of sets.
//   set1: T
//   set2: T
//   -> result_indices: int64
//   -> result_values: T
//   -> result_shape: int64
//   T: int32, uint8, int16, int8, string, int64, uint16
//   attr set_operation: string
//   attr validate_indices: bool = true
inline DenseToDenseSetOperationOutputs DenseToDenseSetOperation(GraphBuilder& b, const Input& set1, const Input& set2, const std::string& set_operation, const DenseToDenseSetOperationAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"set_operation", set_operation});
  if (attrs.validate_indices != bool(true)) given.push_back({"validate_indices", attrs.validate_indices});
  const Operation op = b.Op("DenseToDenseSetOperation", {set1, set2}, given, attrs.name, at);
  DenseToDenseSetOperationOutputs result;
  result.operation = op;
  result.result_indices = op.output(0);
  result.result_values = op.output(1);
  result.result_shape = op.output(2);
  return result;
}

struct DenseToSparseSetOperationAttrs {
  bool validate_indices = true;
  std::string_view name = "";
};

struct DenseToSparseSetOperationOutputs {
  Output result_indices;
  Output result_values;
  Output result_shape;
  Operation operation;
};

// Differences, intersections and unions of sets.
//   set1: T
//   set2_indices: int64
//   set2_values: T
//   set2_shape: int64
//   -> result_indices: int64
//   -> result_values: T
//   -> result_shape: int64
//   T: int32, uint8, int16, int8, string, int64, uint16
//   attr set_operation: string
//   attr validate_indices: bool = true
inline DenseToSparseSetOperationOutputs DenseToSparseSetOperation(GraphBuilder& b, const Input& set1, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const DenseToSparseSetOperationAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"set_operation", set_operation});
  if (attrs.validate_indices != bool(true)) given.push_back({"validate_indices", attrs.validate_indices});
  const Operation op = b.Op("DenseToSparseSetOperation", {set1, set2_indices, set2_values, set2_shape}, given, attrs.name, at);
  DenseToSparseSetOperationOutputs result;
  result.operation = op;
  result.result_indices = op.output(0);
  result.result_values = op.output(1);
  result.result_shape = op.output(2);
  return result;
}

struct DepthToSpaceAttrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// channels moved out into blocks of pixels.
//   input: T
//   -> output: T
//   attr block_size: int (at least 2)
//   attr data_format: string = "NHWC" (NHWC, NCHW, NCHW_VECT_C)
inline Output DepthToSpace(GraphBuilder& b, const Input& input, const int64_t& block_size, const DepthToSpaceAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"block_size", block_size});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("DepthToSpace", {input}, given, attrs.name, at).output();
}

struct DepthwiseConv2dNativeAttrs {
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string_view name = "";
};

// Slides a filter of its own over each channel of images.
//   input: T
//   filter: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr strides: list(int)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr dilations: list(int) = [1, 1, 1, 1]
inline Output DepthwiseConv2dNative(GraphBuilder& b, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("DepthwiseConv2dNative", {input, filter}, given, attrs.name, at).output();
}

struct DepthwiseConv2dNativeBackpropFilterAttrs {
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string_view name = "";
};

// The gradient of DepthwiseConv2dNative with respect to its filter.
//   input: T
//   filter_sizes: int32
//   out_backprop: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr strides: list(int)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr dilations: list(int) = [1, 1, 1, 1]
inline Output DepthwiseConv2dNativeBackpropFilter(GraphBuilder& b, const Input& input, const Input& filter_sizes, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropFilterAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("DepthwiseConv2dNativeBackpropFilter", {input, filter_sizes, out_backprop}, given, attrs.name, at).output();
}

struct DepthwiseConv2dNativeBackpropInputAttrs {
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string_view name = "";
};

// The gradient of DepthwiseConv2dNative with respect to its input.
//   input_sizes: int32
//   filter: T
//   out_backprop: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr strides: list(int)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr dilations: list(int) = [1, 1, 1, 1]
inline Output DepthwiseConv2dNativeBackpropInput(GraphBuilder& b, const Input& input_sizes, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::string& padding, const DepthwiseConv2dNativeBackpropInputAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  return b.Op("DepthwiseConv2dNativeBackpropInput", {input_sizes, filter, out_backprop}, given, attrs.name, at).output();
}

struct DequantizeAttrs {
  std::string mode = "MIN_COMBINED";
  bool narrow_range = false;
  int64_t axis = -1;
  DType dtype = DType::kFloat32;
  std::string_view name = "";
};

// The values that quantised integers stand for.
//   input: T
//   min_range: float32
//   max_range: float32
//   -> output: dtype
//   T: qint8, quint8, qint32, qint16, quint16
//   dtype: float32, bfloat16
//   attr mode: string = "MIN_COMBINED" (MIN_COMBINED, MIN_FIRST, SCALED)
//   attr narrow_range: bool = false
//   attr axis: int = -1
//   attr dtype: type = float32
inline Output Dequantize(GraphBuilder& b, const Input& input, const Input& min_range, const Input& max_range, const DequantizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.mode != std::string("MIN_COMBINED")) given.push_back({"mode", attrs.mode});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  if (attrs.axis != int64_t(-1)) given.push_back({"axis", attrs.axis});
  if (attrs.dtype != DType(DType::kFloat32)) given.push_back({"dtype", attrs.dtype});
  return b.Op("Dequantize", {input, min_range, max_range}, given, attrs.name, at).output();
}

// Goes to a place in a dataset.
//   resource_handle: resource
//   serialized: variant
inline Operation DeserializeIterator(GraphBuilder& b, const Input& resource_handle, const Input& serialized, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DeserializeIterator", {resource_handle, serialized}, given, name, at);
}

struct DeserializeManySparseOutputs {
  Output sparse_indices;
  Output sparse_values;
  Output sparse_shape;
  Operation operation;
};

// A sparse tensor from the parts of several.
//   serialized_sparse: string
//   -> sparse_indices: int64
//   -> sparse_values: dtype
//   -> sparse_shape: int64
//   attr dtype: type
inline DeserializeManySparseOutputs DeserializeManySparse(GraphBuilder& b, const Input& serialized_sparse, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  const Operation op = b.Op("DeserializeManySparse", {serialized_sparse}, given, name, at);
  DeserializeManySparseOutputs result;
  result.operation = op;
  result.sparse_indices = op.output(0);
  result.sparse_values = op.output(1);
  result.sparse_shape = op.output(2);
  return result;
}

struct DeserializeSparseOutputs {
  Output sparse_indices;
  Output sparse_values;
  Output sparse_shape;
  Operation operation;
};

// A sparse tensor from the parts of several.
//   serialized_sparse: Tserialized
//   -> sparse_indices: int64
//   -> sparse_values: dtype
//   -> sparse_shape: int64
//   Tserialized: string, variant
//   attr dtype: type
inline DeserializeSparseOutputs DeserializeSparse(GraphBuilder& b, const Input& serialized_sparse, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  const Operation op = b.Op("DeserializeSparse", {serialized_sparse}, given, name, at);
  DeserializeSparseOutputs result;
  result.operation = op;
  result.sparse_indices = op.output(0);
  result.sparse_values = op.output(1);
  result.sparse_shape = op.output(2);
  return result;
}

struct DestroyResourceOpAttrs {
  bool ignore_lookup_error = true;
  std::string_view name = "";
};

// Deletes the resource that a handle points to; steps that use it keep it until they end.
//   resource: resource
//   attr ignore_lookup_error: bool = true
inline Operation DestroyResourceOp(GraphBuilder& b, const Input& resource, const DestroyResourceOpAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.ignore_lookup_error != bool(true)) given.push_back({"ignore_lookup_error", attrs.ignore_lookup_error});
  return b.Op("DestroyResourceOp", {resource}, given, attrs.name, at);
}

// The last value of a temporary variable, which ends here.
//   ref: reference to T
//   -> value: T
//   attr var_name: string
inline Output DestroyTemporaryVariable(GraphBuilder& b, const Input& ref, const std::string& var_name, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"var_name", var_name});
  return b.Op("DestroyTemporaryVariable", {ref}, given, name, at).output();
}

// Which of the named kinds of devices runs the node.
//   -> index: int32
//   attr device_names: list(string)
inline Output DeviceIndex(GraphBuilder& b, const std::vector<std::string>& device_names, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"device_names", device_names});
  return b.Op("DeviceIndex", {}, given, name, at).output();
}

// Zeros but for the input on the diagonal.
//   diagonal: T
//   -> output: T
//   T: float32, float64, int32, complex64, int64, bfloat16, complex128, float16
inline Output Diag(GraphBuilder& b, const Input& diagonal, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Diag", {diagonal}, given, name, at).output();
}

// The diagonal of the input.
//   input: T
//   -> diagonal: T
//   T: float32, float64, int32, complex64, int64, bfloat16, complex128, float16
inline Output DiagPart(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DiagPart", {input}, given, name, at).output();
}

// The derivative of Lgamma, NaN at its poles.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Digamma(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Digamma", {x}, given, name, at).output();
}

// The largest sums of windows and a filter.
//   input: T
//   filter: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr strides: list(int) (at least 4)
//   attr rates: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
inline Output Dilation2D(GraphBuilder& b, const Input& input, const Input& filter, const std::vector<int64_t>& strides, const std::vector<int64_t>& rates, const std::string& padding, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"rates", rates});
  given.push_back({"padding", padding});
  return b.Op("Dilation2D", {input, filter}, given, name, at).output();
}

// The gradient of Dilation2D's filter.
//   input: T
//   filter: T
//   out_backprop: T
//   -> filter_backprop: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr strides: list(int) (at least 4)
//   attr rates: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
inline Output Dilation2DBackpropFilter(GraphBuilder& b, const Input& input, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::vector<int64_t>& rates, const std::string& padding, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"rates", rates});
  given.push_back({"padding", padding});
  return b.Op("Dilation2DBackpropFilter", {input, filter, out_backprop}, given, name, at).output();
}

// The gradient of Dilation2D's input.
//   input: T
//   filter: T
//   out_backprop: T
//   -> in_backprop: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr strides: list(int) (at least 4)
//   attr rates: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
inline Output Dilation2DBackpropInput(GraphBuilder& b, const Input& input, const Input& filter, const Input& out_backprop, const std::vector<int64_t>& strides, const std::vector<int64_t>& rates, const std::string& padding, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"rates", rates});
  given.push_back({"padding", padding});
  return b.Op("Dilation2DBackpropInput", {input, filter, out_backprop}, given, name, at).output();
}

// Ends copy-on-read mode, which sparse steps without a lock begin: reads share the value again.
//   resource: resource
inline Operation DisableCopyOnRead(GraphBuilder& b, const Input& resource, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DisableCopyOnRead", {resource}, given, name, at);
}

// x / y, towards zero for integers.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output Div(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Div", {x, y}, given, name, at).output();
}

// x / y, and 0 where y is 0.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output DivNoNan(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DivNoNan", {x, y}, given, name, at).output();
}

// Images with the outlines of boxes.
//   images: T
//   boxes: float32
//   -> output: T
//   T: float32, float16
inline Output DrawBoundingBoxes(GraphBuilder& b, const Input& images, const Input& boxes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DrawBoundingBoxes", {images, boxes}, given, name, at).output();
}

// Images with the outlines of boxes.
//   images: T
//   boxes: float32
//   colors: float32
//   -> output: T
//   T: float32, float16
inline Output DrawBoundingBoxesV2(GraphBuilder& b, const Input& images, const Input& boxes, const Input& colors, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DrawBoundingBoxesV2", {images, boxes, colors}, given, name, at).output();
}

// The handle of no cache: the dataset has its own.
//   -> handle: resource
inline Output DummyMemoryCache(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DummyMemoryCache", {}, given, name, at).output();
}

// The handle of no generator: the dataset has its own.
//   -> handle: resource
inline Output DummySeedGenerator(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DummySeedGenerator", {}, given, name, at).output();
}

// Sorts the rows of data into tensors by the numbers in partitions.
//   data: T
//   partitions: int32
//   -> outputs: list of T
//   attr num_partitions: int (at least 1)
inline Outputs DynamicPartition(GraphBuilder& b, const Input& data, const Input& partitions, const int64_t& num_partitions, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_partitions", num_partitions});
  return b.Op("DynamicPartition", {data, partitions}, given, name, at).outputs();
}

// One tensor of the rows of several, each at its index.
//   indices: list of int32
//   data: list of T
//   -> merged: T
inline Output DynamicStitch(GraphBuilder& b, InputList indices, InputList data, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("DynamicStitch", Inputs({indices, data}), given, name, at).output();
}

struct EditDistanceAttrs {
  bool normalize = true;
  std::string_view name = "";
};

// How many edits make each sequence another.
//   hypothesis_indices: int64
//   hypothesis_values: T
//   hypothesis_shape: int64
//   truth_indices: int64
//   truth_values: T
//   truth_shape: int64
//   -> output: float32
//   T: float32, float64, int32, uint8, int16, int8, string, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr normalize: bool = true
inline Output EditDistance(GraphBuilder& b, const Input& hypothesis_indices, const Input& hypothesis_values, const Input& hypothesis_shape, const Input& truth_indices, const Input& truth_values, const Input& truth_shape, const EditDistanceAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.normalize != bool(true)) given.push_back({"normalize", attrs.normalize});
  return b.Op("EditDistance", {hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape}, given, attrs.name, at).output();
}

struct EigAttrs {
  bool compute_v = true;
  std::string_view name = "";
};

struct EigOutputs {
  Output e;
  Output v;
  Operation operation;
};

// Eigenvalues and eigenvectors of any square matrices.
//   input: T
//   -> e: Tout
//   -> v: Tout
//   T: float32, float64, complex64, complex128
//   Tout: complex64, complex128
//   attr Tout: type
//   attr compute_v: bool = true
inline EigOutputs Eig(GraphBuilder& b, const Input& input, const DType& Tout, const EigAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  if (attrs.compute_v != bool(true)) given.push_back({"compute_v", attrs.compute_v});
  const Operation op = b.Op("Eig", {input}, given, attrs.name, at);
  EigOutputs result;
  result.operation = op;
  result.e = op.output(0);
  result.v = op.output(1);
  return result;
}

// Sums of products of tensors whose dimensions an equation names.
//   inputs: list of T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr equation: string
inline Output Einsum(GraphBuilder& b, InputList inputs, const std::string& equation, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"equation", equation});
  return b.Op("Einsum", Inputs({inputs}), given, name, at).output();
}

// exp(features) - 1 below 0, else features.
//   features: T
//   -> activations: T
//   T: float32, float64, bfloat16, float16
inline Output Elu(GraphBuilder& b, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Elu", {features}, given, name, at).output();
}

// The gradient of Elu from its outputs.
//   gradients: T
//   outputs: T
//   -> backprops: T
//   T: float32, float64, bfloat16, float16
inline Output EluGrad(GraphBuilder& b, const Input& gradients, const Input& outputs, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("EluGrad", {gradients, outputs}, given, name, at).output();
}

struct EmptyAttrs {
  bool init = false;
  std::string_view name = "";
};

// A tensor of the given shape for whose values nobody asks; they are zeros.
//   shape: int32
//   -> output: dtype
//   attr dtype: type
//   attr init: bool = false
inline Output Empty(GraphBuilder& b, const Input& shape, const DType& dtype, const EmptyAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.init != bool(false)) given.push_back({"init", attrs.init});
  return b.Op("Empty", {shape}, given, attrs.name, at).output();
}

// A list without items.
//   element_shape: shape_type
//   max_num_elements: int32
//   -> handle: variant
//   shape_type: int32, int64
//   attr element_dtype: type
inline Output EmptyTensorList(GraphBuilder& b, const Input& element_shape, const Input& max_num_elements, const DType& element_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  return b.Op("EmptyTensorList", {element_shape, max_num_elements}, given, name, at).output();
}

// A map without keys.
//   -> handle: variant
inline Output EmptyTensorMap(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("EmptyTensorMap", {}, given, name, at).output();
}

struct EncodeBase64Attrs {
  bool pad = false;
  std::string_view name = "";
};

// Strings in base 64.
//   input: string
//   -> output: string
//   attr pad: bool = false
inline Output EncodeBase64(GraphBuilder& b, const Input& input, const EncodeBase64Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.pad != bool(false)) given.push_back({"pad", attrs.pad});
  return b.Op("EncodeBase64", {input}, given, attrs.name, at).output();
}

struct EncodeJpegAttrs {
  std::string format = "";
  int64_t quality = 95;
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  std::string density_unit = "in";
  int64_t x_density = 300;
  int64_t y_density = 300;
  std::string xmp_metadata = "";
  std::string_view name = "";
};

// Pixels as a JPEG file.
//   image: uint8
//   -> contents: string
//   attr format: string = "" (, grayscale, rgb)
//   attr quality: int = 95
//   attr progressive: bool = false
//   attr optimize_size: bool = false
//   attr chroma_downsampling: bool = true
//   attr density_unit: string = "in" (in, cm)
//   attr x_density: int = 300
//   attr y_density: int = 300
//   attr xmp_metadata: string = ""
inline Output EncodeJpeg(GraphBuilder& b, const Input& image, const EncodeJpegAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.format != std::string("")) given.push_back({"format", attrs.format});
  if (attrs.quality != int64_t(95)) given.push_back({"quality", attrs.quality});
  if (attrs.progressive != bool(false)) given.push_back({"progressive", attrs.progressive});
  if (attrs.optimize_size != bool(false)) given.push_back({"optimize_size", attrs.optimize_size});
  if (attrs.chroma_downsampling != bool(true)) given.push_back({"chroma_downsampling", attrs.chroma_downsampling});
  if (attrs.density_unit != std::string("in")) given.push_back({"density_unit", attrs.density_unit});
  if (attrs.x_density != int64_t(300)) given.push_back({"x_density", attrs.x_density});
  if (attrs.y_density != int64_t(300)) given.push_back({"y_density", attrs.y_density});
  if (attrs.xmp_metadata != std::string("")) given.push_back({"xmp_metadata", attrs.xmp_metadata});
  return b.Op("EncodeJpeg", {image}, given, attrs.name, at).output();
}

// Pixels as a JPEG file of a quality from 0 to 100.
//   images: uint8
//   quality: int32
//   -> contents: string
inline Output EncodeJpegVariableQuality(GraphBuilder& b, const Input& images, const Input& quality, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("EncodeJpegVariableQuality", {images, quality}, given, name, at).output();
}

struct EncodePngAttrs {
  int64_t compression = -1;
  std::string_view name = "";
};

// Pixels as a PNG file.
//   image: T
//   -> contents: string
//   T: uint8, uint16
//   attr compression: int = -1
inline Output EncodePng(GraphBuilder& b, const Input& image, const EncodePngAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.compression != int64_t(-1)) given.push_back({"compression", attrs.compression});
  return b.Op("EncodePng", {image}, given, attrs.name, at).output();
}

// A WAV file of samples.
//   audio: float32
//   sample_rate: int32
//   -> contents: string
inline Output EncodeWav(GraphBuilder& b, const Input& audio, const Input& sample_rate, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("EncodeWav", {audio, sample_rate}, given, name, at).output();
}

// The input, if its shape fits the given one; else an error.
//   input: T
//   -> output: T
//   attr shape: shape
inline Output EnsureShape(GraphBuilder& b, const Input& input, const PartialShape& shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shape", shape});
  return b.Op("EnsureShape", {input}, given, name, at).output();
}

struct EnterAttrs {
  bool is_constant = false;
  int64_t parallel_iterations = 10;
  std::string_view name = "";
};

// Takes data into iteration 0 of a loop's frame, or into every iteration if is_constant.
//   data: T
//   -> output: T
//   attr frame_name: string
//   attr is_constant: bool = false
//   attr parallel_iterations: int = 10
inline Output Enter(GraphBuilder& b, const Input& data, const std::string& frame_name, const EnterAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"frame_name", frame_name});
  if (attrs.is_constant != bool(false)) given.push_back({"is_constant", attrs.is_constant});
  if (attrs.parallel_iterations != int64_t(10)) given.push_back({"parallel_iterations", attrs.parallel_iterations});
  return b.Op("Enter", {data}, given, attrs.name, at).output();
}

struct EqualAttrs {
  bool incompatible_shape_error = true;
  std::string_view name = "";
};

// x == y.
//   x: T
//   y: T
//   -> z: bool
//   T: float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr incompatible_shape_error: bool = true
inline Output Equal(GraphBuilder& b, const Input& x, const Input& y, const EqualAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.incompatible_shape_error != bool(true)) given.push_back({"incompatible_shape_error", attrs.incompatible_shape_error});
  return b.Op("Equal", {x, y}, given, attrs.name, at).output();
}

// The error function of x.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Erf(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Erf", {x}, given, name, at).output();
}

// 1 - erf(x).
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Erfc(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Erfc", {x}, given, name, at).output();
}

// The inverse of Erf.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Erfinv(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Erfinv", {x}, given, name, at).output();
}

struct EuclideanNormAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// roots of the sums of squares over dimensions.
//   input: T
//   reduction_indices: Tidx
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tidx: int32, int64
//   attr keep_dims: bool = false
inline Output EuclideanNorm(GraphBuilder& b, const Input& input, const Input& reduction_indices, const EuclideanNormAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("EuclideanNorm", {input, reduction_indices}, given, attrs.name, at).output();
}

// Takes data out of a loop's frame.
//   data: T
//   -> output: T
inline Output Exit(GraphBuilder& b, const Input& data, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Exit", {data}, given, name, at).output();
}

// e to the power of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Exp(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Exp", {x}, given, name, at).output();
}

// The input with a dimension of 1 more, which stands at dim.
//   input: T
//   dim: Tdim
//   -> output: T
//   Tdim: int32, int64
inline Output ExpandDims(GraphBuilder& b, const Input& input, const Input& dim, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ExpandDims", {input, dim}, given, name, at).output();
}

// The exponential integral Ei.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Expint(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Expint", {x}, given, name, at).output();
}

// e to the power of x, minus 1.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Expm1(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Expm1", {x}, given, name, at).output();
}

// Windows of images as channels.
//   images: T
//   -> patches: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bool, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr ksizes: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr rates: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
inline Output ExtractImagePatches(GraphBuilder& b, const Input& images, const std::vector<int64_t>& ksizes, const std::vector<int64_t>& strides, const std::vector<int64_t>& rates, const std::string& padding, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksizes", ksizes});
  given.push_back({"strides", strides});
  given.push_back({"rates", rates});
  given.push_back({"padding", padding});
  return b.Op("ExtractImagePatches", {images}, given, name, at).output();
}

struct ExtractJpegShapeAttrs {
  DType output_type = DType::kInt32;
  std::string_view name = "";
};

// Height, width and channels of a JPEG file.
//   contents: string
//   -> image_shape: output_type
//   output_type: int32, int64
//   attr output_type: type = int32
inline Output ExtractJpegShape(GraphBuilder& b, const Input& contents, const ExtractJpegShapeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_type != DType(DType::kInt32)) given.push_back({"output_type", attrs.output_type});
  return b.Op("ExtractJpegShape", {contents}, given, attrs.name, at).output();
}

// Windows of volumes as channels.
//   input: T
//   -> patches: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr ksizes: list(int) (at least 5)
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
inline Output ExtractVolumePatches(GraphBuilder& b, const Input& input, const std::vector<int64_t>& ksizes, const std::vector<int64_t>& strides, const std::string& padding, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksizes", ksizes});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  return b.Op("ExtractVolumePatches", {input}, given, name, at).output();
}

// The Fourier transform over the last dimensions.
//   input: Tcomplex
//   -> output: Tcomplex
//   Tcomplex: complex64, complex128
inline Output FFT(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("FFT", {input}, given, name, at).output();
}

// The Fourier transform over the last dimensions.
//   input: Tcomplex
//   -> output: Tcomplex
//   Tcomplex: complex64, complex128
inline Output FFT2D(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("FFT2D", {input}, given, name, at).output();
}

// The Fourier transform over the last dimensions.
//   input: Tcomplex
//   -> output: Tcomplex
//   Tcomplex: complex64, complex128
inline Output FFT3D(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("FFT3D", {input}, given, name, at).output();
}

struct FIFOQueueAttrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A queue, first in, first out.
//   -> handle: reference to string
//   attr component_types: list(type) (at least 1)
//   attr shapes: list(shape) = [] (at least 0)
//   attr capacity: int = -1
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output FIFOQueue(GraphBuilder& b, const std::vector<DType>& component_types, const FIFOQueueAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.shapes != std::vector<PartialShape>{}) given.push_back({"shapes", attrs.shapes});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("FIFOQueue", {}, given, attrs.name, at).output();
}

struct FIFOQueueV2Attrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A queue, first in, first out.
//   -> handle: resource
//   attr component_types: list(type) (at least 1)
//   attr shapes: list(shape) = [] (at least 0)
//   attr capacity: int = -1
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output FIFOQueueV2(GraphBuilder& b, const std::vector<DType>& component_types, const FIFOQueueV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.shapes != std::vector<PartialShape>{}) given.push_back({"shapes", attrs.shapes});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("FIFOQueueV2", {}, given, attrs.name, at).output();
}

// Zeros that nobody reads, where a branch has no value to give.
//   -> output: dtype
//   attr dtype: type
//   attr shape: shape
inline Output FakeParam(GraphBuilder& b, const DType& dtype, const PartialShape& shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  given.push_back({"shape", shape});
  return b.Op("FakeParam", {}, given, name, at).output();
}

struct FakeQuantWithMinMaxArgsAttrs {
  float min = -6.0f;
  float max = 6.0f;
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string_view name = "";
};

// The inputs, rounded to the steps of a range.
//   inputs: float32
//   -> outputs: float32
//   attr min: float = -6.0
//   attr max: float = 6.0
//   attr num_bits: int = 8
//   attr narrow_range: bool = false
inline Output FakeQuantWithMinMaxArgs(GraphBuilder& b, const Input& inputs, const FakeQuantWithMinMaxArgsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.min != float(-6.0f)) given.push_back({"min", attrs.min});
  if (attrs.max != float(6.0f)) given.push_back({"max", attrs.max});
  if (attrs.num_bits != int64_t(8)) given.push_back({"num_bits", attrs.num_bits});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  return b.Op("FakeQuantWithMinMaxArgs", {inputs}, given, attrs.name, at).output();
}

struct FakeQuantWithMinMaxArgsGradientAttrs {
  float min = -6.0f;
  float max = 6.0f;
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string_view name = "";
};

// The gradient of FakeQuantWithMinMaxArgs.
//   gradients: float32
//   inputs: float32
//   -> backprops: float32
//   attr min: float = -6.0
//   attr max: float = 6.0
//   attr num_bits: int = 8
//   attr narrow_range: bool = false
inline Output FakeQuantWithMinMaxArgsGradient(GraphBuilder& b, const Input& gradients, const Input& inputs, const FakeQuantWithMinMaxArgsGradientAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.min != float(-6.0f)) given.push_back({"min", attrs.min});
  if (attrs.max != float(6.0f)) given.push_back({"max", attrs.max});
  if (attrs.num_bits != int64_t(8)) given.push_back({"num_bits", attrs.num_bits});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  return b.Op("FakeQuantWithMinMaxArgsGradient", {gradients, inputs}, given, attrs.name, at).output();
}

struct FakeQuantWithMinMaxVarsAttrs {
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string_view name = "";
};

// The inputs, rounded to the steps of a range.
//   inputs: float32
//   min: float32
//   max: float32
//   -> outputs: float32
//   attr num_bits: int = 8
//   attr narrow_range: bool = false
inline Output FakeQuantWithMinMaxVars(GraphBuilder& b, const Input& inputs, const Input& min, const Input& max, const FakeQuantWithMinMaxVarsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.num_bits != int64_t(8)) given.push_back({"num_bits", attrs.num_bits});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  return b.Op("FakeQuantWithMinMaxVars", {inputs, min, max}, given, attrs.name, at).output();
}

struct FakeQuantWithMinMaxVarsGradientAttrs {
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string_view name = "";
};

struct FakeQuantWithMinMaxVarsGradientOutputs {
  Output backprops_wrt_input;
  Output backprop_wrt_min;
  Output backprop_wrt_max;
  Operation operation;
};

// The gradients of FakeQuantWithMinMaxVars.
//   gradients: float32
//   inputs: float32
//   min: float32
//   max: float32
//   -> backprops_wrt_input: float32
//   -> backprop_wrt_min: float32
//   -> backprop_wrt_max: float32
//   attr num_bits: int = 8
//   attr narrow_range: bool = false
inline FakeQuantWithMinMaxVarsGradientOutputs FakeQuantWithMinMaxVarsGradient(GraphBuilder& b, const Input& gradients, const Input& inputs, const Input& min, const Input& max, const FakeQuantWithMinMaxVarsGradientAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.num_bits != int64_t(8)) given.push_back({"num_bits", attrs.num_bits});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  const Operation op = b.Op("FakeQuantWithMinMaxVarsGradient", {gradients, inputs, min, max}, given, attrs.name, at);
  FakeQuantWithMinMaxVarsGradientOutputs result;
  result.operation = op;
  result.backprops_wrt_input = op.output(0);
  result.backprop_wrt_min = op.output(1);
  result.backprop_wrt_max = op.output(2);
  return result;
}

struct FakeQuantWithMinMaxVarsPerChannelAttrs {
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string_view name = "";
};

// The inputs, rounded to the steps of a range for each channel.
//   inputs: float32
//   min: float32
//   max: float32
//   -> outputs: float32
//   attr num_bits: int = 8
//   attr narrow_range: bool = false
inline Output FakeQuantWithMinMaxVarsPerChannel(GraphBuilder& b, const Input& inputs, const Input& min, const Input& max, const FakeQuantWithMinMaxVarsPerChannelAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.num_bits != int64_t(8)) given.push_back({"num_bits", attrs.num_bits});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  return b.Op("FakeQuantWithMinMaxVarsPerChannel", {inputs, min, max}, given, attrs.name, at).output();
}

struct FakeQuantWithMinMaxVarsPerChannelGradientAttrs {
  int64_t num_bits = 8;
  bool narrow_range = false;
  std::string_view name = "";
};

struct FakeQuantWithMinMaxVarsPerChannelGradientOutputs {
  Output backprops_wrt_input;
  Output backprop_wrt_min;
  Output backprop_wrt_max;
  Operation operation;
};

// The gradients of FakeQuantWithMinMaxVarsPerChannel.
//   gradients: float32
//   inputs: float32
//   min: float32
//   max: float32
//   -> backprops_wrt_input: float32
//   -> backprop_wrt_min: float32
//   -> backprop_wrt_max: float32
//   attr num_bits: int = 8
//   attr narrow_range: bool = false
inline FakeQuantWithMinMaxVarsPerChannelGradientOutputs FakeQuantWithMinMaxVarsPerChannelGradient(GraphBuilder& b, const Input& gradients, const Input& inputs, const Input& min, const Input& max, const FakeQuantWithMinMaxVarsPerChannelGradientAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.num_bits != int64_t(8)) given.push_back({"num_bits", attrs.num_bits});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  const Operation op = b.Op("FakeQuantWithMinMaxVarsPerChannelGradient", {gradients, inputs, min, max}, given, attrs.name, at);
  FakeQuantWithMinMaxVarsPerChannelGradientOutputs result;
  result.operation = op;
  result.backprops_wrt_input = op.output(0);
  result.backprop_wrt_min = op.output(1);
  result.backprop_wrt_max = op.output(2);
  return result;
}

// A tensor of shape dims whose elements all are value.
//   dims: index_type
//   value: T
//   -> output: T
//   index_type: int32, int64
inline Output Fill(GraphBuilder& b, const Input& dims, const Input& value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Fill", {dims, value}, given, name, at).output();
}

struct FilterDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The elements for which a function says true.
//   input_dataset: variant
//   other_arguments: Targuments
//   -> handle: variant
//   attr predicate: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output FilterDataset(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const FunctionRef& predicate, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FilterDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"predicate", predicate});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("FilterDataset", Inputs({InputList(&input_dataset, 1), other_arguments}), given, attrs.name, at).output();
}

struct FixedLengthRecordDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Records of one length in files.
//   filenames: string
//   header_bytes: int64
//   record_bytes: int64
//   footer_bytes: int64
//   buffer_size: int64
//   -> handle: variant
//   attr metadata: string = ""
inline Output FixedLengthRecordDataset(GraphBuilder& b, const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const FixedLengthRecordDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("FixedLengthRecordDataset", {filenames, header_bytes, record_bytes, footer_bytes, buffer_size}, given, attrs.name, at).output();
}

struct FixedLengthRecordDatasetV2Attrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Records of one length in files.
//   filenames: string
//   header_bytes: int64
//   record_bytes: int64
//   footer_bytes: int64
//   buffer_size: int64
//   compression_type: string
//   -> handle: variant
//   attr metadata: string = ""
inline Output FixedLengthRecordDatasetV2(GraphBuilder& b, const Input& filenames, const Input& header_bytes, const Input& record_bytes, const Input& footer_bytes, const Input& buffer_size, const Input& compression_type, const FixedLengthRecordDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("FixedLengthRecordDatasetV2", {filenames, header_bytes, record_bytes, footer_bytes, buffer_size, compression_type}, given, attrs.name, at).output();
}

struct FixedUnigramCandidateSamplerAttrs {
  std::string vocab_file = "";
  float distortion = 1.0f;
  int64_t num_reserved_ids = 0;
  int64_t num_shards = 1;
  int64_t shard = 0;
  std::vector<float> unigrams = {};
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct FixedUnigramCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation operation;
};

// classes, by given weights.
//   true_classes: int64
//   -> sampled_candidates: int64
//   -> true_expected_count: float32
//   -> sampled_expected_count: float32
//   attr num_true: int (at least 1)
//   attr num_sampled: int (at least 1)
//   attr unique: bool
//   attr range_max: int (at least 1)
//   attr vocab_file: string = ""
//   attr distortion: float = 1.0
//   attr num_reserved_ids: int = 0
//   attr num_shards: int = 1 (at least 1)
//   attr shard: int = 0 (at least 0)
//   attr unigrams: list(float) = []
//   attr seed: int = 0
//   attr seed2: int = 0
inline FixedUnigramCandidateSamplerOutputs FixedUnigramCandidateSampler(GraphBuilder& b, const Input& true_classes, const int64_t& num_true, const int64_t& num_sampled, const bool& unique, const int64_t& range_max, const FixedUnigramCandidateSamplerAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_true", num_true});
  given.push_back({"num_sampled", num_sampled});
  given.push_back({"unique", unique});
  given.push_back({"range_max", range_max});
  if (attrs.vocab_file != std::string("")) given.push_back({"vocab_file", attrs.vocab_file});
  if (attrs.distortion != float(1.0f)) given.push_back({"distortion", attrs.distortion});
  if (attrs.num_reserved_ids != int64_t(0)) given.push_back({"num_reserved_ids", attrs.num_reserved_ids});
  if (attrs.num_shards != int64_t(1)) given.push_back({"num_shards", attrs.num_shards});
  if (attrs.shard != int64_t(0)) given.push_back({"shard", attrs.shard});
  if (attrs.unigrams != std::vector<float>{}) given.push_back({"unigrams", attrs.unigrams});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("FixedUnigramCandidateSampler", {true_classes}, given, attrs.name, at);
  FixedUnigramCandidateSamplerOutputs result;
  result.operation = op;
  result.sampled_candidates = op.output(0);
  result.true_expected_count = op.output(1);
  result.sampled_expected_count = op.output(2);
  return result;
}

struct FlatMapDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The elements of the datasets that a function makes of elements.
//   input_dataset: variant
//   other_arguments: Targuments
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output FlatMapDataset(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const FlatMapDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("FlatMapDataset", Inputs({InputList(&input_dataset, 1), other_arguments}), given, attrs.name, at).output();
}

// The largest integer not above x.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Floor(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Floor", {x}, given, name, at).output();
}

// x / y, rounded down.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output FloorDiv(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("FloorDiv", {x, y}, given, name, at).output();
}

// The remainder of x / y, with the sign of y.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output FloorMod(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("FloorMod", {x, y}, given, name, at).output();
}

// Brings what was written to the file.
//   writer: resource
inline Operation FlushSummaryWriter(GraphBuilder& b, const Input& writer, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("FlushSummaryWriter", {writer}, given, name, at);
}

struct FractionalAvgPoolAttrs {
  bool pseudo_random = false;
  bool overlapping = false;
  bool deterministic = false;
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct FractionalAvgPoolOutputs {
  Output output;
  Output row_pooling_sequence;
  Output col_pooling_sequence;
  Operation operation;
};

// The means of random regions.
//   value: T
//   -> output: T
//   -> row_pooling_sequence: int64
//   -> col_pooling_sequence: int64
//   T: float32, float64, int32, int64
//   attr pooling_ratio: list(float) (at least 4)
//   attr pseudo_random: bool = false
//   attr overlapping: bool = false
//   attr deterministic: bool = false
//   attr seed: int = 0
//   attr seed2: int = 0
inline FractionalAvgPoolOutputs FractionalAvgPool(GraphBuilder& b, const Input& value, const std::vector<float>& pooling_ratio, const FractionalAvgPoolAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"pooling_ratio", pooling_ratio});
  if (attrs.pseudo_random != bool(false)) given.push_back({"pseudo_random", attrs.pseudo_random});
  if (attrs.overlapping != bool(false)) given.push_back({"overlapping", attrs.overlapping});
  if (attrs.deterministic != bool(false)) given.push_back({"deterministic", attrs.deterministic});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("FractionalAvgPool", {value}, given, attrs.name, at);
  FractionalAvgPoolOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.row_pooling_sequence = op.output(1);
  result.col_pooling_sequence = op.output(2);
  return result;
}

struct FractionalAvgPoolGradAttrs {
  bool overlapping = false;
  std::string_view name = "";
};

// The gradient of FractionalAvgPool's value.
//   orig_input_tensor_shape: int64
//   out_backprop: T
//   row_pooling_sequence: int64
//   col_pooling_sequence: int64
//   -> output: T
//   T: float32, float64, int32, int64
//   attr overlapping: bool = false
inline Output FractionalAvgPoolGrad(GraphBuilder& b, const Input& orig_input_tensor_shape, const Input& out_backprop, const Input& row_pooling_sequence, const Input& col_pooling_sequence, const FractionalAvgPoolGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.overlapping != bool(false)) given.push_back({"overlapping", attrs.overlapping});
  return b.Op("FractionalAvgPoolGrad", {orig_input_tensor_shape, out_backprop, row_pooling_sequence, col_pooling_sequence}, given, attrs.name, at).output();
}

struct FractionalMaxPoolAttrs {
  bool pseudo_random = false;
  bool overlapping = false;
  bool deterministic = false;
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct FractionalMaxPoolOutputs {
  Output output;
  Output row_pooling_sequence;
  Output col_pooling_sequence;
  Operation operation;
};

// The largest elements of random regions.
//   value: T
//   -> output: T
//   -> row_pooling_sequence: int64
//   -> col_pooling_sequence: int64
//   T: float32, float64, int32, int64
//   attr pooling_ratio: list(float) (at least 4)
//   attr pseudo_random: bool = false
//   attr overlapping: bool = false
//   attr deterministic: bool = false
//   attr seed: int = 0
//   attr seed2: int = 0
inline FractionalMaxPoolOutputs FractionalMaxPool(GraphBuilder& b, const Input& value, const std::vector<float>& pooling_ratio, const FractionalMaxPoolAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"pooling_ratio", pooling_ratio});
  if (attrs.pseudo_random != bool(false)) given.push_back({"pseudo_random", attrs.pseudo_random});
  if (attrs.overlapping != bool(false)) given.push_back({"overlapping", attrs.overlapping});
  if (attrs.deterministic != bool(false)) given.push_back({"deterministic", attrs.deterministic});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("FractionalMaxPool", {value}, given, attrs.name, at);
  FractionalMaxPoolOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.row_pooling_sequence = op.output(1);
  result.col_pooling_sequence = op.output(2);
  return result;
}

struct FractionalMaxPoolGradAttrs {
  bool overlapping = false;
  std::string_view name = "";
};

// The gradient of FractionalMaxPool's value.
//   orig_input: T
//   orig_output: T
//   out_backprop: T
//   row_pooling_sequence: int64
//   col_pooling_sequence: int64
//   -> output: T
//   T: float32, float64, int32, int64
//   attr overlapping: bool = false
inline Output FractionalMaxPoolGrad(GraphBuilder& b, const Input& orig_input, const Input& orig_output, const Input& out_backprop, const Input& row_pooling_sequence, const Input& col_pooling_sequence, const FractionalMaxPoolGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.overlapping != bool(false)) given.push_back({"overlapping", attrs.overlapping});
  return b.Op("FractionalMaxPoolGrad", {orig_input, orig_output, out_backprop, row_pooling_sequence, col_pooling_sequence}, given, attrs.name, at).output();
}

// The integral of cos(pi t^2 / 2) from 0 to x.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output FresnelCos(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("FresnelCos", {x}, given, name, at).output();
}

// The integral of sin(pi t^2 / 2) from 0 to x.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output FresnelSin(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("FresnelSin", {x}, given, name, at).output();
}

struct FusedBatchNormAttrs {
  float epsilon = 0.0001f;
  float exponential_avg_factor = 1.0f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string_view name = "";
};

struct FusedBatchNormOutputs {
  Output y;
  Output batch_mean;
  Output batch_variance;
  Output reserve_space_1;
  Output reserve_space_2;
  Operation operation;
};

// Normalises each channel of a batch of images.
//   x: T
//   scale: T
//   offset: T
//   mean: T
//   variance: T
//   -> y: T
//   -> batch_mean: T
//   -> batch_variance: T
//   -> reserve_space_1: T
//   -> reserve_space_2: T
//   T: float32
//   attr epsilon: float = 0.0001
//   attr exponential_avg_factor: float = 1.0
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr is_training: bool = true
inline FusedBatchNormOutputs FusedBatchNorm(GraphBuilder& b, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.epsilon != float(0.0001f)) given.push_back({"epsilon", attrs.epsilon});
  if (attrs.exponential_avg_factor != float(1.0f)) given.push_back({"exponential_avg_factor", attrs.exponential_avg_factor});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.is_training != bool(true)) given.push_back({"is_training", attrs.is_training});
  const Operation op = b.Op("FusedBatchNorm", {x, scale, offset, mean, variance}, given, attrs.name, at);
  FusedBatchNormOutputs result;
  result.operation = op;
  result.y = op.output(0);
  result.batch_mean = op.output(1);
  result.batch_variance = op.output(2);
  result.reserve_space_1 = op.output(3);
  result.reserve_space_2 = op.output(4);
  return result;
}

struct FusedBatchNormGradAttrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string_view name = "";
};

struct FusedBatchNormGradOutputs {
  Output x_backprop;
  Output scale_backprop;
  Output offset_backprop;
  Output reserve_space_3;
  Output reserve_space_4;
  Operation operation;
};

// The gradients of FusedBatchNorm.
//   y_backprop: T
//   x: T
//   scale: T
//   reserve_space_1: T
//   reserve_space_2: T
//   -> x_backprop: T
//   -> scale_backprop: T
//   -> offset_backprop: T
//   -> reserve_space_3: T
//   -> reserve_space_4: T
//   T: float32
//   attr epsilon: float = 0.0001
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr is_training: bool = true
inline FusedBatchNormGradOutputs FusedBatchNormGrad(GraphBuilder& b, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.epsilon != float(0.0001f)) given.push_back({"epsilon", attrs.epsilon});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.is_training != bool(true)) given.push_back({"is_training", attrs.is_training});
  const Operation op = b.Op("FusedBatchNormGrad", {y_backprop, x, scale, reserve_space_1, reserve_space_2}, given, attrs.name, at);
  FusedBatchNormGradOutputs result;
  result.operation = op;
  result.x_backprop = op.output(0);
  result.scale_backprop = op.output(1);
  result.offset_backprop = op.output(2);
  result.reserve_space_3 = op.output(3);
  result.reserve_space_4 = op.output(4);
  return result;
}

struct FusedBatchNormGradV2Attrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string_view name = "";
};

struct FusedBatchNormGradV2Outputs {
  Output x_backprop;
  Output scale_backprop;
  Output offset_backprop;
  Output reserve_space_3;
  Output reserve_space_4;
  Operation operation;
};

// The gradients of FusedBatchNormV2.
//   y_backprop: T
//   x: T
//   scale: float32
//   reserve_space_1: U
//   reserve_space_2: U
//   -> x_backprop: T
//   -> scale_backprop: U
//   -> offset_backprop: U
//   -> reserve_space_3: U
//   -> reserve_space_4: U
//   T: float32, bfloat16, float16
//   U: float32
//   attr epsilon: float = 0.0001
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr is_training: bool = true
inline FusedBatchNormGradV2Outputs FusedBatchNormGradV2(GraphBuilder& b, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const FusedBatchNormGradV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.epsilon != float(0.0001f)) given.push_back({"epsilon", attrs.epsilon});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.is_training != bool(true)) given.push_back({"is_training", attrs.is_training});
  const Operation op = b.Op("FusedBatchNormGradV2", {y_backprop, x, scale, reserve_space_1, reserve_space_2}, given, attrs.name, at);
  FusedBatchNormGradV2Outputs result;
  result.operation = op;
  result.x_backprop = op.output(0);
  result.scale_backprop = op.output(1);
  result.offset_backprop = op.output(2);
  result.reserve_space_3 = op.output(3);
  result.reserve_space_4 = op.output(4);
  return result;
}

struct FusedBatchNormGradV3Attrs {
  float epsilon = 0.0001f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string_view name = "";
};

struct FusedBatchNormGradV3Outputs {
  Output x_backprop;
  Output scale_backprop;
  Output offset_backprop;
  Output reserve_space_4;
  Output reserve_space_5;
  Operation operation;
};

// The gradients of FusedBatchNormV3.
//   y_backprop: T
//   x: T
//   scale: float32
//   reserve_space_1: U
//   reserve_space_2: U
//   reserve_space_3: U
//   -> x_backprop: T
//   -> scale_backprop: U
//   -> offset_backprop: U
//   -> reserve_space_4: U
//   -> reserve_space_5: U
//   T: float32, bfloat16, float16
//   U: float32
//   attr epsilon: float = 0.0001
//   attr data_format: string = "NHWC" (NHWC, NCHW, NDHWC, NCDHW)
//   attr is_training: bool = true
inline FusedBatchNormGradV3Outputs FusedBatchNormGradV3(GraphBuilder& b, const Input& y_backprop, const Input& x, const Input& scale, const Input& reserve_space_1, const Input& reserve_space_2, const Input& reserve_space_3, const FusedBatchNormGradV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.epsilon != float(0.0001f)) given.push_back({"epsilon", attrs.epsilon});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.is_training != bool(true)) given.push_back({"is_training", attrs.is_training});
  const Operation op = b.Op("FusedBatchNormGradV3", {y_backprop, x, scale, reserve_space_1, reserve_space_2, reserve_space_3}, given, attrs.name, at);
  FusedBatchNormGradV3Outputs result;
  result.operation = op;
  result.x_backprop = op.output(0);
  result.scale_backprop = op.output(1);
  result.offset_backprop = op.output(2);
  result.reserve_space_4 = op.output(3);
  result.reserve_space_5 = op.output(4);
  return result;
}

struct FusedBatchNormV2Attrs {
  float epsilon = 0.0001f;
  float exponential_avg_factor = 1.0f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string_view name = "";
};

struct FusedBatchNormV2Outputs {
  Output y;
  Output batch_mean;
  Output batch_variance;
  Output reserve_space_1;
  Output reserve_space_2;
  Operation operation;
};

// Normalises each channel of a batch of images, which may be of 16 bits.
//   x: T
//   scale: U
//   offset: U
//   mean: U
//   variance: U
//   -> y: T
//   -> batch_mean: U
//   -> batch_variance: U
//   -> reserve_space_1: U
//   -> reserve_space_2: U
//   T: float32, bfloat16, float16
//   U: float32
//   attr epsilon: float = 0.0001
//   attr exponential_avg_factor: float = 1.0
//   attr data_format: string = "NHWC" (NHWC, NCHW)
//   attr is_training: bool = true
inline FusedBatchNormV2Outputs FusedBatchNormV2(GraphBuilder& b, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.epsilon != float(0.0001f)) given.push_back({"epsilon", attrs.epsilon});
  if (attrs.exponential_avg_factor != float(1.0f)) given.push_back({"exponential_avg_factor", attrs.exponential_avg_factor});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.is_training != bool(true)) given.push_back({"is_training", attrs.is_training});
  const Operation op = b.Op("FusedBatchNormV2", {x, scale, offset, mean, variance}, given, attrs.name, at);
  FusedBatchNormV2Outputs result;
  result.operation = op;
  result.y = op.output(0);
  result.batch_mean = op.output(1);
  result.batch_variance = op.output(2);
  result.reserve_space_1 = op.output(3);
  result.reserve_space_2 = op.output(4);
  return result;
}

struct FusedBatchNormV3Attrs {
  float epsilon = 0.0001f;
  float exponential_avg_factor = 1.0f;
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string_view name = "";
};

struct FusedBatchNormV3Outputs {
  Output y;
  Output batch_mean;
  Output batch_variance;
  Output reserve_space_1;
  Output reserve_space_2;
  Output reserve_space_3;
  Operation operation;
};

// Normalises each channel of a batch of images or volumes.
//   x: T
//   scale: U
//   offset: U
//   mean: U
//   variance: U
//   -> y: T
//   -> batch_mean: U
//   -> batch_variance: U
//   -> reserve_space_1: U
//   -> reserve_space_2: U
//   -> reserve_space_3: U
//   T: float32, bfloat16, float16
//   U: float32, bfloat16
//   attr epsilon: float = 0.0001
//   attr exponential_avg_factor: float = 1.0
//   attr data_format: string = "NHWC" (NHWC, NCHW, NDHWC, NCDHW)
//   attr is_training: bool = true
inline FusedBatchNormV3Outputs FusedBatchNormV3(GraphBuilder& b, const Input& x, const Input& scale, const Input& offset, const Input& mean, const Input& variance, const FusedBatchNormV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.epsilon != float(0.0001f)) given.push_back({"epsilon", attrs.epsilon});
  if (attrs.exponential_avg_factor != float(1.0f)) given.push_back({"exponential_avg_factor", attrs.exponential_avg_factor});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  if (attrs.is_training != bool(true)) given.push_back({"is_training", attrs.is_training});
  const Operation op = b.Op("FusedBatchNormV3", {x, scale, offset, mean, variance}, given, attrs.name, at);
  FusedBatchNormV3Outputs result;
  result.operation = op;
  result.y = op.output(0);
  result.batch_mean = op.output(1);
  result.batch_variance = op.output(2);
  result.reserve_space_1 = op.output(3);
  result.reserve_space_2 = op.output(4);
  result.reserve_space_3 = op.output(5);
  return result;
}

struct GRUBlockCellOutputs {
  Output r;
  Output u;
  Output c;
  Output h;
  Operation operation;
};

// One step of a GRU.
//   x: T
//   h_prev: T
//   w_ru: T
//   w_c: T
//   b_ru: T
//   b_c: T
//   -> r: T
//   -> u: T
//   -> c: T
//   -> h: T
//   T: float32
inline GRUBlockCellOutputs GRUBlockCell(GraphBuilder& b, const Input& x, const Input& h_prev, const Input& w_ru, const Input& w_c, const Input& b_ru, const Input& b_c, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("GRUBlockCell", {x, h_prev, w_ru, w_c, b_ru, b_c}, given, name, at);
  GRUBlockCellOutputs result;
  result.operation = op;
  result.r = op.output(0);
  result.u = op.output(1);
  result.c = op.output(2);
  result.h = op.output(3);
  return result;
}

struct GRUBlockCellGradOutputs {
  Output d_x;
  Output d_h_prev;
  Output d_c_bar;
  Output d_r_bar_u_bar;
  Operation operation;
};

// The gradients of GRUBlockCell, but for those of weights.
//   x: T
//   h_prev: T
//   w_ru: T
//   w_c: T
//   b_ru: T
//   b_c: T
//   r: T
//   u: T
//   c: T
//   d_h: T
//   -> d_x: T
//   -> d_h_prev: T
//   -> d_c_bar: T
//   -> d_r_bar_u_bar: T
//   T: float32
inline GRUBlockCellGradOutputs GRUBlockCellGrad(GraphBuilder& b, const Input& x, const Input& h_prev, const Input& w_ru, const Input& w_c, const Input& b_ru, const Input& b_c, const Input& r, const Input& u, const Input& c, const Input& d_h, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("GRUBlockCellGrad", {x, h_prev, w_ru, w_c, b_ru, b_c, r, u, c, d_h}, given, name, at);
  GRUBlockCellGradOutputs result;
  result.operation = op;
  result.d_x = op.output(0);
  result.d_h_prev = op.output(1);
  result.d_c_bar = op.output(2);
  result.d_r_bar_u_bar = op.output(3);
  return result;
}

struct GatherAttrs {
  bool validate_indices = true;
  std::string_view name = "";
};

// rows of params by their index in dimension 0.
//   params: Tparams
//   indices: Tindices
//   -> output: Tparams
//   Tindices: int32, int64
//   attr validate_indices: bool = true
inline Output Gather(GraphBuilder& b, const Input& params, const Input& indices, const GatherAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.validate_indices != bool(true)) given.push_back({"validate_indices", attrs.validate_indices});
  return b.Op("Gather", {params, indices}, given, attrs.name, at).output();
}

struct GatherNdAttrs {
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// slices of params by coordinates in its first dimensions.
//   params: Tparams
//   indices: Tindices
//   -> output: Tparams
//   Tindices: int32, int16, int64
//   attr bad_indices_policy: string = ""
inline Output GatherNd(GraphBuilder& b, const Input& params, const Input& indices, const GatherNdAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("GatherNd", {params, indices}, given, attrs.name, at).output();
}

struct GatherV2Attrs {
  int64_t batch_dims = 0;
  std::string_view name = "";
};

// slices of params by their index along axis, batch by batch.
//   params: Tparams
//   indices: Tindices
//   axis: Taxis
//   -> output: Tparams
//   Tindices: int32, int16, int64
//   Taxis: int32, int64
//   attr batch_dims: int = 0
inline Output GatherV2(GraphBuilder& b, const Input& params, const Input& indices, const Input& axis, const GatherV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.batch_dims != int64_t(0)) given.push_back({"batch_dims", attrs.batch_dims});
  return b.Op("GatherV2", {params, indices, axis}, given, attrs.name, at).output();
}

// Keeps a tensor in the session and gives its name.
//   value: T
//   -> handle: string
inline Output GetSessionHandle(GraphBuilder& b, const Input& value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("GetSessionHandle", {value}, given, name, at).output();
}

// Keeps a tensor in the session and gives a handle of its name.
//   value: T
//   -> handle: resource
inline Output GetSessionHandleV2(GraphBuilder& b, const Input& value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("GetSessionHandleV2", {value}, given, name, at).output();
}

// A tensor that the session keeps.
//   handle: string
//   -> value: dtype
//   attr dtype: type
inline Output GetSessionTensor(GraphBuilder& b, const Input& handle, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("GetSessionTensor", {handle}, given, name, at).output();
}

// x > y.
//   x: T
//   y: T
//   -> z: bool
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Greater(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Greater", {x, y}, given, name, at).output();
}

// x >= y.
//   x: T
//   y: T
//   -> z: bool
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output GreaterEqual(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("GreaterEqual", {x, y}, given, name, at).output();
}

// The input, of which the graph's author promises that it never changes.
//   input: T
//   -> output: T
inline Output GuaranteeConst(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("GuaranteeConst", {input}, given, name, at).output();
}

// Red, green and blue of hue, saturation and value.
//   images: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
inline Output HSVToRGB(GraphBuilder& b, const Input& images, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("HSVToRGB", {images}, given, name, at).output();
}

struct HashTableAttrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  std::string_view name = "";
};

// A table that is filled once.
//   -> table_handle: reference to string
//   attr key_dtype: type
//   attr value_dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr use_node_name_sharing: bool = false
inline Output HashTable(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, const HashTableAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.use_node_name_sharing != bool(false)) given.push_back({"use_node_name_sharing", attrs.use_node_name_sharing});
  return b.Op("HashTable", {}, given, attrs.name, at).output();
}

struct HashTableV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  std::string_view name = "";
};

// A table that is filled once.
//   -> table_handle: resource
//   attr key_dtype: type
//   attr value_dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr use_node_name_sharing: bool = false
inline Output HashTableV2(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, const HashTableV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.use_node_name_sharing != bool(false)) given.push_back({"use_node_name_sharing", attrs.use_node_name_sharing});
  return b.Op("HashTableV2", {}, given, attrs.name, at).output();
}

struct HistogramFixedWidthAttrs {
  DType dtype = DType::kInt32;
  std::string_view name = "";
};

// How many values fall into each of equal ranges.
//   values: T
//   value_range: T
//   nbins: int32
//   -> out: dtype
//   T: float32, float64, int32, int64
//   dtype: int32, int64
//   attr dtype: type = int32
inline Output HistogramFixedWidth(GraphBuilder& b, const Input& values, const Input& value_range, const Input& nbins, const HistogramFixedWidthAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kInt32)) given.push_back({"dtype", attrs.dtype});
  return b.Op("HistogramFixedWidth", {values, value_range, nbins}, given, attrs.name, at).output();
}

// A summary of how values are distributed.
//   tag: string
//   values: T
//   -> summary: string
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output HistogramSummary(GraphBuilder& b, const Input& tag, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("HistogramSummary", {tag, values}, given, name, at).output();
}

// The tensor in attr value, for consumers that read it on the host.
//   -> output: dtype
//   attr value: tensor
//   attr dtype: type
inline Output HostConst(GraphBuilder& b, const ::flowlatch::Tensor& value, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"value", value});
  given.push_back({"dtype", dtype});
  return b.Op("HostConst", {}, given, name, at).output();
}

// The inverse of the Fourier transform.
//   input: Tcomplex
//   -> output: Tcomplex
//   Tcomplex: complex64, complex128
inline Output IFFT(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IFFT", {input}, given, name, at).output();
}

// The inverse of the Fourier transform.
//   input: Tcomplex
//   -> output: Tcomplex
//   Tcomplex: complex64, complex128
inline Output IFFT2D(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IFFT2D", {input}, given, name, at).output();
}

// The inverse of the Fourier transform.
//   input: Tcomplex
//   -> output: Tcomplex
//   Tcomplex: complex64, complex128
inline Output IFFT3D(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IFFT3D", {input}, given, name, at).output();
}

struct IRFFTAttrs {
  DType Treal = DType::kFloat32;
  std::string_view name = "";
};

// Real values from half of their Fourier transform.
//   input: Tcomplex
//   fft_length: int32
//   -> output: Treal
//   Treal: float32, float64
//   Tcomplex: complex64, complex128
//   attr Treal: type = float32
inline Output IRFFT(GraphBuilder& b, const Input& input, const Input& fft_length, const IRFFTAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Treal != DType(DType::kFloat32)) given.push_back({"Treal", attrs.Treal});
  return b.Op("IRFFT", {input, fft_length}, given, attrs.name, at).output();
}

struct IRFFT2DAttrs {
  DType Treal = DType::kFloat32;
  std::string_view name = "";
};

// Real values from half of their Fourier transform.
//   input: Tcomplex
//   fft_length: int32
//   -> output: Treal
//   Treal: float32, float64
//   Tcomplex: complex64, complex128
//   attr Treal: type = float32
inline Output IRFFT2D(GraphBuilder& b, const Input& input, const Input& fft_length, const IRFFT2DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Treal != DType(DType::kFloat32)) given.push_back({"Treal", attrs.Treal});
  return b.Op("IRFFT2D", {input, fft_length}, given, attrs.name, at).output();
}

struct IRFFT3DAttrs {
  DType Treal = DType::kFloat32;
  std::string_view name = "";
};

// Real values from half of their Fourier transform.
//   input: Tcomplex
//   fft_length: int32
//   -> output: Treal
//   Treal: float32, float64
//   Tcomplex: complex64, complex128
//   attr Treal: type = float32
inline Output IRFFT3D(GraphBuilder& b, const Input& input, const Input& fft_length, const IRFFT3DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Treal != DType(DType::kFloat32)) given.push_back({"Treal", attrs.Treal});
  return b.Op("IRFFT3D", {input, fft_length}, given, attrs.name, at).output();
}

// The input.
//   input: T
//   -> output: T
inline Output Identity(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Identity", {input}, given, name, at).output();
}

// The inputs.
//   input: T
//   -> output: T
inline Outputs IdentityN(GraphBuilder& b, InputList input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IdentityN", Inputs({input}), given, name, at).outputs();
}

struct IfAttrs {
  std::vector<PartialShape> output_shapes = {};
  std::string_view name = "";
};

// Calls then_branch if cond is true, else else_branch.
//   cond: Tcond
//   input: Tin
//   -> output: Tout
//   attr Tout: list(type) (at least 0)
//   attr then_branch: func
//   attr else_branch: func
//   attr output_shapes: list(shape) = []
inline Outputs If(GraphBuilder& b, const Input& cond, InputList input, const std::vector<DType>& Tout, const FunctionRef& then_branch, const FunctionRef& else_branch, const IfAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  given.push_back({"then_branch", then_branch});
  given.push_back({"else_branch", else_branch});
  if (attrs.output_shapes != std::vector<PartialShape>{}) given.push_back({"output_shapes", attrs.output_shapes});
  return b.Op("If", Inputs({InputList(&cond, 1), input}), given, attrs.name, at).outputs();
}

// The lower regularised incomplete gamma function.
//   a: T
//   x: T
//   -> z: T
//   T: float32, float64, bfloat16, float16
inline Output Igamma(GraphBuilder& b, const Input& a, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Igamma", {a, x}, given, name, at).output();
}

// The derivative of Igamma(a, x) by a.
//   a: T
//   x: T
//   -> z: T
//   T: float32, float64
inline Output IgammaGradA(GraphBuilder& b, const Input& a, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IgammaGradA", {a, x}, given, name, at).output();
}

// 1 - Igamma(a, x), without rounding to 0 first.
//   a: T
//   x: T
//   -> z: T
//   T: float32, float64, bfloat16, float16
inline Output Igammac(GraphBuilder& b, const Input& a, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Igammac", {a, x}, given, name, at).output();
}

struct ImagAttrs {
  DType Tout = DType::kFloat32;
  std::string_view name = "";
};

// The imaginary part.
//   input: T
//   -> output: Tout
//   T: complex64, complex128
//   Tout: float32, float64
//   attr Tout: type = float32
inline Output Imag(GraphBuilder& b, const Input& input, const ImagAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tout != DType(DType::kFloat32)) given.push_back({"Tout", attrs.Tout});
  return b.Op("Imag", {input}, given, attrs.name, at).output();
}

struct ImageProjectiveTransformV2Attrs {
  std::string fill_mode = "CONSTANT";
  std::string_view name = "";
};

// Images seen through projections.
//   images: dtype
//   transforms: float32
//   output_shape: int32
//   -> transformed_images: dtype
//   dtype: float32, float64, int32, uint8, int64, bfloat16, float16
//   attr interpolation: string
//   attr fill_mode: string = "CONSTANT"
inline Output ImageProjectiveTransformV2(GraphBuilder& b, const Input& images, const Input& transforms, const Input& output_shape, const std::string& interpolation, const ImageProjectiveTransformV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"interpolation", interpolation});
  if (attrs.fill_mode != std::string("CONSTANT")) given.push_back({"fill_mode", attrs.fill_mode});
  return b.Op("ImageProjectiveTransformV2", {images, transforms, output_shape}, given, attrs.name, at).output();
}

struct ImageProjectiveTransformV3Attrs {
  std::string fill_mode = "CONSTANT";
  std::string_view name = "";
};

// Images seen through projections.
//   images: dtype
//   transforms: float32
//   output_shape: int32
//   fill_value: float32
//   -> transformed_images: dtype
//   dtype: float32, float64, int32, uint8, int64, bfloat16, float16
//   attr interpolation: string
//   attr fill_mode: string = "CONSTANT"
inline Output ImageProjectiveTransformV3(GraphBuilder& b, const Input& images, const Input& transforms, const Input& output_shape, const Input& fill_value, const std::string& interpolation, const ImageProjectiveTransformV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"interpolation", interpolation});
  if (attrs.fill_mode != std::string("CONSTANT")) given.push_back({"fill_mode", attrs.fill_mode});
  return b.Op("ImageProjectiveTransformV3", {images, transforms, output_shape, fill_value}, given, attrs.name, at).output();
}

struct ImageSummaryAttrs {
  int64_t max_images = 3;
  ::flowlatch::Tensor bad_color = {};
  std::string_view name = "";
};

// A summary of images.
//   tag: string
//   tensor: T
//   -> summary: string
//   T: float32, float64, uint8, float16
//   attr max_images: int = 3 (at least 1)
//   attr bad_color: tensor = uint8[4] = [255 0 0 255]
inline Output ImageSummary(GraphBuilder& b, const Input& tag, const Input& tensor, const ImageSummaryAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.max_images != int64_t(3)) given.push_back({"max_images", attrs.max_images});
  if (Attr(attrs.bad_color) != Attr(::flowlatch::Tensor{})) given.push_back({"bad_color", attrs.bad_color});
  return b.Op("ImageSummary", {tag, tensor}, given, attrs.name, at).output();
}

// Writes a serialized event.
//   writer: resource
//   event: string
inline Operation ImportEvent(GraphBuilder& b, const Input& writer, const Input& event, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ImportEvent", {writer, event}, given, name, at);
}

// Whether the target is among the k largest predictions.
//   predictions: float32
//   targets: T
//   -> precision: bool
//   T: int32, int64
//   attr k: int
inline Output InTopK(GraphBuilder& b, const Input& predictions, const Input& targets, const int64_t& k, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"k", k});
  return b.Op("InTopK", {predictions, targets}, given, name, at).output();
}

// Whether the target is among the k largest predictions.
//   predictions: float32
//   targets: T
//   k: T
//   -> precision: bool
//   T: int32, int64
inline Output InTopKV2(GraphBuilder& b, const Input& predictions, const Input& targets, const Input& k, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("InTopKV2", {predictions, targets, k}, given, name, at).output();
}

// Fills a table from two vectors.
//   table_handle: reference to string
//   keys: Tkey
//   values: Tval
inline Operation InitializeTable(GraphBuilder& b, const Input& table_handle, const Input& keys, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("InitializeTable", {table_handle, keys, values}, given, name, at);
}

struct InitializeTableFromTextFileAttrs {
  int64_t vocab_size = -1;
  std::string delimiter = "	";
  int64_t offset = 0;
  std::string_view name = "";
};

// Fills a table from the lines of a text file.
//   table_handle: reference to string
//   filename: string
//   attr key_index: int (at least -2)
//   attr value_index: int (at least -2)
//   attr vocab_size: int = -1 (at least -1)
//   attr delimiter: string = "\t"
//   attr offset: int = 0
inline Operation InitializeTableFromTextFile(GraphBuilder& b, const Input& table_handle, const Input& filename, const int64_t& key_index, const int64_t& value_index, const InitializeTableFromTextFileAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_index", key_index});
  given.push_back({"value_index", value_index});
  if (attrs.vocab_size != int64_t(-1)) given.push_back({"vocab_size", attrs.vocab_size});
  if (attrs.delimiter != std::string("	")) given.push_back({"delimiter", attrs.delimiter});
  if (attrs.offset != int64_t(0)) given.push_back({"offset", attrs.offset});
  return b.Op("InitializeTableFromTextFile", {table_handle, filename}, given, attrs.name, at);
}

struct InitializeTableFromTextFileV2Attrs {
  int64_t vocab_size = -1;
  std::string delimiter = "	";
  int64_t offset = 0;
  std::string_view name = "";
};

// Fills a table from the lines of a text file.
//   table_handle: resource
//   filename: string
//   attr key_index: int (at least -2)
//   attr value_index: int (at least -2)
//   attr vocab_size: int = -1 (at least -1)
//   attr delimiter: string = "\t"
//   attr offset: int = 0
inline Operation InitializeTableFromTextFileV2(GraphBuilder& b, const Input& table_handle, const Input& filename, const int64_t& key_index, const int64_t& value_index, const InitializeTableFromTextFileV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_index", key_index});
  given.push_back({"value_index", value_index});
  if (attrs.vocab_size != int64_t(-1)) given.push_back({"vocab_size", attrs.vocab_size});
  if (attrs.delimiter != std::string("	")) given.push_back({"delimiter", attrs.delimiter});
  if (attrs.offset != int64_t(0)) given.push_back({"offset", attrs.offset});
  return b.Op("InitializeTableFromTextFileV2", {table_handle, filename}, given, attrs.name, at);
}

// Fills a table from two vectors.
//   table_handle: resource
//   keys: Tkey
//   values: Tval
inline Operation InitializeTableV2(GraphBuilder& b, const Input& table_handle, const Input& keys, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("InitializeTableV2", {table_handle, keys, values}, given, name, at);
}

// x with v added to rows i.
//   x: T
//   i: int32
//   v: T
//   -> y: T
inline Output InplaceAdd(GraphBuilder& b, const Input& x, const Input& i, const Input& v, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("InplaceAdd", {x, i, v}, given, name, at).output();
}

// x with v subtracted from rows i.
//   x: T
//   i: int32
//   v: T
//   -> y: T
inline Output InplaceSub(GraphBuilder& b, const Input& x, const Input& i, const Input& v, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("InplaceSub", {x, i, v}, given, name, at).output();
}

// x with rows i replaced by v.
//   x: T
//   i: int32
//   v: T
//   -> y: T
inline Output InplaceUpdate(GraphBuilder& b, const Input& x, const Input& i, const Input& v, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("InplaceUpdate", {x, i, v}, given, name, at).output();
}

struct InterleaveDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Elements in turn of several datasets that a function makes of elements.
//   input_dataset: variant
//   other_arguments: Targuments
//   cycle_length: int64
//   block_length: int64
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output InterleaveDataset(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const Input& cycle_length, const Input& block_length, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const InterleaveDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("InterleaveDataset", Inputs({InputList(&input_dataset, 1), other_arguments, InputList(&cycle_length, 1), InputList(&block_length, 1)}), given, attrs.name, at).output();
}

// 1 / x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Inv(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Inv", {x}, given, name, at).output();
}

// -dy y^2, where y = 1 / x.
//   y: T
//   dy: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output InvGrad(GraphBuilder& b, const Input& y, const Input& dy, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("InvGrad", {y, dy}, given, name, at).output();
}

// Each bit of x flipped.
//   x: T
//   -> y: T
//   T: int32, uint8, int16, int8, int64, uint16, uint32, uint64
inline Output Invert(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Invert", {x}, given, name, at).output();
}

// The permutation that undoes x: y[x[i]] = i.
//   x: T
//   -> y: T
//   T: int32, int64
inline Output InvertPermutation(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("InvertPermutation", {x}, given, name, at).output();
}

// Whether x is neither infinite nor NaN.
//   x: T
//   -> y: bool
//   T: float32, float64, bfloat16, float16
inline Output IsFinite(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IsFinite", {x}, given, name, at).output();
}

// Whether x is infinity or -infinity.
//   x: T
//   -> y: bool
//   T: float32, float64, bfloat16, float16
inline Output IsInf(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IsInf", {x}, given, name, at).output();
}

// Whether x is not a number.
//   x: T
//   -> y: bool
//   T: float32, float64, bfloat16, float16
inline Output IsNan(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IsNan", {x}, given, name, at).output();
}

// Whether a variable has a value.
//   ref: reference to dtype
//   -> is_initialized: bool
inline Output IsVariableInitialized(GraphBuilder& b, const Input& ref, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IsVariableInitialized", {ref}, given, name, at).output();
}

struct IsotonicRegressionAttrs {
  DType output_dtype = DType::kFloat32;
  std::string_view name = "";
};

struct IsotonicRegressionOutputs {
  Output output;
  Output segments;
  Operation operation;
};

// The nearest values that never rise, row by row.
//   input: T
//   -> output: output_dtype
//   -> segments: int32
//   T: float32, float64, int32, int16, int8, int64, bfloat16, float16
//   output_dtype: float32, float64, bfloat16, float16
//   attr output_dtype: type = float32
inline IsotonicRegressionOutputs IsotonicRegression(GraphBuilder& b, const Input& input, const IsotonicRegressionAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_dtype != DType(DType::kFloat32)) given.push_back({"output_dtype", attrs.output_dtype});
  const Operation op = b.Op("IsotonicRegression", {input}, given, attrs.name, at);
  IsotonicRegressionOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.segments = op.output(1);
  return result;
}

// The handle of an iterator.
//   -> handle: resource
//   attr shared_name: string
//   attr container: string
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline Output Iterator(GraphBuilder& b, const std::string& shared_name, const std::string& container, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shared_name", shared_name});
  given.push_back({"container", container});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  return b.Op("Iterator", {}, given, name, at).output();
}

struct IteratorFromStringHandleAttrs {
  std::vector<DType> output_types = {};
  std::vector<PartialShape> output_shapes = {};
  std::string_view name = "";
};

// The iterator that a string names.
//   string_handle: string
//   -> resource_handle: resource
//   attr output_types: list(type) = [] (at least 0)
//   attr output_shapes: list(shape) = [] (at least 0)
inline Output IteratorFromStringHandle(GraphBuilder& b, const Input& string_handle, const IteratorFromStringHandleAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_types != std::vector<DType>{}) given.push_back({"output_types", attrs.output_types});
  if (attrs.output_shapes != std::vector<PartialShape>{}) given.push_back({"output_shapes", attrs.output_shapes});
  return b.Op("IteratorFromStringHandle", {string_handle}, given, attrs.name, at).output();
}

struct IteratorFromStringHandleV2Attrs {
  std::vector<DType> output_types = {};
  std::vector<PartialShape> output_shapes = {};
  std::string_view name = "";
};

// The iterator that a string names.
//   string_handle: string
//   -> resource_handle: resource
//   attr output_types: list(type) = [] (at least 0)
//   attr output_shapes: list(shape) = [] (at least 0)
inline Output IteratorFromStringHandleV2(GraphBuilder& b, const Input& string_handle, const IteratorFromStringHandleV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_types != std::vector<DType>{}) given.push_back({"output_types", attrs.output_types});
  if (attrs.output_shapes != std::vector<PartialShape>{}) given.push_back({"output_shapes", attrs.output_shapes});
  return b.Op("IteratorFromStringHandleV2", {string_handle}, given, attrs.name, at).output();
}

// The name of the device that an iterator is on.
//   resource: resource
//   -> device: string
inline Output IteratorGetDevice(GraphBuilder& b, const Input& resource, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IteratorGetDevice", {resource}, given, name, at).output();
}

// The next element.
//   iterator: resource
//   -> components: output_types
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline Outputs IteratorGetNext(GraphBuilder& b, const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  return b.Op("IteratorGetNext", {iterator}, given, name, at).outputs();
}

// The next element, or none at the end.
//   iterator: resource
//   -> optional: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline Output IteratorGetNextAsOptional(GraphBuilder& b, const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  return b.Op("IteratorGetNextAsOptional", {iterator}, given, name, at).output();
}

// The next element.
//   iterator: resource
//   -> components: output_types
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline Outputs IteratorGetNextSync(GraphBuilder& b, const Input& iterator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  return b.Op("IteratorGetNextSync", {iterator}, given, name, at).outputs();
}

// The handle of an iterator as a string.
//   resource_handle: resource
//   -> string_handle: string
inline Output IteratorToStringHandle(GraphBuilder& b, const Input& resource_handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("IteratorToStringHandle", {resource_handle}, given, name, at).output();
}

// The handle of an iterator.
//   -> handle: resource
//   attr shared_name: string
//   attr container: string
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline Output IteratorV2(GraphBuilder& b, const std::string& shared_name, const std::string& container, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shared_name", shared_name});
  given.push_back({"container", container});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  return b.Op("IteratorV2", {}, given, name, at).output();
}

// Which kernel attr _kernel chose.
//   -> result: string
inline Output KernelLabel(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("KernelLabel", {}, given, name, at).output();
}

// Half the sum of the squares of all elements.
//   t: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
inline Output L2Loss(GraphBuilder& b, const Input& t, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("L2Loss", {t}, given, name, at).output();
}

struct LRNAttrs {
  int64_t depth_radius = 5;
  float bias = 1.0f;
  float alpha = 1.0f;
  float beta = 0.5f;
  std::string_view name = "";
};

// The input, divided by a power of the squares around in the last dimension.
//   input: T
//   -> output: T
//   T: float32, bfloat16, float16
//   attr depth_radius: int = 5
//   attr bias: float = 1.0
//   attr alpha: float = 1.0
//   attr beta: float = 0.5
inline Output LRN(GraphBuilder& b, const Input& input, const LRNAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.depth_radius != int64_t(5)) given.push_back({"depth_radius", attrs.depth_radius});
  if (attrs.bias != float(1.0f)) given.push_back({"bias", attrs.bias});
  if (attrs.alpha != float(1.0f)) given.push_back({"alpha", attrs.alpha});
  if (attrs.beta != float(0.5f)) given.push_back({"beta", attrs.beta});
  return b.Op("LRN", {input}, given, attrs.name, at).output();
}

struct LRNGradAttrs {
  int64_t depth_radius = 5;
  float bias = 1.0f;
  float alpha = 1.0f;
  float beta = 0.5f;
  std::string_view name = "";
};

// The gradient of LRN's input.
//   input_grads: T
//   input_image: T
//   output_image: T
//   -> output: T
//   T: float32, bfloat16, float16
//   attr depth_radius: int = 5
//   attr bias: float = 1.0
//   attr alpha: float = 1.0
//   attr beta: float = 0.5
inline Output LRNGrad(GraphBuilder& b, const Input& input_grads, const Input& input_image, const Input& output_image, const LRNGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.depth_radius != int64_t(5)) given.push_back({"depth_radius", attrs.depth_radius});
  if (attrs.bias != float(1.0f)) given.push_back({"bias", attrs.bias});
  if (attrs.alpha != float(1.0f)) given.push_back({"alpha", attrs.alpha});
  if (attrs.beta != float(0.5f)) given.push_back({"beta", attrs.beta});
  return b.Op("LRNGrad", {input_grads, input_image, output_image}, given, attrs.name, at).output();
}

struct LSTMBlockCellAttrs {
  float forget_bias = 1.0f;
  float cell_clip = 3.0f;
  bool use_peephole = false;
  std::string_view name = "";
};

struct LSTMBlockCellOutputs {
  Output i;
  Output cs;
  Output f;
  Output o;
  Output ci;
  Output co;
  Output h;
  Operation operation;
};

// One step of an LSTM.
//   x: T
//   cs_prev: T
//   h_prev: T
//   w: T
//   wci: T
//   wcf: T
//   wco: T
//   b: T
//   -> i: T
//   -> cs: T
//   -> f: T
//   -> o: T
//   -> ci: T
//   -> co: T
//   -> h: T
//   T: float32, float16
//   attr forget_bias: float = 1.0
//   attr cell_clip: float = 3.0
//   attr use_peephole: bool = false
inline LSTMBlockCellOutputs LSTMBlockCell(GraphBuilder& b, const Input& x, const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco, const Input& b_, const LSTMBlockCellAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.forget_bias != float(1.0f)) given.push_back({"forget_bias", attrs.forget_bias});
  if (attrs.cell_clip != float(3.0f)) given.push_back({"cell_clip", attrs.cell_clip});
  if (attrs.use_peephole != bool(false)) given.push_back({"use_peephole", attrs.use_peephole});
  const Operation op = b.Op("LSTMBlockCell", {x, cs_prev, h_prev, w, wci, wcf, wco, b_}, given, attrs.name, at);
  LSTMBlockCellOutputs result;
  result.operation = op;
  result.i = op.output(0);
  result.cs = op.output(1);
  result.f = op.output(2);
  result.o = op.output(3);
  result.ci = op.output(4);
  result.co = op.output(5);
  result.h = op.output(6);
  return result;
}

struct LSTMBlockCellGradOutputs {
  Output cs_prev_grad;
  Output dicfo;
  Output wci_grad;
  Output wcf_grad;
  Output wco_grad;
  Operation operation;
};

// The gradients of LSTMBlockCell, but for those of weights and inputs.
//   x: T
//   cs_prev: T
//   h_prev: T
//   w: T
//   wci: T
//   wcf: T
//   wco: T
//   b: T
//   i: T
//   cs: T
//   f: T
//   o: T
//   ci: T
//   co: T
//   cs_grad: T
//   h_grad: T
//   -> cs_prev_grad: T
//   -> dicfo: T
//   -> wci_grad: T
//   -> wcf_grad: T
//   -> wco_grad: T
//   T: float32, float16
//   attr use_peephole: bool
inline LSTMBlockCellGradOutputs LSTMBlockCellGrad(GraphBuilder& b, const Input& x, const Input& cs_prev, const Input& h_prev, const Input& w, const Input& wci, const Input& wcf, const Input& wco, const Input& b_, const Input& i, const Input& cs, const Input& f, const Input& o, const Input& ci, const Input& co, const Input& cs_grad, const Input& h_grad, const bool& use_peephole, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"use_peephole", use_peephole});
  const Operation op = b.Op("LSTMBlockCellGrad", {x, cs_prev, h_prev, w, wci, wcf, wco, b_, i, cs, f, o, ci, co, cs_grad, h_grad}, given, name, at);
  LSTMBlockCellGradOutputs result;
  result.operation = op;
  result.cs_prev_grad = op.output(0);
  result.dicfo = op.output(1);
  result.wci_grad = op.output(2);
  result.wcf_grad = op.output(3);
  result.wco_grad = op.output(4);
  return result;
}

struct LeakyReluAttrs {
  float alpha = 0.2f;
  std::string_view name = "";
};

// Features above 0, else alpha * features.
//   features: T
//   -> activations: T
//   T: float32, float64, bfloat16, float16
//   attr alpha: float = 0.2
inline Output LeakyRelu(GraphBuilder& b, const Input& features, const LeakyReluAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.alpha != float(0.2f)) given.push_back({"alpha", attrs.alpha});
  return b.Op("LeakyRelu", {features}, given, attrs.name, at).output();
}

struct LeakyReluGradAttrs {
  float alpha = 0.2f;
  std::string_view name = "";
};

// Gradients where features > 0, else alpha * gradients.
//   gradients: T
//   features: T
//   -> backprops: T
//   T: float32, float64, bfloat16, float16
//   attr alpha: float = 0.2
inline Output LeakyReluGrad(GraphBuilder& b, const Input& gradients, const Input& features, const LeakyReluGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.alpha != float(0.2f)) given.push_back({"alpha", attrs.alpha});
  return b.Op("LeakyReluGrad", {gradients, features}, given, attrs.name, at).output();
}

struct LearnedUnigramCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct LearnedUnigramCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation operation;
};

// classes, by how often they have been true.
//   true_classes: int64
//   -> sampled_candidates: int64
//   -> true_expected_count: float32
//   -> sampled_expected_count: float32
//   attr num_true: int (at least 1)
//   attr num_sampled: int (at least 1)
//   attr unique: bool
//   attr range_max: int (at least 1)
//   attr seed: int = 0
//   attr seed2: int = 0
inline LearnedUnigramCandidateSamplerOutputs LearnedUnigramCandidateSampler(GraphBuilder& b, const Input& true_classes, const int64_t& num_true, const int64_t& num_sampled, const bool& unique, const int64_t& range_max, const LearnedUnigramCandidateSamplerAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_true", num_true});
  given.push_back({"num_sampled", num_sampled});
  given.push_back({"unique", unique});
  given.push_back({"range_max", range_max});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("LearnedUnigramCandidateSampler", {true_classes}, given, attrs.name, at);
  LearnedUnigramCandidateSamplerOutputs result;
  result.operation = op;
  result.sampled_candidates = op.output(0);
  result.true_expected_count = op.output(1);
  result.sampled_expected_count = op.output(2);
  return result;
}

// x shifted left by y, from 0 to the width - 1.
//   x: T
//   y: T
//   -> z: T
//   T: int32, uint8, int16, int8, int64, uint16, uint32, uint64
inline Output LeftShift(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LeftShift", {x, y}, given, name, at).output();
}

// x < y.
//   x: T
//   y: T
//   -> z: bool
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Less(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Less", {x, y}, given, name, at).output();
}

// x <= y.
//   x: T
//   y: T
//   -> z: bool
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output LessEqual(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LessEqual", {x, y}, given, name, at).output();
}

// log |gamma(x)|.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Lgamma(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Lgamma", {x}, given, name, at).output();
}

// num evenly spaced numbers from start to stop.
//   start: T
//   stop: T
//   num: Tidx
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
inline Output LinSpace(GraphBuilder& b, const Input& start, const Input& stop, const Input& num, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LinSpace", {start, stop, num}, given, name, at).output();
}

struct ListDiffAttrs {
  DType out_idx = DType::kInt32;
  std::string_view name = "";
};

struct ListDiffOutputs {
  Output out;
  Output idx;
  Operation operation;
};

// The elements of x that y has not, and where they were.
//   x: T
//   y: T
//   -> out: T
//   -> idx: out_idx
//   T: float32, float64, int32, uint8, int16, int8, string, int64, bool, bfloat16, uint16, float16, uint32, uint64
//   out_idx: int32, int64
//   attr out_idx: type = int32
inline ListDiffOutputs ListDiff(GraphBuilder& b, const Input& x, const Input& y, const ListDiffAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_idx != DType(DType::kInt32)) given.push_back({"out_idx", attrs.out_idx});
  const Operation op = b.Op("ListDiff", {x, y}, given, attrs.name, at);
  ListDiffOutputs result;
  result.operation = op;
  result.out = op.output(0);
  result.idx = op.output(1);
  return result;
}

// The natural logarithm of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Log(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Log", {x}, given, name, at).output();
}

// The natural logarithm of 1 + x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Log1p(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Log1p", {x}, given, name, at).output();
}

struct LogMatrixDeterminantOutputs {
  Output sign;
  Output log_abs_determinant;
  Operation operation;
};

// Signs of determinants and logarithms of their absolute values.
//   input: T
//   -> sign: T
//   -> log_abs_determinant: T
//   T: float32, float64, complex64, complex128
inline LogMatrixDeterminantOutputs LogMatrixDeterminant(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("LogMatrixDeterminant", {input}, given, name, at);
  LogMatrixDeterminantOutputs result;
  result.operation = op;
  result.sign = op.output(0);
  result.log_abs_determinant = op.output(1);
  return result;
}

// The logarithm of Softmax, computed without rounding to 0 first.
//   logits: T
//   -> logsoftmax: T
//   T: float32, float64, bfloat16, float16
inline Output LogSoftmax(GraphBuilder& b, const Input& logits, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LogSoftmax", {logits}, given, name, at).output();
}

struct LogUniformCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct LogUniformCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation operation;
};

// classes, the lower the likelier.
//   true_classes: int64
//   -> sampled_candidates: int64
//   -> true_expected_count: float32
//   -> sampled_expected_count: float32
//   attr num_true: int (at least 1)
//   attr num_sampled: int (at least 1)
//   attr unique: bool
//   attr range_max: int (at least 1)
//   attr seed: int = 0
//   attr seed2: int = 0
inline LogUniformCandidateSamplerOutputs LogUniformCandidateSampler(GraphBuilder& b, const Input& true_classes, const int64_t& num_true, const int64_t& num_sampled, const bool& unique, const int64_t& range_max, const LogUniformCandidateSamplerAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_true", num_true});
  given.push_back({"num_sampled", num_sampled});
  given.push_back({"unique", unique});
  given.push_back({"range_max", range_max});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("LogUniformCandidateSampler", {true_classes}, given, attrs.name, at);
  LogUniformCandidateSamplerOutputs result;
  result.operation = op;
  result.sampled_candidates = op.output(0);
  result.true_expected_count = op.output(1);
  result.sampled_expected_count = op.output(2);
  return result;
}

// Whether both are true.
//   x: bool
//   y: bool
//   -> z: bool
inline Output LogicalAnd(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LogicalAnd", {x, y}, given, name, at).output();
}

// Whether x is false.
//   x: bool
//   -> y: bool
inline Output LogicalNot(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LogicalNot", {x}, given, name, at).output();
}

// Whether one is true.
//   x: bool
//   y: bool
//   -> z: bool
inline Output LogicalOr(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LogicalOr", {x, y}, given, name, at).output();
}

struct LookupTableExportOutputs {
  Output keys;
  Output values;
  Operation operation;
};

// All keys and their values.
//   table_handle: reference to string
//   -> keys: Tkeys
//   -> values: Tvalues
//   attr Tkeys: type
//   attr Tvalues: type
inline LookupTableExportOutputs LookupTableExport(GraphBuilder& b, const Input& table_handle, const DType& Tkeys, const DType& Tvalues, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tkeys", Tkeys});
  given.push_back({"Tvalues", Tvalues});
  const Operation op = b.Op("LookupTableExport", {table_handle}, given, name, at);
  LookupTableExportOutputs result;
  result.operation = op;
  result.keys = op.output(0);
  result.values = op.output(1);
  return result;
}

struct LookupTableExportV2Outputs {
  Output keys;
  Output values;
  Operation operation;
};

// All keys and their values.
//   table_handle: resource
//   -> keys: Tkeys
//   -> values: Tvalues
//   attr Tkeys: type
//   attr Tvalues: type
inline LookupTableExportV2Outputs LookupTableExportV2(GraphBuilder& b, const Input& table_handle, const DType& Tkeys, const DType& Tvalues, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tkeys", Tkeys});
  given.push_back({"Tvalues", Tvalues});
  const Operation op = b.Op("LookupTableExportV2", {table_handle}, given, name, at);
  LookupTableExportV2Outputs result;
  result.operation = op;
  result.keys = op.output(0);
  result.values = op.output(1);
  return result;
}

// The values of keys, or default values.
//   table_handle: reference to string
//   keys: Tin
//   default_value: Tout
//   -> values: Tout
inline Output LookupTableFind(GraphBuilder& b, const Input& table_handle, const Input& keys, const Input& default_value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableFind", {table_handle, keys, default_value}, given, name, at).output();
}

// The values of keys, or default values.
//   table_handle: resource
//   keys: Tin
//   default_value: Tout
//   -> values: Tout
inline Output LookupTableFindV2(GraphBuilder& b, const Input& table_handle, const Input& keys, const Input& default_value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableFindV2", {table_handle, keys, default_value}, given, name, at).output();
}

// Replaces all keys and values.
//   table_handle: reference to string
//   keys: Tin
//   values: Tout
inline Operation LookupTableImport(GraphBuilder& b, const Input& table_handle, const Input& keys, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableImport", {table_handle, keys, values}, given, name, at);
}

// Replaces all keys and values.
//   table_handle: resource
//   keys: Tin
//   values: Tout
inline Operation LookupTableImportV2(GraphBuilder& b, const Input& table_handle, const Input& keys, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableImportV2", {table_handle, keys, values}, given, name, at);
}

// Sets the values of keys.
//   table_handle: reference to string
//   keys: Tin
//   values: Tout
inline Operation LookupTableInsert(GraphBuilder& b, const Input& table_handle, const Input& keys, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableInsert", {table_handle, keys, values}, given, name, at);
}

// Sets the values of keys.
//   table_handle: resource
//   keys: Tin
//   values: Tout
inline Operation LookupTableInsertV2(GraphBuilder& b, const Input& table_handle, const Input& keys, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableInsertV2", {table_handle, keys, values}, given, name, at);
}

// Drops keys and their values.
//   table_handle: resource
//   keys: Tin
inline Operation LookupTableRemoveV2(GraphBuilder& b, const Input& table_handle, const Input& keys, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableRemoveV2", {table_handle, keys}, given, name, at);
}

// The number of keys.
//   table_handle: reference to string
//   -> size: int64
inline Output LookupTableSize(GraphBuilder& b, const Input& table_handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableSize", {table_handle}, given, name, at).output();
}

// The number of keys.
//   table_handle: resource
//   -> size: int64
inline Output LookupTableSizeV2(GraphBuilder& b, const Input& table_handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LookupTableSizeV2", {table_handle}, given, name, at).output();
}

// Passes on a loop's condition; the step's cancellation is checked here.
//   input: bool
//   -> output: bool
inline Output LoopCond(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("LoopCond", {input}, given, name, at).output();
}

struct LowerBoundAttrs {
  DType out_type = DType::kInt32;
  std::string_view name = "";
};

// How many sorted inputs are below each value.
//   sorted_inputs: T
//   values: T
//   -> output: out_type
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   out_type: int32, int64
//   attr out_type: type = int32
inline Output LowerBound(GraphBuilder& b, const Input& sorted_inputs, const Input& values, const LowerBoundAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kInt32)) given.push_back({"out_type", attrs.out_type});
  return b.Op("LowerBound", {sorted_inputs, values}, given, attrs.name, at).output();
}

struct LuAttrs {
  DType output_idx_type = DType::kInt32;
  std::string_view name = "";
};

struct LuOutputs {
  Output lu;
  Output p;
  Operation operation;
};

// Triangular factors of square matrices with exchanged rows.
//   input: T
//   -> lu: T
//   -> p: output_idx_type
//   T: float32, float64, complex64, complex128
//   output_idx_type: int32, int64
//   attr output_idx_type: type = int32
inline LuOutputs Lu(GraphBuilder& b, const Input& input, const LuAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_idx_type != DType(DType::kInt32)) given.push_back({"output_idx_type", attrs.output_idx_type});
  const Operation op = b.Op("Lu", {input}, given, attrs.name, at);
  LuOutputs result;
  result.operation = op;
  result.lu = op.output(0);
  result.p = op.output(1);
  return result;
}

// Begins a dataset.
//   dataset: variant
//   iterator: resource
inline Operation MakeIterator(GraphBuilder& b, const Input& dataset, const Input& iterator, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MakeIterator", {dataset, iterator}, given, name, at);
}

struct MapAndBatchDatasetAttrs {
  bool preserve_cardinality = false;
  std::string metadata = "";
  std::string_view name = "";
};

// Batches of what a function makes of elements.
//   input_dataset: variant
//   other_arguments: Targuments
//   batch_size: int64
//   num_parallel_calls: int64
//   drop_remainder: bool
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr preserve_cardinality: bool = false
//   attr metadata: string = ""
inline Output MapAndBatchDataset(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const Input& batch_size, const Input& num_parallel_calls, const Input& drop_remainder, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapAndBatchDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.preserve_cardinality != bool(false)) given.push_back({"preserve_cardinality", attrs.preserve_cardinality});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("MapAndBatchDataset", Inputs({InputList(&input_dataset, 1), other_arguments, InputList(&batch_size, 1), InputList(&num_parallel_calls, 1), InputList(&drop_remainder, 1)}), given, attrs.name, at).output();
}

struct MapClearAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Drops all tuples.
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Operation MapClear(GraphBuilder& b, const std::vector<DType>& dtypes, const MapClearAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("MapClear", {}, given, attrs.name, at);
}

struct MapDatasetAttrs {
  bool use_inter_op_parallelism = true;
  bool preserve_cardinality = false;
  bool force_synchronous = false;
  std::string metadata = "";
  std::string_view name = "";
};

// What a function makes of the elements of a dataset.
//   input_dataset: variant
//   other_arguments: Targuments
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr use_inter_op_parallelism: bool = true
//   attr preserve_cardinality: bool = false
//   attr force_synchronous: bool = false
//   attr metadata: string = ""
inline Output MapDataset(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const MapDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.use_inter_op_parallelism != bool(true)) given.push_back({"use_inter_op_parallelism", attrs.use_inter_op_parallelism});
  if (attrs.preserve_cardinality != bool(false)) given.push_back({"preserve_cardinality", attrs.preserve_cardinality});
  if (attrs.force_synchronous != bool(false)) given.push_back({"force_synchronous", attrs.force_synchronous});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("MapDataset", Inputs({InputList(&input_dataset, 1), other_arguments}), given, attrs.name, at).output();
}

struct MapIncompleteSizeAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// How many tuples miss tensors.
//   -> size: int32
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output MapIncompleteSize(GraphBuilder& b, const std::vector<DType>& dtypes, const MapIncompleteSizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("MapIncompleteSize", {}, given, attrs.name, at).output();
}

struct MapPeekAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Tensors of a key.
//   key: int64
//   indices: int32
//   -> values: dtypes
//   attr dtypes: list(type) (at least 1)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Outputs MapPeek(GraphBuilder& b, const Input& key, const Input& indices, const std::vector<DType>& dtypes, const MapPeekAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("MapPeek", {key, indices}, given, attrs.name, at).outputs();
}

struct MapSizeAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// How many complete tuples there are.
//   -> size: int32
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output MapSize(GraphBuilder& b, const std::vector<DType>& dtypes, const MapSizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("MapSize", {}, given, attrs.name, at).output();
}

struct MapStageAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Puts tensors of a key down.
//   key: int64
//   indices: int32
//   values: fake_dtypes
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Operation MapStage(GraphBuilder& b, const Input& key, const Input& indices, InputList values, const std::vector<DType>& dtypes, const MapStageAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("MapStage", Inputs({InputList(&key, 1), InputList(&indices, 1), values}), given, attrs.name, at);
}

struct MapUnstageAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Takes tensors of a key.
//   key: int64
//   indices: int32
//   -> values: dtypes
//   attr dtypes: list(type) (at least 1)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Outputs MapUnstage(GraphBuilder& b, const Input& key, const Input& indices, const std::vector<DType>& dtypes, const MapUnstageAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("MapUnstage", {key, indices}, given, attrs.name, at).outputs();
}

struct MapUnstageNoKeyAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

struct MapUnstageNoKeyOutputs {
  Output key;
  Outputs values;
  Operation operation;
};

// Takes tensors of the lowest key.
//   indices: int32
//   -> key: int64
//   -> values: dtypes
//   attr dtypes: list(type) (at least 1)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline MapUnstageNoKeyOutputs MapUnstageNoKey(GraphBuilder& b, const Input& indices, const std::vector<DType>& dtypes, const MapUnstageNoKeyAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  const Operation op = b.Op("MapUnstageNoKey", {indices}, given, attrs.name, at);
  MapUnstageNoKeyOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.key = OutputsOf(op, node.schema->OutputRange("key", node.attrs))[0];
  result.values = OutputsOf(op, node.schema->OutputRange("values", node.attrs));
  return result;
}

struct MatMulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
  bool grad_a = false;
  bool grad_b = false;
  std::string_view name = "";
};

// The product of two matrices, each transposed on demand.
//   a: T
//   b: T
//   -> product: T
//   T: float32, float64, int32, uint8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr transpose_a: bool = false
//   attr transpose_b: bool = false
//   attr grad_a: bool = false
//   attr grad_b: bool = false
inline Output MatMul(GraphBuilder& b, const Input& a, const Input& b_, const MatMulAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.transpose_a != bool(false)) given.push_back({"transpose_a", attrs.transpose_a});
  if (attrs.transpose_b != bool(false)) given.push_back({"transpose_b", attrs.transpose_b});
  if (attrs.grad_a != bool(false)) given.push_back({"grad_a", attrs.grad_a});
  if (attrs.grad_b != bool(false)) given.push_back({"grad_b", attrs.grad_b});
  return b.Op("MatMul", {a, b_}, given, attrs.name, at).output();
}

// The paths of the files that a pattern matches.
//   pattern: string
//   -> filenames: string
inline Output MatchingFiles(GraphBuilder& b, const Input& pattern, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatchingFiles", {pattern}, given, name, at).output();
}

// matrices with zeros outside num_lower and num_upper diagonals, negative for all of them.
//   input: T
//   num_lower: Tindex
//   num_upper: Tindex
//   -> band: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bool, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindex: int32, int64
inline Output MatrixBandPart(GraphBuilder& b, const Input& input, const Input& num_lower, const Input& num_upper, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixBandPart", {input, num_lower, num_upper}, given, name, at).output();
}

// Determinants of square matrices.
//   input: T
//   -> output: T
//   T: float32, float64, complex64, complex128
inline Output MatrixDeterminant(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixDeterminant", {input}, given, name, at).output();
}

// Matrices with the given diagonals.
//   diagonal: T
//   -> output: T
inline Output MatrixDiag(GraphBuilder& b, const Input& diagonal, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixDiag", {diagonal}, given, name, at).output();
}

// Diagonals of matrices.
//   input: T
//   -> diagonal: T
inline Output MatrixDiagPart(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixDiagPart", {input}, given, name, at).output();
}

// Diagonals of matrices.
//   input: T
//   k: int32
//   padding_value: T
//   -> diagonal: T
inline Output MatrixDiagPartV2(GraphBuilder& b, const Input& input, const Input& k, const Input& padding_value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixDiagPartV2", {input, k, padding_value}, given, name, at).output();
}

struct MatrixDiagPartV3Attrs {
  std::string align = "RIGHT_LEFT";
  std::string_view name = "";
};

// Diagonals of matrices.
//   input: T
//   k: int32
//   padding_value: T
//   -> diagonal: T
//   attr align: string = "RIGHT_LEFT" (LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT, RIGHT_RIGHT)
inline Output MatrixDiagPartV3(GraphBuilder& b, const Input& input, const Input& k, const Input& padding_value, const MatrixDiagPartV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align != std::string("RIGHT_LEFT")) given.push_back({"align", attrs.align});
  return b.Op("MatrixDiagPartV3", {input, k, padding_value}, given, attrs.name, at).output();
}

// Matrices with the given diagonals.
//   diagonal: T
//   k: int32
//   num_rows: int32
//   num_cols: int32
//   padding_value: T
//   -> output: T
inline Output MatrixDiagV2(GraphBuilder& b, const Input& diagonal, const Input& k, const Input& num_rows, const Input& num_cols, const Input& padding_value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixDiagV2", {diagonal, k, num_rows, num_cols, padding_value}, given, name, at).output();
}

struct MatrixDiagV3Attrs {
  std::string align = "RIGHT_LEFT";
  std::string_view name = "";
};

// Matrices with the given diagonals.
//   diagonal: T
//   k: int32
//   num_rows: int32
//   num_cols: int32
//   padding_value: T
//   -> output: T
//   attr align: string = "RIGHT_LEFT" (LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT, RIGHT_RIGHT)
inline Output MatrixDiagV3(GraphBuilder& b, const Input& diagonal, const Input& k, const Input& num_rows, const Input& num_cols, const Input& padding_value, const MatrixDiagV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align != std::string("RIGHT_LEFT")) given.push_back({"align", attrs.align});
  return b.Op("MatrixDiagV3", {diagonal, k, num_rows, num_cols, padding_value}, given, attrs.name, at).output();
}

// Exponentials of matrices.
//   input: T
//   -> output: T
//   T: float32, float64, complex64, complex128
inline Output MatrixExponential(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixExponential", {input}, given, name, at).output();
}

struct MatrixInverseAttrs {
  bool adjoint = false;
  std::string_view name = "";
};

// Inverses of square matrices or of their adjoints.
//   input: T
//   -> output: T
//   T: float32, float64, complex64, complex128, float16
//   attr adjoint: bool = false
inline Output MatrixInverse(GraphBuilder& b, const Input& input, const MatrixInverseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.adjoint != bool(false)) given.push_back({"adjoint", attrs.adjoint});
  return b.Op("MatrixInverse", {input}, given, attrs.name, at).output();
}

// Principal logarithms of matrices.
//   input: T
//   -> output: T
//   T: complex64, complex128
inline Output MatrixLogarithm(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixLogarithm", {input}, given, name, at).output();
}

// The matrices with other diagonals.
//   input: T
//   diagonal: T
//   -> output: T
inline Output MatrixSetDiag(GraphBuilder& b, const Input& input, const Input& diagonal, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixSetDiag", {input, diagonal}, given, name, at).output();
}

// The matrices with other diagonals.
//   input: T
//   diagonal: T
//   k: int32
//   -> output: T
inline Output MatrixSetDiagV2(GraphBuilder& b, const Input& input, const Input& diagonal, const Input& k, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixSetDiagV2", {input, diagonal, k}, given, name, at).output();
}

struct MatrixSetDiagV3Attrs {
  std::string align = "RIGHT_LEFT";
  std::string_view name = "";
};

// The matrices with other diagonals.
//   input: T
//   diagonal: T
//   k: int32
//   -> output: T
//   attr align: string = "RIGHT_LEFT" (LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT, RIGHT_RIGHT)
inline Output MatrixSetDiagV3(GraphBuilder& b, const Input& input, const Input& diagonal, const Input& k, const MatrixSetDiagV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align != std::string("RIGHT_LEFT")) given.push_back({"align", attrs.align});
  return b.Op("MatrixSetDiagV3", {input, diagonal, k}, given, attrs.name, at).output();
}

struct MatrixSolveAttrs {
  bool adjoint = false;
  std::string_view name = "";
};

// Solutions x of a x = b for square matrices a.
//   matrix: T
//   rhs: T
//   -> output: T
//   T: float32, float64, complex64, complex128
//   attr adjoint: bool = false
inline Output MatrixSolve(GraphBuilder& b, const Input& matrix, const Input& rhs, const MatrixSolveAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.adjoint != bool(false)) given.push_back({"adjoint", attrs.adjoint});
  return b.Op("MatrixSolve", {matrix, rhs}, given, attrs.name, at).output();
}

struct MatrixSolveLsAttrs {
  bool fast = true;
  std::string_view name = "";
};

// Least squares solutions x of a x = b.
//   matrix: T
//   rhs: T
//   l2_regularizer: float64
//   -> output: T
//   T: float32, float64, complex64, complex128
//   attr fast: bool = true
inline Output MatrixSolveLs(GraphBuilder& b, const Input& matrix, const Input& rhs, const Input& l2_regularizer, const MatrixSolveLsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.fast != bool(true)) given.push_back({"fast", attrs.fast});
  return b.Op("MatrixSolveLs", {matrix, rhs, l2_regularizer}, given, attrs.name, at).output();
}

// Principal square roots of matrices.
//   input: T
//   -> output: T
//   T: float32, float64, complex64, complex128
inline Output MatrixSquareRoot(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MatrixSquareRoot", {input}, given, name, at).output();
}

struct MatrixTriangularSolveAttrs {
  bool lower = true;
  bool adjoint = false;
  std::string_view name = "";
};

// Solutions x of a x = b for triangular matrices a.
//   matrix: T
//   rhs: T
//   -> output: T
//   T: float32, float64, complex64, complex128
//   attr lower: bool = true
//   attr adjoint: bool = false
inline Output MatrixTriangularSolve(GraphBuilder& b, const Input& matrix, const Input& rhs, const MatrixTriangularSolveAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.lower != bool(true)) given.push_back({"lower", attrs.lower});
  if (attrs.adjoint != bool(false)) given.push_back({"adjoint", attrs.adjoint});
  return b.Op("MatrixTriangularSolve", {matrix, rhs}, given, attrs.name, at).output();
}

struct MaxAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// largest elements over dimensions.
//   input: T
//   reduction_indices: Tidx
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tidx: int32, int64
//   attr keep_dims: bool = false
inline Output Max(GraphBuilder& b, const Input& input, const Input& reduction_indices, const MaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("Max", {input, reduction_indices}, given, attrs.name, at).output();
}

struct MaxPoolAttrs {
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// The largest element of each window.
//   input: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, qint8, bfloat16, uint16, float16
//   attr ksize: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "NHWC" (NHWC, NCHW, NCHW_VECT_C)
inline Output MaxPool(GraphBuilder& b, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPool", {input}, given, attrs.name, at).output();
}

struct MaxPool3DAttrs {
  std::string data_format = "NDHWC";
  std::string_view name = "";
};

// The largest element of each window.
//   input: T
//   -> output: T
//   T: float32, bfloat16, float16
//   attr ksize: list(int) (at least 5)
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NDHWC" (NDHWC, NCDHW)
inline Output MaxPool3D(GraphBuilder& b, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NDHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPool3D", {input}, given, attrs.name, at).output();
}

struct MaxPool3DGradAttrs {
  std::string data_format = "NDHWC";
  std::string_view name = "";
};

// The gradient of MaxPool3D's input.
//   orig_input: TInput
//   orig_output: TInput
//   grad: T
//   -> output: T
//   T: float32, bfloat16, float16
//   TInput: float32, bfloat16, float16
//   attr ksize: list(int) (at least 5)
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NDHWC" (NDHWC, NCDHW)
inline Output MaxPool3DGrad(GraphBuilder& b, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NDHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPool3DGrad", {orig_input, orig_output, grad}, given, attrs.name, at).output();
}

struct MaxPool3DGradGradAttrs {
  std::string data_format = "NDHWC";
  std::string_view name = "";
};

// The gradient of MaxPool3DGrad's gradients.
//   orig_input: T
//   orig_output: T
//   grad: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr ksize: list(int) (at least 5)
//   attr strides: list(int) (at least 5)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NDHWC" (NDHWC, NCDHW)
inline Output MaxPool3DGradGrad(GraphBuilder& b, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPool3DGradGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NDHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPool3DGradGrad", {orig_input, orig_output, grad}, given, attrs.name, at).output();
}

struct MaxPoolGradAttrs {
  std::vector<int64_t> explicit_paddings = {};
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// The gradient of MaxPool: each goes to the first largest element of its window.
//   orig_input: T
//   orig_output: T
//   grad: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr ksize: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr padding: string (SAME, VALID, EXPLICIT)
//   attr explicit_paddings: list(int) = []
//   attr data_format: string = "NHWC" (NHWC, NCHW)
inline Output MaxPoolGrad(GraphBuilder& b, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.explicit_paddings != std::vector<int64_t>{}) given.push_back({"explicit_paddings", attrs.explicit_paddings});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPoolGrad", {orig_input, orig_output, grad}, given, attrs.name, at).output();
}

struct MaxPoolGradGradAttrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// The gradient of MaxPoolGrad with respect to its gradient.
//   orig_input: T
//   orig_output: T
//   grad: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr ksize: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NHWC" (NHWC, NCHW)
inline Output MaxPoolGradGrad(GraphBuilder& b, const Input& orig_input, const Input& orig_output, const Input& grad, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPoolGradGrad", {orig_input, orig_output, grad}, given, attrs.name, at).output();
}

struct MaxPoolGradGradV2Attrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// The gradient of MaxPoolGradV2 with respect to its gradient.
//   orig_input: T
//   orig_output: T
//   grad: T
//   ksize: int32
//   strides: int32
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NHWC" (NHWC, NCHW)
inline Output MaxPoolGradGradV2(GraphBuilder& b, const Input& orig_input, const Input& orig_output, const Input& grad, const Input& ksize, const Input& strides, const std::string& padding, const MaxPoolGradGradV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPoolGradGradV2", {orig_input, orig_output, grad, ksize, strides}, given, attrs.name, at).output();
}

struct MaxPoolGradGradWithArgmaxAttrs {
  bool include_batch_in_index = false;
  std::string_view name = "";
};

// The gradient of MaxPoolGradWithArgmax with respect to its gradient.
//   input: T
//   grad: T
//   argmax: Targmax
//   -> output: T
//   Targmax: int32, int64
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr ksize: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
//   attr include_batch_in_index: bool = false
inline Output MaxPoolGradGradWithArgmax(GraphBuilder& b, const Input& input, const Input& grad, const Input& argmax, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradGradWithArgmaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.include_batch_in_index != bool(false)) given.push_back({"include_batch_in_index", attrs.include_batch_in_index});
  return b.Op("MaxPoolGradGradWithArgmax", {input, grad, argmax}, given, attrs.name, at).output();
}

struct MaxPoolGradV2Attrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// The gradient of MaxPoolV2.
//   orig_input: T
//   orig_output: T
//   grad: T
//   ksize: int32
//   strides: int32
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NHWC" (NHWC, NCHW)
inline Output MaxPoolGradV2(GraphBuilder& b, const Input& orig_input, const Input& orig_output, const Input& grad, const Input& ksize, const Input& strides, const std::string& padding, const MaxPoolGradV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPoolGradV2", {orig_input, orig_output, grad, ksize, strides}, given, attrs.name, at).output();
}

struct MaxPoolGradWithArgmaxAttrs {
  bool include_batch_in_index = false;
  std::string_view name = "";
};

// The gradient of MaxPoolWithArgmax's input.
//   input: T
//   grad: T
//   argmax: Targmax
//   -> output: T
//   Targmax: int32, int64
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr ksize: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
//   attr include_batch_in_index: bool = false
inline Output MaxPoolGradWithArgmax(GraphBuilder& b, const Input& input, const Input& grad, const Input& argmax, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolGradWithArgmaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.include_batch_in_index != bool(false)) given.push_back({"include_batch_in_index", attrs.include_batch_in_index});
  return b.Op("MaxPoolGradWithArgmax", {input, grad, argmax}, given, attrs.name, at).output();
}

struct MaxPoolV2Attrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// The largest element of each window, whose size is an input.
//   input: T
//   ksize: int32
//   strides: int32
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, qint8, bfloat16, uint16, float16
//   attr padding: string (SAME, VALID)
//   attr data_format: string = "NHWC" (NHWC, NCHW, NCHW_VECT_C)
inline Output MaxPoolV2(GraphBuilder& b, const Input& input, const Input& ksize, const Input& strides, const std::string& padding, const MaxPoolV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"padding", padding});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("MaxPoolV2", {input, ksize, strides}, given, attrs.name, at).output();
}

struct MaxPoolWithArgmaxAttrs {
  DType Targmax = DType::kInt64;
  bool include_batch_in_index = false;
  std::string_view name = "";
};

struct MaxPoolWithArgmaxOutputs {
  Output output;
  Output argmax;
  Operation operation;
};

// The largest element of each window, and where it was.
//   input: T
//   -> output: T
//   -> argmax: Targmax
//   Targmax: int32, int64
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr ksize: list(int) (at least 4)
//   attr strides: list(int) (at least 4)
//   attr padding: string (SAME, VALID)
//   attr Targmax: type = int64
//   attr include_batch_in_index: bool = false
inline MaxPoolWithArgmaxOutputs MaxPoolWithArgmax(GraphBuilder& b, const Input& input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, const MaxPoolWithArgmaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.Targmax != DType(DType::kInt64)) given.push_back({"Targmax", attrs.Targmax});
  if (attrs.include_batch_in_index != bool(false)) given.push_back({"include_batch_in_index", attrs.include_batch_in_index});
  const Operation op = b.Op("MaxPoolWithArgmax", {input}, given, attrs.name, at);
  MaxPoolWithArgmaxOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.argmax = op.output(1);
  return result;
}

// The larger of x and y; NaN if one is.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Maximum(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Maximum", {x, y}, given, name, at).output();
}

struct MeanAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// means over dimensions.
//   input: T
//   reduction_indices: Tidx
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tidx: int32, int64
//   attr keep_dims: bool = false
inline Output Mean(GraphBuilder& b, const Input& input, const Input& reduction_indices, const MeanAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("Mean", {input, reduction_indices}, given, attrs.name, at).output();
}

struct MergeOutputs {
  Output output;
  Output value_index;
  Operation operation;
};

// Passes on the first input that arrives alive, with its index.
//   inputs: list of T
//   -> output: T
//   -> value_index: int32
inline MergeOutputs Merge(GraphBuilder& b, InputList inputs, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("Merge", Inputs({inputs}), given, name, at);
  MergeOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.value_index = op.output(1);
  return result;
}

// One summary of several.
//   inputs: list of string
//   -> summary: string
inline Output MergeSummary(GraphBuilder& b, InputList inputs, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MergeSummary", Inputs({inputs}), given, name, at).output();
}

struct MergeV2CheckpointsAttrs {
  bool delete_old_dirs = true;
  bool allow_missing_files = false;
  std::string_view name = "";
};

// Makes one checkpoint of several.
//   checkpoint_prefixes: string
//   destination_prefix: string
//   attr delete_old_dirs: bool = true
//   attr allow_missing_files: bool = false
inline Operation MergeV2Checkpoints(GraphBuilder& b, const Input& checkpoint_prefixes, const Input& destination_prefix, const MergeV2CheckpointsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.delete_old_dirs != bool(true)) given.push_back({"delete_old_dirs", attrs.delete_old_dirs});
  if (attrs.allow_missing_files != bool(false)) given.push_back({"allow_missing_files", attrs.allow_missing_files});
  return b.Op("MergeV2Checkpoints", {checkpoint_prefixes, destination_prefix}, given, attrs.name, at);
}

struct MfccAttrs {
  float upper_frequency_limit = 4000.0f;
  float lower_frequency_limit = 20.0f;
  int64_t filterbank_channel_count = 40;
  int64_t dct_coefficient_count = 13;
  std::string_view name = "";
};

// Mel-frequency cepstral coefficients of a spectrogram.
//   spectrogram: float32
//   sample_rate: int32
//   -> output: float32
//   attr upper_frequency_limit: float = 4000.0
//   attr lower_frequency_limit: float = 20.0
//   attr filterbank_channel_count: int = 40
//   attr dct_coefficient_count: int = 13
inline Output Mfcc(GraphBuilder& b, const Input& spectrogram, const Input& sample_rate, const MfccAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.upper_frequency_limit != float(4000.0f)) given.push_back({"upper_frequency_limit", attrs.upper_frequency_limit});
  if (attrs.lower_frequency_limit != float(20.0f)) given.push_back({"lower_frequency_limit", attrs.lower_frequency_limit});
  if (attrs.filterbank_channel_count != int64_t(40)) given.push_back({"filterbank_channel_count", attrs.filterbank_channel_count});
  if (attrs.dct_coefficient_count != int64_t(13)) given.push_back({"dct_coefficient_count", attrs.dct_coefficient_count});
  return b.Op("Mfcc", {spectrogram, sample_rate}, given, attrs.name, at).output();
}

struct MinAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// smallest elements over dimensions.
//   input: T
//   reduction_indices: Tidx
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tidx: int32, int64
//   attr keep_dims: bool = false
inline Output Min(GraphBuilder& b, const Input& input, const Input& reduction_indices, const MinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("Min", {input, reduction_indices}, given, attrs.name, at).output();
}

// The smaller of x and y; NaN if one is.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Minimum(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Minimum", {x, y}, given, name, at).output();
}

// The input with a border that mirrors it, without (REFLECT) or with (SYMMETRIC) its edge.
//   input: T
//   paddings: Tpaddings
//   -> output: T
//   Tpaddings: int32, int64
//   attr mode: string (REFLECT, SYMMETRIC)
inline Output MirrorPad(GraphBuilder& b, const Input& input, const Input& paddings, const std::string& mode, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"mode", mode});
  return b.Op("MirrorPad", {input, paddings}, given, name, at).output();
}

// The gradient of MirrorPad: the inside of input plus its border, added where it was mirrored from.
//   input: T
//   paddings: Tpaddings
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tpaddings: int32, int64
//   attr mode: string (REFLECT, SYMMETRIC)
inline Output MirrorPadGrad(GraphBuilder& b, const Input& input, const Input& paddings, const std::string& mode, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"mode", mode});
  return b.Op("MirrorPadGrad", {input, paddings}, given, name, at).output();
}

// The remainder of x / y, with the sign of x.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, int64, bfloat16, float16
inline Output Mod(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Mod", {x, y}, given, name, at).output();
}

struct ModelDatasetAttrs {
  int64_t algorithm = 0;
  int64_t cpu_budget = 0;
  int64_t ram_budget = 0;
  std::string_view name = "";
};

// The dataset as it is; nothing here needs such hints.
//   input_dataset: variant
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr algorithm: int = 0
//   attr cpu_budget: int = 0
//   attr ram_budget: int = 0
inline Output ModelDataset(GraphBuilder& b, const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ModelDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.algorithm != int64_t(0)) given.push_back({"algorithm", attrs.algorithm});
  if (attrs.cpu_budget != int64_t(0)) given.push_back({"cpu_budget", attrs.cpu_budget});
  if (attrs.ram_budget != int64_t(0)) given.push_back({"ram_budget", attrs.ram_budget});
  return b.Op("ModelDataset", {input_dataset}, given, attrs.name, at).output();
}

// x * y.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output Mul(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Mul", {x, y}, given, name, at).output();
}

// x * y, and 0 where y is 0.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output MulNoNan(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MulNoNan", {x, y}, given, name, at).output();
}

struct MultinomialAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  DType output_dtype = DType::kInt64;
  std::string_view name = "";
};

// classes of each row, as likely as exp(logit).
//   logits: T
//   num_samples: int32
//   -> output: output_dtype
//   T: float32, float64, bfloat16, float16
//   output_dtype: int32, int64
//   attr seed: int = 0
//   attr seed2: int = 0
//   attr output_dtype: type = int64
inline Output Multinomial(GraphBuilder& b, const Input& logits, const Input& num_samples, const MultinomialAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  if (attrs.output_dtype != DType(DType::kInt64)) given.push_back({"output_dtype", attrs.output_dtype});
  return b.Op("Multinomial", {logits, num_samples}, given, attrs.name, at).output();
}

struct MutableDenseHashTableAttrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  PartialShape value_shape = PartialShape::Of({});
  int64_t initial_num_buckets = 131072;
  float max_load_factor = 0.8f;
  std::string_view name = "";
};

// A table whose keys and values are elements or vectors.
//   empty_key: key_dtype
//   -> table_handle: reference to string
//   attr value_dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr use_node_name_sharing: bool = false
//   attr value_shape: shape = []
//   attr initial_num_buckets: int = 131072
//   attr max_load_factor: float = 0.8
inline Output MutableDenseHashTable(GraphBuilder& b, const Input& empty_key, const DType& value_dtype, const MutableDenseHashTableAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"value_dtype", value_dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.use_node_name_sharing != bool(false)) given.push_back({"use_node_name_sharing", attrs.use_node_name_sharing});
  if (attrs.value_shape != PartialShape(PartialShape::Of({}))) given.push_back({"value_shape", attrs.value_shape});
  if (attrs.initial_num_buckets != int64_t(131072)) given.push_back({"initial_num_buckets", attrs.initial_num_buckets});
  if (attrs.max_load_factor != float(0.8f)) given.push_back({"max_load_factor", attrs.max_load_factor});
  return b.Op("MutableDenseHashTable", {empty_key}, given, attrs.name, at).output();
}

struct MutableDenseHashTableV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  PartialShape value_shape = PartialShape::Of({});
  int64_t initial_num_buckets = 131072;
  float max_load_factor = 0.8f;
  std::string_view name = "";
};

// A table whose keys and values are elements or vectors.
//   empty_key: key_dtype
//   deleted_key: key_dtype
//   -> table_handle: resource
//   attr value_dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr use_node_name_sharing: bool = false
//   attr value_shape: shape = []
//   attr initial_num_buckets: int = 131072
//   attr max_load_factor: float = 0.8
inline Output MutableDenseHashTableV2(GraphBuilder& b, const Input& empty_key, const Input& deleted_key, const DType& value_dtype, const MutableDenseHashTableV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"value_dtype", value_dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.use_node_name_sharing != bool(false)) given.push_back({"use_node_name_sharing", attrs.use_node_name_sharing});
  if (attrs.value_shape != PartialShape(PartialShape::Of({}))) given.push_back({"value_shape", attrs.value_shape});
  if (attrs.initial_num_buckets != int64_t(131072)) given.push_back({"initial_num_buckets", attrs.initial_num_buckets});
  if (attrs.max_load_factor != float(0.8f)) given.push_back({"max_load_factor", attrs.max_load_factor});
  return b.Op("MutableDenseHashTableV2", {empty_key, deleted_key}, given, attrs.name, at).output();
}

struct MutableHashTableAttrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  std::string_view name = "";
};

// A table whose values are elements.
//   -> table_handle: reference to string
//   attr key_dtype: type
//   attr value_dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr use_node_name_sharing: bool = false
inline Output MutableHashTable(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, const MutableHashTableAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.use_node_name_sharing != bool(false)) given.push_back({"use_node_name_sharing", attrs.use_node_name_sharing});
  return b.Op("MutableHashTable", {}, given, attrs.name, at).output();
}

struct MutableHashTableOfTensorsAttrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  PartialShape value_shape = PartialShape::Of({});
  std::string_view name = "";
};

// A table whose values are vectors.
//   -> table_handle: reference to string
//   attr key_dtype: type
//   attr value_dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr use_node_name_sharing: bool = false
//   attr value_shape: shape = []
inline Output MutableHashTableOfTensors(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, const MutableHashTableOfTensorsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.use_node_name_sharing != bool(false)) given.push_back({"use_node_name_sharing", attrs.use_node_name_sharing});
  if (attrs.value_shape != PartialShape(PartialShape::Of({}))) given.push_back({"value_shape", attrs.value_shape});
  return b.Op("MutableHashTableOfTensors", {}, given, attrs.name, at).output();
}

struct MutableHashTableOfTensorsV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  PartialShape value_shape = PartialShape::Of({});
  std::string_view name = "";
};

// A table whose values are vectors.
//   -> table_handle: resource
//   attr key_dtype: type
//   attr value_dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr use_node_name_sharing: bool = false
//   attr value_shape: shape = []
inline Output MutableHashTableOfTensorsV2(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, const MutableHashTableOfTensorsV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.use_node_name_sharing != bool(false)) given.push_back({"use_node_name_sharing", attrs.use_node_name_sharing});
  if (attrs.value_shape != PartialShape(PartialShape::Of({}))) given.push_back({"value_shape", attrs.value_shape});
  return b.Op("MutableHashTableOfTensorsV2", {}, given, attrs.name, at).output();
}

struct MutableHashTableV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  std::string_view name = "";
};

// A table whose values are elements.
//   -> table_handle: resource
//   attr key_dtype: type
//   attr value_dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr use_node_name_sharing: bool = false
inline Output MutableHashTableV2(GraphBuilder& b, const DType& key_dtype, const DType& value_dtype, const MutableHashTableV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  given.push_back({"value_dtype", value_dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.use_node_name_sharing != bool(false)) given.push_back({"use_node_name_sharing", attrs.use_node_name_sharing});
  return b.Op("MutableHashTableV2", {}, given, attrs.name, at).output();
}

// Waits for a mutex, which is held as long as the output is.
//   mutex: resource
//   -> mutex_lock: variant
inline Output MutexLock(GraphBuilder& b, const Input& mutex, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("MutexLock", {mutex}, given, name, at).output();
}

struct MutexV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// The handle of a mutex.
//   -> resource: resource
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output MutexV2(GraphBuilder& b, const MutexV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("MutexV2", {}, given, attrs.name, at).output();
}

// The quantile of the normal distribution.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Ndtri(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Ndtri", {x}, given, name, at).output();
}

// -x.
//   x: T
//   -> y: T
//   T: float32, float64, int32, int16, int8, complex64, int64, bfloat16, complex128, float16
inline Output Neg(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Neg", {x}, given, name, at).output();
}

// The number next to x1 in the direction of x2.
//   x1: T
//   x2: T
//   -> output: T
//   T: float32, float64
inline Output NextAfter(GraphBuilder& b, const Input& x1, const Input& x2, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("NextAfter", {x1, x2}, given, name, at).output();
}

// Takes data to the next iteration of a loop.
//   data: T
//   -> output: T
inline Output NextIteration(GraphBuilder& b, const Input& data, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("NextIteration", {data}, given, name, at).output();
}

// does nothing.
inline Operation NoOp(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("NoOp", {}, given, name, at);
}

struct NonMaxSuppressionAttrs {
  float iou_threshold = 0.5f;
  std::string_view name = "";
};

// The best boxes, without those that overlap a better one.
//   boxes: float32
//   scores: float32
//   max_output_size: int32
//   -> selected_indices: int32
//   attr iou_threshold: float = 0.5
inline Output NonMaxSuppression(GraphBuilder& b, const Input& boxes, const Input& scores, const Input& max_output_size, const NonMaxSuppressionAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.iou_threshold != float(0.5f)) given.push_back({"iou_threshold", attrs.iou_threshold});
  return b.Op("NonMaxSuppression", {boxes, scores, max_output_size}, given, attrs.name, at).output();
}

// The best boxes, without those that overlap a better one.
//   boxes: T
//   scores: T
//   max_output_size: int32
//   iou_threshold: T_threshold
//   -> selected_indices: int32
//   T: float32, float16
//   T_threshold: float32, float16
inline Output NonMaxSuppressionV2(GraphBuilder& b, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("NonMaxSuppressionV2", {boxes, scores, max_output_size, iou_threshold}, given, name, at).output();
}

// The best boxes, without those that overlap a better one.
//   boxes: T
//   scores: T
//   max_output_size: int32
//   iou_threshold: T_threshold
//   score_threshold: T_threshold
//   -> selected_indices: int32
//   T: float32, float16
//   T_threshold: float32, float16
inline Output NonMaxSuppressionV3(GraphBuilder& b, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("NonMaxSuppressionV3", {boxes, scores, max_output_size, iou_threshold, score_threshold}, given, name, at).output();
}

struct NonMaxSuppressionV4Attrs {
  bool pad_to_max_output_size = false;
  std::string_view name = "";
};

struct NonMaxSuppressionV4Outputs {
  Output selected_indices;
  Output valid_outputs;
  Operation operation;
};

// The best boxes, without those that overlap a better one.
//   boxes: T
//   scores: T
//   max_output_size: int32
//   iou_threshold: T_threshold
//   score_threshold: T_threshold
//   -> selected_indices: int32
//   -> valid_outputs: int32
//   T: float32, float16
//   T_threshold: float32, float16
//   attr pad_to_max_output_size: bool = false
inline NonMaxSuppressionV4Outputs NonMaxSuppressionV4(GraphBuilder& b, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const NonMaxSuppressionV4Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.pad_to_max_output_size != bool(false)) given.push_back({"pad_to_max_output_size", attrs.pad_to_max_output_size});
  const Operation op = b.Op("NonMaxSuppressionV4", {boxes, scores, max_output_size, iou_threshold, score_threshold}, given, attrs.name, at);
  NonMaxSuppressionV4Outputs result;
  result.operation = op;
  result.selected_indices = op.output(0);
  result.valid_outputs = op.output(1);
  return result;
}

struct NonMaxSuppressionV5Attrs {
  bool pad_to_max_output_size = false;
  std::string_view name = "";
};

struct NonMaxSuppressionV5Outputs {
  Output selected_indices;
  Output selected_scores;
  Output valid_outputs;
  Operation operation;
};

// The best boxes, without those that overlap a better one.
//   boxes: T
//   scores: T
//   max_output_size: int32
//   iou_threshold: T
//   score_threshold: T
//   soft_nms_sigma: T
//   -> selected_indices: int32
//   -> selected_scores: T
//   -> valid_outputs: int32
//   T: float32, float16
//   attr pad_to_max_output_size: bool = false
inline NonMaxSuppressionV5Outputs NonMaxSuppressionV5(GraphBuilder& b, const Input& boxes, const Input& scores, const Input& max_output_size, const Input& iou_threshold, const Input& score_threshold, const Input& soft_nms_sigma, const NonMaxSuppressionV5Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.pad_to_max_output_size != bool(false)) given.push_back({"pad_to_max_output_size", attrs.pad_to_max_output_size});
  const Operation op = b.Op("NonMaxSuppressionV5", {boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma}, given, attrs.name, at);
  NonMaxSuppressionV5Outputs result;
  result.operation = op;
  result.selected_indices = op.output(0);
  result.selected_scores = op.output(1);
  result.valid_outputs = op.output(2);
  return result;
}

// The best candidates, without those that overlap a better one.
//   overlaps: float32
//   scores: float32
//   max_output_size: int32
//   overlap_threshold: float32
//   score_threshold: float32
//   -> selected_indices: int32
inline Output NonMaxSuppressionWithOverlaps(GraphBuilder& b, const Input& overlaps, const Input& scores, const Input& max_output_size, const Input& overlap_threshold, const Input& score_threshold, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("NonMaxSuppressionWithOverlaps", {overlaps, scores, max_output_size, overlap_threshold, score_threshold}, given, name, at).output();
}

struct NotEqualAttrs {
  bool incompatible_shape_error = true;
  std::string_view name = "";
};

// x != y.
//   x: T
//   y: T
//   -> z: bool
//   T: float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr incompatible_shape_error: bool = true
inline Output NotEqual(GraphBuilder& b, const Input& x, const Input& y, const NotEqualAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.incompatible_shape_error != bool(true)) given.push_back({"incompatible_shape_error", attrs.incompatible_shape_error});
  return b.Op("NotEqual", {x, y}, given, attrs.name, at).output();
}

struct NthElementAttrs {
  bool reverse = false;
  std::string_view name = "";
};

// the element of each row that sorting would put at place n.
//   input: T
//   n: int32
//   -> values: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr reverse: bool = false
inline Output NthElement(GraphBuilder& b, const Input& input, const Input& n, const NthElementAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.reverse != bool(false)) given.push_back({"reverse", attrs.reverse});
  return b.Op("NthElement", {input, n}, given, attrs.name, at).output();
}

struct OneHotAttrs {
  int64_t axis = -1;
  std::string_view name = "";
};

// on_value at the place that each index names in a new dimension, off_value elsewhere.
//   indices: TI
//   depth: int32
//   on_value: T
//   off_value: T
//   -> output: T
//   TI: int32, uint8, int8, int64
//   attr axis: int = -1
inline Output OneHot(GraphBuilder& b, const Input& indices, const Input& depth, const Input& on_value, const Input& off_value, const OneHotAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.axis != int64_t(-1)) given.push_back({"axis", attrs.axis});
  return b.Op("OneHot", {indices, depth, on_value, off_value}, given, attrs.name, at).output();
}

struct OneShotIteratorAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// An iterator over the dataset that a function makes.
//   -> handle: resource
//   attr dataset_factory: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output OneShotIterator(GraphBuilder& b, const FunctionRef& dataset_factory, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OneShotIteratorAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dataset_factory", dataset_factory});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("OneShotIterator", {}, given, attrs.name, at).output();
}

// Ones (true) in the shape of x.
//   x: T
//   -> y: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bool, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output OnesLike(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("OnesLike", {x}, given, name, at).output();
}

struct OptimizeDatasetAttrs {
  std::vector<std::string> optimization_configs = {};
  std::string_view name = "";
};

// The dataset as it is; nothing here needs such hints.
//   input_dataset: variant
//   optimizations: string
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr optimization_configs: list(string) = []
inline Output OptimizeDataset(GraphBuilder& b, const Input& input_dataset, const Input& optimizations, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OptimizeDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.optimization_configs != std::vector<std::string>{}) given.push_back({"optimization_configs", attrs.optimization_configs});
  return b.Op("OptimizeDataset", {input_dataset, optimizations}, given, attrs.name, at).output();
}

struct OptimizeDatasetV2Attrs {
  std::vector<std::string> optimization_configs = {};
  std::string_view name = "";
};

// The dataset as it is; nothing here needs such hints.
//   input_dataset: variant
//   optimizations_enabled: string
//   optimizations_disabled: string
//   optimizations_default: string
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr optimization_configs: list(string) = []
inline Output OptimizeDatasetV2(GraphBuilder& b, const Input& input_dataset, const Input& optimizations_enabled, const Input& optimizations_disabled, const Input& optimizations_default, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OptimizeDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.optimization_configs != std::vector<std::string>{}) given.push_back({"optimization_configs", attrs.optimization_configs});
  return b.Op("OptimizeDatasetV2", {input_dataset, optimizations_enabled, optimizations_disabled, optimizations_default}, given, attrs.name, at).output();
}

// An optional with these components.
//   components: Toutput_types
//   -> optional: variant
inline Output OptionalFromValue(GraphBuilder& b, InputList components, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("OptionalFromValue", Inputs({components}), given, name, at).output();
}

// The components; there must be a value.
//   optional: variant
//   -> components: output_types
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
inline Outputs OptionalGetValue(GraphBuilder& b, const Input& optional, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  return b.Op("OptionalGetValue", {optional}, given, name, at).outputs();
}

// Whether there is a value.
//   optional: variant
//   -> has_value: bool
inline Output OptionalHasValue(GraphBuilder& b, const Input& optional, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("OptionalHasValue", {optional}, given, name, at).output();
}

// An optional without a value.
//   -> optional: variant
inline Output OptionalNone(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("OptionalNone", {}, given, name, at).output();
}

struct OptionsDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The dataset as it is; nothing here needs such hints.
//   input_dataset: variant
//   -> handle: variant
//   attr serialized_options: string
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output OptionsDataset(GraphBuilder& b, const Input& input_dataset, const std::string& serialized_options, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const OptionsDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"serialized_options", serialized_options});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("OptionsDataset", {input_dataset}, given, attrs.name, at).output();
}

struct OrderedMapClearAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Drops all tuples.
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Operation OrderedMapClear(GraphBuilder& b, const std::vector<DType>& dtypes, const OrderedMapClearAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("OrderedMapClear", {}, given, attrs.name, at);
}

struct OrderedMapIncompleteSizeAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// How many tuples miss tensors.
//   -> size: int32
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output OrderedMapIncompleteSize(GraphBuilder& b, const std::vector<DType>& dtypes, const OrderedMapIncompleteSizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("OrderedMapIncompleteSize", {}, given, attrs.name, at).output();
}

struct OrderedMapPeekAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Tensors of a key.
//   key: int64
//   indices: int32
//   -> values: dtypes
//   attr dtypes: list(type) (at least 1)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Outputs OrderedMapPeek(GraphBuilder& b, const Input& key, const Input& indices, const std::vector<DType>& dtypes, const OrderedMapPeekAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("OrderedMapPeek", {key, indices}, given, attrs.name, at).outputs();
}

struct OrderedMapSizeAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// How many complete tuples there are.
//   -> size: int32
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output OrderedMapSize(GraphBuilder& b, const std::vector<DType>& dtypes, const OrderedMapSizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("OrderedMapSize", {}, given, attrs.name, at).output();
}

struct OrderedMapStageAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Puts tensors of a key down.
//   key: int64
//   indices: int32
//   values: fake_dtypes
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Operation OrderedMapStage(GraphBuilder& b, const Input& key, const Input& indices, InputList values, const std::vector<DType>& dtypes, const OrderedMapStageAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("OrderedMapStage", Inputs({InputList(&key, 1), InputList(&indices, 1), values}), given, attrs.name, at);
}

struct OrderedMapUnstageAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Takes tensors of a key.
//   key: int64
//   indices: int32
//   -> values: dtypes
//   attr dtypes: list(type) (at least 1)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Outputs OrderedMapUnstage(GraphBuilder& b, const Input& key, const Input& indices, const std::vector<DType>& dtypes, const OrderedMapUnstageAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("OrderedMapUnstage", {key, indices}, given, attrs.name, at).outputs();
}

struct OrderedMapUnstageNoKeyAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

struct OrderedMapUnstageNoKeyOutputs {
  Output key;
  Outputs values;
  Operation operation;
};

// Takes tensors of the lowest key.
//   indices: int32
//   -> key: int64
//   -> values: dtypes
//   attr dtypes: list(type) (at least 1)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline OrderedMapUnstageNoKeyOutputs OrderedMapUnstageNoKey(GraphBuilder& b, const Input& indices, const std::vector<DType>& dtypes, const OrderedMapUnstageNoKeyAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  const Operation op = b.Op("OrderedMapUnstageNoKey", {indices}, given, attrs.name, at);
  OrderedMapUnstageNoKeyOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.key = OutputsOf(op, node.schema->OutputRange("key", node.attrs))[0];
  result.values = OutputsOf(op, node.schema->OutputRange("values", node.attrs));
  return result;
}

struct PackAttrs {
  int64_t axis = 0;
  std::string_view name = "";
};

// The values side by side along a new dimension axis.
//   values: list of T
//   -> output: T
//   attr axis: int = 0
inline Output Pack(GraphBuilder& b, InputList values, const PackAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.axis != int64_t(0)) given.push_back({"axis", attrs.axis});
  return b.Op("Pack", Inputs({values}), given, attrs.name, at).output();
}

// The input with a border of zeros, paddings[d] = (before, after) wide.
//   input: T
//   paddings: Tpaddings
//   -> output: T
//   Tpaddings: int32, int64
inline Output Pad(GraphBuilder& b, const Input& input, const Input& paddings, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Pad", {input, paddings}, given, name, at).output();
}

// The input with a border of constant_values, paddings[d] = (before, after) wide.
//   input: T
//   paddings: Tpaddings
//   constant_values: T
//   -> output: T
//   Tpaddings: int32, int64
inline Output PadV2(GraphBuilder& b, const Input& input, const Input& paddings, const Input& constant_values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("PadV2", {input, paddings, constant_values}, given, name, at).output();
}

struct PaddedBatchDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Elements filled up to one shape and stacked in batches.
//   input_dataset: variant
//   batch_size: int64
//   padded_shapes: list of int64
//   padding_values: Toutput_types
//   -> handle: variant
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output PaddedBatchDataset(GraphBuilder& b, const Input& input_dataset, const Input& batch_size, InputList padded_shapes, InputList padding_values, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  given.push_back({"N", static_cast<int64_t>(padded_shapes.size())});
  given.push_back({"Toutput_types", DTypesOf(padding_values)});
  return b.Op("PaddedBatchDataset", Inputs({InputList(&input_dataset, 1), InputList(&batch_size, 1), padded_shapes, padding_values}), given, attrs.name, at).output();
}

struct PaddedBatchDatasetV2Attrs {
  bool parallel_copy = false;
  std::string metadata = "";
  std::string_view name = "";
};

// Elements filled up to one shape and stacked in batches.
//   input_dataset: variant
//   batch_size: int64
//   padded_shapes: list of int64
//   padding_values: Toutput_types
//   drop_remainder: bool
//   -> handle: variant
//   attr output_shapes: list(shape) (at least 1)
//   attr parallel_copy: bool = false
//   attr metadata: string = ""
inline Output PaddedBatchDatasetV2(GraphBuilder& b, const Input& input_dataset, const Input& batch_size, InputList padded_shapes, InputList padding_values, const Input& drop_remainder, const std::vector<PartialShape>& output_shapes, const PaddedBatchDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_shapes", output_shapes});
  if (attrs.parallel_copy != bool(false)) given.push_back({"parallel_copy", attrs.parallel_copy});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  given.push_back({"N", static_cast<int64_t>(padded_shapes.size())});
  given.push_back({"Toutput_types", DTypesOf(padding_values)});
  return b.Op("PaddedBatchDatasetV2", Inputs({InputList(&input_dataset, 1), InputList(&batch_size, 1), padded_shapes, padding_values, InputList(&drop_remainder, 1)}), given, attrs.name, at).output();
}

struct PaddingFIFOQueueAttrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A FIFO queue whose batches are filled up with zeros.
//   -> handle: reference to string
//   attr component_types: list(type) (at least 1)
//   attr shapes: list(shape) = [] (at least 0)
//   attr capacity: int = -1
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output PaddingFIFOQueue(GraphBuilder& b, const std::vector<DType>& component_types, const PaddingFIFOQueueAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.shapes != std::vector<PartialShape>{}) given.push_back({"shapes", attrs.shapes});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("PaddingFIFOQueue", {}, given, attrs.name, at).output();
}

struct PaddingFIFOQueueV2Attrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A FIFO queue whose batches are filled up with zeros.
//   -> handle: resource
//   attr component_types: list(type) (at least 1)
//   attr shapes: list(shape) = [] (at least 0)
//   attr capacity: int = -1
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output PaddingFIFOQueueV2(GraphBuilder& b, const std::vector<DType>& component_types, const PaddingFIFOQueueV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.shapes != std::vector<PartialShape>{}) given.push_back({"shapes", attrs.shapes});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("PaddingFIFOQueueV2", {}, given, attrs.name, at).output();
}

struct ParallelBatchDatasetAttrs {
  bool parallel_copy = false;
  std::string deterministic = "default";
  std::string metadata = "";
  std::string_view name = "";
};

// Elements stacked in batches.
//   input_dataset: variant
//   batch_size: int64
//   num_parallel_calls: int64
//   drop_remainder: bool
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr parallel_copy: bool = false
//   attr deterministic: string = "default"
//   attr metadata: string = ""
inline Output ParallelBatchDataset(GraphBuilder& b, const Input& input_dataset, const Input& batch_size, const Input& num_parallel_calls, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelBatchDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.parallel_copy != bool(false)) given.push_back({"parallel_copy", attrs.parallel_copy});
  if (attrs.deterministic != std::string("default")) given.push_back({"deterministic", attrs.deterministic});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ParallelBatchDataset", {input_dataset, batch_size, num_parallel_calls, drop_remainder}, given, attrs.name, at).output();
}

// The values, each with a first dimension of 1, one after another along it.
//   values: list of T
//   -> output: T
//   attr shape: shape
inline Output ParallelConcat(GraphBuilder& b, InputList values, const PartialShape& shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shape", shape});
  return b.Op("ParallelConcat", Inputs({values}), given, name, at).output();
}

// One tensor of the rows of several, each at its index.
//   indices: list of int32
//   data: list of T
//   -> merged: T
inline Output ParallelDynamicStitch(GraphBuilder& b, InputList indices, InputList data, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ParallelDynamicStitch", Inputs({indices, data}), given, name, at).output();
}

struct ParallelFilterDatasetAttrs {
  std::string deterministic = "default";
  std::string metadata = "";
  std::string_view name = "";
};

// The elements for which a function says true.
//   input_dataset: variant
//   other_arguments: Targuments
//   num_parallel_calls: int64
//   -> handle: variant
//   attr predicate: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr deterministic: string = "default"
//   attr metadata: string = ""
inline Output ParallelFilterDataset(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const Input& num_parallel_calls, const FunctionRef& predicate, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelFilterDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"predicate", predicate});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.deterministic != std::string("default")) given.push_back({"deterministic", attrs.deterministic});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ParallelFilterDataset", Inputs({InputList(&input_dataset, 1), other_arguments, InputList(&num_parallel_calls, 1)}), given, attrs.name, at).output();
}

struct ParallelInterleaveDatasetV2Attrs {
  bool sloppy = false;
  std::string metadata = "";
  std::string_view name = "";
};

// Elements in turn of several datasets that a function makes of elements.
//   input_dataset: variant
//   other_arguments: Targuments
//   cycle_length: int64
//   block_length: int64
//   num_parallel_calls: int64
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr sloppy: bool = false
//   attr metadata: string = ""
inline Output ParallelInterleaveDatasetV2(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const Input& cycle_length, const Input& block_length, const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.sloppy != bool(false)) given.push_back({"sloppy", attrs.sloppy});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ParallelInterleaveDatasetV2", Inputs({InputList(&input_dataset, 1), other_arguments, InputList(&cycle_length, 1), InputList(&block_length, 1), InputList(&num_parallel_calls, 1)}), given, attrs.name, at).output();
}

struct ParallelInterleaveDatasetV3Attrs {
  std::string deterministic = "default";
  std::string metadata = "";
  std::string_view name = "";
};

// Elements in turn of several datasets that a function makes of elements.
//   input_dataset: variant
//   other_arguments: Targuments
//   cycle_length: int64
//   block_length: int64
//   num_parallel_calls: int64
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr deterministic: string = "default"
//   attr metadata: string = ""
inline Output ParallelInterleaveDatasetV3(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const Input& cycle_length, const Input& block_length, const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.deterministic != std::string("default")) given.push_back({"deterministic", attrs.deterministic});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ParallelInterleaveDatasetV3", Inputs({InputList(&input_dataset, 1), other_arguments, InputList(&cycle_length, 1), InputList(&block_length, 1), InputList(&num_parallel_calls, 1)}), given, attrs.name, at).output();
}

struct ParallelInterleaveDatasetV4Attrs {
  std::string deterministic = "default";
  std::string metadata = "";
  std::string_view name = "";
};

// Elements in turn of several datasets that a function makes of elements.
//   input_dataset: variant
//   other_arguments: Targuments
//   cycle_length: int64
//   block_length: int64
//   buffer_output_elements: int64
//   prefetch_input_elements: int64
//   num_parallel_calls: int64
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr deterministic: string = "default"
//   attr metadata: string = ""
inline Output ParallelInterleaveDatasetV4(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const Input& cycle_length, const Input& block_length, const Input& buffer_output_elements, const Input& prefetch_input_elements, const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelInterleaveDatasetV4Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.deterministic != std::string("default")) given.push_back({"deterministic", attrs.deterministic});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ParallelInterleaveDatasetV4", Inputs({InputList(&input_dataset, 1), other_arguments, InputList(&cycle_length, 1), InputList(&block_length, 1), InputList(&buffer_output_elements, 1), InputList(&prefetch_input_elements, 1), InputList(&num_parallel_calls, 1)}), given, attrs.name, at).output();
}

struct ParallelMapDatasetAttrs {
  bool use_inter_op_parallelism = true;
  bool sloppy = false;
  bool preserve_cardinality = false;
  std::string metadata = "";
  std::string_view name = "";
};

// What a function makes of the elements of a dataset.
//   input_dataset: variant
//   other_arguments: Targuments
//   num_parallel_calls: int32
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr use_inter_op_parallelism: bool = true
//   attr sloppy: bool = false
//   attr preserve_cardinality: bool = false
//   attr metadata: string = ""
inline Output ParallelMapDataset(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.use_inter_op_parallelism != bool(true)) given.push_back({"use_inter_op_parallelism", attrs.use_inter_op_parallelism});
  if (attrs.sloppy != bool(false)) given.push_back({"sloppy", attrs.sloppy});
  if (attrs.preserve_cardinality != bool(false)) given.push_back({"preserve_cardinality", attrs.preserve_cardinality});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ParallelMapDataset", Inputs({InputList(&input_dataset, 1), other_arguments, InputList(&num_parallel_calls, 1)}), given, attrs.name, at).output();
}

struct ParallelMapDatasetV2Attrs {
  bool use_inter_op_parallelism = true;
  std::string deterministic = "default";
  bool preserve_cardinality = false;
  bool use_unbounded_threadpool = false;
  std::string metadata = "";
  std::string_view name = "";
};

// What a function makes of the elements of a dataset.
//   input_dataset: variant
//   other_arguments: Targuments
//   num_parallel_calls: int64
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr use_inter_op_parallelism: bool = true
//   attr deterministic: string = "default"
//   attr preserve_cardinality: bool = false
//   attr use_unbounded_threadpool: bool = false
//   attr metadata: string = ""
inline Output ParallelMapDatasetV2(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const Input& num_parallel_calls, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ParallelMapDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.use_inter_op_parallelism != bool(true)) given.push_back({"use_inter_op_parallelism", attrs.use_inter_op_parallelism});
  if (attrs.deterministic != std::string("default")) given.push_back({"deterministic", attrs.deterministic});
  if (attrs.preserve_cardinality != bool(false)) given.push_back({"preserve_cardinality", attrs.preserve_cardinality});
  if (attrs.use_unbounded_threadpool != bool(false)) given.push_back({"use_unbounded_threadpool", attrs.use_unbounded_threadpool});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ParallelMapDatasetV2", Inputs({InputList(&input_dataset, 1), other_arguments, InputList(&num_parallel_calls, 1)}), given, attrs.name, at).output();
}

struct ParameterizedTruncatedNormalAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

// samples of normal distributions between bounds.
//   shape: T
//   means: dtype
//   stdevs: dtype
//   minvals: dtype
//   maxvals: dtype
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   T: int32, int64
//   attr seed: int = 0
//   attr seed2: int = 0
inline Output ParameterizedTruncatedNormal(GraphBuilder& b, const Input& shape, const Input& means, const Input& stdevs, const Input& minvals, const Input& maxvals, const ParameterizedTruncatedNormalAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  return b.Op("ParameterizedTruncatedNormal", {shape, means, stdevs, minvals, maxvals}, given, attrs.name, at).output();
}

struct ParseExampleOutputs {
  Outputs sparse_indices;
  Outputs sparse_values;
  Outputs sparse_shapes;
  Outputs dense_values;
  Operation operation;
};

// The features of serialized Examples as tensors.
//   serialized: string
//   names: string
//   sparse_keys: list of string
//   dense_keys: list of string
//   dense_defaults: Tdense
//   -> sparse_indices: list of int64
//   -> sparse_values: sparse_types
//   -> sparse_shapes: list of int64
//   -> dense_values: Tdense
//   attr sparse_types: list(type) (at least 0)
//   attr dense_shapes: list(shape) (at least 0)
inline ParseExampleOutputs ParseExample(GraphBuilder& b, const Input& serialized, const Input& names, InputList sparse_keys, InputList dense_keys, InputList dense_defaults, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"sparse_types", sparse_types});
  given.push_back({"dense_shapes", dense_shapes});
  given.push_back({"Nsparse", static_cast<int64_t>(sparse_keys.size())});
  given.push_back({"Ndense", static_cast<int64_t>(dense_keys.size())});
  given.push_back({"Tdense", DTypesOf(dense_defaults)});
  const Operation op = b.Op("ParseExample", Inputs({InputList(&serialized, 1), InputList(&names, 1), sparse_keys, dense_keys, dense_defaults}), given, name, at);
  ParseExampleOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.sparse_indices = OutputsOf(op, node.schema->OutputRange("sparse_indices", node.attrs));
  result.sparse_values = OutputsOf(op, node.schema->OutputRange("sparse_values", node.attrs));
  result.sparse_shapes = OutputsOf(op, node.schema->OutputRange("sparse_shapes", node.attrs));
  result.dense_values = OutputsOf(op, node.schema->OutputRange("dense_values", node.attrs));
  return result;
}

struct ParseExampleV2Outputs {
  Outputs sparse_indices;
  Outputs sparse_values;
  Outputs sparse_shapes;
  Outputs dense_values;
  Outputs ragged_values;
  Outputs ragged_row_splits;
  Operation operation;
};

// The features of serialized Examples as tensors.
//   serialized: string
//   names: string
//   sparse_keys: string
//   dense_keys: string
//   ragged_keys: string
//   dense_defaults: Tdense
//   -> sparse_indices: list of int64
//   -> sparse_values: sparse_types
//   -> sparse_shapes: list of int64
//   -> dense_values: Tdense
//   -> ragged_values: ragged_value_types
//   -> ragged_row_splits: ragged_split_types
//   attr num_sparse: int (at least 0)
//   attr sparse_types: list(type) (at least 0)
//   attr ragged_value_types: list(type) (at least 0)
//   attr ragged_split_types: list(type) (at least 0)
//   attr dense_shapes: list(shape) (at least 0)
inline ParseExampleV2Outputs ParseExampleV2(GraphBuilder& b, const Input& serialized, const Input& names, const Input& sparse_keys, const Input& dense_keys, const Input& ragged_keys, InputList dense_defaults, const int64_t& num_sparse, const std::vector<DType>& sparse_types, const std::vector<DType>& ragged_value_types, const std::vector<DType>& ragged_split_types, const std::vector<PartialShape>& dense_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_sparse", num_sparse});
  given.push_back({"sparse_types", sparse_types});
  given.push_back({"ragged_value_types", ragged_value_types});
  given.push_back({"ragged_split_types", ragged_split_types});
  given.push_back({"dense_shapes", dense_shapes});
  const Operation op = b.Op("ParseExampleV2", Inputs({InputList(&serialized, 1), InputList(&names, 1), InputList(&sparse_keys, 1), InputList(&dense_keys, 1), InputList(&ragged_keys, 1), dense_defaults}), given, name, at);
  ParseExampleV2Outputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.sparse_indices = OutputsOf(op, node.schema->OutputRange("sparse_indices", node.attrs));
  result.sparse_values = OutputsOf(op, node.schema->OutputRange("sparse_values", node.attrs));
  result.sparse_shapes = OutputsOf(op, node.schema->OutputRange("sparse_shapes", node.attrs));
  result.dense_values = OutputsOf(op, node.schema->OutputRange("dense_values", node.attrs));
  result.ragged_values = OutputsOf(op, node.schema->OutputRange("ragged_values", node.attrs));
  result.ragged_row_splits = OutputsOf(op, node.schema->OutputRange("ragged_row_splits", node.attrs));
  return result;
}

struct ParseSequenceExampleAttrs {
  int64_t Ncontext_sparse = 0;
  int64_t Ncontext_dense = 0;
  int64_t Nfeature_list_sparse = 0;
  int64_t Nfeature_list_dense = 0;
  std::vector<DType> context_sparse_types = {};
  std::vector<DType> feature_list_dense_types = {};
  std::vector<PartialShape> context_dense_shapes = {};
  std::vector<DType> feature_list_sparse_types = {};
  std::vector<PartialShape> feature_list_dense_shapes = {};
  std::string_view name = "";
};

struct ParseSequenceExampleOutputs {
  Outputs context_sparse_indices;
  Outputs context_sparse_values;
  Outputs context_sparse_shapes;
  Outputs context_dense_values;
  Outputs feature_list_sparse_indices;
  Outputs feature_list_sparse_values;
  Outputs feature_list_sparse_shapes;
  Outputs feature_list_dense_values;
  Outputs feature_list_dense_lengths;
  Operation operation;
};

// The features and feature lists of serialized SequenceExamples as tensors.
//   serialized: string
//   debug_name: string
//   context_dense_defaults: Tcontext_dense
//   -> context_sparse_indices: list of int64
//   -> context_sparse_values: context_sparse_types
//   -> context_sparse_shapes: list of int64
//   -> context_dense_values: Tcontext_dense
//   -> feature_list_sparse_indices: list of int64
//   -> feature_list_sparse_values: feature_list_sparse_types
//   -> feature_list_sparse_shapes: list of int64
//   -> feature_list_dense_values: feature_list_dense_types
//   -> feature_list_dense_lengths: list of int64
//   attr feature_list_dense_missing_assumed_empty: list(string) (at least 0)
//   attr context_sparse_keys: list(string) (at least 0)
//   attr context_dense_keys: list(string) (at least 0)
//   attr feature_list_sparse_keys: list(string) (at least 0)
//   attr feature_list_dense_keys: list(string) (at least 0)
//   attr Ncontext_sparse: int = 0 (at least 0)
//   attr Ncontext_dense: int = 0 (at least 0)
//   attr Nfeature_list_sparse: int = 0 (at least 0)
//   attr Nfeature_list_dense: int = 0 (at least 0)
//   attr context_sparse_types: list(type) = [] (at least 0)
//   attr feature_list_dense_types: list(type) = [] (at least 0)
//   attr context_dense_shapes: list(shape) = [] (at least 0)
//   attr feature_list_sparse_types: list(type) = [] (at least 0)
//   attr feature_list_dense_shapes: list(shape) = [] (at least 0)
inline ParseSequenceExampleOutputs ParseSequenceExample(GraphBuilder& b, const Input& serialized, const Input& debug_name, InputList context_dense_defaults, const std::vector<std::string>& feature_list_dense_missing_assumed_empty, const std::vector<std::string>& context_sparse_keys, const std::vector<std::string>& context_dense_keys, const std::vector<std::string>& feature_list_sparse_keys, const std::vector<std::string>& feature_list_dense_keys, const ParseSequenceExampleAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"feature_list_dense_missing_assumed_empty", feature_list_dense_missing_assumed_empty});
  given.push_back({"context_sparse_keys", context_sparse_keys});
  given.push_back({"context_dense_keys", context_dense_keys});
  given.push_back({"feature_list_sparse_keys", feature_list_sparse_keys});
  given.push_back({"feature_list_dense_keys", feature_list_dense_keys});
  if (attrs.Ncontext_sparse != int64_t(0)) given.push_back({"Ncontext_sparse", attrs.Ncontext_sparse});
  if (attrs.Ncontext_dense != int64_t(0)) given.push_back({"Ncontext_dense", attrs.Ncontext_dense});
  if (attrs.Nfeature_list_sparse != int64_t(0)) given.push_back({"Nfeature_list_sparse", attrs.Nfeature_list_sparse});
  if (attrs.Nfeature_list_dense != int64_t(0)) given.push_back({"Nfeature_list_dense", attrs.Nfeature_list_dense});
  if (attrs.context_sparse_types != std::vector<DType>{}) given.push_back({"context_sparse_types", attrs.context_sparse_types});
  if (attrs.feature_list_dense_types != std::vector<DType>{}) given.push_back({"feature_list_dense_types", attrs.feature_list_dense_types});
  if (attrs.context_dense_shapes != std::vector<PartialShape>{}) given.push_back({"context_dense_shapes", attrs.context_dense_shapes});
  if (attrs.feature_list_sparse_types != std::vector<DType>{}) given.push_back({"feature_list_sparse_types", attrs.feature_list_sparse_types});
  if (attrs.feature_list_dense_shapes != std::vector<PartialShape>{}) given.push_back({"feature_list_dense_shapes", attrs.feature_list_dense_shapes});
  const Operation op = b.Op("ParseSequenceExample", Inputs({InputList(&serialized, 1), InputList(&debug_name, 1), context_dense_defaults}), given, attrs.name, at);
  ParseSequenceExampleOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.context_sparse_indices = OutputsOf(op, node.schema->OutputRange("context_sparse_indices", node.attrs));
  result.context_sparse_values = OutputsOf(op, node.schema->OutputRange("context_sparse_values", node.attrs));
  result.context_sparse_shapes = OutputsOf(op, node.schema->OutputRange("context_sparse_shapes", node.attrs));
  result.context_dense_values = OutputsOf(op, node.schema->OutputRange("context_dense_values", node.attrs));
  result.feature_list_sparse_indices = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_indices", node.attrs));
  result.feature_list_sparse_values = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_values", node.attrs));
  result.feature_list_sparse_shapes = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_shapes", node.attrs));
  result.feature_list_dense_values = OutputsOf(op, node.schema->OutputRange("feature_list_dense_values", node.attrs));
  result.feature_list_dense_lengths = OutputsOf(op, node.schema->OutputRange("feature_list_dense_lengths", node.attrs));
  return result;
}

struct ParseSequenceExampleV2Attrs {
  int64_t Ncontext_sparse = 0;
  std::vector<DType> context_sparse_types = {};
  std::vector<DType> context_ragged_value_types = {};
  std::vector<DType> context_ragged_split_types = {};
  std::vector<PartialShape> context_dense_shapes = {};
  int64_t Nfeature_list_sparse = 0;
  int64_t Nfeature_list_dense = 0;
  std::vector<DType> feature_list_dense_types = {};
  std::vector<DType> feature_list_sparse_types = {};
  std::vector<DType> feature_list_ragged_value_types = {};
  std::vector<DType> feature_list_ragged_split_types = {};
  std::vector<PartialShape> feature_list_dense_shapes = {};
  std::string_view name = "";
};

struct ParseSequenceExampleV2Outputs {
  Outputs context_sparse_indices;
  Outputs context_sparse_values;
  Outputs context_sparse_shapes;
  Outputs context_dense_values;
  Outputs context_ragged_values;
  Outputs context_ragged_row_splits;
  Outputs feature_list_sparse_indices;
  Outputs feature_list_sparse_values;
  Outputs feature_list_sparse_shapes;
  Outputs feature_list_dense_values;
  Outputs feature_list_dense_lengths;
  Outputs feature_list_ragged_values;
  Outputs feature_list_ragged_outer_splits;
  Outputs feature_list_ragged_inner_splits;
  Operation operation;
};

// The features and feature lists of serialized SequenceExamples as tensors.
//   serialized: string
//   debug_name: string
//   context_sparse_keys: string
//   context_dense_keys: string
//   context_ragged_keys: string
//   feature_list_sparse_keys: string
//   feature_list_dense_keys: string
//   feature_list_ragged_keys: string
//   feature_list_dense_missing_assumed_empty: bool
//   context_dense_defaults: Tcontext_dense
//   -> context_sparse_indices: list of int64
//   -> context_sparse_values: context_sparse_types
//   -> context_sparse_shapes: list of int64
//   -> context_dense_values: Tcontext_dense
//   -> context_ragged_values: context_ragged_value_types
//   -> context_ragged_row_splits: context_ragged_split_types
//   -> feature_list_sparse_indices: list of int64
//   -> feature_list_sparse_values: feature_list_sparse_types
//   -> feature_list_sparse_shapes: list of int64
//   -> feature_list_dense_values: feature_list_dense_types
//   -> feature_list_dense_lengths: list of int64
//   -> feature_list_ragged_values: feature_list_ragged_value_types
//   -> feature_list_ragged_outer_splits: feature_list_ragged_split_types
//   -> feature_list_ragged_inner_splits: feature_list_ragged_split_types
//   attr Ncontext_sparse: int = 0 (at least 0)
//   attr context_sparse_types: list(type) = [] (at least 0)
//   attr context_ragged_value_types: list(type) = [] (at least 0)
//   attr context_ragged_split_types: list(type) = [] (at least 0)
//   attr context_dense_shapes: list(shape) = [] (at least 0)
//   attr Nfeature_list_sparse: int = 0 (at least 0)
//   attr Nfeature_list_dense: int = 0 (at least 0)
//   attr feature_list_dense_types: list(type) = [] (at least 0)
//   attr feature_list_sparse_types: list(type) = [] (at least 0)
//   attr feature_list_ragged_value_types: list(type) = [] (at least 0)
//   attr feature_list_ragged_split_types: list(type) = [] (at least 0)
//   attr feature_list_dense_shapes: list(shape) = [] (at least 0)
inline ParseSequenceExampleV2Outputs ParseSequenceExampleV2(GraphBuilder& b, const Input& serialized, const Input& debug_name, const Input& context_sparse_keys, const Input& context_dense_keys, const Input& context_ragged_keys, const Input& feature_list_sparse_keys, const Input& feature_list_dense_keys, const Input& feature_list_ragged_keys, const Input& feature_list_dense_missing_assumed_empty, InputList context_dense_defaults, const ParseSequenceExampleV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Ncontext_sparse != int64_t(0)) given.push_back({"Ncontext_sparse", attrs.Ncontext_sparse});
  if (attrs.context_sparse_types != std::vector<DType>{}) given.push_back({"context_sparse_types", attrs.context_sparse_types});
  if (attrs.context_ragged_value_types != std::vector<DType>{}) given.push_back({"context_ragged_value_types", attrs.context_ragged_value_types});
  if (attrs.context_ragged_split_types != std::vector<DType>{}) given.push_back({"context_ragged_split_types", attrs.context_ragged_split_types});
  if (attrs.context_dense_shapes != std::vector<PartialShape>{}) given.push_back({"context_dense_shapes", attrs.context_dense_shapes});
  if (attrs.Nfeature_list_sparse != int64_t(0)) given.push_back({"Nfeature_list_sparse", attrs.Nfeature_list_sparse});
  if (attrs.Nfeature_list_dense != int64_t(0)) given.push_back({"Nfeature_list_dense", attrs.Nfeature_list_dense});
  if (attrs.feature_list_dense_types != std::vector<DType>{}) given.push_back({"feature_list_dense_types", attrs.feature_list_dense_types});
  if (attrs.feature_list_sparse_types != std::vector<DType>{}) given.push_back({"feature_list_sparse_types", attrs.feature_list_sparse_types});
  if (attrs.feature_list_ragged_value_types != std::vector<DType>{}) given.push_back({"feature_list_ragged_value_types", attrs.feature_list_ragged_value_types});
  if (attrs.feature_list_ragged_split_types != std::vector<DType>{}) given.push_back({"feature_list_ragged_split_types", attrs.feature_list_ragged_split_types});
  if (attrs.feature_list_dense_shapes != std::vector<PartialShape>{}) given.push_back({"feature_list_dense_shapes", attrs.feature_list_dense_shapes});
  const Operation op = b.Op("ParseSequenceExampleV2", Inputs({InputList(&serialized, 1), InputList(&debug_name, 1), InputList(&context_sparse_keys, 1), InputList(&context_dense_keys, 1), InputList(&context_ragged_keys, 1), InputList(&feature_list_sparse_keys, 1), InputList(&feature_list_dense_keys, 1), InputList(&feature_list_ragged_keys, 1), InputList(&feature_list_dense_missing_assumed_empty, 1), context_dense_defaults}), given, attrs.name, at);
  ParseSequenceExampleV2Outputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.context_sparse_indices = OutputsOf(op, node.schema->OutputRange("context_sparse_indices", node.attrs));
  result.context_sparse_values = OutputsOf(op, node.schema->OutputRange("context_sparse_values", node.attrs));
  result.context_sparse_shapes = OutputsOf(op, node.schema->OutputRange("context_sparse_shapes", node.attrs));
  result.context_dense_values = OutputsOf(op, node.schema->OutputRange("context_dense_values", node.attrs));
  result.context_ragged_values = OutputsOf(op, node.schema->OutputRange("context_ragged_values", node.attrs));
  result.context_ragged_row_splits = OutputsOf(op, node.schema->OutputRange("context_ragged_row_splits", node.attrs));
  result.feature_list_sparse_indices = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_indices", node.attrs));
  result.feature_list_sparse_values = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_values", node.attrs));
  result.feature_list_sparse_shapes = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_shapes", node.attrs));
  result.feature_list_dense_values = OutputsOf(op, node.schema->OutputRange("feature_list_dense_values", node.attrs));
  result.feature_list_dense_lengths = OutputsOf(op, node.schema->OutputRange("feature_list_dense_lengths", node.attrs));
  result.feature_list_ragged_values = OutputsOf(op, node.schema->OutputRange("feature_list_ragged_values", node.attrs));
  result.feature_list_ragged_outer_splits = OutputsOf(op, node.schema->OutputRange("feature_list_ragged_outer_splits", node.attrs));
  result.feature_list_ragged_inner_splits = OutputsOf(op, node.schema->OutputRange("feature_list_ragged_inner_splits", node.attrs));
  return result;
}

struct ParseSingleExampleOutputs {
  Outputs sparse_indices;
  Outputs sparse_values;
  Outputs sparse_shapes;
  Outputs dense_values;
  Operation operation;
};

// The features of serialized Examples as tensors.
//   serialized: string
//   dense_defaults: Tdense
//   -> sparse_indices: list of int64
//   -> sparse_values: sparse_types
//   -> sparse_shapes: list of int64
//   -> dense_values: Tdense
//   attr num_sparse: int (at least 0)
//   attr sparse_keys: list(string) (at least 0)
//   attr dense_keys: list(string) (at least 0)
//   attr sparse_types: list(type) (at least 0)
//   attr dense_shapes: list(shape) (at least 0)
inline ParseSingleExampleOutputs ParseSingleExample(GraphBuilder& b, const Input& serialized, InputList dense_defaults, const int64_t& num_sparse, const std::vector<std::string>& sparse_keys, const std::vector<std::string>& dense_keys, const std::vector<DType>& sparse_types, const std::vector<PartialShape>& dense_shapes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_sparse", num_sparse});
  given.push_back({"sparse_keys", sparse_keys});
  given.push_back({"dense_keys", dense_keys});
  given.push_back({"sparse_types", sparse_types});
  given.push_back({"dense_shapes", dense_shapes});
  const Operation op = b.Op("ParseSingleExample", Inputs({InputList(&serialized, 1), dense_defaults}), given, name, at);
  ParseSingleExampleOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.sparse_indices = OutputsOf(op, node.schema->OutputRange("sparse_indices", node.attrs));
  result.sparse_values = OutputsOf(op, node.schema->OutputRange("sparse_values", node.attrs));
  result.sparse_shapes = OutputsOf(op, node.schema->OutputRange("sparse_shapes", node.attrs));
  result.dense_values = OutputsOf(op, node.schema->OutputRange("dense_values", node.attrs));
  return result;
}

struct ParseSingleSequenceExampleAttrs {
  std::vector<DType> context_sparse_types = {};
  std::vector<DType> feature_list_dense_types = {};
  std::vector<PartialShape> context_dense_shapes = {};
  std::vector<DType> feature_list_sparse_types = {};
  std::vector<PartialShape> feature_list_dense_shapes = {};
  std::string_view name = "";
};

struct ParseSingleSequenceExampleOutputs {
  Outputs context_sparse_indices;
  Outputs context_sparse_values;
  Outputs context_sparse_shapes;
  Outputs context_dense_values;
  Outputs feature_list_sparse_indices;
  Outputs feature_list_sparse_values;
  Outputs feature_list_sparse_shapes;
  Outputs feature_list_dense_values;
  Operation operation;
};

// The features and feature lists of serialized SequenceExamples as tensors.
//   serialized: string
//   feature_list_dense_missing_assumed_empty: string
//   context_sparse_keys: list of string
//   context_dense_keys: list of string
//   feature_list_sparse_keys: list of string
//   feature_list_dense_keys: list of string
//   context_dense_defaults: Tcontext_dense
//   debug_name: string
//   -> context_sparse_indices: list of int64
//   -> context_sparse_values: context_sparse_types
//   -> context_sparse_shapes: list of int64
//   -> context_dense_values: Tcontext_dense
//   -> feature_list_sparse_indices: list of int64
//   -> feature_list_sparse_values: feature_list_sparse_types
//   -> feature_list_sparse_shapes: list of int64
//   -> feature_list_dense_values: feature_list_dense_types
//   attr context_sparse_types: list(type) = [] (at least 0)
//   attr feature_list_dense_types: list(type) = [] (at least 0)
//   attr context_dense_shapes: list(shape) = [] (at least 0)
//   attr feature_list_sparse_types: list(type) = [] (at least 0)
//   attr feature_list_dense_shapes: list(shape) = [] (at least 0)
inline ParseSingleSequenceExampleOutputs ParseSingleSequenceExample(GraphBuilder& b, const Input& serialized, const Input& feature_list_dense_missing_assumed_empty, InputList context_sparse_keys, InputList context_dense_keys, InputList feature_list_sparse_keys, InputList feature_list_dense_keys, InputList context_dense_defaults, const Input& debug_name, const ParseSingleSequenceExampleAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.context_sparse_types != std::vector<DType>{}) given.push_back({"context_sparse_types", attrs.context_sparse_types});
  if (attrs.feature_list_dense_types != std::vector<DType>{}) given.push_back({"feature_list_dense_types", attrs.feature_list_dense_types});
  if (attrs.context_dense_shapes != std::vector<PartialShape>{}) given.push_back({"context_dense_shapes", attrs.context_dense_shapes});
  if (attrs.feature_list_sparse_types != std::vector<DType>{}) given.push_back({"feature_list_sparse_types", attrs.feature_list_sparse_types});
  if (attrs.feature_list_dense_shapes != std::vector<PartialShape>{}) given.push_back({"feature_list_dense_shapes", attrs.feature_list_dense_shapes});
  given.push_back({"Ncontext_sparse", static_cast<int64_t>(context_sparse_keys.size())});
  given.push_back({"Ncontext_dense", static_cast<int64_t>(context_dense_keys.size())});
  given.push_back({"Nfeature_list_sparse", static_cast<int64_t>(feature_list_sparse_keys.size())});
  given.push_back({"Nfeature_list_dense", static_cast<int64_t>(feature_list_dense_keys.size())});
  given.push_back({"Tcontext_dense", DTypesOf(context_dense_defaults)});
  const Operation op = b.Op("ParseSingleSequenceExample", Inputs({InputList(&serialized, 1), InputList(&feature_list_dense_missing_assumed_empty, 1), context_sparse_keys, context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys, context_dense_defaults, InputList(&debug_name, 1)}), given, attrs.name, at);
  ParseSingleSequenceExampleOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.context_sparse_indices = OutputsOf(op, node.schema->OutputRange("context_sparse_indices", node.attrs));
  result.context_sparse_values = OutputsOf(op, node.schema->OutputRange("context_sparse_values", node.attrs));
  result.context_sparse_shapes = OutputsOf(op, node.schema->OutputRange("context_sparse_shapes", node.attrs));
  result.context_dense_values = OutputsOf(op, node.schema->OutputRange("context_dense_values", node.attrs));
  result.feature_list_sparse_indices = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_indices", node.attrs));
  result.feature_list_sparse_values = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_values", node.attrs));
  result.feature_list_sparse_shapes = OutputsOf(op, node.schema->OutputRange("feature_list_sparse_shapes", node.attrs));
  result.feature_list_dense_values = OutputsOf(op, node.schema->OutputRange("feature_list_dense_values", node.attrs));
  return result;
}

// A tensor from a string.
//   serialized: string
//   -> output: out_type
//   attr out_type: type
inline Output ParseTensor(GraphBuilder& b, const Input& serialized, const DType& out_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"out_type", out_type});
  return b.Op("ParseTensor", {serialized}, given, name, at).output();
}

struct PartitionedCallAttrs {
  std::string config = "";
  std::string config_proto = "";
  std::string executor_type = "";
  std::string_view name = "";
};

// Calls function f.
//   args: Tin
//   -> output: Tout
//   attr Tout: list(type) (at least 0)
//   attr f: func
//   attr config: string = ""
//   attr config_proto: string = ""
//   attr executor_type: string = ""
inline Outputs PartitionedCall(GraphBuilder& b, InputList args, const std::vector<DType>& Tout, const FunctionRef& f, const PartitionedCallAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  given.push_back({"f", f});
  if (attrs.config != std::string("")) given.push_back({"config", attrs.config});
  if (attrs.config_proto != std::string("")) given.push_back({"config_proto", attrs.config_proto});
  if (attrs.executor_type != std::string("")) given.push_back({"executor_type", attrs.executor_type});
  return b.Op("PartitionedCall", Inputs({args}), given, attrs.name, at).outputs();
}

struct PlaceholderAttrs {
  PartialShape shape = PartialShape();
  std::string_view name = "";
};

// A value that each run feeds.
//   -> output: dtype
//   attr dtype: type
//   attr shape: shape = ?
inline Output Placeholder(GraphBuilder& b, const DType& dtype, const PlaceholderAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.shape != PartialShape(PartialShape())) given.push_back({"shape", attrs.shape});
  return b.Op("Placeholder", {}, given, attrs.name, at).output();
}

// A value that each run feeds.
//   -> output: dtype
//   attr dtype: type
//   attr shape: shape
inline Output PlaceholderV2(GraphBuilder& b, const DType& dtype, const PartialShape& shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  given.push_back({"shape", shape});
  return b.Op("PlaceholderV2", {}, given, name, at).output();
}

// A value that a run may feed; the input if it does not.
//   input: dtype
//   -> output: dtype
//   attr shape: shape
inline Output PlaceholderWithDefault(GraphBuilder& b, const Input& input, const PartialShape& shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shape", shape});
  return b.Op("PlaceholderWithDefault", {input}, given, name, at).output();
}

// Derivative a of Digamma at x.
//   a: T
//   x: T
//   -> z: T
//   T: float32, float64
inline Output Polygamma(GraphBuilder& b, const Input& a, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Polygamma", {a, x}, given, name, at).output();
}

// How many bits of x are set.
//   x: T
//   -> y: uint8
//   T: int32, uint8, int16, int8, int64, uint16, uint32, uint64
inline Output PopulationCount(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("PopulationCount", {x}, given, name, at).output();
}

// x to the power of y.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, int16, int8, complex64, int64, bfloat16, complex128, float16
inline Output Pow(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Pow", {x, y}, given, name, at).output();
}

struct PrefetchDatasetAttrs {
  int64_t slack_period = 0;
  bool legacy_autotune = true;
  int64_t buffer_size_min = 0;
  std::string metadata = "";
  std::string_view name = "";
};

// Gets elements before they are asked for.
//   input_dataset: variant
//   buffer_size: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr slack_period: int = 0
//   attr legacy_autotune: bool = true
//   attr buffer_size_min: int = 0
//   attr metadata: string = ""
inline Output PrefetchDataset(GraphBuilder& b, const Input& input_dataset, const Input& buffer_size, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const PrefetchDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.slack_period != int64_t(0)) given.push_back({"slack_period", attrs.slack_period});
  if (attrs.legacy_autotune != bool(true)) given.push_back({"legacy_autotune", attrs.legacy_autotune});
  if (attrs.buffer_size_min != int64_t(0)) given.push_back({"buffer_size_min", attrs.buffer_size_min});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("PrefetchDataset", {input_dataset, buffer_size}, given, attrs.name, at).output();
}

struct PreventGradientAttrs {
  std::string message = "";
  std::string_view name = "";
};

// The input; to ask for a gradient through it is an error.
//   input: T
//   -> output: T
//   attr message: string = ""
inline Output PreventGradient(GraphBuilder& b, const Input& input, const PreventGradientAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.message != std::string("")) given.push_back({"message", attrs.message});
  return b.Op("PreventGradient", {input}, given, attrs.name, at).output();
}

struct PrintAttrs {
  std::string message = "";
  int64_t first_n = -1;
  int64_t summarize = 3;
  std::string_view name = "";
};

// passes input on and logs a message with data.
//   input: T
//   data: U
//   -> output: T
//   attr message: string = ""
//   attr first_n: int = -1
//   attr summarize: int = 3
inline Output Print(GraphBuilder& b, const Input& input, InputList data, const PrintAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.message != std::string("")) given.push_back({"message", attrs.message});
  if (attrs.first_n != int64_t(-1)) given.push_back({"first_n", attrs.first_n});
  if (attrs.summarize != int64_t(3)) given.push_back({"summarize", attrs.summarize});
  return b.Op("Print", Inputs({InputList(&input, 1), data}), given, attrs.name, at).output();
}

struct PrintV2Attrs {
  std::string output_stream = "stderr";
  std::string end = "\n";
  std::string_view name = "";
};

// writes a string to a stream.
//   input: string
//   attr output_stream: string = "stderr"
//   attr end: string = "\n"
inline Operation PrintV2(GraphBuilder& b, const Input& input, const PrintV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_stream != std::string("stderr")) given.push_back({"output_stream", attrs.output_stream});
  if (attrs.end != std::string("\n")) given.push_back({"end", attrs.end});
  return b.Op("PrintV2", {input}, given, attrs.name, at);
}

struct PriorityQueueAttrs {
  std::vector<DType> component_types = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A queue whose elements leave in the order of their first component.
//   -> handle: reference to string
//   attr shapes: list(shape) (at least 0)
//   attr component_types: list(type) = [] (at least 0)
//   attr capacity: int = -1
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output PriorityQueue(GraphBuilder& b, const std::vector<PartialShape>& shapes, const PriorityQueueAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shapes", shapes});
  if (attrs.component_types != std::vector<DType>{}) given.push_back({"component_types", attrs.component_types});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("PriorityQueue", {}, given, attrs.name, at).output();
}

struct PriorityQueueV2Attrs {
  std::vector<DType> component_types = {};
  int64_t capacity = -1;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A queue whose elements leave in the order of their first component.
//   -> handle: resource
//   attr shapes: list(shape) (at least 0)
//   attr component_types: list(type) = [] (at least 0)
//   attr capacity: int = -1
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output PriorityQueueV2(GraphBuilder& b, const std::vector<PartialShape>& shapes, const PriorityQueueV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shapes", shapes});
  if (attrs.component_types != std::vector<DType>{}) given.push_back({"component_types", attrs.component_types});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("PriorityQueueV2", {}, given, attrs.name, at).output();
}

struct ProdAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// products over dimensions.
//   input: T
//   reduction_indices: Tidx
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tidx: int32, int64
//   attr keep_dims: bool = false
inline Output Prod(GraphBuilder& b, const Input& input, const Input& reduction_indices, const ProdAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("Prod", {input, reduction_indices}, given, attrs.name, at).output();
}

struct QrAttrs {
  bool full_matrices = false;
  std::string_view name = "";
};

struct QrOutputs {
  Output q;
  Output r;
  Operation operation;
};

// Factors q with orthonormal columns and r, upper triangular.
//   input: T
//   -> q: T
//   -> r: T
//   T: float32, float64, complex64, complex128, float16
//   attr full_matrices: bool = false
inline QrOutputs Qr(GraphBuilder& b, const Input& input, const QrAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.full_matrices != bool(false)) given.push_back({"full_matrices", attrs.full_matrices});
  const Operation op = b.Op("Qr", {input}, given, attrs.name, at);
  QrOutputs result;
  result.operation = op;
  result.q = op.output(0);
  result.r = op.output(1);
  return result;
}

struct QuantizeAndDequantizeV2Attrs {
  bool signed_input = true;
  int64_t num_bits = 8;
  bool range_given = false;
  std::string round_mode = "HALF_TO_EVEN";
  bool narrow_range = false;
  int64_t axis = -1;
  std::string_view name = "";
};

// The input, rounded to multiples of a factor that suits its range.
//   input: T
//   input_min: T
//   input_max: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr signed_input: bool = true
//   attr num_bits: int = 8
//   attr range_given: bool = false
//   attr round_mode: string = "HALF_TO_EVEN" (HALF_TO_EVEN, HALF_UP)
//   attr narrow_range: bool = false
//   attr axis: int = -1
inline Output QuantizeAndDequantizeV2(GraphBuilder& b, const Input& input, const Input& input_min, const Input& input_max, const QuantizeAndDequantizeV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.signed_input != bool(true)) given.push_back({"signed_input", attrs.signed_input});
  if (attrs.num_bits != int64_t(8)) given.push_back({"num_bits", attrs.num_bits});
  if (attrs.range_given != bool(false)) given.push_back({"range_given", attrs.range_given});
  if (attrs.round_mode != std::string("HALF_TO_EVEN")) given.push_back({"round_mode", attrs.round_mode});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  if (attrs.axis != int64_t(-1)) given.push_back({"axis", attrs.axis});
  return b.Op("QuantizeAndDequantizeV2", {input, input_min, input_max}, given, attrs.name, at).output();
}

struct QuantizeAndDequantizeV3Attrs {
  bool signed_input = true;
  bool range_given = true;
  bool narrow_range = false;
  int64_t axis = -1;
  std::string_view name = "";
};

// The input, rounded to multiples of a factor that suits its range.
//   input: T
//   input_min: T
//   input_max: T
//   num_bits: int32
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr signed_input: bool = true
//   attr range_given: bool = true
//   attr narrow_range: bool = false
//   attr axis: int = -1
inline Output QuantizeAndDequantizeV3(GraphBuilder& b, const Input& input, const Input& input_min, const Input& input_max, const Input& num_bits, const QuantizeAndDequantizeV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.signed_input != bool(true)) given.push_back({"signed_input", attrs.signed_input});
  if (attrs.range_given != bool(true)) given.push_back({"range_given", attrs.range_given});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  if (attrs.axis != int64_t(-1)) given.push_back({"axis", attrs.axis});
  return b.Op("QuantizeAndDequantizeV3", {input, input_min, input_max, num_bits}, given, attrs.name, at).output();
}

struct QuantizeAndDequantizeV4Attrs {
  bool signed_input = true;
  int64_t num_bits = 8;
  bool range_given = false;
  std::string round_mode = "HALF_TO_EVEN";
  bool narrow_range = false;
  int64_t axis = -1;
  std::string_view name = "";
};

// The input, rounded to multiples of a factor that suits its range.
//   input: T
//   input_min: T
//   input_max: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr signed_input: bool = true
//   attr num_bits: int = 8
//   attr range_given: bool = false
//   attr round_mode: string = "HALF_TO_EVEN" (HALF_TO_EVEN, HALF_UP)
//   attr narrow_range: bool = false
//   attr axis: int = -1
inline Output QuantizeAndDequantizeV4(GraphBuilder& b, const Input& input, const Input& input_min, const Input& input_max, const QuantizeAndDequantizeV4Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.signed_input != bool(true)) given.push_back({"signed_input", attrs.signed_input});
  if (attrs.num_bits != int64_t(8)) given.push_back({"num_bits", attrs.num_bits});
  if (attrs.range_given != bool(false)) given.push_back({"range_given", attrs.range_given});
  if (attrs.round_mode != std::string("HALF_TO_EVEN")) given.push_back({"round_mode", attrs.round_mode});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  if (attrs.axis != int64_t(-1)) given.push_back({"axis", attrs.axis});
  return b.Op("QuantizeAndDequantizeV4", {input, input_min, input_max}, given, attrs.name, at).output();
}

struct QuantizeAndDequantizeV4GradAttrs {
  int64_t axis = -1;
  std::string_view name = "";
};

struct QuantizeAndDequantizeV4GradOutputs {
  Output input_backprop;
  Output input_min_backprop;
  Output input_max_backprop;
  Operation operation;
};

// The gradients of QuantizeAndDequantizeV4.
//   gradients: T
//   input: T
//   input_min: T
//   input_max: T
//   -> input_backprop: T
//   -> input_min_backprop: T
//   -> input_max_backprop: T
//   T: float32, float64, bfloat16, float16
//   attr axis: int = -1
inline QuantizeAndDequantizeV4GradOutputs QuantizeAndDequantizeV4Grad(GraphBuilder& b, const Input& gradients, const Input& input, const Input& input_min, const Input& input_max, const QuantizeAndDequantizeV4GradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.axis != int64_t(-1)) given.push_back({"axis", attrs.axis});
  const Operation op = b.Op("QuantizeAndDequantizeV4Grad", {gradients, input, input_min, input_max}, given, attrs.name, at);
  QuantizeAndDequantizeV4GradOutputs result;
  result.operation = op;
  result.input_backprop = op.output(0);
  result.input_min_backprop = op.output(1);
  result.input_max_backprop = op.output(2);
  return result;
}

struct QuantizeDownAndShrinkRangeOutputs {
  Output output;
  Output output_min;
  Output output_max;
  Operation operation;
};

// qint32 as quint8, in the range that its values fill.
//   input: Tinput
//   input_min: float32
//   input_max: float32
//   -> output: out_type
//   -> output_min: float32
//   -> output_max: float32
//   Tinput: qint8, quint8, qint32, qint16, quint16
//   out_type: qint8, quint8, qint32, qint16, quint16
//   attr out_type: type
inline QuantizeDownAndShrinkRangeOutputs QuantizeDownAndShrinkRange(GraphBuilder& b, const Input& input, const Input& input_min, const Input& input_max, const DType& out_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"out_type", out_type});
  const Operation op = b.Op("QuantizeDownAndShrinkRange", {input, input_min, input_max}, given, name, at);
  QuantizeDownAndShrinkRangeOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.output_min = op.output(1);
  result.output_max = op.output(2);
  return result;
}

struct QuantizeV2Attrs {
  std::string mode = "MIN_COMBINED";
  std::string round_mode = "HALF_AWAY_FROM_ZERO";
  bool narrow_range = false;
  int64_t axis = -1;
  float ensure_minimum_range = 0.01f;
  std::string_view name = "";
};

struct QuantizeV2Outputs {
  Output output;
  Output output_min;
  Output output_max;
  Operation operation;
};

// Integers that stand for values in a range, and the range that they really stand for.
//   input: float32
//   min_range: float32
//   max_range: float32
//   -> output: T
//   -> output_min: float32
//   -> output_max: float32
//   T: qint8, quint8, qint32, qint16, quint16
//   attr T: type
//   attr mode: string = "MIN_COMBINED" (MIN_COMBINED, MIN_FIRST, SCALED)
//   attr round_mode: string = "HALF_AWAY_FROM_ZERO" (HALF_AWAY_FROM_ZERO, HALF_TO_EVEN)
//   attr narrow_range: bool = false
//   attr axis: int = -1
//   attr ensure_minimum_range: float = 0.01
inline QuantizeV2Outputs QuantizeV2(GraphBuilder& b, const Input& input, const Input& min_range, const Input& max_range, const DType& T, const QuantizeV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"T", T});
  if (attrs.mode != std::string("MIN_COMBINED")) given.push_back({"mode", attrs.mode});
  if (attrs.round_mode != std::string("HALF_AWAY_FROM_ZERO")) given.push_back({"round_mode", attrs.round_mode});
  if (attrs.narrow_range != bool(false)) given.push_back({"narrow_range", attrs.narrow_range});
  if (attrs.axis != int64_t(-1)) given.push_back({"axis", attrs.axis});
  if (attrs.ensure_minimum_range != float(0.01f)) given.push_back({"ensure_minimum_range", attrs.ensure_minimum_range});
  const Operation op = b.Op("QuantizeV2", {input, min_range, max_range}, given, attrs.name, at);
  QuantizeV2Outputs result;
  result.operation = op;
  result.output = op.output(0);
  result.output_min = op.output(1);
  result.output_max = op.output(2);
  return result;
}

struct QuantizedAddAttrs {
  DType Toutput = DType::kQInt32;
  std::string_view name = "";
};

struct QuantizedAddOutputs {
  Output z;
  Output min_z;
  Output max_z;
  Operation operation;
};

// x + y of integers that stand for ranges.
//   x: T1
//   y: T2
//   min_x: float32
//   max_x: float32
//   min_y: float32
//   max_y: float32
//   -> z: Toutput
//   -> min_z: float32
//   -> max_z: float32
//   T1: qint8, quint8, qint32, qint16, quint16
//   T2: qint8, quint8, qint32, qint16, quint16
//   Toutput: qint8, quint8, qint32, qint16, quint16
//   attr Toutput: type = qint32
inline QuantizedAddOutputs QuantizedAdd(GraphBuilder& b, const Input& x, const Input& y, const Input& min_x, const Input& max_x, const Input& min_y, const Input& max_y, const QuantizedAddAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Toutput != DType(DType::kQInt32)) given.push_back({"Toutput", attrs.Toutput});
  const Operation op = b.Op("QuantizedAdd", {x, y, min_x, max_x, min_y, max_y}, given, attrs.name, at);
  QuantizedAddOutputs result;
  result.operation = op;
  result.z = op.output(0);
  result.min_z = op.output(1);
  result.max_z = op.output(2);
  return result;
}

struct QuantizedAvgPoolOutputs {
  Output output;
  Output min_output;
  Output max_output;
  Operation operation;
};

// The mean integer of each window of images.
//   input: T
//   min_input: float32
//   max_input: float32
//   -> output: T
//   -> min_output: float32
//   -> max_output: float32
//   T: qint8, quint8, qint32, qint16, quint16
//   attr ksize: list(int)
//   attr strides: list(int)
//   attr padding: string (SAME, VALID)
inline QuantizedAvgPoolOutputs QuantizedAvgPool(GraphBuilder& b, const Input& input, const Input& min_input, const Input& max_input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  const Operation op = b.Op("QuantizedAvgPool", {input, min_input, max_input}, given, name, at);
  QuantizedAvgPoolOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.min_output = op.output(1);
  result.max_output = op.output(2);
  return result;
}

struct QuantizedBatchNormWithGlobalNormalizationOutputs {
  Output result;
  Output result_min;
  Output result_max;
  Operation operation;
};

// Batch normalisation of integers that stand for a range.
//   t: Tinput
//   t_min: float32
//   t_max: float32
//   m: Tinput
//   m_min: float32
//   m_max: float32
//   v: Tinput
//   v_min: float32
//   v_max: float32
//   beta: Tinput
//   beta_min: float32
//   beta_max: float32
//   gamma: Tinput
//   gamma_min: float32
//   gamma_max: float32
//   -> result: out_type
//   -> result_min: float32
//   -> result_max: float32
//   Tinput: qint8, quint8, qint32, qint16, quint16
//   out_type: qint8, quint8, qint32, qint16, quint16
//   attr out_type: type
//   attr variance_epsilon: float
//   attr scale_after_normalization: bool
inline QuantizedBatchNormWithGlobalNormalizationOutputs QuantizedBatchNormWithGlobalNormalization(GraphBuilder& b, const Input& t, const Input& t_min, const Input& t_max, const Input& m, const Input& m_min, const Input& m_max, const Input& v, const Input& v_min, const Input& v_max, const Input& beta, const Input& beta_min, const Input& beta_max, const Input& gamma, const Input& gamma_min, const Input& gamma_max, const DType& out_type, const float& variance_epsilon, const bool& scale_after_normalization, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"out_type", out_type});
  given.push_back({"variance_epsilon", variance_epsilon});
  given.push_back({"scale_after_normalization", scale_after_normalization});
  const Operation op = b.Op("QuantizedBatchNormWithGlobalNormalization", {t, t_min, t_max, m, m_min, m_max, v, v_min, v_max, beta, beta_min, beta_max, gamma, gamma_min, gamma_max}, given, name, at);
  QuantizedBatchNormWithGlobalNormalizationOutputs result;
  result.operation = op;
  result.result = op.output(0);
  result.result_min = op.output(1);
  result.result_max = op.output(2);
  return result;
}

struct QuantizedBiasAddOutputs {
  Output output;
  Output min_out;
  Output max_out;
  Operation operation;
};

// A vector added to every row, both of integers that stand for ranges.
//   input: T1
//   bias: T2
//   min_input: float32
//   max_input: float32
//   min_bias: float32
//   max_bias: float32
//   -> output: out_type
//   -> min_out: float32
//   -> max_out: float32
//   T1: qint8, quint8, qint32, qint16, quint16
//   T2: qint8, quint8, qint32, qint16, quint16
//   out_type: qint8, quint8, qint32, qint16, quint16
//   attr out_type: type
inline QuantizedBiasAddOutputs QuantizedBiasAdd(GraphBuilder& b, const Input& input, const Input& bias, const Input& min_input, const Input& max_input, const Input& min_bias, const Input& max_bias, const DType& out_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"out_type", out_type});
  const Operation op = b.Op("QuantizedBiasAdd", {input, bias, min_input, max_input, min_bias, max_bias}, given, name, at);
  QuantizedBiasAddOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.min_out = op.output(1);
  result.max_out = op.output(2);
  return result;
}

struct QuantizedConcatOutputs {
  Output output;
  Output output_min;
  Output output_max;
  Operation operation;
};

// Joins integers that stand for different ranges, along an axis.
//   concat_dim: int32
//   values: list of T
//   input_mins: list of float32
//   input_maxes: list of float32
//   -> output: T
//   -> output_min: float32
//   -> output_max: float32
inline QuantizedConcatOutputs QuantizedConcat(GraphBuilder& b, const Input& concat_dim, InputList values, InputList input_mins, InputList input_maxes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("QuantizedConcat", Inputs({InputList(&concat_dim, 1), values, input_mins, input_maxes}), given, name, at);
  QuantizedConcatOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.output_min = op.output(1);
  result.output_max = op.output(2);
  return result;
}

struct QuantizedConcatV2Outputs {
  Output output;
  Output output_min;
  Output output_max;
  Operation operation;
};

// Joins integers that stand for different ranges, along an axis.
//   values: list of T
//   axis: Tidx
//   input_mins: list of float32
//   input_maxes: list of float32
//   -> output: T
//   -> output_min: float32
//   -> output_max: float32
//   Tidx: int32, int64
inline QuantizedConcatV2Outputs QuantizedConcatV2(GraphBuilder& b, InputList values, const Input& axis, InputList input_mins, InputList input_maxes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("QuantizedConcatV2", Inputs({values, InputList(&axis, 1), input_mins, input_maxes}), given, name, at);
  QuantizedConcatV2Outputs result;
  result.operation = op;
  result.output = op.output(0);
  result.output_min = op.output(1);
  result.output_max = op.output(2);
  return result;
}

struct QuantizedConv2DAttrs {
  DType out_type = DType::kQInt32;
  std::vector<int64_t> dilations = {1, 1, 1, 1};
  std::string_view name = "";
};

struct QuantizedConv2DOutputs {
  Output output;
  Output min_output;
  Output max_output;
  Operation operation;
};

// Slides a filter over images, both of integers that stand for ranges.
//   input: Tinput
//   filter: Tfilter
//   min_input: float32
//   max_input: float32
//   min_filter: float32
//   max_filter: float32
//   -> output: out_type
//   -> min_output: float32
//   -> max_output: float32
//   Tinput: qint8, quint8, qint32, qint16, quint16
//   Tfilter: qint8, quint8, qint32, qint16, quint16
//   out_type: qint8, quint8, qint32, qint16, quint16
//   attr strides: list(int)
//   attr padding: string (SAME, VALID)
//   attr out_type: type = qint32
//   attr dilations: list(int) = [1, 1, 1, 1]
inline QuantizedConv2DOutputs QuantizedConv2D(GraphBuilder& b, const Input& input, const Input& filter, const Input& min_input, const Input& max_input, const Input& min_filter, const Input& max_filter, const std::vector<int64_t>& strides, const std::string& padding, const QuantizedConv2DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  if (attrs.out_type != DType(DType::kQInt32)) given.push_back({"out_type", attrs.out_type});
  if (attrs.dilations != std::vector<int64_t>{1, 1, 1, 1}) given.push_back({"dilations", attrs.dilations});
  const Operation op = b.Op("QuantizedConv2D", {input, filter, min_input, max_input, min_filter, max_filter}, given, attrs.name, at);
  QuantizedConv2DOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.min_output = op.output(1);
  result.max_output = op.output(2);
  return result;
}

struct QuantizedInstanceNormAttrs {
  bool output_range_given = false;
  float given_y_min = 0.0f;
  float given_y_max = 0.0f;
  float variance_epsilon = 1e-05f;
  float min_separation = 0.001f;
  std::string_view name = "";
};

struct QuantizedInstanceNormOutputs {
  Output y;
  Output y_min;
  Output y_max;
  Operation operation;
};

// Each channel of each image brought to mean 0 and variance 1, as integers that stand for a range.
//   x: T
//   x_min: float32
//   x_max: float32
//   -> y: T
//   -> y_min: float32
//   -> y_max: float32
//   T: qint8, quint8, qint32, qint16, quint16
//   attr output_range_given: bool = false
//   attr given_y_min: float = 0.0
//   attr given_y_max: float = 0.0
//   attr variance_epsilon: float = 1e-05
//   attr min_separation: float = 0.001
inline QuantizedInstanceNormOutputs QuantizedInstanceNorm(GraphBuilder& b, const Input& x, const Input& x_min, const Input& x_max, const QuantizedInstanceNormAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_range_given != bool(false)) given.push_back({"output_range_given", attrs.output_range_given});
  if (attrs.given_y_min != float(0.0f)) given.push_back({"given_y_min", attrs.given_y_min});
  if (attrs.given_y_max != float(0.0f)) given.push_back({"given_y_max", attrs.given_y_max});
  if (attrs.variance_epsilon != float(1e-05f)) given.push_back({"variance_epsilon", attrs.variance_epsilon});
  if (attrs.min_separation != float(0.001f)) given.push_back({"min_separation", attrs.min_separation});
  const Operation op = b.Op("QuantizedInstanceNorm", {x, x_min, x_max}, given, attrs.name, at);
  QuantizedInstanceNormOutputs result;
  result.operation = op;
  result.y = op.output(0);
  result.y_min = op.output(1);
  result.y_max = op.output(2);
  return result;
}

struct QuantizedMatMulAttrs {
  DType Toutput = DType::kQInt32;
  bool transpose_a = false;
  bool transpose_b = false;
  DType Tactivation = DType::kQUInt8;
  std::string_view name = "";
};

struct QuantizedMatMulOutputs {
  Output out;
  Output min_out;
  Output max_out;
  Operation operation;
};

// The product of matrices of integers that stand for ranges.
//   a: T1
//   b: T2
//   min_a: float32
//   max_a: float32
//   min_b: float32
//   max_b: float32
//   -> out: Toutput
//   -> min_out: float32
//   -> max_out: float32
//   T1: qint8, quint8, qint32, qint16, quint16
//   T2: qint8, quint8, qint32, qint16, quint16
//   Toutput: qint8, quint8, qint32, qint16, quint16
//   Tactivation: qint8, quint8, qint32, qint16, quint16
//   attr Toutput: type = qint32
//   attr transpose_a: bool = false
//   attr transpose_b: bool = false
//   attr Tactivation: type = quint8
inline QuantizedMatMulOutputs QuantizedMatMul(GraphBuilder& b, const Input& a, const Input& b_, const Input& min_a, const Input& max_a, const Input& min_b, const Input& max_b, const QuantizedMatMulAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Toutput != DType(DType::kQInt32)) given.push_back({"Toutput", attrs.Toutput});
  if (attrs.transpose_a != bool(false)) given.push_back({"transpose_a", attrs.transpose_a});
  if (attrs.transpose_b != bool(false)) given.push_back({"transpose_b", attrs.transpose_b});
  if (attrs.Tactivation != DType(DType::kQUInt8)) given.push_back({"Tactivation", attrs.Tactivation});
  const Operation op = b.Op("QuantizedMatMul", {a, b_, min_a, max_a, min_b, max_b}, given, attrs.name, at);
  QuantizedMatMulOutputs result;
  result.operation = op;
  result.out = op.output(0);
  result.min_out = op.output(1);
  result.max_out = op.output(2);
  return result;
}

struct QuantizedMaxPoolOutputs {
  Output output;
  Output min_output;
  Output max_output;
  Operation operation;
};

// The largest integer of each window of images.
//   input: T
//   min_input: float32
//   max_input: float32
//   -> output: T
//   -> min_output: float32
//   -> max_output: float32
//   T: qint8, quint8, qint32, qint16, quint16
//   attr ksize: list(int)
//   attr strides: list(int)
//   attr padding: string (SAME, VALID)
inline QuantizedMaxPoolOutputs QuantizedMaxPool(GraphBuilder& b, const Input& input, const Input& min_input, const Input& max_input, const std::vector<int64_t>& ksize, const std::vector<int64_t>& strides, const std::string& padding, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"ksize", ksize});
  given.push_back({"strides", strides});
  given.push_back({"padding", padding});
  const Operation op = b.Op("QuantizedMaxPool", {input, min_input, max_input}, given, name, at);
  QuantizedMaxPoolOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.min_output = op.output(1);
  result.max_output = op.output(2);
  return result;
}

struct QuantizedMulAttrs {
  DType Toutput = DType::kQInt32;
  std::string_view name = "";
};

struct QuantizedMulOutputs {
  Output z;
  Output min_z;
  Output max_z;
  Operation operation;
};

// x * y of integers that stand for ranges.
//   x: T1
//   y: T2
//   min_x: float32
//   max_x: float32
//   min_y: float32
//   max_y: float32
//   -> z: Toutput
//   -> min_z: float32
//   -> max_z: float32
//   T1: qint8, quint8, qint32, qint16, quint16
//   T2: qint8, quint8, qint32, qint16, quint16
//   Toutput: qint8, quint8, qint32, qint16, quint16
//   attr Toutput: type = qint32
inline QuantizedMulOutputs QuantizedMul(GraphBuilder& b, const Input& x, const Input& y, const Input& min_x, const Input& max_x, const Input& min_y, const Input& max_y, const QuantizedMulAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Toutput != DType(DType::kQInt32)) given.push_back({"Toutput", attrs.Toutput});
  const Operation op = b.Op("QuantizedMul", {x, y, min_x, max_x, min_y, max_y}, given, attrs.name, at);
  QuantizedMulOutputs result;
  result.operation = op;
  result.z = op.output(0);
  result.min_z = op.output(1);
  result.max_z = op.output(2);
  return result;
}

struct QuantizedReluAttrs {
  DType out_type = DType::kQUInt8;
  std::string_view name = "";
};

struct QuantizedReluOutputs {
  Output activations;
  Output min_activations;
  Output max_activations;
  Operation operation;
};

// max(features, 0) of integers that stand for a range.
//   features: Tinput
//   min_features: float32
//   max_features: float32
//   -> activations: out_type
//   -> min_activations: float32
//   -> max_activations: float32
//   Tinput: qint8, quint8, qint32, qint16, quint16
//   out_type: qint8, quint8, qint32, qint16, quint16
//   attr out_type: type = quint8
inline QuantizedReluOutputs QuantizedRelu(GraphBuilder& b, const Input& features, const Input& min_features, const Input& max_features, const QuantizedReluAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kQUInt8)) given.push_back({"out_type", attrs.out_type});
  const Operation op = b.Op("QuantizedRelu", {features, min_features, max_features}, given, attrs.name, at);
  QuantizedReluOutputs result;
  result.operation = op;
  result.activations = op.output(0);
  result.min_activations = op.output(1);
  result.max_activations = op.output(2);
  return result;
}

struct QuantizedRelu6Attrs {
  DType out_type = DType::kQUInt8;
  std::string_view name = "";
};

struct QuantizedRelu6Outputs {
  Output activations;
  Output min_activations;
  Output max_activations;
  Operation operation;
};

// min(max(features, 0), 6) of integers that stand for a range.
//   features: Tinput
//   min_features: float32
//   max_features: float32
//   -> activations: out_type
//   -> min_activations: float32
//   -> max_activations: float32
//   Tinput: qint8, quint8, qint32, qint16, quint16
//   out_type: qint8, quint8, qint32, qint16, quint16
//   attr out_type: type = quint8
inline QuantizedRelu6Outputs QuantizedRelu6(GraphBuilder& b, const Input& features, const Input& min_features, const Input& max_features, const QuantizedRelu6Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kQUInt8)) given.push_back({"out_type", attrs.out_type});
  const Operation op = b.Op("QuantizedRelu6", {features, min_features, max_features}, given, attrs.name, at);
  QuantizedRelu6Outputs result;
  result.operation = op;
  result.activations = op.output(0);
  result.min_activations = op.output(1);
  result.max_activations = op.output(2);
  return result;
}

struct QuantizedReshapeOutputs {
  Output output;
  Output output_min;
  Output output_max;
  Operation operation;
};

// Reshape of integers that stand for a range, which stays.
//   tensor: T
//   shape: Tshape
//   input_min: float32
//   input_max: float32
//   -> output: T
//   -> output_min: float32
//   -> output_max: float32
//   Tshape: int32, int64
inline QuantizedReshapeOutputs QuantizedReshape(GraphBuilder& b, const Input& tensor, const Input& shape, const Input& input_min, const Input& input_max, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("QuantizedReshape", {tensor, shape, input_min, input_max}, given, name, at);
  QuantizedReshapeOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.output_min = op.output(1);
  result.output_max = op.output(2);
  return result;
}

struct QuantizedResizeBilinearAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string_view name = "";
};

struct QuantizedResizeBilinearOutputs {
  Output resized_images;
  Output out_min;
  Output out_max;
  Operation operation;
};

// Images of integers that stand for a range, brought to another size.
//   images: T
//   size: int32
//   min: float32
//   max: float32
//   -> resized_images: T
//   -> out_min: float32
//   -> out_max: float32
//   T: float32, quint8, qint32
//   attr align_corners: bool = false
//   attr half_pixel_centers: bool = false
inline QuantizedResizeBilinearOutputs QuantizedResizeBilinear(GraphBuilder& b, const Input& images, const Input& size, const Input& min, const Input& max, const QuantizedResizeBilinearAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align_corners != bool(false)) given.push_back({"align_corners", attrs.align_corners});
  if (attrs.half_pixel_centers != bool(false)) given.push_back({"half_pixel_centers", attrs.half_pixel_centers});
  const Operation op = b.Op("QuantizedResizeBilinear", {images, size, min, max}, given, attrs.name, at);
  QuantizedResizeBilinearOutputs result;
  result.operation = op;
  result.resized_images = op.output(0);
  result.out_min = op.output(1);
  result.out_max = op.output(2);
  return result;
}

struct QueueCloseAttrs {
  bool cancel_pending_enqueues = false;
  std::string_view name = "";
};

// Lets nothing more into a queue.
//   handle: reference to string
//   attr cancel_pending_enqueues: bool = false
inline Operation QueueClose(GraphBuilder& b, const Input& handle, const QueueCloseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.cancel_pending_enqueues != bool(false)) given.push_back({"cancel_pending_enqueues", attrs.cancel_pending_enqueues});
  return b.Op("QueueClose", {handle}, given, attrs.name, at);
}

struct QueueCloseV2Attrs {
  bool cancel_pending_enqueues = false;
  std::string_view name = "";
};

// Lets nothing more into a queue.
//   handle: resource
//   attr cancel_pending_enqueues: bool = false
inline Operation QueueCloseV2(GraphBuilder& b, const Input& handle, const QueueCloseV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.cancel_pending_enqueues != bool(false)) given.push_back({"cancel_pending_enqueues", attrs.cancel_pending_enqueues});
  return b.Op("QueueCloseV2", {handle}, given, attrs.name, at);
}

struct QueueDequeueAttrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Takes an element once there is one.
//   handle: reference to string
//   -> components: component_types
//   attr component_types: list(type) (at least 1)
//   attr timeout_ms: int = -1
inline Outputs QueueDequeue(GraphBuilder& b, const Input& handle, const std::vector<DType>& component_types, const QueueDequeueAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueDequeue", {handle}, given, attrs.name, at).outputs();
}

struct QueueDequeueManyAttrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Takes n elements once there are as many, joined along a new dimension.
//   handle: reference to string
//   n: int32
//   -> components: component_types
//   attr component_types: list(type) (at least 1)
//   attr timeout_ms: int = -1
inline Outputs QueueDequeueMany(GraphBuilder& b, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueDequeueMany", {handle, n}, given, attrs.name, at).outputs();
}

struct QueueDequeueManyV2Attrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Takes n elements once there are as many, joined along a new dimension.
//   handle: resource
//   n: int32
//   -> components: component_types
//   attr component_types: list(type) (at least 1)
//   attr timeout_ms: int = -1
inline Outputs QueueDequeueManyV2(GraphBuilder& b, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueManyV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueDequeueManyV2", {handle, n}, given, attrs.name, at).outputs();
}

struct QueueDequeueUpToAttrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Takes n elements, or those that are left in a closed queue.
//   handle: reference to string
//   n: int32
//   -> components: component_types
//   attr component_types: list(type) (at least 1)
//   attr timeout_ms: int = -1
inline Outputs QueueDequeueUpTo(GraphBuilder& b, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueDequeueUpTo", {handle, n}, given, attrs.name, at).outputs();
}

struct QueueDequeueUpToV2Attrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Takes n elements, or those that are left in a closed queue.
//   handle: resource
//   n: int32
//   -> components: component_types
//   attr component_types: list(type) (at least 1)
//   attr timeout_ms: int = -1
inline Outputs QueueDequeueUpToV2(GraphBuilder& b, const Input& handle, const Input& n, const std::vector<DType>& component_types, const QueueDequeueUpToV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueDequeueUpToV2", {handle, n}, given, attrs.name, at).outputs();
}

struct QueueDequeueV2Attrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Takes an element once there is one.
//   handle: resource
//   -> components: component_types
//   attr component_types: list(type) (at least 1)
//   attr timeout_ms: int = -1
inline Outputs QueueDequeueV2(GraphBuilder& b, const Input& handle, const std::vector<DType>& component_types, const QueueDequeueV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueDequeueV2", {handle}, given, attrs.name, at).outputs();
}

struct QueueEnqueueAttrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Puts in an element once there is room.
//   handle: reference to string
//   components: Tcomponents
//   attr timeout_ms: int = -1
inline Operation QueueEnqueue(GraphBuilder& b, const Input& handle, InputList components, const QueueEnqueueAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueEnqueue", Inputs({InputList(&handle, 1), components}), given, attrs.name, at);
}

struct QueueEnqueueManyAttrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Puts in the rows of the components, each once there is room.
//   handle: reference to string
//   components: Tcomponents
//   attr timeout_ms: int = -1
inline Operation QueueEnqueueMany(GraphBuilder& b, const Input& handle, InputList components, const QueueEnqueueManyAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueEnqueueMany", Inputs({InputList(&handle, 1), components}), given, attrs.name, at);
}

struct QueueEnqueueManyV2Attrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Puts in the rows of the components, each once there is room.
//   handle: resource
//   components: Tcomponents
//   attr timeout_ms: int = -1
inline Operation QueueEnqueueManyV2(GraphBuilder& b, const Input& handle, InputList components, const QueueEnqueueManyV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueEnqueueManyV2", Inputs({InputList(&handle, 1), components}), given, attrs.name, at);
}

struct QueueEnqueueV2Attrs {
  int64_t timeout_ms = -1;
  std::string_view name = "";
};

// Puts in an element once there is room.
//   handle: resource
//   components: Tcomponents
//   attr timeout_ms: int = -1
inline Operation QueueEnqueueV2(GraphBuilder& b, const Input& handle, InputList components, const QueueEnqueueV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.timeout_ms != int64_t(-1)) given.push_back({"timeout_ms", attrs.timeout_ms});
  return b.Op("QueueEnqueueV2", Inputs({InputList(&handle, 1), components}), given, attrs.name, at);
}

// Whether a queue was closed.
//   handle: reference to string
//   -> is_closed: bool
inline Output QueueIsClosed(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("QueueIsClosed", {handle}, given, name, at).output();
}

// Whether a queue was closed.
//   handle: resource
//   -> is_closed: bool
inline Output QueueIsClosedV2(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("QueueIsClosedV2", {handle}, given, name, at).output();
}

// The number of elements in a queue.
//   handle: reference to string
//   -> size: int32
inline Output QueueSize(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("QueueSize", {handle}, given, name, at).output();
}

// The number of elements in a queue.
//   handle: resource
//   -> size: int32
inline Output QueueSizeV2(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("QueueSizeV2", {handle}, given, name, at).output();
}

struct RFFTAttrs {
  DType Tcomplex = DType::kComplex64;
  std::string_view name = "";
};

// Half of the Fourier transform of real values.
//   input: Treal
//   fft_length: int32
//   -> output: Tcomplex
//   Treal: float32, float64
//   Tcomplex: complex64, complex128
//   attr Tcomplex: type = complex64
inline Output RFFT(GraphBuilder& b, const Input& input, const Input& fft_length, const RFFTAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tcomplex != DType(DType::kComplex64)) given.push_back({"Tcomplex", attrs.Tcomplex});
  return b.Op("RFFT", {input, fft_length}, given, attrs.name, at).output();
}

struct RFFT2DAttrs {
  DType Tcomplex = DType::kComplex64;
  std::string_view name = "";
};

// Half of the Fourier transform of real values.
//   input: Treal
//   fft_length: int32
//   -> output: Tcomplex
//   Treal: float32, float64
//   Tcomplex: complex64, complex128
//   attr Tcomplex: type = complex64
inline Output RFFT2D(GraphBuilder& b, const Input& input, const Input& fft_length, const RFFT2DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tcomplex != DType(DType::kComplex64)) given.push_back({"Tcomplex", attrs.Tcomplex});
  return b.Op("RFFT2D", {input, fft_length}, given, attrs.name, at).output();
}

struct RFFT3DAttrs {
  DType Tcomplex = DType::kComplex64;
  std::string_view name = "";
};

// Half of the Fourier transform of real values.
//   input: Treal
//   fft_length: int32
//   -> output: Tcomplex
//   Treal: float32, float64
//   Tcomplex: complex64, complex128
//   attr Tcomplex: type = complex64
inline Output RFFT3D(GraphBuilder& b, const Input& input, const Input& fft_length, const RFFT3DAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tcomplex != DType(DType::kComplex64)) given.push_back({"Tcomplex", attrs.Tcomplex});
  return b.Op("RFFT3D", {input, fft_length}, given, attrs.name, at).output();
}

// Hue, saturation and value of red, green and blue.
//   images: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
inline Output RGBToHSV(GraphBuilder& b, const Input& images, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RGBToHSV", {images}, given, name, at).output();
}

struct RaggedBincountAttrs {
  bool binary_output = false;
  std::string_view name = "";
};

// How often each number occurs in each row, or the sum of its weights.
//   splits: int64
//   values: Tidx
//   size: Tidx
//   weights: T
//   -> output: T
//   Tidx: int32, int64
//   T: float32, float64, int32, int64
//   attr binary_output: bool = false
inline Output RaggedBincount(GraphBuilder& b, const Input& splits, const Input& values, const Input& size, const Input& weights, const RaggedBincountAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.binary_output != bool(false)) given.push_back({"binary_output", attrs.binary_output});
  return b.Op("RaggedBincount", {splits, values, size, weights}, given, attrs.name, at).output();
}

struct RaggedCountSparseOutputAttrs {
  int64_t minlength = -1;
  int64_t maxlength = -1;
  std::string_view name = "";
};

struct RaggedCountSparseOutputOutputs {
  Output output_indices;
  Output output_values;
  Output output_dense_shape;
  Operation operation;
};

// How often each number occurs in each row, or the sum of its weights.
//   splits: int64
//   values: T
//   weights: output_type
//   -> output_indices: int64
//   -> output_values: output_type
//   -> output_dense_shape: int64
//   T: int32, int64
//   output_type: float32, float64, int32, int64
//   attr binary_output: bool
//   attr minlength: int = -1 (at least -1)
//   attr maxlength: int = -1 (at least -1)
inline RaggedCountSparseOutputOutputs RaggedCountSparseOutput(GraphBuilder& b, const Input& splits, const Input& values, const Input& weights, const bool& binary_output, const RaggedCountSparseOutputAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"binary_output", binary_output});
  if (attrs.minlength != int64_t(-1)) given.push_back({"minlength", attrs.minlength});
  if (attrs.maxlength != int64_t(-1)) given.push_back({"maxlength", attrs.maxlength});
  const Operation op = b.Op("RaggedCountSparseOutput", {splits, values, weights}, given, attrs.name, at);
  RaggedCountSparseOutputOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_dense_shape = op.output(2);
  return result;
}

struct RaggedCrossOutputs {
  Output output_values;
  Output output_row_splits;
  Operation operation;
};

// Every choice of one value from each column, ragged ones too, for each row.
//   ragged_values: ragged_values_types
//   ragged_row_splits: ragged_splits_types
//   sparse_indices: list of int64
//   sparse_values: sparse_values_types
//   sparse_shape: list of int64
//   dense_inputs: dense_types
//   -> output_values: out_values_type
//   -> output_row_splits: out_row_splits_type
//   out_values_type: string, int64
//   out_row_splits_type: int32, int64
//   attr input_order: string
//   attr hashed_output: bool
//   attr num_buckets: int (at least 0)
//   attr hash_key: int
//   attr out_values_type: type
//   attr out_row_splits_type: type
inline RaggedCrossOutputs RaggedCross(GraphBuilder& b, InputList ragged_values, InputList ragged_row_splits, InputList sparse_indices, InputList sparse_values, InputList sparse_shape, InputList dense_inputs, const std::string& input_order, const bool& hashed_output, const int64_t& num_buckets, const int64_t& hash_key, const DType& out_values_type, const DType& out_row_splits_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"input_order", input_order});
  given.push_back({"hashed_output", hashed_output});
  given.push_back({"num_buckets", num_buckets});
  given.push_back({"hash_key", hash_key});
  given.push_back({"out_values_type", out_values_type});
  given.push_back({"out_row_splits_type", out_row_splits_type});
  given.push_back({"ragged_values_types", DTypesOf(ragged_values)});
  given.push_back({"ragged_splits_types", DTypesOf(ragged_row_splits)});
  given.push_back({"Nsparse", static_cast<int64_t>(sparse_indices.size())});
  given.push_back({"sparse_values_types", DTypesOf(sparse_values)});
  given.push_back({"dense_types", DTypesOf(dense_inputs)});
  const Operation op = b.Op("RaggedCross", Inputs({ragged_values, ragged_row_splits, sparse_indices, sparse_values, sparse_shape, dense_inputs}), given, name, at);
  RaggedCrossOutputs result;
  result.operation = op;
  result.output_values = op.output(0);
  result.output_row_splits = op.output(1);
  return result;
}

struct RaggedFillEmptyRowsOutputs {
  Output output_value_rowids;
  Output output_values;
  Output empty_row_indicator;
  Output reverse_index_map;
  Operation operation;
};

// Values with a default one in each row that has none.
//   value_rowids: int64
//   values: T
//   nrows: int64
//   default_value: T
//   -> output_value_rowids: int64
//   -> output_values: T
//   -> empty_row_indicator: bool
//   -> reverse_index_map: int64
inline RaggedFillEmptyRowsOutputs RaggedFillEmptyRows(GraphBuilder& b, const Input& value_rowids, const Input& values, const Input& nrows, const Input& default_value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("RaggedFillEmptyRows", {value_rowids, values, nrows, default_value}, given, name, at);
  RaggedFillEmptyRowsOutputs result;
  result.operation = op;
  result.output_value_rowids = op.output(0);
  result.output_values = op.output(1);
  result.empty_row_indicator = op.output(2);
  result.reverse_index_map = op.output(3);
  return result;
}

struct RaggedFillEmptyRowsGradOutputs {
  Output d_values;
  Output d_default_value;
  Operation operation;
};

// Gradients of the values and of the default value.
//   reverse_index_map: int64
//   grad_values: T
//   -> d_values: T
//   -> d_default_value: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline RaggedFillEmptyRowsGradOutputs RaggedFillEmptyRowsGrad(GraphBuilder& b, const Input& reverse_index_map, const Input& grad_values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("RaggedFillEmptyRowsGrad", {reverse_index_map, grad_values}, given, name, at);
  RaggedFillEmptyRowsGradOutputs result;
  result.operation = op;
  result.d_values = op.output(0);
  result.d_default_value = op.output(1);
  return result;
}

struct RaggedGatherOutputs {
  Outputs output_nested_splits;
  Output output_dense_values;
  Operation operation;
};

// The rows of a ragged tensor at indices.
//   params_nested_splits: list of Tsplits
//   params_dense_values: Tvalues
//   indices: Tindices
//   -> output_nested_splits: list of Tsplits
//   -> output_dense_values: Tvalues
//   Tindices: int32, int64
//   Tsplits: int32, int64
//   attr OUTPUT_RAGGED_RANK: int (at least 0)
inline RaggedGatherOutputs RaggedGather(GraphBuilder& b, InputList params_nested_splits, const Input& params_dense_values, const Input& indices, const int64_t& OUTPUT_RAGGED_RANK, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"OUTPUT_RAGGED_RANK", OUTPUT_RAGGED_RANK});
  const Operation op = b.Op("RaggedGather", Inputs({params_nested_splits, InputList(&params_dense_values, 1), InputList(&indices, 1)}), given, name, at);
  RaggedGatherOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.output_nested_splits = OutputsOf(op, node.schema->OutputRange("output_nested_splits", node.attrs));
  result.output_dense_values = OutputsOf(op, node.schema->OutputRange("output_dense_values", node.attrs))[0];
  return result;
}

struct RaggedRangeAttrs {
  DType Tsplits = DType::kInt64;
  std::string_view name = "";
};

struct RaggedRangeOutputs {
  Output rt_nested_splits;
  Output rt_dense_values;
  Operation operation;
};

// Rows of numbers from starts to limits.
//   starts: T
//   limits: T
//   deltas: T
//   -> rt_nested_splits: Tsplits
//   -> rt_dense_values: T
//   T: float32, float64, int32, int64, bfloat16
//   Tsplits: int32, int64
//   attr Tsplits: type = int64
inline RaggedRangeOutputs RaggedRange(GraphBuilder& b, const Input& starts, const Input& limits, const Input& deltas, const RaggedRangeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tsplits != DType(DType::kInt64)) given.push_back({"Tsplits", attrs.Tsplits});
  const Operation op = b.Op("RaggedRange", {starts, limits, deltas}, given, attrs.name, at);
  RaggedRangeOutputs result;
  result.operation = op;
  result.rt_nested_splits = op.output(0);
  result.rt_dense_values = op.output(1);
  return result;
}

struct RaggedTensorFromVariantAttrs {
  DType Tsplits = DType::kInt64;
  std::string_view name = "";
};

struct RaggedTensorFromVariantOutputs {
  Outputs output_nested_splits;
  Output output_dense_values;
  Operation operation;
};

// The ragged tensor of ragged tensors in variants.
//   encoded_ragged: variant
//   -> output_nested_splits: list of Tsplits
//   -> output_dense_values: Tvalues
//   Tsplits: int32, int64
//   attr input_ragged_rank: int (at least -1)
//   attr output_ragged_rank: int (at least 0)
//   attr Tvalues: type
//   attr Tsplits: type = int64
inline RaggedTensorFromVariantOutputs RaggedTensorFromVariant(GraphBuilder& b, const Input& encoded_ragged, const int64_t& input_ragged_rank, const int64_t& output_ragged_rank, const DType& Tvalues, const RaggedTensorFromVariantAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"input_ragged_rank", input_ragged_rank});
  given.push_back({"output_ragged_rank", output_ragged_rank});
  given.push_back({"Tvalues", Tvalues});
  if (attrs.Tsplits != DType(DType::kInt64)) given.push_back({"Tsplits", attrs.Tsplits});
  const Operation op = b.Op("RaggedTensorFromVariant", {encoded_ragged}, given, attrs.name, at);
  RaggedTensorFromVariantOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.output_nested_splits = OutputsOf(op, node.schema->OutputRange("output_nested_splits", node.attrs));
  result.output_dense_values = OutputsOf(op, node.schema->OutputRange("output_dense_values", node.attrs))[0];
  return result;
}

struct RaggedTensorToSparseOutputs {
  Output sparse_indices;
  Output sparse_values;
  Output sparse_dense_shape;
  Operation operation;
};

// A ragged tensor as a sparse one.
//   rt_nested_splits: list of Tsplits
//   rt_dense_values: T
//   -> sparse_indices: int64
//   -> sparse_values: T
//   -> sparse_dense_shape: int64
//   Tsplits: int32, int64
inline RaggedTensorToSparseOutputs RaggedTensorToSparse(GraphBuilder& b, InputList rt_nested_splits, const Input& rt_dense_values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("RaggedTensorToSparse", Inputs({rt_nested_splits, InputList(&rt_dense_values, 1)}), given, name, at);
  RaggedTensorToSparseOutputs result;
  result.operation = op;
  result.sparse_indices = op.output(0);
  result.sparse_values = op.output(1);
  result.sparse_dense_shape = op.output(2);
  return result;
}

// A ragged tensor as a dense one, filled up with a default value.
//   shape: Tshape
//   values: T
//   default_value: T
//   row_partition_tensors: list of Tindex
//   -> result: T
//   Tindex: int32, int64
//   Tshape: int32, int64
//   attr row_partition_types: list(string)
inline Output RaggedTensorToTensor(GraphBuilder& b, const Input& shape, const Input& values, const Input& default_value, InputList row_partition_tensors, const std::vector<std::string>& row_partition_types, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"row_partition_types", row_partition_types});
  return b.Op("RaggedTensorToTensor", Inputs({InputList(&shape, 1), InputList(&values, 1), InputList(&default_value, 1), row_partition_tensors}), given, name, at).output();
}

// A ragged tensor in a variant, or its rows in one each.
//   rt_nested_splits: list of Tsplits
//   rt_dense_values: Tvalues
//   -> encoded_ragged: variant
//   Tsplits: int32, int64
//   attr batched_input: bool
inline Output RaggedTensorToVariant(GraphBuilder& b, InputList rt_nested_splits, const Input& rt_dense_values, const bool& batched_input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"batched_input", batched_input});
  return b.Op("RaggedTensorToVariant", Inputs({rt_nested_splits, InputList(&rt_dense_values, 1)}), given, name, at).output();
}

// The gradient of the values of RaggedTensorToVariant.
//   encoded_ragged_grad: variant
//   row_splits: Tsplits
//   dense_values_shape: int32
//   -> dense_values_grad: Tvalues
//   Tsplits: int32, int64
//   attr Tvalues: type
inline Output RaggedTensorToVariantGradient(GraphBuilder& b, const Input& encoded_ragged_grad, const Input& row_splits, const Input& dense_values_shape, const DType& Tvalues, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tvalues", Tvalues});
  return b.Op("RaggedTensorToVariantGradient", {encoded_ragged_grad, row_splits, dense_values_shape}, given, name, at).output();
}

struct RandomGammaAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

// samples of gamma distributions.
//   shape: S
//   alpha: T
//   -> output: T
//   S: int32, int64
//   T: float32, float64, float16
//   attr seed: int = 0
//   attr seed2: int = 0
inline Output RandomGamma(GraphBuilder& b, const Input& shape, const Input& alpha, const RandomGammaAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  return b.Op("RandomGamma", {shape, alpha}, given, attrs.name, at).output();
}

// The derivative of a sample of RandomGamma by alpha.
//   alpha: T
//   sample: T
//   -> output: T
//   T: float32, float64
inline Output RandomGammaGrad(GraphBuilder& b, const Input& alpha, const Input& sample, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RandomGammaGrad", {alpha, sample}, given, name, at).output();
}

struct RandomPoissonAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

// samples of Poisson distributions.
//   shape: S
//   rate: dtype
//   -> output: dtype
//   S: int32, int64
//   dtype: float32, float64, float16
//   attr seed: int = 0
//   attr seed2: int = 0
inline Output RandomPoisson(GraphBuilder& b, const Input& shape, const Input& rate, const RandomPoissonAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  return b.Op("RandomPoisson", {shape, rate}, given, attrs.name, at).output();
}

struct RandomPoissonV2Attrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  DType dtype = DType::kInt64;
  std::string_view name = "";
};

// samples of Poisson distributions.
//   shape: S
//   rate: R
//   -> output: dtype
//   S: int32, int64
//   R: float32, float64, int32, int64, float16
//   dtype: float32, float64, int32, int64, float16
//   attr seed: int = 0
//   attr seed2: int = 0
//   attr dtype: type = int64
inline Output RandomPoissonV2(GraphBuilder& b, const Input& shape, const Input& rate, const RandomPoissonV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  if (attrs.dtype != DType(DType::kInt64)) given.push_back({"dtype", attrs.dtype});
  return b.Op("RandomPoissonV2", {shape, rate}, given, attrs.name, at).output();
}

struct RandomShuffleAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

// The rows of value in random order.
//   value: T
//   -> output: T
//   attr seed: int = 0
//   attr seed2: int = 0
inline Output RandomShuffle(GraphBuilder& b, const Input& value, const RandomShuffleAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  return b.Op("RandomShuffle", {value}, given, attrs.name, at).output();
}

struct RandomShuffleQueueAttrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A queue whose elements leave in random order.
//   -> handle: reference to string
//   attr component_types: list(type) (at least 1)
//   attr shapes: list(shape) = [] (at least 0)
//   attr capacity: int = -1
//   attr min_after_dequeue: int = 0
//   attr seed: int = 0
//   attr seed2: int = 0
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output RandomShuffleQueue(GraphBuilder& b, const std::vector<DType>& component_types, const RandomShuffleQueueAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.shapes != std::vector<PartialShape>{}) given.push_back({"shapes", attrs.shapes});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.min_after_dequeue != int64_t(0)) given.push_back({"min_after_dequeue", attrs.min_after_dequeue});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("RandomShuffleQueue", {}, given, attrs.name, at).output();
}

struct RandomShuffleQueueV2Attrs {
  std::vector<PartialShape> shapes = {};
  int64_t capacity = -1;
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A queue whose elements leave in random order.
//   -> handle: resource
//   attr component_types: list(type) (at least 1)
//   attr shapes: list(shape) = [] (at least 0)
//   attr capacity: int = -1
//   attr min_after_dequeue: int = 0
//   attr seed: int = 0
//   attr seed2: int = 0
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output RandomShuffleQueueV2(GraphBuilder& b, const std::vector<DType>& component_types, const RandomShuffleQueueV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"component_types", component_types});
  if (attrs.shapes != std::vector<PartialShape>{}) given.push_back({"shapes", attrs.shapes});
  if (attrs.capacity != int64_t(-1)) given.push_back({"capacity", attrs.capacity});
  if (attrs.min_after_dequeue != int64_t(0)) given.push_back({"min_after_dequeue", attrs.min_after_dequeue});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("RandomShuffleQueueV2", {}, given, attrs.name, at).output();
}

struct RandomStandardNormalAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

// normal random numbers of mean 0 and deviation 1.
//   shape: T
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   T: int32, int64
//   attr dtype: type
//   attr seed: int = 0
//   attr seed2: int = 0
inline Output RandomStandardNormal(GraphBuilder& b, const Input& shape, const DType& dtype, const RandomStandardNormalAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  return b.Op("RandomStandardNormal", {shape}, given, attrs.name, at).output();
}

struct RandomUniformAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

// uniform random numbers in [0, 1).
//   shape: T
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   T: int32, int64
//   attr dtype: type
//   attr seed: int = 0
//   attr seed2: int = 0
inline Output RandomUniform(GraphBuilder& b, const Input& shape, const DType& dtype, const RandomUniformAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  return b.Op("RandomUniform", {shape}, given, attrs.name, at).output();
}

struct RandomUniformIntAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

// uniform random integers in [minval, maxval).
//   shape: T
//   minval: Tout
//   maxval: Tout
//   -> output: Tout
//   Tout: int32, int64
//   T: int32, int64
//   attr seed: int = 0
//   attr seed2: int = 0
inline Output RandomUniformInt(GraphBuilder& b, const Input& shape, const Input& minval, const Input& maxval, const RandomUniformIntAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  return b.Op("RandomUniformInt", {shape, minval, maxval}, given, attrs.name, at).output();
}

// The numbers start, start + delta, .. before limit.
//   start: Tidx
//   limit: Tidx
//   delta: Tidx
//   -> output: Tidx
//   Tidx: float32, float64, int32, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Range(GraphBuilder& b, const Input& start, const Input& limit, const Input& delta, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Range", {start, limit, delta}, given, name, at).output();
}

struct RangeDatasetAttrs {
  std::string metadata = "";
  bool replicate_on_split = false;
  std::string_view name = "";
};

// The numbers start, start + step, .. before stop.
//   start: int64
//   stop: int64
//   step: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
//   attr replicate_on_split: bool = false
inline Output RangeDataset(GraphBuilder& b, const Input& start, const Input& stop, const Input& step, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RangeDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  if (attrs.replicate_on_split != bool(false)) given.push_back({"replicate_on_split", attrs.replicate_on_split});
  return b.Op("RangeDataset", {start, stop, step}, given, attrs.name, at).output();
}

// The number of dimensions of input.
//   input: T
//   -> output: int32
inline Output Rank(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Rank", {input}, given, name, at).output();
}

// The bytes of a file.
//   filename: string
//   -> contents: string
inline Output ReadFile(GraphBuilder& b, const Input& filename, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ReadFile", {filename}, given, name, at).output();
}

// The value of a variable, which later updates do not change.
//   resource: resource
//   -> value: dtype
//   attr dtype: type
inline Output ReadVariableOp(GraphBuilder& b, const Input& resource, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("ReadVariableOp", {resource}, given, name, at).output();
}

struct RealAttrs {
  DType Tout = DType::kFloat32;
  std::string_view name = "";
};

// The real part.
//   input: T
//   -> output: Tout
//   T: complex64, complex128
//   Tout: float32, float64
//   attr Tout: type = float32
inline Output Real(GraphBuilder& b, const Input& input, const RealAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.Tout != DType(DType::kFloat32)) given.push_back({"Tout", attrs.Tout});
  return b.Op("Real", {input}, given, attrs.name, at).output();
}

// x / y.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output RealDiv(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RealDiv", {x, y}, given, name, at).output();
}

// 1 / x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Reciprocal(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Reciprocal", {x}, given, name, at).output();
}

// -dy y^2, where y = 1 / x.
//   y: T
//   dy: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output ReciprocalGrad(GraphBuilder& b, const Input& y, const Input& dy, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ReciprocalGrad", {y, dy}, given, name, at).output();
}

struct ReduceDatasetAttrs {
  bool use_inter_op_parallelism = true;
  std::string metadata = "";
  std::string_view name = "";
};

// Calls a function on a state and each element, which gives the next state.
//   input_dataset: variant
//   initial_state: Tstate
//   other_arguments: Targuments
//   -> components: output_types
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr use_inter_op_parallelism: bool = true
//   attr metadata: string = ""
inline Outputs ReduceDataset(GraphBuilder& b, const Input& input_dataset, InputList initial_state, InputList other_arguments, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ReduceDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.use_inter_op_parallelism != bool(true)) given.push_back({"use_inter_op_parallelism", attrs.use_inter_op_parallelism});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  given.push_back({"Tstate", DTypesOf(initial_state)});
  given.push_back({"Targuments", DTypesOf(other_arguments)});
  return b.Op("ReduceDataset", Inputs({InputList(&input_dataset, 1), initial_state, other_arguments}), given, attrs.name, at).outputs();
}

struct ReduceJoinAttrs {
  bool keep_dims = false;
  std::string separator = "";
  std::string_view name = "";
};

// Strings joined over dimensions.
//   inputs: string
//   reduction_indices: int32
//   -> output: string
//   attr keep_dims: bool = false
//   attr separator: string = ""
inline Output ReduceJoin(GraphBuilder& b, const Input& inputs, const Input& reduction_indices, const ReduceJoinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  if (attrs.separator != std::string("")) given.push_back({"separator", attrs.separator});
  return b.Op("ReduceJoin", {inputs, reduction_indices}, given, attrs.name, at).output();
}

struct RefEnterAttrs {
  bool is_constant = false;
  int64_t parallel_iterations = 10;
  std::string_view name = "";
};

// Takes a reference into iteration 0 of a loop's frame, or into every iteration if is_constant.
//   data: reference to T
//   -> output: reference to T
//   attr frame_name: string
//   attr is_constant: bool = false
//   attr parallel_iterations: int = 10
inline Output RefEnter(GraphBuilder& b, const Input& data, const std::string& frame_name, const RefEnterAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"frame_name", frame_name});
  if (attrs.is_constant != bool(false)) given.push_back({"is_constant", attrs.is_constant});
  if (attrs.parallel_iterations != int64_t(10)) given.push_back({"parallel_iterations", attrs.parallel_iterations});
  return b.Op("RefEnter", {data}, given, attrs.name, at).output();
}

// Takes a reference out of a loop's frame.
//   data: reference to T
//   -> output: reference to T
inline Output RefExit(GraphBuilder& b, const Input& data, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RefExit", {data}, given, name, at).output();
}

// Passes on a reference.
//   input: reference to T
//   -> output: reference to T
inline Output RefIdentity(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RefIdentity", {input}, given, name, at).output();
}

struct RefMergeOutputs {
  Output output;
  Output value_index;
  Operation operation;
};

// Passes on the first reference that arrives alive, with its index.
//   inputs: reference to list of T
//   -> output: reference to T
//   -> value_index: int32
inline RefMergeOutputs RefMerge(GraphBuilder& b, InputList inputs, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("RefMerge", Inputs({inputs}), given, name, at);
  RefMergeOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.value_index = op.output(1);
  return result;
}

// Takes a reference to the next iteration of a loop.
//   data: reference to T
//   -> output: reference to T
inline Output RefNextIteration(GraphBuilder& b, const Input& data, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RefNextIteration", {data}, given, name, at).output();
}

// Passes on the reference at an index.
//   index: int32
//   inputs: reference to list of T
//   -> output: reference to T
inline Output RefSelect(GraphBuilder& b, const Input& index, InputList inputs, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RefSelect", Inputs({InputList(&index, 1), inputs}), given, name, at).output();
}

struct RefSwitchOutputs {
  Output output_false;
  Output output_true;
  Operation operation;
};

// Passes a reference to output 1 if pred is true, else to output 0; the other output is dead.
//   data: reference to T
//   pred: bool
//   -> output_false: reference to T
//   -> output_true: reference to T
inline RefSwitchOutputs RefSwitch(GraphBuilder& b, const Input& data, const Input& pred, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("RefSwitch", {data, pred}, given, name, at);
  RefSwitchOutputs result;
  result.operation = op;
  result.output_false = op.output(0);
  result.output_true = op.output(1);
  return result;
}

// Whether strings match a regular expression as a whole.
//   input: string
//   pattern: string
//   -> output: bool
inline Output RegexFullMatch(GraphBuilder& b, const Input& input, const Input& pattern, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RegexFullMatch", {input, pattern}, given, name, at).output();
}

struct RegexReplaceAttrs {
  bool replace_global = true;
  std::string_view name = "";
};

// Strings with what matches a regular expression replaced.
//   input: string
//   pattern: string
//   rewrite: string
//   -> output: string
//   attr replace_global: bool = true
inline Output RegexReplace(GraphBuilder& b, const Input& input, const Input& pattern, const Input& rewrite, const RegexReplaceAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.replace_global != bool(true)) given.push_back({"replace_global", attrs.replace_global});
  return b.Op("RegexReplace", {input, pattern, rewrite}, given, attrs.name, at).output();
}

// max(features, 0).
//   features: T
//   -> activations: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Relu(GraphBuilder& b, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Relu", {features}, given, name, at).output();
}

// min(max(features, 0), 6).
//   features: T
//   -> activations: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Relu6(GraphBuilder& b, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Relu6", {features}, given, name, at).output();
}

// Gradients where 0 < features < 6, else 0.
//   gradients: T
//   features: T
//   -> backprops: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output Relu6Grad(GraphBuilder& b, const Input& gradients, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Relu6Grad", {gradients, features}, given, name, at).output();
}

// Gradients where features > 0, else 0.
//   gradients: T
//   features: T
//   -> backprops: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output ReluGrad(GraphBuilder& b, const Input& gradients, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ReluGrad", {gradients, features}, given, name, at).output();
}

// Calls a function on the device that target names, which must be this one.
//   target: string
//   args: Tin
//   -> output: Tout
//   attr Tout: list(type) (at least 1)
//   attr f: func
inline Outputs RemoteCall(GraphBuilder& b, const Input& target, InputList args, const std::vector<DType>& Tout, const FunctionRef& f, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  given.push_back({"f", f});
  return b.Op("RemoteCall", Inputs({InputList(&target, 1), args}), given, name, at).outputs();
}

struct RepeatDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The elements of a dataset, over and over.
//   input_dataset: variant
//   count: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output RepeatDataset(GraphBuilder& b, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const RepeatDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("RepeatDataset", {input_dataset, count}, given, attrs.name, at).output();
}

struct RequantizationRangeOutputs {
  Output output_min;
  Output output_max;
  Operation operation;
};

// The range that the values of a qint32 tensor fill.
//   input: Tinput
//   input_min: float32
//   input_max: float32
//   -> output_min: float32
//   -> output_max: float32
//   Tinput: qint8, quint8, qint32, qint16, quint16
inline RequantizationRangeOutputs RequantizationRange(GraphBuilder& b, const Input& input, const Input& input_min, const Input& input_max, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("RequantizationRange", {input, input_min, input_max}, given, name, at);
  RequantizationRangeOutputs result;
  result.operation = op;
  result.output_min = op.output(0);
  result.output_max = op.output(1);
  return result;
}

struct RequantizationRangePerChannelOutputs {
  Output output_min;
  Output output_max;
  Operation operation;
};

// The range that the values of qint32 images fill, which have a range for each channel.
//   input: T
//   input_min: float32
//   input_max: float32
//   -> output_min: float32
//   -> output_max: float32
//   T: qint8, quint8, qint32, qint16, quint16
//   attr clip_value_max: float
inline RequantizationRangePerChannelOutputs RequantizationRangePerChannel(GraphBuilder& b, const Input& input, const Input& input_min, const Input& input_max, const float& clip_value_max, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"clip_value_max", clip_value_max});
  const Operation op = b.Op("RequantizationRangePerChannel", {input, input_min, input_max}, given, name, at);
  RequantizationRangePerChannelOutputs result;
  result.operation = op;
  result.output_min = op.output(0);
  result.output_max = op.output(1);
  return result;
}

struct RequantizeOutputs {
  Output output;
  Output output_min;
  Output output_max;
  Operation operation;
};

// qint32 as 8 bits in another range.
//   input: Tinput
//   input_min: float32
//   input_max: float32
//   requested_output_min: float32
//   requested_output_max: float32
//   -> output: out_type
//   -> output_min: float32
//   -> output_max: float32
//   Tinput: qint8, quint8, qint32, qint16, quint16
//   out_type: qint8, quint8, qint32, qint16, quint16
//   attr out_type: type
inline RequantizeOutputs Requantize(GraphBuilder& b, const Input& input, const Input& input_min, const Input& input_max, const Input& requested_output_min, const Input& requested_output_max, const DType& out_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"out_type", out_type});
  const Operation op = b.Op("Requantize", {input, input_min, input_max, requested_output_min, requested_output_max}, given, name, at);
  RequantizeOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.output_min = op.output(1);
  result.output_max = op.output(2);
  return result;
}

struct RequantizePerChannelAttrs {
  DType out_type = DType::kQUInt8;
  std::string_view name = "";
};

struct RequantizePerChannelOutputs {
  Output output;
  Output output_min;
  Output output_max;
  Operation operation;
};

// qint32 images, which have a range for each channel, as 8 bits in one range.
//   input: T
//   input_min: float32
//   input_max: float32
//   requested_output_min: float32
//   requested_output_max: float32
//   -> output: out_type
//   -> output_min: float32
//   -> output_max: float32
//   T: qint8, quint8, qint32, qint16, quint16
//   out_type: qint8, quint8, qint32, qint16, quint16
//   attr out_type: type = quint8
inline RequantizePerChannelOutputs RequantizePerChannel(GraphBuilder& b, const Input& input, const Input& input_min, const Input& input_max, const Input& requested_output_min, const Input& requested_output_max, const RequantizePerChannelAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kQUInt8)) given.push_back({"out_type", attrs.out_type});
  const Operation op = b.Op("RequantizePerChannel", {input, input_min, input_max, requested_output_min, requested_output_max}, given, attrs.name, at);
  RequantizePerChannelOutputs result;
  result.operation = op;
  result.output = op.output(0);
  result.output_min = op.output(1);
  result.output_max = op.output(2);
  return result;
}

// The elements of tensor in another shape; one dimension may be -1 for whatever is left.
//   tensor: T
//   shape: Tshape
//   -> output: T
//   Tshape: int32, int64
inline Output Reshape(GraphBuilder& b, const Input& tensor, const Input& shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Reshape", {tensor, shape}, given, name, at).output();
}

struct ResizeAreaAttrs {
  bool align_corners = false;
  std::string_view name = "";
};

// Images of another size, of the means of the areas that become pixels.
//   images: T
//   size: int32
//   -> resized_images: float32
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16
//   attr align_corners: bool = false
inline Output ResizeArea(GraphBuilder& b, const Input& images, const Input& size, const ResizeAreaAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align_corners != bool(false)) given.push_back({"align_corners", attrs.align_corners});
  return b.Op("ResizeArea", {images, size}, given, attrs.name, at).output();
}

struct ResizeBicubicAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string_view name = "";
};

// Images of another size, interpolated between four pixels along each axis.
//   images: T
//   size: int32
//   -> resized_images: float32
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16
//   attr align_corners: bool = false
//   attr half_pixel_centers: bool = false
inline Output ResizeBicubic(GraphBuilder& b, const Input& images, const Input& size, const ResizeBicubicAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align_corners != bool(false)) given.push_back({"align_corners", attrs.align_corners});
  if (attrs.half_pixel_centers != bool(false)) given.push_back({"half_pixel_centers", attrs.half_pixel_centers});
  return b.Op("ResizeBicubic", {images, size}, given, attrs.name, at).output();
}

struct ResizeBicubicGradAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string_view name = "";
};

// The gradient of the images that were resized.
//   grads: float32
//   original_image: T
//   -> output: T
//   T: float32, float64
//   attr align_corners: bool = false
//   attr half_pixel_centers: bool = false
inline Output ResizeBicubicGrad(GraphBuilder& b, const Input& grads, const Input& original_image, const ResizeBicubicGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align_corners != bool(false)) given.push_back({"align_corners", attrs.align_corners});
  if (attrs.half_pixel_centers != bool(false)) given.push_back({"half_pixel_centers", attrs.half_pixel_centers});
  return b.Op("ResizeBicubicGrad", {grads, original_image}, given, attrs.name, at).output();
}

struct ResizeBilinearAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string_view name = "";
};

// Images of another size, interpolated between two pixels along each axis.
//   images: T
//   size: int32
//   -> resized_images: float32
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16
//   attr align_corners: bool = false
//   attr half_pixel_centers: bool = false
inline Output ResizeBilinear(GraphBuilder& b, const Input& images, const Input& size, const ResizeBilinearAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align_corners != bool(false)) given.push_back({"align_corners", attrs.align_corners});
  if (attrs.half_pixel_centers != bool(false)) given.push_back({"half_pixel_centers", attrs.half_pixel_centers});
  return b.Op("ResizeBilinear", {images, size}, given, attrs.name, at).output();
}

struct ResizeBilinearGradAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string_view name = "";
};

// The gradient of the images that were resized.
//   grads: float32
//   original_image: T
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   attr align_corners: bool = false
//   attr half_pixel_centers: bool = false
inline Output ResizeBilinearGrad(GraphBuilder& b, const Input& grads, const Input& original_image, const ResizeBilinearGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align_corners != bool(false)) given.push_back({"align_corners", attrs.align_corners});
  if (attrs.half_pixel_centers != bool(false)) given.push_back({"half_pixel_centers", attrs.half_pixel_centers});
  return b.Op("ResizeBilinearGrad", {grads, original_image}, given, attrs.name, at).output();
}

struct ResizeNearestNeighborAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string_view name = "";
};

// Images of another size, of the nearest pixels.
//   images: T
//   size: int32
//   -> resized_images: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16
//   attr align_corners: bool = false
//   attr half_pixel_centers: bool = false
inline Output ResizeNearestNeighbor(GraphBuilder& b, const Input& images, const Input& size, const ResizeNearestNeighborAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align_corners != bool(false)) given.push_back({"align_corners", attrs.align_corners});
  if (attrs.half_pixel_centers != bool(false)) given.push_back({"half_pixel_centers", attrs.half_pixel_centers});
  return b.Op("ResizeNearestNeighbor", {images, size}, given, attrs.name, at).output();
}

struct ResizeNearestNeighborGradAttrs {
  bool align_corners = false;
  bool half_pixel_centers = false;
  std::string_view name = "";
};

// The gradient of the images that were resized.
//   grads: T
//   size: int32
//   -> output: T
//   T: float32, float64, int32, uint8, int8, bfloat16, float16
//   attr align_corners: bool = false
//   attr half_pixel_centers: bool = false
inline Output ResizeNearestNeighborGrad(GraphBuilder& b, const Input& grads, const Input& size, const ResizeNearestNeighborGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.align_corners != bool(false)) given.push_back({"align_corners", attrs.align_corners});
  if (attrs.half_pixel_centers != bool(false)) given.push_back({"half_pixel_centers", attrs.half_pixel_centers});
  return b.Op("ResizeNearestNeighborGrad", {grads, size}, given, attrs.name, at).output();
}

// Adds a gradient, unless it is of too early a step.
//   handle: resource
//   local_step: int64
//   gradient: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
inline Operation ResourceAccumulatorApplyGradient(GraphBuilder& b, const Input& handle, const Input& local_step, const Input& gradient, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceAccumulatorApplyGradient", {handle, local_step, gradient}, given, name, at);
}

// How many gradients there are.
//   handle: resource
//   -> num_accumulated: int32
inline Output ResourceAccumulatorNumAccumulated(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceAccumulatorNumAccumulated", {handle}, given, name, at).output();
}

// From which step on gradients count.
//   handle: resource
//   new_global_step: int64
inline Operation ResourceAccumulatorSetGlobalStep(GraphBuilder& b, const Input& handle, const Input& new_global_step, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceAccumulatorSetGlobalStep", {handle, new_global_step}, given, name, at);
}

// The average of gradients, once there are enough.
//   handle: resource
//   num_required: int32
//   -> average: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr dtype: type
inline Output ResourceAccumulatorTakeGradient(GraphBuilder& b, const Input& handle, const Input& num_required, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("ResourceAccumulatorTakeGradient", {handle, num_required}, given, name, at).output();
}

struct ResourceApplyAdaMaxAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As Adam with v a decaying maximum of |grad|.
//   var: resource
//   m: resource
//   v: resource
//   beta1_power: T
//   lr: T
//   beta1: T
//   beta2: T
//   epsilon: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyAdaMax(GraphBuilder& b, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdaMaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyAdaMax", {var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad}, given, attrs.name, at);
}

struct ResourceApplyAdadeltaAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// var -= lr times grad scaled by running averages of updates and gradients.
//   var: resource
//   accum: resource
//   accum_update: resource
//   lr: T
//   rho: T
//   epsilon: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyAdadelta(GraphBuilder& b, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ResourceApplyAdadeltaAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon, grad}, given, attrs.name, at);
}

struct ResourceApplyAdagradAttrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string_view name = "";
};

// accum += grad^2; var -= lr grad / sqrt(accum).
//   var: resource
//   accum: resource
//   lr: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr update_slots: bool = true
inline Operation ResourceApplyAdagrad(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const ResourceApplyAdagradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.update_slots != bool(true)) given.push_back({"update_slots", attrs.update_slots});
  return b.Op("ResourceApplyAdagrad", {var, accum, lr, grad}, given, attrs.name, at);
}

struct ResourceApplyAdagradDAAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Dual averaging: var follows from the sums of gradients and their squares.
//   var: resource
//   gradient_accumulator: resource
//   gradient_squared_accumulator: resource
//   grad: T
//   lr: T
//   l1: T
//   l2: T
//   global_step: int64
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyAdagradDA(GraphBuilder& b, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceApplyAdagradDAAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyAdagradDA", {var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step}, given, attrs.name, at);
}

struct ResourceApplyAdagradV2Attrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string_view name = "";
};

// accum += grad^2; var -= lr grad / (sqrt(accum) + epsilon).
//   var: resource
//   accum: resource
//   lr: T
//   epsilon: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr update_slots: bool = true
inline Operation ResourceApplyAdagradV2(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& epsilon, const Input& grad, const ResourceApplyAdagradV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.update_slots != bool(true)) given.push_back({"update_slots", attrs.update_slots});
  return b.Op("ResourceApplyAdagradV2", {var, accum, lr, epsilon, grad}, given, attrs.name, at);
}

struct ResourceApplyAdamAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string_view name = "";
};

// var -= lr m / (sqrt(v) + epsilon), where m and v average grad and grad^2.
//   var: resource
//   m: resource
//   v: resource
//   beta1_power: T
//   beta2_power: T
//   lr: T
//   beta1: T
//   beta2: T
//   epsilon: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr use_nesterov: bool = false
inline Operation ResourceApplyAdam(GraphBuilder& b, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdamAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.use_nesterov != bool(false)) given.push_back({"use_nesterov", attrs.use_nesterov});
  return b.Op("ResourceApplyAdam", {var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad}, given, attrs.name, at);
}

struct ResourceApplyAdamWithAmsgradAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As Adam with the largest v so far.
//   var: resource
//   m: resource
//   v: resource
//   vhat: resource
//   beta1_power: T
//   beta2_power: T
//   lr: T
//   beta1: T
//   beta2: T
//   epsilon: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyAdamWithAmsgrad(GraphBuilder& b, const Input& var, const Input& m, const Input& v, const Input& vhat, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdamWithAmsgradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyAdamWithAmsgrad", {var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad}, given, attrs.name, at);
}

struct ResourceApplyAddSignAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// var -= lr (alpha + sign_decay sign(grad) sign(m)) grad, where m averages grad.
//   var: resource
//   m: resource
//   lr: T
//   alpha: T
//   sign_decay: T
//   beta: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyAddSign(GraphBuilder& b, const Input& var, const Input& m, const Input& lr, const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad, const ResourceApplyAddSignAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyAddSign", {var, m, lr, alpha, sign_decay, beta, grad}, given, attrs.name, at);
}

struct ResourceApplyCenteredRMSPropAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As RMSProp with the variance of the gradient in place of ms.
//   var: resource
//   mg: resource
//   ms: resource
//   mom: resource
//   lr: T
//   rho: T
//   momentum: T
//   epsilon: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyCenteredRMSProp(GraphBuilder& b, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyCenteredRMSPropAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum, epsilon, grad}, given, attrs.name, at);
}

struct ResourceApplyFtrlAttrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string_view name = "";
};

// Follow the regularised leader, with l1 and l2 penalties.
//   var: resource
//   accum: resource
//   linear: resource
//   grad: T
//   lr: T
//   l1: T
//   l2: T
//   lr_power: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr multiply_linear_by_lr: bool = false
inline Operation ResourceApplyFtrl(GraphBuilder& b, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceApplyFtrlAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.multiply_linear_by_lr != bool(false)) given.push_back({"multiply_linear_by_lr", attrs.multiply_linear_by_lr});
  return b.Op("ResourceApplyFtrl", {var, accum, linear, grad, lr, l1, l2, lr_power}, given, attrs.name, at);
}

struct ResourceApplyFtrlV2Attrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string_view name = "";
};

// As Ftrl, with a shrinkage of var in the gradient.
//   var: resource
//   accum: resource
//   linear: resource
//   grad: T
//   lr: T
//   l1: T
//   l2: T
//   l2_shrinkage: T
//   lr_power: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr multiply_linear_by_lr: bool = false
inline Operation ResourceApplyFtrlV2(GraphBuilder& b, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceApplyFtrlV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.multiply_linear_by_lr != bool(false)) given.push_back({"multiply_linear_by_lr", attrs.multiply_linear_by_lr});
  return b.Op("ResourceApplyFtrlV2", {var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power}, given, attrs.name, at);
}

struct ResourceApplyGradientDescentAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// var -= alpha delta.
//   var: resource
//   alpha: T
//   delta: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyGradientDescent(GraphBuilder& b, const Input& var, const Input& alpha, const Input& delta, const ResourceApplyGradientDescentAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyGradientDescent", {var, alpha, delta}, given, attrs.name, at);
}

struct ResourceApplyKerasMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string_view name = "";
};

// accum = momentum accum - lr grad; var += accum.
//   var: resource
//   accum: resource
//   lr: T
//   grad: T
//   momentum: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr use_nesterov: bool = false
inline Operation ResourceApplyKerasMomentum(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyKerasMomentumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.use_nesterov != bool(false)) given.push_back({"use_nesterov", attrs.use_nesterov});
  return b.Op("ResourceApplyKerasMomentum", {var, accum, lr, grad, momentum}, given, attrs.name, at);
}

struct ResourceApplyMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string_view name = "";
};

// accum = momentum accum + grad; var -= lr accum.
//   var: resource
//   accum: resource
//   lr: T
//   grad: T
//   momentum: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
//   attr use_nesterov: bool = false
inline Operation ResourceApplyMomentum(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyMomentumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.use_nesterov != bool(false)) given.push_back({"use_nesterov", attrs.use_nesterov});
  return b.Op("ResourceApplyMomentum", {var, accum, lr, grad, momentum}, given, attrs.name, at);
}

struct ResourceApplyPowerSignAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// var -= lr exp(logbase sign_decay sign(grad) sign(m)) grad, where m averages grad.
//   var: resource
//   m: resource
//   lr: T
//   logbase: T
//   sign_decay: T
//   beta: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyPowerSign(GraphBuilder& b, const Input& var, const Input& m, const Input& lr, const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad, const ResourceApplyPowerSignAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyPowerSign", {var, m, lr, logbase, sign_decay, beta, grad}, given, attrs.name, at);
}

struct ResourceApplyProximalAdagradAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As Adagrad, then var moves towards 0 by l1 and shrinks by l2.
//   var: resource
//   accum: resource
//   lr: T
//   l1: T
//   l2: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyProximalAdagrad(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ResourceApplyProximalAdagradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyProximalAdagrad", {var, accum, lr, l1, l2, grad}, given, attrs.name, at);
}

struct ResourceApplyProximalGradientDescentAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// As GradientDescent, then var moves towards 0 by l1 and shrinks by l2.
//   var: resource
//   alpha: T
//   l1: T
//   l2: T
//   delta: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyProximalGradientDescent(GraphBuilder& b, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ResourceApplyProximalGradientDescentAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyProximalGradientDescent", {var, alpha, l1, l2, delta}, given, attrs.name, at);
}

struct ResourceApplyRMSPropAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// mom = momentum mom + lr grad / sqrt(ms + epsilon); var -= mom, ms averages grad^2.
//   var: resource
//   ms: resource
//   mom: resource
//   lr: T
//   rho: T
//   momentum: T
//   epsilon: T
//   grad: T
//   T: float32, float64, bfloat16, float16
//   attr use_locking: bool = false
inline Operation ResourceApplyRMSProp(GraphBuilder& b, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyRMSPropAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad}, given, attrs.name, at);
}

struct ResourceConditionalAccumulatorAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string reduction_type = "MEAN";
  std::string_view name = "";
};

// An accumulator of gradients.
//   -> handle: resource
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr dtype: type
//   attr shape: shape
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr reduction_type: string = "MEAN" (MEAN, SUM)
inline Output ResourceConditionalAccumulator(GraphBuilder& b, const DType& dtype, const PartialShape& shape, const ResourceConditionalAccumulatorAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  given.push_back({"shape", shape});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.reduction_type != std::string("MEAN")) given.push_back({"reduction_type", attrs.reduction_type});
  return b.Op("ResourceConditionalAccumulator", {}, given, attrs.name, at).output();
}

// Adds one to a scalar variable and returns what it was; OutOfRange once it has reached limit.
//   resource: resource
//   -> output: T
//   T: int32, int64
//   attr limit: int
//   attr T: type
inline Output ResourceCountUpTo(GraphBuilder& b, const Input& resource, const int64_t& limit, const DType& T, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"limit", limit});
  given.push_back({"T", T});
  return b.Op("ResourceCountUpTo", {resource}, given, name, at).output();
}

struct ResourceGatherAttrs {
  int64_t batch_dims = 0;
  bool validate_indices = true;
  std::string_view name = "";
};

// The rows of a variable that indices name.
//   resource: resource
//   indices: Tindices
//   -> output: dtype
//   Tindices: int32, int64
//   attr dtype: type
//   attr batch_dims: int = 0
//   attr validate_indices: bool = true
inline Output ResourceGather(GraphBuilder& b, const Input& resource, const Input& indices, const DType& dtype, const ResourceGatherAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.batch_dims != int64_t(0)) given.push_back({"batch_dims", attrs.batch_dims});
  if (attrs.validate_indices != bool(true)) given.push_back({"validate_indices", attrs.validate_indices});
  return b.Op("ResourceGather", {resource, indices}, given, attrs.name, at).output();
}

// The slices of a variable at the coordinates in the last dimension of indices.
//   resource: resource
//   indices: Tindices
//   -> output: dtype
//   Tindices: int32, int64
//   attr dtype: type
inline Output ResourceGatherNd(GraphBuilder& b, const Input& resource, const Input& indices, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("ResourceGatherNd", {resource, indices}, given, name, at).output();
}

// Adds updates to the rows of a variable that indices name.
//   resource: resource
//   indices: Tindices
//   updates: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Operation ResourceScatterAdd(GraphBuilder& b, const Input& resource, const Input& indices, const Input& updates, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceScatterAdd", {resource, indices, updates}, given, name, at);
}

// Divides the rows of a variable that indices name by updates, integers towards zero.
//   resource: resource
//   indices: Tindices
//   updates: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Operation ResourceScatterDiv(GraphBuilder& b, const Input& resource, const Input& indices, const Input& updates, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceScatterDiv", {resource, indices, updates}, given, name, at);
}

// Raises the rows of a variable that indices name to updates where those are greater.
//   resource: resource
//   indices: Tindices
//   updates: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Operation ResourceScatterMax(GraphBuilder& b, const Input& resource, const Input& indices, const Input& updates, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceScatterMax", {resource, indices, updates}, given, name, at);
}

// Lowers the rows of a variable that indices name to updates where those are less.
//   resource: resource
//   indices: Tindices
//   updates: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Operation ResourceScatterMin(GraphBuilder& b, const Input& resource, const Input& indices, const Input& updates, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceScatterMin", {resource, indices, updates}, given, name, at);
}

// Multiplies the rows of a variable that indices name by updates.
//   resource: resource
//   indices: Tindices
//   updates: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Operation ResourceScatterMul(GraphBuilder& b, const Input& resource, const Input& indices, const Input& updates, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceScatterMul", {resource, indices, updates}, given, name, at);
}

struct ResourceScatterNdAddAttrs {
  bool use_locking = true;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Adds updates to the slices at indices.
//   ref: resource
//   indices: Tindices
//   updates: T
//   Tindices: int32, int64
//   attr use_locking: bool = true
//   attr bad_indices_policy: string = ""
inline Operation ResourceScatterNdAdd(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdAddAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(true)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ResourceScatterNdAdd", {ref, indices, updates}, given, attrs.name, at);
}

struct ResourceScatterNdMaxAttrs {
  bool use_locking = true;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Raises the slices at indices to updates.
//   ref: resource
//   indices: Tindices
//   updates: T
//   Tindices: int32, int64
//   attr use_locking: bool = true
//   attr bad_indices_policy: string = ""
inline Operation ResourceScatterNdMax(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdMaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(true)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ResourceScatterNdMax", {ref, indices, updates}, given, attrs.name, at);
}

struct ResourceScatterNdMinAttrs {
  bool use_locking = true;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Lowers the slices at indices to updates.
//   ref: resource
//   indices: Tindices
//   updates: T
//   Tindices: int32, int64
//   attr use_locking: bool = true
//   attr bad_indices_policy: string = ""
inline Operation ResourceScatterNdMin(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdMinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(true)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ResourceScatterNdMin", {ref, indices, updates}, given, attrs.name, at);
}

struct ResourceScatterNdSubAttrs {
  bool use_locking = true;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Subtracts updates from the slices at indices.
//   ref: resource
//   indices: Tindices
//   updates: T
//   Tindices: int32, int64
//   attr use_locking: bool = true
//   attr bad_indices_policy: string = ""
inline Operation ResourceScatterNdSub(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdSubAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(true)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ResourceScatterNdSub", {ref, indices, updates}, given, attrs.name, at);
}

struct ResourceScatterNdUpdateAttrs {
  bool use_locking = true;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Assigns updates to the slices at indices.
//   ref: resource
//   indices: Tindices
//   updates: T
//   Tindices: int32, int64
//   attr use_locking: bool = true
//   attr bad_indices_policy: string = ""
inline Operation ResourceScatterNdUpdate(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdUpdateAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(true)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ResourceScatterNdUpdate", {ref, indices, updates}, given, attrs.name, at);
}

// Subtracts updates from the rows of a variable that indices name.
//   resource: resource
//   indices: Tindices
//   updates: dtype
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Operation ResourceScatterSub(GraphBuilder& b, const Input& resource, const Input& indices, const Input& updates, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceScatterSub", {resource, indices, updates}, given, name, at);
}

// Assigns updates to the rows of a variable that indices name.
//   resource: resource
//   indices: Tindices
//   updates: dtype
//   Tindices: int32, int64
inline Operation ResourceScatterUpdate(GraphBuilder& b, const Input& resource, const Input& indices, const Input& updates, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ResourceScatterUpdate", {resource, indices, updates}, given, name, at);
}

struct ResourceSparseApplyAdadeltaAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ResourceApplyAdadelta on the rows that indices name.
//   var: resource
//   accum: resource
//   accum_update: resource
//   lr: T
//   rho: T
//   epsilon: T
//   grad: T
//   indices: Tindices
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Operation ResourceSparseApplyAdadelta(GraphBuilder& b, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyAdadeltaAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceSparseApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon, grad, indices}, given, attrs.name, at);
}

struct ResourceSparseApplyAdagradAttrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string_view name = "";
};

// ResourceApplyAdagrad on the rows that indices name.
//   var: resource
//   accum: resource
//   lr: T
//   grad: T
//   indices: Tindices
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr update_slots: bool = true
inline Operation ResourceSparseApplyAdagrad(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const ResourceSparseApplyAdagradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.update_slots != bool(true)) given.push_back({"update_slots", attrs.update_slots});
  return b.Op("ResourceSparseApplyAdagrad", {var, accum, lr, grad, indices}, given, attrs.name, at);
}

struct ResourceSparseApplyAdagradDAAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ResourceApplyAdagradDA on the rows that indices name.
//   var: resource
//   gradient_accumulator: resource
//   gradient_squared_accumulator: resource
//   grad: T
//   indices: Tindices
//   lr: T
//   l1: T
//   l2: T
//   global_step: int64
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Operation ResourceSparseApplyAdagradDA(GraphBuilder& b, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceSparseApplyAdagradDAAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceSparseApplyAdagradDA", {var, gradient_accumulator, gradient_squared_accumulator, grad, indices, lr, l1, l2, global_step}, given, attrs.name, at);
}

struct ResourceSparseApplyAdagradV2Attrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string_view name = "";
};

// ResourceApplyAdagradV2 on the rows that indices name.
//   var: resource
//   accum: resource
//   lr: T
//   epsilon: T
//   grad: T
//   indices: Tindices
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr update_slots: bool = true
inline Operation ResourceSparseApplyAdagradV2(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyAdagradV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.update_slots != bool(true)) given.push_back({"update_slots", attrs.update_slots});
  return b.Op("ResourceSparseApplyAdagradV2", {var, accum, lr, epsilon, grad, indices}, given, attrs.name, at);
}

struct ResourceSparseApplyCenteredRMSPropAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ResourceApplyCenteredRMSProp on the rows that indices name.
//   var: resource
//   mg: resource
//   ms: resource
//   mom: resource
//   lr: T
//   rho: T
//   momentum: T
//   epsilon: T
//   grad: T
//   indices: Tindices
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Operation ResourceSparseApplyCenteredRMSProp(GraphBuilder& b, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyCenteredRMSPropAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceSparseApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices}, given, attrs.name, at);
}

struct ResourceSparseApplyFtrlAttrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string_view name = "";
};

// ResourceApplyFtrl on the rows that indices name.
//   var: resource
//   accum: resource
//   linear: resource
//   grad: T
//   indices: Tindices
//   lr: T
//   l1: T
//   l2: T
//   lr_power: T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr multiply_linear_by_lr: bool = false
inline Operation ResourceSparseApplyFtrl(GraphBuilder& b, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceSparseApplyFtrlAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.multiply_linear_by_lr != bool(false)) given.push_back({"multiply_linear_by_lr", attrs.multiply_linear_by_lr});
  return b.Op("ResourceSparseApplyFtrl", {var, accum, linear, grad, indices, lr, l1, l2, lr_power}, given, attrs.name, at);
}

struct ResourceSparseApplyFtrlV2Attrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string_view name = "";
};

// ResourceApplyFtrlV2 on the rows that indices name.
//   var: resource
//   accum: resource
//   linear: resource
//   grad: T
//   indices: Tindices
//   lr: T
//   l1: T
//   l2: T
//   l2_shrinkage: T
//   lr_power: T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr multiply_linear_by_lr: bool = false
inline Operation ResourceSparseApplyFtrlV2(GraphBuilder& b, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceSparseApplyFtrlV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.multiply_linear_by_lr != bool(false)) given.push_back({"multiply_linear_by_lr", attrs.multiply_linear_by_lr});
  return b.Op("ResourceSparseApplyFtrlV2", {var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power}, given, attrs.name, at);
}

struct ResourceSparseApplyKerasMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string_view name = "";
};

// ResourceApplyKerasMomentum on the rows that indices name.
//   var: resource
//   accum: resource
//   lr: T
//   grad: T
//   indices: Tindices
//   momentum: T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr use_nesterov: bool = false
inline Operation ResourceSparseApplyKerasMomentum(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyKerasMomentumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.use_nesterov != bool(false)) given.push_back({"use_nesterov", attrs.use_nesterov});
  return b.Op("ResourceSparseApplyKerasMomentum", {var, accum, lr, grad, indices, momentum}, given, attrs.name, at);
}

struct ResourceSparseApplyMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string_view name = "";
};

// ResourceApplyMomentum on the rows that indices name.
//   var: resource
//   accum: resource
//   lr: T
//   grad: T
//   indices: Tindices
//   momentum: T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr use_nesterov: bool = false
inline Operation ResourceSparseApplyMomentum(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyMomentumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.use_nesterov != bool(false)) given.push_back({"use_nesterov", attrs.use_nesterov});
  return b.Op("ResourceSparseApplyMomentum", {var, accum, lr, grad, indices, momentum}, given, attrs.name, at);
}

struct ResourceSparseApplyProximalAdagradAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ResourceApplyProximalAdagrad on the rows that indices name.
//   var: resource
//   accum: resource
//   lr: T
//   l1: T
//   l2: T
//   grad: T
//   indices: Tindices
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Operation ResourceSparseApplyProximalAdagrad(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalAdagradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceSparseApplyProximalAdagrad", {var, accum, lr, l1, l2, grad, indices}, given, attrs.name, at);
}

struct ResourceSparseApplyProximalGradientDescentAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ResourceApplyProximalGradientDescent on the rows that indices name.
//   var: resource
//   alpha: T
//   l1: T
//   l2: T
//   grad: T
//   indices: Tindices
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Operation ResourceSparseApplyProximalGradientDescent(GraphBuilder& b, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalGradientDescentAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceSparseApplyProximalGradientDescent", {var, alpha, l1, l2, grad, indices}, given, attrs.name, at);
}

struct ResourceSparseApplyRMSPropAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ResourceApplyRMSProp on the rows that indices name.
//   var: resource
//   ms: resource
//   mom: resource
//   lr: T
//   rho: T
//   momentum: T
//   epsilon: T
//   grad: T
//   indices: Tindices
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Operation ResourceSparseApplyRMSProp(GraphBuilder& b, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyRMSPropAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ResourceSparseApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad, indices}, given, attrs.name, at);
}

struct ResourceStridedSliceAssignAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string_view name = "";
};

// Assigns value to a strided slice of a variable.
//   ref: resource
//   begin: Index
//   end: Index
//   strides: Index
//   value: T
//   Index: int32, int64
//   attr begin_mask: int = 0
//   attr end_mask: int = 0
//   attr ellipsis_mask: int = 0
//   attr new_axis_mask: int = 0
//   attr shrink_axis_mask: int = 0
inline Operation ResourceStridedSliceAssign(GraphBuilder& b, const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const ResourceStridedSliceAssignAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.begin_mask != int64_t(0)) given.push_back({"begin_mask", attrs.begin_mask});
  if (attrs.end_mask != int64_t(0)) given.push_back({"end_mask", attrs.end_mask});
  if (attrs.ellipsis_mask != int64_t(0)) given.push_back({"ellipsis_mask", attrs.ellipsis_mask});
  if (attrs.new_axis_mask != int64_t(0)) given.push_back({"new_axis_mask", attrs.new_axis_mask});
  if (attrs.shrink_axis_mask != int64_t(0)) given.push_back({"shrink_axis_mask", attrs.shrink_axis_mask});
  return b.Op("ResourceStridedSliceAssign", {ref, begin, end, strides, value}, given, attrs.name, at);
}

struct RestoreAttrs {
  int64_t preferred_shard = -1;
  std::string_view name = "";
};

// Reads a tensor from a checkpoint.
//   file_pattern: string
//   tensor_name: string
//   -> tensor: dt
//   attr dt: type
//   attr preferred_shard: int = -1
inline Output Restore(GraphBuilder& b, const Input& file_pattern, const Input& tensor_name, const DType& dt, const RestoreAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dt", dt});
  if (attrs.preferred_shard != int64_t(-1)) given.push_back({"preferred_shard", attrs.preferred_shard});
  return b.Op("Restore", {file_pattern, tensor_name}, given, attrs.name, at).output();
}

struct RestoreSliceAttrs {
  int64_t preferred_shard = -1;
  std::string_view name = "";
};

// Reads a part of a tensor from a checkpoint.
//   file_pattern: string
//   tensor_name: string
//   shape_and_slice: string
//   -> tensor: dt
//   attr dt: type
//   attr preferred_shard: int = -1
inline Output RestoreSlice(GraphBuilder& b, const Input& file_pattern, const Input& tensor_name, const Input& shape_and_slice, const DType& dt, const RestoreSliceAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dt", dt});
  if (attrs.preferred_shard != int64_t(-1)) given.push_back({"preferred_shard", attrs.preferred_shard});
  return b.Op("RestoreSlice", {file_pattern, tensor_name, shape_and_slice}, given, attrs.name, at).output();
}

// Reads tensors from a checkpoint.
//   prefix: string
//   tensor_names: string
//   shape_and_slices: string
//   -> tensors: dtypes
//   attr dtypes: list(type) (at least 1)
inline Outputs RestoreV2(GraphBuilder& b, const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, const std::vector<DType>& dtypes, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  return b.Op("RestoreV2", {prefix, tensor_names, shape_and_slices}, given, name, at).outputs();
}

// The tensor backwards along every dimension whose flag is true.
//   tensor: T
//   dims: bool
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output Reverse(GraphBuilder& b, const Input& tensor, const Input& dims, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Reverse", {tensor, dims}, given, name, at).output();
}

struct ReverseSequenceAttrs {
  int64_t batch_dim = 0;
  std::string_view name = "";
};

// The input with the beginning of each sequence backwards.
//   input: T
//   seq_lengths: Tlen
//   -> output: T
//   Tlen: int32, int64
//   attr seq_dim: int
//   attr batch_dim: int = 0
inline Output ReverseSequence(GraphBuilder& b, const Input& input, const Input& seq_lengths, const int64_t& seq_dim, const ReverseSequenceAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"seq_dim", seq_dim});
  if (attrs.batch_dim != int64_t(0)) given.push_back({"batch_dim", attrs.batch_dim});
  return b.Op("ReverseSequence", {input, seq_lengths}, given, attrs.name, at).output();
}

// The tensor backwards along the given axes.
//   tensor: T
//   axis: Tidx
//   -> output: T
//   Tidx: int32, int64
//   T: float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output ReverseV2(GraphBuilder& b, const Input& tensor, const Input& axis, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ReverseV2", {tensor, axis}, given, name, at).output();
}

// x shifted right by y, from 0 to the width - 1; the sign of x stays.
//   x: T
//   y: T
//   -> z: T
//   T: int32, uint8, int16, int8, int64, uint16, uint32, uint64
inline Output RightShift(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RightShift", {x, y}, given, name, at).output();
}

// The nearest integer, halves to even ones.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Rint(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Rint", {x}, given, name, at).output();
}

// The input with its elements moved round along some axes.
//   input: T
//   shift: Tshift
//   axis: Taxis
//   -> output: T
//   Tshift: int32, int64
//   Taxis: int32, int64
inline Output Roll(GraphBuilder& b, const Input& input, const Input& shift, const Input& axis, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Roll", {input, shift, axis}, given, name, at).output();
}

// The nearest integer, halves to even ones.
//   x: T
//   -> y: T
//   T: float32, float64, int32, int16, int8, complex64, int64, bfloat16, complex128, float16
inline Output Round(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Round", {x}, given, name, at).output();
}

// 1 / sqrt(x).
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Rsqrt(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Rsqrt", {x}, given, name, at).output();
}

// -dy y^3 / 2, where y = 1 / sqrt(x).
//   y: T
//   dy: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output RsqrtGrad(GraphBuilder& b, const Input& y, const Input& dy, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("RsqrtGrad", {y, dy}, given, name, at).output();
}

struct SampleDistortedBoundingBoxAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  float min_object_covered = 0.1f;
  std::vector<float> aspect_ratio_range = {0.75f, 1.33f};
  std::vector<float> area_range = {0.05f, 1.0f};
  int64_t max_attempts = 100;
  bool use_image_if_no_bounding_boxes = false;
  std::string_view name = "";
};

struct SampleDistortedBoundingBoxOutputs {
  Output begin;
  Output size;
  Output bboxes;
  Operation operation;
};

// A random crop of an image that shows enough of a box.
//   image_size: T
//   bounding_boxes: float32
//   -> begin: T
//   -> size: T
//   -> bboxes: float32
//   T: int32, uint8, int16, int8, int64
//   attr seed: int = 0
//   attr seed2: int = 0
//   attr min_object_covered: float = 0.1
//   attr aspect_ratio_range: list(float) = [0.75, 1.33]
//   attr area_range: list(float) = [0.05, 1.0]
//   attr max_attempts: int = 100
//   attr use_image_if_no_bounding_boxes: bool = false
inline SampleDistortedBoundingBoxOutputs SampleDistortedBoundingBox(GraphBuilder& b, const Input& image_size, const Input& bounding_boxes, const SampleDistortedBoundingBoxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  if (attrs.min_object_covered != float(0.1f)) given.push_back({"min_object_covered", attrs.min_object_covered});
  if (attrs.aspect_ratio_range != std::vector<float>{0.75f, 1.33f}) given.push_back({"aspect_ratio_range", attrs.aspect_ratio_range});
  if (attrs.area_range != std::vector<float>{0.05f, 1.0f}) given.push_back({"area_range", attrs.area_range});
  if (attrs.max_attempts != int64_t(100)) given.push_back({"max_attempts", attrs.max_attempts});
  if (attrs.use_image_if_no_bounding_boxes != bool(false)) given.push_back({"use_image_if_no_bounding_boxes", attrs.use_image_if_no_bounding_boxes});
  const Operation op = b.Op("SampleDistortedBoundingBox", {image_size, bounding_boxes}, given, attrs.name, at);
  SampleDistortedBoundingBoxOutputs result;
  result.operation = op;
  result.begin = op.output(0);
  result.size = op.output(1);
  result.bboxes = op.output(2);
  return result;
}

struct SampleDistortedBoundingBoxV2Attrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::vector<float> aspect_ratio_range = {0.75f, 1.33f};
  std::vector<float> area_range = {0.05f, 1.0f};
  int64_t max_attempts = 100;
  bool use_image_if_no_bounding_boxes = false;
  std::string_view name = "";
};

struct SampleDistortedBoundingBoxV2Outputs {
  Output begin;
  Output size;
  Output bboxes;
  Operation operation;
};

// A random crop of an image that shows enough of a box.
//   image_size: T
//   bounding_boxes: float32
//   min_object_covered: float32
//   -> begin: T
//   -> size: T
//   -> bboxes: float32
//   T: int32, uint8, int16, int8, int64
//   attr seed: int = 0
//   attr seed2: int = 0
//   attr aspect_ratio_range: list(float) = [0.75, 1.33]
//   attr area_range: list(float) = [0.05, 1.0]
//   attr max_attempts: int = 100
//   attr use_image_if_no_bounding_boxes: bool = false
inline SampleDistortedBoundingBoxV2Outputs SampleDistortedBoundingBoxV2(GraphBuilder& b, const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered, const SampleDistortedBoundingBoxV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  if (attrs.aspect_ratio_range != std::vector<float>{0.75f, 1.33f}) given.push_back({"aspect_ratio_range", attrs.aspect_ratio_range});
  if (attrs.area_range != std::vector<float>{0.05f, 1.0f}) given.push_back({"area_range", attrs.area_range});
  if (attrs.max_attempts != int64_t(100)) given.push_back({"max_attempts", attrs.max_attempts});
  if (attrs.use_image_if_no_bounding_boxes != bool(false)) given.push_back({"use_image_if_no_bounding_boxes", attrs.use_image_if_no_bounding_boxes});
  const Operation op = b.Op("SampleDistortedBoundingBoxV2", {image_size, bounding_boxes, min_object_covered}, given, attrs.name, at);
  SampleDistortedBoundingBoxV2Outputs result;
  result.operation = op;
  result.begin = op.output(0);
  result.size = op.output(1);
  result.bboxes = op.output(2);
  return result;
}

// Writes tensors to a checkpoint of the first format.
//   filename: string
//   tensor_names: string
//   data: T
inline Operation Save(GraphBuilder& b, const Input& filename, const Input& tensor_names, InputList data, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Save", Inputs({InputList(&filename, 1), InputList(&tensor_names, 1), data}), given, name, at);
}

// Writes tensors and parts of tensors to a checkpoint of the first format.
//   filename: string
//   tensor_names: string
//   shapes_and_slices: string
//   data: T
inline Operation SaveSlices(GraphBuilder& b, const Input& filename, const Input& tensor_names, const Input& shapes_and_slices, InputList data, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SaveSlices", Inputs({InputList(&filename, 1), InputList(&tensor_names, 1), InputList(&shapes_and_slices, 1), data}), given, name, at);
}

// Writes tensors to a checkpoint.
//   prefix: string
//   tensor_names: string
//   shape_and_slices: string
//   tensors: dtypes
inline Operation SaveV2(GraphBuilder& b, const Input& prefix, const Input& tensor_names, const Input& shape_and_slices, InputList tensors, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SaveV2", Inputs({InputList(&prefix, 1), InputList(&tensor_names, 1), InputList(&shape_and_slices, 1), tensors}), given, name, at);
}

// A summary of numbers, each with a tag.
//   tags: string
//   values: T
//   -> summary: string
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output ScalarSummary(GraphBuilder& b, const Input& tags, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ScalarSummary", {tags, values}, given, name, at).output();
}

struct ScanDatasetAttrs {
  bool preserve_cardinality = false;
  bool use_default_device = true;
  std::string metadata = "";
  std::string_view name = "";
};

// What a function makes of a state that it changes and of elements.
//   input_dataset: variant
//   initial_state: Tstate
//   other_arguments: Targuments
//   -> handle: variant
//   attr f: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr preserve_cardinality: bool = false
//   attr use_default_device: bool = true
//   attr metadata: string = ""
inline Output ScanDataset(GraphBuilder& b, const Input& input_dataset, InputList initial_state, InputList other_arguments, const FunctionRef& f, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ScanDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"f", f});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.preserve_cardinality != bool(false)) given.push_back({"preserve_cardinality", attrs.preserve_cardinality});
  if (attrs.use_default_device != bool(true)) given.push_back({"use_default_device", attrs.use_default_device});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  given.push_back({"Tstate", DTypesOf(initial_state)});
  given.push_back({"Targuments", DTypesOf(other_arguments)});
  return b.Op("ScanDataset", Inputs({InputList(&input_dataset, 1), initial_state, other_arguments}), given, attrs.name, at).output();
}

struct ScatterAddAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Adds updates to the rows of ref that indices name.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output ScatterAdd(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterAddAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ScatterAdd", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterDivAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Divides the rows of ref that indices name by updates, integers towards zero.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output ScatterDiv(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterDivAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ScatterDiv", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterMaxAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Raises the rows of ref that indices name to updates where those are greater.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, int64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output ScatterMax(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterMaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ScatterMax", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterMinAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Lowers the rows of ref that indices name to updates where those are less.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, int64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output ScatterMin(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterMinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ScatterMin", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterMulAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Multiplies the rows of ref that indices name by updates.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output ScatterMul(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterMulAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ScatterMul", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterNdAttrs {
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Zeros of the given shape with updates added at indices.
//   indices: Tindices
//   updates: T
//   shape: Tindices
//   -> output: T
//   Tindices: int32, int16, int64
//   attr bad_indices_policy: string = ""
inline Output ScatterNd(GraphBuilder& b, const Input& indices, const Input& updates, const Input& shape, const ScatterNdAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ScatterNd", {indices, updates, shape}, given, attrs.name, at).output();
}

struct ScatterNdAddAttrs {
  bool use_locking = false;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Adds updates to the slices at indices.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr bad_indices_policy: string = ""
inline Output ScatterNdAdd(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterNdAddAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ScatterNdAdd", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterNdMaxAttrs {
  bool use_locking = false;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Raises the slices at indices to updates.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr bad_indices_policy: string = ""
inline Output ScatterNdMax(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterNdMaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ScatterNdMax", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterNdMinAttrs {
  bool use_locking = false;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Lowers the slices at indices to updates.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr bad_indices_policy: string = ""
inline Output ScatterNdMin(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterNdMinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ScatterNdMin", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterNdNonAliasingAddAttrs {
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// The input with updates added at indices.
//   input: T
//   indices: Tindices
//   updates: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bool, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr bad_indices_policy: string = ""
inline Output ScatterNdNonAliasingAdd(GraphBuilder& b, const Input& input, const Input& indices, const Input& updates, const ScatterNdNonAliasingAddAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ScatterNdNonAliasingAdd", {input, indices, updates}, given, attrs.name, at).output();
}

struct ScatterNdSubAttrs {
  bool use_locking = false;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Subtracts updates from the slices at indices.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr bad_indices_policy: string = ""
inline Output ScatterNdSub(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterNdSubAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ScatterNdSub", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterNdUpdateAttrs {
  bool use_locking = true;
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// Assigns updates to the slices at indices.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   Tindices: int32, int64
//   attr use_locking: bool = true
//   attr bad_indices_policy: string = ""
inline Output ScatterNdUpdate(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterNdUpdateAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(true)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("ScatterNdUpdate", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterSubAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// Subtracts updates from the rows of ref that indices name.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output ScatterSub(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterSubAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ScatterSub", {ref, indices, updates}, given, attrs.name, at).output();
}

struct ScatterUpdateAttrs {
  bool use_locking = true;
  std::string_view name = "";
};

// Assigns updates to the rows of ref that indices name.
//   ref: reference to T
//   indices: Tindices
//   updates: T
//   -> output_ref: reference to T
//   Tindices: int32, int64
//   attr use_locking: bool = true
inline Output ScatterUpdate(GraphBuilder& b, const Input& ref, const Input& indices, const Input& updates, const ScatterUpdateAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(true)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("ScatterUpdate", {ref, indices, updates}, given, attrs.name, at).output();
}

// largest values in the rows of each segment, in order.
//   data: T
//   segment_ids: Tindices
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tindices: int32, int64
inline Output SegmentMax(GraphBuilder& b, const Input& data, const Input& segment_ids, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SegmentMax", {data, segment_ids}, given, name, at).output();
}

// means of the rows of each segment, in order.
//   data: T
//   segment_ids: Tindices
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Output SegmentMean(GraphBuilder& b, const Input& data, const Input& segment_ids, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SegmentMean", {data, segment_ids}, given, name, at).output();
}

// smallest values in the rows of each segment, in order.
//   data: T
//   segment_ids: Tindices
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tindices: int32, int64
inline Output SegmentMin(GraphBuilder& b, const Input& data, const Input& segment_ids, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SegmentMin", {data, segment_ids}, given, name, at).output();
}

// products of the rows of each segment, in order.
//   data: T
//   segment_ids: Tindices
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Output SegmentProd(GraphBuilder& b, const Input& data, const Input& segment_ids, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SegmentProd", {data, segment_ids}, given, name, at).output();
}

// sums of the rows of each segment, in order.
//   data: T
//   segment_ids: Tindices
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Output SegmentSum(GraphBuilder& b, const Input& data, const Input& segment_ids, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SegmentSum", {data, segment_ids}, given, name, at).output();
}

// t where condition is true, else e; a vector chooses whole rows.
//   condition: bool
//   t: T
//   e: T
//   -> output: T
inline Output Select(GraphBuilder& b, const Input& condition, const Input& t, const Input& e, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Select", {condition, t, e}, given, name, at).output();
}

// t where condition is true, else e, all broadcast.
//   condition: bool
//   t: T
//   e: T
//   -> output: T
inline Output SelectV2(GraphBuilder& b, const Input& condition, const Input& t, const Input& e, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SelectV2", {condition, t, e}, given, name, at).output();
}

// Eigenvalues of symmetric matrices, with the eigenvectors below.
//   input: T
//   -> output: T
//   T: float32, float64
inline Output SelfAdjointEig(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SelfAdjointEig", {input}, given, name, at).output();
}

struct SelfAdjointEigV2Attrs {
  bool compute_v = true;
  std::string_view name = "";
};

struct SelfAdjointEigV2Outputs {
  Output e;
  Output v;
  Operation operation;
};

// Eigenvalues and eigenvectors of Hermitian matrices.
//   input: T
//   -> e: T
//   -> v: T
//   T: float32, float64, complex64, complex128
//   attr compute_v: bool = true
inline SelfAdjointEigV2Outputs SelfAdjointEigV2(GraphBuilder& b, const Input& input, const SelfAdjointEigV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.compute_v != bool(true)) given.push_back({"compute_v", attrs.compute_v});
  const Operation op = b.Op("SelfAdjointEigV2", {input}, given, attrs.name, at);
  SelfAdjointEigV2Outputs result;
  result.operation = op;
  result.e = op.output(0);
  result.v = op.output(1);
  return result;
}

// Elu scaled so that networks normalise themselves.
//   features: T
//   -> activations: T
//   T: float32, float64, bfloat16, float16
inline Output Selu(GraphBuilder& b, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Selu", {features}, given, name, at).output();
}

// The gradient of Selu from its outputs.
//   gradients: T
//   outputs: T
//   -> backprops: T
//   T: float32, float64, bfloat16, float16
inline Output SeluGrad(GraphBuilder& b, const Input& gradients, const Input& outputs, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SeluGrad", {gradients, outputs}, given, name, at).output();
}

struct SerializeIteratorAttrs {
  int64_t external_state_policy = 0;
  std::string_view name = "";
};

// The place of an iterator in its dataset.
//   resource_handle: resource
//   -> serialized: variant
//   attr external_state_policy: int = 0
inline Output SerializeIterator(GraphBuilder& b, const Input& resource_handle, const SerializeIteratorAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.external_state_policy != int64_t(0)) given.push_back({"external_state_policy", attrs.external_state_policy});
  return b.Op("SerializeIterator", {resource_handle}, given, attrs.name, at).output();
}

struct SerializeManySparseAttrs {
  DType out_type = DType::kString;
  std::string_view name = "";
};

// The parts of each row of a sparse tensor, each as a string or variant.
//   sparse_indices: int64
//   sparse_values: T
//   sparse_shape: int64
//   -> serialized_sparse: out_type
//   out_type: string, variant
//   attr out_type: type = string
inline Output SerializeManySparse(GraphBuilder& b, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeManySparseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kString)) given.push_back({"out_type", attrs.out_type});
  return b.Op("SerializeManySparse", {sparse_indices, sparse_values, sparse_shape}, given, attrs.name, at).output();
}

struct SerializeSparseAttrs {
  DType out_type = DType::kString;
  std::string_view name = "";
};

// The parts of a sparse tensor, each as a string or variant.
//   sparse_indices: int64
//   sparse_values: T
//   sparse_shape: int64
//   -> serialized_sparse: out_type
//   out_type: string, variant
//   attr out_type: type = string
inline Output SerializeSparse(GraphBuilder& b, const Input& sparse_indices, const Input& sparse_values, const Input& sparse_shape, const SerializeSparseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kString)) given.push_back({"out_type", attrs.out_type});
  return b.Op("SerializeSparse", {sparse_indices, sparse_values, sparse_shape}, given, attrs.name, at).output();
}

// A tensor as a string.
//   tensor: T
//   -> serialized: string
inline Output SerializeTensor(GraphBuilder& b, const Input& tensor, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SerializeTensor", {tensor}, given, name, at).output();
}

struct SetSizeAttrs {
  bool validate_indices = true;
  std::string_view name = "";
};

// Sizes of sets.
//   set_indices: int64
//   set_values: T
//   set_shape: int64
//   -> size: int32
//   T: int32, uint8, int16, int8, string, int64, uint16
//   attr validate_indices: bool = true
inline Output SetSize(GraphBuilder& b, const Input& set_indices, const Input& set_values, const Input& set_shape, const SetSizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.validate_indices != bool(true)) given.push_back({"validate_indices", attrs.validate_indices});
  return b.Op("SetSize", {set_indices, set_values, set_shape}, given, attrs.name, at).output();
}

struct ShapeAttrs {
  DType out_type = DType::kInt32;
  std::string_view name = "";
};

// The dimensions of input as a vector.
//   input: T
//   -> output: out_type
//   out_type: int32, int64
//   attr out_type: type = int32
inline Output Shape(GraphBuilder& b, const Input& input, const ShapeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kInt32)) given.push_back({"out_type", attrs.out_type});
  return b.Op("Shape", {input}, given, attrs.name, at).output();
}

struct ShapeNAttrs {
  DType out_type = DType::kInt32;
  std::string_view name = "";
};

// The dimensions of each input as a vector.
//   input: list of T
//   -> output: list of out_type
//   out_type: int32, int64
//   attr out_type: type = int32
inline Outputs ShapeN(GraphBuilder& b, InputList input, const ShapeNAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kInt32)) given.push_back({"out_type", attrs.out_type});
  return b.Op("ShapeN", Inputs({input}), given, attrs.name, at).outputs();
}

struct ShardDatasetAttrs {
  bool require_non_empty = false;
  std::string metadata = "";
  std::string_view name = "";
};

// Every num_shards-th element of a dataset.
//   input_dataset: variant
//   num_shards: int64
//   index: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr require_non_empty: bool = false
//   attr metadata: string = ""
inline Output ShardDataset(GraphBuilder& b, const Input& input_dataset, const Input& num_shards, const Input& index, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShardDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.require_non_empty != bool(false)) given.push_back({"require_non_empty", attrs.require_non_empty});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ShardDataset", {input_dataset, num_shards, index}, given, attrs.name, at).output();
}

// The name of one shard of a file.
//   basename: string
//   shard: int32
//   num_shards: int32
//   -> filename: string
inline Output ShardedFilename(GraphBuilder& b, const Input& basename, const Input& shard, const Input& num_shards, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ShardedFilename", {basename, shard, num_shards}, given, name, at).output();
}

// A pattern for the names of all shards of a file.
//   basename: string
//   num_shards: int32
//   -> filename: string
inline Output ShardedFilespec(GraphBuilder& b, const Input& basename, const Input& num_shards, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ShardedFilespec", {basename, num_shards}, given, name, at).output();
}

struct ShuffleAndRepeatDatasetAttrs {
  bool reshuffle_each_iteration = true;
  std::string metadata = "";
  std::string_view name = "";
};

// Rounds of the elements of a dataset, each in an order that seeds name.
//   input_dataset: variant
//   buffer_size: int64
//   seed: int64
//   seed2: int64
//   count: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr reshuffle_each_iteration: bool = true
//   attr metadata: string = ""
inline Output ShuffleAndRepeatDataset(GraphBuilder& b, const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleAndRepeatDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.reshuffle_each_iteration != bool(true)) given.push_back({"reshuffle_each_iteration", attrs.reshuffle_each_iteration});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ShuffleAndRepeatDataset", {input_dataset, buffer_size, seed, seed2, count}, given, attrs.name, at).output();
}

struct ShuffleAndRepeatDatasetV2Attrs {
  bool reshuffle_each_iteration = true;
  std::string metadata = "";
  std::string_view name = "";
};

// Rounds of the elements of a dataset, each in an order that seeds name.
//   input_dataset: variant
//   buffer_size: int64
//   seed: int64
//   seed2: int64
//   count: int64
//   seed_generator: resource
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr reshuffle_each_iteration: bool = true
//   attr metadata: string = ""
inline Output ShuffleAndRepeatDatasetV2(GraphBuilder& b, const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const Input& count, const Input& seed_generator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleAndRepeatDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.reshuffle_each_iteration != bool(true)) given.push_back({"reshuffle_each_iteration", attrs.reshuffle_each_iteration});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ShuffleAndRepeatDatasetV2", {input_dataset, buffer_size, seed, seed2, count, seed_generator}, given, attrs.name, at).output();
}

struct ShuffleDatasetAttrs {
  bool reshuffle_each_iteration = true;
  std::string metadata = "";
  std::string_view name = "";
};

// The elements of a dataset in an order that seeds name.
//   input_dataset: variant
//   buffer_size: int64
//   seed: int64
//   seed2: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr reshuffle_each_iteration: bool = true
//   attr metadata: string = ""
inline Output ShuffleDataset(GraphBuilder& b, const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.reshuffle_each_iteration != bool(true)) given.push_back({"reshuffle_each_iteration", attrs.reshuffle_each_iteration});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ShuffleDataset", {input_dataset, buffer_size, seed, seed2}, given, attrs.name, at).output();
}

struct ShuffleDatasetV2Attrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The elements of a dataset in an order that seeds name.
//   input_dataset: variant
//   buffer_size: int64
//   seed_generator: resource
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output ShuffleDatasetV2(GraphBuilder& b, const Input& input_dataset, const Input& buffer_size, const Input& seed_generator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ShuffleDatasetV2", {input_dataset, buffer_size, seed_generator}, given, attrs.name, at).output();
}

struct ShuffleDatasetV3Attrs {
  bool reshuffle_each_iteration = true;
  std::string metadata = "";
  std::string_view name = "";
};

// The elements of a dataset in an order that seeds name.
//   input_dataset: variant
//   buffer_size: int64
//   seed: int64
//   seed2: int64
//   seed_generator: resource
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr reshuffle_each_iteration: bool = true
//   attr metadata: string = ""
inline Output ShuffleDatasetV3(GraphBuilder& b, const Input& input_dataset, const Input& buffer_size, const Input& seed, const Input& seed2, const Input& seed_generator, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ShuffleDatasetV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.reshuffle_each_iteration != bool(true)) given.push_back({"reshuffle_each_iteration", attrs.reshuffle_each_iteration});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ShuffleDatasetV3", {input_dataset, buffer_size, seed, seed2, seed_generator}, given, attrs.name, at).output();
}

// 1 / (1 + exp(-x)).
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Sigmoid(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Sigmoid", {x}, given, name, at).output();
}

// dy y (1 - y), where y = sigmoid(x).
//   y: T
//   dy: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output SigmoidGrad(GraphBuilder& b, const Input& y, const Input& dy, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SigmoidGrad", {y, dy}, given, name, at).output();
}

// -1, 0 or 1, as x; x / |x| for complex numbers.
//   x: T
//   -> y: T
//   T: float32, float64, int32, int16, int8, complex64, int64, bfloat16, complex128, float16
inline Output Sign(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Sign", {x}, given, name, at).output();
}

// The sine of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Sin(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Sin", {x}, given, name, at).output();
}

// The hyperbolic sine of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Sinh(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Sinh", {x}, given, name, at).output();
}

struct SizeAttrs {
  DType out_type = DType::kInt32;
  std::string_view name = "";
};

// The number of elements of input.
//   input: T
//   -> output: out_type
//   out_type: int32, int64
//   attr out_type: type = int32
inline Output Size(GraphBuilder& b, const Input& input, const SizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kInt32)) given.push_back({"out_type", attrs.out_type});
  return b.Op("Size", {input}, given, attrs.name, at).output();
}

struct SkipDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The elements of a dataset but the first.
//   input_dataset: variant
//   count: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output SkipDataset(GraphBuilder& b, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const SkipDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("SkipDataset", {input_dataset, count}, given, attrs.name, at).output();
}

// The block of input that begins at begin and has the given size; a size of -1 reaches to the end.
//   input: T
//   begin: Index
//   size: Index
//   -> output: T
//   Index: int32, int64
inline Output Slice(GraphBuilder& b, const Input& input, const Input& begin, const Input& size, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Slice", {input, begin, size}, given, name, at).output();
}

// The input, as it is now.
//   input: T
//   -> output: T
inline Output Snapshot(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Snapshot", {input}, given, name, at).output();
}

// Probabilities along the last dimension: exp(logits) divided by their sum.
//   logits: T
//   -> softmax: T
//   T: float32, float64, bfloat16, float16
inline Output Softmax(GraphBuilder& b, const Input& logits, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Softmax", {logits}, given, name, at).output();
}

struct SoftmaxCrossEntropyWithLogitsOutputs {
  Output loss;
  Output backprop;
  Operation operation;
};

// The cross entropy of labels with the softmax of features, and its gradient.
//   features: T
//   labels: T
//   -> loss: T
//   -> backprop: T
//   T: float32, float64, bfloat16, float16
inline SoftmaxCrossEntropyWithLogitsOutputs SoftmaxCrossEntropyWithLogits(GraphBuilder& b, const Input& features, const Input& labels, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SoftmaxCrossEntropyWithLogits", {features, labels}, given, name, at);
  SoftmaxCrossEntropyWithLogitsOutputs result;
  result.operation = op;
  result.loss = op.output(0);
  result.backprop = op.output(1);
  return result;
}

// log(exp(features) + 1), without overflow.
//   features: T
//   -> activations: T
//   T: float32, float64, bfloat16, float16
inline Output Softplus(GraphBuilder& b, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Softplus", {features}, given, name, at).output();
}

// Gradients / (exp(-features) + 1).
//   gradients: T
//   features: T
//   -> backprops: T
//   T: float32, float64, bfloat16, float16
inline Output SoftplusGrad(GraphBuilder& b, const Input& gradients, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SoftplusGrad", {gradients, features}, given, name, at).output();
}

// features / (abs(features) + 1).
//   features: T
//   -> activations: T
//   T: float32, float64, bfloat16, float16
inline Output Softsign(GraphBuilder& b, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Softsign", {features}, given, name, at).output();
}

// Gradients / (abs(features) + 1)^2.
//   gradients: T
//   features: T
//   -> backprops: T
//   T: float32, float64, bfloat16, float16
inline Output SoftsignGrad(GraphBuilder& b, const Input& gradients, const Input& features, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SoftsignGrad", {gradients, features}, given, name, at).output();
}

// blocks of padded images moved into the batch.
//   input: T
//   paddings: Tpaddings
//   -> output: T
//   Tpaddings: int32, int64
//   attr block_size: int (at least 2)
inline Output SpaceToBatch(GraphBuilder& b, const Input& input, const Input& paddings, const int64_t& block_size, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"block_size", block_size});
  return b.Op("SpaceToBatch", {input, paddings}, given, name, at).output();
}

// blocks of the padded spatial dimensions moved into the batch.
//   input: T
//   block_shape: Tblock_shape
//   paddings: Tpaddings
//   -> output: T
//   Tblock_shape: int32, int64
//   Tpaddings: int32, int64
inline Output SpaceToBatchND(GraphBuilder& b, const Input& input, const Input& block_shape, const Input& paddings, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SpaceToBatchND", {input, block_shape, paddings}, given, name, at).output();
}

struct SpaceToDepthAttrs {
  std::string data_format = "NHWC";
  std::string_view name = "";
};

// blocks of pixels moved into the channels.
//   input: T
//   -> output: T
//   attr block_size: int (at least 2)
//   attr data_format: string = "NHWC" (NHWC, NCHW, NCHW_VECT_C)
inline Output SpaceToDepth(GraphBuilder& b, const Input& input, const int64_t& block_size, const SpaceToDepthAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"block_size", block_size});
  if (attrs.data_format != std::string("NHWC")) given.push_back({"data_format", attrs.data_format});
  return b.Op("SpaceToDepth", {input}, given, attrs.name, at).output();
}

// Adds rows of a gradient, unless it is of too early a step.
//   handle: reference to string
//   local_step: int64
//   gradient_indices: int64
//   gradient_values: dtype
//   gradient_shape: int64
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr has_known_shape: bool
inline Operation SparseAccumulatorApplyGradient(GraphBuilder& b, const Input& handle, const Input& local_step, const Input& gradient_indices, const Input& gradient_values, const Input& gradient_shape, const bool& has_known_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"has_known_shape", has_known_shape});
  return b.Op("SparseAccumulatorApplyGradient", {handle, local_step, gradient_indices, gradient_values, gradient_shape}, given, name, at);
}

struct SparseAccumulatorTakeGradientOutputs {
  Output indices;
  Output values;
  Output shape;
  Operation operation;
};

// The average of rows of gradients, once there are enough.
//   handle: reference to string
//   num_required: int32
//   -> indices: int64
//   -> values: dtype
//   -> shape: int64
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr dtype: type
inline SparseAccumulatorTakeGradientOutputs SparseAccumulatorTakeGradient(GraphBuilder& b, const Input& handle, const Input& num_required, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  const Operation op = b.Op("SparseAccumulatorTakeGradient", {handle, num_required}, given, name, at);
  SparseAccumulatorTakeGradientOutputs result;
  result.operation = op;
  result.indices = op.output(0);
  result.values = op.output(1);
  result.shape = op.output(2);
  return result;
}

struct SparseAddOutputs {
  Output sum_indices;
  Output sum_values;
  Output sum_shape;
  Operation operation;
};

// The sum of two sparse tensors, without entries below a threshold.
//   a_indices: int64
//   a_values: T
//   a_shape: int64
//   b_indices: int64
//   b_values: T
//   b_shape: int64
//   thresh: Treal
//   -> sum_indices: int64
//   -> sum_values: T
//   -> sum_shape: int64
//   T: float32, float64, int32, int16, int8, complex64, int64, complex128
//   Treal: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline SparseAddOutputs SparseAdd(GraphBuilder& b, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, const Input& thresh, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseAdd", {a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh}, given, name, at);
  SparseAddOutputs result;
  result.operation = op;
  result.sum_indices = op.output(0);
  result.sum_values = op.output(1);
  result.sum_shape = op.output(2);
  return result;
}

struct SparseAddGradOutputs {
  Output a_val_grad;
  Output b_val_grad;
  Operation operation;
};

// The gradients of SparseAdd's values.
//   backprop_val_grad: T
//   a_indices: int64
//   b_indices: int64
//   sum_indices: int64
//   -> a_val_grad: T
//   -> b_val_grad: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline SparseAddGradOutputs SparseAddGrad(GraphBuilder& b, const Input& backprop_val_grad, const Input& a_indices, const Input& b_indices, const Input& sum_indices, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseAddGrad", {backprop_val_grad, a_indices, b_indices, sum_indices}, given, name, at);
  SparseAddGradOutputs result;
  result.operation = op;
  result.a_val_grad = op.output(0);
  result.b_val_grad = op.output(1);
  return result;
}

struct SparseApplyAdadeltaAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ApplyAdadelta on the rows that indices name.
//   var: reference to T
//   accum: reference to T
//   accum_update: reference to T
//   lr: T
//   rho: T
//   epsilon: T
//   grad: T
//   indices: Tindices
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output SparseApplyAdadelta(GraphBuilder& b, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyAdadeltaAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("SparseApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon, grad, indices}, given, attrs.name, at).output();
}

struct SparseApplyAdagradAttrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string_view name = "";
};

// ApplyAdagrad on the rows that indices name.
//   var: reference to T
//   accum: reference to T
//   lr: T
//   grad: T
//   indices: Tindices
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr update_slots: bool = true
inline Output SparseApplyAdagrad(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const SparseApplyAdagradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.update_slots != bool(true)) given.push_back({"update_slots", attrs.update_slots});
  return b.Op("SparseApplyAdagrad", {var, accum, lr, grad, indices}, given, attrs.name, at).output();
}

struct SparseApplyAdagradDAAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ApplyAdagradDA on the rows that indices name.
//   var: reference to T
//   gradient_accumulator: reference to T
//   gradient_squared_accumulator: reference to T
//   grad: T
//   indices: Tindices
//   lr: T
//   l1: T
//   l2: T
//   global_step: int64
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output SparseApplyAdagradDA(GraphBuilder& b, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const SparseApplyAdagradDAAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("SparseApplyAdagradDA", {var, gradient_accumulator, gradient_squared_accumulator, grad, indices, lr, l1, l2, global_step}, given, attrs.name, at).output();
}

struct SparseApplyAdagradV2Attrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string_view name = "";
};

// ApplyAdagradV2 on the rows that indices name.
//   var: reference to T
//   accum: reference to T
//   lr: T
//   epsilon: T
//   grad: T
//   indices: Tindices
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr update_slots: bool = true
inline Output SparseApplyAdagradV2(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyAdagradV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.update_slots != bool(true)) given.push_back({"update_slots", attrs.update_slots});
  return b.Op("SparseApplyAdagradV2", {var, accum, lr, epsilon, grad, indices}, given, attrs.name, at).output();
}

struct SparseApplyCenteredRMSPropAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ApplyCenteredRMSProp on the rows that indices name.
//   var: reference to T
//   mg: reference to T
//   ms: reference to T
//   mom: reference to T
//   lr: T
//   rho: T
//   momentum: T
//   epsilon: T
//   grad: T
//   indices: Tindices
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output SparseApplyCenteredRMSProp(GraphBuilder& b, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyCenteredRMSPropAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("SparseApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices}, given, attrs.name, at).output();
}

struct SparseApplyFtrlAttrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string_view name = "";
};

// ApplyFtrl on the rows that indices name.
//   var: reference to T
//   accum: reference to T
//   linear: reference to T
//   grad: T
//   indices: Tindices
//   lr: T
//   l1: T
//   l2: T
//   lr_power: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr multiply_linear_by_lr: bool = false
inline Output SparseApplyFtrl(GraphBuilder& b, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const SparseApplyFtrlAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.multiply_linear_by_lr != bool(false)) given.push_back({"multiply_linear_by_lr", attrs.multiply_linear_by_lr});
  return b.Op("SparseApplyFtrl", {var, accum, linear, grad, indices, lr, l1, l2, lr_power}, given, attrs.name, at).output();
}

struct SparseApplyFtrlV2Attrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string_view name = "";
};

// ApplyFtrlV2 on the rows that indices name.
//   var: reference to T
//   accum: reference to T
//   linear: reference to T
//   grad: T
//   indices: Tindices
//   lr: T
//   l1: T
//   l2: T
//   l2_shrinkage: T
//   lr_power: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr multiply_linear_by_lr: bool = false
inline Output SparseApplyFtrlV2(GraphBuilder& b, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const SparseApplyFtrlV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.multiply_linear_by_lr != bool(false)) given.push_back({"multiply_linear_by_lr", attrs.multiply_linear_by_lr});
  return b.Op("SparseApplyFtrlV2", {var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power}, given, attrs.name, at).output();
}

struct SparseApplyMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string_view name = "";
};

// ApplyMomentum on the rows that indices name.
//   var: reference to T
//   accum: reference to T
//   lr: T
//   grad: T
//   indices: Tindices
//   momentum: T
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
//   attr use_nesterov: bool = false
inline Output SparseApplyMomentum(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const SparseApplyMomentumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  if (attrs.use_nesterov != bool(false)) given.push_back({"use_nesterov", attrs.use_nesterov});
  return b.Op("SparseApplyMomentum", {var, accum, lr, grad, indices, momentum}, given, attrs.name, at).output();
}

struct SparseApplyProximalAdagradAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ApplyProximalAdagrad on the rows that indices name.
//   var: reference to T
//   accum: reference to T
//   lr: T
//   l1: T
//   l2: T
//   grad: T
//   indices: Tindices
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output SparseApplyProximalAdagrad(GraphBuilder& b, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalAdagradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("SparseApplyProximalAdagrad", {var, accum, lr, l1, l2, grad, indices}, given, attrs.name, at).output();
}

struct SparseApplyProximalGradientDescentAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ApplyProximalGradientDescent on the rows that indices name.
//   var: reference to T
//   alpha: T
//   l1: T
//   l2: T
//   grad: T
//   indices: Tindices
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output SparseApplyProximalGradientDescent(GraphBuilder& b, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalGradientDescentAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("SparseApplyProximalGradientDescent", {var, alpha, l1, l2, grad, indices}, given, attrs.name, at).output();
}

struct SparseApplyRMSPropAttrs {
  bool use_locking = false;
  std::string_view name = "";
};

// ApplyRMSProp on the rows that indices name.
//   var: reference to T
//   ms: reference to T
//   mom: reference to T
//   lr: T
//   rho: T
//   momentum: T
//   epsilon: T
//   grad: T
//   indices: Tindices
//   -> out: reference to T
//   T: float32, float64, bfloat16, float16
//   Tindices: int32, int64
//   attr use_locking: bool = false
inline Output SparseApplyRMSProp(GraphBuilder& b, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyRMSPropAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.use_locking != bool(false)) given.push_back({"use_locking", attrs.use_locking});
  return b.Op("SparseApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad, indices}, given, attrs.name, at).output();
}

struct SparseBincountAttrs {
  bool binary_output = false;
  std::string_view name = "";
};

// How often each number occurs in each row, or the sum of its weights.
//   indices: int64
//   values: Tidx
//   dense_shape: int64
//   size: Tidx
//   weights: T
//   -> output: T
//   Tidx: int32, int64
//   T: float32, float64, int32, int64
//   attr binary_output: bool = false
inline Output SparseBincount(GraphBuilder& b, const Input& indices, const Input& values, const Input& dense_shape, const Input& size, const Input& weights, const SparseBincountAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.binary_output != bool(false)) given.push_back({"binary_output", attrs.binary_output});
  return b.Op("SparseBincount", {indices, values, dense_shape, size, weights}, given, attrs.name, at).output();
}

struct SparseConcatOutputs {
  Output output_indices;
  Output output_values;
  Output output_shape;
  Operation operation;
};

// Sparse tensors beside each other along a dimension.
//   indices: list of int64
//   values: list of T
//   shapes: list of int64
//   -> output_indices: int64
//   -> output_values: T
//   -> output_shape: int64
//   attr concat_dim: int
inline SparseConcatOutputs SparseConcat(GraphBuilder& b, InputList indices, InputList values, InputList shapes, const int64_t& concat_dim, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"concat_dim", concat_dim});
  const Operation op = b.Op("SparseConcat", Inputs({indices, values, shapes}), given, name, at);
  SparseConcatOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_shape = op.output(2);
  return result;
}

struct SparseConditionalAccumulatorAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string reduction_type = "MEAN";
  std::string_view name = "";
};

// An accumulator of rows of gradients.
//   -> handle: reference to string
//   dtype: float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
//   attr dtype: type
//   attr shape: shape
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr reduction_type: string = "MEAN" (MEAN, SUM)
inline Output SparseConditionalAccumulator(GraphBuilder& b, const DType& dtype, const PartialShape& shape, const SparseConditionalAccumulatorAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  given.push_back({"shape", shape});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.reduction_type != std::string("MEAN")) given.push_back({"reduction_type", attrs.reduction_type});
  return b.Op("SparseConditionalAccumulator", {}, given, attrs.name, at).output();
}

struct SparseCountSparseOutputAttrs {
  int64_t minlength = -1;
  int64_t maxlength = -1;
  std::string_view name = "";
};

struct SparseCountSparseOutputOutputs {
  Output output_indices;
  Output output_values;
  Output output_dense_shape;
  Operation operation;
};

// How often each number occurs in each row, or the sum of its weights.
//   indices: int64
//   values: T
//   dense_shape: int64
//   weights: output_type
//   -> output_indices: int64
//   -> output_values: output_type
//   -> output_dense_shape: int64
//   T: int32, int64
//   output_type: float32, float64, int32, int64
//   attr binary_output: bool
//   attr minlength: int = -1 (at least -1)
//   attr maxlength: int = -1 (at least -1)
inline SparseCountSparseOutputOutputs SparseCountSparseOutput(GraphBuilder& b, const Input& indices, const Input& values, const Input& dense_shape, const Input& weights, const bool& binary_output, const SparseCountSparseOutputAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"binary_output", binary_output});
  if (attrs.minlength != int64_t(-1)) given.push_back({"minlength", attrs.minlength});
  if (attrs.maxlength != int64_t(-1)) given.push_back({"maxlength", attrs.maxlength});
  const Operation op = b.Op("SparseCountSparseOutput", {indices, values, dense_shape, weights}, given, attrs.name, at);
  SparseCountSparseOutputOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_dense_shape = op.output(2);
  return result;
}

struct SparseCrossOutputs {
  Output output_indices;
  Output output_values;
  Output output_shape;
  Operation operation;
};

// Every choice of one value from each column, for each row.
//   indices: list of int64
//   values: sparse_types
//   shapes: list of int64
//   dense_inputs: dense_types
//   -> output_indices: int64
//   -> output_values: out_type
//   -> output_shape: int64
//   out_type: string, int64
//   internal_type: string, int64
//   attr hashed_output: bool
//   attr num_buckets: int (at least 0)
//   attr hash_key: int
//   attr out_type: type
//   attr internal_type: type
inline SparseCrossOutputs SparseCross(GraphBuilder& b, InputList indices, InputList values, InputList shapes, InputList dense_inputs, const bool& hashed_output, const int64_t& num_buckets, const int64_t& hash_key, const DType& out_type, const DType& internal_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"hashed_output", hashed_output});
  given.push_back({"num_buckets", num_buckets});
  given.push_back({"hash_key", hash_key});
  given.push_back({"out_type", out_type});
  given.push_back({"internal_type", internal_type});
  given.push_back({"N", static_cast<int64_t>(indices.size())});
  given.push_back({"sparse_types", DTypesOf(values)});
  given.push_back({"dense_types", DTypesOf(dense_inputs)});
  const Operation op = b.Op("SparseCross", Inputs({indices, values, shapes, dense_inputs}), given, name, at);
  SparseCrossOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_shape = op.output(2);
  return result;
}

struct SparseCrossHashedOutputs {
  Output output_indices;
  Output output_values;
  Output output_shape;
  Operation operation;
};

// Every choice of one value from each column, for each row.
//   indices: list of int64
//   values: sparse_types
//   shapes: list of int64
//   dense_inputs: dense_types
//   num_buckets: int64
//   strong_hash: bool
//   salt: int64
//   -> output_indices: int64
//   -> output_values: int64
//   -> output_shape: int64
inline SparseCrossHashedOutputs SparseCrossHashed(GraphBuilder& b, InputList indices, InputList values, InputList shapes, InputList dense_inputs, const Input& num_buckets, const Input& strong_hash, const Input& salt, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"N", static_cast<int64_t>(indices.size())});
  given.push_back({"sparse_types", DTypesOf(values)});
  given.push_back({"dense_types", DTypesOf(dense_inputs)});
  const Operation op = b.Op("SparseCrossHashed", Inputs({indices, values, shapes, dense_inputs, InputList(&num_buckets, 1), InputList(&strong_hash, 1), InputList(&salt, 1)}), given, name, at);
  SparseCrossHashedOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_shape = op.output(2);
  return result;
}

struct SparseCrossV2Outputs {
  Output output_indices;
  Output output_values;
  Output output_shape;
  Operation operation;
};

// Every choice of one value from each column, for each row.
//   indices: list of int64
//   values: sparse_types
//   shapes: list of int64
//   dense_inputs: dense_types
//   sep: string
//   -> output_indices: int64
//   -> output_values: string
//   -> output_shape: int64
inline SparseCrossV2Outputs SparseCrossV2(GraphBuilder& b, InputList indices, InputList values, InputList shapes, InputList dense_inputs, const Input& sep, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"N", static_cast<int64_t>(indices.size())});
  given.push_back({"sparse_types", DTypesOf(values)});
  given.push_back({"dense_types", DTypesOf(dense_inputs)});
  const Operation op = b.Op("SparseCrossV2", Inputs({indices, values, shapes, dense_inputs, InputList(&sep, 1)}), given, name, at);
  SparseCrossV2Outputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_shape = op.output(2);
  return result;
}

// Values of a sparse tensor with the dense elements at their places.
//   sp_indices: int64
//   sp_values: T
//   sp_shape: int64
//   dense: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output SparseDenseCwiseAdd(GraphBuilder& b, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseDenseCwiseAdd", {sp_indices, sp_values, sp_shape, dense}, given, name, at).output();
}

// Values of a sparse tensor with the dense elements at their places.
//   sp_indices: int64
//   sp_values: T
//   sp_shape: int64
//   dense: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output SparseDenseCwiseDiv(GraphBuilder& b, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseDenseCwiseDiv", {sp_indices, sp_values, sp_shape, dense}, given, name, at).output();
}

// Values of a sparse tensor with the dense elements at their places.
//   sp_indices: int64
//   sp_values: T
//   sp_shape: int64
//   dense: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output SparseDenseCwiseMul(GraphBuilder& b, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, const Input& dense, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseDenseCwiseMul", {sp_indices, sp_values, sp_shape, dense}, given, name, at).output();
}

struct SparseFillEmptyRowsOutputs {
  Output output_indices;
  Output output_values;
  Output empty_row_indicator;
  Output reverse_index_map;
  Operation operation;
};

// Entries with a default one in each row that has none.
//   indices: int64
//   values: T
//   dense_shape: int64
//   default_value: T
//   -> output_indices: int64
//   -> output_values: T
//   -> empty_row_indicator: bool
//   -> reverse_index_map: int64
inline SparseFillEmptyRowsOutputs SparseFillEmptyRows(GraphBuilder& b, const Input& indices, const Input& values, const Input& dense_shape, const Input& default_value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseFillEmptyRows", {indices, values, dense_shape, default_value}, given, name, at);
  SparseFillEmptyRowsOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.empty_row_indicator = op.output(2);
  result.reverse_index_map = op.output(3);
  return result;
}

struct SparseFillEmptyRowsGradOutputs {
  Output d_values;
  Output d_default_value;
  Operation operation;
};

// Gradients of the values and of the default value.
//   reverse_index_map: int64
//   grad_values: T
//   -> d_values: T
//   -> d_default_value: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline SparseFillEmptyRowsGradOutputs SparseFillEmptyRowsGrad(GraphBuilder& b, const Input& reverse_index_map, const Input& grad_values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseFillEmptyRowsGrad", {reverse_index_map, grad_values}, given, name, at);
  SparseFillEmptyRowsGradOutputs result;
  result.operation = op;
  result.d_values = op.output(0);
  result.d_default_value = op.output(1);
  return result;
}

struct SparseMatMulAttrs {
  bool transpose_a = false;
  bool transpose_b = false;
  bool a_is_sparse = false;
  bool b_is_sparse = false;
  std::string_view name = "";
};

// The product of two dense matrices that may have many zeros.
//   a: Ta
//   b: Tb
//   -> product: float32
//   Ta: float32, bfloat16
//   Tb: float32, bfloat16
//   attr transpose_a: bool = false
//   attr transpose_b: bool = false
//   attr a_is_sparse: bool = false
//   attr b_is_sparse: bool = false
inline Output SparseMatMul(GraphBuilder& b, const Input& a, const Input& b_, const SparseMatMulAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.transpose_a != bool(false)) given.push_back({"transpose_a", attrs.transpose_a});
  if (attrs.transpose_b != bool(false)) given.push_back({"transpose_b", attrs.transpose_b});
  if (attrs.a_is_sparse != bool(false)) given.push_back({"a_is_sparse", attrs.a_is_sparse});
  if (attrs.b_is_sparse != bool(false)) given.push_back({"b_is_sparse", attrs.b_is_sparse});
  return b.Op("SparseMatMul", {a, b_}, given, attrs.name, at).output();
}

struct SparseReduceMaxAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// A reduction of a sparse tensor to a dense one.
//   input_indices: int64
//   input_values: T
//   input_shape: int64
//   reduction_axes: int32
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr keep_dims: bool = false
inline Output SparseReduceMax(GraphBuilder& b, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("SparseReduceMax", {input_indices, input_values, input_shape, reduction_axes}, given, attrs.name, at).output();
}

struct SparseReduceMaxSparseAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

struct SparseReduceMaxSparseOutputs {
  Output output_indices;
  Output output_values;
  Output output_shape;
  Operation operation;
};

// A reduction of a sparse tensor to a sparse one.
//   input_indices: int64
//   input_values: T
//   input_shape: int64
//   reduction_axes: int32
//   -> output_indices: int64
//   -> output_values: T
//   -> output_shape: int64
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr keep_dims: bool = false
inline SparseReduceMaxSparseOutputs SparseReduceMaxSparse(GraphBuilder& b, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceMaxSparseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  const Operation op = b.Op("SparseReduceMaxSparse", {input_indices, input_values, input_shape, reduction_axes}, given, attrs.name, at);
  SparseReduceMaxSparseOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_shape = op.output(2);
  return result;
}

struct SparseReduceSumAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// A reduction of a sparse tensor to a dense one.
//   input_indices: int64
//   input_values: T
//   input_shape: int64
//   reduction_axes: int32
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr keep_dims: bool = false
inline Output SparseReduceSum(GraphBuilder& b, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("SparseReduceSum", {input_indices, input_values, input_shape, reduction_axes}, given, attrs.name, at).output();
}

struct SparseReduceSumSparseAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

struct SparseReduceSumSparseOutputs {
  Output output_indices;
  Output output_values;
  Output output_shape;
  Operation operation;
};

// A reduction of a sparse tensor to a sparse one.
//   input_indices: int64
//   input_values: T
//   input_shape: int64
//   reduction_axes: int32
//   -> output_indices: int64
//   -> output_values: T
//   -> output_shape: int64
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   attr keep_dims: bool = false
inline SparseReduceSumSparseOutputs SparseReduceSumSparse(GraphBuilder& b, const Input& input_indices, const Input& input_values, const Input& input_shape, const Input& reduction_axes, const SparseReduceSumSparseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  const Operation op = b.Op("SparseReduceSumSparse", {input_indices, input_values, input_shape, reduction_axes}, given, attrs.name, at);
  SparseReduceSumSparseOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_shape = op.output(2);
  return result;
}

struct SparseReorderOutputs {
  Output output_indices;
  Output output_values;
  Operation operation;
};

// Entries in ascending order of their indices.
//   input_indices: int64
//   input_values: T
//   input_shape: int64
//   -> output_indices: int64
//   -> output_values: T
inline SparseReorderOutputs SparseReorder(GraphBuilder& b, const Input& input_indices, const Input& input_values, const Input& input_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseReorder", {input_indices, input_values, input_shape}, given, name, at);
  SparseReorderOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  return result;
}

struct SparseReshapeOutputs {
  Output output_indices;
  Output output_shape;
  Operation operation;
};

// Indices under another dense shape.
//   input_indices: int64
//   input_shape: int64
//   new_shape: int64
//   -> output_indices: int64
//   -> output_shape: int64
inline SparseReshapeOutputs SparseReshape(GraphBuilder& b, const Input& input_indices, const Input& input_shape, const Input& new_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseReshape", {input_indices, input_shape, new_shape}, given, name, at);
  SparseReshapeOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_shape = op.output(1);
  return result;
}

struct SparseSegmentMeanAttrs {
  bool sparse_gradient = false;
  std::string_view name = "";
};

// Means of the rows at indices, for each segment.
//   data: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
//   attr sparse_gradient: bool = false
inline Output SparseSegmentMean(GraphBuilder& b, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentMeanAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.sparse_gradient != bool(false)) given.push_back({"sparse_gradient", attrs.sparse_gradient});
  return b.Op("SparseSegmentMean", {data, indices, segment_ids}, given, attrs.name, at).output();
}

// The gradient of SparseSegmentMean.
//   grad: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   output_dim0: int32
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
inline Output SparseSegmentMeanGrad(GraphBuilder& b, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseSegmentMeanGrad", {grad, indices, segment_ids, output_dim0}, given, name, at).output();
}

struct SparseSegmentMeanGradV2Outputs {
  Output output;
  Output sorted_unique_indices;
  Operation operation;
};

// The rows of the gradient of SparseSegmentMean that are not zero, and where they are.
//   grad: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   dense_output_dim0: int32
//   -> output: T
//   -> sorted_unique_indices: Tidx
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
inline SparseSegmentMeanGradV2Outputs SparseSegmentMeanGradV2(GraphBuilder& b, const Input& grad, const Input& indices, const Input& segment_ids, const Input& dense_output_dim0, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseSegmentMeanGradV2", {grad, indices, segment_ids, dense_output_dim0}, given, name, at);
  SparseSegmentMeanGradV2Outputs result;
  result.operation = op;
  result.output = op.output(0);
  result.sorted_unique_indices = op.output(1);
  return result;
}

struct SparseSegmentMeanWithNumSegmentsAttrs {
  bool sparse_gradient = false;
  std::string_view name = "";
};

// Means of the rows at indices, for each segment.
//   data: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   num_segments: Tnumsegments
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tnumsegments: int32, int64
//   Tsegmentids: int32, int64
//   attr sparse_gradient: bool = false
inline Output SparseSegmentMeanWithNumSegments(GraphBuilder& b, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentMeanWithNumSegmentsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.sparse_gradient != bool(false)) given.push_back({"sparse_gradient", attrs.sparse_gradient});
  return b.Op("SparseSegmentMeanWithNumSegments", {data, indices, segment_ids, num_segments}, given, attrs.name, at).output();
}

struct SparseSegmentSqrtNAttrs {
  bool sparse_gradient = false;
  std::string_view name = "";
};

// Sums divided by the root of their count of the rows at indices, for each segment.
//   data: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
//   attr sparse_gradient: bool = false
inline Output SparseSegmentSqrtN(GraphBuilder& b, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSqrtNAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.sparse_gradient != bool(false)) given.push_back({"sparse_gradient", attrs.sparse_gradient});
  return b.Op("SparseSegmentSqrtN", {data, indices, segment_ids}, given, attrs.name, at).output();
}

// The gradient of SparseSegmentSqrtN.
//   grad: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   output_dim0: int32
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
inline Output SparseSegmentSqrtNGrad(GraphBuilder& b, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseSegmentSqrtNGrad", {grad, indices, segment_ids, output_dim0}, given, name, at).output();
}

struct SparseSegmentSqrtNGradV2Outputs {
  Output output;
  Output sorted_unique_indices;
  Operation operation;
};

// The rows of the gradient of SparseSegmentSqrtN that are not zero, and where they are.
//   grad: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   dense_output_dim0: int32
//   -> output: T
//   -> sorted_unique_indices: Tidx
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
inline SparseSegmentSqrtNGradV2Outputs SparseSegmentSqrtNGradV2(GraphBuilder& b, const Input& grad, const Input& indices, const Input& segment_ids, const Input& dense_output_dim0, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseSegmentSqrtNGradV2", {grad, indices, segment_ids, dense_output_dim0}, given, name, at);
  SparseSegmentSqrtNGradV2Outputs result;
  result.operation = op;
  result.output = op.output(0);
  result.sorted_unique_indices = op.output(1);
  return result;
}

struct SparseSegmentSqrtNWithNumSegmentsAttrs {
  bool sparse_gradient = false;
  std::string_view name = "";
};

// Sums divided by the root of their count of the rows at indices, for each segment.
//   data: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   num_segments: Tnumsegments
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tnumsegments: int32, int64
//   Tsegmentids: int32, int64
//   attr sparse_gradient: bool = false
inline Output SparseSegmentSqrtNWithNumSegments(GraphBuilder& b, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSqrtNWithNumSegmentsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.sparse_gradient != bool(false)) given.push_back({"sparse_gradient", attrs.sparse_gradient});
  return b.Op("SparseSegmentSqrtNWithNumSegments", {data, indices, segment_ids, num_segments}, given, attrs.name, at).output();
}

struct SparseSegmentSumAttrs {
  bool sparse_gradient = false;
  std::string_view name = "";
};

// Sums of the rows at indices, for each segment.
//   data: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
//   attr sparse_gradient: bool = false
inline Output SparseSegmentSum(GraphBuilder& b, const Input& data, const Input& indices, const Input& segment_ids, const SparseSegmentSumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.sparse_gradient != bool(false)) given.push_back({"sparse_gradient", attrs.sparse_gradient});
  return b.Op("SparseSegmentSum", {data, indices, segment_ids}, given, attrs.name, at).output();
}

// The gradient of SparseSegmentSum.
//   grad: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   output_dim0: int32
//   -> output: T
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
inline Output SparseSegmentSumGrad(GraphBuilder& b, const Input& grad, const Input& indices, const Input& segment_ids, const Input& output_dim0, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseSegmentSumGrad", {grad, indices, segment_ids, output_dim0}, given, name, at).output();
}

struct SparseSegmentSumGradV2Outputs {
  Output output;
  Output sorted_unique_indices;
  Operation operation;
};

// The rows of the gradient of SparseSegmentSum that are not zero, and where they are.
//   grad: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   dense_output_dim0: int32
//   -> output: T
//   -> sorted_unique_indices: Tidx
//   T: float32, float64, bfloat16, float16
//   Tidx: int32, int64
//   Tsegmentids: int32, int64
inline SparseSegmentSumGradV2Outputs SparseSegmentSumGradV2(GraphBuilder& b, const Input& grad, const Input& indices, const Input& segment_ids, const Input& dense_output_dim0, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseSegmentSumGradV2", {grad, indices, segment_ids, dense_output_dim0}, given, name, at);
  SparseSegmentSumGradV2Outputs result;
  result.operation = op;
  result.output = op.output(0);
  result.sorted_unique_indices = op.output(1);
  return result;
}

struct SparseSegmentSumWithNumSegmentsAttrs {
  bool sparse_gradient = false;
  std::string_view name = "";
};

// Sums of the rows at indices, for each segment.
//   data: T
//   indices: Tidx
//   segment_ids: Tsegmentids
//   num_segments: Tnumsegments
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tidx: int32, int64
//   Tnumsegments: int32, int64
//   Tsegmentids: int32, int64
//   attr sparse_gradient: bool = false
inline Output SparseSegmentSumWithNumSegments(GraphBuilder& b, const Input& data, const Input& indices, const Input& segment_ids, const Input& num_segments, const SparseSegmentSumWithNumSegmentsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.sparse_gradient != bool(false)) given.push_back({"sparse_gradient", attrs.sparse_gradient});
  return b.Op("SparseSegmentSumWithNumSegments", {data, indices, segment_ids, num_segments}, given, attrs.name, at).output();
}

struct SparseSliceOutputs {
  Output output_indices;
  Output output_values;
  Output output_shape;
  Operation operation;
};

// Entries inside a box, moved to the origin.
//   indices: int64
//   values: T
//   shape: int64
//   start: int64
//   size: int64
//   -> output_indices: int64
//   -> output_values: T
//   -> output_shape: int64
inline SparseSliceOutputs SparseSlice(GraphBuilder& b, const Input& indices, const Input& values, const Input& shape, const Input& start, const Input& size, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseSlice", {indices, values, shape, start, size}, given, name, at);
  SparseSliceOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  result.output_shape = op.output(2);
  return result;
}

// The gradient of SparseSlice's values.
//   backprop_val_grad: T
//   input_indices: int64
//   input_start: int64
//   output_indices: int64
//   -> val_grad: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output SparseSliceGrad(GraphBuilder& b, const Input& backprop_val_grad, const Input& input_indices, const Input& input_start, const Input& output_indices, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseSliceGrad", {backprop_val_grad, input_indices, input_start, output_indices}, given, name, at).output();
}

// Softmax over the entries of each row.
//   sp_indices: int64
//   sp_values: T
//   sp_shape: int64
//   -> output: T
//   T: float32, float64, float16
inline Output SparseSoftmax(GraphBuilder& b, const Input& sp_indices, const Input& sp_values, const Input& sp_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseSoftmax", {sp_indices, sp_values, sp_shape}, given, name, at).output();
}

struct SparseSoftmaxCrossEntropyWithLogitsOutputs {
  Output loss;
  Output backprop;
  Operation operation;
};

// The cross entropy of class numbers with the softmax of features, and its gradient.
//   features: T
//   labels: Tlabels
//   -> loss: T
//   -> backprop: T
//   T: float32, float64, bfloat16, float16
//   Tlabels: int32, int64
inline SparseSoftmaxCrossEntropyWithLogitsOutputs SparseSoftmaxCrossEntropyWithLogits(GraphBuilder& b, const Input& features, const Input& labels, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseSoftmaxCrossEntropyWithLogits", {features, labels}, given, name, at);
  SparseSoftmaxCrossEntropyWithLogitsOutputs result;
  result.operation = op;
  result.loss = op.output(0);
  result.backprop = op.output(1);
  return result;
}

struct SparseSparseMaximumOutputs {
  Output output_indices;
  Output output_values;
  Operation operation;
};

// The larger or smaller of two sparse tensors' values, 0 where there is none.
//   a_indices: int64
//   a_values: T
//   a_shape: int64
//   b_indices: int64
//   b_values: T
//   b_shape: int64
//   -> output_indices: int64
//   -> output_values: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline SparseSparseMaximumOutputs SparseSparseMaximum(GraphBuilder& b, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseSparseMaximum", {a_indices, a_values, a_shape, b_indices, b_values, b_shape}, given, name, at);
  SparseSparseMaximumOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  return result;
}

struct SparseSparseMinimumOutputs {
  Output output_indices;
  Output output_values;
  Operation operation;
};

// The larger or smaller of two sparse tensors' values, 0 where there is none.
//   a_indices: int64
//   a_values: T
//   a_shape: int64
//   b_indices: int64
//   b_values: T
//   b_shape: int64
//   -> output_indices: int64
//   -> output_values: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline SparseSparseMinimumOutputs SparseSparseMinimum(GraphBuilder& b, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_indices, const Input& b_values, const Input& b_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("SparseSparseMinimum", {a_indices, a_values, a_shape, b_indices, b_values, b_shape}, given, name, at);
  SparseSparseMinimumOutputs result;
  result.operation = op;
  result.output_indices = op.output(0);
  result.output_values = op.output(1);
  return result;
}

struct SparseSplitOutputs {
  Outputs output_indices;
  Outputs output_values;
  Outputs output_shape;
  Operation operation;
};

// Parts of a sparse tensor along a dimension.
//   split_dim: int64
//   indices: int64
//   values: T
//   shape: int64
//   -> output_indices: list of int64
//   -> output_values: list of T
//   -> output_shape: list of int64
//   attr num_split: int (at least 1)
inline SparseSplitOutputs SparseSplit(GraphBuilder& b, const Input& split_dim, const Input& indices, const Input& values, const Input& shape, const int64_t& num_split, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_split", num_split});
  const Operation op = b.Op("SparseSplit", {split_dim, indices, values, shape}, given, name, at);
  SparseSplitOutputs result;
  result.operation = op;
  if (!op) return result;
  const Node& node = b.node(op);
  result.output_indices = OutputsOf(op, node.schema->OutputRange("output_indices", node.attrs));
  result.output_values = OutputsOf(op, node.schema->OutputRange("output_values", node.attrs));
  result.output_shape = OutputsOf(op, node.schema->OutputRange("output_shape", node.attrs));
  return result;
}

// A dense tensor with a sparse one added.
//   a_indices: Tindices
//   a_values: T
//   a_shape: Tindices
//   b: T
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
inline Output SparseTensorDenseAdd(GraphBuilder& b, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseTensorDenseAdd", {a_indices, a_values, a_shape, b_}, given, name, at).output();
}

struct SparseTensorDenseMatMulAttrs {
  bool adjoint_a = false;
  bool adjoint_b = false;
  std::string_view name = "";
};

// The product of a sparse and a dense matrix.
//   a_indices: Tindices
//   a_values: T
//   a_shape: int64
//   b: T
//   -> product: T
//   T: float32, float64, int32, complex64, bfloat16, complex128, float16
//   Tindices: int32, int64
//   attr adjoint_a: bool = false
//   attr adjoint_b: bool = false
inline Output SparseTensorDenseMatMul(GraphBuilder& b, const Input& a_indices, const Input& a_values, const Input& a_shape, const Input& b_, const SparseTensorDenseMatMulAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.adjoint_a != bool(false)) given.push_back({"adjoint_a", attrs.adjoint_a});
  if (attrs.adjoint_b != bool(false)) given.push_back({"adjoint_b", attrs.adjoint_b});
  return b.Op("SparseTensorDenseMatMul", {a_indices, a_values, a_shape, b_}, given, attrs.name, at).output();
}

// The rows of a sparse tensor, each as a sparse tensor.
//   indices: int64
//   values: Tvalues
//   dense_shape: int64
//   -> handle: variant
inline Output SparseTensorSliceDataset(GraphBuilder& b, const Input& indices, const Input& values, const Input& dense_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SparseTensorSliceDataset", {indices, values, dense_shape}, given, name, at).output();
}

struct SparseToDenseAttrs {
  bool validate_indices = true;
  std::string_view name = "";
};

// A tensor full of default_value but for the values at sparse_indices.
//   sparse_indices: Tindices
//   output_shape: Tindices
//   sparse_values: T
//   default_value: T
//   -> dense: T
//   Tindices: int32, int64
//   attr validate_indices: bool = true
inline Output SparseToDense(GraphBuilder& b, const Input& sparse_indices, const Input& output_shape, const Input& sparse_values, const Input& default_value, const SparseToDenseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.validate_indices != bool(true)) given.push_back({"validate_indices", attrs.validate_indices});
  return b.Op("SparseToDense", {sparse_indices, output_shape, sparse_values, default_value}, given, attrs.name, at).output();
}

struct SparseToSparseSetOperationAttrs {
  bool validate_indices = true;
  std::string_view name = "";
};

struct SparseToSparseSetOperationOutputs {
  Output result_indices;
  Output result_values;
  Output result_shape;
  Operation operation;
};

// Differences, intersections and unions of sets.
//   set1_indices: int64
//   set1_values: T
//   set1_shape: int64
//   set2_indices: int64
//   set2_values: T
//   set2_shape: int64
//   -> result_indices: int64
//   -> result_values: T
//   -> result_shape: int64
//   T: int32, uint8, int16, int8, string, int64, uint16
//   attr set_operation: string
//   attr validate_indices: bool = true
inline SparseToSparseSetOperationOutputs SparseToSparseSetOperation(GraphBuilder& b, const Input& set1_indices, const Input& set1_values, const Input& set1_shape, const Input& set2_indices, const Input& set2_values, const Input& set2_shape, const std::string& set_operation, const SparseToSparseSetOperationAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"set_operation", set_operation});
  if (attrs.validate_indices != bool(true)) given.push_back({"validate_indices", attrs.validate_indices});
  const Operation op = b.Op("SparseToSparseSetOperation", {set1_indices, set1_values, set1_shape, set2_indices, set2_values, set2_shape}, given, attrs.name, at);
  SparseToSparseSetOperationOutputs result;
  result.operation = op;
  result.result_indices = op.output(0);
  result.result_values = op.output(1);
  result.result_shape = op.output(2);
  return result;
}

// The dilogarithm of 1 - x.
//   x: T
//   -> y: T
//   T: float32, float64, bfloat16, float16
inline Output Spence(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Spence", {x}, given, name, at).output();
}

// The value in num_split equal parts along split_dim.
//   split_dim: int32
//   value: T
//   -> output: list of T
//   attr num_split: int (at least 1)
inline Outputs Split(GraphBuilder& b, const Input& split_dim, const Input& value, const int64_t& num_split, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_split", num_split});
  return b.Op("Split", {split_dim, value}, given, name, at).outputs();
}

// The value in parts of the given sizes along split_dim; one size may be -1 for the rest.
//   value: T
//   size_splits: Tlen
//   split_dim: int32
//   -> output: list of T
//   Tlen: int32, int8, int64
//   attr num_split: int (at least 1)
inline Outputs SplitV(GraphBuilder& b, const Input& value, const Input& size_splits, const Input& split_dim, const int64_t& num_split, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_split", num_split});
  return b.Op("SplitV", {value, size_splits, split_dim}, given, name, at).outputs();
}

// The square root of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Sqrt(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Sqrt", {x}, given, name, at).output();
}

// dy / (2 y), where y = sqrt(x).
//   y: T
//   dy: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output SqrtGrad(GraphBuilder& b, const Input& y, const Input& dy, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SqrtGrad", {y, dy}, given, name, at).output();
}

// x * x.
//   x: T
//   -> y: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output Square(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Square", {x}, given, name, at).output();
}

// (x - y)^2.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, complex64, int64, bfloat16, complex128, float16
inline Output SquaredDifference(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("SquaredDifference", {x, y}, given, name, at).output();
}

struct SqueezeAttrs {
  std::vector<int64_t> squeeze_dims = {};
  std::string_view name = "";
};

// The input without the given dimensions, which must be 1, or without all that are 1.
//   input: T
//   -> output: T
//   attr squeeze_dims: list(int) = [] (at least 0)
inline Output Squeeze(GraphBuilder& b, const Input& input, const SqueezeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.squeeze_dims != std::vector<int64_t>{}) given.push_back({"squeeze_dims", attrs.squeeze_dims});
  return b.Op("Squeeze", {input}, given, attrs.name, at).output();
}

struct StackAttrs {
  std::string stack_name = "";
  std::string_view name = "";
};

// A new stack.
//   -> handle: reference to string
//   attr elem_type: type
//   attr stack_name: string = ""
inline Output Stack(GraphBuilder& b, const DType& elem_type, const StackAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"elem_type", elem_type});
  if (attrs.stack_name != std::string("")) given.push_back({"stack_name", attrs.stack_name});
  return b.Op("Stack", {}, given, attrs.name, at).output();
}

// Drops all tensors; the stack is of no use any more.
//   handle: reference to string
inline Operation StackClose(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StackClose", {handle}, given, name, at);
}

// Drops all tensors; the stack is of no use any more.
//   handle: resource
inline Operation StackCloseV2(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StackCloseV2", {handle}, given, name, at);
}

// Takes the tensor from the top.
//   handle: reference to string
//   -> elem: elem_type
//   attr elem_type: type
inline Output StackPop(GraphBuilder& b, const Input& handle, const DType& elem_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"elem_type", elem_type});
  return b.Op("StackPop", {handle}, given, name, at).output();
}

// Takes the tensor from the top.
//   handle: resource
//   -> elem: elem_type
//   attr elem_type: type
inline Output StackPopV2(GraphBuilder& b, const Input& handle, const DType& elem_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"elem_type", elem_type});
  return b.Op("StackPopV2", {handle}, given, name, at).output();
}

struct StackPushAttrs {
  bool swap_memory = false;
  std::string_view name = "";
};

// Puts a tensor on top and passes it on.
//   handle: reference to string
//   elem: T
//   -> output: T
//   attr swap_memory: bool = false
inline Output StackPush(GraphBuilder& b, const Input& handle, const Input& elem, const StackPushAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.swap_memory != bool(false)) given.push_back({"swap_memory", attrs.swap_memory});
  return b.Op("StackPush", {handle, elem}, given, attrs.name, at).output();
}

struct StackPushV2Attrs {
  bool swap_memory = false;
  std::string_view name = "";
};

// Puts a tensor on top and passes it on.
//   handle: resource
//   elem: T
//   -> output: T
//   attr swap_memory: bool = false
inline Output StackPushV2(GraphBuilder& b, const Input& handle, const Input& elem, const StackPushV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.swap_memory != bool(false)) given.push_back({"swap_memory", attrs.swap_memory});
  return b.Op("StackPushV2", {handle, elem}, given, attrs.name, at).output();
}

struct StackV2Attrs {
  std::string stack_name = "";
  std::string_view name = "";
};

// A new stack.
//   max_size: int32
//   -> handle: resource
//   attr elem_type: type
//   attr stack_name: string = ""
inline Output StackV2(GraphBuilder& b, const Input& max_size, const DType& elem_type, const StackV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"elem_type", elem_type});
  if (attrs.stack_name != std::string("")) given.push_back({"stack_name", attrs.stack_name});
  return b.Op("StackV2", {max_size}, given, attrs.name, at).output();
}

struct StageAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Puts tensors down.
//   values: dtypes
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Operation Stage(GraphBuilder& b, InputList values, const StageAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("Stage", Inputs({values}), given, attrs.name, at);
}

struct StageClearAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Drops all tuples.
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Operation StageClear(GraphBuilder& b, const std::vector<DType>& dtypes, const StageClearAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("StageClear", {}, given, attrs.name, at);
}

struct StagePeekAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// The tensors at an index.
//   index: int32
//   -> values: dtypes
//   attr dtypes: list(type) (at least 1)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Outputs StagePeek(GraphBuilder& b, const Input& index, const std::vector<DType>& dtypes, const StagePeekAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("StagePeek", {index}, given, attrs.name, at).outputs();
}

struct StageSizeAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// How many tuples there are.
//   -> size: int32
//   attr dtypes: list(type)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output StageSize(GraphBuilder& b, const std::vector<DType>& dtypes, const StageSizeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("StageSize", {}, given, attrs.name, at).output();
}

struct StatefulPartitionedCallAttrs {
  std::string config = "";
  std::string config_proto = "";
  std::string executor_type = "";
  std::string_view name = "";
};

// Calls function f.
//   args: Tin
//   -> output: Tout
//   attr Tout: list(type) (at least 0)
//   attr f: func
//   attr config: string = ""
//   attr config_proto: string = ""
//   attr executor_type: string = ""
inline Outputs StatefulPartitionedCall(GraphBuilder& b, InputList args, const std::vector<DType>& Tout, const FunctionRef& f, const StatefulPartitionedCallAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  given.push_back({"f", f});
  if (attrs.config != std::string("")) given.push_back({"config", attrs.config});
  if (attrs.config_proto != std::string("")) given.push_back({"config_proto", attrs.config_proto});
  if (attrs.executor_type != std::string("")) given.push_back({"executor_type", attrs.executor_type});
  return b.Op("StatefulPartitionedCall", Inputs({args}), given, attrs.name, at).outputs();
}

struct StatelessCaseAttrs {
  std::vector<PartialShape> output_shapes = {};
  std::string_view name = "";
};

// Calls the branch at an index; out of range means the last.
//   branch_index: int32
//   input: Tin
//   -> output: Tout
//   attr Tout: list(type) (at least 0)
//   attr branches: list(func) (at least 1)
//   attr output_shapes: list(shape) = []
inline Outputs StatelessCase(GraphBuilder& b, const Input& branch_index, InputList input, const std::vector<DType>& Tout, const std::vector<FunctionRef>& branches, const StatelessCaseAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  given.push_back({"branches", branches});
  if (attrs.output_shapes != std::vector<PartialShape>{}) given.push_back({"output_shapes", attrs.output_shapes});
  return b.Op("StatelessCase", Inputs({InputList(&branch_index, 1), input}), given, attrs.name, at).outputs();
}

struct StatelessIfAttrs {
  std::vector<PartialShape> output_shapes = {};
  std::string_view name = "";
};

// Calls then_branch if cond is true, else else_branch.
//   cond: Tcond
//   input: Tin
//   -> output: Tout
//   attr Tout: list(type) (at least 0)
//   attr then_branch: func
//   attr else_branch: func
//   attr output_shapes: list(shape) = []
inline Outputs StatelessIf(GraphBuilder& b, const Input& cond, InputList input, const std::vector<DType>& Tout, const FunctionRef& then_branch, const FunctionRef& else_branch, const StatelessIfAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  given.push_back({"then_branch", then_branch});
  given.push_back({"else_branch", else_branch});
  if (attrs.output_shapes != std::vector<PartialShape>{}) given.push_back({"output_shapes", attrs.output_shapes});
  return b.Op("StatelessIf", Inputs({InputList(&cond, 1), input}), given, attrs.name, at).outputs();
}

struct StatelessMultinomialAttrs {
  DType output_dtype = DType::kInt64;
  std::string_view name = "";
};

// classes of each row, as likely as exp(logit), from the sequence of a seed.
//   logits: T
//   num_samples: int32
//   seed: Tseed
//   -> output: output_dtype
//   T: float32, float64, bfloat16, float16
//   Tseed: int32, int64
//   output_dtype: int32, int64
//   attr output_dtype: type = int64
inline Output StatelessMultinomial(GraphBuilder& b, const Input& logits, const Input& num_samples, const Input& seed, const StatelessMultinomialAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.output_dtype != DType(DType::kInt64)) given.push_back({"output_dtype", attrs.output_dtype});
  return b.Op("StatelessMultinomial", {logits, num_samples, seed}, given, attrs.name, at).output();
}

// samples of normal distributions between bounds, from the sequence of a seed.
//   shape: S
//   seed: Tseed
//   means: dtype
//   stddevs: dtype
//   minvals: dtype
//   maxvals: dtype
//   -> output: dtype
//   S: int32, int64
//   Tseed: int32, int64
//   dtype: float32, float64, float16
inline Output StatelessParameterizedTruncatedNormal(GraphBuilder& b, const Input& shape, const Input& seed, const Input& means, const Input& stddevs, const Input& minvals, const Input& maxvals, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StatelessParameterizedTruncatedNormal", {shape, seed, means, stddevs, minvals, maxvals}, given, name, at).output();
}

struct StatelessRandomBinomialAttrs {
  DType dtype = DType::kInt64;
  std::string_view name = "";
};

// samples of binomial distributions from the sequence of a seed.
//   shape: S
//   seed: Tseed
//   counts: T
//   probs: T
//   -> output: dtype
//   S: int32, int64
//   Tseed: int32, int64
//   T: float32, float64, float16
//   dtype: float32, float64, int32, int64, float16
//   attr dtype: type = int64
inline Output StatelessRandomBinomial(GraphBuilder& b, const Input& shape, const Input& seed, const Input& counts, const Input& probs, const StatelessRandomBinomialAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kInt64)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessRandomBinomial", {shape, seed, counts, probs}, given, attrs.name, at).output();
}

// samples of gamma distributions from the sequence of a seed.
//   shape: T
//   seed: Tseed
//   alpha: dtype
//   -> output: dtype
//   dtype: float32, float64, float16
//   T: int32, int64
//   Tseed: int32, int64
inline Output StatelessRandomGammaV2(GraphBuilder& b, const Input& shape, const Input& seed, const Input& alpha, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StatelessRandomGammaV2", {shape, seed, alpha}, given, name, at).output();
}

// samples of gamma distributions from a place in a sequence.
//   shape: shape_dtype
//   key: uint64
//   counter: uint64
//   alg: int32
//   alpha: dtype
//   -> output: dtype
//   dtype: float32, float64, float16
//   shape_dtype: int32, int64
inline Output StatelessRandomGammaV3(GraphBuilder& b, const Input& shape, const Input& key, const Input& counter, const Input& alg, const Input& alpha, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StatelessRandomGammaV3", {shape, key, counter, alg, alpha}, given, name, at).output();
}

// the algorithm of random sequences, Philox.
//   -> alg: int32
inline Output StatelessRandomGetAlg(GraphBuilder& b, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StatelessRandomGetAlg", {}, given, name, at).output();
}

struct StatelessRandomGetKeyCounterOutputs {
  Output key;
  Output counter;
  Operation operation;
};

// where the random sequence of a seed begins.
//   seed: Tseed
//   -> key: uint64
//   -> counter: uint64
//   Tseed: int32, int64
inline StatelessRandomGetKeyCounterOutputs StatelessRandomGetKeyCounter(GraphBuilder& b, const Input& seed, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("StatelessRandomGetKeyCounter", {seed}, given, name, at);
  StatelessRandomGetKeyCounterOutputs result;
  result.operation = op;
  result.key = op.output(0);
  result.counter = op.output(1);
  return result;
}

struct StatelessRandomGetKeyCounterAlgOutputs {
  Output key;
  Output counter;
  Output alg;
  Operation operation;
};

// where the random sequence of a seed begins, and its algorithm, Philox.
//   seed: Tseed
//   -> key: uint64
//   -> counter: uint64
//   -> alg: int32
//   Tseed: int32, int64
inline StatelessRandomGetKeyCounterAlgOutputs StatelessRandomGetKeyCounterAlg(GraphBuilder& b, const Input& seed, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("StatelessRandomGetKeyCounterAlg", {seed}, given, name, at);
  StatelessRandomGetKeyCounterAlgOutputs result;
  result.operation = op;
  result.key = op.output(0);
  result.counter = op.output(1);
  result.alg = op.output(2);
  return result;
}

struct StatelessRandomNormalAttrs {
  DType dtype = DType::kFloat32;
  std::string_view name = "";
};

// normal random numbers of mean 0 and deviation 1 from the sequence of a seed.
//   shape: T
//   seed: Tseed
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   T: int32, int64
//   Tseed: int32, int64
//   attr dtype: type = float32
inline Output StatelessRandomNormal(GraphBuilder& b, const Input& shape, const Input& seed, const StatelessRandomNormalAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kFloat32)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessRandomNormal", {shape, seed}, given, attrs.name, at).output();
}

struct StatelessRandomNormalV2Attrs {
  DType dtype = DType::kFloat32;
  std::string_view name = "";
};

// normal random numbers of mean 0 and deviation 1 from a place in a sequence.
//   shape: Tshape
//   key: uint64
//   counter: uint64
//   alg: int32
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   Tshape: int32, int64
//   attr dtype: type = float32
inline Output StatelessRandomNormalV2(GraphBuilder& b, const Input& shape, const Input& key, const Input& counter, const Input& alg, const StatelessRandomNormalV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kFloat32)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessRandomNormalV2", {shape, key, counter, alg}, given, attrs.name, at).output();
}

// samples of Poisson distributions from the sequence of a seed.
//   shape: T
//   seed: Tseed
//   lam: Rtype
//   -> output: dtype
//   Rtype: float32, float64, int32, int64, float16
//   dtype: float32, float64, int32, int64, float16
//   T: int32, int64
//   Tseed: int32, int64
//   attr dtype: type
inline Output StatelessRandomPoisson(GraphBuilder& b, const Input& shape, const Input& seed, const Input& lam, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("StatelessRandomPoisson", {shape, seed, lam}, given, name, at).output();
}

struct StatelessRandomUniformAttrs {
  DType dtype = DType::kFloat32;
  std::string_view name = "";
};

// uniform random numbers in [0, 1) from the sequence of a seed.
//   shape: T
//   seed: Tseed
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   T: int32, int64
//   Tseed: int32, int64
//   attr dtype: type = float32
inline Output StatelessRandomUniform(GraphBuilder& b, const Input& shape, const Input& seed, const StatelessRandomUniformAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kFloat32)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessRandomUniform", {shape, seed}, given, attrs.name, at).output();
}

struct StatelessRandomUniformFullIntAttrs {
  DType dtype = DType::kUInt64;
  std::string_view name = "";
};

// uniform random integers of any value from the sequence of a seed.
//   shape: T
//   seed: Tseed
//   -> output: dtype
//   dtype: int32, int64, uint32, uint64
//   T: int32, int64
//   Tseed: int32, int64, uint32, uint64
//   attr dtype: type = uint64
inline Output StatelessRandomUniformFullInt(GraphBuilder& b, const Input& shape, const Input& seed, const StatelessRandomUniformFullIntAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kUInt64)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessRandomUniformFullInt", {shape, seed}, given, attrs.name, at).output();
}

struct StatelessRandomUniformFullIntV2Attrs {
  DType dtype = DType::kUInt64;
  std::string_view name = "";
};

// uniform random integers of any value from a place in a sequence.
//   shape: Tshape
//   key: uint64
//   counter: uint64
//   alg: int32
//   -> output: dtype
//   dtype: int32, int64, uint32, uint64
//   Tshape: int32, int64
//   attr dtype: type = uint64
inline Output StatelessRandomUniformFullIntV2(GraphBuilder& b, const Input& shape, const Input& key, const Input& counter, const Input& alg, const StatelessRandomUniformFullIntV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kUInt64)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessRandomUniformFullIntV2", {shape, key, counter, alg}, given, attrs.name, at).output();
}

// uniform random integers in [minval, maxval) from the sequence of a seed.
//   shape: T
//   seed: Tseed
//   minval: dtype
//   maxval: dtype
//   -> output: dtype
//   dtype: int32, int64
//   T: int32, int64
//   Tseed: int32, int64
inline Output StatelessRandomUniformInt(GraphBuilder& b, const Input& shape, const Input& seed, const Input& minval, const Input& maxval, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StatelessRandomUniformInt", {shape, seed, minval, maxval}, given, name, at).output();
}

// uniform random integers in [minval, maxval) from a place in a sequence.
//   shape: Tshape
//   key: uint64
//   counter: uint64
//   alg: int32
//   minval: dtype
//   maxval: dtype
//   -> output: dtype
//   dtype: int32, int64, uint32, uint64
//   Tshape: int32, int64
inline Output StatelessRandomUniformIntV2(GraphBuilder& b, const Input& shape, const Input& key, const Input& counter, const Input& alg, const Input& minval, const Input& maxval, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StatelessRandomUniformIntV2", {shape, key, counter, alg, minval, maxval}, given, name, at).output();
}

struct StatelessRandomUniformV2Attrs {
  DType dtype = DType::kFloat32;
  std::string_view name = "";
};

// uniform random numbers in [0, 1) from a place in a sequence.
//   shape: Tshape
//   key: uint64
//   counter: uint64
//   alg: int32
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   Tshape: int32, int64
//   attr dtype: type = float32
inline Output StatelessRandomUniformV2(GraphBuilder& b, const Input& shape, const Input& key, const Input& counter, const Input& alg, const StatelessRandomUniformV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kFloat32)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessRandomUniformV2", {shape, key, counter, alg}, given, attrs.name, at).output();
}

struct StatelessSampleDistortedBoundingBoxAttrs {
  std::vector<float> aspect_ratio_range = {0.75f, 1.33f};
  std::vector<float> area_range = {0.05f, 1.0f};
  int64_t max_attempts = 100;
  bool use_image_if_no_bounding_boxes = false;
  std::string_view name = "";
};

struct StatelessSampleDistortedBoundingBoxOutputs {
  Output begin;
  Output size;
  Output bboxes;
  Operation operation;
};

// A random crop of an image that shows enough of a box, from the sequence of a seed.
//   image_size: T
//   bounding_boxes: float32
//   min_object_covered: float32
//   seed: Tseed
//   -> begin: T
//   -> size: T
//   -> bboxes: float32
//   T: int32, uint8, int16, int8, int64
//   Tseed: int32, int64
//   attr aspect_ratio_range: list(float) = [0.75, 1.33]
//   attr area_range: list(float) = [0.05, 1.0]
//   attr max_attempts: int = 100
//   attr use_image_if_no_bounding_boxes: bool = false
inline StatelessSampleDistortedBoundingBoxOutputs StatelessSampleDistortedBoundingBox(GraphBuilder& b, const Input& image_size, const Input& bounding_boxes, const Input& min_object_covered, const Input& seed, const StatelessSampleDistortedBoundingBoxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.aspect_ratio_range != std::vector<float>{0.75f, 1.33f}) given.push_back({"aspect_ratio_range", attrs.aspect_ratio_range});
  if (attrs.area_range != std::vector<float>{0.05f, 1.0f}) given.push_back({"area_range", attrs.area_range});
  if (attrs.max_attempts != int64_t(100)) given.push_back({"max_attempts", attrs.max_attempts});
  if (attrs.use_image_if_no_bounding_boxes != bool(false)) given.push_back({"use_image_if_no_bounding_boxes", attrs.use_image_if_no_bounding_boxes});
  const Operation op = b.Op("StatelessSampleDistortedBoundingBox", {image_size, bounding_boxes, min_object_covered, seed}, given, attrs.name, at);
  StatelessSampleDistortedBoundingBoxOutputs result;
  result.operation = op;
  result.begin = op.output(0);
  result.size = op.output(1);
  result.bboxes = op.output(2);
  return result;
}

struct StatelessTruncatedNormalAttrs {
  DType dtype = DType::kFloat32;
  std::string_view name = "";
};

// normal random numbers less than two deviations from 0 from the sequence of a seed.
//   shape: T
//   seed: Tseed
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   T: int32, int64
//   Tseed: int32, int64
//   attr dtype: type = float32
inline Output StatelessTruncatedNormal(GraphBuilder& b, const Input& shape, const Input& seed, const StatelessTruncatedNormalAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kFloat32)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessTruncatedNormal", {shape, seed}, given, attrs.name, at).output();
}

struct StatelessTruncatedNormalV2Attrs {
  DType dtype = DType::kFloat32;
  std::string_view name = "";
};

// normal random numbers less than two deviations from 0 from a place in a sequence.
//   shape: Tshape
//   key: uint64
//   counter: uint64
//   alg: int32
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   Tshape: int32, int64
//   attr dtype: type = float32
inline Output StatelessTruncatedNormalV2(GraphBuilder& b, const Input& shape, const Input& key, const Input& counter, const Input& alg, const StatelessTruncatedNormalV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.dtype != DType(DType::kFloat32)) given.push_back({"dtype", attrs.dtype});
  return b.Op("StatelessTruncatedNormalV2", {shape, key, counter, alg}, given, attrs.name, at).output();
}

struct StatelessWhileAttrs {
  std::vector<PartialShape> output_shapes = {};
  int64_t parallel_iterations = 10;
  std::string_view name = "";
};

// Calls body on the loop variables while cond of them is true.
//   input: T
//   -> output: T
//   attr cond: func
//   attr body: func
//   attr output_shapes: list(shape) = []
//   attr parallel_iterations: int = 10
inline Outputs StatelessWhile(GraphBuilder& b, InputList input, const FunctionRef& cond, const FunctionRef& body, const StatelessWhileAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"cond", cond});
  given.push_back({"body", body});
  if (attrs.output_shapes != std::vector<PartialShape>{}) given.push_back({"output_shapes", attrs.output_shapes});
  if (attrs.parallel_iterations != int64_t(10)) given.push_back({"parallel_iterations", attrs.parallel_iterations});
  return b.Op("StatelessWhile", Inputs({input}), given, attrs.name, at).outputs();
}

// Whether strings match a regular expression as a whole.
//   input: string
//   -> output: bool
//   attr pattern: string
inline Output StaticRegexFullMatch(GraphBuilder& b, const Input& input, const std::string& pattern, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"pattern", pattern});
  return b.Op("StaticRegexFullMatch", {input}, given, name, at).output();
}

struct StaticRegexReplaceAttrs {
  bool replace_global = true;
  std::string_view name = "";
};

// Strings with what matches a regular expression replaced.
//   input: string
//   -> output: string
//   attr pattern: string
//   attr rewrite: string
//   attr replace_global: bool = true
inline Output StaticRegexReplace(GraphBuilder& b, const Input& input, const std::string& pattern, const std::string& rewrite, const StaticRegexReplaceAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"pattern", pattern});
  given.push_back({"rewrite", rewrite});
  if (attrs.replace_global != bool(true)) given.push_back({"replace_global", attrs.replace_global});
  return b.Op("StaticRegexReplace", {input}, given, attrs.name, at).output();
}

// The input, through which no gradient flows.
//   input: T
//   -> output: T
inline Output StopGradient(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StopGradient", {input}, given, name, at).output();
}

struct StridedSliceAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string_view name = "";
};

// The slice that input[begin:end:strides] is in Python; the masks say where an entry is something else.
//   input: T
//   begin: Index
//   end: Index
//   strides: Index
//   -> output: T
//   Index: int32, int16, int64
//   attr begin_mask: int = 0
//   attr end_mask: int = 0
//   attr ellipsis_mask: int = 0
//   attr new_axis_mask: int = 0
//   attr shrink_axis_mask: int = 0
inline Output StridedSlice(GraphBuilder& b, const Input& input, const Input& begin, const Input& end, const Input& strides, const StridedSliceAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.begin_mask != int64_t(0)) given.push_back({"begin_mask", attrs.begin_mask});
  if (attrs.end_mask != int64_t(0)) given.push_back({"end_mask", attrs.end_mask});
  if (attrs.ellipsis_mask != int64_t(0)) given.push_back({"ellipsis_mask", attrs.ellipsis_mask});
  if (attrs.new_axis_mask != int64_t(0)) given.push_back({"new_axis_mask", attrs.new_axis_mask});
  if (attrs.shrink_axis_mask != int64_t(0)) given.push_back({"shrink_axis_mask", attrs.shrink_axis_mask});
  return b.Op("StridedSlice", {input, begin, end, strides}, given, attrs.name, at).output();
}

struct StridedSliceAssignAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string_view name = "";
};

// Assigns value to a strided slice of a variable.
//   ref: reference to T
//   begin: Index
//   end: Index
//   strides: Index
//   value: T
//   -> output_ref: reference to T
//   Index: int32, int64
//   attr begin_mask: int = 0
//   attr end_mask: int = 0
//   attr ellipsis_mask: int = 0
//   attr new_axis_mask: int = 0
//   attr shrink_axis_mask: int = 0
inline Output StridedSliceAssign(GraphBuilder& b, const Input& ref, const Input& begin, const Input& end, const Input& strides, const Input& value, const StridedSliceAssignAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.begin_mask != int64_t(0)) given.push_back({"begin_mask", attrs.begin_mask});
  if (attrs.end_mask != int64_t(0)) given.push_back({"end_mask", attrs.end_mask});
  if (attrs.ellipsis_mask != int64_t(0)) given.push_back({"ellipsis_mask", attrs.ellipsis_mask});
  if (attrs.new_axis_mask != int64_t(0)) given.push_back({"new_axis_mask", attrs.new_axis_mask});
  if (attrs.shrink_axis_mask != int64_t(0)) given.push_back({"shrink_axis_mask", attrs.shrink_axis_mask});
  return b.Op("StridedSliceAssign", {ref, begin, end, strides, value}, given, attrs.name, at).output();
}

struct StridedSliceGradAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string_view name = "";
};

// Zeros of the given shape with dy at the places that StridedSlice would take from it.
//   shape: Index
//   begin: Index
//   end: Index
//   strides: Index
//   dy: T
//   -> output: T
//   Index: int32, int64
//   attr begin_mask: int = 0
//   attr end_mask: int = 0
//   attr ellipsis_mask: int = 0
//   attr new_axis_mask: int = 0
//   attr shrink_axis_mask: int = 0
inline Output StridedSliceGrad(GraphBuilder& b, const Input& shape, const Input& begin, const Input& end, const Input& strides, const Input& dy, const StridedSliceGradAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.begin_mask != int64_t(0)) given.push_back({"begin_mask", attrs.begin_mask});
  if (attrs.end_mask != int64_t(0)) given.push_back({"end_mask", attrs.end_mask});
  if (attrs.ellipsis_mask != int64_t(0)) given.push_back({"ellipsis_mask", attrs.ellipsis_mask});
  if (attrs.new_axis_mask != int64_t(0)) given.push_back({"new_axis_mask", attrs.new_axis_mask});
  if (attrs.shrink_axis_mask != int64_t(0)) given.push_back({"shrink_axis_mask", attrs.shrink_axis_mask});
  return b.Op("StridedSliceGrad", {shape, begin, end, strides, dy}, given, attrs.name, at).output();
}

struct StringFormatAttrs {
  std::string template_ = "%s";
  std::string placeholder = "%s";
  int64_t summarize = 3;
  std::string_view name = "";
};

// a template with the texts of tensors in it.
//   inputs: T
//   -> output: string
//   attr template: string = "%s"
//   attr placeholder: string = "%s"
//   attr summarize: int = 3
inline Output StringFormat(GraphBuilder& b, InputList inputs, const StringFormatAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.template_ != std::string("%s")) given.push_back({"template", attrs.template_});
  if (attrs.placeholder != std::string("%s")) given.push_back({"placeholder", attrs.placeholder});
  if (attrs.summarize != int64_t(3)) given.push_back({"summarize", attrs.summarize});
  return b.Op("StringFormat", Inputs({inputs}), given, attrs.name, at).output();
}

struct StringJoinAttrs {
  std::string separator = "";
  std::string_view name = "";
};

// strings of several tensors joined, element by element.
//   inputs: list of string
//   -> output: string
//   attr separator: string = ""
inline Output StringJoin(GraphBuilder& b, InputList inputs, const StringJoinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.separator != std::string("")) given.push_back({"separator", attrs.separator});
  return b.Op("StringJoin", Inputs({inputs}), given, attrs.name, at).output();
}

struct StringLengthAttrs {
  std::string unit = "BYTE";
  std::string_view name = "";
};

// lengths of strings.
//   input: string
//   -> output: int32
//   attr unit: string = "BYTE" (BYTE, UTF8_CHAR)
inline Output StringLength(GraphBuilder& b, const Input& input, const StringLengthAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.unit != std::string("BYTE")) given.push_back({"unit", attrs.unit});
  return b.Op("StringLength", {input}, given, attrs.name, at).output();
}

struct StringLowerAttrs {
  std::string encoding = "";
  std::string_view name = "";
};

// strings in lower case.
//   input: string
//   -> output: string
//   attr encoding: string = ""
inline Output StringLower(GraphBuilder& b, const Input& input, const StringLowerAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.encoding != std::string("")) given.push_back({"encoding", attrs.encoding});
  return b.Op("StringLower", {input}, given, attrs.name, at).output();
}

struct StringNGramsOutputs {
  Output ngrams;
  Output ngrams_splits;
  Operation operation;
};

// Runs of neighbouring strings, joined.
//   data: string
//   data_splits: Tsplits
//   -> ngrams: string
//   -> ngrams_splits: Tsplits
//   Tsplits: int32, int64
//   attr separator: string
//   attr ngram_widths: list(int) (at least 0)
//   attr left_pad: string
//   attr right_pad: string
//   attr pad_width: int
//   attr preserve_short_sequences: bool
inline StringNGramsOutputs StringNGrams(GraphBuilder& b, const Input& data, const Input& data_splits, const std::string& separator, const std::vector<int64_t>& ngram_widths, const std::string& left_pad, const std::string& right_pad, const int64_t& pad_width, const bool& preserve_short_sequences, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"separator", separator});
  given.push_back({"ngram_widths", ngram_widths});
  given.push_back({"left_pad", left_pad});
  given.push_back({"right_pad", right_pad});
  given.push_back({"pad_width", pad_width});
  given.push_back({"preserve_short_sequences", preserve_short_sequences});
  const Operation op = b.Op("StringNGrams", {data, data_splits}, given, name, at);
  StringNGramsOutputs result;
  result.operation = op;
  result.ngrams = op.output(0);
  result.ngrams_splits = op.output(1);
  return result;
}

struct StringSplitAttrs {
  bool skip_empty = true;
  std::string_view name = "";
};

struct StringSplitOutputs {
  Output indices;
  Output values;
  Output shape;
  Operation operation;
};

// Pieces of strings between delimiters of one byte.
//   input: string
//   delimiter: string
//   -> indices: int64
//   -> values: string
//   -> shape: int64
//   attr skip_empty: bool = true
inline StringSplitOutputs StringSplit(GraphBuilder& b, const Input& input, const Input& delimiter, const StringSplitAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.skip_empty != bool(true)) given.push_back({"skip_empty", attrs.skip_empty});
  const Operation op = b.Op("StringSplit", {input, delimiter}, given, attrs.name, at);
  StringSplitOutputs result;
  result.operation = op;
  result.indices = op.output(0);
  result.values = op.output(1);
  result.shape = op.output(2);
  return result;
}

struct StringSplitV2Attrs {
  int64_t maxsplit = -1;
  std::string_view name = "";
};

struct StringSplitV2Outputs {
  Output indices;
  Output values;
  Output shape;
  Operation operation;
};

// Pieces of strings between separators.
//   input: string
//   sep: string
//   -> indices: int64
//   -> values: string
//   -> shape: int64
//   attr maxsplit: int = -1
inline StringSplitV2Outputs StringSplitV2(GraphBuilder& b, const Input& input, const Input& sep, const StringSplitV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.maxsplit != int64_t(-1)) given.push_back({"maxsplit", attrs.maxsplit});
  const Operation op = b.Op("StringSplitV2", {input, sep}, given, attrs.name, at);
  StringSplitV2Outputs result;
  result.operation = op;
  result.indices = op.output(0);
  result.values = op.output(1);
  result.shape = op.output(2);
  return result;
}

// Strings without whitespace at their ends.
//   input: string
//   -> output: string
inline Output StringStrip(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("StringStrip", {input}, given, name, at).output();
}

// A bucket for each string, by the hash of old graphs.
//   string_tensor: string
//   -> output: int64
//   attr num_buckets: int (at least 1)
inline Output StringToHashBucket(GraphBuilder& b, const Input& string_tensor, const int64_t& num_buckets, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_buckets", num_buckets});
  return b.Op("StringToHashBucket", {string_tensor}, given, name, at).output();
}

// A bucket for each string, by a fast hash that never changes.
//   input: string
//   -> output: int64
//   attr num_buckets: int (at least 1)
inline Output StringToHashBucketFast(GraphBuilder& b, const Input& input, const int64_t& num_buckets, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_buckets", num_buckets});
  return b.Op("StringToHashBucketFast", {input}, given, name, at).output();
}

// A bucket for each string, by a hash with a secret key.
//   input: string
//   -> output: int64
//   attr num_buckets: int (at least 1)
//   attr key: list(int)
inline Output StringToHashBucketStrong(GraphBuilder& b, const Input& input, const int64_t& num_buckets, const std::vector<int64_t>& key, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_buckets", num_buckets});
  given.push_back({"key", key});
  return b.Op("StringToHashBucketStrong", {input}, given, name, at).output();
}

struct StringToNumberAttrs {
  DType out_type = DType::kFloat32;
  std::string_view name = "";
};

// numbers from text.
//   string_tensor: string
//   -> output: out_type
//   out_type: float32, float64, int32, int64, uint32, uint64
//   attr out_type: type = float32
inline Output StringToNumber(GraphBuilder& b, const Input& string_tensor, const StringToNumberAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kFloat32)) given.push_back({"out_type", attrs.out_type});
  return b.Op("StringToNumber", {string_tensor}, given, attrs.name, at).output();
}

struct StringUpperAttrs {
  std::string encoding = "";
  std::string_view name = "";
};

// strings in upper case.
//   input: string
//   -> output: string
//   attr encoding: string = ""
inline Output StringUpper(GraphBuilder& b, const Input& input, const StringUpperAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.encoding != std::string("")) given.push_back({"encoding", attrs.encoding});
  return b.Op("StringUpper", {input}, given, attrs.name, at).output();
}

// x - y.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
inline Output Sub(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Sub", {x, y}, given, name, at).output();
}

struct SubstrAttrs {
  std::string unit = "BYTE";
  std::string_view name = "";
};

// parts of strings.
//   input: string
//   pos: T
//   len: T
//   -> output: string
//   T: int32, int64
//   attr unit: string = "BYTE" (BYTE, UTF8_CHAR)
inline Output Substr(GraphBuilder& b, const Input& input, const Input& pos, const Input& len, const SubstrAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.unit != std::string("BYTE")) given.push_back({"unit", attrs.unit});
  return b.Op("Substr", {input, pos, len}, given, attrs.name, at).output();
}

struct SumAttrs {
  bool keep_dims = false;
  std::string_view name = "";
};

// sums over dimensions.
//   input: T
//   reduction_indices: Tidx
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tidx: int32, int64
//   attr keep_dims: bool = false
inline Output Sum(GraphBuilder& b, const Input& input, const Input& reduction_indices, const SumAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.keep_dims != bool(false)) given.push_back({"keep_dims", attrs.keep_dims});
  return b.Op("Sum", {input, reduction_indices}, given, attrs.name, at).output();
}

struct SummaryWriterAttrs {
  std::string shared_name = "";
  std::string container = "";
  std::string_view name = "";
};

// The handle of a writer of events.
//   -> writer: resource
//   attr shared_name: string = ""
//   attr container: string = ""
inline Output SummaryWriter(GraphBuilder& b, const SummaryWriterAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  return b.Op("SummaryWriter", {}, given, attrs.name, at).output();
}

struct SvdAttrs {
  bool compute_uv = true;
  bool full_matrices = false;
  std::string_view name = "";
};

struct SvdOutputs {
  Output s;
  Output u;
  Output v;
  Operation operation;
};

// Singular values and vectors.
//   input: T
//   -> s: T
//   -> u: T
//   -> v: T
//   T: float32, float64, complex64, complex128
//   attr compute_uv: bool = true
//   attr full_matrices: bool = false
inline SvdOutputs Svd(GraphBuilder& b, const Input& input, const SvdAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.compute_uv != bool(true)) given.push_back({"compute_uv", attrs.compute_uv});
  if (attrs.full_matrices != bool(false)) given.push_back({"full_matrices", attrs.full_matrices});
  const Operation op = b.Op("Svd", {input}, given, attrs.name, at);
  SvdOutputs result;
  result.operation = op;
  result.s = op.output(0);
  result.u = op.output(1);
  result.v = op.output(2);
  return result;
}

struct SwitchOutputs {
  Output output_false;
  Output output_true;
  Operation operation;
};

// Passes data to output 1 if pred is true, else to output 0; the other output is dead.
//   data: T
//   pred: bool
//   -> output_false: T
//   -> output_true: T
inline SwitchOutputs Switch(GraphBuilder& b, const Input& data, const Input& pred, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  const Operation op = b.Op("Switch", {data, pred}, given, name, at);
  SwitchOutputs result;
  result.operation = op;
  result.output_false = op.output(0);
  result.output_true = op.output(1);
  return result;
}

// Gradients of the arguments of f, from its arguments and the gradients of its results.
//   input: Tin
//   -> output: Tout
//   attr Tout: list(type) (at least 1)
//   attr f: func
inline Outputs SymbolicGradient(GraphBuilder& b, InputList input, const std::vector<DType>& Tout, const FunctionRef& f, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"Tout", Tout});
  given.push_back({"f", f});
  return b.Op("SymbolicGradient", Inputs({input}), given, name, at).outputs();
}

struct TFRecordDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The records of record files.
//   filenames: string
//   compression_type: string
//   buffer_size: int64
//   -> handle: variant
//   attr metadata: string = ""
inline Output TFRecordDataset(GraphBuilder& b, const Input& filenames, const Input& compression_type, const Input& buffer_size, const TFRecordDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("TFRecordDataset", {filenames, compression_type, buffer_size}, given, attrs.name, at).output();
}

struct TFRecordDatasetV2Attrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The records of record files, from offsets on.
//   filenames: string
//   compression_type: string
//   buffer_size: int64
//   byte_offsets: int64
//   -> handle: variant
//   attr metadata: string = ""
inline Output TFRecordDatasetV2(GraphBuilder& b, const Input& filenames, const Input& compression_type, const Input& buffer_size, const Input& byte_offsets, const TFRecordDatasetV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("TFRecordDatasetV2", {filenames, compression_type, buffer_size, byte_offsets}, given, attrs.name, at).output();
}

struct TakeDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The first elements of a dataset.
//   input_dataset: variant
//   count: int64
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output TakeDataset(GraphBuilder& b, const Input& input_dataset, const Input& count, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const TakeDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("TakeDataset", {input_dataset, count}, given, attrs.name, at).output();
}

struct TakeManySparseFromTensorsMapAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

struct TakeManySparseFromTensorsMapOutputs {
  Output sparse_indices;
  Output sparse_values;
  Output sparse_shape;
  Operation operation;
};

// Sparse tensors that were kept, as one.
//   sparse_handles: int64
//   -> sparse_indices: int64
//   -> sparse_values: dtype
//   -> sparse_shape: int64
//   attr dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
inline TakeManySparseFromTensorsMapOutputs TakeManySparseFromTensorsMap(GraphBuilder& b, const Input& sparse_handles, const DType& dtype, const TakeManySparseFromTensorsMapAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  const Operation op = b.Op("TakeManySparseFromTensorsMap", {sparse_handles}, given, attrs.name, at);
  TakeManySparseFromTensorsMapOutputs result;
  result.operation = op;
  result.sparse_indices = op.output(0);
  result.sparse_values = op.output(1);
  result.sparse_shape = op.output(2);
  return result;
}

struct TakeWhileDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The elements before the first for which a function says false.
//   input_dataset: variant
//   other_arguments: Targuments
//   -> handle: variant
//   attr predicate: func
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output TakeWhileDataset(GraphBuilder& b, const Input& input_dataset, InputList other_arguments, const FunctionRef& predicate, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const TakeWhileDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"predicate", predicate});
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("TakeWhileDataset", Inputs({InputList(&input_dataset, 1), other_arguments}), given, attrs.name, at).output();
}

// The tangent of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Tan(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Tan", {x}, given, name, at).output();
}

// The hyperbolic tangent of x.
//   x: T
//   -> y: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Tanh(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Tanh", {x}, given, name, at).output();
}

// dy (1 - y^2), where y = tanh(x).
//   y: T
//   dy: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output TanhGrad(GraphBuilder& b, const Input& y, const Input& dy, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TanhGrad", {y, dy}, given, name, at).output();
}

struct TemporaryVariableAttrs {
  std::string var_name = "";
  std::string_view name = "";
};

// A reference to a new variable full of zeros that lives until DestroyTemporaryVariable.
//   -> ref: reference to dtype
//   attr shape: shape
//   attr dtype: type
//   attr var_name: string = ""
inline Output TemporaryVariable(GraphBuilder& b, const PartialShape& shape, const DType& dtype, const TemporaryVariableAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shape", shape});
  given.push_back({"dtype", dtype});
  if (attrs.var_name != std::string("")) given.push_back({"var_name", attrs.var_name});
  return b.Op("TemporaryVariable", {}, given, attrs.name, at).output();
}

struct TensorArrayAttrs {
  bool dynamic_size = false;
  bool clear_after_read = true;
  std::string tensor_array_name = "";
  PartialShape element_shape = PartialShape();
  std::string_view name = "";
};

// A new array of size elements that are not written yet.
//   size: int32
//   -> handle: reference to string
//   attr dtype: type
//   attr dynamic_size: bool = false
//   attr clear_after_read: bool = true
//   attr tensor_array_name: string = ""
//   attr element_shape: shape = ?
inline Output TensorArray(GraphBuilder& b, const Input& size, const DType& dtype, const TensorArrayAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.dynamic_size != bool(false)) given.push_back({"dynamic_size", attrs.dynamic_size});
  if (attrs.clear_after_read != bool(true)) given.push_back({"clear_after_read", attrs.clear_after_read});
  if (attrs.tensor_array_name != std::string("")) given.push_back({"tensor_array_name", attrs.tensor_array_name});
  if (attrs.element_shape != PartialShape(PartialShape())) given.push_back({"element_shape", attrs.element_shape});
  return b.Op("TensorArray", {size}, given, attrs.name, at).output();
}

// Drops all elements; the array is of no use any more.
//   handle: reference to string
inline Operation TensorArrayClose(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayClose", {handle}, given, name, at);
}

// Drops all elements; the array is of no use any more.
//   handle: string
inline Operation TensorArrayCloseV2(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayCloseV2", {handle}, given, name, at);
}

// Drops all elements; the array is of no use any more.
//   handle: resource
inline Operation TensorArrayCloseV3(GraphBuilder& b, const Input& handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayCloseV3", {handle}, given, name, at);
}

struct TensorArrayConcatAttrs {
  PartialShape element_shape_except0 = PartialShape();
  std::string_view name = "";
};

struct TensorArrayConcatOutputs {
  Output value;
  Output lengths;
  Operation operation;
};

// All elements one after another along dimension 0, and their lengths.
//   handle: reference to string
//   flow_in: float32
//   -> value: dtype
//   -> lengths: int64
//   attr dtype: type
//   attr element_shape_except0: shape = ?
inline TensorArrayConcatOutputs TensorArrayConcat(GraphBuilder& b, const Input& handle, const Input& flow_in, const DType& dtype, const TensorArrayConcatAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape_except0 != PartialShape(PartialShape())) given.push_back({"element_shape_except0", attrs.element_shape_except0});
  const Operation op = b.Op("TensorArrayConcat", {handle, flow_in}, given, attrs.name, at);
  TensorArrayConcatOutputs result;
  result.operation = op;
  result.value = op.output(0);
  result.lengths = op.output(1);
  return result;
}

struct TensorArrayConcatV2Attrs {
  PartialShape element_shape_except0 = PartialShape();
  std::string_view name = "";
};

struct TensorArrayConcatV2Outputs {
  Output value;
  Output lengths;
  Operation operation;
};

// All elements one after another along dimension 0, and their lengths.
//   handle: string
//   flow_in: float32
//   -> value: dtype
//   -> lengths: int64
//   attr dtype: type
//   attr element_shape_except0: shape = ?
inline TensorArrayConcatV2Outputs TensorArrayConcatV2(GraphBuilder& b, const Input& handle, const Input& flow_in, const DType& dtype, const TensorArrayConcatV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape_except0 != PartialShape(PartialShape())) given.push_back({"element_shape_except0", attrs.element_shape_except0});
  const Operation op = b.Op("TensorArrayConcatV2", {handle, flow_in}, given, attrs.name, at);
  TensorArrayConcatV2Outputs result;
  result.operation = op;
  result.value = op.output(0);
  result.lengths = op.output(1);
  return result;
}

struct TensorArrayConcatV3Attrs {
  PartialShape element_shape_except0 = PartialShape();
  std::string_view name = "";
};

struct TensorArrayConcatV3Outputs {
  Output value;
  Output lengths;
  Operation operation;
};

// All elements one after another along dimension 0, and their lengths.
//   handle: resource
//   flow_in: float32
//   -> value: dtype
//   -> lengths: int64
//   attr dtype: type
//   attr element_shape_except0: shape = ?
inline TensorArrayConcatV3Outputs TensorArrayConcatV3(GraphBuilder& b, const Input& handle, const Input& flow_in, const DType& dtype, const TensorArrayConcatV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape_except0 != PartialShape(PartialShape())) given.push_back({"element_shape_except0", attrs.element_shape_except0});
  const Operation op = b.Op("TensorArrayConcatV3", {handle, flow_in}, given, attrs.name, at);
  TensorArrayConcatV3Outputs result;
  result.operation = op;
  result.value = op.output(0);
  result.lengths = op.output(1);
  return result;
}

struct TensorArrayGatherAttrs {
  PartialShape element_shape = PartialShape();
  std::string_view name = "";
};

// The elements at indices as rows of one tensor.
//   handle: reference to string
//   indices: int32
//   flow_in: float32
//   -> value: dtype
//   attr dtype: type
//   attr element_shape: shape = ?
inline Output TensorArrayGather(GraphBuilder& b, const Input& handle, const Input& indices, const Input& flow_in, const DType& dtype, const TensorArrayGatherAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape != PartialShape(PartialShape())) given.push_back({"element_shape", attrs.element_shape});
  return b.Op("TensorArrayGather", {handle, indices, flow_in}, given, attrs.name, at).output();
}

struct TensorArrayGatherV2Attrs {
  PartialShape element_shape = PartialShape();
  std::string_view name = "";
};

// The elements at indices as rows of one tensor.
//   handle: string
//   indices: int32
//   flow_in: float32
//   -> value: dtype
//   attr dtype: type
//   attr element_shape: shape = ?
inline Output TensorArrayGatherV2(GraphBuilder& b, const Input& handle, const Input& indices, const Input& flow_in, const DType& dtype, const TensorArrayGatherV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape != PartialShape(PartialShape())) given.push_back({"element_shape", attrs.element_shape});
  return b.Op("TensorArrayGatherV2", {handle, indices, flow_in}, given, attrs.name, at).output();
}

struct TensorArrayGatherV3Attrs {
  PartialShape element_shape = PartialShape();
  std::string_view name = "";
};

// The elements at indices as rows of one tensor.
//   handle: resource
//   indices: int32
//   flow_in: float32
//   -> value: dtype
//   attr dtype: type
//   attr element_shape: shape = ?
inline Output TensorArrayGatherV3(GraphBuilder& b, const Input& handle, const Input& indices, const Input& flow_in, const DType& dtype, const TensorArrayGatherV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape != PartialShape(PartialShape())) given.push_back({"element_shape", attrs.element_shape});
  return b.Op("TensorArrayGatherV3", {handle, indices, flow_in}, given, attrs.name, at).output();
}

// The array of the gradients of an array's elements.
//   handle: string
//   flow_in: float32
//   -> grad_handle: reference to string
//   attr source: string
inline Output TensorArrayGrad(GraphBuilder& b, const Input& handle, const Input& flow_in, const std::string& source, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"source", source});
  return b.Op("TensorArrayGrad", {handle, flow_in}, given, name, at).output();
}

// The array of the gradients of an array's elements.
//   handle: string
//   flow_in: float32
//   -> grad_handle: string
//   attr source: string
inline Output TensorArrayGradV2(GraphBuilder& b, const Input& handle, const Input& flow_in, const std::string& source, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"source", source});
  return b.Op("TensorArrayGradV2", {handle, flow_in}, given, name, at).output();
}

struct TensorArrayGradV3Outputs {
  Output grad_handle;
  Output flow_out;
  Operation operation;
};

// The array of the gradients of an array's elements.
//   handle: resource
//   flow_in: float32
//   -> grad_handle: resource
//   -> flow_out: float32
//   attr source: string
inline TensorArrayGradV3Outputs TensorArrayGradV3(GraphBuilder& b, const Input& handle, const Input& flow_in, const std::string& source, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"source", source});
  const Operation op = b.Op("TensorArrayGradV3", {handle, flow_in}, given, name, at);
  TensorArrayGradV3Outputs result;
  result.operation = op;
  result.grad_handle = op.output(0);
  result.flow_out = op.output(1);
  return result;
}

struct TensorArrayGradWithShapeOutputs {
  Output grad_handle;
  Output flow_out;
  Operation operation;
};

// The array of the gradients of an array's elements, whose shapes get more dimensions in front.
//   handle: resource
//   flow_in: float32
//   shape_to_prepend: int32
//   -> grad_handle: resource
//   -> flow_out: float32
//   attr source: string
inline TensorArrayGradWithShapeOutputs TensorArrayGradWithShape(GraphBuilder& b, const Input& handle, const Input& flow_in, const Input& shape_to_prepend, const std::string& source, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"source", source});
  const Operation op = b.Op("TensorArrayGradWithShape", {handle, flow_in, shape_to_prepend}, given, name, at);
  TensorArrayGradWithShapeOutputs result;
  result.operation = op;
  result.grad_handle = op.output(0);
  result.flow_out = op.output(1);
  return result;
}

struct TensorArrayPackAttrs {
  PartialShape element_shape = PartialShape();
  std::string_view name = "";
};

// All elements as rows of one tensor.
//   handle: reference to string
//   flow_in: float32
//   -> value: dtype
//   attr dtype: type
//   attr element_shape: shape = ?
inline Output TensorArrayPack(GraphBuilder& b, const Input& handle, const Input& flow_in, const DType& dtype, const TensorArrayPackAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape != PartialShape(PartialShape())) given.push_back({"element_shape", attrs.element_shape});
  return b.Op("TensorArrayPack", {handle, flow_in}, given, attrs.name, at).output();
}

// An element.
//   handle: reference to string
//   index: int32
//   flow_in: float32
//   -> value: dtype
//   attr dtype: type
inline Output TensorArrayRead(GraphBuilder& b, const Input& handle, const Input& index, const Input& flow_in, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("TensorArrayRead", {handle, index, flow_in}, given, name, at).output();
}

// An element.
//   handle: string
//   index: int32
//   flow_in: float32
//   -> value: dtype
//   attr dtype: type
inline Output TensorArrayReadV2(GraphBuilder& b, const Input& handle, const Input& index, const Input& flow_in, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("TensorArrayReadV2", {handle, index, flow_in}, given, name, at).output();
}

// An element.
//   handle: resource
//   index: int32
//   flow_in: float32
//   -> value: dtype
//   attr dtype: type
inline Output TensorArrayReadV3(GraphBuilder& b, const Input& handle, const Input& index, const Input& flow_in, const DType& dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  return b.Op("TensorArrayReadV3", {handle, index, flow_in}, given, name, at).output();
}

// Writes the rows of value to the elements at indices.
//   handle: reference to string
//   indices: int32
//   value: T
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArrayScatter(GraphBuilder& b, const Input& handle, const Input& indices, const Input& value, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayScatter", {handle, indices, value, flow_in}, given, name, at).output();
}

// Writes the rows of value to the elements at indices.
//   handle: string
//   indices: int32
//   value: T
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArrayScatterV2(GraphBuilder& b, const Input& handle, const Input& indices, const Input& value, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayScatterV2", {handle, indices, value, flow_in}, given, name, at).output();
}

// Writes the rows of value to the elements at indices.
//   handle: resource
//   indices: int32
//   value: T
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArrayScatterV3(GraphBuilder& b, const Input& handle, const Input& indices, const Input& value, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayScatterV3", {handle, indices, value, flow_in}, given, name, at).output();
}

// The number of elements.
//   handle: reference to string
//   flow_in: float32
//   -> size: int32
inline Output TensorArraySize(GraphBuilder& b, const Input& handle, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArraySize", {handle, flow_in}, given, name, at).output();
}

// The number of elements.
//   handle: string
//   flow_in: float32
//   -> size: int32
inline Output TensorArraySizeV2(GraphBuilder& b, const Input& handle, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArraySizeV2", {handle, flow_in}, given, name, at).output();
}

// The number of elements.
//   handle: resource
//   flow_in: float32
//   -> size: int32
inline Output TensorArraySizeV3(GraphBuilder& b, const Input& handle, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArraySizeV3", {handle, flow_in}, given, name, at).output();
}

// Writes pieces of value, cut along dimension 0, to all elements.
//   handle: reference to string
//   value: T
//   lengths: int64
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArraySplit(GraphBuilder& b, const Input& handle, const Input& value, const Input& lengths, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArraySplit", {handle, value, lengths, flow_in}, given, name, at).output();
}

// Writes pieces of value, cut along dimension 0, to all elements.
//   handle: string
//   value: T
//   lengths: int64
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArraySplitV2(GraphBuilder& b, const Input& handle, const Input& value, const Input& lengths, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArraySplitV2", {handle, value, lengths, flow_in}, given, name, at).output();
}

// Writes pieces of value, cut along dimension 0, to all elements.
//   handle: resource
//   value: T
//   lengths: int64
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArraySplitV3(GraphBuilder& b, const Input& handle, const Input& value, const Input& lengths, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArraySplitV3", {handle, value, lengths, flow_in}, given, name, at).output();
}

// Writes the rows of value to all elements.
//   handle: reference to string
//   value: T
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArrayUnpack(GraphBuilder& b, const Input& handle, const Input& value, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayUnpack", {handle, value, flow_in}, given, name, at).output();
}

struct TensorArrayV2Attrs {
  PartialShape element_shape = PartialShape();
  bool dynamic_size = false;
  bool clear_after_read = true;
  std::string tensor_array_name = "";
  std::string_view name = "";
};

// A new array of size elements that are not written yet.
//   size: int32
//   -> handle: string
//   attr dtype: type
//   attr element_shape: shape = ?
//   attr dynamic_size: bool = false
//   attr clear_after_read: bool = true
//   attr tensor_array_name: string = ""
inline Output TensorArrayV2(GraphBuilder& b, const Input& size, const DType& dtype, const TensorArrayV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape != PartialShape(PartialShape())) given.push_back({"element_shape", attrs.element_shape});
  if (attrs.dynamic_size != bool(false)) given.push_back({"dynamic_size", attrs.dynamic_size});
  if (attrs.clear_after_read != bool(true)) given.push_back({"clear_after_read", attrs.clear_after_read});
  if (attrs.tensor_array_name != std::string("")) given.push_back({"tensor_array_name", attrs.tensor_array_name});
  return b.Op("TensorArrayV2", {size}, given, attrs.name, at).output();
}

struct TensorArrayV3Attrs {
  PartialShape element_shape = PartialShape();
  bool dynamic_size = false;
  bool clear_after_read = true;
  bool identical_element_shapes = false;
  std::string tensor_array_name = "";
  std::string_view name = "";
};

struct TensorArrayV3Outputs {
  Output handle;
  Output flow;
  Operation operation;
};

// A new array of size elements that are not written yet.
//   size: int32
//   -> handle: resource
//   -> flow: float32
//   attr dtype: type
//   attr element_shape: shape = ?
//   attr dynamic_size: bool = false
//   attr clear_after_read: bool = true
//   attr identical_element_shapes: bool = false
//   attr tensor_array_name: string = ""
inline TensorArrayV3Outputs TensorArrayV3(GraphBuilder& b, const Input& size, const DType& dtype, const TensorArrayV3Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.element_shape != PartialShape(PartialShape())) given.push_back({"element_shape", attrs.element_shape});
  if (attrs.dynamic_size != bool(false)) given.push_back({"dynamic_size", attrs.dynamic_size});
  if (attrs.clear_after_read != bool(true)) given.push_back({"clear_after_read", attrs.clear_after_read});
  if (attrs.identical_element_shapes != bool(false)) given.push_back({"identical_element_shapes", attrs.identical_element_shapes});
  if (attrs.tensor_array_name != std::string("")) given.push_back({"tensor_array_name", attrs.tensor_array_name});
  const Operation op = b.Op("TensorArrayV3", {size}, given, attrs.name, at);
  TensorArrayV3Outputs result;
  result.operation = op;
  result.handle = op.output(0);
  result.flow = op.output(1);
  return result;
}

// Writes an element.
//   handle: reference to string
//   index: int32
//   value: T
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArrayWrite(GraphBuilder& b, const Input& handle, const Input& index, const Input& value, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayWrite", {handle, index, value, flow_in}, given, name, at).output();
}

// Writes an element.
//   handle: string
//   index: int32
//   value: T
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArrayWriteV2(GraphBuilder& b, const Input& handle, const Input& index, const Input& value, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayWriteV2", {handle, index, value, flow_in}, given, name, at).output();
}

// Writes an element.
//   handle: resource
//   index: int32
//   value: T
//   flow_in: float32
//   -> flow_out: float32
inline Output TensorArrayWriteV3(GraphBuilder& b, const Input& handle, const Input& index, const Input& value, const Input& flow_in, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorArrayWriteV3", {handle, index, value, flow_in}, given, name, at).output();
}

struct TensorDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// One element with these components.
//   components: Toutput_types
//   -> handle: variant
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output TensorDataset(GraphBuilder& b, InputList components, const std::vector<PartialShape>& output_shapes, const TensorDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("TensorDataset", Inputs({components}), given, attrs.name, at).output();
}

struct TensorListConcatAttrs {
  PartialShape element_shape = PartialShape();
  std::string_view name = "";
};

struct TensorListConcatOutputs {
  Output tensor;
  Output lengths;
  Operation operation;
};

// The items one after another along dimension 0, and their lengths.
//   input_handle: variant
//   -> tensor: element_dtype
//   -> lengths: int64
//   attr element_dtype: type
//   attr element_shape: shape = ?
inline TensorListConcatOutputs TensorListConcat(GraphBuilder& b, const Input& input_handle, const DType& element_dtype, const TensorListConcatAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  if (attrs.element_shape != PartialShape(PartialShape())) given.push_back({"element_shape", attrs.element_shape});
  const Operation op = b.Op("TensorListConcat", {input_handle}, given, attrs.name, at);
  TensorListConcatOutputs result;
  result.operation = op;
  result.tensor = op.output(0);
  result.lengths = op.output(1);
  return result;
}

// The items of two lists in one.
//   input_a: variant
//   input_b: variant
//   -> output: variant
//   attr element_dtype: type
inline Output TensorListConcatLists(GraphBuilder& b, const Input& input_a, const Input& input_b, const DType& element_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  return b.Op("TensorListConcatLists", {input_a, input_b}, given, name, at).output();
}

struct TensorListConcatV2Outputs {
  Output tensor;
  Output lengths;
  Operation operation;
};

// The items one after another along dimension 0, and their lengths.
//   input_handle: variant
//   element_shape: shape_type
//   leading_dims: int64
//   -> tensor: element_dtype
//   -> lengths: int64
//   shape_type: int32, int64
//   attr element_dtype: type
inline TensorListConcatV2Outputs TensorListConcatV2(GraphBuilder& b, const Input& input_handle, const Input& element_shape, const Input& leading_dims, const DType& element_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  const Operation op = b.Op("TensorListConcatV2", {input_handle, element_shape, leading_dims}, given, name, at);
  TensorListConcatV2Outputs result;
  result.operation = op;
  result.tensor = op.output(0);
  result.lengths = op.output(1);
  return result;
}

// What the list was told of the shapes of its items; -1 is any.
//   input_handle: variant
//   -> element_shape: shape_type
//   shape_type: int32, int64
//   attr shape_type: type
inline Output TensorListElementShape(GraphBuilder& b, const Input& input_handle, const DType& shape_type, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shape_type", shape_type});
  return b.Op("TensorListElementShape", {input_handle}, given, name, at).output();
}

// A list of the rows of tensor.
//   tensor: element_dtype
//   element_shape: shape_type
//   -> output_handle: variant
//   shape_type: int32, int64
inline Output TensorListFromTensor(GraphBuilder& b, const Input& tensor, const Input& element_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListFromTensor", {tensor, element_shape}, given, name, at).output();
}

// The items at indices as rows of one tensor.
//   input_handle: variant
//   indices: int32
//   element_shape: int32
//   -> values: element_dtype
//   attr element_dtype: type
inline Output TensorListGather(GraphBuilder& b, const Input& input_handle, const Input& indices, const Input& element_shape, const DType& element_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  return b.Op("TensorListGather", {input_handle, indices, element_shape}, given, name, at).output();
}

// An item of the list.
//   input_handle: variant
//   index: int32
//   element_shape: Tshape
//   -> item: element_dtype
//   Tshape: int32, int64
//   attr element_dtype: type
inline Output TensorListGetItem(GraphBuilder& b, const Input& input_handle, const Input& index, const Input& element_shape, const DType& element_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  return b.Op("TensorListGetItem", {input_handle, index, element_shape}, given, name, at).output();
}

// The number of items.
//   input_handle: variant
//   -> length: int32
inline Output TensorListLength(GraphBuilder& b, const Input& input_handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListLength", {input_handle}, given, name, at).output();
}

struct TensorListPopBackOutputs {
  Output output_handle;
  Output tensor;
  Operation operation;
};

// The list without its last item, and that item.
//   input_handle: variant
//   element_shape: int32
//   -> output_handle: variant
//   -> tensor: element_dtype
//   attr element_dtype: type
inline TensorListPopBackOutputs TensorListPopBack(GraphBuilder& b, const Input& input_handle, const Input& element_shape, const DType& element_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  const Operation op = b.Op("TensorListPopBack", {input_handle, element_shape}, given, name, at);
  TensorListPopBackOutputs result;
  result.operation = op;
  result.output_handle = op.output(0);
  result.tensor = op.output(1);
  return result;
}

// The list with one more item.
//   input_handle: variant
//   tensor: element_dtype
//   -> output_handle: variant
inline Output TensorListPushBack(GraphBuilder& b, const Input& input_handle, const Input& tensor, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListPushBack", {input_handle, tensor}, given, name, at).output();
}

// The lists with a row of tensor pushed to each.
//   input_handles: variant
//   tensor: element_dtype
//   -> output_handles: variant
inline Output TensorListPushBackBatch(GraphBuilder& b, const Input& input_handles, const Input& tensor, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListPushBackBatch", {input_handles, tensor}, given, name, at).output();
}

// A list of num_elements items that are not set yet.
//   element_shape: shape_type
//   num_elements: int32
//   -> handle: variant
//   shape_type: int32, int64
//   attr element_dtype: type
inline Output TensorListReserve(GraphBuilder& b, const Input& element_shape, const Input& num_elements, const DType& element_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  return b.Op("TensorListReserve", {element_shape, num_elements}, given, name, at).output();
}

// The list cut or filled up with unset items to size.
//   input_handle: variant
//   size: int32
//   -> output_handle: variant
inline Output TensorListResize(GraphBuilder& b, const Input& input_handle, const Input& size, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListResize", {input_handle, size}, given, name, at).output();
}

// A list with the rows of tensor at indices.
//   tensor: element_dtype
//   indices: int32
//   element_shape: shape_type
//   -> output_handle: variant
//   shape_type: int32, int64
inline Output TensorListScatter(GraphBuilder& b, const Input& tensor, const Input& indices, const Input& element_shape, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListScatter", {tensor, indices, element_shape}, given, name, at).output();
}

// The list with the rows of tensor at indices.
//   input_handle: variant
//   tensor: element_dtype
//   indices: int32
//   -> output_handle: variant
inline Output TensorListScatterIntoExistingList(GraphBuilder& b, const Input& input_handle, const Input& tensor, const Input& indices, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListScatterIntoExistingList", {input_handle, tensor, indices}, given, name, at).output();
}

// A list of num_elements items with the rows of tensor at indices.
//   tensor: element_dtype
//   indices: int32
//   element_shape: shape_type
//   num_elements: int32
//   -> output_handle: variant
//   shape_type: int32, int64
inline Output TensorListScatterV2(GraphBuilder& b, const Input& tensor, const Input& indices, const Input& element_shape, const Input& num_elements, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListScatterV2", {tensor, indices, element_shape, num_elements}, given, name, at).output();
}

struct TensorListSetItemAttrs {
  bool resize_if_index_out_of_bounds = false;
  std::string_view name = "";
};

// The list with another item at index.
//   input_handle: variant
//   index: int32
//   item: element_dtype
//   -> output_handle: variant
//   attr resize_if_index_out_of_bounds: bool = false
inline Output TensorListSetItem(GraphBuilder& b, const Input& input_handle, const Input& index, const Input& item, const TensorListSetItemAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.resize_if_index_out_of_bounds != bool(false)) given.push_back({"resize_if_index_out_of_bounds", attrs.resize_if_index_out_of_bounds});
  return b.Op("TensorListSetItem", {input_handle, index, item}, given, attrs.name, at).output();
}

// A list of pieces of tensor, cut along dimension 0.
//   tensor: element_dtype
//   element_shape: shape_type
//   lengths: int64
//   -> output_handle: variant
//   shape_type: int32, int64
inline Output TensorListSplit(GraphBuilder& b, const Input& tensor, const Input& element_shape, const Input& lengths, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorListSplit", {tensor, element_shape, lengths}, given, name, at).output();
}

struct TensorListStackAttrs {
  int64_t num_elements = -1;
  std::string_view name = "";
};

// The items as rows of one tensor.
//   input_handle: variant
//   element_shape: int32
//   -> tensor: element_dtype
//   attr element_dtype: type
//   attr num_elements: int = -1
inline Output TensorListStack(GraphBuilder& b, const Input& input_handle, const Input& element_shape, const DType& element_dtype, const TensorListStackAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"element_dtype", element_dtype});
  if (attrs.num_elements != int64_t(-1)) given.push_back({"num_elements", attrs.num_elements});
  return b.Op("TensorListStack", {input_handle, element_shape}, given, attrs.name, at).output();
}

// The map without the key.
//   input_handle: variant
//   key: key_dtype
//   -> output_handle: variant
//   attr value_dtype: type
inline Output TensorMapErase(GraphBuilder& b, const Input& input_handle, const Input& key, const DType& value_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"value_dtype", value_dtype});
  return b.Op("TensorMapErase", {input_handle, key}, given, name, at).output();
}

// Whether the map has the key.
//   input_handle: variant
//   key: key_dtype
//   -> has_key: bool
inline Output TensorMapHasKey(GraphBuilder& b, const Input& input_handle, const Input& key, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorMapHasKey", {input_handle, key}, given, name, at).output();
}

// The map with the value for the key.
//   input_handle: variant
//   key: key_dtype
//   value: value_dtype
//   -> output_handle: variant
inline Output TensorMapInsert(GraphBuilder& b, const Input& input_handle, const Input& key, const Input& value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorMapInsert", {input_handle, key, value}, given, name, at).output();
}

// The value of the key.
//   input_handle: variant
//   key: key_dtype
//   -> value: value_dtype
//   attr value_dtype: type
inline Output TensorMapLookup(GraphBuilder& b, const Input& input_handle, const Input& key, const DType& value_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"value_dtype", value_dtype});
  return b.Op("TensorMapLookup", {input_handle, key}, given, name, at).output();
}

// The number of keys.
//   input_handle: variant
//   -> size: int32
inline Output TensorMapSize(GraphBuilder& b, const Input& input_handle, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorMapSize", {input_handle}, given, name, at).output();
}

// All keys in one tensor.
//   input_handle: variant
//   -> keys: key_dtype
//   attr key_dtype: type
inline Output TensorMapStackKeys(GraphBuilder& b, const Input& input_handle, const DType& key_dtype, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"key_dtype", key_dtype});
  return b.Op("TensorMapStackKeys", {input_handle}, given, name, at).output();
}

struct TensorScatterAddAttrs {
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// The tensor with updates added at indices.
//   tensor: T
//   indices: Tindices
//   updates: T
//   -> output: T
//   Tindices: int32, int64
//   attr bad_indices_policy: string = ""
inline Output TensorScatterAdd(GraphBuilder& b, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterAddAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("TensorScatterAdd", {tensor, indices, updates}, given, attrs.name, at).output();
}

struct TensorScatterMaxAttrs {
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// The tensor raised to updates at indices.
//   tensor: T
//   indices: Tindices
//   updates: T
//   -> output: T
//   Tindices: int32, int64
//   attr bad_indices_policy: string = ""
inline Output TensorScatterMax(GraphBuilder& b, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterMaxAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("TensorScatterMax", {tensor, indices, updates}, given, attrs.name, at).output();
}

struct TensorScatterMinAttrs {
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// The tensor lowered to updates at indices.
//   tensor: T
//   indices: Tindices
//   updates: T
//   -> output: T
//   Tindices: int32, int64
//   attr bad_indices_policy: string = ""
inline Output TensorScatterMin(GraphBuilder& b, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterMinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("TensorScatterMin", {tensor, indices, updates}, given, attrs.name, at).output();
}

struct TensorScatterSubAttrs {
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// The tensor with updates subtracted at indices.
//   tensor: T
//   indices: Tindices
//   updates: T
//   -> output: T
//   Tindices: int32, int64
//   attr bad_indices_policy: string = ""
inline Output TensorScatterSub(GraphBuilder& b, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterSubAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("TensorScatterSub", {tensor, indices, updates}, given, attrs.name, at).output();
}

struct TensorScatterUpdateAttrs {
  std::string bad_indices_policy = "";
  std::string_view name = "";
};

// The tensor with updates in place of its slices at indices.
//   tensor: T
//   indices: Tindices
//   updates: T
//   -> output: T
//   Tindices: int32, int16, int64, uint16
//   attr bad_indices_policy: string = ""
inline Output TensorScatterUpdate(GraphBuilder& b, const Input& tensor, const Input& indices, const Input& updates, const TensorScatterUpdateAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.bad_indices_policy != std::string("")) given.push_back({"bad_indices_policy", attrs.bad_indices_policy});
  return b.Op("TensorScatterUpdate", {tensor, indices, updates}, given, attrs.name, at).output();
}

struct TensorSliceDatasetAttrs {
  bool is_files = false;
  std::string metadata = "";
  bool replicate_on_split = false;
  std::string_view name = "";
};

// Elements whose components are rows of these.
//   components: Toutput_types
//   -> handle: variant
//   attr output_shapes: list(shape) (at least 1)
//   attr is_files: bool = false
//   attr metadata: string = ""
//   attr replicate_on_split: bool = false
inline Output TensorSliceDataset(GraphBuilder& b, InputList components, const std::vector<PartialShape>& output_shapes, const TensorSliceDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_shapes", output_shapes});
  if (attrs.is_files != bool(false)) given.push_back({"is_files", attrs.is_files});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  if (attrs.replicate_on_split != bool(false)) given.push_back({"replicate_on_split", attrs.replicate_on_split});
  return b.Op("TensorSliceDataset", Inputs({components}), given, attrs.name, at).output();
}

struct TensorStridedSliceUpdateAttrs {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  std::string_view name = "";
};

// A copy of input in which the slice holds value, broadcast to the slice's shape.
//   input: T
//   begin: Index
//   end: Index
//   strides: Index
//   value: T
//   -> output: T
//   Index: int32, int64
//   attr begin_mask: int = 0
//   attr end_mask: int = 0
//   attr ellipsis_mask: int = 0
//   attr new_axis_mask: int = 0
//   attr shrink_axis_mask: int = 0
inline Output TensorStridedSliceUpdate(GraphBuilder& b, const Input& input, const Input& begin, const Input& end, const Input& strides, const Input& value, const TensorStridedSliceUpdateAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.begin_mask != int64_t(0)) given.push_back({"begin_mask", attrs.begin_mask});
  if (attrs.end_mask != int64_t(0)) given.push_back({"end_mask", attrs.end_mask});
  if (attrs.ellipsis_mask != int64_t(0)) given.push_back({"ellipsis_mask", attrs.ellipsis_mask});
  if (attrs.new_axis_mask != int64_t(0)) given.push_back({"new_axis_mask", attrs.new_axis_mask});
  if (attrs.shrink_axis_mask != int64_t(0)) given.push_back({"shrink_axis_mask", attrs.shrink_axis_mask});
  return b.Op("TensorStridedSliceUpdate", {input, begin, end, strides, value}, given, attrs.name, at).output();
}

struct TensorSummaryAttrs {
  std::string description = "";
  std::vector<std::string> labels = {};
  std::string display_name = "";
  std::string_view name = "";
};

// A summary of a tensor as it is, under the node's name.
//   tensor: T
//   -> summary: string
//   attr description: string = ""
//   attr labels: list(string) = []
//   attr display_name: string = ""
inline Output TensorSummary(GraphBuilder& b, const Input& tensor, const TensorSummaryAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.description != std::string("")) given.push_back({"description", attrs.description});
  if (attrs.labels != std::vector<std::string>{}) given.push_back({"labels", attrs.labels});
  if (attrs.display_name != std::string("")) given.push_back({"display_name", attrs.display_name});
  return b.Op("TensorSummary", {tensor}, given, attrs.name, at).output();
}

// A summary of a tensor as it is, with metadata for a plugin of TensorBoard.
//   tag: string
//   tensor: T
//   serialized_summary_metadata: string
//   -> summary: string
inline Output TensorSummaryV2(GraphBuilder& b, const Input& tag, const Input& tensor, const Input& serialized_summary_metadata, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TensorSummaryV2", {tag, tensor, serialized_summary_metadata}, given, name, at).output();
}

struct TextLineDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The lines of text files.
//   filenames: string
//   compression_type: string
//   buffer_size: int64
//   -> handle: variant
//   attr metadata: string = ""
inline Output TextLineDataset(GraphBuilder& b, const Input& filenames, const Input& compression_type, const Input& buffer_size, const TextLineDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("TextLineDataset", {filenames, compression_type, buffer_size}, given, attrs.name, at).output();
}

struct ThreadUnsafeUnigramCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct ThreadUnsafeUnigramCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation operation;
};

// classes, by how often they have been true.
//   true_classes: int64
//   -> sampled_candidates: int64
//   -> true_expected_count: float32
//   -> sampled_expected_count: float32
//   attr num_true: int (at least 1)
//   attr num_sampled: int (at least 1)
//   attr unique: bool
//   attr range_max: int (at least 1)
//   attr seed: int = 0
//   attr seed2: int = 0
inline ThreadUnsafeUnigramCandidateSamplerOutputs ThreadUnsafeUnigramCandidateSampler(GraphBuilder& b, const Input& true_classes, const int64_t& num_true, const int64_t& num_sampled, const bool& unique, const int64_t& range_max, const ThreadUnsafeUnigramCandidateSamplerAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_true", num_true});
  given.push_back({"num_sampled", num_sampled});
  given.push_back({"unique", unique});
  given.push_back({"range_max", range_max});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("ThreadUnsafeUnigramCandidateSampler", {true_classes}, given, attrs.name, at);
  ThreadUnsafeUnigramCandidateSamplerOutputs result;
  result.operation = op;
  result.sampled_candidates = op.output(0);
  result.true_expected_count = op.output(1);
  result.sampled_expected_count = op.output(2);
  return result;
}

// The input repeated multiples[d] times along each dimension d.
//   input: T
//   multiples: Tmultiples
//   -> output: T
//   Tmultiples: int32, int64
inline Output Tile(GraphBuilder& b, const Input& input, const Input& multiples, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Tile", {input, multiples}, given, name, at).output();
}

// Whether a scalar is neither zero nor empty, or another tensor has elements.
//   input: T
//   -> output: bool
inline Output ToBool(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ToBool", {input}, given, name, at).output();
}

struct TopKAttrs {
  bool sorted = true;
  std::string_view name = "";
};

struct TopKOutputs {
  Output values;
  Output indices;
  Operation operation;
};

// the k largest elements of each row and their indices.
//   input: T
//   -> values: T
//   -> indices: int32
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   attr k: int (at least 0)
//   attr sorted: bool = true
inline TopKOutputs TopK(GraphBuilder& b, const Input& input, const int64_t& k, const TopKAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"k", k});
  if (attrs.sorted != bool(true)) given.push_back({"sorted", attrs.sorted});
  const Operation op = b.Op("TopK", {input}, given, attrs.name, at);
  TopKOutputs result;
  result.operation = op;
  result.values = op.output(0);
  result.indices = op.output(1);
  return result;
}

struct TopKV2Attrs {
  bool sorted = true;
  DType index_type = DType::kInt32;
  std::string_view name = "";
};

struct TopKV2Outputs {
  Output values;
  Output indices;
  Operation operation;
};

// the k largest elements of each row and their indices.
//   input: T
//   k: Tk
//   -> values: T
//   -> indices: index_type
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tk: int32, int16, int64
//   index_type: int32, int16, int64
//   attr sorted: bool = true
//   attr index_type: type = int32
inline TopKV2Outputs TopKV2(GraphBuilder& b, const Input& input, const Input& k, const TopKV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.sorted != bool(true)) given.push_back({"sorted", attrs.sorted});
  if (attrs.index_type != DType(DType::kInt32)) given.push_back({"index_type", attrs.index_type});
  const Operation op = b.Op("TopKV2", {input, k}, given, attrs.name, at);
  TopKV2Outputs result;
  result.operation = op;
  result.values = op.output(0);
  result.indices = op.output(1);
  return result;
}

// x with its dimensions in another order.
//   x: T
//   perm: Tperm
//   -> y: T
//   Tperm: int32, int64
inline Output Transpose(GraphBuilder& b, const Input& x, const Input& perm, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Transpose", {x, perm}, given, name, at).output();
}

// The product of matrices given by three diagonals with others.
//   superdiag: T
//   maindiag: T
//   subdiag: T
//   rhs: T
//   -> output: T
//   T: float32, float64, complex64, complex128
inline Output TridiagonalMatMul(GraphBuilder& b, const Input& superdiag, const Input& maindiag, const Input& subdiag, const Input& rhs, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TridiagonalMatMul", {superdiag, maindiag, subdiag, rhs}, given, name, at).output();
}

struct TridiagonalSolveAttrs {
  bool partial_pivoting = true;
  bool perturb_singular = false;
  std::string_view name = "";
};

// Solutions x of a x = b for matrices given by three diagonals.
//   diagonals: T
//   rhs: T
//   -> output: T
//   T: float32, float64, complex64, complex128
//   attr partial_pivoting: bool = true
//   attr perturb_singular: bool = false
inline Output TridiagonalSolve(GraphBuilder& b, const Input& diagonals, const Input& rhs, const TridiagonalSolveAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.partial_pivoting != bool(true)) given.push_back({"partial_pivoting", attrs.partial_pivoting});
  if (attrs.perturb_singular != bool(false)) given.push_back({"perturb_singular", attrs.perturb_singular});
  return b.Op("TridiagonalSolve", {diagonals, rhs}, given, attrs.name, at).output();
}

// x / y, rounded towards zero.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Output TruncateDiv(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TruncateDiv", {x, y}, given, name, at).output();
}

// The remainder of x / y, with the sign of x.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, int32, int64, bfloat16, float16
inline Output TruncateMod(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("TruncateMod", {x, y}, given, name, at).output();
}

struct TruncatedNormalAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

// normal random numbers less than two deviations from 0.
//   shape: T
//   -> output: dtype
//   dtype: float32, float64, bfloat16, float16
//   T: int32, int64
//   attr dtype: type
//   attr seed: int = 0
//   attr seed2: int = 0
inline Output TruncatedNormal(GraphBuilder& b, const Input& shape, const DType& dtype, const TruncatedNormalAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  return b.Op("TruncatedNormal", {shape}, given, attrs.name, at).output();
}

struct UnbatchDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// The rows of elements.
//   input_dataset: variant
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output UnbatchDataset(GraphBuilder& b, const Input& input_dataset, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const UnbatchDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("UnbatchDataset", {input_dataset}, given, attrs.name, at).output();
}

struct UnicodeDecodeAttrs {
  std::string errors = "replace";
  int64_t replacement_char = 65533;
  bool replace_control_characters = false;
  DType Tsplits = DType::kInt64;
  std::string_view name = "";
};

struct UnicodeDecodeOutputs {
  Output row_splits;
  Output char_values;
  Operation operation;
};

// The code points of strings.
//   input: string
//   -> row_splits: Tsplits
//   -> char_values: int32
//   Tsplits: int32, int64
//   attr input_encoding: string
//   attr errors: string = "replace" (strict, replace, ignore)
//   attr replacement_char: int = 65533
//   attr replace_control_characters: bool = false
//   attr Tsplits: type = int64
inline UnicodeDecodeOutputs UnicodeDecode(GraphBuilder& b, const Input& input, const std::string& input_encoding, const UnicodeDecodeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"input_encoding", input_encoding});
  if (attrs.errors != std::string("replace")) given.push_back({"errors", attrs.errors});
  if (attrs.replacement_char != int64_t(65533)) given.push_back({"replacement_char", attrs.replacement_char});
  if (attrs.replace_control_characters != bool(false)) given.push_back({"replace_control_characters", attrs.replace_control_characters});
  if (attrs.Tsplits != DType(DType::kInt64)) given.push_back({"Tsplits", attrs.Tsplits});
  const Operation op = b.Op("UnicodeDecode", {input}, given, attrs.name, at);
  UnicodeDecodeOutputs result;
  result.operation = op;
  result.row_splits = op.output(0);
  result.char_values = op.output(1);
  return result;
}

struct UnicodeDecodeWithOffsetsAttrs {
  std::string errors = "replace";
  int64_t replacement_char = 65533;
  bool replace_control_characters = false;
  DType Tsplits = DType::kInt64;
  std::string_view name = "";
};

struct UnicodeDecodeWithOffsetsOutputs {
  Output row_splits;
  Output char_values;
  Output char_to_byte_starts;
  Operation operation;
};

// The code points of strings and where they begin.
//   input: string
//   -> row_splits: Tsplits
//   -> char_values: int32
//   -> char_to_byte_starts: int64
//   Tsplits: int32, int64
//   attr input_encoding: string
//   attr errors: string = "replace" (strict, replace, ignore)
//   attr replacement_char: int = 65533
//   attr replace_control_characters: bool = false
//   attr Tsplits: type = int64
inline UnicodeDecodeWithOffsetsOutputs UnicodeDecodeWithOffsets(GraphBuilder& b, const Input& input, const std::string& input_encoding, const UnicodeDecodeWithOffsetsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"input_encoding", input_encoding});
  if (attrs.errors != std::string("replace")) given.push_back({"errors", attrs.errors});
  if (attrs.replacement_char != int64_t(65533)) given.push_back({"replacement_char", attrs.replacement_char});
  if (attrs.replace_control_characters != bool(false)) given.push_back({"replace_control_characters", attrs.replace_control_characters});
  if (attrs.Tsplits != DType(DType::kInt64)) given.push_back({"Tsplits", attrs.Tsplits});
  const Operation op = b.Op("UnicodeDecodeWithOffsets", {input}, given, attrs.name, at);
  UnicodeDecodeWithOffsetsOutputs result;
  result.operation = op;
  result.row_splits = op.output(0);
  result.char_values = op.output(1);
  result.char_to_byte_starts = op.output(2);
  return result;
}

struct UnicodeEncodeAttrs {
  std::string errors = "replace";
  int64_t replacement_char = 65533;
  std::string_view name = "";
};

// Strings from code points.
//   input_values: int32
//   input_splits: Tsplits
//   -> output: string
//   Tsplits: int32, int64
//   attr output_encoding: string (UTF-8, UTF-16-BE, UTF-32-BE)
//   attr errors: string = "replace" (ignore, replace, strict)
//   attr replacement_char: int = 65533
inline Output UnicodeEncode(GraphBuilder& b, const Input& input_values, const Input& input_splits, const std::string& output_encoding, const UnicodeEncodeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_encoding", output_encoding});
  if (attrs.errors != std::string("replace")) given.push_back({"errors", attrs.errors});
  if (attrs.replacement_char != int64_t(65533)) given.push_back({"replacement_char", attrs.replacement_char});
  return b.Op("UnicodeEncode", {input_values, input_splits}, given, attrs.name, at).output();
}

// Numbers of the scripts of code points.
//   input: int32
//   -> output: int32
inline Output UnicodeScript(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("UnicodeScript", {input}, given, name, at).output();
}

struct UnicodeTranscodeAttrs {
  std::string errors = "replace";
  int64_t replacement_char = 65533;
  bool replace_control_characters = false;
  std::string_view name = "";
};

// Strings in another encoding.
//   input: string
//   -> output: string
//   attr input_encoding: string
//   attr output_encoding: string (UTF-8, UTF-16-BE, UTF-32-BE)
//   attr errors: string = "replace" (strict, replace, ignore)
//   attr replacement_char: int = 65533
//   attr replace_control_characters: bool = false
inline Output UnicodeTranscode(GraphBuilder& b, const Input& input, const std::string& input_encoding, const std::string& output_encoding, const UnicodeTranscodeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"input_encoding", input_encoding});
  given.push_back({"output_encoding", output_encoding});
  if (attrs.errors != std::string("replace")) given.push_back({"errors", attrs.errors});
  if (attrs.replacement_char != int64_t(65533)) given.push_back({"replacement_char", attrs.replacement_char});
  if (attrs.replace_control_characters != bool(false)) given.push_back({"replace_control_characters", attrs.replace_control_characters});
  return b.Op("UnicodeTranscode", {input}, given, attrs.name, at).output();
}

struct UniformCandidateSamplerAttrs {
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string_view name = "";
};

struct UniformCandidateSamplerOutputs {
  Output sampled_candidates;
  Output true_expected_count;
  Output sampled_expected_count;
  Operation operation;
};

// classes, evenly.
//   true_classes: int64
//   -> sampled_candidates: int64
//   -> true_expected_count: float32
//   -> sampled_expected_count: float32
//   attr num_true: int (at least 1)
//   attr num_sampled: int (at least 1)
//   attr unique: bool
//   attr range_max: int (at least 1)
//   attr seed: int = 0
//   attr seed2: int = 0
inline UniformCandidateSamplerOutputs UniformCandidateSampler(GraphBuilder& b, const Input& true_classes, const int64_t& num_true, const int64_t& num_sampled, const bool& unique, const int64_t& range_max, const UniformCandidateSamplerAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num_true", num_true});
  given.push_back({"num_sampled", num_sampled});
  given.push_back({"unique", unique});
  given.push_back({"range_max", range_max});
  if (attrs.seed != int64_t(0)) given.push_back({"seed", attrs.seed});
  if (attrs.seed2 != int64_t(0)) given.push_back({"seed2", attrs.seed2});
  const Operation op = b.Op("UniformCandidateSampler", {true_classes}, given, attrs.name, at);
  UniformCandidateSamplerOutputs result;
  result.operation = op;
  result.sampled_candidates = op.output(0);
  result.true_expected_count = op.output(1);
  result.sampled_expected_count = op.output(2);
  return result;
}

struct UniqueAttrs {
  DType out_idx = DType::kInt32;
  std::string_view name = "";
};

struct UniqueOutputs {
  Output y;
  Output idx;
  Operation operation;
};

// The different elements of x and where each element of x is among them.
//   x: T
//   -> y: T
//   -> idx: out_idx
//   T: float32, float64, int32, uint8, int16, int8, string, int64, bool, bfloat16, uint16, float16, uint32, uint64
//   out_idx: int32, int64
//   attr out_idx: type = int32
inline UniqueOutputs Unique(GraphBuilder& b, const Input& x, const UniqueAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_idx != DType(DType::kInt32)) given.push_back({"out_idx", attrs.out_idx});
  const Operation op = b.Op("Unique", {x}, given, attrs.name, at);
  UniqueOutputs result;
  result.operation = op;
  result.y = op.output(0);
  result.idx = op.output(1);
  return result;
}

struct UniqueV2Attrs {
  DType out_idx = DType::kInt32;
  std::string_view name = "";
};

struct UniqueV2Outputs {
  Output y;
  Output idx;
  Operation operation;
};

// The different slices of x along axis and where each slice of x is among them.
//   x: T
//   axis: Taxis
//   -> y: T
//   -> idx: out_idx
//   T: float32, float64, int32, uint8, int16, int8, string, int64, bool, bfloat16, uint16, float16, uint32, uint64
//   Taxis: int32, int64
//   out_idx: int32, int64
//   attr out_idx: type = int32
inline UniqueV2Outputs UniqueV2(GraphBuilder& b, const Input& x, const Input& axis, const UniqueV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_idx != DType(DType::kInt32)) given.push_back({"out_idx", attrs.out_idx});
  const Operation op = b.Op("UniqueV2", {x, axis}, given, attrs.name, at);
  UniqueV2Outputs result;
  result.operation = op;
  result.y = op.output(0);
  result.idx = op.output(1);
  return result;
}

struct UniqueWithCountsAttrs {
  DType out_idx = DType::kInt32;
  std::string_view name = "";
};

struct UniqueWithCountsOutputs {
  Output y;
  Output idx;
  Output count;
  Operation operation;
};

// As Unique, and how often each element occurs.
//   x: T
//   -> y: T
//   -> idx: out_idx
//   -> count: out_idx
//   T: float32, float64, int32, uint8, int16, int8, string, int64, bool, bfloat16, uint16, float16, uint32, uint64
//   out_idx: int32, int64
//   attr out_idx: type = int32
inline UniqueWithCountsOutputs UniqueWithCounts(GraphBuilder& b, const Input& x, const UniqueWithCountsAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_idx != DType(DType::kInt32)) given.push_back({"out_idx", attrs.out_idx});
  const Operation op = b.Op("UniqueWithCounts", {x}, given, attrs.name, at);
  UniqueWithCountsOutputs result;
  result.operation = op;
  result.y = op.output(0);
  result.idx = op.output(1);
  result.count = op.output(2);
  return result;
}

struct UniqueWithCountsV2Attrs {
  DType out_idx = DType::kInt32;
  std::string_view name = "";
};

struct UniqueWithCountsV2Outputs {
  Output y;
  Output idx;
  Output count;
  Operation operation;
};

// As UniqueV2, and how often each slice occurs.
//   x: T
//   axis: Taxis
//   -> y: T
//   -> idx: out_idx
//   -> count: out_idx
//   T: float32, float64, int32, uint8, int16, int8, string, int64, bool, bfloat16, uint16, float16, uint32, uint64
//   Taxis: int32, int64
//   out_idx: int32, int64
//   attr out_idx: type = int32
inline UniqueWithCountsV2Outputs UniqueWithCountsV2(GraphBuilder& b, const Input& x, const Input& axis, const UniqueWithCountsV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_idx != DType(DType::kInt32)) given.push_back({"out_idx", attrs.out_idx});
  const Operation op = b.Op("UniqueWithCountsV2", {x, axis}, given, attrs.name, at);
  UniqueWithCountsV2Outputs result;
  result.operation = op;
  result.y = op.output(0);
  result.idx = op.output(1);
  result.count = op.output(2);
  return result;
}

struct UnpackAttrs {
  int64_t axis = 0;
  std::string_view name = "";
};

// The num slices of value along axis, without that dimension.
//   value: T
//   -> output: list of T
//   attr num: int (at least 0)
//   attr axis: int = 0
inline Outputs Unpack(GraphBuilder& b, const Input& value, const int64_t& num, const UnpackAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"num", num});
  if (attrs.axis != int64_t(0)) given.push_back({"axis", attrs.axis});
  return b.Op("Unpack", {value}, given, attrs.name, at).outputs();
}

// Flat indices as coordinates.
//   indices: Tidx
//   dims: Tidx
//   -> output: Tidx
//   Tidx: int32, int64
inline Output UnravelIndex(GraphBuilder& b, const Input& indices, const Input& dims, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("UnravelIndex", {indices, dims}, given, name, at).output();
}

struct UnsortedSegmentJoinAttrs {
  std::string separator = "";
  std::string_view name = "";
};

// Strings joined in each segment.
//   inputs: string
//   segment_ids: Tindices
//   num_segments: Tnumsegments
//   -> output: string
//   Tindices: int32, int64
//   Tnumsegments: int32, int64
//   attr separator: string = ""
inline Output UnsortedSegmentJoin(GraphBuilder& b, const Input& inputs, const Input& segment_ids, const Input& num_segments, const UnsortedSegmentJoinAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.separator != std::string("")) given.push_back({"separator", attrs.separator});
  return b.Op("UnsortedSegmentJoin", {inputs, segment_ids, num_segments}, given, attrs.name, at).output();
}

// largest values in the rows of each segment.
//   data: T
//   segment_ids: Tindices
//   num_segments: Tnumsegments
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tindices: int32, int64
//   Tnumsegments: int32, int64
inline Output UnsortedSegmentMax(GraphBuilder& b, const Input& data, const Input& segment_ids, const Input& num_segments, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("UnsortedSegmentMax", {data, segment_ids, num_segments}, given, name, at).output();
}

// smallest values in the rows of each segment.
//   data: T
//   segment_ids: Tindices
//   num_segments: Tnumsegments
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   Tindices: int32, int64
//   Tnumsegments: int32, int64
inline Output UnsortedSegmentMin(GraphBuilder& b, const Input& data, const Input& segment_ids, const Input& num_segments, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("UnsortedSegmentMin", {data, segment_ids, num_segments}, given, name, at).output();
}

// products of the rows of each segment.
//   data: T
//   segment_ids: Tindices
//   num_segments: Tnumsegments
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int64
//   Tnumsegments: int32, int64
inline Output UnsortedSegmentProd(GraphBuilder& b, const Input& data, const Input& segment_ids, const Input& num_segments, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("UnsortedSegmentProd", {data, segment_ids, num_segments}, given, name, at).output();
}

// sums of the rows of each segment.
//   data: T
//   segment_ids: Tindices
//   num_segments: Tnumsegments
//   -> output: T
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bfloat16, uint16, complex128, float16, uint32, uint64
//   Tindices: int32, int16, int64
//   Tnumsegments: int32, int64
inline Output UnsortedSegmentSum(GraphBuilder& b, const Input& data, const Input& segment_ids, const Input& num_segments, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("UnsortedSegmentSum", {data, segment_ids, num_segments}, given, name, at).output();
}

struct UnstageAttrs {
  int64_t capacity = 0;
  int64_t memory_limit = 0;
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// Takes the tensors that were put down first.
//   -> values: dtypes
//   attr dtypes: list(type) (at least 1)
//   attr capacity: int = 0 (at least 0)
//   attr memory_limit: int = 0 (at least 0)
//   attr container: string = ""
//   attr shared_name: string = ""
inline Outputs Unstage(GraphBuilder& b, const std::vector<DType>& dtypes, const UnstageAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtypes", dtypes});
  if (attrs.capacity != int64_t(0)) given.push_back({"capacity", attrs.capacity});
  if (attrs.memory_limit != int64_t(0)) given.push_back({"memory_limit", attrs.memory_limit});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("Unstage", {}, given, attrs.name, at).outputs();
}

struct UpperBoundAttrs {
  DType out_type = DType::kInt32;
  std::string_view name = "";
};

// How many sorted inputs are not above each value.
//   sorted_inputs: T
//   values: T
//   -> output: out_type
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
//   out_type: int32, int64
//   attr out_type: type = int32
inline Output UpperBound(GraphBuilder& b, const Input& sorted_inputs, const Input& values, const UpperBoundAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kInt32)) given.push_back({"out_type", attrs.out_type});
  return b.Op("UpperBound", {sorted_inputs, values}, given, attrs.name, at).output();
}

struct VarHandleOpAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string debug_name = "";
  std::vector<std::string> allowed_devices = {};
  std::string_view name = "";
};

// The handle of a variable, whether or not it exists yet.
//   -> resource: resource
//   attr dtype: type
//   attr shape: shape
//   attr container: string = ""
//   attr shared_name: string = ""
//   attr debug_name: string = ""
//   attr allowed_devices: list(string) = []
inline Output VarHandleOp(GraphBuilder& b, const DType& dtype, const PartialShape& shape, const VarHandleOpAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"dtype", dtype});
  given.push_back({"shape", shape});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  if (attrs.debug_name != std::string("")) given.push_back({"debug_name", attrs.debug_name});
  if (attrs.allowed_devices != std::vector<std::string>{}) given.push_back({"allowed_devices", attrs.allowed_devices});
  return b.Op("VarHandleOp", {}, given, attrs.name, at).output();
}

// Whether a variable exists and has a value.
//   resource: resource
//   -> is_initialized: bool
inline Output VarIsInitializedOp(GraphBuilder& b, const Input& resource, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("VarIsInitializedOp", {resource}, given, name, at).output();
}

struct VariableAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// As VariableV2; a shape of [] also stands for an unknown one.
//   -> ref: reference to dtype
//   attr shape: shape
//   attr dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output Variable(GraphBuilder& b, const PartialShape& shape, const DType& dtype, const VariableAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shape", shape});
  given.push_back({"dtype", dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("Variable", {}, given, attrs.name, at).output();
}

struct VariableShapeAttrs {
  DType out_type = DType::kInt32;
  std::string_view name = "";
};

// The shape of a variable's value.
//   input: resource
//   -> output: out_type
//   out_type: int32, int64
//   attr out_type: type = int32
inline Output VariableShape(GraphBuilder& b, const Input& input, const VariableShapeAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.out_type != DType(DType::kInt32)) given.push_back({"out_type", attrs.out_type});
  return b.Op("VariableShape", {input}, given, attrs.name, at).output();
}

struct VariableV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  std::string_view name = "";
};

// A reference to the session's variable of this name, which has no value until it is assigned.
//   -> ref: reference to dtype
//   attr shape: shape
//   attr dtype: type
//   attr container: string = ""
//   attr shared_name: string = ""
inline Output VariableV2(GraphBuilder& b, const PartialShape& shape, const DType& dtype, const VariableV2Attrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"shape", shape});
  given.push_back({"dtype", dtype});
  if (attrs.container != std::string("")) given.push_back({"container", attrs.container});
  if (attrs.shared_name != std::string("")) given.push_back({"shared_name", attrs.shared_name});
  return b.Op("VariableV2", {}, given, attrs.name, at).output();
}

// coordinates of the elements that are not zero.
//   input: T
//   -> index: int64
//   T: float32, float64, int32, uint8, int16, int8, complex64, int64, bool, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64
inline Output Where(GraphBuilder& b, const Input& input, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Where", {input}, given, name, at).output();
}

struct WhileAttrs {
  std::vector<PartialShape> output_shapes = {};
  int64_t parallel_iterations = 10;
  std::string_view name = "";
};

// Calls body on the loop variables while cond of them is true.
//   input: T
//   -> output: T
//   attr cond: func
//   attr body: func
//   attr output_shapes: list(shape) = []
//   attr parallel_iterations: int = 10
inline Outputs While(GraphBuilder& b, InputList input, const FunctionRef& cond, const FunctionRef& body, const WhileAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"cond", cond});
  given.push_back({"body", body});
  if (attrs.output_shapes != std::vector<PartialShape>{}) given.push_back({"output_shapes", attrs.output_shapes});
  if (attrs.parallel_iterations != int64_t(10)) given.push_back({"parallel_iterations", attrs.parallel_iterations});
  return b.Op("While", Inputs({input}), given, attrs.name, at).outputs();
}

struct WindowDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Datasets of elements that follow each other.
//   input_dataset: variant
//   size: int64
//   shift: int64
//   stride: int64
//   drop_remainder: bool
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output WindowDataset(GraphBuilder& b, const Input& input_dataset, const Input& size, const Input& shift, const Input& stride, const Input& drop_remainder, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const WindowDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("WindowDataset", {input_dataset, size, shift, stride, drop_remainder}, given, attrs.name, at).output();
}

struct WriteAudioSummaryAttrs {
  int64_t max_outputs = 3;
  std::string_view name = "";
};

// Writes sounds.
//   writer: resource
//   step: int64
//   tag: string
//   tensor: float32
//   sample_rate: float32
//   attr max_outputs: int = 3 (at least 1)
inline Operation WriteAudioSummary(GraphBuilder& b, const Input& writer, const Input& step, const Input& tag, const Input& tensor, const Input& sample_rate, const WriteAudioSummaryAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.max_outputs != int64_t(3)) given.push_back({"max_outputs", attrs.max_outputs});
  return b.Op("WriteAudioSummary", {writer, step, tag, tensor, sample_rate}, given, attrs.name, at);
}

// Replaces a file.
//   filename: string
//   contents: string
inline Operation WriteFile(GraphBuilder& b, const Input& filename, const Input& contents, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("WriteFile", {filename, contents}, given, name, at);
}

// Writes a serialized GraphDef.
//   writer: resource
//   step: int64
//   tensor: string
inline Operation WriteGraphSummary(GraphBuilder& b, const Input& writer, const Input& step, const Input& tensor, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("WriteGraphSummary", {writer, step, tensor}, given, name, at);
}

// Writes how values are distributed.
//   writer: resource
//   step: int64
//   tag: string
//   values: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bool, bfloat16, uint16, float16, uint32, uint64
inline Operation WriteHistogramSummary(GraphBuilder& b, const Input& writer, const Input& step, const Input& tag, const Input& values, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("WriteHistogramSummary", {writer, step, tag, values}, given, name, at);
}

struct WriteImageSummaryAttrs {
  int64_t max_images = 3;
  std::string_view name = "";
};

// Writes images.
//   writer: resource
//   step: int64
//   tag: string
//   tensor: T
//   bad_color: uint8
//   T: float32, float64, uint8, float16
//   attr max_images: int = 3 (at least 1)
inline Operation WriteImageSummary(GraphBuilder& b, const Input& writer, const Input& step, const Input& tag, const Input& tensor, const Input& bad_color, const WriteImageSummaryAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  if (attrs.max_images != int64_t(3)) given.push_back({"max_images", attrs.max_images});
  return b.Op("WriteImageSummary", {writer, step, tag, tensor, bad_color}, given, attrs.name, at);
}

// Writes serialized summaries as one event.
//   writer: resource
//   step: int64
//   tensor: string
inline Operation WriteRawProtoSummary(GraphBuilder& b, const Input& writer, const Input& step, const Input& tensor, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("WriteRawProtoSummary", {writer, step, tensor}, given, name, at);
}

// Writes a number.
//   writer: resource
//   step: int64
//   tag: string
//   value: T
//   T: float32, float64, int32, uint8, int16, int8, int64, bfloat16, uint16, float16, uint32, uint64
inline Operation WriteScalarSummary(GraphBuilder& b, const Input& writer, const Input& step, const Input& tag, const Input& value, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("WriteScalarSummary", {writer, step, tag, value}, given, name, at);
}

// Writes a tensor as it is.
//   writer: resource
//   step: int64
//   tensor: T
//   tag: string
//   summary_metadata: string
inline Operation WriteSummary(GraphBuilder& b, const Input& writer, const Input& step, const Input& tensor, const Input& tag, const Input& summary_metadata, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("WriteSummary", {writer, step, tensor, tag, summary_metadata}, given, name, at);
}

// x / y, and 0 where x is 0.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Xdivy(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Xdivy", {x, y}, given, name, at).output();
}

// x log(1 + y), and 0 where x is 0.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Xlog1py(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Xlog1py", {x, y}, given, name, at).output();
}

// x log(y), and 0 where x is 0.
//   x: T
//   y: T
//   -> z: T
//   T: float32, float64, complex64, bfloat16, complex128, float16
inline Output Xlogy(GraphBuilder& b, const Input& x, const Input& y, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Xlogy", {x, y}, given, name, at).output();
}

// Zeros (false, empty strings) in the shape of x.
//   x: T
//   -> y: T
//   T: float32, float64, int32, uint8, int16, int8, string, complex64, int64, bool, bfloat16, uint16, complex128, float16, variant, uint32, uint64, float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, int4, uint4, int2, uint2, float4_e2m1fn
inline Output ZerosLike(GraphBuilder& b, const Input& x, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("ZerosLike", {x}, given, name, at).output();
}

// The sum of (k + q)^-x over k >= 0.
//   x: T
//   q: T
//   -> z: T
//   T: float32, float64
inline Output Zeta(GraphBuilder& b, const Input& x, const Input& q, std::string_view name = "",
    std::source_location at = std::source_location::current()) {
  AttrList given;
  return b.Op("Zeta", {x, q}, given, name, at).output();
}

struct ZipDatasetAttrs {
  std::string metadata = "";
  std::string_view name = "";
};

// Tuples of the elements of several datasets.
//   input_datasets: list of variant
//   -> handle: variant
//   attr output_types: list(type) (at least 1)
//   attr output_shapes: list(shape) (at least 1)
//   attr metadata: string = ""
inline Output ZipDataset(GraphBuilder& b, InputList input_datasets, const std::vector<DType>& output_types, const std::vector<PartialShape>& output_shapes, const ZipDatasetAttrs& attrs = {},
    std::source_location at = std::source_location::current()) {
  AttrList given;
  given.push_back({"output_types", output_types});
  given.push_back({"output_shapes", output_shapes});
  if (attrs.metadata != std::string("")) given.push_back({"metadata", attrs.metadata});
  return b.Op("ZipDataset", Inputs({input_datasets}), given, attrs.name, at).output();
}

}  // namespace flowlatch::ops

#endif  // FLOWLATCH_OPS_OP_FUNCTIONS_H_
