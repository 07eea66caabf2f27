// Whether a runtime gives the same answers to a corpus case however many threads it has.
#ifndef FLOWLATCH_TOOLS_CORPUS_AGREEMENT_H_
#define FLOWLATCH_TOOLS_CORPUS_AGREEMENT_H_

#include "absl/types/span.h"
#include "runtime/session/session.h"
#include "tools/corpus/case.h"
#include "tools/corpus/judge.h"

namespace flowlatch {

// Runs the whole case once with each of these numbers of threads: failed unless all fetches have the same bits and the
// same steps fail. Nothing is compared with what was recorded, nor after a step that fails. Skipped when the case does
// not determine its values. Requires: at least one number.
Verdict JudgeAgreement(const Case& c, const OpLibrary& library, const SessionOptions& options,
                       absl::Span<const int> threads);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_CORPUS_AGREEMENT_H_
