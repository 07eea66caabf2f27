#ifndef FLOWLATCH_OPS_SERIALIZE_OPS_H_
#define FLOWLATCH_OPS_SERIALIZE_OPS_H_

#include "runtime/kernel/op_library.h"

namespace flowlatch {

// SerializeTensor, ParseTensor, SerializeSparse, SerializeManySparse, DeserializeSparse, DeserializeManySparse.
absl::Status RegisterSerializeOps(OpLibrary& library);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_SERIALIZE_OPS_H_
