// NumPy's npy format <-> Tensor. What is read comes from files and is never trusted.
#ifndef FLOWLATCH_TOOLS_ARRAYS_NPY_H_
#define FLOWLATCH_TOOLS_ARRAYS_NPY_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// Reads versions 1 to 3, both byte orders and both memory orders. Bytes and unicode arrays (S, U) become strings, V2
// becomes bfloat16. Errors: InvalidArgument for anything else, pickles (O) among them, and for data of another size
// than the header says; ResourceExhausted without memory.
absl::StatusOr<Tensor> ParseNpy(std::string_view bytes);

// Version 1, little-endian, C order. What NumPy has no dtype for is written as the integers of CarrierOf,
// strings as S with their longest length (which loses trailing NULs; npz keeps them).
// Errors: InvalidArgument for resources and variants.
absl::StatusOr<std::string> FormatNpy(const Tensor& tensor);

// The dtype of the integers that stand for `dtype` in files of arrays: uint16 for bfloat16, uint8 for the float8
// family, int8 for int4 and qint8, ...; `dtype` itself where NumPy has it.
DType CarrierOf(DType dtype);

// Reads carriers back: the elements of `tensor` as `dtype`. The same dtype passes unchanged.
// Errors: InvalidArgument when they are neither `dtype` nor its carrier.
absl::StatusOr<Tensor> FromCarrier(const Tensor& tensor, DType dtype);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_ARRAYS_NPY_H_
