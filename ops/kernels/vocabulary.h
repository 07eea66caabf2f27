// Vocabularies: text files whose lines are the entries of a table.
#ifndef FLOWLATCH_OPS_KERNELS_VOCABULARY_H_
#define FLOWLATCH_OPS_KERNELS_VOCABULARY_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "ops/kernels/lookup_table.h"

namespace flowlatch {

// Where keys and values are: a column from 0 on, or one of these.
inline constexpr int64_t kWholeLine = -2;
inline constexpr int64_t kLineNumber = -1;

struct VocabularyFormat {
  int64_t key_index = kWholeLine;
  int64_t value_index = kLineNumber;
  int64_t size = -1;  // number of lines to read; -1: all
  char delimiter = '\t';
  int64_t offset = 0;  // of line numbers
};

// Errors: InvalidArgument for a format that does not suit the dtypes, too few lines or columns, an empty line, or a
// field that is no number; OutOfRange when there is nothing to read; those of reading a file.
absl::StatusOr<TableEntries> ReadVocabulary(const std::string& path, const VocabularyFormat& format,
                                            const TableType& type);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_VOCABULARY_H_
