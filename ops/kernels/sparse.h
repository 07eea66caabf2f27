// Sparse tensors as kernels get them: indices [n, rank], values [n], dense_shape [rank]. Everything about them is checked
// here, and their indices are copies, so that what was checked stays so.
#ifndef FLOWLATCH_OPS_KERNELS_SPARSE_H_
#define FLOWLATCH_OPS_KERNELS_SPARSE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/tensor.h"
#include "runtime/kernel/kernel.h"

namespace flowlatch {

// Rows of numbers, each of `rank`: the indices of entries.
struct IndexRows {
  int rank = 0;
  std::vector<int64_t> numbers;

  const int64_t* operator[](int64_t i) const { return numbers.data() + i * rank; }
  absl::Span<const int64_t> row(int64_t i) const { return {(*this)[i], static_cast<size_t>(rank)}; }
  void Append(absl::Span<const int64_t> row) { numbers.insert(numbers.end(), row.begin(), row.end()); }
};

struct SparseInput {
  int64_t n = 0;  // entries
  IndexRows indices;
  const Tensor* values = nullptr;
  Dims dims;  // none is negative

  int rank() const { return indices.rank; }
  template <typename T>
  const T* data() const {
    return values->data<T>();
  }
};

// The sparse tensor in three inputs, which need not lie beside each other. `what` begins their names in errors: "a_".
// Errors: InvalidArgument for shapes that do not fit each other or negative dimensions.
absl::StatusOr<SparseInput> ReadSparse(const Tensor& indices, const Tensor& values, const Tensor& dense_shape,
                                       std::string_view what = "");

// An int32 or int64 matrix. Errors: InvalidArgument.
absl::StatusOr<IndexRows> ReadIndexRows(const Tensor& indices, std::string_view what);

// Errors: InvalidArgument, which names the first index that is no place in the dense tensor.
absl::Status CheckPlaces(const SparseInput& sparse, std::string_view what = "");

// Errors: InvalidArgument unless both have the same dimensions.
absl::Status ExpectEqualDims(const SparseInput& a, const SparseInput& b);

// <0, 0, >0 as a comes before, with or after b.
int CompareIndices(absl::Span<const int64_t> a, absl::Span<const int64_t> b);

// Places of the rows in ascending order; of equal ones in the order they have.
std::vector<int64_t> AscendingOrder(const IndexRows& rows);

// Rows [begin, end) of entries that agree in their first dimensions.
struct EntryGroup {
  int64_t begin = 0, end = 0;
};
// Neighbours that agree in their first `depth` numbers.
std::vector<EntryGroup> GroupsOf(const IndexRows& rows, int depth);

// The element of a dense row-major tensor at `index`, which is a place in it.
int64_t FlatPlace(absl::Span<const int64_t> index, absl::Span<const int64_t> dims);

// ---- Outputs

// Output i: int64 [rows, rank].
absl::Status SetIndexRows(KernelCall& c, int i, const IndexRows& rows, int64_t count);
// Output i: int64 [values.size()].
absl::Status SetInts(KernelCall& c, int i, absl::Span<const int64_t> values);
// Output i: the elements of the vector `from` at `places`, whatever their dtype.
absl::Status SetPickedValues(KernelCall& c, int i, const Tensor& from, absl::Span<const int64_t> places);

// ---- Shape functions

// Inputs first, first + 1 and first + 2 are a sparse tensor. Returns its rank, -1: unknown.
// Errors: InvalidArgument when they cannot be.
absl::StatusOr<int64_t> ExpectSparse(const ShapeContext& c, int first);
// Outputs first, first + 1 and first + 2 are a sparse tensor.
void SetSparseOutput(ShapeContext& c, int first, int64_t entries, int64_t rank);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SPARSE_H_
