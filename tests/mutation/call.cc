#include "tests/mutation/call.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "google/protobuf/text_format.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/tensor_proto.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npz.h"
#include "tools/corpus/case.h"

namespace flowlatch {
namespace {

// Turns a node into a constant of this value.
absl::Status MakeConst(const Tensor& value, NodeDef& node) {
  node.set_op("Const");
  node.clear_input();
  node.clear_attr();
  TensorProto* const proto = (*node.mutable_attr())["value"].mutable_tensor();
  RETURN_IF_ERROR(TensorToProto(value, proto));
  (*node.mutable_attr())["dtype"].set_type(proto->dtype());
  return absl::OkStatus();
}

void MoveToEnd(int index, GraphDef& graph) {
  for (int i = index; i + 1 < graph.node_size(); ++i) graph.mutable_node()->SwapElements(i, i + 1);
}

}  // namespace

absl::StatusOr<std::vector<Call>> ParseCalls(std::string_view text) {
  std::vector<Call> calls;
  std::map<std::string, int> seen;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    Call call;
    if (!google::protobuf::TextFormat::ParseFromString(std::string(line), &call.graph) || call.graph.node().empty()) {
      return absl::InvalidArgumentError(absl::StrCat("calls, line ", number, ": expected a GraphDef with nodes as text"));
    }
    const int nth = ++seen[call.target().op()];
    call.name = nth == 1 ? call.target().op() : absl::StrCat(call.target().op(), "/", nth);
    calls.push_back(std::move(call));
  }
  return calls;
}

absl::StatusOr<std::vector<Call>> ReadCalls(const std::string& folder) {
  std::error_code error;
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".pbtxt") paths.insert(entry.path().string());
  }
  if (error) return absl::NotFoundError(absl::StrCat("'", folder, "': ", error.message()));
  std::string text;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const std::string table, ReadBytes(path));
    text += table;
  }
  return ParseCalls(text);
}

absl::StatusOr<Call> CallFromCase(const std::string& folder) {
  ASSIGN_OR_RETURN(const Case c, LoadCase(folder));
  if (c.graph_kind != GraphKind::kGraphDef || c.steps.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("'", folder, "': expected one step of a GraphDef"));
  }
  Call call;
  ASSIGN_OR_RETURN(const std::string bytes, ReadBytes(absl::StrCat(folder, "/", c.graph)));
  if (!call.graph.ParseFromString(bytes)) return absl::InvalidArgumentError(absl::StrCat("'", folder, "': expected a GraphDef"));
  ASSIGN_OR_RETURN(const NpzReader arrays, NpzReader::Open(absl::StrCat(folder, "/data.npz")));
  for (const RecordedTensor& feed : c.steps[0].feeds) {
    if (!feed.key.has_value() || !feed.dtype.has_value()) continue;
    ASSIGN_OR_RETURN(const Tensor value, arrays.ReadAs(*feed.key, *feed.dtype));
    const std::string name = feed.name.substr(0, feed.name.find(':'));
    for (NodeDef& node : *call.graph.mutable_node()) {
      if (node.name() == name) RETURN_IF_ERROR(MakeConst(value, node));
    }
  }
  const std::string op = std::filesystem::path(folder).filename().string();
  for (int i = call.graph.node_size() - 1; i >= 0; --i) {
    if (call.graph.node(i).op() != op) continue;
    MoveToEnd(i, call.graph);
    call.name = absl::StrCat(op, "/case");
    return call;
  }
  return absl::InvalidArgumentError(absl::StrCat("'", folder, "': expected a node with op ", op));
}

}  // namespace flowlatch
