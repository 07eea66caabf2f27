// Any text as a table: an error, or columns of one length.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/data/csv.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto columns = flowlatch::ParseCsv({reinterpret_cast<const char*>(data), size}, "csv");
  if (!columns.ok()) return 0;
  for (const auto& [name, column] : *columns) {
    if (!column.is_vector() || column.dim(0) != columns->front().second.dim(0)) __builtin_trap();
  }
  return 0;
}
