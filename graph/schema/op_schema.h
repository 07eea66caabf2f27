// OpSchema: what an op is. Ports, attributes, shape function, gradient and documentation; no kernels.
#ifndef FLOWLATCH_GRAPH_SCHEMA_OP_SCHEMA_H_
#define FLOWLATCH_GRAPH_SCHEMA_OP_SCHEMA_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/schema/attr.h"

namespace flowlatch {

class ShapeContext;  // graph/schema/shape_context.h
class GradContext;   // graph/build

using ShapeFunction = absl::Status (*)(ShapeContext&);
using GradFunction = absl::Status (*)(GradContext&);

// One argument of an op. It stands for one port, or for several: `N * T` (number_attr) or a list of types.
struct ArgSpec {
  std::string name;
  DType dtype = DType::kInvalid;  // fixed dtype; kInvalid if an attr tells
  std::string type_attr;          // attr of kind type
  std::string type_list_attr;     // attr of kind list(type): one port per entry
  std::string number_attr;        // attr of kind int: that many ports
  bool is_ref = false;
};

struct AttrSpec {
  std::string name;
  std::string kind;  // "int", "list(type)", ...
  std::optional<Attr> default_value;
  std::optional<int64_t> minimum;            // of an int, or of a list's length
  DTypeSet allowed_types;                    // empty: all
  std::vector<std::string> allowed_strings;  // empty: all
};

// The dtype of one port; `is_ref` for reference ports.
struct PortType {
  DType dtype = DType::kInvalid;
  bool is_ref = false;
  bool operator==(const PortType&) const = default;
};

// Immutable once registered.
class OpSchema {
 public:
  // From a signature in the grammar of graph/schema/tensorflow_ops.inc:
  //   "MatMul(a: T, b: T) -> (product: T); transpose_a: bool = false; ...; T: {float32, int32}; stateful"
  // Errors: InvalidArgument, with the place, for text outside the grammar.
  static absl::StatusOr<OpSchema> Parse(std::string_view signature);

  // From its parts: signatures of functions, and what is seen of ops that nobody knows. An argument for which nothing tells
  // a dtype takes or gives kInvalid, which fits every dtype.
  struct Parts {
    std::string name;
    std::vector<ArgSpec> inputs, outputs;
    std::vector<AttrSpec> attrs;
    bool stateful = false;
  };
  explicit OpSchema(Parts parts)
      : name_(std::move(parts.name)), inputs_(std::move(parts.inputs)), outputs_(std::move(parts.outputs)),
        attrs_(std::move(parts.attrs)), stateful_(parts.stateful) {}

  const std::string& name() const { return name_; }
  const std::vector<ArgSpec>& inputs() const { return inputs_; }
  const std::vector<ArgSpec>& outputs() const { return outputs_; }
  const std::vector<AttrSpec>& attrs() const { return attrs_; }
  const AttrSpec* FindAttr(std::string_view name) const;
  bool is_stateful() const { return stateful_; }
  bool is_commutative() const { return commutative_; }
  bool is_aggregate() const { return aggregate_; }
  bool allows_uninitialized_input() const { return uninitialized_ok_; }
  int deprecated_since() const { return deprecated_since_; }  // producer version; 0: not deprecated
  const std::string& deprecation_text() const { return deprecation_text_; }
  const std::string& doc() const { return doc_; }
  ShapeFunction shape_function() const { return shape_function_; }
  GradFunction gradient() const { return gradient_; }
  bool is_opaque() const { return opaque_; }  // known by its signature at most: no kernel here

  // Signature text; Parse(ToString()) is the same schema.
  std::string ToString() const;

  // Dtypes of all input or output ports of a node with these attributes.
  // Errors: InvalidArgument when an attr is missing or of the wrong kind, or a count is out of range.
  absl::StatusOr<std::vector<PortType>> InputTypes(const AttrMap& attrs) const;
  absl::StatusOr<std::vector<PortType>> OutputTypes(const AttrMap& attrs) const;
  // Adds nothing; checks each attr of the schema: present or defaulted, kind, minimum, allowed values.
  absl::Status ValidateAttrs(const AttrMap& attrs) const;
  // The attr of a node, or its default; null if neither exists.
  const Attr* AttrOrDefault(const AttrMap& attrs, std::string_view name) const;
  // The ports [first, second) that argument `name` stands for. Errors: NotFound for an unknown argument.
  absl::StatusOr<std::pair<int, int>> InputRange(std::string_view arg, const AttrMap& attrs) const;
  absl::StatusOr<std::pair<int, int>> OutputRange(std::string_view arg, const AttrMap& attrs) const;

  void set_doc(std::string doc) { doc_ = std::move(doc); }
  void set_shape_function(ShapeFunction f) { shape_function_ = f; }
  void set_gradient(GradFunction f) { gradient_ = f; }
  void set_opaque(bool opaque) { opaque_ = opaque; }

 private:
  friend class SignatureParser;
  OpSchema() = default;
  absl::StatusOr<int64_t> PortCount(const ArgSpec& arg, const AttrMap& attrs) const;
  absl::StatusOr<std::vector<PortType>> PortTypes(const std::vector<ArgSpec>& args, const AttrMap& attrs) const;
  absl::StatusOr<std::pair<int, int>> PortRange(const std::vector<ArgSpec>& args, std::string_view arg, const AttrMap& attrs) const;

  std::string name_;
  std::vector<ArgSpec> inputs_, outputs_;
  std::vector<AttrSpec> attrs_;
  bool stateful_ = false, commutative_ = false, aggregate_ = false, uninitialized_ok_ = false, opaque_ = false;
  int deprecated_since_ = 0;
  std::string deprecation_text_;
  std::string doc_;
  ShapeFunction shape_function_ = nullptr;
  GradFunction gradient_ = nullptr;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_SCHEMA_OP_SCHEMA_H_
