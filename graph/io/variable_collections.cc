#include "graph/io/variable_collections.h"

#include "flowlatch/proto/variable.pb.h"
#include "graph/build/variable.h"

namespace flowlatch {
namespace {

std::string Encode(const GraphVariable& v) {
  proto::VariableDef def;
  def.set_variable_name(v.handle().name());
  def.set_initial_value_name(v.initial_value().name());
  def.set_initializer_name(v.initializer().name());
  def.set_snapshot_name(v.snapshot().name());
  def.set_is_resource(!v.is_ref());
  def.set_trainable(v.trainable());
  if (v.part().has_value()) {
    proto::SaveSliceInfoDef& slice = *def.mutable_save_slice_info_def();
    slice.set_full_name(v.part()->whole);
    for (const int64_t dim : v.part()->whole_dims) slice.add_full_shape(dim);
    for (const int64_t begin : v.part()->begin) slice.add_var_offset(begin);
    for (const int64_t size : v.part()->size) slice.add_var_shape(size);
  }
  return def.SerializeAsString();
}

}  // namespace

std::map<std::string, Collection> VariableCollections(const GraphBuilder& b) {
  std::map<std::string, Collection> collections;
  for (const GraphVariable& v : b.variables()) {
    const std::string encoded = Encode(v);
    for (const std::string& name : v.collections()) {
      Collection& collection = collections[name];
      collection.kind = Collection::Kind::kBytes;
      collection.strings.push_back(encoded);
    }
  }
  return collections;
}

}  // namespace flowlatch
