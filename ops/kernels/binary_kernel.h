// The kernel of an elementwise op of two operands, made from its functor: a scalar path without allocation, vector
// loops where the functor has them, plain loops elsewhere.
#ifndef FLOWLATCH_OPS_KERNELS_BINARY_KERNEL_H_
#define FLOWLATCH_OPS_KERNELS_BINARY_KERNEL_H_

#include <memory>

#include "absl/base/optimization.h"
#include "ops/kernels/binary_functors.h"
#include "ops/kernels/binary_loops.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/kernel.h"

#undef FLOWLATCH_LOOP_NAMESPACE
#define FLOWLATCH_LOOP_NAMESPACE baseline
#include "ops/kernels/binary_loop-inl.h"

namespace flowlatch {

struct BinaryState final : KernelState {
  explicit BinaryState(const BinaryKernelInfo& i) : info(i) {}
  BinaryKernelInfo info;
};

template <typename Op, typename T>
KernelStatus BinaryKernel(KernelCall& c) {
  using R = binary::ResultOf<Op, T>;
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  const BinaryKernelInfo& info = c.state<BinaryState>().info;
  if (ABSL_PREDICT_TRUE(x.rank() == 0 && y.rank() == 0)) {
    bool failed = false;
    const R z(
        binary::ApplyTo<Op, T>(*static_cast<const T*>(x.raw_data()), *static_cast<const T*>(y.raw_data()), failed));
    if (ABSL_PREDICT_FALSE(failed)) return c.Fail(absl::InvalidArgumentError(info.failure));
    if constexpr (IsObjectDType(kDTypeOf<R>)) {
      c.SetOutput(0, Tensor::Scalar(z));
    } else {
      c.output(0).SetScalar(z);
    }
    return KernelStatus::kOk;
  }
  absl::Status status = RunBinary(c, info);
  return ABSL_PREDICT_TRUE(status.ok()) ? KernelStatus::kOk : c.Fail(std::move(status));
}

inline void BinaryTile(const KernelState* state, const Tile& tile) {
  static_cast<const BinaryState*>(state)->info.loop({.x = tile.x,
                                                     .y = tile.y,
                                                     .z = tile.z,
                                                     .rows = 1,
                                                     .columns = tile.n,
                                                     .x_row_stride = 0,
                                                     .y_row_stride = 0,
                                                     .x_step = tile.x_step,
                                                     .y_step = tile.y_step});
}

// The loop of Op for elements of type T: the vector loop if there is one, else a plain one.
template <typename Op, typename T>
BinaryLoop LoopFor() {
  if constexpr (kVectorTypes<Op>.contains(kDTypeOf<T>))
    return FindVectorLoop<Op>(kDTypeOf<T>);
  else
    return &baseline::RunBinaryLoop<Op, T>;
}

// The kernel of a node of op Op with operands of `dtype`, one of kTypes. `info` says what the functor does not know:
// cost and messages.
template <typename Op, DTypeSet kTypes>
absl::StatusOr<Kernel> MakeBinaryKernel(const NodeInfo& node, DType dtype, BinaryKernelInfo info) {
  Kernel kernel = DispatchDType<kTypes>(dtype, Kernel{}, [&]<typename T>() {
    info.loop = LoopFor<Op, T>();
    info.in = dtype;
    info.out = kDTypeOf<binary::ResultOf<Op, T>>;
    const bool has_tile = info.failure == nullptr && !info.same_shape && !IsObjectDType(dtype);
    return Kernel{.fn = &BinaryKernel<Op, T>,
                  .state = std::make_shared<BinaryState>(info),
                  .tile = has_tile ? &BinaryTile : nullptr};
  });
  if (kernel.fn == nullptr) return NoKernelFor(node, dtype);
  return kernel;
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_BINARY_KERNEL_H_
