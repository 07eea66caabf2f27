// Chains: nodes that one kernel computes together. Either nodes in a row, each of which reads the first output of the one before;
// or siblings, which change one variable, the first input of each, one after the other, and whose outputs nobody reads.
//
// The kernel of a chain is made by the factory of its first op, from a node with the attributes of all and those below, the
// inputs of all (but for those that the chain itself makes, and the variable of the other siblings) and the outputs of all (but
// for those that nobody else reads). It may fail, but only before it has taken or changed an input: then the nodes run one by
// one, and say themselves what is wrong.
#ifndef FLOWLATCH_RUNTIME_PLAN_CHAIN_H_
#define FLOWLATCH_RUNTIME_PLAN_CHAIN_H_

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/kernel/kernel.h"

namespace flowlatch {

inline constexpr char kChainAttr[] = "_chain";  // list(string): the ops
inline constexpr char kHeldAttr[] = "_held";    // list(int): inputs whose elements never change while somebody holds them

// Whether the factory is asked for the kernel of a chain.
inline bool IsChain(const NodeInfo& node) { return node.attrs().contains(kChainAttr); }
// Its ops; none if it is not.
inline absl::Span<const std::string> ChainOps(const NodeInfo& node) {
  const Attr* attr = node.attrs().Find(kChainAttr);
  const auto* ops = attr != nullptr ? attr->Get<std::vector<std::string>>() : nullptr;
  return ops != nullptr ? absl::MakeConstSpan(*ops) : absl::Span<const std::string>();
}
inline bool ChainEndsWith(const NodeInfo& node, std::string_view op) {
  const absl::Span<const std::string> ops = ChainOps(node);
  return !ops.empty() && ops.back() == op;
}
inline bool IsChainOf(const NodeInfo& node, std::initializer_list<std::string_view> want) {
  const absl::Span<const std::string> ops = ChainOps(node);
  return std::equal(ops.begin(), ops.end(), want.begin(), want.end());
}

inline bool IsHeld(const NodeInfo& node, int64_t input) {
  const Attr* attr = node.attrs().Find(kHeldAttr);
  const auto* inputs = attr != nullptr ? attr->Get<std::vector<int64_t>>() : nullptr;
  return inputs != nullptr && std::find(inputs->begin(), inputs->end(), input) != inputs->end();
}

}  // namespace flowlatch

#endif  // FLOWLATCH_RUNTIME_PLAN_CHAIN_H_
