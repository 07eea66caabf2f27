// HashTable(V2), MutableHashTable(V2), MutableHashTableOfTensors(V2), MutableDenseHashTable(V2), AnonymousHashTable,
// AnonymousMutableHashTable, AnonymousMutableHashTableOfTensors, AnonymousMutableDenseHashTable, LookupTableFind(V2),
// LookupTableInsert(V2), LookupTableRemoveV2, LookupTableSize(V2), LookupTableExport(V2), LookupTableImport(V2),
// InitializeTable(V2), InitializeTableFromTextFile(V2).
#ifndef FLOWLATCH_OPS_LOOKUP_OPS_H_
#define FLOWLATCH_OPS_LOOKUP_OPS_H_

#include "absl/status/status.h"

namespace flowlatch {

class OpLibrary;

absl::Status RegisterLookupOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_LOOKUP_OPS_H_
