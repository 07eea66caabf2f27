// OpTester: runs one op on given inputs, without a graph, in every mode that must not matter.
#ifndef FLOWLATCH_TESTS_TESTING_OP_TESTER_H_
#define FLOWLATCH_TESTS_TESTING_OP_TESTER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/tensor.h"
#include "runtime/kernel/op_library.h"
#include "runtime/resource/resource_manager.h"

namespace flowlatch {

// Each Run executes the kernel with {1, 4} threads x {shared, forwardable inputs}, checks that all agree bit for bit and
// that the outputs fit what the shape function says, and returns the outputs of the first.
//
//   OpTester t(library, "AddV2", {{"T", DType::kFloat32}});
//   absl::StatusOr<std::vector<Tensor>> out = t.Run({x, y});
class OpTester {
 public:
  OpTester(const OpLibrary& library, std::string op, AttrMap attrs) : library_(library), op_(std::move(op)), attrs_(std::move(attrs)) {}
  // Ops with effects run once only (one thread, shared inputs).
  OpTester& Once() {
    once_ = true;
    return *this;
  }
  OpTester& AllowFiles() {
    allow_files_ = true;
    return *this;
  }
  absl::StatusOr<std::vector<Tensor>> Run(const std::vector<Tensor>& inputs);
  // What Print wrote in the last run.
  const std::string& log() const { return log_; }
  ResourceManager& resources() { return resources_; }

 private:
  absl::StatusOr<std::vector<Tensor>> RunOnce(const std::vector<Tensor>& inputs, int threads, bool forwardable);
  absl::Status CheckShapes(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs);

  const OpLibrary& library_;
  const std::string op_;
  const AttrMap attrs_;
  bool once_ = false, allow_files_ = false;
  std::string log_;
  ResourceManager resources_;
};

// Runs the shape function of `op`. constants: values known before the run, none by default.
absl::StatusOr<std::vector<PartialShape>> InferShapes(const OpLibrary& library, const std::string& op, const AttrMap& attrs,
                                                      const std::vector<PartialShape>& inputs,
                                                      const std::vector<const Tensor*>& constants = {});

// "" if both are equal (dtype, shape, bits; floats within `tolerance` relative and absolute, NaN equals NaN), else what differs.
std::string Difference(const Tensor& got, const Tensor& want, double tolerance = 0);

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_TESTING_OP_TESTER_H_
