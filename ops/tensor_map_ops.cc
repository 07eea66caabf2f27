// Maps from tensors to tensors, in scalar variants with value semantics: every op makes a new map, in the memory of the
// old one when nobody else sees it.
//   EmptyTensorMap, TensorMapInsert (of a key that is there: another value), TensorMapLookup, TensorMapHasKey,
//   TensorMapErase, TensorMapSize
//   TensorMapStackKeys: all keys, which must be of one dtype and shape, in one tensor; in no particular order
// Keys are equal if dtype, shape and elements are. The gradient of a map is a map of gradients; keys that it lacks have
// none.
#include "ops/tensor_map_ops.h"

#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/items.h"
#include "ops/kernels/tensor_map.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {
namespace {

// ---- Kernels

absl::Status NotFound(const Tensor& key) {
  return absl::InvalidArgumentError(absl::StrCat("key: expected one that the map has, got ", key.DebugString()));
}

absl::Status EmptyMap(KernelCall& c) {
  SetMapOutput(c, MakeRef<TensorMap>());
  return absl::OkStatus();
}

absl::Status Insert(KernelCall& c) {
  RETURN_IF_ERROR(MapInput(c).status());
  Tensor key = c.TakeInput(1), value = c.TakeInput(2);
  ASSIGN_OR_RETURN(TensorMap * map, ForwardMap(c));
  return map->Insert(std::move(key), std::move(value));
}

class LookupState : public KernelState {
 public:
  explicit LookupState(DType dtype) : dtype(dtype) {}
  const DType dtype;
};

absl::Status Lookup(KernelCall& c) {
  ASSIGN_OR_RETURN(const TensorMap* map, MapInput(c));
  const Tensor* value = map->Find(c.input(1));
  if (value == nullptr) return NotFound(c.input(1));
  const DType dtype = c.state<LookupState>().dtype;
  if (value->dtype() != dtype) {
    return absl::InvalidArgumentError(absl::StrCat("value of a map: expected ", std::string(DTypeName(dtype)), ", got ",
                                                   std::string(DTypeName(value->dtype()))));
  }
  c.SetOutput(0, *value);
  return absl::OkStatus();
}

template <absl::Status (*kCompute)(KernelCall&)>
absl::StatusOr<Kernel> OfDType(const NodeInfo& node) {
  return Kernel{.fn = &RunKernel<kCompute>, .state = std::make_shared<LookupState>(node.output_dtype(0))};
}

absl::Status HasKey(KernelCall& c) {
  ASSIGN_OR_RETURN(const TensorMap* map, MapInput(c));
  c.output(0).SetScalar(map->Find(c.input(1)) != nullptr);
  return absl::OkStatus();
}

absl::Status Erase(KernelCall& c) {
  ASSIGN_OR_RETURN(TensorMap * map, MapInput(c));
  if (map->Find(c.input(1)) == nullptr) return NotFound(c.input(1));
  ASSIGN_OR_RETURN(map, ForwardMap(c));
  map->Erase(c.input(1));
  return absl::OkStatus();
}

absl::Status Size(KernelCall& c) {
  ASSIGN_OR_RETURN(const TensorMap* map, MapInput(c));
  if (map->size() > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("size: expected a number that fits int32, got ", map->size()));
  }
  c.output(0).SetScalar(static_cast<int32_t>(map->size()));
  return absl::OkStatus();
}

absl::Status StackKeys(KernelCall& c) {
  ASSIGN_OR_RETURN(const TensorMap* map, MapInput(c));
  if (map->size() == 0) return absl::InvalidArgumentError("map: expected keys to stack, got an empty map");
  const DType dtype = c.state<LookupState>().dtype;
  for (const auto& [key, value] : map->entries()) {
    if (key.dtype() == dtype) continue;
    return absl::InvalidArgumentError(absl::StrCat("key of a map: expected ", std::string(DTypeName(dtype)), ", got ",
                                                   std::string(DTypeName(key.dtype()))));
  }
  std::vector<const Tensor*> keys;
  keys.reserve(map->entries().size());
  for (const auto& [key, value] : map->entries()) keys.push_back(&key);
  return StackItems(c, dtype, map->size(), keys[0]->shape(), [&](int64_t i) -> const Tensor& { return *keys[i]; });
}

// ---- Shapes

absl::Status ScalarOfMap(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  return shapes::Scalar(c);
}

absl::Status OfMap(ShapeContext& c) { return c.ExpectScalar(0); }

// ---- Gradients

absl::Status LookupGrad(GradContext& c) {
  c.Set(0, c.Op("TensorMapInsert", {c.Op("EmptyTensorMap", {}), c.input(1), c.grad()}));
  return absl::OkStatus();
}

absl::Status InsertGrad(GradContext& c) {
  const Output map = c.grad();
  const Output key = c.input(1);
  const Output has_key = c.Op("TensorMapHasKey", {map, key});
  const DType dtype = c.input_dtype(2);
  if (c.needs(0)) {
    c.Set(0, c.builder().Cond(
                 has_key,
                 [&] {
                   return c.Op("TensorMapErase", {map, key}, {{"value_dtype", dtype}});
                 },
                 [&] { return map; }));
  }
  if (c.needs(2)) {
    const Output zeros = ZerosLikeInput(c, 2);
    c.Set(2, c.builder().Cond(
                 has_key,
                 [&] {
                   return c.Op("TensorMapLookup", {map, key}, {{"value_dtype", dtype}});
                 },
                 [&] { return zeros; }));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RegisterTensorMapOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel,
                       GradFunction gradient) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .gradient = gradient});
  };
  RETURN_IF_ERROR(add("EmptyTensorMap", "A map without keys", shapes::Scalar, PlainKernel<EmptyMap>, gradients::None));
  RETURN_IF_ERROR(
      add("TensorMapInsert", "The map with the value for the key", ScalarOfMap, PlainKernel<Insert>, InsertGrad));
  RETURN_IF_ERROR(add("TensorMapLookup", "The value of the key", OfMap, OfDType<Lookup>, LookupGrad));
  RETURN_IF_ERROR(
      add("TensorMapHasKey", "Whether the map has the key", ScalarOfMap, PlainKernel<HasKey>, gradients::None));
  RETURN_IF_ERROR(
      add("TensorMapErase", "The map without the key", ScalarOfMap, PlainKernel<Erase>, gradients::Identity));
  RETURN_IF_ERROR(add("TensorMapSize", "The number of keys", ScalarOfMap, PlainKernel<Size>, gradients::None));
  return add("TensorMapStackKeys", "All keys in one tensor", OfMap, OfDType<StackKeys>, gradients::None);
}

}  // namespace flowlatch
