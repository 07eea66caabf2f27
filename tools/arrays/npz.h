// NumPy's npz files: zip archives of npy files. What is read comes from files and is never trusted.
//
// Strings are three arrays, so that they keep their bytes: NAME.bytes (uint8), NAME.offsets (int64, n + 1 of them) and
// NAME.shape (int64). What NumPy has no dtype for is stored as integers (see CarrierOf in npy.h).
#ifndef FLOWLATCH_TOOLS_ARRAYS_NPZ_H_
#define FLOWLATCH_TOOLS_ARRAYS_NPZ_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// Stored and deflated members, zip64 too.
class NpzReader {
 public:
  NpzReader() = default;  // no arrays
  // Errors: those of ReadBytes; InvalidArgument for what is no zip archive.
  static absl::StatusOr<NpzReader> Open(const std::string& path);
  static absl::StatusOr<NpzReader> Parse(std::string bytes);

  // Names of all arrays, sorted; the three of a string array are one.
  std::vector<std::string> Names() const;
  bool Contains(std::string_view name) const;
  // Errors: NotFound with the nearest names; InvalidArgument for members and arrays that are not what they say.
  absl::StatusOr<Tensor> Read(std::string_view name) const;
  // Also turns carriers into `dtype`.
  absl::StatusOr<Tensor> ReadAs(std::string_view name, DType dtype) const;

 private:
  struct Member {
    uint16_t method = 0;
    uint32_t crc = 0;
    uint64_t compressed_size = 0;
    uint64_t size = 0;
    uint64_t header_offset = 0;
  };
  absl::Status ReadDirectory();
  absl::StatusOr<std::string> Unpack(const std::string& name, const Member& member) const;
  absl::StatusOr<Tensor> ReadMember(const std::string& name) const;
  absl::StatusOr<Tensor> ReadStrings(const std::string& name) const;

  std::string bytes_;
  std::map<std::string, Member, std::less<>> members_;  // by name, without ".npy"
};

// Collects arrays; members are stored, not deflated.
class NpzWriter {
 public:
  // Errors: those of FormatNpy; AlreadyExists for a taken name; InvalidArgument beyond 4 GiB.
  absl::Status Add(const std::string& name, const Tensor& tensor);
  // The bytes of the file. Nothing may be added afterwards.
  std::string Finish();

 private:
  absl::Status AddMember(const std::string& name, std::string_view bytes);

  std::set<std::string> names_;
  std::string out_;
  std::string directory_;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_ARRAYS_NPZ_H_
