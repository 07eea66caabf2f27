#include <atomic>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/kernels/binary_loops.h"
#include "ops/kernels/broadcast.h"
#include "ops/kernels/parallel.h"

namespace flowlatch {
namespace {

// A walk that one loop call can do: n elements, each operand stepping by 0 or 1.
struct FlatWalk {
  BinaryLoop loop;
  const char* x;
  const char* y;
  char* z;
  int64_t x_step, y_step;
  int64_t in_size, out_size;

  bool Run(int64_t begin, int64_t end) const {
    return loop({.x = x + begin * x_step * in_size,
                 .y = y + begin * y_step * in_size,
                 .z = z + begin * out_size,
                 .rows = 1,
                 .columns = end - begin,
                 .x_row_stride = 0,
                 .y_row_stride = 0,
                 .x_step = x_step,
                 .y_step = y_step});
  }
};

struct PlannedWalk {
  BinaryLoop loop;
  const char* x;
  const char* y;
  char* z;
  BroadcastPlan plan;
  int64_t in_size, out_size;

  bool Run(int64_t begin, int64_t end) const {
    bool ok = true;
    ForEachBlock(plan, begin, end, [&](const BroadcastBlock& b) {
      ok &= loop({.x = x + b.offset[0] * in_size,
                  .y = y + b.offset[1] * in_size,
                  .z = z + b.out_offset * out_size,
                  .rows = b.rows,
                  .columns = b.columns,
                  .x_row_stride = b.row_stride[0],
                  .y_row_stride = b.row_stride[1],
                  .x_step = b.column_step[0],
                  .y_step = b.column_step[1]});
    });
    return ok;
  }
};

template <typename Walk>
absl::Status RunWalk(const KernelCall& c, const Walk& walk, int64_t n, const BinaryKernelInfo& info) {
  std::atomic<bool> failed{false};
  RunLoop(c, n, info.cost, [&](int64_t begin, int64_t end) {
    if (!walk.Run(begin, end)) failed.store(true, std::memory_order_relaxed);
  });
  if (!failed.load(std::memory_order_relaxed)) return absl::OkStatus();
  return absl::InvalidArgumentError(info.failure);
}

// Output 0 with these dimensions, in the memory of an input of the same dtype and shape if that is free.
absl::StatusOr<Tensor*> MakeOutput(KernelCall& c, DType in, DType out, absl::Span<const int64_t> dims) {
  if (in == out) {
    for (int i = 0; i < 2; ++i) {
      if (!c.CanForward(i) || c.input(i).dims() != dims) continue;
      c.output(0) = c.input(i);
      return &c.output(0);
    }
  }
  return c.AllocateOutput(0, out, dims);
}

// Whether `small`, which has one element, can be repeated along `large` without changing its shape.
bool RepeatsAlong(const Tensor& small, const Tensor& large) {
  return small.num_elements() == 1 && small.rank() <= large.rank();
}

}  // namespace

absl::Status RunBinary(KernelCall& c, const BinaryKernelInfo& info) {
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  const int64_t in_size = static_cast<int64_t>(DTypeSize(info.in));
  const int64_t out_size = static_cast<int64_t>(DTypeSize(info.out));
  const auto* x_data = static_cast<const char*>(x.raw_data());
  const auto* y_data = static_cast<const char*>(y.raw_data());

  const bool same_shape = x.dims() == y.dims();
  if (info.same_shape && !same_shape) {
    return absl::InvalidArgumentError(
        absl::StrCat("shape of input 1: expected that of input 0, ", x.ShapeString(), ", got ", y.ShapeString()));
  }
  if (same_shape || RepeatsAlong(y, x) || RepeatsAlong(x, y)) {
    const bool x_repeats = !same_shape && !RepeatsAlong(y, x);
    ASSIGN_OR_RETURN(Tensor * z, MakeOutput(c, info.in, info.out, x_repeats ? y.dims() : x.dims()));
    if (z->num_elements() == 0) return absl::OkStatus();
    const FlatWalk walk{info.loop,
                        x_data,
                        y_data,
                        static_cast<char*>(z->raw_mutable_data()),
                        x_repeats ? 0 : 1,
                        same_shape || x_repeats ? 1 : 0,
                        in_size,
                        out_size};
    return RunWalk(c, walk, z->num_elements(), info);
  }
  const absl::StatusOr<Shape> shape = BroadcastShapes(x.dims(), y.dims());
  if (!shape.ok()) {
    if (!info.mismatch_value.has_value()) return shape.status();
    c.output(0).SetScalar(*info.mismatch_value);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Tensor * z, MakeOutput(c, info.in, info.out, shape->dims()));
  if (z->num_elements() == 0) return absl::OkStatus();
  const PlannedWalk walk{info.loop,
                         x_data,
                         y_data,
                         static_cast<char*>(z->raw_mutable_data()),
                         PlanBroadcast({x.dims(), y.dims()}, shape->dims()),
                         in_size,
                         out_size};
  return RunWalk(c, walk, z->num_elements(), info);
}

}  // namespace flowlatch
