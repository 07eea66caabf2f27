#include "tools/arrays/npy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/base/checked_math.h"
#include "graph/base/status_macros.h"
#include "graph/tensor/shape.h"
#include "graph/tensor/string.h"

namespace flowlatch {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

absl::Status Malformed(std::string_view expected, std::string_view got) {
  return absl::InvalidArgumentError(
      absl::StrCat("npy header: expected ", std::string(expected), ", got ", std::string(got)));
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> dims;
};

// The header is a Python dict of three known keys: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  absl::StatusOr<Header> Parse() {
    Header header;
    bool has_descr = false, has_order = false, has_shape = false;
    RETURN_IF_ERROR(Expect('{'));
    while (!Take('}')) {
      ASSIGN_OR_RETURN(const std::string key, Quoted());
      RETURN_IF_ERROR(Expect(':'));
      if (key == "descr") {
        ASSIGN_OR_RETURN(header.descr, Quoted());
        has_descr = true;
      } else if (key == "fortran_order") {
        ASSIGN_OR_RETURN(header.fortran_order, Bool());
        has_order = true;
      } else if (key == "shape") {
        ASSIGN_OR_RETURN(header.dims, Dims());
        has_shape = true;
      } else {
        return Malformed("descr, fortran_order or shape", absl::StrCat("'", key, "'"));
      }
      if (Take(',')) continue;
      RETURN_IF_ERROR(Expect('}'));
      break;
    }
    if (!has_descr || !has_order || !has_shape) return Malformed("descr, fortran_order and shape", "fewer keys");
    return header;
  }

 private:
  void SkipSpaces() {
    while (!rest_.empty() && absl::ascii_isspace(static_cast<unsigned char>(rest_[0]))) rest_.remove_prefix(1);
  }
  bool Take(char c) {
    SkipSpaces();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string Rest() const {
    return rest_.empty() ? "the end" : absl::StrCat("'", std::string(rest_.substr(0, 20)), "'");
  }
  absl::Status Expect(char c) {
    return Take(c) ? absl::OkStatus() : Malformed(absl::StrCat("'", std::string(1, c), "'"), Rest());
  }
  absl::StatusOr<std::string> Quoted() {
    const char quote = Take('\'') ? '\'' : Take('"') ? '"' : '\0';
    const size_t end = quote == '\0' ? std::string_view::npos : rest_.find(quote);
    if (end == std::string_view::npos) return Malformed("a quoted string", Rest());
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  absl::StatusOr<bool> Bool() {
    SkipSpaces();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.substr(0, word.size()) != word) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    return Malformed("True or False", Rest());
  }
  absl::StatusOr<std::vector<int64_t>> Dims() {
    std::vector<int64_t> dims;
    RETURN_IF_ERROR(Expect('('));
    while (!Take(')')) {
      size_t digits = 0;
      while (digits < rest_.size() && absl::ascii_isdigit(static_cast<unsigned char>(rest_[digits]))) ++digits;
      int64_t dim;
      if (!absl::SimpleAtoi(std::string(rest_.substr(0, digits)), &dim)) return Malformed("a dimension", Rest());
      rest_.remove_prefix(digits);
      if (rest_.substr(0, 1) == "L") rest_.remove_prefix(1);  // written by Python 2
      dims.push_back(dim);
      if (dims.size() > kMaxRank) return Malformed(absl::StrCat("at most ", kMaxRank, " dimensions"), "more");
      if (Take(',')) continue;
      RETURN_IF_ERROR(Expect(')'));
      break;
    }
    return dims;
  }

  std::string_view rest_;
};

// How the elements of an array lie in the file.
struct Element {
  DType dtype;
  int64_t size;          // bytes
  bool swapped = false;  // big-endian
  bool unicode = false;  // of kString: code points of 4 bytes
};

absl::StatusOr<Element> ParseDescr(std::string_view descr) {
  const absl::Status unsupported =
      Malformed("descr to be a number (<f4), bool (|b1), bytes (|S) or text (<U)",
                absl::StrCat("'", std::string(descr), "'",
                             descr.find('O') != descr.npos ? ", a pickled object, which is never read" : ""));
  if (descr.size() < 3) return unsupported;
  const char order = descr[0], kind = descr[1];
  int64_t size;
  if (std::string_view("<>|=").find(order) == std::string_view::npos) return unsupported;
  if (!absl::SimpleAtoi(std::string(descr.substr(2)), &size) || size < 0 || size > (1 << 30)) return unsupported;
  if (kind == 'S') return Element{DType::kString, size};
  if (kind == 'U') return Element{DType::kString, 4 * size, order == '>', true};
  struct Known {
    char kind;
    int64_t size;
    DType dtype;
  };
  static constexpr Known kKnown[] = {
      {'f', 2, DType::kFloat16},   {'f', 4, DType::kFloat32},     {'f', 8, DType::kFloat64},  {'i', 1, DType::kInt8},
      {'i', 2, DType::kInt16},     {'i', 4, DType::kInt32},       {'i', 8, DType::kInt64},    {'u', 1, DType::kUInt8},
      {'u', 2, DType::kUInt16},    {'u', 4, DType::kUInt32},      {'u', 8, DType::kUInt64},   {'b', 1, DType::kBool},
      {'c', 8, DType::kComplex64}, {'c', 16, DType::kComplex128}, {'V', 2, DType::kBFloat16},
  };
  for (const Known& known : kKnown) {
    if (known.kind == kind && known.size == size) return Element{known.dtype, size, order == '>' && size > 1};
  }
  return unsupported;
}

// Copies `data` in C order: dimension 0 of the file varies fastest.
std::string FromFortranOrder(std::string_view data, absl::Span<const int64_t> dims, int64_t size) {
  std::string result(data.size(), '\0');
  std::vector<int64_t> strides(dims.size()), index(dims.size());  // strides in the file
  int64_t stride = size;
  for (size_t i = 0; i < dims.size(); ++i) {
    strides[i] = stride;
    stride *= dims[i];
  }
  int64_t from = 0;
  for (size_t to = 0; to < result.size(); to += static_cast<size_t>(size)) {
    std::memcpy(result.data() + to, data.data() + from, static_cast<size_t>(size));
    for (size_t i = dims.size(); i-- > 0;) {
      from += strides[i];
      if (++index[i] < dims[i]) break;
      from -= strides[i] * dims[i];
      index[i] = 0;
    }
  }
  return result;
}

void AppendUtf8(uint32_t code, std::string* text) {
  if (code < 0x80) {
    text->push_back(static_cast<char>(code));
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr unsigned char kLead[] = {0, 0xc0, 0xe0, 0xf0};
  text->push_back(static_cast<char>(kLead[more] | (code >> (6 * more))));
  for (int i = more - 1; i >= 0; --i) text->push_back(static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3f)));
}

// Fixed-width elements, padded with NULs.
absl::Status FillStrings(std::string_view data, const Element& element, Tensor* tensor) {
  const size_t size = static_cast<size_t>(element.size);
  for (String& s : tensor->mutable_values<String>()) {
    std::string_view raw = data.substr(0, size);
    data.remove_prefix(size);
    if (!element.unicode) {
      while (!raw.empty() && raw.back() == '\0') raw.remove_suffix(1);
      s = raw;
      continue;
    }
    std::string text;
    for (; raw.size() >= 4; raw.remove_prefix(4)) {
      uint32_t code;
      std::memcpy(&code, raw.data(), 4);
      if (element.swapped) code = __builtin_bswap32(code);
      if (code > 0x10ffff)
        return absl::InvalidArgumentError(absl::StrCat("npy text: expected a code point, got ", code));
      AppendUtf8(code, &text);
    }
    text.erase(text.find_last_not_of('\0') + 1);
    s = std::string_view(text);
  }
  return absl::OkStatus();
}

// Whether the bytes of `carrier` are values of the small integer Int.
template <typename Int>
absl::Status CheckRange(const Tensor& carrier) {
  for (int64_t i = 0; i < carrier.num_elements(); ++i) {
    const int value = carrier.dtype() == DType::kInt8 ? carrier.data<int8_t>()[i] : carrier.data<uint8_t>()[i];
    if (Int(value) == value) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("array: expected values of ", std::string(DTypeName(kDTypeOf<Int>)), ", got ", value));
  }
  return absl::OkStatus();
}

// NumPy's name of a dtype that it has, else null.
const char* DescrOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return "<f2";
    case DType::kFloat32:
      return "<f4";
    case DType::kFloat64:
      return "<f8";
    case DType::kInt8:
      return "|i1";
    case DType::kInt16:
      return "<i2";
    case DType::kInt32:
      return "<i4";
    case DType::kInt64:
      return "<i8";
    case DType::kUInt8:
      return "|u1";
    case DType::kUInt16:
      return "<u2";
    case DType::kUInt32:
      return "<u4";
    case DType::kUInt64:
      return "<u8";
    case DType::kBool:
      return "|b1";
    case DType::kComplex64:
      return "<c8";
    case DType::kComplex128:
      return "<c16";
    default:
      return nullptr;
  }
}

}  // namespace

DType CarrierOf(DType dtype) {
  switch (dtype) {
    case DType::kBFloat16:
    case DType::kQUInt16:
      return DType::kUInt16;
    case DType::kQInt16:
      return DType::kInt16;
    case DType::kQInt32:
      return DType::kInt32;
    case DType::kQInt8:
    case DType::kInt4:
    case DType::kInt2:
      return DType::kInt8;
    case DType::kQUInt8:
    case DType::kUInt4:
    case DType::kUInt2:
    case DType::kFloat8E5M2:
    case DType::kFloat8E4M3FN:
    case DType::kFloat8E4M3FNUZ:
    case DType::kFloat8E4M3B11FNUZ:
    case DType::kFloat8E5M2FNUZ:
    case DType::kFloat4E2M1FN:
      return DType::kUInt8;
    default:
      return dtype;
  }
}

absl::StatusOr<Tensor> FromCarrier(const Tensor& tensor, DType dtype) {
  if (tensor.dtype() == dtype) return tensor;
  const bool small = dtype == DType::kInt4 || dtype == DType::kUInt4 || dtype == DType::kInt2 || dtype == DType::kUInt2;
  const bool is_byte = tensor.dtype() == DType::kInt8 || tensor.dtype() == DType::kUInt8;  // either, for small integers
  if (tensor.dtype() != CarrierOf(dtype) && !(small && is_byte)) {
    const std::string own(DTypeName(dtype)), carrier(DTypeName(CarrierOf(dtype)));
    return absl::InvalidArgumentError(absl::StrCat("array: expected ", own, own == carrier ? "" : " as " + carrier,
                                                   ", got ", std::string(DTypeName(tensor.dtype()))));
  }
  switch (dtype) {
    case DType::kInt4:
      RETURN_IF_ERROR(CheckRange<Int4>(tensor));
      break;
    case DType::kUInt4:
      RETURN_IF_ERROR(CheckRange<UInt4>(tensor));
      break;
    case DType::kInt2:
      RETURN_IF_ERROR(CheckRange<Int2>(tensor));
      break;
    case DType::kUInt2:
      RETURN_IF_ERROR(CheckRange<UInt2>(tensor));
      break;
    default:
      break;
  }
  return tensor.BitcastTo(dtype, tensor.shape());
}

absl::StatusOr<Tensor> ParseNpy(std::string_view bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < 10) {
    return absl::InvalidArgumentError("npy file: expected to begin with \\x93NUMPY and a version");
  }
  const int version = bytes[6];
  if (version < 1 || version > 3) return Malformed("version 1, 2 or 3", absl::StrCat(version));
  const size_t length_bytes = version == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) return Malformed("a length", "the end");
  uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, length_bytes);
  bytes.remove_prefix(8 + length_bytes);
  if (length > bytes.size()) return Malformed(absl::StrCat(length, " bytes"), absl::StrCat(bytes.size()));
  ASSIGN_OR_RETURN(const Header header, HeaderParser(bytes.substr(0, length)).Parse());
  bytes.remove_prefix(length);
  ASSIGN_OR_RETURN(const Element element, ParseDescr(header.descr));
  ASSIGN_OR_RETURN(const Shape shape, Shape::Make(header.dims));
  const std::optional<int64_t> expected = CheckedMul(shape.num_elements(), element.size);
  // Zero-size elements take no data, so only the shape could say how many there are.
  if (!expected.has_value() || *expected != static_cast<int64_t>(bytes.size()) ||
      (element.size == 0 && shape.num_elements() > (1 << 20))) {
    return absl::InvalidArgumentError(absl::StrCat("npy data of ", header.descr, shape.ToString(), ": expected ",
                                                   expected.has_value() ? absl::StrCat(*expected) : "too many",
                                                   " bytes, got ", bytes.size()));
  }
  ASSIGN_OR_RETURN(Tensor tensor, Tensor::Make(element.dtype, shape));
  if (*expected == 0) return tensor;
  std::string reordered;
  if (header.fortran_order && shape.rank() > 1) {
    reordered = FromFortranOrder(bytes, shape.dims(), element.size);
    bytes = reordered;
  }
  if (element.dtype == DType::kString) {
    RETURN_IF_ERROR(FillStrings(bytes, element, &tensor));
    return tensor;
  }
  char* data = static_cast<char*>(tensor.raw_mutable_data());
  std::memcpy(data, bytes.data(), bytes.size());
  if (element.swapped) {
    const int64_t part = IsComplex(element.dtype) ? element.size / 2 : element.size;
    for (int64_t at = 0; at < *expected; at += part) std::reverse(data + at, data + at + part);
  }
  if (element.dtype == DType::kBool) {
    for (int64_t i = 0; i < *expected; ++i) data[i] = data[i] != 0;
  }
  return tensor;
}

absl::StatusOr<std::string> FormatNpy(const Tensor& tensor) {
  std::string descr;
  size_t width = 1;  // of strings
  if (tensor.dtype() == DType::kString) {
    for (const String& s : tensor.values<String>()) width = std::max(width, s.size());
    descr = absl::StrCat("|S", width);
  } else if (const char* known = DescrOf(CarrierOf(tensor.dtype()))) {
    descr = known;
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("npy array: expected numbers or strings, got ", std::string(DTypeName(tensor.dtype()))));
  }
  std::string header = absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
                                    absl::StrJoin(tensor.dims(), ", "), tensor.rank() == 1 ? ",), }" : "), }");
  // Data begin at a multiple of 64 bytes; a line feed ends the padding.
  header.append(63 - (header.size() + 10) % 64, ' ');
  header.push_back('\n');
  if (header.size() > 0xffff) return absl::InvalidArgumentError("npy header: expected at most 65535 bytes, got more");
  std::string out = absl::StrCat(std::string(kMagic), std::string("\x01\x00", 2));
  out.push_back(static_cast<char>(header.size() & 0xff));
  out.push_back(static_cast<char>(header.size() >> 8));
  out += header;
  if (tensor.dtype() == DType::kString) {
    for (const String& s : tensor.values<String>()) {
      out.append(s.view());
      out.append(width - s.size(), '\0');
    }
  } else if (tensor.num_elements() > 0) {
    out.append(static_cast<const char*>(tensor.raw_data()), static_cast<size_t>(tensor.size_bytes()));
  }
  return out;
}

}  // namespace flowlatch
