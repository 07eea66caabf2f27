// Mutex: a lock that steps hold across nodes and wait for without holding a thread (semantics.md, 9A).
#ifndef FLOWLATCH_RUNTIME_RESOURCE_MUTEX_H_
#define FLOWLATCH_RUNTIME_RESOURCE_MUTEX_H_

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "graph/tensor/object.h"
#include "runtime/resource/resource_manager.h"
#include "runtime/threads/cancellation.h"

namespace flowlatch {

// Thread-safe. Who waits gets it in the order of arrival. Not re-entrant: a step that waits for what it holds waits for ever.
class Mutex final : public Resource {
 public:
  static constexpr char kTypeName[] = "Mutex";
  // Holds the mutex as long as it lives.
  class Lock final : public VariantObject {
   public:
    explicit Lock(RefPtr<Mutex> mutex) : mutex_(std::move(mutex)) {}
    ~Lock() override { mutex_->Release(); }
    std::string TypeName() const override { return "MutexLock"; }

   private:
    const RefPtr<Mutex> mutex_;
  };
  using Done = std::function<void(absl::StatusOr<RefPtr<Lock>>)>;

  explicit Mutex(std::string name) : name_(std::move(name)) {}
  std::string TypeName() const override { return kTypeName; }

  // Calls `done` with the lock: at once if the mutex is free, else from the thread that drops the lock before.
  // `cancellation` must live until then. Errors: Cancelled.
  void Acquire(CancellationManager& cancellation, Done done);

 private:
  struct Waiter;

  void Release();
  void Cancel(const std::shared_ptr<Waiter>& waiter);
  absl::Status Cancelled() const;

  const std::string name_;
  std::mutex mu_;
  bool held_ = false;                             // guarded by mu_
  std::list<std::shared_ptr<Waiter>> waiters_;  // guarded by mu_
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_RESOURCE_MUTEX_H_
