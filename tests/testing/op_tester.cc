#include "tests/testing/op_tester.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "absl/strings/str_cat.h"
#include "flowlatch/proto/graph.pb.h"
#include "graph/base/status_macros.h"
#include "graph/schema/attr_proto.h"
#include "graph/tensor/tensor_proto.h"
#include "runtime/kernel/step_context.h"
#include "runtime/threads/float_mode.h"

namespace flowlatch {
namespace {

class TestStep final : public StepContext {
 public:
  using StepContext::StepContext;
  void Fail(uint32_t, absl::Status status) override {
    if (status_.ok()) status_ = std::move(status);
  }
  const absl::Status& status() const { return status_; }

 private:
  absl::Status status_;
};

double AsDouble(const Tensor& t, int64_t i) {
  switch (t.dtype()) {
    case DType::kFloat32: return t.data<float>()[i];
    case DType::kFloat64: return t.data<double>()[i];
    case DType::kFloat16: return t.data<Half>()[i];
    case DType::kBFloat16: return t.data<BFloat16>()[i];
    default: return 0;
  }
}

bool Close(double a, double b, double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance + tolerance * std::abs(b);
}

bool SameObject(const Tensor& a, const Tensor& b, int64_t i) {
  if (a.dtype() == DType::kString) return a.data<String>()[i] == b.data<String>()[i];
  if (a.dtype() == DType::kResource) return a.data<ResourceHandle>()[i].get() == b.data<ResourceHandle>()[i].get();
  return a.data<Variant>()[i].get() == b.data<Variant>()[i].get();
}

bool SameElement(const Tensor& a, const Tensor& b, int64_t i, double tolerance) {
  if (IsObjectDType(a.dtype())) return SameObject(a, b, i);
  if (a.dtype() == DType::kComplex64) {
    const auto x = a.data<std::complex<float>>()[i], y = b.data<std::complex<float>>()[i];
    return Close(x.real(), y.real(), tolerance) && Close(x.imag(), y.imag(), tolerance);
  }
  if (a.dtype() == DType::kComplex128) {
    const auto x = a.data<std::complex<double>>()[i], y = b.data<std::complex<double>>()[i];
    return Close(x.real(), y.real(), tolerance) && Close(x.imag(), y.imag(), tolerance);
  }
  if (kFloatTypes.contains(a.dtype())) return Close(AsDouble(a, i), AsDouble(b, i), tolerance);
  const size_t size = DTypeSize(a.dtype());
  return std::memcmp(static_cast<const char*>(a.raw_data()) + i * size, static_cast<const char*>(b.raw_data()) + i * size, size) == 0;
}

// With FLOWLATCH_RECORD_CALLS=FILE valid calls are appended to FILE in the form of tests/mutation/calls.
void RecordCall(const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs) {
  const char* path = std::getenv("FLOWLATCH_RECORD_CALLS");
  if (path == nullptr) return;
  GraphDef graph;
  NodeDef target;
  target.set_name("target");
  target.set_op(op);
  for (const Tensor& input : inputs) {
    NodeDef& node = *graph.add_node();
    node.set_name(absl::StrCat("x", target.input_size()));
    node.set_op("Const");
    target.add_input(node.name());
    TensorProto* const value = (*node.mutable_attr())["value"].mutable_tensor();
    if (!input.has_value() || !TensorToProto(input, value).ok()) return;
    (*node.mutable_attr())["dtype"].set_type(value->dtype());
  }
  if (!AttrsToProto(attrs, target.mutable_attr()).ok()) return;
  *graph.add_node() = target;
  std::ofstream(path, std::ios::app) << graph.ShortDebugString() << '\n';
}

}  // namespace

std::string Difference(const Tensor& got, const Tensor& want, double tolerance) {
  if (got.dtype() != want.dtype() || got.dims() != want.dims()) {
    return absl::StrCat("got ", got.DebugString(), ", want ", want.DebugString());
  }
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    if (!SameElement(got, want, i, tolerance)) {
      return absl::StrCat("element ", i, " differs: got ", got.DebugString(64), ", want ", want.DebugString(64));
    }
  }
  return "";
}

absl::StatusOr<std::vector<Tensor>> OpTester::Run(const std::vector<Tensor>& inputs) {
  absl::StatusOr<std::vector<Tensor>> first = RunOnce(inputs, 1, false);
  if (first.ok()) {
    RETURN_IF_ERROR(CheckShapes(inputs, *first));
    RecordCall(op_, attrs_, inputs);
  }
  if (once_) return first;
  for (const int threads : {1, 4}) {
    for (const bool forwardable : {false, true}) {
      if (threads == 1 && !forwardable) continue;
      const absl::StatusOr<std::vector<Tensor>> again = RunOnce(inputs, threads, forwardable);
      const std::string mode = absl::StrCat(threads, " threads, ", forwardable ? "forwardable" : "shared", " inputs: ");
      if (first.status().code() != again.status().code()) {
        return absl::InternalError(absl::StrCat(mode, first.status().ToString(), " became ", again.status().ToString()));
      }
      if (!first.ok()) continue;
      for (size_t i = 0; i < first->size(); ++i) {
        const std::string difference = Difference((*again)[i], (*first)[i]);
        if (!difference.empty()) return absl::InternalError(absl::StrCat(mode, "output ", i, ": ", difference));
      }
    }
  }
  return first;
}

absl::StatusOr<std::vector<Tensor>> OpTester::RunOnce(const std::vector<Tensor>& inputs, int threads, bool forwardable) {
  const OpSchema* schema = library_.registry().FindRegistered(op_);
  if (schema == nullptr) return absl::NotFoundError(absl::StrCat("op ", op_, " is not registered"));
  RETURN_IF_ERROR(schema->ValidateAttrs(attrs_));
  ASSIGN_OR_RETURN(const std::vector<PortType> input_types, schema->InputTypes(attrs_));
  ASSIGN_OR_RETURN(const std::vector<PortType> output_types, schema->OutputTypes(attrs_));
  if (inputs.size() != input_types.size()) {
    return absl::FailedPreconditionError(absl::StrCat("test of ", op_, ": expected ", input_types.size(), " inputs, got ", inputs.size()));
  }
  std::vector<Tensor> slots;
  std::vector<uint32_t> input_slots;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype() != input_types[i].dtype) {
      return absl::FailedPreconditionError(absl::StrCat("test of ", op_, ": wrong dtype of input ", i));
    }
    const bool copy = forwardable && inputs[i].has_value();
    ASSIGN_OR_RETURN(Tensor slot, copy ? inputs[i].Clone() : absl::StatusOr<Tensor>(inputs[i]));
    slots.push_back(std::move(slot));
    input_slots.push_back(static_cast<uint32_t>(i));
  }
  ASSIGN_OR_RETURN(const Kernel kernel, library_.MakeKernel(NodeInfo("test", *schema, attrs_, input_types, output_types)));
  if (kernel.fn == nullptr) return absl::UnimplementedError("an asynchronous kernel needs an executor");

  log_.clear();
  ResourceManager step_resources;
  ThreadPool pool(threads);
  CancellationManager cancellation;
  StepServices services;
  services.resources = &resources_;
  services.step_resources = &step_resources;
  services.pool = &pool;
  services.cancellation = &cancellation;
  services.allow_files = allow_files_;
  services.log = [this](std::string_view text) { log_ += text; };
  TestStep step(services);
  std::vector<Tensor> outputs(output_types.size());
  KernelCall call(&step, slots.data(), input_slots.data(), outputs.data(), kernel.state.get(),
                  static_cast<uint32_t>(inputs.size()), static_cast<uint32_t>(outputs.size()), forwardable ? ~uint64_t{0} : 0, 0);
  std::optional<FloatMode> mode(std::in_place);  // as in a session
  const KernelStatus status = kernel.fn(call);
  mode.reset();
  if (status != KernelStatus::kOk) return step.status();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].kind() == Tensor::Kind::kNone) return absl::InternalError(absl::StrCat("output ", i, " was not set"));
    if (!outputs[i].is_dead() && outputs[i].dtype() != output_types[i].dtype) {
      return absl::InternalError(absl::StrCat("output ", i, " has the wrong dtype ", std::string(DTypeName(outputs[i].dtype()))));
    }
  }
  return outputs;
}

absl::Status OpTester::CheckShapes(const std::vector<Tensor>& inputs, const std::vector<Tensor>& outputs) {
  std::vector<PartialShape> shapes;
  std::vector<const Tensor*> constants;
  for (const Tensor& input : inputs) {
    shapes.push_back(input.has_value() ? PartialShape(input.shape()) : PartialShape());
    constants.push_back(input.has_value() ? &input : nullptr);
  }
  ASSIGN_OR_RETURN(const std::vector<PartialShape> inferred, InferShapes(library_, op_, attrs_, shapes, constants));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].has_value() && !inferred[i].CompatibleWith(outputs[i].shape())) {
      return absl::InternalError(absl::StrCat("output ", i, " has shape ", outputs[i].ShapeString(), ", the shape function says ", inferred[i].ToString()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<PartialShape>> InferShapes(const OpLibrary& library, const std::string& op, const AttrMap& attrs,
                                                      const std::vector<PartialShape>& inputs,
                                                      const std::vector<const Tensor*>& constants) {
  const OpSchema* schema = library.registry().FindRegistered(op);
  if (schema == nullptr) return absl::NotFoundError(absl::StrCat("op ", op, " is not registered"));
  ASSIGN_OR_RETURN(const std::vector<PortType> outputs, schema->OutputTypes(attrs));
  std::vector<const Tensor*> known = constants;
  known.resize(inputs.size(), nullptr);
  ShapeContext context(*schema, attrs, inputs, known, static_cast<int>(outputs.size()));
  RETURN_IF_ERROR(schema->shape_function()(context));
  return context.outputs();
}

}  // namespace flowlatch
