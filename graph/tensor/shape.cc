#include "graph/tensor/shape.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "graph/base/checked_math.h"

namespace flowlatch {

std::string DimsToString(absl::Span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += dims[i] < 0 ? "?" : absl::StrCat(dims[i]);
  }
  return text + "]";
}

absl::StatusOr<Shape> Shape::Make(absl::Span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("shape: expected at most ", kMaxRank, " dimensions, got ", dims.size()));
  }
  Shape shape;
  shape.dims_.assign(dims.begin(), dims.end());
  // A zero makes the product zero, but the other dimensions must still multiply to something that fits.
  int64_t nonzero_product = 1;
  bool empty = false;
  for (int64_t d : dims) {
    if (d < 0) return absl::InvalidArgumentError(absl::StrCat("shape: expected dimensions >= 0, got ", d));
    if (d == 0) {
      empty = true;
      continue;
    }
    const std::optional<int64_t> product = CheckedMul(nonzero_product, d);
    if (!product.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape: expected an element count that fits int64, got ", DimsToString(dims)));
    }
    nonzero_product = *product;
  }
  shape.num_elements_ = empty ? 0 : nonzero_product;
  return shape;
}

Shape Shape::FromValid(absl::Span<const int64_t> dims) {
  Shape shape;
  shape.dims_.assign(dims.begin(), dims.end());
  for (int64_t d : dims) shape.num_elements_ *= d;
  return shape;
}

std::string Shape::ToString() const { return DimsToString(dims_); }

absl::StatusOr<PartialShape> PartialShape::Make(absl::Span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("shape: expected at most ", kMaxRank, " dimensions, got ", dims.size()));
  }
  for (int64_t d : dims) {
    if (d < -1) return absl::InvalidArgumentError(absl::StrCat("shape: expected dimensions >= -1, got ", d));
  }
  PartialShape shape = FromValid(dims);
  if (shape.fully_defined()) {
    absl::StatusOr<Shape> complete = Shape::Make(dims);
    if (!complete.ok()) return complete.status();
  }
  return shape;
}

PartialShape PartialShape::FromValid(absl::Span<const int64_t> dims) {
  PartialShape shape;
  shape.known_rank_ = true;
  shape.dims_.assign(dims.begin(), dims.end());
  return shape;
}

PartialShape PartialShape::UnknownOfRank(int rank) {
  PartialShape shape;
  shape.known_rank_ = true;
  shape.dims_.assign(rank, -1);
  return shape;
}

bool PartialShape::fully_defined() const {
  return known_rank_ && std::all_of(dims_.begin(), dims_.end(), [](int64_t d) { return d >= 0; });
}

std::optional<Shape> PartialShape::ToShape() const {
  if (!fully_defined()) return std::nullopt;
  absl::StatusOr<Shape> shape = Shape::Make(dims_);
  if (!shape.ok()) return std::nullopt;
  return *std::move(shape);
}

bool PartialShape::CompatibleWith(const PartialShape& other) const { return MergeWith(other).ok(); }

bool PartialShape::IsAtLeastAsSpecificAs(const PartialShape& invariant) const {
  if (!invariant.known_rank_) return true;
  if (!known_rank_ || rank() != invariant.rank()) return false;
  for (int i = 0; i < rank(); ++i) {
    if (invariant.has_dim(i) && invariant.dim(i) != dim(i)) return false;
  }
  return true;
}

absl::StatusOr<PartialShape> PartialShape::MergeWith(const PartialShape& other) const {
  if (!known_rank_) return other;
  if (!other.known_rank_) return *this;
  const auto mismatch = [&] {
    return absl::InvalidArgumentError(absl::StrCat("shapes: expected to agree, got ", ToString(), " and ", other.ToString()));
  };
  if (rank() != other.rank()) return mismatch();
  PartialShape merged = *this;
  for (int i = 0; i < rank(); ++i) {
    if (!has_dim(i)) {
      merged.dims_[i] = other.dims_[i];
    } else if (other.has_dim(i) && dim(i) != other.dim(i)) {
      return mismatch();
    }
  }
  return merged;
}

PartialShape PartialShape::JoinWith(const PartialShape& other) const {
  if (!known_rank_ || !other.known_rank_ || rank() != other.rank()) return PartialShape();
  PartialShape joined = *this;
  for (int i = 0; i < rank(); ++i) {
    if (dim(i) != other.dim(i)) joined.dims_[i] = -1;
  }
  return joined;
}

absl::StatusOr<PartialShape> PartialShape::Concatenate(const PartialShape& tail) const {
  if (!known_rank_ || !tail.known_rank_) return PartialShape();
  Dims dims = dims_;
  dims.insert(dims.end(), tail.dims_.begin(), tail.dims_.end());
  return Make(dims);
}

std::string PartialShape::ToString() const { return known_rank_ ? DimsToString(dims_) : "?"; }

namespace {

// One dimension of a broadcast; -1 is unknown. Returns false when the two cannot meet.
bool BroadcastDim(int64_t x, int64_t y, int64_t* out) {
  if (x == 1) {
    *out = y;
  } else if (y == 1 || x == y) {
    *out = x;
  } else if (x < 0 || y < 0) {
    *out = std::max(x, y);  // an unknown dimension beside one larger than 1 must be 1 or equal to it
  } else {
    return false;
  }
  return true;
}

absl::StatusOr<Dims> Broadcast(absl::Span<const int64_t> x, absl::Span<const int64_t> y) {
  const size_t rank = std::max(x.size(), y.size());
  Dims out(rank);
  for (size_t i = 0; i < rank; ++i) {  // from the last dimension
    const int64_t dx = i < x.size() ? x[x.size() - 1 - i] : 1;
    const int64_t dy = i < y.size() ? y[y.size() - 1 - i] : 1;
    if (!BroadcastDim(dx, dy, &out[rank - 1 - i])) {
      return absl::InvalidArgumentError(absl::StrCat("shapes: expected to broadcast, got incompatible ", DimsToString(x),
                                                     " and ", DimsToString(y)));
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<Shape> BroadcastShapes(absl::Span<const int64_t> x, absl::Span<const int64_t> y) {
  absl::StatusOr<Dims> dims = Broadcast(x, y);
  if (!dims.ok()) return dims.status();
  return Shape::Make(*dims);
}

absl::StatusOr<PartialShape> BroadcastPartialShapes(const PartialShape& x, const PartialShape& y) {
  if (!x.has_rank() || !y.has_rank()) return PartialShape();
  absl::StatusOr<Dims> dims = Broadcast(x.dims(), y.dims());
  if (!dims.ok()) return dims.status();
  return PartialShape::Make(*dims);
}

}  // namespace flowlatch
