// Values of a graph that is being built: Output (a tensor), Operation (a node), Input (an Output or a constant).
#ifndef FLOWLATCH_GRAPH_BUILD_OUTPUT_H_
#define FLOWLATCH_GRAPH_BUILD_OUTPUT_H_

#include <concepts>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/ir/graph.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

class GraphBuilder;
class Operand;
class Output;
class Outputs;

// One output of a node. A plain value; copying it is cheap. It must not outlive its builder. After the builder's first error
// outputs are empty, and everything accepts empty outputs then.
class Output {
 public:
  Output() = default;
  Output(GraphBuilder* builder, int32_t graph, Port port) : builder_(builder), graph_(graph), port_(port) {}

  explicit operator bool() const { return port_.node >= 0; }
  GraphBuilder* builder() const { return builder_; }
  int32_t graph() const { return graph_; }  // which of the builder's graphs: 0 is the outermost, others are function bodies
  Port port() const { return port_; }
  DType dtype() const;               // the base dtype of a reference; kInvalid if empty
  bool is_ref() const;
  const PartialShape& shape() const;  // what is known of it
  std::string name() const;          // "node:0", as feeds and fetches have it; "" if empty
  bool operator==(const Output& o) const = default;

  // Elementwise, with broadcasting; a constant takes this output's dtype. `/` is RealDiv for floats and rounds down for integers.
  // Equal and LogicalAnd, Or, Not are functions: ==, &&, || and ! are about the C++ values.
  Output operator+(const Operand& y) const;
  Output operator-(const Operand& y) const;
  Output operator*(const Operand& y) const;
  Output operator/(const Operand& y) const;
  Output operator%(const Operand& y) const;  // FloorMod
  Output operator<(const Operand& y) const;
  Output operator<=(const Operand& y) const;
  Output operator>(const Operand& y) const;
  Output operator>=(const Operand& y) const;

  template <typename H>
  friend H AbslHashValue(H h, const Output& o) {
    return H::combine(std::move(h), o.builder_, o.graph_, o.port_);
  }

 private:
  GraphBuilder* builder_ = nullptr;
  int32_t graph_ = 0;
  Port port_;
};

// Several outputs. An index beyond the end gives an empty output: after a builder's error there are fewer than expected.
class Outputs : public std::vector<Output> {
 public:
  using std::vector<Output>::vector;
  Output& operator[](size_t i) { return i < size() ? data()[i] : (beyond_ = Output()); }
  const Output& operator[](size_t i) const {
    static const Output empty;
    return i < size() ? data()[i] : empty;
  }

 private:
  Output beyond_;
};

// A node.
class Operation {
 public:
  Operation() = default;
  Operation(GraphBuilder* builder, int32_t graph, NodeId node) : builder_(builder), graph_(graph), node_(node) {}
  Operation(const Output& output) : Operation(output.builder(), output.graph(), output.port().node) {}  // NOLINT

  explicit operator bool() const { return node_ >= 0; }
  GraphBuilder* builder() const { return builder_; }
  int32_t graph() const { return graph_; }
  NodeId node() const { return node_; }
  std::string name() const;  // "" if empty
  int num_outputs() const;
  Output output(int i = 0) const;
  Outputs outputs() const;
  bool operator==(const Operation& o) const = default;

 private:
  GraphBuilder* builder_ = nullptr;
  int32_t graph_ = 0;
  NodeId node_ = -1;
};

template <typename T>
concept Literal = std::is_arithmetic_v<T> || kDTypeOf<T> != DType::kInvalid;

// What a node takes: an output, or a constant written in place, which becomes a Const node. Numbers written in place take the
// dtype of the op's other inputs where it can hold them (`x * 2` works for every dtype of x); tensors keep their own.
class Input {
 public:
  Input(const Output& output) : value_(output) {}       // NOLINT
  Input(const Operation& op) : value_(op.output()) {}   // NOLINT
  Input(Tensor tensor) : value_(Constant{std::move(tensor), false, {}}) {}  // NOLINT
  template <Literal T>
  Input(T value) : value_(Constant{Scalar(value), true, {}}) {}  // NOLINT
  Input(const char* text) : value_(Constant{Tensor::Scalar(text), false, {}}) {}              // NOLINT
  Input(std::string_view text) : value_(Constant{Tensor::Scalar(text), false, {}}) {}         // NOLINT
  Input(const std::string& text) : Input(std::string_view(text)) {}                           // NOLINT
  template <Literal T>
  Input(const std::vector<T>& values) : Input(Make<T>({static_cast<int64_t>(values.size())}, std::vector<T>(values.begin(), values.end()))) {}  // NOLINT
  template <Literal T>
  Input(std::initializer_list<T> values)  // NOLINT
      : Input(Make<T>({static_cast<int64_t>(values.size())}, std::vector<T>(values.begin(), values.end()))) {}
  // Rows of equal length; else an error when it is used.
  template <Literal T>
  Input(std::initializer_list<std::initializer_list<T>> rows) : Input(Nested(rows)) {}  // NOLINT
  template <Literal T>
  Input(std::initializer_list<std::initializer_list<std::initializer_list<T>>> blocks) : Input(Nested3(blocks)) {}  // NOLINT

  const Output* output() const { return std::get_if<Output>(&value_); }
  // Null for outputs.
  const Tensor* constant() const {
    const auto* c = std::get_if<Constant>(&value_);
    return c != nullptr ? &c->tensor : nullptr;
  }
  bool is_literal() const {
    const auto* c = std::get_if<Constant>(&value_);
    return c != nullptr && c->literal;
  }
  // Why this is no constant after all; "" if it is one.
  std::string_view error() const {
    const auto* c = std::get_if<Constant>(&value_);
    return c != nullptr ? std::string_view(c->error) : std::string_view();
  }

 private:
  struct Constant {
    Tensor tensor;
    bool literal;  // may change its dtype
    std::string error;
  };
  explicit Input(Constant c) : value_(std::move(c)) {}

  // C++ types without a dtype of their own: `long long` is int64, `char` and the like are numbers.
  template <typename T>
  static auto Convert(T value) {
    if constexpr (kDTypeOf<T> != DType::kInvalid) {
      return value;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else {
      return static_cast<int64_t>(value);
    }
  }
  template <typename T>
  static Tensor Scalar(T value) {
    return Tensor::Scalar(Convert(value));
  }
  template <typename T>
  static Constant Make(std::vector<int64_t> dims, std::vector<T> values) {
    using Element = decltype(Convert(T{}));
    const absl::StatusOr<Shape> shape = Shape::Make(dims);
    if (!shape.ok()) return {Tensor(), true, std::string(shape.status().message())};
    absl::StatusOr<Tensor> tensor = Tensor::Make(kDTypeOf<Element>, *shape);
    if (!tensor.ok()) return {Tensor(), true, std::string(tensor.status().message())};
    if (tensor->num_elements() != static_cast<int64_t>(values.size())) {
      return {Tensor(), true, "nested constant: expected rows of equal length"};
    }
    for (size_t i = 0; i < values.size(); ++i) tensor->mutable_data<Element>()[i] = Convert(static_cast<T>(values[i]));
    return {*std::move(tensor), true, {}};
  }
  template <typename T>
  static Constant Nested(std::initializer_list<std::initializer_list<T>> rows) {
    std::vector<T> values;
    const size_t columns = rows.size() > 0 ? rows.begin()->size() : 0;
    for (const auto& row : rows) {
      if (row.size() != columns) return {Tensor(), true, "nested constant: expected rows of equal length"};
      values.insert(values.end(), row.begin(), row.end());
    }
    return Make<T>({static_cast<int64_t>(rows.size()), static_cast<int64_t>(columns)}, std::move(values));
  }
  template <typename T>
  static Constant Nested3(std::initializer_list<std::initializer_list<std::initializer_list<T>>> blocks) {
    std::vector<T> values;
    const size_t rows = blocks.size() > 0 ? blocks.begin()->size() : 0;
    const size_t columns = rows > 0 ? blocks.begin()->begin()->size() : 0;
    for (const auto& block : blocks) {
      if (block.size() != rows) return {Tensor(), true, "nested constant: expected blocks of equal length"};
      for (const auto& row : block) {
        if (row.size() != columns) return {Tensor(), true, "nested constant: expected rows of equal length"};
        values.insert(values.end(), row.begin(), row.end());
      }
    }
    return Make<T>({static_cast<int64_t>(blocks.size()), static_cast<int64_t>(rows), static_cast<int64_t>(columns)}, std::move(values));
  }

  std::variant<Output, Constant> value_;
};

// The right side of an operator, with the place where it was written.
class Operand {
 public:
  template <typename T>
    requires std::convertible_to<T, Input>
  Operand(T&& value, std::source_location at = std::source_location::current())  // NOLINT
      : input(AsInput(std::forward<T>(value))), at(at) {}
  Input input;
  std::source_location at;

 private:
  static Input AsInput(Input value) { return value; }
};

// The output that an operator begins with or works on alone, with the place where it was written.
class OutputOperand {
 public:
  template <typename T>
    requires std::convertible_to<T, Output>
  OutputOperand(T&& value, std::source_location at = std::source_location::current())  // NOLINT
      : output(std::forward<T>(value)), at(at) {}
  Output output;
  std::source_location at;
};

Output operator-(const OutputOperand& x);

// `2 * x`, `1 - x`, `1 / x`.
Output BinaryOp(std::string_view op, const Input& x, const Input& y, std::source_location at);
Output Divide(const Input& x, const Input& y, std::source_location at);
template <Literal T>
Output operator+(T x, const OutputOperand& y) { return BinaryOp("AddV2", x, y.output, y.at); }
template <Literal T>
Output operator-(T x, const OutputOperand& y) { return BinaryOp("Sub", x, y.output, y.at); }
template <Literal T>
Output operator*(T x, const OutputOperand& y) { return BinaryOp("Mul", x, y.output, y.at); }
template <Literal T>
Output operator/(T x, const OutputOperand& y) { return Divide(x, y.output, y.at); }

// One gradient that is zero but for some rows: row indices[i] of a tensor of `dense_shape` has values[i] added.
struct IndexedSlices {
  Output values;       // [n, ...]
  Output indices;      // [n], int32 or int64
  Output dense_shape;  // int32 or int64 vector; may be empty
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BUILD_OUTPUT_H_
