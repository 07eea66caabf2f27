#include "tests/testing/built_graph.h"

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "ops/default_ops.h"

namespace flowlatch {

BuiltGraph::BuiltGraph() : b(DefaultOps().registry()) {}

absl::StatusOr<std::unique_ptr<Session>> BuiltGraph::NewSession() {
  ASSIGN_OR_RETURN(Graph graph, b.Snapshot());
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::Create(std::move(graph), DefaultOps(), {.threads = 2}));
  for (const std::string& initializer : initializers_) RETURN_IF_ERROR(session->Run({}, {}, {initializer}).status());
  return session;
}

absl::StatusOr<std::vector<Tensor>> BuiltGraph::Values(const OutputFeeds& feeds, const Outputs& fetches) {
  Feeds named;
  for (const auto& [output, value] : feeds) named.emplace_back(output.name(), value);
  std::vector<std::string> names;
  for (const Output& fetch : fetches) names.push_back(fetch.name());
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, NewSession());
  return session->Run(named, names, {});
}

std::string BuiltGraph::Run(const OutputFeeds& feeds, const Outputs& fetches) {
  const absl::StatusOr<std::vector<Tensor>> values = Values(feeds, fetches);
  if (!values.ok()) return values.status().ToString();
  std::string text;
  for (const Tensor& value : *values) absl::StrAppend(&text, text.empty() ? "" : "; ", value.DebugString());
  return text;
}

Output BuiltGraph::Variable(const std::string& name, const Tensor& initial) {
  BuilderScope init = b.InitScope();
  const Output handle = b.Op("VarHandleOp", {}, {{"dtype", initial.dtype()}, {"shape", PartialShape(initial.shape())}, {"shared_name", name}}, name).output();
  initializers_.push_back(b.Op("AssignVariableOp", {handle, initial}, {}, name + "/init").name());
  return handle;
}

}  // namespace flowlatch
