// Any bytes as a record file, compressed or not: records and errors, and always an end.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "runtime/data/record_file.h"

namespace flowlatch {
namespace {

// Reads what can be read. An error from which there is a way on leads to a later offset; one without stays.
void ReadAll(const std::string& path) {
  const auto reader = RecordReader::Open(FileSystem::Default(), path, {.max_record_bytes = 1 << 20});
  if (!reader.ok()) return;
  std::string record;
  while (true) {
    const int64_t before = (*reader)->offset();
    const absl::StatusOr<bool> more = (*reader)->Next(&record);
    if (more.ok() ? !*more : (*reader)->offset() == before) break;
    if ((*reader)->offset() <= before) std::abort();
  }
  if (const absl::StatusOr<bool> again = (*reader)->Next(&record); again.ok() && *again) std::abort();
}

}  // namespace
}  // namespace flowlatch

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowlatch;
  const int file = memfd_create("records", 0);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  ReadAll("/proc/self/fd/" + std::to_string(file));
  close(file);
  return 0;
}
