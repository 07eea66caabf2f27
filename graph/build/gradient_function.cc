#include "graph/build/gradient_function.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "flowlatch/proto/function.pb.h"
#include "graph/base/status_macros.h"
#include "graph/build/gradients.h"

namespace flowlatch {
namespace {

std::vector<DType> DTypes(const std::vector<PortType>& types) {
  std::vector<DType> dtypes;
  for (const PortType& type : types) dtypes.push_back(type.dtype);
  return dtypes;
}

}  // namespace

absl::StatusOr<FunctionRef> GradientFunction(const std::shared_ptr<FunctionLibrary>& library, const OpRegistry& registry, const FunctionRef& function) {
  const auto known = library->gradients().find(function.name);
  if (known != library->gradients().end()) return FunctionRef{known->second, function.attrs};
  const OpSchema* schema = library->FindSchema(function.name);
  if (schema == nullptr) return absl::NotFoundError(absl::StrCat("gradient of function '", function.name, "': not in the graph's library"));
  std::string attrs;
  for (const AttrMap::Entry& entry : function.attrs.entries()) absl::StrAppend(&attrs, entry.first, "=", entry.second.ToString(), ";");
  const std::string name = absl::StrCat(function.name, "_gradient_", absl::Hex(absl::Hash<std::string>()(attrs)));
  if (library->FindSchema(name) != nullptr) return FunctionRef{name, {}};

  ASSIGN_OR_RETURN(const std::vector<PortType> inputs, schema->InputTypes(function.attrs));
  ASSIGN_OR_RETURN(const std::vector<PortType> outputs, schema->OutputTypes(function.attrs));
  GraphBuilder b(registry);
  Graph functions(registry);
  functions.set_library(library);
  b.Import(functions);
  std::vector<ArgType> args;
  for (const std::vector<PortType>* types : {&inputs, &outputs}) {
    for (const PortType& type : *types) args.push_back({type.dtype, {}});
  }
  const FunctionValue made = b.Function(name, args, [&](const Outputs& values) {
    const Outputs xs(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(inputs.size()));
    GradientOptions options;
    options.grad_ys = Outputs(values.begin() + static_cast<std::ptrdiff_t>(inputs.size()), values.end());
    options.unconnected = GradientOptions::Unconnected::kZero;
    const Operation call = b.Op("PartitionedCall", std::vector<Input>(xs.begin(), xs.end()),
                                {{"Tin", DTypes(inputs)}, {"Tout", DTypes(outputs)}, {"f", function}});
    Outputs results;
    for (const Grad& grad : Gradients(b, call.outputs(), xs, options)) {
      const Output& x = xs[results.size()];
      results.push_back(grad.exists() ? grad.dense() : b.Op("ZerosLike", {x}).output());
    }
    return results;
  });
  if (!b.ok()) return b.status();
  RETURN_IF_ERROR(library->Add(*b.graph().library().FindDefinition(made.name)));
  return FunctionRef{made.name, {}};
}

}  // namespace flowlatch
