// StringArena: strings that live as long as their owner, packed into large blocks.
#ifndef FLOWLATCH_GRAPH_BASE_STRING_ARENA_H_
#define FLOWLATCH_GRAPH_BASE_STRING_ARENA_H_

#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace flowlatch {

class StringArena {
 public:
  std::string_view Add(std::string_view s) {
    if (s.size() > kBlockBytes / 4) {
      own_.push_back(std::make_unique<char[]>(s.size()));
      std::memcpy(own_.back().get(), s.data(), s.size());
      return {own_.back().get(), s.size()};
    }
    if (used_ + s.size() > kBlockBytes || blocks_.empty()) {
      blocks_.push_back(std::make_unique<char[]>(kBlockBytes));
      used_ = 0;
    }
    char* at = blocks_.back().get() + used_;
    if (!s.empty()) std::memcpy(at, s.data(), s.size());
    used_ += s.size();
    return {at, s.size()};
  }

 private:
  static constexpr size_t kBlockBytes = 16 << 10;
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::vector<std::unique_ptr<char[]>> own_;  // strings too large for a block
  size_t used_ = 0;
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BASE_STRING_ARENA_H_
