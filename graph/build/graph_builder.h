// GraphBuilder: writes graphs. Ops, scopes, control flow in both forms, functions and init_scope; gradients are in
// graph/build/gradients.h.
//
//   GraphBuilder b(ops.registry());
//   Output x = b.Op("Placeholder", {}, {{"dtype", DType::kFloat32}}, "x");
//   Output y = x * 2 + 1;
//   Output z = b.Cond(y_is_big, [&] { return -y; }, [&] { return y; });
//   absl::StatusOr<Graph> graph = b.Build();
//
// Nothing here fails at the call: the builder keeps its first error, with the place of the call; later calls do nothing and give
// empty outputs; Build returns the error.
//
// A builder belongs to the thread that made it. A call from another thread does nothing, and Build then fails.
#ifndef FLOWLATCH_GRAPH_BUILD_GRAPH_BUILDER_H_
#define FLOWLATCH_GRAPH_BUILD_GRAPH_BUILDER_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/build/output.h"
#include "graph/ir/graph.h"

namespace flowlatch {

class GraphVariable;     // graph/build/variable.h
class Initializer;       // graph/build/initializer.h
struct VariableOptions;  // graph/build/variable.h
struct BuilderGraph;  // graph/build/builder_graph.h: one graph with its control-flow contexts
struct BuilderState;  // graph/build/builder_graph.h: what scopes change

using Attrs = absl::Span<const AttrMap::Entry>;

// What was in force before a scope began; its end, however it comes about, brings it back. Scopes end in reverse order.
class [[nodiscard]] BuilderScope {
 public:
  BuilderScope(BuilderScope&& o) noexcept;
  BuilderScope& operator=(BuilderScope&&) = delete;
  ~BuilderScope();

 private:
  friend class GraphBuilder;
  explicit BuilderScope(GraphBuilder* builder);
  GraphBuilder* builder_;
  std::unique_ptr<BuilderState> saved_;
};

// A function of the graph's library, with the outer values that its body uses: they are inputs after the arguments.
struct FunctionValue {
  std::string name;
  std::vector<DType> arg_types;     // captures included
  std::vector<DType> output_types;
  std::vector<PartialShape> output_shapes;
  Outputs captures;                 // of the graph in which the function was defined
  bool is_stateful = false;

  explicit operator bool() const { return !name.empty(); }
  FunctionRef ref() const { return {name, {}}; }
};

// One argument of a function.
struct ArgType {
  DType dtype = DType::kInvalid;
  PartialShape shape;
};

struct FunctionOptions {
  std::vector<AttrMap::Entry> attrs = {};  // of the FunctionDef, such as _noinline
  bool stateful = false;              // also where no op of the body says so
};

struct WhileOptions {
  int64_t parallel_iterations = 10;           // at least 1
  std::optional<Input> maximum_iterations = {};    // int32 scalar; both forms stop after so many
  std::vector<PartialShape> shape_invariants = {};  // empty: the shapes of the initial values
  std::string_view name = "while";
};

struct ImportOptions {
  std::string prefix = {};  // name scope of what is imported; made unique unless it ends with '/'. "": none
  std::vector<std::pair<std::string, Output>> input_map = {};  // "node:1" of the imported graph, or "^node" -> value of this one
  std::vector<std::string> return_outputs = {};                // "node:1" of the imported graph
  std::vector<Operation> control_dependencies = {};            // that every imported node without inputs waits for
};

class GraphBuilder {
 public:
  // `registry` must outlive the builder and its graph.
  explicit GraphBuilder(const OpRegistry& registry);
  ~GraphBuilder();
  GraphBuilder(const GraphBuilder&) = delete;
  GraphBuilder& operator=(const GraphBuilder&) = delete;

  // The finished, verified graph; the builder is empty and refuses everything after that.
  // Errors: the first error of the builder; what Verify says.
  absl::StatusOr<Graph> Build();
  // A verified copy of what was built so far; the builder goes on. Errors: as Build.
  absl::StatusOr<Graph> Snapshot();
  const absl::Status& status() const { return status_; }
  bool ok() const { return status_.ok(); }
  // Keeps `status` if it is the first error.
  void Fail(const absl::Status& status, std::source_location at = std::source_location::current());

  // --- Ops -------------------------------------------------------------------------------------------------------------------
  // A node of any op or library function. List arguments stand one after another in `inputs`; their lengths follow from the number
  // of inputs, or else from attributes. Attributes that inputs tell (dtypes, counts) may be left out. `name` is made unique in the
  // current name scope; "": the op's name; "a/b/" (with the slash): exactly a/b, as the name of what a scope stands for.
  // Errors: NotFound for an unknown op; InvalidArgument for a wrong number of inputs, dtypes that do not fit (naming the inputs),
  // attributes that are missing or not allowed, shapes that can never work, and values from another loop, function or builder.
  Operation Op(std::string_view op, absl::Span<const Input> inputs = {}, Attrs attrs = {}, std::string_view name = "",
               std::source_location at = std::source_location::current());
  Output Constant(const Input& value, std::string_view name = "Const", std::source_location at = std::source_location::current());
  // A constant of `dtype`. Errors: InvalidArgument if the values do not fit it.
  Output Constant(const Input& value, DType dtype, std::string_view name = "Const",
                  std::source_location at = std::source_location::current());
  Output Placeholder(DType dtype, PartialShape shape = {}, std::string_view name = "Placeholder",
                     std::source_location at = std::source_location::current());
  // One NoOp that waits for all.
  Operation Group(absl::Span<const Operation> ops, std::string_view name = "group_deps",
                  std::source_location at = std::source_location::current());
  // The same tensors, each usable only when all of them are computed. Empty ones stay empty.
  Outputs Tuple(absl::Span<const Output> values, absl::Span<const Operation> controls = {}, std::string_view name = "tuple",
                std::source_location at = std::source_location::current());
  // `value`, after `deps`, on the device of `value`.
  Output WithDependencies(absl::Span<const Operation> deps, const Output& value,
                          std::source_location at = std::source_location::current());

  // --- Variables (graph/build/variable.h has what they are made of) ---------------------------------------------------------------
  // A variable of the outermost graph, made in an InitScope. Its name is made unique, and no other variable of the graph is the same
  // one. Errors: InvalidArgument for an initial value from inside a cond, loop or function, a shape that does not fit it, or a
  // dtype that variables cannot have; AlreadyExists for a shared name that another has.
  GraphVariable Variable(std::string_view name, const Initializer& initial, std::source_location at = std::source_location::current());
  GraphVariable Variable(std::string_view name, const Initializer& initial, const VariableOptions& options,
                         std::source_location at = std::source_location::current());
  // All that were made here, in order.
  const std::vector<GraphVariable>& variables() const;

  // --- Scopes ----------------------------------------------------------------------------------------------------------------
  // Names of ops get `name/` in front, made unique; "a/" (with the slash) enters scope a again; "" is the root.
  BuilderScope NameScope(std::string_view name, std::source_location at = std::source_location::current());
  // The scope in force: "" or "a/b/".
  const std::string& name_scope() const;
  // Ops made inside wait for `ops` too, unless one of their inputs was made inside and so waited already.
  BuilderScope ControlDependencies(absl::Span<const Operation> ops, std::source_location at = std::source_location::current());
  // Inside, no control dependencies and no control-flow context are in force.
  BuilderScope NoControlDependencies();
  BuilderScope Device(std::string_view device);  // "": none
  // On the device of `op`, with it whatever happens (attr _class); devices in force do not count inside.
  BuilderScope ColocateWith(Operation op, std::source_location at = std::source_location::current());
  // Lifts what is made inside to the outermost graph: no control dependencies, no cond or while or function body around it; name
  // scope and device stay. For variables and their initialisers.
  BuilderScope InitScope();
  // In the branch or loop body that `op` of the current graph is in, as if made there; for graphs that were imported.
  BuilderScope Inside(Operation op, std::source_location at = std::source_location::current());

  // --- Control flow of Switch and Merge ------------------------------------------------------------------------------------------
  // The outputs of the branch that `pred` (bool scalar) chooses. Each function is called once, now; values from outside that
  // branches use are passed in. Both give the same number of outputs with the same dtypes.
  Outputs Cond(const Output& pred, const std::function<Outputs()>& then_branch, const std::function<Outputs()>& else_branch,
               std::string_view name = "cond", std::source_location at = std::source_location::current());
  Output Cond(const Output& pred, const std::function<Output()>& then_branch, const std::function<Output()>& else_branch,
              std::string_view name = "cond", std::source_location at = std::source_location::current());
  // The outputs of branch `index` (int32 scalar), of the last one if it is out of range.
  Outputs Case(const Output& index, const std::vector<std::function<Outputs()>>& branches, std::string_view name = "case",
               std::source_location at = std::source_location::current());
  // Loop variables after the last iteration. `cond` gives a bool scalar from the variables, `body` their next values.
  // Errors: InvalidArgument for no variables, parallel_iterations < 1, a predicate that is no bool scalar, a body that gives another
  // number, dtype or shape than its variables' (unless invariants allow it).
  Outputs While(absl::Span<const Input> initial, const std::function<Output(const Outputs&)>& cond,
                const std::function<Outputs(const Outputs&)>& body, const WhileOptions& options = {},
                std::source_location at = std::source_location::current());

  // --- Functions and control flow over them --------------------------------------------------------------------------------------
  // A function whose body is what `body` builds from its arguments. Outer values that it uses become captures. Stateful ops run
  // whether their results are used or not (control outputs). `name` is made unique.
  FunctionValue Function(std::string_view name, const std::vector<ArgType>& args, const std::function<Outputs(const Outputs&)>& body,
                         const FunctionOptions& options = {}, std::source_location at = std::source_location::current());
  // Calls it (PartitionedCall, or StatefulPartitionedCall). Errors: InvalidArgument for inputs that do not fit.
  Outputs Call(const FunctionValue& function, absl::Span<const Input> args, std::string_view name = "",
               std::source_location at = std::source_location::current());
  // If, Case and While over functions (the stateless forms where no op of them is stateful). `pred`: a bool scalar, a number that is
  // not zero, a non-empty string, or any tensor that has elements.
  Outputs If(const Output& pred, const std::function<Outputs()>& then_branch, const std::function<Outputs()>& else_branch,
             std::string_view name = "cond", std::source_location at = std::source_location::current());
  Outputs CaseOf(const Output& index, const std::vector<std::function<Outputs()>>& branches, std::string_view name = "case",
                 std::source_location at = std::source_location::current());
  Outputs WhileOf(absl::Span<const Input> initial, const std::function<Output(const Outputs&)>& cond,
                  const std::function<Outputs(const Outputs&)>& body, const WhileOptions& options = {},
                  std::source_location at = std::source_location::current());

  // --- Loops over elements (Switch and Merge form) -----------------------------------------------------------------------------
  // fn over the first dimension of `elements`, results stacked.
  Outputs MapFn(const Outputs& elements, const std::function<Outputs(const Outputs&)>& fn, const WhileOptions& options = {.name = "map"},
                std::source_location at = std::source_location::current());
  // The last accumulator of fn(accumulator, element), from the first element to the last.
  Outputs Foldl(const Outputs& elements, absl::Span<const Input> initial,
                const std::function<Outputs(const Outputs& acc, const Outputs& element)>& fn, const WhileOptions& options = {.name = "foldl"},
                std::source_location at = std::source_location::current());
  // As Foldl, with all accumulators stacked.
  Outputs Scan(const Outputs& elements, absl::Span<const Input> initial,
               const std::function<Outputs(const Outputs& acc, const Outputs& element)>& fn, const WhileOptions& options = {.name = "scan"},
               std::source_location at = std::source_location::current());
  // variables = body(i, variables) for i = begin, begin + 1, ..., end - 1 (int32).
  Outputs ForRange(const Input& begin, const Input& end, absl::Span<const Input> initial,
                   const std::function<Outputs(const Output& i, const Outputs&)>& body, const WhileOptions& options = {.name = "for"},
                   std::source_location at = std::source_location::current());

  // --- Graphs from elsewhere -----------------------------------------------------------------------------------------------------
  // Adds all nodes and functions of `graph` (of the same registry). Loops get names of their own; conds and loops are recognised,
  // so that gradients go through them. Gives the outputs that `options.return_outputs` names.
  Outputs Import(const Graph& graph, const ImportOptions& options = {}, std::source_location at = std::source_location::current());

  // --- What is known --------------------------------------------------------------------------------------------------------------
  // The graph in which ops are made now; changes with the next op.
  const Graph& graph() const;
  const OpRegistry& registry() const { return registry_; }
  const Node& node(const Operation& op) const;
  DType dtype(const Output& output) const;
  const PartialShape& shape(const Output& output) const;
  // Whether an operation is in the body or predicate of a while loop, so that it cannot be fetched.
  bool IsInLoop(const Operation& op) const;
  // Says what the caller knows of a shape. Errors: InvalidArgument when it contradicts what is known.
  void SetShape(const Output& output, const PartialShape& shape, std::source_location at = std::source_location::current());
  // The value of a constant, or null.
  const Tensor* ConstantValue(const Output& output) const;
  // The output of this name ("node" or "node:1") in the outermost graph. Errors: NotFound with near names.
  Output Find(std::string_view name, std::source_location at = std::source_location::current());

  // For the parts of graph/build alone: the graph in which ops are made now, with its contexts.
  BuilderGraph& current();
  BuilderGraph& graph_at(int index) { return *graphs_[index]; }
  BuilderState& state() { return *state_; }
  // Enters a control-flow context of the current graph, without control dependencies from outside.
  BuilderScope EnterContext(int32_t context);
  // The port as the current context sees it: through Switch or Enter where it comes from outside. Empty after Fail.
  Output Resolve(const Output& value, std::source_location at = std::source_location::current());
  // Adds a node whose inputs are resolved already, in the current context; no control inputs but these.
  Operation AddResolved(std::string_view op, absl::Span<const Port> inputs, AttrMap attrs, std::string_view name,
                        absl::Span<const NodeId> controls, std::source_location at = std::source_location::current());
  // Fits the control inputs of a node of `op` to the current context, a branch or loop. False after Fail.
  bool FitControls(std::string_view op, absl::Span<const Port> inputs, absl::InlinedVector<NodeId, 4>* controls, std::source_location at);
  std::string UniqueName(std::string_view name);
  Outputs ImportBody(const Graph& graph, const ImportOptions& options, absl::Span<const NodeId> nodes, std::vector<Operation>* operations,
                     std::source_location at);
  // Whether a call may do something: the builder has no error, and this is its thread.
  bool Ready();

 private:
  friend class BuilderScope;
  struct Deduced;

  struct Body;
  Body BuildBody(const std::vector<ArgType>& args, const std::function<Outputs(const Outputs&)>& body, std::source_location at);
  FunctionValue WriteFunction(std::string_view name, const Body& body, const Outputs& captures, bool pass_captures, const FunctionOptions& options,
                              std::source_location at);
  Outputs WithShapes(const Operation& op, const std::vector<PartialShape>& shapes);
  Outputs BranchesOf(std::string_view op, const Output& selector, const std::vector<std::function<Outputs()>>& branches, std::string_view name,
                     std::source_location at);
  using FoldFunction = std::function<std::pair<Outputs, Outputs>(const Outputs& accumulators, const Outputs& element)>;
  struct Folded {
    Outputs accumulators, emitted;
    std::vector<ArgType> emitted_types;
  };
  Folded Fold(const Outputs& elements, absl::Span<const Input> initial, const FoldFunction& fn, const WhileOptions& options,
              std::string_view what, std::source_location at);
  absl::Status CheckBuilt();
  std::optional<Port> ToPort(const Output& value, std::string_view what, std::source_location at);
  NodeId Pivot(int32_t context, std::source_location at);
  std::optional<Port> ResolvePort(Port port, int32_t context, std::string_view user, std::source_location at);
  std::optional<Output> Capture(const Output& value, int graph, std::source_location at);
  const OpSchema* SchemaHere(const Node& node, std::source_location at);
  bool ImportFunctions(const FunctionLibrary& from, std::source_location at);
  bool DeduceAttrs(const OpSchema& schema, absl::Span<const Input> inputs, Attrs attrs, Deduced* deduced, std::source_location at);
  const OpSchema* FindSchema(std::string_view op, std::source_location at);
  Operation Finish(const OpSchema* schema, AttrMap attrs, absl::Span<const Port> inputs, absl::Span<const NodeId> controls,
                   std::string_view unique_name, std::source_location at);

  const OpRegistry& registry_;
  const std::thread::id owner_;
  std::atomic<bool> foreign_call_{false};
  bool built_ = false;
  absl::Status status_;
  std::vector<std::unique_ptr<BuilderGraph>> graphs_;
  std::unique_ptr<BuilderState> state_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_GRAPH_BUILDER_H_
