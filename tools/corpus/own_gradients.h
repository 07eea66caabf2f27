// Gradients of our own making, on the forward part of a case's graph, held against those that TensorFlow's graph gave.
#ifndef FLOWLATCH_TOOLS_CORPUS_OWN_GRADIENTS_H_
#define FLOWLATCH_TOOLS_CORPUS_OWN_GRADIENTS_H_

#include "runtime/kernel/op_library.h"
#include "runtime/session/session.h"
#include "tools/corpus/judge.h"

namespace flowlatch {

// Runs the case's steps on its graph with our gradients added, and compares them with the recorded ones in the steps in which those
// were fetched. IndexedSlices are compared as the tensors that they stand for. Requires: the case passes as it is.
Verdict JudgeGradients(const Case& c, const OpLibrary& library, const SessionOptions& options);

}  // namespace flowlatch

#endif  // FLOWLATCH_TOOLS_CORPUS_OWN_GRADIENTS_H_
