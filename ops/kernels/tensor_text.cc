#include "ops/kernels/tensor_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "runtime/kernel/dispatch.h"

namespace flowlatch {
namespace {

// The shorter of two numbers of digits, if it reads back as the same value.
void AppendFloat(std::string& out, float x) {
  char text[64];
  std::snprintf(text, sizeof text, "%.6g", x);
  if (std::strtof(text, nullptr) != x && !std::isnan(x)) std::snprintf(text, sizeof text, "%.9g", x);
  out += std::isnan(x) ? "nan" : text;
}

void AppendDouble(std::string& out, double x) {
  char text[64];
  std::snprintf(text, sizeof text, "%.15g", x);
  if (std::strtod(text, nullptr) != x && !std::isnan(x)) std::snprintf(text, sizeof text, "%.17g", x);
  out += std::isnan(x) ? "nan" : text;
}

void AppendEscaped(std::string& out, std::string_view s) {
  for (const char c : s) {
    const unsigned char u = static_cast<unsigned char>(c);
    switch (c) {
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      case '"': out += "\\\""; break;
      case '\'': out += "\\'"; break;
      case '\\': out += "\\\\"; break;
      default:
        if (u >= 32 && u != 127) {
          out += c;
        } else {
          out += {'\\', static_cast<char>('0' + u / 64), static_cast<char>('0' + u / 8 % 8), static_cast<char>('0' + u % 8)};
        }
    }
  }
}

void AppendHandle(std::string& out, const ResourceHandle& handle) {
  if (!handle) {
    out += "<ResourceHandle()>";
    return;
  }
  absl::StrAppend(&out, "<ResourceHandle(name=\"", handle->name, "\", container=\"", handle->container, "\", type=\"",
                  handle->type_name, "\")>");
}

constexpr DTypeSet kPrinted = kNumberTypes | kQuantizedTypes |
                              DTypeSet{DType::kBool, DType::kString, DType::kResource, DType::kVariant, DType::kFloat8E5M2,
                                       DType::kFloat8E4M3FN, DType::kInt4, DType::kUInt4};

void AppendElement(std::string& out, const Tensor& t, int64_t i, bool quoted) {
  const bool printed = DispatchDType<kPrinted>(t.dtype(), false, [&]<typename T>() {
    const T& x = t.data<T>()[i];
    if constexpr (std::is_same_v<T, String>) {
      if (quoted) out += '"';
      AppendEscaped(out, x);
      if (quoted) out += '"';
    } else if constexpr (std::is_same_v<T, ResourceHandle>) {
      AppendHandle(out, x);
    } else if constexpr (std::is_same_v<T, Variant>) {
      out += x ? x.get()->DebugString() : "<empty>";
    } else if constexpr (std::is_same_v<T, double>) {
      AppendDouble(out, x);
    } else if constexpr (std::is_same_v<T, float> || kIsSmallFloat<T>) {
      AppendFloat(out, x);
    } else if constexpr (std::is_integral_v<T>) {
      absl::StrAppend(&out, +x);
    } else if constexpr (requires { x.value; }) {
      absl::StrAppend(&out, +x.value);
    } else {
      return false;  // complex
    }
    return true;
  });
  if (!printed) out += '?';
}

class LeadingElements {
 public:
  LeadingElements(const Tensor& t, int64_t limit) : t_(t), limit_(limit) {}
  std::string Text() {
    if (t_.is_scalar()) {
      if (limit_ > 0) AppendElement(out_, t_, count_++, false);
    } else {
      AppendDim(0);
    }
    if (t_.num_elements() > limit_) out_ += "...";
    return std::move(out_);
  }

 private:
  // Elements below position `dim` that follow what is already written.
  void AppendDim(int dim) {
    if (count_ == limit_) return;
    const bool is_last = dim == t_.rank() - 1;
    for (int64_t i = 0; i < t_.dim(dim); ++i) {
      if (count_ == limit_) {
        if (is_last && t_.rank() > 1) out_ += "...";
        return;
      }
      if (is_last) {
        if (i > 0) out_ += ' ';
        AppendElement(out_, t_, count_++, false);
      } else {
        out_ += '[';
        AppendDim(dim + 1);
        out_ += ']';
      }
    }
  }

  const Tensor& t_;
  const int64_t limit_;
  int64_t count_ = 0;
  std::string out_;
};

class EdgeElements {
 public:
  EdgeElements(const Tensor& t, int64_t edge) : t_(t), edge_(edge) {}
  std::string Text() {
    AppendDim(0, 0);
    return std::move(out_);
  }

 private:
  // Item `index` of all items of dimensions [0, dim).
  void AppendDim(int dim, int64_t index) {
    if (dim == t_.rank()) return AppendElement(out_, t_, index, true);
    const int64_t size = t_.dim(dim);
    const bool is_last = dim == t_.rank() - 1;
    const std::string separator =
        is_last ? " " : absl::StrCat(std::string(t_.rank() - dim - 1, '\n'), std::string(dim + 1, ' '));
    out_ += '[';
    const int64_t head = std::min(edge_, size);
    for (int64_t i = 0; i < head; ++i) {
      if (i > 0) out_ += separator;
      AppendDim(dim + 1, index * size + i);
    }
    if (size / 2 > edge_ || (size / 2 == edge_ && size % 2 == 1)) absl::StrAppend(&out_, separator, "...");
    for (int64_t i = std::max(head, size - edge_); i < size; ++i) {
      out_ += separator;
      AppendDim(dim + 1, index * size + i);
    }
    out_ += ']';
  }

  const Tensor& t_;
  const int64_t edge_;
  std::string out_;
};

// Complex elements have no text: only their number shows.
std::string ComplexText(const Tensor& t, int64_t limit) {
  std::string out;
  for (int64_t i = 0; i < limit; ++i) out += i == 0 ? "?" : " ?";
  if (t.num_elements() > limit) out += "...";
  return t.is_scalar() ? out : absl::StrCat("[", out, "]");
}

int64_t Limit(const Tensor& t, int64_t wanted) {
  return wanted < 0 ? t.num_elements() : std::min(wanted, t.num_elements());
}

}  // namespace

std::string LeadingElementsText(const Tensor& t, int64_t limit) { return LeadingElements(t, Limit(t, limit)).Text(); }

std::string EdgeElementsText(const Tensor& t, int64_t edge) {
  const int64_t k = Limit(t, edge);
  if (IsComplex(t.dtype())) return ComplexText(t, k);
  if (k == 0 && t.dtype() == DType::kBool) return "";
  if (k == 0 && t.is_scalar()) return "...";
  return EdgeElements(t, k).Text();
}

}  // namespace flowlatch
