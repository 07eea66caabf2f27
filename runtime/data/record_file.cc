#include "runtime/data/record_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/checkpoint/crc32c.h"

namespace flowlatch {
namespace {

constexpr size_t kHeaderBytes = 12;  // length and its checksum
constexpr size_t kCrcBytes = 4;
constexpr size_t kBufferBytes = 1 << 16;

template <typename T>
T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::string_view BytesOf(const auto& value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

bool IsHeader(std::string_view bytes) {
  return bytes.size() >= kHeaderBytes && UnmaskCrc(Load<uint32_t>(bytes.data() + 8)) == Crc32c(bytes.substr(0, 8));
}

// What the first bytes of a file say. A header with the right checksum is no compressed file but by the worst of luck.
Compression Recognize(std::string_view bytes) {
  if (bytes.size() < 2 || IsHeader(bytes)) return Compression::kNone;
  const auto a = static_cast<unsigned char>(bytes[0]), b = static_cast<unsigned char>(bytes[1]);
  if (a == 0x1f && b == 0x8b) return Compression::kGzip;
  return (a & 0x0f) == Z_DEFLATED && (a * 256 + b) % 31 == 0 ? Compression::kZlib : Compression::kNone;
}

constexpr int kGzipFormat = 16;  // added to the bits of zlib's window

}  // namespace

// ---- Reading

RecordReader::RecordReader(std::string path, std::unique_ptr<FileBytes> bytes, Compression compression, int64_t max_record_bytes)
    : path_(std::move(path)), bytes_(std::move(bytes)), compression_(compression), max_record_bytes_(max_record_bytes) {}

RecordReader::~RecordReader() = default;

absl::StatusOr<std::unique_ptr<RecordReader>> RecordReader::Open(FileSystem& files, const std::string& path, Options options) {
  ASSIGN_OR_RETURN(std::unique_ptr<FileBytes> bytes, FileBytes::Open(files, path));
  ASSIGN_OR_RETURN(const std::string_view first, bytes->Peek());
  const Compression compression = options.compression.value_or(Recognize(first));
  if (compression != Compression::kNone) RETURN_IF_ERROR(bytes->StartInflating(compression));
  std::unique_ptr<RecordReader> reader(new RecordReader(path, std::move(bytes), compression, options.max_record_bytes));
  ASSIGN_OR_RETURN(reader->offset_, reader->bytes_->Skip(options.first_offset));
  return reader;
}

absl::Status RecordReader::At(absl::StatusCode code, absl::string_view what) const {
  return absl::Status(code, absl::StrCat("record file '", path_, "', record at ", offset_, ": ", what));
}

absl::Status RecordReader::Fail(absl::StatusCode code, absl::string_view what) { return failure_ = At(code, what); }

absl::StatusOr<bool> RecordReader::Next(std::string* record) {
  RETURN_IF_ERROR(failure_);
  char header[kHeaderBytes];
  absl::StatusOr<size_t> got = bytes_->Read(header, kHeaderBytes);
  if (!got.ok()) return Fail(got.status().code(), got.status().message());
  if (*got == 0) return false;
  if (*got < kHeaderBytes) return Fail(absl::StatusCode::kDataLoss, absl::StrCat("expected a header of 12 bytes, got ", *got));
  if (!IsHeader({header, kHeaderBytes})) return Fail(absl::StatusCode::kDataLoss, "expected a length with the right checksum, got another");
  const uint64_t length = Load<uint64_t>(header);
  if (length > static_cast<uint64_t>(max_record_bytes_)) {
    return Fail(absl::StatusCode::kResourceExhausted, absl::StrCat("expected at most ", max_record_bytes_, " bytes, got ", length));
  }
  const size_t total = static_cast<size_t>(length) + kCrcBytes;
  std::string bytes;
  got = bytes_->Append(total, &bytes);
  if (!got.ok()) return Fail(got.status().code(), got.status().message());
  if (*got < total) {
    return Fail(absl::StatusCode::kDataLoss, absl::StrCat("expected ", length, " bytes and a checksum, got ", *got, " bytes"));
  }
  const uint32_t crc = UnmaskCrc(Load<uint32_t>(bytes.data() + length));
  bytes.resize(static_cast<size_t>(length));
  absl::Status status;
  if (crc != Crc32c(bytes)) status = At(absl::StatusCode::kDataLoss, absl::StrCat("expected ", length, " bytes with the right checksum, got another"));
  offset_ += static_cast<int64_t>(kHeaderBytes + total);
  RETURN_IF_ERROR(status);
  *record = std::move(bytes);
  return true;
}

// ---- Writing

class RecordWriter::Deflater {
 public:
  ~Deflater() { deflateEnd(&stream_); }
  absl::Status Start(Compression compression) {
    const int format = compression == Compression::kGzip ? kGzipFormat : 0;
    constexpr int kMemoryLevel = 8;  // zlib's default
    const int result = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + format, kMemoryLevel, Z_DEFAULT_STRATEGY);
    return result == Z_OK ? absl::OkStatus() : absl::ResourceExhaustedError("zlib: no memory");
  }
  // What `bytes` become goes to `file`, as far as `flush` demands it.
  absl::Status Write(std::string_view bytes, int flush, WritableFile& file) {
    char out[kBufferBytes];
    do {  // avail_in has 32 bits
      const std::string_view piece = bytes.substr(0, size_t{1} << 30);
      bytes.remove_prefix(piece.size());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream_.avail_in = static_cast<uInt>(piece.size());
      do {
        stream_.next_out = reinterpret_cast<Bytef*>(out);
        stream_.avail_out = sizeof out;
        deflate(&stream_, flush);
        RETURN_IF_ERROR(file.Append({out, sizeof out - stream_.avail_out}));
      } while (stream_.avail_out == 0);
    } while (!bytes.empty());
    return absl::OkStatus();
  }

 private:
  z_stream stream_ = {};
};

RecordWriter::RecordWriter(std::unique_ptr<WritableFile> file, std::unique_ptr<Deflater> deflater)
    : file_(std::move(file)), deflater_(std::move(deflater)) {}

RecordWriter::~RecordWriter() = default;

absl::StatusOr<std::unique_ptr<RecordWriter>> RecordWriter::Create(FileSystem& files, const std::string& path,
                                                                   Compression compression) {
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, files.Create(path));
  std::unique_ptr<Deflater> deflater;
  if (compression != Compression::kNone) {
    deflater = std::make_unique<Deflater>();
    RETURN_IF_ERROR(deflater->Start(compression));
  }
  return std::unique_ptr<RecordWriter>(new RecordWriter(std::move(file), std::move(deflater)));
}

absl::Status RecordWriter::Write(std::string_view bytes) {
  return deflater_ != nullptr ? deflater_->Write(bytes, Z_NO_FLUSH, *file_) : file_->Append(bytes);
}

absl::Status RecordWriter::Append(std::string_view record) {
  const uint64_t length = record.size();
  const uint32_t length_crc = MaskCrc(Crc32c(BytesOf(length))), crc = MaskCrc(Crc32c(record));
  RETURN_IF_ERROR(Write(absl::StrCat(std::string(BytesOf(length)), std::string(BytesOf(length_crc)))));
  RETURN_IF_ERROR(Write(record));
  return Write(BytesOf(crc));
}

absl::Status RecordWriter::Flush() {
  if (deflater_ != nullptr) RETURN_IF_ERROR(deflater_->Write("", Z_SYNC_FLUSH, *file_));
  return file_->Flush();
}

absl::Status RecordWriter::Close() {
  if (file_ == nullptr) return absl::OkStatus();
  const std::unique_ptr<WritableFile> file = std::move(file_);
  if (deflater_ != nullptr) RETURN_IF_ERROR(deflater_->Write("", Z_FINISH, *file));
  return file->Close();
}

}  // namespace flowlatch
