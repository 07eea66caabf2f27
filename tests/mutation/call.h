// Call: a small graph whose last node is a valid use of one op. What the mutation engine starts from.
#ifndef FLOWLATCH_TESTS_MUTATION_CALL_H_
#define FLOWLATCH_TESTS_MUTATION_CALL_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "flowlatch/proto/graph.pb.h"

namespace flowlatch {

// Values are Const nodes; nodes before the last make what a value cannot be: handles, references, variants.
struct Call {
  std::string name;  // the op, or "op/n" for the n-th call of one op
  GraphDef graph;
  const NodeDef& target() const { return graph.node(graph.node_size() - 1); }
  NodeDef& target() { return *graph.mutable_node(graph.node_size() - 1); }
};

// A table has one GraphDef in protobuf's text format on each line; empty lines and lines that begin with # are skipped.
// Errors: InvalidArgument naming the line.
absl::StatusOr<std::vector<Call>> ParseCalls(std::string_view text);

// Those of all tables, files named *.pbtxt, of a folder. Errors: those of reading it, and of ParseCalls.
absl::StatusOr<std::vector<Call>> ReadCalls(const std::string& folder);

// The case of a corpus in `folder`, which has the name of its op, with the values that it feeds as Const nodes. Errors: those of reading it; InvalidArgument for a case that is no single step of a GraphDef.
absl::StatusOr<Call> CallFromCase(const std::string& folder);

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_MUTATION_CALL_H_
