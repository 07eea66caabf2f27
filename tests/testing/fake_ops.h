// FakeOps: toy ops for tests of the layers below ops/.
#ifndef FLOWLATCH_TESTS_TESTING_FAKE_OPS_H_
#define FLOWLATCH_TESTS_TESTING_FAKE_OPS_H_

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"

namespace flowlatch {

// An OpLibrary of these ops, T being int32 or float32 where there is arithmetic and anything elsewhere:
//   FakeConst() -> output; value: tensor        FakeAdd, FakeMul, FakeLess (x, y) -> z
//   FakeIdentity(input) -> output               FakeTwo(input) -> a, b: the input and the input
//   FakeSum(inputs: N * int32) -> output        FakeFill(n: int32) -> output: n int32 elements, all n
//   FakeOwns(input) -> output: bool             whether the kernel might write into its input
//   FakeNoOp() -> ()                            Placeholder() -> output: fails, as an unfed one
//   FakeCounter() -> output: int32              how often its kernel ran, 1 the first time; stateful
//   FakeCount(input) -> output; key             FakeEffect() -> (); key: stateful. Both: see count()
//   FakeFail(input: int32) -> output; when, code, key: fails with `code` when the input is `when`, or always if that is
//   -1 FakeLater(input) -> output                  the input, from another thread FakeWait(input) -> output waits until
//   the step is cancelled, then reports Cancelled FakeVariable() -> ref; name                 a reference to a variable
//   that lives as long as this Assign(ref, value) -> output_ref            RefIdentity(input) -> output
// and TensorFlow's control flow ops. Thread-safe, like a library. Must outlive what runs its ops.
class FakeOps {
 public:
  FakeOps();
  ~FakeOps();
  OpLibrary& library() { return library_; }

  // How often FakeCount, FakeEffect and FakeFail nodes with this key ran.
  int64_t count(const std::string& key) const;
  // Returns once `n` FakeWait nodes have begun to wait since this was made.
  void AwaitWaiting(int64_t n);

  // For kernels.
  void Count(const std::string& key);
  void CountWaiting();
  void Later(std::function<void()> task);

 private:
  absl::Status Register();
  void RunLater();

  OpLibrary library_;
  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::map<std::string, int64_t> counts_;  // guarded by mu_, as all that follows
  int64_t waiting_ = 0;
  bool stopping_ = false;
  std::vector<std::function<void()>> later_;
  std::thread later_thread_;  // made on first use
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_TESTING_FAKE_OPS_H_
