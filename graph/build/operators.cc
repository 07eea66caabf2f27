#include "graph/build/builder_graph.h"
#include "graph/build/graph_builder.h"
#include "graph/build/output.h"

namespace flowlatch {

DType Output::dtype() const { return *this ? builder_->dtype(*this) : DType::kInvalid; }

bool Output::is_ref() const {
  const Operation op(*this);
  return op.num_outputs() > 0 && builder_->node(op).types->outputs[port_.index].is_ref;
}

const PartialShape& Output::shape() const {
  static const PartialShape unknown;
  return *this ? builder_->shape(*this) : unknown;
}

std::string Output::name() const {
  return Operation(*this).num_outputs() > 0 ? builder_->graph_at(graph_).graph.PortName(port_) : "";
}

// After Build the builder knows no nodes.
std::string Operation::name() const { return *this ? std::string(builder_->node(*this).name) : ""; }

int Operation::num_outputs() const { return *this ? builder_->node(*this).num_outputs() : 0; }

Output Operation::output(int i) const {
  return i >= 0 && i < num_outputs() ? Output(builder_, graph_, Port{node_, i}) : Output();
}

Outputs Operation::outputs() const {
  Outputs all;
  for (int i = 0; i < num_outputs(); ++i) all.push_back(output(i));
  return all;
}

Output BinaryOp(std::string_view op, const Input& x, const Input& y, std::source_location at) {
  const Output* any = x.output() != nullptr && *x.output() ? x.output() : y.output();
  if (any == nullptr || any->builder() == nullptr) return {};
  return any->builder()->Op(op, {x, y}, {}, "", at).output();
}

Output Divide(const Input& x, const Input& y, std::source_location at) {
  const Output* any = x.output() != nullptr && *x.output() ? x.output() : y.output();
  return BinaryOp(any != nullptr && IsInteger(any->dtype()) ? "FloorDiv" : "RealDiv", x, y, at);
}

Output Output::operator+(const Operand& y) const { return BinaryOp("AddV2", *this, y.input, y.at); }
Output Output::operator-(const Operand& y) const { return BinaryOp("Sub", *this, y.input, y.at); }
Output Output::operator*(const Operand& y) const { return BinaryOp("Mul", *this, y.input, y.at); }
Output Output::operator/(const Operand& y) const { return Divide(*this, y.input, y.at); }
Output Output::operator%(const Operand& y) const { return BinaryOp("FloorMod", *this, y.input, y.at); }
Output Output::operator<(const Operand& y) const { return BinaryOp("Less", *this, y.input, y.at); }
Output Output::operator<=(const Operand& y) const { return BinaryOp("LessEqual", *this, y.input, y.at); }
Output Output::operator>(const Operand& y) const { return BinaryOp("Greater", *this, y.input, y.at); }
Output Output::operator>=(const Operand& y) const { return BinaryOp("GreaterEqual", *this, y.input, y.at); }
Output operator-(const OutputOperand& x) {
  return x.output ? x.output.builder()->Op("Neg", {x.output}, {}, "", x.at).output() : Output();
}

}  // namespace flowlatch
