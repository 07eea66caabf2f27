// Features of examples in tests.
#ifndef FLOWLATCH_TESTS_OPS_FEATURES_H_
#define FLOWLATCH_TESTS_OPS_FEATURES_H_

#include <initializer_list>
#include <string>
#include <vector>

#include "flowlatch/proto/feature.pb.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

inline proto::Feature IntFeature(std::initializer_list<int64_t> values) {
  proto::Feature feature;
  feature.mutable_int64_list();
  for (const int64_t value : values) feature.mutable_int64_list()->add_value(value);
  return feature;
}
inline proto::Feature FloatFeature(std::initializer_list<float> values) {
  proto::Feature feature;
  feature.mutable_float_list();
  for (const float value : values) feature.mutable_float_list()->add_value(value);
  return feature;
}
inline proto::Feature BytesFeature(std::initializer_list<const char*> values) {
  proto::Feature feature;
  feature.mutable_bytes_list();
  for (const char* value : values) feature.mutable_bytes_list()->add_value(value);
  return feature;
}

// A vector of serialized examples.
inline Tensor Serialized(const std::vector<std::string>& examples) {
  std::vector<String> strings;
  for (const std::string& example : examples) strings.emplace_back(std::string_view(example));
  return Tensor::Vector<String>(absl::MakeConstSpan(strings));
}

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_OPS_FEATURES_H_
