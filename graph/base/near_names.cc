#include "graph/base/near_names.h"

#include <algorithm>
#include <numeric>

namespace flowlatch {
namespace {

constexpr size_t kMaxHints = 3;
constexpr size_t kMaxLength = 256;  // longer names are compared by their ends only

std::string_view LastPart(std::string_view name) {
  const size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

int EditDistance(std::string_view a, std::string_view b, int limit) {
  if (std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())) > limit) return limit + 1;
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replace = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

std::string_view Tail(std::string_view s) { return s.size() > kMaxLength ? s.substr(s.size() - kMaxLength) : s; }

}  // namespace

NearNames::NearNames(std::string_view wanted) : wanted_(Tail(wanted)) {}

void NearNames::Consider(std::string_view candidate) {
  const int limit = std::max<int>(1, static_cast<int>(wanted_.size()) / 3);
  int distance = EditDistance(wanted_, Tail(candidate), limit);
  if (distance > limit && !wanted_.empty() && LastPart(candidate) == LastPart(wanted_)) distance = limit;
  if (distance > limit) return;
  const auto at = std::upper_bound(best_.begin(), best_.end(), distance,
                                   [](int d, const Candidate& c) { return d < c.distance; });
  best_.insert(at, {distance, std::string(candidate)});
  if (best_.size() > kMaxHints) best_.pop_back();
}

std::string NearNames::Hint() const {
  if (best_.empty()) return "";
  std::string text = "; did you mean ";
  for (size_t i = 0; i < best_.size(); ++i) text += (i > 0 ? ", '" : "'") + best_[i].name + "'";
  return text + "?";
}

}  // namespace flowlatch
