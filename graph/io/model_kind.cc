#include "graph/io/model_kind.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "graph/io/proto_io.h"
#include "graph/ir/wire_reader.h"

namespace flowlatch {
namespace {

namespace fs = std::filesystem;

bool EndsWith(std::string_view s, std::string_view end) {
  return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}

// Control characters other than white space do not occur in text, and at once in encoded messages.
bool LooksLikeText(std::string_view content) {
  const std::string_view head = content.substr(0, 4096);
  return std::all_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\r' || c == '\t';
  });
}

// The first word that is in no comment.
std::string_view FirstWord(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else if (absl::ascii_isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else {
      break;
    }
  }
  const size_t begin = at;
  while (at < text.size() && (absl::ascii_isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_')) ++at;
  return text.substr(begin, at - begin);
}

std::optional<ModelKind> DetectText(std::string_view text) {
  static constexpr std::string_view kGraphFields[] = {"", "node", "library", "versions", "version", "debug_info"};
  static constexpr std::string_view kMetaGraphFields[] = {"meta_info_def",   "graph_def",     "saver_def",
                                                          "collection_def",  "signature_def", "asset_file_def",
                                                          "object_graph_def"};
  const std::string_view word = FirstWord(text);
  const auto is_one_of = [&](const auto& fields) {
    return std::find(std::begin(fields), std::end(fields), word) != std::end(fields);
  };
  if (is_one_of(kGraphFields)) return ModelKind::kGraphDefText;
  if (is_one_of(kMetaGraphFields)) return ModelKind::kMetaGraphText;
  return std::nullopt;
}

// Whether the first node has an op, which is printable.
bool LooksLikeGraphDef(std::string_view bytes) {
  WireReader graph(bytes);
  while (graph.NextField()) {
    if (!graph.IsBytes(1)) continue;
    WireReader node(graph.bytes());
    while (node.NextField()) {
      if (node.IsBytes(2)) {
        const std::string_view op = node.bytes();
        return !op.empty() && std::all_of(op.begin(), op.end(), [](char c) { return c > ' ' && c <= '~'; });
      }
    }
    return false;
  }
  return false;
}

bool LooksLikeMetaGraph(std::string_view bytes) {
  WireReader in(bytes);
  while (in.NextField()) {
    if (in.IsBytes(2)) return LooksLikeGraphDef(in.bytes());
  }
  return false;
}

}  // namespace

std::string_view ModelKindName(ModelKind kind) {
  switch (kind) {
    case ModelKind::kGraphDef:
      return "GraphDef";
    case ModelKind::kGraphDefText:
      return "text GraphDef";
    case ModelKind::kMetaGraph:
      return "MetaGraphDef";
    case ModelKind::kMetaGraphText:
      return "text MetaGraphDef";
    case ModelKind::kSavedModel:
      return "SavedModel";
    case ModelKind::kCheckpoint:
      return "checkpoint";
    case ModelKind::kEvents:
      return "event file";
  }
  return "unknown";
}

std::optional<ModelKind> DetectFileKind(std::string_view file_name, std::string_view content) {
  if (LooksLikeText(content)) return DetectText(content);
  // The first record of a log says "brain.Event:2".
  if (content.substr(0, 64).find("brain.Event:") != std::string_view::npos) return ModelKind::kEvents;
  if (EndsWith(file_name, ".meta")) return ModelKind::kMetaGraph;
  if (!LooksLikeGraphDef(content) && LooksLikeMetaGraph(content)) return ModelKind::kMetaGraph;
  WireReader in(content);
  while (in.NextField()) {
  }
  if (in.ok() || LooksLikeGraphDef(content)) return ModelKind::kGraphDef;
  return std::nullopt;
}

absl::StatusOr<ModelFile> OpenModelFile(const std::string& path) {
  std::error_code ignored;
  const auto exists = [&](const std::string& p) { return fs::exists(fs::path(p), ignored); };
  if (fs::is_directory(path, ignored)) {
    if (exists(path + "/saved_model.pb") || exists(path + "/saved_model.pbtxt"))
      return ModelFile{ModelKind::kSavedModel, ""};
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected a folder with saved_model.pb or saved_model.pbtxt",
        exists(path + "/checkpoint") ? ", got one of checkpoints: name one by its prefix" : ", got another"));
  }
  if (!exists(path)) {
    if (exists(path + ".index")) return ModelFile{ModelKind::kCheckpoint, ""};
    return absl::NotFoundError(absl::StrCat(path, ": no such file, folder or checkpoint"));
  }
  if (EndsWith(path, ".index") || path.find(".data-") != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a model, got a part of a checkpoint: name it by its prefix"));
  }
  ASSIGN_OR_RETURN(std::string content, ReadFile(path));
  if (const std::optional<ModelKind> kind = DetectFileKind(path, content)) return ModelFile{*kind, std::move(content)};
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": expected a GraphDef, MetaGraphDef, SavedModel, checkpoint or event file"));
}

}  // namespace flowlatch
