#include "tests/testing/built_graph.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/io/graph_def.h"
#include "ops/default_ops.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npz.h"

namespace flowlatch {
namespace {

// Writes SUITE.TEST.NUMBER.pb, the graph, and an npz of the same name into the folder of FLOWLATCH_EXPORT_DIR: the nodes that
// initialise variables ("initializers", in order), "feed/x:0", and what came out, "fetch/y:0".
absl::Status Export(const char* folder, const Graph& graph, const std::vector<std::string>& initializers, const Feeds& feeds,
                    const std::vector<std::string>& fetches, const std::vector<Tensor>& values) {
  static int number = 0;
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::string path = absl::StrCat(folder, "/", test->test_suite_name(), ".", test->name(), ".", number++);
  NpzWriter arrays;
  RETURN_IF_ERROR(arrays.Add("initializers", Tensor::Vector<String>(std::vector<String>(initializers.begin(), initializers.end()))));
  for (const auto& [name, value] : feeds) RETURN_IF_ERROR(arrays.Add(absl::StrCat("feed/", name), value));
  for (size_t i = 0; i < fetches.size(); ++i) {
    const absl::Status added = arrays.Add(absl::StrCat("fetch/", fetches[i]), values[i]);
    if (!absl::IsAlreadyExists(added)) RETURN_IF_ERROR(added);
  }
  ASSIGN_OR_RETURN(const std::string bytes, WriteGraphDef(graph));
  RETURN_IF_ERROR(WriteBytes(path + ".pb", bytes));
  return WriteBytes(path + ".npz", arrays.Finish());
}

}  // namespace

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
  ASSIGN_OR_RETURN(std::vector<Tensor> values, session->Run(named, names, {}));
  if (const char* folder = std::getenv("FLOWLATCH_EXPORT_DIR"); folder != nullptr) {
    RETURN_IF_ERROR(Export(folder, session->graph(), initializers_, named, names, values));
  }
  return values;
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
  AddInitializer(b.Op("AssignVariableOp", {handle, initial}, {}, name + "/init"));
  return handle;
}

}  // namespace flowlatch
