// Values that occur, each once, in the order in which they first occur.
//   Unique, UniqueWithCounts: x [n] -> y [m] without repetitions, where in y each element of x is, how often each
//   occurs UniqueV2, UniqueWithCountsV2: the same of the slices of x along `axis`; with an empty axis of a vector's
//   elements ListDiff: the elements of x [n] that y [k] has not, and where they were
// NaN equals nothing, and the two zeros are equal; of these the first is kept.
#include "ops/unique_ops.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "graph/base/status_macros.h"
#include "graph/schema/op_registry.h"
#include "graph/schema/shape_context.h"
#include "ops/kernels/inputs.h"
#include "ops/kernels/item_array.h"
#include "ops/kernels/moving_kernel.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

constexpr DTypeSet kUniqueTypes = kRealTypes | DTypeSet{DType::kBool, DType::kString};

// What an element is compared and hashed as.
template <typename T>
auto KeyOf(const T& value) {
  if constexpr (std::is_same_v<T, String>) {
    const std::string_view view = value.view();
    return absl::string_view(view.data(), view.size());
  } else if constexpr (kIsSmallFloat<T>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

// The slices of a tensor along an axis: slice i consists of x[o, i, k] for all o and k.
template <typename T>
struct Slices {
  const T* data;
  int64_t outer, n, inner;

  const T* Run(int64_t o, int64_t i) const { return data + (o * n + i) * inner; }

  struct Hash {
    const Slices* slices;
    size_t operator()(int64_t i) const {
      size_t hash = 0;
      for (int64_t o = 0; o < slices->outer; ++o) {
        const T* run = slices->Run(o, i);
        for (int64_t k = 0; k < slices->inner; ++k) hash = absl::HashOf(hash, KeyOf(run[k]));  // 0 and -0 hash alike
      }
      return hash;
    }
  };
  struct Equal {
    const Slices* slices;
    bool operator()(int64_t i, int64_t j) const {
      for (int64_t o = 0; o < slices->outer; ++o) {
        const T* x = slices->Run(o, i);
        const T* y = slices->Run(o, j);
        for (int64_t k = 0; k < slices->inner; ++k) {
          if (!(KeyOf(x[k]) == KeyOf(y[k]))) return false;
        }
      }
      return true;
    }
  };
};

// ---- Unique

struct UniqueShape {
  int axis = 0;
  int64_t outer = 1, n = 0, inner = 1;
};

absl::StatusOr<UniqueShape> SplitAtAxis(const Tensor& x, const Tensor* axis) {
  Dims axes;
  if (axis != nullptr) {
    ASSIGN_OR_RETURN(axes, ReadIntVector(*axis, "axis"));
  }
  if (axes.size() > 1) {
    return absl::InvalidArgumentError(absl::StrCat("axis: expected at most one value, got ", axes.size()));
  }
  UniqueShape shape;
  if (axes.empty()) {
    if (!x.is_vector()) {
      return absl::InvalidArgumentError(absl::StrCat("x: expected a vector, got shape ", x.ShapeString()));
    }
  } else {
    ASSIGN_OR_RETURN(shape.axis, NormalizeAxis(axes[0], x.rank()));
  }
  shape.n = x.dim(shape.axis);
  if (x.num_elements() == 0) return UniqueShape{.axis = shape.axis, .outer = 0, .n = shape.n, .inner = 0};
  for (int i = 0; i < x.rank(); ++i) {
    if (i < shape.axis) shape.outer *= x.dim(i);
    if (i > shape.axis) shape.inner *= x.dim(i);
  }
  return shape;
}

template <typename Index>
absl::Status CheckIndices(int64_t n) {
  if (n <= std::numeric_limits<Index>::max()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("x: expected a number of values that fits out_idx, got ", n));
}

template <typename T, typename Index>
absl::Status Unique(KernelCall& c) {
  const Tensor& x = c.input(0);
  ASSIGN_OR_RETURN(const UniqueShape shape, SplitAtAxis(x, c.num_inputs() > 1 ? &c.input(1) : nullptr));
  RETURN_IF_ERROR(CheckIndices<Index>(shape.n));
  ASSIGN_OR_RETURN(Tensor * idx, c.AllocateOutput(1, kDTypeOf<Index>, {shape.n}));
  ASSIGN_OR_RETURN(Tensor firsts, Tensor::Make(DType::kInt64, {shape.n}));  // where each of y is in x

  const Slices<T> slices{Elements<T>(x), shape.outer, shape.n, shape.inner};
  using Hash = typename Slices<T>::Hash;
  using Equal = typename Slices<T>::Equal;
  absl::flat_hash_map<int64_t, Index, Hash, Equal> positions(0, Hash{&slices}, Equal{&slices});
  int64_t* first = firsts.mutable_data<int64_t>();
  Index count = 0;
  for (int64_t i = 0; i < shape.n; ++i) {
    if (!Equal{&slices}(i, i)) {  // NaN, which no table can find again
      idx->mutable_data<Index>()[i] = count;
      first[count++] = i;
      continue;
    }
    const auto [it, is_new] = positions.try_emplace(i, count);
    if (is_new) first[count++] = i;
    idx->mutable_data<Index>()[i] = it->second;
  }

  Dims dims(x.dims().begin(), x.dims().end());
  dims[shape.axis] = count;
  ASSIGN_OR_RETURN(Tensor * y, c.AllocateOutput(0, x.dtype(), dims));
  T* to = MutableElements<T>(*y);
  for (int64_t o = 0; o < shape.outer; ++o) {
    for (int64_t i = 0; i < count; ++i, to += shape.inner) std::copy_n(slices.Run(o, first[i]), shape.inner, to);
  }
  if (c.num_outputs() < 3) return absl::OkStatus();
  ASSIGN_OR_RETURN(Tensor * counts, c.AllocateOutput(2, kDTypeOf<Index>, {count}));
  std::fill_n(counts->mutable_data<Index>(), count, Index{0});
  for (const Index i : idx->values<Index>()) ++counts->mutable_data<Index>()[i];
  return absl::OkStatus();
}

absl::Status UniqueShapes(ShapeContext& c) {
  const PartialShape& x = c.input(0);
  std::optional<int64_t> axis = 0;
  if (c.num_inputs() == 1) {
    RETURN_IF_ERROR(c.ExpectVector(0));
  } else {
    RETURN_IF_ERROR(c.ExpectVector(1));
    ASSIGN_OR_RETURN(axis, c.ConstantInt(1));
  }
  for (int i = 1; i < c.num_outputs(); ++i) c.SetOutput(i, PartialShape::UnknownOfRank(1));
  if (c.num_inputs() == 1) {
    c.SetOutput(0, PartialShape::UnknownOfRank(1));
    c.SetOutput(1, x.has_rank() ? x : PartialShape::UnknownOfRank(1));
    return absl::OkStatus();
  }
  if (!x.has_rank()) return absl::OkStatus();
  Dims y(x.rank(), -1);
  if (axis.has_value()) {
    ASSIGN_OR_RETURN(const int at, NormalizeAxis(*axis, x.rank()));
    y.assign(x.dims().begin(), x.dims().end());
    y[at] = -1;
    c.SetOutput(1, PartialShape::Of({x.dim(at)}));
  }
  c.SetOutput(0, PartialShape::FromValid(y));
  return absl::OkStatus();
}

// ---- ListDiff

template <typename T, typename Index>
absl::Status ListDiff(KernelCall& c) {
  const Tensor& x = c.input(0);
  const Tensor& y = c.input(1);
  for (const Tensor* t : {&x, &y}) {
    if (!t->is_vector()) {
      return absl::InvalidArgumentError(
          absl::StrCat(t == &x ? "x" : "y", ": expected a vector, got shape ", t->ShapeString()));
    }
  }
  RETURN_IF_ERROR(CheckIndices<Index>(x.num_elements()));
  absl::flat_hash_set<decltype(KeyOf(std::declval<T>()))> unwanted;
  for (const T& value : y.values<T>()) {
    const auto key = KeyOf(value);
    if (key == key) unwanted.insert(key);  // not NaN
  }
  ItemArray<Index> kept;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    if (!unwanted.contains(KeyOf(x.data<T>()[i]))) RETURN_IF_ERROR(kept.Append(static_cast<Index>(i)));
  }
  ASSIGN_OR_RETURN(Tensor * out, c.AllocateOutput(0, x.dtype(), {kept.size()}));
  ASSIGN_OR_RETURN(Tensor * idx, c.AllocateOutput(1, kDTypeOf<Index>, {kept.size()}));
  for (int64_t i = 0; i < kept.size(); ++i) {
    out->mutable_data<T>()[i] = x.data<T>()[kept[i]];
    idx->mutable_data<Index>()[i] = kept[i];
  }
  return absl::OkStatus();
}

absl::Status ListDiffShape(ShapeContext& c) {
  RETURN_IF_ERROR(c.ExpectVector(0));
  RETURN_IF_ERROR(c.ExpectVector(1));
  for (int i = 0; i < 2; ++i) c.SetOutput(i, PartialShape::UnknownOfRank(1));
  return absl::OkStatus();
}

// ---- Choosing kernels

// choose.template operator()<T, Index>() for attrs T and out_idx.
template <typename Choose>
absl::StatusOr<Kernel> ChooseKernel(const NodeInfo& node, Choose choose) {
  ASSIGN_OR_RETURN(const DType index, node.Type("out_idx"));
  const DType dtype = node.input_dtype(0);
  const KernelFn fn = DispatchDType<kUniqueTypes>(dtype, KernelFn{}, [&]<typename T>() -> KernelFn {
    if (index == DType::kInt32) return choose.template operator()<T, int32_t>();
    return choose.template operator()<T, int64_t>();
  });
  if (fn == nullptr) return NoKernelFor(node, dtype);
  return Kernel{.fn = fn};
}

absl::StatusOr<Kernel> UniqueKernel(const NodeInfo& node) {
  return ChooseKernel(node, []<typename T, typename Index>() -> KernelFn { return &RunKernel<Unique<T, Index>>; });
}

absl::StatusOr<Kernel> ListDiffKernel(const NodeInfo& node) {
  return ChooseKernel(node, []<typename T, typename Index>() -> KernelFn { return &RunKernel<ListDiff<T, Index>>; });
}

}  // namespace

absl::Status RegisterUniqueOps(OpLibrary& library) {
  const auto add = [&](std::string_view name, std::string_view doc, ShapeFunction shape, KernelFactory kernel) {
    return library.Add({.signature = TensorFlowSignature(name),
                        .doc = doc,
                        .shape = shape,
                        .kernel = std::move(kernel),
                        .dtypes = kUniqueTypes});
  };
  RETURN_IF_ERROR(add("Unique", "The different elements of x and where each element of x is among them", UniqueShapes,
                      UniqueKernel));
  RETURN_IF_ERROR(add("UniqueV2", "The different slices of x along axis and where each slice of x is among them",
                      UniqueShapes, UniqueKernel));
  RETURN_IF_ERROR(add("UniqueWithCounts", "As Unique, and how often each element occurs", UniqueShapes, UniqueKernel));
  RETURN_IF_ERROR(
      add("UniqueWithCountsV2", "As UniqueV2, and how often each slice occurs", UniqueShapes, UniqueKernel));
  return add("ListDiff", "The elements of x that y has not, and where they were", ListDiffShape, ListDiffKernel);
}

}  // namespace flowlatch
