#include "graph/base/status_macros.h"
#include "ops/kernels/parallel.h"
#include "ops/kernels/unary_loops.h"

namespace flowlatch {
namespace {

absl::StatusOr<Tensor*> MakeOutput(KernelCall& c, const UnaryKernelInfo& info) {
  if (info.in == info.out && c.CanForward(0)) {
    c.output(0) = c.input(0);
    return &c.output(0);
  }
  return c.AllocateOutput(0, info.out, c.input(0).dims());
}

}  // namespace

absl::Status RunUnary(KernelCall& c, const UnaryKernelInfo& info) {
  ASSIGN_OR_RETURN(Tensor * out, MakeOutput(c, info));
  const auto* x = static_cast<const char*>(c.input(0).raw_data());
  auto* y = static_cast<char*>(out->raw_mutable_data());
  const int64_t in_size = static_cast<int64_t>(DTypeSize(info.in)),
                out_size = static_cast<int64_t>(DTypeSize(info.out));
  RunLoop(c, out->num_elements(), info.cost,
          [&](int64_t begin, int64_t end) { info.loop(x + begin * in_size, y + begin * out_size, end - begin); });
  return absl::OkStatus();
}

}  // namespace flowlatch
