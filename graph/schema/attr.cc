#include "graph/schema/attr.h"

#include <algorithm>
#include <array>
#include <bit>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace flowlatch {
namespace {

const std::vector<AttrMap::Entry>& NoEntries() {
  static const auto* none = new std::vector<AttrMap::Entry>;
  return *none;
}

struct ByName {
  bool operator()(const AttrMap::Entry& e, std::string_view name) const { return std::string_view(e.first) < name; }
};

// Bitwise, so that NaN equals itself.
bool SameFloat(float a, float b) { return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }

bool SameTensor(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.dims() != b.dims()) return false;
  if (a.dtype() == DType::kString) return a.values<String>() == b.values<String>();
  if (IsObjectDType(a.dtype())) return a.SharesBufferWith(b);
  return a.num_elements() == 0 || std::memcmp(a.raw_data(), b.raw_data(), a.size_bytes()) == 0;
}

std::string ShortestFloat(float f) {
  std::string text = absl::StrCat(f);
  // StrCat prints six digits; more are needed where they do not read back.
  float back = 0;
  if (std::sscanf(text.c_str(), "%f", &back) == 1 && SameFloat(back, f)) return text;
  char exact[32];
  std::snprintf(exact, sizeof exact, "%.9g", static_cast<double>(f));
  return exact;
}

struct ToText {
  std::string operator()(std::monostate) const { return "none"; }
  std::string operator()(int64_t v) const { return absl::StrCat(v); }
  std::string operator()(float v) const {
    std::string text = ShortestFloat(v);
    return text.find_first_of(".einf") == std::string::npos ? text + ".0" : text;
  }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(const std::string& v) const { return absl::StrCat("\"", absl::CHexEscape(v), "\""); }
  std::string operator()(DType v) const { return std::string(DTypeName(v)); }
  std::string operator()(const PartialShape& v) const { return v.ToString(); }
  std::string operator()(const Tensor& v) const { return v.DebugString(); }
  std::string operator()(const AttrPlaceholder& v) const { return absl::StrCat("$", v.name); }
  std::string operator()(const FunctionRef& v) const {
    std::string text = v.name;
    if (v.attrs.empty()) return text;
    text += '{';
    for (const auto& [name, attr] : v.attrs.entries()) {
      if (text.back() != '{') text += ", ";
      text += absl::StrCat(name, "=", attr.ToString());
    }
    return text + "}";
  }
  template <typename T>
  std::string operator()(const std::vector<T>& list) const {
    std::string text = "[";
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text += ", ";
      text += (*this)(static_cast<const T&>(list[i]));
    }
    return text + "]";
  }
};

struct SameValue {
  template <typename A, typename B>
  bool operator()(const A&, const B&) const {
    return false;
  }
  bool operator()(float a, float b) const { return SameFloat(a, b); }
  bool operator()(const Tensor& a, const Tensor& b) const { return SameTensor(a, b); }
  bool operator()(const std::vector<float>& a, const std::vector<float>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameFloat);
  }
  bool operator()(const std::vector<Tensor>& a, const std::vector<Tensor>& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), SameTensor);
  }
  template <typename A>
  bool operator()(const A& a, const A& b) const {
    return a == b;
  }
};

}  // namespace

AttrMap::AttrMap(std::map<std::string, Attr> attrs) {
  if (attrs.empty()) return;
  auto entries = std::make_shared<std::vector<Entry>>();
  entries->reserve(attrs.size());
  for (auto& [name, attr] : attrs) entries->push_back({name, std::move(attr)});
  entries_ = std::move(entries);
}

AttrMap::AttrMap(std::initializer_list<Entry> attrs) {
  std::map<std::string, Attr> sorted;
  for (const Entry& e : attrs) sorted.insert_or_assign(e.first, e.second);
  *this = AttrMap(std::move(sorted));
}

const std::vector<AttrMap::Entry>& AttrMap::entries() const { return entries_ != nullptr ? *entries_ : NoEntries(); }

const Attr* AttrMap::Find(std::string_view name) const {
  const std::vector<Entry>& all = entries();
  const auto at = std::lower_bound(all.begin(), all.end(), name, ByName());
  return at != all.end() && at->first == name ? &at->second : nullptr;
}

AttrMap AttrMap::With(std::string name, Attr value) const {
  auto copy = std::make_shared<std::vector<Entry>>(entries());
  const auto at = std::lower_bound(copy->begin(), copy->end(), std::string_view(name), ByName());
  if (at != copy->end() && at->first == name) {
    at->second = std::move(value);
  } else {
    copy->insert(at, {std::move(name), std::move(value)});
  }
  AttrMap result;
  result.entries_ = std::move(copy);
  return result;
}

AttrMap AttrMap::Without(std::string_view name) const {
  if (!contains(name)) return *this;
  AttrMap result;
  if (entries().size() == 1) return result;
  auto copy = std::make_shared<std::vector<Entry>>(entries());
  copy->erase(std::lower_bound(copy->begin(), copy->end(), name, ByName()));
  result.entries_ = std::move(copy);
  return result;
}

bool AttrMap::operator==(const AttrMap& o) const { return entries_ == o.entries_ || entries() == o.entries(); }

std::string_view Attr::KindName() const {
  // In the order of Value's alternatives.
  static constexpr std::array<std::string_view, std::variant_size_v<Value>> kNames = {
      "none",       "int",        "float",        "bool",       "string",      "type",         "shape",       "tensor",    "func",
      "list(int)",  "list(float)", "list(bool)",  "list(string)", "list(type)", "list(shape)", "list(tensor)", "list(func)", "placeholder"};
  return kNames[value_.index()];
}

std::string Attr::ToString() const { return std::visit(ToText(), value_); }

bool Attr::operator==(const Attr& o) const { return std::visit(SameValue(), value_, o.value_); }

}  // namespace flowlatch
