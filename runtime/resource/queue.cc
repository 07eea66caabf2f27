#include "runtime/resource/queue.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace flowlatch {
namespace {

std::unique_ptr<QueueOrder> MakeOrder(QueueSpec::Kind kind, std::function<uint32_t()> random) {
  switch (kind) {
    case QueueSpec::Kind::kFifo:
    case QueueSpec::Kind::kPaddingFifo:
      break;
    case QueueSpec::Kind::kPriority:
      return MakePriorityOrder();
    case QueueSpec::Kind::kRandomShuffle:
      return MakeRandomOrder(std::move(random));
  }
  return MakeFifoOrder();
}

const char* KindName(QueueSpec::Kind kind) {
  switch (kind) {
    case QueueSpec::Kind::kFifo: return "a FIFO queue";
    case QueueSpec::Kind::kPaddingFifo: return "a padding FIFO queue";
    case QueueSpec::Kind::kPriority: return "a priority queue";
    case QueueSpec::Kind::kRandomShuffle: return "a random shuffle queue";
  }
  return "";
}

std::string DTypesText(absl::Span<const DType> dtypes) {
  return absl::StrJoin(dtypes, ", ", [](std::string* out, DType d) { absl::StrAppend(out, std::string(DTypeName(d))); });
}

std::string ShapesText(absl::Span<const PartialShape> shapes) {
  return shapes.empty() ? "any" : absl::StrJoin(shapes, ", ", [](std::string* out, const PartialShape& shape) {
    absl::StrAppend(out, shape.ToString());
  });
}

absl::Status CheckShapes(const QueueSpec& spec) {
  const bool pads = spec.kind == QueueSpec::Kind::kPaddingFifo;
  if (spec.shapes.size() != spec.dtypes.size() && (pads || !spec.shapes.empty())) {
    return absl::InvalidArgumentError(absl::StrCat("shapes: expected ", spec.dtypes.size(), pads ? "" : " or none",
                                                   ", got ", spec.shapes.size()));
  }
  for (const PartialShape& shape : spec.shapes) {
    if (pads ? shape.has_rank() : shape.fully_defined()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("shapes: expected ", pads ? "known ranks" : "fully defined ones", ", got ", shape.ToString()));
  }
  return absl::OkStatus();
}

// A negative capacity is none.
int64_t Limit(int64_t capacity) { return capacity < 0 ? std::numeric_limits<int64_t>::max() : capacity; }

}  // namespace

// What stands in line.
struct Queue::Request {
  enum class Kind : uint8_t { kEnqueue, kDequeue, kClose };
  Kind kind;
  bool waits = false;  // in a line
  bool may_be_short = false;
  int64_t moved = 0;   // elements put in or taken
  int64_t wanted = 1;  // and those that are still to be
  QueueElement element = {};                             // to put in; or
  std::function<QueueElement(int64_t)> element_at = {};  // several
  absl::Span<Tensor> components = {};                    // where the taken element goes; or
  std::vector<QueueElement> taken = {};                  // several
  CancellationManager* cancellation;
  int64_t registration = 0;  // with the cancellation; 0: none
  Done done = {};
  DoneMany done_many = {};  // instead, of DequeueMany
  absl::Status status = {};
  Line::iterator place = {};  // if it waits
};

absl::Status Queue::Validate(const QueueSpec& spec) {
  if (absl::Status status = CheckShapes(spec); !status.ok()) return status;
  if (spec.kind == QueueSpec::Kind::kPriority && (spec.dtypes.empty() || spec.dtypes[0] != DType::kInt64)) {
    return absl::InvalidArgumentError("component 0 of a priority queue: expected int64");
  }
  if (spec.kind == QueueSpec::Kind::kRandomShuffle &&
      (spec.min_after_dequeue < 0 || spec.min_after_dequeue >= Limit(spec.capacity))) {
    return absl::InvalidArgumentError(absl::StrCat("min_after_dequeue: expected a value in [0,", Limit(spec.capacity),
                                                   "), the capacity, got ", spec.min_after_dequeue));
  }
  return absl::OkStatus();
}

absl::StatusOr<RefPtr<Queue>> Queue::Make(QueueSpec spec, std::string name, std::function<uint32_t()> random) {
  if (absl::Status status = Validate(spec); !status.ok()) return status;
  return RefPtr<Queue>::Adopt(new Queue(std::move(spec), std::move(name), std::move(random)));
}

Queue::Queue(QueueSpec spec, std::string name, std::function<uint32_t()> random)
    : spec_(std::move(spec)),
      capacity_(Limit(spec_.capacity)),
      name_(std::move(name)),
      elements_(MakeOrder(spec_.kind, std::move(random))) {}

absl::Status Queue::Fail(absl::StatusCode code, absl::string_view text) const {
  return absl::Status(code, absl::StrCat("queue '", name_, "': ", text));
}

absl::Status Queue::Cancelled() const {
  return Fail(absl::StatusCode::kCancelled, "expected a step that goes on, got one that was cancelled");
}

// ---- Checks

absl::Status Queue::CheckSpec(const QueueSpec& other) const {
  const auto differs = [&](const char* what, const auto& have, const auto& want) {
    return Fail(absl::StatusCode::kInvalidArgument, absl::StrCat(what, ": expected that of the shared queue, ", have, ", got ", want));
  };
  if (other.kind != spec_.kind) return differs("kind", KindName(spec_.kind), KindName(other.kind));
  if (Limit(other.capacity) != capacity_) return differs("capacity", spec_.capacity, other.capacity);
  if (other.dtypes != spec_.dtypes) return differs("component types", DTypesText(spec_.dtypes), DTypesText(other.dtypes));
  if (other.shapes != spec_.shapes) return differs("component shapes", ShapesText(spec_.shapes), ShapesText(other.shapes));
  if (other.min_after_dequeue != spec_.min_after_dequeue) {
    return differs("min_after_dequeue", spec_.min_after_dequeue, other.min_after_dequeue);
  }
  if (other.seed != spec_.seed || other.seed2 != spec_.seed2) {
    return differs("seeds", absl::StrCat(spec_.seed, " and ", spec_.seed2), absl::StrCat(other.seed, " and ", other.seed2));
  }
  return absl::OkStatus();
}

absl::Status Queue::CheckDTypes(absl::Span<const DType> dtypes) const {
  if (dtypes == absl::MakeConstSpan(spec_.dtypes)) return absl::OkStatus();
  return Fail(absl::StatusCode::kInvalidArgument,
              absl::StrCat("components: expected ", DTypesText(spec_.dtypes), ", got ", DTypesText(dtypes)));
}

absl::Status Queue::CheckShape(int component, absl::Span<const int64_t> got, bool in_batch) const {
  const bool is_priority = component == 0 && spec_.kind == QueueSpec::Kind::kPriority;
  PartialShape want = is_priority ? PartialShape(Shape()) : PartialShape();
  if (!spec_.shapes.empty()) want = spec_.shapes[component];
  const size_t skipped = in_batch ? 1 : 0;
  const bool fits = got.size() >= skipped && (!want.has_rank() || want.CompatibleWith(PartialShape::FromValid(got.subspan(skipped))));
  if (fits) return absl::OkStatus();
  if (in_batch) want = PartialShape::Of({-1}).Concatenate(want).value_or(PartialShape());
  return Fail(absl::StatusCode::kInvalidArgument,
              absl::StrCat("component ", component, ": expected shape ", want.has_rank() ? want.ToString() : "[?,..]",
                           ", got ", DimsToString(got)));
}

absl::Status Queue::CheckElement(absl::Span<const Tensor> components) const {
  if (spec_.shapes.empty() && spec_.kind != QueueSpec::Kind::kPriority) return absl::OkStatus();
  for (size_t i = 0; i < components.size(); ++i) {
    if (absl::Status status = CheckShape(static_cast<int>(i), components[i].dims(), false); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Queue::CheckElements(absl::Span<const Tensor> components) const {
  for (size_t i = 0; i < components.size(); ++i) {
    if (absl::Status status = CheckShape(static_cast<int>(i), components[i].dims(), true); !status.ok()) return status;
    if (components[i].dim(0) == components[0].dim(0)) continue;
    return Fail(absl::StatusCode::kInvalidArgument,
                absl::StrCat("component ", i, ": expected ", components[0].dim(0), " rows, as component 0, got ",
                             components[i].dim(0)));
  }
  return components[0].dim(0);
}

absl::Status Queue::CheckBatches() const {
  if (!spec_.shapes.empty()) return absl::OkStatus();
  return Fail(absl::StatusCode::kInvalidArgument, "expected one with shapes, of which elements can be taken in batches, got one without");
}

// ---- Requests

void Queue::Enqueue(QueueElement element, CancellationManager& cancellation, Done done) {
  Begin({.kind = Request::Kind::kEnqueue,
         .element = std::move(element),
         .cancellation = &cancellation,
         .done = std::move(done)});
}

void Queue::EnqueueMany(int64_t n, std::function<QueueElement(int64_t)> element, CancellationManager& cancellation,
                        Done done) {
  if (n == 0) return done(absl::OkStatus());  // closed or not
  Begin({.kind = Request::Kind::kEnqueue,
         .wanted = n,
         .element_at = std::move(element),
         .cancellation = &cancellation,
         .done = std::move(done)});
}

void Queue::Dequeue(absl::Span<Tensor> components, CancellationManager& cancellation, Done done) {
  Begin({.kind = Request::Kind::kDequeue,
         .components = components,
         .cancellation = &cancellation,
         .done = std::move(done)});
}

void Queue::DequeueMany(int64_t n, bool may_be_short, CancellationManager& cancellation, DoneMany done) {
  if (n == 0) return done(std::vector<QueueElement>());  // closed or not
  Begin({.kind = Request::Kind::kDequeue,
         .may_be_short = may_be_short,
         .wanted = n,
         .cancellation = &cancellation,
         .done_many = std::move(done)});
}

void Queue::Close(bool cancel_pending_enqueues, CancellationManager& cancellation, Done done) {
  if (!cancel_pending_enqueues) {
    Begin({.kind = Request::Kind::kClose, .cancellation = &cancellation, .done = std::move(done)});
    return;
  }
  Requests ended;
  {
    std::lock_guard<std::mutex> lock(mu_);
    closed_ = true;
    ServeAll(ended);  // those who put in find it closed
  }
  for (const std::shared_ptr<Request>& request : ended) Report(*request);
  done(absl::OkStatus());
}

void Queue::Begin(Request request) {
  Requests ended;
  bool waits;
  {
    std::lock_guard<std::mutex> lock(mu_);
    Line& line = LineOf(request);
    Progress progress = Progress::kNone;
    if (ABSL_PREDICT_FALSE(request.cancellation->cancelled())) {
      request.status = Cancelled();
      progress = Progress::kEnd;
    } else if (line.empty()) {
      progress = Try(request);
    }
    waits = progress != Progress::kEnd;
    if (waits) Wait(std::move(request), line, ended);
    if (progress != Progress::kNone) ServeAll(ended);
  }
  if (!waits) Report(request);
  for (const std::shared_ptr<Request>& other : ended) Report(*other);
}

void Queue::Wait(Request request, Line& line, Requests& ended) {
  auto waiting = std::make_shared<Request>(std::move(request));
  waiting->place = line.insert(line.end(), waiting);
  waiting->waits = true;
  // The callback comes to the lock, which is held here, before it looks for the request in its line.
  waiting->registration = waiting->cancellation->Register(
      [queue = RefPtr<Queue>::Share(this), waiting] { queue->Cancel(waiting); });
  if (waiting->registration == 0) Leave(waiting, ended);
}

void Queue::Cancel(const std::shared_ptr<Request>& request) {
  Requests ended;
  {
    std::lock_guard<std::mutex> lock(mu_);
    if (!request->waits) return;
    Leave(request, ended);
    ServeAll(ended);  // those who stood behind it, and those who wait for what it puts back
  }
  for (const std::shared_ptr<Request>& other : ended) Report(*other);
}

void Queue::Leave(const std::shared_ptr<Request>& request, Requests& ended) {
  PutBack(*request);
  request->status = Cancelled();
  request->waits = false;
  LineOf(*request).erase(request->place);
  ended.push_back(request);
}

void Queue::Report(Request& request) {
  if (request.registration != 0) request.cancellation->Deregister(request.registration);
  if (!request.done_many) {
    request.done(std::move(request.status));
  } else if (request.status.ok()) {
    request.done_many(std::move(request.taken));
  } else {
    request.done_many(std::move(request.status));
  }
}

void Queue::ServeAll(Requests& ended) {
  bool changed = true;
  while (changed) {
    changed = Serve(enqueues_, ended);
    changed |= Serve(dequeues_, ended);
  }
}

bool Queue::Serve(Line& line, Requests& ended) {
  bool changed = false;
  while (!line.empty()) {
    const Progress progress = Try(*line.front());
    changed |= progress != Progress::kNone;
    if (progress != Progress::kEnd) break;
    line.front()->waits = false;
    ended.push_back(std::move(line.front()));
    line.pop_front();
  }
  return changed;
}

Queue::Line& Queue::LineOf(const Request& request) {
  return request.kind == Request::Kind::kDequeue ? dequeues_ : enqueues_;
}

Queue::Progress Queue::Try(Request& request) {
  if (request.kind == Request::Kind::kDequeue) return TryDequeue(request);
  if (closed_) {
    request.status = Fail(absl::StatusCode::kCancelled, "expected an open one, got one that was closed");
    return Progress::kEnd;
  }
  if (request.kind == Request::Kind::kEnqueue) return TryEnqueue(request);
  closed_ = true;
  return Progress::kEnd;
}

Queue::Progress Queue::TryEnqueue(Request& request) {
  const int64_t room = std::min(request.wanted, capacity_ - elements_->size());
  if (room <= 0) return Progress::kNone;
  for (int64_t i = 0; i < room; ++i) {
    elements_->Push(request.element_at ? request.element_at(request.moved + i) : std::move(request.element));
  }
  request.moved += room;
  request.wanted -= room;
  return request.wanted == 0 ? Progress::kEnd : Progress::kSome;
}

Queue::Progress Queue::TryDequeue(Request& request) {
  if (closed_ && elements_->size() < request.wanted) {
    // There will never be enough. What this request holds is there for those behind it too.
    const int64_t requested = request.moved + request.wanted;
    PutBack(request);
    const int64_t left = elements_->size();
    if (left == 0 || !request.may_be_short) {
      request.status = Fail(absl::StatusCode::kOutOfRange,
                            absl::StrCat("expected ", requested, " elements, got ", left, ", and it is closed"));
      return Progress::kEnd;
    }
    request.wanted = left;
  }
  const int64_t kept = closed_ ? 0 : spec_.min_after_dequeue;
  const int64_t there = std::min(request.wanted, elements_->size() - kept);
  if (there <= 0) return Progress::kNone;
  for (int64_t i = 0; i < there; ++i) {
    QueueElement element = elements_->Pop();
    if (request.done_many) {
      request.taken.push_back(std::move(element));
    } else {
      std::move(element.begin(), element.end(), request.components.begin());
    }
  }
  request.moved += there;
  request.wanted -= there;
  return request.wanted == 0 ? Progress::kEnd : Progress::kSome;
}

void Queue::PutBack(Request& request) {
  for (; !request.taken.empty(); request.taken.pop_back()) elements_->PutBack(std::move(request.taken.back()));
  if (request.kind != Request::Kind::kDequeue) return;
  request.wanted += request.moved;
  request.moved = 0;
}

int64_t Queue::size() const {
  std::lock_guard<std::mutex> lock(mu_);
  return elements_->size();
}

bool Queue::is_closed() const {
  std::lock_guard<std::mutex> lock(mu_);
  return closed_;
}

}  // namespace flowlatch
