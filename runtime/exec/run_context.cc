#include "runtime/exec/run_context.h"

#include <exception>
#include <new>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "runtime/resource/variable.h"

namespace flowlatch {

StepRecorder::PlanRecord& RunContext::Record(const std::string& prefix) {
  return services().recorder->RecordOf(&plan_, prefix, [&](StepRecorder::PlanRecord& record) {
    record.nodes.resize(plan_.instructions.size());
    for (size_t i = 0; i < plan_.instructions.size(); ++i) {
      const NodeId id = plan_.instructions[i].node;
      if (id < 0) continue;
      const Node& node = plan_.graph().node(id);
      record.nodes[i].node = absl::StrCat(prefix, std::string(node.name));
      record.nodes[i].op = node.op();
    }
    record.frames.resize(plan_.frames.size());
    for (size_t i = 0; i < plan_.frames.size(); ++i) {
      const FramePlan& frame = plan_.frames[i];
      record.frames[i].name = frame.name.empty() ? prefix : absl::StrCat(prefix, frame.name);
      if (frame.parent >= 0) record.frames[i].parent = record.frames[frame.parent].name;
    }
  });
}

void RunContext::KeepFirst(const std::string& what, const absl::Status& status) {
  std::lock_guard<std::mutex> lock(mu_);
  if (failed_) return;
  code_ = status.ok() ? absl::StatusCode::kInternal : status.code();
  message_ = absl::StrCat(what, ": ", status.message());
  failed_ = true;
}

void RunContext::Fail(uint32_t node, absl::Status status) { KeepFirst(plan_.NodeText(node), status); }

void RunContext::FailByException(uint32_t node) { Fail(node, StatusOfException()); }

absl::Status RunContext::StatusOfException() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("memory: expected enough for the kernel, got none");
  } catch (const std::length_error&) {
    return absl::ResourceExhaustedError("memory: expected a size that can be had, got more");
  } catch (const std::exception& exception) {
    return absl::InternalError(absl::StrCat("kernel: expected a status, got the exception '", exception.what(), "'"));
  } catch (...) {
    return absl::InternalError("kernel: expected a status, got an exception");
  }
}

void RunContext::FailFetch(size_t fetch, absl::Status status) {
  KeepFirst(absl::StrCat("fetch ", fetch, " '", plan_.fetch_names[fetch], "'"), status);
}

absl::Status RunContext::Uninitialized(const Variable* variable) {
  return absl::FailedPreconditionError(absl::StrCat("expected an initialized variable, got uninitialized '",
                                                    variable != nullptr ? variable->name() : "", "'"));
}

bool RunContext::ReadFetchedReference(size_t fetch, const Tensor& reference, Tensor* value) {
  Variable* variable = ReferencedVariable(reference);
  if (variable != nullptr) *value = variable->Read();
  if (value->has_value()) return true;
  FailFetch(fetch, Uninitialized(variable));
  return false;
}

bool RunContext::CheckInterrupted(uint32_t node) {
  CancellationManager* cancellation = services().cancellation;
  if (services().has_deadline && std::chrono::steady_clock::now() >= services().deadline) {
    cancellation->Cancel(absl::DeadlineExceededError("step: expected to end before its deadline, got interrupted"));
  }
  if (!cancellation->cancelled()) return true;
  Fail(node, cancellation->status());
  return false;
}

KernelStatus RunContext::CallWithReferences(const Instruction& ins, uint32_t node, Tensor* slots,
                                            const uint32_t* input_slots, Tensor* outputs) {
  const ReferenceCheck& check = plan_.reference_checks[ins.reference_check - 1];
  const auto variable = [&](uint32_t input) { return ReferencedVariable(slots[input_slots[input]]); };
  for (const uint32_t i : check.initialized) {
    if (slots[input_slots[i]].has_value()) continue;  // fed in place of the reference
    Variable* v = variable(i);
    if (v == nullptr || !v->Read().has_value()) {
      const absl::Status status = Uninitialized(v);
      Fail(node, absl::Status(status.code(), absl::StrCat("input ", i, ": ", status.message())));
      return KernelStatus::kError;
    }
  }
  if (check.dereference.empty()) {
    KernelCall call(this, slots, input_slots, outputs, ins.state, ins.num_inputs, ins.num_outputs, ins.forwardable,
                    node);
    return ins.fn(call);
  }
  // Values are read now, not when the reference was made: two readers may see different values (7.3, 7.4).
  absl::InlinedVector<Tensor, 8> values(ins.num_inputs);
  absl::InlinedVector<uint32_t, 8> positions(ins.num_inputs);
  for (uint32_t i = 0; i < ins.num_inputs; ++i) {
    Tensor& slot = slots[input_slots[i]];
    const bool last = i < 64 && ((ins.forwardable >> i) & 1) != 0 && slot.has_value();
    values[i] = last ? std::move(slot) : slot;
    positions[i] = i;
  }
  for (const uint32_t i : check.dereference) {
    if (Variable* v = variable(i)) values[i] = v->Read();
  }
  KernelCall call(this, values.data(), positions.data(), outputs, ins.state, ins.num_inputs, ins.num_outputs,
                  ins.forwardable, node);
  return ins.fn(call);
}

}  // namespace flowlatch
