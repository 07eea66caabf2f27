// FilterCache: the packed forms of one node's filter, kept from step to step while the filter is the same.
#ifndef FLOWLATCH_OPS_KERNELS_FILTER_CACHE_H_
#define FLOWLATCH_OPS_KERNELS_FILTER_CACHE_H_

#include <mutex>
#include <utility>
#include <vector>

#include "dnnl.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

// To know that a filter is the same the cache holds its tensor, which makes a variable copy it before it changes. So it holds
// one only when it has seen it some steps in a row, and after each time that this was in vain, twice as many. Thread-safe.
class FilterCache {
 public:
  using Form = std::pair<dnnl_memory_desc_t, Tensor>;

  // Begins a step: the forms of this filter that are known. Requires: its elements never change while somebody holds it.
  std::vector<Form> Start(const Tensor& filter);
  // Ends a step that used these forms.
  void Offer(const Tensor& filter, const std::vector<Form>& forms);

 private:
  static constexpr int kMaxPatience = 1 << 12;

  std::mutex mu_;
  Tensor held_;              // guarded by mu_, as all below; no value: nothing is kept
  std::vector<Form> forms_;  // of held_
  const void* last_ = nullptr;  // elements of the filter of the last step
  int sightings_ = 0;           // steps in a row with it
  int patience_ = 1;            // sightings before it is held
};

}  // namespace flowlatch

#endif  // FLOWLATCH_OPS_KERNELS_FILTER_CACHE_H_
