// What the tests of optimizer ops share: variables behind references or handles, and the inputs of a step.
#ifndef FLOWLATCH_TESTS_OPS_OPTIMIZER_STEPS_H_
#define FLOWLATCH_TESTS_OPS_OPTIMIZER_STEPS_H_

#include <string>
#include <utility>
#include <vector>

#include "graph/schema/op_registry.h"
#include "gtest/gtest.h"
#include "ops/optimizer_ops.h"
#include "runtime/resource/variable.h"
#include "tests/ops/tensors.h"
#include "tests/testing/step_runner.h"

namespace flowlatch {

class OptimizerStepsTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(RegisterOptimizerOps(library_).ok()); }

  AttrMap Attrs(const std::string& op, DType dtype, bool flag, bool use_locking = false) {
    AttrMap attrs{{"T", dtype}, {"use_locking", use_locking}};
    if (op.find("Sparse") != std::string::npos) attrs = attrs.With("Tindices", DType::kInt32);
    for (const char* name : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
      const OpSchema* schema = library_.registry().FindRegistered(op);
      if (schema != nullptr && schema->FindAttr(name) != nullptr) attrs = attrs.With(name, flag);
    }
    return attrs;
  }
  template <typename T>
  static Tensor Vector(const std::vector<double>& values) {
    Tensor t = *Tensor::Make(kDTypeOf<T>, Shape::FromValid({static_cast<int64_t>(values.size())}));
    for (size_t i = 0; i < values.size(); ++i) t.mutable_data<T>()[i] = static_cast<T>(values[i]);
    return t;
  }
  // Variables that hold var and slots, as references or by handles.
  struct Targets {
    std::vector<RefPtr<Variable>> variables;
    std::vector<Tensor> inputs;
  };
  Targets MakeTargets(bool resource, const std::vector<Tensor>& values) {
    Targets targets;
    for (size_t i = 0; i < values.size(); ++i) {
      RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
      key->name = "v" + std::to_string(i);
      key->type_name = "Var";
      if (resource) resources_.Delete(ResourceHandle(key)).IgnoreError();
      RefPtr<Variable> variable = resource ? *LookupOrCreateVariable(resources_, *key, values[i].dtype())
                                           : MakeRef<Variable>(values[i].dtype(), key->name);
      variable->value = *values[i].Clone();
      targets.inputs.push_back(resource ? Tensor::Scalar(ResourceHandle(key))
                                        : Tensor::MakeRef(variable, values[i].dtype()));
      targets.variables.push_back(std::move(variable));
    }
    return targets;
  }
  // The op's inputs in the order of its schema.
  template <typename T>
  std::vector<Tensor> Inputs(const std::string& op, const Targets& targets, const std::vector<double>& hyper,
                             const Tensor& grad, const Tensor& indices = Tensor()) {
    const std::vector<ArgSpec>& specs = library_.registry().FindRegistered(op)->inputs();
    std::vector<Tensor> inputs = targets.inputs;
    size_t next = 0;
    for (size_t i = inputs.size(); i < specs.size(); ++i) {
      const std::string& name = specs[i].name;
      if (name == "grad" || name == "delta")
        inputs.push_back(grad);
      else if (name == "indices")
        inputs.push_back(indices);
      else if (name == "global_step")
        inputs.push_back(Tensor::Scalar<int64_t>(static_cast<int64_t>(hyper[next++])));
      else
        inputs.push_back(Tensor::Scalar<T>(static_cast<T>(hyper[next++])));
    }
    return inputs;
  }

  OpLibrary library_;
  ResourceManager resources_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_OPTIMIZER_STEPS_H_
