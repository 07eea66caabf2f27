// Optimizers: nodes that change variables along gradients of a loss.
//
//   Optimizer adam = AdamOptimizer({.learning_rate = 1e-3f, .use_locking = true});
//   Operation train = adam.Minimize(b, loss);                    // one step, each time that it runs
//
// Slots (moments and other values beside each variable) and what else an optimizer keeps are variables of the graph: they are made
// in init_scope, named as TensorFlow names them ("w/Adam", "w/Adam_1", "beta1_power"), not trainable, and of the kind of their
// variable. VariablesInitializer(b, b.variables()) after Minimize covers them.
//
// A gradient of some rows only (IndexedSlices) has its duplicate rows added up and then changes those rows alone. But sparse steps
// of Adam move all rows, as TensorFlow's do; AMSGrad, AddSign and PowerSign take all rows into the step too.
//
// use_locking makes the steps of several threads on one reference variable exclude each other, and sparse steps on one resource
// variable too; dense steps on those always do.
#ifndef FLOWLATCH_GRAPH_TRAIN_OPTIMIZER_H_
#define FLOWLATCH_GRAPH_TRAIN_OPTIMIZER_H_

#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "graph/build/gradients.h"
#include "graph/build/graph_builder.h"
#include "graph/build/variable.h"

namespace flowlatch {

struct OptimizerRule;  // graph/train/optimizer_rule.h

// The gradient of a loss with respect to one variable.
struct VariableGradient {
  Grad gradient;
  GraphVariable variable;
};

struct MinimizeOptions {
  std::vector<GraphVariable> variables = {};  // which may change; empty: TrainableVariables
  GraphVariable global_step = {};             // an integer that each step increases by one; empty: none
  // When gradients may be used: as soon as each is there, when those of one op all are, or when all are.
  enum class Gate { kNone, kOp, kGraph } gate = Gate::kOp;
  GradientOptions::Aggregation aggregation = GradientOptions::Aggregation::kAddN;
  bool colocate = false;        // gradients with their ops
  Output grad_loss = {};        // the gradient of the loss itself; empty: ones
  Outputs stop_gradients = {};  // nothing flows past the nodes of these
  std::string name = {};        // of the step; "": the optimizer's
};

// An optimizer of one builder's graph. It may make several steps, which share its slots.
class Optimizer {
 public:
  explicit Optimizer(OptimizerRule rule);
  Optimizer(Optimizer&&) noexcept;
  Optimizer& operator=(Optimizer&&) noexcept;
  ~Optimizer();

  // ComputeGradients and ApplyGradients: a step that lessens `loss`, a float tensor. Errors (of the builder): InvalidArgument if
  // there are no variables, no gradient of any (saying why), or a variable that is no float.
  Operation Minimize(GraphBuilder& b, const Output& loss, const MinimizeOptions& options = {},
                     std::source_location at = std::source_location::current());
  // Gradients may be changed before they are applied: clipped, or added to.
  std::vector<VariableGradient> ComputeGradients(GraphBuilder& b, const Output& loss, const MinimizeOptions& options = {},
                                                 std::source_location at = std::source_location::current());
  // Of `options`: global_step and name. Variables without gradient stay as they are and get no slots. The operation has the name
  // of the step, as the increase of global_step if there is one.
  Operation ApplyGradients(GraphBuilder& b, const std::vector<VariableGradient>& gradients, const MinimizeOptions& options = {},
                           std::source_location at = std::source_location::current());

  // "m" and "v" of Adam: what slot() knows.
  std::vector<std::string> slot_names() const;
  // What the optimizer keeps for a variable; empty if it keeps none.
  GraphVariable slot(const GraphVariable& variable, std::string_view name) const;
  // All that it keeps, in the order in which it was made.
  const std::vector<GraphVariable>& variables() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// --- The optimizers. Numbers may also be float scalars of the graph, such as a learning rate that falls (schedules.h) ----------------

struct GradientDescentOptions {
  Input learning_rate = 0.01f;
  bool use_locking = false;
  std::string name = "GradientDescent";
};
Optimizer GradientDescentOptimizer(const GradientDescentOptions& options);

struct MomentumOptions {
  Input learning_rate = 0.01f;
  Input momentum = 0.9f;
  bool use_nesterov = false;
  bool use_locking = false;
  std::string name = "Momentum";
};
Optimizer MomentumOptimizer(const MomentumOptions& options);

struct AdamOptions {
  Input learning_rate = 0.001f;
  Input beta1 = 0.9f;
  Input beta2 = 0.999f;
  Input epsilon = 1e-8f;
  bool use_locking = false;
  std::string name = "Adam";
};
Optimizer AdamOptimizer(const AdamOptions& options = {});

// As Adam, with the largest second moment so far. Resource variables only.
struct AmsGradOptions {
  Input learning_rate = 0.001f;
  Input beta1 = 0.9f;
  Input beta2 = 0.999f;
  Input epsilon = 1e-8f;
  bool use_locking = false;
  std::string name = "AMSGrad";
};
Optimizer AmsGradOptimizer(const AmsGradOptions& options = {});

struct AdaMaxOptions {
  Input learning_rate = 0.001f;
  Input beta1 = 0.9f;
  Input beta2 = 0.999f;
  Input epsilon = 1e-8f;
  bool use_locking = false;
  std::string name = "AdaMax";
};
Optimizer AdaMaxOptimizer(const AdaMaxOptions& options = {});

struct RmsPropOptions {
  Input learning_rate = 0.001f;
  Input decay = 0.9f;
  Input momentum = 0.0f;
  Input epsilon = 1e-10f;
  bool centered = false;  // by the variance of the gradient
  bool use_locking = false;
  std::string name = "RMSProp";
};
Optimizer RmsPropOptimizer(const RmsPropOptions& options);

struct AdagradOptions {
  Input learning_rate = 0.01f;
  double initial_accumulator = 0.1;  // above 0
  bool use_locking = false;
  std::string name = "Adagrad";
};
Optimizer AdagradOptimizer(const AdagradOptions& options);

struct AdagradDaOptions {
  Input learning_rate = 0.01f;
  GraphVariable global_step = {};            // of the graph, int64; it must be given
  double initial_squared_accumulator = 0.1;  // above 0
  Input l1 = 0.0f;
  Input l2 = 0.0f;
  bool use_locking = false;
  std::string name = "AdagradDA";
};
Optimizer AdagradDaOptimizer(const AdagradDaOptions& options);

struct AdadeltaOptions {
  Input learning_rate = 0.001f;
  Input rho = 0.95f;
  Input epsilon = 1e-8f;
  bool use_locking = false;
  std::string name = "Adadelta";
};
Optimizer AdadeltaOptimizer(const AdadeltaOptions& options = {});

struct FtrlOptions {
  Input learning_rate = 0.01f;
  Input learning_rate_power = -0.5f;
  double initial_accumulator = 0.1;  // 0 or more
  Input l1 = 0.0f;
  Input l2 = 0.0f;
  std::optional<Input> l2_shrinkage = {};  // a penalty on the gradient's side
  std::string accum_name = {};             // of slots; "": the optimizer's name
  std::string linear_name = {};
  bool use_locking = false;
  std::string name = "Ftrl";
};
Optimizer FtrlOptimizer(const FtrlOptions& options);

struct ProximalGradientDescentOptions {
  Input learning_rate = 0.01f;
  Input l1 = 0.0f;
  Input l2 = 0.0f;
  bool use_locking = false;
  std::string name = "ProximalGradientDescent";
};
Optimizer ProximalGradientDescentOptimizer(const ProximalGradientDescentOptions& options);

struct ProximalAdagradOptions {
  Input learning_rate = 0.01f;
  double initial_accumulator = 0.1;  // above 0
  Input l1 = 0.0f;
  Input l2 = 0.0f;
  bool use_locking = false;
  std::string name = "ProximalAdagrad";
};
Optimizer ProximalAdagradOptimizer(const ProximalAdagradOptions& options);

// Steps are larger where the gradient has the sign of its running average.
struct AddSignOptions {
  Input learning_rate = 0.1f;
  Input alpha = 1.0f;
  Input beta = 0.9f;  // of the running average
  Input sign_decay = 1.0f;
  bool use_locking = false;
  std::string name = "AddSign";
};
Optimizer AddSignOptimizer(const AddSignOptions& options = {});

struct PowerSignOptions {
  Input learning_rate = 0.1f;
  double base = 2.718281828459045;
  Input beta = 0.9f;
  Input sign_decay = 1.0f;
  bool use_locking = false;
  std::string name = "PowerSign";
};
Optimizer PowerSignOptimizer(const PowerSignOptions& options = {});

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TRAIN_OPTIMIZER_H_
