// String: an element of a string tensor, 24 bytes without pointers into itself, so that tensors can move it by memcpy.
#ifndef FLOWLATCH_GRAPH_TENSOR_STRING_H_
#define FLOWLATCH_GRAPH_TENSOR_STRING_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace flowlatch {

// Layout (shared with TensorFlow's C string, formats.md): the two low bits of the first byte tell the form.
//   small: byte 0 = size << 2, bytes 1.. = data, at most 22 bytes and a closing NUL
//   large: word 0 = size << 2 | 1, word 1 = capacity, word 2 = malloc'ed data
class String {
 public:
  String() { std::memset(bytes_, 0, sizeof bytes_); }
  String(std::string_view s) : String() { Assign(s); }  // NOLINT: a string is a string
  String(const String& o) : String() { Assign(o.view()); }
  String(String&& o) noexcept {
    std::memcpy(bytes_, o.bytes_, sizeof bytes_);
    std::memset(o.bytes_, 0, sizeof o.bytes_);
  }
  String& operator=(const String& o) {
    if (this != &o) Assign(o.view());
    return *this;
  }
  String& operator=(String&& o) noexcept {
    char other[sizeof bytes_];
    std::memcpy(other, o.bytes_, sizeof other);
    std::memcpy(o.bytes_, bytes_, sizeof other);
    std::memcpy(bytes_, other, sizeof other);
    return *this;
  }
  String& operator=(std::string_view s) {
    Assign(s);
    return *this;
  }
  ~String() {
    if (is_large()) std::free(large_data());
  }

  size_t size() const { return is_large() ? word(0) >> 2 : static_cast<unsigned char>(bytes_[0]) >> 2; }
  const char* data() const { return is_large() ? large_data() : bytes_ + 1; }
  std::string_view view() const { return {data(), size()}; }
  operator std::string_view() const { return view(); }  // NOLINT: as std::string does
  bool operator==(const String& o) const { return view() == o.view(); }
  bool operator<(const String& o) const { return view() < o.view(); }

 private:
  static constexpr size_t kMaxSmall = 22;
  bool is_large() const { return (bytes_[0] & 3) == 1; }
  uint64_t word(int i) const {
    uint64_t w;
    std::memcpy(&w, bytes_ + 8 * i, 8);
    return w;
  }
  void set_word(int i, uint64_t w) { std::memcpy(bytes_ + 8 * i, &w, 8); }
  char* large_data() const { return reinterpret_cast<char*>(word(2)); }

  void Assign(std::string_view s) {
    char* old = is_large() ? large_data() : nullptr;
    if (s.size() <= kMaxSmall) {
      char small[sizeof bytes_] = {};
      small[0] = static_cast<char>(s.size() << 2);
      if (!s.empty()) std::memcpy(small + 1, s.data(), s.size());
      std::memcpy(bytes_, small, sizeof bytes_);
    } else {
      char* data = static_cast<char*>(std::malloc(s.size() + 1));
      if (data == nullptr) throw std::bad_alloc();
      std::memcpy(data, s.data(), s.size());
      data[s.size()] = '\0';
      set_word(0, s.size() << 2 | 1);
      set_word(1, s.size());
      set_word(2, reinterpret_cast<uint64_t>(data));
    }
    std::free(old);
  }

  alignas(8) char bytes_[24];
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_TENSOR_STRING_H_
