// GraphVariable: a variable of a graph that is being built. GraphBuilder::Variable makes one, in init_scope.
//
//   GraphVariable w = b.Variable("w", GlorotUniform({64, 10}));
//   Output y = ops::MatMul(b, x, w);                             // reads it, here
//   Operation step = w.AssignSub(dw * 0.1f);
//   VariablesInitializer(b, b.variables());                      // "init": run it once in a session
//
// Nodes of a variable w: w itself, w/Assign (its initializer), w/Read/ReadVariableOp or w/read (its value, for fetches), and its
// initial value in w/Initializer.
//
// A use as an Output or Input is a read. Of a resource variable it is a new read, at that place in the graph: under the control
// dependencies in force, and inside of the branch or loop. Of a reference variable it is the one node w/read that was made with the
// variable, which waits for nothing; value_now reads anew.
#ifndef FLOWLATCH_GRAPH_BUILD_VARIABLE_H_
#define FLOWLATCH_GRAPH_BUILD_VARIABLE_H_

#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "graph/build/initializer.h"

namespace flowlatch {

// Which part of a larger variable one is.
struct VariablePart {
  std::string whole;  // its name
  std::vector<int64_t> whole_dims, begin, size;
};

struct VariableOptions {
  bool trainable = true;  // optimizers change it unless they are given a list of their own
  bool use_ref = false;   // a reference variable (VariableV2), as TensorFlow 1 made them; else a resource variable
  // What values it may have; with unknown dimensions their sizes may change. Default: the initial value's shape.
  std::optional<PartialShape> shape = {};
  std::string shared_name = {};  // what it is called among variables; default: the name of its node
  std::string container = {};
  std::vector<std::string> collections = {"variables"};  // besides trainable_variables, if it is trainable
  std::optional<VariablePart> part = {};                 // what checkpoints call it
};

// A plain value. An empty one does nothing, and whatever it gives is empty.
class GraphVariable {
 public:
  GraphVariable() = default;
  // One that the graph has already (imported, or made by ops): the resource handle, or the reference. It is in no collection and
  // has no initial value. Errors (of the builder): InvalidArgument for another output, or a resource of unknown dtype.
  static GraphVariable Of(const Output& handle, bool trainable = true, std::source_location at = std::source_location::current());

  explicit operator bool() const { return info_ != nullptr; }
  const std::string& name() const { return info().name; }
  DType dtype() const { return info().dtype; }
  const PartialShape& shape() const { return info().shape; }
  bool trainable() const { return info().trainable; }
  bool is_ref() const { return info().is_ref; }
  const std::vector<std::string>& collections() const { return info().collections; }
  const std::optional<VariablePart>& part() const { return info().part; }
  GraphBuilder* builder() const { return info().handle.builder(); }
  // The resource handle, or the reference: what gradients are taken with respect to.
  const Output& handle() const { return info().handle; }
  const Output& initial_value() const { return info().initial_value; }
  const Operation& initializer() const { return info().initializer; }
  // The read that was made with the variable: to fetch it by name.
  const Output& snapshot() const { return info().snapshot; }

  Output value(std::source_location at = std::source_location::current()) const;
  // A read of its own, at this place in the graph, whatever kind the variable is.
  Output value_now(std::source_location at = std::source_location::current()) const;
  operator Output() const { return value(); }  // NOLINT
  operator Input() const { return value(); }   // NOLINT
  // Some rows; the gradient is of these alone.
  Output Gather(const Input& indices, std::source_location at = std::source_location::current()) const;
  // bool scalar.
  Output IsInitialized(std::source_location at = std::source_location::current()) const;
  // The value if there is one, else the initial value: for initial values that need another variable's.
  Output InitializedValue(std::source_location at = std::source_location::current()) const;

  // Updates, here; what must come before or after says so by control dependencies. Of reference variables, use_locking makes
  // updates exclude each other; those of resource variables always do.
  Operation Assign(const Input& value, bool use_locking = false, std::source_location at = std::source_location::current()) const;
  Operation AssignAdd(const Input& delta, bool use_locking = false, std::source_location at = std::source_location::current()) const;
  Operation AssignSub(const Input& delta, bool use_locking = false, std::source_location at = std::source_location::current()) const;
  // Row indices[i] op= rows[i], for op "Add", "Sub", "Update", ...
  Operation Scatter(std::string_view op, const Input& indices, const Input& rows, bool use_locking = false,
                    std::source_location at = std::source_location::current()) const;

  bool operator==(const GraphVariable& o) const { return handle() == o.handle(); }

 private:
  friend class GraphBuilder;
  struct Info {
    std::string name;
    DType dtype = DType::kInvalid;
    PartialShape shape;
    bool trainable = false, is_ref = false, may_change_shape = false;
    std::vector<std::string> collections;
    std::optional<VariablePart> part;
    Output handle, initial_value, snapshot;
    Operation initializer;
  };
  const Info& info() const;
  Operation Update(std::string_view ref_op, std::string_view resource_op, const Input& value, bool use_locking, std::source_location at) const;

  std::shared_ptr<const Info> info_;
};

inline Output operator+(const GraphVariable& x, const Operand& y) { return x.value(y.at) + y; }
inline Output operator-(const GraphVariable& x, const Operand& y) { return x.value(y.at) - y; }
inline Output operator*(const GraphVariable& x, const Operand& y) { return x.value(y.at) * y; }
inline Output operator/(const GraphVariable& x, const Operand& y) { return x.value(y.at) / y; }

// The variables that optimizers change if they are not told otherwise.
std::vector<GraphVariable> TrainableVariables(const GraphBuilder& b);
// Runs the initializers of all of them. Initial values that need other variables must take their InitializedValue.
Operation VariablesInitializer(GraphBuilder& b, const std::vector<GraphVariable>& variables, std::string_view name = "init",
                               std::source_location at = std::source_location::current());
// Gradients with respect to variables: to all reads of them.
std::vector<Grad> Gradients(GraphBuilder& b, const Outputs& ys, const std::vector<GraphVariable>& xs, const GradientOptions& options = {},
                            std::source_location at = std::source_location::current());
inline std::vector<Grad> Gradients(GraphBuilder& b, const Outputs& ys, std::initializer_list<GraphVariable> xs, const GradientOptions& options = {},
                                   std::source_location at = std::source_location::current()) {
  return Gradients(b, ys, std::vector<GraphVariable>(xs), options, at);
}

// One large variable in parts, name/part_0, name/part_1, ..., which checkpoints hold as one.
class PartitionedVariable {
 public:
  PartitionedVariable() = default;
  // `num_parts` along `axis`, the first ones larger where it does not divide. Errors (of the builder): InvalidArgument for an axis
  // or number that the shape does not have, or an initial value of unknown shape; those of GraphBuilder::Variable.
  static PartitionedVariable Make(GraphBuilder& b, std::string_view name, const Initializer& initial, int num_parts, int axis = 0,
                                  const VariableOptions& options = {}, std::source_location at = std::source_location::current());

  const std::string& name() const { return name_; }
  int axis() const { return axis_; }
  const std::vector<GraphVariable>& parts() const { return parts_; }
  // All parts, read and joined.
  Output value(std::source_location at = std::source_location::current()) const;
  operator Output() const { return value(); }  // NOLINT
  operator Input() const { return value(); }   // NOLINT
  // Waits for the updates of all parts.
  Operation Assign(const Input& value, bool use_locking = false, std::source_location at = std::source_location::current()) const;

 private:
  std::string name_;
  int axis_ = 0;
  std::vector<GraphVariable> parts_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_VARIABLE_H_
