// The SPEC of an input on the command line: `x=SPEC`.
//
//   @file.npy   @file.npz[key]   @file.json   @image.png   @image.png:f32/255   @raw.bin:f32[1,3]
//   [[1,2],[3,4]]:f32   27:i64   "text"   text:str
//   zeros:f32[2,3]   ones   uniform(0,1)   normal   randint(0,9)   range
//
// Nothing is ever evaluated. A dtype or shape that the SPEC leaves out is the port's.
#ifndef FLOWLATCH_TOOLS_ARRAYS_SPEC_H_
#define FLOWLATCH_TOOLS_ARRAYS_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// What is known of the port that gets the value.
struct PortHint {
  std::optional<DType> dtype;
  PartialShape shape;
};

// `seed`: of the random ones. Errors: InvalidArgument for what is none of the above or does not fit, those of reading
// files.
absl::StatusOr<Tensor> ParseSpec(std::string_view spec, const PortHint& hint, uint64_t seed);

// Splits "NAME=SPEC" at the first '=' that no backslash precedes; "\=" and "\:" in NAME stand for themselves.
// Errors: InvalidArgument without '=' or NAME.
absl::StatusOr<std::pair<std::string, std::string>> SplitAssignment(std::string_view text);

// "f32", "i64", "u8", "bf16", "str", "c64" and all that ParseDType knows.
std::optional<DType> ParseShortDType(std::string_view name);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_ARRAYS_SPEC_H_
