// Table files: sorted keys and their values, in LevelDB's format; the index of a checkpoint is one.
#ifndef FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_FILE_H_
#define FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_FILE_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace flowlatch {

using TableEntries = std::vector<std::pair<std::string, std::string>>;

struct Table {
  TableEntries entries;  // in the order of their keys
  absl::Status damage;   // why there are fewer entries than there were; OK for a whole table
};

// All entries of a table that a search for their keys would find: none of a broken block, none behind a broken entry or
// out of order. Reading is our own because LevelDB's reader believes the sizes in a file and aborts on absurd ones.
// Blocks may be compressed with Snappy. Errors, with the place, when not even the first entry can be found, and as
// damage: OutOfRange for a block beyond the end of the file, InvalidArgument for a place that no file has, else
// DataLoss.
absl::StatusOr<Table> ParseTable(std::string_view file);

// The bytes of a table, written by LevelDB, uncompressed.
absl::StatusOr<std::string> BuildTable(const std::map<std::string, std::string>& entries);

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_CHECKPOINT_TABLE_FILE_H_
