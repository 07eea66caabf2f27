// Archives of arrays: whatever the bytes, an array or an error.
#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/arrays/npy.h"
#include "tools/arrays/npz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowlatch;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (const absl::StatusOr<Tensor> array = ParseNpy(bytes); array.ok()) FormatNpy(*array).status().IgnoreError();
  const absl::StatusOr<NpzReader> npz = NpzReader::Parse(bytes);
  if (!npz.ok()) return 0;
  for (const std::string& name : npz->Names()) {
    const absl::StatusOr<Tensor> array = npz->Read(name);
    if (!array.ok() || array->dtype() == DType::kString) continue;
    // What was read is written so that it is read again.
    NpzWriter writer;
    if (!writer.Add(name, *array).ok()) continue;
    const absl::StatusOr<NpzReader> again = NpzReader::Parse(writer.Finish());
    if (!again.ok() || !again->Read(name).ok()) __builtin_trap();
  }
  return 0;
}
