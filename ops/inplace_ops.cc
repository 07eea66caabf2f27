// InplaceUpdate, InplaceAdd, InplaceSub(x [rows, slice..], i [n], v [n, slice..]): x with v's rows assigned to, added
// to or subtracted from rows i of it, in order. Row numbers are taken modulo the number of rows, so that negative ones
// count from the end. In place when nobody else needs x; TensorFlow's write into x in any case, so that other readers
// of x may see it, but here a tensor never changes.
#include "ops/inplace_ops.h"

#include <memory>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/variable_update.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/op_library.h"
#include "runtime/kernel/step_context.h"

namespace flowlatch {
namespace {

class InplaceState : public KernelState {
 public:
  explicit InplaceState(UpdateLoop loop) : loop(loop) {}
  const UpdateLoop loop;
};

absl::Status CheckShapes(const Tensor& x, const Tensor& i, const Tensor& v) {
  if (x.is_scalar() || !i.is_vector()) {
    return absl::InvalidArgumentError(absl::StrCat("x and i: expected at least one dimension and a vector, got shapes ",
                                                   x.ShapeString(), " and ", i.ShapeString()));
  }
  Dims want(x.dims().begin(), x.dims().end());
  want[0] = i.dim(0);
  return ExpectSameShape("v", want, v.dims());
}

absl::Status UpdateRows(KernelCall& c) {
  const Tensor i = c.input(1), v = c.input(2);  // shared, should one of them be x as well
  RETURN_IF_ERROR(CheckShapes(c.input(0), i, v));
  ASSIGN_OR_RETURN(Tensor y, TakeInput(c, 0));
  if (v.num_elements() > 0 && y.num_elements() > 0) {
    const int64_t rows = y.dim(0);
    const int64_t n = y.num_elements() / rows;
    const int64_t bytes = n * static_cast<int64_t>(DTypeSize(y.dtype()));
    const char* from = static_cast<const char*>(v.raw_data());
    for (const int32_t row : i.values<int32_t>()) {
      const int64_t place = ((row % rows) + rows) % rows;
      c.state<InplaceState>().loop(static_cast<char*>(y.raw_mutable_data()) + place * bytes, from, n, 1);
      from += bytes;
    }
  }
  c.SetOutput(0, std::move(y));
  return absl::OkStatus();
}

template <Update kUpdate>
absl::StatusOr<Kernel> InplaceKernel(const NodeInfo& node) {
  const UpdateLoop loop = FindUpdateLoop(kUpdate, node.input_dtype(0));
  if (loop == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = &RunKernel<UpdateRows>, .state = std::make_shared<InplaceState>(loop)};
}

absl::Status Add(OpLibrary& library, std::string_view op, std::string_view doc, KernelFactory kernel) {
  return library.Add({
      .signature = TensorFlowSignature(op),
      .doc = doc,
      .shape = shapes::SameAsInput,
      .kernel = std::move(kernel),
  });
}

}  // namespace

absl::Status RegisterInplaceOps(OpLibrary& library) {
  RETURN_IF_ERROR(Add(library, "InplaceUpdate", "x with rows i replaced by v", InplaceKernel<Update::kAssign>));
  RETURN_IF_ERROR(Add(library, "InplaceAdd", "x with v added to rows i", InplaceKernel<Update::kAdd>));
  return Add(library, "InplaceSub", "x with v subtracted from rows i", InplaceKernel<Update::kSub>);
}

}  // namespace flowlatch
