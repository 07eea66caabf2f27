#include "ops/kernels/examples.h"

#include "absl/strings/escaping.h"

namespace flowlatch {

absl::StatusOr<Keys> ReadKeyVector(const Tensor& t, int expected, const char* what) {
  if (!t.is_vector() || t.dim(0) != expected) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": expected shape [", expected, "], got shape ", t.ShapeString()));
  }
  Keys keys;
  for (const String& key : t.values<String>()) keys.emplace_back(key.view());
  return keys;
}

absl::StatusOr<Keys> ReadScalarKeys(const KernelCall& c, int first, int n, const char* what) {
  Keys keys;
  for (int i = 0; i < n; ++i) {
    const Tensor& t = c.input(first + i);
    if (!t.is_scalar()) {
      return absl::InvalidArgumentError(absl::StrCat(what, " ", i, ": expected a scalar, got shape ", t.ShapeString()));
    }
    keys.emplace_back(t.scalar<String>().view());
  }
  return keys;
}

absl::StatusOr<std::vector<std::string>> NamesOfExamples(const Tensor& serialized, const Tensor* names) {
  const Tensor* given = names == nullptr || names->num_elements() == 0 ? nullptr : names;
  if (given != nullptr && given->dims() != serialized.dims()) {
    return absl::InvalidArgumentError(absl::StrCat("names: expected the shape of serialized, ", serialized.ShapeString(),
                                                   ", or nothing, got shape ", given->ShapeString()));
  }
  std::vector<std::string> all;
  for (int64_t i = 0; i < serialized.num_elements(); ++i) {
    std::string name = absl::StrCat("example ", i);
    if (given != nullptr) absl::StrAppend(&name, " '", absl::CHexEscape(std::string(given->data<String>()[i].view())), "'");
    all.push_back(name + ": ");
  }
  return all;
}

}  // namespace flowlatch
