#include "ops/kernels/graph_dataset.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"
#include "runtime/exec/background_work.h"

namespace flowlatch {
namespace {

// Chains are walked by recursion.
constexpr int kMaxChain = 250;
constexpr int kMaxNestedCalls = 1000;  // of Next on one thread
constexpr uint32_t kCallsPerCheck = 32;

thread_local int nested_calls = 0;
thread_local uint32_t calls = 0;

struct NestedCall {
  NestedCall() { ++nested_calls; }
  ~NestedCall() { --nested_calls; }
};

std::string Describe(DType dtype, const PartialShape& shape) {
  return absl::StrCat(std::string(DTypeName(dtype)), shape.ToString());
}

absl::Status WrongSize(const char* what, size_t expected, size_t got) {
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected ", expected, " components, got ", got));
}

absl::Status WrongComponent(const char* what, size_t i, const std::string& expected, const std::string& got) {
  return absl::InvalidArgumentError(absl::StrCat("component ", i, " of ", what, ": expected ", expected, ", got ", got));
}

}  // namespace

absl::StatusOr<ElementSpec> ElementSpec::Of(const NodeInfo& node) {
  ElementSpec spec;
  const bool has_outputs = node.schema().FindAttr("output_types") != nullptr;
  ASSIGN_OR_RETURN(spec.dtypes, node.AttrAs<std::vector<DType>>(has_outputs ? "output_types" : "Toutput_types"));
  ASSIGN_OR_RETURN(spec.shapes, node.AttrAs<std::vector<PartialShape>>("output_shapes"));
  if (spec.dtypes.size() != spec.shapes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("attr 'output_shapes': expected ", spec.dtypes.size(), " shapes, got ", spec.shapes.size()));
  }
  return spec;
}

absl::Status ElementSpec::CheckFits(const ElementSpec& other, const char* what) const {
  if (other.dtypes.size() != dtypes.size()) return WrongSize(what, dtypes.size(), other.dtypes.size());
  for (size_t i = 0; i < dtypes.size(); ++i) {
    if (other.dtypes[i] == dtypes[i] && other.shapes[i].CompatibleWith(shapes[i])) continue;
    return WrongComponent(what, i, Describe(dtypes[i], shapes[i]), Describe(other.dtypes[i], other.shapes[i]));
  }
  return absl::OkStatus();
}

absl::Status ElementSpec::CheckFits(const Element& element) const {
  if (element.size() != dtypes.size()) return WrongSize("element", dtypes.size(), element.size());
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const Tensor& t = element[i];
    if (t.dtype() == dtypes[i] && (!shapes[i].has_rank() || shapes[i].CompatibleWith(t.shape()))) continue;
    return WrongComponent("element", i, Describe(dtypes[i], shapes[i]), Describe(t.dtype(), t.shape()));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> ElementIterator::Next(StepContext& step, Element* element) {
  const NestedCall call;
  if (nested_calls > kMaxNestedCalls) {
    return absl::ResourceExhaustedError(
        absl::StrCat("iterators: expected at most ", kMaxNestedCalls, " inside one another, got one more"));
  }
  const CancellationManager* cancellation = step.services().cancellation;
  if ((cancellation != nullptr && cancellation->cancelled()) || ++calls % kCallsPerCheck == 0) {
    RETURN_IF_ERROR(CheckInterrupted(step));
  }
  try {
    return Get(step, element);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError("elements of a dataset: expected memory for them, got none");
  } catch (const std::exception& e) {
    return absl::InternalError(absl::StrCat("elements of a dataset: ", e.what()));
  }
}

void GraphDataset::Holds(const GraphDataset& input) {
  depth_ = std::max(depth_, input.depth_);
  length_ = std::max(length_, input.length_ + 1);
}

void GraphDataset::Holds(absl::Span<const Tensor> tensors) {
  for (const Tensor& t : tensors) {
    const absl::StatusOr<int> depth = DepthWithPart(t);
    if (depth.ok()) {
      depth_ = std::max(depth_, *depth);
    } else {
      too_deep_ = depth.status();
    }
  }
}

absl::Status GraphDataset::CheckDepth() const {
  if (length_ > kMaxChain) {
    return absl::InvalidArgumentError(
        absl::StrCat("dataset: expected a chain of at most ", kMaxChain, " datasets, got ", length_));
  }
  return too_deep_;
}

absl::StatusOr<RefPtr<VariantObject>> GraphDataset::ZerosLike() const {
  return absl::InvalidArgumentError("zeros: expected values of numbers, got a dataset");
}

absl::StatusOr<RefPtr<VariantObject>> GraphDataset::Add(const VariantObject&) const {
  return absl::InvalidArgumentError("sum: expected values of numbers, got a dataset");
}

absl::StatusOr<DatasetPtr> DatasetIn(const Tensor& t, const char* what) {
  if (!t.has_value() || t.dtype() != DType::kVariant || !t.is_scalar()) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected a scalar variant, got ", t.DebugString()));
  }
  const Variant& variant = t.scalar<Variant>();
  const GraphDataset* dataset = variant.As<GraphDataset>();
  if (dataset != nullptr) return DatasetPtr::Share(dataset);
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": expected a dataset, got ", variant ? variant.get()->TypeName() : "none"));
}

absl::Status OutputDataset(KernelCall& c, RefPtr<GraphDataset> dataset) {
  RETURN_IF_ERROR(dataset->CheckDepth());
  c.SetOutput(0, Tensor::Scalar(Variant(RefPtr<VariantObject>(std::move(dataset)))));
  return absl::OkStatus();
}

absl::StatusOr<Element> KeepInputs(KernelCall& c, int first, int end) {
  Element kept;
  for (int i = first; i < end; ++i) {
    kept.push_back(c.TakeInput(i));
    if (!kept.back().is_borrowed()) continue;
    ASSIGN_OR_RETURN(kept.back(), kept.back().Clone());
  }
  return kept;
}

absl::StatusOr<bool> ReadBoolScalar(const Tensor& t, const char* what) {
  if (t.dtype() == DType::kBool && t.is_scalar()) return t.scalar<bool>();
  return absl::InvalidArgumentError(absl::StrCat(what, ": expected a bool scalar, got ", t.DebugString()));
}

absl::Status DeclaredShapes(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectScalar(0));
  ASSIGN_OR_RETURN(const auto declared, c.AttrAs<std::vector<PartialShape>>("output_shapes"));
  if (static_cast<int>(declared.size()) != c.num_outputs()) {
    return absl::InvalidArgumentError(
        absl::StrCat("attr 'output_shapes': expected ", c.num_outputs(), " shapes, got ", declared.size()));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.SetOutput(i, declared[static_cast<size_t>(i)]);
  return absl::OkStatus();
}

}  // namespace flowlatch
