// Whether a runtime gives the answers that a corpus case recorded.
#ifndef FLOWLATCH_TOOLS_CORPUS_JUDGE_H_
#define FLOWLATCH_TOOLS_CORPUS_JUDGE_H_

#include <string>
#include <vector>

#include "runtime/session/session.h"
#include "tools/corpus/case.h"

namespace flowlatch {

enum class Outcome { kPassed, kFailed, kSkipped };

struct Verdict {
  Outcome outcome = Outcome::kPassed;
  std::string reason;  // "" when passed
  // When skipped: what does not exist here ("op Foo", "dtype ...", "file kind ..."), at least one.
  std::vector<std::string> missing;
};

// Runs the whole case in this process. A case is skipped only when the runtime answers Unimplemented where TensorFlow
// gave another answer, or when its expected gradients need a builder of gradients.
Verdict Judge(const Case& c, const OpLibrary& library, const SessionOptions& options);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_CORPUS_JUDGE_H_
