// What the frame executor keeps of frames and iterations. Internal to runtime/exec.
#ifndef FLOWLATCH_RUNTIME_EXEC_FRAME_MEMORY_H_
#define FLOWLATCH_RUNTIME_EXEC_FRAME_MEMORY_H_

#include <cstring>
#include <memory>
#include <vector>

#include "graph/tensor/tensor.h"
#include "runtime/plan/plan.h"

namespace flowlatch {

struct FrameInstance;

// One iteration of one frame instance: pending counts and input slots of the frame's nodes.
struct Iteration {
  FrameInstance* frame = nullptr;
  int64_t number = 0;
  int64_t ready = 0;          // nodes that are ready or running
  size_t started = 0;         // nodes that are, or were
  int64_t child_frames = 0;   // that live
  FrameInstance* children = nullptr;
  PendingCount* pending = nullptr;
  Tensor* slots = nullptr;
  std::unique_ptr<PendingCount[]> pending_memory;
  std::unique_ptr<Tensor[]> slots_memory;
};

// One execution of a loop: made when its first Enter fires in an iteration of the parent (1.10).
struct FrameInstance {
  const FramePlan* plan = nullptr;
  uint32_t index = 0;  // of the frame in the plan
  Iteration* parent_iteration = nullptr;
  FrameInstance* next_sibling = nullptr;  // among parent_iteration->children
  int64_t highest = 0;                    // iteration started last
  int64_t lowest = 0;                     // oldest iteration that lives
  int pending_enters = 0;
  std::vector<Iteration*> ring;           // iteration k stands at k % ring.size()
  struct Kept {
    uint32_t instruction;
    Tensor value;  // may be dead
  };
  std::vector<Kept> parked;      // NextIteration values for iteration highest + 1 (1.17)
  std::vector<Kept> invariants;  // of constant Enters (1.14)
  std::vector<uint32_t> dead_exits;  // of iteration `highest` (1.16)
  std::vector<uint8_t> exited;       // by number of the Exit: whether it has given its value

  Iteration* iteration(int64_t number) const { return ring[number % ring.size()]; }
  int64_t outstanding() const { return highest - lowest + 1; }
};

// Recycles both, so that a loop's iterations cost no allocation.
class FrameMemory {
 public:
  explicit FrameMemory(const Plan& plan) : plan_(plan), free_iterations_(plan.frames.size()) {}

  Iteration* NewIteration(FrameInstance* frame, int64_t number) {
    std::vector<Iteration*>& free = free_iterations_[frame->index];
    Iteration* it;
    if (!free.empty()) {
      it = free.back();
      free.pop_back();
    } else {
      all_iterations_.push_back(std::make_unique<Iteration>());
      it = all_iterations_.back().get();
      it->pending_memory = std::make_unique<PendingCount[]>(frame->plan->pending.size());
      it->slots_memory = std::make_unique<Tensor[]>(frame->plan->num_slots);
      it->pending = it->pending_memory.get();
      it->slots = it->slots_memory.get();
    }
    it->frame = frame;
    it->number = number;
    it->ready = it->child_frames = 0;
    it->started = 0;
    it->children = nullptr;
    if (!frame->plan->pending.empty()) {
      std::memcpy(it->pending, frame->plan->pending.data(), frame->plan->pending.size() * sizeof(PendingCount));
    }
    return it;
  }
  // Takes back an iteration whose nodes are done: those that ran left no values.
  void RetireIteration(Iteration* it) {
    if (it->started < it->frame->plan->nodes.size()) ClearIteration(it);
    FreeIteration(it);
  }
  FrameInstance* NewFrame(uint32_t index, Iteration* parent) {
    FrameInstance* frame;
    if (!free_frames_.empty()) {
      frame = free_frames_.back();
      free_frames_.pop_back();
    } else {
      all_frames_.push_back(std::make_unique<FrameInstance>());
      frame = all_frames_.back().get();
    }
    frame->plan = &plan_.frames[index];
    frame->index = index;
    frame->parent_iteration = parent;
    frame->highest = frame->lowest = 0;
    frame->pending_enters = frame->plan->num_enters;
    frame->exited.assign(frame->plan->num_exits, 0);
    return frame;
  }
  void FreeFrame(FrameInstance* frame) {
    frame->plan = nullptr;
    frame->parked.clear();
    frame->invariants.clear();
    frame->dead_exits.clear();
    free_frames_.push_back(frame);
  }
  // Takes back everything that a run left behind: frames that never finished, after errors above all.
  void Reset() {
    for (const std::unique_ptr<Iteration>& it : all_iterations_) {
      if (it->frame == nullptr) continue;
      ClearIteration(it.get());
      FreeIteration(it.get());
    }
    for (const std::unique_ptr<FrameInstance>& frame : all_frames_) {
      if (frame->plan != nullptr) FreeFrame(frame.get());
    }
  }

 private:
  // Drops what arrived for nodes that never became ready, or failed.
  void ClearIteration(Iteration* it) {
    for (uint32_t i = 0; i < it->frame->plan->num_slots; ++i) it->slots[i].Clear();
  }
  void FreeIteration(Iteration* it) {
    free_iterations_[it->frame->index].push_back(it);
    it->frame = nullptr;
  }

  const Plan& plan_;
  std::vector<std::unique_ptr<Iteration>> all_iterations_;
  std::vector<std::vector<Iteration*>> free_iterations_;  // by frame
  std::vector<std::unique_ptr<FrameInstance>> all_frames_;
  std::vector<FrameInstance*> free_frames_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_EXEC_FRAME_MEMORY_H_
