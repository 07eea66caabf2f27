// Runs a mutated call and judges what comes of it: any error is right, and so is an answer that fits what the graph says of it.
#ifndef FLOWLATCH_TESTS_MUTATION_RUN_CALL_H_
#define FLOWLATCH_TESTS_MUTATION_RUN_CALL_H_

#include <string>

#include "absl/status/status.h"
#include "runtime/kernel/op_library.h"
#include "tests/mutation/call.h"

namespace flowlatch {

struct CallEnd {
  absl::Status status;   // of loading or running
  std::string finding;   // what is wrong with the answer; "": nothing
};

// Constants are fed, so that nothing but the kernel sees them, or part of the graph, so that shape functions and folding see
// them first. Findings: an answer with another dtype than the port's, or with a shape that the shape function rules out. What
// crashes, hangs or takes too much memory does so here: run it in a process of its own.
CallEnd RunCall(const OpLibrary& library, const Call& call, bool feed_constants);

}  // namespace flowlatch

#endif  // FLOWLATCH_TESTS_MUTATION_RUN_CALL_H_
