// Iterators: places in datasets, which steps share (ops/kernels/iterator_resource.h).
//   IteratorV2, Iterator: one for each (container, shared_name), or each node without a shared_name. AnonymousIterator, V2, V3:
//     a new one each time, which lives as long as its handles. OneShotIterator: begins the dataset that its function gives.
//   MakeIterator: begins a dataset, also anew. DeleteIterator: stops at once.
//   IteratorGetNext, Sync: the next element, OutOfRange at the end; AsOptional: none at the end.
//   IteratorToStringHandle, IteratorFromStringHandle, V2: handles of iterators with names, as strings.   IteratorGetDevice
//   SerializeIterator, DeserializeIterator: a place in the dataset that the iterator is on, to which it goes by getting all
//     elements before it again.
#include "ops/iterator_ops.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/resource_handle.pb.h"
#include "flowlatch/proto/tensor.pb.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "graph/tensor/tensor_proto.h"
#include "ops/kernels/iterator_resource.h"
#include "ops/kernels/optional_value.h"
#include "ops/kernels/resource_names.h"
#include "runtime/kernel/callee.h"

namespace flowlatch {
namespace {

constexpr char kDevice[] = "/job:localhost/replica:0/task:0/device:CPU:0";

absl::StatusOr<RefPtr<IteratorResource>> IteratorInput(const KernelCall& c, int i) {
  return FindResource<IteratorResource>(c, i);
}

// ---- Handles

class NamedState final : public DatasetState {
 public:
  ResourceName name;
  Tensor handle;
  Callee* make_dataset = nullptr;  // the plan's; of a OneShotIterator
};

absl::StatusOr<RefPtr<IteratorResource>> FindOrMake(KernelCall& c, const NamedState& state) {
  ASSIGN_OR_RETURN(RefPtr<IteratorResource> iterator,
                   c.step().resources().LookupOrCreate<IteratorResource>(
                       state.name.container, state.name.name, [&]() -> absl::StatusOr<RefPtr<IteratorResource>> {
                         return MakeRef<IteratorResource>(state.spec, state.name.name);
                       }));
  RETURN_IF_ERROR(state.spec.CheckFits(iterator->spec(), "iterator of this name"));
  return iterator;
}

absl::Status OpenNamed(KernelCall& c) {
  const NamedState& state = c.state<NamedState>();
  RETURN_IF_ERROR(FindOrMake(c, state).status());
  c.SetOutput(0, state.handle);
  return absl::OkStatus();
}

absl::Status OpenOneShot(KernelCall& c) {
  const NamedState& state = c.state<NamedState>();
  ASSIGN_OR_RETURN(const RefPtr<IteratorResource> iterator, FindOrMake(c, state));
  RETURN_IF_ERROR(iterator->StartOnce(c.step(), [&]() -> absl::StatusOr<DatasetPtr> {
    Element results;
    RETURN_IF_ERROR(BoundFunction(state.make_dataset, {}).Call(c.step(), {}, 1, &results));
    return DatasetIn(results[0], "result of dataset_factory");
  }));
  c.SetOutput(0, state.handle);
  return absl::OkStatus();
}

absl::Status ReadNamed(const NodeInfo& node, bool shares_node_name, NamedState* state) {
  ASSIGN_OR_RETURN(state->spec, ElementSpec::Of(node));
  ASSIGN_OR_RETURN(state->name, ResourceNameOf(node, shares_node_name));
  ASSIGN_OR_RETURN(state->handle, MakeHandle(node, state->name, IteratorResource::kTypeName));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> NamedKernel(const NodeInfo& node) {
  auto state = std::make_shared<NamedState>();
  RETURN_IF_ERROR(ReadNamed(node, /*shares_node_name=*/false, state.get()));
  return Kernel{.fn = &RunKernel<OpenNamed>, .state = std::move(state)};
}

absl::StatusOr<Kernel> OneShotKernel(const NodeInfo& node) {
  auto state = std::make_shared<NamedState>();
  // Its kernel is its plan's, so that plans know the iterator by the node's name alone.
  RETURN_IF_ERROR(ReadNamed(node, /*shares_node_name=*/true, state.get()));
  ASSIGN_OR_RETURN(const FunctionRef function, node.AttrAs<FunctionRef>("dataset_factory"));
  if (node.functions() == nullptr) {
    return absl::NotFoundError(absl::StrCat("function '", function.name, "': expected a graph with a library, got none"));
  }
  ASSIGN_OR_RETURN(state->make_dataset, node.functions()->Resolve(function, BodyEffects::kAll));
  RETURN_IF_ERROR(state->make_dataset->CheckTypes({}, {DType::kVariant}));
  return Kernel{.fn = &RunKernel<OpenOneShot>, .state = std::move(state)};
}

absl::Status OpenAnonymous(KernelCall& c) {
  const std::string name = UniqueName("_iterator");
  RefPtr<const RefCounted> iterator(MakeRef<IteratorResource>(c.state<DatasetState>().spec, name));
  c.SetOutput(0, OwningHandle(std::move(iterator), IteratorResource::kTypeName, name));
  if (c.num_outputs() > 1) c.SetOutput(1, Tensor::Scalar(Variant()));  // the iterator goes with its last handle
  return absl::OkStatus();
}

absl::Status Delete(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<IteratorResource> iterator, IteratorInput(c, 0));
  iterator->Stop();
  return c.step().resources().Delete(c.input(0).data<ResourceHandle>()[0]);
}

absl::Status ToString(KernelCall& c) {
  RETURN_IF_ERROR(IteratorInput(c, 0).status());
  const ResourceHandle& handle = c.input(0).data<ResourceHandle>()[0];
  if (handle->resource) {
    return absl::InvalidArgumentError("resource_handle: expected an iterator with a name, got an anonymous one");
  }
  ResourceHandleProto proto;
  proto.set_device(kDevice);
  proto.set_container(handle->container);
  proto.set_name(handle->name);
  proto.set_maybe_type_name(handle->type_name);
  c.SetOutput(0, Tensor::Scalar(std::string_view(proto.SerializeAsString())));
  return absl::OkStatus();
}

// The spec is what the iterator must fit, where it is given at all.
absl::Status FromString(KernelCall& c) {
  const Tensor& text = c.input(0);
  if (!text.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat("string_handle: expected a scalar, got shape ", text.ShapeString()));
  }
  ResourceHandleProto proto;
  const std::string_view bytes = text.scalar<String>().view();
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || proto.name().empty()) {
    return absl::InvalidArgumentError("string_handle: expected the handle of an iterator, got other bytes");
  }
  if (proto.device() != kDevice) {
    return absl::InvalidArgumentError(absl::StrCat("string_handle: expected an iterator on ", kDevice, ", got one elsewhere"));
  }
  ASSIGN_OR_RETURN(const RefPtr<IteratorResource> iterator,
                   c.step().resources().Lookup<IteratorResource>(proto.container(), proto.name()));
  const ElementSpec& spec = c.state<DatasetState>().spec;
  if (!spec.dtypes.empty()) RETURN_IF_ERROR(spec.CheckFits(iterator->spec(), "iterator"));
  RefPtr<ResourceKey> key = MakeRef<ResourceKey>();
  key->container = proto.container();
  key->name = proto.name();
  key->type_name = IteratorResource::kTypeName;
  c.SetOutput(0, Tensor::Scalar(ResourceHandle(RefPtr<const ResourceKey>(std::move(key)))));
  return absl::OkStatus();
}

absl::StatusOr<Kernel> FromStringKernel(const NodeInfo& node) {
  auto state = std::make_shared<DatasetState>();
  ASSIGN_OR_RETURN(state->spec.dtypes, node.AttrAs<std::vector<DType>>("output_types"));
  ASSIGN_OR_RETURN(state->spec.shapes, node.AttrAs<std::vector<PartialShape>>("output_shapes"));
  // Either may be left out.
  if (state->spec.shapes.empty()) state->spec.shapes.resize(state->spec.dtypes.size());
  if (state->spec.dtypes.empty()) state->spec.shapes.clear();
  if (state->spec.dtypes.size() != state->spec.shapes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("attr 'output_shapes': expected ", state->spec.dtypes.size(),
                                                   " shapes, got ", state->spec.shapes.size()));
  }
  return Kernel{.fn = &RunKernel<FromString>, .state = std::move(state)};
}

absl::Status GetDevice(KernelCall& c) {
  RETURN_IF_ERROR(IteratorInput(c, 0).status());
  c.SetOutput(0, Tensor::Scalar(kDevice));
  return absl::OkStatus();
}

// ---- Elements

absl::Status Make(KernelCall& c) {
  ASSIGN_OR_RETURN(const DatasetPtr dataset, DatasetIn(c.input(0), "dataset"));
  ASSIGN_OR_RETURN(const RefPtr<IteratorResource> iterator, IteratorInput(c, 1));
  return iterator->Start(c.step(), dataset);
}

absl::StatusOr<bool> Next(KernelCall& c, Element* element) {
  ASSIGN_OR_RETURN(const RefPtr<IteratorResource> iterator, IteratorInput(c, 0));
  ASSIGN_OR_RETURN(const bool more, iterator->Next(c.step(), element));
  if (more) RETURN_IF_ERROR(c.state<DatasetState>().spec.CheckFits(*element));
  return more;
}

absl::Status GetNext(KernelCall& c) {
  Element element;
  ASSIGN_OR_RETURN(const bool more, Next(c, &element));
  if (!more) return absl::OutOfRangeError("End of sequence");
  for (size_t i = 0; i < element.size(); ++i) c.SetOutput(static_cast<int>(i), std::move(element[i]));
  return absl::OkStatus();
}

absl::Status GetNextAsOptional(KernelCall& c) {
  Element element;
  ASSIGN_OR_RETURN(const bool more, Next(c, &element));
  RefPtr<OptionalValue> value = MakeRef<OptionalValue>();
  if (more) {
    ASSIGN_OR_RETURN(value, OptionalValue::Of(std::vector<Tensor>(element.begin(), element.end())));
  }
  c.SetOutput(0, Tensor::Scalar(Variant(RefPtr<VariantObject>(std::move(value)))));
  return absl::OkStatus();
}

// ---- Places

constexpr char kPlaceType[] = "flowlatch::IteratorPlace";

// As files hold it, so that it may be saved.
absl::Status Serialize(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<IteratorResource> iterator, IteratorInput(c, 0));
  ASSIGN_OR_RETURN(const int64_t passed, iterator->Passed(c.step()));
  VariantTensorDataProto proto;
  proto.set_type_name(kPlaceType);
  proto.set_metadata(absl::StrCat(passed));
  c.SetOutput(0, Tensor::Scalar(Variant(MakeRef<OpaqueVariant>(kPlaceType, proto.SerializeAsString()))));
  return absl::OkStatus();
}

absl::Status Deserialize(KernelCall& c) {
  ASSIGN_OR_RETURN(const RefPtr<IteratorResource> iterator, IteratorInput(c, 0));
  const Tensor& serialized = c.input(1);
  const OpaqueVariant* const place =
      serialized.num_elements() == 1 ? serialized.data<Variant>()[0].As<OpaqueVariant>() : nullptr;
  VariantTensorDataProto proto;
  int64_t passed = 0;
  if (place == nullptr || place->TypeName() != kPlaceType || !proto.ParseFromString(place->encoded()) ||
      !absl::SimpleAtoi(proto.metadata(), &passed) || passed < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("serialized: expected the place of an iterator, got ", serialized.DebugString()));
  }
  return iterator->GoTo(c.step(), passed);
}

}  // namespace

absl::Status RegisterIteratorOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, const KernelFactory& kernel) {
    return library.Add({.signature = TensorFlowSignature(name), .doc = doc, .shape = shape, .kernel = kernel});
  };
  RETURN_IF_ERROR(add("IteratorV2", "The handle of an iterator", ScalarInputs<0>, NamedKernel));
  RETURN_IF_ERROR(add("Iterator", "The handle of an iterator", ScalarInputs<0>, NamedKernel));
  RETURN_IF_ERROR(add("OneShotIterator", "An iterator over the dataset that a function makes", ScalarInputs<0>, OneShotKernel));
  for (const char* name : {"AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3"}) {
    RETURN_IF_ERROR(add(name, "A new iterator", ScalarInputs<0>, DatasetKernel<OpenAnonymous>));
  }
  RETURN_IF_ERROR(add("MakeIterator", "Begins a dataset", shapes::NoOutputs, PlainKernel<Make>));
  RETURN_IF_ERROR(add("DeleteIterator", "Stops an iterator and forgets its name", ScalarInputs<1>, PlainKernel<Delete>));
  RETURN_IF_ERROR(add("IteratorGetNext", "The next element", DeclaredShapes, DatasetKernel<GetNext>));
  RETURN_IF_ERROR(add("IteratorGetNextSync", "The next element", DeclaredShapes, DatasetKernel<GetNext>));
  RETURN_IF_ERROR(add("IteratorGetNextAsOptional", "The next element, or none at the end", ScalarInputs<1>,
                      DatasetKernel<GetNextAsOptional>));
  RETURN_IF_ERROR(add("IteratorToStringHandle", "The handle of an iterator as a string", ScalarInputs<1>, PlainKernel<ToString>));
  for (const char* name : {"IteratorFromStringHandle", "IteratorFromStringHandleV2"}) {
    RETURN_IF_ERROR(add(name, "The iterator that a string names", ScalarInputs<1>, FromStringKernel));
  }
  RETURN_IF_ERROR(add("IteratorGetDevice", "The name of the device that an iterator is on", ScalarInputs<1>, PlainKernel<GetDevice>));
  RETURN_IF_ERROR(add("SerializeIterator", "The place of an iterator in its dataset", ScalarInputs<1>, PlainKernel<Serialize>));
  return add("DeserializeIterator", "Goes to a place in a dataset", ScalarInputs<1>, PlainKernel<Deserialize>);
}

}  // namespace flowlatch
