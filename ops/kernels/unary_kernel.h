// The kernel of a unary elementwise op, made from its functor; see binary_kernel.h.
#ifndef FLOWLATCH_OPS_KERNELS_UNARY_KERNEL_H_
#define FLOWLATCH_OPS_KERNELS_UNARY_KERNEL_H_

#include <memory>

#include "absl/base/optimization.h"
#include "ops/kernels/unary_functors.h"
#include "ops/kernels/unary_loops.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/kernel.h"

#undef FLOWLATCH_LOOP_NAMESPACE
#define FLOWLATCH_LOOP_NAMESPACE baseline
#include "ops/kernels/unary_loop-inl.h"

namespace flowlatch {

struct UnaryState final : KernelState {
  explicit UnaryState(const UnaryKernelInfo& i) : info(i) {}
  const UnaryKernelInfo info;
};

// Whether scalars must take the way of vectors too, for the same bits.
template <typename Op, typename T>
inline constexpr bool kScalarsByLoop = requires {
  Op::kApproximate;
}
&&unary::kVectorTypes<Op>.contains(kDTypeOf<T>);

template <typename Op, typename T>
KernelStatus UnaryKernel(KernelCall& c) {
  const Tensor& x = c.input(0);
  if (ABSL_PREDICT_TRUE(x.rank() == 0)) {
    using R = unary::ResultOf<Op, T>;
    if constexpr (kScalarsByLoop<Op, T>) {
      R value;
      c.state<UnaryState>().info.loop(x.raw_data(), &value, 1);
      c.output(0).SetScalar(value);
    } else {
      c.output(0).SetScalar(R(Op::template Apply<T>(*static_cast<const T*>(x.raw_data()))));
    }
    return KernelStatus::kOk;
  }
  absl::Status status = RunUnary(c, c.state<UnaryState>().info);
  return ABSL_PREDICT_TRUE(status.ok()) ? KernelStatus::kOk : c.Fail(std::move(status));
}

inline void UnaryTile(const KernelState* state, const Tile& tile) {
  static_cast<const UnaryState*>(state)->info.loop(tile.x, tile.z, tile.n);
}

// The kernel of a node of op Op whose operand has one of kTypes. `cost`: rough nanoseconds of an element in a loop.
template <typename Op, DTypeSet kTypes>
absl::StatusOr<Kernel> MakeUnaryKernel(const NodeInfo& node, double cost) {
  const DType dtype = node.input_dtype(0);
  Kernel kernel = DispatchDType<kTypes>(dtype, Kernel{}, [&]<typename T>() {
    UnaryKernelInfo info{nullptr, dtype, kDTypeOf<unary::ResultOf<Op, T>>, cost};
    if constexpr (unary::kVectorTypes<Op>.contains(kDTypeOf<T>))
      info.loop = unary::FindVectorLoop<Op>(dtype);
    else
      info.loop = &baseline::RunUnaryLoop<Op, T>;
    return Kernel{.fn = &UnaryKernel<Op, T>, .state = std::make_shared<UnaryState>(info), .tile = &UnaryTile};
  });
  if (kernel.fn == nullptr) return NoKernelFor(node, dtype);
  return kernel;
}

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_UNARY_KERNEL_H_
