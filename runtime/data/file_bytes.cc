#include "runtime/data/file_bytes.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

constexpr size_t kBufferBytes = 1 << 16;
constexpr size_t kPieceBytes = 1 << 20;

}  // namespace

class FileBytes::Inflater {
 public:
  ~Inflater() {
    if (started_) inflateEnd(&stream_);
  }
  absl::Status Start(Compression compression) {
    const int gzip = compression == Compression::kGzip ? 16 : 0;  // added to the bits of zlib's window
    if (inflateInit2(&stream_, MAX_WBITS + gzip) != Z_OK) return absl::ResourceExhaustedError("zlib: no memory");
    started_ = true;
    return absl::OkStatus();
  }
  absl::StatusOr<size_t> Read(FileBytes& bytes, char* out, size_t size) {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(size);
    while (stream_.avail_out > 0) {
      ASSIGN_OR_RETURN(const std::string_view available, bytes.Peek());
      if (available.empty()) {
        if (!member_ended_) return absl::DataLossError("compressed bytes: expected more of them, got the end of the file");
        break;
      }
      if (member_ended_) {  // another compressed file behind the first
        inflateReset(&stream_);
        member_ended_ = false;
      }
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(available.data()));
      stream_.avail_in = static_cast<uInt>(available.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      bytes.available_.remove_prefix(available.size() - stream_.avail_in);
      if (result == Z_STREAM_END) {
        member_ended_ = true;
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return absl::DataLossError(absl::StrCat("compressed bytes: expected them whole, got ",
                                                stream_.msg != nullptr ? stream_.msg : "an error of zlib"));
      }
    }
    return size - stream_.avail_out;
  }

 private:
  z_stream stream_ = {};
  bool started_ = false, member_ended_ = false;
};

FileBytes::FileBytes(std::unique_ptr<ReadableFile> file) : file_(std::move(file)) {}

FileBytes::~FileBytes() = default;

absl::StatusOr<std::unique_ptr<FileBytes>> FileBytes::Open(FileSystem& files, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<ReadableFile> file, files.Open(path));
  return std::unique_ptr<FileBytes>(new FileBytes(std::move(file)));
}

int64_t FileBytes::file_size() const { return file_->size(); }

absl::Status FileBytes::Fill() {
  const int64_t size = std::min<int64_t>(kBufferBytes, file_->size() - file_offset_);
  buffer_.resize(static_cast<size_t>(size));
  RETURN_IF_ERROR(file_->Read(file_offset_, size, buffer_.data()));
  file_offset_ += size;
  available_ = buffer_;
  return absl::OkStatus();
}

absl::StatusOr<std::string_view> FileBytes::Peek() {
  if (available_.empty()) RETURN_IF_ERROR(Fill());
  return available_;
}

absl::Status FileBytes::StartInflating(Compression compression) {
  inflater_ = std::make_unique<Inflater>();
  return inflater_->Start(compression);
}

absl::StatusOr<size_t> FileBytes::Copy(char* out, size_t size) {
  size_t done = 0;
  while (done < size) {
    ASSIGN_OR_RETURN(const std::string_view available, Peek());
    if (available.empty()) break;
    const size_t piece = std::min(size - done, available.size());
    std::memcpy(out + done, available.data(), piece);
    available_.remove_prefix(piece);
    done += piece;
  }
  return done;
}

absl::StatusOr<size_t> FileBytes::Read(char* out, size_t size) {
  return inflater_ != nullptr ? inflater_->Read(*this, out, size) : Copy(out, size);
}

absl::StatusOr<size_t> FileBytes::Append(size_t size, std::string* out) {
  size_t done = 0;
  while (done < size) {
    const size_t piece = std::min(kPieceBytes, size - done);
    out->resize(out->size() + piece);
    const absl::StatusOr<size_t> got = Read(out->data() + out->size() - piece, piece);
    out->resize(out->size() - piece + (got.ok() ? *got : 0));
    RETURN_IF_ERROR(got.status());
    done += *got;
    if (*got < piece) break;
  }
  return done;
}

absl::StatusOr<int64_t> FileBytes::Skip(int64_t size) {
  char passed[4096];
  int64_t done = 0;
  while (done < size) {
    const size_t piece = static_cast<size_t>(std::min<int64_t>(sizeof passed, size - done));
    ASSIGN_OR_RETURN(const size_t got, Read(passed, piece));
    done += static_cast<int64_t>(got);
    if (got < piece) break;
  }
  return done;
}

}  // namespace flowlatch
