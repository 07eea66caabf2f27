// Attr: the value of one attribute of a node. AttrMap: all attributes of a node, immutable and shared.
#ifndef FLOWLATCH_GRAPH_SCHEMA_ATTR_H_
#define FLOWLATCH_GRAPH_SCHEMA_ATTR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "graph/tensor/dtype.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/tensor.h"

namespace flowlatch {

class Attr;

// A set of attributes, sorted by name. Copies share it.
class AttrMap {
 public:
  struct Entry;  // a name and its Attr
  AttrMap() = default;
  explicit AttrMap(std::map<std::string, Attr> attrs);
  AttrMap(std::initializer_list<Entry> attrs);

  const Attr* Find(std::string_view name) const;  // null if absent
  bool contains(std::string_view name) const { return Find(name) != nullptr; }
  const std::vector<Entry>& entries() const;
  bool empty() const { return entries_ == nullptr; }
  // A copy in which `name` is `value`.
  AttrMap With(std::string name, Attr value) const;
  // A copy without `name`.
  AttrMap Without(std::string_view name) const;
  bool operator==(const AttrMap& o) const;
  // Whether both are the same object: equal sets of one graph usually are.
  bool SharesWith(const AttrMap& o) const { return entries_ == o.entries_; }

 private:
  std::shared_ptr<const std::vector<Entry>> entries_;
};

// A function of the library with attribute values for its body.
struct FunctionRef {
  std::string name;
  AttrMap attrs;
  bool operator==(const FunctionRef& o) const { return name == o.name && attrs == o.attrs; }
};

// Stands in a function's body for an attribute of the function.
struct AttrPlaceholder {
  std::string name;
  bool operator==(const AttrPlaceholder&) const = default;
};

// An int, float, bool, string, type, shape, tensor or func, or a list of one of these. An empty list has no kind of its
// own when it is read without a schema; `std::vector<int64_t>` stands for it then.
class Attr {
 public:
  using Value = std::variant<std::monostate, int64_t, float, bool, std::string, DType, PartialShape, Tensor, FunctionRef,
                             std::vector<int64_t>, std::vector<float>, std::vector<bool>, std::vector<std::string>,
                             std::vector<DType>, std::vector<PartialShape>, std::vector<Tensor>,
                             std::vector<FunctionRef>, AttrPlaceholder>;
  Attr() = default;
  template <typename T>
    requires(!std::is_same_v<std::decay_t<T>, Attr> && !std::is_same_v<std::decay_t<T>, int> &&
             !std::is_convertible_v<T, std::string_view>)
  Attr(T value) : value_(std::move(value)) {}  // NOLINT: attrs are written as plain values
  Attr(int value) : value_(int64_t{value}) {}  // NOLINT
  Attr(std::string_view value) : value_(std::string(value)) {}  // NOLINT
  Attr(const char* value) : value_(std::string(value)) {}       // NOLINT
  Attr(std::string value) : value_(std::move(value)) {}         // NOLINT

  // The value as T, or null when it is of another kind.
  template <typename T>
  const T* Get() const {
    return std::get_if<T>(&value_);
  }
  const Value& value() const { return value_; }
  // "int", "list(type)", as in signatures.
  std::string_view KindName() const;
  std::string ToString() const;
  bool operator==(const Attr& o) const;

 private:
  Value value_;
};

struct AttrMap::Entry {
  std::string first;
  Attr second;
  bool operator==(const Entry&) const = default;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_SCHEMA_ATTR_H_
