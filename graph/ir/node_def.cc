#include "graph/ir/node_def.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/node_def.pb.h"
#include "graph/base/status_macros.h"
#include "graph/ir/wire_reader.h"
#include "graph/schema/attr_proto.h"

namespace flowlatch {
namespace {

absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }

// Attributes of more bytes, such as weights, are hardly ever there twice.
constexpr size_t kMaxSharedAttrBytes = 4096;

constexpr std::array<bool, 256> kNameCharacters = [] {
  std::array<bool, 256> ok{};
  for (char c = 'a'; c <= 'z'; ++c) ok[c] = true;
  for (char c = 'A'; c <= 'Z'; ++c) ok[c] = true;
  for (char c = '0'; c <= '9'; ++c) ok[c] = true;
  for (char c : {'_', '.', '/', '>', '-'}) ok[c] = true;
  return ok;
}();

bool IsPrintable(std::string_view s) {
  return std::all_of(s.begin(), s.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

absl::Status NodeDefs::Add(std::string_view bytes) {
  NodeView node;
  node.first_input = static_cast<uint32_t>(inputs_.size());
  std::string* gathered = nullptr;
  WireReader in(bytes);
  while (in.NextField()) {
    if (in.IsBytes(1)) {
      node.name = in.bytes();
    } else if (in.IsBytes(2)) {
      node.op = in.bytes();
    } else if (in.IsBytes(3)) {
      inputs_.push_back(in.bytes());
    } else if (in.IsBytes(4)) {
      node.device = in.bytes();
    } else if (in.IsBytes(5)) {
      const std::string_view attr = in.whole();
      if (gathered != nullptr) {
        gathered->append(attr);
        node.attrs = *gathered;
      } else if (node.attrs.empty()) {
        node.attrs = attr;
      } else if (node.attrs.data() + node.attrs.size() == attr.data()) {
        node.attrs = {node.attrs.data(), node.attrs.size() + attr.size()};
      } else {
        gathered = &gathered_.emplace_back(node.attrs);
        gathered->append(attr);
        node.attrs = *gathered;
      }
    }
  }
  node.num_inputs = static_cast<uint32_t>(inputs_.size()) - node.first_input;
  nodes_.push_back(node);
  if (!in.ok()) return absl::InvalidArgumentError("expected an encoded NodeDef");
  if (!IsPrintable(node.op) || !IsPrintable(node.device)) {
    return absl::InvalidArgumentError("expected printable characters in op and device");
  }
  return absl::OkStatus();
}

const OpSchema* NodeAdder::FindSchema(std::string_view op) {
  const auto [at, inserted] = schemas_.try_emplace(op, nullptr);
  if (inserted) {
    at->second = graph_->registry().Find(op);
    if (at->second == nullptr) at->second = graph_->library().FindSchema(op);
  }
  return at->second;
}

absl::StatusOr<AttrMap> NodeAdder::ParseAttrs(const OpSchema* schema, std::string_view bytes) const {
  NodeDef proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::InvalidArgumentError("expected encoded attributes");
  }
  ASSIGN_OR_RETURN(AttrMap attrs, AttrsFromProto(proto.attr(), schema));
  if (rewrite_ == nullptr) return attrs;
  return rewrite_(*schema, std::move(attrs));
}

absl::StatusOr<NodeAdder::Found> NodeAdder::Attrs(const OpSchema* schema, std::string_view bytes) {
  if (bytes.size() > kMaxSharedAttrBytes) {
    ASSIGN_OR_RETURN(AttrMap attrs, ParseAttrs(schema, bytes));
    return Found{std::move(attrs), true};
  }
  const auto at = attrs_.find(Key{schema, bytes});
  if (at != attrs_.end()) return Found{at->second, false};
  ASSIGN_OR_RETURN(Found found, SortedAttrs(schema, bytes));
  attrs_.emplace(Key{schema, bytes}, found.attrs);
  return found;
}

// Maps have no order in a file, so equal sets may differ in bytes.
absl::StatusOr<NodeAdder::Found> NodeAdder::SortedAttrs(const OpSchema* schema, std::string_view bytes) {
  std::vector<std::string_view> fields;
  WireReader in(bytes);
  while (in.NextField()) fields.push_back(in.whole());
  if (fields.size() <= 1) {
    ASSIGN_OR_RETURN(AttrMap attrs, ParseAttrs(schema, bytes));
    return Found{std::move(attrs), true};
  }
  // Of equal names the last one counts, so parse what the file has, not the sorted bytes.
  std::vector<std::string_view> sorted = fields;
  std::sort(sorted.begin(), sorted.end());
  std::pair<const OpSchema*, std::string> key(schema, "");
  for (std::string_view field : sorted) key.second.append(field);
  const auto at = sorted_.find(key);
  if (at != sorted_.end()) return Found{at->second, false};
  ASSIGN_OR_RETURN(AttrMap attrs, ParseAttrs(schema, bytes));
  if (attrs.entries().size() == fields.size()) sorted_.emplace(std::move(key), attrs);
  return Found{std::move(attrs), true};
}

absl::StatusOr<NodeId> NodeAdder::Add(const NodeView& node, const OpSchema* schema) {
  if (node.name.empty()) return absl::InvalidArgumentError("expected a name, got none");
  ASSIGN_OR_RETURN(Found found, Attrs(schema, node.attrs));
  absl::StatusOr<NodeId> id = graph_->AddNode(node.name, schema, found.attrs, node.device);
  if (!id.ok()) {
    // A name that is taken is the file's fault.
    return absl::IsAlreadyExists(id.status()) ? absl::InvalidArgumentError(id.status().message()) : id.status();
  }
  if (found.is_new) distinct_.push_back({schema, std::move(found.attrs), *id});
  return id;
}

absl::Status CheckNodeName(std::string_view name, bool strict) {
  const auto is_name_character = [](char c) { return kNameCharacters[static_cast<unsigned char>(c)]; };
  const std::string_view bad_first = strict ? "_/>-" : "/>-";
  if (!name.empty() && bad_first.find(name[0]) == std::string_view::npos &&
      std::all_of(name.begin(), name.end(), is_name_character)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("name: expected [A-Za-z0-9.][A-Za-z0-9_.>/-]*, got '", absl::CHexEscape(Absl(name)), "'"));
}

absl::Status AnnotateNode(const absl::Status& status, size_t index, const NodeView& node) {
  return absl::Status(status.code(), absl::StrCat("node ", index, " '", absl::CHexEscape(Absl(node.name)), "' (",
                                                  absl::CHexEscape(Absl(node.op)), "): ", status.message()));
}

InputName ParseInputName(std::string_view text) {
  if (!text.empty() && text[0] == '^') return {text.substr(1), -1};
  // Digits after the last colon; at most nine of them fit any port.
  size_t colon = text.size();
  int32_t index = 0, unit = 1;
  while (colon > 0 && text[colon - 1] >= '0' && text[colon - 1] <= '9' && text.size() - colon < 9) {
    index += unit * (text[--colon] - '0');
    unit *= 10;
  }
  if (colon == text.size() || colon < 2 || text[colon - 1] != ':') return {text, 0};
  return {text.substr(0, colon - 1), index};
}

}  // namespace flowlatch
