// Locks that are held across nodes (semantics.md, 9A), on which critical sections are built.
//   MutexV2: the handle of the mutex (container, shared_name), taken as they are.
//   MutexLock: waits for the mutex, without holding a thread, and makes it if there is none. The output is the lock, which is
//     released when nothing holds that value any more: when all its consumers have run, or the step is over.
//   ConsumeMutexLock: does nothing but be the last of these consumers.
#include "ops/mutex_ops.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/build/grad_context.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/async_kernel.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/mutex.h"

namespace flowlatch {
namespace {

class HandleState final : public KernelState {
 public:
  Tensor handle;
};

absl::Status OutputHandle(KernelCall& c) {
  c.SetOutput(0, c.state<HandleState>().handle);
  return absl::OkStatus();
}

absl::StatusOr<Kernel> HandleKernel(const NodeInfo& node) {
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  ASSIGN_OR_RETURN(key->container, node.Str("container"));
  ASSIGN_OR_RETURN(key->name, node.Str("shared_name"));
  key->type_name = Mutex::kTypeName;
  auto state = std::make_shared<HandleState>();
  state->handle = Tensor::Scalar(ResourceHandle(RefPtr<const ResourceKey>(std::move(key))));
  return Kernel{.fn = &RunKernel<OutputHandle>, .state = std::move(state)};
}

absl::StatusOr<RefPtr<Mutex>> MutexInput(const KernelCall& c) {
  const Tensor& input = c.input(0);
  if (input.num_elements() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("mutex: expected one handle, got shape ", input.ShapeString()));
  }
  const ResourceHandle& handle = input.data<ResourceHandle>()[0];
  ResourceManager& resources = c.step().resources();
  if (!handle || handle->resource) return resources.Lookup<Mutex>(handle);
  if (!handle->type_name.empty() && handle->type_name != Mutex::kTypeName) {
    return absl::InvalidArgumentError(
        absl::StrCat("resource '", handle->name, "': expected a mutex, got a resource of kind ", handle->type_name));
  }
  return resources.LookupOrCreate<Mutex>(
      handle->container, handle->name, [&]() -> absl::StatusOr<RefPtr<Mutex>> { return MakeRef<Mutex>(handle->name); });
}

absl::Status Lock(KernelCall& c, Done& done) {
  ASSIGN_OR_RETURN(const RefPtr<Mutex> mutex, MutexInput(c));
  mutex->Acquire(*c.step().services().cancellation,
                 [&c, done = std::move(done)](absl::StatusOr<RefPtr<Mutex::Lock>> lock) {
                   if (lock.ok()) c.SetOutput(0, Tensor::Scalar(Variant(RefPtr<VariantObject>(*std::move(lock)))));
                   done(lock.status());
                 });
  return absl::OkStatus();
}

absl::StatusOr<Kernel> LockKernel(const NodeInfo&) { return Kernel{.async_fn = &RunAsyncKernel<Lock>, .state = nullptr}; }

absl::Status Consume(KernelCall& c) {
  const Tensor lock = c.TakeInput(0);
  if (lock.is_scalar() && lock.scalar<Variant>().As<Mutex::Lock>() != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("mutex_lock: expected the lock of a mutex, got ", lock.DebugString()));
}

absl::Status ConsumeShape(ShapeContext& c) { return c.ExpectScalar(0); }

}  // namespace

absl::Status RegisterMutexOps(OpLibrary& library) {
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("MutexV2"),
                               .doc = "The handle of a mutex",
                               .shape = shapes::Scalar,
                               .kernel = HandleKernel}));
  RETURN_IF_ERROR(library.Add({.signature = TensorFlowSignature("MutexLock"),
                               .doc = "Waits for a mutex, which is held as long as the output is",
                               .shape = shapes::Scalar,
                               .kernel = LockKernel,
                               .may_wait = true,
                               .gradient = gradients::None}));
  return library.Add({.signature = TensorFlowSignature("ConsumeMutexLock"),
                      .doc = "The last consumer of a lock",
                      .shape = ConsumeShape,
                      .kernel = PlainKernel<Consume>,
                      .gradient = gradients::None});
}

}  // namespace flowlatch
