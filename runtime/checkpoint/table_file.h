// Table files: sorted keys and their values, in LevelDB's format; the index of a checkpoint is one.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_FILE_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_FILE_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace flowlatch {

using TableEntries = std::vector<std::pair<std::string, std::string>>;

// All entries of a table, in the order of their keys. Reading is our own because LevelDB's reader believes the sizes in
// a file and aborts on absurd ones. Blocks may be compressed with Snappy. Errors: DataLoss, with the place, for
// anything that a correct writer would not have written.
absl::StatusOr<TableEntries> ParseTable(std::string_view file);

// The bytes of a table, written by LevelDB, uncompressed.
absl::StatusOr<std::string> BuildTable(const std::map<std::string, std::string>& entries);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_FILE_H_
