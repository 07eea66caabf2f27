#include "graph/io/proto_io.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/text_format.h"

namespace flowlatch {
namespace {

constexpr int kMaxDepth = 100;  // as in protobuf's binary format

class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (!text_.empty()) return;
    text_ = line < 0 ? message : absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const auto error = [&](int code) {
    const std::string text = absl::StrCat(path, ": ", std::strerror(code));
    if (code == ENOENT || code == ENOTDIR) return absl::NotFoundError(text);
    if (code == EACCES) return absl::PermissionDeniedError(text);
    return absl::UnavailableError(text);
  };
  std::error_code size_error;
  const uintmax_t size = std::filesystem::file_size(path, size_error);
  if (size_error) return error(size_error.value());
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (file == nullptr) return error(errno);
  std::string content(size, '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file.get()));
  if (std::ferror(file.get())) return error(errno);
  return content;
}

absl::Status ParseText(std::string_view text, google::protobuf::Message* message) {
  if (text.size() > std::numeric_limits<int>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("expected at most 2 GiB, got ", text.size(), " bytes"));
  }
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxDepth);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  if (parser.Parse(&stream, message)) return absl::OkStatus();
  return absl::InvalidArgumentError(error.text().empty() ? "expected protobuf's text format" : error.text());
}

absl::StatusOr<std::string> EncodeMessage(const google::protobuf::Message& message) {
  if (message.ByteSizeLong() > std::numeric_limits<int>::max()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("message: expected at most 2 GiB, got ", message.ByteSizeLong(), " bytes"));
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    if (!message.SerializeToCodedStream(&coded)) return absl::InternalError("message: cannot be encoded");
  }
  return bytes;
}

absl::StatusOr<std::string> MessageToText(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::Printer printer;
  if (!printer.PrintToString(message, &text)) return absl::ResourceExhaustedError("message: its text is too long");
  return text;
}

}  // namespace flowlatch
