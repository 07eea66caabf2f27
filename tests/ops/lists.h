// Runs of list ops in tests: lists are made and looked at by the ops themselves.
#ifndef FLOWLATCH_TESTS_OPS_LISTS_H_
#define FLOWLATCH_TESTS_OPS_LISTS_H_

#include <string>
#include <utility>
#include <vector>

#include "ops/kernels/tensor_list.h"
#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {

class ListTest : public testing::Test {
 protected:
  using Results = absl::StatusOr<std::vector<Tensor>>;

  // Attrs: element_dtype is float32 and types of shapes are int32 unless `attrs` says otherwise.
  Results Run(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    const OpSchema* schema = library_.registry().FindRegistered(op);
    if (schema == nullptr) return absl::NotFoundError(op);
    for (const char* name : {"element_dtype", "shape_type", "Tshape"}) {
      if (schema->FindAttr(name) == nullptr || attrs.Find(name) != nullptr) continue;
      attrs = attrs.With(name, name == std::string("element_dtype") ? DType::kFloat32 : DType::kInt32);
    }
    return step_.Run(op, attrs, std::move(inputs));
  }
  // The first result.
  Tensor Get(const std::string& op, std::vector<Tensor> inputs, AttrMap attrs = {}) {
    Results results = Run(op, std::move(inputs), std::move(attrs));
    EXPECT_TRUE(results.ok()) << op << ": " << results.status();
    return results.ok() ? std::move((*results)[0]) : Tensor();
  }
  void ExpectRunInvalid(const std::string& op, std::vector<Tensor> inputs, const std::string& text,
                        AttrMap attrs = {}) {
    SCOPED_TRACE(op);
    ExpectInvalid(Run(op, std::move(inputs), std::move(attrs)).status(), text);
  }

  Tensor Reserve(const Tensor& element_shape, int32_t n, DType dtype = DType::kFloat32) {
    return Get("TensorListReserve", {element_shape, Tensor::Scalar(n)}, {{"element_dtype", dtype}});
  }
  Tensor Empty(const Tensor& element_shape, DType dtype = DType::kFloat32, int32_t max = -1) {
    return Get("EmptyTensorList", {element_shape, Tensor::Scalar(max)}, {{"element_dtype", dtype}});
  }
  Tensor SetItem(Tensor list, int32_t index, const Tensor& item) {
    std::vector<Tensor> inputs;
    inputs.push_back(std::move(list));  // an initializer list would hold it, too
    inputs.push_back(Tensor::Scalar(index));
    inputs.push_back(item);
    return Get("TensorListSetItem", std::move(inputs), {{"element_dtype", item.dtype()}});
  }
  Tensor PushBack(Tensor list, const Tensor& item) {
    std::vector<Tensor> inputs;
    inputs.push_back(std::move(list));
    inputs.push_back(item);
    return Get("TensorListPushBack", std::move(inputs), {{"element_dtype", item.dtype()}});
  }
  static TensorList* Value(const Tensor& list) {
    return list.has_value() && list.is_scalar() ? list.scalar<Variant>().As<TensorList>() : nullptr;
  }
  // The items; those without a value are "unset".
  static std::vector<std::string> Items(const Tensor& list) {
    std::vector<std::string> items;
    const TensorList* value = Value(list);
    if (value == nullptr) return {"no list"};
    for (const Tensor& item : value->items()) items.push_back(item.has_value() ? item.DebugString() : "unset");
    return items;
  }

  // Handle data that the op's shape function gives output 0.
  absl::StatusOr<HandleData> InferHandle(const std::string& op, const AttrMap& attrs, std::vector<PartialShape> inputs,
                                         std::vector<const Tensor*> constants, std::vector<const HandleData*> handles) {
    const OpSchema* schema = library_.registry().FindRegistered(op);
    if (schema == nullptr) return absl::NotFoundError(op);
    ASSIGN_OR_RETURN(const std::vector<PortType> outputs, schema->OutputTypes(attrs));
    constants.resize(inputs.size(), nullptr);
    ShapeContext c(*schema, attrs, std::move(inputs), std::move(constants), static_cast<int>(outputs.size()));
    c.SetInputHandles(std::move(handles));
    RETURN_IF_ERROR(schema->shape_function()(c));
    last_shapes_ = c.outputs();
    if (c.output_handles().empty() || !c.output_handles()[0].has_value()) return absl::NotFoundError("no handle data");
    return *c.output_handles()[0];
  }

  OpLibrary library_;
  ResourceManager resources_;
  StepRunner step_{library_, &resources_};
  std::vector<PartialShape> last_shapes_;  // of InferHandle
  const Tensor any_ = Tensor::Scalar(-1);  // element_shape of any rank
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_LISTS_H_
