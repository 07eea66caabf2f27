#include "graph/schema/op_registry.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "graph/base/status_macros.h"

namespace flowlatch {
namespace {

// Not constexpr: 400 kB of text are more than Clang cares to evaluate.
const std::string_view kSignatures[] = {
#include "graph/schema/tensorflow_ops.inc"
};

std::string_view OpName(std::string_view signature) { return signature.substr(0, signature.find('(')); }

}  // namespace

absl::Span<const std::string_view> TensorFlowSignatures() { return kSignatures; }

std::string_view TensorFlowSignature(std::string_view op) {
  const auto at = std::lower_bound(std::begin(kSignatures), std::end(kSignatures), op,
                                   [](std::string_view signature, std::string_view name) { return OpName(signature) < name; });
  return at != std::end(kSignatures) && OpName(*at) == op ? *at : std::string_view();
}

absl::StatusOr<OpSchema*> OpRegistry::Add(OpSchema schema) {
  const auto [at, inserted] = schemas_.try_emplace(schema.name());
  if (!inserted) return absl::AlreadyExistsError(absl::StrCat("op ", schema.name(), ": expected a new name, got one that is taken"));
  at->second = std::make_unique<OpSchema>(std::move(schema));
  return at->second.get();
}

const OpSchema* OpRegistry::FindRegistered(std::string_view name) const {
  const auto at = schemas_.find(absl::string_view(name.data(), name.size()));
  return at != schemas_.end() ? at->second.get() : nullptr;
}

const OpSchema* OpRegistry::Find(std::string_view name) const {
  if (const OpSchema* registered = FindRegistered(name)) return registered;
  const std::string_view signature = TensorFlowSignature(name);
  if (signature.empty()) return nullptr;
  std::lock_guard<std::mutex> lock(opaque_mu_);
  std::unique_ptr<OpSchema>& entry = opaque_[std::string(name)];
  if (entry == nullptr) {
    absl::StatusOr<OpSchema> schema = OpSchema::Parse(signature);
    if (!schema.ok()) return nullptr;  // a test parses them all
    schema->set_opaque(true);
    entry = std::make_unique<OpSchema>(*std::move(schema));
  }
  return entry.get();
}

std::vector<const OpSchema*> OpRegistry::Registered() const {
  std::vector<const OpSchema*> all;
  all.reserve(schemas_.size());
  for (const auto& [name, schema] : schemas_) all.push_back(schema.get());
  std::sort(all.begin(), all.end(), [](const OpSchema* a, const OpSchema* b) { return a->name() < b->name(); });
  return all;
}

}  // namespace flowlatch
