// "Did you mean": the names closest to one that was not found.
#ifndef FLOWLATCH_GRAPH_BASE_NEAR_NAMES_H_
#define FLOWLATCH_GRAPH_BASE_NEAR_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace flowlatch {

// Collects candidates and keeps the few nearest to `wanted` by edit distance (a shared last path part counts as near).
class NearNames {
 public:
  explicit NearNames(std::string_view wanted);
  void Consider(std::string_view candidate);
  // "; did you mean 'a', 'b'?" or "" when nothing is near.
  std::string Hint() const;

 private:
  struct Candidate {
    int distance;
    std::string name;
  };
  std::string wanted_;
  std::vector<Candidate> best_;  // sorted by distance, at most three
};

}  // namespace flowlatch

#endif  // FLOWLATCH_GRAPH_BASE_NEAR_NAMES_H_
