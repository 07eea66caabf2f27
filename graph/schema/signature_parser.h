// Reads the one-line signatures of ops; their grammar is explained in tools/tensorflow/make_signatures.py.
#ifndef FLOWLATCH_GRAPH_SCHEMA_SIGNATURE_PARSER_H_
#define FLOWLATCH_GRAPH_SCHEMA_SIGNATURE_PARSER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/schema/op_schema.h"

namespace flowlatch {

// Recursive descent over one signature. Used by OpSchema::Parse.
class SignatureParser {
 public:
  explicit SignatureParser(std::string_view text) : text_(text) {}
  absl::StatusOr<OpSchema> Parse();

 private:
  // How a port was written; which attr kinds its names have is known only after the attrs.
  struct PortText {
    std::string name, count, type;
    bool is_ref = false;
  };

  absl::StatusOr<std::vector<PortText>> ParsePorts();
  absl::Status ParseAttrOrFlag(OpSchema& schema);
  absl::Status ParseAttr(OpSchema& schema, std::string name);
  absl::StatusOr<AttrSpec> ParseKind(std::string name);
  absl::Status ParseAllowed(AttrSpec& spec, std::string& element_kind);
  absl::StatusOr<Attr> ParseValue(const std::string& kind);
  absl::StatusOr<Attr> ParseTensor();  // tensor(uint8, [2], [255, 0]), integers only
  template <typename T>
  absl::StatusOr<Attr> ParseList(const std::string& element_kind);
  absl::Status ResolvePorts(const OpSchema& schema, const std::vector<PortText>& ports, std::vector<ArgSpec>& out) const;

  void SkipSpace();
  bool Consume(std::string_view token);
  absl::Status Expect(std::string_view token);
  std::string_view Word();                      // [A-Za-z0-9_]*
  absl::StatusOr<std::string> QuotedString();
  std::string_view NumberText();
  absl::Status Error(std::string_view expected) const;

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_SCHEMA_SIGNATURE_PARSER_H_
