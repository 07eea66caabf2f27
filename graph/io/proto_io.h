// Files, and messages as bytes and as text, for the readers and writers of this folder.
#ifndef FLOWLATCH_GRAPH_IO_PROTO_IO_H_
#define FLOWLATCH_GRAPH_IO_PROTO_IO_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"

namespace flowlatch {

// Errors: NotFound, PermissionDenied or Unavailable with the path.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Reads protobuf's text format. Nesting is limited. Errors: InvalidArgument with line and column (from 1).
absl::Status ParseText(std::string_view text, google::protobuf::Message* message);

// Map entries are written in order, so equal messages give equal bytes and texts.
// Errors: ResourceExhausted for a message of more than 2 GiB.
absl::StatusOr<std::string> EncodeMessage(const google::protobuf::Message& message);
absl::StatusOr<std::string> MessageToText(const google::protobuf::Message& message);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_IO_PROTO_IO_H_
