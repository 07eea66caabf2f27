// Variables that go with another variable: of its shape, kind and place.
#ifndef FLOWLATCH_GRAPH_TRAIN_SLOTS_H_
#define FLOWLATCH_GRAPH_TRAIN_SLOTS_H_

#include <optional>
#include <source_location>
#include <string_view>

#include "graph/build/variable.h"

namespace flowlatch {

// "w/name" for variable w, made unique; not trainable. In checkpoints a slot of a part is a part of the slot.
GraphVariable MakeSlot(GraphBuilder& b, const GraphVariable& variable, std::string_view name, const Initializer& initial, std::source_location at);
// With `value` everywhere.
GraphVariable MakeSlot(GraphBuilder& b, const GraphVariable& variable, std::string_view name, double value, std::source_location at);

// What is made in the scope goes to the device of the variable, where its graph is the current one.
std::optional<BuilderScope> WithVariable(GraphBuilder& b, const GraphVariable& variable, std::source_location at);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TRAIN_SLOTS_H_
