// Sparse tensors in tests of op families.
#ifndef FLOWLATCH_TESTS_OPS_SPARSE_TENSORS_H_
#define FLOWLATCH_TESTS_OPS_SPARSE_TENSORS_H_

#include <vector>

#include "tests/ops/tensors.h"

namespace flowlatch {

// Rows of indices, all of one length.
inline Tensor Rows(const std::vector<std::vector<int64_t>>& rows, int64_t rank = 2) {
  std::vector<int64_t> flat;
  for (const std::vector<int64_t>& row : rows) flat.insert(flat.end(), row.begin(), row.end());
  const int64_t n = static_cast<int64_t>(rows.size());
  return *Tensor::FromValues<int64_t>(Shape::Of({n, n > 0 ? static_cast<int64_t>(rows[0].size()) : rank}), flat);
}

inline Tensor Dense(std::initializer_list<int64_t> dims) { return Tensor::Vector<int64_t>(dims); }

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_SPARSE_TENSORS_H_
