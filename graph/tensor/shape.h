// Shape: the dimensions of a tensor. PartialShape: what is known of them before a run.
#ifndef FLOWLATCH_GRAPH_TENSOR_SHAPE_H_
#define FLOWLATCH_GRAPH_TENSOR_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace flowlatch {

inline constexpr int kMaxRank = 254;

using Dims = absl::InlinedVector<int64_t, 6>;

// Complete dimensions. Invariants: rank <= kMaxRank, each dimension >= 0, the element count fits int64.
class Shape {
 public:
  Shape() = default;  // scalar
  // The one checked way from numbers to a shape.
  // Errors: InvalidArgument for a negative dimension, too many dimensions or an element count beyond int64.
  static absl::StatusOr<Shape> Make(absl::Span<const int64_t> dims);
  // Requires: valid dims, known by the caller (literals, and pieces of shapes whose product cannot grow).
  static Shape Of(std::initializer_list<int64_t> dims) { return FromValid({dims.begin(), dims.size()}); }
  static Shape FromValid(absl::Span<const int64_t> dims);

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t dim(int i) const { return dims_[i]; }
  absl::Span<const int64_t> dims() const { return dims_; }
  int64_t num_elements() const { return num_elements_; }
  std::string ToString() const;  // "[2,3]"
  bool operator==(const Shape& o) const { return dims_ == o.dims_; }

 private:
  Dims dims_;
  int64_t num_elements_ = 1;
};

std::string DimsToString(absl::Span<const int64_t> dims);  // "[2,?]": negative dimensions print as ?

// Dimensions of which some, or even the rank, may be unknown.
class PartialShape {
 public:
  PartialShape() = default;  // unknown rank
  PartialShape(const Shape& shape) : known_rank_(true), dims_(shape.dims().begin(), shape.dims().end()) {}  // NOLINT
  // -1 marks an unknown dimension. Errors: InvalidArgument for dimensions below -1, or too many.
  static absl::StatusOr<PartialShape> Make(absl::Span<const int64_t> dims);
  // Requires: dims >= -1.
  static PartialShape Of(std::initializer_list<int64_t> dims) { return FromValid({dims.begin(), dims.size()}); }
  static PartialShape FromValid(absl::Span<const int64_t> dims);
  static PartialShape UnknownOfRank(int rank);

  bool has_rank() const { return known_rank_; }
  int rank() const { return known_rank_ ? static_cast<int>(dims_.size()) : -1; }
  int64_t dim(int i) const { return dims_[i]; }  // -1 if unknown; requires has_rank()
  bool has_dim(int i) const { return dims_[i] >= 0; }
  absl::Span<const int64_t> dims() const { return dims_; }
  bool fully_defined() const;
  // The complete shape, or nullopt.
  std::optional<Shape> ToShape() const;
  // Whether a tensor could have both shapes.
  bool CompatibleWith(const PartialShape& other) const;
  // Whether every tensor of `this` fits `invariant` (semantics.md 5.13).
  bool IsAtLeastAsSpecificAs(const PartialShape& invariant) const;
  // What both say together. Errors: InvalidArgument where they disagree.
  absl::StatusOr<PartialShape> MergeWith(const PartialShape& other) const;
  // What holds for a value that has one or the other shape.
  PartialShape JoinWith(const PartialShape& other) const;
  absl::StatusOr<PartialShape> Concatenate(const PartialShape& tail) const;
  std::string ToString() const;  // "[2,?]", "?" for unknown rank
  bool operator==(const PartialShape&) const = default;

 private:
  bool known_rank_ = false;
  Dims dims_;
};

// Shape of an elementwise result of x and y (dimensions of 1 stretch). Errors: InvalidArgument when they do not match.
absl::StatusOr<Shape> BroadcastShapes(absl::Span<const int64_t> x, absl::Span<const int64_t> y);
absl::StatusOr<PartialShape> BroadcastPartialShapes(const PartialShape& x, const PartialShape& y);

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TENSOR_SHAPE_H_
