// BuilderGraph: one graph that is being built, with what only its builder knows: shapes, control-flow contexts, control
// dependencies in force. For the parts of graph/build alone.
//
// A context is a branch of a cond or the body (with the predicate) of a loop. Contexts form a tree whose root is 0. A node belongs
// to one; a value enters a context through a Switch or an Enter, and leaves it through a Merge or an Exit, which belong to the
// context outside.
#ifndef FLOWLATCH_GRAPH_BUILD_BUILDER_GRAPH_H_
#define FLOWLATCH_GRAPH_BUILD_BUILDER_GRAPH_H_

#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "graph/build/output.h"
#include "graph/build/variable.h"
#include "graph/ir/graph.h"
#include "graph/schema/shape_context.h"

namespace flowlatch {

using ContextId = int32_t;
inline constexpr ContextId kRootContext = 0;

// One variable of a loop of Switch and Merge.
struct LoopVariable {
  NodeId enter = -1, merge = -1, loop_switch = -1;
  NodeId next_iteration = -1;  // -1 until the next value is known
  NodeId exit = -1;            // -1 while nobody wants the final value
  Port body;                   // the value in the body
};

struct ControlFlowContext {
  enum class Kind { kRoot, kBranch, kLoop };
  Kind kind = Kind::kRoot;
  ContextId parent = -1;
  int depth = 0;
  // What nodes without inputs of this context wait for, so that they run only if and whenever it does: an Identity in a branch or
  // of loop variable 0. -1: not made yet (branches that were recognised), or none (root).
  NodeId pivot = -1;
  // The control dependencies in force around it: its predicate or its Enters wait for them, and so everything inside.
  int32_t outer_controller = -1;
  // Outside values and what they are in here.
  absl::flat_hash_map<Port, Port> values;

  // Of a branch: live when `selector` (bool: branch 0 is false; int32 with more branches) chooses `branch`.
  Port selector;
  int branch = 0;
  int num_branches = 2;

  // Of a loop.
  std::string frame;
  int64_t parallel_iterations = 10;
  NodeId loop_cond = -1;
  std::vector<LoopVariable> variables;
  std::vector<NodeId> invariants;  // constant Enters
};

struct BuilderGraph {
  explicit BuilderGraph(const OpRegistry& registry) : graph(registry), contexts(1) {}

  Graph graph;
  std::vector<uint32_t> first_output;  // of each node, into `shapes`
  std::deque<PartialShape> shapes;     // of all outputs; references stay valid while nodes are added
  absl::flat_hash_map<Port, HandleData> handles;  // what lists and handles hold, where it is known
  std::vector<ContextId> context;      // of each node
  std::vector<int32_t> controller;     // the innermost control dependencies under which each node was made; -1: none
  std::deque<ControlFlowContext> contexts;  // references stay valid while others are made
  // The branch contexts of a Switch that is no loop's, by output; -1: not needed yet.
  struct SwitchBranches {
    Port selector;
    absl::InlinedVector<ContextId, 2> contexts;
  };
  absl::flat_hash_map<NodeId, SwitchBranches> switch_branches;
  // The branches of (selector, branch, parent).
  absl::flat_hash_map<std::tuple<Port, int, ContextId>, ContextId> branches;
  absl::flat_hash_set<std::string> frames;
  absl::flat_hash_map<NodeId, Port> anchors;  // a constant that waits for the node, so that loops can

  // Of the outermost graph: its variables, and the names that variables have at run time ("container/shared_name"), read from its
  // first `nodes_read` nodes.
  std::vector<GraphVariable> variables;
  absl::flat_hash_set<std::string> variable_keys;
  NodeId nodes_read = 0;

  // Of a function's body.
  int parent = -1;                          // the graph around it
  ContextId outer_context = kRootContext;   // where in it the function is defined
  absl::flat_hash_map<Output, Port> captured;  // values of `parent` -> the argument that stands for it
  Outputs capture_order;
  std::vector<NodeId> args;

  // Hashes of names in use (lower case), with the number to try next.
  absl::flat_hash_map<uint64_t, int32_t> names;
  // Attributes that only dtypes of inputs tell, shared by all nodes alike.
  absl::flat_hash_map<std::string, AttrMap> deduced_attrs;
  // Control dependencies: a tree like the contexts.
  struct Controller {
    int32_t parent;
    int depth;
    std::vector<NodeId> ops;
  };
  std::vector<Controller> controllers;

  // Records of the node that was added last; its shapes are unknown.
  void AddRecord(ContextId context, int32_t controller);
  // Runs the node's shape function. Errors: InvalidArgument, naming the node, for what can never work.
  absl::Status InferShapes(NodeId node);

  // The names of all variables so far, those that were made by hand or imported included.
  absl::flat_hash_set<std::string>& VariableKeys();

  // `frame`, or the first of frame_1, frame_2, ... that no loop has.
  std::string UniqueFrame(std::string_view frame);

  const PartialShape& shape(Port p) const { return shapes[first_output[p.node] + p.index]; }
  PartialShape& shape(Port p) { return shapes[first_output[p.node] + p.index]; }
  // The context in which a port's value is live.
  ContextId ContextOf(Port p);
  bool Encloses(ContextId outer, ContextId inner) const;
  // The innermost loop that `context` is in or is, or -1.
  ContextId LoopOf(ContextId context) const;
  // The context of a branch, made if it is new.
  ContextId Branch(Port selector, int branch, int num_branches, ContextId parent);
  ContextId Loop(std::string frame, int64_t parallel_iterations, ContextId parent, int32_t outer_controller);
  // `p`, or what it is an Identity of.
  Port Source(Port p) const;
  const Tensor* ConstantValue(Port p) const;
};

// Names that differ in case only count as equal.
uint64_t NameHash(std::string_view name);

// What scopes change.
struct BuilderState {
  int graph = 0;
  ContextId context = kRootContext;
  int32_t controller = -1;
  std::string name_scope;  // "" or "a/b/"
  std::string device;
  std::vector<std::string> colocation;  // "loc:@name", sorted
  std::string colocated_device;         // of what is colocated with; "": `device` counts
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_BUILDER_GRAPH_H_
