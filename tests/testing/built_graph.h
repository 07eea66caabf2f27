// BuiltGraph: a builder with every op, and sessions on copies of what it has built so far.
//
// With FLOWLATCH_EXPORT_DIR set, each graph that ran is written there with its feeds and results, and
// tools/tensorflow/check_export.py runs them in TensorFlow.
#ifndef FLOWLATCH_TESTS_TESTING_BUILT_GRAPH_H_
#define FLOWLATCH_TESTS_TESTING_BUILT_GRAPH_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph/build/graph_builder.h"
#include "runtime/session/session.h"

namespace flowlatch {

class BuiltGraph {
 public:
  BuiltGraph();
  GraphBuilder b;

  using OutputFeeds = std::vector<std::pair<Output, Tensor>>;
  // Runs the graph as it is, in a session of its own in which variables have their initial values. Gives the fetches as text, "; "
  // between them, or the error.
  std::string Run(const OutputFeeds& feeds, const Outputs& fetches);
  absl::StatusOr<std::vector<Tensor>> Values(const OutputFeeds& feeds, const Outputs& fetches);
  absl::StatusOr<std::unique_ptr<Session>> NewSession();
  // A resource variable; its handle.
  Output Variable(const std::string& name, const Tensor& initial);
  // A node that each new session runs first.
  void AddInitializer(const Operation& op) { initializers_.push_back(op.name()); }

 private:
  std::vector<std::string> initializers_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_TESTING_BUILT_GRAPH_H_
