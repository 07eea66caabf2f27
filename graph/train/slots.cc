#include "graph/train/slots.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace flowlatch {

GraphVariable MakeSlot(GraphBuilder& b, const GraphVariable& variable, std::string_view name, const Initializer& initial, std::source_location at) {
  if (!b.ok()) return {};
  BuilderScope init = b.InitScope();
  BuilderScope root = b.NameScope("", at);
  BuilderScope place = b.ColocateWith(variable.handle(), at);
  const std::string full = b.UniqueName(absl::StrCat(variable.name(), "/", absl::string_view(name.data(), name.size())));
  VariableOptions options{.trainable = false, .use_ref = variable.is_ref(), .shape = variable.shape(), .part = variable.part()};
  if (options.part.has_value()) absl::StrAppend(&options.part->whole, full.substr(variable.name().size()));
  return b.Variable(full + "/", initial, options, at);
}

GraphVariable MakeSlot(GraphBuilder& b, const GraphVariable& variable, std::string_view name, double value, std::source_location at) {
  const PartialShape& shape = variable.shape();
  if (shape.fully_defined()) {
    return MakeSlot(b, variable, name, Constant(value, {shape.dims().begin(), shape.dims().end()}, variable.dtype()), at);
  }
  if (!variable.initial_value()) {
    b.Fail(absl::InvalidArgumentError(absl::StrCat("variable '", variable.name(), "': expected a known shape or an initial value, got ", shape.ToString())), at);
    return {};
  }
  const auto filled = [&] {
    const Output dims = b.Op("Shape", {variable.InitializedValue(at)}, {}, "", at).output();
    return b.Op("Fill", {dims, b.Constant(value, variable.dtype(), "value", at)}, {}, "", at).output();
  };
  return MakeSlot(b, variable, name, Initializer(filled), at);
}

std::optional<BuilderScope> WithVariable(GraphBuilder& b, const GraphVariable& variable, std::source_location at) {
  if (!b.ok() || b.Resolve(variable.handle(), at).graph() != variable.handle().graph()) return std::nullopt;
  return b.ColocateWith(variable.handle(), at);
}

}  // namespace flowlatch
