#include "graph/base/status_macros.h"
#include "ops/kernels/unary_loops.h"

namespace flowlatch {
namespace {

// Below this many elements threads never pay.
constexpr int64_t kParallelElements = 32 << 10;

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
  const int64_t n = out->num_elements();
  // Few elements of a costly function may pay too.
  if (static_cast<double>(n) * std::max(info.cost, 1.0) < kParallelElements) {
    info.loop(x, y, n);
    return absl::OkStatus();
  }
  struct Range {
    const UnaryKernelInfo& info;
    const char* x;
    char* y;
    int64_t in_size, out_size;
  } const range{info, x, y, static_cast<int64_t>(DTypeSize(info.in)), static_cast<int64_t>(DTypeSize(info.out))};
  c.ParallelFor(n, info.cost, [&range](int64_t begin, int64_t end) {
    range.info.loop(range.x + begin * range.in_size, range.y + begin * range.out_size, end - begin);
  });
  return absl::OkStatus();
}

}  // namespace flowlatch
