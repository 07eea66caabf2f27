// Products of a float matrix and a vector. They are bound by memory, so each element of the matrix is read once, in rows.
#ifndef FLOWLATCH_OPS_KERNELS_GEMV_H_
#define FLOWLATCH_OPS_KERNELS_GEMV_H_

#include <cstdint>

namespace flowlatch {

// y[i] = sum over j of matrix[i, j] * x[j] (+ y[i] if accumulate). matrix: [rows, cols], `stride` elements between rows;
// x: [cols]; y: [rows].
void GemvRows(const float* matrix, int64_t rows, int64_t cols, int64_t stride, const float* x, float* y,
              bool accumulate);

// y[j] = sum over i of matrix[i, j] * x[i] (+ y[j] if accumulate). x: [rows]; y: [cols].
void GemvColumns(const float* matrix, int64_t rows, int64_t cols, int64_t stride, const float* x, float* y,
                 bool accumulate);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_GEMV_H_
