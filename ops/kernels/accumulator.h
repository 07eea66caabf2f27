// Conditional accumulators: gradients of several workers, added up until enough are there to take their average. A
// gradient that was computed from variables of an older step than the accumulator's is dropped.
#ifndef FLOWLATCH_OPS_KERNELS_ACCUMULATOR_H_
#define FLOWLATCH_OPS_KERNELS_ACCUMULATOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "ops/kernels/wait_list.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

inline constexpr DTypeSet kAccumulatorTypes{DType::kFloat16, DType::kFloat32, DType::kFloat64};

struct AccumulatorType {
  DType dtype = DType::kInvalid;
  PartialShape shape;  // of gradients
  bool mean = true;    // else the sum
  bool operator==(const AccumulatorType&) const = default;
};

// Thread-safe.
class Accumulator : public WaitableResource {
 public:
  static constexpr char kTypeName[] = "ConditionalAccumulator";
  std::string TypeName() const override { return kTypeName; }
  const AccumulatorType& type() const { return type_; }

  int64_t num_accumulated();
  // Gradients of earlier steps than this are dropped from now on.
  void SetStep(int64_t step);
  // Sets the outputs of `c` to the average (or sum) of all gradients once there are `num_required`; the step goes on.
  // Requires: the accumulator is kept until `done` is called.
  void Take(KernelCall& c, int64_t num_required, Done done);

 protected:
  explicit Accumulator(AccumulatorType type) : type_(std::move(type)) {}
  // Calls add() under the lock, unless the gradient is of an earlier step.
  absl::Status Apply(int64_t step, const std::function<absl::Status()>& add);
  int64_t count() const { return count_; }
  // Errors: InvalidArgument: "gradient: expected ..".
  static absl::Status Mismatch(const std::string& want, const std::string& got);

 private:
  // Requires: the lock, and that there are gradients. What was taken is gone.
  virtual absl::Status TakeLocked(KernelCall& c) = 0;

  const AccumulatorType type_;
  int64_t step_ = 0;   // guarded by mu()
  int64_t count_ = 0;  // gradients; guarded by mu()
};

class DenseAccumulator final : public Accumulator {
 public:
  explicit DenseAccumulator(AccumulatorType type) : Accumulator(std::move(type)) {}
  // Errors: InvalidArgument for another dtype or shape.
  absl::Status Add(int64_t step, Tensor gradient);

 private:
  absl::Status TakeLocked(KernelCall& c) override;
  Tensor sum_;  // guarded by mu()
};

// Rows of a gradient by their indices. Rows are averaged over the gradients that have them. Indices that increase are
// merged; of others, equal ones may stay apart.
class SparseAccumulator final : public Accumulator {
 public:
  explicit SparseAccumulator(AccumulatorType type) : Accumulator(std::move(type)) {}
  // shape: of the whole gradient, if the caller knows it. Errors: InvalidArgument for inputs that do not fit each
  // other, the accumulator's shape or earlier gradients.
  absl::Status Add(int64_t step, const Tensor& indices, Tensor values, const std::optional<Dims>& shape);

 private:
  absl::Status Check(const Tensor& indices, const Tensor& values, const std::optional<Dims>& shape) const;
  absl::Status Merge(const Tensor& indices, const Tensor& values);
  absl::Status TakeLocked(KernelCall& c) override;

  // All guarded by mu().
  std::vector<int64_t> indices_;
  std::vector<int64_t> counts_;  // of gradients that have the row
  Tensor values_;                // [rows, ..]
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_ACCUMULATOR_H_
