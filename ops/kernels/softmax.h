// Softmax, its logarithm and the cross entropies of one row, vectorised. T: float, double. n >= 1 everywhere.
// Rows are shifted by their largest value first, so nothing overflows; a row with NaN or +infinity, and one of
// -infinities only, gives NaN throughout.
#ifndef FLOWLATCH_OPS_KERNELS_SOFTMAX_H_
#define FLOWLATCH_OPS_KERNELS_SOFTMAX_H_

#include <cstdint>

namespace flowlatch {

// y[i] = exp(x[i]) / sum of exp(x), or for `log` x[i] - log(sum of exp(x)), in each of `rows` rows that lie side by side. Many short
// ones are computed next to each other; the numbers of a row do not depend on the others. y may be x.
template <typename T>
void SoftmaxRows(const T* x, T* y, int64_t rows, int64_t n, bool log);

// Returns -sum of labels[i] * log(softmax(x)[i]); backprop[i] = softmax(x)[i] - labels[i]. backprop may be x or labels.
template <typename T>
T CrossEntropyRow(const T* x, const T* labels, T* backprop, int64_t n);

// The same for a label of 1 at `label` and 0 elsewhere, which -infinity elsewhere does not disturb.
template <typename T>
T SparseCrossEntropyRow(const T* x, int64_t label, T* backprop, int64_t n);

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_SOFTMAX_H_
