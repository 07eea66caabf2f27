#include "tools/arrays/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "graph/base/near_names.h"
#include "graph/base/status_macros.h"
#include "tools/arrays/files.h"
#include "tools/arrays/npy.h"

namespace flowlatch {
namespace {

// Parts of a zip archive, by their signatures.
constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint32_t kDirectoryEnd = 0x06054b50;
constexpr uint32_t kDirectoryEnd64 = 0x06064b50;
constexpr uint32_t kLocator64 = 0x07064b50;
constexpr uint16_t kZip64Extra = 1;
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint64_t kMaxDeflateRatio = 1032;

constexpr std::string_view kBytes = ".bytes", kOffsets = ".offsets", kShape = ".shape";

absl::Status Malformed(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("npz file: ", std::string(what)));
}

// Reads little-endian integers, and says when there are not enough bytes.
class Cursor {
 public:
  Cursor(std::string_view bytes, uint64_t offset)
      : rest_(offset <= bytes.size() ? bytes.substr(offset) : std::string_view()) {}

  template <typename T>
  T Take() {
    T value = 0;
    const std::string_view raw = TakeBytes(sizeof value);
    if (ok_) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string_view TakeBytes(uint64_t n) {
    if (n > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }
  bool ok() const { return ok_; }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

template <typename T>
void Append(T value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The central directory, and how many entries it has.
struct Directory {
  uint64_t offset = 0;
  uint64_t entries = 0;
};

absl::StatusOr<Directory> FindDirectory(std::string_view bytes) {
  constexpr size_t kEndSize = 22, kMaxComment = 0xffff, kLocatorSize = 20;
  if (bytes.size() < kEndSize) return Malformed("expected a zip archive, got fewer bytes than the smallest has");
  const size_t first = bytes.size() - std::min(bytes.size(), kEndSize + kMaxComment);
  for (size_t at = bytes.size() - kEndSize + 1; at-- > first;) {
    Cursor end(bytes, at);
    if (end.Take<uint32_t>() != kDirectoryEnd) continue;
    end.TakeBytes(6);
    Directory directory;
    directory.entries = end.Take<uint16_t>();
    const uint32_t size = end.Take<uint32_t>();
    directory.offset = end.Take<uint32_t>();
    if (directory.entries != 0xffff && size != 0xffffffff && directory.offset != 0xffffffff) return directory;
    if (at < kLocatorSize) return directory;
    Cursor locator(bytes, at - kLocatorSize);
    if (locator.Take<uint32_t>() != kLocator64) return directory;
    locator.TakeBytes(4);
    Cursor end64(bytes, locator.Take<uint64_t>());
    if (end64.Take<uint32_t>() != kDirectoryEnd64)
      return Malformed("expected a zip64 directory where it is said to be");
    end64.TakeBytes(28);
    directory.entries = end64.Take<uint64_t>();
    end64.TakeBytes(8);
    directory.offset = end64.Take<uint64_t>();
    if (!end64.ok()) return Malformed("expected a whole zip64 directory, got a part of one");
    return directory;
  }
  return Malformed("expected a zip archive, got no directory of one");
}

absl::StatusOr<std::string> Inflate(std::string_view compressed, uint64_t size) {
  // An archive may promise any size; only what this many bytes can unfold to is believed.
  if (size > (compressed.size() + 1) * kMaxDeflateRatio) {
    return Malformed(absl::StrCat("expected at most ", kMaxDeflateRatio, " times the ", compressed.size(),
                                  " deflated bytes, got a size of ", size));
  }
  std::string out(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return absl::ResourceExhaustedError("inflate: no memory");
  const absl::Cleanup end = [&stream] { inflateEnd(&stream); };
  char nothing;  // zlib wants a place even for no bytes
  size_t in = 0, done = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    const size_t in_now = std::min<size_t>(compressed.size() - in, 1 << 30);
    const size_t out_now = std::min<size_t>(out.size() - done, 1 << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data() + in));
    stream.avail_in = static_cast<uInt>(in_now);
    stream.next_out = reinterpret_cast<Bytef*>(out_now > 0 ? out.data() + done : &nothing);
    stream.avail_out = static_cast<uInt>(out_now);
    result = inflate(&stream, Z_NO_FLUSH);
    in += in_now - stream.avail_in;
    done += out_now - stream.avail_out;
  }
  if (result != Z_STREAM_END || done != size) {
    return Malformed(absl::StrCat("expected ", size, " bytes of deflated data, got ",
                                  result == Z_STREAM_END ? absl::StrCat(done) : "data that do not unfold to them"));
  }
  return out;
}

uint32_t Crc32(std::string_view bytes) {
  return static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

absl::StatusOr<NpzReader> NpzReader::Open(const std::string& path) {
  ASSIGN_OR_RETURN(std::string bytes, ReadBytes(path));
  absl::StatusOr<NpzReader> reader = Parse(std::move(bytes));
  if (reader.ok()) return reader;
  return absl::Status(reader.status().code(), absl::StrCat("'", path, "': ", reader.status().message()));
}

absl::StatusOr<NpzReader> NpzReader::Parse(std::string bytes) {
  NpzReader reader;
  reader.bytes_ = std::move(bytes);
  RETURN_IF_ERROR(reader.ReadDirectory());
  return reader;
}

absl::Status NpzReader::ReadDirectory() {
  ASSIGN_OR_RETURN(const Directory directory, FindDirectory(bytes_));
  Cursor cursor(bytes_, directory.offset);
  // The count is only an upper bound: the bytes end the loop.
  for (uint64_t i = 0; i < directory.entries; ++i) {
    const uint32_t signature = cursor.Take<uint32_t>();
    cursor.TakeBytes(4);
    const uint16_t flags = cursor.Take<uint16_t>();
    Member member;
    member.method = cursor.Take<uint16_t>();
    cursor.TakeBytes(4);
    member.crc = cursor.Take<uint32_t>();
    member.compressed_size = cursor.Take<uint32_t>();
    member.size = cursor.Take<uint32_t>();
    const uint16_t name_size = cursor.Take<uint16_t>();
    const uint16_t extra_size = cursor.Take<uint16_t>();
    const uint16_t comment_size = cursor.Take<uint16_t>();
    cursor.TakeBytes(8);
    member.header_offset = cursor.Take<uint32_t>();
    std::string_view name = cursor.TakeBytes(name_size);
    Cursor extra(cursor.TakeBytes(extra_size), 0);
    cursor.TakeBytes(comment_size);
    if (!cursor.ok() || signature != kDirectoryEntry) {
      return Malformed(absl::StrCat("expected ", directory.entries, " entries in the directory, got ", i));
    }
    while (!extra.empty() && extra.ok()) {
      const uint16_t id = extra.Take<uint16_t>();
      Cursor field(extra.TakeBytes(extra.Take<uint16_t>()), 0);
      if (id != kZip64Extra) continue;
      for (uint64_t* value : {&member.size, &member.compressed_size, &member.header_offset}) {
        if (*value == 0xffffffff) *value = field.Take<uint64_t>();
      }
    }
    if (flags & 1) return Malformed(absl::StrCat("expected no encrypted members, got '", std::string(name), "'"));
    if (absl::EndsWith(absl::string_view(name.data(), name.size()), ".npy")) {
      name.remove_suffix(4);
      members_.insert_or_assign(std::string(name), member);
    }
  }
  return absl::OkStatus();
}

bool NpzReader::Contains(std::string_view name) const {
  return members_.contains(name) || members_.contains(absl::StrCat(std::string(name), std::string(kBytes)));
}

std::vector<std::string> NpzReader::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, member] : members_) {
    bool part = false;  // of a string array
    for (const std::string_view suffix : {kBytes, kOffsets, kShape}) {
      if (name.size() <= suffix.size() || std::string_view(name).substr(name.size() - suffix.size()) != suffix)
        continue;
      const std::string stem = name.substr(0, name.size() - suffix.size());
      part = members_.contains(stem + std::string(kBytes)) && members_.contains(stem + std::string(kOffsets)) &&
             members_.contains(stem + std::string(kShape));
      if (part && suffix == kBytes) names.push_back(stem);
    }
    if (!part) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::string> NpzReader::Unpack(const std::string& name, const Member& member) const {
  Cursor cursor(bytes_, member.header_offset);
  const uint32_t signature = cursor.Take<uint32_t>();
  cursor.TakeBytes(22);
  const uint16_t name_size = cursor.Take<uint16_t>();
  const uint16_t extra_size = cursor.Take<uint16_t>();
  cursor.TakeBytes(uint64_t{name_size} + extra_size);
  const std::string_view packed = cursor.TakeBytes(member.compressed_size);
  if (!cursor.ok() || signature != kLocalHeader) {
    return Malformed(absl::StrCat("expected member '", name, "' at byte ", member.header_offset, " and ",
                                  member.compressed_size, " bytes long, got something else"));
  }
  std::string data;
  if (member.method == kDeflated) {
    ASSIGN_OR_RETURN(data, Inflate(packed, member.size));
  } else if (member.method == kStored && member.size == member.compressed_size) {
    data = std::string(packed);
  } else {
    return Malformed(absl::StrCat("member '", name, "': expected it stored or deflated, got method ", member.method));
  }
  if (Crc32(data) != member.crc)
    return Malformed(absl::StrCat("member '", name, "': expected its checksum, got another"));
  return data;
}

absl::StatusOr<Tensor> NpzReader::ReadMember(const std::string& name) const {
  const auto at = members_.find(name);
  if (at == members_.end()) {
    NearNames near(name);
    for (const std::string& other : Names()) near.Consider(other);
    return absl::NotFoundError(absl::StrCat("npz file: no array '", name, "'", near.Hint()));
  }
  ASSIGN_OR_RETURN(const std::string data, Unpack(name, at->second));
  absl::StatusOr<Tensor> tensor = ParseNpy(data);
  if (tensor.ok()) return tensor;
  return absl::Status(tensor.status().code(), absl::StrCat("'", name, "': ", tensor.status().message()));
}

absl::StatusOr<Tensor> NpzReader::ReadStrings(const std::string& name) const {
  ASSIGN_OR_RETURN(const Tensor bytes, ReadMember(name + std::string(kBytes)));
  ASSIGN_OR_RETURN(const Tensor offsets, ReadMember(name + std::string(kOffsets)));
  ASSIGN_OR_RETURN(const Tensor dims, ReadMember(name + std::string(kShape)));
  if (bytes.dtype() != DType::kUInt8 || offsets.dtype() != DType::kInt64 || dims.dtype() != DType::kInt64) {
    return Malformed(
        absl::StrCat("strings '", name, "': expected uint8 bytes, int64 offsets and int64 shape, got other dtypes"));
  }
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(dims.values<int64_t>()));
  if (offsets.num_elements() - 1 != shape.num_elements()) {
    return Malformed(absl::StrCat("strings '", name, "' of shape ", shape.ToString(),
                                  ": expected one offset more, got ", offsets.num_elements()));
  }
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(DType::kString, shape));
  const int64_t* const offset = offsets.data<int64_t>();
  const char* const data = static_cast<const char*>(bytes.raw_data());
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    if (offset[i] < 0 || offset[i] > offset[i + 1] || offset[i + 1] > bytes.num_elements()) {
      return Malformed(absl::StrCat("strings '", name, "': expected rising offsets up to ", bytes.num_elements(),
                                    ", got ", offset[i], " and ", offset[i + 1]));
    }
    tensor.mutable_data<String>()[i] =
        std::string_view(data + offset[i], static_cast<size_t>(offset[i + 1] - offset[i]));
  }
  return tensor;
}

absl::StatusOr<Tensor> NpzReader::Read(std::string_view name) const {
  const std::string key(name);
  return members_.contains(key) || !Contains(key) ? ReadMember(key) : ReadStrings(key);
}

absl::StatusOr<Tensor> NpzReader::ReadAs(std::string_view name, DType dtype) const {
  ASSIGN_OR_RETURN(const Tensor tensor, Read(name));
  absl::StatusOr<Tensor> result = FromCarrier(tensor, dtype);
  if (result.ok()) return result;
  return absl::Status(result.status().code(), absl::StrCat("'", std::string(name), "': ", result.status().message()));
}

absl::Status NpzWriter::Add(const std::string& name, const Tensor& tensor) {
  if (tensor.dtype() != DType::kString) {
    ASSIGN_OR_RETURN(const std::string npy, FormatNpy(tensor));
    return AddMember(name, npy);
  }
  std::string all;
  std::vector<int64_t> offsets = {0};
  for (const String& s : tensor.values<String>()) {
    all.append(s.view());
    offsets.push_back(static_cast<int64_t>(all.size()));
  }
  const int64_t num_bytes = static_cast<int64_t>(all.size());
  ASSIGN_OR_RETURN(
      const Tensor bytes,
      Tensor::FromValues<uint8_t>(Shape::Of({num_bytes}), {reinterpret_cast<const uint8_t*>(all.data()), all.size()}));
  const std::pair<std::string_view, Tensor> parts[] = {
      {kBytes, bytes}, {kOffsets, Tensor::Vector<int64_t>(offsets)}, {kShape, Tensor::Vector<int64_t>(tensor.dims())}};
  for (const auto& [suffix, part] : parts) {
    ASSIGN_OR_RETURN(const std::string npy, FormatNpy(part));
    RETURN_IF_ERROR(AddMember(name + std::string(suffix), npy));
  }
  return absl::OkStatus();
}

absl::Status NpzWriter::AddMember(const std::string& name, std::string_view bytes) {
  const std::string file = name + ".npy";
  const uint32_t offset = static_cast<uint32_t>(out_.size());
  if (file.size() > 0xffff || out_.size() + bytes.size() + file.size() + directory_.size() > 0xfffffff0u ||
      names_.size() >= 0xfffe) {
    return absl::InvalidArgumentError("npz file: expected names up to 64 KiB and data up to 4 GiB, got more");
  }
  if (!names_.insert(file).second) {
    return absl::AlreadyExistsError(absl::StrCat("npz file: expected each name once, got '", name, "' again"));
  }
  // What both headers have, in this order: version needed, flags (UTF-8 names), method, time, date, crc, sizes,
  // lengths.
  std::string common;
  Append<uint16_t>(20, &common);
  Append<uint16_t>(0x800, &common);
  Append<uint16_t>(kStored, &common);
  Append<uint16_t>(0, &common);
  Append<uint16_t>(0x21, &common);  // 1980-01-01
  Append<uint32_t>(Crc32(bytes), &common);
  Append<uint32_t>(static_cast<uint32_t>(bytes.size()), &common);
  Append<uint32_t>(static_cast<uint32_t>(bytes.size()), &common);
  Append<uint16_t>(static_cast<uint16_t>(file.size()), &common);
  Append<uint16_t>(0, &common);
  Append(kLocalHeader, &out_);
  out_ += common;
  out_ += file;
  out_.append(bytes);

  Append(kDirectoryEntry, &directory_);
  Append<uint16_t>(20, &directory_);  // version made by
  directory_ += common;
  directory_.append(10, '\0');  // comment, disk, attributes
  Append(offset, &directory_);
  directory_ += file;
  return absl::OkStatus();
}

std::string NpzWriter::Finish() {
  const uint32_t offset = static_cast<uint32_t>(out_.size()), size = static_cast<uint32_t>(directory_.size());
  out_ += directory_;
  Append(kDirectoryEnd, &out_);
  Append<uint32_t>(0, &out_);  // disks
  Append(static_cast<uint16_t>(names_.size()), &out_);
  Append(static_cast<uint16_t>(names_.size()), &out_);
  Append(size, &out_);
  Append(offset, &out_);
  Append<uint16_t>(0, &out_);  // comment
  return std::move(out_);
}

}  // namespace flowlatch
