#include "tests/testing/fake_ops.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/schema/shape_context.h"
#include "runtime/kernel/dispatch.h"
#include "runtime/kernel/step_context.h"
#include "runtime/resource/variable.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kArithmetic{DType::kFloat32, DType::kInt32};

// What any fake kernel needs; each uses a part.
class FakeState final : public KernelState {
 public:
  FakeOps* ops = nullptr;
  std::string key;
  int64_t when = -1;
  absl::StatusCode code = absl::StatusCode::kOk;
  Tensor value;
  RefPtr<Variable> variable;
  mutable std::atomic<int32_t> runs{0};
};

absl::StatusOr<Kernel> WithState(absl::StatusOr<std::shared_ptr<FakeState>> state, KernelFn fn) {
  RETURN_IF_ERROR(state.status());
  return Kernel{.fn = fn, .state = *std::move(state)};
}

template <typename T>
struct Plus {
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return WrapAdd(x, y);
    } else {
      return x + y;
    }
  }
};
template <typename T>
struct Times {
  T operator()(T x, T y) const {
    if constexpr (std::is_integral_v<T>) {
      return WrapMul(x, y);
    } else {
      return x * y;
    }
  }
};

template <template <typename> typename F>
absl::StatusOr<Kernel> BinaryKernel(const NodeInfo& node) {
  KernelFn fn = DispatchDType<kArithmetic>(node.input_dtype(0), KernelFn{}, []<typename T>() -> KernelFn {
    return [](KernelCall& call) {
      call.output(0).SetScalar(F<T>()(call.input(0).template scalar<T>(), call.input(1).template scalar<T>()));
      return KernelStatus::kOk;
    };
  });
  if (fn == nullptr) return NoKernelFor(node, node.input_dtype(0));
  return Kernel{.fn = fn};
}

absl::Status Identity(KernelCall& call) {
  call.SetOutput(0, call.TakeInput(0));
  return absl::OkStatus();
}
absl::Status Two(KernelCall& call) {
  call.SetOutput(0, call.input(0));
  call.SetOutput(1, call.TakeInput(0));
  return absl::OkStatus();
}
absl::Status Sum(KernelCall& call) {
  int32_t sum = 0;
  for (int i = 0; i < call.num_inputs(); ++i) sum = WrapAdd(sum, call.input(i).scalar<int32_t>());
  call.output(0).SetScalar(sum);
  return absl::OkStatus();
}
absl::Status Fill(KernelCall& call) {
  const int32_t n = call.input(0).scalar<int32_t>();
  ASSIGN_OR_RETURN(Tensor * output, call.AllocateOutput(0, DType::kInt32, Dims{n}));
  for (int32_t& x : output->mutable_values<int32_t>()) x = n;
  return absl::OkStatus();
}
absl::Status Owns(KernelCall& call) {
  call.output(0).SetScalar(call.CanForward(0));
  return absl::OkStatus();
}
absl::Status NoOp(KernelCall&) { return absl::OkStatus(); }
absl::Status Unfed(KernelCall&) {
  return absl::InvalidArgumentError("expected a fed placeholder, got one without a value");
}
absl::Status Constant(KernelCall& call) {
  call.SetOutput(0, call.state<FakeState>().value);
  return absl::OkStatus();
}
absl::Status Counter(KernelCall& call) {
  call.output(0).SetScalar<int32_t>(++call.state<FakeState>().runs);
  return absl::OkStatus();
}
absl::Status CountRuns(KernelCall& call) {
  const FakeState& state = call.state<FakeState>();
  state.ops->Count(state.key);
  return call.num_inputs() > 0 ? Identity(call) : absl::OkStatus();
}
absl::Status Fail(KernelCall& call) {
  const FakeState& state = call.state<FakeState>();
  state.ops->Count(state.key);
  if (state.when != -1 && call.input(0).scalar<int32_t>() != state.when) return Identity(call);
  return absl::Status(state.code, "expected to fail, got here");
}
// What a user's kernel may throw: 0 no memory, 1 an exception with text, 2 no exception class at all.
void Throw(int32_t what) {
  if (what == 0) throw std::bad_alloc();
  if (what == 1) throw std::runtime_error("as it pleases");
  throw what;
}
absl::Status ThrowNow(KernelCall& call) {
  Throw(call.input(0).scalar<int32_t>());
  return absl::OkStatus();
}
void ThrowWhenStarted(KernelCall& call, Done) { Throw(call.input(0).scalar<int32_t>()); }
absl::Status MakeReference(KernelCall& call) {
  const FakeState& state = call.state<FakeState>();
  call.SetOutput(0, Tensor::MakeRef(RefPtr<RefCounted>(state.variable), state.variable->dtype()));
  return absl::OkStatus();
}
absl::Status Assign(KernelCall& call) {
  Variable* variable = ReferencedVariable(call.input(0));
  if (variable == nullptr) return absl::InvalidArgumentError("ref: expected a reference, got a value");
  {
    std::unique_lock<std::shared_mutex> lock(variable->mu);
    variable->value = call.input(1);
  }
  return Identity(call);
}

void FinishLater(KernelCall& call, Done done) {
  call.state<FakeState>().ops->Later([&call, done = std::move(done)] {
    call.SetOutput(0, call.input(0));
    done(absl::OkStatus());
  });
}

void WaitForCancel(KernelCall& call, Done done) {
  CancellationManager& cancellation = *call.step().services().cancellation;
  FakeOps* const ops = call.state<FakeState>().ops;
  const auto give_up = [done = std::move(done)] { done(absl::CancelledError("expected to wait, got cancelled")); };
  if (cancellation.Register(give_up) == 0) give_up();
  ops->CountWaiting();
}

absl::StatusOr<Kernel> InExecutor(const NodeInfo& node) {
  return absl::UnimplementedError(absl::StrCat(node.schema().name(), ": expected the executor to run it"));
}

}  // namespace

FakeOps::FakeOps() {
  if (absl::Status status = Register(); !status.ok()) {
    std::fprintf(stderr, "fake ops: %s\n", status.ToString().c_str());
    std::abort();
  }
}

FakeOps::~FakeOps() {
  {
    std::lock_guard<std::mutex> lock(mu_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (later_thread_.joinable()) later_thread_.join();
}

absl::Status FakeOps::Register() {
  const auto add = [this](std::string_view signature, KernelFactory kernel, bool may_wait = false) {
    return library_.Add({.signature = signature,
                         .doc = "fake",
                         .shape = shapes::Unknown,
                         .kernel = std::move(kernel),
                         .may_wait = may_wait});
  };
  // A kernel whose state is filled from the node's attributes, as far as it has them.
  const auto stateful = [this](KernelFn fn) {
    return [this, fn](const NodeInfo& node) -> absl::StatusOr<Kernel> {
      auto state = std::make_shared<FakeState>();
      state->ops = this;
      if (node.schema().FindAttr("key") != nullptr) {
        ASSIGN_OR_RETURN(state->key, node.Str("key"));
      }
      if (node.schema().FindAttr("code") != nullptr) {
        ASSIGN_OR_RETURN(state->when, node.Int("when"));
        ASSIGN_OR_RETURN(const int64_t code, node.Int("code"));
        state->code = static_cast<absl::StatusCode>(code);
      }
      if (node.schema().FindAttr("value") != nullptr) {
        ASSIGN_OR_RETURN(state->value, node.AttrAs<Tensor>("value"));
      }
      if (node.schema().name() == "FakeVariable")
        state->variable = MakeRef<Variable>(node.output_dtype(0), std::string(node.name()));
      return WithState(std::move(state), fn);
    };
  };
  const auto waiting = [this](AsyncKernelFn fn) {
    return [this, fn](const NodeInfo&) -> absl::StatusOr<Kernel> {
      auto state = std::make_shared<FakeState>();
      state->ops = this;
      return Kernel{.async_fn = fn, .state = std::move(state)};
    };
  };
  RETURN_IF_ERROR(add("FakeConst() -> (output: T); T: type; value: tensor", stateful(&RunKernel<Constant>)));
  RETURN_IF_ERROR(add("FakeAdd(x: T, y: T) -> (z: T); T: type", BinaryKernel<Plus>));
  RETURN_IF_ERROR(add("FakeMul(x: T, y: T) -> (z: T); T: type", BinaryKernel<Times>));
  RETURN_IF_ERROR(add("FakeLess(x: T, y: T) -> (z: bool); T: type", BinaryKernel<std::less>));
  RETURN_IF_ERROR(add("FakeIdentity(input: T) -> (output: T); T: type", PlainKernel<Identity>));
  RETURN_IF_ERROR(add("FakeTwo(input: T) -> (a: T, b: T); T: type", PlainKernel<Two>));
  RETURN_IF_ERROR(add("FakeSum(inputs: N * int32) -> (output: int32); N: int >= 0", PlainKernel<Sum>));
  RETURN_IF_ERROR(add("FakeFill(n: int32) -> (output: int32)", PlainKernel<Fill>));
  RETURN_IF_ERROR(add("FakeOwns(input: T) -> (output: bool); T: type", PlainKernel<Owns>));
  RETURN_IF_ERROR(add("FakeNoOp() -> ()", PlainKernel<NoOp>));
  RETURN_IF_ERROR(add("Placeholder() -> (output: T); T: type", PlainKernel<Unfed>));
  RETURN_IF_ERROR(add("FakeCounter() -> (output: int32); stateful", stateful(&RunKernel<Counter>)));
  RETURN_IF_ERROR(add("FakeCount(input: T) -> (output: T); T: type; key: string", stateful(&RunKernel<CountRuns>)));
  RETURN_IF_ERROR(add("FakeEffect() -> (); key: string; stateful", stateful(&RunKernel<CountRuns>)));
  RETURN_IF_ERROR(add("FakeFail(input: int32) -> (output: int32); when: int = -1; code: int = 13; key: string = \"\"",
                      stateful(&RunKernel<Fail>)));
  RETURN_IF_ERROR(add("FakeThrow(input: int32) -> (output: int32)", PlainKernel<ThrowNow>));
  RETURN_IF_ERROR(add("FakeThrowLater(input: int32) -> (output: int32)", waiting(&ThrowWhenStarted), true));
  RETURN_IF_ERROR(add("FakeLater(input: T) -> (output: T); T: type", waiting(&FinishLater), true));
  RETURN_IF_ERROR(add("FakeWait(input: T) -> (output: T); T: type", waiting(&WaitForCancel), true));
  RETURN_IF_ERROR(add("FakeVariable() -> (ref: Ref(T)); T: type; stateful", stateful(&RunKernel<MakeReference>)));
  RETURN_IF_ERROR(
      add("Assign(ref: Ref(T), value: T) -> (output_ref: Ref(T)); T: type; uninitialized_ok", PlainKernel<Assign>));
  RETURN_IF_ERROR(
      add("RefIdentity(input: Ref(T)) -> (output: Ref(T)); T: type; uninitialized_ok", PlainKernel<Identity>));
  RETURN_IF_ERROR(add(TensorFlowSignature("LoopCond"), PlainKernel<Identity>));
  RETURN_IF_ERROR(add(TensorFlowSignature("ControlTrigger"), PlainKernel<NoOp>));
  for (const char* op : {"Switch", "RefSwitch", "Merge", "RefMerge", "Enter", "RefEnter", "Exit", "RefExit",
                         "NextIteration", "RefNextIteration"}) {
    RETURN_IF_ERROR(add(TensorFlowSignature(op), InExecutor));
  }
  return absl::OkStatus();
}

int64_t FakeOps::count(const std::string& key) const {
  std::lock_guard<std::mutex> lock(mu_);
  const auto at = counts_.find(key);
  return at != counts_.end() ? at->second : 0;
}

void FakeOps::Count(const std::string& key) {
  std::lock_guard<std::mutex> lock(mu_);
  ++counts_[key];
}

void FakeOps::CountWaiting() {
  std::lock_guard<std::mutex> lock(mu_);
  ++waiting_;
  changed_.notify_all();
}

void FakeOps::AwaitWaiting(int64_t n) {
  std::unique_lock<std::mutex> lock(mu_);
  changed_.wait(lock, [&] { return waiting_ >= n; });
}

void FakeOps::Later(std::function<void()> task) {
  std::lock_guard<std::mutex> lock(mu_);
  later_.push_back(std::move(task));
  if (!later_thread_.joinable()) later_thread_ = std::thread([this] { RunLater(); });
  changed_.notify_all();
}

void FakeOps::RunLater() {
  std::unique_lock<std::mutex> lock(mu_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !later_.empty(); });
    if (later_.empty()) return;
    // The newest first, so that results come in another order than they were asked for.
    std::function<void()> task = std::move(later_.back());
    later_.pop_back();
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
  }
}

}  // namespace flowlatch
