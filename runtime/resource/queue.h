// Queue: elements of tensors that steps put in and take out, waiting for room or for elements (semantics.md, 9B).
#ifndef FLOWLATCH_RUNTIME_RESOURCE_QUEUE_H_
#define FLOWLATCH_RUNTIME_RESOURCE_QUEUE_H_

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"
#include "runtime/resource/queue_order.h"
#include "runtime/resource/resource_manager.h"
#include "runtime/threads/cancellation.h"

namespace flowlatch {

// What a queue was declared as.
struct QueueSpec {
  enum class Kind { kFifo, kPaddingFifo, kPriority, kRandomShuffle };
  Kind kind = Kind::kFifo;
  std::vector<DType> dtypes;         // of the components; those of a priority queue begin with int64
  std::vector<PartialShape> shapes;  // of the components; none: any. Only those of kPaddingFifo may be known in part
  int64_t capacity = -1;             // -1: without limit
  int64_t min_after_dequeue = 0;     // elements that an open kRandomShuffle keeps back
  int64_t seed = 0, seed2 = 0;       // of kRandomShuffle
};

// Thread-safe, and never holds a thread: what must wait stands in line, and reports from the thread that ends the wait.
//
// There are two lines, of those who put in (and close) and those who take. Only the first of each may act, and whatever
// it changes lets the first of the other try again, until nothing changes any more. So a request that cannot go on holds
// up all later ones of its kind, and requests are served in the order in which they came.
//
// Requests end at once, in the caller, when they can. A request whose step is cancelled leaves its line and reports
// Cancelled; what it has put in stays, what it has taken goes back.
class Queue final : public Resource {
 public:
  static constexpr char kTypeName[] = "Queue";
  using Done = std::function<void(absl::Status)>;
  using DoneMany = std::function<void(absl::StatusOr<std::vector<QueueElement>>)>;

  // Errors: InvalidArgument for a specification that contradicts itself.
  static absl::Status Validate(const QueueSpec& spec);
  // `name` is for messages; `random` chooses the elements of kRandomShuffle, and must be there for it. Errors: as Validate.
  static absl::StatusOr<RefPtr<Queue>> Make(QueueSpec spec, std::string name, std::function<uint32_t()> random = {});
  std::string TypeName() const override { return kTypeName; }
  const std::string& name() const { return name_; }
  const QueueSpec& spec() const { return spec_; }

  // Whether a queue declared as `other` may be this one. Errors: InvalidArgument.
  absl::Status CheckSpec(const QueueSpec& other) const;
  // Whether these are the components' dtypes. Errors: InvalidArgument.
  absl::Status CheckDTypes(absl::Span<const DType> dtypes) const;
  // Whether these tensors make up an element. Errors: InvalidArgument.
  absl::Status CheckElement(absl::Span<const Tensor> components) const;
  // The number of elements whose components are the rows of these tensors. Errors: InvalidArgument.
  absl::StatusOr<int64_t> CheckElements(absl::Span<const Tensor> components) const;
  // Whether elements can be taken in batches. Errors: InvalidArgument for shapes that are not known.
  absl::Status CheckBatches() const;

  // Requires of all: `cancellation` lives until the report.
  // Puts in an element that was checked. Errors: Cancelled when closed or cancelled.
  void Enqueue(QueueElement element, CancellationManager& cancellation, Done done);
  // Puts in element(0) to element(n - 1), each as soon as there is room. `element` is called under the lock.
  void EnqueueMany(int64_t n, std::function<QueueElement(int64_t)> element, CancellationManager& cancellation, Done done);
  // Takes an element and puts it into `components`, which must live until the report.
  // Errors: OutOfRange when closed and empty, Cancelled.
  void Dequeue(absl::Span<Tensor> components, CancellationManager& cancellation, Done done);
  // Takes n elements, each as soon as it is there. Errors: Cancelled; OutOfRange when the queue is closed and has fewer,
  // which stay there; if `may_be_short` then only when it has none.
  void DequeueMany(int64_t n, bool may_be_short, CancellationManager& cancellation, DoneMany done);
  // Nothing more is put in: after those who stand in line (Errors: Cancelled when it is closed then), or at once, and
  // those get Cancelled.
  void Close(bool cancel_pending_enqueues, CancellationManager& cancellation, Done done);

  int64_t size() const;
  bool is_closed() const;

 private:
  struct Request;
  using Line = std::list<std::shared_ptr<Request>>;
  using Requests = absl::InlinedVector<std::shared_ptr<Request>, 4>;
  enum class Progress { kNone, kSome, kEnd };

  Queue(QueueSpec spec, std::string name, std::function<uint32_t()> random);
  absl::Status CheckShape(int component, absl::Span<const int64_t> got, bool in_batch) const;
  void Begin(Request request);
  void Cancel(const std::shared_ptr<Request>& request);
  static void Report(Request& request);
  absl::Status Fail(absl::StatusCode code, absl::string_view text) const;
  absl::Status Cancelled() const;

  // All require mu_. Requests in `ended` are to report without it.
  void Wait(Request request, Line& line, Requests& ended);
  void Leave(const std::shared_ptr<Request>& request, Requests& ended);
  Line& LineOf(const Request& request);
  Progress Try(Request& request);
  Progress TryEnqueue(Request& request);
  Progress TryDequeue(Request& request);
  void PutBack(Request& request);
  bool Serve(Line& line, Requests& ended);
  void ServeAll(Requests& ended);

  const QueueSpec spec_;
  const int64_t capacity_;
  const std::string name_;
  mutable std::mutex mu_;
  const std::unique_ptr<QueueOrder> elements_;  // guarded by mu_, as what follows
  bool closed_ = false;
  Line enqueues_, dequeues_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_RESOURCE_QUEUE_H_
