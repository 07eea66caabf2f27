// StepStats: what a step executed, node by node.
#ifndef FLOWLATCH_RUNTIME_PROFILE_STEP_STATS_H_
#define FLOWLATCH_RUNTIME_PROFILE_STEP_STATS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "graph/tensor/dtype.h"

namespace flowlatch {

// One node in one step. Iterations of a loop are added up.
struct NodeStats {
  std::string node;
  std::string op;
  int64_t executions = 0;  // times the kernel ran; dead executions do not count
  int64_t dead = 0;        // times the node was dead
  int64_t time_ns = 0;     // in its kernel, all executions
  DType dtype = DType::kInvalid;  // of its first output; kInvalid without one
  int64_t output_bytes = 0;       // of all outputs of all executions; strings count their elements only
};

// One execution of a node.
struct NodeExecution {
  int64_t node = 0;      // its place in StepStats::nodes
  int64_t start_ns = 0;  // since the step began
  int64_t time_ns = 0;
};

// A frame that was entered, and how far it went.
struct FrameStats {
  std::string name;         // "" is the root
  std::string parent;
  int64_t instances = 0;
  int64_t iterations = 0;   // of all instances
};

struct StepStats {
  std::vector<NodeStats> nodes;  // in the plan's order, called functions' nodes as "call/node"
  std::vector<FrameStats> frames;
  std::vector<NodeExecution> timeline;  // in the order in which they ended; the first million
  int64_t wall_ns = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_PROFILE_STEP_STATS_H_
